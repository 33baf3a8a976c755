/* Claims: a file of outcomes holds the samples and everything that defines them, is the same for any number of threads,
 * is read back bit by bit, and a file that lacks something or states something impossible is refused by name. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/cmocka_all.h"
#include "support/example_problem.h"
#include "support/h5_change.h"
#include "support/program.h"

enum { SAMPLES = 3000 };

static const char MODEL[] = "<mujoco>a model</mujoco>";

static char *file_name(const char *name) { return strdup(program_file(name)); }

static crd_outcome_source source_of(const example_problem *example) {
  static const crd_source_file file[2] = {{"a.xml", MODEL, sizeof MODEL - 1}, {"mesh/b.stl", "\0\1\2", 3}};
  return (crd_outcome_source){.input = "a.xml",
                              .nfile = 2,
                              .file = file,
                              .nq = example->model->nq,
                              .nv = example->model->nv,
                              .qpos = example->model->key[0].qpos,
                              .qvel = example->model->key[0].qvel};
}

static crd_outcome_set sample(const crd_contact_problem *problem, int threads) {
  crd_outcome_options options = crd_outcome_default();
  crd_outcome_set set = {0};
  options.h = 0.3, options.steps = 10, options.samples = SAMPLES, options.seed = 7, options.threads = threads;
  assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
  return set;
}

/* The file of an example, at the path. */
static const double MARKED[2][3] = {{1, -2, 3}, {0.1, 1e-300, -0.0}};

/* The rocking block with two marks beside its set. */
static void write_marked(const char *path) {
  example_problem example = example_problem_open("rocking-block");
  crd_outcome_source source = source_of(&example);
  crd_outcome_set set = sample(example.problem, 1);
  crd_outcome_writer *writer;
  const crd_outcome_mark mark[] = {{"compliant", "k A / k B = 1", MARKED[0]}, {"compliant", "", MARKED[1]}};
  assert_int_equal(crd_io_outcomes_create(path, &source, &writer, NULL), CRD_OK);
  crd_io_outcomes_add(writer, &(crd_outcome_record){.problem = example.problem, .set = &set});
  crd_io_outcomes_mark(writer, 2, mark, 3);
  assert_int_equal(crd_io_outcomes_commit(writer, NULL), CRD_OK);
  crd_outcome_free(&set);
  example_problem_close(&example);
}

static void marks_come_back(void **state) {
  (void)state;
  char *path = file_name("marked.h5");
  crd_outcome_file file = {0};
  crd_error err = {0};
  write_marked(path);
  if (crd_io_read_outcomes(path, &file, &err)) fail_msg("%s", err.text);
  assert_int_equal(file.nmark, 2);
  assert_string_equal(file.mark[0].law, "compliant");
  assert_string_equal(file.mark[0].label, "k A / k B = 1");
  assert_string_equal(file.mark[1].label, "");
  for (int i = 0; i < 2; i++) assert_memory_equal(file.mark[i].v_plus, MARKED[i], sizeof MARKED[i]);
  crd_io_outcome_file_free(&file);
  free(path);
}

static void write_example(const char *name, const char *path, int threads) {
  example_problem example = example_problem_open(name);
  crd_outcome_source source = source_of(&example);
  crd_outcome_set set = sample(example.problem, threads);
  crd_error err = {0};
  if (crd_io_write_outcomes(path, &source, example.problem, &set, &err)) fail_msg("%s", err.text);
  crd_outcome_free(&set);
  example_problem_close(&example);
}

static char *bytes_of(const char *path, size_t *size) {
  struct stat entry;
  assert_int_equal(stat(path, &entry), 0);
  *size = (size_t)entry.st_size;
  return program_read(path);
}

static void assert_same_bytes(const char *one, const char *other) {
  size_t size_one, size_other;
  char *a = bytes_of(one, &size_one), *b = bytes_of(other, &size_other);
  assert_int_equal(size_one, size_other);
  assert_memory_equal(a, b, size_one);
  free(a), free(b);
}

static void everything_comes_back(void **state) {
  (void)state;
  char *path = file_name("ramone.h5"), *again = file_name("again.h5");
  write_example("ramone", path, 1);
  example_problem example = example_problem_open("ramone");
  crd_outcome_set set = sample(example.problem, 1);
  crd_outcome_file file = {0};
  crd_error err = {0};
  if (crd_io_read_outcomes(path, &file, &err)) fail_msg("%s", err.text);
  assert_int_equal(file.count, 1);
  assert_string_equal(file.version, crd_version());
  assert_string_equal(file.source.input, "a.xml");
  assert_int_equal(file.source.nfile, 2);
  assert_memory_equal(file.source.file[0].data, MODEL, sizeof MODEL - 1);
  assert_string_equal(file.source.file[1].name, "mesh/b.stl");
  assert_int_equal(file.source.nq, example.model->nq);
  assert_null(file.source.parameter);
  const crd_contact_problem *problem = file.problem[0];
  size_t nv = (size_t)problem->nv;
  assert_memory_equal(problem->M, example.problem->M, nv * nv * sizeof(double));
  assert_memory_equal(problem->J, example.problem->J, (size_t)problem->nrow * nv * sizeof(double));
  assert_memory_equal(problem->v, example.problem->v, nv * sizeof(double));
  for (int c = 0; c < problem->nc; c++) {
    assert_string_equal(problem->contact[c].name, example.problem->contact[c].name);
    assert_true(problem->contact[c].mu == example.problem->contact[c].mu);
    assert_memory_equal(problem->contact[c].point, example.problem->contact[c].point, 3 * sizeof(double));
  }
  const crd_outcome_set *read = &file.set[0];
  assert_int_equal(read->samples, SAMPLES);
  assert_memory_equal(read->v_plus, set.v_plus, SAMPLES * nv * sizeof(double));
  assert_memory_equal(read->lcps, set.lcps, SAMPLES * sizeof *set.lcps);
  assert_memory_equal(read->ending, set.ending, SAMPLES);
  assert_memory_equal(read->ended, set.ended, sizeof set.ended);
  assert_memory_equal(read->extent, set.extent, (size_t)set.nrow * sizeof *set.extent);
  assert_true(read->options.seed == 7 && read->options.h == 0.3 && read->options.steps == 10);
  assert_int_equal(read->options.selection, set.options.selection);
  assert_int_equal(read->claim, CRD_OUTCOME_INNER);
  assert_true(read->energy_ratio.max == set.energy_ratio.max && read->total_lcps == set.total_lcps);
  /* what was read, written again, is the same file except for W, which is computed anew */
  crd_outcome_source source = file.source;
  memcpy(file.problem[0]->W, example.problem->W, (size_t)problem->nrow * (size_t)problem->nrow * sizeof(double));
  assert_int_equal(crd_io_write_outcomes(again, &source, file.problem[0], &file.set[0], &err), CRD_OK);
  assert_same_bytes(path, again);
  crd_io_outcome_file_free(&file);
  crd_outcome_free(&set);
  example_problem_close(&example);
  free(path), free(again);
}

static void threads_do_not_show(void **state) {
  (void)state;
  char *one = file_name("one.h5"), *two = file_name("two.h5");
  write_example("disk-stack", one, 1);
  write_example("disk-stack", two, 2);
  assert_same_bytes(one, two);
  free(one), free(two);
}

static void a_sweep_holds_several_sets(void **state) {
  (void)state;
  char *path = file_name("sweep.h5");
  example_problem example = example_problem_open("rocking-block");
  crd_outcome_source source = source_of(&example);
  source.parameter = "mu";
  crd_outcome_writer *writer;
  crd_error err = {0};
  assert_int_equal(crd_io_outcomes_create(path, &source, &writer, &err), CRD_OK);
  for (int i = 0; i < 3; i++) {
    for (int c = 0; c < 2; c++) example.problem->contact[c].mu = 0.5 * i;
    crd_outcome_set set = sample(example.problem, 1);
    crd_io_outcomes_add(writer, &(crd_outcome_record){.value = 0.5 * i, .problem = example.problem, .set = &set});
    crd_outcome_free(&set);
  }
  assert_int_equal(crd_io_outcomes_commit(writer, &err), CRD_OK);
  crd_outcome_file file = {0};
  if (crd_io_read_outcomes(path, &file, &err)) fail_msg("%s", err.text);
  assert_string_equal(file.source.parameter, "mu");
  assert_int_equal(file.count, 3);
  assert_true(file.value[2] == 1 && file.problem[1]->contact[0].mu == 0.5 && file.problem[0]->contact[1].mu == 0);
  assert_int_equal(file.set[2].samples, SAMPLES);
  crd_io_outcome_file_free(&file);
  example_problem_close(&example);
  free(path);
}

static void a_problem_without_its_matrices_is_refused(void **state) {
  (void)state;
  char *path = file_name("none.h5");
  example_problem example = example_problem_open("rocking-block");
  crd_outcome_source source = source_of(&example);
  crd_outcome_set set = sample(example.problem, 1);
  crd_contact_problem bare = *example.problem;
  crd_error err = {0};
  bare.M = NULL;
  assert_int_equal(crd_io_write_outcomes(path, &source, &bare, &set, &err), CRD_ERR_ARGUMENT);
  assert_null(fopen(path, "rb"));
  crd_outcome_free(&set);
  example_problem_close(&example);
  free(path);
}

/* Changes to a good file, and the words that the refusal has to contain. */
typedef struct damage {
  const char *remove;  /* a dataset or group to be removed */
  const char *replace; /* then a dataset of this many doubles (rows x columns) stands there */
  hsize_t rows, columns;
  const char *says;
} damage;

static void apply_damage(const char *path, const damage *d) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_true(H5Ldelete(file, d->remove, H5P_DEFAULT) >= 0);
  if (d->replace) {
    const hsize_t size[2] = {d->rows, d->columns};
    double value[64] = {0};
    value[0] = NAN;
    hid_t space = H5Screate_simple(d->columns ? 2 : 1, size, NULL);
    hid_t data = H5Dcreate2(file, d->replace, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(data >= 0);
    if (d->rows * (d->columns ? d->columns : 1) <= 64)
      assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(data), H5Sclose(space);
  }
  h5_reseal(file);
  assert_true(H5Fclose(file) >= 0);
}

static void damaged_files_are_refused_by_name(void **state) {
  (void)state;
  static const damage list[] = {
      {"/v_plus", NULL, 0, 0, "/v_plus: found nothing"},
      {"/v_plus", "/v_plus", 5, 3, "/v_plus: found size 5 in dimension 1, expected 3000"},
      {"/v_plus", "/v_plus", SAMPLES, 0, "/v_plus: found 1 dimensions, expected 2"},
      {"/v_plus", "/v_plus", SAMPLES, 3, "fewer bytes"},
      {"/ending", NULL, 0, 0, "/ending"},
      {"/lcps", "/lcps", 4, 0, "integers"},
      {"/extent", NULL, 0, 0, "/extent"},
      {"/problem/M", "/problem/M", 3, 3, "problem/M: expected finite numbers"},
      {"/problem/M", "/problem/M", 3, 2, "/problem/M"},
      {"/problem/J", NULL, 0, 0, "/problem/J"},
      {"/problem/contact_name", NULL, 0, 0, "/problem/contact_name"},
      {"/problem", NULL, 0, 0, "/problem"},
      {"/state/qpos", NULL, 0, 0, "/state/qpos"},
      {"/mark/label", NULL, 0, 0, "/mark/label"},
      {"/mark/v_plus", "/mark/v_plus", 2, 2, "/mark/v_plus: found size 2 in dimension 2, expected 3"},
      {"/mark/v_plus", "/mark/v_plus", 2, 3, "/mark/v_plus: expected finite numbers"},
  };
  char *good = file_name("good.h5"), *bad = file_name("bad.h5");
  write_marked(good);
  size_t size;
  char *bytes = bytes_of(good, &size);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    assert_int_equal(crd_io_write_file(bad, bytes, size, NULL), CRD_OK);
    apply_damage(bad, &list[i]);
    crd_outcome_file file = {0};
    crd_error err = {0};
    crd_status status = crd_io_read_outcomes(bad, &file, &err);
    if (status >= 0) fail_msg("damage %zu passed", i);
    if (!strstr(err.text, list[i].says)) fail_msg("'%s' does not say '%s'", err.text, list[i].says);
    assert_string_equal(err.file, bad);
    assert_int_equal(file.count, 0);
  }
  for (size_t length = 0; length < size; length += size / 13) {
    crd_outcome_file file = {0};
    assert_int_equal(crd_io_write_file(bad, bytes, length, NULL), CRD_OK);
    assert_int_equal(crd_io_read_outcomes(bad, &file, NULL), CRD_ERR_FORMAT);
  }
  free(bytes), free(good), free(bad);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_comes_back),
      cmocka_unit_test(threads_do_not_show),
      cmocka_unit_test(marks_come_back),
      cmocka_unit_test(a_sweep_holds_several_sets),
      cmocka_unit_test(a_problem_without_its_matrices_is_refused),
      cmocka_unit_test(damaged_files_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
