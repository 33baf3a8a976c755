/* Bilateral rows of the loop closures.
 *
 *   connect  the anchors of the two bodies coincide: three rows, residual p1 - p2
 *   weld     the same for the welded point, and three rows for the relative rotation: residual is the rotation vector
 *            (world axes) that carries body 2's orientation to where body 1 wants it
 *   joint    q1 - q1(0) = polynomial in q2 - q2(0): one row, residual the difference
 * The rows are the rates of the residuals (of a weld's rotation: where the loop is closed). Rows that no motion of the
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

/* Three candidates of one kind, (angular, linear) directions d + e_k, with their residuals. */
static void three_rows(crd_assembly *a, const crd_loop *loop, const double p1[3], const double p2[3], int kind,
                       const double residual[3]) {
  for (int k = 0; k < 3; k++) {
    double d[6] = {0};
    d[kind + k] = 1;
    a->assembler->residual[crd_assembly_candidate(a, loop->body1, p1, loop->body2, p2, d)] = residual[k];
  }
}

static void add_connect_or_weld(crd_assembly *a, const crd_loop *loop) {
  const crd_model *model = a->assembler->model;
  double pos1[3], R1[9], pos2[3], R2[9], p1[3], p2[3], gap[3];
  crd_tree_body_pose(model, a->work, loop->body1, pos1, R1);
  crd_tree_body_pose(model, a->work, loop->body2, pos2, R2);
  world_point(pos1, R1, loop->anchor1, p1);
  world_point(pos2, R2, loop->anchor2, p2);
  crd_vec3_sub(gap, p1, p2);
  three_rows(a, loop, p1, p2, 3, gap);
  if (loop->type != CRD_LOOP_WELD) return;
  double wanted[9], back[9], E[9], phi[3];
  crd_quat_to_mat3(wanted, loop->relquat);
  crd_mat3_mul(wanted, R1, wanted);
  crd_mat3_transpose(back, R2);
  crd_mat3_mul(E, wanted, back);
  rotation_vector(E, phi);
  three_rows(a, loop, p1, p2, 0, phi);
}

static void add_joint_coupling(crd_assembly *a, const crd_loop *loop) {
  const crd_model *model = a->assembler->model;
  const crd_joint *j1 = &model->joint[loop->joint1];
  crd_row *row = &a->assembler->row[a->candidates];
  double x = 0, value = loop->polycoef[0], slope = 0, power = 1;
  *row = (crd_row){.node = {-1, -1}, .ndof = 1, .dof = {j1->v}, .coefficient = {1}};
  if (loop->joint2 >= 0) {
    const crd_joint *j2 = &model->joint[loop->joint2];
    x = a->qpos[j2->q] - model->qpos0[j2->q];
    for (int k = 1; k < 5; k++) {
      slope += k * loop->polycoef[k] * power;
      power *= x;
      value += loop->polycoef[k] * power;
    }
    row->ndof = 2, row->dof[1] = j2->v, row->coefficient[1] = -slope;
  }
  a->assembler->residual[a->candidates++] = a->qpos[j1->q] - model->qpos0[j1->q] - value;
}

void crd_assembly_collect_loops(crd_assembly *a, int first) {
  const crd_model *model = a->assembler->model;
  a->candidates = first;
  for (int l = 0; l < model->nloop; l++) {
    const crd_loop *loop = &model->loop[l];
    if (!loop->active) continue;
    if (loop->type == CRD_LOOP_JOINT)
      add_joint_coupling(a, loop);
    else
      add_connect_or_weld(a, loop);
  }
}

/* Squares of three rows of one kind; where rounding could have made one, from its entries. */
static void squares(crd_assembly *a, int first, double square[3]) {
  crd_contact_assembler *s = a->assembler;
  double longest = 0, *J = s->entries, *x = J + s->model->nv;
  for (int k = 0; k < 3; k++) {
    square[k] = crd_assembly_product(a, &s->row[first + k], &s->row[first + k]);
    longest = fmax(longest, square[k]);
  }
  for (int k = 0; k < 3; k++) {
    bool never = crd_planes_forbid(s, &s->row[first + k]);
    if (!never && square[k] > CRD_SUSPICIOUS_SQUARE * longest) continue;
    square[k] = 0;
    if (never) continue;
    crd_assembly_entries(a, &s->row[first + k], J);
    if (crd_assembly_is_zero(a, J)) continue;
    crd_tree_solve(s->model, a->work, J, x);
    square[k] = crd_dense_dot(s->model->nv, J, x);
  }
}

void crd_assembly_loops(crd_assembly *a, int first) {
  crd_contact_assembler *s = a->assembler;
  for (int i = first; i < a->candidates;) {
    bool keep[3] = {true, true, true};
    int count = s->row[i].ndof > 0 ? 1 : 3;
    if (count == 3) {
      double square[3];
      squares(a, i, square);
      double longest = fmax(square[0], fmax(square[1], square[2]));
      for (int k = 0; k < 3; k++) keep[k] = square[k] > CRD_NEGLIGIBLE_SQUARE * longest;
    }
    for (int k = 0; k < count; k++, i++) {
      if (!keep[k]) continue;
      if (a->rows != i) s->row[a->rows] = s->row[i];
      a->assembler->residual[a->rows++] = a->assembler->residual[i];
    }
  }
}
