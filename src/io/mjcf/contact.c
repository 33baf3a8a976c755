/* <contact>: pairs that collide with coefficients of their own, and pairs of bodies that do not. */
#include <math.h>
#include <string.h>

#include "io/mjcf/reader.h"

mjcf_pair mjcf_pair_start(void) {
  /* The coefficients of a pair that gives none; unlike those of a geom pair found by the collision masks they do not
   * come from the geoms. */
  return (mjcf_pair){.def = crd_model_pair_default(), .friction = {1, 1, 0.005, 0.0001, 0.0001}};
}

void mjcf_read_pair(mjcf_reader *reader, crd_xml_node *node, mjcf_pair *pair) {
  crd_xml_document *doc = reader->doc;
  crd_xml_enter(node);
  crd_xml_use(node, "class");
  crd_xml_use(node, "name");
  int condim;
  if (crd_xml_int(doc, node, "condim", &condim)) {
    if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
      crd_xml_fail(doc, node, CRD_ERR_NUMBER, "<pair> condim: found %d, expected 1, 3, 4 or 6", condim);
    pair->def.condim = condim;
  }
  crd_xml_numbers(doc, node, "friction", pair->friction, 1, 5);
  crd_xml_number(doc, node, "margin", &pair->def.margin);
  crd_xml_number(doc, node, "gap", &pair->def.gap);
}

static void add_pair(mjcf_reader *reader, crd_xml_node *node) {
  mjcf_pair pair = mjcf_class_of(reader, node, "class", reader->main_class)->pair;
  mjcf_read_pair(reader, node, &pair);
  crd_pair_def *def = &pair.def;
  def->geom1 = mjcf_find(reader, &reader->geoms, node, "geom1", "geom");
  def->geom2 = mjcf_find(reader, &reader->geoms, node, "geom2", "geom");
  def->name = crd_xml_string(node, "name");
  def->line = node->place;
  const double *friction = pair.friction;
  for (int i = 0; i < 5; i++)
    if (friction[i] < 0)
      crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                   "<pair> friction: found %g, expected numbers that are not negative", friction[i]);
  if (friction[0] != friction[1] || friction[3] != friction[4])
    mjcf_leave_out(reader, node, "friction", "friction that depends on the direction is not supported");
  def->friction[0] = friction[0], def->friction[1] = friction[2], def->friction[2] = friction[3];
  if (!crd_xml_ok(reader->doc)) return;
  if (def->geom1 < 0 || def->geom2 < 0) {
    mjcf_ignore(node, "one of its geoms was left out");
  } else if (!reader->no_contact && reader->collision != MJCF_COLLIDE_DYNAMIC) {
    mjcf_added(reader, crd_model_builder_pair(reader->builder, def));
  }
}

static void add_exclude(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_enter(node);
  crd_xml_use(node, "name");
  int body1 = mjcf_find(reader, &reader->bodies, node, "body1", "body");
  int body2 = mjcf_find(reader, &reader->bodies, node, "body2", "body");
  if (crd_xml_ok(reader->doc)) mjcf_added(reader, crd_model_builder_exclude(reader->builder, body1, body2));
}

void mjcf_note_pairs(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "contact"); section; section = crd_xml_next(section)) {
    for (crd_xml_node *node = crd_xml_child(section, "pair"); node; node = crd_xml_next(node)) {
      const char *names[2] = {crd_xml_need(reader->doc, node, "geom1"), crd_xml_need(reader->doc, node, "geom2")};
      for (int i = 0; i < 2; i++)
        if (names[i] && !crd_name_put(&reader->paired, names[i], node)) crd_xml_fail_memory(reader->doc);
    }
  }
}

void mjcf_read_contact(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "contact"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next) {
      if (crd_xml_is(node, "pair")) {
        add_pair(reader, node);
      } else if (crd_xml_is(node, "exclude")) {
        add_exclude(reader, node);
      }
    }
  }
}
