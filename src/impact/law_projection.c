/* projection: [Aghili, Nonsmooth Mechanics Based on Linear Projection Operator], (27)-(30) with one coefficient for all
 * contacts, (42)-(54) with a restitution matrix E.
 *
 *   A v+ = -E A v         A: normal rows of the contacts taking part, and the bilateral rows, where E is zero (43)
 *   p = -W^+ (u_free + E u),   W = A M^-1 A',   u_free = u + A M^-1 i_u
 *
 * This is (27), (30) and (50) written in contact space: S = M^-1 A' W^+ A, and W^+ A A^+ = W^+ makes the paper's
 * Etilde = A^+ E A needless. The impulses are those of least norm, A^+' i_f, as in the text after (30).
 *
 * Who takes part, (3), (15)-(17) with erratum A-19 (0 or 1, never 2): contacts that approach (Gamma*) and contacts that
 * rest (Gamma; a problem carries no multipliers, so zero normal velocity stands for a carrying contact). A separating
 * contact takes part only where a restitution matrix is given: that matrix speaks of all contacts at once. Contacts
 * taking part are held as bilateral rows, so that an impulse may pull; the result says so. The law is
 * frictionless: tangential rows get nothing.
 */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "impact/impact.h"
#include "impact/laws.h"
#include "impact/oblique.h"
#include "linalg/dense.h"

/* The rows of A: row[0..contacts) are normals of the contacts who[], the rest are bilateral. */
typedef struct impact_rows {
  int count, contacts;
  int *row, *who;
} impact_rows;

static bool uses_matrix(const crd_contact_problem *problem, const crd_impact_options *options) {
  return problem->restitution_matrix && isnan(options->e);
}

static bool takes_part(const crd_contact_problem *problem, const crd_impact_options *options, int contact) {
  int row = problem->contact[contact].row;
  return uses_matrix(problem, options) ||
         problem->u[row] <= options->tolerance * crd_contact_problem_speed(problem, row);
}

static crd_status choose_rows(impact_rows *rows, const crd_contact_problem *problem, const crd_impact_options *options,
                              crd_arena *arena) {
  *rows = (impact_rows){0};
  if (CRD_TAKE(arena, CRD_ARRAY(rows->row, (size_t)(problem->nc + problem->nb)), CRD_ARRAY(rows->who, problem->nc)))
    return CRD_ERR_MEMORY;
  for (int c = 0; c < problem->nc; c++)
    if (takes_part(problem, options, c)) {
      rows->who[rows->contacts] = c;
      rows->row[rows->contacts++] = problem->contact[c].row;
    }
  rows->count = rows->contacts;
  for (int b = 0; b < problem->nb; b++) rows->row[rows->count++] = problem->nrow + b;
  return CRD_OK;
}

/* (E u) of one contact. */
static double rebound(const crd_contact_problem *problem, const crd_impact_options *options, int contact) {
  if (!uses_matrix(problem, options))
    return crd_impact_restitution(problem, options, contact) * problem->u[problem->contact[contact].row];
  double sum = 0;
  for (int j = 0; j < problem->nc; j++)
    sum += problem->restitution_matrix[(size_t)problem->nc * (size_t)contact + (size_t)j] *
           problem->u[problem->contact[j].row];
  return sum;
}

/* Erratum A-11: dependent rows with different coefficients ask for velocities that no motion has; the law then gives
 * the nearest ones. */
static crd_status find_conflict(const crd_contact_problem *problem, const crd_impact_options *options,
                                const impact_rows *rows, const crd_oblique *oblique, crd_arena *arena,
                                crd_rebound_conflict *conflict) {
  double *asked = crd_arena_alloc(arena, (size_t)rows->count, sizeof *asked),
         *given = crd_arena_alloc(arena, (size_t)rows->count, sizeof *given);
  *conflict = (crd_rebound_conflict){.contact = -1};
  if (!asked || !given) return CRD_ERR_MEMORY;
  for (int i = 0; i < rows->contacts; i++) given[i] = asked[i] = rebound(problem, options, rows->who[i]);
  crd_oblique_project_range(oblique, given);
  double most = 0;
  for (int i = 0; i < rows->contacts; i++) {
    double off = fabs(asked[i] - given[i]) - options->tolerance * crd_contact_problem_speed(problem, rows->row[i]);
    if (off <= most) continue;
    most = off, *conflict = (crd_rebound_conflict){rows->who[i], -asked[i], -given[i]};
  }
  return CRD_OK;
}

static crd_status note_conflict(const crd_contact_problem *problem, const crd_impact_options *options,
                                const impact_rows *rows, const crd_oblique *oblique, crd_impact_result *result) {
  crd_rebound_conflict conflict;
  crd_status status = find_conflict(problem, options, rows, oblique, &result->arena, &conflict);
  if (status != CRD_OK || conflict.contact < 0) return status;
  return crd_impact_note(
      result,
      "dependent rows ask for conflicting rebounds, the nearest possible ones are used: contact '%s' "
      "asks for %g m/s and gets %g m/s",
      problem->contact[conflict.contact].name, conflict.asked * result->unit_velocity,
      conflict.given * result->unit_velocity);
}

crd_status crd_law_projection_conflict(const crd_contact_problem *problem, const crd_impact_options *options,
                                       crd_arena *arena, crd_rebound_conflict *conflict) {
  impact_rows rows;
  crd_oblique oblique;
  crd_status status = choose_rows(&rows, problem, options, arena);
  if (status == CRD_OK) status = crd_oblique_factor(&oblique, problem, rows.count, rows.row, arena);
  return status == CRD_OK ? find_conflict(problem, options, &rows, &oblique, arena, conflict) : status;
}

static crd_status note_tension(const crd_contact_problem *problem, const crd_impact_options *options,
                               const impact_rows *rows, const double *p, crd_impact_result *result) {
  int pulling = 0, worst = -1;
  double limit = options->tolerance * crd_impact_scale_of(problem).impulse;
  for (int i = 0; i < rows->contacts; i++)
    if (p[rows->row[i]] < -limit) {
      if (worst < 0 || p[rows->row[i]] < p[rows->row[worst]]) worst = i;
      pulling++;
    }
  if (!pulling) return CRD_OK;
  return crd_impact_note(result, "%d of %d contacts pull, '%s' most (%g N s): the law holds them as bilateral rows",
                         pulling, rows->contacts, problem->contact[rows->who[worst]].name,
                         p[rows->row[worst]] * result->unit_impulse);
}

static crd_status note_findings(const crd_contact_problem *problem, const crd_impact_options *options,
                                const impact_rows *rows, const crd_oblique *oblique, const double *p,
                                crd_impact_result *result) {
  crd_status status = CRD_OK;
  if (rows->contacts < problem->nc)
    status = crd_impact_note(result, "%d of %d contacts separate and take no part", problem->nc - rows->contacts,
                             problem->nc);
  double velocity = crd_impact_scale_of(problem).velocity, violation = 0;
  for (int b = problem->nrow; b < crd_impact_rows(problem); b++) violation = fmax(violation, fabs(problem->u[b]));
  if (status == CRD_OK && violation > options->tolerance * velocity)
    status = crd_impact_note(result, "a bilateral row moves at %g before the impact and is stopped by it",
                             violation * result->unit_velocity);
  if (status == CRD_OK && oblique->rank < rows->count) {
    status = crd_impact_note(result, "rank %d of %d rows: dependent rows share their impulse by least norm",
                             oblique->rank, rows->count);
    if (status == CRD_OK) status = note_conflict(problem, options, rows, oblique, result);
  }
  if (status == CRD_OK) status = note_tension(problem, options, rows, p, result);
  return status;
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  impact_rows rows;
  crd_oblique oblique;
  crd_status status = choose_rows(&rows, problem, options, &result->arena);
  if (status == CRD_OK) status = crd_oblique_factor(&oblique, problem, rows.count, rows.row, &result->arena);
  if (status != CRD_OK) return status;
  double *x = crd_impact_scratch(result, (size_t)rows.count);
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!x || !solution) return CRD_ERR_MEMORY;
  for (int i = 0; i < rows.count; i++) {
    x[i] = -problem->u_free[rows.row[i]];
    if (i < rows.contacts) x[i] -= rebound(problem, options, rows.who[i]);
  }
  crd_oblique_solve(&oblique, x);
  for (int i = 0; i < rows.count; i++) solution->p[rows.row[i]] = x[i];
  return note_findings(problem, options, &rows, &oblique, solution->p, result);
}

/* Largest impulse on a row that takes no part. */
static double stray_impulse(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  double stray = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (!takes_part(problem, options, c)) stray = fmax(stray, fabs(p[contact->row]));
    for (int t = 1; t <= contact->ntangent; t++) stray = fmax(stray, fabs(p[contact->row + t]));
  }
  return stray;
}

/* A' (A v+ + E A v) = 0, which says (46) for every rank of A, relative to the longest row; and no impulse elsewhere.
 * Column by column in blocks that need no memory. */
static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  enum { BLOCK = 64 };
  int n = problem->nv, m = crd_impact_rows(problem);
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double worst = 0, longest = 0;
  for (int first = 0; first < n; first += BLOCK) {
    int size = n - first < BLOCK ? n - first : BLOCK;
    double sum[BLOCK] = {0};
    for (int i = 0; i < problem->nc + problem->nb; i++) {
      bool bilateral = i >= problem->nc;
      if (!bilateral && !takes_part(problem, options, i)) continue;
      int row = bilateral ? problem->nrow + i - problem->nc : problem->contact[i].row;
      double miss = problem->u_free[row] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)row, p);
      if (!bilateral) miss += rebound(problem, options, i);
      const double *J = problem->J + (size_t)n * (size_t)row + first;
      for (int k = 0; k < size; k++) sum[k] += J[k] * miss, longest = fmax(longest, fabs(J[k]));
    }
    for (int k = 0; k < size; k++) worst = fmax(worst, fabs(sum[k]));
  }
  return fmax(longest > 0 ? worst / (longest * scale.velocity) : 0, stray_impulse(problem, options, p) / scale.impulse);
}

const crd_impact_law crd_law_projection = {
    .name = "projection",
    .title = "Reflection and projection on the constraint rows, frictionless",
    .source = "Aghili, Nonsmooth Mechanics Based on Linear Projection Operator, (27)-(30), (42)-(54)",
    .dissipative = true,
    .resolve = resolve,
    .residual = residual,
};
