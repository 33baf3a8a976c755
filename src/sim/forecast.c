/* What the contacts did in the last step, carried over to this one: it makes the step one of second order.
 *
 * The free motion runs with the acceleration `qacc` = X0 f that the contacts gave at its start (f their forces in the
 * last step, X = M^-1 J'), so that velocity-dependent forces see the velocity that the contacts leave, not one that
 * falls through the floor. Forces act over the whole step, in the directions of its start as well as of its end:
 *
 *   v1 = v0 + (free motion) + (X0 + X1) p / 2  =  vf - h qacc + X1 p + (X0 - X1) p / 2
 *
 * with vf the end of the free motion. In the last term p may be that of the last step, f h: X0 - X1 is of order h, p -
 * f h of order h^2. Hence
 *
 *   v1 = base + X1 p,     base = vf - h (qacc + X1 f) / 2
 *
 * and the contact problem keeps its symmetric matrix J1 X1. Friction of a sliding contact points against its velocity,
 * at the start as at the end, so f is turned into the new direction for X1 f.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "sim/sim_state.h"

/* Where J0 and J1 differ by more than this share, (f, f) in the metric of W, the forces of the last step say nothing
 * about this one: near the dead point of a folded link the direction of a contact turns round within a step. */
static const double MOST_TURN = 0.2;

void crd_sim_forget_forces(crd_sim *sim) {
  size_t size = (size_t)sim->model->nv * sizeof(double);
  memset(sim->now.push, 0, size);
  memset(sim->now.dry, 0, size);
  memset(sim->now.load, 0, size);
  for (int i = 0; i < sim->now.touches.count; i++) {
    crd_sim_touch *touch = &sim->now.touches.item[i];
    touch->force = (crd_touch_force){.mode = touch->force.mode};
    touch->leaving = 0;
    for (int k = 0; k < 3; k++) touch->sliding[k] = NAN;
  }
}

static bool any_nonzero(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return true;
  return false;
}

static void take_forces(crd_sim *sim, const crd_sim_moment *of) {
  crd_sim_forecast *forecast = &sim->forecast;
  size_t size = (size_t)sim->model->nv * sizeof(double);
  memcpy(forecast->qacc, of->push, size);
  memcpy(forecast->dry, of->dry, size);
  memcpy(forecast->load, of->load, size);
  forecast->implicit = of->leaning;
  forecast->acts = any_nonzero(of->push, sim->model->nv);
}

void crd_sim_forecast_begin(crd_sim *sim) {
  take_forces(sim, &sim->now);
  sim->forecast.fresh = false;
  for (int i = 0; i < sim->now.touches.count; i++) {
    sim->forecast.force[i] = sim->now.touches.item[i].force;
    sim->forecast.guess[i] = sim->now.touches.item[i].guess;
  }
}

void crd_sim_forecast_adopt(crd_sim *sim) {
  take_forces(sim, &sim->trial);
  sim->forecast.fresh = true;
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *held = &sim->held.item[i];
    if (held->touching && held->source >= 0) sim->forecast.force[held->source] = held->force;
  }
}

void crd_sim_forecast_warm(crd_sim *sim) {
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *held = &sim->held.item[i];
    if (held->source >= 0) sim->forecast.guess[held->source] = held->guess;
  }
}

/* Components of x, a vector in the tangent plane of the old normal, along the tangents of the contact, after the
 * smallest rotation that takes the old normal a into the new one b: x - (b . x) (a + b) / (1 + a . b). */
static void carry(const crd_contact *contact, const double *a, const double *x, double *component) {
  const double *b = contact->normal;
  double turned[3], share = crd_vec3_dot(b, x) / fmax(1 + crd_vec3_dot(a, b), 1e-3);
  for (int k = 0; k < 3; k++) turned[k] = x[k] - share * (a[k] + b[k]);
  for (int t = 0; t < contact->ntangent; t++) component[t] = crd_vec3_dot(turned, contact->tangent[t]);
}

/* The point as it was at the start of the step. */
static const crd_sim_touch *at_start(const crd_sim *sim, const crd_sim_touch *held) {
  return held->source >= 0 ? &sim->now.touches.item[held->source] : held;
}

static const crd_touch_force NO_FORCE = {.mode = CRD_MODE_NONE};

/* What the forecast says of a point that is held; a new one has no force yet. */
static const crd_touch_force *forecast_of(const crd_touch_force *list, const crd_sim_touch *held) {
  return held->source >= 0 ? &list[held->source] : &NO_FORCE;
}

void crd_sim_velocities_before(crd_sim *sim, const crd_sim_ask *ask, const int *touch_of) {
  const crd_contact_problem *problem = sim->problem;
  /* without a forecast the impulses act in the directions of the end alone, like an impact there */
  bool all_known = problem->nb == 0 && ask->forecast;
  for (int c = 0; c < problem->nc; c++)
    all_known = all_known && touch_of[c] >= 0 && !isnan(at_start(sim, &sim->held.item[touch_of[c]])->sliding[0]);
  /* with the rows of the end: first order where a contact is new, nothing where a loop held already */
  if (!all_known) crd_contact_velocity(sim->hold_assembler, sim->hold_work, sim->now.v, sim->before);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    const crd_sim_touch *before = touch_of[c] >= 0 ? at_start(sim, &sim->held.item[touch_of[c]]) : NULL;
    if (!before || !ask->forecast || isnan(before->sliding[0])) continue;
    sim->before[contact->row] = before->leaving;
    carry(contact, before->at.normal, before->sliding, sim->before + contact->row + 1);
  }
}

/* Adds a force that acted at the start, in the tangent plane of its normal there, to the rows f of its contact, in the
 * directions of the end; friction of a contact that slides points against its velocity. */
static void add_force(const crd_sim *sim, const crd_contact *contact, const double *normal,
                      const crd_touch_force *force, double *f) {
  const double *u = sim->problem->u + contact->row;
  double friction[2] = {0, 0}, speed = contact->ntangent == 2 ? hypot(u[1], u[2]) : fabs(u[contact->ntangent]);
  carry(contact, normal, force->friction, friction);
  double size = hypot(friction[0], friction[1]);
  bool slides = force->mode == CRD_MODE_SLIP && contact->ntangent > 0 && speed > 0;
  f[contact->row] += force->normal;
  for (int t = 0; t < contact->ntangent; t++)
    f[contact->row + 1 + t] += slides ? -size * u[1 + t] / speed : friction[t];
}

/* The rows' share of a list of the forecast, times dt, into sim->p. */
static void collect_forces(crd_sim *sim, const crd_touch_force *list, const int *contact_of, double dt) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  double *p = sim->p;
  memset(p, 0, (size_t)m * sizeof *p);
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *held = &sim->held.item[i];
    if (contact_of[i] < 0) continue;
    add_force(sim, &problem->contact[contact_of[i]], at_start(sim, held)->at.normal, forecast_of(list, held), p);
  }
  for (int i = 0; i < m; i++) p[i] *= dt;
  for (int i = 0; i < problem->nf; i++) p[m + i] = dt * sim->forecast.dry[problem->dry[i].dof];
}

void crd_sim_guess(crd_sim *sim, const int *contact_of, double dt) {
  collect_forces(sim, sim->forecast.guess, contact_of, dt);
}

bool crd_sim_set_base(crd_sim *sim, const crd_sim_ask *ask, const int *contact_of) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  double *qacc = sim->chart, *start = sim->w, *end = sim->row_scratch, same = 0, size = 0;
  for (int i = 0; i < m; i++) sim->u[i] = problem->u[i];
  if (!ask->forecast) return true;
  collect_forces(sim, sim->forecast.force, contact_of, 1);
  crd_contact_response(sim->hold_assembler, sim->hold_work, sim->p, qacc); /* X1 f */
  crd_contact_velocity(sim->hold_assembler, sim->hold_work, sim->forecast.qacc, start);
  crd_contact_velocity(sim->hold_assembler, sim->hold_work, qacc, end);
  for (int i = 0; i < m; i++) {
    same += sim->p[i] * start[i], size += sim->p[i] * end[i];
    sim->u[i] -= 0.5 * ask->dt * (start[i] + end[i]);
  }
  for (int k = 0; k < problem->nv; k++) sim->trial.v[k] -= 0.5 * ask->dt * (qacc[k] + sim->forecast.qacc[k]);
  return fabs(same - size) <= MOST_TURN * size;
}

void crd_sim_keep_forces(crd_sim *sim, const int *contact_of, double dt) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  int *members = sim->place; /* points that make up each contact: they share its force */
  for (int c = 0; c < problem->nc; c++) members[c] = 0;
  for (int i = 0; i < sim->held.count; i++)
    if (contact_of[i] >= 0) members[contact_of[i]]++;
  for (int i = 0; i < sim->held.count; i++) {
    crd_sim_touch *touch = &sim->held.item[i];
    if (contact_of[i] < 0) continue;
    const crd_contact *contact = &problem->contact[contact_of[i]];
    const double *p = sim->p + contact->row, *u = sim->u + contact->row;
    double share = 1 / (dt * members[contact_of[i]]);
    touch->force = (crd_touch_force){.mode = sim->mode[contact_of[i]], .normal = p[0] * share};
    touch->leaving = u[0];
    for (int k = 0; k < 3; k++) {
      touch->sliding[k] = 0;
      for (int t = 0; t < contact->ntangent; t++) {
        touch->force.friction[k] += p[1 + t] * share * contact->tangent[t][k];
        touch->sliding[k] += u[1 + t] * contact->tangent[t][k];
      }
    }
    touch->guess = touch->force;
  }
  memset(sim->trial.dry, 0, (size_t)sim->model->nv * sizeof *sim->trial.dry);
  for (int i = 0; i < problem->nf; i++) sim->trial.dry[problem->dry[i].dof] = sim->p[m + i] / dt;
}
