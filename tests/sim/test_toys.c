/* The toys among the examples against closed forms: Euler's disk, the rattleback, the tippe top, dominoes. */
#include <math.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double GRAVITY = 9.81;

static simulation *open_toy(const char *name, int key, double dt) {
  crd_sim_options options = crd_sim_default();
  options.timestep = dt;
  simulation *s = simulation_from_example(name, &options);
  assert_int_equal(crd_sim_reset(s->sim, 0, s->model->key[key].qpos, s->model->key[key].qvel, NULL), CRD_OK);
  return s;
}

/* Cosine of the angle between the body's z axis and the vertical. */
static double upright(const simulation *s) {
  const double *q = crd_sim_qpos(s->sim) + 3;
  return 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

/* Steady: the centre stays and the tilt of 10 degrees too, for a turn of the plane of tilt. W of a thin disk of this
 * radius is sqrt(4 g / (a sin 10 degrees)) = 77.6 rad/s; thickness makes it a little less. */
static void euler_s_disk_rolls_in_place(void **state) {
  (void)state;
  simulation *s = open_toy("@euler-disk", 0, 1e-4);
  double alpha = acos(-1) / 18, thin = sqrt(4 * GRAVITY / (0.0375 * sin(alpha)));
  double turn = -crd_sim_qvel(s->sim)[3] / sin(alpha);
  assert_true(turn > 0.9 * thin && turn < thin);
  double height = crd_sim_qpos(s->sim)[2];
  simulation_run(s, 2 * acos(-1) / turn);
  assert_true(hypot(crd_sim_qpos(s->sim)[0], crd_sim_qpos(s->sim)[1]) < 2e-5);
  assert_true(fabs(crd_sim_qpos(s->sim)[2] - height) < 2e-6);
  assert_true(fabs(upright(s) - cos(alpha)) < 1e-4);
  simulation_free(s);
}

/* Without spin the stone rocks about x (angle a) and y (b) on the curvatures b^2 / c = 0.045 m and a^2 / c = 2 m, its mass
 * centre h = 0.01 m above the floor:
 *   (A + m h^2) a'' + D b'' = -m g (0.045 - h) a,    D a'' + (B + m h^2) b'' = -m g (2 - h) b.
 * Released at a = half a degree. */
static void the_rattleback_rocks_with_its_two_frequencies(void **state) {
  (void)state;
  const double h = 0.01, A = 2e-4 + h * h, B = 1.6e-3 + h * h, D = -2e-5, ka = GRAVITY * (0.045 - h),
               kb = GRAVITY * (2 - h), det = A * B - D * D, start = acos(-1) / 360;
  /* x'' = -N x, N = M^-1 K; modes of the 2 x 2 matrix */
  const double n11 = B * ka / det, n12 = -D * kb / det, n21 = -D * ka / det, n22 = A * kb / det;
  double mean = 0.5 * (n11 + n22), root = sqrt(0.25 * (n11 - n22) * (n11 - n22) + n12 * n21);
  double low = mean - root, high = mean + root, t = 0.15;
  double first = (high - n11) / (high - low), second = (n11 - low) / (high - low);
  double a = start * (first * cos(sqrt(low) * t) + second * cos(sqrt(high) * t));
  simulation *s = open_toy("@rattleback", 0, 2e-4);
  assert_int_equal(crd_sim_reset(s->sim, 0, s->model->key[0].qpos, NULL, NULL), CRD_OK);
  simulation_run(s, t);
  double angle = 2 * crd_sim_qpos(s->sim)[4]; /* small: twice the x part of the quaternion */
  if (fabs(angle - a) > 0.01 * start) fail_msg("found %g, expected %g of %g", angle, a, start);
  simulation_free(s);
}

/* What it is known for [Kane and Levinson 1982]: spun one way it goes over to the other, spun the other way it keeps on.
 */
static void the_rattleback_reverses_one_way_only(void **state) {
  (void)state;
  for (int key = 0; key < 2; key++) {
    simulation *s = open_toy("@rattleback", key, 1e-3);
    double spin = s->model->key[key].qvel[5];
    simulation_run(s, 5);
    double now = crd_sim_qvel(s->sim)[5];
    if (key == 0)
      assert_true(spin < 0 && now > 0);
    else
      assert_true(now > 0.98 * spin && now < spin);
    simulation_free(s);
  }
}

/* The top turns over, and I (o w3 - R wz), the angular momentum times the way from mass centre to contact, stays: the
 * force passes through the end of that way, and the ball's centre is in one line with both. */
static void the_tippe_top_turns_over_and_keeps_jellett_s_integral(void **state) {
  (void)state;
  const double R = 0.02, offset = 0.004;
  simulation *s = open_toy("@tippe-top", 0, 5e-4);
  double first = 0;
  assert_true(upright(s) > 0.99);
  for (int k = 0; k <= 10; k++) {
    simulation_run(s, 0.2 * k);
    const double *q = crd_sim_qpos(s->sim) + 3, *w = crd_sim_qvel(s->sim) + 3;
    /* the vertical in the body's frame */
    double z[3] = {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), upright(s)};
    double jellett = offset * w[2] - R * (w[0] * z[0] + w[1] * z[1] + w[2] * z[2]);
    if (k == 0) first = jellett;
    if (fabs(jellett / first - 1) > 1e-3) fail_msg("t = %g: %g of %g", 0.2 * k, jellett, first);
  }
  assert_true(upright(s) < -0.9);
  simulation_free(s);
}

/* Time in which a domino falls from upright to an angle, pivoting on its edge: dt = dq / w, w^2 = w0^2 - 2 m g (z(q) -
 * z(0)) / I, z = h / 2 cos q + d / 2 sin q, I = m (h^2 + d^2) / 3. Simpson's rule. */
static double fall_time(double angle, double w0) {
  const double h = 0.048, d = 0.0075, inertia = (h * h + d * d) / 3;
  double sum = 0, step = angle / 2000;
  for (int k = 0; k <= 2000; k++) {
    double q = k * step, z = 0.5 * (h * cos(q) + d * sin(q) - h);
    sum += (k == 0 || k == 2000 ? 1 : k % 2 ? 4 : 2) / sqrt(w0 * w0 - 2 * GRAVITY * z / inertia);
  }
  return sum * step / 3;
}

/* The first strikes the second where its edge has gone 20 mm: sin q = 20 / 48. They are struck in turn, the wave gains
 * speed along the row, and the last one lies flat. */
static void dominoes_fall_one_after_the_other(void **state) {
  (void)state;
  enum { N = 6 };
  simulation *s = open_toy("@dominoes:6", 0, 1e-3);
  double start[N] = {0};
  for (int k = 1; k <= 1000; k++) {
    simulation_run(s, 1e-3 * k);
    for (int i = 1; i < N; i++)
      if (start[i] == 0 && crd_sim_qpos(s->sim)[i] > 1e-4) start[i] = 1e-3 * k;
  }
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - fall_time(asin(20.0 / 48), 6)) < 1e-6);
  assert_true(start[1] > 0);
  for (int i = 2; i < N; i++) assert_true(start[i] > start[i - 1]);
  for (int i = 3; i < N; i++) assert_true(start[i] - start[i - 1] < start[i - 1] - start[i - 2]);
  for (int i = 0; i < N; i++) assert_true(crd_sim_qpos(s->sim)[i] > 0.9);
  assert_true(fabs(crd_sim_qpos(s->sim)[N - 1] - acos(0)) < 1e-6);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(euler_s_disk_rolls_in_place),
      cmocka_unit_test(the_rattleback_rocks_with_its_two_frequencies),
      cmocka_unit_test(the_rattleback_reverses_one_way_only),
      cmocka_unit_test(the_tippe_top_turns_over_and_keeps_jellett_s_integral),
      cmocka_unit_test(dominoes_fall_one_after_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
