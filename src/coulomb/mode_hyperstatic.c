/* Modes whose impulses are not determined (hyperstatic contact): x is known up to the null space of A, and some x of
 * that set may satisfy the mode's inequalities although the one of least norm does not. The solutions of a mode are a
 * polyhedron (mode_polyhedron.h), or lie between two of them. Cost: a nearest point each time.
 *
 * Its dimension: S is the span of the points found so far, p their mean. If e runs through a basis of the directions
 * orthogonal to S and the points nearest to p + e and p - e are p each time, then all of these lie in the cone of
 * normals at p, and nothing of the polyhedron leaves p + S. Otherwise S grows. */
#include <math.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "coulomb/mode_polyhedron.h"
#include "linalg/dense.h"

enum { ROUNDS = 3 };

/* The part of x that A determines, through an orthonormal basis of the space its rows span, and that spatial slip has
 * the direction of the friction. */
static void add_equations(coulomb_polyhedron *set) {
  coulomb_mode *mode = set->mode;
  int k = mode->count;
  for (int r = 0; r < mode->rank; r++) {
    const double *V = mode->V + coulomb_at(k, r, 0);
    memcpy(coulomb_polyhedron_row(set, crd_dense_dot(k, V, set->y)), V, sizeof *V * (size_t)k);
  }
  for (int f = 0; f < mode->nfriction; f++) {
    const coulomb_mode_friction *friction = &mode->friction[f];
    const double across[2] = {-friction->d[1], friction->d[0]};
    if (mode->closed[friction->contact] && friction->slips && friction->rows.count == 2)
      coulomb_polyhedron_velocity(set, friction->rows.row, 2, across, 0);
  }
  set->equal = set->rows;
}

static void build(coulomb_polyhedron *set, coulomb_disc which) {
  coulomb_mode *mode = set->mode;
  set->rows = 0;
  for (int j = 0; j < mode->count; j++) set->y[j] = mode->x[j] / mode->unit[j];
  add_equations(set);
  coulomb_polyhedron_inequalities(set, which);
}

bool coulomb_mode_consistent(const coulomb_mode *mode) {
  const crd_coulomb_problem *problem = mode->problem;
  double slow = mode->tolerance * crd_coulomb_scale(problem);
  for (int j = 0; j < mode->count; j++) {
    double target = mode->owner[j] >= 0 ? problem->contact[mode->owner[j]].target : 0, allowed = slow;
    for (int i = 0; i < problem->nbilateral; i++)
      if (problem->bilateral[i] == mode->row[j]) allowed = fmax(slow, CRD_ACCURACY.bilateral * problem->velocity);
    if (!(fabs(mode->u[mode->row[j]] - target) <= allowed)) return false;
  }
  return true;
}

static bool sticks_in_space(const coulomb_mode *mode) {
  for (int f = 0; f < mode->nfriction; f++)
    if (mode->closed[mode->friction[f].contact] && !mode->friction[f].slips && mode->friction[f].rows.count == 2)
      return true;
  return false;
}

/* The nearest point with discs of this kind becomes the answer. */
static crd_status answer_within(coulomb_polyhedron *set, coulomb_disc which) {
  coulomb_mode *mode = set->mode;
  build(set, which);
  crd_status status = coulomb_polyhedron_nearest(set, set->y);
  if (status != CRD_OK) return status;
  for (int j = 0; j < mode->count; j++) mode->x[j] = set->y[j] * mode->unit[j];
  coulomb_mode_expand(mode);
  return CRD_OK;
}

crd_status coulomb_mode_choose(coulomb_mode *mode) {
  coulomb_polyhedron set;
  if (coulomb_polyhedron_too_large(mode)) return CRD_UNKNOWN;
  crd_status status = coulomb_polyhedron_begin(mode, &set);
  if (status != CRD_OK) return status;
  for (int round = 0; round < ROUNDS; round++) {
    status = answer_within(&set, COULOMB_INNER);
    if (status == CRD_OK && coulomb_mode_holds(mode)) return CRD_OK;
    if (status < 0) return status;
    if (!sticks_in_space(mode)) break;
    /* the corners of the next inner polygons lie where the outer ones have a point */
    status = answer_within(&set, COULOMB_OUTER);
    if (status != CRD_OK) break;
    if (coulomb_mode_holds(mode)) return CRD_OK;
  }
  return status == CRD_NO_SOLUTION || status < 0 ? status : CRD_UNKNOWN;
}

/* Adds the part of v orthogonal to the `count` rows of S, if it is longer than `short_of`. */
static int extend(int k, double *S, int count, const double *v, double short_of) {
  double *out = S + coulomb_at(k, count, 0);
  memcpy(out, v, sizeof *v * (size_t)k);
  for (int pass = 0; pass < 2; pass++)
    for (int s = 0; s < count; s++) {
      const double *d = S + coulomb_at(k, s, 0);
      double along = crd_dense_dot(k, d, out);
      for (int j = 0; j < k; j++) out[j] -= along * d[j];
    }
  double length = sqrt(crd_dense_dot(k, out, out));
  if (!(length > short_of)) return count;
  for (int j = 0; j < k; j++) out[j] /= length;
  return count + 1;
}

/* Does a step y change velocities, beyond rounding? */
static bool moves(const coulomb_mode *mode, const double *y, double size) {
  for (int r = 0; r < mode->n; r++) {
    double u = 0;
    for (int j = 0; j < mode->count; j++) u += mode->column[coulomb_at(mode->n, j, r)] * mode->unit[j] * y[j];
    if (fabs(u) * mode->scale[r] > CRD_ACCURACY.apart * size) return true;
  }
  return false;
}

/* One more direction of the set than the `found` rows of S, from its point y on; y becomes the mean of both ends. */
static bool grow(coulomb_polyhedron *set, double *S, int found, double *y, double size, coulomb_mode_extent *extent) {
  coulomb_mode *mode = set->mode;
  int k = mode->count;
  double *e = S + coulomb_at(k, found, 0), *trial = mode->A; /* A is no longer needed: V has its null space */
  for (int r = mode->rank; r < k; r++)
    for (int sign = -1; sign <= 1; sign += 2) {
      if (extend(k, S, found, mode->V + coulomb_at(k, r, 0), CRD_ACCURACY.apart) == found) continue;
      for (int j = 0; j < k; j++) trial[j] = y[j] + sign * size * e[j];
      crd_status status = coulomb_polyhedron_nearest(set, trial);
      if (status != CRD_OK) {
        extent->undecided = true;
        continue;
      }
      for (int j = 0; j < k; j++) trial[j] -= y[j];
      if (extend(k, S, found, trial, CRD_ACCURACY.apart * size) == found) continue;
      extent->motions |= moves(mode, trial, size);
      for (int j = 0; j < k; j++) y[j] += 0.5 * trial[j];
      return true;
    }
  return false;
}

crd_status coulomb_mode_measure(coulomb_mode *mode, coulomb_mode_extent *extent) {
  coulomb_polyhedron set;
  *extent = (coulomb_mode_extent){0};
  if (mode->rank == mode->count) return CRD_OK;
  if (coulomb_polyhedron_too_large(mode)) return extent->undecided = true, CRD_OK;
  crd_status status = coulomb_polyhedron_begin(mode, &set);
  if (status != CRD_OK) return status;
  build(&set, COULOMB_INNER);
  double size = mode->energy;
  for (int j = 0; j < mode->count; j++) size = fmax(size, fabs(set.y[j]));
  while (extent->impulses < mode->count - mode->rank &&
         grow(&set, mode->U, extent->impulses, set.y, size, extent)) /* U is no longer needed */
    extent->impulses++;
  return CRD_OK;
}
