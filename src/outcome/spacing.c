/* How densely points lie: the largest distance of a point of the second half to the nearest of the first half.
 *
 * The first half is sorted into a grid over its (at most three) widest coordinates; a search goes outwards cell by
 * cell. Only the largest distance is asked for, so a search ends as soon as it is known not to be that: with many
 * outcomes at the same place almost every search ends at its first look. About linear in the number of points.
 */
#include "base/layout.h"

#include <cradle/outcome.h>
#include <math.h>
#include <string.h>

enum { GRID_AXES = 3, MOST_CELLS = 128 };

typedef struct grid {
  const double *point;
  int dim, naxis;
  int axis[GRID_AXES], cells[GRID_AXES];
  double origin[GRID_AXES], width; /* of a cell, the same along all axes */
  size_t *first;                   /* cells + 1: where a cell's points begin in member */
  size_t *member;
} grid;

static double distance_between(int dim, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < dim; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* The widest coordinates, and cells that would hold about one point each if the points were spread evenly. */
static void choose_axes(grid *g, size_t count) {
  double extent[GRID_AXES] = {0};
  for (int i = 0; i < g->dim; i++) {
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < count; k++) {
      double x = g->point[(size_t)g->dim * k + (size_t)i];
      least = fmin(least, x), most = fmax(most, x);
    }
    int place = g->naxis < GRID_AXES ? g->naxis++ : GRID_AXES;
    while (place > 0 && most - least > extent[place - 1]) {
      if (place < GRID_AXES)
        extent[place] = extent[place - 1], g->axis[place] = g->axis[place - 1], g->origin[place] = g->origin[place - 1];
      place--;
    }
    if (place < GRID_AXES) extent[place] = most - least, g->axis[place] = i, g->origin[place] = least;
  }
  double along = fmin(MOST_CELLS, ceil(pow((double)count, 1.0 / g->naxis)));
  g->width = extent[0] > 0 ? extent[0] / along : 1;
  for (int a = 0; a < g->naxis; a++) g->cells[a] = (int)(extent[a] / g->width) + 1;
}

static int cell_along(const grid *g, int a, const double *x) {
  double cell = floor((x[g->axis[a]] - g->origin[a]) / g->width);
  return (int)fmin(g->cells[a] - 1, fmax(0, cell));
}

static size_t cell_number(const grid *g, const int *cell) {
  size_t number = 0;
  for (int a = 0; a < g->naxis; a++) number = number * (size_t)g->cells[a] + (size_t)cell[a];
  return number;
}

static size_t cell_of(const grid *g, size_t point) {
  int cell[GRID_AXES];
  for (int a = 0; a < g->naxis; a++) cell[a] = cell_along(g, a, g->point + (size_t)g->dim * point);
  return cell_number(g, cell);
}

static crd_status build(grid *g, size_t count, crd_arena *arena) {
  choose_axes(g, count);
  size_t cells = 1;
  for (int a = 0; a < g->naxis; a++) cells *= (size_t)g->cells[a];
  if (CRD_TAKE(arena, CRD_ARRAY(g->first, cells + 2), CRD_ARRAY(g->member, count))) return CRD_ERR_MEMORY;
  size_t *end = g->first + 1; /* grows from a cell's beginning to its end while the points are put in */
  for (size_t i = 0; i < count; i++) end[cell_of(g, i) + 1]++;
  for (size_t c = 1; c < cells; c++) end[c] += end[c - 1];
  for (size_t i = 0; i < count; i++) g->member[end[cell_of(g, i)]++] = i;
  return CRD_OK;
}

typedef struct search {
  const grid *g;
  const double *x;
  int centre[GRID_AXES];
  double enough, nearest; /* a point within enough ends the search */
} search;

static void look_into(search *s, const int *cell) {
  size_t number = cell_number(s->g, cell);
  for (size_t i = s->g->first[number]; i < s->g->first[number + 1] && s->nearest > s->enough; i++)
    s->nearest = fmin(s->nearest, distance_between(s->g->dim, s->x, s->g->point + (size_t)s->g->dim * s->g->member[i]));
}

/* All cells at the distance ring (in cells, the largest along an axis) from the centre. */
static void look_around(search *s, int ring) {
  const grid *g = s->g;
  int low[GRID_AXES] = {0}, high[GRID_AXES] = {0}, cell[GRID_AXES] = {0};
  for (int a = 0; a < g->naxis; a++) {
    low[a] = s->centre[a] - ring < 0 ? 0 : s->centre[a] - ring;
    high[a] = s->centre[a] + ring >= g->cells[a] ? g->cells[a] - 1 : s->centre[a] + ring;
  }
  for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
    for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
      for (cell[2] = low[2]; cell[2] <= high[2] && s->nearest > s->enough; cell[2]++) {
        int far = 0;
        for (int a = 0; a < g->naxis; a++) {
          int off = cell[a] > s->centre[a] ? cell[a] - s->centre[a] : s->centre[a] - cell[a];
          far = off > far ? off : far;
        }
        if (far == ring) look_into(s, cell);
      }
}

/* The distance to the nearest point, or some distance not above `enough` where the nearest is not farther than that. */
static double nearest_distance(const grid *g, const double *x, double enough) {
  search s = {.g = g, .x = x, .enough = enough, .nearest = INFINITY};
  int rings = 0;
  for (int a = 0; a < g->naxis; a++) {
    s.centre[a] = cell_along(g, a, x);
    rings = g->cells[a] > rings ? g->cells[a] : rings;
  }
  /* points in the cells of ring k + 1 are at least k widths away */
  for (int ring = 0; ring < rings && s.nearest > enough && s.nearest > (ring - 1) * g->width; ring++)
    look_around(&s, ring);
  return s.nearest;
}

crd_status crd_outcome_spacing(const double *point, size_t count, int dim, double *epsilon) {
  crd_arena arena = {0};
  if (dim < 1) return CRD_ERR_ARGUMENT;
  for (size_t i = 0; i < count * (size_t)dim; i++)
    if (!isfinite(point[i])) return CRD_ERR_NUMBER;
  *epsilon = 0;
  if (count < 2) return CRD_OK;
  grid g = {.point = point, .dim = dim};
  crd_status status = build(&g, count / 2, &arena);
  double most = 0;
  for (size_t i = count / 2; i < count && status == CRD_OK; i++)
    most = fmax(most, nearest_distance(&g, point + (size_t)dim * i, most));
  crd_arena_free(&arena);
  if (status == CRD_OK) *epsilon = most;
  return status;
}
