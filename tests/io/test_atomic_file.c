/* Claims: a written file appears whole or not at all, keeps its permissions, follows links, and leaves nothing beside
 * it. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static void assert_content(const char *path, const char *expected) {
  char *text = program_read(path);
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

static void a_new_file_and_a_replaced_one_hold_all_bytes(void **state) {
  (void)state;
  const char *path = program_file("a");
  assert_int_equal(crd_io_write_file(path, "one", 3, NULL), CRD_OK);
  assert_content(path, "one");
  assert_int_equal(crd_io_write_file(path, "two and more", 12, NULL), CRD_OK);
  assert_content(path, "two and more");
  assert_int_equal(crd_io_write_file(path, "", 0, NULL), CRD_OK);
  assert_content(path, "");
}

/* The longest name that a folder takes: the new file beside it has a shorter one of its own. Another name that begins alike
 * is another file. */
static void the_longest_names_are_written(void **state) {
  (void)state;
  enum { LONGEST = 255 };
  char name[LONGEST + 1], first[2048], second[2048];
  memset(name, 'n', LONGEST);
  name[LONGEST] = 0;
  snprintf(first, sizeof first, "%s", program_file(name));
  name[LONGEST - 1] = 'm';
  snprintf(second, sizeof second, "%s", program_file(name));
  crd_error err = {0};
  for (int i = 0; i < 2; i++) { /* new, and replaced */
    if (crd_io_write_file(first, "first", 5, &err)) fail_msg("%s", err.text);
    assert_int_equal(crd_io_write_file(second, "second", 6, NULL), CRD_OK);
  }
  assert_content(first, "first");
  assert_content(second, "second");
}

static void permissions_and_links_stay(void **state) {
  (void)state;
  char real[1024], name[1024];
  struct stat entry;
  snprintf(real, sizeof real, "%s", program_file("real"));
  snprintf(name, sizeof name, "%s", program_file("link"));
  program_write(real, "old");
  assert_int_equal(chmod(real, 0640), 0);
  assert_int_equal(symlink(real, name), 0);
  assert_int_equal(crd_io_write_file(name, "new", 3, NULL), CRD_OK);
  assert_content(real, "new");
  assert_int_equal(lstat(name, &entry), 0);
  assert_true(S_ISLNK(entry.st_mode));
  assert_int_equal(stat(real, &entry), 0);
  assert_int_equal(entry.st_mode & 07777, 0640);
}

static void a_new_file_has_the_permissions_of_any_new_file(void **state) {
  (void)state;
  const char *path = program_file("fresh");
  struct stat entry;
  mode_t before = umask(027);
  assert_int_equal(crd_io_write_file(path, "x", 1, NULL), CRD_OK);
  umask(before);
  assert_int_equal(stat(path, &entry), 0);
  assert_int_equal(entry.st_mode & 0777, 0640);
}

/* Root may write everything: the question is asked as somebody else. */
static void what_must_not_be_written_is_not_replaced(void **state) {
  (void)state;
  char path[1024];
  struct stat entry;
  crd_error err = {0};
  const uid_t me = geteuid();
  snprintf(path, sizeof path, "%s", program_file("fixed"));
  program_write(path, "old");
  assert_int_equal(chmod(path, 0444), 0);
  if (me == 0) { /* the folder itself may be written by all, so that a new name could be made there */
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = 0;
    assert_int_equal(stat(folder, &entry), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(seteuid(65534), 0);
  }
  const crd_status status = crd_io_write_file(path, "new", 3, &err);
  if (me == 0) assert_int_equal(seteuid(0), 0);
  assert_int_equal(status, CRD_ERR_FILE);
  assert_non_null(strstr(err.text, "Permission denied"));
  assert_content(path, "old");
}

static void failures_name_the_file_and_the_reason(void **state) {
  (void)state;
  static const struct {
    const char *path, *says;
  } bad[] = {{"/nonexistent/folder/file", "No such file"}, {"/dev/full", "No space left"}, {"/", "found a folder"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    crd_error err = {0};
    assert_int_equal(crd_io_write_file(bad[i].path, "x", 1, &err), CRD_ERR_FILE);
    assert_string_equal(err.file, bad[i].path);
    assert_non_null(strstr(err.text, bad[i].says));
  }
}

/* The folder holds what the tests above wrote and nothing else: no file beside was left. */
static int nothing_is_left_beside(void **state) {
  (void)state;
  static const char *const written[] = {"a", "real", "link", "fixed", "fresh"};
  return program_folder_holds(sizeof written / sizeof *written, written);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_file_and_a_replaced_one_hold_all_bytes),
      cmocka_unit_test(the_longest_names_are_written),
      cmocka_unit_test(permissions_and_links_stay),
      cmocka_unit_test(what_must_not_be_written_is_not_replaced),
      cmocka_unit_test(a_new_file_has_the_permissions_of_any_new_file),
      cmocka_unit_test(failures_name_the_file_and_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, nothing_is_left_beside);
}
