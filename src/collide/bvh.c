/* A tree of boxes, halved at the median of the centres along the longest side, and its overlaps with itself. */
#include "collide/bvh.h"

#include <math.h>

enum { LEAF = 4 };

typedef struct building {
  crd_bvh *bvh;
  const double *low, *high;
  void (*visit)(void *context, int a, int b);
  void *context;
} building;

bool crd_bvh_reserve(crd_bvh *bvh, int n, crd_arena *arena) {
  bvh->capacity = n;
  bvh->item = crd_arena_alloc(arena, (size_t)n, sizeof *bvh->item);
  bvh->node = crd_arena_alloc(arena, (size_t)(2 * n + 1), sizeof *bvh->node);
  return bvh->item && bvh->node;
}

/* Twice the centre along an axis, and the id where two are equal: a strict order. */
static bool before(const building *b, int axis, int i, int k) {
  double ci = b->low[3 * i + axis] + b->high[3 * i + axis], ck = b->low[3 * k + axis] + b->high[3 * k + axis];
  return ci != ck ? ci < ck : i < k;
}

/* Hoare's selection: the items up to `middle` come before the rest along the axis. */
static void split(const building *b, int axis, int first, int last, int middle) {
  int *item = b->bvh->item;
  while (first < last) {
    int pivot = item[first + (last - first) / 2], i = first, k = last;
    while (i <= k) {
      while (before(b, axis, item[i], pivot)) i++;
      while (before(b, axis, pivot, item[k])) k--;
      if (i > k) break;
      int swapped = item[i];
      item[i++] = item[k], item[k--] = swapped;
    }
    if (middle <= k)
      last = k;
    else if (middle >= i)
      first = i;
    else
      return;
  }
}

static void enclose(const building *b, crd_bvh_node *node, int first, int count) {
  for (int k = 0; k < 3; k++) node->low[k] = INFINITY, node->high[k] = -INFINITY;
  for (int i = first; i < first + count; i++) {
    int id = b->bvh->item[i];
    for (int k = 0; k < 3; k++) {
      node->low[k] = fmin(node->low[k], b->low[3 * id + k]);
      node->high[k] = fmax(node->high[k], b->high[3 * id + k]);
    }
  }
}

static void build(const building *b, int index, int first, int count) {
  crd_bvh_node *node = &b->bvh->node[index];
  enclose(b, node, first, count);
  node->first = first, node->count = count;
  if (count <= LEAF) return;
  int axis = 0, half = count / 2;
  for (int k = 1; k < 3; k++)
    if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
  split(b, axis, first, first + count - 1, first + half - 1);
  int child = b->bvh->nnode;
  b->bvh->nnode += 2;
  node->first = child, node->count = 0;
  build(b, child, first, half);
  build(b, child + 1, first + half, count - half);
}

static bool overlap(const double *low1, const double *high1, const double *low2, const double *high2) {
  return low1[0] <= high2[0] && low2[0] <= high1[0] && low1[1] <= high2[1] && low2[1] <= high1[1] &&
         low1[2] <= high2[2] && low2[2] <= high1[2];
}

static void compare_items(const building *b, int i, int k) {
  if (overlap(b->low + 3 * i, b->high + 3 * i, b->low + 3 * k, b->high + 3 * k)) b->visit(b->context, i, k);
}

static void between(const building *b, int index1, int index2) {
  const crd_bvh_node *n1 = &b->bvh->node[index1], *n2 = &b->bvh->node[index2];
  if (!overlap(n1->low, n1->high, n2->low, n2->high)) return;
  if (n1->count > 0 && n2->count > 0) {
    for (int i = 0; i < n1->count; i++)
      for (int k = 0; k < n2->count; k++) compare_items(b, b->bvh->item[n1->first + i], b->bvh->item[n2->first + k]);
  } else if (n1->count > 0) {
    between(b, index1, n2->first);
    between(b, index1, n2->first + 1);
  } else {
    between(b, n1->first, index2);
    between(b, n1->first + 1, index2);
  }
}

static void within(const building *b, int index) {
  const crd_bvh_node *node = &b->bvh->node[index];
  if (node->count > 0) {
    for (int i = 0; i < node->count; i++)
      for (int k = i + 1; k < node->count; k++)
        compare_items(b, b->bvh->item[node->first + i], b->bvh->item[node->first + k]);
    return;
  }
  within(b, node->first);
  within(b, node->first + 1);
  between(b, node->first, node->first + 1);
}

void crd_bvh_pairs(crd_bvh *bvh, const int *id, int n, const double *low, const double *high,
                   void (*visit)(void *context, int a, int b), void *context) {
  building b = {bvh, low, high, visit, context};
  if (n < 2) return;
  for (int i = 0; i < n; i++) bvh->item[i] = id[i];
  bvh->nnode = 1;
  build(&b, 0, 0, n);
  within(&b, 0);
}
