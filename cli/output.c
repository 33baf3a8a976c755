/* Messages, exit codes, and results that are handed over whole. */
#define _POSIX_C_SOURCE 200809L
#include <cradle/io.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_exit_code(crd_status status) {
  if (status == CRD_OK) return CLI_DONE;
  if (status > 0) return CLI_VERDICT;
  return status == CRD_ERR_MEMORY ? CLI_SYSTEM : CLI_BAD_INPUT;
}

int cli_complain(const char *verb, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "cradle%s%s: ", verb ? " " : "", verb ? verb : "");
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return CLI_BAD_INPUT;
}

int cli_report(const crd_error *err) {
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

/* false with a message where not all of it could be written. */
static bool hand_over(const cli_output *output, const char *path) {
  crd_error err = {0};
  if (fflush(output->file) != 0 || ferror(output->file)) {
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
  if (code != CLI_SYSTEM && !hand_over(output, path)) code = CLI_SYSTEM;
  fclose(output->file);
  free(output->text);
  *output = (cli_output){0};
  return code;
}
