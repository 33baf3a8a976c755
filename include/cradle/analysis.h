/* analysis: are the coefficients of a contact problem physically consistent, and is contact well-posed there?
 *
 * Three papers look at the same object: [A] Aghili, Nonsmooth Mechanics Based on Linear Projection Operator; [B]
 * Aghili, Frictional Impacts in Multibody Systems; [C] Brogliato, Kinetic Quasi-Velocities. Formulas follow their
 * errata (labels A-03, B-01, ...).
 *
 * All matrices are row-major; all numbers are in SI units. Results lie in an arena of the caller and live until it is
 * reset. Every function may return CRD_ERR_MEMORY and CRD_ERR_ARGUMENT (a problem without M). An infinite bound is
 * INFINITY; a number that does not exist is NaN. Functions may be called from any thread, with an arena for each.
 */
#ifndef CRADLE_ANALYSIS_H
#define CRADLE_ANALYSIS_H

#include <cradle/impact.h>
#include <cradle/lcp.h>

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
  double nu_min, nu_max; /* the interval of best condition (9f); NaN if N(A) is empty, where every nu is best */
  double cond_min;       /* condition number of M_c for nu in it */
} crd_projection;

/* CRD_SINGULAR: M is not positive definite. M must live as long as the result. */
CRD_API crd_status crd_analysis_projection_form(crd_projection *projection, int nv, const double *M, int rows,
                                                const double *A, crd_arena *arena);
/* The same for a contact problem: rows are the normals of all contacts, then the bilateral rows. */
CRD_API crd_status crd_analysis_projection_of_problem(crd_projection *projection, const crd_contact_problem *problem,
                                                      crd_arena *arena);

/* Constraint inertia M_c = P M P + nu (I - P) (8), nu > 0. */
typedef struct crd_constraint_inertia {
  double *Mc;          /* n x n */
  double *eigenvalues; /* n, ascending (60) */
  double cond;         /* (61) */
  double *S;           /* n x n: the oblique projection by its second route, I - M_c^-1 P M */
} crd_constraint_inertia;
CRD_API crd_status crd_analysis_projection_inertia(crd_constraint_inertia *inertia, const crd_projection *projection,
                                                   double nu, crd_arena *arena);

/* Largest violation of Properties 1-3, (9)-(11), (28b), (33), with the errata, relative to the sizes of the terms. */
CRD_API crd_status crd_analysis_projection_verify(const crd_projection *projection, double *violation,
                                                  crd_arena *arena);

/* Adot: rates of some rows of a model's contact problem (row: their indices in J), A_dot rows x nv, by central
 * differences along the motion. The workspace then has another state. CRD_UNKNOWN: a contact does not exist slightly
 * before or after. */
CRD_API crd_status crd_analysis_projection_row_rates(const crd_model *model, crd_workspace *work,
                                                     crd_contact_assembler *assembler, const double *qpos,
                                                     const double *qvel, const crd_contact_problem *problem, int rows,
                                                     const int *row, double *A_dot, crd_arena *arena);

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
CRD_API crd_status crd_analysis_projection_motion(crd_constrained_motion *motion, const crd_projection *projection,
                                                  const double *A_dot, const double *qd, const double *force,
                                                  crd_arena *arena);

/* An impact A qd+ = -E A qd (42)-(52), E m x m. */
typedef struct crd_projection_impact {
  double *E_tilde; /* n x n: A^+ E A (44) */
  double *energy;  /* n x n: E_tilde' S'MS E_tilde - S'MS; K+ - K- = 1/2 qd' energy qd */
} crd_projection_impact;
CRD_API crd_status crd_analysis_projection_energy(crd_projection_impact *impact, const crd_projection *projection,
                                                  const double *E, crd_arena *arena);

/* Activation of unilateral constraints, (3), (15)-(17), as 0 or 1: gamma[i] = 1 if constraint i is closed (phi
 * <= tolerance) and carries a force (lambda > 0); gamma_star[i] = 1 if it is closed and approaches (phid < 0) without
 * force. All arrays have `count` entries. */
CRD_API void crd_analysis_projection_activation(int count, const double *phi, const double *phid, const double *lambda,
                                                double tolerance, unsigned char *gamma, unsigned char *gamma_star);

/* --------------------------------------------------------------------- energetic consistency of restitution [A, 4] */

/* The data by which a restitution matrix E (nc x nc, u_n+ = -E u_n) is judged: the normals of the contacts while the
 * bilateral rows hold. */
typedef struct crd_restitution {
  int contacts, dim;
  crd_projection projection; /* of the normals, then the bilateral rows; m = contacts + nb rows */
  double *Z;                 /* contacts x dim: orthonormal basis of the normal velocities that can occur with the
                              * bilateral rows at rest */
  double *Q;                 /* contacts x contacts: of (54), the contacts' part */
  double *K;                 /* dim x dim: Z' Q Z, positive definite */
  double *M_inverse;         /* n x n */
} crd_restitution;
CRD_API crd_status crd_analysis_restitution_form(crd_restitution *restitution, const crd_contact_problem *problem,
                                                 crd_arena *arena);

enum { CRD_RESTITUTION_FACES = 20000 }; /* default limit of the search below */

/* The approaching velocity that gains most energy: maximum of (K+ - K-)/K- over u_n <= 0, by branch and bound over the
 * faces of that cone. Exact; at most 2^contacts faces. */
typedef struct crd_worst_velocity {
  crd_status status; /* CRD_OK; CRD_UNKNOWN: the limit was reached, and the maximum lies between gain and bound */
  double gain;       /* (1) of the velocity of least energy with these u_n; motion along the contacts reduces it */
  double bound;      /* (1) equal to gain if status is CRD_OK */
  double *u;         /* contacts: normal velocities before the impact, scaled to largest entry 1 */
  double *v;         /* n: the velocity of least energy with these u */
  int faces;         /* examined */
} crd_worst_velocity;
/* max_faces: limit of the search, e.g. CRD_RESTITUTION_FACES. */
CRD_API crd_status crd_analysis_restitution_worst(crd_worst_velocity *worst, const crd_restitution *restitution,
                                                  const double *E, int max_faces, crd_arena *arena);

typedef struct crd_restitution_verdict {
  double *X;         /* m x m: E' Q E - Q; K+ - K- = 1/2 u' X u (53) */
  double printed;    /* largest eigenvalue of X; (55) as printed demands at most 0 */
  double restricted; /* the same on the velocities that can occur, with any signs */
  double gain_any;   /* (1) largest (K+ - K-)/K- over these velocities */
  bool printed_holds, restricted_holds;
  crd_worst_velocity worst; /* over approaching velocities: the exact condition (A-16; [C] Proposition 2) */
  double margin;            /* smallest eigenvalue of the LMI (56), restricted: at least 0 where it is feasible */
} crd_restitution_verdict;
CRD_API crd_status crd_analysis_restitution_check(crd_restitution_verdict *verdict, const crd_restitution *restitution,
                                                  const double *E, crd_arena *arena);

typedef enum crd_lmi_method {
  CRD_LMI_EIGENVALUES, /* bisection on the largest singular value */
  CRD_LMI_SDP,         /* semidefinite program; CRD_ERR_ARGUMENT in a build without CRADLE_WITH_SDP */
  CRD_LMI_APPROACHING  /* not the LMI: the exact condition for approaching velocities, by bisection */
} crd_lmi_method;

/* Whether this build has the semidefinite solver. */
CRD_API bool crd_analysis_has_sdp(void);

/* Largest t for which t E satisfies the condition; INFINITY for E = 0. */
CRD_API crd_status crd_analysis_restitution_scaling(const crd_restitution *restitution, const double *E,
                                                    crd_lmi_method method, double *t, crd_arena *arena);
/* The interval of admissible coefficients e in [0, 1] at entry (contact, contact) of E, the other entries unchanged.
 * CRD_NO_SOLUTION: it is empty. */
CRD_API crd_status crd_analysis_restitution_interval(const crd_restitution *restitution, const double *E, int contact,
                                                     crd_lmi_method method, double *low, double *high,
                                                     crd_arena *arena);
/* The admissible region of two coefficients: for count values of the first, equally spaced in [0, 1], the interval of
 * the second; NaN where it is empty. */
CRD_API crd_status crd_analysis_restitution_region(const crd_restitution *restitution, const double *E, int first,
                                                   int second, crd_lmi_method method, int count, double *low,
                                                   double *high, crd_arena *arena);
/* Largest s with (56) - s I >= 0, restricted as in crd_restitution_verdict: its margin. CRD_LMI_EIGENVALUES or
 * CRD_LMI_SDP. */
CRD_API crd_status crd_analysis_restitution_margin(const crd_restitution *restitution, const double *E,
                                                   crd_lmi_method method, double *margin, crd_arena *arena);

/* ------------------------------------------------------------------------------------------------- friction [B] */

typedef enum crd_friction_mode {
  CRD_FRICTION_NONE, /* no impact: the contact does not approach (crd_contact_problem_approaches) */
  CRD_FRICTION_HELD, /* it cannot move: its normal lies in the span of the bilateral rows */
  CRD_FRICTION_STICK,
  CRD_FRICTION_SLIP,
  CRD_FRICTION_SEVERAL,   /* more than one outcome: the slip direction is not unique (B-09) */
  CRD_FRICTION_MEAN_ZERO, /* no slip direction; the average tangential velocity is zero (B-08) */
  CRD_FRICTION_IMPOSSIBLE /* no outcome: friction keeps the approach from being stopped */
} crd_friction_mode;
/* "none", "stick", "slip", "slip-nonunique", ... */
CRD_API const char *crd_analysis_friction_mode_name(crd_friction_mode mode);

/* One contact alone while the bilateral rows hold. Vectors: normal, tangent, second tangent. */
typedef struct crd_friction {
  int rows; /* 1 + tangents */
  double e, e_t, mu, mu_static;
  double D[9], G[9];     /* rows x rows: Delassus matrix and its inverse (least norm where singular) */
  double v[3];           /* velocity before */
  double v_free[3];      /* the same after the external impulse */
  double stick[3];       /* impulse of a sticking impact (11a) */
  double sigma;          /* discriminator of it, mu_static^2 i_n^2 - |i_t|^2 (B-01); sticks where i_n >= 0 too (B-03) */
  double mu_critical;    /* |i_t|/i_n (B-02), INFINITY if i_n <= 0; sigma, mu_critical and e_star are NaN without an
                          * impact at this contact */
  double mu_star;        /* D_nn/|D_nt| (38) */
  double e_star;         /* largest restitution of a sticking impact at this velocity that gains no energy (30), B-04 */
  double e_star_uniform; /* the same for every velocity (32) */
  crd_friction_mode mode;
  int outcomes;            /* of the law stick-slip */
  double impulse[3];       /* of the first outcome */
  double direction[2];     /* of its slip */
  double g;                /* 1/(D_nn - mu D_nt d) of its slip (20), NaN where it does not slip */
  double work;             /* K+ - K- of it */
  bool admissible;         /* (41) with e_star, and the law gains no energy */
  bool admissible_uniform; /* (41) with e_star_uniform */
} crd_friction;
CRD_API crd_status crd_analysis_friction_form(crd_friction *friction, const crd_contact_problem *problem, int contact,
                                              crd_arena *arena);
/* mu_critical of another normal restitution. */
CRD_API double crd_analysis_friction_critical(const crd_friction *friction, double e);
/* Whether (e, mu) is in the admissible set (41) of this contact and velocity. */
CRD_API bool crd_analysis_friction_admissible(const crd_friction *friction, double e, double mu);

/* ------------------------------------------------------------------------------------- kinetic quasi-velocities [C] */

/* p contacts, t tangential basis vectors, k tangent rows of the contacts (H_T has k columns). */
typedef struct crd_quasi_basis {
  int nv, nc, ntan, nslip;
  double *norm;      /* p: |grad h_i| in the metric of M^-1 */
  double *n_q;       /* p x n: row i is n_q,i (3) */
  double *t_q;       /* t x n: kinetic-orthonormal and orthogonal to normals and bilateral rows, or as given */
  double *Xi;        /* (p + t) x n: n_q above t_q; square without bilateral rows and with independent normals */
  double *delassus;  /* p x p: n_q' M n_q, the normalised Delassus matrix: ones on its diagonal */
  double *G;         /* p x p: the same with the bilateral rows held (17) */
  double *angle;     /* p x p: kinetic angles (21), rad; pi on the diagonal */
  double *D_n, *D_t; /* p x p, t x t: inverses of G (least norm where singular) and t_q' M t_q */
  double *nH, *tH;   /* p x k, t x k: n_q' H_T with the bilateral rows held, t_q' H_T */
  double *norm_minus, *tan_minus;                     /* p, t: quasi-velocities (6) */
  double kinetic, kinetic_normal, kinetic_tangential; /* (15), (16) */
  bool independent;                                   /* G is positive definite */
} crd_quasi_basis;

/* t_q: ntan x n, or NULL for a kinetic-orthonormal one. CRD_ERR_ARGUMENT: the normal of a contact is zero. */
CRD_API crd_status crd_analysis_quasi_form(crd_quasi_basis *basis, const crd_contact_problem *problem,
                                           const double *t_q, int ntan, crd_arena *arena);
/* qd (n) = Xi' D v, the inverse of (6), where there are no bilateral rows; v: p + t. */
CRD_API void crd_analysis_quasi_inverse(const crd_quasi_basis *basis, const double *v, double *qd);
/* Xi f: quasi-normal (p) and quasi-tangential (t) part of a generalised force, as in (10) and (24). */
CRD_API void crd_analysis_quasi_force(const crd_quasi_basis *basis, const double *f, double *normal,
                                      double *tangential);
/* Power of the contact forces lambda_n (p) and lambda_t (k) at the basis' velocity: (18), and the two parts of (27). */
CRD_API void crd_analysis_quasi_power(const crd_quasi_basis *basis, const double *lambda_n, const double *lambda_t,
                                      double *normal, double *friction_normal, double *friction_tangential);
/* Fremond's matrix (45): E_nn in contact velocities, N E_nn N^-1 with N = diag(norm). */
CRD_API void crd_analysis_quasi_fremond(const crd_quasi_basis *basis, const double *Enn, double *E);
/* T+ - T- of v_norm+ = -E_nn v_norm- at the basis' velocity (48), and T+/T- of the normal parts, which is the left side
 * of the ellipse (52) for one moving contact (C-21). ratio may be NULL. */
CRD_API double crd_analysis_quasi_energy_loss(const crd_quasi_basis *basis, const double *Enn, double *ratio);

/* The same loss in the forms (46), (47), (48) and (49, C-14); the last is NaN where I + E_nn is singular. */
CRD_API crd_status crd_analysis_quasi_energy_forms(const crd_quasi_basis *basis, const double *Enn, double form[4],
                                                   crd_arena *arena);

/* One criterion: a value compared with a bound. */
typedef enum crd_criterion_kind { CRD_CRITERION_EXACT, CRD_CRITERION_SUFFICIENT } crd_criterion_kind;
typedef struct crd_criterion {
  const char *name; /* "prop5" */
  const char *says; /* one line */
  crd_criterion_kind kind;
  bool applies; /* its assumptions hold here */
  bool holds;   /* the verdict; false where it does not apply */
  bool unknown; /* undecided within the limit of an exact test */
  double value, bound;
} crd_criterion;

/* Propositions 2-9 and Corollary 1 for E_nn (p x p) and, for Proposition 9, the full matrix E ((p + t) square) or NULL.
 * worst: of E_nn as crd_analysis_quasi_fremond turns it. */
typedef enum crd_quasi_proposition {
  CRD_PROP2,           /* energetic consistency: copositivity, exact */
  CRD_PROP3,           /* E_nn = e I: e^2 is the ratio of the normal energies */
  CRD_PROP4,           /* eps* of E_nn' G^-1 E_nn */
  CRD_PROP5,           /* spectral radius, where G^-1 E_nn is symmetric */
  CRD_PROP6,           /* largest singular value */
  CRD_PROP7,           /* Frobenius norm */
  CRD_PROP8_KINEMATIC, /* (i) */
  CRD_PROP8_KINETIC,   /* (ii) */
  CRD_PROP8,           /* (i)-(iii): admissible for every approaching velocity */
  CRD_COROLLARY1,      /* conserves energy for every velocity */
  CRD_PROP9,           /* the full matrix */
  CRD_PROP9_EXACT,     /* smallest eigenvalue of D - E' D E */
  CRD_QUASI_PROPOSITIONS
} crd_quasi_proposition;
CRD_API crd_status crd_analysis_quasi_propositions(crd_criterion criterion[CRD_QUASI_PROPOSITIONS],
                                                   const crd_quasi_basis *basis, const crd_worst_velocity *worst,
                                                   const double *Enn, const double *E, crd_arena *arena);

/* All E_nn of Corollary 1 (C-20: monomial matrices) for a positive definite G (p x p), p <= 8: count matrices p x p,
 * one after the other, the permutations in lexicographic order. CRD_LIMIT: p is larger. */
CRD_API crd_status crd_analysis_quasi_conservative(int p, const double *G, int *count, double **E, crd_arena *arena);

/* slip (p x 2): the directions of the problem's tangential velocities, in components along the tangent rows. A contact
 * that does not slip gets the direction in which its friction counteracts its normal force most. Returns the number of
 * such contacts. */
CRD_API int crd_analysis_slip_directions_of(const crd_contact_problem *problem, double *slip);

/* Lemmas 1 and 2 and Theorem 2 for impacts with Coulomb friction in which every contact slips in a given direction,
 * with C-28..C-31. Frobenius norms. */
typedef struct crd_theorem2 {
  double lemma1_value;                  /* |G^-1| |n_q' H_T| |mu|, must be below 1 */
  double lemma2_value, lemma2_bound;    /* x (x + 2) < 1/(|M| |sym(M)^-1|), x = |E_nn| */
  double *E;                            /* p x p: (G - n_q' H_T [mu])^-1; NULL: singular, nothing below is known */
  double *M;                            /* p x p: M(q, mu) = G^-1 exactly */
  double *Mbar, *K;                     /* p x p: (I - E_nn)' M (I + E_nn), (79) */
  double lambda_min_Mbar, lambda_max_K; /* of the symmetric part */
  double ratio, ratio_bound;            /* |qd_norm|/|qd_tan| and its bound by (82ii); NaN if (i) fails */
  bool lemma1, lemma2, condition_i, condition_ii, holds;
  double energy;   /* T+ - T- of this mode (77) */
  double bound;    /* of it (81) */
  double *pbar;    /* p: normal impulses of this mode, times norm */
  double *qd_plus; /* n: velocity after, where there are no bilateral rows */
} crd_theorem2;
/* slip: p x 2, unit vectors along which each contact slips (planar: +-1 and 0), or NULL for
 * crd_analysis_slip_directions_of. */
CRD_API crd_status crd_analysis_quasi_theorem2(crd_theorem2 *theorem, const crd_quasi_basis *basis,
                                               const crd_contact_problem *problem, const double *Enn,
                                               const double *slip, crd_arena *arena);

/* ------------------------------------------------------------------------------------------ well-posedness [C, 4] */

typedef enum crd_regime {
  CRD_REGIME_UNKNOWN, /* b is not known, or the enumeration reached its limit */
  CRD_REGIME_NONE,    /* no contact force: an impact without collision, or inconsistent */
  CRD_REGIME_DETACH,  /* one solution, no force */
  CRD_REGIME_CONTACT, /* one solution, with force */
  CRD_REGIME_SEVERAL  /* more than one */
} crd_regime;
CRD_API const char *crd_analysis_regime_name(crd_regime regime); /* "unique contact", "no solution (Painleve)", ... */

/* The contact LCP (26): 0 <= lambda_bar _|_ D lambda_bar + b >= 0 for contacts that slip in given directions. */
typedef struct crd_wellposed {
  int p;
  int assumed; /* contacts whose slip direction was not known (crd_analysis_slip_directions_of) */
  double *D;   /* p x p: G + P */
  double *P;   /* p x p: (86) */
  double *b;   /* p, NULL where it is not known */
  crd_lcp_answer p_matrix, positive_definite, strictly_copositive, copositive;
  double least_eigenvalue; /* of the symmetric part of D */
  double mu_critical;      /* smallest friction, the same at all contacts that slip, at which D stops being a P-matrix;
                    * INFINITY: none; NaN: more than CRD_WELLPOSED_CONTACTS contacts. One contact: mu_c of Prop. 12 */
  crd_criterion prop12, prop13, prop14, prop14_spectral, prop15;
  crd_regime regime;
  int solutions;      /* with b: pieces of the solution set */
  double *lambda_bar; /* solutions x p: a point of each */
} crd_wellposed;

enum { CRD_WELLPOSED_CONTACTS = 12 };

/* slip (p x 2) NULL: crd_analysis_slip_directions_of. b (p) NULL: not known. */
CRD_API crd_status crd_analysis_wellposed_form(crd_wellposed *wellposed, const crd_quasi_basis *basis,
                                               const crd_contact_problem *problem, const double *slip, const double *b,
                                               crd_arena *arena);
/* mu_critical alone, for given directions. */
CRD_API crd_status crd_analysis_wellposed_critical(const crd_quasi_basis *basis, const crd_contact_problem *problem,
                                                   const double *slip, double *mu_critical, crd_arena *arena);
/* The least mu_critical over all signs of slip (planar contacts, at most CRD_WELLPOSED_CONTACTS; spatial ones slip in
 * the direction of crd_analysis_slip_directions_of). With planar contacts it is a lower bound for every motion at this
 * configuration. */
CRD_API crd_status crd_analysis_wellposed_critical_least(const crd_quasi_basis *basis,
                                                         const crd_contact_problem *problem, double *mu_critical,
                                                         crd_arena *arena);

/* b of (26) for the load that the problem states (force and rate; CRD_ERR_ARGUMENT without, or without M). */
CRD_API crd_status crd_analysis_wellposed_bias_of_problem(const crd_contact_problem *problem, double *b,
                                                          crd_arena *arena);
/* b of (26) for a mechanism at the state of its contact problem: the normal accelerations without contact forces,
 * divided by |grad h|. force (nv): applied generalised force. CRD_UNKNOWN: a contact ceases or appears within the
 * differences by which the rows' rates are taken. */
CRD_API crd_status crd_analysis_wellposed_bias(const crd_model *model, crd_workspace *work,
                                               crd_contact_assembler *assembler, const double *qpos, const double *qvel,
                                               const double *force, const crd_contact_problem *problem, double *b,
                                               crd_arena *arena);

/* ---------------------------------------------------------------- persistent contacts [B, (3)-(5)], [C, (26)] */

/* One motion of a mechanism with persistent contacts. */
typedef struct crd_persistent_motion {
  double *force;        /* nrow + nb: N, in the order of J's rows; zero at contacts that separate */
  double *acceleration; /* nrow + nb: of the rows, m/s^2 */
  double *qacc;         /* nv */
  crd_mode *mode;       /* nc: after this instant; CRD_MODE_SEPARATE for contacts that already separate */
  int freedom;          /* dimension of the set of forces with this motion; 0: they are determined */
  bool continuum;       /* motions arbitrarily near to it are possible, too */
  double residual;      /* crd_coulomb_residual */
} crd_persistent_motion;

/* Forces and accelerations at an instant at which no contact approaches. Each contact opens, sticks, begins to slip in
 * some direction, or continues to slip (src/analysis/acceleration_rows.h). Uniqueness of the motion and of the forces
 * are separate findings: a box on four feet has one motion and many forces. */
typedef struct crd_persistent {
  bool applies;      /* no contact approaches; otherwise an impact comes first, and the other fields are meaningless */
  int lasting;       /* number of contacts that neither approach nor separate */
  crd_status status; /* of the list: CRD_OK, CRD_NO_SOLUTION; CRD_UNKNOWN: undecided; CRD_LIMIT: too many modes */
  crd_coulomb_verdict verdict;
  bool forces_known; /* verdict.forces_unique is decided */
  bool listed;       /* every mode was tried; false: only the solver's motion, or none */
  crd_regime regime;
  int count;
  crd_persistent_motion *motion; /* count */
} crd_persistent;

/* The load: accelerations without contact and loop forces. */
typedef struct crd_load {
  const double *qacc;   /* nv */
  const double *a_free; /* nrow + nb: J qacc + d/dt(J) qvel, m/s^2 */
  const double *bound;  /* nb: largest |force| of a row (N or N m), infinite for a bilateral one; NULL: all infinite */
  const bool *held; /* nc: contacts that bilateral rows hold. Nothing determines their normal force and friction, which
                         * count as zero; NULL: none */
} crd_load;
/* Finds the motions of a problem under a load. max_modes of an island: 0 is the default, CRD_PERSISTENT_MODES. stop:
 * polled between modes; NULL: never. Returns CRD_OK with any verdict; CRD_ERR_MEMORY, CRD_ERR_ARGUMENT, CRD_ERR_NUMBER. */
enum { CRD_PERSISTENT_MODES = 4096 };
CRD_API crd_status crd_analysis_persistent_form(crd_persistent *persistent, const crd_contact_problem *problem,
                                                const crd_load *load, int max_modes, bool (*stop)(void *context),
                                                void *context, crd_arena *arena);
/* The same for a mechanism at the state of its contact problem, including dry friction of its joints. force (nv):
 * applied generalised force. CRD_UNKNOWN: a contact appears or disappears within the finite differences of the rows'
 * rates. */
CRD_API crd_status crd_analysis_persistent_at_state(crd_persistent *persistent, const crd_model *model,
                                                    crd_workspace *work, crd_contact_assembler *assembler,
                                                    const double *qpos, const double *qvel, const double *force,
                                                    const crd_contact_problem *problem, int max_modes,
                                                    bool (*stop)(void *context), void *context, crd_arena *arena);

/* The same for the load that the problem states itself (force and rate; CRD_ERR_ARGUMENT without, or without M). */
CRD_API crd_status crd_analysis_persistent_of_problem(crd_persistent *persistent, const crd_contact_problem *problem,
                                                      int max_modes, bool (*stop)(void *context), void *context,
                                                      crd_arena *arena);
CRD_API crd_status crd_analysis_load_of_problem(const crd_contact_problem *problem, double *qacc, double *a_free,
                                                crd_arena *arena);

/* qacc (nv) and a_free (nrow + nb) of a load at the state of a contact problem. */
CRD_API crd_status crd_analysis_load_at_state(const crd_model *model, crd_workspace *work,
                                              crd_contact_assembler *assembler, const double *qpos, const double *qvel,
                                              const double *force, const crd_contact_problem *problem, double *qacc,
                                              double *a_free, crd_arena *arena);

/* Critical friction along a path of configurations. One joint is set; the other coordinates move by the least change
 * until the contact between the given bodies closes; there the least critical friction is computed. */
typedef struct crd_critical_scan {
  const crd_model *model;
  int joint;          /* hinge or slide */
  int body1, body2;   /* of the contact to be kept closed */
  const double *qpos; /* nq: the other coordinates at the start */
} crd_critical_scan;
/* value: of the joint. mu: INFINITY where no friction is critical. closed (nq, may be NULL): the configuration.
 * CRD_NO_SOLUTION: the contact cannot be closed. */
CRD_API crd_status crd_analysis_critical_at(const crd_critical_scan *scan, double value, double *mu, double *closed,
                                            crd_arena *arena);
/* mu (count) at equally spaced values from..to, NaN where the contact cannot be closed; the least of them, refined
 * between its neighbours, and where. CRD_NO_SOLUTION: nowhere. */
CRD_API crd_status crd_analysis_critical_range(const crd_critical_scan *scan, double from, double to, int count,
                                               double *mu, double *at, double *least, crd_arena *arena);

/* ------------------------------------------------------------------------------------------------- everything */

/* All of the above for one problem. Contacts that bilateral rows hold cannot move: they are listed and left out, and
 * the other fields refer to the problem of the remaining contacts. */
typedef struct crd_check {
  int nheld, *held;            /* contacts of the problem given */
  crd_contact_problem problem; /* of the others, nc of them; its arrays live in the arena */
  double *Enn;                 /* nc x nc: the problem's restitution matrix on quasi-velocities, or diag(e) */
  double *E;                   /* nc x nc: the same in contact velocities (Fremond) */
  crd_restitution restitution;
  crd_restitution_verdict energy;
  crd_projection_impact impact; /* of the normals, then the bilateral rows */
  double gain;                  /* (K+ - K-)/K- of the law projection at the problem's velocity; NaN at rest */
  double gain_matrix; /* the same of the law matrix, where a restitution matrix counts; NaN elsewhere, or no answer */
  int conflict;       /* contact (of the problem given) whose rebound dependent rows contradict; -1: none */
  double conflict_asked, conflict_given; /* m/s */
  double t_max, t_max_sdp;               /* largest scaling of E in the LMI, by eigenvalues and by SDP (NaN without) */
  crd_quasi_basis quasi;
  crd_criterion proposition[CRD_QUASI_PROPOSITIONS];
  crd_friction *friction; /* nc */
  crd_wellposed wellposed;
  crd_theorem2 theorem2;
} crd_check;
/* bias (nc): b of (26), or NULL. use_matrix: the problem's restitution matrix counts, where it has one. CRD_ERR_ARGUMENT:
 * a contact's normal row is zero, or it has torsional or rolling friction (crd_contact_problem_turning). */
CRD_API crd_status crd_analysis_check(crd_check *check, const crd_contact_problem *problem, const double *bias,
                                      bool use_matrix, crd_arena *arena);
/* The contact whose coefficient matters most: setting it to zero reduces the worst gain most. -1: nothing gains. */
CRD_API crd_status crd_analysis_culprit(const crd_check *check, int *contact, crd_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
