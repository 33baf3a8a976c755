/* Claims: moreau is the projection on the normal cone in the kinetic metric: closed forms, the case files, and on
 * random problems of any rank never a gain of energy, bilateral rows kept, the solution of its complementarity problem.
 * implicit is the same with a matrix of coefficients. */
#include <math.h>
#include <string.h>

#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

/* n equal balls in a row, the first `incoming` of them with velocity 1. */
static crd_contact_problem *balls(int n, int incoming, double e) {
  double M[64] = {0}, v[8] = {0}, rows[64] = {0};
  for (int i = 0; i < n; i++) M[n * i + i] = 1, v[i] = i < incoming;
  for (int i = 0; i + 1 < n; i++) rows[n * i + i] = -1, rows[n * i + i + 1] = 1;
  return make_problem(&(problem_def){.nv = n, .nc = n - 1, .M = M, .v = v, .contact = rows, .e = e});
}

/* One ball against n - 1 at rest: all contacts are active, so that the others leave with one velocity: momentum and
 * u_1+ = e give v_1 = 1 - (1+e)(n-1)/n, v_i = (1+e)/n. */
static void chains_of_balls(void **state) {
  (void)state;
  for (int n = 2; n <= 6; n++)
    for (int k = 0; k <= 4; k++) {
      double e = 0.25 * k;
      crd_contact_problem *p = balls(n, 1, e);
      crd_impact_result result = {0};
      resolve_with("moreau", p, &result);
      assert_int_equal(result.count, 1);
      const crd_impact_solution *s = &result.solution[0];
      assert_true(fabs(s->v_plus[0] - (1 - (1 + e) * (n - 1) / n)) < 1e-13);
      for (int i = 1; i < n; i++) assert_true(fabs(s->v_plus[i] - (1 + e) / n) < 1e-13);
      /* (48): the energy of the relative motion is multiplied by e^2 */
      double common = 0.5 / n;
      assert_true(fabs(s->kinetic_after - common - e * e * (0.5 - common)) < 1e-13);
      crd_impact_result_free(&result);
      crd_contact_problem_free(p);
    }
}

/* [Brogliato, Example 1]: (-1/3, 2/3, 2/3) for e = 1, 1/3 each for e = 0. Five balls, two coming in: the two stay
 * together and so do the three, v = 1 - 2 (3/5), and 1 more. */
static void numbers_of_the_papers(void **state) {
  (void)state;
  const double three[3] = {-1. / 3, 2. / 3, 2. / 3}, rest[3] = {1. / 3, 1. / 3, 1. / 3},
               five[5] = {-0.2, -0.2, 0.8, 0.8, 0.8};
  const struct {
    int n, incoming;
    double e;
    const double *after;
  } cases[] = {{3, 1, 1, three}, {3, 1, 0, rest}, {5, 2, 1, five}};
  for (int i = 0; i < 3; i++) {
    crd_contact_problem *p = balls(cases[i].n, cases[i].incoming, cases[i].e);
    crd_impact_result result = {0};
    resolve_with("moreau", p, &result);
    assert_true(max_difference(result.solution[0].v_plus, cases[i].after, cases[i].n) < 1e-14);
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

/* A block a wide and h high rocks on its left corner and hits with the right one, e = 0. The left corner lifts if the
 * right one's impulse alone raises it: W_lr = 1/m - a^2/(4 I) > 0, I = m (a^2 + h^2)/12: h > sqrt(2) a. Then v_y = 2 I
 * w / (...) as the single impact has it; otherwise everything rests. Not the tensile impulse of the projection law
 * (A-18). */
static void tall_blocks_lift_the_other_corner(void **state) {
  (void)state;
  for (int tall = 0; tall <= 1; tall++) {
    const double m = 3, a = 0.5, h = tall ? 1 : 0.6, I = m * (a * a + h * h) / 12, w = -1;
    const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, I}, v[3] = {0, 0.5 * a * w, w},
                 rows[6] = {0, 1, -0.5 * a, 0, 1, 0.5 * a};
    crd_contact_problem *p = make_problem(&(problem_def){.nv = 3, .nc = 2, .M = M, .v = v, .contact = rows});
    crd_impact_result result = {0};
    resolve_with("moreau", p, &result);
    const crd_impact_solution *s = &result.solution[0];
    double single = -p->u[1] / (1 / m + a * a / (4 * I)), lift = single * (1 / m - a * a / (4 * I));
    if (tall) {
      assert_true(lift > 0 && fabs(s->u_plus[0] - lift) < 1e-14 && fabs(s->u_plus[1]) < 1e-14);
      assert_true(s->p[0] == 0 && fabs(s->p[1] - single) < 1e-14);
      assert_int_equal(s->mode[0], CRD_MODE_SEPARATE);
      assert_string_equal(result.note[0], "active set: 2");
    } else {
      assert_true(lift < 0 && max_abs(s->v_plus, 3) < 1e-14 && s->p[0] > 0 && s->p[1] > 0);
      assert_string_equal(result.note[0], "active set: 1, 2");
    }
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

static void check_moreau_case(const case_variant *variant) {
  crd_contact_problem *p = case_problem(variant);
  crd_impact_result result = {0};
  resolve_with("moreau", p, &result);
  const crd_impact_solution *s = &result.solution[0];
  double p_n[8], pbar[8], alpha[8], plus[8], minus[8], active[8];
  int count = 0, m = p->nrow;
  for (int c = 0; c < p->nc; c++) {
    double norm = sqrt(p->W[m * c + c]);
    p_n[c] = s->p[c], pbar[c] = norm * p_n[c], alpha[c] = pbar[c] / (1 + p->contact[c].e);
    plus[c] = s->u_plus[c] / norm, minus[c] = p->u[c] / norm;
    if (alpha[c] > 1e-10) active[count++] = c + 1;
  }
  case_check(variant, "qd_plus", s->v_plus, p->nv);
  case_check(variant, "alpha", alpha, p->nc), case_check(variant, "active_set", active, count);
  case_check(variant, "pbar_n", pbar, p->nc), case_check(variant, "p_n", p_n, p->nc);
  case_check(variant, "qd_norm_plus", plus, p->nc), case_check(variant, "qd_norm_minus", minus, p->nc);
  case_check_number(variant, "T_L", s->kinetic_after - s->kinetic_before);
  assert_true(s->residual < 1e-12);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void moreau_cases(void **state) {
  (void)state;
  for_case_variants("quasi_07", check_moreau_case);
}

/* A problem with M = I whose normalised Delassus matrix is G and whose qd_norm- is given: J = L of G = L L', L v =
 * qd_norm-. */
static crd_contact_problem *problem_of_G(int n, const double *G, const double *minus) {
  double M[16] = {0}, L[16] = {0}, v[4];
  for (int i = 0; i < n; i++) {
    double left = minus[i];
    M[n * i + i] = 1;
    for (int j = 0; j <= i; j++) {
      double sum = G[n * i + j];
      for (int k = 0; k < j; k++) sum -= L[n * i + k] * L[n * j + k];
      L[n * i + j] = i == j ? sqrt(sum) : sum / L[n * j + j];
      if (j < i) left -= L[n * i + j] * v[j];
    }
    v[i] = left / L[n * i + i];
  }
  return make_problem(&(problem_def){.nv = n, .nc = n, .M = M, .v = v, .contact = L});
}

static void check_implicit_case(const case_variant *variant) {
  double G[16], minus[4], Lambda[16] = {0}, plus[4], pbar[4], energy = 0;
  int n = case_numbers(variant->inputs, "qd_norm_minus", minus, 4);
  case_numbers(variant->inputs, "G", G, 16);
  bool scalar = case_numbers(variant->inputs, "Lambda", Lambda, 16) == 1;
  crd_contact_problem *p = problem_of_G(n, G, minus);
  if (scalar) {
    for (int c = 0; c < n; c++) p->contact[c].e = Lambda[0];
  } else {
    assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
    memcpy(p->restitution_matrix, Lambda, sizeof *Lambda * (size_t)(n * n));
  }
  /* a scalar is Moreau's law, and so is a diagonal with its entries as coefficients */
  for (int law = 0; law < 2; law++) {
    crd_impact_result result = {0};
    if (law == 1 && !scalar)
      for (int c = 0; c < n; c++) p->contact[c].e = Lambda[n * c + c];
    resolve_with(law ? "moreau" : "implicit", p, &result);
    const crd_impact_solution *s = &result.solution[0];
    for (int c = 0; c < n; c++) plus[c] = s->u_plus[c], pbar[c] = s->p[c];
    energy = s->kinetic_after - s->kinetic_before;
    case_check(variant, "qd_norm_plus", plus, n), case_check(variant, "pbar_n", pbar, n);
    case_check_number(variant, "T_L", energy);
    assert_true(s->residual < 1e-12);
    crd_impact_result_free(&result);
  }
  crd_contact_problem_free(p);
}

static void implicit_cases(void **state) {
  (void)state;
  for_case_variants("quasi_14", check_implicit_case);
}

/* 1 to 8 contacts on mechanisms of 1 to 10 velocities: fewer, as many and more contacts than velocities, copies and
 * sums of rows, bilateral rows. */
static crd_contact_problem *random_frictionless(random_stream *stream, double e) {
  int nc = random_int(stream, 1, 8), nv = random_int(stream, 1, 10), nb = random_int(stream, 0, nv < 4 ? nv - 1 : 3);
  crd_contact_problem *p = random_problem(
      stream, (random_problem_options){.nv = nv, .nc = nc, .nb = nb, .redundant = random_int(stream, 0, 1) == 1});
  for (int c = 0; c < nc; c++) {
    if (random_int(stream, 0, 4) == 0) /* some separate, and may be opposite to others */
      for (int k = 0; k < nv; k++) p->J[nv * c + k] = -p->J[nv * c + k];
    p->contact[c].e = e;
  }
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  return p;
}

static void random_problems_never_gain_energy(void **state) {
  (void)state;
  random_stream stream = {.seed = 41};
  double worst_gain = -INFINITY, worst_residual = 0;
  for (int trial = 0; trial < 10000; trial++) {
    double e = trial % 5 == 0 ? 1 : trial % 5 == 1 ? 0 : random_in(&stream, 0, 1);
    crd_contact_problem *p = random_frictionless(&stream, e);
    crd_impact_result result = {0};
    resolve_with("moreau", p, &result);
    assert_int_equal(result.count, 1);
    const crd_impact_solution *s = &result.solution[0];
    worst_gain = fmax(worst_gain, s->check.energy_gain), worst_residual = fmax(worst_residual, s->residual);
    if (!(s->check.energy_gain <= 1e-12)) fail_msg("trial %d gains %g", trial, s->check.energy_gain);
    if (!(s->residual < 1e-8 && s->check.bilateral < 1e-9 && s->check.momentum < 1e-9))
      fail_msg("trial %d: residual %g, bilateral %g, momentum %g", trial, s->residual, s->check.bilateral,
               s->check.momentum);
    assert_false(s->check.pulls || s->check.leaves_cone);
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

/* Single contact: (44), and all laws of restitution without friction. */
static void single_contact_agrees_with_the_other_laws(void **state) {
  (void)state;
  static const char *const others[] = {"newton", "matrix", "implicit", "projection"};
  random_stream stream = {.seed = 42};
  for (int trial = 0; trial < 1000; trial++) {
    int nb = random_int(&stream, 0, 2);
    crd_contact_problem *p = random_problem(
        &stream, (random_problem_options){.nv = 2 + nb + random_int(&stream, 0, 4), .nc = 1, .ntangent = 2, .nb = nb});
    p->contact[0].e = random_in(&stream, 0, 1);
    crd_impact_result result = {0}, other = {0};
    resolve_with("moreau", p, &result);
    for (int i = 0; i < 4; i++) {
      resolve_with(others[i], p, &other);
      assert_int_equal(other.count, 1);
      assert_true(max_difference(result.solution[0].v_plus, other.solution[0].v_plus, p->nv) <
                  1e-10 * (1 + max_abs(p->v, p->nv)));
    }
    if (nb == 0) /* (44) */
      for (int k = 0; k < p->nv; k++)
        assert_true(fabs(result.solution[0].v_plus[k] - p->v[k] + (1 + p->contact[0].e) * p->X[k] * p->u[0] / p->W[0]) <
                    1e-11);
    crd_impact_result_free(&result), crd_impact_result_free(&other);
    crd_contact_problem_free(p);
  }
}

/* Two ways to the same complementarity problem: all modes tried, and Lemke's method. */
static void several_contacts_agree_with_all_modes_tried(void **state) {
  (void)state;
  random_stream stream = {.seed = 43};
  for (int trial = 0; trial < 500; trial++) {
    int nc = random_int(&stream, 1, 6);
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = nc + 2, .nc = nc});
    for (int c = 0; c < nc; c++) p->contact[c].e = random_in(&stream, 0, 1);
    crd_impact_result result = {0}, other = {0};
    resolve_with("moreau", p, &result), resolve_with("newton", p, &other);
    assert_int_equal(other.count, 1);
    assert_true(max_difference(result.solution[0].v_plus, other.solution[0].v_plus, p->nv) < 1e-9);
    crd_impact_result_free(&result), crd_impact_result_free(&other);
    crd_contact_problem_free(p);
  }
}

/* Four corners of a square box that falls flat: a quarter of the impulse each, although three would do. */
static void dependent_contacts_share(void **state) {
  (void)state;
  const double m = 4, I = 0.5, M[9] = {m, 0, 0, 0, I, 0, 0, 0, I}, v[3] = {-1, 0, 0}; /* z, two tilts */
  const double rows[12] = {1, 1, 1, 1, -1, 1, 1, -1, -1, 1, 1, -1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 3, .nc = 4, .M = M, .v = v, .contact = rows, .e = 0.5});
  crd_impact_result result = {0};
  resolve_with("moreau", p, &result);
  for (int c = 0; c < 4; c++) assert_true(fabs(result.solution[0].p[c] - 1.5 * m / 4) < 1e-12);
  assert_true(result.nnote == 2 && strstr(result.note[1], "least norm"));
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* A ball between two walls that close: with one coefficient there is a solution, with two there is none. */
static void contradicting_coefficients_have_no_solution(void **state) {
  (void)state;
  const double M = 1, v = -1, rows[2] = {1, -1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 1, .nc = 2, .M = &M, .v = &v, .contact = rows, .e = 0.5});
  crd_impact_result result = {0};
  crd_impact_options options = crd_impact_default();
  resolve_with("moreau", p, &result);
  assert_true(fabs(result.solution[0].v_plus[0] - 0.5) < 1e-14);
  assert_true(result.solution[0].check.penetrates); /* the other wall is hit: Moreau's law says so */
  p->contact[1].e = 0.2;
  assert_int_equal(crd_impact_resolve(crd_impact_find("moreau"), p, &options, &result), CRD_NO_SOLUTION);
  assert_true(result.count == 0 && result.nnote == 2);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* Glocker: coefficients that differ may create energy. Erratum C-19, a = G12 = 1/2, e = (1, 0): for qd_norm- = (-1, -1)
 * both contacts would be active with p = G^-1 (2, 1) = (2, 0): on the boundary; qd_norm+ = (1, 0), and (46) gives T_L =
 * 1/2 (qd_norm+ + qd_norm-)' p = 0. With a = 1/2 and qd_norm- = (-0.5, -1): p = G^-1 (1, 1) = (2/3, 2/3), qd_norm+ =
 * (0.5, 0), T_L = 1/2 (0, -1) p = -1/3. */
static void different_coefficients_follow_thomson_and_tait(void **state) {
  (void)state;
  const double G[4] = {1, 0.5, 0.5, 1}, minus[2] = {-0.5, -1};
  crd_contact_problem *p = problem_of_G(2, G, minus);
  p->contact[0].e = 1, p->contact[1].e = 0;
  crd_impact_result result = {0};
  resolve_with("moreau", p, &result);
  const crd_impact_solution *s = &result.solution[0];
  assert_true(fabs(s->p[0] - 2. / 3) < 1e-14 && fabs(s->p[1] - 2. / 3) < 1e-14);
  assert_true(fabs(s->u_plus[0] - 0.5) < 1e-14 && fabs(s->u_plus[1]) < 1e-14);
  assert_true(fabs(s->kinetic_after - s->kinetic_before + 1. / 3) < 1e-14);
  assert_string_equal(result.note[0], "coefficients differ: energy need not be lost");
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_of_balls),
      cmocka_unit_test(numbers_of_the_papers),
      cmocka_unit_test(tall_blocks_lift_the_other_corner),
      cmocka_unit_test(moreau_cases),
      cmocka_unit_test(implicit_cases),
      cmocka_unit_test(random_problems_never_gain_energy),
      cmocka_unit_test(single_contact_agrees_with_the_other_laws),
      cmocka_unit_test(several_contacts_agree_with_all_modes_tried),
      cmocka_unit_test(dependent_contacts_share),
      cmocka_unit_test(contradicting_coefficients_have_no_solution),
      cmocka_unit_test(different_coefficients_follow_thomson_and_tait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
