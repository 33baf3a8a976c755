/* Claims about Routh's single-contact impact: closed forms (sphere, Kane's pendulum by hand, slip reversal, jam),
 * Coulomb's cone, the terminal conditions, dissipation; the spatial flow agrees with brute-force small steps and, in a
 * plane, with the planar segments. */
#include <math.h>
#include <string.h>

#include "impact/routh_single.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

static void after(const crd_single_contact *c, const crd_routh_path *path, double u[3]) {
  for (int i = 0; i < 3; i++) {
    u[i] = i <= c->ntangent ? c->u[i] : 0;
    for (int j = 0; j <= c->ntangent; j++) u[i] += i <= c->ntangent ? c->A[3 * i + j] * path->p[j] : 0;
  }
}

static double work(const crd_single_contact *c, const crd_routh_path *path) {
  double u[3], sum = 0;
  after(c, path, u);
  for (int i = 0; i <= c->ntangent; i++) sum += 0.5 * path->p[i] * (c->u[i] + u[i]);
  return sum;
}

/* A homogeneous sphere (m = 1): A = diag(1, 7/2, 7/2), no coupling. Slides through if |v_t| > 7/2 mu (1 + e) |v_n|,
 * else rolls. */
static void a_sphere_slides_or_rolls_by_its_closed_form(void **state) {
  (void)state;
  for (int slides = 0; slides < 2; slides++)
    for (int ntangent = 1; ntangent <= 2; ntangent++) {
      const double vn = -2, e = 0.6, mu = 0.2, limit = 3.5 * mu * (1 + e) * 2, speed = limit * (slides ? 1.3 : 0.7);
      double angle = ntangent == 2 ? 0.7 : 0;
      crd_single_contact c = {.ntangent = ntangent,
                              .A = {1, 0, 0, 0, 3.5, 0, 0, 0, 3.5},
                              .mu = mu,
                              .e = e,
                              .u = {vn, speed * cos(angle), speed * sin(angle)}};
      crd_routh_path path;
      double u[3];
      assert_int_equal(crd_routh_single(&c, &path), CRD_OK);
      after(&c, &path, u);
      assert_true(fabs(u[0] + e * vn) < 1e-12);
      double left = slides ? speed - limit : 0;
      assert_true(fabs(u[1] - left * cos(angle)) < 1e-11 && fabs(u[2] - left * sin(angle)) < 1e-11);
      assert_true(path.stuck == !slides && !path.reversed);
    }
}

/* Planar, A = [[1, 0.8], [0.8, 1]], u = (-1, -0.42), mu = 0.3, e = 0 (errata B-08), by hand: sliding to -t, dp = (1,
 * 0.3): u_t rises at 1.1 and stops at p_n = 0.42/1.1; then the need 0.8 exceeds mu, so it slides off to +t with dp =
 * (1, -0.3), u_n' = 0.76. */
static void sliding_reverses_where_friction_cannot_hold(void **state) {
  (void)state;
  crd_single_contact c = {.ntangent = 1, .A = {1, 0.8, 0, 0.8, 1, 0, 0, 0, 0}, .u = {-1, -0.42}, .mu = 0.3};
  crd_routh_path path;
  assert_int_equal(crd_routh_single(&c, &path), CRD_OK);
  double p1 = 0.42 / 1.1, un = -1 + 1.24 * p1, p2 = -un / 0.76;
  assert_true(path.reversed && !path.stuck);
  assert_true(fabs(path.p[0] - (p1 + p2)) < 1e-14 && fabs(path.p[1] - 0.3 * (p1 - p2)) < 1e-14);
}

/* Jam: A_nn - mu A_nt < 0 while sliding to +t, so the normal is pressed in until the sliding stops and the contact
 * sticks. A = [[1, 0.9], [0.9, 1]], mu = 2, u = (-0.1, 1): u_n' = 1 - 1.8 = -0.8, u_t' = 0.9 - 2 = -1.1. */
static void a_jamming_contact_is_pressed_in_and_sticks(void **state) {
  (void)state;
  crd_single_contact c = {.ntangent = 1, .A = {1, 0.9, 0, 0.9, 1, 0, 0, 0, 0}, .u = {-0.1, 1}, .mu = 2};
  crd_routh_path path;
  double u[3];
  assert_int_equal(crd_routh_single(&c, &path), CRD_OK);
  after(&c, &path, u);
  double p1 = 1 / 1.1, un = -0.1 - 0.8 * p1, p2 = -un / (1 - 0.81);
  assert_true(path.stuck && fabs(u[0]) < 1e-13 && fabs(u[1]) < 1e-13);
  assert_true(fabs(path.p[0] - (p1 + p2)) < 1e-12);
}

static crd_single_contact random_contact(random_stream *stream, int ntangent) {
  crd_single_contact c = {.ntangent = ntangent, .mu = random_in(stream, 0, 1.5), .e = random_int(stream, 0, 2) / 2.0};
  double B[9];
  random_vector(stream, 9, B);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      c.A[3 * i + j] = 0.1 * (i == j);
      for (int k = 0; k < 3; k++) c.A[3 * i + j] += B[3 * i + k] * B[3 * j + k];
    }
  c.u[0] = -random_in(stream, 0.1, 2);
  c.u[1] = random_in(stream, -2, 2), c.u[2] = ntangent == 2 ? random_in(stream, -2, 2) : 0;
  return c;
}

static void every_impact_ends_dissipates_and_stays_in_the_cone(void **state) {
  (void)state;
  int stuck = 0, reversed = 0;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    random_stream stream = {.seed = seed};
    crd_single_contact c = random_contact(&stream, 1 + (int)(seed % 2));
    crd_routh_path path;
    double u[3];
    assert_int_equal(crd_routh_single(&c, &path), CRD_OK);
    after(&c, &path, u);
    double scale = fabs(c.u[0]) + hypot(c.u[1], c.u[2]);
    stuck += path.stuck, reversed += path.reversed;
    assert_true(path.p[0] > 0 && hypot(path.p[1], path.p[2]) <= c.mu * path.p[0] * (1 + 1e-9));
    assert_true(work(&c, &path) <= 1e-12 * scale * scale);
    assert_true(path.work_compression < 0);
    assert_true(fabs(path.work_restitution + c.e * c.e * path.work_compression) <= 1e-10 * -path.work_compression);
    if (c.e == 0) assert_true(fabs(u[0]) <= 1e-10 * scale);
    if (path.stuck) assert_true(hypot(u[1], u[2]) <= 1e-9 * scale);
  }
  assert_true(stuck > 300 && reversed > 30); /* the sample reaches all branches */
}

/* The same with forward Euler in 10^6 increments of the normal impulse: first order, so 1e-5 of the scale is what it
 * can tell. */
static void the_spatial_flow_agrees_with_small_steps(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    random_stream stream = {.seed = 77 + seed};
    crd_single_contact c = random_contact(&stream, 2);
    c.e = 0;
    crd_routh_path path;
    assert_int_equal(crd_routh_single(&c, &path), CRD_OK);
    double p[3] = {0}, u[3], h = path.p[0] * 1e-6;
    for (long i = 0; i < 2000000; i++) {
      for (int r = 0; r < 3; r++) u[r] = c.u[r] + c.A[3 * r] * p[0] + c.A[3 * r + 1] * p[1] + c.A[3 * r + 2] * p[2];
      if (u[0] >= 0) break;
      double speed = hypot(u[1], u[2]);
      p[0] += h;
      if (speed > 0) p[1] -= h * c.mu * u[1] / speed, p[2] -= h * c.mu * u[2] / speed;
    }
    double scale = hypot(path.p[0], hypot(path.p[1], path.p[2]));
    for (int i = 0; i < 3; i++) assert_true(fabs(p[i] - path.p[i]) < 1e-4 * scale);
  }
}

/* A spatial contact whose second tangent is decoupled and at rest behaves as the planar one. */
static void in_a_plane_the_spatial_flow_is_the_planar_path(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = 9000 + seed};
    crd_single_contact planar = random_contact(&stream, 1), spatial;
    planar.A[2] = planar.A[5] = planar.A[6] = planar.A[7] = 0, planar.A[8] = 1;
    spatial = planar;
    spatial.ntangent = 2;
    crd_routh_path a, b;
    assert_int_equal(crd_routh_single(&planar, &a), CRD_OK);
    assert_int_equal(crd_routh_single(&spatial, &b), CRD_OK);
    assert_true(fabs(a.p[0] - b.p[0]) < 1e-9 * a.p[0] && fabs(a.p[1] - b.p[1]) < 1e-9 * a.p[0] &&
                fabs(b.p[2]) < 1e-9 * a.p[0]);
  }
}

static void turning_the_tangents_turns_the_answer(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    random_stream stream = {.seed = 500 + seed};
    crd_single_contact c = random_contact(&stream, 2), turned = c;
    double angle = random_in(&stream, 0, 6), q[9] = {1, 0, 0, 0, cos(angle), -sin(angle), 0, sin(angle), cos(angle)};
    for (int i = 0; i < 3; i++) {
      turned.u[i] = q[3 * i] * c.u[0] + q[3 * i + 1] * c.u[1] + q[3 * i + 2] * c.u[2];
      for (int j = 0; j < 3; j++) {
        turned.A[3 * i + j] = 0;
        for (int k = 0; k < 9; k++) turned.A[3 * i + j] += q[3 * i + k / 3] * c.A[k] * q[3 * j + k % 3];
      }
    }
    crd_routh_path a, b;
    assert_int_equal(crd_routh_single(&c, &a), CRD_OK);
    assert_int_equal(crd_routh_single(&turned, &b), CRD_OK);
    for (int i = 0; i < 3; i++) {
      double expected = q[3 * i] * a.p[0] + q[3 * i + 1] * a.p[1] + q[3 * i + 2] * a.p[2];
      assert_true(fabs(b.p[i] - expected) < 1e-9 * a.p[0]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_slides_or_rolls_by_its_closed_form),
      cmocka_unit_test(sliding_reverses_where_friction_cannot_hold),
      cmocka_unit_test(a_jamming_contact_is_pressed_in_and_sticks),
      cmocka_unit_test(every_impact_ends_dissipates_and_stays_in_the_cone),
      cmocka_unit_test(the_spatial_flow_agrees_with_small_steps),
      cmocka_unit_test(in_a_plane_the_spatial_flow_is_the_planar_path),
      cmocka_unit_test(turning_the_tangents_turns_the_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
