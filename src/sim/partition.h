/* Which trees can meet or act on each other within a step (src/sim/partition.c). */
#ifndef SRC_SIM_PARTITION_H
#define SRC_SIM_PARTITION_H

#include "sim/sim_state.h"

/* Memory and what the model alone decides. */
crd_status crd_partition_new(crd_sim *sim);

/* The groups of a step of length h from (now), into sim->groups; together: all trees as one. */
void crd_partition_find(crd_sim *sim, double h, bool together);
/* The items of a list by the groups of their trees, in their order. */
void crd_partition_sort(const crd_sim_groups *groups, crd_sim_group_list *list);
/* The simulation's part becomes that of a group, or all trees. */
void crd_partition_enter(crd_sim *sim, int group);
void crd_partition_leave(crd_sim *sim);

/* How many trees it has, and which (tree may be NULL). */
int crd_partition_trees(const crd_sim *sim, const int **tree);
/* Is the tree of the simulation's part? */
bool crd_partition_has(const crd_sim *sim, int tree);
/* Has a geom of the part left the bounds that its group was found with? They are then wider the next time, in the same
 * step. */
bool crd_partition_strays(crd_sim *sim);
/* The bounds are those of a new step. */
void crd_partition_forget(crd_sim *sim);

#endif
