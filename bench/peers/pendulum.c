/* The scene from the built-in example, and the measures of a run. */
#include "pendulum.h"

#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../timing.h"

enum { SECONDS = 5 };

bool pendulum_scene_read(int links, bool collides, pendulum_scene *scene) {
  char spec[32];
  crd_model *model;
  crd_error err = {0};
  snprintf(spec, sizeof spec, "@pendulum:%d", links);
  if (crd_io_example_model(spec, NULL, &model, &err) != CRD_OK) {
    fprintf(stderr, "%s\n", err.text);
    return false;
  }
  const crd_geom *floor = &model->geom[crd_model_find_geom(model, "floor")];
  const crd_geom *wall = &model->geom[crd_model_find_geom(model, "wall")];
  const crd_geom *ball = &model->geom[crd_model_find_geom(model, "ball1")];
  const crd_body *first = &model->body[crd_model_find_body(model, "link1")];
  *scene = (pendulum_scene){.links = links,
                            .length = 2 * fabs(ball->pos[0]),
                            .radius = ball->size[0],
                            .mass = first->mass,
                            .inertia = first->inertia[0],
                            .base = first->pos[2],
                            .floor = floor->pos[2] + floor->size[2],
                            .wall = wall->pos[0] - wall->size[0],
                            .gravity = -model->gravity[2],
                            .timestep = model->timestep,
                            .mu = ball->friction[0],
                            .rate = model->key[0].qvel[0],
                            .steps = (int)lround(SECONDS / model->timestep),
                            .collides = collides};
  memcpy(scene->half_floor, floor->size, sizeof scene->half_floor);
  memcpy(scene->half_wall, wall->size, sizeof scene->half_wall);
  crd_model_free(model);
  return true;
}

/* Deepest overlap of balls, floor and wall; neighbours in the chain touch by construction and do not collide. */
static double penetration(const pendulum_scene *scene, const double *centre) {
  double deepest = 0;
  for (int i = 0; i < scene->links; i++) {
    const double *a = centre + 3 * i;
    deepest = fmax(deepest, scene->floor + scene->radius - a[2]);
    deepest = fmax(deepest, a[0] + scene->radius - scene->wall);
    for (int j = i + 2; j < scene->links; j++) {
      const double *b = centre + 3 * j;
      const double d2 = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
      if (d2 < 4 * scene->radius * scene->radius) deepest = fmax(deepest, 2 * scene->radius - sqrt(d2));
    }
  }
  return deepest;
}

static double energy(const pendulum_scene *scene, const double *centre, const double *velocity,
                     const double *rotation) {
  double sum = 0;
  for (int i = 0; i < scene->links; i++) {
    const double *v = velocity + 3 * i, *w = rotation + 3 * i;
    sum += 0.5 * scene->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * scene->inertia * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) +
           scene->mass * scene->gravity * centre[3 * i + 2];
  }
  return sum;
}

static double hanging_energy(const pendulum_scene *scene) {
  double sum = 0;
  for (int i = 0; i < scene->links; i++)
    sum += scene->mass * scene->gravity * (scene->base - (i + 0.5) * scene->length);
  return sum;
}

void pendulum_from_joints(const pendulum_scene *scene, const double *q, const double *qd, double *centre,
                          double *velocity, double *rotation) {
  double angle = 0, rate = 0, at[2] = {0, scene->base}, speed[2] = {0, 0};
  const double length = scene->length, middle = 0.5 * length;
  for (int i = 0; i < scene->links; i++) {
    angle += q[i], rate += qd[i];
    const double along[2] = {-cos(angle), -sin(angle)}, turn[2] = {sin(angle) * rate, -cos(angle) * rate};
    const double c[3] = {at[0] + middle * along[0], 0, at[1] + middle * along[1]};
    const double v[3] = {speed[0] + middle * turn[0], 0, speed[1] + middle * turn[1]};
    const double w[3] = {0, -rate, 0};
    memcpy(centre + 3 * i, c, sizeof c);
    memcpy(velocity + 3 * i, v, sizeof v);
    memcpy(rotation + 3 * i, w, sizeof w);
    for (int k = 0; k < 2; k++) at[k] += length * along[k], speed[k] += length * turn[k];
  }
}

/* The run once more, looked at after every step. */
static bool look(const pendulum_engine *engine, const char *variant, const pendulum_scene *scene,
                 pendulum_result *result) {
  const size_t n = 3 * (size_t)scene->links;
  double *centre = calloc(3 * n, sizeof *centre), *velocity = centre + n, *rotation = velocity + n;
  void *world = centre ? engine->make(scene, variant) : NULL;
  bool fine = world;
  double start = 0, lowest = 0;
  for (int k = 0; fine && k <= scene->steps; k++) {
    if (k > 0) engine->step(world);
    result->hinge = fmax(result->hinge, engine->read(world, scene, centre, velocity, rotation));
    const double now = energy(scene, centre, velocity, rotation);
    fine = isfinite(now);
    if (k == 0) start = lowest = now, result->scale = now - hanging_energy(scene);
    lowest = fmin(lowest, now);
    result->gain = fmax(result->gain, now - lowest);
    result->drift = fmax(result->drift, fabs(now - start));
    if (scene->collides) result->penetration = fmax(result->penetration, penetration(scene, centre));
  }
  if (world) engine->destroy(world);
  free(centre);
  return fine;
}

bool pendulum_measure(const pendulum_engine *engine, const char *variant, const pendulum_scene *scene, int rounds,
                      pendulum_result *result) {
  /* short runs are repeated for so long that the processor has come up to its speed */
  const double enough = 0.5;
  double spent = 0;
  *result = (pendulum_result){.seconds = INFINITY};
  for (int round = 0; round < rounds || spent < enough; round++) {
    void *world = engine->make(scene, variant);
    if (!world) return false;
    const double start = cpu_seconds();
    for (int k = 0; k < scene->steps; k++) engine->step(world);
    const double taken = cpu_seconds() - start;
    result->seconds = fmin(result->seconds, taken), spent += taken;
    engine->destroy(world);
  }
  return look(engine, variant, scene, result);
}

int pendulum_main(const pendulum_engine *engine, int argc, char **argv) {
  pendulum_scene scene;
  pendulum_result result;
  if (argc != 5) {
    fprintf(stderr, "usage: %s LINKS VARIANT free|contact ROUNDS\n", argv[0]);
    return 1;
  }
  if (!pendulum_scene_read(atoi(argv[1]), strcmp(argv[3], "contact") == 0, &scene)) return 1;
  if (!pendulum_measure(engine, argv[2], &scene, atoi(argv[4]), &result)) return 2;
  printf("result %.9g %.9g %.9g %.9g %.9g %.9g\n", result.seconds, result.penetration, result.gain, result.drift,
         result.hinge, result.scale);
  return 0;
}
