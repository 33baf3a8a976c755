/* The five systems of Halm & Posa against the reference figures of EXAMPLES.md (independent code): mean number of
 * steps, share at rest, energy and extents of the sampled set, within four standard errors of this sample. */
#include <math.h>

#include "support/cmocka_all.h"
#include "support/outcome_scene.h"

typedef struct figures {
  const char *name;
  double lcps, lcps_error; /* mean steps of a sample; largest plausible difference: four standard errors and rounding */
  double rest, rest_error;
  double energy; /* K+/K- never above */
} figures;

/* Standard deviations of the number of steps are about 1.2; of 2^14 samples, 4 sigma of the mean is 0.04, of a share p
 * 4 sqrt(p (1 - p) / 2^14) = 0.0156 at 1/2. Shares of the reference are given to three digits. */
static const figures FIGURES[] = {
    {"@rocking-block", 2.475, 0.04, 0.329, 0.016, 0.0735 + 1e-4}, /* (0.21 v0)^2 scaled: the limit of one corner */
    {"@compass-gait", 2.2534, 0.04, 0.117, 0.011, 0.601779 + 1e-6},
    {"@box-wall", 1.536, 0.03, 0.851, 0.012, 0.0708 + 1e-4},
    {"@ramone", 3.0034, 0.05, 0.336, 0.016, 0.701886 + 1e-6},
    {"@disk-stack", 2.363, 0.04, 0.135, 0.012, 0.12 + 5e-3},
};

static void means_and_shares_agree_with_the_reference(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof FIGURES / sizeof FIGURES[0]; i++) {
    const figures *f = &FIGURES[i];
    outcome_scene scene = outcome_scene_open(f->name);
    crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
    double samples = (double)set.samples, done = (double)set.ended[CRD_OUTCOME_DONE];
    assert_float_equal((double)set.total_lcps / samples, f->lcps, f->lcps_error);
    assert_float_equal((double)set.at_rest / done, f->rest, f->rest_error);
    assert_true(set.energy_ratio.max <= f->energy);
    assert_true(set.energy_ratio.min >= -1e-12);
    assert_int_equal(set.claim, CRD_OUTCOME_INNER);
    crd_outcome_free(&set);
    outcome_scene_close(&scene);
  }
}

/* Extents: [least, most] of normal and tangential velocity of a contact. reach: the sample comes at least this close to
 * the reference's end, as a share of the width (uniform sampling of 2^14 does not reach all of a set of 2^20). */
typedef struct extent {
  const char *system, *contact;
  double n[2], t[2], reach;
} extent;

static const extent EXTENTS[] = {
    {"@rocking-block", "A", {0, 0.0930183852795}, {0, 0}, 0.9},
    {"@rocking-block", "B", {0, 0.0930183852795}, {0, 0}, 0.9},
    {"@compass-gait", "A", {0, 0.0374}, {-0.0745, 0}, 0.6},
    {"@compass-gait", "B", {0, 0.0995551756309}, {0, 0.198019603924}, 0.99},
    {"@box-wall", "A", {0, 0}, {0, 0.372}, 0.8},
    {"@box-wall", "B", {0, 0.105642286542}, {0, 0.0725421704332}, 0.9},
    {"@ramone", "A", {0, 0}, {0, 0}, 1},
    {"@ramone", "B", {0, 0.00033082304515}, {-0.0273500896204, 0}, 0.99},
};

/* Does the range found lie in the range expected (with rounding of the reference's three digits) and fill it? */
static void check_range(const extent *e, crd_outcome_range found, const double expected[2]) {
  double width = expected[1] - expected[0], slack = 1e-8 + 2e-3 * width;
  bool inside = found.min >= expected[0] - slack && found.max <= expected[1] + slack;
  if (!inside || found.max - found.min < e->reach * width - 1e-12)
    fail_msg("%s %s: found [%.12g, %.12g], expected [%g, %g]", e->system, e->contact, found.min, found.max, expected[0],
             expected[1]);
}

static void extents_agree_with_the_reference(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof EXTENTS / sizeof EXTENTS[0]; i++) {
    const extent *e = &EXTENTS[i];
    outcome_scene scene = outcome_scene_open(e->system);
    crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
    int row = outcome_scene_row(&scene, e->contact);
    check_range(e, set.extent[row], e->n);
    check_range(e, set.extent[row + 1], e->t);
    crd_outcome_free(&set);
    outcome_scene_close(&scene);
  }
}

/* Wide sampling of the disks: n_C, n_D up to 0.24, n_E up to 0.13. */
static void disks_open_as_far_as_the_reference_says(void **state) {
  (void)state;
  outcome_scene scene = outcome_scene_open("@disk-stack");
  scene.options.pattern = CRD_OUTCOME_MIXED, scene.options.samples = 1 << 16;
  crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
  assert_true(set.extent[outcome_scene_row(&scene, "C")].max > 0.2);
  assert_true(set.extent[outcome_scene_row(&scene, "D")].max > 0.2);
  assert_true(set.extent[outcome_scene_row(&scene, "E")].max > 0.1);
  assert_true(set.energy_ratio.max <= 1 + 1e-12);
  crd_outcome_free(&set);
  outcome_scene_close(&scene);
}

/* Errata, section 4: several solutions in 90 % of the walker's steps, in over 99 % of RAMone's, in none of the block's
 * and the box's; Lemke's choice is one point for RAMone and needs 1.689 steps for the walker, 0.8 % at rest. */
static void ambiguity_and_selection_are_those_of_the_errata(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double least, most;
  } AMBIGUOUS[] = {{"@rocking-block", 0, 0}, {"@box-wall", 0, 0}, {"@compass-gait", 0.88, 0.92}, {"@ramone", 0.99, 1}};
  for (int i = 0; i < 4; i++) {
    outcome_scene scene = outcome_scene_open(AMBIGUOUS[i].name);
    crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
    double ambiguous = (double)set.ambiguous_lcps / (double)set.total_lcps;
    assert_true(set.ambiguity_known);
    assert_true(ambiguous >= AMBIGUOUS[i].least && ambiguous <= AMBIGUOUS[i].most);
    crd_outcome_free(&set);
    outcome_scene_close(&scene);
  }
  outcome_scene scene = outcome_scene_open("@compass-gait");
  scene.options.selection = CRD_OUTCOME_LEMKE;
  crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
  assert_float_equal((double)set.total_lcps / (double)set.samples, 1.689, 0.03);
  assert_float_equal((double)set.at_rest / (double)set.ended[CRD_OUTCOME_DONE], 0.0080, 0.003);
  crd_outcome_free(&set);
  outcome_scene_close(&scene);

  scene = outcome_scene_open("@ramone");
  scene.options.selection = CRD_OUTCOME_LEMKE;
  set = outcome_scene_sample(&scene, &scene.options);
  for (int row = 0; row < set.nrow; row++) assert_true(set.extent[row].max - set.extent[row].min < 1e-9);
  crd_outcome_free(&set);
  scene.options.selection = CRD_OUTCOME_RANDOM_COVER; /* more than one point */
  set = outcome_scene_sample(&scene, &scene.options);
  assert_true(set.energy_ratio.max - set.energy_ratio.min > 1e-5);
  crd_outcome_free(&set);
  outcome_scene_close(&scene);
}

/* One contact at a time, each struck until it is resolved, is the sequential law; its outcomes are in the set. */
static void sequential_outcomes_are_reached(void **state) {
  (void)state;
  outcome_scene scene = outcome_scene_open("@rocking-block");
  scene.options.pattern = CRD_OUTCOME_SEQUENTIAL, scene.options.samples = 64;
  crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
  /* A then B leaves A with 0.21 v0, and mirrored */
  assert_float_equal(set.extent[outcome_scene_row(&scene, "A")].max, 0.0930183852795, 1e-12);
  assert_float_equal(set.extent[outcome_scene_row(&scene, "B")].max, 0.0930183852795, 1e-12);
  assert_float_equal(set.energy_ratio.max, 0.0735, 1e-4);
  crd_outcome_free(&set);
  outcome_scene_close(&scene);

  scene = outcome_scene_open("@box-wall");
  scene.options.pattern = CRD_OUTCOME_SEQUENTIAL, scene.options.samples = 64;
  set = outcome_scene_sample(&scene, &scene.options);
  int a = outcome_scene_row(&scene, "A"), b = outcome_scene_row(&scene, "B");
  assert_float_equal(set.extent[a + 1].max, 0.305764805792, 1e-10);
  assert_float_equal(set.extent[b].max, 0.105642286542, 1e-10);
  crd_outcome_free(&set);
  outcome_scene_close(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(means_and_shares_agree_with_the_reference),
                                     cmocka_unit_test(extents_agree_with_the_reference),
                                     cmocka_unit_test(disks_open_as_far_as_the_reference_says),
                                     cmocka_unit_test(ambiguity_and_selection_are_those_of_the_errata),
                                     cmocka_unit_test(sequential_outcomes_are_reached)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
