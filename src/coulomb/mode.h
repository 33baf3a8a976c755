/* One mode of a Coulomb problem: the state of every contact, friction and bounded row, and the resulting linear system.
 *
 *   contact     open: p = 0                        closed: u_n = target, p_n unknown
 *   friction    sticks: u_f = 0, p_f unknown       slips along d: p_f = -mu_f p_n d
 *   bounded     at a bound: p known                between: u = 0, p unknown
 *   bilateral   u = 0, p unknown
 *
 * Unknown j is the impulse x_j along generator g_j: a row, or a closed contact's normal with the frictions that slip,
 * g = n - sum mu_f d_f. A mode is solved by A x = -r, A_ij = (row i of G) g_j, r = w - target + G (known impulses).
 */
#ifndef SRC_COULOMB_MODE_H
#define SRC_COULOMB_MODE_H

#include "coulomb/problem.h"

typedef struct coulomb_mode_friction {
  crd_coulomb_friction rows;
  int contact;
  bool slips;
  bool open;   /* it slips in a direction that is left open: its rows are unknowns without equations */
  double d[2]; /* unit vector; planar: +-1, 0 */
} coulomb_mode_friction;

typedef enum coulomb_mode_bound { COULOMB_BETWEEN, COULOMB_AT_LOWER, COULOMB_AT_UPPER } coulomb_mode_bound;

typedef struct coulomb_mode {
  const crd_coulomb_problem *problem; /* G dense */
  int n;
  double *b;        /* n: w - target */
  double *scale;    /* n: 1/sqrt(G_rr), rows of a friction alike: u scale and p / scale are roots of energies */
  double energy;    /* such a root: the size of w scale */
  double tolerance; /* of the residual of a solution */
  /* the mode */
  bool *closed;          /* ncontact */
  int nfriction, *first; /* first (ncontact + 1): frictions first[c] .. first[c + 1] - 1 belong to contact c */
  coulomb_mode_friction *friction; /* nfriction */
  coulomb_mode_bound *bound;       /* nbounded */
  /* its system */
  int count, *row, *owner; /* of unknowns; owner: contact whose normal it is, -1: a row alone */
  double *known;           /* n: impulses that the mode sets */
  double *rest;            /* n: b + G known */
  double *column;          /* count x n: G g_j */
  double *unit;            /* count: x_j = unit_j y_j, |y|^2 an energy */
  double *factor;          /* count: x_j = factor_j times what A determines, the same except for balance */
  double *A;               /* count x count, scaled by scale and factor */
  int rank;                /* of A; below count where it is singular and U, V, sigma hold its decomposition */
  double *U, *sigma, *V;
  double *x;              /* count */
  double *p, *u;          /* n: answer */
  double residual;        /* of the answer */
  double *many;           /* right-hand sides */
  double *offset, *spare; /* n: of a family of slips */
  int *pivot, *iwork;     /* n */
  double *work;
  double *polyhedron;            /* room of mode_polyhedron.c, NULL until it is needed */
  struct coulomb_sector *sector; /* nfriction: of mode_exclude.c, likewise */
  crd_arena *arena;
} coulomb_mode;

static inline size_t coulomb_at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

/* Memory comes from the arena. CRD_ERR_MEMORY. */
crd_status coulomb_mode_begin(coulomb_mode *mode, const crd_coulomb_problem *problem, double tolerance,
                              crd_arena *arena);

/* ------------------------------------------------------------------------------------------- mode_linear.c */

/* Lists the unknowns of the mode with their generators, without the normal in row `without` (-1: all). */
void coulomb_mode_collect(coulomb_mode *mode, int without);
/* The generator of contact c's normal, friction `without` (an index, -1: none) left out, as G g (n). */
void coulomb_mode_generator(const coulomb_mode *mode, int c, int without, double *column);
/* Recomputes the generators of closed contacts for other directions of slip. */
void coulomb_mode_turn(coulomb_mode *mode);
/* Factors A. Returns the number of directions of x that it leaves undetermined: 0 where A is regular. */
int coulomb_mode_factor(coulomb_mode *mode);
/* Solves A x = r for count right-hand sides (mode->count entries each), in place; the x of least norm, in its units,
 * where A is singular. After coulomb_mode_factor. */
void coulomb_mode_solve(coulomb_mode *mode, int count, double *x);
/* x, p and u of the mode. After coulomb_mode_factor. */
void coulomb_mode_answer(coulomb_mode *mode);
/* p from x, then u and the residual. */
void coulomb_mode_expand(coulomb_mode *mode);
/* Whether p solves the problem, in any mode. */
static inline bool coulomb_mode_holds(const coulomb_mode *mode) { return mode->residual <= mode->tolerance; }

/* ------------------------------------------------------------------------------------------- mode_hyperstatic.c */

/* A mode whose impulses are not determined: are its equations satisfied? If not, no x solves it. */
bool coulomb_mode_consistent(const coulomb_mode *mode);

/* A consistent mode whose impulses are not determined (after coulomb_mode_answer): x that satisfies the inequalities,
 * too.
 *   CRD_OK            mode->p is a solution
 *   CRD_NO_SOLUTION   there is none
 *   CRD_UNKNOWN       none was found
 *   CRD_ERR_MEMORY */
crd_status coulomb_mode_choose(coulomb_mode *mode);

typedef struct coulomb_mode_extent {
  int impulses;   /* dimension of the set of impulses that solve the problem in this mode */
  bool motions;   /* u is not the same in all of it */
  bool undecided; /* the dimension may be larger */
} coulomb_mode_extent;

/* How large the set is to which mode->p belongs. CRD_ERR_MEMORY. */
crd_status coulomb_mode_measure(coulomb_mode *mode, coulomb_mode_extent *extent);

/* ------------------------------------------------------------------------------------------- mode_exclude.c */

/* *none: in this mode several spatial frictions slip, and it was shown that they cannot. CRD_ERR_MEMORY. */
crd_status coulomb_mode_exclude(coulomb_mode *mode, bool *none);

/* ------------------------------------------------------------------------------------------- mode_slip.c */

typedef struct coulomb_mode_found {
  /* Receives mode->p; freedom: directions of x left undetermined. Another status than CRD_OK ends the search. */
  crd_status (*offer)(void *context, coulomb_mode *mode, int freedom);
  void *context;
  int starts;    /* of a search */
  bool exclude;  /* modes that can be shown to have no solution are not searched */
  bool searched; /* set where directions were searched for: others may exist */
  bool every;    /* during an offer: the direction stands for a continuum of them */
} coulomb_mode_found;

/* All solutions of a mode in which spatial frictions slip, their directions unknown. */
crd_status coulomb_mode_slip(coulomb_mode *mode, coulomb_mode_found *found);

#endif
