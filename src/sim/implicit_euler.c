/* Linearly implicit Euler: the free velocity of a step of time stepping [Moreau 1988; Jean 1999].
 *
 *   Mh (v_free - v) = h (tau - h K v - c),   Mh = M + h D + h^2 K
 *
 * joint forces tau and their slopes K, D at the start, stable whatever they are; Coriolis and gyroscopic forces c at
 * half of this change. First order.
 */
#include <math.h>
#include <string.h>

#include "sim/activation.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"

/* Mh as armature, and -h K v into sim->stage.tau. A force on several joints at once, slope c g g', is bounded by the diagonal
 * matrix with c |g_i| sum |g_j|, which is at least as stable. */
static void lean(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  crd_stiff *stiff = sim->stiff;
  const crd_slopes *slopes = &stiff->slopes;
  double *dv = stiff->rest; /* zero */
  crd_tree_part_integrate(sim->model, &sim->part, sim->now.q, sim->now.v, h, sim->stage.q);
  crd_slopes_at(&stiff->slopes, model, sim->stage.work, sim->now.act, sim->stage.ctrl, sim->now.q, sim->now.v,
                sim->stage.q, sim->now.v);
  CRD_EACH (&sim->part, v, i) stiff->armature[i] = model->dof_armature[i] + h * (slopes->d[i] + h * slopes->k[i]);
  for (int t = 0; t < slopes->ncoupling; t++) {
    const double *g = crd_slopes_coupling(slopes, t);
    double sum = 0;
    CRD_EACH (&sim->part, v, i) sum += fabs(g[i]);
    CRD_EACH (&sim->part, v, i)
      stiff->armature[i] += h * (slopes->coupled_d[t] + h * slopes->coupled_k[t]) * fabs(g[i]) * sum;
  }
  crd_slopes_apply(slopes, &sim->part, false, -h, sim->now.v, dv, sim->stage.tau);
}

/* Forces c(v) are perpendicular to v, and do no work but by what v changes: taken at v + h a / 2 their error in the
 * energy is of third order instead of second. */
static void correct_bias(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  double *bias = sim->stage.acc[2], *middle = sim->stage.acc[3];
  crd_tree_rnea(model, sim->rows.work, NULL, NULL, bias);
  CRD_EACH (&sim->part, v, k) middle[k] = sim->now.v[k] + 0.5 * h * sim->stage.acc[0][k];
  crd_tree_velocity(model, sim->rows.work, middle);
  crd_tree_rnea(model, sim->rows.work, NULL, NULL, middle);
  CRD_EACH (&sim->part, v, k) bias[k] -= middle[k];
  crd_tree_solve(model, sim->rows.work, bias, middle);
  CRD_EACH (&sim->part, v, k) sim->stage.acc[0][k] += middle[k];
  crd_tree_velocity(model, sim->rows.work, sim->now.v);
}

crd_status crd_sim_implicit_euler(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  const crd_sim_moment *now = &sim->now;
  crd_status status;
  sim->trial.t = now->t + h, sim->trial.work = now->work;
  crd_tree_set_armature(sim->rows.work, NULL);
  if (sim->scene.has_forces) {
    crd_sim_drive(sim, now->t, now->q, now->v, now->act);
    crd_activation_start(sim);
    crd_activation_advance(sim, now->act, h, sim->begin.drive, NULL, sim->trial.act);
    crd_part_copy_v(&sim->part, sim->begin.driven, sim->stage.tau);
    crd_part_copy_v(&sim->part, sim->begin.drag, sim->stage.drag);
    crd_tree_part_passive(model, &sim->part, now->q, now->v, sim->stage.tau);
    crd_tree_tendon_forces(model, sim->stage.work, now->q, now->v, sim->stage.tau);
    if (model->compensated) {
      crd_tree_kinematics(model, sim->rows.work, now->q);
      crd_tree_gravity_compensation(model, sim->rows.work, sim->stage.tau);
    }
    if (sim->stiff) {
      lean(sim, h);
      crd_tree_set_armature(sim->rows.work, sim->stiff->armature);
    }
  }
  status = crd_tree_aba(model, sim->rows.work, now->q, now->v, sim->scene.has_forces ? sim->stage.tau : NULL, NULL,
                        sim->stage.acc[0]);
  crd_tree_set_armature(sim->rows.work, NULL); /* the factor stays that of Mh */
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(sim, sim->rows.work, status);
  if (sim->scene.has_bias) correct_bias(sim, h);
  CRD_EACH (&sim->part, v, k) {
    sim->trial.v[k] = now->v[k] + h * sim->stage.acc[0][k];
    if (!isfinite(sim->trial.v[k]))
      return crd_sim_fail(sim, CRD_LIMIT, "the motion leaves the range of numbers: the time step of %g s is too long",
                          h);
  }
  return CRD_OK;
}
