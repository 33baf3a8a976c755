/* Which frames of a trace a page shows: 60 of them a second or fewer, so that a long run stays small, and the events
 * exactly. */
#include "io/trace/run_frames.h"

#include <math.h>

#include "base/layout.h"

enum { MOST_FRAMES = 3600, MOST_NUMBERS = 1500000, MOST_EVENTS = 2000 };

static size_t most_frames(const crd_trace *trace) {
  size_t by_size = MOST_NUMBERS / (size_t)(trace->nq > 0 ? trace->nq : 1);
  return by_size < 300 ? 300 : by_size < MOST_FRAMES ? by_size : MOST_FRAMES;
}

/* The first row at or after time t. */
static size_t row_from(const crd_trace *trace, double t) {
  size_t low = 0, high = trace->nrow;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (trace->t[middle] < t)
      low = middle + 1;
    else
      high = middle;
  }
  return low < trace->nrow ? low : trace->nrow - 1;
}

/* The rows to show, rising, into `chosen` (room for most + 1); their number. */
static size_t choose_rows(const crd_trace *trace, size_t most, size_t *chosen) {
  size_t count = 0;
  if (trace->nrow <= most) {
    for (; count < trace->nrow; count++) chosen[count] = count;
    return count;
  }
  const double begin = trace->t[0], span = trace->t[trace->nrow - 1] - begin;
  for (size_t i = 0; i <= most - 1; i++) {
    size_t row = row_from(trace, begin + span * (double)i / (double)(most - 1));
    if (count == 0 || row > chosen[count - 1]) chosen[count++] = row;
  }
  if (chosen[count - 1] != trace->nrow - 1) chosen[count++] = trace->nrow - 1;
  return count;
}

static void add(crd_run_frames *frames, double t, const double *qpos, const double *qvel, size_t row, bool is_row) {
  frames->t[frames->count] = t, frames->qpos[frames->count] = qpos, frames->qvel[frames->count] = qvel;
  frames->row[frames->count] = row, frames->is_row[frames->count] = is_row;
  frames->count++;
}

crd_status crd_run_frames_choose(const crd_trace *trace, crd_arena *arena, crd_run_frames *frames) {
  const size_t most = most_frames(trace), nevent = trace->nevent <= MOST_EVENTS ? trace->nevent : 0;
  const size_t room = (trace->nrow < most ? trace->nrow : most) + nevent + 2, nq = (size_t)trace->nq,
               nv = (size_t)trace->nv;
  size_t *chosen;
  *frames = (crd_run_frames){0};
  if (CRD_TAKE(arena, CRD_ARRAY(chosen, room), CRD_ARRAY(frames->qpos, room), CRD_ARRAY(frames->qvel, room),
               CRD_ARRAY(frames->t, room), CRD_ARRAY(frames->row, room), CRD_ARRAY(frames->is_row, room)))
    return CRD_ERR_MEMORY;
  const size_t rows = trace->nrow ? choose_rows(trace, most, chosen) : 0;
  size_t event = 0;
  for (size_t i = 0; i < rows; i++) {
    const double t = trace->t[chosen[i]];
    for (; event < nevent && trace->event[event].t < t; event++) {
      const double at = trace->event[event].t;
      if (frames->count == 0 || at <= frames->t[frames->count - 1]) continue; /* one frame an instant is enough */
      add(frames, at, trace->event_qpos + nq * event, trace->event_qvel + nv * event, row_from(trace, at), false);
    }
    add(frames, t, trace->qpos + nq * chosen[i], trace->qvel + nv * chosen[i], chosen[i], true);
  }
  return CRD_OK;
}
