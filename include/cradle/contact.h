/* contact: the contact problem at one configuration, the hub that every impact law, analysis and integrator consumes.
 *
 *   M (v+ - v) = J' p + impulse,     u = J v,     W = J M^-1 J'   (Delassus operator)
 *
 * The rows of J are, in order: for each contact its normal row, its tangent rows (none, one for planar or two) and where
 * asked for those of spinning and rolling, then the bilateral rows. u_n > 0 separates. Impulses p have the order of the rows; p_n >= 0 pushes.
 */
#ifndef CRADLE_CONTACT_H
#define CRADLE_CONTACT_H

#include <cradle/collide.h>
#include <cradle/linalg.h>
#include <cradle/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_contact {
  const char *name;
  int row;      /* first row in J: the normal; tangents follow */
  int ntangent; /* 0: frictionless, 1: planar, 2 */
  double mu;    /* coefficient of sliding friction */
  double mu_static;
  double e, e_t;    /* normal and tangential restitution */
  double gap;       /* m; 0 where the problem came from a file */
  int npoint;       /* points of contact merged into this one, which share its impulse equally; 0: no model, or a limit
                     */
  int body1, body2; /* the normal pushes body1 away from body2; -1 where no model is behind the problem */
  int joint;        /* the joint whose limit this is: gap in its unit (m or rad), no tangents, point at its anchor,
                     * normal the direction of the force (slide) or the axis of the moment (hinge, ball) on body1, whose
                     * joint it is. From model->njoint on: that of tendon joint - njoint, placed at its first joint, with no
                     * normal. -1: bodies touch */
  bool upper;       /* of a limit: the upper one */
  double point[3], normal[3], tangent[2][3]; /* world frame; zero where no model is behind the problem */
  /* Torsional and rolling friction (crd_contact_options.torsion), rows of relative angular velocity behind the tangents:
   * a moment of at most mu_spin p_n about the normal, and one of at most mu_roll p_n about axes across it. */
  int nspin, nroll;        /* 0 or 1; 0, 1 (planar) or 2 */
  double mu_spin, mu_roll; /* m */
  double roll[2][3];       /* axes of rolling, world frame */
} crd_contact;

/* Rows of a contact, all of them consecutive. */
static inline int crd_contact_rows(const crd_contact *contact) {
  return 1 + contact->ntangent + contact->nspin + contact->nroll;
}

/* Dry friction of a joint, or of a tendon: a generalised force of at most `bound` (N, N m) opposes its velocity, or the
 * rate of the tendon's length. */
typedef struct crd_dry_friction {
  int dof; /* from nv on: tendon dof - nv */
  double bound;
} crd_dry_friction;

/* All arrays belong to the problem (crd_contact_problem_new). Sizes: n = nv, m = nrow + nb. */
typedef struct crd_contact_problem {
  int nv, nc, nrow, nb;       /* velocities, contacts, contact rows, bilateral rows */
  crd_contact *contact;       /* nc */
  double *v;                  /* n: velocity before the impact */
  double *J;                  /* m x n; NULL where the assembler stands for it (crd_contact_options.jacobian) */
  double *M;                  /* n x n; NULL where the model's factor stands for it */
  double *impulse;            /* n: external generalised impulse, zero where there is none */
  double *restitution_matrix; /* nc x nc, NULL where none is given */
  double *restitution_full; /* n x n, on all kinetic quasi-velocities [Brogliato, (41)]: normal ones in the order of the
                             * contacts, then tangential ones (crd_quasi_tangent); NULL where none is given */
  double
      *force;   /* n: what acts on contacts that last, applied forces less the bias: M qacc = force + J' lambda; N, N m.
                  * NULL: not stated */
  double *rate; /* m: d/dt(J) v, m/s^2; NULL with force */
  double *residual; /* nb: position error of the bilateral rows (m, rad), zero where none is known */
  /* derived */
  double *X; /* m x n: row i is M^-1 J_i'; NULL with J */
  double *W; /* m x m; NULL where `blocks` stands for it */
  crd_blocks
      *blocks;    /* W and the dry friction of joints, m + nf rows, by blocks (crd_contact_options.blocks), else NULL */
  double *u;      /* m: J v */
  double *v_free; /* n: v + M^-1 impulse */
  double *u_free; /* m: J v_free */
  double kinetic; /* 1/2 v' M v; both energies are NaN without J */
  double kinetic_free; /* 1/2 v_free' M v_free */
  /* Joints with dry friction, where asked for. They are not rows of J: a bounded force has no impulse, so that impact
   * laws do not see them; a step of a simulation does (its rows are those of J, then these). */
  int nf;
  crd_dry_friction *dry; /* nf */
  double *W_dry;         /* nf x (m + nf): velocity of the joint for unit impulses on the rows of J, then on all dry;
                          * NULL where `blocks` has them */
  double *u_dry;         /* nf: velocity of the joint */
  struct crd_problem_memory *memory;
} crd_contact_problem;

/* An empty problem; NULL when memory is out. */
CRD_API crd_contact_problem *crd_contact_problem_new(void);
CRD_API void crd_contact_problem_free(crd_contact_problem *problem);

/* Sets the sizes and points all arrays at memory that holds at least them; contents are undefined but for impulse
 * and residual (zero), M (as with_mass_matrix says) and the restitution matrices (NULL). Allocates only when a size
 * grows beyond all earlier ones. */
CRD_API crd_status crd_contact_problem_resize(crd_contact_problem *problem, int nv, int nc, int nrow, int nb,
                                              bool with_mass_matrix);
/* Gives a problem that has its sizes room for nf joints with dry friction. */
CRD_API crd_status crd_contact_problem_add_dry_friction(crd_contact_problem *problem, int nf);
/* Gives the problem a restitution matrix (nc x nc) to be filled by the caller. */
CRD_API crd_status crd_contact_problem_add_restitution_matrix(crd_contact_problem *problem);
/* The same for restitution_full (nv x nv). */
CRD_API crd_status crd_contact_problem_add_restitution_full(crd_contact_problem *problem);
/* Gives the problem a load (force and rate), zero until the caller fills it. */
CRD_API crd_status crd_contact_problem_add_load(crd_contact_problem *problem);
/* A copy of text that lives as long as the problem. */
CRD_API const char *crd_contact_problem_text(crd_contact_problem *problem, const char *text);

/* Makes `to` a problem of its own with the same contents, which needs J and M (CRD_ERR_ARGUMENT); dry friction of
 * joints is left out. CRD_ERR_MEMORY; CRD_SINGULAR: M is not positive definite. */
CRD_API crd_status crd_contact_problem_copy(const crd_contact_problem *from, crd_contact_problem *to);

/* Fills the derived arrays from M, J, v and impulse. CRD_SINGULAR: M is not positive definite. */
CRD_API crd_status crd_contact_problem_complete(crd_contact_problem *problem);

/* v_plus = v_free + M^-1 J' p. */
CRD_API void crd_contact_problem_velocity(const crd_contact_problem *problem, const double *p, double *v_plus);
/* u_plus = u_free + W p. */
CRD_API void crd_contact_problem_contact_velocity(const crd_contact_problem *problem, const double *p, double *u_plus);
/* 1/2 v+' M v+ = kinetic_free + p' (u_free + u_plus) / 2, which needs no M. */
CRD_API double crd_contact_problem_kinetic_after(const crd_contact_problem *problem, const double *p);

/* Who approaches, in all laws and analyses alike. A row's velocity is judged by the largest that motion of this energy
 * could give it, sqrt(2 K W_ii) with the larger of kinetic and kinetic_free (m/s, or the row's unit); what is below
 * CRD_APPROACH of that is rounding. So the verdict is the same in all units and for rows of any length. */
#define CRD_APPROACH 1e-9
CRD_API double crd_contact_problem_speed(const crd_contact_problem *problem, int row);
/* u_n < 0, beyond rounding: there is an impact. */
CRD_API bool crd_contact_problem_approaches(const crd_contact_problem *problem, int contact);
/* u_n = 0 up to rounding: the contact lasts. */
CRD_API bool crd_contact_problem_persists(const crd_contact_problem *problem, int contact);
/* u_t <> 0, beyond rounding; false without tangents. */
CRD_API bool crd_contact_problem_slides(const crd_contact_problem *problem, int contact);

/* ------------------------------------------------------------------------------------------------ from a model */

typedef struct crd_contact_options {
  double distance; /* m; a point with at most this gap is an active contact */
  double mu, e;    /* of all contacts; NaN: those of the geoms and stated pairs */
  double
      merge_tolerance; /* rows that differ by less than this share of their length in the kinetic metric are one (1) */
  bool mass_matrix;    /* fill problem->M too */
  bool jacobian; /* fill problem->J and X too; impact laws and analyses need them, a step of a simulation does not */
  bool names;    /* of the contacts; else "", see crd_contact_names */
  bool limits;   /* joints at a limit are frictionless contacts, behind those of the bodies */
  double limit_distance; /* m, rad; a joint with at most this far to its limit is at it */
  bool torsion;          /* contacts with torsional and rolling friction (condim 4 and 6) have rows of it; steps carry
                          * them, impact laws and analyses know normal and tangents only */
  bool dry_friction;     /* fill nf, dry, W_dry, u_dry with the joints that have frictionloss */
  bool dry_rows; /* or: these joints are bilateral rows behind the loops, by their velocities; residual 0. For whoever
                  * bounds their forces; not for impact laws, to which dry friction is nothing */
  bool
      independent_loops; /* of loop rows that depend on each other (a loop closed twice over) only independent ones: the
                           * others hold with them, to the square root of 1e-11 of the speeds */
  int max_points; /* more points of contact than these: CRD_LIMIT, before memory is taken for their rows; 0: any */
  const bool *loop_rows; /* NULL, or of all rows that the loops could have those to take, whether they depend or not */
  bool
      blocks; /* fill problem->blocks instead of W and W_dry: groups of consecutive rows that act on the same trees, blocks between
                * groups that act on a common tree. Time and memory grow with these blocks; not
                * with jacobian (CRD_ERR_ARGUMENT), which impact laws need */
} crd_contact_options;

/* distance 1e-6, mu and e NaN, merge_tolerance 1e-8, mass_matrix, jacobian, names and limits true, limit_distance 1e-6,
 * torsion, dry_friction, dry_rows, independent_loops and blocks false, max_points 0, loop_rows NULL. */
CRD_API crd_contact_options crd_contact_default(void);

/* Finds contacts and assembles contact problems of one model, which must outlive it; one per thread. NULL: memory. */
typedef struct crd_contact_assembler crd_contact_assembler;
CRD_API crd_contact_assembler *crd_contact_assembler_new(const crd_model *model);
CRD_API void crd_contact_assembler_free(crd_contact_assembler *assembler);

/* The contact problem at a state, everything included: kinematics, factor, collision, assembly. options NULL: the
 * default. CRD_SINGULAR: a joint has no inertia to move (crd_model_workspace_singular_joint). CRD_ERR_NUMBER: the state is
 * not finite. Allocates only when there are more contacts than ever before. */
CRD_API crd_status crd_contact_at_state(crd_contact_assembler *assembler, crd_workspace *work, const double *qpos,
                                        const double *qvel, const crd_contact_options *options,
                                        crd_contact_problem *problem);

/* The same for points already found, after crd_tree_velocity and crd_tree_factor at the same state. Points with a
 * larger gap than options->distance are left out, and those that no motion of the mechanism can open or close. */
CRD_API crd_status crd_contact_assemble(crd_contact_assembler *assembler, crd_workspace *work, const double *qpos,
                                        const double *qvel, const crd_contact_point *point, int npoint,
                                        const crd_contact_options *options, crd_contact_problem *problem);

/* The rows of the problem assembled last, without J: u = J v (m entries, then nf of the joints with dry friction) and
 * dv = M^-1 J' p for impulses p in the same order. The workspace has kinematics and factor of the same state. O(N + m),
 * nothing is allocated. */
CRD_API void crd_contact_velocity(crd_contact_assembler *assembler, crd_workspace *work, const double *v, double *u);
/* After crd_contact_velocity: sums of the sizes of the parts (of the two bodies, of joints) that u is the sum of. */
CRD_API void crd_contact_parts(const crd_contact_assembler *assembler, const double *v, double *sum);
CRD_API void crd_contact_response(crd_contact_assembler *assembler, crd_workspace *work, const double *p, double *dv);
/* dv = M^-1 (J' p + load), load a generalised impulse (nv). */
CRD_API void crd_contact_response_with(crd_contact_assembler *assembler, crd_workspace *work, const double *p,
                                       const double *load, double *dv);
/* tau = J' p (nv): what impulses or forces of the rows are in the joints. */
CRD_API void crd_contact_joint_forces(crd_contact_assembler *assembler, crd_workspace *work, const double *p,
                                      double *tau);

/* Rates of the bilateral rows of the problem assembled last: d/dt(J_b) qvel (nb), so that J_b qacc + bias is what their
 * velocities gain. After crd_tree_velocity at the same state. */
CRD_API void crd_contact_loop_bias(const crd_contact_assembler *assembler, const crd_workspace *work,
                                   const double *qvel, const crd_contact_problem *problem, double *bias);

/* Adds to the accelerations qacc of the mechanism without loops (crd_tree_aba or crd_tree_forward at the same state,
 * which leave the workspace as this wants it) what the forces of its loops add, so that the loops stay closed: W f =
 * -(J_b qacc + bias), qacc += M^-1 J_b' f, of dependent rows independent ones only. force: NULL, or where f goes (nb of
 * `problem`, which is filled without J; room for model->loop[..].rows in all). CRD_ERR_MEMORY, CRD_UNKNOWN (no solution
 * could be computed). Allocates at the first call only. */
CRD_API crd_status crd_contact_hold_loops(crd_contact_assembler *assembler, crd_workspace *work, const double *qpos,
                                          const double *qvel, crd_contact_problem *problem, double *qacc,
                                          double *force);

/* Names of the contacts of the problem assembled last from these points, where options.names was false. */
CRD_API void crd_contact_names(const crd_contact_assembler *assembler, const crd_contact_point *point, int npoint,
                               crd_contact_problem *problem);

/* Of the last crd_contact_at_state: the points found, and for each point (of crd_contact_assemble: as given) the
 * contact of the problem that stands for it, -1 where it was left out. A contact's impulse is shared equally by its
 * points. */
CRD_API const crd_contact_point *crd_contact_points(const crd_contact_assembler *assembler, int *count);
CRD_API const int *crd_contact_of_point(const crd_contact_assembler *assembler);

#ifdef __cplusplus
}
#endif
#endif
