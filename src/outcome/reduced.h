/* The contact problem in kinetic coordinates of the contacts.
 *
 * Impulses at the contacts change v only within the span of M^-1 J_c', so a step needs no more than the coordinates y
 * of v there, orthonormal in the kinetic metric:
 *
 *   u = C y,    dy = C' p,    v = v0 + T' (y - y0),    K = K0 + (|y|^2 - |y0|^2) / 2,    C C' = W
 *
 * rank(J_c) numbers whatever the size of the mechanism, and the energy is a sum of squares. Bilateral rows are
 * eliminated beforehand: J_c is what remains of the contacts' rows beside them, v0 is the velocity after the external
 * impulse and the bilateral rows' answer to it.
 */
#ifndef SRC_OUTCOME_REDUCED_H
#define SRC_OUTCOME_REDUCED_H

#include <cradle/contact.h>

typedef struct outcome_reduced {
  int nv, nc, nrow, rank;
  int nx;               /* rank + nc: the variables x = (y, lambda_max) of a step */
  crd_contact *contact; /* nc */
  double *mu;           /* nc: friction, 0 where the contact has no tangent rows or is held */
  bool *held;           /* nc: the normal lies in the span of the bilateral rows: it cannot move and gets no impulse */
  double *C;            /* nrow x rank */
  double *W;            /* nrow x nrow */
  double *T;            /* rank x nv */
  double *S;            /* rank x nv: y = y0 + S (v - v0) */
  double *v0, *y0;      /* nv, rank */
  double *speed;        /* nc: crd_contact_problem_speed of the normals */
  double kinetic0;      /* of v0 */
  double kinetic;       /* before the bilateral rows' answer: what energies are compared with */
  double velocity;      /* largest contact velocity that the energy allows: the scale of all tolerances; never 0 */
} outcome_reduced;

/* Memory comes from the arena. CRD_SINGULAR: the rows cannot be factored. */
crd_status outcome_reduce(outcome_reduced *reduced, const crd_contact_problem *problem, crd_arena *arena);

/* v (nv) of y (rank), and y of v. */
void outcome_velocity(const outcome_reduced *reduced, const double *y, double *v);
void outcome_coordinates(const outcome_reduced *reduced, const double *v, double *y);
/* Kinetic energy at y. */
double outcome_kinetic(const outcome_reduced *reduced, const double *y);

#endif
