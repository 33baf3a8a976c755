/* Sensors: checked, with ids of definitions turned into ids of the model, and their data laid out one after the other. */
#include <math.h>

#include "model/build.h"
#include "model/check.h"

typedef struct sensor_kind {
  const char *name;
  int dim;
  unsigned objects; /* which kinds it may be of, as bits */
  bool has_reference;
} sensor_kind;

#define OF(object) (1u << (object))
#define FRAMES (OF(CRD_OBJECT_BODY) | OF(CRD_OBJECT_XBODY) | OF(CRD_OBJECT_GEOM) | OF(CRD_OBJECT_SITE))

/* In the order of crd_sensor_type. */
static const sensor_kind kinds[CRD_SENSOR_TYPES] = {
    {"accelerometer", 3, OF(CRD_OBJECT_SITE), false},
    {"velocimeter", 3, OF(CRD_OBJECT_SITE), false},
    {"gyro", 3, OF(CRD_OBJECT_SITE), false},
    {"force", 3, OF(CRD_OBJECT_SITE), false},
    {"torque", 3, OF(CRD_OBJECT_SITE), false},
    {"magnetometer", 3, OF(CRD_OBJECT_SITE), false},
    {"jointpos", 1, OF(CRD_OBJECT_JOINT), false},
    {"jointvel", 1, OF(CRD_OBJECT_JOINT), false},
    {"ballquat", 4, OF(CRD_OBJECT_JOINT), false},
    {"ballangvel", 3, OF(CRD_OBJECT_JOINT), false},
    {"jointactuatorfrc", 1, OF(CRD_OBJECT_JOINT), false},
    {"actuatorpos", 1, OF(CRD_OBJECT_ACTUATOR), false},
    {"actuatorvel", 1, OF(CRD_OBJECT_ACTUATOR), false},
    {"actuatorfrc", 1, OF(CRD_OBJECT_ACTUATOR), false},
    {"framepos", 3, FRAMES, true},
    {"framequat", 4, FRAMES, true},
    {"framexaxis", 3, FRAMES, true},
    {"frameyaxis", 3, FRAMES, true},
    {"framezaxis", 3, FRAMES, true},
    {"framelinvel", 3, FRAMES, true},
    {"frameangvel", 3, FRAMES, true},
    {"framelinacc", 3, FRAMES, false},
    {"frameangacc", 3, FRAMES, false},
    {"subtreecom", 3, OF(CRD_OBJECT_BODY), false},
    {"subtreelinvel", 3, OF(CRD_OBJECT_BODY), false},
    {"subtreeangmom", 3, OF(CRD_OBJECT_BODY), false},
    {"clock", 1, OF(CRD_OBJECT_NONE), false},
    {"touch", 1, OF(CRD_OBJECT_SITE), false},
    {"rangefinder", 1, OF(CRD_OBJECT_SITE), false},
    {"tendonpos", 1, OF(CRD_OBJECT_TENDON), false},
    {"tendonvel", 1, OF(CRD_OBJECT_TENDON), false},
    {"e_potential", 1, OF(CRD_OBJECT_NONE), false},
    {"e_kinetic", 1, OF(CRD_OBJECT_NONE), false},
};

const char *crd_model_sensor_type_name(crd_sensor_type type) {
  return (int)type >= 0 && type < CRD_SENSOR_TYPES ? kinds[type].name : "unknown";
}

int crd_model_sensor_dim(crd_sensor_type type) {
  return (int)type >= 0 && type < CRD_SENSOR_TYPES ? kinds[type].dim : 0;
}

crd_sensor_def crd_model_sensor_default(void) { return (crd_sensor_def){.object_id = -1, .reference_id = -1}; }

/* ------------------------------------------------------------------------------------------------ checks */

static crd_status check_object(const crd_build *b, const crd_element *element, crd_sensor_object object, int id) {
  switch (object) {
    case CRD_OBJECT_BODY:
    case CRD_OBJECT_XBODY: return crd_check_reference(b, element, "body", id, b->in->body.count);
    case CRD_OBJECT_GEOM: return crd_check_reference(b, element, "geom", id, b->in->geom.count);
    case CRD_OBJECT_SITE: return crd_check_reference(b, element, "site", id, b->in->site.count);
    case CRD_OBJECT_JOINT: return crd_check_reference(b, element, "joint", id, b->in->joint.count);
    case CRD_OBJECT_ACTUATOR: return crd_check_reference(b, element, "actuator", id, b->in->actuator.count);
    case CRD_OBJECT_TENDON: return crd_check_reference(b, element, "tendon", id, b->in->tendon.count);
    default: return CRD_OK;
  }
}

static crd_status check_joint_type(const crd_build *b, const crd_element *element, const crd_sensor_def *def) {
  const crd_joint_type type = b->joint_def[def->object_id].def.type;
  const bool ball = def->type == CRD_SENSOR_BALLQUAT || def->type == CRD_SENSOR_BALLANGVEL;
  if (ball ? type == CRD_BALL : crd_model_joint_nv(type) == 1) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "%s is of a %s joint, must be of a %s joint",
                        crd_model_sensor_type_name(def->type), crd_model_joint_type_name(type),
                        ball ? "ball" : "hinge or slide");
}

static bool allows(crd_sensor_type type, crd_sensor_object object) { return kinds[type].objects >> object & 1; }

crd_status crd_check_sensors(const crd_build *b) {
  for (int i = 0; i < b->in->sensor.count; i++) {
    const crd_sensor_def *def = &b->sensor_def[i];
    const crd_element element = crd_element_sensor(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->sensor.names));
    if ((int)def->type < 0 || def->type >= CRD_SENSOR_TYPES)
      return crd_build_fail(b, CRD_ERR_ARGUMENT, &element, "type is %d, must be one of crd_sensor_type",
                            (int)def->type);
    if ((int)def->object < 0 || def->object > CRD_OBJECT_TENDON || !allows(def->type, def->object))
      return crd_build_fail(b, CRD_ERR_ARGUMENT, &element, "object is %d, which a %s cannot be of", (int)def->object,
                            crd_model_sensor_type_name(def->type));
    CRD_TRY(check_object(b, &element, def->object, def->object_id));
    if (def->object == CRD_OBJECT_JOINT) CRD_TRY(check_joint_type(b, &element, def));
    if (def->reference != CRD_OBJECT_NONE && (!kinds[def->type].has_reference || !(FRAMES >> def->reference & 1)))
      return crd_build_fail(b, CRD_ERR_ARGUMENT, &element, "has a reference, which a %s cannot have",
                            crd_model_sensor_type_name(def->type));
    CRD_TRY(check_object(b, &element, def->reference, def->reference_id));
    CRD_TRY(crd_check_not_negative(b, &element, "cutoff", &def->cutoff, 1));
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ build */

static int frozen_id(const crd_build *b, crd_sensor_object object, int id) {
  switch (object) {
    case CRD_OBJECT_BODY:
    case CRD_OBJECT_XBODY: return b->body_id[id];
    case CRD_OBJECT_GEOM: return b->geom_id[id];
    case CRD_OBJECT_JOINT: return b->joint_id[id];
    case CRD_OBJECT_SITE:
    case CRD_OBJECT_TENDON:
    case CRD_OBJECT_ACTUATOR: return id;
    default: return -1;
  }
}

crd_status crd_build_sensors(crd_build *b) {
  crd_model *model = b->model;
  crd_sensor *sensor = crd_arena_alloc(b->arena, (size_t)model->nsensor, sizeof *sensor);
  if (!sensor) return crd_build_no_memory(b);
  for (int i = 0; i < model->nsensor; i++) {
    const crd_sensor_def *def = &b->sensor_def[i];
    sensor[i] = (crd_sensor){.name = crd_build_text(b, def->name),
                             .type = def->type,
                             .object = def->object,
                             .object_id = frozen_id(b, def->object, def->object_id),
                             .reference = def->reference,
                             .reference_id = frozen_id(b, def->reference, def->reference_id),
                             .cutoff = def->cutoff,
                             .first = model->nsensordata,
                             .dim = kinds[def->type].dim};
    model->nsensordata += sensor[i].dim;
  }
  for (int i = 0; i < 3; i++) model->magnetic[i] = b->options->magnetic[i];
  model->sensor = sensor;
  return CRD_OK;
}
