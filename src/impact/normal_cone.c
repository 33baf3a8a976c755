/* 0 <= pbar _|_ G pbar + b >= 0 with the normalised Delassus matrix goes to the lcp layer. What it finds is shared
 * among dependent contacts, and the velocities are then refined through the rows themselves, because G has the square
 * of their condition. */
#include "impact/normal_cone.h"

#include <cradle/lcp.h>
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "impact/oblique.h"
#include "impact/quasi.h"
#include "linalg/dense.h"
#include "linalg/nearest.h"

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

typedef struct normal_cone {
  const crd_contact_problem *problem;
  const double *r;
  crd_arena *arena;
  crd_bilateral bilateral;
  crd_lcp_work *work;
  int nc;
  crd_quasi quasi;
  double *G, *b, *pbar; /* nc x nc, nc, nc */
  double scale;         /* sqrt(2 K): no quasi-velocity is larger */
  int closed, *index;   /* contacts with G pbar + b = 0 */
} normal_cone;

static crd_status set_up(normal_cone *cone) {
  size_t c = (size_t)cone->nc;
  if (CRD_TAKE(cone->arena, CRD_MATRIX(cone->G, c, c), CRD_ARRAY(cone->b, c), CRD_ARRAY(cone->pbar, c),
               CRD_ARRAY(cone->index, c)))
    return CRD_ERR_MEMORY;
  crd_status status = crd_bilateral_eliminate(&cone->bilateral, cone->problem, cone->arena);
  if (status == CRD_OK) status = crd_quasi_normal(&cone->quasi, cone->problem, cone->arena);
  if (status != CRD_OK) return status;
  crd_quasi_delassus(&cone->quasi, cone->problem, &cone->bilateral, cone->G, cone->b);
  for (int i = 0; i < cone->nc; i++) cone->b[i] += cone->r[i] / cone->quasi.norm[i];
  cone->scale = sqrt(2 * fmax(cone->problem->kinetic, cone->problem->kinetic_free));
  return CRD_OK;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Walls that face each other leave no room between them: the problem has solutions but no interior, and rounding may
 * take the solutions away. The openings asked for are therefore relaxed step by step, up to `most` of the velocity. */
static crd_status complement(normal_cone *cone) {
  const double first = 1e-13, most = CRD_APPROACH;
  double *w = crd_arena_alloc(cone->arena, (size_t)cone->nc, sizeof *w);
  if (!w) return CRD_ERR_MEMORY;
  crd_lcp_problem lcp = crd_lcp_dense(cone->nc, cone->G, w);
  crd_status status = CRD_NO_SOLUTION;
  for (double relax = 0; relax <= most && status != CRD_OK; relax = relax > 0 ? 10 * relax : first) {
    for (int i = 0; i < cone->nc; i++) w[i] = cone->b[i] + relax * cone->scale;
    status = crd_lcp_solve(cone->work, &lcp, NULL, cone->pbar, NULL);
    if (status < 0) return status;
  }
  return status == CRD_RAY ? CRD_NO_SOLUTION : status; /* G is positive semidefinite: a ray is a proof */
}

static void find_closed(normal_cone *cone) {
  double small = 1e-10 * cone->scale;
  cone->closed = 0;
  for (int i = 0; i < cone->nc; i++)
    if (cone->pbar[i] > 0 || crd_dense_dot(cone->nc, cone->G + at(cone->nc, i, 0), cone->pbar) + cone->b[i] <= small)
      cone->index[cone->closed++] = i;
}

/* Among the pbar >= 0 of closed contacts with the same G pbar, the one of least norm: what one contact would get is
 * shared among copies of it instead of being left to the order of the rows. Nothing is done where G is regular. */
static crd_status share(normal_cone *cone, bool *shared) {
  const double dependent = 1e-11;
  int n = cone->closed, null = 0, rank;
  size_t c = (size_t)n, d = sizeof(double);
  double *K, *h, *room, *least;
  if (CRD_TAKE(cone->arena, CRD_ARRAY(K, 2 * c * c), CRD_MATRIX(h, 2, c), CRD_ARRAY(room, crd_nearest_room(n, 2 * n)),
               CRD_ARRAY(least, c)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) K[at(n, i, j)] = cone->G[at(cone->nc, cone->index[i], cone->index[j])];
  if (!crd_dense_eigen_symmetric(n, K, h, room)) return CRD_OK;
  while (null < n && h[null] <= dependent * h[n - 1]) null++;
  if (null == 0) return CRD_OK;
  /* the eigenvectors of the other values span the range of G */
  rank = n - null;
  memmove(K, K + at(n, null, 0), at(n, rank, 0) * d);
  memset(K + at(n, rank, 0), 0, c * c * d), memset(h, 0, 2 * c * d);
  for (int i = 0; i < rank; i++)
    for (int j = 0; j < n; j++) h[i] += K[at(n, i, j)] * cone->pbar[cone->index[j]];
  for (int i = 0; i < n; i++) K[at(n, rank + i, i)] = 1;
  crd_polyhedron same = {.n = n, .equal = rank, .rows = rank + n, .K = K, .h = h};
  *shared = crd_nearest_point(&same, room, least) == CRD_OK;
  for (int i = 0; i < n && *shared; i++) cone->pbar[cone->index[i]] = least[i];
  return CRD_OK;
}

/* Brings the velocities of the rows that carry impulses from where p has them, computed through v, to where they
 * belong. */
static crd_status refine(const normal_cone *cone, double *p) {
  const crd_contact_problem *problem = cone->problem;
  int n = problem->nv, count = 0;
  size_t most = (size_t)(problem->nc + problem->nb);
  int *row;
  double *v, *miss;
  if (CRD_TAKE(cone->arena, CRD_ARRAY(row, most), CRD_ARRAY(v, n), CRD_ARRAY(miss, most))) return CRD_ERR_MEMORY;
  crd_contact_problem_velocity(problem, p, v);
  for (int c = 0; c < problem->nc; c++)
    if (p[problem->contact[c].row] > 0) miss[count] = -cone->r[c], row[count++] = problem->contact[c].row;
  for (int b = 0; b < problem->nb; b++) row[count++] = problem->nrow + b;
  for (int i = 0; i < count; i++) miss[i] -= crd_dense_dot(n, problem->J + at(n, row[i], 0), v);
  crd_oblique oblique;
  crd_status status = crd_oblique_factor(&oblique, problem, count, row, cone->arena);
  if (status != CRD_OK) return status;
  crd_oblique_solve(&oblique, miss);
  for (int i = 0; i < count; i++) p[row[i]] += miss[i];
  return CRD_OK;
}

static crd_status solve(normal_cone *cone, double *p, bool *shared) {
  crd_status status = set_up(cone);
  if (status == CRD_OK && cone->nc > 0) status = complement(cone);
  if (status != CRD_OK) return status;
  find_closed(cone);
  status = share(cone, shared);
  if (status != CRD_OK) return status;
  double none = 1e-13 * largest(cone->nc, cone->pbar); /* what sharing leaves of a zero */
  for (int c = 0; c < cone->nc; c++)
    if (cone->pbar[c] > none) p[cone->problem->contact[c].row] = cone->pbar[c] / cone->quasi.norm[c];
  crd_bilateral_impulses(&cone->bilateral, cone->problem, p);
  return refine(cone, p);
}

crd_status crd_normal_cone_solve(const crd_contact_problem *problem, const double *r, crd_impact_result *memory,
                                 double *p, bool *shared) {
  normal_cone cone = {.problem = problem, .r = r, .arena = &memory->arena, .nc = problem->nc};
  memset(p, 0, sizeof *p * (size_t)crd_impact_rows(problem));
  *shared = false;
  if (problem->nc + problem->nb == 0) return CRD_OK;
  cone.work = crd_impact_lcp(memory, 2 * problem->nc);
  return cone.work ? solve(&cone, p, shared) : CRD_ERR_MEMORY;
}
