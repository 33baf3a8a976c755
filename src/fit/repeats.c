/* Rows that are stated twice. A resample takes them for measurements of their own, and its intervals are too narrow. */
#include "fit/repeats.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  const crd_fit_row *row;
  int at;
} entry;

static int compared(const double *a, const double *b, size_t count) { return memcmp(a, b, count * sizeof *a); }

/* Any order that brings equal rows together. */
static int order(const crd_fit_row *a, const crd_fit_row *b) {
  const crd_contact_problem *p = a->problem, *q = b->problem;
  const size_t n = (size_t)p->nv, m = (size_t)(p->nrow + p->nb);
  if (p->nv != q->nv) return p->nv - q->nv;
  if (p->nrow + p->nb != q->nrow + q->nb) return p->nrow + p->nb - q->nrow - q->nb;
  int way = compared(a->v_plus, b->v_plus, n);
  if (way == 0) way = compared(p->v, q->v, n);
  if (way == 0) way = compared(a->J, b->J, m * n);
  return way ? way : compared(a->M, b->M, n * n);
}

static int in_order(const void *a, const void *b) {
  const entry *one = a, *other = b;
  const int way = order(one->row, other->row);
  return way ? way : one->at - other->at;
}

crd_status fit_find_repeats(const crd_fit_data *data, int *count, int first[2], crd_arena *arena) {
  entry *sorted = crd_arena_alloc(arena, (size_t)data->count, sizeof *sorted);
  *count = 0, first[0] = first[1] = -1;
  if (!sorted) return CRD_ERR_MEMORY;
  for (int i = 0; i < data->count; i++) sorted[i] = (entry){&data->row[i], i};
  qsort(sorted, (size_t)data->count, sizeof *sorted, in_order);
  for (int k = 1; k < data->count; k++) {
    if (order(sorted[k - 1].row, sorted[k].row) != 0) continue;
    if (*count == 0 || sorted[k].at < first[1]) first[0] = sorted[k - 1].at, first[1] = sorted[k].at;
    ++*count;
  }
  return CRD_OK;
}
