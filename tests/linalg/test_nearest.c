/* Claims: nearest points of boxes, half spaces, corners and lines are those of geometry; an empty polyhedron is named;
 * rows that repeat each other change nothing; on random polyhedra the point is feasible and no other is nearer
 * (Karush-Kuhn-Tucker by sampling). */
#include "linalg/nearest.h"

#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MAX_N = 8, MAX_ROWS = 60 };

static crd_status nearest(int n, int equal, int rows, const double *K, const double *h, double *x) {
  double room[2 * MAX_N * MAX_N + 6 * (MAX_N + 1) + 2 * MAX_ROWS];
  assert_true(crd_nearest_room(n, rows) <= sizeof room / sizeof *room);
  crd_polyhedron polyhedron = {.n = n, .equal = equal, .rows = rows, .K = K, .h = h};
  return crd_nearest_point(&polyhedron, room, x);
}

static void assert_point(const double *x, double a, double b) {
  assert_true(fabs(x[0] - a) < 1e-14 && fabs(x[1] - b) < 1e-14);
}

static void a_point_inside_stays(void **state) {
  (void)state;
  const double K[4] = {1, 0, 0, 1}, h[2] = {0, 0};
  double x[2] = {2, 3};
  assert_int_equal(nearest(2, 0, 2, K, h, x), CRD_OK);
  assert_point(x, 2, 3);
  assert_int_equal(nearest(2, 0, 0, K, h, x), CRD_OK);
  assert_point(x, 2, 3);
}

static void planes_and_corners_are_met_at_right_angles(void **state) {
  (void)state;
  const double K[4] = {1, 0, 0, 1}, h[2] = {0, 0}, slanted[2] = {3, 4}, five[1] = {25};
  double edge[2] = {-1, 2}, corner[2] = {-1, -2}, origin[2] = {0, 0};
  assert_int_equal(nearest(2, 0, 2, K, h, edge), CRD_OK);
  assert_point(edge, 0, 2);
  assert_int_equal(nearest(2, 0, 2, K, h, corner), CRD_OK);
  assert_point(corner, 0, 0);
  assert_int_equal(nearest(2, 0, 1, slanted, five, origin), CRD_OK); /* 3 x + 4 y >= 25: at distance 5 */
  assert_point(origin, 3, 4);
}

/* x + y = 2, x >= 3/2 from the origin: (1, 1) without the bound, (3/2, 1/2) with it. From far beyond the line, too. */
static void equations_hold_exactly(void **state) {
  (void)state;
  const double K[4] = {1, 1, 1, 0}, h[2] = {2, 1.5};
  double x[2] = {0, 0}, y[2] = {0, 0}, z[2] = {9, 9};
  assert_int_equal(nearest(2, 1, 1, K, h, x), CRD_OK);
  assert_point(x, 1, 1);
  assert_int_equal(nearest(2, 1, 2, K, h, y), CRD_OK);
  assert_point(y, 1.5, 0.5);
  assert_int_equal(nearest(2, 1, 2, K, h, z), CRD_OK);
  assert_point(z, 1.5, 0.5);
}

/* From the origin x + y >= 4 leads to (2, 2); then x >= 5 moves along that line until its multiplier vanishes, at
 * (4, 0), and on to (5, 0) without it. */
static void rows_that_have_done_their_work_are_dropped(void **state) {
  (void)state;
  const double K[4] = {1, 1, 0.5, 0}, h[2] = {4, 2.5};
  double x[2] = {0, 0};
  assert_int_equal(nearest(2, 0, 2, K, h, x), CRD_OK);
  assert_point(x, 5, 0);
}

static void contradictions_are_named_and_the_point_is_kept(void **state) {
  (void)state;
  const double apart[4] = {1, 0, -1, 0}, gap[2] = {1, 0}, parallel[4] = {1, 1, 2, 2}, other[2] = {1, 3};
  const double triangle[6] = {1, 0, 0, 1, -1, -1}, small[3] = {0, 0, 1}, zero[2] = {0, 0}, one[1] = {1};
  double x[2] = {5, 7};
  assert_int_equal(nearest(2, 0, 2, apart, gap, x), CRD_NO_SOLUTION);      /* x >= 1 and x <= 0 */
  assert_int_equal(nearest(2, 2, 2, parallel, other, x), CRD_NO_SOLUTION); /* x + y = 1 and 3/2 */
  assert_int_equal(nearest(2, 0, 3, triangle, small, x), CRD_NO_SOLUTION); /* x, y >= 0, x + y <= -1 */
  assert_int_equal(nearest(2, 0, 1, zero, one, x), CRD_NO_SOLUTION);       /* 0 >= 1 */
  assert_point(x, 5, 7);
}

static void repeated_rows_change_nothing(void **state) {
  (void)state;
  double K[20], h[10], x[2] = {-3, -1};
  for (int i = 0; i < 10; i++) K[2 * i] = 1 + i, K[2 * i + 1] = 1 + i, h[i] = 2 * (1 + i); /* x + y >= 2 */
  assert_int_equal(nearest(2, 2, 10, K, h, x), CRD_OK);
  assert_point(x, 0, 2);
}

/* No point of the polyhedron is nearer: x0 - x makes no acute angle with any direction from x into it. */
static void random_points_are_nearest(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2000; seed++) {
    random_stream stream = {.seed = 180000 + seed};
    int n = random_int(&stream, 1, MAX_N), rows = random_int(&stream, 1, MAX_ROWS),
        equal = random_int(&stream, 0, n / 2);
    double K[MAX_N * MAX_ROWS], h[MAX_ROWS], inside[MAX_N], x0[MAX_N], x[MAX_N],
        scale = pow(10, random_int(&stream, -9, 9));
    if (equal > rows) equal = rows;
    random_vector(&stream, n, inside), random_vector(&stream, n, x0);
    for (int j = 0; j < n; j++) inside[j] *= scale, x0[j] *= 3 * scale, x[j] = x0[j];
    for (int i = 0; i < rows; i++) {
      random_vector(&stream, n, K + i * n);
      h[i] = i < equal ? 0 : -scale * random_in(&stream, 0, 0.5);
      for (int j = 0; j < n; j++) h[i] += K[i * n + j] * inside[j];
    }
    assert_int_equal(nearest(n, equal, rows, K, h, x), CRD_OK);
    double angle = 0;
    for (int j = 0; j < n; j++) angle += (x0[j] - x[j]) * (inside[j] - x[j]);
    assert_true(angle <= 1e-9 * scale * scale);
    for (int i = 0; i < rows; i++) {
      double value = -h[i];
      for (int j = 0; j < n; j++) value += K[i * n + j] * x[j];
      assert_true(i < equal ? fabs(value) <= 1e-10 * scale : value >= -1e-10 * scale);
    }
    /* the multipliers exist if x is nearest to every point on the way back to x0, too */
    double half[MAX_N];
    for (int j = 0; j < n; j++) half[j] = 0.5 * (x0[j] + x[j]);
    assert_int_equal(nearest(n, equal, rows, K, h, half), CRD_OK);
    assert_true(max_difference(half, x, n) <= 1e-8 * scale);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_inside_stays),
      cmocka_unit_test(planes_and_corners_are_met_at_right_angles),
      cmocka_unit_test(equations_hold_exactly),
      cmocka_unit_test(rows_that_have_done_their_work_are_dropped),
      cmocka_unit_test(contradictions_are_named_and_the_point_is_kept),
      cmocka_unit_test(repeated_rows_change_nothing),
      cmocka_unit_test(random_points_are_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
