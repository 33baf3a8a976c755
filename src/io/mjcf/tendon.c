/* <tendon>: weighted sums of joint coordinates (fixed) and strings through sites (spatial), with spring, damper and limits,
 * on which actuators may act. */
#include <string.h>

#include "io/mjcf/reader.h"

mjcf_tendon mjcf_tendon_start(void) {
  return (mjcf_tendon){.limited = MJCF_AUTO, .force_limited = MJCF_AUTO, .spring_length = {-1, -1}};
}

void mjcf_read_tendon(mjcf_reader *reader, crd_xml_node *node, mjcf_tendon *tendon) {
  crd_xml_document *doc = reader->doc;
  double polynomial[3] = {0};
  int lengths = 0;
  crd_xml_enter(node);
  crd_xml_use(node, "class");
  crd_xml_use(node, "name");
  mjcf_read_tristate(reader, node, "limited", &tendon->limited);
  mjcf_read_tristate(reader, node, "actuatorfrclimited", &tendon->force_limited);
  crd_xml_numbers(doc, node, "range", tendon->range, 2, 2);
  crd_xml_numbers(doc, node, "actuatorfrcrange", tendon->force_range, 2, 2);
  if (crd_xml_numbers(doc, node, "stiffness", polynomial, 1, 3)) {
    tendon->stiffness = polynomial[0];
    tendon->polynomial = polynomial[1] != 0 || polynomial[2] != 0;
  }
  polynomial[1] = polynomial[2] = 0;
  if (crd_xml_numbers(doc, node, "damping", polynomial, 1, 3)) {
    tendon->damping = polynomial[0];
    tendon->polynomial = tendon->polynomial || polynomial[1] != 0 || polynomial[2] != 0;
  }
  const double *given = crd_xml_vector(doc, node, "springlength", &lengths);
  if (lengths > 2)
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<%s> springlength: found %d numbers, expected one or two", node->name,
                 lengths);
  else if (lengths > 0)
    tendon->spring_length[0] = given[0], tendon->spring_length[1] = given[lengths - 1];
  crd_xml_number(doc, node, "frictionloss", &tendon->frictionloss);
  crd_xml_number(doc, node, "armature", &tendon->armature);
}

static bool has_limits(mjcf_reader *reader, const crd_xml_node *node, const mjcf_tendon *tendon) {
  return mjcf_is_limited(reader, node, tendon->limited, tendon->range, "limited") && !reader->no_limit;
}

/* The property of the tendon that cannot be represented; NULL: none. */
static const char *unsupported(mjcf_reader *reader, const crd_xml_node *node, const mjcf_tendon *tendon) {
  if (tendon->polynomial) return "polynomials of springs and dampers are not supported";
  if (tendon->armature != 0 && tendon->nterm != 1)
    return "armature of a tendon that several joints move is not supported: it would couple their accelerations";
  if (mjcf_is_limited(reader, node, tendon->force_limited, tendon->force_range, "actuatorfrclimited"))
    return "limits of the forces on a tendon are not supported";
  return NULL;
}

static void read_terms(mjcf_reader *reader, crd_xml_node *node, mjcf_tendon *tendon) {
  crd_xml_document *doc = reader->doc;
  int count = 0;
  for (crd_xml_node *term = crd_xml_child(node, "joint"); term; term = crd_xml_next(term)) count++;
  tendon->joint = mjcf_alloc(reader, (size_t)count + 1, sizeof *tendon->joint);
  tendon->coef = mjcf_alloc(reader, (size_t)count + 1, sizeof *tendon->coef);
  if (!crd_xml_ok(doc)) return;
  if (count == 0) crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<fixed>: found no joint, expected at least one");
  for (crd_xml_node *term = crd_xml_child(node, "joint"); term && crd_xml_ok(doc); term = crd_xml_next(term)) {
    crd_xml_enter(term);
    int joint = mjcf_find(reader, &reader->joints, term, "joint", "joint");
    if (joint < 0) return;
    crd_joint_type type = reader->joint[joint]->def.type;
    if (type != CRD_HINGE && type != CRD_SLIDE) {
      crd_xml_fail(doc, term, CRD_ERR_FORMAT, "<joint> joint: found a %s joint, expected a hinge or slide",
                   crd_model_joint_type_name(type));
      return;
    }
    crd_xml_need(doc, term, "coef");
    crd_xml_number(doc, term, "coef", &tendon->coef[tendon->nterm]);
    tendon->joint[tendon->nterm++] = joint;
  }
}

/* ------------------------------------------------------------------------------------------------ spatial */

static int find_named(mjcf_reader *reader, const crd_name_table *table, crd_xml_node *node, const char *attribute,
                      const char *kind) {
  const int id = mjcf_find(reader, table, node, attribute, kind);
  const mjcf_name *found = id >= 0 ? crd_name_find(table, crd_xml_string(node, attribute)) : NULL;
  if (found) crd_xml_enter(found->node);
  return id;
}

static void read_wrap(mjcf_reader *reader, crd_xml_node *part, crd_wrap *wrap) {
  crd_xml_enter(part);
  *wrap = (crd_wrap){.type = CRD_WRAP_SITE, .site = -1, .geom = -1, .divisor = 1};
  if (crd_xml_is(part, "pulley")) {
    wrap->type = CRD_WRAP_PULLEY;
    crd_xml_need(reader->doc, part, "divisor");
    crd_xml_number(reader->doc, part, "divisor", &wrap->divisor);
  } else if (crd_xml_is(part, "geom")) {
    wrap->type = CRD_WRAP_GEOM;
    wrap->geom = mjcf_find(reader, &reader->geoms, part, "geom", "geom");
    if (crd_xml_has(part, "sidesite")) wrap->site = find_named(reader, &reader->sites, part, "sidesite", "site");
  } else {
    wrap->site = find_named(reader, &reader->sites, part, "site", "site");
  }
}

static void read_path(mjcf_reader *reader, crd_xml_node *node, mjcf_tendon *tendon) {
  int count = 0;
  for (crd_xml_node *part = node->child; part; part = part->next) count++;
  tendon->wrap = mjcf_alloc(reader, (size_t)count + 1, sizeof *tendon->wrap);
  for (crd_xml_node *part = node->child; part && crd_xml_ok(reader->doc); part = part->next)
    if (crd_xml_is(part, "site") || crd_xml_is(part, "geom") || crd_xml_is(part, "pulley"))
      read_wrap(reader, part, &tendon->wrap[tendon->nwrap++]);
  if (tendon->nwrap == 0 && crd_xml_ok(reader->doc))
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<spatial>: found no path, expected at least two sites");
}

/* ------------------------------------------------------------------------------------------------ adding */

/* Springs at rest at the length of qpos_spring where the file does not say. */
static void resolve_spring(mjcf_reader *reader, const mjcf_tendon *tendon, crd_tendon_def *def) {
  def->stiffness = reader->no_spring ? 0 : tendon->stiffness;
  def->damping = reader->no_damper ? 0 : tendon->damping;
  def->spring_length[0] = tendon->spring_length[0], def->spring_length[1] = tendon->spring_length[1];
  if (tendon->spring_length[0] >= 0 || tendon->spring_length[1] >= 0) return;
  if (def->stiffness != 0) reader->automatic.needed = true;
  const double *length = reader->automatic.spring_length;
  def->spring_length[0] = def->spring_length[1] = length ? length[reader->ntendon] : 0;
}

static void resolve_limits(mjcf_reader *reader, crd_xml_node *node, const mjcf_tendon *tendon, crd_tendon_def *def) {
  def->limited = has_limits(reader, node, tendon);
  def->range[0] = tendon->range[0], def->range[1] = tendon->range[1];
  if (!def->limited) return;
  crd_xml_node *element = def->name ? crd_name_find(&reader->tendon_restitution, def->name) : NULL;
  if (element) crd_xml_number(reader->doc, element, "prm", &def->restitution);
  if (def->range[0] >= def->range[1])
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<%s> range: found %g %g, expected the smaller number first",
                 node->name, def->range[0], def->range[1]);
}

/* Terms with the coefficient 0 do not count where there are others. */
static void drop_zero_terms(mjcf_tendon *tendon) {
  int kept = 0;
  for (int k = 0; k < tendon->nterm; k++) {
    if (tendon->coef[k] == 0) continue;
    tendon->joint[kept] = tendon->joint[k], tendon->coef[kept++] = tendon->coef[k];
  }
  if (kept > 0) tendon->nterm = kept;
}

static void add_tendon(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_document *doc = reader->doc;
  mjcf_tendon *tendon = mjcf_alloc(reader, 1, sizeof *tendon);
  if (!tendon) return;
  *tendon = mjcf_class_of(reader, node, "class", reader->main_class)->tendon;
  mjcf_read_tendon(reader, node, tendon);
  tendon->fixed = crd_xml_is(node, "fixed");
  if (tendon->fixed)
    read_terms(reader, node, tendon), drop_zero_terms(tendon);
  else
    read_path(reader, node, tendon);
  if (!crd_xml_ok(doc)) return;
  const char *reason = unsupported(reader, node, tendon);
  if (reason && !mjcf_leave_out(reader, node, NULL, reason)) return;
  crd_tendon_def def = crd_model_tendon_default();
  def.name = crd_xml_string(node, "name"), def.line = node->place;
  def.nterm = tendon->nterm, def.term_joint = tendon->joint, def.term_coef = tendon->coef;
  def.nwrap = tendon->nwrap, def.wrap = tendon->wrap;
  resolve_spring(reader, tendon, &def);
  resolve_limits(reader, node, tendon, &def);
  def.frictionloss = reader->no_frictionloss ? 0 : tendon->frictionloss;
  def.armature = reason ? 0 : tendon->armature;
  if (!crd_xml_ok(doc)) return;
  tendon->id = mjcf_added(reader, crd_model_builder_tendon(reader->builder, &def));
  reader->ntendon++;
  mjcf_enter_name(reader, &reader->tendons, node, def.name, tendon->id, tendon);
}

void mjcf_read_tendons(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "tendon"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next)
      if (crd_xml_is(node, "fixed") || crd_xml_is(node, "spatial")) add_tendon(reader, node);
  }
}
