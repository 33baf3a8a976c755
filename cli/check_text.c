/* `cradle check` for people: the findings, the tables, and one verdict at the end. */
#include <math.h>
#include <string.h>

#include "check_print.h"
#include "motions.h"
#include "table.h"

static const char *plural(int count) { return count == 1 ? "" : "s"; }

enum { ABOUT = 14, DIGITS = 4 };

static void print_findings(FILE *file, const json_t *findings) {
  size_t index;
  json_t *line;
  json_array_foreach(findings, index, line) {
    const char *about = json_string_value(json_object_get(line, "about"));
    fprintf(file, "%-*s", ABOUT, about ? about : "");
    cli_print_wrapped(file, json_string_value(json_object_get(line, "text")), ABOUT, ABOUT, cli_columns());
  }
}

static void add_criterion(cli_table *table, const crd_criterion *c) {
  cli_table_add(table, "%s", !c->applies ? "-" : c->unknown ? "unknown" : c->holds ? "yes" : "no");
  cli_table_add(table, "%s", c->kind == CRD_CRITERION_EXACT ? "exact" : "sufficient");
  cli_table_add_number(table, c->applies ? c->value : NAN, 5, 0);
  cli_table_add_number(table, c->applies ? c->bound : NAN, 5, 0);
  cli_table_add(table, "%s", c->name);
  cli_table_add(table, "%s", c->says);
}

void check_theorem2_criteria(const crd_theorem2 *t, crd_criterion rows[4]) {
  const crd_criterion all[4] = {
      {"lemma1", "|G^-1| |n_q' H_T| |mu|", CRD_CRITERION_SUFFICIENT, true, t->lemma1, false, t->lemma1_value, 1},
      {"lemma2", "|E| (|E| + 2)", CRD_CRITERION_SUFFICIENT, true, t->lemma2, false, t->lemma2_value, t->lemma2_bound},
      {"theorem2-i", "largest eigenvalue of K against the least of Mbar", CRD_CRITERION_SUFFICIENT, t->E != NULL,
       t->condition_i, false, t->lambda_max_K, t->lambda_min_Mbar},
      {"theorem2-ii", "|qd_norm|/|qd_tan| is at least the bound", CRD_CRITERION_SUFFICIENT, t->condition_i,
       t->condition_ii, false, t->ratio, t->ratio_bound}};
  memcpy(rows, all, sizeof all);
}

static void print_friction_table(FILE *file, const check_view *view) {
  static const char *const title[] = {"contact", ">e",      ">mu",  ">mu_cr",     ">mu*",
                                      ">e*",     ">e* all", "mode", "e (normals)"};
  const crd_contact_problem *problem = &view->check->problem;
  cli_table table;
  cli_table_begin(&table, sizeof title / sizeof *title, title);
  for (int i = 0; i < problem->nc; i++) {
    const crd_friction *f = &view->check->friction[i];
    const double number[] = {f->e, f->mu, f->mu_critical, f->mu_star, f->e_star, f->e_star_uniform};
    cli_table_add(&table, "%s", problem->contact[i].name);
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) cli_table_add_number(&table, number[k], DIGITS, 0);
    cli_table_add(&table, "%s", f->rows == 1 ? "frictionless" : crd_analysis_friction_mode_name(f->mode));
    if (view->e_status[i] == CRD_UNKNOWN)
      cli_table_add(&table, "unknown");
    else if (isnan(view->e_low[i]))
      cli_table_add(&table, "none");
    else
      cli_table_add(&table, "%.*g .. %.*g", DIGITS, view->e_low[i], DIGITS, view->e_high[i]);
  }
  fputc('\n', file);
  cli_table_print(file, &table, 2);
}

static void print_criteria(FILE *file, const check_view *view) {
  static const char *const title[] = {"holds", "kind", ">value", ">bound", "criterion", "compares"};
  const crd_check *c = view->check;
  const crd_wellposed *w = &c->wellposed;
  crd_criterion theorem2[4];
  cli_table table;
  cli_table_begin(&table, sizeof title / sizeof *title, title);
  for (int i = 0; i < CRD_QUASI_PROPOSITIONS; i++) add_criterion(&table, &c->proposition[i]);
  check_theorem2_criteria(&c->theorem2, theorem2);
  for (int i = 0; i < 4; i++) add_criterion(&table, &theorem2[i]);
  const crd_criterion *all[5] = {&w->prop12, &w->prop13, &w->prop14, &w->prop14_spectral, &w->prop15};
  for (int i = 0; i < 5; i++) add_criterion(&table, all[i]);
  fputc('\n', file);
  cli_table_print(file, &table, 2);
  fprintf(file, "\n  LMI (56) margin %.6g; E may be scaled by %.6g", c->energy.margin, c->t_max);
  if (!isnan(c->t_max_sdp)) fprintf(file, " (semidefinite program: %.6g)", c->t_max_sdp);
  fprintf(file, "\n");
}

static void print_matrices(FILE *file, const check_view *view) {
  const crd_contact_problem *problem = &view->check->problem;
  const crd_check *c = view->check;
  const crd_wellposed *w = &c->wellposed;
  const double degrees = 180 / acos(-1);
  if (problem->nc <= CLI_WIDEST) {
    double angle[CLI_WIDEST * CLI_WIDEST];
    for (int i = 0; i < problem->nc * problem->nc; i++) angle[i] = c->quasi.angle[i] * degrees;
    cli_print_matrix(file, "angles", problem->nc, problem->nc, angle);
  }
  cli_print_vector(file, "qd_norm", c->quasi.nc, c->quasi.norm_minus);
  cli_print_vector(file, "qd_tan", c->quasi.ntan, c->quasi.tan_minus);
  cli_print_matrix(file, "D", w->p, w->p, w->D);
  if (w->b) cli_print_vector(file, "b", w->p, w->b);
}

static void print_scan(FILE *file, const check_scan *scan) {
  fprintf(file, "\nscan of joint `%s`: least critical friction %.10g at %.10g\n", scan->joint, scan->least, scan->at);
  int stride = scan->count > 24 ? (scan->count + 23) / 24 : 1;
  for (int i = 0; i < scan->count; i += stride)
    fprintf(file, "  %11.6g  %11.6g\n", scan->from + (scan->to - scan->from) * i / (scan->count - 1), scan->mu[i]);
}

void check_print_text(FILE *file, const check_view *view, bool criteria) {
  const crd_contact_problem *problem = &view->check->problem;
  json_t *findings = check_verdict(view), *overall = check_overall(findings);
  fprintf(file, "%s: %d contact%s, %d velocities, %d bilateral row%s, rank %d\n\n", view->input->input,
          view->input->problem->nc, plural(view->input->problem->nc), problem->nv, problem->nb, plural(problem->nb),
          view->check->restitution.projection.rank);
  print_findings(file, findings);
  if (problem->nc > 0) {
    print_friction_table(file, view);
    if (criteria) print_criteria(file, view), print_matrices(file, view);
    cli_motions_print(file, view->input->problem, view->persistent);
    if (view->scan) print_scan(file, view->scan);
  }
  fprintf(file, "\nverdict: %s\n", json_string_value(json_object_get(overall, "text")));
  json_decref(overall);
  json_decref(findings);
}
