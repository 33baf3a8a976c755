/* Modes in which several spatial frictions slip, shown to have no solution, so that they need not be searched.
 *
 * The directions of slip are divided into sectors, one friction after the other. Sectors leave a polyhedron of impulses
 * (mode_polyhedron.h); where it is empty, no solution slips there. Frictions whose sector is not chosen yet may have
 * any impulse of their disc. A friction that does not move belongs to another mode: slip is faster than accuracy `closing`.
 * Where every friction opposes a motion that it alone would have to cause, as at rest, sectors of 45 degrees suffice.
 *
 * Cost: a nearest point for each combination of sectors that is not excluded before it is complete; MAX_NODES at most.
 */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "coulomb/accuracy.h"
#include "coulomb/mode_polyhedron.h"

enum { SECTORS = 8, MAX_SPLITS = 3, MAX_NODES = 3000 };
static const double ROUNDED = 1.01; /* times the narrowest sector: halving in floating point may miss it by a little */

typedef struct exclusion {
  coulomb_mode *mode;
  coulomb_polyhedron set;
  coulomb_sector *sector;
  int nodes;
} exclusion;

/* Leaves the directions of spatial slip open, or takes them as the mode has them. */
static void open_directions(coulomb_mode *mode, bool open) {
  for (int f = 0; f < mode->nfriction; f++)
    mode->friction[f].open = open && mode->friction[f].slips && mode->friction[f].rows.count == 2;
}

static bool belongs(const coulomb_mode_friction *f, int row) {
  return row >= f->rows.row && row < f->rows.row + f->rows.count;
}

/* Rows that come to rest in this mode; those of open directions do not. */
static void add_equations(exclusion *e) {
  const coulomb_mode *mode = e->mode;
  const double one = 1;
  for (int j = 0; j < mode->count; j++) {
    bool slips = false;
    for (int f = 0; f < mode->nfriction; f++)
      slips |= mode->friction[f].open && belongs(&mode->friction[f], mode->row[j]);
    if (!slips) coulomb_polyhedron_velocity(&e->set, mode->row[j], 1, &one, 0);
  }
  e->set.equal = e->set.rows;
}

static bool empty(exclusion *e) {
  e->nodes++;
  e->set.rows = 0;
  add_equations(e);
  coulomb_polyhedron_inequalities(&e->set, COULOMB_OUTER);
  memset(e->set.y, 0, sizeof *e->set.y * (size_t)e->mode->count);
  return coulomb_polyhedron_nearest(&e->set, e->set.y) == CRD_NO_SOLUTION;
}

/* Whether the sectors chosen so far can be excluded, those of friction f and behind it still open. */
static bool excluded(exclusion *e, int f);

/* The same when all are chosen: the widest is halved. */
static bool excluded_by_halves(exclusion *e) {
  const double narrowest = CRD_TURN / SECTORS / 2 / (1 << MAX_SPLITS);
  int widest = -1;
  for (int f = 0; f < e->mode->nfriction; f++)
    if (e->mode->friction[f].open && (widest < 0 || e->sector[f].half > e->sector[widest].half)) widest = f;
  coulomb_sector whole = e->sector[widest];
  if (whole.half <= ROUNDED * narrowest) return false;
  bool all = true;
  for (int side = -1; side <= 1 && all; side += 2) {
    e->sector[widest] = (coulomb_sector){whole.middle + 0.5 * side * whole.half, 0.5 * whole.half};
    all = excluded(e, e->mode->nfriction);
  }
  e->sector[widest] = whole;
  return all;
}

static bool excluded(exclusion *e, int f) {
  const double turn = CRD_TURN / SECTORS;
  if (e->nodes >= MAX_NODES) return false;
  if (empty(e)) return true;
  while (f < e->mode->nfriction && !e->mode->friction[f].open) f++;
  if (f == e->mode->nfriction) return excluded_by_halves(e);
  bool all = true;
  for (int s = 0; s < SECTORS && all; s++) {
    e->sector[f] = (coulomb_sector){turn * s, 0.5 * turn};
    all = excluded(e, f + 1);
  }
  e->sector[f] = (coulomb_sector){0};
  return all;
}

crd_status coulomb_mode_exclude(coulomb_mode *mode, bool *none) {
  exclusion e = {.mode = mode};
  *none = false;
  if (coulomb_polyhedron_too_large(mode)) return CRD_OK;
  if (!mode->sector) mode->sector = crd_arena_alloc(mode->arena, (size_t)mode->nfriction, sizeof *mode->sector);
  if (!mode->sector) return CRD_ERR_MEMORY;
  crd_status status = coulomb_polyhedron_begin(mode, &e.set);
  if (status != CRD_OK) return status;
  e.sector = mode->sector;
  e.set.sector = mode->sector, e.set.slowest = CRD_ACCURACY.closing * crd_coulomb_scale(mode->problem);
  memset(e.sector, 0, sizeof *e.sector * (size_t)mode->nfriction);
  memset(mode->p, 0, sizeof *mode->p * (size_t)mode->n);
  open_directions(mode, true);
  coulomb_mode_collect(mode, -1);
  *none = excluded(&e, 0);
  open_directions(mode, false);
  return CRD_OK;
}
