/* Tendons: length, row of its rate, spring and damper.
 *
 * fixed     l = sum coef_i q_i
 * spatial   l = sum over the branches of (straight pieces + ways round obstacles) / divisor. A straight piece from a to b
 *           has the rate n . (v_b - v_a), n its direction. Where the tendon touches an obstacle counts as fixed to it: the
 *           way is the shortest, so that to shift these points changes nothing to first order.
 * spring    -k (l - rest), rest the nearest length of spring_length;  damper  -d l'
 */
#include "tree/tendon.h"

#include <cradle/linalg.h>
#include <string.h>

#include "model/workspace.h"
#include "tree/link_motion.h"
#include "tree/wrap.h"

void crd_tree_add_row(const crd_model *model, const crd_workspace *work, int link, const double point[3],
                      const double direction[3], bool angular, double factor, double *row) {
  const v4 d = v4_load3(direction), p = v4_load3(point);
  for (int k = link; k >= 0; k = model->link[k].parent) {
    const crd_link *at = &model->link[k];
    const crd_link_state *s = &work->link[k + 1];
    crd_sv H[6];
    if (at->nv > 1) {
      multi_axes(at, s, H);
    } else {
      H[0] = (crd_sv){{0}, {0}};
      add_joint_motion(at, s, 1, &H[0]);
    }
    for (int j = 0; j < at->nv; j++) {
      const crd_sv moved = sv_shift_motion(H[j], p - s->p);
      row[at->v + j] += factor * v4_dot(d, angular ? moved.w : moved.v);
    }
  }
}

/* A point of the path: where, and with which link it moves. */
typedef struct waypoint {
  double at[3];
  int link;
} waypoint;

static waypoint site_point(const crd_model *model, const crd_workspace *work, int site) {
  waypoint point = {.link = model->site[site].link};
  const crd_link_state *s = &work->link[point.link + 1];
  v4_store3(point.at, s->p + rotate(s->R, model->site[site].link_pos));
  return point;
}

/* A straight piece; returns its length. */
static double add_piece(const crd_model *model, crd_workspace *work, const waypoint *a, const waypoint *b,
                        double divisor) {
  double n[3];
  crd_vec3_sub(n, b->at, a->at);
  const double length = crd_vec3_norm(n);
  if (length > 0 && a->link != b->link) {
    crd_vec3_scale(n, 1 / length, n);
    crd_tree_add_row(model, work, b->link, b->at, n, false, 1 / divisor, work->tendon_dense);
    crd_tree_add_row(model, work, a->link, a->at, n, false, -1 / divisor, work->tendon_dense);
  }
  return length / divisor;
}

/* From site to site round the obstacle between them. */
static double add_round(const crd_model *model, crd_workspace *work, const crd_wrap *wrap, const waypoint *a,
                        const waypoint *b, double divisor) {
  const crd_geom *geom = &model->geom[wrap->geom];
  crd_obstacle obstacle = {.radius = geom->size[0], .cylinder = geom->type == CRD_CYLINDER};
  waypoint side, touch[2];
  double point[2][3], way;
  crd_tree_geom_pose(model, work, wrap->geom, obstacle.centre, obstacle.R);
  if (wrap->site >= 0) side = site_point(model, work, wrap->site);
  if (!crd_wrap_round(&obstacle, a->at, b->at, wrap->site >= 0 ? side.at : NULL, point, &way))
    return add_piece(model, work, a, b, divisor);
  for (int k = 0; k < 2; k++) {
    touch[k].link = geom->link;
    crd_vec3_copy(touch[k].at, point[k]);
  }
  return add_piece(model, work, a, &touch[0], divisor) + way / divisor + add_piece(model, work, &touch[1], b, divisor);
}

static double spatial_length(const crd_model *model, crd_workspace *work, const crd_tendon *tendon) {
  double length = 0, divisor = 1;
  for (int i = 0; i + 1 < tendon->nwrap;) {
    const crd_wrap *wrap = &tendon->wrap[i], *next = wrap + 1;
    if (wrap->type == CRD_WRAP_PULLEY) divisor = wrap->divisor;
    if (wrap->type == CRD_WRAP_PULLEY || next->type == CRD_WRAP_PULLEY) {
      i++;
      continue;
    }
    const bool round = next->type == CRD_WRAP_GEOM;
    const waypoint a = site_point(model, work, wrap->site),
                   b = site_point(model, work, (round ? next + 1 : next)->site);
    length += round ? add_round(model, work, next, &a, &b, divisor) : add_piece(model, work, &a, &b, divisor);
    i += round ? 2 : 1;
  }
  return length;
}

/* Is the part of the workspace the whole model? */
static bool is_whole(const crd_model *model, const crd_workspace *work) {
  const crd_span *span = work->part->span;
  return work->part->nspan == 1 && span->v[0] == 0 && span->v[1] == model->nv;
}

bool crd_tendons_at(const crd_model *model, crd_workspace *work, const double *qpos) {
  if (model->ntendon == 0 && !model->needs_sites) return false;
  const size_t size = (size_t)model->nq * sizeof *qpos;
  const bool whole = is_whole(model, work);
  if (whole && work->tendons_known && memcmp(work->tendon_qpos, qpos, size) == 0) return false;
  if (model->needs_sites) crd_tree_kinematics(model, work, qpos);
  for (int t = 0; t < model->ntendon; t++) {
    const crd_tendon *tendon = &model->tendon[t];
    if (!whole && !crd_tendon_in_part(tendon, work)) continue;
    double *row = work->tendon_row + tendon->row, length = 0;
    if (tendon->nwrap > 0) {
      for (int k = 0; k < tendon->nchain; k++) work->tendon_dense[tendon->chain[k]] = 0;
      length = spatial_length(model, work, tendon);
      for (int k = 0; k < tendon->ndof; k++) row[k] = work->tendon_dense[tendon->dof[k]];
    } else {
      for (int k = 0; k < tendon->nterm; k++) {
        row[k] = tendon->coef[k];
        length += tendon->coef[k] * qpos[model->joint[tendon->joint[k]].q];
      }
    }
    work->tendon_length[t] = length;
  }
  memcpy(work->tendon_qpos, qpos, size);
  work->tendons_known = whole, work->sites_known = false;
  return true;
}

double crd_tendon_rate(const crd_tendon *tendon, const crd_workspace *work, const double *qvel) {
  const double *row = work->tendon_row + tendon->row;
  double rate = 0;
  for (int k = 0; k < tendon->ndof; k++) rate += row[k] * qvel[tendon->dof[k]];
  return rate;
}

void crd_tendon_add(const crd_tendon *tendon, const crd_workspace *work, double factor, double *to) {
  const double *row = work->tendon_row + tendon->row;
  for (int k = 0; k < tendon->ndof; k++) to[tendon->dof[k]] += factor * row[k];
}

double crd_tendon_stretch(const crd_tendon *tendon, double length) {
  const double *rest = tendon->spring_length;
  return length > rest[1] ? length - rest[1] : length < rest[0] ? length - rest[0] : 0;
}

bool crd_tendon_in_part(const crd_tendon *tendon, const crd_workspace *work) {
  for (int i = 0; tendon->ndof > 0 && i < work->part->nspan; i++)
    if (tendon->dof[0] >= work->part->span[i].v[0] && tendon->dof[0] < work->part->span[i].v[1]) return true;
  return false;
}

void crd_tree_tendon_forces(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                            double *tau) {
  if (!model->elastic_tendons) return;
  crd_tendons_at(model, work, qpos);
  for (int t = 0; t < model->ntendon; t++) {
    const crd_tendon *tendon = &model->tendon[t];
    if ((tendon->stiffness == 0 && tendon->damping == 0) || !crd_tendon_in_part(tendon, work)) continue;
    const double pull = tendon->stiffness * crd_tendon_stretch(tendon, work->tendon_length[t]) +
                        tendon->damping * crd_tendon_rate(tendon, work, qvel);
    crd_tendon_add(tendon, work, -pull, tau);
  }
}

double crd_tree_tendon_energy(const crd_model *model, crd_workspace *work, const double *qpos) {
  double energy = 0;
  if (!model->elastic_tendons) return 0;
  crd_tendons_at(model, work, qpos);
  for (int t = 0; t < model->ntendon; t++) {
    const crd_tendon *tendon = &model->tendon[t];
    if (tendon->stiffness == 0 || !crd_tendon_in_part(tendon, work)) continue;
    const double stretch = crd_tendon_stretch(tendon, work->tendon_length[t]);
    energy += 0.5 * tendon->stiffness * stretch * stretch;
  }
  return energy;
}

double crd_tree_tendon_damping(const crd_model *model, crd_workspace *work, const double *qpos, const double *u,
                               const double *w) {
  double sum = 0;
  if (!model->elastic_tendons) return 0;
  crd_tendons_at(model, work, qpos);
  for (int t = 0; t < model->ntendon; t++) {
    const crd_tendon *tendon = &model->tendon[t];
    if (tendon->damping == 0 || !crd_tendon_in_part(tendon, work)) continue;
    sum += tendon->damping * crd_tendon_rate(tendon, work, u) * crd_tendon_rate(tendon, work, w);
  }
  return sum;
}

void crd_tree_tendons(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                      double *length, double *rate) {
  crd_tendons_at(model, work, qpos);
  for (int t = 0; t < model->ntendon; t++) {
    if (length) length[t] = work->tendon_length[t];
    if (rate) rate[t] = crd_tendon_rate(&model->tendon[t], work, qvel);
  }
}

void crd_tree_tendon_row(const crd_model *model, crd_workspace *work, const double *qpos, int tendon, double *row) {
  memset(row, 0, (size_t)model->nv * sizeof *row);
  crd_tendons_at(model, work, qpos);
  crd_tendon_add(&model->tendon[tendon], work, 1, row);
}
