/* Impacts of the event-driven integrator: collisions by the chosen law, the end of a series of rebounds, and impacts
 * without collision.
 *
 * Zeno. The rebounds of a pair that shrink geometrically (zeno.c) and have become lower than a twentieth of the
 * permitted gap are taken to their limit: the impact is resolved with e = 0, contacts of all pairs that accumulate at
 * the same instant keep no normal velocity, and the contact persists from now on. The series would have passed on the
 * same total of normal impulse, so the motion along the contact, friction included, is that of the limit. The event is
 * reported at the limit t*.
 *
 * A law without an answer (Newton's may have none, a sequence of single impacts need not end) leaves the instant
 * undecided. The contacts are then compressed only, without restitution, and the event `unresolved` says so. Where even
 * that is not found the step ends with the verdict.
 *
 * Painleve. Where no contact force keeps a sliding contact from closing, the force becomes an impulse: an impact with
 * no approach velocity [Halm & Posa, 2.2.3 and 4.2; Genot & Brogliato 1999]. It is Routh's: normal impulse grows while
 * friction opposes sliding, which drives the contact into compression (W_nn - mu d W_nt < 0) until sliding stops; from
 * there on friction holds or reverses, and the impact ends as any other does. Numerically it starts from an approach
 * that is no rounding of the problem's velocities yet. */
#include <math.h>
#include <string.h>

#include "impact/impact.h"
#include "sim/event.h"

/* Share of the band of closed contacts below which a rebound is over. */
static const double LOWEST_REBOUND = 0.05;

/* Approach that an impact without collision starts from, as a share of the problem's velocities: a hundred times what
 * Routh's law takes for zero. */
static const double FIRST_APPROACH = 1e-10;

static const double SAME_LIMIT = 0.5; /* of the time left: accumulations closer to each other are one */

/* Does the rebound series of this contact, which strikes now, end here? */
static bool is_over(const crd_group *group, const crd_contact *contact, const crd_sim_rebound *pair) {
  if (!isfinite(pair->limit) || contact->e >= 1) return false;
  const crd_zeno_impact *last = &pair->series.impact[pair->series.count - 1];
  return last->approach * (last->t - last[-1].t) / 4 < LOWEST_REBOUND * group->scene->contact_band;
}

/* Do the impacts of this pair accumulate at the same instant as the other pair's? */
static bool joins(const crd_sim_rebound *pair, const crd_sim_rebound *other) {
  return isfinite(pair->limit) &&
         fabs(pair->limit - other->limit) <= SAME_LIMIT * (other->limit - crd_zeno_last(&other->series));
}

/* Notes the contacts that strike; e = 0 for those whose series is over. *over: the pair that accumulates first, or NULL.
 */
static crd_status note_strikes(crd_group *group, crd_sim_rebound **over) {
  crd_status status =
      crd_sim_rebounds_begin(group, crd_event_accurate.horizon * group->event->pace, group->rows->problem->nc);
  *over = NULL;
  if (status != CRD_OK) return status;
  for (int c = 0; c < group->rows->problem->nc; c++) {
    crd_contact *contact = &group->rows->problem->contact[c];
    if (!(group->rows->problem->u[contact->row] < -crd_event_still(group, contact->row, 1))) continue;
    crd_sim_rebound *pair = crd_sim_rebound_note(group, contact, -group->rows->problem->u[contact->row]);
    pair->limit = crd_zeno_limit(&pair->series);
    strncpy(pair->name, contact->name, sizeof pair->name - 1);
    if (!is_over(group, contact, pair)) continue;
    contact->e = 0;
    if (!*over || pair->limit < (*over)->limit) *over = pair;
  }
  return CRD_OK;
}

/* Takes the normal velocity from every contact whose impacts accumulate with those of `over`; what the impact left
 * sticking still sticks. */
static crd_status stop_rebounds(crd_group *group, crd_sim_rebound *over) {
  crd_event_driven *event = group->event;
  const crd_contact_problem *problem = group->rows->problem;
  crd_phase_mode *mode = crd_arena_alloc(&event->scratch, (size_t)problem->nc + 1, sizeof *mode);
  if (!mode) return CRD_ERR_MEMORY;
  for (int c = 0; c < problem->nc; c++) {
    const crd_sim_rebound *pair = crd_sim_rebound_of(group, &problem->contact[c]);
    if (!pair || (pair != over && !joins(pair, over))) continue;
    bool sticks = group->law->result.solution[0].mode[c] == CRD_MODE_STICK;
    mode[c].kind = sticks ? CRD_PHASE_STICK : CRD_PHASE_SLIP;
  }
  crd_tree_velocity(group->model, group->stage->work, group->now.v);
  double before = crd_tree_kinetic_energy(group->model, group->stage->work, group->now.v);
  crd_status status = crd_event_stop_rows(group, problem, mode, 0);
  if (status != CRD_OK) return status;
  crd_tree_velocity(group->model, group->stage->work, group->now.v);
  double change = crd_tree_kinetic_energy(group->model, group->stage->work, group->now.v) - before;
  group->now.work.impact += change;
  /* what the series would have passed on less than the contacts that now persist up to its limit */
  group->ledger.counters.normal_impulse += event->stop_impulse;
  over->energy = change;
  return CRD_OK;
}

crd_status crd_event_impact(crd_group *group, bool inelastic) {
  crd_sim_rebound *over;
  crd_arena_reset(&group->event->scratch);
  crd_status status = note_strikes(group, &over);
  if (status != CRD_OK) return status;
  status = crd_sim_resolve_impact(group, inelastic);
  bool unresolved = status > CRD_OK;
  if (unresolved) status = crd_sim_resolve_inelastic(group);
  if (status != CRD_OK) return status;
  const crd_impact_solution *solution = &group->law->result.solution[0];
  crd_sim_book_impact(group, solution);
  crd_sim_report_impact(group, solution, unresolved ? CRD_EVENT_UNRESOLVED : CRD_EVENT_IMPACT);
  if (!over) return CRD_OK;
  status = stop_rebounds(group, over);
  over->due = over->limit;
  over->series.count = 0, over->limit = INFINITY;
  return status;
}

crd_status crd_event_painleve(crd_group *group, const double *slip) {
  crd_contact_problem *problem = group->rows->problem;
  size_t m = (size_t)(problem->nrow + problem->nb);
  double start = FIRST_APPROACH * crd_impact_scale_of(problem).velocity;
  bool any = false;
  for (int pass = 0; pass < 2 && !any; pass++) {
    /* the contacts that friction drives together by themselves; where only their interplay does, all that slide */
    for (int c = 0; c < problem->nc; c++) {
      const crd_contact *contact = &problem->contact[c];
      const double *row = problem->W + m * (size_t)contact->row, *d = slip + 2 * c;
      double own = row[contact->row];
      for (int k = 0; k < contact->ntangent; k++) own -= contact->mu * d[k] * row[contact->row + 1 + k];
      bool slides = d[0] != 0 || d[1] != 0;
      if (!slides || (pass == 0 && own > 0)) continue;
      problem->u_free[contact->row] = problem->u[contact->row] = -start;
      any = true;
    }
  }
  crd_impact_options options = crd_impact_default();
  options.facets = group->options->facets;
  options.round_cone = true;
  group->ledger.counters.solves++;
  crd_status status =
      any ? crd_impact_resolve(crd_impact_find("routh"), problem, &options, &group->law->result) : CRD_NO_SOLUTION;
  if (status == CRD_OK && group->law->result.count == 0) status = CRD_NO_SOLUTION;
  if (status != CRD_OK) {
    group->ledger.counters.failed_solves++;
    return crd_sim_fail(group, status, "no contact force and no impact without collision at t = %g s: %s", group->now.t,
                        crd_status_text(status));
  }
  crd_sim_book_impact(group, &group->law->result.solution[0]);
  crd_sim_report_impact(group, &group->law->result.solution[0], CRD_EVENT_PAINLEVE);
  return CRD_OK;
}
