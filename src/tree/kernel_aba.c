/* Articulated bodies: the factor of M and everything that follows from it in O(N).
 *
 *   P(k) = I(k) + sum over children phi (P - U D^-1 U') phi',  U = P H*,  D = H P H* + armature     [Jain, eq. 42]
 *
 * The factor gives M = (I + H phi K) D (I + H phi K)', K = U D^-1. A solve is one sweep in (forces) and one out
 * (accelerations):
 *
 *   in    u = tau - H z,   z(parent) += phi (z + K u [+ (P - U D^-1 U') c])
 *   out   a = phi' a(parent) [+ c],   qacc = D^-1 (u - U' a),   a += H* qacc
 *
 * with the terms in brackets, the velocity-dependent accelerations, for forward dynamics only [Featherstone 2008, 7.3].
 */
#include <float.h>

#include "tree/kernels.h"
#include "tree/link_motion.h"

void CRD_KERNEL(kinematics)(const crd_model *model, crd_workspace *work, const double *qpos) {
  CRD_EACH (work->part, link, i) {
    const crd_link *link = &model->link[i];
    place_link(link, &work->link[i + 1], &work->link[link->parent + 1], qpos);
  }
}

void CRD_KERNEL(velocity)(const crd_model *model, crd_workspace *work, const double *qvel) {
  CRD_EACH (work->part, link, i) {
    const crd_link *link = &model->link[i];
    move_link(link, &work->link[i + 1], &work->link[link->parent + 1], qvel);
  }
}

/* D^-1 of a symmetric n x n matrix by D = L d L', or false where it is not positive definite: masses (kg) are compared
 * with masses, inertias (kg m^2) with inertias, three rows each. One division a row: n is a constant where this is
 * called, and the loops are unrolled. */
CRD_INLINE bool invert_spd(int n, const double D[36], double inverse[36]) {
  double L[36], X[36] = {0}, d_inv[6], scale[2] = {0}; /* L without its diagonal of ones, X = L^-1 */
  for (int i = 0; i < n; i++) scale[i / 3] = fmax(scale[i / 3], D[n * i + i]);
  for (int j = 0; j < n; j++) {
    double d = D[n * j + j], ld[6];
    for (int k = 0; k < j; k++) ld[k] = L[n * j + k], L[n * j + k] *= d_inv[k], d -= ld[k] * L[n * j + k];
    if (!(d > 8 * DBL_EPSILON * scale[j / 3])) return false;
    d_inv[j] = 1 / d;
    for (int i = j + 1; i < n; i++) { /* L d; divided by d when row i is done */
      double s = D[n * i + j];
      for (int k = 0; k < j; k++) s -= L[n * i + k] * L[n * j + k];
      L[n * i + j] = s;
    }
  }
  for (int i = 0; i < n; i++) {
    X[n * i + i] = 1;
    for (int c = 0; c < i; c++)
      for (int k = c; k < i; k++) X[n * i + c] -= L[n * i + k] * X[n * k + c];
  }
  for (int i = 0; i < n; i++) /* X' d^-1 X */
    for (int c = 0; c <= i; c++) {
      double s = 0;
      for (int k = i; k < n; k++) s += X[n * k + i] * d_inv[k] * X[n * k + c];
      inverse[n * i + c] = inverse[n * c + i] = s;
    }
  return true;
}

/* U, D^-1 and P - U D^-1 U' of a ball or free joint; false where D is singular. */
static bool reduce_multi(const crd_link *link, crd_link_state *s, crd_multi_state *multi, const double *armature) {
  int n = link->nv;
  double D[36];
  multi_axes(link, s, multi->H);
  for (int j = 0; j < n; j++) multi->U[j] = sym6_mul(&s->P, multi->H[j]);
  for (int i = 0; i < n; i++) /* symmetric: the lower triangle is enough */
    for (int j = 0; j <= i; j++) D[n * i + j] = sv_dot(multi->H[i], multi->U[j]) + (i == j ? armature[i] : 0);
  if (!(n == 6 ? invert_spd(6, D, multi->D_inv) : invert_spd(3, D, multi->D_inv))) return false;
  if (link->parent < 0) return true; /* the inertia seen by the ground is not used; K stays zero */
  for (int j = 0; j < n; j++) {
    crd_sv K = {{0}, {0}};
    for (int i = 0; i < n; i++) K = sv_add(K, sv_scale(multi->D_inv[n * i + j], multi->U[i]));
    multi->K[j] = K;
  }
  for (int j = 0; j < n; j++) sym6_downdate(&s->P, multi->U[j], multi->K[j]);
  return true;
}

/* U, D^-1 and P - U D^-1 U' of a hinge or slide; false where D is singular. */
CRD_INLINE bool reduce_single(const crd_link *link, crd_link_state *s, double armature) {
  v4 axis = s->R[2];
  double D, scale;
  if (link->type == CRD_HINGE) {
    s->U = (crd_sv){v4_mul(s->P.A, axis), v4_mul(s->P.G, axis)};
    D = v4_dot(axis, s->U.w) + armature;
    scale = s->P.A[0][0] + s->P.A[1][1] + s->P.A[2][2];
  } else {
    s->U = (crd_sv){v4_tmul(s->P.G, axis), v4_mul(s->P.C, axis)};
    D = v4_dot(axis, s->U.v) + armature;
    scale = s->P.C[0][0] + s->P.C[1][1] + s->P.C[2][2];
  }
  if (!(D > 8 * DBL_EPSILON * scale)) return false;
  s->D_inv = 1 / D;
  sym6_downdate(&s->P, s->U, sv_scale(s->D_inv, s->U));
  return true;
}

/* Eliminates joint i: its own U, D^-1 and what its subtree shows to the parent. */
CRD_INLINE bool eliminate_joint(const crd_model *model, crd_workspace *work, int i) {
  const crd_link *link = &model->link[i];
  crd_link_state *s = &work->link[i + 1];
  const double *armature = &work->armature[link->v];
  bool regular = link->nv == 1 ? reduce_single(link, s, armature[0])
                               : reduce_multi(link, s, &work->multi[work->multi_of_link[i]], armature);
  if (!regular) {
    work->singular_joint = i;
    return false;
  }
  if (link->parent >= 0) sym6_add_shifted_inertia(&work->link[link->parent + 1].P, &s->P, s->r);
  return true;
}

crd_status CRD_KERNEL(factor)(const crd_model *model, crd_workspace *work) {
  CRD_EACH (work->part, link, i) {
    crd_link_state *s = &work->link[i + 1];
    v4 mc = world_inertia(s->P.A, &model->link[i], s);
    sym6_rigid(&s->P, model->link[i].mass, mc);
  }
  CRD_EACH_BACK (work->part, link, i)
    if (!eliminate_joint(model, work, i)) return CRD_SINGULAR;
  work->singular_joint = -1;
  return CRD_OK;
}

/* The inward step of a solve at joint i; with_bias adds the force of the velocity-dependent acceleration c. */
CRD_INLINE void sweep_in(const crd_model *model, crd_workspace *work, int i, const double *tau, bool with_bias) {
  const crd_link *link = &model->link[i];
  crd_link_state *s = &work->link[i + 1];
  crd_sv z = s->z;
  if (link->nv == 1) {
    s->u = (tau ? tau[link->v] : 0) - along_joint(link, s, z);
    z = sv_add(z, sv_scale(s->D_inv * s->u, s->U));
  } else {
    crd_multi_state *multi = &work->multi[work->multi_of_link[i]];
    for (int j = 0; j < link->nv; j++) {
      multi->u[j] = (tau ? tau[link->v + j] : 0) - sv_dot(multi->H[j], s->z);
      z = sv_add(z, sv_scale(multi->u[j], multi->K[j]));
    }
  }
  if (link->parent < 0) return;
  if (with_bias) z = sv_add(z, sym6_mul(&s->P, s->c));
  crd_link_state *parent = &work->link[link->parent + 1];
  parent->z = sv_add(parent->z, sv_shift_force(z, s->r));
}

/* The outward step: acceleration of joint i into x. */
CRD_INLINE void sweep_out(const crd_model *model, crd_workspace *work, int i, double *x, bool with_bias) {
  const crd_link *link = &model->link[i];
  crd_link_state *s = &work->link[i + 1];
  crd_sv a = sv_shift_motion(work->link[link->parent + 1].a, s->r);
  if (with_bias) a = sv_add(a, s->c);
  if (link->nv == 1) {
    double xi = s->D_inv * (s->u - sv_dot(s->U, a));
    x[link->v] = xi;
    add_joint_motion(link, s, xi, &a);
  } else {
    const crd_multi_state *multi = &work->multi[work->multi_of_link[i]];
    int n = link->nv;
    double rest[6];
    crd_sv motion = a;
    for (int j = 0; j < n; j++) rest[j] = multi->u[j] - sv_dot(multi->U[j], a);
    for (int j = 0; j < n; j++) {
      double xj = 0;
      for (int k = 0; k < n; k++) xj += multi->D_inv[n * j + k] * rest[k];
      x[link->v + j] = xj;
      motion = sv_add(motion, sv_scale(xj, multi->H[j]));
    }
    a = motion;
  }
  s->a = a;
}

void CRD_KERNEL(sweep)(const crd_model *model, crd_workspace *work, int first, int last, const double *tau, double *x) {
  for (int i = last; i >= first; i--) sweep_in(model, work, i, tau, false);
  work->link[0].a = (crd_sv){{0}, {0}};
  for (int i = first; i <= last; i++) sweep_out(model, work, i, x, false);
}

crd_status CRD_KERNEL(aba)(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                           const double *tau, const double *fext, double *qacc) {
  CRD_EACH (work->part, link, i) {
    const crd_link *link = &model->link[i];
    crd_link_state *s = &work->link[i + 1];
    const crd_link_state *parent = &work->link[link->parent + 1];
    place_link(link, s, parent, qpos);
    move_link(link, s, parent, qvel);
    v4 mc = world_inertia(s->P.A, link, s);
    sym6_rigid(&s->P, link->mass, mc);
    s->z = gyroscopic_force(s->P.A, mc, s->V.w);
  }
  if (fext) subtract_wrenches(model, work, fext);
  CRD_EACH_BACK (work->part, link, i) {
    if (!eliminate_joint(model, work, i)) return CRD_SINGULAR;
    sweep_in(model, work, i, tau, true);
  }
  work->singular_joint = -1;
  /* gravity as an acceleration of the ground */
  work->link[0].a = (crd_sv){{0}, -v4_load3(model->gravity)};
  CRD_EACH (work->part, link, i) sweep_out(model, work, i, qacc, true);
  return CRD_OK;
}
