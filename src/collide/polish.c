/* Newton's method for the contact normal of curved bodies.
 *
 * At the optimum the features F_A, F_B that face each other along n hold points a, b with a - b = s n. Which features
 * those are is guessed from the approximate normal with wider or narrower tolerance; then
 *   - a face or disk fixes n: it is the normal of its plane;
 *   - an edge, or the side of a cylinder, demands that n be perpendicular to it;
 *   - the freedom that is left is fixed by tau.(a(n) - b(n)) = 0 for every direction tau in which n can still turn, where
 * a(n) and b(n) are the support points: fixed (corner, edge), on a rim or a side, or on an ellipsoid. The derivative of
 * that residual is -tau.(DA + DB) tau - s, with DA, DB the derivatives of the support points: regular at zero gap,
 * unlike a Newton method for the distance. A guess counts only if the result fulfils the optimality conditions.
 */
#include <cradle/linalg.h>

#include "collide/direction.h"

static const double LONGEST_STEP = 0.1;       /* rad: further away the features are others */
static const double CONVERGED = 1e-14;        /* rad */
static const double NEARLY = 1e-6;            /* rad: below it a step that no longer shrinks is rounding */
static const double STALLED = 0.5;            /* of the step before */
static const double PARALLEL = 1e-9;          /* sine below which two edges have no common perpendicular of their own */
static const double LATERAL_ROUNDING = 1e-10; /* of the sizes: corners that close lie above each other */
static const double SEPARATION_ROUNDING = 1e-9; /* of the sizes: heights of corners that agree with the separation */
static const double LOST = 1e-12;               /* of the sizes: rounding of two separations */

/* Features are looked for among what is turned from the normal by at most WIDEST, and in ever narrower ones. */
static const double WIDEST = 1e-2, NARROWEST = 1e-10, NARROWER = 0.1; /* rad; rad; times the width before */
static const double PATCH_DEPTH = 1e-7;                               /* of the smaller body: depth of a feature */

enum { MAX_STEPS = 20 };

static const double STATIONARY_SLANT = 1e-9;

/* The support point of a core in direction m and its derivative, on the feature that is assumed to face m. */
typedef struct support_point {
  double p[3], D[9];
} support_point;

/* D = sum over the rows of R' X R: carries a derivative from the solid's frame into the world. */
static void to_world(const crd_solid *solid, const double x[3], const double X[9], support_point *out) {
  double RX[9], Rt[9];
  crd_mat3_mul_vec(out->p, solid->R, x);
  crd_vec3_add(out->p, out->p, solid->pos);
  crd_mat3_mul(RX, solid->R, X);
  crd_mat3_transpose(Rt, solid->R);
  crd_mat3_mul(out->D, RX, Rt);
}

/* Rim and side: x = r (c, s, .) with (c, s) the direction of m across the axis; dx = r (I - x x') dm / across. */
static void curved_cylinder(const crd_solid *solid, const double m[3], bool side, support_point *out) {
  double across = hypot(m[0], m[1]), r = solid->size[0], c = m[0] / across, s = m[1] / across;
  double x[3] = {r * c, r * s, side ? 0 : copysign(solid->size[2], m[2])};
  double k = r / across, X[9] = {k * s * s, -k * c * s, 0, -k * c * s, k * c * c, 0, 0, 0, 0};
  to_world(solid, x, X, out);
}

/* x = C m / q with q = sqrt(m' C m); D = C / q - x x' / q. */
static void curved_ellipsoid(const crd_solid *solid, const double m[3], support_point *out) {
  double C[3], x[3], q = 0, X[9];
  for (int i = 0; i < 3; i++) C[i] = solid->size[i] * solid->size[i], q += C[i] * m[i] * m[i];
  q = sqrt(q);
  for (int i = 0; i < 3; i++) x[i] = C[i] * m[i] / q;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) X[3 * i + j] = ((i == j ? C[i] : 0) - x[i] * x[j]) / q;
  to_world(solid, x, X, out);
}

static void support_on(const crd_solid *solid, const crd_feature *feature, const double m[3], support_point *out) {
  double local[3];
  crd_mat3_tmul_vec(local, solid->R, m);
  if (solid->core == CRD_CORE_ELLIPSOID) {
    curved_ellipsoid(solid, local, out);
  } else if (solid->core == CRD_CORE_CYLINDER && hypot(local[0], local[1]) > 0) {
    curved_cylinder(solid, local, feature->count == 2, out);
  } else {
    *out = (support_point){0};
    crd_vec3_copy(out->p, feature->corner[0].p);
  }
}

/* Makes n perpendicular to the edge of the feature, if it has one; the edge's direction goes to u. */
static bool edge_direction(const crd_feature *feature, double u[3]) {
  if (crd_feature_is_plane(feature) || feature->count != 2) return false;
  crd_vec3_sub(u, feature->corner[1].p, feature->corner[0].p);
  return crd_vec3_normalize(u) > 0;
}

/* One Newton step in the directions tau[0 .. k-1]; returns its length. */
static double newton_step(const crd_solid *A, const crd_solid *B, const crd_patch *patch, double tau[2][3], int k,
                          double n[3]) {
  double back[3] = {-n[0], -n[1], -n[2]}, w[3], f[2] = {0, 0}, H[4] = {0, 0, 0, 1}, D[9], step[2] = {0, 0};
  support_point a, b;
  support_on(A, &patch->A, back, &a);
  support_on(B, &patch->B, n, &b);
  crd_vec3_sub(w, a.p, b.p);
  double s = crd_vec3_dot(n, w);
  for (int i = 0; i < 9; i++) D[i] = a.D[i] + b.D[i];
  for (int i = 0; i < k; i++) {
    f[i] = crd_vec3_dot(tau[i], w);
    for (int j = 0; j < k; j++) {
      double Dt[3];
      crd_mat3_mul_vec(Dt, D, tau[j]);
      H[2 * i + j] = -crd_vec3_dot(tau[i], Dt) - (i == j ? s : 0);
    }
  }
  double det = H[0] * H[3] - H[1] * H[2];
  step[0] = -(H[3] * f[0] - H[1] * f[1]) / det;
  step[1] = -(H[0] * f[1] - H[2] * f[0]) / det;
  for (int i = 0; i < k; i++) crd_vec3_axpy(n, step[i], tau[i]);
  crd_vec3_normalize(n);
  return hypot(step[0], step[1]);
}

static bool newton(const crd_solid *A, const crd_solid *B, const crd_patch *patch, const double *u, double n[3]) {
  double tau[2][3], before = 1;
  for (int iteration = 0; iteration < MAX_STEPS; iteration++) {
    int k = 1;
    if (u) {
      crd_vec3_axpy(n, -crd_vec3_dot(n, u), u);
      crd_vec3_normalize(n);
      crd_vec3_cross(tau[0], u, n);
    } else {
      crd_vec3_cross(tau[0], patch->e1, n);
      crd_vec3_normalize(tau[0]);
      crd_vec3_cross(tau[1], n, tau[0]);
      k = 2;
    }
    double step = newton_step(A, B, patch, tau, k, n);
    if (!(step < LONGEST_STEP)) return false;
    /* near a corner the derivative is as small as the gap, and rounding ends the convergence early */
    if (step < CONVERGED || (step < NEARLY && step > STALLED * before)) return true;
    before = step;
  }
  return false;
}

/* The normal under the assumption that patch->A and patch->B are the features in contact. */
static bool normal_of_features(const crd_solid *A, const crd_solid *B, const crd_patch *patch, double n[3]) {
  double uA[3], uB[3], cross[3];
  if (crd_feature_is_plane(&patch->A) || crd_feature_is_plane(&patch->B)) {
    crd_feature_normal(crd_feature_is_plane(&patch->A) ? &patch->A : &patch->B, patch, n);
    return true;
  }
  bool edgeA = edge_direction(&patch->A, uA), edgeB = edge_direction(&patch->B, uB);
  if (edgeA && edgeB) {
    crd_vec3_cross(cross, uA, uB);
    if (crd_vec3_normalize(cross) > PARALLEL) {
      crd_vec3_scale(n, crd_vec3_dot(cross, n) < 0 ? -1 : 1, cross);
      return true;
    }
  }
  return newton(A, B, patch, edgeA ? uA : edgeB ? uB : NULL, n);
}

bool crd_direction_is_stationary(const crd_solid *A, const crd_solid *B, const double n[3], crd_patch *patch) {
  double extent = A->extent + B->extent;
  crd_patch_tolerance tight = {STATIONARY_SLANT, LATERAL_ROUNDING * extent};
  double s = crd_solid_separation(A, B, n, NULL, NULL);
  crd_patch_find(patch, A, B, n, &tight);
  for (int i = 0; i < patch->count; i++)
    if (fabs(patch->point[i].hA - patch->point[i].hB - s) <= SEPARATION_ROUNDING * extent) return true;
  return false;
}

bool crd_direction_polish(const crd_solid *A, const crd_solid *B, double n[3], crd_patch *patch) {
  double extent = fmin(A->extent, B->extent), start = crd_solid_separation(A, B, n, NULL, NULL);
  for (double width = WIDEST; width > NARROWEST; width *= NARROWER) {
    crd_patch_tolerance tolerance = {width, PATCH_DEPTH * extent};
    double m[3];
    crd_vec3_copy(m, n);
    crd_patch_find(patch, A, B, n, &tolerance);
    if (!normal_of_features(A, B, patch, m)) continue;
    /* the optimum may not lie below the best value so far */
    if (crd_solid_separation(A, B, m, NULL, NULL) < start - LOST * (A->extent + B->extent)) continue;
    if (crd_direction_is_stationary(A, B, m, patch)) {
      crd_vec3_copy(n, m);
      return true;
    }
  }
  return false;
}
