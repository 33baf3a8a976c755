/* The Delassus operator by blocks: rows in groups (a contact, a loop, a joint with dry friction), blocks between groups
 * that act on a common tree. Nothing else of W differs from zero, since trees do not move each other.
 *
 * Rows with nodes: W_ij = form_i' Lambda form_j over the nodes of their common trees [Jain, eq. 28]. Rows on joints:
 * the motion that a unit impulse causes in the tree, one solve of the length of the tree. Of each pair of groups one
 * computes the block, the other has its transpose. Cost and memory: those of the blocks, and O(N).
 */
#include <string.h>

#include "contact/assemble.h"

/* ------------------------------------------------------------------------------------------------ groups */

static bool starts_group(const crd_assembly *a, int row) {
  const crd_row *r = &a->assembler->row[row];
  return row == a->nrow || row >= a->rows || r->loop != r[-1].loop;
}

/* First rows of the groups; returns their number. */
static int group_rows(const crd_assembly *a, int rows, int *first_row) {
  int groups = 0;
  for (int c = 0; c < a->nc; c++) first_row[groups++] = a->assembler->contact[c].row;
  for (int i = a->nrow; i < rows; i++)
    if (starts_group(a, i)) first_row[groups++] = i;
  first_row[groups] = rows;
  return groups;
}

static int tree_of_body(const crd_contact_assembler *s, int body) {
  int link = s->model->body[body].link;
  return link < 0 ? -1 : s->root[link];
}

/* First links of the trees that a row acts on, of which there are at most two. */
static void find_trees(const crd_contact_assembler *s, const crd_row *row, int tree[2]) {
  tree[0] = tree[1] = -1;
  int count = row->ndof > 0 ? row->ndof : 2;
  for (int k = 0; k < count; k++) {
    int t = row->ndof > 0 ? s->root[s->model->dof_link[row->dof[k]]] : tree_of_body(s, row->body[k]);
    if (t < 0 || t == tree[0]) continue;
    tree[tree[0] < 0 ? 0 : 1] = t;
  }
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

/* What a unit impulse of a row on joints does to the nodes of its trees, and the velocities x of their joints. */
static void move_trees(crd_assembly *a, const crd_row *row, const int tree[2], double *x) {
  crd_contact_assembler *s = a->assembler;
  const crd_model *model = s->model;
  double *unit = s->entries;
  for (int t = 0; t < 2 && tree[t] >= 0; t++) {
    int first = tree[t], last = s->last_of_root[first], v = model->link[first].v;
    memset(unit + v, 0, sizeof *unit * (size_t)(model->link[last].v + model->link[last].nv - v));
  }
  for (int k = 0; k < row->ndof; k++) unit[row->dof[k]] += row->coefficient[k];
  for (int t = 0; t < 2 && tree[t] >= 0; t++) {
    crd_tree_solve_trees(model, a->work, tree[t], s->last_of_root[tree[t]], unit, x);
    const crd_node_block *nodes = crd_compliance_of_tree(s, tree[t]);
    for (int n = 0; nodes && n < nodes->count; n++) {
      int member = s->member[nodes->first + n];
      crd_tree_response_at(model, a->work, &s->node[member], s->node_motion + 6 * member);
    }
  }
}

/* Velocity of a row while the trees move and all others rest. */
static double velocity_in(const crd_contact_assembler *s, const crd_row *row, const int tree[2], const double *x) {
  double sum = 0;
  for (int k = 0; k < row->ndof; k++) {
    int t = s->root[s->model->dof_link[row->dof[k]]];
    if (t == tree[0] || t == tree[1]) sum += row->coefficient[k] * x[row->dof[k]];
  }
  for (int k = 0; row->ndof == 0 && k < 2; k++) {
    int node = row->node[k], t = node < 0 ? -1 : s->block[s->block_of_node[node]].root;
    if (t < 0 || (t != tree[0] && t != tree[1])) continue;
    const double *f = row->form[k], *V = s->node_motion + 6 * node;
    sum += f[0] * V[0] + f[1] * V[1] + f[2] * V[2] + f[3] * V[3] + f[4] * V[4] + f[5] * V[5];
  }
  return sum;
}

static bool is_on_joints(const crd_contact_assembler *s, const crd_block_arrays *W, int group) {
  return s->row[W->first_row[group]].ndof > 0;
}

/* Does group g compute its block with group h? A row with nodes does not know how it moves joints. */
static bool computes(const crd_contact_assembler *s, const crd_block_arrays *W, int g, int h) {
  bool joints = is_on_joints(s, W, g), other = is_on_joints(s, W, h);
  return joints == other ? h <= g : joints;
}

/* Rows on joints, one by one. */
static void fill_by_joints(crd_assembly *a, const crd_block_arrays *W, int g, double *x) {
  crd_contact_assembler *s = a->assembler;
  const int *tree = s->group_tree + 2 * g;
  for (int i = W->first_row[g]; i < W->first_row[g + 1]; i++) {
    move_trees(a, &s->row[i], tree, x);
    for (int k = W->first[g]; k < W->first[g + 1]; k++) {
      int h = W->column[k], first = W->first_row[h], columns = W->first_row[h + 1] - first;
      if (!computes(s, W, g, h)) continue;
      double *line = W->value + W->offset[k] + (size_t)columns * (size_t)(i - W->first_row[g]);
      for (int j = 0; j < columns; j++) line[j] = velocity_in(s, &s->row[first + j], tree, x);
    }
  }
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

/* Block of the rows in the lanes with the rows of group h, which acts on nodes as well. */
CRD_ALWAYS_INLINE void fill_block(const crd_contact_assembler *s, const int tree[2], const crd_row *row, int columns,
                                  int lanes, double *block) {
  const crd_v4 *V[2];
  for (int l = 0; l < 2; l++) {
    int t = row->node[l] < 0 ? -1 : s->block[s->block_of_node[row->node[l]]].root;
    V[l] = t >= 0 && (t == tree[0] || t == tree[1]) ? s->lane_motion + 6 * row->node[l] : NULL;
  }
  for (int j = 0; j < columns; j++) {
    crd_v4 sum = {0};
    for (int l = 0; l < 2; l++)
      for (int c = 0; V[l] && c < 6; c++) sum += row[j].form[l][c] * V[l][c];
    for (int i = 0; i < lanes; i++) block[columns * i + j] = sum[i];
  }
}

/* Rows with nodes, which all rows of a group share, four at a time. */
CRD_CLONES static void fill_by_nodes(crd_assembly *a, const crd_block_arrays *W, int g) {
  crd_contact_assembler *s = a->assembler;
  const int *tree = s->group_tree + 2 * g;
  int last = W->first_row[g + 1];
  for (int i = W->first_row[g]; i < last; i += 4) {
    int lanes = last - i < 4 ? last - i : 4, past = i - W->first_row[g];
    move_together(s, i, lanes, tree);
    for (int k = W->first[g]; k < W->first[g + 1] && W->column[k] <= g; k++) {
      int h = W->column[k], first = W->first_row[h], columns = W->first_row[h + 1] - first;
      if (!is_on_joints(s, W, h))
        fill_block(s, tree, &s->row[first], columns, lanes, W->value + W->offset[k] + (size_t)(columns * past));
    }
  }
}

static void transpose(int rows, int columns, const double *from, double *to) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) to[rows * j + i] = from[columns * i + j];
}

/* W is symmetric: the pattern is, and running down the rows meets the blocks above the diagonal of each column in their
 * order. next: scratch, one per group. */
static void mirror(const crd_contact_assembler *s, const crd_block_arrays *W, int groups, int *next) {
  for (int g = 0; g < groups; g++) {
    int rows = W->first_row[g + 1] - W->first_row[g], k = W->first[g];
    for (; W->column[k] < g; k++) {
      int h = W->column[k], other = next[h]++, columns = W->first_row[h + 1] - W->first_row[h];
      double *below = W->value + W->offset[k], *above = W->value + W->offset[other];
      if (computes(s, W, g, h))
        transpose(rows, columns, below, above);
      else
        transpose(columns, rows, above, below);
    }
    double *own = W->value + W->offset[k]; /* rounding: symmetric to the last bit but one */
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < i; j++) own[rows * j + i] = own[rows * i + j];
    next[g] = k + 1;
  }
}

/* ------------------------------------------------------------------------------------------------ all */

/* Dry friction as rows behind those of J. */
static crd_status add_dry_rows(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  s->dry = 0;
  if (!a->options->dry_friction) return CRD_OK;
  crd_status status = crd_problem_add_dry_rows(problem, s->nrubbing);
  if (status != CRD_OK) return status;
  s->dry = s->nrubbing;
  for (int i = 0; i < s->dry; i++) {
    int dof = s->rubbing[i];
    s->row[a->rows + i] = (crd_row){.node = {-1, -1}, .ndof = 1, .dof = {dof}, .coefficient = {1}};
    problem->dry[i] = (crd_dry_friction){dof, s->model->dof_frictionloss[dof]};
    problem->u_dry[i] = a->qvel[dof];
  }
  return CRD_OK;
}

crd_status crd_assembly_blocks(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  crd_block_arrays W;
  crd_status status = add_dry_rows(a, problem);
  if (status != CRD_OK) return status;
  int rows = a->rows + s->dry, *first_row = s->next_row; /* which only the dense W needs */
  int groups = group_rows(a, rows, first_row);
  for (int g = 0; g < groups; g++) find_trees(s, &s->row[first_row[g]], s->group_tree + 2 * g);
  list_by_trees(s, groups);
  size_t blocks, entries;
  count_blocks(s, groups, first_row, &blocks, &entries);
  status = crd_problem_add_blocks(problem, groups, blocks, entries, &W);
  if (status != CRD_OK) return status;
  memcpy(W.first_row, first_row, sizeof *first_row * (size_t)(groups + 1));
  lay_out(s, groups, &W);
  for (int g = 0; g < groups; g++) {
    if (is_on_joints(s, &W, g))
      fill_by_joints(a, &W, g, s->entries + s->model->nv);
    else
      fill_by_nodes(a, &W, g);
  }
  mirror(s, &W, groups, s->next_row);
  return CRD_OK;
}
