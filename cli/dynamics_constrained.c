/* What holds a mechanism at a state: its loops, and contacts that neither approach nor separate, as the bilateral rows A
 * of [Aghili, Nonsmooth Mechanics Based on Linear Projection Operator]: operators (6), acceleration (13), forces (14) and
 * which contacts carry (15)-(17). Friction takes no part: that is the contact problem of cli/motions.h.
 */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "dynamics.h"
#include "motions.h"

static const double PENETRATION = 1e-9; /* m: gaps below minus this */
enum { LARGEST = 200 };                 /* velocities to which dense operators are printed */

json_t *dynamics_sets_json(const crd_contact_problem *problem) {
  static const char *const NAME[4] = {"active", "penetrating", "colliding", "separating"};
  json_t *sets = json_object(), *list[4];
  for (int s = 0; s < 4; s++) json_object_set_new(sets, NAME[s], list[s] = json_array());
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    const bool closes = crd_contact_problem_approaches(problem, c), lasts = crd_contact_problem_persists(problem, c);
    const bool in[4] = {true, contact->gap < -PENETRATION, closes, !closes && !lasts};
    for (int s = 0; s < 4; s++)
      if (in[s]) json_array_append_new(list[s], json_string(contact->name));
  }
  return sets;
}

/* Rows: normals of contacts that stay, then the bilateral ones. Returns their number. */
static int choose_rows(const crd_contact_problem *problem, int *row, int *contact) {
  int count = 0;
  for (int c = 0; c < problem->nc; c++)
    if (crd_contact_problem_persists(problem, c)) contact[count] = c, row[count++] = problem->contact[c].row;
  for (int b = 0; b < problem->nb; b++) contact[count] = -1, row[count++] = problem->nrow + b;
  return count;
}

static json_t *motion_json(const crd_contact_problem *problem, const int *contact, const crd_projection *projection,
                           const crd_constrained_motion *motion, crd_arena *arena) {
  int n = problem->nv, rows = projection->rows, normals = 0;
  json_t *names = json_array(), *object = json_object();
  while (normals < rows && contact[normals] >= 0) normals++;
  double *phi = crd_arena_alloc(arena, (size_t)rows + 1, sizeof *phi),
         *phid = crd_arena_alloc(arena, (size_t)rows + 1, sizeof *phid);
  unsigned char *gamma = crd_arena_alloc(arena, (size_t)rows + 1, 1),
                *star = crd_arena_alloc(arena, (size_t)rows + 1, 1);
  for (int i = 0; i < rows; i++) {
    json_array_append_new(
        names, contact[i] < 0 ? json_sprintf("loop[%d]", i - normals) : json_string(problem->contact[contact[i]].name));
    if (phi && phid && i < normals)
      phi[i] = problem->contact[contact[i]].gap, phid[i] = problem->u[problem->contact[contact[i]].row];
  }
  json_object_set_new(object, "rows", names);
  json_object_set_new(object, "rank", json_integer(projection->rank));
  json_object_set_new(object, "A", cli_json_matrix(rows, n, projection->A));
  json_object_set_new(object, "Lambda", cli_json_matrix(n, n, motion->Lambda));
  json_object_set_new(object, "Omega", cli_json_matrix(n, n, motion->Omega));
  json_object_set_new(object, "P_dot", cli_json_matrix(n, n, motion->P_dot));
  json_object_set_new(object, "qacc", cli_json_vector(n, motion->qdd));
  json_object_set_new(object, "force", cli_json_vector(n, motion->f));
  json_object_set_new(object, "multipliers", cli_json_vector(rows, motion->lambda));
  json_object_set_new(object, "residual", cli_json_vector(rows, motion->residual));
  if (phi && phid && gamma && star) {
    /* contacts of this problem are closed: their gap is within the assembler's distance */
    crd_analysis_projection_activation(normals, phi, phid, motion->lambda, crd_contact_default().distance, gamma, star);
    json_t *carries = json_array(), *strikes = json_array();
    for (int i = 0; i < normals; i++) {
      json_array_append_new(carries, json_integer(gamma[i]));
      json_array_append_new(strikes, json_integer(star[i]));
    }
    json_object_set_new(object, "gamma", carries), json_object_set_new(object, "gamma_star", strikes);
  }
  return object;
}

json_t *dynamics_persistent_json(const cli_mechanism *mechanism, const crd_contact_problem *problem) {
  crd_persistent persistent = {0};
  crd_arena arena = {0};
  const double *bias = NULL;
  if (!problem->M || !cli_contacts_last(problem)) return json_null();
  crd_workspace *work = crd_model_workspace_new(mechanism->model);
  crd_status status = CRD_ERR_MEMORY;
  if (work) status = cli_motions_find(mechanism, work, problem, CRD_PERSISTENT_MODES, NULL, &persistent, &bias, &arena);
  json_t *object = cli_motions_json(problem, status == CRD_OK && persistent.applies ? &persistent : NULL);
  crd_model_workspace_free(work);
  crd_arena_free(&arena);
  return object;
}

crd_status dynamics_add_load(const cli_mechanism *mechanism, const double *tau, const double *qacc,
                             crd_contact_problem *problem) {
  crd_arena arena = {0};
  int n = problem->nv, m = problem->nrow + problem->nb;
  if (!problem->M || !cli_contacts_last(problem)) return CRD_OK;
  crd_workspace *work = crd_model_workspace_new(mechanism->model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(mechanism->model);
  double *a = crd_arena_alloc(&arena, (size_t)(n + m), sizeof *a), *own = a ? a + m : NULL;
  crd_status status = work && assembler && a ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK)
    status = crd_analysis_load_at_state(mechanism->model, work, assembler, mechanism->qpos, mechanism->qvel, tau,
                                        problem, own, a, &arena);
  if (status == CRD_OK) status = crd_contact_problem_add_load(problem);
  for (int i = 0; status == CRD_OK && i < n; i++)
    for (int j = 0; j < n; j++) problem->force[i] += problem->M[(size_t)n * (size_t)i + (size_t)j] * qacc[j];
  for (int i = 0; status == CRD_OK && i < m; i++) {
    problem->rate[i] = a[i];
    for (int j = 0; j < n; j++) problem->rate[i] -= problem->J[(size_t)n * (size_t)i + (size_t)j] * qacc[j];
  }
  crd_model_workspace_free(work);
  crd_contact_assembler_free(assembler);
  crd_arena_free(&arena);
  return status < 0 ? status : CRD_OK; /* a contact that ceases at once has no load */
}

json_t *dynamics_constrained_json(const cli_mechanism *mechanism, const crd_contact_problem *problem, const double *tau,
                                  const double *bias) {
  const crd_model *model = mechanism->model;
  int n = model->nv, most = problem->nc + problem->nb;
  crd_arena arena = {0};
  json_t *object = NULL;
  if (n > LARGEST || most == 0 || !problem->M) return json_null();
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_workspace *work = crd_model_workspace_new(model);
  int *row = crd_arena_alloc(&arena, (size_t)most, sizeof *row),
      *contact = crd_arena_alloc(&arena, (size_t)most, sizeof *contact);
  double *A = crd_arena_alloc(&arena, (size_t)most * (size_t)n + 1, sizeof *A),
         *A_dot = crd_arena_alloc(&arena, (size_t)most * (size_t)n + 1, sizeof *A_dot),
         *force = crd_arena_alloc(&arena, (size_t)n, sizeof *force);
  if (assembler && work && row && contact && A && A_dot && force) {
    int rows = choose_rows(problem, row, contact);
    crd_projection projection;
    crd_constrained_motion motion;
    for (int i = 0; i < rows; i++)
      memcpy(A + (size_t)i * (size_t)n, problem->J + (size_t)row[i] * (size_t)n, sizeof *A * (size_t)n);
    for (int i = 0; i < n; i++) force[i] = tau[i] - bias[i];
    crd_status status = rows > 0 ? crd_analysis_projection_row_rates(model, work, assembler, mechanism->qpos,
                                                                     mechanism->qvel, problem, rows, row, A_dot, &arena)
                                 : CRD_UNKNOWN;
    if (status == CRD_OK) status = crd_analysis_projection_form(&projection, n, problem->M, rows, A, &arena);
    if (status == CRD_OK)
      status = crd_analysis_projection_motion(&motion, &projection, A_dot, mechanism->qvel, force, &arena);
    if (status == CRD_OK) object = motion_json(problem, contact, &projection, &motion, &arena);
  }
  crd_model_workspace_free(work);
  crd_contact_assembler_free(assembler);
  crd_arena_free(&arena);
  return object ? object : json_null();
}
