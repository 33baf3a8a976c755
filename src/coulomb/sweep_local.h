/* The problem of one contact alone, solved exactly: with v the velocity that all others leave,
 *
 *   open    v_n >= 0: p = 0
 *   stick   p = -G^-1 v, if it lies in the cone
 *   slip    u_n = 0, u_t = -alpha p_t, alpha > 0:   (H + alpha) p_t = -e,   |p_t| = mu p_n = -mu (r + m.p_t)
 *
 * (H, e, r, m: below). Where sticking fails |p_t| > mu p_n at alpha = 0, and |p_t| < mu p_n at alpha = infinity, so
 * there is a slip; alpha is found by Newton's method on mu p_n / |p_t| - 1, which is nearly linear in alpha [More and
 * Sorensen 1983], kept between the best bounds so far. It starts from the last alpha: two or three steps. H need not be
 * symmetric; nothing refers to the directions of the tangents.
 */
#ifndef SRC_COULOMB_SWEEP_LOCAL_H
#define SRC_COULOMB_SWEEP_LOCAL_H

#include <math.h>

#include "coulomb/accuracy.h"
#include "coulomb/linear.h"

typedef enum crd_sweep_kind {
  CRD_SWEEP_NORMAL,  /* contact without friction: one row */
  CRD_SWEEP_PLANAR,  /* normal and one tangent */
  CRD_SWEEP_SPATIAL, /* normal and two tangents */
  CRD_SWEEP_GENERAL, /* contact with other frictions */
  CRD_SWEEP_SINGLE   /* bounded or bilateral row */
} crd_sweep_kind;

/* p_n is eliminated by u_n = 0:  p_n = -r - m.p_t,  u_t = e + H p_t,  r = v_n / g_n,  e = v_t - G_tn r. */
typedef struct crd_sweep_local {
  crd_sweep_kind kind;
  double mu;
  double g, inverse; /* g_n, 1 / g_n; 0 where nothing moves the row */
  double m[2], G_tn[2], H[4];
  double stick[4]; /* H^-1, unless it is singular */
  bool regular;    /* it is not */
  double alpha;    /* u_t = -alpha p_t of the last slip: where the next search starts */
  double moved;    /* square of the unit's change in the last sweep that visited it, of the velocity scale */
} crd_sweep_local;

/* Sets memory->local from the sparse island. */
void crd_sweep_prepare(crd_memory *memory);
/* One sweep (sweep_pass.c): every unit solved in turn with the others' impulses as they stand, except for those that moved
 * by less than `quiet` when they were last visited. Returns |dx|^2; *worst: the largest change of a unit, of the velocity
 * scale. */
double crd_sweep_pass(crd_memory *memory, double *x, double quiet, double *worst);

/* H^-1; not regular where a tangent moves no further once the normal and the other one are held. */
CRD_ALWAYS_INLINE void crd_sweep_invert(crd_sweep_local *unit, int ntangent) {
  const double *H = unit->H;
  double trace = H[0] + H[3], det = H[0] * H[3] - H[1] * H[2];
  if (ntangent == 1) {
    unit->regular = H[0] > CRD_ACCURACY.dependent * fabs(unit->g);
    unit->stick[0] = unit->regular ? 1 / H[0] : 0;
  } else if ((unit->regular = det > CRD_ACCURACY.dependent * trace * trace)) {
    unit->stick[0] = H[3] / det, unit->stick[1] = -H[1] / det;
    unit->stick[2] = -H[2] / det, unit->stick[3] = H[0] / det;
  }
}

/* A contact with 0 to 2 tangents and its own block of A (rows x rows, the normal first, in units of its compliance). */
CRD_ALWAYS_INLINE crd_sweep_local crd_sweep_local_of(int rows, int ntangent, double mu, const double *own) {
  const crd_sweep_kind plain[] = {CRD_SWEEP_NORMAL, CRD_SWEEP_PLANAR, CRD_SWEEP_SPATIAL};
  crd_sweep_local unit = {
      .kind = plain[ntangent], .mu = mu, .g = own[0], .inverse = own[0] > CRD_ACCURACY.dependent ? 1 / own[0] : 0};
  for (int t = 0; t < ntangent; t++) {
    unit.m[t] = own[1 + t] * unit.inverse, unit.G_tn[t] = own[rows * (1 + t)];
    for (int j = 0; j < ntangent; j++)
      unit.H[2 * t + j] = own[rows * (1 + t) + 1 + j] - unit.G_tn[t] * own[1 + j] * unit.inverse;
  }
  if (ntangent > 0) crd_sweep_invert(&unit, ntangent);
  return unit;
}

enum { CRD_SWEEP_ALPHAS = 60 };     /* most steps; bisection alone needs as many for a double */
#define CRD_SWEEP_WEAK 1e-20        /* mu p_n beside the force of sticking: friction does not slow the slip */
#define CRD_SWEEP_ALPHA_ERROR 1e-14 /* of |p_t| */
#define CRD_SWEEP_ALPHA_START 1e-8  /* of the trace of H, where sticking is singular */

CRD_ALWAYS_INLINE void crd_sweep_open(int rows, double *p) {
  for (int i = 0; i < rows; i++) p[i] = 0;
}

/* Normal impulse alone. */
CRD_ALWAYS_INLINE double crd_sweep_normal(const crd_sweep_local *unit, double v) {
  return v < 0 ? -v * unit->inverse : 0;
}

CRD_ALWAYS_INLINE void crd_sweep_planar(const crd_sweep_local *unit, const double *v, double *p) {
  if (!(v[0] < 0) || unit->inverse == 0) {
    crd_sweep_open(2, p);
    return;
  }
  double r = v[0] * unit->inverse, e = v[1] - unit->G_tn[0] * r;
  if (unit->regular) {
    double t = -e * unit->stick[0], n = -r - unit->m[0] * t;
    if (fabs(t) <= unit->mu * n) {
      p[0] = n, p[1] = t;
      return;
    }
  }
  double side = e > 0 ? -unit->mu : unit->mu, share = 1 + unit->m[0] * side; /* p_t = side p_n */
  p[0] = share > 0 ? -r / share : -r;
  p[1] = share > 0 ? side * p[0] : 0;
}

/* p_t for this alpha: the root of |p_t| = mu p_n, see above. */
CRD_ALWAYS_INLINE void crd_sweep_slip(crd_sweep_local *unit, double r, double e0, double e1, double *p) {
  const double *H = unit->H, *m = unit->m;
  double trace = H[0] + H[3], low = 0, high = INFINITY;
  double alpha = unit->regular || unit->alpha > 0 ? unit->alpha : CRD_SWEEP_ALPHA_START * trace;
  double n = -r, t0 = 0, t1 = 0, length = 0, pull = sqrt(e0 * e0 + e1 * e1);
  if (-unit->mu * r * trace <= CRD_SWEEP_WEAK * pull) { /* alpha is infinite for this precision */
    double share = unit->mu * r / pull;
    p[0] = -r, p[1] = share * e0, p[2] = share * e1;
    return;
  }
  for (int k = 0; k < CRD_SWEEP_ALPHAS; k++) {
    double a = H[0] + alpha, d = H[3] + alpha, share = 1 / (a * d - H[1] * H[2]);
    t0 = -(d * e0 - H[1] * e1) * share, t1 = -(a * e1 - H[2] * e0) * share;
    n = -r - m[0] * t0 - m[1] * t1, length = sqrt(t0 * t0 + t1 * t1);
    double excess = unit->mu * n - length;
    if (excess < 0 || !(share > 0))
      low = alpha;
    else
      high = alpha;
    if (fabs(excess) <= CRD_SWEEP_ALPHA_ERROR * length) break;
    double d0 = -(d * t0 - H[1] * t1) * share, d1 = -(a * t1 - H[2] * t0) * share; /* by alpha */
    double dlength = (t0 * d0 + t1 * d1) / length, dn = -m[0] * d0 - m[1] * d1;
    double next = alpha - excess * length / (unit->mu * (dn * length - n * dlength));
    if (!(next > low && next < high)) next = high < INFINITY ? (low + high) / 2 : 2 * alpha + trace;
    if (next == alpha) break;
    alpha = next;
  }
  unit->alpha = alpha;
  double exact = length > 0 && n > 0 ? unit->mu * n / length : 0;
  p[0] = n > 0 ? n : 0, p[1] = t0 * exact, p[2] = t1 * exact;
}

CRD_ALWAYS_INLINE void crd_sweep_spatial(crd_sweep_local *unit, const double *v, double *p) {
  if (!(v[0] < 0) || unit->inverse == 0) {
    crd_sweep_open(3, p);
    return;
  }
  double r = v[0] * unit->inverse, e0 = v[1] - unit->G_tn[0] * r, e1 = v[2] - unit->G_tn[1] * r;
  if (unit->regular) {
    const double *S = unit->stick;
    double t0 = -(S[0] * e0 + S[1] * e1), t1 = -(S[2] * e0 + S[3] * e1);
    double n = -r - unit->m[0] * t0 - unit->m[1] * t1;
    if (n >= 0 && t0 * t0 + t1 * t1 <= unit->mu * unit->mu * n * n) {
      p[0] = n, p[1] = t0, p[2] = t1;
      return;
    }
  }
  crd_sweep_slip(unit, r, e0, e1, p);
}

#endif
