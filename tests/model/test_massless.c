/* Claims: a moving body without mass or inertia of its own is refused, but with allow_massless only where what its
 * joint moves does not resist it; the mechanism then moves as it must. */
#include <cradle/model.h>
#include <cradle/tree.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"

static int add_body(crd_builder *builder, int parent, double x, double mass, double inertia) {
  crd_body_def def = crd_model_body_default();
  def.name = mass > 0 ? "heavy" : "light";
  def.parent = parent;
  def.has_inertial = true;
  def.inertial.pos[0] = x;
  def.inertial.mass = mass;
  for (int i = 0; i < 3; i++) def.inertial.inertia[i] = inertia;
  return crd_model_builder_body(builder, &def);
}

static void add_hinge(crd_builder *builder, int body, double x, double y, double z) {
  crd_joint_def def = crd_model_joint_default();
  def.axis[0] = x, def.axis[1] = y, def.axis[2] = z;
  crd_model_builder_joint(builder, body, &def);
}

static crd_status build(const crd_builder *builder, bool allow, crd_model **model, crd_error *err) {
  crd_build_options options = crd_model_build_default();
  options.allow_massless = allow;
  return crd_model_builder_build(builder, &options, model, err);
}

/* A massless fork turns about z and holds a ball of mass 2 and inertia 0.5 at distance 3, which turns about x in it: at
 * qpos 0 M = diag(0.5 + 2 9, 0.5). */
static void a_massless_fork_carries_what_it_holds(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int fork = add_body(builder, 0, 0, 0, 0), ball = add_body(builder, fork, 3, 2, 0.5);
  add_hinge(builder, fork, 0, 0, 1);
  add_hinge(builder, ball, 1, 0, 0);
  crd_model *model = NULL;
  crd_error err = {0};
  assert_int_equal(build(builder, false, &model, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "light"));
  assert_int_equal(build(builder, true, &model, &err), CRD_OK);
  crd_workspace *work = crd_model_workspace_new(model);
  double M[4], qacc[2], tau[2] = {18.5, 0.5}, zero[2] = {0};
  crd_tree_kinematics(model, work, model->qpos0);
  crd_tree_crba(model, work, M);
  assert_true(fabs(M[0] - 18.5) < 1e-13 && fabs(M[3] - 0.5) < 1e-13 && fabs(M[1]) < 1e-13);
  assert_int_equal(crd_tree_aba(model, work, model->qpos0, zero, tau, NULL, qacc), CRD_OK);
  assert_true(fabs(qacc[0] - 1) < 1e-12 && fabs(qacc[1] - 1) < 1e-12);
  crd_model_workspace_free(work);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* A point mass resists a hinge at a distance, not one through it. */
static void a_point_mass_needs_a_lever(void **state) {
  (void)state;
  for (int at_axis = 0; at_axis < 2; at_axis++) {
    crd_builder *builder = crd_model_builder_new();
    add_hinge(builder, add_body(builder, 0, at_axis ? 0 : 1, 2, 0), 0, 0, 1);
    crd_model *model = NULL;
    crd_error err = {0};
    assert_int_equal(build(builder, false, &model, &err), CRD_ERR_MODEL);
    assert_int_equal(build(builder, true, &model, &err), at_axis ? CRD_ERR_MODEL : CRD_OK);
    crd_model_free(model);
    crd_model_builder_free(builder);
  }
}

static void a_massless_tip_is_refused(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int arm = add_body(builder, 0, 1, 1, 1);
  add_hinge(builder, arm, 0, 0, 1);
  add_hinge(builder, add_body(builder, arm, 0, 0, 0), 0, 1, 0);
  crd_model *model = NULL;
  crd_error err = {0};
  assert_int_equal(build(builder, true, &model, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "light"));
  assert_null(model);
  crd_model_builder_free(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_massless_fork_carries_what_it_holds),
      cmocka_unit_test(a_point_mass_needs_a_lever),
      cmocka_unit_test(a_massless_tip_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
