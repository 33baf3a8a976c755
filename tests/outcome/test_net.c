/* Claims: psi and the last step are those of Algorithm 2 [Halm & Posa], the number of samples is Lemma 1's; the three
 * inequalities on which src/outcome/net.c builds hold for random frictionless problems; where an epsilon-net is claimed
 * the known outcome has a sample within epsilon; every step is held against Theorem 7 and Lemma 13. */
#include <cradle/outcome.h>
#include <math.h>
#include <string.h>

#include "outcome/kernels.h"
#include "support/cmocka_all.h"
#include "support/example_problem.h"
#include "support/impact_problem.h"

enum { NV = 6, NC = 3 };

static crd_outcome_set sample(const crd_contact_problem *problem, crd_outcome_options options) {
  crd_outcome_set set = {0};
  assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
  return set;
}

static double kinetic_distance(const crd_contact_problem *p, const double *a, const double *b) {
  double square = 0;
  for (int i = 0; i < p->nv; i++)
    for (int j = 0; j < p->nv; j++) square += (a[i] - b[i]) * p->M[p->nv * i + j] * (a[j] - b[j]);
  return sqrt(fmax(square, 0));
}

/* The largest singular value of M^-1/2 J': the square root of W's largest eigenvalue, by the power method. */
static double strength(const crd_contact_problem *p) {
  double x[NC] = {1, 0.7, 0.4}, y[NC], length = 0;
  for (int k = 0; k < 2000; k++) {
    length = 0;
    for (int i = 0; i < p->nc; i++) {
      y[i] = 0;
      for (int j = 0; j < p->nc; j++) y[i] += p->W[p->nrow * i + j] * x[j];
      length = hypot(length, y[i]);
    }
    for (int i = 0; i < p->nc; i++) x[i] = y[i] / length;
  }
  return sqrt(length);
}

static void push(const crd_contact_problem *p, random_stream *stream, double size, double *v) {
  for (int i = 0; i < p->nrow; i++) {
    double impulse = random_in(stream, -size, size);
    for (int k = 0; k < p->nv; k++) v[k] += p->X[p->nv * i + k] * impulse;
  }
}

static void step(crd_outcome_stepper *stepper, const double *v, const double *bound, double *next) {
  int count;
  assert_int_equal(crd_outcome_step_all(stepper, v, bound, next, 1, &count), CRD_OK);
  assert_int_equal(count, 1);
}

/* ------------------------------------------------------------------------------------------------ formulas */

static void psi_is_that_of_line_two(void **state) {
  (void)state;
  /* a point of 2 kg: M^-1 Jbar' has the columns (0, 1/2), (1/2, 0), (-1/2, 0), of which sigma_max is sqrt(2)/2 */
  const double M[4] = {2, 0, 0, 2}, v[2] = {1, -1}, contact[4] = {0, 1, 1, 0};
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = contact, .mu = 0.5});
  crd_outcome_options options = crd_outcome_default();
  options.samples = 16, options.epsilon = 0.3;
  crd_outcome_set set = sample(p, options);
  double psi = sqrt(2) / 2 * 1.5 + 1;
  assert_true(fabs(set.net.psi - psi) <= 1e-14 * psi);
  assert_true(fabs(set.net.last_step - 0.1 / psi) <= 1e-14);
  assert_false(set.net.proved);
  assert_int_equal(set.claim, CRD_OUTCOME_INNER);
  crd_outcome_free(&set);
  crd_contact_problem_free(p);
}

static void samples_are_those_of_lemma_one(void **state) {
  (void)state;
  /* ceil(1 * 2 * sqrt(2) / 0.5) = 6 cells along an edge, Omega = 1/36 */
  double expected = log(0.01 / 36) / log(1 - 1.0 / 36);
  assert_true(fabs(pow(10, crd_outcome_net_samples(1, 2, 2, 0.5, 0.01)) - expected) <= 1e-9 * expected);
  /* Omega = 10^-600 is below the smallest number: M = (ln 100 + 600 ln 10) / Omega */
  expected = 600 + log10(log(100) + 600 * log(10));
  assert_true(fabs(crd_outcome_net_samples(1, 1, 100, 10.0 / (1e6 * (1 - 1e-9)), 0.01) - expected) <= 1e-3);
  assert_true(crd_outcome_net_samples(1, 0.1, 1, 1, 0.01) == 0);
}

/* ------------------------------------------------------------------------------------------------ the proof */

static void steps_without_friction_are_lipschitz_merge_and_end(void **state) {
  (void)state;
  random_stream stream = {.seed = 77};
  for (int k = 0; k < 200; k++) {
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = NV, .nc = NC});
    crd_outcome_options options = crd_outcome_default();
    crd_outcome_stepper *stepper;
    crd_outcome_termination cone = {0};
    assert_int_equal(crd_outcome_stepper_new(p, &options, &stepper), CRD_OK);
    assert_int_equal(crd_outcome_bound(p, 8, 1, 0.01, &cone), CRD_OK);
    double s = strength(p) * (1 + 1e-9), size = max_abs(p->v, NV), h = crd_outcome_default_h(p);
    double v[NV], w[NV], v1[NV], w1[NV], l[NC], m[NC], apart = 0;
    memcpy(v, p->v, sizeof v), memcpy(w, p->v, sizeof w);
    push(p, &stream, h, v), push(p, &stream, h, w);
    for (int c = 0; c < NC; c++) {
      l[c] = random_in(&stream, 0, h), m[c] = random_in(&stream, 0, h);
      apart = hypot(apart, l[c] - m[c]);
    }
    step(stepper, v, l, v1), step(stepper, w, m, w1);
    assert_true(kinetic_distance(p, v1, w1) <= kinetic_distance(p, v, w) + s * apart + 1e-9 * size);
    /* five steps and one with their sums: |d| <= s t with t the sum of the bounds' lengths */
    double merged[NC] = {0}, t = 0;
    memcpy(w, v, sizeof w);
    for (int i = 0; i < 5; i++) {
      double length = 0;
      for (int c = 0; c < NC; c++) {
        l[c] = random_in(&stream, 0, 0.1 * h), merged[c] += l[c];
        length = hypot(length, l[c]);
      }
      step(stepper, w, l, w1);
      memcpy(w, w1, sizeof w), t += length;
    }
    step(stepper, v, merged, v1);
    assert_true(kinetic_distance(p, v1, w) <= s * t + 1e-9 * size);
    /* a step ends what approaches with at most delta, if its bound is R^2 delta */
    double delta = 0;
    for (int c = 0; c < NC; c++) {
      double u = 0;
      for (int i = 0; i < NV; i++) u += p->J[NV * p->contact[c].row + i] * v[i];
      delta = fmax(delta, -u);
    }
    if (cone.pointed && delta > 0) {
      for (int c = 0; c < NC; c++) l[c] = cone.free_norm * cone.free_norm * delta * (1 + 1e-9);
      step(stepper, v, l, v1);
      for (int c = 0; c < NC; c++) {
        double u = 0;
        for (int i = 0; i < NV; i++) u += p->J[NV * p->contact[c].row + i] * v1[i];
        assert_true(u >= -1e-8 * delta);
      }
    }
    crd_outcome_termination_free(&cone);
    crd_outcome_stepper_free(stepper);
    crd_contact_problem_free(p);
  }
}

/* Two contacts that do not feel each other, in units from 1e-6 to 1e6: the only outcome leaves neither approaching. */
static void uncoupled_contacts_have_a_proven_net(void **state) {
  (void)state;
  for (int k = -6; k <= 6; k += 3) {
    double unit = pow(10, k), M[4] = {1, 0, 0, 4}, v[2] = {-unit, -0.5 * unit}, contact[4] = {1, 0, 0, 1};
    crd_contact_problem *p = make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = contact});
    crd_outcome_options options = crd_outcome_default();
    options.samples = 1 << 20, options.epsilon = unit;
    crd_outcome_set set = sample(p, options);
    assert_true(set.net.proved && set.net.steps == 1);
    assert_int_equal(set.claim, CRD_OUTCOME_NET);
    /* psi = 1 * 2 + 1, R^2 = 1 + 4, s = 1, h = 2: ceil(h s sqrt(2) / (epsilon/(3 psi) / R^2 / 2)) = 255 cells an edge */
    double needed = log(0.01 / (255 * 255)) / log(1 - 1.0 / (255 * 255));
    assert_true(fabs(pow(10, set.net.log10_samples) - needed) <= 1e-9 * needed);
    double nearest = INFINITY;
    for (uint64_t i = 0; i < set.samples; i++)
      if (set.ending[i] == CRD_OUTCOME_DONE) nearest = fmin(nearest, hypot(set.v_plus[2 * i], set.v_plus[2 * i + 1]));
    assert_true(nearest <= options.epsilon);
    crd_outcome_free(&set);
    options.samples = 1 << 19; /* too few */
    set = sample(p, options);
    assert_int_equal(set.claim, CRD_OUTCOME_INNER);
    crd_outcome_free(&set);
    crd_contact_problem_free(p);
  }
}

/* One step of at most h = 2 from u_n = -1 with W = 1/2 needs 2: only samples whose bound misses that by at most the last
 * step end; all others are rejected. */
static void the_last_step_ends_what_it_can(void **state) {
  (void)state;
  const double M[4] = {2, 0, 0, 2}, v[2] = {1, -1}, contact[2] = {0, 1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 2, .nc = 1, .M = M, .v = v, .contact = contact});
  crd_outcome_options options = crd_outcome_default();
  options.h = 2, options.steps = 1, options.samples = 20000, options.epsilon = 0.45;
  crd_outcome_set set = sample(p, options);
  crd_outcome_stepper *stepper;
  double path[6], bound[2];
  assert_int_equal(crd_outcome_stepper_new(p, &options, &stepper), CRD_OK);
  assert_true(fabs(set.net.last_step - 0.1) <= 1e-15); /* psi = 1/2 + 1 */
  for (uint64_t i = 0; i < set.samples; i++) {
    int count;
    crd_outcome_end end;
    assert_int_equal(crd_outcome_path(stepper, i, path, bound, 3, &count, &end), CRD_OK);
    assert_int_equal(end, set.ending[i]);
    assert_int_equal(count, 3);
    assert_true(fabs(path[5] - set.v_plus[2 * i + 1]) <= 1e-15);
    assert_int_equal(end == CRD_OUTCOME_DONE, bound[0] + 0.1 >= 2);
  }
  assert_true(fabs((double)set.ended[CRD_OUTCOME_DONE] / 20000 - 0.05) < 0.01); /* 0.1 of 2 */
  crd_outcome_stepper_free(stepper);
  crd_outcome_free(&set);
  crd_contact_problem_free(p);
}

/* ------------------------------------------------------------------------------------------------ theorems */

static void no_step_contradicts_the_theorems(void **state) {
  (void)state;
  static const char *const EXAMPLE[] = {"rocking-block", "compass-gait", "box-wall", "ramone", "disk-stack"};
  for (size_t i = 0; i < sizeof EXAMPLE / sizeof *EXAMPLE; i++) {
    example_problem example = example_problem_open(EXAMPLE[i]);
    crd_outcome_options options = crd_outcome_default();
    options.samples = 4096, options.epsilon = 1e-3;
    crd_outcome_set set = sample(example.problem, options);
    assert_true(set.total_lcps > 4096);
    assert_int_equal(set.gaining_lcps, 0);
    assert_int_equal(set.stalled_lcps, 0);
    assert_int_equal(set.ended[CRD_OUTCOME_UNSOLVED], 0);
    crd_outcome_free(&set);
    example_problem_close(&example);
  }
}

static void contradictions_are_counted(void **state) {
  (void)state;
  const outcome_table table = {.rank = 2, .gain = 1e-9};
  outcome_batch batch = {0};
  const double small[2] = {0.6, 0.8}, equal[2] = {1, 0}, large[2] = {1, 0.1};
  outcome_batch_check(&batch, &table, small, equal, true, true);
  assert_true(batch.gained == 0 && batch.stalled == 0);
  outcome_batch_check(&batch, &table, small, large, true, true);
  assert_true(batch.gained == 1 && batch.stalled == 0);
  outcome_batch_check(&batch, &table, small, equal, false, true);
  outcome_batch_check(&batch, &table, small, equal, false, false);
  assert_true(batch.gained == 1 && batch.stalled == 1);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  const double M[1] = {1}, v[1] = {-1}, contact[1] = {1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 1, .nc = 1, .M = M, .v = v, .contact = contact});
  const struct {
    double epsilon, delta;
    bool restitution;
  } bad[] = {{-1, 0.1, false}, {NAN, 0.1, false}, {0.1, 0, false},
             {0.1, 1, false},  {0.1, 0.1, true},  {100, 0.1, false}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    crd_outcome_options options = crd_outcome_default();
    crd_outcome_set set = {0};
    options.samples = 4;
    options.epsilon = bad[i].epsilon, options.delta = bad[i].delta, options.restitution = bad[i].restitution;
    assert_int_equal(crd_outcome_sample(p, &options, &set), CRD_ERR_ARGUMENT);
  }
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(psi_is_that_of_line_two),
                                     cmocka_unit_test(samples_are_those_of_lemma_one),
                                     cmocka_unit_test(steps_without_friction_are_lipschitz_merge_and_end),
                                     cmocka_unit_test(uncoupled_contacts_have_a_proven_net),
                                     cmocka_unit_test(the_last_step_ends_what_it_can),
                                     cmocka_unit_test(no_step_contradicts_the_theorems),
                                     cmocka_unit_test(contradictions_are_counted),
                                     cmocka_unit_test(bad_options_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
