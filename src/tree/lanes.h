/* Four solves with the factor of M at once (src/tree/kernel_lanes.c), for layers that assemble matrices. */
#ifndef SRC_TREE_LANES_H
#define SRC_TREE_LANES_H

#include <cradle/tree.h>

#include "spatial/v4.h"

/* M x = f for four right-hand sides, a lane each, of the links first .. last, which are whole trees; x (nv lanes): f
 * there, then the solutions. deepest: no link behind it has forces. After crd_tree_factor. O(last - first). */
void crd_tree_solve_lanes(const crd_model *model, crd_workspace *work, int first, int last, int deepest, v4 *x);
/* Spatial velocities of a node in the four motions that the last crd_tree_solve_lanes found. O(1). */
void crd_tree_lanes_at(const crd_model *model, const crd_workspace *work, const crd_node *node, v4 velocity[6]);

#endif
