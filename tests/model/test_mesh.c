/* Meshes: volume, centre of mass, inertia, convex hull, and what is not a solid. */
#include <cradle/linalg.h>
#include <cradle/model.h>
#include <string.h>

#include "model/hull.h"
#include "model/mesh.h"
#include "support/cmocka_all.h"
#include "support/make_model.h"

static const crd_mesh_rule exact = {.inertia = CRD_MESH_EXACT}, older = {.inertia = CRD_MESH_LEGACY};

static double uniform(double low, double high, int *index) {
  return low + (high - low) * crd_random_uniform(22, 0, (uint64_t)(*index)++);
}

/* A box with half axes h about c: corners in binary order, two triangles a side. */
static void box_mesh(double vert[24], const double c[3], const double h[3]) {
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) vert[3 * i + k] = c[k] + (i >> k & 1 ? h[k] : -h[k]);
}

static const int box_faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static void a_box_mesh_equals_the_box(void **state) {
  (void)state;
  const double c[3] = {0.3, -2, 5}, h[3] = {0.5, 0.2, 0.7};
  double vert[24], volume, expected_volume = 8 * 0.5 * 0.2 * 0.7;
  double expected[6] = {(0.04 + 0.49) / 3, (0.25 + 0.49) / 3, (0.25 + 0.04) / 3, 0, 0, 0};
  crd_massprops solid;
  box_mesh(vert, c, h);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(crd_mesh_integrate(vert, 12, box_faces, i ? exact : older, &solid, &volume), CRD_OK);
    check_close(&volume, &expected_volume, 1, 1e-13);
    check_close(solid.com, c, 3, 1e-13);
    check_close(solid.inertia, expected, 6, 1e-13);
  }
}

/* Of the six sides of a box with half axes a b c, those across x have the area 4 b c and the mean squares 1 b^2/3 c^2/3
 * of (x/a)^2 y^2 z^2; the others likewise. A single triangle has, per mass, int x^2 = 1/18 and int xy = -1/36 about its
 * centroid. */
static void a_shell_has_its_mass_on_the_faces(void **state) {
  (void)state;
  const crd_mesh_rule shell = {.inertia = CRD_MESH_SHELL, .mujoco_rounding = true};
  const double c[3] = {0.3, -2, 5}, h[3] = {0.5, 0.2, 0.7};
  const double side[3] = {8 * h[1] * h[2], 8 * h[0] * h[2], 8 * h[0] * h[1]}, whole = side[0] + side[1] + side[2];
  double vert[24], area, square[3];
  crd_massprops solid;
  for (int k = 0; k < 3; k++) square[k] = h[k] * h[k] * (side[k] + (whole - side[k]) / 3) / whole;
  const double expected[6] = {square[1] + square[2], square[0] + square[2], square[0] + square[1], 0, 0, 0};
  box_mesh(vert, c, h);
  assert_int_equal(crd_mesh_integrate(vert, 12, box_faces, shell, &solid, &area), CRD_OK);
  check_close(&area, &whole, 1, 1e-14);
  check_close(solid.com, c, 3, 1e-14);
  check_close(solid.inertia, expected, 6, 1e-14);

  const double corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, half = 0.5, com[3] = {1.0 / 3, 1.0 / 3, 0};
  const double flat[6] = {1.0 / 18, 1.0 / 18, 1.0 / 9, 1.0 / 36, 0, 0};
  const int face[3] = {0, 1, 2}, none[3] = {0, 1, 1};
  assert_int_equal(crd_mesh_integrate(corner, 1, face, shell, &solid, &area), CRD_OK);
  check_close(&area, &half, 1, 1e-15);
  check_close(solid.com, com, 3, 1e-15);
  check_close(solid.inertia, flat, 6, 1e-15);
  assert_int_equal(crd_mesh_integrate(corner, 1, none, shell, &solid, &area), CRD_SINGULAR);
}

/* The tetrahedron 0, e1, e2, e3 has V = 1/6, centroid 1/4 and, per mass, int x^2 = 1/10, int xy = 1/20 about the
 * origin. */
static void a_tetrahedron_has_its_known_moments(void **state) {
  (void)state;
  const double vert[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  double volume, sixth = 1.0 / 6, com[3] = {0.25, 0.25, 0.25}, about_origin[6];
  double expected[6] = {0.2, 0.2, 0.2, -0.05, -0.05, -0.05};
  crd_massprops solid;
  assert_int_equal(crd_mesh_integrate(vert, 4, face, exact, &solid, &volume), CRD_OK);
  check_close(&volume, &sixth, 1, 1e-15);
  check_close(solid.com, com, 3, 1e-15);
  crd_massprops_about_origin(about_origin, &solid);
  check_close(about_origin, expected, 6, 1e-15);
}

/* An L of two boxes as one surface: the exact rule adds the boxes, the older one finds too much. */
static void the_exact_rule_holds_for_meshes_that_are_not_convex(void **state) {
  (void)state;
  /* profile in the x-y plane: (0,0) (4,0) (4,1) (1,1) (1,4) (0,4), extruded over z in 0..1 */
  static const double profile[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
  static const int caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}};
  double vert[36];
  int face[60], n = 0;
  for (int i = 0; i < 12; i++) {
    vert[3 * i] = profile[i % 6][0], vert[3 * i + 1] = profile[i % 6][1], vert[3 * i + 2] = i / 6;
  }
  for (int i = 0; i < 4; i++) {
    face[n++] = caps[i][0], face[n++] = caps[i][2], face[n++] = caps[i][1];
    for (int k = 0; k < 3; k++) face[n++] = caps[i][k] + 6;
  }
  for (int i = 0; i < 6; i++) {
    int j = (i + 1) % 6, side[6] = {i, j, j + 6, i, j + 6, i + 6};
    for (int k = 0; k < 6; k++) face[n++] = side[k];
  }
  /* boxes 4 x 1 x 1 and 1 x 3 x 1 */
  const double m = 4.0 / 7, m2 = 3.0 / 7;
  crd_massprops sum = {.mass = m, .com = {2, 0.5, 0.5}, .inertia = {m * 2 / 12, m * 17 / 12, m * 17 / 12}};
  crd_massprops upper = {.mass = m2, .com = {0.5, 2.5, 0.5}, .inertia = {m2 * 10 / 12, m2 * 2 / 12, m2 * 10 / 12}};
  crd_massprops solid;
  crd_massprops_add(&sum, &upper);
  double volume, seven = 7;
  assert_int_equal(crd_mesh_integrate(vert, n / 3, face, exact, &solid, &volume), CRD_OK);
  check_close(&volume, &seven, 1, 1e-14);
  check_close(solid.com, sum.com, 3, 1e-14);
  check_close(solid.inertia, sum.inertia, 6, 1e-14);
  /* The centre of mass lies outside the L, and the older rule counts the pyramids that reach outside. */
  assert_int_equal(crd_mesh_integrate(vert, n / 3, face, older, &solid, &volume), CRD_OK);
  assert_true(fabs(solid.inertia[2] - sum.inertia[2]) > 1e-3);
}

/* Is the point on the inner side of all faces? */
static bool inside(const crd_hull *hull, const double *vert, const double x[3]) {
  for (int i = 0; i < hull->nface; i++) {
    const int *f = hull->face + 3 * i;
    double a[3], b[3], d[3], n[3];
    crd_vec3_sub(a, vert + 3 * f[1], vert + 3 * f[0]);
    crd_vec3_sub(b, vert + 3 * f[2], vert + 3 * f[0]);
    crd_vec3_sub(d, x, vert + 3 * f[0]);
    crd_vec3_cross(n, a, b);
    if (crd_vec3_dot(n, d) > 1e-12) return false;
  }
  return true;
}

/* Random points: the hull holds them all, its integrals agree with counting points of a fine grid that lie inside. */
static void a_random_hull_agrees_with_counting_points(void **state) {
  (void)state;
  enum { points = 30, grid = 60 };
  if (!crd_hull_available()) skip();
  double vert[3 * points];
  int index = 0;
  for (int i = 0; i < 3 * points; i++) vert[i] = uniform(-1, 1, &index);
  crd_arena arena = {0};
  crd_hull hull;
  assert_int_equal(crd_hull_make(&hull, &arena, points, vert), CRD_OK);
  assert_int_equal(hull.nface, 2 * hull.nvert - 4); /* Euler: all faces are triangles */
  for (int i = 0; i < points; i++) assert_true(inside(&hull, vert, vert + 3 * i));
  for (int i = 1; i < hull.nvert; i++) assert_true(hull.vert[i - 1] < hull.vert[i]);

  double count = 0, first[3] = {0}, second[6] = {0};
  for (int i = 0; i < grid * grid * grid; i++) {
    double x[3] = {(2 * (i % grid) + 1.0) / grid - 1, (2 * (i / grid % grid) + 1.0) / grid - 1,
                   (2 * (i / grid / grid) + 1.0) / grid - 1};
    if (!inside(&hull, vert, x)) continue;
    count++;
    for (int k = 0; k < 3; k++) first[k] += x[k], second[k] += x[k] * x[k];
    second[3] += x[0] * x[1], second[4] += x[0] * x[2], second[5] += x[1] * x[2];
  }
  double cell = 8.0 / (grid * grid * grid), expected_volume = cell * count, volume, about_origin[6];
  double expected[6] = {
      second[1] + second[2], second[0] + second[2], second[0] + second[1], -second[3], -second[4], -second[5]};
  for (int k = 0; k < 6; k++) expected[k] /= count;
  for (int k = 0; k < 3; k++) first[k] /= count;
  crd_massprops solid;
  assert_int_equal(crd_mesh_integrate(vert, hull.nface, hull.face, exact, &solid, &volume), CRD_OK);
  crd_massprops_about_origin(about_origin, &solid);
  check_close(&volume, &expected_volume, 1, 5e-3);
  check_close(solid.com, first, 3, 5e-3);
  check_close(about_origin, expected, 6, 5e-3);
  crd_arena_free(&arena);
}

static void the_hull_of_a_box_leaves_out_what_lies_inside(void **state) {
  (void)state;
  const double c[3] = {1, 2, 3}, h[3] = {1, 1, 1};
  double vert[33] = {0};
  if (!crd_hull_available()) skip();
  box_mesh(vert, c, h);
  for (int i = 0; i < 3; i++) vert[24 + 3 * i] = 1.1, vert[25 + 3 * i] = 2, vert[26 + 3 * i] = 2.5 + 0.25 * i;
  crd_builder *builder = crd_model_builder_new();
  crd_mesh_def mesh = {.name = "box", .nvert = 11, .vert = vert};
  crd_geom_def geom = crd_model_geom_default();
  geom.type = CRD_MESH;
  geom.mesh = crd_model_builder_mesh(builder, &mesh);
  crd_model_builder_geom(builder, 0, &geom);
  crd_model *model = make_model(builder, NULL);
  assert_int_equal(model->mesh[0].nvert, 11);
  assert_int_equal(model->mesh[0].nhull, 8);
  for (int i = 0; i < 8; i++) assert_int_equal(model->mesh[0].hull[i], i);
  assert_int_equal(model->mesh[0].nface, 12); /* the hull's faces, since none were given */
  double radius = sqrt(4 + 9 + 16);
  check_close(&model->geom[0].radius, &radius, 1, 1e-15);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* A geom with a given mass has the mesh's inertia, scaled. */
static void a_given_mass_scales_the_inertia(void **state) {
  (void)state;
  const double c[3] = {0, 0, 0}, h[3] = {1, 2, 3}, mass = 6;
  double vert[24];
  box_mesh(vert, c, h);
  crd_builder *builder = crd_model_builder_new();
  crd_mesh_def mesh = {.nvert = 8, .nface = 12, .vert = vert, .face = box_faces};
  crd_geom_def geom = crd_model_geom_default();
  geom.type = CRD_MESH;
  geom.mesh = crd_model_builder_mesh(builder, &mesh);
  geom.has_mass = true;
  geom.mass = mass;
  crd_model_builder_geom(builder, make_bare_body(builder, "", 0, 0, 0, 0), &geom);
  crd_model *model = make_model(builder, NULL);
  const double unit[4] = {1, 0, 0, 0}, moments[3] = {26, 20, 10};
  check_body_inertia(&model->body[1], mass, c, unit, moments, 1e-13);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* Builds a world with one mesh geom in a free body; the status, with the message in *err. */
static crd_status build_mesh(const crd_mesh_def *mesh, bool collides, double density, crd_error *err) {
  crd_builder *builder = crd_model_builder_new();
  int body = make_bare_body(builder, "thing", 0, 0, 0, 0);
  make_geom(builder, body, CRD_SPHERE, 1, 0, 0);
  make_joint(builder, body, CRD_FREE, 0, 0, 0);
  crd_geom_def geom = crd_model_geom_default();
  geom.type = CRD_MESH;
  geom.mesh = crd_model_builder_mesh(builder, mesh);
  geom.contype = geom.conaffinity = collides;
  geom.density = density;
  crd_model_builder_geom(builder, body, &geom);
  crd_build_options options = crd_model_build_default();
  crd_model *model = NULL;
  crd_status status = crd_model_builder_build(builder, &options, &model, err);
  crd_model_free(model);
  crd_model_builder_free(builder);
  return status;
}

static void what_is_no_solid_is_refused_only_where_it_matters(void **state) {
  (void)state;
  const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, line[6] = {0, 0, 0, 1, 0, 0};
  const double tetrahedron[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int square[6] = {0, 1, 3, 0, 3, 2}, inside_out[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
  const int mixed[12] = {0, 1, 2, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  crd_mesh_def plate = {.name = "plate", .nvert = 4, .nface = 2, .vert = flat, .face = square};
  crd_mesh_def points = {.name = "points", .nvert = 2, .vert = line}, nothing = {.name = "nothing"};
  crd_mesh_def turned = {.name = "turned", .nvert = 4, .nface = 4, .vert = tetrahedron, .face = inside_out};
  crd_mesh_def twisted = {.name = "twisted", .nvert = 4, .nface = 4, .vert = tetrahedron, .face = mixed};
  const crd_mesh_def *shows[] = {&plate, &points, &nothing, &turned, &twisted};
  crd_error err;
  for (int i = 0; i < 5; i++) assert_int_equal(build_mesh(shows[i], false, 0, &err), CRD_OK);
  for (int i = 0; i < 3 && crd_hull_available(); i++) {
    assert_int_equal(build_mesh(shows[i], true, 0, &err), CRD_ERR_MODEL);
    assert_non_null(strstr(err.text, "a convex hull must have volume"));
    assert_non_null(strstr(err.text, shows[i]->name));
  }
  assert_int_equal(build_mesh(&plate, false, 1000, &err), CRD_ERR_MODEL);
  assert_string_equal(err.text,
                      "mesh \"plate\": its 2 faces enclose the volume 0, must enclose a positive one to have inertia");
  assert_int_equal(build_mesh(&turned, false, 1000, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "mesh \"turned\": its 4 faces enclose the volume -0.166667"));
  assert_int_equal(build_mesh(&twisted, false, 1000, &err), CRD_ERR_MODEL);
  assert_string_equal(err.text,
                      "mesh \"twisted\": two faces run from vertex 0 to vertex 1, faces must be oriented consistently");
  assert_int_equal(build_mesh(&points, false, 1000, &err), CRD_ERR_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_mesh_equals_the_box),
      cmocka_unit_test(a_shell_has_its_mass_on_the_faces),
      cmocka_unit_test(a_tetrahedron_has_its_known_moments),
      cmocka_unit_test(the_exact_rule_holds_for_meshes_that_are_not_convex),
      cmocka_unit_test(a_random_hull_agrees_with_counting_points),
      cmocka_unit_test(the_hull_of_a_box_leaves_out_what_lies_inside),
      cmocka_unit_test(a_given_mass_scales_the_inertia),
      cmocka_unit_test(what_is_no_solid_is_refused_only_where_it_matters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
