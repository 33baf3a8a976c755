/* Random problems that have a solution by theorem or by construction: each must be solved, accurately. */
#ifndef TESTS_LCP_CAMPAIGN_H
#define TESTS_LCP_CAMPAIGN_H

#include <stdint.h>

/* One problem per seed from first to last, in turn: a P-matrix (unique solution); a singular positive semidefinite
 * matrix with a feasible w (solvable: Cottle, Pang & Stone, 3.1.2); a contact problem, redundant or resting in part,
 * friction 0 to 1e5 (solvable: Halm & Posa, Prop. 2); a step problem of the set-valued law (Thm. 6). Rows and columns
 * of the first two are scaled by 1e-6 to 1e6, and half of them have degenerate solutions. Fails unless every verdict is
 * CRD_OK with a scaled residual of at most 1e-9; returns the largest residual. */
double lcp_campaign(uint64_t first, uint64_t last);

#endif
