/* The five impacts of Halm & Posa (their tables 4-8), each in the state just before it, and the block that rocks to
 * rest. */
#include <math.h>

#include "base/angle.h"
#include "io/example/example.h"

static const double GRAVITY = 9.81;

/* ------------------------------------------------------------------------------------------------ rocking block */

/* Uniform block, width 1, height 2, mass 1, on the corners A (left) and B (right). */
static void block(crd_text *text, const char *model, const char *about, const double qvel[3]) {
  const double width = 1, height = 2, mu = 1, size[3] = {0.5 * width, 0.25, 0.5 * height};
  const double qpos[3] = {0, 0.5 * height, 0};
  const crd_mjcf_head head = {model, about, GRAVITY, 0};
  const crd_mjcf_pair pairs[2] = {{"A", "floor", "A", mu}, {"B", "floor", "B", mu}};
  const crd_mjcf_key key = {"impact", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"block\">\n");
  crd_mjcf_planar_joints(text, 6, "x", "z", "angle");
  crd_text_add(text, "      <geom name=\"block\" type=\"box\" mass=\"1\"");
  crd_mjcf_numbers(text, "size", 3, size);
  crd_text_add(text, "/>\n");
  crd_mjcf_point(text, 6, "A", -0.5 * width, -0.5 * height);
  crd_mjcf_point(text, 6, "B", 0.5 * width, -0.5 * height);
  crd_text_add(text, "    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 2, pairs);
  crd_mjcf_keys(text, 3, 3, 1, &key);
  crd_mjcf_end(text);
}

void crd_example_rocking_block(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double drop = 0.01, qvel[3] = {0, -sqrt(2 * GRAVITY * drop), 0};
  block(text, "rocking-block",
        "A block dropped flat by 0.01 m: both lower corners strike at once [Halm and Posa, table 4]", qvel);
}

void crd_example_rocking_block_zeno(crd_text *text, const crd_example_request *request) {
  (void)request;
  /* turning about A with rate 1: the centre, at (0.5, 1) from A, moves with (-1, 0.5) */
  const double qvel[3] = {-1, 0.5, 1};
  block(text, "rocking-block-zeno", "The block pivots on A and rocks to rest through infinitely many impacts", qvel);
}

/* ------------------------------------------------------------------------------------------------ compass gait */

/* One leg: massless, a point mass at half its length, the foot at its end. A point mass has no inertia about itself;
 * model files must give a positive one, so it gets one that changes no digit that matters. */
static void leg(crd_text *text, const char *body, const char *joint, const char *foot) {
  const double length = 1, mass = 1, negligible = 1e-14;
  crd_text_add(text, "      <body name=\"%s\">\n", body);
  crd_text_add(text, "        <joint name=\"%s\" type=\"hinge\" axis=\"0 -1 0\"/>\n", joint);
  crd_mjcf_inertial(text, 8, 0, -0.5 * length, mass, negligible);
  crd_text_add(text, "        <geom type=\"capsule\" size=\"0.01\" fromto=\"0 0 0 0 0 -1\" mass=\"0\"/>\n");
  crd_mjcf_point(text, 8, foot, 0, -length);
  crd_text_add(text, "      </body>\n");
}

void crd_example_compass_gait(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double angle = 78 * CRD_DEGREE, rate = 0.25, mu = 5, negligible = 1e-14;
  /* the hip stands cos(angle) above both feet and turns about the trailing one, which rests at (sin, -cos) from it */
  const double qpos[4] = {0, cos(angle), -angle, angle};
  const double qvel[4] = {-rate * cos(angle), -rate * sin(angle), rate, rate};
  const crd_mjcf_head head = {
      "compass-gait", "Two legs with point masses; the leading foot A strikes while B rests [Halm and Posa, table 5]",
      GRAVITY, 0};
  const crd_mjcf_pair pairs[2] = {{"A", "floor", "A", mu}, {"B", "floor", "B", mu}};
  const crd_mjcf_key key = {"impact", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"hip\">\n");
  crd_mjcf_planar_joints(text, 6, "hip_x", "hip_z", NULL);
  crd_mjcf_inertial(text, 6, 0, 0, negligible, negligible);
  leg(text, "leading", "leading", "A");
  leg(text, "trailing", "trailing", "B");
  crd_text_add(text, "    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 2, pairs);
  crd_mjcf_keys(text, 4, 4, 1, &key);
  crd_mjcf_end(text);
}

/* ------------------------------------------------------------------------------------------------ box against a wall
 */

void crd_example_box_wall(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double half = 0.5, angle = -10 * CRD_DEGREE, mu = 1;
  /* turned clockwise, the lower right corner is as deep below the centre as the upper right one is to its right */
  const double reach = half * (cos(angle) - sin(angle)), size[3] = {half, half, half};
  const double qpos[3] = {0, reach, angle}, qvel[3] = {1, 0, 0};
  const crd_mjcf_head head = {"box-wall",
                              "A tilted box slides into a wall: corner A on the floor, B at the wall "
                              "[Halm and Posa, table 6]",
                              GRAVITY, 0};
  const crd_mjcf_pair pairs[2] = {{"A", "floor", "A", mu}, {"B", "wall", "B", mu}};
  const crd_mjcf_key key = {"impact", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_mjcf_wall(text, reach, -1);
  crd_text_add(text, "    <body name=\"box\">\n");
  crd_mjcf_planar_joints(text, 6, "x", "z", "angle");
  crd_text_add(text, "      <geom name=\"box\" type=\"box\" mass=\"1\"");
  crd_mjcf_numbers(text, "size", 3, size);
  crd_text_add(text, "/>\n");
  crd_mjcf_point(text, 6, "A", half, -half);
  crd_mjcf_point(text, 6, "B", half, half);
  crd_text_add(text, "    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 2, pairs);
  crd_mjcf_keys(text, 3, 3, 1, &key);
  crd_mjcf_end(text);
}

/* ------------------------------------------------------------------------------------------------ RAMone */

static const double TRUNK_TO_HIP = 0.137675, THIGH = 0.2, SHANK = 0.2385, FOOT = 0.02815;

static void ramone_leg(crd_text *text, const char *side, const char *foot) {
  const double hip[3] = {0, 0, -TRUNK_TO_HIP}, knee[3] = {0, 0, -THIGH}, sole[3] = {0, 0, -SHANK};
  const double thigh_axis[6] = {0, 0, 0, 0, 0, -THIGH}, shank_axis[6] = {0, 0, 0, 0, 0, -SHANK};
  crd_text_add(text, "      <body name=\"%s_thigh\"", side);
  crd_mjcf_numbers(text, "pos", 3, hip);
  crd_text_add(text, ">\n        <joint name=\"%s_hip\" type=\"hinge\" axis=\"0 -1 0\"/>\n", side);
  crd_mjcf_inertial(text, 8, 0, -0.019399, 0.7887, 0.00221);
  crd_text_add(text, "        <geom type=\"capsule\" size=\"0.02\" mass=\"0\"");
  crd_mjcf_numbers(text, "fromto", 6, thigh_axis);
  crd_text_add(text, "/>\n        <body name=\"%s_shank\"", side);
  crd_mjcf_numbers(text, "pos", 3, knee);
  crd_text_add(text, ">\n          <joint name=\"%s_knee\" type=\"hinge\" axis=\"0 -1 0\"/>\n", side);
  crd_mjcf_inertial(text, 10, 0, -0.165235, 0.510, 0.00652);
  crd_text_add(text, "          <geom type=\"capsule\" size=\"0.015\" mass=\"0\"");
  crd_mjcf_numbers(text, "fromto", 6, shank_axis);
  crd_text_add(text, "/>\n          <geom name=\"%s\" type=\"sphere\" mass=\"0\"", foot);
  crd_mjcf_numbers(text, "size", 1, &FOOT);
  crd_mjcf_numbers(text, "pos", 3, sole);
  crd_text_add(text, "/>\n        </body>\n      </body>\n");
}

void crd_example_ramone(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double pitch = 16 * CRD_DEGREE, hip_a = -70 * CRD_DEGREE, hip_b = 70 * CRD_DEGREE, knee_a = -2 * CRD_DEGREE,
               mu = 1e5;
  const double thigh_a = pitch + hip_a, thigh_b = pitch + hip_b, shank_a = thigh_a + knee_a;
  /* depth of both feet's centres below the trunk's; the trailing knee (-92.4865 deg) follows from it */
  const double depth = TRUNK_TO_HIP * cos(pitch) + THIGH * cos(thigh_a) + SHANK * cos(shank_a);
  const double shank_b = -acos((depth - TRUNK_TO_HIP * cos(pitch) - THIGH * cos(thigh_b)) / SHANK);
  /* foot B stands at (ahead, -depth) from the trunk; everything turns with rate 1 about the point below its centre */
  const double ahead = TRUNK_TO_HIP * sin(pitch) + THIGH * sin(thigh_b) + SHANK * sin(shank_b);
  const double qpos[7] = {0, depth + FOOT, pitch, hip_a, knee_a, hip_b, shank_b - thigh_b};
  const double qvel[7] = {-(depth + FOOT), -ahead, 1, 0, 0, 0, 0};
  const crd_mjcf_head head = {
      "ramone", "The walking robot RAMone: the leading foot A strikes while B rests [Halm and Posa, table 7]", GRAVITY,
      0};
  const crd_mjcf_pair pairs[2] = {{"A", "floor", "A", mu}, {"B", "floor", "B", mu}};
  const crd_mjcf_key key = {"impact", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"trunk\">\n");
  crd_mjcf_planar_joints(text, 6, "x", "z", "pitch");
  crd_mjcf_inertial(text, 6, 0, 0, 7.9026, 0.08);
  crd_text_add(text, "      <geom name=\"trunk\" type=\"box\" size=\"0.06 0.06 0.137675\" mass=\"0\"/>\n");
  ramone_leg(text, "leading", "A");
  ramone_leg(text, "trailing", "B");
  crd_text_add(text, "    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 2, pairs);
  crd_mjcf_keys(text, 7, 7, 1, &key);
  crd_mjcf_end(text);
}

/* ------------------------------------------------------------------------------------------------ disk stacking */

/* A disk of radius 1 and mass 1. In the plane a sphere touches as a disk does, and exactly so. */
static void disk(crd_text *text, const char *name) {
  crd_text_add(text, "    <body name=\"%s\">\n", name);
  crd_text_add(text, "      <joint name=\"%s_x\" type=\"slide\" axis=\"1 0 0\"/>\n", name);
  crd_text_add(text, "      <joint name=\"%s_z\" type=\"slide\" axis=\"0 0 1\"/>\n", name);
  crd_text_add(text, "      <joint name=\"%s_angle\" type=\"hinge\" axis=\"0 -1 0\"/>\n", name);
  crd_mjcf_inertial(text, 6, 0, 0, 1, 0.5);
  crd_text_add(text, "      <geom name=\"%s\" type=\"sphere\" size=\"1\" mass=\"0\"/>\n    </body>\n", name);
}

void crd_example_disk_stack(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double mu = sqrt(3);
  const double qpos[9] = {1, 1 + sqrt(3), 0, 0, 1, 0, 2, 1, 0}, qvel[9] = {0, -1, 0};
  const crd_mjcf_head head = {"disk-stack",
                              "A disk falls on two that touch: A, B on the floor, C, D below the top disk, E between "
                              "[Halm and Posa, table 8]",
                              GRAVITY, 0};
  const crd_mjcf_pair pairs[5] = {{"A", "floor", "left", mu},
                                  {"B", "floor", "right", mu},
                                  {"C", "left", "top", mu},
                                  {"D", "right", "top", mu},
                                  {"E", "left", "right", mu}};
  const crd_mjcf_key key = {"impact", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  disk(text, "top");
  disk(text, "left");
  disk(text, "right");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 5, pairs);
  crd_mjcf_keys(text, 9, 9, 1, &key);
  crd_mjcf_end(text);
}
