/* The rows of a mode's polyhedron (mode_polyhedron.h), in the units of its unknowns. Cost: count for each row, and 16
 * rows for a disc; a nearest point costs some steps of count (rows + count^2). */
#include "coulomb/mode_polyhedron.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "linalg/nearest.h"

enum { POLYGON = 16, MAX_ROWS = 400 };

static int most_rows(const coulomb_mode *mode) {
  return mode->n + mode->problem->ncontact + mode->nfriction * (POLYGON + 1) + 2 * mode->problem->nbounded;
}

bool coulomb_polyhedron_too_large(const coulomb_mode *mode) { return most_rows(mode) > MAX_ROWS; }

crd_status coulomb_polyhedron_begin(coulomb_mode *mode, coulomb_polyhedron *set) {
  size_t n = (size_t)mode->n, most = (size_t)most_rows(mode);
  if (!mode->polyhedron) {
    size_t room = (n + 1) * most + n + crd_nearest_room(mode->n, (int)most);
    mode->polyhedron = crd_arena_alloc(mode->arena, room, sizeof *mode->polyhedron);
    if (!mode->polyhedron) return CRD_ERR_MEMORY;
  }
  *set = (coulomb_polyhedron){.mode = mode, .K = mode->polyhedron};
  set->h = set->K + n * most, set->y = set->h + most, set->room = set->y + n;
  return CRD_OK;
}

double *coulomb_polyhedron_row(coulomb_polyhedron *set, double h) {
  double *K = set->K + coulomb_at(set->mode->count, set->rows, 0);
  memset(K, 0, sizeof *K * (size_t)set->mode->count);
  set->h[set->rows++] = h;
  return K;
}

void coulomb_polyhedron_velocity(coulomb_polyhedron *set, int row, int count, const double *a, double least) {
  coulomb_mode *mode = set->mode;
  double unit = mode->scale[row], *K = coulomb_polyhedron_row(set, 0), h = unit * least;
  for (int t = 0; t < count; t++) {
    h -= unit * a[t] * mode->rest[row + t];
    for (int j = 0; j < mode->count; j++)
      K[j] += unit * a[t] * mode->column[coulomb_at(mode->n, j, row + t)] * mode->unit[j];
  }
  set->h[set->rows - 1] = h;
}

/* d' p_f <= radius p_n: unknown j is p_n, those from first on are p_f. */
static void add_bound(coulomb_polyhedron *set, int count, int j, int first, const double *d, double radius) {
  const double *unit = set->mode->unit;
  double *K = coulomb_polyhedron_row(set, 0);
  K[j] = radius;
  for (int t = 0; t < count; t++) K[first + t] = -d[t] * unit[first + t] / unit[j];
}

/* |p_f| <= mu p_n. A corner of the inner polygon lies along the friction that mode->p has now, wherever the tangents
 * point. */
static void add_disc(coulomb_polyhedron *set, const crd_coulomb_friction *f, int j, int first, coulomb_disc which) {
  const double turn = CRD_TURN / POLYGON, *p = set->mode->p + f->row;
  if (f->count == 1) {
    for (int sign = -1; sign <= 1; sign += 2) add_bound(set, 1, j, first, (double[1]){sign}, f->mu);
    return;
  }
  double start = atan2(p[1], p[0]) + turn / 2, radius = which == COULOMB_INNER ? cos(turn / 2) : 1;
  for (int side = 0; side < POLYGON; side++)
    add_bound(set, 2, j, first, (double[2]){cos(start + turn * side), sin(start + turn * side)}, radius * f->mu);
}

/* Slip in a sector: p_f beyond the chord of its arc and within the tangents at the ends, on the side opposed to u_f. */
static void add_sector(coulomb_polyhedron *set, const crd_coulomb_friction *f, const coulomb_sector *sector, int j,
                       int first) {
  if (sector->half <= 0) {
    add_disc(set, f, j, first, COULOMB_OUTER);
    return;
  }
  const double middle[2] = {cos(sector->middle), sin(sector->middle)};
  add_bound(set, 2, j, first, middle, -f->mu * cos(sector->half));
  coulomb_polyhedron_velocity(set, f->row, 2, middle, set->slowest);
  for (int sign = -1; sign <= 1; sign += 2) {
    double angle = sector->middle + sign * sector->half, c = cos(angle), s = sin(angle);
    add_bound(set, 2, j, first, (double[2]){-c, -s}, f->mu);
    coulomb_polyhedron_velocity(set, f->row, 2, (double[2]){sign * s, -sign * c}, 0);
  }
}

/* The unknowns of a closed contact: its normal, behind it the rows of frictions that stick or slip anywhere. */
static void add_closed(coulomb_polyhedron *set, int c, int j, coulomb_disc which) {
  coulomb_mode *mode = set->mode;
  int first = j + 1;
  coulomb_polyhedron_row(set, 0)[j] = 1;
  for (int f = mode->first[c]; f < mode->first[c + 1]; f++) {
    const coulomb_mode_friction *friction = &mode->friction[f];
    if (friction->open)
      add_sector(set, &friction->rows, &set->sector[f], j, first);
    else if (friction->slips)
      coulomb_polyhedron_velocity(set, friction->rows.row, friction->rows.count, friction->d, 0);
    else
      add_disc(set, &friction->rows, j, first, which);
    if (!friction->slips || friction->open) first += friction->rows.count;
  }
}

static void add_bounded(coulomb_polyhedron *set, const crd_coulomb_bounded *b, coulomb_mode_bound bound) {
  const coulomb_mode *mode = set->mode;
  const double sign = bound == COULOMB_AT_LOWER ? 1 : -1;
  if (bound != COULOMB_BETWEEN) {
    if (b->lower < b->upper) coulomb_polyhedron_velocity(set, b->row, 1, &sign, 0);
    return;
  }
  int j = 0;
  while (mode->row[j] != b->row) j++;
  if (isfinite(b->lower)) coulomb_polyhedron_row(set, b->lower / mode->unit[j])[j] = 1;
  if (isfinite(b->upper)) coulomb_polyhedron_row(set, -b->upper / mode->unit[j])[j] = -1;
}

void coulomb_polyhedron_inequalities(coulomb_polyhedron *set, coulomb_disc which) {
  const coulomb_mode *mode = set->mode;
  const double one = 1;
  for (int c = 0; c < mode->problem->ncontact; c++)
    if (!mode->closed[c]) coulomb_polyhedron_velocity(set, mode->problem->contact[c].row, 1, &one, 0);
  for (int j = 0; j < mode->count; j++)
    if (mode->owner[j] >= 0) add_closed(set, mode->owner[j], j, which);
  for (int i = 0; i < mode->problem->nbounded; i++) add_bounded(set, &mode->problem->bounded[i], mode->bound[i]);
}

crd_status coulomb_polyhedron_nearest(coulomb_polyhedron *set, double *y) {
  crd_polyhedron rows = {.n = set->mode->count, .equal = set->equal, .rows = set->rows, .K = set->K, .h = set->h};
  return crd_nearest_point(&rows, set->room, y);
}
