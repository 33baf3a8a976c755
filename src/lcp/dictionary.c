/* Dictionaries: pivots, fixing variables at zero, feasibility by the least-index criss-cross rule (Terlaky 1985). */
#include "lcp/dictionary.h"

#include <math.h>
#include <string.h>

#include "linalg/simd.h"

static size_t int_bytes(int n) { return (2 * (size_t)n * sizeof(int) + 63) & ~(size_t)63; }

size_t lcp_dictionary_size(int n) {
  size_t bytes = int_bytes(n) + sizeof(double) * (size_t)n * ((size_t)n + 1);
  return (bytes + 63) & ~(size_t)63;
}

void lcp_dictionary_place(lcp_dictionary *dict, int n, void *memory) {
  dict->n = n;
  dict->row_var = memory;
  dict->col_var = dict->row_var + n;
  dict->T = (double *)((char *)memory + int_bytes(n));
}

void lcp_dictionary_copy(lcp_dictionary *to, const lcp_dictionary *from) {
  to->rows = from->rows, to->cols = from->cols, to->is_free = from->is_free;
  memcpy(to->row_var, from->row_var, sizeof(int) * (size_t)from->rows);
  memcpy(to->col_var, from->col_var, sizeof(int) * (size_t)from->cols);
  memcpy(to->T, from->T, sizeof(double) * (size_t)from->rows * ((size_t)from->n + 1));
}

CRD_CLONES void lcp_dictionary_pivot(lcp_dictionary *dict, int row, int col) {
  int n = dict->n;
  double *pivot_row = lcp_dictionary_row(dict, row), inverse = 1 / pivot_row[col];
  for (int j = 0; j <= n; j++) pivot_row[j] *= -inverse;
  pivot_row[col] = inverse;
  for (int i = 0; i < dict->rows; i++) {
    double *a = lcp_dictionary_row(dict, i), f = a[col];
    if (i == row || f == 0) continue;
    a[col] = 0;
    for (int j = 0; j <= n; j++) a[j] += f * pivot_row[j];
  }
  int var = dict->row_var[row];
  dict->row_var[row] = dict->col_var[col];
  dict->col_var[col] = var;
}

void lcp_dictionary_drop_column(lcp_dictionary *dict, int col) {
  int last = --dict->cols;
  if (col < last) dict->col_var[col] = dict->col_var[last];
  for (int i = 0; i < dict->rows; i++) {
    double *a = lcp_dictionary_row(dict, i);
    a[col] = a[last];
    a[last] = 0;
  }
}

static void drop_row(lcp_dictionary *dict, int row) {
  int last = --dict->rows;
  if (row == last) return;
  dict->row_var[row] = dict->row_var[last];
  memcpy(lcp_dictionary_row(dict, row), lcp_dictionary_row(dict, last), sizeof(double) * ((size_t)dict->n + 1));
}

/* Largest coefficient of a row; -1 where all are zero. */
static int largest_in_row(const lcp_dictionary *dict, int row) {
  const double *a = lcp_dictionary_row(dict, row);
  int best = -1;
  double most = DICT_ZERO;
  for (int j = 0; j < dict->cols; j++)
    if (fabs(a[j]) > most) most = fabs(a[j]), best = j;
  return best;
}

bool lcp_dictionary_fix(lcp_dictionary *dict, int var) {
  for (int j = 0; j < dict->cols; j++)
    if (dict->col_var[j] == var) {
      lcp_dictionary_drop_column(dict, j);
      return true;
    }
  for (int i = 0; i < dict->rows; i++) {
    if (dict->row_var[i] != var) continue;
    int col = largest_in_row(dict, i);
    if (col >= 0) {
      lcp_dictionary_pivot(dict, i, col);
      lcp_dictionary_drop_column(dict, col);
      return true;
    }
    if (fabs(lcp_dictionary_row(dict, i)[dict->n]) > DICT_VALUE) return false;
    drop_row(dict, i);
    return true;
  }
  return true; /* it was fixed before */
}

/* Row in which a free variable can become basic: a free y first, largest coefficient. */
static int row_for_free(const lcp_dictionary *dict, int col) {
  for (int pass = 0; pass < 2; pass++) {
    int best = -1;
    double most = DICT_ZERO;
    for (int i = 0; i < dict->rows; i++) {
      int var = dict->row_var[i];
      double size = fabs(lcp_dictionary_row(dict, i)[col]);
      bool wanted = pass ? !lcp_dictionary_unsigned(dict, var) : var < dict->n && dict->is_free[var];
      if (wanted && size > most) most = size, best = i;
    }
    if (best >= 0) return best;
  }
  return -1;
}

bool lcp_dictionary_pivot_free(lcp_dictionary *dict) {
  for (int j = 0; j < dict->cols; j++) {
    if (!lcp_dictionary_unsigned(dict, dict->col_var[j])) continue;
    int row = row_for_free(dict, j);
    if (row >= 0) lcp_dictionary_pivot(dict, row, j);
  }
  for (int i = 0; i < dict->n; i++)
    if (dict->is_free[i] && !lcp_dictionary_fix(dict, i)) return false;
  return true;
}

/* Row with a negative value: the most negative at first, by least index once that has taken too long. */
static int bad_row(const lcp_dictionary *dict, bool least_index) {
  int best = -1;
  double worst = -DICT_VALUE;
  for (int i = 0; i < dict->rows; i++) {
    if (lcp_dictionary_unsigned(dict, dict->row_var[i])) continue;
    double value = lcp_dictionary_row(dict, i)[dict->n];
    if (value >= -DICT_VALUE) continue;
    if (least_index ? best < 0 || dict->row_var[i] < dict->row_var[best] : value < worst) worst = value, best = i;
  }
  return best;
}

/* Column whose growth raises the row; a free column may also fall. */
static int good_col(const lcp_dictionary *dict, int row, bool least_index) {
  const double *a = lcp_dictionary_row(dict, row);
  int best = -1;
  double most = DICT_ZERO;
  for (int j = 0; j < dict->cols; j++) {
    double value = lcp_dictionary_unsigned(dict, dict->col_var[j]) ? fabs(a[j]) : a[j];
    if (value <= DICT_ZERO) continue;
    if (least_index ? best < 0 || dict->col_var[j] < dict->col_var[best] : value > most) most = value, best = j;
  }
  return best;
}

int lcp_dictionary_repair(lcp_dictionary *dict) {
  int patient = 4 * dict->n + 16, limit = 200 * dict->n + 2000;
  for (int step = 0; step < limit; step++) {
    int row = bad_row(dict, step > patient);
    if (row < 0) return 1;
    int col = good_col(dict, row, step > patient);
    if (col < 0) return 0;
    lcp_dictionary_pivot(dict, row, col);
  }
  return -1;
}
