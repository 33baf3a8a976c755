/* Impact problems from JSON, checked value by value.
 *
 *   { "cradle": "impact-problem/1", "M": [[..]], "v": [..],
 *     "contacts": [ { "name": "A", "n": [..], "t": [[..],[..]], "mu": 1, "mu_static": 1, "e": 0, "e_t": 0 } ],
 *     "bilateral": [[..]], "impulse": [..], "restitution_matrix": [[..]],
 *     "force": [..], "bilateral_rate": [..] }       and "rate": [..] in each contact: the load on contacts that last
 *
 * A contact may have torsional and rolling friction: "spin": [[..]], "mu_spin": 0.01, "roll": [[..],[..]], "mu_roll":
 * 0.001, rows of relative angular velocity with coefficients in m.
 *
 * "e" may be a list of pairs [speed, e]: restitution at the speed of approach (cradle/model.h).
 * and what was measured after the impact: "v_plus": [..], "sigma": [..], "group": "steel".
 * All but M, v, contacts and each contact's n may be absent; mu_static is mu where it is. A member "comment" may stand
 * anywhere, any other unknown one is refused: a misspelt coefficient must not be taken for an absent one.
 */
#include <cradle/io.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "contact/problem.h"
#include "io/file/path.h"
#include "io/json/read.h"
#include "io/problem/row.h"
#include "linalg/dense.h"

/* One reading. */
typedef struct reading {
  crd_json_reading json;
  crd_problem_read_options options;
  crd_contact_problem *problem;
  crd_measured *measured; /* NULL: of no interest */
  bool in_list;           /* one of many, which need not each name the format */
} reading;

#define FAIL(r, code, ...) crd_json_fail(&(r)->json, code, __VA_ARGS__)

static const double ASYMMETRIC = 1e-9; /* of sqrt(M_ii M_jj): a difference that is no rounding of a file */
static const double SINGULAR = 4e-16;  /* of M_ii, times n: pivots that are rounding of the factorisation */
static const char PER_VELOCITY[] = "one for each velocity, as M has rows";

/* A row of a Jacobian: not all zero. */
static void read_row(reading *r, const json_t *value, const char *path, double *out) {
  int n = r->problem->nv;
  crd_json_vector(&r->json, value, path, n, PER_VELOCITY, out);
  if (r->json.status) return;
  for (int i = 0; i < n; i++)
    if (out[i] != 0) return;
  FAIL(r, CRD_ERR_MODEL, "%s: found a row of zeros, expected a direction in which the mechanism can move", path);
}

static void read_in_range(reading *r, const json_t *value, const char *path, double low, double high, double *out) {
  if (!value) return;
  crd_json_number(&r->json, value, path, out);
  if (r->json.status || (*out >= low && *out <= high)) return;
  if (isinf(high))
    FAIL(r, CRD_ERR_NUMBER, "%s: found %g, expected a number that is at least %g", path, *out, low);
  else
    FAIL(r, CRD_ERR_NUMBER, "%s: found %g, expected a number from %g to %g", path, *out, low, high);
}

/* e as a list of [speed, e]. */
static void read_table(reading *r, const json_t *value, const char *path, crd_restitution_table *table) {
  size_t count = json_array_size(value);
  if (count < 1 || count > CRD_RESTITUTION_ENTRIES) {
    FAIL(r, CRD_ERR_FORMAT, "%s: found %zu entries, expected 1 to %d pairs [speed, e]", path, count,
         CRD_RESTITUTION_ENTRIES);
    return;
  }
  table->count = (int)count;
  for (int i = 0; i < table->count && !r->json.status; i++) {
    char place[128];
    double pair[2];
    snprintf(place, sizeof place, "%s[%d]", path, i);
    crd_json_vector(&r->json, json_array_get(value, (size_t)i), place, 2, "speed and e", pair);
    if (!r->json.status) table->speed[i] = pair[0], table->e[i] = pair[1];
  }
  int wrong = r->json.status ? -1 : crd_model_restitution_table_error(table);
  if (wrong >= 0)
    FAIL(r, CRD_ERR_NUMBER, "%s[%d]: found [%g, %g], expected rising speeds with coefficients from 0 to 1", path, wrong,
         table->speed[wrong], table->e[wrong]);
}

/* ------------------------------------------------------------------------------------------------ parts */

static void check_mass_matrix(reading *r) {
  int n = r->problem->nv;
  const double *M = r->problem->M;
  if (r->json.status) return;
  for (int i = 0; i < n; i++) {
    if (!(M[n * i + i] > 0)) {
      FAIL(r, CRD_ERR_MODEL, "M[%d][%d]: found %g, expected a positive number: M is positive definite", i, i,
           M[n * i + i]);
      return;
    }
    for (int j = 0; j < i; j++)
      if (fabs(M[n * i + j] - M[n * j + i]) > ASYMMETRIC * sqrt(M[n * i + i] * M[n * j + j])) {
        FAIL(r, CRD_ERR_MODEL, "M[%d][%d]: found %.17g, expected %.17g as in M[%d][%d]: M is symmetric", i, j,
             M[n * i + j], M[n * j + i], j, i);
        return;
      }
  }
}

/* The square of a pivot of the Cholesky factor is what the velocity's inertia is when all before it are free; one that
 * is lost in rounding means that M is singular. */
static void check_positive_definite(reading *r) {
  int n = r->problem->nv;
  if (r->json.status) return;
  crd_arena arena = {0};
  double *L = crd_arena_alloc(&arena, (size_t)n * (size_t)n, sizeof *L);
  if (!L) {
    FAIL(r, CRD_ERR_MEMORY, "out of memory");
    return;
  }
  memcpy(L, r->problem->M, sizeof(double) * (size_t)n * (size_t)n);
  bool definite = crd_dense_cholesky(n, L);
  for (int i = 0; definite && i < n; i++)
    definite = L[n * i + i] * L[n * i + i] > SINGULAR * n * r->problem->M[n * i + i];
  if (!definite) FAIL(r, CRD_ERR_MODEL, "M: found a matrix that is not positive definite, expected a mass matrix");
  crd_arena_free(&arena);
}

/* In the contact's own room where it fits, so that a problem which is read again and again does not grow. */
static void keep_name(crd_contact_problem *problem, crd_contact *c, int index, const char *name) {
  const size_t size = strlen(name) + 1;
  c->name = size > CRD_CONTACT_NAME ? crd_contact_problem_text(problem, name)
                                    : memcpy(crd_problem_name(problem, index), name, size);
}

/* "contacts[2].mu", for messages. */
static const char *place_of(char place[96], int index, const char *name) {
  snprintf(place, 96, "contacts[%d].%s", index, name);
  return place;
}

/* Friction and restitution; a table of restitution is evaluated at the contact's approach. */
static void read_coefficients(reading *r, const json_t *object, int index, crd_contact *c) {
  const crd_contact_problem *problem = r->problem;
  const size_t n = (size_t)problem->nv;
  const double low = r->options.any_restitution ? -INFINITY : 0, high = r->options.any_restitution ? INFINITY : 1;
  char place[96];
  read_in_range(r, json_object_get(object, "mu"), place_of(place, index, "mu"), 0, INFINITY, &c->mu);
  c->mu_static = c->mu;
  read_in_range(r, json_object_get(object, "mu_static"), place_of(place, index, "mu_static"), 0, INFINITY,
                &c->mu_static);
  if (json_is_array(json_object_get(object, "e"))) {
    crd_restitution_table table = {0};
    double approach = 0;
    read_table(r, json_object_get(object, "e"), place_of(place, index, "e"), &table);
    for (size_t k = 0; k < n; k++) approach -= problem->J[n * (size_t)c->row + k] * problem->v[k];
    if (!r->json.status) c->e = crd_model_restitution_at(&table, approach);
  } else {
    read_in_range(r, json_object_get(object, "e"), place_of(place, index, "e"), low, high, &c->e);
  }
  read_in_range(r, json_object_get(object, "e_t"), place_of(place, index, "e_t"), r->options.any_restitution ? low : -1,
                high, &c->e_t);
}

/* Rows of relative angular velocity with their coefficient, one without the other says nothing; returns how many. As in
 * contacts of a model, friction of a coefficient zero has no rows: they are checked and left out. */
static int read_turning(reading *r, const json_t *object, int index, const char *rows, const char *coefficient,
                        int *row, double *mu) {
  const json_t *list = json_object_get(object, rows), *number = json_object_get(object, coefficient);
  const int count = (int)json_array_size(list);
  char place[96];
  if (r->json.status || (!list && !number)) return 0;
  if (!list || !number)
    FAIL(r, CRD_ERR_FORMAT, "contacts[%d].%s: found it without %s, expected both or neither", index,
         list ? rows : coefficient, list ? coefficient : rows);
  read_in_range(r, number, place_of(place, index, coefficient), 0, INFINITY, mu);
  const bool kept = *mu > 0;
  for (int k = 0; k < count && !r->json.status; k++) {
    snprintf(place, sizeof place, "contacts[%d].%s[%d]", index, rows, k);
    read_row(r, json_array_get(list, (size_t)k), place,
             kept ? r->problem->J + (size_t)r->problem->nv * (size_t)(*row)++ : r->problem->X);
  }
  return kept ? count : 0;
}

/* A name of its own; without one, the number of the contact. */
static void read_name(reading *r, const json_t *object, int index, crd_contact *c) {
  const json_t *name = json_object_get(object, "name");
  char place[96], number[16];
  place_of(place, index, "name");
  if (name && !json_is_string(name) && !r->json.status)
    FAIL(r, CRD_ERR_FORMAT, "%s: found %s, expected a text", place, crd_json_type_name(name));
  if (r->json.status) return;
  snprintf(number, sizeof number, "%d", index + 1);
  keep_name(r->problem, c, index, name ? json_string_value(name) : number);
  if (!c->name) FAIL(r, CRD_ERR_MEMORY, "out of memory");
  for (int k = 0; k < index && !r->json.status; k++)
    if (strcmp(r->problem->contact[k].name, c->name) == 0)
      FAIL(r, CRD_ERR_FORMAT, "%s: found '%s', the name of contacts[%d], expected a name of its own", place, c->name,
           k);
}

static void read_contact(reading *r, json_t *object, int index, int *row) {
  static const char *const names[] = {"name", "n",    "t",    "mu",      "mu_static", "e",
                                      "e_t",  "rate", "spin", "mu_spin", "roll",      "mu_roll"};
  crd_contact_problem *problem = r->problem;
  crd_contact *c = &problem->contact[index];
  size_t n = (size_t)problem->nv;
  char path[64], place[96];
  if (r->json.status) return;
  snprintf(path, sizeof path, "contacts[%d].", index);
  crd_json_members(&r->json, object, path, names, sizeof names / sizeof *names);
  *c = (crd_contact){.row = *row, .body1 = -1, .body2 = -1, .joint = -1};
  read_row(r, json_object_get(object, "n"), place_of(place, index, "n"), problem->J + n * (size_t)*row);
  *row += 1;
  json_t *t = json_object_get(object, "t");
  c->ntangent = t ? (int)json_array_size(t) : 0;
  for (int k = 0; k < c->ntangent; k++, *row += 1) {
    snprintf(place, sizeof place, "contacts[%d].t[%d]", index, k);
    read_row(r, json_array_get(t, (size_t)k), place, problem->J + n * (size_t)*row);
  }
  c->nspin = read_turning(r, object, index, "spin", "mu_spin", row, &c->mu_spin);
  c->nroll = read_turning(r, object, index, "roll", "mu_roll", row, &c->mu_roll);
  read_coefficients(r, object, index, c);
  read_name(r, object, index, c);
}

/* ------------------------------------------------------------------------------------------------ sizes
 * The lengths of all lists are checked before memory is taken, so that a short file cannot ask for much of it. */

/* The Delassus matrix is dense; larger ones would not be small problems. */
enum { MAX_ROWS = 8192 };

static void check_rows(reading *r, const json_t *list, const char *path, int n) {
  for (size_t i = 0; i < json_array_size(list) && !r->json.status; i++) {
    char place[96];
    snprintf(place, sizeof place, "%s[%zu]", path, i);
    crd_json_is_list(&r->json, json_array_get(list, i), place, n, PER_VELOCITY);
  }
}

/* Number of rows that a contact has of friction: of "t", "spin" or "roll". coefficient: its name, where rows count only
 * if it is positive. */
static size_t count_friction(reading *r, const json_t *contact, size_t index, const char *name, const char *coefficient,
                             size_t most, const char *expected, int n) {
  const json_t *list = json_object_get(contact, name);
  const size_t count = json_array_size(list);
  char place[64];
  if (r->json.status || !list) return 0;
  snprintf(place, sizeof place, "contacts[%zu].%s", index, name);
  if (!json_is_array(list))
    FAIL(r, CRD_ERR_FORMAT, "%s: found %s, expected a list of %s", place, crd_json_type_name(list), expected);
  else if (count > most || (count == 0 && coefficient))
    FAIL(r, CRD_ERR_FORMAT, "%s: found %zu entries, expected %s", place, count, expected);
  check_rows(r, list, place, n);
  return !coefficient || json_number_value(json_object_get(contact, coefficient)) > 0 ? count : 0;
}

/* Number of rows of J that belong to contacts. */
static int count_rows(reading *r, json_t *contacts, int n) {
  size_t index, rows = 0;
  json_t *contact;
  json_array_foreach(contacts, index, contact) {
    char place[64];
    if (!json_is_object(contact))
      FAIL(r, CRD_ERR_FORMAT, "contacts[%zu]: found %s, expected an object", index, crd_json_type_name(contact));
    snprintf(place, sizeof place, "contacts[%zu].n", index);
    if (!r->json.status) crd_json_is_list(&r->json, json_object_get(contact, "n"), place, n, PER_VELOCITY);
    rows += 1 + count_friction(r, contact, index, "t", NULL, 2, "one row (planar) or two", n) +
            count_friction(r, contact, index, "spin", "mu_spin", 1, "one row", n) +
            count_friction(r, contact, index, "roll", "mu_roll", 2, "one row (planar) or two", n);
    if (r->json.status) return 0;
  }
  return rows < MAX_ROWS ? (int)rows : MAX_ROWS;
}

static void read_sizes(reading *r, json_t *root) {
  json_t *M = json_object_get(root, "M"), *contacts = json_object_get(root, "contacts");
  json_t *bilateral = json_object_get(root, "bilateral");
  size_t n = json_array_size(M), nb = json_array_size(bilateral);
  if (r->json.status) return;
  if (n == 0)
    FAIL(r, CRD_ERR_FORMAT, "M: found %s, expected a list of rows",
         json_is_array(M) ? "an empty list" : crd_json_type_name(M));
  else if (!json_is_array(contacts))
    FAIL(r, CRD_ERR_FORMAT, "contacts: found %s, expected a list of contacts", crd_json_type_name(contacts));
  else if (bilateral && !json_is_array(bilateral))
    FAIL(r, CRD_ERR_FORMAT, "bilateral: found %s, expected a list of rows", crd_json_type_name(bilateral));
  else if (n > MAX_ROWS || nb > MAX_ROWS)
    FAIL(r, CRD_ERR_FORMAT, "%s: found %zu rows, expected at most %d", n > MAX_ROWS ? "M" : "bilateral",
         n > MAX_ROWS ? n : nb, MAX_ROWS);
  if (r->json.status) return;
  check_rows(r, M, "M", (int)n);
  check_rows(r, bilateral, "bilateral", (int)n);
  int rows = count_rows(r, contacts, (int)n);
  if (r->json.status) return;
  if ((size_t)rows + nb >= MAX_ROWS)
    FAIL(r, CRD_ERR_FORMAT, "contacts: found %zu of them, expected fewer than %d rows in all",
         json_array_size(contacts), MAX_ROWS);
  else if (crd_contact_problem_resize(r->problem, (int)n, (int)json_array_size(contacts), rows, (int)nb, true) !=
           CRD_OK)
    FAIL(r, CRD_ERR_MEMORY, "out of memory");
}

/* ------------------------------------------------------------------------------------------------ the whole */

static void read_bilateral(reading *r, const json_t *list) {
  crd_contact_problem *problem = r->problem;
  for (int i = 0; i < problem->nb && !r->json.status; i++) {
    char place[48];
    snprintf(place, sizeof place, "bilateral[%d]", i);
    read_row(r, json_array_get(list, (size_t)i), place, problem->J + (size_t)problem->nv * (size_t)(problem->nrow + i));
  }
}

/* Derived numbers must be finite, too. */
static void complete(reading *r) {
  crd_contact_problem *problem = r->problem;
  size_t m = (size_t)problem->nrow + (size_t)problem->nb, n = (size_t)problem->nv;
  if (r->json.status) return;
  if (crd_contact_problem_complete(problem) != CRD_OK) {
    FAIL(r, CRD_ERR_MODEL, "M: found a matrix that is not positive definite, expected a mass matrix");
    return;
  }
  double sum = problem->kinetic + problem->kinetic_free;
  for (size_t i = 0; i < m * m; i++) sum += fabs(problem->W[i]);
  for (size_t i = 0; i < m; i++) sum += fabs(problem->u[i]) + fabs(problem->u_free[i]);
  for (size_t i = 0; i < n; i++) sum += fabs(problem->v_free[i]);
  if (!isfinite(sum)) FAIL(r, CRD_ERR_NUMBER, "found numbers so large or small that J M^-1 J' overflows");
}

/* nc x nc, of the normal velocities, or nv x nv, of all quasi-velocities. */
static void read_restitution_matrix(reading *r, const json_t *E) {
  static const char path[] = "restitution_matrix";
  crd_contact_problem *problem = r->problem;
  if (r->json.status) return;
  if (problem->nv != problem->nc && json_array_size(E) == (size_t)problem->nv) {
    if (crd_contact_problem_add_restitution_full(problem) != CRD_OK)
      FAIL(r, CRD_ERR_MEMORY, "out of memory");
    else
      crd_json_matrix(&r->json, E, path, problem->nv, problem->nv, PER_VELOCITY, problem->restitution_full);
    return;
  }
  crd_contact_problem_add_restitution_matrix(problem);
  crd_json_matrix(&r->json, E, path, problem->nc, problem->nc, "one for each contact, or for each velocity",
                  problem->restitution_matrix);
}

/* force, and the rates of the rows: d/dt(J) v. What is absent is zero; nothing is stated where all are. */
static void read_load(reading *r, const json_t *root) {
  crd_contact_problem *problem = r->problem;
  const json_t *force = json_object_get(root, "force"), *bilateral = json_object_get(root, "bilateral_rate");
  const json_t *contacts = json_object_get(root, "contacts");
  bool any = force || bilateral;
  for (int c = 0; c < problem->nc; c++)
    any = any || json_object_get(json_array_get(contacts, (size_t)c), "rate") != NULL;
  if (!any || r->json.status) return;
  if (crd_contact_problem_add_load(problem) != CRD_OK) {
    FAIL(r, CRD_ERR_MEMORY, "out of memory");
    return;
  }
  if (force) crd_json_vector(&r->json, force, "force", problem->nv, PER_VELOCITY, problem->force);
  if (bilateral)
    crd_json_vector(&r->json, bilateral, "bilateral_rate", problem->nb, "one for each bilateral row",
                    problem->rate + problem->nrow);
  for (int c = 0; c < problem->nc; c++) {
    const json_t *rate = json_object_get(json_array_get(contacts, (size_t)c), "rate");
    char place[64];
    snprintf(place, sizeof place, "contacts[%d].rate", c);
    if (rate)
      crd_json_vector(&r->json, rate, place, crd_contact_rows(&problem->contact[c]),
                      "one for n and one for each row of t, spin and roll", problem->rate + problem->contact[c].row);
  }
}

static double *vector_kept(reading *r, const json_t *root, const char *member) {
  const json_t *value = json_object_get(root, member);
  if (!value || r->json.status) return NULL;
  double *kept = crd_arena_alloc(&r->measured->arena, (size_t)r->problem->nv, sizeof *kept);
  if (!kept)
    FAIL(r, CRD_ERR_MEMORY, "out of memory");
  else
    crd_json_vector(&r->json, value, member, r->problem->nv, PER_VELOCITY, kept);
  return kept;
}

/* The measured values: v_plus, sigma, group. */
static void read_measured(reading *r, const json_t *root) {
  crd_measured *measured = r->measured;
  const json_t *group = json_object_get(root, "group");
  if (!measured || r->json.status) return;
  measured->nv = r->problem->nv;
  measured->v_plus = vector_kept(r, root, "v_plus");
  const double *sigma = vector_kept(r, root, "sigma");
  for (int k = 0; sigma && !r->json.status && k < r->problem->nv; k++)
    if (!(sigma[k] > 0)) FAIL(r, CRD_ERR_NUMBER, "sigma[%d]: found %g, expected a positive number", k, sigma[k]);
  measured->sigma = sigma;
  if (group && !json_is_string(group) && !json_is_integer(group))
    FAIL(r, CRD_ERR_FORMAT, "group: found %s, expected a text or a whole number", crd_json_type_name(group));
  if (!group || r->json.status) return;
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)json_integer_value(group));
  measured->group = crd_arena_string(&measured->arena, json_is_string(group) ? json_string_value(group) : number);
  if (!measured->group) FAIL(r, CRD_ERR_MEMORY, "out of memory");
}

static void read_root(reading *r, json_t *root) {
  static const char *const names[] = {"cradle", "M",     "v",     "contacts",           "bilateral", "impulse",
                                      "v_plus", "sigma", "group", "restitution_matrix", "force",     "bilateral_rate"};
  crd_contact_problem *problem = r->problem;
  const char *format = json_string_value(json_object_get(root, "cradle"));
  const bool untold = r->in_list && !json_object_get(root, "cradle");
  if (!json_is_object(root))
    FAIL(r, CRD_ERR_FORMAT, "found %s, expected an object", crd_json_type_name(root));
  else if (!untold && (!format || strcmp(format, "impact-problem/1") != 0))
    FAIL(r, CRD_ERR_FORMAT, "cradle: found %s%s%s, expected \"impact-problem/1\"", format ? "\"" : "",
         format ? format : crd_json_type_name(json_object_get(root, "cradle")), format ? "\"" : "");
  crd_json_members(&r->json, root, "", names, sizeof names / sizeof *names);
  read_sizes(r, root);
  if (r->json.status) return;
  crd_json_matrix(&r->json, json_object_get(root, "M"), "M", problem->nv, problem->nv, "as many as rows", problem->M);
  check_mass_matrix(r);
  check_positive_definite(r);
  crd_json_vector(&r->json, json_object_get(root, "v"), "v", problem->nv, PER_VELOCITY, problem->v);
  for (int i = 0, row = 0; i < problem->nc; i++)
    read_contact(r, json_array_get(json_object_get(root, "contacts"), (size_t)i), i, &row);
  read_bilateral(r, json_object_get(root, "bilateral"));
  const json_t *impulse = json_object_get(root, "impulse"), *E = json_object_get(root, "restitution_matrix");
  if (impulse) crd_json_vector(&r->json, impulse, "impulse", problem->nv, PER_VELOCITY, problem->impulse);
  if (E) read_restitution_matrix(r, E);
  read_load(r, root);
  read_measured(r, root);
  complete(r);
}

void crd_measured_reset(crd_measured *measured) {
  crd_arena_reset(&measured->arena);
  *measured = (crd_measured){.group = "", .arena = measured->arena};
}

crd_status crd_problem_read_value(json_t *value, const char *file, bool in_list,
                                  const crd_problem_read_options *options, crd_contact_problem *problem,
                                  crd_measured *measured, crd_error *err) {
  crd_error own;
  reading r = {
      .json = {.file = file, .err = err ? err : &own}, .problem = problem, .measured = measured, .in_list = in_list};
  if (options) r.options = *options;
  if (measured) crd_measured_reset(measured);
  read_root(&r, value);
  return r.json.status;
}

void crd_problem_finish(const char *file, crd_contact_problem *problem, crd_error *err, crd_status *status) {
  reading r = {.json = {.file = file, .err = err, .status = *status}, .problem = problem};
  check_mass_matrix(&r);
  check_positive_definite(&r);
  complete(&r);
  *status = r.json.status;
}

crd_status crd_io_read_problem_text(const char *text, size_t size, const char *name,
                                    const crd_problem_read_options *options, crd_contact_problem **problem,
                                    crd_error *err) {
  crd_error own;
  json_error_t where;
  crd_status status;
  crd_contact_problem *fresh = crd_contact_problem_new();
  *problem = NULL;
  if (!err) err = &own;
  if (!fresh) return crd_error_set(err, CRD_ERR_MEMORY, name, 0, "out of memory");
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
  if (root)
    status = crd_problem_read_value(root, name, false, options, fresh, NULL, err);
  else
    status = crd_error_set(err, CRD_ERR_FORMAT, name, where.line > 0 ? where.line : 0, "not JSON: %s", where.text);
  json_decref(root);
  if (status == CRD_OK)
    *problem = fresh;
  else
    crd_contact_problem_free(fresh);
  return status;
}

crd_status crd_io_read_problem(const char *path, const crd_problem_read_options *options, crd_contact_problem **problem,
                               crd_error *err) {
  crd_arena arena = {0};
  char *text;
  size_t size;
  *problem = NULL;
  crd_status status = crd_path_read(&arena, path, &text, &size, err);
  if (status == CRD_OK) status = crd_io_read_problem_text(text, size, path, options, problem, err);
  crd_arena_free(&arena);
  return status;
}
