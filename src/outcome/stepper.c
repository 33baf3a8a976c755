/* Single steps and paths, for tests, pictures and whoever wants to see inside. */
#include <stdlib.h>
#include <string.h>

#include "outcome/engine.h"

struct crd_outcome_stepper {
  outcome_engine engine;
  outcome_worker worker;
  double *x; /* stride */
};

crd_status crd_outcome_stepper_new(const crd_contact_problem *problem, const crd_outcome_options *options,
                                   crd_outcome_stepper **stepper) {
  crd_outcome_stepper *s = calloc(1, sizeof *s);
  *stepper = NULL;
  if (options->restitution) return free(s), CRD_ERR_ARGUMENT; /* its steps are not those of (75) */
  if (!s) return CRD_ERR_MEMORY;
  crd_status status = outcome_engine_begin(&s->engine, problem, options);
  if (status == CRD_OK) status = outcome_worker_begin(&s->worker, &s->engine);
  if (status == CRD_OK) {
    s->x = crd_arena_alloc(&s->worker.arena, (size_t)s->engine.table.stride, sizeof *s->x);
    if (!s->x) status = CRD_ERR_MEMORY;
  }
  if (status == CRD_OK)
    *stepper = s;
  else
    crd_outcome_stepper_free(s);
  return status;
}

void crd_outcome_stepper_free(crd_outcome_stepper *stepper) {
  if (!stepper) return;
  outcome_worker_end(&stepper->worker);
  outcome_engine_end(&stepper->engine);
  free(stepper);
}

/* A fitting mode at x, -1 where none fits. */
static int first_entry(const outcome_engine *engine, const double *x) {
  int entry = engine->kernels->fit(&engine->table, x);
  return entry < engine->table.count ? entry : -1;
}

crd_status crd_outcome_step_all(crd_outcome_stepper *s, const double *v, const double *lambda_max, double *v_next,
                                int capacity, int *count) {
  const outcome_engine *engine = &s->engine;
  *count = 0;
  outcome_coordinates(&engine->reduced, v, s->x);
  memcpy(s->x + engine->table.rank, lambda_max, sizeof *s->x * (size_t)engine->table.nc);
  crd_status status = outcome_worker_answers(&s->worker, s->x, first_entry(engine, s->x));
  if (s->worker.answers == 0) return status;
  for (int i = 0; i < s->worker.answers && *count < capacity; i++)
    outcome_velocity(&engine->reduced, s->worker.answer + (size_t)s->worker.answer_stride * (size_t)i,
                     v_next + (size_t)engine->reduced.nv * (size_t)(*count)++);
  return s->worker.answers > capacity ? CRD_LIMIT : status;
}

crd_status crd_outcome_path(crd_outcome_stepper *s, uint64_t sample, double *v, double *lambda_max, int capacity,
                            int *count, crd_outcome_end *ending) {
  const outcome_engine *engine = &s->engine;
  const crd_outcome_options *options = &engine->options;
  size_t nv = (size_t)engine->reduced.nv, nc = (size_t)engine->table.nc;
  int most = options->steps + (engine->net.last_step > 0); /* Algorithm 2 takes one more */
  if (capacity < most + 1) return CRD_ERR_CAPACITY;
  memcpy(s->x, engine->reduced.y0, sizeof *s->x * (size_t)engine->table.rank);
  outcome_velocity(&engine->reduced, s->x, v);
  *count = 1, *ending = CRD_OUTCOME_DONE;
  for (uint32_t step = 0; engine->kernels->approaches(&engine->table, s->x); step++) {
    if (step == (uint32_t)most) {
      *ending = CRD_OUTCOME_STEPS;
      break;
    }
    const outcome_draw draw = {options->seed, sample, step};
    double *bound = s->x + engine->table.rank;
    outcome_draw_bounds(&draw, options->pattern, (int)nc, bound);
    for (size_t c = 0; c < nc; c++)
      bound[c] = step < (uint32_t)options->steps ? bound[c] * options->h : engine->net.last_step;
    if (lambda_max) memcpy(lambda_max + nc * step, bound, sizeof *bound * nc);
    const double *y = outcome_worker_step(&s->worker, &draw, s->x, first_entry(engine, s->x));
    if (!y) {
      *ending = CRD_OUTCOME_UNSOLVED;
      break;
    }
    memcpy(s->x, y, sizeof *y * (size_t)engine->table.rank);
    outcome_velocity(&engine->reduced, s->x, v + nv * (size_t)(*count)++);
  }
  return CRD_OK;
}
