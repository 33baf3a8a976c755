/* Points of contact from step to step: detection, recognition, assembly.
 *
 * A point is recognised by where it lies on one of its two bodies: a corner of A stays where it is in A's frame, an
 * edge of B under A in B's. Points of one pair are few, so the nearest ones are paired off greedily.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/sim_state.h"

void crd_sim_place(crd_sim *sim, const double *q) {
  const crd_model *model = sim->model;
  crd_tree_kinematics(model, sim->work, q);
  for (int g = 0; g < model->ngeom; g++)
    if (model->geom[g].link >= 0) crd_tree_geom_pose(model, sim->work, g, sim->pos + 3 * g, sim->R + 9 * g);
}

static void set_local(const crd_sim *sim, crd_sim_touch *touch) {
  const int geom[2] = {touch->at.geomA, touch->at.geomB};
  if (touch->at.geomA == CRD_SIM_LIMIT) {
    touch->local[0][0] = touch->local[1][0] = touch->at.index;
    return;
  }
  for (int k = 0; k < 2; k++) {
    double d[3];
    crd_vec3_sub(d, touch->at.point, sim->pos + 3 * geom[k]);
    crd_mat3_tmul_vec(touch->local[k], sim->R + 9 * geom[k], d);
  }
}

static double separation(const crd_sim_touch *a, const crd_sim_touch *b) {
  double nearest = INFINITY;
  for (int k = 0; k < 2; k++) {
    double d[3];
    crd_vec3_sub(d, a->local[k], b->local[k]);
    nearest = fmin(nearest, crd_vec3_dot(d, d));
  }
  return nearest;
}

static bool same_pair(const crd_sim_touch *a, const crd_sim_touch *b) {
  return a->at.geomA == b->at.geomA && a->at.geomB == b->at.geomB;
}

static void inherit(crd_sim_touch *heir, const crd_sim_touch *old) {
  memcpy(heir->name, old->name, sizeof heir->name);
  heir->touching = old->touching, heir->gap_before = old->at.gap, heir->mode = old->mode, heir->turn = old->turn,
  heir->share = old->share;
  heir->force = old->force, heir->leaving = old->leaving;
  memcpy(heir->friction, old->friction, sizeof heir->friction);
  memcpy(heir->sliding, old->sliding, sizeof heir->sliding);
}

/* How far a point of contact can have moved on its bodies since it was seen: one that is further away is another (two
 * capsules that rock through the parallel touch at the other end, which is an impact). */
static double reach_of_pair(const crd_sim *sim, const crd_contact_point *at) {
  if (at->geomA == CRD_SIM_LIMIT) return INFINITY;
  double a = sim->thickness[at->geomA], b = sim->thickness[at->geomB];
  return fmax(isinf(a) || isinf(b) ? fmin(a, b) : fmax(a, b), 0.5 * sim->size);
}

/* Pairs off the points of one pair with the old ones (number `first` and up of their list), nearest first, within
 * reach.
 */
static void match(crd_sim_touch *fresh, int count, const crd_sim_touch *old, int nold, int first, double reach) {
  enum { MOST = 64 };
  bool known[MOST] = {false}, used[MOST] = {false};
  if (count > MOST) count = MOST;
  if (nold > MOST) nold = MOST;
  for (int round = 0; round < count && round < nold; round++) {
    int best = -1, partner = -1;
    double least = reach * reach;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < nold && !known[i]; j++) {
        double d = used[j] ? INFINITY : separation(&fresh[i], &old[j]);
        if (d < least) least = d, best = i, partner = j;
      }
    if (best < 0) return;
    known[best] = used[partner] = true;
    inherit(&fresh[best], &old[partner]);
    fresh[best].source = first + partner;
  }
}

static bool pair_before(const crd_sim_touch *a, const crd_sim_touch *b) {
  int al = a->at.geomA < a->at.geomB ? a->at.geomA : a->at.geomB, ah = a->at.geomA + a->at.geomB - al;
  int bl = b->at.geomA < b->at.geomB ? b->at.geomA : b->at.geomB, bh = b->at.geomA + b->at.geomB - bl;
  return al != bl ? al < bl : ah < bh;
}

static void take_points(const crd_sim *sim, int count, double distance, crd_sim_touches *touches) {
  for (int i = 0; i < count; i++) {
    if (sim->point[i].gap > distance) continue; /* within a margin of the model only */
    crd_sim_touch *touch = &touches->item[touches->count++];
    *touch = (crd_sim_touch){.at = sim->point[i], .source = -1, .gap_before = INFINITY, .sliding = {NAN, NAN, NAN}};
    set_local(sim, touch);
  }
}

static void recognise(const crd_sim *sim, crd_sim_touches *touches, const crd_sim_touches *before) {
  int from = 0;
  for (int i = 0; i < touches->count;) {
    int end = i + 1, to;
    while (end < touches->count && same_pair(&touches->item[i], &touches->item[end])) end++;
    while (from < before->count && pair_before(&before->item[from], &touches->item[i])) from++;
    for (to = from; to < before->count && same_pair(&before->item[to], &touches->item[i]);) to++;
    match(touches->item + i, end - i, before->item + from, to - from, from, reach_of_pair(sim, &touches->item[i].at));
    i = end, from = to;
  }
}

/* Limits within the distance come first: their first geom is -1. */
static crd_status take_limits(crd_sim *sim, const double *q, double distance, crd_sim_touches *touches) {
  for (int j = 0; j < sim->model->njoint; j++) {
    crd_limit limit[2];
    int count = crd_limits_of_joint(sim->model, j, q, distance, limit);
    crd_status status = crd_sim_reserve(sim, touches->count + count);
    if (status != CRD_OK) return status;
    for (int k = 0; k < count; k++) {
      crd_sim_touch *touch = &touches->item[touches->count++];
      *touch = (crd_sim_touch){.source = -1, .gap_before = INFINITY, .sliding = {NAN, NAN, NAN}};
      touch->at = (crd_contact_point){.geomA = CRD_SIM_LIMIT, .geomB = j, .pair = -1, .gap = limit[k].gap};
      touch->at.index = strcmp(limit[k].side, "upper") == 0;
      set_local(sim, touch);
    }
  }
  return CRD_OK;
}

double crd_sim_limit_gap(const crd_sim *sim, const crd_contact_point *at, const double *q, const double *v,
                         double *closing) {
  crd_limit limit[2];
  int count = crd_limits_of_joint(sim->model, at->geomB, q, INFINITY, limit);
  for (int k = 0; k < count; k++) {
    if (count == 2 && at->index != (strcmp(limit[k].side, "upper") == 0)) continue;
    const crd_joint *joint = &sim->model->joint[at->geomB];
    if (closing) *closing = 0;
    for (int i = 0; v && closing && i < limit[k].count; i++) *closing -= limit[k].coefficient[i] * v[joint->v + i];
    return limit[k].gap;
  }
  return INFINITY;
}

crd_status crd_sim_detect(crd_sim *sim, const double *q, double distance, const crd_sim_touches *before,
                          crd_sim_touches *touches) {
  crd_collide_options options = {.distance = distance};
  int count;
  crd_status status = CRD_OK;
  touches->count = 0;
  if (sim->has_limits) status = take_limits(sim, q, distance, touches);
  while (status == CRD_OK) {
    int room = sim->touch_capacity - touches->count;
    status = crd_collide(sim->collider, sim->pos, sim->R, &options, sim->point, room, &count);
    if (status != CRD_ERR_CAPACITY) break;
    status = crd_sim_reserve(sim, touches->count + count);
  }
  if (status == CRD_ERR_MEMORY) return status;
  if (status != CRD_OK) return crd_sim_fail(sim, status, "collision: %s", crd_status_text(status));
  take_points(sim, count, distance, touches);
  if (before) recognise(sim, touches, before);
  return CRD_OK;
}

crd_status crd_sim_detect_pair(crd_sim *sim, int geom1, int geom2, double distance, const crd_sim_touches *before,
                               crd_sim_touches *touches) {
  int count;
  double finite = fmin(distance, 1e300);
  crd_status status;
  for (;;) {
    status = crd_collide_pair(sim->collider, sim->pos, sim->R, geom1, geom2, finite, sim->point, sim->touch_capacity,
                              &count);
    if (status != CRD_ERR_CAPACITY) break;
    status = crd_sim_reserve(sim, count);
    if (status != CRD_OK) return status;
  }
  if (status != CRD_OK) return crd_sim_fail(sim, status, "collision: %s", crd_status_text(status));
  touches->item = sim->pair, touches->count = 0;
  take_points(sim, count, distance, touches);
  recognise(sim, touches, before);
  return CRD_OK;
}

/* The contact of each touch that was taken: of points as the assembler says, of limits by joint and side. */
static void map_contacts(crd_sim *sim, crd_sim_touches *touches, const bool *take, const int *of_point) {
  const crd_contact_problem *problem = sim->problem;
  int point = 0;
  for (int i = 0; i < touches->count; i++) {
    crd_sim_touch *touch = &touches->item[i];
    sim->contact_of[i] = -1;
    if (take && !take[i]) continue;
    if (touch->at.geomA != CRD_SIM_LIMIT) {
      sim->contact_of[i] = of_point[point++];
    } else {
      for (int c = 0; c < problem->nc; c++)
        if (problem->contact[c].joint == touch->at.geomB && problem->contact[c].gap == touch->at.gap)
          sim->contact_of[i] = c;
    }
    if (sim->contact_of[i] >= 0) memcpy(touch->name, problem->contact[sim->contact_of[i]].name, sizeof touch->name);
  }
}

crd_status crd_sim_assemble(crd_sim *sim, const double *q, const double *v, crd_sim_touches *touches, const bool *take,
                            bool hold, const int **contact_of) {
  crd_contact_options options = crd_contact_default();
  crd_contact_assembler *assembler = hold ? sim->hold_assembler : sim->assembler;
  crd_workspace *work = hold ? sim->hold_work : sim->work;
  int count = 0;
  options.limit_distance = -INFINITY;
  for (int i = 0; i < touches->count; i++) {
    if (take && !take[i]) continue;
    if (touches->item[i].at.geomA == CRD_SIM_LIMIT)
      options.limit_distance = fmax(options.limit_distance, touches->item[i].at.gap);
    else
      sim->point[count++] = touches->item[i].at;
  }
  options.distance = INFINITY; /* the caller has chosen */
  options.limits = options.limit_distance > -INFINITY;
  options.mu = sim->options.mu, options.e = sim->options.e;
  options.mass_matrix = false, options.jacobian = !hold, options.dry_friction = hold && sim->has_dry;
  crd_tree_kinematics(sim->model, work, q);
  crd_tree_velocity(sim->model, work, v);
  crd_status status = crd_tree_factor(sim->model, work);
  if (status == CRD_OK) status = crd_contact_assemble(assembler, work, q, v, sim->point, count, &options, sim->problem);
  if (status != CRD_OK) return crd_sim_fail(sim, status, "contact problem: %s", crd_status_text(status));
  map_contacts(sim, touches, take, crd_contact_of_point(assembler));
  *contact_of = sim->contact_of;
  return CRD_OK;
}

double crd_sim_closing_speed(const crd_sim *sim, const crd_contact_point *at, const double *q, const double *v,
                             double *sliding) {
  if (at->geomA == CRD_SIM_LIMIT) {
    double closing = 0;
    crd_sim_limit_gap(sim, at, q, v, &closing);
    if (sliding) *sliding = 0;
    return closing;
  }
  const crd_geom *geom = sim->model->geom;
  double v1[6], v2[6], d[3];
  crd_tree_point_velocity(sim->model, sim->work, geom[at->geomA].body, at->point, v1);
  crd_tree_point_velocity(sim->model, sim->work, geom[at->geomB].body, at->point, v2);
  crd_vec3_sub(d, v1 + 3, v2 + 3);
  double normal = crd_vec3_dot(d, at->normal);
  crd_vec3_axpy(d, -normal, at->normal);
  if (sliding) *sliding = crd_vec3_norm(d);
  return -normal;
}
