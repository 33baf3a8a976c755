/* Joints whose motion is prescribed (src/sim/prescribed.c). */
#ifndef SRC_SIM_PRESCRIBED_H
#define SRC_SIM_PRESCRIBED_H

#include "sim/sim_state.h"

/* Refuses joints and integrators for which the motion cannot be prescribed: CRD_ERR_ARGUMENT, CRD_ERR_MODEL. */
crd_status crd_sim_check_prescribed(const crd_model *model, const crd_sim_options *options, crd_error *err);
/* The armature of all factors, and the joints, into the scene, whose arrays have room for them. */
void crd_sim_prescribe_begin(crd_sim *sim);

/* Fails (CRD_ERR_MODEL) where a row of group->rows->problem cannot yield, so that no force is determined for it, or a touch
 * overlaps that is not in it since nothing but prescribed motion can open or close it. */
crd_status crd_sim_prescribed_yields(crd_group *group, const crd_sim_touches *touches, const bool *take);
/* Fails where the trial leaves a loop open: more is prescribed than the loops permit. */
crd_status crd_sim_prescribed_closes(crd_group *group);
/* Is the motion of this joint prescribed? */
bool crd_sim_is_prescribed(const crd_sim_scene *scene, int joint);
/* Is the motion of one of the group's joints prescribed? */
bool crd_sim_prescribes(const crd_group *group);
/* Positions and velocities at t into q and v. CRD_ERR_NUMBER: one is not finite, or its acceleration is not. */
crd_status crd_sim_prescribe(crd_group *group, double t, double *q, double *v);
/* The forces that make the accelerations at t, in place of those in tau. */
crd_status crd_sim_prescribe_force(crd_group *group, double t, double *tau);
/* Power of the drives where the joints accelerate with qacc under the forces `applied` (nv) and load (nv, NULL: none), at
 * (q, v) of the last crd_tree_velocity in work. */
double crd_sim_prescribed_power(crd_group *group, crd_workspace *work, const double *v, const double *qacc,
                                const double *applied, const double *load);
/* Work of the drives in a trial beyond that of its free motion: dv of the stage and the impulses of the rows. */
double crd_sim_prescribed_change(crd_group *group, double dt);
/* Work of the drives in an impact with the impulses p of group->rows->problem, from the velocities of (now) to v_plus; the
 * stage's workspace has the poses. */
double crd_sim_prescribed_impact(crd_group *group, const double *p, const double *v_plus);

#endif
