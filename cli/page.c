#include "page.h"

#include <stdlib.h>

void cli_page_add_text(cli_page *page, const char *name, const char *text) {
  if (!text || page->count == CLI_PAGE_PARTS)
    page->failed = true;
  else
    page->part[page->count++] = (crd_page_part){name, text};
}

void cli_page_add(cli_page *page, const char *name, json_t *object) {
  char *text = object ? json_dumps(object, JSON_REAL_PRECISION(17) | JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  json_decref(object);
  cli_page_add_text(page, name, text ? crd_arena_string(&page->arena, text) : NULL);
  free(text);
}

static struct {
  int count;
  const char *const *words;
} command;

void cli_keep_words(int count, char **words) { command.count = count, command.words = (const char *const *)words; }

int cli_kept_words(const char *const **words) {
  *words = command.words;
  return command.count;
}

void cli_page_add_source(cli_page *page, int nfile, const crd_source_file *file) {
  const char *const *words, *text = NULL;
  const int count = cli_kept_words(&words);
  crd_io_source_text(count, words, nfile, file, &page->arena, &text, NULL);
  cli_page_add_text(page, "source", text);
}

/* Files that cannot be read again leave the part out. */
static void add_source_of(cli_page *page, int count, const char *const *path) {
  const crd_source_file *file = NULL;
  if (count == 0 || crd_io_source_files(count, path, &page->arena, &file, NULL) == CRD_OK)
    cli_page_add_source(page, count, file);
}

void cli_note_visuals(const crd_visuals *visuals) {
  if (visuals->nnote == 1) fprintf(stderr, "cradle: not shown: %s\n", visuals->note[0]);
  if (visuals->nnote > 1)
    fprintf(stderr, "cradle: %d things are not shown, the first: %s\n", visuals->nnote, visuals->note[0]);
}

void cli_page_add_scene(cli_page *page, const cli_problem *input) {
  const char *text = NULL;
  if (!input->from_model) {
    add_source_of(page, 1, &input->input);
    return;
  }
  const cli_mechanism *mechanism = &input->mechanism;
  if (input->trace.nrow == 0) add_source_of(page, mechanism->report.nfile, mechanism->report.file);
  crd_visuals visuals = {0};
  cli_mechanism_visuals(mechanism, &visuals);
  crd_io_scene_text(mechanism->model, mechanism->qpos, mechanism->qvel, input->problem, &visuals, &page->arena, &text,
                    NULL);
  cli_note_visuals(&visuals);
  crd_io_visuals_free(&visuals);
  cli_page_add_text(page, "scene", text);
}

int cli_page_write(cli_page *page, const char *path, const char *kind) {
  crd_error err = {0};
  int code = CLI_DONE;
  cli_writes(true);
  if (page->failed || cli_memory_gone()) {
    fprintf(stderr, "cradle: no memory\n");
    code = CLI_SYSTEM;
  } else if (crd_io_write_page(path, kind, page->part, page->count, &err) != CRD_OK) {
    code = cli_report(&err);
    if (err.status == CRD_ERR_FILE) code = CLI_SYSTEM; /* a result that cannot be written */
  } else {
    cli_wrote(path);
  }
  cli_writes(false);
  crd_arena_free(&page->arena);
  *page = (cli_page){0};
  return code;
}
