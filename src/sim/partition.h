/* Which trees can meet or act on each other within a step (src/sim/partition.c). */
#ifndef SRC_SIM_PARTITION_H
#define SRC_SIM_PARTITION_H

#include "sim/sim_state.h"

/* Memory, and data that depend on the model alone. */
crd_status crd_partition_new(crd_sim *sim);

/* The groups of a step of length h from (now), into sim->groups; together: all trees as one. */
void crd_partition_find(crd_sim *sim, double h, bool together);
/* The items of a list by the groups of their trees, in their order. */
void crd_partition_sort(const crd_sim_groups *groups, crd_sim_group_list *list);
/* The group's part becomes its trees and everything that acts on them. */
void crd_partition_set_part(crd_group *group);

/* How many trees it has. */
int crd_partition_count(const crd_group *group);
/* Is the tree among them? */
bool crd_partition_has(const crd_group *group, int tree);
/* Has a geom of the group left the bounds that it was found with? They are then wider the next time, in the same step. */
bool crd_partition_strays(crd_group *group);
/* The bounds are those of a new step. */
void crd_partition_forget(crd_sim *sim);

#endif
