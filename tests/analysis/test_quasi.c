/* Claims: kinetic quasi-velocities, their metrics and energies, Propositions 2-9, Corollary 1, Lemmas 1-2 and Theorem 2
 * give the numbers of the case files quasi_*; every sufficient criterion implies the exact one; the closed forms of the
 * errata hold. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static crd_arena arena;

static int release(void **state) {
  (void)state;
  crd_arena_free(&arena);
  return 0;
}

static void transpose(int rows, int columns, const double *A, double *B) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) B[j * rows + i] = A[i * columns + j];
}

/* The problem and basis of a variant; t_q as the file gives it. */
static crd_contact_problem *form(const case_variant *variant, crd_quasi_basis *b) {
  double columns[256], rows[256];
  int n = (int)json_array_size(json_object_get(variant->inputs, "M")), t = 0;
  if (!case_has(variant->inputs, "qd_minus"))
    json_object_set(variant->inputs, "qd_minus", json_object_get(variant->inputs, "qd"));
  crd_contact_problem *problem = case_problem(variant);
  bool given = case_has(variant->inputs, "t_q");
  if (given) {
    t = case_numbers(variant->inputs, "t_q", columns, 256) / n;
    transpose(n, t, columns, rows);
  }
  assert_int_equal(crd_analysis_quasi_form(b, problem, given ? rows : NULL, t, &arena), CRD_OK);
  return problem;
}

/* On the diagonal the file has pi - acos(1 - rounding), known to sqrt(rounding) only. */
static void check_angles(const case_variant *variant, const crd_quasi_basis *b) {
  double expected[64];
  int p = b->nc;
  assert_int_equal(case_numbers(variant->outputs, "kinetic_angles", expected, 64), p * p);
  for (int i = 0; i < p * p; i++) {
    double allowed = i / p == i % p ? 1e-7 : variant->abs + variant->rel * expected[i];
    assert_true(fabs(b->angle[i] - expected[i]) <= allowed);
  }
}

static void check_basis(const case_variant *variant) {
  crd_quasi_basis b;
  double columns[256], v[16], qd[16];
  crd_arena_reset(&arena);
  crd_contact_problem *problem = form(variant, &b);
  int n = b.nv, p = b.nc, t = b.ntan;
  case_check(variant, "grad_norms", b.norm, p);
  transpose(p, n, b.n_q, columns);
  case_check(variant, "n_q", columns, n * p);
  transpose(t, n, b.t_q, columns);
  case_check(variant, "t_q", columns, n * t);
  case_check(variant, "Xi", b.Xi, n * n);
  case_check(variant, "delassus", b.delassus, p * p);
  check_angles(variant, &b);
  case_check(variant, "D_n", b.D_n, p * p);
  case_check(variant, "D_t", b.D_t, t * t);
  case_check(variant, "qd_norm", b.norm_minus, p);
  case_check(variant, "qd_tan", b.tan_minus, t);
  case_check_number(variant, "kinetic_energy", b.kinetic);
  case_check_number(variant, "kinetic_energy_normal", b.kinetic_normal);
  if (b.nslip) {
    case_check(variant, "nqT_HT", b.nH, p * b.nslip);
    case_check(variant, "tqT_HT", b.tH, t * b.nslip);
    for (int c = 0; c < p; c++) v[c] = problem->u[problem->contact[c].row + 1];
    case_check(variant, "v_t", v, p);
  }
  /* qd = Xi' D v */
  memcpy(v, b.norm_minus, sizeof *v * (size_t)p);
  memcpy(v + p, b.tan_minus, sizeof *v * (size_t)t);
  case_check(variant, "v", v, p + t);
  crd_analysis_quasi_inverse(&b, v, qd);
  for (int i = 0; i < n; i++) assert_true(fabs(qd[i] - problem->v[i]) < 1e-12);
  assert_true(fabs(b.kinetic - b.kinetic_normal - b.kinetic_tangential) < 1e-12 * b.kinetic);
  crd_contact_problem_free(problem);
}

static void every_basis_of_the_case_files_is_reproduced(void **state) {
  (void)state;
  for_case_variants("quasi_01", check_basis);
  for_case_variants("quasi_03", check_basis);
  for_case_variants("quasi_05", check_basis);
}

static void propositions(const crd_contact_problem *problem, const crd_quasi_basis *b, const double *Enn,
                         const double *full, crd_criterion *c) {
  crd_restitution r;
  crd_worst_velocity worst;
  double E[64];
  crd_analysis_quasi_fremond(b, Enn, E);
  assert_int_equal(crd_analysis_restitution_form(&r, problem, &arena), CRD_OK);
  assert_int_equal(crd_analysis_restitution_worst(&worst, &r, E, CRD_RESTITUTION_FACES, &arena), CRD_OK);
  assert_int_equal(crd_analysis_quasi_propositions(c, b, &worst, Enn, full, &arena), CRD_OK);
}

static void check_energy(const case_variant *variant) {
  crd_quasi_basis b;
  crd_criterion c[CRD_QUASI_PROPOSITIONS];
  double E[16] = {0}, fremond[16], zero[16] = {0};
  crd_arena_reset(&arena);
  if (!case_has(variant->inputs, "M")) return;
  crd_contact_problem *problem = form(variant, &b);
  int p = b.nc;
  if (case_has(variant->inputs, "e_n1")) {
    double ratio;
    E[0] = case_number(variant->inputs, "e_n1"), E[2] = case_number(variant->inputs, "e_n21");
    case_check_number(variant, "T_L", crd_analysis_quasi_energy_loss(&b, E, &ratio));
    case_check_number(variant, "ellipse_value", ratio);
  } else if (case_has(variant->inputs, "Enn")) {
    case_check_number(variant, "T_L", crd_analysis_quasi_energy_loss(&b, problem->restitution_matrix, NULL));
    case_check_number(variant, "eq48", crd_analysis_quasi_energy_loss(&b, problem->restitution_matrix, NULL));
    case_check(variant, "G", b.G, p * p);
    crd_analysis_quasi_fremond(&b, problem->restitution_matrix, fremond);
    case_check(variant, "fremond_matrix", fremond, p * p);
  } else {
    propositions(problem, &b, zero, problem->restitution_full, c);
    case_check_number(variant, "prop9_norm", c[CRD_PROP9].value);
    case_check_number(variant, "prop9_bound", c[CRD_PROP9].bound);
    case_check_number(variant, "prop9_verdict", c[CRD_PROP9].holds);
    case_check_number(variant, "min_eig_D_minus_EtDE", c[CRD_PROP9_EXACT].value);
  }
  crd_contact_problem_free(problem);
}

static void energies_of_the_case_files_are_reproduced(void **state) {
  (void)state;
  for_case_variants("quasi_09", check_energy);
  for_case_variants("quasi_10", check_energy);
}

static void check_conservative(const case_variant *variant) {
  double G[4], *E;
  int count;
  const json_t *solutions = json_object_get(variant->outputs, "solutions");
  crd_arena_reset(&arena);
  if (!solutions) return;
  assert_int_equal(case_numbers(variant->inputs, "G", G, 4), 4);
  assert_int_equal(crd_analysis_quasi_conservative(2, G, &count, &E, &arena), CRD_OK);
  assert_int_equal(count, (int)json_array_size(solutions));
  for (int i = 0; i < count; i++) {
    bool swap = strcmp(json_string_value(json_array_get(solutions, (size_t)i)), "swap") == 0;
    const double expected[2][4] = {{1, 0, 0, 1}, {0, 1, 1, 0}};
    for (int k = 0; k < 4; k++) assert_true(fabs(E[4 * i + k] - expected[swap][k]) < 1e-12);
  }
}

static void conservative_matrices_are_those_of_the_errata(void **state) {
  (void)state;
  for_case_variants("quasi_09", check_conservative);
}

static void check_theorem2(const case_variant *variant) {
  crd_quasi_basis b;
  crd_theorem2 t;
  double xi[4], slip[8] = {0}, Enn[16] = {0};
  crd_contact_problem *problem;
  crd_arena_reset(&arena);
  case_numbers(variant->inputs, "xi", xi, 4);
  if (case_has(variant->inputs, "M")) {
    problem = form(variant, &b);
    memcpy(Enn, problem->restitution_matrix, sizeof *Enn * (size_t)(b.nc * b.nc));
  } else {
    /* particle of Example 5 */
    double m = case_number(variant->inputs, "m"), M[4] = {m, 0, 0, m}, rows[4] = {0, 1, 1, 0},
           v[2] = {case_number(variant->inputs, "xd"), case_number(variant->inputs, "yd")};
    Enn[0] = case_number(variant->inputs, "e_n");
    problem = make_problem(&(problem_def){
        .nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = case_number(variant->inputs, "mu")});
    assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
  }
  int p = b.nc;
  for (int c = 0; c < p; c++) slip[2 * c] = xi[c];
  assert_int_equal(crd_analysis_quasi_theorem2(&t, &b, problem, Enn, slip, &arena), CRD_OK);
  case_check_number(variant, "lemma1_lhs", t.lemma1_value);
  case_check_number(variant, "lemma1_ok", t.lemma1);
  case_check(variant, "E", t.E, p * p);
  case_check(variant, "Mq", t.M, p * p);
  case_check(variant, "Mbar", t.Mbar, p * p);
  case_check(variant, "K", t.K, p * p);
  case_check_number(variant, "lam_min_Mbar", t.lambda_min_Mbar);
  case_check_number(variant, "lam_max_K", t.lambda_max_K);
  case_check_number(variant, "lemma2_lhs", t.lemma2_value);
  case_check_number(variant, "lemma2_rhs", t.lemma2_bound);
  case_check_number(variant, "lemma2_ok", t.lemma2);
  case_check_number(variant, "cond_i", t.condition_i);
  case_check_number(variant, "ratio", t.ratio);
  case_check_number(variant, "cond_ii", t.condition_ii);
  if (t.condition_i) case_check_number(variant, "cond_ii_rhs", t.ratio_bound);
  if (case_has(variant->inputs, "M")) case_check_number(variant, "theorem2", t.holds);
  case_check_number(variant, "T_L_77", t.energy);
  case_check_number(variant, "T_L_84", t.energy);
  case_check_number(variant, "bound_81", t.bound);
  case_check(variant, "pbar", t.pbar, p);
  case_check(variant, "qd_plus_forced_sliding", t.qd_plus, b.nv);
  crd_contact_problem_free(problem);
}

static void theorem_2_is_that_of_the_case_files(void **state) {
  (void)state;
  for_case_variants("quasi_12", check_theorem2);
}

/* The sufficient criteria imply the exact ones; with nonnegative E Propositions 2 and 5 agree (C-16). */
static void sufficient_criteria_imply_exact_ones(void **state) {
  (void)state;
  random_stream stream = {.seed = 12};
  int six = 0, seven = 0, five = 0, two = 0;
  for (int trial = 0; trial < 1500; trial++) {
    int nc = 1 + trial % 4;
    crd_contact_problem *problem = random_problem(&stream, (random_problem_options){.nv = nc + 2, .nc = nc});
    double Enn[16], size = random_in(&stream, 0, 1.1);
    crd_quasi_basis b;
    crd_criterion c[CRD_QUASI_PROPOSITIONS];
    crd_arena_reset(&arena);
    for (int i = 0; i < nc * nc; i++)
      Enn[i] = trial % 3 ? size * random_in(&stream, -0.2, 1) : i / nc == i % nc ? size : 0;
    assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
    propositions(problem, &b, Enn, NULL, c);
    if (c[CRD_PROP7].holds) assert_true(c[CRD_PROP6].holds);
    if (c[CRD_PROP6].holds) assert_true(c[CRD_PROP2].holds);
    if (c[CRD_PROP4].holds) assert_true(c[CRD_PROP2].holds);
    if (c[CRD_PROP5].applies) {
      five++;
      assert_int_equal(c[CRD_PROP5].holds, c[CRD_PROP2].holds);
    }
    if (c[CRD_PROP3].applies) assert_int_equal(c[CRD_PROP3].holds, c[CRD_PROP2].holds);
    six += c[CRD_PROP6].holds, seven += c[CRD_PROP7].holds, two += c[CRD_PROP2].holds;
    crd_contact_problem_free(problem);
  }
  assert_true(five > 300 && seven > 100 && six > seven && two > six && two < 1500);
}

/* C-18: for two contacts Proposition 7 asks for |E|_F < sqrt((1 - a^2)/(2 (1 + a^2))). */
static void proposition_7_has_its_closed_form_for_two_contacts(void **state) {
  (void)state;
  const double a = 0.4, det = 1 - a * a, M[4] = {1 / det, -a / det, -a / det, 1 / det}, rows[4] = {1, 0, 0, 1},
               v[2] = {-1, -1}, Enn[4] = {0.3, 0, 0, 0.2};
  crd_contact_problem *problem = make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = rows});
  crd_quasi_basis b;
  crd_criterion c[CRD_QUASI_PROPOSITIONS];
  assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
  propositions(problem, &b, Enn, NULL, c);
  assert_true(fabs(c[CRD_PROP7].bound - sqrt(det / (2 * (1 + a * a)))) < 1e-14);
  assert_true(fabs(c[CRD_PROP6].bound - sqrt((1 - a) / (1 + a))) < 1e-14);
  crd_contact_problem_free(problem);
}

/* Power of contact forces: through quasi-velocities and through J, the same. */
static void power_is_the_same_in_both_coordinates(void **state) {
  (void)state;
  random_stream stream = {.seed = 4};
  for (int trial = 0; trial < 100; trial++) {
    crd_contact_problem *problem = random_problem(&stream, (random_problem_options){.nv = 7, .nc = 2, .ntangent = 2});
    crd_quasi_basis b;
    double ln[2], lt[4], normal, fn, ft, expected[2] = {0, 0};
    crd_arena_reset(&arena);
    assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
    random_vector(&stream, 2, ln), random_vector(&stream, 4, lt);
    crd_analysis_quasi_power(&b, ln, lt, &normal, &fn, &ft);
    for (int c = 0; c < 2; c++) {
      expected[0] += problem->u[3 * c] * ln[c];
      expected[1] += problem->u[3 * c + 1] * lt[2 * c] + problem->u[3 * c + 2] * lt[2 * c + 1];
    }
    assert_true(fabs(normal - expected[0]) < 1e-11 && fabs(fn + ft - expected[1]) < 1e-11);
    crd_contact_problem_free(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_basis_of_the_case_files_is_reproduced),
      cmocka_unit_test(energies_of_the_case_files_are_reproduced),
      cmocka_unit_test(conservative_matrices_are_those_of_the_errata),
      cmocka_unit_test(theorem_2_is_that_of_the_case_files),
      cmocka_unit_test(sufficient_criteria_imply_exact_ones),
      cmocka_unit_test(proposition_7_has_its_closed_form_for_two_contacts),
      cmocka_unit_test(power_is_the_same_in_both_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
