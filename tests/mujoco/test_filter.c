/* The rules of who may collide with whom, against MuJoCo's: random trees of balls that all overlap, so that every pair
 * that may collide does. */
#include <stdio.h>

#include "support/make_model.h"
#include "support/mujoco_load.h"
#include "support/random_tree.h"

enum { NBODY = 14 };

typedef struct twin {
  char xml[20000];
  size_t length;
  crd_builder *builder;
  random_stream stream;
  int parent[NBODY + 1];
} twin;

static void CRD_PRINTF(2, 3) print(twin *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  t->length += (size_t)vsnprintf(t->xml + t->length, sizeof t->xml - t->length, format, args);
  va_end(args);
  assert_true(t->length < sizeof t->xml);
}

static void add_ball(twin *t, int body) {
  crd_geom_def geom = crd_model_geom_default();
  geom.size[0] = 5;
  geom.contype = random_int(&t->stream, 0, 3);
  geom.conaffinity = random_int(&t->stream, 0, 3);
  int id = crd_model_builder_geom(t->builder, body, &geom);
  print(t, "<geom name='g%d' size='5' contype='%d' conaffinity='%d'/>", id, geom.contype, geom.conaffinity);
}

/* Body i and, nested in it, its children. */
static void add_body(twin *t, int i) {
  double x = random_in(&t->stream, -0.1, 0.1), y = random_in(&t->stream, -0.1, 0.1);
  int id = make_bare_body(t->builder, "", t->parent[i], x, y, 0);
  assert_int_equal(id, i);
  print(t, "<body name='b%d' pos='%.17g %.17g 0'>", i, x, y);
  if (random_in(&t->stream, 0, 1) < 0.6) {
    make_joint(t->builder, i, CRD_HINGE, 0, 0, 1);
    print(t, "<joint axis='0 0 1'/>");
  }
  add_ball(t, i);
  if (random_in(&t->stream, 0, 1) < 0.3) add_ball(t, i);
  for (int child = i + 1; child <= NBODY; child++)
    if (t->parent[child] == i) add_body(t, child);
  print(t, "</body>");
}

static void add_pairs(twin *t, int ngeom) {
  print(t, "</worldbody><contact>");
  for (int i = 0; i < 4; i++) {
    crd_pair_def pair = crd_model_pair_default();
    pair.geom1 = random_int(&t->stream, 0, ngeom - 1);
    pair.geom2 = (pair.geom1 + random_int(&t->stream, 1, ngeom - 1)) % ngeom;
    crd_model_builder_pair(t->builder, &pair);
    print(t, "<pair geom1='g%d' geom2='g%d'/>", pair.geom1, pair.geom2);
    int first = random_int(&t->stream, 1, NBODY - 1), second = random_int(&t->stream, first + 1, NBODY);
    crd_model_builder_exclude(t->builder, first, second);
    print(t, "<exclude body1='b%d' body2='b%d'/>", first, second);
  }
  print(t, "</contact></mujoco>");
}

static void compare(const crd_model *ours, mjModel *theirs) {
  mjData *data = mj_makeData(theirs);
  mj_kinematics(theirs, data);
  mj_comPos(theirs, data);
  mj_collision(theirs, data);
  int n = ours->ngeom;
  bool *met = calloc((size_t)(n * n), sizeof *met);
  for (int i = 0; i < data->ncon; i++) {
    int a = data->contact[i].geom1, b = data->contact[i].geom2;
    met[a * n + b] = met[b * n + a] = true;
  }
  for (int i = 0; i < n * n; i++)
    if (i / n != i % n && met[i] != crd_model_may_collide(ours, i / n, i % n, NULL))
      fail_msg("geoms %d and %d: MuJoCo says %d", i / n, i % n, met[i]);
  free(met);
  mj_deleteData(data);
}

static void the_same_pairs_collide(void **state) {
  (void)state;
  twin *t = calloc(1, sizeof *t);
  for (uint64_t seed = 0; seed < 40; seed++) {
    *t = (twin){.builder = crd_model_builder_new(), .stream = {.seed = 4000 + seed}};
    /* Ids in depth-first order: the parent is the body before or an ancestor of that one. */
    for (int i = 1; i <= NBODY; i++) {
      t->parent[i] = i - 1;
      while (t->parent[i] > 0 && random_in(&t->stream, 0, 1) < 0.4) t->parent[i] = t->parent[t->parent[i]];
    }
    print(t, "<mujoco><size nconmax='500' njmax='100'/><worldbody>");
    add_ball(t, 0);
    for (int i = 1; i <= NBODY; i++)
      if (t->parent[i] == 0) add_body(t, i);
    crd_build_options options = crd_model_build_default();
    crd_model *count = make_model(t->builder, &options);
    add_pairs(t, count->ngeom);
    crd_model_free(count);
    crd_model *ours = make_model(t->builder, &options);
    mjModel *theirs = mujoco_load(t->xml);
    assert_int_equal(ours->ngeom, theirs->ngeom);
    compare(ours, theirs);
    mj_deleteModel(theirs);
    crd_model_free(ours);
    crd_model_builder_free(t->builder);
  }
  free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_pairs_collide)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
