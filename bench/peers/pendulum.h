/* Jain's pendulum [section V-E] as every engine of the benchmark sees it, and the measures, which are taken from
 * positions and velocities of the balls alone and so mean the same for all of them.
 *
 * The scene comes from one definition, the built-in example @pendulum:N. An engine states how to build it, to make a
 * step and where the balls are; pendulum_measure does the rest. C++ programs include this too.
 */
#ifndef BENCH_PEERS_PENDULUM_H
#define BENCH_PEERS_PENDULUM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Links hang on one another at hinges about the y axis, `length` apart; each carries a ball at its middle. They start
 * in a straight line from the base towards -x, turning about the base with `rate` (downwards), all others at rest. */
typedef struct pendulum_scene {
  int links;
  double length, radius, mass, inertia; /* of a ball about its centre */
  double base;                          /* height of the first hinge */
  double floor, wall;                   /* height of the floor's upper face, x of the wall's near face */
  double half_floor[3], half_wall[3];   /* half sizes of the slabs */
  double gravity, timestep, mu, rate;
  int steps;
  bool collides; /* false: nothing touches anything */
} pendulum_scene;

/* false: the example cannot be read. */
bool pendulum_scene_read(int links, bool collides, pendulum_scene *scene);

typedef struct pendulum_engine {
  const char *name;
  void *(*make)(const pendulum_scene *scene, const char *variant); /* NULL: failed */
  void (*step)(void *world);
  /* 3 numbers for each ball: centre, its velocity, angular velocity; returns the widest gap of a hinge (m) */
  double (*read)(void *world, const pendulum_scene *scene, double *centre, double *velocity, double *rotation);
  void (*destroy)(void *world);
} pendulum_engine;

typedef struct pendulum_result {
  double seconds;     /* of the processor for all steps, the fastest of `rounds` */
  double penetration; /* m, deepest at the end of a step */
  double gain;        /* largest rise of the energy above a value it had before; nothing drives this system */
  double drift;       /* largest departure from the initial energy */
  double hinge;       /* m, widest gap of a hinge */
  double scale;       /* the energy above the hanging position at the start: what gain and drift compare with */
} pendulum_result;

/* false: the engine failed or its numbers are not finite. */
bool pendulum_measure(const pendulum_engine *engine, const char *variant, const pendulum_scene *scene, int rounds,
                      pendulum_result *result);

/* The main function of a peer's program: NAME LINKS VARIANT free|contact ROUNDS prints the result's numbers in one
 * line.
 */
int pendulum_main(const pendulum_engine *engine, int argc, char **argv);

/* The balls of a planar chain from its joint angles (0: along the line of the start, positive turns downwards) and
 * rates. */
void pendulum_from_joints(const pendulum_scene *scene, const double *q, const double *qd, double *centre,
                          double *velocity, double *rotation);

#ifdef __cplusplus
}
#endif
#endif
