/* What the contacts did in the last step, carried over to this one: it makes the step one of second order.
 *
 * The free motion runs with the acceleration `push` = X0 f that the contacts gave at its start (f their forces in the
 * last step, X = M^-1 J'), so that velocity-dependent forces see the velocity that the contacts leave, not one that
 * falls through the floor. Forces act over the whole step, in the directions of its start as well as of its end:
 *
 *   v1 = v0 + (free motion) + (X0 + X1) p / 2  =  vf - h push + X1 p + (X0 - X1) p / 2
 *
 * with vf the end of the free motion. In the last term p may be that of the last step, f h: X0 - X1 is of order h, p -
 * f h of order h^2. Hence
 *
 *   v1 = base + X1 p,     base = vf - h (push + X1 f) / 2
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
    touch->force = touch->leaving = 0;
    for (int k = 0; k < 3; k++) touch->friction[k] = 0, touch->sliding[k] = NAN;
  }
}

void crd_sim_adopt_forces(crd_sim *sim) {
  size_t size = (size_t)sim->model->nv * sizeof(double);
  memcpy(sim->now.push, sim->trial.push, size);
  memcpy(sim->now.dry, sim->trial.dry, size);
  memcpy(sim->now.load, sim->trial.load, size);
  sim->now.leaning = sim->trial.leaning, sim->adopted = true;
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *held = &sim->held.item[i];
    if (!held->touching || held->source < 0) continue;
    crd_sim_touch *start = &sim->now.touches.item[held->source];
    start->force = held->force;
    memcpy(start->friction, held->friction, sizeof start->friction);
  }
}

bool crd_sim_has_push(const crd_sim *sim) {
  for (int i = 0; i < sim->model->nv; i++)
    if (sim->now.push[i] != 0) return true;
  return false;
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

void crd_sim_velocities_before(crd_sim *sim, const int *touch_of) {
  const crd_contact_problem *problem = sim->problem;
  /* without a forecast the impulses act in the directions of the end alone, like an impact there */
  bool all_known = problem->nb == 0 && sim->predicts;
  for (int c = 0; c < problem->nc; c++)
    all_known = all_known && touch_of[c] >= 0 && !isnan(at_start(sim, &sim->held.item[touch_of[c]])->sliding[0]);
  /* with the rows of the end: first order where a contact is new, nothing where a loop held already */
  if (!all_known) crd_contact_velocity(sim->hold_assembler, sim->hold_work, sim->now.v, sim->before);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    const crd_sim_touch *before = touch_of[c] >= 0 ? at_start(sim, &sim->held.item[touch_of[c]]) : NULL;
    if (!before || !sim->predicts || isnan(before->sliding[0])) continue;
    sim->before[contact->row] = before->leaving;
    carry(contact, before->at.normal, before->sliding, sim->before + contact->row + 1);
  }
}

/* Adds a force that acted at the start, sliding or not, to the rows f of its contact, in the directions of the end. */
static void add_force(const crd_sim *sim, const crd_contact *contact, const double *normal, double force,
                      const double *rubbing, bool slid, double *f) {
  const double *u = sim->problem->u + contact->row;
  double friction[2] = {0, 0}, speed = contact->ntangent == 2 ? hypot(u[1], u[2]) : fabs(u[contact->ntangent]);
  carry(contact, normal, rubbing, friction);
  double size = hypot(friction[0], friction[1]);
  bool slides = slid && contact->ntangent > 0 && speed > 0;
  f[contact->row] += force;
  for (int t = 0; t < contact->ntangent; t++)
    f[contact->row + 1 + t] += slides ? -size * u[1 + t] / speed : friction[t];
}

void crd_sim_guess(crd_sim *sim, const int *contact_of, double dt) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  memset(sim->p, 0, (size_t)m * sizeof *sim->p);
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *before = at_start(sim, &sim->held.item[i]);
    if (contact_of[i] < 0) continue;
    add_force(sim, &problem->contact[contact_of[i]], before->at.normal, before->guess_force, before->guess_friction,
              before->guess_mode == CRD_MODE_SLIP, sim->p);
  }
  for (int i = 0; i < m; i++) sim->p[i] *= dt;
  for (int i = 0; i < problem->nf; i++) sim->p[m + i] = dt * sim->now.dry[problem->dry[i].dof];
}

/* X1 f into sim->chart, f in sim->p. */
static void push_at_end(crd_sim *sim, const int *contact_of) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  double *f = sim->p;
  memset(f, 0, (size_t)m * sizeof *f);
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *before = at_start(sim, &sim->held.item[i]);
    if (contact_of[i] < 0) continue;
    add_force(sim, &problem->contact[contact_of[i]], before->at.normal, before->force, before->friction,
              before->mode == CRD_MODE_SLIP, f);
  }
  for (int i = 0; i < problem->nf; i++) f[m + i] = sim->now.dry[problem->dry[i].dof];
  crd_contact_response(sim->hold_assembler, sim->hold_work, f, sim->chart);
}

bool crd_sim_set_base(crd_sim *sim, const int *contact_of, double dt) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  double *push = sim->chart, *start = sim->island_w, *end = sim->island_u, same = 0, size = 0;
  for (int i = 0; i < m; i++) sim->u[i] = problem->u[i];
  if (!sim->predicts) return true;
  push_at_end(sim, contact_of);
  crd_contact_velocity(sim->hold_assembler, sim->hold_work, sim->now.push, start);
  crd_contact_velocity(sim->hold_assembler, sim->hold_work, push, end);
  for (int i = 0; i < m; i++) {
    same += sim->p[i] * start[i], size += sim->p[i] * end[i];
    sim->u[i] -= 0.5 * dt * (start[i] + end[i]);
  }
  for (int k = 0; k < problem->nv; k++) sim->trial.v[k] -= 0.5 * dt * (push[k] + sim->now.push[k]);
  return fabs(same - size) <= MOST_TURN * size;
}

static void keep_guess(crd_sim_touch *to, const crd_sim_touch *solved) {
  to->guess_mode = solved->mode, to->guess_force = solved->force;
  memcpy(to->guess_friction, solved->friction, sizeof to->guess_friction);
  memcpy(to->guess_sliding, solved->sliding, sizeof to->guess_sliding);
}

void crd_sim_keep_forces(crd_sim *sim, const int *contact_of, double dt) {
  const crd_contact_problem *problem = sim->problem;
  int m = problem->nrow + problem->nb;
  int *members = sim->chosen; /* points that make up each contact: they share its force */
  for (int c = 0; c < problem->nc; c++) members[c] = 0;
  for (int i = 0; i < sim->held.count; i++)
    if (contact_of[i] >= 0) members[contact_of[i]]++;
  for (int i = 0; i < sim->held.count; i++) {
    crd_sim_touch *touch = &sim->held.item[i];
    if (contact_of[i] < 0) continue;
    const crd_contact *contact = &problem->contact[contact_of[i]];
    const double *p = sim->p + contact->row, *u = sim->u + contact->row;
    double share = 1 / (dt * members[contact_of[i]]);
    touch->mode = sim->mode[contact_of[i]];
    touch->force = p[0] * share, touch->leaving = u[0];
    for (int k = 0; k < 3; k++) {
      touch->friction[k] = touch->sliding[k] = 0;
      for (int t = 0; t < contact->ntangent; t++) {
        touch->friction[k] += p[1 + t] * share * contact->tangent[t][k];
        touch->sliding[k] += u[1 + t] * contact->tangent[t][k];
      }
    }
    keep_guess(touch, touch);
    if (touch->source >= 0) keep_guess(&sim->now.touches.item[touch->source], touch);
  }
  memset(sim->trial.dry, 0, (size_t)sim->model->nv * sizeof *sim->trial.dry);
  for (int i = 0; i < problem->nf; i++) sim->trial.dry[problem->dry[i].dof] = sim->p[m + i] / dt;
}
