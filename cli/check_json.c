/* The JSON object of `cradle check`, keys as in CONTRACT.md. */
#include <math.h>

#include "check_print.h"
#include "motions.h"

static void put(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }
static void number(json_t *object, const char *key, double value) { put(object, key, cli_json_number(value)); }
static void truth(json_t *object, const char *key, bool value) { put(object, key, json_boolean(value)); }
static void text(json_t *object, const char *key, const char *value) { put(object, key, json_string(value)); }

/* yes, no, or null where it is not decided */
static void answer(json_t *object, const char *key, crd_lcp_answer value) {
  put(object, key, value == CRD_LCP_UNDECIDED ? json_null() : json_boolean(value == CRD_LCP_YES));
}

static void verdict(json_t *object, const char *key, const crd_criterion *c) {
  put(object, key, !c->applies || c->unknown ? json_null() : json_boolean(c->holds));
}

static json_t *criterion(const crd_criterion *c) {
  json_t *object = json_object();
  text(object, "name", c->name);
  text(object, "says", c->says);
  text(object, "kind", c->kind == CRD_CRITERION_EXACT ? "exact" : "sufficient");
  truth(object, "applies", c->applies);
  verdict(object, "holds", c);
  number(object, "value", c->value);
  number(object, "bound", c->bound);
  return object;
}

static json_t *quasi(const crd_quasi_basis *b) {
  json_t *object = json_object();
  put(object, "norm", cli_json_vector(b->nc, b->norm_minus));
  put(object, "tan", cli_json_vector(b->ntan, b->tan_minus));
  put(object, "basis_n", cli_json_matrix(b->nc, b->nv, b->n_q));
  put(object, "basis_t", cli_json_matrix(b->ntan, b->nv, b->t_q));
  put(object, "gradient_norm", cli_json_vector(b->nc, b->norm));
  put(object, "G", cli_json_matrix(b->nc, b->nc, b->G));
  put(object, "coupling", cli_json_matrix(b->nc, b->nslip, b->nH));
  number(object, "kinetic", b->kinetic);
  number(object, "kinetic_normal", b->kinetic_normal);
  number(object, "kinetic_tangential", b->kinetic_tangential);
  return object;
}

static json_t *angles(const crd_quasi_basis *b) {
  json_t *rows = json_array();
  for (int i = 0; i < b->nc; i++) {
    json_t *row = json_array();
    for (int j = 0; j < b->nc; j++)
      json_array_append_new(row, cli_json_number(b->angle[i * b->nc + j] * 180 / acos(-1)));
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t *projection(const crd_check *c) {
  const crd_projection *p = &c->restitution.projection;
  json_t *object = json_object();
  put(object, "P", cli_json_matrix(p->nv, p->nv, p->P));
  put(object, "S", cli_json_matrix(p->nv, p->nv, p->S));
  put(object, "rank", json_integer(p->rank));
  put(object, "energy_matrix", cli_json_matrix(p->nv, p->nv, c->impact.energy));
  put(object, "projected_inertia", cli_json_matrix(p->nv, p->nv, p->inertia));
  put(object, "rows", json_integer(p->rows));
  put(object, "dependence", cli_json_vector(p->rows, p->dependence));
  put(object, "G", cli_json_matrix(p->nv, p->rows, p->G));
  put(object, "Q", cli_json_matrix(p->rows, p->rows, p->Q));
  number(object, "nu_min", p->nu_min);
  number(object, "nu_max", p->nu_max);
  number(object, "cond_min", p->cond_min);
  return object;
}

static json_t *restitution(const check_view *view) {
  const crd_check *c = view->check;
  const crd_criterion *p = c->proposition;
  int nc = c->restitution.contacts;
  json_t *object = json_object(), *list = json_array(), *worst = json_object(), *range = json_array();
  verdict(object, "energetic", &p[CRD_PROP2]);
  verdict(object, "kinetic", &p[CRD_PROP8_KINETIC]);
  verdict(object, "kinematic", &p[CRD_PROP8_KINEMATIC]);
  verdict(object, "prop5", &p[CRD_PROP5]);
  verdict(object, "prop6", &p[CRD_PROP6]);
  verdict(object, "prop7", &p[CRD_PROP7]);
  verdict(object, "admissible", &p[CRD_PROP8]);
  number(object, "t_max", c->t_max);
  number(object, "gain", c->gain);
  number(object, "gain_matrix", c->gain_matrix);
  put(object, "conflict",
      c->conflict < 0 ? json_null()
                      : json_pack("{s:s, s:f, s:f}", "contact", view->input->problem->contact[c->conflict].name,
                                  "asked", c->conflict_asked, "given", c->conflict_given));
  number(object, "lambda_max_printed", c->energy.printed);
  number(object, "lambda_max_restricted", c->energy.restricted);
  number(object, "gain_any", c->energy.gain_any);
  text(worst, "status", crd_status_text(c->energy.worst.status));
  number(worst, "gain", c->energy.worst.gain);
  number(worst, "bound", c->energy.worst.bound);
  put(worst, "u_n", cli_json_vector(nc, c->energy.worst.u));
  put(worst, "v", cli_json_vector(c->restitution.projection.nv, c->energy.worst.v));
  put(object, "worst", worst);
  for (int i = 0; i < nc; i++) {
    double interval[2] = {view->e_low[i], view->e_high[i]};
    json_array_append_new(range, isnan(interval[0]) ? json_null() : cli_json_vector(2, interval));
  }
  put(object, "e_interval", range);
  for (int i = 0; i < CRD_QUASI_PROPOSITIONS; i++) json_array_append_new(list, criterion(&p[i]));
  put(object, "propositions", list);
  return object;
}

static json_t *friction(const crd_friction *f, const char *name) {
  json_t *object = json_object();
  put(object, "Q", check_discriminator_json(f));
  text(object, "name", name);
  number(object, "e", f->e);
  number(object, "mu", f->mu);
  number(object, "mu_critical", f->mu_critical);
  number(object, "mu_star", f->mu_star);
  number(object, "e_star", f->e_star);
  number(object, "e_star_uniform", f->e_star_uniform);
  number(object, "discriminator", f->sigma);
  text(object, "mode", crd_analysis_friction_mode_name(f->mode));
  truth(object, "admissible", f->admissible);
  truth(object, "admissible_uniform", f->admissible_uniform);
  put(object, "outcomes", json_integer(f->outcomes));
  put(object, "impulse", cli_json_vector(f->rows, f->impulse));
  number(object, "g", f->g);
  number(object, "energy_change", f->work);
  put(object, "D", cli_json_matrix(f->rows, f->rows, f->D));
  put(object, "G", cli_json_matrix(f->rows, f->rows, f->G));
  return object;
}

/* Of contacts that last, what can happen from now on; else of the LCP (26) for contacts that slip as they do. */
static crd_regime regime_of(const check_view *view) {
  return view->persistent ? view->persistent->regime : view->check->wellposed.regime;
}

static json_t *wellposed(const check_view *view) {
  const crd_wellposed *w = &view->check->wellposed;
  json_t *object = json_object(), *list = json_array();
  const crd_criterion *all[5] = {&w->prop12, &w->prop13, &w->prop14, &w->prop14_spectral, &w->prop15};
  answer(object, "p_matrix", w->p_matrix);
  answer(object, "positive_definite", w->positive_definite);
  answer(object, "copositive", w->copositive);
  answer(object, "strictly_copositive", w->strictly_copositive);
  number(object, "mu_critical", w->mu_critical);
  number(object, "prop14_bound", w->prop14.bound);
  number(object, "prop14_value", w->prop14.value);
  put(object, "D", cli_json_matrix(w->p, w->p, w->D));
  put(object, "b", w->b ? cli_json_vector(w->p, w->b) : json_null());
  text(object, "regime", crd_analysis_regime_name(regime_of(view)));
  put(object, "solutions", w->b && w->assumed == 0 ? cli_json_matrix(w->solutions, w->p, w->lambda_bar) : json_null());
  put(object, "slip_assumed", json_integer(w->assumed));
  for (int i = 0; i < 5; i++) json_array_append_new(list, criterion(all[i]));
  put(object, "propositions", list);
  return object;
}

static json_t *theorem2(const crd_theorem2 *t) {
  json_t *object = json_object(), *list = json_array();
  crd_criterion rows[4];
  truth(object, "holds", t->holds);
  truth(object, "lemma1", t->lemma1);
  number(object, "lemma1_value", t->lemma1_value);
  truth(object, "lemma2", t->lemma2);
  number(object, "lemma2_value", t->lemma2_value);
  number(object, "lemma2_bound", t->lemma2_bound);
  truth(object, "condition_i", t->condition_i);
  number(object, "lambda_min_Mbar", t->lambda_min_Mbar);
  number(object, "lambda_max_K", t->lambda_max_K);
  truth(object, "condition_ii", t->condition_ii);
  number(object, "ratio", t->ratio);
  number(object, "ratio_bound", t->ratio_bound);
  number(object, "energy_change", t->energy);
  number(object, "energy_bound", t->bound);
  check_theorem2_criteria(t, rows);
  for (int i = 0; i < 4; i++) json_array_append_new(list, criterion(&rows[i]));
  put(object, "propositions", list);
  return object;
}

static json_t *scan_object(const check_scan *scan) {
  json_t *object = json_object(), *values = json_array();
  for (int i = 0; i < scan->count; i++)
    json_array_append_new(values, cli_json_number(scan->from + (scan->to - scan->from) * i / (scan->count - 1)));
  text(object, "joint", scan->joint);
  put(object, "value", values);
  put(object, "mu_critical", cli_json_vector(scan->count, scan->mu));
  number(object, "mu_critical_min", scan->least);
  number(object, "at", scan->at);
  return object;
}

json_t *check_json(const check_view *view) {
  const crd_contact_problem *problem = &view->check->problem;
  const crd_check *c = view->check;
  json_t *object = json_object(), *lmi = json_object(), *list = json_array(), *held = json_array();
  text(object, "input", view->input->input);
  json_t *findings = check_verdict(view);
  put(object, "overall", check_overall(findings));
  put(object, "verdict", findings);
  put(object, "quasi", quasi(&c->quasi));
  put(object, "quasi_impact", check_quasi_impact_json(&c->quasi, c->Enn));
  put(object, "quasi_motions", check_quasi_motions_json(view));
  put(object, "delassus_normalized", cli_json_matrix(problem->nc, problem->nc, c->quasi.delassus));
  put(object, "kinetic_angles_deg", angles(&c->quasi));
  put(object, "projection", projection(c));
  put(object, "restitution", restitution(view));
  truth(lmi, "feasible", c->energy.restricted_holds);
  number(lmi, "margin", c->energy.margin);
  number(lmi, "t_max_sdp", c->t_max_sdp);
  put(object, "lmi", lmi);
  for (int i = 0; i < problem->nc; i++)
    json_array_append_new(list, friction(&c->friction[i], problem->contact[i].name));
  for (int i = 0; i < c->nheld; i++)
    json_array_append_new(held, json_string(view->input->problem->contact[c->held[i]].name));
  put(object, "friction", list);
  put(object, "held", held);
  put(object, "wellposed", wellposed(view));
  put(object, "persistent", cli_motions_json(view->input->problem, view->persistent));
  put(object, "theorem2", theorem2(&c->theorem2));
  if (view->scan) put(object, "scan", scan_object(view->scan));
  return object;
}
