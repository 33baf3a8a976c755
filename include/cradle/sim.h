/* sim: a mechanism simulated through contact, friction and collision, rigidly and in minimal coordinates.
 *
 * Between events the motion is smooth, M qacc + c = tau + J' f, with the contacts that persist held by the mixed
 * complementarity problem [Jain, eqs. 28, 34-36]; a contact that closes is an event at its own instant inside the step,
 * resolved by an impact law (cradle/impact.h), by default compression and decompression [Jain, eqs. 37-41]. No springs:
 * gaps stay within gap_tolerance of zero, loops within loop_tolerance. docs/simulation.md has the scheme.
 *
 * Every joule is accounted for (crd_sim_energy). A step allocates nothing once the simulation has met its largest
 * number of contacts, and gives the same bits on every run. One simulation per thread; the model is shared.
 */
#ifndef CRADLE_SIM_H
#define CRADLE_SIM_H

#include <cradle/impact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_sim crd_sim;

typedef enum crd_sim_integrator {
  CRD_SIM_RK4,      /* classical Runge-Kutta for the free motion of a step */
  CRD_SIM_EULER,    /* semi-implicit Euler */
  CRD_SIM_MIDPOINT, /* implicit midpoint, for long contact-free runs */
  CRD_SIM_EVENT,    /* event driven: CVODE with roots for gaps, separation, stick and slip */
  CRD_SIM_MOREAU    /* time stepping: impacts and contacts of a step in one problem, at bounded cost; first order */
} crd_sim_integrator;
CRD_API const char *crd_sim_integrator_name(crd_sim_integrator integrator); /* "rk4", "euler", ... */

/* Called before every evaluation of the forces at (t, qpos, qvel), several times a step: may overwrite ctrl (nactuator), which
 * comes with the numbers of crd_sim_ctrl, and add generalised forces to tau (nv, N or N m), which comes zeroed. */
typedef void (*crd_sim_control)(void *context, double t, const double *qpos, const double *qvel, double *ctrl,
                                double *tau);

/* ------------------------------------------------------------------------------------------------ what happens */

typedef enum crd_sim_event_kind {
  CRD_EVENT_IMPACT,     /* contacts closed and were resolved by the law */
  CRD_EVENT_RELEASE,    /* a contact that persisted opens */
  CRD_EVENT_STICK,      /* a sliding contact comes to stick */
  CRD_EVENT_SLIP,       /* a sticking contact begins to slide */
  CRD_EVENT_ZENO,       /* rebounds came ever faster: their limit was taken, the contact is kept */
  CRD_EVENT_PAINLEVE,   /* no force can hold the contact: an impact without collision */
  CRD_EVENT_LIMIT,      /* more impacts in one step than max_impacts: the rest of it after Moreau and Jean */
  CRD_EVENT_UNRESOLVED, /* contacts closed and the law has no answer: the rest of the step after Moreau and Jean
                         * (`limit` follows), event-driven: compression without restitution, whose impulse and energy
                         * the event has */
  CRD_EVENT_KINDS
} crd_sim_event_kind;
CRD_API const char *crd_sim_event_name(crd_sim_event_kind kind); /* "impact", "release", ... */

typedef struct crd_sim_event {
  double t;
  crd_sim_event_kind kind;
  const char *contact; /* name of the contact that caused it */
  int count;           /* contacts that took part */
  double approach;     /* m/s; normal velocity of the fastest closing contact, positive (impact) */
  double impulse;      /* N s; sum of the normal impulses (impact) */
  double energy;       /* J; change of the kinetic energy, negative is a loss (impact; event-driven: zeno) */
  double s; /* t plus the normal impulses of all contacts since the reset: the variable of the time-augmented inclusion
             * [Halm & Posa, (53)], which advances through impacts while t stands still */
  /* nv: velocities before an impact, at the positions it happens at; valid during the call. NULL: no impact, or one that
   * was captured within a step (Moreau and Jean) */
  const double *v_minus;
} crd_sim_event;

/* A contact of the last step. Impulses are those of the whole step, impacts included, on body1, in the axes normal,
 * tangent[0], tangent[1] of the contact. */
typedef struct crd_sim_contact {
  crd_contact contact; /* names, geometry, coefficients */
  crd_mode mode;
  double impulse_n, impulse_t[2]; /* N s */
  double impulse_spin,
      impulse_roll[2];              /* N m s: of torsional and rolling friction, about the normal and the axes roll */
  double velocity_n, velocity_t[2]; /* m/s, at the end of the step */
  double work; /* J: what it brought in the step, by impacts and while it persisted; negative is a loss */
} crd_sim_contact;

/* Observers: called with the simulation at the state of the instant; they must not change it. Where a step moves several
 * groups of trees, its events are told after it, in the order of their instants, each with the trees that it is about at
 * their state of the instant and the others elsewhere in the step. Either may be NULL. */
typedef struct crd_sim_observer {
  void *context;
  void (*event)(void *context, const crd_sim *sim, const crd_sim_event *event);
  void (*step)(void *context, const crd_sim *sim); /* after every step */
} crd_sim_observer;

/* ------------------------------------------------------------------------------------------------ options */

typedef struct crd_sim_options {
  double timestep; /* s; NaN: the model's */
  crd_sim_integrator integrator;
  const crd_impact_law *law; /* at collisions; NULL: poisson */
  bool as_stated; /* a law that brings energy is run as it is, and the ledger shows the gain; false: it gets as much
                   * restitution as brings none (crd_sim_counters.drawn_back) */
  double mu, e;   /* of all contacts; NaN: those of the geoms and pairs */
  int facets;     /* of the friction cone of a spatial contact; turned into the sliding direction */
  uint64_t seed;  /* of the relative rates of a set-valued law (routh) */
  double gap_tolerance;  /* share of the scene's size (1); penetration stays below it */
  double loop_tolerance; /* m, rad; loops stay closed within it */
  int max_impacts;       /* in one step */
  int threads;     /* that move groups of trees which cannot meet in a step, at least 1: with more than one, control and
                          * stop are called from several at once. Does not change a bit of the motion */
  double accuracy; /* residual demanded of islands with more than 80 contacts (moreau), relative as in
                    * crd_coulomb_residual; 1e-4, for which a step ends after 15 sweeps, or more while the residual is
                    * above 1e-2. What was reached is in crd_sim_counters.residual_max */
  bool clear_start;     /* move the first state out of overlaps and joint limits and into the loops, by the smallest
                         * displacement in the kinetic metric, instead of refusing it */
  bool ignore_overlaps; /* with clear_start: pairs of geoms that overlap and that no such displacement parts do not
                         * touch in this run, instead of a refusal */
  bool ignore_torsion;  /* event: leave torsional and rolling friction (condim 4 and 6) out instead of refusing the
                         * model; the other integrators carry it while a contact persists. Impacts never do */
  double relative_tolerance, absolute_tolerance; /* of CVODE (event) */
  crd_sim_control control;                       /* NULL: none */
  bool
      control_apart; /* what control gives to a tree depends on t and that tree's own qpos and qvel alone, so that trees
                       * may keep their own time within a step; those of other trees are then of other instants of it */
  /* The instant after t at which the control changes otherwise than with qpos and qvel, INFINITY: never (a servo at a
   * constant target, a table that is held). Event-driven phases last until then and ask for the control with
   * the time at which they begin; NULL: they end with every step. */
  double (*control_next)(void *context, double t);
  void *control_context;
  /* Asked within steps, at least every few milliseconds: true, which it then stays until the step has returned, ends it
   * with CRD_STOPPED, the state being that before it. NULL: never. */
  bool (*stop)(void *context);
  void *stop_context;
  crd_sim_observer observer;
} crd_sim_options;
CRD_API crd_sim_options crd_sim_default(void);

/* ------------------------------------------------------------------------------------------------ energy */

/* All in J since the last reset; K + V = start + the sum of the rest. */
typedef struct crd_sim_energy {
  double kinetic, potential; /* now; potential: gravity and joint springs */
  double start;              /* K + V at the reset */
  double actuation;          /* work of actuators, control and crd_sim_wrench */
  double damping;            /* joint dampers, joint friction and the medium, negative is a loss */
  double impact;             /* loss at impacts, negative is a loss */
  double contact;            /* work of the contacts that persist (friction), negative is a loss */
  double loop;               /* work of loops and joint limits */
  double imposed;            /* what crd_sim_set_state has added to K + V */
  double integration;        /* what is left: error of the integrator and of returning to the constraints */
  /* Positive work of contacts, as booked and not taken away: a slip that turns round within a step is pushed along at
   * first, at most p (u1 - u0) / 2, of second order in the step. */
  double gain_max; /* largest of one impact or of one contact in one step; 0 is none */
  double gain_sum; /* all of it */
  double
      law_gain_max; /* largest gain of an impact, or of a contact at the velocities at which its law holds, p . u1: what
                        * the solution of its problem is in error; 0 is none */
} crd_sim_energy;

/* Why a step was tried again: what a trial showed (src/sim/step.c has the table of what is done about it). */
typedef enum crd_sim_retry {
  CRD_RETRY_FORECAST, /* the forces of the last step lead away from a contact, or it turns too far for them */
  CRD_RETRY_FORCES,   /* energy is missed: once more with the forces found */
  CRD_RETRY_COARSE,   /* too long for the motion, or energy is still missed */
  CRD_RETRY_UNSOLVED, /* no forces hold the contacts */
  CRD_RETRY_THIN,     /* a body moved further than it is thick */
  CRD_RETRY_CLOSES,   /* a gap closes */
  CRD_RETRY_CROWDED,  /* more impacts or trials than permitted, or no forces: ended after Moreau and Jean */
  CRD_RETRY_STRAYS,   /* a body left the bounds that its group was found with: the step anew, with wider ones */
  CRD_RETRIES
} crd_sim_retry;
CRD_API const char *crd_sim_retry_name(crd_sim_retry retry); /* "forecast", "forces", ... */

typedef struct crd_sim_counters {
  long steps, impacts, solves, failed_solves, contacts; /* contacts: sum over the steps */
  long drawn_back; /* impacts whose law would have brought energy; they got as much restitution as brings none */
  long unresolved; /* impacts that the law had no answer to, each told by an event */
  long groups;     /* of trees that can meet or act on each other in a step, each of which is moved by itself; sum over
                    * the steps */
  long trials;     /* motions of a group over a time tried, steps by events not counted */
  long moved;      /* trees, sum over the trials */
  long retries[CRD_RETRIES];         /* of them, by what the trial before showed */
  long settled[CRD_COULOMB_METHODS]; /* islands of contact problems, of all trials and impacts since the simulation was
                                      * made, by the method whose answer stands; neither reset nor saved */
  double penetration_max;            /* m */
  double loop_max;                   /* m, rad */
  double residual_max;               /* of the complementarity problems, scaled */
  double normal_impulse; /* N s (N m s of hinges' limits): of all contacts since the reset, impacts included. Time plus
                              * this is the variable s of the inclusion (53) of Halm & Posa, ds = (1 + sum lambda_n) dt */
} crd_sim_counters;

/* ------------------------------------------------------------------------------------------------ life */

/* Gaps up to this many metres are closed in a simulation with these options. */
CRD_API double crd_sim_contact_band(const crd_model *model, const crd_sim_options *options);

/* A simulation at the model's first state (qpos0, at rest; where that is one which crd_sim_reset refuses, the first
 * step does so unless another state is set). options NULL: the default. On failure *sim is NULL and *err (may be NULL)
 * says what was found and what was expected. The model must outlive it. */
CRD_API crd_status crd_sim_new(const crd_model *model, const crd_sim_options *options, crd_sim **sim, crd_error *err);
CRD_API void crd_sim_free(crd_sim *sim);

/* Sets the state, time and zero ledger. qpos NULL: qpos0; qvel NULL: rest. Loops that are open and bodies that
 * overlap by more than the tolerances are refused (CRD_ERR_MODEL), with the worst of them in *err. */
CRD_API crd_status crd_sim_reset(crd_sim *sim, double t, const double *qpos, const double *qvel, crd_error *err);

/* Moves the simulation to another state at the present time and goes on from there: qpos (nq), qvel (nv), NULL: as they are;
 * activations and controls stay. Everything that the last steps have left (contacts, forces, sleep, series of rebounds) is
 * forgotten as at a reset; ledger and counters go on, and what the change adds to K + V is crd_sim_energy.imposed. Refuses
 * what crd_sim_reset refuses, with the same statuses; the state is then as it was. Between steps only. */
CRD_API crd_status crd_sim_set_state(crd_sim *sim, const double *qpos, const double *qvel, crd_error *err);

/* ------------------------------------------------------------------------------------------------ inputs */

/* The controls (nactuator) of all steps to come, in the unit of each actuator's ctrl: an array of the simulation's that the
 * caller writes between steps, at the same address as long as the simulation lives. Zero at first and after a reset; saved
 * and restored with the state. options.control finds them in its ctrl and may overwrite them there. A step with one
 * that is not finite is CRD_ERR_NUMBER. */
CRD_API double *crd_sim_ctrl(crd_sim *sim);

/* Pushes a body during the next step and not after it: force (N) and torque (N m), world axes, constant during the step;
 * either may be NULL. The force acts at the body's centre of mass, or at a world point (m) of the present state: its moment
 * about the centre of mass is then part of the torque. Calls before a step add up. A failed step keeps what was
 * to push; a reset drops it. Its work is in crd_sim_energy.actuation, and force sensors feel it. Bodies that cannot move
 * take it without effect. CRD_ERR_ARGUMENT: body is not from 1 to nbody - 1; CRD_ERR_NUMBER: not finite; crd_sim_message says
 * which. */
CRD_API crd_status crd_sim_wrench(crd_sim *sim, int body, const double force[3], const double torque[3],
                                  const double point[3]);

/* Another seed (crd_sim_options.seed) from the next impact on. It is not part of what crd_sim_save writes. */
CRD_API void crd_sim_set_seed(crd_sim *sim, uint64_t seed);

/* ------------------------------------------------------------------------------------------------ steps */

/* One step of the given length. A verdict (positive status) means that no motion was found that satisfies the contact
 * problem, CRD_STOPPED that options.stop asked for the end; the state is then that before the step. */
CRD_API crd_status crd_sim_step(crd_sim *sim);
/* Steps until time t, the last one shortened. */
CRD_API crd_status crd_sim_run(crd_sim *sim, double t);

CRD_API const crd_model *crd_sim_model(const crd_sim *sim);
CRD_API double crd_sim_time(const crd_sim *sim);
CRD_API const double *crd_sim_qpos(const crd_sim *sim);
CRD_API const double *crd_sim_qvel(const crd_sim *sim);
/* Activations of the actuators (nact, crd_dynamics), part of the state. crd_sim_reset sets them to zero, this to the values
 * given (NULL: zero), brought into their ranges. CRD_ERR_NUMBER: one is not finite; nothing has changed. */
CRD_API const double *crd_sim_act(const crd_sim *sim);
CRD_API crd_status crd_sim_set_act(crd_sim *sim, const double *act, crd_error *err);
CRD_API crd_sim_energy crd_sim_energy_now(const crd_sim *sim);
CRD_API crd_sim_counters crd_sim_counters_now(const crd_sim *sim);
CRD_API const crd_sim_contact *crd_sim_contacts(const crd_sim *sim, int *count);

/* What the model's sensors read between steps (nsensordata; crd_sensor.first and dim say where each is): places,
 * velocities, controls and activations are those of the present state. What needs forces is the mean over the last step,
 * impacts included: accelerations are (qvel - qvel at its start) / h, contact forces impulse / h; NaN after a reset, until
 * the first step. Asks for the control. The numbers live in the simulation until the next call; they are not computed
 * again while the state stays. */
CRD_API const double *crd_sim_sensors(const crd_sim *sim);
/* Accelerations (nv), mean over the last step like those of sensors: (qvel - qvel at its start) / h, m/s^2 or rad/s^2,
 * impacts included. NaN after a reset or crd_sim_set_state, until the next step. Lives in the simulation. */
CRD_API const double *crd_sim_qacc(const crd_sim *sim);
/* The numbers of one sensor by name, *dim (may be NULL) of them; NULL: the model has none of that name. */
CRD_API const double *crd_sim_sensor(const crd_sim *sim, const char *name, int *dim);
/* Why the last step failed, or what the reset moved (clear_start); "" otherwise. */
CRD_API const char *crd_sim_message(const crd_sim *sim);

/* Everything that the future depends on, as bytes: a restored simulation (of the same model and options) goes on with
 * the same bits. The size may grow with the contacts; ask before each save. */
CRD_API size_t crd_sim_saved_size(const crd_sim *sim);
CRD_API crd_status crd_sim_save(const crd_sim *sim, void *buffer, size_t size);
CRD_API crd_status crd_sim_restore(crd_sim *sim, const void *buffer, size_t size);

/* ------------------------------------------------------------------------------------------------ compliant contact */

/* The impact of stiff but deformable bodies, for comparison [Halm & Posa, section 5.4.1]: Kelvin-Voigt contact and a
 * continuous approximation of Coulomb friction, integrated through the collision,
 *
 *   p_n' = max(0, -k phi - 2 zeta sqrt(k m) phi') where phi <= 0,   p_t' = -mu p_n' u_t / max(|u_t|, slip)
 *
 * ((88) with sqrt(k m), errata; (89), (90)). The collision has ended when no touching contact approaches any more and
 * every contact that approached at the start has had its share of impulse: a tilted block is not done after its first
 * corner (errata 4). */
typedef struct crd_compliant_options {
  double stiffness;        /* N/m, of contacts without a stiffness of their own */
  const double *contact_k; /* stiffness of each contact at the start (nc, in the order of the contact problem), NULL */
  double zeta;             /* damping ratio */
  double mass;             /* m in the damping, kg; NaN: all moving bodies together */
  double slip;             /* m/s: below it friction is viscous */
  double delta;            /* m/s: a contact approaches below minus this */
  double share;     /* of the impulse that stops it alone, which an approaching contact has to get before the end */
  double distance;  /* m: contacts within this gap at the start take part in the impact */
  double time;      /* s: longest duration */
  double tolerance; /* relative, of the integration */
  double mu;        /* of all contacts; NaN: those of the model */
} crd_compliant_options;

/* 1e6 N/m, zeta 5, slip 1e-10, delta 1e-9, share 0.01, distance 1e-3, 1 s, tolerance 1e-12, the model's mass and mu. */
CRD_API crd_compliant_options crd_sim_compliant_default(void);

/* The end of the collision. Arrays belong to it. Zero it ({0}) before the first use; free it after every use. */
typedef struct crd_compliant_result {
  int nc, nrow;
  double *v_plus;       /* nv */
  double *qpos;         /* nq */
  double *u_plus;       /* nrow: contact velocities at the end, in the order of the rows at the start */
  double *impulse;      /* nc: normal impulses, N s */
  const char **contact; /* nc: names */
  double time;          /* s: duration */
  long steps;           /* of the integrator */
  crd_arena arena;
} crd_compliant_result;

/* Integrates from the state to the end of the collision, with CVODE (BDF). CRD_OK; CRD_LIMIT: not over after
 * options->time; CRD_UNKNOWN: the integration failed; CRD_ERR_ARGUMENT: no contact within the distance, loops, an
 * option out of range, or a build without SUNDIALS; CRD_SINGULAR, CRD_ERR_NUMBER as crd_contact_at_state;
 * CRD_ERR_MEMORY. */
CRD_API crd_status crd_sim_compliant(const crd_model *model, const double *qpos, const double *qvel,
                                     const crd_compliant_options *options, crd_compliant_result *result);
CRD_API void crd_sim_compliant_free(crd_compliant_result *result);

#ifdef __cplusplus
}
#endif
#endif
