/* MuJoCo 2.2.2 on the same MJCF text. Variants: default; stiff, the stiffest contact that stays stable at this step. */
#include <cradle/io.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pendulum.h"

typedef struct mujoco_world {
  mjModel *model;
  mjData *data;
} mujoco_world;

static mjModel *load(const pendulum_scene *scene) {
  static const char name[] = "pendulum.xml";
  crd_arena arena = {0};
  crd_error err = {0};
  const char *text;
  char spec[32], message[1000] = "";
  snprintf(spec, sizeof spec, "@pendulum:%d", scene->links);
  if (crd_io_example_text(spec, NULL, &arena, &text, &err) != CRD_OK) return NULL;
  mjVFS *files = calloc(1, sizeof *files);
  if (!files) return NULL;
  mj_defaultVFS(files);
  const size_t size = strlen(text);
  mj_makeEmptyFileVFS(files, name, (int)size);
  memcpy(files->filedata[mj_findFileVFS(files, name)], text, size);
  mjModel *model = mj_loadXML(name, files, message, sizeof message);
  if (!model) fprintf(stderr, "MuJoCo: %s\n", message);
  mj_deleteVFS(files);
  free(files);
  crd_arena_free(&arena);
  return model;
}

static void *make(const pendulum_scene *scene, const char *variant) {
  mujoco_world *world = calloc(1, sizeof *world);
  if (!world || !(world->model = load(scene))) return free(world), NULL;
  world->model->opt.cone = mjCONE_ELLIPTIC;
  if (!scene->collides) world->model->opt.disableflags |= mjDSBL_CONTACT;
  if (strcmp(variant, "stiff") == 0) {
    world->model->opt.enableflags |= mjENBL_OVERRIDE;
    world->model->opt.o_solref[0] = 2 * scene->timestep, world->model->opt.o_solref[1] = 1;
    world->model->opt.o_solimp[0] = 0.99, world->model->opt.o_solimp[1] = 0.999, world->model->opt.o_solimp[2] = 0.001;
  }
  world->data = mj_makeData(world->model);
  mj_resetDataKeyframe(world->model, world->data, 0);
  return world;
}

static void step(void *opaque) {
  mujoco_world *world = opaque;
  mj_step(world->model, world->data);
}

static double read_balls(void *opaque, const pendulum_scene *scene, double *centre, double *velocity,
                         double *rotation) {
  mujoco_world *world = opaque;
  pendulum_from_joints(scene, world->data->qpos, world->data->qvel, centre, velocity, rotation);
  return 0;
}

static void destroy(void *opaque) {
  mujoco_world *world = opaque;
  mj_deleteData(world->data);
  mj_deleteModel(world->model);
  free(world);
}

int main(int argc, char **argv) {
  const pendulum_engine engine = {"MuJoCo", make, step, read_balls, destroy};
  return pendulum_main(&engine, argc, argv);
}
