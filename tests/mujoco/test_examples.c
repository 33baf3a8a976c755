/* Claims: MuJoCo itself accepts every built-in example, in its first keyframe it finds the contacts that example is
 * known for, all of them touching, and the approach velocities are those of Halm & Posa. An independent reading of the
 * texts. */
#include <cradle/io.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

static mjModel *load(const char *spec) {
  crd_arena arena = {0};
  crd_error err = {0};
  const char *text;
  assert_int_equal(crd_io_example_text(spec, NULL, &arena, &text, &err), CRD_OK);
  char path[] = CRADLE_BINARY_DIR "/mujoco_example.xml", message[512] = "";
  assert_int_equal(crd_io_write_file(path, text, strlen(text), &err), CRD_OK);
  mjModel *model = mj_loadXML(path, NULL, message, sizeof message);
  if (!model) fail_msg("%s: %s", spec, message);
  remove(path);
  crd_arena_free(&arena);
  return model;
}

/* Velocity of the second geom's body relative to the first's at the contact, along normal and along the normal turned
 * by -90 degrees in the x-z plane. */
static void contact_velocity(const mjModel *model, const mjData *data, const mjContact *contact, double velocity[2]) {
  double relative[3] = {0};
  mjtNum jacobian[3 * 16];
  assert_true(model->nv <= 16);
  for (int side = 0; side < 2; side++) {
    int geom = side ? contact->geom2 : contact->geom1;
    mj_jac(model, data, jacobian, NULL, contact->pos, model->geom_bodyid[geom]);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < model->nv; j++) relative[i] += (side ? 1 : -1) * jacobian[i * model->nv + j] * data->qvel[j];
  }
  const mjtNum *n = contact->frame;
  velocity[0] = n[0] * relative[0] + n[2] * relative[2];
  velocity[1] = n[2] * relative[0] - n[0] * relative[2];
}

static void every_example_is_a_model_of_mujoco_with_the_stated_contacts(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    int nv, contacts;
    double mass;
  } expected[] = {
      {"newtons-cradle:5", 5, 4, 2.5},
      {"pendulum:12", 12, 0, 12},
      {"rocking-block", 3, 2, 1},
      {"rocking-block-zeno", 3, 2, 1},
      {"compass-gait", 4, 2, 2},
      {"box-wall", 3, 2, 1},
      {"ramone", 7, 2, 7.9026 + 2 * (0.7887 + 0.510)},
      {"disk-stack", 9, 5, 3},
      {"painleve-rod", 3, 1, 1},
      {"ball-chain:5", 5, 4, 5},
      {"disk-in-corner", 3, 2, 1},
      {"double-pendulum-floor", 2, 1, 2},
      {"four-bar", 3, 1, 3},
      {"bouncing-ball", 6, 0, 1},
      {"box-on-slope", 3, 1, 1},
      {"disk-on-plane", 3, 1, 1},
      {"unequal-balls:4", 4, 3, 15},
      {"impact-oscillator", 2, 1, 5},
      {"rattleback", 6, 1, 1},
      {"tippe-top", 6, 1, 0.015},
      {"euler-disk", 6, 1, 0.4387},
      {"dominoes:10", 10, 0, 0.08},
  };
  assert_int_equal(crd_io_example_count(), sizeof expected / sizeof expected[0]);
  for (int i = 0; i < crd_io_example_count(); i++) {
    const char *spec = expected[i].spec;
    assert_memory_equal(spec, crd_io_example_at(i)->name, strlen(crd_io_example_at(i)->name));
    mjModel *model = load(spec);
    mjData *data = mj_makeData(model);
    /* contacts within rounding of touching count on either side of it */
    for (int k = 0; k < model->npair; k++) model->pair_margin[k] = 1e-9;
    mj_resetDataKeyframe(model, data, 0);
    mj_forward(model, data);
    assert_int_equal(model->nv, expected[i].nv);
    assert_int_equal(data->ncon, expected[i].contacts);
    assert_true(fabs(mj_getTotalmass(model) - expected[i].mass) < 1e-10);
    for (int k = 0; k < data->ncon; k++) assert_true(fabs(data->contact[k].dist) < 1e-14);
    for (int k = 0; k < data->nefc && data->ne > 0; k++) assert_true(fabs(data->efc_pos[k]) < 1e-14);
    mj_deleteData(data);
    mj_deleteModel(model);
  }
}

/* Approach velocities (normal, tangential) of A and B, from the velocities EXAMPLES.md states: sqrt(2 g 0.01) for the
 * block; the trailing feet rest while the whole walker turns about them with rate w, so that the leading foot, at
 * distance d to the left, comes down with w d. */
static void the_feet_approach_as_published(void **state) {
  (void)state;
  const double degree = atan(1) / 45;
  static const double ramone_distance =
      0.210518233393 + 0.3215804869673; /* of the feet, from the leg lengths and angles */
  const struct {
    const char *spec;
    double a[2], b[2], tolerance;
  } expected[] = {
      {"rocking-block", {-0.442944691807, 0}, {-0.442944691807, 0}, 1e-12},
      {"rocking-block-zeno", {0, 0}, {1, 0}, 1e-14},
      {"compass-gait", {-0.25 * 2 * sin(78 * degree), 0}, {0, 0}, 1e-14},
      {"ramone", {-ramone_distance, 0}, {0, 0}, 1e-11},
      {"box-wall", {0, 1}, {-1, 0}, 1e-14},
      {"disk-in-corner", {-1, -1}, {-1, 1}, 1e-14},
  };
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    mjModel *model = load(expected[i].spec);
    mjData *data = mj_makeData(model);
    for (int k = 0; k < model->npair; k++) model->pair_margin[k] = 1e-9;
    mj_resetDataKeyframe(model, data, 0);
    mj_forward(model, data);
    assert_int_equal(data->ncon, 2);
    for (int k = 0; k < 2; k++) {
      double velocity[2];
      contact_velocity(model, data, &data->contact[k], velocity);
      const double *should = k ? expected[i].b : expected[i].a;
      for (int c = 0; c < 2; c++)
        if (fabs(velocity[c] - should[c]) > expected[i].tolerance)
          fail_msg("%s contact %d: %.15g, expected %.15g", expected[i].spec, k, velocity[c], should[c]);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_is_a_model_of_mujoco_with_the_stated_contacts),
      cmocka_unit_test(the_feet_approach_as_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
