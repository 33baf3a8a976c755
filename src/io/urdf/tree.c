/* Links and joints of a URDF file, and the tree they form.
 *
 * A joint joins its parent link to its child link; each link is the child of at most one joint, one link of none. Links
 * are put in depth-first order with siblings in the order of their <joint> elements, which is MuJoCo's order of qpos
 * and qvel. O(n), without recursion. */
#include <string.h>

#include "base/layout.h"
#include "io/urdf/parts.h"

/* spherical is Bullet's extension. */
static const char *const joint_types[CRD_URDF_JOINT_TYPES] = {"revolute", "continuous", "prismatic", "fixed",
                                                              "floating", "planar",     "spherical"};

static void refuse_macros(crd_urdf_reader *reader, const crd_xml_node *node) {
  if (strncmp(node->name, "xacro:", 6) == 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "found <%s>, expected plain URDF: expand the file with xacro first",
                 node->name);
}

/* Puts a name into a table; the same name twice is an error that names the line of the first. */
static void register_name(crd_urdf_reader *reader, crd_name_table *table, crd_xml_node *node, void *value,
                          int first_line) {
  const char *name = crd_xml_string(node, "name");
  if (first_line) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<%s> name: found '%.100s' again (first in line %d), expected a new name", node->name, name,
                 first_line);
  } else if (!crd_name_put(table, name, value)) {
    crd_xml_fail_memory(reader->doc);
  }
}

static void collect_link(crd_urdf_reader *reader, crd_xml_node *node) {
  crd_xml_enter(node);
  crd_xml_use(node, "type");
  const char *name = crd_xml_need(reader->doc, node, "name");
  if (!name) return;
  crd_urdf_link *link = &reader->link[reader->nlink++];
  *link = (crd_urdf_link){.node = node, .name = name, .quat = {1, 0, 0, 0}, .body = -1};
  const crd_urdf_link *first = crd_name_find(&reader->link_names, name);
  register_name(reader, &reader->link_names, node, link, first ? first->node->line : 0);
}

/* The link `world` need not be defined (Drake's files leave it out): it is the world. */
static crd_urdf_link *add_world(crd_urdf_reader *reader, crd_xml_node *node) {
  crd_urdf_link *link = &reader->link[reader->nlink++];
  *link = (crd_urdf_link){.node = node, .name = "world", .quat = {1, 0, 0, 0}, .body = -1};
  if (!crd_name_put(&reader->link_names, link->name, link)) crd_xml_fail_memory(reader->doc);
  return link;
}

static crd_urdf_link *find_end(crd_urdf_reader *reader, const crd_urdf_joint *joint, const char *which) {
  crd_xml_node *node = crd_urdf_need_child(reader, joint->node, which);
  const char *name = node ? crd_xml_need(reader->doc, node, "link") : NULL;
  if (!name) return NULL;
  crd_urdf_link *link = crd_name_find(&reader->link_names, name);
  if (!link && strcmp(name, "world") == 0 && strcmp(which, "parent") == 0) return add_world(reader, node);
  if (!link)
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT,
                 "joint '%.100s': %s link '%.100s' is not defined, expected the name of a <link>", joint->name, which,
                 name);
  return link;
}

static void collect_joint(crd_urdf_reader *reader, crd_xml_node *node) {
  crd_xml_enter(node);
  const char *name = crd_xml_need(reader->doc, node, "name");
  int type = CRD_URDF_FIXED;
  if (!name || !crd_xml_need(reader->doc, node, "type")) return;
  crd_xml_keyword(reader->doc, node, "type", joint_types, CRD_URDF_JOINT_TYPES, &type);
  crd_urdf_joint *joint = &reader->joint[reader->njoint++];
  *joint = (crd_urdf_joint){.node = node, .name = name, .type = (crd_urdf_joint_type)type, .id = -1};
  const crd_urdf_joint *first = crd_name_find(&reader->joint_names, name);
  register_name(reader, &reader->joint_names, node, joint, first ? first->node->line : 0);
  joint->parent = find_end(reader, joint, "parent");
  joint->child = find_end(reader, joint, "child");
}

void crd_urdf_collect(crd_urdf_reader *reader) {
  size_t links = 0, joints = 0;
  for (const crd_xml_node *node = reader->doc->root->child; node; node = node->next)
    links += crd_xml_is(node, "link"), joints += crd_xml_is(node, "joint");
  if (CRD_TAKE(&reader->doc->arena, CRD_ARRAY(reader->link, links + 1), /* and the world */
               CRD_ARRAY(reader->joint, joints), CRD_ARRAY(reader->order, links + 1)))
    crd_xml_fail_memory(reader->doc);

  for (crd_xml_node *node = reader->doc->root->child; node && crd_xml_ok(reader->doc); node = node->next) {
    refuse_macros(reader, node);
    if (crd_xml_is(node, "link")) collect_link(reader, node);
  }
  for (crd_xml_node *node = reader->doc->root->child; node && crd_xml_ok(reader->doc); node = node->next)
    if (crd_xml_is(node, "joint")) collect_joint(reader, node);
  if (links == 0)
    crd_xml_fail(reader->doc, reader->doc->root, CRD_ERR_FORMAT, "<robot>: found no <link>, expected at least one");
}

static void connect(crd_urdf_reader *reader, crd_urdf_joint *joint) {
  crd_urdf_link *parent = joint->parent, *child = joint->child;
  if (child->above) {
    crd_xml_fail(reader->doc, joint->node, CRD_ERR_MODEL,
                 "link '%.100s' is the child of joint '%.100s' and already of '%.100s' (line %d), expected one parent",
                 child->name, joint->name, child->above->name, child->above->node->line);
    return;
  }
  child->above = joint;
  if (parent->last_below) {
    parent->last_below->next_below = joint;
  } else {
    parent->first_below = joint;
  }
  parent->last_below = joint;
}

/* The next link in depth-first order within the tree of `root`, NULL at its end. */
static crd_urdf_link *following(const crd_urdf_link *link, const crd_urdf_link *root) {
  if (link->first_below) return link->first_below->child;
  while (link != root && !link->above->next_below) link = link->above->parent;
  return link == root ? NULL : link->above->next_below->child;
}

/* A link that no root reaches has a cycle above it: after as many steps upwards as there are links we are on it. */
static void report_cycle(crd_urdf_reader *reader, const crd_urdf_link *unreached) {
  const crd_urdf_link *link = unreached;
  for (int i = 0; i < reader->nlink; i++) link = link->above->parent;
  crd_xml_fail(reader->doc, link->above->node, CRD_ERR_MODEL,
               "link '%.100s' is its own ancestor through joint '%.100s', expected a tree", link->name,
               link->above->name);
}

/* A second root is refused, or with `lenient` fixed to the world like the first (as MuJoCo does). The link "world" is
 * the world itself and a root in any case. */
static void check_root(crd_urdf_reader *reader, crd_urdf_link *link, const crd_urdf_link *first) {
  if (!first || strcmp(link->name, "world") == 0 || strcmp(first->name, "world") == 0) return;
  if (reader->options->lenient) {
    crd_xml_ignore(link->node, "name", "a second root: fixed to the world");
    return;
  }
  crd_xml_fail(reader->doc, link->node, CRD_ERR_MODEL,
               "link '%.100s' has no parent, like '%.100s' (line %d), expected one root", link->name, first->name,
               first->node->line);
}

void crd_urdf_order(crd_urdf_reader *reader) {
  for (int i = 0; i < reader->njoint && crd_xml_ok(reader->doc); i++) connect(reader, &reader->joint[i]);
  if (!crd_xml_ok(reader->doc)) return;
  int reached = 0;
  const crd_urdf_link *first = NULL;
  for (int i = 0; i < reader->nlink; i++) {
    crd_urdf_link *root = &reader->link[i];
    if (root->above) continue;
    check_root(reader, root, first);
    if (!first) first = root;
    for (crd_urdf_link *link = root; link; link = following(link, root)) reader->order[reached++] = link;
  }
  if (reached == reader->nlink) return;
  bool *seen = crd_arena_alloc(&reader->doc->arena, (size_t)reader->nlink, sizeof *seen);
  if (!seen) {
    crd_xml_fail_memory(reader->doc);
    return;
  }
  for (int i = 0; i < reached; i++) seen[reader->order[i] - reader->link] = true;
  int unreached = 0;
  while (seen[unreached]) unreached++;
  report_cycle(reader, &reader->link[unreached]);
}
