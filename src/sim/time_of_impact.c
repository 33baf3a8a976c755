/* The instant within a step at which a gap closes.
 *
 * The motion over tau of the step is integrated anew for every trial tau, so that the state found is one of the
 * integrator's own and no interpolation error enters. g(tau) is the least gap of the points that are not held, over the
 * pairs that overlap at the end. First guess: the parabola through g and its rate at the start and g at the end, exact
 * for a ballistic flight; then regula falsi with halved end values (Illinois), or bisection where that stalls. A pair
 * that turns out to close earlier joins the watch. Ends at |g| <= exact.
 */
#include "sim/time_of_impact.h"

#include <math.h>

enum { WATCHED = 32, MOST_TRIALS = 100 };
static const double AT_ONCE = 1e-2; /* of the step */
static const double NEARBY = 1e3;   /* widths of the band */

typedef struct watch {
  int count;
  int pair[WATCHED][2], side[WATCHED];
} watch;

bool crd_sim_penetrates(const crd_sim *sim, const crd_sim_touch *touch) {
  return !touch->touching && touch->at.gap < -sim->exact && touch->at.gap < touch->gap_before - sim->exact;
}

bool crd_sim_any_penetrates(const crd_sim *sim) {
  for (int i = 0; i < sim->trial.touches.count; i++)
    if (crd_sim_penetrates(sim, &sim->trial.touches.item[i])) return true;
  return false;
}

static bool is_watched(const watch *w, const crd_contact_point *at) {
  for (int i = 0; i < w->count; i++)
    if (w->pair[i][0] == at->geomA && w->pair[i][1] == at->geomB && (at->geomA >= 0 || w->side[i] == at->index))
      return true;
  return false;
}

/* Adds the pairs that overlap in the trial; are there any? */
static bool watch_penetrating(const crd_sim *sim, watch *w) {
  bool any = false;
  for (int i = 0; i < sim->trial.touches.count; i++) {
    const crd_sim_touch *touch = &sim->trial.touches.item[i];
    if (!crd_sim_penetrates(sim, touch)) continue;
    any = true;
    if (w->count == WATCHED || is_watched(w, &touch->at)) continue;
    w->pair[w->count][0] = touch->at.geomA, w->pair[w->count][1] = touch->at.geomB;
    w->side[w->count++] = touch->at.index;
  }
  return any;
}

/* The nearest free point of the pair within the distance, if its gap is less than *gap. */
static crd_status look_at_pair(crd_sim *sim, const int pair[2], double distance, const crd_sim_moment *at, double *gap,
                               double *closing) {
  crd_sim_touches found;
  crd_status status = crd_sim_detect_pair(sim, pair[0], pair[1], distance, &sim->now.touches, &found);
  for (int k = 0; status == CRD_OK && k < found.count; k++) {
    const crd_contact_point *point = &found.item[k].at;
    if (found.item[k].touching || point->gap >= *gap) continue;
    *gap = point->gap;
    if (closing) *closing = crd_sim_closing_speed(sim, point, at->q, at->v, NULL);
  }
  return status;
}

/* Least gap of the watched pairs' free points at the state of the last crd_sim_place; *closing: speed there, where it
 * is asked for. Near ones are looked for first: hulls have many that are not. */
static crd_status least_gap(crd_sim *sim, const watch *w, const crd_sim_moment *at, double *gap, double *closing) {
  *gap = INFINITY;
  for (int i = 0; i < w->count; i++) {
    double nearest = INFINITY, speed = 0;
    crd_status status = CRD_OK;
    if (w->pair[i][0] == CRD_SIM_LIMIT) {
      crd_contact_point limit = {.geomA = CRD_SIM_LIMIT, .geomB = w->pair[i][1], .index = w->side[i]};
      nearest = crd_sim_limit_gap(sim, &limit, at->q, at->v, &speed);
    } else {
      status = look_at_pair(sim, w->pair[i], NEARBY * sim->closed, at, &nearest, &speed);
      if (status == CRD_OK && isinf(nearest)) status = look_at_pair(sim, w->pair[i], INFINITY, at, &nearest, &speed);
    }
    if (status != CRD_OK) return status;
    if (nearest < *gap && closing) *closing = speed;
    *gap = fmin(*gap, nearest);
  }
  return CRD_OK;
}

/* The root of g0 - c t + (...) t^2 that also passes through (dt, g1); the later one where a contact has just parted. */
static double parabola_root(double g0, double closing, double dt, double g1) {
  double b = -closing, a = (g1 - g0 - b * dt) / (dt * dt), root = b * b - 4 * a * g0;
  if (g0 <= 0 && b > 0 && a < 0) return -b / a; /* leaves, and returns */
  if (!(root >= 0)) return 0.5 * dt;
  /* the root at which the gap falls: -b - sqrt(root) over 2 a, in the form without cancellation */
  double s = sqrt(root), tau = b < 0 ? 2 * g0 / (-b + s) : (-b - s) / (2 * a);
  return tau > 0 && tau < dt ? tau : 0.5 * dt;
}

typedef struct bracket {
  double lo, hi, g_lo, g_hi; /* g_lo > 0 > g_hi; NaN: not known */
  double before, after;      /* the gaps at lo and hi as they are, without the halving of Illinois */
  int side;                  /* which end moved last: -1 lo, 1 hi */
} bracket;

static double next_trial(const bracket *b, int trial) {
  double middle = 0.5 * (b->lo + b->hi);
  if (!(b->g_lo > 0) || !(b->g_hi < 0) || (trial > 8 && trial % 2)) return middle;
  double tau = (b->lo * b->g_hi - b->hi * b->g_lo) / (b->g_hi - b->g_lo);
  return tau > b->lo && tau < b->hi ? tau : middle;
}

static void narrow(bracket *b, double tau, double g, bool overlaps) {
  if (overlaps) {
    if (b->side == 1) b->g_lo /= 2;
    b->hi = tau, b->g_hi = b->after = g, b->side = 1;
  } else {
    if (b->side == -1) b->g_hi /= 2;
    b->lo = tau, b->g_lo = b->before = g, b->side = -1;
  }
}

/* A gap that falls a hundred times faster than the smallest body passes through itself within a step does not fall: it
 * jumps. */
static bool jumps(const crd_sim *sim, const bracket *b, double dt) {
  return (isfinite(b->before) && (b->before - b->after) * dt > 100 * sim->size * (b->hi - b->lo)) ||
         b->hi - b->lo <= 4e-16 * (fabs(sim->now.t) + dt);
}

/* The gap jumps (a mechanism that snaps back to its constraints): the last instant before counts as the impact, with
 * the gap that is left. Where that gap is wide, a point that was held ran along its body (the rim of a coin that lies
 * down) until it could not be told to be the same: the motion goes on from where it still is. */
static crd_status take_jump(crd_sim *sim, const bracket *b, double dt, double *tau) {
  bool open = b->lo > 0 && b->before > 0 && b->before <= 1e4 * sim->closed;
  *tau = open || b->lo > AT_ONCE * dt ? b->lo : b->hi;
  crd_status status = crd_sim_try(sim, *tau);
  if (status != CRD_OK || !open) return status;
  sim->jump = 2 * fmax(b->before, sim->exact);
  return crd_sim_detect_trial(sim, fmax(sim->closed, sim->jump));
}

/* Points of the band that close again at once, whatever the step, have to be held: they part too slowly to get
 * anywhere, or the way of other contacts back to their constraints closes them (near the dead point of a fold it is
 * long). Returns whether there was one. */
static bool hold_watched(crd_sim *sim, const watch *w) {
  bool any = false;
  crd_tree_kinematics(sim->model, sim->work, sim->now.q);
  crd_tree_velocity(sim->model, sim->work, sim->now.v);
  for (int k = 0; k < sim->now.touches.count; k++) {
    crd_sim_touch *touch = &sim->now.touches.item[k];
    if (touch->touching || !is_watched(w, &touch->at)) continue;
    if (crd_sim_closing_speed(sim, &touch->at, sim->now.q, sim->now.v, NULL) <= 0) any = touch->touching = true;
  }
  return any;
}

/* As crd_sim_find_impact; w: the pairs that close. */
static crd_status search(crd_sim *sim, double dt, double *tau, watch *w) {
  double g_end, g0, closing = 0;
  watch_penetrating(sim, w);
  crd_status status = least_gap(sim, w, &sim->trial, &g_end, NULL);
  crd_sim_place(sim, sim->now.q);
  crd_tree_velocity(sim->model, sim->work, sim->now.v);
  if (status == CRD_OK) status = least_gap(sim, w, &sim->now, &g0, &closing);
  if (status != CRD_OK) return status;
  bracket b = {.hi = dt, .g_lo = g0 > sim->exact ? g0 : NAN, .g_hi = g_end, .before = g0, .after = g_end};
  *tau = parabola_root(g0, closing, dt, g_end);
  for (int trial = 0; trial < MOST_TRIALS; trial++) {
    double g;
    status = crd_sim_try(sim, *tau);
    if (status != CRD_OK) return status;
    bool overlaps = watch_penetrating(sim, w);
    status = least_gap(sim, w, &sim->trial, &g, NULL);
    if (status != CRD_OK) return status;
    if (!overlaps && g <= sim->exact) return CRD_OK;
    narrow(&b, *tau, g, overlaps);
    if (jumps(sim, &b, dt)) break;
    *tau = next_trial(&b, trial);
  }
  return take_jump(sim, &b, dt, tau);
}

crd_status crd_sim_find_impact(crd_sim *sim, double dt, double *tau) {
  for (;;) {
    watch w = {0};
    crd_status status = search(sim, dt, tau, &w);
    if (status != CRD_OK || *tau > AT_ONCE * dt || !hold_watched(sim, &w)) return status;
    *tau = dt;
    status = crd_sim_try(sim, dt);
    if (status != CRD_OK || !crd_sim_any_penetrates(sim)) return status;
  }
}
