/* Elimination of the free rows, in the number type NUM. Included by reduce.c once for each type.
 *
 * Free rows and free variables are eliminated against each other by Gaussian elimination with complete pivoting
 * (diagonal pivots where they are nearly as large, which keeps a symmetric problem symmetric). Where the free block is
 * singular to `zero`, its last rows i read 0 = S_ic z_c + .. and its last columns j enter rows y_c = S_cj z_j + .. . If
 * there is a pair c with both coefficients not zero, row i gives z_c and row c gives z_j: the pair is turned over, y_c
 * takes the place of z_c. What is left of a row then follows from the others if it is zero, contradicts them if only
 * its right-hand side is not, and else is split in two inequalities; a column that still moves something is split in
 * two nonnegative variables.
 */

typedef struct REDUCE(task) {
  NUM *rows; /* [n][n+1] scaled W and w */
  int n, m;
  int *free_rows, *free_cols; /* not yet eliminated */
  int nrows, ncols;
} REDUCE(task);

static void REDUCE(load)(crd_lcp_work *work, NUM *rows) {
  int n = work->n;
  for (int i = 0; i < n; i++) {
    NUM *row = rows + (ptrdiff_t)i * (n + 1);
    const double *a = work->W + (ptrdiff_t)i * work->ld;
    double r = work->row_scale[i];
    for (int j = 0; j < n; j++) row[j] = NUM_OF(a[j] * r * work->col_scale[j]);
    row[n] = NUM_OF(work->w[i] * r * work->w_scale);
  }
}

/* Largest entry of the free block, or a diagonal one that is nearly as large. */
static double REDUCE(find_pivot)(const REDUCE(task) * t, int *a, int *b) {
  double most = 0, most_diagonal = 0;
  int da = 0, db = 0;
  for (int i = 0; i < t->nrows; i++)
    for (int j = 0; j < t->ncols; j++) {
      double value = fabs(NUM_ROUND(t->rows[(ptrdiff_t)t->free_rows[i] * (t->n + 1) + t->free_cols[j]]));
      if (value > most) most = value, *a = i, *b = j;
      if (t->free_rows[i] == t->free_cols[j] && value > most_diagonal) most_diagonal = value, da = i, db = j;
    }
  if (most_diagonal > FAIR_PIVOT * most) *a = da, *b = db;
  return most;
}

/* Takes the variable of column c out of row k with the help of row r. */
static void REDUCE(subtract)(const REDUCE(task) * t, int k, int r, int c) {
  NUM *row = t->rows + (ptrdiff_t)k * (t->n + 1);
  const NUM *pivot = t->rows + (ptrdiff_t)r * (t->n + 1);
  if (NUM_ROUND(row[c]) == 0) return;
  NUM f = NUM_DIV(row[c], pivot[c]);
  for (int j = 0; j <= t->n; j++) row[j] = NUM_SUB_MUL(row[j], f, pivot[j]);
  row[c] = NUM_OF(0);
}

static void REDUCE(eliminate)(crd_lcp_work *work, REDUCE(task) * t, double zero) {
  lcp_reduction *out = &work->reduction;
  int a = 0, b = 0;
  while (t->nrows > 0 && REDUCE(find_pivot)(t, &a, &b) > zero) {
    int r = t->free_rows[a], c = t->free_cols[b];
    t->free_rows[a] = t->free_rows[--t->nrows];
    t->free_cols[b] = t->free_cols[--t->ncols];
    for (int k = 0; k < t->nrows; k++) REDUCE(subtract)(t, t->free_rows[k], r, c);
    for (int k = 0; k < out->pairs; k++) REDUCE(subtract)(t, out->pair[k], r, c);
    out->kept_row[out->kept] = r, out->kept_col[out->kept++] = c;
  }
}

/* The free row a, free column b and pair k whose smaller coefficient is largest; returns that coefficient. */
static double REDUCE(find_turn)(const crd_lcp_work *work, const REDUCE(task) * t, int *a, int *b, int *pair) {
  const lcp_reduction *out = &work->reduction;
  double most = 0;
  for (int k = 0; k < out->pairs; k++) {
    int c = out->pair[k];
    if (out->turned[c]) continue;
    for (int i = 0; i < t->nrows; i++) {
      double row = fabs(NUM_ROUND(t->rows[(ptrdiff_t)t->free_rows[i] * (t->n + 1) + c]));
      for (int j = 0; j < t->ncols && row > most; j++) {
        double col = fabs(NUM_ROUND(t->rows[(ptrdiff_t)c * (t->n + 1) + t->free_cols[j]]));
        double both = row < col ? row : col;
        if (both > most) most = both, *a = i, *b = j, *pair = c;
      }
    }
  }
  return most;
}

/* Row i gives z_c, row c gives z_j; row c becomes z_c >= 0 and column c belongs to y_c. */
static void REDUCE(turn)(crd_lcp_work *work, REDUCE(task) * t, int i, int j, int c) {
  lcp_reduction *out = &work->reduction;
  int n = t->n;
  NUM *row_i = t->rows + (ptrdiff_t)i * (n + 1), *row_c = t->rows + (ptrdiff_t)c * (n + 1);
  NUM pivot = row_i[c];
  REDUCE(subtract)(t, c, i, c);
  for (int k = 0; k < t->nrows; k++)
    if (t->free_rows[k] != i) REDUCE(subtract)(t, t->free_rows[k], i, c);
  for (int k = 0; k < out->pairs; k++)
    if (out->pair[k] != c) REDUCE(subtract)(t, out->pair[k], i, c);
  /* now row c has no z_c: it takes z_j out of every other row, leaving the coefficient of y_c in column c */
  row_i[c] = NUM_OF(0);
  for (int k = 0; k < t->nrows + out->pairs; k++) {
    int r = k < t->nrows ? t->free_rows[k] : out->pair[k - t->nrows];
    NUM *row = t->rows + (ptrdiff_t)r * (n + 1);
    if (r == c) continue;
    NUM share = NUM_ROUND(row[j]) == 0 ? NUM_OF(0) : NUM_DIV(row[j], row_c[j]);
    REDUCE(subtract)(t, r, c, j);
    row[c] = share;
  }
  /* z_c = -(row i) / pivot */
  for (int k = 0; k <= n; k++) row_c[k] = NUM_DIV(NUM_NEG(row_i[k]), pivot);
  out->turned[c] = 1;
}

static void REDUCE(turn_over)(crd_lcp_work *work, REDUCE(task) * t, double zero) {
  lcp_reduction *out = &work->reduction;
  int a = 0, b = 0, c = 0;
  while (t->nrows > 0 && t->ncols > 0 && REDUCE(find_turn)(work, t, &a, &b, &c) > zero) {
    int i = t->free_rows[a], j = t->free_cols[b];
    REDUCE(turn)(work, t, i, j, c);
    t->free_rows[a] = t->free_rows[--t->nrows];
    t->free_cols[b] = t->free_cols[--t->ncols];
    out->kept_row[out->kept] = i, out->kept_col[out->kept++] = j;
  }
}

static double REDUCE(row_size)(const crd_lcp_work *work, const REDUCE(task) * t, int i) {
  double most = 0;
  for (int k = 0; k < work->reduction.pairs; k++)
    most = fmax(most, fabs(NUM_ROUND(t->rows[(ptrdiff_t)i * (t->n + 1) + work->reduction.pair[k]])));
  return most;
}

static double REDUCE(col_size)(const crd_lcp_work *work, const REDUCE(task) * t, int j) {
  double most = 0;
  for (int k = 0; k < work->reduction.pairs; k++)
    most = fmax(most, fabs(NUM_ROUND(t->rows[(ptrdiff_t)work->reduction.pair[k] * (t->n + 1) + j])));
  return most;
}

/* The remainder of the free block: drop or split. */
static void REDUCE(classify)(crd_lcp_work *work, REDUCE(task) * t, double zero, double contradiction) {
  lcp_reduction *out = &work->reduction;
  int rows = 0, cols = 0;
  for (int k = 0; k < t->nrows; k++) {
    int i = t->free_rows[k];
    if (REDUCE(row_size)(work, t, i) > zero) {
      out->split_row[rows++] = i;
      continue;
    }
    out->dropped_row[out->dropped_rows++] = i;
    if (fabs(NUM_ROUND(t->rows[(ptrdiff_t)i * (t->n + 1) + t->n])) > contradiction) out->inconsistent = true;
  }
  for (int k = 0; k < t->ncols; k++) {
    int j = t->free_cols[k];
    if (REDUCE(col_size)(work, t, j) > zero)
      out->split_col[cols++] = j;
    else
      out->dropped_col[out->dropped_cols++] = j;
  }
  out->split = rows > cols ? rows : cols;
  for (int k = rows; k < out->split; k++) out->split_row[k] = -1;
  for (int k = cols; k < out->split; k++) out->split_col[k] = -1;
  out->m = out->pairs + 2 * out->split;
}

/* Row and column of the pure problem -> row and column of the problem with sign; -1 where it is empty. */
static NUM REDUCE(value)(const crd_lcp_work *work, const REDUCE(task) * t, int row, int col) {
  const lcp_reduction *out = &work->reduction;
  int p = out->pairs, s = out->split, i = row, j = col;
  bool minus = false;
  if (row >= p)
    minus ^= row >= p + s, i = out->split_row[(row - p) % s];
  else
    i = out->pair[row];
  if (col >= p && col < out->m)
    minus ^= col >= p + s, j = out->split_col[(col - p) % s];
  else
    j = col == out->m ? t->n : out->pair[col];
  if (i < 0 || j < 0 || (row >= p && col >= p && col < out->m)) return NUM_OF(0);
  NUM value = t->rows[(ptrdiff_t)i * (t->n + 1) + j];
  return minus ? NUM_NEG(value) : value;
}

static bool REDUCE(run)(crd_lcp_work *work, NUM *rows, LEMKE(state) * state, double zero, double contradiction) {
  lcp_reduction *out = &work->reduction;
  int n = work->n;
  REDUCE(task) task = {.rows = rows, .n = n, .free_rows = work->lemke.tied, .free_cols = work->lemke.slot};
  out->kept = out->dropped_rows = out->dropped_cols = out->pairs = out->split = 0;
  out->inconsistent = false;
  memset(out->turned, 0, (size_t)n);
  for (int i = 0; i < n; i++) {
    if (work->is_free[i])
      task.free_rows[task.nrows++] = task.free_cols[task.ncols++] = i;
    else
      out->pair[out->pairs++] = i;
  }
  REDUCE(load)(work, rows);
  REDUCE(eliminate)(work, &task, zero);
  REDUCE(turn_over)(work, &task, zero);
  REDUCE(classify)(work, &task, zero, contradiction);
  if (out->m > work->pure_capacity) return false;
  state->n = out->m;
  state->stride = 4 * crd_v4_count(out->m);
  for (int col = 0; col < out->m; col++) {
    NUM *column = state->W + (ptrdiff_t)col * state->stride;
    for (int row = 0; row < out->m; row++) column[row] = REDUCE(value)(work, &task, row, col);
    for (int row = out->m; row < state->stride; row++) column[row] = NUM_OF(0);
  }
  for (int row = 0; row < state->stride; row++)
    state->q[row] = row < out->m ? REDUCE(value)(work, &task, row, out->m) : NUM_OF(0);
  return true;
}
