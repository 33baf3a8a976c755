/* lcp: linear complementarity problems, solved, enumerated and classified.
 *
 *   find z with  0 <= z  _|_  y = W z + w >= 0,   and for free rows i:  y_i = 0, z_i of any sign  (mixed problem).
 *
 * W is given dense, in factored form J M^-1 J', or as the sum of both. A solve ends in a named verdict (crd_status):
 *   CRD_OK            z satisfies the problem: report.residual <= options.tolerance, measured on the data as given
 *   CRD_NO_SOLUTION   proved to have none; report.proof names the kind of proof
 *   CRD_RAY           Lemke's path ended on a ray, given as certificate (crd_lcp_ray); solutions may exist
 *   CRD_LIMIT         max_pivots reached
 *   CRD_UNKNOWN       no result could be verified: the data are singular to working accuracy
 *   CRD_ERR_NUMBER    W, w, J or L contains a NaN or an infinity: report.bad_row, report.bad_col
 *   CRD_ERR_ARGUMENT, CRD_ERR_CAPACITY   misuse
 * z is written for CRD_OK only.
 *
 * Each thread has its own workspace. A solve allocates nothing.
 */
#ifndef CRADLE_LCP_H
#define CRADLE_LCP_H

#include <cradle/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The matrix of the problem is W + J M^-1 J'. All arrays belong to the caller. */
typedef struct crd_lcp_problem {
  int n;                         /* rows */
  const double *w;               /* n */
  const double *W;               /* n x n, row-major; NULL: zero (only with J) */
  int row_stride;                /* doubles from a row of W to the next; 0: n */
  int free_leading;              /* so many rows at the beginning are free (bilateral) */
  const unsigned char *free_row; /* n flags of further free rows; NULL: none */
  int nv;                        /* columns of J */
  const double *J;               /* n x nv, row-major; NULL: none */
  const double *L;               /* nv x nv, row-major: lower Cholesky factor of M = L L'; NULL: M = identity */
} crd_lcp_problem;

/* A problem without free rows, with dense W (n x n) and w (n); the other fields are zero. */
CRD_API crd_lcp_problem crd_lcp_dense(int n, const double *W, const double *w);

/* ---------------------------------------------------------------------------------------------- solving */

typedef struct crd_lcp_work crd_lcp_work;

/* A workspace for up to n rows and nv columns of J (0 without J), to be freed by the caller; NULL if memory is out. */
CRD_API crd_lcp_work *crd_lcp_work_new(int n, int nv);
/* Frees it; NULL does nothing. */
CRD_API void crd_lcp_work_free(crd_lcp_work *work);
/* Memory of the workspace in bytes. */
CRD_API size_t crd_lcp_work_bytes(const crd_lcp_work *work);

typedef struct crd_lcp_options {
  double tolerance;    /* (1) largest relative residual of a solution (crd_lcp_residual); default 1e-10 */
  int max_pivots;      /* of each run of Lemke's method; 0: the default, 50 n + 100000 / (n + 1) */
  const double *cover; /* n: covering vector d > 0 of Lemke's method (free rows are not read); NULL: ones */
  bool warm;           /* try the last basis of this workspace first, then block pivots from it, then Lemke's method */
  bool same_matrix;    /* with warm: the caller guarantees that W, J, L and the free rows are those of the last solve */
  int block_steps;     /* largest number of block-pivoting steps after a warm start; default 12 */
  int search_nodes;    /* after a ray, or if nothing could be verified: search so many nodes for a solution or a proof
                        * that none exists; default 0 after a ray and 20000 if nothing could be verified */
} crd_lcp_options;
/* The defaults, as stated at the fields. */
CRD_API crd_lcp_options crd_lcp_default(void);

/* The method that found the answer. */
typedef enum crd_lcp_path {
  CRD_LCP_PATH_NONE,
  CRD_LCP_PATH_TRIVIAL, /* w >= 0: z = 0 */
  CRD_LCP_PATH_WARM,    /* the last basis still holds */
  CRD_LCP_PATH_BLOCK,   /* block pivoting from the last basis */
  CRD_LCP_PATH_LEMKE,   /* Lemke's method, double precision */
  CRD_LCP_PATH_CAREFUL, /* Lemke's method, double-double precision */
  CRD_LCP_PATH_SEARCH   /* search over complementary pieces */
} crd_lcp_path;

/* The kind of proof of CRD_NO_SOLUTION. */
typedef enum crd_lcp_proof {
  CRD_LCP_PROOF_NONE,
  CRD_LCP_PROOF_RAY,       /* the ray r >= 0 has W' r <= 0 (= 0 in free columns) and w' r < 0: not even feasible */
  CRD_LCP_PROOF_BILATERAL, /* the free rows contradict each other */
  CRD_LCP_PROOF_SEARCH     /* every complementary piece is empty */
} crd_lcp_proof;

/* "warm", "lemke", ... */
CRD_API const char *crd_lcp_path_name(crd_lcp_path path);
/* "ray", "search", ... */
CRD_API const char *crd_lcp_proof_name(crd_lcp_proof proof);

/* Violations at a point z; see crd_lcp_residual. */
typedef struct crd_lcp_residual_parts {
  double scaled;  /* (1) the largest violation; `tolerance` is compared with it */
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
  /* (1) bound on the scaled residual of z, never too small; exact after a Lemke, block or careful path */
  double residual;
  int pivots;           /* exchanges of all Lemke runs of this solve */
  int block_steps;      /* of block pivoting */
  int runs;             /* runs of Lemke's method: 1 unless a result had to be confirmed */
  bool has_ray;         /* crd_lcp_ray has the certificate of the ray */
  int rank_dropped;     /* free rows found dependent on others; their multipliers have least norm */
  int bad_row, bad_col; /* CRD_ERR_NUMBER: indices in W (or J, L); bad_col = -1 in w. -1, -1 otherwise */
} crd_lcp_report;

/* Solves the problem; z (n). options and report may be NULL. The statuses are those at the head of this file. */
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

/* Lists every solution of a problem of up to 60 rows. The number of nodes depends on how many choices of pairs are
 * feasible. `work` must have room for the problem. CRD_OK: at least one, complete; CRD_NO_SOLUTION: none, complete;
 * CRD_LIMIT: a limit was reached, and the solutions so far are listed; CRD_ERR_NUMBER and others as crd_lcp_solve. */
CRD_API crd_status crd_lcp_enumerate(crd_lcp_work *work, const crd_lcp_problem *problem,
                                     const crd_lcp_enumerate_options *options, crd_lcp_solutions *solutions);

/* ---------------------------------------------------------------------------------------------- matrix classes
 * Consequences of the class of W for the problem:
 *   positive definite, P, K   exactly one solution for every w
 *   strictly copositive       a solution for every w
 *   copositive                a solution if w is in the dual of the kernel cone, found by Lemke [Halm & Posa, Prop. 2]
 *   positive semidefinite     the solutions are one convex set, not empty if z, y >= 0 are feasible */

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

/* The answer and its proof. Numbers within rounding of zero count as zero.
 *   (semi)definite   yes: margin is the least eigenvalue of the symmetric part
 *                    no: vector x with x'Wx = margin <= 0 (< 0 for semidefinite)
 *   P                no: set with principal minor <= 0, vector x with x_i (W x)_i <= 0 for all i
 *   P0               no: set with principal minor < 0
 *   Z                no: row, col of a positive entry
 *   K                yes: vector d > 0 with W d > 0. no: as Z, or as P
 *   copositive       no: vector x >= 0 with x'Wx = margin < 0 (<= 0 for strictly)
 * All other answers are explained by `reason`. UNDECIDED only if max_steps was reached. */
typedef struct crd_lcp_evidence {
  crd_lcp_answer answer;
  const char *reason;       /* a sentence */
  double margin;            /* as above */
  const double *vector;     /* n entries, or NULL */
  const unsigned char *set; /* n flags, or NULL */
  int row, col;             /* -1: not used */
  long steps;               /* minors or faces examined */
} crd_lcp_evidence;

/* Zero it before the first use ({0}); free it after every use. */
typedef struct crd_lcp_classification {
  int n;
  crd_lcp_evidence of[CRD_LCP_CLASSES];
  crd_arena arena;
} crd_lcp_classification;

/* "positive definite", "P", ... */
CRD_API const char *crd_lcp_class_name(crd_lcp_class which);

/* Tests all classes of the n x n matrix W (rows row_stride doubles apart; 0: n). max_steps limits each of the
 * exponential tests, P, P0 and copositive (0: 4 million); most matrices need only their first steps. CRD_ERR_NUMBER: a
 * NaN or an infinity; CRD_ERR_MEMORY. */
CRD_API crd_status crd_lcp_classify(int n, const double *W, int row_stride, long max_steps,
                                    crd_lcp_classification *classification);
CRD_API void crd_lcp_classification_free(crd_lcp_classification *classification);

#ifdef __cplusplus
}
#endif
#endif
