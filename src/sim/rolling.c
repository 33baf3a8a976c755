/* A pair that touches rolls from point to point: a foot onto its next corner, a hull over its facets.
 *
 * The further point closes with the turning of the bodies only. Where it does so slower than their weight makes a body in
 * a step, with a rebound that would come back within a step, it is no collision: its gap closes in the persistent
 * problem of the piece, which lets no contact rebound, and the projection puts it to zero. Its instant matters to
 * second order only, as that of a rebound's end does (src/sim/impact_event.c).
 */
#include "sim/rolling.h"

#include <cradle/linalg.h>

#include "sim/recognise.h"
#include "sim/time_of_impact.h"

void crd_rolling_forget(crd_group *group) { group->seek->nrolled = 0; }

/* A contact of the problem that the pair has; -1: it is not held. */
static int held_contact(const crd_group *group, const crd_sim_touch *touch) {
  const crd_sim_rows *rows = group->rows;
  for (int i = 0; i < rows->touches.count; i++)
    if (rows->touches.item[i].active && rows->contact_of[i] >= 0 && crd_touch_same_pair(&rows->touches.item[i], touch))
      return rows->contact_of[i];
  return -1;
}

static bool is_rolled_onto(const crd_group *group, const crd_sim_touch *touch) {
  int c = touch->at.geomA != CRD_SIM_LIMIT && touch->source >= 0 ? held_contact(group, touch) : -1;
  if (c < 0) return false;
  double e = group->rows->problem->contact[c].e, fall = group->options->timestep * crd_vec3_norm(group->model->gravity),
         u = crd_sim_closing_speed(group, group->stage->work, &touch->at, group->trial->q, group->trial->v, NULL);
  return e < 1 && u <= fall && 2 * e * u <= fall;
}

bool crd_rolling_holds(crd_group *group) {
  const crd_sim_touches *end = &group->trial->touches;
  int count = group->seek->nrolled;
  if (!group->seen.constrained) return false;
  for (int i = 0; i < end->count; i++) {
    if (!crd_sim_penetrates(group, &end->item[i])) continue;
    if (count == group->scratch->touch_capacity || !is_rolled_onto(group, &end->item[i])) return false;
    group->seek->rolled[count++] = group->rows->touches.item[end->item[i].source];
  }
  bool more = count > group->seek->nrolled;
  group->seek->nrolled = count;
  return more;
}

void crd_rolling_take(crd_group *group) {
  const crd_sim_touches *touches = &group->rows->touches;
  for (int k = 0; k < group->seek->nrolled; k++) {
    const crd_sim_touch *rolled = &group->seek->rolled[k];
    crd_sim_touch *nearest = NULL;
    double least = INFINITY;
    for (int i = 0; i < touches->count; i++) {
      crd_sim_touch *touch = &touches->item[i];
      if (touch->active || !crd_touch_same_pair(touch, rolled)) continue;
      double away = crd_touch_separation(touch, rolled);
      if (away < least) least = away, nearest = touch;
    }
    if (nearest) nearest->active = true;
  }
}
