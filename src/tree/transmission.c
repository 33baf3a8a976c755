/* How actuators act on the joints: length l of the transmission and its moment dl/dq', at a configuration.
 *
 * joint      l = gear q; ball: gear . (rotation vector), free: 0. A ball's or free joint's rotation about axes of the
 *            parent has the moment R' gear, R the joint's rotation.
 * tendon     l = gear times the tendon's length
 * site, crank   below
 */
#include "tree/transmission.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "model/workspace.h"
#include "tree/tendon.h"

/* The rotational part of gear in the axes of the moving body. */
static void rotational_moment(const crd_actuator *actuator, const double *gear, const double *quat, double *moment) {
  crd_vec3_copy(moment, gear);
  if (!actuator->in_parent) return;
  double back[4];
  crd_quat_conjugate(back, quat);
  crd_quat_normalize(back);
  crd_quat_rotate(moment, back, gear);
}

static void through_joint(const crd_model *model, const crd_actuator *actuator, const double *qpos, double *length,
                          double *moment) {
  static const double identity[4] = {1, 0, 0, 0};
  const crd_joint *joint = &model->joint[actuator->joint];
  const double *q = qpos + joint->q;
  double angle[3];
  switch (joint->type) {
    case CRD_HINGE:
    case CRD_SLIDE:
      moment[0] = actuator->gear[0];
      *length = actuator->gear[0] * q[0];
      break;
    case CRD_BALL:
      rotational_moment(actuator, actuator->gear, q, moment);
      crd_quat_rotation_vector(angle, identity, q);
      *length = crd_vec3_dot(actuator->gear, angle);
      break;
    case CRD_FREE:
      crd_vec3_copy(moment, actuator->gear);
      rotational_moment(actuator, actuator->gear + 3, q + 3, moment + 3);
      *length = 0;
      break;
  }
}

static void through_tendon(const crd_model *model, const crd_workspace *work, const crd_actuator *actuator,
                           double *length, double *moment) {
  const crd_tendon *tendon = &model->tendon[actuator->tendon];
  *length = actuator->gear[0] * work->tendon_length[actuator->tendon];
  for (int k = 0; k < tendon->ndof; k++) moment[k] = actuator->gear[0] * work->tendon_row[tendon->row + k];
}

/* ------------------------------------------------------------------------------------------------ sites */

typedef struct placed_site {
  double pos[3], R[9];
  int link;
} placed_site;

static placed_site place_site(const crd_model *model, const crd_workspace *work, int site) {
  placed_site made = {.link = model->site[site].link};
  crd_tree_site_pose(model, work, site, made.pos, made.R);
  return made;
}

/* The actuator's share of the row that crd_tree_add_row has put into work->tendon_dense. */
static void gather(const crd_workspace *work, const crd_actuator *actuator, double *moment) {
  for (int k = 0; k < actuator->ndof; k++) moment[k] = work->tendon_dense[actuator->dof[k]];
}

/* Forces and moments in the axes of the reference site where there is one; the turning of these axes is not in the
 * moment, as in MuJoCo. */
static void at_site(const crd_model *model, crd_workspace *work, const crd_actuator *actuator, double *length,
                    double *moment) {
  const placed_site site = place_site(model, work, actuator->site);
  const placed_site frame = actuator->reference >= 0 ? place_site(model, work, actuator->reference) : site;
  double *row = work->tendon_dense, force[3], turn[3];
  memset(row, 0, (size_t)model->nv * sizeof *row);
  crd_mat3_mul_vec(force, frame.R, actuator->gear);
  crd_mat3_mul_vec(turn, frame.R, actuator->gear + 3);
  crd_tree_add_row(model, work, site.link, site.pos, force, false, 1, row);
  crd_tree_add_row(model, work, site.link, site.pos, turn, true, 1, row);
  *length = 0;
  if (actuator->reference >= 0) {
    double way[3], local[3], between[9], quat[4], angle[3];
    static const double identity[4] = {1, 0, 0, 0};
    crd_tree_add_row(model, work, frame.link, frame.pos, force, false, -1, row);
    crd_tree_add_row(model, work, frame.link, frame.pos, turn, true, -1, row);
    crd_vec3_sub(way, site.pos, frame.pos);
    crd_mat3_tmul_vec(local, frame.R, way);
    crd_mat3_tmul(between, frame.R, site.R);
    crd_quat_from_mat3(quat, between);
    crd_quat_rotation_vector(angle, identity, quat);
    *length = crd_vec3_dot(actuator->gear, local) + crd_vec3_dot(actuator->gear + 3, angle);
  }
  gather(work, actuator, moment);
}

/* The slider at s on its axis a is at the distance L from the crank, v = crank - origin of the axis:
 *   s = a . v - sqrt(D),   D = (a . v)^2 + L^2 - v . v;   where the rod is too short (D < 0) s = a . v
 *   ds = (a - ((a . v) a - v) / sqrt D) . dv + (v - (a . v) v / sqrt D) . da,   da = w x a */
static void through_crank(const crd_model *model, crd_workspace *work, const crd_actuator *actuator, double *length,
                          double *moment) {
  const placed_site crank = place_site(model, work, actuator->site),
                    slider = place_site(model, work, actuator->reference);
  const double a[3] = {slider.R[2], slider.R[5], slider.R[8]}, L = actuator->crank_length, gear = actuator->gear[0];
  double v[3], by_v[3], by_a[3], turn[3], *row = work->tendon_dense;
  crd_vec3_sub(v, crank.pos, slider.pos);
  const double av = crd_vec3_dot(a, v), D = av * av + L * L - crd_vec3_dot(v, v), root = D > 0 ? sqrt(D) : 0;
  *length = gear * (av - root);
  for (int i = 0; i < 3; i++) {
    by_v[i] = a[i] - (root > 0 ? (av * a[i] - v[i]) / root : 0);
    by_a[i] = v[i] - (root > 0 ? av * v[i] / root : 0);
  }
  crd_vec3_cross(turn, a, by_a); /* by_a . (w x a) = w . (a x by_a) */
  memset(row, 0, (size_t)model->nv * sizeof *row);
  crd_tree_add_row(model, work, crank.link, crank.pos, by_v, false, gear, row);
  crd_tree_add_row(model, work, slider.link, slider.pos, by_v, false, -gear, row);
  crd_tree_add_row(model, work, slider.link, slider.pos, turn, true, gear, row);
  gather(work, actuator, moment);
}

/* ------------------------------------------------------------------------------------------------ all */

void crd_transmissions_at(const crd_model *model, crd_workspace *work, const double *qpos) {
  const bool moved = crd_tendons_at(model, work, qpos), sites = model->needs_sites && !work->sites_known;
  if (sites && !moved) crd_tree_kinematics(model, work, qpos);
  for (int i = 0; i < work->part->nactuator; i++) {
    const int a = work->part->actuator[i];
    const crd_actuator *actuator = &model->actuator[a];
    double *length = &work->length[a], *moment = work->moment + actuator->moment;
    switch (actuator->transmission) {
      case CRD_ON_JOINT: through_joint(model, actuator, qpos, length, moment); break;
      case CRD_ON_BODY: *length = 0; break;
      case CRD_ON_TENDON: through_tendon(model, work, actuator, length, moment); break;
      case CRD_ON_SITE:
        if (sites) at_site(model, work, actuator, length, moment);
        break;
      case CRD_ON_CRANK:
        if (sites) through_crank(model, work, actuator, length, moment);
        break;
    }
  }
  work->sites_known = work->tendons_known;
}

double crd_transmission_rate(const crd_actuator *actuator, const crd_workspace *work, const double *qvel) {
  const double *moment = work->moment + actuator->moment;
  double rate = 0;
  for (int k = 0; k < actuator->ndof; k++) rate += moment[k] * qvel[actuator->dof[k]];
  return rate;
}

void crd_transmission_add(const crd_actuator *actuator, const crd_workspace *work, double factor, double *row) {
  const double *moment = work->moment + actuator->moment;
  for (int k = 0; k < actuator->ndof; k++) row[actuator->dof[k]] += moment[k] * factor;
}

void crd_tree_moment(const crd_model *model, crd_workspace *work, const double *qpos, int actuator, double *moment) {
  memset(moment, 0, (size_t)model->nv * sizeof *moment);
  crd_transmissions_at(model, work, qpos);
  crd_transmission_add(&model->actuator[actuator], work, 1, moment);
}

void crd_tree_transmissions(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                            double *length, double *rate) {
  crd_transmissions_at(model, work, qpos);
  for (int a = 0; a < model->nactuator; a++) {
    if (length) length[a] = work->length[a];
    if (rate) rate[a] = crd_transmission_rate(&model->actuator[a], work, qvel);
  }
}
