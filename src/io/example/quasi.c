/* The systems of [Brogliato, Kinetic quasi-velocities in unilaterally constrained Lagrangian mechanics, 2.3 and 4.1] that
 * are not among the classics: a box on a slope, a disk on a plane, balls of unequal masses, the frictional impact
 * oscillator. */
#include <math.h>

#include "base/angle.h"
#include "io/example/example.h"

static const double GRAVITY = 9.81;

/* 2.3.4: coordinates x along the slope, y away from it, phi clockwise, so that angle = -phi. The corner A at (r, -l) of the
 * body touches: h = y - l cos phi - r sin phi; B is the other lower corner. */
void crd_example_box_on_slope(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double r = 0.5, l = 0.25, slope = 20 * CRD_DEGREE, phi = 0.4, away[3] = {-sin(slope), 0, cos(slope)},
               size[3] = {r, 0.2, l}, lean = -slope;
  const double tilted[3] = {0, l * cos(phi) + r * sin(phi), -phi}, flat[3] = {0, l, 0}, strike[3] = {-1, -1, 0},
               still[3] = {0};
  const crd_mjcf_head head = {"box-on-slope", "A box on a slope of 20 deg: its corner strikes, or it rests (Brogliato)",
                              GRAVITY, 0};
  const crd_mjcf_pair pairs[2] = {{"A", "slope", "A", 0.5}, {"B", "slope", "B", 0.5}};
  const crd_mjcf_key keys[2] = {{"impact", tilted, strike}, {"rest", flat, still}};

  crd_mjcf_begin(text, &head);
  crd_text_add(text, "    <geom name=\"slope\" type=\"plane\" size=\"10 1 0.1\"");
  crd_mjcf_numbers(text, "zaxis", 3, away);
  crd_text_add(text, "/>\n    <body name=\"box\" axisangle=\"0 1 0 %.17g\">\n", lean);
  /* axes of joints are those of the turned body: x along the slope */
  crd_mjcf_planar_joints(text, 6, "x", "y", "angle");
  crd_mjcf_inertial(text, 6, 0, 0, 1, (r * r + l * l) / 3);
  crd_text_add(text, "      <geom name=\"box\" type=\"box\" mass=\"0\"");
  crd_mjcf_numbers(text, "size", 3, size);
  crd_text_add(text, "/>\n");
  crd_mjcf_point(text, 6, "A", r, -l);
  crd_mjcf_point(text, 6, "B", -r, -l);
  crd_text_add(text, "    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 2, pairs);
  crd_mjcf_keys(text, 3, 3, 2, keys);
  crd_mjcf_end(text);
}

/* 2.3.5: a disk of radius 1 falls on a plane with spin; or it slides with backspin, which friction turns into rolling. */
void crd_example_disk_on_plane(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double qpos[3] = {0, 1, 0}, strike[3] = {1, -2, 3}, slide[3] = {1, 0, 3};
  const crd_mjcf_head head = {"disk-on-plane", "A spinning disk strikes a plane, or slides on it (Brogliato)", GRAVITY,
                              0};
  const crd_mjcf_pair pair = {"A", "floor", "disk", 0.3};
  const crd_mjcf_key keys[2] = {{"impact", qpos, strike}, {"sliding", qpos, slide}};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"disk\">\n");
  crd_mjcf_planar_joints(text, 6, "x", "z", "angle");
  crd_mjcf_inertial(text, 6, 0, 0, 1, 0.5);
  crd_text_add(text, "      <geom name=\"disk\" type=\"sphere\" size=\"1\" mass=\"0\"/>\n    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 3, 3, 2, keys);
  crd_mjcf_end(text);
}

/* 2.3.1 with masses 1, 2, 4, ... kg. */
void crd_example_unequal_balls(crd_text *text, const crd_example_request *request) {
  const crd_mjcf_head head = {"unequal-balls",
                              "Balls of 1, 2, 4, ... kg in a row, touching; the first comes with 1 m/s", GRAVITY, 1};
  crd_mjcf_begin(text, &head);
  crd_example_row_of_balls(text, request->n, 2);
  crd_mjcf_end(text);
}

/* The frictional impact oscillator [Leine, Brogliato, Nijmeijer, Periodic motion and bifurcations induced by the Painleve
 * paradox, 2002]: a carriage of mass m2 on a vertical spring carries a rod of length 1, at its end a mass m1 that rubs on
 * the floor. At the angle theta against the vertical friction is critical at tan(theta) + (m1/m2) / tan(theta), least at
 * tan(theta) = sqrt(m1/m2). */
void crd_example_impact_oscillator(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double m1 = 1, m2 = 4, theta = atan(sqrt(m1 / m2)), length = 1, end[3] = {0, 0, -length};
  const double touch[2] = {0, theta}, strike[2] = {-1, 0};
  /* its end slides outwards with 1 m/s, z' = -length sin(theta) theta' keeps it on the floor: friction presses it down */
  const double slide[2] = {-tan(theta), 1 / (length * cos(theta))};
  const crd_mjcf_head head = {"impact-oscillator",
                              "A carriage on a spring, its rod rubbing on the floor (Leine, Brogliato, Nijmeijer)",
                              GRAVITY, 0};
  const crd_mjcf_pair pair = {"A", "floor", "A", 1.2};
  const crd_mjcf_key keys[2] = {{"impact", touch, strike}, {"sliding", touch, slide}};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  crd_text_add(text, "    <body name=\"carriage\" pos=\"0 0 %.17g\">\n", length * cos(theta));
  crd_text_add(text, "      <joint name=\"z\" type=\"slide\" axis=\"0 0 1\" stiffness=\"100\"/>\n");
  crd_mjcf_inertial(text, 6, 0, 0, m2, 1);
  crd_text_add(text, "      <geom type=\"box\" size=\"0.1 0.1 0.05\" mass=\"0\"/>\n");
  crd_text_add(text, "      <body name=\"rod\">\n        <joint name=\"angle\" type=\"hinge\" axis=\"0 -1 0\"/>\n");
  crd_text_add(text, "        <inertial");
  crd_mjcf_numbers(text, "pos", 3, end);
  crd_mjcf_numbers(text, "mass", 1, &m1);
  crd_text_add(text, " diaginertia=\"1e-12 1e-12 1e-12\"/>\n");
  crd_text_add(text, "        <geom type=\"capsule\" size=\"0.01\" mass=\"0\" fromto=\"0 0 0 0 0 %.17g\"/>\n", -length);
  crd_mjcf_point(text, 8, "A", 0, -length);
  crd_text_add(text, "      </body>\n    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 2, 2, 2, keys);
  crd_mjcf_end(text);
}
