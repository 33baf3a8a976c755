/* Limits of joints and tendons as contacts without friction.
 *
 * A hinge or slide has a lower and an upper one, gaps q - range[0] and range[1] - q, rows +1 and -1 at its
 * velocity. A ball joint may turn by an angle |phi| of at most range[1] about any axis phi / |phi|: one gap range[1] -
 * |phi|, whose rate is -(phi / |phi|) . w, the same in the axes of either body since the rotation keeps its own axis. A
 * tendon of length l has the gaps l - range[0] and range[1] - l: a string of at most range[1] is a rope.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "model/workspace.h"

/* Both sides of a length with the rate that the row states. */
static int limits_of_length(double length, const double range[2], double distance, const crd_limit *of,
                            crd_limit limit[2]) {
  int count = 0;
  for (int side = 0; side < 2; side++) {
    const double gap = side == 0 ? length - range[0] : range[1] - length;
    if (!(gap <= distance)) continue;
    limit[count] = *of;
    limit[count].side = side == 0 ? "lower" : "upper", limit[count].gap = gap;
    limit[count].row.sign = side == 0 ? 1 : -1;
    for (int k = 0; side == 1 && k < 3; k++) limit[count].row.coefficient[k] = -of->row.coefficient[k];
    count++;
  }
  return count;
}

static int limits_of_tendon(const crd_model *model, crd_workspace *lengths, int t, const double *qpos, double distance,
                            crd_limit limit[2]) {
  const crd_tendon *tendon = &model->tendon[t];
  if (!tendon->limited) return 0;
  crd_limit of = {.joint = model->njoint + t, .row = {.node = {-1, -1}, .ndof = tendon->ndof, .far_dof = tendon->dof}};
  const double length = crd_tendon_length_row(model, lengths, t, qpos, &of.row.far);
  /* a string is never shorter than 0, and at 0 it has no direction */
  const double range[2] = {tendon->nwrap > 0 && tendon->range[0] <= 0 ? -INFINITY : tendon->range[0], tendon->range[1]};
  return limits_of_length(length, range, distance, &of, limit);
}

static int limits_of_ball(const crd_joint *joint, const double *q, double distance, crd_limit *limit) {
  double length = crd_vec3_norm(q + 1), angle = 2 * atan2(length, fabs(q[0]));
  limit->gap = joint->range[1] - angle;
  if (limit->gap > distance || !(length > 0)) return 0;
  limit->row = (crd_row){.node = {-1, -1}, .ndof = 3};
  /* q and -q are the same rotation; the one with q0 >= 0 turns by less than pi */
  for (int i = 0; i < 3; i++) limit->row.coefficient[i] = -copysign(1, q[0]) * q[1 + i] / length;
  for (int i = 0; i < 3; i++) limit->row.dof[i] = joint->v + i;
  limit->side = "limit";
  return 1;
}

int crd_limits_of_joint(const crd_model *model, crd_workspace *lengths, int j, const double *qpos, double distance,
                        crd_limit limit[2]) {
  if (j >= model->njoint) return limits_of_tendon(model, lengths, j - model->njoint, qpos, distance, limit);
  const crd_joint *joint = &model->joint[j];
  const double *q = qpos + joint->q;
  if (!joint->limited) return 0;
  limit[0].joint = limit[1].joint = j;
  if (joint->type == CRD_BALL) return limits_of_ball(joint, q, distance, limit);
  const crd_limit of = {.joint = j, .row = {.node = {-1, -1}, .ndof = 1, .dof = {joint->v}, .coefficient = {1}}};
  return limits_of_length(q[0], joint->range, distance, &of, limit);
}

/* Where the limit acts and which way. */
static void place_limit(const crd_assembly *a, const crd_limit *limit, int joint, crd_contact *c) {
  const crd_link_state *s = &a->work->link[joint + 1];
  const bool own = limit->joint == joint; /* a tendon pulls at several joints, each its own way */
  const crd_row *row = &limit->row;
  v4 normal = own && row->ndof == 1 ? row->coefficient[0] * s->R[2] : (v4){0};
  for (int k = 0; own && row->ndof == 3 && k < 3; k++) normal += row->coefficient[k] * s->R[k];
  v4_store3(c->point, s->p);
  v4_store3(c->normal, normal);
}

static void add_limit(crd_assembly *a, const crd_limit *limit) {
  const crd_model *model = a->assembler->model;
  const crd_tendon *tendon = limit->joint < model->njoint ? NULL : &model->tendon[limit->joint - model->njoint];
  const int first = tendon ? tendon->joint[0] : limit->joint;
  const crd_joint *joint = &model->joint[first];
  const double e = tendon ? tendon->restitution : joint->restitution;
  crd_contact *c = &a->assembler->contact[a->nc++];
  *c = (crd_contact){.name = limit->side,
                     .row = a->rows,
                     .gap = limit->gap,
                     .upper = strcmp(limit->side, "upper") == 0,
                     .e = isnan(a->options->e) ? e : a->options->e,
                     .body1 = joint->body,
                     .body2 = model->body[joint->body].parent,
                     .joint = limit->joint};
  place_limit(a, limit, first, c);
  crd_row *row = &a->assembler->row[a->rows++];
  *row = limit->row, row->bundle = CRD_NO_BUNDLE;
  if (!tendon || tendon->nwrap == 0) return;
  /* the workspace of lengths moves on while the problem is in use */
  double *kept = a->assembler->tendon_row + tendon->row;
  memcpy(kept, limit->row.far, (size_t)tendon->ndof * sizeof *kept);
  row->far = kept;
}

/* The limit that a point stands for; 0: a ball joint without rotation has none. */
static int limit_of_point(const crd_contact_assembler *s, const double *qpos, const crd_contact_point *point,
                          crd_limit limit[2]) {
  const int count = crd_limits_of_joint(s->model, s->lengths, point->geomB, qpos, INFINITY, limit);
  if (count == 2 && point->index == 1) limit[0] = limit[1];
  return count > 0;
}

/* Of the points, or of a joint that has limits; number k of either list. */
static int limits_at(const crd_contact_assembler *s, const double *qpos, const crd_contact_options *options, int k,
                     crd_limit limit[2]) {
  if (options->limit_points) return limit_of_point(s, qpos, &options->limit_points[k], limit);
  return crd_limits_of_joint(s->model, s->lengths, s->part->limited[k], qpos, options->limit_distance, limit);
}

static int limits_asked(const crd_contact_assembler *s, const crd_contact_options *options) {
  if (!options->limits) return 0;
  return options->limit_points ? options->nlimit_points : s->part->nlimited;
}

int crd_assembly_count_limits(const crd_contact_assembler *s, const double *qpos, const crd_contact_options *options) {
  crd_limit limit[2];
  int count = 0;
  for (int k = 0; k < limits_asked(s, options); k++) count += limits_at(s, qpos, options, k, limit);
  return count;
}

void crd_assembly_limits(crd_assembly *a) {
  const crd_contact_assembler *s = a->assembler;
  for (int k = 0; k < limits_asked(s, a->options); k++) {
    crd_limit limit[2];
    int count = limits_at(s, a->qpos, a->options, k, limit);
    for (int i = 0; i < count; i++) add_limit(a, &limit[i]);
  }
  a->nrow = a->rows;
}
