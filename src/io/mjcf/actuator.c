/* <actuator>: transmissions of the actuators, and their ranges; actuator_kind.c has their laws. */
#include <string.h>

#include "io/mjcf/reader.h"

mjcf_actuator mjcf_actuator_start(void) {
  return (mjcf_actuator){.def = crd_model_actuator_default(),
                         .dynprm = {1},
                         .ctrl_limited = MJCF_AUTO,
                         .force_limited = MJCF_AUTO,
                         .act_limited = MJCF_AUTO};
}

/* ------------------------------------------------------------------------------------------------ attributes */

static void read_transmission(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  static const char *const targets[] = {"joint", "jointinparent", "tendon", "cranksite", "site", "body"};
  int found = 0;
  for (int i = 0; i < 6; i++) {
    const char *name = crd_xml_string(node, targets[i]);
    if (!name) continue;
    actuator->transmission = (mjcf_transmission)(MJCF_TO_JOINT + i);
    actuator->target = name;
    actuator->target_attribute = targets[i];
    found++;
  }
  if (found > 1)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<%s>: found %d targets, expected one of joint, jointinparent, tendon, site, body", node->name, found);
  const char *slider = crd_xml_string(node, "slidersite"), *frame = crd_xml_string(node, "refsite");
  if (slider) actuator->reference = slider;
  if (frame) actuator->reference = frame;
  if (slider && frame)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s>: found slidersite and refsite, expected one of them",
                 node->name);
  crd_xml_number(reader->doc, node, "cranklength", &actuator->def.crank_length);
}

void mjcf_read_actuator(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_xml_document *doc = reader->doc;
  crd_actuator_def *def = &actuator->def;
  crd_xml_enter(node);
  crd_xml_use(node, "class");
  crd_xml_use(node, "name");
  crd_xml_numbers(doc, node, "gear", def->gear, 1, 6);
  crd_xml_numbers(doc, node, "ctrlrange", def->ctrl_range, 2, 2);
  crd_xml_numbers(doc, node, "forcerange", def->force_range, 2, 2);
  mjcf_read_tristate(reader, node, "ctrllimited", &actuator->ctrl_limited);
  mjcf_read_tristate(reader, node, "forcelimited", &actuator->force_limited);
  read_transmission(reader, node, actuator);
  mjcf_read_actuator_kind(reader, node, actuator);
  double extra[3] = {0};
  if (crd_xml_numbers(doc, node, "damping", extra, 1, 3)) actuator->damping = extra[0];
  crd_xml_number(doc, node, "armature", &actuator->armature);
}

/* ------------------------------------------------------------------------------------------------ adding */

/* Why the actuator cannot be represented, NULL: it can. */
static const char *unsupported(const crd_xml_node *node, const mjcf_actuator *actuator) {
  const char *law = mjcf_actuator_unsupported(node, actuator);
  if (law) return law;
  return actuator->damping != 0 || actuator->armature != 0 ? "damping and armature of an actuator are not supported"
                                                           : NULL;
}

static const char *attach_to_joint(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_actuator_def *def = &actuator->def;
  def->joint = mjcf_find(reader, &reader->joints, node, actuator->target_attribute, "joint");
  if (def->joint < 0) return NULL;
  crd_joint_type type = reader->joint[def->joint]->def.type;
  if (type == CRD_HINGE || type == CRD_SLIDE) return NULL;
  def->in_parent = actuator->transmission == MJCF_TO_JOINT_IN_PARENT;
  if (def->gain_law == CRD_FORCE_AFFINE && (def->gain[1] != 0 || def->bias[1] != 0))
    return "position servos on ball and free joints are not supported";
  return NULL;
}

static void attach_to_tendon(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  actuator->def.transmission = CRD_ON_TENDON;
  actuator->def.tendon = mjcf_find(reader, &reader->tendons, node, actuator->target_attribute, "tendon");
}

/* Adhesion only draws together: a negative control has no meaning. */
static void attach_to_body(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  actuator->def.transmission = CRD_ON_BODY;
  actuator->def.body = mjcf_find(reader, &reader->bodies, node, actuator->target_attribute, "body");
  if (crd_xml_is(node, "adhesion") && actuator->def.ctrl_range[0] < 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<adhesion> ctrlrange: found %g %g, expected no negative control",
                 actuator->def.ctrl_range[0], actuator->def.ctrl_range[1]);
}

/* On a site, relative to another one or not, or on the crank whose slider is at another one. */
static void attach_to_site(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  const bool crank = actuator->transmission == MJCF_TO_CRANK;
  const char *attribute = crank ? "slidersite" : "refsite";
  actuator->def.transmission = crank ? CRD_ON_CRANK : CRD_ON_SITE;
  actuator->def.site = mjcf_find(reader, &reader->sites, node, actuator->target_attribute, "site");
  actuator->def.reference = -1;
  if (crank || crd_xml_has(node, "refsite"))
    actuator->def.reference = mjcf_find(reader, &reader->sites, node, attribute, "site");
}

static const char *attach(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  switch (actuator->transmission) {
    case MJCF_TO_TENDON: attach_to_tendon(reader, node, actuator); return NULL;
    case MJCF_TO_BODY: attach_to_body(reader, node, actuator); return NULL;
    case MJCF_TO_CRANK:
    case MJCF_TO_SITE: attach_to_site(reader, node, actuator); return NULL;
    default: return attach_to_joint(reader, node, actuator);
  }
}

/* Control range, of an intvelocity the range of its activation, taken from the range of what the actuator moves. */
static void resolve_inherited_range(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_actuator_def *def = &actuator->def;
  if (!mjcf_actuator_inherits_range(node, actuator)) return;
  const double *range = NULL;
  if (def->joint >= 0) range = reader->joint[def->joint]->def.range;
  const mjcf_name *tendon =
      def->transmission == CRD_ON_TENDON ? crd_name_find(&reader->tendons, actuator->target) : NULL;
  if (tendon) range = ((const mjcf_tendon *)tendon->thing)->range;
  if (!range || range[0] >= range[1]) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s> inheritrange: found no range on '%.100s', expected one",
                 node->name, actuator->target);
    return;
  }
  double mean = 0.5 * (range[0] + range[1]), radius = 0.5 * (range[1] - range[0]) * actuator->inherit_range;
  double *into = def->dynamics == CRD_DYNAMICS_INTEGRATOR ? def->act_range : def->ctrl_range;
  into[0] = mean - radius, into[1] = mean + radius;
}

static void check_range(mjcf_reader *reader, const crd_xml_node *node, const char *attribute, bool limited,
                        const double range[2]) {
  if (limited && range[0] >= range[1])
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<%s> %s: found %g %g, expected the smaller number first",
                 node->name, attribute, range[0], range[1]);
}

/* MuJoCo finds a range that is not given by moving the mechanism about; here the file has to state it, unless the
 * compiler is told to take that of a limited joint or tendon. */
static void need_length_range(mjcf_reader *reader, crd_xml_node *node, crd_actuator_def *def) {
  if (def->length_range[0] < def->length_range[1]) return;
  const crd_joint_def *joint = def->joint >= 0 ? &reader->joint[def->joint]->def : NULL;
  if (reader->set.length_uses_limit && joint && joint->limited) {
    const double ends[2] = {def->gear[0] * joint->range[0], def->gear[0] * joint->range[1]};
    const int lower = ends[0] < ends[1] ? 0 : 1;
    def->length_range[0] = ends[lower], def->length_range[1] = ends[1 - lower];
    return;
  }
  crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
               "<%s> lengthrange: found %g %g, expected the shortest and the longest length of what the muscle moves",
               node->name, def->length_range[0], def->length_range[1]);
}

static bool keep_actuator(mjcf_reader *reader, const mjcf_actuator *actuator) {
  mjcf_actuator *copy = mjcf_alloc(reader, 1, sizeof *copy);
  if (!copy) return false;
  *copy = *actuator;
  reader->actuator[reader->nactuator++] = copy;
  return true;
}

/* True where the actuator is part of the model now; *active: it has an activation in MuJoCo. */
static bool add_actuator(mjcf_reader *reader, crd_xml_node *node, bool *active) {
  mjcf_actuator actuator = mjcf_class_of(reader, node, "class", reader->main_class)->actuator;
  mjcf_read_actuator(reader, node, &actuator);
  *active = actuator.dynamics != MJCF_DYNAMICS_NONE;
  crd_actuator_def *def = &actuator.def;
  if (actuator.transmission == MJCF_TO_NOTHING) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s>: found no target, expected a joint, tendon, site or body",
                 node->name);
    return false;
  }
  mjcf_resolve_law(reader, node, &actuator);
  const char *reason = unsupported(node, &actuator);
  if (!reason && crd_xml_ok(reader->doc)) {
    reason = attach(reader, node, &actuator);
  }
  if (reason) mjcf_leave_out(reader, node, NULL, reason);
  if (reason || !crd_xml_ok(reader->doc)) return false;
  resolve_inherited_range(reader, node, &actuator);
  def->ctrl_limited = mjcf_is_limited(reader, node, actuator.ctrl_limited, def->ctrl_range, "ctrllimited");
  def->force_limited = mjcf_is_limited(reader, node, actuator.force_limited, def->force_range, "forcelimited");
  if (def->dynamics != CRD_DYNAMICS_NONE)
    def->act_limited = mjcf_is_limited(reader, node, actuator.act_limited, def->act_range, "actlimited");
  check_range(reader, node, "actrange", def->act_limited, def->act_range);
  check_range(reader, node, "ctrlrange", def->ctrl_limited, def->ctrl_range);
  check_range(reader, node, "forcerange", def->force_limited, def->force_range);
  if (def->gain_law == CRD_FORCE_MUSCLE || def->bias_law == CRD_FORCE_MUSCLE) need_length_range(reader, node, def);
  if (reader->no_clamp) def->ctrl_limited = false;
  def->name = crd_xml_string(node, "name");
  def->line = node->place;
  if (!crd_xml_ok(reader->doc)) return false;
  mjcf_added(reader, crd_model_builder_actuator(reader->builder, def));
  return keep_actuator(reader, &actuator);
}

void mjcf_read_actuators(mjcf_reader *reader, crd_xml_node *root) {
  int count = 0;
  for (crd_xml_node *section = crd_xml_child(root, "actuator"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node; node = node->next) count += mjcf_is_actuator(node);
  }
  reader->actuator_kept = mjcf_alloc(reader, (size_t)count + 1, sizeof *reader->actuator_kept);
  reader->actuator_active = mjcf_alloc(reader, (size_t)count + 1, sizeof *reader->actuator_active);
  reader->actuator = mjcf_alloc(reader, (size_t)count + 1, sizeof *reader->actuator);
  if (!crd_xml_ok(reader->doc)) return;
  for (crd_xml_node *section = crd_xml_child(root, "actuator"); section; section = crd_xml_next(section)) {
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next)
      if (mjcf_is_actuator(node)) {
        const int at = reader->nactuator_in_file++;
        reader->actuator_kept[at] = add_actuator(reader, node, &reader->actuator_active[at]);
      }
  }
}
