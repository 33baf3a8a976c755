/* coulomb: contact with Coulomb friction as one problem, from a single foot to a heap of bodies.
 *
 *   u = w + G p
 *
 *   contact     0 <= p_n  _|_  u_n - target >= 0,   and for each of its frictions (sliding, spinning, rolling)
 *               p_f in -mu_f p_n Sgn(u_f)           Sgn(x) is x / |x|, or the unit ball if x = 0 (the round cone)
 *   sliding     the same with p_t = -mu p_n slide in a given direction, whatever u_t is (accelerations of a contact that
 *               already slides)
 *   bilateral   u = 0
 *   bounded     lower <= p <= upper,   u >= 0 at the lower bound, u <= 0 at the upper, u = 0 between (dry friction of
 *               a joint: -b, b; a motor; a relay)
 *
 * p are impulses (N s, N m s) and u the velocities after them (m/s, rad/s), or forces and accelerations. For a
 * mechanism, G = J M^-1 J' is symmetric and positive semidefinite. This layer knows no bodies.
 *
 * Islands are groups of rows without an entry of G between them; they are solved one by one. If G is singular, impulses
 * are not unique although velocities usually are. One policy selects them for every caller, with distances in units of
 * each contact's own compliance:
 *   - if the modes of the guess (which contacts open, stick, slip) hold, the impulses nearest to the guess;
 *   - if modes change or the guess is zero, impulses with the friction of the guess if they exist, else the nearest; so
 *     without a guess the least norm, with friction only where it must act;
 *   - if these would pull or leave a cone, the nearest within the cones in small islands; in larger ones, and in those that
 *     sweeps solve, the answer of the method stands.
 * The policy depends neither on the tangents of a contact nor on units: the answer turns and scales with the scene.
 *
 * Each thread has its own workspace. A solve allocates only if the problem is larger than all before, or if no method
 * finds an answer and modes are enumerated or a proof of no solution is attempted.
 */
#ifndef CRADLE_COULOMB_H
#define CRADLE_COULOMB_H

#include <cradle/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* State of a contact. */
typedef enum crd_mode {
  CRD_MODE_NONE,     /* no impulse, and it does not open */
  CRD_MODE_SEPARATE, /* no impulse, and it opens */
  CRD_MODE_STICK,    /* impulse, no tangential velocity afterwards */
  CRD_MODE_SLIP      /* impulse, tangential velocity afterwards */
} crd_mode;
CRD_API const char *crd_coulomb_mode_name(crd_mode mode); /* "none", "separate", "stick", "slip" */

/* ---------------------------------------------------------------------------------------------- the problem */

/* Rows: the normal at `row`, behind it ntangent, nspin and nroll rows in this order. */
typedef struct crd_coulomb_contact {
  int row;         /* of the normal */
  int ntangent;    /* 0, 1 (planar) or 2 */
  int nspin;       /* 0, or 1: torsion about the normal */
  int nroll;       /* 0, 1 or 2: about the tangents */
  double mu;       /* (1) of sliding; 0: no friction along the tangents */
  double mu_spin;  /* m */
  double mu_roll;  /* m */
  double target;   /* m/s: lower bound of u_n, -e u_n before the impact or -gap / step; 0 */
  bool slides;     /* the sliding direction is given: p_t = -mu p_n slide */
  double slide[2]; /* unit vector in the frame of the tangents */
} crd_coulomb_contact;

/* A row with a bounded impulse. */
typedef struct crd_coulomb_bounded {
  int row;
  double lower, upper; /* N s or N m s; lower <= upper; infinite: no bound */
} crd_coulomb_bounded;

/* G by blocks; the rows of a contact lie in one group. */
typedef crd_blocks crd_coulomb_blocks;

/* Every row belongs to one contact, or is bilateral, or bounded. G is given in exactly one of three forms. All arrays
 * belong to the caller. */
typedef struct crd_coulomb_problem {
  int n;           /* rows */
  const double *w; /* n: velocities without the impulses */
  int ncontact, nbilateral, nbounded;
  const crd_coulomb_contact *contact; /* ncontact */
  const int *bilateral;               /* nbilateral: rows */
  const crd_coulomb_bounded *bounded; /* nbounded */
  const double *G;                    /* n x n, row-major; or */
  const crd_coulomb_blocks *blocks;   /* by blocks; or */
  int nv;                             /* factored as G = J X': */
  const double *J, *X;                /* n x nv, row-major; row i of X is M^-1 J_i', from the factor of M */
  /* m/s: the speed of the mechanism. Velocities are judged relative to max(|w_i|, |target|), at least 1e-6 of this (the
   * rounding error of w in a mechanism of this speed), bilateral rows to 1e-8 of it. 0: by w alone. */
  double velocity;
  /* n, may be NULL: the same for each row, the speed of its terms before they cancel. Each island is then judged by its
   * own rows alone: their w, targets and largest speed. */
  const double *speed;
} crd_coulomb_problem;

/* Impulses and modes: the guess of a warm start on entry, the answer on return. The arrays belong to the caller. */
typedef struct crd_coulomb_state {
  double *p;      /* n: impulses */
  double *u;      /* n: velocities; output only */
  crd_mode *mode; /* ncontact */
} crd_coulomb_state;

/* ---------------------------------------------------------------------------------------------- solving */

typedef enum crd_coulomb_method {
  CRD_COULOMB_AUTO,     /* newton, interior, curve, modes, each if those before fail; large islands: sweeps */
  CRD_COULOMB_NEWTON,   /* Newton's method on the natural map from the guess: enough for nearly all steps */
  CRD_COULOMB_INTERIOR, /* continuation of the smoothed law by long steps: needs no guess, tolerates redundancy */
  CRD_COULOMB_CURVE,    /* the same along its curve, which may turn: ends at a solution or at infinity */
  CRD_COULOMB_SWEEPS,   /* contact by contact, accelerated; cost and memory are proportional to the entries of G. If the
                         * sweeps do not converge: newton, interior and curve by a sparse factor */
  CRD_COULOMB_MODES,    /* every mode of a small problem, if nothing else reaches the tolerance; allocates */
  CRD_COULOMB_METHODS
} crd_coulomb_method;
CRD_API const char *crd_coulomb_method_name(crd_coulomb_method method); /* "auto", "newton", ... */

typedef struct crd_coulomb_options {
  crd_coulomb_method method; /* CRD_COULOMB_AUTO */
  bool warm;                 /* p and mode contain a guess; false: they are not read */
  double tolerance;          /* (1) of the residual, islands of up to large_contacts contacts; 1e-9 */
  double large_tolerance;    /* (1) of larger islands; 1e-4 */
  int large_contacts;        /* 200 */
  int max_sweeps;            /* of a large island; 5000 */
  int max_factorizations; /* of one island of 60 rows or more; smaller islands get as many as take the same time. Then
                                * the best answer so far stands; 0: no bound */
  bool (*stop)(void *context); /* polled between iterations; true: CRD_LIMIT with the best answer so far. May be NULL */
  void *context;               /* passed to stop */
} crd_coulomb_options;
/* The defaults, as stated at the fields. */
CRD_API crd_coulomb_options crd_coulomb_default(void);

typedef struct crd_coulomb_report {
  crd_status status;                   /* as returned */
  double residual;                     /* (1) of the answer: worst of crd_coulomb_residual, and its rounding error */
  int islands;                         /* number of islands */
  int unsettled;                       /* islands above their tolerance */
  int settled[CRD_COULOMB_METHODS];    /* islands by the method whose answer stands */
  int iterations[CRD_COULOMB_METHODS]; /* Newton steps, steps along the path, sweeps; sum over all islands */
  int factorizations;                  /* of matrices */
  int row; /* the row behind the verdict or error: the worst one of CRD_LIMIT, the one that cannot be satisfied of
            * CRD_NO_SOLUTION, the bad one of CRD_ERR_*; -1: none */
} crd_coulomb_report;

/* Workspace of the solver: one per thread. It grows with the largest problem. */
typedef struct crd_coulomb_work crd_coulomb_work;
/* A workspace, to be freed by the caller; NULL if memory is out. */
CRD_API crd_coulomb_work *crd_coulomb_work_new(void);
/* Frees it; NULL does nothing. */
CRD_API void crd_coulomb_work_free(crd_coulomb_work *work);
/* Makes room for problems of n rows whose dense islands have at most `largest` rows. CRD_ERR_MEMORY. */
CRD_API crd_status crd_coulomb_reserve(crd_coulomb_work *work, int n, int largest);

/* Adds to `settled` the islands of all solves of this workspace (NULL: none), by the method whose answer stands. */
CRD_API void crd_coulomb_ways(const crd_coulomb_work *work, long settled[CRD_COULOMB_METHODS]);

/* Solves the problem. options and report may be NULL.
 *   CRD_OK            report.residual <= the tolerance
 *   CRD_NO_SOLUTION   proved: no velocities satisfy the bilateral rows without closing a contact. The state is unchanged,
 *                     or has the best answer if the proof came last
 *   CRD_LIMIT         the tolerance was not reached: the state has the best answer, the report its residual
 *   CRD_ERR_ARGUMENT, CRD_ERR_NUMBER, CRD_ERR_MEMORY   the state is unchanged */
CRD_API crd_status crd_coulomb_solve(crd_coulomb_work *work, const crd_coulomb_problem *problem,
                                     const crd_coulomb_options *options, crd_coulomb_state *state,
                                     crd_coulomb_report *report);

/* ---------------------------------------------------------------------------------------------- checking */

/* The residual is the natural map at p on the round cone, in units of velocity. It is relative to max(|w_i|, |target|,
 * 1e-6 velocity) of the problem, or of the row's island if `speed` is given. g is a row's diagonal entry of G, g_f the
 * mean over the rows of a friction:
 *
 *   normal      | min(g p_n, u_n - target) |
 *   friction    | g_f p_f - P(g_f p_f - u_f) |    P: onto the ball of radius mu_f g_f max(0, p_n). Rows of spin and rolling
 *               are in rad/s; their residual and w are multiplied by the length sqrt(g_n / g_f), the radius of gyration at
 *               the contact
 *   sliding     the normal, and | g_t (p_t + mu p_n slide) |
 *   bilateral   | u | if above 1e-8 velocity
 *   bounded     | g p - clamp(g p - u, g lower, g upper) |
 *
 * No method uses it for its own purposes: it judges them all. */
typedef struct crd_coulomb_residual_parts {
  double worst;                                /* (1) the largest of all; tolerances are compared with it */
  double normal, friction, bilateral, bounded; /* (1) the largest of each kind of row */
  double scale;                                /* m/s: the worst residual is relative to this */
  double rounding; /* (1) rounding error of u = w + G p itself; large if impulses cancel each other */
  int row;         /* of the worst; -1: no rows */
} crd_coulomb_residual_parts;

/* Computes the residual of p (n) and u = w + G p (n). CRD_ERR_NUMBER: p or u is not finite (worst is infinite).
 * Allocates only if `speed` is given or contacts spin or roll: CRD_ERR_MEMORY. */
CRD_API crd_status crd_coulomb_residual(const crd_coulomb_problem *problem, const double *p, double *u,
                                        crd_coulomb_residual_parts *parts);

/* Determines the modes (ncontact) from p and u (n), by the projections of the residual. */
CRD_API void crd_coulomb_modes(const crd_coulomb_problem *problem, const double *p, const double *u, crd_mode *mode);

/* ---------------------------------------------------------------------------------------------- all solutions
 * Coulomb's law may have no solution, one or several (Painleve), and one motion may have many impulses (hyperstatic
 * contact). Every mode is tried: each contact is open, or closed with each of its frictions sticking or slipping; each
 * bounded row lies between its bounds or at one of them. Islands are enumerated one by one and combined. The number of
 * modes limits this to small problems: 4 for a planar contact, 3 for a spatial one, 2 without friction, multiplied
 * within an island. */

/* One motion. The impulses that cause it form a convex set, of which p is one point. */
typedef struct crd_coulomb_solution {
  const double *p, *u; /* n: impulses, velocities */
  /* ncontact: the mode in which the solution was found first; a contact that pushes without friction has
   * CRD_MODE_STICK. On the border of two modes it is one of them; crd_coulomb_modes determines the modes from p and u. */
  const crd_mode *mode;
  int freedom;     /* dimension of the set of impulses with this motion; 0: they are determined */
  bool continuum;  /* motions arbitrarily near to this one are solutions, too */
  double residual; /* (1) crd_coulomb_residual */
} crd_coulomb_solution;

typedef struct crd_coulomb_enumerate_options {
  double tolerance;       /* (1) of the residual of a solution; 1e-9 */
  double merge_tolerance; /* (1) solutions are one motion if their velocities u_i/sqrt(G_ii) differ by less than this,
                                * relative to those of w; 1e-7 */
  int max_modes;          /* of an island; 65536, the number of eight planar contacts */
  int max_searched;       /* of an island: modes in which several spatial frictions slip; 150 */
  int max_solutions;      /* 1024 */
  int starts;             /* starting points of the search in each of these modes; 16 */
  bool (*stop)(void *context); /* polled between modes; true: CRD_LIMIT. May be NULL */
  void *context;               /* passed to stop */
} crd_coulomb_enumerate_options;
/* The defaults, as stated at the fields. */
CRD_API crd_coulomb_enumerate_options crd_coulomb_enumerate_default(void);

/* Zero it before the first use ({0}); free it after every use. */
typedef struct crd_coulomb_solutions {
  int n, ncontact, count;
  const crd_coulomb_solution *solution; /* count */
  crd_status status;                    /* what crd_coulomb_enumerate returned */
  long modes;                           /* modes tried, in all islands */
  bool searched; /* directions of several slipping spatial frictions were searched from starting points: other solutions
                    * may exist */
  bool undecided;  /* a hyperstatic mode was neither solved nor excluded */
  bool every_slip; /* a contact may slip in a continuum of directions; one represents them */
  int row;         /* the bad one of CRD_ERR_*, else -1 */
  crd_arena arena; /* owns the arrays */
} crd_coulomb_solutions;

/* Lists every solution, those with sticking contacts first. options may be NULL.
 *   CRD_OK            at least one; all of them unless searched or undecided
 *   CRD_NO_SOLUTION   none: every mode was excluded
 *   CRD_UNKNOWN       none was found, but searched or undecided
 *   CRD_LIMIT         modes = 0: too many modes, nothing was done; else stopped, or max_solutions are listed
 *   CRD_ERR_ARGUMENT, CRD_ERR_NUMBER, CRD_ERR_MEMORY   nothing is listed */
CRD_API crd_status crd_coulomb_enumerate(const crd_coulomb_problem *problem,
                                         const crd_coulomb_enumerate_options *options,
                                         crd_coulomb_solutions *solutions);
CRD_API void crd_coulomb_solutions_free(crd_coulomb_solutions *solutions);

/* Conclusions from the list about the problem. */
typedef enum crd_coulomb_motion {
  CRD_MOTION_UNKNOWN, /* none was found, and some modes were not decided; or there are too many modes */
  CRD_MOTION_NONE,    /* no motion satisfies the law (Painleve) */
  CRD_MOTION_UNIQUE,
  CRD_MOTION_SEVERAL
} crd_coulomb_motion;
CRD_API const char *crd_coulomb_motion_name(crd_coulomb_motion motion); /* "unknown", "none", "unique", "several" */

typedef struct crd_coulomb_verdict {
  crd_coulomb_motion motion;
  bool forces_unique; /* each motion has unique impulses; false: some are hyperstatic. Meaningless without motion */
  /* false: a search may have missed a further motion. CRD_MOTION_SEVERAL and forces that are not unique are always
   * proved */
  bool proved;
} crd_coulomb_verdict;
/* The verdict on a list of crd_coulomb_enumerate. */
CRD_API crd_coulomb_verdict crd_coulomb_judge(const crd_coulomb_solutions *solutions);

#ifdef __cplusplus
}
#endif
#endif
