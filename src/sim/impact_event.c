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
#include "sim/groups.h"
#include "sim/partition.h"
#include "sim/sim_state.h"

/* Who approaches is decided as in the laws (crd_contact_problem_approaches), by the problem of the instant. A run has one scale
 * more, its step: what moves a body by less than the rounding of its position in a step is no motion. */
static const double NO_MOTION = 1e-15;

/* Beyond this share of sqrt(2 K / mass of all that moves) a contact does not rest, unless it feels less than 1e-12 of
 * that mass: its problem need not be assembled to know. */
static const double DOUBTFUL = 1e-3;

static double slowest(const crd_sim *sim) { return NO_MOTION * sim->scene.size / sim->options.timestep; }

static double closing_speed(const crd_sim *sim, const crd_sim_touch *touch) {
  return crd_sim_closing_speed(sim, sim->stage.work, &touch->at, sim->now.q, sim->now.v, NULL);
}

/* Could the touch begin an impact? */
static bool may_strike(const crd_sim *sim, const crd_sim_touch *touch) {
  bool closed = touch->strikes || touch->at.gap <= sim->scene.gap_tolerance;
  return !touch->active && closed && closing_speed(sim, touch) > slowest(sim);
}

static bool any_may_strike(const crd_sim *sim) {
  for (int i = 0; i < sim->now.touches.count; i++)
    if (may_strike(sim, &sim->now.touches.item[i])) return true;
  return false;
}

/* Does a touch that can begin the impact approach in the problem that was assembled of it? */
static bool any_strikes(const crd_sim *sim, const int *contact_of) {
  for (int i = 0; i < sim->now.touches.count; i++)
    if (contact_of[i] >= 0 && may_strike(sim, &sim->now.touches.item[i]) &&
        crd_contact_problem_approaches(sim->rows.problem, contact_of[i]))
      return true;
  return false;
}

/* Contacts of sim->rows.problem that neither approach nor part are held from now on. */
static void hold_persistent(crd_sim *sim, const int *contact_of) {
  const crd_contact_problem *problem = sim->rows.problem;
  for (int i = 0; i < sim->now.touches.count; i++) {
    if (contact_of[i] < 0) continue;
    bool slow = fabs(problem->u[problem->contact[contact_of[i]].row]) <= slowest(sim);
    if (slow || crd_contact_problem_persists(problem, contact_of[i])) sim->now.touches.item[i].active = true;
  }
}

/* Whether the touch is at a tree that the impact reaches; then both of its trees are reached. */
static bool reach(crd_sim *sim, const crd_sim_touch *touch, bool starts, bool *more) {
  bool reached = starts;
  const crd_geom *geom = sim->model->geom;
  int tree[2] = {crd_sim_tree_of_body(sim, geom[touch->at.geomA].body),
                 crd_sim_tree_of_body(sim, geom[touch->at.geomB].body)};
  for (int k = 0; k < 2; k++) reached = reached || (tree[k] >= 0 && sim->trees.struck[tree[k]]);
  for (int k = 0; k < 2 && reached; k++) {
    if (tree[k] < 0 || sim->trees.struck[tree[k]]) continue;
    sim->trees.struck[tree[k]] = *more = true;
  }
  return reached;
}

/* The touches that take part: those of trees that touch, directly or through others, a tree whose contact approaches.
 * Nothing happens to the rest, and the law's problem need not contain it. NULL: all (loops and limits may act on any).
 */
static const bool *take_reached(crd_sim *sim) {
  const crd_sim_touches *touches = &sim->now.touches;
  bool more = true;
  if (sim->part.nloop > 0) return NULL;
  CRD_EACH (&sim->part, v, k) sim->trees.struck[sim->scene.tree_of_dof[k]] = false;
  for (int i = 0; i < touches->count; i++) {
    if (touches->item[i].at.geomA == CRD_SIM_LIMIT) return NULL;
    sim->rows.take[i] = closing_speed(sim, &touches->item[i]) > slowest(sim);
  }
  for (bool starts = true; more; starts = false) {
    more = false;
    for (int i = 0; i < touches->count; i++)
      sim->rows.take[i] = reach(sim, &touches->item[i], starts && sim->rows.take[i], &more);
  }
  return sim->rows.take;
}

static bool any_free(const crd_sim_touches *touches) {
  for (int i = 0; i < touches->count; i++)
    if (!touches->item[i].active) return true;
  return false;
}

/* Relative rates of a set-valued law: those of impact number k depend on (seed, k) only. */
static void draw_rates(crd_sim *sim) {
  for (int c = 0; c < sim->rows.problem->nc; c++)
    sim->law.rates[c] = crd_random_uniform(sim->options.seed, (uint32_t)c, (uint64_t)sim->ledger.counters.impacts);
}

static crd_impact_options default_options(const crd_sim *sim) {
  crd_impact_options options = crd_impact_default();
  options.facets = sim->options.facets;
  options.round_cone = true;
  options.stop = sim->options.stop, options.context = sim->options.stop_context;
  return options;
}

/* One law on sim->rows.problem; a verdict where it has no answer, or does not apply to such a problem. */
static crd_status resolve(crd_sim *sim, const crd_impact_law *law, double e) {
  crd_impact_options options = default_options(sim);
  options.max_solutions = 1; /* further ones, and further orders of a sequence, are expensive */
  options.e = e;
  options.rate = sim->law.rates;
  sim->ledger.counters.solves++;
  crd_status status = crd_impact_resolve(law, sim->rows.problem, &options, &sim->law.result);
  if (crd_sim_stopped(sim)) return CRD_STOPPED;
  if (status == CRD_ERR_ARGUMENT || (status == CRD_OK && sim->law.result.count == 0)) status = CRD_NO_SOLUTION;
  if (status > CRD_OK) sim->ledger.counters.failed_solves++;
  return status;
}

/* A law that would bring energy gets as much of its restitution as brings none (src/impact/draw_back.c). The answer
 * without restitution is Poisson's compression, which takes energy whatever the law was. */
static crd_status forbid_gain(crd_sim *sim) {
  const crd_contact_problem *problem = sim->rows.problem;
  crd_impact_options options = default_options(sim);
  if (!crd_impact_brings_energy(problem, &sim->law.result.solution[0])) return CRD_OK;
  int rows = problem->nrow + problem->nb;
  crd_status status = crd_sim_reserve_rows(sim, rows, problem->nc);
  if (status != CRD_OK) return status;
  double residual = sim->law.result.solution[0].residual;
  memcpy(sim->rows.before, sim->law.result.solution[0].p, (size_t)rows * sizeof *sim->rows.before);
  status = resolve(sim, crd_impact_find("poisson"), 0);
  if (status != CRD_OK) return status;
  crd_impact_solution *s = &sim->law.result.solution[0];
  memcpy(sim->rows.u, s->p, (size_t)rows * sizeof *sim->rows.u);
  memcpy(s->p, sim->rows.before, (size_t)rows * sizeof *s->p);
  crd_impact_draw_back(problem, &options, sim->rows.u, s);
  s->residual = fmax(s->residual, residual);
  sim->law.drawn_back = true;
  return CRD_OK;
}

/* Energies from velocities: summed over impulses that cancel (redundant loops) they would be rounding errors. */
static void measure_energy(crd_sim *sim) {
  crd_impact_solution *s = &sim->law.result.solution[0];
  crd_tree_velocity(sim->model, sim->stage.work, s->v_plus);
  s->kinetic_after = crd_tree_kinetic_energy(sim->model, sim->stage.work, s->v_plus);
  crd_tree_velocity(sim->model, sim->stage.work, sim->now.v);
  s->kinetic_before = crd_tree_kinetic_energy(sim->model, sim->stage.work, sim->now.v);
}

static crd_status fail_unresolved(crd_sim *sim, crd_status status, const crd_impact_law *law) {
  return crd_sim_fail(sim, status, "impact of %d contacts at t = %g s (%s): %s", sim->rows.problem->nc, sim->now.t,
                      law->name, sim->law.result.nnote > 0 ? sim->law.result.note[0] : crd_status_text(status));
}

crd_status crd_sim_resolve_impact(crd_sim *sim, bool inelastic) {
  sim->law.drawn_back = false;
  draw_rates(sim);
  crd_status status = resolve(sim, sim->options.law, inelastic ? 0 : NAN);
  if (status == CRD_OK && !sim->options.as_stated) status = forbid_gain(sim);
  if (status == CRD_OK) return measure_energy(sim), CRD_OK;
  sim->ledger.counters.unresolved += status > CRD_OK;
  return fail_unresolved(sim, status, sim->options.law);
}

crd_status crd_sim_resolve_inelastic(crd_sim *sim) {
  const crd_impact_law *poisson = crd_impact_find("poisson");
  crd_status status = resolve(sim, poisson, 0);
  if (status == CRD_OK) return measure_energy(sim), CRD_OK;
  return fail_unresolved(sim, status, poisson);
}

/* Would the contact, leaving with u, come back within one step, and are its rebounds such that decay? */
static bool returns_soon(const crd_sim *sim, const crd_contact *contact, double u, const double *qacc) {
  if (!(u > 0) || contact->e >= 1) return false;
  return 2 * u < -crd_sim_normal_acceleration(sim, contact, qacc) * sim->options.timestep;
}

/* Free acceleration after the impact, or NULL. */
static const double *acceleration_after(crd_sim *sim, const crd_impact_solution *s) {
  double actuation, damping;
  crd_status status = crd_sim_acceleration(sim, sim->now.t, sim->now.q, s->v_plus, sim->now.act, sim->stage.acc[0],
                                           &actuation, &damping);
  return status == CRD_OK ? sim->stage.acc[0] : NULL;
}

/* The rebound of the contact's pair; NULL: it has not had an impact within a step. */
static crd_sim_rebound *rebound_of(crd_sim *sim, const crd_contact *contact) {
  for (int i = 0; i < sim->ledger.nrebound; i++) {
    crd_sim_rebound *r = &sim->ledger.rebound[i];
    if (r->body1 == contact->body1 && r->body2 == contact->body2 && r->joint == contact->joint) return r;
  }
  return NULL;
}

static bool is_recent(const crd_sim *sim, const crd_zeno_series *series) {
  return sim->now.t - series->impact[series->count - 1].t < sim->options.timestep;
}

/* Is this impact the return of a rebound that began less than a step ago? */
static bool has_just_rebounded(crd_sim *sim, const crd_contact *contact) {
  const crd_sim_rebound *r = rebound_of(sim, contact);
  if (!r || !is_recent(sim, &r->series)) return false;
  crd_zeno_series series = r->series;
  crd_zeno_add(&series, sim->now.t, fmax(0, -sim->rows.problem->u[contact->row]));
  return crd_zeno_returned(&series);
}

crd_status crd_sim_reserve_rebounds(crd_sim *sim, int count) {
  if (count <= sim->ledger.rebound_capacity) return CRD_OK;
  crd_arena fresh = {0};
  crd_sim_rebound *rebound = crd_arena_alloc(&fresh, 2 * (size_t)count, sizeof *rebound);
  crd_sim_rebound *start = crd_arena_alloc(&fresh, 2 * (size_t)count, sizeof *start);
  if (!rebound || !start) return crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d rebounds", 2 * count);
  if (sim->ledger.nrebound) memcpy(rebound, sim->ledger.rebound, (size_t)sim->ledger.nrebound * sizeof *rebound);
  if (sim->before_step.nrebound)
    memcpy(start, sim->before_step.rebound, (size_t)sim->before_step.nrebound * sizeof *start);
  sim->before_step.rebound = start;
  crd_arena_free(&sim->ledger.rebound_arena);
  sim->ledger.rebound_arena = fresh, sim->ledger.rebound = rebound, sim->ledger.rebound_capacity = 2 * count;
  return CRD_OK;
}

void crd_sim_keep_start(crd_sim *sim) {
  size_t ntree = (size_t)sim->scene.ntree;
  memcpy(sim->trees.piece_before, sim->trees.piece, ntree * sizeof *sim->trees.piece);
  memcpy(sim->trees.asleep_before, sim->trees.asleep, ntree * sizeof *sim->trees.asleep);
  crd_sim_copy_moment(sim, &sim->start, &sim->now);
  sim->before_step.counters = sim->ledger.counters;
  sim->before_step.gain = sim->ledger.gain, sim->before_step.nrebound = sim->ledger.nrebound;
  if (sim->ledger.nrebound)
    memcpy(sim->before_step.rebound, sim->ledger.rebound, (size_t)sim->ledger.nrebound * sizeof *sim->ledger.rebound);
}

void crd_sim_return_to_start(crd_sim *sim) {
  size_t ntree = (size_t)sim->scene.ntree;
  memcpy(sim->trees.piece, sim->trees.piece_before, ntree * sizeof *sim->trees.piece);
  memcpy(sim->trees.asleep, sim->trees.asleep_before, ntree * sizeof *sim->trees.asleep);
  crd_sim_copy_moment(sim, &sim->now, &sim->start);
  crd_sim_place(sim, sim->now.q);
  crd_sim_keep_positions(sim);
  crd_sim_counters spent = sim->ledger.counters; /* work was done, but nothing has happened */
  sim->ledger.counters = sim->before_step.counters;
  sim->ledger.counters.trials = spent.trials, sim->ledger.counters.moved = spent.moved;
  sim->ledger.counters.solves = spent.solves, sim->ledger.counters.failed_solves = spent.failed_solves;
  memcpy(sim->ledger.counters.retries, spent.retries, sizeof spent.retries);
  sim->ledger.gain = sim->before_step.gain, sim->ledger.nrebound = sim->before_step.nrebound;
  if (sim->ledger.nrebound)
    memcpy(sim->ledger.rebound, sim->before_step.rebound, (size_t)sim->ledger.nrebound * sizeof *sim->ledger.rebound);
}

/* Is it a rebound of trees that are moved at present? That of others is judged at their own time. */
static bool is_of_part(const crd_sim *sim, const crd_sim_rebound *r) {
  int tree = crd_sim_tree_of_body(sim, r->body1);
  return crd_partition_has(sim, tree >= 0 ? tree : crd_sim_tree_of_body(sim, r->body2));
}

/* Adds the impact to the series of its pairs, and forgets those that have ended. */
static crd_status remember_impact(crd_sim *sim, const crd_impact_solution *s, const double *qacc) {
  int kept = 0;
  for (int i = 0; i < sim->ledger.nrebound; i++)
    if (is_recent(sim, &sim->ledger.rebound[i].series) || !is_of_part(sim, &sim->ledger.rebound[i]))
      sim->ledger.rebound[kept++] = sim->ledger.rebound[i];
  sim->ledger.nrebound = kept;
  crd_status status = crd_sim_reserve_rebounds(sim, kept + sim->rows.problem->nc);
  for (int c = 0; status == CRD_OK && c < sim->rows.problem->nc; c++) {
    const crd_contact *contact = &sim->rows.problem->contact[c];
    if (!(s->p[contact->row] > 0)) continue;
    crd_sim_rebound *r = rebound_of(sim, contact);
    if (!r) {
      r = &sim->ledger.rebound[sim->ledger.nrebound++];
      memset(r, 0, sizeof *r); /* padding too: it is saved */
      r->body1 = contact->body1, r->body2 = contact->body2, r->joint = contact->joint;
    }
    crd_zeno_add(&r->series, sim->now.t, fmax(0, -sim->rows.problem->u[contact->row]));
    crd_zeno_leave(&r->series, fmax(0, s->u_plus[contact->row]),
                   qacc ? -crd_sim_normal_acceleration(sim, contact, qacc) : 0);
  }
  return status;
}

/* Sets e = 0 where a rebound returns within one step. Returns how many. */
static int stop_short_rebounds(crd_sim *sim, const crd_impact_solution *s, const double *qacc) {
  int stopped = 0;
  for (int c = 0; qacc && c < sim->rows.problem->nc; c++) {
    crd_contact *contact = &sim->rows.problem->contact[c];
    if (!(contact->e > 0) || contact->e >= 1 || !(s->p[contact->row] > 0)) continue;
    if (has_just_rebounded(sim, contact) || returns_soon(sim, contact, s->u_plus[contact->row], qacc))
      contact->e = 0, stopped++;
  }
  return stopped;
}

/* A contact that does not leave is held from now on; so is one that another contact lifts for less than a step (the
 * rocking block near its rest), whose return the persistent problem absorbs. */
static void mark_active(crd_sim *sim, const crd_impact_solution *s, const double *qacc, const int *contact_of) {
  for (int i = 0; i < sim->now.touches.count; i++) {
    crd_sim_touch *touch = &sim->now.touches.item[i];
    if (contact_of[i] < 0) continue;
    const crd_contact *contact = &sim->rows.problem->contact[contact_of[i]];
    double u = s->u_plus[contact->row];
    double rounding = fmax(CRD_APPROACH * crd_contact_problem_speed(sim->rows.problem, contact->row), slowest(sim));
    touch->active = u <= rounding || (qacc && returns_soon(sim, contact, u, qacc));
    touch->force.mode = touch->guess.mode = s->mode[contact_of[i]];
    crd_touch_set_velocity(touch, contact, s->u_plus + contact->row);
  }
}

void crd_sim_report_impact(const crd_sim *sim, const crd_impact_solution *s, crd_sim_event_kind kind) {
  const crd_contact_problem *problem = sim->rows.problem;
  crd_sim_event event = {.t = sim->now.t, .kind = kind, .contact = "", .v_minus = problem->v};
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    double impulse = s ? s->p[row] : 0;
    event.count += impulse != 0;
    event.impulse += impulse;
    if (-problem->u[row] > event.approach || !event.contact[0])
      event.approach = fmax(-problem->u[row], 0), event.contact = problem->contact[c].name;
  }
  if (s) event.energy = s->kinetic_after - s->kinetic_before;
  crd_sim_emit(sim, &event);
}

void crd_sim_book_impact(crd_sim *sim, const crd_impact_solution *s) {
  crd_part_copy_v(&sim->part, sim->now.v, s->v_plus);
  crd_sim_forget_forces(sim);
  double change = s->kinetic_after - s->kinetic_before;
  sim->now.work.impact += change;
  crd_sim_note_gain(sim, change, change);
  sim->ledger.counters.impacts++;
  sim->ledger.counters.drawn_back += sim->law.drawn_back, sim->law.drawn_back = false;
  sim->ledger.counters.residual_max = fmax(sim->ledger.counters.residual_max, s->residual);
  crd_sim_note_impulse(sim, s->p);
  crd_sim_add_impulses(sim, s->p, s->u_plus, s->mode, s->work);
}

/* Touches that may rest, as far as can be told without their problem, into sim->rows.take. */
static bool take_doubtful(crd_sim *sim) {
  double kinetic = crd_tree_kinetic_energy(sim->model, sim->stage.work, sim->now.v);
  double most = DOUBTFUL * sqrt(2 * kinetic / sim->scene.mass) + slowest(sim);
  bool any = false;
  for (int i = 0; i < sim->now.touches.count; i++) {
    const crd_sim_touch *touch = &sim->now.touches.item[i];
    bool is_limit = touch->at.geomA == CRD_SIM_LIMIT; /* its velocity has a unit of its own */
    sim->rows.take[i] = !touch->active && (is_limit || fabs(closing_speed(sim, touch)) <= most);
    any = any || sim->rows.take[i];
  }
  return any;
}

crd_status crd_sim_mark_resting(crd_sim *sim) {
  const int *contact_of;
  if (!any_free(&sim->now.touches)) return CRD_OK;
  crd_tree_kinematics(sim->model, sim->stage.work, sim->now.q);
  crd_tree_velocity(sim->model, sim->stage.work, sim->now.v);
  if (!take_doubtful(sim)) return CRD_OK;
  crd_status status =
      crd_sim_assemble(sim, sim->now.q, sim->now.v, &sim->now.touches, sim->rows.take, CRD_SIM_TO_MEASURE, &contact_of);
  if (status == CRD_OK) hold_persistent(sim, contact_of);
  return status;
}

/* Where the law has no answer nothing has happened yet: the step ends after Moreau and Jean (step.c), and the event says
 * why. */
static crd_status resolve_or_tell(crd_sim *sim) {
  crd_status status = crd_sim_resolve_impact(sim, false);
  if (status > CRD_OK) crd_sim_report_impact(sim, NULL, CRD_EVENT_UNRESOLVED);
  return status;
}

crd_status crd_sim_impact(crd_sim *sim, bool *resolved) {
  *resolved = false;
  if (!any_free(&sim->now.touches)) return CRD_OK;
  crd_tree_kinematics(sim->model, sim->stage.work, sim->now.q);
  crd_tree_velocity(sim->model, sim->stage.work, sim->now.v);
  if (!any_may_strike(sim)) return CRD_OK;
  const int *contact_of;
  crd_status status = crd_sim_assemble(sim, sim->now.q, sim->now.v, &sim->now.touches, take_reached(sim),
                                       CRD_SIM_TO_STRIKE, &contact_of);
  if (status == CRD_OK && !any_strikes(sim, contact_of)) return hold_persistent(sim, contact_of), CRD_OK;
  if (status == CRD_OK) status = resolve_or_tell(sim);
  if (status != CRD_OK) return status;
  const double *qacc = acceleration_after(sim, &sim->law.result.solution[0]);
  bool short_rebound = stop_short_rebounds(sim, &sim->law.result.solution[0], qacc) > 0;
  if (short_rebound) status = resolve_or_tell(sim);
  if (status != CRD_OK) return status;
  const crd_impact_solution *s = &sim->law.result.solution[0];
  status = remember_impact(sim, s, qacc);
  if (status != CRD_OK) return status;
  crd_sim_book_impact(sim, s);
  mark_active(sim, s, qacc, contact_of);
  crd_sim_report_impact(sim, s, CRD_EVENT_IMPACT);
  if (short_rebound) crd_sim_report_impact(sim, s, CRD_EVENT_ZENO);
  *resolved = true;
  return CRD_OK;
}
