/* Claims: all unit vectors u with B u + w = k u are found, none twice, for two, four, double and no isolated solutions.
 */
#include <math.h>

#include "coulomb/slip_direction.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

static double equation_error(const double B[4], const double w[2], const double u[2], double k) {
  return hypot(B[0] * u[0] + B[1] * u[1] + w[0] - k * u[0], B[2] * u[0] + B[3] * u[1] + w[1] - k * u[1]);
}

/* The product of sin((a - a_i)/2) over four angles is the trigonometric polynomial of second degree with these zeros.
 * Its five coefficients by sampling (a discrete Fourier sum is exact), B and w from them. */
static void equation_with_zeros(const double zero[4], double B[4], double w[2]) {
  double a[3] = {0}, b[3] = {0};
  for (int s = 0; s < 8; s++) {
    double angle = 2 * acos(-1) * s / 8, g = 1;
    for (int i = 0; i < 4; i++) g *= sin(0.5 * (angle - zero[i]));
    for (int h = 0; h < 3; h++) a[h] += g * cos(h * angle) / (h ? 4 : 8), b[h] += g * sin(h * angle) / (h ? 4 : 8);
  }
  B[0] = -b[2], B[3] = b[2], B[1] = a[2] - a[0], B[2] = a[2] + a[0];
  w[0] = -b[1], w[1] = a[1];
}

static void four_given_directions_are_found(void **state) {
  (void)state;
  random_stream stream = {.seed = 1};
  for (int trial = 0; trial < 2000; trial++) {
    double zero[4], B[4], w[2], u[4][2], k[4], shift = random_in(&stream, -3, 3);
    for (int i = 0; i < 4; i++) zero[i] = -3 + 1.5 * i + random_in(&stream, 0, 1.4);
    equation_with_zeros(zero, B, w);
    B[0] += shift, B[3] += shift; /* changes k only */
    assert_int_equal(crd_slip_directions(B, w, u, k), 4);
    for (int i = 0; i < 4; i++) {
      double nearest = INFINITY;
      for (int j = 0; j < 4; j++) nearest = fmin(nearest, hypot(u[j][0] - cos(zero[i]), u[j][1] - sin(zero[i])));
      assert_true(nearest < 1e-10);
      assert_true(equation_error(B, w, u[i], k[i]) < 1e-13 * (1 + fabs(shift)));
    }
  }
}

/* Where two directions merge before they vanish (errata B-09: there may be one or three). */
static void a_double_direction_is_found_once(void **state) {
  (void)state;
  const double zero[4] = {-2.5, -1, 0.7, 0.7};
  double B[4], w[2], u[4][2], k[4];
  equation_with_zeros(zero, B, w);
  int count = crd_slip_directions(B, w, u, k);
  assert_int_equal(count, 3);
  assert_true(hypot(u[2][0] - cos(0.7), u[2][1] - sin(0.7)) < 1e-6);
  for (int i = 0; i < count; i++) assert_true(equation_error(B, w, u[i], k[i]) < 1e-13);
}

/* B = 0: u = +-w/|w|, k = +-|w|. */
static void without_coupling_the_direction_is_that_of_w(void **state) {
  (void)state;
  const double B[4] = {0}, w[2] = {-3, 4};
  double u[4][2], k[4];
  assert_int_equal(crd_slip_directions(B, w, u, k), 2);
  for (int i = 0; i < 2; i++) {
    double sign = k[i] > 0 ? 1 : -1;
    assert_true(fabs(k[i] - 5 * sign) < 1e-14 && fabs(u[i][0] + 0.6 * sign) < 1e-15 &&
                fabs(u[i][1] - 0.8 * sign) < 1e-15);
  }
}

/* w = 0: eigenvectors. A rotation has none, a multiple of the identity has all. */
static void without_w_the_directions_are_eigenvectors(void **state) {
  (void)state;
  const double w[2] = {0}, symmetric[4] = {2, 1, 1, 2}, rotation[4] = {0, -1, 1, 0}, multiple[4] = {3, 0, 0, 3},
               none[4] = {0};
  double u[4][2], k[4];
  assert_int_equal(crd_slip_directions(symmetric, w, u, k), 4);
  for (int i = 0; i < 4; i++) {
    assert_true(fabs(fabs(u[i][0]) - sqrt(0.5)) < 1e-15);
    assert_true(fabs(k[i] - (u[i][0] * u[i][1] > 0 ? 3 : 1)) < 1e-14);
  }
  assert_int_equal(crd_slip_directions(rotation, w, u, k), 0);
  assert_int_equal(crd_slip_directions(multiple, w, u, k), CRD_SLIP_EVERY);
  assert_int_equal(crd_slip_directions(none, w, u, NULL), CRD_SLIP_EVERY);
}

/* Against a scan of the circle: as many sign changes as simple roots, at every scale. */
static void random_equations_agree_with_a_scan(void **state) {
  (void)state;
  random_stream stream = {.seed = 2};
  enum { STEPS = 20000 };
  for (int trial = 0; trial < 300; trial++) {
    double B[4], w[2], u[4][2], k[4], scale = pow(10, random_in(&stream, -6, 6));
    random_vector(&stream, 4, B), random_vector(&stream, 2, w);
    for (int i = 0; i < 4; i++) B[i] *= scale;
    for (int i = 0; i < 2; i++) w[i] *= scale;
    int changes = 0, count = crd_slip_directions(B, w, u, k);
    double before = 0;
    for (int s = 0; s <= STEPS; s++) {
      double angle = 2 * acos(-1) * (s + 0.5) / STEPS, x = cos(angle), y = sin(angle);
      double g = -y * (B[0] * x + B[1] * y + w[0]) + x * (B[2] * x + B[3] * y + w[1]);
      changes += s > 0 && (g < 0) != (before < 0);
      before = g;
    }
    assert_int_equal(count, changes);
    for (int i = 0; i < count; i++) assert_true(equation_error(B, w, u[i], k[i]) < 1e-14 * scale * 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_given_directions_are_found),
      cmocka_unit_test(a_double_direction_is_found_once),
      cmocka_unit_test(without_coupling_the_direction_is_that_of_w),
      cmocka_unit_test(without_w_the_directions_are_eigenvectors),
      cmocka_unit_test(random_equations_agree_with_a_scan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
