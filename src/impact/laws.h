/* The laws, one file each (law_<name>.c). */
#ifndef SRC_IMPACT_LAWS_H
#define SRC_IMPACT_LAWS_H

#include <cradle/impact.h>

extern const crd_impact_law crd_law_projection;
extern const crd_impact_law crd_law_stick_slip;
extern const crd_impact_law crd_law_newton;
extern const crd_impact_law crd_law_moreau;
extern const crd_impact_law crd_law_matrix;
extern const crd_impact_law crd_law_implicit;
extern const crd_impact_law crd_law_poisson;
extern const crd_impact_law crd_law_poisson_coulomb;
extern const crd_impact_law crd_law_anitescu_potra;
extern const crd_impact_law crd_law_sequential;
extern const crd_impact_law crd_law_routh;
extern const crd_impact_law crd_law_wang_mason;
extern const crd_impact_law crd_law_lzb;
extern const crd_impact_law crd_law_fremond;

/* Dependent rows of the law projection with different coefficients: the contact whose rebound is farthest from what it
 * asks for, m/s; -1: none. Memory comes from the arena. */
typedef struct crd_rebound_conflict {
  int contact;
  double asked, given;
} crd_rebound_conflict;
crd_status crd_law_projection_conflict(const crd_contact_problem *problem, const crd_impact_options *options,
                                       crd_arena *arena, crd_rebound_conflict *conflict);

#endif
