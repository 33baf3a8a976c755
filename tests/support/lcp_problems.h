/* LCPs with known properties for the tests and the benchmark: contact problems of rigid bodies, the exponential
 * problems of Murty and Fathi, and random matrices of a given class. Everything is a function of a seed. */
#ifndef TESTS_LCP_PROBLEMS_H
#define TESTS_LCP_PROBLEMS_H
#include <cradle/base.h>

/* A stream of random numbers. */
typedef struct lcp_random {
  uint64_t seed, index;
} lcp_random;

double lcp_uniform(lcp_random *random, double low, double high);
double lcp_normal(lcp_random *random);
int lcp_integer(lcp_random *random, int count); /* 0 .. count-1 */

/* A set of contacts between rigid bodies, and between bodies and the ground. */
typedef struct contact_scene {
  int contacts;
  int facets; /* edges of the friction polygon; 2 is planar, 0 is frictionless */
  int bodies;
  double mu;          /* the same at every contact */
  double mass_spread; /* masses are 10^(+-spread) */
  double length;      /* size of the bodies (m) */
  int duplicates;     /* contacts that repeat an earlier one exactly (redundant) */
  bool resting;       /* every contact velocity is zero up to rounding: a fully degenerate right-hand side */
} contact_scene;

/* Rows of the Anitescu-Potra problem [Halm & Posa, eq. 31-35]: contacts * (facets + 2), or contacts without friction.
 */
int contact_lcp_rows(const contact_scene *scene);
/* Velocities of the scene: 3 a body when planar, else 6. */
int contact_lcp_velocities(const contact_scene *scene);

/* Writes W (n x n), w (n) of [Halm & Posa, eq. 32-35]. If J (n x nv) and root (nv) are given, also the rows of the
 * Jacobian (zero for the friction multipliers) and the square roots of the diagonal mass matrix. */
void contact_lcp_fill(const contact_scene *scene, lcp_random *random, double *W, double *w, double *J, double *root);

/* The same scene as a step problem of the set-valued law [Halm & Posa, eq. 75 with errata]: another `contacts` rows in
 * front for the largest normal impulses, W is (n + contacts)^2. */
void contact_step_lcp_fill(const contact_scene *scene, lcp_random *random, double largest, double *W, double *w);

/* Murty (1988, ch. 6): lower triangle 2 below and 1 on the diagonal, transposed as Siconos stores it; w = -1. */
void murty_lcp_fill(int n, double *W, double *w);
/* Fathi (1979): W = L L' with L Murty's lower triangle, w = -1. */
void fathi_lcp_fill(int n, double *W, double *w);
#endif
