/* Memory of the dense methods: one table, all of it taken or none. */
#include "coulomb/interior.h"
#include "coulomb/newton.h"
#include "coulomb/reduced.h"

crd_status crd_dense_reserve(crd_dense_memory *m, int n, int rows) {
  if (n <= m->n && rows <= m->rows) return CRD_OK;
  crd_dense_memory fresh = {.n = n > m->n ? n + n / 2 : m->n, .rows = rows > m->rows ? rows + rows / 2 : m->rows};
  crd_reduced *r = &fresh.reduced;
  size_t size = (size_t)fresh.rows, d = sizeof(double), i = sizeof(int);
  const struct {
    void *to; /* address of the pointer */
    size_t count, size;
  } table[] = {
      {&fresh.x, size, d},
      {&fresh.y, size, d},
      {&fresh.best, size, d},
      {&fresh.guess, size, d},
      {&fresh.kept, size, d},
      {&fresh.answer, size, d},
      {&fresh.first, size, d},
      {&fresh.kept_full, size, d},
      {&fresh.x0, size, d},
      {&fresh.y0, size, d},
      {&fresh.x1, size, d},
      {&fresh.y1, size, d},
      {&fresh.rhs, size, d},
      {&fresh.combined, size, d},
      {&fresh.full, size, d},
      {&fresh.full_guess, size, d},
      {&fresh.error, size, d},
      {&fresh.matrix, size * size, d},
      {&fresh.P, size * size, d},
      {&fresh.Q, size * size, d},
      {&fresh.D, size, d},
      {&fresh.q, size, d},
      {&fresh.lu_pivot, size, i},
      {&fresh.unknown_row, size, i},
      {&fresh.combined_unknown, size, i},
      {&fresh.where, (size_t)fresh.n, i},
      {&fresh.unknown, size, sizeof(crd_newton_unknown)},
      {&fresh.friction_state, size, sizeof(crd_newton_friction)},
      {&fresh.mode, size, sizeof(crd_mode)},
      {&fresh.cone, 2 * size, sizeof(crd_interior_cone)},
      {&fresh.block, size, sizeof(crd_interior_block)},
      {&r->contact, size, sizeof(crd_reduced_contact)},
      {&r->bounded, size, sizeof(crd_reduced_bounded)},
      {&r->A, size * size, d},
      {&r->b, size, d},
      {&r->L, size * size, d},
      {&r->velocity, size, d},
      {&r->center, size, d},
      {&r->weight, size, d},
      {&r->scale, size, d},
      {&r->full_row, size, i},
      {&r->full_scale, size, d},
      {&r->own, size, d},
      {&r->G, size * size, d},
      {&r->w, size, d},
      {&r->pivot, size, i},
      {&r->E, size * size, d},
      {&r->e, size, d},
      {&r->multiplier, size * size, d},
      {&r->B, size * size, d},
      {&r->B_pivot, size, i},
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
  *m = fresh;
  return CRD_OK;
}

void crd_dense_free(crd_dense_memory *m) { crd_arena_free(&m->arena); }
