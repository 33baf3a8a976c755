/* Propositions 2-9 and Corollary 1 of [C] with C-15..C-21: each a number, its bound and a verdict. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

static const double SYMMETRIC = 1e-9; /* relative asymmetry of E in the metric of the contacts that is rounding */

/* Of sums of products of order one. */
static const double tolerance = 1e-10;

static crd_criterion at_most(const char *name, const char *says, crd_criterion_kind kind, double value, double bound,
                             bool strict) {
  bool holds = strict ? value < bound : value <= bound + tolerance * (1 + fabs(bound));
  return (crd_criterion){
      .name = name, .says = says, .kind = kind, .applies = true, .holds = holds, .value = value, .bound = bound};
}

static crd_criterion at_least_zero(const char *name, const char *says, double value) {
  crd_criterion c = at_most(name, says, CRD_CRITERION_EXACT, -value, 0, false);
  c.value = value;
  return c;
}

static crd_criterion only_if(bool applies, crd_criterion c) {
  c.applies = applies, c.holds = c.holds && applies;
  return c;
}

static double smallest(int count, const double *x) {
  double least = INFINITY;
  for (int i = 0; i < count; i++) least = fmin(least, x[i]);
  return least;
}

static double largest_difference(int count, const double *x, const double *y) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* Matrices of order p that the criteria share. */
typedef struct shared {
  int p;
  const double *G, *N, *E;    /* N = G^-1 */
  double *NE, *ENE, *kinetic; /* G^-1 E, E' G^-1 E, G^-1 (I + E) */
  double *metric, *pair, *values;
} shared;

static bool prepare(shared *s, const crd_quasi_basis *b, const double *Enn, crd_arena *arena) {
  int p = b->nc;
  *s = (shared){.p = p, .G = b->G, .N = b->D_n, .E = Enn};
  if (CRD_TAKE(arena, CRD_MATRIX(s->NE, p, p), CRD_MATRIX(s->ENE, p, p), CRD_MATRIX(s->kinetic, p, p),
               CRD_MATRIX(s->metric, p, p), CRD_MATRIX(s->pair, p, p), CRD_MATRIX(s->values, p, 4)))
    return false;
  crd_dense_multiply(p, p, p, s->N, Enn, s->NE);
  crd_dense_multiply_tn(p, p, p, Enn, s->NE, s->ENE);
  crd_dense_symmetrize(p, s->ENE);
  for (int i = 0; i < p * p; i++) s->kinetic[i] = s->N[i] + s->NE[i];
  return true;
}

/* Largest eigenvalue of G^1/2 A G^1/2 with A = E' G^-1 E: of the pair (A, G^-1). */
static double energy_factor(shared *s) {
  size_t bytes = sizeof(double) * (size_t)s->p * (size_t)s->p;
  memcpy(s->pair, s->ENE, bytes);
  memcpy(s->metric, s->N, bytes);
  if (s->p == 0) return 0;
  if (!crd_dense_eigen_pair(s->p, s->pair, s->metric, s->values, s->values + s->p)) return NAN;
  return s->values[s->p - 1];
}

static bool is_scalar(const shared *s, double *e) {
  *e = s->p > 0 ? s->E[0] : 0;
  for (int i = 0; i < s->p; i++)
    for (int j = 0; j < s->p; j++)
      if (fabs(s->E[crd_at(s->p, i, j)] - (i == j ? *e : 0)) > tolerance) return false;
  return true;
}

static double asymmetry(const shared *s) {
  double most = 0;
  for (int i = 0; i < s->p; i++)
    for (int j = 0; j < i; j++) most = fmax(most, fabs(s->NE[crd_at(s->p, i, j)] - s->NE[crd_at(s->p, j, i)]));
  return most / fmax(1, crd_dense_frobenius(s->p, s->p, s->NE));
}

static crd_criterion energetic(const crd_worst_velocity *worst) {
  crd_criterion c = at_most("prop2", "largest relative energy gain of an approaching velocity", CRD_CRITERION_EXACT,
                            worst->gain, 0, false);
  c.unknown = worst->status == CRD_UNKNOWN && c.holds && worst->bound > tolerance;
  c.holds = c.holds && !c.unknown;
  return c;
}

static crd_status full_matrix(crd_criterion *norm, crd_criterion *exact, const crd_quasi_basis *b, const double *E,
                              crd_arena *arena) {
  int p = b->nc, n = p + b->ntan;
  double *D, *DE, *X, least = NAN;
  const char *says = "Frobenius norm of the full matrix", *says_exact = "smallest eigenvalue of D - E' D E";
  *norm = only_if(false, at_most("prop9", says, CRD_CRITERION_SUFFICIENT, NAN, NAN, true));
  *exact = only_if(false, at_least_zero("prop9-exact", says_exact, NAN));
  if (!E || !b->independent) return CRD_OK;
  if (CRD_TAKE(arena, CRD_MATRIX(D, n, n), CRD_MATRIX(DE, n, n), CRD_MATRIX(X, n, n))) return CRD_ERR_MEMORY;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      D[crd_at(n, i, j)] = i < p && j < p     ? b->D_n[crd_at(p, i, j)]
                           : i >= p && j >= p ? b->D_t[crd_at(b->ntan, i - p, j - p)]
                                              : 0;
  double *inverse = crd_dense_inverse(n, D, arena);
  if (!inverse) return CRD_OK;
  double size = crd_dense_frobenius(n, n, D) * crd_dense_frobenius(n, n, inverse);
  *norm = at_most("prop9", says, CRD_CRITERION_SUFFICIENT, crd_dense_frobenius(n, n, E), 1 / sqrt(size), true);
  crd_dense_multiply(n, n, n, D, E, DE);
  crd_dense_multiply_tn(n, n, n, E, DE, X);
  for (int i = 0; i < n * n; i++) X[i] = D[i] - X[i];
  crd_dense_symmetric_range(n, X, &least, NULL, arena);
  *exact = at_least_zero("prop9-exact", says_exact, least);
  return CRD_OK;
}

crd_status crd_analysis_quasi_propositions(crd_criterion c[CRD_QUASI_PROPOSITIONS], const crd_quasi_basis *b,
                                           const crd_worst_velocity *worst, const double *Enn, const double *E,
                                           crd_arena *arena) {
  shared s;
  int p = b->nc;
  double e = NAN, least, most, factor;
  if (!prepare(&s, b, Enn, arena)) return CRD_ERR_MEMORY;
  c[CRD_PROP2] = energetic(worst);
  crd_status status = full_matrix(&c[CRD_PROP9], &c[CRD_PROP9_EXACT], b, E, arena);
  if (status != CRD_OK) return status;
  bool regular = b->independent && p > 0, scalar = is_scalar(&s, &e);
  factor = regular ? energy_factor(&s) : NAN;
  crd_dense_symmetric_range(p, b->G, &least, &most, arena);
  c[CRD_PROP3] = only_if(scalar, at_most("prop3", "ratio of the normal energies, e^2", CRD_CRITERION_EXACT,
                                         scalar ? e * e : NAN, 1, false));
  c[CRD_PROP4] = only_if(regular, at_most("prop4", "1 against eps* of E' G^-1 E", CRD_CRITERION_EXACT, 1,
                                          factor > 0 ? 1 / factor : INFINITY, true));
  c[CRD_PROP5] =
      only_if(regular && asymmetry(&s) < SYMMETRIC, at_most("prop5", "spectral radius of E", CRD_CRITERION_EXACT,
                                                            crd_dense_spectral_radius(p, Enn, arena), 1, false));
  c[CRD_PROP6] = only_if(regular, at_most("prop6", "largest singular value of E", CRD_CRITERION_SUFFICIENT,
                                          crd_dense_norm(p, p, Enn, arena), sqrt(least / most), false));
  double norms = crd_dense_frobenius(p, p, b->G) * crd_dense_frobenius(p, p, s.N);
  c[CRD_PROP7] = only_if(regular, at_most("prop7", "Frobenius norm of E", CRD_CRITERION_SUFFICIENT,
                                          crd_dense_frobenius(p, p, Enn), 1 / sqrt(norms), true));
  c[CRD_PROP8_KINEMATIC] =
      at_least_zero("prop8-kinematic", "smallest entry of E: no contact is left approaching", smallest(p * p, Enn));
  c[CRD_PROP8_KINETIC] = only_if(
      regular,
      at_least_zero("prop8-kinetic", "smallest entry of G^-1 (I + E): no contact pulls", smallest(p * p, s.kinetic)));
  /* of dependent rows the impulses are not known one by one: "no" is known then where another condition fails */
  bool known = regular || !c[CRD_PROP2].holds || !c[CRD_PROP8_KINEMATIC].holds;
  bool all = c[CRD_PROP2].holds && c[CRD_PROP8_KINEMATIC].holds && c[CRD_PROP8_KINETIC].holds;
  c[CRD_PROP8] = (crd_criterion){.name = "prop8",
                                 .says = "kinematic, kinetic and energetic for every approaching velocity",
                                 .kind = CRD_CRITERION_EXACT,
                                 .applies = known,
                                 .holds = all,
                                 .unknown = c[CRD_PROP2].unknown,
                                 .value = all,
                                 .bound = 1};
  double change = largest_difference(p * p, s.ENE, s.N) / fmax(1, crd_dense_frobenius(p, p, s.N));
  c[CRD_COROLLARY1] = at_most("corollary1", "change of G^-1 by E: energy is conserved for every velocity",
                              CRD_CRITERION_EXACT, change, 0, false);
  c[CRD_COROLLARY1] = only_if(regular, c[CRD_COROLLARY1]);
  c[CRD_COROLLARY1].holds = c[CRD_COROLLARY1].holds && c[CRD_PROP8_KINEMATIC].holds && c[CRD_PROP8_KINETIC].holds;
  return CRD_OK;
}

/* E e_j = d_j e_perm(j) with d_j = sqrt(N_jj / N_perm(j)perm(j)): an isometry of N = G^-1 where the off-diagonal
 * entries agree, admissible where N (I + E) >= 0. */
static bool conserves(int p, const double *N, const int *perm, double *E) {
  double d[8], size = crd_dense_frobenius(p, p, N);
  memset(E, 0, sizeof *E * (size_t)p * (size_t)p);
  for (int j = 0; j < p; j++) {
    d[j] = sqrt(N[crd_at(p, j, j)] / N[crd_at(p, perm[j], perm[j])]);
    E[crd_at(p, perm[j], j)] = d[j];
  }
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++) {
      double turned = d[i] * d[j] * N[crd_at(p, perm[i], perm[j])];
      if (fabs(turned - N[crd_at(p, i, j)]) > tolerance * size) return false;
      if (N[crd_at(p, i, j)] + N[crd_at(p, i, perm[j])] * d[j] < -tolerance * size) return false;
    }
  return true;
}

static bool next_permutation(int p, int *perm) {
  int i = p - 2, j = p - 1;
  while (i >= 0 && perm[i] > perm[i + 1]) i--;
  if (i < 0) return false;
  while (perm[j] < perm[i]) j--;
  int swap = perm[i];
  perm[i] = perm[j], perm[j] = swap;
  for (int a = i + 1, b = p - 1; a < b; a++, b--) swap = perm[a], perm[a] = perm[b], perm[b] = swap;
  return true;
}

crd_status crd_analysis_quasi_conservative(int p, const double *G, int *count, double **solutions, crd_arena *arena) {
  int perm[8], found = 0, capacity = 0;
  double *list = NULL, *N = crd_dense_inverse(p, G, arena);
  if (p > 8) return CRD_LIMIT;
  if (!N) return CRD_SINGULAR;
  size_t square = (size_t)p * (size_t)p;
  double *E = crd_matrix(arena, p, p);
  if (!E) return CRD_ERR_MEMORY;
  for (int i = 0; i < p; i++) perm[i] = i;
  do {
    if (!conserves(p, N, perm, E)) continue;
    if (found == capacity) {
      int larger = capacity ? 2 * capacity : 4;
      double *grown = crd_arena_alloc(arena, square * (size_t)larger, sizeof *grown);
      if (!grown) return CRD_ERR_MEMORY;
      if (found > 0) memcpy(grown, list, sizeof *list * square * (size_t)found);
      list = grown, capacity = larger;
    }
    memcpy(list + square * (size_t)found++, E, sizeof *E * square);
  } while (next_permutation(p, perm));
  *count = found, *solutions = list;
  return CRD_OK;
}
