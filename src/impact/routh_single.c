/* Routh's impact of one contact: Coulomb friction holds at every increment dp_n of the normal impulse [Halm & Posa, eq.
 * 36],
 *
 *   du/dp_n = A (1, -mu d),   d = u_t / |u_t|  while sliding,   du_t = 0  while sticking,
 *
 * until u_n = 0 (compression), and on until the work of the normal impulse has come back by the factor e^2 (Stronge), or
 * the normal impulse has grown to 1 + e times that of compression (Poisson: Wang & Mason, J. Appl. Mech. 59, 1992).
 *
 * Sliding, planar: d is constant, the path is a segment. Sliding, spatial: with dp_n = r dtau, r = |u_t|, the flow has
 * no singularity at r = 0:
 *
 *   d(ln r)/dtau = d . g,   d(theta)/dtau = d' . g,   g = A_tn - mu A_tt d,   d' = d turned by 90 degrees;
 *
 * r falls exponentially where sliding stops. At rest the contact sticks if the friction needed, A_tt^-1 A_tn per unit
 * of p_n, lies in the cone; else it slides off along the only direction with g = kappa d, kappa > 0, and keeps it.
 * Segments are closed forms; the spatial flow is integrated by its Taylor series, to rounding: 5 to 20 steps of 1 us.
 */
#include "impact/routh_single.h"

#include <math.h>
#include <string.h>

#include "impact/disk.h"

static const double LOCATED = 1e-16; /* of the segment: its end is not known better */
static const double AT_REST = 1e-13; /* of the fastest initial speed: sliding that is rounding */

enum { STEP_LIMIT = 200000 };
static const double truncation = 1e-16; /* of direction and speed in a step of the series */
static const double at_rest = 1e-14;    /* of the first sliding speed */
static const double STRIDE = 10;        /* of p_n at hand and that of a frictionless stop: longest step */

typedef struct flow {
  const crd_single_contact *contact;
  double p[3], work;
  bool compressing;
  double target; /* work, or with Poisson's end normal impulse, at which the impact ends; known after compression */
  double compression;
} flow;

/* u = u(before) + A p */
static void velocity(const crd_single_contact *c, const double p[3], double u[3]) {
  for (int i = 0; i < 3; i++) {
    u[i] = 0;
    if (i > c->ntangent) continue;
    u[i] = c->u[i];
    for (int j = 0; j <= c->ntangent; j++) u[i] += c->A[3 * i + j] * p[j];
  }
}

/* Compression is over. True: so is the impact. */
static bool begin_restitution(flow *f) {
  const crd_single_contact *c = f->contact;
  f->compressing = false;
  f->compression = f->work;
  f->target = c->end == CRD_END_POISSON ? f->p[0] * (1 + c->e) : f->work * (1 - c->e * c->e);
  return c->e == 0;
}

/* Moves along dp = direction (direction[0] = 1) from the present state: to the end of compression, of restitution, or
 * until p_n has grown by `longest`. True: the impact is over. */
static bool advance_segment(flow *f, const double direction[3], double longest) {
  const crd_single_contact *c = f->contact;
  double u[3], rate = 0;
  for (int j = 0; j <= c->ntangent; j++) rate += c->A[j] * direction[j];
  velocity(c, f->p, u);
  double left = longest;
  for (;;) {
    /* compression ends at u_n + rate s = 0; restitution at work + u_n s + rate s^2 / 2 = target, or p_n + s = target */
    double s = INFINITY, un = u[0];
    if (f->compressing) {
      if (un >= 0)
        s = 0;
      else if (rate > 0)
        s = -un / rate;
    } else if (c->end == CRD_END_POISSON) {
      s = fmax(0, f->target - f->p[0]);
    } else {
      double missing = f->target - f->work, root = un * un + 2 * rate * missing;
      if (missing <= 0)
        s = 0;
      else if (root >= 0 && un + sqrt(root) > 0)
        s = 2 * missing / (un + sqrt(root));
    }
    bool event = s <= left;
    if (!event) s = left;
    if (!isfinite(s)) return false; /* the segment neither ends nor is bounded: the caller's precondition fails */
    for (int j = 0; j <= c->ntangent; j++) f->p[j] += s * direction[j];
    f->work += (un + 0.5 * rate * s) * s;
    u[0] = un + rate * s;
    left -= s;
    if (!event) return false;
    if (!f->compressing || begin_restitution(f)) return true;
  }
}

/* ------------------------------------------------------------------------------------------------ spatial sliding */

/* With c = cos(theta), s = sin(theta) the flow is polynomial, so that its Taylor coefficients follow from each other by
 * products of series:  c' = -s w,  s' = c w,  r' = r d . g,  w = d' . g,  p_n' = r,  p_t' = -mu r d,  K' = r u_n. */
enum { COS, SIN, SPEED, PN, PT1, PT2, WORK, STATES };
enum { ORDER = 20, TERMS = ORDER + 1, LOOKS = 4, MOST_LOCATIONS = 100 };

typedef struct series {
  double x[STATES][TERMS];
} series;

/* Coefficient k of the product of two series. */
static double product(const double *a, const double *b, int k) {
  double sum = 0;
  for (int j = 0; j <= k; j++) sum += a[j] * b[k - j];
  return sum;
}

/* The series of the flow about the states x[..][0]. */
static void expand(const crd_single_contact *c, series *y) {
  const double *A = c->A;
  double g[2][TERMS], turn[TERMS], stretch[TERMS], un[TERMS];
  double(*x)[TERMS] = y->x;
  for (int k = 0; k < ORDER; k++) {
    for (int i = 0; i < 2; i++)
      g[i][k] = (k == 0 ? A[3 * (i + 1)] : 0) - c->mu * (A[3 * i + 4] * x[COS][k] + A[3 * i + 5] * x[SIN][k]);
    turn[k] = product(x[COS], g[1], k) - product(x[SIN], g[0], k);
    stretch[k] = product(x[COS], g[0], k) + product(x[SIN], g[1], k);
    un[k] = (k == 0 ? c->u[0] : 0) + A[0] * x[PN][k] + A[1] * x[PT1][k] + A[2] * x[PT2][k];
    const double over = 1.0 / (k + 1);
    x[COS][k + 1] = -product(x[SIN], turn, k) * over;
    x[SIN][k + 1] = product(x[COS], turn, k) * over;
    x[SPEED][k + 1] = product(x[SPEED], stretch, k) * over;
    x[PN][k + 1] = x[SPEED][k] * over;
    x[PT1][k + 1] = -c->mu * product(x[SPEED], x[COS], k) * over;
    x[PT2][k + 1] = -c->mu * product(x[SPEED], x[SIN], k) * over;
    x[WORK][k + 1] = product(x[SPEED], un, k) * over;
  }
}

/* The length at which the last two terms of direction and speed are below rounding. */
static double step_length(const series *y) {
  double h = INFINITY;
  for (int i = COS; i <= SPEED; i++) {
    double unit = truncation * (i == SPEED ? fabs(y->x[SPEED][0]) : 1);
    for (int k = ORDER - 1; k <= ORDER; k++)
      if (y->x[i][k] != 0) h = fmin(h, pow(unit / fabs(y->x[i][k]), 1.0 / k));
  }
  return h;
}

static void evaluate(const series *y, double h, double out[STATES]) {
  for (int i = 0; i < STATES; i++) {
    out[i] = y->x[i][ORDER];
    for (int k = ORDER - 1; k >= 0; k--) out[i] = out[i] * h + y->x[i][k];
  }
}

/* Positive once the present phase is over. */
static double phase_end(const flow *f, const double y[STATES]) {
  const crd_single_contact *c = f->contact;
  if (f->compressing) return c->u[0] + c->A[0] * y[PN] + c->A[1] * y[PT1] + c->A[2] * y[PT2];
  return (c->end == CRD_END_POISSON ? y[PN] : y[WORK]) - f->target;
}

/* The state at the end of the phase, which lies in (low, high], by secants and halvings. */
static void locate_end(const flow *f, const series *y, double low, double high, double out[STATES]) {
  evaluate(y, low, out);
  double at_low = phase_end(f, out), whole = high;
  evaluate(y, high, out);
  double at_high = phase_end(f, out);
  for (int i = 0; i < MOST_LOCATIONS && high - low > LOCATED * whole && at_high > 0; i++) {
    double middle = i % 3 == 2 ? (low + high) / 2 : low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = (low + high) / 2;
    if (!(middle > low && middle < high)) break;
    evaluate(y, middle, out);
    double at_middle = phase_end(f, out);
    if (at_middle >= 0)
      high = middle, at_high = at_middle;
    else
      low = middle, at_low = at_middle;
  }
  evaluate(y, high, out);
}

static void keep_impulses(flow *f, const double y[STATES]) {
  f->p[0] = y[PN], f->p[1] = y[PT1], f->p[2] = y[PT2], f->work = y[WORK];
}

/* Slides from the present state until the impact is over (*over) or the sliding has stopped. */
static crd_status slide_spatial(flow *f, bool *over) {
  const crd_single_contact *c = f->contact;
  double u[3];
  velocity(c, f->p, u);
  const double first = hypot(u[1], u[2]);
  double state[STATES] = {u[1] / first, u[2] / first, first, f->p[0], f->p[1], f->p[2], f->work};
  *over = false;
  for (int step = 0; step < STEP_LIMIT; step++) {
    series y;
    for (int i = 0; i < STATES; i++) y.x[i][0] = state[i];
    expand(c, &y);
    /* any length does where direction and speed stay: p_n ends the phase */
    const double h = fmin(step_length(&y), STRIDE * (fabs(c->u[0]) / c->A[0] + state[PN]) / state[SPEED]);
    double next[STATES];
    bool event = false;
    for (int look = 1; look <= LOOKS && !event; look++) {
      evaluate(&y, h * look / LOOKS, next);
      event = phase_end(f, next) >= 0;
      if (event) locate_end(f, &y, h * (look - 1) / LOOKS, h * look / LOOKS, next);
    }
    if (!isfinite(next[WORK])) return CRD_LIMIT;
    const double length = hypot(next[COS], next[SIN]);
    next[COS] /= length, next[SIN] /= length;
    memcpy(state, next, sizeof state);
    keep_impulses(f, state);
    if (event && (!f->compressing || begin_restitution(f))) return *over = true, CRD_OK;
    if (!event && state[SPEED] < at_rest * first) return CRD_OK;
  }
  return CRD_LIMIT;
}

/* Planar sliding in the direction of u_t, until rest or the end. */
static void slide_planar(flow *f, bool *over) {
  const crd_single_contact *c = f->contact;
  double u[3];
  velocity(c, f->p, u);
  double d = u[1] > 0 ? 1 : -1, direction[3] = {1, -c->mu * d, 0};
  double rate = c->A[3] - c->mu * d * c->A[4]; /* of u_t */
  *over = advance_segment(f, direction, rate * d < 0 ? -u[1] / rate : INFINITY);
}

/* The direction in which a contact at rest slides off: (kappa I + mu A_tt) d = A_tn, |d| = 1, kappa > 0, the point of the
 * unit disk at which d' mu A_tt d / 2 - A_tn' d is least; it lies on the rim where the contact cannot stick. */
static void sliding_off(const crd_single_contact *c, double d[2]) {
  const double A[4] = {c->mu * c->A[4], c->mu * c->A[5], c->mu * c->A[7], c->mu * c->A[8]}, b[2] = {-c->A[3], -c->A[6]};
  d[1] = 0;
  crd_disk_minimise(c->ntangent, A, b, 1, d);
  double length = hypot(d[0], d[1]);
  d[0] /= length, d[1] /= length;
}

/* From rest: stick, or slide off for good; either way one segment to the end. */
static bool finish_from_rest(flow *f, crd_routh_path *path) {
  const crd_single_contact *c = f->contact;
  double need[2] = {0}, direction[3] = {1, 0, 0};
  if (c->ntangent == 1) {
    need[0] = c->A[3] / c->A[4];
  } else {
    double det = c->A[4] * c->A[8] - c->A[5] * c->A[5];
    need[0] = (c->A[8] * c->A[3] - c->A[5] * c->A[6]) / det, need[1] = (c->A[4] * c->A[6] - c->A[5] * c->A[3]) / det;
  }
  if (hypot(need[0], need[1]) <= c->mu) {
    direction[1] = -need[0], direction[2] = -need[1];
    path->stuck = true;
  } else {
    double d[2];
    sliding_off(c, d);
    direction[1] = -c->mu * d[0], direction[2] = -c->mu * d[1];
    path->reversed = true;
  }
  return advance_segment(f, direction, INFINITY);
}

static bool is_at_rest(const crd_single_contact *c, const double u[3]) {
  double scale = fmax(fabs(c->u[0]), fmax(fabs(c->u[1]), fabs(c->u[2])));
  return hypot(u[1], c->ntangent == 2 ? u[2] : 0) <= AT_REST * scale;
}

crd_status crd_routh_single(const crd_single_contact *contact, crd_routh_path *path) {
  crd_single_contact c = *contact;
  if (c.mu == 0) c.ntangent = 0; /* frictionless: tangents play no part */
  for (int i = c.ntangent + 1; i < 3; i++) c.u[i] = 0;
  *path = (crd_routh_path){0};
  if (c.u[0] >= 0) return CRD_OK;
  flow f = {.contact = &c, .compressing = true};
  bool over = false;
  crd_status status = CRD_OK;
  if (c.ntangent == 0) {
    const double straight[3] = {1, 0, 0};
    over = advance_segment(&f, straight, INFINITY);
  } else {
    if (!is_at_rest(&c, c.u)) {
      if (c.ntangent == 1)
        slide_planar(&f, &over);
      else
        status = slide_spatial(&f, &over);
    }
    if (status == CRD_OK && !over) over = finish_from_rest(&f, path);
  }
  memcpy(path->p, f.p, sizeof path->p);
  path->work_compression = f.compression;
  path->work_restitution = f.work - f.compression;
  if (status != CRD_OK) return status;
  return over ? CRD_OK : CRD_SINGULAR;
}
