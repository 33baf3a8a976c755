/* <worldbody>, <body>, <frame>, <inertial>: the tree.
 *
 * Bodies get their ids in the order of the text (depth first), and a body's joints and geoms come in one piece whether
 * they stand before, between or behind its child bodies: that is MuJoCo's order of qpos and qvel. So the elements of a
 * body are read first, those in its frames included, then its child bodies. No recursion: files with thousands of
 * nested bodies are common enough.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "io/mjcf/reader.h"

/* Settings inside a <worldbody>, <body> or <frame>; kept in the element's `data`. */
typedef struct scope {
  int body;
  bool infers;      /* the body's inertia is taken from its geoms */
  mjcf_frame frame; /* of the innermost <frame>, in the body */
  const mjcf_class *defaults;
} scope;

static const mjcf_frame identity = {{0, 0, 0}, {1, 0, 0, 0}};

static scope *new_scope(mjcf_reader *reader, crd_xml_node *node, int body, const mjcf_class *defaults) {
  scope *made = mjcf_alloc(reader, 1, sizeof *made);
  if (made) *made = (scope){.body = body, .frame = identity, .defaults = defaults};
  node->data = made;
  return made;
}

/* pos and orientation of a body or frame. */
static void read_frame(mjcf_reader *reader, crd_xml_node *node, mjcf_frame *frame) {
  mjcf_orientation orientation = mjcf_orientation_default();
  mjcf_use_settings(reader, node);
  *frame = identity;
  crd_xml_numbers(reader->doc, node, "pos", frame->pos, 3, 3);
  mjcf_read_orientation(reader, node, &orientation);
  mjcf_resolve_orientation(reader, node, &orientation, frame->quat);
}

/* ------------------------------------------------------------------------------------------------ inertial */

static void read_inertial(mjcf_reader *reader, crd_xml_node *node, crd_body_def *def) {
  crd_xml_document *doc = reader->doc;
  crd_inertial *inertial = &def->inertial;
  crd_xml_enter(node);
  if (def->has_inertial) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<inertial>: found a second one in the body, expected at most one");
    return;
  }
  def->has_inertial = true;
  mjcf_frame frame;
  read_frame(reader, node, &frame);
  crd_vec3_copy(inertial->pos, frame.pos);
  memcpy(inertial->quat, frame.quat, sizeof frame.quat);
  crd_xml_need(doc, node, "pos");
  crd_xml_need(doc, node, "mass");
  crd_xml_number(doc, node, "mass", &inertial->mass);
  memset(inertial->inertia, 0, sizeof inertial->inertia);
  bool diagonal = crd_xml_numbers(doc, node, "diaginertia", inertial->inertia, 3, 3) > 0;
  bool full = crd_xml_numbers(doc, node, "fullinertia", inertial->inertia, 6, 6) > 0;
  bool turned = inertial->quat[1] != 0 || inertial->quat[2] != 0 || inertial->quat[3] != 0;
  if (full && (diagonal || turned))
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<inertial> fullinertia: found together with %s, expected one of them",
                 diagonal ? "diaginertia" : "an orientation");
}

/* ------------------------------------------------------------------------------------------------ bodies */

/* Keyframes have poses for them. */
static void note_mocap(mjcf_reader *reader, const mjcf_frame *frame) {
  mjcf_mocap *mocap = mjcf_alloc(reader, 1, sizeof *mocap);
  if (!mocap) return;
  *mocap = (mjcf_mocap){.frame = *frame};
  if (!reader->mocap) reader->next_mocap = &reader->mocap;
  *reader->next_mocap = mocap, reader->next_mocap = &mocap->next, reader->nmocap++;
}

static void add_body(mjcf_reader *reader, crd_xml_node *node, const scope *outer) {
  crd_xml_document *doc = reader->doc;
  crd_body_def def = crd_model_body_default();
  mjcf_frame frame;
  crd_xml_enter(node);
  read_frame(reader, node, &frame);
  mjcf_compose(&outer->frame, &frame);
  crd_vec3_copy(def.pos, frame.pos);
  memcpy(def.quat, frame.quat, sizeof frame.quat);
  def.name = crd_xml_string(node, "name");
  def.parent = outer->body;
  def.line = node->place;
  crd_xml_number(doc, node, "gravcomp", &def.gravcomp);
  bool mocap = false;
  if (crd_xml_bool(doc, node, "mocap", &mocap) && mocap) {
    if (def.parent != 0 || crd_xml_child(node, "joint") || crd_xml_child(node, "freejoint"))
      crd_xml_fail(doc, node, CRD_ERR_FORMAT,
                   "<body> mocap: found on a body that moves, expected a fixed child of the world");
    crd_xml_ignore(node, "mocap", "the body stays where it is drawn");
    note_mocap(reader, &frame);
  }
  for (crd_xml_node *child = crd_xml_child(node, "inertial"); child; child = crd_xml_next(child))
    read_inertial(reader, child, &def);
  scope *inner = new_scope(reader, node, -1, mjcf_class_of(reader, node, "childclass", outer->defaults));
  if (!crd_xml_ok(doc)) return;
  inner->body = mjcf_added(reader, crd_model_builder_body(reader->builder, &def));
  crd_inertia_source source = reader->build->inertia_source;
  inner->infers = source == CRD_INERTIA_GEOMS || (source == CRD_INERTIA_AUTO && !def.has_inertial);
  mjcf_enter_name(reader, &reader->bodies, node, def.name, inner->body, NULL);
}

static void enter_frame(mjcf_reader *reader, crd_xml_node *node, const scope *outer) {
  crd_xml_enter(node);
  crd_xml_use(node, "name");
  scope *inner = new_scope(reader, node, outer->body, mjcf_class_of(reader, node, "childclass", outer->defaults));
  if (!inner) return;
  inner->infers = outer->infers;
  read_frame(reader, node, &inner->frame);
  mjcf_compose(&outer->frame, &inner->frame);
}

/* One element of a body other than <body> and <inertial>. */
static void read_element(mjcf_reader *reader, crd_xml_node *node, const scope *in) {
  if (crd_xml_is(node, "joint")) {
    mjcf_add_joint(reader, node, in->body, &in->frame, in->defaults);
  } else if (crd_xml_is(node, "freejoint")) {
    mjcf_add_freejoint(reader, node, in->body);
  } else if (crd_xml_is(node, "geom")) {
    mjcf_add_geom(reader, node, in->body, in->infers, &in->frame, in->defaults);
  } else if (crd_xml_is(node, "site")) {
    mjcf_add_site(reader, node, in->body, &in->frame, in->defaults);
  } else if (crd_xml_is(node, "frame")) {
    enter_frame(reader, node, in);
  } else if (crd_xml_is(node, "inertial") && (in->body == 0 || !crd_xml_is(node->parent, "body"))) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<inertial>: found in <%s>, expected in a body",
                 node->parent->name);
  }
}

/* All elements of a body (or of a <worldbody>), in its frames too. */
static void read_elements(mjcf_reader *reader, crd_xml_node *top) {
  crd_xml_node *node = top;
  bool down = true;
  while (crd_xml_ok(reader->doc)) {
    if (down && node->child) {
      node = node->child;
    } else if (node == top) {
      return;
    } else if (node->next) {
      node = node->next;
    } else {
      node = node->parent;
      down = false;
      continue;
    }
    read_element(reader, node, node->parent->data);
    down = crd_xml_is(node, "frame");
  }
}

/* The next <body> in the order of the text; frames are looked through. */
static crd_xml_node *next_body(crd_xml_node *node, const crd_xml_node *top) {
  bool down = true;
  for (;;) {
    if (down && node->child) {
      node = node->child;
    } else if (node == top) {
      return NULL;
    } else if (node->next) {
      node = node->next;
    } else {
      node = node->parent;
      down = false;
      continue;
    }
    if (crd_xml_is(node, "body")) return node;
    down = crd_xml_is(node, "frame");
  }
}

void mjcf_read_bodies(mjcf_reader *reader, crd_xml_node *root) {
  /* The geoms of the world come first, from however many <worldbody> sections. */
  for (crd_xml_node *world = crd_xml_child(root, "worldbody"); world; world = crd_xml_next(world)) {
    crd_xml_enter(world);
    if (!new_scope(reader, world, 0, reader->main_class)) return;
    read_elements(reader, world);
  }
  for (crd_xml_node *world = crd_xml_child(root, "worldbody"); world; world = crd_xml_next(world)) {
    for (crd_xml_node *node = next_body(world, world); node && crd_xml_ok(reader->doc); node = next_body(node, world)) {
      add_body(reader, node, node->parent->data);
      read_elements(reader, node);
    }
  }
}
