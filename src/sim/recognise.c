/* Points of contact are known from step to step.
 *
 * A point is recognised by where it lies on one of its two bodies: a corner of A stays where it is in A's frame, an
 * edge of B under A in B's. The nearest ones are paired off greedily.
 *
 * A face with many corners (the sole of a foot from a scanner) has more points than a pair may keep, and rounding would
 * choose others of them at every look. So all of them are looked at, those that are held are recognised first, and the
 * rest only fills up what the held ones leave free: a contact lasts as long as its corner touches.
 */
#include "sim/recognise.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "collide/reduce.h"

static const double LEAST_REACH = 0.5;   /* of the scene's size: how far a point of round bodies may have moved */
static const double FASTER = 10;         /* how many times faster than the bodies a crossing of edges may run, */
static const double CORNER_SHIFT = 1e-4; /* of the scene's size, beside how much it may be off through rounding */
static const double SAME_RIM = 1e-3;     /* of the radius: distance along the axis of two points of one rim */

void crd_touch_set_local(const crd_group *group, crd_sim_touch *touch) {
  const int geom[2] = {touch->at.geomA, touch->at.geomB};
  if (touch->at.geomA == CRD_SIM_LIMIT) {
    touch->local[0][0] = touch->local[1][0] = touch->at.index;
    return;
  }
  for (int k = 0; k < 2; k++) {
    double d[3];
    crd_vec3_sub(d, touch->at.point, group->seek->pos + 3 * geom[k]);
    crd_mat3_tmul_vec(touch->local[k], group->seek->R + 9 * geom[k], d);
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
  heir->active = old->active, heir->gap_before = old->at.gap;
  heir->force = old->force, heir->guess = old->guess, heir->phase = old->phase, heir->starts = old->starts;
  crd_vec3_copy(heir->velocity, old->velocity);
}

/* How far a point of contact can have moved on its bodies since it was seen: one that is further away is another (two
 * capsules that rock through the parallel touch at the other end, which is an impact). */
static double reach_of_pair(const crd_group *group, const crd_contact_point *at) {
  if (at->geomA == CRD_SIM_LIMIT) return INFINITY;
  double a = group->scene->thickness[at->geomA], b = group->scene->thickness[at->geomB];
  return fmax(isinf(a) || isinf(b) ? fmin(a, b) : fmax(a, b), LEAST_REACH * group->scene->size);
}

static bool is_polytope(const crd_group *group, int geom) {
  crd_geom_type type = group->model->geom[geom].type;
  return type == CRD_PLANE || type == CRD_BOX || type == CRD_MESH || type == CRD_HFIELD;
}

/* Of polytopes a corner stays where it is on its body, and the crossing of two edges runs along them not much faster
 * than the bodies move against each other there: a point that is further away is another corner, which strikes. */
static double reach_of_point(const crd_group *group, const crd_sim_touch *old, double reach) {
  const int geom[2] = {old->at.geomA, old->at.geomB};
  if (geom[0] == CRD_SIM_LIMIT || !is_polytope(group, geom[0]) || !is_polytope(group, geom[1])) return reach;
  double now[2][3], d[3];
  for (int k = 0; k < 2; k++) {
    crd_mat3_mul_vec(now[k], group->seek->R + 9 * geom[k], old->local[k]);
    crd_vec3_add(now[k], now[k], group->seek->pos + 3 * geom[k]);
  }
  crd_vec3_sub(d, now[0], now[1]);
  return fmin(reach, FASTER * crd_vec3_norm(d) + CORNER_SHIFT * group->scene->size);
}

/* The square of a quarter of the rim's chord, where both are points of the same rim of a cylinder over a plane, else 0.
 * The flatter the end lies, the faster its lowest point runs, and the other three of the rim with it; at a quarter
 * another one of them is as near. */
static double quarter_of_rim(const crd_group *group, const crd_sim_touch *a, const crd_sim_touch *b) {
  if (a->at.geomA == CRD_SIM_LIMIT) return 0;
  const crd_geom *geom[2] = {&group->model->geom[a->at.geomA], &group->model->geom[a->at.geomB]};
  int k = geom[1]->type == CRD_CYLINDER;
  if (geom[k]->type != CRD_CYLINDER || geom[1 - k]->type != CRD_PLANE) return 0;
  double radius = geom[k]->size[0];
  return fabs(a->local[k][2] - b->local[k][2]) <= SAME_RIM * radius ? 2 * radius * radius : 0;
}

/* Of the points that no old one has been paired with, the nearest to `old` within reach; -1: none. */
static int nearest_free(const crd_group *group, const crd_sim_touch *fresh, int count, const crd_sim_touch *old,
                        double reach, double *least) {
  int best = -1;
  *least = INFINITY;
  for (int i = 0; i < count; i++) {
    if (fresh[i].source >= 0) continue;
    double d = separation(&fresh[i], old);
    if (d < *least && d < fmax(reach * reach, quarter_of_rim(group, old, &fresh[i]))) *least = d, best = i;
  }
  return best;
}

/* The only point of a rim that is held runs to the lowest one, unless the rim has fallen over to its other side, which
 * strikes. Returns its number among the old ones; -1: none. */
static int follow_rim(const crd_group *group, crd_sim_touch *fresh, int count, const crd_sim_touch *old, int nold,
                      int first) {
  int held = -1, lowest = -1, active = 0;
  for (int j = 0; j < nold; j++)
    if (old[j].active) held = j, active++;
  for (int i = 0; active == 1 && i < count; i++)
    if (quarter_of_rim(group, &old[held], &fresh[i]) > 0 && (lowest < 0 || fresh[i].at.gap < fresh[lowest].at.gap))
      lowest = i;
  if (lowest < 0 || separation(&fresh[lowest], &old[held]) >= quarter_of_rim(group, &old[held], &fresh[lowest]))
    return -1;
  inherit(&fresh[lowest], &old[held]);
  fresh[lowest].source = first + held;
  return held;
}

/* Pairs off the points of one pair with the old ones (number `first` and up of their list), nearest first, within
 * reach. */
static void match(const crd_group *group, crd_sim_touch *fresh, int count, const crd_sim_touch *old, int nold,
                  int first) {
  int nearest[CRD_PATCH_POINTS];
  double away[CRD_PATCH_POINTS], reach[CRD_PATCH_POINTS], widest = nold > 0 ? reach_of_pair(group, &old->at) : 0;
  if (nold > CRD_PATCH_POINTS) nold = CRD_PATCH_POINTS;
  int paired = follow_rim(group, fresh, count, old, nold, first);
  for (int j = 0; j < nold; j++) {
    reach[j] = reach_of_point(group, &old[j], widest);
    nearest[j] = j == paired ? -1 : nearest_free(group, fresh, count, &old[j], reach[j], &away[j]);
  }
  for (;;) {
    int partner = -1;
    for (int j = 0; j < nold; j++)
      if (nearest[j] >= 0 && (partner < 0 || away[j] < away[partner])) partner = j;
    if (partner < 0) return;
    int best = nearest[partner];
    inherit(&fresh[best], &old[partner]);
    fresh[best].source = first + partner;
    nearest[partner] = -1;
    for (int j = 0; j < nold; j++)
      if (nearest[j] == best) nearest[j] = nearest_free(group, fresh, count, &old[j], reach[j], &away[j]);
  }
}

bool crd_touch_pair_before(const crd_sim_touch *a, const crd_sim_touch *b) {
  int al = a->at.geomA < a->at.geomB ? a->at.geomA : a->at.geomB, ah = a->at.geomA + a->at.geomB - al;
  int bl = b->at.geomA < b->at.geomB ? b->at.geomA : b->at.geomB, bh = b->at.geomA + b->at.geomB - bl;
  return al != bl ? al < bl : ah < bh;
}

/* Number of the first touch from `first` on that is of another pair. */
static int end_of_pair(const crd_sim_touches *touches, int first) {
  int end = first + 1;
  while (end < touches->count && same_pair(&touches->item[first], &touches->item[end])) end++;
  return end;
}

static void recognise(const crd_group *group, crd_sim_touches *touches, const crd_sim_touches *before) {
  int from = 0;
  for (int i = 0, end; i < touches->count; i = end) {
    int to;
    end = end_of_pair(touches, i);
    while (from < before->count && crd_touch_pair_before(&before->item[from], &touches->item[i])) from++;
    for (to = from; to < before->count && same_pair(&before->item[to], &touches->item[i]);) to++;
    if (to > from) match(group, touches->item + i, end - i, before->item + from, to - from, from);
    from = to;
  }
}

/* Which of the touches first .. end - 1, all of one pair, it keeps: into group->seek->keep from there on. */
static void choose(crd_group *group, const crd_sim_touches *touches, int first, int end) {
  for (int i = first; i < end; i++) {
    group->seek->point[i] = touches->item[i].at;
    group->seek->known[i] = touches->item[i].active;
  }
  crd_patch_choose(group->seek->point + first, end - first, group->scene->gap_tolerance, group->seek->known + first,
                   group->seek->keep + first);
}

static void keep_chosen(crd_group *group, crd_sim_touches *touches) {
  int kept = 0;
  for (int i = 0, end; i < touches->count; i = end) {
    end = end_of_pair(touches, i);
    bool all = end - i <= CRD_PATCH_POINTS;
    if (!all) choose(group, touches, i, end);
    for (int k = i, index = 0; k < end; k++) {
      if (!all && !group->seek->keep[k]) continue;
      if (kept < k) touches->item[kept] = touches->item[k];
      if (!all) touches->item[kept].at.index = index++;
      kept++;
    }
  }
  touches->count = kept;
}

void crd_touches_take(crd_group *group, int count, double distance, const crd_sim_touches *before,
                      crd_sim_touches *touches) {
  for (int i = 0; i < count; i++) {
    if (group->seek->point[i].gap > distance) continue; /* within a margin of the model only */
    if (crd_sim_ignores(group, &group->seek->point[i])) continue;
    crd_sim_touch *touch = &touches->item[touches->count++];
    *touch =
        (crd_sim_touch){.at = group->seek->point[i], .source = -1, .gap_before = INFINITY, .velocity = {NAN, NAN, NAN}};
    crd_touch_set_local(group, touch);
  }
  if (before) recognise(group, touches, before);
  keep_chosen(group, touches);
}
