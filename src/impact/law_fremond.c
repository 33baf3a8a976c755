/* fremond: percussions from a pseudo-potential of the mean velocity [Fremond, Rigid bodies collisions, Physics Letters A
 * 204 (1995); Non-Smooth Thermomechanics (2002)].
 *
 * Percussions depend on U = (u + u+) / 2, the velocity whose product with p is the energy that a contact dissipates:
 *
 *   normal       p_n = p_v + p_r      0 <= p_v _|_ U_n + C p_v >= 0      viscous percussion while the mean approaches
 *                                     0 <= p_r _|_ u_n+ >= 0             reaction that forbids to interpenetrate
 *   tangential   p_t in -mu p_n Sgn(U_t)                                 Coulomb's law at the mean velocity
 *
 * C_i = (1 - e_i) W_ii / (2 (1 + e_i)) makes a contact alone return e_i of its approach: u + W p / 2 + C p = 0 gives
 * W p = -(1 + e) u. With e = 1, C = 0 and without friction it is Newton's and Moreau's law; contacts that strike together
 * share their coefficients through W otherwise.
 *
 * Energy changes by p' U = -C p_v^2 + p_r u_n / 2 - mu p_n |U_t|, never upwards where no contact separates before the
 * impact, for all coefficients e_i <= 1, also different ones. That is what Newton's law lacks.
 *
 * One complementarity problem in (p_v, p_r, beta, gamma), friction by the facets of src/contact/facets.h, bilateral rows
 * as equalities.
 */
#include <cradle/lcp.h>
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/layout.h"
#include "contact/facets.h"
#include "impact/impact.h"
#include "impact/laws.h"
#include "linalg/dense.h"

static double viscosity(const crd_contact_problem *problem, const crd_impact_options *options, int contact) {
  size_t diagonal = (size_t)(crd_impact_rows(problem) + 1) * (size_t)problem->contact[contact].row;
  double e = crd_impact_restitution(problem, options, contact);
  return (1 - e) / 2 / (1 + e) * problem->W[diagonal];
}

/* z of the facetted problem is (p_n, beta, gamma, p_b); p_r is put in front of it, p_v stands for p_n. */
typedef struct mean_lcp {
  crd_facets facets;
  int n;                  /* nc + facets.size */
  double *full, *W, *w;   /* of the facetted problem; n x n; n */
  double *z, *sum, *mean; /* n, facets.size, nrow + nb */
  unsigned char *equality;
} mean_lcp;

static bool allocate(mean_lcp *l, const crd_contact_problem *problem, const crd_impact_options *options,
                     crd_impact_result *result) {
  size_t nc = (size_t)problem->nc, count = (size_t)crd_facets_count(problem, options->facets);
  size_t size = 2 * nc + count + (size_t)problem->nb, n = nc + size;
  l->n = (int)n;
  return !CRD_TAKE(&result->arena, CRD_ARRAY(l->facets.first, nc + 1), CRD_MATRIX(l->facets.direction, count, 2),
                   CRD_MATRIX(l->full, size, size), CRD_MATRIX(l->W, n, n), CRD_ARRAY(l->w, n), CRD_ARRAY(l->z, n),
                   CRD_ARRAY(l->sum, size), CRD_ARRAY(l->mean, crd_impact_rows(problem)), CRD_ARRAY(l->equality, n)) &&
         crd_impact_lcp(result, l->n);
}

/* Velocities at half of the impulses: rows of W are halved, those that bound friction are not. */
static void fill(mean_lcp *l, const crd_contact_problem *problem, const crd_impact_options *options) {
  int nc = problem->nc, size = l->facets.size, gamma = nc + l->facets.nfacet;
  size_t n = (size_t)l->n;
  crd_facets_matrix(problem, &l->facets, l->full);
  for (int i = 0; i < crd_impact_rows(problem); i++) l->mean[i] = 0.5 * (problem->u[i] + problem->u_free[i]);
  crd_facets_vector(problem, &l->facets, l->mean, l->w + nc);
  for (int i = 0; i < size; i++) {
    bool bound = i >= gamma && i < gamma + nc;
    const double *row = l->full + (size_t)size * (size_t)i;
    double *out = l->W + n * (size_t)(nc + i);
    for (int j = 0; j < size; j++) {
      bool slack = j >= gamma && j < gamma + nc;
      out[nc + j] = bound || slack ? row[j] : row[j] / 2;
    }
    for (int c = 0; c < nc; c++) out[c] = out[nc + c]; /* p_r acts as p_v does, */
  }
  for (int c = 0; c < nc; c++) {
    memcpy(l->W + n * (size_t)c, l->W + n * (size_t)(nc + c), n * sizeof(double)); /* and its row is u_n+ / 2 */
    l->w[c] = 0.5 * problem->u_free[problem->contact[c].row];
    l->W[n * (size_t)(nc + c) + (size_t)(nc + c)] += viscosity(problem, options, c);
  }
  for (int b = 0; b < problem->nb; b++) {
    int row = nc + size - problem->nb + b;
    l->equality[row] = 1, l->w[row] = 0.5 * problem->u_free[problem->nrow + b];
  }
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  mean_lcp l = {0};
  if (!allocate(&l, problem, options, result)) return CRD_ERR_MEMORY;
  crd_facets_fill(problem, options->facets, &l.facets);
  fill(&l, problem, options);
  crd_lcp_problem lcp = crd_lcp_dense(l.n, l.W, l.w);
  lcp.free_row = l.equality;
  crd_lcp_report report;
  crd_status status = l.n > 0 ? crd_lcp_solve(result->lcp, &lcp, NULL, l.z, &report) : CRD_OK;
  if (status != CRD_OK) {
    crd_impact_note(result, "the complementarity problem of %d rows ended with: %s", l.n, crd_status_text(status));
    return status;
  }
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  memcpy(l.sum, l.z + problem->nc, sizeof *l.sum * (size_t)l.facets.size);
  for (int c = 0; c < problem->nc; c++) l.sum[c] += l.z[c];
  crd_facets_impulse(problem, &l.facets, l.sum, solution->p);
  return CRD_OK;
}

/* Friction of one contact at its mean velocity: outside the cone, or less dissipation than the facets allow. */
static double friction_error(const crd_contact *contact, int facets, crd_impact_scale scale, const double *p,
                             const double *mean) {
  double radius = contact->mu * fmax(p[contact->row], 0), done = 0, length = 0, strongest = 0;
  int k = contact->ntangent == 1 ? 2 : facets;
  if (contact->ntangent == 0) return 0;
  for (int t = 1; t <= contact->ntangent; t++) {
    done += p[contact->row + t] * mean[t];
    length = hypot(length, p[contact->row + t]);
  }
  for (int j = 0; j < k; j++) {
    double along = cos(2 * CRD_PI * j / k) * mean[1];
    if (contact->ntangent == 2) along += sin(2 * CRD_PI * j / k) * mean[2];
    strongest = fmax(strongest, -along);
  }
  return fmax((length - radius) / scale.impulse, (radius * strongest + done) / (scale.impulse * scale.velocity));
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  int m = crd_impact_rows(problem);
  double worst = crd_impact_bilateral_speed(problem, p) / scale.velocity;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double mean[3] = {0}, after = 0, pn = p[contact->row] / scale.impulse;
    for (int t = contact->ntangent; t >= 0; t--) {
      int row = contact->row + t;
      after = problem->u_free[row] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)row, p);
      mean[t] = 0.5 * (problem->u[row] + after);
    }
    /* p_v <= p_n: U + C p_n >= 0, and zero where the contact pushes and opens */
    double slack = (mean[0] + viscosity(problem, options, c) * p[contact->row]) / scale.velocity;
    after /= scale.velocity;
    worst = fmax(worst, fmax(-pn, fmax(-after, -slack)));
    worst = fmax(worst, fmin(pn, fmin(after, slack)));
    worst = fmax(worst, friction_error(contact, options->facets, scale, p, mean));
  }
  return worst;
}

const crd_impact_law crd_law_fremond = {
    .name = "fremond",
    .title = "Percussions from a pseudo-potential of the mean velocity",
    .source = "Fremond 1995",
    .dissipative = true,
    .resolve = resolve,
    .residual = residual,
};
