/* The pilot: the first samples of the seed, computed step by step with everything looked at, so that the table knows
 * which modes are frequent, which are likely where and, where not all modes can be listed, which there are at all.
 *
 * It depends on the problem, the options and the seed only, never on which samples are asked for or by whom; after it
 * the table does not change. So the result is the same for any number of threads and processes. */
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "outcome/engine.h"
#include "outcome/guide.h"

enum {
  LEAST_SAMPLES = 1024,
  MOST_SAMPLES = 1 << 15, /* where modes have to be found: as long as new ones keep coming */
  QUIET = 2048,           /* samples without a new mode that end the search */
  MOST_STEPS = 1 << 16,   /* of all samples */
  RIVAL_POINTS = 4096     /* steps at which modes are tried against each other */
};

typedef struct pilot {
  outcome_engine *engine;
  outcome_worker worker;
  outcome_mode_work modes;
  outcome_contact_mode *mode; /* nc */
  int steps;
  double *point; /* MOST_STEPS x stride: x of every step, */
  int *entry;    /* MOST_STEPS: and the entry that fitted, by order of adding; -1: none */
  double *x;     /* stride */
  bool learned;
} pilot;

/* Adds the mode of the step that was just solved at x, or its basis where that is no regular mode. */
static crd_status learn(pilot *p, const double *x) {
  outcome_engine *engine = p->engine;
  outcome_table *table = &engine->table;
  const outcome_map *map[2] = {NULL, NULL};
  if (outcome_step_mode(&p->worker.lcp, p->mode) && outcome_mode_map(&p->modes, p->mode)) map[0] = &p->modes.map;
  if (outcome_step_map(&p->worker.lcp)) map[1] = &p->worker.lcp.map;
  for (int i = 0; i < 2; i++) {
    if (!map[i] || table->count == table->capacity) continue;
    crd_status status = outcome_table_add(table, map[i], -1, &engine->arena);
    if (status != CRD_OK) return status;
    p->learned = true;
    if (engine->kernels->find(table, x, table->count - 1) < table->count) return CRD_OK;
    table->count--; /* degenerate: its conditions fail at its own solution */
  }
  return CRD_OK;
}

/* One step of a pilot sample from p->x; false where it ends or fails. */
static bool take_step(pilot *p, const outcome_draw *draw, crd_status *status) {
  outcome_engine *engine = p->engine;
  outcome_table *table = &engine->table;
  double *x = p->x, *bound = x + table->rank;
  outcome_draw_bounds(draw, engine->options.pattern, table->nc, bound);
  for (int c = 0; c < table->nc; c++) bound[c] *= engine->options.h;
  memcpy(p->point + (size_t)table->stride * (size_t)p->steps, x, sizeof *x * (size_t)table->stride);
  int entry = engine->kernels->find(table, x, 0);
  if (entry == table->count && !table->complete &&
      outcome_step_solve(&p->worker.lcp, x, NULL, p->worker.raw) == CRD_OK) {
    *status = learn(p, x);
    entry = engine->kernels->find(table, x, 0);
  }
  entry = entry < table->count ? entry : -1;
  p->entry[p->steps++] = entry;
  if (entry >= 0) table->entry[entry].hits++;
  const double *y = outcome_worker_step(&p->worker, draw, x, entry);
  if (!y) return false;
  memcpy(x, y, sizeof *x * (size_t)table->rank);
  return *status == CRD_OK && p->steps < MOST_STEPS && engine->kernels->approaches(table, x);
}

static crd_status run_samples(pilot *p) {
  outcome_engine *engine = p->engine;
  outcome_table *table = &engine->table;
  crd_status status = CRD_OK;
  uint64_t most = table->complete ? LEAST_SAMPLES : MOST_SAMPLES, quiet_since = 0;
  if (!engine->kernels->approaches(table, engine->reduced.y0)) return CRD_OK;
  for (uint64_t sample = 0; sample < most && p->steps < MOST_STEPS && status == CRD_OK && !crd_interrupted();
       sample++) {
    p->learned = false;
    memcpy(p->x, engine->reduced.y0, sizeof *p->x * (size_t)table->rank);
    for (int step = 0; step < engine->options.steps && !crd_interrupted(); step++) {
      const outcome_draw draw = {engine->options.seed, sample, (uint32_t)step};
      if (!take_step(p, &draw, &status)) break;
    }
    if (p->learned) quiet_since = sample;
    if (sample - quiet_since >= QUIET) break;
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------ results */

static crd_status build_guide(pilot *p) {
  outcome_table *table = &p->engine->table;
  int *place = crd_arena_alloc(&p->worker.arena, (size_t)table->count, sizeof *place);
  if (!place) return CRD_ERR_MEMORY;
  for (int i = 0; i < table->count; i++) place[table->entry[i].order] = i;
  for (int i = 0; i < p->steps; i++)
    if (p->entry[i] >= 0) p->entry[i] = place[p->entry[i]];
  const outcome_points points = {.count = p->steps, .stride = table->stride, .x = p->point, .entry = p->entry};
  return outcome_guide_build(table, &points, &p->engine->arena, &p->worker.arena);
}

/* Where the modes were found by the way: those that hold together at a point with different y' are rivals, as far as
 * the pilot can tell. */
static crd_status meet_rivals(pilot *p) {
  outcome_engine *engine = p->engine;
  outcome_table *table = &engine->table;
  size_t count = (size_t)table->count;
  unsigned char *pair = calloc(count * count + 1, 1);
  if (!pair) return CRD_ERR_MEMORY;
  for (int n = 0; n < p->steps && n < RIVAL_POINTS; n++) {
    const double *x = p->point + (size_t)table->stride * (size_t)n;
    int held = 0, *list = p->worker.held;
    for (int i = 0; (i = engine->kernels->find(table, x, i)) < table->count; i++) list[held++] = i;
    for (int i = 0; i < held; i++)
      for (int j = 0; j < i; j++) {
        size_t a = (size_t)list[i], b = (size_t)list[j];
        if (!pair[count * a + b] && outcome_worker_differ(&p->worker, x, list[i], list[j]))
          pair[count * a + b] = pair[count * b + a] = 1;
      }
  }
  crd_status status = CRD_OK;
  for (size_t i = 0; i < count && status == CRD_OK; i++) {
    int found = 0, *list = p->worker.held;
    for (size_t j = 0; j < count; j++)
      if (pair[count * i + j]) list[found++] = (int)j;
    int *rival = crd_arena_alloc(&engine->arena, (size_t)found, sizeof *rival);
    if (!rival) status = CRD_ERR_MEMORY;
    if (rival) memcpy(rival, list, sizeof *rival * (size_t)found);
    table->entry[i].rival = rival, table->entry[i].rivals = rival ? found : 0;
  }
  free(pair);
  return status;
}

static crd_status begin(pilot *p, outcome_engine *engine) {
  *p = (pilot){.engine = engine};
  outcome_table *table = &engine->table;
  crd_status status = outcome_worker_begin(&p->worker, engine);
  if (status == CRD_OK) status = outcome_mode_begin(&p->modes, &engine->reduced, &engine->facets, &p->worker.arena);
  if (status != CRD_OK) return status;
  return CRD_TAKE(&p->worker.arena, CRD_ARRAY(p->mode, table->nc), CRD_ARRAY(p->entry, MOST_STEPS),
                  CRD_ARRAY(p->x, table->stride), CRD_MATRIX(p->point, MOST_STEPS, table->stride));
}

crd_status outcome_pilot(outcome_engine *engine) {
  pilot p;
  crd_status status = begin(&p, engine);
  if (status == CRD_OK) status = run_samples(&p);
  if (status == CRD_OK) status = outcome_table_sort(&engine->table, &engine->arena);
  const bool goes_on = crd_interrupt_status() == CRD_OK; /* else no sample will ask for what follows */
  if (status == CRD_OK && goes_on) status = build_guide(&p);
  if (status == CRD_OK && goes_on && !engine->table.complete) status = meet_rivals(&p);
  for (int i = 0; status == CRD_OK && engine->enumerate && i < engine->table.count; i++)
    engine->table.entry[i].rivals = -1;
  outcome_worker_end(&p.worker);
  return status;
}
