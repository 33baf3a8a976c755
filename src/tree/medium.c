/* Forces of a surrounding medium of density rho and viscosity beta, which moves with the wind.
 *
 * Each part that is immersed (model/medium.c) meets the medium with its own velocity v at its centre, less the wind, and
 * angular velocity w, both in its principal axes. The formulas are those of MuJoCo's documentation (computation, fluid
 * forces). A box of half axes r:
 *
 *   f_i = -2 rho r_j r_k |v_i| v_i - 6 pi beta r v_i                      r = (r_x + r_y + r_z) / 3
 *   g_i = -1/2 rho r_i (r_j^4 + r_k^4) |w_i| w_i - 8 pi beta r^3 w_i
 *
 * An ellipsoid of half axes s with added mass m and inertia I (diagonal), volume V, D = 2/3 (s_x + s_y + s_z):
 *
 *   f = rho (m v) x w + rho V c_magnus w x v + rho A c_kutta cos(a) (n x v) x v
 *       - (3 pi beta D + rho |v| (c_blunt A + c_slender (A_max - A))) v
 *   g = rho ((m v) x v + (I w) x w) - (pi beta D^3 + rho |K w|) w
 *
 * A is the area that it shows to the flow, n the normal of its surface where the flow meets it head-on, a the angle
 * between n and v, and K = c_angular I_i + c_slender (I_max - I_i) with the largest moments of drag about each axis,
 * I_i = 8/15 pi s_i max(s_j, s_k)^4. Magnus, Kutta and added-mass forces do no work on the motion against the medium.
 * The accelerations of the added mass do not enter. O(N).
 */
#include <cradle/tree.h>
#include <math.h>

#include "base/angle.h"
#include "model/workspace.h"
#include "tree/link_motion.h"

static double norm(v4 a) { return sqrt(v4_dot(a, a)); }

static double pow4(double x) { return x * x * x * x; }

static crd_sv box_force(const crd_medium *medium, const double r[3], crd_sv motion) {
  const double mean = (r[0] + r[1] + r[2]) / 3;
  crd_sv force = {-8 * CRD_PI * medium->viscosity * mean * mean * mean * motion.w,
                  -6 * CRD_PI * medium->viscosity * mean * motion.v};
  for (int i = 0; i < 3; i++) {
    const double a = r[(i + 1) % 3], b = r[(i + 2) % 3], v = motion.v[i], w = motion.w[i];
    force.v[i] -= 2 * medium->density * a * b * fabs(v) * v;
    force.w[i] -= 0.5 * medium->density * r[i] * (pow4(a) + pow4(b)) * fabs(w) * w;
  }
  return force;
}

/* Without viscosity and without drag of what does not move: of v = 0 the area and the angle are undefined, and what
 * they enter vanishes. */
static v4 lift_and_drag(const crd_medium *medium, const crd_immersed *part, double largest_area, v4 v) {
  const double *s = part->axes, speed = norm(v);
  if (!(speed > 0)) return (v4){0};
  const v4 area2 = {s[1] * s[2] * s[1] * s[2], s[2] * s[0] * s[2] * s[0], s[0] * s[1] * s[0] * s[1], 0};
  const v4 normal = area2 * v; /* of the surface, times its length */
  const double along = v4_dot(normal, v), length2 = v4_dot(normal, normal);
  const double area = CRD_PI * sqrt(length2 / along);
  const double drag = part->coef.blunt * area + part->coef.slender * (largest_area - area);
  /* cos(a) n = (n . v / |v|) n for the unit normal n */
  const v4 lift = part->coef.kutta * area * (along / (speed * length2)) * v4_cross(v4_cross(normal, v), v);
  return medium->density * (lift - drag * speed * v);
}

static crd_sv ellipsoid_force(const crd_medium *medium, const crd_immersed *part, crd_sv motion) {
  const double *s = part->axes, rho = medium->density;
  const double volume = 4 * CRD_PI / 3 * s[0] * s[1] * s[2], D = 2 * (s[0] + s[1] + s[2]) / 3;
  const double most = fmax(s[0], fmax(s[1], s[2])), least = fmin(s[0], fmin(s[1], s[2]));
  const double middle = s[0] + s[1] + s[2] - most - least;
  const v4 v = motion.v, w = motion.w, momentum = v4_load3(part->mass) * v, spin = v4_load3(part->inertia) * w;
  crd_sv force = {rho * (v4_cross(momentum, v) + v4_cross(spin, w)), rho * v4_cross(momentum, w)};
  force.v += rho * volume * part->coef.magnus * v4_cross(w, v);
  force.v += lift_and_drag(medium, part, CRD_PI * most * middle, v) - 3 * CRD_PI * medium->viscosity * D * v;

  const double largest = 8.0 / 15 * CRD_PI * middle * pow4(most);
  v4 turning = {0};
  for (int i = 0; i < 3; i++) {
    const double moment = 8.0 / 15 * CRD_PI * s[i] * pow4(fmax(s[(i + 1) % 3], s[(i + 2) % 3]));
    turning[i] = (part->coef.angular * moment + part->coef.slender * (largest - moment)) * w[i];
  }
  force.w -= (CRD_PI * medium->viscosity * D * D * D + rho * norm(turning)) * w;
  return force;
}

void crd_tree_medium(const crd_model *model, crd_workspace *work, double *tau) {
  if (model->nimmersed == 0) return;
  const crd_medium *medium = &model->medium;
  const crd_span *span = work->part->span, *end = span + work->part->nspan;
  CRD_EACH (work->part, link, i) work->link[i + 1].z = (crd_sv){{0}, {0}};
  for (int i = 0; i < model->nimmersed; i++) {
    const crd_immersed *part = &model->immersed[i];
    while (span < end && part->link >= span->link[1]) span++; /* they are in the order of the trees */
    if (span == end) break;
    if (part->link < span->link[0]) continue;
    crd_link_state *s = &work->link[part->link + 1];
    v4 axes[3];
    rotate_columns(axes, s->R, part->R);
    const v4 arm = rotate(s->R, part->pos);
    crd_sv motion = sv_shift_motion(s->V, arm);
    motion.v -= v4_load3(medium->wind);
    const crd_sv own = {v4_tmul(axes, motion.w), v4_tmul(axes, motion.v)};
    const crd_sv force = part->is_ellipsoid ? ellipsoid_force(medium, part, own) : box_force(medium, part->axes, own);
    s->z = sv_add(s->z, sv_shift_force((crd_sv){v4_mul(axes, force.w), v4_mul(axes, force.v)}, arm));
  }
  collect_joint_forces(model, work, tau);
}
