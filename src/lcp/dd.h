/* Double-double numbers: the unevaluated sum of two doubles, 106 bits.
 *
 * The careful runs of the pivoting methods use them, so that a tie or a zero of the data is told from the rounding of a
 * long path. Sums are Knuth's and products Dekker's error-free transformations, without fma, so that every processor
 * gives the same bits.
 */
#ifndef SRC_LCP_DD_H
#define SRC_LCP_DD_H

typedef struct crd_dd {
  double hi, lo;
} crd_dd;

static inline crd_dd dd_of(double a) { return (crd_dd){a, 0}; }

static inline double dd_round(crd_dd a) { return a.hi + a.lo; }

/* |b| <= |a| */
static inline crd_dd dd_quick_sum(double a, double b) {
  double s = a + b;
  return (crd_dd){s, b - (s - a)};
}

static inline crd_dd dd_two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (crd_dd){s, (a - (s - t)) + (b - t)};
}

static inline crd_dd dd_two_product(double a, double b) {
  const double split = 134217729; /* 2^27 + 1 */
  double ta = split * a, a1 = ta - (ta - a), a2 = a - a1;
  double tb = split * b, b1 = tb - (tb - b), b2 = b - b1;
  double p = a * b;
  return (crd_dd){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline crd_dd dd_neg(crd_dd a) { return (crd_dd){-a.hi, -a.lo}; }

static inline crd_dd dd_add(crd_dd a, crd_dd b) {
  crd_dd s = dd_two_sum(a.hi, b.hi), t = dd_two_sum(a.lo, b.lo);
  s = dd_quick_sum(s.hi, s.lo + t.hi);
  return dd_quick_sum(s.hi, s.lo + t.lo);
}

static inline crd_dd dd_sub(crd_dd a, crd_dd b) { return dd_add(a, dd_neg(b)); }

static inline crd_dd dd_mul(crd_dd a, crd_dd b) {
  crd_dd p = dd_two_product(a.hi, b.hi);
  return dd_quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline crd_dd dd_div(crd_dd a, crd_dd b) {
  double q1 = a.hi / b.hi;
  crd_dd r = dd_sub(a, dd_mul(b, dd_of(q1)));
  double q2 = r.hi / b.hi;
  r = dd_sub(r, dd_mul(b, dd_of(q2)));
  return dd_add(dd_quick_sum(q1, q2), dd_of(r.hi / b.hi));
}

/* sum + a b, all of it */
static inline crd_dd dd_add_product(crd_dd sum, double a, double b) { return dd_add(sum, dd_two_product(a, b)); }

#endif
