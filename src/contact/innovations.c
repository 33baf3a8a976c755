/* Coupling of rows through the mechanism, J_i M^-1 J_j', without M, for as much of it as they move.
 *
 * With the factor of articulated bodies, M = A D A', it is e_i' D^-1 e_j, e = A^-1 J' the innovations of a row: one sweep
 * from the bodies that it acts on towards the base, and zero off that path [Jain, eq. 42; src/tree/lanes.h]. Rows that
 * follow each other and act on the same bodies, or on joints of the same trees, are swept four at a time, as a bundle.
 */
#include <string.h>

#include "contact/assemble.h"
#include "tree/lanes.h"

void crd_assembly_find_trees(crd_contact_assembler *s) {
  const crd_model *model = s->model;
  for (int k = 0; k < model->nlink; k++) {
    const crd_link *link = &model->link[k];
    s->root[k] = link->parent < 0 ? k : s->root[link->parent];
    s->last_of_root[s->root[k]] = k; /* links are in depth-first order: a tree has no others between its own */
    s->depth[k] = 1 + (link->parent < 0 ? 0 : s->depth[link->parent]);
    s->depth_v[k] = link->nv + (link->parent < 0 ? 0 : s->depth_v[link->parent]);
  }
}

static int link_of_node(const crd_contact_assembler *s, int node) {
  return node < 0 ? -1 : s->model->body[s->node[node].body].link;
}

void crd_assembly_trees(const crd_contact_assembler *s, const crd_row *row, int tree[2]) {
  tree[0] = tree[1] = -1;
  int count = row->ndof > 0 ? row->ndof : 2;
  for (int k = 0; k < count; k++) {
    int link = row->ndof > 0 ? s->model->dof_link[crd_row_dof(row, k)] : link_of_node(s, row->node[k]);
    int t = link < 0 ? -1 : s->root[link];
    if (t < 0 || t == tree[0]) continue;
    tree[tree[0] < 0 ? 0 : 1] = t;
  }
  if (tree[1] < 0 || tree[0] < tree[1]) return;
  int other = tree[0];
  tree[0] = tree[1], tree[1] = other;
}

/* ------------------------------------------------------------------------------------------------ paths */

static crd_status reserve(crd_contact_assembler *s, size_t links, size_t entries) {
  if (s->path_used + links <= s->path_room && s->entry_used + entries <= s->entry_room) return CRD_OK;
  crd_arena fresh = {0};
  size_t path_room = 2 * (s->path_used + links), entry_room = 2 * (s->entry_used + entries);
  int *path = crd_arena_alloc(&fresh, path_room, sizeof *path);
  crd_v4 *entry = crd_arena_alloc(&fresh, entry_room, sizeof *entry);
  if (!path || !entry) return crd_arena_free(&fresh), CRD_ERR_MEMORY;
  if (s->path_used > 0) memcpy(path, s->path, s->path_used * sizeof *path);
  if (s->entry_used > 0) memcpy(entry, s->entry, s->entry_used * sizeof *entry);
  crd_arena_free(&s->path_arena);
  s->path_arena = fresh;
  s->path = path, s->path_room = path_room, s->entry = entry, s->entry_room = entry_room;
  return CRD_OK;
}

/* The links from two of them (-1: none) to their roots, each before its parent: a link has a higher number than its
 * parent. Returns their number. */
static int join_paths(const crd_model *model, int a, int b, int *path) {
  int count = 0;
  while (a >= 0 || b >= 0) {
    const int link = a > b ? a : b, up = model->link[link].parent;
    path[count++] = link;
    if (b == link) b = up;
    if (a == link) a = up;
  }
  return count;
}

/* The same for the joints of some rows. */
static int join_paths_of_joints(crd_contact_assembler *s, const crd_row *row, int rows, int *path) {
  int tree[2], count = 0;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < row[i].ndof; k++)
      for (int l = s->model->dof_link[crd_row_dof(&row[i], k)]; l >= 0 && !s->on_path[l]; l = s->model->link[l].parent)
        s->on_path[l] = true;
  crd_assembly_trees(s, row, tree);
  for (int t = 1; t >= 0; t--)
    for (int l = tree[t] < 0 ? -1 : s->last_of_root[tree[t]]; l >= 0 && l >= tree[t]; l--)
      if (s->on_path[l]) path[count++] = l, s->on_path[l] = false;
  return count;
}

/* Room that the path of some rows takes at most, of the first alone where they act on bodies. */
static void measure_path(const crd_contact_assembler *s, const crd_row *row, int rows, size_t *links, size_t *entries) {
  *links = *entries = 0;
  for (int i = 0; i < rows; i++) {
    const bool joints = row[i].ndof > 0;
    for (int k = 0; k < (joints ? row[i].ndof : 2); k++) {
      int link = joints ? s->model->dof_link[crd_row_dof(&row[i], k)] : link_of_node(s, row[i].node[k]);
      if (link < 0) continue;
      *links += (size_t)s->depth[link], *entries += 2 * (size_t)s->depth_v[link];
    }
    if (!joints) return;
  }
}

/* ------------------------------------------------------------------------------------------------ bundles */

/* The forces of unit impulses of the rows, a lane each, onto links and into e (zero) of joints. */
static void push(crd_assembly *a, const crd_bundle *bundle, const crd_row *row, int rows, crd_v4 *e) {
  crd_contact_assembler *s = a->assembler;
  const crd_model *model = s->model;
  crd_tree_innovations_begin(a->work, s->path + bundle->path, bundle->links);
  for (int k = 0; row->ndof == 0 && k < 2; k++) {
    if (row->node[k] < 0) continue;
    crd_v4 wrench[6] = {{0}};
    for (int c = 0; c < 6; c++)
      for (int i = 0; i < rows; i++) wrench[c][i] = row[i].form[k][c];
    crd_tree_innovations_push(model, a->work, &s->node[row->node[k]], wrench);
  }
  if (row->ndof == 0) return;
  for (int j = 0; j < bundle->links; j++) {
    const crd_link *link = &model->link[s->path[bundle->path + j]];
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < row[i].ndof; k++) {
        const int at = crd_row_dof(&row[i], k) - link->v;
        if (at >= 0 && at < link->nv) e[at][i] += crd_row_coefficient(&row[i], k);
      }
    e += link->nv;
  }
}

/* Lanes of e' D^-1 e */
CRD_CLONES static void square(const crd_contact_assembler *s, crd_bundle *bundle) {
  const crd_v4 *e = s->entry + bundle->entry, *yields = e + bundle->nv;
  crd_v4 sum = {0};
  for (int k = 0; k < bundle->nv; k++) sum += e[k] * yields[k];
  bundle->square = sum;
}

static crd_status bundle_rows(crd_assembly *a, int first, int rows) {
  crd_contact_assembler *s = a->assembler;
  crd_row *row = &s->row[first];
  size_t links, entries;
  measure_path(s, row, rows, &links, &entries);
  crd_status status = reserve(s, links, entries);
  if (status != CRD_OK) return status;
  crd_bundle *bundle = &s->bundle[s->nbundle];
  *bundle = (crd_bundle){.path = s->path_used, .entry = s->entry_used};
  bundle->links = row->ndof > 0 ? join_paths_of_joints(s, row, rows, s->path + bundle->path)
                                : join_paths(s->model, link_of_node(s, row->node[0]), link_of_node(s, row->node[1]),
                                             s->path + bundle->path);
  for (int j = 0; j < bundle->links; j++) bundle->nv += s->model->link[s->path[bundle->path + (size_t)j]].nv;
  crd_v4 *e = s->entry + bundle->entry;
  memset(e, 0, sizeof *e * (size_t)bundle->nv);
  push(a, bundle, row, rows, e);
  crd_tree_innovations(s->model, a->work, s->path + bundle->path, bundle->links, e, e + bundle->nv);
  square(s, bundle);
  s->path_used += (size_t)bundle->links, s->entry_used += 2 * (size_t)bundle->nv;
  for (int i = 0; i < rows; i++) row[i].bundle = s->nbundle, row[i].lane = i;
  s->nbundle++;
  return CRD_OK;
}

/* Can two rows that follow each other be of one bundle? */
static bool go_together(const crd_contact_assembler *s, const crd_row *row, const crd_row *next) {
  if (row->ndof == 0 || next->ndof == 0)
    return row->ndof == next->ndof && row->node[0] == next->node[0] && row->node[1] == next->node[1];
  int tree[2], other[2];
  crd_assembly_trees(s, row, tree), crd_assembly_trees(s, next, other);
  return tree[0] == other[0] && tree[1] == other[1];
}

void crd_assembly_begin_bundles(crd_contact_assembler *s) { s->nbundle = 0, s->path_used = s->entry_used = 0; }

crd_status crd_assembly_bundle(crd_assembly *a, int first, int end) {
  const crd_contact_assembler *s = a->assembler;
  crd_status status = CRD_OK;
  for (int i = first, rows; i < end && status == CRD_OK; i += rows) {
    for (rows = 1; rows < 4 && i + rows < end && go_together(s, &s->row[i], &s->row[i + rows]);) rows++;
    status = bundle_rows(a, i, rows);
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------ products */

double crd_assembly_square(const crd_contact_assembler *s, const crd_row *row) {
  return s->bundle[row->bundle].square[row->lane];
}

void crd_assembly_combine(crd_contact_assembler *s, const crd_row *row, double x, const crd_row *other, double y) {
  crd_bundle *to = &s->bundle[row->bundle];
  const crd_bundle *from = &s->bundle[other->bundle];
  crd_v4 *e = s->entry + to->entry;
  const crd_v4 *more = s->entry + from->entry;
  for (int k = 0; k < 2 * to->nv; k++) e[k][row->lane] = x * e[k][row->lane] + y * more[k][other->lane];
  square(s, to);
}

double crd_assembly_product(const crd_contact_assembler *s, const crd_row *row_i, const crd_row *row_j) {
  const crd_bundle *a = &s->bundle[row_i->bundle], *b = &s->bundle[row_j->bundle];
  const crd_v4 *e = s->entry + a->entry, *yields = s->entry + b->entry + b->nv;
  const int *path = s->path + a->path, *end = path + a->links, *other = s->path + b->path, *last = other + b->links;
  double sum = 0;
  while (path < end && other < last) { /* what both move */
    const int nv = s->model->link[*path].nv, other_nv = s->model->link[*other].nv, ahead = *path - *other;
    for (int k = 0; ahead == 0 && k < nv; k++) sum += e[k][row_i->lane] * yields[k][row_j->lane];
    if (ahead >= 0) e += nv, path++;
    if (ahead <= 0) yields += other_nv, other++;
  }
  return sum;
}

/* Takes D^-1 e of a bundle to the velocities that they belong to; then zeros again. */
static void spread(crd_contact_assembler *s, const crd_bundle *bundle, bool clear) {
  const crd_v4 *yields = s->entry + bundle->entry + bundle->nv;
  for (int j = 0; j < bundle->links; j++) {
    const crd_link *link = &s->model->link[s->path[bundle->path + (size_t)j]];
    for (int k = 0; k < link->nv; k++) s->spread[link->v + k] = clear ? (crd_v4){0} : *yields++;
  }
}

void crd_assembly_spread(crd_contact_assembler *s, int bundle) { spread(s, &s->bundle[bundle], false); }
void crd_assembly_unspread(crd_contact_assembler *s, int bundle) { spread(s, &s->bundle[bundle], true); }

CRD_CLONES void crd_assembly_products(const crd_contact_assembler *s, int index, crd_v4 product[4]) {
  const crd_bundle *bundle = &s->bundle[index];
  const crd_v4 *e = s->entry + bundle->entry;
  crd_v4 sum[4] = {{0}};
  for (int j = 0; j < bundle->links; j++) {
    const crd_link *link = &s->model->link[s->path[bundle->path + (size_t)j]];
    const crd_v4 *x = s->spread + link->v;
    for (int k = 0; k < link->nv; k++, e++)
      for (int l = 0; l < 4; l++) sum[l] += (*e)[l] * x[k];
  }
  for (int l = 0; l < 4; l++) product[l] = sum[l];
}
