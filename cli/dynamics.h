/* Parts of `cradle dynamics`. */
#ifndef CRADLE_CLI_DYNAMICS_H
#define CRADLE_CLI_DYNAMICS_H

#include <jansson.h>

#include "common.h"

/* Names of the active, penetrating, colliding and separating contacts [Halm & Posa, (13)-(14), (28)-(29)]. */
json_t *dynamics_sets_json(const crd_contact_problem *problem);

/* Motion and forces with loops closed and resting contacts held without friction; tau and bias as in M qacc + bias = tau.
 * null: nothing is held, a row has no rate at this state, or there are more than 200 velocities. */
json_t *dynamics_constrained_json(const cli_mechanism *mechanism, const crd_contact_problem *problem, const double *tau,
                                  const double *bias);

/* Motions and forces of contacts that last, with friction and loops, as `check --json` has them; null where a contact
 * approaches or ceases. */
json_t *dynamics_persistent_json(const cli_mechanism *mechanism, const crd_contact_problem *problem);

/* Gives the problem the load that acts on the mechanism, where its contacts last: qacc without contact forces. */
crd_status dynamics_add_load(const cli_mechanism *mechanism, const double *tau, const double *qacc,
                             crd_contact_problem *problem);

#endif
