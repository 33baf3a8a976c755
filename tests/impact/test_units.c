/* Claim: every law gives the same verdict, the same answers and the same digits in all units of mass, length and time:
 * scaled by powers of two, which round nothing, velocities, impulses and energies scale exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

/* M by mass, J by length, v by speed. */
static crd_contact_problem *in_units(const crd_contact_problem *problem, double mass, double length, double speed) {
  crd_contact_problem *copy = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_copy(problem, copy), CRD_OK);
  for (int i = 0; i < copy->nv * copy->nv; i++) copy->M[i] *= mass;
  for (int i = 0; i < copy->nv * (copy->nrow + copy->nb); i++) copy->J[i] *= length;
  for (int i = 0; i < copy->nv; i++) copy->v[i] *= speed;
  assert_int_equal(crd_contact_problem_complete(copy), CRD_OK);
  return copy;
}

static void compare(const crd_impact_law *law, const crd_contact_problem *problem, double mass, double length,
                    double speed) {
  crd_impact_options options = crd_impact_default();
  crd_impact_result one = {0}, other = {0};
  crd_contact_problem *scaled = in_units(problem, mass, length, speed);
  double impulse = mass * speed / length;
  options.max_solutions = 8;
  crd_status status = crd_impact_resolve(law, problem, &options, &one);
  crd_status again = crd_impact_resolve(law, scaled, &options, &other);
  if (status != again || one.count != other.count)
    fail_msg("%s: status %d with %d answers, in other units %d with %d", law->name, (int)status, one.count, (int)again,
             other.count);
  for (int k = 0; k < one.count; k++) {
    for (int i = 0; i < problem->nrow + problem->nb; i++)
      if (one.solution[k].p[i] * impulse != other.solution[k].p[i])
        fail_msg("%s: impulse %g, in other units %g", law->name, one.solution[k].p[i] * impulse,
                 other.solution[k].p[i]);
    assert_memory_equal(one.solution[k].mode, other.solution[k].mode, sizeof(crd_mode) * (size_t)problem->nc);
  }
  crd_impact_result_free(&one);
  crd_impact_result_free(&other);
  crd_contact_problem_free(scaled);
}

static void units_change_no_digit(void **state) {
  (void)state;
  random_stream stream = {.seed = 16};
  for (int k = 0; k < 60; k++) {
    random_problem_options o = {.nv = random_int(&stream, 2, 5), .nc = random_int(&stream, 1, 3)};
    o.ntangent = random_int(&stream, 0, 2), o.redundant = k % 4 == 0, o.nb = k % 3 == 0 && o.nv > 2;
    crd_contact_problem *problem = random_problem(&stream, o);
    for (int c = 0; c < problem->nc; c++) {
      problem->contact[c].mu = problem->contact[c].mu_static = random_int(&stream, 0, 3) * 0.4;
      problem->contact[c].e = random_int(&stream, 0, 4) * 0.25;
    }
    double mass = ldexp(1, 2 * random_int(&stream, -15, 15)), length = ldexp(1, random_int(&stream, -30, 30));
    double speed = ldexp(1, random_int(&stream, -30, 30));
    for (int i = 0; crd_impact_law_at(i); i++) compare(crd_impact_law_at(i), problem, mass, length, speed);
    crd_contact_problem_free(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_change_no_digit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
