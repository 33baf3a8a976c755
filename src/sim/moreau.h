/* Moreau's and Jean's time stepping (src/sim/moreau.c): one Coulomb problem a step, whatever happens in it. */
#ifndef SRC_SIM_MOREAU_H
#define SRC_SIM_MOREAU_H

#include "sim/sim_state.h"

/* Rows are those of sim->problem: contacts, loops, dry friction of joints. */
typedef struct crd_moreau {
  crd_arena arena;
  crd_sim *sim;                 /* it belongs to */
  bool unlisted;                /* the last step's contacts are not in sim->contact yet */
  bool asleep;                  /* a further step of the length last_step leaves the state as it is */
  double last_step;             /* s */
  int points;                   /* of bodies, in sim->point */
  bool has_bias;                /* Coriolis or gyroscopic forces */
  int rows;                     /* room */
  double *p;                    /* impulses of the step */
  double *w, *u;                /* velocities without them, and after them; of loops with what is to be corrected */
  double *speed;                /* m/s: what velocities are judged by */
  double *before;               /* velocities at the start of the step */
  double *work;                 /* per contact, J */
  double *shift;                /* m, rad; per contact: multiplier of the projection, times compliance a displacement */
  double *gap;                  /* per contact: at the end of the step */
  crd_mode *mode;               /* per contact */
  crd_coulomb_contact *contact; /* the problem that is solved */
  crd_coulomb_bounded *bounded;
  int *bilateral;
  int *members; /* per contact: points that share its impulse */
} crd_moreau;

/* NULL: memory is out. */
crd_moreau *crd_moreau_new(crd_sim *sim);
void crd_moreau_free(crd_moreau *moreau);
/* The state has been set by another hand. */
void crd_moreau_reset(crd_moreau *moreau);

/* A step of length dt from (now) to (now). Fails only where the motion leaves the range of numbers, the mass matrix is
 * singular or memory is out. */
crd_status crd_sim_moreau(crd_sim *sim, double dt);

/* Contacts and names of the last step into sim->contact, where that is still to be done: a heap has thousands, and most
 * steps are not looked at. */
void crd_moreau_list(crd_moreau *moreau);

/* Multipliers moreau->shift >= 0 that part the contacts whose moreau->gap is negative (src/sim/moreau_project.c).
 * False: none is. */
bool crd_moreau_project(const crd_contact_problem *problem, crd_moreau *moreau, double tolerance);

#endif
