/* sim: simulation of a mechanism through contact, friction and collision, with rigid bodies in minimal coordinates.
 *
 * Between events the motion is smooth, M qacc + c = tau + J' f, and one problem with Coulomb friction
 * (cradle/coulomb.h) determines the forces f of persistent contacts [Jain, eqs. 28, 34-36]. A closing contact is an
 * event at its own instant within the step, resolved by an impact law (cradle/impact.h), by default compression and
 * decompression [Jain, eqs. 37-41]. There are no contact springs: gaps stay within gap_tolerance of zero, loops within
 * loop_tolerance. docs/simulation.md describes the scheme.
 *
 * The energy ledger accounts for every joule (crd_sim_energy). A step allocates nothing once the simulation has met its
 * largest number of contacts, and gives the same bits in every run. A simulation belongs to one thread at a time;
 * threads share the model.
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

/* A control callback, called before every evaluation of the forces at (t, qpos, qvel), several times per step. It may
 * overwrite ctrl (nactuator), which contains the numbers of crd_sim_ctrl, and add generalised forces to tau (nv, N or N
 * m), which is zero on entry. */
typedef void (*crd_sim_control)(void *context, double t, const double *qpos, const double *qvel, double *ctrl,
                                double *tau);

/* Prescribed motion of a joint at t: its position, velocity and acceleration (m or rad, per s, per s^2) into motion, which
 * must be derivatives of each other. A function of t and the joint alone, called several times per step and concurrently
 * where options.threads is more than 1. */
typedef void (*crd_sim_motion)(void *context, double t, int joint, double motion[3]);

/* ------------------------------------------------------------------------------------------------ events and observers */

typedef enum crd_sim_event_kind {
  CRD_EVENT_IMPACT,     /* contacts closed and were resolved by the law */
  CRD_EVENT_RELEASE,    /* a persistent contact opens */
  CRD_EVENT_STICK,      /* a sliding contact begins to stick */
  CRD_EVENT_SLIP,       /* a sticking contact begins to slide */
  CRD_EVENT_ZENO,       /* rebounds accumulated: their limit was taken, and the contact persists */
  CRD_EVENT_PAINLEVE,   /* no force keeps the contact from closing: an impact without collision */
  CRD_EVENT_LIMIT,      /* more impacts in one step than max_impacts: Moreau and Jean's scheme finishes the step */
  CRD_EVENT_UNRESOLVED, /* contacts closed and the law has no answer. Stepping: Moreau and Jean's scheme finishes the step
                         * (`limit` follows); event-driven: compression without restitution, with the impulse and energy
                         * of the event */
  CRD_EVENT_KINDS
} crd_sim_event_kind;
CRD_API const char *crd_sim_event_name(crd_sim_event_kind kind); /* "impact", "release", ... */

typedef struct crd_sim_event {
  double t; /* s */
  crd_sim_event_kind kind;
  const char *contact; /* name of the contact that caused it */
  int count;           /* contacts that took part */
  double approach;     /* m/s; normal velocity of the fastest closing contact, positive (impact) */
  double impulse;      /* N s; sum of the normal impulses (impact) */
  double energy;       /* J; change of the kinetic energy, negative is a loss (impact; event-driven: zeno) */
  double s; /* t plus the normal impulses of all contacts since the reset: the variable of the time-augmented inclusion
             * [Halm & Posa, (53)], which advances during impacts while t stands still */
  /* nv: velocities before an impact, at the positions of the impact; valid during the call. NULL: no impact, or an
   * impact captured within a step (Moreau and Jean). */
  const double *v_minus;
} crd_sim_event;

/* A contact of the last step. Impulses are sums over the step, impacts included, on body1, in the axes normal,
 * tangent[0], tangent[1] of the contact. */
typedef struct crd_sim_contact {
  crd_contact contact; /* names, geometry, coefficients */
  crd_mode mode;
  double impulse_n, impulse_t[2]; /* N s */
  /* N m s: of torsional and rolling friction, about the normal and the axes `roll` */
  double impulse_spin, impulse_roll[2];
  double velocity_n, velocity_t[2]; /* m/s, at the end of the step */
  double work; /* J: work on the bodies in the step, by impacts and while the contact persisted; negative is a loss */
} crd_sim_contact;

/* Observers, called with the simulation at the state of the instant; they must not change it. If a step moves several
 * groups of trees, its events are reported after it, in the order of their instants. The trees of the event then have
 * their state of this instant; other trees may be at another instant of the step. Either callback may be NULL. */
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
  bool as_stated; /* apply a law that gains energy unchanged, and show the gain in the ledger; false: reduce restitution
                   * until the impact gains nothing (crd_sim_counters.drawn_back) */
  double mu, e;   /* (1) of all contacts; NaN: those of the geoms and pairs */
  int facets;     /* of the friction cone of a spatial contact; turned into the sliding direction */
  uint64_t seed;  /* of the relative rates of a set-valued law (routh) */
  double gap_tolerance;  /* (1) fraction of the scene's size; penetration stays below it */
  double loop_tolerance; /* m or rad; loops stay closed within it */
  int max_impacts;       /* in one step */
  int threads;      /* at least 1; several threads move groups of trees that cannot meet in a step, and call control and
                    * stop concurrently. The number does not change a bit of the motion */
  double accuracy;  /* (1) residual demanded of islands with more than 80 contacts (moreau), relative as in
                    * crd_coulomb_residual; with 1e-4, a step ends after 15 sweeps, or more while the residual is above
                    * 1e-2. crd_sim_counters.residual_max has the residual reached */
  bool clear_start; /* move the first state out of overlaps and joint limits and into the loops, by the smallest
                         * displacement in the kinetic metric, instead of refusing it */
  bool ignore_overlaps; /* with clear_start: ignore contact of overlapping pairs of geoms that no such displacement
                         * separates, instead of refusing the state */
  /* event: leave out torsional and rolling friction (condim 4 and 6) instead of refusing the model. The other
   * integrators apply it to persistent contacts; impacts never do */
  bool ignore_torsion;
  double relative_tolerance, absolute_tolerance; /* of CVODE (event) */
  crd_sim_control control;                       /* NULL: none */
  /* the controls of a tree depend only on t and on the tree's own qpos and qvel: groups of trees may then advance
   * separately within a step, while qpos and qvel of the other trees belong to other instants of it */
  bool control_apart;
  /* The next instant after t at which the control changes by itself, not with qpos and qvel; INFINITY: never (a servo
   * at a constant target, a table that is held). Event-driven phases last until then and call the control with the time
   * of their beginning. NULL: phases end with every step. */
  double (*control_next)(void *context, double t);
  void *control_context; /* passed to control and control_next */
  /* Hinges and slides that follow a given motion exactly, whatever acts on them (copied; NULL: none). States set by reset
   * and crd_sim_set_state get its positions and velocities. Limits of these joints do not act; bodies that have no other
   * joints between them and the ground pass through each other and the ground, and contacts do not act in a direction in
   * which no other joint lets them yield. The power counts as crd_sim_energy.actuation. Refused: integrators event and
   * moreau, joints with dry friction. A step fails with CRD_ERR_MODEL where the motion presses bodies into each other or
   * opens loops, with CRD_ERR_NUMBER where it is not finite. */
  const int *prescribed;
  int nprescribed;
  crd_sim_motion motion;
  void *motion_context; /* passed to motion */
  /* Polled within steps, at least every few milliseconds. true ends the step with CRD_STOPPED and the state before the
   * step; it must then stay true until the step has returned. NULL: never. */
  bool (*stop)(void *context);
  void *stop_context; /* passed to stop */
  crd_sim_observer observer;
} crd_sim_options;
CRD_API crd_sim_options crd_sim_default(void);

/* ------------------------------------------------------------------------------------------------ energy */

/* The energy ledger, in J since the last reset: K + V = start + the sum of the other terms. */
typedef struct crd_sim_energy {
  double kinetic, potential; /* K and V now; V of gravity and springs */
  double start;              /* K + V at the reset */
  double actuation;          /* work of actuators, control, crd_sim_wrench and prescribed motion */
  double damping;            /* joint dampers, joint friction and the medium, negative is a loss */
  double impact;             /* loss at impacts, negative is a loss */
  double contact;            /* work of the contacts that persist (friction), negative is a loss */
  double loop;               /* work of loops and joint limits */
  double imposed;            /* change of K + V by crd_sim_set_state */
  double integration;        /* the remainder: error of the integrator and of the projection onto the constraints */
  /* Positive work of contacts, as booked. If sliding reverses within a step, friction pushes along the motion at first,
   * with at most p (u1 - u0) / 2, which is of second order in the step. */
  double gain_max; /* largest of one impact or of one contact in one step; 0: none */
  double gain_sum; /* their sum */
  /* largest gain of an impact, or of a contact at the velocities at which its law holds, p . u1: the error of the
   * solution of its problem; 0: none */
  double law_gain_max;
} crd_sim_energy;

/* Reasons for another trial of a step (src/sim/step.c has the table of reactions). */
typedef enum crd_sim_retry {
  CRD_RETRY_FORECAST, /* the forces of the last step lead away from a contact, or it turns too far for them */
  CRD_RETRY_FORCES,   /* the energy is wrong: once more with the forces found */
  CRD_RETRY_COARSE,   /* too long for the motion, or the energy is still wrong */
  CRD_RETRY_UNSOLVED, /* no forces hold the contacts */
  CRD_RETRY_THIN,     /* a body moved further than its thickness */
  CRD_RETRY_CLOSES,   /* a gap closes */
  CRD_RETRY_CROWDED,  /* more impacts or trials than permitted, or no forces: finished after Moreau and Jean */
  CRD_RETRY_STRAYS,   /* a body left the bounds of its group: the step is repeated with wider bounds */
  CRD_RETRIES
} crd_sim_retry;
CRD_API const char *crd_sim_retry_name(crd_sim_retry retry); /* "forecast", "forces", ... */

typedef struct crd_sim_counters {
  long steps, impacts, solves, failed_solves, contacts; /* contacts: sum over the steps */
  long drawn_back;           /* impacts whose law would have gained energy; their restitution was reduced */
  long unresolved;           /* impacts for which the law has no answer, each reported by an event */
  long groups;               /* groups of trees that can meet or act on each other in a step; sum over the steps */
  long trials;               /* trial motions of groups, without event-driven steps */
  long moved;                /* trees, sum over the trials */
  long retries[CRD_RETRIES]; /* trials by the reason that caused them */
  long
      settled[CRD_COULOMB_METHODS]; /* islands of all trials and impacts since the simulation was created, by the method
                                      * whose answer stands; neither reset nor saved */
  double penetration_max;           /* m */
  double loop_max;                  /* m, rad */
  double residual_max;              /* of the complementarity problems, scaled */
  double normal_impulse; /* N s (N m s of hinges' limits): of all contacts since the reset, impacts included. Time plus
                              * this is the variable s of the inclusion (53) of Halm & Posa, ds = (1 + sum lambda_n) dt */
} crd_sim_counters;

/* ------------------------------------------------------------------------------------------------ life */

/* Gaps up to this length (m) count as closed in a simulation with these options. */
CRD_API double crd_sim_contact_band(const crd_model *model, const crd_sim_options *options);

/* A simulation at the model's first state (qpos0, at rest), to be freed by the caller. If crd_sim_reset refuses this
 * state, the first step does, unless another state is set. options NULL: the default. The model must outlive it. On
 * failure *sim is NULL and *err (may be NULL) says what was found and what was expected: CRD_ERR_ARGUMENT,
 * CRD_ERR_NUMBER (an option), CRD_ERR_MODEL, CRD_ERR_MEMORY. */
CRD_API crd_status crd_sim_new(const crd_model *model, const crd_sim_options *options, crd_sim **sim, crd_error *err);
CRD_API void crd_sim_free(crd_sim *sim);

/* Sets the state (qpos NULL: qpos0; qvel NULL: rest) and the time t (s), and clears the ledger. A state with open loops
 * or overlapping bodies beyond the tolerances is refused (CRD_ERR_MODEL), and *err (may be NULL) names the worst of
 * them. */
CRD_API crd_status crd_sim_reset(crd_sim *sim, double t, const double *qpos, const double *qvel, crd_error *err);

/* Sets another state at the present time: qpos (nq), qvel (nv), NULL: unchanged; activations and controls stay. The
 * history of the last steps (contacts, forces, sleep, series of rebounds) is dropped as at a reset. Ledger and counters
 * continue, and crd_sim_energy.imposed has the change of K + V. To be called between steps. It refuses the same states
 * as crd_sim_reset, with the same statuses; the state is then unchanged. */
CRD_API crd_status crd_sim_set_state(crd_sim *sim, const double *qpos, const double *qvel, crd_error *err);

/* ------------------------------------------------------------------------------------------------ inputs */

/* The controls (nactuator) of all later steps, in the unit of each actuator's ctrl. The array belongs to the simulation
 * and keeps its address; the caller writes it between steps. It is zero at first and after a reset, and is saved and
 * restored with the state. options.control receives the numbers in its ctrl and may overwrite them there. A step
 * returns CRD_ERR_NUMBER if a control is not finite. */
CRD_API double *crd_sim_ctrl(crd_sim *sim);

/* Pushes a body during the next step only: force (N) and torque (N m), world axes, constant during the step; either may
 * be NULL. The force acts at the body's centre of mass (point NULL) or at a world point (m) of the present state, whose
 * moment about the centre of mass adds to the torque. Several calls before a step add up. A failed step keeps the push;
 * a reset drops it. Its work counts as crd_sim_energy.actuation, and force sensors measure it. A push has no effect on
 * a body that cannot move. CRD_ERR_ARGUMENT: body is not from 1 to nbody - 1; CRD_ERR_NUMBER: not finite;
 * crd_sim_message has the details. */
CRD_API crd_status crd_sim_wrench(crd_sim *sim, int body, const double force[3], const double torque[3],
                                  const double point[3]);

/* Sets the seed (crd_sim_options.seed) from the next impact on. crd_sim_save does not save it. */
CRD_API void crd_sim_set_seed(crd_sim *sim, uint64_t seed);

/* ------------------------------------------------------------------------------------------------ steps */

/* Makes one step of options.timestep. A positive status: no motion satisfies the contact problem. CRD_STOPPED:
 * options.stop requested the end. After any failure the state is that before the step, and crd_sim_message has the
 * reason. */
CRD_API crd_status crd_sim_step(crd_sim *sim);
/* Makes steps until time t (s); the last step is shortened. Statuses as crd_sim_step. */
CRD_API crd_status crd_sim_run(crd_sim *sim, double t);

/* The model of the simulation. */
CRD_API const crd_model *crd_sim_model(const crd_sim *sim);
/* Present time, s. */
CRD_API double crd_sim_time(const crd_sim *sim);
/* Present positions (nq) and velocities (nv). The arrays belong to the simulation and keep their addresses. */
CRD_API const double *crd_sim_qpos(const crd_sim *sim);
CRD_API const double *crd_sim_qvel(const crd_sim *sim);
/* Activations of the actuators (nact, crd_dynamics), part of the state; crd_sim_reset sets them to zero. */
CRD_API const double *crd_sim_act(const crd_sim *sim);
/* Sets the activations (nact; NULL: zero), clamped to their ranges. CRD_ERR_NUMBER: one is not finite; nothing has
 * changed. */
CRD_API crd_status crd_sim_set_act(crd_sim *sim, const double *act, crd_error *err);
/* The energy ledger and the counters, as of now. */
CRD_API crd_sim_energy crd_sim_energy_now(const crd_sim *sim);
CRD_API crd_sim_counters crd_sim_counters_now(const crd_sim *sim);
/* The contacts of the last step, *count of them. The array belongs to the simulation until the next step. */
CRD_API const crd_sim_contact *crd_sim_contacts(const crd_sim *sim, int *count);

/* The readings of the model's sensors (nsensordata; crd_sensor.first and dim locate each). Positions, velocities,
 * controls and activations are of the present state. Readings that need forces are means over the last step,
 * impacts included: accelerations are (qvel - qvel at its start) / h, contact forces impulse / h; NaN after a reset
 * until the first step. May call the control. The array belongs to the simulation until the next call; it is computed
 * once per state. */
CRD_API const double *crd_sim_sensors(const crd_sim *sim);
/* Mean accelerations over the last step (nv, m/s^2 or rad/s^2), impacts included: (qvel - qvel at its start) / h. NaN
 * after a reset or crd_sim_set_state until the next step. The array belongs to the simulation. */
CRD_API const double *crd_sim_qacc(const crd_sim *sim);
/* The readings of the sensor of this name, *dim (may be NULL) numbers. A site of this name, where no sensor has it, reads as
 * an inertial measurement unit: accelerometer and gyro (3 + 3 numbers, the site's axes), valid until the next call.
 * NULL: the model has neither. */
enum { CRD_SIM_INERTIAL = 6 };
CRD_API const double *crd_sim_sensor(const crd_sim *sim, const char *name, int *dim);
/* The reason of the last failure, or the displacement by the reset (clear_start); "" otherwise. */
CRD_API const char *crd_sim_message(const crd_sim *sim);

/* Saves the complete state as bytes: a restored simulation of the same model and options continues with the same bits.
 * The size may grow with the contacts; query it before each save. */
CRD_API size_t crd_sim_saved_size(const crd_sim *sim);
/* CRD_ERR_CAPACITY: the buffer is smaller than that size. */
CRD_API crd_status crd_sim_save(const crd_sim *sim, void *buffer, size_t size);
CRD_API crd_status crd_sim_restore(crd_sim *sim, const void *buffer, size_t size);

/* ------------------------------------------------------------------------------------------------ compliant contact */

/* For comparison, the impact of stiff but deformable bodies [Halm & Posa, section 5.4.1]: Kelvin-Voigt contact and a
 * continuous approximation of Coulomb friction, integrated through the collision,
 *
 *   p_n' = max(0, -k phi - 2 zeta sqrt(k m) phi') where phi <= 0,   p_t' = -mu p_n' u_t / max(|u_t|, slip)
 *
 * ((88) with sqrt(k m), errata; (89), (90)). The collision has ended when no touching contact approaches and every
 * contact that approached at the start has received its share of impulse; a tilted block has not finished after its
 * first corner (errata 4). */
typedef struct crd_compliant_options {
  double stiffness;        /* N/m, of contacts without a stiffness of their own */
  const double *contact_k; /* stiffness of each contact at the start (nc, in the order of the contact problem), NULL */
  double zeta;             /* damping ratio */
  double mass;             /* m in the damping, kg; NaN: all moving bodies together */
  double slip;             /* m/s: below it friction is viscous */
  double delta;            /* m/s: a contact approaches below minus this */
  double share;            /* (1) of the impulse that stops a contact alone; each approaching contact must receive it */
  double distance;         /* m: contacts within this gap at the start take part in the impact */
  double time;             /* s: longest duration */
  double tolerance;        /* relative, of the integration */
  double mu;               /* of all contacts; NaN: those of the model */
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
