/* Linear equations A x = b of an island whose contacts may be redundant.
 *
 * A + eps D is factored, D the diagonal of A, so that eps is a pure number. The iteration x += (A + eps D)^-1 (b - A x)
 * then takes, of all solutions, the one nearest to where it begins, which depends neither on the order of the contacts
 * nor on the axes; where A is regular two rounds reach rounding. From x = 0 that is the one of least norm. Of a wall of
 * bricks it pulls somewhere, although there are others that do not: so a step begins with the forces of the last one.
 * Rows that hardly move (a folded link) get at least the rounding errors of the largest entry.
 */
#include <math.h>
#include <stdlib.h>

#include "impact/island.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/simd.h"

static const double REGULAR = 1e-8, NOISE = 1e-15; /* NOISE: what rounding leaves of a compliance of nothing */
static const double MOST_FILLED = 0.05;            /* of the work on a full matrix */
enum { SMALL = 40 };

/* Row pivoting; LAPACK's calls cost more than the work below some forty rows. */
CRD_CLONES static bool factor_small(int n, double *restrict A, int *restrict pivot) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[n * i + k]) > fabs(A[n * best + k])) best = i;
    pivot[k] = best;
    if (!(fabs(A[n * best + k]) > 0)) return false;
    for (int j = 0; best != k && j < n; j++) {
      double swap = A[n * k + j];
      A[n * k + j] = A[n * best + j], A[n * best + j] = swap;
    }
    double inverse = 1 / A[n * k + k];
    for (int i = k + 1; i < n; i++) {
      double l = A[n * i + k] *= inverse;
      for (int j = k + 1; j < n; j++) A[n * i + j] -= l * A[n * k + j];
    }
  }
  return true;
}

static void solve_small(int n, const double *A, const int *pivot, double *x) {
  for (int k = 0; k < n; k++) {
    double swap = x[k];
    x[k] = x[pivot[k]], x[pivot[k]] = swap;
  }
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) x[i] -= A[n * i + j] * x[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= A[n * i + j] * x[j];
    x[i] /= A[n * i + i];
  }
}

bool crd_island_factor(crd_island_memory *m, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(m->A[(size_t)(n + 1) * (size_t)i]));
  for (int i = 0; i < n; i++) {
    double *d = &m->A[(size_t)(n + 1) * (size_t)i];
    *d += fmax(REGULAR * m->weight[i] * fabs(*d), NOISE * largest);
  }
  return crd_island_factor_bare(m, n);
}

/* Loops alone, and contacts that stick: the matrix is symmetric, and rows meet those of the same bodies only.
 * Cholesky's method costs half of what elimination does, and leaves out what is zero where that is most of the matrix.
 * ELIMINATED: it is not so; A is as before. */
static crd_island_factors factor_symmetric(crd_island_memory *m, int n) {
  double *A = m->A, *diagonal = m->lu_work, work = 0;
  size_t row = (size_t)n;
  for (size_t i = 0; i < row; i++) {
    size_t first = 0;
    while (first < i && A[row * i + first] == 0 && A[row * first + i] == 0) first++;
    work += (double)(i - first) * (double)(i - first);
    for (size_t j = first; j < i; j++)
      if (A[row * i + j] != A[row * j + i]) return CRD_ISLAND_ELIMINATED;
  }
  bool sparse = work <= MOST_FILLED * (double)row * (double)row * (double)row;
  for (size_t i = 0; i < row; i++) diagonal[i] = A[(row + 1) * i];
  if (sparse && crd_dense_cholesky_envelope(n, A, m->pivot)) return CRD_ISLAND_ENVELOPE;
  if (!sparse && crd_dense_cholesky(n, A)) return CRD_ISLAND_CHOLESKY;
  for (size_t i = 0; i < row; i++) {
    A[(row + 1) * i] = diagonal[i];
    for (size_t j = 0; j < i; j++) A[row * i + j] = A[row * j + i];
  }
  return CRD_ISLAND_ELIMINATED;
}

bool crd_island_factor_bare(crd_island_memory *m, int n) {
  if (n <= SMALL) return factor_small(n, m->A, m->pivot);
  m->factors = factor_symmetric(m, n);
  return m->factors != CRD_ISLAND_ELIMINATED || crd_lu_factor_bare(n, m->A, m->pivot);
}

void crd_island_solve(const crd_island_memory *m, int n, double *x) {
  if (n <= SMALL)
    solve_small(n, m->A, m->pivot, x);
  else if (m->factors == CRD_ISLAND_ENVELOPE)
    crd_dense_cholesky_envelope_solve(n, m->A, m->pivot, x);
  else if (m->factors == CRD_ISLAND_CHOLESKY)
    crd_dense_cholesky_solve(n, m->A, 1, x);
  else
    crd_lu_solve(n, m->A, m->pivot, 1, x);
}

crd_status crd_island_reserve(crd_island_memory *m, int rows) { return crd_island_reserve_all(m, rows, rows); }

crd_status crd_island_reserve_all(crd_island_memory *m, int all, int rows) {
  if (rows > all) all = rows;
  if (all <= m->all && rows <= m->rows) return CRD_OK;
  crd_island_memory fresh = {.all = m->all, .rows = m->rows};
  if (all > fresh.all) fresh.all = all + all / 2;
  if (rows > fresh.rows) fresh.rows = rows + rows / 2;
  crd_arena *arena = &fresh.arena;
  size_t n = (size_t)fresh.all, square = (size_t)fresh.rows * (size_t)fresh.rows, d = sizeof(double);
  double **vector[] = {&fresh.weight, &fresh.x,    &fresh.r,    &fresh.keep, &fresh.off,
                       &fresh.best,   &fresh.loop, &fresh.kept, &fresh.guess};
  int **list[] = {&fresh.pivot, &fresh.iwork, &fresh.from, &fresh.sliding};
  bool done = (fresh.A = crd_arena_alloc(arena, square, d)) && (fresh.B = crd_arena_alloc(arena, square, d)) &&
              (fresh.lu_work = crd_arena_alloc(arena, 4 * n, d));
  for (size_t i = 0; done && i < sizeof vector / sizeof *vector; i++)
    done = (*vector[i] = crd_arena_alloc(arena, n, d)) != NULL;
  for (size_t i = 0; done && i < sizeof list / sizeof *list; i++)
    done = (*list[i] = crd_arena_alloc(arena, n, sizeof(int))) != NULL;
  if (!done || crd_island_reserve_interior(arena, n, &fresh) != CRD_OK) {
    crd_arena_free(arena);
    return CRD_ERR_MEMORY;
  }
  crd_arena_free(&m->arena);
  fresh.lcp_arena = m->lcp_arena, fresh.lcp_rows = m->lcp_rows, fresh.lcp = m->lcp;
  fresh.W = m->W, fresh.w = m->w, fresh.z = m->z, fresh.shift = m->shift, fresh.variable = m->variable;
  *m = fresh;
  return CRD_OK;
}

crd_island_memory *crd_island_new(void) { return calloc(1, sizeof(crd_island_memory)); }

void crd_island_delete(crd_island_memory *m) {
  if (m) crd_island_free(m);
  free(m);
}

void crd_island_free(crd_island_memory *m) {
  crd_arena_free(&m->arena);
  crd_arena_free(&m->lcp_arena);
  crd_lcp_work_free(m->lcp);
}
