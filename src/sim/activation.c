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

#include <math.h>

#include "sim/event.h"

/* For every activation of the actuators that act on the part. */
#define EACH(sim, k)                                                \
  for (int at_##k = 0, k; at_##k < (sim)->part.nactuator; at_##k++) \
    if ((k = (sim)->model->actuator[(sim)->part.actuator[at_##k]].act) >= 0)

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

void crd_activation_drive(crd_sim *sim, const double *act, int i) {
  const crd_model *model = sim->model;
  if (model->nact == 0) return;
  double *drive = sim->stage.drive[i];
  crd_tree_activation_rate(model, act, sim->stage.ctrl, drive, NULL);
  EACH(sim, k) drive[k] += sim->begin.decay[k] * act[k];
}

void crd_activation_start(crd_sim *sim) {
  if (sim->model->nact == 0) return;
  crd_tree_activation_rate(sim->model, sim->now.act, sim->stage.ctrl, sim->begin.drive, sim->begin.decay);
  EACH(sim, k) sim->begin.drive[k] += sim->begin.decay[k] * sim->now.act[k];
}

void crd_activation_advance(const crd_sim *sim, const double *from, double h, const double *first, const double *second,
                            double *to) {
  if (sim->model->nact == 0) return;
  EACH(sim, k) {
    double z = sim->begin.decay[k] * h, J[3];
    moments(z, J);
    to[k] = exp(-z) * from[k] + h * J[0] * (second ? 2 * second[k] - first[k] : first[k]);
  }
  crd_tree_clamp_activation(sim->model, to);
}

void crd_activation_finish(crd_sim *sim, double h, const double node[2], const double *const n[3]) {
  if (sim->model->nact == 0) return;
  EACH(sim, k) {
    const double slope = (n[1][k] - n[0][k]) / node[0];
    const double bend =
        ((n[2][k] - n[1][k]) / (node[1] - node[0]) - slope) / node[1]; /* Newton's divided differences */
    double z = sim->begin.decay[k] * h, J[3];
    moments(z, J);
    sim->trial.act[k] =
        exp(-z) * sim->now.act[k] + h * (J[0] * n[0][k] + J[1] * (slope - node[0] * bend) + J[2] * bend);
  }
  crd_tree_clamp_activation(sim->model, sim->trial.act);
}

void crd_activation_copy(const crd_sim *sim, double *to, const double *from) { EACH(sim, k) to[k] = from[k]; }

bool crd_activation_moves(const crd_sim *sim) {
  EACH(sim, k)
  if (sim->now.act[k] != sim->trial.act[k]) return true;
  return false;
}

const double *crd_sim_act(const crd_sim *sim) { return sim->now.act; }

crd_status crd_sim_set_act(crd_sim *sim, const double *act, crd_error *err) {
  const int n = sim->model->nact;
  for (int k = 0; act && k < n; k++)
    if (!isfinite(act[k]))
      return crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "act[%d]: found %g, expected a finite number", k, act[k]);
  for (int k = 0; k < n; k++) sim->now.act[k] = act ? act[k] : 0;
  crd_tree_clamp_activation(sim->model, sim->now.act);
  crd_sim_wake(sim);
  if (sim->event) crd_event_reset(sim->event);
  return CRD_OK;
}
