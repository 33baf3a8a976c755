/* Claims: few points stay as they are; of many, the deepest and all corners of the patch are kept where there is room,
 * so that every point lies in the polygon of those kept; of a patch with too many corners the polygon is nearly as
 * large. */
#include <math.h>
#include <string.h>

#include "collide/reduce.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MANY = 200 };

static crd_contact_point at(double x, double y, double gap) {
  return (crd_contact_point){.point = {x, y, 0}, .normal = {0, 0, 1}, .gap = gap};
}

/* The points kept of `count`, none of them known before, to the front. */
static int reduce(crd_contact_point *p, int count) {
  bool known[MANY] = {false}, keep[MANY];
  int kept = 0;
  crd_patch_choose(p, count, 0, known, keep);
  for (int i = 0; i < count; i++)
    if (keep[i]) p[kept++] = p[i];
  return kept;
}

static bool is_kept(const crd_contact_point *kept, int count, double x, double y) {
  for (int i = 0; i < count; i++)
    if (kept[i].point[0] == x && kept[i].point[1] == y) return true;
  return false;
}

static void few_points_stay(void **state) {
  (void)state;
  crd_contact_point p[CRD_PATCH_POINTS];
  for (int i = 0; i < CRD_PATCH_POINTS; i++) p[i] = at(i % 4, i / 4.0, 0);
  assert_int_equal(reduce(p, CRD_PATCH_POINTS), CRD_PATCH_POINTS);
}

static void a_grid_keeps_its_corners_and_its_deepest_point(void **state) {
  (void)state;
  crd_contact_point p[MANY];
  for (int i = 0; i < MANY; i++) p[i] = at(i % 20, i / 20, i == 87 ? -1e-6 : 0);
  int count = reduce(p, MANY);
  assert_int_equal(count, 5);
  assert_true(is_kept(p, count, 0, 0) && is_kept(p, count, 19, 0) && is_kept(p, count, 0, 9) &&
              is_kept(p, count, 19, 9));
  assert_true(is_kept(p, count, 7, 4)); /* 87 */
  for (int i = 1; i < count; i++)       /* in the order they had */
    assert_true(p[i].point[1] > p[i - 1].point[1] || p[i].point[0] > p[i - 1].point[0]);
}

static void a_line_keeps_its_ends(void **state) {
  (void)state;
  crd_contact_point p[MANY];
  for (int i = 0; i < MANY; i++) p[i] = at(0.1 * i, 0.2 * i, 0);
  p[150].gap = -1e-9;
  int count = reduce(p, MANY);
  assert_true(is_kept(p, count, 0, 0) && is_kept(p, count, 0.1 * 199, 0.2 * 199));
  assert_true(count <= 3);
}

/* A regular polygon of 200 corners: the area of the polygon kept. Fifteen corners of a circle span at most 97.2 % of
 * its area; chosen one by one they reach nine tenths easily. */
static void a_round_patch_stays_nearly_as_large(void **state) {
  (void)state;
  crd_contact_point p[MANY];
  for (int i = 0; i < MANY; i++) p[i] = at(cos(6.283185307179586 * i / MANY), sin(6.283185307179586 * i / MANY), 0);
  int count = reduce(p, MANY);
  assert_true(count >= CRD_PATCH_POINTS - 1); /* the deepest point may be a corner */
  double area = 0;
  for (int i = 0; i < count; i++) {
    const double *a = p[i].point, *b = p[(i + 1) % count].point;
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  assert_true(area > 0.93 * 3.141592653589793);
}

/* Every point of a cloud whose hull has few corners lies in the polygon kept: no direction reaches further. */
static void the_hull_of_a_cloud_is_kept(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_point p[MANY], all[MANY];
    for (int i = 0; i < MANY; i++) {
      double x = random_in(&stream, -1, 1), y = random_in(&stream, -1, 1);
      if (i >= 5) x *= 0.3, y *= 0.3;
      if (i < 5) x = cos(1.3 * i) * (1 + 0.1 * x), y = sin(1.3 * i) * (1 + 0.1 * y);
      p[i] = all[i] = at(x, y, random_in(&stream, 0, 1e-6));
    }
    int count = reduce(p, MANY);
    for (int k = 0; k < 60; k++) {
      double reach = -1, kept = -1, c = cos(0.1047 * k), s = sin(0.1047 * k);
      for (int i = 0; i < MANY; i++) reach = fmax(reach, c * all[i].point[0] + s * all[i].point[1]);
      for (int i = 0; i < count; i++) kept = fmax(kept, c * p[i].point[0] + s * p[i].point[1]);
      assert_true(kept == reach);
    }
  }
}

static void coinciding_points_end(void **state) {
  (void)state;
  crd_contact_point p[MANY];
  for (int i = 0; i < MANY; i++) p[i] = at(1, 2, 0);
  assert_true(reduce(p, MANY) >= 1);
}

/* Points known from the last look stay while they are there, whatever rounding makes of the gaps; a deeper one joins,
 * and takes the place of its neighbour where there are enough. */
static void known_points_stay(void **state) {
  (void)state;
  crd_contact_point p[MANY];
  bool known[MANY] = {false}, keep[MANY];
  int kept = 0;
  for (int i = 0; i < MANY; i++)
    p[i] = at(cos(6.283185307179586 * i / MANY), sin(6.283185307179586 * i / MANY), 1e-15 * cos(7.0 * i * i));
  for (int k = 0; k < CRD_PATCH_POINTS; k++) known[5 + 12 * k] = true;
  crd_patch_choose(p, MANY, 1e-12, known, keep);
  for (int i = 0; i < MANY; i++)
    assert_int_equal(keep[i], i >= 5 && i < 5 + 12 * CRD_PATCH_POINTS && (i - 5) % 12 == 0);
  p[30].gap = -1e-9;
  crd_patch_choose(p, MANY, 1e-12, known, keep);
  for (int i = 0; i < MANY; i++) kept += keep[i];
  assert_int_equal(kept, CRD_PATCH_POINTS);
  assert_true(keep[30] && !keep[29] && keep[17] && keep[41]); /* 29 was known and is the nearest */
}

/* Few known points: the rest spans the patch. */
static void known_points_are_joined_by_those_outside(void **state) {
  (void)state;
  crd_contact_point p[MANY];
  bool known[MANY] = {false}, keep[MANY];
  for (int i = 0; i < MANY; i++) p[i] = at(i % 20, i / 20, 0);
  known[87] = known[88] = true;
  crd_patch_choose(p, MANY, 1e-12, known, keep);
  assert_true(keep[87] && keep[88] && keep[0] && keep[19] && keep[180] && keep[199]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_points_stay),
      cmocka_unit_test(a_grid_keeps_its_corners_and_its_deepest_point),
      cmocka_unit_test(a_line_keeps_its_ends),
      cmocka_unit_test(a_round_patch_stays_nearly_as_large),
      cmocka_unit_test(the_hull_of_a_cloud_is_kept),
      cmocka_unit_test(coinciding_points_end),
      cmocka_unit_test(known_points_stay),
      cmocka_unit_test(known_points_are_joined_by_those_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
