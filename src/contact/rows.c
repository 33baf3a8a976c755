/* Rows of J: as forms on nodes, as entries, and their products in the kinetic metric.
 *
 * A row is d . (V1 - V2): a direction applied to the relative spatial velocity of two points of two bodies. Its entries
 * are d . (J1 - J2); its form on a node is (moment of d about the node, d), since V at the point is V at the node
 * carried there.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"

/* Entries of a row that are smaller than this share of the velocities they are composed of are rounding errors. */
static const double ROUNDING = 1e-14;

/* The node that moves with the body: the point p if the link has none yet. -1: the body is fixed. */
static int node_of(crd_contact_assembler *s, int body, const double p[3]) {
  int link = s->model->body[body].link;
  if (link < 0) return -1;
  if (s->node_of_link[link] < 0) {
    s->node_of_link[link] = s->nnode;
    crd_node *node = &s->node[s->nnode++];
    node->body = body;
    crd_vec3_copy(node->point, p);
  }
  return s->node_of_link[link];
}

/* d at p, carried to the node: d.V(p) = d_w.w + d_v.(v + w x r) = (d_w + r x d_v).w + d_v.v with r = p - node. */
void crd_assembly_turn(crd_assembly *a, int index, const double direction[6]) {
  crd_row *row = &a->assembler->row[index];
  memcpy(row->direction, direction, sizeof row->direction);
  for (int k = 0; k < 2; k++) {
    if (row->node[k] < 0) continue;
    double r[3], moment[3], sign = k == 0 ? 1 : -1;
    crd_vec3_sub(r, row->point[k], a->assembler->node[row->node[k]].point);
    crd_vec3_cross(moment, r, direction + 3);
    for (int i = 0; i < 3; i++) {
      row->form[k][i] = sign * (direction[i] + moment[i]);
      row->form[k][3 + i] = sign * direction[3 + i];
    }
  }
}

int crd_assembly_candidate(crd_assembly *a, int body1, const double p1[3], int body2, const double p2[3],
                           const double direction[6]) {
  crd_row *row = &a->assembler->row[a->candidates];
  row->body[0] = body1, row->body[1] = body2, row->ndof = 0, row->group = 0;
  row->turning = row->curvature = 0, row->bundle = CRD_NO_BUNDLE;
  crd_vec3_copy(row->point[0], p1);
  crd_vec3_copy(row->point[1], p2);
  row->node[0] = node_of(a->assembler, body1, p1), row->node[1] = node_of(a->assembler, body2, p2);
  crd_assembly_turn(a, a->candidates, direction);
  return a->candidates++;
}

/* The Jacobian of one of the two bodies of a row; rows that follow each other often share it. */
static const double *body_jacobian(crd_assembly *a, const crd_row *row, int k) {
  crd_contact_assembler *s = a->assembler;
  double *J = s->jacobian + (size_t)(6 * k) * (size_t)s->model->nv;
  crd_node node = {.body = row->body[k], .point = {row->point[k][0], row->point[k][1], row->point[k][2]}};
  const crd_node *last = &s->jacobian_of[k];
  if (last->body == node.body && memcmp(last->point, node.point, sizeof node.point) == 0) return J;
  crd_tree_jacobian(s->model, a->work, &node, J);
  s->jacobian_of[k] = node;
  return J;
}

void crd_assembly_entries(crd_assembly *a, const crd_row *row, double *J) {
  size_t n = (size_t)a->assembler->model->nv;
  if (row->ndof > 0) {
    memset(J, 0, n * sizeof *J);
    for (int k = 0; k < row->ndof; k++) J[crd_row_dof(row, k)] += crd_row_coefficient(row, k);
    return;
  }
  const crd_model *model = a->assembler->model;
  const double *d = row->direction, *J1 = body_jacobian(a, row, 0), *J2 = body_jacobian(a, row, 1);
  /* an angular row has no linear part and the other way round: only like is compared with like */
  size_t from = d[0] != 0 || d[1] != 0 || d[2] != 0 ? 0 : 3;
  memset(J, 0, n * sizeof *J);
  for (int side = 0; side < 2; side++) /* only joints that carry one of the bodies move it */
    for (int l = model->body[row->body[side]].link; l >= 0; l = model->link[l].parent)
      for (size_t k = (size_t)model->link[l].v; k < (size_t)(model->link[l].v + model->link[l].nv); k++) {
        double sum = 0, size = 0;
        for (size_t i = from; i < from + 3; i++) {
          sum += d[i] * (J1[n * i + k] - J2[n * i + k]);
          size = fmax(size, fmax(fabs(J1[n * i + k]), fabs(J2[n * i + k])));
        }
        J[k] = fabs(sum) > ROUNDING * size ? sum : 0;
      }
}

bool crd_assembly_is_zero(const crd_assembly *a, const double *J) {
  for (int k = 0; k < a->assembler->model->nv; k++)
    if (J[k] != 0) return false;
  return true;
}
