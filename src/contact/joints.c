/* Rows that act on joints: limits and dry friction.
 *
 * Limits. A hinge or slide has a lower and an upper one, gaps q - range[0] and range[1] - q, rows +1 and -1 at its
 * velocity. A ball joint may turn by an angle |phi| of at most range[1] about any axis phi / |phi|: one gap range[1] -
 * |phi|, whose rate is -(phi / |phi|) . w, the same in the axes of either body since the rotation keeps its own axis.
 *
 * Dry friction [MJCF frictionloss]: a force of at most `bound` against the velocity. It is not part of J (see
 * cradle/contact.h); W_dry has its velocities per unit impulse.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"
#include "model/workspace.h"

static int limits_of_ball(const crd_joint *joint, const double *q, double distance, crd_limit *limit) {
  double length = crd_vec3_norm(q + 1), angle = 2 * atan2(length, fabs(q[0]));
  limit->gap = joint->range[1] - angle;
  if (limit->gap > distance || !(length > 0)) return 0;
  /* q and -q are the same rotation; the one with q0 >= 0 turns by less than pi */
  for (int i = 0; i < 3; i++) limit->coefficient[i] = -copysign(1, q[0]) * q[1 + i] / length;
  limit->side = "limit", limit->count = 3;
  return 1;
}

int crd_limits_of_joint(const crd_model *model, int j, const double *qpos, double distance, crd_limit limit[2]) {
  const crd_joint *joint = &model->joint[j];
  const double *q = qpos + joint->q;
  int count = 0;
  if (!joint->limited) return 0;
  limit[0].joint = limit[1].joint = j;
  if (joint->type == CRD_BALL) return limits_of_ball(joint, q, distance, limit);
  if (q[0] - joint->range[0] <= distance)
    limit[count++] =
        (crd_limit){.side = "lower", .joint = j, .count = 1, .gap = q[0] - joint->range[0], .coefficient = {1}};
  if (joint->range[1] - q[0] <= distance)
    limit[count++] =
        (crd_limit){.side = "upper", .joint = j, .count = 1, .gap = joint->range[1] - q[0], .coefficient = {-1}};
  return count;
}

/* Where the limit acts and which way. */
static void place_limit(const crd_assembly *a, const crd_limit *limit, crd_contact *c) {
  const crd_link_state *s = &a->work->link[limit->joint + 1];
  v4 normal = limit->count == 1 ? limit->coefficient[0] * s->R[2] : (v4){0};
  for (int k = 0; limit->count == 3 && k < 3; k++) normal += limit->coefficient[k] * s->R[k];
  v4_store3(c->point, s->p);
  v4_store3(c->normal, normal);
}

static void add_limit(crd_assembly *a, const crd_limit *limit) {
  const crd_model *model = a->assembler->model;
  const crd_joint *joint = &model->joint[limit->joint];
  crd_contact_problem *problem = a->problem;
  size_t n = (size_t)model->nv;
  double *J = problem->J + n * (size_t)a->rows, *X = problem->X + n * (size_t)a->rows;
  crd_contact *c = &problem->contact[problem->nc];
  *c = (crd_contact){.row = a->rows,
                     .gap = limit->gap,
                     .e = isnan(a->options->e) ? joint->restitution : a->options->e,
                     .body1 = joint->body,
                     .body2 = model->body[joint->body].parent,
                     .joint = limit->joint};
  place_limit(a, limit, c);
  char *name = crd_problem_name(problem, problem->nc++);
  crd_contact_name_limit(model, limit, name);
  c->name = name;
  memset(J, 0, n * sizeof *J);
  for (int k = 0; k < limit->count; k++) J[joint->v + k] = limit->coefficient[k];
  crd_tree_solve(model, a->work, J, X);
  a->assembler->row[a->rows++] = (crd_row_form){.node = {-1, -1}};
}

void crd_assembly_limits(crd_assembly *a) {
  const crd_contact_assembler *s = a->assembler;
  for (int k = 0; a->options->limits && k < s->nlimited; k++) {
    crd_limit limit[2];
    int count = crd_limits_of_joint(s->model, s->limited[k], a->qpos, a->options->limit_distance, limit);
    for (int i = 0; i < count; i++) add_limit(a, &limit[i]);
  }
  a->problem->nrow = a->rows;
}

crd_status crd_assembly_dry_friction(crd_assembly *a) {
  crd_contact_assembler *s = a->assembler;
  crd_contact_problem *problem = a->problem;
  if (!a->options->dry_friction) return CRD_OK;
  crd_status status = crd_problem_add_dry_friction(problem, s->nrubbing);
  if (status != CRD_OK) return status;
  size_t n = (size_t)problem->nv, m = (size_t)a->rows, stride = m + (size_t)s->nrubbing;
  double *unit = s->jacobian, *x = s->jacobian + n;
  memset(unit, 0, n * sizeof *unit);
  for (int i = 0; i < s->nrubbing; i++) {
    int dof = s->rubbing[i];
    double *row = problem->W_dry + stride * (size_t)i;
    problem->dry[i] = (crd_dry_friction){dof, s->model->dof_frictionloss[dof]};
    problem->u_dry[i] = a->qvel[dof];
    unit[dof] = 1;
    crd_tree_solve(s->model, a->work, unit, x);
    unit[dof] = 0;
    for (size_t j = 0; j < m; j++) row[j] = crd_dense_dot((int)n, problem->J + n * j, x);
    for (int j = 0; j < s->nrubbing; j++) row[m + (size_t)j] = x[s->rubbing[j]];
  }
  return CRD_OK;
}
