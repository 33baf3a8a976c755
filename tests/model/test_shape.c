/* Volumes and inertias of the primitives, from formulas derived independently of those in the code: integrals over
 * slices, limits and compositions. */
#include "model/shape.h"

#include <cradle/linalg.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"

/* A solid of revolution about z with profile r(z) in [-top, top]: V = int pi r^2, I_z = int pi r^4 / 2,
 * I_x = int pi r^4 / 4 + pi r^2 z^2 dz. Gauss-Legendre with 5 points on many intervals. */
static void slices(double (*r)(double, const double[3]), const double size[3], double top, double *volume,
                   double inertia[3]) {
  static const double x[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
  static const double w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                              0.2369268850561891};
  const double pi = acos(-1);
  const int n = 2000;
  double V = 0, Iz = 0, Ix = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 5; k++) {
      double h = top / n, z = -top + h * (2 * i + 1 + x[k]), rho = r(z, size), a = w[k] * h * pi * rho * rho;
      V += a, Iz += a * rho * rho / 2, Ix += a * (rho * rho / 4 + z * z);
    }
  *volume = V;
  inertia[0] = inertia[1] = Ix / V;
  inertia[2] = Iz / V;
}

static double capsule_profile(double z, const double size[3]) {
  double over = fabs(z) - size[1];
  return over <= 0 ? size[0] : sqrt(fmax(0, size[0] * size[0] - over * over));
}

static double cylinder_profile(double z, const double size[3]) { return (void)z, size[0]; }

static double sphere_profile(double z, const double size[3]) { return sqrt(fmax(0, size[0] * size[0] - z * z)); }

static void solids_of_revolution_match_their_slices(void **state) {
  (void)state;
  struct {
    crd_geom_type type;
    double (*profile)(double, const double[3]);
    double size[3], top;
  } cases[] = {{CRD_SPHERE, sphere_profile, {0.7, 0, 0}, 0.7},
               {CRD_CYLINDER, cylinder_profile, {0.3, 0.8, 0}, 0.8},
               {CRD_CAPSULE, capsule_profile, {0.3, 0.8, 0}, 1.1},
               {CRD_CAPSULE, capsule_profile, {1.3, 0.2, 0}, 1.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double volume, inertia[3], found[3];
    slices(cases[i].profile, cases[i].size, cases[i].top, &volume, inertia);
    crd_shape_inertia(found, cases[i].type, cases[i].size);
    double found_volume = crd_shape_volume(cases[i].type, cases[i].size);
    check_close(&found_volume, &volume, 1, 1e-6);
    check_close(found, inertia, 3, 1e-6);
  }
}

static void a_capsule_is_a_cylinder_and_two_half_balls(void **state) {
  (void)state;
  const double r = 0.4, h = 0.9, size[3] = {r, h, 0}, pi = acos(-1);
  double cylinder = pi * r * r * 2 * h, half_ball = 2 * pi / 3 * r * r * r;
  /* A half ball has I = 83/320 m r^2 about a transverse axis through its centre of mass, which is 3/8 r off its face.
   */
  double arm = h + 3 * r / 8, transverse = 83.0 / 320 * r * r + arm * arm;
  double mass = cylinder + 2 * half_ball;
  double expected[3];
  expected[0] = expected[1] = (cylinder * (r * r / 4 + h * h / 3) + 2 * half_ball * transverse) / mass;
  expected[2] = (cylinder * r * r / 2 + 2 * half_ball * 2 * r * r / 5) / mass;
  double found[3], volume = crd_shape_volume(CRD_CAPSULE, size);
  crd_shape_inertia(found, CRD_CAPSULE, size);
  check_close(&volume, &mass, 1, 1e-15);
  check_close(found, expected, 3, 1e-15);
}

static void a_capsule_tends_to_a_sphere_and_to_a_rod(void **state) {
  (void)state;
  double found[3], sphere[3] = {0.4, 0.4, 0.4}, short_one[3] = {1, 1e-14, 0}, thin[3] = {1e-9, 1, 0};
  double rod[3] = {1.0 / 3, 1.0 / 3, 0};
  crd_shape_inertia(found, CRD_CAPSULE, short_one);
  check_close(found, sphere, 3, 1e-13);
  crd_shape_inertia(found, CRD_CAPSULE, thin);
  check_close(found, rod, 3, 1e-8);
}

/* A unit ball or cube stretched by the half axes: second moments scale with their squares. */
static void stretched_shapes_scale_their_second_moments(void **state) {
  (void)state;
  const double size[3] = {0.5, 1.1, 2.3};
  struct {
    crd_geom_type type;
    double second, volume; /* int x^2 / V and V of the unit shape */
  } cases[] = {{CRD_ELLIPSOID, 1.0 / 5, 4 * acos(-1) / 3}, {CRD_BOX, 1.0 / 3, 8}};
  for (int i = 0; i < 2; i++) {
    double found[3], expected[3], volume = crd_shape_volume(cases[i].type, size);
    double expected_volume = cases[i].volume * size[0] * size[1] * size[2];
    for (int k = 0; k < 3; k++) {
      double a = size[(k + 1) % 3], b = size[(k + 2) % 3];
      expected[k] = cases[i].second * (a * a + b * b);
    }
    crd_shape_inertia(found, cases[i].type, size);
    check_close(&volume, &expected_volume, 1, 1e-14);
    check_close(found, expected, 3, 1e-14);
  }
}

/* No surface point may lie outside the bounding sphere, and one must lie on it. */
static void the_bounding_sphere_is_the_smallest(void **state) {
  (void)state;
  const double size[3] = {0.5, 1.1, 2.3};
  assert_true(crd_shape_radius(CRD_SPHERE, size) == 0.5);
  assert_true(crd_shape_radius(CRD_CAPSULE, size) == 1.6);
  assert_true(crd_shape_radius(CRD_ELLIPSOID, size) == 2.3);
  double rim[3] = {0.5, 0, 1.1}, corner[3] = {0.5, 1.1, 2.3};
  assert_true(fabs(crd_shape_radius(CRD_CYLINDER, size) - crd_vec3_norm(rim)) < 1e-15);
  assert_true(fabs(crd_shape_radius(CRD_BOX, size) - crd_vec3_norm(corner)) < 1e-15);
  assert_true(isinf(crd_shape_radius(CRD_PLANE, size)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_of_revolution_match_their_slices),
      cmocka_unit_test(a_capsule_is_a_cylinder_and_two_half_balls),
      cmocka_unit_test(a_capsule_tends_to_a_sphere_and_to_a_rod),
      cmocka_unit_test(stretched_shapes_scale_their_second_moments),
      cmocka_unit_test(the_bounding_sphere_is_the_smallest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
