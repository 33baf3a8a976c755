/* Recursions over a part of a model (src/model/part.h) that need no workspace, which would say which part. */
#ifndef SRC_TREE_PARTS_H
#define SRC_TREE_PARTS_H

#include <cradle/tree.h>

#include "model/part.h"

/* crd_tree_passive and crd_tree_integrate_position of the part; the rest is neither read nor written. */
void crd_tree_part_passive(const crd_model *model, const crd_part *part, const double *qpos, const double *qvel,
                           double *tau);
void crd_tree_part_integrate(const crd_model *model, const crd_part *part, const double *qpos, const double *qvel,
                             double h, double *qpos_out);

/* The whole model; the span is the caller's. */
static inline crd_part crd_part_view(const crd_model *model, crd_span *span) {
  *span = (crd_span){.link = {0, model->nlink}, .v = {0, model->nv}, .q = {0, model->nq}};
  return (crd_part){.span = span, .nspan = 1};
}

#endif
