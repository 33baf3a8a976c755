/* <joint> and <freejoint>. */
#include <cradle/linalg.h>
#include <string.h>

#include "io/mjcf/reader.h"

mjcf_joint mjcf_joint_start(void) {
  return (mjcf_joint){.def = crd_model_joint_default(), .limited = MJCF_AUTO, .force_limited = MJCF_AUTO};
}

void mjcf_read_tristate(mjcf_reader *reader, crd_xml_node *node, const char *attribute, mjcf_tristate *value) {
  static const char *const words[] = {"false", "true", "auto"};
  int which;
  if (crd_xml_keyword(reader->doc, node, attribute, words, 3, &which)) *value = (mjcf_tristate)which;
}

bool mjcf_is_limited(mjcf_reader *reader, const crd_xml_node *node, mjcf_tristate limited, const double range[2],
                     const char *attribute) {
  bool has_range = range[0] != 0 || range[1] != 0;
  if (limited == MJCF_AUTO && has_range && !reader->set.autolimits)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<%s>: found a range without '%s', expected both, because autolimits is false", node->name, attribute);
  return limited == MJCF_TRUE || (limited == MJCF_AUTO && has_range);
}

/* A coefficient; newer MuJoCo also takes a polynomial. */
static void read_coefficient(mjcf_reader *reader, crd_xml_node *node, const char *attribute, double *value) {
  double polynomial[3] = {*value};
  if (!crd_xml_numbers(reader->doc, node, attribute, polynomial, 1, 3)) return;
  *value = polynomial[0];
  if (polynomial[1] != 0 || polynomial[2] != 0)
    mjcf_leave_out(reader, node, attribute, "nonlinear springs and dampers are not supported");
}

void mjcf_read_joint(mjcf_reader *reader, crd_xml_node *node, mjcf_joint *joint) {
  static const char *const types[] = {"free", "ball", "slide", "hinge"};
  static const crd_joint_type type[] = {CRD_FREE, CRD_BALL, CRD_SLIDE, CRD_HINGE};
  crd_xml_document *doc = reader->doc;
  crd_joint_def *def = &joint->def;
  crd_xml_enter(node);
  crd_xml_use(node, "class");
  crd_xml_use(node, "name");
  int which;
  if (crd_xml_keyword(doc, node, "type", types, 4, &which)) def->type = type[which];
  crd_xml_numbers(doc, node, "pos", def->pos, 3, 3);
  crd_xml_numbers(doc, node, "axis", def->axis, 3, 3);
  crd_xml_numbers(doc, node, "springdamper", joint->springdamper, 2, 2);
  read_coefficient(reader, node, "stiffness", &def->stiffness);
  read_coefficient(reader, node, "damping", &def->damping);
  crd_xml_number(doc, node, "armature", &def->armature);
  crd_xml_number(doc, node, "frictionloss", &def->frictionloss);
  crd_xml_number(doc, node, "ref", &def->ref);
  crd_xml_number(doc, node, "springref", &def->springref);
  crd_xml_number(doc, node, "margin", &def->margin);
  crd_xml_numbers(doc, node, "range", def->range, 2, 2);
  crd_xml_numbers(doc, node, "actuatorfrcrange", def->force_range, 2, 2);
  mjcf_read_tristate(reader, node, "limited", &joint->limited);
  mjcf_read_tristate(reader, node, "actuatorfrclimited", &joint->force_limited);
  crd_xml_bool(doc, node, "actuatorgravcomp", &def->carries_gravity);
}

static void resolve_limits(mjcf_reader *reader, const crd_xml_node *node, mjcf_joint *joint) {
  crd_joint_def *def = &joint->def;
  bool turns = def->type == CRD_HINGE || def->type == CRD_BALL;
  def->limited = def->type != CRD_FREE && mjcf_is_limited(reader, node, joint->limited, def->range, "limited");
  if (def->limited && def->type != CRD_BALL && def->range[0] >= def->range[1])
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<joint> range: found %g %g, expected the smaller number first",
                 def->range[0], def->range[1]);
  if (def->limited && def->type == CRD_BALL && (def->range[0] != 0 || def->range[1] < 0))
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<joint> range: found %g %g for a ball, expected 0 and an angle",
                 def->range[0], def->range[1]);
  for (int i = 0; turns && i < 2; i++) def->range[i] = mjcf_angle(reader, def->range[i]);
  if (reader->no_limit) def->limited = false;

  bool scalar = def->type == CRD_HINGE || def->type == CRD_SLIDE;
  def->force_limited =
      scalar && mjcf_is_limited(reader, node, joint->force_limited, def->force_range, "actuatorfrclimited");
  if (def->force_limited && def->force_range[0] >= def->force_range[1])
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                 "<joint> actuatorfrcrange: found %g %g, expected the smaller number first", def->force_range[0],
                 def->force_range[1]);
}

/* Spring and damper from a time constant T and a damping ratio r: k = m/(T r)^2, d = 2 m/T, where m is the inertia the
 * joint sees at qpos0 (filled in by a second reading, see automatic.c). */
static void resolve_spring(mjcf_reader *reader, const crd_xml_node *node, mjcf_joint *joint) {
  crd_joint_def *def = &joint->def;
  const double *wanted = joint->springdamper;
  if (wanted[0] != 0 || wanted[1] != 0) {
    if (wanted[0] <= 0 || wanted[1] <= 0) {
      crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<joint> springdamper: found %g %g, expected positive numbers",
                   wanted[0], wanted[1]);
      return;
    }
    reader->automatic.needed = true;
    if (reader->automatic.stiffness) {
      def->stiffness = reader->automatic.stiffness[reader->njoint];
      def->damping = reader->automatic.damping[reader->njoint];
    }
  }
  if (reader->no_spring) def->stiffness = 0;
  if (reader->no_damper) def->damping = 0;
  if (reader->no_frictionloss) def->frictionloss = 0;
}

static bool keep_joint(mjcf_reader *reader, const mjcf_joint *joint) {
  if (reader->njoint == reader->joint_capacity) {
    int capacity = reader->joint_capacity ? 2 * reader->joint_capacity : 64;
    const mjcf_joint **larger = mjcf_alloc(reader, (size_t)capacity, sizeof *larger);
    if (!larger) return false;
    if (reader->njoint) memcpy(larger, reader->joint, (size_t)reader->njoint * sizeof *larger);
    reader->joint = larger;
    reader->joint_capacity = capacity;
  }
  mjcf_joint *copy = mjcf_alloc(reader, 1, sizeof *copy);
  if (!copy) return false;
  *copy = *joint;
  reader->joint[reader->njoint++] = copy;
  return true;
}

static void add(mjcf_reader *reader, crd_xml_node *node, int body, mjcf_joint *joint) {
  crd_joint_def *def = &joint->def;
  def->name = crd_xml_string(node, "name");
  def->line = node->place;
  crd_xml_node *element = def->name ? crd_name_find(&reader->limit_restitution, def->name) : NULL;
  if (element) crd_xml_number(reader->doc, element, "prm", &def->restitution);
  if (body == 0) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s>: found in the world, expected in a body", node->name);
    return;
  }
  if (!crd_xml_ok(reader->doc)) return;
  int id = mjcf_added(reader, crd_model_builder_joint(reader->builder, body, def));
  mjcf_enter_name(reader, &reader->joints, node, def->name, id, NULL);
  keep_joint(reader, joint);
}

void mjcf_add_joint(mjcf_reader *reader, crd_xml_node *node, int body, const mjcf_frame *frame,
                    const mjcf_class *defaults) {
  mjcf_joint joint = mjcf_class_of(reader, node, "class", defaults)->joint;
  mjcf_read_joint(reader, node, &joint);
  crd_joint_def *def = &joint.def;
  if (def->type == CRD_FREE) memset(def->pos, 0, sizeof def->pos);
  if (def->type == CRD_FREE || def->type == CRD_BALL) def->axis[0] = def->axis[1] = 0, def->axis[2] = 1;
  if (def->type != CRD_FREE) {
    mjcf_frame place = {{def->pos[0], def->pos[1], def->pos[2]}, {1, 0, 0, 0}};
    mjcf_compose(frame, &place);
    crd_vec3_copy(def->pos, place.pos);
    if (def->type != CRD_BALL) crd_quat_rotate(def->axis, frame->quat, def->axis);
  }
  resolve_limits(reader, node, &joint);
  resolve_spring(reader, node, &joint);
  if (def->type == CRD_HINGE) {
    def->ref = mjcf_angle(reader, def->ref);
    def->springref = mjcf_angle(reader, def->springref);
  }
  add(reader, node, body, &joint);
}

void mjcf_add_freejoint(mjcf_reader *reader, crd_xml_node *node, int body) {
  crd_xml_enter(node);
  mjcf_joint joint = mjcf_joint_start(); /* takes nothing from the defaults, as in MuJoCo */
  joint.def.type = CRD_FREE;
  mjcf_tristate align = MJCF_AUTO;
  mjcf_read_tristate(reader, node, "align", &align);
  if (align == MJCF_TRUE)
    mjcf_leave_out(reader, node, "align", "moving the body frame into the inertial frame is not supported");
  add(reader, node, body, &joint);
}
