/* An answer that brings energy, drawn back until it brings none.
 *
 * Newton's law with friction gains energy (Kane's double pendulum), and so does Poisson's in two phases where a contact
 * sticks while it is compressed and slips back afterwards: decompression adds e times a normal impulse that friction
 * made large. On the way from an answer p0 that takes energy, the one without restitution, to the law's p1,
 *
 *   p(s) = p0 + s d,   d = p1 - p0,   K(s) - K = p(s)' u + p(s)' W p(s) / 2 = c + b s + a s^2
 *
 * is convex with c <= 0, so there is one largest s in [0, 1] without a gain. Friction cones and the velocities that do
 * not approach are convex: what holds at both ends holds at p(s). */
#include <math.h>

#include "impact/impact.h"
#include "linalg/dense.h"

static const double NO_GAIN = 1e-12; /* of the energy exchanged: a gain that is rounding */

/* Scale of the rounding errors: large where impulses cancel between contacts, or a contact has little mobility. */
static double exchanged(const crd_contact_problem *problem, const crd_impact_solution *s) {
  double sum = 0;
  for (int i = 0; i < crd_impact_rows(problem); i++)
    sum += 0.5 * fabs(s->p[i]) * (fabs(problem->u_free[i]) + fabs(s->u_plus[i]));
  return sum;
}

bool crd_impact_brings_energy(const crd_contact_problem *problem, const crd_impact_solution *s) {
  return s->kinetic_after - problem->kinetic_free > NO_GAIN * exchanged(problem, s);
}

double crd_impact_draw_back(const crd_contact_problem *problem, const crd_impact_options *options,
                            const double *inelastic, crd_impact_solution *s) {
  int m = crd_impact_rows(problem);
  double a = 0, b = 0,
         c = 1e-11 * exchanged(problem, s);            /* aim slightly below zero gain: rounding must not produce one */
  for (int i = 0; i < m; i++) s->p[i] -= inelastic[i]; /* d */
  for (int i = 0; i < m; i++) {
    const double *row = problem->W + (size_t)m * (size_t)i;
    double u0 = crd_dense_dot(m, row, inelastic);
    a += 0.5 * s->p[i] * crd_dense_dot(m, row, s->p);
    b += s->p[i] * (problem->u_free[i] + u0);
    c += inelastic[i] * (problem->u_free[i] + 0.5 * u0);
  }
  double root = sqrt(fmax(b * b - 4 * a * fmin(c, 0), 0)), share = 1;
  if (a > 0) share = b > 0 ? -2 * fmin(c, 0) / (b + root) : (root - b) / (2 * a); /* neither subtracts like sizes */
  share = fmax(0, fmin(share, 1));
  for (int i = 0; i < m; i++) s->p[i] = inelastic[i] + share * s->p[i];
  crd_impact_complete(problem, options, s);
  return share;
}
