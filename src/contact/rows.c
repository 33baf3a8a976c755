/* Rows of J, their M^-1 J', and their lengths in the kinetic metric.
 *
 * A row is d . (V1 - V2): a direction applied to the relative spatial velocity of two points of two bodies. Its entries
 * are d . (J1 - J2); its form on the nodes is (moment of d about the node, d), since V at the point is V at the node
 * carried there.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"

/* Entries of a row that are smaller than this share of the velocities they are composed of are rounding errors. */
static const double ROUNDING = 1e-14;

void crd_assembly_bodies(crd_assembly *a, int body1, const double p1[3], int body2, const double p2[3]) {
  const crd_model *model = a->assembler->model;
  crd_node node = {.body = body1, .point = {p1[0], p1[1], p1[2]}};
  crd_tree_jacobian(model, a->work, &node, a->assembler->jacobian);
  node = (crd_node){.body = body2, .point = {p2[0], p2[1], p2[2]}};
  crd_tree_jacobian(model, a->work, &node, a->assembler->jacobian + (size_t)6 * (size_t)model->nv);
}

/* The node that moves with the body: the point p if the link has none yet. -1: the body is fixed. */
static int node_of(crd_contact_assembler *assembler, int body, const double p[3]) {
  int link = assembler->model->body[body].link;
  if (link < 0) return -1;
  if (assembler->node_of_link[link] < 0) {
    assembler->node_of_link[link] = assembler->nnode;
    crd_node *node = &assembler->node[assembler->nnode++];
    node->body = body;
    crd_vec3_copy(node->point, p);
  }
  return assembler->node_of_link[link];
}

/* d at p, carried to the node: d.V(p) = d_w.w + d_v.(v + w x r) = (d_w + r x d_v).w + d_v.v with r = p - node. */
static void set_form(crd_contact_assembler *assembler, crd_row_form *row, int k, int body, const double p[3],
                     const double d[6], double sign) {
  row->node[k] = node_of(assembler, body, p);
  if (row->node[k] < 0) return;
  double r[3], moment[3];
  crd_vec3_sub(r, p, assembler->node[row->node[k]].point);
  crd_vec3_cross(moment, r, d + 3);
  for (int i = 0; i < 3; i++) row->form[k][i] = sign * (d[i] + moment[i]), row->form[k][3 + i] = sign * d[3 + i];
}

void crd_assembly_row(crd_assembly *a, int body1, const double p1[3], int body2, const double p2[3],
                      const double d[6]) {
  crd_contact_assembler *assembler = a->assembler;
  size_t n = (size_t)assembler->model->nv;
  const double *J1 = assembler->jacobian, *J2 = J1 + 6 * n;
  double *J = a->problem->J + n * (size_t)a->rows, *X = a->problem->X + n * (size_t)a->rows;
  /* an angular row has no linear part and the other way round: only like is compared with like */
  size_t from = d[0] != 0 || d[1] != 0 || d[2] != 0 ? 0 : 3;
  for (size_t k = 0; k < n; k++) {
    double sum = 0, size = 0;
    for (size_t i = from; i < from + 3; i++) {
      sum += d[i] * (J1[n * i + k] - J2[n * i + k]);
      size = fmax(size, fmax(fabs(J1[n * i + k]), fabs(J2[n * i + k])));
    }
    J[k] = fabs(sum) > ROUNDING * size ? sum : 0;
  }
  crd_tree_solve(assembler->model, a->work, J, X);
  crd_row_form *row = &assembler->row[a->rows++];
  set_form(assembler, row, 0, body1, p1, d, 1);
  set_form(assembler, row, 1, body2, p2, d, -1);
}

void crd_assembly_move_row(crd_assembly *a, int to, int from) {
  size_t n = (size_t)a->problem->nv, bytes = n * sizeof(double);
  memmove(a->problem->J + n * (size_t)to, a->problem->J + n * (size_t)from, bytes);
  memmove(a->problem->X + n * (size_t)to, a->problem->X + n * (size_t)from, bytes);
  a->assembler->row[to] = a->assembler->row[from];
}

double crd_assembly_square(const crd_assembly *a, int i) {
  size_t n = (size_t)a->problem->nv;
  return crd_dense_dot(a->problem->nv, a->problem->J + n * (size_t)i, a->problem->X + n * (size_t)i);
}

double crd_assembly_distance(const crd_assembly *a, int i, int j) {
  size_t n = (size_t)a->problem->nv;
  const double *Ji = a->problem->J + n * (size_t)i, *Jj = a->problem->J + n * (size_t)j;
  const double *Xi = a->problem->X + n * (size_t)i, *Xj = a->problem->X + n * (size_t)j;
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += (Ji[k] - Jj[k]) * (Xi[k] - Xj[k]);
  return sum;
}
