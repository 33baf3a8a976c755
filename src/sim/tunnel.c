/* Bodies that move further in a step than they are thick.
 *
 * The gap at the end of a step shows every overlap but that of a body which has passed right through another. To do so
 * two bodies have to move relative to each other by 2 (a + b) at least, a and b the radii of spheres that fit into
 * them. Where two bodies that come near each other do, the step is cut into pieces in which none does.
 */
#include "sim/tunnel.h"

#include <cradle/linalg.h>
#include <math.h>

#include "sim/partition.h"

static const double FLAT = 0.05; /* of its radius: a hull is taken for no thinner, nor where its origin lies outside */
static const double THINNEST = 1e-3; /* of the scene's size: nothing counts as thinner */

/* Distance of the nearest face of the hull from the geom's origin. */
static double hull_thickness(const crd_mesh *mesh) {
  const crd_hull_faces *faces = &mesh->faces;
  double least = INFINITY;
  for (int f = 0; f < faces->count; f++)
    least = fmin(least, crd_vec3_dot(faces->normal + 3 * f, mesh->vert + 3 * faces->corner[faces->first[f]]));
  return isfinite(least) ? fmax(0, least) : 0;
}

double crd_sim_thickness(const crd_model *model, int g) {
  const crd_geom *geom = &model->geom[g];
  const double *s = geom->size;
  switch (geom->type) {
    case CRD_PLANE: return INFINITY;
    case CRD_SPHERE:
    case CRD_CAPSULE: return s[0];
    case CRD_CYLINDER: return fmin(s[0], s[1]);
    case CRD_BOX:
    case CRD_ELLIPSOID: return fmin(s[0], fmin(s[1], s[2]));
    case CRD_HFIELD: return 0.5 * model->mesh[geom->mesh].field.base;
    case CRD_MESH: return fmax(FLAT * geom->radius, hull_thickness(&model->mesh[geom->mesh]));
  }
  return 0;
}

static const double BEND = 1.5; /* upper bound of the way over its chord */

/* Upper bounds of the way of a geom's centre, and of its way as seen from another one. */
static double way(const crd_group *group, int g) {
  double d[3];
  if (group->model->geom[g].link < 0) return 0;
  crd_vec3_sub(d, group->seek->pos + 3 * g, group->seek->pos_now + 3 * g);
  return BEND * crd_vec3_norm(d);
}

static double relative_way(const crd_group *group, int g, int h) {
  double a[3], b[3];
  crd_vec3_sub(a, group->seek->pos + 3 * g, group->seek->pos_now + 3 * g);
  if (group->model->geom[h].link >= 0) {
    crd_vec3_sub(b, group->seek->pos + 3 * h, group->seek->pos_now + 3 * h);
    crd_vec3_sub(a, a, b);
  }
  return BEND * crd_vec3_norm(a);
}

/* Distance of the point c from the segment a b. */
static double off_segment(const double a[3], const double b[3], const double c[3]) {
  double ab[3], ac[3];
  crd_vec3_sub(ab, b, a);
  crd_vec3_sub(ac, c, a);
  double length = crd_vec3_dot(ab, ab), t = length > 0 ? fmin(1, fmax(0, crd_vec3_dot(ac, ab) / length)) : 0;
  crd_vec3_axpy(ac, -t, ab);
  return crd_vec3_norm(ac);
}

static double thickness(const crd_group *group, int g) {
  return fmax(group->scene->thickness[g], THINNEST * group->scene->size);
}

/* Can the geoms have come near each other? */
static bool meet(const crd_group *group, int g, int h) {
  const crd_geom *geom = group->model->geom;
  double reach = geom[g].radius + geom[h].radius + way(group, h) + way(group, g) * (BEND - 1) / BEND;
  return off_segment(group->seek->pos_now + 3 * g, group->seek->pos + 3 * g, group->seek->pos_now + 3 * h) <= reach;
}

double crd_sim_safe_time(const crd_group *group, double dt) {
  const crd_model *model = group->model;
  double share = 1;
  CRD_EACH (group->part, geom, g) {
    if (!group->scene->moves[g]) continue;
    if (way(group, g) <= thickness(group, g)) continue; /* of two that pass, one moves so far */
    for (int h = 0; h < model->ngeom; h++) {
      bool moves = model->geom[h].link >= 0;
      if (h == g || model->geom[h].type == CRD_PLANE || (moves && !group->scene->moves[h])) continue;
      if (moves && !crd_partition_has(group, group->sim->groups.tree_of_geom[h])) continue;
      double most = 2 * (thickness(group, g) + thickness(group, h)), relative = relative_way(group, g, h);
      /* what costs most to ask is asked last: hardly any two come near each other */
      if (relative * share > most && meet(group, g, h) && crd_model_may_collide(model, g, h, NULL))
        share = most / relative;
    }
  }
  return share * dt;
}
