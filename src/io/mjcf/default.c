/* <default> classes: named sets of attribute values, each starting as a copy of the class it is nested in.
 *
 * The outermost class is "main" unless it has a name of its own, and there is only one such class however many
 * <default> sections the includes bring together.
 */
#include <string.h>

#include "io/mjcf/reader.h"

void mjcf_start_classes(mjcf_reader *reader) {
  mjcf_class *main_class = mjcf_alloc(reader, 1, sizeof *main_class);
  if (!main_class) return;
  *main_class = (mjcf_class){.name = "main",
                             .joint = mjcf_joint_start(),
                             .geom = mjcf_geom_start(),
                             .site = mjcf_site_start(),
                             .mesh = mjcf_mesh_start(),
                             .material = mjcf_material_start(),
                             .pair = mjcf_pair_start(),
                             .tendon = mjcf_tendon_start(),
                             .actuator = mjcf_actuator_start(),
                             .equality_active = true};
  reader->main_class = main_class;
  if (!crd_name_put(&reader->classes, main_class->name, main_class)) crd_xml_fail_memory(reader->doc);
  for (int i = 0; i < reader->nattached && crd_xml_ok(reader->doc); i++) {
    mjcf_class *attached = mjcf_alloc(reader, 1, sizeof *attached);
    if (!attached) return;
    *attached = *main_class;
    attached->name = reader->attached[i].main_class;
    if (!crd_name_find(&reader->classes, attached->name) && !crd_name_put(&reader->classes, attached->name, attached))
      crd_xml_fail_memory(reader->doc);
  }
}

mjcf_class *mjcf_main_class_of(const mjcf_reader *reader, const crd_xml_node *node) {
  const mjcf_attached *attached = mjcf_attached_of(reader, node);
  return attached ? crd_name_find(&reader->classes, attached->main_class) : reader->main_class;
}

const mjcf_class *mjcf_class_of(mjcf_reader *reader, crd_xml_node *node, const char *attribute,
                                const mjcf_class *otherwise) {
  const char *name = crd_xml_string(node, attribute);
  mjcf_use_settings(reader, node);
  if (!name) return otherwise == reader->main_class ? mjcf_main_class_of(reader, node) : otherwise;
  const mjcf_class *found = crd_name_find(&reader->classes, name);
  if (!found)
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<%s> %s: found '%.100s', expected the name of a default class",
                 node->name, attribute, name);
  return found ? found : otherwise;
}

/* The class of a <default>: new inside another one, the main class (given its name) outside. */
static mjcf_class *open_class(mjcf_reader *reader, crd_xml_node *node, const mjcf_class *parent) {
  crd_xml_document *doc = reader->doc;
  const char *name = parent ? crd_xml_need(doc, node, "class") : crd_xml_string(node, "class");
  if (!crd_xml_ok(doc)) return NULL;
  mjcf_class *opened = mjcf_main_class_of(reader, node);
  if (parent) {
    if (crd_name_find(&reader->classes, name)) {
      crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<default> class: found '%.100s' again, expected a new name", name);
      return NULL;
    }
    opened = mjcf_alloc(reader, 1, sizeof *opened);
    if (!opened) return NULL;
    *opened = *parent;
  }
  if (name && name[0]) opened->name = name;
  if (!crd_name_put(&reader->classes, opened->name, opened)) crd_xml_fail_memory(doc);
  return opened;
}

static void read_element(mjcf_reader *reader, crd_xml_node *node, mjcf_class *into) {
  if (crd_xml_is(node, "joint")) {
    mjcf_read_joint(reader, node, &into->joint);
  } else if (crd_xml_is(node, "geom")) {
    mjcf_read_geom(reader, node, &into->geom);
  } else if (crd_xml_is(node, "site")) {
    mjcf_read_site(reader, node, &into->site);
  } else if (crd_xml_is(node, "mesh")) {
    mjcf_read_mesh(reader, node, &into->mesh);
  } else if (crd_xml_is(node, "material")) {
    mjcf_read_material(reader, node, &into->material);
  } else if (crd_xml_is(node, "pair")) {
    mjcf_read_pair(reader, node, &into->pair);
  } else if (crd_xml_is(node, "equality")) {
    mjcf_read_equality_default(reader, node, &into->equality_active);
  } else if (crd_xml_is(node, "tendon")) {
    mjcf_read_tendon(reader, node, &into->tendon);
  } else if (mjcf_is_actuator(node)) {
    mjcf_read_actuator(reader, node, &into->actuator);
  }
}

static void read_class(mjcf_reader *reader, crd_xml_node *node, const mjcf_class *parent) {
  crd_xml_enter(node);
  mjcf_class *opened = open_class(reader, node, parent);
  node->data = opened;
  for (crd_xml_node *child = node->child; child && crd_xml_ok(reader->doc); child = child->next)
    if (!crd_xml_is(child, "default")) read_element(reader, child, opened);
}

void mjcf_read_defaults(mjcf_reader *reader, crd_xml_node *root) {
  /* In the order of the text, without recursion; a class is complete before those inside it are opened. */
  for (crd_xml_node *top = crd_xml_child(root, "default"); top; top = crd_xml_next(top)) {
    for (crd_xml_node *node = top; node;) {
      read_class(reader, node, node == top ? NULL : node->parent->data);
      if (!crd_xml_ok(reader->doc)) return;
      crd_xml_node *following = crd_xml_child(node, "default");
      while (!following && node != top) {
        following = crd_xml_next(node);
        node = node->parent;
      }
      node = following;
    }
  }
}
