/* The builder: collects definitions, copies the data they point to, and finds them by name. Nothing is checked here;
 * the build does that with the whole mechanism in view. */
#include "model/builder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* No kind may have more items than this, so that no product of a count with a small size overflows an int. */
enum { MOST_ITEMS = INT_MAX / 64 };

/* Appends a copy of entry (size bytes) and remembers its name; the value is its id or a negative status. */
static int append(crd_list *list, const void *entry, size_t size, const char *name) {
  if (list->count == list->room) {
    if (list->count >= MOST_ITEMS) return CRD_ERR_CAPACITY;
    int room = list->room ? 2 * list->room : 16;
    void *item = realloc(list->item, (size_t)room * size);
    if (!item) return CRD_ERR_MEMORY;
    list->item = item;
    list->room = room;
  }
  if (crd_names_add(&list->names, name, list->count) != 0) return CRD_ERR_MEMORY;
  memcpy((char *)list->item + (size_t)list->count * size, entry, size);
  return list->count++;
}

/* A copy in the builder's arena of count items, or NULL for no items; *ok becomes false when memory is out. */
static void *copy_array(crd_builder *builder, const void *source, int count, size_t size, bool *ok) {
  if (!source || count <= 0) return NULL;
  void *copy = crd_arena_alloc(&builder->arena, (size_t)count, size);
  if (copy) {
    memcpy(copy, source, (size_t)count * size);
  } else {
    *ok = false;
  }
  return copy;
}

static const char *copy_name(crd_builder *builder, const char *name, bool *ok) {
  const char *copy = crd_arena_string(&builder->arena, name);
  if (!copy) *ok = false;
  return copy;
}

crd_builder *crd_model_builder_new(void) {
  crd_builder *builder = calloc(1, sizeof *builder);
  if (!builder) return NULL;
  crd_body_def world = crd_model_body_default();
  world.name = "world";
  world.parent = -1;
  if (crd_model_builder_body(builder, &world) != 0) {
    crd_model_builder_free(builder);
    return NULL;
  }
  return builder;
}

void crd_model_builder_free(crd_builder *builder) {
  if (!builder) return;
  crd_list *lists[] = {&builder->body, &builder->joint,    &builder->geom,   &builder->mesh,
                       &builder->loop, &builder->actuator, &builder->tendon, &builder->pair,
                       &builder->key,  &builder->exclude,  &builder->site,   &builder->sensor};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    free(lists[i]->item);
    crd_names_free(&lists[i]->names);
  }
  crd_arena_free(&builder->arena);
  free(builder);
}

int crd_model_builder_body(crd_builder *builder, const crd_body_def *def) {
  bool ok = true;
  crd_body_def copy = *def;
  copy.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->body, &copy, sizeof copy, copy.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_joint(crd_builder *builder, int body, const crd_joint_def *def) {
  bool ok = true;
  crd_joint_entry copy = {.def = *def, .body = body};
  copy.def.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->joint, &copy, sizeof copy, copy.def.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_geom(crd_builder *builder, int body, const crd_geom_def *def) {
  bool ok = true;
  crd_geom_entry copy = {.def = *def, .body = body};
  copy.def.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->geom, &copy, sizeof copy, copy.def.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_site(crd_builder *builder, int body, const crd_site_def *def) {
  bool ok = true;
  crd_site_entry copy = {.def = *def, .body = body};
  copy.def.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->site, &copy, sizeof copy, copy.def.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_mesh(crd_builder *builder, const crd_mesh_def *def) {
  if (def->nvert > MOST_ITEMS || def->nface > MOST_ITEMS) return CRD_ERR_CAPACITY;
  if (def->field.nrow > 0 && def->field.ncol > MOST_ITEMS / def->field.nrow) return CRD_ERR_CAPACITY;
  bool ok = true;
  crd_mesh_def copy = *def;
  copy.name = copy_name(builder, def->name, &ok);
  copy.vert = copy_array(builder, def->vert, def->nvert, 3 * sizeof *def->vert, &ok);
  copy.face = copy_array(builder, def->face, def->nface, 3 * sizeof *def->face, &ok);
  const int points = def->field.nrow > 0 ? def->field.nrow * def->field.ncol : 0;
  copy.height = copy_array(builder, def->height, points, sizeof *def->height, &ok);
  copy.nvert = copy.vert ? def->nvert : 0;
  copy.nface = copy.face ? def->nface : 0;
  return ok ? append(&builder->mesh, &copy, sizeof copy, copy.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_loop(crd_builder *builder, const crd_loop_def *def) {
  bool ok = true;
  crd_loop_def copy = *def;
  copy.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->loop, &copy, sizeof copy, copy.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_actuator(crd_builder *builder, const crd_actuator_def *def) {
  bool ok = true;
  crd_actuator_def copy = *def;
  copy.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->actuator, &copy, sizeof copy, copy.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_tendon(crd_builder *builder, const crd_tendon_def *def) {
  bool ok = true;
  crd_tendon_def copy = *def;
  copy.name = copy_name(builder, def->name, &ok);
  copy.term_joint = copy_array(builder, def->term_joint, def->nterm, sizeof *def->term_joint, &ok);
  copy.term_coef = copy_array(builder, def->term_coef, def->nterm, sizeof *def->term_coef, &ok);
  copy.nterm = copy.term_joint && copy.term_coef ? def->nterm : 0;
  copy.wrap = copy_array(builder, def->wrap, def->nwrap, sizeof *def->wrap, &ok);
  copy.nwrap = copy.wrap ? def->nwrap : 0;
  return ok ? append(&builder->tendon, &copy, sizeof copy, copy.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_sensor(crd_builder *builder, const crd_sensor_def *def) {
  bool ok = true;
  crd_sensor_def copy = *def;
  copy.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->sensor, &copy, sizeof copy, copy.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_pair(crd_builder *builder, const crd_pair_def *def) {
  bool ok = true;
  crd_pair_def copy = *def;
  copy.name = copy_name(builder, def->name, &ok);
  return ok ? append(&builder->pair, &copy, sizeof copy, copy.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_exclude(crd_builder *builder, int body1, int body2) {
  crd_exclude_entry entry = {body1, body2};
  return append(&builder->exclude, &entry, sizeof entry, NULL);
}

int crd_model_builder_key(crd_builder *builder, const crd_key_def *def, int nqpos, int nqvel, int nact, int nctrl) {
  bool ok = true;
  crd_key_entry copy = {.def = *def, .nqpos = nqpos, .nqvel = nqvel, .nact = nact, .nctrl = nctrl};
  copy.def.name = copy_name(builder, def->name, &ok);
  copy.def.qpos = copy_array(builder, def->qpos, nqpos, sizeof(double), &ok);
  copy.def.qvel = copy_array(builder, def->qvel, nqvel, sizeof(double), &ok);
  copy.def.act = copy_array(builder, def->act, nact, sizeof(double), &ok);
  copy.def.ctrl = copy_array(builder, def->ctrl, nctrl, sizeof(double), &ok);
  return ok ? append(&builder->key, &copy, sizeof copy, copy.def.name) : CRD_ERR_MEMORY;
}

int crd_model_builder_find_body(const crd_builder *builder, const char *name) {
  return crd_names_find(&builder->body.names, name);
}

int crd_model_builder_find_joint(const crd_builder *builder, const char *name) {
  return crd_names_find(&builder->joint.names, name);
}

int crd_model_builder_find_geom(const crd_builder *builder, const char *name) {
  return crd_names_find(&builder->geom.names, name);
}

int crd_model_builder_find_site(const crd_builder *builder, const char *name) {
  return crd_names_find(&builder->site.names, name);
}

int crd_model_builder_find_actuator(const crd_builder *builder, const char *name) {
  return crd_names_find(&builder->actuator.names, name);
}

int crd_model_builder_find_mesh(const crd_builder *builder, const char *name) {
  return crd_names_find(&builder->mesh.names, name);
}
