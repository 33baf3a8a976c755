/* Activations over a step. They depend on the controls alone, a' = f(a, ctrl), and are carried by the stages of the free
 * motion as an exponential Runge-Kutta method [Cox and Matthews 2002]: with the decay L of the start of the step,
 *
 *   a' = -L a + n(t),   n = f + L a,    a(t0 + h) = e^(-L h) a0 + integral of e^(-L (h - s)) n(s) ds
 *
 * n is the drive. A filter has n = ctrl / T: its response to a constant control is exact, however long the step, and so
 * is that of a muscle to the linear part of its law. In stages n is constant, at the end of the step the parabola through
 * the stages' values. With L = 0 these are the stages' own formulas, whose order stays what it is.
 */
#include "sim/activation.h"
#include "sim/sim_state.h"

#include <math.h>

#include "sim/event.h"

/* For every activation of the actuators that act on the part. */
#define EACH(group, k)                                                 \
  for (int at_##k = 0, k; at_##k < (group)->part->nactuator; at_##k++) \
    if ((k = (group)->model->actuator[(group)->part->actuator[at_##k]].act) >= 0)

/* J_k = integral over 0..1 of e^(-z (1 - s)) s^k ds, k = 0, 1, 2; z >= 0. Upwards J_k = (1 - k J_(k-1)) / z, which loses
 * digits where z is small: there downwards from the series of J_2. */
static void moments(double z, double J[3]) {
  static const double SMALL = 0.5;
  enum { TERMS = 16 };
  if (z >= SMALL) {
    J[0] = -expm1(-z) / z;
    J[1] = (1 - J[0]) / z;
    J[2] = (1 - 2 * J[1]) / z;
    return;
  }
  double term = 1.0 / 3, sum = 0;
  for (int k = 0; k < TERMS; k++) sum += term, term *= -z / (4 + k);
  J[2] = sum;
  J[1] = (1 - z * J[2]) / 2;
  J[0] = 1 - z * J[1];
}

void crd_activation_drive(crd_group *group, const double *act, int i) {
  const crd_model *model = group->model;
  if (model->nact == 0) return;
  double *drive = group->stage->drive[i];
  crd_tree_activation_rate(model, act, group->stage->ctrl, drive, NULL);
  EACH(group, k) drive[k] += group->begin->decay[k] * act[k];
}

void crd_activation_start(crd_group *group) {
  if (group->model->nact == 0) return;
  crd_tree_activation_rate(group->model, group->now.act, group->stage->ctrl, group->begin->drive, group->begin->decay);
  EACH(group, k) group->begin->drive[k] += group->begin->decay[k] * group->now.act[k];
}

void crd_activation_advance(const crd_group *group, const double *from, double h, const double *first,
                            const double *second, double *to) {
  if (group->model->nact == 0) return;
  EACH(group, k) {
    double z = group->begin->decay[k] * h, J[3];
    moments(z, J);
    to[k] = exp(-z) * from[k] + h * J[0] * (second ? 2 * second[k] - first[k] : first[k]);
  }
  crd_tree_clamp_activation(group->model, to);
}

void crd_activation_finish(crd_group *group, double h, const double node[2], const double *const n[3]) {
  if (group->model->nact == 0) return;
  EACH(group, k) {
    const double slope = (n[1][k] - n[0][k]) / node[0];
    const double bend =
        ((n[2][k] - n[1][k]) / (node[1] - node[0]) - slope) / node[1]; /* Newton's divided differences */
    double z = group->begin->decay[k] * h, J[3];
    moments(z, J);
    group->trial->act[k] =
        exp(-z) * group->now.act[k] + h * (J[0] * n[0][k] + J[1] * (slope - node[0] * bend) + J[2] * bend);
  }
  crd_tree_clamp_activation(group->model, group->trial->act);
}

void crd_activation_copy(const crd_group *group, double *to, const double *from) { EACH(group, k) to[k] = from[k]; }

bool crd_activation_moves(const crd_group *group) {
  EACH(group, k)
  if (group->now.act[k] != group->trial->act[k]) return true;
  return false;
}

const double *crd_sim_act(const crd_sim *sim) { return sim->whole.now.act; }

crd_status crd_sim_set_act(crd_sim *sim, const double *act, crd_error *err) {
  const int n = sim->model->nact;
  double *now = sim->whole.now.act;
  for (int k = 0; act && k < n; k++)
    if (!isfinite(act[k]))
      return crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "act[%d]: found %g, expected a finite number", k, act[k]);
  for (int k = 0; k < n; k++) now[k] = act ? act[k] : 0;
  crd_tree_clamp_activation(sim->model, now);
  crd_sim_wake(sim);
  if (sim->whole.event) crd_event_reset(sim->whole.event);
  return CRD_OK;
}
