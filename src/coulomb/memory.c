/* Memory of all methods: one table, all of it taken or none. */
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
  crd_memory fresh = {.room = {.problem_rows = (int)greater((size_t)need->problem_rows, (size_t)have->problem_rows),
                               .rows = (int)greater((size_t)need->rows, (size_t)have->rows),
                               .dense = (int)greater((size_t)need->dense, (size_t)have->dense),
                               .columns = greater(need->columns, have->columns),
                               .vectors = greater(need->vectors, have->vectors),
                               .owns = greater(need->owns, have->owns)}};
  crd_reduced *r = &fresh.reduced;
  size_t problem = (size_t)fresh.room.problem_rows, rows = (size_t)fresh.room.rows, square = (size_t)fresh.room.dense;
  size_t dense = square, d = sizeof(double), i = sizeof(int);
  square *= square;
  const struct {
    void *to; /* address of the pointer */
    size_t count, size;
  } table[] = {
      {&fresh.where, problem, i},
      {&fresh.share, problem, d},
      {&fresh.x, rows, d},
      {&fresh.y, rows, d},
      {&fresh.best, rows, d},
      {&fresh.guess, rows, d},
      {&fresh.first, rows, d},
      {&fresh.kept, rows, d},
      {&fresh.answer, rows, d},
      {&fresh.lift, rows, d},
      {&fresh.tangent, rows, d},
      {&fresh.x0, rows, d},
      {&fresh.y0, rows, d},
      {&fresh.x1, rows, d},
      {&fresh.y1, rows, d},
      {&fresh.rhs, rows, d},
      {&fresh.full, rows, d},
      {&fresh.full_guess, rows, d},
      {&fresh.error, rows, d},
      {&fresh.kept_full, rows, d},
      {&fresh.answer_full, rows, d},
      {&fresh.start, rows, d},
      {&fresh.sweep_best, rows, d},
      {&fresh.sweep_kept, rows, d},
      {&fresh.change, rows, d},
      {&fresh.image, rows, d},
      {&fresh.direction, rows, d},
      {&fresh.change_steps, CRD_SWEEP_WINDOW * rows, d},
      {&fresh.image_steps, CRD_SWEEP_WINDOW * rows, d},
      {&fresh.unknown, rows, sizeof(crd_unknown)},
      {&fresh.unknown_row, rows, i},
      {&fresh.combined, rows, i},
      {&fresh.pivot, rows, i},
      {&fresh.matrix, square, d},
      {&fresh.P, square, d},
      {&fresh.Q, square, d},
      {&fresh.q, dense, d},
      {&fresh.row, rows, d},
      {&fresh.unit_size, rows + 1, i},
      {&fresh.unit_row, rows + 1, i},
      {&fresh.unit_of, rows, i},
      {&fresh.neighbour_first, rows + 1, i},
      {&fresh.neighbour_mark, rows + 1, i},
      {&fresh.neighbour, 2 * fresh.room.columns, i},
      {&fresh.mode, rows, sizeof(crd_mode)},
      {&fresh.newton, rows, sizeof(crd_newton_unit)},
      {&fresh.signature, rows, 1},
      {&fresh.smooth, rows, sizeof(crd_smoothed_unit)},
      {&fresh.local, rows, sizeof(crd_sweep_local)},
      {&r->unit, rows, sizeof(crd_unit)},
      {&r->b, rows, d},
      {&r->weight, rows, d},
      {&r->scale, rows, d},
      {&r->center, rows, d},
      {&r->A, square, d},
      {&r->L, square, d},
      {&r->velocity, dense, d},
      {&r->columns, rows, sizeof(crd_columns)},
      {&r->column, fresh.room.columns, i},
      {&r->value, fresh.room.vectors, sizeof(crd_v4)},
      {&r->own, fresh.room.owns, d},
      {&r->full_row, rows, i},
      {&r->full_scale, rows, d},
      {&r->factor, rows, d},
      {&r->G, square, d},
      {&r->w, rows, d},
      {&r->pivot, rows, i},
      {&r->E, square, d},
      {&r->e, rows, d},
      {&r->multiplier, square, d},
      {&r->B, square, d},
      {&r->B_pivot, rows, i},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    void *memory = crd_arena_alloc(&fresh.arena, table[k].count, table[k].size);
    if (!memory) {
      crd_arena_free(&fresh.arena);
      return CRD_ERR_MEMORY;
    }
    *(void **)table[k].to = memory;
  }
  crd_arena_free(&m->arena);
  fresh.lu = m->lu, fresh.stopped = m->stopped;
  *m = fresh;
  return CRD_OK;
}

void crd_memory_free(crd_memory *m) {
  crd_arena_free(&m->arena);
  crd_block_lu_free(&m->lu);
}
