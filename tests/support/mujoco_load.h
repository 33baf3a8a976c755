/* Loads MJCF text into MuJoCo. For tests of the folder mujoco only: needs its library. */
#ifndef TESTS_MUJOCO_LOAD_H
#define TESTS_MUJOCO_LOAD_H

#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

/* The model, or NULL with MuJoCo's message. */
static inline mjModel *mujoco_try_load(const char *xml, char message[300]) {
  mjVFS *vfs = malloc(sizeof *vfs);
  assert_non_null(vfs);
  message[0] = 0;
  mj_defaultVFS(vfs);
  mj_makeEmptyFileVFS(vfs, "model.xml", (int)strlen(xml) + 1);
  memcpy(vfs->filedata[0], xml, strlen(xml) + 1);
  mjModel *model = mj_loadXML("model.xml", vfs, message, 300);
  mj_deleteVFS(vfs);
  free(vfs);
  return model;
}

static inline mjModel *mujoco_load(const char *xml) {
  char message[300];
  mjModel *model = mujoco_try_load(xml, message);
  if (!model) fail_msg("MuJoCo: %s", message);
  return model;
}

#endif
