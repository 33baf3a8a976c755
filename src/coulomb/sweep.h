/* Large islands: contact by contact, every local problem solved exactly, and the sweeps accelerated (sweep.c). */
#ifndef SRC_COULOMB_SWEEP_H
#define SRC_COULOMB_SWEEP_H

#include "coulomb/reduced.h"
#include "linalg/block_lu.h"
#include "linalg/simd.h"

enum {
  CRD_SWEEP_ROWS = 6,  /* most rows of a contact */
  CRD_SWEEP_WINDOW = 5 /* sweeps remembered by the acceleration */
};

typedef enum crd_sweep_kind {
  CRD_SWEEP_NORMAL,  /* contact without friction: one row */
  CRD_SWEEP_PLANAR,  /* normal and one tangent */
  CRD_SWEEP_SPATIAL, /* normal and two tangents */
  CRD_SWEEP_GENERAL, /* contact with spin, roll, rows that carry nothing, or a given direction of sliding */
  CRD_SWEEP_BILATERAL,
  CRD_SWEEP_BOUNDED
} crd_sweep_kind;

/* What is solved at once: a contact, a bilateral or a bounded row. With v the velocity that all others leave,
 *
 *   u = v + G p,   G the unit's own block
 *
 * p_n is eliminated by u_n = 0:  p_n = -r - m.p_t,  u_t = e + H p_t,  r = v_n / g_n,  e = v_t - G_tn r. */
typedef struct crd_sweep_unit {
  crd_sweep_kind kind;
  int id;            /* in the problem's list of its kind */
  int row, rows;     /* local rows */
  int column, count; /* columns of other units: `column` .. `column + count - 1` of the island's list */
  size_t value;      /* first vector of these columns' entries; one vector a column, two where rows > 4 */
  size_t own;        /* first entry of G, rows x rows */
  double mu;
  double g, inverse; /* g_n, 1 / g_n; 0 where nothing moves the row */
  double m[2], G_tn[2], H[4];
  double stick[4]; /* H^-1, unless it is singular */
  bool regular;    /* it is not */
  double alpha;    /* u_t = -alpha p_t of the last slip: where the next search starts */
  double lower, upper;
} crd_sweep_unit;

/* An island as the sweeps read it: p, weight by local rows. */
typedef struct crd_sweep_island {
  int nunit, n;
  crd_sweep_unit *unit;
  crd_v4 *w;                          /* 2 a unit: w less the target */
  int *column;                        /* local rows */
  crd_v4 *value;                      /* entries of G in these columns */
  double *own;                        /* G of each unit */
  double *weight;                     /* n: compliance g of the row, the mean of a friction's rows */
  int *full_row;                      /* n: of the problem */
  const crd_coulomb_contact *contact; /* the problem's list */
  double slack;                       /* m/s: bilateral rows are satisfied to this, see CRD_COULOMB_BILATERAL */
} crd_sweep_island;

/* dF = A du + B dp of one unit, `rows` x `rows`, row-major */
typedef struct crd_sweep_linear {
  bool open; /* F = g p: the unit is left out */
  double A[CRD_SWEEP_ROWS * CRD_SWEEP_ROWS], B[CRD_SWEEP_ROWS * CRD_SWEEP_ROWS];
} crd_sweep_linear;

typedef struct crd_sweep_memory {
  crd_arena arena;
  int rows, units, problem_rows;
  size_t columns, vectors, owns; /* room */
  int *where;                    /* problem_rows: local row, valid where full_row points back */
  crd_sweep_island island;
  double *p, *start, *best, *kept;    /* rows */
  double *change, *image;             /* rows: of the last sweep remembered */
  double *direction;                  /* rows: of the conjugate gradients */
  double *change_steps, *image_steps; /* CRD_SWEEP_WINDOW x rows */
  /* of Newton's method */
  crd_block_lu lu;
  int *unit_of;                                                                 /* rows */
  int *unit_size, *unit_row, *neighbour_first, *neighbour_mark;                 /* units + 1 */
  int *neighbour;                                                               /* 2 columns */
  bool *open;                                                                   /* units */
  double *u, *newton_step, *newton_best, *center, *trial, *trial_u, *shifted_u; /* rows */
  /* of the central path */
  int ncone, *first_cone;         /* units + 1 */
  struct crd_interior_cone *cone; /* rows + units */
  double *answer;                 /* rows */
} crd_sweep_memory;

void crd_sweep_free(crd_sweep_memory *memory);

/* Solves the island of the task for a residual of at most `tolerance`, at most options->max_sweeps sweeps. p (n of the
 * problem): the guess of the island's rows on entry (zeros where there is none), their impulses on return. *residual:
 * what was reached, relative to task->scale. Symmetry of G is not needed. Adds to report->iterations.
 *   CRD_OK, CRD_LIMIT (the best p found is returned), CRD_ERR_MEMORY (p as it was) */
crd_status crd_coulomb_sweep(crd_sweep_memory *memory, const crd_dense_task *task, double tolerance, double *p,
                             double *residual);

/* Reads the island out of the problem: units, columns of G, weights (sweep_island.c). */
crd_status crd_sweep_read(crd_sweep_memory *memory, const crd_dense_task *task);

/* One sweep (sweep_pass.c): every unit solved in turn with the others' impulses as they stand. Returns the sum of
 * weight dp^2; *worst: the largest |weight dp| of a unit, m/s. */
double crd_sweep_pass(crd_sweep_island *island, double *p, double *worst);
/* u = w + G p, targets subtracted */
void crd_sweep_velocity(const crd_sweep_island *island, const double *p, double *u);
/* The natural map at p, m/s, as crd_coulomb_residual states it. */
double crd_sweep_residual(const crd_sweep_island *island, const double *p);

/* Pattern of the sparse factor (sweep_newton.c). CRD_LIMIT: a factorisation would take more than `most`
 * multiplications; CRD_ERR_MEMORY. */
crd_status crd_sweep_analyse(crd_sweep_memory *memory, double most);
/* Newton's method on the natural map from memory->p, after crd_sweep_analyse. Returns the residual of the best iterate,
 * left there, m/s. */
double crd_sweep_newton(crd_sweep_memory *memory, const crd_dense_task *task, int steps, double enough);
/* Block row k of the factor's matrix, A (G + soft g) + B. Columns of open units go to the right-hand side, newton_step,
 * where their own rows say how far they move. */
void crd_sweep_set_row(crd_sweep_memory *memory, int k, const crd_sweep_linear *linear, double soft);
/* The central path, whatever memory->p is, ended by Newton's method (sweep_interior.c). As crd_sweep_newton. */
double crd_sweep_interior(crd_sweep_memory *memory, const crd_dense_task *task, double enough);
/* The same through softened problems. */
double crd_sweep_harden(crd_sweep_memory *memory, const crd_dense_task *task, double enough);

#endif
