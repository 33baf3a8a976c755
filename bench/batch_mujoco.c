#include "batch_mujoco.h"

#include <stdio.h>

#ifdef CRADLE_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

struct batch_mujoco {
  mjModel *model;
  mjData **data;
  int members;
};

/* The matrix of njmax x njmax rows makes an mjData large (3 MB for Gymnasium's ant, 14 GB for 4096 of them). The room for rows
 * and contacts is halved until a member takes no more than this; batch_mujoco_crowded tells whether it was enough. */
static const int MOST_BYTES = 1 << 20;

static void make_room(mjModel *model) {
  for (mjData *data; (data = mj_makeData(model)) && data->nbuffer > MOST_BYTES && model->nconmax > 1;) {
    model->njmax /= 2, model->nconmax /= 2;
    mj_deleteData(data);
  }
}

static void stay_silent(const char *text) { (void)text; }

batch_mujoco *batch_mujoco_new(const char *path, int members, char *message, size_t size) {
  batch_mujoco *batch = calloc(1, sizeof *batch);
  message[0] = 0;
  mju_user_warning = stay_silent; /* they are counted */
  if (batch) batch->model = mj_loadXML(path, NULL, message, (int)size);
  if (batch && batch->model) {
    make_room(batch->model);
    batch->data = calloc((size_t)members, sizeof *batch->data);
  }
  for (; batch && batch->data && batch->members < members; batch->members++)
    if (!(batch->data[batch->members] = mj_makeData(batch->model))) break;
  if (batch && batch->data && batch->members == members) return batch;
  if (!message[0]) snprintf(message, size, "no memory");
  batch_mujoco_free(batch);
  return NULL;
}

void batch_mujoco_free(batch_mujoco *batch) {
  if (!batch) return;
  for (int i = 0; batch->data && i < batch->members; i++) mj_deleteData(batch->data[i]);
  free(batch->data);
  if (batch->model) mj_deleteModel(batch->model);
  free(batch);
}

int batch_mujoco_nu(const batch_mujoco *batch) { return batch->model->nu; }

void batch_mujoco_step(batch_mujoco *batch, const double *ctrl, int steps, int threads) {
  const size_t nu = (size_t)batch->model->nu, row = nu * (size_t)batch->members;
  (void)threads;
  for (int k = 0; k < steps; k++) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 32) num_threads(threads)
#endif
    for (int i = 0; i < batch->members; i++) {
      memcpy(batch->data[i]->ctrl, ctrl + row * (size_t)k + nu * (size_t)i, nu * sizeof *ctrl);
      mj_step(batch->model, batch->data[i]);
    }
  }
}

int batch_mujoco_crowded(const batch_mujoco *batch) {
  int count = 0;
  for (int i = 0; i < batch->members; i++)
    count += batch->data[i]->warning[mjWARN_CONTACTFULL].number + batch->data[i]->warning[mjWARN_CNSTRFULL].number > 0;
  return count;
}

#else
batch_mujoco *batch_mujoco_new(const char *path, int members, char *message, size_t size) {
  (void)path, (void)members;
  snprintf(message, size, "built without MuJoCo");
  return NULL;
}
void batch_mujoco_free(batch_mujoco *batch) { (void)batch; }
int batch_mujoco_nu(const batch_mujoco *batch) { return (void)batch, 0; }
void batch_mujoco_step(batch_mujoco *batch, const double *ctrl, int steps, int threads) {
  (void)batch, (void)ctrl, (void)steps, (void)threads;
}
int batch_mujoco_crowded(const batch_mujoco *batch) { return (void)batch, 0; }
#endif
