#include "support/consistency.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

enum { MAX = 8 };

/* Largest eigenvalue of Z' (E' Q E - Q) Z, from the definitions. */
static double largest_change(const crd_restitution *r, const double *E) {
  double X[MAX * MAX], Y[MAX * MAX] = {0}, values[MAX], work[3 * MAX];
  int nc = r->contacts, d = r->dim;
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) {
      X[i * nc + j] = -r->Q[i * nc + j];
      for (int k = 0; k < nc; k++)
        for (int l = 0; l < nc; l++) X[i * nc + j] += E[k * nc + i] * r->Q[k * nc + l] * E[l * nc + j];
    }
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int k = 0; k < nc; k++)
        for (int l = 0; l < nc; l++) Y[i * d + j] += r->Z[k * d + i] * X[k * nc + l] * r->Z[l * d + j];
  assert_true(crd_dense_eigen_symmetric(d, Y, values, work));
  return values[d - 1];
}

/* Largest t with lambda_max(Z' ((tE)'Q(tE) - Q) Z) <= 0, by bisection on that eigenvalue alone. */
static double bisected_scaling(const crd_restitution *r, const double *E) {
  double low = 0, high = 64;
  int nc = r->contacts;
  double tE[64];
  for (int i = 0; i < 60; i++) {
    double t = 0.5 * (low + high);
    for (int k = 0; k < nc * nc; k++) tE[k] = t * E[k];
    if (largest_change(r, tE) <= 0)
      low = t;
    else
      high = t;
  }
  return low;
}

static crd_contact_problem *draw(random_stream *stream, int trial) {
  random_problem_options options = {.nc = 2 + trial % 5, .nb = trial % 3, .redundant = trial % 4 == 3};
  options.nv = options.nc + options.nb + random_int(stream, 0, 4);
  return random_problem(stream, options);
}

void lmi_agreement(uint64_t seed, int systems, crd_arena *arena) {
  random_stream stream = {.seed = seed};
  for (int trial = 0; trial < systems; trial++) {
    crd_contact_problem *problem = draw(&stream, trial);
    int nc = problem->nc, contact = random_int(&stream, 0, nc - 1);
    double E[MAX * MAX] = {0}, t, low[2], high[2];
    crd_restitution r;
    crd_arena_reset(arena);
    for (int i = 0; i < nc; i++) E[i * nc + i] = random_in(&stream, 0, 1);
    assert_int_equal(crd_analysis_restitution_form(&r, problem, arena), CRD_OK);
    double expected = bisected_scaling(&r, E);
    assert_int_equal(crd_analysis_restitution_scaling(&r, E, CRD_LMI_SDP, &t, arena), CRD_OK);
    if (!(fabs(t - expected) <= 1e-7)) fail_msg("system %d: t = %.12g by SDP, %.12g by bisection", trial, t, expected);
    crd_status first = crd_analysis_restitution_interval(&r, E, contact, CRD_LMI_EIGENVALUES, &low[0], &high[0], arena);
    crd_status second = crd_analysis_restitution_interval(&r, E, contact, CRD_LMI_SDP, &low[1], &high[1], arena);
    assert_int_equal(first, second);
    if (first == CRD_OK && !(fabs(low[0] - low[1]) <= 1e-7 && fabs(high[0] - high[1]) <= 1e-7))
      fail_msg("system %d: [%.12g, %.12g] by eigenvalues, [%.12g, %.12g] by SDP", trial, low[0], high[0], low[1],
               high[1]);
    crd_contact_problem_free(problem);
  }
}

/* (K+ - K-)/K- of the law `projection` with restitution matrix E at v. */
static double gain_of_impact(crd_contact_problem *problem, const double *v, crd_impact_result *result) {
  memcpy(problem->v, v, sizeof *v * (size_t)problem->nv);
  assert_int_equal(crd_contact_problem_complete(problem), CRD_OK);
  resolve_with("projection", problem, result);
  const crd_impact_solution *s = &result->solution[0];
  return (s->kinetic_after - s->kinetic_before) / s->kinetic_before;
}

/* An approaching velocity of the problem: random, on the bilateral rows' null space, pushed to approach by the answer
 * of plain signs. False: not found. */
static bool approaching(const crd_restitution *r, const crd_contact_problem *problem, random_stream *stream,
                        double *v) {
  const crd_projection *p = &r->projection;
  double x[64];
  for (int attempt = 0; attempt < 60; attempt++) {
    bool all = true;
    for (int j = 0; j < problem->nv; j++) x[j] = random_in(stream, -1, 1);
    for (int j = 0; j < problem->nv; j++) {
      v[j] = 0;
      for (int k = 0; k < problem->nv; k++) v[j] += p->P[j * problem->nv + k] * x[k];
    }
    /* normal velocities u = -|random| where the rows are independent; what is left of them where they are not */
    for (int c = 0; c < problem->nc; c++) x[c] = -fabs(random_in(stream, 0, 1));
    for (int j = 0; j < problem->nv; j++)
      for (int c = 0; c < problem->nc; c++) v[j] += p->G[j * p->rows + c] * x[c];
    for (int i = 0; i < p->rows; i++) {
      double u = crd_dense_dot(problem->nv, p->A + i * problem->nv, v);
      all = all && (i < problem->nc ? u <= 1e-12 : fabs(u) < 1e-12);
    }
    if (all) return true;
  }
  return false;
}

void consistency_campaign(uint64_t seed, int systems, int samples, crd_arena *arena) {
  random_stream stream = {.seed = seed};
  crd_impact_result result = {0};
  int consistent = 0, inconsistent = 0, sampled = 0;
  for (int trial = 0; trial < systems; trial++) {
    crd_contact_problem *problem = draw(&stream, trial);
    int nc = problem->nc;
    double v[64], most = trial % 2 ? 1 : 0.6;
    crd_restitution r;
    crd_worst_velocity worst;
    crd_arena_reset(arena);
    assert_int_equal(crd_contact_problem_add_restitution_matrix(problem), CRD_OK);
    memset(problem->restitution_matrix, 0, sizeof(double) * (size_t)(nc * nc));
    for (int i = 0; i < nc; i++) problem->restitution_matrix[i * nc + i] = random_in(&stream, 0, most);
    assert_int_equal(crd_analysis_restitution_form(&r, problem, arena), CRD_OK);
    assert_int_equal(crd_analysis_restitution_worst(&worst, &r, problem->restitution_matrix, 1 << 20, arena), CRD_OK);
    assert_int_equal(worst.status, CRD_OK);
    for (int k = 0; k < samples && approaching(&r, problem, &stream, v); k++, sampled++) {
      double gain = gain_of_impact(problem, v, &result);
      if (gain > fmax(worst.gain, 0) + 1e-9)
        fail_msg("system %d gains %g, the verdict said at most %g", trial, gain, worst.gain);
    }
    if (worst.gain > 1e-9) {
      double gain = gain_of_impact(problem, worst.v, &result);
      if (fabs(gain - worst.gain) > 1e-8 * (1 + worst.gain))
        fail_msg("system %d gains %.12g at its worst velocity, reported %.12g", trial, gain, worst.gain);
      for (int c = 0; c < nc; c++) assert_true(problem->u[problem->contact[c].row] <= 1e-9);
      inconsistent++;
    } else {
      consistent++;
    }
    crd_contact_problem_free(problem);
  }
  print_message("%d consistent, %d inconsistent, %d velocities sampled\n", consistent, inconsistent, sampled);
  assert_true(consistent > systems / 10 && inconsistent > systems / 10 && sampled > systems);
  crd_impact_result_free(&result);
}
