/* Points of contact from step to step: detection and assembly. Their recognition: src/sim/recognise.c. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/recognise.h"
#include "sim/sim_state.h"

void crd_sim_place(crd_sim *sim, const double *q) {
  crd_tree_kinematics(sim->model, sim->stage.work, q);
  crd_sim_place_geoms(sim, sim->stage.work);
}

void crd_sim_place_geoms(crd_sim *sim, const crd_workspace *work) {
  const crd_model *model = sim->model;
  CRD_EACH (&sim->part, geom, g)
    if (model->geom[g].link >= 0) crd_tree_geom_pose(model, work, g, sim->seek.pos + 3 * g, sim->seek.R + 9 * g);
}

void crd_sim_keep_positions(crd_sim *sim) {
  for (int i = 0; i < sim->part.nspan; i++) {
    const int *geom = sim->part.span[i].geom;
    memcpy(sim->seek.pos_now + 3 * geom[0], sim->seek.pos + 3 * geom[0],
           (size_t)(geom[1] - geom[0]) * 3 * sizeof *sim->seek.pos);
  }
}

/* Limits within the distance come first: their first geom is -1. */
static crd_status take_limits(crd_sim *sim, const double *q, double distance, crd_sim_touches *touches) {
  for (int i = 0; i < sim->part.nlimited; i++) {
    crd_limit limit[2];
    int j = sim->part.limited[i];
    int count = crd_limits_of_joint(sim->model, sim->rows.assembler->lengths, j, q, distance, limit);
    crd_status status = crd_sim_reserve(sim, touches->count + count);
    if (status != CRD_OK) return status;
    for (int k = 0; k < count; k++) {
      crd_sim_touch *touch = &touches->item[touches->count++];
      *touch = (crd_sim_touch){.source = -1, .gap_before = INFINITY, .velocity = {NAN, NAN, NAN}};
      touch->at = (crd_contact_point){.geomA = CRD_SIM_LIMIT, .geomB = j, .pair = -1, .gap = limit[k].gap};
      touch->at.index = strcmp(limit[k].side, "upper") == 0;
      crd_touch_set_local(sim, touch);
    }
  }
  return CRD_OK;
}

double crd_sim_limit_gap(const crd_sim *sim, const crd_contact_point *at, const double *q, const double *v,
                         double *closing) {
  crd_limit limit[2];
  int count = crd_limits_of_joint(sim->model, sim->rows.assembler->lengths, at->geomB, q, INFINITY, limit);
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

crd_status crd_sim_detect(crd_sim *sim, const double *q, double distance, const crd_sim_touches *before,
                          crd_sim_touches *touches) {
  return crd_sim_detect_reach(sim, q, distance, distance, before, touches);
}

crd_status crd_sim_detect_reach(crd_sim *sim, const double *q, double distance, double limit_distance,
                                const crd_sim_touches *before, crd_sim_touches *touches) {
  crd_collide_options options = {.distance = distance, .all_points = true};
  int count;
  crd_status status = CRD_OK;
  touches->count = 0;
  status = take_limits(sim, q, limit_distance, touches);
  while (status == CRD_OK) {
    int room = sim->touch_capacity - touches->count;
    status = crd_collide(sim->seek.collider, sim->seek.pos, sim->seek.R, &options, sim->seek.point, room, &count);
    if (status != CRD_ERR_CAPACITY) break;
    status = crd_sim_reserve(sim, touches->count + count);
  }
  if (status == CRD_ERR_MEMORY) return status;
  if (status != CRD_OK) return crd_sim_fail(sim, status, "collision: %s", crd_status_text(status));
  crd_touches_take(sim, count, distance, before, touches);
  return CRD_OK;
}

crd_status crd_sim_detect_pair(crd_sim *sim, int geom1, int geom2, double distance, const crd_sim_touches *before,
                               crd_sim_touches *touches) {
  int count;
  double finite = fmin(distance, 1e300);
  crd_status status;
  for (;;) {
    status = crd_collide_pair(sim->seek.collider, sim->seek.pos, sim->seek.R, geom1, geom2, finite, sim->seek.point,
                              sim->touch_capacity, &count);
    if (status != CRD_ERR_CAPACITY) break;
    status = crd_sim_reserve(sim, count);
    if (status != CRD_OK) return status;
  }
  if (status != CRD_OK) return crd_sim_fail(sim, status, "collision: %s", crd_status_text(status));
  touches->item = sim->seek.pair, touches->count = 0;
  crd_touches_take(sim, count, distance, before, touches);
  return CRD_OK;
}

/* Touches first .. end - 1 of (now), all of one pair, as they are expected at q. */
static crd_status expect_pair(crd_sim *sim, const double *q, double reach, int first, int end) {
  const crd_sim_touch *old = sim->now.touches.item + first;
  bool holds = false;
  for (int i = 0; i < end - first; i++) holds = holds || old[i].active;
  if (!holds || old->at.geomA == CRD_SIM_LIMIT) {
    for (int i = 0; i < end - first; i++) {
      crd_sim_touch *touch = &sim->rows.touches.item[sim->rows.touches.count++];
      *touch = old[i];
      touch->source = first + i, touch->gap_before = old[i].at.gap;
      if (holds) touch->at.gap = crd_sim_limit_gap(sim, &touch->at, q, NULL, NULL);
    }
    return CRD_OK;
  }
  crd_sim_touches before = {sim->now.touches.item + first, end - first}, found;
  crd_status status = crd_sim_detect_pair(sim, old->at.geomA, old->at.geomB, reach, &before, &found);
  if (status == CRD_OK) status = crd_sim_reserve(sim, sim->rows.touches.count + found.count + sim->now.touches.count);
  for (int i = 0; status == CRD_OK && i < found.count; i++) {
    crd_sim_touch *touch = &sim->rows.touches.item[sim->rows.touches.count++];
    *touch = sim->seek.pair[i];
    touch->at.pair = old->at.pair;
    if (touch->source >= 0) touch->source += first;
  }
  return status;
}

crd_status crd_sim_expect(crd_sim *sim, const double *q, double reach) {
  crd_status status = crd_sim_reserve(sim, 2 * sim->now.touches.count);
  sim->rows.touches.count = 0;
  for (int i = 0, end; status == CRD_OK && i < sim->now.touches.count; i = end) {
    const crd_contact_point *at = &sim->now.touches.item[i].at;
    for (end = i + 1; end < sim->now.touches.count; end++) {
      const crd_contact_point *next = &sim->now.touches.item[end].at;
      if (next->geomA != at->geomA || next->geomB != at->geomB) break;
    }
    status = expect_pair(sim, q, reach, i, end);
  }
  return status;
}

void crd_sim_map_contacts(crd_sim *sim, crd_sim_touches *touches, const bool *take, const int *of_point) {
  const crd_contact_problem *problem = sim->rows.problem;
  int point = 0, limit = problem->nc; /* limits are in the order of the joints, in both lists */
  while (limit > 0 && problem->contact[limit - 1].joint >= 0) limit--;
  for (int i = 0; i < touches->count; i++) {
    crd_sim_touch *touch = &touches->item[i];
    sim->rows.contact_of[i] = -1;
    if (take && !take[i]) continue;
    if (touch->at.geomA != CRD_SIM_LIMIT) {
      sim->rows.contact_of[i] = of_point[point++];
    } else {
      while (limit < problem->nc && problem->contact[limit].joint < touch->at.geomB) limit++;
      for (int c = limit; c < problem->nc && problem->contact[c].joint == touch->at.geomB; c++)
        if (problem->contact[c].gap == touch->at.gap) sim->rows.contact_of[i] = c;
    }
  }
}

crd_status crd_sim_assemble(crd_sim *sim, const double *q, const double *v, crd_sim_touches *touches, const bool *take,
                            crd_sim_purpose purpose, const int **contact_of) {
  bool hold = purpose == CRD_SIM_TO_CONSTRAIN;
  crd_contact_options options = crd_contact_default();
  crd_contact_assembler *assembler = hold ? sim->rows.assembler : sim->stage.assembler;
  crd_workspace *work = hold ? sim->rows.work : sim->stage.work;
  crd_contact_point *point = hold ? sim->rows.point : sim->seek.point;
  int count = 0;
  options.limit_distance = -INFINITY;
  for (int i = 0; i < touches->count; i++) {
    if (take && !take[i]) continue;
    if (touches->item[i].at.geomA == CRD_SIM_LIMIT)
      options.limit_distance = fmax(options.limit_distance, touches->item[i].at.gap);
    else
      point[count++] = touches->item[i].at;
  }
  if (hold) sim->rows.npoint = count;
  options.distance = INFINITY; /* the caller has chosen */
  options.limits = options.limit_distance > -INFINITY;
  options.mu = sim->options.mu, options.e = sim->options.e;
  options.blocks = purpose != CRD_SIM_TO_STRIKE, options.independent_loops = purpose != CRD_SIM_TO_MEASURE;
  options.mass_matrix = false, options.jacobian = !options.blocks;
  options.dry_friction = hold && sim->part.nrubbing > 0;
  options.torsion = hold; /* impact laws know normal and tangents only */
  options.loop_rows = hold && sim->begin.knows_loop_rows ? sim->begin.loop_row : NULL;
  options.names = !hold;
  crd_status status = CRD_OK;
  if (!hold) {
    crd_tree_kinematics(sim->model, work, q);
    crd_tree_velocity(sim->model, work, v);
    status = crd_tree_factor(sim->model, work);
  }
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(sim, work, status);
  if (status == CRD_OK) status = crd_contact_assemble(assembler, work, q, v, point, count, &options, sim->rows.problem);
  if (status != CRD_OK) return crd_sim_fail(sim, status, "contact problem: %s", crd_status_text(status));
  crd_sim_map_contacts(sim, touches, take, crd_contact_of_point(assembler));
  for (int i = 0; !hold && i < touches->count; i++)
    if (sim->rows.contact_of[i] >= 0)
      memcpy(touches->item[i].name, sim->rows.problem->contact[sim->rows.contact_of[i]].name,
             sizeof touches->item[i].name);
  *contact_of = sim->rows.contact_of;
  return CRD_OK;
}

double crd_sim_closing_speed(const crd_sim *sim, const crd_workspace *work, const crd_contact_point *at,
                             const double *q, const double *v, double *sliding) {
  if (at->geomA == CRD_SIM_LIMIT) {
    double closing = 0;
    crd_sim_limit_gap(sim, at, q, v, &closing);
    if (sliding) *sliding = 0;
    return closing;
  }
  const crd_geom *geom = sim->model->geom;
  double v1[6], v2[6], d[3];
  crd_tree_point_velocity(sim->model, work, geom[at->geomA].body, at->point, v1);
  crd_tree_point_velocity(sim->model, work, geom[at->geomB].body, at->point, v2);
  crd_vec3_sub(d, v1 + 3, v2 + 3);
  double normal = crd_vec3_dot(d, at->normal);
  crd_vec3_axpy(d, -normal, at->normal);
  if (sliding) *sliding = crd_vec3_norm(d);
  return -normal;
}
