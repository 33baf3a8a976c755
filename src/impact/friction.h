/* Inelastic resolution of all contacts or of one, with Coulomb friction at the velocity after it: the step that the
 * laws of Poisson, of Anitescu and Potra and of single impacts in sequence are made of.
 *
 *   0 <= p_n _|_ u_n+ >= 0,    p_t in -mu p_n Sgn(u_t+),    u+ = u + W p,    bilateral rows: u_b+ = 0
 *
 * Friction is bounded by a polygon that is fixed in the contact's frame, or by the round cone
 * (crd_impact_options.round_cone).
 */
#ifndef SRC_IMPACT_FRICTION_H
#define SRC_IMPACT_FRICTION_H

#include "impact/coulomb.h"
#include "impact/facet_lcp.h"
#include "impact/oblique.h"

typedef struct crd_friction {
  const crd_contact_problem *problem;
  const crd_impact_options *options;
  crd_impact_result *result; /* owner of all memory */
  bool round;                /* some contact is spatial, with friction, and its cone is to be round */
  bool has_facets;           /* crd_friction_facets has been called: what follows is there */
  crd_facet_lcp lcp;
  crd_bilateral bilateral;
  crd_cones_contact *contact;
  crd_cones coulomb; /* round: the problem of the last resolution with the bilateral rows eliminated */
  double *turn;      /* nc: angle of the first facet in the contact's frame */
  double *u, *p;     /* nrow + nb */
  double *W, *b;     /* coulomb's, nrow x nrow and nrow */
  bool found;        /* the last search on the round cone did */
  double unsettled;  /* largest residual of a resolution whose directions did not settle; 0: all did */
} crd_friction;

/* CRD_ERR_MEMORY. */
crd_status crd_friction_begin(crd_friction *friction, const crd_contact_problem *problem,
                              const crd_impact_options *options, crd_impact_result *result);
/* Prepares the facets, which are needed only where the round cone does not answer at once. CRD_ERR_MEMORY, CRD_SINGULAR
 * (bilateral rows, as crd_bilateral_eliminate). */
crd_status crd_friction_facets(crd_friction *friction);

/* Impulses p (nrow + nb) that resolve the velocity which the impulses `before` (NULL: none) leave, at one contact (with
 * all bilateral rows) or CRD_ALL_CONTACTS. The status of the solver; a note says what happened where it is not CRD_OK.
 */
crd_status crd_friction_resolve(crd_friction *friction, int contact, const double *before, double *p);

/* The same from the velocities friction->u as an island on the round cone, by all ways or by modes alone; *violation:
 * what the answer violates, relative to the velocities. CRD_ERR_MEMORY. */
crd_status crd_friction_by_island(crd_friction *friction, int contact, bool by_modes, double *p, double *violation);

/* The solution on the round cone nearest to the facets' answer p (all contacts, no impulses before), in place. False:
 * none was found. */
bool crd_friction_round(crd_friction *friction, double *p);

/* Angle, from the first tangent of a spatial contact to the second, of its sliding at contact velocities u; where it
 * does not slide, of the sliding that normal impulses against the approach would start; 0 where that is none either. */
double crd_friction_direction(const crd_contact_problem *problem, const double *u, int contact);

/* How far p is from the equations above, scaled: of the round cone, or of the polygon. */
double crd_friction_residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p);

#endif
