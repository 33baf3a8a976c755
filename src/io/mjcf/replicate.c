/* <replicate count="n" offset="..." euler="..." sep="...">: n copies of what is inside, each moved on from the one
 * before.
 *
 * Copy i becomes a <frame>: it is turned by the Euler angles times i, and its place is that of copy i-1 plus the offset
 * turned as copy i-1 is. Names get the separator and the number of the copy, with as many digits as n has; of nested
 * replicas the inner ones come first. Elements outside that name a replicated part are not copied along (MuJoCo does
 * that); their reference is an error.
 */
#include <cradle/linalg.h>
#include <stdio.h>
#include <string.h>

#include "io/mjcf/reader.h"

/* Copies of elements in all; a bound on nonsense such as nested counts of thousands. */
enum { ELEMENT_LIMIT = 2000000 };

typedef struct replication {
  int count;
  double offset[3], euler[3];
  const char *separator;
} replication;

static replication read_replication(mjcf_reader *reader, crd_xml_node *node) {
  replication wanted = {.separator = crd_xml_string(node, "sep")};
  if (!wanted.separator) wanted.separator = "";
  crd_xml_need(reader->doc, node, "count");
  if (crd_xml_int(reader->doc, node, "count", &wanted.count) && wanted.count < 1)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<replicate> count: found %d, expected a positive number",
                 wanted.count);
  crd_xml_numbers(reader->doc, node, "offset", wanted.offset, 3, 3);
  crd_xml_numbers(reader->doc, node, "euler", wanted.euler, 3, 3);
  return wanted;
}

static int count_elements(const crd_xml_node *top) {
  int count = 0;
  for (const crd_xml_node *node = top; node; node = crd_xml_following(node, top)) count++;
  return count;
}

static const char *format(mjcf_reader *reader, const char *form, const double *x) {
  char text[160];
  snprintf(text, sizeof text, form, x[0], x[1], x[2], x[3]);
  const char *copy = crd_arena_string(&reader->doc->arena, text);
  if (!copy) crd_xml_fail_memory(reader->doc);
  return copy;
}

/* Turns the copy of a <replicate> into a <frame> at the given pose; childclass stays. */
static void make_frame(mjcf_reader *reader, crd_xml_node *copy, const mjcf_frame *pose) {
  crd_xml_attribute *attributes = mjcf_alloc(reader, 3, sizeof *attributes);
  if (!attributes) return;
  double pos[4] = {pose->pos[0], pose->pos[1], pose->pos[2], 0};
  attributes[0] = (crd_xml_attribute){.name = "pos", .value = format(reader, "%.17g %.17g %.17g", pos)};
  attributes[1] = (crd_xml_attribute){.name = "quat", .value = format(reader, "%.17g %.17g %.17g %.17g", pose->quat)};
  const char *class = crd_xml_string(copy, "childclass");
  attributes[2] = (crd_xml_attribute){.name = "childclass", .value = class};
  copy->name = "frame";
  copy->attribute = attributes;
  copy->nattribute = class ? 3 : 2;
}

static void add_suffix(mjcf_reader *reader, crd_xml_node *top, const char *suffix, bool repeated) {
  for (crd_xml_node *node = top; node && crd_xml_ok(reader->doc);) {
    node->repeated = node->repeated || repeated;
    for (int i = 0; i < node->nattribute; i++) {
      crd_xml_attribute *attribute = node->attribute + i;
      if (strcmp(attribute->name, "name") != 0) continue;
      size_t size = strlen(attribute->value) + strlen(suffix) + 1;
      char *name = mjcf_alloc(reader, size, 1);
      if (!name) return;
      snprintf(name, size, "%s%s", attribute->value, suffix);
      attribute->value = name;
    }
    node = crd_xml_following(node, top);
  }
}

/* The copies in the place of node; returns the last of them, or NULL with the error set. */
static crd_xml_node *expand(mjcf_reader *reader, crd_xml_node *node, int *elements) {
  crd_xml_document *doc = reader->doc;
  replication wanted = read_replication(reader, node);
  if (!crd_xml_ok(doc)) return NULL;
  int size = count_elements(node);
  if (wanted.count > (ELEMENT_LIMIT - *elements) / size) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT,
                 "<replicate> count: found %d copies of %d elements, expected at most %d elements in all", wanted.count,
                 size, ELEMENT_LIMIT);
    return NULL;
  }
  *elements += wanted.count * size;
  int digits = snprintf(NULL, 0, "%d", wanted.count);
  mjcf_frame pose = {{0, 0, 0}, {1, 0, 0, 0}};
  crd_xml_node *first = NULL, *last = NULL;
  for (int i = 0; i < wanted.count && crd_xml_ok(doc); i++) {
    double angles[3], step[3];
    char suffix[160];
    crd_vec3_scale(angles, i, wanted.euler);
    mjcf_use_settings(reader, node);
    mjcf_euler_quat(reader, angles, pose.quat);
    crd_xml_node *copy = crd_xml_copy(doc, node);
    if (!copy) return NULL;
    make_frame(reader, copy, &pose);
    snprintf(suffix, sizeof suffix, "%.100s%0*d", wanted.separator, digits, i);
    add_suffix(reader, copy, suffix, i > 0);
    if (last) {
      last->next = copy;
    } else {
      first = copy;
    }
    last = copy;
    crd_quat_rotate(step, pose.quat, wanted.offset);
    crd_vec3_add(pose.pos, pose.pos, step);
  }
  if (first) crd_xml_replace(node, first);
  return crd_xml_ok(doc) ? last : NULL;
}

void mjcf_expand_replicas(mjcf_reader *reader, crd_xml_node *root) {
  int elements = 0;
  for (crd_xml_node *world = crd_xml_child(root, "worldbody"); world; world = crd_xml_next(world)) {
    /* Upwards from the leaves, so that inner replicas are done when the outer ones copy them. */
    crd_xml_node *node = world;
    while (node->child) node = node->child;
    while (node != world) {
      crd_xml_node *parent = node->parent;
      if (crd_xml_is(node, "replicate")) node = expand(reader, node, &elements);
      if (!node) return;
      if (node->next) {
        node = node->next;
        while (node->child) node = node->child;
      } else {
        node = parent;
      }
    }
  }
}
