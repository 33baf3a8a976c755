/* How far a model of cradle and one of MuJoCo, read from the same file, are apart.
 *
 * Each measure is relative to what it is part of: a body's tensor to its trace, M_ij to sqrt(M_ii M_jj), forces to the
 * largest of the vector; the bias force at least to the weight at the lever arm of a joint, sqrt(m M_ii) g, since it
 * may vanish by cancellation, and accelerations to 1 (m or rad)/s^2. MuJoCo runs without contacts, limits, joint
 * friction and equality constraints, which here are left to the contact solver.
 */
#ifndef TESTS_MUJOCO_AGREEMENT_H
#define TESTS_MUJOCO_AGREEMENT_H

#include <cradle/tree.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum agreement_kind {
  AGREE_MASS,
  AGREE_INERTIA,
  AGREE_POSE,
  AGREE_MATRIX,
  AGREE_BIAS,
  AGREE_TENDON,
  AGREE_PASSIVE,
  AGREE_ACTUATION,
  AGREE_ACTIVATION,
  AGREE_ACCELERATION,
  AGREE_SENSORS,
  AGREE_KINDS
} agreement_kind;

static const char *const agreement_name[AGREE_KINDS] = {"mass",       "inertia",      "pose",          "M",
                                                        "bias",       "tendons",      "passive force", "actuation",
                                                        "activation", "acceleration", "sensor"};

/* The largest difference of each kind over all states compared. */
typedef struct agreement {
  double worst[AGREE_KINDS];
  const int *body; /* id in cradle of each of MuJoCo's bodies, NULL: the same */
} agreement;

static inline int agreement_body(const agreement *a, int i) { return a->body ? a->body[i] : i; }

static inline void agreement_note(agreement *a, agreement_kind kind, double error) {
  if (!(error <= a->worst[kind])) a->worst[kind] = error;
}

/* Largest difference of two vectors, relative to the larger of their largest entry and `scale`. */
static inline double agreement_vector(const double *x, const double *y, int n, double scale) {
  double difference = 0;
  for (int i = 0; i < n; i++) {
    difference = fmax(difference, isfinite(x[i]) && isfinite(y[i]) ? fabs(x[i] - y[i]) : INFINITY);
    scale = fmax(scale, fmax(fabs(x[i]), fabs(y[i])));
  }
  return scale > 0 ? difference / scale : difference;
}

static inline bool agreement_same_sizes(const crd_model *c, const mjModel *m) {
  return c->nq == m->nq && c->nv == m->nv && c->nbody == m->nbody && c->njoint == m->njnt && c->nactuator == m->nu &&
         c->nact == m->na && c->ntendon == m->ntendon;
}

/* R diag(d) R' of a principal inertia, as [xx yy zz xy xz yz]. */
static inline void agreement_tensor(const double quat[4], const double d[3], double out[6]) {
  mjtNum R[9];
  mju_quat2Mat(R, quat);
  static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) {
    out[k] = 0;
    for (int i = 0; i < 3; i++) out[k] += R[3 * axes[k][0] + i] * d[i] * R[3 * axes[k][1] + i];
  }
}

/* Relative difference that a model may show. MuJoCo 2.2.2 keeps the vertices of a mesh as floats and forms their products
 * so, the builds of Debian 12 and 13 round some decimals of an OBJ file to different ones, and it finds principal axes to
 * 1e-6 rad (the gyroscope loses 4e-9 of its tensor by that, 2e-8 of accelerations). MuJoCo 3 does none of this: tests/mujoco3. */
static inline double agreement_allowed(const char *name) {
  if (strcmp(name, "ring") == 0) return 1e-5; /* MuJoCo's iteration for a string inside a ring ends at 1e-6 */
  if (strcmp(name, "gyroscope") == 0) return 1e-7;
  const char *const meshes[] = {"spinning_top", "arm", "gripper", "a mesh is fitted by a primitive"};
  for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
    if (strcmp(name, meshes[i]) == 0) return 1e-6;
  return 1e-9;
}

/* Gives MuJoCo the added masses of cradle's ellipsoids: its quadrature of Lamb's integrals is good to five or six digits (a ball
 * displaces 2.617992e-4 where 2 pi r^3 / 3 is 2.617994e-4). False: they differ by more than such an error. */
static inline bool agreement_added_mass(const crd_model *c, mjModel *m) {
  int next = 0;
  bool close = true;
  for (int g = 0; g < m->ngeom; g++) {
    mjtNum *theirs = m->geom_fluid + mjNFLUID * g;
    while (theirs[0] != 0 && next < c->nimmersed && !c->immersed[next].is_ellipsoid) next++;
    if (theirs[0] == 0 || next == c->nimmersed) continue;
    const crd_immersed *part = &c->immersed[next++];
    close = close && agreement_vector(part->mass, theirs + 6, 3, 0) < 2e-5;
    close = close && agreement_vector(part->inertia, theirs + 9, 3, 0) < 2e-5;
    mju_copy3(theirs + 6, part->mass), mju_copy3(theirs + 9, part->inertia);
  }
  return close;
}

static inline void agreement_bodies(agreement *a, const crd_model *c, const mjModel *m) {
  double total = mj_getTotalmass(m);
  agreement_note(a, AGREE_MASS, fabs(c->mass - total) / fmax(total, 1e-300));
  for (int i = 1; i < m->nbody; i++) {
    const crd_body *body = &c->body[agreement_body(a, i)];
    agreement_note(a, AGREE_MASS, fabs(body->mass - m->body_mass[i]) / fmax(m->body_mass[i], 1e-15 * total));
    if (m->body_mass[i] == 0) continue;
    double ours[6], theirs[6];
    agreement_tensor(body->iquat, body->inertia, ours);
    agreement_tensor(m->body_iquat + 4 * i, m->body_inertia + 3 * i, theirs);
    agreement_note(a, AGREE_INERTIA, agreement_vector(ours, theirs, 6, 0));
    double gyration = sqrt((theirs[0] + theirs[1] + theirs[2]) / m->body_mass[i]);
    agreement_note(a, AGREE_INERTIA, agreement_vector(body->ipos, m->body_ipos + 3 * i, 3, gyration));
  }
}

static inline void agreement_poses(agreement *a, const crd_model *c, const crd_workspace *work, const mjModel *m,
                                   const mjData *d) {
  for (int i = 1; i < m->nbody; i++) {
    double pos[3], R[9];
    crd_tree_body_pose(c, work, agreement_body(a, i), pos, R);
    agreement_note(a, AGREE_POSE, agreement_vector(pos, d->xpos + 3 * i, 3, 1));
    agreement_note(a, AGREE_POSE, agreement_vector(R, d->xmat + 9 * i, 9, 1));
  }
}

/* Lengths, rates and rows of the tendons. */
static inline void agreement_tendons(agreement *a, const crd_model *c, crd_workspace *work, const mjModel *m,
                                     const mjData *d) {
  double *x = calloc((size_t)m->ntendon + (size_t)m->nv + 1, sizeof(double));
  crd_tree_tendons(c, work, d->qpos, NULL, x, NULL);
  agreement_note(a, AGREE_TENDON, agreement_vector(x, d->ten_length, m->ntendon, 0));
  crd_tree_tendons(c, work, d->qpos, d->qvel, NULL, x);
  agreement_note(a, AGREE_TENDON, agreement_vector(x, d->ten_velocity, m->ntendon, 0));
  for (int t = 0; t < m->ntendon && !mj_isSparse(m); t++) {
    crd_tree_tendon_row(c, work, d->qpos, t, x);
    agreement_note(a, AGREE_TENDON, agreement_vector(x, d->ten_J + t * m->nv, m->nv, 0));
  }
  free(x);
}

/* Lengths, rates and forces of the actuators, moments of each, and rates of activations. */
static inline void agreement_actuators(agreement *a, const crd_model *c, crd_workspace *work, const mjModel *m,
                                       const mjData *d) {
  size_t n = (size_t)m->nu + (size_t)m->nv + (size_t)m->na + 1;
  double *length = calloc(n, sizeof(double)), *rate = calloc(n, sizeof(double)), *x = calloc(n, sizeof(double));
  crd_tree_transmissions(c, work, d->qpos, d->qvel, length, rate);
  agreement_note(a, AGREE_ACTUATION, agreement_vector(length, d->actuator_length, m->nu, 0));
  agreement_note(a, AGREE_ACTUATION, agreement_vector(rate, d->actuator_velocity, m->nu, 0));
  crd_tree_actuator_forces(c, work, d->qpos, d->qvel, d->act, d->ctrl, x);
  agreement_note(a, AGREE_ACTUATION, agreement_vector(x, d->actuator_force, m->nu, 0));
  for (int i = 0; i < m->nu; i++) {
    crd_tree_moment(c, work, d->qpos, i, x);
    agreement_note(a, AGREE_ACTUATION, agreement_vector(x, d->actuator_moment + i * m->nv, m->nv, 0));
  }
  crd_tree_activation_rate(c, d->act, d->ctrl, x, NULL);
  agreement_note(a, AGREE_ACTIVATION, agreement_vector(x, d->act_dot, m->na, 0));
  free(length), free(rate), free(x);
}

/* Sensors that have a name, q and -q being the same rotation. */
static inline void agreement_sensors(agreement *a, const crd_model *c, crd_workspace *work, const mjModel *m,
                                     const mjData *d, const crd_sensor_state *state) {
  double *data = calloc((size_t)c->nsensordata + 1, sizeof *data);
  crd_tree_kinematics(c, work, state->qpos);
  crd_tree_velocity(c, work, state->qvel);
  crd_tree_sensors(c, work, state, data);
  for (int i = 0; i < c->nsensor; i++) {
    const int theirs = mj_name2id(m, mjOBJ_SENSOR, c->sensor[i].name), dim = c->sensor[i].dim;
    if (theirs < 0) continue;
    double *own = data + c->sensor[i].first, dot = 0;
    const mjtNum *value = d->sensordata + m->sensor_adr[theirs];
    for (int k = 0; k < dim; k++) dot += own[k] * value[k];
    for (int k = 0; dim == 4 && dot < 0 && k < 4; k++) own[k] = -own[k];
    agreement_note(a, AGREE_SENSORS, agreement_vector(own, value, dim, 1));
  }
  free(data);
}

/* Both at the state qpos, qvel, ctrl (arrays of MuJoCo's sizes). False: ABA found a singular joint. */
static inline bool agreement_at(agreement *a, const crd_model *c, mjModel *m, mjData *d, const double *qpos,
                                const double *qvel, const double *ctrl) {
  int nv = m->nv;
  m->opt.disableflags |= mjDSBL_CONSTRAINT;
  mj_resetData(m, d);
  mju_copy(d->qpos, qpos, m->nq);
  mju_copy(d->qvel, qvel, nv);
  if (m->nu) mju_copy(d->ctrl, ctrl, m->nu);
  for (int i = 0; i < m->na; i++) d->act[i] = fmod(0.1 + 0.618 * (i + fabs(qvel[0])), 1);
  mj_forward(m, d);

  crd_workspace *work = crd_model_workspace_new(c);
  double *full = calloc((size_t)nv * nv + 1, sizeof(double)), *ours = calloc((size_t)nv * nv + 1, sizeof(double));
  double *bias = calloc((size_t)nv + 1, sizeof(double)), *passive = calloc((size_t)nv + 1, sizeof(double));
  double *act = calloc((size_t)nv + 1, sizeof(double)), *qacc = calloc((size_t)nv + 1, sizeof(double));

  crd_tree_kinematics(c, work, qpos);
  crd_tree_velocity(c, work, qvel);
  agreement_poses(a, c, work, m, d);
  crd_tree_crba(c, work, ours);
  mj_fullM(m, full, d->qM);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++)
      agreement_note(a, AGREE_MATRIX,
                     fabs(ours[i * nv + j] - full[i * nv + j]) / sqrt(full[i * nv + i] * full[j * nv + j]));
  double weight = 0;
  for (int i = 0; i < nv; i++) weight = fmax(weight, 9.81 * sqrt(c->mass * full[i * nv + i]));
  crd_tree_rnea(c, work, NULL, NULL, bias);
  agreement_note(a, AGREE_BIAS, agreement_vector(bias, d->qfrc_bias, nv, weight));
  crd_tree_passive(c, qpos, qvel, passive);
  crd_tree_medium(c, work, passive);
  crd_tree_tendon_forces(c, work, qpos, qvel, passive);
  agreement_tendons(a, c, work, m, d);
  agreement_note(a, AGREE_PASSIVE, agreement_vector(passive, d->qfrc_passive, nv, 0));
  crd_tree_actuation(c, work, qpos, qvel, m->na ? d->act : NULL, m->nu ? ctrl : NULL, act);
  agreement_note(a, AGREE_ACTUATION, agreement_vector(act, d->qfrc_actuator, nv, 0));
  agreement_actuators(a, c, work, m, d);
  for (int i = 0; i < nv; i++) passive[i] += act[i];
  bool regular = crd_tree_aba(c, work, qpos, qvel, passive, NULL, qacc) == CRD_OK;
  if (regular) agreement_note(a, AGREE_ACCELERATION, agreement_vector(qacc, d->qacc, nv, 1));

  if (regular) {
    const crd_sensor_state state = {
        .qpos = qpos, .qvel = qvel, .act = m->na ? d->act : NULL, .ctrl = m->nu ? ctrl : NULL, .qacc = qacc};
    agreement_sensors(a, c, work, m, d, &state);
  }

  free(full), free(ours), free(bias), free(passive), free(act), free(qacc);
  crd_model_workspace_free(work);
  return regular;
}

/* A random state near qpos0: each coordinate moved by up to `reach`, quaternions turned at will. */
static inline void agreement_random_state(const mjModel *m, uint64_t seed, double reach, double *qpos, double *qvel,
                                          double *ctrl) {
  uint64_t index = 0;
  mju_copy(qpos, m->qpos0, m->nq);
  for (int i = 0; i < m->njnt; i++) {
    double *q = qpos + m->jnt_qposadr[i];
    int type = m->jnt_type[i];
    int scalars = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
    for (int k = 0; k < scalars; k++) q[k] += reach * (2 * crd_random_uniform(seed, 0, index++) - 1);
    if (type == mjJNT_FREE || type == mjJNT_BALL) {
      double *quat = type == mjJNT_FREE ? q + 3 : q;
      for (int k = 0; k < 4; k++) quat[k] = crd_random_normal(seed, 0, index++);
      mju_normalize4(quat);
    }
  }
  for (int i = 0; i < m->nv; i++) qvel[i] = crd_random_normal(seed, 1, (uint64_t)i);
  for (int i = 0; i < m->nu; i++) ctrl[i] = crd_random_normal(seed, 2, (uint64_t)i);
}

#endif
