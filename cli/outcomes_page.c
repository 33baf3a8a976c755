/* --html of `cradle outcomes`: all sets of a sweep, and what compliant bodies do, on one page. */
#include <stdlib.h>

#include "outcomes.h"
#include "page.h"

int outcomes_page_write(const char *path, const outcomes_view *view) {
  cli_page page = {0};
  crd_error err = {0};
  const char *text = NULL;
  crd_outcome_record *record = crd_arena_alloc(&page.arena, (size_t)view->count + 1, sizeof *record);
  int count = 0;
  for (int i = 0; record && i < view->count; i++) {
    const outcomes_result *r = &view->result[i];
    if (r->status == CRD_OK)
      record[count++] = (crd_outcome_record){r->value, r->problem, &r->set, view->box, view->nmark, view->mark};
  }
  if (record) crd_io_outcomes_text(view->input->input, view->parameter, count, record, &page.arena, &text, &err);
  cli_page_add_text(&page, "outcomes", text);
  cli_page_add_scene(&page, view->input);
  return cli_page_write(&page, path, "outcomes");
}
