/* The event-driven integrator's inside: the current smooth phase, the search for its end, and the instant of an event.
 *
 * A phase has fixed modes (event_force.h) for a fixed list of persistent points. CVODE carries it on step by step
 * (event_smooth.c); its interpolant is searched for the first event in each step (event_search.c): a gap that closes, a
 * normal force that vanishes, friction that is used up, sliding that stops. At an event the instant is resolved
 * (event_instant.c): impacts by the law (event_impact.c), modes from the Coulomb problem at acceleration level
 * (event_modes.c), impacts without collision where it has no solution.
 */
#ifndef SRC_SIM_EVENT_H
#define SRC_SIM_EVENT_H

#include "sim/event_modes.h"
#include "sim/event_surface.h"
#include "sim/group.h"

/* Thresholds of this layer, with their scales. event_force.c and event_modes.c have their own. */
typedef struct crd_event_accuracy {
  double slow; /* of these and of a fall by its size: slower impacts are counted, see set_scales in event_instant.c */
  double least_speed; /* of a fall by the smallest size: the least scale of velocities */
  double joint_still; /* rad/s, m/s: no joint with dry friction is slower */
  double joint_speed; /* rad/s, m/s: the least scale of their velocities */
  double asleep;      /* of `still`: bodies at rest are slower */
  double begins;      /* margins, of their scales: lower bound of a margin that starts at zero in a phase; tenfold with
                        * every stall */
  double clear;       /* and is clearly positive from here on */
  double drift;       /* of their tolerances: gaps and loops that have drifted further end a phase */
  double parts; /* of the velocity scale: a persistent contact that is faster at the end of a phase strikes or parts */
  double reach; /* of the smallest size: how far a point is looked for from its surfaces, beside the band */
  double projected;       /* of the smallest size: gaps and loops that need no correction */
  double brief;           /* in paces: a phase that changes modes sooner has not left its start */
  double carry, farthest; /* in paces: time carried over where no phase exists, at first and at most */
  double horizon;         /* in paces: the longest phase, which bounds the steps of CVODE */
  double instant;         /* of 1 + |t|, s: two instants that are one */
  double stops;           /* of the velocity scale: slower sliding is on the way to a stop, in the direction it had */
  double started; /* sliding from rest is slow up to here: its direction is taken from the acceleration, which it lags
                        * behind by this share */
  double spread, folded;     /* of the compliance of loop rows at the start of the phase: rows with so much of their own
                          * are clearly independent there; with less they have lost a direction */
  double turned;             /* of a direction: it turns no more */
  double relative, absolute; /* tolerances where rates of rows are differences, not exact */
  double loosest;            /* relative tolerance */
  double first;              /* of the absolute tolerance: error of the first step of order one */
} crd_event_accuracy;
extern const crd_event_accuracy crd_event_accurate;

/* Works that are integrated with the motion. */
enum { CRD_WORK_ACTUATION, CRD_WORK_DAMPING, CRD_WORK_CONTACT, CRD_WORK_LOOP, CRD_WORKS };

/* Places of the forces that are known of an internal step. */
enum { CRD_STEP_START, CRD_STEP_MIDDLE, CRD_STEP_END, CRD_STEP_PLACES };

/* A contact of the phase's contact problem: bodies that touch, then limits. */
typedef struct crd_phase_contact {
  crd_phase_mode mode;
  crd_touch_force base; /* at the start of the phase: where forces are not unique they stay near to it */
  double direction[3];  /* slip: unit vector (world) of sliding at the start of the step, for when it all but stops, */
  double turn;          /* and how it turns there (crd_phase_mode) */
  bool starts;          /* slip: from rest, and slowly still */
  double offset[3];     /* of its margins, see event_search.c */
  int failed;           /* the margin that ended the phase, -1: none */
  int source;           /* contact of group->rows->problem at the start of the phase */
} crd_phase_contact;

/* A joint with dry friction, or from nv on a tendon. */
typedef struct crd_phase_dry {
  int dof;
  crd_phase_mode mode;
  double base;   /* N, N m; as above */
  double offset; /* of its margin */
  bool failed;
} crd_phase_dry;

/* A contact between trees at rest, which has left the phase. */
typedef struct crd_rest {
  crd_contact contact;
  double force[3];
  crd_mode mode;
} crd_rest;

/* Evaluation of the phase at a state. */
typedef struct crd_phase_point {
  crd_status status;
  double *qacc;            /* nv */
  crd_force_answer answer; /* of the phase's rows */
  double scale;            /* m/s^2; of the free accelerations */
  double power[CRD_WORKS];
  double gap_max;  /* m; largest |gap| of the points that hold */
  double loop_max; /* m, rad; largest error of a loop */
} crd_phase_point;

/* Memory of the integrator besides the state and its touches: plain data, saved with the simulation. */
typedef struct crd_event_memory {
  int ambiguous;         /* the present phase was chosen among several solutions */
  int asleep;            /* everything rests */
  int slow_impacts;      /* of late: see set_scales in event_instant.c */
  double slow_since;     /* s; the first of them */
  double carried, carry; /* s; when Moreau and Jean's scheme carried the motion over last, and how far */
} crd_event_memory;

/* The phase under way. CVODE takes the steps that suit the motion; the state that is reported, group->now, lies within
 * the last of them. So nothing depends on how often it is asked for. */
typedef struct crd_phase {
  bool runs;               /* there is one */
  bool over;               /* it ends at `reached` */
  double begun, stop;      /* s; when it began, when it ends at the latest */
  double reached;          /* s; how far it is known: the end of the last internal step, or of the phase */
  double works[CRD_WORKS]; /* J; since its beginning, up to group->now.t */
  int steps;               /* internal ones */
} crd_phase;

typedef struct crd_event_driven {
  crd_surface surface;
  crd_contact_problem
      *problem;       /* of the phase, at the state evaluated last; joints with dry friction are its last rows */
  crd_arena arena;    /* of the arrays below */
  crd_phase_dry *dry; /* ndry */
  double *bound;      /* ndry: N, N m */
  double *loop_base;  /* of the rows of loops: their forces at the start of the phase */
  double *loop_unit;  /* and 1/sqrt(W_ii) there */
  int loop_rank;      /* and how many of them are clearly independent there */
  bool *loop_row;     /* of all possible rows of loops: it is in the phase, independent at its start */
  int ndry, nloop_row;
  crd_arena scratch;   /* taken back at every evaluation */
  crd_force_rows rows; /* of the phase */
  crd_force_memory equations;
  crd_force_tools tools; /* all of these */
  crd_arena phase_arena; /* followed, moved, point, limit, contact, impulse: grow with the contacts */
  int capacity;          /* of them, points */
  crd_followed *followed, *moved;
  crd_contact_point *point;
  crd_contact_point *limit; /* the limits of the phase */
  crd_phase_contact *contact;
  double *impulse; /* of the phase's rows, up to group->now.t, as far as not yet in the list of the step */
  double *force[CRD_STEP_PLACES];   /* of the phase's rows, in the internal step searched last */
  double force_at[CRD_STEP_PLACES]; /* s; when; NaN: not known */
  crd_mode *mode;
  int nfollowed, nlimit, ncontact, npointcontact; /* contacts in all; those between bodies come first */
  crd_rest *rest;
  int nrest;
  bool rest_known;                    /* everything at rest is in the list */
  int npoint;                         /* closed points at the last instant resolved, in `point` */
  double velocity_scale, force_scale; /* m/s; m/s^2 */
  double fastest;           /* m/s; velocity scale before the impacts of the instant, whose rounding is left */
  double kinetic;           /* J; likewise */
  int stalls;               /* consecutive phases without progress: the thresholds of rest are tenfold with each */
  double still, slow;       /* m/s; slower is at rest; slower impacts are counted */
  double started;           /* m/s; sliding from rest is slow up to here */
  double pace;              /* s; in which a body falls, or without gravity moves, by its size */
  double orientation;       /* sign of the determinant at the start of the phase */
  double acceleration;      /* largest |qacc| at the start of the phase */
  double gap_now, loop_now; /* m; m, rad: errors at the end of the last internal step */
  double joint_speed;       /* largest |qvel| at the start of the phase */
  double reach;             /* m; how far the search looks */
  double control_t;         /* s; the start of the phase, whose control holds throughout it */
  double *qacc, *change;    /* nv: scratch of an evaluation */
  double stop_impulse;      /* N s: sum of the normal impulses of the last crd_event_stop_rows */
  crd_event_memory kept;
  crd_phase phase;
  void *checkpoint; /* the simulation as crd_sim_save writes it, before the instant that the phase began with */
  size_t checkpoint_size, checkpoint_room;
  struct crd_smooth *smooth; /* CVODE */
} crd_event_driven;

/* Makes and frees the integrator of a simulation; CRD_ERR_ARGUMENT in a build without SUNDIALS. */
crd_status crd_event_new(crd_group *group, crd_error *err);
void crd_event_free(crd_event_driven *event);
/* Forgets the past: at a reset. */
void crd_event_reset(crd_event_driven *event);

/* One step of length h: as crd_sim_advance. */
crd_status crd_event_advance(crd_group *group, double h);
/* Ends the current phase at the present state: the inputs of the simulation have changed. */
void crd_event_interrupt(crd_group *group);
/* A restored simulation stands at its checkpoint: carries it on to t, which lies in the phase that begins there. */
crd_status crd_event_replay(crd_group *group, double t);

/* ------------------------------------------------------------------------------------------------ phase */

crd_status crd_event_reserve(crd_event_driven *event, int points);
/* Rows of the points in event->point, of the limits that the options have and of loops, and where wanted of joints with dry
 * friction (which impacts do not see), at the present state of the workspace (after crd_tree_factor). */
crd_status crd_event_assemble(crd_group *group, const double *q, const double *v, int npoint,
                              const crd_contact_options *chosen, bool dry, crd_contact_problem *problem);
/* The same for the phase: its points found again at the poses of the workspace, into event->point and event->problem;
 * names are left out. CRD_UNKNOWN: they are not the contacts that they were. */
crd_status crd_event_rows(crd_group *group, const double *q, const double *v);
/* Accelerations of a problem's rows without forces for qacc: bias and a_free, in event->scratch. */
crd_status crd_event_accelerations(crd_group *group, const double *q, const double *v,
                                   const crd_contact_problem *problem, int npoint, const double *qacc,
                                   crd_force_problem *force);
/* Scales of loop rows during the phase that begins at the state of the problem. */
void crd_event_set_loop_units(crd_event_driven *event, const crd_contact_problem *problem);
/* Modes of the nc + ndry units of event->problem, in event->scratch; NULL: memory is out. */
crd_phase_mode *crd_event_modes(const crd_group *group);
crd_mode crd_event_mode(const crd_phase_mode *mode);
/* Forces f of the rows of a contact as a touch keeps them. */
crd_touch_force crd_event_touch_force(const crd_contact *contact, const double *f, crd_mode mode);
/* Forces, accelerations and powers of the phase at a state. Results live until the next evaluation. CRD_UNKNOWN: the
 * list of contacts differs from the list of the phase. */
crd_phase_point crd_event_evaluate(crd_group *group, double t, const double *q, const double *v, const double *act);
/* Speed of rest of rows (1, or the tangents of a contact) of group->rows->problem, m/s or rad/s: rounding in the
 * laws (crd_contact_problem_approaches) with the energy before the impacts of the instant, or beside a fall by the least
 * speed; more after stalls. */
double crd_event_still(const crd_group *group, int row, int rows);
/* The fastest that any part of a geom moves, at the state of the workspace. */
double crd_event_geom_speed(const crd_group *group, int geom);
/* Has point contact c of the phase, which slides from rest, a direction of its own, at the state evaluated last? */
bool crd_event_has_started(const crd_event_driven *event, int c);
/* Do contacts, loops or dry friction act in the phase? */
bool crd_event_has_rows(const crd_group *group);
/* Rate of q for the velocity v. */
void crd_event_position_rate(const crd_model *model, const double *q, const double *v, double *rate);

/* ------------------------------------------------------------------------------------------------ rest */

/* At the start of a phase: takes the trees that rest and their contacts out of it. group->trees->rests says which, and
 * kept.asleep whether that is everything. */
void crd_event_rest(crd_group *group);
/* Impulses of their contacts over the duration of the phase. */
void crd_event_book_rest(crd_group *group, double duration);

/* ------------------------------------------------------------------------------------------------ smooth motion */

struct crd_smooth *crd_smooth_new(crd_group *group);
void crd_smooth_free(struct crd_smooth *smooth);
/* Starts at the present state of group->now; no step goes beyond `stop`. */
crd_status crd_smooth_start(crd_group *group, double stop);
/* One internal step; *from, *to: the interval it covers. CRD_LIMIT: no step size satisfies the tolerances. */
crd_status crd_smooth_step(crd_group *group, double *from, double *to);
/* Was the last step a leap? What lies within it has no forces. */
bool crd_smooth_leapt(const crd_group *group);
/* State (q, v, act) and works at t within the last step. The arrays belong to the integrator; act, works may be NULL. */
void crd_smooth_at(crd_group *group, double t, const double **q, const double **v, const double **act,
                   const double **works);

/* ------------------------------------------------------------------------------------------------ search */

/* Margins at the start of a phase: those that are zero there get an offset. stalls: how many phases before this one
 * ended where they began. */
void crd_event_arm(crd_group *group, int stalls);
/* The first event in [from, to] of the last internal step. *found false: none; *at is then `to`. */
crd_status crd_event_search(crd_group *group, double from, double to, bool *found, double *at);
/* Adds the impulses of [from, to], within the last internal step, to event->impulse. */
void crd_event_add_impulses(crd_group *group, double from, double to);

/* ------------------------------------------------------------------------------------------------ at an event */

/* Impacts and modes at group->now. *impacts counts on. stalls: as above; raises the thresholds of rest. */
crd_status crd_event_resolve_instant(crd_group *group, int stalls, int *impacts);
/* The law on group->rows->problem, which approaches; e = 0 for pairs whose rebounds have come to their limit, and for all of
 * them where `inelastic`. */
crd_status crd_event_impact(crd_group *group, bool inelastic);
/* An impact without collision on group->rows->problem, whose contacts no force keeps from closing; slip (nc x 2). */
crd_status crd_event_painleve(crd_group *group, const double *slip);
/* Takes group->now back to the constraints of the phase: gaps, loops, then velocities, in the kinetic metric.
 * CRD_UNKNOWN: a contact that holds has a normal velocity of more than `most` (m/s), and velocities were left alone. */
crd_status crd_event_project(crd_group *group, double most);
/* Removes the velocities of rows kept at rest by the modes (units of the problem, its last ndry rows joints with dry
 * friction) and of the bilateral rows from group->now, in the kinetic metric. */
crd_status crd_event_stop_rows(crd_group *group, const crd_contact_problem *problem, const crd_phase_mode *mode,
                               int ndry);

#endif
