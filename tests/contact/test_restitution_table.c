/* Restitution as a table of the speed of approach: from MJCF, from a problem file, and along a bounce. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/scene_text.h"
#include "support/simulation.h"

static void the_table_is_linear_between_its_entries(void **state) {
  (void)state;
  const crd_restitution_table table = {.count = 3, .speed = {0.1, 1, 3}, .e = {0.95, 0.8, 0.4}};
  const double speed[7] = {-1, 0, 0.1, 0.55, 1, 2, 10}, expected[7] = {0.95, 0.95, 0.95, 0.875, 0.8, 0.6, 0.4};
  for (int i = 0; i < 7; i++) assert_true(fabs(crd_model_restitution_at(&table, speed[i]) - expected[i]) < 1e-15);
  assert_int_equal(crd_model_restitution_table_error(&table), -1);
  const crd_restitution_table falls = {.count = 2, .speed = {1, 1}, .e = {0.5, 0.4}};
  const crd_restitution_table large = {.count = 2, .speed = {1, 2}, .e = {0.5, 1.4}};
  assert_int_equal(crd_model_restitution_table_error(&falls), 1);
  assert_int_equal(crd_model_restitution_table_error(&large), 1);
}

static const char ball[] = "ball_with_restitution_table: numeric.data=%s";

/* Dropped from 0.8 m under 10 m/s^2 the ball arrives with 4 m/s and leaves with e(4) = 0.5 of it, 2 m/s; it rises for
 * 0.2 s, arrives with 2 m/s and leaves with e(2) = 0.7 of it, 1.4 m/s. */
static void a_ball_bounces_with_the_restitution_of_each_speed(void **state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text, ball, "0 0.9  4 0.5");
  simulation *s = simulation_from_text(text, NULL);
  const double height = 0.8;
  assert_int_equal(crd_sim_reset(s->sim, 0, &height, NULL, NULL), CRD_OK);
  simulation_run(s, 0.6);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - 0.4) < 1e-6);
  assert_true(fabs(crd_sim_qvel(s->sim)[0]) < 1e-5); /* the top: 2 m/s lost in 0.2 s */
  simulation_run(s, 0.8 + 0.14);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 1)->t - 0.8) < 1e-5);
  assert_true(fabs(crd_sim_qvel(s->sim)[0]) < 1e-4);
  simulation_free(s);
}

static void a_problem_file_may_have_a_table(void **state) {
  (void)state;
  const char text[] =
      "{\"cradle\": \"impact-problem/1\", \"M\": [[2]], \"v\": [-2], "
      "\"contacts\": [{\"n\": [1], \"e\": [[0, 0.9], [4, 0.5]]}]}";
  crd_contact_problem *problem;
  assert_int_equal(crd_io_read_problem_text(text, strlen(text), "text", NULL, &problem, NULL), CRD_OK);
  assert_true(fabs(problem->contact[0].e - 0.7) < 1e-15);
  crd_contact_problem_free(problem);
}

static void bad_tables_are_refused(void **state) {
  (void)state;
  const char *const data[][2] = {{"1", "found 1 numbers"},
                                 {"1 0.5 2", "found 3 numbers"},
                                 {"2 0.5 1 0.4", "found 1 0.4, expected rising speeds"},
                                 {"-1 0.5", "found -1 0.5"},
                                 {"1 1.5", "found 1 1.5"}};
  for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
    char spec[1024];
    crd_model *model = NULL;
    crd_error err = {0};
    crd_read_report report = {0};
    snprintf(spec, sizeof spec, ball, data[i][0]);
    char *text = scene_text(spec);
    assert_true(crd_io_read_model_text(text, strlen(text), "ball.xml", NULL, &model, &report, &err) < 0);
    if (!strstr(err.text, data[i][1])) fail_msg("%s: %s", data[i][0], err.text);
    free(text);
  }
  const char bad[] =
      "{\"cradle\": \"impact-problem/1\", \"M\": [[2]], \"v\": [-2], \"contacts\": [{\"n\": [1], \"e\": [[0, 0.9], [0, "
      "0.5]]}]}";
  crd_contact_problem *problem;
  crd_error err = {0};
  assert_true(crd_io_read_problem_text(bad, strlen(bad), "text", NULL, &problem, &err) < 0);
  assert_non_null(strstr(err.text, "contacts[0].e[1]: found [0, 0.5]"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_is_linear_between_its_entries),
      cmocka_unit_test(a_ball_bounces_with_the_restitution_of_each_speed),
      cmocka_unit_test(a_problem_file_may_have_a_table),
      cmocka_unit_test(bad_tables_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
