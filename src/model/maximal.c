/* The maximal form of a model: every body that has a joint is free, and the joint is a loop of bilateral rows (hinge
 * and slide 5, ball 3). Jain compares it with the tree form in section V-E ("fully augmented").
 *
 * What acts in a joint's own coordinate has no place there and is refused: springs, dampers, armature, dry friction,
 * limits, actuators, couplings; and bodies with several joints, whose parts have no mass of their own.
 */
#include "model/maximal.h"

#include <cradle/linalg.h>

#include "base/layout.h"
#include "model/placement.h"

typedef struct making {
  const crd_model *model;
  crd_builder *builder;
  crd_arena arena;
  int *body_of, *geom_of;
  crd_pose *pose; /* of the bodies in the world, as drawn */
  crd_error *err;
} making;

static bool stands_alone(const crd_model *model, int body) { return model->body[body].njoint > 0; }

static void number_welded(const crd_model *model, int body, int *body_of, int *next) {
  body_of[body] = (*next)++;
  for (int b = body + 1; b < model->nbody; b++)
    if (model->body[b].parent == body && !stands_alone(model, b)) number_welded(model, b, body_of, next);
}

void crd_maximal_number(const crd_model *model, int *body_of) {
  int next = 0;
  body_of[0] = next++;
  for (int b = 1; b < model->nbody; b++)
    if (stands_alone(model, b) || model->body[b].parent == 0) number_welded(model, b, body_of, &next);
}

/* ------------------------------------------------------------------------------------------------ refused models */

static crd_status refuse(crd_error *err, const char *kind, const char *name, int id, const char *reason) {
  return crd_error_set(err, CRD_ERR_MODEL, "", 0, "full formulation: %s %d \"%s\" %s", kind, id, name, reason);
}

static crd_status check_joint(const crd_model *model, int j, crd_error *err) {
  const crd_joint *joint = &model->joint[j];
  const char *reason = NULL;
  if (model->body[joint->body].njoint > 1) reason = "is one of several on its body, expected one joint a body";
  if (joint->limited) reason = "has limits, expected none";
  if (joint->type != CRD_FREE && (joint->stiffness != 0 || joint->damping != 0))
    reason = "has a spring or a damper, expected none";
  if (joint->armature != 0) reason = "has armature, expected none";
  if (joint->frictionloss != 0) reason = "has dry friction, expected none";
  return reason ? refuse(err, "joint", joint->name, j, reason) : CRD_OK;
}

static crd_status check(const crd_model *model, crd_error *err) {
  for (int j = 0; j < model->njoint; j++) {
    crd_status status = check_joint(model, j, err);
    if (status != CRD_OK) return status;
  }
  for (int t = 0; t < model->ntendon; t++)
    if (model->tendon[t].limited || model->tendon[t].stiffness > 0 || model->tendon[t].damping > 0 ||
        model->tendon[t].frictionloss > 0)
      return refuse(err, "tendon", model->tendon[t].name, 0,
                    "has limits, a spring, a damper or friction, expected none");
  if (model->nactuator > 0)
    return refuse(err, "actuator", model->actuator[0].name, 0, "acts on a joint, expected no actuators");
  for (int l = 0; l < model->nloop; l++)
    if (model->loop[l].type == CRD_LOOP_JOINT || model->loop[l].type == CRD_LOOP_TENDON)
      return refuse(err, "equality", model->loop[l].name, l, "couples joints or tendons, expected connect or weld");
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ parts */

static void place_bodies(making *m) {
  for (int b = 0; b < m->model->nbody; b++) {
    const crd_body *body = &m->model->body[b];
    crd_pose own = crd_pose_make(body->pos, body->quat);
    m->pose[b] = b == 0 ? own : crd_pose_mul(&m->pose[body->parent], &own);
  }
}

static crd_body_def body_def(const making *m, int b) {
  const crd_body *body = &m->model->body[b];
  crd_body_def def = crd_model_body_default();
  def.name = body->name, def.gravcomp = body->gravcomp;
  def.has_inertial = body->mass > 0;
  def.inertial.mass = body->mass;
  crd_vec3_copy(def.inertial.pos, body->ipos);
  for (int i = 0; i < 4; i++) def.inertial.quat[i] = body->iquat[i];
  for (int i = 0; i < 3; i++) def.inertial.inertia[i] = body->inertia[i];
  if (stands_alone(m->model, b)) {
    crd_vec3_copy(def.pos, m->pose[b].p);
    crd_quat_from_mat3(def.quat, m->pose[b].R);
  } else {
    def.parent = m->body_of[body->parent];
    crd_vec3_copy(def.pos, body->pos);
    for (int i = 0; i < 4; i++) def.quat[i] = body->quat[i];
  }
  return def;
}

static int add_geom(const making *m, int g) {
  const crd_geom *geom = &m->model->geom[g];
  crd_geom_def def = crd_model_geom_default();
  def.name = geom->name, def.type = geom->type, def.mesh = geom->mesh;
  crd_vec3_copy(def.size, geom->size);
  crd_vec3_copy(def.pos, geom->pos);
  crd_quat_from_mat3(def.quat, geom->R);
  def.contype = geom->contype, def.conaffinity = geom->conaffinity, def.condim = geom->condim;
  def.priority = geom->priority, def.group = geom->group;
  crd_vec3_copy(def.friction, geom->friction);
  def.margin = geom->margin, def.gap = geom->gap, def.solmix = geom->solmix, def.restitution = geom->restitution;
  def.has_mass = true, def.mass = 0, def.in_inertia = false;
  def.in_fluid = geom->in_fluid, def.fluid_coef = geom->fluid_coef;
  return crd_model_builder_geom(m->builder, m->body_of[geom->body], &def);
}

static bool add_site(const making *m, int s) {
  const crd_site *site = &m->model->site[s];
  crd_site_def def = crd_model_site_default();
  def.name = site->name;
  crd_vec3_copy(def.pos, site->pos);
  crd_quat_from_mat3(def.quat, site->R);
  def.type = site->type;
  crd_vec3_copy(def.size, site->size);
  return crd_model_builder_site(m->builder, m->body_of[site->body], &def) >= 0;
}

/* Bodies and their geoms in the new order; false: memory is out. */
static bool add_bodies(const making *m) {
  const crd_model *model = m->model;
  bool good = true;
  for (int next = 0; next < model->nbody; next++)
    for (int b = 0; b < model->nbody; b++) {
      if (m->body_of[b] != next) continue;
      crd_body_def def = body_def(m, b);
      crd_joint_def free_joint = crd_model_joint_default();
      free_joint.type = CRD_FREE;
      free_joint.name = model->body[b].njoint > 0 ? model->joint[model->body[b].first_joint].name : NULL;
      if (b > 0) good = good && crd_model_builder_body(m->builder, &def) == next;
      if (stands_alone(model, b)) good = good && crd_model_builder_joint(m->builder, next, &free_joint) >= 0;
      for (int g = 0; g < model->ngeom; g++)
        if (model->geom[g].body == b) m->geom_of[g] = add_geom(m, g), good = good && m->geom_of[g] >= 0;
    }
  for (int s = 0; s < model->nsite; s++) good = good && add_site(m, s);
  return good;
}

static bool add_meshes(const making *m) {
  for (int i = 0; i < m->model->nmesh; i++) {
    const crd_mesh *mesh = &m->model->mesh[i];
    crd_mesh_def def = {
        .name = mesh->name, .nvert = mesh->nvert, .nface = mesh->nface, .vert = mesh->vert, .face = mesh->face};
    crd_arena scratch = {0};
    if (mesh->field.nrow > 0) {
      double *height = crd_arena_alloc(&scratch, (size_t)mesh->nvert, sizeof *height);
      for (int k = 0; height && k < mesh->nvert; k++) height[k] = mesh->vert[3 * k + 2];
      def.field = mesh->field, def.height = height, def.nvert = def.nface = 0;
      if (!height) return false;
    }
    const bool added = crd_model_builder_mesh(m->builder, &def) >= 0;
    crd_arena_free(&scratch);
    if (!added) return false;
  }
  return true;
}

/* The loop that stands for a joint between a body and its parent. */
static bool add_joint_loop(const making *m, int j) {
  static const crd_loop_type types[] = {
      [CRD_BALL] = CRD_LOOP_CONNECT, [CRD_SLIDE] = CRD_LOOP_SLIDE, [CRD_HINGE] = CRD_LOOP_HINGE};
  const crd_joint *joint = &m->model->joint[j];
  const crd_body *body = &m->model->body[joint->body];
  if (joint->type == CRD_FREE) return true;
  crd_loop_def def = crd_model_loop_default();
  def.type = types[joint->type], def.at_qpos0 = false;
  def.body1 = m->body_of[body->parent], def.body2 = m->body_of[joint->body];
  crd_vec3_copy(def.anchor2, joint->pos);
  crd_quat_rotate(def.anchor1, body->quat, joint->pos);
  crd_vec3_add(def.anchor1, def.anchor1, body->pos);
  crd_quat_rotate(def.axis, body->quat, joint->axis);
  for (int i = 0; i < 4; i++) def.relquat[i] = body->quat[i];
  return crd_model_builder_loop(m->builder, &def) >= 0;
}

static bool add_loops(const making *m) {
  for (int j = 0; j < m->model->njoint; j++)
    if (!add_joint_loop(m, j)) return false;
  for (int l = 0; l < m->model->nloop; l++) {
    const crd_loop *loop = &m->model->loop[l];
    crd_loop_def def = crd_model_loop_default();
    def.name = loop->name, def.type = loop->type, def.active = loop->active, def.at_qpos0 = false;
    def.body1 = m->body_of[loop->body1], def.body2 = m->body_of[loop->body2];
    crd_vec3_copy(def.anchor1, loop->anchor1);
    crd_vec3_copy(def.anchor2, loop->anchor2);
    crd_vec3_copy(def.axis, loop->axis1);
    crd_vec3_copy(def.relpos, loop->anchor1); /* a weld's relpos is where anchor2 lies in body1 */
    for (int i = 0; i < 4; i++) def.relquat[i] = loop->relquat[i];
    if (crd_model_builder_loop(m->builder, &def) < 0) return false;
  }
  return true;
}

/* Neighbours in the tree do not collide; in maximal coordinates only this exclusion states it. */
static bool add_contact_rules(const making *m) {
  const crd_model *model = m->model;
  for (int a = 1; a < model->nbody; a++)
    for (int b = 1; b < model->nbody; b++) {
      int weld_a = model->body[a].weld, weld_b = model->body[b].weld;
      if (a == b || weld_a == 0 || weld_b == 0 || weld_a == weld_b) continue;
      if (model->body[model->body[weld_b].parent].weld != weld_a) continue;
      if (crd_model_builder_exclude(m->builder, m->body_of[a], m->body_of[b]) < 0) return false;
    }
  for (int e = 0; e < model->nexclude; e++)
    if (crd_model_builder_exclude(m->builder, m->body_of[model->exclude[2 * e]],
                                  m->body_of[model->exclude[2 * e + 1]]) < 0)
      return false;
  for (int p = 0; p < model->npair; p++) {
    const crd_pair *pair = &model->pair[p];
    crd_pair_def def = crd_model_pair_default();
    def.name = pair->name, def.geom1 = m->geom_of[pair->geom1], def.geom2 = m->geom_of[pair->geom2];
    def.condim = pair->condim, def.margin = pair->margin, def.gap = pair->gap, def.restitution = pair->restitution;
    crd_vec3_copy(def.friction, pair->friction);
    if (crd_model_builder_pair(m->builder, &def) < 0) return false;
  }
  return true;
}

static crd_status build(making *m, crd_model **maximal) {
  const crd_model *model = m->model;
  m->builder = crd_model_builder_new();
  if (!m->builder || CRD_TAKE(&m->arena, CRD_ARRAY(m->body_of, model->nbody), CRD_ARRAY(m->geom_of, model->ngeom),
                              CRD_ARRAY(m->pose, model->nbody)))
    return CRD_ERR_MEMORY;
  place_bodies(m);
  crd_maximal_number(model, m->body_of);
  if (!add_meshes(m) || !add_bodies(m) || !add_loops(m) || !add_contact_rules(m)) return CRD_ERR_MEMORY;
  crd_build_options options = crd_model_build_default();
  options.name = model->name, options.timestep = model->timestep;
  options.restitution_of_speed = model->restitution_of_speed;
  options.medium = model->medium;
  crd_vec3_copy(options.gravity, model->gravity);
  options.inertia_source = CRD_INERTIA_GIVEN;
  options.allow_static_root = options.allow_massless = true;
  return crd_model_builder_build(m->builder, &options, maximal, m->err);
}

crd_status crd_model_maximal(const crd_model *model, crd_model **maximal, crd_error *err) {
  making m = {.model = model, .err = err};
  *maximal = NULL;
  crd_status status = check(model, err);
  if (status == CRD_OK) status = build(&m, maximal);
  crd_model_builder_free(m.builder);
  crd_arena_free(&m.arena);
  return status == CRD_ERR_MEMORY ? crd_error_set(err, status, "", 0, "full formulation: memory is out") : status;
}
