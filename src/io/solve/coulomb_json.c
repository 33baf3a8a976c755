/* Friction problems from JSON, "coulomb-problem/1"; docs/coulomb-file.md tells every member.
 *
 *   { "cradle": "coulomb-problem/1", "w": [..], "G": ..., "contacts": [{"row": 0, "ntangent": 2, "mu": 0.5}],
 *     "bilateral": [row, ..], "bounded": [{"row": .., "lower": .., "upper": ..}], "velocity": 1,
 *     "guess": {"p": [..], "mode": ["stick", ..]} }
 *
 * G is a list of rows, whole or up to the diagonal (symmetric), or {"groups": [rows of each, ..], "blocks": [{"row":
 * group, "column": group, "value": [[..]]}]}; or J with M, or with the rows X = M^-1 J', stand for it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/problem/json_factored.h"
#include "io/solve/coulomb_file.h"
#include "linalg/dense.h"

enum { PLACE = 64 };

static void *room(crd_json_reading *r, crd_coulomb_file *file, size_t count, size_t size) {
  void *memory = r->status ? NULL : crd_arena_alloc(&file->arena, count ? count : 1, size);
  if (!memory) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  return memory;
}

/* Length of a list that may be absent. */
static int list_length(crd_json_reading *r, const json_t *list, const char *path) {
  if (r->status || !list) return 0;
  if (!json_is_array(list) || json_array_size(list) > CRD_COULOMB_FILE_ROWS) {
    crd_json_fail(r, CRD_ERR_FORMAT, "%s: found %s, expected a list", path, crd_json_type_name(list));
    return 0;
  }
  return (int)json_array_size(list);
}

static void optional_number(crd_json_reading *r, const json_t *object, const char *path, const char *key, double *out) {
  const json_t *value = json_object_get(object, key);
  char place[PLACE + 16];
  snprintf(place, sizeof place, "%s%s", path, key);
  if (value) crd_json_number(r, value, place, out);
}

static void optional_integer(crd_json_reading *r, const json_t *object, const char *path, const char *key, int most,
                             int *out) {
  const json_t *value = json_object_get(object, key);
  char place[PLACE + 16];
  snprintf(place, sizeof place, "%s%s", path, key);
  if (value) crd_json_integer(r, value, place, 0, most, out);
}

/* ------------------------------------------------------------------------------------------------ contacts */

/* next: the row behind the contact before, where it begins unless it says otherwise. */
static void read_contact(crd_json_reading *r, json_t *object, int k, int n, int *next, crd_coulomb_contact *contact) {
  static const char *const names[] = {"row",     "ntangent", "nspin",  "nroll", "mu",
                                      "mu_spin", "mu_roll",  "target", "slide"};
  char path[PLACE], place[PLACE + 16];
  snprintf(path, sizeof path, "contacts[%d].", k);
  if (!json_is_object(object)) {
    crd_json_fail(r, CRD_ERR_FORMAT, "contacts[%d]: found %s, expected an object", k, crd_json_type_name(object));
    return;
  }
  crd_json_members(r, object, path, names, sizeof names / sizeof *names);
  *contact = (crd_coulomb_contact){.row = *next, .ntangent = 2};
  optional_integer(r, object, path, "row", n - 1, &contact->row);
  optional_integer(r, object, path, "ntangent", 2, &contact->ntangent);
  optional_integer(r, object, path, "nspin", 1, &contact->nspin);
  optional_integer(r, object, path, "nroll", 2, &contact->nroll);
  optional_number(r, object, path, "mu", &contact->mu);
  optional_number(r, object, path, "mu_spin", &contact->mu_spin);
  optional_number(r, object, path, "mu_roll", &contact->mu_roll);
  optional_number(r, object, path, "target", &contact->target);
  const json_t *slide = json_object_get(object, "slide");
  snprintf(place, sizeof place, "%sslide", path);
  if (slide) crd_json_vector(r, slide, place, contact->ntangent, "one for each tangent", contact->slide);
  contact->slides = slide;
  *next = contact->row + 1 + contact->ntangent + contact->nspin + contact->nroll;
}

static void read_contacts(crd_json_reading *r, const json_t *list, crd_coulomb_file *file) {
  const int count = list_length(r, list, "contacts");
  crd_coulomb_contact *contact = room(r, file, (size_t)count, sizeof *contact);
  int next = 0;
  for (int k = 0; k < count && !r->status; k++)
    read_contact(r, json_array_get(list, (size_t)k), k, file->problem.n, &next, &contact[k]);
  file->problem.ncontact = count, file->problem.contact = contact;
}

static void read_bilateral(crd_json_reading *r, const json_t *list, crd_coulomb_file *file) {
  const int count = list_length(r, list, "bilateral");
  int *row = room(r, file, (size_t)count, sizeof *row);
  for (int k = 0; k < count && !r->status; k++) {
    char place[PLACE];
    snprintf(place, sizeof place, "bilateral[%d]", k);
    crd_json_integer(r, json_array_get(list, (size_t)k), place, 0, file->problem.n - 1, &row[k]);
  }
  file->problem.nbilateral = count, file->problem.bilateral = row;
}

/* A bound that is absent or null is infinite. */
static void read_bound(crd_json_reading *r, const json_t *object, const char *path, const char *key, double *out) {
  if (!json_is_null(json_object_get(object, key))) optional_number(r, object, path, key, out);
}

static void read_bounded(crd_json_reading *r, const json_t *list, crd_coulomb_file *file) {
  static const char *const names[] = {"row", "lower", "upper"};
  const int count = list_length(r, list, "bounded");
  crd_coulomb_bounded *bounded = room(r, file, (size_t)count, sizeof *bounded);
  for (int k = 0; k < count && !r->status; k++) {
    json_t *object = json_array_get(list, (size_t)k);
    char path[PLACE], place[PLACE + 16];
    snprintf(path, sizeof path, "bounded[%d].", k);
    snprintf(place, sizeof place, "%srow", path);
    if (!json_is_object(object)) {
      crd_json_fail(r, CRD_ERR_FORMAT, "bounded[%d]: found %s, expected an object", k, crd_json_type_name(object));
      break;
    }
    crd_json_members(r, object, path, names, 3);
    bounded[k] = (crd_coulomb_bounded){.lower = -INFINITY, .upper = INFINITY};
    crd_json_integer(r, json_object_get(object, "row"), place, 0, file->problem.n - 1, &bounded[k].row);
    read_bound(r, object, path, "lower", &bounded[k].lower);
    read_bound(r, object, path, "upper", &bounded[k].upper);
  }
  file->problem.nbounded = count, file->problem.bounded = bounded;
}

/* ------------------------------------------------------------------------------------------------ G */

/* Rows, whole or up to the diagonal. */
static void read_dense(crd_json_reading *r, const json_t *rows, crd_coulomb_file *file) {
  const int n = file->problem.n;
  const size_t size = (size_t)n;
  const bool lower = n > 1 && json_array_size(json_array_get(rows, 0)) == 1;
  if (!crd_json_is_list(r, rows, "G", n, "as many as entries of w")) return;
  double *G = NULL;
  for (int pass = 0; pass < 2 && !r->status; pass++) { /* shapes before memory */
    for (int i = 0; i < n && !r->status; i++) {
      char place[PLACE];
      const json_t *row = json_array_get(rows, (size_t)i);
      const int cols = lower ? i + 1 : n;
      snprintf(place, sizeof place, "G[%d]", i);
      if (pass == 0)
        crd_json_is_list(r, row, place, cols, lower ? "up to the diagonal" : "as many as entries of w");
      else
        crd_json_vector(r, row, place, cols, "", G + (size_t)i * size);
    }
    if (pass == 0) G = room(r, file, size * size, sizeof *G);
  }
  for (size_t i = 0; i < size && lower && !r->status; i++)
    for (size_t j = 0; j < i; j++) G[j * size + i] = G[i * size + j];
  file->problem.G = G;
}

/* first_row of the groups. */
static int *read_groups(crd_json_reading *r, const json_t *list, crd_coulomb_file *file, int *count) {
  *count = list_length(r, list, "G.groups");
  int *first = room(r, file, (size_t)*count + 1, sizeof *first);
  for (int k = 0; k < *count && !r->status; k++) {
    char place[PLACE];
    int rows = 0;
    snprintf(place, sizeof place, "G.groups[%d]", k);
    crd_json_integer(r, json_array_get(list, (size_t)k), place, 1, file->problem.n - first[k], &rows);
    first[k + 1] = first[k] + rows;
  }
  if (!r->status && first[*count] != file->problem.n)
    crd_json_fail(r, CRD_ERR_FORMAT, "G.groups: found %d rows together, expected %d, the length of w", first[*count],
                  file->problem.n);
  return first;
}

/* One block as entries behind those that are there. */
static void read_block(crd_json_reading *r, json_t *object, const char *path, int ngroup, const int *first,
                       crd_entries *matrix, crd_arena *scratch) {
  static const char *const names[] = {"row", "column", "value"};
  char place[PLACE + 16];
  int row = 0, column = 0;
  if (!json_is_object(object))
    crd_json_fail(r, CRD_ERR_FORMAT, "%s: found %s, expected an object", path, crd_json_type_name(object));
  crd_json_members(r, object, path, names, 3);
  snprintf(place, sizeof place, "%s.row", path);
  crd_json_integer(r, json_object_get(object, "row"), place, 0, ngroup - 1, &row);
  snprintf(place, sizeof place, "%s.column", path);
  crd_json_integer(r, json_object_get(object, "column"), place, 0, ngroup - 1, &column);
  if (r->status) return;
  const int height = first[row + 1] - first[row], width = first[column + 1] - first[column];
  const json_t *value = json_object_get(object, "value");
  snprintf(place, sizeof place, "%s.value", path);
  if (!crd_json_is_matrix(r, value, place, height, width, "as the groups say")) return;
  double *block = crd_json_room(r, scratch, (size_t)height * (size_t)width);
  crd_json_matrix(r, value, place, height, width, "", block);
  for (int k = 0; k < height * width && !r->status; k++) {
    const size_t e = matrix->count++;
    matrix->row[e] = first[row] + k / width, matrix->col[e] = first[column] + k % width, matrix->value[e] = block[k];
  }
}

/* Entries that the lists of values have; only counted, so that memory follows the size of the file. */
static size_t count_entries(const json_t *list) {
  size_t count = 0;
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *value = json_object_get(json_array_get(list, k), "value");
    for (size_t i = 0; i < json_array_size(value); i++) count += json_array_size(json_array_get(value, i));
  }
  return count;
}

static void read_blocks(crd_json_reading *r, json_t *object, crd_coulomb_file *file) {
  static const char *const names[] = {"groups", "blocks"};
  crd_arena scratch = {0};
  crd_entries matrix;
  const json_t *list = json_object_get(object, "blocks");
  int ngroup = 0;
  crd_json_members(r, object, "G.", names, 2);
  const int *first = read_groups(r, json_object_get(object, "groups"), file, &ngroup);
  const int count = list_length(r, list, "G.blocks");
  if (!r->status && !crd_entries_alloc(&scratch, file->problem.n, file->problem.n, count_entries(list), &matrix))
    crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  matrix.count = 0;
  for (int k = 0; k < count && !r->status; k++) {
    char place[PLACE];
    snprintf(place, sizeof place, "G.blocks[%d]", k);
    read_block(r, json_array_get(list, (size_t)k), place, ngroup, first, &matrix, &scratch);
  }
  crd_coulomb_blocks *blocks = room(r, file, 1, sizeof *blocks);
  if (!r->status && !crd_entries_blocks(&file->arena, &matrix, ngroup, first, blocks))
    crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  file->problem.blocks = blocks;
  crd_arena_free(&scratch);
}

/* A contact has its rows in one group. */
static void check_groups(crd_json_reading *r, const crd_coulomb_problem *problem) {
  const crd_coulomb_blocks *blocks = problem->blocks;
  for (int k = 0; k < problem->ncontact && blocks && !r->status; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    const int last = contact->row + contact->ntangent + contact->nspin + contact->nroll;
    int low = 0, high = blocks->ngroup; /* the group of the normal: first_row[low] <= row < first_row[high] */
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      *(blocks->first_row[middle] <= contact->row ? &low : &high) = middle;
    }
    if (last >= blocks->first_row[low + 1])
      crd_json_fail(r, CRD_ERR_MODEL, "contacts[%d]: found rows %d to %d in two groups of G, expected one", k,
                    contact->row, last);
  }
}

/* ------------------------------------------------------------------------------------------------ the rest */

static void read_modes(crd_json_reading *r, const json_t *list, crd_coulomb_file *file) {
  const int count = file->problem.ncontact;
  if (!list || !crd_json_is_list(r, list, "guess.mode", count, "one for each contact")) return;
  crd_mode *mode = room(r, file, (size_t)count, sizeof *mode);
  for (int k = 0; k < count && !r->status; k++) {
    const json_t *value = json_array_get(list, (size_t)k);
    const char *name = json_is_string(value) ? json_string_value(value) : "";
    int which = CRD_MODE_NONE;
    while (which <= CRD_MODE_SLIP && strcmp(name, crd_coulomb_mode_name((crd_mode)which)) != 0) which++;
    if (which > CRD_MODE_SLIP)
      crd_json_fail(r, CRD_ERR_FORMAT, "guess.mode[%d]: found %s%.20s, expected none, separate, stick or slip", k,
                    json_is_string(value) ? "" : crd_json_type_name(value), name);
    else
      mode[k] = (crd_mode)which;
  }
  file->mode = mode;
}

static void read_guess(crd_json_reading *r, json_t *guess, crd_coulomb_file *file) {
  static const char *const names[] = {"p", "mode"};
  if (r->status || !guess) return;
  if (!json_is_object(guess)) {
    crd_json_fail(r, CRD_ERR_FORMAT, "guess: found %s, expected an object", crd_json_type_name(guess));
    return;
  }
  crd_json_members(r, guess, "guess.", names, 2);
  if (json_object_get(guess, "p")) {
    double *p = room(r, file, (size_t)file->problem.n, sizeof *p);
    crd_json_vector(r, json_object_get(guess, "p"), "guess.p", file->problem.n, "as many as entries of w", p);
    file->p = p;
  }
  read_modes(r, json_object_get(guess, "mode"), file);
}

/* J, and X with G = J X': given, or its rows M^-1 J_i'. */
static void read_factored(crd_json_reading *r, json_t *root, crd_coulomb_file *file) {
  const json_t *given = json_object_get(root, "X");
  crd_coulomb_problem *problem = &file->problem;
  const double *L = NULL;
  if (given && json_object_get(root, "M")) crd_json_fail(r, CRD_ERR_FORMAT, "found both M and X, expected one of them");
  crd_json_factored(r, root, &file->arena, problem->n, &problem->nv, &problem->J, &L);
  if (r->status) return;
  if (given) crd_json_is_matrix(r, given, "X", problem->n, problem->nv, "as J");
  const size_t size = (size_t)problem->n * (size_t)problem->nv;
  double *X = crd_json_room(r, &file->arena, size);
  if (given)
    crd_json_matrix(r, given, "X", problem->n, problem->nv, "", X);
  else if (X)
    memcpy(X, problem->J, size * sizeof *X);
  if (L && !r->status) crd_dense_cholesky_solve(problem->nv, L, problem->n, X);
  problem->X = X;
}

static void read_matrix(crd_json_reading *r, json_t *root, crd_coulomb_file *file) {
  json_t *G = json_object_get(root, "G"), *J = json_object_get(root, "J");
  if ((G != NULL) == (J != NULL))
    crd_json_fail(r, CRD_ERR_FORMAT, "found %s, expected one of them", G ? "both G and J" : "neither G nor J");
  if (G && (json_object_get(root, "M") || json_object_get(root, "X")))
    crd_json_fail(r, CRD_ERR_FORMAT, "found M or X beside G, expected them beside J");
  if (J)
    read_factored(r, root, file);
  else if (json_is_object(G))
    read_blocks(r, G, file);
  else if (G)
    read_dense(r, G, file);
}

static const char *text_of(crd_json_reading *r, const json_t *object, const char *key, crd_arena *arena) {
  const char *text = crd_arena_string(arena, json_string_value(json_object_get(object, key)));
  if (!text) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  return text;
}

crd_status crd_coulomb_file_json(json_t *root, const char *name, crd_coulomb_file *file, crd_error *err) {
  static const char *const names[] = {"cradle", "name",     "w",         "G",       "J",        "M",
                                      "X",      "contacts", "bilateral", "bounded", "velocity", "guess"};
  crd_json_reading r = {.file = name, .err = err};
  const char *format = json_string_value(json_object_get(root, "cradle"));
  const json_t *w = json_object_get(root, "w");
  const size_t n = json_array_size(w);
  if (strcmp(format, "coulomb-problem/1") != 0)
    crd_json_fail(&r, CRD_ERR_FORMAT, "cradle: found \"%s\", expected \"coulomb-problem/1\"", format);
  crd_json_members(&r, root, "", names, sizeof names / sizeof *names);
  if (n < 1 || n > CRD_COULOMB_FILE_ROWS)
    crd_json_fail(&r, CRD_ERR_FORMAT, "w: found %s of %zu entries, expected a list of at least one number",
                  crd_json_type_name(w), n);
  file->problem.n = (int)n;
  double *velocities = room(&r, file, n, sizeof *velocities);
  crd_json_vector(&r, w, "w", (int)n, "", velocities);
  file->problem.w = velocities;
  read_contacts(&r, json_object_get(root, "contacts"), file);
  read_bilateral(&r, json_object_get(root, "bilateral"), file);
  read_bounded(&r, json_object_get(root, "bounded"), file);
  optional_number(&r, root, "", "velocity", &file->problem.velocity);
  if (!r.status && file->problem.velocity < 0)
    crd_json_fail(&r, CRD_ERR_NUMBER, "velocity: found %g, expected at least 0", file->problem.velocity);
  if (!r.status) r.status = crd_coulomb_file_check(file, name, err);
  if (!r.status) read_matrix(&r, root, file);
  if (!r.status) check_groups(&r, &file->problem);
  read_guess(&r, json_object_get(root, "guess"), file);
  file->name = text_of(&r, root, "name", &file->arena), file->comment = text_of(&r, root, "comment", &file->arena);
  file->format = "coulomb-problem/1";
  return r.status;
}
