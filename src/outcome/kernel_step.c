/* A step through the table of modes: checks of one mode after the other until all rows of one hold, then its map.
 *
 * Four rows of a mode are one vector, so a check is nx multiplications and additions of four, and most modes fail in
 * their first block. The loops are compiled for every small nx with x spread over registers.
 */
#include "outcome/kernel_rows.h"
#include "outcome/kernels.h"

CRD_ALWAYS_INLINE bool entry_holds(const outcome_entry *entry, const double *x, int nx, crd_v4 least) {
  const double *block = entry->check;
  for (int b = 0; b < entry->blocks; b++, block += 4 * (size_t)nx)
    if (crd_v4_bits(outcome_four_rows(block, x, nx) < least)) return false;
  return true;
}

CRD_ALWAYS_INLINE int find_from(const outcome_table *table, const double *x, int from, int nx) {
  const crd_v4 least = CRD_V4_SPLAT(-table->margin);
  int i = from;
  while (i < table->count && !entry_holds(&table->entry[i], x, nx, least)) i++;
  return i;
}

/* First the entries of the guide, then all. */
CRD_ALWAYS_INLINE int fit_guided(const outcome_table *table, const double *x, int nx) {
  const crd_v4 least = CRD_V4_SPLAT(-table->margin), zero = {0, 0, 0, 0};
  const outcome_guide *guide = &table->guide;
  unsigned signs = crd_v4_bits(outcome_four_rows(guide->forms, x, nx) < zero);
  signs |= crd_v4_bits(outcome_four_rows(guide->forms + 4 * (size_t)nx, x, nx) < zero) << 4;
  if (guide->blocks > 2) signs |= crd_v4_bits(outcome_four_rows(guide->forms + 8 * (size_t)nx, x, nx) < zero) << 8;
  const int *list = guide->list[signs];
  for (int i = 0; i < guide->length[signs]; i++)
    if (entry_holds(&table->entry[list[i]], x, nx, least)) return list[i];
  return find_from(table, x, 0, nx);
}

CRD_ALWAYS_INLINE int holding_of(const outcome_table *table, const double *x, const int *list, int count, int *held,
                                 int nx) {
  const crd_v4 least = CRD_V4_SPLAT(-table->margin);
  int found = 0;
  for (int i = 0; i < count; i++)
    if (entry_holds(&table->entry[list[i]], x, nx, least)) held[found++] = list[i];
  return found;
}

CRD_ALWAYS_INLINE void follow_entry(const outcome_table *table, const double *x, int entry, double *y_next, int nx) {
  const double *block = table->entry[entry].next;
  for (int b = 0; b < table->next_blocks; b++, block += 4 * (size_t)nx)
    *(crd_v4_unaligned *)(y_next + 4 * b) = outcome_four_rows(block, x, nx);
}

CRD_ALWAYS_INLINE bool approaching(const outcome_table *table, const double *y) {
  const crd_v4 least = CRD_V4_SPLAT(-table->approach);
  const double *block = table->normals;
  for (int b = 0; b < table->normal_blocks; b++, block += 4 * (size_t)table->rank)
    if (crd_v4_bits(outcome_four_rows(block, y, table->rank) < least)) return true;
  return false;
}

CRD_ALWAYS_INLINE void step_all(const outcome_table *table, outcome_batch *batch, int nx) {
  int left = 0;
  batch->nhard = 0;
  for (int i = 0; i < batch->nactive; i++) {
    int sample = batch->active[i];
    double *x = batch->x + (size_t)table->stride * (size_t)sample;
    int entry = fit_guided(table, x, nx);
    batch->lcps[sample]++;
    if (entry == table->count || table->entry[entry].rivals != 0) {
      batch->hard_entry[batch->nhard] = entry == table->count ? -1 : entry;
      batch->hard[batch->nhard++] = sample;
      continue;
    }
    double *y_next = batch->y_next;
    follow_entry(table, x, entry, y_next, nx);
    bool still = approaching(table, y_next);
    outcome_batch_check(batch, table, x, y_next, table->entry[entry].full, still);
    for (int k = 0; k < table->rank; k++) x[k] = y_next[k];
    if (still) batch->active[left++] = sample;
  }
  batch->nactive = left;
}

/* ------------------------------------------------------------------------------------------------ by size */

#define BY_SIZE(call)         \
  switch (table->nx) {        \
    case 2: call(2); break;   \
    case 3: call(3); break;   \
    case 4: call(4); break;   \
    case 5: call(5); break;   \
    case 6: call(6); break;   \
    case 7: call(7); break;   \
    case 8: call(8); break;   \
    case 14: call(14); break; \
    default: call(table->nx); \
  }

static int find(const outcome_table *table, const double *x, int from) {
  int found = 0;
#define FIND(nx) found = find_from(table, x, from, nx)
  BY_SIZE(FIND)
  return found;
}

static int fit(const outcome_table *table, const double *x) {
  int found = 0;
#define FIT(nx) found = fit_guided(table, x, nx)
  BY_SIZE(FIT)
  return found;
}

static int holding(const outcome_table *table, const double *x, const int *list, int count, int *held) {
  int found = 0;
#define HOLDING(nx) found = holding_of(table, x, list, count, held, nx)
  BY_SIZE(HOLDING)
  return found;
}

static void follow(const outcome_table *table, const double *x, int entry, double *y_next) {
#define FOLLOW(nx) follow_entry(table, x, entry, y_next, nx)
  BY_SIZE(FOLLOW)
}

static bool approaches(const outcome_table *table, const double *y) { return approaching(table, y); }

static void step(const outcome_table *table, outcome_batch *batch) {
#define STEP(nx) step_all(table, batch, nx)
  BY_SIZE(STEP)
}

const outcome_kernels OUTCOME_KERNEL_TABLE = {.find = find,
                                              .fit = fit,
                                              .holding = holding,
                                              .follow = follow,
                                              .approaches = approaches,
                                              .draw_uniform = OUTCOME_KERNEL(draw_uniform),
                                              .step = step,
                                              .finish = OUTCOME_KERNEL(finish)};
