#include "support/lcp_campaign.h"

#include <cradle/lcp.h>
#include <math.h>
#include <stdlib.h>

#include "support/cmocka_all.h"
#include "support/lcp_problems.h"

enum { MAX_ROWS = 64, DENSE_ROWS = 12 };

typedef struct campaign {
  crd_lcp_work *work;
  double W[MAX_ROWS * MAX_ROWS], w[MAX_ROWS], z[MAX_ROWS];
  int n;
} campaign;

/* W = B B' of rank n - deficit, plus a skew part where it stays positive (semi)definite; with shift > 0 definite, hence
 * P. */
static void fill_semidefinite(campaign *c, lcp_random *random, int deficit, double shift) {
  double B[DENSE_ROWS * DENSE_ROWS];
  int n = c->n, rank = n - deficit;
  for (int i = 0; i < n * rank; i++) B[i] = lcp_normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c->W[n * i + j] = shift * (i == j);
      for (int k = 0; k < rank; k++) c->W[n * i + j] += B[rank * i + k] * B[rank * j + k];
    }
  if (shift > 0) /* x'(W + S)x = x'W x for skew S */
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        double s = lcp_normal(random);
        c->W[n * i + j] += s, c->W[n * j + i] -= s;
      }
}

/* w such that W z + w = y with z, y >= 0: feasible; complementary z and y make a solution, with both zero a degenerate
 * one. */
static void fill_feasible(campaign *c, lcp_random *random, bool complementary, bool degenerate) {
  int n = c->n;
  double z[DENSE_ROWS], y[DENSE_ROWS];
  for (int i = 0; i < n; i++) {
    z[i] = lcp_uniform(random, 0, 1), y[i] = lcp_uniform(random, 0, 1);
    if (complementary) *(lcp_integer(random, 2) ? &z[i] : &y[i]) = 0;
    if (degenerate && lcp_integer(random, 2)) z[i] = y[i] = 0;
  }
  for (int i = 0; i < n; i++) {
    c->w[i] = y[i];
    for (int j = 0; j < n; j++) c->w[i] -= c->W[n * i + j] * z[j];
  }
}

/* Rows and columns times 10^(+-6): z and y change their units, the problem stays the same. */
static void rescale(campaign *c, lcp_random *random) {
  int n = c->n;
  for (int i = 0; i < n; i++) {
    double row = pow(10, lcp_uniform(random, -6, 6)), column = pow(10, lcp_uniform(random, -6, 6));
    for (int j = 0; j < n; j++) c->W[n * i + j] *= row, c->W[n * j + i] *= column;
    c->w[i] *= row;
  }
}

static void fill_contacts(campaign *c, lcp_random *random, bool step) {
  const double friction[] = {0, 0.01, 0.3, 1, 10, 1e5};
  contact_scene scene = {.contacts = 1 + lcp_integer(random, 5),
                         .facets = 2 * (1 + lcp_integer(random, 3)),
                         .mu = friction[lcp_integer(random, 6)],
                         .mass_spread = lcp_uniform(random, 0, 2),
                         .length = pow(10, lcp_uniform(random, -2, 1)),
                         .resting = lcp_integer(random, 8) == 0};
  scene.bodies = 1 + lcp_integer(random, scene.contacts);
  scene.duplicates = lcp_integer(random, scene.contacts);
  c->n = contact_lcp_rows(&scene) + (step ? scene.contacts : 0);
  assert_true(c->n <= MAX_ROWS);
  if (step)
    contact_step_lcp_fill(&scene, random, lcp_uniform(random, 0.1, 1), c->W, c->w);
  else
    contact_lcp_fill(&scene, random, c->W, c->w, NULL, NULL);
}

static void fill(campaign *c, uint64_t seed) {
  lcp_random random = {.seed = seed};
  bool degenerate = lcp_integer(&random, 2);
  c->n = 1 + lcp_integer(&random, DENSE_ROWS);
  switch (seed % 4) {
    case 0:
      fill_semidefinite(c, &random, 0, 0.1);
      fill_feasible(c, &random, true, degenerate);
      rescale(c, &random);
      break;
    case 1:
      fill_semidefinite(c, &random, lcp_integer(&random, c->n), 0);
      fill_feasible(c, &random, lcp_integer(&random, 2), degenerate);
      rescale(c, &random);
      break;
    default: fill_contacts(c, &random, seed % 4 == 3);
  }
}

double lcp_campaign(uint64_t first, uint64_t last) {
  campaign *c = malloc(sizeof *c);
  assert_non_null(c);
  c->work = crd_lcp_work_new(MAX_ROWS, 0);
  assert_non_null(c->work);
  double largest = 0;
  for (uint64_t seed = first; seed <= last; seed++) {
    fill(c, seed);
    crd_lcp_problem problem = crd_lcp_dense(c->n, c->W, c->w);
    crd_lcp_report report;
    crd_lcp_residual_parts parts;
    crd_status status = crd_lcp_solve(c->work, &problem, NULL, c->z, &report);
    if (status != CRD_OK)
      fail_msg("seed %llu, %d rows: %s after %d pivots", (unsigned long long)seed, c->n, crd_status_text(status),
               report.pivots);
    assert_int_equal(crd_lcp_residual(c->work, &problem, c->z, &parts), CRD_OK);
    if (!(parts.scaled <= 1e-9))
      fail_msg("seed %llu, %d rows: residual %g", (unsigned long long)seed, c->n, parts.scaled);
    largest = fmax(largest, parts.scaled);
  }
  crd_lcp_work_free(c->work);
  free(c);
  return largest;
}
