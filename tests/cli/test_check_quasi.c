/* `check --json`: rows B3, C6, C9, C10 and C12 of the papers, against closed forms. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static double entry(const json_t *matrix, size_t i, size_t j) {
  return json_number_value(json_array_get(json_array_get(matrix, i), j));
}

static void near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12)) fail_msg("found %.15g, expected %.15g", found, expected);
}

/* Three equal balls, the first with 1 m/s: G = [1 -1/2; -1/2 1], v_norm = (-1/sqrt 2, 0), T_norm = 1/3. With e = 1/2 all
 * forms give (e^2 - 1) / 3 = -1/4. Energy is conserved for every velocity by the identity and by the exchange only (C-20).
 */
static void energy_of_a_row_of_balls(void **state) {
  (void)state;
  json_t *object = program_json("check @ball-chain:3 --e 0.5 --json");
  const json_t *impact = json_object_get(object, "quasi_impact"), *loss = json_object_get(impact, "energy_loss");
  const char *const form[4] = {"46", "47", "48", "49"};
  for (int k = 0; k < 4; k++) near(json_number_value(json_object_get(loss, form[k])), -0.25);
  near(json_number_value(json_object_get(impact, "normal_energy_ratio")), 0.25);
  const json_t *E = json_object_get(impact, "conservative");
  assert_int_equal(json_array_size(E), 2);
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < 2; j++) {
      near(entry(json_array_get(E, 0), i, j), i == j);
      near(entry(json_array_get(E, 1), i, j), i != j);
      near(entry(json_object_get(impact, "fremond"), i, j), i == j ? 0.5 : 0);
    }
  json_decref(object);
}

/* A particle of 2 kg on a floor: the tangent is orthogonal to the normal, t_q' H_T = 1 / sqrt 2. G = 2 I, so that
 * Q = diag((1 + e)^2 4 mu^2, -4) and sigma = v' Q v. */
static void discriminator_of_a_particle(void **state) {
  (void)state;
  char words[512];
  program_write(program_file("particle.json"),
                "{\"cradle\": \"impact-problem/1\", \"M\": [[2, 0], [0, 2]], \"v\": [0.3, -1], "
                "\"contacts\": [{\"name\": \"A\", \"n\": [0, 1], \"t\": [[1, 0]], \"mu\": 0.5, \"e\": 0.25}]}");
  snprintf(words, sizeof words, "check '%s' --json", program_file("particle.json"));
  json_t *object = program_json(words);
  const json_t *Q = json_object_get(json_array_get(json_object_get(object, "friction"), 0), "Q");
  near(entry(Q, 0, 0), 1.25 * 1.25 * 4 * 0.25);
  near(entry(Q, 1, 1), -4);
  near(entry(Q, 0, 1), 0);
  const json_t *impact = json_object_get(object, "quasi_impact");
  near(entry(json_object_get(impact, "n_H_T"), 0, 0), 0);
  near(fabs(entry(json_object_get(impact, "t_H_T"), 0, 0)), sqrt(0.5));
  json_decref(object);
}

/* A particle of 2 kg slides at 0.3 m/s: friction is mu m g, its power that times the speed; M qacc has no normal part, and
 * along t_q = (1, 0)/sqrt(m) the part mu m g / sqrt(m). */
static void powers_of_a_sliding_particle(void **state) {
  (void)state;
  char words[512];
  program_write(program_file("slides.json"),
                "{\"cradle\": \"impact-problem/1\", \"M\": [[2, 0], [0, 2]], \"v\": [0.3, 0], \"force\": [0, -20], "
                "\"contacts\": [{\"name\": \"A\", \"n\": [0, 1], \"t\": [[1, 0]], \"mu\": 0.5, \"e\": 0.25}]}");
  snprintf(words, sizeof words, "check '%s' --json", program_file("slides.json"));
  json_t *object = program_json(words);
  const json_t *motion = json_array_get(json_object_get(object, "quasi_motions"), 0);
  const json_t *force = json_object_get(motion, "force"), *power = json_object_get(motion, "power");
  near(json_number_value(json_array_get(json_object_get(force, "norm"), 0)), 0);
  near(fabs(json_number_value(json_array_get(json_object_get(force, "tan"), 0))), 10 / sqrt(2));
  near(json_number_value(json_object_get(power, "normal")), 0);
  near(json_number_value(json_object_get(power, "friction_tangential")), -10 * 0.3);
  near(json_number_value(json_object_get(power, "total")), -10 * 0.3);
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_of_a_row_of_balls),
      cmocka_unit_test(discriminator_of_a_particle),
      cmocka_unit_test(powers_of_a_sliding_particle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
