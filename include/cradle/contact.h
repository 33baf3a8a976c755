/* contact: the contact problem at one configuration, the hub that every impact law, analysis and integrator consumes.
 *
 *   M (v+ - v) = J' p + impulse,     u = J v,     W = J M^-1 J'   (Delassus operator)
 *
 * The rows of J are, in order: for each contact its normal row, its tangent rows (none, one for planar contact, or two)
 * and on request the rows of spinning and rolling; then the bilateral rows. u_n > 0 separates. Impulses p (N s, N m s)
 * have the order of the rows; p_n >= 0 pushes.
 */
#ifndef CRADLE_CONTACT_H
#define CRADLE_CONTACT_H

#include <cradle/collide.h>
#include <cradle/linalg.h>
#include <cradle/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A contact of bodies, or a joint or tendon at its limit. */
typedef struct crd_contact {
  const char *name; /* belongs to the problem */
  int row;          /* first row in J: the normal; tangents follow */
  int ntangent;     /* 0: frictionless, 1: planar, 2: spatial */
  double mu;        /* (1) coefficient of sliding friction */
  double mu_static; /* (1) coefficient of static friction */
  double e, e_t;    /* (1) normal and tangential restitution */
  double gap;       /* m; 0 if the problem came from a file */
  int npoint;       /* points merged into this contact, which share its impulse equally; 0: no model, or a limit */
  int body1, body2; /* the normal pushes body1 away from body2; -1: the problem has no model */
  /* Limits: id of the joint, or model->njoint + id of the tendon; -1: a contact of bodies. The gap is in the unit of
   * the joint (m or rad), there are no tangents, and the point is at the anchor. The normal is the direction of the
   * force (slide) or the axis of the moment (hinge, ball) on body1, to which the joint belongs. A tendon has its point
   * at its first joint and no normal. */
  int joint;
  bool upper;                                /* of a limit: the upper one */
  double point[3], normal[3], tangent[2][3]; /* world frame (m, 1, 1); zero if the problem has no model */
  /* Torsional and rolling friction (crd_contact_options.torsion) has rows of relative angular velocity behind the
   * tangents: a moment of at most mu_spin p_n about the normal, and one of at most mu_roll p_n about axes across it. */
  int nspin, nroll;        /* 0 or 1; 0, 1 (planar) or 2 */
  double mu_spin, mu_roll; /* m */
  double roll[2][3];       /* axes of rolling, world frame, unit length */
} crd_contact;

/* Number of rows of a contact; they are consecutive. */
static inline int crd_contact_rows(const crd_contact *contact) {
  return 1 + contact->ntangent + contact->nspin + contact->nroll;
}

/* Has it torsional or rolling friction, other than with coefficients of zero? */
static inline bool crd_contact_resists_turning(const crd_contact *contact) {
  return (contact->nspin > 0 && contact->mu_spin > 0) || (contact->nroll > 0 && contact->mu_roll > 0);
}

/* Dry friction of a joint or tendon: a generalised force of at most `bound` opposes its velocity, or the rate of the
 * tendon's length. */
typedef struct crd_dry_friction {
  int dof;      /* velocity of the joint; from nv on: tendon dof - nv */
  double bound; /* N or N m */
} crd_dry_friction;

/* The contact problem. All arrays belong to it (crd_contact_problem_new). Sizes: n = nv, m = nrow + nb. Matrices are
 * row-major; velocities are in m/s or rad/s, impulses in N s or N m s. */
typedef struct crd_contact_problem {
  int nv, nc, nrow, nb;       /* velocities, contacts, contact rows, bilateral rows */
  crd_contact *contact;       /* nc */
  double *v;                  /* n: velocity before the impact */
  double *J;                  /* m x n; NULL if the assembler replaces it (crd_contact_options.jacobian) */
  double *M;                  /* n x n; NULL if the model's factor replaces it */
  double *impulse;            /* n: external generalised impulse, zero if there is none */
  double *restitution_matrix; /* nc x nc; NULL: not given */
  double *restitution_full; /* n x n, on all kinetic quasi-velocities [Brogliato, (41)]: normal ones in the order of the
                               * contacts, then tangential ones (crd_quasi_tangent); NULL: not given */
  double *force;            /* n: load on persistent contacts, applied forces minus bias, M qacc = force + J' lambda; N
                               * or N m; NULL: not given */
  double *rate;             /* m: d/dt(J) v, m/s^2; NULL if force is NULL */
  double *residual;         /* nb: position error of the bilateral rows (m or rad), zero if unknown */
  /* Derived by crd_contact_problem_complete, crd_contact_at_state or crd_contact_assemble. */
  double *X;           /* m x n: row i is M^-1 J_i'; NULL if J is NULL */
  double *W;           /* m x m: Delassus operator; NULL if `blocks` replaces it */
  crd_blocks *blocks;  /* W and dry friction by blocks, m + nf rows (crd_contact_options.blocks); else NULL */
  double *u;           /* m: J v */
  double *v_free;      /* n: v + M^-1 impulse */
  double *u_free;      /* m: J v_free */
  double kinetic;      /* J: 1/2 v' M v; NaN without J */
  double kinetic_free; /* J: 1/2 v_free' M v_free; NaN without J */
  /* Joints with dry friction, on request. They are not rows of J: a bounded force has no impulse, so impact laws ignore
   * them. A step of a simulation has the rows of J, then these. */
  int nf;
  crd_dry_friction *dry; /* nf */
  double *W_dry; /* nf x (m + nf): velocity of the joint for unit impulses on the rows of J, then on all joints of
                          * `dry`; NULL if `blocks` has them */
  double *u_dry; /* nf: velocity of the joint */
  struct crd_problem_memory *memory; /* private */
} crd_contact_problem;

/* The first contact with torsional or rolling friction, which few laws and no analysis know; -1: none. */
static inline int crd_contact_problem_turning(const crd_contact_problem *problem) {
  for (int c = 0; c < problem->nc; c++)
    if (crd_contact_resists_turning(&problem->contact[c])) return c;
  return -1;
}

/* An empty problem, to be freed by the caller; NULL if memory is out. */
CRD_API crd_contact_problem *crd_contact_problem_new(void);
/* Frees the problem and all its arrays; NULL does nothing. */
CRD_API void crd_contact_problem_free(crd_contact_problem *problem);

/* Sets the sizes and makes all arrays at least that long. Their contents are undefined, except impulse and residual
 * (zero) and the restitution matrices (NULL); M is NULL unless with_mass_matrix. Allocates only if a size exceeds all
 * earlier ones. CRD_ERR_MEMORY. */
CRD_API crd_status crd_contact_problem_resize(crd_contact_problem *problem, int nv, int nc, int nrow, int nb,
                                              bool with_mass_matrix);
/* Gives a problem of set sizes room for nf joints with dry friction. CRD_ERR_MEMORY, as in the next functions. */
CRD_API crd_status crd_contact_problem_add_dry_friction(crd_contact_problem *problem, int nf);
/* Gives the problem a restitution matrix (nc x nc) for the caller to fill. */
CRD_API crd_status crd_contact_problem_add_restitution_matrix(crd_contact_problem *problem);
/* The same for restitution_full (nv x nv). */
CRD_API crd_status crd_contact_problem_add_restitution_full(crd_contact_problem *problem);
/* Gives the problem a load (force and rate), zero until the caller fills it. */
CRD_API crd_status crd_contact_problem_add_load(crd_contact_problem *problem);
/* A copy of text that lives as long as the problem; NULL if memory is out. */
CRD_API const char *crd_contact_problem_text(crd_contact_problem *problem, const char *text);

/* Copies a problem with J and M into `to`, without the dry friction of joints. CRD_ERR_ARGUMENT: J or M is missing;
 * CRD_ERR_MEMORY; CRD_SINGULAR: M is not positive definite. */
CRD_API crd_status crd_contact_problem_copy(const crd_contact_problem *from, crd_contact_problem *to);

/* Computes the derived arrays from M, J, v and impulse. CRD_SINGULAR: M is not positive definite. */
CRD_API crd_status crd_contact_problem_complete(crd_contact_problem *problem);

/* v_plus (nv) = v_free + M^-1 J' p, for impulses p (m). Needs X, as the next functions need W. */
CRD_API void crd_contact_problem_velocity(const crd_contact_problem *problem, const double *p, double *v_plus);
/* u_plus (m) = u_free + W p. */
CRD_API void crd_contact_problem_contact_velocity(const crd_contact_problem *problem, const double *p, double *u_plus);
/* Kinetic energy after impulses p, in J: 1/2 v+' M v+ = kinetic_free + p' (u_free + u_plus) / 2, without M. */
CRD_API double crd_contact_problem_kinetic_after(const crd_contact_problem *problem, const double *p);

/* One test of approach serves all laws and analyses. A row's velocity is compared with the largest one that a motion of
 * this energy can have, sqrt(2 K W_ii) with the larger of kinetic and kinetic_free; smaller values than CRD_APPROACH
 * (1) times this are rounding errors. The verdict is therefore the same in all units and for rows of any length. */
#define CRD_APPROACH 1e-9
/* This largest velocity of a row, in its unit. */
CRD_API double crd_contact_problem_speed(const crd_contact_problem *problem, int row);
/* u_n < 0 beyond rounding: an impact. */
CRD_API bool crd_contact_problem_approaches(const crd_contact_problem *problem, int contact);
/* u_n = 0 up to rounding: the contact persists. */
CRD_API bool crd_contact_problem_persists(const crd_contact_problem *problem, int contact);
/* u_t <> 0 beyond rounding; false without tangents. */
CRD_API bool crd_contact_problem_slides(const crd_contact_problem *problem, int contact);

/* ------------------------------------------------------------------------------------------------ from a model */

typedef struct crd_contact_options {
  double distance; /* m; a point with at most this gap is an active contact */
  double mu, e;    /* (1) of all contacts; NaN: those of the geoms and stated pairs */
  /* (1) rows are merged if they differ by less than this fraction of their length in the kinetic metric */
  double merge_tolerance;
  bool mass_matrix; /* also fill problem->M */
  bool jacobian; /* also fill problem->J and X; impact laws and analyses need them, a step of a simulation does not */
  bool names;    /* name the contacts; false: "", see crd_contact_names */
  bool limits;   /* joints at a limit are frictionless contacts, behind those of the bodies */
  double limit_distance; /* m or rad; a joint within this distance of its limit is at the limit */
  /* instead: exactly these nlimit_points limits, in this order and whatever their gaps. geomB is the joint, or njoint
   * + the tendon; index is 1 for an upper limit; the rest is not read. NULL: those within limit_distance */
  const crd_contact_point *limit_points;
  int nlimit_points;
  bool torsion;      /* contacts with torsional and rolling friction (condim 4 and 6) have rows for it. Steps of a
                           * simulation support them; impact laws and analyses support normals and tangents only */
  bool dry_friction; /* fill nf, dry, W_dry, u_dry with the joints that have frictionloss */
  bool dry_rows;     /* instead: these joints are bilateral rows behind the loops, with their velocities and residual 0,
                           * for callers that bound their forces; not for impact laws, which ignore dry friction */
  /* take only independent loop rows (a loop may be closed redundantly); the others then hold to the square root of
   * 1e-11 of the speeds */
  bool independent_loops;
  int max_points;        /* CRD_LIMIT for more contact points, before memory is taken for their rows; 0: no limit */
  const bool *loop_rows; /* flags of the possible loop rows: take exactly these, dependent or not; NULL: choose */
  bool blocks; /* fill problem->blocks instead of W and W_dry. Consecutive rows that act on the same trees are a
                           * group; two groups have a block if they share a tree. Time and memory are proportional to
                           * the blocks. CRD_ERR_ARGUMENT with jacobian */
} crd_contact_options;

/* The defaults: distance 1e-6, mu and e NaN, merge_tolerance 1e-8; mass_matrix, jacobian, names and limits true;
 * limit_distance 1e-6; torsion, dry_friction, dry_rows, independent_loops and blocks false; max_points 0, loop_rows
 * NULL. */
CRD_API crd_contact_options crd_contact_default(void);

/* Finds contacts and assembles contact problems of one model, which must outlive it. Each thread has its own. */
typedef struct crd_contact_assembler crd_contact_assembler;
/* An assembler, to be freed by the caller; NULL if memory is out. */
CRD_API crd_contact_assembler *crd_contact_assembler_new(const crd_model *model);
/* Frees it; NULL does nothing. */
CRD_API void crd_contact_assembler_free(crd_contact_assembler *assembler);

/* Computes the contact problem at a state, including kinematics, factor, collision and assembly. qpos (nq), qvel (nv);
 * options NULL: the default. Allocates only if there are more contacts than ever before. CRD_SINGULAR: a joint moves no
 * inertia (crd_model_workspace_singular_joint); CRD_ERR_NUMBER: the state is not finite; CRD_ERR_MEMORY; CRD_LIMIT:
 * more than options->max_points points. */
CRD_API crd_status crd_contact_at_state(crd_contact_assembler *assembler, crd_workspace *work, const double *qpos,
                                        const double *qvel, const crd_contact_options *options,
                                        crd_contact_problem *problem);

/* The same for given points, after crd_tree_velocity and crd_tree_factor at the same state. Points with a gap above
 * options->distance are left out, and so are points that no motion of the mechanism can open or close. */
CRD_API crd_status crd_contact_assemble(crd_contact_assembler *assembler, crd_workspace *work, const double *qpos,
                                        const double *qvel, const crd_contact_point *point, int npoint,
                                        const crd_contact_options *options, crd_contact_problem *problem);

/* The next functions apply J of the problem assembled last without forming it. The workspace must have kinematics and
 * factor of the same state. u and p have m entries, then nf for the joints with dry friction. O(N + m); they allocate
 * nothing.
 *
 * u = J v. */
CRD_API void crd_contact_velocity(crd_contact_assembler *assembler, crd_workspace *work, const double *v, double *u);
/* After crd_contact_velocity: u is a sum over bodies and joints; sum has the sums of the absolute values of its terms. */
CRD_API void crd_contact_parts(const crd_contact_assembler *assembler, const double *v, double *sum);
/* dv = M^-1 J' p (nv). */
CRD_API void crd_contact_response(crd_contact_assembler *assembler, crd_workspace *work, const double *p, double *dv);
/* dv = M^-1 (J' p + load), with a generalised impulse load (nv). */
CRD_API void crd_contact_response_with(crd_contact_assembler *assembler, crd_workspace *work, const double *p,
                                       const double *load, double *dv);
/* tau = J' p (nv): the generalised impulses or forces of the rows. */
CRD_API void crd_contact_joint_forces(crd_contact_assembler *assembler, crd_workspace *work, const double *p,
                                      double *tau);

/* bias = d/dt(J_b) qvel (nb, m/s^2 or rad/s^2) of the bilateral rows of the problem assembled last; their acceleration
 * is J_b qacc + bias. After crd_tree_velocity at the same state. */
CRD_API void crd_contact_loop_bias(const crd_contact_assembler *assembler, const crd_workspace *work,
                                   const double *qvel, const crd_contact_problem *problem, double *bias);

/* Keeps loops closed: adds the effect of the loop forces f to the accelerations qacc (nv) of the mechanism without
 * loops,
 *   W f = -(J_b qacc + bias),   qacc += M^-1 J_b' f,   with independent rows only.
 * After crd_tree_aba or crd_tree_forward at the same state. Fills `problem` without J. force (NULL: not wanted)
 * receives f: problem->nb numbers, at most the sum of model->loop[..].rows. Allocates only in the first call.
 * CRD_ERR_MEMORY; CRD_UNKNOWN: no solution could be computed. */
CRD_API crd_status crd_contact_hold_loops(crd_contact_assembler *assembler, crd_workspace *work, const double *qpos,
                                          const double *qvel, crd_contact_problem *problem, double *qacc,
                                          double *force);

/* Names the contacts of the problem assembled last from these points, if options.names was false. */
CRD_API void crd_contact_names(const crd_contact_assembler *assembler, const crd_contact_point *point, int npoint,
                               crd_contact_problem *problem);

/* The points found by the last crd_contact_at_state; they belong to the assembler until its next call. */
CRD_API const crd_contact_point *crd_contact_points(const crd_contact_assembler *assembler, int *count);
/* For each point of the last crd_contact_at_state or crd_contact_assemble: the contact that represents it, -1 if it was
 * left out. The points of a contact share its impulse equally. */
CRD_API const int *crd_contact_of_point(const crd_contact_assembler *assembler);

#ifdef __cplusplus
}
#endif
#endif
