/* Recursive Newton-Euler: tau = M qacc + c - J' fext in O(N) [Featherstone 2008, 5.3].
 *
 *   out   a = phi' a(parent) + c + H* qacc,   z = I a + gyroscopic force - fext
 *   in    tau = H z + armature qacc,          z(parent) += phi z
 */
#include "tree/kernels.h"
#include "tree/link_motion.h"

CRD_INLINE crd_sv link_acceleration(const crd_link *link, const crd_link_state *s, crd_sv parent, const double *qacc) {
  crd_sv a = sv_add(sv_shift_motion(parent, s->r), s->c);
  if (!qacc) return a;
  if (link->nv == 1) {
    add_joint_motion(link, s, qacc[link->v], &a);
  } else {
    crd_sv H[6];
    multi_axes(link, s, H);
    for (int j = 0; j < link->nv; j++) a = sv_add(a, sv_scale(qacc[link->v + j], H[j]));
  }
  return a;
}

/* f = m (a + alpha x c) + ..., n = I alpha + m c x a + ... */
CRD_INLINE crd_sv rigid_force(const crd_link *link, const crd_link_state *s, crd_sv a) {
  v4 A[3];
  v4 mc = world_inertia(A, link, s);
  crd_sv f = gyroscopic_force(A, mc, s->V.w);
  f.w += v4_mul(A, a.w) + v4_cross(mc, a.v);
  f.v += link->mass * a.v + v4_cross(a.w, mc);
  return f;
}

void CRD_KERNEL(rnea)(const crd_model *model, crd_workspace *work, const double *qacc, const double *fext,
                      double *tau) {
  work->link[0].a = (crd_sv){{0}, -v4_load3(model->gravity)};
  CRD_EACH (work->part, link, i) {
    const crd_link *link = &model->link[i];
    crd_link_state *s = &work->link[i + 1];
    crd_sv a = link_acceleration(link, s, work->link[link->parent + 1].a, qacc);
    s->a = a;
    s->z = rigid_force(link, s, a);
  }
  if (fext) subtract_wrenches(model, work, fext);
  CRD_EACH (work->part, v, v) tau[v] = qacc ? model->dof_armature[v] * qacc[v] : 0;
  collect_joint_forces(model, work, tau);
}
