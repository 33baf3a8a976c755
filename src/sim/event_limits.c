/* Limits of joints in the event-driven integrator: contacts without friction that have no points. The contact problem
 * has those within its limit_distance, so they are told apart by joint and side, not by their place. */
#include <math.h>

#include "sim/event.h"

int crd_limit_key(const crd_contact_problem *problem, int c) {
  const crd_contact *contact = &problem->contact[c];
  if (contact->npoint > 0 || contact->joint < 0) return 0;
  return contact->upper ? -(contact->joint + 1) : contact->joint + 1;
}

int crd_limit_place(const crd_event_driven *event, int c) {
  if (c < event->npointcontact) return c;
  for (int k = event->npointcontact; k < event->problem->nc; k++)
    if (crd_limit_key(event->problem, k) == event->contact[c].key) return k;
  return -1;
}

crd_sim_touch *crd_limit_touch(const crd_group *group, int key) {
  for (int i = 0; i < group->now.touches.count; i++) {
    crd_sim_touch *touch = &group->now.touches.item[i];
    if (touch->at.geomA != CRD_SIM_LIMIT) break; /* limits come first */
    if ((touch->at.index ? -1 : 1) * (touch->at.geomB + 1) == key) return touch;
  }
  return NULL;
}

bool crd_limit_holds(const crd_group *group, int key) {
  const crd_sim_touch *touch = crd_limit_touch(group, key);
  return touch && touch->active;
}

double crd_limit_distance(const crd_group *group, const double *q) {
  double distance = group->scene->gap_tolerance;
  for (int i = 0; i < group->now.touches.count; i++) {
    const crd_sim_touch *touch = &group->now.touches.item[i];
    if (touch->at.geomA != CRD_SIM_LIMIT) break;
    double gap = touch->active ? crd_sim_limit_gap(group, &touch->at, q, NULL, NULL) : 0;
    if (isfinite(gap)) distance = fmax(distance, gap);
  }
  return distance;
}
