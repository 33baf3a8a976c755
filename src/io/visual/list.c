/* The list of shapes for pages, and what becomes of it when the file was read. */
#include <stdarg.h>
#include <string.h>

#include "base/print.h"
#include "io/visual/visual.h"

enum { NOTE_LENGTH = 600 };

void crd_visual_clear(crd_visual_list *list) {
  crd_arena_free(&list->arena);
  *list = (crd_visual_list){0};
}

static void *reserve(crd_visual_list *list, size_t count, size_t size) {
  void *memory = crd_arena_alloc(&list->arena, count, size);
  if (!memory) list->failed = true;
  return memory;
}

void crd_visual_add(crd_visual_list *list, const crd_visual *visual, bool counts) {
  crd_visual_entry *entry = reserve(list, 1, sizeof *entry);
  if (!entry) return;
  *entry = (crd_visual_entry){.visual = *visual, .counts = counts};
  entry->visual.name = crd_arena_string(&list->arena, visual->name ? visual->name : "");
  if (!entry->visual.name) list->failed = true;
  if (list->last)
    list->last->next = entry;
  else
    list->first = entry;
  list->last = entry;
  list->count++;
}

int crd_visual_find_mesh(const crd_visual_list *list, const void *key) {
  int id = 0;
  for (const crd_visual_mesh_entry *entry = list->first_mesh; entry; entry = entry->next, id++)
    if (entry->key == key) return id;
  return -1;
}

void crd_visual_share_mesh(crd_visual_list *list, const void *key, int id) {
  for (crd_visual_mesh_entry *entry = list->first_mesh; entry; entry = entry->next)
    if (entry->key == key) entry->mesh = (crd_visual_mesh){.name = entry->mesh.name, .model_mesh = id};
}

int crd_visual_add_mesh(crd_visual_list *list, const void *key, const char *name, const crd_mesh_data *data) {
  const size_t nvert = (size_t)data->nvert, nface = (size_t)data->nface;
  crd_visual_mesh_entry *entry = reserve(list, 1, sizeof *entry);
  double *vert = reserve(list, 3 * nvert, sizeof *vert);
  int *face = reserve(list, 3 * nface, sizeof *face);
  if (!entry || !vert || !face) return -1;
  memcpy(vert, data->vert, 3 * nvert * sizeof *vert);
  memcpy(face, data->face, 3 * nface * sizeof *face);
  *entry = (crd_visual_mesh_entry){.mesh = {.name = crd_arena_string(&list->arena, name ? name : ""),
                                            .model_mesh = -1,
                                            .nvert = data->nvert,
                                            .nface = data->nface,
                                            .vert = vert,
                                            .face = face},
                                   .key = key};
  if (!entry->mesh.name) list->failed = true;
  if (list->last_mesh)
    list->last_mesh->next = entry;
  else
    list->first_mesh = entry;
  list->last_mesh = entry;
  return list->nmesh++;
}

void crd_visual_note_add(crd_visual_list *list, const char *format, ...) {
  char text[NOTE_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  crd_vprint(text, sizeof text, format, arguments);
  va_end(arguments);
  for (crd_visual_note *told = list->first_note; told; told = told->next)
    if (strcmp(told->text, text) == 0) return;
  crd_visual_note *note = reserve(list, 1, sizeof *note);
  if (!note) return;
  note->text = crd_arena_string(&list->arena, text);
  if (!note->text) list->failed = true;
  if (list->last_note)
    list->last_note->next = note;
  else
    list->first_note = note;
  list->last_note = note;
  list->nnote++;
}

/* ------------------------------------------------------------------------------------------------ the result */

static int last_body(const crd_visuals *visuals) {
  int most = 0;
  for (int i = 0; i < visuals->count; i++)
    if (visuals->item[i].body > most) most = visuals->item[i].body;
  return most;
}

/* The ids of the model's geoms: grouped by body, in the order of the file within one, as the model is built. */
static bool number_geoms(crd_visual_list *list, crd_visuals *visuals, crd_visual *item) {
  int *next = crd_arena_alloc(&list->arena, (size_t)last_body(visuals) + 2, sizeof *next);
  if (!next) return false;
  int i = 0;
  for (const crd_visual_entry *entry = list->first; entry; entry = entry->next)
    if (entry->counts) next[entry->visual.body + 1]++;
  for (int body = 0; body <= last_body(visuals); body++) next[body + 1] += next[body];
  for (const crd_visual_entry *entry = list->first; entry; entry = entry->next, i++)
    item[i].geom = entry->counts ? next[entry->visual.body]++ : -1;
  return true;
}

crd_status crd_visual_finish(crd_visual_list *list, crd_visuals *visuals, crd_error *err) {
  crd_visual *item = reserve(list, (size_t)list->count + 1, sizeof *item);
  crd_visual_mesh *mesh = reserve(list, (size_t)list->nmesh + 1, sizeof *mesh);
  const char **note = reserve(list, (size_t)list->nnote + 1, sizeof *note);
  crd_status status = list->failed ? CRD_ERR_MEMORY : CRD_OK;
  int i = 0;
  for (const crd_visual_entry *entry = list->first; entry && status == CRD_OK; entry = entry->next)
    item[i++] = entry->visual;
  i = 0;
  for (const crd_visual_mesh_entry *entry = list->first_mesh; entry && status == CRD_OK; entry = entry->next)
    mesh[i++] = entry->mesh;
  i = 0;
  for (const crd_visual_note *entry = list->first_note; entry && status == CRD_OK; entry = entry->next)
    note[i++] = entry->text;
  *visuals = (crd_visuals){list->count, item, list->nmesh, mesh, list->nnote, note, {0}};
  if (status == CRD_OK && !number_geoms(list, visuals, item)) status = CRD_ERR_MEMORY;
  if (status != CRD_OK) {
    *visuals = (crd_visuals){0};
    crd_visual_clear(list);
    return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory for what is only for show");
  }
  visuals->arena = list->arena;
  *list = (crd_visual_list){0};
  return CRD_OK;
}

void crd_io_visuals_free(crd_visuals *visuals) {
  crd_arena_free(&visuals->arena);
  *visuals = (crd_visuals){0};
}
