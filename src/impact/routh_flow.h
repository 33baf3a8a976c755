/* Routh's impact at several contacts whose normal impulses grow at given relative rates. */
#ifndef SRC_IMPACT_ROUTH_FLOW_H
#define SRC_IMPACT_ROUTH_FLOW_H

#include "impact/impact.h"
#include "impact/routh_single.h"

/* Impulses p (nrow + nb) of the path for the rates (nc, all positive), restitution ending as `end` says. Planar contacts exactly, spatial ones with
 * facets or, where options->round_cone asks for it, on the round cone. CRD_OK; CRD_LIMIT: more than max_segments; else
 * the status of the rate problem. */
crd_status crd_routh_flow(const crd_contact_problem *problem, const double *rate, const crd_impact_options *options,
                          crd_restitution_end end, int max_segments, crd_impact_result *result, double *p);

#endif
