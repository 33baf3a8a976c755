/* Integrals over the solid inside a triangle mesh: a sum over pyramids with a common apex, one per face.
 *
 * A pyramid with apex 0 over the triangle (a, b, c) has volume V = det(a, b, c) / 6, centroid (a + b + c) / 4 and
 * second moments int x x' = V / 20 (2 (aa' + bb' + cc') + ab' + ba' + ac' + ca' + bc' + cb').
 *
 * Exact rule: V signed, right for every closed surface with outward faces, convex or not, whatever the apex.
 *
 * Legacy rule (MuJoCo's default to this day): |V| with the apex at the area centroid of the faces, then again about the
 * centre of mass found so; right for convex meshes, too much volume for others.
 *
 * Shell: mass spread evenly over the faces. A triangle of area A has its centroid at (a + b + c) / 3 and the second
 * moments A / 12 (2 (aa' + bb' + cc') + ab' + ba' + ac' + ca' + bc' + cb').
 *
 * MuJoCo 2.2.2 keeps vertices in single precision and forms their products so. mujoco_rounding repeats it step by step
 * and agrees to 1e-9 instead of 1e-7. (The product and the sum of two floats, computed in double and then rounded, are
 * what float arithmetic gives.) */
#include "model/mesh.h"

#include "model/rounding.h"

#include <stdlib.h>

static const double CENTROID = 0.75; /* of the way from the apex of a pyramid to the centroid of its base */
/* Less volume than this, relative to area^(3/2), counts as none. */
static const double least_volume = 1e-12;

typedef struct triangle {
  double vertex[3][3], centre[3], normal[3]; /* normal: length twice the area */
} triangle;

static double rounded(double x, bool single) { return single ? crd_round_to_float(x) : x; }

/* Face i with its vertices moved by -origin. */
static triangle face_triangle(const double *vert, const int *face, int i, const double origin[3], bool single) {
  triangle t;
  double edge[2][3];
  for (int k = 0; k < 3; k++) {
    for (int j = 0; j < 3; j++)
      t.vertex[j][k] = rounded(rounded(vert[3 * face[3 * i + j] + k], single) - origin[k], single);
    double sum = rounded(rounded(t.vertex[0][k] + t.vertex[1][k], single) + t.vertex[2][k], single);
    t.centre[k] = rounded(sum / 3, single);
    for (int j = 0; j < 2; j++) edge[j][k] = rounded(t.vertex[j + 1][k] - t.vertex[0][k], single);
  }
  crd_vec3_cross(t.normal, edge[0], edge[1]);
  return t;
}

/* Volume of the pyramid over the triangle. */
static double pyramid_volume(const triangle *t, const double apex[3], bool exact) {
  double height[3];
  crd_vec3_sub(height, t->centre, apex);
  double volume = crd_vec3_dot(height, t->normal) / 6;
  return exact ? volume : fabs(volume);
}

/* 20 / V times the second moment of the pyramid over t with apex 0, in the coordinates (p, q). */
static double pyramid_moment(const triangle *t, int p, int q, bool single) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum = rounded(sum + rounded(t->vertex[i][p] * t->vertex[i][q], single), single);
  sum *= 2;
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++) {
      sum = rounded(sum + rounded(t->vertex[i][p] * t->vertex[j][q], single), single);
      sum = rounded(sum + rounded(t->vertex[i][q] * t->vertex[j][p], single), single);
    }
  return sum;
}

/* xx = int(y^2 + z^2), ..., xy = -int x y, ... */
static void moments_to_inertia(double inertia[6], const double second[6]) {
  inertia[0] = second[1] + second[2], inertia[1] = second[0] + second[2], inertia[2] = second[0] + second[1];
  for (int k = 3; k < 6; k++) inertia[k] = -second[k];
}

static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}; /* xx yy zz xy xz yz */

/* The surface of mass 1 about its centre. */
static void integrate_shell(const double *vert, int nface, const int *face, const double centre[3], double area,
                            crd_massprops *shell) {
  double second[6] = {0};
  crd_vec3_copy(shell->com, centre);
  for (int i = 0; i < nface; i++) {
    const triangle t = face_triangle(vert, face, i, centre, false);
    const double share = 0.5 * crd_vec3_norm(t.normal) / area;
    for (int k = 0; k < 6; k++) second[k] += share / 12 * pyramid_moment(&t, axes[k][0], axes[k][1], false);
  }
  moments_to_inertia(shell->inertia, second);
}

/* MuJoCo finds the principal axes of a mesh at its default density, not at the density of the geoms. */
static void round_mesh_inertia(double inertia[6]) {
  const double density = 1000;
  for (int k = 0; k < 6; k++) inertia[k] *= density;
  crd_round_inertia(inertia);
  for (int k = 0; k < 6; k++) inertia[k] /= density;
}

crd_status crd_mesh_integrate(const double *vert, int nface, const int *face, crd_mesh_rule rule, crd_massprops *solid,
                              double *volume) {
  const bool single = rule.mujoco_rounding && rule.inertia != CRD_MESH_SHELL, exact = rule.inertia == CRD_MESH_EXACT;
  const double zero[3] = {0, 0, 0};
  double area = 0, apex[3] = {0, 0, 0};
  *solid = (crd_massprops){.mass = 1};
  *volume = 0;
  for (int i = 0; i < nface; i++) {
    triangle t = face_triangle(vert, face, i, zero, single);
    double a = 0.5 * crd_vec3_norm(t.normal);
    crd_vec3_axpy(apex, a, t.centre);
    area += a;
  }
  if (!(area > 0)) return CRD_SINGULAR;
  crd_vec3_scale(apex, 1 / area, apex);
  if (rule.inertia == CRD_MESH_SHELL) {
    integrate_shell(vert, nface, face, apex, area, solid);
    *volume = area;
    return CRD_OK;
  }

  double *com = solid->com;
  for (int i = 0; i < nface; i++) {
    triangle t = face_triangle(vert, face, i, zero, single);
    double v = pyramid_volume(&t, apex, exact);
    *volume += v;
    for (int k = 0; k < 3; k++) com[k] += v * (CENTROID * t.centre[k] + (1 - CENTROID) * apex[k]);
  }
  if (!(*volume > least_volume * area * sqrt(area))) return CRD_SINGULAR;
  crd_vec3_scale(com, 1 / *volume, com);

  double second[6] = {0}; /* xx yy zz xy xz yz */
  *volume = 0;
  for (int i = 0; i < nface; i++) {
    triangle t = face_triangle(vert, face, i, com, single);
    double v = pyramid_volume(&t, zero, exact);
    *volume += v;
    for (int k = 0; k < 6; k++) second[k] += v / 20 * pyramid_moment(&t, axes[k][0], axes[k][1], single);
  }
  moments_to_inertia(solid->inertia, second);
  if (rule.mujoco_rounding) round_mesh_inertia(solid->inertia);
  for (int k = 0; k < 6; k++) solid->inertia[k] /= *volume;
  return CRD_OK;
}

static int compare_edges(const void *a, const void *b) {
  const int *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

bool crd_mesh_is_misoriented(int nface, const int *face, int edge[2], bool *ok) {
  int(*edges)[2] = calloc((size_t)nface * 3 + 1, sizeof *edges);
  bool found = false;
  *ok = edges != NULL;
  if (!edges) return false;
  for (int i = 0; i < nface; i++)
    for (int j = 0; j < 3; j++) edges[3 * i + j][0] = face[3 * i + j], edges[3 * i + j][1] = face[3 * i + (j + 1) % 3];
  qsort(edges, (size_t)nface * 3, sizeof *edges, compare_edges);
  for (int i = 1; i < 3 * nface && !found; i++) {
    found = compare_edges(edges[i - 1], edges[i]) == 0;
    edge[0] = edges[i][0], edge[1] = edges[i][1];
  }
  free(edges);
  return found;
}
