/* Modes whose impulses are not determined (hyperstatic contact): x is known up to the null space of A, and some x of
 * that set may satisfy the mode's inequalities although the one of least norm does not. They are linear in x
 *
 *   separating  w_n >= 0        slipping  p_n >= 0, d' w_t >= 0, w_t x d = 0        sticking, planar  mu p_n +- p_t >=
 * 0
 *
 * but for spatial sticking, whose disc is replaced by a polygon inside it. The nearest such x is taken. */
#include <math.h>
#include <string.h>

#include "impact/coulomb_mode.h"
#include "linalg/nearest.h"

enum { POLYGON = 16 };

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

/* Rows in y, x_j = scale y_j. */
typedef struct mode_choice {
  coulomb_work *work;
  int rows;
  double *K, *h;
} mode_choice;

static double *new_row(mode_choice *choice, double h) {
  double *K = choice->K + at(choice->work->count, choice->rows, 0);
  memset(K, 0, sizeof *K * (size_t)choice->work->count);
  choice->h[choice->rows++] = h;
  return K;
}

/* a' w of contact c's tangents (first = 1) or its normal (first = 0), as a row. */
static void add_velocity(mode_choice *choice, int c, int first, int count, const double *a) {
  coulomb_work *work = choice->work;
  int row = work->problem->contact[c].row + first;
  double unit = work->scale[row], *K = new_row(choice, 0), h = 0;
  for (int t = 0; t < count; t++) {
    h -= unit * a[t] * work->problem->b[row + t];
    for (int j = 0; j < work->count; j++)
      K[j] += unit * a[t] * coulomb_generator(work, row + t, j) * work->scale[work->row[j]];
  }
  choice->h[choice->rows - 1] = h;
}

/* Directions in which a sticking contact's friction is bounded, by mu p_n times `radius`. */
static int bounds(const crd_cones_contact *contact, const double *p, double direction[POLYGON][2], double *radius) {
  const double turn = 2 * acos(-1) / POLYGON;
  *radius = 1;
  direction[0][0] = 1, direction[1][0] = -1;
  if (contact->ntangent < 2) return 2 * contact->ntangent;
  /* a corner lies along the friction of least norm, wherever the tangents point */
  double first = atan2(p[2], p[1]) + 0.5 * turn;
  for (int k = 0; k < POLYGON; k++) direction[k][0] = cos(first + turn * k), direction[k][1] = sin(first + turn * k);
  *radius = cos(0.5 * turn); /* the polygon's corners lie on the circle */
  return POLYGON;
}

static void add_impulse(mode_choice *choice, int c, int unknown) {
  coulomb_work *work = choice->work;
  const crd_cones_contact *contact = &work->problem->contact[c];
  double direction[POLYGON][2], radius, normal = work->scale[contact->row];
  new_row(choice, 0)[unknown] = 1;
  if (work->mode[c] != CRD_CONES_STICK) return;
  for (int k = 0, count = bounds(contact, work->p + contact->row, direction, &radius); k < count; k++) {
    double *K = new_row(choice, 0);
    K[unknown] = radius * contact->mu;
    for (int t = 0; t < contact->ntangent; t++)
      K[unknown + 1 + t] = -direction[k][t] * work->scale[contact->row + 1 + t] / normal;
  }
}

/* The equalities: what A determines of x, through an orthonormal basis of the space its rows span, and that spatial
 * slip has the direction of the friction. */
static int add_equalities(mode_choice *choice, const double *y) {
  coulomb_work *work = choice->work;
  int k = work->count;
  const double *V = work->svd + at(k, k, 0);
  for (int r = 0; r < work->rank; r++) {
    double *K = new_row(choice, 0), h = 0;
    for (int j = 0; j < k; j++) K[j] = V[at(k, r, j)], h += K[j] * y[j];
    choice->h[choice->rows - 1] = h;
  }
  for (int c = 0; c < work->problem->nc; c++)
    if (work->mode[c] == CRD_CONES_SLIP) {
      const double across[2] = {-work->direction[2 * c + 1], work->direction[2 * c]};
      add_velocity(choice, c, 1, 2, across);
    }
  return choice->rows;
}

static void add_inequalities(mode_choice *choice) {
  coulomb_work *work = choice->work;
  const double one = 1;
  for (int c = 0; c < work->problem->nc; c++) {
    if (work->mode[c] == CRD_CONES_SEPARATE) add_velocity(choice, c, 0, 1, &one);
    if (work->mode[c] != CRD_CONES_SEPARATE && work->mode[c] != CRD_CONES_STICK)
      add_velocity(choice, c, 1, work->problem->contact[c].ntangent, work->direction + 2 * c);
  }
  for (int j = 0; j < work->count; j++)
    if (work->row[j] == work->problem->contact[work->owner[j]].row) add_impulse(choice, work->owner[j], j);
}

/* The rows that A brings to rest do rest: otherwise no x solves the mode. */
static bool consistent(const coulomb_work *work) {
  double slow = work->problem->tolerance * work->problem->velocity;
  for (int j = 0; j < work->count; j++)
    if (!(fabs(work->w[work->row[j]]) <= slow)) return false;
  return true;
}

crd_status coulomb_choose(coulomb_work *work) {
  const crd_cones *problem = work->problem;
  int k = work->count, most = problem->m + problem->nc * (POLYGON + 3);
  if (!consistent(work)) return CRD_NO_SOLUTION;
  if (!work->choice) {
    work->choice =
        crd_impact_scratch(work->memory, ((size_t)problem->m + 1) * (size_t)most + crd_nearest_room(problem->m, most));
    if (!work->choice) return CRD_ERR_MEMORY;
  }
  mode_choice choice = {.work = work, .K = work->choice, .h = work->choice + (size_t)problem->m * (size_t)most};
  for (int j = 0; j < k; j++) work->x[j] /= work->scale[work->row[j]];
  int equal = add_equalities(&choice, work->x);
  add_inequalities(&choice);
  crd_polyhedron polyhedron = {.n = k, .equal = equal, .rows = choice.rows, .K = choice.K, .h = choice.h};
  crd_status status = crd_nearest_point(&polyhedron, choice.h + most, work->x);
  if (status != CRD_OK) return status;
  for (int j = 0; j < k; j++) work->x[j] *= work->scale[work->row[j]];
  coulomb_expand(work, work->x);
  coulomb_velocity(work);
  return CRD_OK;
}
