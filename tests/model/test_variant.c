/* Claim: a variant with other numbers is, to rounding, the model that is read from a file with these numbers; its base stays
 * as it is; nonsense and models that were built are refused by name, and change nothing. */
#include <cradle/io.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

/* An arm with a tool welded to its hand, in water; numbers of the arm, and of the tool. */
static crd_model *arm(const char *gravity, double arm_mass, double tool_mass, const char *tool_inertial, double mu,
                      double damping, double kp) {
  char text[2000], box[200];
  crd_model *model = NULL;
  crd_error err;
  crd_read_options options = crd_io_read_default();
  crd_read_report report = {0};
  snprintf(box, sizeof box, "<inertial mass='%.17g' pos='.1 0 .2' diaginertia='%.17g %.17g %.17g'/>", arm_mass,
           0.02 * arm_mass, 0.03 * arm_mass, 0.04 * arm_mass);
  snprintf(
      text, sizeof text,
      "<mujoco><option density='1000' viscosity='.1' gravity='%s'/><worldbody><geom name='floor' type='plane' "
      "size='9 9 1' pos='0 0 -9'/><body name='arm' pos='0 0 1'>%s<joint name='hinge' axis='0 1 0' damping='%.17g'/>"
      "<geom name='arm' type='box' size='.1 .1 .3' friction='%.17g .01 .001' mass='0'/><body name='hand' pos='0 0 .5'>"
      "<joint name='ball' type='ball'/><inertial mass='.5' pos='0 0 .1' diaginertia='.01 .01 .01'/>"
      "<body name='tool' pos='0 .1 .2' euler='0 30 0'><inertial mass='%.17g' %s/></body></body></body></worldbody>"
      "<actuator><position name='servo' joint='hinge' kp='%.17g'/></actuator></mujoco>",
      gravity, box, damping, mu, tool_mass, tool_inertial, kp);
  crd_status status = crd_io_read_model_text(text, strlen(text), "arm.xml", &options, &model, &report, &err);
  if (status != CRD_OK) fail_msg("%s", err.text);
  crd_io_read_report_free(&report);
  return model;
}

static void assert_same_motion(const crd_model *a, const crd_model *b) {
  const crd_model *both[2] = {a, b};
  const double q[5] = {0.3, 0.8, 0.4, 0.2, 0.4}, v[4] = {1, -2, 0.5, 3}, ctrl[1] = {0.7};
  double qacc[2][4], kinetic[2], potential[2];
  for (int k = 0; k < 2; k++) {
    crd_workspace *work = crd_model_workspace_new(both[k]);
    assert_int_equal(crd_tree_forward(both[k], work, q, v, NULL, ctrl, NULL, NULL, qacc[k]), CRD_OK);
    kinetic[k] = crd_tree_kinetic_energy(both[k], work, v), potential[k] = crd_tree_potential_energy(both[k], work, q);
    crd_model_workspace_free(work);
  }
  for (int i = 0; i < 4; i++) assert_true(fabs(qacc[0][i] - qacc[1][i]) <= 1e-10 * fmax(1, fabs(qacc[1][i])));
  assert_true(fabs(kinetic[0] - kinetic[1]) <= 1e-12 && fabs(potential[0] - potential[1]) <= 1e-11);
  assert_true(fabs(a->mass - b->mass) <= 1e-14);
}

static const char FIRST[] = "pos='.1 .2 0' diaginertia='.02 .03 .04'",
                  SECOND[] = "pos='0 .1 .3' diaginertia='.05 .03 .07'";

static void a_variant_is_the_model_with_these_numbers(void **state) {
  (void)state;
  crd_model *base = arm("0 0 -9.81", 2, 1, FIRST, 0.4, 0.1, 3), *again = arm("0 0 -9.81", 2, 1, FIRST, 0.4, 0.1, 3);
  crd_model *other = arm("1 2 -3", 5, 4, SECOND, 0.9, 0.7, 11), *variant;
  crd_error err;
  assert_int_equal(crd_model_variant(base, &variant, &err), CRD_OK);
  assert_true(crd_model_is_variant(variant) && !crd_model_is_variant(base));
  assert_same_motion(variant, base);
  const int tool = crd_model_find_body(variant, "tool"), geom = crd_model_find_geom(variant, "arm");
  const double gravity[3] = {1, 2, -3}, pos[3] = {0, 0.1, 0.3}, quat[4] = {2, 0, 0, 0}, moment[3] = {0.05, 0.03, 0.07};
  const double friction[3] = {0.9, 0.01, 0.001};
  crd_actuator servo = other->actuator[0];
  assert_int_equal(crd_model_set_gravity(variant, gravity, &err), CRD_OK);
  assert_int_equal(crd_model_set_mass(variant, crd_model_find_body(variant, "arm"), 5, &err), CRD_OK);
  assert_int_equal(crd_model_set_inertial(variant, tool, 4, pos, quat, moment, &err), CRD_OK);
  assert_int_equal(crd_model_set_friction(variant, geom, friction, &err), CRD_OK);
  assert_int_equal(crd_model_set_restitution(variant, geom, 0.25, &err), CRD_OK);
  assert_int_equal(crd_model_set_damping(variant, crd_model_find_joint(variant, "hinge"), 0.7, &err), CRD_OK);
  assert_int_equal(crd_model_set_gain(variant, 0, servo.gain, servo.bias, &err), CRD_OK);
  assert_same_motion(variant, other);
  assert_memory_equal(variant->geom[geom].friction, other->geom[geom].friction, sizeof friction);
  assert_true(variant->geom[geom].restitution == 0.25);
  assert_same_motion(base, again); /* and has stayed */
  assert_true(base->geom[geom].friction[0] == 0.4 && base->geom[geom].restitution == 0);
  crd_model *second; /* a variant of a variant */
  assert_int_equal(crd_model_variant(variant, &second, &err), CRD_OK);
  assert_same_motion(second, other);
  crd_model_free(second), crd_model_free(variant), crd_model_free(other), crd_model_free(again), crd_model_free(base);
}

static void nonsense_is_refused_by_name(void **state) {
  (void)state;
  crd_model *base = arm("0 0 -9.81", 2, 1, FIRST, 0.4, 0.1, 3), *v;
  crd_error err;
  const double friction[3] = {0.1, -1, 0}, pos[3] = {0}, quat[4] = {1}, flat[3] = {1, 1, 3}, gravity[3] = {0, NAN, 0};
  const double none[4] = {0}, round[3] = {1, 1, 1}, gain[CRD_FORCE_PARAMETERS] = {INFINITY};
  assert_int_equal(crd_model_set_mass(base, 1, 3, &err), CRD_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "expected a variant"));
  assert_int_equal(crd_model_variant(base, &v, &err), CRD_OK);
  const int tool = crd_model_find_body(v, "tool");
  assert_int_equal(crd_model_set_mass(v, tool, -1, &err), CRD_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "\"tool\": mass is -1"));
  assert_int_equal(crd_model_set_mass(v, tool, NAN, &err), CRD_ERR_NUMBER);
  assert_int_equal(crd_model_set_mass(v, 0, 1, &err), CRD_ERR_ARGUMENT); /* the world has none */
  assert_int_equal(crd_model_set_mass(v, 99, 1, &err), CRD_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "body: found 99"));
  assert_int_equal(crd_model_set_inertial(v, tool, 1, pos, quat, flat, &err), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_model_set_inertial(v, tool, 1, pos, none, round, &err), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_model_set_friction(v, 1, friction, &err), CRD_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "\"arm\": friction is -1"));
  assert_int_equal(crd_model_set_restitution(v, 1, 1.5, &err), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_model_set_pair(v, 0, round, 0, &err), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_model_set_gravity(v, gravity, &err), CRD_ERR_NUMBER);
  assert_int_equal(crd_model_set_damping(v, 0, -1, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_model_set_gain(v, 0, gain, NULL, &err), CRD_ERR_NUMBER);
  assert_non_null(strstr(err.text, "\"servo\": gain"));
  assert_same_motion(v, base);
  crd_model_free(v), crd_model_free(base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_variant_is_the_model_with_these_numbers),
                                     cmocka_unit_test(nonsense_is_refused_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
