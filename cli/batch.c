#include "batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

enum { FAULTS_TOLD = 10, FIRST_READ = 1 << 16 };
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

static int run_rows(cli_batch *batch, cli_batch_row row, void *context, FILE *file) {
  cli_progress progress;
  int code = CLI_DONE;
  cli_problem input = {.input = batch->name, .problem = crd_contact_problem_new()};
  if (!input.problem) return CLI_SYSTEM;
  cli_progress_begin(&progress, batch->verb, "rows", (double)batch->count);
  size_t i = 0;
  for (; i < batch->count && code != CLI_SYSTEM && !cli_interrupted(); i++) {
    json_t *answer = NULL;
    crd_error err = {0};
    cli_progress_show(&progress, (double)i);
    if (cli_batch_take(batch, i, input.problem, NULL, &err) != CRD_OK) {
      answer = cli_batch_fault(batch, i, &err);
    } else {
      int own = row(context, &input, &answer);
      if (own == CLI_BAD_INPUT) batch->bad++;
      if (own != CLI_BAD_INPUT && own > code) code = own;
      if (!answer) answer = json_pack("{s:s}", "error", "no answer");
    }
    if (!cli_batch_print(file, i, answer)) code = CLI_SYSTEM;
  }
  cli_progress_end(&progress);
  crd_contact_problem_free(input.problem);
  if (i < batch->count && code == CLI_DONE) code = CLI_VERDICT;
  return code;
}

int cli_batch_run(const char *verb, const char *name, const cli_common *common, bool allow, cli_batch_row row,
                  void *context) {
  cli_batch batch;
  cli_output output;
  int code = cli_batch_open(&batch, verb, name, common, allow);
  if (code == CLI_DONE && !cli_output_begin(&output)) code = CLI_SYSTEM;
  if (code == CLI_DONE) {
    code = cli_batch_code(&batch, run_rows(&batch, row, context, output.file));
    const int ended = cli_output_end(&output, common->output, code == CLI_BAD_INPUT ? CLI_SYSTEM : code);
    if (code != CLI_BAD_INPUT) code = ended;
  }
  cli_batch_close(&batch);
  return code;
}
