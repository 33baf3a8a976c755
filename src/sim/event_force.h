/* Forces of a smooth phase: they maintain the constraints of its modes, smoothly continued along the motion. */
#ifndef SRC_SIM_EVENT_FORCE_H
#define SRC_SIM_EVENT_FORCE_H

#include <cradle/contact.h>
#include <cradle/coulomb.h>

/* State of a closed contact, or of a joint with dry friction, in a phase. */
typedef enum crd_phase_kind {
  CRD_PHASE_UNKNOWN, /* not known yet */
  CRD_PHASE_OPEN,    /* it opens: no force. Contacts only, as IDLE */
  CRD_PHASE_IDLE,    /* others carry its load: no force, and its gap does not change */
  CRD_PHASE_STICK,   /* normal and tangential velocity stay zero; the joint does not move */
  CRD_PHASE_SLIP     /* normal velocity stays zero, friction mu f_n (of a joint: its bound) against d */
} crd_phase_kind;

typedef struct crd_phase_mode {
  crd_phase_kind kind;
  double d[2]; /* slip: unit direction along the tangent rows, zero without friction; of a joint: sign, 0 */
  bool tied;   /* slip: friction at its bound, but others keep it from moving */
  double turn; /* turns: a_t along d over friction, 1/kg: what a force across d adds to a_t across it by turning d */
  bool turns;  /* slip of a spatial contact from rest: free to turn, with d nearly the direction of its acceleration */
} crd_phase_mode;

/* Which unknowns of a phase have an equation of their own, the others depend on these. Found by the first solution of the
 * phase and kept, or forces would jump with every row that comes near to depending on others. */
typedef struct crd_force_rows {
  bool *taken; /* count, of room */
  int count, room;
} crd_force_rows;

/* Accelerations a = a_free + W f of the rows of a contact problem; a_free = J qacc_free + d/dt(J) qvel. Units are its nc
 * contacts, then the ndry joints with dry friction, which are its last bilateral rows. */
typedef struct crd_force_problem {
  const crd_contact_problem *problem;
  int ndry;
  const double *bound;  /* ndry: N, N m */
  const double *a_free; /* nrow + nb */
  double scale;         /* m/s^2; of the accelerations that the forces cancel */
  crd_force_rows *rows; /* of the phase; NULL: this problem stands alone */
} crd_force_problem;

typedef struct crd_force_answer {
  double *f;          /* nrow + nb: forces on all rows, zero where there are none */
  double *a;          /* nrow + nb: accelerations of the rows */
  double determinant; /* of the equations, in units of the rows' compliances; 1 where rows depend on each other. Falls
                         through zero where friction makes sliding contact ill-posed (Painleve) */
} crd_force_answer;

/* Scratch of the equations, grown as needed. */
typedef struct crd_force_memory {
  crd_arena arena;
  int rows;
  double *A, *unit, *x, *scale, *work;
  int *order, *pivot;
  struct crd_force_unknown *unknown;
} crd_force_memory;

void crd_force_memory_free(crd_force_memory *memory);

/* Working memory for forces and modes. */
typedef struct crd_force_tools {
  crd_coulomb_work *cones;     /* of the Coulomb solver */
  crd_force_memory *equations; /* of crd_force_solve */
  crd_arena *arena;            /* everything else, and the results */
  bool (*stop)(void *context); /* of crd_sim_options */
  void *context;
} crd_force_tools;

/* Row of joint k with dry friction. */
int crd_force_dry_row(const crd_force_problem *force, int k);

/* Forces that keep what the modes (nc + ndry) keep: a_n = 0 of contacts that carry, a_t = 0 of sticking ones, bilateral
 * rows, and a_t across d where d turns. Where they are not unique the nearest to `base` (nrow + nb; NULL: zero), see event_force.c. CRD_SINGULAR: the
 * equations contradict each other. Arrays of the answer come from the arena of the tools. */
crd_status crd_force_solve(const crd_force_problem *force, const crd_phase_mode *mode, const double *base,
                           const crd_force_tools *tools, crd_force_answer *answer);

/* In how many directions the modes leave the accelerations of these rows, which are none of their equations, free; 0: in
 * none. Where it is 1 of 2 rows, unit vector d (2; may be NULL): in which. CRD_ERR_MEMORY. */
crd_status crd_force_freedom(const crd_force_problem *force, const crd_phase_mode *mode, const int *row, int count,
                             const crd_force_tools *tools, int *freedom, double *d);

#endif
