/* Force-length, force-velocity and passive curves of a muscle, and the time constant of its activation. */
#include "tree/muscle.h"

#include <math.h>

static double clip(double x) { return fmin(fmax(x, 0), 1); }

/* Length of the transmission per unit of muscle length. */
static double unit_length(const double *prm, const double length_range[2]) {
  return (length_range[1] - length_range[0]) / (prm[1] - prm[0]);
}

static double muscle_length(const double *prm, const double length_range[2], double length) {
  return prm[0] + (length - length_range[0]) / unit_length(prm, length_range);
}

/* Parabolas that meet half way between 1 and either end. */
static double active_length(double L, double lmin, double lmax) {
  if (L <= lmin || L >= lmax) return 0;
  const double end = L < 1 ? lmin : lmax, x = 2 * (L - end) / (1 - end); /* 0 at the end, 2 at the top */
  return x < 1 ? 0.5 * x * x : 1 - 0.5 * (2 - x) * (2 - x);
}

static double active_velocity(double V, double fvmax) {
  const double most = fvmax - 1;
  if (V <= -1) return 0;
  if (V <= 0) return (V + 1) * (V + 1);
  return V < most ? fvmax - (most - V) * (most - V) / most : fvmax;
}

static double passive_length(double L, double lmax, double fpmax) {
  const double x = 2 * (L - 1) / (lmax - 1); /* 1 half way from 1 to lmax */
  if (x <= 0) return 0;
  return x < 1 ? 0.5 * fpmax * x * x : fpmax * (x - 0.5);
}

double crd_muscle_gain(const double *prm, const double length_range[2], double length, double rate) {
  const double L = muscle_length(prm, length_range, length), V = rate / (unit_length(prm, length_range) * prm[6]);
  return -prm[2] * active_length(L, prm[4], prm[5]) * active_velocity(V, prm[8]);
}

double crd_muscle_bias(const double *prm, const double length_range[2], double length) {
  return -prm[2] * passive_length(muscle_length(prm, length_range, length), prm[5], prm[7]);
}

double crd_muscle_time(const crd_actuator *actuator, double act, double ctrl) {
  const double s = 0.5 + 1.5 * clip(act), rises = actuator->time_constant[0] * s,
               falls = actuator->time_constant[1] / s;
  const double way = clip(ctrl) - act, width = actuator->smoothing;
  if (!(width > 0)) return way > 0 ? rises : falls;
  const double x = clip(way / width + 0.5);
  return falls + (rises - falls) * x * x * x * (10 + x * (6 * x - 15));
}
