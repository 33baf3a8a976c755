/* Case files: JSON files of worked impacts with inputs, outputs and a tolerance, kept outside the repository beside it
 * (../shared/cases). A test that needs them is skipped, visibly, where that folder is absent.
 *
 * What their inputs mean for the contact problem:
 *   M, qd_minus, i_u           M, v, impulse
 *   A, n_bilateral             the first n_bilateral rows are bilateral, the others normals of frictionless contacts
 *   a_n, A_t                   one contact: its normal row and its one or two tangent rows
 *   A_b, dphi_u_dq, phi_u,     bilateral rows; normals of contacts, of which those are in the problem that are closed
 *   lambda_u                   (phi_u <= 0) and not pulled open (lambda_u >= 0)
 *   e, mu_s, mu_d              restitution of all contacts, mu_static, mu
 *   grad_h, H_T                columns: normal rows and, if present, the one tangent row of every contact
 *   Enn, mu                    restitution matrix; with grad_h, E is the full one (nv x nv), mu of all or of every
 * contact E                          matrix: the restitution matrix of the contacts; vector: (e, e_t, e_t) of the one
 * contact
 */
#ifndef TESTS_CASE_FILE_H
#define TESTS_CASE_FILE_H

#include <cradle/contact.h>
#include <jansson.h>

typedef struct case_variant {
  char file[64], name[64];
  double rel, abs; /* tolerance */
  json_t *inputs, *outputs;
} case_variant;

/* Calls check for every variant of every file whose name begins so ("proj_", "fric_02"). Fails where the folder is
 * there and no file matches. */
void for_case_variants(const char *prefix, void (*check)(const case_variant *variant));

bool case_has(const json_t *object, const char *key);
/* The numbers of a value, nested arrays flattened row by row ("inf" is a number, null is NaN); returns how many, at
 * most capacity. Fails the test where the key is missing. */
int case_numbers(const json_t *object, const char *key, double *out, int capacity);
double case_number(const json_t *object, const char *key);

/* Fails unless found agrees with the output: |found - expected| <= abs + rel |expected|. Nothing happens where the
 * variant has no such output. Outputs of one number may be booleans. */
void case_check(const case_variant *variant, const char *key, const double *found, int n);
void case_check_number(const case_variant *variant, const char *key, double found);

/* The problem of the inputs, completed; the caller frees it. Contacts are named by their number, from 1. */
crd_contact_problem *case_problem(const case_variant *variant);

#endif
