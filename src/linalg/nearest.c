/* min |x - x0|^2 with a_i x = h_i (equal rows), a_i x >= h_i (the others), by the dual method of Goldfarb and Idnani
 * (1983): x is at all times nearest to x0 among the points that satisfy the active rows. A violated row a is added by
 * moving along the part z of a orthogonal to the active rows,
 *
 *   x += t z,   multipliers of the active rows -= t r,   a = z + sum r_k a_k
 *
 * until a is satisfied or a multiplier vanishes, whose row is dropped. Where z = 0 and no multiplier decreases, a
 * contradicts the active rows: the polyhedron is empty. Each step gains distance, so that no active set returns. Rows
 * that say the same are no trouble: only independent ones are active. Cost of a step: n (rows + active^2). */
#include "linalg/nearest.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Rows are made unit vectors. What is left of one beside the active rows counts as nothing below this; */
static const double DEPENDENT = 1e-10;
/* a violation counts as none below this part of the numbers' size, */
static const double SATISFIED = 1e-13;
/* and as rounding of dependent rows below this. */
static const double CONTRADICTION = 1e-10;

typedef struct active_set {
  const crd_polyhedron *set;
  int n, count, *row;     /* row: of the polyhedron */
  double *Q;              /* count x n: orthonormal, the active rows in turn */
  double *R;              /* n x n: active row k = sum over i <= k of R_ik Q_i */
  double *multiplier;     /* count */
  double *z, *r;          /* n: of the row to be added */
  double *length;         /* rows: of K */
  unsigned char *ignored; /* rows: active, or contradicted by rounding only */
  double size, *x;
} active_set;

size_t crd_nearest_room(int n, int rows) { return 2 * (size_t)n * (size_t)n + 6 * ((size_t)n + 1) + 2 * (size_t)rows; }

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

static const double *row_of(const active_set *a, int i) { return a->set->K + at(a->n, i, 0); }

/* How much row i lacks; positive: violated. */
static double shortage(const active_set *a, int i) {
  return (a->set->h[i] - crd_dense_dot(a->n, row_of(a, i), a->x)) / a->length[i];
}

/* z and r of row i. Returns |z|. */
static double split(active_set *a, int i) {
  const double *row = row_of(a, i);
  int n = a->n;
  for (int k = 0; k < n; k++) a->z[k] = row[k] / a->length[i];
  memset(a->r, 0, sizeof *a->r * (size_t)a->count);
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < a->count; k++) {
      const double *q = a->Q + at(n, k, 0);
      double along = crd_dense_dot(n, q, a->z);
      a->r[k] += along;
      for (int j = 0; j < n; j++) a->z[j] -= along * q[j];
    }
  return sqrt(crd_dense_dot(n, a->z, a->z));
}

/* Appends row i, split before, of which `left` is orthogonal to the others. */
static void append(active_set *a, int i, double left, double multiplier) {
  int n = a->n, k = a->count++;
  for (int j = 0; j < n; j++) a->Q[at(n, k, j)] = a->z[j] / left;
  for (int j = 0; j < k; j++) a->R[at(n, j, k)] = a->r[j];
  a->R[at(n, k, k)] = left;
  a->row[k] = i, a->multiplier[k] = multiplier, a->ignored[i] = 1;
}

/* Takes row number k of the active ones out; those behind it are made orthogonal anew. */
static void drop(active_set *a, int k) {
  int behind = a->count - k - 1;
  a->ignored[a->row[k]] = 0;
  memmove(a->row + k, a->row + k + 1, sizeof *a->row * (size_t)behind);
  memmove(a->multiplier + k, a->multiplier + k + 1, sizeof *a->multiplier * (size_t)behind);
  a->count = k;
  for (int j = 0; j < behind; j++) append(a, a->row[k + j], split(a, a->row[k + j]), a->multiplier[k + j]);
}

/* r of the comment above: R r = Q' a. */
static void back_substitute(active_set *a) {
  for (int k = a->count - 1; k >= 0; k--) {
    for (int j = k + 1; j < a->count; j++) a->r[k] -= a->R[at(a->n, k, j)] * a->r[j];
    a->r[k] /= a->R[at(a->n, k, k)];
  }
}

/* The active inequality whose multiplier vanishes first, at step *t; -1: none does. */
static int blocking(const active_set *a, double *t) {
  int first = -1;
  *t = INFINITY;
  for (int k = 0; k < a->count; k++)
    if (a->row[k] >= a->set->equal && a->r[k] > DEPENDENT && a->multiplier[k] / a->r[k] < *t)
      first = k, *t = a->multiplier[k] / a->r[k];
  return first;
}

/* Makes row i active. CRD_NO_SOLUTION: it contradicts the others. */
static crd_status activate(active_set *a, int i, int *steps) {
  double multiplier = 0;
  for (; *steps > 0; --*steps) {
    double left = split(a, i), lacks = shortage(a, i), t;
    bool dependent = left <= DEPENDENT;
    double *kept = a->r + a->n; /* Q' a, for R */
    memcpy(kept, a->r, sizeof *kept * (size_t)a->count);
    back_substitute(a);
    int first = blocking(a, &t);
    double full = dependent ? INFINITY : fabs(lacks) / (left * left);
    if (dependent && (first < 0 || fabs(lacks) <= CONTRADICTION * a->size)) {
      a->ignored[i] = 1;
      return fabs(lacks) <= CONTRADICTION * a->size ? CRD_OK : CRD_NO_SOLUTION;
    }
    double step = fmin(t, full), sign = lacks < 0 ? -1 : 1; /* equations come first, when no multiplier counts */
    for (int j = 0; j < a->n && !dependent; j++) a->x[j] += sign * step * a->z[j];
    for (int k = 0; k < a->count; k++) a->multiplier[k] -= step * a->r[k];
    multiplier += step;
    if (full <= t) {
      memcpy(a->r, kept, sizeof *kept * (size_t)a->count);
      append(a, i, left, multiplier);
      return CRD_OK;
    }
    drop(a, first);
  }
  return CRD_LIMIT;
}

/* The most violated row, -1: none. */
static int worst_row(const active_set *a) {
  double worst = SATISFIED * a->size;
  int row = -1;
  for (int i = a->set->equal; i < a->set->rows; i++) {
    if (a->ignored[i]) continue;
    double lacks = shortage(a, i);
    if (lacks > worst) worst = lacks, row = i;
  }
  return row;
}

static crd_status solve(active_set *a) {
  int steps = 50 + 10 * (a->set->rows + a->n);
  crd_status status = CRD_OK;
  for (int i = 0; i < a->set->equal && status == CRD_OK; i++)
    if (!a->ignored[i]) status = activate(a, i, &steps);
  for (int i = worst_row(a); i >= 0 && status == CRD_OK; i = worst_row(a)) status = activate(a, i, &steps);
  return status;
}

/* Rows of zeros say 0 = h or 0 >= h. */
static crd_status measure_rows(active_set *a) {
  for (int i = 0; i < a->n; i++) a->size = fmax(a->size, fabs(a->x[i]));
  for (int i = 0; i < a->set->rows; i++) {
    a->length[i] = sqrt(crd_dense_dot(a->n, row_of(a, i), row_of(a, i)));
    if (a->length[i] > 0) a->size = fmax(a->size, fabs(a->set->h[i]) / a->length[i]);
  }
  for (int i = 0; i < a->set->rows; i++) {
    a->ignored[i] = !(a->length[i] > 0);
    if (a->ignored[i] && (i < a->set->equal ? a->set->h[i] != 0 : a->set->h[i] > 0)) return CRD_NO_SOLUTION;
  }
  return CRD_OK;
}

crd_status crd_nearest_point(const crd_polyhedron *polyhedron, double *room, double *x) {
  int n = polyhedron->n;
  size_t columns = (size_t)n;
  active_set a = {.set = polyhedron, .n = n, .Q = room, .R = room + columns * columns};
  double *next = a.R + columns * columns;
  a.multiplier = next, a.z = next + columns, a.r = a.z + columns; /* r has 2 n */
  a.x = a.r + 2 * columns, a.row = (int *)(a.x + columns), a.length = a.x + 2 * columns + 1;
  a.ignored = (unsigned char *)(a.length + polyhedron->rows);
  memcpy(a.x, x, sizeof *x * columns);
  crd_status status = measure_rows(&a);
  if (status == CRD_OK) status = solve(&a);
  if (status == CRD_OK) memcpy(x, a.x, sizeof *x * columns);
  return status;
}
