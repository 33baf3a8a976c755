/* The solution of a friction problem for people and for scripts. */
#include <math.h>

#include "solve.h"
#include "table.h"

enum { MOST_CONTACTS = 24 }; /* that are printed one by one */

static int contact_rows(const crd_coulomb_contact *contact) {
  return 1 + contact->ntangent + contact->nspin + contact->nroll;
}

/* "contact 3, tangent 1", "bilateral 0": what a row stands for. */
static void describe_row(const crd_coulomb_problem *problem, int row, char *text, size_t size) {
  snprintf(text, size, "row %d", row);
  for (int k = 0; k < problem->ncontact; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    const int at = row - contact->row, spin = 1 + contact->ntangent, roll = spin + contact->nspin;
    if (at < 0 || at >= contact_rows(contact)) continue;
    if (at == 0)
      snprintf(text, size, "normal of contact %d", k);
    else if (at < spin)
      snprintf(text, size, "tangent %d of contact %d", at, k);
    else if (at < roll)
      snprintf(text, size, "spinning of contact %d", k);
    else
      snprintf(text, size, "rolling %d of contact %d", at - roll + 1, k);
  }
  for (int k = 0; k < problem->nbilateral; k++)
    if (problem->bilateral[k] == row) snprintf(text, size, "bilateral row %d", k);
  for (int k = 0; k < problem->nbounded; k++)
    if (problem->bounded[k].row == row) snprintf(text, size, "bounded row %d", k);
}

/* After proved verdicts: no impulses. */
static bool has_answer(const solve_friction_view *view) { return view->status != CRD_NO_SOLUTION; }

/* The method whose answers stand: of most islands. */
static const char *method_name(const crd_coulomb_report *report) {
  int best = 0;
  for (int k = 0; k < CRD_COULOMB_METHODS; k++)
    if (report->settled[k] > report->settled[best]) best = k;
  return report->settled[best] ? crd_coulomb_method_name((crd_coulomb_method)best) : "none";
}

/* ------------------------------------------------------------------------------------------------ JSON */

static json_t *by_method(const int *count) {
  json_t *object = json_object();
  for (int k = CRD_COULOMB_NEWTON; k < CRD_COULOMB_METHODS; k++)
    json_object_set_new(object, crd_coulomb_method_name((crd_coulomb_method)k), json_integer(count[k]));
  return object;
}

static json_t *residual_json(const crd_coulomb_residual_parts *parts) {
  json_t *object = json_object();
  json_object_set_new(object, "worst", cli_json_number(parts->worst));
  json_object_set_new(object, "normal", cli_json_number(parts->normal));
  json_object_set_new(object, "friction", cli_json_number(parts->friction));
  json_object_set_new(object, "bilateral", cli_json_number(parts->bilateral));
  json_object_set_new(object, "bounded", cli_json_number(parts->bounded));
  json_object_set_new(object, "scale", cli_json_number(parts->scale));
  json_object_set_new(object, "row", json_integer(parts->row));
  return object;
}

static json_t *row_json(const solve_friction_view *view, int row) {
  json_t *object = json_object();
  json_object_set_new(object, "row", json_integer(row));
  json_object_set_new(object, "p", cli_json_number(view->p[row]));
  json_object_set_new(object, "u", cli_json_number(view->u[row]));
  return object;
}

static void add_answer(json_t *object, const solve_friction_view *view) {
  const crd_coulomb_problem *problem = &view->file->problem;
  json_t *contacts = json_array(), *bilateral = json_array(), *bounded = json_array();
  for (int k = 0; k < problem->ncontact; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    json_t *entry = json_object();
    json_object_set_new(entry, "row", json_integer(contact->row));
    json_object_set_new(entry, "mode", json_string(crd_coulomb_mode_name(view->mode[k])));
    json_object_set_new(entry, "p", cli_json_vector(contact_rows(contact), view->p + contact->row));
    json_object_set_new(entry, "u", cli_json_vector(contact_rows(contact), view->u + contact->row));
    json_array_append_new(contacts, entry);
  }
  for (int k = 0; k < problem->nbilateral; k++) json_array_append_new(bilateral, row_json(view, problem->bilateral[k]));
  for (int k = 0; k < problem->nbounded; k++) json_array_append_new(bounded, row_json(view, problem->bounded[k].row));
  json_object_set_new(object, "residual", residual_json(&view->residual));
  json_object_set_new(object, "contacts", contacts);
  json_object_set_new(object, "bilateral", bilateral);
  json_object_set_new(object, "bounded", bounded);
}

static json_t *rivals_json(const solve_friction_view *view) {
  json_t *list = json_array();
  for (int k = 0; k < view->nrival; k++) {
    const solve_rival *rival = &view->rival[k];
    json_t *entry = json_object();
    json_object_set_new(entry, "method", json_string(rival->name));
    json_object_set_new(entry, "status", json_string(rival->status));
    if (rival->answered) {
      json_object_set_new(entry, "iterations", json_integer(rival->iterations));
      json_object_set_new(entry, "residual", cli_json_number(rival->residual));
      json_object_set_new(entry, "cpu_s", cli_json_number(rival->cpu_s));
    }
    json_array_append_new(list, entry);
  }
  return list;
}

bool solve_print_json(FILE *file, const solve_friction_view *view) {
  const crd_coulomb_report *report = &view->report;
  json_t *object = json_object();
  json_object_set_new(object, "input", json_string(view->input));
  json_object_set_new(object, "format", json_string(view->file->format));
  if (view->file->name[0]) json_object_set_new(object, "name", json_string(view->file->name));
  json_object_set_new(object, "n", json_integer(view->file->problem.n));
  json_object_set_new(object, "status", json_string(crd_status_text(view->status)));
  json_object_set_new(object, "method", json_string(method_name(report)));
  json_object_set_new(object, "islands", json_integer(report->islands));
  json_object_set_new(object, "settled", by_method(report->settled));
  json_object_set_new(object, "iterations", by_method(report->iterations));
  json_object_set_new(object, "factorizations", json_integer(report->factorizations));
  json_object_set_new(object, "cpu_s", cli_json_number(view->cpu_s));
  if (view->status != CRD_OK && report->row >= 0) {
    char text[80];
    describe_row(&view->file->problem, report->row, text, sizeof text);
    json_object_set_new(object, "row", json_integer(report->row));
    json_object_set_new(object, "row_is", json_string(text));
  }
  if (has_answer(view)) add_answer(object, view);
  if (view->nrival) json_object_set_new(object, "compare", rivals_json(view));
  return cli_json_print(file, object);
}

/* ------------------------------------------------------------------------------------------------ text */

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* p and u of each contact: normal, tangents, then spinning and rolling where there are such rows. */
static void print_contact_table(FILE *file, const solve_friction_view *view) {
  enum { ROWS = 6, FIXED = 2, DIGITS = 6 };
  static const char *const p_title[ROWS] = {">p_n", ">p_1", ">p_2", ">p_3", ">p_4", ">p_5"};
  static const char *const u_title[ROWS] = {">u_n", ">u_1", ">u_2", ">u_3", ">u_4", ">u_5"};
  static const double ROUNDING = 1e-14;
  const crd_coulomb_problem *problem = &view->file->problem;
  const char *title[FIXED + 2 * ROWS] = {">contact", "mode"};
  int rows = 0;
  for (int k = 0; k < problem->ncontact; k++)
    if (contact_rows(&problem->contact[k]) > rows) rows = contact_rows(&problem->contact[k]);
  for (int i = 0; i < rows; i++) title[FIXED + i] = p_title[i], title[FIXED + rows + i] = u_title[i];
  const double *const part[] = {view->p, view->u};
  cli_table table;
  cli_table_begin(&table, FIXED + 2 * rows, title);
  for (int k = 0; k < problem->ncontact; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    cli_table_add(&table, "%d", k);
    cli_table_add(&table, "%s", crd_coulomb_mode_name(view->mode[k]));
    for (int of = 0; of < 2; of++) {
      const double rounding = ROUNDING * largest(problem->n, part[of]);
      for (int i = 0; i < rows; i++)
        cli_table_add_number(&table, i < contact_rows(contact) ? part[of][contact->row + i] : NAN, DIGITS, rounding);
    }
  }
  cli_table_print(file, &table, 2);
}

static void print_contacts(FILE *file, const solve_friction_view *view) {
  const crd_coulomb_problem *problem = &view->file->problem;
  int count[CRD_MODE_SLIP + 1] = {0};
  for (int k = 0; k < problem->ncontact; k++) count[view->mode[k]]++;
  const char *between = "  modes      ";
  for (int mode = CRD_MODE_SLIP; mode >= CRD_MODE_NONE; mode--) {
    if (!count[mode]) continue;
    fprintf(file, "%s%d %s", between, count[mode], crd_coulomb_mode_name((crd_mode)mode));
    between = ", ";
  }
  fputc('\n', file);
  if (problem->ncontact > MOST_CONTACTS) {
    fprintf(file, "  %d contacts (--json prints them)\n", problem->ncontact);
    return;
  }
  print_contact_table(file, view);
}

static void print_row(FILE *file, const solve_friction_view *view, const char *what, int k, int row) {
  const int n = view->file->problem.n;
  fprintf(file, "  %-9s %-3d         p", what, k);
  cli_print_number(file, view->p[row], largest(n, view->p));
  fprintf(file, "   u");
  cli_print_number(file, view->u[row], largest(n, view->u));
  fputc('\n', file);
}

static void print_rows(FILE *file, const solve_friction_view *view) {
  const crd_coulomb_problem *problem = &view->file->problem;
  if (problem->nbilateral + problem->nbounded > MOST_CONTACTS) {
    fprintf(file, "  %d bilateral, %d bounded rows (--json prints them)\n", problem->nbilateral, problem->nbounded);
    return;
  }
  for (int k = 0; k < problem->nbilateral; k++) print_row(file, view, "bilateral", k, problem->bilateral[k]);
  for (int k = 0; k < problem->nbounded; k++) print_row(file, view, "bounded", k, problem->bounded[k].row);
}

static void print_residual(FILE *file, const solve_friction_view *view) {
  const crd_coulomb_problem *problem = &view->file->problem;
  const crd_coulomb_residual_parts *parts = &view->residual;
  fprintf(file, "  residual   %.3g relative to %.6g:", parts->worst, parts->scale);
  if (problem->ncontact) fprintf(file, " normal %.3g, friction %.3g", parts->normal, parts->friction);
  if (problem->nbilateral) fprintf(file, "%s bilateral %.3g", problem->ncontact ? "," : "", parts->bilateral);
  if (problem->nbounded)
    fprintf(file, "%s bounded %.3g", problem->ncontact + problem->nbilateral ? "," : "", parts->bounded);
  fputc('\n', file);
}

static void print_rivals(FILE *file, const solve_friction_view *view) {
  fprintf(file, "\n  %-16s %-14s %10s %10s %12s\n", "method", "status", "iterations", "residual", "CPU ms");
  for (int k = 0; k < view->nrival; k++) {
    const solve_rival *rival = &view->rival[k];
    fprintf(file, "  %-16s %-14s", rival->name, rival->status);
    if (rival->answered) fprintf(file, " %10d %10.2g %12.4g", rival->iterations, rival->residual, 1e3 * rival->cpu_s);
    fputc('\n', file);
  }
}

static int sum(const int *count) {
  int total = 0;
  for (int k = 0; k < CRD_COULOMB_METHODS; k++) total += count[k];
  return total;
}

void solve_print_text(FILE *file, const solve_friction_view *view) {
  const crd_coulomb_problem *problem = &view->file->problem;
  const crd_coulomb_report *report = &view->report;
  fprintf(file, "%s: %s", view->input, view->file->format);
  if (view->file->name[0]) fprintf(file, " \"%s\"", view->file->name);
  fprintf(file, ", %d contact%s, %d row%s", problem->ncontact, problem->ncontact == 1 ? "" : "s", problem->n,
          problem->n == 1 ? "" : "s");
  if (problem->nbilateral) fprintf(file, ", %d bilateral", problem->nbilateral);
  if (problem->nbounded) fprintf(file, ", %d bounded", problem->nbounded);
  fprintf(file, "\n  %s (%s, %d iterations, %d island%s, %.3g ms)\n", crd_status_text(view->status),
          method_name(report), sum(report->iterations), report->islands, report->islands == 1 ? "" : "s",
          1e3 * view->cpu_s);
  if (view->status != CRD_OK && report->row >= 0) {
    char text[80];
    describe_row(problem, report->row, text, sizeof text);
    fprintf(file, "  %s      %s\n", has_answer(view) ? "worst" : "row  ", text);
  }
  if (has_answer(view)) {
    print_residual(file, view);
    if (problem->ncontact) print_contacts(file, view);
    print_rows(file, view);
  }
  if (view->nrival) print_rivals(file, view);
}
