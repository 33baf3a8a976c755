/* The choice of modes of closed contacts that act on each other (event_choose.c), and the ways to a first answer. */
#ifndef SRC_SIM_EVENT_CHOICE_H
#define SRC_SIM_EVENT_CHOICE_H

#include "sim/event_force.h"

typedef struct crd_choice {
  const crd_force_problem *force;
  const crd_contact_problem *given;
  const double *slip;
  const crd_force_tools *tools;
  int m;         /* rows */
  double *f, *a; /* m: the answer of the way taken, forces and accelerations */
} crd_choice;

/* Accelerations of the choice below this share of its scale are zero. */
#define CRD_CHOICE_ZERO 1e-8

/* Slides with a velocity: its friction is known. Has friction at all. */
bool crd_choice_slides(const crd_choice *choice, int contact);
bool crd_choice_rubs(const crd_contact *contact);
/* Length of the tangential part of rows x of a contact. */
double crd_choice_tangential(const crd_contact *contact, const double *x);
/* Is f more than nothing at this contact? */
bool crd_choice_carries(const crd_choice *choice, int contact, const double *f);
/* a = a_free + W f */
void crd_choice_accelerate(crd_choice *choice);

/* The contact LCP with facets (event_lcp.c). */
crd_status crd_choice_by_lcp(crd_choice *choice, crd_force_verdict *verdict);
/* Can sliding friction leave the contacts without a force, or with several? Only the LCP tells. */
bool crd_choice_is_doubtful(const crd_choice *choice);
/* The round cones, friction of joints among them (event_cones.c); signs of joints that begin to move go to force->sign.
 * False: no answer. */
bool crd_choice_by_cones(crd_choice *choice);

#endif
