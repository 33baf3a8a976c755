/* Contact forces at acceleration level: with given modes, and the modes themselves. */
#ifndef SRC_SIM_EVENT_FORCE_H
#define SRC_SIM_EVENT_FORCE_H

#include <cradle/impact.h>

#include "analysis/acceleration_rows.h"

/* What a closed contact does in a smooth phase. */
typedef enum crd_hold {
  CRD_HOLD_OPEN,  /* it opens: no force */
  CRD_HOLD_IDLE,  /* others carry what it could: no force, and its gap does not change */
  CRD_HOLD_STICK, /* normal and tangential velocity stay zero */
  CRD_HOLD_SLIP   /* normal velocity stays zero, friction mu f_n against d */
} crd_hold;

typedef struct crd_held {
  crd_hold hold;
  double d[2]; /* slip: unit direction along the tangent rows; zero without friction */
  bool bound;  /* slip: friction at its bound although nothing slides there (others stick) */
} crd_held;

/* Accelerations a = a_free + W f of the rows of a contact problem; a_free = J qacc_free + d/dt(J) qvel. */
typedef struct crd_force_problem {
  const crd_contact_problem *problem;
  const double *a_free; /* nrow + nb */
  double scale;         /* m/s^2; accelerations below 1e-8 of it are zero */
  bool share;           /* forces that are not unique are shared out (see below); else of least norm */
  /* for the choice of modes, each may be NULL */
  const bool *parts;   /* nc: contacts that part with a velocity and have no force */
  const double *bound; /* nb: of the force of a joint that is held by dry friction, infinite for loops */
  int *sign;           /* nb: of the acceleration of a joint that such a force cannot hold, 0: it holds */
} crd_force_problem;

typedef struct crd_force_answer {
  double *f;          /* nrow + nb: forces on all rows, zero where there are none */
  double *a;          /* nrow + nb: accelerations of the rows */
  int rows, rank;     /* of the equations */
  double determinant; /* of the equations, in units of the rows' compliances; 1 where rank < rows. Falls through zero
                         where friction makes sliding contact ill-posed (Painleve) */
  double rounding;    /* m/s^2: of the accelerations; what large forces between bodies of unlike mass leave */
} crd_force_answer;

/* Scratch of the equations, grown as needed. */
typedef struct crd_force_memory {
  crd_arena arena;
  int rows;
  double *A, *unit, *x, *scale, *weight, *work;
  int *order, *pivot;
  struct crd_force_unknown *unknown;
} crd_force_memory;

void crd_force_memory_free(crd_force_memory *memory);

/* What forces and modes are found with. */
typedef struct crd_force_tools {
  crd_coulomb_work *cones;     /* of the Coulomb solver */
  crd_force_memory *equations; /* of crd_force_solve */
  crd_arena *arena;            /* everything else, and the results */
  bool (*stop)(void *context); /* of crd_sim_options */
  void *context;
} crd_force_tools;

/* Forces that keep what the modes keep: a_n = 0 of all held contacts, a_t = 0 of sticking ones, bilateral rows. Least
 * norm where they are not unique; with `share` tangential forces are then in proportion to normal ones. CRD_SINGULAR:
 * the equations contradict each other. Arrays of the answer come from the arena of the tools. */
crd_status crd_force_solve(const crd_force_problem *force, const crd_held *held, const crd_force_tools *tools,
                           crd_force_answer *answer);

typedef enum crd_force_verdict {
  CRD_FORCE_UNIQUE,
  CRD_FORCE_NONE,   /* no force keeps the contacts from closing: Painleve */
  CRD_FORCE_SEVERAL /* several accelerations are possible; the one with the least contact force was taken */
} crd_force_verdict;

/* Modes of contacts that are closed and do not approach. slip (nc x 2): unit direction in which a contact slides, zero
 * where it is at rest. before: what they did until now, asked first, or NULL; known (nc): of which contacts that is
 * known. Contacts that do not act on each other are treated apart. CRD_OK with a verdict; other statuses: undecided.
 * Where force->sign says that joints begin to move, held is not set: the problem has to be made without their rows. */
crd_status crd_force_choose(const crd_force_problem *force, const double *slip, const crd_held *before,
                            const bool *known, const crd_force_tools *tools, crd_held *held,
                            crd_force_verdict *verdict);

#endif
