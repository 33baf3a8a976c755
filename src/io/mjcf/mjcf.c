/* The MJCF reader: sections in the order MuJoCo reads them, and the rules all sections share.
 *
 * The order matters: settings first, since they say what numbers mean, then default classes, then what geoms refer to,
 * the tree, and what refers to the tree. Within one kind the order of the text counts, over all sections of that name.
 */
#include "io/mjcf/mjcf.h"

#include <string.h>

#include "io/mjcf/reader.h"
#include "io/xml/schema.h"

/* ------------------------------------------------------------------------------------------------ shared rules */

void *mjcf_alloc(mjcf_reader *reader, size_t count, size_t size) {
  void *memory = crd_arena_alloc(&reader->doc->arena, count, size);
  if (!memory) crd_xml_fail_memory(reader->doc);
  return memory;
}

void mjcf_ignore(crd_xml_node *node, const char *reason) { crd_xml_ignore(node, NULL, reason); }

bool mjcf_leave_out(mjcf_reader *reader, crd_xml_node *node, const char *attribute, const char *reason) {
  return crd_xml_leave_out(reader->doc, node, attribute, reason, reader->options->lenient);
}

void mjcf_enter_name(mjcf_reader *reader, crd_name_table *table, crd_xml_node *node, const char *name, int id,
                     void *thing) {
  if (!name || !name[0] || !crd_xml_ok(reader->doc)) return;
  if (crd_name_find(table, name)) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<%s> name: found '%.100s' again, expected a new name", node->name,
                 name);
    return;
  }
  mjcf_name *entry = mjcf_alloc(reader, 1, sizeof *entry);
  if (!entry) return;
  *entry = (mjcf_name){id, thing, node};
  if (!crd_name_put(table, name, entry)) crd_xml_fail_memory(reader->doc);
}

int mjcf_find(mjcf_reader *reader, const crd_name_table *table, crd_xml_node *node, const char *attribute,
              const char *kind) {
  const char *name = crd_xml_need(reader->doc, node, attribute);
  if (!name) return -1;
  if (table == &reader->bodies && strcmp(name, "world") == 0) return 0;
  const mjcf_name *found = crd_name_find(table, name);
  if (!found)
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<%s> %s: found '%.100s', expected the name of a %s", node->name,
                 attribute, name, kind);
  return found ? found->id : -1;
}

int mjcf_added(mjcf_reader *reader, int id) {
  if (id < 0) crd_xml_fail_memory(reader->doc);
  return id < 0 ? -1 : id;
}

/* ------------------------------------------------------------------------------------------------ sections */

static void read_settings(mjcf_reader *reader, crd_xml_node *root) {
  crd_xml_enter(root);
  reader->build->name = crd_xml_string(root, "model");
  reader->build->file = reader->doc->file;
  for (crd_xml_node *node = crd_xml_child(root, "compiler"); node; node = crd_xml_next(node))
    mjcf_read_compiler(reader, node);
  for (crd_xml_node *node = crd_xml_child(root, "option"); node; node = crd_xml_next(node))
    mjcf_read_option(reader, node);
  mjcf_read_attached_settings(reader);
  mjcf_resolve_options(reader);
  for (crd_xml_node *node = crd_xml_child(root, "deformable"); node; node = crd_xml_next(node)) crd_xml_enter(node);
}

typedef void (*section_reader)(mjcf_reader *reader, crd_xml_node *root);

static void read_all(mjcf_reader *reader) {
  static const section_reader sections[] = {
      read_settings,      mjcf_expand_replicas, mjcf_read_defaults, mjcf_read_custom,   mjcf_read_assets,
      mjcf_note_pairs,    mjcf_read_bodies,     mjcf_read_contact,  mjcf_read_tendons,  mjcf_check_restitution,
      mjcf_read_equality, mjcf_read_actuators,  mjcf_read_sensors,  mjcf_read_keyframes};
  mjcf_start_classes(reader);
  for (size_t i = 0; i < sizeof sections / sizeof sections[0] && crd_xml_ok(reader->doc); i++)
    sections[i](reader, reader->doc->root);
}

static void read_once(mjcf_reader *reader) {
  crd_name_table *tables[] = {&reader->classes,
                              &reader->bodies,
                              &reader->joints,
                              &reader->geoms,
                              &reader->sites,
                              &reader->tendons,
                              &reader->meshes,
                              &reader->fields,
                              &reader->restitution,
                              &reader->limit_restitution,
                              &reader->tendon_restitution,
                              &reader->materials,
                              &reader->paired};
  *reader->build = crd_model_build_default();
  if (reader->visuals) crd_visual_clear(reader->visuals);
  read_all(reader);
  mjcf_share_meshes(reader);
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) crd_name_free(tables[i]);
}

crd_status crd_mjcf_read(crd_xml_document *doc, const crd_read_options *options, crd_builder **builder,
                         crd_build_options *build, crd_visual_list *visuals) {
  mjcf_attached *attached = NULL;
  int nattached = 0;
  crd_mjcf_expand_includes(doc, doc->root, options);
  if (crd_xml_ok(doc)) mjcf_expand_attachments(doc, options, &attached, &nattached);
  if (crd_xml_ok(doc)) crd_schema_check(doc, &crd_mjcf_schema, doc->root, options->lenient);
  if (!crd_xml_ok(doc)) return doc->status;
  const mjcf_reader start = {.doc = doc,
                             .options = options,
                             .build = build,
                             .visuals = visuals,
                             .set = mjcf_settings_start(),
                             .attached = attached,
                             .nattached = nattached};
  mjcf_reader reader = start;
  reader.builder = *builder;
  read_once(&reader);
  if (!reader.automatic.needed || !crd_xml_ok(doc)) return doc->status;

  mjcf_find_automatic(&reader);
  if (!crd_xml_ok(doc)) return doc->status;
  mjcf_automatic found = reader.automatic;
  crd_model_builder_free(*builder);
  *builder = crd_model_builder_new();
  if (!*builder) return crd_xml_fail_memory(doc);
  reader = start;
  reader.builder = *builder;
  reader.automatic = found;
  read_once(&reader);
  return doc->status;
}
