/* Claims about whole scenes: the broad phase loses no contact and invents none; masks, exclusions, stated pairs and
 * margins count as in the model; the result does not depend on the order of the two geoms or of all geoms, and moves
 * with the scene; too small an array and bad numbers are reported. */
#include <cradle/linalg.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/scene.h"

static const crd_geom_type SOLID[] = {CRD_SPHERE, CRD_CAPSULE, CRD_ELLIPSOID, CRD_CYLINDER, CRD_BOX, CRD_MESH};
enum { SOLIDS = sizeof SOLID / sizeof *SOLID, CROWD = 40 };

/* A plane and a crowd of random solids in a box of the given half width. */
static scene *random_crowd(uint64_t seed, double width) {
  random_stream stream = {.seed = seed};
  scene *s = scene_new();
  scene_add(s, CRD_PLANE, 0, 0, 0, true);
  for (int i = 0; i < CROWD; i++) scene_add_random(s, SOLID[i % SOLIDS], &stream);
  scene_build(s);
  for (int g = 1; g <= CROWD; g++) {
    double q[4];
    random_unit_quat(&stream, q);
    scene_turn_quat(s, g, q);
    scene_place(s, g, random_in(&stream, -width, width), random_in(&stream, -width, width),
                random_in(&stream, 0, 2 * width));
  }
  return s;
}

static void sweep_finds_what_all_pairs_find(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 6; seed++) {
    scene *s = random_crowd(seed, 2.5);
    static crd_contact_point expected[SCENE_CONTACTS];
    int total = 0;
    for (int g1 = 0; g1 <= CROWD; g1++)
      for (int g2 = g1 + 1; g2 <= CROWD; g2++) {
        assert_int_equal(
            crd_collide_pair(s->collider, s->pos, s->R, g1, g2, 0.05, s->contact, SCENE_CONTACTS, &s->count), CRD_OK);
        assert_true(total + s->count <= SCENE_CONTACTS);
        memcpy(expected + total, s->contact, (size_t)s->count * sizeof *expected);
        total += s->count;
      }
    scene_collide(s, 0.05);
    assert_true(total > 20);
    assert_int_equal(s->count, total);
    assert_memory_equal(s->contact, expected, (size_t)total * sizeof *expected);
    scene_free(s);
  }
}

static void swapping_the_geoms_changes_nothing(void **state) {
  (void)state;
  scene *s = random_crowd(7, 2);
  static crd_contact_point other[SCENE_CONTACTS];
  int count;
  for (int g1 = 0; g1 <= CROWD; g1++)
    for (int g2 = g1 + 1; g2 <= CROWD; g2++) {
      crd_collide_pair(s->collider, s->pos, s->R, g1, g2, 0.1, s->contact, SCENE_CONTACTS, &s->count);
      crd_collide_pair(s->collider, s->pos, s->R, g2, g1, 0.1, other, SCENE_CONTACTS, &count);
      assert_int_equal(s->count, count);
      assert_memory_equal(s->contact, other, (size_t)count * sizeof *other);
    }
  scene_free(s);
}

/* Contact of c with the same place, gap and (mirrored by sign) normal. */
static bool has_twin(const crd_contact_point *list, int count, const crd_contact_point *c, double sign,
                     double tolerance) {
  for (int i = 0; i < count; i++) {
    double n[3];
    crd_vec3_scale(n, sign, list[i].normal);
    if (fabs(list[i].gap - c->gap) < tolerance && max_difference(list[i].point, c->point, 3) < tolerance &&
        max_difference(n, c->normal, 3) < tolerance)
      return true;
  }
  return false;
}

/* The same two solids with their numbers exchanged: the contacts are mirrored. */
static void renumbering_the_geoms_mirrors_the_contacts(void **state) {
  (void)state;
  random_stream stream = {.seed = 8};
  for (int i = 0; i < SOLIDS; i++)
    for (int j = 0; j < SOLIDS; j++)
      for (int k = 0; k < 10; k++) {
        scene *s = scene_new(), *t = scene_new();
        random_stream again = stream, once_more = stream;
        double q[4];
        scene_add_random(s, SOLID[i], &again);
        uint64_t second = again.next;
        scene_add_random(s, SOLID[j], &again);
        once_more.next = second;
        scene_add_random(t, SOLID[j], &once_more);
        once_more = stream;
        scene_add_random(t, SOLID[i], &once_more);
        stream = again;
        scene_build(s), scene_build(t);
        for (int g = 0; g < 2; g++) {
          random_unit_quat(&stream, q);
          scene_turn_quat(s, g, q), scene_turn_quat(t, 1 - g, q);
          double p[3] = {random_in(&stream, -0.5, 0.5), random_in(&stream, -0.5, 0.5), random_in(&stream, -0.5, 0.5)};
          scene_place(s, g, p[0], p[1], p[2] + g), scene_place(t, 1 - g, p[0], p[1], p[2] + g);
        }
        scene_collide(s, 0.5), scene_collide(t, 0.5);
        assert_int_equal(s->count, t->count);
        for (int c = 0; c < s->count; c++) assert_true(has_twin(t->contact, t->count, &s->contact[c], -1, 1e-9));
        scene_free(s), scene_free(t);
      }
}

static void moving_the_scene_moves_the_contacts(void **state) {
  (void)state;
  for (uint64_t seed = 20; seed < 26; seed++) {
    scene *s = random_crowd(seed, 2);
    random_stream stream = {.seed = 100 + seed};
    double q[4], Q[9], shift[3] = {30, -20, 10};
    static crd_contact_point before[SCENE_CONTACTS];
    scene_collide(s, 0.05);
    int count = s->count;
    memcpy(before, s->contact, sizeof before);
    random_unit_quat(&stream, q);
    crd_quat_to_mat3(Q, q);
    for (int g = 0; g <= CROWD; g++) {
      crd_mat3_mul(s->R + 9 * g, Q, s->R + 9 * g);
      crd_mat3_mul_vec(s->pos + 3 * g, Q, s->pos + 3 * g);
      crd_vec3_add(s->pos + 3 * g, s->pos + 3 * g, shift);
    }
    scene_collide(s, 0.05);
    assert_int_equal(s->count, count);
    for (int c = 0; c < count; c++) {
      crd_mat3_mul_vec(before[c].normal, Q, before[c].normal);
      crd_mat3_mul_vec(before[c].point, Q, before[c].point);
      crd_vec3_add(before[c].point, before[c].point, shift);
      assert_true(has_twin(s->contact, count, &before[c], 1, 1e-9));
    }
    scene_free(s);
  }
}

static void masks_exclusions_pairs_and_margins_count(void **state) {
  (void)state;
  scene *s = scene_new();
  crd_geom_def def = crd_model_geom_default();
  def.type = CRD_SPHERE, def.size[0] = 1;
  def.contype = def.conaffinity = 1;
  int a = scene_add_geom(s, &def, false);
  def.contype = def.conaffinity = 2; /* does not meet a's masks */
  int b = scene_add_geom(s, &def, false);
  def.margin = 0.5;
  int c = scene_add_geom(s, &def, false);
  crd_pair_def pair = crd_model_pair_default();
  pair.geom1 = a, pair.geom2 = c, pair.margin = 0.25;
  assert_int_equal(crd_model_builder_pair(s->builder, &pair), 0);
  scene_build(s);
  scene_place(s, b, 1.9, 0, 0);
  scene_place(s, c, 0, 2.2, 0);
  scene_collide(s, 0.01);
  /* a-b: masks; a-c: stated pair within its margin 0.25; b-c: margin 0.5 of c, but sqrt(1.9^2 + 2.2^2) - 2 = 0.91 apart
   */
  assert_int_equal(s->count, 1);
  assert_int_equal(s->contact[0].geomA, c);
  assert_int_equal(s->contact[0].geomB, a);
  assert_int_equal(s->contact[0].pair, 0);
  assert_true(fabs(s->contact[0].gap - 0.2) < 1e-12);
  scene_place(s, c, 0, 2.3, 0); /* beyond the pair's margin */
  scene_place(s, b, 0, 4.7, 0); /* 0.4 from c: within c's margin */
  scene_collide(s, 0.01);
  assert_int_equal(s->count, 1);
  assert_int_equal(s->contact[0].pair, -1);
  assert_true(fabs(s->contact[0].gap - 0.4) < 1e-12);
  scene_free(s);
}

static void fixed_geoms_do_not_collide_and_the_moving_one_is_A(void **state) {
  (void)state;
  scene *s = scene_new();
  int wall = scene_add(s, CRD_BOX, 1, 1, 1, true), floor = scene_add(s, CRD_BOX, 1, 1, 1, true);
  int ball = scene_add(s, CRD_SPHERE, 1, 0, 0, false);
  scene_build(s);
  scene_place(s, ball, 0, 0, 1.9);
  scene_collide(s, 0);
  assert_int_equal(s->count, 2); /* both boxes with the ball */
  for (int i = 0; i < 2; i++) {
    assert_int_equal(s->contact[i].geomA, ball);
    assert_int_equal(s->contact[i].geomB, i ? floor : wall);
    assert_true(s->contact[i].normal[2] > 0.999999);
  }
  scene_free(s);
}

static void small_arrays_and_bad_numbers_are_reported(void **state) {
  (void)state;
  scene *s = scene_new();
  int floor = scene_add(s, CRD_PLANE, 0, 0, 0, true), box = scene_add(s, CRD_BOX, 1, 1, 1, false);
  scene_build(s);
  scene_place(s, box, 0, 0, 1);
  crd_contact_point two[3];
  two[2].gap = 77;
  int count = -1;
  assert_int_equal(crd_collide_all(s->collider, s->pos, s->R, NULL, two, 2, &count), CRD_ERR_CAPACITY);
  assert_int_equal(count, 4);
  assert_true(two[2].gap == 77);
  assert_int_equal(crd_collide_all(s->collider, s->pos, s->R, NULL, NULL, 0, &count), CRD_ERR_CAPACITY);
  assert_int_equal(crd_collide_pair(s->collider, s->pos, s->R, floor, floor, 0, two, 2, &count), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_collide_pair(s->collider, s->pos, s->R, floor, 7, 0, two, 2, &count), CRD_ERR_ARGUMENT);
  s->pos[3 * box] = NAN;
  assert_int_equal(crd_collide_all(s->collider, s->pos, s->R, NULL, two, 2, &count), CRD_ERR_NUMBER);
  assert_int_equal(crd_collide_pair(s->collider, s->pos, s->R, floor, box, 0, two, 2, &count), CRD_ERR_NUMBER);
  scene_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sweep_finds_what_all_pairs_find),
      cmocka_unit_test(swapping_the_geoms_changes_nothing),
      cmocka_unit_test(renumbering_the_geoms_mirrors_the_contacts),
      cmocka_unit_test(moving_the_scene_moves_the_contacts),
      cmocka_unit_test(masks_exclusions_pairs_and_margins_count),
      cmocka_unit_test(fixed_geoms_do_not_collide_and_the_moving_one_is_A),
      cmocka_unit_test(small_arrays_and_bad_numbers_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
