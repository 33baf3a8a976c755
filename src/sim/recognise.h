/* Recognition of contact points from one configuration to the next. */
#ifndef SRC_SIM_RECOGNISE_H
#define SRC_SIM_RECOGNISE_H

#include "sim/group.h"

/* The place of a touch in the frames of both geoms, at the poses of the last crd_sim_place. */
void crd_touch_set_local(const crd_group *group, crd_sim_touch *touch);

/* Does the pair of the first come before that of the second, in the order of crd_collide_all with limits in front? */
bool crd_touch_pair_before(const crd_sim_touch *a, const crd_sim_touch *b);

/* Adds the first `count` points of group->seek->point, in the order of crd_collide_all, with gap at most distance, recognised among
 * `before` (may be NULL), whose memory they and the limits that are there already inherit. Of each pair at most
 * CRD_PATCH_POINTS are taken; those that are held stay. */
void crd_touches_take(crd_group *group, int count, double distance, const crd_sim_touches *before,
                      crd_sim_touches *touches);

#endif
