/* <custom>: restitution, in a way that MuJoCo reads and leaves alone; and <keyframe>: stored states.
 *
 *   <numeric name="cradle_restitution" data="0.5"/>                                     of all geoms
 *   <tuple name="cradle_restitution"><element objtype="geom" objname="ball" prm="0.9"/></tuple>   of one
 *   <numeric name="cradle_restitution_of_speed" data="0.1 0.95  1 0.8"/>                speed (m/s) and e in turn
 *   and the same with objtype="joint" or "tendon" for the limits of one, which have 0 otherwise
 */
#include <math.h>
#include <string.h>

#include "io/mjcf/reader.h"

static const char restitution[] = "cradle_restitution";

static bool is_restitution(crd_xml_node *node) {
  const char *name = crd_xml_string(node, "name");
  return name && strcmp(name, restitution) == 0;
}

static void check_coefficient(mjcf_reader *reader, const crd_xml_node *node, const char *attribute, double e) {
  if (e < 0 || e > 1)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                 "<%s> %s: found %g, expected a coefficient of restitution between 0 and 1", node->name, attribute, e);
}

static void read_table(mjcf_reader *reader, crd_xml_node *node) {
  crd_restitution_table *table = &reader->build->restitution_of_speed;
  int count = 0;
  crd_xml_enter(node);
  crd_xml_use(node, "size");
  crd_xml_need(reader->doc, node, "data");
  const double *data = crd_xml_vector(reader->doc, node, "data", &count);
  if (!crd_xml_ok(reader->doc)) return;
  if (count < 2 || count % 2 || count > 2 * CRD_RESTITUTION_ENTRIES) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<numeric> data: found %d numbers, expected up to %d pairs of a speed and a coefficient", count,
                 CRD_RESTITUTION_ENTRIES);
    return;
  }
  table->count = count / 2;
  for (int i = 0; i < table->count; i++) table->speed[i] = data[2 * i], table->e[i] = data[2 * i + 1];
  int wrong = crd_model_restitution_table_error(table);
  if (wrong >= 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                 "<numeric> data: found %g %g, expected rising speeds with coefficients between 0 and 1",
                 table->speed[wrong], table->e[wrong]);
}

static void read_numeric(mjcf_reader *reader, crd_xml_node *node) {
  const char *name = crd_xml_string(node, "name");
  if (name && strcmp(name, "cradle_restitution_of_speed") == 0) {
    read_table(reader, node);
    return;
  }
  if (!is_restitution(node)) {
    mjcf_ignore(node, "user data");
    return;
  }
  crd_xml_enter(node);
  crd_xml_use(node, "size");
  crd_xml_need(reader->doc, node, "data");
  crd_xml_number(reader->doc, node, "data", &reader->build->restitution);
  check_coefficient(reader, node, "data", reader->build->restitution);
}

/* Kinds of elements with coefficients. */
enum { OF_GEOM, OF_JOINT, OF_TENDON, OWNERS };
static const char *const owners[OWNERS] = {"geom", "joint", "tendon"};

static void read_tuple(mjcf_reader *reader, crd_xml_node *node) {
  if (!is_restitution(node)) {
    mjcf_ignore(node, "user data");
    return;
  }
  crd_xml_enter(node);
  for (crd_xml_node *element = crd_xml_child(node, "element"); element && crd_xml_ok(reader->doc);
       element = crd_xml_next(element)) {
    crd_xml_enter(element);
    int type = OF_GEOM;
    double e = 0;
    crd_xml_need(reader->doc, element, "objtype");
    crd_xml_keyword(reader->doc, element, "objtype", owners, OWNERS, &type);
    const char *name = crd_xml_need(reader->doc, element, "objname");
    crd_xml_need(reader->doc, element, "prm");
    crd_xml_number(reader->doc, element, "prm", &e);
    check_coefficient(reader, element, "prm", e);
    crd_name_table *const table[OWNERS] = {&reader->restitution, &reader->limit_restitution,
                                           &reader->tendon_restitution};
    if (name && !crd_name_put(table[type], name, element)) crd_xml_fail_memory(reader->doc);
  }
}

void mjcf_read_custom(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "custom"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next) {
      if (crd_xml_is(node, "numeric")) {
        read_numeric(reader, node);
      } else if (crd_xml_is(node, "tuple")) {
        read_tuple(reader, node);
      }
    }
  }
}

void mjcf_check_restitution(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "custom"); section; section = crd_xml_next(section))
    for (crd_xml_node *node = crd_xml_child(section, "tuple"); node; node = crd_xml_next(node))
      for (crd_xml_node *element = is_restitution(node) ? crd_xml_child(node, "element") : NULL; element;
           element = crd_xml_next(element)) {
        const crd_name_table *const named[OWNERS] = {&reader->geoms, &reader->joints, &reader->tendons};
        int type = OF_GEOM;
        crd_xml_keyword(reader->doc, element, "objtype", owners, OWNERS, &type);
        mjcf_find(reader, named[type], element, "objname", owners[type]);
      }
}

/* ------------------------------------------------------------------------------------------------ keyframes */

/* The activations of the actuators that are part of the model. */
static void keep_activations(mjcf_reader *reader, crd_xml_node *node, double *act, int *count) {
  int expected = 0, kept = 0, at = 0;
  for (int i = 0; i < reader->nactuator_in_file; i++) expected += reader->actuator_active[i];
  if (*count != expected) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<key> act: found %d numbers, expected %d, one per actuator with an activation", *count, expected);
    return;
  }
  for (int i = 0; i < reader->nactuator_in_file; i++) {
    if (!reader->actuator_active[i]) continue;
    if (reader->actuator_kept[i]) act[kept++] = act[at];
    at++;
  }
  *count = kept;
}

/* The controls of the actuators that are part of the model. */
static void keep_controls(mjcf_reader *reader, crd_xml_node *node, double *ctrl, int *count) {
  if (*count != reader->nactuator_in_file) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<key> ctrl: found %d numbers, expected %d, one per actuator",
                 *count, reader->nactuator_in_file);
    return;
  }
  int kept = 0;
  for (int i = 0; i < *count; i++)
    if (reader->actuator_kept[i]) ctrl[kept++] = ctrl[i];
  *count = kept;
}

static const double SAME_POSE = 1e-6; /* of 1 m and of a unit quaternion: files have six digits */

static bool is_pose(const double *given, const double *drawn, int size) {
  double plus = 0, minus = 0, norm = 0; /* q and -q are one rotation, and need not be of unit length */
  for (int i = 0; i < size; i++) norm += given[i] * given[i];
  const double scale = size == 4 && norm > 0 ? 1 / sqrt(norm) : 1;
  for (int i = 0; i < size; i++) {
    plus = fmax(plus, fabs(scale * given[i] - drawn[i]) / fmax(1, fabs(drawn[i])));
    minus = fmax(minus, fabs(scale * given[i] + drawn[i]));
  }
  return plus <= SAME_POSE || (size == 4 && minus <= SAME_POSE);
}

/* Positions or quaternions of the mocap bodies: those they are drawn at, since they stay there. */
static void check_mocap(mjcf_reader *reader, crd_xml_node *node, const char *attribute, int size) {
  int count = 0, at = 0;
  if (!crd_xml_has(node, attribute)) return;
  const double *given = crd_xml_vector(reader->doc, node, attribute, &count);
  if (!crd_xml_ok(reader->doc)) return;
  if (count != size * reader->nmocap) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<key> %s: found %d numbers, expected %d for %d mocap bodies",
                 attribute, count, size * reader->nmocap, reader->nmocap);
    return;
  }
  for (const mjcf_mocap *mocap = reader->mocap; mocap; mocap = mocap->next, at += size)
    if (!is_pose(given + at, size == 3 ? mocap->frame.pos : mocap->frame.quat, size)) {
      mjcf_leave_out(reader, node, attribute, "mocap bodies stay where they are drawn");
      return;
    }
}

static void add_key(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_document *doc = reader->doc;
  crd_key_def def = {.name = crd_xml_string(node, "name"), .line = node->place};
  int nqpos = 0, nqvel = 0, nact = 0, nctrl = 0;
  crd_xml_enter(node);
  crd_xml_number(doc, node, "time", &def.time);
  double *qpos = crd_xml_vector(doc, node, "qpos", &nqpos), *qvel = crd_xml_vector(doc, node, "qvel", &nqvel),
         *act = crd_xml_vector(doc, node, "act", &nact), *ctrl = crd_xml_vector(doc, node, "ctrl", &nctrl);
  check_mocap(reader, node, "mpos", 3);
  check_mocap(reader, node, "mquat", 4);
  if (nact) keep_activations(reader, node, act, &nact);
  if (nctrl) keep_controls(reader, node, ctrl, &nctrl);
  def.qpos = nqpos ? qpos : NULL;
  def.qvel = nqvel ? qvel : NULL;
  def.act = nact ? act : NULL;
  def.ctrl = nctrl ? ctrl : NULL;
  if (crd_xml_ok(doc)) mjcf_added(reader, crd_model_builder_key(reader->builder, &def, nqpos, nqvel, nact, nctrl));
}

void mjcf_read_keyframes(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "keyframe"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = crd_xml_child(section, "key"); node && crd_xml_ok(reader->doc); node = crd_xml_next(node))
      add_key(reader, node);
  }
}
