/* How the contacts are left: a code for each outcome, three digits' worth a contact, sorted and counted. */
#include <cradle/outcome.h>
#include <math.h>
#include <stdlib.h>

#include "linalg/dense.h"

enum { MOST_CONTACTS = 40 }; /* 3^40 < 2^64 */

static const crd_mode DIGIT[3] = {CRD_MODE_STICK, CRD_MODE_SLIP, CRD_MODE_SEPARATE};

static uint64_t digit_of(const crd_contact_problem *problem, const crd_contact *contact, const double *v,
                         double tolerance) {
  size_t nv = (size_t)problem->nv;
  const double *row = problem->J + nv * (size_t)contact->row;
  if (crd_dense_dot(problem->nv, row, v) > tolerance) return 2;
  double slip = 0;
  for (int t = 1; t <= contact->ntangent; t++) slip = hypot(slip, crd_dense_dot(problem->nv, row + nv * (size_t)t, v));
  return slip > tolerance;
}

typedef struct coded {
  uint64_t code, sample;
} coded;

static int by_code(const void *a, const void *b) {
  const coded *x = a, *y = b;
  if (x->code != y->code) return x->code < y->code ? -1 : 1;
  return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static int by_count(const void *a, const void *b) {
  const crd_outcome_mode *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static crd_status fill_mode(crd_outcome_mode *item, int nc, uint64_t code, crd_arena *arena) {
  crd_mode *mode = crd_arena_alloc(arena, (size_t)nc, sizeof *mode);
  if (!mode) return CRD_ERR_MEMORY;
  for (int c = nc - 1; c >= 0; c--, code /= 3) mode[c] = DIGIT[code % 3];
  item->mode = mode;
  return CRD_OK;
}

/* One item for each run of equal codes. */
static crd_status count_runs(const coded *list, size_t total, crd_outcome_modes *modes) {
  size_t kinds = 0, next = 0;
  for (size_t i = 0; i < total; i++) kinds += i == 0 || list[i].code != list[i - 1].code;
  crd_outcome_mode *item = crd_arena_alloc(&modes->arena, kinds, sizeof *item);
  if (!item && kinds > 0) return CRD_ERR_MEMORY;
  for (size_t i = 0; i < total; i++) {
    if (i == 0 || list[i].code != list[i - 1].code) {
      item[next].sample = list[i].sample;
      crd_status status = fill_mode(&item[next++], modes->nc, list[i].code, &modes->arena);
      if (status != CRD_OK) return status;
    }
    item[next - 1].count++;
  }
  if (kinds > 0) qsort(item, kinds, sizeof *item, by_count);
  modes->item = item, modes->count = kinds;
  return CRD_OK;
}

crd_status crd_outcome_modes_count(const crd_contact_problem *problem, const crd_outcome_set *set, double tolerance,
                                   crd_outcome_modes *modes) {
  crd_outcome_modes made = {.nc = problem->nc};
  crd_arena scratch = {0};
  if (problem->nc > MOST_CONTACTS) return CRD_ERR_CAPACITY;
  coded *list = crd_arena_alloc(&scratch, set->samples, sizeof *list);
  if (!list && set->samples > 0) return CRD_ERR_MEMORY;
  size_t total = 0;
  for (uint64_t i = 0; i < set->samples; i++) {
    if (set->ending[i] != CRD_OUTCOME_DONE) continue;
    uint64_t code = 0;
    for (int c = 0; c < problem->nc; c++)
      code = 3 * code + digit_of(problem, &problem->contact[c], set->v_plus + (size_t)problem->nv * i, tolerance);
    list[total++] = (coded){code, i};
  }
  made.outcomes = total;
  if (total > 0) qsort(list, total, sizeof *list, by_code);
  crd_status status = count_runs(list, total, &made);
  crd_arena_free(&scratch);
  if (status != CRD_OK) return crd_arena_free(&made.arena), status;
  crd_arena_free(&modes->arena);
  *modes = made;
  return CRD_OK;
}

void crd_outcome_modes_free(crd_outcome_modes *modes) {
  crd_arena_free(&modes->arena);
  *modes = (crd_outcome_modes){0};
}
