/* Linear equations of a step, for every form of A: Newton's method and the continuation state them unit by unit,
 *
 *   dx = E q,    R A dx + S q = f        (R A E + S) q = f
 *
 * q the unknowns, as many as equations. E, R and S couple the rows of one unit only, so that the matrix has the pattern
 * of A. One factorisation: of the unknowns (dense), of the rank of A (low rank), or of sparse blocks. */
#ifndef SRC_COULOMB_LINEAR_H
#define SRC_COULOMB_LINEAR_H

#include "coulomb/reduced.h"

/* An unknown with its column of E and the equation of the same number. */
typedef struct crd_unknown {
  int unit, row, rows;     /* the unit, its rows */
  int first, count;        /* its unknowns */
  int at;                  /* E is one at this row of x; -1: see E */
  int equation;            /* R is one at this row of y; -1: see R */
  double E[CRD_UNIT_ROWS]; /* by rows of the unit */
  double R[CRD_UNIT_ROWS];
  double S[CRD_UNIT_ROWS]; /* by unknowns of the unit; its symmetric part positive definite, or triangular
                            * by blocks that are */
  double f;                /* of Newton's method */
} crd_unknown;

/* y = A x + b + s (x - center); dy = A dx */
void crd_reduced_velocity(const crd_reduced *reduced, const double *x, double *y);
void crd_reduced_change(const crd_reduced *reduced, const double *dx, double *dy);
/* Largest of the velocities b, whichever way the tangents point. */
double crd_reduced_speed(const crd_reduced *reduced);
/* An entry of A within a unit. */
double crd_reduced_own(const crd_reduced *reduced, int unit, int i, int j);

/* All rows as unknowns and equations of their own, each with this much of itself. */
void crd_linear_all_rows(crd_memory *memory, double regular);
/* Factors the equations of memory->unknown. False: singular. memory->singular: they may be redundant. */
bool crd_linear_factor(crd_memory *memory, const crd_task *task, int count);
/* x (count): f on entry, q on return. */
void crd_linear_solve(const crd_memory *memory, int count, double *x);

/* Sign of the determinant of the equations factored last. */
int crd_linear_sign(const crd_memory *memory, int count);

/* L (n rows, crd_reduced_stride(*rank) apart and zero beyond the rank) with A = L L' for a symmetric A with rows
 * `stride` apart, where its rank is at most `most`. scratch: n. */
bool crd_low_rank_factor(int n, const double *A, size_t stride, int most, double *L, double *scratch, int *rank);
/* The pattern of the sparse factor. CRD_LIMIT: it would take more than `most` multiplications; CRD_ERR_MEMORY. */
crd_status crd_sparse_analyse(crd_memory *memory, double most);
bool crd_sparse_factor(crd_memory *memory, int count);
void crd_sparse_solve(const crd_memory *memory, int count, double *x);
void crd_sparse_multiply(const crd_reduced *reduced, const double *x, const double *b, double *y);

/* The velocity that the other units leave a unit, of up to six rows; four sums, since each addition waits for the last
 * one. */
CRD_ALWAYS_INLINE void crd_sparse_gather(const crd_reduced *r, int unit, const double *x, double v[8]) {
  const crd_columns *own = &r->columns[unit];
  const crd_v4 *B = r->value + own->value;
  const int *column = r->column + own->first;
  int count = own->count, j = 0;
  if (r->unit[unit].rows <= 4) {
    crd_v4 a = {0}, b = {0}, c = {0}, d = {0};
    for (; j + 3 < count; j += 4) {
      a += B[j] * CRD_V4_SPLAT(x[column[j]]);
      b += B[j + 1] * CRD_V4_SPLAT(x[column[j + 1]]);
      c += B[j + 2] * CRD_V4_SPLAT(x[column[j + 2]]);
      d += B[j + 3] * CRD_V4_SPLAT(x[column[j + 3]]);
    }
    for (; j < count; j++) a += B[j] * CRD_V4_SPLAT(x[column[j]]);
    *(crd_v4_unaligned *)v = (a + b) + (c + d);
    return;
  }
  crd_v4 a = {0}, b = {0};
  for (; j < count; j++) {
    crd_v4 xj = CRD_V4_SPLAT(x[column[j]]);
    a += B[2 * j] * xj, b += B[2 * j + 1] * xj;
  }
  *(crd_v4_unaligned *)v = a, *(crd_v4_unaligned *)(v + 4) = b;
}

#endif
