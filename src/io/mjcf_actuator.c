/* <actuator>: motors and servos, all of them cases of one law (crd_actuator_def),
 *   f = (gain . (1, l, l')) ctrl + bias . (1, l, l').
 *
 * The element's name is a shortcut that sets gain and bias: motor (1; 0), position (kp; -kp l - kv l'), velocity (kv;
 * -kv l'), damper (-kv l'; 0), general (as stated). Actuators with an activation state of their own (integrators,
 * filters, muscles), and those that act on sites, bodies and spatial tendons, are not supported.
 */
#include <string.h>

#include "io/mjcf_reader.h"

static const char *const kinds[] = {"general",     "motor",       "position", "velocity", "damper",
                                    "intvelocity", "cylinder",    "muscle",   "plugin",   "adhesion",
                                    "pid",         "orientation", "dcmotor",  NULL};
enum { GENERAL, MOTOR, POSITION, VELOCITY, DAMPER, FIRST_UNSUPPORTED };

static int kind_of(const crd_xml_node *node) {
  int kind = 0;
  while (kinds[kind] && !crd_xml_is(node, kinds[kind])) kind++;
  return kind;
}

bool mjcf_is_actuator(const crd_xml_node *node) { return kinds[kind_of(node)] != NULL; }

mjcf_actuator mjcf_actuator_start(void) {
  return (mjcf_actuator){.def = crd_actuator_default(), .ctrl_limited = MJCF_AUTO, .force_limited = MJCF_AUTO};
}

/* ------------------------------------------------------------------------------------------------ attributes */

static void read_parameters(mjcf_reader *reader, crd_xml_node *node, const char *attribute, double value[3]) {
  double all[16] = {value[0], value[1], value[2]};
  crd_xml_numbers(reader->doc, node, attribute, all, 1, 16);
  memcpy(value, all, 3 * sizeof *value);
}

static void read_general(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  static const char *const dynamics[] = {"none",   "integrator", "filter",  "filterexact",
                                         "muscle", "user",       "dcmotor", "pid"};
  static const char *const gains[] = {"fixed", "affine", "muscle", "user", "so3", "dcmotor", "pid"};
  static const char *const biases[] = {"none", "affine", "muscle", "user", "so3", "dcmotor", "pid"};
  int which;
  if (crd_xml_keyword(reader->doc, node, "dyntype", dynamics, 8, &which)) actuator->has_activation = which != 0;
  if (crd_xml_keyword(reader->doc, node, "gaintype", gains, 7, &which))
    actuator->gain_type = which < MJCF_GAIN_OTHER ? (mjcf_gain)which : MJCF_GAIN_OTHER;
  if (crd_xml_keyword(reader->doc, node, "biastype", biases, 7, &which))
    actuator->bias_type = which < MJCF_BIAS_OTHER ? (mjcf_bias)which : MJCF_BIAS_OTHER;
  read_parameters(reader, node, "gainprm", actuator->def.gain);
  read_parameters(reader, node, "biasprm", actuator->def.bias);
}

static void read_position(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_xml_document *doc = reader->doc;
  double *gain = actuator->def.gain, *bias = actuator->def.bias, kv = 0, ratio = 0, filter = 0;
  crd_xml_number(doc, node, "kp", &gain[0]);
  bool has_kv = crd_xml_number(doc, node, "kv", &kv), has_ratio = crd_xml_number(doc, node, "dampratio", &ratio);
  if (kv < 0 || ratio < 0 || (has_kv && has_ratio))
    crd_xml_fail(doc, node, CRD_ERR_NUMBER,
                 "<position>: found kv %g and dampratio %g, expected one of them, not negative", kv, ratio);
  if (has_kv || has_ratio) {
    actuator->position_damping = -kv;
    actuator->damping_ratio = ratio;
  }
  bias[0] = 0;
  bias[1] = -gain[0];
  bias[2] = actuator->position_damping;
  if (crd_xml_number(doc, node, "timeconst", &filter)) actuator->has_activation = filter != 0;
  crd_xml_number(doc, node, "inheritrange", &actuator->inherit_range);
  actuator->gain_type = MJCF_GAIN_FIXED;
  actuator->bias_type = MJCF_BIAS_AFFINE;
}

static void read_kind(mjcf_reader *reader, crd_xml_node *node, int kind, mjcf_actuator *actuator) {
  double *gain = actuator->def.gain, *bias = actuator->def.bias, kv;
  switch (kind) {
    case GENERAL: read_general(reader, node, actuator); break;
    case MOTOR:
      gain[0] = 1;
      actuator->has_activation = false;
      actuator->gain_type = MJCF_GAIN_FIXED;
      actuator->bias_type = MJCF_BIAS_NONE;
      break;
    case POSITION: read_position(reader, node, actuator); break;
    case VELOCITY:
      crd_xml_number(reader->doc, node, "kv", &gain[0]);
      bias[0] = bias[1] = 0;
      bias[2] = -gain[0];
      actuator->has_activation = false;
      actuator->gain_type = MJCF_GAIN_FIXED;
      actuator->bias_type = MJCF_BIAS_AFFINE;
      break;
    case DAMPER:
      kv = actuator->gain_type == MJCF_GAIN_AFFINE ? -gain[2] : 0;
      crd_xml_number(reader->doc, node, "kv", &kv);
      if (kv < 0)
        crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<damper> kv: found %g, expected a number that is not negative",
                     kv);
      gain[0] = gain[1] = 0;
      gain[2] = -kv;
      actuator->ctrl_limited = MJCF_TRUE;
      actuator->has_activation = false;
      actuator->gain_type = MJCF_GAIN_AFFINE;
      actuator->bias_type = MJCF_BIAS_NONE;
      break;
    default: /* its attributes stay unread */ actuator->gain_type = MJCF_GAIN_OTHER;
  }
}

static void read_transmission(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  static const char *const targets[] = {"joint", "jointinparent", "tendon", "cranksite", "site", "body"};
  static const char *const more[] = {"slidersite", "refsite", "cranklength", NULL};
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
  for (int i = 0; more[i]; i++) crd_xml_use(node, more[i]);
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
  read_kind(reader, node, kind_of(node), actuator);
  double extra[3] = {0};
  if (crd_xml_numbers(doc, node, "damping", extra, 1, 3)) actuator->damping = extra[0];
  crd_xml_number(doc, node, "armature", &actuator->armature);
}

/* ------------------------------------------------------------------------------------------------ adding */

/* Why the actuator cannot be represented, NULL: it can. */
static const char *unsupported(const crd_xml_node *node, const mjcf_actuator *actuator) {
  if (kind_of(node) >= FIRST_UNSUPPORTED || actuator->gain_type == MJCF_GAIN_OTHER ||
      actuator->bias_type == MJCF_BIAS_OTHER)
    return "only motor, position, velocity, damper and general actuators with fixed or affine gain and bias are "
           "supported";
  if (actuator->has_activation) return "actuators with an activation state are not supported";
  if (actuator->damping != 0 || actuator->armature != 0) return "damping and armature of an actuator are not supported";
  switch (actuator->transmission) {
    case MJCF_TO_CRANK: return "slider-cranks are not supported";
    case MJCF_TO_SITE: return "actuators on sites are not supported";
    case MJCF_TO_BODY: return "actuators on bodies are not supported";
    default: return NULL;
  }
}

static const char *attach_to_joint(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_actuator_def *def = &actuator->def;
  def->joint = mjcf_find(reader, &reader->joints, node, actuator->target_attribute, "joint");
  if (def->joint < 0) return NULL;
  crd_joint_type type = reader->joint[def->joint]->def.type;
  if (type == CRD_HINGE || type == CRD_SLIDE) return NULL;
  if (actuator->transmission == MJCF_TO_JOINT_IN_PARENT)
    return "jointinparent is not supported for ball and free joints";
  if (def->gain[1] != 0 || def->bias[1] != 0) return "position servos on ball and free joints are not supported";
  return NULL;
}

static const char *attach_to_tendon(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_actuator_def *def = &actuator->def;
  const mjcf_name *found = crd_name_find(&reader->tendons, actuator->target);
  if (!found) {
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<%s> tendon: found '%.100s', expected the name of a tendon",
                 node->name, actuator->target);
    return NULL;
  }
  const mjcf_tendon *tendon = found->thing;
  if (!tendon->fixed) return "actuators on spatial tendons are not supported";
  crd_xml_enter(found->node);
  def->joint = -1;
  def->nterm = tendon->nterm;
  def->term_joint = tendon->joint;
  def->term_coef = tendon->coef;
  return NULL;
}

/* Control range taken from the range of what the actuator moves. */
static void settle_inherited_range(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_actuator_def *def = &actuator->def;
  if (actuator->inherit_range <= 0 || kind_of(node) == MOTOR || def->gain[0] != -def->bias[1]) return;
  const double *range = NULL;
  if (def->joint >= 0) range = reader->joint[def->joint]->def.range;
  const mjcf_name *tendon = def->joint < 0 ? crd_name_find(&reader->tendons, actuator->target) : NULL;
  if (tendon) range = ((const mjcf_tendon *)tendon->thing)->range;
  if (!range || range[0] >= range[1]) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s> inheritrange: found no range on '%.100s', expected one",
                 node->name, actuator->target);
    return;
  }
  double mean = 0.5 * (range[0] + range[1]), radius = 0.5 * (range[1] - range[0]) * actuator->inherit_range;
  def->ctrl_range[0] = mean - radius, def->ctrl_range[1] = mean + radius;
}

static void check_range(mjcf_reader *reader, const crd_xml_node *node, const char *attribute, bool limited,
                        const double range[2]) {
  if (limited && range[0] >= range[1])
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<%s> %s: found %g %g, expected the smaller number first",
                 node->name, attribute, range[0], range[1]);
}

/* The numbers of the law, from the parameters and the types of gain and bias. */
static void settle_law(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_actuator_def *def = &actuator->def;
  if (actuator->gain_type == MJCF_GAIN_FIXED) def->gain[1] = def->gain[2] = 0;
  if (actuator->bias_type == MJCF_BIAS_NONE) memset(def->bias, 0, sizeof def->bias);
  /* A positive damping of a position servo is a ratio to the critical one (newer MuJoCo). */
  double ratio = kind_of(node) == POSITION ? actuator->damping_ratio : def->bias[2];
  if (actuator->bias_type == MJCF_BIAS_AFFINE && actuator->gain_type == MJCF_GAIN_FIXED && def->gain[0] > 0 &&
      def->gain[0] == -def->bias[1] && ratio > 0) {
    reader->automatic.needed = true;
    actuator->damping_ratio = ratio;
    def->bias[2] = reader->automatic.actuator_damping ? -reader->automatic.actuator_damping[reader->nactuator] : 0;
  } else {
    actuator->damping_ratio = 0;
  }
  if (reader->no_actuation) {
    memset(def->gain, 0, sizeof def->gain);
    memset(def->bias, 0, sizeof def->bias);
  }
}

static bool keep_actuator(mjcf_reader *reader, const mjcf_actuator *actuator) {
  mjcf_actuator *copy = mjcf_alloc(reader, 1, sizeof *copy);
  if (!copy) return false;
  *copy = *actuator;
  reader->actuator[reader->nactuator++] = copy;
  return true;
}

/* True where the actuator is part of the model now. */
static bool add_actuator(mjcf_reader *reader, crd_xml_node *node) {
  mjcf_actuator actuator = mjcf_class_of(reader, node, "class", reader->main_class)->actuator;
  mjcf_read_actuator(reader, node, &actuator);
  crd_actuator_def *def = &actuator.def;
  if (actuator.transmission == MJCF_TO_NOTHING) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s>: found no target, expected a joint or tendon", node->name);
    return false;
  }
  settle_law(reader, node, &actuator);
  const char *reason = unsupported(node, &actuator);
  if (!reason && crd_xml_ok(reader->doc)) {
    bool joint = actuator.transmission == MJCF_TO_JOINT || actuator.transmission == MJCF_TO_JOINT_IN_PARENT;
    reason = joint ? attach_to_joint(reader, node, &actuator) : attach_to_tendon(reader, node, &actuator);
  }
  if (reason) mjcf_leave_out(reader, node, NULL, reason);
  if (reason || !crd_xml_ok(reader->doc)) return false;
  settle_inherited_range(reader, node, &actuator);
  def->ctrl_limited = mjcf_is_limited(reader, node, actuator.ctrl_limited, def->ctrl_range, "ctrllimited");
  def->force_limited = mjcf_is_limited(reader, node, actuator.force_limited, def->force_range, "forcelimited");
  check_range(reader, node, "ctrlrange", def->ctrl_limited, def->ctrl_range);
  check_range(reader, node, "forcerange", def->force_limited, def->force_range);
  if (reader->no_clamp) def->ctrl_limited = false;
  def->name = crd_xml_string(node, "name");
  def->line = node->place;
  if (!crd_xml_ok(reader->doc)) return false;
  mjcf_added(reader, crd_builder_actuator(reader->builder, def));
  return keep_actuator(reader, &actuator);
}

void mjcf_read_actuators(mjcf_reader *reader, crd_xml_node *root) {
  int count = 0;
  for (crd_xml_node *section = crd_xml_child(root, "actuator"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node; node = node->next) count += mjcf_is_actuator(node);
  }
  reader->actuator_kept = mjcf_alloc(reader, (size_t)count + 1, sizeof *reader->actuator_kept);
  reader->actuator = mjcf_alloc(reader, (size_t)count + 1, sizeof *reader->actuator);
  if (!crd_xml_ok(reader->doc)) return;
  for (crd_xml_node *section = crd_xml_child(root, "actuator"); section; section = crd_xml_next(section)) {
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next)
      if (mjcf_is_actuator(node)) reader->actuator_kept[reader->nactuator_in_file++] = add_actuator(reader, node);
  }
}
