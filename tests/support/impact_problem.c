#include "support/impact_problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

crd_contact_problem *make_problem(const problem_def *def) {
  crd_contact_problem *p = crd_contact_problem_new();
  int per = 1 + def->ntangent, nrow = def->nc * per;
  size_t n = (size_t)def->nv, d = sizeof(double);
  assert_non_null(p);
  assert_int_equal(crd_contact_problem_resize(p, def->nv, def->nc, nrow, def->nb, true), CRD_OK);
  memcpy(p->M, def->M, n * n * d), memcpy(p->v, def->v, n * d);
  if (nrow) memcpy(p->J, def->contact, (size_t)nrow * n * d);
  if (def->nb) memcpy(p->J + (size_t)nrow * n, def->bilateral, (size_t)def->nb * n * d);
  if (def->impulse) memcpy(p->impulse, def->impulse, n * d);
  for (int c = 0; c < def->nc; c++) {
    char name[16];
    snprintf(name, sizeof name, "%d", c + 1);
    p->contact[c] = (crd_contact){.name = crd_contact_problem_text(p, name),
                                  .row = c * per,
                                  .ntangent = def->ntangent,
                                  .mu = def->mu,
                                  .mu_static = def->mu,
                                  .e = def->e,
                                  .e_t = def->e_t,
                                  .body1 = -1,
                                  .body2 = -1};
  }
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  return p;
}

/* Makes v orthogonal to count rows: they are orthonormalised one by one. */
static void obey(int n, int count, const double *row, double *v) {
  double basis[16 * 16];
  int rank = 0;
  assert_true(n <= 16 && count <= 16);
  for (int i = 0; i < count; i++) {
    double *b = basis + n * rank, norm = 0, before = 0;
    memcpy(b, row + n * i, sizeof *b * (size_t)n);
    for (int k = 0; k < n; k++) before += b[k] * b[k];
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < rank; j++) {
        double along = 0;
        for (int k = 0; k < n; k++) along += b[k] * basis[n * j + k];
        for (int k = 0; k < n; k++) b[k] -= along * basis[n * j + k];
      }
    for (int k = 0; k < n; k++) norm += b[k] * b[k];
    if (norm <= 1e-20 * before) continue;
    for (int k = 0; k < n; k++) b[k] /= sqrt(norm);
    rank++;
  }
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < rank; j++) {
      double along = 0;
      for (int k = 0; k < n; k++) along += v[k] * basis[n * j + k];
      for (int k = 0; k < n; k++) v[k] -= along * basis[n * j + k];
    }
}

static void repeat_rows(random_stream *stream, int n, int count, double *row) {
  for (int i = 1; i < count; i++) {
    if (random_in(stream, 0, 1) < 0.5) continue;
    int a = random_int(stream, 0, i - 1), b = random_int(stream, 0, i - 1);
    double s = random_in(stream, 0.2, 3), t = random_int(stream, 0, 1) * random_in(stream, 0.2, 3);
    for (int k = 0; k < n; k++) row[n * i + k] = s * row[n * a + k] + t * row[n * b + k];
  }
}

crd_contact_problem *random_problem(random_stream *stream, random_problem_options o) {
  double B[16 * 16], M[16 * 16], v[16], contact[16 * 16 * 3], bilateral[16 * 16];
  int n = o.nv, per = 1 + o.ntangent;
  assert_true(n <= 16 && o.nc <= 16 && o.nb <= 16);
  random_vector(stream, n * n, B);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      M[n * i + j] = i == j ? 0.1 : 0;
      for (int k = 0; k < n; k++) M[n * i + j] += B[n * i + k] * B[n * j + k];
    }
  random_vector(stream, o.nc * per * n, contact), random_vector(stream, o.nb * n, bilateral);
  random_vector(stream, n, v);
  if (o.redundant && o.ntangent == 0) repeat_rows(stream, n, o.nc, contact);
  if (o.redundant) repeat_rows(stream, n, o.nb, bilateral);
  obey(n, o.nb, bilateral, v);
  for (int c = 0; c < o.nc; c++) {
    double u = 0, *normal = contact + n * per * c;
    for (int k = 0; k < n; k++) u += normal[k] * v[k];
    if (u > 0)
      for (int k = 0; k < n; k++) normal[k] = -normal[k];
  }
  return make_problem(&(problem_def){.nv = n,
                                     .nc = o.nc,
                                     .ntangent = o.ntangent,
                                     .nb = o.nb,
                                     .M = M,
                                     .v = v,
                                     .contact = contact,
                                     .bilateral = bilateral});
}

void resolve_with(const char *law, const crd_contact_problem *problem, crd_impact_result *result) {
  crd_impact_options options = crd_impact_default();
  assert_non_null(crd_impact_find(law));
  crd_status status = crd_impact_resolve(crd_impact_find(law), problem, &options, result);
  if (status != CRD_OK)
    fail_msg("%s: %s (%s)", law, crd_status_text(status), result->nnote ? result->note[0] : "no note");
}

const crd_impact_solution *resolve_stick_slip(const crd_contact_problem *problem, crd_impact_result *result) {
  resolve_with("stick-slip", problem, result);
  for (int k = 0; k < result->count; k++) assert_true(result->solution[k].residual < 1e-10);
  return &result->solution[0];
}

bool has_note(const crd_impact_result *result, const char *words) {
  for (int i = 0; i < result->nnote; i++)
    if (strstr(result->note[i], words)) return true;
  return false;
}

int count_labelled(const crd_impact_result *result, const char *label) {
  int count = 0;
  for (int k = 0; k < result->count; k++) count += strcmp(result->solution[k].label, label) == 0;
  return count;
}

crd_stick_slip stick_slip_outcomes(const crd_contact_problem *problem) {
  crd_impact_options options = crd_impact_default();
  crd_arena arena = {0};
  crd_bilateral bilateral;
  crd_stick_slip found;
  assert_int_equal(crd_bilateral_eliminate(&bilateral, problem, &arena), CRD_OK);
  assert_int_equal(crd_stick_slip_resolve(&found, problem, &options, &bilateral, 0, &arena), CRD_OK);
  crd_arena_free(&arena);
  return found;
}

crd_contact_problem *row_of_balls(int n, const double *mass, const double *v, double e) {
  enum { MOST = 16 };
  double M[MOST * MOST] = {0}, rows[MOST * MOST] = {0}, first[MOST] = {1};
  for (int i = 0; i < n; i++) M[(n + 1) * i] = mass ? mass[i] : 1;
  for (int c = 0; c < n - 1; c++) rows[n * c + c] = -1, rows[n * c + c + 1] = 1;
  return make_problem(&(problem_def){.nv = n, .nc = n - 1, .M = M, .v = v ? v : first, .contact = rows, .e = e});
}
