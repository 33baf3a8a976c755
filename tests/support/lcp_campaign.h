/* Seeded random problems whose verdict is known beforehand, solved and checked; `make test` runs the first of them,
 * `make test-long` a million. */
#ifndef TESTS_LCP_CAMPAIGN_H
#define TESTS_LCP_CAMPAIGN_H
#include <cradle/lcp.h>

typedef enum campaign_kind {
  CAMPAIGN_P,            /* positive definite plus skew: one solution */
  CAMPAIGN_SEMIDEFINITE, /* J J' of low rank, w made from a solution, often degenerate */
  CAMPAIGN_CONTACT,      /* Anitescu-Potra problems: solvable [Halm & Posa, Prop. 2] */
  CAMPAIGN_STEP,         /* step problems of the set-valued law: solvable [Halm & Posa, Thm. 6] */
  CAMPAIGN_MIXED,        /* contacts and redundant joints */
  CAMPAIGN_INFEASIBLE,   /* made with a vector that proves it */
  CAMPAIGN_INTEGER,      /* small integers, exact enumeration knows */
  CAMPAIGN_KINDS
} campaign_kind;

typedef struct campaign_count {
  long problems[CAMPAIGN_KINDS], wrong, above, careful, lemke, trivial, search;
  double worst; /* residual */
  long most_pivots;
  uint64_t first_wrong; /* index of the first wrong verdict or residual */
} campaign_count;

/* Problems first .. first + count - 1; prints what goes wrong. */
campaign_count lcp_campaign(uint64_t first, uint64_t count);
#endif
