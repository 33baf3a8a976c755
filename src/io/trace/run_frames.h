/* The frames of a trace that a page shows. */
#ifndef CRADLE_SRC_IO_RUN_FRAMES_H
#define CRADLE_SRC_IO_RUN_FRAMES_H

#include <cradle/io.h>

/* Rows evenly spread over the time where there are more than a page needs, and all events (up to a number) at their own
 * instants with their own states. */
typedef struct crd_run_frames {
  size_t count;
  const double **qpos, **qvel; /* count */
  double *t;                   /* count, rising */
  size_t *row;                 /* count: the row whose contacts belong to the frame */
  bool *is_row;                /* count: it is that row itself, no event */
} crd_run_frames;

/* In the arena; CRD_ERR_MEMORY. */
crd_status crd_run_frames_choose(const crd_trace *trace, crd_arena *arena, crd_run_frames *frames);

#endif
