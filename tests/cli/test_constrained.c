/* `dynamics --json`: what loops and resting contacts do to the motion, after Aghili (rows A4-A7), and the sets of contacts
 * of Halm & Posa (H1), against closed forms. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static void assert_vector(const json_t *object, const char *key, int count, const double *expected, double tolerance) {
  const json_t *list = json_object_get(object, key);
  assert_int_equal(json_array_size(list), count);
  for (int i = 0; i < count; i++) {
    double found = json_number_value(json_array_get(list, (size_t)i));
    if (!(fabs(found - expected[i]) <= tolerance))
      fail_msg("%s[%d]: found %.12g, expected %.12g", key, i, found, expected[i]);
  }
}

/* A rod pinned at L = 2 m from its mass centre, m = 1, J = 1/2, as a free planar body with a loop: angle 40 degrees, rate
 * 1.3. q'' = -m g L sin / (J + m L^2), x'' = L (q'' cos - w^2 sin), z'' = L (q'' sin + w^2 cos), and the force of the loop
 * is (m x'', m (z'' + g), J q''). */
static void a_pinned_rod_swings(void **state) {
  (void)state;
  const double L = 2, J = 0.5, g = 9.81, q = 40 * acos(-1) / 180, w = 1.3;
  char text[2048], words[512];
  snprintf(
      text, sizeof text,
      "<mujoco><compiler angle=\"radian\"/><option gravity=\"0 0 -9.81\"/><worldbody>"
      "<body name=\"rod\" pos=\"0 0 -2\"><joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>"
      "<joint type=\"hinge\" axis=\"0 -1 0\"/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.5 0.5 0.5\"/></body>"
      "</worldbody><equality><connect body1=\"rod\" anchor=\"0 0 2\"/></equality><keyframe>"
      "<key qpos=\"%.17g %.17g %.17g\" qvel=\"%.17g %.17g %.17g\"/></keyframe></mujoco>",
      L * sin(q), L - L * cos(q), q, L * w * cos(q), L * w * sin(q), w);
  program_write(program_file("rod.xml"), text);
  snprintf(words, sizeof words, "dynamics '%s' --json", program_file("rod.xml"));
  json_t *object = program_json(words), *held = json_object_get(object, "constrained");
  double turn = -g * L * sin(q) / (J + L * L), x = L * (turn * cos(q) - w * w * sin(q)),
         z = L * (turn * sin(q) + w * w * cos(q));
  const double qacc[3] = {x, z, turn}, force[3] = {x, z + g, J * turn}, none[3] = {0};
  assert_vector(held, "qacc", 3, qacc, 1e-8);
  assert_vector(held, "force", 3, force, 1e-8);
  assert_vector(held, "residual", (int)json_array_size(json_object_get(held, "rows")), none, 1e-8);
  json_decref(object);
}

/* The block at rest: each corner carries half of its weight, nothing moves; falling, both corners collide. */
static void a_block_rests_on_its_corners(void **state) {
  (void)state;
  json_t *object = program_json("dynamics @rocking-block --qvel '0 0 0' --json");
  const json_t *held = json_object_get(object, "constrained"), *sets = json_object_get(object, "sets");
  const double still[3] = {0}, half[2] = {4.905, 4.905}, carry[2] = {1, 1}, strike[2] = {0};
  assert_vector(held, "qacc", 3, still, 1e-12);
  assert_vector(held, "multipliers", 2, half, 1e-12);
  assert_vector(held, "gamma", 2, carry, 0);
  assert_vector(held, "gamma_star", 2, strike, 0);
  assert_int_equal(json_array_size(json_object_get(sets, "active")), 2);
  assert_int_equal(json_array_size(json_object_get(sets, "colliding")), 0);
  json_decref(object);
  object = program_json("dynamics @rocking-block --json");
  sets = json_object_get(object, "sets");
  assert_int_equal(json_array_size(json_object_get(sets, "colliding")), 2);
  assert_int_equal(json_array_size(json_object_get(sets, "separating")), 0);
  assert_int_equal(json_array_size(json_object_get(sets, "penetrating")), 0);
  assert_true(json_is_null(json_object_get(object, "constrained")));
  json_decref(object);
}

/* A rod that slides is held by its friction once at rest; `check` says the same of the file that `dynamics` writes. */
static void forces_with_friction_are_those_of_check(void **state) {
  (void)state;
  char words[512];
  snprintf(words, sizeof words, "dynamics @painleve-rod --qvel '0 0 0' --json --problem '%s'",
           program_file("rod.json"));
  json_t *object = program_json(words);
  json_t *motion = json_array_get(json_object_get(json_object_get(object, "persistent"), "motions"), 0);
  /* contact at rest: with c, s = 1, 2 over sqrt(5), half length 1, m = 1, I = 1/3, n = (0, 1, -c), t = (1, 0, s):
   * W (p_n, p_t) = (g, 0), W_nn = 1 + 3 c^2 = 1.6, W_nt = -3 c s = -1.2, W_tt = 1 + 3 s^2 = 3.4 */
  const double normal = 3.4 / (1.6 * 3.4 - 1.2 * 1.2) * 9.81, tangent = 1.2 / (1.6 * 3.4 - 1.2 * 1.2) * 9.81;
  const json_t *contact = json_array_get(json_object_get(motion, "contacts"), 0);
  assert_true(fabs(json_number_value(json_object_get(contact, "lambda_n")) - normal) <= 1e-12);
  assert_true(fabs(json_number_value(json_array_get(json_object_get(contact, "lambda_t"), 0)) - tangent) <= 1e-12);
  snprintf(words, sizeof words, "check '%s' --json", program_file("rod.json"));
  json_t *check = program_json(words);
  assert_true(json_equal(json_object_get(object, "persistent"), json_object_get(check, "persistent")));
  json_decref(check);
  json_decref(object);
  object = program_json("dynamics @rocking-block --json"); /* it falls: an impact comes first */
  assert_true(json_is_null(json_object_get(object, "persistent")));
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pinned_rod_swings),
      cmocka_unit_test(a_block_rests_on_its_corners),
      cmocka_unit_test(forces_with_friction_are_those_of_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
