/* Links of a URDF file: mass and inertia, and their way into the builder.
 *
 * The root is fixed in the world. Links fixed in the world hang on the world directly, at the pose that their fixed
 * joints add up to; so do the links that move relative to them. Nothing moves differently by it, and a floating joint
 * may so have any link that stands still as its parent. */
#include <cradle/linalg.h>
#include <string.h>

#include "io/urdf/parts.h"

static const double ROUNDED = 1e-10; /* relative: how far rounded moments may miss the triangle inequality */

crd_xml_node *crd_urdf_child(crd_urdf_reader *reader, crd_xml_node *node, const char *name) {
  crd_xml_node *child = crd_xml_child(node, name);
  if (!child) return NULL;
  crd_xml_enter(child);
  const crd_xml_node *second = crd_xml_next(child);
  if (second)
    crd_xml_fail(reader->doc, second, CRD_ERR_FORMAT, "<%s>: found a second <%s>, expected one at most", node->name,
                 name);
  return child;
}

crd_xml_node *crd_urdf_need_child(crd_urdf_reader *reader, crd_xml_node *node, const char *name) {
  crd_xml_node *child = crd_urdf_child(reader, node, name);
  if (!child) crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s>: found no <%s>, expected one", node->name, name);
  return child;
}

bool crd_urdf_added(crd_urdf_reader *reader, int id) {
  if (id < 0) crd_xml_fail(reader->doc, NULL, (crd_status)id, "no memory left for the mechanism");
  return id >= 0;
}

void crd_urdf_origin(crd_urdf_reader *reader, crd_xml_node *node, double pos[3], double quat[4]) {
  pos[0] = pos[1] = pos[2] = 0;
  quat[0] = 1, quat[1] = quat[2] = quat[3] = 0;
  crd_xml_node *origin = crd_urdf_child(reader, node, "origin");
  if (!origin) return;
  crd_xml_numbers(reader->doc, origin, "xyz", pos, 3, 3);
  double rpy[3] = {0}, turn[4];
  crd_xml_numbers(reader->doc, origin, "rpy", rpy, 3, 3);
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0, k == 1, k == 2};
    crd_quat_from_axis_angle(turn, axis, rpy[k]);
    crd_quat_mul(quat, turn, quat); /* fixed axes: the later turn stands to the left */
  }
}

/* An inertia without mass counts for nothing, as in MuJoCo, which drops it with the massless link. One that no body can
 * have (a negative principal moment, or A + B < C) is left for the builder to refuse, or corrected as MuJoCo does with
 * balanceinertia: the mean of its moments, negative ones taken as 0, holds about every axis. */
static void resolve_inertia(crd_urdf_reader *reader, crd_xml_node *node, crd_inertial *inertial) {
  double moment[3], quat[4];
  crd_sym3_eigen(moment, quat, inertial->inertia);
  if (inertial->mass == 0) {
    if (moment[0] != 0 || moment[2] != 0) crd_xml_ignore(node, NULL, "an inertia without mass");
    memset(inertial->inertia, 0, sizeof inertial->inertia);
    return;
  }
  bool possible = moment[2] >= 0 && moment[0] <= (moment[1] + moment[2]) * (1 + ROUNDED);
  if (possible || !(reader->options->lenient || reader->build->balance_inertia)) return;
  double mean = 0;
  for (int k = 0; k < 3; k++) mean += fmax(moment[k], 0) / 3;
  for (int k = 0; k < 6; k++) inertial->inertia[k] = k < 3 ? mean : 0;
  crd_xml_ignore(node, NULL, "no body has such an inertia: its mean moment is taken about every axis");
}

static void read_inertial(crd_urdf_reader *reader, crd_urdf_link *link) {
  crd_xml_node *node = crd_urdf_child(reader, link->node, "inertial");
  if (!node) return;
  if (reader->options->lenient && !(crd_xml_child(node, "mass") && crd_xml_child(node, "inertia"))) {
    crd_xml_ignore(node, NULL, "has no mass or no inertia: both are taken from the collisions");
    return;
  }
  link->has_inertial = true;
  crd_urdf_origin(reader, node, link->inertial.pos, link->inertial.quat);
  crd_xml_node *mass = crd_urdf_need_child(reader, node, "mass");
  if (mass && crd_xml_need(reader->doc, mass, "value"))
    crd_xml_number(reader->doc, mass, "value", &link->inertial.mass);
  if (crd_xml_ok(reader->doc) && link->inertial.mass < 0)
    crd_xml_fail(reader->doc, mass, CRD_ERR_MODEL, "link '%.100s': mass is %g, expected no less than 0", link->name,
                 link->inertial.mass);
  crd_xml_node *inertia = mass ? crd_urdf_need_child(reader, node, "inertia") : NULL;
  if (!inertia) return;
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  for (int k = 0; k < 6; k++) {
    if (k < 3) crd_xml_need(reader->doc, inertia, names[k]);
    crd_xml_number(reader->doc, inertia, names[k], &link->inertial.inertia[k]);
  }
  if (crd_xml_ok(reader->doc)) resolve_inertia(reader, inertia, &link->inertial);
}

/* Does the link get a positive mass, from its inertial or its collisions? */
static bool has_mass(const crd_urdf_reader *reader, const crd_urdf_link *link) {
  if (reader->build->bound_mass > 0) return true;
  bool geoms = link->geom != NULL;
  switch (reader->build->inertia_source) {
    case CRD_INERTIA_GEOMS: return geoms || link->inertial.mass > 0;
    case CRD_INERTIA_AUTO: return link->has_inertial ? link->inertial.mass > 0 : geoms;
    default: return link->inertial.mass > 0;
  }
}

/* A joint that moves no mass has no equation of motion. It is refused, or with `lenient` held fixed. */
static void check_moved_mass(crd_urdf_reader *reader, crd_urdf_joint *joint) {
  if (joint->type == CRD_URDF_FIXED || joint->child->mass_behind) return;
  if (reader->options->lenient) {
    crd_xml_ignore(joint->node, "type", "held fixed: nothing that it moves has mass");
    joint->type = CRD_URDF_FIXED;
    return;
  }
  crd_xml_fail(
      reader->doc, joint->child->node, CRD_ERR_MODEL,
      "link '%.100s' is moved by joint '%.100s', but it has no mass and nothing it carries has, expected an <inertial> "
      "with a positive mass",
      joint->child->name, joint->name);
}

void crd_urdf_inertials(crd_urdf_reader *reader) {
  for (int i = 0; i < reader->nlink && crd_xml_ok(reader->doc); i++) {
    crd_urdf_link *link = &reader->link[i];
    read_inertial(reader, link);
    link->mass_behind = has_mass(reader, link);
  }
  for (int i = reader->nlink - 1; i >= 0; i--) {
    const crd_urdf_link *link = reader->order[i];
    if (link->above) link->above->parent->mass_behind |= link->mass_behind;
  }
  for (int i = 0; i < reader->nlink && crd_xml_ok(reader->doc); i++)
    if (reader->order[i]->above) check_moved_mass(reader, reader->order[i]->above);
}

/* The pose of the link in its parent body, and whether it is fixed in the world. Returns the parent body. */
static int place(crd_urdf_reader *reader, crd_urdf_link *link, double pos[3], double quat[4]) {
  if (!link->above) {
    pos[0] = pos[1] = pos[2] = 0;
    quat[0] = 1, quat[1] = quat[2] = quat[3] = 0;
    link->still = true;
    return 0;
  }
  const crd_urdf_link *parent = link->above->parent;
  crd_urdf_origin(reader, link->above->node, pos, quat);
  if (!parent->still) return parent->body;
  crd_quat_rotate(pos, parent->quat, pos);
  crd_vec3_add(pos, pos, parent->pos);
  crd_quat_mul(quat, parent->quat, quat);
  link->still = link->above->type == CRD_URDF_FIXED;
  crd_vec3_copy(link->pos, pos);
  memcpy(link->quat, quat, sizeof link->quat);
  return 0;
}

static void add_link(crd_urdf_reader *reader, crd_urdf_link *link) {
  crd_body_def def = crd_model_body_default();
  def.name = link->name;
  def.line = link->node->line;
  def.parent = place(reader, link, def.pos, def.quat);
  def.has_inertial = link->has_inertial;
  if (link->has_inertial) def.inertial = link->inertial;
  crd_urdf_joint *above = link->above;
  bool is_world = !above && strcmp(link->name, "world") == 0;
  if (above && above->type == CRD_URDF_FLOATING && !above->parent->still) {
    crd_xml_fail(
        reader->doc, above->node, CRD_ERR_MODEL,
        "floating joint '%.100s' has the parent '%.100s', which moves, expected one that is fixed in the world",
        above->name, above->parent->name);
    return;
  }
  link->body = is_world ? 0 : crd_model_builder_body(reader->builder, &def);
  if (!crd_urdf_added(reader, link->body)) return;
  if (above) crd_urdf_add_joint(reader, above, link->body);
  for (crd_urdf_geom *geom = link->geom; geom && crd_xml_ok(reader->doc); geom = geom->next) {
    if (crd_model_builder_find_geom(reader->builder, geom->def.name) >= 0)
      geom->def.name = NULL; /* not unique in URDF */
    crd_urdf_added(reader, crd_model_builder_geom(reader->builder, link->body, &geom->def));
  }
}

void crd_urdf_assemble(crd_urdf_reader *reader) {
  for (int i = 0; i < reader->nlink && crd_xml_ok(reader->doc); i++) add_link(reader, reader->order[i]);
  crd_urdf_add_mimics(reader);
}
