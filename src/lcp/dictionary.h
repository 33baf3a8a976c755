/* A dictionary: basic variables as affine functions of the others, all of them >= 0 or free.
 *
 *   x_row = value_row + sum_col T[row, col] x_col
 *
 * The search over complementary pieces starts from y = w + W z and sets variables to zero one after the other, keeping
 * the dictionary feasible by the criss-cross rule. Variables: y_i is i, z_i is n + i.
 */
#ifndef SRC_LCP_DICTIONARY_H
#define SRC_LCP_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>

#define DICT_ZERO 1e-10 /* coefficients below it are zero (the problem is equilibrated) */
#define DICT_VALUE 1e-9 /* values below it are zero */

typedef struct lcp_dictionary {
  int n; /* pairs: 2n variables */
  int rows, cols;
  int *row_var, *col_var;       /* [n] */
  double *T;                    /* [n][n+1]; the last column is the value */
  const unsigned char *is_free; /* [n] rows of the problem that are free */
} lcp_dictionary;

/* Bytes behind the struct for n pairs, and the dictionary in them. */
size_t lcp_dictionary_size(int n);
void lcp_dictionary_place(lcp_dictionary *dict, int n, void *memory);
void lcp_dictionary_copy(lcp_dictionary *to, const lcp_dictionary *from);

static inline double *lcp_dictionary_row(const lcp_dictionary *dict, int row) {
  return dict->T + (ptrdiff_t)row * (dict->n + 1);
}

/* Exchanges the variables of a row and a column; the coefficient is not zero. */
void lcp_dictionary_pivot(lcp_dictionary *dict, int row, int col);
void lcp_dictionary_drop_column(lcp_dictionary *dict, int col);
/* Brings every free z into the basis and every free y out of it. False where that contradicts the data; columns of free
 * variables that move nothing stay and are reported by lcp_dictionary_is_line. */
bool lcp_dictionary_pivot_free(lcp_dictionary *dict);
/* x_var = 0 from here on. False where the dictionary says it cannot be. */
bool lcp_dictionary_fix(lcp_dictionary *dict, int var);
/* Makes all values >= 0, up to DICT_VALUE. 1 done, 0 infeasible, -1 gave up after too many pivots. */
int lcp_dictionary_repair(lcp_dictionary *dict);
/* A variable without sign: z of a free row. */
static inline bool lcp_dictionary_unsigned(const lcp_dictionary *dict, int var) {
  return var >= dict->n && dict->is_free[var - dict->n];
}

#endif
