/* The workspace of the LCP layer and the steps of a solve that work on it. */
#ifndef SRC_LCP_WORK_H
#define SRC_LCP_WORK_H

#include <cradle/lcp.h>

#include "lcp/basis.h"
#include "lcp/lemke.h"

/* Thresholds of zero, in a problem whose largest entries are about 1. */
#define LCP_ZERO_PIVOT 1e-11 /* entry of a column that cannot be told from rounding */
#define LCP_ZERO_VALUE 1e-13 /* value of a basic variable that is rounding */
#define LCP_TIE (1 + 1e-11)  /* ratios this close are equal */
#define LCP_SAME 1e-9        /* entries this close are equal in the lexicographic test */
#define LCP_DOUBTFUL 1e-7    /* a pivot below it makes a double-precision verdict doubtful */
#define LCP_NATURAL 1e-4     /* a row's terms count at least this part of the problem's natural size */
#define LCP_LARGE 1e3        /* terms this much larger than w do not add to the natural size */
#define LCP_FAR 1e-3         /* weight of a violation measured against w alone */
#define LCP_FAR_OUT 1e6      /* terms so much larger than w ask for a closer look */
#define LCP_FARTHEST 1e11    /* terms so much larger than w make a point worthless */
#define LCP_SURE 1e-12       /* a residual below it needs no refinement */

enum { LCP_FALLBACK_ROWS = 32 }; /* largest problem that is searched after all methods have failed */
enum { LCP_SPLIT = 64 };         /* most free rows that may be split */

/* A mixed problem after elimination of the free rows: a pure problem with m pairs, scaled.
 * The first `pairs` are rows and columns pair[k] of the problem. Where the block of the free rows is singular, what is
 * left of it follows, split in two: y_i >= 0 with z+, then -y_i >= 0 with z-, for each of `split` rows and columns. */
typedef struct lcp_reduction {
  int m, pairs, split;
  int kept;                       /* free rows that were eliminated, */
  int *kept_row, *kept_col;       /* [n] with these pivots */
  int dropped_rows, dropped_cols; /* free rows that follow from others, multipliers that move nothing */
  int *dropped_row, *dropped_col; /* [n] */
  unsigned char *turned;          /* [n] pairs whose y_c and z_c have changed places */
  bool inconsistent;              /* a dropped row contradicts the others */
  int *pair;                      /* [n] */
  int *split_row, *split_col;     /* [n]; -1 is a zero row or column */
} lcp_reduction;

typedef struct lcp_kernels lcp_kernels; /* kernels.h */

enum { LCP_WARM_ORDER = 32 }; /* largest basis that is kept as an inverse */

/* The last basis of a small problem, ready for another w; see kernel_warm.c. */
typedef struct lcp_warm_map {
  bool ready;
  int order;
  double *inverse; /* [LCP_WARM_ORDER][LCP_WARM_ORDER] columns */
  double *column;  /* [LCP_WARM_ORDER][stride] columns of W */
  double *tight;   /* [stride] 1 in rows of the basis */
} lcp_warm_map;

struct crd_lcp_work {
  crd_arena arena;
  const lcp_kernels *kernels;
  int capacity, nv_capacity;
  int pure_capacity; /* pairs of the pure problem: rows, and free rows that are split in two */
  /* ---- the problem at hand */
  int n, stride;       /* rows; rows rounded up to whole vectors */
  int ld;              /* row stride of W */
  const double *W, *w; /* dense W: the user's, or `dense` once formed, NULL before that */
  const crd_lcp_problem *problem;
  unsigned char *is_free; /* [n] */
  int nfree;
  int none_free; /* is_free is zero as far as here */
  double *dense; /* [n][n], with J only */
  double *half;  /* [n][nv] rows L^-1 J_i', with J only */
  bool half_ready;
  /* ---- equilibration: row_scale_i |W_ij| col_scale_j is about 1 at most; powers of two */
  double *row_scale, *col_scale; /* [n] */
  double w_scale;                /* row_scale_i |w_i| w_scale is about 1 at most */
  bool scaled;                   /* they belong to the problem at hand */
  /* ---- columns of W as given, contiguous, fetched when needed */
  double *column;         /* [n][stride] */
  unsigned *column_stamp; /* [n] column j is there where this equals */
  unsigned stamp;
  /* ---- results and scratch */
  double *z, *y, *size, *trial, *ray; /* [stride] */
  double *help;                       /* [2][pure_capacity] */
  double ray_cover;
  lcp_reduction reduction;
  lcp_warm_map warm;
  lcp_basis basis;         /* the last basis and its factor */
  unsigned char *in_basis; /* [n] scratch of block pivoting */
  lcp_lemke_double_state lemke;
  lcp_lemke_dd_state careful;
  double *rows;              /* [n][n] elimination of the free rows */
  crd_dd *careful_rows;      /* the same in double-double */
  struct lcp_search *search; /* for up to LCP_FALLBACK_ROWS rows */
};

/* ---- problem.c */
/* Takes the problem into the workspace: sizes, free rows, arguments; not the numbers. */
crd_status lcp_begin(crd_lcp_work *work, const crd_lcp_problem *problem);
/* Looks for a NaN or an infinity, in w alone where the matrix was seen before; fills bad_row and bad_col. */
crd_status lcp_check_numbers(crd_lcp_work *work, bool same_matrix, crd_lcp_report *report);
/* Dense W of the problem at hand in work->W, formed from J where that is given. */
void lcp_need_dense(crd_lcp_work *work);
/* Column j of W, `stride` long, zero behind row n. */
const double *lcp_column(crd_lcp_work *work, int j);

/* ---- scale.c */
void lcp_need_scales(crd_lcp_work *work);

/* ---- residual.c */
/* y = W z + w and the sizes of the rows' terms, from the columns where z is not zero. Returns the largest violation
 * over size: an upper bound of the scaled residual, infinite where a size is zero and the violation is not. */
double lcp_residual_bound(crd_lcp_work *work, const double *z);
/* The residual itself; the bound has filled y and size for this z. */
void lcp_residual_measure(crd_lcp_work *work, const double *z, crd_lcp_residual_parts *parts);

/* ---- basis.c */
/* Factors the matrix of work->basis, whose sets are filled. False where it is singular. */
bool lcp_basis_factor(crd_lcp_work *work);
/* z (n entries, zero outside the basis) with W[row, col] z[col] = -w[row], refined in double-double `refine` times.
 * False where a border makes it singular. */
bool lcp_basis_point(crd_lcp_work *work, double *z, int refine);
/* x = (factored matrix)^-1 x, without border. */
void lcp_basis_solve(crd_lcp_work *work, double *x);
/* One index comes into the factored basis or goes out of it. False where the border is full or the result singular. */
bool lcp_basis_toggle(crd_lcp_work *work, int index, bool add);
/* Makes the bordered sets the sets of the basis; it has no factor after that. */
void lcp_basis_commit(crd_lcp_work *work);

/* ---- reduce.c */
/* Scales the problem, eliminates the free rows and fills work->lemke (or work->careful): columns of W, q = w. False
 * where the pure problem is too large. */
bool lcp_reduce(crd_lcp_work *work);
bool lcp_reduce_careful(crd_lcp_work *work);
/* Sets of work->basis from the members of the pure problem's basis. */
void lcp_reduction_basis(crd_lcp_work *work, const int *member, int count);
/* Takes the part out of z that moves nothing: multipliers of least norm. */
void lcp_least_norm(crd_lcp_work *work, double *z);

/* ---- ray.c */
/* The ray of a Lemke run in the units of the problem: work->ray, work->ray_cover. True when it satisfies its conditions
 * on the data as given. direction has the growth of the pure problem's z, cover_growth that of z0. */
bool lcp_ray_certificate(crd_lcp_work *work, const double *cover, const double *direction, double cover_growth);
/* True when the ray also proves that no z >= 0 has W z + w >= 0. */
bool lcp_ray_proves_infeasible(crd_lcp_work *work);

/* ---- kernel_quick.c, full.c, warm.c: the ways to an answer. True: it is in z and report. */
bool lcp_warm(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report);
void lcp_full(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report);
/* fallback.c: the search for a first solution, where the options ask for it. */
void lcp_fallback(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report);

#endif
