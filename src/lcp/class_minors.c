/* P and P0: the signs of all principal minors, by recursion on Schur complements (Tsatsomeros & Li 2000).
 *
 * With a pivot a = A_11 > 0, the minors that contain index 1 are a times the minors of A / a, the others those of A
 * without row and column 1. So A is P if and only if a > 0 and both smaller matrices are P: 2^n - 1 pivots in all, most
 * of them of tiny matrices, instead of 2^n determinants. For P0 any index with a positive pivot may go first. Where the
 * whole diagonal is zero, a pair with A_ij A_ji < 0 is a 2 x 2 pivot, a pair with a positive product a negative minor,
 * and what has neither is treated by its determinants. Every entry carries a bound of its rounding error; a pivot
 * within it is zero.
 */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "lcp/classes.h"

static const double PIVOT_ROUNDING = 10; /* times rows and the error of an entry: smaller pivots may be zero */
enum { SET_BITS = 64 };                  /* rows of a set of indices */

typedef struct minors {
  long steps, max_steps;
  bool undecided;
  uint64_t bad_set; /* indices of a minor with the wrong sign */
  double *memory;   /* levels one behind the other */
} minors;

/* A matrix of order m and the errors of its entries; index holds what its rows were. */
typedef struct level {
  int m;
  double *A, *E;
  int *index;
} level;

static level next_level(const level *now) {
  level next = *now;
  size_t entries = (size_t)now->m * (size_t)now->m;
  next.A = now->E + entries;
  next.E = next.A + (size_t)(now->m - 1) * (size_t)(now->m - 1);
  next.index = now->index + now->m;
  next.m = now->m - 1;
  return next;
}

/* now without row and column r. */
static level without(const level *now, int r) {
  level next = next_level(now);
  int m = now->m, k = next.m;
  for (int i = 0, a = 0; i < m; i++) {
    if (i == r) continue;
    next.index[a] = now->index[i];
    for (int j = 0, b = 0; j < m; j++) {
      if (j == r) continue;
      next.A[a * k + b] = now->A[i * m + j];
      next.E[a * k + b] = now->E[i * m + j];
      b++;
    }
    a++;
  }
  return next;
}

/* Subtracts u v from every entry left, with the first-order error of the product and its factors' errors. */
static void subtract(level *next, const level *now, int r, int c, double pivot, double pivot_error) {
  int m = now->m, k = next->m;
  for (int a = 0; a < k; a++)
    for (int b = 0; b < k; b++) {
      int i = a + (a >= r), j = b + (b >= c);
      double u = now->A[i * m + c], v = now->A[r * m + j], product = u * v / pivot;
      double error =
          (fabs(u) * now->E[r * m + j] + fabs(v) * now->E[i * m + c] + fabs(product) * pivot_error) / fabs(pivot);
      next->A[a * k + b] -= product;
      next->E[a * k + b] += error + 4e-16 * fabs(product);
    }
}

/* Schur complement of the entry (r, r). */
static level complement(const level *now, int r) {
  level next = without(now, r);
  subtract(&next, now, r, r, now->A[r * now->m + r], now->E[r * now->m + r]);
  return next;
}

static bool count_step(minors *test) {
  if (test->steps++ < test->max_steps) return true;
  test->undecided = true;
  return false;
}

/* True: P as far as was looked. False: a minor is not positive, or the limit was reached. */
static bool is_p(minors *test, const level *now, uint64_t set) {
  if (!count_step(test)) return false;
  if (!(now->A[0] > now->E[0])) {
    test->bad_set = set | (uint64_t)1 << now->index[0];
    return false;
  }
  if (now->m == 1) return true;
  level rest = without(now, 0);
  if (!is_p(test, &rest, set)) return false;
  rest = complement(now, 0);
  return is_p(test, &rest, set | (uint64_t)1 << now->index[0]);
}

/* Determinant of the rows and columns in `subset`, with an error bound from the sizes met. */
static int sign_of_minor(const level *now, uint64_t subset) {
  double A[CLASS_INDICES * CLASS_INDICES];
  int at[CLASS_INDICES], k = 0, m = now->m, sign = 1;
  double error = 0;
  for (int i = 0; i < m; i++)
    if (subset >> i & 1) at[k++] = i;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      A[i * k + j] = now->A[at[i] * m + at[j]];
      error = fmax(error, now->E[at[i] * m + at[j]]);
    }
  for (int p = 0; p < k; p++) {
    int best = p;
    for (int i = p + 1; i < k; i++)
      if (fabs(A[i * k + p]) > fabs(A[best * k + p])) best = i;
    if (!(fabs(A[best * k + p]) > PIVOT_ROUNDING * k * error)) return 0;
    if (best != p) sign = -sign;
    for (int j = 0; j < k && best != p; j++) {
      double keep = A[p * k + j];
      A[p * k + j] = A[best * k + j], A[best * k + j] = keep;
    }
    if (A[p * k + p] < 0) sign = -sign;
    for (int i = p + 1; i < k; i++) {
      double f = A[i * k + p] / A[p * k + p];
      for (int j = p; j < k; j++) A[i * k + j] -= f * A[p * k + j];
    }
  }
  return sign;
}

static uint64_t original_set(const level *now, uint64_t subset) {
  uint64_t set = 0;
  for (int i = 0; i < now->m; i++)
    if (subset >> i & 1) set |= (uint64_t)1 << now->index[i];
  return set;
}

/* Zero diagonal and no pair with A_ij A_ji != 0: determinants of what is left after indices whose row or column is
 * zero, which belong to zero minors only, are gone. */
static bool is_p0_by_determinants(minors *test, const level *now, uint64_t set) {
  uint64_t core = now->m == SET_BITS ? ~(uint64_t)0 : ((uint64_t)1 << now->m) - 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < now->m; i++) {
      if (!(core >> i & 1)) continue;
      bool row = false, col = false;
      for (int j = 0; j < now->m; j++) {
        if (!(core >> j & 1)) continue;
        row |= fabs(now->A[i * now->m + j]) > now->E[i * now->m + j];
        col |= fabs(now->A[j * now->m + i]) > now->E[j * now->m + i];
      }
      if (!row || !col) core &= ~((uint64_t)1 << i), changed = true;
    }
  }
  for (uint64_t subset = core; subset; subset = (subset - 1) & core) {
    if (!count_step(test)) return false;
    if (sign_of_minor(now, subset) < 0) {
      test->bad_set = set | original_set(now, subset);
      return false;
    }
  }
  return true;
}

static bool is_p0(minors *test, const level *now, uint64_t set);

/* Minors that contain both r and c, whose diagonal is zero: 2 x 2 pivot, as two eliminations one after the other. */
static bool is_p0_with_pair(minors *test, const level *now, int r, int c, uint64_t set) {
  uint64_t both = set | (uint64_t)1 << now->index[r] | (uint64_t)1 << now->index[c];
  level rest = without(now, r);
  int other = c - (c > r);
  level last = without(&rest, other);
  int m = now->m, k = last.m;
  double p = now->A[r * m + c], q = now->A[c * m + r];
  double pe = now->E[r * m + c], qe = now->E[c * m + r];
  if (k == 0) return true;
  for (int a = 0; a < k; a++)
    for (int b = 0; b < k; b++) {
      int i = a, j = b, low = r < c ? r : c, high = r < c ? c : r;
      i += i >= low, i += i >= high, j += j >= low, j += j >= high;
      /* A_ij - [A_ir A_ic] [0 p; q 0]^-1 [A_rj; A_cj], the inverse is [0 1/q; 1/p 0] */
      double u = now->A[i * m + r], v = now->A[c * m + j] / q, s = now->A[i * m + c], t = now->A[r * m + j] / p;
      last.A[a * k + b] -= u * v + s * t;
      last.E[a * k + b] += fabs(v) * now->E[i * m + r] + fabs(t) * now->E[i * m + c] +
                           fabs(u / q) * (now->E[c * m + j] + fabs(v) * qe) +
                           fabs(s / p) * (now->E[r * m + j] + fabs(t) * pe) + 4e-16 * (fabs(u * v) + fabs(s * t));
    }
  return is_p0(test, &last, both);
}

static bool is_p0(minors *test, const level *now, uint64_t set) {
  int m = now->m, best = -1;
  double most = 0;
  if (!count_step(test)) return false;
  for (int i = 0; i < m; i++) {
    double a = now->A[i * m + i], e = now->E[i * m + i];
    if (a < -e) {
      test->bad_set = set | (uint64_t)1 << now->index[i];
      return false;
    }
    if (a > e && a > most) most = a, best = i;
  }
  if (m == 1) return true;
  if (best >= 0) {
    level rest = without(now, best);
    if (!is_p0(test, &rest, set)) return false;
    rest = complement(now, best);
    return is_p0(test, &rest, set | (uint64_t)1 << now->index[best]);
  }
  for (int i = 0; i < m; i++)
    for (int j = i + 1; j < m; j++) {
      double a = now->A[i * m + j], b = now->A[j * m + i];
      if (!(fabs(a) > now->E[i * m + j] && fabs(b) > now->E[j * m + i])) continue;
      if (a * b > 0) {
        test->bad_set = set | (uint64_t)1 << now->index[i] | (uint64_t)1 << now->index[j];
        return false;
      }
      level rest = without(now, i);
      if (!is_p0(test, &rest, set)) return false;
      rest = without(now, j);
      if (!is_p0(test, &rest, set)) return false;
      return is_p0_with_pair(test, now, i, j, set);
    }
  return is_p0_by_determinants(test, now, set);
}

/* x with x_i (W x)_i <= 0 for all i: the last index of the bad set is 1, the others make their rows zero. */
static bool reversed_vector(class_task *task, uint64_t set, const minors *test, crd_lcp_evidence *out) {
  int n = task->n, at[CLASS_INDICES], k = 0;
  double *A = test->memory, *x = A + (ptrdiff_t)n * (n + 1);
  for (int i = 0; i < n; i++)
    if (set >> i & 1) at[k++] = i;
  /* the bad index is the one met last: minors without it were positive. Any order works that has positive pivots before
   * it; the recursion takes indices in their own order, so it is the largest. */
  int order = k - 1;
  for (int i = 0; i < order; i++) {
    for (int j = 0; j < order; j++) A[i * (order + 1) + j] = task->scaled[(ptrdiff_t)at[i] * n + at[j]];
    A[i * (order + 1) + order] = -task->scaled[(ptrdiff_t)at[i] * n + at[order]];
  }
  for (int p = 0; p < order; p++)
    for (int i = 0; i < order; i++) {
      if (i == p) continue;
      double f = A[i * (order + 1) + p] / A[p * (order + 1) + p];
      for (int j = p; j <= order; j++) A[i * (order + 1) + j] -= f * A[p * (order + 1) + j];
    }
  memset(x, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < order; i++) x[at[i]] = A[i * (order + 1) + order] / A[i * (order + 1) + i] * task->col[at[i]];
  x[at[order]] = task->col[at[order]];
  out->vector = lcp_class_vector(task, x);
  return out->vector != NULL;
}

static level first_level(class_task *task, const minors *test, int *index) {
  int n = task->n;
  level first = {.m = n, .A = test->memory, .E = test->memory + (ptrdiff_t)n * n, .index = index};
  for (int i = 0; i < n * n; i++) {
    first.A[i] = task->scaled[i];
    first.E[i] = 4e-16 * fabs(task->scaled[i]);
  }
  for (int i = 0; i < n; i++) index[i] = i;
  return first;
}

static bool run(class_task *task, crd_lcp_class which, int *index, double *memory) {
  crd_lcp_evidence *out = &task->out->of[which];
  minors test = {.max_steps = task->max_steps, .memory = memory};
  level first = first_level(task, &test, index);
  bool yes = which == CRD_LCP_P ? is_p(&test, &first, 0) : is_p0(&test, &first, 0);
  out->steps = test.steps;
  if (test.undecided) {
    out->reason = "the limit of steps was reached";
    return true;
  }
  out->answer = yes ? CRD_LCP_YES : CRD_LCP_NO;
  out->reason = which == CRD_LCP_P ? (yes ? "every principal minor is positive" : "a principal minor is not positive")
                                   : (yes ? "no principal minor is negative" : "a principal minor is negative");
  if (yes) return true;
  out->set = lcp_class_set(task, test.bad_set);
  return out->set && (which != CRD_LCP_P || reversed_vector(task, test.bad_set, &test, out));
}

bool lcp_class_minors(class_task *task) {
  const crd_lcp_evidence *definite = task->out->of;
  size_t n = (size_t)task->n;
  double *memory = NULL;
  int *index = NULL;
  if (n <= CLASS_INDICES) {
    /* a level of order m takes 2 m^2; elimination of a witness needs n (n + 1) + n */
    if (CRD_TAKE(&task->scratch, CRD_ARRAY(memory, 2 * (n + 1) * (n + 1) * (n + 2)), CRD_ARRAY(index, n * (n + 1))))
      return false;
  }
  for (int k = 0; k < 2; k++) {
    crd_lcp_class which = k ? CRD_LCP_P0 : CRD_LCP_P;
    crd_lcp_evidence *out = &task->out->of[which];
    if (definite[k].answer == CRD_LCP_YES) {
      out->answer = CRD_LCP_YES;
      out->reason = k ? "it is positive semidefinite" : "it is positive definite";
    } else if (k && task->out->of[CRD_LCP_P].answer == CRD_LCP_YES) {
      out->answer = CRD_LCP_YES;
      out->reason = "it is P";
    } else if (!memory) {
      out->reason = "more than 64 rows";
    } else if (!run(task, which, index, memory)) {
      return false;
    }
  }
  return true;
}
