/* Facetted friction: the polyhedral cone of each contact and the complementarity problem it leads to.
 *
 * Tangential impulses are p_t = D beta with beta >= 0 and directions d_1..d_k, equally spaced, each with its opposite
 * (errata to (19)-(22) of Halm & Posa): k = 2 for a planar contact, an even number for a spatial one. With z = (p_n,
 * beta, gamma) stacked over the contacts, then the bilateral impulses,
 *
 *       [ Wnn   WnD   0   Wnb ]       [ u_n ]          0 <= (p_n, beta, gamma)  _|_  (Wz + w) >= 0
 *   W = [ WDn   WDD   E   WDb ]   w = [ u_D ]
 *       [ mu   -E'    0   0   ]       [ 0   ]          bilateral rows: = 0
 *       [ Wbn   WbD   0   Wbb ]       [ u_b ]
 *
 * [Halm & Posa, eq. 31-35; Jain, eq. 28 and 34-35 with errata J-3]. The largest error of the friction magnitude is
 * 1 - cos(pi/k): the polygon's distance from the circle.
 */
#ifndef SRC_CONTACT_FACETS_H
#define SRC_CONTACT_FACETS_H

#include <cradle/contact.h>

typedef struct crd_facets {
  int nc, nfacet, nb; /* contacts, facets in all, bilateral rows */
  int size;           /* of z: 2 nc + nfacet + nb (contacts without friction keep their gamma, which is then zero) */
  int free_rows;      /* the last nb rows are equalities */
  int *first;         /* nc + 1: facets of contact c are first[c] .. first[c + 1] - 1 */
  double *direction;  /* nfacet x 2: components along the contact's tangent rows */
} crd_facets;

/* Number of facets in all, to size the arrays: 0 where ntangent is 0 or mu is 0, 2 where it is 1, else per_contact. */
int crd_facets_count(const crd_contact_problem *problem, int per_contact);
/* Fills first and direction (arrays of the caller: nc + 1 and 2 crd_facets_count). */
void crd_facets_fill(const crd_contact_problem *problem, int per_contact, crd_facets *facets);

/* Turns the facets of a spatial contact by an angle, from its first tangent to its second. */
void crd_facets_turn(crd_facets *facets, int contact, double angle);

/* W (size x size, row-major) and w (size) for the contact velocity u (nrow + nb entries, often u_free). */
void crd_facets_matrix(const crd_contact_problem *problem, const crd_facets *facets, double *W);
void crd_facets_vector(const crd_contact_problem *problem, const crd_facets *facets, const double *u, double *w);
/* The impulses p (nrow + nb) that z stands for. */
void crd_facets_impulse(const crd_contact_problem *problem, const crd_facets *facets, const double *z, double *p);

#endif
