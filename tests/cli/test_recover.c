/* Claims: a run that is killed at any instant after its first second keeps what it had done: the trace is made of what
 * lies beside it as soon as somebody reads it, has the very numbers of a run that was not killed, and nothing is left
 * beside; the next run of that name takes away what is left, too. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

enum { KILLS = 4 };

/* Files of the folder whose names begin with "name.". */
static int count_beside(const char *name) {
  char folder[1024], start[64];
  int count = 0;
  snprintf(folder, sizeof folder, "%s", program_file(""));
  snprintf(start, sizeof start, "%s.", name);
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (const struct dirent *entry; (entry = readdir(dir));) count += strncmp(entry->d_name, start, strlen(start)) == 0;
  closedir(dir);
  return count;
}

/* A long run to the file that is killed after so many seconds. */
static void run_and_kill(const char *path, double after) {
  char line[2048];
  snprintf(line, sizeof line, "run @pendulum:4 --time 1e6 -o '%s' & sleep %g; kill -KILL $!; wait $!", path, after);
  program_run run = program(line);
  program_free(&run);
}

static void a_killed_run_keeps_what_was_done(void **state) {
  (void)state;
  char path[1024], whole[1024], line[4096];
  snprintf(path, sizeof path, "%s", program_file("killed.h5"));
  snprintf(whole, sizeof whole, "%s", program_file("whole.h5"));
  for (int i = 0; i < KILLS; i++) {
    crd_trace cut = {0}, full = {0};
    crd_error err = {0};
    /* a busy machine may not have come to the first block yet */
    for (double after = 1.7 + crd_random_uniform(9, 1, (uint64_t)i); count_beside("killed.h5") < 2; after *= 2) {
      assert_true(after < 60);
      run_and_kill(path, after);
    }
    snprintf(line, sizeof line, "view '%s' -o '%s.html'", path, whole);
    program_run run = program(line);
    if (run.code != 0) fail_msg("kill %d: view: exit %d, '%s'", i, run.code, run.error);
    assert_non_null(strstr(run.error, "killed"));
    program_free(&run);
    assert_int_equal(count_beside("killed.h5"), 0);
    if (crd_io_read_trace(path, &cut, &err)) fail_msg("%s", err.text);
    assert_true(cut.end.truncated && cut.nrow > 10);
    snprintf(line, sizeof line, "run @pendulum:4 --time %.17g -o '%s'", cut.t[cut.nrow - 1], whole);
    run = program(line);
    assert_int_equal(run.code, 0);
    program_free(&run);
    assert_int_equal(crd_io_read_trace(whole, &full, NULL), CRD_OK);
    assert_true(full.nrow >= cut.nrow && full.nevent >= cut.nevent);
    assert_memory_equal(cut.qpos, full.qpos, sizeof(double) * (size_t)cut.nq * cut.nrow);
    assert_memory_equal(cut.qvel, full.qvel, sizeof(double) * (size_t)cut.nv * cut.nrow);
    assert_memory_equal(cut.energy, full.energy, sizeof *cut.energy * cut.nrow);
    assert_int_equal(cut.offset[cut.nrow], full.offset[cut.nrow]);
    for (int64_t c = 0; c < cut.offset[cut.nrow]; c++) {
      assert_string_equal(cut.contact[c].contact.name, full.contact[c].contact.name);
      assert_true(cut.contact[c].impulse_n == full.contact[c].impulse_n);
    }
    for (size_t k = 0; k < cut.nevent; k++) assert_true(cut.event[k].t == full.event[k].t);
    crd_io_trace_free(&cut), crd_io_trace_free(&full);
    remove(path);
  }
}

static crd_trace read_whole(const char *path) {
  crd_trace trace = {0};
  crd_error err = {0};
  if (crd_io_read_trace(path, &trace, &err)) fail_msg("%s", err.text);
  return trace;
}

/* The first row of what follows is the last of what was cut. The end is that of a run that was never cut, but for what a row
 * does not hold: a contact that rests meets anew there, with the speed that the end of a step leaves it (micrometres per
 * second). What follows can be repeated by itself, and bad words are told. */
static void a_killed_run_is_continued(void **state) {
  (void)state;
  static const double SAME = 1e-4, LENGTH = 0.05; /* m, m/s; s */
  char cut[1024], rest[1024], whole[1024], line[8192];
  snprintf(cut, sizeof cut, "%s", program_file("cut.h5")), snprintf(rest, sizeof rest, "%s", program_file("rest.h5"));
  snprintf(whole, sizeof whole, "%s", program_file("all.h5"));
  for (double after = 1.5; count_beside("cut.h5") < 2; after *= 2) {
    assert_true(after < 60);
    run_and_kill(cut, after);
  }
  /* reads the log, too: nobody has looked at it before */
  snprintf(line, sizeof line, "run --continue '%s' --time 1 -o '%s'", cut, rest);
  program_run run = program(line);
  assert_int_equal(run.code, 1); /* it had come beyond one second */
  assert_non_null(strstr(run.error, "--time: found 1 s, expected more than the"));
  program_free(&run);
  crd_trace first = read_whole(cut);
  const double begin = first.t[first.nrow - 1], end = begin + LENGTH;
  snprintf(line, sizeof line, "run --continue '%s' --time %.17g -o '%s'", cut, end, rest);
  run = program(line);
  if (run.code != 0) fail_msg("%s: %s", line, run.error);
  program_free(&run);
  snprintf(line, sizeof line, "run @pendulum:4 --time %.17g -o '%s'", end, whole);
  run = program(line);
  assert_int_equal(run.code, 0);
  program_free(&run);
  crd_trace second = read_whole(rest), all = read_whole(whole);
  const size_t nv = (size_t)all.nv, last = all.nrow - 1, there = second.nrow - 1;
  assert_true(second.t[0] == begin && second.header.time == end);
  assert_memory_equal(second.qpos, first.qpos + nv * (first.nrow - 1), nv * sizeof(double));
  for (size_t k = 0; k < nv; k++) {
    const double dq = second.qpos[nv * there + k] - all.qpos[nv * last + k],
                 dv = second.qvel[nv * there + k] - all.qvel[nv * last + k];
    if (!(fabs(dq) < SAME && fabs(dv) < SAME)) fail_msg("cut at %.9g s: off by %g rad, %g rad/s", begin, dq, dv);
  }
  crd_io_trace_free(&first), crd_io_trace_free(&second), crd_io_trace_free(&all);
  snprintf(line, sizeof line, "run --repeat '%s'", rest);
  run = program(line);
  if (run.code != 0) fail_msg("from %.17g to %.17g s: exit %d: %s%s", begin, end, run.code, run.out, run.error);
  program_free(&run);
  static const char *const BAD[] = {"", " --dt 0.1", " @pendulum:2"};
  for (int i = 0; i < 3; i++) { /* the rest has reached its time */
    snprintf(line, sizeof line, "run --continue '%s'%s", rest, BAD[i]);
    run = program(line);
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.error, "--continue: found"));
    program_free(&run);
  }
}

static void the_next_run_of_that_name_cleans_up(void **state) {
  (void)state;
  char path[1024], line[2048];
  snprintf(path, sizeof path, "%s", program_file("again.h5"));
  run_and_kill(path, 0.5);
  snprintf(line, sizeof line, "run @bouncing-ball --time 0.1 -o '%s'", path);
  program_run run = program(line);
  assert_int_equal(run.code, 0);
  program_free(&run);
  assert_int_equal(count_beside("again.h5"), 0);
}

/* Of a program that still runs nothing is taken away. */
static void a_run_that_goes_on_is_left_alone(void **state) {
  (void)state;
  char path[1024], line[4096];
  crd_trace trace = {0};
  snprintf(path, sizeof path, "%s", program_file("shared.h5"));
  snprintf(line, sizeof line,
           "run @pendulum:4 --time 1e6 -o '%s' & sleep 1; '%s/cradle' run @bouncing-ball --time 0.1 -o '%s'; "
           "kill -TERM $!; wait $!",
           path, CRADLE_BINARY_DIR, path);
  program_run run = program(line);
  assert_int_equal(run.code, 2); /* interrupted, its trace written */
  program_free(&run);
  assert_int_equal(crd_io_read_trace(path, &trace, NULL), CRD_OK);
  assert_true(trace.end.truncated);
  crd_io_trace_free(&trace);
  assert_int_equal(count_beside("shared.h5"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_killed_run_keeps_what_was_done), cmocka_unit_test(a_killed_run_is_continued),
      cmocka_unit_test(the_next_run_of_that_name_cleans_up), cmocka_unit_test(a_run_that_goes_on_is_left_alone)};
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
