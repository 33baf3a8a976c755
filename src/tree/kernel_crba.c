/* Mass matrix by composite rigid bodies, and its factor with the sparsity of the tree.
 *
 *   I_c(k) = I(k) + sum over children phi I_c phi',   M(j, k) = H(j) phi(j, k) I_c(k) H*(k) for j at or above k
 *
 * [Featherstone 2008, 6.2 and 6.5]. M(j, k) = 0 where neither link is above the other, and M = L' L fills nothing in.
 */
#include <string.h>

#include "tree/kernels.h"
#include "tree/link_motion.h"

/* parent += the body with inertia I, first moment mc and mass, whose origin is at r. */
CRD_INLINE void add_composite(crd_composite *parent, const crd_composite *body, v4 r) {
  /* I' = I + mc~' r~ + r~' mc~ + m r~' r~ = I + K + K',  K = r~' (mc + m r / 2)~ */
  v4 half = body->mc + 0.5 * body->mass * r, K[3], Kt[3];
  double rh = v4_dot(r, half);
  for (int j = 0; j < 3; j++) K[j] = -half * r[j];
  K[0][0] += rh, K[1][1] += rh, K[2][2] += rh;
  v4_transpose(Kt, K);
  for (int j = 0; j < 3; j++) parent->I[j] += body->I[j] + (K[j] + Kt[j]);
  parent->mc += body->mc + body->mass * r;
  parent->mass += body->mass;
}

/* I_c times a motion. */
CRD_INLINE crd_sv composite_force(const crd_composite *body, crd_sv a) {
  return (crd_sv){v4_mul(body->I, a.w) + v4_cross(body->mc, a.v), body->mass * a.v + v4_cross(a.w, body->mc)};
}

/* Fills M(j, row) for all velocities j at or above the link, given the force F that velocity `row` = 1 needs there. */
CRD_INLINE void fill_row(const crd_model *model, const crd_workspace *work, int i, int row, crd_sv F, double *M) {
  int n = model->nv;
  for (int k = i; k >= 0; k = model->link[k].parent) {
    const crd_link *link = &model->link[k];
    const crd_link_state *s = &work->link[k + 1];
    if (link->nv == 1) {
      M[(size_t)n * row + link->v] = along_joint(link, s, F);
    } else {
      crd_sv H[6];
      multi_axes(link, s, H);
      for (int j = 0; j < link->nv; j++) M[(size_t)n * row + link->v + j] = sv_dot(H[j], F);
    }
    F = sv_shift_force(F, s->r);
  }
}

void CRD_KERNEL(crba)(const crd_model *model, crd_workspace *work, double *M) {
  int n = model->nv;
  memset(M, 0, sizeof *M * (size_t)n * (size_t)n);
  for (int i = 0; i < model->nlink; i++) {
    crd_composite *body = &work->composite[i + 1];
    body->mc = world_inertia(body->I, &model->link[i], &work->link[i + 1]);
    body->mass = model->link[i].mass;
  }
  for (int i = model->nlink - 1; i >= 0; i--) {
    const crd_link *link = &model->link[i];
    const crd_link_state *s = &work->link[i + 1];
    const crd_composite *body = &work->composite[i + 1];
    if (link->nv == 1) {
      crd_sv H = {{0}, {0}};
      add_joint_motion(link, s, 1, &H);
      fill_row(model, work, i, link->v, composite_force(body, H), M);
    } else {
      crd_sv H[6];
      multi_axes(link, s, H);
      for (int j = 0; j < link->nv; j++) fill_row(model, work, i, link->v + j, composite_force(body, H[j]), M);
    }
    if (link->parent >= 0) add_composite(&work->composite[link->parent + 1], body, s->r);
  }
  for (int i = 0; i < n; i++) {
    M[(size_t)n * i + i] += model->dof_armature[i];
    for (int j = model->dof_parent[i]; j >= 0; j = model->dof_parent[j]) M[(size_t)n * j + i] = M[(size_t)n * i + j];
  }
}

crd_status CRD_KERNEL(crba_factor)(const crd_model *model, double *M) {
  int n = model->nv;
  const int *parent = model->dof_parent;
  bool chain = true; /* every velocity up to k is above k: rows are full, and their updates run along memory */
  for (int k = 1; k < n && chain; k++) chain = parent[k] == k - 1;
  for (int k = n - 1; k >= 0; k--) {
    double *row = M + (size_t)n * k;
    if (!(row[k] > 0)) return CRD_SINGULAR;
    double inv = 1 / sqrt(row[k]);
    row[k] *= inv;
    for (int i = parent[k]; i >= 0; i = parent[i]) row[i] *= inv;
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      double *row_i = M + (size_t)n * i, a = row[i];
      if (chain)
        for (int j = 0; j <= i; j++) row_i[j] -= a * row[j];
      else
        for (int j = i; j >= 0; j = parent[j]) row_i[j] -= a * row[j];
    }
  }
  return CRD_OK;
}
