/* Persistent contacts: every motion that Coulomb's law admits at this instant, and the conclusions from it.
 *
 * The problem of analysis/acceleration_rows.h is enumerated by modes (crd_coulomb_enumerate): none, one or several
 * motions, each with one force or many. Islands with more modes than asked for are solved instead; one motion without
 * friction is then still proved to be the only one (a convex programme: u is unique where G is symmetric and positive
 * semidefinite), any other is not. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/acceleration_rows.h"
#include "analysis/matrix.h"
#include "base/layout.h"
#include "contact/assemble.h"
#include "impact/oblique.h"
#include "linalg/dense.h"

static const double DEPENDENT = 1e-11; /* rows scaled to W_ii = 1: smallest eigenvalue below which they are dependent */

typedef struct judged {
  const crd_contact_problem *given;
  const crd_load *load;
  bool *parts;  /* nc */
  double *slip; /* nc x 2 */
  crd_acceleration_rows rows;
  crd_arena *arena;
} judged;

static crd_status sort_contacts(judged *j, crd_persistent *out) {
  const crd_contact_problem *given = j->given;
  if (CRD_TAKE(j->arena, CRD_ARRAY(j->parts, given->nc), CRD_MATRIX(j->slip, given->nc, 2))) return CRD_ERR_MEMORY;
  out->applies = true;
  for (int c = 0; c < given->nc; c++) {
    const crd_contact *contact = &given->contact[c];
    const double *u = given->u + contact->row + 1;
    if (crd_contact_problem_approaches(given, c)) out->applies = false;
    bool held = j->load->held && j->load->held[c];
    j->parts[c] = held || (!crd_contact_problem_approaches(given, c) && !crd_contact_problem_persists(given, c));
    out->lasting += crd_contact_problem_persists(given, c) && !held;
    if (!crd_contact_problem_slides(given, c)) continue;
    double speed = contact->ntangent == 2 ? hypot(u[0], u[1]) : fabs(u[0]);
    for (int t = 0; t < contact->ntangent; t++) j->slip[2 * c + t] = u[t] / speed;
  }
  return CRD_OK;
}

/* Forces p of the rows that can carry, as a motion of the whole mechanism. */
static crd_status add_motion(const judged *j, const double *p, const double *u, crd_persistent_motion *motion) {
  const crd_contact_problem *given = j->given;
  int n = given->nv, m = given->nrow + given->nb;
  const crd_coulomb_problem *problem = &j->rows.problem;
  crd_mode *mode;
  if (CRD_TAKE(j->arena, CRD_ARRAY(mode, problem->ncontact), CRD_MATRIX(motion->force, m, 1),
               CRD_MATRIX(motion->acceleration, m, 1), CRD_MATRIX(motion->qacc, n, 1),
               CRD_ARRAY(motion->mode, given->nc)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < problem->n; i++) motion->force[j->rows.row[i]] = p[i];
  for (int i = 0; i < m; i++)
    motion->acceleration[i] = j->load->a_free[i] + crd_dense_dot(m, given->W + crd_at(m, i, 0), motion->force);
  memcpy(motion->qacc, j->load->qacc, sizeof *motion->qacc * (size_t)n);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) motion->qacc[k] += given->X[crd_at(n, i, k)] * motion->force[i];
  for (int c = 0; c < given->nc; c++)
    motion->mode[c] = j->load->held && j->load->held[c] ? CRD_MODE_NONE : CRD_MODE_SEPARATE;
  crd_coulomb_modes(problem, p, u, mode);
  for (int c = 0; c < problem->ncontact; c++) motion->mode[j->rows.contact[c]] = mode[c];
  return CRD_OK;
}

static crd_status list_motions(judged *j, const crd_coulomb_solutions *all, crd_persistent *out) {
  out->motion = crd_arena_alloc(j->arena, (size_t)all->count, sizeof *out->motion);
  if (!out->motion) return CRD_ERR_MEMORY;
  for (int k = 0; k < all->count; k++) {
    const crd_coulomb_solution *s = &all->solution[k];
    crd_persistent_motion *motion = &out->motion[out->count++];
    motion->freedom = s->freedom, motion->continuum = s->continuum, motion->residual = s->residual;
    crd_status status = add_motion(j, s->p, s->u, motion);
    if (status != CRD_OK) return status;
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------- too many modes */

static bool has_friction(const crd_coulomb_problem *problem) {
  for (int c = 0; c < problem->ncontact; c++)
    if (problem->contact[c].ntangent > 0 && problem->contact[c].mu > 0) return true;
  return problem->nbounded > 0;
}

/* Forces without friction are unique if the rows that do not open are independent, and are not if those that carry are
 * dependent. */
static crd_status judge_forces(const judged *j, const double *p, const double *u, crd_persistent *out) {
  const crd_coulomb_problem *problem = &j->rows.problem;
  double *A;
  int *row;
  crd_mode *mode;
  if (CRD_TAKE(j->arena, CRD_MATRIX(A, problem->n, problem->n), CRD_ARRAY(row, problem->n),
               CRD_ARRAY(mode, problem->ncontact)))
    return CRD_ERR_MEMORY;
  crd_coulomb_modes(problem, p, u, mode);
  for (int carrying = 1; carrying >= 0 && !out->forces_known; carrying--) {
    int n = 0;
    for (int c = 0; c < problem->ncontact; c++)
      if (mode[c] != CRD_MODE_SEPARATE && (!carrying || mode[c] != CRD_MODE_NONE)) row[n++] = problem->contact[c].row;
    for (int b = 0; b < problem->nbilateral; b++) row[n++] = problem->bilateral[b];
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) {
        double size =
            sqrt(problem->G[crd_at(problem->n, row[a], row[a])] * problem->G[crd_at(problem->n, row[b], row[b])]);
        A[crd_at(n, a, b)] = size > 0 ? problem->G[crd_at(problem->n, row[a], row[b])] / size : 0;
      }
    for (int a = 0; a < n; a++) A[crd_at(n, a, a)] -= DEPENDENT;
    bool independent = crd_dense_cholesky(n, A);
    out->forces_known = carrying ? !independent : independent;
    out->verdict.forces_unique = independent;
  }
  return CRD_OK;
}

static crd_status solve_one(judged *j, crd_persistent *out) {
  const crd_coulomb_problem *problem = &j->rows.problem;
  double *p = crd_matrix(j->arena, problem->n, 1), *u = crd_matrix(j->arena, problem->n, 1);
  crd_mode *mode = crd_arena_alloc(j->arena, (size_t)problem->ncontact, sizeof *mode);
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_report report;
  crd_status status = p && u && mode && work ? CRD_OK : CRD_ERR_MEMORY;
  crd_coulomb_state state = {.p = p, .u = u, .mode = mode};
  if (status == CRD_OK) status = crd_coulomb_solve(work, problem, NULL, &state, &report);
  crd_coulomb_work_free(work);
  if (status < 0) return status;
  if (status == CRD_NO_SOLUTION)
    out->status = status, out->verdict.motion = CRD_MOTION_NONE, out->verdict.proved = true;
  if (status != CRD_OK) return CRD_OK;
  out->motion = crd_arena_alloc(j->arena, 1, sizeof *out->motion);
  if (!out->motion) return CRD_ERR_MEMORY;
  out->count = 1, out->motion->residual = report.residual;
  if (!has_friction(problem)) {
    out->verdict.motion = CRD_MOTION_UNIQUE, out->verdict.proved = true;
    status = judge_forces(j, p, u, out);
  }
  return status == CRD_OK ? add_motion(j, p, u, out->motion) : status;
}

/* ------------------------------------------------------------------------------------------- verdict */

static crd_regime regime_of(const crd_persistent *out, int contacts) {
  switch (out->verdict.motion) {
    case CRD_MOTION_UNKNOWN: return CRD_REGIME_UNKNOWN;
    case CRD_MOTION_NONE: return CRD_REGIME_NONE;
    case CRD_MOTION_SEVERAL: return CRD_REGIME_SEVERAL;
    case CRD_MOTION_UNIQUE: break;
  }
  for (int c = 0; c < contacts; c++)
    if (out->motion->mode[c] == CRD_MODE_STICK || out->motion->mode[c] == CRD_MODE_SLIP) return CRD_REGIME_CONTACT;
  return CRD_REGIME_DETACH;
}

crd_status crd_analysis_persistent_form(crd_persistent *persistent, const crd_contact_problem *problem,
                                        const crd_load *load, int max_modes, bool (*stop)(void *context), void *context,
                                        crd_arena *arena) {
  judged j = {.given = problem, .load = load, .arena = arena};
  crd_persistent out = {.regime = CRD_REGIME_UNKNOWN};
  crd_coulomb_solutions all = {0};
  crd_status status = sort_contacts(&j, &out);
  if (status != CRD_OK || !out.applies) {
    *persistent = out;
    return status;
  }
  const crd_acceleration_input input = {.problem = problem,
                                        .a_free = load->a_free,
                                        .slip = j.slip,
                                        .parts = j.parts,
                                        .bound = load->bound,
                                        .scale = crd_acceleration_scale(problem, load->a_free, load->qacc)};
  status = crd_acceleration_rows_form(&j.rows, &input, arena);
  if (status != CRD_OK) return status;
  crd_coulomb_enumerate_options options = crd_coulomb_enumerate_default();
  options.max_modes = max_modes > 0 ? max_modes : CRD_PERSISTENT_MODES;
  options.stop = stop, options.context = context;
  out.status = crd_coulomb_enumerate(&j.rows.problem, &options, &all);
  out.verdict = crd_coulomb_judge(&all);
  out.listed = !(out.status == CRD_LIMIT && all.modes == 0);
  out.forces_known = out.listed && all.count > 0;
  status = out.status < 0 ? out.status : out.listed ? list_motions(&j, &all, &out) : solve_one(&j, &out);
  crd_coulomb_solutions_free(&all);
  if (status != CRD_OK) return status;
  out.regime = regime_of(&out, problem->nc);
  *persistent = out;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------- where loads come from */

static crd_status find_held(const crd_contact_problem *problem, bool **held, crd_arena *arena) {
  crd_bilateral bilateral;
  *held = crd_arena_alloc(arena, (size_t)problem->nc, sizeof **held);
  if (!*held) return CRD_ERR_MEMORY;
  crd_status status = crd_bilateral_eliminate(&bilateral, problem, arena);
  for (int c = 0; status == CRD_OK && c < problem->nc; c++) (*held)[c] = crd_bilateral_holds(&bilateral, problem, c);
  return status;
}

crd_status crd_analysis_persistent_of_problem(crd_persistent *persistent, const crd_contact_problem *problem,
                                              int max_modes, bool (*stop)(void *context), void *context,
                                              crd_arena *arena) {
  double *qacc = crd_matrix(arena, problem->nv, 1), *a_free = crd_matrix(arena, problem->nrow + problem->nb, 1);
  bool *held;
  if (crd_contact_problem_turning(problem) >= 0) return CRD_ERR_ARGUMENT;
  if (!qacc || !a_free) return CRD_ERR_MEMORY;
  crd_status status = crd_analysis_load_of_problem(problem, qacc, a_free, arena);
  if (status == CRD_OK) status = find_held(problem, &held, arena);
  if (status != CRD_OK) return status;
  const crd_load load = {.qacc = qacc, .a_free = a_free, .held = held};
  return crd_analysis_persistent_form(persistent, problem, &load, max_modes, stop, context, arena);
}

/* Dry friction: of a velocity, or from nv on of a tendon; its bound. */
static double bound_of(const crd_model *model, int rubbing) {
  return rubbing < model->nv ? model->dof_frictionloss[rubbing] : model->tendon[rubbing - model->nv].frictionloss;
}

/* The problem with a row behind its bilateral ones for each joint (e_dof) and tendon (dl/dq) with dry friction. */
static crd_status extend(const crd_model *model, crd_workspace *work, const double *qpos,
                         const crd_contact_problem *problem, crd_contact_problem *to, const int *dof, int count) {
  size_t n = (size_t)problem->nv, m = (size_t)(problem->nrow + problem->nb), d = sizeof(double);
  crd_status status =
      crd_contact_problem_resize(to, problem->nv, problem->nc, problem->nrow, problem->nb + count, true);
  if (status != CRD_OK) return status;
  if (problem->nc) memcpy(to->contact, problem->contact, (size_t)problem->nc * sizeof *to->contact);
  memcpy(to->M, problem->M, n * n * d), memcpy(to->J, problem->J, m * n * d), memcpy(to->v, problem->v, n * d);
  memset(to->J + m * n, 0, (size_t)count * n * d);
  for (int k = 0; k < count; k++) {
    double *row = to->J + n * (m + (size_t)k);
    if (dof[k] < model->nv)
      row[dof[k]] = 1;
    else
      crd_tree_tendon_row(model, work, qpos, dof[k] - model->nv, row);
  }
  return crd_contact_problem_complete(to);
}

/* A joint or tendon that moves has the force -bound sign(v), one at rest carries up to its bound. */
static void set_bounds(const crd_contact_problem *with, const crd_model *model, const int *dof, int count,
                       double *bound, double *force) {
  int first = with->nb - count;
  for (int b = 0; b < first; b++) bound[b] = INFINITY;
  for (int k = 0; k < count; k++) {
    int row = with->nrow + first + k;
    bool moves = fabs(with->u[row]) > CRD_APPROACH * crd_contact_problem_speed(with, row);
    bound[first + k] = moves ? 0 : bound_of(model, dof[k]);
    for (int i = 0; moves && i < with->nv; i++)
      force[i] -= copysign(bound_of(model, dof[k]), with->u[row]) * with->J[(size_t)with->nv * (size_t)row + (size_t)i];
  }
}

crd_status crd_analysis_persistent_at_state(crd_persistent *persistent, const crd_model *model, crd_workspace *work,
                                            crd_contact_assembler *assembler, const double *qpos, const double *qvel,
                                            const double *force, const crd_contact_problem *problem, int max_modes,
                                            bool (*stop)(void *context), void *context, crd_arena *arena) {
  int n = problem->nv, m = problem->nrow + problem->nb, count = 0;
  int *dof = crd_arena_alloc(arena, (size_t)(n + model->ntendon), sizeof *dof);
  if (!dof) return CRD_ERR_MEMORY;
  for (int i = 0; i < n + model->ntendon; i++)
    if (bound_of(model, i) > 0) dof[count++] = i;
  bool *held;
  crd_status status = find_held(problem, &held, arena);
  if (status != CRD_OK) return status;
  double *qacc = crd_matrix(arena, n, 1), *a_free = crd_matrix(arena, m + count, 1), *load = crd_matrix(arena, n, 1),
         *bound = crd_matrix(arena, problem->nb + count, 1);
  crd_contact_problem *with = crd_contact_problem_new();
  status = qacc && a_free && load && bound && with ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK && !problem->M) status = CRD_ERR_ARGUMENT;
  if (status == CRD_OK) status = extend(model, work, qpos, problem, with, dof, count);
  if (status == CRD_OK) {
    memcpy(load, force, sizeof *load * (size_t)n);
    set_bounds(with, model, dof, count, bound, load);
    status = crd_analysis_load_at_state(model, work, assembler, qpos, qvel, load, problem, qacc, a_free, arena);
  }
  for (int k = 0; status == CRD_OK && k < count; k++) {
    a_free[m + k] = dof[k] < n ? 0 : crd_tendon_row_rate(assembler, dof[k] - n, qpos, qvel);
    for (int i = 0; i < n; i++)
      a_free[m + k] += with->J[(size_t)n * (size_t)(with->nrow + with->nb - count + k) + (size_t)i] * qacc[i];
  }
  const crd_load what = {.qacc = qacc, .a_free = a_free, .bound = bound, .held = held};
  if (status == CRD_OK) status = crd_analysis_persistent_form(persistent, with, &what, max_modes, stop, context, arena);
  crd_contact_problem_free(with);
  return status;
}
