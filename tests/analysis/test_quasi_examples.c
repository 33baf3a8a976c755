/* Claims: the built-in examples of Brogliato's sections 2.3 and 4.1 have the quasi-velocities, Delassus matrices and critical
 * friction of the paper, with errata C-04, C-07, C-33, and of its case files. */
#include <cradle/analysis.h>
#include <math.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"

static crd_arena arena;

static int release(void **state) {
  (void)state;
  crd_arena_free(&arena);
  return 0;
}

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected))))
    fail_msg("found %.15g, expected %.15g", found, expected);
}

static mechanism assembled(const char *name) {
  mechanism m = mechanism_from_example(name);
  mechanism_assemble(&m, NULL);
  crd_arena_reset(&arena);
  return m;
}

static crd_quasi_basis basis_of(const crd_contact_problem *problem) {
  crd_quasi_basis basis;
  assert_int_equal(crd_analysis_quasi_form(&basis, problem, NULL, 0, &arena), CRD_OK);
  return basis;
}

/* J = k^2 m: W_nn = 1/m + (r cos - l sin)^2/J, friction critical at the inverse of n_q' H_T / |grad h| (C-33). */
static void the_corner_of_a_box_on_a_slope(void **state) {
  (void)state;
  mechanism m = assembled("box-on-slope");
  const double r = 0.5, l = 0.25, phi = 0.4, k2 = (r * r + l * l) / 3, arm = r * cos(phi) - l * sin(phi),
               height = l * cos(phi) + r * sin(phi);
  crd_quasi_basis basis = basis_of(m.problem);
  double mu;
  assert_int_equal(m.problem->nc, 1);
  assert_near(m.problem->W[0], 1 + arm * arm / k2);
  assert_near(fabs(m.problem->W[1]), arm * height / k2);
  assert_int_equal(crd_analysis_wellposed_critical_least(&basis, m.problem, &mu, &arena), CRD_OK);
  assert_near(mu, (k2 + arm * arm) / (arm * height));
  mechanism_free(&m);
}

/* The case plane_m=1_R=1 of quasi_05_disks, whose velocity the example has. */
static void a_disk_on_a_plane_is_decoupled(void **state) {
  (void)state;
  mechanism m = assembled("disk-on-plane");
  crd_quasi_basis basis = basis_of(m.problem);
  assert_near(basis.norm_minus[0], -2);
  assert_near(m.problem->u[1], 4);
  assert_near(m.problem->W[1], 0);
  assert_near(m.problem->kinetic, 4.75);
  double tangential = 0;
  for (int i = 0; i < basis.ntan; i++) tangential += basis.tan_minus[i] * basis.tan_minus[i];
  assert_near(tangential, 1 + 2.12132034356 * 2.12132034356);
  mechanism_free(&m);
}

/* The case N=3_m=[1.0, 2.0, 4.0] of quasi_01_ball_chains: off-diagonal entry as corrected in C-04. */
static void unequal_balls_have_the_corrected_angle(void **state) {
  (void)state;
  mechanism m = assembled("unequal-balls");
  crd_quasi_basis basis = basis_of(m.problem);
  const double *W = m.problem->W;
  assert_near(W[1] / sqrt(W[0] * W[3]), -sqrt(1 * 4.0 / ((1 + 2) * (2 + 4.0))));
  assert_near(basis.norm_minus[0], -sqrt(2.0 / 3));
  assert_near(basis.norm_minus[1], 0);
  mechanism_free(&m);
}

/* The case oscillator_m1=1_m2=4 of quasi_13_contact_lcp. */
static void the_oscillator_is_most_critical_at_its_angle(void **state) {
  (void)state;
  mechanism m = assembled("impact-oscillator");
  for (int i = 0; i < 3; i++) {
    double mu, theta = i == 0 ? 0.463647609001 : i == 1 ? atan(1) : 1.2;
    m.qpos[1] = theta, m.qpos[0] = cos(theta) - 2 / sqrt(5);
    mechanism_assemble(&m, NULL);
    crd_arena_reset(&arena);
    crd_quasi_basis basis = basis_of(m.problem);
    assert_int_equal(crd_analysis_wellposed_critical_least(&basis, m.problem, &mu, &arena), CRD_OK);
    assert_near(mu, i == 0 ? 1 : i == 1 ? 1.25 : tan(theta) + 0.25 / tan(theta));
  }
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_corner_of_a_box_on_a_slope),
                                     cmocka_unit_test(a_disk_on_a_plane_is_decoupled),
                                     cmocka_unit_test(unequal_balls_have_the_corrected_angle),
                                     cmocka_unit_test(the_oscillator_is_most_critical_at_its_angle)};
  return cmocka_run_group_tests(tests, NULL, release);
}
