/* Dry friction of joints: a generalised force of at most `bound` that opposes the velocity of the joint.
 *
 * A joint that moves has the constant force -bound sign(v). One that sticks is held: a bilateral row e_dof of its own
 * behind those of the loops, W_i,dof = e_dof' M^-1 J_i'. Its force must not exceed the bound; where it
 * would, at the start of a phase, the joint begins to move. Friction is bounded, so impacts do not see it. */
#include "sim/event_dry.h"

#include <math.h>
#include <string.h>

crd_status crd_dry_init(crd_dries *dries, const crd_model *model) {
  *dries = (crd_dries){0};
  size_t count = 0;
  for (int i = 0; i < model->nv; i++) count += model->dof_frictionloss[i] > 0;
  dries->item = crd_arena_alloc(&dries->arena, count + 1, sizeof *dries->item);
  dries->column = crd_arena_alloc(&dries->arena, (size_t)model->nv + 1, sizeof *dries->column);
  dries->extended = crd_problem_new();
  if (!dries->item || !dries->column || !dries->extended) return CRD_ERR_MEMORY;
  for (int i = 0; i < model->nv; i++)
    if (model->dof_frictionloss[i] > 0)
      dries->item[dries->count++] = (crd_dry){.dof = i, .bound = model->dof_frictionloss[i]};
  return CRD_OK;
}

void crd_dry_free(crd_dries *dries) {
  crd_problem_free(dries->extended);
  crd_arena_free(&dries->arena);
  *dries = (crd_dries){0};
}

void crd_dry_begin(crd_dries *dries, const double *v, int nv) {
  double fastest = 0;
  for (int i = 0; i < nv; i++) fastest = fmax(fastest, fabs(v[i]));
  for (int k = 0; k < dries->count; k++) {
    double speed = v[dries->item[k].dof];
    dries->item[k].sign = fabs(speed) <= fmax(1e-9 * fastest, 1e-12) ? 0 : speed > 0 ? 1 : -1;
  }
}

/* column = M^-1 e_dof */
static void response(const crd_sim *sim, crd_dries *dries, int dof, double *column) {
  memset(dries->column, 0, (size_t)sim->model->nv * sizeof *dries->column);
  dries->column[dof] = 1;
  crd_tree_solve(sim->model, sim->stage.work, dries->column, column);
}

void crd_dry_push(const crd_sim *sim, crd_dries *dries, const double *v, double *qacc, double *power) {
  for (int k = 0; k < dries->count; k++) {
    const crd_dry *dry = &dries->item[k];
    if (dry->sign == 0) continue;
    double force = -dry->bound * dry->sign;
    response(sim, dries, dry->dof, dries->column);
    for (int i = 0; i < sim->model->nv; i++) qacc[i] += force * dries->column[i];
    *power += force * v[dry->dof];
  }
}

/* Copies the rows of `from`, whose m rows come first in those of `to`. */
static void copy_rows(crd_contact_problem *to, const crd_contact_problem *from) {
  size_t m = (size_t)(from->nrow + from->nb), all = (size_t)(to->nrow + to->nb), nv = (size_t)from->nv;
  size_t d = sizeof(double);
  if (from->nc) memcpy(to->contact, from->contact, (size_t)from->nc * sizeof *to->contact);
  memcpy(to->v, from->v, nv * d), memcpy(to->v_free, from->v_free, nv * d);
  to->kinetic = from->kinetic, to->kinetic_free = from->kinetic_free;
  if (m == 0) return;
  memcpy(to->J, from->J, m * nv * d), memcpy(to->X, from->X, m * nv * d);
  memcpy(to->u, from->u, m * d), memcpy(to->u_free, from->u_free, m * d);
  if (from->nb) memcpy(to->residual, from->residual, (size_t)from->nb * d);
  for (size_t i = 0; i < m; i++) memcpy(to->W + all * i, from->W + m * i, m * d);
}

const crd_contact_problem *crd_dry_extend(const crd_sim *sim, crd_dries *dries, const crd_contact_problem *problem) {
  int sticks = 0;
  for (int k = 0; k < dries->count; k++) sticks += dries->item[k].sign == 0;
  if (sticks == 0) return problem;
  crd_contact_problem *to = dries->extended;
  if (crd_problem_resize(to, problem->nv, problem->nc, problem->nrow, problem->nb + sticks, false) != CRD_OK)
    return NULL;
  copy_rows(to, problem);
  size_t row = (size_t)(problem->nrow + problem->nb), all = row + (size_t)sticks, nv = (size_t)problem->nv;
  for (int k = 0; k < dries->count; k++) {
    size_t dof = (size_t)dries->item[k].dof;
    if (dries->item[k].sign != 0) continue;
    response(sim, dries, (int)dof, to->X + nv * row);
    memset(to->J + nv * row, 0, nv * sizeof *to->J);
    to->J[nv * row + dof] = 1;
    to->u[row] = to->u_free[row] = problem->v[dof];
    for (size_t i = 0; i <= row; i++) to->W[all * i + row] = to->W[all * row + i] = to->X[nv * i + dof];
    row++;
  }
  return to;
}

/* Row of item i among those that stick. */
static int row_of(const crd_dries *dries, const crd_contact_problem *extended, int i) {
  int row = extended->nrow + extended->nb;
  for (int k = dries->count - 1; k >= i; k--) row -= dries->item[k].sign == 0;
  return row;
}

void crd_dry_bounds(const crd_dries *dries, int nb, double *bound, int *sign) {
  int row = nb;
  for (int b = 0; b < nb; b++) bound[b] = INFINITY, sign[b] = 0;
  for (int k = 0; k < dries->count; k++)
    if (dries->item[k].sign == 0) bound[row] = dries->item[k].bound, sign[row++] = 0;
}

bool crd_dry_take_signs(crd_dries *dries, int nb, const int *sign) {
  bool any = false;
  for (int k = 0, row = nb; k < dries->count; k++) {
    if (dries->item[k].sign != 0) continue;
    dries->item[k].sign = sign[row++];
    any = any || dries->item[k].sign != 0;
  }
  return any;
}

double crd_dry_margin(const crd_dries *dries, int i, const crd_contact_problem *extended, const double *f,
                      const double *v, double speed) {
  const crd_dry *dry = &dries->item[i];
  if (dry->sign != 0) return dry->sign * v[dry->dof] / speed;
  return 1 - fabs(f[row_of(dries, extended, i)]) / dry->bound;
}
