/* Claims: eliminating bilateral rows leaves the contact problem of the constrained system, for every rank of those
 * rows; the impulses that go with it keep the rows at rest. */
#include "impact/oblique.h"

#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/make_model.h"

/* One degree of freedom: two masses joined by a massless rigid rod, q = (x1, x2), b = (1, -1). A contact at x1 then
 * feels both masses: W = 1/(m1 + m2), and the rod carries m2/(m1 + m2) of the impulse. */
static void a_rod_makes_two_masses_one(void **state) {
  (void)state;
  const double M[4] = {2, 0, 0, 3}, n[2] = {1, 0}, v[2] = {-1, -1};
  const double rod[6] = {1, -1, 1, -1, 0, 0}; /* once, twice, and with an empty row */
  for (int nb = 1; nb <= 3; nb++) {
    crd_contact_problem *p =
        make_problem(&(problem_def){.nv = 2, .nc = 1, .nb = nb, .M = M, .v = v, .contact = n, .bilateral = rod});
    crd_arena arena = {0};
    crd_bilateral b;
    assert_int_equal(crd_bilateral_eliminate(&b, p, &arena), CRD_OK);
    assert_int_equal(b.oblique.rank, 1);
    assert_true(fabs(b.W[0] - 0.2) < 1e-15 && fabs(b.u_free[0] + 1) < 1e-15);
    double impulses[4] = {5}, plus[2];
    crd_bilateral_impulses(&b, p, impulses);
    crd_contact_problem_velocity(p, impulses, plus);
    assert_true(fabs(plus[0]) < 1e-14 && fabs(plus[1]) < 1e-14);
    double carried = impulses[1] + (nb > 1 ? impulses[2] : 0);
    assert_true(fabs(carried + 3) < 1e-14 && (nb < 2 || fabs(impulses[1] - impulses[2]) < 1e-14));
    crd_arena_free(&arena);
    crd_contact_problem_free(p);
  }
}

/* u+ = u_free' + W' p of the reduced problem is u+ of the full one with the bilateral impulses added, whatever p is. */
static void the_reduced_problem_predicts_the_full_one(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    random_stream stream = {.seed = seed};
    int nv = random_int(&stream, 2, 9);
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = nv,
                                                                              .nc = random_int(&stream, 1, 3),
                                                                              .ntangent = random_int(&stream, 0, 2),
                                                                              .nb = random_int(&stream, 0, nv - 1),
                                                                              .redundant = true});
    random_vector(&stream, nv, p->impulse);
    assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
    crd_arena arena = {0};
    crd_bilateral b;
    double impulses[32], reduced[32], full[32];
    assert_int_equal(crd_bilateral_eliminate(&b, p, &arena), CRD_OK);
    random_vector(&stream, p->nrow, impulses);
    crd_bilateral_impulses(&b, p, impulses);
    crd_contact_problem_contact_velocity(p, impulses, full);
    for (int i = 0; i < p->nrow; i++) {
      reduced[i] = b.u_free[i];
      for (int j = 0; j < p->nrow; j++) reduced[i] += b.W[p->nrow * i + j] * impulses[j];
    }
    check_close(reduced, full, p->nrow, 1e-10);
    assert_true(max_abs(full + p->nrow, p->nb) < 1e-10);
    crd_arena_free(&arena);
    crd_contact_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_makes_two_masses_one),
      cmocka_unit_test(the_reduced_problem_predicts_the_full_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
