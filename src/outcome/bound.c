/* The termination bound of Theorem 8 and the pointedness of the friction cone [Halm & Posa, Assumption 2, Lemma 6].
 *
 * Let g(p) = G' p be the effect of impulses p, in kinetic coordinates (reduced.h) or as a velocity change. Lemma 6 asks
 * for r with r . g(p) >= sum of p_n for all p in the facetted cone. The shortest one belongs to
 *
 *   min |G' p|^2 / 2 - sum of p_n,   p in the cone      =>     r = G' p,
 *
 * whose optimality conditions are a complementarity problem with a positive semidefinite matrix,
 *
 *   0 <= p_n   _|_  (G G' p)_n - mu gamma - 1 >= 0,
 *   0 <= beta  _|_  (G G' p)_D + gamma >= 0,            0 <= gamma  _|_  mu p_n - sum of beta >= 0.
 *
 * Lemke's method solves it, or ends on a ray p with G' p = 0: impulses without effect, so that the cone is not pointed.
 * The paper takes any r from a linear program; the shortest gives the smallest c. By duality 1 / |r| is the least
 * effect of impulses with sum of p_n = 1, reached by p / sum(p_n).
 */
#include <cradle/lcp.h>
#include <cradle/outcome.h>
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "contact/facets.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"
#include "outcome/reduced.h"

static const double CONFIRMED = 0.5; /* of the squared length: less progress does not confirm the least norm */

/* The cone counts as pointed where no impulses have less than this share of the effect of the strongest normal. */
static const double POINTED = 1e-9;

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

typedef struct cone {
  const crd_contact_problem *problem;
  const bool *held; /* nc: contacts without impulses */
  crd_facets facets;
} cone;

static crd_status describe_cone(const crd_contact_problem *problem, const bool *held, int per_contact, crd_arena *arena,
                                cone *c) {
  size_t count = (size_t)crd_facets_count(problem, per_contact);
  *c = (cone){.problem = problem, .held = held};
  c->facets.first = crd_arena_alloc(arena, (size_t)problem->nc + 1, sizeof(int));
  c->facets.direction = crd_arena_alloc(arena, 2 * count, sizeof(double));
  if (!c->facets.first || !c->facets.direction) return CRD_ERR_MEMORY;
  crd_facets_fill(problem, per_contact, &c->facets);
  return CRD_OK;
}

/* Solves the complementarity problem above for Q = G G' (nrow x nrow); p is then a solution or a ray. */
static crd_status solve(const cone *c, double *Q, crd_arena *arena, double *p, bool *solved) {
  crd_facets facets = c->facets;
  crd_contact_problem rows = {.nc = c->problem->nc, .nrow = c->problem->nrow, .contact = c->problem->contact, .W = Q};
  int n = facets.size -= facets.nb;
  facets.nb = facets.free_rows = 0;
  double *W = crd_arena_alloc(arena, (size_t)n * (size_t)n, sizeof *W),
         *w = crd_arena_alloc(arena, (size_t)n, sizeof *w);
  double *z = crd_arena_alloc(arena, (size_t)n, sizeof *z);
  double growth;
  crd_lcp_work *work = crd_lcp_work_new(n, 0);
  if (!W || !w || !z || !work) return crd_lcp_work_free(work), CRD_ERR_MEMORY;
  crd_facets_matrix(&rows, &facets, W);
  for (int i = 0; i < rows.nc; i++) {
    w[i] = c->held[i] ? 0 : -1;
    W[at(n, i, facets.nc + facets.nfacet + i)] = -rows.contact[i].mu;
  }
  crd_lcp_problem problem = crd_lcp_dense(n, W, w);
  crd_lcp_report report = {0};
  crd_status status = crd_lcp_solve(work, &problem, NULL, z, &report);
  *solved = status == CRD_OK;
  if (!*solved && report.has_ray) memcpy(z, crd_lcp_ray(work, &growth), sizeof *z * (size_t)n);
  crd_lcp_work_free(work);
  if (!*solved && !report.has_ray) return status < 0 ? status : CRD_UNKNOWN;
  crd_facets_impulse(&rows, &facets, z, p);
  return CRD_OK;
}

/* The least r . G' p over the edges of the cones with p_n = 1. The solver's r misses 1 by its residual; divided by this
 * it has the property (77) for certain. */
static double least_progress(const cone *c, int dim, const double *G, const double *r) {
  const crd_facets *facets = &c->facets;
  double least = INFINITY;
  for (int i = 0; i < facets->nc; i++) {
    const crd_contact *contact = &c->problem->contact[i];
    if (c->held[i]) continue;
    double normal = crd_dense_dot(dim, G + at(dim, contact->row, 0), r), friction = 0;
    for (int k = facets->first[i]; k < facets->first[i + 1]; k++) {
      double along = 0;
      for (int t = 0; t < contact->ntangent; t++)
        along += facets->direction[2 * k + t] * crd_dense_dot(dim, G + at(dim, contact->row + 1 + t, 0), r);
      friction = fmin(friction, contact->mu * along);
    }
    least = fmin(least, normal + friction);
  }
  return least;
}

/* p (nrow, sum of p_n = 1): the impulses of least effect; *least its size, 0 where it is zero to working accuracy.
 * Elsewhere r (dim) is the shortest vector with r . G' p >= sum of p_n. G is nrow x dim and gets scaled. */
static crd_status least_effect(const cone *c, int dim, double *G, crd_arena *arena, double *p, double *r,
                               double *least) {
  int nrow = c->problem->nrow;
  double scale = 0, sum = 0;
  bool solved;
  double *Q = crd_arena_alloc(arena, (size_t)nrow * (size_t)nrow, sizeof *Q);
  if (!Q) return CRD_ERR_MEMORY;
  for (int i = 0; i < c->problem->nc; i++) {
    double *normal = G + at(dim, c->problem->contact[i].row, 0);
    if (c->held[i]) memset(normal, 0, sizeof *normal * (size_t)(1 + c->problem->contact[i].ntangent) * (size_t)dim);
    scale = fmax(scale, sqrt(crd_dense_dot(dim, normal, normal)));
  }
  if (!(scale > 0)) scale = 1;
  for (size_t i = 0; i < (size_t)nrow * (size_t)dim; i++) G[i] /= scale;
  crd_dense_multiply_nt(nrow, dim, nrow, G, G, Q);
  crd_status status = solve(c, Q, arena, p, &solved);
  if (status != CRD_OK) return status;
  for (int i = 0; i < c->problem->nc; i++) {
    const crd_contact *contact = &c->problem->contact[i];
    if (c->held[i]) memset(p + contact->row, 0, sizeof *p * (size_t)(1 + contact->ntangent));
    sum += p[contact->row];
  }
  if (!(sum > 0)) return *least = INFINITY, CRD_OK; /* no contact can move: there are no impulses at all */
  for (int i = 0; i < nrow; i++) p[i] /= sum;
  crd_dense_apply_transposed(nrow, dim, G, p, r);
  double length = sqrt(crd_dense_dot(dim, r, r));
  *least = 0;
  if (length <= POINTED) return CRD_OK;
  if (!solved) return CRD_UNKNOWN;
  double kept = least_progress(c, dim, G, r);
  if (!(kept > CONFIRMED * length * length)) return CRD_UNKNOWN;
  *least = length * scale;
  for (int j = 0; j < dim; j++) r[j] /= kept * scale;
  return CRD_OK;
}

/* distance, witness and the coordinate-free r = J' p: effects in kinetic coordinates, C' p. */
static crd_status coordinate_free(const cone *c, const outcome_reduced *reduced, crd_outcome_termination *t) {
  const crd_contact_problem *problem = c->problem;
  crd_arena *arena = &t->arena;
  size_t rows = (size_t)reduced->nrow, rank = (size_t)reduced->rank;
  double *G, *rho, *r;
  if (CRD_TAKE(arena, CRD_MATRIX(G, rows, rank), CRD_ARRAY(rho, rank), CRD_ARRAY(t->witness, rows),
               CRD_ARRAY(r, problem->nv)))
    return CRD_ERR_MEMORY;
  memcpy(G, reduced->C, sizeof *G * rows * rank);
  crd_status status = least_effect(c, reduced->rank, G, arena, t->witness, rho, &t->distance);
  if (status != CRD_OK) return status;
  t->pointed = t->distance > 0;
  t->free_norm = INFINITY;
  if (!t->pointed) return CRD_OK;
  t->free_norm = sqrt(crd_dense_dot(reduced->rank, rho, rho));
  crd_dense_apply_transposed(reduced->nrow, problem->nv, problem->J, t->witness, r);
  for (int j = 0; j < problem->nv; j++) r[j] *= t->free_norm / t->distance;
  t->free_r = r;
  return CRD_OK;
}

/* The r of (77) that is shortest in the coordinates of the model: effects as velocity changes, T' C' p. */
static crd_status in_coordinates(const cone *c, const outcome_reduced *reduced, crd_outcome_termination *t) {
  const crd_contact_problem *problem = c->problem;
  crd_arena *arena = &t->arena;
  size_t rows = (size_t)reduced->nrow, nv = (size_t)problem->nv;
  double *G, *p, least;
  if (CRD_TAKE(arena, CRD_MATRIX(G, rows, nv), CRD_ARRAY(p, rows), CRD_ARRAY(t->r, nv))) return CRD_ERR_MEMORY;
  crd_dense_multiply(reduced->nrow, reduced->rank, problem->nv, reduced->C, reduced->T, G);
  crd_status status = least_effect(c, problem->nv, G, arena, p, t->r, &least);
  if (status < 0) return status;
  /* in a cone that is hardly pointed this can stay undecided; free_r has the property (77) too */
  if (status != CRD_OK || !(least > 0)) memcpy(t->r, t->free_r, sizeof *t->r * nv);
  t->norm = sqrt(crd_dense_dot(problem->nv, t->r, t->r));
  if (problem->M) crd_dense_symmetric_range(problem->nv, problem->M, &t->sigma, NULL, arena);
  return CRD_OK;
}

/* (78), (79) and their coordinate-free forms. The proof (158)-(164) only needs K* c_p >= c_Z |v0|_M. */
static void fill_bounds(int contacts, double h, crd_outcome_termination *t) {
  double m1 = contacts + 1.0;
  t->k = fmax(1, ceil(-m1 * m1 * log(t->probability)));
  if (!t->pointed) {
    t->c = t->steps = t->free_steps = INFINITY;
    return;
  }
  t->c = 4 * ceil(m1 * t->norm / (h * sqrt(t->sigma)));
  t->steps = t->c * ceil(t->speed) + t->k;
  t->free_steps = 2 * ceil(2 * m1 * t->free_norm * t->speed / h) + t->k;
}

crd_status crd_outcome_bound(const crd_contact_problem *problem, int facets, double h, double probability,
                             crd_outcome_termination *termination) {
  if (!(h > 0) || !isfinite(h) || !(probability > 0 && probability < 1) || problem->nc < 1 || facets < 4 || facets % 2)
    return CRD_ERR_ARGUMENT;
  crd_outcome_termination t = {.probability = probability, .speed = sqrt(2 * problem->kinetic_free)};
  t.norm = t.sigma = NAN;
  outcome_reduced reduced;
  cone c;
  crd_status status = outcome_reduce(&reduced, problem, &t.arena);
  if (status == CRD_OK) status = describe_cone(problem, reduced.held, facets, &t.arena, &c);
  if (status == CRD_OK) status = coordinate_free(&c, &reduced, &t);
  if (status == CRD_OK && t.pointed) status = in_coordinates(&c, &reduced, &t);
  if (status != CRD_OK) return crd_arena_free(&t.arena), status;
  fill_bounds(problem->nc, h, &t);
  crd_arena_free(&termination->arena);
  *termination = t;
  return CRD_OK;
}

void crd_outcome_termination_free(crd_outcome_termination *termination) {
  crd_arena_free(&termination->arena);
  *termination = (crd_outcome_termination){0};
}
