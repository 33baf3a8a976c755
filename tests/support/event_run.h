/* What tests of the event-driven integrator share: its options with tight tolerances, and the ledger's promise. */
#ifndef TESTS_EVENT_RUN_H
#define TESTS_EVENT_RUN_H

#include "support/simulation.h"

/* Whether the library was built with SUNDIALS. A program whose tests all need it ends with EVENT_SKIPPED otherwise,
 * which CTest shows as skipped. */
enum { EVENT_SKIPPED = 77 };
bool event_integrator_built(void);

void assert_near(double found, double expected, double tolerance);

crd_sim_options event_options(double timestep);

/* K + V = start + booked works within the tolerance, and nothing gained by contact. */
void assert_ledger(const simulation *s, double tolerance);

#endif
