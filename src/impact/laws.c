/* The one table of laws. */
#include "impact/laws.h"

#include <string.h>

static const crd_impact_law *const table[] = {
    &crd_law_projection,      /* Aghili */
    &crd_law_stick_slip,      /* Aghili */
    &crd_law_newton,          /* Brogliato */
    &crd_law_moreau,          /* Brogliato */
    &crd_law_matrix,          /* Brogliato */
    &crd_law_implicit,        /* Brogliato */
    &crd_law_poisson,         /* Jain */
    &crd_law_poisson_coulomb, /* Glocker & Pfeiffer */
    &crd_law_anitescu_potra,  /* Halm & Posa */
    &crd_law_sequential,      /* Halm & Posa */
    &crd_law_routh,           /* Halm & Posa */
    &crd_law_wang_mason,      /* Wang & Mason */
    &crd_law_lzb,             /* Liu, Zhao & Brogliato */
    &crd_law_fremond,         /* Fremond */
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
