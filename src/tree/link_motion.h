/* One link at a time: placement, velocity, rigid-body force. The recursions of kernel_*.c are loops over these.
 *
 * Accelerations are classical: (angular acceleration, acceleration of the material point at the link's origin), so that
 * Newton and Euler hold as they stand:  f = m (a + alpha x c + w x (w x c)),  n = I alpha + w x I w + m c x a.
 */
#ifndef SRC_TREE_LINK_MOTION_H
#define SRC_TREE_LINK_MOTION_H

#include <math.h>

#include "model/workspace.h"

/* Columns of A B, A by columns, B row-major. */
CRD_INLINE void rotate_columns(v4 out[3], const v4 A[3], const double B[9]) {
  for (int j = 0; j < 3; j++) out[j] = A[0] * B[j] + A[1] * B[3 + j] + A[2] * B[6 + j];
}

/* Columns of A times the rotation of the quaternion q, which is normalised here. */
CRD_INLINE void rotate_columns_by_quat(v4 out[3], const v4 A[3], const double q[4]) {
  double w = q[0], x = q[1], y = q[2], z = q[3], n2 = w * w + x * x + y * y + z * z;
  if (!(n2 > 0)) w = n2 = 1;
  double s = 2 / n2;
  double B[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                 s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                 s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
  rotate_columns(out, A, B);
}

CRD_INLINE v4 rotate(const v4 R[3], const double a[3]) { return R[0] * a[0] + R[1] * a[1] + R[2] * a[2]; }

/* R, p, r of a link from its parent's pose and qpos. */
CRD_INLINE void place_link(const crd_link *link, crd_link_state *s, const crd_link_state *parent, const double *qpos) {
  const double *q = qpos + link->q;
  if (link->type == CRD_FREE) {
    const v4 axes[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    rotate_columns_by_quat(s->R, axes, q + 3);
    s->p = s->r = v4_load3(q);
    return;
  }
  v4 F[3];
  rotate_columns(F, parent->R, link->R0);
  v4 r = rotate(parent->R, link->p0);
  if (link->type == CRD_HINGE) {
    double angle = q[0] - link->ref, c = cos(angle), si = sin(angle);
    s->R[0] = c * F[0] + si * F[1];
    s->R[1] = c * F[1] - si * F[0];
    s->R[2] = F[2];
  } else if (link->type == CRD_SLIDE) {
    s->R[0] = F[0], s->R[1] = F[1], s->R[2] = F[2];
    r += (q[0] - link->ref) * F[2];
  } else {
    rotate_columns_by_quat(s->R, F, q);
  }
  s->r = r;
  s->p = parent->p + r;
}

/* V and c of a link: V = V_parent + H* qvel, and the part of the acceleration that is quadratic in the velocities. */
CRD_INLINE void move_link(const crd_link *link, crd_link_state *s, const crd_link_state *parent, const double *qvel) {
  const double *qd = qvel + link->v;
  if (link->type == CRD_FREE) {
    s->V = (crd_sv){rotate(s->R, qd + 3), v4_load3(qd)};
    s->c = (crd_sv){{0}, {0}};
    return;
  }
  v4 w = parent->V.w, rdot = v4_cross(w, s->r);
  if (link->type == CRD_SLIDE) {
    v4 slip = qd[0] * s->R[2];
    s->V = (crd_sv){w, parent->V.v + rdot + slip};
    s->c = (crd_sv){{0}, v4_cross(w, rdot + 2 * slip)};
  } else {
    v4 spin = link->type == CRD_HINGE ? qd[0] * s->R[2] : rotate(s->R, qd);
    s->V = (crd_sv){w + spin, parent->V.v + rdot};
    s->c = (crd_sv){v4_cross(w, spin), v4_cross(w, rdot)};
  }
}

/* H x for hinge and slide: the component of a force along the joint, or of a motion. */
CRD_INLINE double along_joint(const crd_link *link, const crd_link_state *s, crd_sv x) {
  return v4_dot(s->R[2], link->type == CRD_HINGE ? x.w : x.v);
}

/* a += H* x for hinge and slide */
CRD_INLINE void add_joint_motion(const crd_link *link, const crd_link_state *s, double x, crd_sv *a) {
  if (link->type == CRD_HINGE)
    a->w += x * s->R[2];
  else
    a->v += x * s->R[2];
}

/* Columns of H* for ball (3) and free (6) joints, in the order of qvel. */
CRD_INLINE void multi_axes(const crd_link *link, const crd_link_state *s, crd_sv H[6]) {
  const v4 zero = {0}, axes[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  int angular = link->type == CRD_FREE ? 3 : 0;
  for (int j = 0; j < angular; j++) H[j] = (crd_sv){zero, axes[j]};
  for (int j = 0; j < 3; j++) H[angular + j] = (crd_sv){s->R[j], zero};
}

/* (w x I w, m w x (w x c)): the force a rigid link needs to keep its velocity. A = world inertia about the origin. */
CRD_INLINE crd_sv gyroscopic_force(const v4 A[3], v4 mc, v4 w) {
  return (crd_sv){v4_cross(w, v4_mul(A, w)), v4_cross(w, v4_cross(w, mc))};
}

/* World inertia about the link's origin, and m c. */
CRD_INLINE v4 world_inertia(v4 A[3], const crd_link *link, const crd_link_state *s) {
  const double *I = link->inertia;
  const v4 *R = s->R;
  v4 T[3] = {R[0] * I[0] + R[1] * I[3] + R[2] * I[4], R[0] * I[3] + R[1] * I[1] + R[2] * I[5],
             R[0] * I[4] + R[1] * I[5] + R[2] * I[2]};
  for (int j = 0; j < 3; j++) A[j] = T[0] * R[0][j] + T[1] * R[1][j] + T[2] * R[2][j];
  return link->mass * rotate(R, link->com);
}

/* z -= J' fext for the wrenches on bodies (nbody x 6, about each body's origin). Body 0 is the world. */
CRD_INLINE void subtract_wrenches(const crd_model *model, crd_workspace *work, const double *fext) {
  CRD_EACH (work->part, body, b) {
    const crd_body *body = &model->body[b];
    if (body->link < 0) continue;
    crd_link_state *s = &work->link[body->link + 1];
    crd_sv f =
        sv_shift_force((crd_sv){v4_load3(fext + 6 * b), v4_load3(fext + 6 * b + 3)}, rotate(s->R, body->link_pos));
    s->z.w -= f.w;
    s->z.v -= f.v;
  }
}

/* tau += H phi z: the joints' share of the forces z that act on the links; z is summed up towards the base. */
CRD_INLINE void collect_joint_forces(const crd_model *model, crd_workspace *work, double *tau) {
  CRD_EACH_BACK (work->part, link, i) {
    const crd_link *link = &model->link[i];
    const crd_link_state *s = &work->link[i + 1];
    if (link->nv == 1) {
      tau[link->v] += along_joint(link, s, s->z);
    } else {
      crd_sv H[6];
      multi_axes(link, s, H);
      for (int j = 0; j < link->nv; j++) tau[link->v + j] += sv_dot(H[j], s->z);
    }
    if (link->parent < 0) continue;
    crd_link_state *parent = &work->link[link->parent + 1];
    parent->z = sv_add(parent->z, sv_shift_force(s->z, s->r));
  }
}

#endif
