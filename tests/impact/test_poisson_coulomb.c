/* Law poisson-coulomb against closed forms: Poisson's hypothesis with friction in both phases. */
#include <math.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

/* A ball of mass 1, radius 1 and moment of inertia 2/5 in the plane, (x, z, angle): W_nn = 1, W_nt = 0, W_tt = 7/2. */
static crd_contact_problem *sliding_ball(double vx, double vz, double mu, double e) {
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.4}, v[3] = {vx, -vz, 0}, rows[6] = {0, 1, 0, 1, 0, 1};
  return make_problem(
      &(problem_def){.nv = 3, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = mu, .e = e});
}

static void expect(crd_contact_problem *problem, double pn, double pt) {
  crd_impact_result result = {0};
  resolve_with("poisson-coulomb", problem, &result);
  const crd_impact_solution *s = &result.solution[0];
  if (fabs(s->p[0] - pn) > 1e-13 || fabs(s->p[1] - pt) > 1e-13)
    fail_msg("found p = (%.15g, %.15g), expected (%.15g, %.15g)", s->p[0], s->p[1], pn, pt);
  assert_true(s->residual < 1e-13);
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

/* The ball of speed vz returns e of its approach, p_n = (1 + e) vz. A phase with normal impulse P takes up to
 * 7/2 mu P of the sliding vx: with mu = 0.2, vz = 1, e = 0.5 compression 0.7 and decompression 0.35. */
static void a_ball_slides_through_both_phases_or_stops_in_one(void **state) {
  (void)state;
  expect(sliding_ball(2, 1, 0.2, 0.5), 1.5, -0.2 * 1.5);
  expect(sliding_ball(0.8, 1, 0.2, 0.5), 1.5, -0.8 / 3.5);
  expect(sliding_ball(0.3, 1, 0.2, 0.5), 1.5, -0.3 / 3.5);
  expect(sliding_ball(2, 1, 0.2, 0), 1, -0.2);
}

/* W = [2 1.2; 1.2 1], u = (-1, -0.6), mu = 1/2, e = 1/2. Compression: p_c = (1/2, 0) stops both rows. Decompression
 * returns 1/4, which would slide off with 0.3; friction 1/8 opposes it: p_d = (1/4, -1/8), u+ = (0.35, 0.175). Without
 * friction in decompression (poisson) p = (3/4, 0) and u+ = (0.5, 0.3). */
static void a_contact_that_slides_off_is_held_back_in_decompression(void **state) {
  (void)state;
  const double M[4] = {1 / 0.56, -1.2 / 0.56, -1.2 / 0.56, 2 / 0.56}, v[2] = {-1, -0.6}, rows[4] = {1, 0, 0, 1};
  const problem_def def = {.nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = 0.5, .e = 0.5};
  expect(make_problem(&def), 0.75, -0.125);
  crd_contact_problem *problem = make_problem(&def);
  crd_impact_result result = {0};
  resolve_with("poisson-coulomb", problem, &result);
  assert_true(fabs(result.solution[0].u_plus[0] - 0.35) < 1e-14);
  assert_true(fabs(result.solution[0].u_plus[1] - 0.175) < 1e-14);
  resolve_with("poisson", problem, &result);
  assert_true(fabs(result.solution[0].u_plus[0] - 0.5) < 1e-14);
  assert_true(fabs(result.solution[0].u_plus[1] - 0.3) < 1e-14);
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

/* Three balls in a row, mass 1, e = 1: compression gives 1/3 to each with impulses 2/3 and 1/3, which come back:
 * (-1/3, 2/3, 2/3), Poisson's answer. */
static void without_friction_it_is_poissons_law(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v[3] = {1, 0, 0}, rows[6] = {-1, 1, 0, 0, -1, 1};
  expect(make_problem(&(problem_def){.nv = 3, .nc = 2, .M = M, .v = v, .contact = rows, .e = 1}), 4.0 / 3, 2.0 / 3);
}

/* In space the answer turns with the tangents: the ball above, sliding along (cos a, sin a) with the round cone. */
static void friction_opposes_the_sliding_in_space(void **state) {
  (void)state;
  crd_impact_result result = {0};
  for (int k = 0; k < 7; k++) {
    double a = 0.3 + k, speed = k % 2 ? 2 : 0.8, W = 3.5;
    const double M[9] = {1, 0, 0, 0, 1 / W, 0, 0, 0, 1 / W}, v[3] = {-1, speed * cos(a), speed * sin(a)};
    const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    crd_contact_problem *problem = make_problem(
        &(problem_def){.nv = 3, .nc = 1, .ntangent = 2, .M = M, .v = v, .contact = rows, .mu = 0.2, .e = 0.5});
    crd_impact_options options = crd_impact_default();
    options.round_cone = true;
    assert_int_equal(crd_impact_resolve(crd_impact_find("poisson-coulomb"), problem, &options, &result), CRD_OK);
    double friction = k % 2 ? 0.3 : 0.8 / 3.5;
    const double *p = result.solution[0].p;
    assert_true(fabs(p[0] - 1.5) < 1e-12);
    assert_true(fabs(p[1] + friction * cos(a)) < 1e-10 && fabs(p[2] + friction * sin(a)) < 1e-10);
    assert_true(result.solution[0].residual < 1e-9);
    crd_contact_problem_free(problem);
  }
  crd_impact_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_slides_through_both_phases_or_stops_in_one),
      cmocka_unit_test(a_contact_that_slides_off_is_held_back_in_decompression),
      cmocka_unit_test(without_friction_it_is_poissons_law),
      cmocka_unit_test(friction_opposes_the_sliding_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
