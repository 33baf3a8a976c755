/* MuJoCo's principal axes, as far as it computes them. */
#ifndef CRADLE_MODEL_ROUNDING_H
#define CRADLE_MODEL_ROUNDING_H

/* Replaces the inertia tensor A = [xx yy zz xy xz yz] (kg m^2) by the one MuJoCo 2.2.2 keeps of it. */
void crd_round_inertia(double A[6]);

#endif
