/* Depth-first search over complementary pieces. At each node the pair that is violated most at the dictionary's vertex
 * is decided, so that branches die early; a branch dies when no z, y >= 0 with its decisions exist (a linear
 * feasibility problem, repaired from the parent's dictionary by a few pivots). Leaves are exactly the choices with
 * nonempty polyhedron: singular bases are leaves with free columns left, never skipped. */
#include "lcp/search.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"

bool lcp_search_allocate(lcp_search *search, int n, crd_arena *arena) {
  search->n = n;
  if (CRD_TAKE(arena, CRD_ARRAY(search->level, n + 2), CRD_MATRIX(search->line, n, n), CRD_ARRAY(search->decided, n),
               CRD_ARRAY(search->basis, n)))
    return false;
  for (int k = 0; k < n + 2; k++) {
    void *memory = crd_arena_alloc(arena, lcp_dictionary_size(n), 1);
    if (!memory) return false;
    lcp_dictionary_place(&search->level[k], n, memory);
  }
  return true;
}

static void load(lcp_search *search, crd_lcp_work *work) {
  lcp_dictionary *root = &search->level[0];
  int n = work->n;
  lcp_need_scales(work);
  lcp_dictionary_place(root, n, root->row_var);
  for (int k = 1; k < n + 2; k++) lcp_dictionary_place(&search->level[k], n, search->level[k].row_var);
  root->rows = root->cols = n;
  root->is_free = work->is_free;
  for (int i = 0; i < n; i++) {
    double *a = lcp_dictionary_row(root, i);
    for (int j = 0; j < n; j++) a[j] = work->W[(ptrdiff_t)i * work->ld + j] * work->row_scale[i] * work->col_scale[j];
    a[n] = work->w[i] * work->row_scale[i] * work->w_scale;
    root->row_var[i] = i;
    root->col_var[i] = n + i;
  }
}

/* Free variables that move nothing: directions, and then they are held at zero. */
static void take_lines(lcp_search *search, lcp_dictionary *root) {
  int n = root->n;
  search->lines = 0;
  for (int j = root->cols - 1; j >= 0; j--) {
    if (!lcp_dictionary_unsigned(root, root->col_var[j])) continue;
    double *line = search->line + (ptrdiff_t)search->lines++ * n;
    memset(line, 0, sizeof(double) * (size_t)n);
    line[root->col_var[j] - n] = 1;
    for (int i = 0; i < root->rows; i++)
      if (root->row_var[i] >= n) line[root->row_var[i] - n] = lcp_dictionary_row(root, i)[j];
    lcp_dictionary_drop_column(root, j);
  }
}

/* The undecided pair with the largest min(z_i, y_i) at the vertex, or simply the first. */
static int next_pair(const lcp_search *search, const lcp_dictionary *dict) {
  double value[2 * LCP_SEARCH_ROWS] = {0}, worst = -1;
  int n = dict->n, best = -1;
  for (int i = 0; i < dict->rows; i++) value[dict->row_var[i]] = lcp_dictionary_row(dict, i)[n];
  for (int i = 0; i < n; i++) {
    if (search->decided[i]) continue;
    double violation = fmin(value[i], value[n + i]);
    if (violation > worst + DICT_VALUE || best < 0) worst = violation, best = i;
  }
  return best;
}

static void descend(lcp_search *search, int depth) {
  lcp_dictionary *dict = &search->level[depth];
  if (search->nodes >= search->max_nodes || crd_interrupted()) {
    search->truncated = true;
    return;
  }
  search->nodes++;
  int feasible = lcp_dictionary_repair(dict);
  if (feasible < 0) search->truncated = true;
  if (feasible <= 0) return;
  int pair = next_pair(search, dict);
  if (pair < 0) {
    if (!search->visit(search->context, search->basis, dict)) search->stopped = true;
    return;
  }
  search->decided[pair] = 1;
  for (int choice = 0; choice < 2 && !search->stopped; choice++) {
    lcp_dictionary *child = &search->level[depth + 1];
    lcp_dictionary_copy(child, dict);
    search->basis[pair] = (unsigned char)choice;
    if (lcp_dictionary_fix(child, choice ? pair : dict->n + pair)) descend(search, depth + 1);
  }
  search->decided[pair] = 0;
  search->basis[pair] = 0;
}

void lcp_search_run(lcp_search *search, crd_lcp_work *work) {
  load(search, work);
  lcp_dictionary *root = &search->level[0];
  search->nodes = search->lines = 0;
  search->truncated = search->stopped = false;
  memcpy(search->decided, work->is_free, (size_t)work->n);
  memcpy(search->basis, work->is_free, (size_t)work->n);
  if (!lcp_dictionary_pivot_free(root)) return;
  take_lines(search, root);
  descend(search, 0);
}

void lcp_search_point(const crd_lcp_work *work, const lcp_dictionary *dict, double *z) {
  int n = dict->n;
  memset(z, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < dict->rows; i++) {
    int j = dict->row_var[i] - n;
    if (j < 0) continue;
    double value = lcp_dictionary_row(dict, i)[n];
    if (value < 0 && !dict->is_free[j]) value = 0;
    z[j] = value * work->col_scale[j] / work->w_scale;
  }
}
