/* tree: the algorithms on the kinematic tree. All are O(N) except the mass matrix.
 *
 * Equation of motion [Jain, eq. 1]:   M(q) qacc + c(q, qvel) = tau + J' f,   c = Coriolis, gyroscopic and gravity
 * forces.
 *
 * Spatial vectors have 6 entries, angular part first, in world axes. The spatial velocity of a link is (omega in rad/s,
 * velocity of the material point at the link's origin in m/s); a wrench is (moment about the origin in N m, force in
 * N). Each function needs the model, a workspace and arrays of the caller; each thread has its own workspace. No
 * function allocates unless its comment says so. Results for later stages stay in the workspace:
 *
 *   stage                      reads            writes into the workspace
 *   crd_tree_kinematics        qpos             pose of every link
 *   crd_tree_velocity          qvel, poses      velocity of every link
 *   crd_tree_factor            poses            articulated-body factor of M  [Jain, eq. 42]
 *   crd_tree_aba               qpos, qvel, tau  all three
 *   crd_tree_oscm, _solve, _impulse, _response   factor    nothing
 *   crd_tree_crba, _rnea, Jacobians   poses (and velocities)    nothing
 */
#ifndef CRADLE_TREE_H
#define CRADLE_TREE_H

#include <cradle/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ kinematics */

/* Computes the poses of all links from qpos (nq). Quaternions in qpos need not have unit length. */
CRD_API void crd_tree_kinematics(const crd_model *model, crd_workspace *work, const double *qpos);
/* Computes the velocities of all links from qvel (nv). After crd_tree_kinematics. */
CRD_API void crd_tree_velocity(const crd_model *model, crd_workspace *work, const double *qvel);

/* World pose of a body, a geom or a site: position (m) and rotation matrix (row-major, to world axes). After
 * crd_tree_kinematics. */
CRD_API void crd_tree_body_pose(const crd_model *model, const crd_workspace *work, int body, double pos[3],
                                double R[9]);
CRD_API void crd_tree_geom_pose(const crd_model *model, const crd_workspace *work, int geom, double pos[3],
                                double R[9]);
CRD_API void crd_tree_site_pose(const crd_model *model, const crd_workspace *work, int site, double pos[3],
                                double R[9]);
/* Spatial velocity of a body at a world point (m) that moves with it. After crd_tree_velocity. */
CRD_API void crd_tree_point_velocity(const crd_model *model, const crd_workspace *work, int body, const double point[3],
                                     double velocity[6]);

/* A node: a world point that moves with a body, where forces act and velocities are measured [Jain, II-B]. */
typedef struct crd_node {
  int body;
  double point[3]; /* m, world frame */
} crd_node;

/* Spatial velocities (nnode x 6) of nodes for given joint velocities v (nv): J v, without forming J. After
 * crd_tree_kinematics; the velocities in the workspace stay. O(N). */
CRD_API void crd_tree_node_velocities(const crd_model *model, crd_workspace *work, const double *v,
                                      const crd_node *node, int nnode, double *velocity);
/* J (6 x nv, row-major): spatial velocity of the node = J qvel. After crd_tree_kinematics. O(depth). */
CRD_API void crd_tree_jacobian(const crd_model *model, const crd_workspace *work, const crd_node *node, double *J);
/* acc = J qacc + Jdot qvel: rate of the node's velocity (classical acceleration of the point). qacc (nv) NULL: zero,
 * which leaves the bias Jdot qvel. After crd_tree_velocity. O(depth). */
CRD_API void crd_tree_point_acceleration(const crd_model *model, const crd_workspace *work, const crd_node *node,
                                         const double *qacc, double acc[6]);

/* ------------------------------------------------------------------------------------------------ dynamics */

/* In the functions below, fext are external wrenches: NULL or nbody x 6, (moment, force) in world axes about the origin
 * of each body's frame. tau (nv) are generalised forces in N or N m; NULL: zero. */

/* Inverse dynamics by recursive Newton-Euler: tau = M qacc + c - J' fext. qacc NULL gives the bias force.
 * After crd_tree_velocity. O(N). */
CRD_API void crd_tree_rnea(const crd_model *model, crd_workspace *work, const double *qacc, const double *fext,
                           double *tau);

/* Forward dynamics by articulated bodies: qacc = M^-1 (tau + J' fext - c). Includes kinematics, velocity and factor.
 * O(N). CRD_SINGULAR: a joint moves no inertia (D <= 0); crd_model_workspace_singular_joint returns it, and qacc is not
 * written. */
CRD_API crd_status crd_tree_aba(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                const double *tau, const double *fext, double *qacc);

/* Forward dynamics with all smooth forces of the model: springs, dampers, gravity compensation, a surrounding medium
 * and actuators, in addition to the given generalised forces and wrenches. act (nact) and ctrl (nactuator): NULL is
 * zero. Contacts, limits, joint friction and loops are not included. Statuses as above. */
CRD_API crd_status crd_tree_forward(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                    const double *act, const double *ctrl, const double *tau, const double *fext,
                                    double *qacc);

/* The articulated-body factor M = (I + H phi K) D (I + H phi K)' at the present poses [Jain, eq. 42]. After
 * crd_tree_kinematics. O(N). CRD_SINGULAR as above. */
CRD_API crd_status crd_tree_factor(const crd_model *model, crd_workspace *work);

/* Replaces the model's armature by these inertias (nv) in later factors of this workspace, which then factor M +
 * diag(armature - the model's armature). NULL restores the model's. The array is not copied and must live as long as it
 * is set. Functions that do not use the factor (energies, crd_tree_rnea, crd_tree_crba) keep the model's armature. */
CRD_API void crd_tree_set_armature(crd_workspace *work, const double *armature);

/* The diagonal of M^-1 (nv): the compliance of each velocity to its own force while all others are free. After
 * crd_tree_factor or crd_tree_aba. O(N). */
CRD_API void crd_tree_mobility(const crd_model *model, crd_workspace *work, double *diagonal);

/* x = M^-1 f (arrays of nv, may be the same). After crd_tree_factor or crd_tree_aba. O(N). */
CRD_API void crd_tree_solve(const crd_model *model, crd_workspace *work, const double *f, double *x);
/* The same for the links first .. last, which must be one or several whole trees. Entries of f and x that belong to
 * other trees are not touched. */
CRD_API void crd_tree_solve_trees(const crd_model *model, crd_workspace *work, int first, int last, const double *f,
                                  double *x);

/* dv = M^-1 J' p: velocity jump caused by the impulses p (nnode x 6: moment about the node's point, force) [Jain, eq.
 * 7]. After crd_tree_factor or crd_tree_aba. O(N). */
CRD_API void crd_tree_impulse(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                              const double *p, double *dv);

/* dv = M^-1 (tau + J' p): the same with additional generalised impulses tau (nv, NULL: zero). */
CRD_API void crd_tree_response(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                               const double *p, const double *tau, double *dv);
/* tau += J' f: generalised forces of wrenches f on the nodes (nnode x 6: moment about the node's point, force). After
 * crd_tree_kinematics. O(N). */
CRD_API void crd_tree_joint_forces(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                                   const double *f, double *tau);
/* Spatial velocity of a node under the velocities that the last crd_tree_solve, _impulse or _response returned. O(1). */
CRD_API void crd_tree_response_at(const crd_model *model, const crd_workspace *work, const crd_node *node,
                                  double velocity[6]);

/* Operational-space compliance matrix Lambda = J M^-1 J' of a set of nodes (6 nnode x 6 nnode, row-major, symmetric),
 * without M and without J: upsilon by a base-to-tips scatter [Jain, eq. 52], off-diagonal blocks by (53) along the
 * paths to the nodes only, blocks by (54). Nodes may share a body; nodes on fixed bodies give zero rows. After
 * crd_tree_factor or crd_tree_aba. O(N) + O(nnode^2). Allocates if nnode exceeds the capacity of the workspace
 * (crd_model_workspace_reserve_nodes). CRD_ERR_MEMORY: the workspace could not grow and is unchanged. */
CRD_API crd_status crd_tree_oscm(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                                 double *Lambda);

/* Mass matrix (nv x nv, row-major, symmetric, armature included) by composite rigid bodies. After crd_tree_kinematics.
 * O(N depth). */
CRD_API void crd_tree_crba(const crd_model *model, crd_workspace *work, double *M);
/* In place M = L' L with the sparsity of the tree (L lower triangular, upper part untouched) [Featherstone 2008, 6.5].
 * CRD_SINGULAR: a pivot is not positive; M is then spoiled. */
CRD_API crd_status crd_tree_crba_factor(const crd_model *model, double *M);
/* x = M^-1 x from that factor. */
CRD_API void crd_tree_crba_solve(const crd_model *model, const double *L, double *x);

/* ------------------------------------------------------------------------------- forces, energy, momentum
 * Functions that add forces add them to tau (nv, N or N m). */

/* Adds joint springs and dampers: tau -= k (q - springref) + d qvel. */
CRD_API void crd_tree_passive(const crd_model *model, const double *qpos, const double *qvel, double *tau);
/* Adds springs and dampers of tendons (crd_tendon_def). With spatial tendons, the workspace then has the kinematics of
 * qpos. */
CRD_API void crd_tree_tendon_forces(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                    double *tau);
/* u' D w, where D is the damping matrix of the tendons; their dampers dissipate the power qvel' D qvel. */
CRD_API double crd_tree_tendon_damping(const crd_model *model, crd_workspace *work, const double *qpos, const double *u,
                                       const double *w);
/* Energy of the tendons' springs, J. */
CRD_API double crd_tree_tendon_energy(const crd_model *model, crd_workspace *work, const double *qpos);
/* Lengths of the tendons (m or rad) and their rates (ntendon each, either may be NULL). */
CRD_API void crd_tree_tendons(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                              double *length, double *rate);
/* The row dl/dqvel (nv) of one tendon. */
CRD_API void crd_tree_tendon_row(const crd_model *model, crd_workspace *work, const double *qpos, int tendon,
                                 double *row);
/* Adds the forces that carry gravcomp times the weight of each body. After crd_tree_kinematics. O(N); does nothing if
 * no body has gravcomp. */
CRD_API void crd_tree_gravity_compensation(const crd_model *model, crd_workspace *work, double *tau);
/* Adds the forces of the surrounding medium (density, viscosity, wind). After crd_tree_velocity. O(N); does nothing
 * without a medium. */
CRD_API void crd_tree_medium(const crd_model *model, crd_workspace *work, double *tau);
/* Lengths of the actuators' transmissions and their rates (nactuator each, either may be NULL). */
CRD_API void crd_tree_transmissions(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                    double *length, double *rate);
/* Moment of an actuator: dl/dqvel (nv), the generalised force of a unit force along its transmission. */
CRD_API void crd_tree_moment(const crd_model *model, crd_workspace *work, const double *qpos, int actuator,
                             double *moment);
/* Forces of the actuators along their transmissions (nactuator), clamped to their own ranges. act (nact), ctrl NULL:
 * zero. */
CRD_API void crd_tree_actuator_forces(const crd_model *model, crd_workspace *work, const double *qpos,
                                      const double *qvel, const double *act, const double *ctrl, double *force);
/* Adds actuator forces (formula at crd_actuator_def; act, ctrl NULL: zero), clamped if a joint limits their sum. If the
 * actuators of a joint carry gravity, the joint's range applies to the sum with the forces of
 * crd_tree_gravity_compensation, and the workspace then has the kinematics of qpos. The length of an actuator on a ball
 * or free joint has no influence (the build requires bias[1] = gain[1] = 0 there). */
CRD_API void crd_tree_actuation(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                const double *act, const double *ctrl, double *tau);
/* Rates a' of the activations (nact; formulas at crd_dynamics), and -da'/da (nact, 1/s, may be NULL; of a muscle at
 * fixed time T). */
CRD_API void crd_tree_activation_rate(const crd_model *model, const double *act, const double *ctrl, double *rate,
                                      double *decay);
/* Sets those rates (nact) to zero that lead out of an activation's range. */
CRD_API void crd_tree_hold_activation(const crd_model *model, const double *act, double *rate);
/* Clamps the activations act (nact) to their ranges. */
CRD_API void crd_tree_clamp_activation(const crd_model *model, double *act);

/* Inputs of sensors, in addition to the poses and velocities in the workspace. */
typedef struct crd_sensor_state {
  double time;               /* s */
  const double *qpos, *qvel; /* nq, nv */
  const double *act, *ctrl;  /* nact, nactuator; NULL: zero */
  const double *qacc; /* nv: of the whole motion, contacts included; NULL: accelerations, forces and torques are NaN */
  const double *fext; /* NULL or nbody x 6 as above: wrenches on the bodies from outside the tree (contacts, loops) */
} crd_sensor_state;
/* Computes the data of all sensors (nsensordata). After crd_tree_velocity at the same state. */
CRD_API void crd_tree_sensors(const crd_model *model, crd_workspace *work, const crd_sensor_state *state, double *data);

/* Kinetic energy 1/2 qvel' M qvel, armature included, in J. After crd_tree_velocity. */
CRD_API double crd_tree_kinetic_energy(const crd_model *model, const crd_workspace *work, const double *qvel);
/* Potential energy of gravity (without the part that gravcomp carries) and of the springs of joints and tendons, in J.
 * Gravity's is zero at the world's origin. After crd_tree_kinematics. */
CRD_API double crd_tree_potential_energy(const crd_model *model, crd_workspace *work, const double *qpos);
/* momentum: angular momentum about the world's origin (kg m^2/s), then linear momentum (kg m/s). com (m, may be NULL):
 * the centre of mass of the moving bodies. After crd_tree_velocity. Armature carries no momentum. */
CRD_API void crd_tree_momentum(const crd_model *model, const crd_workspace *work, double momentum[6], double com[3]);

/* Moves qpos along qvel for the time h (s): quaternions by the exponential map, then normalised. qpos_out may be qpos. */
CRD_API void crd_tree_integrate_position(const crd_model *model, const double *qpos, const double *qvel, double h,
                                         double *qpos_out);

/* ------------------------------------------------------------------------------- maximal coordinates */

/* Converts a state of the model to the state of crd_model_maximal(model) with the same motion. work belongs to model.
 * CRD_ERR_MEMORY. */
CRD_API crd_status crd_tree_to_maximal(const crd_model *model, crd_workspace *work, const double *qpos,
                                       const double *qvel, const crd_model *maximal, double *qpos_out,
                                       double *qvel_out);
/* The inverse; work belongs to maximal. If a loop is slightly open, only the part within the joint's coordinate counts.
 * On entry, qpos has a guess of the hinge angles, each within half a turn of its true value. */
CRD_API crd_status crd_tree_from_maximal(const crd_model *model, const crd_model *maximal, crd_workspace *work,
                                         const double *qpos_in, const double *qvel_in, double *qpos, double *qvel);

#ifdef __cplusplus
}
#endif
#endif
