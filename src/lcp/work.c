/* Memory of the workspace: one arena, sized once. */
#include <stdlib.h>
#include <string.h>

#include "lcp/kernels.h"
#include "lcp/search.h"

#define TAKE(field, count) ((field) = crd_arena_alloc(&work->arena, (count), sizeof *(field)), ok = ok && (field))

static bool allocate_lemke(crd_lcp_work *work, size_t m) {
  bool ok = true;
  size_t stride = 4 * (size_t)crd_v4_count((int)m);
  lcp_lemke_double_state *s = &work->lemke;
  lcp_lemke_dd_state *c = &work->careful;
  TAKE(s->W, (m + 2) * stride), TAKE(s->B, (m + 2) * stride), TAKE(s->q, stride), TAKE(s->x, stride),
      TAKE(s->basic_y, stride);
  TAKE(s->ratio, stride), TAKE(s->var, stride), TAKE(s->z_row, stride), TAKE(s->slot, stride), TAKE(s->member, stride);
  TAKE(s->tied, stride);
  TAKE(c->W, (m + 2) * stride), TAKE(c->B, (m + 2) * stride), TAKE(c->q, stride), TAKE(c->x, stride),
      TAKE(c->basic_y, stride);
  TAKE(c->w, stride), TAKE(c->x_error, stride), TAKE(c->q_error, stride), TAKE(c->spread, stride);
  /* the two never run at the same time */
  c->var = s->var, c->z_row = s->z_row, c->slot = s->slot, c->member = s->member, c->tied = s->tied;
  return ok;
}

static bool allocate(crd_lcp_work *work) {
  bool ok = true;
  size_t n = (size_t)work->capacity, nv = (size_t)work->nv_capacity, stride = 4 * (size_t)crd_v4_count((int)n);
  size_t m = n + (n < LCP_SPLIT ? n : LCP_SPLIT);
  work->pure_capacity = (int)m;
  lcp_reduction *r = &work->reduction;
  lcp_basis *b = &work->basis;
  TAKE(work->is_free, n), TAKE(work->in_basis, n);
  if (nv > 0) TAKE(work->dense, n * n), TAKE(work->half, n * nv);
  TAKE(work->row_scale, n), TAKE(work->col_scale, n);
  TAKE(work->column, n * stride), TAKE(work->column_stamp, n);
  TAKE(work->z, stride), TAKE(work->y, stride), TAKE(work->size, stride), TAKE(work->trial, stride);
  TAKE(work->help, 2 * m + 8), TAKE(work->ray, stride);
  TAKE(r->kept_row, n), TAKE(r->kept_col, n), TAKE(r->dropped_row, n), TAKE(r->dropped_col, n);
  TAKE(r->pair, n), TAKE(r->split_row, n), TAKE(r->split_col, n), TAKE(r->turned, n);
  TAKE(b->row, n + 1), TAKE(b->col, n + 1), TAKE(b->swap, n + 1), TAKE(b->factor, n * n);
  TAKE(b->response, LCP_BORDER * n);
  TAKE(work->warm.inverse, LCP_WARM_ORDER * LCP_WARM_ORDER), TAKE(work->warm.column, LCP_WARM_ORDER * stride);
  TAKE(work->warm.tight, stride);
  TAKE(work->rows, n * (n + 1)), TAKE(work->careful_rows, n * (n + 1));
  TAKE(work->search, 1);
  int searched = work->capacity < LCP_FALLBACK_ROWS ? work->capacity : LCP_FALLBACK_ROWS;
  return ok && lcp_search_allocate(work->search, searched, &work->arena) && allocate_lemke(work, m);
}

crd_lcp_work *crd_lcp_work_new(int n, int nv) {
  if (n < 1 || nv < 0) return NULL;
  crd_lcp_work *work = calloc(1, sizeof *work);
  if (!work) return NULL;
  work->capacity = n, work->nv_capacity = nv;
  work->kernels = lcp_kernels_of_cpu();
  if (!allocate(work)) {
    crd_lcp_work_free(work);
    return NULL;
  }
  return work;
}

void crd_lcp_work_free(crd_lcp_work *work) {
  if (!work) return;
  crd_arena_free(&work->arena);
  free(work);
}

size_t crd_lcp_work_bytes(const crd_lcp_work *work) { return sizeof *work + work->arena.allocated; }
