/* Joints of a URDF file: type, axis, limits, friction and mimic.
 *
 * Limits hold for revolute and prismatic joints with lower < upper (absent ones are 0). A planar joint moves in the
 * plane normal to its axis: MuJoCo's three joints, two slides along the x and y axes of the frame whose z axis is the
 * joint's axis, then a hinge about it. A mimic, q = offset + multiplier q', becomes a loop. */
#include <cradle/linalg.h>
#include <stdio.h>
#include <string.h>

#include "io/urdf/parts.h"

static void read_axis(crd_urdf_reader *reader, const crd_urdf_joint *joint, double axis[3]) {
  axis[0] = 1, axis[1] = axis[2] = 0;
  crd_xml_node *node = crd_urdf_child(reader, joint->node, "axis");
  if (!node) return;
  double found[3] = {1, 0, 0};
  if (crd_xml_need(reader->doc, node, "xyz")) crd_xml_numbers(reader->doc, node, "xyz", found, 3, 3);
  if (crd_xml_ok(reader->doc) && crd_vec3_norm(found) < CRD_URDF_NO_DIRECTION)
    crd_xml_fail(reader->doc, node, CRD_ERR_MODEL, "<axis> xyz: found '%.60s', expected a vector other than zero",
                 crd_xml_string(node, "xyz"));
  crd_vec3_copy(axis, found);
}

static void read_dynamics(crd_urdf_reader *reader, const crd_urdf_joint *joint, crd_joint_def *def) {
  crd_xml_node *node = crd_urdf_child(reader, joint->node, "dynamics");
  if (!node) return;
  crd_xml_number(reader->doc, node, "damping", &def->damping);
  crd_xml_number(reader->doc, node, "friction", &def->frictionloss);
  if (def->damping < 0 || def->frictionloss < 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_MODEL,
                 "<dynamics>: found damping %g and friction %g, expected none below 0", def->damping,
                 def->frictionloss);
}

/* lower and upper of a joint that has them. Equal ones mean "no limit" in MuJoCo and in many files that write 0 for
 * both. */
static void read_range(crd_urdf_reader *reader, crd_xml_node *node, crd_joint_def *def) {
  crd_xml_number(reader->doc, node, "lower", &def->range[0]);
  crd_xml_number(reader->doc, node, "upper", &def->range[1]);
  def->limited = def->range[0] < def->range[1];
  if (def->limited || !crd_xml_ok(reader->doc)) return;
  if (def->range[0] > def->range[1] && !reader->options->lenient)
    crd_xml_fail(reader->doc, node, CRD_ERR_MODEL, "<limit>: found lower %g above upper %g, expected lower <= upper",
                 def->range[0], def->range[1]);
  const char *reason = "lower is not below upper: no limit, as in MuJoCo";
  crd_xml_ignore(node, "lower", reason);
  crd_xml_ignore(node, "upper", reason);
}

static void read_limit(crd_urdf_reader *reader, const crd_urdf_joint *joint, crd_joint_def *def) {
  crd_xml_node *node = crd_urdf_child(reader, joint->node, "limit");
  if (!node) return;
  double effort = 0;
  crd_xml_number(reader->doc, node, "effort", &effort);
  if (joint->type == CRD_URDF_REVOLUTE || joint->type == CRD_URDF_PRISMATIC) {
    read_range(reader, node, def);
  } else {
    crd_xml_ignore(node, "lower", "a joint of this type has no limits");
    crd_xml_ignore(node, "upper", "a joint of this type has no limits");
  }
  bool scalar = def->type == CRD_HINGE || def->type == CRD_SLIDE;
  def->force_limited = scalar && effort > 0;
  if (def->force_limited) def->force_range[0] = -effort, def->force_range[1] = effort;
}

static void add(crd_urdf_reader *reader, crd_urdf_joint *joint, int body, const crd_joint_def *def) {
  int id = crd_model_builder_joint(reader->builder, body, def);
  if (crd_urdf_added(reader, id) && joint->id < 0) joint->id = id;
}

static void add_planar(crd_urdf_reader *reader, crd_urdf_joint *joint, int body, const crd_joint_def *common) {
  static const char *const suffix[3] = {"_TX", "_TY", "_RZ"};
  double quat[4], R[9], unit[3];
  crd_vec3_copy(unit, common->axis);
  crd_vec3_normalize(unit);
  crd_quat_from_z_to(quat, unit);
  crd_quat_to_mat3(R, quat);
  size_t size = strlen(joint->name) + 4;
  char *name = crd_arena_alloc(&reader->doc->arena, size, 1);
  if (!name) {
    crd_xml_fail_memory(reader->doc);
    return;
  }
  for (int k = 0; k < 3; k++) {
    crd_joint_def def = *common;
    snprintf(name, size, "%s%s", joint->name, suffix[k]);
    def.name = name;
    def.type = k < 2 ? CRD_SLIDE : CRD_HINGE;
    for (int i = 0; i < 3; i++) def.axis[i] = R[3 * i + k];
    add(reader, joint, body, &def);
  }
}

/* Attributes of motion have no effect on a fixed joint. */
static void ignore_motion(const crd_urdf_joint *joint) {
  static const char *const parts[] = {"axis", "limit", "dynamics", "mimic"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    crd_xml_node *node = crd_xml_child(joint->node, parts[i]);
    if (node) crd_xml_ignore(node, NULL, "a fixed joint does not move");
  }
}

/* Everything a joint that moves says about its motion. */
static crd_joint_def read_motion(crd_urdf_reader *reader, const crd_urdf_joint *joint) {
  static const crd_joint_type types[CRD_URDF_JOINT_TYPES] = {
      [CRD_URDF_REVOLUTE] = CRD_HINGE, [CRD_URDF_CONTINUOUS] = CRD_HINGE, [CRD_URDF_PRISMATIC] = CRD_SLIDE,
      [CRD_URDF_FLOATING] = CRD_FREE,  [CRD_URDF_PLANAR] = CRD_SLIDE,     [CRD_URDF_SPHERICAL] = CRD_BALL};
  crd_joint_def def = crd_model_joint_default();
  def.name = joint->name;
  def.line = joint->node->line;
  def.type = types[joint->type];
  if (def.type == CRD_FREE || def.type == CRD_BALL) {
    crd_xml_node *axis = crd_xml_child(joint->node, "axis");
    if (axis) crd_xml_ignore(axis, NULL, "a joint of this type has no axis");
  } else {
    read_axis(reader, joint, def.axis);
  }
  read_dynamics(reader, joint, &def);
  read_limit(reader, joint, &def);
  if (reader->no_limit) def.limited = false;
  if (reader->no_damper) def.damping = 0;
  if (reader->no_frictionloss) def.frictionloss = 0;
  return def;
}

void crd_urdf_add_joint(crd_urdf_reader *reader, crd_urdf_joint *joint, int body) {
  if (joint->type == CRD_URDF_FIXED) {
    ignore_motion(joint);
    return;
  }
  crd_joint_def def = read_motion(reader, joint);
  if (!crd_xml_ok(reader->doc)) return;
  if (joint->type == CRD_URDF_PLANAR) {
    add_planar(reader, joint, body, &def);
  } else {
    add(reader, joint, body, &def);
  }
}

static bool is_scalar(const crd_urdf_joint *joint) {
  return joint->type == CRD_URDF_REVOLUTE || joint->type == CRD_URDF_CONTINUOUS || joint->type == CRD_URDF_PRISMATIC;
}

static void add_mimic(crd_urdf_reader *reader, const crd_urdf_joint *joint) {
  crd_xml_node *node = crd_urdf_child(reader, joint->node, "mimic");
  const char *name = node ? crd_xml_need(reader->doc, node, "joint") : NULL;
  if (!name) return;
  const crd_urdf_joint *leader = crd_name_find(&reader->joint_names, name);
  double multiplier = 1, offset = 0;
  crd_xml_number(reader->doc, node, "multiplier", &multiplier);
  crd_xml_number(reader->doc, node, "offset", &offset);
  if (!leader && reader->options->lenient) {
    crd_xml_ignore(node, NULL, "the joint that it names does not exist");
    return;
  }
  if (!leader) {
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<mimic> joint: found '%.100s', expected the name of a <joint>",
                 name);
  } else if (leader == joint || !is_scalar(joint) || !(is_scalar(leader) || leader->type == CRD_URDF_FIXED)) {
    crd_xml_fail(reader->doc, node, CRD_ERR_MODEL,
                 "joint '%.100s' mimics '%.100s', expected two different revolute, continuous or prismatic joints",
                 joint->name, name);
  }
  if (!crd_xml_ok(reader->doc)) return;
  crd_loop_def loop = crd_model_loop_default();
  loop.type = CRD_LOOP_JOINT;
  loop.joint1 = joint->id;
  loop.joint2 = leader->id; /* -1 for a fixed leader, whose coordinate is 0: the follower stays at the offset */
  memset(loop.polycoef, 0, sizeof loop.polycoef);
  loop.polycoef[0] = offset;
  loop.polycoef[1] = multiplier;
  loop.active = !reader->no_equality;
  loop.line = node->line;
  crd_urdf_added(reader, crd_model_builder_loop(reader->builder, &loop));
}

void crd_urdf_add_mimics(crd_urdf_reader *reader) {
  for (int i = 0; i < reader->njoint && crd_xml_ok(reader->doc); i++)
    if (reader->joint[i].type != CRD_URDF_FIXED) add_mimic(reader, &reader->joint[i]);
}
