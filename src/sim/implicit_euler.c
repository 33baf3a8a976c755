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
#include "sim/group.h"
#include "sim/stiff_motion.h"

/* Mh as armature, and -h K v into group->stage->tau. A force on several joints at once, slope c g g', is bounded by the diagonal
 * matrix with c |g_i| sum |g_j|, which is at least as stable. */
static void add_implicit_forces(crd_group *group, double h) {
  const crd_model *model = group->model;
  crd_stiff *stiff = group->stiff;
  const crd_slopes *slopes = &stiff->slopes;
  double *dv = stiff->rest; /* zero */
  crd_tree_part_integrate(group->model, group->part, group->now.q, group->now.v, h, group->stage->q);
  crd_slopes_at(&stiff->slopes, model, group->stage->work, group->now.act, group->stage->ctrl, group->now.q,
                group->now.v, group->stage->q, group->now.v);
  CRD_EACH (group->part, v, i) stiff->armature[i] = group->scene->armature[i] + h * (slopes->d[i] + h * slopes->k[i]);
  for (int t = 0; t < slopes->ncoupling; t++) {
    const double *g = crd_slopes_coupling(slopes, t);
    double sum = 0;
    CRD_EACH (group->part, v, i) sum += fabs(g[i]);
    CRD_EACH (group->part, v, i)
      stiff->armature[i] += h * (slopes->coupled_d[t] + h * slopes->coupled_k[t]) * fabs(g[i]) * sum;
  }
  crd_slopes_apply(slopes, group->part, false, -h, group->now.v, dv, group->stage->tau);
}

/* Forces c(v) are perpendicular to v, and do no work but by what v changes: taken at v + h a / 2 their error in the
 * energy is of third order instead of second. */
static void correct_bias(crd_group *group, double h) {
  const crd_model *model = group->model;
  double *bias = group->stage->scratch[0], *middle = group->stage->scratch[1];
  crd_tree_rnea(model, group->rows->work, NULL, NULL, bias);
  CRD_EACH (group->part, v, k) middle[k] = group->now.v[k] + 0.5 * h * group->stage->acc[0][k];
  crd_tree_velocity(model, group->rows->work, middle);
  crd_tree_rnea(model, group->rows->work, NULL, NULL, middle);
  CRD_EACH (group->part, v, k) bias[k] -= middle[k];
  crd_tree_solve(model, group->rows->work, bias, middle);
  CRD_EACH (group->part, v, k) group->stage->acc[0][k] += middle[k];
  crd_tree_velocity(model, group->rows->work, group->now.v);
}

crd_status crd_sim_implicit_euler(crd_group *group, double h) {
  const crd_model *model = group->model;
  const crd_sim_moment *now = &group->now;
  crd_status status;
  group->trial->t = now->t + h, group->trial->work = now->work;
  crd_tree_set_armature(group->rows->work, group->scene->armature);
  if (group->scene->has_forces) {
    crd_sim_drive(group, now->t, now->q, now->v, now->act);
    crd_activation_start(group);
    crd_activation_advance(group, now->act, h, group->begin->drive, NULL, group->trial->act);
    crd_part_copy_v(group->part, group->begin->driven, group->stage->tau);
    crd_part_copy_v(group->part, group->begin->drag, group->stage->drag);
    crd_tree_part_passive(model, group->part, now->q, now->v, group->stage->tau);
    crd_tree_tendon_forces(model, group->stage->work, now->q, now->v, group->stage->tau);
    if (model->compensated) {
      crd_tree_kinematics(model, group->rows->work, now->q);
      crd_tree_gravity_compensation(model, group->rows->work, group->stage->tau);
    }
    if (group->stiff) {
      add_implicit_forces(group, h);
      crd_tree_set_armature(group->rows->work, group->stiff->armature);
    }
  }
  status = crd_tree_aba(model, group->rows->work, now->q, now->v, group->scene->has_forces ? group->stage->tau : NULL,
                        NULL, group->stage->acc[0]);
  crd_tree_set_armature(group->rows->work, group->scene->armature); /* the factor stays that of Mh */
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(group, group->rows->work, status);
  if (group->scene->has_bias) correct_bias(group, h);
  CRD_EACH (group->part, v, k) {
    group->trial->v[k] = now->v[k] + h * group->stage->acc[0][k];
    if (!isfinite(group->trial->v[k]))
      return crd_sim_fail(group, CRD_LIMIT, "the motion leaves the range of numbers: the time step of %g s is too long",
                          h);
  }
  return CRD_OK;
}
