#include "outcome/finish.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "outcome/table.h"

crd_status outcome_finish_begin(outcome_finish *finish, const outcome_reduced *r, double tolerance, crd_arena *arena) {
  size_t d = sizeof(double), rank = (size_t)r->rank, nv = (size_t)r->nv;
  outcome_finish f = {.rank = r->rank, .nv = r->nv, .rest = tolerance};
  f.u_blocks = (r->nrow + 3) / 4, f.v_blocks = (r->nv + 3) / 4;
  double *transposed;
  if (CRD_TAKE(arena, CRD_ARRAY(f.u_map, outcome_packed(r->nrow, r->rank)),
               CRD_ARRAY(f.v_map, outcome_packed(r->nv, r->rank)), CRD_MATRIX(f.v_base, 4, f.v_blocks),
               CRD_MATRIX(transposed, rank, nv)))
    return CRD_ERR_MEMORY;
  memcpy(f.v_base, r->v0, d * nv);
  for (size_t j = 0; j < nv; j++)
    for (size_t k = 0; k < rank; k++) {
      transposed[rank * j + k] = r->T[nv * k + j];
      f.v_base[j] -= r->T[nv * k + j] * r->y0[k];
    }
  outcome_pack(r->nrow, r->rank, r->C, f.u_map);
  outcome_pack(r->nv, r->rank, transposed, f.v_map);
  *finish = f;
  return CRD_OK;
}

crd_status outcome_summary_begin(outcome_summary *s, const outcome_finish *finish, crd_arena *arena) {
  size_t rows = 4 * (size_t)finish->u_blocks;
  *s = (outcome_summary){.least_square = INFINITY, .most_square = -INFINITY};
  if (CRD_TAKE(arena, CRD_ARRAY(s->least, rows), CRD_ARRAY(s->most, rows))) return CRD_ERR_MEMORY;
  for (size_t i = 0; i < rows; i++) s->least[i] = INFINITY, s->most[i] = -INFINITY;
  return CRD_OK;
}

void outcome_summary_merge(outcome_summary *s, const outcome_summary *other, const outcome_finish *finish) {
  for (int e = 0; e < CRD_OUTCOME_ENDS; e++) s->ended[e] += other->ended[e];
  s->lcps += other->lcps, s->at_rest += other->at_rest;
  if (other->max_lcps > s->max_lcps) s->max_lcps = other->max_lcps;
  s->least_square = fmin(s->least_square, other->least_square);
  s->most_square = fmax(s->most_square, other->most_square);
  for (int i = 0; i < 4 * finish->u_blocks; i++) {
    s->least[i] = fmin(s->least[i], other->least[i]);
    s->most[i] = fmax(s->most[i], other->most[i]);
  }
}
