/* Islands recorded from simulations, one JSON object a line: contacts with tangents and their last mode, a range of
 * bilateral rows, dry friction of joints, and the lower triangle of G by rows. */
#include <stdio.h>

#include "io/problem/json_factored.h"
#include "io/solve/coulomb_file.h"

static void read_contacts(crd_json_reading *r, const json_t *list, crd_coulomb_file *file) {
  const int count = (int)json_array_size(list);
  crd_coulomb_contact *contact = crd_arena_alloc(&file->arena, (size_t)count + 1, sizeof *contact);
  crd_mode *mode = crd_arena_alloc(&file->arena, (size_t)count + 1, sizeof *mode);
  if (!contact || !mode) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  for (int k = 0; k < count && !r->status; k++) {
    const json_t *object = json_array_get(list, (size_t)k);
    char place[64];
    int last = 0;
    snprintf(place, sizeof place, "contacts[%d].row", k);
    crd_json_integer(r, json_object_get(object, "row"), place, 0, file->problem.n - 1, &contact[k].row);
    snprintf(place, sizeof place, "contacts[%d].tangents", k);
    crd_json_integer(r, json_object_get(object, "tangents"), place, 0, 2, &contact[k].ntangent);
    snprintf(place, sizeof place, "contacts[%d].mu", k);
    crd_json_number(r, json_object_get(object, "mu"), place, &contact[k].mu);
    snprintf(place, sizeof place, "contacts[%d].mode", k);
    crd_json_integer(r, json_object_get(object, "mode"), place, CRD_MODE_NONE, CRD_MODE_SLIP, &last);
    if (mode) mode[k] = (crd_mode)last;
  }
  file->problem.ncontact = count, file->problem.contact = contact, file->mode = mode;
}

static void read_rows(crd_json_reading *r, const json_t *root, crd_coulomb_file *file) {
  const json_t *range = json_object_get(root, "bilateral"), *dry = json_object_get(root, "dry");
  const int n = file->problem.n, ndry = (int)json_array_size(dry);
  int first = 0, count = 0;
  if (range) {
    crd_json_integer(r, json_object_get(range, "count"), "bilateral.count", 0, n, &count);
    crd_json_integer(r, json_object_get(range, "first"), "bilateral.first", 0, n - count, &first);
  }
  int *row = crd_arena_alloc(&file->arena, (size_t)count + 1, sizeof *row);
  crd_coulomb_bounded *bounded = crd_arena_alloc(&file->arena, (size_t)ndry + 1, sizeof *bounded);
  if (!row || !bounded) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  for (int k = 0; k < count && !r->status; k++) row[k] = first + k;
  for (int k = 0; k < ndry && !r->status; k++) {
    const json_t *object = json_array_get(dry, (size_t)k);
    char place[64];
    snprintf(place, sizeof place, "dry[%d].row", k);
    crd_json_integer(r, json_object_get(object, "row"), place, 0, n - 1, &bounded[k].row);
    snprintf(place, sizeof place, "dry[%d].bound", k);
    crd_json_number(r, json_object_get(object, "bound"), place, &bounded[k].upper);
    bounded[k].lower = -bounded[k].upper;
  }
  file->problem.nbilateral = count, file->problem.bilateral = row;
  file->problem.nbounded = ndry, file->problem.bounded = bounded;
}

/* n (n + 1) / 2 numbers to both triangles. */
static void read_triangle(crd_json_reading *r, const json_t *list, crd_coulomb_file *file) {
  const size_t n = (size_t)file->problem.n, count = n * (n + 1) / 2;
  if (!crd_json_is_list(r, list, "G", (int)count, "the lower triangle by rows")) return;
  double *triangle = crd_json_room(r, &file->arena, count), *G = crd_json_room(r, &file->arena, n * n);
  crd_json_vector(r, list, "G", (int)count, "", triangle);
  for (size_t i = 0, k = 0; i < n && !r->status; i++)
    for (size_t j = 0; j <= i; j++, k++) G[i * n + j] = G[j * n + i] = triangle[k];
  file->problem.G = G;
}

crd_status crd_coulomb_file_island(json_t *root, const char *name, crd_coulomb_file *file, crd_error *err) {
  enum { MOST_ROWS = 32768 }; /* n (n + 1) / 2 fits an int */
  crd_json_reading r = {.file = name, .err = err};
  int n = 1;
  crd_json_integer(&r, json_object_get(root, "n"), "n", 1, MOST_ROWS, &n);
  file->problem.n = n;
  if (!r.status && json_array_size(json_object_get(root, "w")) != (size_t)n)
    crd_json_is_list(&r, json_object_get(root, "w"), "w", n, "n numbers");
  double *w = crd_json_room(&r, &file->arena, (size_t)n), *p = crd_json_room(&r, &file->arena, (size_t)n);
  crd_json_vector(&r, json_object_get(root, "w"), "w", n, "n numbers", w);
  crd_json_vector(&r, json_object_get(root, "guess"), "guess", n, "n numbers", p);
  crd_json_number(&r, json_object_get(root, "natural"), "natural", &file->problem.velocity);
  read_contacts(&r, json_object_get(root, "contacts"), file);
  read_rows(&r, root, file);
  read_triangle(&r, json_object_get(root, "G"), file);
  file->problem.w = w, file->p = p;
  const json_t *id = json_object_get(root, "id");
  file->name = crd_arena_string(&file->arena, json_is_string(id) ? json_string_value(id) : "");
  if (!file->name) crd_json_fail(&r, CRD_ERR_MEMORY, "out of memory");
  file->format = "island", file->comment = "";
  return r.status ? r.status : crd_coulomb_file_check(file, name, err);
}
