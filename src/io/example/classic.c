/* Classics of impact mechanics: rods, balls, disks, chains and a closed loop, in states that show what each is known
 * for. */
#include <math.h>

#include "base/angle.h"
#include "io/example/example.h"

static const double GRAVITY = 9.81;

/* ------------------------------------------------------------------------------------------------ rod and disk */

void crd_example_painleve_rod(crd_text *text, const crd_example_request *request) {
  (void)request;
  /* The lower tip slides towards the side the rod leans away from, the direction in which friction can make the contact
   * ill-posed. Critical friction is least, 4/3, at tan(angle) = 2, angle against the floor; at 80 deg it is 2.13. */
  const double mu = 1.5, worst = atan(2), steep = 80 * CRD_DEGREE;
  const double paradox[3] = {0, sin(worst), worst}, sliding[3] = {0, sin(steep), steep}, qvel[3] = {-1, 0, 0};
  const crd_mjcf_head head = {
      "painleve-rod", "A uniform rod slides on its lower tip with friction above critical [Painleve]", GRAVITY, 0};
  const crd_mjcf_pair pair = {"A", "floor", "A", mu};
  const crd_mjcf_key keys[2] = {{"paradox", paradox, qvel}, {"sliding", sliding, qvel}};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"rod\">\n");
  crd_mjcf_planar_joints(text, 6, "x", "z", "angle");
  crd_mjcf_inertial(text, 6, 0, 0, 1, 1.0 / 3);
  crd_text_add(text, "      <geom name=\"rod\" type=\"capsule\" size=\"0.01\" fromto=\"-1 0 0 1 0 0\" mass=\"0\"/>\n");
  crd_mjcf_point(text, 6, "A", -1, 0);
  crd_text_add(text, "    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 3, 3, 2, keys);
  crd_mjcf_end(text);
}

void crd_example_disk_in_corner(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double mu = 0.5, qpos[3] = {1, 1, 0}, qvel[3] = {-1, -1, 0};
  const crd_mjcf_head head = {"disk-in-corner", "A disk strikes the floor (A) and the wall at its left (B) at once",
                              GRAVITY, 0};
  const crd_mjcf_pair pairs[2] = {{"A", "floor", "disk", mu}, {"B", "wall", "disk", mu}};
  const crd_mjcf_key key = {"impact", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_mjcf_wall(text, 0, 1);
  crd_text_add(text, "    <body name=\"disk\">\n");
  crd_mjcf_planar_joints(text, 6, "x", "z", "angle");
  crd_mjcf_inertial(text, 6, 0, 0, 1, 0.5);
  crd_text_add(text, "      <geom name=\"disk\" type=\"sphere\" size=\"1\" mass=\"0\"/>\n    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 2, pairs);
  crd_mjcf_keys(text, 3, 3, 1, &key);
  crd_mjcf_end(text);
}

/* ------------------------------------------------------------------------------------------------ balls */

/* Frictionless pairs of neighbours among ball1 .. balln. */
static void chain_pairs(crd_text *text, int n) {
  crd_text_add(text, "  <contact>\n");
  for (int i = 1; i < n; i++)
    crd_text_add(text, "    <pair name=\"%d-%d\" geom1=\"ball%d\" geom2=\"ball%d\" condim=\"1\"/>\n", i, i + 1, i,
                 i + 1);
  crd_text_add(text, "  </contact>\n");
}

void crd_example_row_of_balls(crd_text *text, int n, double ratio) {
  double mass = 1;
  for (int i = 1; i <= n; i++, mass *= ratio) {
    crd_text_add(text, "    <body name=\"ball%d\" pos=\"%d 0 0\">\n", i, i - 1);
    crd_text_add(text, "      <joint name=\"x%d\" type=\"slide\" axis=\"1 0 0\"/>\n", i);
    crd_text_add(text, "      <geom name=\"ball%d\" type=\"sphere\" size=\"0.5\" mass=\"%.12g\"/>\n    </body>\n", i,
                 mass);
  }
  crd_mjcf_world_end(text);
  chain_pairs(text, n);
  crd_text_add(text, "  <keyframe>\n    <key name=\"impact\" qvel=\"1");
  for (int i = 1; i < n; i++) crd_text_add(text, " 0");
  crd_text_add(text, "\"/>\n  </keyframe>\n");
}

void crd_example_ball_chain(crd_text *text, const crd_example_request *request) {
  const crd_mjcf_head head = {
      "ball-chain", "Equal balls in a row, touching; the first comes with 1 m/s (Newton's cradle)", GRAVITY, 1};
  crd_mjcf_begin(text, &head);
  crd_example_row_of_balls(text, request->n, 1);
  crd_mjcf_end(text);
}

/* Newton's cradle: balls on strings of 1 m whose lowest points touch, so that angular velocities are speeds of the balls.
 * States: one ball comes with 1 m/s, two balls do (half of them where there are fewer than four), one is lifted. */
void crd_example_newtons_cradle(crd_text *text, const crd_example_request *request) {
  const int n = request->n, several = n >= 4 ? 2 : n / 2;
  const double lifted = -30 * CRD_DEGREE;
  const crd_mjcf_head head = {"newtons-cradle",
                              "Equal balls on strings, touching at rest: one comes in, one leaves [Newton's cradle]",
                              GRAVITY, 1};
  crd_mjcf_begin(text, &head);
  for (int i = 1; i <= n; i++) {
    crd_text_add(text, "    <body name=\"ball%d\" pos=\"%.12g 0 1\">\n", i, 0.1 * (i - 1));
    crd_text_add(text, "      <joint name=\"string%d\" type=\"hinge\" axis=\"0 -1 0\"/>\n", i);
    crd_text_add(text, "      <geom type=\"capsule\" size=\"0.002\" fromto=\"0 0 0 0 0 -1\" mass=\"0\"/>\n");
    crd_text_add(text, "      <geom name=\"ball%d\" type=\"sphere\" size=\"0.05\" pos=\"0 0 -1\" mass=\"0.5\"/>\n", i);
    crd_text_add(text, "    </body>\n");
  }
  crd_mjcf_world_end(text);
  chain_pairs(text, n);
  crd_text_add(text, "  <keyframe>\n    <key name=\"impact\" qvel=\"1");
  for (int i = 1; i < n; i++) crd_text_add(text, " 0");
  crd_text_add(text, "\"/>\n    <key name=\"two\" qvel=\"");
  for (int i = 0; i < n; i++) crd_text_add(text, "%s%d", i ? " " : "", i < several);
  crd_text_add(text, "\"/>\n    <key name=\"lifted\"");
  crd_text_add(text, " qpos=\"%.17g", lifted);
  for (int i = 1; i < n; i++) crd_text_add(text, " 0");
  crd_text_add(text, "\"/>\n  </keyframe>\n");
  crd_mjcf_end(text);
}

void crd_example_bouncing_ball(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double radius = 0.1, drop = 1;
  const double start[7] = {0, 0, drop + radius, 1, 0, 0, 0}, touch[7] = {0, 0, radius, 1, 0, 0, 0};
  const double still[6] = {0}, falling[6] = {0, 0, -sqrt(2 * GRAVITY * drop)};
  const crd_mjcf_head head = {"bouncing-ball", "A ball dropped from 1 m", GRAVITY, 0.9};
  const crd_mjcf_pair pair = {"A", "floor", "ball", 0.5};
  const crd_mjcf_key keys[2] = {{"drop", start, still}, {"impact", touch, falling}};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"ball\">\n      <freejoint name=\"ball\"/>\n");
  crd_text_add(text, "      <geom name=\"ball\" type=\"sphere\" size=\"0.1\" mass=\"1\"/>\n    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 7, 6, 2, keys);
  crd_mjcf_end(text);
}

/* ------------------------------------------------------------------------------------------------ chains */

void crd_example_double_pendulum_floor(crd_text *text, const crd_example_request *request) {
  (void)request;
  /* Kane's double pendulum: absolute angles 20 and 30 deg from the vertical, rates -0.1 and -0.2; joints are relative
   */
  const double first = 20 * CRD_DEGREE, second = 30 * CRD_DEGREE, mu = 0.5;
  const double base[3] = {0, 0, cos(first) + cos(second)};
  const double qpos[2] = {first, second - first}, qvel[2] = {-0.1, -0.1};
  const crd_mjcf_head head = {"double-pendulum-floor",
                              "Two unit rods, the tip strikes a rough floor [Kane and Levinson]", GRAVITY, 0.5};
  const crd_mjcf_pair pair = {"A", "floor", "A", mu};
  const crd_mjcf_key key = {"impact", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"upper\"");
  crd_mjcf_numbers(text, "pos", 3, base);
  crd_text_add(text, ">\n      <joint name=\"shoulder\" type=\"hinge\" axis=\"0 -1 0\"/>\n");
  crd_mjcf_inertial(text, 6, 0, -0.5, 1, 1.0 / 12);
  crd_text_add(text, "      <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -1\" mass=\"0\"/>\n");
  crd_text_add(text, "      <body name=\"lower\" pos=\"0 0 -1\">\n");
  crd_text_add(text, "        <joint name=\"elbow\" type=\"hinge\" axis=\"0 -1 0\"/>\n");
  crd_mjcf_inertial(text, 8, 0, -0.5, 1, 1.0 / 12);
  crd_text_add(text, "        <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -1\" mass=\"0\"/>\n");
  crd_mjcf_point(text, 8, "A", 0, -1);
  crd_text_add(text, "      </body>\n    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 2, 2, 1, &key);
  crd_mjcf_end(text);
}

void crd_example_pendulum(crd_text *text, const crd_example_request *request) {
  const int n = request->n;
  const double length = 6.0 / n, radius = 3.0 / n, base[3] = {0, 0, request->base}, next[3] = {-length, 0, 0};
  const double middle[3] = {-0.5 * length, 0, 0};

  crd_text_add(text, "<mujoco model=\"pendulum\">\n  <!-- %d links of a pendulum over a floor and before a wall, ", n);
  crd_text_add(text, "thrown from the horizontal [Jain, section V-E] -->\n  <compiler angle=\"radian\"/>\n");
  crd_text_add(text, "  <option timestep=\"0.001\" gravity=\"0 0 -9.8\"/>\n  <custom>\n");
  crd_text_add(text, "    <numeric name=\"cradle_restitution\" data=\"0\"/>\n  </custom>\n");
  crd_text_add(text, "  <default>\n    <geom friction=\"0.5 0.005 0.0001\"/>\n");
  crd_text_add(text, "    <joint type=\"hinge\" axis=\"0 -1 0\"/>\n  </default>\n  <worldbody>\n");
  crd_text_add(text, "    <geom name=\"floor\" type=\"box\" size=\"20 20 0.1\"/>\n");
  crd_text_add(text, "    <geom name=\"wall\" type=\"box\" size=\"0.1 20 20\" pos=\"4 0 0\"/>\n");
  for (int i = 1; i <= n; i++) {
    crd_text_add(text, "    <body name=\"link%d\"", i);
    crd_mjcf_numbers(text, "pos", 3, i == 1 ? base : next);
    crd_text_add(text, "> <joint name=\"hinge%d\"/> <geom name=\"ball%d\" type=\"sphere\" mass=\"1\"", i, i);
    crd_mjcf_numbers(text, "size", 1, &radius);
    crd_mjcf_numbers(text, "pos", 3, middle);
    crd_text_add(text, "/>\n");
  }
  crd_text_add(text, "    ");
  for (int i = 1; i <= n; i++) crd_text_add(text, "</body>");
  crd_text_add(text, "\n  </worldbody>\n  <keyframe>\n    <key name=\"start\" qvel=\"1");
  for (int i = 2; i <= n; i++) crd_text_add(text, " 0");
  crd_text_add(text, "\"/>\n  </keyframe>\n</mujoco>\n");
}

/* ------------------------------------------------------------------------------------------------ four-bar */

/* Where P is when the bars have the angles theta. */
static void coupler_point(const crd_four_bar *bars, const double theta[3], double p[2]) {
  const double c = cos(theta[1]), s = sin(theta[1]);
  p[0] = bars->length[0] * cos(theta[0]) + bars->along * c - bars->across * s;
  p[1] = bars->length[0] * sin(theta[0]) + bars->along * s + bars->across * c;
}

/* Bodies are drawn in the first state, closed, because a loop closure holds what it finds there; `ref` lets the joints
 * count their angles from the bar before. */
static void bar(crd_text *text, const crd_four_bar *bars, int i, double bumper) {
  const double *theta = bars->state[0].theta, length = bars->length[i], mass = bars->mass[i];
  const double relative = theta[i] - (i > 0 ? theta[i - 1] : 0);
  const double pos[3] = {i > 0 ? bars->length[i - 1] : 0, 0, 0}, euler[3] = {0, -relative, 0};
  const double axis[6] = {0, 0, 0, length, 0, 0};
  const int indent = 4 + 2 * i;
  crd_text_add(text, "%*s<body name=\"bar%d\"", indent, "", i + 1);
  crd_mjcf_numbers(text, "pos", 3, pos);
  crd_mjcf_numbers(text, "euler", 3, euler);
  crd_text_add(text, ">\n%*s<joint name=\"hinge%d\" type=\"hinge\" axis=\"0 -1 0\"", indent + 2, "", i + 1);
  crd_mjcf_numbers(text, "ref", 1, &relative);
  crd_text_add(text, "/>\n");
  crd_mjcf_inertial(text, indent + 2, 0.5 * length, 0, mass, mass * length * length / 12);
  crd_text_add(text, "%*s<geom type=\"capsule\" size=\"0.02\" mass=\"0\"", indent + 2, "");
  crd_mjcf_numbers(text, "fromto", 6, axis);
  crd_text_add(text, "/>\n");
  if (i == 1) {
    /* P is the rightmost point of a small ball on the coupler */
    const double centre[3] = {bars->along - bumper * cos(theta[1]), 0, bars->across + bumper * sin(theta[1])};
    crd_text_add(text, "%*s<geom name=\"P\" type=\"sphere\" mass=\"0\"", indent + 2, "");
    crd_mjcf_numbers(text, "size", 1, &bumper);
    crd_mjcf_numbers(text, "pos", 3, centre);
    crd_text_add(text, "/>\n");
  }
}

void crd_example_write_four_bar(crd_text *text, const crd_four_bar *bars) {
  const double thick = 0.02, pad[3] = {thick, 0.05, 0.05}, end[3] = {bars->length[2], 0, 0}, bumper = 0.05;
  const char *const wall[2] = {"wall", "wall2"}, *const name[2] = {"A", "B"};
  const crd_mjcf_head head = {"four-bar", "A closed four-bar linkage, frictionless, whose coupler strikes a wall",
                              GRAVITY, bars->e};
  crd_mjcf_pair pairs[2];
  crd_mjcf_key keys[2];
  double qpos[2][3], qvel[2][3];

  crd_mjcf_begin(text, &head);
  for (int k = 0; k < bars->nstate; k++) {
    const crd_four_bar_state *state = &bars->state[k];
    double p[2];
    coupler_point(bars, state->theta, p);
    const double pos[3] = {p[0] + thick, 0, p[1]};
    crd_text_add(text, "    <geom name=\"%s\" type=\"box\"", wall[k]);
    crd_mjcf_numbers(text, "size", 3, pad);
    crd_mjcf_numbers(text, "pos", 3, pos);
    crd_text_add(text, "/>\n");
    for (int i = 0; i < 3; i++) {
      qpos[k][i] = state->theta[i] - (i > 0 ? state->theta[i - 1] : 0);
      qvel[k][i] = state->rate[i] - (i > 0 ? state->rate[i - 1] : 0);
    }
    pairs[k] = (crd_mjcf_pair){name[k], wall[k], "P", 0};
    keys[k] = (crd_mjcf_key){state->name, qpos[k], qvel[k]};
  }
  for (int i = 0; i < 3; i++) bar(text, bars, i, bumper);
  for (int i = 2; i >= 0; i--) crd_text_add(text, "%*s</body>\n", 4 + 2 * i, "");
  crd_mjcf_world_end(text);
  crd_text_add(text, "  <equality>\n    <connect name=\"loop\" body1=\"bar3\"");
  crd_mjcf_numbers(text, "anchor", 3, end);
  crd_text_add(text, "/>\n  </equality>\n");
  crd_mjcf_pairs(text, bars->nstate, pairs);
  crd_mjcf_keys(text, 3, 3, bars->nstate, keys);
  crd_mjcf_end(text);
}

void crd_example_four_bar(crd_text *text, const crd_example_request *request) {
  (void)request;
  /* a rhombus of unit bars, whose coupler stays level; in the second state all bars lie on one line */
  const crd_four_bar bars = {
      {1, 1, 1},
      {1, 1, 1},
      1,
      0.5,
      0.25,
      0,
      2,
      {{"impact", {CRD_PI / 3, 0, -2 * CRD_PI / 3}, {-1, 0, -1}}, {"collinear", {0, 0, CRD_PI}, {1, -0.5, 0.5}}}};
  crd_example_write_four_bar(text, &bars);
}
