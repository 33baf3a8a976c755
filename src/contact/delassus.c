/* The Delassus operator W = J M^-1 J' = D' Q Lambda Q' D [Jain, eq. 28], by blocks: Lambda is the operational-space
 * compliance of one node per link that takes part, from the O(N) recursion, and the forms of the rows are D' Q. Rows come in units (a contact, a loop, a joint with dry friction), consecutive units
 * that act on the same trees are a group, and there are blocks between groups that act on a common tree. Nothing else
 * of W differs from zero, since trees do not move each other. A robot on its floor is one group, a heap of balls has one
 * for each contact.
 *
 * Rows with nodes: W_ij = form_i' Lambda form_j over the nodes of their common trees [Jain, eq. 28]. Rows on joints:
 * the motion that unit impulses cause in the tree, one solve of the length of the tree for four of them. Of each pair of units one
 * computes the entries, the other has them transposed. Cost and memory: those of the blocks, and O(N).
 */
#include <string.h>

#include "contact/assemble.h"
#include "tree/lanes.h"

/* ------------------------------------------------------------------------------------------------ units, groups */

static bool starts_unit(const crd_assembly *a, int row) {
  const crd_row *r = &a->assembler->row[row];
  return row == a->nrow || row >= a->rows || r->loop != r[-1].loop;
}

/* First rows of the units; returns their number. */
static int list_units(const crd_assembly *a, int rows, int *first_row) {
  int units = 0;
  for (int c = 0; c < a->nc; c++) first_row[units++] = a->assembler->contact[c].row;
  for (int i = a->nrow; i < rows; i++)
    if (starts_unit(a, i)) first_row[units++] = i;
  first_row[units] = rows;
  return units;
}

static int tree_of_body(const crd_contact_assembler *s, int body) {
  int link = s->model->body[body].link;
  return link < 0 ? -1 : s->root[link];
}

/* First links of the trees that a row acts on, of which there are at most two, the lower one first. */
static void find_trees(const crd_contact_assembler *s, const crd_row *row, int tree[2]) {
  tree[0] = tree[1] = -1;
  int count = row->ndof > 0 ? row->ndof : 2;
  for (int k = 0; k < count; k++) {
    int t = row->ndof > 0 ? s->root[s->model->dof_link[crd_row_dof(row, k)]] : tree_of_body(s, row->body[k]);
    if (t < 0 || t == tree[0]) continue;
    tree[tree[0] < 0 ? 0 : 1] = t;
  }
  if (tree[1] < 0 || tree[0] < tree[1]) return;
  int other = tree[0];
  tree[0] = tree[1], tree[1] = other;
}

/* Units that follow each other and act on the same trees become one group: the first unit of each, and its trees.
 * Returns their number. */
static int list_groups(crd_contact_assembler *s, const int *unit_row, int units, int *first_unit) {
  int groups = 0;
  for (int u = 0; u < units; u++) {
    int tree[2], *last = s->group_tree + 2 * (groups - 1);
    find_trees(s, &s->row[unit_row[u]], tree);
    if (groups > 0 && last[0] == tree[0] && last[1] == tree[1]) continue;
    first_unit[groups] = u;
    s->group_tree[2 * groups] = tree[0], s->group_tree[2 * groups + 1] = tree[1];
    groups++;
  }
  first_unit[groups] = units;
  return groups;
}

/* Groups of each tree, ascending. */
static void list_by_trees(crd_contact_assembler *s, int groups) {
  int *first = s->groups_of_root, nlink = s->model->nlink;
  memset(first, 0, sizeof *first * (size_t)(nlink + 1));
  for (int k = 0; k < 2 * groups; k++)
    if (s->group_tree[k] >= 0) first[s->group_tree[k] + 1]++;
  for (int t = 0; t < nlink; t++) first[t + 1] += first[t];
  for (int k = 0; k < 2 * groups; k++)
    if (s->group_tree[k] >= 0) s->tree_group[first[s->group_tree[k]]++] = k / 2;
  for (int t = nlink; t > 0; t--) first[t] = first[t - 1];
  first[0] = 0;
}

/* Most blocks and entries that the groups can have: those of one tree, then of the other. */
static void count_blocks(const crd_contact_assembler *s, int groups, const int *first_row, size_t *blocks,
                         size_t *entries) {
  *blocks = *entries = 0;
  for (int k = 0; k < 2 * groups; k++) {
    int t = s->group_tree[k], g = k / 2;
    if (t < 0) continue;
    size_t rows = (size_t)(first_row[g + 1] - first_row[g]);
    *blocks += (size_t)(s->groups_of_root[t + 1] - s->groups_of_root[t]);
    for (int i = s->groups_of_root[t]; i < s->groups_of_root[t + 1]; i++) {
      int h = s->tree_group[i];
      *entries += rows * (size_t)(first_row[h + 1] - first_row[h]);
    }
  }
}

/* Columns of block row g: the groups of its trees, merged. */
static int merge_columns(const crd_contact_assembler *s, int g, int *column) {
  const int *tree = s->group_tree + 2 * g, *at[2], *end[2];
  int count = 0;
  for (int k = 0; k < 2; k++) {
    at[k] = end[k] = s->tree_group;
    if (tree[k] >= 0) at[k] += s->groups_of_root[tree[k]], end[k] += s->groups_of_root[tree[k] + 1];
  }
  while (at[0] < end[0] || at[1] < end[1]) {
    bool second = at[0] == end[0] || (at[1] < end[1] && *at[1] < *at[0]);
    int h = *at[second];
    for (int k = 0; k < 2; k++)
      if (at[k] < end[k] && *at[k] == h) at[k]++;
    column[count++] = h;
  }
  return count;
}

static void lay_out(const crd_contact_assembler *s, int groups, crd_block_arrays *W) {
  size_t offset = 0;
  W->first[0] = 0;
  for (int g = 0; g < groups; g++) {
    int rows = W->first_row[g + 1] - W->first_row[g], first = W->first[g];
    W->first[g + 1] = first + merge_columns(s, g, W->column + first);
    for (int k = first; k < W->first[g + 1]; k++) {
      int h = W->column[k];
      W->offset[k] = offset;
      offset += (size_t)rows * (size_t)(W->first_row[h + 1] - W->first_row[h]);
    }
  }
}

/* ------------------------------------------------------------------------------------------------ entries */

/* The units of the problem and the groups that they form. */
typedef struct layout {
  const int *unit_row;   /* units + 1: first row of each */
  const int *first_unit; /* groups + 1: first unit of each */
  int groups;
  const crd_block_arrays *W;
} layout;

static bool is_on_joints(const crd_contact_assembler *s, const layout *at, int unit) {
  return s->row[at->unit_row[unit]].ndof > 0;
}

/* Does unit u compute its entries with unit v? A row with nodes does not know how it moves joints. */
static bool computes(const crd_contact_assembler *s, const layout *at, int u, int v) {
  bool joints = is_on_joints(s, at, u), other = is_on_joints(s, at, v);
  return joints == other ? v <= u : joints;
}

/* Entry (row, column) of block k, which belongs to group g. */
static double *entry_of(const layout *at, int g, int k, int row, int column) {
  const int *first_row = at->W->first_row, h = at->W->column[k];
  return at->W->value + at->W->offset[k] + (size_t)(first_row[h + 1] - first_row[h]) * (size_t)(row - first_row[g]) +
         (column - first_row[h]);
}

/* Motions of the nodes in the trees of the group for unit impulses of `count` rows from `first` on, a lane each:
 * Lambda form'. */
CRD_ALWAYS_INLINE void move_together(crd_contact_assembler *s, int first, int count, const int tree[2]) {
  crd_v4 *motion = s->lane_motion;
  const crd_row *row = &s->row[first];
  for (int t = 0; t < 2 && tree[t] >= 0; t++) {
    const crd_node_block *nodes = crd_compliance_of_tree(s, tree[t]);
    for (int n = 0; n < nodes->count; n++) memset(motion + 6 * s->member[nodes->first + n], 0, 6 * sizeof *motion);
  }
  for (int k = 0; k < 2; k++) {
    if (row->node[k] < 0) continue;
    const crd_node_block *nodes = &s->block[s->block_of_node[row->node[k]]];
    size_t size;
    const double *line = crd_compliance_of_node(s, row->node[k], &size);
    crd_v4 form[6] = {{0}};
    for (int c = 0; c < 6; c++)
      for (int i = 0; i < count; i++) form[c][i] = row[i].form[k][c];
    for (int n = 0; n < nodes->count; n++, line += 6) {
      crd_v4 *V = motion + 6 * s->member[nodes->first + n];
      for (size_t j = 0; j < 6; j++)
        for (size_t c = 0; c < 6; c++) V[j] += line[size * c + j] * form[c];
    }
  }
}

/* Entries of the rows in the lanes with the rows of another unit that acts on nodes; the lanes are `stride` apart. */
CRD_ALWAYS_INLINE void fill_block(const crd_contact_assembler *s, const int tree[2], const crd_row *row, int columns,
                                  int lanes, size_t stride, double *block) {
  const crd_v4 *V[2];
  for (int l = 0; l < 2; l++) {
    int t = row->node[l] < 0 ? -1 : s->block[s->block_of_node[row->node[l]]].root;
    V[l] = t >= 0 && (t == tree[0] || t == tree[1]) ? s->lane_motion + 6 * row->node[l] : NULL;
  }
  for (int j = 0; j < columns; j++) {
    crd_v4 sum = {0};
    for (int l = 0; l < 2; l++)
      for (int c = 0; V[l] && c < 6; c++) sum += row[j].form[l][c] * V[l][c];
    for (int i = 0; i < lanes; i++) block[stride * (size_t)i + (size_t)j] = sum[i];
  }
}

/* Motions of joints (lanes x) and nodes in the trees of the group for unit impulses of `count` rows on joints. */
static void move_joints(crd_assembly *a, int first, int count, const int tree[2]) {
  crd_contact_assembler *s = a->assembler;
  const crd_model *model = s->model;
  crd_v4 *x = s->lane_velocity;
  for (int t = 0; t < 2 && tree[t] >= 0; t++) {
    int root = tree[t], last = s->last_of_root[root], deepest = root, v = model->link[root].v;
    memset(x + v, 0, sizeof *x * (size_t)(model->link[last].v + model->link[last].nv - v));
    for (int i = 0; i < count; i++)
      for (int k = 0; k < s->row[first + i].ndof; k++) {
        int dof = crd_row_dof(&s->row[first + i], k), link = model->dof_link[dof];
        if (s->root[link] != root) continue;
        x[dof][i] += crd_row_coefficient(&s->row[first + i], k);
        if (link > deepest) deepest = link;
      }
    crd_tree_solve_lanes(model, a->work, root, last, deepest, x);
    const crd_node_block *nodes = crd_compliance_of_tree(s, root);
    for (int n = 0; nodes && n < nodes->count; n++) {
      int member = s->member[nodes->first + n];
      crd_tree_lanes_at(model, a->work, &s->node[member], s->lane_motion + 6 * member);
    }
  }
}

/* Velocity of a row on joints while the trees move as in the lanes and all others rest. */
static crd_v4 joint_velocity(const crd_contact_assembler *s, const crd_row *row, const int tree[2]) {
  crd_v4 sum = {0};
  for (int k = 0; k < row->ndof; k++) {
    int t = s->root[s->model->dof_link[crd_row_dof(row, k)]];
    if (t == tree[0] || t == tree[1]) sum += crd_row_coefficient(row, k) * s->lane_velocity[crd_row_dof(row, k)];
  }
  return sum;
}

/* Rows of units on joints, from `unit` on, four at a time. Returns the unit behind those done. */
static int fill_by_joints(crd_assembly *a, const layout *at, int g, int unit) {
  crd_contact_assembler *s = a->assembler;
  const int *tree = s->group_tree + 2 * g;
  int first = at->unit_row[unit], end = unit + 1; /* each has one row */
  while (end < at->first_unit[g + 1] && end < unit + 4 && is_on_joints(s, at, end)) end++;
  move_joints(a, first, end - unit, tree);
  for (int k = at->W->first[g]; k < at->W->first[g + 1]; k++) {
    int h = at->W->column[k];
    size_t stride = (size_t)(at->W->first_row[h + 1] - at->W->first_row[h]);
    for (int v = at->first_unit[h]; v < at->first_unit[h + 1]; v++) {
      if (!computes(s, at, end - 1, v)) continue;
      const crd_row *row = &s->row[at->unit_row[v]];
      double *block = entry_of(at, g, k, first, at->unit_row[v]);
      if (row->ndof == 0) {
        fill_block(s, tree, row, at->unit_row[v + 1] - at->unit_row[v], end - unit, stride, block);
        continue;
      }
      crd_v4 velocity = joint_velocity(s, row, tree);
      for (int i = 0; i < end - unit; i++) block[stride * (size_t)i] = velocity[i];
    }
  }
  return end;
}

/* Rows of a unit with nodes, which they share, four at a time. */
CRD_CLONES static void fill_by_nodes(crd_assembly *a, const layout *at, int g, int unit) {
  crd_contact_assembler *s = a->assembler;
  const int *tree = s->group_tree + 2 * g;
  int last = at->unit_row[unit + 1];
  for (int i = at->unit_row[unit]; i < last; i += 4) {
    int lanes = last - i < 4 ? last - i : 4;
    move_together(s, i, lanes, tree);
    for (int k = at->W->first[g]; k < at->W->first[g + 1] && at->W->column[k] <= g; k++) {
      int h = at->W->column[k];
      size_t stride = (size_t)(at->W->first_row[h + 1] - at->W->first_row[h]);
      for (int v = at->first_unit[h]; v < at->first_unit[h + 1] && v <= unit; v++)
        if (!is_on_joints(s, at, v))
          fill_block(s, tree, &s->row[at->unit_row[v]], at->unit_row[v + 1] - at->unit_row[v], lanes, stride,
                     entry_of(at, g, k, i, at->unit_row[v]));
    }
  }
}

/* Rows first .. first + count - 1, at most four, that act on the same nodes. */
static int lanes_from(const crd_contact_assembler *s, const int *row, int first, int count) {
  int lanes = 1;
  while (lanes < 4 && first + lanes < count && row[first + lanes] == row[first] + lanes &&
         s->row[row[first + lanes]].node[0] == s->row[row[first]].node[0] &&
         s->row[row[first + lanes]].node[1] == s->row[row[first]].node[1])
    lanes++;
  return lanes;
}

CRD_CLONES void crd_assembly_gram(crd_contact_assembler *s, const int *row, int count, double *W) {
  size_t m = (size_t)count;
  memset(W, 0, sizeof *W * m * m);
  for (int i = 0, lanes; i < count; i += lanes) {
    int tree[2];
    lanes = lanes_from(s, row, i, count);
    find_trees(s, &s->row[row[i]], tree);
    move_together(s, row[i], lanes, tree);
    for (int j = 0, columns; j < i + lanes; j += columns) {
      columns = lanes_from(s, row, j, count);
      fill_block(s, tree, &s->row[row[j]], columns, lanes, m, W + m * (size_t)i + (size_t)j);
    }
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < i; j++) W[m * j + i] = W[m * i + j];
}

/* Copies the entries of units u and v, computed by one of them, to where the other has them; blocks k of group g and l
 * of group h. */
static void mirror_units(const crd_contact_assembler *s, const layout *at, int g, int k, int u, int h, int l, int v) {
  int rows = at->unit_row[u + 1] - at->unit_row[u], columns = at->unit_row[v + 1] - at->unit_row[v];
  const int *first_row = at->W->first_row;
  size_t stride = (size_t)(first_row[h + 1] - first_row[h]), turned = (size_t)(first_row[g + 1] - first_row[g]);
  double *below = entry_of(at, g, k, at->unit_row[u], at->unit_row[v]);
  double *above = entry_of(at, h, l, at->unit_row[v], at->unit_row[u]);
  bool down = computes(s, at, u, v);
  for (int i = 0; i < rows; i++, below += stride, above++)
    for (int j = 0; j < (u == v ? i : columns); j++) { /* within a unit: rounding leaves the last bit but one */
      double *there = above + turned * (size_t)j;
      if (down)
        *there = below[j];
      else
        below[j] = *there;
    }
}

/* W is symmetric: the pattern is, and running down the rows meets the blocks above the diagonal of each column in their
 * order. next: scratch, one per group. */
static void mirror(const crd_contact_assembler *s, const layout *at, int *next) {
  for (int g = 0; g < at->groups; g++) {
    int k = at->W->first[g];
    for (; at->W->column[k] < g; k++) {
      int h = at->W->column[k], l = next[h]++;
      for (int u = at->first_unit[g]; u < at->first_unit[g + 1]; u++)
        for (int v = at->first_unit[h]; v < at->first_unit[h + 1]; v++) mirror_units(s, at, g, k, u, h, l, v);
    }
    for (int u = at->first_unit[g]; u < at->first_unit[g + 1]; u++)
      for (int v = at->first_unit[g]; v <= u; v++) mirror_units(s, at, g, k, u, g, k, v);
    next[g] = k + 1;
  }
}

/* ------------------------------------------------------------------------------------------------ all */

/* Dry friction as rows behind those of J. */
static crd_status add_dry_rows(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  s->dry = 0;
  if (!a->options->dry_friction) return CRD_OK;
  crd_status status = a->options->blocks ? crd_problem_add_dry_rows(problem, s->part->nrubbing)
                                         : crd_contact_problem_add_dry_friction(problem, s->part->nrubbing);
  if (status != CRD_OK) return status;
  s->dry = s->part->nrubbing;
  for (int i = 0; i < s->dry; i++) {
    const int rubbing = s->part->rubbing[i], tendon = rubbing - s->model->nv;
    crd_row *row = &s->row[a->rows + i];
    *row = crd_assembly_dry_row(a, rubbing);
    problem->dry[i] = (crd_dry_friction){
        rubbing, tendon < 0 ? s->model->dof_frictionloss[rubbing] : s->model->tendon[tendon].frictionloss};
    problem->u_dry[i] = crd_row_of_joints(row, a->qvel);
  }
  return CRD_OK;
}

/* W and W_dry from the blocks, which are then the problem's no longer. */
static void make_dense(crd_contact_problem *problem, int rows) {
  const crd_blocks *blocks = problem->blocks;
  size_t m = (size_t)rows, stride = m + (size_t)problem->nf;
  memset(problem->W, 0, sizeof *problem->W * m * m);
  if (problem->nf > 0) memset(problem->W_dry, 0, sizeof *problem->W_dry * (size_t)problem->nf * stride);
  for (int g = 0; g < blocks->ngroup; g++)
    for (int k = blocks->first[g]; k < blocks->first[g + 1]; k++) {
      int first = blocks->first_row[blocks->column[k]], columns = blocks->first_row[blocks->column[k] + 1] - first;
      const double *line = blocks->value + blocks->offset[k];
      for (int i = blocks->first_row[g]; i < blocks->first_row[g + 1]; i++, line += columns) {
        int within = i >= rows ? columns : first + columns > rows ? rows - first : columns;
        double *to = i < rows ? problem->W + m * (size_t)i : problem->W_dry + stride * (size_t)(i - rows);
        if (within > 0) memcpy(to + first, line, sizeof *to * (size_t)within);
      }
    }
  problem->blocks = NULL;
}

crd_status crd_assembly_delassus(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  crd_block_arrays W;
  crd_status status = add_dry_rows(a, problem);
  if (status != CRD_OK) return status;
  int rows = a->rows + s->dry, *unit_row = s->unit_row, *first_unit = s->first_unit;
  int units = list_units(a, rows, unit_row), groups = list_groups(s, unit_row, units, first_unit);
  int *first_row = s->group_row;
  for (int g = 0; g <= groups; g++) first_row[g] = unit_row[first_unit[g]];
  list_by_trees(s, groups);
  size_t blocks, entries;
  count_blocks(s, groups, first_row, &blocks, &entries);
  status = crd_problem_add_blocks(problem, groups, blocks, entries, &W);
  if (status != CRD_OK) return status;
  memcpy(W.first_row, first_row, sizeof *first_row * (size_t)(groups + 1));
  lay_out(s, groups, &W);
  const layout at = {unit_row, first_unit, groups, &W};
  for (int g = 0; g < groups; g++)
    for (int u = first_unit[g]; u < first_unit[g + 1];) {
      if (is_on_joints(s, &at, u))
        u = fill_by_joints(a, &at, g, u);
      else
        fill_by_nodes(a, &at, g, u++);
    }
  mirror(s, &at, s->group_row);
  if (!a->options->blocks) make_dense(problem, a->rows);
  return CRD_OK;
}
