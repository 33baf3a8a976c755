/* A state of a smooth phase: its points are found again, their rows and the rates of these assembled, and the forces
 * solved for that keep what the modes keep:
 *
 *   qacc = qacc_free + M^-1 J' f,      J qacc + d/dt(J) qvel = 0 for the rows that are kept
 *
 * A sliding contact has its friction against its present velocity. Where that all but vanishes the direction at the
 * start of the internal step stands for it, so that the equations go on smoothly beyond the instant at which sliding
 * stops, which is then found as a root. Where it has just begun the direction is that of the acceleration: a velocity
 * u turns into it at the rate mu f W_tt/|u|, so that following it would be stiff without bound. A planar contact keeps
 * its side for the whole phase.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "analysis/acceleration_rows.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "sim/event.h"
#include "sim/sim_state.h"

enum { MOST_TURNS = 10 };

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

crd_status crd_event_reserve(crd_event_driven *event, int points) {
  if (points <= event->capacity) return CRD_OK;
  size_t n = (size_t)(points + points / 2), d = sizeof(double);
  size_t unknowns = (size_t)event->nloop_row + (size_t)event->ndry;
  const crd_layout table[] = {
      {&event->followed, n, sizeof *event->followed, (size_t)event->nfollowed},
      {&event->moved, n, sizeof *event->moved, 0},
      {&event->point, n, sizeof *event->point, 0},
      {&event->limit, n, sizeof *event->limit, (size_t)event->nlimit},
      {&event->contact, n, sizeof *event->contact, (size_t)event->ncontact},
      {&event->mode, n, sizeof *event->mode, 0},
      {&event->rest, n, sizeof *event->rest, 0},
      {&event->impulse, n, 3 * d, 0},
      {&event->force[0], n, 3 * d, 0},
      {&event->force[1], n, 3 * d, 0},
      {&event->force[2], n, 3 * d, 0},
      {&event->rows.taken, 3 * n + unknowns, sizeof *event->rows.taken, 0},
  };
  crd_status status = crd_layout_renew(&event->phase_arena, table, sizeof table / sizeof *table);
  if (status != CRD_OK) return status;
  event->nrest = 0, event->capacity = (int)n;
  event->rows.room = (int)(3 * n + unknowns), event->rows.count = 0;
  for (int i = 0; i < 3; i++) event->force_at[i] = NAN;
  return CRD_OK;
}

crd_status crd_event_assemble(crd_group *group, const double *q, const double *v, int npoint,
                              const crd_contact_options *chosen, bool dry, crd_contact_problem *problem) {
  crd_contact_options options = *chosen;
  options.mu = group->options->mu, options.e = group->options->e;
  options.mass_matrix = false, options.dry_rows = dry, options.independent_loops = true;
  bool of_phase = problem == group->event->problem;
  options.jacobian = options.names = !of_phase, options.loop_rows = of_phase ? group->event->loop_row : NULL;
  return crd_contact_assemble(group->stage->assembler, group->stage->work, q, v, group->event->point, npoint, &options,
                              problem);
}

/* Directions of friction at the present velocities. */
static void set_directions(crd_event_driven *event) {
  const crd_contact_problem *problem = event->problem;
  for (int c = 0; c < event->npointcontact; c++) {
    const crd_contact *contact = &problem->contact[c];
    crd_phase_contact *phase = &event->contact[c];
    if (phase->mode.kind != CRD_PHASE_SLIP || contact->ntangent == 0 || contact->mu == 0) continue;
    double *d = phase->mode.d, u[2] = {0}, before[2] = {0}, along = 0;
    for (int k = 0; k < contact->ntangent; k++) {
      u[k] = problem->u[contact->row + 1 + k];
      before[k] = crd_vec3_dot(contact->tangent[k], phase->direction);
      along += u[k] * before[k];
    }
    double speed = hypot(u[0], u[1]), length = hypot(before[0], before[1]);
    bool spatial = contact->ntangent == 2 && !phase->mode.tied;
    bool follows = spatial && !phase->starts && speed > crd_event_accurate.stops * event->velocity_scale && along > 0;
    for (int k = 0; k < 2; k++) d[k] = follows ? u[k] / speed : length > 0 ? before[k] / length : 0;
    phase->mode.turns = phase->starts, phase->mode.turn = phase->turn;
  }
}

static void add_powers(const crd_event_driven *event, crd_phase_point *point) {
  const crd_contact_problem *problem = event->problem;
  int m = problem->nrow + problem->nb, first_dry = m - event->ndry;
  for (int i = 0; i < m; i++) {
    int kind = i < problem->nrow ? CRD_WORK_CONTACT : i < first_dry ? CRD_WORK_LOOP : CRD_WORK_DAMPING;
    point->power[kind] += point->answer.f[i] * problem->u[i];
  }
}

crd_status crd_event_rows(crd_group *group, const double *q, const double *v) {
  crd_event_driven *event = group->event;
  int n = event->nfollowed;
  crd_contact_options options = crd_contact_default();
  double reach = 2 * group->scene->contact_band + crd_event_accurate.reach * group->scene->size;
  if (n) memcpy(event->moved, event->followed, (size_t)n * sizeof *event->moved);
  crd_status status = crd_surface_locate(&event->surface, group->stage->work, event->moved, n, reach);
  if (status != CRD_OK) return status;
  for (int i = 0; i < n; i++) event->point[i] = event->moved[i].point;
  options.distance = INFINITY, options.limit_points = event->limit, options.nlimit_points = event->nlimit;
  status = crd_event_assemble(group, q, v, n, &options, true, event->problem);
  if (status != CRD_OK) return status;
  const bool points = event->npointcontact == 0 || event->problem->contact[event->npointcontact - 1].joint < 0;
  return event->problem->nc == event->ncontact && points ? CRD_OK : CRD_UNKNOWN;
}

crd_phase_mode *crd_event_modes(const crd_group *group) {
  crd_event_driven *event = group->event;
  int nc = event->problem->nc;
  crd_phase_mode *mode = crd_arena_alloc(&event->scratch, (size_t)(nc + event->ndry) + 1, sizeof *mode);
  for (int c = 0; mode && c < nc; c++) mode[c] = event->contact[c].mode;
  for (int k = 0; mode && k < event->ndry; k++) mode[nc + k] = event->dry[k].mode;
  return mode;
}

/* Forces of the units at the start of the phase, as forces of the rows; NULL: memory is out. */
static double *base_of_rows(crd_event_driven *event) {
  const crd_contact_problem *problem = event->problem;
  int m = problem->nrow + problem->nb, loops = problem->nb - event->ndry;
  double *base = crd_arena_alloc(&event->scratch, (size_t)m + 1, sizeof *base);
  for (int c = 0; base && c < problem->nc; c++) {
    const crd_phase_contact *phase = &event->contact[c];
    const crd_contact *contact = &problem->contact[c];
    base[contact->row] = phase->base.normal;
    for (int k = 0; k < contact->ntangent; k++)
      base[contact->row + 1 + k] = crd_vec3_dot(contact->tangent[k], phase->base.friction);
  }
  if (base && loops > 0) memcpy(base + problem->nrow, event->loop_base, (size_t)loops * sizeof *base);
  for (int k = 0; base && k < event->ndry; k++) base[m - event->ndry + k] = event->dry[k].base;
  return base;
}

crd_mode crd_event_mode(const crd_phase_mode *mode) {
  switch (mode->kind) {
    case CRD_PHASE_OPEN: return CRD_MODE_SEPARATE;
    case CRD_PHASE_STICK: return CRD_MODE_STICK;
    case CRD_PHASE_SLIP: return mode->tied ? CRD_MODE_STICK : CRD_MODE_SLIP;
    case CRD_PHASE_IDLE:
    case CRD_PHASE_UNKNOWN: break;
  }
  return CRD_MODE_NONE;
}

crd_touch_force crd_event_touch_force(const crd_contact *contact, const double *f, crd_mode mode) {
  crd_touch_force force = {.mode = mode, .normal = f[contact->row]};
  for (int k = 0; k < contact->ntangent; k++)
    crd_vec3_axpy(force.friction, f[contact->row + 1 + k], contact->tangent[k]);
  return force;
}

crd_status crd_event_accelerations(crd_group *group, const double *q, const double *v,
                                   const crd_contact_problem *problem, int npoint, const double *qacc,
                                   crd_force_problem *force) {
  crd_event_driven *event = group->event;
  int m = problem->nrow + problem->nb;
  double *a_free = crd_arena_alloc(&event->scratch, (size_t)m + 1, sizeof *a_free);
  double *row = crd_arena_alloc(&event->scratch, (size_t)m + 1, sizeof *row);
  if (!a_free || !row) return CRD_ERR_MEMORY;
  crd_status status = crd_surface_bias(&event->surface, group->stage->work, q, v, event->point, npoint,
                                       group->stage->assembler, problem, a_free);
  crd_contact_velocity(group->stage->assembler, group->stage->work, qacc, row); /* J qacc */
  for (int i = 0; i < m; i++) a_free[i] += row[i];
  crd_contact_parts(group->stage->assembler, qacc, row);
  *force = (crd_force_problem){.problem = problem, .ndry = event->ndry, .bound = event->bound, .a_free = a_free};
  if (problem == event->problem) force->rows = &event->rows;
  force->scale = crd_acceleration_scale_of(m, a_free, row);
  return status;
}

/* Directions in which sliding begins, to where friction points; false: they have not changed. */
static bool turn_directions(crd_event_driven *event, const crd_force_answer *answer, crd_phase_mode *mode) {
  bool turned = false;
  for (int c = 0; c < event->npointcontact; c++) {
    if (!mode[c].turns || mode[c].kind != CRD_PHASE_SLIP) continue;
    const double *t = answer->f + event->problem->contact[c].row + 1;
    const double *a = answer->a + event->problem->contact[c].row + 1;
    double length = hypot(t[0], t[1]), before[2] = {mode[c].d[0], mode[c].d[1]};
    for (int k = 0; k < 2 && length > 0; k++) mode[c].d[k] = -t[k] / length;
    double along = before[0] * a[0] + before[1] * a[1];
    mode[c].turn = length > 0 ? fmax(along, 0) / length : 0;
    turned = turned || hypot(mode[c].d[0] - before[0], mode[c].d[1] - before[1]) > crd_event_accurate.turned;
    event->contact[c].mode = mode[c];
  }
  return turned;
}

/* Has a contact that slides from rest got a direction of its own? */
bool crd_event_has_started(const crd_event_driven *event, int c) {
  const crd_contact *contact = &event->problem->contact[c];
  const double *u = event->problem->u + contact->row + 1;
  return contact->ntangent < 2 || hypot(u[0], u[1]) > event->started;
}

/* How many loop rows of a problem are independent to this share of their compliance at the start of the phase. */
static int loop_rank(crd_event_driven *event, const crd_contact_problem *problem, double share) {
  size_t m = (size_t)(problem->nrow + problem->nb), n = (size_t)(problem->nb - event->ndry);
  double *W = crd_arena_alloc(&event->scratch, n * n + 2 * n + 1, sizeof *W), *unit = event->loop_unit;
  int *order = crd_arena_alloc(&event->scratch, n + 1, sizeof *order);
  if (!W || !order) return 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      W[n * i + j] = problem->W[m * ((size_t)problem->nrow + i) + (size_t)problem->nrow + j] * unit[i] * unit[j];
  return crd_dense_independent_rows((int)n, W, share, order, W + n * n);
}

void crd_event_set_loop_units(crd_event_driven *event, const crd_contact_problem *problem) {
  for (int i = problem->nrow; i < problem->nrow + problem->nb - event->ndry; i++)
    event->loop_unit[i - problem->nrow] = 1 / sqrt(problem->W[(size_t)(problem->nrow + problem->nb + 1) * (size_t)i]);
  event->loop_rank = loop_rank(event, problem, crd_event_accurate.spread);
}

/* Have loop rows lost one of their directions? A mechanism that folds or stretches passes such an instant, near which
 * forces grow without bound and what is known of them goes to nothing. */
static bool has_folded(crd_event_driven *event) {
  return event->loop_rank > 0 && loop_rank(event, event->problem, crd_event_accurate.folded) < event->loop_rank;
}

/* Contacts, their rates and forces; the workspace has the free state, qacc the free acceleration. */
static crd_status add_forces(crd_group *group, const double *q, const double *v, crd_phase_point *at) {
  crd_event_driven *event = group->event;
  crd_force_problem force;
  crd_status status = crd_event_rows(group, q, v);
  if (status == CRD_OK)
    status = crd_event_accelerations(group, q, v, event->problem, event->nfollowed, at->qacc, &force);
  if (status != CRD_OK) return status;
  const crd_contact_problem *problem = event->problem;
  for (int i = 0; i < event->nfollowed; i++) at->gap_max = fmax(at->gap_max, fabs(event->point[i].gap));
  for (int b = 0; b < problem->nb; b++) at->loop_max = fmax(at->loop_max, fabs(problem->residual[b]));
  if (has_folded(event)) return CRD_SINGULAR;
  set_directions(event);
  crd_phase_mode *mode = crd_event_modes(group);
  const double *base = base_of_rows(event);
  if (!mode || !base) return CRD_ERR_MEMORY;
  at->scale = force.scale;
  bool turned = true;
  for (int turn = 0; status == CRD_OK && turned && turn < MOST_TURNS; turn++) {
    status = crd_force_solve(&force, mode, base, &event->tools, &at->answer);
    turned = status == CRD_OK && turn_directions(event, &at->answer, mode);
  }
  if (status != CRD_OK) return status;
  crd_contact_response(group->stage->assembler, group->stage->work, at->answer.f, event->change);
  for (int k = 0; k < group->model->nv; k++) at->qacc[k] += event->change[k];
  add_powers(event, at);
  return CRD_OK;
}

bool crd_event_has_rows(const crd_group *group) {
  return group->event->ncontact > 0 || group->model->nloop > 0 || group->event->ndry > 0;
}

crd_phase_point crd_event_evaluate(crd_group *group, double t, const double *q, const double *v, const double *act) {
  crd_event_driven *event = group->event;
  crd_phase_point at = {.qacc = event->qacc, .answer.determinant = 1, .scale = 1};
  crd_arena_reset(&event->scratch);
  if (group->options->control_next) t = event->control_t; /* at its end the next one's would begin */
  at.status =
      crd_sim_acceleration(group, t, q, v, act, at.qacc, &at.power[CRD_WORK_ACTUATION], &at.power[CRD_WORK_DAMPING]);
  if (at.status == CRD_OK && crd_event_has_rows(group)) at.status = add_forces(group, q, v, &at);
  for (int k = 0; k < group->model->nv; k++)
    if (group->trees->rests[group->scene->tree_of_dof[k]]) at.qacc[k] = 0;
  return at;
}
