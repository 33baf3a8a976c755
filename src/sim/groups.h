/* Groups of trees that act on each other, in sim->trees.group (src/sim/groups.c). */
#ifndef SRC_SIM_GROUPS_H
#define SRC_SIM_GROUPS_H

#include "sim/sim_state.h"

/* Number of the tree that a body belongs to, -1: the world. */
int crd_sim_tree_of_body(const crd_sim *sim, int body);

/* Every tree by itself; then those that belong together, one of them being -1 joins nothing. */
void crd_groups_begin(crd_sim *sim);
void crd_groups_join(crd_sim *sim, int tree1, int tree2);
/* The lowest tree of the group. */
int crd_group_of(crd_sim *sim, int tree);

/* Trees joined by loops and by the persistent contacts of (now); returns the most contacts that one group has. */
int crd_groups_of_contacts(crd_sim *sim);

#endif
