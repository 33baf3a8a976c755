/* Poses, velocities, Jacobians and accelerations of points that move with a body. O(depth) each.
 *
 * A node at world point x on link k moves with  V(x) = phi*(k, x) V(k); column of joint j at or above k: phi*(j, x)
 * H*(j).
 */
#include <cradle/tree.h>
#include <string.h>

#include "linalg/simd.h"
#include "model/workspace.h"
#include "tree/link_motion.h"

static void placed(const crd_link_state *s, const double pos[3], const double R[9], double out_pos[3],
                   double out_R[9]) {
  v4 axes[3];
  rotate_columns(axes, s->R, R);
  v4_store3(out_pos, s->p + rotate(s->R, pos));
  v4_store_mat3(out_R, axes);
}

void crd_tree_body_pose(const crd_model *model, const crd_workspace *work, int body, double pos[3], double R[9]) {
  const crd_body *b = &model->body[body];
  placed(&work->link[b->link + 1], b->link_pos, b->link_R, pos, R);
}

void crd_tree_geom_pose(const crd_model *model, const crd_workspace *work, int geom, double pos[3], double R[9]) {
  const crd_geom *g = &model->geom[geom];
  placed(&work->link[g->link + 1], g->link_pos, g->link_R, pos, R);
}

void crd_tree_site_pose(const crd_model *model, const crd_workspace *work, int site, double pos[3], double R[9]) {
  const crd_site *s = &model->site[site];
  placed(&work->link[s->link + 1], s->link_pos, s->link_R, pos, R);
}

static void store_sv(double out[6], crd_sv x) {
  v4_store3(out, x.w);
  v4_store3(out + 3, x.v);
}

void crd_tree_point_velocity(const crd_model *model, const crd_workspace *work, int body, const double point[3],
                             double velocity[6]) {
  const crd_link_state *s = &work->link[model->body[body].link + 1];
  store_sv(velocity, sv_shift_motion(s->V, v4_load3(point) - s->p));
}

/* Columns of H* of any joint; returns their number. */
static int joint_axes(const crd_link *link, const crd_link_state *s, crd_sv H[6]) {
  if (link->nv > 1) {
    multi_axes(link, s, H);
  } else {
    H[0] = (crd_sv){{0}, {0}};
    add_joint_motion(link, s, 1, &H[0]);
  }
  return link->nv;
}

CRD_CLONES void crd_tree_response_at(const crd_model *model, const crd_workspace *work, const crd_node *node,
                                     double velocity[6]) {
  const crd_link_state *s = &work->link[model->body[node->body].link + 1];
  store_sv(velocity, sv_shift_motion(s->a, v4_load3(node->point) - s->p));
}

CRD_CLONES void crd_tree_node_velocities(const crd_model *model, crd_workspace *work, const double *v,
                                         const crd_node *node, int nnode, double *velocity) {
  int last = -1;
  for (int a = 0; a < nnode; a++)
    if (model->body[node[a].body].link > last) last = model->body[node[a].body].link;
  /* the links' place for accelerations is free between solves */
  work->link[0].a = (crd_sv){{0}, {0}};
  CRD_EACH (work->part, link, i) {
    if (i > last) break;
    const crd_link *link = &model->link[i];
    crd_link_state *s = &work->link[i + 1];
    crd_sv V = sv_shift_motion(work->link[link->parent + 1].a, s->r);
    if (link->nv == 1) {
      add_joint_motion(link, s, v[link->v], &V);
    } else {
      crd_sv H[6];
      multi_axes(link, s, H);
      for (int j = 0; j < link->nv; j++) V = sv_add(V, sv_scale(v[link->v + j], H[j]));
    }
    s->a = V;
  }
  for (int a = 0; a < nnode; a++) crd_tree_response_at(model, work, &node[a], velocity + 6 * a);
}

void crd_tree_jacobian(const crd_model *model, const crd_workspace *work, const crd_node *node, double *J) {
  size_t n = (size_t)model->nv;
  memset(J, 0, 6 * n * sizeof *J);
  v4 point = v4_load3(node->point);
  for (int k = model->body[node->body].link; k >= 0; k = model->link[k].parent) {
    const crd_link *link = &model->link[k];
    const crd_link_state *s = &work->link[k + 1];
    crd_sv H[6];
    int count = joint_axes(link, s, H);
    for (int j = 0; j < count; j++) {
      double column[6];
      store_sv(column, sv_shift_motion(H[j], point - s->p));
      for (int i = 0; i < 6; i++) J[n * (size_t)i + (size_t)(link->v + j)] = column[i];
    }
  }
}

CRD_CLONES void crd_tree_point_acceleration(const crd_model *model, const crd_workspace *work, const crd_node *node,
                                            const double *qacc, double acc[6]) {
  v4 point = v4_load3(node->point);
  int k = model->body[node->body].link;
  const crd_link_state *own = &work->link[k + 1];
  v4 w = own->V.w;
  crd_sv a = {{0}, v4_cross(w, v4_cross(w, point - own->p))};
  for (; k >= 0; k = model->link[k].parent) {
    const crd_link *link = &model->link[k];
    const crd_link_state *s = &work->link[k + 1];
    crd_sv x = s->c, H[6];
    int count = qacc ? joint_axes(link, s, H) : 0;
    for (int j = 0; j < count; j++) x = sv_add(x, sv_scale(qacc[link->v + j], H[j]));
    a = sv_add(a, sv_shift_motion(x, point - s->p));
  }
  store_sv(acc, a);
}
