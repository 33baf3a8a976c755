/* Claims: Ctrl-C and SIGTERM end every verb soon, with what there is written and marked as cut; a limit of work ends in
 * a verdict of that name. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/cmocka_all.h"
#include "support/program.h"

/* The promise is 0.5 s of a machine of one's own; one that others keep busy gets four times that. */
static const double SOON = 2.0, START = 0.4; /* s */

/* n boxes: one on the other, or in rows on the floor with the floor coming at 1 m/s. */
static void write_boxes(const char *name, int n, bool stacked, double heavy, double gravity) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  fprintf(file, "<mujoco><option timestep='0.002' gravity='0 0 %g'/><worldbody><geom type='plane' size='0 0 1'/>",
          -gravity);
  for (int i = 0; i < n; i++)
    fprintf(file, "<body pos='%g %g %g'><freejoint/><geom type='box' size='.1 .1 .1' mass='%g'/></body>",
            stacked ? 0 : 0.3 * (i % 16), stacked ? 0 : 0.3 * (i / 16), stacked ? 0.1 + 0.2 * i : 0.1,
            i % 2 ? heavy : 1);
  fprintf(file, "</worldbody><keyframe><key qvel='");
  for (int i = 0; i < n; i++) fprintf(file, "0 0 -1 0 0 0 ");
  fprintf(file, "'/></keyframe></mujoco>");
  fclose(file);
  program_write(program_file(name), text);
  free(text);
}

/* The exit code (128 + signal) of a command that is asked to end after `start` seconds; *took: how long it needed from then on. */
static int interrupted(const char *arguments, double start, const char *signal_name, double *took) {
  char line[2048];
  /* the shell takes the time itself: exec, so that the signal reaches the program alone */
  snprintf(line, sizeof line, "%s & child=$!; sleep %g; date +%%s.%%N >'%s'; kill -%s $child; wait $child", arguments,
           start, program_file("asked"), signal_name);
  program_run run = program(line);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char *asked = program_read(program_file("asked"));
  assert_non_null(asked);
  *took = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - strtod(asked, NULL);
  free(asked);
  const int code = run.code;
  program_free(&run);
  return code;
}

static void every_verb_ends_soon(void **state) {
  (void)state;
  static const char *const COMMANDS[] = {"run '%s' --time 100",
                                         "run '%s' --time 100 --integrator event",
                                         "run '%s' --time 100 --integrator moreau",
                                         "impact '%s'",
                                         "outcomes '%s' --samples 1e8",
                                         "check '%s'",
                                         "run '%s' --time 100 --runs 4 --threads 2",
                                         "bench"};
  static const char *const SIGNALS[] = {"INT", "TERM"};
  write_boxes("stack", 12, true, 1, 9.81), write_boxes("ratio", 6, true, 1e12, 9.81);
  write_boxes("gravity", 6, true, 1, 1e12), write_boxes("rows", 100, false, 1, 9.81);
  static const char *const MODELS[] = {"stack", "ratio", "gravity", "rows"};
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
    for (size_t k = 0; k < 4; k++) {
      char path[1024], name[1100], command[1400];
      double took;
      snprintf(path, sizeof path, "%s", program_file(MODELS[k]));
      snprintf(name, sizeof name, "%s.xml", path);
      rename(path, name);
      snprintf(command, sizeof command, COMMANDS[i], name);
      const int code = interrupted(command, START, SIGNALS[(i + k) % 2], &took);
      rename(name, path);
      if (took > SOON)
        fail_msg("%s on %s: ended %.2f s after the signal (code %d)", COMMANDS[i], MODELS[k], took, code);
    }
}

static void an_interrupted_run_keeps_its_trace(void **state) {
  (void)state;
  char command[1400], path[1024];
  double took;
  crd_trace trace = {0};
  crd_error err = {0};
  snprintf(path, sizeof path, "%s", program_file("cut.h5"));
  snprintf(command, sizeof command, "run @pendulum:6 --time 1000 -o '%s'", path);
  assert_int_equal(interrupted(command, START, "TERM", &took), 2);
  if (crd_io_read_trace(path, &trace, &err)) fail_msg("%s", err.text);
  assert_true(trace.end.truncated && trace.nrow > 10);
  assert_string_equal(trace.end.status, "interrupted");
  crd_io_trace_free(&trace);
}

/* The largest pendulums take seconds; the line of titles comes first in any case. */
static void an_interrupted_bench_prints_what_it_measured(void **state) {
  (void)state;
  program_run run = program("bench --full & child=$!; sleep 0.5; kill -INT $child; wait $child");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.out, "Jain, Table I"));
  assert_non_null(strstr(run.out, "interrupted: the rows above are whole"));
  program_free(&run);
}

static void interrupted_outcomes_hold_the_samples_there_are(void **state) {
  (void)state;
  char command[1400], path[1024];
  double took;
  crd_outcome_file file = {0};
  crd_error err = {0};
  snprintf(path, sizeof path, "%s", program_file("cut-set.h5"));
  snprintf(command, sizeof command, "outcomes @disk-stack --samples 1e7 --threads 1 -o '%s'", path);
  /* twenty seconds of work of a machine of today; on a busy one the first samples come late */
  for (double start = START; file.count == 0 || file.set[0].samples == 0; start *= 2) {
    assert_true(start < 60);
    crd_io_outcome_file_free(&file);
    const int code = interrupted(command, start, "INT", &took);
    if (code == 128 + SIGINT && access(path, F_OK) != 0) continue; /* nothing had begun: ended as the signal ends */
    if (crd_io_read_outcomes(path, &file, &err)) fail_msg("%s (exit %d)", err.text, code);
    assert_int_equal(code, 2);
  }
  const crd_outcome_set *set = &file.set[0];
  assert_true(set->samples > 0 && set->samples < 10000000);
  assert_int_equal(set->claim, CRD_OUTCOME_TRUNCATED);
  uint64_t done = 0;
  for (uint64_t i = 0; i < set->samples; i++) {
    assert_int_not_equal(set->ending[i], CRD_OUTCOME_MISSING);
    assert_true(i == 0 || set->number[i] > set->number[i - 1]);
    done += set->ending[i] == CRD_OUTCOME_DONE;
  }
  assert_int_equal(done, set->ended[CRD_OUTCOME_DONE]);
  crd_io_outcome_file_free(&file);
}

/* A sample is a function of seed and number: those of a file that was cut are those of a whole set. */
static void samples_that_are_left_out_do_not_shift_the_others(void **state) {
  (void)state;
  char command[1400], path[1024];
  crd_outcome_file cut = {0}, whole = {0};
  snprintf(path, sizeof path, "%s", program_file("few.h5"));
  snprintf(command, sizeof command, "outcomes @rocking-block --samples 100000 --max-work 4500 -o '%s'", path);
  program_run run = program(command);
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.out, "interrupted"));
  program_free(&run);
  assert_int_equal(crd_io_read_outcomes(path, &cut, NULL), CRD_OK);
  assert_true(cut.set[0].samples > 0 && cut.set[0].samples < 100000);
  snprintf(command, sizeof command, "outcomes @rocking-block --samples 100000 -o '%s'", path);
  run = program(command);
  assert_int_equal(run.code, 0);
  program_free(&run);
  assert_int_equal(crd_io_read_outcomes(path, &whole, NULL), CRD_OK);
  const size_t nv = (size_t)whole.set[0].nv;
  for (uint64_t i = 0; i < cut.set[0].samples; i++)
    assert_memory_equal(cut.set[0].v_plus + nv * i,
                        whole.set[0].v_plus + nv * (cut.set[0].number[i] - whole.set[0].options.first), nv * 8);
  crd_io_outcome_file_free(&cut), crd_io_outcome_file_free(&whole);
}

static void a_limit_of_work_is_a_verdict(void **state) {
  (void)state;
  static const char *const COMMANDS[] = {"run @dominoes:8 --time 2 --max-work 3", "impact @compass-gait --max-work 1"};
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
    program_run run = program(COMMANDS[i]);
    assert_int_equal(run.code, 2);
    if (!strstr(run.out, "limit of work")) fail_msg("%s: '%s'", COMMANDS[i], run.out);
    program_free(&run);
  }
  program_run none = program("impact @compass-gait --max-work 0");
  assert_int_equal(none.code, 0);
  program_free(&none);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_interrupted_run_keeps_its_trace),
                                     cmocka_unit_test(an_interrupted_bench_prints_what_it_measured),
                                     cmocka_unit_test(interrupted_outcomes_hold_the_samples_there_are),
                                     cmocka_unit_test(samples_that_are_left_out_do_not_shift_the_others),
                                     cmocka_unit_test(a_limit_of_work_is_a_verdict),
                                     cmocka_unit_test(every_verb_ends_soon)};
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
