/* Which velocities move a set of links. */
#include "model/chains.h"
#include "base/layout.h"

crd_status crd_chains_find(crd_build *b, const int *link, int count, crd_chains *found) {
  const crd_model *model = b->model;
  int *carried = crd_arena_alloc(&b->scratch, (size_t)model->nlink + 1, sizeof *carried); /* links that a joint moves */
  if (!carried) return crd_build_no_memory(b);
  for (int i = 0; i < count; i++)
    for (int k = link[i]; k >= 0; k = model->link[k].parent) carried[k]++;
  *found = (crd_chains){0};
  for (int k = 0; k < model->nlink; k++) {
    if (carried[k] == 0) continue;
    found->nchain += model->link[k].nv;
    if (carried[k] < count) found->ndof += model->link[k].nv, found->njoint++;
  }
  if (CRD_TAKE(b->arena, CRD_ARRAY(found->chain, found->nchain), CRD_ARRAY(found->dof, found->ndof),
               CRD_ARRAY(found->joint, found->njoint)))
    return crd_build_no_memory(b);
  int chain = 0, dof = 0, joint = 0;
  for (int k = 0; k < model->nlink; k++) {
    for (int j = 0; carried[k] > 0 && j < model->link[k].nv; j++) {
      found->chain[chain++] = model->link[k].v + j;
      if (carried[k] < count) found->dof[dof++] = model->link[k].v + j;
    }
    if (carried[k] > 0 && carried[k] < count) found->joint[joint++] = k;
  }
  return CRD_OK;
}
