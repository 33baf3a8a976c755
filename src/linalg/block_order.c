/* Order and pattern of a sparse block factor, by approximate minimum degree on the quotient graph [Amestoy, Davis, Duff
 * 1996].
 *
 * Eliminating block p joins all its neighbours; instead of new edges they get one element, the list L_p of these
 * neighbours, which is also the pattern of pivot p. Elements that p belonged to lie within L_p and are forgotten, so
 * lists of a block never grow. The degree of i in L_p is bounded by
 *
 *   |variables of i| + |L_p \ i| + sum over its other elements e of |L_e \ L_p|
 */
#include <string.h>

#include "linalg/block_lu.h"

static void *take(crd_arena *arena, size_t count, size_t size, bool *taken) {
  void *memory = crd_arena_alloc(arena, count, size);
  *taken &= memory != NULL;
  return memory;
}

static bool reserve_nodes(crd_block_lu *lu, int n, size_t edges) {
  if (n <= lu->node_room && edges <= lu->edge_room) return true;
  crd_arena fresh = {0};
  crd_block_lu l = *lu;
  bool taken = true;
  l.node_room = n + n / 2, l.edge_room = edges + edges / 2;
  size_t room = (size_t)l.node_room + 1, i = sizeof(int);
  l.position = take(&fresh, room, i, &taken), l.order = take(&fresh, room, i, &taken);
  l.first = take(&fresh, room, sizeof *l.first, &taken), l.diagonal = take(&fresh, room, sizeof *l.diagonal, &taken);
  l.skipped = take(&fresh, room, sizeof *l.skipped, &taken);
  l.pivots = take(&fresh, room * CRD_BLOCK_ROWS * CRD_BLOCK_ROWS, sizeof(double), &taken);
  l.edge = take(&fresh, l.edge_room, i, &taken);
  l.start = take(&fresh, room, i, &taken), l.variables = take(&fresh, room, i, &taken);
  l.elements = take(&fresh, room, i, &taken), l.degree = take(&fresh, room, i, &taken);
  l.head = take(&fresh, room, i, &taken), l.next = take(&fresh, room, i, &taken);
  l.previous = take(&fresh, room, i, &taken), l.mark = take(&fresh, room, i, &taken);
  l.outside = take(&fresh, room, i, &taken);
  if (!taken) {
    crd_arena_free(&fresh);
    return false;
  }
  crd_arena_free(&lu->node_arena);
  *lu = l, lu->node_arena = fresh;
  return true;
}

/* Room for the pattern, which is kept. */
static bool reserve_pattern(crd_block_lu *lu, size_t used, size_t need) {
  if (need <= lu->pattern_room) return true;
  crd_arena fresh = {0};
  size_t room = 2 * need;
  int *later = crd_arena_alloc(&fresh, room, sizeof *later);
  size_t *offset = crd_arena_alloc(&fresh, room, sizeof *offset);
  if (!later || !offset) {
    crd_arena_free(&fresh);
    return false;
  }
  if (used > 0) memcpy(later, lu->later, used * sizeof *later);
  crd_arena_free(&lu->pattern_arena);
  lu->pattern_arena = fresh, lu->pattern_room = room, lu->later = later, lu->offset = offset;
  return true;
}

/* ------------------------------------------------------------------------------------------------ buckets of degrees
 */

static void put(crd_block_lu *lu, int i) {
  int d = lu->degree[i];
  lu->next[i] = lu->head[d], lu->previous[i] = -1;
  if (lu->head[d] >= 0) lu->previous[lu->head[d]] = i;
  lu->head[d] = i;
}

static void take_out(crd_block_lu *lu, int i) {
  if (lu->next[i] >= 0) lu->previous[lu->next[i]] = lu->previous[i];
  if (lu->previous[i] >= 0)
    lu->next[lu->previous[i]] = lu->next[i];
  else
    lu->head[lu->degree[i]] = lu->next[i];
}

/* ------------------------------------------------------------------------------------------------ elimination */

/* Lists of block i: edge[start[i]] on, first `elements[i]` eliminated ones, then `variables[i]` others. */
static void start_lists(crd_block_lu *lu, const int *first, const int *column) {
  int n = lu->n, used = 0;
  memset(lu->head, -1, sizeof *lu->head * (size_t)(n + 1));
  for (int i = 0; i < n; i++) {
    lu->start[i] = used, lu->elements[i] = 0;
    for (int k = first[i]; k < first[i + 1]; k++)
      if (column[k] != i) lu->edge[used++] = column[k];
    lu->variables[i] = lu->degree[i] = used - lu->start[i];
    lu->position[i] = -1, lu->mark[i] = lu->outside[i] = -1;
  }
  for (int i = n - 1; i >= 0; i--) put(lu, i);
}

/* Adds block i to the list of pivot p, once. */
static void join(crd_block_lu *lu, int p, int i, size_t *used) {
  if (i == p || lu->position[i] >= 0 || lu->mark[i] == p) return;
  lu->mark[i] = p;
  lu->later[(*used)++] = i;
}

/* L_p, appended to the pattern; most: its bound. Elements that it takes in are emptied: outside = -2. */
static void eliminate(crd_block_lu *lu, int p, size_t *used) {
  const int *edge = lu->edge + lu->start[p];
  for (int k = 0; k < lu->elements[p]; k++) {
    int e = edge[k], at = lu->position[e];
    for (size_t j = lu->first[at]; j < lu->first[at + 1]; j++) join(lu, p, lu->later[j], used);
    lu->outside[e] = -2;
  }
  for (int k = 0; k < lu->variables[p]; k++) join(lu, p, edge[lu->elements[p] + k], used);
}

/* |L_e \ L_p| of every element e beside p, counted down from |L_e|. */
static void count_outside(crd_block_lu *lu, const int *list, int count) {
  for (int k = 0; k < count; k++) {
    const int *edge = lu->edge + lu->start[list[k]];
    for (int j = 0; j < lu->elements[list[k]]; j++) {
      int e = edge[j], at = lu->position[e];
      if (lu->outside[e] == -2) continue;
      if (lu->outside[e] < 0) {
        lu->outside[e] = 0;
        for (size_t l = lu->first[at]; l < lu->first[at + 1]; l++) lu->outside[e] += lu->position[lu->later[l]] < 0;
      }
      lu->outside[e]--;
    }
  }
}

/* New lists and degree of block i in L_p. */
static void update(crd_block_lu *lu, int i, int p, int count, int left) {
  int *edge = lu->edge + lu->start[i], elements = 0, variables = 0, degree = count - 1;
  int old_elements = lu->elements[i], old_variables = lu->variables[i];
  for (int k = 0; k < old_elements; k++) {
    int e = edge[k];
    if (lu->outside[e] == -2 || lu->outside[e] == 0) continue; /* within L_p */
    degree += lu->outside[e];
    edge[elements++] = e;
  }
  int from = old_elements, end = old_elements + old_variables;
  if (elements == old_elements) { /* no element went, so p is among the variables: its place is the first of them */
    int at = from;
    while (edge[at] != p) at++;
    edge[at] = edge[from++];
  }
  edge[elements++] = p;
  for (int k = from; k < end; k++) {
    int j = edge[k];
    if (j == p || lu->position[j] >= 0 || lu->mark[j] == p) continue; /* joined by p already */
    edge[elements + variables++] = j;
  }
  degree += variables;
  lu->elements[i] = elements, lu->variables[i] = variables;
  lu->degree[i] = degree < left ? degree : left;
}

static void forget_outside(crd_block_lu *lu, const int *list, int count) {
  for (int k = 0; k < count; k++)
    for (int j = 0; j < lu->elements[list[k]]; j++) {
      int e = lu->edge[lu->start[list[k]] + j];
      if (lu->outside[e] != -2) lu->outside[e] = -1;
    }
}

static int compare_position(const crd_block_lu *lu, int a, int b) { return lu->position[a] - lu->position[b]; }

/* Heap sort by position: no recursion, no memory. */
static void sift(const crd_block_lu *lu, int *list, size_t root, size_t count) {
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && compare_position(lu, list[child], list[child + 1]) < 0) child++;
    if (compare_position(lu, list[root], list[child]) >= 0) return;
    int swap = list[root];
    list[root] = list[child], list[child] = swap;
  }
}

static void sort_by_position(const crd_block_lu *lu, int *list, size_t count) {
  for (size_t i = count / 2; i-- > 0;) sift(lu, list, i, count);
  for (size_t end = count; end-- > 1;) {
    int swap = list[0];
    list[0] = list[end], list[end] = swap;
    sift(lu, list, 0, end);
  }
}

/* Positions instead of labels, ascending; places of the values. */
static crd_status finish(crd_block_lu *lu) {
  size_t values = 0;
  for (int k = 0; k < lu->n; k++) {
    size_t from = lu->first[k], count = lu->first[k + 1] - from, rows = (size_t)lu->size[lu->order[k]];
    sort_by_position(lu, lu->later + from, count);
    lu->diagonal[k] = (size_t)k * CRD_BLOCK_ROWS * CRD_BLOCK_ROWS;
    for (size_t j = from; j < from + count; j++) {
      lu->offset[j] = values;
      values += rows * (size_t)lu->size[lu->later[j]];
      lu->later[j] = lu->position[lu->later[j]];
    }
  }
  if (values > lu->value_room) {
    crd_arena fresh = {0};
    size_t room = values + values / 2;
    double *lower = crd_arena_alloc(&fresh, room, sizeof *lower), *upper = crd_arena_alloc(&fresh, room, sizeof *upper);
    if (!lower || !upper) {
      crd_arena_free(&fresh);
      return CRD_ERR_MEMORY;
    }
    crd_arena_free(&lu->value_arena);
    lu->value_arena = fresh, lu->value_room = room, lu->lower = lower, lu->upper = upper;
  }
  return CRD_OK;
}

crd_status crd_block_lu_analyse(crd_block_lu *lu, int n, const int *size, const int *first, const int *column,
                                double most) {
  if (!reserve_nodes(lu, n, (size_t)first[n])) return CRD_ERR_MEMORY;
  lu->n = n, lu->size = size, lu->flops = 0, lu->first[0] = 0;
  start_lists(lu, first, column);
  size_t used = 0;
  for (int k = 0, least = 0; k < n; k++) {
    while (lu->head[least] < 0) least++;
    int p = lu->head[least];
    take_out(lu, p);
    if (!reserve_pattern(lu, used, used + (size_t)lu->degree[p] + 1)) return CRD_ERR_MEMORY;
    eliminate(lu, p, &used);
    lu->position[p] = k, lu->order[k] = p, lu->first[k + 1] = used;
    const int *list = lu->later + lu->first[k];
    int count = (int)(used - lu->first[k]), rows = 0;
    for (int j = 0; j < count; j++) take_out(lu, list[j]), rows += size[list[j]];
    count_outside(lu, list, count);
    for (int j = 0; j < count; j++) {
      update(lu, list[j], p, count, n - k - 2);
      if (lu->degree[list[j]] < least) least = lu->degree[list[j]];
    }
    forget_outside(lu, list, count);
    for (int j = 0; j < count; j++) put(lu, list[j]);
    lu->flops += (double)size[p] * rows * rows;
    if (lu->flops > most) return CRD_LIMIT;
  }
  return finish(lu);
}

void crd_block_lu_free(crd_block_lu *lu) {
  crd_arena_free(&lu->node_arena);
  crd_arena_free(&lu->pattern_arena);
  crd_arena_free(&lu->value_arena);
}
