/* The writers of the built-in examples, and the pieces of MJCF they share.
 *
 * Planar examples lie in the x-z plane: slides along x and z and a hinge about -y, so that angles are counter-clockwise
 * seen with x to the right and z up. Nothing collides but the stated pairs, whose names are the names of the contacts.
 * A point that touches is a sphere of radius CRD_EXAMPLE_POINT, which no computation can tell from a point.
 */
#ifndef CRADLE_SRC_IO_EXAMPLE_H
#define CRADLE_SRC_IO_EXAMPLE_H

#include "io/file/text.h"

#define CRD_EXAMPLE_POINT 1e-15 /* m */

/* ------------------------------------------------------------------------------------------------ pieces of MJCF */

typedef struct crd_mjcf_head {
  const char *model, *about; /* name, and one line of comment */
  double gravity, e;         /* m/s^2 downwards, restitution of all contacts */
} crd_mjcf_head;

/* <mujoco> up to the opened <worldbody>; crd_mjcf_world_end closes that, crd_mjcf_end the rest. */
void crd_mjcf_begin(crd_text *text, const crd_mjcf_head *head);
void crd_mjcf_world_end(crd_text *text);
void crd_mjcf_end(crd_text *text);

void crd_mjcf_floor(crd_text *text);
/* A plane through (x, 0, 1) with the normal sign * e_x. */
void crd_mjcf_wall(crd_text *text, double x, double sign);
/* Slides along x and z and a hinge about -y, with these names, at a body of the given indentation. */
void crd_mjcf_planar_joints(crd_text *text, int indent, const char *x, const char *z, const char *angle);
/* A massless point at (x, 0, z) of the body. */
void crd_mjcf_point(crd_text *text, int indent, const char *name, double x, double z);
/* A centre of mass at (x, 0, z) with inertia j about y; the other two principal inertias do not matter in the plane. */
void crd_mjcf_inertial(crd_text *text, int indent, double x, double z, double mass, double j);
/* `count` numbers as attribute name="...". */
void crd_mjcf_numbers(crd_text *text, const char *name, int count, const double *value);

typedef struct crd_mjcf_pair {
  const char *name, *geom1, *geom2;
  double mu; /* 0: frictionless (condim 1) */
} crd_mjcf_pair;
/* The <contact> section. */
void crd_mjcf_pairs(crd_text *text, int count, const crd_mjcf_pair *pair);

typedef struct crd_mjcf_key {
  const char *name;
  const double *qpos, *qvel;
} crd_mjcf_key;
/* The <keyframe> section: states with nq positions and nv velocities. */
void crd_mjcf_keys(crd_text *text, int nq, int nv, int count, const crd_mjcf_key *key);

/* ------------------------------------------------------------------------------------------------ examples */

typedef struct crd_example_request {
  int n;       /* size of the example, where it has one */
  double base; /* height of the pendulum's base */
} crd_example_request;

/* Halm & Posa's five, and the block that rocks to rest. */
void crd_example_rocking_block(crd_text *text, const crd_example_request *request);
void crd_example_rocking_block_zeno(crd_text *text, const crd_example_request *request);
void crd_example_compass_gait(crd_text *text, const crd_example_request *request);
void crd_example_box_wall(crd_text *text, const crd_example_request *request);
void crd_example_ramone(crd_text *text, const crd_example_request *request);
void crd_example_disk_stack(crd_text *text, const crd_example_request *request);
/* Classics of impact mechanics. */
void crd_example_painleve_rod(crd_text *text, const crd_example_request *request);
void crd_example_ball_chain(crd_text *text, const crd_example_request *request);
void crd_example_newtons_cradle(crd_text *text, const crd_example_request *request);
void crd_example_disk_in_corner(crd_text *text, const crd_example_request *request);
void crd_example_double_pendulum_floor(crd_text *text, const crd_example_request *request);
void crd_example_bouncing_ball(crd_text *text, const crd_example_request *request);
void crd_example_pendulum(crd_text *text, const crd_example_request *request);
void crd_example_four_bar(crd_text *text, const crd_example_request *request);

/* The other systems of Brogliato's section 2.3, and the frictional impact oscillator of 4.1. */
void crd_example_box_on_slope(crd_text *text, const crd_example_request *request);
void crd_example_disk_on_plane(crd_text *text, const crd_example_request *request);
void crd_example_unequal_balls(crd_text *text, const crd_example_request *request);
void crd_example_impact_oscillator(crd_text *text, const crd_example_request *request);
/* World, contacts and state of n balls on a line, the first of 1 kg and each `ratio` times as heavy as the one before. */
void crd_example_row_of_balls(crd_text *text, int n, double ratio);

/* Toys. */
void crd_example_euler_disk(crd_text *text, const crd_example_request *request);
void crd_example_rattleback(crd_text *text, const crd_example_request *request);
void crd_example_tippe_top(crd_text *text, const crd_example_request *request);
void crd_example_dominoes(crd_text *text, const crd_example_request *request);

/* A planar four-bar: three uniform bars in a chain from (0, 0), whose end is held at (ground, 0), and a point P of the
 * second bar at (along, across) in its frame that strikes walls x = const. */
typedef struct crd_four_bar_state {
  const char *name;
  double theta[3], rate[3]; /* absolute angles of the bars and their rates */
} crd_four_bar_state;
typedef struct crd_four_bar {
  double length[3], mass[3], ground, along, across;
  double e;
  int nstate;
  crd_four_bar_state state[2]; /* in each, P touches a wall of its own; the second bar has the same angle in all */
} crd_four_bar;
void crd_example_write_four_bar(crd_text *text, const crd_four_bar *bars);

#endif
