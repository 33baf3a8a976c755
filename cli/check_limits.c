/* The admissible interval of every coefficient, and what to lower where energy is gained. */
#include <math.h>

#include "check_print.h"

crd_status check_limits(check_view *view, bool (*go_on)(void *context, int contact), void *context, crd_arena *arena) {
  const crd_check *check = view->check;
  const int nc = check->problem.nc;
  double *low = crd_arena_alloc(arena, (size_t)nc + 1, sizeof *low);
  double *high = crd_arena_alloc(arena, (size_t)nc + 1, sizeof *high);
  crd_status *found = crd_arena_alloc(arena, (size_t)nc + 1, sizeof *found);
  if (!low || !high || !found) return CRD_ERR_MEMORY;
  crd_status status = crd_analysis_culprit(check, &view->culprit, arena);
  view->limit = NAN, view->e_low = low, view->e_high = high, view->e_status = found;
  for (int c = 0; status == CRD_OK && c < nc; c++) {
    low[c] = high[c] = NAN, found[c] = CRD_UNKNOWN;
    if (!go_on(context, c)) continue;
    crd_status one = crd_analysis_restitution_interval(&check->restitution, check->E, c, CRD_LMI_APPROACHING, &low[c],
                                                       &high[c], arena);
    found[c] = one;
    if (one != CRD_OK) low[c] = high[c] = NAN;
    if (one < 0) status = one;
  }
  if (view->culprit >= 0) view->limit = high[view->culprit];
  return status;
}
