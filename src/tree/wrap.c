/* A string round a circle, and from it round spheres and cylinders.
 *
 * A string that bends round a sphere lies in the plane of its two ends and the centre; one round a cylinder, seen along the
 * axis, goes round a circle, and unrolled it is straight: its height grows in proportion to the way seen from there.
 * In the plane, with ends d0, d1 and radius r, the string touches the circle where it is tangent to it,
 *
 *   t = (r^2 d + s r sqrt(|d|^2 - r^2) d*) / |d|^2,   d* = (d_y, -d_x),   s = +1, -1 for d0, d1 or the other way round,
 *
 * which are the two ways round. Inside a ring it touches in one point, where the shortest way from d0 to the ring and on
 * to d1 has equal angles th to the normal: 2 th - asin(r sin th / |d0|) - asin(r sin th / |d1|) = angle between d0, d1.
 */
#include "tree/wrap.h"

#include <cradle/linalg.h>
#include <math.h>

#include "base/angle.h"

static const double SMALL = 1e-15; /* m, m^2: lengths that are none, as in MuJoCo (mjMINVAL) */

static double dot2(const double a[2], const double b[2]) { return a[0] * b[0] + a[1] * b[1]; }
static double cross2(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }
static double distance2(const double a[2], const double b[2]) { return hypot(a[0] - b[0], a[1] - b[1]); }

/* Do the segments a b and c d cross? */
static bool segments_cross(const double a[2], const double b[2], const double c[2], const double d[2]) {
  const double ab[2] = {b[0] - a[0], b[1] - a[1]}, cd[2] = {d[0] - c[0], d[1] - c[1]};
  const double ac[2] = {c[0] - a[0], c[1] - a[1]}, det = cross2(ab, cd);
  if (fabs(det) < SMALL) return false;
  const double on_ab = cross2(ac, cd) / det, on_cd = cross2(ac, ab) / det;
  return on_ab >= 0 && on_ab <= 1 && on_cd >= 0 && on_cd <= 1;
}

static void tangent_point(const double d[2], double r, double sign, double t[2]) {
  const double square = dot2(d, d), reach = sign * r * sqrt(fmax(0, square - r * r));
  t[0] = (r * r * d[0] + reach * d[1]) / square;
  t[1] = (r * r * d[1] - reach * d[0]) / square;
}

/* The point of the segment d0 d1 that is nearest to the centre. */
static void nearest_point(const double d0[2], const double d1[2], double near[2]) {
  const double dif[2] = {d1[0] - d0[0], d1[1] - d0[1]}, along = fmin(fmax(-dot2(dif, d0) / dot2(dif, dif), 0), 1);
  near[0] = d0[0] + along * dif[0], near[1] = d0[1] + along * dif[1];
}

/* Round a circle from outside; false: straight. The way from t0 to t1 goes with the clock for sign +1. */
static bool round_circle(const double d0[2], const double d1[2], double r, const double *side, double t0[2],
                         double t1[2], double *arc) {
  double near[2], best = -INFINITY;
  nearest_point(d0, d1, near);
  if (dot2(near, near) > r * r && (!side || dot2(side, near) >= 0)) return false;
  for (int way = 0; way < 2; way++) {
    const double sign = way == 0 ? 1 : -1;
    double a[2], b[2];
    tangent_point(d0, r, sign, a);
    tangent_point(d1, r, -sign, b);
    if (segments_cross(d0, a, d1, b)) continue;
    double merit = -distance2(a, b); /* the shorter chord */
    if (side) {
      const double mean[2] = {a[0] + b[0], a[1] + b[1]}, size = sqrt(dot2(mean, mean));
      merit = size > SMALL ? dot2(mean, side) / size : 0;
    }
    if (merit <= best) continue;
    best = merit;
    double angle = -sign * atan2(cross2(a, b), dot2(a, b));
    if (angle < 0) angle += CRD_TURN;
    t0[0] = a[0], t0[1] = a[1], t1[0] = b[0], t1[1] = b[1];
    *arc = r * angle;
  }
  return isfinite(best);
}

/* Through a ring; false: straight. */
static bool through_ring(const double d0[2], const double d1[2], double r, double t[2]) {
  enum { MOST = 100 };
  const double a = r / sqrt(dot2(d0, d0)), b = r / sqrt(dot2(d1, d1));
  const double between = atan2(cross2(d0, d1), dot2(d0, d1)), angle = fabs(between);
  double near[2], low = 0, high = CRD_TURN / 4, th = 0;
  nearest_point(d0, d1, near);
  if (dot2(near, near) <= r * r) return false;
  for (int i = 0; i < MOST && high - low > 0; i++) { /* the left side grows with th: bisection to the last bit */
    th = 0.5 * (low + high);
    const double s = sin(th), f = 2 * th - asin(a * s) - asin(b * s) - angle;
    if (th == low || th == high) break;
    if (f < 0)
      low = th;
    else
      high = th;
  }
  const double turn = copysign(th - asin(a * sin(th)), between), c = cos(turn), s = sin(turn);
  t[0] = a * (c * d0[0] - s * d0[1]), t[1] = a * (s * d0[0] + c * d0[1]);
  return true;
}

/* Axes of the plane of the string: of the sphere's centre and both ends, or across the cylinder's axis. */
static void plane_axes(const crd_obstacle *obstacle, const double p0[3], const double p1[3], double x[3], double y[3],
                       double z[3]) {
  if (obstacle->cylinder) {
    for (int i = 0; i < 3; i++) x[i] = i == 0, y[i] = i == 1, z[i] = i == 2;
    return;
  }
  crd_vec3_scale(x, 1 / crd_vec3_norm(p0), p0);
  crd_vec3_cross(z, p0, p1);
  double size = crd_vec3_norm(z);
  if (size < SMALL) { /* in line with the centre: any plane through them */
    const int least = fabs(x[0]) <= fabs(x[1]) && fabs(x[0]) <= fabs(x[2]) ? 0 : fabs(x[1]) <= fabs(x[2]) ? 1 : 2;
    double other[3] = {least == 0, least == 1, least == 2};
    crd_vec3_cross(z, x, other);
    size = crd_vec3_norm(z);
  }
  crd_vec3_scale(z, 1 / size, z);
  crd_vec3_cross(y, z, x);
}

bool crd_wrap_round(const crd_obstacle *obstacle, const double x0[3], const double x1[3], const double *side,
                    double point[2][3], double *length) {
  const double r = obstacle->radius;
  double p0[3], p1[3], s[3], x[3], y[3], z[3], t0[2], t1[2], arc = 0, across[2], *passed = NULL;
  crd_vec3_sub(p0, x0, obstacle->centre), crd_vec3_sub(p1, x1, obstacle->centre);
  crd_mat3_tmul_vec(p0, obstacle->R, (const double[]){p0[0], p0[1], p0[2]});
  crd_mat3_tmul_vec(p1, obstacle->R, (const double[]){p1[0], p1[1], p1[2]});
  if (!(r > SMALL) || crd_vec3_norm(p0) < SMALL || crd_vec3_norm(p1) < SMALL) return false;
  plane_axes(obstacle, p0, p1, x, y, z);
  const double d0[2] = {crd_vec3_dot(p0, x), crd_vec3_dot(p0, y)}, d1[2] = {crd_vec3_dot(p1, x), crd_vec3_dot(p1, y)};
  if (dot2(d0, d0) < r * r || dot2(d1, d1) < r * r || distance2(d0, d1) < SMALL) return false;
  bool inside = false;
  if (side) {
    crd_vec3_sub(s, side, obstacle->centre);
    crd_mat3_tmul_vec(s, obstacle->R, (const double[]){s[0], s[1], s[2]});
    across[0] = crd_vec3_dot(s, x), across[1] = crd_vec3_dot(s, y);
    inside = dot2(across, across) < r * r; /* seen across the plane, as in MuJoCo */
    passed = across;
  }
  if (inside) {
    if (!through_ring(d0, d1, r, t0)) return false;
    t1[0] = t0[0], t1[1] = t0[1];
  } else if (!round_circle(d0, d1, r, passed, t0, t1, &arc)) {
    return false;
  }
  /* heights: none above the plane of a sphere, in proportion to the way along a cylinder */
  const double h0 = crd_vec3_dot(p0, z), h1 = crd_vec3_dot(p1, z), first = distance2(d0, t0), last = distance2(t1, d1);
  const double whole = first + arc + last, rise = whole > 0 ? (h1 - h0) / whole : 0;
  const double height[2] = {h0 + rise * first, h0 + rise * (first + arc)};
  const double *t[2] = {t0, t1};
  for (int k = 0; k < 2; k++) {
    double local[3];
    for (int i = 0; i < 3; i++) local[i] = t[k][0] * x[i] + t[k][1] * y[i] + height[k] * z[i];
    crd_mat3_mul_vec(point[k], obstacle->R, local);
    crd_vec3_add(point[k], point[k], obstacle->centre);
  }
  *length = hypot(arc, height[1] - height[0]);
  return true;
}
