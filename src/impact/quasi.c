/* Normal quasi-velocities from the Delassus matrix, and a kinetic-orthonormal basis beside them by Gram-Schmidt in the
 * metric of M, O(nv^3). */
#include "impact/quasi.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

crd_status crd_quasi_normal(crd_quasi *quasi, const crd_contact_problem *problem, crd_arena *arena) {
  int m = problem->nrow + problem->nb;
  size_t c = (size_t)problem->nc, d = sizeof(double);
  *quasi = (crd_quasi){.nc = problem->nc, .norm = crd_arena_alloc(arena, c, d), .minus = crd_arena_alloc(arena, c, d)};
  if (!quasi->norm || !quasi->minus) return CRD_ERR_MEMORY;
  for (int i = 0; i < problem->nc; i++) {
    int row = problem->contact[i].row;
    quasi->norm[i] = sqrt(problem->W[at(m, row, row)]);
    if (!(quasi->norm[i] > 0)) return CRD_ERR_ARGUMENT;
    quasi->minus[i] = crd_contact_problem_persists(problem, i) ? 0 : problem->u[row] / quasi->norm[i];
  }
  return CRD_OK;
}

void crd_quasi_delassus(const crd_quasi *quasi, const crd_contact_problem *problem, const crd_bilateral *bilateral,
                        double *G, double *free) {
  int nc = quasi->nc;
  for (int i = 0; i < nc; i++) {
    int row = problem->contact[i].row;
    free[i] = bilateral->u_free[row] / quasi->norm[i];
    for (int j = 0; j < nc; j++)
      G[at(nc, i, j)] =
          bilateral->W[at(problem->nrow, row, problem->contact[j].row)] / (quasi->norm[i] * quasi->norm[j]);
  }
}

double crd_quasi_rebound(const crd_quasi *quasi, const crd_contact_problem *problem, const crd_impact_options *options,
                         int contact) {
  if (problem->restitution_matrix && isnan(options->e))
    return crd_dense_dot(quasi->nc, problem->restitution_matrix + at(quasi->nc, contact, 0), quasi->minus);
  return crd_impact_restitution(problem, options, contact) * quasi->minus[contact];
}

double crd_quasi_product(const crd_contact_problem *problem, const double *t, const double *v) {
  double sum = 0;
  for (int k = 0; k < problem->nv; k++) sum += t[k] * crd_dense_dot(problem->nv, problem->M + at(problem->nv, k, 0), v);
  return sum;
}

/* Kinetic-orthonormal vectors, and M times each, so that a product with one of them costs O(nv). */
typedef struct quasi_basis {
  int count;
  double *vector, *image; /* (nv + 1) x nv each; row `count` is the candidate */
} quasi_basis;

/* x minus its projection on the basis (twice, against rounding); returns the norm of the remainder. */
static double remove_span(const crd_contact_problem *problem, const quasi_basis *basis, double *x) {
  int n = problem->nv;
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < basis->count; b++) {
      double along = crd_dense_dot(n, basis->image + at(n, b, 0), x);
      for (int k = 0; k < n; k++) x[k] -= along * basis->vector[at(n, b, k)];
    }
  return sqrt(fmax(crd_quasi_product(problem, x, x), 0));
}

/* The candidate joins the basis as a unit vector if more than `least` of it is left beside the others. */
static bool append(const crd_contact_problem *problem, quasi_basis *basis, double least) {
  int n = problem->nv;
  double *x = basis->vector + at(n, basis->count, 0), *image = basis->image + at(n, basis->count, 0);
  double before = sqrt(crd_quasi_product(problem, x, x));
  double left = remove_span(problem, basis, x);
  if (!(left > least * before)) return false;
  for (int k = 0; k < n; k++) x[k] /= left;
  for (int k = 0; k < n; k++) image[k] = crd_dense_dot(n, problem->M + at(n, k, 0), x);
  basis->count++;
  return true;
}

static double *axis(int n, double *x, int k) {
  memset(x, 0, sizeof *x * (size_t)n);
  x[k] = 1;
  return x;
}

/* The axis with the largest remainder outside the basis. */
static int farthest_axis(const crd_contact_problem *problem, const quasi_basis *basis, double *x) {
  int best = 0;
  double most = -1;
  for (int k = 0; k < problem->nv; k++) {
    double before = sqrt(problem->M[at(problem->nv, k, k)]),
           left = remove_span(problem, basis, axis(problem->nv, x, k)) / before;
    if (left > most) most = left, best = k;
  }
  return best;
}

crd_status crd_quasi_tangent(const crd_contact_problem *problem, crd_arena *arena, int *count, double **t_q) {
  const double dependent = 1e-10, little = 1e-2; /* of a normal, of an axis: smaller remainders count as zero */
  int n = problem->nv, normals;
  if (!problem->M) return CRD_ERR_ARGUMENT;
  size_t room = ((size_t)n + 1) * (size_t)n, d = sizeof(double);
  quasi_basis basis = {.vector = crd_arena_alloc(arena, room, d), .image = crd_arena_alloc(arena, room, d)};
  if (!basis.vector || !basis.image) return CRD_ERR_MEMORY;
#define CANDIDATE (basis.vector + at(n, basis.count, 0))
  for (int b = problem->nrow; b < problem->nrow + problem->nb && basis.count < n; b++) {
    memcpy(CANDIDATE, problem->X + at(n, b, 0), d * (size_t)n);
    append(problem, &basis, dependent);
  }
  for (int c = 0; c < problem->nc && basis.count < n; c++) {
    memcpy(CANDIDATE, problem->X + at(n, problem->contact[c].row, 0), d * (size_t)n);
    append(problem, &basis, dependent);
  }
  normals = basis.count;
  for (int k = 0; k < n && basis.count < n; k++) {
    axis(n, CANDIDATE, k);
    append(problem, &basis, little);
  }
  while (basis.count < n) {
    int far = farthest_axis(problem, &basis, basis.vector + at(n, n, 0));
    axis(n, CANDIDATE, far);
    if (!append(problem, &basis, 0)) return CRD_SINGULAR;
  }
#undef CANDIDATE
  *count = n - normals, *t_q = basis.vector + at(n, normals, 0);
  return CRD_OK;
}
