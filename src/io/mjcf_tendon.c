/* <tendon>: a fixed tendon is a weighted sum of joint coordinates, on which actuators may act, and which may be limited.
 *
 * Springs, dampers and friction of tendons, and limits of those through sites (spatial), are not supported. A tendon
 * without any of them moves nothing by itself.
 */
#include <string.h>

#include "io/mjcf_reader.h"

mjcf_tendon mjcf_tendon_start(void) { return (mjcf_tendon){.limited = MJCF_AUTO, .force_limited = MJCF_AUTO}; }

void mjcf_read_tendon(mjcf_reader *reader, crd_xml_node *node, mjcf_tendon *tendon) {
  crd_xml_document *doc = reader->doc;
  double polynomial[3];
  crd_xml_enter(node);
  crd_xml_use(node, "class");
  crd_xml_use(node, "name");
  mjcf_read_tristate(reader, node, "limited", &tendon->limited);
  mjcf_read_tristate(reader, node, "actuatorfrclimited", &tendon->force_limited);
  crd_xml_numbers(doc, node, "range", tendon->range, 2, 2);
  crd_xml_numbers(doc, node, "actuatorfrcrange", tendon->force_range, 2, 2);
  if (crd_xml_numbers(doc, node, "stiffness", polynomial, 1, 3)) tendon->stiffness = polynomial[0];
  if (crd_xml_numbers(doc, node, "damping", polynomial, 1, 3)) tendon->damping = polynomial[0];
  crd_xml_number(doc, node, "frictionloss", &tendon->frictionloss);
  crd_xml_number(doc, node, "armature", &tendon->armature);
}

static bool has_limits(mjcf_reader *reader, const crd_xml_node *node, const mjcf_tendon *tendon) {
  return mjcf_is_limited(reader, node, tendon->limited, tendon->range, "limited") && !reader->no_limit;
}

/* What the tendon does beyond carrying the force of actuators; NULL: nothing. */
static const char *own_force(mjcf_reader *reader, const crd_xml_node *node, const mjcf_tendon *tendon) {
  if (tendon->stiffness != 0 && !reader->no_spring) return "springs of tendons are not supported";
  if (tendon->damping != 0 && !reader->no_damper) return "dampers of tendons are not supported";
  if (tendon->frictionloss != 0 && !reader->no_frictionloss) return "friction of tendons is not supported";
  if (tendon->armature != 0) return "armature of tendons is not supported";
  if (!tendon->fixed && has_limits(reader, node, tendon)) return "limits of spatial tendons are not supported";
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
                   crd_joint_type_name(type));
      return;
    }
    crd_xml_need(doc, term, "coef");
    crd_xml_number(doc, term, "coef", &tendon->coef[tendon->nterm]);
    tendon->joint[tendon->nterm++] = joint;
  }
}

/* The limits of a fixed tendon; terms with the coefficient 0 do not count. */
static void add_limits(mjcf_reader *reader, crd_xml_node *node, const mjcf_tendon *tendon) {
  int joint[CRD_TENDON_TERMS];
  double coef[CRD_TENDON_TERMS];
  crd_tendon_def def = {.name = crd_xml_string(node, "name"),
                        .term_joint = joint,
                        .term_coef = coef,
                        .range = {tendon->range[0], tendon->range[1]},
                        .line = node->place};
  for (int k = 0; k < tendon->nterm; k++) {
    if (tendon->coef[k] == 0) continue;
    if (def.nterm == CRD_TENDON_TERMS) {
      mjcf_leave_out(reader, node, NULL, "limits of tendons of more than three joints are not supported");
      return;
    }
    joint[def.nterm] = tendon->joint[k], coef[def.nterm++] = tendon->coef[k];
  }
  if (def.range[0] >= def.range[1])
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<fixed> range: found %g %g, expected the smaller number first",
                 def.range[0], def.range[1]);
  if (crd_xml_ok(reader->doc)) mjcf_added(reader, crd_builder_tendon(reader->builder, &def));
}

static void add_tendon(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_document *doc = reader->doc;
  mjcf_tendon *tendon = mjcf_alloc(reader, 1, sizeof *tendon);
  if (!tendon) return;
  *tendon = mjcf_class_of(reader, node, "class", reader->main_class)->tendon;
  mjcf_read_tendon(reader, node, tendon);
  tendon->fixed = crd_xml_is(node, "fixed");
  if (tendon->fixed) read_terms(reader, node, tendon);
  if (!crd_xml_ok(doc)) return;
  const char *force = own_force(reader, node, tendon);
  if (force) {
    mjcf_leave_out(reader, node, NULL, force);
  } else if (has_limits(reader, node, tendon)) {
    add_limits(reader, node, tendon);
  } else {
    mjcf_ignore(node, "moves nothing by itself"); /* taken back where an actuator names it */
  }
  mjcf_enter_name(reader, &reader->tendons, node, crd_xml_string(node, "name"), 0, tendon);
}

void mjcf_read_tendons(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "tendon"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next)
      if (crd_xml_is(node, "fixed") || crd_xml_is(node, "spatial")) add_tendon(reader, node);
  }
}
