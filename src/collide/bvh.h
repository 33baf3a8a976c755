/* All pairs of boxes that overlap, by a tree of boxes made anew for every call: O(n log n + pairs) for boxes of any mix
 * of sizes unless very many overlap. */
#ifndef SRC_COLLIDE_BVH_H
#define SRC_COLLIDE_BVH_H

#include <cradle/base.h>

typedef struct crd_bvh_node {
  double low[3], high[3];
  int first, count; /* items of a leaf; count 0: inner node, its children are first and first + 1 */
} crd_bvh_node;

typedef struct crd_bvh {
  int capacity;
  int *item;          /* capacity: ids, in the order of the leaves */
  crd_bvh_node *node; /* 2 capacity */
  int nnode;
} crd_bvh;

/* Room for n boxes, from the arena. */
bool crd_bvh_reserve(crd_bvh *bvh, int n, crd_arena *arena);

/* Calls visit(context, a, b) once for every pair of the n ids whose boxes (low, high: 3 entries per id) overlap or
 * touch. Which ids, in what order they are given, and the order of the calls depends on nothing but the boxes and ids.
 */
void crd_bvh_pairs(crd_bvh *bvh, const int *id, int n, const double *low, const double *high,
                   void (*visit)(void *context, int a, int b), void *context);

#endif
