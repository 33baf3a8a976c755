/* Kinetic quasi-velocities [C], section 2, with C-01, C-02, C-25.
 *
 *   v = Xi M qd,   Xi = (n_q'; t_q'),   T = 1/2 v' diag(D_n, D_t) v,   qd = Xi' D v
 *
 * With bilateral rows the normals see each other through (17), and so does friction: n_q' H_T has the bilateral rows'
 * answer taken out. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "base/angle.h"
#include "base/layout.h"
#include "impact/quasi.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

static bool allocate(crd_quasi_basis *b, crd_arena *arena) {
  int n = b->nv, p = b->nc, t = b->ntan, k = b->nslip;
  b->n_q = crd_matrix(arena, p, n), b->t_q = crd_matrix(arena, t, n), b->Xi = crd_matrix(arena, p + t, n);
  b->delassus = crd_matrix(arena, p, p), b->G = crd_matrix(arena, p, p), b->angle = crd_matrix(arena, p, p);
  b->D_n = crd_matrix(arena, p, p), b->D_t = crd_matrix(arena, t, t);
  b->nH = crd_matrix(arena, p, k), b->tH = crd_matrix(arena, t, k), b->tan_minus = crd_matrix(arena, t, 1);
  return b->n_q && b->t_q && b->Xi && b->delassus && b->G && b->angle && b->D_n && b->D_t && b->nH && b->tH &&
         b->tan_minus;
}

/* n_q, the Delassus matrices and what friction does to the normals. */
static void fill_normals(crd_quasi_basis *b, const crd_contact_problem *problem, const crd_bilateral *held) {
  int n = b->nv, p = b->nc, m = problem->nrow + problem->nb, nrow = problem->nrow;
  for (int i = 0; i < p; i++) {
    int row = problem->contact[i].row, column = 0;
    for (int j = 0; j < n; j++) b->n_q[crd_at(n, i, j)] = problem->X[crd_at(n, row, j)] / b->norm[i];
    for (int j = 0; j < p; j++) {
      const crd_contact *other = &problem->contact[j];
      double cosine = i == j ? 1 : problem->W[crd_at(m, row, other->row)] / (b->norm[i] * b->norm[j]);
      b->delassus[crd_at(p, i, j)] = cosine;
      b->angle[crd_at(p, i, j)] = CRD_PI - acos(fmax(-1, fmin(1, cosine)));
      for (int t = 1; t <= other->ntangent; t++)
        b->nH[crd_at(b->nslip, i, column++)] = held->W[crd_at(nrow, row, other->row + t)] / b->norm[i];
    }
  }
}

static void fill_tangents(crd_quasi_basis *b, const crd_contact_problem *problem, const double *t_q) {
  int n = b->nv, t = b->ntan;
  if (t > 0) memcpy(b->t_q, t_q, sizeof *t_q * (size_t)t * (size_t)n);
  for (int i = 0; i < t; i++) {
    const double *x = b->t_q + crd_at(n, i, 0);
    int column = 0;
    b->tan_minus[i] = crd_quasi_product(problem, x, problem->v);
    for (int c = 0; c < b->nc; c++)
      for (int k = 1; k <= problem->contact[c].ntangent; k++)
        b->tH[crd_at(b->nslip, i, column++)] =
            crd_dense_dot(n, x, problem->J + crd_at(n, problem->contact[c].row + k, 0));
  }
  memcpy(b->Xi, b->n_q, sizeof *b->Xi * (size_t)b->nc * (size_t)n);
  if (t > 0) memcpy(b->Xi + crd_at(n, b->nc, 0), b->t_q, sizeof *b->Xi * (size_t)t * (size_t)n);
}

/* D_n = G^+ and D_t = (t_q' M t_q)^-1. */
static crd_status invert_metrics(crd_quasi_basis *b, const crd_contact_problem *problem, crd_arena *arena) {
  int n = b->nv, p = b->nc, t = b->ntan;
  double *work, *Mt, *metric;
  if (CRD_TAKE(arena, CRD_ARRAY(work, crd_dense_pseudo_inverse_work(p, p)), CRD_MATRIX(Mt, t, n),
               CRD_MATRIX(metric, t, t)))
    return CRD_ERR_MEMORY;
  int rank = crd_dense_pseudo_inverse(p, p, b->G, 1e-11, b->D_n, work);
  if (rank < 0) return CRD_SINGULAR;
  b->independent = rank == p;
  crd_dense_symmetrize(p, b->D_n);
  crd_dense_multiply(t, n, n, b->t_q, problem->M, Mt);
  crd_dense_multiply_nt(t, n, t, Mt, b->t_q, metric);
  crd_dense_symmetrize(t, metric);
  if (!crd_dense_cholesky(t, metric)) return CRD_SINGULAR;
  crd_dense_identity(t, b->D_t);
  crd_dense_cholesky_solve(t, metric, t, b->D_t);
  crd_dense_symmetrize(t, b->D_t);
  return CRD_OK;
}

crd_status crd_analysis_quasi_form(crd_quasi_basis *basis, const crd_contact_problem *problem, const double *t_q,
                                   int ntan, crd_arena *arena) {
  crd_quasi_basis b = {.nv = problem->nv, .nc = problem->nc, .ntan = ntan, .nslip = problem->nrow - problem->nc};
  crd_quasi normal;
  crd_bilateral held;
  double *own = NULL, *free = crd_matrix(arena, problem->nc, 1);
  if (!problem->M) return CRD_ERR_ARGUMENT;
  if (!free) return CRD_ERR_MEMORY;
  crd_status status = crd_quasi_normal(&normal, problem, arena);
  if (status == CRD_OK) status = crd_bilateral_eliminate(&held, problem, arena);
  if (status == CRD_OK && !t_q) status = crd_quasi_tangent(problem, arena, &b.ntan, &own);
  if (status != CRD_OK) return status;
  b.norm = normal.norm, b.norm_minus = normal.minus;
  if (!allocate(&b, arena)) return CRD_ERR_MEMORY;
  crd_quasi_delassus(&normal, problem, &held, b.G, free);
  fill_normals(&b, problem, &held);
  fill_tangents(&b, problem, t_q ? t_q : own);
  status = invert_metrics(&b, problem, arena);
  if (status != CRD_OK) return status;
  b.kinetic = problem->kinetic;
  b.kinetic_normal = 0.5 * crd_dense_quadratic(b.nc, b.D_n, b.norm_minus);
  b.kinetic_tangential = 0.5 * crd_dense_quadratic(b.ntan, b.D_t, b.tan_minus);
  *basis = b;
  return CRD_OK;
}

void crd_analysis_quasi_inverse(const crd_quasi_basis *b, const double *v, double *qd) {
  int n = b->nv, p = b->nc, t = b->ntan;
  memset(qd, 0, sizeof *qd * (size_t)n);
  for (int i = 0; i < p + t; i++) {
    double weight =
        i < p ? crd_dense_dot(p, b->D_n + crd_at(p, i, 0), v) : crd_dense_dot(t, b->D_t + crd_at(t, i - p, 0), v + p);
    for (int j = 0; j < n; j++) qd[j] += b->Xi[crd_at(n, i, j)] * weight;
  }
}

void crd_analysis_quasi_force(const crd_quasi_basis *b, const double *f, double *normal, double *tangential) {
  crd_dense_apply(b->nc, b->nv, b->n_q, f, normal);
  crd_dense_apply(b->ntan, b->nv, b->t_q, f, tangential);
}

void crd_analysis_quasi_power(const crd_quasi_basis *b, const double *lambda_n, const double *lambda_t, double *normal,
                              double *friction_normal, double *friction_tangential) {
  int p = b->nc, t = b->ntan, k = b->nslip;
  *normal = *friction_normal = *friction_tangential = 0;
  for (int i = 0; i < p; i++) {
    *normal += b->norm[i] * lambda_n[i] * b->norm_minus[i];
    *friction_normal +=
        crd_dense_dot(p, b->D_n + crd_at(p, i, 0), b->norm_minus) * crd_dense_dot(k, b->nH + crd_at(k, i, 0), lambda_t);
  }
  for (int i = 0; i < t; i++)
    *friction_tangential +=
        crd_dense_dot(t, b->D_t + crd_at(t, i, 0), b->tan_minus) * crd_dense_dot(k, b->tH + crd_at(k, i, 0), lambda_t);
}

void crd_analysis_quasi_fremond(const crd_quasi_basis *b, const double *Enn, double *E) {
  for (int i = 0; i < b->nc; i++)
    for (int j = 0; j < b->nc; j++) E[crd_at(b->nc, i, j)] = b->norm[i] * Enn[crd_at(b->nc, i, j)] / b->norm[j];
}

double crd_analysis_quasi_energy_loss(const crd_quasi_basis *b, const double *Enn, double *ratio) {
  int p = b->nc;
  double after = 0;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++)
      after += 0.5 * crd_dense_dot(p, Enn + crd_at(p, i, 0), b->norm_minus) * b->D_n[crd_at(p, i, j)] *
               crd_dense_dot(p, Enn + crd_at(p, j, 0), b->norm_minus);
  if (ratio) *ratio = after / b->kinetic_normal;
  return after - b->kinetic_normal;
}
