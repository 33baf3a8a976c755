/* A group: trees that can meet or act on each other within a step, and move through it independently of other groups.
 * State kept between steps, working memory of a step, and the functions that the parts of the layer call.
 * docs/simulation.md has the scheme.
 *
 * `whole` is the group of all trees: it moves if all trees form one group; start, sensors and saving work on it.
 *
 * A contact lives as a crd_sim_touch from the step in which it comes into the band |gap| <= contact_band until it
 * leaves it. An `active` touch is part of the persistent contact problem; a touch in the band that approaches its
 * impact, or has just rebounded, is not.
 */
#ifndef SRC_SIM_GROUP_H
#define SRC_SIM_GROUP_H

#include <cradle/sim.h>

#include "contact/problem.h"
#include "model/part.h"
#include "sim/zeno.h"
#include "tree/parts.h"

/* A point of contact of the present state, or a joint at a limit: at.geomA is then CRD_SIM_LIMIT, at.geomB the joint
 * (from njoint on: a tendon),
 * at.index 0 for the lower and 1 for the upper limit (0 for that of a ball joint), at.gap in m or rad. */
enum { CRD_SIM_LIMIT = -1 };
/* Force of a contact on its bodies, as a mean over a step. */
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
  crd_touch_force force; /* over the last step; zero after an impact (its mode is kept) */
  crd_touch_force
      guess; /* of the last solution it took part in, which impacts do not erase: the next one begins with it */
  double velocity[3]; /* m/s, world axes: of the bodies relative to each other, as the last solution has it; of a
                       * limit its rate alone, first; NaN: it was in none */
} crd_sim_touch;

typedef struct crd_sim_touches {
  crd_sim_touch *item; /* in the order of crd_collide_all */
  int count;
} crd_sim_touches;

/* Work done since the reset, J; the sums of crd_sim_energy. */
typedef struct crd_sim_work {
  double actuation, damping, impact, contact, loop, imposed;
} crd_sim_work;

/* The impacts of a pair of bodies, or of a body and the limit of a joint. */
typedef struct crd_sim_rebound {
  int body1, body2, joint;
  crd_zeno_series series;
  /* event driven: */
  double limit;  /* s: where it accumulates; INFINITY: it does not */
  double due;    /* s: a limit that was taken and not yet reported; INFINITY: none */
  double energy; /* J: cost of taking it, in addition to the impact */
  char name[CRD_CONTACT_NAME];
} crd_sim_rebound;

/* Energy put in by contacts since the reset, J: gain_max, gain_sum, law_gain_max of crd_sim_energy. */
typedef struct crd_sim_gain {
  double most, sum, by_law;
} crd_sim_gain;

/* A state and its forces; the present one, and the one tried by a step. */
typedef struct crd_sim_moment {
  double t;
  double *q, *v; /* nq, nv */
  double *act;   /* nact: activations of actuators */
  double *load;  /* nv: generalised forces of contacts, limits and dry friction in the last step, N or N m */
  double *dry;   /* nv + ntendon: what rubs, force of a velocity's dry friction, then of tendons along them */
  crd_sim_touches touches;
  crd_sim_work work;
  double piece; /* s: a coarse motion is made in pieces of at most this; infinite: in whole steps; 0: after Moreau and
                 * Jean, since more than max_impacts contacts closed in the last one */
} crd_sim_moment;

/* Shared by all trials of a piece: (now) evaluated once (src/sim/free_motion.c). */
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
  double *applied;           /* nv: all forces, without those of prescribed motion */
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
  double *load, *dry;             /* nv, nv + ntendon: as in a moment */
  crd_touch_force *force, *guess; /* touch_capacity: of the touches at (now) */
} crd_sim_forecast;

/* How a trial treats contacts (src/sim/constrain.c). */
typedef struct crd_sim_scheme {
  bool capture;  /* all points whose gap may close take part; else those that persist */
  bool at_start; /* with rows and mass matrix of the start, else of the end of the free motion */
  double theta;  /* positions change by theta dt times the change of velocity due to contacts */
} crd_sim_scheme;
extern const crd_sim_scheme crd_sim_persistent, crd_sim_capture, crd_sim_moreau;

/* Findings of a trial. */
typedef struct crd_sim_seen {
  bool constrained;  /* there were contacts, loops or joint friction to hold; group->rows->problem is theirs */
  bool still;        /* nothing moves, and the forces of the last step hold it */
  bool failed;       /* the residual of the problem exceeds its tolerance */
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
  double error; /* m, rad, or m/s, rad/s: the change required */
} crd_sim_chosen;

/* Properties of the model, and changes made at the start: constant over a step. */
typedef struct crd_sim_scene {
  const crd_model *model;
  double size;                  /* m; of the smallest body that can touch another, at least 1e-3 of the largest */
  double contact_band;          /* m; half the permitted penetration: a smaller gap is a contact */
  double gap_tolerance;         /* m; error of a gap at the instant of an impact */
  bool has_forces;              /* actuators, control, springs, dampers or carried weight: more than gravity moves it */
  bool has_bias;                /* there are Coriolis or gyroscopic forces */
  double *thickness;            /* ngeom: radius of a sphere that fits in (src/sim/tunnel.c), */
  double *core;                 /* ngeom x 3: and its centre, in the geom's frame */
  bool *moves;                  /* ngeom: it moves and can touch */
  int *tree_of_dof;             /* nv: number of the tree that the velocity belongs to */
  double *armature;             /* nv: of all factors of M; the model's, and that of joints with prescribed motion: */
  int *prescribed, nprescribed; /* these (src/sim/prescribed.c) */
  bool *yields;                 /* ngeom: not all joints between it and the ground are such */
  int ntree;
  bool loops_as_drawn;    /* residuals of loops that nothing closes are part of the mechanism (src/sim/start.c): */
  double *loop_shift;     /* nloop x 3: this, as crd_contact_accept_loops has it, for all assemblers */
  int *ignored, nignored; /* pairs of geoms that do not touch: nothing parts them */
} crd_sim_scene;

/* The stages of a free motion, and other evaluations at a state besides (now) and the rows. */
typedef struct crd_sim_stage {
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *loops;       /* the loops alone */
  double *ctrl, *tau;               /* nactuator, nv */
  double *applied;                  /* nv: all forces of the last evaluation, without those of prescribed motion */
  double *drag;                     /* nv: the share of the medium in tau, zero where there is none */
  double *q, *v, *rate[4], *acc[4]; /* nq, nv, 4 x nv, 4 x nv */
  double *displacement;             /* nv: of coordinates, which crd_tree_part_integrate adds to a position */
  double *dv;                       /* nv: change of the velocities of the free motion due to the rows */
  double *scratch[3];               /* nv: of one function, from call to return */
  double *act, *act2, *drive[4];    /* nact: activations, those of the second stage, what drives them */
  double *free_v;                   /* nv: velocities at the end of the free motion */
  double *withdrawn; /* nv: J0' f + J1' f of src/sim/constrain.c, where motion is prescribed and the forecast acts */
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
  crd_arena arena;          /* of the arrays below, for `capacity` rows */
  int capacity;
  double *p, *u;  /* rows of J, then dry friction: impulses and final velocities */
  double *w;      /* velocities without them */
  double *before; /* velocities at the start of the step */
  double *speed;  /* scale of each row's velocity, before cancellation */
  double *pull;   /* of adhesion */
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

/* The law on an impact (src/sim/impacts.c). */
typedef struct crd_sim_law {
  crd_impact_result result;
  bool drawn_back; /* its answer was reduced: the law's own would have gained energy */
  double *rates;   /* touch_capacity: of a set-valued law */
  double driven;   /* J: work of prescribed motion in the impact, part of the change of the kinetic energy */
} crd_sim_law;

/* Detection of points (src/sim/touches.c, recognise.c). */
typedef struct crd_sim_seek {
  crd_collider *collider;
  double *pos, *R;            /* ngeom x 3, x 9: poses of the geoms */
  double *core_now;           /* ngeom x 3: centres of the spheres inside (src/sim/tunnel.c) at (now), of all groups, */
  double *moved;              /* ngeom x 3: and how they move from there to the end of a trial; fixed ones do not */
  crd_sim_touch *pair;        /* touch_capacity: points of one pair */
  crd_contact_point *point;   /* touch_capacity: from crd_collide */
  bool *known, *keep;         /* touch_capacity: of the points of a large patch */
  crd_contact_point *watched; /* touch_capacity: pairs and limits that close in the step, */
  int nwatched;               /* and their number */
} crd_sim_seek;

/* Per tree: scratch. */
typedef struct crd_sim_trees {
  int *group;   /* one of those that contacts join it with (src/sim/groups.c) */
  int *tally;   /* contacts of all these */
  bool *rests;  /* before and after the step */
  bool *struck; /* an impact reaches it */
} crd_sim_trees;

/* A wrench on a body over a step: moment about its centre of mass and force, world axes. */
typedef struct crd_sim_push {
  int body;
  double moment[3], force[3]; /* N m, N */
} crd_sim_push;

/* Inputs from the caller (src/sim/inputs.c). */
typedef struct crd_sim_inputs {
  double *ctrl;             /* nactuator: written by the caller, */
  double *ctrl_before;      /* and as the last step found it */
  crd_sim_push *next;       /* nbody: pushes of the next step, */
  crd_sim_push *last;       /* and of the last one */
  int nnext, nlast;         /* and their numbers */
  bool forces_without_push; /* scene.has_forces in a step without pushes */
} crd_sim_inputs;

/* Contacts of the last step, as they are reported. */
typedef struct crd_sim_listed {
  crd_arena arena;
  int ncontact, capacity;
  crd_sim_contact *contact;
  char *name; /* capacity x CRD_CONTACT_NAME */
  bool due;   /* those of the last piece are not in it yet */
} crd_sim_listed;

/* Records: of the whole since the reset, of any other group in the current step. */
typedef struct crd_sim_ledger {
  crd_sim_gain gain;
  crd_sim_counters counters;
  crd_arena arena;
  crd_sim_rebound *rebound; /* nrebound, room for capacity; series that continue, of any step */
  int nrebound, capacity;
} crd_sim_ledger;

/* Events of a group, until the step stands (src/sim/told.c). */
typedef struct crd_sim_told {
  crd_arena arena;
  bool full;
  int count, capacity;
  crd_sim_event *event;
  char *name;        /* capacity x CRD_CONTACT_NAME */
  double *state;     /* room: of each event q, v and v_minus of the group */
  size_t used, room; /* numbers */
  double *added;     /* N s: normal impulses since the last event of the group */
  double impulse;    /* N s: at that one */
  int next;          /* not told yet */
} crd_sim_told;

/* Working memory for moving a group: the trial and its intermediate results. One for each thread; the
 * next group overwrites it. */
typedef struct crd_sim_scratch {
  crd_arena arena;
  crd_arena touch_arena; /* of the lists of touches, */
  int touch_capacity;    /* which have room for so many */
  crd_part part;         /* the trees of the group, which all workspaces look at */
  crd_sim_moment trial;
  crd_sim_begin begin;
  crd_sim_forecast forecast;
  crd_sim_stage stage;
  crd_sim_seek seek;
  crd_sim_rows rows;
  crd_sim_closing closing;
  crd_sim_trees trees;
  crd_sim_law law;
  crd_name_table by_name;  /* of listed contacts */
  struct crd_stiff *stiff; /* of joint forces that may be steep (src/sim/stiff_motion.c), NULL where none can */
  char message[256];
} crd_sim_scratch;

typedef struct crd_group {
  struct crd_sim *sim;
  const crd_model *model;
  const crd_sim_options *options;
  const crd_sim_scene *scene;
  const crd_sim_inputs *inputs;
  struct crd_event_driven *event; /* of the event-driven integrator, which moves the whole; NULL for the others */
  int number;                     /* among the groups of the step; -1: the whole */

  /* its own */
  crd_sim_moment now;            /* arrays of all groups, each in its own places; touches and works of the group */
  crd_sim_moment start;          /* the same, at the start of the step, to which a failed one returns, */
  crd_sim_ledger ledger, before; /* and to this */
  crd_arena touch_arena;         /* of both lists of touches, */
  int touch_capacity;            /* which have room for so many */
  crd_sim_listed listed;
  crd_sim_told told;
  crd_sim_seen seen;
  double mass;       /* kg; of its links */
  bool asleep;       /* a further step of the same length leaves it as it is */
  bool moves;        /* it did not sleep in the step under way */
  bool strayed;      /* a geom has left the bounds that the group was found with */
  crd_status status; /* of its step */

  /* the scratch it works in */
  crd_sim_scratch *scratch;
  crd_part *part;
  crd_sim_moment *trial;
  crd_sim_begin *begin;
  crd_sim_forecast *forecast;
  crd_sim_stage *stage;
  crd_sim_seek *seek;
  crd_sim_rows *rows;
  crd_sim_closing *closing;
  crd_sim_trees *trees;
  crd_sim_law *law;
  struct crd_stiff *stiff;
  char *message;
} crd_group;

/* ------------------------------------------------------------------------------------------------ life (src/sim/group.c) */

crd_status crd_scratch_new(const crd_sim_scene *scene, const crd_sim_options *options, double *core_now,
                           crd_sim_scratch *scratch);
void crd_scratch_free(crd_sim_scratch *scratch);
void crd_group_free(crd_group *group);
/* Assigns the scratch to the group, and its part to the group's trees. */
void crd_group_enter(crd_group *group, crd_sim_scratch *scratch);

/* Room for so many touches of (now); in all lists of the scratch; for so many listed contacts; and rebounds. */
crd_status crd_group_reserve_touches(crd_group *group, int count);
crd_status crd_sim_reserve(crd_group *group, int touches);
crd_status crd_group_reserve_listed(crd_group *group, int count);
crd_status crd_group_reserve_rebounds(crd_group *group, int count);
/* Makes the touches the ones of (now). */
crd_status crd_group_take_touches(crd_group *group, const crd_sim_touches *touches);

/* Saves the start of a step, and returns to it: counters of work remain, records of motion do not. */
crd_status crd_group_keep_start(crd_group *group);
void crd_group_return_to_start(crd_group *group);
/* Adds the events or the costs of a group. */
void crd_ledger_add(crd_sim_ledger *sum, const crd_sim_ledger *ledger);

/* ------------------------------------------------------------------------------------------------ free motion */

/* Evaluates (now) for the trials of a piece that begins there, into group->begin-> CRD_SINGULAR. */
crd_status crd_sim_begin_piece(crd_group *group);
/* Accelerations at (now) with the load (NULL: none), loops included. After crd_sim_begin_piece. */
void crd_sim_begin_acceleration(crd_group *group, const double *load, double *qacc);
/* Free motion over dt from (now) to (trial), under the load of the forecast: q, v and the work of actuators and
 * dampers; contacts are not looked at. Verdict: CRD_SINGULAR, or CRD_LIMIT (implicit midpoint did not converge). */
crd_status crd_sim_free_motion(crd_group *group, double dt);
/* Free velocity by linearly implicit Euler into (trial); leaves kinematics, velocities and the factor of Mh at (now) in
 * rows.work. */
crd_status crd_sim_implicit_euler(crd_group *group, double dt);

/* qacc and the powers of actuators and dampers at a state; leaves kinematics, velocity and factor in the workspace. */
crd_status crd_sim_acceleration(crd_group *group, double t, const double *q, const double *v, const double *act,
                                double *qacc, double *actuation, double *damping);

/* Forces of control and actuators at a state, into group->stage->tau; group->stage->ctrl: the controls. */
void crd_sim_drive(crd_group *group, double t, const double *q, const double *v, const double *act);
/* Accelerations by group->stage->tau, springs, dampers, gravity and the load (NULL: none); adds the latter to group->stage->tau. */
crd_status crd_sim_move_by(crd_group *group, double t, const double *q, const double *v, const double *load,
                           double *qacc);
/* The change of qacc at (q, v), where the stage's workspace is, that keeps the loops closed. */
crd_status crd_sim_hold_loops(crd_group *group, const double *q, const double *v, double *qacc);
/* Rate of the chart's coordinates of attitudes about the start of a step; other coordinates have the rate v. */
void crd_sim_chart_rate(const crd_group *group, const double *chart, const double *v, double *rate);

/* ------------------------------------------------------------------------------------------------ contacts */

/* Poses of all links, and of the geoms that can touch, at q, into the workspace and group->seek->pos, group->seek->R. */
void crd_sim_place(crd_group *group, const double *q);
/* Poses of the geoms into group->seek->pos, group->seek->R, from the poses of the links in the workspace. */
void crd_sim_place_geoms(crd_group *group, const crd_workspace *work);
/* Records that the poses belong to (now). */
void crd_sim_keep_positions(crd_group *group);
/* All points with gap at most distance, at the poses of crd_sim_place(q), into touches (grown where needed), recognised
 * among `before` (may be NULL), from which they inherit active, mode and force; and joint limits within
 * limit_distance (the first: within distance). */
crd_status crd_sim_detect(crd_group *group, const double *q, double distance, const crd_sim_touches *before,
                          crd_sim_touches *touches);
crd_status crd_sim_detect_reach(crd_group *group, const double *q, double distance, double limit_distance,
                                const crd_sim_touches *before, crd_sim_touches *touches);

/* The points of (now), where it has been moved to and its geoms are placed. */
crd_status crd_sim_detect_now(crd_group *group);
/* The points of one pair of geoms, into memory that lives until the next call of any of these; recognised among
 * `before`. */
crd_status crd_sim_detect_pair(crd_group *group, int geom1, int geom2, double distance, const crd_sim_touches *before,
                               crd_sim_touches *touches);
/* Where the points of (now) are expected at the end of the motion to q, where the geoms are placed, into group->rows->touches:
 * those of pairs with a persistent contact within reach of each other, others as they are. */
crd_status crd_sim_expect(crd_group *group, const double *q, double reach);
/* The limit of a joint at q: its gap and, where v is given, its closing speed. */
double crd_sim_limit_gap(const crd_group *group, const crd_contact_point *at, const double *q, const double *v,
                         double *closing);

/* Purpose of a contact problem. Measure: all rows. Strike, for a law: with J and X, and of dependent loops only the
 * independent ones. Constrain: without J and X, by blocks, with dry friction, by rows.assembler in rows.work, which has
 * kinematics, velocities and factor (the other purposes use those of the stage, at (q, v)). */
typedef enum crd_sim_purpose { CRD_SIM_TO_MEASURE, CRD_SIM_TO_STRIKE, CRD_SIM_TO_CONSTRAIN } crd_sim_purpose;

/* The contact problem of the touches for which `take` is true (NULL: all), at (q, v). *contact_of (count of touches)
 * gives the contact of each, -1 where it has none. */
crd_status crd_sim_assemble(crd_group *group, const double *q, const double *v, crd_sim_touches *touches,
                            const bool *take, crd_sim_purpose purpose, const int **contact_of);

/* The points of the touches that are taken, then their limits, into point (as many as there are touches) and the options of
 * an assembly. Returns the number of the points. */
int crd_touches_list(const crd_sim_touches *touches, const bool *take, crd_contact_point *point,
                     crd_contact_options *options);
/* The contact of group->rows->problem of each touch that was taken into group->rows->contact_of: of points as the assembler says
 * (of_point), of limits by their order. */
void crd_sim_map_contacts(crd_group *group, crd_sim_touches *touches, const bool *take, const int *of_point);

/* The series of the contact's pair (src/sim/rebounds.c); NULL: it is not known. */
crd_sim_rebound *crd_sim_rebound_of(const crd_group *group, const crd_contact *contact);
/* Drops pairs whose last impact was `age` (s) ago, and reserves memory for the pairs of so many contacts. */
crd_status crd_sim_rebounds_begin(crd_group *group, double age, int contacts);
/* An impact of the contact's pair at this instant. */
crd_sim_rebound *crd_sim_rebound_note(crd_group *group, const crd_contact *contact, double approach);

/* Speed at which the bodies (or the joint and its limit) approach at the point (negative: they part), and slide (may be
 * NULL), at the state (q, v) of the last crd_tree_velocity in the workspace. */
double crd_sim_closing_speed(const crd_group *group, const crd_workspace *work, const crd_contact_point *at,
                             const double *q, const double *v, double *sliding);

/* Contacts, limits, loops and joint friction over dt (src/sim/constrain.c): from the free motion in (trial) to the
 * velocities that their forces give; findings in group->seen. A verdict where their problem has no solution. */
crd_status crd_sim_constrain(crd_group *group, const crd_sim_scheme *scheme, double dt);
/* The relative velocity at a touch from the velocities of its contact's rows. */
void crd_touch_set_velocity(crd_sim_touch *touch, const crd_contact *contact, const double *u);
/* Memory for so many rows and contacts. */
crd_status crd_sim_reserve_rows(crd_group *group, int rows, int contacts);

/* Works over dt of joint forces, as contacts have changed the velocities, and of the rows (src/sim/work.c). */
void crd_sim_book_forces(crd_group *group, const crd_sim_scheme *scheme, double dt);
void crd_sim_book_rows(crd_group *group);
/* Books the accepted trial in ledger, list of contacts and events. */
void crd_sim_accept_rows(crd_group *group, const crd_sim_scheme *scheme);
/* Contacts and names of the last piece into group->listed.contact, where that is still to be done. */
void crd_sim_list_contacts(crd_group *group);

/* Multipliers (nrow + nb + nf) of the smallest change in the kinetic metric that removes the errors of n rows, which
 * are sorted by their islands (src/sim/least_change.c). Room: crd_sim_reserve_rows. CRD_SINGULAR, CRD_RAY. */
crd_status crd_sim_least_change(crd_group *group, const crd_contact_problem *problem, crd_sim_chosen *row, int n,
                                double *lambda);
/* The points in the band at the end of the trial, its position brought back to gap zero at contacts that carry force or
 * overlap, and to closed loops (src/sim/project.c). */
crd_status crd_sim_project(crd_group *group, const crd_sim_scheme *scheme);
/* The same for (now), its persistent contacts and all that overlaps. */
crd_status crd_sim_project_now(crd_group *group);
/* Adds the displacement that separates overlapping contacts to group->stage->displacement over dt. */
void crd_sim_part(crd_group *group, double dt);
/* The deepest overlap of the problem's contacts, m, and the overlap left uncorrected. Notes the errors of loops. */
double crd_sim_deepest(crd_group *group);
double crd_sim_parted(const crd_group *group);

/* ------------------------------------------------------------------------------------------------ forecast */

/* Discards the forecast after an impact at (now), which changes the forces. */
void crd_sim_forget_forces(crd_group *group);
/* The forecast of a piece that begins at (now): the forces of the last step. */
void crd_sim_forecast_begin(crd_group *group);
/* The forces that the trial has found as the forecast of the next one over the same piece. */
void crd_sim_forecast_adopt(crd_group *group);
/* The trial's solution as the first guess of the next trial. */
void crd_sim_forecast_warm(crd_group *group);

/* Acceleration along the contact's normal for qacc at the state of the last crd_tree_velocity. */
double crd_sim_normal_acceleration(const crd_group *group, const crd_contact *contact, const double *qacc);

/* Adds the impulses of the problem's contacts to the impulses of the step (group->listed.contact). */
void crd_sim_add_impulses(crd_group *group, const double *p, const double *u_plus, const crd_mode *mode,
                          const double *work);

/* Moves trial.q to where nothing overlaps and all loops are closed, as far as that can be reached, by the smallest
 * displacement in the kinetic metric; trial.touches are those of the new place, or of the old one where that failed.
 * If the options ask for it, pairs that no displacement separates are ignored from now on (group->scene->ignored).
 * *overlap, *loop: the largest errors of the old place, 0 where they were within the tolerances. Allocates. */
crd_status crd_sim_clear_start(crd_group *group, double *overlap, double *loop);
bool crd_sim_ignores(const crd_group *group, const crd_contact_point *at);

/* ------------------------------------------------------------------------------------------------ impacts */

/* Resolves approaching contacts at (now) by the law: velocities, ledger, event. *resolved: there was an impact. */
crd_status crd_sim_impact(crd_group *group, bool *resolved);
/* Its parts, on group->rows->problem. The law: at least one solution in group->law->result. inelastic: e = 0 for all. A verdict where
 * the law has no answer (counters.unresolved); nothing stands for it. */
crd_status crd_sim_resolve_impact(crd_group *group, bool inelastic);
/* Poisson's compression alone, which every mechanism has an answer to [Anitescu & Potra 1997]. */
crd_status crd_sim_resolve_inelastic(crd_group *group);
/* Velocities, ledger, counters and impulses after a solution; and the event that tells it (solution NULL: there is
 * none). */
void crd_sim_book_impact(crd_group *group, const crd_impact_solution *solution);
void crd_sim_report_impact(crd_group *group, const crd_impact_solution *solution, crd_sim_event_kind kind);
/* After all impacts of the instant: points in the band that neither approach nor part are held from now on. */
crd_status crd_sim_mark_resting(crd_group *group);

/* ------------------------------------------------------------------------------------------------ bookkeeping */

/* Adds the generalised forces of the pushes on the part at q to group->stage->tau. Leaves its kinematics. */
void crd_sim_inputs_push(crd_group *group, const double *q);
/* World position of a body's centre of mass, at the poses of the stage's workspace. */
void crd_sim_body_centre(const crd_group *group, int body, double centre[3]);
/* Does the caller want the step to end? */
bool crd_sim_stopped(const crd_group *group);
/* An event of the group: told at once by the whole, else when the step stands. */
void crd_sim_emit(crd_group *group, const crd_sim_event *event);
/* Adds the normal impulses p of group->rows->problem's contacts to the counters. */
void crd_sim_note_impulse(crd_group *group, const double *p);
/* Work of a contact in one act, and the work that its law bounds by zero. */
void crd_sim_note_gain(crd_group *group, double work, double by_law);
/* K + V at a state; leaves kinematics and velocity in the workspace. */
double crd_sim_mechanical(crd_group *group, const double *q, const double *v, double *kinetic, double *potential);
/* All that the ledger knows to have changed the energy. */
double crd_sim_booked(const crd_sim_work *work);
crd_status crd_sim_fail(crd_group *group, crd_status status, const char *format, ...) CRD_PRINTF(3, 4);
/* Names the joint at which the factor of the mass matrix in `work` ended. */
crd_status crd_sim_fail_singular(crd_group *group, const crd_workspace *work, crd_status status);

/* Motion over dt from (now) to (trial), and the points in the band there (src/sim/trial.c). Findings
 * in group->seen. Verdicts: CRD_SINGULAR, CRD_LIMIT, CRD_NO_SOLUTION; (now) and the forecast are read only. */
crd_status crd_sim_trial(crd_group *group, const crd_sim_scheme *scheme, double dt);
/* The same with persistent contacts, and once more with the forces that it has found where it is inaccurate
 * (src/sim/step.c). */
crd_status crd_sim_attempt(crd_group *group, double dt);
/* The motion over this time after Moreau and Jean, in bounded work; the event `limit` tells of it. */
crd_status crd_sim_carry_over(crd_group *group, double length);

#endif
