#include "outcome/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "linalg/dense.h"

/* Rounding error of a condition that holds with equality, relative to the problem's velocities. */
static const double RELATIVE_MARGIN = 1e-11;

void outcome_pack(int rows, int columns, const double *matrix, double *packed) {
  memset(packed, 0, sizeof *packed * outcome_packed(rows, columns));
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      packed[4 * ((size_t)columns * (size_t)(i / 4) + (size_t)j) + (size_t)(i % 4)] =
          matrix[(size_t)columns * (size_t)i + (size_t)j];
}

crd_status outcome_table_begin(outcome_table *table, const outcome_reduced *r, double approach, int capacity,
                               crd_arena *arena) {
  *table = (outcome_table){.nx = r->nx,
                           .rank = r->rank,
                           .nc = r->nc,
                           .stride = (r->nx + 3) / 4 * 4,
                           .next_blocks = (r->rank + 3) / 4,
                           .normal_blocks = (r->nc + 3) / 4,
                           .capacity = capacity,
                           .margin = RELATIVE_MARGIN * r->velocity,
                           .approach = approach,
                           .gain = approach * crd_dense_dot(r->rank, r->y0, r->y0)};
  size_t rank = (size_t)r->rank;
  double *rows, *normals;
  if (CRD_TAKE(arena, CRD_MATRIX(rows, r->nc, rank), CRD_ARRAY(normals, outcome_packed(r->nc, r->rank)),
               CRD_ARRAY(table->entry, capacity)))
    return CRD_ERR_MEMORY;
  for (int c = 0; c < r->nc;
       c++) /* in units of the speed that is possible there; nothing moves at all where that is 0 */
    for (size_t k = 0; k < rank && r->speed[c] > 0; k++)
      rows[rank * (size_t)c + k] = r->C[rank * (size_t)r->contact[c].row + k] / r->speed[c];
  outcome_pack(r->nc, r->rank, rows, normals);
  table->normals = normals;
  return CRD_OK;
}

crd_status outcome_table_add(outcome_table *table, const outcome_map *map, long code, crd_arena *arena) {
  if (table->count == table->capacity) return CRD_ERR_CAPACITY;
  size_t check = outcome_packed(map->rows, table->nx), next = outcome_packed(table->rank, table->nx);
  double *packed = crd_arena_alloc(arena, check + next, sizeof *packed);
  if (!packed) return CRD_ERR_MEMORY;
  outcome_pack(map->rows, table->nx, map->check, packed);
  outcome_pack(table->rank, table->nx, map->next, packed + check);
  table->entry[table->count] = (outcome_entry){.check = packed,
                                               .next = packed + check,
                                               .blocks = (map->rows + 3) / 4,
                                               .full = map->full,
                                               .rivals = code >= 0 ? -1 : 0,
                                               .code = code,
                                               .order = table->count};
  table->count++;
  return CRD_OK;
}

crd_status outcome_table_fill(outcome_table *table, outcome_mode_work *work, crd_arena *arena) {
  long count = outcome_mode_count(work->facets, table->capacity);
  outcome_contact_mode *mode = crd_arena_alloc(arena, (size_t)table->nc, sizeof *mode);
  if (!mode) return CRD_ERR_MEMORY;
  for (long code = 0; code < count; code++) {
    outcome_mode_decode(work->facets, code, mode);
    if (!outcome_mode_map(work, mode)) continue;
    crd_status status = outcome_table_add(table, &work->map, code, arena);
    if (status != CRD_OK) return status;
  }
  table->complete = true;
  return CRD_OK;
}

static int by_hits(const void *a, const void *b) {
  const outcome_entry *x = a, *y = b;
  if (x->hits != y->hits) return x->hits < y->hits ? 1 : -1;
  return x->order - y->order;
}

crd_status outcome_table_sort(outcome_table *table, crd_arena *arena) {
  size_t total = 0, next = outcome_packed(table->rank, table->nx);
  qsort(table->entry, (size_t)table->count, sizeof *table->entry, by_hits);
  for (int i = 0; i < table->count; i++) total += next + 4 * (size_t)table->nx * (size_t)table->entry[i].blocks;
  double *all = crd_arena_alloc(arena, total, sizeof *all);
  if (!all) return CRD_ERR_MEMORY;
  for (int i = 0; i < table->count; i++) {
    outcome_entry *entry = &table->entry[i];
    size_t check = 4 * (size_t)table->nx * (size_t)entry->blocks;
    memcpy(all, entry->check, sizeof *all * check), entry->check = all, all += check;
    memcpy(all, entry->next, sizeof *all * next), entry->next = all, all += next;
  }
  return CRD_OK;
}
