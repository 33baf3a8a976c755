/* The build: runs the stages listed in build.h and hands over a model, or nothing and a message. */
#include "model/build.h"
#include "model/frozen.h"

#include <stdlib.h>

const char *crd_build_text(crd_build *b, const char *text) {
  const char *copy = crd_arena_string(b->arena, text);
  if (!copy) b->out_of_memory = true;
  return copy ? copy : "";
}

static void read_counts(crd_build *b) {
  crd_model *model = b->model;
  const crd_builder *in = b->in;
  model->nbody = in->body.count;
  model->njoint = in->joint.count;
  model->ngeom = in->geom.count;
  model->nsite = in->site.count;
  model->nmesh = in->mesh.count;
  model->nloop = in->loop.count;
  model->nactuator = in->actuator.count;
  model->ntendon = in->tendon.count;
  model->nsensor = in->sensor.count;
  model->nkey = in->key.count;
  model->npair = in->pair.count;
  model->nexclude = in->exclude.count;
  for (int i = 0; i < 3; i++) model->gravity[i] = b->options->gravity[i];
  model->timestep = b->options->timestep;
  model->restitution_of_speed = b->options->restitution_of_speed;
  model->name = crd_build_text(b, b->options->name);
}

static crd_status build_names(crd_build *b, crd_frozen *frozen) {
  const crd_model *m = b->model;
  int failed = 0;
  for (int i = 0; i < m->nbody; i++) failed |= crd_names_add(&frozen->body, m->body[i].name, i);
  for (int i = 0; i < m->njoint; i++) failed |= crd_names_add(&frozen->joint, m->joint[i].name, i);
  for (int i = 0; i < m->ngeom; i++) failed |= crd_names_add(&frozen->geom, m->geom[i].name, i);
  for (int i = 0; i < m->nsite; i++) failed |= crd_names_add(&frozen->site, m->site[i].name, i);
  for (int i = 0; i < m->nmesh; i++) failed |= crd_names_add(&frozen->mesh, m->mesh[i].name, i);
  for (int i = 0; i < m->nloop; i++) failed |= crd_names_add(&frozen->loop, m->loop[i].name, i);
  for (int i = 0; i < m->nactuator; i++) failed |= crd_names_add(&frozen->actuator, m->actuator[i].name, i);
  for (int i = 0; i < m->ntendon; i++) failed |= crd_names_add(&frozen->tendon, m->tendon[i].name, i);
  for (int i = 0; i < m->nsensor; i++) failed |= crd_names_add(&frozen->sensor, m->sensor[i].name, i);
  for (int i = 0; i < m->nkey; i++) failed |= crd_names_add(&frozen->key, m->key[i].name, i);
  for (int i = 0; i < m->npair; i++) failed |= crd_names_add(&frozen->pair, m->pair[i].name, i);
  return failed || b->out_of_memory ? crd_build_no_memory(b) : CRD_OK;
}

static crd_status run_stages(crd_build *b, crd_frozen *frozen) {
  read_counts(b);
  CRD_TRY(crd_build_check(b));
  CRD_TRY(crd_build_order(b));
  CRD_TRY(crd_build_meshes(b));
  CRD_TRY(crd_build_bodies(b));
  CRD_TRY(crd_build_tree(b));
  CRD_TRY(crd_build_link_inertia(b));
  CRD_TRY(crd_build_geoms(b));
  CRD_TRY(crd_build_sites(b));
  CRD_TRY(crd_build_medium(b));
  CRD_TRY(crd_build_loops(b));
  CRD_TRY(crd_build_tendons(b));
  CRD_TRY(crd_build_actuators(b));
  CRD_TRY(crd_build_sensors(b));
  CRD_TRY(crd_build_pairs(b));
  CRD_TRY(crd_build_keys(b));
  return build_names(b, frozen);
}

crd_status crd_model_builder_build(const crd_builder *builder, const crd_build_options *options, crd_model **model,
                                   crd_error *err) {
  *model = NULL;
  crd_build build = {.in = builder,
                     .options = options,
                     .err = err,
                     .body_def = builder->body.item,
                     .joint_def = builder->joint.item,
                     .geom_def = builder->geom.item,
                     .site_def = builder->site.item,
                     .mesh_def = builder->mesh.item,
                     .loop_def = builder->loop.item,
                     .actuator_def = builder->actuator.item,
                     .tendon_def = builder->tendon.item,
                     .sensor_def = builder->sensor.item,
                     .pair_def = builder->pair.item,
                     .key_def = builder->key.item,
                     .exclude_def = builder->exclude.item};
  crd_frozen *frozen = calloc(1, sizeof *frozen);
  if (!frozen) return crd_build_no_memory(&build);
  build.model = &frozen->model;
  build.arena = &frozen->arena;
  crd_status status = run_stages(&build, frozen);
  crd_arena_free(&build.scratch);
  if (status == CRD_OK) {
    *model = &frozen->model;
  } else {
    crd_model_free(&frozen->model);
  }
  return status;
}

void crd_model_free(crd_model *model) {
  if (!model) return;
  crd_frozen *frozen = (crd_frozen *)(void *)model;
  if (frozen->is_variant) {
    crd_arena_free(&frozen->arena);
    free(frozen);
    return;
  }
  crd_names_free(&frozen->body);
  crd_names_free(&frozen->joint);
  crd_names_free(&frozen->geom);
  crd_names_free(&frozen->site);
  crd_names_free(&frozen->mesh);
  crd_names_free(&frozen->loop);
  crd_names_free(&frozen->actuator);
  crd_names_free(&frozen->tendon);
  crd_names_free(&frozen->sensor);
  crd_names_free(&frozen->key);
  crd_names_free(&frozen->pair);
  crd_arena_free(&frozen->arena);
  free(frozen);
}
