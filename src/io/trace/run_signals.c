/* Signals of a run that are not in its trace but follow from it: the forces of actuators are functions of state and
 * control. Readings of sensors are in the trace, as they need the forces of contacts. */
#include "io/trace/run_signals.h"

#include <cradle/tree.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct maker {
  const crd_trace *trace;
  const crd_model *model;
  size_t count;
  crd_arena *arena;
  crd_run_signal *signal;
  int n;
  bool failed;
} maker;

static const char *const AXIS[4] = {"x", "y", "z", ""};
static const char *const QUATERNION[4] = {"w", "x", "y", "z"};
static const char *const FREE[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};

/* A line of the group, its values to be filled; NULL: no memory. part: which of several numbers of `name`, "": the one. */
static double *begin(maker *m, const char *group, const char *unit, const char *name, const char *part) {
  const size_t size = strlen(name) + strlen(part) + 2;
  char *whole = crd_arena_alloc(m->arena, size, 1);
  double *value = crd_arena_alloc(m->arena, m->count + 1, sizeof *value);
  if (!whole || !value) {
    m->failed = true;
    return NULL;
  }
  snprintf(whole, size, "%s%s%s", name, part[0] ? " " : "", part);
  m->signal[m->n++] = (crd_run_signal){.group = group, .unit = unit, .name = whole, .value = value};
  return value;
}

/* ------------------------------------------------------------------------------------------------ forces */

/* The name of an element of the model, or its kind and number. */
static const char *name_of(maker *m, const char *name, const char *what, int id) {
  enum { LONGEST = 40 };
  if (name && name[0]) return name;
  char *made = crd_arena_alloc(m->arena, LONGEST, 1);
  if (!made) {
    m->failed = true;
    return "";
  }
  snprintf(made, LONGEST, "%s %d", what, id);
  return made;
}

/* The lines of the generalised forces, one for each velocity. */
static void begin_torques(maker *m, double **line) {
  static const char *const group = "applied forces", *const unit = "N or N m";
  const crd_model *model = m->model;
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    const char *name =
        name_of(m, joint->name && joint->name[0] ? joint->name : model->body[joint->body].name, "joint", j);
    const int nv = joint->nv;
    for (int k = 0; k < nv; k++)
      line[joint->v + k] = begin(m, group, unit, name, nv == 1 ? "" : nv == 3 ? FREE[3 + k] : FREE[k]);
  }
}

typedef struct act_on {
  double **ctrl, **force, **tau; /* lines: nactuator, nactuator, nv */
  double *ctrl_now, *force_now, *tau_now;
} act_on;

static bool make_room(maker *m, act_on *a) {
  const size_t nu = (size_t)m->model->nactuator, nv = (size_t)m->model->nv;
  double **lines = crd_arena_alloc(m->arena, 2 * nu + nv + 1, sizeof *lines);
  double *numbers = crd_arena_alloc(m->arena, 2 * nu + nv + 1, sizeof *numbers);
  if (!lines || !numbers) return false;
  *a = (act_on){.ctrl = lines, .force = lines + nu, .tau = lines + 2 * nu};
  a->ctrl_now = numbers, a->force_now = numbers + nu, a->tau_now = numbers + 2 * nu;
  return true;
}

static void begin_lines(maker *m, const act_on *a) {
  const crd_model *model = m->model;
  for (int i = 0; i < model->nactuator; i++)
    a->ctrl[i] = begin(m, "controls", "", name_of(m, model->actuator[i].name, "actuator", i), "");
  for (int i = 0; i < model->nactuator; i++)
    a->force[i] = begin(m, "actuator forces", "N or N m", name_of(m, model->actuator[i].name, "actuator", i), "");
  begin_torques(m, a->tau);
}

static void act(const maker *m, crd_workspace *work, const crd_run_inputs *inputs, size_t row, act_on *a) {
  const crd_trace *trace = m->trace;
  const crd_model *model = m->model;
  const double *qpos = trace->qpos + row * (size_t)trace->nq, *qvel = trace->qvel + row * (size_t)trace->nv;
  const double *active = trace->act ? trace->act + row * (size_t)trace->header.nact : NULL;
  for (int i = 0; i < model->nactuator; i++) a->ctrl_now[i] = i < trace->header.nctrl ? trace->header.ctrl[i] : 0;
  for (int i = 0; i < model->nv; i++) a->tau_now[i] = 0;
  if (inputs) inputs->add(inputs->context, trace->t[row], a->ctrl_now, a->tau_now);
  crd_tree_kinematics(model, work, qpos);
  crd_tree_actuator_forces(model, work, qpos, qvel, active, a->ctrl_now, a->force_now);
  crd_tree_actuation(model, work, qpos, qvel, active, a->ctrl_now, a->tau_now);
}

static void add_forces(maker *m, const crd_run_inputs *inputs, const size_t *row) {
  const crd_model *model = m->model;
  act_on a;
  if (model->nactuator == 0 && !inputs) return;
  crd_workspace *work = crd_model_workspace_new(model);
  if (!work || !make_room(m, &a)) m->failed = true;
  if (!m->failed) begin_lines(m, &a);
  for (size_t k = 0; k < m->count && !m->failed; k++) {
    act(m, work, inputs, row[k], &a);
    for (int i = 0; i < model->nactuator; i++) a.ctrl[i][k] = a.ctrl_now[i], a.force[i][k] = a.force_now[i];
    for (int i = 0; i < model->nv; i++) a.tau[i][k] = a.tau_now[i];
  }
  crd_model_workspace_free(work);
}

/* ------------------------------------------------------------------------------------------------ sensors */

/* Groups and units by measured quantity. */
static void sensor_group(crd_sensor_type type, const char **group, const char **unit) {
  static const struct {
    const char *group, *unit;
  } of[CRD_SENSOR_TYPES] = {
      [CRD_SENSOR_ACCELEROMETER] = {"sensors: accelerations", "m/s^2"},
      [CRD_SENSOR_VELOCIMETER] = {"sensors: velocities", "m/s"},
      [CRD_SENSOR_GYRO] = {"sensors: angular velocities", "rad/s"},
      [CRD_SENSOR_FORCE] = {"sensors: forces", "N"},
      [CRD_SENSOR_TORQUE] = {"sensors: torques", "N m"},
      [CRD_SENSOR_MAGNETOMETER] = {"sensors: magnetic field", ""},
      [CRD_SENSOR_JOINTPOS] = {"sensors: joints", "m or rad"},
      [CRD_SENSOR_JOINTVEL] = {"sensors: joint velocities", "m/s or rad/s"},
      [CRD_SENSOR_BALLQUAT] = {"sensors: orientations", ""},
      [CRD_SENSOR_BALLANGVEL] = {"sensors: angular velocities", "rad/s"},
      [CRD_SENSOR_JOINTACTUATORFRC] = {"sensors: actuators", "N or N m"},
      [CRD_SENSOR_ACTUATORPOS] = {"sensors: joints", "m or rad"},
      [CRD_SENSOR_ACTUATORVEL] = {"sensors: joint velocities", "m/s or rad/s"},
      [CRD_SENSOR_ACTUATORFRC] = {"sensors: actuators", "N or N m"},
      [CRD_SENSOR_FRAMEPOS] = {"sensors: positions", "m"},
      [CRD_SENSOR_FRAMEQUAT] = {"sensors: orientations", ""},
      [CRD_SENSOR_FRAMEXAXIS] = {"sensors: orientations", ""},
      [CRD_SENSOR_FRAMEYAXIS] = {"sensors: orientations", ""},
      [CRD_SENSOR_FRAMEZAXIS] = {"sensors: orientations", ""},
      [CRD_SENSOR_FRAMELINVEL] = {"sensors: velocities", "m/s"},
      [CRD_SENSOR_FRAMEANGVEL] = {"sensors: angular velocities", "rad/s"},
      [CRD_SENSOR_FRAMELINACC] = {"sensors: accelerations", "m/s^2"},
      [CRD_SENSOR_FRAMEANGACC] = {"sensors: angular accelerations", "rad/s^2"},
      [CRD_SENSOR_SUBTREECOM] = {"sensors: positions", "m"},
      [CRD_SENSOR_SUBTREELINVEL] = {"sensors: velocities", "m/s"},
      [CRD_SENSOR_SUBTREEANGMOM] = {"sensors: angular momenta", "kg m^2/s"},
      [CRD_SENSOR_CLOCK] = {"sensors: clock", "s"},
      [CRD_SENSOR_TOUCH] = {"sensors: touch", "N"},
      [CRD_SENSOR_RANGEFINDER] = {"sensors: distances", "m"},
      [CRD_SENSOR_TENDONPOS] = {"sensors: joints", "m or rad"},
      [CRD_SENSOR_TENDONVEL] = {"sensors: joint velocities", "m/s or rad/s"},
      [CRD_SENSOR_E_POTENTIAL] = {"sensors: energies", "J"},
      [CRD_SENSOR_E_KINETIC] = {"sensors: energies", "J"},
  };
  *group = of[type].group, *unit = of[type].unit;
}

static void add_sensor(maker *m, int id, const size_t *row) {
  const crd_sensor *sensor = &m->model->sensor[id];
  const char *group, *unit;
  const char *name = name_of(m, sensor->name, crd_model_sensor_type_name(sensor->type), id);
  sensor_group(sensor->type, &group, &unit);
  for (int k = 0; k < sensor->dim && !m->failed; k++) {
    double *value = begin(m, group, unit, name, sensor->dim == 1 ? "" : sensor->dim == 4 ? QUATERNION[k] : AXIS[k]);
    const size_t width = (size_t)m->trace->header.nsensordata;
    for (size_t i = 0; value && i < m->count; i++)
      value[i] = m->trace->sensor[row[i] * width + (size_t)(sensor->first + k)];
  }
}

/* Sensors of one group behind each other, in the order in which the first of each stands. */
static void add_sensors(maker *m, const size_t *row) {
  const crd_model *model = m->model;
  if (!m->trace->sensor || m->trace->header.nsensordata != model->nsensordata) return;
  bool *done = crd_arena_alloc(m->arena, (size_t)model->nsensor + 1, sizeof *done);
  if (!done) m->failed = true;
  for (int i = 0; i < model->nsensor && !m->failed; i++) {
    const char *first, *group, *unit;
    sensor_group(model->sensor[i].type, &first, &unit);
    for (int k = i; k < model->nsensor && !m->failed; k++) {
      sensor_group(model->sensor[k].type, &group, &unit);
      if (done[k] || strcmp(first, group) != 0) continue;
      add_sensor(m, k, row);
      done[k] = true;
    }
  }
}

crd_status crd_run_signals(const crd_trace *trace, const crd_model *model, const crd_run_inputs *inputs, size_t count,
                           const size_t *row, crd_arena *arena, const crd_run_signal **signal, int *nsignal) {
  const size_t most = 2 * (size_t)model->nactuator + (size_t)model->nv + (size_t)model->nsensordata + 1;
  maker m = {.trace = trace, .model = model, .count = count, .arena = arena};
  m.signal = crd_arena_alloc(arena, most, sizeof *m.signal);
  if (!m.signal) return CRD_ERR_MEMORY;
  add_forces(&m, inputs, row);
  if (!m.failed) add_sensors(&m, row);
  *signal = m.signal, *nsignal = m.n;
  return m.failed ? CRD_ERR_MEMORY : CRD_OK;
}
