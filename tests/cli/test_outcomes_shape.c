/* Claims about `cradle outcomes`: hull, bound, epsilon and modes in its JSON, samples in -o FILE.h5, and no file where
 * the disk is full or the axes are wrong. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static double number_at(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_number(value)) fail_msg("no number %s", key);
  return json_number_value(value);
}

/* By hand (tests/outcome/test_bound.c): c = 64, k = 42; the set's hull is within the triangle with legs 0.21 v0. */
static void json_has_hull_bound_and_modes(void **state) {
  (void)state;
  json_t *result = program_json("outcomes @rocking-block --json");
  const json_t *hull = json_object_get(result, "hull"), *bound = json_object_get(result, "bound");
  assert_string_equal(json_string_value(json_array_get(json_object_get(hull, "axes"), 0)), "A.n");
  assert_int_equal(json_array_size(json_object_get(hull, "points")), 3);
  const double leg = 0.21 * sqrt(2 * 9.81 * 0.01);
  double area = number_at(hull, "measure");
  assert_true(area <= 0.5 * leg * leg && area > 0.9 * 0.5 * leg * leg);
  assert_true(number_at(bound, "c") == 64 && number_at(bound, "k") == 42 && number_at(bound, "steps") == 106);
  assert_true(json_is_true(json_object_get(bound, "pointed")));
  assert_true(number_at(result, "lcps_max") <= number_at(bound, "free_steps"));
  double sum = 0;
  size_t i;
  const json_t *mode;
  json_array_foreach(json_object_get(result, "outcome_modes"), i, mode) sum += number_at(mode, "fraction");
  assert_true(fabs(sum - 1) < 1e-12);
  assert_true(number_at(result, "epsilon") > 0 && number_at(result, "epsilon") < leg);
  json_decref(result);
}

static void axes_are_chosen_by_name(void **state) {
  (void)state;
  json_t *result = program_json("outcomes @disk-stack --samples 4096 --axes C.n,D.n,v[0] --json");
  const json_t *hull = json_object_get(result, "hull");
  assert_int_equal(json_array_size(json_object_get(hull, "axes")), 3);
  assert_int_equal((int)number_at(hull, "dim"), 3);
  json_decref(result);
  static const char *const bad[] = {"A.n", "A.n,B.n,A.t,B.t", "A.n,Q.n", "A.n,", "v[99],A.n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char command[256];
    snprintf(command, sizeof command, "outcomes @rocking-block --axes '%s' -o '%s'", bad[i], program_file("no.h5"));
    program_run run = program(command);
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.error, "--axes"));
    assert_int_not_equal(access(program_file("no.h5"), F_OK), 0);
    program_free(&run);
  }
}

static void samples_go_to_the_file(void **state) {
  (void)state;
  char command[2048], path[1024];
  snprintf(path, sizeof path, "%s", program_file("set.h5"));
  snprintf(command, sizeof command, "outcomes @compass-gait --samples 1000 --json -o '%s'", path);
  json_t *result = program_json(command);
  crd_outcome_file file = {0};
  crd_error err = {0};
  if (crd_io_read_outcomes(path, &file, &err)) fail_msg("%s", err.text);
  assert_int_equal(file.set[0].samples, 1000);
  assert_string_equal(file.source.input, "@compass-gait");
  assert_int_equal(file.source.nfile, 1);
  assert_non_null(strstr(file.source.file[0].data, "<mujoco"));
  assert_true(number_at(result, "energy_ratio_max") == file.set[0].energy_ratio.max);
  crd_io_outcome_file_free(&file);
  json_decref(result);
  snprintf(command, sizeof command, "outcomes @rocking-block --samples 100 --sweep mu=0:1:3 -o '%s'", path);
  program_run run = program(command);
  assert_int_equal(run.code, 0);
  if (crd_io_read_outcomes(path, &file, &err)) fail_msg("%s", err.text);
  assert_int_equal(file.count, 3);
  assert_true(file.problem[1]->contact[0].mu == 0.5);
  crd_io_outcome_file_free(&file);
  program_free(&run);
}

static void a_full_disk_is_exit_3_and_no_file(void **state) {
  (void)state;
  char command[4096], path[1024];
  snprintf(path, sizeof path, "%s", program_file("full.h5"));
  snprintf(command, sizeof command,
           "trap '' XFSZ; ulimit -f 64; '%s/cradle' outcomes @rocking-block -o '%s' >'%s.out' 2>'%s.err'",
           CRADLE_BINARY_DIR, path, path, path);
  int status = system(command);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 3);
  assert_int_not_equal(access(path, F_OK), 0);
  char *said = program_read(strcat(path, ".err"));
  assert_non_null(strstr(said, "cannot be written: File too large"));
  free(said);
}

/* Reference figures (tests/outcome/test_compliant.c) through the program, and hull distances: figure 12 of the paper.
 */
static void compliant_contact_beside_the_hull(void **state) {
  (void)state;
  json_t *result = program_json("outcomes @rocking-block --pattern mixed --compliant --json");
  const json_t *list = json_object_get(result, "compliant"), *first = json_array_get(list, 0);
  assert_int_equal(json_array_size(list), 51);
  assert_true(fabs(number_at(first, "ratio") - 1e-5) < 1e-15);
  assert_true(fabs(json_number_value(json_array_get(json_object_get(first, "u_plus"), 2)) - 0.09189) < 6e-6);
  size_t i;
  const json_t *item;
  json_array_foreach(list, i, item) assert_true(number_at(item, "distance") < 1e-6);
  json_decref(result);
  program_run run = program("outcomes @rocking-block --compliant --sweep mu=0:1:2");
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.error, "--compliant"));
  program_free(&run);
}

/* Without gravity, tilted by 0.01 degrees, the block's corners strike one after the other and one leaves with 1.019 of the
 * rigid 0.21 v0 (errata, section 2); flat it stops; mirrored starts have mirrored ends. */
static void compliant_contact_from_tilted_starts(void **state) {
  (void)state;
  char words[512];
  snprintf(words, sizeof words, "example rocking-block -o '%s'", program_file("block.xml"));
  program_run written = program(words);
  assert_int_equal(written.code, 0);
  program_free(&written);
  char *text = program_read(program_file("block.xml")), *gravity = strstr(text, "-9.81");
  assert_non_null(gravity);
  memcpy(gravity, "-0.00", 5);
  program_write(program_file("block.xml"), text);
  free(text);
  snprintf(words, sizeof words,
           "outcomes '%s' --samples 4096 --compliant-starts angle:-1.7453292519943296e-4:1.7453292519943296e-4 --json",
           program_file("block.xml"));
  json_t *result = program_json(words);
  const json_t *list = json_object_get(result, "compliant");
  const double rigid = 0.21 * sqrt(2 * 9.81 * 0.01);
  assert_int_equal(json_array_size(list), 51);
  for (size_t i = 0; i < 51; i++) {
    const json_t *one = json_object_get(json_array_get(list, i), "u_plus");
    const json_t *other = json_object_get(json_array_get(list, 50 - i), "u_plus");
    double left = json_number_value(json_array_get(one, 0)), right = json_number_value(json_array_get(other, 2));
    assert_true(fabs(left - right) <= 1e-6);
    if (i == 50) assert_true(fabs(left / rigid - 1.019) <= 6e-4);
    if (i == 25) assert_true(fabs(left) <= 1e-6);
  }
  json_decref(result);
  program_run run = program("outcomes @rocking-block --compliant-starts lever:0:1");
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.error, "found 'lever:0:1', expected JOINT:FROM:TO"));
  program_free(&run);
}

/* Exit code of a shell command. */
static int shell(const char *command) {
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Under mpirun samples are spread over processes; in a build without MPI each process would do them all, to the same
 * end. */
static void processes_do_not_show(void **state) {
  (void)state;
  if (shell("mpirun --version >/dev/null 2>&1") != 0) skip();
  char folder[512], command[4096];
  snprintf(folder, sizeof folder, "%s", program_file("ranks"));
  for (int ranks = 0; ranks <= 3; ranks++) {
    char launch[256] = "";
    if (ranks) /* what OpenMPI itself does not free is no finding about cradle */
      snprintf(launch, sizeof launch,
               "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun "
               "--oversubscribe -n %d",
               ranks);
    snprintf(command, sizeof command,
             "%s '%s/cradle' outcomes @disk-stack --samples 4001 --seed 5 -o '%s%d.h5' >'%s.out' 2>&1", launch,
             CRADLE_BINARY_DIR, folder, ranks, folder);
    assert_int_equal(shell(command), 0);
    snprintf(command, sizeof command, "cmp '%s0.h5' '%s%d.h5'", folder, folder, ranks);
    assert_int_equal(shell(command), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_has_hull_bound_and_modes),
      cmocka_unit_test(axes_are_chosen_by_name),
      cmocka_unit_test(samples_go_to_the_file),
      cmocka_unit_test(a_full_disk_is_exit_3_and_no_file),
      cmocka_unit_test(compliant_contact_beside_the_hull),
      cmocka_unit_test(compliant_contact_from_tilted_starts),
      cmocka_unit_test(processes_do_not_show),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
