/* cradle impact on many problems: a line of JSON a row, or all answers as arrays of an HDF5 file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "impact_print.h"
#include "progress.h"

enum { BLOCK = 1024 }; /* rows whose objects are kept until the lines before them are written */

typedef struct impact_batch {
  cli_batch batch;
  const crd_impact_law *const *law;
  int nlaw, nv;
  bool by_name;
  const crd_impact_options *options;
  cli_progress progress;
  size_t first;                   /* of the block */
  json_t **laws;                  /* BLOCK: lists of answers; NULL: bad, or not reached */
  crd_contact_problem **problem;  /* BLOCK: those of rows at work */
  crd_error *err;                 /* BLOCK */
  const char *out;                /* FILE.h5, NULL: lines */
  int32_t *status, *solutions;    /* rows x laws */
  double *v_plus, *kinetic_after; /* rows x laws x nv, rows x laws */
} impact_batch;

static crd_status take(void *context, size_t row, crd_contact_problem *problem) {
  impact_batch *b = context;
  crd_error *err = &b->err[row - b->first];
  crd_status status = cli_batch_take(&b->batch, row, problem, NULL, err);
  if (status == CRD_OK && b->out && problem->nv != b->nv)
    status = crd_error_set(err, CRD_ERR_FORMAT, NULL, 0, "found %d velocities, expected %d as in the first good row",
                           problem->nv, b->nv);
  b->problem[row - b->first] = problem;
  if (status == CRD_OK && !b->out) b->laws[row - b->first] = json_array();
  return status;
}

static void keep(impact_batch *b, size_t row, int law, const crd_contact_problem *problem,
                 const crd_impact_result *result) {
  const size_t at = row * (size_t)b->nlaw + (size_t)law, nv = (size_t)b->nv;
  b->status[at] = result->status, b->solutions[at] = result->count;
  if (result->count == 0 || (size_t)problem->nv != nv) return;
  memcpy(b->v_plus + at * nv, result->solution[0].v_plus, nv * sizeof *b->v_plus);
  b->kinetic_after[at] = result->solution[0].kinetic_after;
}

static void answer(void *context, size_t row, int law, const crd_contact_problem *problem,
                   const crd_impact_result *result) {
  impact_batch *b = context;
  if (b->out) {
    keep(b, row, law, problem, result);
    return;
  }
  const cli_problem input = {.input = b->batch.name, .problem = b->problem[row - b->first]};
  const impact_view view = {.input = &input, .law = &b->law[law], .result = result, .count = 1, .options = b->options};
  json_array_append_new(b->laws[row - b->first], impact_law_json(&view, 0));
}

static bool on_progress(void *context, size_t rows) {
  impact_batch *b = context;
  cli_progress_show(&b->progress, (double)(b->first + rows));
  return !cli_interrupted();
}

/* The lines of a block that was begun; false: no memory. */
static bool print_block(impact_batch *b, size_t count, FILE *file) {
  bool done = true;
  for (size_t i = 0; i < count; i++) {
    json_t *object = NULL;
    if (b->err[i].status != CRD_OK)
      object = cli_batch_fault(&b->batch, b->first + i, &b->err[i]);
    else if (b->laws[i])
      object = json_pack("{s:o}", "laws", b->laws[i]);
    b->laws[i] = NULL;
    if (object && !b->out) done = cli_batch_print(file, b->first + i, object) && done;
    if (b->out) json_decref(object);
  }
  return done;
}

static int run_blocks(impact_batch *b, FILE *file) {
  const crd_impact_batch batch = {.law = b->law,
                                  .nlaw = b->nlaw,
                                  .options = b->options,
                                  .threads = (int)b->batch.common->threads,
                                  .problem = take,
                                  .answer = answer,
                                  .progress = on_progress,
                                  .context = b};
  cli_progress_begin(&b->progress, "impact", "rows", (double)b->batch.count);
  crd_status status = CRD_OK;
  bool printed = true;
  for (b->first = 0; b->first < b->batch.count && status == CRD_OK && printed; b->first += BLOCK) {
    const size_t left = b->batch.count - b->first, count = left < BLOCK ? left : BLOCK;
    memset(b->err, 0, sizeof *b->err * count);
    status = crd_impact_resolve_batch(&batch, b->first, count, NULL, NULL);
    printed = print_block(b, count, file);
  }
  cli_progress_end(&b->progress);
  if (!printed || status == CRD_ERR_MEMORY) return CLI_SYSTEM;
  return status == CRD_OK ? CLI_DONE : CLI_VERDICT;
}

/* The number of velocities of the first good row; 0: there is none. */
static int find_size(const cli_batch *batch) {
  crd_contact_problem *problem = crd_contact_problem_new();
  int nv = 0;
  for (size_t row = 0; problem && nv == 0 && row < batch->count; row++)
    if (cli_batch_take(batch, row, problem, NULL, NULL) == CRD_OK) nv = problem->nv;
  crd_contact_problem_free(problem);
  return nv;
}

static bool make_columns(impact_batch *b) {
  const size_t cells = b->batch.count * (size_t)b->nlaw;
  b->nv = find_size(&b->batch);
  b->status = malloc(cells * sizeof *b->status), b->solutions = calloc(cells, sizeof *b->solutions);
  b->v_plus = malloc(cells * (size_t)(b->nv + 1) * sizeof *b->v_plus);
  b->kinetic_after = malloc(cells * sizeof *b->kinetic_after);
  if (!b->status || !b->solutions || !b->v_plus || !b->kinetic_after) return false;
  for (size_t i = 0; i < cells; i++) b->status[i] = CRD_ERR_FORMAT, b->kinetic_after[i] = NAN;
  for (size_t i = 0; i < cells * (size_t)b->nv; i++) b->v_plus[i] = NAN;
  return true;
}

static int write_columns(const impact_batch *b) {
  const char *name[64];
  for (int k = 0; k < b->nlaw; k++) name[k] = b->law[k]->name;
  crd_error err = {0};
  const crd_impact_columns columns = {.rows = b->batch.count,
                                      .nlaw = b->nlaw,
                                      .nv = b->nv,
                                      .law = name,
                                      .status = b->status,
                                      .solutions = b->solutions,
                                      .v_plus = b->v_plus,
                                      .kinetic_after = b->kinetic_after};
  return crd_io_write_impacts(b->out, &columns, &err) == CRD_OK ? CLI_DONE : cli_report(&err);
}

int impact_batch_run(const char *name, const cli_common *common, bool allow, const crd_impact_law *const *law, int nlaw,
                     const crd_impact_options *options) {
  impact_batch b = {.law = law, .nlaw = nlaw, .options = options};
  cli_output output;
  const size_t length = common->output ? strlen(common->output) : 0;
  if (length > 3 && strcmp(common->output + length - 3, ".h5") == 0) b.out = common->output;
  int code = cli_batch_open(&b.batch, "impact", name, common, allow);
  b.laws = calloc(BLOCK, sizeof *b.laws), b.err = calloc(BLOCK, sizeof *b.err);
  b.problem = calloc(BLOCK, sizeof *b.problem);
  if (code == CLI_DONE && (!b.laws || !b.err || !b.problem || (b.out && !make_columns(&b)))) code = CLI_SYSTEM;
  if (code == CLI_DONE && !cli_output_begin(&output))
    code = CLI_SYSTEM;
  else if (code == CLI_DONE) {
    code = cli_batch_code(&b.batch, run_blocks(&b, output.file));
    if (b.out && code != CLI_SYSTEM && b.batch.bad < b.batch.count) {
      int written = write_columns(&b);
      if (written != CLI_DONE) code = written;
    }
    const int ended = cli_output_end(&output, b.out ? NULL : common->output, code == CLI_BAD_INPUT ? CLI_SYSTEM : code);
    if (code != CLI_BAD_INPUT) code = ended;
  }
  cli_batch_close(&b.batch);
  free(b.laws), free(b.problem), free(b.err), free(b.status), free(b.solutions), free(b.v_plus), free(b.kinetic_after);
  return code;
}
