/* Kinetic coordinates from the factors of the oblique projection (src/impact/oblique.h) of the contacts' rows A:
 *
 *   D A = U diag(sigma) V,   Y = V M^-1,   K = Y V' = L L'     =>    y = L^-1 V v,   C = D^-1 U diag(sigma) L,   T =
 * L^-1 Y
 *
 * so that the rank is found from the rows themselves and W, whose condition is the square of theirs, is never factored.
 */
#include "outcome/reduced.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "impact/oblique.h"
#include "linalg/dense.h"
#include "linalg/product.h"

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

/* Remainder of the contacts' rows, of X and of v beside the bilateral rows with factors V, Y, L (K = L L'):
 * J_c (I - Y' K^-1 V), X_c (I - V' K^-1 Y) and v - Y' K^-1 V v, which costs the energy (V v)' K^-1 (V v) / 2. */
static crd_status project(const crd_contact_problem *problem, crd_arena *arena, double *J, double *X, double *v,
                          double *lost) {
  int n = problem->nv, rows = problem->nrow;
  *lost = 0;
  memcpy(J, problem->J, sizeof *J * (size_t)rows * (size_t)n);
  memcpy(X, problem->X, sizeof *X * (size_t)rows * (size_t)n);
  memcpy(v, problem->v_free, sizeof *v * (size_t)n);
  if (problem->nb == 0) return CRD_OK;
  crd_oblique o;
  int *row = crd_arena_alloc(arena, (size_t)problem->nb, sizeof *row);
  if (!row) return CRD_ERR_MEMORY;
  for (int b = 0; b < problem->nb; b++) row[b] = rows + b;
  crd_status status = crd_oblique_factor(&o, problem, problem->nb, row, arena);
  if (status != CRD_OK) return status;
  double *along, *before;
  if (CRD_TAKE(arena, CRD_ARRAY(along, o.rank), CRD_ARRAY(before, o.rank))) return CRD_ERR_MEMORY;
  for (int i = 0; i <= rows; i++) {
    const double *source = i < rows ? problem->J + at(n, i, 0) : NULL;
    /* rows: along = K^-1 Y J_i', then J_i -= along' V and X_i -= along' Y; v: along = K^-1 V v, v -= along' Y */
    for (int a = 0; a < o.rank; a++)
      along[a] = source ? crd_dense_dot(n, o.Y + at(n, a, 0), source) : crd_dense_dot(n, o.V + at(n, a, 0), v);
    memcpy(before, along, sizeof *along * (size_t)o.rank);
    crd_dense_cholesky_solve(o.rank, o.L, 1, along);
    if (!source) *lost = 0.5 * crd_dense_dot(o.rank, before, along);
    for (int a = 0; a < o.rank; a++)
      for (int j = 0; j < n; j++) {
        if (source) J[at(n, i, j)] -= along[a] * o.V[at(n, a, j)];
        *(source ? &X[at(n, i, j)] : &v[j]) -= along[a] * o.Y[at(n, a, j)];
      }
  }
  return CRD_OK;
}

/* x = L^-1 x for the columns of x (rank x n) */
static void forward(int rank, const double *L, int n, double *x) {
  for (int i = 0; i < rank; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < i; k++) x[at(n, i, j)] -= L[at(rank, i, k)] * x[at(n, k, j)];
      x[at(n, i, j)] /= L[at(rank, i, i)];
    }
}

static void fill_maps(outcome_reduced *r, const crd_oblique *o) {
  int rank = r->rank, n = r->nv;
  for (int i = 0; i < r->nrow; i++)
    for (int j = 0; j < rank; j++) {
      double sum = 0;
      for (int k = j; k < rank; k++) sum += o->U[at(rank, i, k)] * o->sigma[k] * o->L[at(rank, k, j)];
      r->C[at(rank, i, j)] = sum / o->D[i];
    }
  memcpy(r->T, o->Y, sizeof *r->T * (size_t)rank * (size_t)n);
  memcpy(r->S, o->V, sizeof *r->S * (size_t)rank * (size_t)n);
  forward(rank, o->L, n, r->T);
  forward(rank, o->L, n, r->S);
  crd_dense_multiply_nt(r->nrow, rank, r->nrow, r->C, r->C, r->W);
}

/* Rows in the span of the bilateral ones are zero, whatever rounding left of them; a contact whose normal is among them
 * takes no part: the law of friction says nothing about an impulse that nothing determines. */
static void clear_held(outcome_reduced *r, const crd_contact_problem *problem, double *J, double *X) {
  size_t n = (size_t)problem->nv, m = (size_t)(problem->nrow + problem->nb);
  for (size_t i = 0; problem->nb > 0 && i < (size_t)problem->nrow; i++) {
    if (!crd_bilateral_spans(crd_dense_dot(problem->nv, J + n * i, X + n * i), problem->W[(m + 1) * i])) continue;
    memset(J + n * i, 0, sizeof *J * n), memset(X + n * i, 0, sizeof *X * n);
    for (int c = 0; c < r->nc; c++)
      if (problem->contact[c].row == (int)i) r->held[c] = true, r->mu[c] = 0;
  }
}

crd_status outcome_reduce(outcome_reduced *reduced, const crd_contact_problem *problem, crd_arena *arena) {
  size_t n = (size_t)problem->nv, rows = (size_t)problem->nrow;
  outcome_reduced r = {.nv = problem->nv, .nc = problem->nc, .nrow = problem->nrow, .contact = problem->contact};
  double *J, *X;
  int *row;
  if (CRD_TAKE(arena, CRD_MATRIX(J, rows, n), CRD_MATRIX(X, rows, n), CRD_ARRAY(row, rows), CRD_ARRAY(r.v0, n),
               CRD_ARRAY(r.mu, r.nc), CRD_ARRAY(r.held, r.nc)))
    return CRD_ERR_MEMORY;
  double lost;
  crd_status status = project(problem, arena, J, X, r.v0, &lost);
  if (status != CRD_OK) return status;
  for (int i = 0; i < problem->nrow; i++) row[i] = i;
  for (int c = 0; c < r.nc; c++) r.mu[c] = problem->contact[c].ntangent ? problem->contact[c].mu : 0;
  clear_held(&r, problem, J, X);
  const crd_contact_problem beside = {.nv = problem->nv, .nrow = problem->nrow, .J = J, .X = X};
  crd_oblique o;
  status = crd_oblique_factor(&o, &beside, problem->nrow, row, arena);
  if (status != CRD_OK) return status;
  size_t rank = (size_t)o.rank;
  r.rank = o.rank, r.nx = o.rank + r.nc;
  if (CRD_TAKE(arena, CRD_MATRIX(r.C, rows, rank), CRD_MATRIX(r.W, rows, rows), CRD_MATRIX(r.T, rank, n),
               CRD_MATRIX(r.S, rank, n), CRD_ARRAY(r.y0, rank), CRD_ARRAY(r.speed, r.nc)))
    return CRD_ERR_MEMORY;
  for (int c = 0; c < r.nc; c++) r.speed[c] = crd_contact_problem_speed(problem, problem->contact[c].row);
  fill_maps(&r, &o);
  crd_dense_apply(o.rank, r.nv, r.S, r.v0, r.y0);
  r.kinetic = problem->kinetic_free;
  r.kinetic0 = problem->kinetic_free - lost;
  double size = sqrt(crd_dense_dot(r.rank, r.y0, r.y0));
  for (int i = 0; i < r.nrow; i++) r.velocity = fmax(r.velocity, sqrt(r.W[at(r.nrow, i, i)]) * size);
  if (!(r.velocity > 0)) r.velocity = 1;
  *reduced = r;
  return CRD_OK;
}

void outcome_velocity(const outcome_reduced *r, const double *y, double *v) {
  memcpy(v, r->v0, sizeof *v * (size_t)r->nv);
  for (int k = 0; k < r->rank; k++) {
    double change = y[k] - r->y0[k];
    for (int j = 0; j < r->nv; j++) v[j] += change * r->T[at(r->nv, k, j)];
  }
}

void outcome_coordinates(const outcome_reduced *r, const double *v, double *y) {
  crd_dense_apply(r->rank, r->nv, r->S, v, y);
}

double outcome_kinetic(const outcome_reduced *r, const double *y) {
  double change = 0;
  for (int k = 0; k < r->rank; k++) change += (y[k] - r->y0[k]) * (y[k] + r->y0[k]);
  return r->kinetic0 + 0.5 * change;
}
