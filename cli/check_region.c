#include "check_region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double check_region_largest_mu(const crd_friction *f) { return fmax(1, 2 * f->mu); }

static const char *mode_at(const crd_friction *f, double e, double mu) {
  if (f->mode == CRD_FRICTION_NONE) return "none";
  return mu >= crd_analysis_friction_critical(f, e) ? "stick" : "slip";
}

static void write_csv(FILE *file, const check_view *view, int steps) {
  const crd_contact_problem *problem = &view->check->problem;
  fprintf(file, "contact,e,mu,mu_critical,mode,admissible\n");
  for (int c = 0; c < problem->nc; c++) {
    const crd_friction *f = &view->check->friction[c];
    for (int i = 0; i <= steps; i++)
      for (int j = 0; j <= steps; j++) {
        double e = (double)i / steps, mu = check_region_largest_mu(f) * j / steps;
        fprintf(file, "%s,%.10g,%.10g,%.10g,%s,%d\n", problem->contact[c].name, e, mu,
                crd_analysis_friction_critical(f, e), mode_at(f, e, mu), crd_analysis_friction_admissible(f, e, mu));
      }
  }
}

/* Name, axes and the border between stick and slip. */
static json_t *contact_frame(const crd_friction *f, const char *name, int steps) {
  json_t *object = json_object(), *e_axis = json_array(), *mu_axis = json_array(), *critical = json_array();
  for (int i = 0; i <= steps; i++) {
    double e = (double)i / steps;
    json_array_append_new(e_axis, cli_json_number(e));
    json_array_append_new(mu_axis, cli_json_number(check_region_largest_mu(f) * i / steps));
    json_array_append_new(critical, cli_json_number(crd_analysis_friction_critical(f, e)));
  }
  json_object_set_new(object, "name", json_string(name));
  json_object_set_new(object, "e", e_axis);
  json_object_set_new(object, "mu", mu_axis);
  json_object_set_new(object, "mu_critical", critical);
  return object;
}

static json_t *contact_grid(const crd_friction *f, const char *name, int steps) {
  json_t *object = contact_frame(f, name, steps), *rows = json_array();
  for (int i = 0; i <= steps; i++) {
    json_t *row = json_array();
    for (int j = 0; j <= steps; j++)
      json_array_append_new(row, json_boolean(crd_analysis_friction_admissible(
                                     f, (double)i / steps, check_region_largest_mu(f) * j / steps)));
    json_array_append_new(rows, row);
  }
  json_object_set_new(object, "state", json_pack("{s:f, s:f}", "e", f->e, "mu", f->mu));
  json_object_set_new(object, "admissible", rows);
  json_object_set_new(object, "mu_star", cli_json_number(f->mu_star));
  json_object_set_new(object, "e_star", cli_json_number(f->e_star));
  return object;
}

/* e2 for which the LMI holds, for every e1. */
static json_t *restitution_region(const check_view *view, int steps) {
  const crd_contact_problem *problem = &view->check->problem;
  crd_arena arena = {0};
  double *low = calloc((size_t)steps + 1, sizeof *low), *high = calloc((size_t)steps + 1, sizeof *high);
  json_t *object = json_null();
  if (low && high && problem->nc >= 2 &&
      crd_analysis_restitution_region(&view->check->restitution, view->check->E, 0, 1, CRD_LMI_EIGENVALUES, steps + 1,
                                      low, high, &arena) == CRD_OK)
    object = json_pack("{s:[s,s], s:[f,f], s:o, s:o}", "contacts", problem->contact[0].name, problem->contact[1].name,
                       "state", problem->contact[0].e, problem->contact[1].e, "low", cli_json_vector(steps + 1, low),
                       "high", cli_json_vector(steps + 1, high));
  free(low), free(high);
  crd_arena_free(&arena);
  return object;
}

static bool write_json(FILE *file, const check_view *view, int steps) {
  const crd_contact_problem *problem = &view->check->problem;
  json_t *object = json_object(), *contacts = json_array();
  for (int c = 0; c < problem->nc; c++)
    json_array_append_new(contacts, contact_grid(&view->check->friction[c], problem->contact[c].name, steps));
  json_object_set_new(object, "contacts", contacts);
  json_object_set_new(object, "restitution", restitution_region(view, steps));
  return cli_json_print(file, object);
}

char check_region_cell(const crd_friction *f, double e, double mu) {
  const char letter = f->mode == CRD_FRICTION_NONE ? 'n' : mu >= crd_analysis_friction_critical(f, e) ? 's' : 'l';
  return crd_analysis_friction_admissible(f, e, mu) ? letter : (char)(letter - 'a' + 'A');
}

static json_t *contact_cells(const crd_friction *f, const char *name, int steps) {
  json_t *object = contact_frame(f, name, steps), *rows = json_array();
  char *row = calloc((size_t)steps + 2, 1);
  for (int i = 0; row && i <= steps; i++) {
    for (int j = 0; j <= steps; j++)
      row[j] = check_region_cell(f, (double)i / steps, check_region_largest_mu(f) * j / steps);
    json_array_append_new(rows, json_string(row));
  }
  free(row);
  json_object_set_new(object, "cells", rows);
  return object;
}

json_t *check_region_page(const check_view *view, int steps) {
  const crd_contact_problem *problem = &view->check->problem;
  json_t *object = json_object(), *contacts = json_array();
  for (int c = 0; c < problem->nc; c++)
    if (view->check->friction[c].rows > 1)
      json_array_append_new(contacts, contact_cells(&view->check->friction[c], problem->contact[c].name, steps));
  json_object_set_new(object, "contacts", contacts);
  json_object_set_new(object, "restitution", restitution_region(view, steps));
  return object;
}

int check_region_write(const char *path, const check_view *view, int steps) {
  cli_output output;
  bool done = true;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  if (cli_is_problem(path)) /* ends in .json */
    done = write_json(output.file, view, steps);
  else
    write_csv(output.file, view, steps);
  return cli_output_end(&output, path, done ? CLI_DONE : CLI_SYSTEM);
}
