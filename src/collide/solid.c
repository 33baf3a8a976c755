/* Solids from geoms, their support functions and extents. Support costs O(1), of a large hull about the
 * root of its number of vertices. */
#include "collide/solid.h"

#include <cradle/linalg.h>
#include <string.h>

/* A hull with no more vertices is searched through. */
enum { SMALL_HULL = 32 };

void crd_solid_of_geom(crd_solid *solid, const crd_model *model, int geom, const double pos[3], const double R[9]) {
  const crd_geom *g = &model->geom[geom];
  *solid = (crd_solid){.extent = g->radius};
  memcpy(solid->pos, pos, sizeof solid->pos);
  memcpy(solid->R, R, sizeof solid->R);
  switch (g->type) {
    case CRD_SPHERE: solid->core = CRD_CORE_POINT, solid->radius = g->size[0]; break;
    case CRD_CAPSULE: solid->core = CRD_CORE_SEGMENT, solid->radius = g->size[0], solid->size[2] = g->size[1]; break;
    case CRD_CYLINDER:
      solid->core = CRD_CORE_CYLINDER, solid->size[0] = solid->size[1] = g->size[0], solid->size[2] = g->size[1];
      break;
    case CRD_ELLIPSOID: solid->core = CRD_CORE_ELLIPSOID, crd_vec3_copy(solid->size, g->size); break;
    case CRD_BOX: solid->core = CRD_CORE_BOX, crd_vec3_copy(solid->size, g->size); break;
    default: {
      const crd_mesh *mesh = &model->mesh[g->mesh];
      solid->core = CRD_CORE_HULL;
      solid->nvert = mesh->nhull, solid->hull = mesh->hull, solid->vert = mesh->vert;
      solid->faces = mesh->faces.count > 0 ? &mesh->faces : NULL;
      if (mesh->nhull > SMALL_HULL)
        solid->first = mesh->hull_first, solid->next = mesh->hull_next, solid->seed = mesh->hull_seed;
    }
  }
}

/* From the best of six vertices to the best of its neighbours, and so on: on a convex hull the vertex that no neighbour
 * exceeds is the farthest of all. */
static int climb_hull(const crd_solid *solid, const double d[3]) {
  int best = solid->seed[0];
  double farthest = -INFINITY;
  for (int k = 0; k < 6; k++) {
    double reach = crd_vec3_dot(solid->vert + 3 * solid->hull[solid->seed[k]], d);
    if (reach > farthest) farthest = reach, best = solid->seed[k];
  }
  for (int from = -1; from != best;) {
    from = best;
    for (int k = solid->first[from]; k < solid->first[from + 1]; k++) {
      double reach = crd_vec3_dot(solid->vert + 3 * solid->hull[solid->next[k]], d);
      if (reach > farthest) farthest = reach, best = solid->next[k];
    }
  }
  return best;
}

int crd_solid_hull_vertex(const crd_solid *solid, const double d[3]) {
  if (solid->first) return climb_hull(solid, d);
  int best = 0;
  double farthest = -INFINITY;
  for (int i = 0; i < solid->nvert; i++) {
    double reach = crd_vec3_dot(solid->vert + 3 * (solid->hull ? solid->hull[i] : i), d);
    if (reach > farthest) farthest = reach, best = i;
  }
  return best;
}

static void hull_support(const crd_solid *solid, const double d[3], double x[3]) {
  int i = crd_solid_hull_vertex(solid, d);
  crd_vec3_copy(x, solid->vert + 3 * (solid->hull ? solid->hull[i] : i));
}

void crd_solid_support(const crd_solid *solid, const double dir[3], double point[3]) {
  double d[3], x[3] = {0, 0, 0};
  crd_mat3_tmul_vec(d, solid->R, dir);
  switch (solid->core) {
    case CRD_CORE_POINT: break;
    case CRD_CORE_SEGMENT: x[2] = copysign(solid->size[2], d[2]); break;
    case CRD_CORE_BOX:
      for (int i = 0; i < 3; i++) x[i] = copysign(solid->size[i], d[i]);
      break;
    case CRD_CORE_CYLINDER: {
      double across = hypot(d[0], d[1]);
      if (across > 0) x[0] = solid->size[0] * d[0] / across, x[1] = solid->size[0] * d[1] / across;
      x[2] = copysign(solid->size[2], d[2]);
      break;
    }
    case CRD_CORE_ELLIPSOID: {
      /* x = C d / sqrt(d' C d), C = diag(size^2); first d is stretched by the half axes, so that nothing overflows */
      double e[3] = {solid->size[0] * d[0], solid->size[1] * d[1], solid->size[2] * d[2]};
      if (crd_vec3_normalize(e) > 0)
        for (int i = 0; i < 3; i++) x[i] = solid->size[i] * e[i];
      break;
    }
    case CRD_CORE_HULL: hull_support(solid, d, x); break;
  }
  crd_mat3_mul_vec(point, solid->R, x);
  crd_vec3_add(point, point, solid->pos);
}

double crd_solid_separation(const crd_solid *A, const crd_solid *B, const double n[3], double a[3], double b[3]) {
  double pa[3], pb[3], back[3] = {-n[0], -n[1], -n[2]}, w[3];
  crd_solid_support(A, back, pa);
  crd_solid_support(B, n, pb);
  if (a) crd_vec3_copy(a, pa);
  if (b) crd_vec3_copy(b, pb);
  crd_vec3_sub(w, pa, pb);
  return crd_vec3_dot(n, w);
}

void crd_solid_half_extents(const crd_solid *solid, double half[3]) {
  const double *R = solid->R, *size = solid->size;
  for (int i = 0; i < 3; i++) {
    const double *r = R + 3 * i;
    switch (solid->core) {
      case CRD_CORE_POINT: half[i] = 0; break;
      case CRD_CORE_SEGMENT: half[i] = fabs(r[2]) * size[2]; break;
      case CRD_CORE_BOX: half[i] = fabs(r[0]) * size[0] + fabs(r[1]) * size[1] + fabs(r[2]) * size[2]; break;
      case CRD_CORE_CYLINDER: half[i] = hypot(r[0], r[1]) * size[0] + fabs(r[2]) * size[2]; break;
      case CRD_CORE_ELLIPSOID: half[i] = hypot(hypot(r[0] * size[0], r[1] * size[1]), r[2] * size[2]); break;
      case CRD_CORE_HULL: half[i] = solid->extent; break;
    }
    half[i] += solid->radius;
  }
}
