/* Output of `cradle check`. */
#ifndef CRADLE_CLI_CHECK_PRINT_H
#define CRADLE_CLI_CHECK_PRINT_H

#include <cradle/analysis.h>

#include "problem_input.h"

/* Critical friction over a joint's range. */
typedef struct check_scan {
  const char *joint;
  double from, to;
  int count;
  double *mu;
  double at, least;
} check_scan;

typedef struct check_view {
  const cli_problem *input;
  const crd_check *check;
  int culprit;                      /* contact whose coefficient should be lowered, -1: none */
  double limit;                     /* its largest admissible coefficient, NaN: none */
  const double *e_low, *e_high;     /* nc: admissible interval of each coefficient, NaN: none or unknown */
  const crd_status *e_status;       /* nc: CRD_OK, CRD_NO_SOLUTION: none, CRD_UNKNOWN: a limit was reached */
  const check_scan *scan;           /* NULL: none */
  const crd_persistent *persistent; /* NULL: a contact approaches, or nothing is known about what acts */
} check_view;

/* Fills what the view says of the coefficients (culprit, limit, e_low, e_high, e_status; arrays in the arena). go_on:
 * asked before each contact; where it says false the rest stays unknown. */
crd_status check_limits(check_view *view, bool (*go_on)(void *context, int contact), void *context, crd_arena *arena);

/* Findings to act on, a list of {about, level, text}: level is good, bad, note or unknown; a line without `about` goes
 * on about the same. */
json_t *check_verdict(const check_view *view);
/* Summary of all findings, {level, text}. */
json_t *check_overall(const json_t *findings);
/* The object of --json. */
json_t *check_json(const check_view *view);
/* Its parts about the restitution matrix E_nn on quasi-velocities, and the matrix Q of the stick-slip discriminator. */
json_t *check_quasi_impact_json(const crd_quasi_basis *basis, const double *Enn);
/* For each motion of contacts at rest: n_q' M qacc and t_q' M qacc, the right-hand sides of (10) and (24); and the powers
 * of its contact forces, (18), (27), (28), W. */
json_t *check_quasi_motions_json(const check_view *view);
json_t *check_discriminator_json(const crd_friction *friction);
/* Theorem 2 and its lemmas as criteria. */
void check_theorem2_criteria(const crd_theorem2 *theorem2, crd_criterion rows[4]);
/* The findings, the friction of each contact, the verdict; with `criteria` also the propositions by number and the
 * matrices behind them. */
void check_print_text(FILE *file, const check_view *view, bool criteria);

#endif
