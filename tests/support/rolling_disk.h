/* A disk that rolls on its rim in steady precession, in closed form.
 *
 * A disk of radius a and half thickness h, its axis k tilted by alpha from the vertical, rolls while the plane of tilt
 * turns with rate W: the angular velocity w3 k - W sin(alpha) e, e the steepest way down the face, is constant in that
 * plane. With r = (a cos - h sin, 0, -a sin - h cos) from the centre to the contact and V = w3 a - W h sin the speed of
 * the centre, balance of the moment about the centre asks for
 *
 *   W sin(alpha) (I3 w3 - I1 W cos(alpha)) = m (r_z W V - r_x g)
 */
#ifndef TESTS_ROLLING_DISK_H
#define TESTS_ROLLING_DISK_H

#include "support/simulation.h"

typedef struct rolling_disk {
  double a, h, m, I1, I3, alpha;
  double turn; /* W */
} rolling_disk;

/* w3 of the steady motion; r = (r_x, r_z). */
double rolling_disk_spin(const rolling_disk *d, double r[2]);
/* The rate W at which the centre stays where it is (V = 0): the coin on the table, W^2 = 4 g / (a sin(alpha)) for a
 * thin one [Euler's disk]. */
double resting_disk_turn(const rolling_disk *d);

/* The disk on a rough floor, about to roll with w3 = spin: at (R, 0), R = -V / W, the way of steady motion being the
 * circle of that radius about the origin. Returns R. */
double rolling_disk_start(const rolling_disk *d, double spin, const crd_sim_options *options, simulation **s);

#endif
