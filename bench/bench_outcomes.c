/* Sampling the set of outcomes: table 3 of Halm & Posa with the times of this machine, and how much of the set the
 * patterns of sampling cover.
 *
 * Beside crd_outcome_sample on one and two threads (2^20 samples, everything included), the complementarity problems of
 * some thousand of the same samples are solved one by one, cold, by crd_lcp_solve and by Siconos' lcp_lexicolemke.
 * Times are microseconds a sample, the fastest of several rounds: processor time, which other programs on the machine
 * disturb least; `speedup` of two threads is by the clock and needs an idle machine. Usage: bench_outcomes [log2 of the
 * samples]
 */
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome/engine.h"
#include "timing.h"
#ifdef CRADLE_HAVE_SICONOS
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#endif

enum { ROUNDS = 5, RECORDED_SAMPLES = 2000, MOST_RECORDED = 40000 };

static const struct {
  const char *name;
  double h;
  int steps;
  double paper_lcps, paper_us;
  const char *axis[2]; /* of the hull */
} EXAMPLE[] = {
    {"@rocking-block", 0.3, 10, 2.67, 2100, {"A.n", "B.n"}}, {"@compass-gait", 0.25, 5, 2.27, 1900, {"B.n", "B.t"}},
    {"@box-wall", 2, 5, 1.97, 1600, {"B.n", "A.t"}},         {"@ramone", 1, 10, 3.20, 2200, {"B.n", "B.t"}},
    {"@disk-stack", 1, 10, 9.04, 11000, {"C.n", "D.n"}},
};
enum { EXAMPLES = sizeof EXAMPLE / sizeof EXAMPLE[0] };

static void *take(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) exit(3);
  return memory;
}

typedef struct scene {
  crd_model *model;
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *problem;
} scene;

static scene open_scene(const char *name) {
  scene s;
  crd_error err;
  if (crd_io_example_model(name, NULL, &s.model, &err)) exit(3);
  s.work = crd_model_workspace_new(s.model), s.assembler = crd_contact_assembler_new(s.model),
  s.problem = crd_contact_problem_new();
  const crd_key *key = &s.model->key[0];
  if (crd_contact_at_state(s.assembler, s.work, key->qpos, key->qvel, NULL, s.problem)) exit(3);
  return s;
}

static void close_scene(scene *s) {
  crd_contact_problem_free(s->problem);
  crd_contact_assembler_free(s->assembler);
  crd_model_workspace_free(s->work);
  crd_model_free(s->model);
}

/* Seconds of processor time of this program so far. */
static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Microseconds a sample, by the clock and (processor) of processor time; the summary of the last round in *set. */
static double time_sampling(const crd_contact_problem *problem, const crd_outcome_options *options,
                            crd_outcome_set *set, double *processor) {
  double best = INFINITY;
  *processor = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    if (round) crd_outcome_free(set);
    double start = processor_seconds();
    if (crd_outcome_sample(problem, options, set)) exit(3);
    *processor = fmin(*processor, 1e6 * (processor_seconds() - start) / (double)options->samples);
    best = fmin(best, set->wall_s);
  }
  return 1e6 * best / (double)options->samples;
}

/* ------------------------------------------------------------------------------------------------ one by one */

/* The problems that Lemke's method solves on the way of the first samples. */
typedef struct record {
  int n, count;
  double *W, *w, *z;
  crd_lcp_work *work;
#ifdef CRADLE_HAVE_SICONOS
  LinearComplementarityProblem peer;
  SolverOptions *peer_options;
  double *y;
#endif
} record;

static record make_record(const crd_contact_problem *problem, const crd_outcome_options *options) {
  outcome_engine engine;
  outcome_worker worker;
  if (outcome_engine_begin(&engine, problem, options) || outcome_worker_begin(&worker, &engine)) exit(3);
  outcome_step_lcp *lcp = &worker.lcp;
  size_t n = (size_t)lcp->n, rank = (size_t)engine.table.rank;
  record r = {.n = lcp->n, .work = crd_lcp_work_new(lcp->n, 0), .W = take(sizeof(double) * n * n)};
  r.w = take(sizeof(double) * n * MOST_RECORDED), r.z = take(sizeof(double) * n);
  memcpy(r.W, lcp->W, sizeof(double) * n * n);
  double *x = take(sizeof(double) * (size_t)engine.table.stride), *y = take(sizeof(double) * (rank + 4));
  for (uint64_t sample = 0; sample < RECORDED_SAMPLES; sample++) {
    memcpy(x, engine.reduced.y0, sizeof *x * rank);
    for (int step = 0; step < options->steps && engine.kernels->approaches(&engine.table, x); step++) {
      const outcome_draw draw = {options->seed, sample, (uint32_t)step};
      outcome_draw_bounds(&draw, options->pattern, engine.table.nc, x + rank);
      for (int c = 0; c < engine.table.nc; c++) x[rank + (size_t)c] *= options->h;
      if (r.count == MOST_RECORDED || outcome_step_solve(lcp, x, NULL, y)) break;
      memcpy(r.w + n * (size_t)r.count++, lcp->w, sizeof(double) * n);
      memcpy(x, y, sizeof *x * rank);
    }
  }
  free(x), free(y);
  outcome_worker_end(&worker);
  outcome_engine_end(&engine);
  return r;
}

static double time_lemke(record *r) {
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    double start = processor_seconds();
    for (int k = 0; k < r->count; k++) {
      crd_lcp_problem problem = crd_lcp_dense(r->n, r->W, r->w + (size_t)r->n * (size_t)k);
      if (crd_lcp_solve(r->work, &problem, NULL, r->z, NULL) != CRD_OK) exit(3);
    }
    best = fmin(best, processor_seconds() - start);
  }
  return 1e6 * best / RECORDED_SAMPLES;
}

#ifdef CRADLE_HAVE_SICONOS
static double time_siconos(record *r, int *failures) {
  size_t n = (size_t)r->n;
  double *columns = take(sizeof(double) * n * n), best = INFINITY;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) columns[j * n + i] = r->W[i * n + j];
  r->y = take(sizeof(double) * n);
  r->peer = (LinearComplementarityProblem){.size = r->n, .M = NM_create_from_data(NM_DENSE, r->n, r->n, columns)};
  r->peer_options = solver_options_create(SICONOS_LCP_LEMKE);
  for (int round = 0; round < 2; round++) {
    double start = processor_seconds();
    *failures = 0;
    for (int k = 0; k < r->count; k++) {
      int info = 0;
      r->peer.q = r->w + n * (size_t)k;
      memset(r->z, 0, sizeof(double) * n), memset(r->y, 0, sizeof(double) * n);
      lcp_lexicolemke(&r->peer, r->z, r->y, &info, r->peer_options);
      *failures += info != 0;
    }
    best = fmin(best, processor_seconds() - start);
  }
  free(r->peer.M->matrix0), r->peer.M->matrix0 = NULL;
  NM_free(r->peer.M);
  solver_options_delete(r->peer_options);
  free(r->y);
  return 1e6 * best / RECORDED_SAMPLES;
}
#endif

static void free_record(record *r) {
  crd_lcp_work_free(r->work);
  free(r->W), free(r->w), free(r->z);
}

static crd_outcome_options options_of(int i, uint64_t samples) {
  crd_outcome_options options = crd_outcome_default();
  options.h = EXAMPLE[i].h, options.steps = EXAMPLE[i].steps, options.samples = samples;
  return options;
}

static void table_of_times(uint64_t samples) {
  printf("%llu samples of each; microseconds a sample. Paper: MATLAB and PATH on a laptop\n",
         (unsigned long long)samples);
  printf("%-15s %7s %7s %9s %9s %9s %7s %9s %9s %10s\n", "example", "lcps", "paper", "paper us", "1 thread",
         "2 threads", "speedup", "ambiguous", "Lemke", "Siconos");
  for (int i = 0; i < EXAMPLES; i++) {
    scene s = open_scene(EXAMPLE[i].name);
    crd_outcome_options options = options_of(i, samples);
    crd_outcome_set set;
    options.threads = 2;
    double own, clock_two = time_sampling(s.problem, &options, &set, &own);
    crd_outcome_free(&set);
    options.threads = 1;
    double clock_one = time_sampling(s.problem, &options, &set, &own);
    printf("%-15s %7.3f %7.2f %9.0f %9.3f %9.3f %7.2f %8.1f%%", EXAMPLE[i].name,
           (double)set.total_lcps / (double)set.samples, EXAMPLE[i].paper_lcps, EXAMPLE[i].paper_us, own, clock_two,
           clock_one / clock_two, 100 * (double)set.ambiguous_lcps / (double)set.total_lcps);
    crd_outcome_free(&set);
    record r = make_record(s.problem, &options);
    printf(" %9.3f", time_lemke(&r));
#ifdef CRADLE_HAVE_SICONOS
    int failures;
    printf(" %10.3f", time_siconos(&r, &failures));
    if (failures) printf("  (Siconos failed %d of %d)", failures, r.count);
#else
    printf(" %10s", "absent");
#endif
    printf("\n");
    free_record(&r);
    close_scene(&s);
  }
}

/* ------------------------------------------------------------------------------------------------ coverage */

static crd_outcome_hull hull_of(const crd_contact_problem *problem, int example, const crd_outcome_options *options) {
  crd_outcome_set set;
  crd_outcome_hull hull = {0};
  crd_outcome_axis axis[2];
  crd_arena arena = {0};
  double *point;
  size_t count;
  if (crd_outcome_sample(problem, options, &set)) exit(3);
  for (int a = 0; a < 2; a++)
    if (crd_outcome_axis_find(problem, EXAMPLE[example].axis[a], &axis[a])) exit(3);
  if (crd_outcome_points(problem, &set, axis, 2, &arena, &point, NULL, &count)) exit(3);
  if (crd_outcome_hull_make(point, count, 2, NAN, &hull)) exit(3);
  crd_arena_free(&arena);
  crd_outcome_free(&set);
  return hull;
}

/* Share of the hull that each pattern covers; the whole is the hull of 2^17 samples of the pattern mixed, at the same
 * step size. */
static void table_of_coverage(double step) {
  static const uint64_t COUNT[] = {1 << 8, 1 << 11, 1 << 14};
  printf("\nhull of two contact velocities covered, %% of that of 2^17 mixed samples; step size %g of the paper's\n",
         step);
  printf("%-15s %8s", "example", "samples");
  for (int p = 0; p < CRD_OUTCOME_PATTERNS; p++) printf(" %10s", crd_outcome_pattern_name((crd_outcome_pattern)p));
  printf("\n");
  for (int i = 0; i < EXAMPLES; i++) {
    scene s = open_scene(EXAMPLE[i].name);
    crd_outcome_options options = options_of(i, 1 << 17);
    options.h *= step, options.steps = 1000;
    options.pattern = CRD_OUTCOME_MIXED, options.seed = 99;
    crd_outcome_hull whole = hull_of(s.problem, i, &options);
    options.seed = 1;
    for (size_t k = 0; k < sizeof COUNT / sizeof COUNT[0]; k++) {
      printf("%-15s %8llu", EXAMPLE[i].name, (unsigned long long)COUNT[k]);
      for (int p = 0; p < CRD_OUTCOME_PATTERNS; p++) {
        options.samples = COUNT[k], options.pattern = (crd_outcome_pattern)p;
        crd_outcome_hull part = hull_of(s.problem, i, &options);
        printf(" %10.2f", 100 * crd_outcome_hull_coverage(&part, &whole));
        crd_outcome_hull_free(&part);
      }
      printf("\n");
    }
    crd_outcome_hull_free(&whole);
    close_scene(&s);
  }
}

int main(int argc, char **argv) {
  int power = argc > 1 ? atoi(argv[1]) : 20;
  if (power < 1 || power > 30) {
    fprintf(stderr, "bench_outcomes: expected 1 to 30 as log2 of the samples\n");
    return 1;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  table_of_times((uint64_t)1 << power);
  table_of_coverage(1);
  table_of_coverage(0.1);
  return 0;
}
