/* Heaps in MuJoCo: CG, elliptic cones, its default softness. */
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"

typedef struct world {
  mjModel *model;
  mjData *data;
  double h;
} world;

static void *make(const heap_scene *s) {
  char *text = heap_mjcf(s), message[300];
  mjVFS *vfs = malloc(sizeof *vfs);
  world *w = calloc(1, sizeof *w);
  if (!text || !vfs || !w) return NULL;
  mj_defaultVFS(vfs);
  mj_makeEmptyFileVFS(vfs, "heap.xml", (int)strlen(text) + 1);
  memcpy(vfs->filedata[0], text, strlen(text) + 1);
  w->model = mj_loadXML("heap.xml", vfs, message, sizeof message);
  mj_deleteVFS(vfs);
  free(vfs), free(text);
  if (!w->model) return NULL;
  w->model->opt.solver = mjSOL_CG, w->model->opt.cone = mjCONE_ELLIPTIC;
  w->data = mj_makeData(w->model), w->h = s->timestep;
  return w;
}

static void step(void *opaque) {
  world *w = opaque;
  mj_step(w->model, w->data);
}

static void bodies(void *opaque, heap_body *body) {
  world *w = opaque;
  for (int i = 0; i < w->model->nbody - 1; i++) {
    const double *q = w->data->qpos + 7 * i, *v = w->data->qvel + 6 * i;
    memcpy(body[i].position, q, sizeof body[i].position);
    memcpy(body[i].velocity, v, sizeof body[i].velocity);
    mju_rotVecQuat(body[i].spin, v + 3, q + 3);
  }
}

static int contacts(void *opaque, heap_contact *contact, int capacity) {
  world *w = opaque;
  int count = 0;
  for (int i = 0; i < w->data->ncon && count < capacity; i++) {
    const mjContact *m = &w->data->contact[i];
    heap_contact *c = &contact[count++];
    double force[6], world_force[3];
    mj_contactForce(w->model, w->data, i, force);
    mju_rotVecMatT(world_force, force, m->frame);
    c->body[0] = w->model->geom_bodyid[m->geom2] - 1, c->body[1] = w->model->geom_bodyid[m->geom1] - 1;
    c->gap = m->dist;
    for (int k = 0; k < 3; k++)
      c->point[k] = m->pos[k], c->normal[k] = m->frame[k], c->impulse[k] = world_force[k] * w->h;
  }
  return count;
}

int main(int argc, char **argv) {
  const heap_engine engine = {"MuJoCo", make, step, bodies, contacts};
  return heap_main(argc, argv, &engine);
}
