/* lcp: linear complementarity problems, solved, enumerated and classified.
 *
 *   find z with  0 <= z  _|_  y = W z + w >= 0,   and for free rows i:  y_i = 0, z_i of any sign  (mixed problem).
 *
 * W is given dense, in factored form J M^-1 J', or as the sum of both. A solve ends in a named verdict (crd_status):
 *   CRD_OK            z satisfies the problem: report.residual <= options.tolerance, measured on the data as given
 *   CRD_NO_SOLUTION   there is none, proved: report.proof says how
 *   CRD_RAY           Lemke's path ended on a ray, given as certificate (crd_lcp_ray); nothing is proved about
 * solutions CRD_LIMIT         max_pivots reached CRD_UNKNOWN       no result could be verified: the data are singular
 * to working accuracy CRD_ERR_NUMBER    W, w, J or L contains a NaN or an infinity: report.bad_row, report.bad_col
 *   CRD_ERR_ARGUMENT, CRD_ERR_CAPACITY   misuse
 * z is written for CRD_OK only.
 *
 * One workspace per thread. A solve allocates nothing.
 */
#ifndef CRADLE_LCP_H
#define CRADLE_LCP_H

#include <cradle/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_lcp_problem {
  int n;
  const double *w;               /* n */
  const double *W;               /* n rows of n, row-major; NULL is zero (only with J) */
  int row_stride;                /* doubles from a row of W to the next; 0 is n */
  int free_leading;              /* the first rows are free (bilateral) */
  const unsigned char *free_row; /* n flags, further free rows; NULL is none */
  int nv;                        /* columns of J */
  const double *J;               /* n x nv row-major, or NULL: J M^-1 J' is added to W */
  const double *L;               /* nv x nv row-major, lower Cholesky factor of M (M = L L'); NULL is M = identity */
} crd_lcp_problem;

/* A pure problem with dense W; the other fields zero. */
CRD_API crd_lcp_problem crd_lcp_dense(int n, const double *W, const double *w);

/* ---------------------------------------------------------------------------------------------- solving */

typedef struct crd_lcp_work crd_lcp_work;

/* A workspace for up to n rows and nv columns of J (0 without). NULL when memory is out. */
CRD_API crd_lcp_work *crd_lcp_work_new(int n, int nv);
CRD_API void crd_lcp_work_free(crd_lcp_work *work);
/* Bytes the workspace holds. */
CRD_API size_t crd_lcp_work_bytes(const crd_lcp_work *work);

typedef struct crd_lcp_options {
  double tolerance;    /* largest relative residual of a solution (see crd_lcp_residual); default 1e-10 */
  int max_pivots;      /* of each run of Lemke's method; 0 is the default, 50 n + 100000 / (n + 1) */
  const double *cover; /* covering vector d > 0 of Lemke's method, n entries (free rows are not read); NULL is ones */
  bool warm;           /* try the last basis of this workspace first, then block pivots from it, then Lemke */
  bool same_matrix;    /* with warm: the caller's word that W, J, L and the free rows are those of the last solve */
  int block_steps;     /* most block-pivoting steps after a warm start; default 12 */
  int search_nodes;    /* after a ray, or when nothing could be verified: search this many nodes for a solution or a
                          proof that there is none; default 0 after a ray and 20000 when nothing could be verified */
} crd_lcp_options;

CRD_API crd_lcp_options crd_lcp_default(void);

/* Which method answered. */
typedef enum crd_lcp_path {
  CRD_LCP_PATH_NONE,
  CRD_LCP_PATH_TRIVIAL, /* w >= 0: z = 0 */
  CRD_LCP_PATH_WARM,    /* the last basis still holds */
  CRD_LCP_PATH_BLOCK,   /* block pivoting from the last basis */
  CRD_LCP_PATH_LEMKE,   /* Lemke's method, double precision */
  CRD_LCP_PATH_CAREFUL, /* Lemke's method, double-double precision */
  CRD_LCP_PATH_SEARCH   /* search over complementary pieces */
} crd_lcp_path;

/* How CRD_NO_SOLUTION is proved. */
typedef enum crd_lcp_proof {
  CRD_LCP_PROOF_NONE,
  CRD_LCP_PROOF_RAY,       /* the ray r >= 0 has W' r <= 0 (= 0 in free columns) and w' r < 0: not even feasible */
  CRD_LCP_PROOF_BILATERAL, /* the free rows contradict each other */
  CRD_LCP_PROOF_SEARCH     /* every complementary piece is empty */
} crd_lcp_proof;

/* "warm", "lemke", ...; "ray", "search", ... */
CRD_API const char *crd_lcp_path_name(crd_lcp_path path);
CRD_API const char *crd_lcp_proof_name(crd_lcp_proof proof);

/* Violations at a point z; see crd_lcp_residual. */
typedef struct crd_lcp_residual_parts {
  double scaled;  /* the largest violation, relative: what `tolerance` is compared with */
  double natural; /* max |min(z_i, y_i)| over complementary rows and |y_i| over free rows, in the units of the data */
  double z_negative;      /* max(0, -z_i), complementary rows */
  double y_negative;      /* max(0, -y_i), complementary rows */
  double complementarity; /* max min(z_i, y_i) where both are positive */
  double equality;        /* max |y_i|, free rows */
  int worst_row;          /* row of `scaled`; -1 for n = 0 */
} crd_lcp_residual_parts;

typedef struct crd_lcp_report {
  crd_status status;
  crd_lcp_path path;
  crd_lcp_proof proof;
  double residual;  /* bound on the scaled residual of z; exact after a Lemke, block or careful path, never too small */
  int pivots;       /* exchanges of all Lemke runs of this solve */
  int block_steps;  /* of block pivoting */
  int runs;         /* runs of Lemke's method: 1 unless a result had to be confirmed */
  bool has_ray;     /* crd_lcp_ray has the certificate of the ray */
  int rank_dropped; /* free rows found dependent on others; their multipliers have least norm */
  int bad_row, bad_col; /* CRD_ERR_NUMBER: indices in W (or J, L); bad_col = -1 in w. -1, -1 otherwise */
} crd_lcp_report;

/* Solves the problem. options and report may be NULL. */
CRD_API crd_status crd_lcp_solve(crd_lcp_work *work, const crd_lcp_problem *problem, const crd_lcp_options *options,
                                 double *z, crd_lcp_report *report);

/* The basis of the last solve that ended in CRD_OK: basis[i] = 1 where z_i is basic (y_i = 0), 0 where z_i = 0. A free
 * row has 1, or 0 where it depends on others. Returns its length, 0 when there is none. */
CRD_API int crd_lcp_basis_get(const crd_lcp_work *work, unsigned char *basis);
/* Sets the basis that the next warm solve starts from; n entries as above. */
CRD_API crd_status crd_lcp_basis_set(crd_lcp_work *work, int n, const unsigned char *basis);

/* After has_ray: ray (n) and ray_cover with  W ray + d ray_cover >= 0, ray >= 0, and in each pair one of the two zero
 * (d = 0 and the row = 0 in free rows). Rows add up to ray' W ray = -ray_cover d' ray <= 0: where W is copositive,
 * ray_cover = 0 and ray solves the homogeneous problem [Halm & Posa, Prop. 2]. */
CRD_API const double *crd_lcp_ray(const crd_lcp_work *work, double *ray_cover);

/* ---------------------------------------------------------------------------------------------- checking */

/* Violations of the problem at z.
 *
 * `scaled` does not change when rows or columns are multiplied by positive numbers: a row's violation is divided by the
 * size of its terms, |w_i| + sum_j |W_ij z_j|, which counts at least 1e-4 of the problem's natural size (so that the
 * rounding noise of a zero is not divided by itself); a negative z_j, or a positive one beside y_j > 0, counts by what
 * it moves, max_i |W_ij z_j| / size_i. A violation also counts 1e-4 of its part of w alone, so that a point far out,
 * whose terms are large, does not pass for a solution. */
CRD_API crd_status crd_lcp_residual(crd_lcp_work *work, const crd_lcp_problem *problem, const double *z,
                                    crd_lcp_residual_parts *parts);

/* W (n x n, row-major) of the problem, dense. */
CRD_API crd_status crd_lcp_form(crd_lcp_work *work, const crd_lcp_problem *problem, double *W);

/* ---------------------------------------------------------------------------------------------- all solutions
 * The solution set is a union of polyhedra, one for each choice of the pairs' zero variables. A piece that lies within
 * another one is not listed. Exact up to the tolerances, and complete unless a limit was reached. */

typedef struct crd_lcp_piece {
  int dim;                 /* dimension: 0 is a single solution */
  const double *base;      /* n: a solution in the piece (the mean of its vertices) */
  const double *direction; /* dim x n: orthonormal basis of its affine hull at base */
  int vertices, rays, lines;
  const double *vertex;       /* vertices x n; the piece is their convex hull, */
  const double *ray;          /* rays x n: plus nonnegative multiples of the rays, largest entry 1, */
  const double *line;         /* lines x n: plus any multiples of the lines (free variables that move nothing) */
  const unsigned char *basis; /* n flags: y_i = 0 in all of the piece where 1, z_i = 0 where 0 */
  double residual;            /* largest scaled residual of its vertices */
} crd_lcp_piece;

typedef struct crd_lcp_enumerate_options {
  int max_nodes;          /* of the search; default 1000000 */
  int max_pieces;         /* default 10000 */
  double tolerance;       /* largest scaled residual of a vertex; default 1e-9 */
  double merge_tolerance; /* relative distance below which two solutions are one; default 1e-8 */
} crd_lcp_enumerate_options;

CRD_API crd_lcp_enumerate_options crd_lcp_enumerate_default(void);

/* Zero it before the first use ({0}); free it after every use. */
typedef struct crd_lcp_solutions {
  int n, count;
  const crd_lcp_piece *piece; /* points first, in the order of dimension */
  int points;                 /* pieces of dimension 0 */
  int nodes;                  /* of the search */
  bool complete;              /* no limit was reached */
  crd_arena arena;
} crd_lcp_solutions;

CRD_API void crd_lcp_solutions_free(crd_lcp_solutions *solutions);

/* Every solution. CRD_OK: at least one, and complete; CRD_NO_SOLUTION: none, and complete; CRD_LIMIT: a limit was
 * reached, what was found is listed; CRD_ERR_NUMBER and others as crd_lcp_solve. Up to 60 rows; the number of nodes
 * depends on how many choices of pairs are feasible. work has room for the problem. */
CRD_API crd_status crd_lcp_enumerate(crd_lcp_work *work, const crd_lcp_problem *problem,
                                     const crd_lcp_enumerate_options *options, crd_lcp_solutions *solutions);

/* ---------------------------------------------------------------------------------------------- matrix classes
 * What the class of W says about the problem: positive definite, P, K: one solution for every w. Strictly copositive:
 * a solution for every w. Copositive: a solution where w is in the dual of the kernel cone, found by Lemke [Halm &
 * Posa, Prop. 2]. Positive semidefinite: the solutions are one convex set, there is one wherever z, y >= 0 are
 * possible. */

typedef enum crd_lcp_class {
  CRD_LCP_POSITIVE_DEFINITE,
  CRD_LCP_POSITIVE_SEMIDEFINITE,
  CRD_LCP_P,                   /* all principal minors > 0 */
  CRD_LCP_P0,                  /* all principal minors >= 0 */
  CRD_LCP_Z,                   /* no positive entry off the diagonal */
  CRD_LCP_K,                   /* Z and P: a nonsingular M-matrix */
  CRD_LCP_STRICTLY_COPOSITIVE, /* x' W x > 0 for x >= 0, x != 0 */
  CRD_LCP_COPOSITIVE,          /* x' W x >= 0 for x >= 0 */
  CRD_LCP_CLASSES
} crd_lcp_class;

typedef enum crd_lcp_answer { CRD_LCP_NO, CRD_LCP_YES, CRD_LCP_UNDECIDED } crd_lcp_answer;

/* The answer and what proves it. Numbers within rounding of zero are taken as zero.
 *   (semi)definite   yes: margin is the least eigenvalue of the symmetric part. no: vector x with x'Wx = margin <= 0 (<
 * 0) P                no: set with principal minor <= 0, vector x with x_i (W x)_i <= 0 for all i P0               no:
 * set with principal minor < 0 Z                no: row, col of a positive entry K                yes: vector d > 0
 * with W d > 0. no: as Z, or as P copositive       no: vector x >= 0 with x'Wx = margin < 0 (<= 0 for strictly) The
 * rest is said by `reason`. UNDECIDED only when max_steps was reached. */
typedef struct crd_lcp_evidence {
  crd_lcp_answer answer;
  const char *reason;
  double margin;
  const double *vector;     /* n entries, or NULL */
  const unsigned char *set; /* n flags, or NULL */
  int row, col;             /* -1 where not used */
  long steps;               /* minors or faces looked at */
} crd_lcp_evidence;

/* Zero it before the first use ({0}); free it after every use. */
typedef struct crd_lcp_classification {
  int n;
  crd_lcp_evidence of[CRD_LCP_CLASSES];
  crd_arena arena;
} crd_lcp_classification;

/* "positive definite", "P", ... */
CRD_API const char *crd_lcp_class_name(crd_lcp_class which);

/* Tests all classes of the n x n matrix (rows row_stride apart, 0 is n). max_steps limits each of the exponential
 * tests, P, P0 and copositive (0 is 4 million); they are seldom needed beyond their first steps. CRD_ERR_NUMBER for a
 * NaN or infinity. */
CRD_API crd_status crd_lcp_classify(int n, const double *W, int row_stride, long max_steps,
                                    crd_lcp_classification *classification);
CRD_API void crd_lcp_classification_free(crd_lcp_classification *classification);

#ifdef __cplusplus
}
#endif
#endif
