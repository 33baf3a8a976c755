/* A height field is the union of prisms below the triangles of its surface. A convex solid meets each of them as it
 * would meet any other convex solid; what is found is the field's where the field has such a normal. */
#include "collide/field.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

static const double ON_TRIANGLE = 1e-9; /* of a cell: a point that far outside of a triangle lies on its edge */
static const double RISE = 1e-7;        /* of a cell: a corner that rises above a plane by less lies in it */

/* Faces of a prism by their corners, and the faces at each corner. */
static const int face_first[] = {0, 3, 6, 10, 14, 18},
                 face_corner[] = {0, 1, 2, 5, 4, 3, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0},
                 at_first[] = {0, 3, 6, 9, 12, 15, 18},
                 at_corner[] = {0, 2, 4, 0, 2, 3, 0, 3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4},
                 all_corners[] = {0, 1, 2, 3, 4, 5};

static int clamp(double x, int most) { return x <= 0 ? 0 : x >= most ? most : (int)x; }

crd_field_cells crd_field_under(const crd_field *field, const double low[3], const double high[3]) {
  crd_field_cells cells;
  const int most[2] = {field->ncol - 1, field->nrow - 1};
  int *range[2] = {cells.col, cells.row};
  for (int i = 0; i < 2; i++) {
    const double step = 2 * field->half[i] / most[i];
    range[i][0] = clamp(floor((low[i] + field->half[i]) / step), most[i]);
    range[i][1] = clamp(ceil((high[i] + field->half[i]) / step), most[i]);
    /* a solid that ends on a line between cells, or beyond the border, touches the cell before it */
    if (range[i][0] == most[i]) range[i][0]--;
    if (range[i][1] <= range[i][0]) range[i][1] = range[i][0] + 1;
  }
  return cells;
}

static const double *corner(const crd_mesh *mesh, int row, int col, int half, int k) {
  const int face = 2 * (row * (mesh->field.ncol - 1) + col) + half;
  return mesh->vert + 3 * (size_t)mesh->face[3 * (size_t)face + (size_t)k];
}

double crd_field_top(const crd_mesh *mesh, int row, int col, int half) {
  double top = -INFINITY;
  for (int k = 0; k < 3; k++) top = fmax(top, corner(mesh, row, col, half, k)[2]);
  return top;
}

static void normal_of(const double *a, const double *b, const double *c, double n[3]) {
  double u[3], v[3];
  crd_vec3_sub(u, b, a);
  crd_vec3_sub(v, c, a);
  crd_vec3_cross(n, u, v);
  crd_vec3_normalize(n);
}

void crd_field_normal(const crd_mesh *mesh, int row, int col, int half, double n[3]) {
  normal_of(corner(mesh, row, col, half, 0), corner(mesh, row, col, half, 1), corner(mesh, row, col, half, 2), n);
}

void crd_field_prism(crd_prism *prism, crd_solid *solid, const crd_mesh *mesh, int row, int col, int half,
                     const double pos[3], const double R[9]) {
  double centre[3] = {0, 0, 0};
  *solid = (crd_solid){.core = CRD_CORE_HULL, .nvert = CRD_PRISM_CORNERS, .hull = all_corners};
  for (int k = 0; k < 3; k++) {
    double *top = prism->vert + 3 * k, *foot = top + 9;
    memcpy(top, corner(mesh, row, col, half, k), 3 * sizeof *top);
    foot[0] = top[0], foot[1] = top[1], foot[2] = -mesh->field.base;
    crd_vec3_axpy(centre, 1.0 / CRD_PRISM_CORNERS, top);
    crd_vec3_axpy(centre, 1.0 / CRD_PRISM_CORNERS, foot);
  }
  for (int k = 0; k < CRD_PRISM_CORNERS; k++) {
    double *x = prism->vert + 3 * k;
    crd_vec3_sub(x, x, centre);
    solid->extent = fmax(solid->extent, crd_vec3_norm(x));
  }
  for (int f = 0; f < CRD_PRISM_FACES; f++) {
    const int *at = face_corner + face_first[f];
    normal_of(prism->vert + 3 * at[0], prism->vert + 3 * at[1], prism->vert + 3 * at[2], prism->normal + 3 * f);
  }
  prism->faces = (crd_hull_faces){.count = CRD_PRISM_FACES,
                                  .first = face_first,
                                  .corner = face_corner,
                                  .normal = prism->normal,
                                  .at_first = at_first,
                                  .at = at_corner};
  solid->vert = prism->vert, solid->faces = &prism->faces;
  memcpy(solid->R, R, sizeof solid->R);
  crd_mat3_mul_vec(solid->pos, R, centre);
  crd_vec3_add(solid->pos, solid->pos, pos);
}

bool crd_field_is_over(const crd_mesh *mesh, int row, int col, int half, double x, double y) {
  const crd_field *field = &mesh->field;
  const double cell = fmin(2 * field->half[0] / (field->ncol - 1), 2 * field->half[1] / (field->nrow - 1));
  for (int k = 0; k < 3; k++) {
    const double *a = corner(mesh, row, col, half, k), *b = corner(mesh, row, col, half, (k + 1) % 3);
    const double u = b[0] - a[0], v = b[1] - a[1], outside = (x - a[0]) * v - (y - a[1]) * u;
    if (outside > ON_TRIANGLE * cell * hypot(u, v)) return false;
  }
  return true;
}

bool crd_field_has_normal(const crd_mesh *mesh, const double p[3], const double n[3]) {
  const crd_field *field = &mesh->field;
  double low[3] = {p[0], p[1], 0}, high[3] = {p[0], p[1], 0}, cell = INFINITY;
  for (int i = 0; i < 2; i++) {
    const double step = 2 * field->half[i] / ((i == 0 ? field->ncol : field->nrow) - 1);
    low[i] -= ON_TRIANGLE * step, high[i] += ON_TRIANGLE * step, cell = fmin(cell, step);
  }
  const crd_field_cells cells = crd_field_under(field, low, high);
  for (int row = cells.row[0]; row < cells.row[1]; row++)
    for (int col = cells.col[0]; col < cells.col[1]; col++)
      for (int half = 0; half < 2; half++) {
        if (!crd_field_is_over(mesh, row, col, half, p[0], p[1])) continue;
        for (int k = 0; k < 3; k++) {
          double d[3];
          crd_vec3_sub(d, corner(mesh, row, col, half, k), p);
          if (crd_vec3_dot(d, n) > RISE * cell) return false;
        }
      }
  return true;
}

/* Beside the field's box; else above the cells below a square that is wider than the sphere by its radius, beyond which
 * everything is further away than that. */
double crd_field_gap(const crd_mesh *mesh, const double centre[3], double radius) {
  const crd_field *field = &mesh->field;
  double low[3], high[3], top = -INFINITY, beside = -field->base - (centre[2] + radius);
  for (int i = 0; i < 2; i++) {
    beside = fmax(beside, fabs(centre[i]) - field->half[i] - radius);
    low[i] = centre[i] - 2 * radius, high[i] = centre[i] + 2 * radius;
  }
  const crd_field_cells cells = crd_field_under(field, low, high);
  for (int row = cells.row[0]; row < cells.row[1]; row++)
    for (int col = cells.col[0]; col < cells.col[1]; col++)
      for (int half = 0; half < 2; half++) top = fmax(top, crd_field_top(mesh, row, col, half));
  return fmax(beside, fmin(radius, centre[2] - radius - top));
}
