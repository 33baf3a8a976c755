/* What `cradle check` says first, in sentences that a person can act on: restitution, each contact's friction, contact.
 */
#include <math.h>
#include <stdarg.h>

#include "check_print.h"

static const char *plural(int count) { return count == 1 ? "" : "s"; }

/* Appends a sentence; about NULL: it goes on about what the last one was about. */
static void say(json_t *list, const char *about, const char *level, const char *format, ...) CRD_PRINTF(4, 5);
static void say(json_t *list, const char *about, const char *level, const char *format, ...) {
  json_t *line = json_object();
  va_list args;
  va_start(args, format);
  if (about) json_object_set_new(line, "about", json_string(about));
  json_object_set_new(line, "level", json_string(level));
  json_object_set_new(line, "text", json_vsprintf(format, args));
  va_end(args);
  json_array_append_new(list, line);
}

static void say_energetic(json_t *list, const check_view *view) {
  const crd_check *c = view->check;
  const crd_contact_problem *problem = view->input->problem;
  const crd_worst_velocity *worst = &c->energy.worst;
  const crd_criterion *energetic = &c->proposition[CRD_PROP2];
  char mend[64] = "; no value of it alone mends that";
  if (!isnan(view->limit)) snprintf(mend, sizeof mend, "; admissible up to %.4g", view->limit);
  if (energetic->unknown)
    say(list, "restitution", "unknown",
        "unknown: the exact test stopped after %d faces; the gain is between %.3g %% and %.3g %%", worst->faces,
        100 * worst->gain, 100 * worst->bound);
  else if (energetic->holds)
    say(list, "restitution", "good", "consistent: no approaching velocity gains energy");
  else if (view->culprit >= 0)
    say(list, "restitution", "bad",
        "INCONSISTENT: e = %.4g at `%s` gains up to %.3g %% energy for the worst approach velocity%s",
        c->Enn[view->culprit * (problem->nc + 1)], problem->contact[view->culprit].name, 100 * worst->gain, mend);
  else
    say(list, "restitution", "bad", "INCONSISTENT: up to %.3g %% energy is gained for the worst approach velocity",
        100 * worst->gain);
}

static void say_restitution(json_t *list, const check_view *view) {
  const crd_check *c = view->check;
  const crd_criterion *kinetic = &c->proposition[CRD_PROP8_KINETIC];
  say_energetic(list, view);
  if (c->gain > 1e-10)
    say(list, NULL, "bad", "at this velocity the normals alone gain %.3g %% (law projection)", 100 * c->gain);
  if (kinetic->applies && !kinetic->holds && view->input->problem->nc > 1)
    say(list, NULL, "note",
        "some approach velocity makes a contact pull: these normals need a unilateral law (moreau)");
}

/* In percent; what rounding made of a zero is zero. */
static double percent(double share) { return fabs(share) < 1e-12 ? 0 : 100 * share; }

static void say_friction(json_t *list, const crd_friction *f, const char *name, double kinetic) {
  char energy[48] = "";
  const char *mode = crd_friction_mode_name(f->mode);
  if (f->rows == 1) return; /* frictionless: all is said by its restitution */
  if (kinetic > 0) snprintf(energy, sizeof energy, ", energy %+.3g %%", percent(f->work / kinetic));
  if (f->mode == CRD_FRICTION_NONE)
    say(list, "friction", "note", "`%s` mu = %.4g, e = %.4g: %s, it is not hit", name, f->mu, f->e, mode);
  else if (f->admissible)
    say(list, "friction", "good", "`%s` mu = %.4g, e = %.4g: %s%s; admissible", name, f->mu, f->e, mode, energy);
  else if (f->mu_static >= f->mu_critical)
    say(list, "friction", "bad",
        "`%s` mu = %.4g, e = %.4g: %s%s; NOT admissible, e may be up to %.4g at this velocity, %.4g at every", name,
        f->mu, f->e, mode, energy, f->e_star, f->e_star_uniform);
  else
    say(list, "friction", "bad", "`%s` mu = %.4g, e = %.4g: %s%s; NOT admissible, mu may be up to %.4g", name, f->mu,
        f->e, mode, energy, f->mu_star);
}

static const char *regime_level(crd_regime regime) {
  if (regime == CRD_REGIME_UNKNOWN) return "unknown";
  return regime == CRD_REGIME_CONTACT || regime == CRD_REGIME_DETACH ? "good" : "bad";
}

static void say_wellposed(json_t *list, const crd_wellposed *w, double mu) {
  char critical[64] = "", assumed[80] = "";
  if (isinf(w->mu_critical))
    snprintf(critical, sizeof critical, ", whatever the friction");
  else if (!isnan(w->mu_critical))
    snprintf(critical, sizeof critical, "; friction is critical at %.4g", w->mu_critical);
  if (w->assumed)
    snprintf(assumed, sizeof assumed, " (%d contact%s taken to slip in the worst direction)", w->assumed,
             plural(w->assumed));
  if (w->p_matrix == CRD_LCP_YES)
    say(list, "contact", "good", "well-posed: one contact force for every load%s%s", critical, assumed);
  else if (w->p_matrix == CRD_LCP_NO)
    say(list, "contact", "bad", "NOT well-posed: mu = %.4g, some loads have no or several contact forces%s%s", mu,
        critical, assumed);
  else
    say(list, "contact", "unknown", "unknown: the test for a P-matrix stopped at its limit%s%s", critical, assumed);
  if (w->b) say(list, NULL, regime_level(w->regime), "here and now: %s", crd_regime_name(w->regime));
}

json_t *check_verdict(const check_view *view) {
  const crd_contact_problem *problem = view->input->problem;
  json_t *list = json_array();
  double mu = 0;
  if (problem->nc == 0) {
    say(list, "contact", "note", "nothing touches at this state");
    return list;
  }
  for (int i = 0; i < problem->nc; i++) mu = fmax(mu, problem->contact[i].mu);
  say_restitution(list, view);
  for (int i = 0; i < problem->nc; i++)
    say_friction(list, &view->check->friction[i], problem->contact[i].name, problem->kinetic);
  say_wellposed(list, &view->check->wellposed, mu);
  return list;
}
