/* Claims: the collision of compliant bodies agrees with the reference figures for the rocking block, with the closed
 * form where there is one, and goes over into the rigid outcome as damping grows. */
#include <cradle/io.h>
#include <cradle/sim.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/scene_text.h"

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.9g, expected %.9g", found, expected);
}

/* The block of EXAMPLES.md, with or without gravity. */
static crd_model *block(bool gravity) {
  crd_arena arena = {0};
  crd_error err = {0};
  const char *text;
  crd_model *model;
  assert_int_equal(crd_io_example_text("rocking-block", NULL, &arena, &text, &err), CRD_OK);
  char *own = crd_arena_string(&arena, text), *place = strstr(own, "0 0 -9.81");
  assert_non_null(place);
  if (!gravity) memcpy(place, "0 0  0.00", 9);
  assert_int_equal(crd_io_read_model_text(own, strlen(own), "block.xml", NULL, &model, NULL, &err), CRD_OK);
  crd_arena_free(&arena);
  return model;
}

static crd_compliant_result collide(const crd_model *model, double angle, const double k[2], double zeta) {
  crd_compliant_options options = crd_sim_compliant_default();
  crd_compliant_result result = {0};
  /* the lower corner touches the ground */
  const double qpos[3] = {0, cos(angle) + 0.5 * fabs(sin(angle)), angle};
  options.contact_k = k, options.zeta = zeta;
  assert_int_equal(crd_sim_compliant(model, qpos, model->key[0].qvel, &options, &result), CRD_OK);
  assert_int_equal(result.nc, 2);
  assert_string_equal(result.contact[0], "A");
  return result;
}

/* Larger normal velocity for k_B / k_A, zeta 5, softer contact 1e6 N/m; the other corner is left at rest. */
static void stiffness_ratios_give_the_reference_figures(void **state) {
  (void)state;
  static const struct {
    double ratio, velocity;
  } reference[] = {{1e5, 0.09189}, {1e4, 0.08942}, {1e3, 0.08299}, {100, 0.06790}, {10, 0.03855}};
  crd_model *model = block(true);
  for (size_t i = 0; i < sizeof reference / sizeof reference[0]; i++)
    for (int mirrored = 0; mirrored < 2; mirrored++) {
      double k[2] = {1e6, 1e6};
      k[1 - mirrored] *= reference[i].ratio;
      crd_compliant_result result = collide(model, 0, k, 5);
      assert_near(result.u_plus[mirrored ? 0 : 2], reference[i].velocity, 5.1e-6);
      assert_near(result.u_plus[mirrored ? 2 : 0], 0, 1e-6);
      assert_true(result.impulse[0] > 0 && result.impulse[1] > 0);
      crd_sim_compliant_free(&result);
    }
  crd_model_free(model);
}

/* Alike and without gravity both corners act as one spring 2 k with the damping 4 zeta sqrt(k m): with omega^2 = k / m
 * the velocity vanishes at t = ln(r1 / r2) / (r1 - r2), r = omega (2 zeta +- sqrt(4 zeta^2 - 2)). */
static void equal_corners_stop_as_the_damped_spring_does(void **state) {
  (void)state;
  crd_model *model = block(false);
  const double k[2] = {1e6, 1e6}, root = sqrt(4.0 * 25 - 2), fast = 1e3 * (10 + root), slow = 1e3 * (10 - root);
  crd_compliant_result result = collide(model, 0, k, 5);
  assert_near(result.time, log(fast / slow) / (fast - slow), 1e-9);
  for (int i = 0; i < 4; i++) assert_near(result.u_plus[i], 0, 1.1e-9);
  double impulse = result.impulse[0] + result.impulse[1];
  assert_near(impulse, sqrt(2 * 9.81 * 0.01), 1e-4);
  crd_sim_compliant_free(&result);
  crd_model_free(model);
}

/* At 0.01 degrees the corners strike one after the other. What exceeds the rigid sequential outcome, 0.21 v0, is the
 * residual restitution of the law: 1.019 of it for zeta 5, 1.001 for 20, 0.9999 for 80 (errata, section 2). */
static void a_tilted_block_strikes_corner_after_corner(void **state) {
  (void)state;
  static const struct {
    double zeta, ratio, tolerance;
  } reference[] = {{5, 1.019, 6e-4}, {20, 1.001, 6e-4}, {80, 0.9999, 6e-4}};
  crd_model *model = block(false);
  const double k[2] = {1e6, 1e6}, rigid = 0.21 * sqrt(2 * 9.81 * 0.01), degree = 3.141592653589793 / 180;
  for (size_t i = 0; i < sizeof reference / sizeof reference[0]; i++)
    for (int side = -1; side <= 1; side += 2) {
      crd_compliant_result result = collide(model, side * 0.01 * degree, k, reference[i].zeta);
      double larger = fmax(result.u_plus[0], result.u_plus[2]);
      assert_near(larger / rigid, reference[i].ratio, reference[i].tolerance);
      crd_sim_compliant_free(&result);
    }
  crd_model_free(model);
}

/* A box in space on four corners, and the planar walker: they end, and no contact is left approaching. */
static void other_mechanisms_end_resolved(void **state) {
  (void)state;
  for (int which = 0; which < 3; which++) {
    crd_model *model;
    crd_error err = {0};
    if (which == 0)
      model = model_from_text("falling_box");
    else
      assert_int_equal(crd_io_example_model(which == 1 ? "compass-gait" : "box-wall", NULL, &model, &err), CRD_OK);
    crd_compliant_options options = crd_sim_compliant_default();
    crd_compliant_result result = {0};
    crd_status status = crd_sim_compliant(model, model->key[0].qpos, model->key[0].qvel, &options, &result);
    if (status != CRD_OK) fail_msg("%d: %s", which, crd_status_text(status));
    assert_int_equal(result.nc, which == 0 ? 4 : 2);
    if (which == 0) assert_near(result.v_plus[2], 0, 1e-3);
    crd_sim_compliant_free(&result);
    crd_model_free(model);
  }
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  crd_model *model = block(true);
  crd_compliant_options options = crd_sim_compliant_default();
  crd_compliant_result result = {0};
  const double high[3] = {0, 5, 0}, *qvel = model->key[0].qvel, *qpos = model->key[0].qpos;
  assert_int_equal(crd_sim_compliant(model, high, qvel, &options, &result), CRD_ERR_ARGUMENT);
  options.stiffness = 0;
  assert_int_equal(crd_sim_compliant(model, qpos, qvel, &options, &result), CRD_ERR_ARGUMENT);
  options = crd_sim_compliant_default(), options.time = 1e-5;
  assert_int_equal(crd_sim_compliant(model, qpos, qvel, &options, &result), CRD_LIMIT);
  options = crd_sim_compliant_default(), options.contact_k = (const double[]){1e6, NAN};
  assert_int_equal(crd_sim_compliant(model, qpos, qvel, &options, &result), CRD_ERR_ARGUMENT);
  assert_null(result.v_plus);
  crd_model_free(model);
}

int main(void) {
  crd_model *model = block(true);
  crd_compliant_options options = crd_sim_compliant_default();
  crd_compliant_result result = {0};
  crd_status status = crd_sim_compliant(model, model->key[0].qpos, model->key[0].qvel, &options, &result);
  crd_sim_compliant_free(&result);
  crd_model_free(model);
  if (status == CRD_ERR_ARGUMENT) return 0; /* a build without SUNDIALS: the state itself is a good one */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stiffness_ratios_give_the_reference_figures),
      cmocka_unit_test(equal_corners_stop_as_the_damped_spring_does),
      cmocka_unit_test(a_tilted_block_strikes_corner_after_corner),
      cmocka_unit_test(other_mechanisms_end_resolved),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
