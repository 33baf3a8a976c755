/* Campaign: every friction problem of Siconos' test collection is read and solved with a residual of the problem as
 * posed of at most 1e-8, up to 7002 contacts; a global problem and its condensed twin have the same matrix.
 *
 * The collection is not part of cradle: CRADLE_SICONOS_DATA names the folder that holds it (numerics/src/
 * FrictionContact/test/data of its sources). Without it the test is skipped. */
#include <cradle/io.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/two_contacts.h"

enum { SKIPPED = 77, MOST_FILES = 400 };

static const char *folder;

static int ascending(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names of the files, sorted. */
static int list_files(char *name[MOST_FILES]) {
  DIR *directory = opendir(folder);
  int count = 0;
  if (!directory) fail_msg("%s cannot be opened", folder);
  for (const struct dirent *entry; (entry = readdir(directory)) && count < MOST_FILES;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || (strcmp(dot, ".dat") != 0 && strcmp(dot, ".hdf5") != 0)) continue;
    name[count] = malloc(strlen(entry->d_name) + 1);
    strcpy(name[count++], entry->d_name);
  }
  closedir(directory);
  qsort(name, (size_t)count, sizeof *name, ascending);
  return count;
}

static crd_status read_named(const char *name, crd_coulomb_file *file, crd_error *err) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return crd_io_read_coulomb(path, 0, file, err);
}

/* What is no friction problem, or one without contacts, is refused with a reason. */
static bool is_no_problem(const char *name, const crd_error *err) {
  return strcmp(name, "ACinputs.dat") == 0 || strstr(err->text, "expected the number of contacts, at least 1");
}

static crd_status solve(const crd_coulomb_problem *problem, double *residual) {
  const size_t n = (size_t)problem->n;
  crd_coulomb_state state = {calloc(n, sizeof(double)), calloc(n, sizeof(double)),
                             calloc((size_t)problem->ncontact, sizeof(crd_mode))};
  crd_coulomb_residual_parts parts = {.worst = INFINITY};
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_work *work = crd_coulomb_work_new();
  options.tolerance = options.large_tolerance = 1e-8;
  crd_status status = crd_coulomb_solve(work, problem, &options, &state, NULL);
  crd_coulomb_residual(problem, state.p, state.u, &parts);
  *residual = parts.worst;
  crd_coulomb_work_free(work);
  free(state.p), free(state.u), free(state.mode);
  return status;
}

static void every_file_is_read_and_solved(void **state) {
  (void)state;
  char *name[MOST_FILES];
  int count = list_files(name), read = 0, tried = 0, solved = 0;
  for (int k = 0; k < count; k++) {
    crd_coulomb_file file = {0};
    crd_error err = {0};
    double residual = 0;
    crd_status status = read_named(name[k], &file, &err);
    if (status != CRD_OK && !is_no_problem(name[k], &err)) fail_msg("%s:%d: %s", name[k], err.line, err.text);
    read += status == CRD_OK;
    if (status == CRD_OK) {
      const crd_status answer = solve(&file.problem, &residual);
      const bool ok = answer == CRD_OK && residual <= 1e-8;
      tried++, solved += ok;
      if (!ok) print_message("%s: %s, residual %.2g\n", name[k], crd_status_text(answer), residual);
    }
    crd_io_coulomb_file_free(&file);
    free(name[k]);
  }
  print_message("%d files, %d friction problems read, %d of %d solved\n", count, read, solved, tried);
  assert_true(read > 40);
  assert_int_equal(solved, tried);
}

/* The twin was condensed by Siconos; blocks are printed there with seven digits. */
static void a_condensed_problem_has_the_matrix_of_its_twin(void **state) {
  (void)state;
  crd_coulomb_file global = {0}, local = {0};
  crd_error err = {0};
  if (read_named("GFC3D_TwoRods1.dat", &global, &err) || read_named("GFC3D_TwoRods1-condensed.dat", &local, &err)) {
    print_message("skipped: %s\n", err.text);
  } else {
    double *W = two_matrix(&global.problem), *expected = two_matrix(&local.problem);
    assert_int_equal(global.problem.n, local.problem.n);
    for (int i = 0; i < global.problem.n; i++) {
      assert_true(fabs(global.problem.w[i] - local.problem.w[i]) < 1e-12);
      for (int j = 0; j < global.problem.n; j++)
        assert_true(fabs(W[i * global.problem.n + j] - expected[i * global.problem.n + j]) < 1e-6);
    }
    free(W), free(expected);
  }
  crd_io_coulomb_file_free(&global), crd_io_coulomb_file_free(&local);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_file_is_read_and_solved),
      cmocka_unit_test(a_condensed_problem_has_the_matrix_of_its_twin),
  };
  folder = getenv("CRADLE_SICONOS_DATA");
  if (!folder) {
    printf("skipped: CRADLE_SICONOS_DATA does not name the folder of Siconos' friction problems\n");
    return SKIPPED;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
