/* Memory of all methods: one table, all of it taken or none. */
#include "base/layout.h"
#include "coulomb/linear.h"
#include "coulomb/newton.h"
#include "coulomb/smoothed_law.h"
#include "coulomb/sweep_local.h"

static size_t greater(size_t need, size_t have) { return need > have ? need + need / 2 : have; }

static bool holds(const crd_room *have, const crd_room *need) {
  return need->problem_rows <= have->problem_rows && need->rows <= have->rows && need->dense <= have->dense &&
         need->columns <= have->columns && need->vectors <= have->vectors && need->owns <= have->owns;
}

crd_status crd_memory_reserve(crd_memory *m, const crd_room *need) {
  const crd_room *have = &m->room;
  if (holds(have, need)) return CRD_OK;
  const crd_room room = {.problem_rows = (int)greater((size_t)need->problem_rows, (size_t)have->problem_rows),
                         .rows = (int)greater((size_t)need->rows, (size_t)have->rows),
                         .dense = (int)greater((size_t)need->dense, (size_t)have->dense),
                         .columns = greater(need->columns, have->columns),
                         .vectors = greater(need->vectors, have->vectors),
                         .owns = greater(need->owns, have->owns)};
  crd_reduced *r = &m->reduced;
  size_t problem = (size_t)room.problem_rows, rows = (size_t)room.rows, dense = (size_t)room.dense;
  size_t square = dense * crd_reduced_stride(room.dense), d = sizeof(double), i = sizeof(int);
  const crd_layout table[] = {
      {&m->where, problem, i, 0},
      {&m->share, problem, d, 0},
      {&m->x, rows, d, 0},
      {&m->y, rows, d, 0},
      {&m->best, rows, d, 0},
      {&m->guess, rows, d, 0},
      {&m->first, rows, d, 0},
      {&m->kept, rows, d, 0},
      {&m->answer, rows, d, 0},
      {&m->lift, rows, d, 0},
      {&m->tangent, rows, d, 0},
      {&m->x0, rows, d, 0},
      {&m->y0, rows, d, 0},
      {&m->x1, rows, d, 0},
      {&m->y1, rows, d, 0},
      {&m->rhs, rows, d, 0},
      {&m->full, rows, d, 0},
      {&m->full_guess, rows, d, 0},
      {&m->error, rows, d, 0},
      {&m->kept_full, rows, d, 0},
      {&m->answer_full, rows, d, 0},
      {&m->start, rows, d, 0},
      {&m->sweep_best, rows, d, 0},
      {&m->sweep_kept, rows, d, 0},
      {&m->change, rows, d, 0},
      {&m->image, rows, d, 0},
      {&m->direction, rows, d, 0},
      {&m->change_steps, CRD_SWEEP_WINDOW * rows, d, 0},
      {&m->image_steps, CRD_SWEEP_WINDOW * rows, d, 0},
      {&m->unknown, rows, sizeof(crd_unknown), 0},
      {&m->unknown_row, rows, i, 0},
      {&m->combined, rows, i, 0},
      {&m->pivot, rows, i, 0},
      {&m->matrix, square, d, 0},
      {&m->P, square, d, 0},
      {&m->Q, square, d, 0},
      {&m->q, crd_reduced_stride(room.dense), d, 0},
      {&m->row, rows, d, 0},
      {&m->unit_size, rows + 1, i, 0},
      {&m->unit_row, rows + 1, i, 0},
      {&m->unit_of, rows, i, 0},
      {&m->neighbour_first, rows + 1, i, 0},
      {&m->neighbour_mark, rows + 1, i, 0},
      {&m->neighbour, 2 * room.columns, i, 0},
      {&m->mode, rows, sizeof(crd_mode), 0},
      {&m->newton, rows, sizeof(crd_newton_unit), 0},
      {&m->signature, rows, 1, 0},
      {&m->smooth, rows, sizeof(crd_smoothed_unit), 0},
      {&m->local, rows, sizeof(crd_sweep_local), 0},
      {&r->unit, rows, sizeof(crd_unit), 0},
      {&r->b, rows, d, 0},
      {&r->weight, rows, d, 0},
      {&r->scale, rows, d, 0},
      {&r->center, rows, d, 0},
      {&r->reduced, square, d, 0},
      {&r->L, square, d, 0},
      {&r->velocity, crd_reduced_stride(room.dense), d, 0},
      {&r->columns, rows, sizeof(crd_columns), 0},
      {&r->column, room.columns, i, 0},
      {&r->value, room.vectors, sizeof(crd_v4), 0},
      {&r->own, room.owns, d, 0},
      {&r->full_row, rows, i, 0},
      {&r->full_scale, rows, d, 0},
      {&r->factor, rows, d, 0},
      {&r->G, square, d, 0},
      {&r->w, rows, d, 0},
      {&r->pivot, rows, i, 0},
      {&r->eliminated, square, d, 0},
      {&r->e, rows, d, 0},
      {&r->multiplier, square, d, 0},
      {&r->B, square, d, 0},
      {&r->B_pivot, rows, i, 0},
  };
  crd_status status = crd_layout_renew(&m->arena, table, sizeof table / sizeof *table);
  if (status == CRD_OK) m->room = room;
  return status;
}

void crd_memory_free(crd_memory *m) {
  crd_arena_free(&m->arena);
  crd_block_lu_free(&m->lu);
}
