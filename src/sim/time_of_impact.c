/* The instant within a step at which a gap closes.
 *
 * The trial over the whole step gives the motion between: a cubic in the chart about its start through positions and
 * velocities of both ends. On it the root of g(tau), the least gap of the free points over the pairs that overlap at
 * the end, costs poses and distances of these pairs only. Then the trial is made anew over tau, so that the state found
 * is one of the integrator's own and no interpolation error enters; what is left of the gap is removed by Newton steps
 * on the closing speed, inside the bracket of the instants known to be open and closed. A pair that turns out to close
 * earlier joins the watch. Ends at |g| <= exact, or on time: |g| <= ON_TIME of the band. Gaps may also jump (a mechanism
 * that snaps back to its constraints, a point that runs round a rim): after MOST_TRIALS the instant is not found.
 */
#include "sim/time_of_impact.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 4, MOST_PROBES = 40 };
enum { PLAIN_TRIALS = 6 };            /* after as many probes, every other one halves the bracket */
static const double ON_TIME = 1e-2;   /* of the band */
static const double NEARBY = 1e3;     /* widths of the band within which a point is looked for first, */
static const double FARTHER = 30;     /* factor by which the search widens while none is found, */
static const double FAR = 10;         /* and bodies beyond which all are looked at */
static const double ROUNDING = 4e-16; /* of the time: shorter intervals have no inside */

bool crd_sim_penetrates(const crd_group *group, const crd_sim_touch *touch) {
  return !touch->active && touch->at.gap < -group->scene->gap_tolerance &&
         touch->at.gap < touch->gap_before - group->scene->gap_tolerance;
}

bool crd_sim_any_penetrates(const crd_group *group) {
  for (int i = 0; i < group->trial->touches.count; i++)
    if (crd_sim_penetrates(group, &group->trial->touches.item[i])) return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------ the watch */

static bool is_watched(const crd_group *group, const crd_contact_point *at) {
  for (int i = 0; i < group->seek->nwatched; i++) {
    const crd_contact_point *w = &group->seek->watched[i];
    if (w->geomA == at->geomA && w->geomB == at->geomB && (at->geomA >= 0 || w->index == at->index)) return true;
  }
  return false;
}

/* Adds the pairs that overlap in the trial; are there any? */
static bool watch_penetrating(crd_group *group) {
  bool any = false;
  for (int i = 0; i < group->trial->touches.count; i++) {
    const crd_sim_touch *touch = &group->trial->touches.item[i];
    if (!crd_sim_penetrates(group, touch)) continue;
    any = true;
    if (group->seek->nwatched < group->scratch->touch_capacity && !is_watched(group, &touch->at))
      group->seek->watched[group->seek->nwatched++] = touch->at;
  }
  return any;
}

/* What points are recognised among, as they are at the end of the trial (src/sim/project.c): a point that is free here and
 * held there would close without an instant. */
static const crd_sim_touches *known_points(const crd_group *group) {
  return group->seen.constrained ? &group->rows->touches : &group->now.touches;
}

/* The nearest free point of the pair within the distance, if its gap is less than *gap. */
static crd_status look_at_pair(crd_group *group, const crd_contact_point *pair, double distance, const double *q,
                               const double *v, double *gap, double *closing) {
  crd_sim_touches found;
  crd_status status = crd_sim_detect_pair(group, pair->geomA, pair->geomB, distance, known_points(group), &found);
  for (int k = 0; status == CRD_OK && k < found.count; k++) {
    const crd_contact_point *point = &found.item[k].at;
    if (found.item[k].active || point->gap >= *gap) continue;
    *gap = point->gap;
    if (closing) *closing = crd_sim_closing_speed(group, group->stage->work, point, q, v, NULL);
  }
  return status;
}

/* Least gap of the watched pairs' free points at (q, v); *closing: the speed there, where it is asked for. Near ones
 * are looked for first: hulls have many that are not. */
static crd_status least_gap(crd_group *group, const double *q, const double *v, double *gap, double *closing) {
  *gap = INFINITY;
  crd_sim_place(group, q);
  if (closing) crd_tree_velocity(group->model, group->stage->work, v);
  for (int i = 0; i < group->seek->nwatched; i++) {
    const crd_contact_point *pair = &group->seek->watched[i];
    double nearest = INFINITY, speed = 0;
    crd_status status = CRD_OK;
    if (pair->geomA == CRD_SIM_LIMIT) {
      nearest = crd_sim_limit_gap(group, pair, q, v, &speed);
    } else {
      double *asked = closing ? &speed : NULL;
      for (double distance = NEARBY * group->scene->contact_band; status == CRD_OK && isinf(nearest);
           distance *= FARTHER) {
        status =
            look_at_pair(group, pair, distance < FAR * group->scene->size ? distance : INFINITY, q, v, &nearest, asked);
        if (!(distance < FAR * group->scene->size)) break;
      }
    }
    if (status != CRD_OK) return status;
    if (nearest < *gap && closing) *closing = speed;
    *gap = fmin(*gap, nearest);
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ bracketing */

typedef struct bracket {
  double lo, hi, g_lo, g_hi; /* g_lo > 0 > g_hi; NaN: not known */
  int side;                  /* which end moved last: -1 lo, 1 hi */
} bracket;

/* The root of g0 - c t + (...) t^2 that also passes through (dt, g1); the later one where a contact has just parted. */
static double parabola_root(double g0, double closing, double dt, double g1) {
  double b = -closing, a = (g1 - g0 - b * dt) / (dt * dt), root = b * b - 4 * a * g0;
  if (g0 <= 0 && b > 0 && a < 0) return -b / a; /* leaves, and returns */
  if (!(root >= 0)) return dt / 2;
  /* the root at which the gap falls: -b - sqrt(root) over 2 a, in the form without cancellation */
  double s = sqrt(root), tau = b < 0 ? 2 * g0 / (-b + s) : (-b - s) / (2 * a);
  return tau > 0 && tau < dt ? tau : dt / 2;
}

/* Regula falsi with halved end values (Illinois), or the middle. */
static double inside(const bracket *b, bool halve) {
  double middle = 0.5 * (b->lo + b->hi);
  if (halve || !(b->g_lo > 0) || !(b->g_hi < 0)) return middle;
  double tau = (b->lo * b->g_hi - b->hi * b->g_lo) / (b->g_hi - b->g_lo);
  return tau > b->lo && tau < b->hi ? tau : middle;
}

static void narrow(bracket *b, double tau, double g, bool overlaps) {
  if (overlaps) {
    if (b->side == 1) b->g_lo /= 2;
    b->hi = tau, b->g_hi = g, b->side = 1;
  } else {
    if (b->side == -1) b->g_hi /= 2;
    b->lo = tau, b->g_lo = g, b->side = -1;
  }
}

/* ------------------------------------------------------------------------------------------------ dense output */

/* The displacement from (now) to (trial) in the chart about (now), and its rate at the end. */
static void measure_motion(crd_group *group, double *way, double *rate) {
  const crd_model *model = group->model;
  CRD_EACH (group->part, link, j) {
    const crd_joint *joint = &model->joint[j];
    const double *q0 = group->now.q + joint->q, *q1 = group->trial->q + joint->q;
    int shifts = joint->type == CRD_BALL ? 0 : joint->type == CRD_FREE ? 3 : 1;
    for (int k = 0; k < shifts; k++) way[joint->v + k] = q1[k] - q0[k];
    if (joint->nv > 1) crd_quat_rotation_vector(way + joint->v + shifts, q0 + shifts, q1 + shifts);
  }
  crd_sim_chart_rate(group, way, group->trial->v, rate);
}

/* Position at the share s of the motion into stage_q. */
static void interpolate(crd_group *group, double dt, double s, const double *way, const double *rate) {
  double from = s * (1 - s) * (1 - s), to = s * s * (3 - 2 * s), end = s * s * (s - 1);
  CRD_EACH (group->part, v, k)
    group->stage->displacement[k] = dt * (from * group->now.v[k] + end * rate[k]) + to * way[k];
  crd_tree_part_integrate(group->model, group->part, group->now.q, group->stage->displacement, 1, group->stage->q);
}

/* The instant at which the least gap of the watched pairs falls through zero on the motion between (now) and the trial
 * over dt, which ends with the gap g1. */
static crd_status root_on_motion(crd_group *group, double dt, double g1, double *tau) {
  double *way = group->stage->scratch[0], *rate = group->stage->scratch[1], g0, closing = 0;
  measure_motion(group, way, rate);
  crd_status status = least_gap(group, group->now.q, group->now.v, &g0, &closing);
  if (status != CRD_OK) return status;
  bracket b = {.hi = dt, .g_lo = g0 > group->scene->gap_tolerance ? g0 : NAN, .g_hi = g1};
  *tau = parabola_root(g0, closing, dt, g1);
  for (int probe = 0; probe < MOST_PROBES && b.hi - b.lo > ROUNDING * (fabs(group->now.t) + dt); probe++) {
    double g;
    interpolate(group, dt, *tau / dt, way, rate);
    status = least_gap(group, group->stage->q, NULL, &g, NULL);
    if (status != CRD_OK) return status;
    if (fabs(g) <= group->scene->gap_tolerance / 2) break;
    narrow(&b, *tau, g, g < 0);
    *tau = inside(&b, probe > PLAIN_TRIALS && probe % 2);
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ the search */

/* The watched points of the trial that are closed to within `open` have struck. */
static void mark_strikes(crd_group *group, double open) {
  for (int i = 0; i < group->trial->touches.count; i++) {
    crd_sim_touch *touch = &group->trial->touches.item[i];
    touch->strikes = !touch->active && touch->at.gap <= open && is_watched(group, &touch->at);
  }
}

crd_status crd_sim_find_impact(crd_group *group, double *tau) {
  double dt = *tau, g, closing;
  group->seek->nwatched = 0;
  watch_penetrating(group);
  crd_status status = least_gap(group, group->trial->q, group->trial->v, &g, NULL);
  bracket b = {.hi = dt, .g_lo = NAN, .g_hi = g};
  if (status == CRD_OK) status = root_on_motion(group, dt, g, tau);
  for (int trial = 0; status == CRD_OK && trial < MOST_TRIALS; trial++) {
    status = crd_sim_attempt(group, *tau);
    if (status != CRD_OK) return status;
    bool overlaps = watch_penetrating(group);
    status = least_gap(group, group->trial->q, group->trial->v, &g, &closing);
    if (status != CRD_OK) return status;
    if ((!overlaps && g <= group->scene->gap_tolerance) || fabs(g) <= ON_TIME * group->scene->contact_band) {
      mark_strikes(group, fmax(group->scene->gap_tolerance, g));
      return CRD_OK;
    }
    narrow(&b, *tau, g, overlaps);
    double newton = *tau + g / closing;
    *tau = closing > 0 && newton > b.lo && newton < b.hi ? newton : inside(&b, false);
  }
  return status == CRD_OK ? CRD_UNKNOWN : status;
}
