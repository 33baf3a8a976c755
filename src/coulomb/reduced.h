/* One island as the methods see it: every row in units of its own compliance, without rows that carry nothing.
 *
 *   y = A x + b,    p = scale x,   y = scale u
 *
 *   contact    0 <= x_n _|_ y_n >= 0,   x_f in -mu_f x_n Sgn(y_f)     (mu_f in these units)
 *   bounded    lower <= x <= upper,  y >= 0 at lower, y <= 0 at upper, y = 0 between
 *
 * The diagonal of A is one (the mean of it over the rows of a friction). A friction without coefficient, a bounded row
 * without room, and the tangents of a sliding contact with given direction are no rows here. A is not symmetric where
 * there are such sliding contacts. A bilateral row is eliminated (small islands) or bounded by infinity.
 */
#ifndef SRC_COULOMB_REDUCED_H
#define SRC_COULOMB_REDUCED_H

#include "coulomb/islands.h"
#include "linalg/block_lu.h"
#include "linalg/simd.h"

enum { CRD_UNIT_ROWS = 6 }; /* most rows of a contact */

/* A contact, or a single bounded or bilateral row. Contacts come first. */
typedef struct crd_unit {
  int id;        /* of the contact in the problem; -1: a single row */
  int row, rows; /* its normal first */
  int nfriction;
  crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS];
  double lower, upper; /* of a single row */
  bool bilateral;      /* satisfied to the slack of the problem's velocity */
} crd_unit;

typedef enum crd_form {
  CRD_FORM_DENSE,
  CRD_FORM_RANK,  /* A = L L' of low rank: a foot with 28 points has six */
  CRD_FORM_SPARSE /* A by the columns that act on each unit */
} crd_form;

/* Columns of other units that act on one: `count` from `first` of the list, a vector of four rows each, two where the
 * unit has more. */
typedef struct crd_columns {
  int first, count;
  size_t value; /* of the first vector */
  size_t own;   /* first entry of the unit's own block, rows x rows */
} crd_columns;

typedef struct crd_reduced {
  int n, nunit, ncontact; /* units 0 .. ncontact - 1 are contacts */
  crd_unit *unit;
  double *b;       /* n */
  double *weight;  /* n: a unit of y as a share of the velocity scale, which the residual counts */
  double *scale;   /* n */
  double slack;    /* of the velocity scale: bilateral rows that are not eliminated hold to this */
  double softness; /* s of y = A x + b + s (x - center), 0: none */
  double *center;  /* n */
  crd_form form;
  bool symmetric;       /* A is, and dense */
  size_t stride;        /* from row to row of A, G, E and the multipliers */
  double *A;            /* n x n: dense and low rank; G itself where there are no bilateral rows */
  int rank, width;      /* columns of L; from row to row */
  double *L;            /* n x width */
  double *velocity;     /* width: scratch */
  crd_columns *columns; /* nunit: sparse */
  int *column;          /* rows of x */
  crd_v4 *value;
  double *own;
  /* the island before elimination: its n rows, then the bilateral ones */
  int m;
  int *full_row;      /* m: of the problem */
  double *full_scale; /* m */
  double softest;     /* largest compliance */
  double *factor;     /* n: share of the compliance left by elimination, a further factor of scale */
  double *G, *w;      /* m x m, m: scaled by full_scale */
  /* Gaussian elimination of the bilateral rows, the largest pivot first */
  int nb, nb_rank;
  int *pivot;                   /* nb: rows of the island, the independent ones first */
  double *E, *e;                /* m x m, m: eliminated G and w; E is G where there is nothing to eliminate */
  double *reduced, *eliminated; /* m x m: memory of A and E */
  double *multiplier;           /* nb x m */
  double *B;                    /* nb x nb, where some depend: the bilateral part of G + a little, factored */
  int *B_pivot;                 /* nb */
} crd_reduced;

/* From row to row of a matrix with this many columns: whole vectors, so that every row begins with an aligned one. */
static inline size_t crd_reduced_stride(int columns) { return 4 * (size_t)crd_v4_count(columns); }

/* Room that an island takes. */
typedef struct crd_room {
  int problem_rows, rows;
  int dense; /* rows of a dense island */
  size_t columns, vectors, owns;
} crd_room;

enum { CRD_SWEEP_WINDOW = 5 }; /* sweeps remembered by the acceleration */

typedef struct crd_memory {
  crd_arena arena;
  crd_room room;
  crd_reduced reduced;
  int *where;    /* problem_rows: zero between calls */
  double *share; /* problem_rows: of a column in the one it is taken to */
  bool stopped;  /* by the caller, in this solve */
  bool as_given; /* Newton's method has kept to the modes given, by proximal steps from the guess: the least change */
  /* vectors of `rows` */
  double *x, *y, *best, *guess, *first;
  double *kept, *answer, *lift, *tangent;                      /* of the continuation */
  double *x0, *y0, *x1, *y1, *rhs;                             /* of a step */
  double *full, *full_guess, *error, *kept_full, *answer_full; /* scaled impulses and velocities before elimination */
  double *start, *sweep_best, *sweep_kept, *change, *image, *direction; /* of the sweeps */
  double *change_steps, *image_steps;                                   /* CRD_SWEEP_WINDOW x rows */
  /* of a step's equations (linear.h) */
  double eps;    /* proximal term */
  double off;    /* residual where they are stated */
  bool singular; /* they may be redundant */
  bool reuse;    /* the factors of the last ones are taken */
  struct crd_unknown *unknown;
  int *unknown_row, *combined; /* rows */
  int *pivot;                  /* rows */
  double *matrix, *P, *Q, *q;  /* dense^2, dense^2 / 2, dense^2 / 2, dense */
  double *row;                 /* rows */
  crd_block_lu lu;
  int *unit_size, *unit_row, *unit_of, *neighbour_first, *neighbour_mark, *neighbour; /* rows + 1, 2 columns */
  /* of methods */
  crd_mode *mode;                   /* of the contacts */
  struct crd_newton_unit *newton;   /* modes of a step */
  unsigned char *signature;         /* of the last one */
  struct crd_smoothed_unit *smooth; /* of the units, for the continuation */
  struct crd_sweep_local *local;
} crd_memory;

/* Grows where it must; CRD_ERR_MEMORY: all is as it was. */
crd_status crd_memory_reserve(crd_memory *memory, const crd_room *room);
void crd_memory_free(crd_memory *memory);

/* The task of a solve. */
typedef struct crd_task {
  const crd_coulomb_problem *problem;
  const crd_coulomb_options *options;
  crd_coulomb_report *report;
  crd_island island;
  int rows;               /* of the island */
  int factored_before;    /* report->factorizations when it was entered */
  double scale, velocity; /* m/s: crd_coulomb_measure of the island */
} crd_task;

/* Of the island: one of fewer rows may factor as often as takes the time of max_factorizations with this many. */
enum { CRD_USUAL_ROWS = 60 };
static inline double crd_coulomb_most_factorizations(const crd_task *task) {
  double ratio = (double)CRD_USUAL_ROWS / (task->rows > 0 ? task->rows : 1);
  return task->options->max_factorizations * (ratio > 1 ? ratio * ratio * ratio : 1);
}

/* Asks the caller, unless he has stopped this solve already. True, too, where the island has had its share of work. */
static inline bool crd_coulomb_stopped(crd_memory *memory, const crd_task *task) {
  const crd_coulomb_options *options = task->options;
  if (!memory->stopped) memory->stopped = crd_interrupted() || (options->stop && options->stop(options->context));
  if (memory->stopped || options->max_factorizations <= 0) return memory->stopped;
  return task->report->factorizations - task->factored_before >= crd_coulomb_most_factorizations(task);
}

/* Sets memory->reduced, dense with bilateral rows eliminated; memory is reserved. CRD_NO_SOLUTION: bilateral rows
 * contradict each other, or a contact that nothing can move approaches; *row says which. */
crd_status crd_coulomb_reduce(crd_memory *memory, const crd_task *task, int *row);
/* The same, sparse; reserves. CRD_ERR_MEMORY. */
crd_status crd_coulomb_reduce_sparse(crd_memory *memory, const crd_task *task);
/* Units, rows and scales of both (reduce.c): those of bilateral rows are units where `sparse`. */
void crd_reduce_rows(crd_memory *memory, const crd_task *task, bool sparse);
/* w of all rows with targets and fixed impulses, scaled. */
void crd_reduce_velocities(const crd_reduced *reduced, const crd_task *task);

/* memory->x and full_guess from the problem's impulses p (NULL: zero). */
void crd_coulomb_restrict(crd_memory *memory, const double *p);
/* Impulses of all rows of the island from memory->x, into memory->full; their residual by G itself. */
double crd_coulomb_expand(crd_memory *memory, const crd_task *task);
/* Takes the rounding errors of elimination, as memory->full shows them, into the reduced problem. */
void crd_coulomb_refine(crd_memory *memory);
/* Scaled impulses into the problem's impulses p. */
void crd_coulomb_scatter(const crd_reduced *reduced, const crd_task *task, const double *full, double *p);

/* The natural map at x, y: its largest weighted component, which is crd_coulomb_residual except for rounding in G and
 * eliminated rows; *norm: its square. */
double crd_natural_map(const crd_reduced *reduced, const double *x, const double *y, double *norm);
/* The same of impulses and velocities in units of the compliance before elimination, x = factor (x of the others). */
double crd_natural_map_full(const crd_reduced *reduced, const double *x, const double *y);

/* When Newton's method ends. */
typedef struct crd_newton_limits {
  int steps;     /* factorisations, but those that bring a solution much nearer */
  int stalled;   /* steps in a row that reduced the residual by little */
  double enough; /* residual */
  double fair;   /* residual that is taken once a step does not reduce it by much */
} crd_newton_limits;
/* From a guess, or a point near a solution. */
static inline crd_newton_limits crd_newton_until(double enough, double fair) {
  return (crd_newton_limits){.steps = 10, .stalled = 3, .enough = enough, .fair = fair};
}

/* The impulses of a contact that is an island by itself, into p (n of the problem); where: n, zero between calls.
 * False: it has several frictions, or its solution may not be unique. */
bool crd_coulomb_single(const crd_coulomb_problem *problem, const crd_coulomb_contact *contact, int *where, double *p);
/* Newton's method on the natural map from memory->x, with the modes given for the first steps (NULL: those of x and y).
 * The best iterate is left in memory->x, y; returns its residual. */
double crd_coulomb_newton(crd_memory *memory, const crd_task *task, const crd_mode *mode, crd_newton_limits limits);
/* The continuation, whatever memory->x is; ends with Newton's method. By descents, whose impulses start as large as
 * those of memory->guess, or along its curves. */
double crd_coulomb_descend(crd_memory *memory, const crd_task *task, double enough);
double crd_coulomb_follow(crd_memory *memory, const crd_task *task, double enough);
/* Of the impulses that share the modes of memory->x those nearest to `from`, into memory->x, if they satisfy the
 * problem to `tolerance`. */
void crd_coulomb_nearest(crd_memory *memory, const crd_task *task, const double *from, double tolerance);
/* An answer, and the method that found it. */
typedef struct crd_standing {
  double residual;
  crd_coulomb_method method;
} crd_standing;
/* Sweeps from p (n of the problem, the guess of the island's rows) to a residual of at most `tolerance`, at most
 * options->max_sweeps; p: the answer. CRD_OK, CRD_LIMIT (the best found), CRD_ERR_MEMORY (p as it was). */
crd_status crd_coulomb_sweep(crd_memory *memory, const crd_task *task, double tolerance, double *p,
                             crd_standing *answer);

#endif
