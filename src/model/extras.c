/* What is not part of the tree: loops, actuators, contact pairs, excluded body pairs and keyframes. Ids of definitions
 * become ids of the model. */
#include "model/build.h"
#include "model/placement.h"

#include <math.h>

/* Poses of the bodies in the world as the mechanism was drawn (qpos0), where all joints are at their zero. */
static crd_pose *drawn_poses(crd_build *b) {
  crd_pose *pose = crd_arena_alloc(&b->scratch, (size_t)b->model->nbody, sizeof *pose);
  if (!pose) return NULL;
  for (int i = 0; i < b->model->nbody; i++) {
    crd_pose own = crd_pose_make(b->body[i].pos, b->body[i].quat);
    pose[i] = i == 0 ? own : crd_pose_mul(&pose[b->body[i].parent], &own);
  }
  return pose;
}

/* connect: the anchor of body1, seen from body2 in the drawn position. */
static void fill_connect(crd_loop *loop, const crd_loop_def *def, const crd_pose *pose) {
  crd_vec3_copy(loop->anchor1, def->anchor1);
  crd_vec3_copy(loop->anchor2, def->anchor2);
  if (!def->at_qpos0) return;
  crd_pose body1 = crd_pose_inv_mul(&pose[loop->body2], &pose[loop->body1]);
  crd_mat3_mul_vec(loop->anchor2, body1.R, def->anchor1);
  crd_vec3_add(loop->anchor2, loop->anchor2, body1.p);
}

/* weld: anchor2 belongs to body2 and anchor1 is the same point in body1. As in MuJoCo, a relpos that was given says
 * where anchor2 lies in body1. */
static void fill_weld(crd_loop *loop, const crd_loop_def *def, const crd_pose *pose) {
  double turned[3];
  crd_vec3_copy(loop->anchor2, def->anchor2);
  if (def->at_qpos0) {
    crd_pose body2 = crd_pose_inv_mul(&pose[loop->body1], &pose[loop->body2]);
    crd_vec3_copy(loop->relpos, body2.p);
    crd_quat_from_mat3(loop->relquat, body2.R);
    crd_mat3_mul_vec(turned, body2.R, def->anchor2);
    crd_vec3_add(loop->anchor1, loop->relpos, turned);
  } else {
    for (int i = 0; i < 4; i++) loop->relquat[i] = def->relquat[i];
    crd_quat_normalize(loop->relquat);
    crd_vec3_copy(loop->anchor1, def->relpos);
    crd_quat_rotate(turned, loop->relquat, def->anchor2);
    crd_vec3_sub(loop->relpos, loop->anchor1, turned);
  }
}

static crd_status build_loops(crd_build *b) {
  crd_loop *loop = crd_arena_alloc(b->arena, (size_t)b->model->nloop, sizeof *loop);
  crd_pose *pose = drawn_poses(b);
  if (!loop || !pose) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nloop; i++) {
    const crd_loop_def *def = &b->loop_def[i];
    loop[i] = (crd_loop){.name = crd_build_text(b, def->name),
                         .type = def->type,
                         .active = def->active,
                         .body1 = -1,
                         .body2 = -1,
                         .joint1 = -1,
                         .joint2 = -1,
                         .relquat = {1, 0, 0, 0}};
    if (def->type == CRD_LOOP_JOINT) {
      loop[i].rows = 1;
      loop[i].joint1 = b->joint_id[def->joint1];
      loop[i].joint2 = def->joint2 < 0 ? -1 : b->joint_id[def->joint2];
      for (int k = 0; k < 5; k++) loop[i].polycoef[k] = def->polycoef[k];
      continue;
    }
    loop[i].rows = def->type == CRD_LOOP_WELD ? 6 : 3;
    loop[i].body1 = b->body_id[def->body1];
    loop[i].body2 = b->body_id[def->body2];
    if (def->type == CRD_LOOP_WELD) {
      fill_weld(&loop[i], def, pose);
    } else {
      fill_connect(&loop[i], def, pose);
    }
  }
  b->model->loop = loop;
  return CRD_OK;
}

static crd_status build_actuators(crd_build *b) {
  crd_actuator *actuator = crd_arena_alloc(b->arena, (size_t)b->model->nactuator, sizeof *actuator);
  if (!actuator) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nactuator; i++) {
    const crd_actuator_def *def = &b->actuator_def[i];
    int nterm = def->joint == -1 ? def->nterm : 0;
    int *term_joint = crd_arena_alloc(b->arena, (size_t)nterm, sizeof *term_joint);
    double *term_coef = crd_arena_alloc(b->arena, (size_t)nterm, sizeof *term_coef);
    if (!term_joint || !term_coef) return crd_build_no_memory(b);
    for (int k = 0; k < nterm; k++) {
      term_joint[k] = b->joint_id[def->term_joint[k]];
      term_coef[k] = def->term_coef[k];
    }
    actuator[i] = (crd_actuator){.name = crd_build_text(b, def->name),
                                 .joint = def->joint == -1 ? -1 : b->joint_id[def->joint],
                                 .nterm = nterm,
                                 .term_joint = term_joint,
                                 .term_coef = term_coef,
                                 .ctrl_range = {def->ctrl_range[0], def->ctrl_range[1]},
                                 .force_range = {def->force_range[0], def->force_range[1]},
                                 .ctrl_limited = def->ctrl_limited,
                                 .force_limited = def->force_limited};
    for (int k = 0; k < 6; k++) actuator[i].gear[k] = def->gear[k];
    crd_vec3_copy(actuator[i].gain, def->gain);
    crd_vec3_copy(actuator[i].bias, def->bias);
  }
  b->model->actuator = actuator;
  return CRD_OK;
}

/* Pairs of geoms and of bodies are kept with the smaller id first. */
static crd_status build_pairs(crd_build *b) {
  crd_pair *pair = crd_arena_alloc(b->arena, (size_t)b->model->npair, sizeof *pair);
  int *exclude = crd_arena_alloc(b->arena, (size_t)b->model->nexclude, 2 * sizeof *exclude);
  if (!pair || !exclude) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->npair; i++) {
    const crd_pair_def *def = &b->pair_def[i];
    int first = b->geom_id[def->geom1], second = b->geom_id[def->geom2];
    double larger = fmax(b->geom[first].restitution, b->geom[second].restitution);
    pair[i] = (crd_pair){.name = crd_build_text(b, def->name),
                         .geom1 = first < second ? first : second,
                         .geom2 = first < second ? second : first,
                         .condim = def->condim,
                         .margin = def->margin,
                         .gap = def->gap,
                         .restitution = isnan(def->restitution) ? larger : def->restitution};
    crd_vec3_copy(pair[i].friction, def->friction);
  }
  for (int i = 0; i < b->model->nexclude; i++) {
    int first = b->body_id[b->exclude_def[i].body1], second = b->body_id[b->exclude_def[i].body2];
    exclude[2 * i] = first < second ? first : second;
    exclude[2 * i + 1] = first < second ? second : first;
  }
  b->model->pair = pair;
  b->model->exclude = exclude;
  return CRD_OK;
}

/* The stored array of a key, or the default where the key gives none. */
static crd_status key_array(crd_build *b, const crd_element *key, const char *what, const double *given, int count,
                            const double *standard, int expected, double **out) {
  double *copy = crd_arena_alloc(b->arena, (size_t)expected, sizeof *copy);
  if (!copy) return crd_build_no_memory(b);
  *out = copy;
  if (given && count != expected)
    return crd_build_fail(b, CRD_ERR_MODEL, key, "%s has %d numbers, must have %d", what, count, expected);
  for (int i = 0; i < expected; i++) copy[i] = given ? given[i] : standard ? standard[i] : 0;
  return CRD_OK;
}

/* Quaternions in qpos are scaled to length 1; a zero one means no rotation, as in MuJoCo. */
static void normalize_rotations(const crd_model *model, double *qpos) {
  for (int i = 0; i < model->njoint; i++) {
    if (model->joint[i].type == CRD_FREE) crd_quat_normalize(qpos + model->joint[i].q + 3);
    if (model->joint[i].type == CRD_BALL) crd_quat_normalize(qpos + model->joint[i].q);
  }
}

static crd_status build_keys(crd_build *b) {
  crd_key *key = crd_arena_alloc(b->arena, (size_t)b->model->nkey, sizeof *key);
  if (!key) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nkey; i++) {
    const crd_key_entry *entry = &b->key_def[i];
    crd_element element = crd_element_key(b, i);
    double *qpos = NULL, *qvel = NULL, *ctrl = NULL;
    key[i].name = crd_build_text(b, entry->def.name);
    key[i].time = entry->def.time;
    CRD_TRY(key_array(b, &element, "qpos", entry->def.qpos, entry->nqpos, b->model->qpos0, b->model->nq, &qpos));
    CRD_TRY(key_array(b, &element, "qvel", entry->def.qvel, entry->nqvel, NULL, b->model->nv, &qvel));
    CRD_TRY(key_array(b, &element, "ctrl", entry->def.ctrl, entry->nctrl, NULL, b->model->nactuator, &ctrl));
    normalize_rotations(b->model, qpos);
    key[i].qpos = qpos, key[i].qvel = qvel, key[i].ctrl = ctrl;
  }
  b->model->key = key;
  return CRD_OK;
}

crd_status crd_build_extras(crd_build *b) {
  CRD_TRY(build_loops(b));
  CRD_TRY(build_actuators(b));
  CRD_TRY(build_pairs(b));
  return build_keys(b);
}
