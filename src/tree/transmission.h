/* Lengths and moments of the actuators' transmissions. */
#ifndef SRC_TREE_TRANSMISSION_H
#define SRC_TREE_TRANSMISSION_H

#include <cradle/tree.h>

/* Fills work->length and work->moment at qpos. */
void crd_transmissions_at(const crd_model *model, crd_workspace *work, const double *qpos);
/* Rate of the length, for the moments in the workspace. */
double crd_transmission_rate(const crd_actuator *actuator, const crd_workspace *work, const double *qvel);
/* row (nv) += factor times the moments. */
void crd_transmission_add(const crd_actuator *actuator, const crd_workspace *work, double factor, double *row);

/* The input u of an actuator: its activation, or its control clamped. act, ctrl NULL: zero. */
double crd_actuator_input(const crd_model *model, int actuator, const double *act, const double *ctrl);
/* Force before it is clamped. */
double crd_actuator_law(const crd_actuator *actuator, double length, double rate, double input);
/* And after. */
double crd_actuator_clamped(const crd_model *model, int actuator, double length, double rate, const double *act,
                            const double *ctrl);
/* The sum of the actuators' forces on each velocity (nv), before the joints clamp it; leaves the transmissions at qpos in
 * the workspace. */
void crd_actuators_sum(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                       const double *act, const double *ctrl, double *sum);

#endif
