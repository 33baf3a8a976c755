#include "support/case_file.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

enum { MAX_NUMBERS = 4096 };

#define CASE_FOLDER CRADLE_SOURCE_DIR "/../shared/cases"

static void check_file(const char *path, void (*check)(const case_variant *variant)) {
  json_error_t error;
  json_t *root = json_load_file(path, 0, &error);
  if (!root) fail_msg("%s:%d: %s", path, error.line, error.text);
  case_variant variant = {.rel = case_number(json_object_get(root, "tolerance"), "rel"),
                          .abs = case_number(json_object_get(root, "tolerance"), "abs")};
  snprintf(variant.file, sizeof variant.file, "%s", strrchr(path, '/') + 1);
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(root, "variants"), i, item) {
    snprintf(variant.name, sizeof variant.name, "%s", json_string_value(json_object_get(item, "name")));
    variant.inputs = json_object_get(item, "inputs"), variant.outputs = json_object_get(item, "outputs");
    check(&variant);
  }
  json_decref(root);
}

void for_case_variants(const char *prefix, void (*check)(const case_variant *variant)) {
  char pattern[600];
  glob_t files;
  if (glob(CASE_FOLDER, 0, NULL, &files) != 0) {
    print_message("skipped: there is no folder ../shared/cases beside the repository\n");
    skip();
  }
  globfree(&files);
  snprintf(pattern, sizeof pattern, CASE_FOLDER "/%s*.json", prefix);
  if (glob(pattern, 0, NULL, &files) != 0) fail_msg("no case file %s", pattern);
  for (size_t i = 0; i < files.gl_pathc; i++) check_file(files.gl_pathv[i], check);
  globfree(&files);
}

bool case_has(const json_t *object, const char *key) { return json_object_get(object, key) != NULL; }

static int flatten(const json_t *value, const char *key, double *out, int capacity) {
  if (json_is_array(value)) {
    int count = 0;
    for (size_t i = 0; i < json_array_size(value); i++)
      count += flatten(json_array_get(value, i), key, out + count, capacity - count);
    return count;
  }
  if (capacity < 1) fail_msg("more numbers in '%s' than expected", key);
  if (json_is_number(value))
    *out = json_number_value(value);
  else if (json_is_boolean(value))
    *out = json_is_true(value);
  else if (json_is_string(value) && strcmp(json_string_value(value), "inf") == 0)
    *out = INFINITY;
  else if (json_is_null(value))
    *out = NAN;
  else
    fail_msg("'%s' is not made of numbers", key);
  return 1;
}

int case_numbers(const json_t *object, const char *key, double *out, int capacity) {
  const json_t *value = json_object_get(object, key);
  if (!value) fail_msg("there is no '%s'", key);
  return flatten(value, key, out, capacity);
}

double case_number(const json_t *object, const char *key) {
  double number = NAN;
  case_numbers(object, key, &number, 1);
  return number;
}

void case_check(const case_variant *variant, const char *key, const double *found, int n) {
  static double expected[MAX_NUMBERS];
  if (!case_has(variant->outputs, key)) return;
  int count = case_numbers(variant->outputs, key, expected, MAX_NUMBERS);
  if (count != n) fail_msg("%s %s: '%s' has %d numbers, we have %d", variant->file, variant->name, key, count, n);
  for (int i = 0; i < n; i++)
    if (!(fabs(found[i] - expected[i]) <= variant->abs + variant->rel * fabs(expected[i])) && found[i] != expected[i])
      fail_msg("%s %s: %s[%d] is %.12g, expected %.12g", variant->file, variant->name, key, i, found[i], expected[i]);
}

void case_check_number(const case_variant *variant, const char *key, double found) {
  case_check(variant, key, &found, 1);
}

/* Sizes and rows of J: contacts first, as the problem has them. */
typedef struct rows {
  int nc, ntangent, nb;
  double contact[MAX_NUMBERS], bilateral[MAX_NUMBERS];
} rows;

static void rows_of_A(rows *r, const json_t *inputs, int nv) {
  static double A[MAX_NUMBERS];
  int count = case_numbers(inputs, "A", A, MAX_NUMBERS) / nv;
  r->nb = case_has(inputs, "n_bilateral") ? (int)case_number(inputs, "n_bilateral") : 0;
  r->nc = count - r->nb;
  memcpy(r->bilateral, A, sizeof *A * (size_t)(r->nb * nv));
  memcpy(r->contact, A + r->nb * nv, sizeof *A * (size_t)(r->nc * nv));
}

static void rows_of_activation(rows *r, const json_t *inputs, int nv) {
  static double all[MAX_NUMBERS];
  double phi[64], lambda[64];
  int count = case_numbers(inputs, "dphi_u_dq", all, MAX_NUMBERS) / nv;
  assert_int_equal(case_numbers(inputs, "phi_u", phi, 64), count);
  assert_int_equal(case_numbers(inputs, "lambda_u", lambda, 64), count);
  r->nb = case_numbers(inputs, "A_b", r->bilateral, MAX_NUMBERS) / nv;
  for (int i = 0; i < count; i++)
    if (phi[i] <= 0 && lambda[i] >= 0) memcpy(r->contact + nv * r->nc++, all + nv * i, sizeof *all * (size_t)nv);
}

static void rows_of_friction(rows *r, const json_t *inputs, int nv) {
  r->nc = 1;
  assert_int_equal(case_numbers(inputs, "a_n", r->contact, nv), nv);
  r->ntangent = case_numbers(inputs, "A_t", r->contact + nv, 2 * nv) / nv;
  if (case_has(inputs, "A_b")) r->nb = case_numbers(inputs, "A_b", r->bilateral, MAX_NUMBERS) / nv;
}

static void rows_of_gradients(rows *r, const json_t *inputs, int nv) {
  static double normal[MAX_NUMBERS], tangent[MAX_NUMBERS];
  r->nc = case_numbers(inputs, "grad_h", normal, MAX_NUMBERS) / nv;
  r->ntangent = case_has(inputs, "H_T");
  if (r->ntangent) assert_int_equal(case_numbers(inputs, "H_T", tangent, MAX_NUMBERS), nv * r->nc);
  for (int c = 0; c < r->nc; c++)
    for (int k = 0; k < nv; k++) {
      r->contact[nv * (1 + r->ntangent) * c + k] = normal[r->nc * k + c];
      if (r->ntangent) r->contact[nv * (2 * c + 1) + k] = tangent[r->nc * k + c];
    }
}

/* Matrices on kinetic quasi-velocities. */
static void set_quasi_matrices(crd_contact_problem *p, const json_t *inputs) {
  if (case_has(inputs, "Enn")) {
    assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
    assert_int_equal(case_numbers(inputs, "Enn", p->restitution_matrix, p->nc * p->nc), p->nc * p->nc);
  }
  if (case_has(inputs, "E")) {
    assert_int_equal(crd_contact_problem_add_restitution_full(p), CRD_OK);
    assert_int_equal(case_numbers(inputs, "E", p->restitution_full, p->nv * p->nv), p->nv * p->nv);
  }
}

static void set_coefficients(crd_contact_problem *p, const json_t *inputs) {
  double e = case_has(inputs, "e") ? case_number(inputs, "e") : 0, e_t = 0;
  const json_t *E = json_object_get(inputs, "E");
  if (case_has(inputs, "grad_h")) {
    set_quasi_matrices(p, inputs);
  } else if (E && !json_is_array(json_array_get(E, 0))) {
    double diagonal[3];
    case_numbers(inputs, "E", diagonal, 3);
    e = diagonal[0], e_t = diagonal[1];
  } else if (E) {
    double matrix[MAX_NUMBERS];
    int m = p->nb + p->nc;
    assert_int_equal(case_numbers(inputs, "E", matrix, MAX_NUMBERS), m * m);
    assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
    for (int i = 0; i < p->nc; i++)
      for (int j = 0; j < p->nc; j++) p->restitution_matrix[p->nc * i + j] = matrix[m * (p->nb + i) + p->nb + j];
  }
  double mu[16] = {0};
  int several = case_has(inputs, "mu") ? case_numbers(inputs, "mu", mu, 16) : 0;
  for (int c = 0; c < p->nc; c++) {
    p->contact[c].e = e, p->contact[c].e_t = e_t;
    p->contact[c].mu = p->contact[c].mu_static = mu[several > 1 ? c : 0];
    if (case_has(inputs, "mu_d")) p->contact[c].mu = case_number(inputs, "mu_d");
    if (case_has(inputs, "mu_s")) p->contact[c].mu_static = case_number(inputs, "mu_s");
  }
}

crd_contact_problem *case_problem(const case_variant *variant) {
  static rows r;
  const json_t *inputs = variant->inputs;
  int nv = (int)json_array_size(json_object_get(inputs, "M"));
  r.nc = r.nb = r.ntangent = 0;
  if (case_has(inputs, "A"))
    rows_of_A(&r, inputs, nv);
  else if (case_has(inputs, "grad_h"))
    rows_of_gradients(&r, inputs, nv);
  else if (case_has(inputs, "a_n"))
    rows_of_friction(&r, inputs, nv);
  else
    rows_of_activation(&r, inputs, nv);
  crd_contact_problem *p = crd_contact_problem_new();
  int nrow = r.nc * (1 + r.ntangent);
  assert_int_equal(crd_contact_problem_resize(p, nv, r.nc, nrow, r.nb, true), CRD_OK);
  assert_int_equal(case_numbers(inputs, "M", p->M, nv * nv), nv * nv);
  assert_int_equal(case_numbers(inputs, "qd_minus", p->v, nv), nv);
  if (case_has(inputs, "i_u")) assert_int_equal(case_numbers(inputs, "i_u", p->impulse, nv), nv);
  memcpy(p->J, r.contact, sizeof(double) * (size_t)(nrow * nv));
  memcpy(p->J + nrow * nv, r.bilateral, sizeof(double) * (size_t)(r.nb * nv));
  for (int c = 0; c < r.nc; c++) {
    char name[16];
    snprintf(name, sizeof name, "%d", c + 1);
    p->contact[c] = (crd_contact){.name = crd_contact_problem_text(p, name),
                                  .row = c * (1 + r.ntangent),
                                  .ntangent = r.ntangent,
                                  .body1 = -1,
                                  .body2 = -1};
  }
  set_coefficients(p, inputs);
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  return p;
}
