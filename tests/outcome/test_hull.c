/* Claims: hulls of every dimension have the right vertices, size and distances, degenerate ones without moving a point;
 * spacing is what a search of all pairs finds; modes are counted; axes are found by name. */
#include <cradle/outcome.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/example_problem.h"

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.15g, expected %.15g", found, expected);
}

static double random_number(uint32_t stream, size_t i) { return crd_random_uniform(3, stream, i); }

/* Unit cube's corners and points inside, stretched by `scale` along each axis. */
static size_t box_points(int axes, const double *scale, double *point) {
  size_t count = 0, corners = (size_t)1 << axes;
  for (size_t i = 0; i < 500; i++)
    for (int a = 0; a < axes; a++) point[count++] = scale[a] * (0.05 + 0.9 * random_number((uint32_t)a, i));
  for (size_t c = 0; c < corners; c++)
    for (int a = 0; a < axes; a++) point[count++] = scale[a] * (double)((c >> a) & 1);
  return count / (size_t)axes;
}

static void a_rectangle(void **state) {
  (void)state;
  for (int thin = 0; thin < 2; thin++) {
    double scale[2] = {2, thin ? 1e-7 : 3}, point[2 * 600];
    crd_outcome_hull hull = {0};
    size_t count = box_points(2, scale, point);
    assert_int_equal(crd_outcome_hull_make(point, count, 2, NAN, &hull), CRD_OK);
    assert_int_equal(hull.dim, 2);
    assert_int_equal(hull.npoint, 4);
    assert_near(hull.measure, scale[0] * scale[1], 1e-12 * scale[0] * scale[1]);
    double twice_area = 0; /* positive: counter-clockwise */
    for (int i = 0; i < 4; i++) {
      const double *a = hull.point + 2 * i, *b = hull.point + 2 * ((i + 1) % 4);
      twice_area += a[0] * b[1] - a[1] * b[0];
      assert_memory_equal(a, point + 2 * hull.index[i], 2 * sizeof *a);
    }
    assert_near(twice_area, 2 * hull.measure, 1e-12 * hull.measure);
    if (!thin) {
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){1, 1}), -1, 1e-12);
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){1, 4}), 1, 1e-12);
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){5, 7}), 5, 1e-12);
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){2, 3}), 0, 1e-12);
    }
    crd_outcome_hull_free(&hull);
  }
}

static void a_box(void **state) {
  (void)state;
  for (int thin = 0; thin < 2; thin++) {
    double scale[3] = {1, thin ? 1e-6 : 2, 4}, point[3 * 600];
    crd_outcome_hull hull = {0};
    size_t count = box_points(3, scale, point);
    assert_int_equal(crd_outcome_hull_make(point, count, 3, NAN, &hull), CRD_OK);
    assert_int_equal(hull.dim, 3);
    assert_int_equal(hull.npoint, 8);
    assert_int_equal(hull.nface, 12);
    assert_near(hull.measure, 4 * scale[1], 1e-12 * scale[1]);
    if (!thin) {
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){0.5, 1, 3.75}), -0.25, 1e-12);
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){0.5, 1, 4.75}), 0.75, 1e-12);
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){2, 4, 6}), 3, 1e-12);
      assert_near(crd_outcome_hull_distance(&hull, (const double[]){0.3, -3, 8}), 5, 1e-12);
    }
    crd_outcome_hull_free(&hull);
  }
}

static void no_points_one_point_and_a_segment(void **state) {
  (void)state;
  crd_outcome_hull hull = {0};
  double point[3 * 100] = {0};
  assert_int_equal(crd_outcome_hull_make(point, 0, 2, NAN, &hull), CRD_OK);
  assert_int_equal(hull.dim, -1);
  assert_true(isinf(crd_outcome_hull_distance(&hull, (const double[]){0, 0})));
  for (size_t i = 0; i < 100; i++) point[2 * i] = 1, point[2 * i + 1] = 2 + 1e-13 * random_number(0, i);
  assert_int_equal(crd_outcome_hull_make(point, 100, 2, NAN, &hull), CRD_OK);
  assert_int_equal(hull.dim, 0);
  assert_int_equal(hull.npoint, 1);
  assert_true(hull.size == 0 && hull.measure == 0);
  assert_near(crd_outcome_hull_distance(&hull, (const double[]){4, 6}), 5, 1e-12);
  /* (t, 2 t, 2 t) for t in [0, 1]: length 3 */
  for (size_t i = 0; i < 100; i++) {
    double t = i == 17 ? 0 : i == 71 ? 1 : random_number(1, i);
    point[3 * i] = t, point[3 * i + 1] = point[3 * i + 2] = 2 * t;
  }
  assert_int_equal(crd_outcome_hull_make(point, 100, 3, NAN, &hull), CRD_OK);
  assert_int_equal(hull.dim, 1);
  assert_int_equal(hull.npoint, 2);
  assert_int_equal(hull.index[0] + hull.index[1], 17 + 71);
  assert_near(hull.size, 3, 1e-12);
  assert_true(hull.measure == 0);
  assert_near(crd_outcome_hull_distance(&hull, (const double[]){0.5, 1, 1}), 0, 1e-12);
  assert_near(crd_outcome_hull_distance(&hull, (const double[]){2, 4, 4}), 3, 1e-12);
  crd_outcome_hull_free(&hull);
}

/* The set of the rocking block: two segments along the axes, whose hull is a triangle with only three vertices. */
static void two_segments_make_a_triangle(void **state) {
  (void)state;
  const double most = 0.21 * 0.442944691807;
  double point[2 * 200];
  for (size_t i = 0; i < 200; i++) {
    double a = i < 2 ? most : most * random_number(2, i);
    point[2 * i] = i % 2 ? a : 0, point[2 * i + 1] = i % 2 ? 0 : a;
  }
  point[2 * 199] = point[2 * 199 + 1] = 0;
  crd_outcome_hull hull = {0};
  assert_int_equal(crd_outcome_hull_make(point, 200, 2, NAN, &hull), CRD_OK);
  assert_int_equal(hull.npoint, 3);
  assert_near(hull.measure, most * most / 2, 1e-15);
  crd_outcome_hull_free(&hull);
}

/* A square of side 1 in the plane x + y + z = 0 and points in it, turned nowhere near the axes. */
static void a_flat_set_in_space_has_an_area(void **state) {
  (void)state;
  const double e1[3] = {sqrt(0.5), -sqrt(0.5), 0}, e2[3] = {sqrt(1.0 / 6), sqrt(1.0 / 6), -sqrt(2.0 / 3)};
  double point[3 * 104];
  for (size_t i = 0; i < 104; i++) {
    double s = i < 4 ? (double)(i & 1) : random_number(4, i), t = i < 4 ? (double)(i >> 1) : random_number(5, i);
    for (int a = 0; a < 3; a++) point[3 * i + (size_t)a] = s * e1[a] + t * e2[a];
  }
  crd_outcome_hull hull = {0};
  assert_int_equal(crd_outcome_hull_make(point, 104, 3, NAN, &hull), CRD_OK);
  assert_int_equal(hull.dim, 2);
  assert_int_equal(hull.npoint, 4);
  assert_near(hull.size, 1, 1e-12);
  assert_true(hull.measure == 0);
  double above[3];
  for (int a = 0; a < 3; a++) above[a] = 0.5 * (e1[a] + e2[a]) + 2 / sqrt(3);
  assert_near(crd_outcome_hull_distance(&hull, above), 2, 1e-12);
  crd_outcome_hull_free(&hull);
}

static void coverage_compares_sizes_of_one_dimension(void **state) {
  (void)state;
  const double square[8] = {0, 0, 1, 0, 1, 1, 0, 1}, half[6] = {0, 0, 1, 0, 1, 1}, line[4] = {0, 0, 1, 1};
  crd_outcome_hull whole = {0}, part = {0}, thin = {0};
  assert_int_equal(crd_outcome_hull_make(square, 4, 2, NAN, &whole), CRD_OK);
  assert_int_equal(crd_outcome_hull_make(half, 3, 2, NAN, &part), CRD_OK);
  assert_int_equal(crd_outcome_hull_make(line, 2, 2, NAN, &thin), CRD_OK);
  assert_near(crd_outcome_hull_coverage(&part, &whole), 0.5, 1e-15);
  assert_true(crd_outcome_hull_coverage(&thin, &whole) == 0);
  crd_outcome_hull_free(&whole), crd_outcome_hull_free(&part), crd_outcome_hull_free(&thin);
}

static void bad_points_are_refused(void **state) {
  (void)state;
  const double bad[4] = {0, 0, NAN, 1};
  crd_outcome_hull hull = {0};
  double epsilon;
  assert_int_equal(crd_outcome_hull_make(bad, 2, 2, NAN, &hull), CRD_ERR_NUMBER);
  assert_int_equal(crd_outcome_hull_make(bad, 1, 4, NAN, &hull), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_outcome_spacing(bad, 2, 2, &epsilon), CRD_ERR_NUMBER);
}

static double spacing_by_all_pairs(const double *point, size_t count, int dim) {
  double most = 0;
  for (size_t i = count / 2; i < count; i++) {
    double least = INFINITY;
    for (size_t j = 0; j < count / 2; j++) {
      double sum = 0;
      for (int a = 0; a < dim; a++) {
        double d = point[(size_t)dim * i + (size_t)a] - point[(size_t)dim * j + (size_t)a];
        sum += d * d;
      }
      least = fmin(least, sum);
    }
    most = fmax(most, least);
  }
  return sqrt(most);
}

/* Spread, clustered, on a line, in more dimensions than the grid has. */
static void spacing_is_that_of_all_pairs(void **state) {
  (void)state;
  enum { COUNT = 1000, MOST = 6 };
  static double point[COUNT * MOST];
  for (int dim = 1; dim <= MOST; dim++)
    for (int kind = 0; kind < 3; kind++) {
      for (size_t i = 0; i < COUNT; i++)
        for (int a = 0; a < dim; a++) {
          double x = random_number((uint32_t)(10 + a), i + 5000 * (size_t)kind);
          point[(size_t)dim * i + (size_t)a] = kind == 0 ? x : kind == 1 ? pow(x, 9) * (a + 1) : (a == 0) * x;
        }
      double epsilon;
      assert_int_equal(crd_outcome_spacing(point, COUNT, dim, &epsilon), CRD_OK);
      assert_near(epsilon, spacing_by_all_pairs(point, COUNT, dim), 1e-15);
    }
  double same[10] = {0};
  double epsilon;
  assert_int_equal(crd_outcome_spacing(same, 10, 1, &epsilon), CRD_OK);
  assert_true(epsilon == 0);
  assert_int_equal(crd_outcome_spacing(same, 1, 1, &epsilon), CRD_OK);
  assert_true(epsilon == 0);
}

/* The block (M, J by hand in test_bound.c): v = (vx, vz, omega), A.n = vz - omega / 2, B.n = vz + omega / 2, t = vx +
 * omega. */
static void modes_and_axes_of_the_block(void **state) {
  (void)state;
  example_problem example = example_problem_open("rocking-block");
  const crd_contact_problem *problem = example.problem;
  int row_a = problem->contact[example_contact(problem, "A")].row;
  double spin = problem->J[3 * row_a + 2] < 0 ? 1 : -1; /* sense of the third velocity */
  /* at rest; pivoting on A; sliding; pivoting on A; rejected */
  double v[5 * 3] = {0, 0, 0, -0.2, 0.1, 0.2 * spin, 0.3, 0, 0, -0.4, 0.2, 0.4 * spin, 0, -1, 0};
  unsigned char ending[5] = {CRD_OUTCOME_DONE, CRD_OUTCOME_DONE, CRD_OUTCOME_DONE, CRD_OUTCOME_DONE, CRD_OUTCOME_STEPS};
  crd_outcome_set set = {.nv = 3, .nc = 2, .nrow = 4, .samples = 5, .v_plus = v, .ending = ending};
  crd_outcome_modes modes = {0};
  assert_int_equal(crd_outcome_modes_count(problem, &set, 1e-8, &modes), CRD_OK);
  assert_int_equal(modes.outcomes, 4);
  assert_int_equal(modes.count, 3);
  assert_int_equal(modes.item[0].count, 2);
  assert_int_equal(modes.item[0].sample, 1);
  assert_int_equal(modes.item[0].mode[example_contact(problem, "A")], CRD_MODE_STICK);
  assert_int_equal(modes.item[0].mode[example_contact(problem, "B")], CRD_MODE_SEPARATE);
  assert_int_equal(modes.item[1].sample, 0);
  assert_int_equal(modes.item[1].mode[0], CRD_MODE_STICK);
  assert_int_equal(modes.item[2].mode[0], CRD_MODE_SLIP);
  crd_outcome_modes_free(&modes);

  crd_outcome_axis axis[2], other;
  crd_arena arena = {0};
  double *point;
  uint64_t *sample;
  size_t count;
  assert_int_equal(crd_outcome_axis_default(problem, axis), 2);
  assert_string_equal(axis[0].name, "A.n");
  assert_string_equal(axis[1].name, "B.n");
  assert_int_equal(crd_outcome_axis_find(problem, "B.n", &axis[0]), CRD_OK);
  assert_int_equal(crd_outcome_axis_find(problem, "v[1]", &axis[1]), CRD_OK);
  assert_int_equal(crd_outcome_points(problem, &set, axis, 2, &arena, &point, &sample, &count), CRD_OK);
  assert_int_equal(count, 4);
  assert_int_equal(sample[3], 3);
  assert_near(point[2], 0.2, 1e-12);
  assert_near(point[3], 0.1, 1e-12);
  crd_arena_free(&arena);
  static const char *const bad[] = {"C.n", "A", "A.t2", "A.x", "v[3]", "v[-1]", "v[", "v[1]x", ""};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(crd_outcome_axis_find(problem, bad[i], &other), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_outcome_axis_find(problem, "A.t", &other), CRD_OK);
  example_problem_close(&example);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rectangle),
      cmocka_unit_test(a_box),
      cmocka_unit_test(no_points_one_point_and_a_segment),
      cmocka_unit_test(two_segments_make_a_triangle),
      cmocka_unit_test(a_flat_set_in_space_has_an_area),
      cmocka_unit_test(coverage_compares_sizes_of_one_dimension),
      cmocka_unit_test(bad_points_are_refused),
      cmocka_unit_test(spacing_is_that_of_all_pairs),
      cmocka_unit_test(modes_and_axes_of_the_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
