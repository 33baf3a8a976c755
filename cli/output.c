/* Messages, exit codes, and results that are handed over whole. */
#define _POSIX_C_SOURCE 200809L
#include <cradle/io.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

int cli_exit_code(crd_status status) {
  if (status == CRD_OK) return CLI_DONE;
  if (status > 0) return CLI_VERDICT;
  return status == CRD_ERR_MEMORY ? CLI_SYSTEM : CLI_BAD_INPUT;
}

int cli_complain(const char *verb, const char *format, ...) {
  cli_doing(NULL);
  va_list args;
  va_start(args, format);
  fprintf(stderr, "cradle%s%s: ", verb ? " " : "", verb ? verb : "");
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return CLI_BAD_INPUT;
}

int cli_report(const crd_error *err) {
  cli_doing(NULL);
  char line[sizeof err->file + sizeof err->text + 32];
  crd_error_format(err, line, sizeof line);
  fprintf(stderr, "cradle: %s\n", line);
  return cli_exit_code(err->status);
}

bool cli_output_begin(cli_output *output) {
  *output = (cli_output){0};
  output->file = open_memstream(&output->text, &output->size);
  if (!output->file) fprintf(stderr, "cradle: no memory\n");
  return output->file;
}

/* Where to break a line of `length` bytes that is wider than `columns`: the last space that lets the first part fit;
 * 0: there is none behind the indentation. */
static size_t break_of(const char *line, size_t length, int columns) {
  size_t at = 0;
  int column = 0;
  bool word = false; /* behind the indentation */
  for (size_t i = 0; i < length && column <= columns; i++) {
    if (line[i] == ' ' && word) at = i;
    word = word || line[i] != ' ';
    column += ((unsigned char)line[i] & 0xc0) != 0x80; /* a character of UTF-8 is one column */
  }
  return column > columns ? at : 0;
}

static void print_fitted(FILE *file, const char *line, size_t length, int columns) {
  enum { HANGING = 2 };
  const int indent = (int)strspn(line, " ") + HANGING;
  int room = columns;
  for (size_t at = break_of(line, length, room); at > 0; at = break_of(line, length, room)) {
    size_t end = at;
    while (end > 0 && line[end - 1] == ' ') end--;
    fprintf(file, "%.*s\n%*s", (int)end, line, indent, "");
    while (at < length && line[at] == ' ') at++;
    line += at, length -= at, room = columns - indent;
  }
  fprintf(file, "%.*s", (int)length, line);
}

void cli_output_fit(cli_output *output) {
  cli_output fitted;
  const int columns = cli_columns();
  if (fflush(output->file) != 0 || !cli_output_begin(&fitted)) return; /* told when it is handed over */
  for (const char *line = output->text; *line;) {
    const size_t length = strcspn(line, "\n");
    print_fitted(fitted.file, line, length, columns);
    if (line[length]) fputc('\n', fitted.file);
    line += length + (line[length] == '\n');
  }
  fflush(fitted.file);
  rewind(output->file);
  fwrite(fitted.text, 1, fitted.size, output->file);
  fclose(fitted.file), free(fitted.text);
}

/* false with a message where not all of it could be written. */
static bool hand_over(const cli_output *output, const char *path) {
  crd_error err = {0};
  if (fflush(output->file) != 0 || ferror(output->file) || cli_memory_gone()) {
    fprintf(stderr, "cradle: no memory\n");
    return false;
  }
  if (path) {
    if (crd_io_write_file(path, output->text, output->size, &err)) return cli_report(&err), false;
    cli_wrote(path);
    return true;
  }
  if (fwrite(output->text, 1, output->size, stdout) == output->size && fflush(stdout) == 0) return true;
  fprintf(stderr, "cradle: standard output cannot be written: %s\n", strerror(errno));
  return false;
}

int cli_output_end(cli_output *output, const char *path, int code) {
  cli_doing(NULL);
  cli_writes(true);
  if (code != CLI_SYSTEM && !hand_over(output, path)) code = CLI_SYSTEM;
  cli_writes(false);
  fclose(output->file);
  free(output->text);
  *output = (cli_output){0};
  return code;
}
