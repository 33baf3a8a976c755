/* `cradle check` for people: what to do first, then the tables. */
#include <math.h>
#include <string.h>

#include "check_print.h"

static const char *plural(int count) { return count == 1 ? "" : "s"; }

static void say_restitution(FILE *file, const check_view *view) {
  const crd_check *c = view->check;
  const crd_contact_problem *problem = view->input->problem;
  const crd_worst_velocity *worst = &c->energy.worst;
  const crd_criterion *energetic = &c->proposition[CRD_PROP2], *kinetic = &c->proposition[CRD_PROP8_KINETIC];
  if (energetic->unknown) {
    fprintf(file,
            "restitution   unknown: the exact test stopped after %d faces; the gain is between %.3g %% and %.3g %%\n",
            worst->faces, 100 * worst->gain, 100 * worst->bound);
  } else if (energetic->holds) {
    fprintf(file, "restitution   consistent: no approaching velocity gains energy\n");
  } else if (view->culprit >= 0) {
    fprintf(file,
            "restitution   INCONSISTENT: e = %.4g at `%s` gains up to %.3g %% energy for the worst approach velocity",
            c->Enn[view->culprit * (problem->nc + 1)], problem->contact[view->culprit].name, 100 * worst->gain);
    if (isnan(view->limit))
      fprintf(file, "; no value of it alone mends that\n");
    else
      fprintf(file, "; admissible up to %.4g\n", view->limit);
  } else {
    fprintf(file, "restitution   INCONSISTENT: up to %.3g %% energy is gained for the worst approach velocity\n",
            100 * worst->gain);
  }
  if (c->gain > 1e-10)
    fprintf(file, "              at this velocity the normals alone gain %.3g %% (law projection)\n", 100 * c->gain);
  if (kinetic->applies && !kinetic->holds && problem->nc > 1)
    fprintf(
        file,
        "              some approach velocity makes a contact pull: these normals need a unilateral law (moreau)\n");
}

/* In percent; what rounding made of a zero is zero. */
static double percent(double share) { return fabs(share) < 1e-12 ? 0 : 100 * share; }

static void say_friction(FILE *file, const crd_friction *f, const char *name, double kinetic) {
  if (f->rows == 1) return; /* frictionless: all is said by its restitution */
  fprintf(file, "friction      `%s` mu = %.4g, e = %.4g: %s", name, f->mu, f->e, crd_friction_mode_name(f->mode));
  if (f->mode == CRD_FRICTION_NONE) {
    fprintf(file, ", it is not hit\n");
    return;
  }
  if (kinetic > 0) fprintf(file, ", energy %+.3g %%", percent(f->work / kinetic));
  if (f->admissible)
    fprintf(file, "; admissible\n");
  else if (f->mu_static >= f->mu_critical)
    fprintf(file, "; NOT admissible, e may be up to %.4g at this velocity, %.4g at every\n", f->e_star,
            f->e_star_uniform);
  else
    fprintf(file, "; NOT admissible, mu may be up to %.4g\n", f->mu_star);
}

static void say_wellposed(FILE *file, const crd_wellposed *w, double mu) {
  if (w->p_matrix == CRD_LCP_YES)
    fprintf(file, "contact       well-posed: one contact force for every load");
  else if (w->p_matrix == CRD_LCP_NO)
    fprintf(file, "contact       NOT well-posed: mu = %.4g, some loads have no or several contact forces", mu);
  else
    fprintf(file, "contact       unknown: the test for a P-matrix stopped at its limit");
  if (isinf(w->mu_critical))
    fprintf(file, ", whatever the friction");
  else if (!isnan(w->mu_critical))
    fprintf(file, "; friction is critical at %.4g", w->mu_critical);
  if (w->assumed) fprintf(file, " (%d contact%s taken to slip in the worst direction)", w->assumed, plural(w->assumed));
  fprintf(file, "\n");
  if (w->b) fprintf(file, "              here and now: %s\n", crd_regime_name(w->regime));
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

static void print_theorem2(FILE *file, const crd_theorem2 *t) {
  const crd_criterion rows[4] = {
      {"lemma1", "|G^-1| |n_q' H_T| |mu|", CRD_CRITERION_SUFFICIENT, true, t->lemma1, false, t->lemma1_value, 1},
      {"lemma2", "|E| (|E| + 2)", CRD_CRITERION_SUFFICIENT, true, t->lemma2, false, t->lemma2_value, t->lemma2_bound},
      {"theorem2-i", "largest eigenvalue of K against the least of Mbar", CRD_CRITERION_SUFFICIENT, t->E != NULL,
       t->condition_i, false, t->lambda_max_K, t->lambda_min_Mbar},
      {"theorem2-ii", "|qd_norm|/|qd_tan| is at least the bound", CRD_CRITERION_SUFFICIENT, t->condition_i,
       t->condition_ii, false, t->ratio, t->ratio_bound}};
  for (int i = 0; i < 4; i++) print_criterion(file, &rows[i]);
}

static void print_friction_table(FILE *file, const check_view *view) {
  const crd_contact_problem *problem = view->input->problem;
  fprintf(file, "\n  %-14s %8s %8s %9s %9s %9s %9s %-15s %12s\n", "contact", "e", "mu", "mu_cr", "mu*", "e*", "e* all",
          "mode", "e (normals)");
  for (int i = 0; i < problem->nc; i++) {
    const crd_friction *f = &view->check->friction[i];
    fprintf(file, "  %-14.14s %8.4g %8.4g %9.4g %9.4g %9.4g %9.4g %-15s ", problem->contact[i].name, f->e, f->mu,
            f->mu_critical, f->mu_star, f->e_star, f->e_star_uniform,
            f->rows == 1 ? "frictionless" : crd_friction_mode_name(f->mode));
    if (isnan(view->e_low[i]))
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
  const crd_contact_problem *problem = view->input->problem;
  const crd_check *c = view->check;
  double mu = 0, degrees = 180 / acos(-1);
  for (int i = 0; i < problem->nc; i++) mu = fmax(mu, problem->contact[i].mu);
  fprintf(file, "%s: %d contact%s, %d velocities, %d bilateral row%s, rank %d\n\n", view->input->input, problem->nc,
          plural(problem->nc), problem->nv, problem->nb, plural(problem->nb), c->restitution.projection.rank);
  if (problem->nc == 0) {
    fprintf(file, "nothing touches at this state\n");
    return;
  }
  say_restitution(file, view);
  for (int i = 0; i < problem->nc; i++) say_friction(file, &c->friction[i], problem->contact[i].name, problem->kinetic);
  say_wellposed(file, &c->wellposed, mu);
  print_friction_table(file, view);
  fprintf(file, "\n  %-16s %-7s %-10s %11s %11s\n", "criterion", "holds", "kind", "value", "bound");
  for (int i = 0; i < CRD_QUASI_PROPOSITIONS; i++) print_criterion(file, &c->proposition[i]);
  print_theorem2(file, &c->theorem2);
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
  if (view->scan) print_scan(file, view->scan);
}
