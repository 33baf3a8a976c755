/* The page of a fit: what --json says, the impacts to point at, and the mechanism where there is one. */
#include <stdlib.h>

#include "fit.h"
#include "page.h"

/* Why the row (its place in the data) is an outlier; NULL: it is none. */
static const char *why_outlier(const crd_fit_look *look, int row) {
  for (int k = 0; k < look->noutlier; k++)
    if (look->outlier[k] == row) return look->outlier_why[k];
  return NULL;
}

static json_t *points_json(const crd_contact_problem *p) {
  json_t *list = json_array();
  for (int c = 0; c < p->nc; c++)
    json_array_append_new(list, json_pack("{s:o, s:o}", "point", cli_json_vector(3, p->contact[c].point), "normal",
                                          cli_json_vector(3, p->contact[c].normal)));
  return list;
}

static json_t *row_json(const fit_view *view, int i) {
  const crd_fit_row *row = &view->data->row[i];
  const crd_contact_problem *p = row->problem;
  const crd_contact *first = &p->contact[0];
  json_t *object = json_pack("{s:I}", "number", (json_int_t)row->number);
  const char *group = view->data->group[row->group], *why = why_outlier(view->look, i);
  if (*group) json_object_set_new(object, "group", json_string(group));
  if (why) json_object_set_new(object, "outlier", json_string(why));
  json_object_set_new(object, "v", cli_json_vector(p->nv, p->v));
  json_object_set_new(object, "v_plus", cli_json_vector(p->nv, row->v_plus));
  json_object_set_new(object, "J",
                      cli_json_matrix(1 + first->ntangent, p->nv, p->J + (size_t)first->row * (size_t)p->nv));
  if (!view->qpos) return object;
  const int nq = view->mechanism->model->nq;
  json_object_set_new(object, "qpos", cli_json_vector(nq, view->qpos + (size_t)i * (size_t)nq));
  json_object_set_new(object, "points", points_json(p));
  return object;
}

static json_t *rows_json(const fit_view *view, int group) {
  json_t *rows = json_array();
  for (int i = 0; i < view->data->count; i++)
    if (group < 0 || view->data->row[i].group == group) json_array_append_new(rows, row_json(view, i));
  return rows;
}

/* Findings without a law, in the words of the program. */
static json_t *said(const fit_view *view) {
  cli_output w;
  if (!cli_output_begin(&w)) return NULL;
  fit_print_look(w.file, view);
  json_t *text = fclose(w.file) == 0 ? json_string(w.text) : NULL;
  free(w.text);
  return text;
}

static void add_scene(cli_page *page, const fit_view *view) {
  const cli_mechanism *mechanism = view->mechanism;
  const char *text = NULL;
  crd_visuals visuals = {0};
  cli_mechanism_visuals(mechanism, &visuals);
  crd_io_scene_text(mechanism->model, view->qpos, view->data->row[0].problem->v, view->data->row[0].problem, &visuals,
                    &page->arena, &text, NULL);
  cli_note_visuals(&visuals);
  crd_io_visuals_free(&visuals);
  cli_page_add_text(page, "scene", text);
}

int fit_page_write(const char *path, const fit_view *view) {
  cli_page page = {0};
  json_t *fit = fit_json(view), *fits = json_object_get(fit, "fits");
  for (int k = 0; view->look && k < view->count; k++)
    json_object_set_new(json_array_get(fits, (size_t)k), "rows", rows_json(view, view->part[k].group));
  json_object_set_new(fit, "said", said(view));
  cli_page_add(&page, "fit", fit);
  if (view->qpos) add_scene(&page, view);
  return cli_page_write(&page, path, "fit");
}
