/* Every analysis of one contact problem. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "analysis/restitution.h"
#include "analysis/without.h"
#include "base/layout.h"
#include "impact/laws.h"
#include "impact/oblique.h"
#include "linalg/dense.h"

/* E_nn: the given matrix or diag(e); E: the same in contact velocities. */
static crd_status coefficients(crd_check *c, const crd_contact_problem *problem, bool use_matrix, crd_arena *arena) {
  int nc = problem->nc;
  if (CRD_TAKE(arena, CRD_MATRIX(c->Enn, nc, nc), CRD_MATRIX(c->E, nc, nc))) return CRD_ERR_MEMORY;
  for (int i = 0; i < nc; i++) c->Enn[crd_at(nc, i, i)] = problem->contact[i].e;
  if (problem->restitution_matrix && use_matrix)
    memcpy(c->Enn, problem->restitution_matrix, sizeof *c->Enn * (size_t)nc * (size_t)nc);
  crd_analysis_quasi_fremond(&c->quasi, c->Enn, c->E);
  return CRD_OK;
}

/* Contacts that cannot move are named and left out. */
static crd_status leave_held(crd_check *c, const crd_contact_problem *problem, crd_arena *arena) {
  crd_bilateral bilateral;
  bool *leave;
  if (CRD_TAKE(arena, CRD_ARRAY(leave, problem->nc), CRD_ARRAY(c->held, problem->nc))) return CRD_ERR_MEMORY;
  crd_status status = crd_bilateral_eliminate(&bilateral, problem, arena);
  for (int i = 0; status == CRD_OK && i < problem->nc; i++) {
    double W = problem->W[crd_at(problem->nrow + problem->nb, problem->contact[i].row, problem->contact[i].row)];
    if (!(W > 0)) return CRD_ERR_ARGUMENT; /* no row at all */
    leave[i] = crd_bilateral_holds(&bilateral, problem, i);
    if (leave[i]) c->held[c->nheld++] = i;
  }
  return status == CRD_OK ? crd_problem_without(problem, leave, &c->problem, arena) : status;
}

/* E over all rows of the projection. */
static crd_status energy_matrix(crd_check *c, crd_arena *arena) {
  int nc = c->problem.nc, m = nc + c->problem.nb;
  double *rows = crd_matrix(arena, m, m);
  if (!rows) return CRD_ERR_MEMORY;
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) rows[crd_at(m, i, j)] = c->E[crd_at(nc, i, j)];
  return crd_analysis_projection_energy(&c->impact, &c->restitution.projection, rows, arena);
}

/* Outcome of a law at the problem's own velocity, computed by the law itself. */
static crd_status gain_of(const crd_impact_law *law, const crd_contact_problem *problem,
                          const crd_impact_options *options, double *gain) {
  crd_impact_result result = {0};
  *gain = NAN;
  crd_status status = crd_impact_resolve(law, problem, options, &result);
  if (status == CRD_OK && result.count > 0 && problem->kinetic_free > 0) *gain = result.solution[0].check.energy_gain;
  crd_impact_result_free(&result);
  return status < 0 && status != CRD_ERR_ARGUMENT ? status : CRD_OK;
}

static crd_status own_velocity(crd_check *c, const crd_contact_problem *problem, bool use_matrix, crd_arena *arena) {
  crd_impact_options options = crd_impact_default();
  crd_rebound_conflict conflict;
  crd_contact_problem seen = *problem;
  if (!use_matrix) seen.restitution_matrix = seen.restitution_full = NULL;
  c->gain_matrix = NAN;
  crd_status status = gain_of(&crd_law_projection, &seen, &options, &c->gain);
  if (status == CRD_OK && (seen.restitution_matrix || seen.restitution_full))
    status = gain_of(&crd_law_matrix, &seen, &options, &c->gain_matrix);
  if (status == CRD_OK) status = crd_law_projection_conflict(&seen, &options, arena, &conflict);
  if (status != CRD_OK) return status;
  c->conflict = conflict.contact, c->conflict_asked = conflict.asked, c->conflict_given = conflict.given;
  return CRD_OK;
}

static crd_status scalings(crd_check *c, crd_arena *arena) {
  crd_status status = crd_analysis_restitution_scaling(&c->restitution, c->E, CRD_LMI_EIGENVALUES, &c->t_max, arena);
  c->t_max_sdp = NAN;
  if (status == CRD_OK && crd_analysis_has_sdp()) {
    crd_status sdp = crd_analysis_restitution_scaling(&c->restitution, c->E, CRD_LMI_SDP, &c->t_max_sdp, arena);
    if (sdp < 0) return sdp;
    if (sdp > 0) c->t_max_sdp = NAN;
  }
  return status;
}

/* The rates of the contacts that are not held, from those of all `count` contacts, into b. */
static void leave_held_rates(const crd_check *c, int count, const double *bias, double *b) {
  for (int i = 0, k = 0, j = 0; i < count; i++) {
    if (k < c->nheld && c->held[k] == i)
      k++;
    else
      b[j++] = bias[i];
  }
}

crd_status crd_analysis_check(crd_check *check, const crd_contact_problem *given, const double *bias, bool use_matrix,
                              crd_arena *arena) {
  crd_check c = {0};
  if (!given->M || crd_contact_problem_turning(given) >= 0) return CRD_ERR_ARGUMENT;
  crd_status status = leave_held(&c, given, arena);
  if (status != CRD_OK) return status;
  const crd_contact_problem *problem = &c.problem;
  double *b = bias ? crd_matrix(arena, given->nc, 1) : NULL;
  c.friction = crd_arena_alloc(arena, (size_t)problem->nc, sizeof *c.friction);
  if (!c.friction || (bias && !b)) return CRD_ERR_MEMORY;
  if (bias) leave_held_rates(&c, given->nc, bias, b);
  status = crd_analysis_quasi_form(&c.quasi, problem, NULL, 0, arena);
  if (status == CRD_OK) status = coefficients(&c, problem, use_matrix, arena);
  if (status == CRD_OK) status = crd_analysis_restitution_form(&c.restitution, problem, arena);
  if (status == CRD_OK) status = crd_analysis_restitution_check(&c.energy, &c.restitution, c.E, arena);
  if (status == CRD_OK) status = energy_matrix(&c, arena);
  if (status == CRD_OK) status = own_velocity(&c, given, use_matrix, arena);
  if (status == CRD_OK) status = scalings(&c, arena);
  bool full = use_matrix && problem->restitution_full && c.quasi.nc + c.quasi.ntan == problem->nv;
  if (status == CRD_OK)
    status = crd_analysis_quasi_propositions(c.proposition, &c.quasi, &c.energy.worst, c.Enn,
                                             full ? problem->restitution_full : NULL, arena);
  for (int i = 0; status == CRD_OK && i < problem->nc; i++)
    status = crd_analysis_friction_form(&c.friction[i], problem, i, arena);
  if (status == CRD_OK) status = crd_analysis_wellposed_form(&c.wellposed, &c.quasi, problem, NULL, b, arena);
  if (status == CRD_OK) status = crd_analysis_quasi_theorem2(&c.theorem2, &c.quasi, problem, c.Enn, NULL, arena);
  if (status == CRD_OK) *check = c;
  return status;
}

crd_status crd_analysis_culprit(const crd_check *check, int *contact, crd_arena *arena) {
  int nc = check->restitution.contacts;
  double least = check->energy.worst.gain, *E = crd_matrix(arena, nc, nc);
  *contact = -1;
  if (!E) return CRD_ERR_MEMORY;
  if (least <= CRD_ENERGY_TOLERANCE) return CRD_OK;
  int faces = 1 + crd_restitution_faces(&check->restitution) / nc; /* all together as long as one verdict */
  for (int c = 0; c < nc; c++) {
    crd_worst_velocity worst;
    memcpy(E, check->E, sizeof *E * (size_t)nc * (size_t)nc);
    E[crd_at(nc, c, c)] = 0;
    crd_status status = crd_analysis_restitution_worst(&worst, &check->restitution, E, faces, arena);
    if (status != CRD_OK) return status;
    if (worst.gain < least) least = worst.gain, *contact = c;
  }
  return CRD_OK;
}
