/* Constants of Algorithm 2, from the reduced problem. */
#ifndef SRC_OUTCOME_NET_H
#define SRC_OUTCOME_NET_H

#include <cradle/outcome.h>

#include "contact/facets.h"
#include "outcome/reduced.h"
#include "outcome/table.h"

/* Before the steps N are chosen: psi, last_step, fine, steps. net->epsilon and net->reach (R, 0: the cone is not pointed)
 * are given. NaN where memory is out. */
void outcome_net_prepare(crd_outcome_net *net, const outcome_reduced *reduced, const crd_facets *facets, double h,
                         crd_arena *arena);
/* For N steps: lipschitz, log10_samples, proved. */
void outcome_net_finish(crd_outcome_net *net, const outcome_reduced *reduced, const outcome_table *table, double h,
                        int steps, crd_arena *arena);

#endif
