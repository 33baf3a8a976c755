/* Questions to the linear matrix inequality (56) of [A]: how far a direction may be scaled, which values one
 * coefficient may have, what region two have.
 *
 * Scaled by congruence (56) is [I, B'; B, I] >= 0, that is |B| <= 1, with B(E) = Q^1/2 E Z K^-1/2 linear in E: |B|^2 is
 * the largest K+/K- over the velocities that can occur. |B(E)| is convex in E, and so is the largest K+/K- over
 * approaching velocities, a maximum of convex functions: admissible coefficients form an interval, found by bisection;
 * or by a semidefinite program, independently. */
#include <math.h>
#include <string.h>

#include "analysis/restitution.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

static const double RANK = 1e-13; /* of the largest eigenvalue: smaller ones are zero */
enum { MOST_ROUNDS = 60 };        /* towards the end of an interval of admissible coefficients */

/* K^-1/2 (inverse Cholesky factor, transposed by its use) and Q^1/2 of the scaled inequality. */
typedef struct scaled {
  int rank;
  double *root;   /* rank x contacts: root' root = Q */
  double *metric; /* contacts x dim: Z L^-T, K = L L' */
} scaled;

static crd_status scale(scaled *s, const crd_restitution *r, crd_arena *arena) {
  int nc = r->contacts, d = r->dim;
  double *V, *values, *L;
  s->rank = 0;
  if (CRD_TAKE(arena, CRD_MATRIX(V, nc, nc), CRD_MATRIX(values, nc, 4), CRD_MATRIX(L, d, d),
               CRD_MATRIX(s->root, nc, nc), CRD_MATRIX(s->metric, nc, d)))
    return CRD_ERR_MEMORY;
  memcpy(V, r->Q, sizeof *V * (size_t)nc * (size_t)nc);
  if (!crd_dense_eigen_symmetric(nc, V, values, values + nc)) return CRD_SINGULAR;
  for (int i = 0; i < nc; i++) {
    if (values[i] <= RANK * values[nc - 1]) continue;
    for (int j = 0; j < nc; j++) s->root[crd_at(nc, s->rank, j)] = sqrt(values[i]) * V[crd_at(nc, i, j)];
    s->rank++;
  }
  memcpy(L, r->K, sizeof *L * (size_t)d * (size_t)d);
  if (!crd_dense_cholesky(d, L)) return CRD_SINGULAR;
  /* row i of Z L^-T is the solution of L x = (row i of Z)' */
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < d; j++) {
      double sum = r->Z[crd_at(d, i, j)];
      for (int k = 0; k < j; k++) sum -= L[crd_at(d, j, k)] * s->metric[crd_at(d, i, k)];
      s->metric[crd_at(d, i, j)] = sum / L[crd_at(d, j, j)];
    }
  return CRD_OK;
}

/* [aI, B(E)'; B(E), aI] */
static double *scaled_lmi(const scaled *s, const crd_restitution *r, const double *E, double a, crd_arena *arena) {
  int nc = r->contacts, d = r->dim, size = d + s->rank;
  double *EZ, *B, *F;
  if (CRD_TAKE(arena, CRD_MATRIX(EZ, nc, d), CRD_MATRIX(B, s->rank, d), CRD_MATRIX(F, size, size))) return NULL;
  crd_dense_multiply(nc, nc, d, E, s->metric, EZ);
  crd_dense_multiply(s->rank, nc, d, s->root, EZ, B);
  for (int i = 0; i < size; i++) F[crd_at(size, i, i)] = a;
  for (int i = 0; i < s->rank; i++)
    for (int j = 0; j < d; j++) F[crd_at(size, d + i, j)] = F[crd_at(size, j, d + i)] = B[crd_at(d, i, j)];
  return F;
}

static crd_status scaling_by_sdp(const crd_restitution *r, const double *E, double *t, crd_arena *arena) {
  scaled s;
  int nc = r->contacts;
  double size = 0, *zero = crd_matrix(arena, nc, nc), *unit = crd_matrix(arena, nc, nc);
  if (!zero || !unit) return CRD_ERR_MEMORY;
  for (int i = 0; i < nc * nc; i++) size = fmax(size, fabs(E[i]));
  if (size == 0) {
    *t = INFINITY;
    return CRD_OK;
  }
  for (int i = 0; i < nc * nc; i++) unit[i] = E[i] / size;
  crd_status status = scale(&s, r, arena);
  if (status != CRD_OK) return status;
  const crd_lmi lmi = {.size = r->dim + s.rank,
                       .F0 = scaled_lmi(&s, r, zero, 1, arena),
                       .F1 = scaled_lmi(&s, r, unit, 0, arena),
                       .low = -1,
                       .high = 1e3};
  if (!lmi.F0 || !lmi.F1) return CRD_ERR_MEMORY;
  status = crd_lmi_extreme(&lmi, 1, t, arena);
  *t /= size;
  return status;
}

/* Largest K+/K- by the method's measure: a convex function of E. */
static crd_status quotient(const crd_restitution *r, const double *E, crd_lmi_method method, double *value,
                           crd_arena *scratch) {
  int d = r->dim;
  crd_arena_reset(scratch);
  if (method == CRD_LMI_APPROACHING) {
    crd_worst_velocity worst;
    crd_status status = crd_analysis_restitution_worst(&worst, r, E, crd_restitution_faces(r), scratch);
    if (status != CRD_OK) return status;
    *value = worst.gain + 1;
    return worst.status;
  }
  double *H, *K, *values;
  if (CRD_TAKE(scratch, CRD_MATRIX(H, d, d), CRD_MATRIX(K, d, d), CRD_MATRIX(values, d, 4))) return CRD_ERR_MEMORY;
  crd_status status = crd_restitution_energy_after(r, E, H, scratch);
  if (status != CRD_OK) return status;
  memcpy(K, r->K, sizeof *K * (size_t)d * (size_t)d);
  if (!crd_dense_eigen_pair(d, H, K, values, values + d)) return CRD_SINGULAR;
  *value = d > 0 ? values[d - 1] : 0;
  return CRD_OK;
}

crd_status crd_analysis_restitution_scaling(const crd_restitution *r, const double *E, crd_lmi_method method, double *t,
                                            crd_arena *arena) {
  if (method == CRD_LMI_SDP) return crd_analysis_has_sdp() ? scaling_by_sdp(r, E, t, arena) : CRD_ERR_ARGUMENT;
  crd_arena scratch = {0};
  double value = 0;
  crd_status status = quotient(r, E, method, &value, &scratch);
  crd_arena_free(&scratch);
  if (status == CRD_OK) *t = value > 0 ? 1 / sqrt(value) : INFINITY;
  return status;
}

/* ------------------------------------------------------------------------------------------ one coefficient
 *
 * phi(e) = max over u of q(e; u),  q = (E u)' Q (E u) / (u' K u) with E_cc = e: convex, and for each u a parabola in e.
 * From an end of [0, 1] that is not admissible, the root of the parabola of the worst u there is the next point: it
 * stays outside, and converges like Newton's method. A point costs one eigenvalue problem where the LMI holds. */
typedef struct line {
  const crd_restitution *r;
  double *E; /* contacts x contacts, entry (contact, contact) is set */
  double *u; /* contacts: the worst at the last point */
  int contact, faces;
  crd_lmi_method method;
  crd_status status; /* CRD_UNKNOWN: a limit was reached */
  crd_arena scratch;
} line;

/* Top eigenvector of the pair (H, K) as normal velocities. */
static crd_status top_velocity(line *l, double *value) {
  const crd_restitution *r = l->r;
  int d = r->dim;
  double *H, *K, *values;
  *value = 0;
  if (CRD_TAKE(&l->scratch, CRD_MATRIX(H, d, d), CRD_MATRIX(K, d, d), CRD_MATRIX(values, d, 4))) return CRD_ERR_MEMORY;
  crd_status status = crd_restitution_energy_after(r, l->E, H, &l->scratch);
  if (status != CRD_OK || d == 0) return status;
  memcpy(K, r->K, sizeof *K * (size_t)d * (size_t)d);
  if (!crd_dense_eigen_pair(d, H, K, values, values + d)) return CRD_SINGULAR;
  *value = values[d - 1];
  crd_dense_apply(r->contacts, d, r->Z, H + crd_at(d, d - 1, 0), l->u);
  return CRD_OK;
}

/* Is e admissible? Otherwise the worst velocity is left in u. */
static bool admissible(line *l, double e) {
  double value = 0;
  l->E[crd_at(l->r->contacts, l->contact, l->contact)] = e;
  crd_arena_reset(&l->scratch);
  if (l->method == CRD_LMI_APPROACHING) {
    crd_worst_velocity worst;
    const double floor = 1 + CRD_ENERGY_TOLERANCE;
    l->status = crd_restitution_worst_above(&worst, l->r, l->E, l->faces, floor, &l->scratch);
    if (l->status != CRD_OK) return false;
    value = worst.gain + 1;
    memcpy(l->u, worst.u, sizeof *l->u * (size_t)l->r->contacts);
    if (!(worst.gain > floor - 1)) l->status = worst.status; /* nothing found, but not all was looked at */
  } else {
    l->status = top_velocity(l, &value);
  }
  return l->status == CRD_OK && value <= 1 + 2 * CRD_ENERGY_TOLERANCE; /* a floor that was not exceeded included */
}

/* The roots of q(e; u) = 1; false: there are none, no e is admissible. */
static bool roots(const line *l, double root[2]) {
  const crd_restitution *r = l->r;
  int nc = r->contacts;
  double own = l->u[l->contact], a = r->Q[crd_at(nc, l->contact, l->contact)] * own * own, b = 0, c = 0;
  for (int i = 0; i < nc; i++) {
    double rest = crd_dense_dot(nc, l->E + crd_at(nc, i, 0), l->u);
    if (i == l->contact) rest -= l->E[crd_at(nc, i, i)] * own;
    for (int j = 0; j < nc; j++) {
      double other = crd_dense_dot(nc, l->E + crd_at(nc, j, 0), l->u);
      if (j == l->contact) other -= l->E[crd_at(nc, j, j)] * own;
      c += r->Q[crd_at(nc, i, j)] * (rest * other - l->u[i] * l->u[j]);
    }
    b += r->Q[crd_at(nc, l->contact, i)] * rest * own;
  }
  double square = b * b - a * c, rounding = 1e-12 * (b * b + fabs(a * c));
  if (!(a > 0) || square < -rounding) return false;
  double far = -b - copysign(sqrt(fmax(square, 0)), b); /* no cancellation */
  double one = far / a, other = far != 0 ? c / far : 0;
  root[0] = fmin(one, other), root[1] = fmax(one, other);
  return true;
}

/* The end of the admissible values on the side of `end` (0 or 1). False: none is admissible, or status tells. */
static bool edge(line *l, int end, double *e) {
  double root[2];
  *e = end;
  for (int i = 0; i < MOST_ROUNDS; i++) {
    if (admissible(l, *e)) return true;
    if (l->status != CRD_OK || !roots(l, root) || root[1] < 0 || root[0] > 1) return false;
    double next = root[end];
    if (end ? next >= *e : next <= *e) return true; /* rounding: nothing lies between */
    *e = next;
  }
  l->status = CRD_UNKNOWN;
  return false;
}

static crd_status interval_by_sdp(const crd_restitution *r, const double *E, int contact, double *low, double *high,
                                  crd_arena *arena) {
  scaled s;
  int nc = r->contacts;
  double *fixed, *unit;
  if (CRD_TAKE(arena, CRD_MATRIX(fixed, nc, nc), CRD_MATRIX(unit, nc, nc))) return CRD_ERR_MEMORY;
  memcpy(fixed, E, sizeof *fixed * (size_t)nc * (size_t)nc);
  fixed[crd_at(nc, contact, contact)] = 0, unit[crd_at(nc, contact, contact)] = 1;
  crd_status status = scale(&s, r, arena);
  if (status != CRD_OK) return status;
  const crd_lmi lmi = {.size = r->dim + s.rank,
                       .F0 = scaled_lmi(&s, r, fixed, 1, arena),
                       .F1 = scaled_lmi(&s, r, unit, 0, arena),
                       .low = 0,
                       .high = 1};
  if (!lmi.F0 || !lmi.F1) return CRD_ERR_MEMORY;
  status = crd_lmi_extreme(&lmi, 1, high, arena);
  if (status == CRD_OK) status = crd_lmi_extreme(&lmi, -1, low, arena);
  return status;
}

crd_status crd_analysis_restitution_interval(const crd_restitution *r, const double *E, int contact,
                                             crd_lmi_method method, double *low, double *high, crd_arena *arena) {
  int nc = r->contacts;
  if (contact < 0 || contact >= nc) return CRD_ERR_ARGUMENT;
  if (method == CRD_LMI_SDP)
    return crd_analysis_has_sdp() ? interval_by_sdp(r, E, contact, low, high, arena) : CRD_ERR_ARGUMENT;
  line l = {.r = r,
            .E = crd_matrix(arena, nc, nc),
            .u = crd_matrix(arena, nc, 1),
            .contact = contact,
            .faces = 1 + crd_restitution_faces(r) / nc,
            .method = method};
  if (!l.E || !l.u) return CRD_ERR_MEMORY;
  memcpy(l.E, E, sizeof *l.E * (size_t)nc * (size_t)nc);
  double first, last;
  bool exists = edge(&l, 1, &last) && edge(&l, 0, &first) && first <= last + sqrt(CRD_ENERGY_TOLERANCE);
  if (exists) *low = fmin(first, last), *high = last; /* one point: each side comes to it within its tolerance */
  crd_arena_free(&l.scratch);
  return l.status != CRD_OK ? l.status : exists ? CRD_OK : CRD_NO_SOLUTION;
}

crd_status crd_analysis_restitution_region(const crd_restitution *r, const double *E, int first, int second,
                                           crd_lmi_method method, int count, double *low, double *high,
                                           crd_arena *arena) {
  int nc = r->contacts;
  double *varied = crd_matrix(arena, nc, nc);
  if (first < 0 || first >= nc || first == second || count < 2) return CRD_ERR_ARGUMENT;
  if (!varied) return CRD_ERR_MEMORY;
  memcpy(varied, E, sizeof *varied * (size_t)nc * (size_t)nc);
  for (int i = 0; i < count; i++) {
    varied[crd_at(nc, first, first)] = (double)i / (count - 1);
    low[i] = high[i] = NAN;
    crd_status status = crd_analysis_restitution_interval(r, varied, second, method, low + i, high + i, arena);
    if (status != CRD_OK && status != CRD_NO_SOLUTION) return status;
    if (status == CRD_NO_SOLUTION) low[i] = high[i] = NAN;
  }
  return CRD_OK;
}

crd_status crd_analysis_restitution_margin(const crd_restitution *r, const double *E, crd_lmi_method method,
                                           double *margin, crd_arena *arena) {
  int size = r->dim + r->projection.nv;
  double *F, *minus = crd_matrix(arena, size, size);
  if (!minus) return CRD_ERR_MEMORY;
  crd_status status = crd_restitution_lmi(r, E, &F, arena);
  if (status != CRD_OK) return status;
  if (method == CRD_LMI_SDP) {
    double bound = 2 * crd_dense_frobenius(size, size, F);
    for (int i = 0; i < size; i++) minus[crd_at(size, i, i)] = -1;
    return crd_lmi_extreme(&(crd_lmi){.size = size, .F0 = F, .F1 = minus, .low = -bound, .high = bound}, 1, margin,
                           arena);
  }
  crd_dense_symmetric_range(size, F, margin, NULL, arena);
  return isnan(*margin) ? CRD_ERR_MEMORY : CRD_OK;
}
