/* The inside of a batch: members as bytes, threads with a simulation each. */
#ifndef SRC_BATCH_MEMBERS_H
#define SRC_BATCH_MEMBERS_H

#include <cradle/batch.h>
#include <stdatomic.h>

/* A member between calls: what crd_sim_save wrote. */
typedef struct batch_member {
  char *bytes;
  size_t size, room;
  char *message; /* why it failed; NULL: it has not since the batch was made */
} batch_member;

/* Working memory of a thread. */
typedef struct batch_worker {
  crd_batch *batch;
  crd_sim *sim;
  bool asks; /* it is that of the thread that called, which asks the caller whether to stop */
} batch_worker;

struct crd_batch {
  const crd_model *model;
  crd_batch_options options;
  crd_arena arena;
  batch_member *member; /* count */
  batch_worker *worker; /* threads */
  int threads;
  double *ctrl, *qpos, *qvel, *act, *time, *sensors; /* rows of all members */
  uint64_t *seed;                                    /* count */
  crd_status *status;                                /* count */
  bool *listed;                                      /* count: scratch of a reset, false between calls */
  atomic_bool stopped;                               /* the caller wants the call under way to end */
};

/* The member's state into the worker's simulation, without its controls; and back into the member and the rows of the
 * arrays. CRD_ERR_MEMORY: the member is as it was. */
crd_status batch_load(const crd_batch *batch, int member, crd_sim *sim);
crd_status batch_store(crd_batch *batch, int member, const crd_sim *sim);

/* Notes how the member ended; text NULL: the status's own. */
void batch_note(crd_batch *batch, int member, crd_status status, const char *text);

/* Does the caller want the call to end? context: a batch_worker. */
bool batch_stops(void *context);

#endif
