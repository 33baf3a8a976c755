/* Shapes on which the surrounding medium acts: a box or ellipsoids for every moving body.
 *
 * Without geoms of its own for the medium, a body is the homogeneous box that has its mass and its principal moments,
 * half axes r_x = sqrt(3 (I_y + I_z - I_x) / (2 m)). Otherwise it is the ellipsoids of those geoms, whose added mass
 * in an ideal fluid is known in closed form [Lamb, Hydrodynamics, 1932, art. 114-115]:
 *
 *   kappa_i = s_x s_y s_z int_0^inf dl / ((s_i^2 + l) sqrt((s_x^2 + l)(s_y^2 + l)(s_z^2 + l)))
 *   m_i = V kappa_i / (2 - kappa_i)
 *   I_i = V/5 (s_j^2 - s_k^2)^2 (kappa_k - kappa_j) / (2 (s_j^2 - s_k^2) + (s_j^2 + s_k^2)(kappa_j - kappa_k))
 *
 * per unit density; the integral is 2/3 R_D(s_j^2, s_k^2, s_i^2) of Carlson.
 */
#include <math.h>

#include "base/angle.h"
#include "model/build.h"
#include "model/check.h"
#include "model/medium.h"
#include "model/placement.h"
#include "model/shape.h"

/* Carlson's R_D by duplication [Carlson 1995, Numer. Algor. 10, algorithm 4]: the arguments approach their mean by a
 * factor of 4 a turn, and the series about it is exact to (3/4 eps)^6. */
static double carlson_rd(double x, double y, double z) {
  double sum = 0, power = 1, mean = (x + y + 3 * z) / 5;
  const double start = mean, spread = fmax(fabs(mean - x), fmax(fabs(mean - y), fabs(mean - z)));
  static const double least = 1e-3; /* series: relative error 3 least^6 / (1 - least)^1.5 */
  const double dx = start - x, dy = start - y;
  while (power * spread > least * mean) {
    const double sx = sqrt(x), sy = sqrt(y), sz = sqrt(z), shift = sx * (sy + sz) + sy * sz;
    sum += power / (sz * (z + shift));
    power /= 4;
    x = (x + shift) / 4, y = (y + shift) / 4, z = (z + shift) / 4, mean = (mean + shift) / 4;
  }
  const double X = dx * power / mean, Y = dy * power / mean, Z = -(X + Y) / 3;
  const double e2 = X * Y - 6 * Z * Z, e3 = (3 * X * Y - 8 * Z * Z) * Z, e4 = 3 * (X * Y - Z * Z) * Z * Z,
               e5 = X * Y * Z * Z * Z;
  const double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
  return power * series / (mean * sqrt(mean)) + 3 * sum;
}

static void added_mass(crd_immersed *part) {
  const double *s = part->axes, volume = 4 * CRD_PI / 3 * s[0] * s[1] * s[2];
  double kappa[3];
  for (int i = 0; i < 3; i++) {
    const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
    kappa[i] = s[0] * s[1] * s[2] * 2 / 3 * carlson_rd(a * a, b * b, s[i] * s[i]);
    part->mass[i] = volume * kappa[i] / (2 - kappa[i]);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double less = s[j] * s[j] - s[k] * s[k], sum = s[j] * s[j] + s[k] * s[k], apart = kappa[k] - kappa[j];
    part->inertia[i] = less == 0 ? 0 : volume / 5 * less * less * apart / (2 * less - sum * apart);
  }
}

static crd_immersed place(const crd_body *body, const double pos[3], const double R[9]) {
  crd_immersed part = {.link = body->link};
  crd_pose of_body, in_body, in_link;
  crd_vec3_copy(of_body.p, body->link_pos);
  crd_vec3_copy(in_body.p, pos);
  for (int i = 0; i < 9; i++) of_body.R[i] = body->link_R[i], in_body.R[i] = R[i];
  in_link = crd_pose_mul(&of_body, &in_body);
  crd_vec3_copy(part.pos, in_link.p);
  for (int i = 0; i < 9; i++) part.R[i] = in_link.R[i];
  return part;
}

static crd_immersed box_of(const crd_body *body) {
  double R[9];
  crd_quat_to_mat3(R, body->iquat);
  crd_immersed part = place(body, body->ipos, R);
  const double *I = body->inertia;
  for (int i = 0; i < 3; i++) {
    const double square = I[(i + 1) % 3] + I[(i + 2) % 3] - I[i];
    part.axes[i] = sqrt(fmax(0, 3 * square / (2 * body->mass)));
  }
  return part;
}

static crd_immersed ellipsoid_of(const crd_body *body, const crd_geom *geom) {
  crd_immersed part = place(body, geom->pos, geom->R);
  part.is_ellipsoid = true;
  part.coef = geom->fluid_coef;
  crd_shape_half_axes(geom->type, geom->size, part.axes);
  added_mass(&part);
  return part;
}

static int ellipsoids(const crd_model *model, const crd_body *body) {
  int count = 0;
  for (int g = body->first_geom; g < body->first_geom + body->ngeom; g++) count += model->geom[g].in_fluid;
  return count;
}

int crd_medium_meet(const crd_model *model, crd_immersed *part) {
  int count = 0;
  for (int i = 1; i < model->nbody; i++) {
    const crd_body *body = &model->body[i];
    if (body->link < 0) continue;
    if (ellipsoids(model, body) == 0 && body->mass > 0) part[count++] = box_of(body);
    for (int g = body->first_geom; g < body->first_geom + body->ngeom; g++)
      if (model->geom[g].in_fluid) part[count++] = ellipsoid_of(body, &model->geom[g]);
  }
  return count;
}

crd_status crd_build_medium(crd_build *b) {
  crd_model *model = b->model;
  model->medium = b->options->medium;
  const crd_element whole = {.kind = "medium"};
  const double numbers[] = {model->medium.density, model->medium.viscosity};
  CRD_TRY(crd_check_not_negative(b, &whole, "density and viscosity", numbers, 2));
  CRD_TRY(crd_check_finite(b, &whole, "wind", model->medium.wind, 3));
  if (model->medium.density == 0 && model->medium.viscosity == 0) return CRD_OK;
  crd_immersed *part = crd_arena_alloc(b->arena, (size_t)model->nbody + (size_t)model->ngeom, sizeof *part);
  if (!part) return crd_build_no_memory(b);
  model->immersed = part;
  model->nimmersed = crd_medium_meet(model, part);
  return CRD_OK;
}
