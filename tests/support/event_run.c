#include "support/event_run.h"

#include <math.h>

#include "support/cmocka_all.h"
#include "support/scene_text.h"

bool event_integrator_built(void) {
  crd_model *model = model_from_text("ball_on_floor");
  crd_sim *sim = NULL;
  crd_sim_options options = crd_sim_default();
  crd_error err = {0};
  options.integrator = CRD_SIM_EVENT;
  bool built = crd_sim_new(model, &options, &sim, &err) == CRD_OK;
  crd_sim_free(sim);
  crd_model_free(model);
  return built;
}

void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.17g, expected %.17g, difference %g", found, expected, found - expected);
}

crd_sim_options event_options(double timestep) {
  crd_sim_options options = crd_sim_default();
  options.integrator = CRD_SIM_EVENT, options.timestep = timestep;
  options.relative_tolerance = 1e-12, options.absolute_tolerance = 1e-14;
  return options;
}

void assert_ledger(const simulation *s, double tolerance) {
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  assert_near(e.integration, 0, tolerance);
  assert_near(e.gain_max, 0, tolerance);
}
