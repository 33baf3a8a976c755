/* Parts of a model: lists of the elements of some of its trees. O(part). */
#include "model/part.h"

#include <string.h>

#include "base/layout.h"

bool crd_part_new(crd_part *part, const crd_model *model, int trees, crd_arena *arena) {
  *part = (crd_part){0};
  if (CRD_TAKE(arena, CRD_ARRAY(part->span, trees), CRD_ARRAY(part->loop, model->nloop),
               CRD_ARRAY(part->actuator, model->nactuator), CRD_ARRAY(part->limited, model->nlink + model->ntendon),
               CRD_ARRAY(part->rubbing, model->nv + model->ntendon)))
    return false;
  crd_part_set_whole(part, model);
  return true;
}

void crd_part_begin(crd_part *part) {
  part->nspan = part->nloop = part->nactuator = part->nlimited = part->nrubbing = 0;
}

static void list_joints(crd_part *part, const crd_model *model, const crd_span *span) {
  for (int j = span->link[0]; j < span->link[1]; j++)
    if (model->joint[j].limited) part->limited[part->nlimited++] = j;
  for (int k = span->v[0]; k < span->v[1]; k++)
    if (model->dof_frictionloss[k] > 0) part->rubbing[part->nrubbing++] = k;
}

static void extend(int range[2], int first, int end) {
  if (first >= end) return;
  if (range[0] == range[1]) range[0] = first;
  range[1] = end;
}

crd_span crd_part_tree(const crd_model *model, int first, int end) {
  const crd_joint *head = &model->joint[first], *tail = &model->joint[end - 1];
  crd_span tree = {.link = {first, end}, .v = {head->v, tail->v + tail->nv}, .q = {head->q, tail->q + tail->nq}};
  for (int b = head->body; b < model->nbody; b++) { /* depth first: those without joints come after what they hang on */
    const crd_body *body = &model->body[b];
    if (body->link < first || body->link >= end) break;
    extend(tree.body, b, b + 1);
    extend(tree.geom, body->first_geom, body->first_geom + body->ngeom);
  }
  return tree;
}

void crd_part_add_tree(crd_part *part, const crd_model *model, const crd_span *tree) {
  crd_span *before = part->nspan > 0 ? &part->span[part->nspan - 1] : NULL;
  list_joints(part, model, tree);
  if (before && before->link[1] == tree->link[0]) {
    before->link[1] = tree->link[1], before->v[1] = tree->v[1], before->q[1] = tree->q[1];
    extend(before->body, tree->body[0], tree->body[1]);
    extend(before->geom, tree->geom[0], tree->geom[1]);
  } else {
    part->span[part->nspan++] = *tree;
  }
}

void crd_part_set_whole(crd_part *part, const crd_model *model) {
  crd_part_begin(part);
  part->span[part->nspan++] = (crd_span){.link = {0, model->nlink},
                                         .v = {0, model->nv},
                                         .q = {0, model->nq},
                                         .body = {0, model->nbody},
                                         .geom = {0, model->ngeom}};
  list_joints(part, model, part->span);
  for (int l = 0; l < model->nloop; l++)
    if (model->loop[l].active) part->loop[part->nloop++] = l;
  for (int a = 0; a < model->nactuator; a++) part->actuator[part->nactuator++] = a;
  for (int t = 0; t < model->ntendon; t++) crd_part_add_tendon(part, model, t);
}

void crd_part_add_tendon(crd_part *part, const crd_model *model, int t) {
  if (model->tendon[t].limited) part->limited[part->nlimited++] = model->njoint + t;
  if (model->tendon[t].frictionloss > 0) part->rubbing[part->nrubbing++] = model->nv + t;
}

void crd_part_copy_dry(const crd_part *part, double *to, const double *from) {
  for (int i = 0; i < part->nrubbing; i++) to[part->rubbing[i]] = from[part->rubbing[i]];
}

void crd_part_clear_dry(const crd_part *part, double *to) {
  for (int i = 0; i < part->nrubbing; i++) to[part->rubbing[i]] = 0;
}

void crd_part_copy_v(const crd_part *part, double *to, const double *from) {
  for (int i = 0; i < part->nspan; i++) {
    const int *v = part->span[i].v;
    memcpy(to + v[0], from + v[0], (size_t)(v[1] - v[0]) * sizeof *to);
  }
}

void crd_part_clear_v(const crd_part *part, double *to) {
  for (int i = 0; i < part->nspan; i++) {
    const int *v = part->span[i].v;
    memset(to + v[0], 0, (size_t)(v[1] - v[0]) * sizeof *to);
  }
}

void crd_part_copy_q(const crd_part *part, double *to, const double *from) {
  for (int i = 0; i < part->nspan; i++) {
    const int *q = part->span[i].q;
    memcpy(to + q[0], from + q[0], (size_t)(q[1] - q[0]) * sizeof *to);
  }
}
