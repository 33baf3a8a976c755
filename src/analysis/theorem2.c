/* Lemmas 1, 2 and Theorem 2 of [C]: energetic consistency of impacts with restitution and Coulomb friction in which
 * every contact slips in a given direction. C-28: M(q, mu) is G^-1 exactly, so that Lemma 1 (ii) is void; C-29: Lemma 2
 * asks for x (x + 2) < 1/(|M| |sym(M)^-1|); C-30: the mixed term carries |E|.
 *
 *   E = (G - n_q' H_T [mu])^-1,   pbar = -E (I + E_nn) qd_norm,   p_t = -[mu] pbar,   [mu] = diag(mu_i/|grad h_i|)
 *
 * H_T here has one column a contact, its tangent rows combined along the direction of slip. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "analysis/slip.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

/* The basis transformed by friction and restitution; all p x p but tH (t x p). */
typedef struct mode {
  int p, t;
  double *nH, *tH; /* with one column a contact, times mu_i/|grad h_i| where scaled */
  double *scaled_n, *scaled_t;
  double *plus;  /* I + E_nn */
  double *minus; /* I - E_nn */
  double mu;     /* Frobenius norm of [mu] */
} mode;

static bool prepare(mode *m, const crd_quasi_basis *b, const crd_contact_problem *problem, const double *Enn,
                    const double *slip, crd_arena *arena) {
  int p = b->nc, t = b->ntan;
  double *friction, *own, sum = 0;
  *m = (mode){.p = p, .t = t};
  if (CRD_TAKE(arena, CRD_ARRAY(friction, p), CRD_MATRIX(own, p, 2), CRD_MATRIX(m->nH, p, p), CRD_MATRIX(m->tH, t, p),
               CRD_MATRIX(m->scaled_n, p, p), CRD_MATRIX(m->scaled_t, t, p), CRD_MATRIX(m->plus, p, p),
               CRD_MATRIX(m->minus, p, p)))
    return false;
  if (!slip) crd_analysis_slip_directions_of(problem, own);
  crd_slip_columns(b, problem, slip ? slip : own, p, b->nH, m->nH);
  crd_slip_columns(b, problem, slip ? slip : own, t, b->tH, m->tH);
  for (int c = 0; c < p; c++) {
    friction[c] = problem->contact[c].ntangent ? problem->contact[c].mu / b->norm[c] : 0;
    sum += friction[c] * friction[c];
  }
  m->mu = sqrt(sum);
  for (int i = 0; i < p * p; i++) m->scaled_n[i] = m->nH[i] * friction[i % p];
  for (int i = 0; i < t * p; i++) m->scaled_t[i] = m->tH[i] * friction[i % p];
  for (int i = 0; i < p * p; i++) {
    double unit = i / p == i % p;
    m->plus[i] = unit + Enn[i], m->minus[i] = unit - Enn[i];
  }
  return true;
}

/* Mbar = (I - E_nn)' M (I + E_nn) and K (79). */
static crd_status quadratic_terms(crd_theorem2 *r, const mode *m, const crd_quasi_basis *b, double *Eplus,
                                  double *mixed, crd_arena *arena) {
  int p = m->p, t = m->t;
  double *x, *y;
  if (CRD_TAKE(arena, CRD_MATRIX(x, p, p), CRD_MATRIX(y, t, p), CRD_MATRIX(r->Mbar, p, p), CRD_MATRIX(r->K, p, p)))
    return CRD_ERR_MEMORY;
  crd_dense_multiply(p, p, p, r->M, m->plus, x);
  crd_dense_multiply_tn(p, p, p, m->minus, x, r->Mbar);
  crd_dense_multiply(p, p, p, r->E, m->plus, Eplus);
  crd_dense_multiply(t, p, p, m->scaled_t, Eplus, y);
  crd_dense_multiply(t, t, p, b->D_t, y, mixed); /* D_t t_q' H_T [mu] E (I + E_nn) */
  crd_dense_multiply_tn(p, t, p, y, mixed, r->K);
  crd_dense_symmetric_range(p, r->Mbar, &r->lambda_min_Mbar, NULL, arena);
  crd_dense_symmetric_range(p, r->K, NULL, &r->lambda_max_K, arena);
  return CRD_OK;
}

/* (77), (81), (82) at the basis' velocity. */
static crd_status conditions(crd_theorem2 *r, const mode *m, const crd_quasi_basis *b, const double *mixed,
                             crd_arena *arena) {
  int p = m->p, t = m->t;
  double *DtH, *x;
  if (CRD_TAKE(arena, CRD_MATRIX(DtH, t, p), CRD_MATRIX(x, t, 1))) return CRD_ERR_MEMORY;
  crd_dense_multiply(t, t, p, b->D_t, m->tH, DtH);
  double norm = sqrt(crd_dense_dot(p, b->norm_minus, b->norm_minus)),
         tangent = sqrt(crd_dense_dot(t, b->tan_minus, b->tan_minus));
  double coupling =
      crd_dense_frobenius(t, p, DtH) * m->mu * crd_dense_frobenius(p, p, r->E) * crd_dense_frobenius(p, p, m->plus);
  crd_dense_apply(t, p, mixed, b->norm_minus, x);
  r->energy = -0.5 * crd_dense_quadratic(p, r->Mbar, b->norm_minus) +
              0.5 * crd_dense_quadratic(p, r->K, b->norm_minus) + crd_dense_dot(t, b->tan_minus, x);
  r->bound = 0.5 * (r->lambda_max_K - r->lambda_min_Mbar) * norm * norm + coupling * norm * tangent;
  r->condition_i = r->lambda_min_Mbar > r->lambda_max_K;
  r->ratio = tangent > 0 ? norm / tangent : INFINITY;
  r->ratio_bound = r->condition_i ? 2 * coupling / (r->lambda_min_Mbar - r->lambda_max_K) : NAN;
  r->condition_ii = r->condition_i && r->ratio >= r->ratio_bound;
  return CRD_OK;
}

/* The forced mode: impulses, and the velocity after it. */
static crd_status forced(crd_theorem2 *r, const mode *m, const crd_quasi_basis *b, const double *Enn,
                         const double *Eplus, crd_arena *arena) {
  int p = m->p, t = m->t;
  double *v;
  if (CRD_TAKE(arena, CRD_MATRIX(v, p + t, 1), CRD_MATRIX(r->pbar, p, 1), CRD_MATRIX(r->qd_plus, b->nv, 1)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < p; i++) {
    r->pbar[i] = -crd_dense_dot(p, Eplus + crd_at(p, i, 0), b->norm_minus);
    v[i] = -crd_dense_dot(p, Enn + crd_at(p, i, 0), b->norm_minus);
  }
  for (int i = 0; i < t; i++) v[p + i] = b->tan_minus[i] - crd_dense_dot(p, m->scaled_t + crd_at(p, i, 0), r->pbar);
  crd_analysis_quasi_inverse(b, v, r->qd_plus);
  return CRD_OK;
}

crd_status crd_analysis_quasi_theorem2(crd_theorem2 *theorem, const crd_quasi_basis *b,
                                       const crd_contact_problem *problem, const double *Enn, const double *slip,
                                       crd_arena *arena) {
  crd_theorem2 r = {.M = b->D_n};
  mode m;
  int p = b->nc;
  double *A, *Eplus, *mixed;
  if (CRD_TAKE(arena, CRD_MATRIX(A, p, p), CRD_MATRIX(Eplus, p, p), CRD_MATRIX(mixed, b->ntan, p)) ||
      !prepare(&m, b, problem, Enn, slip, arena))
    return CRD_ERR_MEMORY;
  double size = crd_dense_frobenius(p, p, Enn), inverse = crd_dense_frobenius(p, p, b->D_n);
  r.lemma1_value = inverse * crd_dense_frobenius(p, p, m.nH) * m.mu;
  r.lemma1 = b->independent && r.lemma1_value < 1;
  /* sym(M)^-1 is G */
  r.lemma2_value = size * (size + 2), r.lemma2_bound = 1 / (inverse * crd_dense_frobenius(p, p, b->G));
  r.lemma2 = b->independent && r.lemma2_value < r.lemma2_bound;
  r.lambda_min_Mbar = r.lambda_max_K = r.ratio = r.ratio_bound = r.energy = r.bound = NAN;
  for (int i = 0; i < p * p; i++) A[i] = b->G[i] - m.scaled_n[i];
  r.E = b->independent ? crd_dense_inverse(p, A, arena) : NULL;
  if (r.E) {
    crd_status status = quadratic_terms(&r, &m, b, Eplus, mixed, arena);
    if (status == CRD_OK) status = conditions(&r, &m, b, mixed, arena);
    if (status == CRD_OK) status = forced(&r, &m, b, Enn, Eplus, arena);
    if (status != CRD_OK) return status;
  }
  r.holds = r.lemma1 && r.lemma2 && r.condition_i && r.condition_ii;
  *theorem = r;
  return CRD_OK;
}
