/* Four right-hand sides at once, a lane each, with the factor M = (I + H phi K) D (I + H phi K)' of kernel_aba.c:
 * solves M x = f, and their inward halves, the innovations e = (I + H phi K)^-1 f.
 *
 *   in    u = f - H z,   z(parent) += phi (z + K u)
 *   out   a = phi' a(parent),   x = D^-1 (u - U' a),   a += H* x
 *
 * A solve of one right-hand side is a chain of dependent operations on vectors of three; with four of them every
 * operation is one instruction for all, which takes a quarter of the time.
 */
#include "tree/kernels.h"

/* h . z, and z + k h: a spatial vector of the mechanism, the same in all lanes. */
CRD_INLINE v4 lanes_dot(crd_sv h, const v4 z[6]) {
  return h.w[0] * z[0] + h.w[1] * z[1] + h.w[2] * z[2] + h.v[0] * z[3] + h.v[1] * z[4] + h.v[2] * z[5];
}

CRD_INLINE void lanes_axpy(v4 z[6], v4 k, crd_sv h) {
  for (int i = 0; i < 3; i++) z[i] += k * h.w[i], z[3 + i] += k * h.v[i];
}

CRD_INLINE crd_sv axis_of(const crd_link *link, const crd_link_state *s) {
  const v4 zero = {0};
  return link->type == CRD_HINGE ? (crd_sv){s->R[2], zero} : (crd_sv){zero, s->R[2]};
}

/* A force on a link as one on its parent, whose origin is r away. */
CRD_INLINE void pass_on(v4 up[6], const v4 z[6], v4 r) {
  up[0] += z[0] + r[1] * z[5] - r[2] * z[4];
  up[1] += z[1] + r[2] * z[3] - r[0] * z[5];
  up[2] += z[2] + r[0] * z[4] - r[1] * z[3];
  for (int k = 3; k < 6; k++) up[k] += z[k];
}

CRD_INLINE void sweep_in(const crd_model *model, crd_workspace *work, int i, v4 *x) {
  const crd_link *link = &model->link[i];
  const crd_link_state *s = &work->link[i + 1];
  v4 *z = work->lane[i + 1].z;
  x += link->v;
  if (link->nv == 1) {
    x[0] -= lanes_dot(axis_of(link, s), z);
    if (link->parent >= 0) lanes_axpy(z, s->D_inv * x[0], s->U);
  } else {
    const crd_multi_state *multi = &work->multi[work->multi_of_link[i]];
    for (int j = 0; j < link->nv; j++) x[j] -= lanes_dot(multi->H[j], z);
    for (int j = 0; link->parent >= 0 && j < link->nv; j++) lanes_axpy(z, x[j], multi->K[j]);
  }
  if (link->parent >= 0) pass_on(work->lane[link->parent + 1].z, z, s->r);
}

CRD_INLINE void sweep_out(const crd_model *model, crd_workspace *work, int i, v4 *x) {
  const crd_link *link = &model->link[i];
  const crd_link_state *s = &work->link[i + 1];
  const v4 *up = work->lane[link->parent + 1].a;
  v4 *a = work->lane[i + 1].a;
  x += link->v;
  for (int k = 0; k < 3; k++) a[k] = up[k];
  a[3] = up[3] + up[1] * s->r[2] - up[2] * s->r[1];
  a[4] = up[4] + up[2] * s->r[0] - up[0] * s->r[2];
  a[5] = up[5] + up[0] * s->r[1] - up[1] * s->r[0];
  if (link->nv == 1) {
    x[0] = s->D_inv * (x[0] - lanes_dot(s->U, a));
    lanes_axpy(a, x[0], axis_of(link, s));
  } else {
    const crd_multi_state *multi = &work->multi[work->multi_of_link[i]];
    int n = link->nv;
    v4 rest[6];
    for (int j = 0; j < n; j++) rest[j] = x[j] - lanes_dot(multi->U[j], a);
    for (int j = 0; j < n; j++) {
      x[j] = multi->D_inv[n * j] * rest[0];
      for (int k = 1; k < n; k++) x[j] += multi->D_inv[n * j + k] * rest[k];
    }
    for (int j = 0; j < n; j++) lanes_axpy(a, x[j], multi->H[j]);
  }
}

void CRD_KERNEL(lanes)(const crd_model *model, crd_workspace *work, int first, int last, int deepest, v4 *x) {
  const v4 zero = {0};
  for (int i = first; i <= deepest; i++)
    for (int k = 0; k < 6; k++) work->lane[i + 1].z[k] = zero;
  for (int i = deepest; i >= first; i--) sweep_in(model, work, i, x);
  for (int i = first; i <= last; i++) sweep_out(model, work, i, x);
}

/* e of a link's joint, including the joint's own forces, and D^-1 e; z becomes the force passed on to the parent. */
CRD_INLINE void innovate(const crd_link *link, const crd_link_state *s, const crd_multi_state *multi, v4 z[6], v4 *e,
                         v4 *yields) {
  const int n = link->nv, angular = link->type == CRD_FREE ? 3 : 0;
  if (n == 1) {
    const v4 *along = link->type == CRD_HINGE ? z : z + 3;
    e[0] += s->R[2][0] * along[0] + s->R[2][1] * along[1] + s->R[2][2] * along[2];
    yields[0] = s->D_inv * e[0];
    if (link->parent >= 0) lanes_axpy(z, -yields[0], s->U);
    return;
  }
  for (int j = 0; j < angular; j++) e[j] += z[3 + j];
  for (int j = 0; j < 3; j++) e[angular + j] += s->R[j][0] * z[0] + s->R[j][1] * z[1] + s->R[j][2] * z[2];
  for (int j = 0; j < n; j++) {
    yields[j] = multi->D_inv[n * j] * e[0];
    for (int k = 1; k < n; k++) yields[j] += multi->D_inv[n * j + k] * e[k];
  }
  for (int j = 0; link->parent >= 0 && j < n; j++) lanes_axpy(z, -e[j], multi->K[j]);
}

void CRD_KERNEL(innovations)(const crd_model *model, crd_workspace *work, const int *path, int count, v4 *e,
                             v4 *yields) {
  for (int i = 0; i < count; i++) {
    const crd_link *link = &model->link[path[i]];
    const crd_link_state *s = &work->link[path[i] + 1];
    v4 *z = work->lane[path[i] + 1].z;
    innovate(link, s, link->nv > 1 ? &work->multi[work->multi_of_link[path[i]]] : NULL, z, e, yields);
    e += link->nv, yields += link->nv;
    if (link->parent >= 0) pass_on(work->lane[link->parent + 1].z, z, s->r);
  }
}
