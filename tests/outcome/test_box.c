/* Outcomes of a point mass that hits a floor, whose coefficients and velocity are known up to a box: the set is an
 * interval in closed form. */
#include <math.h>
#include <string.h>

#include <cradle/outcome.h>

#include "support/cmocka_all.h"

/* Mass 2 in the plane, v = (1, -1): without sticking u_t+ = 1 - mu (1 + e), u_n+ = e. */
static crd_contact_problem *point_mass(double mu, double e) {
  crd_contact_problem *p = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(p, 2, 1, 2, 0, true), CRD_OK);
  memcpy(p->M, (double[4]){2, 0, 0, 2}, 4 * sizeof(double));
  memcpy(p->J, (double[4]){0, 1, 1, 0}, 4 * sizeof(double));
  memcpy(p->v, (double[2]){1, -1}, 2 * sizeof(double));
  memset(p->contact, 0, sizeof *p->contact);
  p->contact[0].name = "A", p->contact[0].ntangent = 1;
  p->contact[0].mu = p->contact[0].mu_static = mu, p->contact[0].e = e;
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  return p;
}

static crd_outcome_set sample(const crd_contact_problem *p, crd_outcome_box box, crd_outcome_options options) {
  crd_outcome_set set = {0};
  assert_int_equal(crd_outcome_sample_box(p, &box, &options, &set), CRD_OK);
  assert_int_equal(set.ended[CRD_OUTCOME_DONE], options.samples);
  return set;
}

/* 400 uniform draws leave a gap of 5 % of the width at an end with probability 0.975^400 < 1e-4. */
static void assert_fills(crd_outcome_range found, double min, double max) {
  double width = max - min;
  assert_true(found.min >= min - 1e-12 && found.min <= min + 0.05 * width);
  assert_true(found.max <= max + 1e-12 && found.max >= max - 0.05 * width);
}

static void friction_within_its_width_gives_an_interval_of_sliding(void **state) {
  (void)state;
  crd_contact_problem *p = point_mass(0.5, 0);
  crd_outcome_options options = crd_outcome_default();
  options.samples = 2000;
  crd_outcome_set set = sample(p, (crd_outcome_box){.mu = 0.2, .draws = 400}, options);
  assert_fills(set.extent[1], 0.3, 0.7);
  assert_true(fabs(set.extent[0].min) <= 1e-8 && fabs(set.extent[0].max) <= 1e-8);
  crd_outcome_free(&set);
  crd_contact_problem_free(p);
}

static void restitution_within_its_width_gives_an_interval_of_rebounds(void **state) {
  (void)state;
  crd_contact_problem *p = point_mass(0, 0.5);
  crd_outcome_options options = crd_outcome_default();
  options.samples = 2000, options.restitution = true;
  crd_outcome_set set = sample(p, (crd_outcome_box){.e = 0.1, .draws = 400}, options);
  assert_fills(set.extent[0], 0.4, 0.6);
  crd_outcome_free(&set);
  crd_contact_problem_free(p);
}

static void velocity_within_its_width_is_carried_along(void **state) {
  (void)state;
  crd_contact_problem *p = point_mass(0, 0);
  crd_outcome_options options = crd_outcome_default();
  options.samples = 2000;
  crd_outcome_set set = sample(p, (crd_outcome_box){.v = 0.25, .draws = 400}, options);
  assert_fills(set.extent[1], 0.75, 1.25);
  assert_true(set.energy_ratio.max <= 1 + 1e-12);
  crd_outcome_free(&set);
  crd_contact_problem_free(p);
}

static void a_box_without_width_is_the_set_itself_whatever_the_draws_and_threads(void **state) {
  (void)state;
  crd_contact_problem *p = point_mass(0.5, 0);
  crd_outcome_options options = crd_outcome_default();
  options.samples = 1001;
  crd_outcome_set plain = {0}, drawn = sample(p, (crd_outcome_box){.draws = 7}, options);
  options.threads = 2;
  crd_outcome_set again = sample(p, (crd_outcome_box){.draws = 7}, options);
  assert_int_equal(crd_outcome_sample(p, &options, &plain), CRD_OK);
  assert_memory_equal(plain.v_plus, drawn.v_plus, 1001 * 2 * sizeof(double));
  assert_memory_equal(plain.v_plus, again.v_plus, 1001 * 2 * sizeof(double));
  assert_memory_equal(plain.lcps, drawn.lcps, 1001 * sizeof *plain.lcps);
  assert_int_equal(plain.total_lcps, drawn.total_lcps);
  crd_outcome_free(&plain), crd_outcome_free(&drawn), crd_outcome_free(&again);
  crd_contact_problem_free(p);
}

static bool stop_at_once(void *context, uint64_t done) {
  (void)context, (void)done;
  return false;
}

static void bad_boxes_are_refused_and_interrupts_are_told(void **state) {
  (void)state;
  crd_contact_problem *p = point_mass(0.5, 0);
  crd_outcome_options options = crd_outcome_default();
  crd_outcome_set set = {0};
  const crd_outcome_box bad[] = {
      {.mu = -1, .draws = 1}, {.e = NAN, .draws = 1}, {.v = INFINITY, .draws = 1}, {.mu = 1}};
  for (int i = 0; i < 4; i++) assert_int_equal(crd_outcome_sample_box(p, &bad[i], &options, &set), CRD_ERR_ARGUMENT);
  options.progress = stop_at_once, options.samples = 1 << 20;
  assert_int_equal(crd_outcome_sample_box(p, &(crd_outcome_box){.mu = 0.1, .draws = 4}, &options, &set), CRD_OK);
  assert_int_equal(set.claim, CRD_OUTCOME_TRUNCATED);
  assert_true(set.ended[CRD_OUTCOME_MISSING] > 0);
  crd_outcome_free(&set);
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_within_its_width_gives_an_interval_of_sliding),
      cmocka_unit_test(restitution_within_its_width_gives_an_interval_of_rebounds),
      cmocka_unit_test(velocity_within_its_width_is_carried_along),
      cmocka_unit_test(a_box_without_width_is_the_set_itself_whatever_the_draws_and_threads),
      cmocka_unit_test(bad_boxes_are_refused_and_interrupts_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
