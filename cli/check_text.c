/* `cradle check` for people: what to do first, then the tables. */
#include <math.h>
#include <string.h>

#include "check_print.h"
#include "motions.h"

static const char *plural(int count) { return count == 1 ? "" : "s"; }

static void print_verdict(FILE *file, json_t *verdict) {
  size_t index;
  json_t *line;
  json_array_foreach(verdict, index, line) {
    const char *about = json_string_value(json_object_get(line, "about"));
    fprintf(file, "%-14s%s\n", about ? about : "", json_string_value(json_object_get(line, "text")));
  }
  json_decref(verdict);
}

static void print_criterion(FILE *file, const crd_criterion *c) {
  const char *word = !c->applies ? "-" : c->unknown ? "unknown" : c->holds ? "yes" : "no";
  fprintf(file, "  %-16s %-7s %-10s ", c->name, word, c->kind == CRD_CRITERION_EXACT ? "exact" : "sufficient");
  if (c->applies)
    fprintf(file, "%11.5g %11.5g  ", c->value, c->bound);
  else
    fprintf(file, "%11s %11s  ", "", "");
  fprintf(file, "%s\n", c->says);
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

/* A number in 9 columns; what does not exist here is a dash. */
static void print_number(FILE *file, double x) {
  if (isnan(x))
    fprintf(file, " %9s", "-");
  else
    fprintf(file, " %9.4g", x);
}

static void print_friction_table(FILE *file, const check_view *view) {
  const crd_contact_problem *problem = &view->check->problem;
  fprintf(file, "\n  %-14s %8s %8s %9s %9s %9s %9s %-15s %12s\n", "contact", "e", "mu", "mu_cr", "mu*", "e*", "e* all",
          "mode", "e (normals)");
  for (int i = 0; i < problem->nc; i++) {
    const crd_friction *f = &view->check->friction[i];
    fprintf(file, "  %-14.14s %8.4g %8.4g", problem->contact[i].name, f->e, f->mu);
    print_number(file, f->mu_critical), print_number(file, f->mu_star);
    print_number(file, f->e_star), print_number(file, f->e_star_uniform);
    fprintf(file, " %-15s ", f->rows == 1 ? "frictionless" : crd_analysis_friction_mode_name(f->mode));
    if (view->e_status[i] == CRD_UNKNOWN)
      fprintf(file, "unknown\n");
    else if (isnan(view->e_low[i]))
      fprintf(file, "none\n");
    else
      fprintf(file, "%.4g .. %.4g\n", view->e_low[i], view->e_high[i]);
  }
}

static void print_scan(FILE *file, const check_scan *scan) {
  fprintf(file, "\nscan of joint `%s`: least critical friction %.10g at %.10g\n", scan->joint, scan->least, scan->at);
  int stride = scan->count > 24 ? (scan->count + 23) / 24 : 1;
  for (int i = 0; i < scan->count; i += stride)
    fprintf(file, "  %11.6g  %11.6g\n", scan->from + (scan->to - scan->from) * i / (scan->count - 1), scan->mu[i]);
}

void check_print_text(FILE *file, const check_view *view) {
  const crd_contact_problem *problem = &view->check->problem;
  const crd_check *c = view->check;
  const double degrees = 180 / acos(-1);
  crd_criterion theorem2[4];
  fprintf(file, "%s: %d contact%s, %d velocities, %d bilateral row%s, rank %d\n\n", view->input->input,
          view->input->problem->nc, plural(view->input->problem->nc), problem->nv, problem->nb, plural(problem->nb),
          c->restitution.projection.rank);
  print_verdict(file, check_verdict(view));
  if (problem->nc == 0) return;
  print_friction_table(file, view);
  fprintf(file, "\n  %-16s %-7s %-10s %11s %11s\n", "criterion", "holds", "kind", "value", "bound");
  for (int i = 0; i < CRD_QUASI_PROPOSITIONS; i++) print_criterion(file, &c->proposition[i]);
  check_theorem2_criteria(&c->theorem2, theorem2);
  for (int i = 0; i < 4; i++) print_criterion(file, &theorem2[i]);
  const crd_wellposed *w = &c->wellposed;
  const crd_criterion *all[5] = {&w->prop12, &w->prop13, &w->prop14, &w->prop14_spectral, &w->prop15};
  for (int i = 0; i < 5; i++) print_criterion(file, all[i]);
  fprintf(file, "\n  LMI (56) margin %.6g; E may be scaled by %.6g", c->energy.margin, c->t_max);
  if (!isnan(c->t_max_sdp)) fprintf(file, " (semidefinite program: %.6g)", c->t_max_sdp);
  fprintf(file, "\n");
  if (problem->nc <= CLI_WIDEST) {
    double angle[CLI_WIDEST * CLI_WIDEST];
    for (int i = 0; i < problem->nc * problem->nc; i++) angle[i] = c->quasi.angle[i] * degrees;
    cli_print_matrix(file, "angles", problem->nc, problem->nc, angle);
  }
  cli_print_vector(file, "qd_norm", c->quasi.nc, c->quasi.norm_minus);
  cli_print_vector(file, "qd_tan", c->quasi.ntan, c->quasi.tan_minus);
  cli_print_matrix(file, "D", w->p, w->p, w->D);
  if (w->b) cli_print_vector(file, "b", w->p, w->b);
  cli_motions_print(file, view->input->problem, view->persistent);
  if (view->scan) print_scan(file, view->scan);
}
