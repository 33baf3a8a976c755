/* Claim: robots of MuJoCo Menagerie and the models of Gymnasium are read strictly, all but those that are named here
 * with the reason of their refusal. The checkouts are read where they are (CRADLE_MENAGERIE, CRADLE_GYMNASIUM) and
 * nothing is tested where there are none; files whose meshes are missing there are left out. */
#define _POSIX_C_SOURCE 200809L /* opendir */
#include <cradle/io.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

typedef struct refusal {
  const char *file, *phrase; /* of the message */
} refusal;

static const refusal refused[] = {
    {"shadow_dexee/scene.xml", "plugins"},
};

typedef struct tally {
  int files, strict, missing;
} tally;

static const refusal *expected_refusal(const char *path) {
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    const size_t length = strlen(refused[i].file), all = strlen(path);
    if (all > length && path[all - length - 1] == '/' && strcmp(path + all - length, refused[i].file) == 0)
      return &refused[i];
  }
  return NULL;
}

static void read_robot(const char *path, tally *t) {
  crd_model *model;
  crd_error err = {0};
  crd_read_report report = {0};
  const crd_status status = crd_io_read_model(path, NULL, &model, &report, &err);
  const refusal *known = expected_refusal(path);
  t->files++;
  if (status == CRD_ERR_FILE) {
    t->missing++;
  } else if (status == CRD_OK) {
    t->strict++;
    assert_int_equal(report.nwarning, 0);
    for (int i = 0; i < report.count; i++) assert_string_not_equal(report.item[i].reason, "not understood");
    if (known) fail_msg("%s is read strictly now: take it from the list", path);
  } else if (!known || !strstr(err.text, known->phrase)) {
    fail_msg("%s: %s:%d: %s", path, err.file, err.line, err.text);
  }
  crd_model_free(model);
  crd_io_read_report_free(&report);
}

static bool is_scene(const char *name, const char *prefix) {
  const char *dot = strrchr(name, '.');
  return strncmp(name, prefix, strlen(prefix)) == 0 && dot && strcmp(dot, ".xml") == 0;
}

/* The files of one folder. */
static void read_folder(const char *folder, const char *prefix, tally *t) {
  DIR *list = opendir(folder);
  if (!list) return;
  for (const struct dirent *entry; (entry = readdir(list));) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (is_scene(entry->d_name, prefix)) read_robot(path, t);
  }
  closedir(list);
}

static void menagerie_reads_strictly(void **state) {
  (void)state;
  const char *root = getenv("CRADLE_MENAGERIE");
  DIR *list = root ? opendir(root) : NULL;
  if (!list) skip();
  tally t = {0};
  for (const struct dirent *entry; (entry = readdir(list));) {
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/%s", root, entry->d_name);
    if (entry->d_name[0] != '.') read_folder(folder, "scene", &t);
  }
  closedir(list);
  printf("Menagerie: %d of %d scenes read strictly, files of %d are missing\n", t.strict, t.files, t.missing);
}

static void gymnasium_reads_strictly(void **state) {
  (void)state;
  const char *root = getenv("CRADLE_GYMNASIUM");
  if (!root) skip();
  char folder[1024];
  tally t = {0};
  snprintf(folder, sizeof folder, "%s/gymnasium/envs/mujoco/assets", root);
  read_folder(folder, "", &t);
  printf("Gymnasium: %d of %d models read strictly, files of %d are missing\n", t.strict, t.files, t.missing);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(menagerie_reads_strictly),
                                     cmocka_unit_test(gymnasium_reads_strictly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
