/* Persistent contacts over one step [Jain, eqs. 28, 31, 34-36].
 *
 * Rows and mass matrix are those where the body is expected at the end of the step: at the end (qf, vf) of the free
 * motion, displaced as the contacts did in the last step. The condition on the velocity is then one on the surface
 * where the body will be, and what is left of it at the true end is of third order in dt. With the impulses p of the
 * step,
 *
 *   v1 = vf + M^-1 J' p,     q1 = qf + (dt/2) M^-1 J' p,    u1 = J v1
 *
 * and q1 is projected onto the constraints (project.c). Contacts that act on each other through the mechanism are
 * solved together, others apart, so that what is independent stays so.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "coulomb/islands.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"

enum { MOST_ROUNDS = 8 };           /* of a projection of (now) */
static const double SETTLED = 1e-6; /* residual of forces that a step accepts, */
static const double NO_GAIN = 1e-9; /* if they bring no more energy than this share of what they exchange */

/* ------------------------------------------------------------------------------------------------ memory */

crd_status crd_sim_hold_reserve(crd_sim *sim, int rows, int contacts) {
  if (rows < 3 * contacts) rows = 3 * contacts;
  if (rows <= sim->hold_rows) return CRD_OK;
  crd_arena fresh = {0};
  size_t n = (size_t)rows + (size_t)rows / 2, d = sizeof(double), i = sizeof(int);
  const struct {
    void *to; /* address of the pointer */
    size_t size;
  } table[] = {
      {&sim->p, d},
      {&sim->u, d},
      {&sim->before, d},
      {&sim->done, d},
      {&sim->w, d},
      {&sim->row_scratch, d},
      {&sim->speed, d},
      {&sim->cone, sizeof *sim->cone},
      {&sim->bounded, sizeof *sim->bounded},
      {&sim->bilateral, i},
      {&sim->mode, sizeof *sim->mode},
      {&sim->gap, d},
      {&sim->near, sizeof *sim->near},
      {&sim->chosen, sizeof *sim->chosen},
      {&sim->island, i},
      {&sim->place, i},
  };
  enum { COUNT = sizeof table / sizeof *table };
  void *memory[COUNT];
  bool done = true;
  for (size_t k = 0; k < COUNT && done; k++) done = (memory[k] = crd_arena_alloc(&fresh, n, table[k].size)) != NULL;
  if (!done) {
    crd_arena_free(&fresh);
    return crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d contact rows", (int)n);
  }
  for (size_t k = 0; k < COUNT; k++) *(void **)table[k].to = memory[k];
  crd_arena_free(&sim->hold_arena);
  sim->hold_arena = fresh, sim->hold_rows = (int)n;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ the Coulomb problem
 */

/* Speed of what the row compares, before it cancels. */
static double speed_of_row(const crd_sim *sim, int index) {
  const crd_row *row = &sim->hold_assembler->row[index];
  double speed = 0;
  for (int k = 0; k < row->ndof; k++) speed += fabs(row->coefficient[k] * sim->free_v[row->dof[k]]);
  for (int k = 0; row->ndof == 0 && k < 2; k++) {
    double V[6], part = 0;
    if (row->node[k] < 0) continue;
    crd_tree_point_velocity(sim->model, sim->hold_work, row->body[k], row->point[k], V);
    for (int i = 0; i < 6; i++) part += row->direction[i] * V[i];
    speed += fabs(part);
  }
  return speed;
}

/* All that holds over dt as one problem, from the velocities sim->u of the rows without impulses. A limit that the
 * problem has but nobody asked for carries nothing: bounds of zero. touch_of: per contact, the touch that it is (or
 * -1).
 */
static crd_coulomb_problem state_problem(crd_sim *sim, const int *touch_of, double dt) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  crd_coulomb_problem s = {.n = m + problem->nf,
                           .w = sim->w,
                           .contact = sim->cone,
                           .bilateral = sim->bilateral,
                           .bounded = sim->bounded,
                           .blocks = problem->blocks,
                           .speed = sim->speed};
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (touch_of[c] < 0) {
      for (int i = 0; i <= contact->ntangent; i++)
        sim->bounded[s.nbounded++] = (crd_coulomb_bounded){.row = contact->row + i};
      continue;
    }
    const crd_sim_touch *touch = &sim->held.item[touch_of[c]];
    sim->mode[s.ncontact] = touch->source >= 0 ? sim->forecast.guess[touch->source].mode : CRD_MODE_NONE;
    sim->cone[s.ncontact++] =
        (crd_coulomb_contact){.row = contact->row, .ntangent = contact->ntangent, .mu = contact->mu};
  }
  for (int b = 0; b < problem->nb; b++) sim->bilateral[s.nbilateral++] = problem->nrow + b;
  for (int i = 0; i < problem->nf; i++) {
    double bound = dt * problem->dry[i].bound;
    sim->bounded[s.nbounded++] = (crd_coulomb_bounded){.row = m + i, .lower = -bound, .upper = bound};
  }
  double fall = dt * crd_vec3_norm(sim->model->gravity);
  for (int i = 0; i < s.n; i++) {
    sim->w[i] = i < m ? sim->u[i] : sim->trial.v[problem->dry[i - m].dof];
    sim->speed[i] = i < m ? fmax(fall, speed_of_row(sim, i)) : fall;
  }
  return s;
}

/* Energy that contacts put in by what they violate, relative to what is exchanged: a contact that hardly can move (a
 * folded link) may put in much at velocities far below all others. */
static double gain_of(const crd_sim *sim, const crd_coulomb_problem *s) {
  double gain = 0, exchanged = 0;
  for (int i = 0; i < s->n; i++) exchanged += fabs(sim->p[i] * sim->w[i]);
  for (int k = 0; k < s->ncontact; k++) {
    const crd_coulomb_contact *c = &s->contact[k];
    double power = 0;
    for (int i = c->row; i <= c->row + c->ntangent; i++) power += sim->p[i] * sim->u[i];
    gain = fmax(gain, power);
  }
  return exchanged > 0 ? gain / exchanged : 0;
}

/* Modes of the problem's contacts from those of the cones, which leave out limits that carry nothing. */
static void spread_modes(crd_sim *sim, const int *touch_of, int ncone) {
  for (int c = sim->problem->nc - 1; c >= 0; c--) sim->mode[c] = touch_of[c] >= 0 ? sim->mode[--ncone] : CRD_MODE_NONE;
}

/* Residuals above the solver's tolerance are taken where they bring no energy. */
static crd_status solve(crd_sim *sim, const crd_sim_ask *ask, const int *touch_of) {
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_problem s = state_problem(sim, touch_of, ask->dt);
  crd_coulomb_state state = {sim->p, sim->u, sim->mode};
  crd_coulomb_report report;
  options.warm = true;
  crd_status status = crd_coulomb_solve(sim->coulomb, &s, &options, &state, &report);
  if (status < CRD_OK) return crd_sim_fail(sim, status, "persistent contacts: %s", crd_status_text(status));
  sim->counters.solves += report.islands;
  sim->seen.residual = report.residual;
  crd_coulomb_find_islands(&s, sim->island);
  spread_modes(sim, touch_of, s.ncontact);
  if (status == CRD_LIMIT && report.residual <= SETTLED && gain_of(sim, &s) <= NO_GAIN) status = CRD_OK;
  if (status == CRD_OK) return CRD_OK;
  return crd_sim_fail(sim, CRD_LIMIT,
                      "persistent contacts: no forces were found that hold %d contacts and %d loop rows", s.ncontact,
                      s.nbilateral);
}

/* ------------------------------------------------------------------------------------------------ the step */

/* The contacts change the velocity by dv (sim->chart) from what it is in the free motion, evenly over the step, so that
 * actuators and dampers act over another way than there, from a to b: their work changes by tau . dv dt / 2, and with d
 * the damping by -d (dv (a + 2 b) / 3 + dv^2 / 3) dt. */
static void book_forces(crd_sim *sim, double dt) {
  const crd_model *model = sim->model;
  if (!sim->has_forces) return;
  if (sim->seen.implicit) {
    crd_stiff_book_change(sim, dt);
    return;
  }
  crd_sim_drive(sim, sim->now.t, sim->now.q, sim->now.v);
  for (int i = 0; i < model->nv; i++) {
    double dv = sim->chart[i], way = (dv * (sim->now.v[i] + 2 * sim->free_v[i]) + dv * dv) / 3;
    sim->trial.work.actuation += 0.5 * dt * sim->tau[i] * dv;
    sim->trial.work.damping -= dt * model->dof_damping[i] * way;
  }
}

/* Work of a row over the step: a constant force along a velocity that changes evenly. */
static double work_of_row(const crd_sim *sim, int row) { return 0.5 * sim->p[row] * (sim->before[row] + sim->u[row]); }

static double work_of_contact(const crd_sim *sim, const crd_contact *contact) {
  double work = 0;
  for (int k = 0; k <= contact->ntangent; k++) work += work_of_row(sim, contact->row + k);
  return work;
}

static void book_work(crd_sim *sim, const crd_sim_ask *ask, const int *touch_of) {
  const crd_contact_problem *problem = sim->problem;
  crd_sim_work *work = &sim->trial.work;
  int m = problem->nrow + problem->nb;
  crd_sim_velocities_before(sim, ask, touch_of);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double done = touch_of[c] >= 0 ? work_of_contact(sim, contact) : 0;
    *(contact->joint >= 0 ? &work->loop : &work->contact) += done;
    sim->done[c] = done;
  }
  for (int b = problem->nrow; b < m; b++) work->loop += work_of_row(sim, b);
  for (int i = 0; i < problem->nf; i++) {
    sim->before[m + i] = sim->now.v[problem->dry[i].dof];
    work->damping += work_of_row(sim, m + i);
  }
}

static int tree_of_body(const crd_sim *sim, int body) {
  int link = sim->model->body[body].link;
  return link < 0 ? -1 : sim->tree_of_dof[sim->model->link[link].v];
}

/* The k-th tree that a row acts on, of at most three; -1: none. */
static int tree_of_row(const crd_sim *sim, int index, int k) {
  const crd_row *row = &sim->hold_assembler->row[index];
  if (row->ndof > 0) return k < row->ndof ? sim->tree_of_dof[row->dof[k]] : -1;
  return k < 2 ? tree_of_body(sim, row->body[k]) : -1;
}

/* A tree of an island in which another one moves may be displaced by the projection, and does not rest. */
static void spread_motion(crd_sim *sim) {
  int m = sim->problem->nrow + sim->problem->nb, *moves = sim->place;
  memset(moves, 0, (size_t)m * sizeof *moves);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m; i++)
      for (int k = 0; k < 3; k++) {
        int tree = tree_of_row(sim, i, k), *island = &moves[sim->island[i]];
        if (tree < 0) continue;
        if (pass == 0 && !sim->rests[tree]) *island = 1;
        if (pass == 1 && *island) sim->rests[tree] = false;
      }
}

/* Trees at rest before and after stay where they are: rounding and the error of the free motion do not let them creep.
 */
static void keep_rest(crd_sim *sim) {
  const crd_model *model = sim->model;
  double rest = 1e-13 * sim->size / sim->options.timestep;
  for (int t = 0; t < sim->ntree; t++) sim->rests[t] = true;
  for (int i = 0; i < model->nv; i++)
    if (!(fabs(sim->now.v[i]) <= rest && fabs(sim->trial.v[i]) <= rest)) sim->rests[sim->tree_of_dof[i]] = false;
  spread_motion(sim);
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    if (!sim->rests[sim->tree_of_dof[joint->v]]) continue;
    memcpy(sim->trial.q + joint->q, sim->now.q + joint->q, (size_t)joint->nq * sizeof(double));
    memset(sim->trial.v + joint->v, 0, (size_t)joint->nv * sizeof(double));
  }
}

static bool any_touching(const crd_sim_touches *touches) {
  for (int i = 0; i < touches->count; i++)
    if (touches->item[i].touching) return true;
  return false;
}

/* Every point held in the last step is found again. */
static bool finds_all(const crd_sim *sim) {
  int before = 0, found = 0;
  for (int i = 0; i < sim->now.touches.count; i++) before += sim->now.touches.item[i].touching;
  for (int i = 0; i < sim->held.count; i++) found += sim->held.item[i].touching;
  return found == before;
}

/* Half of what the forces of the forecast displace in the step: a limit is held that the free motion ends as far from.
 * Those of a step without forecast are wrong by as much. */
static double limit_reach(const crd_sim *sim, const crd_sim_ask *ask) {
  double fastest = 0;
  for (int k = 0; ask->forecast && k < sim->model->nv; k++) fastest = fmax(fastest, fabs(sim->forecast.qacc[k]));
  return 0.25 * ask->dt * ask->dt * fastest;
}

/* One touch of sim->held for each contact of the problem into sim->touch_of, -1: none. */
static const int *touches_of_contacts(crd_sim *sim, const int *contact_of) {
  int *touch_of = sim->touch_of;
  for (int c = 0; c < sim->problem->nc; c++) touch_of[c] = -1;
  for (int i = 0; i < sim->held.count; i++)
    if (contact_of[i] >= 0 && touch_of[contact_of[i]] < 0) touch_of[contact_of[i]] = i;
  return touch_of;
}

/* The solved impulses sim->p act: velocity and position of the trial, what they were, what they did. */
static void apply(crd_sim *sim, const crd_sim_ask *ask, const int *contact_of, const int *touch_of) {
  double dt = ask->dt;
  crd_contact_response(sim->hold_assembler, sim->hold_work, sim->p, sim->chart);
  if (sim->stiff) crd_stiff_keep_load(sim, dt);
  for (int k = 0; k < sim->model->nv; k++) {
    sim->trial.push[k] = sim->chart[k] / dt;
    sim->trial.v[k] += sim->chart[k];
    sim->chart[k] = sim->trial.v[k] - sim->free_v[k];
  }
  book_forces(sim, dt);
  crd_tree_integrate_position(sim->model, sim->stage_q, sim->chart, 0.5 * dt, sim->trial.q);
  book_work(sim, ask, touch_of);
  crd_sim_keep_forces(sim, contact_of, dt);
}

crd_status crd_sim_hold(crd_sim *sim, const crd_sim_ask *ask) {
  const int *contact_of;
  bool rows = sim->has_loops || sim->has_dry; /* that are there whatever touches */
  memset(sim->trial.push, 0, (size_t)sim->model->nv * sizeof *sim->trial.push);
  if (sim->stiff) crd_stiff_begin_hold(sim);
  if (!any_touching(&sim->now.touches) && !rows) return CRD_OK;
  crd_sim_place(sim, sim->trial.q);
  crd_status status = crd_sim_detect_reach(sim, sim->trial.q, ask->reach, fmax(ask->reach, limit_reach(sim, ask)),
                                           &sim->now.touches, &sim->held);
  if (status != CRD_OK) return status;
  sim->seen.lost = ask->forecast && !finds_all(sim);
  if (sim->seen.lost || (!any_touching(&sim->held) && !rows)) return CRD_OK;
  for (int i = 0; i < sim->held.count; i++) sim->take[i] = sim->held.item[i].touching;
  status = crd_sim_assemble(sim, sim->trial.q, sim->trial.v, &sim->held, sim->take, CRD_SIM_TO_HOLD, &contact_of);
  if (status != CRD_OK) return status;
  const crd_contact_problem *problem = sim->problem;
  status = crd_sim_hold_reserve(sim, problem->nrow + problem->nb + problem->nf, problem->nc);
  if (status != CRD_OK) return status;
  const int *touch_of = touches_of_contacts(sim, contact_of);
  sim->seen.lost = !crd_sim_set_base(sim, ask, contact_of);
  if (sim->seen.lost) return CRD_OK;
  crd_sim_guess(sim, contact_of, ask->dt);
  status = solve(sim, ask, touch_of);
  if (status != CRD_OK) return status;
  apply(sim, ask, contact_of, touch_of);
  status = crd_sim_project(sim, contact_of, ask->careful);
  if (status != CRD_OK) return status;
  keep_rest(sim);
  sim->seen.held = true;
  return CRD_OK;
}

/* One projection of (now) with the points that are held or overlap; *deepest: what overlaps afterwards, m. */
static crd_status project_once(crd_sim *sim, bool careful, double *deepest) {
  const int *contact_of;
  memcpy(sim->trial.q, sim->now.q, (size_t)sim->model->nq * sizeof *sim->now.q);
  memcpy(sim->trial.v, sim->now.v, (size_t)sim->model->nv * sizeof *sim->now.v);
  crd_sim_place(sim, sim->now.q);
  crd_status status = crd_sim_detect(sim, sim->now.q, sim->closed, &sim->now.touches, &sim->held);
  if (status != CRD_OK) return status;
  for (int i = 0; i < sim->held.count; i++)
    sim->take[i] = sim->held.item[i].touching || sim->held.item[i].at.gap < -sim->exact;
  if (sim->stiff) crd_tree_set_armature(sim->hold_work, NULL);
  status = crd_sim_assemble(sim, sim->now.q, sim->now.v, &sim->held, sim->take, CRD_SIM_TO_HOLD, &contact_of);
  const crd_contact_problem *problem = sim->problem;
  if (status == CRD_OK) status = crd_sim_hold_reserve(sim, problem->nrow + problem->nb + problem->nf, problem->nc);
  if (status != CRD_OK) return status;
  crd_coulomb_problem s = state_problem(sim, touches_of_contacts(sim, contact_of), 0);
  crd_coulomb_find_islands(&s, sim->island);
  memset(sim->p, 0, (size_t)s.n * sizeof *sim->p);
  for (int i = 0; i < sim->held.count; i++)
    if (contact_of[i] >= 0 && sim->held.item[i].touching) sim->p[problem->contact[contact_of[i]].row] = 1;
  status = crd_sim_project(sim, contact_of, careful);
  if (status < CRD_OK) return status;
  memcpy(sim->now.q, sim->trial.q, (size_t)sim->model->nq * sizeof *sim->now.q);
  crd_sim_place(sim, sim->now.q);
  memcpy(sim->pos_now, sim->pos, (size_t)sim->model->ngeom * 3 * sizeof *sim->pos);
  status = crd_sim_detect(sim, sim->now.q, sim->closed, &sim->held, &sim->now.touches);
  *deepest = 0;
  for (int i = 0; i < sim->now.touches.count; i++) *deepest = fmax(*deepest, -sim->now.touches.item[i].at.gap);
  return status;
}

/* What parts one contact may close another that was open: again, until nothing overlaps. */
crd_status crd_sim_project_now(crd_sim *sim) {
  double deepest = INFINITY;
  crd_status status = CRD_OK;
  for (int round = 0; status == CRD_OK && round < MOST_ROUNDS && deepest > sim->closed; round++)
    status = project_once(sim, round > 0, &deepest);
  if (status == CRD_OK) sim->counters.penetration_max = fmax(sim->counters.penetration_max, deepest);
  return status;
}

/* ------------------------------------------------------------------------------------------------ acceptance */

static void emit(crd_sim *sim, crd_sim_event_kind kind, const char *name) {
  crd_sim_event event = {.t = sim->trial.t, .kind = kind, .contact = name, .count = 1};
  crd_sim_emit(sim, &event);
}

void crd_sim_hold_accept(crd_sim *sim) {
  const crd_contact_problem *problem = sim->problem;
  sim->counters.residual_max = fmax(sim->counters.residual_max, sim->seen.residual);
  sim->counters.loop_max = fmax(sim->counters.loop_max, sim->seen.loop_error);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double by_law = 0;
    for (int i = contact->row; i <= contact->row + contact->ntangent; i++) by_law += sim->p[i] * sim->u[i];
    crd_sim_note_gain(sim, sim->done[c], by_law);
  }
  crd_sim_add_impulses(sim, sim->p, sim->u, sim->mode, sim->done);
  for (int i = 0; i < problem->nf; i++) {
    double u = sim->u[problem->nrow + problem->nb + i];
    sim->dry_sign[problem->dry[i].dof] = u > 0 ? 1 : u < 0 ? -1 : 0;
  }
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *touch = &sim->held.item[i];
    if (!touch->touching || touch->source < 0) continue;
    crd_mode before = sim->now.touches.item[touch->source].force.mode, after = touch->force.mode;
    if (before == CRD_MODE_STICK && after == CRD_MODE_SLIP) emit(sim, CRD_EVENT_SLIP, touch->name);
    if (before == CRD_MODE_SLIP && after == CRD_MODE_STICK) emit(sim, CRD_EVENT_STICK, touch->name);
  }
}
