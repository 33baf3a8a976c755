/* Checks the options of a simulation and replaces what stands for a default by it. */
#ifndef SRC_SIM_OPTIONS_H
#define SRC_SIM_OPTIONS_H

#include <cradle/sim.h>

/* CRD_ERR_ARGUMENT or CRD_ERR_NUMBER with the option, what was found and what was expected. */
crd_status crd_sim_complete_options(const crd_model *model, crd_sim_options *options, crd_error *err);

#endif
