/* Contact problems for tests of the impact layer. */
#ifndef TESTS_IMPACT_PROBLEM_H
#define TESTS_IMPACT_PROBLEM_H

#include <cradle/impact.h>

#include "impact/stick_slip.h"
#include "support/random_tree.h"

typedef struct problem_def {
  int nv, nc, ntangent, nb; /* every contact has ntangent tangent rows */
  const double *M, *v;
  const double *contact;   /* nc (1 + ntangent) x nv: normal, tangents, normal, ... */
  const double *bilateral; /* nb x nv */
  const double *impulse;   /* nv or NULL */
  double e, e_t, mu;       /* of all contacts; mu_static is the same */
} problem_def;

/* n balls in a row that touch, n <= 16. mass NULL: 1 kg each; v NULL: the first has 1 m/s towards the others. The caller
 * frees it. */
crd_contact_problem *row_of_balls(int n, const double *mass, const double *v, double e);
/* The completed problem; contacts are named by their number, from 1. The caller frees it. */
crd_contact_problem *make_problem(const problem_def *def);

typedef struct random_problem_options {
  int nv, nc, ntangent, nb;
  bool redundant; /* some rows are multiples or sums of others */
} random_problem_options;

/* M of order one, v obeys the bilateral rows, every contact approaches; coefficients are zero. */
crd_contact_problem *random_problem(random_stream *stream, random_problem_options options);

/* Resolves with a law of the table and the default options; fails the test unless the status is CRD_OK. */
void resolve_with(const char *law, const crd_contact_problem *problem, crd_impact_result *result);

/* The first answer of the law `stick-slip`; all of them have to satisfy its equations to 1e-10. */
const crd_impact_solution *resolve_stick_slip(const crd_contact_problem *problem, crd_impact_result *result);

/* A note contains these words. */
bool has_note(const crd_impact_result *result, const char *words);
/* How many answers carry the label. */
int count_labelled(const crd_impact_result *result, const char *label);

/* What the law `stick-slip` finds out about the first contact before it writes answers. */
crd_stick_slip stick_slip_outcomes(const crd_contact_problem *problem);

#endif
