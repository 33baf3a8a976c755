/* The Delassus operator W = J M^-1 J' = D' Q Lambda Q' D [Jain, eq. 28], by blocks, from the innovations of the rows
 * (src/contact/innovations.c). Consecutive rows that act on the same trees are a group, and there are blocks between
 * groups that act on a common tree. Nothing else of W differs from zero, since trees do not move each other. A robot on its
 * floor is one group, a heap of balls has one for each contact.
 *
 * Of each pair of rows one computes the entry, the other has it transposed. Cost and memory: those of the blocks, and of
 * the links that the rows move.
 */
#include <string.h>

#include "contact/assemble.h"

/* ------------------------------------------------------------------------------------------------ groups */

/* Rows that follow each other and act on the same trees become one group: the first row of each, and its trees. Returns
 * their number. */
static int list_groups(crd_contact_assembler *s, int rows, int *first_row) {
  int groups = 0;
  for (int i = 0; i < rows; i++) {
    int tree[2], *last = s->group_tree + 2 * (groups - 1);
    if (i > 0 && s->row[i].bundle == s->row[i - 1].bundle) continue;
    crd_assembly_trees(s, &s->row[i], tree);
    if (groups > 0 && last[0] == tree[0] && last[1] == tree[1]) continue;
    first_row[groups] = i;
    s->group_tree[2 * groups] = tree[0], s->group_tree[2 * groups + 1] = tree[1];
    groups++;
  }
  first_row[groups] = rows;
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

/* The rows from `first` on, up to `end`, that are of its bundle; returns the one behind them. */
static int end_of_bundle(const crd_contact_assembler *s, int first, int end) {
  int i = first + 1;
  while (i < end && s->row[i].bundle == s->row[first].bundle) i++;
  return i;
}

/* Entries of some rows of a bundle that is spread with others of another bundle, on and below the diagonal. */
static void fill_tile(const crd_contact_assembler *s, int first, int end, int column, int columns_end, size_t stride,
                      double *block) {
  crd_v4 product[4];
  crd_assembly_products(s, s->row[column].bundle, product);
  for (int i = first; i < end; i++, block += stride)
    for (int j = column; j < columns_end && j <= i; j++) block[j - column] = product[s->row[j].lane][s->row[i].lane];
}

/* Block row g up to its diagonal. */
static void fill_lower(crd_contact_assembler *s, const crd_block_arrays *W, int g) {
  for (int i = W->first_row[g], end; i < W->first_row[g + 1]; i = end) {
    end = end_of_bundle(s, i, W->first_row[g + 1]);
    crd_assembly_spread(s, s->row[i].bundle);
    for (int k = W->first[g]; k < W->first[g + 1] && W->column[k] <= g; k++) {
      const int h = W->column[k], first = W->first_row[h], last = h == g ? end : W->first_row[h + 1];
      const size_t stride = (size_t)(W->first_row[h + 1] - first);
      double *line = W->value + W->offset[k] + stride * (size_t)(i - W->first_row[g]);
      for (int j = first, next; j < last; j = next) {
        next = end_of_bundle(s, j, last);
        fill_tile(s, i, end, j, next, stride, line + (j - first));
      }
    }
    crd_assembly_unspread(s, s->row[i].bundle);
  }
}

/* The rows of a list, from `first` on, that are of its bundle; returns the one behind them. */
static int end_of_listed(const crd_contact_assembler *s, const int *row, int first, int count) {
  int i = first + 1;
  while (i < count && s->row[row[i]].bundle == s->row[row[first]].bundle) i++;
  return i;
}

void crd_assembly_gram(crd_contact_assembler *s, const int *row, int count, double *W) {
  const size_t m = (size_t)count;
  crd_v4 product[4];
  for (int first = 0, end; first < count; first = end) {
    const int bundle = s->row[row[first]].bundle;
    end = end_of_listed(s, row, first, count);
    crd_assembly_spread(s, bundle);
    for (int column = 0, next; column < end; column = next) {
      next = end_of_listed(s, row, column, end);
      crd_assembly_products(s, s->row[row[column]].bundle, product);
      for (size_t i = (size_t)first; i < (size_t)end; i++)
        for (size_t j = (size_t)column; j < (size_t)next && j <= i; j++)
          W[m * i + j] = W[m * j + i] = product[s->row[row[j]].lane][s->row[row[i]].lane];
    }
    crd_assembly_unspread(s, bundle);
  }
}

/* W is symmetric: the pattern is, and running down the rows meets the blocks above the diagonal of each column in their
 * order. next: scratch, one per group. */
static void mirror(const crd_block_arrays *W, int groups, int *next) {
  for (int g = 0; g < groups; g++)
    for (int k = W->first[g]; k < W->first[g + 1] && W->column[k] <= g; k++) {
      const int h = W->column[k], l = h == g ? k : next[h]++;
      const size_t rows = (size_t)(W->first_row[g + 1] - W->first_row[g]),
                   columns = (size_t)(W->first_row[h + 1] - W->first_row[h]);
      const double *below = W->value + W->offset[k];
      double *above = W->value + W->offset[l];
      for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < (h == g ? i : columns); j++) above[rows * j + i] = below[columns * i + j];
      if (h == g) next[g] = k + 1;
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

/* Rows that are in no bundle yet: of limits and dry friction. */
static crd_status bundle_rest(crd_assembly *a, int rows) {
  const crd_row *row = a->assembler->row;
  crd_status status = CRD_OK;
  for (int i = 0, end; i < rows && status == CRD_OK; i = end) {
    for (end = i; end < rows && row[end].bundle < 0;) end++;
    status = crd_assembly_bundle(a, i, end);
    if (end == i) end++;
  }
  return status;
}

crd_status crd_assembly_delassus(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  crd_block_arrays W;
  crd_status status = add_dry_rows(a, problem);
  int rows = a->rows + s->dry, *first_row = s->group_row;
  if (status == CRD_OK) status = bundle_rest(a, rows);
  if (status != CRD_OK) return status;
  int groups = list_groups(s, rows, first_row);
  list_by_trees(s, groups);
  size_t blocks, entries;
  count_blocks(s, groups, first_row, &blocks, &entries);
  status = crd_problem_add_blocks(problem, groups, blocks, entries, &W);
  if (status != CRD_OK) return status;
  memcpy(W.first_row, first_row, sizeof *first_row * (size_t)(groups + 1));
  lay_out(s, groups, &W);
  for (int g = 0; g < groups; g++) fill_lower(s, &W, g);
  mirror(&W, groups, s->group_row);
  if (!a->options->blocks) make_dense(problem, a->rows);
  return CRD_OK;
}
