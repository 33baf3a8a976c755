/* Which geoms may collide. */
#include <cradle/model.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"

static crd_model *model;

/* floor (world) and wall (welded to the world); arm on the world with a pad welded to it; hand on the pad; ball on the
 * world. One geom each, in this order. */
enum { FLOOR, WALL, ARM, PAD, HAND, BALL };

static int setup(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  make_geom(builder, 0, CRD_PLANE, 0, 0, 0);
  int wall = make_bare_body(builder, "wall", 0, 0, 0, 0), arm = make_body(builder, "arm", 0, 0, 0, 0);
  int pad = make_body(builder, "pad", arm, 0, 0, 0), hand = make_body(builder, "hand", pad, 0, 0, 0);
  int ball = make_body(builder, "ball", 0, 0, 0, 0), bodies[] = {wall, arm, pad, hand, ball};
  for (int i = 0; i < 5; i++) make_geom(builder, bodies[i], CRD_SPHERE, 1, 0, 0);
  make_joint(builder, arm, CRD_HINGE, 0, 0, 1);
  make_joint(builder, hand, CRD_HINGE, 0, 0, 1);
  make_joint(builder, ball, CRD_FREE, 0, 0, 1);
  crd_pair_def pair = crd_model_pair_default();
  pair.geom1 = HAND, pair.geom2 = PAD;
  crd_model_builder_pair(builder, &pair);
  crd_model_builder_exclude(builder, ball, wall);
  model = make_model(builder, NULL);
  crd_model_builder_free(builder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  crd_model_free(model);
  return 0;
}

static bool may(int a, int b) {
  bool ab = crd_model_may_collide(model, a, b, NULL);
  assert_true(ab == crd_model_may_collide(model, b, a, NULL));
  return ab;
}

static void bodies_welded_together_do_not_collide(void **state) {
  (void)state;
  assert_false(may(FLOOR, WALL));
  assert_false(may(ARM, PAD));
}

static void parent_and_child_do_not_collide_unless_it_is_the_world(void **state) {
  (void)state;
  assert_false(may(ARM, HAND)); /* the hand's parent is welded to the arm */
  assert_true(may(ARM, FLOOR));
  assert_true(may(ARM, WALL));
  assert_true(may(BALL, FLOOR));
}

static void others_collide(void **state) {
  (void)state;
  assert_true(may(HAND, FLOOR));
  assert_true(may(HAND, BALL));
  assert_true(may(PAD, BALL));
}

static void excluded_bodies_do_not_collide(void **state) {
  (void)state;
  assert_false(may(BALL, WALL));
}

static void a_stated_pair_collides_whatever_the_rules_say(void **state) {
  (void)state;
  int pair = 7;
  assert_true(crd_model_may_collide(model, PAD, HAND, &pair));
  assert_int_equal(pair, 0);
  assert_true(crd_model_may_collide(model, HAND, PAD, &pair));
  assert_true(crd_model_may_collide(model, BALL, FLOOR, &pair));
  assert_int_equal(pair, -1);
}

static void masks_must_meet(void **state) {
  (void)state;
  const struct {
    int type1, affinity1, type2, affinity2;
    bool collides;
  } cases[] = {{1, 1, 1, 1, true},  {1, 0, 0, 1, true},  {0, 1, 1, 0, true}, {1, 0, 1, 0, false},
               {0, 1, 0, 1, false}, {2, 2, 1, 1, false}, {6, 0, 0, 4, true}, {0, 0, 1, 1, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_builder *builder = crd_model_builder_new();
    crd_geom_def geom = crd_model_geom_default();
    geom.size[0] = 1;
    geom.contype = cases[i].type1, geom.conaffinity = cases[i].affinity1;
    crd_model_builder_geom(builder, 0, &geom);
    int body = make_body(builder, "", 0, 0, 0, 0);
    make_joint(builder, body, CRD_FREE, 0, 0, 1);
    geom.contype = cases[i].type2, geom.conaffinity = cases[i].affinity2;
    crd_model_builder_geom(builder, body, &geom);
    crd_model *two = make_model(builder, NULL);
    assert_true(crd_model_may_collide(two, 0, 1, NULL) == cases[i].collides);
    crd_model_free(two);
    crd_model_builder_free(builder);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_welded_together_do_not_collide),
      cmocka_unit_test(parent_and_child_do_not_collide_unless_it_is_the_world),
      cmocka_unit_test(others_collide),
      cmocka_unit_test(excluded_bodies_do_not_collide),
      cmocka_unit_test(a_stated_pair_collides_whatever_the_rules_say),
      cmocka_unit_test(masks_must_meet),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
