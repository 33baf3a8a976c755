/* Kinetic and potential energy, momentum. O(N). */
#include <cradle/linalg.h>
#include <cradle/tree.h>

#include "model/workspace.h"
#include "tree/link_motion.h"

/* w I w / 2 + m (c . (v x w) + v . v / 2), in the link's axes, where I and c are constant; v at the link's origin. */
static double link_energy(const crd_link *link, const crd_link_state *s) {
  const double *I = link->inertia, *c = link->com;
  double w[3], v[3];
  for (int k = 0; k < 3; k++) {
    w[k] = s->R[k][0] * s->V.w[0] + s->R[k][1] * s->V.w[1] + s->R[k][2] * s->V.w[2];
    v[k] = s->R[k][0] * s->V.v[0] + s->R[k][1] * s->V.v[1] + s->R[k][2] * s->V.v[2];
  }
  double spin = 0.5 * (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]) + I[3] * w[0] * w[1] +
                I[4] * w[0] * w[2] + I[5] * w[1] * w[2];
  double coupling =
      c[0] * (v[1] * w[2] - v[2] * w[1]) + c[1] * (v[2] * w[0] - v[0] * w[2]) + c[2] * (v[0] * w[1] - v[1] * w[0]);
  return spin + link->mass * (coupling + 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
}

double crd_tree_kinetic_energy(const crd_model *model, const crd_workspace *work, const double *qvel) {
  double energy = 0;
  CRD_EACH (work->part, link, i) {
    const crd_link *link = &model->link[i];
    const crd_link_state *s = &work->link[i + 1];
    energy += link_energy(link, s);
  }
  CRD_EACH (work->part, v, v) energy += 0.5 * model->dof_armature[v] * qvel[v] * qvel[v];
  return energy;
}

/* Half k times the squared angle between two attitudes. */
static double attitude_spring_energy(double stiffness, const double *rest, const double *quat) {
  double angle[3];
  crd_quat_rotation_vector(angle, rest, quat);
  return 0.5 * stiffness * crd_vec3_dot(angle, angle);
}

static double spring_energy(const crd_joint *joint, const double *q, const double *rest) {
  double energy = 0;
  switch (joint->type) {
    case CRD_HINGE:
    case CRD_SLIDE: energy = 0.5 * joint->stiffness * (q[0] - rest[0]) * (q[0] - rest[0]); break;
    case CRD_BALL: energy = attitude_spring_energy(joint->stiffness, rest, q); break;
    case CRD_FREE:
      for (int i = 0; i < 3; i++) energy += 0.5 * joint->stiffness * (q[i] - rest[i]) * (q[i] - rest[i]);
      energy += attitude_spring_energy(joint->stiffness, rest + 3, q + 3);
      break;
  }
  return energy;
}

double crd_tree_potential_energy(const crd_model *model, crd_workspace *work, const double *qpos) {
  double energy = crd_tree_tendon_energy(model, work, qpos);
  v4 g = v4_load3(model->gravity);
  CRD_EACH (work->part, link, i) {
    const crd_link *link = &model->link[i];
    const crd_link_state *s = &work->link[i + 1];
    energy -= link->mass * v4_dot(g, s->p + rotate(s->R, link->com));
  }
  CRD_EACH (work->part, body, b) {
    const crd_body *body = &model->body[b];
    if (!model->compensated) break;
    if (body->gravcomp == 0 || body->link < 0) continue;
    double pos[3], R[9], com[3];
    crd_tree_body_pose(model, work, b, pos, R);
    crd_mat3_mul_vec(com, R, body->ipos);
    crd_vec3_add(com, com, pos);
    energy += body->gravcomp * body->mass * crd_vec3_dot(model->gravity, com);
  }
  CRD_EACH (work->part, link, j) {
    const crd_joint *joint = &model->joint[j];
    if (joint->stiffness != 0) energy += spring_energy(joint, qpos + joint->q, model->qpos_spring + joint->q);
  }
  return energy;
}

void crd_tree_momentum(const crd_model *model, const crd_workspace *work, double momentum[6], double com[3]) {
  crd_sv total = {{0}, {0}};
  v4 first_moment = {0};
  double mass = 0;
  CRD_EACH (work->part, link, i) {
    const crd_link *link = &model->link[i];
    const crd_link_state *s = &work->link[i + 1];
    v4 A[3], mc = world_inertia(A, link, s);
    v4 w = s->V.w, v = s->V.v;
    crd_sv h = {v4_mul(A, w) + v4_cross(mc, v), link->mass * v + v4_cross(w, mc)};
    total = sv_add(total, sv_shift_force(h, s->p));
    first_moment += link->mass * s->p + mc;
    mass += link->mass;
  }
  v4_store3(momentum, total.w);
  v4_store3(momentum + 3, total.v);
  if (com) v4_store3(com, mass > 0 ? first_moment / mass : first_moment);
}
