/* Centre of mass and inertia of mesh geoms against MuJoCo 2.2.2; by signed volumes also the mass that a density gives. By
 * the older rule density meant another volume then (of the box with the same inertia): tests/mujoco3 compares that. */
#include "support/cmocka_all.h"

#include <cradle/linalg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/hull.h"
#include "support/make_model.h"
#include "support/mujoco_load.h"

static double uniform(int *index) { return crd_random_uniform(20, 0, (uint64_t)(*index)++); }

/* A star-shaped, in general not convex mesh: an octahedron whose faces are split once, with random radii. */
typedef struct star {
  double vert[18 * 3];
  int face[32 * 3], nvert, nface;
} star;

static int middle(star *s, int ids[18][18], int i, int j, int *index) {
  int a = i < j ? i : j, b = i < j ? j : i;
  if (ids[a][b] == 0) {
    double p[3], radius = 0.5 + uniform(index);
    for (int k = 0; k < 3; k++) p[k] = s->vert[3 * i + k] + s->vert[3 * j + k];
    double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int k = 0; k < 3; k++) s->vert[3 * s->nvert + k] = crd_round_to_float(p[k] / norm * radius);
    ids[a][b] = s->nvert++;
  }
  return ids[a][b];
}

static star make_star(int *index) {
  static const int octahedron[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                       {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  star s = {.nvert = 6};
  int ids[18][18] = {{0}};
  for (int i = 0; i < 6; i++) s.vert[3 * i + i / 2] = crd_round_to_float((i % 2 ? -1 : 1) * (0.5 + uniform(index)));
  for (int f = 0; f < 8; f++) {
    const int *v = octahedron[f];
    int m[3];
    for (int j = 0; j < 3; j++) m[j] = middle(&s, ids, v[j], v[(j + 1) % 3], index);
    int split[4][3] = {{v[0], m[0], m[2]}, {m[0], v[1], m[1]}, {m[2], m[1], v[2]}, {m[0], m[1], m[2]}};
    memcpy(s.face + 3 * s.nface, split, sizeof split);
    s.nface += 4;
  }
  return s;
}

static int print_mesh(char *out, size_t size, const star *s, bool faces) {
  int at = snprintf(out, size, "<mesh name='m' vertex='");
  for (int i = 0; i < 3 * s->nvert; i++) at += snprintf(out + at, size - (size_t)at, "%.9g ", s->vert[i]);
  if (faces) {
    at += snprintf(out + at, size - (size_t)at, "' face='");
    for (int i = 0; i < 3 * s->nface; i++) at += snprintf(out + at, size - (size_t)at, "%d ", s->face[i]);
  }
  return at + snprintf(out + at, size - (size_t)at, "'/>");
}

static void compare_star(int *index, bool exact, bool faces, double mass) {
  star s = make_star(index);
  char xml[20000], mesh[10000], given[100] = "density='700'";
  print_mesh(mesh, sizeof mesh, &s, faces);
  if (mass > 0) snprintf(given, sizeof given, "mass='%.17g'", mass);
  double pos[3], quat[4];
  for (int i = 0; i < 3; i++) pos[i] = uniform(index) - 0.5;
  for (int i = 0; i < 4; i++) quat[i] = uniform(index) - 0.5;
  snprintf(xml, sizeof xml,
           "<mujoco><compiler exactmeshinertia='%s'/><asset>%s</asset><worldbody><body><freejoint/><geom type='mesh' "
           "mesh='m' %s pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'/></body></worldbody></mujoco>",
           exact ? "true" : "false", mesh, given, pos[0], pos[1], pos[2], quat[0], quat[1], quat[2], quat[3]);

  crd_builder *builder = crd_model_builder_new();
  int body = make_bare_body(builder, "", 0, 0, 0, 0);
  make_joint(builder, body, CRD_FREE, 0, 0, 0);
  crd_mesh_def mesh_def = {.nvert = s.nvert,
                           .vert = s.vert,
                           .nface = faces ? s.nface : 0,
                           .face = faces ? s.face : NULL,
                           .inertia = exact ? CRD_MESH_EXACT : CRD_MESH_LEGACY};
  crd_geom_def geom = crd_model_geom_default();
  geom.type = CRD_MESH;
  geom.mesh = crd_model_builder_mesh(builder, &mesh_def);
  geom.density = 700;
  geom.has_mass = mass > 0;
  geom.mass = mass;
  memcpy(geom.pos, pos, sizeof pos);
  memcpy(geom.quat, quat, sizeof quat);
  crd_model_builder_geom(builder, body, &geom);
  crd_build_options options = crd_model_build_default();
  options.mujoco_rounding = true;
  crd_model *ours = make_model(builder, &options);
  mjModel *theirs = mujoco_load(xml);
  check_body_inertia(&ours->body[1], theirs->body_mass[1], theirs->body_ipos + 3, theirs->body_iquat + 4,
                     theirs->body_inertia + 3, 1e-9);
  mj_deleteModel(theirs);
  crd_model_free(ours);
  crd_model_builder_free(builder);
}

static void mesh_inertia_by_the_older_rule_agrees(void **state) {
  (void)state;
  int index = 0;
  for (int i = 0; i < 20; i++) compare_star(&index, false, true, 3);
}

static void mesh_inertia_by_signed_volumes_agrees(void **state) {
  (void)state;
  int index = 10000;
  for (int i = 0; i < 20; i++) compare_star(&index, true, true, 0);
  compare_star(&index, true, true, 3);
}

static void a_mesh_without_faces_is_its_hull(void **state) {
  (void)state;
  int index = 20000;
  if (!crd_hull_available()) skip();
  for (int i = 0; i < 5; i++) compare_star(&index, false, false, 3);
  for (int i = 0; i < 5; i++) compare_star(&index, true, false, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mesh_inertia_by_the_older_rule_agrees),
      cmocka_unit_test(mesh_inertia_by_signed_volumes_agrees),
      cmocka_unit_test(a_mesh_without_faces_is_its_hull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
