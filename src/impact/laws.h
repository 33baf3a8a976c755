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

#endif
