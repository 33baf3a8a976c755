/* tree: the algorithms on the kinematic tree, all O(N) but for the mass matrix.
 *
 * Equation of motion [Jain, eq. 1]:   M(q) qacc + c(q, qvel) = tau + J' f,   c = Coriolis, gyroscopic and gravity
 * forces.
 *
 * Spatial vectors have 6 entries, angular part first, in world axes. A link's spatial velocity is (omega, velocity of
 * the material point at the link's origin); a wrench is (moment about the origin, force). No function allocates; each
 * needs the model, one workspace per thread, and arrays of the caller. Results that later stages read stay in the
 * workspace:
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

/* Poses of all links from qpos. Quaternions in qpos need not be of unit length. */
CRD_API void crd_tree_kinematics(const crd_model *model, crd_workspace *work, const double *qpos);
/* Velocities of all links. After crd_tree_kinematics. */
CRD_API void crd_tree_velocity(const crd_model *model, crd_workspace *work, const double *qvel);

/* World pose of a body, a geom or a site: position and rotation matrix. After crd_tree_kinematics. */
CRD_API void crd_tree_body_pose(const crd_model *model, const crd_workspace *work, int body, double pos[3],
                                double R[9]);
CRD_API void crd_tree_geom_pose(const crd_model *model, const crd_workspace *work, int geom, double pos[3],
                                double R[9]);
CRD_API void crd_tree_site_pose(const crd_model *model, const crd_workspace *work, int site, double pos[3],
                                double R[9]);
/* Spatial velocity at a world point that moves with the body. After crd_tree_velocity. */
CRD_API void crd_tree_point_velocity(const crd_model *model, const crd_workspace *work, int body, const double point[3],
                                     double velocity[6]);

/* A node: a world point that moves with a body, where forces act and velocities are measured [Jain, II-B]. */
typedef struct crd_node {
  int body;
  double point[3];
} crd_node;

/* Spatial velocities (nnode x 6) of nodes for joint velocities v of one's own, J v without J. After
 * crd_tree_kinematics; the velocities in the workspace stay. O(N). */
CRD_API void crd_tree_node_velocities(const crd_model *model, crd_workspace *work, const double *v,
                                      const crd_node *node, int nnode, double *velocity);
/* J (6 x nv, row-major): spatial velocity of the node = J qvel. After crd_tree_kinematics. O(depth). */
CRD_API void crd_tree_jacobian(const crd_model *model, const crd_workspace *work, const crd_node *node, double *J);
/* acc = J qacc + Jdot qvel: rate of the node's velocity (classical acceleration of the point). After crd_tree_velocity.
 * qacc NULL: zero, which leaves the bias Jdot qvel. O(depth). */
CRD_API void crd_tree_point_acceleration(const crd_model *model, const crd_workspace *work, const crd_node *node,
                                         const double *qacc, double acc[6]);

/* ------------------------------------------------------------------------------------------------ dynamics */

/* External wrenches `fext` in the functions below: NULL or nbody x 6, (moment, force) in world axes about each body's
 * frame origin. `tau`: generalised forces, NULL for zero. */

/* Inverse dynamics (recursive Newton-Euler): tau = M qacc + c - J' fext. qacc NULL gives the bias force.
 * After crd_tree_velocity. O(N). */
CRD_API void crd_tree_rnea(const crd_model *model, crd_workspace *work, const double *qacc, const double *fext,
                           double *tau);

/* Forward dynamics (articulated bodies): qacc = M^-1 (tau + J' fext - c). Does kinematics, velocity and factor itself.
 * O(N). CRD_SINGULAR: a joint has no inertia to move (D <= 0); crd_model_workspace_singular_joint tells which; qacc is not
 * written. */
CRD_API crd_status crd_tree_aba(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                const double *tau, const double *fext, double *qacc);

/* Forward dynamics with everything the model has: springs, dampers, gravity compensation, a surrounding medium and
 * actuators on top of the given generalised forces and wrenches. Contacts, limits, joint friction and loops are not in it.
 * Statuses as above. */
CRD_API crd_status crd_tree_forward(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                    const double *act, const double *ctrl, const double *tau, const double *fext,
                                    double *qacc);

/* The articulated-body factor M = (I + H phi K) D (I + H phi K)' at the present poses [Jain, eq. 42]. After
 * crd_tree_kinematics. O(N). CRD_SINGULAR as above. */
CRD_API crd_status crd_tree_factor(const crd_model *model, crd_workspace *work);

/* From now on the factor of this workspace has these inertias (nv) on the joints in place of the model's armature,
 * which makes it one of M + diag(armature - the model's); NULL: the model's again. The array is not copied. What does
 * not use the factor (energies, crd_tree_rnea, crd_tree_crba) keeps to the model's. */
CRD_API void crd_tree_set_armature(crd_workspace *work, const double *armature);

/* The diagonal of M^-1 (nv): how each velocity yields to a force on itself while all others are free. After
 * crd_tree_factor or crd_tree_aba. O(N). */
CRD_API void crd_tree_mobility(const crd_model *model, crd_workspace *work, double *diagonal);

/* x = M^-1 f (arrays of nv, may be the same). After crd_tree_factor or crd_tree_aba. O(N). */
CRD_API void crd_tree_solve(const crd_model *model, crd_workspace *work, const double *f, double *x);
/* The same for the trees that the links first .. last are, one whole tree or several; entries of f and x that belong to
 * others are not touched. */
CRD_API void crd_tree_solve_trees(const crd_model *model, crd_workspace *work, int first, int last, const double *f,
                                  double *x);

/* dv = M^-1 J' p: velocity jump caused by the impulses p (nnode x 6: moment about the node's point, force) [Jain, eq.
 * 7]. After crd_tree_factor or crd_tree_aba. O(N). */
CRD_API void crd_tree_impulse(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                              const double *p, double *dv);

/* dv = M^-1 (tau + J' p): the same with generalised impulses tau (nv, NULL: zero) besides. */
CRD_API void crd_tree_response(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                               const double *p, const double *tau, double *dv);
/* tau += J' f: generalised forces of wrenches f on the nodes (nnode x 6: moment about the node's point, force). After
 * crd_tree_kinematics. O(N). */
CRD_API void crd_tree_joint_forces(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode,
                                   const double *f, double *tau);
/* Spatial velocity of a node in the motion that the last crd_tree_solve, _impulse or _response found. O(1). */
CRD_API void crd_tree_response_at(const crd_model *model, const crd_workspace *work, const crd_node *node,
                                  double velocity[6]);

/* Operational-space compliance matrix Lambda = J M^-1 J' of a set of nodes (6 nnode x 6 nnode, row-major, symmetric),
 * without M and without J: upsilon by a base-to-tips scatter [Jain, eq. 52], off-diagonal blocks by (53), only along
 * the paths that the nodes need, blocks by (54). Nodes may share a body; nodes on fixed bodies give zero rows. After
 * crd_tree_factor or crd_tree_aba. O(N) + O(nnode^2). CRD_ERR_MEMORY: the workspace could not grow to nnode nodes (it
 * keeps what it has; call crd_model_workspace_reserve_nodes beforehand where nothing may be allocated). */
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

/* ------------------------------------------------------------------------------------------------ forces, energy,
 * momentum */

/* Adds joint springs and dampers: tau -= k (q - springref) + d qvel. */
CRD_API void crd_tree_passive(const crd_model *model, const double *qpos, const double *qvel, double *tau);
/* Adds springs and dampers of tendons (crd_tendon_def). Leaves the kinematics of qpos where there are spatial ones. */
CRD_API void crd_tree_tendon_forces(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                    double *tau);
/* u' D w, D the damping matrix of the tendons: the power their dampers take is qvel' D qvel. */
CRD_API double crd_tree_tendon_damping(const crd_model *model, crd_workspace *work, const double *qpos, const double *u,
                                       const double *w);
/* Energy of the tendons' springs, J. */
CRD_API double crd_tree_tendon_energy(const crd_model *model, crd_workspace *work, const double *qpos);
/* Lengths of the tendons and their rates (ntendon each, either may be NULL); and the row of one, dl/dqvel (nv). */
CRD_API void crd_tree_tendons(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                              double *length, double *rate);
CRD_API void crd_tree_tendon_row(const crd_model *model, crd_workspace *work, const double *qpos, int tendon,
                                 double *row);
/* Adds the forces that carry gravcomp times the weight of each body. After crd_tree_kinematics. O(N), nothing where no
 * body has it. */
CRD_API void crd_tree_gravity_compensation(const crd_model *model, crd_workspace *work, double *tau);
/* Adds the forces of the surrounding medium (density, viscosity, wind). After crd_tree_velocity. O(N), nothing where
 * there is none. */
CRD_API void crd_tree_medium(const crd_model *model, crd_workspace *work, double *tau);
/* Lengths of the actuators' transmissions and their rates (nactuator each, either may be NULL). */
CRD_API void crd_tree_transmissions(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                    double *length, double *rate);
/* Moment of an actuator: dl/dqvel (nv), its generalised force for unit force. */
CRD_API void crd_tree_moment(const crd_model *model, crd_workspace *work, const double *qpos, int actuator,
                             double *moment);
/* Forces of the actuators along their transmissions (nactuator), clamped to their own ranges. act (nact), ctrl NULL:
 * zero. */
CRD_API void crd_tree_actuator_forces(const crd_model *model, crd_workspace *work, const double *qpos,
                                      const double *qvel, const double *act, const double *ctrl, double *force);
/* Adds actuator forces (formula at crd_actuator_def; act, ctrl NULL: zero), clamped where a joint limits their sum; where a
 * joint's actuators carry gravity, less what the range leaves of the forces of gravcomp, so that with
 * crd_tree_gravity_compensation the sum is clamped (the kinematics in the workspace are then those of qpos). The
 * length of an actuator on a ball or free joint does not enter (bias[1] and gain[1] have to be 0 there, the build
 * checks). */
CRD_API void crd_tree_actuation(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                                const double *act, const double *ctrl, double *tau);
/* Rates a' of the activations (nact; formulas at crd_dynamics), and -da'/da (nact, 1/s, may be NULL; of a muscle at fixed
 * time T). */
CRD_API void crd_tree_activation_rate(const crd_model *model, const double *act, const double *ctrl, double *rate,
                                      double *decay);
/* Rates (nact) become zero where they lead out of an activation's range. */
CRD_API void crd_tree_hold_activation(const crd_model *model, const double *act, double *rate);
/* Activations into their ranges. */
CRD_API void crd_tree_clamp_activation(const crd_model *model, double *act);

/* What sensors read beside the poses and velocities in the workspace. */
typedef struct crd_sensor_state {
  double time; /* s */
  const double *qpos, *qvel;
  const double *act, *ctrl; /* NULL: zero */
  const double *qacc; /* of the whole motion, contacts included; NULL: accelerations, forces and torques are NaN */
  const double *fext; /* NULL or nbody x 6 as above: wrenches on the bodies from outside the tree (contacts, loops) */
} crd_sensor_state;
/* Data of all sensors (nsensordata). After crd_tree_velocity at the same state. */
CRD_API void crd_tree_sensors(const crd_model *model, crd_workspace *work, const crd_sensor_state *state, double *data);

/* Kinetic energy 1/2 qvel' M qvel, armature included. After crd_tree_velocity. */
CRD_API double crd_tree_kinetic_energy(const crd_model *model, const crd_workspace *work, const double *qvel);
/* Potential energy of gravity (less what gravcomp carries) and springs of joints and tendons; zero of gravity at the world's origin.
 * After crd_tree_kinematics. */
CRD_API double crd_tree_potential_energy(const crd_model *model, crd_workspace *work, const double *qpos);
/* Linear momentum, angular momentum about the world's origin (3 + 3, angular first), and the centre of mass of the
 * moving bodies (may be NULL). After crd_tree_velocity. Armature carries no momentum. */
CRD_API void crd_tree_momentum(const crd_model *model, const crd_workspace *work, double momentum[6], double com[3]);

/* qpos moved along the velocity field: q(+) = q (+) h qvel, quaternions by the exponential map, result normalised. In
 * place allowed. */
CRD_API void crd_tree_integrate_position(const crd_model *model, const double *qpos, const double *qvel, double h,
                                         double *qpos_out);

/* ------------------------------------------------------------------------------------------------ maximal coordinates
 */

/* The state of crd_tree_maximal(model) that shows the same motion. work: of model. CRD_ERR_MEMORY. */
CRD_API crd_status crd_tree_to_maximal(const crd_model *model, crd_workspace *work, const double *qpos,
                                       const double *qvel, const crd_model *maximal, double *qpos_out,
                                       double *qvel_out);
/* And back; work: of maximal. Where loops are not quite closed, what lies in the joints' coordinates is taken. qpos
 * comes with a guess of the hinge angles, from which they differ by less than half a turn. */
CRD_API crd_status crd_tree_from_maximal(const crd_model *model, const crd_model *maximal, crd_workspace *work,
                                         const double *qpos_in, const double *qvel_in, double *qpos, double *qvel);

#ifdef __cplusplus
}
#endif
#endif
