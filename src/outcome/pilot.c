/* The pilot: the first samples of the seed, computed step by step with everything looked at, so that the table knows
 * which modes are frequent (they are tried first) and, where not all modes can be listed, which there are at all.
 *
 * It depends on the problem, the options and the seed only, never on which samples are asked for or by whom; after it
 * the table does not change. So the result is the same for any number of threads and processes. */
#include <stdlib.h>
#include <string.h>

#include "outcome/engine.h"

enum { PILOT_SAMPLES = 512, MOST_POINTS = 16384 };

/* Adds the mode of the step that was just solved at x, or its basis where that is no regular mode. */
static crd_status learn(outcome_engine *engine, outcome_worker *worker, outcome_mode_work *work,
                        outcome_contact_mode *mode, const double *x) {
  outcome_table *table = &engine->table;
  const outcome_map *map[2] = {NULL, NULL};
  if (outcome_step_mode(&worker->lcp, mode) && outcome_mode_map(work, mode)) map[0] = &work->map;
  if (outcome_step_map(&worker->lcp)) map[1] = &worker->lcp.map;
  for (int i = 0; i < 2; i++) {
    if (!map[i] || table->count == table->capacity) continue;
    crd_status status = outcome_table_add(table, map[i], -1, &engine->arena);
    if (status != CRD_OK) return status;
    if (engine->kernels->holds(table, x, table->count - 1)) return CRD_OK;
    table->count--; /* degenerate: its conditions fail at its own solution */
  }
  return CRD_OK;
}

typedef struct pilot {
  outcome_engine *engine;
  outcome_worker *worker;
  outcome_mode_work modes;
  outcome_contact_mode *mode; /* nc */
  double *point;              /* MOST_POINTS x stride: the steps met, where the table is not complete */
  int points;
} pilot;

/* One step of a pilot sample: x becomes the next one; false where it ends or fails. */
static bool pilot_step(pilot *p, const outcome_draw *draw, double *x, crd_status *status) {
  outcome_engine *engine = p->engine;
  outcome_table *table = &engine->table;
  double *bound = x + table->rank;
  outcome_draw_bounds(draw, engine->options.pattern, table->nc, bound);
  for (int c = 0; c < table->nc; c++) bound[c] *= engine->options.h;
  if (!table->complete && p->points < MOST_POINTS)
    memcpy(p->point + (size_t)table->stride * (size_t)p->points++, x, sizeof *x * (size_t)table->stride);
  int entry = engine->kernels->find(table, x, 0);
  for (int i = entry; i < table->count; i = engine->kernels->find(table, x, i + 1)) table->entry[i].hits++;
  bool listed = entry < table->count;
  if (!listed && !table->complete && outcome_step_solve(&p->worker->lcp, x, NULL, p->worker->raw) == CRD_OK)
    *status = learn(engine, p->worker, &p->modes, p->mode, x);
  const double *y = outcome_worker_step(p->worker, draw, x, listed ? entry : -1);
  if (!y) return false;
  memcpy(x, y, sizeof *x * (size_t)table->rank);
  return *status == CRD_OK && engine->kernels->approaches(table, x);
}

/* Where the modes were found by the way: how often each holds at the points met, and which hold together with another
 * y'. Those are its rivals, as far as the pilot can tell. */
static crd_status meet_rivals(pilot *p) {
  outcome_engine *engine = p->engine;
  outcome_table *table = &engine->table;
  size_t count = (size_t)table->count;
  unsigned char *pair = calloc(count * count + 1, 1);
  if (!pair) return CRD_ERR_MEMORY;
  for (int n = 0; n < p->points; n++) {
    const double *x = p->point + (size_t)table->stride * (size_t)n;
    for (int i = engine->kernels->find(table, x, 0); i < table->count; i = engine->kernels->find(table, x, i + 1))
      for (int j = engine->kernels->find(table, x, i + 1); j < table->count; j = engine->kernels->find(table, x, j + 1))
        pair[count * (size_t)i + (size_t)j] |= (unsigned char)outcome_worker_differ(p->worker, x, i, j);
  }
  crd_status status = CRD_OK;
  for (size_t i = 0; i < count && status == CRD_OK; i++) {
    int found = 0, *rival = crd_arena_alloc(&engine->arena, count, sizeof *rival);
    if (!rival) status = CRD_ERR_MEMORY;
    for (size_t j = i + 1; rival && j < count; j++)
      if (pair[count * i + j]) rival[found++] = (int)j;
    table->entry[i].rival = rival, table->entry[i].rivals = found;
  }
  free(pair);
  return status;
}

static crd_status run(pilot *p) {
  outcome_engine *engine = p->engine;
  outcome_table *table = &engine->table;
  crd_status status = CRD_OK;
  double *x = crd_arena_alloc(&engine->arena, (size_t)table->stride, sizeof *x);
  if (!x) return CRD_ERR_MEMORY;
  for (uint64_t sample = 0; sample < PILOT_SAMPLES && status == CRD_OK; sample++) {
    memcpy(x, engine->reduced.y0, sizeof *x * (size_t)table->rank);
    if (!engine->kernels->approaches(table, x)) break;
    for (int step = 0; step < engine->options.steps; step++) {
      const outcome_draw draw = {engine->options.seed, sample, (uint32_t)step};
      if (!pilot_step(p, &draw, x, &status)) break;
    }
  }
  if (status != CRD_OK) return status;
  if (!table->complete) {
    for (int i = 0; i < table->count; i++) table->entry[i].hits = 0;
    for (int n = 0; n < p->points; n++) {
      const double *at = p->point + (size_t)table->stride * (size_t)n;
      for (int i = engine->kernels->find(table, at, 0); i < table->count; i = engine->kernels->find(table, at, i + 1))
        table->entry[i].hits++;
    }
  }
  status = outcome_table_sort(table, &engine->arena);
  return status == CRD_OK && !table->complete ? meet_rivals(p) : status;
}

crd_status outcome_pilot(outcome_engine *engine) {
  outcome_worker worker;
  pilot p = {.engine = engine, .worker = &worker};
  crd_status status = outcome_worker_begin(&worker, engine);
  if (status == CRD_OK) status = outcome_mode_begin(&p.modes, &engine->reduced, &engine->facets, &engine->arena);
  p.mode = crd_arena_alloc(&worker.arena, (size_t)engine->table.nc, sizeof *p.mode);
  size_t points = engine->table.complete ? 0 : MOST_POINTS;
  p.point = crd_arena_alloc(&worker.arena, points * (size_t)engine->table.stride, sizeof *p.point);
  if (status == CRD_OK && (!p.mode || !p.point)) status = CRD_ERR_MEMORY;
  if (status == CRD_OK) status = run(&p);
  outcome_worker_end(&worker);
  return status;
}
