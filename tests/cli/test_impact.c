/* Claims: `impact` prints the keys of CONTRACT.md for a model and for the problem file written from it, the same
 * numbers from both; picks laws, orders and rates as asked; refuses bad usage and bad problems with exit 1, what was
 * found and what was expected. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static json_t *law_named(const json_t *object, const char *name) {
  size_t i;
  json_t *law;
  json_array_foreach(json_object_get(object, "laws"), i, law) {
    if (strcmp(json_string_value(json_object_get(law, "law")), name) == 0) return law;
  }
  fail_msg("no law %s", name);
  return NULL;
}

static double value(const json_t *object, const char *key) {
  const json_t *number = json_object_get(object, key);
  if (!json_is_number(number)) fail_msg("%s is no number", key);
  return json_number_value(number);
}

static json_t *contact_of(const json_t *law, const char *name) {
  size_t i;
  json_t *contact;
  json_array_foreach(json_object_get(law, "contacts"), i, contact) {
    if (strcmp(json_string_value(json_object_get(contact, "name")), name) == 0) return contact;
  }
  fail_msg("no contact %s", name);
  return NULL;
}

static void every_law_has_the_keys_scripts_rely_on(void **state) {
  (void)state;
  json_t *object = program_json("impact @rocking-block --json"), *law;
  size_t i;
  assert_true(json_array_size(json_object_get(object, "laws")) >= 5);
  json_array_foreach(json_object_get(object, "laws"), i, law) {
    const char *status = json_string_value(json_object_get(law, "status"));
    assert_non_null(status);
    if (strcmp(status, "not applicable") == 0) continue;
    assert_int_equal(json_array_size(json_object_get(law, "v_plus")), 3);
    value(law, "residual");
    json_t *energy = json_object_get(law, "energy");
    assert_true(fabs(value(energy, "before") - 0.0981) < 1e-12); /* m g 0.01 */
    assert_true(fabs(value(energy, "after") - value(energy, "ratio") * 0.0981) < 1e-12);
    json_t *A = contact_of(law, "A");
    assert_true(fabs(value(A, "n_minus") + 0.442944691807) < 1e-11);
    value(A, "n_plus"), value(A, "impulse_n");
    const char *list[3] = {"t_minus", "t_plus", "impulse_t"};
    for (int k = 0; k < 3; k++) assert_int_equal(json_array_size(json_object_get(A, list[k])), 1);
    assert_true(json_is_string(json_object_get(A, "mode")));
    assert_int_equal(json_array_size(json_object_get(A, "impulse_world")), 3);
  }
  /* two orders, two outcomes: all of them listed */
  law = law_named(object, "sequential");
  assert_string_equal(json_string_value(json_object_get(law, "status")), "multiple");
  assert_int_equal(json_array_size(json_object_get(law, "solutions")), 2);
  json_decref(object);
}

static void orders_and_rates_are_followed(void **state) {
  (void)state;
  json_t *object = program_json("impact @rocking-block --law sequential --order B,A --json"),
         *law = law_named(object, "sequential");
  assert_int_equal(json_array_size(json_object_get(object, "laws")), 1);
  assert_string_equal(json_string_value(json_object_get(law, "status")), "ok");
  assert_true(fabs(value(contact_of(law, "B"), "n_plus") - 0.0930183852795) < 1e-10);
  json_decref(object);
  object = program_json("impact @rocking-block --law routh --rate '1 1000000' --json");
  assert_true(value(contact_of(law_named(object, "routh"), "B"), "n_plus") > 0.09);
  json_decref(object);
}

/* The problem file says the same as the model it was written from. */
static void a_problem_file_stands_for_its_model(void **state) {
  (void)state;
  char path[1024], arguments[2048];
  snprintf(path, sizeof path, "%s", program_file("problem.json"));
  snprintf(arguments, sizeof arguments, "dynamics @double-pendulum-floor --json --problem '%s'", path);
  json_decref(program_json(arguments));
  snprintf(arguments, sizeof arguments, "impact '%s' --json", path);
  json_t *file = program_json(arguments), *model = program_json("impact @double-pendulum-floor --json"), *law;
  size_t i;
  json_array_foreach(json_object_get(model, "laws"), i, law) {
    json_t *other = law_named(file, json_string_value(json_object_get(law, "law"))),
           *v = json_object_get(law, "v_plus");
    assert_int_equal(json_array_size(v), json_array_size(json_object_get(other, "v_plus")));
    for (size_t k = 0; k < json_array_size(v); k++) {
      double a = json_number_value(json_array_get(v, k));
      assert_true(fabs(a - json_number_value(json_array_get(json_object_get(other, "v_plus"), k))) < 1e-12);
    }
  }
  json_decref(file), json_decref(model);
}

static void bad_usage_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *phrase;
  } table[] = {
      {"impact", "INPUT"},
      {"impact @rocking-block --law moreaux", "found 'moreaux'"},
      {"impact @rocking-block --law ''", "found '', expected all, projection"},
      {"impact @rocking-block --facets 5", "an even number"},
      {"impact @rocking-block --order A,C", "found 'C'"},
      {"impact @rocking-block --rate '1'", "expected 2 positive numbers"},
      {"impact @rocking-block --rate '1 -1'", "expected 2 positive numbers"},
      {"impact @rocking-block --rate '1 1 1'", "expected 2 positive numbers"},
      {"impact @rocking-block --e 1.5", "expected 0 to 1"},
      {"impact @rocking-block --max-impacts 0", "max-impacts"},
      {"impact no-such-file.json", "no-such-file.json"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    program_run run = program(table[i].arguments);
    if (run.code != 1) fail_msg("cradle %s: exit %d", table[i].arguments, run.code);
    if (!strstr(run.error, table[i].phrase)) fail_msg("cradle %s: '%s'", table[i].arguments, run.error);
    assert_string_equal(run.out, "");
    program_free(&run);
  }
}

/* A limit is a verdict: exit 2, and the result says so. */
static void a_sequence_that_does_not_end_is_a_verdict(void **state) {
  (void)state;
  program_run run = program("impact @disk-stack --law sequential --max-impacts 5 --json");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.out, "\"status\": \"limit\""));
  program_free(&run);
}

/* The rocking block strikes with its corner B: with m = 1, half width 1/2, half height 1 and I = 5/12 the rate 1 falls to 0.7.
 * The impact of the run is that of the law at the state before it; what the run did is among the outcomes. */
static void an_impact_of_a_run_is_resolved_again(void **state) {
  (void)state;
  char words[512];
  snprintf(words, sizeof words, "run @rocking-block-zeno --time 1 --integrator event --json -o '%s'",
           program_file("run.h5"));
  json_t *run = program_json(words);
  json_t *event = json_array_get(json_object_get(run, "events"), 0);
  assert_string_equal(json_string_value(json_object_get(event, "kind")), "impact");
  snprintf(words, sizeof words, "impact '%s' --event 0 --law poisson,newton --json", program_file("run.h5"));
  json_t *object = program_json(words);
  for (int i = 0; i < 2; i++) {
    json_t *law = law_named(object, i ? "newton" : "poisson"), *A = contact_of(law, "A"), *B = contact_of(law, "B");
    assert_true(fabs(value(B, "n_minus") + 1) <= 1e-9 && fabs(value(A, "n_minus")) <= 1e-9);
    assert_true(fabs(value(A, "n_plus") - 0.7) <= 1e-9 && fabs(value(B, "n_plus")) <= 1e-9);
    assert_true(fabs(value(B, "impulse_n") - value(event, "impulse")) <= 1e-9);
  }
  json_decref(object);
  snprintf(words, sizeof words, "outcomes '%s' --event 0 --samples 64 --json", program_file("run.h5"));
  object = program_json(words);
  json_t *range = json_object_get(json_array_get(json_object_get(object, "contacts"), 0), "n");
  assert_true(json_number_value(json_array_get(range, 0)) <= 0.7 + 1e-9);
  assert_true(json_number_value(json_array_get(range, 1)) >= 0.7 - 1e-9);
  json_decref(object);
  json_decref(run);
  static const struct {
    const char *rest, *message;
  } bad[] = {{"", "expected a model or a problem (of a trace,"},
             {"--event 1", "found 1, release, expected one at which velocities jump (0)"},
             {"--event 9", "found 9, expected a number below 2"},
             {"--event 0 --qvel '0 0 0'", "beside --state, --qpos or --qvel"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(words, sizeof words, "impact '%s' %s", program_file("run.h5"), bad[i].rest);
    program_run refused = program(words);
    assert_int_equal(refused.code, 1);
    assert_non_null(strstr(refused.error, bad[i].message));
    program_free(&refused);
  }
  program_run refused = program("impact @rocking-block --event 0");
  assert_int_equal(refused.code, 1);
  assert_non_null(strstr(refused.error, "expected a trace"));
  program_free(&refused);
}

/* A ball of 2 kg, I = 0.008, falls with 3 m/s and spins about the normal: newton takes mu_s (1 + e) m 3 = 0.09 N m s, 11.25 of
 * 50 rad/s. What knows no such friction says so, by a name or for many rows. */
static void friction_that_turns_goes_from_the_model_to_the_laws_that_carry_it(void **state) {
  (void)state;
  char words[600];
  program_write(program_file("ball.xml"),
                "<mujoco><custom><numeric name='cradle_restitution' data='0.5'/></custom><worldbody>"
                "<geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/>"
                "<geom name='ball' type='sphere' size='0.1' mass='2' condim='6' friction='0.3 0.01 0.002'/></body>"
                "</worldbody></mujoco>");
  snprintf(words, sizeof words, "dynamics '%s' --e 0.5 --qvel '0 0 -3 0 0 50' --json --problem ",
           program_file("ball.xml"));
  snprintf(words + strlen(words), sizeof words - strlen(words), "'%s'", program_file("ball.json"));
  json_decref(program_json(words));
  snprintf(words, sizeof words, "impact '%s' --law newton --json", program_file("ball.json"));
  json_t *object = program_json(words), *contact = contact_of(law_named(object, "newton"), "ball");
  assert_true(fabs(value(contact, "impulse_n") - 9) < 1e-9 && value(contact, "mu_spin") == 0.01);
  assert_true(fabs(fabs(json_number_value(program_at(contact, "impulse_spin.0"))) - 0.09) < 1e-9);
  assert_true(fabs(fabs(json_number_value(program_at(contact, "spin_plus.0"))) - 38.75) < 1e-7);
  assert_true(fabs(fabs(json_number_value(program_at(contact, "spin_minus.0"))) - 50) < 1e-12);
  assert_string_equal(json_string_value(json_object_get(contact, "mode_spin")), "slip");
  assert_string_equal(json_string_value(json_object_get(contact, "mode_roll")), "stick");
  assert_int_equal(json_array_size(json_object_get(contact, "roll_plus")), 2);
  json_decref(object);
  snprintf(words, sizeof words, "info '%s'", program_file("ball.json"));
  program_run run = program(words);
  assert_non_null(strstr(run.out, "mu_spin 0.01 m, mu_roll 0.002 m"));
  program_free(&run);
  snprintf(words, sizeof words, "impact '%s' --law moreau", program_file("ball.json"));
  run = program(words);
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.out, "law moreau has no torsional or rolling friction"));
  program_free(&run);
  static const char *const verbs[] = {"check", "outcomes"};
  for (int k = 0; k < 2; k++) {
    snprintf(words, sizeof words, "%s '%s'", verbs[k], program_file("ball.json"));
    program_assert_refused(&(program_refusal){words, "found torsional or rolling friction at contact ball"}, 1);
  }
  program_write(program_file("rows.jsonl"),
                "{\"cradle\":\"impact-problem/"
                "1\",\"M\":[[1,0],[0,1]],\"v\":[-1,1],\"v_plus\":[0,1],\"contacts\":[{\"n\":[1,0],\"spin\":[[0,1]],"
                "\"mu_spin\":1}]}\n");
  static const char *const many[] = {"check", "outcomes", "fit"};
  for (int k = 0; k < 3; k++) {
    snprintf(words, sizeof words, "%s '%s'", many[k], program_file("rows.jsonl"));
    run = program(words);
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.error, "found torsional or rolling friction"));
    program_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_has_the_keys_scripts_rely_on),
      cmocka_unit_test(orders_and_rates_are_followed),
      cmocka_unit_test(a_problem_file_stands_for_its_model),
      cmocka_unit_test(bad_usage_is_refused),
      cmocka_unit_test(a_sequence_that_does_not_end_is_a_verdict),
      cmocka_unit_test(an_impact_of_a_run_is_resolved_again),
      cmocka_unit_test(friction_that_turns_goes_from_the_model_to_the_laws_that_carry_it),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  program_folder_remove();
  return failed;
}
