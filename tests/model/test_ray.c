/* Claim: a ray meets each shape where geometry says: from outside, from inside (where it leaves), past it, parallel to
 * it. */
#include <math.h>
#include <stdio.h>

#include "model/ray.h"
#include "support/cmocka_all.h"

typedef struct ray_case {
  crd_geom_type type;
  double size[3], origin[3], direction[3], expected;
} ray_case;

#define R2 0.70710678118654752440

static const ray_case cases[] = {
    {CRD_PLANE, {0, 0, 0}, {1, 2, 3}, {0, 0, -1}, 3},
    {CRD_PLANE, {0, 0, 0}, {0, 0, 1}, {R2, 0, -R2}, 1 / R2},
    {CRD_PLANE, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}, INFINITY},
    {CRD_PLANE, {0, 0, 0}, {0, 0, -1}, {0, 0, 1}, INFINITY}, /* from below */
    {CRD_PLANE, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}, INFINITY},
    {CRD_PLANE, {2, 3, 0}, {2.5, 0, 1}, {0, 0, -1}, INFINITY}, /* past its edge */
    {CRD_PLANE, {2, 0, 0}, {1.5, 9, 1}, {0, 0, -1}, 1},        /* endless along y */
    {CRD_SPHERE, {2, 0, 0}, {-5, 0, 0}, {1, 0, 0}, 3},
    {CRD_SPHERE, {2, 0, 0}, {0, 0, 0}, {0, 1, 0}, 2},
    {CRD_SPHERE, {5, 0, 0}, {-9, 3, 0}, {1, 0, 0}, 5}, /* 3 4 5 */
    {CRD_SPHERE, {2, 0, 0}, {5, 0, 0}, {1, 0, 0}, INFINITY},
    {CRD_SPHERE, {2, 0, 0}, {-5, 2.1, 0}, {1, 0, 0}, INFINITY},
    {CRD_CAPSULE, {1, 2, 0}, {-4, 0, 1}, {1, 0, 0}, 3},
    {CRD_CAPSULE, {1, 2, 0}, {0, 0, 9}, {0, 0, -1}, 6},
    {CRD_CAPSULE, {1, 2, 0}, {0, 0, 0}, {0, 0, -1}, 3},
    {CRD_CAPSULE, {5, 2, 0}, {-9, 0, 5}, {1, 0, 0}, 5}, /* the cap at height 3 above its centre: 4 wide */
    {CRD_CAPSULE, {1, 2, 0}, {-4, 0, 3.1}, {1, 0, 0}, INFINITY},
    {CRD_CYLINDER, {1, 2, 0}, {-4, 0, 1}, {1, 0, 0}, 3},
    {CRD_CYLINDER, {1, 2, 0}, {.5, 0, 9}, {0, 0, -1}, 7},
    {CRD_CYLINDER, {1, 2, 0}, {.5, 0, 0}, {0, 0, 1}, 2},
    {CRD_CYLINDER, {1, 2, 0}, {-4, 0, 2.1}, {1, 0, 0}, INFINITY},
    {CRD_CYLINDER, {1, 2, 0}, {1.1, 0, 9}, {0, 0, -1}, INFINITY},
    {CRD_ELLIPSOID, {1, 2, 3}, {0, 0, 9}, {0, 0, -1}, 6},
    {CRD_ELLIPSOID, {1, 2, 3}, {0, 0, 0}, {0, 1, 0}, 2},
    {CRD_ELLIPSOID, {5, 5, 1}, {-9, 3, 0}, {1, 0, 0}, 5},
    {CRD_BOX, {1, 2, 3}, {-4, 1, 1}, {1, 0, 0}, 3},
    {CRD_BOX, {1, 2, 3}, {0, 0, 0}, {0, -1, 0}, 2},
    {CRD_BOX, {1, 2, 3}, {-2, 0, 0}, {R2, R2, 0}, 1 / R2},
    {CRD_BOX, {1, 2, 3}, {-4, 2.1, 0}, {1, 0, 0}, INFINITY},
    {CRD_BOX, {1, 2, 3}, {4, 0, 0}, {1, 0, 0}, INFINITY},
};

static void rays_meet_shapes_where_geometry_says(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const ray_case *c = &cases[i];
    const double found = crd_ray_shape(c->type, c->size, NULL, c->origin, c->direction);
    if (!(found == c->expected || fabs(found - c->expected) <= 1e-14 * c->expected))
      fail_msg("case %zu: %.17g, expected %.17g", i, found, c->expected);
  }
}

/* The triangle (0,0,0) (4,0,0) (0,4,0), from above and below, inside, on an edge and outside. */
static void rays_meet_triangles_from_both_sides(void **state) {
  (void)state;
  const double vert[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0}, none[3] = {0};
  const int face[3] = {0, 1, 2};
  const crd_mesh mesh = {.nvert = 3, .nface = 1, .vert = vert, .face = face};
  const double above[3] = {1, 1, 5}, below[3] = {1, 1, -5}, outside[3] = {2.1, 2, 5}, edge[3] = {2, 0, 5};
  const double down[3] = {0, 0, -1}, up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
  assert_true(crd_ray_shape(CRD_MESH, none, &mesh, above, down) == 5);
  assert_true(crd_ray_shape(CRD_MESH, none, &mesh, below, up) == 5);
  assert_true(crd_ray_shape(CRD_MESH, none, &mesh, edge, down) == 5);
  assert_true(isinf(crd_ray_shape(CRD_MESH, none, &mesh, outside, down)));
  assert_true(isinf(crd_ray_shape(CRD_MESH, none, &mesh, above, up)));
  assert_true(isinf(crd_ray_shape(CRD_MESH, none, &mesh, above, along)));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rays_meet_shapes_where_geometry_says),
                                     cmocka_unit_test(rays_meet_triangles_from_both_sides)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
