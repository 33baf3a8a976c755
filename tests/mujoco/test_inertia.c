/* Mass, centre of mass and inertia of bodies made of primitives or given directly, against MuJoCo 2.2.2, and the
 * compiler's options for them. */
#include <math.h>
#include <stdio.h>

#include "model/massprops.h"
#include "support/make_model.h"
#include "support/mujoco_load.h"

static double uniform(double low, double high, int *index) {
  return low + (high - low) * crd_random_uniform(21, 0, (uint64_t)(*index)++);
}

/* The same mechanism twice: MJCF text and builder. */
typedef struct twin {
  char xml[60000];
  size_t length;
  crd_builder *builder;
  crd_build_options options;
  int index; /* of the random numbers */
} twin;

static void CRD_PRINTF(2, 3) print(twin *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  t->length += (size_t)vsnprintf(t->xml + t->length, sizeof t->xml - t->length, format, args);
  va_end(args);
  assert_true(t->length < sizeof t->xml);
}

static void print_numbers(twin *t, const char *attribute, const double *x, int n) {
  print(t, " %s='", attribute);
  for (int i = 0; i < n; i++) print(t, "%.17g ", x[i]);
  print(t, "'");
}

static void random_pose(twin *t, double pos[3], double quat[4]) {
  for (int i = 0; i < 3; i++) pos[i] = uniform(-1, 1, &t->index);
  for (int i = 0; i < 4; i++) quat[i] = uniform(-1, 1, &t->index);
  print_numbers(t, "pos", pos, 3);
  print_numbers(t, "quat", quat, 4);
}

static void random_geom(twin *t, int body) {
  static const crd_geom_type types[] = {CRD_SPHERE, CRD_CAPSULE, CRD_ELLIPSOID, CRD_CYLINDER, CRD_BOX};
  crd_geom_def geom = crd_model_geom_default();
  geom.type = types[(int)uniform(0, 5, &t->index)];
  geom.group = (int)uniform(0, 4, &t->index);
  for (int i = 0; i < 3; i++) geom.size[i] = uniform(0.1, 1, &t->index);
  geom.has_mass = uniform(0, 1, &t->index) < 0.3;
  geom.mass = uniform(0.1, 5, &t->index);
  geom.density = uniform(100, 2000, &t->index);
  print(t, "<geom type='%s' group='%d'", crd_model_geom_type_name(geom.type), geom.group);
  print_numbers(t, "size", geom.size, 3);
  print_numbers(t, geom.has_mass ? "mass" : "density", geom.has_mass ? &geom.mass : &geom.density, 1);
  random_pose(t, geom.pos, geom.quat);
  print(t, "/>");
  crd_model_builder_geom(t->builder, body, &geom);
}

/* Moments that satisfy the triangle inequality: A = b + c, ... with positive a, b, c. */
static void random_inertial(twin *t, crd_body_def *body) {
  double a = uniform(0.1, 1, &t->index), b = uniform(0.1, 1, &t->index), c = uniform(0.1, 1, &t->index);
  double moments[6] = {b + c, a + c, a + b}, quat[4], R[9];
  body->has_inertial = true;
  body->inertial.mass = uniform(0.5, 3, &t->index);
  print(t, "<inertial");
  print_numbers(t, "mass", &body->inertial.mass, 1);
  if (uniform(0, 1, &t->index) < 0.5) {
    print_numbers(t, "diaginertia", moments, 3);
    memcpy(body->inertial.inertia, moments, sizeof moments);
    random_pose(t, body->inertial.pos, body->inertial.quat);
  } else {
    for (int i = 0; i < 4; i++) quat[i] = uniform(-1, 1, &t->index);
    crd_quat_normalize(quat);
    crd_quat_to_mat3(R, quat);
    crd_sym3_rotate(body->inertial.inertia, R, moments);
    print_numbers(t, "fullinertia", body->inertial.inertia, 6);
    for (int i = 0; i < 3; i++) body->inertial.pos[i] = uniform(-1, 1, &t->index);
    print_numbers(t, "pos", body->inertial.pos, 3);
  }
  print(t, "/>");
}

/* nbody free bodies, some with an inertial, some without, with up to five geoms each. */
static void random_bodies(twin *t, int nbody) {
  for (int i = 0; i < nbody; i++) {
    crd_body_def body = crd_model_body_default();
    print(t, "<body><freejoint/>");
    if (uniform(0, 1, &t->index) < 0.4) random_inertial(t, &body);
    int id = crd_model_builder_body(t->builder, &body), ngeom = 1 + (int)uniform(0, 5, &t->index);
    make_joint(t->builder, id, CRD_FREE, 0, 0, 0);
    for (int k = 0; k < ngeom; k++) random_geom(t, id);
    print(t, "</body>");
  }
}

static twin *begin(int seed, const char *compiler) {
  twin *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->builder = crd_model_builder_new();
  t->options = crd_model_build_default();
  t->options.mujoco_rounding = true;
  t->index = 100000 * seed;
  print(t, "<mujoco><compiler %s/><worldbody>", compiler);
  return t;
}

static void finish(twin *t) {
  print(t, "</worldbody></mujoco>");
  crd_model *ours = make_model(t->builder, &t->options);
  mjModel *theirs = mujoco_load(t->xml);
  assert_int_equal(ours->nbody, theirs->nbody);
  for (int i = 1; i < ours->nbody; i++)
    check_body_inertia(&ours->body[i], theirs->body_mass[i], theirs->body_ipos + 3 * i, theirs->body_iquat + 4 * i,
                       theirs->body_inertia + 3 * i, 1e-11);
  mjtNum mass = mj_getTotalmass(theirs);
  check_close(&ours->mass, &mass, 1, 1e-12);
  mj_deleteModel(theirs);
  crd_model_free(ours);
  crd_model_builder_free(t->builder);
  free(t);
}

static void inertia_from_geoms_where_none_is_given(void **state) {
  (void)state;
  twin *t = begin(1, "");
  random_bodies(t, 40);
  finish(t);
}

static void inertia_from_geoms_always(void **state) {
  (void)state;
  twin *t = begin(2, "inertiafromgeom='true'");
  t->options.inertia_source = CRD_INERTIA_GEOMS;
  random_bodies(t, 40);
  finish(t);
}

static void groups_outside_the_range_do_not_count(void **state) {
  (void)state;
  twin *t = begin(3, "inertiagrouprange='1 2' boundmass='0.5' boundinertia='0.01'");
  t->options.inertia_groups[0] = 1, t->options.inertia_groups[1] = 2;
  t->options.bound_mass = 0.5, t->options.bound_inertia = 0.01;
  random_bodies(t, 40);
  finish(t);
}

static void bounds_lift_small_masses_and_moments(void **state) {
  (void)state;
  twin *t = begin(4, "boundmass='1000' boundinertia='100'");
  t->options.bound_mass = 1000, t->options.bound_inertia = 100;
  random_bodies(t, 40);
  finish(t);
}

static void the_total_mass_is_set(void **state) {
  (void)state;
  twin *t = begin(5, "settotalmass='12.5'");
  t->options.total_mass = 12.5;
  random_bodies(t, 10);
  finish(t);
}

static void unbalanced_inertias_are_mended(void **state) {
  (void)state;
  twin *t = begin(6, "balanceinertia='true'");
  t->options.balance_inertia = true;
  crd_body_def body = crd_model_body_default();
  body.has_inertial = true;
  body.inertial = (crd_inertial){.mass = 2, .quat = {1, 0, 0, 0}, .inertia = {0.1, 0.2, 0.6}};
  make_joint(t->builder, crd_model_builder_body(t->builder, &body), CRD_FREE, 0, 0, 0);
  print(t, "<body><freejoint/><inertial mass='2' pos='0 0 0' diaginertia='0.1 0.2 0.6'/></body>");
  finish(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inertia_from_geoms_where_none_is_given),
      cmocka_unit_test(inertia_from_geoms_always),
      cmocka_unit_test(groups_outside_the_range_do_not_count),
      cmocka_unit_test(bounds_lift_small_masses_and_moments),
      cmocka_unit_test(the_total_mass_is_set),
      cmocka_unit_test(unbalanced_inertias_are_mended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
