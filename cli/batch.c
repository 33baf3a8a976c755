#include "batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch_arrays.h"
#include "progress.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum {
  FAULTS_TOLD = 10,
  FIRST_READ = 1 << 16,
  BLOCK = 64 /* rows whose answers are kept until those before them are out */
};
static const size_t MOST_READ = (size_t)1 << 30; /* of standard input, as of a file */

static bool ends_with(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length > tail && strcmp(name + length - tail, ending) == 0;
}

bool cli_is_batch(const char *name) {
  if (strcmp(name, "-") == 0 || ends_with(name, ".jsonl") || ends_with(name, ".ndjson")) return true;
  return (ends_with(name, ".json") || ends_with(name, ".h5") || ends_with(name, ".hdf5")) &&
         crd_io_is_problem_rows(name);
}

/* The whole of standard input; NULL after a message. */
static char *read_stdin(const char *verb, size_t *size) {
  size_t capacity = FIRST_READ, used = 0;
  char *text = malloc(capacity);
  while (text && !feof(stdin) && !ferror(stdin) && used < MOST_READ) {
    used += fread(text + used, 1, capacity - used, stdin);
    if (used < capacity) continue;
    char *larger = realloc(text, capacity *= 2);
    if (!larger) free(text);
    text = larger;
  }
  *size = used;
  if (text && !ferror(stdin) && used < MOST_READ) return text;
  if (text) cli_complain(verb, "standard input: %s", ferror(stdin) ? "cannot be read" : "is larger than 1 GiB");
  free(text);
  return NULL;
}

int cli_batch_open(cli_batch *batch, const char *verb, const char *name, const cli_common *common, bool allow) {
  const crd_problem_read_options options = {.any_restitution = allow};
  crd_error err = {0};
  crd_status status;
  *batch = (cli_batch){.verb = verb, .name = name, .common = common};
  if (!allow && !isnan(common->e) && !(common->e >= 0 && common->e <= 1))
    return cli_complain(verb, "--e: found %g, expected 0 to 1 (--allow takes any)", common->e);
  if (strcmp(name, "-") == 0) {
    size_t size;
    char *text = read_stdin(verb, &size);
    if (!text) return CLI_BAD_INPUT;
    status = crd_io_open_problem_rows_text(text, size, "standard input", &options, &batch->rows, &err);
    free(text);
  } else {
    status = crd_io_open_problem_rows(name, &options, &batch->rows, &err);
  }
  if (status != CRD_OK) return cli_report(&err);
  batch->count = crd_io_problem_rows_count(batch->rows);
  return CLI_DONE;
}

void cli_batch_close(cli_batch *batch) {
  crd_io_close_problem_rows(batch->rows);
  batch->rows = NULL;
}

crd_status cli_batch_take(const cli_batch *batch, size_t row, crd_contact_problem *problem, crd_measured *measured,
                          crd_error *err) {
  crd_status status = crd_io_take_problem_row(batch->rows, row, problem, measured, err);
  if (status == CRD_OK) cli_problem_override(problem, batch->common);
  return status;
}

bool cli_batch_print(FILE *file, size_t row, json_t *object) {
  json_t *line = json_pack("{s:I}", "row", (json_int_t)row + 1);
  bool done = object && line && json_object_update(line, object) == 0 &&
              json_dumpf(line, file, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0;
  json_decref(object), json_decref(line);
  fputc('\n', file);
  if (!done) fprintf(stderr, "cradle: no memory\n");
  return done;
}

json_t *cli_batch_fault(cli_batch *batch, size_t row, const crd_error *err) {
  char place[sizeof err->text + sizeof err->file + 32];
  crd_error_format(err, place, sizeof place);
  if (batch->bad++ < FAULTS_TOLD) fprintf(stderr, "cradle %s: row %zu: %s\n", batch->verb, row + 1, place);
  return json_pack("{s:s}", "error", err->text);
}

int cli_batch_code(const cli_batch *batch, int code) {
  if (batch->bad == 0) return code;
  fprintf(stderr, "cradle %s: %zu of %zu rows of %s are bad and were left out\n", batch->verb, batch->bad, batch->count,
          batch->name);
  if (batch->bad == batch->count) return code > CLI_VERDICT ? code : CLI_BAD_INPUT;
  return code > CLI_VERDICT ? code : CLI_VERDICT;
}

/* ------------------------------------------------------------------------------------------------ all rows */

typedef struct answered {
  bool reached;
  crd_error err; /* CRD_OK: the problem is good */
  int code;
  json_t *answer;
} answered;

typedef struct run {
  cli_batch *batch;
  cli_batch_row row;
  void *context;
  crd_contact_problem **problem; /* threads */
  int threads;
  cli_arrays *arrays; /* NULL: lines */
  FILE *file;
  answered *block; /* BLOCK */
} run;

static void answer_row(const run *r, size_t i, crd_contact_problem *problem, answered *to) {
  cli_problem input = {.input = r->batch->name, .problem = problem};
  *to = (answered){.reached = !cli_interrupted()};
  if (to->reached && cli_batch_take(r->batch, i, problem, NULL, &to->err) == CRD_OK)
    to->code = r->row(r->context, &input, &to->answer);
}

static void answer_block(const run *r, size_t first, int count) {
  if (r->threads == 1) { /* what is inside a row may have threads of its own */
    for (int k = 0; k < count; k++) answer_row(r, first + (size_t)k, r->problem[0], &r->block[k]);
    return;
  }
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(r->threads)
  for (int k = 0; k < count; k++) answer_row(r, first + (size_t)k, r->problem[omp_get_thread_num()], &r->block[k]);
#endif
}

/* The answer goes out, or into the arrays; false: no memory. */
static bool take_answer(const run *r, size_t i, answered *a, int *code) {
  json_t *answer = a->answer;
  if (a->err.status != CRD_OK) answer = cli_batch_fault(r->batch, i, &a->err);
  if (a->code == CLI_BAD_INPUT) r->batch->bad++;
  if (a->code != CLI_BAD_INPUT && a->code > *code) *code = a->code;
  if (!answer) answer = json_pack("{s:s}", "error", "no answer");
  if (!r->arrays) return cli_batch_print(r->file, i, answer);
  const bool done = answer && cli_arrays_add(r->arrays, i, answer);
  json_decref(answer);
  return done;
}

static int run_rows(run *r) {
  cli_progress progress;
  int code = CLI_DONE;
  bool reached = true;
  const size_t rows = r->batch->count, each = r->threads == 1 ? 1 : (size_t)BLOCK;
  cli_progress_begin(&progress, r->batch->verb, "rows", (double)rows);
  for (size_t first = 0; first < rows && reached && code != CLI_SYSTEM; first += each) {
    const int count = (int)(rows - first < each ? rows - first : each);
    cli_progress_show(&progress, (double)first);
    answer_block(r, first, count);
    for (int k = 0; k < count; k++) {
      reached = reached && r->block[k].reached;
      if (!reached)
        json_decref(r->block[k].answer);
      else if (!take_answer(r, first + (size_t)k, &r->block[k], &code))
        code = CLI_SYSTEM;
    }
  }
  cli_progress_end(&progress);
  return !reached && code == CLI_DONE ? CLI_VERDICT : code;
}

static int thread_count(const cli_common *common, size_t rows) {
#ifdef _OPENMP
  const size_t threads = common->threads > 0 ? (size_t)common->threads : (size_t)omp_get_num_procs();
  return rows < 1 ? 1 : (int)(threads < rows ? threads : rows);
#else
  (void)common, (void)rows;
  return 1;
#endif
}

static bool run_begin(run *r) {
  bool done = (r->problem = calloc((size_t)r->threads, sizeof(crd_contact_problem *))) != NULL;
  for (int k = 0; k < r->threads && done; k++) done = (r->problem[k] = crd_contact_problem_new()) != NULL;
  r->block = calloc(BLOCK, sizeof *r->block);
  return done && r->block;
}

static void run_end(run *r) {
  for (int k = 0; r->problem && k < r->threads; k++) crd_contact_problem_free(r->problem[k]);
  free(r->problem), free(r->block);
  cli_arrays_free(r->arrays);
}

int cli_batch_run(const char *verb, const char *name, const cli_common *common, bool allow, cli_batch_row row,
                  void *context, bool parallel) {
  cli_batch batch;
  cli_output output;
  int code = cli_batch_open(&batch, verb, name, common, allow);
  run r = {
      .batch = &batch, .row = row, .context = context, .threads = parallel ? thread_count(common, batch.count) : 1};
  const char *file = common->output && ends_with(common->output, ".h5") ? common->output : NULL;
  if (code == CLI_DONE && (!run_begin(&r) || (file && !(r.arrays = cli_arrays_new(batch.count))))) code = CLI_SYSTEM;
  if (code == CLI_DONE && !cli_output_begin(&output))
    code = CLI_SYSTEM;
  else if (code == CLI_DONE) {
    r.file = output.file;
    code = cli_batch_code(&batch, run_rows(&r));
    if (file && code != CLI_SYSTEM && batch.bad < batch.count) {
      const int written = cli_arrays_write(r.arrays, verb, file);
      if (written != CLI_DONE) code = written;
    }
    const int ended = cli_output_end(&output, file ? NULL : common->output, code == CLI_BAD_INPUT ? CLI_SYSTEM : code);
    if (code != CLI_BAD_INPUT) code = ended;
  }
  run_end(&r);
  cli_batch_close(&batch);
  return code;
}
