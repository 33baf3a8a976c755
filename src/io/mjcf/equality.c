/* <equality>: loops closed by a common point (connect), a common frame (weld) or a relation between two joints or
 * tendons. */
#include <cradle/linalg.h>
#include <string.h>

#include "io/mjcf/reader.h"

void mjcf_read_equality_default(mjcf_reader *reader, crd_xml_node *node, bool *active) {
  crd_xml_enter(node);
  crd_xml_bool(reader->doc, node, "active", active);
}

/* body1 and body2; body2 is the world unless given. */
static void read_bodies(mjcf_reader *reader, crd_xml_node *node, crd_loop_def *def) {
  def->body1 = mjcf_find(reader, &reader->bodies, node, "body1", "body");
  def->body2 = crd_xml_has(node, "body2") ? mjcf_find(reader, &reader->bodies, node, "body2", "body") : 0;
  if (def->body1 == def->body2 && crd_xml_ok(reader->doc))
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s>: found the same body twice, expected two bodies", node->name);
}

static const mjcf_site *find_site(mjcf_reader *reader, crd_xml_node *node, const char *attribute) {
  const char *name = crd_xml_need(reader->doc, node, attribute);
  const mjcf_name *found = name ? crd_name_find(&reader->sites, name) : NULL;
  if (name && !found)
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<%s> %s: found '%.100s', expected the name of a site",
                 node->name, attribute, name);
  if (!found) return NULL;
  crd_xml_enter(found->node);
  return found->thing;
}

/* Two sites that shall coincide: as points, and for a weld as frames. */
static void read_sites(mjcf_reader *reader, crd_xml_node *node, crd_loop_def *def) {
  const mjcf_site *first = find_site(reader, node, "site1"), *second = find_site(reader, node, "site2");
  if (!first || !second) return;
  def->body1 = first->body;
  def->body2 = second->body;
  if (def->body1 == def->body2)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s>: found two sites of one body, expected two bodies",
                 node->name);
  crd_vec3_copy(def->anchor1, first->frame.pos);
  crd_vec3_copy(def->anchor2, second->frame.pos);
  def->at_qpos0 = false;
  /* The frames coincide: R1 Rs1 = R2 Rs2, so body2 is turned by Rs1 Rs2' in body1. */
  double back[4];
  crd_quat_conjugate(back, second->frame.quat);
  crd_quat_mul(def->relquat, first->frame.quat, back);
  crd_vec3_copy(def->relpos, first->frame.pos);
}

static void read_connect(mjcf_reader *reader, crd_xml_node *node, crd_loop_def *def) {
  def->type = CRD_LOOP_CONNECT;
  if (crd_xml_has(node, "site1") || crd_xml_has(node, "site2")) {
    read_sites(reader, node, def);
    return;
  }
  read_bodies(reader, node, def);
  crd_xml_need(reader->doc, node, "anchor");
  crd_xml_numbers(reader->doc, node, "anchor", def->anchor1, 3, 3);
  def->at_qpos0 = true;
}

static void read_weld(mjcf_reader *reader, crd_xml_node *node, crd_loop_def *def) {
  def->type = CRD_LOOP_WELD;
  if (crd_xml_has(node, "site1") || crd_xml_has(node, "site2")) {
    read_sites(reader, node, def);
    return;
  }
  read_bodies(reader, node, def);
  double relpose[7] = {0};
  crd_xml_numbers(reader->doc, node, "anchor", def->anchor2, 3, 3);
  crd_xml_numbers(reader->doc, node, "relpose", relpose, 7, 7);
  crd_vec3_copy(def->relpos, relpose);
  memcpy(def->relquat, relpose + 3, sizeof def->relquat);
  /* A quaternion of zeros, as when nothing is given, stands for the drawn position. */
  def->at_qpos0 = crd_quat_normalize(def->relquat) == 0;
}

static void read_polynomial(mjcf_reader *reader, crd_xml_node *node, crd_loop_def *def) {
  double polynomial[5] = {0, 1, 0, 0, 0};
  crd_xml_numbers(reader->doc, node, "polycoef", polynomial, 1, 5);
  memcpy(def->polycoef, polynomial, sizeof polynomial);
}

static void read_joint(mjcf_reader *reader, crd_xml_node *node, crd_loop_def *def) {
  static const char *const names[] = {"joint1", "joint2"};
  def->type = CRD_LOOP_JOINT;
  int *joints[] = {&def->joint1, &def->joint2};
  for (int i = 0; i < 2; i++) {
    *joints[i] = -1;
    if (i == 1 && !crd_xml_has(node, names[i])) continue;
    *joints[i] = mjcf_find(reader, &reader->joints, node, names[i], "joint");
    if (*joints[i] < 0) return;
    crd_joint_type type = reader->joint[*joints[i]]->def.type;
    if (type != CRD_HINGE && type != CRD_SLIDE) {
      crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<joint> %s: found a %s joint, expected a hinge or slide",
                   names[i], crd_model_joint_type_name(type));
      return;
    }
  }
  if (def->joint1 == def->joint2)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<joint>: found the same joint twice, expected two joints");
  read_polynomial(reader, node, def);
}

static void read_tendon(mjcf_reader *reader, crd_xml_node *node, crd_loop_def *def) {
  static const char *const names[] = {"tendon1", "tendon2"};
  def->type = CRD_LOOP_TENDON;
  int *tendons[] = {&def->tendon1, &def->tendon2};
  for (int i = 0; i < 2; i++) {
    *tendons[i] = -1;
    if (i == 1 && !crd_xml_has(node, names[i])) continue;
    *tendons[i] = mjcf_find(reader, &reader->tendons, node, names[i], "tendon");
    if (*tendons[i] < 0) return;
  }
  if (def->tendon1 == def->tendon2)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<tendon>: found the same tendon twice, expected two tendons");
  read_polynomial(reader, node, def);
}

static void add_loop(mjcf_reader *reader, crd_xml_node *node) {
  crd_loop_def def = crd_model_loop_default();
  crd_xml_enter(node);
  def.active = mjcf_class_of(reader, node, "class", reader->main_class)->equality_active;
  crd_xml_bool(reader->doc, node, "active", &def.active);
  def.name = crd_xml_string(node, "name");
  def.line = node->place;
  if (crd_xml_is(node, "connect")) {
    read_connect(reader, node, &def);
  } else if (crd_xml_is(node, "weld")) {
    read_weld(reader, node, &def);
  } else if (crd_xml_is(node, "tendon")) {
    read_tendon(reader, node, &def);
  } else {
    read_joint(reader, node, &def);
  }
  if (reader->no_equality) def.active = false;
  if (crd_xml_ok(reader->doc)) mjcf_added(reader, crd_model_builder_loop(reader->builder, &def));
}

void mjcf_read_equality(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "equality"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next) {
      if (crd_xml_is(node, "connect") || crd_xml_is(node, "weld") || crd_xml_is(node, "joint") ||
          crd_xml_is(node, "tendon"))
        add_loop(reader, node);
    }
  }
}
