/* --box of `cradle outcomes`: "mu=0.1,e=0.05,v=0.02,draws=64", half widths in any order, each at most once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outcomes.h"

/* One "name=number" of length `length` into the box; false: it is none, or came before. */
static bool read_part(const char *text, size_t length, crd_outcome_box *box, unsigned *seen) {
  static const char *const NAME[] = {"mu=", "e=", "v=", "draws="};
  double *const width[] = {&box->mu, &box->e, &box->v};
  for (unsigned i = 0; i < 4; i++) {
    size_t prefix = strlen(NAME[i]);
    if (length <= prefix || strncmp(text, NAME[i], prefix) != 0) continue;
    char *end;
    double value = strtod(text + prefix, &end);
    bool good = end == text + length && value >= 0 && value < INFINITY && !(*seen & 1u << i);
    *seen |= 1u << i;
    if (i < 3) return *width[i] = value, good;
    box->draws = value >= 1 && value <= 1e6 ? (int)value : 0;
    return good && box->draws >= 1 && (double)box->draws == value;
  }
  return false;
}

bool outcomes_box_read(const char *verb, const char *option, const char *text, crd_outcome_box *box) {
  unsigned seen = 0;
  bool good = true;
  *box = crd_outcome_box_default();
  for (const char *at = text; good && at;) {
    size_t length = strcspn(at, ",");
    good = read_part(at, length, box, &seen);
    at = at[length] ? at + length + 1 : NULL;
  }
  if (!good || !(seen & 7u))
    cli_complain(verb, "%s: found '%s', expected half widths such as mu=0.1,e=0.05,v=0.02, and draws=N", option, text);
  return good && (seen & 7u);
}
