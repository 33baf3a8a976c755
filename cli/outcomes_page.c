/* --html of `cradle outcomes`: all sets of a sweep, and what compliant bodies do, on one page. */
#include <stdlib.h>

#include "outcomes.h"
#include "page.h"

/* Collisions of compliant bodies as marks beside those of the impact laws; their number, -1: no memory. */
static int compliant_marks(const outcomes_view *view, crd_arena *arena, const crd_outcome_mark **marks) {
  const outcomes_compliant *compliant = view->compliant;
  const crd_contact *contact = view->input->problem->contact;
  int count = 0;
  *marks = NULL;
  if (!compliant) return 0;
  crd_outcome_mark *mark = crd_arena_alloc(arena, (size_t)compliant->count + 1, sizeof *mark);
  for (int i = 0; mark && i < compliant->count; i++) {
    const outcomes_collision *item = &compliant->item[i];
    char label[300] = "";
    if (item->status != CRD_OK) continue;
    if (compliant->count > 1)
      snprintf(label, sizeof label, "k %.100s / k %.100s = %.3g", contact[0].name, contact[1].name, item->ratio);
    const char *kept = crd_arena_string(arena, label);
    if (!kept) return -1;
    mark[count++] = (crd_outcome_mark){"compliant", kept, item->end.v_plus};
  }
  *marks = mark;
  return mark ? count : -1;
}

int outcomes_page_write(const char *path, const outcomes_view *view) {
  cli_page page = {0};
  crd_error err = {0};
  const crd_outcome_mark *marks;
  const char *text = NULL;
  const int nmark = compliant_marks(view, &page.arena, &marks);
  crd_outcome_record *record = crd_arena_alloc(&page.arena, (size_t)view->count + 1, sizeof *record);
  int count = 0;
  for (int i = 0; record && i < view->count; i++) {
    const outcomes_result *r = &view->result[i];
    if (r->status == CRD_OK)
      record[count++] = (crd_outcome_record){r->value, r->problem, &r->set, view->box, nmark, marks};
  }
  if (record && nmark >= 0)
    crd_io_outcomes_text(view->input->input, view->parameter, count, record, &page.arena, &text, &err);
  cli_page_add_text(&page, "outcomes", text);
  cli_page_add_scene(&page, view->input);
  return cli_page_write(&page, path, "outcomes");
}
