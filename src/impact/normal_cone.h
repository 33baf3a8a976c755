/* Frictionless impulses by complementarity, the bilateral rows kept:
 *
 *   0 <= p_n _|_ u_n+ + r >= 0,     u_b+ = 0,     u+ = u_free + W p
 *
 * With r = e u_n- this is the projection of (v_free + e v-)/(1 + e) on the cone of velocities that do not approach, in
 * the kinetic metric [Brogliato, (42), errata C-10, C-11].
 */
#ifndef SRC_IMPACT_NORMAL_CONE_H
#define SRC_IMPACT_NORMAL_CONE_H

#include "impact/impact.h"

/* p (rows of J) from r (nc). *shared: contacts depend on each other; of all impulses with the same effect p has the
 * least norm (each measured by the root of its W_ii), so that copies of a contact get the same. CRD_NO_SOLUTION: there
 * is none, which needs an r that no velocity has. */
crd_status crd_normal_cone_solve(const crd_contact_problem *problem, const double *r, crd_impact_result *memory,
                                 double *p, bool *shared);

#endif
