/* Lemke's method, the loop that all its versions share.
 *
 * y = W z + d z0 + w with covering vector d > 0; the basis is almost complementary: of each pair (y_j, z_j) one
 * variable is basic, except for one pair of which none is while z0 is. The entering variable is the complement of the one
 * that left, so no pricing and no row of a tableau is needed: only the entering column x = B^-1 N, the values q = B^-1
 * w, and for degenerate steps the rows of B^-1 (lexicographic ratio test, Cottle, Pang & Stone 2009, section 4.9). B^-1
 * e_j is a unit vector while y_j is basic; the other columns, one for each y_j that is not, are kept in slots. A pivot
 * costs O(rows * slots), and slots is the number of contacts' worth of positive z, not n.
 *
 * Rows: y_j, when basic, is always in row j, so that a column of W enters row by row and the slots' members are, at
 * the end, exactly the basis {j : z_j basic}.
 *
 * This file is included after NUM (the number type), LEMKE(name) and the kernels are defined:
 *   LEMKE(column)(s, j, nv)   x = -B^-1 W_j
 *   LEMKE(choose)(s, nv)      the row that leaves, or -1 when nothing blocks; calls lexicographic() on ties
 *   LEMKE(pivot)(s, r, nv)    B^-1 after the exchange in row r with column x
 *   LEMKE(values)(s, r, nv)   q after the exchange
 *   LEMKE(mark)(s, j, b, nv)  y_j is basic (1) or not (0)
 * nv is the number of vectors a column occupies; where the caller passes a constant the loops unroll.
 */
#include <cradle/base.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Row i of B^-1, column j: y_j is basic in row j, or its column lies in a slot. */
static inline NUM LEMKE(inverse)(const LEMKE(state) * s, int i, int j) {
  int slot = s->slot[j];
  return slot >= 0 ? s->B[(ptrdiff_t)slot * s->stride + i] : NUM_OF(i == j ? 1.0 : 0.0);
}

/* Ties of the ratio test: the row whose (q_i, (B^-1)_i) / x_i is lexicographically least. z0 goes first: it ends the
 * path, and the point is a solution. */
static int LEMKE(lexicographic)(LEMKE(state) * s, const int *tied, int count) {
  int *left = s->tied;
  for (int k = 0; k < count; k++) {
    if (tied[k] == s->z0_row) return tied[k];
    left[k] = tied[k];
  }
  for (int j = 0; j < s->n && count > 1; j++) {
    double best = INFINITY;
    int kept = 0;
    for (int k = 0; k < count; k++) {
      int i = left[k];
      double value = NUM_ROUND(NUM_DIV(LEMKE(inverse)(s, i, j), s->x[i]));
      double margin = s->same * (1 + fmin(fabs(value), fabs(best)));
      if (value < best - margin) {
        best = value;
        kept = 0;
        left[kept++] = i;
      } else if (value <= best + margin) {
        left[kept++] = i;
      }
    }
    count = kept;
  }
  return left[0];
}

/* Swaps two rows, so that an entering y_j comes to lie in row j. */
static void LEMKE(swap_rows)(LEMKE(state) * s, int a, int b) {
  for (int k = 0; k < s->slots; k++) {
    NUM *column = s->B + (ptrdiff_t)k * s->stride, keep = column[a];
    column[a] = column[b], column[b] = keep;
  }
  NUM q = s->q[a];
  s->q[a] = s->q[b], s->q[b] = q;
  int var = s->var[a];
  s->var[a] = s->var[b], s->var[b] = var;
  for (int k = 0; k < 2; k++) {
    int row = k ? b : a, v = s->var[row];
    if (v == 2 * s->n) s->z0_row = row;
    if (v >= s->n && v < 2 * s->n) s->z_row[v - s->n] = row;
  }
}

static inline void LEMKE(remove_slot)(LEMKE(state) * s, int slot) {
  int last = --s->slots;
  s->slot[s->member[slot]] = -1;
  if (slot == last) return;
  memcpy(s->B + (ptrdiff_t)slot * s->stride, s->B + (ptrdiff_t)last * s->stride, sizeof(NUM) * (size_t)s->stride);
  s->member[slot] = s->member[last];
  s->slot[s->member[slot]] = slot;
}

/* Bookkeeping of an exchange in row r: `entering` becomes basic, `leaving` does not. The new column of a leaving y_j
 * was put by the pivot into the slot behind the last. */
CRD_ALWAYS_INLINE void LEMKE(exchange)(LEMKE(state) * s, int r, int entering, int leaving, int nv) {
  int n = s->n;
  s->var[r] = entering;
  if (leaving < n) {
    s->member[s->slots] = leaving;
    s->slot[leaving] = s->slots++;
    LEMKE(mark)(s, leaving, 0, nv);
  }
  if (entering >= n) {
    s->z_row[entering - n] = r;
  } else {
    LEMKE(remove_slot)(s, s->slot[entering]);
    if (r != entering) LEMKE(swap_rows)(s, r, entering);
    LEMKE(mark)(s, entering, 1, nv);
  }
}

/* First exchange: z0 for the y_r with the least w_r / d_r. Among equals the last is the lexicographic choice. q = w,
 * the columns of W and d (in x) are loaded; nothing is in a slot. */
CRD_ALWAYS_INLINE void LEMKE(first)(LEMKE(state) * s, int r, int nv) {
  int n = s->n;
  s->step = NUM_DIV(s->q[r], s->x[r]);
  LEMKE(values)(s, r, nv);
  LEMKE(pivot)(s, r, nv);
  LEMKE(exchange)(s, r, 2 * n, r, nv);
  s->z0_row = r;
  s->entering = n + r;
  s->pivots = 1;
}

/* B^-1 and q anew from the columns of W, for the basis at hand: the basic z enter one by one, each in the row of a y
 * that is not basic, largest pivot first. Takes out the rounding of a long path. False where no pivot is left. */
static bool LEMKE(refresh)(LEMKE(state) * s, int nv) {
  int n = s->n, count = 0, *wanted = s->tied, *leaving = s->z_row;
  for (int i = 0; i < n; i++)
    if (s->var[i] >= n) wanted[count++] = s->var[i];
  /* z_row is written again by the exchanges; until then it lists the rows that y_j has to leave */
  for (int t = 0; t < s->slots; t++) leaving[t] = s->member[t];
  int left = s->slots;
  s->slots = 0;
  for (int i = 0; i < n; i++) {
    s->var[i] = i, s->slot[i] = -1;
    LEMKE(mark)(s, i, 1, nv);
  }
  for (int k = 0; k < count; k++) {
    LEMKE(column)(s, wanted[k] == 2 * n ? n + 1 : wanted[k] - n, nv);
    int best = -1;
    double most = 0;
    for (int t = 0; t < left; t++) {
      double size = fabs(NUM_ROUND(s->x[leaving[t]]));
      if (size > most) most = size, best = t;
    }
    if (best < 0) return false;
    int r = leaving[best];
    leaving[best] = leaving[--left];
    LEMKE(pivot)(s, r, nv);
    s->var[r] = wanted[k];
    s->member[s->slots] = r, s->slot[r] = s->slots++;
    LEMKE(mark)(s, r, 0, nv);
  }
  for (int i = 0; i < n; i++) {
    if (s->var[i] == 2 * n)
      s->z0_row = i;
    else if (s->var[i] >= n)
      s->z_row[s->var[i] - n] = i;
  }
  const NUM *w = s->W + (ptrdiff_t)n * s->stride;
  LEMKE(column)(s, n, nv);
  for (int i = 0; i < n; i++) {
    double size = 1;
    for (int t = 0; t < s->slots; t++)
      size += fabs(NUM_ROUND(s->B[(ptrdiff_t)t * s->stride + i]) * NUM_ROUND(w[s->member[t]]));
    s->q[i] = -NUM_ROUND(s->x[i]) > s->zero_value * size ? NUM_NEG(s->x[i]) : NUM_OF(0);
  }
  return true;
}

/* Odd words that stand for variables in the sum over the basis. */
CRD_ALWAYS_INLINE uint64_t LEMKE(key)(int var) {
  uint64_t k = (uint64_t)(var + 1) * 0x9e3779b97f4a7c15u;
  k = (k ^ k >> 29) * 0xbf58476d1ce4e5b9u;
  return k ^ k >> 32;
}

/* From the first exchange to the end: LEMKE_SOLVED (z0 left; members are the basis, q its values), LEMKE_RAY (x is the
 * column of s->entering, nothing blocks), LEMKE_LIMIT, or LEMKE_CYCLE: a basis came back, which rounding alone can
 * bring about; it is found by comparison with the bases after 1, 2, 4, 8, .. pivots (Brent). */
CRD_ALWAYS_INLINE lemke_end LEMKE(run)(LEMKE(state) * s, int nv) {
  int n = s->n, entering = s->entering;
  double least = s->least_pivot;
  uint64_t here = 0, there = 1;
  int look = s->pivots + 1, refresh = s->pivots + LEMKE_REFRESH + 2 * n;
  while (s->pivots < s->max_pivots) {
    if (s->pivots % LEMKE_BETWEEN_LOOKS == 0 && crd_interrupted()) return LEMKE_LIMIT;
    s->entering = entering;
    if (entering >= n) {
      LEMKE(column)(s, entering - n, nv);
    } else {
      memcpy(s->x, s->B + (ptrdiff_t)s->slot[entering] * s->stride, sizeof(NUM) * (size_t)s->stride);
    }
    int r = LEMKE(choose)(s, nv);
    if (r < 0) {
      s->least_pivot = least;
      return LEMKE_RAY;
    }
    double pivot = NUM_ROUND(s->x[r]);
    least = pivot < least ? pivot : least;
    int leaving = s->var[r];
    LEMKE(values)(s, r, nv);
    s->pivots++;
    if (leaving == 2 * n) {
      LEMKE(exchange)(s, r, entering, leaving, nv);
      s->least_pivot = least;
      return LEMKE_SOLVED;
    }
    LEMKE(pivot)(s, r, nv);
    LEMKE(exchange)(s, r, entering, leaving, nv);
    here += LEMKE(key)(entering) - LEMKE(key)(leaving);
    if (here == there) return LEMKE_CYCLE;
    if (s->pivots >= look) there = here, look = 2 * s->pivots;
    if (s->pivots >= refresh) {
      if (!LEMKE(refresh)(s, nv)) return LEMKE_CYCLE;
      refresh = s->pivots + LEMKE_REFRESH + 2 * n;
    }
    entering = leaving < n ? leaving + n : leaving - n;
  }
  return LEMKE_LIMIT;
}

/* The whole path: q = w and the columns of W are loaded, cover has n positive entries. LEMKE_SOLVED with no member
 * where w >= 0. */
CRD_ALWAYS_INLINE lemke_end LEMKE(from_start)(LEMKE(state) * s, const double *cover, int nv) {
  int n = s->n, r = 0;
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    double ratio = NUM_ROUND(s->q[i]) / cover[i];
    if (ratio <= least) least = ratio, r = i;
  }
  s->slots = s->pivots = 0;
  s->least_pivot = INFINITY;
  if (least >= 0) return LEMKE_SOLVED;
  NUM *w = s->W + (ptrdiff_t)n * s->stride, *d = w + s->stride;
  for (int i = 0; i < s->stride; i++) w[i] = i < n ? s->q[i] : NUM_OF(0), d[i] = NUM_OF(i < n ? cover[i] : 0.0);
  for (int i = 0; i < n; i++) {
    s->x[i] = NUM_OF(-cover[i]);
    s->var[i] = i;
    s->slot[i] = -1;
    s->basic_y[i] = 1;
  }
  for (int i = n; i < s->stride; i++) s->q[i] = s->x[i] = NUM_OF(0), s->basic_y[i] = 0;
  LEMKE(first)(s, r, nv);
  return LEMKE(run)(s, nv);
}
