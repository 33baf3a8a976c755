/* Contacts of the problem from points of contact: frames, planar contacts, merging.
 *
 * Tangents. t1 is the normal turned by -90 degrees in the x-z plane, t1 = e_y x n: +x on a floor, +z on a wall at the
 * right. A contact of a planar mechanism slides in one direction only; the tangent rows are then linearly dependent and
 * are replaced by the row along that direction. A contact that cannot slide at all has no tangent row, and one that can
 * neither open nor close is no contact of the mechanism and is left out.
 *
 * Merging. Points whose rows agree are one contact (the two corners of a planar box that lie one behind the other):
 * separate impulses there could not be told apart by any motion. It keeps the first point's rows and has the mean of
 * the points.
 *
 * "Zero" and "equal" are judged in the kinetic metric, |row|^2 = row M^-1 row', in which all rows of contacts have one
 * unit (kg^-1/2) and which does not depend on the choice of coordinates.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"

void crd_contact_tangents(const double n[3], double t1[3], double t2[3]) {
  double viewer[3] = {0, -1, 0}; /* from where the x-z plane is seen with x to the right and z up */
  if (fabs(n[1]) > 1 - 1e-9) viewer[1] = 0, viewer[2] = 1;
  crd_vec3_cross(t1, n, viewer);
  crd_vec3_normalize(t1);
  crd_vec3_cross(t2, n, t1);
  /* n x t1 does not change sign with n; the sign of n's leading component makes it */
  double leading = fabs(n[2]) > 1e-9 ? n[2] : fabs(n[0]) > 1e-9 ? n[0] : n[1];
  if (leading < 0) crd_vec3_scale(t2, -1, t2);
}

static void contact_row(crd_assembly *a, const crd_contact *c, const double direction[3]) {
  double d[6] = {0, 0, 0, direction[0], direction[1], direction[2]};
  crd_assembly_row(a, c->body1, c->point, c->body2, c->point, d);
}

/* The rows of t1 and t2 stand behind the normal row: keeps both, the one direction in which the contact can slide, or
 * none. */
static void reduce_tangents(crd_assembly *a, crd_contact *c, double normal_square) {
  size_t n = (size_t)a->problem->nv;
  int r1 = c->row + 1, r2 = c->row + 2;
  double g11 = crd_assembly_square(a, r1), g22 = crd_assembly_square(a, r2);
  double g12 = crd_dense_dot((int)n, a->problem->J + n * (size_t)r1, a->problem->X + n * (size_t)r2);
  double zero = CRD_NEGLIGIBLE_SQUARE * (normal_square + g11 + g22);
  c->ntangent = 2;
  if (g11 <= zero && g22 <= zero) {
    c->ntangent = 0;
    a->rows = r1;
  } else if (g22 <= zero) {
    c->ntangent = 1;
    a->rows = r2;
  } else if (g11 <= zero) {
    c->ntangent = 1;
    crd_assembly_move_row(a, r1, r2);
    memcpy(c->tangent[0], c->tangent[1], sizeof c->tangent[0]);
    a->rows = r2;
  } else if (g11 * g22 - g12 * g12 <= zero * fmax(g11, g22)) {
    /* sliding along cos t1 + sin t2 only: the eigenvector of the larger eigenvalue of [g11 g12; g12 g22] */
    double angle = 0.5 * atan2(2 * g12, g11 - g22), along[3];
    crd_vec3_scale(along, cos(angle), c->tangent[0]);
    crd_vec3_axpy(along, sin(angle), c->tangent[1]);
    if (cos(angle) < 0) crd_vec3_scale(along, -1, along);
    crd_vec3_copy(c->tangent[0], along);
    c->ntangent = 1;
    a->rows = r1;
    contact_row(a, c, along);
  }
  for (int k = c->ntangent; k < 2; k++) memset(c->tangent[k], 0, sizeof c->tangent[k]);
}

/* Appends the point as contact number nc of the problem; false: it cannot open or close. */
static bool add_contact(crd_assembly *a, const crd_contact_point *p) {
  const crd_model *model = a->assembler->model;
  crd_coefficients coefficients = crd_contact_coefficients(model, p);
  crd_contact *c = &a->problem->contact[a->problem->nc];
  *c = (crd_contact){.row = a->rows, .gap = p->gap, .npoint = 1, .joint = -1};
  c->body1 = model->geom[p->geomA].body, c->body2 = model->geom[p->geomB].body;
  crd_vec3_copy(c->point, p->point);
  crd_vec3_copy(c->normal, p->normal);
  bool given = !isnan(a->options->mu);
  c->mu = c->mu_static = given ? a->options->mu : coefficients.mu;
  c->e = isnan(a->options->e) ? coefficients.e : a->options->e;
  crd_contact_tangents(c->normal, c->tangent[0], c->tangent[1]);
  crd_assembly_bodies(a, c->body1, c->point, c->body2, c->point);
  contact_row(a, c, c->normal);
  contact_row(a, c, c->tangent[0]);
  contact_row(a, c, c->tangent[1]);
  double normal = crd_assembly_square(a, c->row);
  double tangential = crd_assembly_square(a, c->row + 1) + crd_assembly_square(a, c->row + 2);
  if (!(normal > CRD_NEGLIGIBLE_SQUARE * tangential)) {
    a->rows = c->row;
    return false;
  }
  if (coefficients.condim == 1 && !given) {
    a->rows = c->row + 1;
    memset(c->tangent, 0, sizeof c->tangent);
  } else {
    reduce_tangents(a, c, normal);
  }
  return true;
}

static bool is_same(const crd_assembly *a, const crd_contact *c, const crd_contact *d) {
  if (c->ntangent != d->ntangent || c->mu != d->mu || c->e != d->e) return false;
  double tolerance = a->options->merge_tolerance * a->options->merge_tolerance;
  for (int k = 0; k <= c->ntangent; k++) {
    double scale = crd_assembly_square(a, c->row + k);
    if (!(crd_assembly_distance(a, c->row + k, d->row + k) <= tolerance * scale)) return false;
  }
  return true;
}

static void join(crd_contact *c, const crd_contact *d) {
  double weight = 1.0 / (c->npoint + 1);
  for (int i = 0; i < 3; i++) c->point[i] += weight * (d->point[i] - c->point[i]);
  c->gap = fmin(c->gap, d->gap);
  c->npoint++;
}

void crd_assembly_contacts(crd_assembly *a, const crd_contact_point *point, int npoint) {
  crd_contact_problem *problem = a->problem;
  int *contact_of = a->assembler->contact_of;
  problem->nc = 0;
  for (int i = 0; i < npoint; i++) {
    contact_of[i] = -1;
    if (point[i].gap > a->options->distance || !add_contact(a, &point[i])) continue;
    const crd_contact *fresh = &problem->contact[problem->nc];
    int same = 0;
    while (same < problem->nc && !is_same(a, &problem->contact[same], fresh)) same++;
    contact_of[i] = same;
    if (same < problem->nc) {
      join(&problem->contact[same], fresh);
      a->rows = fresh->row;
    } else {
      problem->nc++;
    }
  }
  problem->nrow = a->rows;
}
