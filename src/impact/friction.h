/* Inelastic resolution of all contacts or of one, with Coulomb friction at the velocity after it: the step that the
 * laws of Poisson, of Anitescu and Potra and of single impacts in sequence are made of.
 *
 *   0 <= p_n _|_ u_n+ >= 0,    p_t in -mu p_n Sgn(u_t+),    u+ = u + W p,    bilateral rows: u_b+ = 0
 *
 * Friction is bounded by the round cone (cradle/coulomb.h), or by a polygon that is fixed in the contact's frame, as
 * the papers state their laws (crd_impact_options.round_cone).
 */
#ifndef SRC_IMPACT_FRICTION_H
#define SRC_IMPACT_FRICTION_H

#include "impact/facet_lcp.h"
#include "impact/oblique.h"

typedef struct crd_impact_friction {
  const crd_contact_problem *problem;
  const crd_impact_options *options;
  crd_impact_result *result; /* owner of all memory */
  double *u;                 /* nrow + nb: velocities before the resolution */
  bool has_facets;
  crd_facet_lcp lcp; /* of the polygons, once asked for */
  /* of the round cone */
  crd_coulomb_contact *contact; /* nc */
  int *bilateral, *row;         /* nb; nrow + nb */
  crd_mode *mode;               /* nc */
  double *G, *w, *p, *u_plus;   /* of one contact with the bilateral rows, or of all */
  bool has_reduced;
  crd_bilateral reduced; /* contacts with the bilateral rows eliminated, once decompression asks for it */
  double accepted;       /* largest residual above the tolerance of a resolution that was taken; 0: none */
} crd_impact_friction;

/* CRD_ERR_MEMORY. */
crd_status crd_impact_friction_begin(crd_impact_friction *friction, const crd_contact_problem *problem,
                                     const crd_impact_options *options, crd_impact_result *result);
/* Prepares the polygons, where they are not yet. CRD_ERR_MEMORY. */
crd_status crd_impact_friction_facets(crd_impact_friction *friction);

/* Impulses p (nrow + nb) that resolve the velocity which the impulses `before` (NULL: none) leave, at one contact (with
 * all bilateral rows) or CRD_ALL_CONTACTS. The status of the solver; a note says what happened where it is not CRD_OK.
 */
crd_status crd_impact_friction_resolve(crd_impact_friction *friction, int contact, const double *before, double *p);

/* Decompression: impulses p (nrow + nb) after the impulses `before`, in which every contact returns at least the normal
 * impulse `least` (nc, N s, zero at contacts that take no part), with friction of its own (src/impact/decompress.c).
 * Statuses as above. */
crd_status crd_impact_friction_decompress(crd_impact_friction *friction, int contact, const double *before,
                                          const double *least, double *p);

/* Compression p (nrow + nb) of dependent contacts with different coefficients: the impulses of least norm with the same
 * velocities, where those satisfy the law (src/impact/share.c); a note tells which. */
crd_status crd_impact_friction_share(crd_impact_friction *friction, double *p);

/* The problem of all contacts on the round cone, from the velocities u (nrow + nb); its lists are the friction's. */
crd_coulomb_problem crd_impact_friction_coulomb(crd_impact_friction *friction, const double *u);

/* Angle, from the first tangent of a spatial contact to the second, of its sliding at contact velocities u; where it
 * does not slide, of the sliding that normal impulses against the approach would start; 0 where that is none either. */
double crd_impact_friction_direction(const crd_contact_problem *problem, const double *u, int contact);

/* How far p is from the equations above, scaled: of the polygon, or of the round cone (crd_coulomb_residual). */
double crd_impact_friction_residual(const crd_contact_problem *problem, const crd_impact_options *options,
                                    const double *p);

#endif
