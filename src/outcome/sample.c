/* Algorithm 2 (Approximate) of Halm & Posa: M runs of Algorithm 1 and what they have in common.
 *
 * Samples are computed in chunks, which threads take as they come; a chunk's result depends on its numbers only, and
 * the summary is made of counts, smallest and largest values, which do not depend on an order. The extra small step of
 * Algorithm 2 (line 5) is not needed: the tolerance of the approach test stands for it (errata). */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/layout.h"
#include "linalg/dense.h"
#include "outcome/engine.h"
#ifdef _OPENMP
#include <omp.h>
#endif

/* Samples between two questions whether to stop, which are answered within half a second: with restitution a sample can take
 * thousands of steps by Lemke's method, without it tens of microseconds. */
enum { CHUNK = OUTCOME_BATCH, CHUNK_RESTITUTION = 16 };

static uint64_t chunk_of(const crd_outcome_options *options) {
  return options->restitution ? CHUNK_RESTITUTION : CHUNK;
}

/* The samples [from, to) of the set; false: interrupted, the rest of them is missing. */
static bool run_chunk(outcome_worker *worker, crd_outcome_set *set, uint64_t from, uint64_t to, outcome_summary *s) {
  const outcome_engine *engine = worker->engine;
  for (uint64_t at = from; at < to; at += OUTCOME_BATCH) {
    int count = to - at < OUTCOME_BATCH ? (int)(to - at) : OUTCOME_BATCH;
    const uint64_t first = engine->options.first + at;
    if (!(engine->options.restitution ? outcome_elastic_run : outcome_worker_run)(worker, first, count)) return false;
    engine->kernels->finish(&engine->table, &engine->finish, &worker->batch, worker->ending,
                            set->v_plus + (size_t)set->nv * (size_t)at, s);
    memcpy(set->lcps + at, worker->batch.lcps, sizeof *set->lcps * (size_t)count);
    memcpy(set->ending + at, worker->ending, (size_t)count);
  }
  return true;
}

/* Data of one thread in the loop over chunks. */
typedef struct helper {
  outcome_worker worker;
  outcome_summary summary;
  crd_status status;
} helper;

static crd_status helper_begin(helper *h, const outcome_engine *engine) {
  h->status = outcome_worker_begin(&h->worker, engine);
  if (h->status == CRD_OK) h->status = outcome_summary_begin(&h->summary, &engine->finish, &h->worker.arena);
  return h->status;
}

/* All chunks, by `threads` threads with a helper each; fewer when progress says stop. */
static void run_all(const outcome_engine *engine, crd_outcome_set *set, helper *help, int threads) {
  const uint64_t total = set->samples, chunk = chunk_of(&engine->options);
  uint64_t next = 0, done = 0;
  bool stop = false;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
  {
    int own = 0;
#ifdef _OPENMP
    own = omp_get_thread_num();
#endif
    helper *h = &help[own];
    for (;;) {
      uint64_t from;
      bool ended;
#ifdef _OPENMP
#pragma omp critical(crd_outcome_chunk)
#endif
      {
        ended = stop || next >= total;
        from = next;
        if (!ended) next += chunk;
      }
      if (ended) break;
      uint64_t to = total - from < chunk ? total : from + chunk;
      const bool whole = run_chunk(&h->worker, set, from, to, &h->summary);
#ifdef _OPENMP
#pragma omp critical(crd_outcome_chunk)
#endif
      {
        done += to - from;
        if (!whole) stop = true;
        if (own == 0 && engine->options.progress && !engine->options.progress(engine->options.context, done))
          stop = true;
      }
    }
  }
  (void)threads;
}

static int thread_count(const crd_outcome_options *options) {
  int count = options->threads;
#ifdef _OPENMP
  if (count == 0) count = omp_get_num_procs();
#else
  count = 1;
#endif
  const uint64_t chunk = chunk_of(options), chunks = (options->samples + chunk - 1) / chunk;
  return (uint64_t)count > chunks ? (int)chunks : count;
}

static void conclude(const outcome_engine *engine, crd_outcome_set *set, helper *help, int threads) {
  const outcome_reduced *r = &engine->reduced;
  outcome_summary *all = &help[0].summary;
  outcome_tally tally = {.known = engine->table.complete};
  for (int i = 0; i < threads; i++) {
    if (i) outcome_summary_merge(all, &help[i].summary, &engine->finish);
    tally.ambiguous += help[i].worker.tally.ambiguous, tally.slow += help[i].worker.tally.slow;
    tally.known = tally.known && help[i].worker.tally.known;
    set->gaining_lcps += help[i].worker.batch.gained, set->stalled_lcps += help[i].worker.batch.stalled;
  }
  uint64_t computed = 0;
  for (int e = 0; e < CRD_OUTCOME_ENDS; e++) computed += all->ended[e];
  all->ended[CRD_OUTCOME_MISSING] = set->samples - computed;
  memcpy(set->ended, all->ended, sizeof set->ended);
  set->total_lcps = all->lcps, set->max_lcps = all->max_lcps, set->at_rest = all->at_rest;
  set->ambiguous_lcps = tally.ambiguous, set->slow_lcps = tally.slow, set->ambiguity_known = tally.known;
  set->kinetic_before = engine->reduced.kinetic;
  double before = set->kinetic_before > 0 ? set->kinetic_before : 1;
  /* of what contacts cannot change: an energy, of which rounding may leave less than nothing */
  double rest = fmax(r->kinetic0 - 0.5 * crd_dense_dot(r->rank, r->y0, r->y0), 0);
  set->energy_ratio.min = (rest + 0.5 * all->least_square) / before;
  set->energy_ratio.max = (rest + 0.5 * all->most_square) / before;
  for (int i = 0; i < set->nrow; i++) set->extent[i] = (crd_outcome_range){all->least[i], all->most[i]};
  set->net = engine->net;
  crd_outcome_set_claim(set);
  set->modes = engine->table.count;
}

crd_status outcome_set_begin(crd_outcome_set *set, const crd_contact_problem *problem,
                             const crd_outcome_options *options) {
  *set = (crd_outcome_set){.nv = problem->nv, .nc = problem->nc, .nrow = problem->nrow, .options = *options};
  set->samples = options->samples;
  size_t samples = (size_t)set->samples;
  if (CRD_TAKE(&set->arena, CRD_MATRIX(set->v_plus, samples, set->nv), CRD_ARRAY(set->lcps, samples),
               CRD_ARRAY(set->ending, samples), CRD_ARRAY(set->extent, set->nrow)))
    return CRD_ERR_MEMORY;
  memset(set->ending, CRD_OUTCOME_MISSING, samples);
  return CRD_OK;
}

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

crd_status crd_outcome_sample(const crd_contact_problem *problem, const crd_outcome_options *options,
                              crd_outcome_set *set) {
  double start = seconds();
  outcome_engine engine;
  *set = (crd_outcome_set){0};
  crd_status status = outcome_engine_begin(&engine, problem, options);
  if (status == CRD_OK) status = outcome_set_begin(set, problem, &engine.options);
  int threads = status == CRD_OK ? thread_count(&engine.options) : 0, begun = 0;
  helper *help = crd_arena_alloc(&engine.arena, (size_t)threads, sizeof *help);
  if (status == CRD_OK && !help) status = CRD_ERR_MEMORY;
  while (status == CRD_OK && begun < threads) status = helper_begin(&help[begun++], &engine);
  if (status == CRD_OK) {
    set->options.threads = threads;
    run_all(&engine, set, help, threads);
    conclude(&engine, set, help, threads);
  }
  for (int i = 0; i < begun; i++) outcome_worker_end(&help[i].worker);
  outcome_engine_end(&engine);
  if (status != CRD_OK) crd_outcome_free(set);
  set->wall_s = seconds() - start;
  return status;
}

void crd_outcome_free(crd_outcome_set *set) {
  crd_arena_free(&set->arena);
  *set = (crd_outcome_set){0};
}
