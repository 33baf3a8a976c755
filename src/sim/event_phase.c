/* A state of a smooth phase: the points that hold are found again, their rows and the rates of these assembled, and the
 * forces solved for that keep what the modes keep:
 *
 *   qacc = qacc_free + M^-1 J' f,      J qacc + d/dt(J) qvel = 0 for the rows that hold
 *
 * A sliding contact has its friction against its present velocity. Where that all but vanishes the direction at the
 * start of the internal step stands for it, so that the equations go on smoothly beyond the instant at which sliding
 * stops, which is then found as a root. A planar contact keeps its side for the whole phase.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "sim/event.h"

/* Sliding slower than this share of the velocity scale has the direction it had: a direction follows the forces at the
 * rate mu f W_tt/|u|, so that the equations of a contact that begins or ceases to slide are stiff without bound. */
static const double SLOW = 1e-6;

void crd_event_position_rate(const crd_model *model, const double *q, const double *v, double *rate) {
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    int at = joint->q, from = joint->v;
    if (joint->type == CRD_FREE) {
      crd_vec3_copy(rate + at, v + from);
      at += 3, from += 3;
    }
    if (joint->type == CRD_FREE || joint->type == CRD_BALL) {
      const double half[4] = {0, 0.5 * v[from], 0.5 * v[from + 1], 0.5 * v[from + 2]};
      crd_quat_mul(rate + at, q + at, half);
    } else {
      rate[at] = v[from];
    }
  }
}

crd_status crd_event_reserve(crd_event *event, int points) {
  if (points <= event->capacity) return CRD_OK;
  crd_arena fresh = {0};
  size_t n = (size_t)(points + points / 2), d = sizeof(double);
  size_t contacts = n + 2 * (size_t)event->surface.model->njoint; /* and every limit */
  crd_followed *followed = crd_arena_alloc(&fresh, n, sizeof *followed);
  crd_followed *moved = crd_arena_alloc(&fresh, n, sizeof *moved);
  crd_contact_point *point = crd_arena_alloc(&fresh, n, sizeof *point);
  crd_phase_contact *contact = crd_arena_alloc(&fresh, contacts, sizeof *contact);
  crd_mode *mode = crd_arena_alloc(&fresh, contacts, sizeof *mode);
  crd_rest *rest = crd_arena_alloc(&fresh, contacts, sizeof *rest);
  double *impulse = crd_arena_alloc(&fresh, contacts, 3 * d);
  double *force = crd_arena_alloc(&fresh, 3 * contacts, 3 * d);
  if (!followed || !moved || !point || !contact || !mode || !rest || !impulse || !force) {
    crd_arena_free(&fresh);
    return CRD_ERR_MEMORY;
  }
  if (event->nfollowed) memcpy(followed, event->followed, (size_t)event->nfollowed * sizeof *followed);
  if (event->ncontact) memcpy(contact, event->contact, (size_t)event->ncontact * sizeof *contact);
  event->nrest = 0;
  crd_arena_free(&event->phase_arena);
  event->phase_arena = fresh, event->capacity = (int)n;
  event->followed = followed, event->moved = moved, event->point = point, event->contact = contact;
  event->mode = mode, event->rest = rest, event->impulse = impulse;
  for (size_t i = 0; i < 3; i++) event->force[i] = force + 3 * contacts * i, event->force_at[i] = NAN;
  return CRD_OK;
}

crd_status crd_event_assemble(crd_sim *sim, const double *q, const double *v, const crd_contact_point *point,
                              int npoint, crd_contact_problem *problem) {
  crd_contact_options options = crd_contact_default();
  options.distance = INFINITY; /* the caller has chosen */
  options.limit_distance = crd_limit_distance(sim, q);
  options.mu = sim->options.mu, options.e = sim->options.e;
  options.mass_matrix = false;
  options.names = problem != sim->event->plain;
  return crd_contact_assemble(sim->stage.assembler, sim->stage.work, q, v, point, npoint, &options, problem);
}

/* Directions of friction at the present velocities. */
static void set_directions(crd_event *event) {
  const crd_contact_problem *problem = event->problem;
  for (int c = 0; c < event->npointcontact; c++) {
    const crd_contact *contact = &problem->contact[c];
    crd_phase_contact *phase = &event->contact[c];
    if (phase->held.hold != CRD_HOLD_SLIP || contact->ntangent == 0 || contact->mu == 0) continue;
    double *d = phase->held.d, u[2] = {0}, before[2] = {0}, along = 0;
    for (int k = 0; k < contact->ntangent; k++) {
      u[k] = problem->u[contact->row + 1 + k];
      before[k] = crd_vec3_dot(contact->tangent[k], phase->direction);
      along += u[k] * before[k];
    }
    double speed = hypot(u[0], u[1]), length = hypot(before[0], before[1]);
    bool turns = contact->ntangent == 2 && !phase->held.bound && speed > SLOW * event->velocity_scale && along > 0;
    for (int k = 0; k < 2; k++) d[k] = turns ? u[k] / speed : length > 0 ? before[k] / length : 0;
  }
}

static void add_powers(const crd_event *event, crd_phase_point *point) {
  const crd_contact_problem *problem = event->problem;
  for (int i = 0; i < problem->nrow + problem->nb; i++)
    point->power[i < problem->nrow ? CRD_WORK_CONTACT : CRD_WORK_LOOP] += point->answer.f[i] * problem->u[i];
}

crd_status crd_event_rows(crd_sim *sim, const double *q, const double *v) {
  crd_event *event = sim->event;
  int n = event->nfollowed, contacts = 0;
  double reach = 2 * sim->scene.contact_band + 1e-4 * sim->scene.size;
  if (n) memcpy(event->moved, event->followed, (size_t)n * sizeof *event->moved);
  crd_status status = crd_surface_locate(&event->surface, sim->stage.work, event->moved, n, reach);
  if (status != CRD_OK) return status;
  for (int i = 0; i < n; i++) event->point[i] = event->moved[i].point;
  status = crd_event_assemble(sim, q, v, event->point, n, event->plain);
  if (status != CRD_OK) return status;
  event->problem = crd_dry_extend(sim, &event->dries, event->plain);
  if (!event->problem) return CRD_ERR_MEMORY;
  while (contacts < event->plain->nc && event->plain->contact[contacts].npoint > 0) contacts++;
  return contacts == event->npointcontact ? CRD_OK : CRD_UNKNOWN;
}

const crd_held *crd_event_held(const crd_event *event, int c) {
  static const crd_held open = {.hold = CRD_HOLD_OPEN};
  if (c < event->npointcontact) return &event->contact[c].held;
  int key = crd_limit_key(event->problem, c);
  for (int k = event->npointcontact; k < event->ncontact; k++)
    if (event->contact[k].key == key) return &event->contact[k].held;
  return &open;
}

crd_mode crd_event_mode(const crd_held *held) {
  switch (held->hold) {
    case CRD_HOLD_OPEN: return CRD_MODE_SEPARATE;
    case CRD_HOLD_IDLE: return CRD_MODE_NONE;
    case CRD_HOLD_STICK: return CRD_MODE_STICK;
    case CRD_HOLD_SLIP: return held->bound ? CRD_MODE_STICK : CRD_MODE_SLIP;
  }
  return CRD_MODE_NONE;
}

/* Contacts, their rates and forces; the workspace has the free state, qacc the free acceleration. */
static crd_status hold(crd_sim *sim, crd_event *event, const double *q, const double *v, bool share,
                       crd_phase_point *at) {
  crd_status status = crd_event_rows(sim, q, v);
  if (status != CRD_OK) return status;
  const crd_contact_problem *problem = event->problem;
  int nv = problem->nv, m = problem->nrow + problem->nb;
  for (int i = 0; i < event->nfollowed; i++) at->gap_max = fmax(at->gap_max, fabs(event->point[i].gap));
  for (int b = 0; b < problem->nb; b++) at->loop_max = fmax(at->loop_max, fabs(problem->residual[b]));
  double *a_free = crd_arena_alloc(&event->scratch, (size_t)m + 1, sizeof *a_free);
  crd_held *held = crd_arena_alloc(&event->scratch, (size_t)problem->nc + 1, sizeof *held);
  if (!a_free || !held) return CRD_ERR_MEMORY;
  status = crd_surface_bias(&event->surface, sim->stage.work, q, v, event->point,
                            crd_contact_of_point(sim->stage.assembler), event->nfollowed, event->plain, a_free);
  if (status != CRD_OK) return status;
  for (int i = 0; i < m; i++) a_free[i] += crd_dense_dot(nv, problem->J + (size_t)nv * (size_t)i, at->qacc);
  set_directions(event);
  for (int c = 0; c < problem->nc; c++) held[c] = *crd_event_held(event, c);
  at->scale = crd_acceleration_scale(problem, a_free, at->qacc);
  crd_force_problem force = {.problem = problem, .a_free = a_free, .scale = at->scale, .share = share};
  status = crd_force_solve(&force, held, &event->tools, &at->answer);
  if (status != CRD_OK) return status;
  for (int i = 0; i < m; i++)
    for (int k = 0; k < nv; k++) at->qacc[k] += problem->X[(size_t)nv * (size_t)i + (size_t)k] * at->answer.f[i];
  add_powers(event, at);
  return CRD_OK;
}

bool crd_event_has_rows(const crd_sim *sim) {
  return sim->event->ncontact > 0 || sim->model->nloop > 0 || sim->event->dries.count > 0;
}

crd_phase_point crd_event_evaluate(crd_sim *sim, double t, const double *q, const double *v, bool share) {
  crd_event *event = sim->event;
  crd_phase_point at = {.qacc = event->qacc, .answer.determinant = 1, .scale = 1};
  crd_arena_reset(&event->scratch);
  if (sim->options.control_next) t = event->control_t; /* at its end the next one's would begin */
  at.status = crd_sim_acceleration(sim, t, q, v, at.qacc, &at.power[CRD_WORK_ACTUATION], &at.power[CRD_WORK_DAMPING]);
  if (at.status == CRD_OK) crd_dry_push(sim, &event->dries, v, at.qacc, &at.power[CRD_WORK_DAMPING]);
  if (at.status == CRD_OK && crd_event_has_rows(sim)) at.status = hold(sim, event, q, v, share, &at);
  for (int k = 0; k < sim->model->nv; k++)
    if (sim->trees.rests[sim->scene.tree_of_dof[k]]) at.qacc[k] = 0;
  return at;
}
