/* Claims: the projection operators are those of the case files proj_* for every rank of the rows, satisfy the
 * properties of the paper on random systems with redundant rows, and move a pendulum exactly. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/make_model.h"

enum { MAX = 4096 };

static crd_arena arena;

static int release(void **state) {
  (void)state;
  crd_arena_free(&arena);
  return 0;
}

/* The operators of the rows A of the inputs, in the file's order. */
static bool operators(const case_variant *variant, crd_projection *p) {
  if (!case_has(variant->inputs, "M") || !case_has(variant->inputs, "A")) return false;
  int n = (int)json_array_size(json_object_get(variant->inputs, "M"));
  double *M = crd_arena_alloc(&arena, (size_t)(n * n), sizeof *M), *A = crd_arena_alloc(&arena, MAX, sizeof *A);
  assert_int_equal(case_numbers(variant->inputs, "M", M, n * n), n * n);
  int rows = case_numbers(variant->inputs, "A", A, MAX) / n;
  assert_int_equal(crd_analysis_projection_form(p, n, M, rows, A, &arena), CRD_OK);
  return true;
}

static void check_or_nan(const case_variant *variant, const char *key, double found) {
  if (!case_has(variant->outputs, key)) return;
  if (json_is_null(json_object_get(variant->outputs, key)))
    assert_true(isnan(found));
  else
    case_check_number(variant, key, found);
}

static void check_operators(const case_variant *variant, const crd_projection *p) {
  int n = p->nv, square = n * n;
  double violation;
  case_check_number(variant, "rank", p->rank);
  case_check(variant, "P", p->P, square);
  case_check(variant, "S", p->S, square);
  case_check(variant, "R", p->R, square);
  case_check(variant, "Mo_pinv", p->Mo_plus, square);
  case_check(variant, "projected_inertia", p->inertia, square);
  case_check(variant, "G", p->G, n * p->rows);
  case_check(variant, "Q", p->Q, p->rows * p->rows);
  check_or_nan(variant, "nu_min", p->nu_min);
  check_or_nan(variant, "nu_max", p->nu_max);
  case_check_number(variant, "cond_Mc_min", p->cond_min);
  case_check_number(variant, "cond_min", p->cond_min);
  assert_int_equal(crd_analysis_projection_verify(p, &violation, &arena), CRD_OK);
  assert_true(violation < 1e-12);
}

static void check_constraint_inertia(const case_variant *variant, const crd_projection *p) {
  crd_constraint_inertia inertia;
  double nu = case_has(variant->inputs, "nu") ? case_number(variant->inputs, "nu") : 1;
  if (case_has(variant->outputs, "Mc_nu")) nu = case_number(variant->outputs, "Mc_nu");
  assert_int_equal(crd_analysis_projection_inertia(&inertia, p, nu, &arena), CRD_OK);
  case_check(variant, "Mc", inertia.Mc, p->nv * p->nv);
  case_check(variant, "S_via_Mc", inertia.S, p->nv * p->nv);
  if (case_has(variant->inputs, "nu")) case_check(variant, "eigenvalues", inertia.eigenvalues, p->nv);
  case_check_number(variant, "cond", inertia.cond);
}

static void check_motion(const case_variant *variant, const crd_projection *p) {
  double A_dot[64], qd[16], u[16], h[16], norm = 0;
  crd_constrained_motion motion;
  if (!case_has(variant->inputs, "A_dot")) return;
  case_numbers(variant->inputs, "A_dot", A_dot, 64);
  case_numbers(variant->inputs, "qd", qd, 16);
  case_numbers(variant->inputs, "u", u, 16);
  case_numbers(variant->inputs, "h", h, 16);
  for (int i = 0; i < p->nv; i++) u[i] -= h[i];
  assert_int_equal(crd_analysis_projection_motion(&motion, p, A_dot, qd, u, &arena), CRD_OK);
  case_check(variant, "Omega", motion.Omega, p->nv * p->nv);
  case_check(variant, "qdd", motion.qdd, p->nv);
  case_check(variant, "f", motion.f, p->nv);
  case_check(variant, "lambda_", motion.lambda, p->rows);
  case_check(variant, "second_order_residual", motion.residual, p->rows);
  for (int i = 0; i < p->nv; i++) norm += motion.f[i] * motion.f[i];
  case_check_number(variant, "tension", sqrt(norm));
}

/* K+ - K- = 1/2 qd' X qd, and K+/K- with it. */
static void check_energy(const case_variant *variant, const crd_projection *p) {
  double E[256] = {0}, qd[16], W = 0, K = 0;
  crd_projection_impact impact;
  bool matrix = case_has(variant->inputs, "E"), impulse = false;
  if ((!matrix && !case_has(variant->inputs, "e")) || !case_has(variant->outputs, "W")) return;
  if (matrix) {
    case_numbers(variant->inputs, "E", E, 256);
  } else {
    int nb = (int)case_number(variant->inputs, "n_bilateral");
    for (int i = nb; i < p->rows; i++) E[i * p->rows + i] = case_number(variant->inputs, "e");
  }
  double i_u[16] = {0};
  if (case_has(variant->inputs, "i_u")) case_numbers(variant->inputs, "i_u", i_u, 16);
  for (int i = 0; i < p->nv; i++) impulse = impulse || i_u[i] != 0;
  if (impulse) return;
  case_numbers(variant->inputs, "qd_minus", qd, 16);
  assert_int_equal(crd_analysis_projection_energy(&impact, p, E, &arena), CRD_OK);
  case_check(variant, "E_tilde", impact.E_tilde, p->nv * p->nv);
  for (int i = 0; i < p->nv; i++)
    for (int j = 0; j < p->nv; j++) {
      W += 0.5 * qd[i] * impact.energy[i * p->nv + j] * qd[j];
      K += 0.5 * qd[i] * p->M[i * p->nv + j] * qd[j];
    }
  case_check_number(variant, "W", W);
  case_check_number(variant, "gamma", 1 + W / K);
}

static void check_variant(const case_variant *variant) {
  crd_projection p;
  crd_arena_reset(&arena);
  if (!operators(variant, &p)) return;
  check_operators(variant, &p);
  check_constraint_inertia(variant, &p);
  check_motion(variant, &p);
  check_energy(variant, &p);
}

static void every_case_file_is_reproduced(void **state) {
  (void)state;
  for_case_variants("proj_", check_variant);
}

static void check_activation(const case_variant *variant) {
  double phi[16], phid[16], lambda[16], found[16], star[16], rows[256], qd[16];
  unsigned char gamma[16], gamma_star[16];
  int count = case_numbers(variant->inputs, "phi_u", phi, 16), n = case_numbers(variant->inputs, "qd_minus", qd, 16);
  case_numbers(variant->inputs, "lambda_u", lambda, 16);
  case_numbers(variant->inputs, "dphi_u_dq", rows, 256);
  for (int i = 0; i < count; i++) {
    phid[i] = 0;
    for (int j = 0; j < n; j++) phid[i] += rows[i * n + j] * qd[j];
  }
  crd_analysis_projection_activation(count, phi, phid, lambda, 0, gamma, gamma_star);
  for (int i = 0; i < count; i++) found[i] = gamma[i], star[i] = gamma_star[i];
  case_check(variant, "phid", phid, count);
  case_check(variant, "Gamma", found, count);
  case_check(variant, "Gamma_star", star, count);
}

static void activation_is_that_of_the_case_file(void **state) {
  (void)state;
  for_case_variants("proj_13", check_activation);
}

/* x^2 + y^2 = L^2 under gravity, by (13) alone. */
static void pendulum_rate(const double M[4], double length, const double x[4], double rate[4]) {
  const double A[2] = {x[0] / length, x[1] / length}, A_dot[2] = {x[2] / length, x[3] / length},
               force[2] = {0, -9.81 * M[0]};
  crd_projection p;
  crd_constrained_motion motion;
  crd_arena_reset(&arena);
  assert_int_equal(crd_analysis_projection_form(&p, 2, M, 1, A, &arena), CRD_OK);
  assert_int_equal(crd_analysis_projection_motion(&motion, &p, A_dot, x + 2, force, &arena), CRD_OK);
  rate[0] = x[2], rate[1] = x[3], rate[2] = motion.qdd[0], rate[3] = motion.qdd[1];
}

static void runge_kutta(const double M[4], double length, double h, double x[4]) {
  double k[4][4], y[4];
  const double at[4] = {0, 0.5, 0.5, 1};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < 4; i++) y[i] = x[i] + (s ? h * at[s] * k[s - 1][i] : 0);
    pendulum_rate(M, length, y, k[s]);
  }
  for (int i = 0; i < 4; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static void check_trajectory(const case_variant *variant) {
  if (!case_has(variant->outputs, "samples")) return;
  const double M[4] = {1.5, 0, 0, 1.5}, L = 2, theta0 = case_number(variant->inputs, "theta0"), step = 2.5e-4;
  double x[4] = {L * sin(theta0), -L * cos(theta0), 0, 0}, time = 0;
  const json_t *samples = json_object_get(variant->outputs, "samples");
  for (size_t s = 0; s < json_array_size(samples); s++) {
    const json_t *sample = json_array_get(samples, s);
    double target = case_number(sample, "t"), theta = case_number(sample, "theta");
    int steps = (int)ceil((target - time) / step);
    for (int i = 0; i < steps; i++)
      runge_kutta(M, L, (target - time) / (steps - i), x), time += (target - time) / (steps - i);
    assert_true(fabs(x[0] - L * sin(theta)) < 1e-8 && fabs(x[1] + L * cos(theta)) < 1e-8);
  }
}

static void a_pendulum_swings_as_its_elliptic_integral_says(void **state) {
  (void)state;
  for_case_variants("proj_11", check_trajectory);
}

static void properties_hold_for_every_rank(void **state) {
  (void)state;
  random_stream stream = {.seed = 71};
  for (int trial = 0; trial < 300; trial++) {
    crd_projection p;
    double violation;
    random_problem_options options = {
        .nv = 1 + trial % 9, .nc = trial % 5, .nb = (trial / 5) % 4, .redundant = trial % 3 == 0};
    crd_contact_problem *problem = random_problem(&stream, options);
    crd_arena_reset(&arena);
    assert_int_equal(crd_analysis_projection_of_problem(&p, problem, &arena), CRD_OK);
    assert_int_equal(crd_analysis_projection_verify(&p, &violation, &arena), CRD_OK);
    assert_true(violation < 1e-10);
    crd_contact_problem_free(problem);
  }
}

/* A row twice, three times and as a sum: dependence tells which rows others can replace. */
static void dependent_rows_are_named(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3}, A[12] = {1, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0};
  crd_projection p;
  assert_int_equal(crd_analysis_projection_form(&p, 3, M, 4, A, &arena), CRD_OK);
  assert_int_equal(p.rank, 2);
  assert_true(p.dependence[1] == 0);
  /* rows 1 and 3 are (1, 3) times one row: Pi = (1 3)'(1 3)/10 */
  assert_true(fabs(p.dependence[0] - 0.9) < 1e-12 && fabs(p.dependence[2] - 0.1) < 1e-12 && p.dependence[3] == 1);
}

static void an_inertia_that_is_not_positive_definite_is_refused(void **state) {
  (void)state;
  const double M[4] = {1, 2, 2, 1}, A[2] = {1, 0};
  crd_projection p;
  assert_int_equal(crd_analysis_projection_form(&p, 2, M, 1, A, &arena), CRD_SINGULAR);
  assert_int_equal(crd_analysis_projection_form(&p, 2, NULL, 1, A, &arena), CRD_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_file_is_reproduced),
      cmocka_unit_test(activation_is_that_of_the_case_file),
      cmocka_unit_test(a_pendulum_swings_as_its_elliptic_integral_says),
      cmocka_unit_test(properties_hold_for_every_rank),
      cmocka_unit_test(dependent_rows_are_named),
      cmocka_unit_test(an_inertia_that_is_not_positive_definite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
