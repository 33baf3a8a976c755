/* Claims: gap and normal of every pair of solids are optimal. Hand-computed cases first; then random pairs, judged by
 * what makes them optimal: the two surface points that a contact names belong to their solids (so the distance is at
 * most the gap) and no solid reaches beyond its tangent plane there (so it is at least the gap). Where solids overlap,
 * no other direction separates them sooner. */
#include <cradle/linalg.h>

#include "support/cmocka_all.h"
#include "support/scene.h"

static void expect_contact(const crd_contact_point *c, double gap, double nx, double ny, double nz, double px,
                           double py, double pz) {
  double n[3] = {nx, ny, nz}, p[3] = {px, py, pz};
  assert_true(fabs(c->gap - gap) < 1e-12);
  for (int i = 0; i < 3; i++) assert_true(fabs(c->normal[i] - n[i]) < 1e-12 && fabs(c->point[i] - p[i]) < 1e-12);
}

static void sphere_on_sphere(void **state) {
  (void)state;
  scene *s = scene_new();
  int b = scene_add(s, CRD_SPHERE, 1, 0, 0, false), a = scene_add(s, CRD_SPHERE, 0.5, 0, 0, false);
  scene_build(s);
  scene_place(s, a, 3, 4, 0);
  expect_contact(scene_pair(s, a, b, 10), 3.5, 0.6, 0.8, 0, 0.6 * 2.75, 0.8 * 2.75, 0);
  scene_place(s, a, 0, 0, 1.25);
  expect_contact(scene_pair(s, a, b, 10), -0.25, 0, 0, 1, 0, 0, 0.875);
  scene_place(s, a, 0, 0, 0); /* concentric: any normal, depth the sum of the radii */
  assert_true(fabs(scene_pair(s, a, b, 10)->gap + 1.5) < 1e-12);
  scene_free(s);
}

static void sphere_on_capsule_and_box_and_cylinder(void **state) {
  (void)state;
  scene *s = scene_new();
  int capsule = scene_add(s, CRD_CAPSULE, 0.5, 1, 0, false), box = scene_add(s, CRD_BOX, 1, 2, 3, false);
  int cylinder = scene_add(s, CRD_CYLINDER, 1, 2, 0, false), ball = scene_add(s, CRD_SPHERE, 0.25, 0, 0, false);
  scene_build(s);
  scene_place(s, ball, 1, 0, 0.5); /* beside the capsule */
  expect_contact(scene_pair(s, ball, capsule, 10), 0.25, 1, 0, 0, 0.625, 0, 0.5);
  scene_place(s, ball, 0, 3, 5); /* beyond its end: (0, 3, 4) from the end's centre */
  expect_contact(scene_pair(s, ball, capsule, 10), 4.25, 0, 0.6, 0.8, 0, 0.6 * 2.625, 1 + 0.8 * 2.625);
  scene_place(s, ball, 4, 6, 0); /* an edge of the box: (3, 4, 0) from it */
  expect_contact(scene_pair(s, ball, box, 10), 4.75, 0.6, 0.8, 0, 1 + 0.6 * 2.375, 2 + 0.8 * 2.375, 0);
  scene_place(s, ball, 0.1, 0, 2.5); /* centre inside: out through the nearest face, 0.5 away */
  expect_contact(scene_pair(s, ball, box, 10), -0.75, 0, 0, 1, 0.1, 0, 3 - 0.375);
  scene_place(s, ball, 4, 0, 6); /* the rim of the cylinder: (3, 0, 4) from it */
  expect_contact(scene_pair(s, ball, cylinder, 10), 4.75, 0.6, 0, 0.8, 1 + 0.6 * 2.375, 0, 2 + 0.8 * 2.375);
  scene_place(s, ball, 0, 0.9, 0); /* inside, 0.1 below the side */
  expect_contact(scene_pair(s, ball, cylinder, 10), -0.35, 0, 1, 0, 0, 1 - 0.175, 0);
  scene_free(s);
}

static void crossed_capsules(void **state) {
  (void)state;
  scene *s = scene_new();
  int b = scene_add(s, CRD_CAPSULE, 0.25, 2, 0, false), a = scene_add(s, CRD_CAPSULE, 0.5, 2, 0, false);
  scene_build(s);
  scene_turn(s, b, 0, 1, 0, 1.5707963267948966); /* b along x */
  scene_turn(s, a, 1, 0, 0, 1.5707963267948966); /* a along y */
  scene_place(s, a, 0.5, 0.25, 1);
  expect_contact(scene_pair(s, a, b, 10), 0.25, 0, 0, 1, 0.5, 0, 0.375);
  scene_place(s, a, 0.5, 0.25, 0); /* axes intersect: out along the common perpendicular */
  const crd_contact_point *c = scene_pair(s, a, b, 10);
  assert_true(fabs(c->gap + 0.75) < 1e-12 && fabs(fabs(c->normal[2]) - 1) < 1e-12);
  scene_free(s);
}

static void boxes_by_face_edge_and_corner(void **state) {
  (void)state;
  scene *s = scene_new();
  int b = scene_add(s, CRD_BOX, 1, 1, 1, false), a = scene_add(s, CRD_BOX, 1, 1, 1, false);
  scene_build(s);
  double r = sqrt(2), k = sqrt(3);
  /* edge of a, turned by 45 degrees about y, along the face of b */
  scene_turn(s, a, 0, 1, 0, 0.78539816339744831);
  scene_place(s, a, 0, 0, 1 + r - 0.1);
  assert_true(fabs(scene_pair(s, a, b, 10)->gap + 0.1) < 1e-12);
  assert_int_equal(s->count, 2);
  /* two crossed edges: b turned about x, a about y; n = z */
  scene_turn(s, b, 1, 0, 0, 0.78539816339744831);
  scene_place(s, a, 0.2, 0.3, 2 * r + 0.1);
  expect_contact(scene_pair(s, a, b, 10), 0.1, 0, 0, 1, 0.2, 0, r + 0.05);
  scene_place(s, a, 0.2, 0.3, 2 * r - 0.1);
  expect_contact(scene_pair(s, a, b, 10), -0.1, 0, 0, 1, 0.2, 0, r - 0.05);
  /* corner to corner, along the diagonal */
  double diagonal[3] = {1, 1, 1};
  scene_turn(s, b, 0, 0, 1, 0);
  scene_turn(s, a, 0, 0, 1, 0);
  crd_vec3_scale(diagonal, 2 + 0.3 / k, diagonal);
  scene_place(s, a, diagonal[0], diagonal[1], diagonal[2]);
  expect_contact(scene_pair(s, a, b, 10), 0.3, 1 / k, 1 / k, 1 / k, diagonal[0] / 2, diagonal[1] / 2, diagonal[2] / 2);
  scene_free(s);
}

static void plane_and_everything(void **state) {
  (void)state;
  scene *s = scene_new();
  int floor = scene_add(s, CRD_PLANE, 0, 0, 0, true), other = scene_add(s, CRD_PLANE, 0, 0, 0, true);
  int ball = scene_add(s, CRD_SPHERE, 0.5, 0, 0, false), egg = scene_add(s, CRD_ELLIPSOID, 1, 2, 3, false);
  scene_build(s);
  scene_place(s, floor, 0, 0, 1);
  scene_place(s, ball, 7, 8, 1.4);
  expect_contact(scene_pair(s, floor, ball, 0), -0.1, 0, 0, 1, 7, 8, 0.95);
  /* ellipsoid: lowest point at depth sqrt(n' C n) = sqrt(0.36 * 1 + 0.64 * 9) below its centre, plane turned about y */
  scene_turn(s, floor, 0, 1, 0, asin(0.6));
  scene_place(s, egg, 3, 0, 5);
  double depth = sqrt(0.36 + 0.64 * 9);
  const crd_contact_point *c = scene_pair(s, floor, egg, 10);
  assert_true(fabs(c->gap - (0.6 * 3 + 0.8 * 4 - depth)) < 1e-12);
  assert_true(fabs(c->normal[0] - 0.6) < 1e-12 && fabs(c->normal[2] - 0.8) < 1e-12);
  assert_int_equal(crd_collide_pair(s->collider, s->pos, s->R, floor, other, 1, s->contact, SCENE_CONTACTS, &s->count),
                   CRD_OK);
  assert_int_equal(s->count, 0);
  scene_free(s);
}

/* ------------------------------------------------------------------------------------------------ random pairs */

static const crd_geom_type SOLID[] = {CRD_SPHERE, CRD_CAPSULE, CRD_ELLIPSOID, CRD_CYLINDER, CRD_BOX, CRD_MESH};
enum { SOLIDS = sizeof SOLID / sizeof *SOLID };

/* Two random solids, a at the given gap from b along the normal of their distance (overlap: moved on into b). */
static scene *random_pair(random_stream *stream, crd_geom_type ta, crd_geom_type tb, double gap) {
  scene *s = scene_new();
  int b = scene_add_random(s, tb, stream), a = scene_add_random(s, ta, stream);
  scene_build(s);
  double q[4], d[3];
  random_unit_quat(stream, q);
  scene_turn_quat(s, b, q);
  random_unit_quat(stream, q);
  scene_turn_quat(s, a, q);
  random_unit_quat(stream, q);
  crd_vec3_copy(d, q + 1);
  crd_vec3_normalize(d);
  scene_place(s, a, 6 * d[0], 6 * d[1], 6 * d[2]);
  crd_contact_point c = *scene_pair(s, a, b, 20);
  crd_vec3_axpy(s->pos + 3 * a, gap - c.gap, c.normal);
  return s;
}

static void check_optimal(const scene *s, const crd_contact_point *c, double tolerance) {
  double a[3], b[3];
  crd_vec3_copy(a, c->point);
  crd_vec3_copy(b, c->point);
  crd_vec3_axpy(a, 0.5 * c->gap, c->normal);
  crd_vec3_axpy(b, -0.5 * c->gap, c->normal);
  assert_true(fabs(crd_vec3_norm(c->normal) - 1) < 1e-14);
  assert_true(scene_outside(s, c->geomA, a) < tolerance && scene_outside(s, c->geomB, b) < tolerance);
  assert_true(fabs(scene_separation(s, c->geomA, c->geomB, c->normal) - c->gap) < tolerance);
}

static void for_all_types(uint64_t seed, int repeats, double gap_low, double gap_high,
                          void (*check)(scene *s, random_stream *stream, double gap)) {
  random_stream stream = {.seed = seed};
  for (int i = 0; i < SOLIDS; i++)
    for (int j = 0; j < SOLIDS; j++)
      for (int k = 0; k < repeats; k++) {
        double gap = random_in(&stream, gap_low, gap_high);
        scene *s = random_pair(&stream, SOLID[i], SOLID[j], gap);
        check(s, &stream, gap);
        scene_free(s);
      }
}

static void check_apart(scene *s, random_stream *stream, double gap) {
  (void)stream;
  const crd_contact_point *c = scene_pair(s, 0, 1, 10);
  assert_true(fabs(c->gap - gap) < 1e-12);
  check_optimal(s, c, 1e-10);
}

static void distance_of_separated_solids_is_optimal(void **state) {
  (void)state;
  for_all_types(1, 30, 0.01, 1, check_apart);
}

static void distance_of_nearly_touching_solids_is_optimal(void **state) {
  (void)state;
  for_all_types(2, 30, 1e-6, 1e-5, check_apart);
}

/* 300 other directions do not separate the solids sooner. */
static void check_overlap(scene *s, random_stream *stream, double gap) {
  (void)gap;
  const crd_contact_point *c = scene_pair(s, 0, 1, 10);
  check_optimal(s, c, 1e-10);
  for (int k = 0; k < 300; k++) {
    double q[4], n[3], t = k % 2 ? 1 : 0.1;
    random_unit_quat(stream, q);
    for (int i = 0; i < 3; i++) n[i] = c->normal[i] * (1 - t) + t * q[i + 1];
    crd_vec3_normalize(n);
    assert_true(scene_separation(s, c->geomA, c->geomB, n) < c->gap + 1e-12);
  }
}

static void depth_of_overlapping_solids_is_the_smallest(void **state) {
  (void)state;
  for_all_types(3, 20, -0.1, -1e-4, check_overlap);
}

/* At gap 0 the normal of corner contacts is not unique; gap and points still have to be right. */
static void check_touching(scene *s, random_stream *stream, double gap) {
  (void)stream;
  const crd_contact_point *c = scene_pair(s, 0, 1, 1e-6);
  assert_true(fabs(c->gap - gap) < 2e-7);
  check_optimal(s, c, 1e-6);
}

static void touching_solids_touch(void **state) {
  (void)state;
  for_all_types(4, 20, -1e-12, 1e-12, check_touching);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_on_sphere),
      cmocka_unit_test(sphere_on_capsule_and_box_and_cylinder),
      cmocka_unit_test(crossed_capsules),
      cmocka_unit_test(boxes_by_face_edge_and_corner),
      cmocka_unit_test(plane_and_everything),
      cmocka_unit_test(distance_of_separated_solids_is_optimal),
      cmocka_unit_test(distance_of_nearly_touching_solids_is_optimal),
      cmocka_unit_test(depth_of_overlapping_solids_is_the_smallest),
      cmocka_unit_test(touching_solids_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
