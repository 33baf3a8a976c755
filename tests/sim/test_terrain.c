/* Claim: a height field is the solid under its triangles. The gap of a ball is its distance from the nearest triangle;
 * a ridge and a valley have the normals they should; lines between triangles of one plane are not felt: bodies slide,
 * roll and bounce on an inclined field as on a plane. Heights from a picture, a binary file and the element agree. */
#include <cradle/collide.h>
#include <cradle/io.h>
#include <cradle/linalg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"
#include "support/simulation.h"

static const double g = 9.81;
enum { ROWS = 7, COLS = 9, TEXT = 8000 };
static const double half_x = 2, half_y = 1.2, top = 0.6, base = 0.25;

/* A field of ROWS x COLS heights (rows by rising y) between 0 and 1, which both occur, and what stands on it. */
static void write_field(char text[TEXT], const double *share, const char *attributes, const char *bodies) {
  int n = snprintf(text, TEXT,
                   "<mujoco><option timestep='0.002'/><asset><hfield name='h' nrow='%d' ncol='%d' size='%g "
                   "%g %g %g' elevation='",
                   ROWS, COLS, half_x, half_y, top, base);
  for (int row = ROWS - 1; row >= 0; row--) /* as it is seen: the far row first */
    for (int col = 0; col < COLS; col++) n += snprintf(text + n, TEXT - (size_t)n, "%.9g ", share[row * COLS + col]);
  snprintf(text + n, TEXT - (size_t)n,
           "'/></asset><worldbody><geom name='field' type='hfield' hfield='h' %s/>%s"
           "</worldbody></mujoco>",
           attributes, bodies);
}

static crd_model *read_text(const char *text) {
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, &err)) fail_msg("%s", err.text);
  return model;
}

static void random_shares(double *share, random_stream *stream) {
  for (int i = 0; i < ROWS * COLS; i++) share[i] = (float)random_in(stream, 0, 1);
  share[3] = 0, share[5] = 1;
}

/* ------------------------------------------------------------------------------------------------ geometry */

/* Distance of p from a triangle: from its plane above its inside, else from its sides. */
static double from_segment(const double p[3], const double a[3], const double b[3]) {
  double u[3], d[3];
  crd_vec3_sub(u, b, a);
  crd_vec3_sub(d, p, a);
  const double t = fmin(1, fmax(0, crd_vec3_dot(d, u) / crd_vec3_dot(u, u)));
  crd_vec3_axpy(d, -t, u);
  return crd_vec3_norm(d);
}

static double from_triangle(const double p[3], const double a[3], const double b[3], const double c[3]) {
  double u[3], v[3], n[3], d[3];
  const double *corner[] = {a, b, c, a};
  crd_vec3_sub(u, b, a);
  crd_vec3_sub(v, c, a);
  crd_vec3_cross(n, u, v);
  crd_vec3_normalize(n);
  crd_vec3_sub(d, p, a);
  const double height = crd_vec3_dot(d, n);
  bool inside = true;
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    double side[3], out[3], from[3];
    crd_vec3_sub(side, corner[k + 1], corner[k]);
    crd_vec3_cross(out, side, n);
    crd_vec3_sub(from, p, corner[k]);
    inside = inside && crd_vec3_dot(from, out) <= 0;
    least = fmin(least, from_segment(p, corner[k], corner[k + 1]));
  }
  return inside ? fabs(height) : least;
}

static void vertex(const double *share, int row, int col, double v[3]) {
  v[0] = half_x * (2.0 * col / (COLS - 1) - 1);
  v[1] = half_y * (2.0 * row / (ROWS - 1) - 1);
  v[2] = top * share[row * COLS + col];
}

/* From all triangles: the diagonal of a cell goes from its lowest x and y to its highest. */
static double from_surface(const double *share, const double p[3]) {
  double least = INFINITY;
  for (int row = 0; row + 1 < ROWS; row++)
    for (int col = 0; col + 1 < COLS; col++) {
      double low[3], high[3], left[3], right[3];
      vertex(share, row, col, low), vertex(share, row + 1, col + 1, high);
      vertex(share, row + 1, col, left), vertex(share, row, col + 1, right);
      least = fmin(least, fmin(from_triangle(p, low, high, left), from_triangle(p, low, right, high)));
    }
  return least;
}

static double height_at(const double *share, double x, double y) {
  const double u = (x + half_x) / (2 * half_x) * (COLS - 1), v = (y + half_y) / (2 * half_y) * (ROWS - 1);
  const int col = u < COLS - 1 ? (int)u : COLS - 2,
            row = v < ROWS - 1 ? (int)v : ROWS - 2; /* the border has a cell, too */
  const double a = u - col, b = v - row;
  const double *z = share + row * COLS + col;
  return top * (a > b ? z[0] + a * (z[1] - z[0]) + b * (z[COLS + 1] - z[1])
                      : z[0] + b * (z[COLS] - z[0]) + a * (z[COLS + 1] - z[COLS]));
}

#define BALL "<body name='ball'><freejoint/><geom name='ball' size='0.15'/></body>"

static void the_gap_of_a_ball_is_its_distance_from_the_nearest_triangle(void **state) {
  (void)state;
  random_stream stream = {181, 0};
  const double r = 0.15;
  for (int k = 0; k < 20; k++) {
    double share[ROWS * COLS];
    char text[TEXT];
    random_shares(share, &stream);
    write_field(text, share, "", BALL);
    crd_model *model = read_text(text);
    crd_collider *collider = crd_collide_new(model);
    for (int i = 0; i < 200; i++) {
      double pos[6] = {0}, R[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
      crd_contact_point found[64];
      int count;
      pos[3] = random_in(&stream, -1.9, 1.9), pos[4] = random_in(&stream, -1.1, 1.1);
      pos[5] = height_at(share, pos[3], pos[4]) + random_in(&stream, 0.01, 0.3);
      const double gap = from_surface(share, pos + 3) - r;
      assert_int_equal(crd_collide_pair(collider, pos, R, 0, 1, 10, found, 64, &count), CRD_OK);
      double least = INFINITY;
      for (int c = 0; c < count; c++) {
        double foot[3];
        least = fmin(least, found[c].gap);
        crd_vec3_copy(foot, pos + 3); /* each is a way out to a point of the surface */
        crd_vec3_axpy(foot, -(found[c].gap + r), found[c].normal);
        assert_true(fabs(foot[2] - height_at(share, foot[0], foot[1])) <= 1e-9);
      }
      assert_true(fabs(least - gap) <= 1e-10);
      /* and nothing is found where nothing is near */
      assert_int_equal(crd_collide_pair(collider, pos, R, 0, 1, gap - 1e-9, found, 64, &count), CRD_OK);
      assert_int_equal(count, 0);
    }
    crd_collide_free(collider);
    crd_model_free(model);
  }
}

/* A cylinder's length of flat ground, a ridge along y at x = 0, and a valley at x = 1. */
static void a_ridge_and_a_valley_have_their_normals(void **state) {
  (void)state;
  double share[ROWS * COLS];
  static const double profile[COLS] = {0, 0, 0, 0, 1, 0.5, 0, 0.5, 1}; /* x = -2 .. 2 by 0.5: ridge at 0, valley at 1 */
  for (int i = 0; i < ROWS * COLS; i++) share[i] = profile[i % COLS];
  char text[TEXT];
  write_field(text, share, "", BALL);
  crd_model *model = read_text(text);
  crd_collider *collider = crd_collide_new(model);
  double R[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  crd_contact_point found[64];
  int count;
  double on_ridge[6] = {0, 0, 0, 0.05, 0.13, top + 0.1}; /* the centre is (0.05, 0.1) from the edge */
  assert_int_equal(crd_collide_pair(collider, on_ridge, R, 0, 1, 1e-6, found, 64, &count), CRD_OK);
  assert_int_equal(count, 1);
  assert_true(fabs(found[0].gap - (hypot(0.05, 0.1) - 0.15)) <= 1e-12);
  assert_true(fabs(found[0].normal[0] - 0.05 / hypot(0.05, 0.1)) <= 1e-12 && fabs(found[0].normal[1]) <= 1e-12);
  /* slopes of 0.6 on both sides: the centre at the height h over the bottom is h cos(slope) away from both */
  const double slope = atan(0.6), h = 0.15 / cos(slope);
  double in_valley[6] = {0, 0, 0, 1, -0.21, h};
  assert_int_equal(crd_collide_pair(collider, in_valley, R, 0, 1, 1e-6, found, 64, &count), CRD_OK);
  assert_int_equal(count, 2);
  for (int c = 0; c < 2; c++) {
    assert_true(fabs(found[c].gap) <= 1e-12 && fabs(fabs(found[c].normal[0]) - sin(slope)) <= 1e-12);
    assert_true(fabs(found[c].normal[2] - cos(slope)) <= 1e-12);
  }
  assert_true(found[0].normal[0] * found[1].normal[0] < 0);
  crd_collide_free(collider);
  crd_model_free(model);
}

/* Each kind of solid at random poses over a flat field has the gap that it has over a plane, with the normal z. */
static void a_flat_field_is_a_plane(void **state) {
  (void)state;
  static const char *const kinds[] = {"type='sphere' size='0.2'", "type='capsule' size='0.1 0.3'",
                                      "type='cylinder' size='0.2 0.3'", "type='box' size='0.2 0.3 0.1'",
                                      "type='ellipsoid' size='0.2 0.3 0.1'"};
  random_stream stream = {182, 0};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    char text[800];
    snprintf(
        text, sizeof text,
        "<mujoco><asset><hfield name='h' nrow='7' ncol='9' size='2 1.5 1 0.4'/></asset><worldbody><geom type='hfield' "
        "hfield='h'/><geom type='plane' size='0 0 1'/><body><freejoint/><geom %s/></body></worldbody></mujoco>",
        kinds[k]);
    crd_model *model = read_text(text);
    crd_collider *collider = crd_collide_new(model);
    for (int i = 0; i < 300; i++) {
      double pos[9] = {0}, R[27] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}, quat[4];
      crd_contact_point found[64];
      int count;
      for (int c = 0; c < 4; c++) quat[c] = random_in(&stream, -1, 1);
      if (i % 3 == 0) quat[1] = quat[2] = 0; /* it lies flat */
      crd_quat_normalize(quat);
      crd_quat_to_mat3(R + 18, quat);
      pos[6] = random_in(&stream, -1, 1), pos[7] = random_in(&stream, -0.8, 0.8), pos[8] = 1;
      assert_int_equal(crd_collide_pair(collider, pos, R, 1, 2, 10, found, 64, &count), CRD_OK);
      double lowest = INFINITY;
      for (int c = 0; c < count; c++) lowest = fmin(lowest, found[c].gap);
      const double wanted = i % 2 ? 1e-7 : -1e-4;
      pos[8] = 1 - lowest + wanted;
      assert_int_equal(crd_collide_pair(collider, pos, R, 0, 2, 1e-6, found, 64, &count), CRD_OK);
      lowest = INFINITY;
      for (int c = 0; c < count; c++) {
        lowest = fmin(lowest, found[c].gap);
        assert_true(found[c].normal[2] >= 1 - 1e-9);
      }
      assert_true(count > 0 && count <= 16 && fabs(lowest - wanted) <= 1e-9);
    }
    crd_collide_free(collider);
    crd_model_free(model);
  }
}

/* ------------------------------------------------------------------------------------------------ motion */

static simulation *on_slope(double slope, const char *attributes, const char *bodies, crd_sim_integrator integrator) {
  double share[ROWS * COLS];
  char text[TEXT];
  for (int i = 0; i < ROWS * COLS; i++) share[i] = 1 - (double)(i % COLS) / (COLS - 1);
  write_field(text, share, attributes, bodies);
  /* top over 2 half_x is the slope */
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  assert_true(fabs(slope - atan(top / (2 * half_x))) <= 1e-12);
  return simulation_from_text(text, &options);
}

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_MOREAU, CRD_SIM_EVENT};

/* a = 5/7 g sin b rolling, g (sin b - mu cos b) sliding, across the lines between twelve triangles and more. */
static void lines_between_triangles_are_not_felt(void **state) {
  (void)state;
  const double slope = atan(top / (2 * half_x)), s = sin(slope), c = cos(slope), mu = 0.05, t = 1.2;
  for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
    char ball[400], box[400];
    snprintf(ball, sizeof ball, "<body pos='%.17g 0.1 %.17g'><freejoint/><geom size='0.1' mass='1'/></body>",
             -1 + 0.1 * s, 0.75 * top + 0.1 * c);
    simulation *rolls = on_slope(slope, "friction='1'", ball, integrators[i]);
    simulation_run(rolls, t);
    const double *v = crd_sim_qvel(rolls->sim);
    const double error = integrators[i] == CRD_SIM_MOREAU ? 1e-3 : 1e-6;
    assert_true(fabs(v[0] * c - v[2] * s - 5.0 / 7 * g * s * t) <= error && fabs(v[1]) <= 1e-9);
    assert_true(fabs(v[0] * s + v[2] * c) <= 1e-8);
    simulation_free(rolls);
    snprintf(box, sizeof box,
             "<body pos='%.17g 0.1 %.17g' quat='%.17g 0 %.17g 0'><freejoint/><geom type='box' size='0.3 0.35 0.1' "
             "mass='1' friction='0.05'/></body>",
             -1 + 0.1 * s, 0.75 * top + 0.1 * c, cos(slope / 2), sin(slope / 2));
    simulation *slides = on_slope(slope, "friction='0.05'", box, integrators[i]);
    simulation_run(slides, t);
    v = crd_sim_qvel(slides->sim);
    assert_true(fabs(v[0] * c - v[2] * s - g * (s - mu * c) * t) <= error && fabs(v[1]) <= 1e-9);
    for (int k = 3; k < 6; k++) assert_true(fabs(v[k]) <= 1e-8);
    simulation_free(slides);
  }
}

/* It bounces at sqrt(2 h / g) with e = 0.5 on flat ground, at rest after; energy is that of the law. */
static void a_ball_bounces_on_it(void **state) {
  (void)state;
  simulation *s = simulation_from_text(
      "<mujoco><option timestep='0.002'/><custom><numeric name='cradle_restitution' "
      "data='0.5'/></custom><asset><hfield "
      "name='h' nrow='7' ncol='9' size='2 1.5 1 0.4'/></asset><worldbody><geom type='hfield' hfield='h'/><body pos='0 "
      "0 "
      "0.6'><freejoint/><geom size='0.1' mass='1'/></body></worldbody></mujoco>",
      NULL);
  simulation_run(s, 1);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - sqrt(2 * 0.5 / g)) <= 1e-9);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 1)->t - 2 * sqrt(2 * 0.5 / g)) <= 1e-9);
  simulation_run(s, 2);
  assert_true(fabs(crd_sim_qpos(s->sim)[2] - 0.1) <= 1e-9);
  simulation_free(s);
}

/* Thrown over random ground, everything stays above it and no contact gives energy. */
static void nothing_falls_through_random_ground(void **state) {
  (void)state;
  random_stream stream = {183, 0};
  for (int k = 0; k < 6; k++) {
    double share[ROWS * COLS];
    char text[TEXT];
    random_shares(share, &stream);
    write_field(text, share, "",
                "<body pos='-0.8 0.2 1'><freejoint/><geom size='0.15'/></body>"
                "<body pos='0 0.1 1.1' euler='20 30 0'><freejoint/><geom type='box' size='0.2 0.15 0.1'/></body>"
                "<body pos='0.9 -0.1 1.2' euler='70 0 0'><freejoint/><geom type='capsule' size='0.1 0.2'/></body>");
    simulation *s = simulation_from_text(text, NULL);
    simulation_run(s, 1.5);
    const double *q = crd_sim_qpos(s->sim);
    for (int b = 0; b < 3; b++)
      if (fabs(q[7 * b]) < half_x && fabs(q[7 * b + 1]) < half_y)
        assert_true(q[7 * b + 2] > height_at(share, q[7 * b], q[7 * b + 1]));
    const crd_sim_energy energy = crd_sim_energy_now(s->sim);
    assert_true(energy.impact <= 1e-9 && energy.contact <= 1e-6);
    simulation_free(s);
  }
}

/* A tray that falls with a ball above it: the ball meets it as it would meet a fixed one. */
static void a_field_may_move(void **state) {
  (void)state;
  simulation *s = simulation_from_text(
      "<mujoco><option timestep='0.002' gravity='0 0 0'/><asset><hfield name='h' nrow='7' ncol='9' size='2 1.5 1 0.4'/>"
      "</asset><worldbody><body pos='0.4 0 0'><joint type='slide' axis='0 0 1'/><inertial pos='0 0 0' mass='2' "
      "diaginertia='1 1 1'/><geom type='hfield' hfield='h'/></body><body pos='0.5 0.1 0.6'><joint type='slide' axis='0 "
      "0 "
      "1'/><geom size='0.1' mass='1'/></body></worldbody><keyframe><key qvel='1 -1'/></keyframe></mujoco>",
      NULL);
  simulation_run(s, 1);
  /* a gap of 0.5 closes at 2 m/s; then both have (2 - 1) / 3 m/s */
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - 0.25) <= 1e-9);
  for (int i = 0; i < 2; i++) assert_true(fabs(crd_sim_qvel(s->sim)[i] - 1.0 / 3) <= 1e-9);
  simulation_free(s);
}

/* A rangefinder looks at it. */
static void a_rangefinder_sees_it(void **state) {
  (void)state;
  double share[ROWS * COLS];
  char text[TEXT];
  random_stream stream = {184, 0};
  random_shares(share, &stream);
  write_field(text, share, "", BALL);
  char *end = strstr(text, "</worldbody>");
  snprintf(end, TEXT - (size_t)(end - text), "%s",
           "<body pos='0.33 0.21 2'><site name='s' zaxis='0 0 -1'/></body></worldbody><sensor><rangefinder "
           "site='s'/></sensor></mujoco>");
  simulation *s = simulation_from_text(text, NULL);
  assert_true(fabs(crd_sim_sensors(s->sim)[0] - (2 - height_at(share, 0.33, 0.21))) <= 1e-9);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gap_of_a_ball_is_its_distance_from_the_nearest_triangle),
      cmocka_unit_test(a_ridge_and_a_valley_have_their_normals),
      cmocka_unit_test(a_flat_field_is_a_plane),
      cmocka_unit_test(lines_between_triangles_are_not_felt),
      cmocka_unit_test(a_ball_bounces_on_it),
      cmocka_unit_test(nothing_falls_through_random_ground),
      cmocka_unit_test(a_field_may_move),
      cmocka_unit_test(a_rangefinder_sees_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
