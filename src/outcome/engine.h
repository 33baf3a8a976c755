/* Data shared by all samples of a problem (engine), and working memory of one thread (worker). */
#ifndef SRC_OUTCOME_ENGINE_H
#define SRC_OUTCOME_ENGINE_H

#include <cradle/outcome.h>

#include "outcome/draw.h"
#include "outcome/kernels.h"
#include "outcome/step_lcp.h"

#define OUTCOME_EMPTY 1e-13 /* share of the kinetic energy below which a store of restitution is empty */

typedef struct outcome_engine {
  crd_outcome_options options; /* with h and selection filled in */
  outcome_reduced reduced;
  crd_facets facets;
  outcome_table table;
  outcome_finish finish;
  crd_outcome_net net; /* of Algorithm 2 */
  bool enumerate;      /* all solutions of every step are searched for, because the table has not all modes */
  const outcome_kernels *kernels;
  crd_arena arena;
} outcome_engine;

/* Checks the options, reduces the problem, lists the modes, runs the pilot. Freed by end in either case. */
crd_status outcome_engine_begin(outcome_engine *engine, const crd_contact_problem *problem,
                                const crd_outcome_options *options);
void outcome_engine_end(outcome_engine *engine);

/* The chosen options are within their ranges. */
bool outcome_options_valid(const crd_outcome_options *options);

enum { OUTCOME_MOST_ANSWERS = 64 }; /* y' of one step */

/* Results of the hard steps of a worker. */
typedef struct outcome_tally {
  uint64_t ambiguous, slow;
  bool known; /* all solutions of every step were listed */
} outcome_tally;

typedef struct outcome_worker {
  const outcome_engine *engine;
  outcome_step_lcp lcp;
  outcome_batch batch; /* room for OUTCOME_BATCH samples */
  double *answer;      /* OUTCOME_MOST_ANSWERS x answer_stride: y' of one step */
  bool *full;          /* OUTCOME_MOST_ANSWERS: a contact takes its whole bound there */
  double *raw;         /* the same, before equal ones are merged */
  bool *raw_full;
  bool step_full; /* of the answer that outcome_worker_step took */
  int answers, answer_stride;
  int *held;             /* entries that hold, room for all */
  unsigned char *ending; /* batch */
  double *stored;        /* nc: energy that each contact has to give back, J */
  unsigned char *push;   /* nc */
  outcome_tally tally;
  crd_arena arena;
} outcome_worker;

enum { OUTCOME_BATCH = 256 };

crd_status outcome_worker_begin(outcome_worker *worker, const outcome_engine *engine);
void outcome_worker_end(outcome_worker *worker);

/* Every y' at x into worker->answer; entry is a mode that fits (-1: none does). CRD_OK: all of them. CRD_LIMIT:
 * some, perhaps not all. Else none. */
crd_status outcome_worker_answers(outcome_worker *worker, const double *x, int entry);

/* Do two modes lead from x to different y'? */
bool outcome_worker_differ(outcome_worker *worker, const double *x, int one, int other);

/* One step of one sample by the rule of the selection: the answer that is taken, NULL where there is none. */
const double *outcome_worker_step(outcome_worker *worker, const outcome_draw *draw, const double *x, int entry);

/* Samples `first` to first + count - 1 (at most OUTCOME_BATCH) to their ends: y in worker->batch.x, lcps, ending.
 * false: interrupted, and none of them counts. */
bool outcome_worker_run(outcome_worker *worker, uint64_t first, int count);

/* The same with restitution, sample by sample (elastic.c). */
bool outcome_elastic_run(outcome_worker *worker, uint64_t first, int count);

/* The pilot: which modes occur, how often, and beside which others. */
crd_status outcome_pilot(outcome_engine *engine);

/* A set with room for the samples of the options, none of them computed. */
crd_status outcome_set_begin(crd_outcome_set *set, const crd_contact_problem *problem,
                             const crd_outcome_options *options);

#endif
