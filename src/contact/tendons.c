/* Rows of tendons: loops that couple two of them, and their dry friction.
 *
 *   l1 - l1(0) = P(l2 - l2(0))      row J1 - P' J2, rate J1' v - P' J2' v - P'' (l2')^2,   J = dl/dq
 *
 * A weighted sum has constant J. That of a string turns with the bodies: J' v is the second derivative of the length
 * along q(s) = q + s v, taken from the rates l' at four places by the difference of fourth order.
 */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "contact/assemble.h"
#include "model/workspace.h"
#include "tree/tendon.h"

/* rad, m: way of the fastest coordinate between two places of the difference. Rounding is 1e-16 / WAY of the rate, the
 * error WAY^4 of its derivatives. */
static const double WAY = 1e-3;

double crd_tendon_length_row(const crd_model *model, crd_workspace *lengths, int t, const double *qpos,
                             const double **coefficient) {
  const crd_tendon *tendon = &model->tendon[t];
  double length = 0;
  *coefficient = tendon->coef;
  if (tendon->nwrap > 0) {
    crd_tendons_at(model, lengths, qpos);
    *coefficient = lengths->tendon_row + tendon->row;
    return lengths->tendon_length[t];
  }
  for (int k = 0; k < tendon->nterm; k++) length += tendon->coef[k] * qpos[model->joint[tendon->joint[k]].q];
  return length;
}

double crd_tendon_row_rate(crd_contact_assembler *s, int t, const double *qpos, const double *qvel) {
  static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  const crd_tendon *tendon = &s->model->tendon[t];
  double fastest = 0, sum = 0;
  if (tendon->nwrap == 0) return 0;
  for (int k = 0; k < tendon->nchain; k++) fastest = fmax(fastest, fabs(qvel[tendon->chain[k]]));
  if (!(fastest > 0)) return 0;
  const double step = WAY / fastest;
  for (int i = 0; i < 4; i++) {
    crd_tree_integrate_position(s->model, qpos, qvel, place[i] * step, s->tendon_way);
    crd_tendons_at(s->model, s->lengths, s->tendon_way);
    sum += weight[i] * crd_tendon_rate(tendon, s->lengths, qvel);
  }
  return sum / (12 * step);
}

/* ------------------------------------------------------------------------------------------------ couplings */

bool crd_tendon_loops_make(crd_contact_assembler *s) {
  const crd_model *model = s->model;
  for (int l = 0; l < model->nloop; l++) {
    const crd_loop *loop = &model->loop[l];
    crd_tendon_loop *made = &s->tendon_loop[l];
    if (loop->type != CRD_LOOP_TENDON) continue;
    const int id[2] = {loop->tendon1, loop->tendon2};
    for (int k = 0; k < 2; k++) made->ndof += id[k] < 0 ? 0 : model->tendon[id[k]].ndof;
    if (CRD_TAKE(&s->arena, CRD_ARRAY(made->dof, made->ndof), CRD_ARRAY(made->coefficient, made->ndof))) return false;
    for (int k = 0, at = 0; k < 2 && id[k] >= 0; k++) {
      const crd_tendon *tendon = &model->tendon[id[k]];
      const double *coefficient;
      if (tendon->ndof > 0) memcpy(made->dof + at, tendon->dof, (size_t)tendon->ndof * sizeof *made->dof);
      at += tendon->ndof;
      made->length0[k] = crd_tendon_length_row(model, s->lengths, id[k], model->qpos0, &coefficient);
    }
  }
  return true;
}

/* Adds factor times the row of a tendon from entry `at` on; returns its length. */
static double put_row(crd_assembly *a, const crd_tendon_loop *made, int t, int at, double factor) {
  const double *coefficient;
  const double length = crd_tendon_length_row(a->assembler->model, a->assembler->lengths, t, a->qpos, &coefficient);
  for (int k = 0; k < a->assembler->model->tendon[t].ndof; k++) made->coefficient[at + k] = factor * coefficient[k];
  return length;
}

static double rate_of(const crd_tendon *tendon, const double *coefficient, const double *qvel) {
  double rate = 0;
  for (int k = 0; k < tendon->ndof; k++) rate += coefficient[k] * qvel[tendon->dof[k]];
  return rate;
}

/* The part of the row's rate due to the velocities of the state. */
static double curvature_of(crd_assembly *a, const crd_loop *loop, double slope, double bend, double rate2) {
  crd_contact_assembler *s = a->assembler;
  double sum = crd_tendon_row_rate(s, loop->tendon1, a->qpos, a->qvel);
  if (loop->tendon2 < 0) return sum;
  return sum - slope * crd_tendon_row_rate(s, loop->tendon2, a->qpos, a->qvel) - bend * rate2 * rate2;
}

void crd_assembly_add_tendon_loop(crd_assembly *a, const crd_loop *loop) {
  crd_contact_assembler *s = a->assembler;
  const int number = (int)(loop - s->model->loop), first = s->model->tendon[loop->tendon1].ndof;
  const crd_tendon_loop *made = &s->tendon_loop[number];
  crd_row *row = &s->row[a->candidates];
  double value = loop->polycoef[0], slope = 0, bend = 0, rate2 = 0;
  if (loop->tendon2 >= 0) {
    const crd_tendon *second = &s->model->tendon[loop->tendon2];
    value = crd_loop_polynomial(loop->polycoef, put_row(a, made, loop->tendon2, first, 1) - made->length0[1], &slope,
                                &bend);
    if (a->qvel) rate2 = rate_of(second, made->coefficient + first, a->qvel);
    for (int k = first; k < made->ndof; k++) made->coefficient[k] *= -slope;
  }
  const double length = put_row(a, made, loop->tendon1, 0, 1);
  *row = (crd_row){.bundle = CRD_NO_BUNDLE,
                   .node = {-1, -1},
                   .ndof = made->ndof,
                   .far_dof = made->dof,
                   .far = made->coefficient,
                   .sign = 1,
                   .group = 1,
                   .loop = number};
  if (a->qvel) row->curvature = curvature_of(a, loop, slope, bend, rate2);
  s->residual[a->candidates++] = length - made->length0[0] - value;
}

/* ------------------------------------------------------------------------------------------------ friction */

crd_row crd_assembly_dry_row(crd_assembly *a, int rubbing) {
  crd_contact_assembler *s = a->assembler;
  const int t = rubbing - s->model->nv;
  crd_row row = {.bundle = CRD_NO_BUNDLE, .node = {-1, -1}, .ndof = 1, .dof = {rubbing}, .coefficient = {1}};
  if (t < 0) return row;
  const crd_tendon *tendon = &s->model->tendon[t];
  const double *coefficient;
  crd_tendon_length_row(s->model, s->lengths, t, a->qpos, &coefficient);
  memcpy(s->tendon_row + tendon->row, coefficient, (size_t)tendon->ndof * sizeof *coefficient);
  row.ndof = tendon->ndof, row.far_dof = tendon->dof, row.far = s->tendon_row + tendon->row, row.sign = 1;
  row.curvature = crd_tendon_row_rate(s, t, a->qpos, a->qvel);
  return row;
}
