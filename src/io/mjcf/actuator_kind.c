/* Meaning of the elements of <actuator>: all of them are cases of one law (crd_actuator_def),
 *   f = gain(l, l') u + bias(l, l'),   u = ctrl or an activation.
 *
 * The element's name is a shortcut that sets gain, bias and dynamics: motor (1; 0), position (kp; -kp l - kv l', with
 * timeconst filtered), velocity (kv; -kv l'), intvelocity (position whose target integrates ctrl), damper (-kv l'; 0),
 * cylinder (area; bias, filtered), muscle (its curves), adhesion (a motor between what touches), general (as stated).
 */
#include <string.h>

#include "io/mjcf/reader.h"

static const char *const kinds[] = {"general",     "motor",    "position", "velocity", "damper",
                                    "intvelocity", "cylinder", "muscle",   "adhesion", "plugin",
                                    "orientation", "pid",      "dcmotor",  NULL};
enum { GENERAL, MOTOR, POSITION, VELOCITY, DAMPER, INTVELOCITY, CYLINDER, MUSCLE, ADHESION, FIRST_UNSUPPORTED };

static int kind_of(const crd_xml_node *node) {
  int kind = 0;
  while (kinds[kind] && !crd_xml_is(node, kinds[kind])) kind++;
  return kind;
}

bool mjcf_is_actuator(const crd_xml_node *node) { return kinds[kind_of(node)] != NULL; }

static void set_types(mjcf_actuator *actuator, mjcf_dynamics dynamics, mjcf_gain gain, mjcf_bias bias) {
  actuator->dynamics = dynamics;
  actuator->gain_type = gain;
  actuator->bias_type = bias;
}

/* ------------------------------------------------------------------------------------------------ elements */

static void read_general(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  static const char *const dynamics[] = {"none",   "integrator", "filter",  "filterexact",
                                         "muscle", "user",       "dcmotor", "pid"};
  static const char *const gains[] = {"fixed", "affine", "muscle", "user", "so3", "dcmotor", "pid"};
  static const char *const biases[] = {"none", "affine", "muscle", "user", "so3", "dcmotor", "pid"};
  enum { MOST = 16 };
  int which;
  if (crd_xml_keyword(reader->doc, node, "dyntype", dynamics, 8, &which))
    actuator->dynamics = which < MJCF_DYNAMICS_OTHER ? (mjcf_dynamics)which : MJCF_DYNAMICS_OTHER;
  if (crd_xml_keyword(reader->doc, node, "gaintype", gains, 7, &which))
    actuator->gain_type = which < MJCF_GAIN_OTHER ? (mjcf_gain)which : MJCF_GAIN_OTHER;
  if (crd_xml_keyword(reader->doc, node, "biastype", biases, 7, &which))
    actuator->bias_type = which < MJCF_BIAS_OTHER ? (mjcf_bias)which : MJCF_BIAS_OTHER;
  const struct {
    const char *name;
    double *value;
    size_t size;
  } list[] = {{"gainprm", actuator->def.gain, sizeof actuator->def.gain},
              {"biasprm", actuator->def.bias, sizeof actuator->def.bias},
              {"dynprm", actuator->dynprm, sizeof actuator->dynprm}};
  for (int i = 0; i < 3; i++) { /* numbers that are not given stay those of the class */
    double all[MOST] = {0};
    memcpy(all, list[i].value, list[i].size);
    crd_xml_numbers(reader->doc, node, list[i].name, all, 1, MOST);
    memcpy(list[i].value, all, list[i].size);
  }
  int dim = 1;
  crd_xml_ints(reader->doc, node, "actdim", &dim, 1, 1);
  actuator->more_activations = dim > 1;
  crd_xml_use(node, "actearly");
}

/* kp, kv, dampratio of position and intvelocity. */
static void read_servo(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_xml_document *doc = reader->doc;
  double *gain = actuator->def.gain, *bias = actuator->def.bias, kv = 0, ratio = 0;
  crd_xml_number(doc, node, "kp", &gain[0]);
  bool has_kv = crd_xml_number(doc, node, "kv", &kv), has_ratio = crd_xml_number(doc, node, "dampratio", &ratio);
  if (kv < 0 || ratio < 0 || (has_kv && has_ratio))
    crd_xml_fail(doc, node, CRD_ERR_NUMBER, "<%s>: found kv %g and dampratio %g, expected one of them, not negative",
                 node->name, kv, ratio);
  if (has_kv || has_ratio) {
    actuator->position_damping = -kv;
    actuator->damping_ratio = ratio;
  }
  bias[0] = 0;
  bias[1] = -gain[0];
  bias[2] = actuator->position_damping;
  crd_xml_number(doc, node, "inheritrange", &actuator->inherit_range);
}

static void read_position(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  double time = actuator->dynamics == MJCF_DYNAMICS_FILTEREXACT ? actuator->dynprm[0] : 0;
  read_servo(reader, node, actuator);
  if (crd_xml_number(reader->doc, node, "timeconst", &time) && time < 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                 "<position> timeconst: found %g, expected a number that is not negative", time);
  actuator->dynprm[0] = time;
  set_types(actuator, time > 0 ? MJCF_DYNAMICS_FILTEREXACT : MJCF_DYNAMICS_NONE, MJCF_GAIN_FIXED, MJCF_BIAS_AFFINE);
}

static void read_damper(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  double *gain = actuator->def.gain, kv = actuator->gain_type == MJCF_GAIN_AFFINE ? -gain[2] : 0;
  crd_xml_number(reader->doc, node, "kv", &kv);
  if (kv < 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<damper> kv: found %g, expected a number that is not negative",
                 kv);
  gain[0] = gain[1] = 0;
  gain[2] = -kv;
  actuator->ctrl_limited = MJCF_TRUE;
  set_types(actuator, MJCF_DYNAMICS_NONE, MJCF_GAIN_AFFINE, MJCF_BIAS_NONE);
}

static void read_cylinder(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  static const double QUARTER_PI = 0.78539816339744830962;
  double diameter;
  crd_xml_number(reader->doc, node, "timeconst", &actuator->dynprm[0]);
  crd_xml_numbers(reader->doc, node, "bias", actuator->def.bias, 3, 3);
  crd_xml_number(reader->doc, node, "area", &actuator->def.gain[0]);
  if (crd_xml_number(reader->doc, node, "diameter", &diameter))
    actuator->def.gain[0] = QUARTER_PI * diameter * diameter;
  set_types(actuator, MJCF_DYNAMICS_FILTER, MJCF_GAIN_FIXED, MJCF_BIAS_AFFINE);
}

/* A muscle's own standard values take the place of those that are still the general actuator's. */
static void read_muscle(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  static const double standard[CRD_FORCE_PARAMETERS] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
  static const double general[CRD_FORCE_PARAMETERS] = {1};
  static const char *const names[CRD_FORCE_PARAMETERS] = {NULL,   NULL,   "force", "scale", "lmin",
                                                          "lmax", "vmax", "fpmax", "fvmax"};
  static const double ACTIVATION_TIME = 0.01, DEACTIVATION_TIME = 0.04; /* s */
  double *gain = actuator->def.gain;
  if (actuator->dynprm[0] == 1) actuator->dynprm[0] = ACTIVATION_TIME;
  if (actuator->dynprm[1] == 0) actuator->dynprm[1] = DEACTIVATION_TIME;
  for (int i = 0; i < CRD_FORCE_PARAMETERS; i++)
    if (gain[i] == general[i]) gain[i] = standard[i];
  crd_xml_numbers(reader->doc, node, "timeconst", actuator->dynprm, 2, 2);
  crd_xml_number(reader->doc, node, "tausmooth", &actuator->dynprm[2]);
  crd_xml_numbers(reader->doc, node, "range", gain, 2, 2);
  for (int i = 2; i < CRD_FORCE_PARAMETERS; i++) crd_xml_number(reader->doc, node, names[i], &gain[i]);
  memcpy(actuator->def.bias, gain, sizeof actuator->def.bias);
  set_types(actuator, MJCF_DYNAMICS_MUSCLE, MJCF_GAIN_MUSCLE, MJCF_BIAS_MUSCLE);
}

void mjcf_read_actuator_kind(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  double *gain = actuator->def.gain, *bias = actuator->def.bias;
  switch (kind_of(node)) {
    case GENERAL: read_general(reader, node, actuator); break;
    case MOTOR:
      gain[0] = 1;
      set_types(actuator, MJCF_DYNAMICS_NONE, MJCF_GAIN_FIXED, MJCF_BIAS_NONE);
      break;
    case POSITION: read_position(reader, node, actuator); break;
    case INTVELOCITY:
      read_servo(reader, node, actuator);
      actuator->act_limited = MJCF_TRUE;
      set_types(actuator, MJCF_DYNAMICS_INTEGRATOR, MJCF_GAIN_FIXED, MJCF_BIAS_AFFINE);
      break;
    case VELOCITY:
      crd_xml_number(reader->doc, node, "kv", &gain[0]);
      bias[0] = bias[1] = 0;
      bias[2] = -gain[0];
      set_types(actuator, MJCF_DYNAMICS_NONE, MJCF_GAIN_FIXED, MJCF_BIAS_AFFINE);
      break;
    case DAMPER: read_damper(reader, node, actuator); break;
    case CYLINDER: read_cylinder(reader, node, actuator); break;
    case MUSCLE: read_muscle(reader, node, actuator); break;
    case ADHESION:
      gain[0] = 1;
      crd_xml_number(reader->doc, node, "gain", &gain[0]);
      actuator->ctrl_limited = MJCF_TRUE;
      set_types(actuator, MJCF_DYNAMICS_NONE, MJCF_GAIN_FIXED, MJCF_BIAS_NONE);
      break;
    default: /* its attributes stay unread */ actuator->gain_type = MJCF_GAIN_OTHER;
  }
  crd_xml_numbers(reader->doc, node, "actrange", actuator->def.act_range, 2, 2);
  mjcf_read_tristate(reader, node, "actlimited", &actuator->act_limited);
  crd_xml_numbers(reader->doc, node, "lengthrange", actuator->def.length_range, 2, 2);
}

/* ------------------------------------------------------------------------------------------------ the law */

const char *mjcf_actuator_unsupported(const crd_xml_node *node, const mjcf_actuator *actuator) {
  const int kind = kind_of(node);
  if (kind >= FIRST_UNSUPPORTED || actuator->gain_type == MJCF_GAIN_OTHER || actuator->bias_type == MJCF_BIAS_OTHER ||
      actuator->dynamics == MJCF_DYNAMICS_OTHER)
    return "gain, bias and dynamics of users, plugins, so3, dcmotor and pid are not supported";
  if (actuator->more_activations) return "several activations of one actuator are not supported";
  return NULL;
}

bool mjcf_actuator_inherits_range(const crd_xml_node *node, const mjcf_actuator *actuator) {
  return actuator->inherit_range > 0 && kind_of(node) != MOTOR && actuator->def.gain[0] == -actuator->def.bias[1];
}

static void resolve_dynamics(mjcf_actuator *actuator) {
  static const crd_dynamics of[] = {
      [MJCF_DYNAMICS_NONE] = CRD_DYNAMICS_NONE,     [MJCF_DYNAMICS_INTEGRATOR] = CRD_DYNAMICS_INTEGRATOR,
      [MJCF_DYNAMICS_FILTER] = CRD_DYNAMICS_FILTER, [MJCF_DYNAMICS_FILTEREXACT] = CRD_DYNAMICS_FILTER,
      [MJCF_DYNAMICS_MUSCLE] = CRD_DYNAMICS_MUSCLE, [MJCF_DYNAMICS_OTHER] = CRD_DYNAMICS_NONE};
  crd_actuator_def *def = &actuator->def;
  def->dynamics = of[actuator->dynamics];
  def->time_constant[0] = actuator->dynprm[0], def->time_constant[1] = actuator->dynprm[1];
  def->smoothing = actuator->dynprm[2];
}

/* Peak force that is not given, negative: scale over the acceleration that a unit force causes at qpos0. */
static void resolve_muscle_force(mjcf_reader *reader, double *prm) {
  if (prm[2] >= 0) return;
  reader->automatic.needed = true;
  const double *acceleration = reader->automatic.actuator_acceleration;
  prm[2] = acceleration ? prm[3] / acceleration[reader->nactuator] : 0;
}

void mjcf_resolve_law(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator) {
  crd_actuator_def *def = &actuator->def;
  resolve_dynamics(actuator);
  if (actuator->gain_type == MJCF_GAIN_FIXED) def->gain[1] = def->gain[2] = 0;
  if (actuator->bias_type == MJCF_BIAS_NONE) memset(def->bias, 0, sizeof def->bias);
  def->gain_law = actuator->gain_type == MJCF_GAIN_MUSCLE ? CRD_FORCE_MUSCLE : CRD_FORCE_AFFINE;
  def->bias_law = actuator->bias_type == MJCF_BIAS_MUSCLE ? CRD_FORCE_MUSCLE : CRD_FORCE_AFFINE;
  /* A positive damping of a position servo is a ratio to the critical one (newer MuJoCo). */
  const bool servo = kind_of(node) == POSITION || kind_of(node) == INTVELOCITY;
  double ratio = servo ? actuator->damping_ratio : def->bias[2];
  if (actuator->bias_type == MJCF_BIAS_AFFINE && actuator->gain_type == MJCF_GAIN_FIXED && def->gain[0] > 0 &&
      def->gain[0] == -def->bias[1] && ratio > 0) {
    reader->automatic.needed = true;
    actuator->damping_ratio = ratio;
    def->bias[2] = reader->automatic.actuator_damping ? -reader->automatic.actuator_damping[reader->nactuator] : 0;
  } else {
    actuator->damping_ratio = 0;
  }
  if (def->gain_law == CRD_FORCE_MUSCLE) resolve_muscle_force(reader, def->gain);
  if (def->bias_law == CRD_FORCE_MUSCLE) resolve_muscle_force(reader, def->bias);
  if (reader->no_actuation) {
    def->gain_law = def->bias_law = CRD_FORCE_AFFINE;
    memset(def->gain, 0, sizeof def->gain);
    memset(def->bias, 0, sizeof def->bias);
  }
}
