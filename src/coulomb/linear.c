/* Dense equations, those of low rank, and products with A. */
#include "coulomb/linear.h"
#include "coulomb/accuracy.h"

#include <math.h>
#include <string.h>

#include "linalg/small_lu.h"

static const double FAIR_SHARE =
    0.7; /* of the trace that k columns of `most` take on average; with less the rank is higher */

/* Added to the limit below which a pivot counts as zero: rounding of the elimination, in units of eps, and slip directions
 * that still turn, in units of their residual. */
static const double PIVOT_ROUNDING = 100, TURNING = 10;

/* ------------------------------------------------------------------------------------------------ products */

CRD_CLONES static void multiply_dense(int n, size_t stride, const double *A, const double *x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += crd_v4_dot(n, A + stride * (size_t)i, x);
}

/* y += M' x, rows of M `width` wide; skips zero entries of x (open or unchanged rows). Four rows at a time. */
CRD_ALWAYS_INLINE void add_rows(int n, int width, size_t stride, const double *M, const double *x, double *restrict y) {
  const double *row[4] = {M, M, M, M};
  double share[4] = {0, 0, 0, 0};
  for (int j = 0, k = 0; j < n; j++) {
    if (x[j] != 0) row[k] = M + stride * (size_t)j, share[k++] = x[j];
    if (k < 4 && (j < n - 1 || k == 0)) continue;
    const double *restrict a = row[0], *restrict b = row[1], *restrict c = row[2], *restrict d = row[3];
    for (int i = 0; i < width; i++) y[i] += (share[0] * a[i] + share[1] * b[i]) + (share[2] * c[i] + share[3] * d[i]);
    k = 0;
    for (int l = 0; l < 4; l++) share[l] = 0;
  }
}

CRD_CLONES static void multiply_symmetric(int n, size_t stride, const double *A, const double *x, double *restrict y) {
  add_rows(n, n, stride, A, x, y);
}

/* v = L' x, y = L v + b */
CRD_CLONES static void multiply_rank(int n, int width, const double *restrict L, const double *restrict x,
                                     const double *restrict b, double *restrict v, double *restrict y) {
  memset(v, 0, sizeof *v * (size_t)width);
  add_rows(n, width, (size_t)width, L, x, v);
  for (int i = 0; i < n; i++) y[i] = crd_v4_dot(width, L + (size_t)width * (size_t)i, v) + (b ? b[i] : 0);
}

static void multiply(const crd_reduced *r, const double *x, const double *b, double *y) {
  if (r->form == CRD_FORM_DENSE) {
    if (b)
      memcpy(y, b, sizeof *y * (size_t)r->n);
    else
      memset(y, 0, sizeof *y * (size_t)r->n);
    (r->symmetric ? multiply_symmetric : multiply_dense)(r->n, r->stride, r->A, x, y);
  } else if (r->form == CRD_FORM_RANK)
    multiply_rank(r->n, r->width, r->L, x, b, r->velocity, y);
  else
    crd_sparse_multiply(r, x, b, y);
}

void crd_reduced_velocity(const crd_reduced *r, const double *x, double *y) {
  multiply(r, x, r->b, y);
  for (int i = 0; r->softness > 0 && i < r->n; i++) y[i] += r->softness * (x[i] - r->center[i]);
}

void crd_reduced_change(const crd_reduced *r, const double *dx, double *dy) { multiply(r, dx, NULL, dy); }

double crd_reduced_speed(const crd_reduced *r) {
  double speed = 0;
  for (int i = 0; i < r->nunit; i++) {
    const crd_unit *u = &r->unit[i];
    speed = crd_greater(speed, fabs(r->b[u->row]));
    for (int k = 0; k < u->nfriction; k++) {
      const double *b = r->b + u->friction[k].row;
      speed = crd_greater(speed, sqrt(b[0] * b[0] + (u->friction[k].count > 1 ? b[1] * b[1] : 0)));
    }
  }
  return speed;
}

double crd_reduced_own(const crd_reduced *r, int unit, int i, int j) {
  const crd_unit *u = &r->unit[unit];
  if (r->form != CRD_FORM_SPARSE) return r->A[r->stride * (size_t)(u->row + i) + (size_t)(u->row + j)];
  return r->own[r->columns[unit].own + (size_t)(u->rows * i + j)];
}

/* ------------------------------------------------------------------------------------------------ dense */

/* Row k of R M, M (A or L) `width` wide: one of its rows, or their combination in `combined`. */
CRD_ALWAYS_INLINE const double *equation(const crd_unknown *v, const double *M, size_t stride, size_t width,
                                         double *combined) {
  if (v->equation >= 0) return M + stride * (size_t)v->equation;
  const double *row = M + stride * (size_t)v->row;
  memset(combined, 0, sizeof *combined * width);
  for (int t = 0; t < v->rows; t++, row += stride)
    for (size_t j = 0; v->R[t] != 0 && j < width; j++) combined[j] += v->R[t] * row[j];
  return combined;
}

CRD_CLONES static bool factor_dense(crd_memory *m, int count) {
  size_t n = (size_t)m->reduced.n, stride = crd_reduced_stride(count);
  int ncombined = 0, nrun = 0, *run = m->pivot; /* unknowns that begin a run of rows one after the other */
  for (int l = 0; l < count; l++) {
    const crd_unknown *v = &m->unknown[l];
    m->unknown_row[l] = v->at >= 0 ? v->at : l > 0 ? m->unknown_row[l - 1] + 1 : 0; /* combined ones are set apart */
    if (m->unknown_row[l] >= (int)n) m->unknown_row[l] = 0;
    if (v->at < 0) m->combined[ncombined++] = l;
    if (l == 0 || m->unknown_row[l] != m->unknown_row[l - 1] + 1) run[nrun++] = l;
  }
  for (int k = 0; k < count; k++) {
    const crd_unknown *v = &m->unknown[k];
    double *out = m->matrix + stride * (size_t)k;
    const double *row = equation(v, m->reduced.A, m->reduced.stride, n, m->row);
    for (int i = 0; i < nrun; i++) {
      int first = run[i], end = i + 1 < nrun ? run[i + 1] : count;
      const double *from = row + m->unknown_row[first] - first;
      for (int l = first; l < end; l++) out[l] = from[l];
    }
    for (int i = 0; i < ncombined; i++) {
      const crd_unknown *c = &m->unknown[m->combined[i]];
      double sum = 0;
      for (int t = 0; t < c->rows; t++) sum += c->E[t] * row[c->row + t];
      out[m->combined[i]] = sum;
    }
    for (int l = 0; l < v->count; l++) out[v->first + l] += v->S[l];
  }
  double least = crd_small_lu_factor(count, m->matrix, (int)stride, m->pivot);
  m->singular = least <= CRD_ACCURACY.redundant + PIVOT_ROUNDING * m->eps +
                             (ncombined > 0 ? TURNING * m->off : 0); /* directions may still turn */
  return least > 0;
}

/* ------------------------------------------------------------------------------------------------ low rank
 * K = S + P Q',  P = R L,  Q = E' L:   K^-1 = S^-1 - S^-1 P (1 + Q' S^-1 P)^-1 Q' S^-1.  S is factored unit by unit
 * (Cholesky's method, in the unknowns' own S); P holds S^-1 P. */

enum { ENOUGH = 3 }; /* columns after which the trace tells something */

/* The remaining trace; pivots count nothing. */
static double total(int n, const double *diagonal) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += diagonal[i] > 0 ? diagonal[i] : 0;
  return sum;
}

CRD_CLONES bool crd_low_rank_factor(int n, const double *A, size_t wide, int most, double *L, double *diagonal,
                                    int *rank) {
  size_t stride = crd_reduced_stride(most);
  for (int i = 0; i < n; i++) diagonal[i] = A[(wide + 1) * (size_t)i];
  for (*rank = 0; *rank <= most; ++*rank) {
    int best = 0, k = *rank;
    for (int i = 1; i < n; i++)
      if (diagonal[i] > diagonal[best]) best = i;
    if (!(diagonal[best] > CRD_ACCURACY.dependent)) break;
    /* each column takes n / rank of the trace, on average; one that takes too little shows that the rank is higher */
    if (k == most || (k >= ENOUGH && total(n, diagonal) > n - FAIR_SHARE * n * k / most)) return false;
    const double *row = L + stride * (size_t)best, root = sqrt(diagonal[best]);
    for (int i = 0; i < n; i++) {
      double *l = L + stride * (size_t)i;
      l[k] = i == best ? root : (A[wide * (size_t)best + (size_t)i] - crd_v4_dot(k, row, l)) / root;
      diagonal[i] = i == best ? -1 : diagonal[i] - l[k] * l[k]; /* a pivot is not chosen again */
    }
  }
  size_t used = (size_t)*rank, width = crd_reduced_stride(*rank);
  for (size_t i = 0; i < (size_t)n; i++) {
    memmove(L + width * i, L + stride * i, sizeof *L * used);
    memset(L + width * i + used, 0, sizeof *L * (width - used));
  }
  return *rank > 0;
}

/* L U in place, a unit diagonal in L. No rows are exchanged: S has a positive definite symmetric part, or is triangular
 * by blocks that have. */
static void factor_block(crd_unknown *v, int size) {
  for (int j = 0; j < size; j++) {
    if (fabs(v[j].S[j]) < CRD_ACCURACY.least_block) v[j].S[j] = CRD_ACCURACY.least_block;
    for (int i = j + 1; i < size; i++) {
      double share = v[i].S[j] /= v[j].S[j];
      for (int k = j + 1; k < size; k++) v[i].S[k] -= share * v[j].S[k];
    }
  }
}

/* x (size rows of `count` entries, one after the other) by both triangles. */
CRD_ALWAYS_INLINE void solve_block(const crd_unknown *v, int size, int count, double *x) {
  for (int i = 1; i < size; i++)
    for (int k = 0; k < i; k++)
      for (int j = 0; v[i].S[k] != 0 && j < count; j++)
        x[(size_t)count * (size_t)i + (size_t)j] -= v[i].S[k] * x[(size_t)count * (size_t)k + (size_t)j];
  for (int i = size - 1; i >= 0; i--) {
    double *to = x + (size_t)count * (size_t)i, inverse = 1 / v[i].S[i];
    for (int k = i + 1; k < size; k++)
      for (int j = 0; v[i].S[k] != 0 && j < count; j++) to[j] -= v[i].S[k] * x[(size_t)count * (size_t)k + (size_t)j];
    for (int j = 0; j < count; j++) to[j] *= inverse;
  }
}

CRD_CLONES static void solve_blocks(const crd_unknown *v, int n, int count, double *x) {
  for (int k = 0; k < n; k += v[k].count) solve_block(&v[k], v[k].count, count, x + (size_t)count * (size_t)k);
}

/* matrix += Q' B, both m rows of r; four rows at a time: the matrix passes once for them */
CRD_CLONES static void accumulate(int m, int r, const double *restrict Q, const double *restrict B,
                                  double *restrict matrix) {
  int i = 0;
  for (; i + 3 < m; i += 4) {
    const double *q0 = Q + (size_t)r * (size_t)i, *q1 = q0 + r, *q2 = q1 + r, *q3 = q2 + r;
    const double *restrict b0 = B + (size_t)r * (size_t)i, *restrict b1 = b0 + r, *restrict b2 = b1 + r,
                           *restrict b3 = b2 + r;
    for (int k = 0; k < r; k++) {
      double *restrict to = matrix + (size_t)r * (size_t)k;
      for (int j = 0; j < r; j++) to[j] += q0[k] * b0[j] + q1[k] * b1[j] + q2[k] * b2[j] + q3[k] * b3[j];
    }
  }
  for (; i < m; i++)
    for (int k = 0; k < r; k++) {
      const double *restrict b = B + (size_t)r * (size_t)i;
      double q = Q[(size_t)r * (size_t)i + (size_t)k], *restrict to = matrix + (size_t)r * (size_t)k;
      for (int j = 0; j < r; j++) to[j] += q * b[j];
    }
}

static bool factor_rank(crd_memory *m, int count) {
  int rank = m->reduced.rank, wide = m->reduced.width;
  size_t width = (size_t)wide;
  const double *L = m->reduced.L;
  for (int k = 0; k < count; k++) {
    const crd_unknown *v = &m->unknown[k];
    double *P = m->P + width * (size_t)k, *Q = m->Q + width * (size_t)k;
    const double *row = equation(v, L, width, width, P);
    if (row != P) memcpy(P, row, sizeof *P * width);
    if (v->at >= 0) {
      memcpy(Q, L + width * (size_t)v->at, sizeof *Q * width);
      continue;
    }
    memset(Q, 0, sizeof *Q * width);
    for (int t = 0; t < v->rows; t++)
      for (size_t j = 0; v->E[t] != 0 && j < width; j++) Q[j] += v->E[t] * L[width * (size_t)(v->row + t) + j];
  }
  for (int k = 0; k < count; k += m->unknown[k].count) factor_block(&m->unknown[k], m->unknown[k].count);
  solve_blocks(m->unknown, count, wide, m->P);
  memset(m->matrix, 0, sizeof *m->matrix * width * width);
  for (size_t k = 0; k < width; k++) m->matrix[(width + 1) * k] = 1;
  accumulate(count, wide, m->Q, m->P, m->matrix);
  m->singular = count > rank;
  return crd_small_lu_factor(rank, m->matrix, wide, m->pivot) > 0;
}

CRD_CLONES static void solve_rank(const crd_memory *m, int count, double *x) {
  int rank = m->reduced.rank, wide = m->reduced.width;
  double *restrict q = m->q;
  memset(q, 0, sizeof *q * (size_t)wide);
  solve_blocks(m->unknown, count, 1, x);
  add_rows(count, wide, (size_t)wide, m->Q, x, q);
  crd_small_lu_solve(rank, m->matrix, wide, m->pivot, q);
  for (int k = 0; k < count; k++) x[k] -= crd_v4_dot(wide, m->P + (size_t)wide * (size_t)k, q);
}

/* ------------------------------------------------------------------------------------------------ any form */

void crd_linear_all_rows(crd_memory *m, double regular) {
  const crd_reduced *r = &m->reduced;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    for (int i = 0; i < unit->rows; i++) {
      crd_unknown *v = &m->unknown[unit->row + i];
      v->unit = u, v->row = v->first = unit->row, v->rows = v->count = unit->rows;
      v->at = v->equation = unit->row + i;
      for (int k = 0; k < CRD_UNIT_ROWS; k++) v->S[k] = i == k ? regular : 0;
    }
  }
}

bool crd_linear_factor(crd_memory *m, const crd_task *task, int count) {
  task->report->factorizations++;
  return m->reduced.form == CRD_FORM_DENSE  ? factor_dense(m, count)
         : m->reduced.form == CRD_FORM_RANK ? factor_rank(m, count)
                                            : crd_sparse_factor(m, count);
}

void crd_linear_solve(const crd_memory *m, int count, double *x) {
  if (m->reduced.form == CRD_FORM_DENSE)
    crd_small_lu_solve(count, m->matrix, (int)crd_reduced_stride(count), m->pivot, x);
  else if (m->reduced.form == CRD_FORM_RANK)
    solve_rank(m, count, x);
  else
    crd_sparse_solve(m, count, x);
}

/* Of low rank: det(S + P Q') = det S det(1 + Q' S^-1 P), and det S > 0. */
int crd_linear_sign(const crd_memory *m, int count) {
  int size = m->reduced.form == CRD_FORM_RANK ? m->reduced.rank : count, sign = 1;
  if (m->reduced.form == CRD_FORM_SPARSE) return m->lu.sign;
  for (int k = 0; k < size; k++) {
    if (m->matrix[(crd_reduced_stride(size) + 1) * (size_t)k] < 0) sign = -sign;
    if (m->pivot[k] != k) sign = -sign;
  }
  return sign;
}
