/* Public entry of the recursions: picks the instruction set and prepares the inputs of the kernels. */
#include <cradle/tree.h>
#include <string.h>

#include "linalg/simd.h"
#include "tree/kernels.h"
#include "tree/lanes.h"
#include "tree/link_motion.h"

const crd_tree_kernels *crd_tree_kernels_of_cpu(void) {
#ifdef CRADLE_HAVE_AVX2_KERNELS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &crd_tree_kernels_avx2;
#endif
  return &crd_tree_kernels_portable;
}

void crd_tree_kinematics(const crd_model *model, crd_workspace *work, const double *qpos) {
  crd_tree_kernels_of_cpu()->kinematics(model, work, qpos);
}

void crd_tree_velocity(const crd_model *model, crd_workspace *work, const double *qvel) {
  crd_tree_kernels_of_cpu()->velocity(model, work, qvel);
}

void crd_tree_rnea(const crd_model *model, crd_workspace *work, const double *qacc, const double *fext, double *tau) {
  crd_tree_kernels_of_cpu()->rnea(model, work, qacc, fext, tau);
}

crd_status crd_tree_aba(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                        const double *tau, const double *fext, double *qacc) {
  return crd_tree_kernels_of_cpu()->aba(model, work, qpos, qvel, tau, fext, qacc);
}

crd_status crd_tree_forward(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                            const double *act, const double *ctrl, const double *tau, const double *fext,
                            double *qacc) {
  if (tau)
    memcpy(work->tau, tau, sizeof *tau * (size_t)model->nv);
  else
    memset(work->tau, 0, sizeof *tau * (size_t)model->nv);
  crd_tree_passive(model, qpos, qvel, work->tau);
  crd_tree_tendon_forces(model, work, qpos, qvel, work->tau);
  if (model->compensated) {
    crd_tree_kinematics(model, work, qpos);
    crd_tree_gravity_compensation(model, work, work->tau);
  }
  if (model->nimmersed > 0) {
    crd_tree_kinematics(model, work, qpos);
    crd_tree_velocity(model, work, qvel);
    crd_tree_medium(model, work, work->tau);
  }
  crd_tree_actuation(model, work, qpos, qvel, act, ctrl, work->tau);
  return crd_tree_aba(model, work, qpos, qvel, work->tau, fext, qacc);
}

void crd_tree_set_armature(crd_workspace *work, const double *armature) {
  work->armature = armature ? armature : work->model->dof_armature;
}

void crd_tree_mobility(const crd_model *model, crd_workspace *work, double *diagonal) {
  crd_tree_kernels_of_cpu()->mobility(model, work, diagonal);
}

crd_status crd_tree_factor(const crd_model *model, crd_workspace *work) {
  return crd_tree_kernels_of_cpu()->factor(model, work);
}

static void clear_forces(crd_workspace *work, int first, int last) {
  for (int i = first; i <= last; i++) work->link[i + 1].z = (crd_sv){{0}, {0}};
}

static void clear_all_forces(crd_workspace *work) {
  for (int i = 0; i < work->part->nspan; i++)
    clear_forces(work, work->part->span[i].link[0], work->part->span[i].link[1] - 1);
}

static void sweep_all(const crd_model *model, crd_workspace *work, const double *tau, double *x) {
  for (int i = 0; i < work->part->nspan; i++) {
    const int *link = work->part->span[i].link;
    crd_tree_kernels_of_cpu()->sweep(model, work, link[0], link[1] - 1, tau, x);
  }
}

void crd_tree_solve(const crd_model *model, crd_workspace *work, const double *f, double *x) {
  clear_all_forces(work);
  sweep_all(model, work, f, x);
}

void crd_tree_solve_trees(const crd_model *model, crd_workspace *work, int first, int last, const double *f,
                          double *x) {
  clear_forces(work, first, last);
  crd_tree_kernels_of_cpu()->sweep(model, work, first, last, f, x);
}

void crd_tree_solve_lanes(const crd_model *model, crd_workspace *work, int first, int last, int deepest, v4 *x) {
  crd_tree_kernels_of_cpu()->lanes(model, work, first, last, deepest, x);
}

void crd_tree_innovations_begin(crd_workspace *work, const int *path, int count) {
  const v4 zero = {0};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 6; k++) work->lane[path[i] + 1].z[k] = zero;
}

CRD_CLONES void crd_tree_innovations_push(const crd_model *model, crd_workspace *work, const crd_node *node,
                                          const v4 wrench[6]) {
  int link = model->body[node->body].link;
  v4 *z = work->lane[link + 1].z, r = v4_load3(node->point) - work->link[link + 1].p;
  z[0] += wrench[0] + r[1] * wrench[5] - r[2] * wrench[4];
  z[1] += wrench[1] + r[2] * wrench[3] - r[0] * wrench[5];
  z[2] += wrench[2] + r[0] * wrench[4] - r[1] * wrench[3];
  for (int k = 3; k < 6; k++) z[k] += wrench[k];
}

void crd_tree_innovations(const crd_model *model, crd_workspace *work, const int *path, int count, v4 *e, v4 *yields) {
  crd_tree_kernels_of_cpu()->innovations(model, work, path, count, e, yields);
}

void crd_tree_impulse(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, const double *p,
                      double *dv) {
  crd_tree_response(model, work, node, nnode, p, NULL, dv);
}

/* Adds `sign` times the wrenches on the nodes to the forces collected on the way in. */
CRD_CLONES static void add_wrenches(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                                    const double *wrench, double sign) {
  for (int a = 0; a < nnode; a++) {
    int link = model->body[node[a].body].link;
    if (link < 0) continue;
    crd_link_state *s = &work->link[link + 1];
    crd_sv at_node = {v4_load3(wrench + 6 * a), v4_load3(wrench + 6 * a + 3)};
    s->z = sv_add(s->z, sv_scale(sign, sv_shift_force(at_node, v4_load3(node[a].point) - s->p)));
  }
}

void crd_tree_response(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, const double *p,
                       const double *tau, double *dv) {
  clear_all_forces(work);
  add_wrenches(model, work, node, nnode, p, -1);
  sweep_all(model, work, tau, dv);
}

void crd_tree_joint_forces(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                           const double *wrench, double *tau) {
  clear_all_forces(work);
  add_wrenches(model, work, node, nnode, wrench, 1);
  collect_joint_forces(model, work, tau);
}

crd_status crd_tree_oscm(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, double *Lambda) {
  crd_status status = crd_model_workspace_reserve_nodes(work, nnode);
  if (status != CRD_OK) return status;
  crd_tree_kernels_of_cpu()->oscm(model, work, node, nnode, Lambda);
  return CRD_OK;
}

void crd_tree_crba(const crd_model *model, crd_workspace *work, double *M) {
  crd_tree_kernels_of_cpu()->crba(model, work, M);
}

crd_status crd_tree_crba_factor(const crd_model *model, double *M) {
  return crd_tree_kernels_of_cpu()->crba_factor(model, M);
}

void crd_tree_crba_solve(const crd_model *model, const double *L, double *x) {
  int n = model->nv;
  const int *parent = model->dof_parent;
  /* M = L' L: first L' y = x from the tips, then L x = y from the base */
  for (int i = n - 1; i >= 0; i--) {
    const double *row = L + (size_t)n * i;
    x[i] /= row[i];
    for (int j = parent[i]; j >= 0; j = parent[j]) x[j] -= row[j] * x[i];
  }
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)n * i;
    for (int j = parent[i]; j >= 0; j = parent[j]) x[i] -= row[j] * x[j];
    x[i] /= row[i];
  }
}
