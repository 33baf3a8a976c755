/* Claims: matrix gives the velocities, impulses and energies of the restitution matrix on kinetic quasi-velocities,
 * alone and with friction, as the case files and closed forms have them; it refuses what no impulse can do; it says
 * which of the three consistencies an answer has. */
#include <math.h>
#include <string.h>

#include "impact/oblique.h"
#include "impact/quasi.h"
#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static const double identity3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Three balls in line, the first one coming in with velocity 1. */
static crd_contact_problem *three_balls(const double mass[3], double e1, double e21) {
  const double M[9] = {mass[0], 0, 0, 0, mass[1], 0, 0, 0, mass[2]}, v[3] = {1, 0, 0}, rows[6] = {-1, 1, 0, 0, -1, 1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 3, .nc = 2, .M = M, .v = v, .contact = rows});
  assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
  /* the second contact is at rest: its column does not matter */
  const double E[4] = {e1, 0.3, e21, 0.7};
  memcpy(p->restitution_matrix, E, sizeof E);
  return p;
}

/* Erratum C-21: energy is kept exactly on the ellipse e1^2 + e21^2 - 2 G12 e1 e21 = 1, G12 = -1/2 for equal masses;
 * inside it is lost, outside gained. G12 of C-04. */
static void energy_is_kept_on_the_ellipse(void **state) {
  (void)state;
  random_stream stream = {.seed = 8};
  for (int trial = 0; trial < 200; trial++) {
    double mass[3];
    for (int i = 0; i < 3; i++) mass[i] = trial == 0 ? 1 : random_in(&stream, 0.2, 5);
    double G12 = -sqrt(mass[0] * mass[2] / ((mass[0] + mass[1]) * (mass[1] + mass[2])));
    double angle = random_in(&stream, 0, acos(0)), c = cos(angle), s = sin(angle);
    double radius = 1 / sqrt(1 - 2 * G12 * c * s), stretch = 0.9 + 0.1 * (trial % 3);
    if (trial == 0) assert_true(fabs(G12 + 0.5) < 1e-15);
    crd_contact_problem *p = three_balls(mass, stretch * radius * c, stretch * radius * s);
    crd_impact_result result = {0};
    resolve_with("matrix", p, &result);
    const crd_impact_solution *a = &result.solution[0];
    /* the energy of the relative motion, all of it in the normals, is multiplied by stretch^2 (48) */
    double total = mass[0] + mass[1] + mass[2], common = 0.5 * mass[0] * mass[0] / total;
    double relative = a->kinetic_before - common, change = a->kinetic_after - a->kinetic_before;
    assert_true(fabs(change) <= 2 * relative);
    if (trial % 3 == 1) assert_true(fabs(change) < 1e-14 * mass[0]);
    if (trial % 3 == 0) assert_true(change < 0);
    if (trial % 3 == 2) assert_true(change > 0 && a->check.gains_energy);
    assert_true(strstr(result.note[0], trial % 3 == 2 ? "energetic no" : "energetic yes"));
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

/* Newton's cradle: E = [[0, .], [1, .]] hands the velocity through; kinematically, kinetically and energetically
 * consistent. */
static void newtons_cradle_by_a_matrix(void **state) {
  (void)state;
  const double mass[3] = {2, 2, 2}, after[3] = {0, 0, 1};
  crd_contact_problem *p = three_balls(mass, 0, 1);
  crd_impact_result result = {0};
  resolve_with("matrix", p, &result);
  assert_int_equal(result.count, 1);
  assert_true(max_difference(result.solution[0].v_plus, after, 3) < 1e-14);
  assert_true(fabs(result.solution[0].p[0] - 2) < 1e-14 && fabs(result.solution[0].p[1] - 2) < 1e-14);
  assert_non_null(strstr(result.note[0], "kinematic yes, kinetic yes, energetic yes"));
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void check_variant(const case_variant *variant) {
  if (!case_has(variant->inputs, "qd_minus") || !case_has(variant->outputs, "T_L")) return;
  crd_contact_problem *p = case_problem(variant);
  if (case_has(variant->inputs, "e_n1")) {
    const double E[4] = {case_number(variant->inputs, "e_n1"), 0, case_number(variant->inputs, "e_n21"), 0};
    assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
    memcpy(p->restitution_matrix, E, sizeof E);
  }
  crd_impact_result result = {0};
  resolve_with("matrix", p, &result);
  assert_int_equal(result.count, 1);
  const crd_impact_solution *s = &result.solution[0];
  assert_true(s->residual < 1e-12);
  double p_n[8], pbar[8], plus[8], minus[8];
  for (int c = 0; c < p->nc; c++) {
    int m = p->nrow + p->nb, r = p->contact[c].row;
    double norm = sqrt(p->W[m * r + r]);
    p_n[c] = s->p[r], pbar[c] = norm * p_n[c], plus[c] = s->u_plus[r] / norm, minus[c] = p->u[r] / norm;
  }
  case_check(variant, "qd_plus", s->v_plus, p->nv);
  case_check(variant, "p_n", p_n, p->nc), case_check(variant, "pbar_n", pbar, p->nc);
  case_check(variant, "qd_norm_plus", plus, p->nc), case_check(variant, "qd_norm_minus", minus, p->nc);
  static const char *const energies[] = {"T_L",  "eq46", "eq47", "eq48", "eq49_corrected", "eq61_corrected",
                                         "eq62", "eq63"};
  for (size_t i = 0; i < sizeof energies / sizeof *energies; i++)
    case_check_number(variant, energies[i], s->kinetic_after - s->kinetic_before);
  if (case_has(variant->outputs, "kinematic_ok"))
    assert_true(strstr(result.note[0], "kinematic yes, kinetic yes") != NULL);
  if (case_has(variant->outputs, "fremond_matrix")) { /* (45): the same law on the contact velocities themselves */
    double expected[16];
    memcpy(expected, s->v_plus, sizeof *expected * (size_t)p->nv);
    case_numbers(variant->outputs, "fremond_matrix", p->restitution_matrix, p->nc * p->nc);
    resolve_with("projection", p, &result);
    assert_true(max_difference(result.solution[0].v_plus, expected, p->nv) < 1e-10);
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void ellipse_cases(void **state) {
  (void)state;
  for_case_variants("quasi_09", check_variant);
}

static void energy_form_cases(void **state) {
  (void)state;
  for_case_variants("quasi_10", check_variant);
}

/* Prop. 1: E = e I is the global coefficient, whatever the kinetic angles: v+ of the projection law on independent
 * rows, and T_L = -(1 - e^2)/2 qd_norm' G^-1 qd_norm (48). */
static void equal_coefficients_are_the_projection_law(void **state) {
  (void)state;
  random_stream stream = {.seed = 4};
  for (int trial = 0; trial < 10000; trial++) {
    int nc = random_int(&stream, 1, 6), nb = random_int(&stream, 0, 2);
    double e = random_in(&stream, 0, 1);
    crd_contact_problem *p = random_problem(
        &stream, (random_problem_options){.nv = nc + nb + random_int(&stream, 0, 3), .nc = nc, .nb = nb});
    crd_impact_result matrix = {0}, projection = {0};
    for (int c = 0; c < nc; c++) p->contact[c].e = e;
    resolve_with("matrix", p, &matrix), resolve_with("projection", p, &projection);
    const crd_impact_solution *a = &matrix.solution[0], *b = &projection.solution[0];
    double size = 1 + max_abs(b->v_plus, p->nv), gain = a->check.energy_gain;
    if (!(max_difference(a->v_plus, b->v_plus, p->nv) < 1e-10 * size))
      fail_msg("trial %d: %g apart", trial, max_difference(a->v_plus, b->v_plus, p->nv));
    assert_true(a->check.bilateral < 1e-9 && gain <= 1e-12);
    crd_impact_result_free(&matrix), crd_impact_result_free(&projection);
    crd_contact_problem_free(p);
  }
}

/* Random matrices on random problems: the velocities asked for, no tangential impulse, momentum. */
static void random_matrices_are_obeyed(void **state) {
  (void)state;
  random_stream stream = {.seed = 6};
  for (int trial = 0; trial < 2000; trial++) {
    int nc = random_int(&stream, 1, 5), nb = random_int(&stream, 0, 2);
    crd_contact_problem *p =
        random_problem(&stream, (random_problem_options){.nv = nc + nb + 4, .nc = nc, .ntangent = 1, .nb = nb});
    assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
    random_vector(&stream, nc * nc, p->restitution_matrix);
    crd_impact_result result = {0};
    resolve_with("matrix", p, &result);
    const crd_impact_solution *s = &result.solution[0];
    int m = p->nrow + nb;
    for (int i = 0; i < nc; i++) {
      double asked = 0;
      for (int j = 0; j < nc; j++) /* (45) */
        asked -=
            p->restitution_matrix[nc * i + j] * sqrt(p->W[m * 2 * i + 2 * i] / p->W[m * 2 * j + 2 * j]) * p->u[2 * j];
      assert_true(fabs(s->u_plus[2 * i] - asked) < 1e-8 * (1 + fabs(asked)));
      assert_true(s->p[2 * i + 1] == 0);
    }
    assert_true(s->check.momentum < 1e-9 && s->check.bilateral < 1e-8 && s->residual < 1e-8);
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

/* t_q' M t_q = 1, t_q' M n_q = 0, and n - (number of independent rows) of them. */
static void tangential_basis_is_kinetic_orthonormal(void **state) {
  (void)state;
  random_stream stream = {.seed = 9};
  for (int trial = 0; trial < 500; trial++) {
    int n = random_int(&stream, 2, 9), nc = random_int(&stream, 0, n - 1), nb = random_int(&stream, 0, 1), count;
    crd_contact_problem *p =
        random_problem(&stream, (random_problem_options){.nv = n, .nc = nc, .nb = nb, .redundant = trial % 2});
    crd_arena arena = {0};
    double *t;
    assert_int_equal(crd_quasi_tangent(p, &arena, &count, &t), CRD_OK);
    if (trial % 2 == 0) assert_int_equal(count, n - nc - nb);
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < count; j++) assert_true(fabs(crd_quasi_product(p, t + n * i, t + n * j) - (i == j)) < 1e-12);
      for (int r = 0; r < nc + nb; r++) {
        double along = 0;
        for (int k = 0; k < n; k++) along += p->J[n * r + k] * t[n * i + k];
        assert_true(fabs(along) < 1e-11 * sqrt(p->W[(nc + nb) * r + r]));
      }
    }
    crd_arena_free(&arena);
    crd_contact_problem_free(p);
  }
}

/* A disk on the floor, E = diag(e, e_x, e_spin): the two tangential quasi-velocities are sqrt(m) xd and sqrt(I) thd
 * (36), and one friction impulse moves both: (55) holds only if it can, here for xd+ = xd- + p/m, thd+ = thd- + R p/I.
 */
static void range_condition_decides(void **state) {
  (void)state;
  const double m = 2, R = 0.5, I = 0.25, M[9] = {m, 0, 0, 0, m, 0, 0, 0, I}, v[3] = {1, -1, 0.5},
               rows[6] = {0, 1, 0, 1, 0, R};
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 3, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows});
  assert_int_equal(crd_contact_problem_add_restitution_full(p), CRD_OK);
  const double push = -0.6, after[3] = {v[0] + push / m, 0.4, v[2] + R * push / I};
  double E[9] = {0.4, 0, 0, 0, -after[0] / v[0], 0, 0, 0, -after[2] / v[2]};
  memcpy(p->restitution_full, E, sizeof E);
  crd_impact_result result = {0};
  resolve_with("matrix", p, &result);
  assert_int_equal(result.count, 1);
  assert_true(max_difference(result.solution[0].v_plus, after, 3) < 1e-14);
  assert_true(fabs(result.solution[0].p[1] - push) < 1e-14 && fabs(result.solution[0].p[0] - 1.4 * m) < 1e-14);
  assert_true(result.solution[0].check.leaves_cone); /* mu = 0: the verifier says so */
  p->restitution_full[8] += 0.1;
  crd_impact_options options = crd_impact_default();
  assert_int_equal(crd_impact_resolve(crd_impact_find("matrix"), p, &options, &result), CRD_NO_SOLUTION);
  assert_true(result.count == 0 && strstr(result.note[0], "(55)"));
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* One wall counted twice with different coefficients asks for two velocities at once (erratum A-11); with equal ones it
 * is one wall. */
static void redundant_rows_need_agreeing_coefficients(void **state) {
  (void)state;
  const double v[3] = {0.3, -1, 0}, rows[6] = {0, 1, 0, 0, 2, 0}, after[3] = {0.3, 0.5, 0};
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 3, .nc = 2, .M = identity3, .v = v, .contact = rows, .e = 0.5});
  crd_impact_result result = {0};
  resolve_with("matrix", p, &result);
  assert_true(max_difference(result.solution[0].v_plus, after, 3) < 1e-14);
  p->contact[1].e = 0.6;
  crd_impact_options options = crd_impact_default();
  assert_int_equal(crd_impact_resolve(crd_impact_find("matrix"), p, &options, &result), CRD_NO_SOLUTION);
  options.e = 0.6; /* overrides both */
  assert_int_equal(crd_impact_resolve(crd_impact_find("matrix"), p, &options, &result), CRD_OK);
  assert_true(fabs(result.solution[0].v_plus[1] - 0.6) < 1e-14);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_kept_on_the_ellipse),
      cmocka_unit_test(newtons_cradle_by_a_matrix),
      cmocka_unit_test(ellipse_cases),
      cmocka_unit_test(energy_form_cases),
      cmocka_unit_test(equal_coefficients_are_the_projection_law),
      cmocka_unit_test(random_matrices_are_obeyed),
      cmocka_unit_test(tangential_basis_is_kinetic_orthonormal),
      cmocka_unit_test(range_condition_decides),
      cmocka_unit_test(redundant_rows_need_agreeing_coefficients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
