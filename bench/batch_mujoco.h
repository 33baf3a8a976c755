/* Many copies of a model in MuJoCo, stepped together by threads, for the benchmarks beside crd_batch (bench_batch.c, and
 * through a shared library python/bench/measure.py). Without MuJoCo there are none, and the message says so. */
#ifndef BENCH_BATCH_MUJOCO_H
#define BENCH_BATCH_MUJOCO_H

#include <stddef.h>

typedef struct batch_mujoco batch_mujoco;

/* `members` mjData of the model in the file, at its first state; NULL with a message. */
batch_mujoco *batch_mujoco_new(const char *path, int members, char *message, size_t size);
void batch_mujoco_free(batch_mujoco *batch);

int batch_mujoco_nu(const batch_mujoco *batch);
/* Steps all members; ctrl: steps x members x nu. */
void batch_mujoco_step(batch_mujoco *batch, const double *ctrl, int steps, int threads);
/* Members that ever had no room for a contact or a row, and so did less than was asked. */
int batch_mujoco_crowded(const batch_mujoco *batch);

#endif
