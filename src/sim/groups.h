/* Trees that act on each other (src/sim/groups.c). */
#ifndef SRC_SIM_GROUPS_H
#define SRC_SIM_GROUPS_H

#include "sim/group.h"

/* Number of the tree that a body belongs to, -1: the world; of that of a joint, or of a tendon (from njoint on). */
int crd_sim_tree_of_body(const crd_sim_scene *scene, int body);
int crd_sim_tree_of_joint(const crd_sim_scene *scene, int joint);
/* The trees of the two sides of a point of contact, or of a loop, -1: the world; of a limit its own, twice. */
void crd_sim_trees_of_point(const crd_sim_scene *scene, const crd_contact_point *at, int tree[2]);
void crd_sim_trees_of_loop(const crd_sim_scene *scene, const crd_loop *loop, int tree[2]);

/* Are all trees at rest that a velocity, or from nv on a tendon, with dry friction belongs to? */
bool crd_sim_rubbing_rests(const crd_group *group, int rubbing);

/* Joins trees by loops and by the persistent contacts of (now), in group->trees->group; returns the most contacts that
 * trees joined so have together. */
int crd_groups_of_contacts(crd_group *group);
/* The lowest tree among those that were joined with it. */
int crd_group_of(crd_group *group, int tree);

#endif
