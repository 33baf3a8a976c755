/* analysis: are the coefficients of a contact problem physically consistent, and is contact well-posed there?
 *
 * Three papers look at the same object: [A] Aghili, Nonsmooth Mechanics Based on Linear Projection Operator; [B]
 * Aghili, Frictional Impacts in Multibody Systems; [C] Brogliato, Kinetic Quasi-Velocities. Formulas follow their
 * errata (labels A-03, B-01, ...).
 *
 * All matrices are row-major. Results lie in an arena of the caller and live until it is reset; functions allocate
 * nothing else. CRD_ERR_MEMORY and CRD_ERR_ARGUMENT (a problem without M) can come from every function. An infinite
 * bound is INFINITY, what does not exist NaN.
 */
#ifndef CRADLE_ANALYSIS_H
#define CRADLE_ANALYSIS_H

#include <cradle/impact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------- projection operators [A] */

/* Operators of the constraint rows A (m x n, of any rank r) of a mechanism with inertia M (n x n). */
typedef struct crd_projection {
  int nv, rows, rank;
  const double *M;       /* as given */
  double *A;             /* m x n */
  double *A_plus;        /* n x m: Moore-Penrose inverse */
  double *range;         /* r x n: orthonormal basis of the rows' space, N(A)^perp */
  double *null;          /* (n - r) x n: orthonormal basis of N(A) */
  double *P;             /* n x n: I - A^+ A, orthogonal projection on N(A) */
  double *S;             /* n x n: oblique projection (10); N(S) = N(A), R(S) = M^-1 R(A') */
  double *R;             /* n x n: reflection I - 2 S (28) */
  double *Mo_plus;       /* n x n: pseudo-inverse of M_o = P M P, equal to (I - S) M^-1 (11e) */
  double *inertia;       /* n x n: projected inertia S' M S */
  double *G;             /* n x m: S A^+ (54) */
  double *Q;             /* m x m: G' M G (54), which is the pseudo-inverse of the Delassus matrix A M^-1 A' */
  double *dependence;    /* m: 0 for a row independent of the others, otherwise up to 1 */
  double nu_min, nu_max; /* the condition-optimal interval (9f); NaN where N(A) is empty and every nu is */
  double cond_min;       /* condition number of M_c for nu in it */
} crd_projection;

/* CRD_SINGULAR: M is not positive definite. M must live as long as the result. */
CRD_API crd_status crd_projection_form(crd_projection *projection, int nv, const double *M, int rows, const double *A,
                                       crd_arena *arena);
/* The same for a contact problem: rows are the normals of all contacts, then the bilateral rows. */
CRD_API crd_status crd_projection_of_problem(crd_projection *projection, const crd_contact_problem *problem,
                                             crd_arena *arena);

/* Constraint inertia M_c = P M P + nu (I - P) (8), nu > 0. */
typedef struct crd_constraint_inertia {
  double *Mc;          /* n x n */
  double *eigenvalues; /* n, ascending (60) */
  double cond;         /* (61) */
  double *S;           /* n x n: the oblique projection by its second route, I - M_c^-1 P M */
} crd_constraint_inertia;
CRD_API crd_status crd_projection_inertia(crd_constraint_inertia *inertia, const crd_projection *projection, double nu,
                                          crd_arena *arena);

/* Largest violation of Properties 1-3, (9)-(11), (28b), (33), with the errata, relative to the sizes of the terms. */
CRD_API crd_status crd_projection_verify(const crd_projection *projection, double *violation, crd_arena *arena);

/* Motion under the constraints A qd = 0: M qdd + h = u + f. */
typedef struct crd_constrained_motion {
  double *Lambda;   /* n x n: -A^+ Adot P */
  double *Omega;    /* n x n: Lambda - Lambda' (6), A-03 */
  double *P_dot;    /* n x n: Lambda + Lambda', where the rank stays the same */
  double *qdd;      /* n: (13) */
  double *f;        /* n: generalised constraint force (14) */
  double *lambda;   /* m: multipliers of least norm, A^+' f */
  double *residual; /* m: A qdd + Adot qd; not zero where a singular configuration admits no such motion */
} crd_constrained_motion;
/* A_dot (m x n), qd (n), force (n): u - h. */
CRD_API crd_status crd_projection_motion(crd_constrained_motion *motion, const crd_projection *projection,
                                         const double *A_dot, const double *qd, const double *force, crd_arena *arena);

/* An impact A qd+ = -E A qd (42)-(52), E m x m. */
typedef struct crd_projection_impact {
  double *E_tilde; /* n x n: A^+ E A (44) */
  double *energy;  /* n x n: E_tilde' S'MS E_tilde - S'MS; K+ - K- = 1/2 qd' energy qd */
} crd_projection_impact;
CRD_API crd_status crd_projection_energy(crd_projection_impact *impact, const crd_projection *projection,
                                         const double *E, crd_arena *arena);

/* What takes part, (3), (15)-(17) with 0/1 activation: gamma[i] = 1 where a unilateral constraint is closed
 * (phi <= tolerance) and carries a force (lambda > 0), gamma_star[i] = 1 where it is closed and approaches (phid < 0)
 * without carrying one. */
CRD_API void crd_projection_activation(int count, const double *phi, const double *phid, const double *lambda,
                                       double tolerance, unsigned char *gamma, unsigned char *gamma_star);

#ifdef __cplusplus
}
#endif
#endif
