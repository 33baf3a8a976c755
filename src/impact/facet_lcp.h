/* The complementarity problem of facetted friction (src/contact/facets.h), set up once per impact and solved for
 * different velocities and sets of contacts. */
#ifndef SRC_IMPACT_FACET_LCP_H
#define SRC_IMPACT_FACET_LCP_H

#include <cradle/lcp.h>

#include "contact/facets.h"
#include "impact/impact.h"

enum { CRD_ALL_CONTACTS = -1 };

typedef struct crd_facet_lcp {
  const crd_contact_problem *problem;
  crd_impact_result *result; /* owner of all memory */
  int per_contact;           /* facets of a spatial contact */
  crd_facets facets;
  double *W;             /* size x size, all contacts */
  const double *pressed; /* nc: normal impulse (N s) that acts besides the unknown p_n, so that friction is bounded by
                          * mu (pressed + p_n); NULL: none. The velocities u include it */
  /* of the last crd_facet_lcp_state */
  int n;                      /* rows in use */
  int *index;                 /* n: row of the full problem */
  double *sub, *w, *z, *full; /* n x n, n, n, size */
} crd_facet_lcp;

/* Sets up the problem in the result's memory. CRD_ERR_MEMORY. */
crd_status crd_facet_lcp_begin(crd_facet_lcp *lcp, const crd_contact_problem *problem, int facets,
                               crd_impact_result *result);

/* The problem of one contact (with all bilateral rows), or of CRD_ALL_CONTACTS, for the contact velocity u. */
crd_lcp_problem crd_facet_lcp_state(crd_facet_lcp *lcp, int contact, const double *u);
/* The impulses (nrow + nb) that the solution z of that problem stands for. */
void crd_facet_lcp_impulse(crd_facet_lcp *lcp, const double *z, double *p);

/* Both in one: impulses p that resolve u. The status of the solver; the note says what happened where it is not CRD_OK.
 */
crd_status crd_facet_lcp_resolve(crd_facet_lcp *lcp, int contact, const double *u, double *p);

/* How far p is from (31c, d) at the velocity after it: non-penetration and complementarity of the normals, membership
 * of the polygon and largest dissipation in it, bilateral rows; each in units of the problem's scales. */
double crd_facet_residual(const crd_contact_problem *problem, int facets, const double *p);

#endif
