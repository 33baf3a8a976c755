/* Freezing: order, links, numbering, coordinates. */
#include "support/cmocka_all.h"

#include <cradle/linalg.h>
#include <cradle/model.h>

#include <math.h>

/* A body with a unit ball (mass 1) so that it may move. */
static int add_body(crd_builder *builder, const char *name, int parent, double x, double y, double z) {
  crd_body_def def = crd_body_default();
  def.name = name;
  def.parent = parent;
  def.pos[0] = x, def.pos[1] = y, def.pos[2] = z;
  def.has_inertial = true;
  def.inertial.mass = 1;
  for (int i = 0; i < 3; i++) def.inertial.inertia[i] = 0.4;
  return crd_builder_body(builder, &def);
}

static int add_joint(crd_builder *builder, int body, crd_joint_type type, double x, double y, double z) {
  crd_joint_def def = crd_joint_default();
  def.type = type;
  def.axis[0] = x, def.axis[1] = y, def.axis[2] = z;
  return crd_builder_joint(builder, body, &def);
}

static crd_model *build(const crd_builder *builder) {
  crd_build_options options = crd_build_default();
  crd_model *model;
  crd_error err = {0};
  if (crd_builder_build(builder, &options, &model, &err) != CRD_OK) fail_msg("%s", err.text);
  return model;
}

static void an_empty_model_is_the_world(void **state) {
  (void)state;
  crd_builder *builder = crd_builder_new();
  crd_model *model = build(builder);
  assert_int_equal(model->nbody, 1);
  assert_int_equal(model->nv, 0);
  assert_string_equal(model->body[0].name, "world");
  assert_int_equal(model->body[0].link, -1);
  crd_model_free(model);
  crd_builder_free(builder);
}

static void bodies_come_out_depth_first_and_references_follow(void **state) {
  (void)state;
  crd_builder *builder = crd_builder_new();
  int a = add_body(builder, "a", 0, 0, 0, 1), b = add_body(builder, "b", 0, 0, 0, 2);
  int a1 = add_body(builder, "a1", a, 0, 0, 3), b1 = add_body(builder, "b1", b, 0, 0, 4),
      a2 = add_body(builder, "a2", a, 0, 0, 5);
  int bodies[] = {a, b, a1, b1, a2}, joints[5];
  for (int i = 4; i >= 0; i--) joints[i] = add_joint(builder, bodies[i], CRD_HINGE, 0, 0, 1);
  crd_loop_def loop = crd_loop_default();
  loop.body1 = b, loop.body2 = a2;
  crd_builder_loop(builder, &loop);
  crd_actuator_def motor = crd_actuator_default();
  motor.joint = joints[3];
  crd_builder_actuator(builder, &motor);
  crd_builder_exclude(builder, b1, a1);
  crd_model *model = build(builder);
  const char *order[] = {"world", "a", "a1", "a2", "b", "b1"};
  for (int i = 0; i < 6; i++) {
    assert_string_equal(model->body[i].name, order[i]);
    assert_int_equal(crd_model_find_body(model, order[i]), i);
    if (i > 0) assert_int_equal(model->body[i].first_joint, i - 1);
    if (i > 0) assert_int_equal(model->body[i].link, i - 1);
  }
  assert_int_equal(model->body[5].parent, 4);
  assert_int_equal(model->loop[0].body1, 4);
  assert_int_equal(model->loop[0].body2, 3);
  assert_int_equal(model->actuator[0].joint, 4);
  assert_int_equal(model->exclude[0], 2);
  assert_int_equal(model->exclude[1], 5);
  int parents[] = {-1, 0, 0, -1, 3};
  for (int i = 0; i < 5; i++) assert_int_equal(model->dof_parent[i], parents[i]);
  crd_model_free(model);
  crd_builder_free(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_model_is_the_world),
      cmocka_unit_test(bodies_come_out_depth_first_and_references_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
