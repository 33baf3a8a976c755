/* Large islands: accelerated sweeps and the sparse continuation find solutions that are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coulomb/reduced.h"
#include "support/cmocka_all.h"
#include "support/sparse_contacts.h"

typedef struct outcome {
  crd_status status;
  double residual; /* by the judge of all methods */
  crd_coulomb_report report;
} outcome;

/* Solves the whole problem as one island, from p. */
static outcome solve(crd_memory *memory, const sparse_contacts *s, double tolerance, int max_sweeps, double *p) {
  crd_coulomb_options options = crd_coulomb_default();
  options.max_sweeps = max_sweeps;
  outcome o = {.residual = INFINITY};
  const crd_coulomb_problem *problem = &s->problem;
  crd_task task = {.problem = problem,
                   .options = &options,
                   .report = &o.report,
                   .island.contact = s->list,
                   .island.bilateral = s->list,
                   .island.bounded = s->list,
                   .island.ncontact = problem->ncontact,
                   .rows = problem->n,
                   .island.nbilateral = problem->nbilateral,
                   .island.nbounded = problem->nbounded,
                   .scale = crd_coulomb_scale(problem)};
  crd_standing own;
  double *u = malloc(sizeof *u * (size_t)problem->n);
  crd_coulomb_residual_parts parts;
  o.status = crd_coulomb_sweep(memory, &task, tolerance, p, &own);
  crd_coulomb_residual(problem, p, u, &parts);
  o.residual = parts.worst;
  assert_true(fabs(own.residual - parts.worst) <= 1e-12 + 1e-6 * parts.worst); /* it does not flatter itself */
  free(u);
  return o;
}

static void check_recipe(const sparse_recipe *recipe, double tolerance) {
  crd_memory memory = {0};
  sparse_contacts *s = sparse_contacts_new(recipe);
  double *p = calloc((size_t)s->problem.n, sizeof *p);
  outcome o = solve(&memory, s, tolerance, 5000, p);
  if (o.status != CRD_OK)
    print_error("seed %u mu %g ratio %g: residual %g\n", recipe->seed, recipe->mu, recipe->mass_ratio, o.residual);
  assert_int_equal(o.status, CRD_OK);
  assert_true(o.residual <= tolerance);
  free(p);
  sparse_contacts_free(s);
  crd_memory_free(&memory);
}

/* ------------------------------------------------------------------------------------------------ known solutions */

static void islands_with_a_known_solution_are_solved(void **state) {
  (void)state;
  const double mu[] = {0, 0.3, 1};
  for (unsigned seed = 1; seed <= 8; seed++)
    for (int k = 0; k < 3; k++) {
      sparse_recipe space = {.bodies = 40,
                             .contacts = 70,
                             .ntangent = 2,
                             .mu = mu[k],
                             .mass_ratio = 10,
                             .open = 0.3,
                             .slip = 0.3,
                             .seed = seed};
      sparse_recipe plane = space;
      plane.ntangent = 1, plane.seed += 100;
      check_recipe(&space, 1e-8);
      check_recipe(&plane, 1e-8);
    }
}

/* Four times as many rows as velocities. */
static void redundant_contacts_do_not_matter(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    sparse_recipe r = {.bodies = 10,
                       .contacts = 80,
                       .ntangent = 2,
                       .mu = 0.5,
                       .mass_ratio = 10,
                       .open = 0.2,
                       .slip = 0.1,
                       .seed = seed};
    check_recipe(&r, 1e-8);
  }
}

static void mass_ratios_of_a_million_are_solved(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    sparse_recipe r = {.bodies = 40,
                       .contacts = 70,
                       .ntangent = 2,
                       .mu = 0.5,
                       .mass_ratio = 1e6,
                       .open = 0.3,
                       .slip = 0.3,
                       .seed = seed};
    check_recipe(&r, 1e-8);
  }
}

static void large_friction_coefficients_are_solved(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 4; seed++)
    for (double mu = 10; mu <= 1000; mu *= 10) {
      sparse_recipe r = {.bodies = 60,
                         .contacts = 70,
                         .ntangent = 2,
                         .mu = mu,
                         .mass_ratio = 10,
                         .open = 0.3,
                         .slip = 0,
                         .seed = seed};
      check_recipe(&r, 1e-8);
    }
}

static void every_kind_of_row_is_solved(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    sparse_recipe r = {.bodies = 60,
                       .contacts = 60,
                       .ntangent = 2,
                       .nspin = 1,
                       .nroll = 2,
                       .bilateral = 15,
                       .bounded = 15,
                       .mu = 0.4,
                       .mass_ratio = 10,
                       .open = 0.3,
                       .slip = 0.3,
                       .seed = seed};
    check_recipe(&r, 1e-8);
    r.nroll = 1, r.nspin = 0;
    check_recipe(&r, 1e-8);
    r.nroll = 0, r.slides = true, r.mu = 0.2;
    check_recipe(&r, 1e-8);
  }
}

static void an_unsymmetric_matrix_is_solved(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    sparse_recipe r = {.bodies = 60,
                       .contacts = 70,
                       .ntangent = 2,
                       .mu = 0.5,
                       .mass_ratio = 10,
                       .open = 0.3,
                       .slip = 0.2,
                       .skew = 0.02,
                       .seed = seed};
    check_recipe(&r, 1e-8);
  }
}

/* ------------------------------------------------------------------------------------------------ closed forms */

/* Balls one upon the other: contact k carries all above it, p_k = (n - k) m g h. Gauss-Seidel alone needs n^2 sweeps.
 */
static void a_stack_carries_the_weight_above(void **state) {
  (void)state;
  enum { N = 150 };
  const double m = 0.7, fall = 9.81e-3;
  double *G = calloc(9 * N * N, sizeof *G), w[3 * N] = {0}, *p = calloc(3 * N, sizeof *p);
  for (int k = 0; k < N; k++)
    for (int axis = 0; axis < 3; axis++) {
      int i = 3 * k + axis;
      double g = (axis ? 3.5 : 1) / m; /* tangents turn the balls too: 1/m + r^2/I; shear is not passed on here */
      G[3 * N * i + i] = (k > 0 ? 2 : 1) * g;
      if (k > 0 && axis == 0) G[3 * N * i + i - 3] = G[3 * N * (i - 3) + i] = -g;
    }
  w[0] = -fall;
  sparse_contacts *s = sparse_contacts_from_dense(N, 3, G, w, 0.5);
  crd_memory memory = {0};
  outcome o = solve(&memory, s, 1e-10, 5000, p);
  assert_int_equal(o.status, CRD_OK);
  for (int k = 0; k < N; k++) {
    assert_true(fabs(p[3 * k] - (N - k) * m * fall) <= 1e-6 * N * m * fall);
    assert_true(hypot(p[3 * k + 1], p[3 * k + 2]) <= 1e-9 * N * m * fall);
  }
  sparse_contacts_free(s);
  crd_memory_free(&memory);
  free(p), free(G);
}

/* ------------------------------------------------------------------------------------------------ invariance */

static const sparse_recipe REGULAR_ISLAND = {
    .bodies = 80, .contacts = 60, .ntangent = 2, .mu = 0.4, .mass_ratio = 5, .open = 0.3, .slip = 0.3, .seed = 5};

static double *scaled(size_t count, const double *a, double factor) {
  double *b = malloc(sizeof *b * count);
  for (size_t i = 0; i < count; i++) b[i] = factor * a[i];
  return b;
}

/* Powers of two: the same bits. */
static void a_change_of_units_changes_nothing_else(void **state) {
  (void)state;
  sparse_contacts *s = sparse_contacts_new(&REGULAR_ISLAND);
  size_t n = (size_t)s->problem.n, entries = n * n;
  for (int k = 0; k < s->problem.ncontact; k++) s->contact[k].target = 0;
  crd_memory memory = {0};
  double *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q);
  outcome a = solve(&memory, s, 1e-8, 5000, p);
  double *w = scaled(n, s->problem.w, 0x1p30), *G = scaled(entries, s->blocks.value, 0x1p-20);
  s->problem.w = w, s->blocks.value = G;
  outcome b = solve(&memory, s, 1e-8, 5000, q);
  assert_int_equal(a.status, CRD_OK);
  assert_int_equal(b.status, CRD_OK);
  assert_int_equal(a.report.iterations[CRD_COULOMB_SWEEPS], b.report.iterations[CRD_COULOMB_SWEEPS]);
  for (size_t i = 0; i < n; i++) assert_true(q[i] == 0x1p50 * p[i]);
  free(p), free(q), free(w), free(G);
  sparse_contacts_free(s);
  crd_memory_free(&memory);
}

/* Every contact's tangents turned by its own angle. */
static void the_answer_turns_with_the_tangents(void **state) {
  (void)state;
  sparse_contacts *s = sparse_contacts_new(&REGULAR_ISLAND);
  int n = s->problem.n, nc = s->problem.ncontact;
  crd_memory memory = {0};
  double *p = calloc((size_t)n, sizeof *p), *q = calloc((size_t)n, sizeof *q), *w = malloc(sizeof *w * (size_t)n);
  assert_int_equal(solve(&memory, s, 1e-11, 5000, p).status, CRD_OK);
  for (int g = 0; g < nc; g++)
    for (int k = s->blocks.first[g]; k < s->blocks.first[g + 1]; k++) {
      double a = 0.1 + g, b = 0.1 + s->blocks.column[k], *B = s->value + s->blocks.offset[k];
      for (int j = 0; j < 3; j++) { /* rows, then columns */
        double x = B[3 + j], y = B[6 + j];
        B[3 + j] = cos(a) * x + sin(a) * y, B[6 + j] = -sin(a) * x + cos(a) * y;
      }
      for (int i = 0; i < 3; i++) {
        double x = B[3 * i + 1], y = B[3 * i + 2];
        B[3 * i + 1] = cos(b) * x + sin(b) * y, B[3 * i + 2] = -sin(b) * x + cos(b) * y;
      }
    }
  for (int g = 0; g < nc; g++) {
    double a = 0.1 + g, x = s->problem.w[3 * g + 1], y = s->problem.w[3 * g + 2];
    w[3 * g] = s->problem.w[3 * g], w[3 * g + 1] = cos(a) * x + sin(a) * y, w[3 * g + 2] = -sin(a) * x + cos(a) * y;
  }
  s->problem.w = w;
  assert_int_equal(solve(&memory, s, 1e-11, 5000, q).status, CRD_OK);
  for (int g = 0; g < nc; g++) {
    double a = 0.1 + g, x = q[3 * g + 1], y = q[3 * g + 2];
    assert_true(fabs(q[3 * g] - p[3 * g]) <= 1e-7);
    assert_true(fabs(cos(a) * x - sin(a) * y - p[3 * g + 1]) <= 1e-7);
    assert_true(fabs(sin(a) * x + cos(a) * y - p[3 * g + 2]) <= 1e-7);
  }
  free(p), free(q), free(w);
  sparse_contacts_free(s);
  crd_memory_free(&memory);
}

/* ------------------------------------------------------------------------------------------------ behaviour */

/* A solution given as the guess is returned as it is, however many others there are. */
static void the_guess_is_kept_where_it_solves_the_problem(void **state) {
  (void)state;
  sparse_recipe r = {
      .bodies = 10, .contacts = 80, .ntangent = 2, .mu = 0.5, .mass_ratio = 10, .open = 0.2, .slip = 0.1, .seed = 3};
  sparse_contacts *s = sparse_contacts_new(&r);
  size_t bytes = sizeof(double) * (size_t)s->problem.n;
  crd_memory memory = {0};
  double *p = malloc(bytes);
  memcpy(p, s->p, bytes);
  outcome o = solve(&memory, s, 1e-8, 5000, p);
  assert_int_equal(o.status, CRD_OK);
  assert_int_equal(o.report.iterations[CRD_COULOMB_SWEEPS], 1);
  for (int i = 0; i < s->problem.n; i++) assert_true(fabs(p[i] - s->p[i]) <= 1e-7);
  free(p);
  sparse_contacts_free(s);
  crd_memory_free(&memory);
}

/* The second time the memory is there, and the bits are the same. */
static void a_second_solve_takes_no_memory_and_gives_the_same_bits(void **state) {
  (void)state;
  sparse_recipe r = {
      .bodies = 10, .contacts = 80, .ntangent = 2, .mu = 0.5, .mass_ratio = 10, .open = 0.2, .slip = 0.1, .seed = 4};
  sparse_contacts *s = sparse_contacts_new(&r);
  crd_memory memory = {0};
  size_t n = (size_t)s->problem.n;
  double *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q);
  solve(&memory, s, 1e-10, 5000, p);
  const void *before[] = {memory.arena.last, memory.lu.node_arena.last, memory.lu.pattern_arena.last,
                          memory.lu.value_arena.last};
  solve(&memory, s, 1e-10, 5000, q);
  const void *after[] = {memory.arena.last, memory.lu.node_arena.last, memory.lu.pattern_arena.last,
                         memory.lu.value_arena.last};
  assert_memory_equal(before, after, sizeof before);
  assert_memory_equal(p, q, sizeof *p * n);
  free(p), free(q);
  sparse_contacts_free(s);
  crd_memory_free(&memory);
}

static bool stop_after_three(void *context) { return ++*(int *)context > 3; }

static void a_stop_ends_the_sweeps_with_what_there_is(void **state) {
  (void)state;
  sparse_contacts *s = sparse_contacts_new(&REGULAR_ISLAND);
  crd_memory memory = {0};
  int asked = 0;
  crd_coulomb_options options = crd_coulomb_default();
  options.stop = stop_after_three, options.context = &asked;
  crd_coulomb_report report = {0};
  crd_task task = {.problem = &s->problem,
                   .options = &options,
                   .report = &report,
                   .island.contact = s->list,
                   .island.ncontact = s->problem.ncontact,
                   .rows = s->problem.n,
                   .scale = crd_coulomb_scale(&s->problem)};
  crd_standing best;
  double *p = calloc((size_t)s->problem.n, sizeof *p);
  assert_int_equal(crd_coulomb_sweep(&memory, &task, 1e-14, p, &best), CRD_LIMIT);
  assert_int_equal(report.iterations[CRD_COULOMB_SWEEPS], 3);
  assert_true(best.residual > 1e-14 && best.residual < 1 && best.method == CRD_COULOMB_SWEEPS);
  free(p);
  sparse_contacts_free(s);
  crd_memory_free(&memory);
}

/* Dense G gives what blocks give. */
static void a_dense_matrix_gives_the_same(void **state) {
  (void)state;
  sparse_contacts *s = sparse_contacts_new(&REGULAR_ISLAND);
  int n = s->problem.n;
  crd_memory memory = {0};
  double *p = calloc((size_t)n, sizeof *p), *q = calloc((size_t)n, sizeof *q), *G = calloc((size_t)(n * n), sizeof *G);
  solve(&memory, s, 1e-8, 5000, p);
  for (int g = 0; g < s->blocks.ngroup; g++)
    for (int k = s->blocks.first[g]; k < s->blocks.first[g + 1]; k++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          G[n * (3 * g + i) + 3 * s->blocks.column[k] + j] = s->blocks.value[s->blocks.offset[k] + (size_t)(3 * i + j)];
  s->problem.blocks = NULL, s->problem.G = G;
  solve(&memory, s, 1e-8, 5000, q);
  assert_memory_equal(p, q, sizeof *p * (size_t)n);
  free(p), free(q), free(G);
  sparse_contacts_free(s);
  crd_memory_free(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(islands_with_a_known_solution_are_solved),
      cmocka_unit_test(redundant_contacts_do_not_matter),
      cmocka_unit_test(mass_ratios_of_a_million_are_solved),
      cmocka_unit_test(large_friction_coefficients_are_solved),
      cmocka_unit_test(every_kind_of_row_is_solved),
      cmocka_unit_test(an_unsymmetric_matrix_is_solved),
      cmocka_unit_test(a_stack_carries_the_weight_above),
      cmocka_unit_test(a_change_of_units_changes_nothing_else),
      cmocka_unit_test(the_answer_turns_with_the_tangents),
      cmocka_unit_test(the_guess_is_kept_where_it_solves_the_problem),
      cmocka_unit_test(a_second_solve_takes_no_memory_and_gives_the_same_bits),
      cmocka_unit_test(a_stop_ends_the_sweeps_with_what_there_is),
      cmocka_unit_test(a_dense_matrix_gives_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
