/* coulomb: contact with Coulomb friction as one problem, from a foot to a heap.
 *
 *   u = w + G p
 *
 *   contact     0 <= p_n  _|_  u_n - target >= 0,   and for each of its frictions (sliding, spinning, rolling)
 *               p_f in -mu_f p_n Sgn(u_f)           Sgn(x) is x / |x|, or the unit ball where x = 0 (the round cone)
 *   sliding     the same with p_t = -mu p_n slide of a given direction, whatever u_t (accelerations of a contact that
 *               slides already)
 *   bilateral   u = 0
 *   bounded     lower <= p <= upper,   u >= 0 at the lower bound, u <= 0 at the upper, u = 0 between (dry friction of
 *               a joint: -b, b; a motor; a relay)
 *
 * p are impulses and u velocities after them, or forces and accelerations. G = J M^-1 J' is symmetric and positive
 * semidefinite where it comes from a mechanism; a general matrix is accepted by the methods that say so. This layer
 * knows no bodies.
 *
 * Rows of different islands have no entry of G between them; they are solved one by one. Where G is singular impulses
 * are not unique although velocities usually are. One policy, for every caller: where the modes of the guess (who
 * opens, sticks, slips) hold, the least change from it, in units of each contact's own compliance; where they change, or
 * the guess carries nothing, impulses with the friction of the guess if they exist, else those nearest to it. So the
 * least change from the warm start and, without one, the least norm with friction only where it must act. If these would pull or leave the cone, small islands take those nearest within
 * the cones; in larger ones, and those that sweeps solve, the method's own answer stands. Nothing refers to a contact's
 * tangents or to units: the answer turns with the scene and scales with it.
 *
 * One workspace per thread. A solve allocates only when the problem is larger than all before, or where no method found
 * an answer and modes or a proof that there is none are looked for.
 */
#ifndef CRADLE_COULOMB_H
#define CRADLE_COULOMB_H

#include <cradle/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a contact does. */
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
  int row;
  int ntangent;    /* 0, 1 (planar) or 2 */
  int nspin;       /* 0, or 1: torsion about the normal */
  int nroll;       /* 0, 1 or 2: about the tangents */
  double mu;       /* (1) of sliding; 0: the tangents carry nothing */
  double mu_spin;  /* m */
  double mu_roll;  /* m */
  double target;   /* what u_n must reach: -e u_n before, -gap / step; 0 */
  bool slides;     /* direction of sliding given: p_t = -mu p_n slide */
  double slide[2]; /* unit vector in the tangents' frame */
} crd_coulomb_contact;

typedef struct crd_coulomb_bounded {
  int row;
  double lower, upper; /* lower <= upper; infinite: no bound */
} crd_coulomb_bounded;

/* G by blocks; no contact lies in two groups. */
typedef crd_blocks crd_coulomb_blocks;

/* Every row belongs to one contact, or is bilateral, or bounded. G is given in one of three ways. */
typedef struct crd_coulomb_problem {
  int n;
  const double *w; /* n */
  int ncontact, nbilateral, nbounded;
  const crd_coulomb_contact *contact;
  const int *bilateral; /* rows */
  const crd_coulomb_bounded *bounded;
  const double *G;                  /* dense: n rows of n, row-major */
  const crd_coulomb_blocks *blocks; /* by blocks */
  int nv;                           /* factored: G = J X', */
  const double *J, *X;              /* n x nv, row-major; row i of X is M^-1 J_i', from the factor of M */
  double velocity; /* m/s: velocities are judged relative to max(|w_i|, |target|), at least 1e-6 of this (what rounding
                    * left of w where the mechanism moves this fast); bilateral rows to 1e-8 of it. 0: by w alone */
  const double *speed; /* n, may be NULL: as `velocity`, row by row: speeds of what the row compares before they cancel.
                        * Each island is then judged by its own rows alone: their w, targets and largest speed */
} crd_coulomb_problem;

/* Impulses and modes: the guess of a warm start on entry, the answer on return. */
typedef struct crd_coulomb_state {
  double *p;      /* n */
  double *u;      /* n: only returned */
  crd_mode *mode; /* ncontact */
} crd_coulomb_state;

/* ---------------------------------------------------------------------------------------------- solving */

typedef enum crd_coulomb_method {
  CRD_COULOMB_AUTO,     /* newton, interior, curve, modes, each where those before fail; large islands: sweeps */
  CRD_COULOMB_NEWTON,   /* the natural map from the guess: what nearly all steps need */
  CRD_COULOMB_INTERIOR, /* continuation of the smoothed law by long steps: needs no guess, minds no redundancy */
  CRD_COULOMB_CURVE,    /* the same along its curve, which may turn: ends at a solution or at infinity */
  CRD_COULOMB_SWEEPS,   /* contact by contact, accelerated: cost and memory grow with the entries of G. Where sweeps do
                         * not get there newton, interior and curve by a sparse factor */
  CRD_COULOMB_MODES,    /* every mode of a small problem, where nothing else reaches the tolerance; allocates */
  CRD_COULOMB_METHODS
} crd_coulomb_method;
CRD_API const char *crd_coulomb_method_name(crd_coulomb_method method); /* "auto", "newton", ... */

typedef struct crd_coulomb_options {
  crd_coulomb_method method;
  bool warm;              /* p and mode hold a guess; false: they are not read */
  double tolerance;       /* of the residual, islands up to large_contacts; 1e-9 */
  double large_tolerance; /* and above; 1e-4 */
  int large_contacts;     /* 200 */
  int max_sweeps;         /* of a large island; 5000 */
  int max_factorizations; /* of one island; with fewer than 60 rows as many as take the time of that. Where they are spent the
                           * best answer so far stands; 0: no bound */
  bool (*stop)(void *context); /* asked between iterations; true: CRD_LIMIT with the best answer so far. May be NULL */
  void *context;
} crd_coulomb_options;
CRD_API crd_coulomb_options crd_coulomb_default(void);

typedef struct crd_coulomb_report {
  crd_status status;
  double residual;                     /* of the answer: worst of crd_coulomb_residual, and its rounding error */
  int islands;                         /* with rows */
  int unsettled;                       /* of them above their tolerance */
  int settled[CRD_COULOMB_METHODS];    /* islands by the method whose answer stands */
  int iterations[CRD_COULOMB_METHODS]; /* Newton steps, steps along the path, sweeps; all islands together */
  int factorizations;                  /* of matrices */
  int row; /* that the verdict or error is about: the worst of CRD_LIMIT, the one that cannot be satisfied of
            * CRD_NO_SOLUTION, the bad one of CRD_ERR_*; -1 where there is none */
} crd_coulomb_report;

typedef struct crd_coulomb_work crd_coulomb_work;
CRD_API crd_coulomb_work *crd_coulomb_work_new(void); /* NULL: memory */
CRD_API void crd_coulomb_work_free(crd_coulomb_work *work);
/* Room for problems of n rows with at most `largest` rows of a dense island. CRD_ERR_MEMORY. */
CRD_API crd_status crd_coulomb_reserve(crd_coulomb_work *work, int n, int largest);

/* Adds the islands of all solves of this workspace, by the method whose answer stands (NULL: none). */
CRD_API void crd_coulomb_ways(const crd_coulomb_work *work, long settled[CRD_COULOMB_METHODS]);

/* Solves the problem. options and report may be NULL.
 *   CRD_OK            report.residual <= the tolerance
 *   CRD_NO_SOLUTION   proved: no velocities exist that keep the bilateral rows and close no contact. The state is as it
 *                     was, or has the best answer found where this was proved last
 *   CRD_LIMIT         the tolerance was not reached: the best answer found is returned with its residual
 *   CRD_ERR_ARGUMENT, CRD_ERR_NUMBER, CRD_ERR_MEMORY   the state is as it was */
CRD_API crd_status crd_coulomb_solve(crd_coulomb_work *work, const crd_coulomb_problem *problem,
                                     const crd_coulomb_options *options, crd_coulomb_state *state,
                                     crd_coulomb_report *report);

/* ---------------------------------------------------------------------------------------------- checking */

/* The natural map at p on the round cone, as velocities, relative to max(|w_i|, |target|, 1e-6 velocity) of the
 * problem (w_i of spin and rolling times their length, see below), or where `speed` is given of the row's island; g is a row's diagonal entry of G, g_f the mean of a
 * friction's rows:
 *
 *   normal      | min(g p_n, u_n - target) |
 *   friction    | g_f p_f - P(g_f p_f - u_f) |    P: onto the ball of radius mu_f g_f max(0, p_n); of spin and rolling,
 *               which are in rad/s, times the length sqrt(g_n / g_f): the radius of gyration that the contact feels
 *   sliding     the normal, and | g_t (p_t + mu p_n slide) |
 *   bilateral   | u | where above 1e-8 velocity
 *   bounded     | g p - clamp(g p - u, g lower, g upper) |
 *
 * No method calls it for itself: it judges them all. */
typedef struct crd_coulomb_residual_parts {
  double worst; /* the largest of all, relative: what tolerances are compared with */
  double normal, friction, bilateral, bounded;
  double scale;    /* m/s: what the worst is relative to */
  double rounding; /* relative: error of u = w + G p itself, which impulses that cancel each other make large */
  int row;         /* of the worst; -1: no rows */
} crd_coulomb_residual_parts;

/* Fills u = w + G p (n), too. CRD_ERR_NUMBER: p or u is not finite (worst is infinite). Allocates only where `speed` is
 * given or contacts spin or roll, for the measures of rows: CRD_ERR_MEMORY. */
CRD_API crd_status crd_coulomb_residual(const crd_coulomb_problem *problem, const double *p, double *u,
                                        crd_coulomb_residual_parts *parts);

/* Modes that p and u show, those of the residual's projections. */
CRD_API void crd_coulomb_modes(const crd_coulomb_problem *problem, const double *p, const double *u, crd_mode *mode);

/* ---------------------------------------------------------------------------------------------- all solutions
 * Coulomb's law may have no solution, one or several (Painleve), and one motion may have many impulses (hyperstatic
 * contact). Every mode is tried: each contact opens, or closes with each of its frictions sticking or slipping, each
 * bounded row lies between its bounds or at one of them. Islands are enumerated one by one and combined. Small problems
 * only: 4 modes of a planar contact, 3 of a spatial one, 2 without friction, multiplied within an island. */

/* One motion. The impulses that cause it form a convex set, of which p is one point. */
typedef struct crd_coulomb_solution {
  const double *p, *u; /* n */
  /* ncontact: of the mode in which it was found first; a contact that pushes without friction has CRD_MODE_STICK.
   * Between two modes one of them; what p and u show is told by crd_coulomb_modes */
  const crd_mode *mode;
  int freedom;     /* dimension of the set of impulses with this motion; 0: they are determined */
  bool continuum;  /* motions arbitrarily near to this one solve the problem, too */
  double residual; /* crd_coulomb_residual */
} crd_coulomb_solution;

typedef struct crd_coulomb_enumerate_options {
  double tolerance;            /* of the residual of a solution; 1e-9 */
  double merge_tolerance;      /* velocities u_i/sqrt(G_ii) that differ by less of those of w are one motion; 1e-7 */
  int max_modes;               /* of an island: as many as eight planar contacts have; 65536 */
  int max_searched;            /* of an island: modes with several spatial frictions that slip; 150 */
  int max_solutions;           /* 1024 */
  int starts;                  /* of the search in each of these modes; 16 */
  bool (*stop)(void *context); /* asked between modes; true: CRD_LIMIT. May be NULL */
  void *context;
} crd_coulomb_enumerate_options;
CRD_API crd_coulomb_enumerate_options crd_coulomb_enumerate_default(void);

/* Zero it before the first use ({0}); free it after every use. */
typedef struct crd_coulomb_solutions {
  int n, ncontact, count;
  const crd_coulomb_solution *solution; /* count */
  crd_status status;                    /* what crd_coulomb_enumerate returned */
  long modes;                           /* tried, all islands together */
  bool searched;   /* directions of several slipping spatial frictions were searched for from starting points: what was
                    * found are solutions, others may exist */
  bool undecided;  /* of a hyperstatic mode none was found and none could be excluded */
  bool every_slip; /* a contact may slip in a continuum of directions; one stands for them */
  int row;         /* the bad one of CRD_ERR_*, else -1 */
  crd_arena arena;
} crd_coulomb_solutions;

/* Every solution, those in which contacts stick first. options may be NULL.
 *   CRD_OK            at least one; all of them unless searched or undecided
 *   CRD_NO_SOLUTION   none: every mode was excluded
 *   CRD_UNKNOWN       none was found, but searched or undecided
 *   CRD_LIMIT         modes = 0: too many of them, nothing was done; else stopped, or max_solutions are listed
 *   CRD_ERR_ARGUMENT, CRD_ERR_NUMBER, CRD_ERR_MEMORY   nothing is listed */
CRD_API crd_status crd_coulomb_enumerate(const crd_coulomb_problem *problem,
                                         const crd_coulomb_enumerate_options *options,
                                         crd_coulomb_solutions *solutions);
CRD_API void crd_coulomb_solutions_free(crd_coulomb_solutions *solutions);

/* What the list says about the problem. */
typedef enum crd_coulomb_motion {
  CRD_MOTION_UNKNOWN, /* none was found, and some modes were not decided; or there are too many modes */
  CRD_MOTION_NONE,    /* no motion satisfies the law (Painleve) */
  CRD_MOTION_UNIQUE,
  CRD_MOTION_SEVERAL
} crd_coulomb_motion;
CRD_API const char *crd_coulomb_motion_name(crd_coulomb_motion motion); /* "unknown", "none", "unique", "several" */

typedef struct crd_coulomb_verdict {
  crd_coulomb_motion motion;
  bool forces_unique; /* each motion has one set of impulses; false: some are hyperstatic. Not meant without motion */
  bool proved; /* false: a search may have missed a further motion. Several motions, and forces that are not unique, are
                * always proved */
} crd_coulomb_verdict;
CRD_API crd_coulomb_verdict crd_coulomb_judge(const crd_coulomb_solutions *solutions);

#ifdef __cplusplus
}
#endif
#endif
