/* The contacts of a height field with a convex solid, prism by prism.
 *
 * Prisms share walls and edges, which are none of the field's. A contact of a prism counts where the field has its normal
 * (src/collide/field.h). Where none does, the solid overlaps all prisms so deeply that the way out through a wall is the
 * shortest, and what faces their triangles is the contact.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "collide/collider.h"
#include "collide/reduce.h"

static const double SAME_NORMAL = 1e-6; /* rad: of one patch */
static const double SAME_POINT = 1e-7;  /* of the solid's size: neighbours share the points of their edge */

typedef struct field_pair {
  crd_collider *collider;
  const crd_mesh *mesh;
  const double *pos, *R; /* of the field */
  const crd_solid *solid;
  double distance;
  int count; /* gathered */
  bool met;  /* a prism has contacts, the field's or not */
} field_pair;

static void to_field(const field_pair *p, const double world[3], double local[3]) {
  double d[3];
  crd_vec3_sub(d, world, p->pos);
  crd_mat3_tmul_vec(local, p->R, d);
}

static double apart(const double a[3], const double b[3]) {
  double d[3];
  crd_vec3_sub(d, a, b);
  return crd_vec3_norm(d);
}

/* Keeps the corners of each patch: points on the lines between prisms are none of the field's. */
static void keep_corners(field_pair *p) {
  crd_contact_point *all = p->collider->gathered, *found = p->collider->found;
  bool *keep = p->collider->keep;
  int kept = 0;
  for (int first = 0; first < p->count;) {
    const crd_contact_point head = all[first];
    int patch = 0, rest = first;
    for (int i = first; i < p->count; i++) { /* the patch of the first to `found`, the others move up behind it */
      if (apart(all[i].normal, head.normal) <= SAME_NORMAL)
        found[patch++] = all[i];
      else
        all[rest++] = all[i];
    }
    crd_patch_corners(found, patch, SAME_POINT * p->solid->extent, keep);
    const int others = rest - first;
    int few = 0;
    for (int i = 0; i < patch; i++) few += keep[i];
    memmove(all + kept + few, all + first, (size_t)others * sizeof *all);
    for (int i = 0, to = kept; i < patch; i++)
      if (keep[i]) all[to++] = found[i];
    p->count = kept + few + others;
    kept += few, first = kept;
  }
}

/* Keeps a point unless it is there; the deeper of two stays. What finds no room even so is not the deepest. */
static void gather(field_pair *p, const crd_contact_point *point) {
  crd_contact_point *all = p->collider->gathered;
  int highest = 0;
  for (int i = 0; i < p->count; i++) {
    if (apart(all[i].normal, point->normal) <= SAME_NORMAL &&
        apart(all[i].point, point->point) <= SAME_POINT * p->solid->extent) {
      if (point->gap < all[i].gap) all[i] = *point;
      return;
    }
    if (all[i].gap > all[highest].gap) highest = i;
  }
  if (p->count < CRD_FIELD_POINTS)
    all[p->count++] = *point;
  else if (point->gap < all[highest].gap)
    all[highest] = *point;
  if (p->count == CRD_FIELD_POINTS) keep_corners(p);
}

/* A point of contact on the field's surface, in its frame, and the normal there. */
static bool is_of_field(const field_pair *p, const crd_contact_point *c) {
  double at[3], local[3], n[3];
  crd_vec3_copy(at, c->point);
  crd_vec3_axpy(at, -0.5 * c->gap, c->normal);
  to_field(p, at, local);
  crd_mat3_tmul_vec(n, p->R, c->normal);
  return crd_field_has_normal(p->mesh, local, n);
}

/* The part of the solid that faces the triangle of the prism. */
static int facing(field_pair *p, const crd_solid *prism, int row, int col, int half) {
  double local[3], n[3], centre[3];
  crd_field_normal(p->mesh, row, col, half, local);
  crd_mat3_mul_vec(n, p->R, local);
  const double s = crd_solid_separation(p->solid, prism, n, NULL, NULL);
  if (s > p->distance + p->solid->radius) return 0;
  if (p->solid->core == CRD_CORE_POINT) {
    to_field(p, p->solid->pos, centre);
    crd_vec3_axpy(centre, -s, local);
    if (!crd_field_is_over(p->mesh, row, col, half, centre[0], centre[1])) return 0;
  }
  return crd_contacts_along(p->collider, p->solid, prism, n, s, p->distance);
}

/* Gathers what the prism's contacts have of the field; `facing_only`: what faces its triangle. */
static void meet_prism(field_pair *p, int row, int col, int half, bool facing_only) {
  crd_prism prism;
  crd_solid body;
  crd_field_prism(&prism, &body, p->mesh, row, col, half, p->pos, p->R);
  int count =
      facing_only ? facing(p, &body, row, col, half) : crd_convex_contacts(p->collider, p->solid, &body, p->distance);
  count = crd_capsule_ends(p->collider, count, p->solid, &body, p->distance);
  p->met |= count > 0;
  for (int i = 0; i < count; i++)
    if (facing_only || is_of_field(p, &p->collider->found[i])) gather(p, &p->collider->found[i]);
}

static void meet_all(field_pair *p, const crd_field_cells *cells, double lowest, bool facing_only) {
  for (int row = cells->row[0]; row < cells->row[1]; row++)
    for (int col = cells->col[0]; col < cells->col[1]; col++)
      for (int half = 0; half < 2; half++)
        if (crd_field_top(p->mesh, row, col, half) >= lowest) meet_prism(p, row, col, half, facing_only);
}

/* The box about the solid in the field's frame, grown by the distance. */
static void bound(const field_pair *p, double low[3], double high[3]) {
  for (int i = 0; i < 3; i++) {
    double axis[3] = {p->R[i], p->R[3 + i], p->R[6 + i]}, back[3], at[3], local[3];
    crd_vec3_scale(back, -1, axis);
    crd_solid_support(p->solid, axis, at);
    to_field(p, at, local), high[i] = local[i] + p->solid->radius + p->distance;
    crd_solid_support(p->solid, back, at);
    to_field(p, at, local), low[i] = local[i] - p->solid->radius - p->distance;
  }
}

int crd_field_contacts(crd_collider *collider, int geom, const double pos[3], const double R[9], const crd_solid *solid,
                       double distance) {
  const crd_mesh *mesh = &collider->model->mesh[collider->model->geom[geom].mesh];
  const crd_field *field = &mesh->field;
  field_pair p = {collider, mesh, pos, R, solid, distance, 0, false};
  double low[3], high[3];
  bound(&p, low, high);
  if (high[2] < -field->base) return 0;
  for (int i = 0; i < 2; i++)
    if (low[i] > field->half[i] || high[i] < -field->half[i]) return 0;
  const crd_field_cells cells = crd_field_under(field, low, high);
  meet_all(&p, &cells, low[2], false);
  if (p.met && p.count == 0) meet_all(&p, &cells, low[2], true);
  keep_corners(&p);
  memcpy(collider->found, collider->gathered, (size_t)p.count * sizeof *collider->found);
  return p.count;
}
