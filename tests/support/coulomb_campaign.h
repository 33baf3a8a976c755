/* Random contact problems with a known solution. Modes, impulses p and velocities u that satisfy the laws exactly are
 * chosen first; then a mechanism (J, M) that moves with u, and w = u - G p in long double.
 *
 * The rows of J are random except for J v = u, so that w = J (v - M^-1 J' p) belongs to a mechanism whatever the rank. */
#ifndef TESTS_COULOMB_CAMPAIGN_H
#define TESTS_COULOMB_CAMPAIGN_H

#include <cradle/coulomb.h>

#include "support/random_tree.h"

enum { KNOWN_CONTACTS = 8, KNOWN_ROWS = 56, KNOWN_VELOCITIES = 64 };

typedef struct known_options {
  int contacts;      /* at most */
  double mu;         /* largest coefficient; a tenth of the contacts has none, a tenth has this one */
  double mass_ratio; /* of the heaviest to the lightest */
  bool frictionless;
  bool redundant;  /* fewer velocities than rows, and contacts that are repeated */
  bool degenerate; /* contacts that touch without load, or at the limit of sticking */
  bool spin;       /* rows of spin and rolling */
  bool slides;     /* contacts whose direction of sliding is given */
  bool others;     /* bilateral and bounded rows */
  bool foreign;    /* w of no mechanism: rows of J without J v = u */
} known_options;

typedef struct known_problem {
  int nv;
  double J[KNOWN_ROWS * KNOWN_VELOCITIES], X[KNOWN_ROWS * KNOWN_VELOCITIES], G[KNOWN_ROWS * KNOWN_ROWS];
  double w[KNOWN_ROWS], p[KNOWN_ROWS], u[KNOWN_ROWS];
  crd_coulomb_contact contact[KNOWN_CONTACTS];
  crd_mode mode[KNOWN_CONTACTS];
  int bilateral[4];
  crd_coulomb_bounded bounded[4];
  crd_coulomb_problem problem; /* with G; points into this struct */
} known_problem;

void known_problem_make(known_problem *known, random_stream *stream, const known_options *options);

/* Points problem into this struct again, after a copy. */
void known_problem_own(known_problem *known);

/* The residual of cradle/coulomb.h, written a second time, in long double; dense G only. */
long double known_residual(const crd_coulomb_problem *problem, const double *p);

#endif
