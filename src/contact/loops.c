/* Bilateral rows of the loop closures.
 *
 *   connect  the anchors of the two bodies coincide: three rows, residual p1 - p2
 *   weld     the same for the welded point, and three rows for the relative rotation: residual is the rotation vector
 *            (world axes) that carries body 2's orientation to where body 1 wants it
 *   joint    q1 - q1(0) = polynomial in q2 - q2(0): one row, residual the difference
 *   tendon   the same of the lengths of two tendons (src/contact/tendons.c)
 *   hinge    connect, and the axes coincide: two rows across body 1's axis, residual of axis2 x axis1
 *   slide    the rotation rows of a weld, and two rows across body 1's axis, residual of p1 - p2
 * The rows are the rates of the residuals (of rotations: where the loop is closed). Rows that no motion of the
 * mechanism changes (the third row of a planar loop) are left out.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"

static void world_point(const double pos[3], const double R[9], const double local[3], double p[3]) {
  crd_mat3_mul_vec(p, R, local);
  crd_vec3_add(p, p, pos);
}

/* Rotation vector of the rotation matrix E. */
static void rotation_vector(const double E[9], double phi[3]) {
  double q[4];
  crd_quat_from_mat3(q, E);
  double s = crd_vec3_norm(q + 1), angle = 2 * atan2(s, q[0]);
  crd_vec3_scale(phi, s > 0 ? angle / s : 2, q + 1);
}

/* Candidates of one kind (0 angular, 3 linear) along `count` world directions, with their residuals. turning: see
 * crd_row. */
static void add_rows(crd_assembly *a, const crd_loop *loop, const double p1[3], const double p2[3], int kind, int count,
                     const double (*direction)[3], const double *residual, double turning) {
  for (int k = 0; k < count; k++) {
    double d[6] = {0};
    crd_vec3_copy(d + kind, direction[k]);
    int row = crd_assembly_candidate(a, loop->body1, p1, loop->body2, p2, d);
    a->assembler->row[row].group = k == 0 ? count : 0, a->assembler->row[row].turning = turning;
    a->assembler->row[row].loop = (int)(loop - a->assembler->model->loop);
    a->assembler->residual[row] = residual[k];
  }
}

static const double WORLD[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Where the two bodies of a loop are. */
typedef struct closure {
  double R1[9], R2[9], p1[3], p2[3], gap[3]; /* rotations, anchors in the world, p1 - p2 */
} closure;

static closure place_bodies(const crd_contact_assembler *s, crd_workspace *work, const crd_loop *loop) {
  closure c;
  double pos1[3], pos2[3], anchor2[3];
  crd_tree_body_pose(s->model, work, loop->body1, pos1, c.R1);
  crd_tree_body_pose(s->model, work, loop->body2, pos2, c.R2);
  crd_vec3_add(anchor2, loop->anchor2, s->loop_shift + 3 * (loop - s->model->loop));
  world_point(pos1, c.R1, loop->anchor1, c.p1);
  world_point(pos2, c.R2, anchor2, c.p2);
  crd_vec3_sub(c.gap, c.p1, c.p2);
  return c;
}

static closure place(const crd_assembly *a, const crd_loop *loop) { return place_bodies(a->assembler, a->work, loop); }

void crd_contact_accept_loops(crd_contact_assembler *s, crd_workspace *work) {
  for (int l = 0; l < s->model->nloop; l++) {
    const crd_loop *loop = &s->model->loop[l];
    double *shift = s->loop_shift + 3 * l, more[3];
    if (!work) memset(shift, 0, 3 * sizeof *shift);
    if (!work || (loop->type != CRD_LOOP_CONNECT && loop->type != CRD_LOOP_WELD && loop->type != CRD_LOOP_HINGE))
      continue;
    closure c = place_bodies(s, work, loop);
    crd_mat3_tmul_vec(more, c.R2, c.gap);
    crd_vec3_add(shift, shift, more);
  }
}

static void keep_orientation(crd_assembly *a, const crd_loop *loop, const closure *c) {
  double wanted[9], back[9], E[9], phi[3];
  crd_quat_to_mat3(wanted, loop->relquat);
  crd_mat3_mul(wanted, c->R1, wanted);
  crd_mat3_transpose(back, c->R2);
  crd_mat3_mul(E, wanted, back);
  rotation_vector(E, phi);
  add_rows(a, loop, c->p1, c->p2, 0, 3, WORLD, phi, 0);
}

static void add_connect_or_weld(crd_assembly *a, const crd_loop *loop) {
  closure c = place(a, loop);
  add_rows(a, loop, c.p1, c.p2, 3, 3, WORLD, c.gap, 0);
  if (loop->type == CRD_LOOP_WELD) keep_orientation(a, loop, &c);
}

/* Two unit vectors of body 1, in the world, that are perpendicular to the loop's axis and to each other; they turn with
 * the body. */
static void across(const crd_loop *loop, const double R1[9], double axis[3], double side[2][3]) {
  double first[3] = {0, 0, 0}, local[3];
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(loop->axis1[i]) < fabs(loop->axis1[least])) least = i;
  first[least] = 1;
  crd_vec3_cross(local, loop->axis1, first);
  crd_vec3_normalize(local);
  crd_mat3_mul_vec(axis, R1, loop->axis1);
  crd_mat3_mul_vec(side[0], R1, local);
  crd_vec3_cross(side[1], axis, side[0]);
}

static void add_hinge(crd_assembly *a, const crd_loop *loop) {
  closure c = place(a, loop);
  double axis1[3], axis2[3], side[2][3], error[3], residual[2];
  across(loop, c.R1, axis1, side);
  crd_mat3_mul_vec(axis2, c.R2, loop->axis2);
  crd_vec3_cross(error, axis2, axis1);
  for (int k = 0; k < 2; k++) residual[k] = crd_vec3_dot(error, side[k]);
  add_rows(a, loop, c.p1, c.p2, 3, 3, WORLD, c.gap, 0);
  add_rows(a, loop, c.p1, c.p2, 0, 2, (const double(*)[3])side, residual, 1);
}

/* d/dt of b . (p1 - p2), b in body 1, is b . (V1 - V2) with both velocities at p2. In its rate the turning of b counts
 * twice: once itself, once through p2 moving past body 1. */
static void add_slide(crd_assembly *a, const crd_loop *loop) {
  closure c = place(a, loop);
  double axis[3], side[2][3], residual[2];
  across(loop, c.R1, axis, side);
  for (int k = 0; k < 2; k++) residual[k] = crd_vec3_dot(c.gap, side[k]);
  keep_orientation(a, loop, &c);
  add_rows(a, loop, c.p2, c.p2, 3, 2, (const double(*)[3])side, residual, 2);
}

double crd_loop_polynomial(const double coef[5], double x, double *slope, double *bend) {
  double value = coef[0], power = 1, before = 0;
  *slope = *bend = 0;
  for (int k = 1; k < 5; k++) {
    if (k > 1) *bend += k * (k - 1) * coef[k] * before;
    before = power;
    *slope += k * coef[k] * power;
    power *= x;
    value += coef[k] * power;
  }
  return value;
}

static void add_joint_coupling(crd_assembly *a, const crd_loop *loop) {
  double value = loop->polycoef[0];
  const crd_model *model = a->assembler->model;
  const crd_joint *j1 = &model->joint[loop->joint1];
  crd_row *row = &a->assembler->row[a->candidates];
  *row = (crd_row){.node = {-1, -1}, .ndof = 1, .dof = {j1->v}, .coefficient = {1}, .group = 1};
  row->bundle = CRD_NO_BUNDLE, row->loop = (int)(loop - model->loop);
  if (loop->joint2 >= 0) {
    const crd_joint *j2 = &model->joint[loop->joint2];
    double slope, bend;
    value = crd_loop_polynomial(loop->polycoef, a->qpos[j2->q] - model->qpos0[j2->q], &slope, &bend);
    row->ndof = 2, row->dof[1] = j2->v, row->coefficient[1] = -slope, row->curvature = -bend;
  }
  a->assembler->residual[a->candidates++] = a->qpos[j1->q] - model->qpos0[j1->q] - value;
}

void crd_assembly_collect_loops(crd_assembly *a, int first) {
  const crd_model *model = a->assembler->model;
  a->candidates = first;
  for (int l = 0; l < a->assembler->part->nloop; l++) {
    const crd_loop *loop = &model->loop[a->assembler->part->loop[l]];
    switch (loop->type) {
      case CRD_LOOP_JOINT: add_joint_coupling(a, loop); break;
      case CRD_LOOP_TENDON: crd_assembly_add_tendon_loop(a, loop); break;
      case CRD_LOOP_HINGE: add_hinge(a, loop); break;
      case CRD_LOOP_SLIDE: add_slide(a, loop); break;
      default: add_connect_or_weld(a, loop);
    }
  }
}

crd_status crd_assembly_bundle_loops(crd_assembly *a, int first) {
  const bool *given = a->options->loop_rows;
  crd_status status = CRD_OK;
  for (int i = first, end; i < a->candidates && status == CRD_OK; i = end) {
    for (end = i; end < a->candidates && (!given || given[end - first]);) end++;
    status = crd_assembly_bundle(a, i, end);
    if (end == i) end++; /* not to be taken */
  }
  return status;
}

/* Squares of rows of one kind (at most three). Returns the largest; those far below it are rows that only the digits of a
 * file make: taken, they would lock what they hardly touch. */
static double squares(const crd_assembly *a, int first, int count, double square[3]) {
  double longest = 0;
  for (int k = 0; k < count; k++) {
    const crd_row *row = &a->assembler->row[first + k];
    square[k] = crd_planes_forbid(a->assembler, row) ? 0 : crd_assembly_square(a->assembler, row);
    longest = fmax(longest, square[k]);
  }
  return longest;
}

void crd_assembly_loops(crd_assembly *a, int first) {
  crd_contact_assembler *s = a->assembler;
  const bool *given = a->options->loop_rows;
  for (int i = first; i < a->candidates;) {
    double square[3] = {1, 1, 1}, longest = 1;
    int count = s->row[i].group;
    if (s->row[i].ndof == 0 && !given) longest = squares(a, i, count, square);
    for (int k = 0; k < count; k++, i++) {
      if (given ? !given[i - first] : !(square[k] > CRD_SUSPICIOUS_SQUARE * longest)) continue;
      if (a->rows != i) s->row[a->rows] = s->row[i];
      s->row[a->rows].candidate = i - first;
      s->residual[a->rows++] = s->residual[i];
    }
  }
}

crd_status crd_contact_loop_residual(crd_contact_assembler *s, crd_workspace *work, const double *qpos,
                                     const crd_contact_assembler *rows, int nrow, int nb, double *residual,
                                     double *largest) {
  crd_assembly a = {.assembler = s, .work = work, .qpos = qpos};
  crd_status status = crd_assembly_reserve_rows(s, 0);
  if (status != CRD_OK) return status;
  s->nnode = s->rows = s->dry = 0;
  crd_assembly_collect_loops(&a, 0);
  for (int k = 0; k < s->nnode; k++) s->node_of_link[s->model->body[s->node[k].body].link] = -1;
  for (int b = 0; b < nb; b++) residual[b] = s->residual[rows->row[nrow + b].candidate];
  *largest = 0;
  for (int i = 0; i < a.candidates; i++) *largest = fmax(*largest, fabs(s->residual[i]));
  return CRD_OK;
}

void crd_contact_loop_rows(const crd_contact_assembler *s, int nrow, int count, bool *taken) {
  memset(taken, 0, (size_t)s->max_loop_rows * sizeof *taken);
  for (int b = 0; b < count; b++) taken[s->row[nrow + b].candidate] = true;
}

/* ------------------------------------------------------------------------------------------------ rates */

/* Acceleration at zero qacc and velocity of the two points that a row acts on. */
typedef struct point_rates {
  const crd_row *of;
  double acc[2][6], V[2][6];
} point_rates;

static bool act_alike(const crd_row *a, const crd_row *b) {
  return a->body[0] == b->body[0] && a->body[1] == b->body[1] && memcmp(a->point, b->point, sizeof a->point) == 0;
}

static void find_rates(const crd_contact_assembler *s, const crd_workspace *work, const crd_row *row,
                       point_rates *rates) {
  rates->of = row;
  for (int k = 0; k < 2; k++) {
    crd_node node = {.body = row->body[k], .point = {row->point[k][0], row->point[k][1], row->point[k][2]}};
    crd_tree_point_acceleration(s->model, work, &node, NULL, rates->acc[k]);
    crd_tree_point_velocity(s->model, work, row->body[k], row->point[k], rates->V[k]);
  }
}

/* d/dt(row) qvel of a row on bodies. */
static double rate_on_bodies(const crd_row *row, const point_rates *rates) {
  const double(*acc)[6] = rates->acc, (*V)[6] = rates->V;
  double sum = 0, turned[3];
  for (int i = 0; i < 6; i++) sum += row->direction[i] * (acc[0][i] - acc[1][i]);
  for (int part = 0; part < 6 && row->turning > 0; part += 3) {
    crd_vec3_cross(turned, V[0], row->direction + part);
    for (int i = 0; i < 3; i++) sum += row->turning * turned[i] * (V[0][part + i] - V[1][part + i]);
  }
  return sum;
}

void crd_contact_loop_bias(const crd_contact_assembler *s, const crd_workspace *work, const double *qvel,
                           const crd_contact_problem *problem, double *bias) {
  point_rates rates = {0}; /* the rows of a connect share theirs */
  for (int b = 0; b < problem->nb; b++) {
    const crd_row *row = &s->row[problem->nrow + b];
    if (row->ndof == 0 && !(rates.of && act_alike(row, rates.of))) find_rates(s, work, row, &rates);
    bias[b] = row->ndof == 0   ? rate_on_bodies(row, &rates)
              : row->far_dof   ? row->curvature
              : row->ndof == 2 ? row->curvature * qvel[row->dof[1]] * qvel[row->dof[1]]
                               : 0;
  }
}
