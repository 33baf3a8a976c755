/* Claim: the law `stick-slip` reproduces every case file fric_*. */
#include <cradle/impact.h>
#include <string.h>

#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static crd_impact_result result;

static int release(void **state) {
  (void)state;
  crd_impact_result_free(&result);
  return 0;
}

static const crd_impact_solution *resolve(const crd_contact_problem *problem) {
  return resolve_stick_slip(problem, &result);
}

static int variants;

static void check_single(const case_variant *variant, const crd_contact_problem *p) {
  crd_stick_slip found = stick_slip_outcomes(p);
  const crd_contact *contact = &p->contact[0];
  case_check_number(variant, "sigma", found.discriminator);
  case_check(variant, "stick_impulse", found.stick, p->nrow);
  case_check_number(variant, "n_slip_solutions", found.slips);
  case_check_number(variant, "mean_zero_valid", found.mean_zero);
  case_check_number(variant, "slip_unique", found.slips == 1 && !found.mean_zero);
  if (found.slips > 0) {
    case_check(variant, "u", found.outcome[0].direction, contact->ntangent);
    case_check_number(variant, "g", found.outcome[0].i[0] / (-(1 + contact->e) * p->u[0]));
  }
}

static void check_listed_solutions(const case_variant *variant, const crd_contact_problem *p) {
  const json_t *listed = json_object_get(variant->outputs, "all_solutions");
  if (!listed) return;
  assert_int_equal(count_labelled(&result, "slip"), (int)json_array_size(listed));
  for (int k = 0; k < count_labelled(&result, "slip"); k++) {
    case_variant one = *variant;
    one.outputs = json_array_get(listed, (size_t)k);
    const crd_impact_solution *answer = &result.solution[k];
    case_check(&one, "impulse", answer->p, p->nrow);
    case_check(&one, "v_plus", answer->u_plus, p->nrow);
    case_check_number(&one, "W", answer->kinetic_after - answer->kinetic_before);
  }
}

static void check_answer(const case_variant *variant, const crd_contact_problem *p) {
  const crd_impact_solution *answer = resolve(p);
  case_check(variant, "v_minus", p->u, p->nrow);
  case_check(variant, "D", p->W, p->nrow * p->nrow);
  case_check(variant, "impulse", answer->p, p->nrow);
  case_check(variant, "v_plus", answer->u_plus, p->nrow);
  case_check(variant, "qd_plus", answer->v_plus, p->nv);
  case_check_number(variant, "K_minus", answer->kinetic_before);
  case_check_number(variant, "K_plus", answer->kinetic_after);
  case_check_number(variant, "W", answer->kinetic_after - answer->kinetic_before);
  double mean[2] = {0}, turn = 0;
  for (int t = 1; t < p->nrow; t++)
    mean[t - 1] = 0.5 * (p->u[t] + answer->u_plus[t]), turn += p->u[t] * answer->u_plus[t];
  if (strcmp(answer->label, "slip") == 0) case_check(variant, "vbar_t", mean, p->nrow - 1);
  case_check_number(variant, "slip_reversed", turn < 0);
  check_listed_solutions(variant, p);
}

static void check_mode(const case_variant *variant) {
  const char *mode = json_string_value(json_object_get(variant->outputs, "mode"));
  if (!mode) return;
  bool several = strcmp(mode, "slip-nonunique") == 0;
  assert_string_equal(result.solution[0].label, several ? "slip" : mode);
  assert_int_equal(result.count > 1, several);
}

/* Outputs for several coefficients of friction. */
static void check_sweep(const case_variant *variant, crd_contact_problem *p) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(variant->outputs, "sweep"), i, item) {
    case_variant one = *variant;
    one.outputs = item;
    p->contact[0].mu = case_number(item, "mu"), p->contact[0].mu_static = 0;
    const crd_impact_solution *answer = resolve(p);
    case_check_number(&one, "n", count_labelled(&result, "slip"));
    case_check(&one, "impulse", answer->p, p->nrow);
    case_check(&one, "v_plus", answer->u_plus, p->nrow);
    case_check_number(&one, "W", answer->kinetic_after - answer->kinetic_before);
  }
}

static void check_impact(const case_variant *variant) {
  if (!case_has(variant->inputs, "a_n") || !case_has(variant->inputs, "qd_minus")) return;
  crd_contact_problem *p = case_problem(variant);
  if (case_has(variant->outputs, "sweep")) {
    check_sweep(variant, p);
  } else {
    if (case_has(variant->inputs, "E")) p->contact[0].mu_static = 1e9; /* the sticking law alone */
    check_answer(variant, p);
    check_mode(variant);
    check_single(variant, p);
  }
  crd_contact_problem_free(p);
  variants++;
}

static void case_files_are_reproduced(void **state) {
  (void)state;
  variants = 0;
  for_case_variants("fric_", check_impact);
  assert_true(variants >= 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_files_are_reproduced),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
