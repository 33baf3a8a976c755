/* Kinetic quasi-velocities of a contact problem [Brogliato, section 2].
 *
 *   n_q,i = M^-1 grad h_i / |grad h_i|,   |grad h_i| = sqrt(grad h_i' M^-1 grad h_i)      (3)
 *   qd_norm,i = n_q,i' M v = u_n,i / |grad h_i|,     qd_tan = t_q' M v                    (6)
 *   qd_norm+ - qd_norm- = G pbar_n,   pbar_n,i = |grad h_i| p_n,i                         (38)
 *
 * grad h_i is the normal row of contact i. G is the normalised Delassus matrix, with bilateral rows that of (17). The
 * normals need not be independent.
 */
#ifndef SRC_IMPACT_QUASI_H
#define SRC_IMPACT_QUASI_H

#include "impact/impact.h"
#include "impact/oblique.h"

typedef struct crd_quasi {
  int nc;
  double *norm;  /* nc: |grad h_i| */
  double *minus; /* nc: qd_norm before the impact */
} crd_quasi;

/* CRD_ERR_ARGUMENT: the normal of a contact is zero. Memory comes from the arena. */
crd_status crd_quasi_normal(crd_quasi *quasi, const crd_contact_problem *problem, crd_arena *arena);

/* G (nc x nc), and qd_norm after the external impulse and the bilateral rows' answer to it, without contact (nc). */
void crd_quasi_delassus(const crd_quasi *quasi, const crd_contact_problem *problem, const crd_bilateral *bilateral,
                        double *G, double *free);

/* Component c of E_nn qd_norm-. E_nn is the problem's restitution matrix, or diag(e) where it has none or the options
 * override e. */
double crd_quasi_rebound(const crd_quasi *quasi, const crd_contact_problem *problem, const crd_impact_options *options,
                         int contact);

/* The quasi-tangential basis t_q: *count rows of nv entries, t_i' M t_j = 1 for i = j, 0 otherwise, and orthogonal to
 * all normals and bilateral rows. The basis is not unique; this one comes from the coordinate axes in their order, each
 * made orthogonal to what came before and left out where little remains of it: planar bodies get the usual one. Needs
 * M: CRD_ERR_ARGUMENT without. */
crd_status crd_quasi_tangent(const crd_contact_problem *problem, crd_arena *arena, int *count, double **t_q);

/* t' M v */
double crd_quasi_product(const crd_contact_problem *problem, const double *t, const double *v);

#endif
