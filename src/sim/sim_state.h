/* The inside of a simulation: its state, the contacts it keeps from step to step, its memory, and what the parts of the
 * layer ask of each other. docs/simulation.md has the scheme.
 *
 * A contact lives as a crd_sim_touch from the step in which it comes into the band |gap| <= contact_band until it
 * leaves it.
 * `active` says that it is held by the persistent contact problem; one that is in the band but falls towards its
 * impact, or has just rebounded, is not.
 */
#ifndef SRC_SIM_SIM_STATE_H
#define SRC_SIM_SIM_STATE_H

#include <cradle/sim.h>

#include "collide/bvh.h"
#include "contact/problem.h"
#include "model/part.h"
#include "sim/zeno.h"
#include "tree/parts.h"

/* A point of contact of the present state, or a joint at a limit: at.geomA is then CRD_SIM_LIMIT, at.geomB the joint
 * (from njoint on: a tendon),
 * at.index 0 for the lower and 1 for the upper limit (0 for that of a ball joint), at.gap in m or rad. */
enum { CRD_SIM_LIMIT = -1 };
/* What a contact does to its bodies, as a mean over a step. */
typedef struct crd_touch_force {
  crd_mode mode;
  double normal;      /* N, or N m of a limit */
  double friction[3]; /* N, world axes, on body1 */
  double moment[3];   /* N m, the same: of torsional and rolling friction */
} crd_touch_force;

typedef struct crd_sim_touch {
  crd_contact_point at;
  char name[CRD_CONTACT_NAME]; /* of the contact it belongs to; "" while it has not been in a problem */
  int source;                  /* where it was found in the list it was recognised from, -1: nowhere */
  double local[2][3]; /* the point in the frames of geomA and geomB: by these a point is found again in the next step */
  int phase;          /* event driven: 1 + the contact that it was at the start of the phase; 0: none */
  bool starts;        /* event driven: it slides from rest, and slowly still */
  bool active;        /* held by the persistent contact problem */
  bool strikes;       /* the search for the instant of an impact ended at it */
  double gap_before;  /* at the start of the step; infinite where it was not in the band */
  crd_touch_force force; /* over the last step; zero after an impact, but for its mode */
  crd_touch_force
      guess; /* of the last solution it took part in, which impacts do not erase: the next one begins with it */
  double velocity[3]; /* m/s, world axes: of the bodies relative to each other, as the last solution has it; NaN: it
                       * was in none */
} crd_sim_touch;

typedef struct crd_sim_touches {
  crd_sim_touch *item; /* in the order of crd_collide */
  int count;
} crd_sim_touches;

/* Work done since the reset, J; the sums of crd_sim_energy. */
typedef struct crd_sim_work {
  double actuation, damping, impact, contact, loop, imposed;
} crd_sim_work;

/* The impacts of a pair of bodies, or of a body and the limit of a joint, of which the last was within a step. */
typedef struct crd_sim_rebound {
  int body1, body2, joint;
  crd_zeno_series series;
} crd_sim_rebound;

/* Energy put in by contacts since the reset, J: gain_max, gain_sum, law_gain_max of crd_sim_energy. */
typedef struct crd_sim_gain {
  double most, sum, by_law;
} crd_sim_gain;

/* A state and what led to it; the present one, and the one that a step tries. */
typedef struct crd_sim_moment {
  double t;
  double *q, *v; /* nq, nv */
  double *act;   /* nact: activations of actuators */
  double *load;  /* nv: generalised forces of contacts, limits and dry friction in the last step, N or N m */
  double *dry;   /* nv: of these the dry friction */
  crd_sim_touches touches;
  crd_sim_work work;
  double piece; /* s: a coarse motion is made in pieces of at most this; infinite: in whole steps; 0: after Moreau and
                 * Jean, since more than max_impacts contacts closed in the last one */
} crd_sim_moment;

/* What all trials of a piece share: (now) evaluated once (src/sim/free_motion.c). */
typedef struct crd_sim_begin {
  crd_workspace *work;              /* kinematics, velocities and factor of M at (now) */
  crd_contact_assembler *assembler; /* of the loops there, */
  crd_contact_problem *loops;       /* factored */
  bool *loop_row;                   /* of all rows that the loops could have: the independent ones, */
  bool knows_loop_rows;             /* for all stages of the step */
  double *qacc;                     /* nv: accelerations without contacts and loops */
  double *loaded;                   /* nv: with the load of (now) and loops, where known */
  bool knows_loaded;
  double *driven;            /* nv: forces of actuators, control and medium */
  double *drag;              /* nv: of the medium alone */
  double *decay, *drive;     /* nact: a' = -decay a + drive (src/sim/activation.c) */
  double actuation, damping; /* W: powers */
  double kinetic, potential; /* J */
  double (*velocity)[3];     /* touch_capacity: relative velocity of the bodies at each touch, m/s, world axes */
  bool implicit;             /* joint forces are steep: the free motion is that of src/sim/stiff_motion.c */
  double longest;            /* s: oscillations of joints are followed in pieces of at most this */
} crd_sim_begin;

/* The forces that the free motion of a trial runs with, and those that its Coulomb problem begins with: of the last
 * step, or those that a first trial over the piece has found. */
typedef struct crd_sim_forecast {
  bool acts;                      /* there are forces */
  bool fresh;                     /* they were found by a trial of this piece, not carried over from the last step */
  double *load, *dry;             /* nv: as in a moment */
  crd_touch_force *force, *guess; /* touch_capacity: of the touches at (now) */
} crd_sim_forecast;

/* How a trial treats contacts (src/sim/constrain.c). */
typedef struct crd_sim_scheme {
  bool capture;  /* all points whose gap may close take part; else those that persist */
  bool at_start; /* with rows and mass matrix of the start, else of the end of the free motion */
  double theta;  /* positions change by theta dt times what contacts change the velocity by */
} crd_sim_scheme;
extern const crd_sim_scheme crd_sim_persistent, crd_sim_capture, crd_sim_moreau;

/* What a trial showed. */
typedef struct crd_sim_seen {
  bool constrained;  /* there were contacts, loops or joint friction to hold; sim->rows.problem is theirs */
  bool still;        /* nothing moves, and the forces of the last step hold it */
  bool failed;       /* the residual of the problem is not what was asked for */
  bool misled;       /* the forecast does not fit: a contact is not found where it leads, or has turned too far */
  bool coarse;       /* too long for the free motion */
  double missed;     /* J: change of the energy that the ledger does not explain */
  double residual;   /* largest of the islands */
  double loop_error; /* m, rad: of the loop rows that are held, */
  double loop_open;  /* and of all, those that depend on others included */
} crd_sim_seen;

/* A row that a projection closes. */
typedef struct crd_sim_chosen {
  int contact; /* of the problem; -1: the row is of a loop */
  int row, island;
  bool opens;   /* it may end up open */
  bool active;  /* it does not, as far as known */
  double error; /* m, rad, or m/s, rad/s: what is to be added */
} crd_sim_chosen;

/* What the model is like: set once. */
typedef struct crd_sim_scene {
  double mass;          /* kg; of all that moves */
  double size;          /* m; of the smallest body that can touch another, at least 1e-3 of the largest */
  double contact_band;  /* m; half the permitted penetration: a smaller gap is a contact */
  double gap_tolerance; /* m; error of a gap at the instant of an impact */
  bool has_forces;      /* actuators, control, springs, dampers or carried weight: more than gravity moves it */
  bool has_bias;        /* there are Coriolis or gyroscopic forces */
  double *thickness;    /* ngeom: radius of a sphere that fits in (src/sim/tunnel.c) */
  bool *moves;          /* ngeom: it moves and can touch */
  int *tree_of_dof;     /* nv: number of the tree that the velocity belongs to */
  int ntree;
} crd_sim_scene;

/* The stages of a free motion, and whatever else is evaluated at a state beside (now) and the rows. */
typedef struct crd_sim_stage {
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *loops;       /* the loops alone */
  double *ctrl, *tau;               /* nactuator, nv */
  double *drag;                     /* nv: the share of the medium in tau, zero where there is none */
  double *q, *v, *rate[4], *acc[4]; /* nq, nv, 4 x nv, 4 x nv */
  double *chart;                    /* nv: a displacement */
  double *act, *act2, *drive[4];    /* nact: activations, those of the second stage, what drives them */
  double *free_v;                   /* nv: velocities at the end of the free motion */
} crd_sim_stage;

/* Contacts, limits, loops and dry friction as rows of one problem: those of a trial (src/sim/constrain.c), where work and
 * assembler are theirs, or of an impact. */
typedef struct crd_sim_rows {
  crd_contact_problem *problem;
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_coulomb_work *coulomb;
  crd_sim_touches touches;  /* at the end of the free motion */
  int *touch_of;            /* touch_capacity: first touch of each contact of the problem, */
  int *contact_of;          /* touch_capacity: contact of the problem for each touch, or -1, */
  bool *take;               /* touch_capacity: touches that take part */
  crd_contact_point *point; /* touch_capacity: that it was assembled of, */
  int npoint;               /* and their number */
  crd_arena arena;          /* of what follows, for `capacity` rows */
  int capacity;
  double *p, *u;  /* rows of J, then dry friction: impulses and final velocities */
  double *w;      /* velocities without them */
  double *before; /* velocities at the start of the step */
  double *speed;  /* of what each row compares, before it cancels */
  double *scratch;
  int *island;    /* of each row */
  double *done;   /* per contact: its work in the trial */
  int *members;   /* per contact: points that share it */
  crd_mode *mode; /* per contact */
  crd_coulomb_contact *cone;
  crd_coulomb_bounded *bounded;
  int *bilateral;
} crd_sim_rows;

/* Rows that a projection closes (src/sim/project.c, least_change.c). */
typedef struct crd_sim_closing {
  double *gap;             /* of each contact */
  crd_contact_point *near; /* of each contact: its nearest point */
  crd_sim_chosen *chosen;  /* the rows that are closed */
  double *shift;           /* multipliers of a projection by sweeps */
  int *place;
  double *matrix; /* matrix_capacity: of the rows of one island */
  size_t matrix_capacity;
  crd_arena arena; /* of the matrix */
} crd_sim_closing;

/* Per tree. */
typedef struct crd_sim_trees {
  double *piece;        /* s: as in a moment, for the next step */
  bool *asleep;         /* a further step of the same length leaves it as it is */
  double *piece_before; /* both at the start of the step */
  bool *asleep_before;
  bool *skipped; /* this step does */
  int *group;    /* one of those that contacts join it with (src/sim/groups.c) */
  int *tally;    /* contacts of all these */
  bool *rests;   /* before and after the step */
  bool *struck;  /* an impact reaches it */
} crd_sim_trees;

/* Things that act on trees, by groups: those of group g are item[first[g]] .. item[first[g + 1] - 1]. */
typedef struct crd_sim_group_list {
  int count, *item;
  int *first; /* ntree + 1 */
  int *tree;  /* count: a tree of each, -1: none */
} crd_sim_group_list;

/* The groups of trees that a step moves one after the other (src/sim/partition.c, local_time.c). */
typedef struct crd_sim_groups {
  crd_arena arena;
  int count;      /* 1: all trees together, the rest is not set */
  int current;    /* the one that is moved, -1: all */
  bool strayed;   /* a geom has left its bounds */
  crd_span *span; /* ntree */
  int *forest;    /* ntree */
  int *number;    /* ntree: group of each tree */
  double *least;  /* ntree, m: reach of its geoms at least, in this step */
  crd_sim_group_list trees, loops, actuators, tendons, touches;
  crd_sim_touches gathered;     /* of the groups that have been moved */
  int *moving, nmoving;         /* geoms that move and can touch */
  int *boxed;                   /* trees that have such a geom and so a box */
  int *tree_of_geom;            /* ngeom, -1: fixed */
  double *pos, *R, *reach;      /* ngeom x 3, x 9, x 1: at the start of the step; how far from there, m */
  double *low, *high;           /* ngeom x 3: the boxes, */
  double *tree_low, *tree_high; /* ntree x 3: and those about them */
  crd_bvh bvh;
} crd_sim_groups;

/* Events of a step with several groups, until it stands (src/sim/told.c). */
typedef struct crd_sim_told {
  crd_arena arena;
  bool holds, full;
  int count, capacity;
  crd_sim_event *event;
  char *name;     /* capacity x CRD_CONTACT_NAME */
  double *state;  /* capacity x (nq + 2 nv): q, v, v_minus */
  double *added;  /* N s: normal impulses since the last event of its group */
  double impulse; /* N s: at that one, */
  double start;   /* and at the start of the step */
  int *order, *scratch;
} crd_sim_told;

/* The law on an impact (src/sim/impact_event.c). */
typedef struct crd_sim_law {
  crd_impact_result result;
  bool drawn_back; /* its answer is less than what the law gives, which would have brought energy */
  double *rates;   /* touch_capacity: of a set-valued law */
} crd_sim_law;

/* Contacts of the last step, as they are reported. */
typedef struct crd_sim_listed {
  crd_sim_contact *contact; /* touch_capacity */
  int ncontact;
  char *name;             /* touch_capacity x CRD_CONTACT_NAME */
  crd_name_table by_name; /* where a contact is in this list */
  bool due;               /* those of the last piece are not in it yet */
} crd_sim_listed;

typedef struct crd_sim_ledger {
  double energy_start;
  crd_sim_gain gain;
  crd_sim_counters counters;
  crd_sim_rebound *rebound; /* nrebound, room for rebound_capacity */
  int nrebound, rebound_capacity;
  crd_arena rebound_arena;
} crd_sim_ledger;

/* Detection of points (src/sim/touches.c, recognise.c). */
typedef struct crd_sim_seek {
  crd_collider *collider;
  double *pos, *R;            /* ngeom x 3, x 9: poses of the geoms */
  double *pos_now;            /* ngeom x 3: positions at (now) */
  crd_sim_touch *pair;        /* touch_capacity: points of one pair */
  crd_contact_point *point;   /* touch_capacity: from crd_collide */
  bool *known, *keep;         /* touch_capacity: of the points of a large patch */
  crd_contact_point *watched; /* touch_capacity: pairs and limits that close in the step, */
  int nwatched;               /* and their number */
} crd_sim_seek;

/* What sensors read of the last step (src/sim/sensors.c). */
typedef struct crd_sim_sensed {
  double *before; /* nv: velocities at its start */
  double *qacc;   /* nv: mean accelerations */
  double length;  /* s: of it, 0: there has been none since the reset */
  bool due;       /* data is not of the present state */
  double *fext;   /* nbody x 6 */
  double *data;   /* nsensordata */
} crd_sim_sensed;

/* A wrench on a body over a step: moment about its centre of mass and force, world axes. */
typedef struct crd_sim_push {
  int body;
  double moment[3], force[3]; /* N m, N */
} crd_sim_push;

/* What the caller drives the simulation with from outside (src/sim/inputs.c). */
typedef struct crd_sim_inputs {
  double *ctrl;             /* nactuator: written by the caller, */
  double *ctrl_before;      /* and as the last step found it */
  crd_sim_push *next;       /* nbody: pushes of the next step, */
  crd_sim_push *last;       /* and of the last one */
  int nnext, nlast;         /* and their numbers */
  bool forces_without_push; /* what scene.has_forces is in a step without pushes */
} crd_sim_inputs;

/* A step that leaves the state as it is need not be computed again. */
typedef struct crd_sim_sleep {
  bool asleep; /* so does a further step of the length last_step */
  double last_step;
  int last_contacts; /* that took part in it */
} crd_sim_sleep;

struct crd_sim {
  const crd_model *model;
  crd_sim_options options; /* as given, NaN and NULL replaced by what they stand for; mu and e may be NaN */
  crd_arena arena;
  crd_arena touch_arena; /* of the lists of touches and contacts, */
  int touch_capacity;    /* which have room for so many */
  char message[256];
  bool unfit;    /* the first state cannot be started from, and none has been set since */
  crd_sim *self; /* for lists that are made when they are asked for */

  /* what the start changed (src/sim/start.c) */
  bool loops_as_drawn;    /* what nothing shuts of the loops is part of the mechanism */
  int *ignored, nignored; /* pairs of geoms that do not touch: nothing parts them */

  crd_sim_scene scene;
  crd_part part;                    /* the trees that are moved at present; all that follows is about these, or all */
  crd_sim_moment now, trial, start; /* start: of the step, to which a failed one returns, */
  struct {
    crd_sim_rebound *rebound;
    int nrebound;
    crd_sim_gain gain;
    crd_sim_counters counters;
  } before_step; /* and to this */
  crd_sim_begin begin;
  crd_sim_forecast forecast;
  crd_sim_seen seen;
  crd_sim_stage stage;
  crd_sim_seek seek;
  crd_sim_rows rows;
  crd_sim_closing closing;
  crd_sim_trees trees;
  crd_sim_groups groups;
  crd_sim_told told;
  crd_sim_law law;
  crd_sim_listed listed;
  crd_sim_ledger ledger;
  crd_sim_sensed sensed;
  crd_sim_inputs inputs;
  crd_sim_sleep sleep;
  struct crd_stiff *stiff; /* of joint forces that may be steep (src/sim/stiff_motion.c), NULL where none can */
  struct crd_event *event; /* of the event-driven integrator, NULL for the others */
};

/* ------------------------------------------------------------------------------------------------ free motion */

/* Evaluates (now) for the trials of a piece that begins there, into sim->begin. CRD_SINGULAR. */
crd_status crd_sim_begin_piece(crd_sim *sim);
/* Accelerations at (now) with the load (NULL: none), loops included. After crd_sim_begin_piece. */
void crd_sim_begin_acceleration(crd_sim *sim, const double *load, double *qacc);
/* Free motion over dt from (now) to (trial), under the load of the forecast: q, v and the work of actuators and
 * dampers; contacts are not looked at. Verdict: CRD_SINGULAR, or CRD_LIMIT (implicit midpoint did not converge). */
crd_status crd_sim_free_motion(crd_sim *sim, double dt);
/* Free velocity by linearly implicit Euler into (trial); leaves kinematics, velocities and the factor of Mh at (now) in
 * rows.work. */
crd_status crd_sim_implicit_euler(crd_sim *sim, double dt);

/* qacc and the powers of actuators and dampers at a state; leaves kinematics, velocity and factor in the workspace. */
crd_status crd_sim_acceleration(crd_sim *sim, double t, const double *q, const double *v, const double *act,
                                double *qacc, double *actuation, double *damping);

/* Forces of control and actuators at a state, into sim->stage.tau; sim->stage.ctrl: the controls. */
void crd_sim_drive(crd_sim *sim, double t, const double *q, const double *v, const double *act);
/* Accelerations by sim->stage.tau, springs, dampers, gravity and the load (NULL: none); adds the latter to sim->stage.tau. */
crd_status crd_sim_move_by(crd_sim *sim, const double *q, const double *v, const double *load, double *qacc);
/* The change of qacc at (q, v), where the stage's workspace is, that keeps the loops closed. */
crd_status crd_sim_hold_loops(crd_sim *sim, const double *q, const double *v, double *qacc);
/* Rate of the chart's coordinates of attitudes about the start of a step; that of all others is v. */
void crd_sim_chart_rate(const crd_sim *sim, const double *chart, const double *v, double *rate);

/* ------------------------------------------------------------------------------------------------ contacts */

/* Poses of all links and geoms at q, into the workspace and sim->seek.pos, sim->seek.R. */
void crd_sim_place(crd_sim *sim, const double *q);
/* Poses of the geoms into sim->seek.pos, sim->seek.R, for those of the links that the workspace has. */
void crd_sim_place_geoms(crd_sim *sim, const crd_workspace *work);
/* The poses are those of (now). */
void crd_sim_keep_positions(crd_sim *sim);
/* All points with gap at most distance, at the poses of crd_sim_place(q), into touches (grown where needed), recognised
 * among `before` (may be NULL), from which they inherit active, mode and force; and joint limits within
 * limit_distance (the first: within distance). */
crd_status crd_sim_detect(crd_sim *sim, const double *q, double distance, const crd_sim_touches *before,
                          crd_sim_touches *touches);
crd_status crd_sim_detect_reach(crd_sim *sim, const double *q, double distance, double limit_distance,
                                const crd_sim_touches *before, crd_sim_touches *touches);

/* The points of one pair of geoms, into memory that lives until the next call of any of these; recognised among
 * `before`. */
crd_status crd_sim_detect_pair(crd_sim *sim, int geom1, int geom2, double distance, const crd_sim_touches *before,
                               crd_sim_touches *touches);
/* Where the points of (now) are expected at the end of the motion to q, where the geoms are placed, into sim->rows.touches:
 * those of pairs with a persistent contact within reach of each other, others as they are. */
crd_status crd_sim_expect(crd_sim *sim, const double *q, double reach);
/* The limit of a joint at q: its gap and, where v is given, its closing speed. */
double crd_sim_limit_gap(const crd_sim *sim, const crd_contact_point *at, const double *q, const double *v,
                         double *closing);

/* What a contact problem is made for: to measure all that is there; for a law, with J and X, of loops that depend on
 * each other only independent ones; to be constrained: without J and X, by blocks, with dry friction, by rows.assembler in
 * rows.work, which has kinematics, velocities and factor (the others: those of the stage, at (q, v)). */
typedef enum crd_sim_purpose { CRD_SIM_TO_MEASURE, CRD_SIM_TO_STRIKE, CRD_SIM_TO_CONSTRAIN } crd_sim_purpose;

/* The contact problem of the touches for which `take` is true (NULL: all), at (q, v). *contact_of (count of touches)
 * gives the contact of each, -1 where it has none. */
crd_status crd_sim_assemble(crd_sim *sim, const double *q, const double *v, crd_sim_touches *touches, const bool *take,
                            crd_sim_purpose purpose, const int **contact_of);

/* The contact of sim->rows.problem of each touch that was taken into sim->rows.contact_of: of points as the assembler says
 * (of_point), of limits by joint and gap. */
void crd_sim_map_contacts(crd_sim *sim, crd_sim_touches *touches, const bool *take, const int *of_point);

/* Speed at which the bodies (or the joint and its limit) approach at the point (negative: they part), and slide (may be
 * NULL), at the state (q, v) of the last crd_tree_velocity in the workspace. */
double crd_sim_closing_speed(const crd_sim *sim, const crd_workspace *work, const crd_contact_point *at,
                             const double *q, const double *v, double *sliding);

/* Contacts, limits, loops and joint friction over dt (src/sim/constrain.c): from the free motion in (trial) to the
 * velocities that their forces give; what it met is in sim->seen. A verdict where their problem has no solution. */
crd_status crd_sim_constrain(crd_sim *sim, const crd_sim_scheme *scheme, double dt);
/* The relative velocity at a touch from those of its contact's rows. */
void crd_touch_set_velocity(crd_sim_touch *touch, const crd_contact *contact, const double *u);
/* Memory for so many rows and contacts. */
crd_status crd_sim_reserve_rows(crd_sim *sim, int rows, int contacts);

/* Works over dt of joint forces, as contacts have changed the velocities, and of the rows (src/sim/work.c). */
void crd_sim_book_forces(crd_sim *sim, const crd_sim_scheme *scheme, double dt);
void crd_sim_book_rows(crd_sim *sim);
/* What the accepted trial means for ledger, list of contacts and events. */
void crd_sim_accept_rows(crd_sim *sim, const crd_sim_scheme *scheme);
/* Contacts and names of the last piece into sim->listed.contact, where that is still to be done. */
void crd_sim_list_contacts(crd_sim *sim);

/* Multipliers (nrow + nb + nf) of the smallest change in the kinetic metric that removes the errors of n rows, which
 * are sorted by their islands (src/sim/least_change.c). Room: crd_sim_reserve_rows. CRD_SINGULAR, CRD_RAY. */
crd_status crd_sim_least_change(crd_sim *sim, const crd_contact_problem *problem, crd_sim_chosen *row, int n,
                                double *lambda);
/* The points in the band at the end of the trial, its position brought back to gap zero at contacts that carry force or
 * overlap, and to closed loops (src/sim/project.c). */
crd_status crd_sim_project(crd_sim *sim, const crd_sim_scheme *scheme);
/* The same for (now), its persistent contacts and all that overlaps. */
crd_status crd_sim_project_now(crd_sim *sim);
/* Adds what parts contacts that would overlap to the displacement sim->stage.chart over dt. */
void crd_sim_part(crd_sim *sim, double dt);
/* The deepest overlap of the problem's contacts, m, and the one that is left as it is. Notes the errors of loops. */
double crd_sim_deepest(crd_sim *sim);
double crd_sim_parted(const crd_sim *sim);

/* ------------------------------------------------------------------------------------------------ forecast */

/* An impact at (now): forces of before say nothing about those after it. */
void crd_sim_forget_forces(crd_sim *sim);
/* The forecast of a piece that begins at (now): the forces of the last step. */
void crd_sim_forecast_begin(crd_sim *sim);
/* The forces that the trial has found as the forecast of the next one over the same piece. */
void crd_sim_forecast_adopt(crd_sim *sim);
/* The solution that the trial has found as what the next one begins with. */
void crd_sim_forecast_warm(crd_sim *sim);

/* Acceleration along the contact's normal for qacc at the state of the last crd_tree_velocity. */
double crd_sim_normal_acceleration(const crd_sim *sim, const crd_contact *contact, const double *qacc);

/* Adds the impulses of the problem's contacts to those of the step (sim->listed.contact). */
void crd_sim_add_impulses(crd_sim *sim, const double *p, const double *u_plus, const crd_mode *mode,
                          const double *work);

/* Room for this many entries of sim->ledger.rebound. */
crd_status crd_sim_reserve_rebounds(crd_sim *sim, int count);
/* Room for this many touches in all lists. */
crd_status crd_sim_reserve(crd_sim *sim, int touches);

/* Moves trial.q to where nothing overlaps and all loops are closed, as far as that can be reached, by the smallest
 * displacement in the kinetic metric; trial.touches are those of the new place, or of the old one where that failed.
 * Pairs that no displacement parts are left out from now on (sim->ignored), where the options want that. *overlap,
 * *loop: the largest errors of the old place, 0 where they were within the tolerances. Allocates. */
crd_status crd_sim_clear_start(crd_sim *sim, double *overlap, double *loop);
bool crd_sim_ignores(const crd_sim *sim, const crd_contact_point *at);

/* ------------------------------------------------------------------------------------------------ impacts */

/* Resolves what approaches at (now) by the law: velocities, ledger, event. *resolved: there was an impact. */
crd_status crd_sim_impact(crd_sim *sim, bool *resolved);
/* Its parts, on sim->rows.problem. The law: at least one solution in sim->law.result. inelastic: e = 0 for all. A verdict where
 * the law has no answer (counters.unresolved); nothing stands for it. */
crd_status crd_sim_resolve_impact(crd_sim *sim, bool inelastic);
/* Poisson's compression alone, which every mechanism has an answer to [Anitescu & Potra 1997]. */
crd_status crd_sim_resolve_inelastic(crd_sim *sim);
/* Velocities, ledger, counters and impulses after a solution; and the event that tells it (solution NULL: there is
 * none). */
void crd_sim_book_impact(crd_sim *sim, const crd_impact_solution *solution);
void crd_sim_report_impact(const crd_sim *sim, const crd_impact_solution *solution, crd_sim_event_kind kind);
/* After all impacts of the instant: points in the band that neither approach nor part are held from now on. */
crd_status crd_sim_mark_resting(crd_sim *sim);

/* ------------------------------------------------------------------------------------------------ bookkeeping */

/* What sensors need of a step: at its start, and at its end, before it is observed. */
void crd_sim_sense_start(crd_sim *sim);
void crd_sim_sense_end(crd_sim *sim, double h);
/* What the caller gives the step: checked, and whatever rests under other inputs woken; after the step the pushes are
 * spent. CRD_ERR_NUMBER: a control is not finite. */
crd_status crd_sim_inputs_begin(crd_sim *sim);
void crd_sim_inputs_end(crd_sim *sim);
/* All controls zero, no pushes. */
void crd_sim_inputs_clear(crd_sim *sim);
/* Adds the generalised forces of the pushes on the part at q to sim->stage.tau. Leaves its kinematics. */
void crd_sim_inputs_push(crd_sim *sim, const double *q);
/* World position of a body's centre of mass, at the poses of the stage's workspace. */
void crd_sim_body_centre(const crd_sim *sim, int body, double centre[3]);
/* Nothing is taken to rest from here on. */
void crd_sim_wake(crd_sim *sim);
/* Does the caller want the step to end? */
bool crd_sim_stopped(const crd_sim *sim);
/* What a step begins with, and the way back to it. */
void crd_sim_keep_start(crd_sim *sim);
void crd_sim_return_to_start(crd_sim *sim);
void crd_sim_copy_moment(const crd_sim *sim, crd_sim_moment *to, const crd_sim_moment *from);
void crd_sim_emit(const crd_sim *sim, const crd_sim_event *event);
/* Adds the normal impulses p of sim->rows.problem's contacts to the counters. */
void crd_sim_note_impulse(crd_sim *sim, const double *p);
/* Work of a contact in one act, and what its law says it is at most zero for. */
void crd_sim_note_gain(crd_sim *sim, double work, double by_law);
/* K + V at a state; leaves kinematics and velocity in the workspace. */
double crd_sim_mechanical(crd_sim *sim, const double *q, const double *v, double *kinetic, double *potential);
/* All that the ledger knows to have changed the energy. */
double crd_sim_booked(const crd_sim_work *work);
crd_status crd_sim_fail(crd_sim *sim, crd_status status, const char *format, ...) CRD_PRINTF(3, 4);
/* Names the joint at which the factor of the mass matrix in `work` ended. */
crd_status crd_sim_fail_singular(crd_sim *sim, const crd_workspace *work, crd_status status);

/* Motion over dt from (now) to (trial), and the points in the band there (src/sim/trial.c). What it met
 * is in sim->seen. Verdicts: CRD_SINGULAR, CRD_LIMIT, CRD_NO_SOLUTION; (now) and the forecast are read only. */
crd_status crd_sim_trial(crd_sim *sim, const crd_sim_scheme *scheme, double dt);
/* The same with persistent contacts, and once more with the forces that it has found where it is inaccurate
 * (src/sim/step.c). */
crd_status crd_sim_attempt(crd_sim *sim, double dt);
/* One step of length h. */
crd_status crd_sim_advance(crd_sim *sim, double h);

#endif
