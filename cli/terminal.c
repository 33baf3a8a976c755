/* The width of the terminal, and text broken into lines of it. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

enum { NARROWEST = 40, WIDEST = 1000 };

int cli_columns(void) {
  const char *given = getenv("COLUMNS");
  uint64_t columns = 0;
  struct winsize size;
  if (!given || !cli_take_count(given, &columns) || columns == 0)
    columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : CLI_COLUMNS;
  return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : (int)columns;
}

void cli_print_wrapped(FILE *file, const char *text, int used, int indent, int width) {
  int column = used;
  bool first = true;
  for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
    const int length = (int)strcspn(at, " ");
    if (!first && column + 1 + length > width) {
      fprintf(file, "\n%*s", indent, "");
      column = indent, first = true;
    }
    fprintf(file, "%s%.*s", first ? "" : " ", length, at);
    column += length + !first, first = false, at += length;
  }
  fputc('\n', file);
}
