/* Keyframes: lengths checked, missing values filled in. */
#include <cradle/linalg.h>

#include "model/build.h"

/* The stored array of a key, or the default where the key gives none. */
static crd_status key_array(crd_build *b, const crd_element *key, const char *what, const double *given, int count,
                            const double *standard, int expected, double **out) {
  double *copy = crd_arena_alloc(b->arena, (size_t)expected, sizeof *copy);
  if (!copy) return crd_build_no_memory(b);
  *out = copy;
  if (given && count != expected)
    return crd_build_fail(b, CRD_ERR_MODEL, key, "%s has %d numbers, must have %d", what, count, expected);
  for (int i = 0; i < expected; i++) copy[i] = given ? given[i] : standard ? standard[i] : 0;
  return CRD_OK;
}

/* Quaternions in qpos are scaled to length 1; a zero one means no rotation, as in MuJoCo. */
static void normalize_rotations(const crd_model *model, double *qpos) {
  for (int i = 0; i < model->njoint; i++) {
    if (model->joint[i].type == CRD_FREE) crd_quat_normalize(qpos + model->joint[i].q + 3);
    if (model->joint[i].type == CRD_BALL) crd_quat_normalize(qpos + model->joint[i].q);
  }
}

crd_status crd_build_keys(crd_build *b) {
  crd_key *key = crd_arena_alloc(b->arena, (size_t)b->model->nkey, sizeof *key);
  if (!key) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nkey; i++) {
    const crd_key_entry *entry = &b->key_def[i];
    crd_element element = crd_element_key(b, i);
    double *qpos = NULL, *qvel = NULL, *act = NULL, *ctrl = NULL;
    key[i].name = crd_build_text(b, entry->def.name);
    key[i].time = entry->def.time;
    CRD_TRY(key_array(b, &element, "qpos", entry->def.qpos, entry->nqpos, b->model->qpos0, b->model->nq, &qpos));
    CRD_TRY(key_array(b, &element, "qvel", entry->def.qvel, entry->nqvel, NULL, b->model->nv, &qvel));
    CRD_TRY(key_array(b, &element, "act", entry->def.act, entry->nact, NULL, b->model->nact, &act));
    CRD_TRY(key_array(b, &element, "ctrl", entry->def.ctrl, entry->nctrl, NULL, b->model->nactuator, &ctrl));
    normalize_rotations(b->model, qpos);
    key[i].qpos = qpos, key[i].qvel = qvel, key[i].act = act, key[i].ctrl = ctrl;
  }
  b->model->key = key;
  return CRD_OK;
}
