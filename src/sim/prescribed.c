/* Prescribed motion: hinges and slides that follow q(t) exactly, whatever acts on them.
 *
 * A drive holds the joint to its motion with the force it takes. For everything else the joint is one with a flywheel of
 * such inertia F that no force changes its velocity: D = H P H* + F, so that D^-1 vanishes beside the compliance of any
 * body, M^-1, W = J M^-1 J', impacts and projections need nothing else, and the force F q'' gives the acceleration q''. F
 * is a power of two: neither F q'' nor its quotient by D is rounded. Positions and velocities are then set to those of
 * the motion at every stage and at the end of every trial.
 *
 * The ledger is about the bodies without flywheels. With the forces tau of everything but the drive, what the drive adds is
 *
 *   tau_d = [M q'' + c - tau]_d,                     power tau_d q_d'    (of a free motion, at its stages)
 *   P_d = [M dv - J' p]_d,                           work P_d q_d'       (of impulses)
 *
 * with the model's own M. Forces f of loops do no work along the velocities, v' J_b' f = 0, so that the power of all drives
 * together is v' (M q'' + c - tau) without them.
 */
#include "sim/prescribed.h"

#include <math.h>

#include "contact/assemble.h"
#include "contact/problem.h"
#include "coulomb/problem.h"
#include "sim/partition.h"

static const double FLYWHEEL = 0x1p+600; /* kg or kg m^2: above 1e180, and F q'' below the largest number */

static const char *kind_of(const crd_joint *joint) { return joint->type == CRD_BALL ? "a ball" : "a free joint"; }

static crd_status check_joint(const crd_model *model, const crd_sim_options *options, int i, crd_error *err) {
  const int id = options->prescribed[i];
  if (id < 0 || id >= model->njoint)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "prescribed motion: found joint %d, expected one from 0 to %d",
                         id, model->njoint - 1);
  const crd_joint *joint = &model->joint[id];
  if (joint->nv != 1)
    return crd_error_set(err, CRD_ERR_MODEL, NULL, 0,
                         "prescribed motion of joint \"%s\": found %s, expected a hinge or slide", joint->name,
                         kind_of(joint));
  if (model->dof_frictionloss[joint->v] > 0)
    return crd_error_set(err, CRD_ERR_MODEL, NULL, 0,
                         "prescribed motion of joint \"%s\": found dry friction in the joint (frictionloss %g), which "
                         "nothing determines where it cannot yield, expected 0",
                         joint->name, model->dof_frictionloss[joint->v]);
  for (int k = 0; k < i; k++)
    if (options->prescribed[k] == id)
      return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                           "prescribed motion: found joint \"%s\" twice, expected each once", joint->name);
  return CRD_OK;
}

crd_status crd_sim_check_prescribed(const crd_model *model, const crd_sim_options *options, crd_error *err) {
  if (options->nprescribed == 0) return CRD_OK;
  if (options->nprescribed < 0 || !options->prescribed || !options->motion)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "prescribed motion: found %d joints, %s, expected both",
                         options->nprescribed, options->motion ? "no list of them" : "no motion");
  if (options->integrator == CRD_SIM_EVENT || options->integrator == CRD_SIM_MOREAU)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                         "integrator %s: found prescribed motion, which it does not have, expected rk4, midpoint or "
                         "euler",
                         crd_sim_integrator_name(options->integrator));
  for (int i = 0; i < options->nprescribed; i++) {
    crd_status status = check_joint(model, options, i, err);
    if (status != CRD_OK) return status;
  }
  return CRD_OK;
}

void crd_sim_prescribe_begin(crd_sim *sim) {
  crd_sim_scene *scene = &sim->scene;
  scene->nprescribed = sim->options.nprescribed;
  for (int v = 0; v < sim->model->nv; v++) scene->armature[v] = sim->model->dof_armature[v];
  for (int i = 0; i < scene->nprescribed; i++) {
    scene->prescribed[i] = sim->options.prescribed[i];
    scene->armature[sim->model->joint[scene->prescribed[i]].v] = FLYWHEEL;
  }
  for (int g = 0; g < sim->model->ngeom; g++) {
    scene->yields[g] = false;
    for (int k = sim->model->geom[g].link; k >= 0; k = sim->model->link[k].parent)
      scene->yields[g] = scene->yields[g] || scene->armature[sim->model->link[k].v] != FLYWHEEL;
  }
  sim->options.prescribed = scene->prescribed; /* the caller's list need not live on */
}

/* Compliance below which a row has nothing but flywheels to move: that of a body is above 1e-90 in any unit. */
static const double UNYIELDING = 0x1p-300;

static crd_status fail_unyielding(crd_group *group, const char *what, const char *name) {
  return crd_sim_fail(group, CRD_ERR_MODEL,
                      "t = %g s: the prescribed motion meets %s \"%s\", and no other joint can yield to it, expected a "
                      "motion that the contacts and loops permit",
                      group->now.t, what, name);
}

/* A contact that can neither open nor close is none of the problem's; it must not overlap either. */
static crd_status check_left_out(crd_group *group, const crd_sim_touches *touches, const bool *take) {
  for (int i = 0; i < touches->count; i++) {
    const crd_contact_point *at = &touches->item[i].at;
    char name[CRD_CONTACT_NAME];
    if ((take && !take[i]) || group->rows->contact_of[i] >= 0 || at->geomA == CRD_SIM_LIMIT) continue;
    if (at->gap >= -2 * group->scene->contact_band) continue;
    crd_contact_point_name(group->model, at, name);
    return fail_unyielding(group, "contact", name);
  }
  return CRD_OK;
}

crd_status crd_sim_prescribed_yields(crd_group *group, const crd_sim_touches *touches, const bool *take) {
  const crd_contact_problem *problem = group->rows->problem;
  const int m = problem->nrow + problem->nb;
  const crd_coulomb_problem by_blocks = {.n = m + problem->nf, .blocks = problem->blocks};
  if (group->scene->nprescribed == 0) return CRD_OK;
  for (int c = 0; c < problem->nc + problem->nb + (problem->blocks ? problem->nf : 0); c++) {
    const int row = c < problem->nc ? problem->contact[c].row : problem->nrow + c - problem->nc;
    const double compliance =
        problem->blocks ? crd_coulomb_diagonal(&by_blocks, row) : problem->W[(size_t)row * (size_t)(m + 1)];
    if (compliance > UNYIELDING) continue;
    if (c < problem->nc) return fail_unyielding(group, "contact", problem->contact[c].name);
    return fail_unyielding(group, "the row", c < problem->nc + problem->nb ? "loop" : "dry friction");
  }
  return check_left_out(group, touches, take);
}

/* Of the tolerance: how far loops may be open that are projected onto, without being torn. */
static const double TORN = 100;

crd_status crd_sim_prescribed_closes(crd_group *group) {
  if (group->scene->nprescribed == 0 || group->part->nloop == 0) return CRD_OK;
  if (group->seen.loop_open <= TORN * group->options->loop_tolerance) return CRD_OK;
  return crd_sim_fail(group, CRD_ERR_MODEL,
                      "t = %g s: the prescribed motion opens a loop by %g, expected a motion that the loops permit",
                      group->trial->t, group->seen.loop_open);
}

/* ------------------------------------------------------------------------------------------------ the motion */

/* The i-th joint, if it is one of the group's, else NULL. */
static const crd_joint *joint_of(const crd_group *group, int i) {
  const crd_joint *joint = &group->model->joint[group->scene->prescribed[i]];
  return crd_partition_has(group, group->scene->tree_of_dof[joint->v]) ? joint : NULL;
}

bool crd_sim_is_prescribed(const crd_sim_scene *scene, int joint) {
  for (int i = 0; i < scene->nprescribed; i++)
    if (scene->prescribed[i] == joint) return true;
  return false;
}

bool crd_sim_prescribes(const crd_group *group) {
  for (int i = 0; i < group->scene->nprescribed; i++)
    if (joint_of(group, i)) return true;
  return false;
}

/* Position, velocity and acceleration of the i-th joint at t. */
static crd_status motion_at(crd_group *group, int i, double t, double motion[3]) {
  static const char *const what[3] = {"position", "velocity", "acceleration"};
  const int joint = group->scene->prescribed[i];
  motion[0] = motion[1] = motion[2] = NAN;
  group->options->motion(group->options->motion_context, t, joint, motion);
  for (int k = 0; k < 3; k++)
    if (!isfinite(motion[k]))
      return crd_sim_fail(group, CRD_ERR_NUMBER,
                          "prescribed motion of joint \"%s\": found the %s %g at t = %g s, expected a finite number",
                          group->model->joint[joint].name, what[k], motion[k], t);
  return CRD_OK;
}

crd_status crd_sim_prescribe(crd_group *group, double t, double *q, double *v) {
  for (int i = 0; i < group->scene->nprescribed; i++) {
    const crd_joint *joint = joint_of(group, i);
    double motion[3];
    if (!joint) continue;
    crd_status status = motion_at(group, i, t, motion);
    if (status != CRD_OK) return status;
    q[joint->q] = motion[0], v[joint->v] = motion[1];
  }
  return CRD_OK;
}

crd_status crd_sim_prescribe_force(crd_group *group, double t, double *tau) {
  for (int i = 0; i < group->scene->nprescribed; i++) {
    const crd_joint *joint = joint_of(group, i);
    double motion[3];
    if (!joint) continue;
    crd_status status = motion_at(group, i, t, motion);
    if (status != CRD_OK) return status;
    tau[joint->v] = FLYWHEEL * motion[2];
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ what it takes */

double crd_sim_prescribed_power(crd_group *group, crd_workspace *work, const double *v, const double *qacc,
                                const double *applied, const double *load) {
  double power = 0, *needed = group->stage->scratch[0];
  crd_tree_rnea(group->model, work, qacc, NULL, needed);
  CRD_EACH (group->part, v, k) power += v[k] * (needed[k] - applied[k] - (load ? load[k] : 0));
  return power;
}

/* M dv at the poses of the workspace, into momentum. */
static void momentum_of(crd_group *group, crd_workspace *work, const double *dv, double *momentum) {
  double *bias = group->stage->scratch[1];
  crd_tree_rnea(group->model, work, NULL, NULL, bias);
  crd_tree_rnea(group->model, work, dv, NULL, momentum);
  CRD_EACH (group->part, v, k) momentum[k] -= bias[k];
}

double crd_sim_prescribed_change(crd_group *group, double dt) {
  double work = 0, *momentum = group->stage->scratch[0], *impulse = group->stage->scratch[2];
  momentum_of(group, group->rows->work, group->stage->dv, momentum);
  crd_part_clear_v(group->part, impulse);
  crd_contact_joint_forces(group->rows->assembler, group->rows->work, group->rows->p, impulse);
  for (int i = 0; i < group->scene->nprescribed; i++) {
    const crd_joint *joint = joint_of(group, i);
    if (!joint) continue;
    const int d = joint->v;
    const double withdrawn = group->forecast->acts ? 0.5 * dt * group->stage->withdrawn[d] : 0;
    work += 0.5 * (group->now.v[d] + group->trial->v[d]) * (momentum[d] - impulse[d] + withdrawn);
  }
  return work;
}

double crd_sim_prescribed_impact(crd_group *group, const double *p, const double *v_plus) {
  const crd_contact_problem *problem = group->rows->problem;
  const size_t nv = (size_t)group->model->nv;
  double work = 0, *momentum = group->stage->scratch[0], *dv = group->stage->scratch[2];
  if (!crd_sim_prescribes(group)) return 0;
  CRD_EACH (group->part, v, k) dv[k] = v_plus[k] - group->now.v[k];
  momentum_of(group, group->stage->work, dv, momentum);
  for (int i = 0; i < group->scene->nprescribed; i++) {
    const crd_joint *joint = joint_of(group, i);
    if (!joint) continue;
    double impulse = momentum[joint->v];
    for (int row = 0; row < problem->nrow + problem->nb; row++)
      impulse -= problem->J[nv * (size_t)row + (size_t)joint->v] * p[row];
    work += impulse * group->now.v[joint->v];
  }
  return work;
}
