/* Curves of a muscle, as MuJoCo's documentation states them.
 *
 * Lengths in the muscle's own unit: with L0 = (length_range[1] - length_range[0]) / (range[1] - range[0]) the transmission
 * length l is L = range[0] + (l - length_range[0]) / L0, its rate V = l' / (L0 vmax). A muscle only pulls:
 *
 *   gain = -F FL(L) FV(V),   bias = -F FP(L)
 *
 * FL: a bump of height 1 at L = 1 made of four parabolas that vanishes outside lmin .. lmax; FV: (1 + V)^2 while it
 * shortens, rising to fvmax by a parabola while it is stretched; FP: fpmax / 2 at L = (1 + lmax) / 2, a parabola before
 * and its tangent beyond.
 */
#ifndef SRC_TREE_MUSCLE_H
#define SRC_TREE_MUSCLE_H

#include <cradle/model.h>

/* prm: range[2], force (N), scale (unused here), lmin, lmax, vmax (1/s), fpmax, fvmax. */
double crd_muscle_gain(const double *prm, const double length_range[2], double length, double rate);
double crd_muscle_bias(const double *prm, const double length_range[2], double length);
/* The time T(a, ctrl) of the activation (s): a' = (clip(ctrl) - a) / T. */
double crd_muscle_time(const crd_actuator *actuator, double act, double ctrl);

#endif
