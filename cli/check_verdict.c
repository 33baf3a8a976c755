/* The first lines of `cradle check`, sentences that a person can act on: restitution, each contact's friction, contact.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "check_print.h"

static const char *plural(int count) { return count == 1 ? "" : "s"; }

static const double GAIN = 1e-9; /* relative: gains below are rounding, as for the laws */

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
  const crd_contact_problem *problem = &view->check->problem;
  const crd_worst_velocity *worst = &c->energy.worst;
  const crd_criterion *energetic = &c->proposition[CRD_PROP2];
  char mend[64] = "";
  const char *much = worst->status == CRD_OK ? "up to" : "at least"; /* the search was cut short */
  if (!isnan(view->limit))
    snprintf(mend, sizeof mend, "; admissible up to %.4g", view->limit);
  else if (view->culprit >= 0 && view->e_status[view->culprit] == CRD_NO_SOLUTION)
    snprintf(mend, sizeof mend, "; no value of it alone corrects this");
  if (energetic->unknown)
    say(list, "restitution", "unknown",
        "unknown: the exact test stopped after %d faces; the gain is between %.3g %% and %.3g %%", worst->faces,
        100 * worst->gain, 100 * worst->bound);
  else if (energetic->holds)
    say(list, "restitution", "good", "consistent: no approaching velocity gains energy");
  else if (view->culprit >= 0)
    say(list, "restitution", "bad",
        "INCONSISTENT: e = %.4g at `%s` gains %s %.3g %% energy for the worst approach velocity%s",
        c->Enn[view->culprit * (problem->nc + 1)], problem->contact[view->culprit].name, much, 100 * worst->gain, mend);
  else
    say(list, "restitution", "bad", "INCONSISTENT: %s %.3g %% energy is gained for the worst approach velocity", much,
        100 * worst->gain);
}

static void say_restitution(json_t *list, const check_view *view) {
  const crd_check *c = view->check;
  const crd_criterion *kinetic = &c->proposition[CRD_PROP8_KINETIC];
  say_energetic(list, view);
  if (c->gain > GAIN)
    say(list, NULL, "bad", "at this velocity the normals alone gain %.3g %% (law projection)", 100 * c->gain);
  if (c->gain_matrix > GAIN)
    say(list, NULL, "bad", "at this velocity the restitution matrix gains %.3g %% (law matrix)", 100 * c->gain_matrix);
  if (!isnan(c->gain_matrix) && !(fabs(c->gain_matrix - c->gain) <= GAIN))
    say(list, NULL, "note",
        "the verdict is on the matrix as `matrix` reads it, on quasi-velocities; `projection` applies it to "
        "velocities");
  if (c->conflict >= 0)
    say(list, NULL, "bad",
        "dependent contacts ask for conflicting rebounds: `%s` asks for %.4g m/s and gets %.4g m/s (law projection)",
        view->input->problem->contact[c->conflict].name, c->conflict_asked, c->conflict_given);
  if (kinetic->applies && !kinetic->holds && view->check->problem.nc > 1)
    say(list, NULL, "note",
        "some approach velocity makes a contact pull: these normals need a unilateral law (moreau)");
}

/* In percent; what rounding made of a zero is zero. */
static double percent(double share) { return fabs(share) < 1e-12 ? 0 : 100 * share; }

static void say_friction(json_t *list, const crd_friction *f, const char *name, double kinetic) {
  char energy[48] = "";
  const char *mode = crd_analysis_friction_mode_name(f->mode);
  if (f->rows == 1) return; /* frictionless: all is said by its restitution */
  if (kinetic > 0) snprintf(energy, sizeof energy, ", energy %+.3g %%", percent(f->work / kinetic));
  if (f->mode == CRD_FRICTION_NONE)
    say(list, "friction", "note", "`%s` mu = %.4g, e = %.4g: %s, it is not hit", name, f->mu, f->e, mode);
  else if (f->admissible)
    say(list, "friction", "good", "`%s` mu = %.4g, e = %.4g: %s%s; admissible", name, f->mu, f->e, mode, energy);
  else if (crd_analysis_friction_admissible(f, f->e, f->mu))
    say(list, "friction", "bad",
        "`%s` mu = %.4g, e = %.4g: %s%s; NOT admissible: the velocities before the impact break the bilateral rows",
        name, f->mu, f->e, mode, energy);
  else if (f->mu_static >= f->mu_critical)
    say(list, "friction", "bad",
        "`%s` mu = %.4g, e = %.4g: %s%s; NOT admissible, e may be up to %.4g at this velocity, %.4g at every", name,
        f->mu, f->e, mode, energy, f->e_star, f->e_star_uniform);
  else
    say(list, "friction", "bad", "`%s` mu = %.4g, e = %.4g: %s%s; NOT admissible, mu may be up to %.4g", name, f->mu,
        f->e, mode, energy, f->mu_star);
}

/* "`A` sticks, `B` opens": what a few contacts do in a motion. */
static void name_modes(const check_view *view, const crd_persistent_motion *motion, char *text, size_t size) {
  static const char *const word[] = {"carries nothing", "opens", "sticks", "slips"};
  enum { FEW = 4 };
  const crd_contact_problem *problem = view->input->problem;
  text[0] = '\0';
  for (int c = 0; c < problem->nc && problem->nc <= FEW; c++) {
    size_t used = strlen(text);
    const crd_contact *contact = &problem->contact[c];
    bool smooth = motion->mode[c] == CRD_MODE_STICK && (contact->ntangent == 0 || !(contact->mu > 0));
    snprintf(text + used, size - used, "%s`%s` %s", c ? ", " : ": ", contact->name,
             smooth ? "carries" : word[motion->mode[c]]);
  }
}

static const char *forces_of(const crd_persistent *p) {
  if (!p->forces_known) return "whether forces are unique is not known";
  return p->verdict.forces_unique ? "forces unique" : "only forces are not unique (hyperstatic)";
}

/* Motion and forces apart: a box on four feet has one motion and many forces. */
static void say_motion(json_t *list, const check_view *view) {
  const crd_persistent *p = view->persistent;
  char modes[256];
  switch (p->verdict.motion) {
    case CRD_MOTION_NONE:
      say(list, "contact", "bad", "no motion (Painleve): no contact forces satisfy Coulomb's law");
      break;
    case CRD_MOTION_UNIQUE:
      name_modes(view, &p->motion[0], modes, sizeof modes);
      say(list, "contact", "good", "motion unique%s, %s%s", p->verdict.proved ? "" : " as far as a search tells",
          forces_of(p), modes);
      break;
    case CRD_MOTION_SEVERAL:
      if (p->count > 1)
        say(list, "contact", "bad", "several motions: %d satisfy Coulomb's law", p->count);
      else
        say(list, "contact", "bad", "several motions: a continuum of them satisfies Coulomb's law");
      break;
    case CRD_MOTION_UNKNOWN:
      say(list, "contact", "unknown",
          p->count ? "unknown: %d contacts have too many modes; one motion was found"
                   : "unknown: the motion of %d contacts could not be decided",
          p->lasting);
      break;
  }
}

static void say_wellposed(json_t *list, const check_view *view, double mu) {
  const crd_wellposed *w = &view->check->wellposed;
  const char *about = view->persistent ? NULL : "contact";
  char critical[64] = "", assumed[80] = "";
  if (isinf(w->mu_critical))
    snprintf(critical, sizeof critical, ", whatever the friction");
  else if (!isnan(w->mu_critical))
    snprintf(critical, sizeof critical, "; friction is critical at %.4g", w->mu_critical);
  if (w->assumed)
    snprintf(assumed, sizeof assumed, " (%d contact%s taken to slip in the worst direction)", w->assumed,
             plural(w->assumed));
  if (w->p_matrix == CRD_LCP_YES)
    say(list, about, "good", "well-posed: one contact force for every load%s%s", critical, assumed);
  else if (w->p_matrix == CRD_LCP_NO && !view->check->quasi.independent)
    say(list, about, "note", "dependent contacts: some loads have several contact forces (hyperstatic)%s", assumed);
  else if (w->p_matrix == CRD_LCP_NO && view->persistent && w->assumed)
    say(list, about, "note", "once sliding, some loads have no or several contact forces at mu = %.4g%s%s", mu,
        critical, assumed);
  else if (w->p_matrix == CRD_LCP_NO)
    say(list, about, "bad", "NOT well-posed: mu = %.4g, some loads have no or several contact forces%s%s", mu, critical,
        assumed);
  else
    say(list, about, "unknown", "unknown: the test for a P-matrix stopped at its limit%s%s", critical, assumed);
}

static void say_held(json_t *list, const check_view *view) {
  for (int i = 0; i < view->check->nheld; i++)
    say(list, "held", "note", "`%s` cannot move: its normal lies in the span of the bilateral rows",
        view->input->problem->contact[view->check->held[i]].name);
}

json_t *check_verdict(const check_view *view) {
  const crd_contact_problem *problem = &view->check->problem;
  json_t *list = json_array();
  double mu = 0;
  if (view->input->problem->nc == 0) say(list, "contact", "note", "nothing touches at this state");
  say_held(list, view);
  if (problem->nc == 0) return list;
  for (int i = 0; i < problem->nc; i++) mu = fmax(mu, problem->contact[i].mu);
  say_restitution(list, view);
  for (int i = 0; i < problem->nc; i++)
    say_friction(list, &view->check->friction[i], problem->contact[i].name, problem->kinetic);
  if (view->persistent) say_motion(list, view);
  say_wellposed(list, view, mu);
  return list;
}

/* The two questions that `check` answers: are the coefficients consistent, is contact well-posed. */
typedef struct judgement {
  bool asked, bad, unknown;
} judgement;

static const char *word_of(const judgement *j, const char *good, const char *bad) {
  return j->bad ? bad : j->unknown ? "undecided" : good;
}

json_t *check_overall(const json_t *findings) {
  judgement coefficients = {0}, contact = {0};
  judgement *now = &contact;
  size_t index;
  json_t *line;
  json_array_foreach(findings, index, line) {
    const char *about = json_string_value(json_object_get(line, "about"));
    const char *level = json_string_value(json_object_get(line, "level"));
    if (about) now = strcmp(about, "restitution") == 0 || strcmp(about, "friction") == 0 ? &coefficients : &contact;
    now->asked = true;
    now->bad = now->bad || strcmp(level, "bad") == 0, now->unknown = now->unknown || strcmp(level, "unknown") == 0;
  }
  if (!coefficients.asked) return json_pack("{s:s, s:s}", "level", "note", "text", "nothing to judge at this state");
  const bool bad = coefficients.bad || contact.bad, unknown = coefficients.unknown || contact.unknown;
  char text[80];
  snprintf(text, sizeof text, "e and mu %s, contact %s", word_of(&coefficients, "consistent", "NOT consistent"),
           word_of(&contact, "well-posed", "NOT well-posed"));
  return json_pack("{s:s, s:s}", "level", bad ? "bad" : unknown ? "unknown" : "good", "text", text);
}
