/* Bodies that move further in a step than they are thick.
 *
 * The gap at the end of a step shows every overlap but that of a body which has passed right through another. To do so
 * two bodies have to move relative to each other by 2 (a + b) at least, a and b the radii of spheres that fit into
 * them, by whose centres the motion is measured. Where two bodies that come near each other do, the step is cut into pieces in which none does.
 */
#include "sim/tunnel.h"

#include <cradle/linalg.h>
#include <math.h>

#include "sim/partition.h"

static const double FLAT = 0.05;     /* of its radius: a hull is taken for no thinner */
static const double THINNEST = 1e-3; /* of the scene's size: nothing counts as thinner */
static const double FIRST_STEP = 0.2, LAST_STEP = 1e-3, SHORTER = 0.93; /* of the hull's size, and of one another */

/* Distance of the point c from the nearest face of the hull, *face; negative outside. */
static double depth_in_hull(const crd_mesh *mesh, const double c[3], int *face) {
  const crd_hull_faces *faces = &mesh->faces;
  double least = INFINITY;
  for (int f = 0; f < faces->count; f++) {
    const double *normal = faces->normal + 3 * f;
    double depth = crd_vec3_dot(normal, mesh->vert + 3 * faces->corner[faces->first[f]]) - crd_vec3_dot(normal, c);
    if (depth < least) least = depth, *face = f;
  }
  return least;
}

/* Radius of nearly the largest sphere that fits into the hull, and its centre: from the mean of the vertices away from
 * the nearest face, by ever smaller steps. */
static double sphere_in_hull(const crd_mesh *mesh, double centre[3]) {
  double c[3] = {0, 0, 0}, best = -INFINITY, size = 0;
  for (int i = 0; i < mesh->nhull; i++) crd_vec3_axpy(c, 1.0 / mesh->nhull, mesh->vert + 3 * mesh->hull[i]);
  for (int i = 0; i < mesh->nhull; i++) {
    double d[3];
    crd_vec3_sub(d, mesh->vert + 3 * mesh->hull[i], c);
    size = fmax(size, crd_vec3_norm(d));
  }
  for (double step = FIRST_STEP * size; step > LAST_STEP * size; step *= SHORTER) {
    int face = 0;
    double depth = depth_in_hull(mesh, c, &face);
    if (depth > best) best = depth, crd_vec3_copy(centre, c);
    if (mesh->faces.count > 0) crd_vec3_axpy(c, -step, mesh->faces.normal + 3 * face);
  }
  return isfinite(best) ? fmax(0, best) : 0;
}

double crd_sim_sphere_inside(const crd_model *model, int g, double centre[3]) {
  const crd_geom *geom = &model->geom[g];
  const double *s = geom->size;
  centre[0] = centre[1] = centre[2] = 0;
  switch (geom->type) {
    case CRD_PLANE: return INFINITY;
    case CRD_SPHERE:
    case CRD_CAPSULE: return s[0];
    case CRD_CYLINDER: return fmin(s[0], s[1]);
    case CRD_HFIELD: return 0.5 * model->mesh[geom->mesh].field.base;
    case CRD_BOX:
    case CRD_ELLIPSOID: return fmin(s[0], fmin(s[1], s[2]));
    case CRD_MESH: return fmax(FLAT * geom->radius, sphere_in_hull(&model->mesh[geom->mesh], centre));
  }
  return 0;
}

static const double BEND = 1.5; /* upper bound of the way over its chord */

void crd_sim_core(const crd_group *group, int g, double core[3]) {
  crd_mat3_mul_vec(core, group->seek->R + 9 * g, group->scene->core + 3 * g);
  crd_vec3_add(core, core, group->seek->pos + 3 * g);
}

/* Upper bounds of the way of a sphere's centre, and of its way as seen from another one. */
static double way(const crd_group *group, int g) { return BEND * crd_vec3_norm(group->seek->moved + 3 * g); }

static double relative_way(const crd_group *group, int g, int h) {
  double d[3];
  crd_vec3_sub(d, group->seek->moved + 3 * g, group->seek->moved + 3 * h);
  return BEND * crd_vec3_norm(d);
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

/* Radius of a sphere about the core that holds the geom. */
static double extent(const crd_group *group, int g) {
  return group->model->geom[g].radius + crd_vec3_norm(group->scene->core + 3 * g);
}

/* Can the geoms have come near each other? */
static bool meet(const crd_group *group, int g, int h) {
  double reach = extent(group, g) + extent(group, h) + way(group, h) + way(group, g) * (BEND - 1) / BEND;
  const double *from = group->seek->core_now;
  double to[3];
  crd_vec3_add(to, from + 3 * g, group->seek->moved + 3 * g);
  return off_segment(from + 3 * g, to, from + 3 * h) <= reach;
}

static void measure_ways(const crd_group *group) {
  CRD_EACH (group->part, geom, g) {
    double *d = group->seek->moved + 3 * g;
    if (!group->scene->moves[g]) continue;
    crd_sim_core(group, g, d);
    crd_vec3_sub(d, d, group->seek->core_now + 3 * g);
  }
}

double crd_sim_safe_time(const crd_group *group, double dt) {
  const crd_model *model = group->model;
  double share = 1;
  measure_ways(group);
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
