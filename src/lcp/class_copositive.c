/* Copositive and strictly copositive: branch and bound over the faces of the simplex { x >= 0, sum x = 1 }.
 *
 * x'Ax has its minimum on the simplex in the relative interior of some face F. There A_F x = t 1 with x > 0 and t =
 * x'Ax, and A is positive semidefinite on the face's tangent space. A node of the search stands for the faces between K
 * (indices that must be there) and S (indices that may be); it is closed
 *   - when A_S is positive semidefinite: no value below zero on any of its faces, and a zero only where A_S x = 0, x >=
 * 0, which is a linear feasibility problem,
 *   - when A has negative curvature on an edge of K: no minimum inside a face that contains this edge,
 *   - when K = S, by solving A_S x = t 1;
 * an index whose row of A_S has no negative entry only adds to x'Ax, so it leaves S (with K, the node is closed: the
 * faces without it are elsewhere). Else one more index is taken into K, or out of S. Finite, and exact up to rounding;
 * in mechanics the first node or two decide, because A is positive semidefinite except for nonnegative rows [Halm & Posa,
 * eq. 138].
 */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "lcp/classes.h"
#include "lcp/dictionary.h"

static const double VANISHES = 10; /* times the rounding of an entry: what elimination leaves of a row that is zero */
enum { SET_BITS = 64 };            /* rows of a set of indices */

typedef struct faces {
  const double *A;
  int n;
  double zero; /* |x'Ax| below it is zero for x on the simplex */
  long steps, max_steps;
  bool limit;
  double *help;             /* [n][n+2] */
  lcp_dictionary dict;      /* of n + 1 pairs */
  double *least_x, *zero_x; /* [n] witnesses: x'Ax < 0, x'Ax = 0 */
  bool negative, null;
} faces;

static int members(uint64_t set, int *at) {
  int k = 0;
  for (; set; set &= set - 1) at[k++] = __builtin_ctzll(set);
  return k;
}

/* Keeps x (k entries at the given indices, >= 0) as witness if its value on the simplex is negative, or zero. */
static void witness(faces *search, const int *at, int k, const double *x) {
  double sum = 0, value = 0;
  for (int i = 0; i < k; i++) sum += x[i];
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) value += x[i] * search->A[(ptrdiff_t)at[i] * search->n + at[j]] * x[j];
  value /= sum * sum;
  double *to = value < -search->zero ? search->least_x : value <= search->zero ? search->zero_x : NULL;
  if (!to || (to == search->zero_x && search->null)) return;
  memset(to, 0, sizeof(double) * (size_t)search->n);
  for (int i = 0; i < k; i++) to[at[i]] = x[i] / sum;
  if (to == search->least_x)
    search->negative = true;
  else
    search->null = true;
}

/* Cholesky with diagonal pivoting of A_S. 1 definite, 0 semidefinite and singular, -1 neither. */
static int definite(faces *search, const int *at, int k) {
  double *B = search->help;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) B[i * k + j] = search->A[(ptrdiff_t)at[i] * search->n + at[j]];
  double zero = CLASS_ROUNDING * (k + 1);
  for (int p = 0; p < k; p++) {
    int best = p;
    for (int i = p + 1; i < k; i++)
      if (B[i * k + i] > B[best * k + best]) best = i;
    if (B[best * k + best] <= zero) {
      /* the rest has to vanish */
      for (int i = p; i < k; i++)
        for (int j = p; j < k; j++)
          if (fabs(B[i * k + j]) > VANISHES * zero) return -1;
      return 0;
    }
    for (int j = 0; j < k && best != p; j++) {
      double keep = B[p * k + j];
      B[p * k + j] = B[best * k + j], B[best * k + j] = keep;
    }
    for (int i = 0; i < k && best != p; i++) {
      double keep = B[i * k + p];
      B[i * k + p] = B[i * k + best], B[i * k + best] = keep;
    }
    for (int i = p + 1; i < k; i++) {
      double f = B[i * k + p] / B[p * k + p];
      for (int j = p + 1; j < k; j++) B[i * k + j] -= f * B[p * k + j];
    }
  }
  return 1;
}

/* Gauss-Jordan with complete pivoting on [A_S | 1]. The solution of A_S u = 1 in u where A_S is regular; where one
 * pivot is missing, the null vector. Returns the rank that is missing. */
static int stationary(faces *search, const int *at, int k, double *u) {
  double *B = search->help, zero = CLASS_ROUNDING * 10 * (k + 1);
  int order[CLASS_INDICES], width = k + 1, missing = 0;
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) B[i * width + j] = search->A[(ptrdiff_t)at[i] * search->n + at[j]];
    B[i * width + k] = 1;
    order[i] = i;
  }
  for (int p = 0; p < k; p++) {
    int r = p, c = p;
    for (int i = p; i < k; i++)
      for (int j = p; j < k; j++)
        if (fabs(B[i * width + j]) > fabs(B[r * width + c])) r = i, c = j;
    if (fabs(B[r * width + c]) <= zero) {
      missing = k - p;
      break;
    }
    for (int j = 0; j < width && r != p; j++) {
      double keep = B[p * width + j];
      B[p * width + j] = B[r * width + j], B[r * width + j] = keep;
    }
    for (int i = 0; i < k && c != p; i++) {
      double keep = B[i * width + p];
      B[i * width + p] = B[i * width + c], B[i * width + c] = keep;
    }
    int keep = order[p];
    order[p] = order[c], order[c] = keep;
    for (int i = 0; i < k; i++) {
      if (i == p) continue;
      double f = B[i * width + p] / B[p * width + p];
      for (int j = p; j < width; j++) B[i * width + j] -= f * B[p * width + j];
    }
  }
  int rank = k - missing;
  for (int i = 0; i < k; i++) u[i] = 0;
  if (missing == 1) u[order[k - 1]] = 1;
  for (int i = 0; i < rank && missing < 2; i++)
    u[order[i]] = (missing ? -B[i * width + k - 1] : B[i * width + k]) / B[i * width + i];
  return missing;
}

/* The interior of one face: its stationary point, or its null vector, if that is positive. */
static void look_inside(faces *search, uint64_t set) {
  int at[CLASS_INDICES], k = members(set, at);
  double u[CLASS_INDICES];
  if (stationary(search, at, k, u) > 1) return; /* a minimum would reach the boundary along the null space */
  bool positive = true, negative = true;
  for (int i = 0; i < k; i++) positive &= u[i] > 0, negative &= u[i] < 0;
  for (int i = 0; i < k && negative; i++) u[i] = -u[i];
  if (positive || negative) witness(search, at, k, u);
}

/* x >= 0 with A_S x = 0 and sum x = 1, where A_S is semidefinite: the rows of A_S and 1 - sum x are set to zero one by
 * one. */
static void look_for_null(faces *search, const int *at, int k) {
  lcp_dictionary *dict = &search->dict;
  double x[CLASS_INDICES] = {0};
  int n = dict->n; /* variables: row i is i, x_j is n + j */
  dict->rows = k + 1, dict->cols = k;
  memset(dict->T, 0, sizeof(double) * (size_t)(k + 1) * (size_t)(n + 1));
  for (int i = 0; i <= k; i++) {
    double *row = lcp_dictionary_row(dict, i);
    dict->row_var[i] = i;
    for (int j = 0; j < k; j++) row[j] = i < k ? search->A[(ptrdiff_t)at[i] * search->n + at[j]] : 1;
    if (i == k) row[n] = -1;
    if (i < k) dict->col_var[i] = n + i;
  }
  for (int i = 0; i <= k; i++)
    if (!lcp_dictionary_fix(dict, i)) return;
  if (lcp_dictionary_repair(dict) != 1) return;
  for (int i = 0; i < dict->rows; i++) x[dict->row_var[i] - n] = fmax(lcp_dictionary_row(dict, i)[n], 0);
  witness(search, at, k, x);
}

/* Negative curvature of x'Ax along an edge between index and an index that is kept. */
static bool has_negative_edge(const faces *search, uint64_t kept, int index) {
  const double *A = search->A;
  int n = search->n;
  for (; kept; kept &= kept - 1) {
    int j = __builtin_ctzll(kept);
    double curvature = A[(ptrdiff_t)index * n + index] + A[(ptrdiff_t)j * n + j] - 2 * A[(ptrdiff_t)index * n + j];
    if (curvature < -CLASS_ROUNDING) return true;
  }
  return false;
}

/* An index of S with no negative entry in its row of A_S; -1 where there is none. */
static int nonnegative_row(const faces *search, uint64_t allowed) {
  for (uint64_t rows = allowed; rows; rows &= rows - 1) {
    int i = __builtin_ctzll(rows);
    bool plain = true;
    for (uint64_t cols = allowed; cols && plain; cols &= cols - 1)
      plain = search->A[(ptrdiff_t)i * search->n + __builtin_ctzll(cols)] >= 0;
    if (plain) return i;
  }
  return -1;
}

/* The index to branch on: the row with the most negative entries among those still open. */
static int open_index(const faces *search, uint64_t allowed, uint64_t kept) {
  int best = -1;
  double most = INFINITY;
  for (uint64_t rows = allowed & ~kept; rows; rows &= rows - 1) {
    int i = __builtin_ctzll(rows);
    double sum = 0;
    for (uint64_t cols = allowed; cols; cols &= cols - 1)
      sum += fmin(search->A[(ptrdiff_t)i * search->n + __builtin_ctzll(cols)], 0);
    if (sum < most) most = sum, best = i;
  }
  return best;
}

static void descend(faces *search, uint64_t allowed, uint64_t kept) {
  for (;;) {
    if (search->negative || search->limit || allowed == 0) return;
    if (search->steps++ >= search->max_steps) {
      search->limit = true;
      return;
    }
    int plain = nonnegative_row(search, allowed);
    if (plain >= 0) {
      /* alone it is a face of its own: a zero on the diagonal is a zero of x'Ax */
      witness(search, &plain, 1, (double[1]){1});
      if (kept >> plain & 1) return;
      allowed &= ~((uint64_t)1 << plain);
      continue;
    }
    int at[CLASS_INDICES], k = members(allowed, at), sign = definite(search, at, k);
    if (sign == 0 && !search->null) look_for_null(search, at, k);
    if (sign >= 0) return;
    if (allowed == kept) {
      look_inside(search, allowed);
      return;
    }
    int index = open_index(search, allowed, kept);
    uint64_t bit = (uint64_t)1 << index;
    if (!has_negative_edge(search, kept, index)) descend(search, allowed, kept | bit);
    allowed &= ~bit;
  }
}

static bool tell(class_task *task, faces *search) {
  crd_lcp_evidence *copositive = &task->out->of[CRD_LCP_COPOSITIVE];
  crd_lcp_evidence *strict = &task->out->of[CRD_LCP_STRICTLY_COPOSITIVE];
  double *x = search->negative ? search->least_x : search->zero_x;
  copositive->steps = strict->steps = search->steps;
  if (search->negative || search->null) {
    for (int i = 0; i < task->n; i++) x[i] *= task->congruence[i];
    strict->answer = CRD_LCP_NO;
    strict->vector = lcp_class_vector(task, x);
    strict->margin = search->negative ? lcp_class_form(task, x) : fmin(lcp_class_form(task, x), 0);
    strict->reason = search->negative ? "x'Wx < 0 at the vector" : "x'Wx = 0 at the vector";
    if (!strict->vector) return false;
  }
  if (search->negative) {
    copositive->answer = CRD_LCP_NO;
    copositive->vector = strict->vector, copositive->margin = strict->margin, copositive->reason = strict->reason;
    return true;
  }
  if (search->limit) {
    copositive->reason = "the limit of steps was reached";
    if (!search->null) strict->reason = copositive->reason;
    return true;
  }
  copositive->answer = CRD_LCP_YES;
  copositive->reason = "no face of the simplex has a negative minimum";
  if (!search->null) strict->answer = CRD_LCP_YES, strict->reason = "every face of the simplex has a positive minimum";
  return true;
}

bool lcp_class_copositive(class_task *task) {
  size_t n = (size_t)task->n;
  crd_lcp_evidence *copositive = &task->out->of[CRD_LCP_COPOSITIVE];
  crd_lcp_evidence *strict = &task->out->of[CRD_LCP_STRICTLY_COPOSITIVE];
  if (task->out->of[CRD_LCP_POSITIVE_DEFINITE].answer == CRD_LCP_YES) {
    copositive->answer = strict->answer = CRD_LCP_YES;
    copositive->reason = strict->reason = "it is positive definite";
    return true;
  }
  if (n > CLASS_INDICES) {
    copositive->reason = strict->reason = "more than 64 rows";
    if (task->out->of[CRD_LCP_POSITIVE_SEMIDEFINITE].answer == CRD_LCP_YES)
      copositive->answer = CRD_LCP_YES, copositive->reason = "it is positive semidefinite";
    return true;
  }
  faces search = {.A = task->symmetric, .n = task->n, .max_steps = task->max_steps};
  search.zero = CLASS_ROUNDING * (double)(n + 1);
  unsigned char *memory, *no_free;
  if (CRD_TAKE(&task->scratch, CRD_MATRIX(search.help, n, n + 2), CRD_ARRAY(search.least_x, n),
               CRD_ARRAY(search.zero_x, n), CRD_ARRAY(memory, lcp_dictionary_size(task->n + 1)),
               CRD_ARRAY(no_free, n + 1)))
    return false;
  lcp_dictionary_place(&search.dict, task->n + 1, memory);
  search.dict.is_free = no_free;
  for (int i = 0; i < task->n; i++) witness(&search, &i, 1, (double[1]){1});
  descend(&search, n == SET_BITS ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1, 0);
  return tell(task, &search);
}
