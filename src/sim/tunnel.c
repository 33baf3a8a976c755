/* Bodies that move further in a step than they are thick.
 *
 * The gap at the end of a step shows every overlap but that of a body which has passed right through another. To do so
 * two bodies have to move relative to each other by 2 (a + b) at least, a and b the radii of spheres that fit into
 * them; so one of them moves further than its own. Where such a body comes near another one, the step is cut into
 * pieces in which none does.
 */
#include "sim/tunnel.h"

#include <cradle/linalg.h>
#include <math.h>

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
    case CRD_MESH: return 0.05 * geom->radius; /* flat ones exist */
  }
  return 0;
}

/* Upper bound of the way of the geom's centre: the chord, with room for its bend. */
static double way(const crd_sim *sim, int g) {
  double d[3];
  crd_vec3_sub(d, sim->pos + 3 * g, sim->pos_now + 3 * g);
  return 1.5 * crd_vec3_norm(d);
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

static bool may_pass(const crd_sim *sim, int g, double way_of_g) {
  const crd_model *model = sim->model;
  for (int h = 0; h < model->ngeom; h++) {
    if (h == g || model->geom[h].type == CRD_PLANE || !crd_model_may_collide(model, g, h, NULL)) continue;
    double reach = model->geom[g].radius + model->geom[h].radius + (model->geom[h].link >= 0 ? way(sim, h) : 0);
    double bend = way_of_g / 3; /* half of what `way` adds to the chord */
    if (off_segment(sim->pos_now + 3 * g, sim->pos + 3 * g, sim->pos_now + 3 * h) <= reach + bend) return true;
  }
  return false;
}

double crd_sim_safe_time(const crd_sim *sim, double dt) {
  double share = 1;
  for (int k = 0; k < sim->nfast; k++) {
    int g = sim->fast[k];
    double far = way(sim, g), thick = fmax(sim->thickness[g], 1e-3 * sim->size);
    if (far > thick && thick / far < share && may_pass(sim, g, far)) share = thick / far;
  }
  return share * dt;
}
