/* Tendons: ids of definitions become ids of the model, and the velocities that change their lengths are found. */
#include <string.h>

#include "base/layout.h"
#include "model/build.h"
#include "model/chains.h"

/* The first link of the tree that a joint belongs to. */
static int tree_of(const crd_build *b, int joint) {
  int link = joint;
  while (b->model->link[link].parent >= 0) link = b->model->link[link].parent;
  return link;
}

static crd_status build_weighted(crd_build *b, const crd_tendon_def *def, crd_tendon *tendon) {
  const size_t n = (size_t)def->nterm;
  int *joint, *dof;
  double *coef;
  if (CRD_TAKE(b->arena, CRD_ARRAY(joint, n), CRD_ARRAY(dof, n), CRD_ARRAY(coef, n))) return crd_build_no_memory(b);
  for (int k = 0; k < def->nterm; k++) {
    joint[k] = b->joint_id[def->term_joint[k]], coef[k] = def->term_coef[k];
    dof[k] = b->model->joint[joint[k]].v;
  }
  tendon->nterm = tendon->ndof = tendon->nchain = def->nterm;
  tendon->joint = joint, tendon->coef = coef, tendon->dof = tendon->chain = dof;
  return CRD_OK;
}

static crd_status build_path(crd_build *b, const crd_tendon_def *def, crd_tendon *tendon) {
  const size_t n = (size_t)def->nwrap;
  crd_wrap *wrap = crd_arena_alloc(b->arena, n, sizeof *wrap);
  int *link = crd_arena_alloc(&b->scratch, n, sizeof *link), count = 0;
  crd_chains found;
  if (!wrap || !link) return crd_build_no_memory(b);
  memcpy(wrap, def->wrap, n * sizeof *wrap);
  for (int i = 0; i < def->nwrap; i++) {
    if (wrap[i].type == CRD_WRAP_GEOM) wrap[i].geom = b->geom_id[wrap[i].geom];
    if (wrap[i].type == CRD_WRAP_GEOM) link[count++] = b->model->geom[wrap[i].geom].link;
    if (wrap[i].type == CRD_WRAP_SITE) link[count++] = b->model->site[wrap[i].site].link;
  }
  CRD_TRY(crd_chains_find(b, link, count, &found));
  tendon->nwrap = def->nwrap, tendon->wrap = wrap;
  tendon->nterm = found.njoint, tendon->joint = found.joint;
  tendon->ndof = found.ndof, tendon->dof = found.dof, tendon->nchain = found.nchain, tendon->chain = found.chain;
  b->model->needs_sites = true;
  return CRD_OK;
}

/* A row of the contact problem acts on at most two trees. what: does the element to them. tree: those that it acts on
 * already, -1: none. */
static crd_status add_trees(const crd_build *b, const crd_element *element, const char *what, const crd_tendon *tendon,
                            int tree[2]) {
  for (int k = 0; k < tendon->nterm; k++) {
    const int other = tree_of(b, tendon->joint[k]);
    if (tree[0] < 0 || other == tree[0])
      tree[0] = other;
    else if (tree[1] < 0 || other == tree[1])
      tree[1] = other;
    else
      return crd_build_fail(b, CRD_ERR_MODEL, element,
                            "%s three mechanisms or more that no joint connects, must be at most two", what);
  }
  return CRD_OK;
}

static crd_status check_trees(const crd_build *b, const crd_element *element, const crd_tendon *tendon) {
  int tree[2] = {-1, -1};
  if (!tendon->limited && tendon->frictionloss == 0) return CRD_OK;
  return add_trees(b, element, tendon->limited ? "limits" : "rubs between", tendon, tree);
}

/* The loops that couple two tendons. */
static crd_status check_loops(const crd_build *b) {
  for (int l = 0; l < b->model->nloop; l++) {
    const crd_loop *loop = &b->model->loop[l];
    const crd_element element = crd_element_loop(b, l);
    int tree[2] = {-1, -1};
    if (loop->type != CRD_LOOP_TENDON) continue;
    CRD_TRY(add_trees(b, &element, "couples", &b->model->tendon[loop->tendon1], tree));
    if (loop->tendon2 >= 0) CRD_TRY(add_trees(b, &element, "couples", &b->model->tendon[loop->tendon2], tree));
    if (tree[0] < 0) return crd_build_fail(b, CRD_ERR_MODEL, &element, "couples tendons that nothing moves");
  }
  return CRD_OK;
}

crd_status crd_build_tendons(crd_build *b) {
  crd_tendon *tendon = crd_arena_alloc(b->arena, (size_t)b->model->ntendon, sizeof *tendon);
  if (!tendon) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->ntendon; i++) {
    const crd_tendon_def *def = &b->tendon_def[i];
    const crd_element element = crd_element_tendon(b, i);
    tendon[i] = (crd_tendon){.name = crd_build_text(b, def->name),
                             .stiffness = def->stiffness,
                             .damping = def->damping,
                             .spring_length = {def->spring_length[0], def->spring_length[1]},
                             .limited = def->limited,
                             .range = {def->range[0], def->range[1]},
                             .restitution = def->restitution,
                             .frictionloss = def->frictionloss,
                             .row = b->model->ntendon_row};
    CRD_TRY(def->nterm > 0 ? build_weighted(b, def, &tendon[i]) : build_path(b, def, &tendon[i]));
    CRD_TRY(check_trees(b, &element, &tendon[i]));
    tendon[i].limited = tendon[i].limited && tendon[i].ndof > 0; /* nothing moves one between fixed sites */
    if (tendon[i].ndof == 0) tendon[i].frictionloss = 0;
    b->model->ntendon_row += tendon[i].ndof;
    if (def->stiffness > 0 || def->damping > 0) b->model->elastic_tendons = true;
  }
  b->model->tendon = tendon;
  return check_loops(b);
}
