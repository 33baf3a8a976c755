/* Memory of the workspace: one arena for arrays of fixed size, one that grows with the number of nodes. */
#include "model/workspace.h"

#include <stdlib.h>

#include "base/layout.h"

static bool allocate(crd_workspace *work) {
  const crd_model *model = work->model;
  size_t links = (size_t)model->nlink + 1;
  size_t multis = 0;
  for (int i = 0; i < model->nlink; i++) multis += model->link[i].nv > 1;
  const crd_layout table[] = {
      CRD_ARRAY(work->link, links),
      CRD_ARRAY(work->multi, multis),
      CRD_ARRAY(work->multi_of_link, links),
      CRD_ARRAY(work->composite, links),
      CRD_ARRAY(work->lane, links),
      CRD_ARRAY(work->tau, model->nv),
      CRD_ARRAY(work->actuation, model->nv),
      CRD_ARRAY(work->length, model->nactuator),
      CRD_ARRAY(work->moment, model->nmoment),
      CRD_ARRAY(work->tendon_length, model->ntendon),
      CRD_ARRAY(work->tendon_row, model->ntendon_row),
      CRD_ARRAY(work->tendon_dense, model->nv),
      CRD_ARRAY(work->tendon_qpos, model->nq),
      CRD_ARRAY(work->carried, model->nv),
      CRD_ARRAY(work->sensed, 3 * (size_t)model->nactuator + (size_t)model->nv),
      CRD_ARRAY(work->oscm.children, links),
      CRD_ARRAY(work->oscm.key, links),
      CRD_ARRAY(work->oscm.upsilon, links),
      CRD_ARRAY(work->oscm.transfer, 6 * links),
  };
  return CRD_LAYOUT_TAKE(&work->arena, table) == CRD_OK && crd_part_new(&work->whole, model, 1, &work->arena);
}

crd_workspace *crd_model_workspace_new(const crd_model *model) {
  crd_workspace *work = calloc(1, sizeof *work);
  if (!work) return NULL;
  work->model = model;
  work->singular_joint = -1;
  work->armature = model->dof_armature;
  if (!allocate(work)) {
    crd_model_workspace_free(work);
    return NULL;
  }
  work->part = &work->whole;
  crd_link_state *ground = &work->link[0];
  ground->R[0] = (v4){1, 0, 0, 0}, ground->R[1] = (v4){0, 1, 0, 0}, ground->R[2] = (v4){0, 0, 1, 0};
  for (int i = 0, multi = 0; i < model->nlink; i++) work->multi_of_link[i] = model->link[i].nv > 1 ? multi++ : -1;
  return work;
}

void crd_model_workspace_free(crd_workspace *work) {
  if (!work) return;
  crd_arena_free(&work->arena);
  crd_arena_free(&work->node_arena);
  free(work);
}

size_t crd_model_workspace_bytes(const crd_workspace *work) {
  return sizeof *work + work->arena.allocated + work->node_arena.allocated;
}

int crd_model_workspace_singular_joint(const crd_workspace *work) { return work->singular_joint; }

crd_status crd_model_workspace_reserve_nodes(crd_workspace *work, int nnode) {
  crd_oscm_scratch *scratch = &work->oscm;
  if (nnode <= scratch->node_capacity) return CRD_OK;
  /* Keys are the nodes' links and the links where their paths part: fewer than twice as many as nodes. */
  size_t keys = 2 * (size_t)nnode, links = (size_t)work->model->nlink;
  if (keys > links) keys = links;
  const crd_layout table[] = {CRD_ARRAY(scratch->key_link, keys), CRD_ARRAY(scratch->key_parent, keys),
                              CRD_ARRAY(scratch->omega, keys * (keys + 1) / 2)};
  crd_status status = crd_layout_renew(&work->node_arena, table, sizeof table / sizeof *table);
  if (status == CRD_OK) scratch->node_capacity = nnode;
  return status;
}
