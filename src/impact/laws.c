/* The one table of laws. */
#include "impact/laws.h"

#include <string.h>

static const crd_impact_law *const table[] = {
    &crd_law_projection,
    &crd_law_stick_slip,
    &crd_law_newton,
    &crd_law_matrix,
    NULL,
};

const crd_impact_law *crd_impact_law_at(int index) {
  int count = (int)(sizeof table / sizeof *table) - 1;
  return index >= 0 && index < count ? table[index] : NULL;
}

const crd_impact_law *crd_impact_find(const char *name) {
  for (int i = 0; table[i]; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}
