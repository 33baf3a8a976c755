/* Pages: --html FILE of a verb. */
#ifndef CRADLE_CLI_PAGE_H
#define CRADLE_CLI_PAGE_H

#include "problem_input.h"

enum { CLI_PAGE_PARTS = 5 };

/* A page being collected; its texts belong to it. Zero it before the first use ({0}). */
typedef struct cli_page {
  crd_page_part part[CLI_PAGE_PARTS];
  int count;
  bool failed; /* out of memory */
  crd_arena arena;
} cli_page;

/* Adds a part whose text is in the page's arena; NULL: memory was out. */
void cli_page_add_text(cli_page *page, const char *name, const char *text);
/* Adds the object as the part `name` and frees it. */
void cli_page_add(cli_page *page, const char *name, json_t *object);
/* Says on stderr what cannot be shown, in one line. */
void cli_note_visuals(const crd_visuals *visuals);
/* Adds the mechanism behind the problem, with its contacts, as the part "scene"; nothing where none is. */
void cli_page_add_scene(cli_page *page, const cli_problem *input);
/* Adds the command and the files of its input (none of a built-in example) as the part "source". */
void cli_page_add_source(cli_page *page, int nfile, const crd_source_file *file);
/* Writes the page of this kind to path and frees it. Returns CLI_DONE, or the exit code after a message on stderr. */
int cli_page_write(cli_page *page, const char *path, const char *kind);

#endif
