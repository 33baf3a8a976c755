/* The inside of a simulation: data constant over a step, the groups that move, and records of the whole. */
#ifndef SRC_SIM_SIM_STATE_H
#define SRC_SIM_SIM_STATE_H

#include "collide/bvh.h"
#include "sim/group.h"

/* Things that act on trees, by groups: those of group g are item[first[g]] .. item[first[g + 1] - 1]. */
typedef struct crd_sim_group_list {
  int count, *item;
  int *first; /* ntree + 1 */
  int *tree;  /* count: a tree of each, -1: none */
} crd_sim_group_list;

/* The groups of trees that a step moves one after the other (src/sim/partition.c, local_time.c). */
typedef struct crd_sim_groups {
  crd_arena arena;
  int count;        /* 1: the whole moves, and the numbers are not set */
  crd_group *group; /* ntree, of which `count` move */
  crd_span *span;   /* ntree */
  int *forest;      /* ntree */
  int *number;      /* ntree: group of each tree */
  int dealt;        /* groups that have what is about their trees (src/sim/local_time.c), 0: the whole has it */
  int *holder;      /* ntree: the one that has it */
  double *piece;    /* ntree, s: as in a moment; where the whole has all */
  bool *asleep;     /* ntree: likewise */
  double *least;    /* ntree, m: reach of its geoms at least, in this step */
  crd_sim_group_list trees, loops, actuators, tendons;
  int *moving, nmoving;         /* geoms that move and can touch */
  int *boxed;                   /* trees that have such a geom and so a box */
  int *tree_of_geom;            /* ngeom, -1: fixed */
  double *pos, *R, *reach;      /* ngeom x 3, x 9, x 1: at the start of the step; how far from there, m */
  double *low, *high;           /* ngeom x 3: the boxes, */
  double *tree_low, *tree_high; /* ntree x 3: and those about them */
  crd_bvh bvh;
} crd_sim_groups;

/* Data of the last step for sensors (src/sim/sensors.c). */
typedef struct crd_sim_sensed {
  double *before; /* nv: velocities at its start */
  double *qacc;   /* nv: mean accelerations */
  double length;  /* s: of it, 0: there has been none since the reset */
  bool due;       /* data is not of the present state */
  double *fext;   /* nbody x 6 */
  double *data;   /* nsensordata */
  double unit[CRD_SIM_INERTIAL];
} crd_sim_sensed;

struct crd_sim {
  const crd_model *model;
  crd_sim_options options; /* as given, NaN and NULL replaced by their defaults; mu and e may be NaN */
  crd_arena arena;
  bool unfit;    /* the first state cannot be started from, and none has been set since */
  crd_sim *self; /* for lists that are made when they are asked for */
  crd_sim_scene scene;
  crd_sim_inputs inputs;
  crd_group whole; /* its state is that of the simulation */
  crd_sim_groups groups;
  crd_sim_scratch *scratch; /* nscratch: one for each thread; the whole works in the first */
  int nscratch;
  double *core_now; /* ngeom x 3: centres of spheres inside the geoms (src/sim/tunnel.c) */
  crd_sim_sensed sensed;
  double energy_start; /* J */
  double last_step;    /* s: its length, to which sleep refers */
  int last_contacts;   /* that took part in it */
};

/* Gathers the records of single groups into the whole, which keeps them until the next step. */
crd_status crd_sim_gather(crd_sim *sim);
crd_status crd_sim_gather_listed(crd_sim *sim);
/* Records the data of a step for sensors: at its start, and at its end, before the observer. */
void crd_sim_sense_start(crd_sim *sim);
void crd_sim_sense_end(crd_sim *sim, double h);
/* What the caller gives the step: checked, and whatever rests under other inputs woken; after the step the pushes are
 * spent. CRD_ERR_NUMBER: a control is not finite. */
crd_status crd_sim_inputs_begin(crd_sim *sim);
void crd_sim_inputs_end(crd_sim *sim);
/* All controls zero, no pushes. */
void crd_sim_inputs_clear(crd_sim *sim);
/* A state was set: the whole holds everything derived from it, and nothing is asleep. */
void crd_sim_begin_anew(crd_sim *sim);
/* Nothing is taken to rest from here on. */
void crd_sim_wake(crd_sim *sim);
/* One step of length h. */
crd_status crd_sim_advance(crd_sim *sim, double h);

#endif
