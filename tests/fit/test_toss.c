/* Claims: from balls thrown over a floor, whose motion between and through rebounds has a closed form, e and mu are found, with
 * measured velocities and without; velocities that are not those of the positions are told, and energy gained; a motion that is none
 * is refused. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/fit_data.h"
#include "support/scene_text.h"

enum { THROWS = 6, SAMPLES = 50, NQ = 7, NV = 6 };
static const double E = 0.55, MU = 0.1, RADIUS = 0.1, GRAVITY = 9.81, RATE = 100;

/* Where the ball is a time t after its release at height z0 with speed v0 along the floor: it slides at every rebound, which
 * takes mu (1 + e) V from its speed and gives it 5/2 of that over r of spin about y. */
static void thrown(double z0, double v0, double t, double *qpos, double *qvel) {
  double at = 0, x = 0, vx = v0, w = 0, angle = 0, fall = sqrt(2 * z0 / GRAVITY), speed = 0, z = z0;
  while (t > at + fall) { /* to the next rebound */
    const double landing = speed > 0 ? speed : sqrt(2 * GRAVITY * z0);
    x += vx * fall, angle += w * fall, at += fall, z = 0;
    vx -= MU * (1 + E) * landing, w += 2.5 * MU * (1 + E) * landing / RADIUS;
    speed = E * landing, fall = 2 * speed / GRAVITY;
  }
  const double s = t - at;
  const double q[NQ] = {x + vx * s,
                        0,
                        RADIUS + z + speed * s - 0.5 * GRAVITY * s * s,
                        cos(0.5 * (angle + w * s)),
                        0,
                        sin(0.5 * (angle + w * s)),
                        0};
  const double v[NV] = {vx, 0, speed - GRAVITY * s, 0, w, 0};
  memcpy(qpos, q, sizeof q), memcpy(qvel, v, sizeof v);
}

/* spin: factor on the stated spins. */
static void throw_balls(const crd_model *model, bool velocities, double spin, crd_fit_data *data) {
  double t[SAMPLES], qpos[SAMPLES * NQ], qvel[SAMPLES * NV];
  *data = (crd_fit_data){0};
  for (int k = 0; k < THROWS; k++) {
    for (int i = 0; i < SAMPLES; i++) {
      t[i] = i / RATE;
      thrown(0.2 + 0.04 * k, 1.5 + 0.3 * k, t[i], qpos + NQ * i, qvel + NV * i);
      qvel[NV * i + 4] *= spin;
    }
    const crd_fit_toss toss = {model, SAMPLES, t, qpos, velocities ? qvel : NULL, NULL, 0};
    assert_int_equal(crd_fit_add_toss(data, &toss, NULL, (size_t)k + 1), CRD_OK);
  }
}

static void coefficients_of_thrown_balls_are_found(void **state) {
  (void)state;
  crd_model *model = model_from_text("bouncing_ball");
  const crd_impact_law *law[2] = {crd_impact_find("newton"), crd_impact_find("moreau")};
  for (int velocities = 0; velocities < 2; velocities++) {
    crd_fit_data data;
    crd_fit_result result = {0};
    crd_fit_options options = crd_fit_default();
    throw_balls(model, velocities, 1, &data);
    options.threads = 1, options.grid = 6, options.resamples = 50, options.timestep = 0.005;
    assert_int_equal(crd_fit_run(&data, -1, law, 2, &options, &result), CRD_OK);
    const crd_fit_law *l = &result.law[0];
    assert_true(fabs(l->value[CRD_FIT_E] - E) < 5e-3);
    assert_true(fabs(l->value[CRD_FIT_MU] - MU) < 5e-3);
    assert_true(l->rank == 1 && l->loss < 0.02 && l->unanswered == 0);
    assert_true(result.law[1].behind_low > 0); /* moreau has no friction */
    options.fitted |= 1u << CRD_FIT_SLOPE;
    assert_int_equal(crd_fit_run(&data, -1, law, 1, &options, &result), CRD_ERR_ARGUMENT);
    crd_fit_result_free(&result);
    crd_fit_data_free(&data);
  }
  crd_model_free(model);
}

static void velocities_of_other_axes_are_told(void **state) {
  (void)state;
  crd_model *model = model_from_text("bouncing_ball");
  crd_fit_data data;
  crd_fit_toss_look look = {0};
  for (int turned = 0; turned < 2; turned++) {
    throw_balls(model, true, turned ? -1 : 1, &data);
    assert_int_equal(crd_fit_look_at_tosses(&data, &look), CRD_OK);
    assert_int_equal(look.samples, THROWS * SAMPLES);
    assert_true(fabs(look.duration - THROWS * (SAMPLES - 1) / RATE) < 1e-9);
    for (int k = 0; k < NV; k++) {
      if (k == 1 || k == 3 || k == 5)
        assert_true(isnan(look.slope[k])); /* at rest */
      else
        assert_true(fabs(look.slope[k] - (turned && k == 4 ? -1 : 1)) < 0.05);
    }
    assert_true(look.correlation[4] * (turned ? -1 : 1) > 0.98);
    assert_true(look.gain_max < 1e-9); /* rebounds lose, falls neither gain nor lose */
    crd_fit_data_free(&data);
  }
  crd_fit_toss_look_free(&look);
  crd_model_free(model);
}

static void energy_gained_is_told(void **state) {
  (void)state;
  crd_model *model = model_from_text("bouncing_ball");
  crd_fit_data data = {0};
  crd_fit_toss_look look = {0};
  /* 2 kg, from 1 to 2 m/s along the floor: 3 J more, of 4 J at most */
  const double t[2] = {0, 0.1}, qpos[2 * NQ] = {0, 0, 1, 1, 0, 0, 0, 0.15, 0, 1, 1},
               qvel[2 * NV] = {1, 0, 0, 0, 0, 0, 2};
  const crd_fit_toss toss = {model, 2, t, qpos, qvel, NULL, 0};
  assert_int_equal(crd_fit_add_toss(&data, &toss, NULL, 1), CRD_OK);
  assert_int_equal(crd_fit_look_at_tosses(&data, &look), CRD_OK);
  assert_true(fabs(look.gain_max - 0.75) < 1e-12 && look.gain_row == 0);
  crd_fit_toss_look_free(&look);
  crd_fit_data_free(&data);
  crd_model_free(model);
}

static void no_motions_are_refused(void **state) {
  (void)state;
  crd_model *model = model_from_text("bouncing_ball");
  crd_fit_data data = {0}, drops;
  crd_fit_look look = {0};
  double t[2] = {0, 0}, qpos[2 * NQ] = {0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1};
  crd_fit_toss toss = {model, 2, t, qpos, NULL, NULL, 0};
  assert_int_equal(crd_fit_add_toss(&data, &toss, NULL, 1), CRD_ERR_NUMBER); /* no time passes */
  t[1] = 0.1, qpos[3] = NAN;
  assert_int_equal(crd_fit_add_toss(&data, &toss, NULL, 1), CRD_ERR_NUMBER);
  qpos[3] = 1, toss.samples = 1;
  assert_int_equal(crd_fit_add_toss(&data, &toss, NULL, 1), CRD_ERR_ARGUMENT);
  assert_int_equal(data.count, 0);
  toss.samples = 2;
  assert_int_equal(crd_fit_add_toss(&data, &toss, NULL, 1), CRD_OK);
  assert_int_equal(crd_fit_look_at(&data, &look), CRD_ERR_ARGUMENT);
  const drop_def def = {.law = "newton", .e = 0.5, .mu = 0.1, .slide = 1, .count = 2, .seed = 1};
  make_drops(&def, &drops);
  assert_int_equal(crd_fit_add_toss(&drops, &toss, NULL, 3), CRD_ERR_ARGUMENT); /* rows are of one kind */
  assert_int_equal(crd_fit_add(&data, drops.row[0].problem, drops.row[0].v_plus, NULL, NULL, 2), CRD_ERR_ARGUMENT);
  crd_fit_data_free(&data), crd_fit_data_free(&drops);
  crd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coefficients_of_thrown_balls_are_found),
      cmocka_unit_test(velocities_of_other_axes_are_told),
      cmocka_unit_test(energy_gained_is_told),
      cmocka_unit_test(no_motions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
