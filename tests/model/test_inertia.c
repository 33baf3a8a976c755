/* Inertia of bodies and links: parallel axes, welded bodies, where it comes from and how it is corrected. */
#include <cradle/linalg.h>
#include <cradle/model.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"

static const double unit_quat[4] = {1, 0, 0, 0};

/* Two unit point-like spheres on a rod: m = 2, I = 2 (2/5 r^2) along the rod and + 2 d^2 across. */
static void geoms_add_up_by_the_parallel_axis_theorem(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int body = make_bare_body(builder, "dumbbell", 0, 0, 0, 0);
  crd_geom_def ball = crd_model_geom_default();
  ball.size[0] = 0.5;
  ball.has_mass = true;
  ball.mass = 1;
  for (int i = 0; i < 2; i++) {
    ball.pos[0] = 4 + (i ? 2 : -2), ball.pos[1] = 1;
    crd_model_builder_geom(builder, body, &ball);
  }
  crd_model *model = make_model(builder, NULL);
  const double com[3] = {4, 1, 0}, along = 2 * 0.4 * 0.25, moments[3] = {along, along + 8, along + 8};
  check_body_inertia(&model->body[1], 2, com, unit_quat, moments, 1e-14);
  assert_true(model->mass == model->body[1].mass);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* A geom turned by 90 degrees about x has y and z exchanged. */
static void a_turned_geom_turns_its_inertia(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  crd_geom_def box = crd_model_geom_default();
  box.type = CRD_BOX;
  box.size[0] = 1, box.size[1] = 2, box.size[2] = 3;
  box.has_mass = true;
  box.mass = 3;
  box.quat[0] = 7, box.quat[1] = 7; /* any length */
  crd_model_builder_geom(builder, make_bare_body(builder, "", 0, 0, 0, 0), &box);
  crd_model *model = make_model(builder, NULL);
  const double zero[3] = {0}, moments[3] = {13, 5, 10};
  check_body_inertia(&model->body[1], 3, zero, unit_quat, moments, 1e-14);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* The same two boxes: as geoms of one body, and as two bodies of which one is welded to the other. */
static void welded_bodies_are_one_link(void **state) {
  (void)state;
  const double pos[3] = {0.3, -0.7, 1.1}, quat[4] = {0.6, 0, 0.8, 0};
  crd_link links[2];
  for (int welded = 0; welded < 2; welded++) {
    crd_builder *builder = crd_model_builder_new();
    int root = make_bare_body(builder, "root", 0, 1, 1, 1), second = root;
    make_joint(builder, root, CRD_HINGE, 1, 2, 3);
    make_geom(builder, root, CRD_BOX, 0.1, 0.2, 0.3);
    crd_geom_def box = crd_model_geom_default();
    box.type = CRD_BOX;
    box.size[0] = 0.5, box.size[1] = 0.2, box.size[2] = 0.4;
    if (welded) {
      crd_body_def def = crd_model_body_default();
      def.parent = root;
      memcpy(def.pos, pos, sizeof pos);
      memcpy(def.quat, quat, sizeof quat);
      second = crd_model_builder_body(builder, &def);
    } else {
      memcpy(box.pos, pos, sizeof pos);
      memcpy(box.quat, quat, sizeof quat);
    }
    crd_model_builder_geom(builder, second, &box);
    crd_model *model = make_model(builder, NULL);
    assert_int_equal(model->nlink, 1);
    assert_int_equal(model->body[second].link, 0);
    assert_int_equal(model->body[second].weld, root);
    links[welded] = model->link[0];
    crd_model_free(model);
    crd_model_builder_free(builder);
  }
  check_close(&links[1].mass, &links[0].mass, 1, 1e-14);
  check_close(links[1].com, links[0].com, 3, 1e-14);
  check_close(links[1].inertia, links[0].inertia, 6, 1e-14);
}

/* A ball of mass 1 and radius 1 whose centre is at (1, 2, 3) in the link: I = 0.4 1 + |c|^2 1 - c c'. */
static void a_link_has_its_inertia_about_its_origin(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  crd_body_def def = crd_model_body_default();
  def.has_inertial = true;
  def.inertial = (crd_inertial){1, {1, 2, 3}, {1, 0, 0, 0}, {0.4, 0.4, 0.4, 0, 0, 0}};
  make_joint(builder, crd_model_builder_body(builder, &def), CRD_HINGE, 0, 0, 1);
  crd_model *model = make_model(builder, NULL);
  const double expected[6] = {13.4, 10.4, 5.4, -2, -3, -6}, com[3] = {1, 2, 3};
  check_close(model->link[0].inertia, expected, 6, 1e-14);
  check_close(model->link[0].com, com, 3, 1e-15);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* Only the last link of a body with several joints carries it. */
static void earlier_links_of_a_body_are_massless(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int body = make_body(builder, "a", 0, 0, 0, 0);
  for (int i = 0; i < 3; i++) make_joint(builder, body, CRD_SLIDE, i == 0, i == 1, i == 2);
  crd_model *model = make_model(builder, NULL);
  assert_int_equal(model->nlink, 3);
  for (int i = 0; i < 3; i++) assert_true(model->link[i].mass == (i == 2));
  assert_int_equal(model->body[1].link, 2);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* A body with both an inertial (mass 7) and a ball of mass 1. */
static double mass_with(crd_inertia_source source, int group, bool in_inertia) {
  crd_builder *builder = crd_model_builder_new();
  crd_body_def def = crd_model_body_default();
  def.has_inertial = true;
  def.inertial = (crd_inertial){7, {0}, {1, 0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  crd_geom_def ball = crd_model_geom_default();
  ball.size[0] = ball.mass = 1;
  ball.has_mass = true;
  ball.group = group;
  ball.in_inertia = in_inertia;
  crd_model_builder_geom(builder, crd_model_builder_body(builder, &def), &ball);
  crd_build_options options = crd_model_build_default();
  options.inertia_source = source;
  options.inertia_groups[0] = 1, options.inertia_groups[1] = 2;
  crd_model *model = make_model(builder, &options);
  double mass = model->body[1].mass;
  crd_model_free(model);
  crd_model_builder_free(builder);
  return mass;
}

static void the_source_of_inertia_is_the_one_asked_for(void **state) {
  (void)state;
  assert_true(mass_with(CRD_INERTIA_AUTO, 1, true) == 7);
  assert_true(mass_with(CRD_INERTIA_GIVEN, 1, true) == 7);
  assert_true(mass_with(CRD_INERTIA_GEOMS, 1, true) == 1);
  assert_true(mass_with(CRD_INERTIA_GEOMS, 2, true) == 1);
  assert_true(mass_with(CRD_INERTIA_GEOMS, 3, true) == 7);
  assert_true(mass_with(CRD_INERTIA_GEOMS, 1, false) == 7);
}

/* A plate of 1 kg, moments (1, 1, 2) to rounding, is a real body; the triangle inequality holds with equality. */
static void a_plate_is_accepted(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    crd_builder *builder = crd_model_builder_new();
    crd_body_def def = crd_model_body_default();
    double angle = 0.1 * i, c = cos(angle), s = sin(angle);
    def.has_inertial = true;
    /* turned about x: yy = c^2 + 2 s^2, zz = s^2 + 2 c^2, yz = -s c */
    def.inertial = (crd_inertial){1, {0}, {1, 0, 0, 0}, {1, c * c + 2 * s * s, s * s + 2 * c * c, 0, 0, -s * c}};
    make_joint(builder, crd_model_builder_body(builder, &def), CRD_FREE, 0, 0, 0);
    crd_model_free(make_model(builder, NULL));
    crd_model_builder_free(builder);
  }
}

static void the_total_mass_scales_everything(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  for (int i = 0; i < 4; i++) make_joint(builder, make_body(builder, "", i, 1, 0, 0), CRD_HINGE, 0, 0, 1);
  crd_build_options options = crd_model_build_default();
  options.total_mass = 10;
  crd_model *model = make_model(builder, &options);
  for (int i = 1; i <= 4; i++) {
    assert_true(fabs(model->body[i].mass - 2.5) < 1e-15 && fabs(model->body[i].inertia[0] - 1) < 1e-15);
    assert_true(fabs(model->link[i - 1].mass - 2.5) < 1e-15 && fabs(model->link[i - 1].inertia[0] - 1) < 1e-15);
  }
  assert_true(model->mass == 10);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(geoms_add_up_by_the_parallel_axis_theorem),
      cmocka_unit_test(a_turned_geom_turns_its_inertia),
      cmocka_unit_test(welded_bodies_are_one_link),
      cmocka_unit_test(a_link_has_its_inertia_about_its_origin),
      cmocka_unit_test(earlier_links_of_a_body_are_massless),
      cmocka_unit_test(the_source_of_inertia_is_the_one_asked_for),
      cmocka_unit_test(a_plate_is_accepted),
      cmocka_unit_test(the_total_mass_scales_everything),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
