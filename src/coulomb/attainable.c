/* Is there a motion that keeps the bilateral rows and closes no contact, for any impulses and laws? Velocities
 * are u = w + G q for any q, so that this asks for a point of a polyhedron,
 *
 *   (w + G q)_n >= target     every normal
 *   (w + G q)_b  = 0          every bilateral row
 *
 * each within a slack. An empty one is a proof that the problem has no solution: a body between walls that close. Rows
 * and q are scaled by their compliance. Cost: some (rows)^3, only asked where nothing was found.
 */
#include <math.h>

#include "base/layout.h"
#include "coulomb/accuracy.h"
#include "coulomb/islands.h"
#include "linalg/nearest.h"

typedef struct motions {
  const crd_coulomb_problem *problem;
  const double *scale; /* n */
  double *K, *h, slack;
  int rows;
} motions;

/* sign u_i >= sign least - slack */
static void add_row(motions *m, int i, double sign, double least) {
  const crd_coulomb_problem *p = m->problem;
  size_t n = (size_t)p->n;
  double *to = m->K + n * (size_t)m->rows;
  for (int j = 0; j < p->n; j++) to[j] = sign * m->scale[i] * p->G[n * (size_t)i + (size_t)j] * m->scale[j];
  m->h[m->rows++] = m->scale[i] * (sign * (least - p->w[i]) - m->slack);
}

crd_status crd_coulomb_attainable(const crd_coulomb_problem *p, double velocity, crd_arena *arena) {
  size_t n = (size_t)p->n, rows = (size_t)(p->ncontact + 2 * p->nbilateral);
  double *scale, *x, *room, largest = 0;
  motions m = {.problem = p, .slack = fmax(CRD_ACCURACY.closing * velocity, 2 * CRD_ACCURACY.bilateral * p->velocity)};
  if (CRD_TAKE(arena, CRD_ARRAY(scale, n), CRD_ARRAY(x, n), CRD_ARRAY(room, crd_nearest_room(p->n, (int)rows)),
               CRD_MATRIX(m.K, rows, n), CRD_ARRAY(m.h, rows)))
    return CRD_ERR_MEMORY;
  m.scale = scale;
  for (int i = 0; i < p->n; i++) largest = fmax(largest, crd_coulomb_diagonal(p, i)), x[i] = 0;
  for (int i = 0; i < p->n; i++) scale[i] = 1 / sqrt(fmax(crd_coulomb_diagonal(p, i), CRD_ACCURACY.noise * largest));
  if (!(largest > 0)) return CRD_OK;
  for (int i = 0; i < p->nbilateral; i++) add_row(&m, p->bilateral[i], 1, 0), add_row(&m, p->bilateral[i], -1, 0);
  for (int i = 0; i < p->ncontact; i++) add_row(&m, p->contact[i].row, 1, p->contact[i].target);
  const crd_polyhedron set = {.n = p->n, .rows = m.rows, .K = m.K, .h = m.h};
  return crd_nearest_point(&set, room, x);
}
