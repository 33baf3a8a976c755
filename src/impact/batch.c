/* Many impacts: threads take blocks of rows in turn; the results of a row depend on the row only. */
#include <cradle/impact.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { BLOCK = 16 }; /* rows of some microseconds each, so that taking them costs little */

/* State that a thread keeps from row to row. */
typedef struct helper {
  crd_contact_problem *problem;
  crd_impact_result result;
} helper;

typedef struct queue {
  size_t next, end, first, resolved, bad;
  bool stopped;
} queue;

static void resolve_row(const crd_impact_batch *batch, const crd_impact_options *options, helper *own, size_t row) {
  for (int k = 0; k < batch->nlaw; k++) {
    crd_impact_resolve(batch->law[k], own->problem, options, &own->result);
    batch->answer(batch->context, row, k, own->problem, &own->result);
  }
}

/* One thread's share; `leads`: the calling one, which asks whether to go on. */
static void work(const crd_impact_batch *batch, const crd_impact_options *options, helper *own, queue *rows,
                 bool leads) {
  for (;;) {
    size_t from, to, good = 0;
    bool ended;
#ifdef _OPENMP
#pragma omp critical(crd_impact_batch_rows)
#endif
    {
      from = rows->next, to = rows->end - from < BLOCK ? rows->end : from + BLOCK;
      ended = rows->stopped || from == rows->end;
      if (!ended) rows->next = to;
    }
    if (ended) return;
    for (size_t row = from; row < to; row++) {
      if (batch->problem(batch->context, row, own->problem) != CRD_OK) continue;
      resolve_row(batch, options, own, row), good++;
    }
    bool more = !leads || !batch->progress || batch->progress(batch->context, to - rows->first);
#ifdef _OPENMP
#pragma omp critical(crd_impact_batch_rows)
#endif
    {
      rows->resolved += good, rows->bad += to - from - good;
      if (!more) rows->stopped = true;
    }
  }
}

static int thread_count(const crd_impact_batch *batch, size_t count) {
  int threads = batch->threads;
#ifdef _OPENMP
  if (threads <= 0) threads = omp_get_num_procs();
#else
  threads = 1;
#endif
  size_t blocks = count / BLOCK + 1;
  return (size_t)threads > blocks ? (int)blocks : threads;
}

static bool helpers_begin(helper *help, int threads) {
  bool all = true;
  for (int i = 0; i < threads; i++) all = (help[i].problem = crd_contact_problem_new()) && all;
  return all;
}

static void helpers_end(helper *help, int threads) {
  for (int i = 0; i < threads; i++) {
    crd_impact_result_free(&help[i].result);
    crd_contact_problem_free(help[i].problem);
  }
  free(help);
}

crd_status crd_impact_resolve_batch(const crd_impact_batch *batch, size_t first, size_t count, size_t *resolved,
                                    size_t *bad) {
  if (resolved) *resolved = 0;
  if (bad) *bad = 0;
  if (batch->nlaw < 1 || !batch->law || !batch->problem || !batch->answer) return CRD_ERR_ARGUMENT;
  const crd_impact_options options = batch->options ? *batch->options : crd_impact_default();
  const int threads = thread_count(batch, count);
  queue rows = {.first = first, .next = first, .end = first + count};
  helper *help = calloc((size_t)threads, sizeof *help);
  if (!help) return CRD_ERR_MEMORY;
  if (!helpers_begin(help, threads)) return helpers_end(help, threads), CRD_ERR_MEMORY;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
  work(batch, &options, &help[omp_get_thread_num()], &rows, omp_get_thread_num() == 0);
#else
  work(batch, &options, help, &rows, true);
#endif
  helpers_end(help, threads);
  if (resolved) *resolved = rows.resolved;
  if (bad) *bad = rows.bad;
  return rows.stopped ? CRD_STOPPED : CRD_OK;
}
