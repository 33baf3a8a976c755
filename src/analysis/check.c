/* Every analysis of one contact problem. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "analysis/restitution.h"
#include "linalg/dense.h"

/* E_nn: the given matrix or diag(e); E: the same in contact velocities. */
static crd_status coefficients(crd_check *c, const crd_contact_problem *problem, bool use_matrix, crd_arena *arena) {
  int nc = problem->nc;
  c->Enn = crd_matrix(arena, nc, nc), c->E = crd_matrix(arena, nc, nc);
  if (!c->Enn || !c->E) return CRD_ERR_MEMORY;
  for (int i = 0; i < nc; i++) c->Enn[crd_at(nc, i, i)] = problem->contact[i].e;
  if (problem->restitution_matrix && use_matrix)
    memcpy(c->Enn, problem->restitution_matrix, sizeof *c->Enn * (size_t)nc * (size_t)nc);
  crd_quasi_fremond(&c->quasi, c->Enn, c->E);
  return CRD_OK;
}

/* E over all rows of the projection, and what it does to the problem's own velocity. */
static crd_status own_velocity(crd_check *c, const crd_contact_problem *problem, crd_arena *arena) {
  int nc = problem->nc, m = nc + problem->nb;
  double *rows = crd_matrix(arena, m, m);
  if (!rows) return CRD_ERR_MEMORY;
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) rows[crd_at(m, i, j)] = c->E[crd_at(nc, i, j)];
  crd_status status = crd_projection_energy(&c->impact, &c->restitution.projection, rows, arena);
  if (status != CRD_OK) return status;
  c->gain = problem->kinetic > 0
                ? 0.5 * crd_dense_quadratic(problem->nv, c->impact.energy, problem->v) / problem->kinetic
                : NAN;
  return CRD_OK;
}

static crd_status scalings(crd_check *c, crd_arena *arena) {
  crd_status status = crd_restitution_scaling(&c->restitution, c->E, CRD_LMI_EIGENVALUES, &c->t_max, arena);
  c->t_max_sdp = NAN;
  if (status == CRD_OK && crd_lmi_has_sdp()) {
    crd_status sdp = crd_restitution_scaling(&c->restitution, c->E, CRD_LMI_SDP, &c->t_max_sdp, arena);
    if (sdp < 0) return sdp;
    if (sdp > 0) c->t_max_sdp = NAN;
  }
  return status;
}

crd_status crd_check_problem(crd_check *check, const crd_contact_problem *problem, const double *bias, bool use_matrix,
                             crd_arena *arena) {
  crd_check c = {.friction = crd_arena_alloc(arena, (size_t)problem->nc, sizeof *c.friction)};
  if (!c.friction) return CRD_ERR_MEMORY;
  crd_status status = crd_quasi_form(&c.quasi, problem, NULL, 0, arena);
  if (status == CRD_OK) status = coefficients(&c, problem, use_matrix, arena);
  if (status == CRD_OK) status = crd_restitution_form(&c.restitution, problem, arena);
  if (status == CRD_OK) status = crd_restitution_check(&c.energy, &c.restitution, c.E, arena);
  if (status == CRD_OK) status = own_velocity(&c, problem, arena);
  if (status == CRD_OK) status = scalings(&c, arena);
  bool full = use_matrix && problem->restitution_full && c.quasi.nc + c.quasi.ntan == problem->nv;
  if (status == CRD_OK)
    status = crd_quasi_propositions(c.proposition, &c.quasi, &c.energy.worst, c.Enn,
                                    full ? problem->restitution_full : NULL, arena);
  for (int i = 0; status == CRD_OK && i < problem->nc; i++)
    status = crd_friction_form(&c.friction[i], problem, i, arena);
  if (status == CRD_OK) status = crd_wellposed_form(&c.wellposed, &c.quasi, problem, NULL, bias, arena);
  if (status == CRD_OK) status = crd_quasi_theorem2(&c.theorem2, &c.quasi, problem, c.Enn, NULL, arena);
  if (status == CRD_OK) *check = c;
  return status;
}

crd_status crd_check_culprit(const crd_check *check, int *contact, crd_arena *arena) {
  int nc = check->restitution.contacts;
  double least = check->energy.worst.gain, *E = crd_matrix(arena, nc, nc);
  *contact = -1;
  if (!E) return CRD_ERR_MEMORY;
  if (least <= CRD_ENERGY_TOLERANCE) return CRD_OK;
  for (int c = 0; c < nc; c++) {
    crd_worst_velocity worst;
    memcpy(E, check->E, sizeof *E * (size_t)nc * (size_t)nc);
    E[crd_at(nc, c, c)] = 0;
    crd_status status = crd_restitution_worst(&worst, &check->restitution, E, CRD_RESTITUTION_FACES, arena);
    if (status != CRD_OK) return status;
    if (worst.gain < least) least = worst.gain, *contact = c;
  }
  return CRD_OK;
}
