/* Toys of mechanics whose motion is contact and nothing else: a coin that settles, a stone that refuses to turn one way,
 * a top that turns over, a row of dominoes. */
#include <math.h>

#include "base/angle.h"
#include "io/example/example.h"

static const double GRAVITY = 9.81;

/* One free body with its inertia, and the opening of its geom. */
static void free_body(crd_text *text, const char *name, double mass, const double centre[3], const double inertia[6]) {
  crd_text_add(text, "    <body name=\"%s\">\n      <freejoint name=\"%s\"/>\n      <inertial", name, name);
  crd_mjcf_numbers(text, "pos", 3, centre);
  crd_mjcf_numbers(text, "mass", 1, &mass);
  crd_mjcf_numbers(text, "fullinertia", 6, inertia);
  crd_text_add(text, "/>\n");
}

/* Euler's disk: the toy of 75 mm [Moffatt, Euler's disk and its finite-time singularity, Nature 404 (2000)], rolling in
 * place. With the angle alpha of its axis, half thickness h, r_x = a cos - h sin and the centre at rest the plane of tilt
 * turns with W^2 = m g r_x / (sin (I1 cos - I3 (h / a) sin)), which is 4 g / (a sin) for a thin disk, and the disk turns
 * about its axis with W h sin / a. */
void crd_example_euler_disk(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double a = 0.0375, h = 0.0064, m = 0.4387, alpha = 10 * CRD_DEGREE, size[2] = {a, h}, origin[3] = {0};
  const double I1 = m * (a * a / 4 + h * h / 3), I3 = m * a * a / 2, inertia[6] = {I1, I1, I3};
  const double rx = a * cos(alpha) - h * sin(alpha);
  const double turn = sqrt(m * GRAVITY * rx / (sin(alpha) * (I1 * cos(alpha) - I3 * h / a * sin(alpha))));
  const double qpos[7] = {0, 0, a * sin(alpha) + h * cos(alpha), cos(alpha / 2), 0, sin(alpha / 2), 0};
  const double qvel[6] = {0, 0, 0, -turn * sin(alpha), 0, turn * h * sin(alpha) / a};
  const crd_mjcf_head head = {"euler-disk", "A disk rolls in place, its centre at rest [Moffatt]", GRAVITY, 0};
  const crd_mjcf_pair pair = {"A", "floor", "disk", 1};
  const crd_mjcf_key key = {"rolling", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  free_body(text, "disk", m, origin, inertia);
  crd_text_add(text, "      <geom name=\"disk\" type=\"cylinder\" mass=\"0\"");
  crd_mjcf_numbers(text, "size", 2, size);
  crd_text_add(text, "/>\n    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 7, 6, 1, &key);
  crd_mjcf_end(text);
}

/* The rattleback of [Kane and Levinson, Realistic mathematical modeling of the rattleback, Int. J. Non-Linear Mechanics 17
 * (1982)]: an ellipsoid of semi-axes 0.2, 0.03, 0.02 m, mass centre 0.01 m below its centre, whose principal axes of
 * inertia are turned against those of its surface (product of inertia D). Both states are tilted by half a degree and spin
 * with 5 rad/s, once the way it keeps and once the way it reverses. */
void crd_example_rattleback(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double size[3] = {0.2, 0.03, 0.02}, low = 0.01, spin = 5, tilt = 0.5 * CRD_DEGREE;
  const double A = 2e-4, B = 1.6e-3, C = 1.7e-3, D = -2e-5, inertia[6] = {A, B, C, D, 0, 0};
  const double mass_centre[3] = {0}, centre[3] = {0, 0, low};
  /* turned about x by the angle `tilt` the lowest point of the ellipsoid is sqrt(b^2 sin^2 + c^2 cos^2) below its centre */
  const double below = hypot(size[1] * sin(tilt), size[2] * cos(tilt));
  const double qpos[7] = {0, 0, below - low * cos(tilt), cos(tilt / 2), sin(tilt / 2), 0, 0};
  const double reverses[6] = {0, 0, 0, 0, 0, -spin}, keeps[6] = {0, 0, 0, 0, 0, spin};
  const crd_mjcf_head head = {
      "rattleback", "A stone that spins one way and refuses to spin the other [Kane and Levinson]", GRAVITY, 0};
  const crd_mjcf_pair pair = {"A", "floor", "stone", 10};
  const crd_mjcf_key keys[2] = {{"reverses", qpos, reverses}, {"keeps", qpos, keeps}};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  free_body(text, "stone", 1, mass_centre, inertia);
  crd_text_add(text, "      <geom name=\"stone\" type=\"ellipsoid\" mass=\"0\"");
  crd_mjcf_numbers(text, "size", 3, size);
  crd_mjcf_numbers(text, "pos", 3, centre);
  crd_text_add(text, "/>\n    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 7, 6, 2, keys);
  crd_mjcf_end(text);
}

/* The tippe top: a ball of radius R whose mass centre lies e R below its centre. It turns over by sliding friction where
 * 1 - e < I1 / I3 < 1 + e and it spins fast enough [Cohen, The tippe top revisited, Am. J. Phys. 45 (1977)]. Whatever the
 * friction, the product of angular momentum and the way from the mass centre to the contact does not change (Jellett). */
void crd_example_tippe_top(crd_text *text, const crd_example_request *request) {
  (void)request;
  const double R = 0.02, m = 0.015, offset = 0.2 * R, I1 = 0.4 * m * R * R, I3 = I1, tilt = 0.1, spin = 200;
  const double mass_centre[3] = {0}, centre[3] = {0, 0, offset}, inertia[6] = {I1, I1, I3};
  const double qpos[7] = {0, 0, R - offset * cos(tilt), cos(tilt / 2), sin(tilt / 2), 0, 0};
  const double qvel[6] = {0, 0, 0, 0, spin * sin(tilt), spin * cos(tilt)}; /* about the vertical */
  const crd_mjcf_head head = {"tippe-top", "A top that turns over by friction [Cohen]", GRAVITY, 0};
  const crd_mjcf_pair pair = {"A", "floor", "top", 0.3};
  const crd_mjcf_key key = {"spinning", qpos, qvel};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  free_body(text, "top", m, mass_centre, inertia);
  crd_text_add(text, "      <geom name=\"top\" type=\"sphere\" mass=\"0\"");
  crd_mjcf_numbers(text, "size", 1, &R);
  crd_mjcf_numbers(text, "pos", 3, centre);
  crd_text_add(
      text,
      "/>\n      <geom name=\"stem\" type=\"capsule\" size=\"0.003\" fromto=\"0 0 0.022 0 0 0.034\" mass=\"0\"/>\n");
  crd_text_add(text, "    </body>\n");
  crd_mjcf_world_end(text);
  crd_mjcf_pairs(text, 1, &pair);
  crd_mjcf_keys(text, 7, 6, 1, &key);
  crd_mjcf_end(text);
}

/* Dominoes of 48 x 7.5 mm, 20 mm apart, each on its right lower edge as on a hinge, between limits that stand for the
 * floor, upright and flat; the first is pushed. [Stronge, The domino effect: a wave of destabilizing collisions in a periodic array, Proc. R. Soc. A 409 (1987)].
 * Contact k-(k+1): the upper right edge of a domino and the face of the next. */
void crd_example_dominoes(crd_text *text, const crd_example_request *request) {
  const int n = request->n;
  const double height = 0.048, thick = 0.0075, apart = 0.02, m = 0.008, mu = 0.2, push = 6;
  const double j = m * (height * height + thick * thick) / 12;
  const crd_mjcf_head head = {"dominoes", "A row of dominoes, the first one pushed [Stronge]", GRAVITY, 0};
  const double half[3] = {thick / 2, 0.012, height / 2};

  crd_mjcf_begin(text, &head);
  crd_mjcf_floor(text);
  for (int i = 1; i <= n; i++) {
    const double edge[3] = {(i - 1) * (thick + apart), 0, 0}, middle[3] = {-thick / 2, 0, height / 2};
    crd_text_add(text, "    <body name=\"domino%d\"", i);
    crd_mjcf_numbers(text, "pos", 3, edge);
    crd_text_add(text,
                 ">\n      <joint name=\"edge%d\" type=\"hinge\" axis=\"0 1 0\" limited=\"true\" range=\"0 "
                 "1.5707963267948966\"/>\n",
                 i);
    crd_mjcf_inertial(text, 6, middle[0], middle[2], m, j);
    crd_text_add(text, "      <geom name=\"domino%d\" type=\"box\" mass=\"0\"", i);
    crd_mjcf_numbers(text, "size", 3, half);
    crd_mjcf_numbers(text, "pos", 3, middle);
    crd_text_add(text, "/>\n    </body>\n");
  }
  crd_mjcf_world_end(text);
  crd_text_add(text, "  <contact>\n");
  for (int i = 1; i < n; i++)
    crd_text_add(text,
                 "    <pair name=\"%d-%d\" geom1=\"domino%d\" geom2=\"domino%d\" condim=\"3\" friction=\"%g %g\"/>\n",
                 i, i + 1, i, i + 1, mu, mu);
  crd_text_add(text, "  </contact>\n  <keyframe>\n    <key name=\"pushed\" qvel=\"%g", push);
  for (int i = 1; i < n; i++) crd_text_add(text, " 0");
  crd_text_add(text, "\"/>\n  </keyframe>\n");
  crd_mjcf_end(text);
}
