/* The oblique projection of [Aghili, Nonsmooth Mechanics Based on Linear Projection Operator] for a set of rows of J,
 * in factors that exist for every rank of the rows.
 *
 *   D A = U diag(sigma) V             A: the chosen rows, D: their lengths made 1, rank r
 *   Y = V M^-1,  K = Y V'             r x r and no worse conditioned than M, however close to dependent the rows are
 *   P = I - V' V                      orthogonal projection on the null space of A
 *   S = M^-1 A' W^+ A = Y' K^-1 V     the oblique projection (10), W = A M^-1 A'
 *   W^+ = Pi D U diag(1/sigma) K^-1 diag(1/sigma) U' D Pi,   Pi = Q Q': projection on the range of A (r < rows)
 *
 * W itself is never inverted: its condition is the square of A's.
 */
#ifndef SRC_IMPACT_OBLIQUE_H
#define SRC_IMPACT_OBLIQUE_H

#include <cradle/contact.h>

typedef struct crd_oblique {
  int nv, rows, rank;
  double *D;     /* rows: 1 / |A_i|, 1 for a row of zeros */
  double *U;     /* rows x rank */
  double *sigma; /* rank, descending */
  double *V;     /* rank x nv: orthonormal basis of the row space */
  double *Y;     /* rank x nv */
  double *L;     /* rank x rank: Cholesky factor of K */
  double *Q;     /* rows x rank: orthonormal basis of the range of A; NULL where rank = rows */
  double *work;  /* rows + rank */
} crd_oblique;

/* Factors the given rows of the problem's J; memory comes from the arena. CRD_SINGULAR: M^-1 is not positive definite
 * on the rows, or a singular value decomposition did not converge. */
crd_status crd_oblique_factor(crd_oblique *oblique, const crd_contact_problem *problem, int rows, const int *row,
                              crd_arena *arena);

/* x = Pi x: the part of x (rows) that velocities of the rows can have. */
void crd_oblique_project_range(const crd_oblique *oblique, double *x);

/* x = W^+ x: the impulses of least norm that change the rows' velocities by Pi x. */
void crd_oblique_solve(const crd_oblique *oblique, double *x);

/* The motion left free by the bilateral rows: the problem seen from the contacts. */
typedef struct crd_bilateral {
  crd_oblique oblique; /* of the bilateral rows */
  double *W;           /* nrow x nrow: W_cc - W_cb W_bb^+ W_bc */
  double *u_free;      /* nrow: contact velocities after the external impulse and the bilateral rows' answer to it */
} crd_bilateral;

crd_status crd_bilateral_eliminate(crd_bilateral *bilateral, const crd_contact_problem *problem, crd_arena *arena);

/* A row of this compliance of which the bilateral rows leave so much lies in their span: what is left is rounding. */
bool crd_bilateral_spans(double left, double compliance);

/* The contact's normal lies in the span of the bilateral rows: it cannot move, and no impulse moves it. */
bool crd_bilateral_holds(const crd_bilateral *bilateral, const crd_contact_problem *problem, int contact);

/* Fills p[nrow..] with the bilateral impulses that go with the contact impulses p[0..nrow). */
void crd_bilateral_impulses(const crd_bilateral *bilateral, const crd_contact_problem *problem, double *p);

#endif
