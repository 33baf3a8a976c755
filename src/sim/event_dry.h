/* Dry friction of joints in the event-driven integrator. */
#ifndef SRC_SIM_EVENT_DRY_H
#define SRC_SIM_EVENT_DRY_H

#include "sim/event_force.h"
#include "sim/sim_state.h"

/* One velocity with dry friction. */
typedef struct crd_dry {
  int dof;
  double bound;  /* N, N m */
  int sign;      /* of its velocity; 0: it sticks */
  double offset; /* of its margin, see event_search.c */
} crd_dry;

typedef struct crd_dries {
  crd_arena arena;
  crd_dry *item;
  int count;
  double *column;                /* nv */
  crd_contact_problem *extended; /* with a bilateral row for each that sticks */
} crd_dries;

crd_status crd_dry_init(crd_dries *dries, const crd_model *model);
void crd_dry_free(crd_dries *dries);

/* Who moves at v, and which way; who does not, sticks. */
void crd_dry_begin(crd_dries *dries, const double *v, int nv);
/* Adds the friction of those that move to qacc, and its power. The workspace has the factor of the state. */
void crd_dry_push(const crd_sim *sim, crd_dries *dries, const double *v, double *qacc, double *power);
/* The problem with the rows of those that stick behind its bilateral rows; the problem itself where there are none.
 * NULL: memory is out. */
const crd_contact_problem *crd_dry_extend(const crd_sim *sim, crd_dries *dries, const crd_contact_problem *problem);
/* For the rows of the extended problem behind the nb of loops: bounds of those that stick, infinite for loops, and no
 * signs. */
void crd_dry_bounds(const crd_dries *dries, int nb, double *bound, int *sign);
/* Joints whose row has a sign begin to move. False: none does. */
bool crd_dry_take_signs(crd_dries *dries, int nb, const int *sign);
/* How far item i is from changing, as a share of its bound or of speed; f of the extended problem. */
double crd_dry_margin(const crd_dries *dries, int i, const crd_contact_problem *extended, const double *f,
                      const double *v, double speed);

#endif
