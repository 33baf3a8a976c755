/* Claims: face contacts are reported with every corner of the patch, each with its own gap; edge contacts with two
 * points, corner contacts with one. All positions follow from the drawing. */
#include <cradle/linalg.h>

#include "support/cmocka_all.h"
#include "support/scene.h"

static const double RIGHT_ANGLE = 1.5707963267948966;

/* Is there a contact at (x, y, z) with this gap? Its place in the list, or failure. */
static int find(const scene *s, double x, double y, double z, double gap) {
  double p[3] = {x, y, z};
  for (int i = 0; i < s->count; i++)
    if (max_difference(s->contact[i].point, p, 3) < 1e-9 && fabs(s->contact[i].gap - gap) < 1e-9) return i;
  for (int i = 0; i < s->count; i++)
    print_message("  contact at %.9g %.9g %.9g gap %.9g\n", s->contact[i].point[0], s->contact[i].point[1],
                  s->contact[i].point[2], s->contact[i].gap);
  fail_msg("no contact at %g %g %g with gap %g", x, y, z, gap);
  return -1;
}

static void box_on_plane_touches_with_four_corners(void **state) {
  (void)state;
  scene *s = scene_new();
  int floor = scene_add(s, CRD_PLANE, 0, 0, 0, true), box = scene_add(s, CRD_BOX, 1, 2, 0.5, false);
  scene_build(s);
  scene_place(s, box, 0, 0, 0.49);
  scene_pair(s, floor, box, 0);
  assert_int_equal(s->count, 4);
  for (int k = 0; k < 4; k++) find(s, k & 1 ? 1 : -1, k & 2 ? 2 : -2, -0.005, -0.01);
  /* tilted about y by a: two corners stay, at their own depths */
  double a = 0.1, low = 0.5 * cos(a) + sin(a);
  scene_turn(s, box, 0, 1, 0, a);
  scene_place(s, box, 0, 0, low);
  scene_pair(s, floor, box, 1e-9);
  assert_int_equal(s->count, 2);
  find(s, cos(a) - 0.5 * sin(a), 2, 0, 0);
  scene_pair(s, floor, box, 1); /* a look further ahead sees the other two */
  assert_int_equal(s->count, 4);
  find(s, -cos(a) - 0.5 * sin(a), 2, sin(a), 2 * sin(a));
  scene_free(s);
}

static void capsule_and_cylinder_on_plane(void **state) {
  (void)state;
  scene *s = scene_new();
  int floor = scene_add(s, CRD_PLANE, 0, 0, 0, true), capsule = scene_add(s, CRD_CAPSULE, 0.1, 1, 0, false);
  int cylinder = scene_add(s, CRD_CYLINDER, 0.3, 1, 0, false);
  scene_build(s);
  scene_turn(s, capsule, 0, 1, 0, RIGHT_ANGLE);
  scene_place(s, capsule, 0, 0, 0.1);
  scene_pair(s, floor, capsule, 1e-9);
  assert_int_equal(s->count, 2);
  assert_int_equal(find(s, -1, 0, 0, 0), 0);
  assert_int_equal(find(s, 1, 0, 0, 0), 1);

  scene_place(s, cylinder, 0, 0, 1); /* standing: four points of the rim */
  scene_pair(s, floor, cylinder, 1e-9);
  assert_int_equal(s->count, 4);
  find(s, 0.3, 0, 0, 0), find(s, -0.3, 0, 0, 0), find(s, 0, 0.3, 0, 0), find(s, 0, -0.3, 0, 0);
  scene_turn(s, cylinder, 0, 1, 0, RIGHT_ANGLE); /* lying: two */
  scene_place(s, cylinder, 0, 0, 0.3);
  scene_pair(s, floor, cylinder, 1e-9);
  assert_int_equal(s->count, 2);
  find(s, -1, 0, 0, 0), find(s, 1, 0, 0, 0);
  double a = 0.5; /* on its rim: one, at the lowest point */
  scene_turn(s, cylinder, 0, 1, 0, a);
  scene_place(s, cylinder, 0, 0, cos(a) + 0.3 * sin(a));
  scene_pair(s, floor, cylinder, 1e-9);
  assert_int_equal(s->count, 1);
  find(s, 0.3 * cos(a) - sin(a), 0, 0, 0);
  scene_free(s);
}

static void mesh_on_plane_touches_with_its_lowest_vertices(void **state) {
  (void)state;
  const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  scene *s = scene_new();
  int floor = scene_add(s, CRD_PLANE, 0, 0, 0, true), tetrahedron = scene_add_tetrahedron(s, corner, false);
  scene_build(s);
  scene_place(s, tetrahedron, 5, 0, 1e-7);
  scene_pair(s, floor, tetrahedron, 1e-6);
  assert_int_equal(s->count, 3);
  find(s, 5, 0, 0.5e-7, 1e-7), find(s, 6, 0, 0.5e-7, 1e-7), find(s, 5, 1, 0.5e-7, 1e-7);
  scene_free(s);
}

static void stacked_boxes_share_the_overlap_of_their_faces(void **state) {
  (void)state;
  scene *s = scene_new();
  int low = scene_add(s, CRD_BOX, 1, 1, 1, false), top = scene_add(s, CRD_BOX, 0.5, 0.5, 0.5, false);
  scene_build(s);
  scene_place(s, top, 0, 0, 1.5); /* inside */
  scene_pair(s, low, top, 1e-9);
  assert_int_equal(s->count, 4);
  for (int k = 0; k < 4; k++) find(s, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, 1, 0);
  scene_place(s, top, 1, 1, 1.4); /* hanging over a corner: a square of 0.5 x 0.5 */
  scene_pair(s, low, top, 1e-9);
  assert_int_equal(s->count, 4);
  for (int k = 0; k < 4; k++) find(s, k & 1 ? 0.5 : 1, k & 2 ? 0.5 : 1, 0.95, -0.1);
  scene_turn(s, top, 0, 0, 1, 0.5 * RIGHT_ANGLE); /* turned by 45 degrees over an edge: a triangle cut by the edge */
  scene_place(s, top, 1, 0, 1.5);
  scene_pair(s, low, top, 1e-9);
  double r = sqrt(0.5);
  assert_int_equal(s->count, 3);
  find(s, 1 - r, 0, 1, 0), find(s, 1, r, 1, 0), find(s, 1, -r, 1, 0);
  /* the same cube on an equal one, flush: the corners coincide and count once */
  scene_free(s);
  s = scene_new();
  low = scene_add(s, CRD_BOX, 1, 1, 1, false), top = scene_add(s, CRD_BOX, 1, 1, 1, false);
  scene_build(s);
  scene_place(s, top, 0, 0, 2);
  scene_pair(s, low, top, 1e-9);
  assert_int_equal(s->count, 4);
  scene_free(s);
}

static void tilted_box_on_box_has_its_own_gap_at_every_corner(void **state) {
  (void)state;
  scene *s = scene_new();
  int low = scene_add(s, CRD_BOX, 5, 5, 1, true), top = scene_add(s, CRD_BOX, 1, 1, 1, false);
  scene_build(s);
  double a = 0.01;
  scene_turn(s, top, 0, 1, 0, a);
  scene_place(s, top, 0, 0, 1 + cos(a) + sin(a));
  scene_pair(s, low, top, 1e-9);
  assert_int_equal(s->count, 2);
  find(s, cos(a) - sin(a), 1, 1, 0);
  scene_pair(s, low, top, 0.1);
  assert_int_equal(s->count, 4);
  find(s, -cos(a) - sin(a), -1, 1 + sin(a), 2 * sin(a));
  scene_free(s);
}

static void cylinder_ends_on_boxes_and_each_other(void **state) {
  (void)state;
  scene *s = scene_new();
  int box = scene_add(s, CRD_BOX, 1, 1, 1, false), cylinder = scene_add(s, CRD_CYLINDER, 0.5, 1, 0, false);
  int big = scene_add(s, CRD_CYLINDER, 2, 1, 0, false);
  scene_build(s);
  scene_place(s, cylinder, 0, 0, 2); /* within the face: four points of the rim */
  scene_pair(s, box, cylinder, 1e-9);
  assert_int_equal(s->count, 4);
  find(s, 0.5, 0, 1, 0);
  scene_place(s, cylinder, 1, 0, 2); /* half over the edge x = 1: rim left, and where the edge cuts the rim */
  scene_pair(s, box, cylinder, 1e-9);
  find(s, 0.5, 0, 1, 0), find(s, 1, 0.5, 1, 0), find(s, 1, -0.5, 1, 0);
  assert_int_equal(s->count, 3);
  scene_place(s, big, 0, 0, 2); /* wider than the box: the box's corners */
  scene_pair(s, box, big, 1e-9);
  assert_int_equal(s->count, 4);
  find(s, -1, -1, 1, 0);
  scene_place(s, cylinder, 2, 0, 4); /* disk on disk: rims cross at x = 2 - 1/32 */
  scene_pair(s, big, cylinder, 1e-9);
  double x = 2 - 0.0625, y = sqrt(4 - x * x);
  find(s, x, y, 3, 0), find(s, x, -y, 3, 0), find(s, 1.5, 0, 3, 0), find(s, 2, 0, 3, 0);
  scene_free(s);
}

static void lying_solids_touch_along_a_line(void **state) {
  (void)state;
  scene *s = scene_new();
  int box = scene_add(s, CRD_BOX, 1, 1, 1, true), capsule = scene_add(s, CRD_CAPSULE, 0.1, 2, 0, false);
  int cylinder = scene_add(s, CRD_CYLINDER, 0.2, 0.5, 0, false), other = scene_add(s, CRD_CAPSULE, 0.3, 1, 0, false);
  scene_build(s);
  scene_turn(s, capsule, 0, 1, 0, RIGHT_ANGLE);
  scene_turn(s, cylinder, 0, 1, 0, RIGHT_ANGLE);
  scene_turn(s, other, 0, 1, 0, RIGHT_ANGLE);
  scene_place(s, capsule, 0, 0, 1.1); /* longer than the box: cut at its edges */
  scene_pair(s, box, capsule, 1e-9);
  assert_int_equal(s->count, 2);
  find(s, -1, 0, 1, 0), find(s, 1, 0, 1, 0);
  scene_place(s, cylinder, 0.1, 0, 1.2);
  scene_pair(s, box, cylinder, 1e-9);
  assert_int_equal(s->count, 2);
  find(s, -0.4, 0, 1, 0), find(s, 0.6, 0, 1, 0);
  scene_place(s, other, 2, 0, 1.5); /* parallel capsules, overlapping from 1 to 2 */
  scene_pair(s, capsule, other, 1e-9);
  assert_int_equal(s->count, 2);
  find(s, 1, 0, 1.2, 0), find(s, 2, 0, 1.2, 0);
  scene_place(s, other, 0.1, 0, 1.7); /* capsule along the cylinder */
  scene_pair(s, cylinder, other, 1e-9);
  assert_int_equal(s->count, 2);
  find(s, -0.4, 0, 1.4, 0), find(s, 0.6, 0, 1.4, 0);
  scene_free(s);
}

static void mesh_faces_match_box_faces(void **state) {
  (void)state;
  const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  scene *s = scene_new();
  int box = scene_add(s, CRD_BOX, 2, 2, 1, true), mesh = scene_add_tetrahedron(s, corner, false);
  scene_build(s);
  scene_place(s, mesh, 1.5, 0, 0.99); /* the triangle hangs over x = 2 */
  scene_pair(s, box, mesh, 1e-9);
  assert_int_equal(s->count, 4);
  find(s, 1.5, 0, 0.995, -0.01), find(s, 1.5, 1, 0.995, -0.01), find(s, 2, 0, 0.995, -0.01),
      find(s, 2, 0.5, 0.995, -0.01);
  scene_free(s);
}

/* A capsule askew on another one, low at one end: the other end is seen too, with its own gap, normal and point,
 * although the gap has one minimum only. Distances are those of the ends from the lower one's axis, the x axis. */
static void capsule_askew_on_a_capsule_is_seen_at_both_ends(void **state) {
  (void)state;
  scene *s = scene_new();
  int lower = scene_add(s, CRD_CAPSULE, 0.1, 1, 0, true), upper = scene_add(s, CRD_CAPSULE, 0.1, 0.5, 0, false);
  double a = 0.05, b = 0.05, y = 0.5 * cos(a) * sin(b), low = sqrt(0.04 - y * y), high = low + sin(a);
  double far = hypot(y, high);
  scene_build(s);
  scene_turn(s, lower, 0, 1, 0, RIGHT_ANGLE);
  scene_turn(s, upper, -sin(b), cos(b), 0, RIGHT_ANGLE + a);
  scene_place(s, upper, 0, 0, low + 0.5 * sin(a));
  scene_pair(s, lower, upper, 1e-9);
  assert_int_equal(s->count, 1);
  scene_pair(s, lower, upper, 0.1);
  assert_int_equal(s->count, 2);
  find(s, 0.5 * cos(a) * cos(b), y / 2, low / 2, 0);
  find(s, -0.5 * cos(a) * cos(b), -y / 2, high / 2, far - 0.2);
  /* across each other they touch in one point, whatever lies within the distance */
  scene_turn(s, upper, 1, 0, 0, RIGHT_ANGLE);
  scene_place(s, upper, 0, 0, 0.2);
  scene_pair(s, lower, upper, 1);
  assert_int_equal(s->count, 1);
  scene_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(capsule_askew_on_a_capsule_is_seen_at_both_ends),
      cmocka_unit_test(box_on_plane_touches_with_four_corners),
      cmocka_unit_test(capsule_and_cylinder_on_plane),
      cmocka_unit_test(mesh_on_plane_touches_with_its_lowest_vertices),
      cmocka_unit_test(stacked_boxes_share_the_overlap_of_their_faces),
      cmocka_unit_test(tilted_box_on_box_has_its_own_gap_at_every_corner),
      cmocka_unit_test(cylinder_ends_on_boxes_and_each_other),
      cmocka_unit_test(lying_solids_touch_along_a_line),
      cmocka_unit_test(mesh_faces_match_box_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
