/* Claims: r of Lemma 6 has the stated property and is the shortest, the constants are those of Theorem 8, and a cone
 * that is not pointed (Assumption 2) is found together with impulses that have no effect. */
#include <cradle/outcome.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/example_problem.h"
#include "support/impact_problem.h"

static const double PI = 3.141592653589793;
static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance * fmax(1, fabs(expected))))
    fail_msg("found %.15g, expected %.15g", found, expected);
}

/* M^-1 J' p: what the impulses do to the velocity. */
static void effect(const crd_contact_problem *problem, const double *p, double *dv) {
  memset(dv, 0, sizeof *dv * (size_t)problem->nv);
  for (int i = 0; i < problem->nrow; i++)
    for (int j = 0; j < problem->nv; j++) dv[j] += p[i] * problem->X[problem->nv * i + j];
}

static double kinetic_norm(const crd_contact_problem *problem, const double *dv) {
  double sum = 0;
  for (int i = 0; i < problem->nv; i++) sum += dv[i] * dot(problem->nv, problem->M + problem->nv * i, dv);
  return sqrt(sum);
}

/* Least r . M^-1 J' p over the edges of the cones, each with p_n = 1 (no bilateral rows). */
static double least_progress(const crd_contact_problem *problem, int facets, const double *r) {
  double least = INFINITY, p[64], dv[64];
  assert_true(problem->nrow <= 64 && problem->nv <= 64);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int count = contact->ntangent == 2 ? facets : 2;
    for (int k = 0; k < count; k++) {
      memset(p, 0, sizeof p);
      p[contact->row] = 1;
      if (contact->ntangent >= 1) p[contact->row + 1] = contact->mu * cos(2 * PI * k / count);
      if (contact->ntangent == 2) p[contact->row + 2] = contact->mu * sin(2 * PI * k / count);
      effect(problem, p, dv);
      least = fmin(least, dot(problem->nv, r, dv));
    }
  }
  return least;
}

/* The witness is in the cones with unit normal impulse in all. */
static void assert_in_cones(const crd_contact_problem *problem, const double *p) {
  double sum = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double normal = p[contact->row], tangent = 0;
    for (int t = 1; t <= contact->ntangent; t++) tangent = hypot(tangent, p[contact->row + t]);
    assert_true(normal >= 0 && tangent <= contact->mu * normal + 1e-12 * (1 + contact->mu));
    sum += normal;
  }
  assert_near(sum, 1, 1e-12);
}

/* Every admissible r is at least as long as 1 / |effect of any witness|, and every witness' effect at least 1 / |r|:
 * where both meet, both are optimal. No other solver is needed to know it. */
static void assert_optimal(const crd_contact_problem *problem, const crd_outcome_termination *t, int facets) {
  double dv[64];
  assert_true(t->pointed);
  assert_true(least_progress(problem, facets, t->r) >= 1 - 1e-9 - 1e-10 * t->norm);
  assert_true(least_progress(problem, facets, t->free_r) >= 1 - 1e-9 - 1e-10 * t->norm);
  assert_in_cones(problem, t->witness);
  effect(problem, t->witness, dv);
  assert_near(kinetic_norm(problem, dv), t->distance, 1e-9);
  assert_near(t->free_norm * t->distance, 1, 1e-7);
  effect(problem, t->witness, dv);
  /* free_r = s J' witness with s = free_norm / distance, so |free_r|_M^-1^2 = s free_r . dv */
  assert_near(dot(problem->nv, t->free_r, dv), t->free_norm * t->distance, 1e-9);
  assert_near(t->norm, sqrt(dot(problem->nv, t->r, t->r)), 1e-12);
  /* errata 4: with the same proof the dual norm is never larger */
  assert_true(t->free_norm <= t->norm / sqrt(t->sigma) * (1 + 1e-7));
}

/* All edges of the block's cones have the vertical component 1, and the upward push (both corners alike) has no other:
 * the nearest point of their hull is that push, r = (0, m, 0). sigma = I = 5/12, m = 2 contacts. */
static void rocking_block_by_hand(void **state) {
  (void)state;
  example_problem example = example_problem_open("rocking-block");
  crd_outcome_termination t = {0};
  assert_int_equal(crd_outcome_bound(example.problem, 8, 0.3, 0.01, &t), CRD_OK);
  assert_optimal(example.problem, &t, 8);
  assert_near(t.distance, 1, 1e-10);
  assert_near(t.norm, 1, 1e-10);
  assert_near(t.sigma, 5.0 / 12, 1e-12);
  const double v0 = sqrt(2 * 9.81 * 0.01);
  assert_near(t.speed, v0, 1e-10);
  assert_true(t.c == 4 * ceil(3 / (0.3 * sqrt(5.0 / 12)))); /* 64 */
  assert_true(t.k == ceil(9 * log(100)));                   /* 42 */
  assert_true(t.steps == 64 + 42);
  assert_true(t.free_steps == 2 * ceil(2 * 3 * v0 / 0.3) + 42);
  crd_outcome_termination_free(&t);
  example_problem_close(&example);
}

static void the_five_examples_are_pointed_with_the_shortest_r(void **state) {
  (void)state;
  static const char *const names[] = {"rocking-block", "compass-gait", "box-wall", "ramone", "disk-stack"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    example_problem example = example_problem_open(names[i]);
    crd_outcome_termination t = {0};
    assert_int_equal(crd_outcome_bound(example.problem, 8, 1, 0.01, &t), CRD_OK);
    assert_optimal(example.problem, &t, 8);
    crd_outcome_termination_free(&t);
    example_problem_close(&example);
  }
}

/* A particle of mass m on one spatial contact: r = (m, 0, 0), both forms sqrt(m). */
static void one_contact_of_a_particle(void **state) {
  (void)state;
  const double m = 2.5, M[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, v[3] = {-1, 0.5, 0}, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  crd_contact_problem *problem =
      make_problem(&(problem_def){.nv = 3, .nc = 1, .ntangent = 2, .M = M, .v = v, .contact = J, .mu = 0.7});
  crd_outcome_termination t = {0};
  assert_int_equal(crd_outcome_bound(problem, 8, 0.1, 1e-3, &t), CRD_OK);
  assert_optimal(problem, &t, 8);
  assert_near(t.norm, m, 1e-10);
  assert_near(t.free_norm, sqrt(m), 1e-10);
  assert_near(t.r[0], m, 1e-10);
  crd_outcome_termination_free(&t);
  crd_contact_problem_free(problem);
}

/* A particle in a groove whose normals rise by beta: the cones' edges lie at beta - phi and its mirror image, tan phi =
 * mu. They leave room for a pointing direction while mu < tan beta, and then the nearest point of their hull is at
 * height sin(beta) - mu cos(beta). From mu = tan beta on the particle can be jammed. */
static void a_groove_jams_from_the_friction_angle_on(void **state) {
  (void)state;
  const double beta = PI / 6, c = cos(beta), s = sin(beta), M[4] = {1, 0, 0, 1}, v[2] = {0, -1};
  const double J[8] = {c, s, s, -c, -c, s, s, c};
  for (int i = -3; i <= 3; i++) {
    double mu = tan(beta) * (1 + 0.01 * i);
    crd_contact_problem *problem =
        make_problem(&(problem_def){.nv = 2, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = J, .mu = mu});
    crd_outcome_termination t = {0};
    assert_int_equal(crd_outcome_bound(problem, 8, 0.1, 0.01, &t), CRD_OK);
    assert_int_equal(t.pointed, i < 0);
    if (i < 0) {
      assert_optimal(problem, &t, 8);
      assert_near(t.distance, s - mu * c, 1e-10);
    } else {
      double dv[2];
      assert_in_cones(problem, t.witness);
      effect(problem, t.witness, dv);
      assert_true(hypot(dv[0], dv[1]) < 1e-9);
      assert_true(t.distance == 0 && isinf(t.steps) && isinf(t.free_steps) && !t.r && !t.free_r);
    }
    crd_outcome_termination_free(&t);
    crd_contact_problem_free(problem);
  }
}

static void opposing_walls_are_not_pointed(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 3}, v[2] = {0, -1}, J[8] = {0, 1, 1, 0, 0, -1, 1, 0};
  crd_contact_problem *problem =
      make_problem(&(problem_def){.nv = 2, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = J, .mu = 0.2});
  crd_outcome_termination t = {0};
  assert_int_equal(crd_outcome_bound(problem, 8, 0.1, 0.01, &t), CRD_OK);
  assert_false(t.pointed);
  assert_near(t.witness[0], 0.5, 1e-12);
  assert_near(t.witness[2], 0.5, 1e-12);
  assert_near(t.witness[1] + t.witness[3], 0, 1e-12);
  crd_outcome_termination_free(&t);
  crd_contact_problem_free(problem);
}

/* Redundant but pointed: the same contact three times is as good as one. */
static void repeated_contacts_change_nothing(void **state) {
  (void)state;
  const double M[4] = {2, 0.3, 0.3, 1}, v[2] = {0, -1}, J[12] = {0.1, 1, 1, 0, 0.1, 1, 1, 0, 0.1, 1, 1, 0};
  double distance[2];
  for (int i = 0; i < 2; i++) {
    crd_contact_problem *problem =
        make_problem(&(problem_def){.nv = 2, .nc = i ? 3 : 1, .ntangent = 1, .M = M, .v = v, .contact = J, .mu = 0.5});
    crd_outcome_termination t = {0};
    assert_int_equal(crd_outcome_bound(problem, 8, 0.1, 0.01, &t), CRD_OK);
    assert_optimal(problem, &t, 8);
    distance[i] = t.distance;
    crd_outcome_termination_free(&t);
    crd_contact_problem_free(problem);
  }
  assert_near(distance[0], distance[1], 1e-10);
}

/* A bead of mass m on a vertical rod (x = 0 kept) against a slope: only the vertical part of the push acts. */
static void bilateral_rows_answer(void **state) {
  (void)state;
  const double beta = 0.4, m = 3, M[4] = {m, 0, 0, m}, v[2] = {0, -1}, J[2] = {cos(beta), sin(beta)}, rod[2] = {1, 0};
  crd_contact_problem *problem =
      make_problem(&(problem_def){.nv = 2, .nc = 1, .nb = 1, .M = M, .v = v, .contact = J, .bilateral = rod});
  crd_outcome_termination t = {0};
  assert_int_equal(crd_outcome_bound(problem, 8, 0.1, 0.01, &t), CRD_OK);
  assert_near(t.distance, sin(beta) / sqrt(m), 1e-10);
  /* dv = (0, sin(beta) / m): the shortest r is (0, m / sin(beta)) */
  assert_near(t.r[0], 0, 1e-10);
  assert_near(t.r[1], m / sin(beta), 1e-10);
  crd_outcome_termination_free(&t);
  crd_contact_problem_free(problem);
}

static void random_problems_satisfy_duality(void **state) {
  (void)state;
  int pointed = 0, jammed = 0;
  for (uint32_t i = 0; i < 600; i++) {
    random_stream stream = {.seed = 17 + i};
    crd_contact_problem *problem = random_problem(
        &stream,
        (random_problem_options){.nv = 2 + (int)(i % 6), .nc = 1 + (int)(i % 4), .ntangent = 1 + (int)(i % 2)});
    for (int c = 0; c < problem->nc; c++) problem->contact[c].mu = 0.3 * (i % 5);
    crd_outcome_termination t = {0};
    assert_int_equal(crd_outcome_bound(problem, 6, 0.1, 0.01, &t), CRD_OK);
    if (t.pointed) {
      assert_optimal(problem, &t, 6);
      pointed++;
    } else {
      double dv[64];
      assert_in_cones(problem, t.witness);
      effect(problem, t.witness, dv);
      assert_true(kinetic_norm(problem, dv) < 1e-6);
      jammed++;
    }
    crd_outcome_termination_free(&t);
    crd_contact_problem_free(problem);
  }
  assert_true(pointed > 100 && jammed > 20);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  example_problem example = example_problem_open("rocking-block");
  crd_outcome_termination t = {0};
  assert_int_equal(crd_outcome_bound(example.problem, 8, 0, 0.01, &t), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_outcome_bound(example.problem, 8, NAN, 0.01, &t), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_outcome_bound(example.problem, 8, 1, 0, &t), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_outcome_bound(example.problem, 8, 1, 1, &t), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_outcome_bound(example.problem, 3, 1, 0.5, &t), CRD_ERR_ARGUMENT);
  example_problem_close(&example);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rocking_block_by_hand),
      cmocka_unit_test(the_five_examples_are_pointed_with_the_shortest_r),
      cmocka_unit_test(one_contact_of_a_particle),
      cmocka_unit_test(a_groove_jams_from_the_friction_angle_on),
      cmocka_unit_test(opposing_walls_are_not_pointed),
      cmocka_unit_test(repeated_contacts_change_nothing),
      cmocka_unit_test(bilateral_rows_answer),
      cmocka_unit_test(random_problems_satisfy_duality),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
