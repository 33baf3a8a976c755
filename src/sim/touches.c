/* Points of contact from step to step: detection and assembly. Their recognition: src/sim/recognise.c. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/prescribed.h"
#include "sim/recognise.h"
#include "sim/tunnel.h"

static const double ANYWHERE = 1e300; /* m: no limit, which collision wants finite */

void crd_sim_place(crd_group *group, const double *q) {
  crd_tree_kinematics(group->model, group->stage->work, q);
  crd_sim_place_geoms(group, group->stage->work);
}

void crd_sim_place_geoms(crd_group *group, const crd_workspace *work) {
  CRD_EACH (group->part, geom, g)
    if (group->scene->moves[g])
      crd_tree_geom_pose(group->model, work, g, group->seek->pos + 3 * g, group->seek->R + 9 * g);
}

void crd_sim_keep_positions(crd_group *group) {
  CRD_EACH (group->part, geom, g)
    if (group->scene->moves[g]) crd_sim_core(group, g, group->seek->core_now + 3 * g);
}

/* Limits within the distance come first: their first geom is -1. */
static crd_status take_limits(crd_group *group, const double *q, double distance, crd_sim_touches *touches) {
  for (int i = 0; i < group->part->nlimited; i++) {
    crd_limit limit[2];
    int j = group->part->limited[i];
    if (crd_sim_is_prescribed(group->scene, j)) continue; /* no force could hold it there */
    int count = crd_limits_of_joint(group->model, group->rows->assembler->lengths, j, q, distance, limit);
    crd_status status = crd_sim_reserve(group, touches->count + count);
    if (status != CRD_OK) return status;
    for (int k = 0; k < count; k++) {
      crd_sim_touch *touch = &touches->item[touches->count++];
      *touch = (crd_sim_touch){.source = -1, .gap_before = INFINITY, .velocity = {NAN, NAN, NAN}};
      touch->at = (crd_contact_point){.geomA = CRD_SIM_LIMIT, .geomB = j, .pair = -1, .gap = limit[k].gap};
      touch->at.index = strcmp(limit[k].side, "upper") == 0;
      crd_touch_set_local(group, touch);
    }
  }
  return CRD_OK;
}

double crd_sim_limit_gap(const crd_group *group, const crd_contact_point *at, const double *q, const double *v,
                         double *closing) {
  crd_limit limit[2];
  int count = crd_limits_of_joint(group->model, group->rows->assembler->lengths, at->geomB, q, INFINITY, limit);
  for (int k = 0; k < count; k++) {
    if (count == 2 && at->index != (strcmp(limit[k].side, "upper") == 0)) continue;
    if (closing) *closing = 0;
    const crd_row *row = &limit[k].row;
    for (int i = 0; v && closing && i < row->ndof; i++)
      *closing -= crd_row_coefficient(row, i) * v[crd_row_dof(row, i)];
    return limit[k].gap;
  }
  return INFINITY;
}

crd_status crd_sim_detect(crd_group *group, const double *q, double distance, const crd_sim_touches *before,
                          crd_sim_touches *touches) {
  return crd_sim_detect_reach(group, q, distance, distance, before, touches);
}

crd_status crd_sim_detect_reach(crd_group *group, const double *q, double distance, double limit_distance,
                                const crd_sim_touches *before, crd_sim_touches *touches) {
  crd_collide_options options = {.distance = distance, .all_points = true};
  int count;
  crd_status status = CRD_OK;
  touches->count = 0;
  status = take_limits(group, q, limit_distance, touches);
  while (status == CRD_OK) {
    int room = group->scratch->touch_capacity - touches->count;
    status = crd_collide_all(group->seek->collider, group->seek->pos, group->seek->R, &options, group->seek->point,
                             room, &count);
    if (status != CRD_ERR_CAPACITY) break;
    status = crd_sim_reserve(group, touches->count + count);
  }
  if (status == CRD_ERR_MEMORY) return status;
  if (status != CRD_OK) return crd_sim_fail(group, status, "collision: %s", crd_status_text(status));
  crd_touches_take(group, count, distance, before, touches);
  return CRD_OK;
}

crd_status crd_sim_detect_now(crd_group *group) {
  crd_sim_touches *found = &group->trial->touches;
  crd_status status = crd_sim_detect(group, group->now.q, group->scene->contact_band, &group->now.touches, found);
  return status == CRD_OK ? crd_group_take_touches(group, found) : status;
}

crd_status crd_sim_detect_pair(crd_group *group, int geom1, int geom2, double distance, const crd_sim_touches *before,
                               crd_sim_touches *touches) {
  int count;
  double finite = fmin(distance, ANYWHERE);
  crd_status status;
  for (;;) {
    status = crd_collide_pair(group->seek->collider, group->seek->pos, group->seek->R, geom1, geom2, finite,
                              group->seek->point, group->scratch->touch_capacity, &count);
    if (status != CRD_ERR_CAPACITY) break;
    status = crd_sim_reserve(group, count);
    if (status != CRD_OK) return status;
  }
  if (status != CRD_OK) return crd_sim_fail(group, status, "collision: %s", crd_status_text(status));
  touches->item = group->seek->pair, touches->count = 0;
  crd_touches_take(group, count, distance, before, touches);
  return CRD_OK;
}

/* Touches first .. end - 1 of (now), all of one pair, as they are expected at q. */
static crd_status expect_pair(crd_group *group, const double *q, double reach, int first, int end) {
  const crd_sim_touch *old = group->now.touches.item + first;
  bool holds = false;
  for (int i = 0; i < end - first; i++) holds = holds || old[i].active;
  if (!holds || old->at.geomA == CRD_SIM_LIMIT) {
    for (int i = 0; i < end - first; i++) {
      crd_sim_touch *touch = &group->rows->touches.item[group->rows->touches.count++];
      *touch = old[i];
      touch->source = first + i, touch->gap_before = old[i].at.gap;
      if (holds) touch->at.gap = crd_sim_limit_gap(group, &touch->at, q, NULL, NULL);
    }
    return CRD_OK;
  }
  crd_sim_touches before = {group->now.touches.item + first, end - first}, found;
  crd_status status = crd_sim_detect_pair(group, old->at.geomA, old->at.geomB, reach, &before, &found);
  if (status == CRD_OK)
    status = crd_sim_reserve(group, group->rows->touches.count + found.count + group->now.touches.count);
  for (int i = 0; status == CRD_OK && i < found.count; i++) {
    crd_sim_touch *touch = &group->rows->touches.item[group->rows->touches.count++];
    *touch = group->seek->pair[i];
    touch->at.pair = old->at.pair;
    if (touch->source >= 0) touch->source += first;
  }
  return status;
}

crd_status crd_sim_expect(crd_group *group, const double *q, double reach) {
  crd_status status = crd_sim_reserve(group, 2 * group->now.touches.count);
  group->rows->touches.count = 0;
  for (int i = 0, end; status == CRD_OK && i < group->now.touches.count; i = end) {
    const crd_contact_point *at = &group->now.touches.item[i].at;
    for (end = i + 1; end < group->now.touches.count; end++) {
      const crd_contact_point *next = &group->now.touches.item[end].at;
      if (next->geomA != at->geomA || next->geomB != at->geomB) break;
    }
    status = expect_pair(group, q, reach, i, end);
  }
  return status;
}

int crd_touches_list(const crd_sim_touches *touches, const bool *take, crd_contact_point *point,
                     crd_contact_options *options) {
  int count = 0, all = 0;
  for (int i = 0; i < touches->count; i++)
    if ((!take || take[i]) && touches->item[i].at.geomA != CRD_SIM_LIMIT) point[count++] = touches->item[i].at;
  all = count;
  for (int i = 0; i < touches->count && touches->item[i].at.geomA == CRD_SIM_LIMIT; i++) /* they come first */
    if (!take || take[i]) point[all++] = touches->item[i].at;
  options->distance = INFINITY; /* the caller has chosen */
  options->limit_points = point + count, options->nlimit_points = all - count;
  return count;
}

void crd_sim_map_contacts(crd_group *group, crd_sim_touches *touches, const bool *take, const int *of_point) {
  const crd_contact_problem *problem = group->rows->problem;
  int point = 0, limit = 0; /* limits are in the same order in both lists, in the problem behind the points */
  while (limit < problem->nc && problem->contact[limit].joint < 0) limit++;
  for (int i = 0; i < touches->count; i++) {
    crd_sim_touch *touch = &touches->item[i];
    group->rows->contact_of[i] = -1;
    if (take && !take[i]) continue;
    if (touch->at.geomA != CRD_SIM_LIMIT) {
      group->rows->contact_of[i] = of_point[point++];
    } else {
      const crd_contact *next = limit < problem->nc ? &problem->contact[limit] : NULL;
      if (next && next->joint == touch->at.geomB && next->upper == (touch->at.index == 1))
        group->rows->contact_of[i] = limit++;
    }
  }
}

crd_status crd_sim_assemble(crd_group *group, const double *q, const double *v, crd_sim_touches *touches,
                            const bool *take, crd_sim_purpose purpose, const int **contact_of) {
  bool hold = purpose == CRD_SIM_TO_CONSTRAIN;
  crd_contact_options options = crd_contact_default();
  crd_contact_assembler *assembler = hold ? group->rows->assembler : group->stage->assembler;
  crd_workspace *work = hold ? group->rows->work : group->stage->work;
  crd_contact_point *point = hold ? group->rows->point : group->seek->point;
  int count = crd_touches_list(touches, take, point, &options);
  if (hold) group->rows->npoint = count;
  options.mu = group->options->mu, options.e = group->options->e;
  options.blocks = purpose != CRD_SIM_TO_STRIKE, options.independent_loops = purpose != CRD_SIM_TO_MEASURE;
  options.mass_matrix = false, options.jacobian = !options.blocks;
  options.dry_friction = hold && group->part->nrubbing > 0;
  options.torsion = hold; /* impact laws know normal and tangents only */
  options.loop_rows = hold && group->begin->knows_loop_rows ? group->begin->loop_row : NULL;
  options.names = !hold;
  crd_status status = CRD_OK;
  if (!hold) {
    crd_tree_kinematics(group->model, work, q);
    crd_tree_velocity(group->model, work, v);
    status = crd_tree_factor(group->model, work);
  }
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(group, work, status);
  if (status == CRD_OK)
    status = crd_contact_assemble(assembler, work, q, v, point, count, &options, group->rows->problem);
  if (status != CRD_OK) return crd_sim_fail(group, status, "contact problem: %s", crd_status_text(status));
  crd_sim_map_contacts(group, touches, take, crd_contact_of_point(assembler));
  for (int i = 0; !hold && i < touches->count; i++)
    if (group->rows->contact_of[i] >= 0)
      memcpy(touches->item[i].name, group->rows->problem->contact[group->rows->contact_of[i]].name,
             sizeof touches->item[i].name);
  *contact_of = group->rows->contact_of;
  return crd_sim_prescribed_yields(group, touches, take);
}

double crd_sim_closing_speed(const crd_group *group, const crd_workspace *work, const crd_contact_point *at,
                             const double *q, const double *v, double *sliding) {
  if (at->geomA == CRD_SIM_LIMIT) {
    double closing = 0;
    crd_sim_limit_gap(group, at, q, v, &closing);
    if (sliding) *sliding = 0;
    return closing;
  }
  const crd_geom *geom = group->model->geom;
  double v1[6], v2[6], d[3];
  crd_tree_point_velocity(group->model, work, geom[at->geomA].body, at->point, v1);
  crd_tree_point_velocity(group->model, work, geom[at->geomB].body, at->point, v2);
  crd_vec3_sub(d, v1 + 3, v2 + 3);
  double normal = crd_vec3_dot(d, at->normal);
  crd_vec3_axpy(d, -normal, at->normal);
  if (sliding) *sliding = crd_vec3_norm(d);
  return -normal;
}
