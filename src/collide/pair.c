/* The contacts of one pair of geoms: normal, patch, gaps.
 *
 * Positions are taken relative to one of the bodies, so that a pair far from the origin loses no digits.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "collide/collider.h"
#include "collide/direction.h"
#include "collide/reduce.h"

/* A face or an edge belongs to the patch while it is turned away from the normal by less than about 20 degrees; its
 * points then have to be near enough one by one. */
static const double PATCH_SLANT = 0.35;
static const double SAME_POINT = 1e-9; /* of the smaller body: coordinates that differ by rounding */

/* In order of x, y, z, where coordinates that differ by rounding only count as equal. */
static bool comes_before(const crd_contact_point *p, const crd_contact_point *q, double same) {
  for (int i = 0; i < 3; i++)
    if (fabs(p->point[i] - q->point[i]) > same) return p->point[i] < q->point[i];
  return false;
}

static void add_found(crd_collider *collider, int *count, const crd_solid *A, const crd_solid *B,
                      const crd_patch_point *p, double distance) {
  const crd_patch *patch = &collider->patch;
  double top = p->hA - A->radius, bottom = p->hB + B->radius, gap = top - bottom;
  if (gap > distance) return;
  crd_contact_point *c = &collider->found[(*count)++];
  c->gap = gap;
  crd_vec3_copy(c->normal, patch->n);
  for (int i = 0; i < 3; i++)
    c->point[i] = p->x * patch->e1[i] + p->y * patch->e2[i] + 0.5 * (top + bottom) * patch->n[i];
}

/* Where the patch misses the nearest point (a normal that could not be polished), the support point of the body that
 * faces the other with a single corner stands for it. */
static void add_nearest(crd_patch *patch, const crd_solid *A, const crd_solid *B, double s, double tolerance) {
  double a[3], b[3];
  for (int i = 0; i < patch->count; i++)
    if (patch->point[i].hA - patch->point[i].hB <= s + tolerance) return;
  if (patch->count == patch->capacity) patch->count--;
  crd_solid_separation(A, B, patch->n, a, b);
  const double *p = patch->A.count == 1 ? a : b;
  double hA = crd_vec3_dot(a, patch->n);
  patch->point[patch->count++] = (crd_patch_point){crd_vec3_dot(p, patch->e1), crd_vec3_dot(p, patch->e2), hA, hA - s};
}

/* A sphere touches in one point, below its centre: there is no patch to look for. s: separation of the cores. */
static int point_contact(crd_collider *collider, const crd_solid *A, const crd_solid *B, const double n[3], double s) {
  crd_contact_point *c = &collider->found[0];
  bool onA = A->core == CRD_CORE_POINT;
  const double *centre = onA ? A->pos : B->pos;
  double way = onA ? 0.5 * (B->radius - A->radius - s) : 0.5 * (B->radius - A->radius + s);
  c->gap = s - A->radius - B->radius;
  crd_vec3_copy(c->normal, n);
  for (int i = 0; i < 3; i++) c->point[i] = centre[i] + way * n[i];
  return 1;
}

int crd_convex_contacts(crd_collider *collider, const crd_solid *A, const crd_solid *B, double distance) {
  double n[3], limit = distance + A->radius + B->radius;
  double s = crd_direction(A, B, limit, n, &collider->patch);
  return s > limit ? 0 : crd_contacts_along(collider, A, B, n, s, distance);
}

int crd_contacts_along(crd_collider *collider, const crd_solid *A, const crd_solid *B, const double n[3], double s,
                       double distance) {
  crd_patch *patch = &collider->patch;
  double extent = fmin(A->extent, B->extent);
  if (A->core == CRD_CORE_POINT || B->core == CRD_CORE_POINT) return point_contact(collider, A, B, n, s);
  crd_patch_tolerance tolerance = {PATCH_SLANT, 1e-7 * extent};
  crd_patch_find(patch, A, B, n, &tolerance);
  add_nearest(patch, A, B, s, 1e-5 * extent);
  int count = 0;
  for (int i = 0; i < patch->count; i++) add_found(collider, &count, A, B, &patch->point[i], distance);
  return count;
}

/* The points found of a large patch become those that span it. Returns their number. */
static int keep_few(crd_collider *collider, int count) {
  int kept = 0;
  if (count <= CRD_PATCH_POINTS) return count;
  memset(collider->known, 0, (size_t)count * sizeof *collider->known);
  crd_patch_choose(collider->found, count, 0, collider->known, collider->keep);
  for (int i = 0; i < count; i++)
    if (collider->keep[i]) collider->found[kept++] = collider->found[i];
  return kept;
}

/* Does geom1 play the part of A? */
static bool is_first(const crd_model *model, int geom1, int geom2) {
  bool fixed1 = model->geom[geom1].link < 0, fixed2 = model->geom[geom2].link < 0;
  return fixed1 != fixed2 ? fixed2 : geom1 > geom2;
}

int crd_pair_contacts(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2, double distance,
                      bool all_points) {
  const crd_model *model = collider->model;
  int a = is_first(model, geom1, geom2) ? geom1 : geom2, b = a == geom1 ? geom2 : geom1, count;
  bool planeA = model->geom[a].type == CRD_PLANE, planeB = model->geom[b].type == CRD_PLANE;
  int origin = planeA ? b : a;
  double zero[3] = {0, 0, 0}, other[3], same;
  bool fieldA = model->geom[a].type == CRD_HFIELD, fieldB = model->geom[b].type == CRD_HFIELD;
  if ((planeA || fieldA) && (planeB || fieldB)) return 0;
  if (fieldA) origin = b;
  crd_vec3_sub(other, pos + 3 * (origin == a ? b : a), pos + 3 * origin);
  crd_solid A, B;
  if (fieldA || fieldB) {
    crd_solid_of_geom(&A, model, origin, zero, R + 9 * origin);
    count = crd_field_contacts(collider, fieldA ? a : b, other, R + 9 * (fieldA ? a : b), &A, distance);
    for (int i = 0; fieldA && i < count; i++) crd_vec3_scale(collider->found[i].normal, -1, collider->found[i].normal);
    same = SAME_POINT * A.extent;
  } else if (planeA || planeB) {
    const double *P = R + 9 * (planeA ? a : b);
    double n[3] = {P[2], P[5], P[8]};
    crd_solid_of_geom(&A, model, origin, zero, R + 9 * origin);
    count = crd_plane_contacts(collider, &A, other, n, distance);
    for (int i = 0; planeA && i < count; i++) crd_vec3_scale(collider->found[i].normal, -1, collider->found[i].normal);
    same = SAME_POINT * A.extent;
  } else {
    crd_solid_of_geom(&A, model, a, zero, R + 9 * a);
    crd_solid_of_geom(&B, model, b, other, R + 9 * b);
    count = crd_capsule_ends(collider, crd_convex_contacts(collider, &A, &B, distance), &A, &B, distance);
    same = SAME_POINT * fmin(A.extent, B.extent);
  }
  if (!all_points && !fieldA && !fieldB) count = keep_few(collider, count);
  crd_sort_points(collider->found, count, comes_before, same);
  for (int i = 0; i < count; i++) {
    crd_contact_point *c = &collider->found[i];
    c->geomA = a, c->geomB = b, c->pair = -1, c->index = i;
    crd_vec3_add(c->point, c->point, pos + 3 * origin);
  }
  return count;
}

static bool is_flat(const crd_geom *geom) { return geom->type == CRD_PLANE || geom->type == CRD_HFIELD; }

/* Height of the geom's origin above the plane. */
static double height(const double *pos, const double *R, int plane, int geom) {
  double n[3] = {R[9 * plane + 2], R[9 * plane + 5], R[9 * plane + 8]}, d[3];
  crd_vec3_sub(d, pos + 3 * geom, pos + 3 * plane);
  return crd_vec3_dot(d, n);
}

double crd_pair_sphere_gap(const crd_collider *collider, const double *pos, const double *R, int geom1, int geom2) {
  const crd_geom *g = collider->model->geom;
  bool plane1 = g[geom1].type == CRD_PLANE, plane2 = g[geom2].type == CRD_PLANE;
  if (is_flat(&g[geom1]) && is_flat(&g[geom2])) return INFINITY;
  if (plane1) return height(pos, R, geom1, geom2) - g[geom2].radius;
  if (plane2) return height(pos, R, geom2, geom1) - g[geom1].radius;
  double d[3];
  crd_vec3_sub(d, pos + 3 * geom1, pos + 3 * geom2);
  return crd_vec3_norm(d) - g[geom1].radius - g[geom2].radius;
}

double crd_pair_gap(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2, double n[3]) {
  const crd_model *model = collider->model;
  int plane = model->geom[geom1].type == CRD_PLANE ? geom1 : model->geom[geom2].type == CRD_PLANE ? geom2 : -1;
  int geom = plane == geom1 ? geom2 : geom1, other = geom == geom1 ? geom2 : geom1;
  double zero[3] = {0, 0, 0}, at[3], world[3];
  crd_solid A, B;
  n[0] = n[1] = n[2] = 0;
  if (is_flat(&model->geom[geom1]) && is_flat(&model->geom[geom2])) return INFINITY;
  if (model->geom[geom1].type == CRD_HFIELD || model->geom[geom2].type == CRD_HFIELD) {
    int field = model->geom[geom1].type == CRD_HFIELD ? geom1 : geom2, solid = field == geom1 ? geom2 : geom1;
    crd_vec3_sub(at, pos + 3 * solid, pos + 3 * field);
    crd_mat3_tmul_vec(world, R + 9 * field, at);
    return crd_field_gap(&model->mesh[model->geom[field].mesh], world, model->geom[solid].radius);
  }
  crd_solid_of_geom(&A, model, geom, zero, R + 9 * geom);
  if (plane >= 0) {
    double down[3] = {-R[9 * plane + 2], -R[9 * plane + 5], -R[9 * plane + 8]};
    crd_solid_support(&A, down, at);
    return height(pos, R, plane, geom) - crd_vec3_dot(at, down) - A.radius;
  }
  crd_vec3_sub(at, pos + 3 * other, pos + 3 * geom);
  crd_solid_of_geom(&B, model, other, at, R + 9 * other);
  double gap = crd_direction(&A, &B, INFINITY, world, &collider->patch) - A.radius - B.radius;
  crd_mat3_tmul_vec(n, A.R, world);
  return gap;
}

double crd_pair_gap_along(const crd_collider *collider, const double *pos, const double *R, int geom1, int geom2,
                          const double n[3]) {
  double zero[3] = {0, 0, 0}, at[3], world[3];
  crd_solid A, B;
  if (n[0] == 0 && n[1] == 0 && n[2] == 0) return -INFINITY;
  crd_solid_of_geom(&A, collider->model, geom1, zero, R + 9 * geom1);
  crd_vec3_sub(at, pos + 3 * geom2, pos + 3 * geom1);
  crd_solid_of_geom(&B, collider->model, geom2, at, R + 9 * geom2);
  crd_mat3_mul_vec(world, A.R, n);
  return crd_solid_separation(&A, &B, world, NULL, NULL) - A.radius - B.radius;
}
