/* The step's complementarity problem (75) as it stands, for the solver: for steps that no listed mode fits, for the
 * selections that are defined by Lemke's method, and to find modes in the first place.
 *
 *   z = (beta, p_n, lambda_D, gamma),   w = (lambda_max, u_n, u_D, 0)
 *
 * with the second factors transposed (errata to 75b). Rows without meaning (gamma of a contact without friction) are
 * left out. One per thread.
 */
#ifndef SRC_OUTCOME_STEP_LCP_H
#define SRC_OUTCOME_STEP_LCP_H

#include <cradle/lcp.h>

#include "outcome/mode.h"

typedef struct outcome_step_lcp {
  const outcome_reduced *reduced;
  const crd_facets *facets;
  int n;                /* rows */
  int *gamma;           /* nc: row of gamma, -1 where there is none */
  double *W, *w, *z;    /* n x n, n, n */
  double *p, *u;        /* nrow */
  bool full;            /* of the last solution: a contact takes its whole bound */
  double *cover;        /* n */
  unsigned char *basis; /* n */
  crd_lcp_work *work;   /* freed by outcome_step_lcp_end */
  /* the linear map of a basis */
  double *B, *rhs;      /* n x n, nx x n */
  double *line, *other; /* max(n, nx) */
  int *member, *pivot, *iwork;
  double *lu_work;
  outcome_map map; /* room for n rows */
} outcome_step_lcp;

crd_status outcome_step_lcp_begin(outcome_step_lcp *lcp, const outcome_reduced *reduced, const crd_facets *facets,
                                  crd_arena *arena);
void outcome_step_lcp_end(outcome_step_lcp *lcp);

/* y' (rank) for x by Lemke's method with the covering vector cover (n, NULL: ones). lcp->basis has the basis. */
crd_status outcome_step_solve(outcome_step_lcp *lcp, const double *x, const double *cover, double *y_next);

/* The same where the contacts with push[c] (nc flags) take their whole bound although they do not approach. lcp->p has
 * the impulses (nrow). */
crd_status outcome_step_push(outcome_step_lcp *lcp, const double *x, const unsigned char *push, double *y_next);

/* Every y' for x: the vertices of all pieces, one after the other, at most capacity, and whether a contact takes its whole
 * bound there (full). Complete with CRD_OK only. */
crd_status outcome_step_enumerate(outcome_step_lcp *lcp, const double *x, double *y_next, bool *full, int capacity,
                                  int *count);

/* Modes of the contacts in lcp->basis; true where they form a mode (mode.h) and not only a basis. */
bool outcome_step_mode(const outcome_step_lcp *lcp, outcome_contact_mode *mode);
/* lcp->map of lcp->basis; false where it is singular. */
bool outcome_step_map(outcome_step_lcp *lcp);

#endif
