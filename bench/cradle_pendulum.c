#include "cradle_pendulum.h"

#include <cradle/io.h>
#include <cradle/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
  crd_model *model; /* as simulated */
  crd_sim *sim;
  crd_workspace *work; /* for looking */
} world;

/* The example's text, with geoms that collide with nothing where nothing is to touch. */
static crd_model *load(const pendulum_scene *scene) {
  static const char mark[] = "<geom friction=", off[] = "<geom contype=\"0\" conaffinity=\"0\" friction=";
  crd_arena arena = {0};
  crd_model *model = NULL;
  crd_error err = {0};
  const char *text;
  char spec[32];
  snprintf(spec, sizeof spec, "@pendulum:%d", scene->links);
  if (crd_io_example_text(spec, NULL, &arena, &text, &err) == CRD_OK) {
    const char *at = strstr(text, mark);
    if (!scene->collides && at) {
      char *changed = crd_arena_alloc(&arena, strlen(text) + sizeof off, 1);
      if (changed) sprintf(changed, "%.*s%s%s", (int)(at - text), text, off, at + sizeof mark - 1);
      text = changed ? changed : text;
    }
    crd_io_read_model_text(text, strlen(text), spec, NULL, &model, NULL, &err);
  }
  if (!model) fprintf(stderr, "%s\n", err.text);
  crd_arena_free(&arena);
  return model;
}

static void destroy(void *opaque) {
  world *w = opaque;
  crd_sim_free(w->sim);
  crd_model_workspace_free(w->work);
  crd_model_free(w->model);
  free(w);
}

/* Every body free, its hinge a constraint; the state in q and v is turned into that. */
static bool use_full(world *w, double *q, double *v, crd_error *err) {
  crd_model *full;
  if (crd_model_maximal(w->model, &full, err)) return false;
  const size_t nq = (size_t)full->nq, nv = (size_t)full->nv;
  double *state = calloc(nq + nv, sizeof *state);
  bool done = state && !crd_tree_to_maximal(w->model, w->work, q, v, full, state, state + nq);
  if (done) memcpy(q, state, sizeof *q * nq), memcpy(v, state + nq, sizeof *v * nv);
  free(state);
  crd_model_workspace_free(w->work);
  crd_model_free(w->model);
  w->model = full, w->work = crd_model_workspace_new(full);
  return done && w->work;
}

static void *make(const pendulum_scene *scene, const char *variant) {
  world *w = calloc(1, sizeof *w);
  crd_error err = {0};
  crd_sim_options options = crd_sim_default();
  if (strstr(variant, "euler")) options.integrator = CRD_SIM_EULER;
  if (!w || !(w->model = load(scene)) || !(w->work = crd_model_workspace_new(w->model))) return free(w), NULL;
  const crd_model *model = w->model;
  double *q = calloc((size_t)(14 * scene->links), sizeof *q), *v = q + 7 * scene->links;
  if (!q) return destroy(w), NULL;
  memcpy(q, model->qpos0, sizeof *q * (size_t)model->nq);
  memcpy(v, model->key[0].qvel, sizeof *v * (size_t)model->nv);
  bool fine = !strstr(variant, "full") || use_full(w, q, v, &err);
  fine = fine && crd_sim_new(w->model, &options, &w->sim, &err) == CRD_OK &&
         crd_sim_reset(w->sim, 0, q, v, &err) == CRD_OK;
  free(q);
  if (fine) return w;
  fprintf(stderr, "cradle: %s\n", err.text);
  destroy(w);
  return NULL;
}

static void step(void *opaque) {
  world *w = opaque;
  if (crd_sim_step(w->sim) != CRD_OK) fprintf(stderr, "cradle: %s\n", crd_sim_message(w->sim));
}

/* Through the poses of the bodies, so that it serves every formulation. */
static double read_balls(void *opaque, const pendulum_scene *scene, double *centre, double *velocity,
                         double *rotation) {
  world *w = opaque;
  crd_tree_kinematics(w->model, w->work, crd_sim_qpos(w->sim));
  crd_tree_velocity(w->model, w->work, crd_sim_qvel(w->sim));
  for (int i = 0; i < scene->links; i++) {
    char name[32];
    double R[9], spatial[6];
    snprintf(name, sizeof name, "ball%d", i + 1);
    const int geom = crd_model_find_geom(w->model, name);
    crd_tree_geom_pose(w->model, w->work, geom, centre + 3 * i, R);
    crd_tree_point_velocity(w->model, w->work, w->model->geom[geom].body, centre + 3 * i, spatial);
    memcpy(rotation + 3 * i, spatial, 3 * sizeof *spatial);
    memcpy(velocity + 3 * i, spatial + 3, 3 * sizeof *spatial);
  }
  return crd_sim_counters_now(w->sim).loop_max;
}

const pendulum_engine cradle_pendulum = {"cradle", make, step, read_balls, destroy};
