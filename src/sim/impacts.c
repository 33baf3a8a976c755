/* Collisions at the present instant, by the chosen law of cradle/impact.h.
 *
 * All points in the band take part; what approaches starts it. A contact that leaves with u_n and falls back with the
 * free acceleration a_n returns after 2 u_n / |a_n|. Where that is less than one step and its rebounds decay (e < 1),
 * the limit is taken at once: the contact is resolved with e = 0 and kept (an event `zeno`). So is a contact whose last
 * rebound did return within one step, whatever brought it back.
 */
#include <math.h>
#include <string.h>

#include "impact/impact.h"
#include "sim/group.h"
#include "sim/groups.h"
#include "sim/partition.h"
#include "sim/prescribed.h"
#include "sim/sim_state.h"

/* Who approaches is decided as in the laws (crd_contact_problem_approaches), by the problem of the instant. A run has one scale
 * more, its step: what moves a body by less than the rounding of its position in a step is no motion. */
static const double NO_MOTION = 1e-15;

/* Beyond this share of sqrt(2 K / mass of all that moves) a contact does not rest, unless it feels less than 1e-12 of
 * that mass: its problem need not be assembled to know. */
static const double DOUBTFUL = 1e-3;

static double slowest(const crd_group *group) { return NO_MOTION * group->scene->size / group->options->timestep; }

static double closing_speed(const crd_group *group, const crd_sim_touch *touch) {
  return crd_sim_closing_speed(group, group->stage->work, &touch->at, group->now.q, group->now.v, NULL);
}

/* Could the touch begin an impact? */
static bool may_strike(const crd_group *group, const crd_sim_touch *touch) {
  bool closed = touch->strikes || touch->at.gap <= group->scene->gap_tolerance;
  return !touch->active && closed && closing_speed(group, touch) > slowest(group);
}

static bool any_may_strike(const crd_group *group) {
  for (int i = 0; i < group->now.touches.count; i++)
    if (may_strike(group, &group->now.touches.item[i])) return true;
  return false;
}

/* Does a touch that can begin the impact approach in the problem that was assembled of it? */
static bool any_strikes(const crd_group *group, const int *contact_of) {
  for (int i = 0; i < group->now.touches.count; i++)
    if (contact_of[i] >= 0 && may_strike(group, &group->now.touches.item[i]) &&
        crd_contact_problem_approaches(group->rows->problem, contact_of[i]))
      return true;
  return false;
}

/* Contacts of group->rows->problem that neither approach nor part are held from now on. */
static void hold_persistent(crd_group *group, const int *contact_of) {
  const crd_contact_problem *problem = group->rows->problem;
  for (int i = 0; i < group->now.touches.count; i++) {
    if (contact_of[i] < 0) continue;
    bool slow = fabs(problem->u[problem->contact[contact_of[i]].row]) <= slowest(group);
    if (slow || crd_contact_problem_persists(problem, contact_of[i])) group->now.touches.item[i].active = true;
  }
}

/* Whether the touch is at a tree that the impact reaches; then both of its trees are reached. */
static bool reach(crd_group *group, const crd_sim_touch *touch, bool starts, bool *more) {
  bool reached = starts;
  const crd_geom *geom = group->model->geom;
  int tree[2] = {crd_sim_tree_of_body(group->scene, geom[touch->at.geomA].body),
                 crd_sim_tree_of_body(group->scene, geom[touch->at.geomB].body)};
  for (int k = 0; k < 2; k++) reached = reached || (tree[k] >= 0 && group->trees->struck[tree[k]]);
  for (int k = 0; k < 2 && reached; k++) {
    if (tree[k] < 0 || group->trees->struck[tree[k]]) continue;
    group->trees->struck[tree[k]] = *more = true;
  }
  return reached;
}

/* The touches that take part: those of trees that touch, directly or through others, a tree whose contact approaches.
 * Nothing happens to the rest, and the law's problem need not contain it. NULL: all (loops and limits may act on any).
 */
static const bool *take_reached(crd_group *group) {
  const crd_sim_touches *touches = &group->now.touches;
  bool more = true;
  if (group->part->nloop > 0) return NULL;
  CRD_EACH (group->part, v, k) group->trees->struck[group->scene->tree_of_dof[k]] = false;
  for (int i = 0; i < touches->count; i++) {
    if (touches->item[i].at.geomA == CRD_SIM_LIMIT) return NULL;
    group->rows->take[i] = closing_speed(group, &touches->item[i]) > slowest(group);
  }
  for (bool starts = true; more; starts = false) {
    more = false;
    for (int i = 0; i < touches->count; i++)
      group->rows->take[i] = reach(group, &touches->item[i], starts && group->rows->take[i], &more);
  }
  return group->rows->take;
}

static bool any_free(const crd_sim_touches *touches) {
  for (int i = 0; i < touches->count; i++)
    if (!touches->item[i].active) return true;
  return false;
}

/* Relative rates of a set-valued law: those of impact number k depend on (seed, k) only, where several groups count by
 * themselves in a step with their lowest tree too. */
static void draw_rates(crd_group *group) {
  const crd_sim *sim = group->sim;
  uint64_t number = (uint64_t)group->ledger.counters.impacts;
  uint32_t stream = 0;
  if (group->number >= 0) {
    number += (uint64_t)sim->whole.ledger.counters.impacts;
    stream = (uint32_t)(sim->groups.trees.item[sim->groups.trees.first[group->number]] + 1) << 16;
  }
  for (int c = 0; c < group->rows->problem->nc; c++)
    group->law->rates[c] = crd_random_uniform(group->options->seed, stream + (uint32_t)c, number);
}

static crd_impact_options default_options(const crd_group *group) {
  crd_impact_options options = crd_impact_default();
  options.facets = group->options->facets;
  options.round_cone = true;
  options.stop = group->options->stop, options.context = group->options->stop_context;
  return options;
}

/* One law on group->rows->problem; a verdict where it has no answer, or does not apply to such a problem. */
static crd_status resolve(crd_group *group, const crd_impact_law *law, double e) {
  crd_impact_options options = default_options(group);
  options.max_solutions = 1; /* further ones, and further orders of a sequence, are expensive */
  options.e = e;
  options.rate = group->law->rates;
  group->ledger.counters.solves++;
  crd_status status = crd_impact_resolve(law, group->rows->problem, &options, &group->law->result);
  if (crd_sim_stopped(group)) return CRD_STOPPED;
  if (status == CRD_ERR_ARGUMENT || (status == CRD_OK && group->law->result.count == 0)) status = CRD_NO_SOLUTION;
  if (status > CRD_OK) group->ledger.counters.failed_solves++;
  return status;
}

/* A law that would bring energy gets as much of its restitution as brings none (src/impact/draw_back.c). The answer
 * without restitution is Poisson's compression, which takes energy whatever the law was. */
static crd_status forbid_gain(crd_group *group) {
  const crd_contact_problem *problem = group->rows->problem;
  crd_impact_options options = default_options(group);
  if (!crd_impact_brings_energy(problem, &group->law->result.solution[0])) return CRD_OK;
  int rows = problem->nrow + problem->nb;
  crd_status status = crd_sim_reserve_rows(group, rows, problem->nc);
  if (status != CRD_OK) return status;
  double residual = group->law->result.solution[0].residual;
  memcpy(group->rows->before, group->law->result.solution[0].p, (size_t)rows * sizeof *group->rows->before);
  status = resolve(group, crd_impact_find("poisson"), 0);
  if (status != CRD_OK) return status;
  crd_impact_solution *s = &group->law->result.solution[0];
  memcpy(group->rows->u, s->p, (size_t)rows * sizeof *group->rows->u);
  memcpy(s->p, group->rows->before, (size_t)rows * sizeof *s->p);
  crd_impact_draw_back(problem, &options, group->rows->u, s);
  s->residual = fmax(s->residual, residual);
  group->law->drawn_back = true;
  return CRD_OK;
}

/* Energies from velocities: summed over impulses that cancel (redundant loops) they would be rounding errors. */
static void measure_energy(crd_group *group) {
  crd_impact_solution *s = &group->law->result.solution[0];
  crd_tree_velocity(group->model, group->stage->work, s->v_plus);
  s->kinetic_after = crd_tree_kinetic_energy(group->model, group->stage->work, s->v_plus);
  crd_tree_velocity(group->model, group->stage->work, group->now.v);
  s->kinetic_before = crd_tree_kinetic_energy(group->model, group->stage->work, group->now.v);
  group->law->driven = crd_sim_prescribed_impact(group, s->p, s->v_plus);
}

static crd_status fail_unresolved(crd_group *group, crd_status status, const crd_impact_law *law) {
  return crd_sim_fail(group, status, "impact of %d contacts at t = %g s (%s): %s", group->rows->problem->nc,
                      group->now.t, law->name,
                      group->law->result.nnote > 0 ? group->law->result.note[0] : crd_status_text(status));
}

crd_status crd_sim_resolve_impact(crd_group *group, bool inelastic) {
  group->law->drawn_back = false;
  draw_rates(group);
  crd_status status = resolve(group, group->options->law, inelastic ? 0 : NAN);
  if (status == CRD_OK && !group->options->as_stated) status = forbid_gain(group);
  if (status == CRD_OK) return measure_energy(group), CRD_OK;
  group->ledger.counters.unresolved += status > CRD_OK;
  return fail_unresolved(group, status, group->options->law);
}

crd_status crd_sim_resolve_inelastic(crd_group *group) {
  const crd_impact_law *poisson = crd_impact_find("poisson");
  crd_status status = resolve(group, poisson, 0);
  if (status == CRD_OK) return measure_energy(group), CRD_OK;
  return fail_unresolved(group, status, poisson);
}

/* Would the contact, leaving with u, come back within one step, and are its rebounds such that decay? */
static bool returns_soon(const crd_group *group, const crd_contact *contact, double u, const double *qacc) {
  if (!(u > 0) || contact->e >= 1) return false;
  return 2 * u < -crd_sim_normal_acceleration(group, contact, qacc) * group->options->timestep;
}

/* Free acceleration after the impact, or NULL. */
static const double *acceleration_after(crd_group *group, const crd_impact_solution *s) {
  double actuation, damping;
  crd_status status = crd_sim_acceleration(group, group->now.t, group->now.q, s->v_plus, group->now.act,
                                           group->stage->acc[0], &actuation, &damping);
  return status == CRD_OK ? group->stage->acc[0] : NULL;
}

/* Is this impact the return of a rebound that began less than a step ago? */
static bool has_just_rebounded(crd_group *group, const crd_contact *contact) {
  const crd_sim_rebound *r = crd_sim_rebound_of(group, contact);
  if (!r || !(group->now.t - crd_zeno_last(&r->series) < group->options->timestep)) return false;
  crd_zeno_series series = r->series;
  crd_zeno_add(&series, group->now.t, fmax(0, -group->rows->problem->u[contact->row]));
  return crd_zeno_returned(&series);
}

/* Adds the impact to the series of its pairs, and forgets those that have ended. */
static crd_status remember_impact(crd_group *group, const crd_impact_solution *s, const double *qacc) {
  crd_status status = crd_sim_rebounds_begin(group, group->options->timestep, group->rows->problem->nc);
  for (int c = 0; status == CRD_OK && c < group->rows->problem->nc; c++) {
    const crd_contact *contact = &group->rows->problem->contact[c];
    if (!(s->p[contact->row] > 0)) continue;
    crd_sim_rebound *r = crd_sim_rebound_note(group, contact, fmax(0, -group->rows->problem->u[contact->row]));
    crd_zeno_leave(&r->series, fmax(0, s->u_plus[contact->row]),
                   qacc ? -crd_sim_normal_acceleration(group, contact, qacc) : 0);
  }
  return status;
}

/* Sets e = 0 where a rebound returns within one step. Returns how many. */
static int stop_short_rebounds(crd_group *group, const crd_impact_solution *s, const double *qacc) {
  int stopped = 0;
  for (int c = 0; qacc && c < group->rows->problem->nc; c++) {
    crd_contact *contact = &group->rows->problem->contact[c];
    if (!(contact->e > 0) || contact->e >= 1 || !(s->p[contact->row] > 0)) continue;
    if (has_just_rebounded(group, contact) || returns_soon(group, contact, s->u_plus[contact->row], qacc))
      contact->e = 0, stopped++;
  }
  return stopped;
}

/* A contact that does not leave is held from now on; so is one that another contact lifts for less than a step (the
 * rocking block near its rest), whose return the persistent problem absorbs. */
static void mark_active(crd_group *group, const crd_impact_solution *s, const double *qacc, const int *contact_of) {
  for (int i = 0; i < group->now.touches.count; i++) {
    crd_sim_touch *touch = &group->now.touches.item[i];
    if (contact_of[i] < 0) continue;
    const crd_contact *contact = &group->rows->problem->contact[contact_of[i]];
    double u = s->u_plus[contact->row];
    double rounding =
        fmax(CRD_APPROACH * crd_contact_problem_speed(group->rows->problem, contact->row), slowest(group));
    touch->active = u <= rounding || (qacc && returns_soon(group, contact, u, qacc));
    touch->force.mode = touch->guess.mode = s->mode[contact_of[i]];
    crd_touch_set_velocity(touch, contact, s->u_plus + contact->row);
  }
}

void crd_sim_report_impact(crd_group *group, const crd_impact_solution *s, crd_sim_event_kind kind) {
  const crd_contact_problem *problem = group->rows->problem;
  crd_sim_event event = {.t = group->now.t, .kind = kind, .contact = "", .v_minus = problem->v};
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    double impulse = s ? s->p[row] : 0;
    event.count += impulse != 0;
    event.impulse += impulse;
    if (-problem->u[row] > event.approach || !event.contact[0])
      event.approach = fmax(-problem->u[row], 0), event.contact = problem->contact[c].name;
  }
  if (s) event.energy = s->kinetic_after - s->kinetic_before - group->law->driven;
  crd_sim_emit(group, &event);
}

void crd_sim_book_impact(crd_group *group, const crd_impact_solution *s) {
  crd_part_copy_v(group->part, group->now.v, s->v_plus);
  crd_sim_forget_forces(group);
  double change = s->kinetic_after - s->kinetic_before - group->law->driven;
  group->now.work.impact += change, group->now.work.actuation += group->law->driven;
  crd_sim_note_gain(group, change, change);
  group->ledger.counters.impacts++;
  group->ledger.counters.drawn_back += group->law->drawn_back, group->law->drawn_back = false;
  group->ledger.counters.residual_max = fmax(group->ledger.counters.residual_max, s->residual);
  crd_sim_note_impulse(group, s->p);
  crd_sim_add_impulses(group, s->p, s->u_plus, s->mode, s->work);
}

/* Touches that rest are held from now on; those that may, as far as can be told without their problem, go into
 * group->rows->take. */
static bool take_doubtful(crd_group *group) {
  double kinetic = crd_tree_kinetic_energy(group->model, group->stage->work, group->now.v);
  double most = DOUBTFUL * sqrt(2 * kinetic / group->mass) + slowest(group);
  bool any = false;
  for (int i = 0; i < group->now.touches.count; i++) {
    crd_sim_touch *touch = &group->now.touches.item[i];
    bool is_limit = touch->at.geomA == CRD_SIM_LIMIT; /* its velocity has a unit of its own */
    double speed = touch->active ? 0 : fabs(closing_speed(group, touch));
    touch->active = touch->active || speed <= slowest(group);
    group->rows->take[i] = !touch->active && (is_limit || speed <= most);
    any = any || group->rows->take[i];
  }
  return any;
}

crd_status crd_sim_mark_resting(crd_group *group) {
  const int *contact_of;
  if (!any_free(&group->now.touches)) return CRD_OK;
  crd_tree_kinematics(group->model, group->stage->work, group->now.q);
  crd_tree_velocity(group->model, group->stage->work, group->now.v);
  if (!take_doubtful(group)) return CRD_OK;
  crd_status status = crd_sim_assemble(group, group->now.q, group->now.v, &group->now.touches, group->rows->take,
                                       CRD_SIM_TO_MEASURE, &contact_of);
  if (status == CRD_OK) hold_persistent(group, contact_of);
  return status;
}

/* Where the law has no answer nothing has happened yet: the step ends after Moreau and Jean (step.c), and the event says
 * why. */
static crd_status resolve_or_tell(crd_group *group) {
  crd_status status = crd_sim_resolve_impact(group, false);
  if (status > CRD_OK) crd_sim_report_impact(group, NULL, CRD_EVENT_UNRESOLVED);
  return status;
}

crd_status crd_sim_impact(crd_group *group, bool *resolved) {
  *resolved = false;
  if (!any_free(&group->now.touches)) return CRD_OK;
  crd_tree_kinematics(group->model, group->stage->work, group->now.q);
  crd_tree_velocity(group->model, group->stage->work, group->now.v);
  if (!any_may_strike(group)) return CRD_OK;
  const int *contact_of;
  crd_status status = crd_sim_assemble(group, group->now.q, group->now.v, &group->now.touches, take_reached(group),
                                       CRD_SIM_TO_STRIKE, &contact_of);
  if (status == CRD_OK && !any_strikes(group, contact_of)) return hold_persistent(group, contact_of), CRD_OK;
  if (status == CRD_OK) status = resolve_or_tell(group);
  if (status != CRD_OK) return status;
  const double *qacc = acceleration_after(group, &group->law->result.solution[0]);
  bool short_rebound = stop_short_rebounds(group, &group->law->result.solution[0], qacc) > 0;
  if (short_rebound) status = resolve_or_tell(group);
  if (status != CRD_OK) return status;
  const crd_impact_solution *s = &group->law->result.solution[0];
  status = remember_impact(group, s, qacc);
  if (status != CRD_OK) return status;
  crd_sim_book_impact(group, s);
  mark_active(group, s, qacc, contact_of);
  crd_sim_report_impact(group, s, CRD_EVENT_IMPACT);
  if (short_rebound) crd_sim_report_impact(group, s, CRD_EVENT_ZENO);
  *resolved = true;
  return CRD_OK;
}
