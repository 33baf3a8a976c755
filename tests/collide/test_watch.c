/* Claims: what a collider reports for moving geoms is, to the bit, what every pair by itself reports, whatever was
 * asked before: slow and fast motion, jumps, other distances, few geoms and many, and more pairs near each other than
 * it can list. */
#include <cradle/collide.h>
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"
#include "support/random_tree.h"

enum { MOST = 20000 };

typedef struct crowd {
  crd_model *model;
  crd_collider *collider, *single;
  double *pos, *R;
  crd_contact_point *found, *expected;
  random_stream stream;
} crowd;

static void turn(crowd *c, int g, double angle) {
  double axis[3], quat[4], turned[9];
  random_vector(&c->stream, 3, axis);
  crd_vec3_normalize(axis);
  quat[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) quat[1 + i] = sin(angle / 2) * axis[i];
  crd_quat_to_mat3(turned, quat);
  crd_mat3_mul(c->R + 9 * g, turned, c->R + 9 * g);
}

/* A plane and n solids of all kinds and sizes, spread over a box of the given half width. */
static crowd crowd_new(int n, double width, double largest, uint64_t seed) {
  static const crd_geom_type types[] = {CRD_SPHERE, CRD_CAPSULE, CRD_BOX, CRD_CYLINDER, CRD_SPHERE, CRD_ELLIPSOID};
  crowd c = {.stream = {.seed = seed}};
  crd_builder *builder = crd_model_builder_new();
  make_geom(builder, 0, CRD_PLANE, 0, 0, 0);
  make_geom(builder, 0, CRD_BOX, 3 * width, 3 * width, 0.1);
  for (int i = 0; i < n; i++) {
    double size = random_in(&c.stream, 0.2, largest);
    int body = make_body(builder, "", 0, 0, 0, 0);
    make_joint(builder, body, CRD_FREE, 0, 0, 1);
    make_geom(builder, body, types[i % 6], size, 0.7 * size, 1.2 * size);
  }
  c.model = make_model(builder, NULL);
  crd_model_builder_free(builder);
  size_t ngeom = (size_t)c.model->ngeom;
  c.collider = crd_collide_new(c.model), c.single = crd_collide_new(c.model);
  c.pos = calloc(ngeom, 3 * sizeof(double)), c.R = calloc(ngeom, 9 * sizeof(double));
  c.found = malloc(MOST * sizeof *c.found), c.expected = malloc(MOST * sizeof *c.expected);
  assert_true(c.collider && c.single && c.pos && c.R && c.found && c.expected);
  for (int g = 0; g < c.model->ngeom; g++) {
    for (int k = 0; k < 3; k++) c.R[9 * g + 4 * k] = 1;
    for (int k = 0; k < 3 && g > 1; k++) c.pos[3 * g + k] = random_in(&c.stream, -width, width);
    if (g > 1) c.pos[3 * g + 2] += width, turn(&c, g, random_in(&c.stream, 0, 3));
  }
  c.pos[5] = 2 * width; /* the large box hangs above */
  return c;
}

static void crowd_free(crowd *c) {
  crd_collide_free(c->collider), crd_collide_free(c->single);
  crd_model_free(c->model);
  free(c->pos), free(c->R), free(c->found), free(c->expected);
}

static void expect_all_pairs(crowd *c, double distance, int *contacts) {
  crd_collide_options options = {.distance = distance};
  int count, total = 0;
  assert_int_equal(crd_collide_all(c->collider, c->pos, c->R, &options, c->found, MOST, &count), CRD_OK);
  for (int g1 = 0; g1 < c->model->ngeom; g1++)
    for (int g2 = g1 + 1 > 2 ? g1 + 1 : 2; g2 < c->model->ngeom; g2++) {
      double d[3], near = c->model->geom[g1].radius + c->model->geom[g2].radius + distance;
      crd_vec3_sub(d, c->pos + 3 * g1, c->pos + 3 * g2);
      if (crd_vec3_norm(d) > near) continue;
      int of_pair;
      assert_int_equal(
          crd_collide_pair(c->single, c->pos, c->R, g1, g2, distance, c->expected + total, MOST - total, &of_pair),
          CRD_OK);
      total += of_pair;
    }
  assert_int_equal(count, total);
  assert_memory_equal(c->found, c->expected, sizeof *c->found * (size_t)total);
  *contacts += total;
}

static void move(crowd *c, double step) {
  for (int g = 2; g < c->model->ngeom; g++) {
    double d[3];
    random_vector(&c->stream, 3, d);
    crd_vec3_axpy(c->pos + 3 * g, step, d);
    turn(c, g, step * random_in(&c->stream, -1, 1));
  }
}

static void moving_geoms_have_the_contacts_of_every_pair(void **state) {
  (void)state;
  int contacts = 0;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    crowd c = crowd_new(24, 2, 0.5, seed);
    for (int step = 0; step < 150; step++) {
      double speed = step % 50 == 49 ? 1 : seed % 2 ? 0.01 : 0.08;
      expect_all_pairs(&c, step % 7 == 3 ? 0.2 : step % 7 == 5 ? 0 : 1e-3, &contacts);
      move(&c, speed);
    }
    crowd_free(&c);
  }
  assert_true(contacts > 1000);
}

static void many_geoms_have_them_too(void **state) {
  (void)state;
  int contacts = 0;
  crowd c = crowd_new(200, 6, 0.6, 5);
  for (int step = 0; step < 30; step++) {
    expect_all_pairs(&c, step % 5 == 4 ? 0.3 : 1e-3, &contacts);
    move(&c, step % 10 == 9 ? 0.5 : 0.02);
  }
  crowd_free(&c);
  assert_true(contacts > 500);
}

static void more_pairs_than_can_be_listed_are_all_found(void **state) {
  (void)state;
  int contacts = 0;
  crowd c = crowd_new(160, 0.8, 0.3, 6);
  for (int step = 0; step < 3; step++) {
    expect_all_pairs(&c, 1e-3, &contacts);
    move(&c, 0.05);
  }
  crowd_free(&c);
  assert_true(contacts > 1000);
}

static void planes_may_move(void **state) {
  (void)state;
  int contacts = 0;
  crowd c = crowd_new(12, 1, 0.4, 7);
  for (int step = 0; step < 20; step++) {
    expect_all_pairs(&c, 1e-3, &contacts);
    c.pos[2] += 0.1;
  }
  crowd_free(&c);
  assert_true(contacts > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moving_geoms_have_the_contacts_of_every_pair),
      cmocka_unit_test(many_geoms_have_them_too),
      cmocka_unit_test(more_pairs_than_can_be_listed_are_all_found),
      cmocka_unit_test(planes_may_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
