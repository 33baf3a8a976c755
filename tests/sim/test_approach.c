/* Claim: a run has an impact exactly where the laws say that a contact approaches (crd_contact_problem_approaches), in both
 * integrators that seek impacts, whatever the masses and the units of length, time and mass.
 *
 * Two balls touch, the second flies past the first with velocity V and approaches it with u. By Cauchy and Schwarz no
 * motion of the same energy approaches faster than U = sqrt(2 K W), 2 K = m2 (V^2 + u^2), W = 1/m1 + 1/m2; slower
 * than 1e-9 U is rounding. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EVENT};

typedef struct units {
  double length, time, mass;
} units;

/* Normal velocity u = -share of the threshold; steps of `step` times the time in which a ball passes its radius. */
static simulation *pass(units unit, double m1, double m2, double share, double step, crd_sim_integrator integrator) {
  char text[1500];
  double r = 0.05 * unit.length, V = unit.length / unit.time;
  double U = V * sqrt(m2 * (1 / m1 + 1 / m2));
  snprintf(text, sizeof text,
           "two_balls_meet: option.timestep=%.17g; below.pos=0 0 %.17g; a.size=%.17g; a.mass=%.17g; above.pos=0 0 "
           "%.17g; b.size=%.17g; b.mass=%.17g; key.qvel=0 0 0 0 0 0 %.17g 0 %.17g 0 0 0",
           step * r / V, -r, r, m1 * unit.mass, r, r, m2 * unit.mass, V, -share * CRD_APPROACH * U);
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  return simulation_from_text(text, &options);
}

static bool law_says_approach(const simulation *s) {
  crd_contact_options options = crd_contact_default();
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_contact_assembler *assembler = crd_contact_assembler_new(s->model);
  crd_workspace *work = crd_model_workspace_new(s->model);
  options.distance = 1e-6 * s->model->geom[0].radius;
  assert_int_equal(crd_contact_at_state(assembler, work, crd_sim_qpos(s->sim), crd_sim_qvel(s->sim), &options, problem),
                   CRD_OK);
  assert_int_equal(problem->nc, 1);
  bool approaches = crd_contact_problem_approaches(problem, 0);
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  return approaches;
}

static void compare(units unit, double m1, double m2, double share) {
  for (int i = 0; i < 2; i++) {
    simulation *s = pass(unit, m1, m2, share, 0.01, integrators[i]);
    double step = s->model->timestep;
    assert_int_equal(law_says_approach(s), share > 1);
    simulation_run(s, step);
    int impacts = (int)crd_sim_counters_now(s->sim).impacts;
    if (impacts != (share > 1))
      fail_msg("%s, lengths 1e%g, times 1e%g, masses 1e%g, m1 = %g, m2 = %g, %g of the threshold: %d impacts",
               i ? "event" : "rk4", log10(unit.length), log10(unit.time), log10(unit.mass), m1, m2, share, impacts);
    simulation_free(s);
  }
}

static void impacts_are_where_the_laws_see_an_approach(void **state) {
  (void)state;
  static const double mass[][2] = {{1, 1}, {1e-3, 1e3}, {1e3, 1e-3}};
  static const double share[] = {0.03, 0.5, 2, 30, 1e6};
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 5; j++) compare((units){1, 1, 1}, mass[k][0], mass[k][1], share[j]);
}

static void units_change_no_verdict(void **state) {
  (void)state;
  for (int l = -9; l <= 9; l += 3)
    for (int t = -9; t <= 9; t += 6)
      for (int j = 0; j < 2; j++) compare((units){pow(10, l), pow(10, t), pow(10, -l)}, 1, 20, j ? 2 : 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impacts_are_where_the_laws_see_an_approach),
      cmocka_unit_test(units_change_no_verdict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
