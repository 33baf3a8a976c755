/* The equations of a mode, A p = B x with one row per impulse, and the inequalities of its solution. */
#include "outcome/mode.h"

#include <math.h>
#include <string.h>

#include "linalg/lu.h"

/* Modes whose equations are worse conditioned than this are taken as singular: what they determine is noise. */
static const double LEAST_RCOND = 1e-11;
/* Coefficients below this share of their natural size are rounding noise of an identity. */
static const double NOISE = 1e-11;

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

static int facets_of(const crd_facets *facets, int contact) {
  return facets->first[contact + 1] - facets->first[contact];
}

int outcome_friction_states(const crd_facets *facets, int contact) {
  int k = facets_of(facets, contact);
  return k <= 2 ? 1 + k : 1 + 2 * k;
}

long outcome_mode_count(const crd_facets *facets, long limit) {
  long count = 1;
  for (int c = 0; c < facets->nc && count <= limit; c++) count *= 1 + 2 * outcome_friction_states(facets, c);
  return count <= limit ? count : limit + 1;
}

void outcome_mode_decode(const crd_facets *facets, long code, outcome_contact_mode *mode) {
  for (int c = 0; c < facets->nc; c++) {
    int states = outcome_friction_states(facets, c), own = (int)(code % (1 + 2 * states));
    code /= 1 + 2 * states;
    mode[c].normal = own == 0 ? OUTCOME_OPEN : own <= states ? OUTCOME_FULL : OUTCOME_PARTIAL;
    mode[c].friction = own == 0 ? 0 : (own - 1) % states;
  }
}

crd_status outcome_mode_begin(outcome_mode_work *work, const outcome_reduced *reduced, const crd_facets *facets,
                              crd_arena *arena) {
  size_t rows = (size_t)reduced->nrow, nx = (size_t)reduced->nx, d = sizeof(double);
  *work = (outcome_mode_work){.reduced = reduced, .facets = facets};
  for (int c = 0; c < reduced->nc; c++) work->max_rows += 2 + (facets_of(facets, c) ? facets_of(facets, c) : 0) + 1;
  work->A = crd_arena_alloc(arena, rows * rows, d), work->P = crd_arena_alloc(arena, rows * nx, d);
  work->U = crd_arena_alloc(arena, rows * nx, d), work->column = crd_arena_alloc(arena, rows, d);
  work->work = crd_arena_alloc(arena, 4 * rows, d);
  work->pivot = crd_arena_alloc(arena, rows, sizeof(int)), work->iwork = crd_arena_alloc(arena, rows, sizeof(int));
  work->map.check = crd_arena_alloc(arena, (size_t)work->max_rows * nx, d);
  work->map.next = crd_arena_alloc(arena, (size_t)reduced->rank * nx, d);
  bool all = work->A && work->P && work->U && work->column && work->work && work->pivot && work->iwork;
  return all && work->map.check && work->map.next ? CRD_OK : CRD_ERR_MEMORY;
}

/* ------------------------------------------------------------------------------------------------ equations */

/* Row `row` of A p = B x says: scale (a . u' of the contact's tangent rows, or its normal row) = 0, where u' = C y + W
 * p. B is stored one right-hand side (column of B) after the other, as the solver wants it. */
static void velocity_equation(outcome_mode_work *work, int row, const int *of, const double *a, int count,
                              double scale) {
  const outcome_reduced *r = work->reduced;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < r->nrow; j++) work->A[at(r->nrow, row, j)] += scale * a[i] * r->W[at(r->nrow, of[i], j)];
    for (int k = 0; k < r->rank; k++) work->P[at(r->nrow, k, row)] -= scale * a[i] * r->C[at(r->rank, of[i], k)];
  }
}

/* The outward normal of the edge between vertices j and j + 1 and its distance from the centre. */
static double edge_normal(const crd_facets *facets, int contact, int j, double normal[2]) {
  int first = facets->first[contact], count = facets_of(facets, contact);
  const double *d = facets->direction + 2 * (first + j), *next = facets->direction + 2 * (first + (j + 1) % count);
  double x = d[0] + next[0], y = d[1] + next[1], length = sqrt(x * x + y * y);
  normal[0] = x / length, normal[1] = y / length;
  return 0.5 * length;
}

static void normal_equation(outcome_mode_work *work, int c, outcome_normal normal) {
  const outcome_reduced *r = work->reduced;
  int row = r->contact[c].row;
  const double one = 1;
  if (normal == OUTCOME_PARTIAL) {
    velocity_equation(work, row, &row, &one, 1, 1 / r->W[at(r->nrow, row, row)]);
    return;
  }
  work->A[at(r->nrow, row, row)] = 1;
  if (normal == OUTCOME_FULL) work->P[at(r->nrow, r->rank + c, row)] = 1;
}

static void friction_equations(outcome_mode_work *work, int c, outcome_contact_mode mode) {
  const outcome_reduced *r = work->reduced;
  const crd_facets *facets = work->facets;
  int n = r->contact[c].row, count = facets_of(facets, c), nt = r->contact[c].ntangent;
  int t[2] = {n + 1, n + 2};
  double scale = 1 / r->W[at(r->nrow, n, n)], mu = r->mu[c], unit = 1 / fmax(1, mu);
  if (mode.normal == OUTCOME_OPEN || count == 0) {
    for (int i = 0; i < nt; i++) work->A[at(r->nrow, t[i], t[i])] = 1;
  } else if (mode.friction == 0) {
    const double one = 1;
    for (int i = 0; i < nt; i++) velocity_equation(work, t[i], &t[i], &one, 1, scale);
  } else if (mode.friction <= count) {
    const double *d = facets->direction + 2 * (facets->first[c] + mode.friction - 1);
    for (int i = 0; i < nt; i++)
      work->A[at(r->nrow, t[i], t[i])] = unit, work->A[at(r->nrow, t[i], n)] = -mu * unit * d[i];
  } else {
    double normal[2], along[2], distance = edge_normal(facets, c, mode.friction - count - 1, normal);
    along[0] = -normal[1], along[1] = normal[0];
    velocity_equation(work, t[0], t, along, 2, scale);
    for (int i = 0; i < 2; i++) work->A[at(r->nrow, t[1], t[i])] = unit * normal[i];
    work->A[at(r->nrow, t[1], n)] = -unit * mu * distance;
  }
}

/* Columns of A to largest entry 1, so that the condition is that of the equations and not of their units. */
static bool solve_equations(outcome_mode_work *work) {
  int n = work->reduced->nrow;
  for (int j = 0; j < n; j++) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(work->A[at(n, i, j)]));
    if (!(largest > 0)) return false;
    work->column[j] = 1 / largest;
    for (int i = 0; i < n; i++) work->A[at(n, i, j)] *= work->column[j];
  }
  if (!(crd_lu_factor(n, work->A, work->pivot, work->work, work->iwork) > LEAST_RCOND)) return false;
  crd_lu_solve(n, work->A, work->pivot, work->reduced->nx, work->P);
  for (int k = 0; k < work->reduced->nx; k++)
    for (int j = 0; j < n; j++) work->P[at(n, k, j)] *= work->column[j];
  return true;
}

/* ------------------------------------------------------------------------------------------------ solution */

/* next = (I 0) + C' P and U = C next. */
static void fill_next(outcome_mode_work *work) {
  const outcome_reduced *r = work->reduced;
  double *next = work->map.next;
  for (int a = 0; a < r->rank; a++)
    for (int k = 0; k < r->nx; k++) {
      double sum = a == k;
      for (int i = 0; i < r->nrow; i++) sum += r->C[at(r->rank, i, a)] * work->P[at(r->nrow, k, i)];
      next[at(r->nx, a, k)] = sum;
    }
  for (int i = 0; i < r->nrow; i++)
    for (int k = 0; k < r->nx; k++) {
      double sum = 0;
      for (int a = 0; a < r->rank; a++) sum += r->C[at(r->rank, i, a)] * next[at(r->nx, a, k)];
      work->U[at(r->nx, i, k)] = sum;
    }
}

/* Keeps the last row of check unless it holds for every y and every bound >= 0. mass: W_nn of its contact, which tells
 * how large its coefficients naturally are. */
static void keep_row(outcome_mode_work *work, double mass) {
  const outcome_reduced *r = work->reduced;
  const double *row = work->map.check + at(r->nx, work->map.rows, 0);
  bool needed = false;
  for (int k = 0; k < r->rank; k++) needed = needed || fabs(row[k]) > NOISE * sqrt(mass);
  for (int c = 0; c < r->nc; c++) needed = needed || row[r->rank + c] < -NOISE * mass;
  work->map.rows += needed;
}

/* check: a . u' of the contact's rows + mass (b . p) + mass bound * (bound of the contact) >= 0 */
static void add_check(outcome_mode_work *work, int c, const double a[3], const double b[3], double bound) {
  const outcome_reduced *r = work->reduced;
  int n = r->contact[c].row, rows = 1 + r->contact[c].ntangent;
  double *row = work->map.check + at(r->nx, work->map.rows, 0), mass = r->W[at(r->nrow, n, n)];
  for (int k = 0; k < r->nx; k++) {
    row[k] = 0;
    for (int i = 0; i < rows; i++)
      row[k] += a[i] * work->U[at(r->nx, n + i, k)] + mass * b[i] * work->P[at(r->nrow, k, n + i)];
  }
  row[r->rank + c] += mass * bound;
  keep_row(work, mass);
}

static void friction_checks(outcome_mode_work *work, int c, int friction) {
  const crd_facets *facets = work->facets;
  int count = facets_of(facets, c), first = facets->first[c];
  const double zero[3] = {0}, mu = work->reduced->mu[c], unit = 1 / (1 + mu);
  if (friction == 0) {
    for (int j = 0; j < count; j++) {
      double normal[2] = {facets->direction[2 * (first + j)], 0}, distance = 1;
      if (count > 2) distance = edge_normal(facets, c, j, normal);
      const double b[3] = {mu * distance * unit, -normal[0] * unit, -normal[1] * unit};
      add_check(work, c, zero, b, 0);
    }
  } else if (friction <= count) {
    int j = friction - 1;
    const double *d = facets->direction + 2 * (first + j);
    for (int side = 0; side < (count > 2 ? 2 : 1); side++) {
      const double *other = facets->direction + 2 * (first + (j + (side ? count - 1 : 1)) % count);
      const double a[3] = {0, other[0] - d[0], other[1] - d[1]};
      add_check(work, c, a, zero, 0);
    }
  } else {
    double normal[2], distance = edge_normal(facets, c, friction - count - 1, normal);
    double half = sqrt(fmax(0, 1 - distance * distance));
    const double a[3] = {0, -normal[0], -normal[1]};
    add_check(work, c, a, zero, 0);
    for (int side = -1; side <= 1; side += 2) {
      const double b[3] = {mu * half * unit, -side * normal[1] * unit, side * normal[0] * unit};
      add_check(work, c, zero, b, 0);
    }
  }
}

static void contact_checks(outcome_mode_work *work, int c, outcome_contact_mode mode) {
  const double up[3] = {1}, down[3] = {-1}, zero[3] = {0};
  if (mode.normal == OUTCOME_OPEN) {
    add_check(work, c, up, zero, 0);
    return;
  }
  if (mode.normal == OUTCOME_FULL) {
    add_check(work, c, down, zero, 0);
  } else {
    /* an error of p_n is one of mu p_n where the contact slips */
    double lever = mode.friction ? 1 + work->reduced->mu[c] : 1;
    const double less[3] = {-lever}, more[3] = {lever};
    add_check(work, c, zero, less, lever);
    if (mode.friction != 0 || facets_of(work->facets, c) == 0) add_check(work, c, zero, more, 0);
  }
  friction_checks(work, c, mode.friction);
}

bool outcome_mode_map(outcome_mode_work *work, const outcome_contact_mode *mode) {
  const outcome_reduced *r = work->reduced;
  for (int c = 0; c < r->nc; c++)
    if (r->held[c] && mode[c].normal != OUTCOME_OPEN) return false;
  memset(work->A, 0, sizeof *work->A * (size_t)r->nrow * (size_t)r->nrow);
  memset(work->P, 0, sizeof *work->P * (size_t)r->nrow * (size_t)r->nx);
  for (int c = 0; c < r->nc; c++) {
    normal_equation(work, c, mode[c].normal);
    friction_equations(work, c, mode[c]);
  }
  if (!solve_equations(work)) return false;
  fill_next(work);
  work->map.rows = 0, work->map.full = false;
  for (int c = 0; c < r->nc; c++) work->map.full = work->map.full || mode[c].normal == OUTCOME_FULL;
  for (int c = 0; c < r->nc; c++) contact_checks(work, c, mode[c]);
  return true;
}
