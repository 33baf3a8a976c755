/* <attach model="M" body="B" prefix="P"/>: the body B of another model file, with all below it, in the place of the element
 * (without `body` everything in its worldbody), and of its other sections what belongs to that.
 *
 * Names of the attached model, its default classes included, get the prefix. Its elements keep the settings of its own
 * <compiler> and its own main default class; <option>, <size>, <visual>, <statistic>, <custom> and <keyframe> of an attached
 * model do not count, and neither do contacts, constraints, tendons, actuators and sensors that name something which was
 * not attached [MuJoCo, XML reference, attach]. An attached model may attach others.
 */
#include <string.h>

#include "io/file/name_table.h"
#include "io/file/path.h"
#include "io/mjcf/mjcf.h"
#include "io/mjcf/reader.h"
#include "io/xml/schema.h"

/* Attachments of a model; a file that attaches itself ends here. */
enum { MOST = 1000 };

typedef struct attachment {
  crd_xml_document *doc;
  const crd_read_options *options;
  const char *prefix;
  crd_name_table known; /* names of the attached elements */
} attachment;

/* ------------------------------------------------------------------------------------------------ names */

/* Attributes that name a thing that may not have been attached, */
static const char *const references[] = {"joint",    "joint1",  "joint2",  "jointinparent", "body",       "body1",
                                         "body2",    "geom",    "geom1",   "geom2",         "site",       "site1",
                                         "site2",    "tendon",  "tendon1", "tendon2",       "actuator",   "refsite",
                                         "sidesite", "objname", "refname", "cranksite",     "slidersite", NULL};
/* and further ones that hold names of the model. */
static const char *const others[] = {"name",    "class",  "childclass", "mesh",   "hfield", "material",
                                     "texture", "target", "model",      "prefix", NULL};

static bool is_among(const char *const *list, const char *word) {
  for (int i = 0; list[i]; i++)
    if (strcmp(list[i], word) == 0) return true;
  return false;
}

static const char *prefixed(attachment *a, const char *name) {
  const size_t length = strlen(a->prefix);
  char *whole = crd_arena_alloc(&a->doc->arena, length + strlen(name) + 1, 1);
  if (!whole) {
    crd_xml_fail_memory(a->doc);
    return name;
  }
  memcpy(whole, a->prefix, length);
  strcpy(whole + length, name);
  return whole;
}

static void set_attribute(attachment *a, crd_xml_node *node, const char *name, const char *value) {
  crd_xml_attribute *more = crd_arena_alloc(&a->doc->arena, (size_t)node->nattribute + 1, sizeof *more);
  if (!more) {
    crd_xml_fail_memory(a->doc);
    return;
  }
  if (node->nattribute) memcpy(more, node->attribute, (size_t)node->nattribute * sizeof *more);
  more[node->nattribute++] = (crd_xml_attribute){.name = name, .value = value};
  node->attribute = more;
}

/* A mesh or texture without a name is called as its file. */
static void name_by_file(attachment *a, crd_xml_node *node) {
  const bool called = crd_xml_is(node, "mesh") || crd_xml_is(node, "texture") || crd_xml_is(node, "hfield");
  const char *file = called && !crd_xml_has(node, "name") ? crd_xml_string(node, "file") : NULL;
  char *name = file ? crd_arena_string(&a->doc->arena, crd_path_base(file)) : NULL;
  if (!name) return;
  char *dot = strrchr(name, '.');
  if (dot) *dot = 0;
  set_attribute(a, node, "name", name);
}

static void rename_one(attachment *a, crd_xml_node *node) {
  const bool attach = crd_xml_is(node, "attach");
  name_by_file(a, node);
  for (int i = 0; i < node->nattribute; i++) {
    crd_xml_attribute *attribute = &node->attribute[i];
    const bool named = is_among(references, attribute->name) || is_among(others, attribute->name);
    if (!named || !attribute->value[0] || strcmp(attribute->value, "world") == 0) continue;
    if (attach && strcmp(attribute->name, "body") == 0) continue; /* of the model that it attaches */
    attribute->value = prefixed(a, attribute->value);
  }
}

static void rename_all(attachment *a, crd_xml_node *top) {
  for (crd_xml_node *node = top; node && crd_xml_ok(a->doc); node = crd_xml_following(node, top)) rename_one(a, node);
}

static void know(attachment *a, crd_xml_node *top) {
  for (crd_xml_node *node = top; node && crd_xml_ok(a->doc); node = crd_xml_following(node, top)) {
    const char *name = crd_xml_string(node, "name");
    if (name && name[0] && !crd_name_put(&a->known, name, node)) crd_xml_fail_memory(a->doc);
  }
}

/* Does the element, with all it contains, name only attached elements? */
static bool belongs(const attachment *a, crd_xml_node *top) {
  for (crd_xml_node *node = top; node; node = crd_xml_following(node, top))
    for (int i = 0; i < node->nattribute; i++) {
      const crd_xml_attribute *attribute = &node->attribute[i];
      if (is_among(references, attribute->name) && strcmp(attribute->value, "world") != 0 &&
          !crd_name_find(&a->known, attribute->value))
        return false;
    }
  return true;
}

/* ------------------------------------------------------------------------------------------------ parts */

/* Unlinks the element from its siblings. */
static void take_out(crd_xml_node *node) {
  crd_xml_node *parent = node->parent, **link = &parent->child, *before = NULL;
  while (*link != node) before = *link, link = &(*link)->next;
  *link = node->next;
  if (parent->last == node) parent->last = before;
  node->next = NULL;
}

static void append(crd_xml_node *parent, crd_xml_node *node) {
  node->parent = parent, node->next = NULL;
  if (parent->last)
    parent->last->next = node;
  else
    parent->child = node;
  parent->last = node;
}

/* Sections whose elements all come along, then those of which only what belongs to the attached bodies does, in the order in
 * which they may name each other. */
static const char *const whole[] = {"default", "asset"}, *const parts[] = {"contact", "tendon", "equality", "actuator",
                                                                           "sensor"};

static void move_whole(attachment *a, crd_xml_node *from, crd_xml_node *to) {
  for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
    for (crd_xml_node *section = crd_xml_child(from, whole[i]), *next; section && crd_xml_ok(a->doc); section = next) {
      next = crd_xml_next(section);
      take_out(section);
      rename_all(a, section);
      append(to, section);
    }
}

static void move_parts(attachment *a, crd_xml_node *from, crd_xml_node *to) {
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    for (crd_xml_node *section = crd_xml_child(from, parts[i]), *next; section && crd_xml_ok(a->doc); section = next) {
      next = crd_xml_next(section);
      for (crd_xml_node *node = section->child, *following; node; node = following) {
        following = node->next;
        if (belongs(a, node))
          know(a, node);
        else
          take_out(node);
      }
      take_out(section);
      rename_all(a, section);
      append(to, section);
    }
}

static crd_xml_node *find_body(crd_xml_node *root, const char *name) {
  for (crd_xml_node *world = crd_xml_child(root, "worldbody"); world; world = crd_xml_next(world))
    for (crd_xml_node *node = world; node; node = crd_xml_following(node, world)) {
      const char *own = crd_xml_is(node, "body") ? crd_xml_string(node, "name") : NULL;
      if (own && strcmp(own, name) == 0) return node;
    }
  return NULL;
}

/* The default class that holds where the element stands; NULL: the main one. */
static const char *class_around(crd_xml_node *node) {
  for (crd_xml_node *outer = node->parent; outer; outer = outer->parent)
    if (crd_xml_has(outer, "childclass")) return crd_xml_string(outer, "childclass");
  return NULL;
}

/* Makes the <attach> a <frame> that holds the attached elements. */
static void fill_frame(attachment *a, crd_xml_node *attach, crd_xml_node *root, crd_xml_node *body,
                       const char *main_class) {
  const char *around = body ? class_around(body) : NULL;
  attach->name = "frame", attach->nattribute = 0;
  set_attribute(a, attach, "childclass", around ? prefixed(a, around) : main_class);
  if (body) {
    take_out(body);
    append(attach, body);
  }
  for (crd_xml_node *world = body ? NULL : crd_xml_child(root, "worldbody"); world; world = crd_xml_next(world))
    for (crd_xml_node *node = world->child, *next; node; node = next) {
      next = node->next;
      take_out(node);
      append(attach, node);
    }
  for (crd_xml_node *node = attach->child; node; node = node->next) {
    know(a, node);
    rename_all(a, node);
  }
}

/* ------------------------------------------------------------------------------------------------ one attachment */

static crd_xml_node *load(attachment *a, crd_xml_node *attach, const char *name) {
  crd_xml_document *doc = a->doc;
  for (crd_xml_node *section = crd_xml_child(doc->root, "asset"); section; section = crd_xml_next(section))
    for (crd_xml_node *model = crd_xml_child(section, "model"); model; model = crd_xml_next(model)) {
      const char *own = crd_xml_string(model, "name"), *file = crd_xml_need(doc, model, "file");
      if (!file) return NULL;
      if (!own || strcmp(own, name) != 0) continue;
      crd_xml_enter(model);
      crd_path_scope scope = {crd_path_root(a->options->root, doc->folder), a->options->allow_outside, model->file,
                              model->line};
      const char *folder = crd_mjcf_folder(doc, model, NULL, file);
      char *path;
      if (!folder) return NULL;
      doc->status = crd_path_resolve(&doc->arena, &scope, "model", folder, file, &path, &doc->error);
      return crd_xml_ok(doc) ? crd_xml_load_more(doc, path) : NULL;
    }
  crd_xml_fail(doc, attach, CRD_ERR_ARGUMENT,
               "<attach> model: found '%.100s', expected the name of a <model> in <asset>", name);
  return NULL;
}

/* The element's own attributes; false with the error set. */
static bool read_attach(attachment *a, crd_xml_node *attach, const char **model, const char **body) {
  *model = crd_xml_need(a->doc, attach, "model");
  *body = crd_xml_string(attach, "body");
  a->prefix = crd_xml_string(attach, "prefix");
  if (!a->prefix) crd_xml_fail(a->doc, attach, CRD_ERR_FORMAT, "<attach>: found no attribute 'prefix', expected one");
  if (crd_xml_has(attach, "frame"))
    crd_xml_fail(a->doc, attach, CRD_ERR_FORMAT, "<attach> frame: found '%.100s', expected a body of the model",
                 crd_xml_string(attach, "frame"));
  return crd_xml_ok(a->doc);
}

static void attach_model(attachment *a, crd_xml_node *attach, mjcf_attached *into) {
  crd_xml_document *doc = a->doc;
  const char *model, *name;
  const int before = doc->lines;
  if (!read_attach(a, attach, &model, &name)) return;
  crd_xml_node *root = load(a, attach, model);
  if (!root) return;
  if (!crd_xml_is(root, "mujoco")) {
    crd_xml_fail(doc, root, CRD_ERR_FORMAT, "found the root element <%.60s>, expected <mujoco>", root->name);
    return;
  }
  crd_mjcf_expand_includes(doc, root, a->options);
  if (crd_xml_ok(doc)) crd_schema_check(doc, &crd_mjcf_schema, root, a->options->lenient);
  if (!crd_xml_ok(doc)) return;
  crd_xml_node *body = name ? find_body(root, name) : NULL;
  if (name && !body) {
    crd_xml_fail(doc, attach, CRD_ERR_ARGUMENT,
                 "<attach> body: found '%.100s', expected the name of a body of '%.100s'", name, model);
    return;
  }
  *into = (mjcf_attached){.first = before, .last = doc->lines, .main_class = prefixed(a, "main"), .root = root};
  fill_frame(a, attach, root, body, into->main_class);
  move_whole(a, root, doc->root);
  move_parts(a, root, doc->root);
}

static crd_xml_node *find_attach(crd_xml_node *root) {
  for (crd_xml_node *world = crd_xml_child(root, "worldbody"); world; world = crd_xml_next(world))
    for (crd_xml_node *node = world; node; node = crd_xml_following(node, world))
      if (crd_xml_is(node, "attach")) return node;
  return NULL;
}

void mjcf_expand_attachments(crd_xml_document *doc, const crd_read_options *options, mjcf_attached **list, int *count) {
  int room = 0;
  *list = NULL, *count = 0;
  for (crd_xml_node *node; crd_xml_ok(doc) && (node = find_attach(doc->root)); (*count)++) {
    if (*count == MOST) {
      crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<attach>: found more than %d attached models, expected fewer", MOST);
      return;
    }
    if (*count == room) {
      mjcf_attached *more = crd_arena_alloc(&doc->arena, (size_t)(room = 2 * room + 4), sizeof *more);
      if (!more) {
        crd_xml_fail_memory(doc);
        return;
      }
      if (*count) memcpy(more, *list, (size_t)*count * sizeof *more);
      *list = more;
    }
    attachment a = {.doc = doc, .options = options};
    attach_model(&a, node, &(*list)[*count]);
    crd_name_free(&a.known);
  }
}

/* ------------------------------------------------------------------------------------------------ settings */

const mjcf_attached *mjcf_attached_of(const mjcf_reader *reader, const crd_xml_node *node) {
  for (int i = 0; i < reader->nattached; i++)
    if (node->place > reader->attached[i].first && node->place <= reader->attached[i].last) return &reader->attached[i];
  return NULL;
}

void mjcf_use_settings(mjcf_reader *reader, const crd_xml_node *node) {
  if (reader->nattached == 0) return;
  const mjcf_attached *attached = mjcf_attached_of(reader, node);
  reader->set = attached ? attached->set : reader->own;
}

void mjcf_read_attached_settings(mjcf_reader *reader) {
  reader->own = reader->set;
  for (int i = 0; i < reader->nattached && crd_xml_ok(reader->doc); i++) {
    crd_build_options build = crd_model_build_default();
    const crd_build_options none = build;
    mjcf_reader child = *reader;
    child.build = &build, child.set = mjcf_settings_start();
    for (crd_xml_node *node = crd_xml_child(reader->attached[i].root, "compiler"); node; node = crd_xml_next(node)) {
      mjcf_read_compiler(&child, node);
      if (build.total_mass != none.total_mass || build.bound_mass != none.bound_mass ||
          build.bound_inertia != none.bound_inertia || build.balance_inertia != none.balance_inertia ||
          build.inertia_source != none.inertia_source || build.inertia_groups[0] != none.inertia_groups[0] ||
          build.inertia_groups[1] != none.inertia_groups[1])
        mjcf_leave_out(reader, node, NULL, "masses that the compiler of an attached model changes are not supported");
      build = none;
    }
    reader->attached[i].set = child.set;
  }
}
