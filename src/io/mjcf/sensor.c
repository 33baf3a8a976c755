/* <sensor>: what is measured. Kinds that are not computed, and sensors of what is only for show, are listed as without
 * effect; a name that nothing has is an error. */
#include <string.h>

#include "io/mjcf/reader.h"

static const char not_computed[] = "a kind of sensor that is not computed",
                  show[] = "a sensor of something that is only for show",
                  principal[] = "not computed: principal axes have no order of their own (xbody has)";

static int type_of(const crd_xml_node *node) {
  for (int type = 0; type < CRD_SENSOR_TYPES; type++)
    if (crd_xml_is(node, crd_model_sensor_type_name((crd_sensor_type)type))) return type;
  return -1;
}

/* The attribute that names the measured object, and its kind; frames state the kind themselves. */
static const char *object_attribute(crd_sensor_type type, crd_sensor_object *object) {
  if (type <= CRD_SENSOR_MAGNETOMETER) return *object = CRD_OBJECT_SITE, "site";
  if (type <= CRD_SENSOR_JOINTACTUATORFRC) return *object = CRD_OBJECT_JOINT, "joint";
  if (type <= CRD_SENSOR_ACTUATORFRC) return *object = CRD_OBJECT_ACTUATOR, "actuator";
  if (type >= CRD_SENSOR_SUBTREECOM && type <= CRD_SENSOR_SUBTREEANGMOM) return *object = CRD_OBJECT_BODY, "body";
  if (type == CRD_SENSOR_TOUCH || type == CRD_SENSOR_RANGEFINDER) return *object = CRD_OBJECT_SITE, "site";
  if (type == CRD_SENSOR_TENDONPOS || type == CRD_SENSOR_TENDONVEL) return *object = CRD_OBJECT_TENDON, "tendon";
  return NULL;
}

static int find_actuator(mjcf_reader *reader, crd_xml_node *node) {
  const char *name = crd_xml_need(reader->doc, node, "actuator");
  const int id = name ? crd_model_builder_find_actuator(reader->builder, name) : -1;
  if (name && id < 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<%s> actuator: found '%.100s', expected the name of an actuator",
                 node->name, name);
  return id;
}

static int find_object(mjcf_reader *reader, crd_xml_node *node, crd_sensor_object object, const char *attribute) {
  switch (object) {
    case CRD_OBJECT_SITE: return mjcf_find(reader, &reader->sites, node, attribute, "site");
    case CRD_OBJECT_JOINT: return mjcf_find(reader, &reader->joints, node, attribute, "joint");
    case CRD_OBJECT_GEOM: return mjcf_find(reader, &reader->geoms, node, attribute, "geom");
    case CRD_OBJECT_ACTUATOR: return find_actuator(reader, node);
    case CRD_OBJECT_TENDON: return mjcf_find(reader, &reader->tendons, node, attribute, "tendon");
    default: return mjcf_find(reader, &reader->bodies, node, attribute, "body");
  }
}

/* objtype and objname, or reftype and refname; CRD_OBJECT_NONE with *id -1 where it is of something for show. */
static crd_sensor_object read_frame(mjcf_reader *reader, crd_xml_node *node, const char *type, const char *name,
                                    int *id) {
  static const char *const words[] = {"body", "xbody", "geom", "site", "camera"};
  int which = 0;
  *id = -1;
  crd_xml_need(reader->doc, node, type);
  if (!crd_xml_keyword(reader->doc, node, type, words, 5, &which)) return CRD_OBJECT_NONE;
  crd_xml_use(node, name);
  if (which == 4) return CRD_OBJECT_NONE;
  const crd_sensor_object object = (crd_sensor_object)(CRD_OBJECT_BODY + which);
  *id = find_object(reader, node, object, name);
  return *id < 0 ? CRD_OBJECT_NONE : object;
}

static void read_sensor(mjcf_reader *reader, crd_xml_node *node, int type) {
  crd_sensor_def def = crd_model_sensor_default();
  crd_xml_enter(node);
  def.name = crd_xml_string(node, "name");
  def.type = (crd_sensor_type)type;
  def.line = node->place;
  if (crd_xml_number(reader->doc, node, "cutoff", &def.cutoff) && def.cutoff < 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<%s> cutoff: found %g, expected at least 0", node->name,
                 def.cutoff);
  const char *attribute = object_attribute(def.type, &def.object);
  if (attribute) {
    def.object_id = find_object(reader, node, def.object, attribute);
  } else if (def.type < CRD_SENSOR_CLOCK) {
    def.object = read_frame(reader, node, "objtype", "objname", &def.object_id);
    const bool refers = crd_xml_has(node, "reftype") || crd_xml_has(node, "refname");
    if (refers) def.reference = read_frame(reader, node, "reftype", "refname", &def.reference_id);
    if (crd_xml_ok(reader->doc) && (def.object_id < 0 || (refers && def.reference_id < 0))) {
      mjcf_ignore(node, show);
      return;
    }
    const bool turned = def.type >= CRD_SENSOR_FRAMEQUAT && def.type <= CRD_SENSOR_FRAMEZAXIS;
    if ((turned && def.object == CRD_OBJECT_BODY) || def.reference == CRD_OBJECT_BODY) {
      mjcf_ignore(node, principal);
      return;
    }
  }
  if (crd_xml_ok(reader->doc) && attribute && def.object_id < 0) mjcf_ignore(node, show); /* its joint was left out */
  if (crd_xml_ok(reader->doc) && (!attribute || def.object_id >= 0))
    mjcf_added(reader, crd_model_builder_sensor(reader->builder, &def));
}

void mjcf_read_sensors(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "sensor"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next) {
      const int type = type_of(node);
      if (type >= 0)
        read_sensor(reader, node, type);
      else
        mjcf_ignore(node, not_computed);
    }
  }
}
