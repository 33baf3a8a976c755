/* The operational-space compliance Lambda of all nodes, tree by tree.
 *
 * Nodes of different trees do not move each other (contacts and loops are rows, not part of the mechanism), so Lambda
 * is block diagonal: a block for each tree that takes part, from the O(N) recursion [Jain, eqs. 52-54]. Cost and memory
 * are those of the blocks, so that they grow linearly with the number of independent bodies.
 */
#include <string.h>

#include "contact/assemble.h"

/* The first link of the tree of each link; parents come before their children. */
void crd_compliance_find_trees(crd_contact_assembler *s) {
  const crd_model *model = s->model;
  for (int k = 0; k < model->nlink; k++) {
    int parent = model->link[k].parent;
    s->root[k] = parent < 0 ? k : s->root[parent];
    s->last_of_root[s->root[k]] = k; /* links are in depth-first order: a tree has no others between its own */
    s->block_of_root[k] = -1;
  }
}

static crd_status reserve(crd_contact_assembler *s, size_t needed) {
  if (needed <= s->Lambda_capacity) return CRD_OK;
  crd_arena fresh = {0};
  double *Lambda = crd_arena_alloc(&fresh, needed, sizeof *Lambda);
  if (!Lambda) return CRD_ERR_MEMORY;
  crd_arena_free(&s->node_arena);
  s->node_arena = fresh, s->Lambda = Lambda, s->Lambda_capacity = needed;
  return CRD_OK;
}

/* Sorts the nodes into blocks; returns the number of entries of Lambda. */
static size_t sort_nodes(crd_contact_assembler *s) {
  size_t entries = 0;
  for (int b = 0; b < s->nblock; b++) s->block_of_root[s->block[b].root] = -1;
  s->nblock = 0;
  for (int n = 0; n < s->nnode; n++) {
    int root = s->root[s->model->body[s->node[n].body].link];
    if (s->block_of_root[root] < 0) {
      s->block_of_root[root] = s->nblock;
      s->block[s->nblock++] = (crd_node_block){.root = root};
    }
    s->block_of_node[n] = s->block_of_root[root];
    s->block[s->block_of_node[n]].count++;
  }
  for (int b = 0, first = 0; b < s->nblock; b++) {
    crd_node_block *block = &s->block[b];
    size_t size = (size_t)6 * (size_t)block->count;
    block->first = first, block->at = entries;
    first += block->count, entries += size * size;
    block->count = 0; /* counts again as it is filled */
  }
  for (int n = 0; n < s->nnode; n++) {
    crd_node_block *block = &s->block[s->block_of_node[n]];
    s->place_of_node[n] = block->count;
    s->sorted[block->first + block->count] = s->node[n];
    s->member[block->first + block->count++] = n;
  }
  return entries;
}

crd_status crd_assembly_compliance(crd_assembly *a) {
  crd_contact_assembler *s = a->assembler;
  crd_status status = reserve(s, sort_nodes(s));
  for (int b = 0; b < s->nblock && status == CRD_OK; b++)
    status =
        crd_tree_oscm(s->model, a->work, s->sorted + s->block[b].first, s->block[b].count, s->Lambda + s->block[b].at);
  return status;
}

const crd_node_block *crd_compliance_of_tree(const crd_contact_assembler *s, int root) {
  return s->block_of_root[root] < 0 ? NULL : &s->block[s->block_of_root[root]];
}

/* The six rows of Lambda's block that belong to the node, from the columns of its own block on. */
const double *crd_compliance_of_node(const crd_contact_assembler *s, int node, size_t *stride) {
  const crd_node_block *block = &s->block[s->block_of_node[node]];
  *stride = (size_t)6 * (size_t)block->count;
  return s->Lambda + block->at + *stride * (size_t)(6 * s->place_of_node[node]);
}

double crd_assembly_product(const crd_assembly *a, const crd_row *row_i, const crd_row *row_j) {
  const crd_contact_assembler *s = a->assembler;
  double sum = 0;
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++) {
      int node_i = row_i->node[k], node_j = row_j->node[l];
      if (node_i < 0 || node_j < 0 || s->block_of_node[node_i] != s->block_of_node[node_j]) continue;
      size_t stride;
      const double *line = crd_compliance_of_node(s, node_i, &stride) + 6 * s->place_of_node[node_j],
                   *f = row_j->form[l];
      for (int i = 0; i < 6; i++, line += stride)
        sum += row_i->form[k][i] *
               (line[0] * f[0] + line[1] * f[1] + line[2] * f[2] + line[3] * f[3] + line[4] * f[4] + line[5] * f[5]);
    }
  return sum;
}

bool crd_compliance_same_blocks(const crd_contact_assembler *s, const crd_row *row, const crd_row *other) {
  int a[2], b[2];
  for (int k = 0; k < 2; k++) {
    a[k] = row->node[k] < 0 ? -1 : s->block_of_node[row->node[k]];
    b[k] = other->node[k] < 0 ? -1 : s->block_of_node[other->node[k]];
  }
  return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}
