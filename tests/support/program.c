/* Runs the cradle program through the shell, with its output in files of a folder of the test's own. */
#define _POSIX_C_SOURCE 200809L
#include "support/program.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka_all.h"

static const char *folder(void) {
  static char name[512];
  if (!name[0]) {
    snprintf(name, sizeof name, "%s/tests/run-%ld", CRADLE_BINARY_DIR, (long)getpid());
    assert_int_equal(mkdir(name, 0777), 0);
  }
  return name;
}

const char *program_file(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder(), name);
  return path;
}

char *program_read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t size = 0, capacity = 4096;
  char *text = malloc(capacity);
  assert_non_null(text);
  for (size_t got; (got = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
    size += got;
    if (size + 1 == capacity) assert_non_null(text = realloc(text, capacity *= 2));
  }
  text[size] = 0;
  fclose(file);
  return text;
}

void program_write(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

program_run program(const char *arguments) {
  char command[8192], error[1024];
  snprintf(error, sizeof error, "%s", program_file("stderr"));
  int length = snprintf(command, sizeof command, "{ { '%s/cradle' %s ; } ; } >'%s' 2>'%s'", CRADLE_BINARY_DIR,
                        arguments, program_file("stdout"), error);
  assert_true(length > 0 && (size_t)length < sizeof command);
  int status = system(command);
  program_run run = {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), NULL, NULL};
  run.out = program_read(program_file("stdout"));
  run.error = program_read(error);
  assert_non_null(run.out);
  assert_non_null(run.error);
  return run;
}

void program_free(program_run *run) {
  free(run->out);
  free(run->error);
}

void program_folder_remove(void) {
  DIR *dir = opendir(folder());
  if (!dir) return;
  for (const struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_name[0] != '.') remove(program_file(entry->d_name));
  closedir(dir);
  rmdir(folder());
}

int program_remove_folder(void **state) {
  (void)state;
  program_folder_remove();
  return 0;
}

int program_folder_holds(size_t count, const char *const *name) {
  for (size_t i = 0; i < count; i++) assert_int_equal(remove(program_file(name[i])), 0);
  return rmdir(folder());
}

void program_assert_refused(const program_refusal *bad, size_t count) {
  for (size_t i = 0; i < count; i++) {
    program_run run = program(bad[i].arguments);
    if (run.code != 1 || run.out[0] || !strstr(run.error, bad[i].says))
      fail_msg("cradle %s: exit %d, stdout '%s', stderr '%s'", bad[i].arguments, run.code, run.out, run.error);
    program_free(&run);
  }
}

const json_t *program_at(const json_t *object, const char *path) {
  char key[64];
  while (object && *path) {
    size_t length = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    object = json_is_array(object) ? json_array_get(object, (size_t)atoi(key)) : json_object_get(object, key);
    path += length + (path[length] == '.');
  }
  if (!object) fail_msg("the key '%s' is missing", key);
  return object;
}

json_t *program_json(const char *arguments) {
  program_run run = program(arguments);
  json_error_t error = {0};
  if (run.code != 0) fail_msg("cradle %s: exit %d, %s", arguments, run.code, run.error);
  json_t *object = json_loads(run.out, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(object)) fail_msg("cradle %s: %s in '%s'", arguments, error.text, run.out);
  program_free(&run);
  return object;
}
