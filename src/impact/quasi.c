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
    quasi->minus[i] = problem->u[row] / quasi->norm[i];
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

/* x minus its projection on the first `count` vectors of the basis (twice, against rounding); |x| of what is left. */
static double remove_span(const crd_contact_problem *problem, int count, const double *basis, double *x) {
  int n = problem->nv;
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < count; b++) {
      double along = crd_quasi_product(problem, basis + at(n, b, 0), x);
      for (int k = 0; k < n; k++) x[k] -= along * basis[at(n, b, k)];
    }
  return sqrt(fmax(crd_quasi_product(problem, x, x), 0));
}

/* Makes `candidate`, already at basis[count], a unit vector beside the others if more than `least` of it is left. */
static bool append(const crd_contact_problem *problem, int count, double *basis, double least) {
  double *x = basis + at(problem->nv, count, 0), before = sqrt(crd_quasi_product(problem, x, x));
  double left = remove_span(problem, count, basis, x);
  if (!(left > least * before)) return false;
  for (int k = 0; k < problem->nv; k++) x[k] /= left;
  return true;
}

static double *axis(int n, double *x, int k) {
  memset(x, 0, sizeof *x * (size_t)n);
  x[k] = 1;
  return x;
}

/* The axis of which most is left beside the basis. */
static int farthest_axis(const crd_contact_problem *problem, int count, const double *basis, double *x) {
  int best = 0;
  double most = -1;
  for (int k = 0; k < problem->nv; k++) {
    double before = sqrt(problem->M[at(problem->nv, k, k)]),
           left = remove_span(problem, count, basis, axis(problem->nv, x, k)) / before;
    if (left > most) most = left, best = k;
  }
  return best;
}

crd_status crd_quasi_tangent(const crd_contact_problem *problem, crd_arena *arena, int *count, double **t_q) {
  const double dependent = 1e-10, little = 1e-2; /* of a normal, of an axis: what is left counts as nothing below */
  int n = problem->nv, have = 0, normals;
  if (!problem->M) return CRD_ERR_ARGUMENT;
  double *basis = crd_arena_alloc(arena, ((size_t)n + 1) * (size_t)n, sizeof *basis);
  if (!basis) return CRD_ERR_MEMORY;
  for (int b = problem->nrow; b < problem->nrow + problem->nb && have < n; b++) {
    memcpy(basis + at(n, have, 0), problem->X + at(n, b, 0), sizeof *basis * (size_t)n);
    have += append(problem, have, basis, dependent);
  }
  for (int c = 0; c < problem->nc && have < n; c++) {
    memcpy(basis + at(n, have, 0), problem->X + at(n, problem->contact[c].row, 0), sizeof *basis * (size_t)n);
    have += append(problem, have, basis, dependent);
  }
  normals = have;
  for (int k = 0; k < n && have < n; k++) {
    axis(n, basis + at(n, have, 0), k);
    have += append(problem, have, basis, little);
  }
  while (have < n) {
    axis(n, basis + at(n, have, 0), farthest_axis(problem, have, basis, basis + at(n, n, 0)));
    if (!append(problem, have, basis, 0)) return CRD_SINGULAR;
    have++;
  }
  *count = n - normals, *t_q = basis + at(n, normals, 0);
  return CRD_OK;
}
