/* Lengths of tendons and how they change with the velocities: l' = row . qvel. */
#ifndef SRC_TREE_TENDON_H
#define SRC_TREE_TENDON_H

#include <cradle/tree.h>

/* Fills work->tendon_length and work->tendon_row at qpos, of the workspace's part, and its kinematics where the model has
 * spatial tendons or actuators on sites. False: they are those of qpos already, and nothing was done. */
bool crd_tendons_at(const crd_model *model, crd_workspace *work, const double *qpos);
/* l', for the rows in the workspace. */
double crd_tendon_rate(const crd_tendon *tendon, const crd_workspace *work, const double *qvel);
/* to (nv) += factor times the row. */
void crd_tendon_add(const crd_tendon *tendon, const crd_workspace *work, double factor, double *to);
/* By how much a tendon is longer than its spring at rest (negative: shorter); 0 between the ends of the rest range. */
double crd_tendon_stretch(const crd_tendon *tendon, double length);
/* Does the tendon act on the workspace's part? */
bool crd_tendon_in_part(const crd_tendon *tendon, const crd_workspace *work);

/* row (nv) += factor times direction . velocity of the world point that moves with the link; angular: of its rotation. */
void crd_tree_add_row(const crd_model *model, const crd_workspace *work, int link, const double point[3],
                      const double direction[3], bool angular, double factor, double *row);

#endif
