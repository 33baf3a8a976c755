/* Campaign: 10^5 random problems with a known solution, redundant, degenerate, at the limit of sticking, with mass
 * ratios up to 1e6 and coefficients from 0 to 1e5, each solved from nothing and from a disturbed guess. No verdict is
 * wrong: CRD_OK only where a residual written independently in long double confirms it, CRD_NO_SOLUTION never. Giving
 * up (CRD_LIMIT) is honest, but at most once in 10^4 solves.
 *
 *   test_coulomb_long_solve [COUNT [FIRST]]      prints each problem that was given up */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/coulomb_campaign.h"

static int problems = 100000, first_problem = 0;
static const double TOLERANCE = 1e-9;
static const double LIMIT_SHARE = 1e-4; /* of the solves */

static known_options options_of(int k) {
  static const double mu[] = {0.3, 1, 3, 100, 1e5}, ratio[] = {1, 10, 1e3, 1e6};
  return (known_options){.contacts = 1 + k % 7,
                         .mu = mu[k % 5],
                         .mass_ratio = ratio[k % 4],
                         .frictionless = k % 11 == 0,
                         .redundant = k % 3 != 0,
                         .degenerate = k % 2 == 0,
                         .spin = k % 13 < 3,
                         .slides = k % 17 == 0,
                         .others = k % 19 < 6,
                         .foreign = k % 23 == 0};
}

typedef struct tally {
  long solves, limits, by_method[CRD_COULOMB_METHODS];
} tally;

static void judge(tally *t, int k, const char *how, const known_problem *known, crd_status status, const double *p,
                  const crd_coulomb_report *report) {
  long double residual = status == CRD_OK || status == CRD_LIMIT ? known_residual(&known->problem, p) : INFINITY;
  t->solves++;
  for (int m = 0; m < CRD_COULOMB_METHODS; m++) t->by_method[m] += report->settled[m];
  if (status == CRD_OK && residual <= TOLERANCE * (1 + 1e-3)) return;
  if (status != CRD_LIMIT) fail_msg("problem %d, %s: %s with residual %Lg", k, how, crd_status_text(status), residual);
  known_options o = options_of(k);
  t->limits++;
  printf(
      "limit: problem %d, %s, residual %.2Lg; %d contacts, %d rows of %d velocities, mu %g, masses %g,%s%s%s%s%s%s%s\n",
      k, how, residual, known->problem.ncontact, known->problem.n, known->nv, o.mu, o.mass_ratio,
      o.redundant ? " redundant" : "", o.degenerate ? " degenerate" : "", o.spin ? " spin" : "",
      o.slides ? " slides" : "", o.others ? " others" : "", o.foreign ? " foreign" : "",
      o.frictionless ? " frictionless" : "");
  fflush(stdout); /* a campaign takes minutes */
}

static void known_problems_are_never_misjudged(void **state) {
  (void)state;
  crd_coulomb_work *work = crd_coulomb_work_new();
  tally t = {0};
  for (int k = first_problem; k < first_problem + problems; k++) {
    static known_problem known;
    random_stream stream = {.seed = 9000000 + (uint64_t)k};
    known_options options = options_of(k);
    known_problem_make(&known, &stream, &options);
    assert_true(known_residual(&known.problem, known.p) <= 1e-13); /* the problem is what it is meant to be */
    double p[KNOWN_ROWS], u[KNOWN_ROWS];
    crd_mode mode[KNOWN_CONTACTS];
    crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
    crd_coulomb_options how = crd_coulomb_default();
    crd_coulomb_report report;
    crd_status status = crd_coulomb_solve(work, &known.problem, &how, &answer, &report);
    judge(&t, k, "cold", &known, status, p, &report);
    for (int i = 0; i < known.problem.n; i++) p[i] = known.p[i] * (1 + random_in(&stream, -0.1, 0.1));
    memcpy(mode, known.mode, sizeof mode);
    if (k % 4 == 0) mode[0] = CRD_MODE_NONE;
    how.warm = true;
    status = crd_coulomb_solve(work, &known.problem, &how, &answer, &report);
    judge(&t, k, "warm", &known, status, p, &report);
  }
  printf("%ld solves, given up %ld; islands settled by", t.solves, t.limits);
  for (int m = CRD_COULOMB_NEWTON; m < CRD_COULOMB_METHODS; m++)
    printf(" %s %ld", crd_coulomb_method_name((crd_coulomb_method)m), t.by_method[m]);
  printf("\n");
  assert_true((double)t.limits <= LIMIT_SHARE * (double)t.solves);
  crd_coulomb_work_free(work);
}

int main(int argc, char **argv) {
  if (argc > 1) problems = atoi(argv[1]);
  if (argc > 2) first_problem = atoi(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_problems_are_never_misjudged)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
