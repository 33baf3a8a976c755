/* The campaign over random problems; see the header. */
#include "support/lcp_campaign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/lcp_oracle.h"
#include "support/lcp_problems.h"

enum { N = 100, NV = 48 };

typedef struct campaign_case {
  int n, free_rows;
  double W[N * N], w[N];
  double J[N * NV], z[N], y[N], point[ORACLE_POINTS * ORACLE_ROWS];
  bool solvable, unsolvable; /* what is known; neither: a ray proves nothing */
} campaign_case;

static void fill_p(campaign_case *c, lcp_random *random) {
  int n = c->n = 1 + lcp_integer(random, 30);
  double skew = lcp_uniform(random, 0, 3), shift = pow(10, lcp_uniform(random, -4, 0));
  for (int i = 0; i < n * n; i++) c->J[i] = lcp_normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (int l = 0; l < n; l++) sum += c->J[i * n + l] * c->J[j * n + l] / n;
      c->W[i * n + j] = sum + skew * (c->J[i * n + j] - c->J[j * n + i]);
    }
  bool degenerate = lcp_integer(random, 3) == 0;
  for (int i = 0; i < n; i++) c->w[i] = degenerate && lcp_integer(random, 2) ? 0 : lcp_normal(random);
  c->solvable = true;
}

/* w = y - W z with z, y >= 0 complementary, some pairs zero on both sides. */
static void fill_semidefinite(campaign_case *c, lcp_random *random) {
  int n = c->n = 2 + lcp_integer(random, 25), rank = 1 + lcp_integer(random, n);
  for (int i = 0; i < n * rank; i++) c->J[i] = lcp_normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c->W[i * n + j] = 0;
      for (int l = 0; l < rank; l++) c->W[i * n + j] += c->J[i * rank + l] * c->J[j * rank + l];
    }
  for (int i = 0; i < n; i++) {
    int kind = lcp_integer(random, 3);
    c->z[i] = kind == 0 ? lcp_uniform(random, 0, 1) : 0;
    c->w[i] = kind == 1 ? lcp_uniform(random, 0, 1) : 0;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c->w[i] -= c->W[i * n + j] * c->z[j];
  c->solvable = true;
}

static contact_scene random_scene(lcp_random *random) {
  static const int facets[4] = {0, 2, 4, 8};
  contact_scene scene = {.contacts = 1 + lcp_integer(random, 8), .facets = facets[lcp_integer(random, 4)]};
  int mu = lcp_integer(random, 4);
  scene.mu = mu == 0 ? 0 : mu == 1 ? 1e5 : pow(10, lcp_uniform(random, -3, 5));
  scene.length = pow(10, lcp_uniform(random, -3, 3));
  scene.mass_spread = lcp_uniform(random, 0, 3);
  scene.bodies = 1 + lcp_integer(random, scene.contacts);
  scene.duplicates = lcp_integer(random, 3) == 0 ? lcp_integer(random, scene.contacts) : 0;
  scene.resting = lcp_integer(random, 10) == 0;
  return scene;
}

static void fill_contact(campaign_case *c, lcp_random *random, bool step) {
  contact_scene scene = random_scene(random);
  c->n = contact_lcp_rows(&scene) + (step ? scene.contacts : 0);
  if (step)
    contact_step_lcp_fill(&scene, random, pow(10, lcp_uniform(random, -3, 3)), c->W, c->w);
  else
    contact_lcp_fill(&scene, random, c->W, c->w, NULL, NULL);
  c->solvable = true;
}

/* Joints, some of them written twice, and contacts without friction: W = J J', w = J v. */
static void fill_mixed(campaign_case *c, lcp_random *random) {
  int joints = 1 + lcp_integer(random, 8), doubles = lcp_integer(random, joints + 1),
      contacts = 1 + lcp_integer(random, 12);
  int nv = joints + 3 + lcp_integer(random, 12);
  double v[NV];
  c->free_rows = joints + doubles, c->n = c->free_rows + contacts;
  for (int i = 0; i < c->n * nv; i++) c->J[i] = lcp_normal(random);
  for (int d = 0; d < doubles; d++) {
    double factor = lcp_uniform(random, 0.5, 2);
    for (int l = 0; l < nv; l++) c->J[(joints + d) * nv + l] = factor * c->J[d * nv + l];
  }
  for (int l = 0; l < nv; l++) v[l] = lcp_normal(random);
  for (int i = 0; i < c->n; i++) {
    c->w[i] = 0;
    for (int l = 0; l < nv; l++) c->w[i] += c->J[i * nv + l] * v[l];
    for (int j = 0; j < c->n; j++) {
      c->W[i * c->n + j] = 0;
      for (int l = 0; l < nv; l++) c->W[i * c->n + j] += c->J[i * nv + l] * c->J[j * nv + l];
    }
  }
  c->solvable = true;
}

/* v >= 0 with W' v <= 0 and w' v < 0: the last row with v_i > 0 is chosen so. */
static void fill_infeasible(campaign_case *c, lcp_random *random) {
  int n = c->n = 1 + lcp_integer(random, 15), last = lcp_integer(random, n);
  double v[N], sum = 0;
  for (int i = 0; i < n * n; i++) c->W[i] = lcp_normal(random);
  for (int i = 0; i < n; i++) {
    v[i] = i == last ? 1 : lcp_integer(random, 2) ? lcp_uniform(random, 0.1, 1) : 0;
    c->w[i] = lcp_normal(random);
  }
  for (int j = 0; j < n; j++) {
    sum = 0;
    for (int i = 0; i < n; i++) sum += i == last ? 0 : v[i] * c->W[i * n + j];
    c->W[last * n + j] = -sum - (lcp_integer(random, 3) ? lcp_uniform(random, 0.1, 1) : 0);
  }
  sum = 0;
  for (int i = 0; i < n; i++) sum += i == last ? 0 : v[i] * c->w[i];
  c->w[last] = -sum - lcp_uniform(random, 0.1, 1);
  c->unsolvable = true;
}

static void fill_integer(campaign_case *c, lcp_random *random) {
  int n = c->n = 1 + lcp_integer(random, 4), span = 1 + lcp_integer(random, 4);
  for (int i = 0; i < n * n; i++) c->W[i] = lcp_integer(random, 3) ? lcp_integer(random, 2 * span + 1) - span : 0;
  for (int i = 0; i < n; i++) c->w[i] = lcp_integer(random, 2 * span + 1) - span;
  c->unsolvable = lcp_oracle(n, c->W, c->w, c->point) == 0;
}

/* Other units for rows, columns and w: factors from 1e-6 to 1e6, which change no verdict. */
static void scale(campaign_case *c, lcp_random *random) {
  int kind = lcp_integer(random, 3);
  double all = pow(10, lcp_uniform(random, -6, 6)), all_w = pow(10, lcp_uniform(random, -6, 6));
  double row[N], col[N];
  for (int i = 0; i < c->n; i++) {
    row[i] = kind == 1 ? pow(10, lcp_uniform(random, -3, 3)) : kind == 2 ? all : 1;
    col[i] = kind == 1 ? pow(10, lcp_uniform(random, -3, 3)) : 1;
  }
  for (int i = 0; i < c->n; i++) {
    for (int j = 0; j < c->n; j++) c->W[i * c->n + j] *= row[i] * col[j];
    c->w[i] *= row[i] * (kind == 2 ? all_w : 1);
  }
}

static void fill(campaign_case *c, campaign_kind kind, lcp_random *random) {
  c->free_rows = 0;
  c->solvable = c->unsolvable = false;
  switch (kind) {
    case CAMPAIGN_P: fill_p(c, random); break;
    case CAMPAIGN_SEMIDEFINITE: fill_semidefinite(c, random); break;
    case CAMPAIGN_CONTACT: fill_contact(c, random, false); break;
    case CAMPAIGN_STEP: fill_contact(c, random, true); break;
    case CAMPAIGN_MIXED: fill_mixed(c, random); break;
    case CAMPAIGN_INFEASIBLE: fill_infeasible(c, random); break;
    default: fill_integer(c, random); break;
  }
  if (kind != CAMPAIGN_INTEGER) scale(c, random);
}

campaign_count lcp_campaign(uint64_t first, uint64_t count) {
  campaign_count out = {0};
  campaign_case *c = calloc(1, sizeof *c);
  crd_lcp_work *work = crd_lcp_work_new(N, 0);
  double z[N];
  if (!c || !work) abort();
  for (uint64_t k = first; k < first + count; k++) {
    lcp_random random = {.seed = k};
    campaign_kind kind = (campaign_kind)(k % CAMPAIGN_KINDS);
    fill(c, kind, &random);
    crd_lcp_problem problem = crd_lcp_dense(c->n, c->W, c->w);
    problem.free_leading = c->free_rows;
    crd_lcp_report report;
    crd_lcp_residual_parts parts = {0};
    crd_status status = crd_lcp_solve(work, &problem, NULL, z, &report);
    bool named = status == CRD_OK || status == CRD_RAY || status == CRD_NO_SOLUTION;
    bool wrong = !named || (c->solvable && status != CRD_OK) || (c->unsolvable && status == CRD_OK) ||
                 (kind == CAMPAIGN_INTEGER && !c->unsolvable && status == CRD_NO_SOLUTION);
    if (status == CRD_OK && crd_lcp_residual(work, &problem, z, &parts) != CRD_OK) wrong = true;
    bool above = !(parts.scaled <= 1e-9);
    if ((wrong || above) && out.wrong + out.above < 20)
      printf("problem %llu (kind %d, n = %d): %s, residual %g, %d pivots, %d runs\n", (unsigned long long)k, (int)kind,
             c->n, crd_status_text(status), parts.scaled, report.pivots, report.runs);
    if ((wrong || above) && out.wrong + out.above == 0) out.first_wrong = k;
    out.wrong += wrong, out.above += above;
    out.problems[kind]++;
    out.careful += report.path == CRD_LCP_PATH_CAREFUL, out.lemke += report.path == CRD_LCP_PATH_LEMKE;
    out.trivial += report.path == CRD_LCP_PATH_TRIVIAL, out.search += report.path == CRD_LCP_PATH_SEARCH;
    out.worst = fmax(out.worst, parts.scaled);
    if (report.pivots > out.most_pivots) out.most_pivots = report.pivots;
  }
  crd_lcp_work_free(work);
  free(c);
  return out;
}
