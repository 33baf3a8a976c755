/* A new start: the state is checked, small errors of gaps and loops are removed, large ones refused by name. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "sim/event.h"

static crd_status check_numbers(const double *x, int n, const char *what, crd_error *err) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "%s[%d]: found %g, expected a finite number", what, i, x[i]);
  return CRD_OK;
}

static crd_status check_quaternions(const crd_model *model, const double *q, crd_error *err) {
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    if (joint->type != CRD_BALL && joint->type != CRD_FREE) continue;
    const double *quat = q + joint->q + (joint->type == CRD_FREE ? 3 : 0);
    double square = 0;
    for (int i = 0; i < 4; i++) square += quat[i] * quat[i];
    if (!(square > 1e-12 && square < 1e12))
      return crd_error_set(err, CRD_ERR_MODEL, NULL, 0, "joint \"%s\": found a quaternion of length %g, expected 1",
                           joint->name, sqrt(square));
  }
  return CRD_OK;
}

/* Overlaps beyond the tolerance are refused: no motion leads there. */
static crd_status check_overlap(crd_sim *sim, crd_error *err) {
  crd_sim_touches *touches = &sim->trial.touches;
  int worst = -1;
  for (int i = 0; i < touches->count; i++)
    if (worst < 0 || touches->item[i].at.gap < touches->item[worst].at.gap) worst = i;
  double most = 2 * sim->closed;
  if (worst < 0 || touches->item[worst].at.gap >= -most) return CRD_OK;
  const int *contact_of;
  crd_status status = crd_sim_assemble(sim, sim->trial.q, sim->trial.v, touches, NULL, false, &contact_of);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", sim->message);
  const char *name = contact_of[worst] >= 0 ? sim->problem->contact[contact_of[worst]].name : "";
  return crd_error_set(err, CRD_ERR_MODEL, NULL, 0, "contact \"%s\": the bodies overlap by %g m, expected at most %g m",
                       name, -touches->item[worst].at.gap, most);
}

crd_status crd_sim_reset(crd_sim *sim, double t, const double *qpos, const double *qvel, crd_error *err) {
  const crd_model *model = sim->model;
  const double *q = qpos ? qpos : model->qpos0;
  crd_sim_moment *fresh = &sim->trial;
  crd_status status = check_numbers(q, model->nq, "qpos", err);
  if (status == CRD_OK && qvel) status = check_numbers(qvel, model->nv, "qvel", err);
  if (status == CRD_OK && !isfinite(t))
    status = crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "time: found %g, expected a finite number", t);
  if (status == CRD_OK) status = check_quaternions(model, q, err);
  if (status != CRD_OK) return status;
  if (qvel)
    memcpy(fresh->v, qvel, (size_t)model->nv * sizeof *fresh->v);
  else
    memset(fresh->v, 0, (size_t)model->nv * sizeof *fresh->v);
  memset(fresh->push, 0, (size_t)model->nv * sizeof *fresh->push);
  memset(sim->dry_sign, 0, (size_t)model->nv * sizeof *sim->dry_sign);
  memset(sim->chart, 0, (size_t)model->nv * sizeof *sim->chart);
  crd_tree_integrate_position(model, q, sim->chart, 1, fresh->q); /* unit quaternions */
  fresh->t = t, fresh->work = (crd_sim_work){0}, fresh->touches.count = 0;
  crd_tree_kinematics(model, sim->work, fresh->q);
  for (int g = 0; g < model->ngeom; g++)
    crd_tree_geom_pose(model, sim->work, g, sim->pos + 3 * g, sim->R + 9 * g); /* the fixed ones, once and for all */
  status = crd_sim_detect(sim, fresh->q, sim->closed, NULL, &fresh->touches);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", sim->message);
  status = check_overlap(sim, err);
  if (status != CRD_OK) return status;
  crd_sim_copy_moment(sim, &sim->now, fresh);
  sim->counters = (crd_sim_counters){0};
  sim->gain_max = 0, sim->ncontact = 0, sim->message[0] = 0;
  sim->unfit = false;
  if (sim->event) crd_event_reset(sim->event);
  double kinetic, potential;
  sim->energy_start = crd_sim_mechanical(sim, sim->now.q, sim->now.v, &kinetic, &potential);
  return CRD_OK;
}
