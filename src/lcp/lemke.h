/* Lemke's method in double and in double-double arithmetic, as the solver calls it. */
#ifndef SRC_LCP_LEMKE_H
#define SRC_LCP_LEMKE_H

#include "lcp/dd.h"
#include "linalg/simd.h"

enum { LEMKE_BETWEEN_LOOKS = 16 }; /* pivots between two questions whether to go on */
enum { LEMKE_REFRESH = 256 };      /* and twice the rows: pivots after which the basis inverse is computed anew */

typedef enum lemke_end { LEMKE_SOLVED, LEMKE_RAY, LEMKE_LIMIT, LEMKE_CYCLE } lemke_end;

/* One run. Rows are padded to whole vectors (stride), padding is zero. Sizes in brackets; n <= capacity. */
#define LEMKE_STATE(NUM)                                                                                \
  int n, stride, max_pivots, pivots;                                                                    \
  int slots;                                                                                            \
  int z0_row, entering;                                                                                 \
  double zero_pivot;  /* entries of x below it do not block */                                          \
  double zero_value;  /* values of q below it are zero */                                               \
  double tie;         /* ratios up to this factor apart are tied, a little above 1 */                   \
  double same;        /* entries of the basis inverse this close are equal in the lexicographic test */ \
  NUM step;           /* value of the entering variable */                                              \
  double least_pivot; /* smallest pivot of the path */                                                  \
  NUM *W;             /* [n+2][stride] columns of the matrix, then w and the covering vector */         \
  NUM *B;             /* [n+2][stride] columns of the basis inverse that are not unit vectors */        \
  NUM *q, *x;         /* [stride] values of the basic variables, entering column */                     \
  double *basic_y;    /* [stride] 1 where y_j is basic, 0 where not and in the padding */               \
  int *var;           /* [n] variable of a row: y_j is j, z_j is n + j, z0 is 2n */                     \
  int *z_row;         /* [n] row of z_j while it is basic */                                            \
  int *slot, *member; /* [n+1] column of y_j in B or -1; and back */                                    \
  int *tied           /* [n] scratch of the lexicographic test */

typedef struct lcp_lemke_double_state {
  LEMKE_STATE(double);
  /* Where rows is given, a column of W is fetched from there, times scale, when it enters. */
  const double *rows;
  int row_stride;
  double scale;
  double *ratio; /* [stride] scratch of the ratio test */
} lcp_lemke_double_state;

typedef struct lcp_lemke_dd_state {
  LEMKE_STATE(crd_dd);
  double data_error;                  /* relative error of the data, 0 takes them as exact */
  const double *cover;                /* [n] covering vector of the run */
  double *w;                          /* [n] right-hand side of the run */
  double *x_error, *q_error, *spread; /* [n] errors of x and q that follow from it, scratch */
} lcp_lemke_dd_state;

/* Runs the method from w = q and the columns W, which are loaded; cover > 0 has n entries. (In double: lcp/kernels.h.)
 */
lemke_end lcp_lemke_dd_solve(lcp_lemke_dd_state *s, const double *cover);

#endif
