/* A robot in MuJoCo, for the benchmark beside cradle. Without MuJoCo no robot loads and the message says so. */
#ifndef BENCH_ROBOT_MUJOCO_H
#define BENCH_ROBOT_MUJOCO_H

#include <stddef.h>

typedef struct robot_mujoco robot_mujoco;

/* The model in the file; NULL with MuJoCo's message. Mesh files that are missing (snapshots without their large files)
 * are replaced by a small tetrahedron; *stand_ins counts them. */
robot_mujoco *robot_mujoco_load(const char *path, int *stand_ins, char *message, size_t size);
void robot_mujoco_free(robot_mujoco *robot);

int robot_mujoco_nv(const robot_mujoco *robot);
int robot_mujoco_nctrl(const robot_mujoco *robot);
double robot_mujoco_mass(const robot_mujoco *robot);
/* Geoms that collide with the tetrahedron in place of their mesh. */
int robot_mujoco_colliding_stand_ins(const robot_mujoco *robot);

/* The first keyframe, or the first state where there is none. */
void robot_mujoco_reset(robot_mujoco *robot);
void robot_mujoco_control(robot_mujoco *robot, const double *ctrl);
void robot_mujoco_step(robot_mujoco *robot);
/* Contacts that the solver had (those within their margin too), and the depth of the deepest (m, 0: none), in the state
 * before the last step. */
int robot_mujoco_contacts(const robot_mujoco *robot, double *depth);

#endif
