/* Routh's inelastic impact at several contacts whose normal impulses grow at given relative rates. */
#ifndef SRC_IMPACT_ROUTH_FLOW_H
#define SRC_IMPACT_ROUTH_FLOW_H

#include "impact/impact.h"

/* Impulses p (nrow + nb) of the path for the rates (nc, all positive). Planar contacts exactly, spatial ones with
 * `facets` directions. CRD_OK; CRD_LIMIT: more than max_segments; else the status of the rate problem. */
crd_status crd_routh_flow(const crd_contact_problem *problem, const double *rate, int facets, int max_segments,
                          crd_impact_result *result, double *p);

#endif
