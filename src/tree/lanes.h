/* Four solves with the factor of M at once (src/tree/kernel_lanes.c), for layers that assemble matrices. */
#ifndef SRC_TREE_LANES_H
#define SRC_TREE_LANES_H

#include <cradle/tree.h>

#include "spatial/v4.h"

/* M x = f for four right-hand sides, a lane each, of the links first .. last, which are whole trees; x (nv lanes): f
 * there, then the solutions. deepest: no link behind it has forces. After crd_tree_factor. O(last - first). */
void crd_tree_solve_lanes(const crd_model *model, crd_workspace *work, int first, int last, int deepest, v4 *x);

/* Innovations of four right-hand sides f, which are not zero on a path only: links each of which comes before its parent,
 * which is on it too. With M = A D A', A = I + H phi K the factor of articulated bodies [Jain, eq. 42],
 *
 *   e = A^-1 f,    f_i' M^-1 f_j = e_i' D^-1 e_j
 *
 * and e is zero off the path. begin; push: forces on links (moment about the node's point, force); then e and D^-1 e, by
 * the velocities of the path's links in its order, where e holds the forces on joints. O(count). */
void crd_tree_innovations_begin(crd_workspace *work, const int *path, int count);
void crd_tree_innovations_push(const crd_model *model, crd_workspace *work, const crd_node *node, const v4 wrench[6]);
void crd_tree_innovations(const crd_model *model, crd_workspace *work, const int *path, int count, v4 *e, v4 *yields);

#endif
