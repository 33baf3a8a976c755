/* Variants: a model with some numbers changed. Of a model that was built a variant shares everything but the arrays that the
 * setters write (links, bodies, joints, geoms, actuators, pairs, dampings, what the medium meets), so that it costs some
 * kilobytes and no time, whatever meshes the model has. A setter checks its numbers, then renews what depends on
 * them: of a body's mass and inertia the sum of its link, the model's mass and the box that the medium meets. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/frozen.h"
#include "model/medium.h"

static const double TRIANGLE_ROUNDING =
    1e-9; /* share of the largest moment that it may exceed the sum of the others by */

/* ------------------------------------------------------------------------------------------------ life */

static void *copy_of(crd_arena *arena, const void *from, int count, size_t size, bool *done) {
  void *copy = crd_arena_alloc(arena, (size_t)count + 1, size);
  if (copy && count > 0) memcpy(copy, from, (size_t)count * size);
  *done = *done && copy;
  return copy;
}

crd_status crd_model_variant(const crd_model *base, crd_model **variant, crd_error *err) {
  crd_frozen *frozen = calloc(1, sizeof *frozen);
  bool done = frozen != NULL;
  *variant = NULL;
  if (done) {
    crd_model *model = &frozen->model;
    crd_variant *own = &frozen->own;
    *frozen = *(const crd_frozen *)(const void *)base;
    frozen->arena = (crd_arena){0};
    frozen->is_variant = true;
    model->link = own->link = copy_of(&frozen->arena, base->link, base->nlink, sizeof *base->link, &done);
    model->body = own->body = copy_of(&frozen->arena, base->body, base->nbody, sizeof *base->body, &done);
    model->joint = own->joint = copy_of(&frozen->arena, base->joint, base->njoint, sizeof *base->joint, &done);
    model->geom = own->geom = copy_of(&frozen->arena, base->geom, base->ngeom, sizeof *base->geom, &done);
    model->pair = own->pair = copy_of(&frozen->arena, base->pair, base->npair, sizeof *base->pair, &done);
    model->actuator = own->actuator =
        copy_of(&frozen->arena, base->actuator, base->nactuator, sizeof *base->actuator, &done);
    model->immersed = own->immersed =
        copy_of(&frozen->arena, base->immersed, base->nimmersed, sizeof *base->immersed, &done);
    model->dof_damping = own->damping = copy_of(&frozen->arena, base->dof_damping, base->nv, sizeof(double), &done);
  }
  if (done) {
    *variant = &frozen->model;
    return CRD_OK;
  }
  if (frozen) crd_arena_free(&frozen->arena);
  free(frozen);
  return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a variant of the model");
}

bool crd_model_is_variant(const crd_model *model) { return ((const crd_frozen *)(const void *)model)->is_variant; }

/* The arrays that the setters write; NULL and a message: the model is not a variant, or has no element of this number.
 * */
static crd_variant *open_element(crd_model *model, const char *kind, int id, int count, crd_error *err) {
  crd_frozen *frozen = (crd_frozen *)(void *)model;
  if (!frozen->is_variant)
    crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "model: found one that was built, expected a variant of it");
  else if (id < 0 || id >= count)
    crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "%s: found %d, expected a number from 0 to %d", kind, id, count - 1);
  else
    return &frozen->own;
  return NULL;
}

static crd_status refuse(crd_error *err, const char *kind, int id, const char *name, const char *what, double found,
                         const char *expected) {
  return crd_error_set(err, isfinite(found) ? CRD_ERR_ARGUMENT : CRD_ERR_NUMBER, NULL, 0,
                       "%s %d \"%s\": %s is %g, expected %s", kind, id, name, what, found, expected);
}

/* ------------------------------------------------------------------------------------------------ mass */

/* Of a body in its own frame. */
static crd_massprops props_of(const crd_body *body) {
  crd_massprops props = {.mass = body->mass};
  const double moments[6] = {body->inertia[0], body->inertia[1], body->inertia[2]};
  double R[9];
  crd_quat_to_mat3(R, body->iquat);
  crd_sym3_rotate(props.inertia, R, moments);
  crd_vec3_copy(props.com, body->ipos);
  return props;
}

/* The inertia of a link: of the body whose joint it is, and of all bodies welded to it. */
static void renew_link(const crd_model *model, crd_link *link, int number) {
  crd_massprops sum = {0};
  for (int i = 1; i < model->nbody; i++) {
    const crd_body *body = &model->body[i];
    if (body->link != number) continue;
    const crd_massprops props = props_of(body), piece = crd_massprops_place(&props, body->link_R, body->link_pos);
    crd_massprops_add(&sum, &piece);
  }
  link->mass = sum.mass;
  crd_vec3_copy(link->com, sum.com);
  crd_massprops_about_origin(link->inertia, &sum);
}

static crd_status check_inertial(const crd_model *model, int id, double mass, const double moment[3], crd_error *err) {
  const char *name = model->body[id].name;
  if (!(mass >= CRD_LEAST_MASS && mass < INFINITY))
    return refuse(err, "body", id, name, "mass", mass, "a positive number");
  for (int i = 0; i < 3; i++) {
    const double others = moment[(i + 1) % 3] + moment[(i + 2) % 3];
    if (!(moment[i] >= 0 && moment[i] < INFINITY))
      return refuse(err, "body", id, name, "a principal inertia", moment[i], "a number of at least 0");
    if (moment[i] > others * (1 + TRIANGLE_ROUNDING))
      return refuse(err, "body", id, name, "a principal inertia", moment[i], "at most the sum of the other two");
  }
  return CRD_OK;
}

static crd_status set_inertial(crd_model *model, crd_variant *own, int id, const crd_body *changed, crd_error *err) {
  const crd_body before = own->body[id];
  own->body[id] = *changed;
  if (changed->link >= 0) {
    crd_link *link = &own->link[changed->link];
    const crd_link was = *link;
    double moment[3], quat[4];
    renew_link(model, link, changed->link);
    crd_sym3_eigen(moment, quat, link->inertia);
    if (!(moment[2] >= CRD_LEAST_MASS) && link->type != CRD_SLIDE) {
      *link = was, own->body[id] = before;
      return refuse(err, "body", id, before.name, "the inertia that its joint moves", moment[2], "a positive number");
    }
  }
  model->mass = 0;
  for (int i = 1; i < model->nbody; i++) model->mass += model->body[i].mass;
  if (model->nimmersed > 0) crd_medium_meet(model, own->immersed);
  return CRD_OK;
}

crd_status crd_model_set_mass(crd_model *model, int body, double mass, crd_error *err) {
  crd_variant *own = open_element(model, "body", body, model->nbody, err);
  if (!own) return CRD_ERR_ARGUMENT;
  crd_body changed = own->body[body];
  if (!(changed.mass > 0))
    return refuse(err, "body", body, changed.name, "its mass in the model", changed.mass,
                  "a positive number, for its inertia to grow with");
  for (int i = 0; i < 3; i++) changed.inertia[i] *= mass / changed.mass;
  changed.mass = mass;
  const crd_status status = check_inertial(model, body, mass, changed.inertia, err);
  return status == CRD_OK ? set_inertial(model, own, body, &changed, err) : status;
}

crd_status crd_model_set_inertial(crd_model *model, int body, double mass, const double pos[3], const double quat[4],
                                  const double moment[3], crd_error *err) {
  crd_variant *own = open_element(model, "body", body, model->nbody, err);
  if (!own) return CRD_ERR_ARGUMENT;
  crd_body changed = own->body[body];
  if (!(changed.mass > 0))
    return refuse(err, "body", body, changed.name, "its mass in the model", changed.mass, "a positive number");
  crd_status status = check_inertial(model, body, mass, moment, err);
  if (status != CRD_OK) return status;
  double square = 0;
  for (int i = 0; i < 4; i++) square += quat[i] * quat[i];
  if (!(square > 0 && square < INFINITY))
    return refuse(err, "body", body, changed.name, "the square of its quaternion", square, "a positive number");
  for (int i = 0; i < 3; i++)
    if (!isfinite(pos[i]))
      return refuse(err, "body", body, changed.name, "its centre of mass", pos[i], "a finite number");
  changed.mass = mass;
  for (int i = 0; i < 3; i++) changed.ipos[i] = pos[i], changed.inertia[i] = moment[i];
  for (int i = 0; i < 4; i++) changed.iquat[i] = quat[i] / sqrt(square);
  return set_inertial(model, own, body, &changed, err);
}

/* ------------------------------------------------------------------------------------------------ contact */

static crd_status check_contact(const char *kind, int id, const char *name, const double friction[3], double e,
                                crd_error *err) {
  for (int i = 0; friction && i < 3; i++)
    if (!(friction[i] >= 0 && friction[i] < INFINITY))
      return refuse(err, kind, id, name, "friction", friction[i], "a number of at least 0");
  if (!(e >= 0 && e <= 1)) return refuse(err, kind, id, name, "restitution", e, "a number from 0 to 1");
  return CRD_OK;
}

crd_status crd_model_set_friction(crd_model *model, int geom, const double friction[3], crd_error *err) {
  crd_variant *own = open_element(model, "geom", geom, model->ngeom, err);
  if (!own) return CRD_ERR_ARGUMENT;
  const crd_status status = check_contact("geom", geom, own->geom[geom].name, friction, 0, err);
  if (status == CRD_OK) crd_vec3_copy(own->geom[geom].friction, friction);
  return status;
}

crd_status crd_model_set_restitution(crd_model *model, int geom, double e, crd_error *err) {
  crd_variant *own = open_element(model, "geom", geom, model->ngeom, err);
  if (!own) return CRD_ERR_ARGUMENT;
  crd_status status = check_contact("geom", geom, own->geom[geom].name, NULL, e, err);
  if (status == CRD_OK && model->restitution_of_speed.count > 0)
    status =
        crd_error_set(err, CRD_ERR_MODEL, NULL, 0,
                      "geom %d \"%s\": the model's restitution depends on speed, which stands for that of all geoms",
                      geom, own->geom[geom].name);
  if (status == CRD_OK) own->geom[geom].restitution = e;
  return status;
}

crd_status crd_model_set_pair(crd_model *model, int pair, const double friction[3], double e, crd_error *err) {
  crd_variant *own = open_element(model, "pair", pair, model->npair, err);
  if (!own) return CRD_ERR_ARGUMENT;
  const crd_status status = check_contact("pair", pair, own->pair[pair].name, friction, e, err);
  if (status != CRD_OK) return status;
  crd_vec3_copy(own->pair[pair].friction, friction);
  own->pair[pair].restitution = e;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ forces */

crd_status crd_model_set_gravity(crd_model *model, const double gravity[3], crd_error *err) {
  if (!open_element(model, "model", 0, 1, err)) return CRD_ERR_ARGUMENT;
  for (int i = 0; i < 3; i++)
    if (!isfinite(gravity[i]))
      return crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "gravity[%d]: found %g, expected a finite number", i,
                           gravity[i]);
  crd_vec3_copy(model->gravity, gravity);
  return CRD_OK;
}

crd_status crd_model_set_damping(crd_model *model, int joint, double damping, crd_error *err) {
  crd_variant *own = open_element(model, "joint", joint, model->njoint, err);
  if (!own) return CRD_ERR_ARGUMENT;
  crd_joint *changed = &own->joint[joint];
  if (!(damping >= 0 && damping < INFINITY))
    return refuse(err, "joint", joint, changed->name, "damping", damping, "a number of at least 0");
  changed->damping = damping;
  for (int i = 0; i < changed->nv; i++) own->damping[changed->v + i] = damping;
  return CRD_OK;
}

crd_status crd_model_set_gain(crd_model *model, int actuator, const double gain[CRD_FORCE_PARAMETERS],
                              const double bias[CRD_FORCE_PARAMETERS], crd_error *err) {
  crd_variant *own = open_element(model, "actuator", actuator, model->nactuator, err);
  if (!own) return CRD_ERR_ARGUMENT;
  crd_actuator *changed = &own->actuator[actuator];
  const bool turns = changed->joint >= 0 && model->joint[changed->joint].nv > 1;
  const double *given[2] = {gain, bias};
  const char *what[2] = {"gain", "bias"};
  for (int k = 0; k < 2; k++)
    for (int i = 0; given[k] && i < CRD_FORCE_PARAMETERS; i++) {
      if (!isfinite(given[k][i]))
        return refuse(err, "actuator", actuator, changed->name, what[k], given[k][i], "a finite number");
      if (turns && i == 1 && given[k][i] != 0)
        return refuse(err, "actuator", actuator, changed->name, what[k], given[k][i],
                      "0 for the length, which a ball or free joint does not have");
    }
  if (gain) memcpy(changed->gain, gain, sizeof changed->gain);
  if (bias) memcpy(changed->bias, bias, sizeof changed->bias);
  return CRD_OK;
}
