/* The hot recursions, compiled once for any processor and, on x86-64, once more for AVX2 and FMA.
 *
 * The files kernel_*.c hold them; CMake compiles each of these twice, with CRD_KERNEL_AVX2 defined the second time. The
 * public functions call the table that fits the processor (crd_tree_kernels_of_cpu).
 */
#ifndef SRC_TREE_KERNELS_H
#define SRC_TREE_KERNELS_H

#include <cradle/tree.h>

#include "model/workspace.h"

typedef struct crd_tree_kernels {
  void (*kinematics)(const crd_model *model, crd_workspace *work, const double *qpos);
  void (*velocity)(const crd_model *model, crd_workspace *work, const double *qvel);
  crd_status (*factor)(const crd_model *model, crd_workspace *work);
  crd_status (*aba)(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                    const double *tau, const double *fext, double *qacc);
  /* x = M^-1 (tau - H phi z) of the links first .. last, which are whole trees; z holds the forces already written into
   * their states */
  void (*sweep)(const crd_model *model, crd_workspace *work, int first, int last, const double *tau, double *x);
  /* the same of four right-hand sides, a lane each, in x; deepest: no link behind it has forces */
  void (*lanes)(const crd_model *model, crd_workspace *work, int first, int last, int deepest, v4 *x);
  /* e = (I + H phi K)^-1 f and D^-1 e of four right-hand sides along a path of links, each before its parent, in its order:
   * f are the joint forces in e and those on the links in their lanes */
  void (*innovations)(const crd_model *model, crd_workspace *work, const int *path, int count, v4 *e, v4 *yields);
  void (*rnea)(const crd_model *model, crd_workspace *work, const double *qacc, const double *fext, double *tau);
  void (*crba)(const crd_model *model, crd_workspace *work, double *M);
  crd_status (*crba_factor)(const crd_model *model, double *M);
  void (*oscm)(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, double *Lambda);
  void (*mobility)(const crd_model *model, crd_workspace *work, double *diagonal);
} crd_tree_kernels;

extern const crd_tree_kernels crd_tree_kernels_portable;
extern const crd_tree_kernels crd_tree_kernels_avx2;

const crd_tree_kernels *crd_tree_kernels_of_cpu(void);

#ifdef CRD_KERNEL_AVX2
#define CRD_KERNEL(name) crd_kernel_##name##_avx2
#define CRD_KERNEL_TABLE crd_tree_kernels_avx2
#else
#define CRD_KERNEL(name) crd_kernel_##name##_portable
#define CRD_KERNEL_TABLE crd_tree_kernels_portable
#endif

void CRD_KERNEL(kinematics)(const crd_model *model, crd_workspace *work, const double *qpos);
void CRD_KERNEL(velocity)(const crd_model *model, crd_workspace *work, const double *qvel);
crd_status CRD_KERNEL(factor)(const crd_model *model, crd_workspace *work);
crd_status CRD_KERNEL(aba)(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                           const double *tau, const double *fext, double *qacc);
void CRD_KERNEL(sweep)(const crd_model *model, crd_workspace *work, int first, int last, const double *tau, double *x);
void CRD_KERNEL(lanes)(const crd_model *model, crd_workspace *work, int first, int last, int deepest, v4 *x);
void CRD_KERNEL(innovations)(const crd_model *model, crd_workspace *work, const int *path, int count, v4 *e,
                             v4 *yields);
void CRD_KERNEL(rnea)(const crd_model *model, crd_workspace *work, const double *qacc, const double *fext, double *tau);
void CRD_KERNEL(crba)(const crd_model *model, crd_workspace *work, double *M);
crd_status CRD_KERNEL(crba_factor)(const crd_model *model, double *M);
void CRD_KERNEL(oscm)(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, double *Lambda);
void CRD_KERNEL(mobility)(const crd_model *model, crd_workspace *work, double *diagonal);

#endif
