#include "support/event_run.h"

#include <cradle/io.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"

bool event_integrator_built(void) {
  const char *scene = "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>";
  crd_model *model;
  crd_sim *sim = NULL;
  crd_sim_options options = crd_sim_default();
  crd_error err = {0};
  options.integrator = CRD_SIM_EVENT;
  assert_int_equal(crd_io_read_model_text(scene, strlen(scene), "probe.xml", NULL, &model, NULL, &err), CRD_OK);
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
