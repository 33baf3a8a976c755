/* The five systems of Halm & Posa, section 5.4, from the built-in examples: simultaneous (31) and sequential outcomes
 * as the reference figures in EXAMPLES.md state them (12 digits, independent code), contact velocities as (normal,
 * tangential). */
#include <cradle/contact.h>
#include <cradle/impact.h>
#include <cradle/io.h>
#include <cradle/tree.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"

typedef struct scene {
  crd_model *model;
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *problem;
  crd_impact_result result;
} scene;

static scene open_scene(const char *name) {
  scene s = {0};
  crd_error err = {0};
  if (crd_io_example_model(name, NULL, &s.model, &err)) fail_msg("%s: %s", name, err.text);
  s.work = crd_model_workspace_new(s.model);
  s.assembler = crd_contact_assembler_new(s.model);
  s.problem = crd_contact_problem_new();
  const crd_key *key = &s.model->key[0];
  assert_int_equal(crd_contact_at_state(s.assembler, s.work, key->qpos, key->qvel, NULL, s.problem), CRD_OK);
  return s;
}

static void close_scene(scene *s) {
  crd_impact_result_free(&s->result);
  crd_contact_problem_free(s->problem);
  crd_contact_assembler_free(s->assembler);
  crd_model_workspace_free(s->work);
  crd_model_free(s->model);
}

static int contact_named(const scene *s, const char *name) {
  for (int c = 0; c < s->problem->nc; c++)
    if (strcmp(s->problem->contact[c].name, name) == 0) return c;
  fail_msg("no contact %s", name);
  return -1;
}

/* An outcome: velocities of contacts A and B, and the share of kinetic energy left (NaN: not stated). */
typedef struct outcome {
  double A[2], B[2], ratio;
} outcome;

static bool matches(const scene *s, const crd_impact_solution *solution, const outcome *o) {
  int row_A = s->problem->contact[contact_named(s, "A")].row, row_B = s->problem->contact[contact_named(s, "B")].row;
  double worst = 0;
  for (int i = 0; i < 2; i++) {
    worst = fmax(worst, fabs(solution->u_plus[row_A + i] - o->A[i]));
    worst = fmax(worst, fabs(solution->u_plus[row_B + i] - o->B[i]));
  }
  double ratio = solution->kinetic_after / solution->kinetic_before;
  return worst < 1e-9 && (isnan(o->ratio) || fabs(ratio - o->ratio) < 1e-6 * fmax(1, o->ratio) + 5e-7);
}

/* Exactly these outcomes, in any order. */
static void expect(scene *s, const char *law, const crd_impact_options *options, int count, const outcome *expected) {
  assert_int_equal(crd_impact_resolve(crd_impact_find(law), s->problem, options, &s->result), CRD_OK);
  assert_int_equal(s->result.count, count);
  for (int k = 0; k < count; k++) {
    int hits = 0;
    for (int j = 0; j < s->result.count; j++) hits += matches(s, &s->result.solution[j], &expected[k]);
    if (hits != 1) fail_msg("%s: outcome %d of %d found %d times", law, k + 1, count, hits);
  }
  for (int j = 0; j < s->result.count; j++) {
    const crd_impact_check *check = &s->result.solution[j].check;
    assert_true(s->result.solution[j].residual < 1e-9);
    assert_false(check->gains_energy || check->pulls || check->penetrates || check->leaves_cone);
  }
}

static void rocking_block(void **state) {
  (void)state;
  scene s = open_scene("rocking-block");
  crd_impact_options options = crd_impact_default();
  const outcome rest = {{0, 0}, {0, 0}, 0};
  const outcome sequential[2] = {{{0.0930183852795, 0}, {0, 0}, 0.0735}, {{0, 0}, {0.0930183852795, 0}, 0.0735}};
  expect(&s, "anitescu-potra", &options, 1, &rest);
  expect(&s, "sequential", &options, 2, sequential);
  int order[2] = {contact_named(&s, "A"), contact_named(&s, "B")};
  options.order = order, options.norder = 2;
  expect(&s, "sequential", &options, 1, &sequential[0]); /* A first: B is struck last, A lifts */
  close_scene(&s);
}

static void compass_gait(void **state) {
  (void)state;
  scene s = open_scene("compass-gait");
  crd_impact_options options = crd_impact_default();
  const outcome simultaneous[3] = {{{0, 0}, {0.0995551756309, 0.198019603924}, 0.601779},
                                   {{0, 0}, {0, 0}, NAN},
                                   {{0, 0}, {0, 0.128490432514}, 0.371213}};
  expect(&s, "anitescu-potra", &options, 3, simultaneous);
  int order[2] = {contact_named(&s, "A"), contact_named(&s, "B")};
  options.order = order, options.norder = 2;
  expect(&s, "sequential", &options, 1, simultaneous);
  close_scene(&s);
}

static void box_and_wall(void **state) {
  (void)state;
  scene s = open_scene("box-wall");
  crd_impact_options options = crd_impact_default();
  const outcome rest = {{0, 0}, {0, 0}, 0},
                sequential = {{0, 0.305764805792}, {0.105642286542, 0.0725421704332}, 0.061863};
  expect(&s, "anitescu-potra", &options, 1, &rest);
  int order[2] = {contact_named(&s, "B"), contact_named(&s, "A")};
  options.order = order, options.norder = 2;
  expect(&s, "sequential", &options, 1, &sequential);
  close_scene(&s);
}

static void ramone(void **state) {
  (void)state;
  scene s = open_scene("ramone");
  crd_impact_options options = crd_impact_default();
  const outcome simultaneous[3] = {{{0, 0}, {0.00033082304515, -0.0273500896204}, 0.701886},
                                   {{0, 0}, {0, 0}, 0.701781},
                                   {{0, 0}, {0, -0.0195163046388}, NAN}};
  expect(&s, "anitescu-potra", &options, 3, simultaneous);
  int order[2] = {contact_named(&s, "A"), contact_named(&s, "B")};
  options.order = order, options.norder = 2;
  expect(&s, "sequential", &options, 1, simultaneous);
  close_scene(&s);
}

static void disk_stack(void **state) {
  (void)state;
  scene s = open_scene("disk-stack");
  crd_impact_options options = crd_impact_default();
  const outcome rest = {{0, 0}, {0, 0}, 0};
  expect(&s, "anitescu-potra", &options, 1, &rest);
  /* sequential resolution alternates with geometric decay: not done in a few impacts */
  options.max_impacts = 10;
  assert_int_equal(crd_impact_resolve(crd_impact_find("sequential"), s.problem, &options, &s.result), CRD_LIMIT);
  assert_int_equal(s.result.count, 0);
  assert_true(s.result.nnote > 0);
  close_scene(&s);
}

/* Routh at several contacts: with one contact's rate far above the other's the path tends to the sequential outcome; at
 * equal rates the symmetric block comes to rest; nothing gains energy. */
static void routh_spans_the_outcomes_of_the_rocking_block(void **state) {
  (void)state;
  scene s = open_scene("rocking-block");
  crd_impact_options options = crd_impact_default();
  const outcome rest = {{0, 0}, {0, 0}, 0};
  expect(&s, "routh", &options, 1, &rest);
  double rate[2] = {1, 1};
  int A = contact_named(&s, "A");
  rate[A] = 1e8;
  options.rate = rate;
  assert_int_equal(crd_impact_resolve(crd_impact_find("routh"), s.problem, &options, &s.result), CRD_OK);
  const double *u = s.result.solution[0].u_plus;
  assert_true(fabs(u[s.problem->contact[A].row] - 0.0930183852795) < 1e-6);
  assert_true(fabs(u[s.problem->contact[1 - A].row]) < 1e-9);
  close_scene(&s);
}

/* Poisson without restitution is the simultaneous inelastic impact. */
static void poisson_without_restitution_is_anitescu_potra(void **state) {
  (void)state;
  const char *name[3] = {"rocking-block", "box-wall", "disk-stack"};
  for (int k = 0; k < 3; k++) {
    scene s = open_scene(name[k]);
    crd_impact_options options = crd_impact_default();
    options.e = 0;
    const outcome rest = {{0, 0}, {0, 0}, 0};
    expect(&s, "poisson", &options, 1, &rest);
    close_scene(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rocking_block),
      cmocka_unit_test(compass_gait),
      cmocka_unit_test(box_and_wall),
      cmocka_unit_test(ramone),
      cmocka_unit_test(disk_stack),
      cmocka_unit_test(routh_spans_the_outcomes_of_the_rocking_block),
      cmocka_unit_test(poisson_without_restitution_is_anitescu_potra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
