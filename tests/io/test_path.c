/* Claims: names inside a model file are looked up from the folder given; a file outside the model's folder, by "..", by
 * an absolute path or through a link, is refused unless allowed; what cannot be a file is refused with the reason. */
#define _XOPEN_SOURCE 700
#include "io/file/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cmocka_all.h"

static char top[256]; /* top/model is the model's folder, top/secret.stl lies outside */

static char *in_top(const char *name) {
  static char path[4][512];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", top, name);
  return path[next];
}

static void write_file(const char *path, const char *text) {
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
}

static int make_folders(void **state) {
  (void)state;
  snprintf(top, sizeof top, "%s/path-test-XXXXXX", CRADLE_BINARY_DIR);
  assert_non_null(mkdtemp(top));
  mkdir(in_top("model"), 0755);
  mkdir(in_top("model/meshes"), 0755);
  mkdir(in_top("model2"), 0755);
  write_file(in_top("model/meshes/a.stl"), "abc");
  write_file(in_top("secret.stl"), "secret");
  write_file(in_top("model2/b.stl"), "b");
  assert_int_equal(symlink(in_top("secret.stl"), in_top("model/link.stl")), 0);
  assert_int_equal(mkfifo(in_top("model/pipe.stl"), 0644), 0);
  return 0;
}

static int remove_folders(void **state) {
  (void)state;
  const char *names[] = {"model/pipe.stl", "model/link.stl", "model2/b.stl", "secret.stl", "model/meshes/a.stl"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(in_top(names[i]));
  rmdir(in_top("model2"));
  rmdir(in_top("model/meshes"));
  rmdir(in_top("model"));
  return rmdir(top);
}

static crd_status resolve(const char *name, bool allow_outside, crd_error *err) {
  crd_arena arena = {0};
  crd_path_scope scope = {in_top("model"), allow_outside, "robot.urdf", 7};
  char *path = NULL;
  crd_status status = crd_path_resolve(&arena, &scope, "mesh", scope.root, name, &path, err);
  assert_true((status == CRD_OK) == (path != NULL));
  crd_arena_free(&arena);
  return status;
}

static void parts_of_a_path(void **state) {
  (void)state;
  crd_arena arena = {0};
  assert_string_equal(crd_path_folder(&arena, "a/b/m.xml"), "a/b");
  assert_string_equal(crd_path_folder(&arena, "m.xml"), ".");
  assert_string_equal(crd_path_folder(&arena, "/m.xml"), "/");
  assert_string_equal(crd_path_base("a/b/m.xml"), "m.xml");
  assert_string_equal(crd_path_base("a\\b\\m.xml"), "m.xml");
  assert_string_equal(crd_path_extension("a.b/m.STL"), "STL");
  assert_string_equal(crd_path_extension("a.b/m"), "");
  assert_string_equal(crd_path_join(&arena, "a/", "b"), "a/b");
  assert_string_equal(crd_path_join(&arena, "a", "/b"), "/b");
  assert_string_equal(crd_path_join(&arena, ".", "b"), "b");
  assert_string_equal(crd_path_join(&arena, "a", "b\\c"), "a/b/c");
  crd_arena_free(&arena);
}

static void files_in_the_folder_are_found(void **state) {
  (void)state;
  assert_int_equal(resolve("meshes/a.stl", false, NULL), CRD_OK);
  assert_int_equal(resolve("meshes\\a.stl", false, NULL), CRD_OK);
  assert_int_equal(resolve("meshes/../meshes/a.stl", false, NULL), CRD_OK);
  assert_int_equal(resolve(in_top("model/meshes/a.stl"), false, NULL), CRD_OK);
}

static void leaving_the_folder_needs_permission(void **state) {
  (void)state;
  char absolute[512];
  snprintf(absolute, sizeof absolute, "%s", in_top("secret.stl"));
  const char *names[] = {"../secret.stl", "link.stl", "../model2/b.stl", "meshes/../../secret.stl", absolute};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    crd_error err = {0};
    assert_int_equal(resolve(names[i], false, &err), CRD_ERR_FILE);
    assert_non_null(strstr(err.text, "outside the model's folder"));
    assert_string_equal(err.file, "robot.urdf");
    assert_int_equal(err.line, 7);
    assert_int_equal(resolve(names[i], true, NULL), CRD_OK);
  }
}

static void missing_files_say_so(void **state) {
  (void)state;
  crd_error err = {0};
  assert_int_equal(resolve("none.stl", false, &err), CRD_ERR_FILE);
  assert_non_null(strstr(err.text, "cannot be found"));
  assert_int_equal(resolve("../none.stl", false, &err), CRD_ERR_FILE);
  assert_non_null(strstr(err.text, "outside the model's folder"));
  assert_int_equal(resolve("", false, &err), CRD_ERR_FORMAT);
}

static void only_regular_files_are_read(void **state) {
  (void)state;
  crd_arena arena = {0};
  char *data = NULL;
  size_t size = 0;
  crd_error err = {0};
  assert_int_equal(crd_path_read(&arena, in_top("model/meshes/a.stl"), &data, &size, &err), CRD_OK);
  assert_int_equal(size, 3);
  assert_string_equal(data, "abc");
  assert_int_equal(crd_path_read(&arena, in_top("model"), &data, &size, &err), CRD_ERR_FILE);
  assert_non_null(strstr(err.text, "folder"));
  assert_int_equal(crd_path_read(&arena, in_top("model/pipe.stl"), &data, &size, &err), CRD_ERR_FILE);
  assert_non_null(strstr(err.text, "pipe"));
  assert_int_equal(crd_path_read(&arena, in_top("nothing"), &data, &size, &err), CRD_ERR_FILE);
  assert_null(data);
  crd_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_a_path),
      cmocka_unit_test(files_in_the_folder_are_found),
      cmocka_unit_test(leaving_the_folder_needs_permission),
      cmocka_unit_test(missing_files_say_so),
      cmocka_unit_test(only_regular_files_are_read),
  };
  return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
