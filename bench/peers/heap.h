/* Heaps for all engines alike: n spheres or boxes fall into a walled box (friction 0.5, no restitution, steps of 1 ms), and
 * what is measured of each: CPU time of the steps, residual of contact and friction, penetration. */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heap_scene {
  int n;
  bool boxes;
  double half;    /* m: walls at x, y = +-half; the floor is at z = 0 */
  double size;    /* m: radius of a sphere, half the edge of a box */
  double mass;    /* kg, each */
  double inertia; /* kg m^2, about every axis */
  double mu, gravity, timestep;
} heap_scene;

heap_scene heap_scene_of(int n, bool boxes);
/* Where body i starts. */
void heap_start(const heap_scene *scene, int i, double position[3]);
/* The scene as MJCF; the caller frees it. */
char *heap_mjcf(const heap_scene *scene);

/* World axes. */
typedef struct heap_body {
  double position[3], velocity[3], spin[3];
} heap_body;

/* A point of contact of the last step. */
typedef struct heap_contact {
  int body[2];       /* -1: floor or wall */
  double point[3];   /* world */
  double normal[3];  /* pushes body[0] */
  double impulse[3]; /* N s, on body[0] */
  double gap;        /* m, at the start of the step; negative: penetration */
} heap_contact;

typedef struct heap_engine {
  const char *name;
  void *(*make)(const heap_scene *scene); /* NULL: it cannot */
  void (*step)(void *world);
  void (*bodies)(void *world, heap_body *body);
  int (*contacts)(void *world, heap_contact *contact, int capacity); /* returns how many */
} heap_engine;

typedef struct heap_result {
  double seconds;         /* CPU time of the steps */
  double simulated;       /* s: less than asked for where the budget ended it */
  double residual, worst; /* median and 0.99 quantile over the steps looked at */
  double penetration;     /* m: deepest */
  double contacts;        /* mean */
  double gain;            /* J: largest rise of kinetic and potential energy between two looks */
} heap_result;

/* Runs `time` seconds of the scene; every tenth step is looked at, outside the timing. False: it could not. */
bool heap_run(const heap_engine *engine, const heap_scene *scene, double time, double budget, heap_result *result);
/* main of a peer: `peer N spheres|boxes TIME BUDGET` prints "heap" and the members of the result. */
int heap_main(int argc, char **argv, const heap_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
