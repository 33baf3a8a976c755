#include "support/rolling_disk.h"

#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"

static const double G = 9.81;

double rolling_disk_spin(const rolling_disk *d, double r[2]) {
  double s = sin(d->alpha), c = cos(d->alpha), W = d->turn;
  r[0] = d->a * c - d->h * s, r[1] = -d->a * s - d->h * c;
  return (d->I1 * W * W * s * c - d->m * r[1] * W * W * d->h * s - d->m * r[0] * G) /
         (W * s * d->I3 - d->m * r[1] * W * d->a);
}

double resting_disk_turn(const rolling_disk *d) {
  double s = sin(d->alpha), c = cos(d->alpha), r = d->a * c - d->h * s;
  return sqrt(d->m * G * r / (s * (d->I1 * c - d->I3 * d->h * s / d->a)));
}

double rolling_disk_start(const rolling_disk *d, double spin, const crd_sim_options *options, simulation **s) {
  char text[800];
  snprintf(text, sizeof text,
           "rolling_disk: inertial.mass=%.17g; inertial.diaginertia=%.17g %.17g %.17g; disk.size=%.17g %.17g", d->m,
           d->I1, d->I1, d->I3, d->a, d->h);
  *s = simulation_from_text(text, options);
  double r[2], V = spin * d->a - d->turn * d->h * sin(d->alpha), R = -V / d->turn;
  rolling_disk_spin(d, r);
  const double q[7] = {R, 0, -r[1], cos(d->alpha / 2), 0, sin(d->alpha / 2), 0};
  const double v[6] = {0, -V, 0, -d->turn * sin(d->alpha), 0, spin};
  assert_int_equal(crd_sim_reset((*s)->sim, 0, q, v, NULL), CRD_OK);
  return R;
}
