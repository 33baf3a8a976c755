/* matrix: the generalised restitution matrix on kinetic quasi-velocities, [Brogliato, (40)-(41)].
 *
 *   E_nn (nc x nc), frictionless:   qd_norm+ = -E_nn qd_norm-,   G pbar_n = qd_norm+ - qd_norm_free
 *   E (nv x nv), (60)-(63):         v+ = -E v-,                  Gbar (pbar_n, p_t) = v+ - v_free      (53), (54)
 *
 * E_nn is the problem's restitution matrix, or diag(e). An impulse exists only if the right-hand side lies in the range
 * of G or Gbar, condition (55) with v(t-) (erratum C-32); otherwise there is no solution. The law is explicit: it may
 * ask for contacts that pull or approach, and for energy; a note tells which of the three consistencies (kinematic
 * qd_norm+
 * >= 0, kinetic p_n >= 0, energetic T+ <= T-) the answer has. Impulses that are not unique are those of least norm.
 *
 * The equations are solved in contact velocities u_n = |grad h| qd_norm and as J' p = M (v+ - v_free), which is (54)
 * before its multiplication by Xi: G and Gbar have the square of the condition of J.
 */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "impact/impact.h"
#include "impact/laws.h"
#include "impact/oblique.h"
#include "impact/quasi.h"
#include "linalg/dense.h"

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

static double max_distance(int n, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

/* The metric of quasi-velocities: T = 1/2 v' D v. */
static double quasi_scale(const crd_contact_problem *problem) {
  double kinetic = fmax(problem->kinetic, problem->kinetic_free);
  return kinetic > 0 ? sqrt(2 * kinetic) : 1;
}

static crd_status describe(const crd_contact_problem *problem, const crd_impact_options *options,
                           crd_impact_result *result, const crd_impact_solution *s) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  bool kinematic = true, kinetic = true;
  int m = crd_impact_rows(problem);
  for (int c = 0; c < problem->nc; c++) {
    int r = problem->contact[c].row;
    double plus = problem->u_free[r] + crd_dense_dot(m, problem->W + at(m, r, 0), s->p);
    kinematic &= plus >= -options->tolerance * scale.velocity;
    kinetic &= s->p[r] >= -options->tolerance * scale.impulse;
  }
  double change = crd_contact_problem_kinetic_after(problem, s->p) - problem->kinetic_free;
  bool energetic = change <= options->tolerance * fmax(problem->kinetic_free, problem->kinetic);
  return crd_impact_note(result, "consistency: kinematic %s, kinetic %s, energetic %s (energy change %.6g J)",
                         kinematic ? "yes" : "no", kinetic ? "yes" : "no", energetic ? "yes" : "no",
                         change * result->unit_velocity * result->unit_impulse);
}

static crd_status out_of_range(crd_impact_result *result, double distance) {
  crd_status told =
      crd_impact_note(result, "no impulse gives the velocities the matrix asks for, (55): off by %.3g of v", distance);
  return told == CRD_OK ? CRD_NO_SOLUTION : told;
}

/* Factors the rows of all normals and, if asked for, of the bilateral constraints behind them. */
static crd_status factor_normals(crd_oblique *oblique, const crd_contact_problem *problem, bool bilateral,
                                 crd_arena *arena) {
  int count = problem->nc, *row = crd_arena_alloc(arena, (size_t)(problem->nc + problem->nb), sizeof *row);
  if (!row) return CRD_ERR_MEMORY;
  for (int c = 0; c < problem->nc; c++) row[c] = problem->contact[c].row;
  for (int b = 0; b < problem->nb && bilateral; b++) row[count++] = problem->nrow + b;
  return crd_oblique_factor(oblique, problem, count, row, arena);
}

static crd_status resolve_normal(const crd_contact_problem *problem, const crd_impact_options *options,
                                 const crd_quasi *quasi, crd_impact_result *result) {
  int nc = problem->nc, count = nc + problem->nb;
  double *r = crd_impact_scratch(result, (size_t)count), *possible = crd_impact_scratch(result, (size_t)count);
  crd_oblique oblique;
  if (!r || !possible) return CRD_ERR_MEMORY;
  crd_status status = factor_normals(&oblique, problem, true, &result->arena);
  if (status != CRD_OK) return status;
  for (int i = 0; i < count; i++) {
    int row = i < nc ? problem->contact[i].row : problem->nrow + i - nc;
    double plus = i < nc ? -quasi->norm[i] * crd_quasi_rebound(quasi, problem, options, i) : 0;
    possible[i] = r[i] = plus - problem->u_free[row];
  }
  crd_oblique_project_range(&oblique, possible);
  double distance = max_distance(count, possible, r) / crd_impact_scale_of(problem).velocity;
  if (distance > options->tolerance) return out_of_range(result, distance);
  crd_impact_solution *s = crd_impact_add(result, problem);
  if (!s) return CRD_ERR_MEMORY;
  crd_oblique_solve(&oblique, r);
  for (int i = 0; i < count; i++) s->p[i < nc ? problem->contact[i].row : problem->nrow + i - nc] = r[i];
  return describe(problem, options, result, s);
}

/* The full matrix, and the data for quasi-velocities. */
typedef struct full_matrix {
  const crd_contact_problem *problem;
  const crd_quasi *quasi;
  int tangential;
  double *t_q;   /* tangential x nv */
  double *minus; /* nv: quasi-velocities before the impact */
} full_matrix;

/* qd_norm, then qd_tan of a velocity. */
static void quasi_velocity(const full_matrix *full, const double *v, double *out) {
  const crd_contact_problem *problem = full->problem;
  int n = problem->nv, nc = problem->nc;
  for (int c = 0; c < nc; c++)
    out[c] = crd_dense_dot(n, problem->J + at(n, problem->contact[c].row, 0), v) / full->quasi->norm[c];
  for (int k = 0; k < full->tangential; k++) out[nc + k] = crd_quasi_product(problem, full->t_q + at(n, k, 0), v);
}

/* out = quasi-velocities of v, plus E times those before the impact: zero where (40) holds. */
static void departure(const full_matrix *full, const double *v, double *out) {
  int n = full->problem->nv;
  quasi_velocity(full, v, out);
  for (int i = 0; i < n; i++) out[i] += crd_dense_dot(n, full->problem->restitution_full + at(n, i, 0), full->minus);
}

static crd_status full_matrix_new(full_matrix *full, const crd_contact_problem *problem, const crd_quasi *quasi,
                                  crd_arena *arena) {
  *full = (full_matrix){.problem = problem, .quasi = quasi};
  crd_status status = crd_quasi_tangent(problem, arena, &full->tangential, &full->t_q);
  if (status != CRD_OK) return status;
  if (full->tangential != problem->nv - quasi->nc) return CRD_SINGULAR;
  full->minus = crd_arena_alloc(arena, (size_t)problem->nv, sizeof *full->minus);
  if (!full->minus) return CRD_ERR_MEMORY;
  quasi_velocity(full, problem->v, full->minus);
  return CRD_OK;
}

/* The velocity with the given quasi-velocities: M^-1 J_n' W^+ u_n + t_q qd_tan. */
static crd_status velocity_of(const full_matrix *full, const double *quasi_velocity, crd_arena *arena, double *v) {
  const crd_contact_problem *problem = full->problem;
  int n = problem->nv, nc = problem->nc;
  crd_oblique oblique;
  double *x = crd_arena_alloc(arena, (size_t)nc, sizeof *x);
  if (!x) return CRD_ERR_MEMORY;
  crd_status status = factor_normals(&oblique, problem, false, arena);
  if (status != CRD_OK) return status;
  for (int c = 0; c < nc; c++) x[c] = full->quasi->norm[c] * quasi_velocity[c];
  crd_oblique_solve(&oblique, x);
  for (int k = 0; k < n; k++) {
    v[k] = 0;
    for (int c = 0; c < nc; c++) v[k] += problem->X[at(n, problem->contact[c].row, k)] * x[c];
    for (int t = 0; t < full->tangential; t++) v[k] += full->t_q[at(n, t, k)] * quasi_velocity[nc + t];
  }
  return CRD_OK;
}

/* p of least norm with J' p nearest to M dv. */
static crd_status impulses_of(const crd_contact_problem *problem, const double *dv, crd_arena *arena, double *p) {
  const double dependent = 1e-11;
  int n = problem->nv, rows = problem->nrow;
  double *inverse, *work;
  if (CRD_TAKE(arena, CRD_MATRIX(inverse, n, rows), CRD_ARRAY(work, crd_dense_pseudo_inverse_work(rows, n))))
    return CRD_ERR_MEMORY;
  if (crd_dense_pseudo_inverse(rows, n, problem->J, dependent, inverse, work) < 0) return CRD_SINGULAR;
  for (int k = 0; k < n; k++) {
    double momentum = crd_dense_dot(n, problem->M + at(n, k, 0), dv);
    for (int r = 0; r < rows; r++) p[r] += inverse[at(rows, k, r)] * momentum;
  }
  return CRD_OK;
}

/* p that brings the quasi-velocities to -E v-, and how far it stays away from them (55). */
static crd_status solve_full(const full_matrix *full, crd_arena *arena, double *p, double *distance) {
  const crd_contact_problem *problem = full->problem;
  int n = problem->nv;
  size_t size = (size_t)n;
  double *change, *dv, *v;
  if (CRD_TAKE(arena, CRD_ARRAY(change, size), CRD_ARRAY(dv, size), CRD_ARRAY(v, size))) return CRD_ERR_MEMORY;
  departure(full, problem->v_free, change);
  for (int i = 0; i < n; i++) change[i] = -change[i];
  crd_status status = velocity_of(full, change, arena, dv);
  if (status == CRD_OK) status = impulses_of(problem, dv, arena, p);
  if (status != CRD_OK) return status;
  crd_contact_problem_velocity(problem, p, v);
  for (int k = 0; k < n; k++) dv[k] -= v[k] - problem->v_free[k];
  *distance = sqrt(fmax(crd_quasi_product(problem, dv, dv), 0)) / quasi_scale(problem);
  return CRD_OK;
}

/* Why the full matrix does not apply; NULL: it does. */
static const char *unfit(const crd_contact_problem *problem) {
  if (!problem->M) return "the full restitution matrix needs the mass matrix";
  if (problem->nb > 0) return "the full restitution matrix is defined without bilateral rows";
  return NULL;
}

static crd_status resolve_full(const crd_contact_problem *problem, const crd_impact_options *options,
                               const crd_quasi *quasi, crd_impact_result *result) {
  const char *reason = unfit(problem);
  full_matrix full;
  if (reason) return crd_impact_note(result, "%s", reason) == CRD_OK ? CRD_ERR_ARGUMENT : CRD_ERR_MEMORY;
  crd_status status = full_matrix_new(&full, problem, quasi, &result->arena);
  if (status == CRD_SINGULAR &&
      crd_impact_note(result, "the normals are dependent: the quasi-velocities are no coordinates") != CRD_OK)
    return CRD_ERR_MEMORY;
  double distance = 0, *p = crd_impact_scratch(result, (size_t)problem->nrow);
  if (!p) return CRD_ERR_MEMORY;
  if (status == CRD_OK) status = solve_full(&full, &result->arena, p, &distance);
  if (status != CRD_OK) return status;
  if (distance > options->tolerance) return out_of_range(result, distance);
  crd_impact_solution *s = crd_impact_add(result, problem);
  if (!s) return CRD_ERR_MEMORY;
  memcpy(s->p, p, sizeof *p * (size_t)problem->nrow);
  return describe(problem, options, result, s);
}

static bool is_full(const crd_contact_problem *problem, const crd_impact_options *options) {
  return problem->restitution_full && isnan(options->e);
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  crd_quasi quasi;
  crd_status status = crd_quasi_normal(&quasi, problem, &result->arena);
  if (status != CRD_OK) return status;
  return is_full(problem, options) ? resolve_full(problem, options, &quasi, result)
                                   : resolve_normal(problem, options, &quasi, result);
}

/* Largest |v+ + E v-| of the quasi-velocities the matrix speaks of, v+ straight from p. */
static double departure_after(const crd_contact_problem *problem, const crd_impact_options *options, const double *p,
                              crd_arena *arena) {
  int n = problem->nv;
  double worst = 0, *v = crd_arena_alloc(arena, (size_t)n, sizeof *v),
         *out = crd_arena_alloc(arena, (size_t)n, sizeof *out);
  crd_quasi quasi;
  full_matrix full;
  if (!v || !out || crd_quasi_normal(&quasi, problem, arena) != CRD_OK) return INFINITY;
  crd_contact_problem_velocity(problem, p, v);
  if (is_full(problem, options)) {
    if (full_matrix_new(&full, problem, &quasi, arena) != CRD_OK) return INFINITY;
    departure(&full, v, out);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(out[i]));
    return worst;
  }
  for (int c = 0; c < problem->nc; c++) {
    double plus = crd_dense_dot(n, problem->J + at(n, problem->contact[c].row, 0), v) / quasi.norm[c];
    worst = fmax(worst, fabs(plus + crd_quasi_rebound(&quasi, problem, options, c)));
  }
  return worst;
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  crd_arena arena = {0};
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double worst = departure_after(problem, options, p, &arena) / quasi_scale(problem);
  crd_arena_free(&arena);
  for (int c = 0; c < problem->nc && !is_full(problem, options); c++)
    for (int t = 1; t <= problem->contact[c].ntangent; t++)
      worst = fmax(worst, fabs(p[problem->contact[c].row + t]) / scale.impulse);
  return worst;
}

const crd_impact_law crd_law_matrix = {.name = "matrix",
                                       .title = "Generalised restitution matrix on kinetic quasi-velocities",
                                       .source = "Brogliato, (40)-(41), (53)-(55), (60)-(63)",
                                       .dissipative = false,
                                       .resolve = resolve,
                                       .residual = residual};
