/* Claim: the farthest vertex of a large hull, found by climbing from neighbour to neighbour, is as far as any, on round
 * hulls, prisms with large flat faces and grids full of coplanar vertices. */
#include <cradle/collide.h>
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "collide/solid.h"
#include "support/cmocka_all.h"
#include "support/make_model.h"
#include "support/random_tree.h"

enum { MOST = 1000 };

static void expect_farthest(const double *vert, int n, uint64_t seed) {
  crd_model *model = make_hull_model(vert, n);
  const double zero[3] = {0, 0, 0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  random_stream stream = {.seed = seed};
  crd_solid solid;
  crd_solid_of_geom(&solid, model, 0, zero, R);
  assert_true(model->mesh[0].nhull > 32 && solid.first);
  for (int trial = 0; trial < 2000; trial++) {
    double d[3], x[3], farthest = -INFINITY;
    random_vector(&stream, 3, d);
    if (trial % 3 == 1) d[trial % 2] = 0; /* along faces and edges, too */
    if (trial % 7 == 1) d[0] = d[1] = 0;
    crd_solid_support(&solid, d, x);
    for (int i = 0; i < n; i++) farthest = fmax(farthest, crd_vec3_dot(vert + 3 * i, d));
    assert_true(crd_vec3_dot(x, d) >= farthest - 1e-14);
  }
  crd_model_free(model);
}

static void climbing_finds_the_farthest_vertex(void **state) {
  (void)state;
  static double vert[3 * MOST];
  random_stream stream = {.seed = 1};
  for (int i = 0; i < 600; i++) {
    random_vector(&stream, 3, vert + 3 * i);
    crd_vec3_normalize(vert + 3 * i);
  }
  expect_farthest(vert, 600, 2);
  for (int i = 0; i < 400; i++) {
    vert[3 * i] = cos(0.031415926535897934 * (i / 2)), vert[3 * i + 1] = sin(0.031415926535897934 * (i / 2));
    vert[3 * i + 2] = i % 2;
  }
  expect_farthest(vert, 400, 3);
  /* a ball of a grid: flat faces with vertices inside them and on their edges */
  int n = 0;
  for (int i = 0; i < 729; i++) {
    double x = i % 9 - 4, y = i / 9 % 9 - 4, z = i / 81 - 4;
    if (x * x + y * y + z * z > 17) continue;
    vert[3 * n] = x, vert[3 * n + 1] = y, vert[3 * n + 2] = z, n++;
  }
  expect_farthest(vert, n, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(climbing_finds_the_farthest_vertex)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
