/* Limited tendons: ids of definitions become ids of the model. */
#include <string.h>

#include "model/build.h"

/* The first link of the tree that a joint belongs to. */
static int tree_of(const crd_build *b, int joint) {
  int link = joint;
  while (b->model->link[link].parent >= 0) link = b->model->link[link].parent;
  return link;
}

crd_status crd_build_tendons(crd_build *b) {
  crd_tendon *tendon = crd_arena_alloc(b->arena, (size_t)b->model->ntendon, sizeof *tendon);
  if (!tendon) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->ntendon; i++) {
    const crd_tendon_def *def = &b->tendon_def[i];
    const crd_element element = crd_element_tendon(b, i);
    tendon[i] = (crd_tendon){.name = crd_build_text(b, def->name),
                             .nterm = def->nterm,
                             .range = {def->range[0], def->range[1]},
                             .restitution = def->restitution};
    for (int k = 0; k < def->nterm; k++) {
      tendon[i].joint[k] = b->joint_id[def->term_joint[k]], tendon[i].coef[k] = def->term_coef[k];
      if (tree_of(b, tendon[i].joint[k]) != tree_of(b, tendon[i].joint[0]))
        return crd_build_fail(b, CRD_ERR_MODEL, &element,
                              "limits joints of several mechanisms that nothing joins, must be of one");
    }
  }
  b->model->tendon = tendon;
  return CRD_OK;
}
