/* The table of ways of the built-in examples, SPAN seconds each by three integrators. */
#define _POSIX_C_SOURCE 200809L
#include <cradle/io.h>
#include <cradle/sim.h>
#include <stdio.h>

#include "coulomb_parts.h"
#include "ways.h"

static const double SPAN = 2; /* s */

static bool run_example(const char *name, crd_sim_integrator integrator, long settled[CRD_COULOMB_METHODS]) {
  crd_sim_options options = crd_sim_default();
  crd_model *model = NULL;
  crd_sim *sim = NULL;
  crd_error err = {0};
  options.integrator = integrator;
  crd_status status = crd_io_example_model(name, NULL, &model, &err);
  if (!status) status = crd_sim_new(model, &options, &sim, &err);
  if (!status && model->nkey > 0) status = crd_sim_reset(sim, 0, model->key[0].qpos, model->key[0].qvel, &err);
  if (!status) status = crd_sim_run(sim, SPAN);
  if (sim) {
    const crd_sim_counters counters = crd_sim_counters_now(sim);
    for (int k = 0; k < CRD_COULOMB_METHODS; k++) settled[k] = counters.settled[k];
    if (status)
      printf("# %s ended at %.3g s: %s\n", name, crd_sim_time(sim), err.text[0] ? err.text : crd_sim_message(sim));
  } else {
    printf("# %s: %s\n", name, err.text);
  }
  crd_sim_free(sim);
  crd_model_free(model);
  return sim != NULL;
}

void bench_examples(void) {
  static const crd_sim_integrator integrator[] = {CRD_SIM_RK4, CRD_SIM_EVENT, CRD_SIM_MOREAU};
  for (size_t i = 0; i < sizeof integrator / sizeof *integrator; i++) {
    long all[CRD_COULOMB_METHODS] = {0};
    char what[64];
    snprintf(what, sizeof what, "examples, %s", crd_sim_integrator_name(integrator[i]));
    printf("\n");
    ways_heading(what);
    for (int k = 0; k < crd_io_example_count(); k++) {
      const char *name = crd_io_example_at(k)->name;
      long settled[CRD_COULOMB_METHODS] = {0};
      if (run_example(name, integrator[i], settled)) ways_row(name, settled, all);
    }
    ways_row("all", all, NULL);
  }
}
