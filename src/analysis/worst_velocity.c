/* The approaching velocity that gains most energy under a restitution matrix.
 *
 *   maximise  (y' H y)/(y' K y)   over   Z y <= 0           H: energy after, K: energy before, K > 0
 *
 * A maximum lies in the relative interior of a face of the cone, and there it is a local, hence the global, maximum of
 * the quotient on the face's span: a top eigenvector of the pair (H, K) restricted to it. If that eigenvalue is
 * multiple, moving within the eigenspace reaches a smaller face with the same value. So it suffices to look at one
 * eigenvector a face, and a face's top eigenvalue bounds all its subfaces: branch and bound, a face being the set of
 * rows of Z that are held at zero. Exact, at most 2^rows faces. */
#include <math.h>
#include <string.h>

#include "analysis/restitution.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

static const double SIGN_ROUNDING = 1e-12; /* of the fastest row: a velocity without a sign */
static const double HELD = 1e-9;           /* length of a row of a basis with unit columns: it is held already */
static const double NO_GAIN = 1e-13;       /* relative: a face that promises no more is not searched */

/* One level of the search: a face of dimension dim, spanned by the columns of N. */
typedef struct face {
  int dim;
  double *N; /* d x dim */
  double *C; /* rows x dim: Z N */
} face;

typedef struct search {
  int rows, d, limit, faces;
  const double *H, *K;
  face *level; /* d + 1 */
  double *eigen, *metric, *product, *values, *u;
  double best, pending; /* largest quotient found; bound of the faces left out */
  double *y;            /* d: of the best */
} search;

static bool prepare(search *s, const crd_restitution *r, crd_arena *arena) {
  int d = s->d;
  if (CRD_TAKE(arena, CRD_ARRAY(s->level, (size_t)d + 1), CRD_MATRIX(s->eigen, d, d), CRD_MATRIX(s->metric, d, d),
               CRD_MATRIX(s->product, d, d), CRD_MATRIX(s->values, d, 4), CRD_MATRIX(s->u, s->rows, 1),
               CRD_MATRIX(s->y, d, 1)))
    return false;
  for (int i = 0; i <= d; i++) {
    s->level[i].N = crd_matrix(arena, d, d), s->level[i].C = crd_matrix(arena, s->rows, d);
    if (!s->level[i].N || !s->level[i].C) return false;
  }
  s->level[0].dim = d;
  crd_dense_identity(d, s->level[0].N);
  memcpy(s->level[0].C, r->Z, sizeof(double) * (size_t)s->rows * (size_t)d);
  return true;
}

static void restrict_to(search *s, const face *f, const double *A, double *result) {
  crd_dense_multiply(s->d, s->d, f->dim, A, f->N, s->product);
  crd_dense_multiply_tn(f->dim, s->d, f->dim, f->N, s->product, result);
  crd_dense_symmetrize(f->dim, result);
}

/* Top of the face: its quotient, and the eigenvector in the first row of eigen. False: the eigenvalues failed. */
static bool top(search *s, const face *f, double *quotient) {
  restrict_to(s, f, s->H, s->eigen);
  restrict_to(s, f, s->K, s->metric);
  if (!crd_dense_eigen_pair(f->dim, s->eigen, s->metric, s->values, s->values + s->d)) return false;
  *quotient = s->values[f->dim - 1];
  memmove(s->eigen, s->eigen + crd_at(f->dim, f->dim - 1, 0), sizeof *s->eigen * (size_t)f->dim);
  return true;
}

/* Turns the eigenvector so that all rows approach; false: they do not agree. */
static bool approaches(search *s, const face *f) {
  double size = 0, least = 0, most = 0;
  crd_dense_apply(s->rows, f->dim, f->C, s->eigen, s->u);
  for (int i = 0; i < s->rows; i++) {
    size = fmax(size, fabs(s->u[i]));
    least = fmin(least, s->u[i]), most = fmax(most, s->u[i]);
  }
  if (most <= SIGN_ROUNDING * size) return true;
  if (-least > SIGN_ROUNDING * size) return false;
  for (int k = 0; k < f->dim; k++) s->eigen[k] = -s->eigen[k];
  return true;
}

/* The subface with row i held: a basis of the vectors orthogonal to c = row i of C, by a Householder reflection that
 * takes c to the first axis. False: the row is held already. */
static bool hold(search *s, const face *f, int i, face *sub) {
  const double *c = f->C + crd_at(f->dim, i, 0);
  double norm = sqrt(crd_dense_dot(f->dim, c, c));
  if (norm < HELD) return false;
  double *w = s->values, alpha = c[0] < 0 ? norm : -norm, length;
  memcpy(w, c, sizeof *w * (size_t)f->dim);
  w[0] -= alpha;
  length = crd_dense_dot(f->dim, w, w);
  sub->dim = f->dim - 1;
  for (int pass = 0; pass < 2; pass++) {
    const double *from = pass ? f->C : f->N;
    double *to = pass ? sub->C : sub->N;
    for (int row = 0; row < (pass ? s->rows : s->d); row++) {
      const double *x = from + crd_at(f->dim, row, 0);
      double along = 2 * crd_dense_dot(f->dim, x, w) / length;
      for (int k = 1; k < f->dim; k++) to[crd_at(sub->dim, row, k - 1)] = x[k] - along * w[k];
    }
  }
  for (int k = 0; k < sub->dim; k++) sub->C[crd_at(sub->dim, i, k)] = 0;
  return true;
}

static bool explore(search *s, int depth, int first) {
  face *f = &s->level[depth];
  double quotient;
  if (f->dim == 0) return true;
  if (!top(s, f, &quotient)) return false;
  s->faces++;
  if (quotient <= s->best * (1 + NO_GAIN)) return true;
  if (approaches(s, f)) {
    s->best = quotient;
    crd_dense_apply(s->d, f->dim, f->N, s->eigen, s->y);
    return true;
  }
  for (int i = first; i < s->rows; i++) {
    if (s->faces >= s->limit) {
      s->pending = fmax(s->pending, quotient);
      return true;
    }
    if (quotient <= s->best * (1 + NO_GAIN)) return true;
    if (hold(s, f, i, &s->level[depth + 1]) && !explore(s, depth + 1, i + 1)) return false;
  }
  return true;
}

/* A face costs an eigenvalue problem of its dimension, about d^3: work that takes a tenth of a second. */
int crd_restitution_faces(const crd_restitution *r) {
  const double work = 5e6, least = 40;
  double d = r->dim;
  return (int)fmin(fmax(work / fmax(d * d * d, 1), least), CRD_RESTITUTION_FACES);
}

crd_status crd_analysis_restitution_worst(crd_worst_velocity *worst, const crd_restitution *r, const double *E,
                                          int max_faces, crd_arena *arena) {
  return crd_restitution_worst_above(worst, r, E, max_faces, -1, arena);
}

crd_status crd_restitution_worst_above(crd_worst_velocity *worst, const crd_restitution *r, const double *E,
                                       int max_faces, double floor, crd_arena *arena) {
  int n = r->projection.nv, m = r->projection.rows, d = r->dim, nc = r->contacts;
  crd_worst_velocity w = {.gain = fmax(floor, 0) - 1, .bound = fmax(floor, 0) - 1};
  double *H;
  if (CRD_TAKE(arena, CRD_ARRAY(w.u, nc), CRD_ARRAY(w.v, n), CRD_MATRIX(H, d, d))) return CRD_ERR_MEMORY;
  search s = {.rows = nc, .d = d, .limit = max_faces, .H = H, .K = r->K, .best = floor};
  if (!prepare(&s, r, arena)) return CRD_ERR_MEMORY;
  crd_status status = crd_restitution_energy_after(r, E, H, arena);
  if (status != CRD_OK) return status;
  if (!explore(&s, 0, 0)) return CRD_SINGULAR;
  w.faces = s.faces;
  if (s.best > floor) {
    double size = 0;
    crd_dense_apply(nc, d, r->Z, s.y, w.u);
    for (int i = 0; i < nc; i++) size = fmax(size, fabs(w.u[i]));
    for (int i = 0; i < nc; i++) w.u[i] = fmin(w.u[i] / size, 0);
    for (int j = 0; j < n; j++) w.v[j] = crd_dense_dot(nc, r->projection.G + crd_at(m, j, 0), w.u);
    w.gain = w.bound = s.best - 1;
  }
  if (s.pending - 1 > w.gain) w.status = CRD_UNKNOWN, w.bound = s.pending - 1;
  *worst = w;
  return CRD_OK;
}
