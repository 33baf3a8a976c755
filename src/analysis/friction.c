/* Stick, slip and the admissible coefficients of one contact, [B] with its errata.
 *
 *   stick   i = -G (v_free + E v),  G = D^-1,  E = diag(e, e_t, e_t)            (11a), B-01
 *   mu_cr   |i_t|/i_n;   mu* = D_nn/|D_nt|;   e*: v' (G - E G E) v = 0          B-02, (38), (30)
 *   (41)    mu >= mu_cr(e) and e < e*,  or  mu < min(mu_cr(e), mu*)
 */
#include <math.h>

#include <cradle/analysis.h>
#include "analysis/matrix.h"
#include "impact/stick_slip.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

enum { BISECTIONS = 50 };                   /* of an interval in [0, 1]: to 1e-15 */
static const double NO_FRICTION = 1e-14;    /* of the normal part: a tangential part that is rounding */
static const double EIGEN_ROUNDING = 1e-13; /* of the norm of a matrix: an eigenvalue that is zero */
static const double LIMIT_ROUNDING = 1e-12; /* relative: e at its limit */
static const double RANK = 1e-13;           /* of the largest singular value: smaller ones are zero */

const char *crd_analysis_friction_mode_name(crd_friction_mode mode) {
  switch (mode) {
    case CRD_FRICTION_NONE: return "none";
    case CRD_FRICTION_HELD: return "held";
    case CRD_FRICTION_STICK: return "stick";
    case CRD_FRICTION_SLIP: return "slip";
    case CRD_FRICTION_SEVERAL: return "slip-nonunique";
    case CRD_FRICTION_MEAN_ZERO: return "mean-zero";
    case CRD_FRICTION_IMPOSSIBLE: return "impossible";
  }
  return "";
}

static double tangential(const crd_friction *f, const double *x) {
  return f->rows == 1 ? 0 : f->rows == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

/* The sticking impulse with normal restitution e. */
static void sticking(const crd_friction *f, double e, double *i) {
  double r[3];
  for (int k = 0; k < f->rows; k++) r[k] = -(f->v_free[k] + (k ? f->e_t : e) * f->v[k]);
  crd_dense_apply(f->rows, f->rows, f->G, r, i);
}

static double critical(const crd_friction *f, const double *i) {
  double friction = tangential(f, i);
  if (friction <= NO_FRICTION * fabs(i[0])) friction = 0;
  return i[0] > 0 ? friction / i[0] : INFINITY;
}

double crd_analysis_friction_critical(const crd_friction *f, double e) {
  double i[3];
  sticking(f, e, i);
  return critical(f, i);
}

/* v' (G - E G E) v = c - b e - a e^2: its root in e where it turns negative; INFINITY where it never does. */
static double limit_for_velocity(const crd_friction *f) {
  int n = f->rows;
  double a = f->G[0] * f->v[0] * f->v[0], b = 0, c = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double term = f->v[i] * f->G[n * i + j] * f->v[j];
      c += term;
      if (i && j) c -= f->e_t * f->e_t * term;
      if (i && !j) b += 2 * f->e_t * term;
    }
  if (!(a > 0)) return INFINITY;
  double root = b * b + 4 * a * c;
  if (root < 0) return 0; /* gains energy for every e */
  /* where b > 0 the usual form cancels */
  double e = b > 0 ? 2 * c / (b + sqrt(root)) : (sqrt(root) - b) / (2 * a);
  return fmax(e, 0);
}

/* Smallest eigenvalue of G - E G E is at least zero. */
static bool dissipates(const crd_friction *f, double e, crd_arena *arena) {
  int n = f->rows;
  double X[9], least, size = crd_dense_frobenius(n, n, f->G);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) X[n * i + j] = f->G[n * i + j] * (1 - (i ? f->e_t : e) * (j ? f->e_t : e));
  crd_dense_symmetric_range(n, X, &least, NULL, arena);
  return least >= -EIGEN_ROUNDING * size;
}

static double limit_for_all(const crd_friction *f, crd_arena *arena) {
  if (f->e_t == 0) return fmin(1 / sqrt(f->G[0] * f->D[0]), 1); /* B-04 */
  double low = 0, high = 1;
  if (!dissipates(f, 0, arena)) return 0;
  if (dissipates(f, 1, arena)) return 1;
  for (int i = 0; i < BISECTIONS; i++) {
    double e = 0.5 * (low + high);
    if (dissipates(f, e, arena))
      low = e;
    else
      high = e;
  }
  return low;
}

static bool in_set(const crd_friction *f, double e, double mu_static, double mu, double limit) {
  double mu_critical = crd_analysis_friction_critical(f, e);
  if (f->rows == 1) return e <= limit * (1 + LIMIT_ROUNDING); /* no friction: e = 1 conserves energy, (33) */
  return mu_static >= mu_critical ? e < limit : mu < f->mu_star;
}

static bool is_struck(const crd_friction *f) { return f->mode != CRD_FRICTION_NONE && f->mode != CRD_FRICTION_HELD; }

bool crd_analysis_friction_admissible(const crd_friction *f, double e, double mu) {
  return !is_struck(f) || in_set(f, e, mu, mu, f->e_star);
}

static crd_friction_mode mode_of(const crd_stick_slip *s) {
  if (s->count == 0) return CRD_FRICTION_IMPOSSIBLE;
  if (s->count > 1) return CRD_FRICTION_SEVERAL;
  switch (s->outcome[0].kind) {
    case CRD_KIND_STICK: return CRD_FRICTION_STICK;
    case CRD_KIND_SLIP: return CRD_FRICTION_SLIP;
    case CRD_KIND_MEAN_ZERO: return CRD_FRICTION_MEAN_ZERO;
  }
  return CRD_FRICTION_IMPOSSIBLE;
}

/* The law's first outcome and its energy. */
static crd_status resolve(crd_friction *f, const crd_contact_problem *problem, const crd_bilateral *bilateral,
                          int contact, crd_arena *arena) {
  crd_impact_options options = crd_impact_default();
  crd_stick_slip s;
  f->mode = CRD_FRICTION_NONE, f->g = NAN;
  if (!crd_stick_slip_hits(problem, &options, bilateral, contact)) return CRD_OK;
  crd_status status = crd_stick_slip_resolve(&s, problem, &options, bilateral, contact, arena);
  if (status != CRD_OK) return status;
  f->mode = mode_of(&s), f->outcomes = s.count;
  if (s.count == 0) return CRD_OK;
  const crd_slip_outcome *first = &s.outcome[0];
  for (int k = 0; k < f->rows; k++) f->impulse[k] = first->i[k];
  if (first->kind == CRD_KIND_SLIP) {
    double inverse = f->D[0];
    for (int t = 1; t < f->rows; t++) {
      f->direction[t - 1] = first->direction[t - 1];
      inverse -= f->mu * f->D[t] * first->direction[t - 1];
    }
    f->g = 1 / inverse;
  }
  for (int k = 0; k < f->rows; k++)
    f->work += f->impulse[k] * (f->v_free[k] + 0.5 * crd_dense_dot(f->rows, f->D + f->rows * k, f->impulse));
  return CRD_OK;
}

crd_status crd_analysis_friction_form(crd_friction *friction, const crd_contact_problem *problem, int contact,
                                      crd_arena *arena) {
  const crd_contact *c = &problem->contact[contact];
  crd_friction f = {.rows = 1 + c->ntangent, .e = c->e, .e_t = c->e_t, .mu = c->mu, .mu_static = c->mu_static};
  crd_bilateral bilateral;
  int n = f.rows;
  double *work = crd_arena_alloc(arena, crd_dense_pseudo_inverse_work(n, n), sizeof *work);
  if (!work) return CRD_ERR_MEMORY;
  crd_status status = crd_bilateral_eliminate(&bilateral, problem, arena);
  if (status != CRD_OK) return status;
  for (int i = 0; i < n; i++) {
    f.v[i] = problem->u[c->row + i], f.v_free[i] = bilateral.u_free[c->row + i];
    for (int j = 0; j < n; j++) f.D[n * i + j] = bilateral.W[crd_at(problem->nrow, c->row + i, c->row + j)];
  }
  if (crd_bilateral_holds(&bilateral, problem, contact)) {
    f.mode = CRD_FRICTION_HELD, f.admissible = f.admissible_uniform = true;
    f.g = f.sigma = f.mu_critical = f.mu_star = f.e_star = f.e_star_uniform = NAN;
    *friction = f;
    return CRD_OK;
  }
  if (crd_dense_pseudo_inverse(n, n, f.D, RANK, f.G, work) < 0) return CRD_SINGULAR;
  sticking(&f, f.e, f.stick);
  double limit = f.mu_static * f.stick[0], used = tangential(&f, f.stick), coupling = tangential(&f, f.D);
  f.sigma = (limit - used) * (limit + used);
  f.mu_critical = critical(&f, f.stick);
  f.mu_star = coupling > NO_FRICTION * f.D[0] ? f.D[0] / coupling : INFINITY;
  f.e_star = limit_for_velocity(&f);
  f.e_star_uniform = limit_for_all(&f, arena);
  status = resolve(&f, problem, &bilateral, contact, arena);
  if (status != CRD_OK) return status;
  if (!is_struck(&f)) f.sigma = f.mu_critical = f.e_star = NAN;
  f.admissible = !is_struck(&f) || in_set(&f, f.e, f.mu_static, f.mu, f.e_star);
  f.admissible_uniform = !is_struck(&f) || in_set(&f, f.e, f.mu_static, f.mu, f.e_star_uniform);
  /* (41) is derived for velocities that obey the bilateral rows; where they do not, what the law does decides */
  if (f.work > CRD_APPROACH * problem->kinetic_free) f.admissible = f.admissible_uniform = false;
  *friction = f;
  return CRD_OK;
}
