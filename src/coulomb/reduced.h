/* One island as the dense methods see it: bilateral rows eliminated, every row in units of its own compliance.
 *
 *   y = A x + b,    p = scale x,   y = scale u
 *
 *   contact    0 <= x_n _|_ y_n >= 0,   x_f in -mu_f x_n Sgn(y_f)     (mu_f in these units)
 *   bounded    lower <= x <= upper,  y >= 0 at lower, y <= 0 at upper, y = 0 between
 *
 * The diagonal of A is one (the mean of it over the rows of a friction). A friction without coefficient, a bounded row
 * without room, and the tangents of a sliding contact with given direction are no rows here. A is not symmetric where
 * there are such sliding contacts.
 */
#ifndef SRC_COULOMB_REDUCED_H
#define SRC_COULOMB_REDUCED_H

#include "coulomb/islands.h"

typedef struct crd_reduced_contact {
  int id;  /* in the problem */
  int row; /* of its normal here */
  int nfriction;
  crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS];
} crd_reduced_contact;

typedef struct crd_reduced_bounded {
  int row;
  double lower, upper;
} crd_reduced_bounded;

typedef struct crd_reduced {
  int n, ncontact, nbounded;
  crd_reduced_contact *contact;
  crd_reduced_bounded *bounded;
  double *A, *b;    /* n x n, n */
  int rank_A;       /* columns of L; 0: A is not of low rank, L is not there */
  double *L;        /* n x rank_A, A = L L' (low_rank.h) */
  double *velocity; /* rank_A: scratch */
  double softness;  /* s of y = A x + b + s (x - center), 0: none */
  double *center;   /* n */
  double *weight;   /* n: a unit of y as a share of the velocity scale, which the residual counts */
  double *scale;    /* n */
  /* the island before elimination: its n rows, then the bilateral ones */
  int m;
  int *full_row;      /* m: of the problem */
  double *full_scale; /* m */
  double softest;     /* largest compliance */
  double *own;        /* n: what elimination left of the compliance, as a further factor of scale */
  double *G, *w;      /* m x m, m: scaled by full_scale */
  /* Gaussian elimination of the bilateral rows, the largest pivot first */
  int nb, rank;
  int *pivot;         /* nb: rows of the island, the `rank` independent ones first */
  double *E, *e;      /* m x m, m: eliminated G and w */
  double *multiplier; /* nb x m */
  double *B;          /* nb x nb, where rank < nb: the bilateral part of G + a little, factored */
  int *B_pivot;       /* nb */
} crd_reduced;

/* Memory for islands of m rows, carved out of the workspace. */
typedef struct crd_dense_memory {
  crd_arena arena;
  int n, rows; /* of the largest problem and island */
  crd_reduced reduced;
  double *x, *y, *best, *guess;               /* rows */
  double *kept, *answer, *first;              /* rows: of the interior path, and Newton's answer before it */
  double *x0, *y0, *x1, *y1, *rhs, *combined; /* rows: of a Newton step */
  double *full, *full_guess, *error;          /* rows: scaled impulses and velocities of the island */
  double *kept_full;                          /* rows */
  double eps;                                 /* proximal term of the step */
  bool stopped;                               /* by the caller, in this solve */
  bool singular;                              /* the last step's equations may be redundant */
  double *matrix;                             /* rows^2 */
  double *P, *Q, *D, *q;                      /* rows^2 / 2, rows^2 / 2, rows, rows: of a step where A has low rank */
  int *lu_pivot;                              /* rows */
  int *unknown_row, *combined_unknown;        /* rows */
  int *where;                                 /* n of the problem: zero between calls */
  struct crd_newton_unknown *unknown;         /* rows */
  struct crd_newton_friction *friction_state; /* rows */
  crd_mode *mode;                             /* rows: of the reduced contacts */
  struct crd_interior_cone *cone;             /* 2 rows */
  struct crd_interior_block *block;           /* rows */
} crd_dense_memory;

crd_status crd_dense_reserve(crd_dense_memory *memory, int n, int rows);
void crd_dense_free(crd_dense_memory *memory);

/* What to do it with. */
typedef struct crd_dense_task {
  const crd_coulomb_problem *problem;
  const crd_coulomb_options *options;
  crd_coulomb_report *report;
  crd_island island;
  double scale, velocity; /* m/s: crd_coulomb_measure of the island */
} crd_dense_task;

/* Asks the caller, unless he has stopped this solve already. */
static inline bool crd_coulomb_stopped(crd_dense_memory *memory, const crd_dense_task *task) {
  const crd_coulomb_options *options = task->options;
  if (!memory->stopped && options->stop) memory->stopped = options->stop(options->context);
  return memory->stopped;
}

/* Sets memory->reduced from the problem. CRD_NO_SOLUTION: bilateral rows contradict each other, or a contact that
 * nothing can move approaches; *row says which. */
crd_status crd_coulomb_reduce(crd_dense_memory *memory, const crd_dense_task *task, int *row);

/* memory->x and full_guess from the problem's impulses p (NULL: zero). */
void crd_coulomb_restrict(crd_dense_memory *memory, const double *p);
/* Impulses of all rows of the island from memory->x, into memory->full; their residual by G itself. */
double crd_coulomb_expand(crd_dense_memory *memory, const crd_dense_task *task);
/* Takes the rounding errors of elimination, as memory->full shows them, into the reduced problem. */
void crd_coulomb_refine(crd_dense_memory *memory);
/* memory->full into the problem's impulses p. */
void crd_coulomb_scatter(const crd_dense_memory *memory, const crd_dense_task *task, double *p);

/* y = A x + b; dy = A dx */
void crd_reduced_velocity(const crd_reduced *reduced, const double *x, double *y);
void crd_reduced_change(const crd_reduced *reduced, const double *dx, double *dy);
/* The natural map's largest weighted component: what crd_coulomb_residual counts, but for rounding in G and the
 * bilateral rows. */
double crd_reduced_residual(const crd_reduced *reduced, const double *x, const double *y);

/* Newton's method on the natural map from memory->x, at most `steps` steps, with the modes given for the first one
 * (mode NULL: those of x and y). The best iterate is left in memory->x, y; returns its residual. */
double crd_coulomb_newton(crd_dense_memory *memory, const crd_dense_task *task, const crd_mode *mode, int steps);
/* The same from zero through softened problems. */
double crd_coulomb_harden(crd_dense_memory *memory, const crd_dense_task *task);
/* Of the impulses that share the modes of memory->x those nearest to `from`, into memory->x, if they satisfy the
 * problem as well. */
void crd_coulomb_nearest(crd_dense_memory *memory, const crd_dense_task *task, const double *from, double tolerance);

/* The central path, whatever memory->x is; ends with Newton's method. As crd_coulomb_newton. */
double crd_coulomb_interior(crd_dense_memory *memory, const crd_dense_task *task, double tolerance);

#endif
