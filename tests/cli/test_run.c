/* Claims: `run` prints the keys of CONTRACT.md and its numbers are those of closed forms; traces hold the run and
 * repeat it bit by bit; the same bits for any number of threads; torque files act as they say; Ctrl-C and a full disk
 * leave whole files or none; every option refuses what it cannot use, with what was found and what was expected. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static const char *place(const char *name) {
  static char path[4][300];
  static int next;
  char *here = path[next++ % 4];
  snprintf(here, sizeof path[0], "%s", program_file(name));
  return here;
}

static void write_text(const char *name, const char *text) { program_write(program_file(name), text); }

static double value(const json_t *object, const char *key) {
  const json_t *number = json_object_get(object, key);
  if (!json_is_number(number)) fail_msg("%s is no number", key);
  return json_number_value(number);
}

static json_t *run_json(const char *arguments) {
  char line[1000];
  snprintf(line, sizeof line, "run %s --json", arguments);
  return program_json(line);
}

/* A format with one %s for the folder. */
static json_t *run_json_in(const char *format) {
  char line[900];
  snprintf(line, sizeof line, format, program_file("."));
  return run_json(line);
}

static int run_code(const char *format) {
  char line[1000];
  snprintf(line, sizeof line, format, program_file("."));
  program_run output = program(line);
  int code = output.code;
  program_free(&output);
  return code;
}

/* ------------------------------------------------------------------------------------------------ what it prints */

static void the_keys_scripts_rely_on_are_there(void **state) {
  (void)state;
  json_t *object = run_json("@bouncing-ball --time 0.6"), *event;
  static const char *const NUMBERS[] = {"steps",           "wall_s", "contacts_mean",
                                        "penetration_max", "solves", "residual_max"};
  for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) value(object, NUMBERS[i]);
  json_t *energy = json_object_get(object, "energy");
  value(energy, "start"), value(energy, "end"), value(energy, "gain_max");
  assert_true(value(object, "steps") == 600);
  assert_int_equal(json_array_size(json_object_get(object, "events")), 1);
  event = json_array_get(json_object_get(object, "events"), 0);
  assert_string_equal(json_string_value(json_object_get(event, "kind")), "impact");
  /* radius 0.1, dropped from z = 1.1: 1 m of fall at 9.81 m/s^2, for one millimetre of rounding less */
  assert_true(fabs(value(event, "t") - sqrt(2 / 9.81)) < 1e-6);
  assert_true(fabs(value(event, "approach") - sqrt(2 * 9.81)) < 1e-5);
  json_decref(object);
}

static void the_text_begins_with_the_verdict(void **state) {
  (void)state;
  program_run output = program("run @bouncing-ball --time 0.6");
  assert_int_equal(output.code, 0);
  assert_int_equal(strncmp(output.out, "@bouncing-ball: 0.6 s simulated in ", 35), 0);
  assert_non_null(strstr(output.out, "events: 1 (impact 1)"));
  assert_string_equal(output.error, ""); /* no progress where nobody looks */
  program_free(&output);
}

static void time_and_steps_say_how_long(void **state) {
  (void)state;
  json_t *object = run_json("@pendulum:2 --steps 7 --dt 0.002");
  assert_true(value(object, "steps") == 7 && fabs(value(object, "t") - 0.014) < 1e-15);
  json_decref(object);
  object = run_json("@pendulum:2 --time 0.0105 --dt 0.002"); /* five steps and a shorter one */
  assert_true(value(object, "steps") == 6 && fabs(value(object, "t") - 0.0105) < 1e-15);
  json_decref(object);
  object = run_json("@pendulum:2 --time 0.01 --dt 1e300"); /* one step, as long as there is time */
  assert_true(value(object, "steps") == 1 && fabs(value(object, "t") - 0.01) < 1e-15);
  json_decref(object);
}

/* e = 0 stops the ball, e = 1 loses nothing. */
static void restitution_is_what_the_option_says(void **state) {
  (void)state;
  json_t *object = run_json("@bouncing-ball --time 0.5 --e 1");
  assert_true(fabs(value(json_object_get(object, "energy"), "impact")) < 1e-9);
  json_decref(object);
}

/* ------------------------------------------------------------------------------------------------ traces */

static void a_trace_holds_the_run_and_repeats_it(void **state) {
  (void)state;
  crd_trace trace = {0};
  json_t *object = run_json_in("@pendulum:3 --time 1 --every 10 --seed 5 --mu 0.4 -o %s/a.h5");
  assert_int_equal(crd_io_read_trace(place("a.h5"), &trace, NULL), CRD_OK);
  assert_int_equal(trace.nrow, 101);
  assert_true(trace.t[0] == 0 && trace.t[100] == value(object, "t") && trace.nq == 3 && trace.nv == 3);
  for (int i = 0; i < 3; i++)
    assert_true(trace.qpos[300 + i] == json_number_value(json_array_get(json_object_get(object, "qpos"), (size_t)i)));
  assert_true(trace.header.options.mu == 0.4 && trace.header.options.seed == 5 && trace.header.time == 1);
  assert_int_equal(trace.nevent, (int)value(object, "events_total"));
  assert_true(!trace.end.truncated && trace.end.counters.steps == 1000);
  crd_io_trace_free(&trace);
  json_decref(object);
  object = run_json_in("--repeat %s/a.h5");
  assert_true(json_is_true(json_object_get(object, "same")));
  assert_true(value(object, "rows") == 101);
  json_decref(object);
}

static void csv_and_hdf5_have_the_same_numbers(void **state) {
  (void)state;
  crd_trace trace = {0};
  assert_int_equal(run_code("run @pendulum:3 --time 0.7 -o %s/b.h5"), 0);
  assert_int_equal(run_code("run @pendulum:3 --time 0.7 -o %s/b.csv"), 0);
  assert_int_equal(crd_io_read_trace(place("b.h5"), &trace, NULL), CRD_OK);
  FILE *file = fopen(place("b.csv"), "r");
  assert_non_null(file);
  char line[4000];
  assert_non_null(fgets(line, sizeof line, file));
  for (size_t i = 0; i < trace.nrow; i++) {
    assert_non_null(fgets(line, sizeof line, file));
    char *at = line;
    assert_true(strtod(at, &at) == trace.t[i]);
    for (size_t k = 0; k < 3; k++) assert_true(strtod(at + 1, &at) == trace.qpos[3 * i + k]);
    for (size_t k = 0; k < 3; k++) assert_true(strtod(at + 1, &at) == trace.qvel[3 * i + k]);
    assert_true(strtod(at + 1, &at) == trace.energy[i].kinetic && strtod(at + 1, &at) == trace.energy[i].potential);
  }
  assert_null(fgets(line, sizeof line, file));
  fclose(file);
  crd_io_trace_free(&trace);
}

static void assert_same_files(const char *a, const char *b) {
  char command[600];
  snprintf(command, sizeof command, "cmp -s %s %s", place(a), place(b));
  assert_int_equal(system(command), 0);
}

static void the_same_bits_on_every_run_and_for_any_threads(void **state) {
  (void)state;
  assert_int_equal(run_code("run @rocking-block --law routh --runs 5 --seed 3 --time 0.3 -o %s/one.h5"), 0);
  assert_int_equal(run_code("run @rocking-block --law routh --runs 5 --seed 3 --time 0.3 --threads 3 -o %s/two.h5"), 0);
  for (int i = 0; i < 5; i++) {
    char a[32], b[32];
    snprintf(a, sizeof a, "one-%d.h5", i), snprintf(b, sizeof b, "two-%d.h5", i);
    assert_same_files(a, b);
  }
  /* run i is the run with that seed */
  assert_int_equal(run_code("run @rocking-block --law routh --seed 5 --time 0.3 -o %s/three.h5"), 0);
  assert_same_files("one-2.h5", "three.h5");
}

/* ------------------------------------------------------------------------------------------------ torque files */

static const char SLIDER[] =
    "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
    "<inertial mass='2' pos='0 0 0' diaginertia='1 1 1'/></body></worldbody>"
    "<actuator><motor name='push' joint='x' gear='3'/></actuator></mujoco>";

/* 2 kg: v = integral of the force over 2. */
static void torque_files_drive_actuators_joints_and_velocities(void **state) {
  (void)state;
  static const struct {
    const char *text, *options;
    double v;   /* after 1 s */
    double lag; /* J that the work falls short by: semi-implicit Euler books f v(start) h, sum of (f h)^2/(2 m) */
  } CASES[] = {{"t,push\n0,1\n", "", 1.5, 0},
               {"t,x\n0,1\n0.5,3\n", "", (0.5 * 1 + 0.5 * 3) / 2, 0},
               {"t,x\n0,1\n0.503,3\n", "", (0.503 * 1 + 0.497 * 3) / 2, 0},
               {"t,x\n0.0012,1\n0.0034,0\n0.9999,4\n", "", (0.0022 * 1 + 0.0001 * 4) / 2, 0},
               {"t,x\n0,1\n0.503,3\n", "--integrator euler", (0.503 * 1 + 0.497 * 3) / 2,
                (50e-4 + 9e-6 + 9 * (49e-6 + 49e-4)) / 4},
               {"t,x\n0,1\n0.503,3\n", "--integrator event", (0.503 * 1 + 0.497 * 3) / 2, 0},
               {"t,x\n0,1\n0.503,0\n0.77,2\n", "--torque-hold linear", (0.503 / 2 + 0.267 + 0.23 * 2) / 2, 0},
               {"0,1\n0.5,3\n", "", (0.5 * 1 + 0.5 * 3) / 2, 0},
               {"# a comment\n\nt , tau1\n0, 0\n1, 4\n", "--torque-hold linear", 1, 0},
               {"t,tau_1\n0.5,4\n", "", 1, 0},
               {"t,push,x\r\n0,1,1\r\n", "", 2, 0}};
  write_text("slider.xml", SLIDER);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char line[900];
    write_text("push.csv", CASES[i].text);
    snprintf(line, sizeof line, "%s --time 1 --torque %s %s", place("slider.xml"), place("push.csv"), CASES[i].options);
    json_t *object = run_json(line);
    const double v = json_number_value(json_array_get(json_object_get(object, "qvel"), 0));
    /* the force is constant or linear in every step, which all integrators take without error */
    if (fabs(v - CASES[i].v) > 1e-12) fail_msg("case %zu: %.15g, expected %.15g", i, v, CASES[i].v);
    const double work = value(json_object_get(object, "energy"), "actuation");
    assert_true(fabs(work + CASES[i].lag - v * v) < 1e-12); /* 2 v^2 / 2 */
    json_decref(object);
  }
}

static void a_trace_with_a_torque_file_repeats_without_it(void **state) {
  (void)state;
  write_text("slider.xml", SLIDER);
  write_text("push.csv", "t,push\n0,0\n1,2\n");
  char line[900];
  snprintf(line, sizeof line, "run %s --torque %s --torque-hold linear -o %s", place("slider.xml"), place("push.csv"),
           place("push.h5"));
  program_run output = program(line);
  assert_int_equal(output.code, 0);
  program_free(&output);
  unlink(place("slider.xml")), unlink(place("push.csv"));
  json_t *object = run_json_in("--repeat %s/push.h5");
  assert_true(json_is_true(json_object_get(object, "same")));
  json_decref(object);
}

static void bad_torque_files_are_refused_with_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } CASES[] = {{"", "push.csv:1: found no line of numbers"},
               {"t,push\n", "found no line of numbers"},
               {"time,push\n0,1\n", "push.csv:1: found the title 'time', expected t first"},
               {"t\n0\n", "push.csv:1: found t alone"},
               {"t,pull\n0,1\n", "push.csv:1: found the title 'pull', expected an actuator"},
               {"t,tau2\n0,1\n", "push.csv:1: found the title 'tau2'"},
               {"t,x,tau1\n0,1,1\n", "push.csv:1: columns 2 and 3 drive the same"},
               {"t,push\n0,1\n1\n", "push.csv:3: found 1 numbers, expected 2"},
               {"t,push\n0,1,2\n", "push.csv:2: found 3 numbers, expected 2"},
               {"t,push\n0,fast\n", "push.csv:2: found 'fast' in column 2, expected a finite number"},
               {"t,push\n0,nan\n", "push.csv:2: found 'nan' in column 2"},
               {"t,push\n1,1\n\n1,2\n", "push.csv:4: found time 1 after 1, expected ascending times"},
               {"0,1,2\n", "push.csv:1: found 3 numbers, expected 2"}};
  write_text("slider.xml", SLIDER);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char line[900];
    write_text("push.csv", CASES[i].text);
    snprintf(line, sizeof line, "run %s --torque %s", place("slider.xml"), place("push.csv"));
    program_run output = program(line);
    if (output.code != 1 || !strstr(output.error, CASES[i].says))
      fail_msg("case %zu: exit %d, '%s' lacks '%s'", i, output.code, output.error, CASES[i].says);
    assert_string_equal(output.out, "");
    program_free(&output);
  }
}

/* ------------------------------------------------------------------------------------------------ ends */

static int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static pid_t start(const char *const *arguments, rlim_t file_size) {
  pid_t child = fork();
  if (child != 0) return child;
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  const struct rlimit limit = {file_size, file_size};
  if (file_size != RLIM_INFINITY) setrlimit(RLIMIT_FSIZE, &limit);
  execv(CRADLE_BINARY_DIR "/cradle", (char *const *)(uintptr_t)arguments);
  _exit(99);
}

static void ctrl_c_ends_cleanly_with_what_is_done(void **state) {
  (void)state;
  const char *const arguments[] = {"cradle",  "run", "@pendulum:3", "--time",      "1e6",
                                   "--every", "100", "-o",          place("c.h5"), 0};
  pid_t child = start(arguments, RLIM_INFINITY);
  nanosleep(&(struct timespec){0, 700000000}, NULL);
  kill(child, SIGINT);
  assert_int_equal(wait_for(child), 2);
  crd_trace trace = {0};
  assert_int_equal(crd_io_read_trace(place("c.h5"), &trace, NULL), CRD_OK);
  assert_true(trace.end.truncated && trace.nrow > 1 && trace.header.time == 1e6);
  assert_string_equal(trace.end.status, "interrupted");
  crd_io_trace_free(&trace);
}

static void a_full_disk_is_exit_3_and_no_file(void **state) {
  (void)state;
  static const char *const NAMES[2] = {"d.h5", "d.csv"};
  for (int i = 0; i < 2; i++) {
    const char *path = place(NAMES[i]);
    const char *const arguments[] = {"cradle", "run", "@pendulum:3", "--time", "5", "-o", path, 0};
    assert_int_equal(wait_for(start(arguments, 200000)), 3);
    assert_int_not_equal(access(path, F_OK), 0);
  }
  char command[400];
  snprintf(command, sizeof command, "test -z \"$(ls %s | grep '^d\\.')\"", program_file("."));
  assert_int_equal(system(command), 0);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *line, *says;
  } CASES[] = {
      {"run", "found no input"},
      {"run @nothing", "nothing"},
      {"run @pendulum:3 --time", "--time: found no value"},
      {"run @pendulum:3 --time -1", "--time"},
      {"run @pendulum:3 --time nan", "--time"},
      {"run @pendulum:3 --time 1 --steps 5", "found --time and --steps"},
      {"run @pendulum:3 --steps 0", "--steps"},
      {"run @pendulum:3 --dt 0", "found 1 s in steps of 0 s"},
      {"run @pendulum:3 --dt -0.1", "--dt"},
      {"run @pendulum:3 --dt 1e-300", "steps of 1e-300 s"},
      {"run @pendulum:3 --integrator leapfrog", "found 'leapfrog', expected rk4, euler, midpoint, event or moreau"},
      {"run @pendulum:3 --law hope", "found 'hope', expected projection, stick-slip"},
      {"run @pendulum:3 --formulation round", "found 'round', expected tree or full"},
      {"run @pendulum:3 --facets 5", "expected an even number"},
      {"run @pendulum:3 --facets 2", "--facets"},
      {"run @pendulum:3 --max-impacts 0", "--max-impacts"},
      {"run @pendulum:3 --mu -1", "--mu"},
      {"run @pendulum:3 --e 1.5", "restitution e: found 1.5, expected a number from 0 to 1"},
      {"run @pendulum:3 --rtol 1", "relative tolerance"},
      {"run @pendulum:3 --atol 0", "absolute tolerance"},
      {"run @pendulum:3 --every 0", "--every"},
      {"run @pendulum:3 --runs 0", "--runs"},
      {"run @pendulum:3 --runs 3", "expected --law routh"},
      {"run @pendulum:3 --threads 0", "--threads"},
      {"run @pendulum:3 --threads 100000", "1024"},
      {"run @pendulum:3 --torque /no/such.csv", "/no/such.csv"},
      {"run @pendulum:3 --torque-hold cubic", "found 'cubic', expected zero or linear"},
      {"run @pendulum:3 -o trace.txt", "found the ending 'txt', expected .h5 or .csv"},
      {"run @pendulum:3 -o trace", "expected .h5 or .csv"},
      {"run @pendulum:3 --qpos '1 2'", "--qpos: found 2 numbers, expected 3"},
      {"run @pendulum:3 --state nowhere", "--state"},
      {"run @pendulum:3 --repeat x.h5", "expected the trace alone"},
      {"run --repeat /no/such.h5", "/no/such.h5"},
      {"run @pendulum:3 --wings", "found the option '--wings'"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    program_run output = program(CASES[i].line);
    if (output.code != 1 || !strstr(output.error, CASES[i].says))
      fail_msg("'%s': exit %d, '%s' lacks '%s'", CASES[i].line, output.code, output.error, CASES[i].says);
    assert_string_equal(output.out, "");
    program_free(&output);
  }
}

/* A base without mass that floats: its links can turn against it, so the mass matrix is singular. That shows at the
 * start, and there is no result to print. */
static void a_start_that_nothing_can_be_computed_at_is_exit_1(void **state) {
  (void)state;
  char line[400];
  write_text(
      "base.urdf",
      "<robot name='r'><link name='ground'><collision><geometry><box size='9 9 .1'/></geometry></collision></link>"
      "<link name='base'/><link name='arm'><inertial><origin xyz='.1 0 0'/><mass value='1'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><box size='.2 .2 "
      ".2'/></geometry></collision></link>"
      "<joint name='float' type='floating'><parent link='ground'/><child link='base'/></joint>"
      "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>");
  for (int json = 0; json < 2; json++) {
    snprintf(line, sizeof line, "run %s --lenient --time 0.1 %s", place("base.urdf"), json ? "--json" : "");
    program_run run = program(line);
    assert_int_equal(run.code, 1);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.error, "float"));
    assert_non_null(strstr(run.error, "base"));
    program_free(&run);
  }
}

/* Covers that lie in each other as drawn: refused with the pairs and their depths, deepest first, or let be; and such a
 * run repeats. The sphere of 0.1 m at 0.3 m from the centre of one of 0.5 m is 0.3 m deep in it, that of 0.2 m 0.5 m. */
static void covers_that_overlap_are_named_and_can_be_let_be(void **state) {
  (void)state;
  write_text("covers.xml",
             "<mujoco><worldbody><geom name='core' size='.5' pos='0 0 3'/>"
             "<body pos='0 0 3'><joint axis='0 0 1'/><geom name='small' size='.1' pos='.3 0 0'/></body>"
             "<body pos='0 0 3'><joint axis='0 0 1'/><geom name='large' size='.2' pos='-.2 0 0'/></body>"
             "</worldbody></mujoco>");
  char line[1000];
  snprintf(line, sizeof line, "run %s --time 0.1", place("covers.xml"));
  program_run run = program(line);
  assert_int_equal(run.code, 1);
  const char *large = strstr(run.error, "\"large\""), *small = strstr(run.error, "\"small\"");
  assert_true(large && small && large < small);
  assert_non_null(strstr(run.error, "by 0.5 m"));
  assert_non_null(strstr(run.error, "by 0.3 m"));
  assert_non_null(strstr(run.error, "--ignore-overlaps"));
  program_free(&run);
  snprintf(line, sizeof line, "run %s --time 0.1 --ignore-overlaps -o %s", place("covers.xml"), place("covers.h5"));
  run = program(line);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "do not touch in this run"));
  program_free(&run);
  snprintf(line, sizeof line, "run --repeat %s", place("covers.h5"));
  run = program(line);
  assert_int_equal(run.code, 0);
  program_free(&run);
}

static void a_folder_that_is_not_there_is_exit_3(void **state) {
  (void)state;
  assert_int_equal(run_code("run @pendulum:3 -o %s/no/such/x.h5"), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_keys_scripts_rely_on_are_there),
                                     cmocka_unit_test(the_text_begins_with_the_verdict),
                                     cmocka_unit_test(time_and_steps_say_how_long),
                                     cmocka_unit_test(restitution_is_what_the_option_says),
                                     cmocka_unit_test(a_trace_holds_the_run_and_repeats_it),
                                     cmocka_unit_test(covers_that_overlap_are_named_and_can_be_let_be),
                                     cmocka_unit_test(csv_and_hdf5_have_the_same_numbers),
                                     cmocka_unit_test(the_same_bits_on_every_run_and_for_any_threads),
                                     cmocka_unit_test(torque_files_drive_actuators_joints_and_velocities),
                                     cmocka_unit_test(a_trace_with_a_torque_file_repeats_without_it),
                                     cmocka_unit_test(bad_torque_files_are_refused_with_their_line),
                                     cmocka_unit_test(ctrl_c_ends_cleanly_with_what_is_done),
                                     cmocka_unit_test(a_full_disk_is_exit_3_and_no_file),
                                     cmocka_unit_test(bad_options_are_refused),
                                     cmocka_unit_test(a_start_that_nothing_can_be_computed_at_is_exit_1),
                                     cmocka_unit_test(a_folder_that_is_not_there_is_exit_3)};
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
