/* Limits of joints in the event-driven integrator: contacts without friction that have no points. The contact problem
 * has those within its limit_distance, so they are told apart by joint and side, not by their place. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>

#include "sim/event.h"

int crd_limit_key(const crd_contact_problem *problem, int c) {
  const crd_contact *contact = &problem->contact[c];
  if (contact->npoint > 0 || contact->joint < 0) return 0;
  const double *row = problem->J + (size_t)problem->nv * (size_t)contact->row;
  int first = 0;
  while (first + 1 < problem->nv && row[first] == 0) first++;
  /* a ball joint has one limit only, whose row may have any signs */
  bool single = true;
  for (int k = first + 1; k < problem->nv; k++) single = single && row[k] == 0;
  return single && row[first] < 0 ? -(contact->joint + 1) : contact->joint + 1;
}

int crd_limit_place(const crd_event *event, int c) {
  if (c < event->npointcontact) return c;
  for (int k = event->npointcontact; k < event->problem->nc; k++)
    if (crd_limit_key(event->problem, k) == event->contact[c].key) return k;
  return -1;
}

bool crd_limit_holds(const crd_event *event, int key) {
  for (int k = 0; k < event->kept.limits; k++)
    if (event->kept.limit[k] == key) return true;
  return false;
}

double crd_limit_distance(const crd_sim *sim, const double *q) {
  const crd_event *event = sim->event;
  double distance = sim->exact;
  for (int k = 0; k < event->kept.limits; k++) {
    int key = event->kept.limit[k];
    const crd_contact_point limit = {.geomA = CRD_SIM_LIMIT, .geomB = abs(key) - 1, .index = key < 0};
    double gap = crd_sim_limit_gap(sim, &limit, q, NULL, NULL);
    if (isfinite(gap)) distance = fmax(distance, gap);
  }
  return distance;
}

/* Gap of a ball joint's limit and its rate. */
static double ball_gap(const crd_joint *joint, const double *q, const double *v, double *rate) {
  double length = crd_vec3_norm(q + 1), angle = 2 * atan2(length, fabs(q[0]));
  *rate = length > 0 ? -copysign(1, q[0]) * crd_vec3_dot(q + 1, v) / length : 0;
  return joint->range[1] - angle;
}

void crd_limit_gaps(const crd_sim *sim, const double *q, const double *v, double *least, double *reached) {
  const crd_event *event = sim->event;
  for (int j = 0; event->has_limits && j < sim->model->njoint; j++) {
    const crd_joint *joint = &sim->model->joint[j];
    if (!joint->limited || joint->type == CRD_FREE) continue;
    for (int side = 0; side < (joint->type == CRD_BALL ? 1 : 2); side++) {
      double gap, rate;
      if (crd_limit_holds(event, side ? -(j + 1) : j + 1)) continue;
      if (joint->type == CRD_BALL) {
        gap = ball_gap(joint, q + joint->q, v + joint->v, &rate);
      } else {
        gap = side ? joint->range[1] - q[joint->q] : q[joint->q] - joint->range[0];
        rate = side ? -v[joint->v] : v[joint->v];
      }
      if (rate >= -1e-12) continue;
      *least = fmin(*least, gap), *reached = fmin(*reached, gap / -rate);
    }
  }
}
