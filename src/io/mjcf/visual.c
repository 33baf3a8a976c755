/* Visuals of an MJCF file: colours of geoms from rgba, materials and textures, and meshes that neither
 * collide nor weigh. Read for pages alone (reader->visuals); whatever is wrong with it is a note, because the same file
 * reads without it. */
#include <cradle/linalg.h>
#include <string.h>

#include "io/file/path.h"
#include "io/mjcf/mjcf.h"
#include "io/mjcf/reader.h"
#include "io/visual/visual.h"

/* MuJoCo's colour of a geom that states none; a geom of exactly this colour has that of its material. */
static const double plain[4] = {0.5, 0.5, 0.5, 1};

/* Makes a note of the document's error and takes it back. */
static void note_error(mjcf_reader *reader) {
  crd_xml_document *doc = reader->doc;
  if (crd_xml_ok(doc)) return;
  crd_visual_note_add(reader->visuals, "%s:%d: %s", doc->error.file, doc->error.line, doc->error.text);
  if (doc->status == CRD_ERR_MEMORY) return;
  doc->status = CRD_OK;
  memset(&doc->error, 0, sizeof doc->error);
}

static bool read_colour(mjcf_reader *reader, crd_xml_node *node, const char *attribute, int count, double *value) {
  const bool ok = crd_xml_ok(reader->doc), found = crd_xml_numbers(reader->doc, node, attribute, value, count, 4) > 0;
  if (ok) note_error(reader);
  return found;
}

mjcf_paint mjcf_paint_start(void) { return (mjcf_paint){.rgba = {0.5, 0.5, 0.5, 1}}; }

mjcf_paint mjcf_material_start(void) { return (mjcf_paint){.rgba = {1, 1, 1, 1}}; }

void mjcf_read_paint(mjcf_reader *reader, crd_xml_node *node, mjcf_paint *paint) {
  if (!reader->visuals) return;
  read_colour(reader, node, "rgba", 4, paint->rgba);
  const char *material = crd_xml_string(node, "material");
  if (material) paint->material = material;
}

void mjcf_read_material(mjcf_reader *reader, crd_xml_node *node, mjcf_paint *material) {
  if (!reader->visuals) return;
  crd_xml_enter(node);
  read_colour(reader, node, "rgba", 4, material->rgba);
  const char *texture = crd_xml_string(node, "texture");
  if (texture) material->material = texture;
  for (crd_xml_node *layer = crd_xml_child(node, "layer"); layer; layer = crd_xml_next(layer)) {
    const char *role = crd_xml_string(layer, "role");
    texture = crd_xml_string(layer, "texture");
    if (texture && role && (strcmp(role, "rgb") == 0 || strcmp(role, "rgba") == 0)) material->material = texture;
  }
}

/* ------------------------------------------------------------------------------------------------ textures */

static void picture_mean(mjcf_reader *reader, crd_xml_node *node, const char *name, double rgba[4]) {
  crd_xml_document *doc = reader->doc;
  const char *file = reader->set.strip_path ? crd_path_base(name) : name;
  const char *folder = crd_mjcf_folder(doc, node, reader->set.texture_folder, file);
  if (!folder) return;
  crd_path_scope scope = {crd_path_root(reader->options->root, doc->folder), reader->options->allow_outside, node->file,
                          node->line};
  crd_error err = {0};
  crd_arena scratch = {0};
  char *path, *bytes;
  size_t size;
  crd_status status = crd_path_resolve(&doc->arena, &scope, "texture", folder, file, &path, &err);
  if (status == CRD_OK) status = crd_path_read(&scratch, path, &bytes, &size, &err);
  if (status != CRD_OK)
    crd_visual_note_add(reader->visuals, "%s:%d: %s", err.file, err.line, err.text);
  else if (!crd_visual_picture_mean(bytes, size, rgba))
    crd_visual_note_add(reader->visuals, "%s:%d: <texture> file: '%.200s' cannot be read, expected a PNG picture",
                        node->file, node->line, name);
  crd_arena_free(&scratch);
}

/* The mean colour of a texture; of a gradient it is taken between its two ends. */
static void texture_mean(mjcf_reader *reader, crd_xml_node *node, double rgba[4]) {
  static const char *const pictures[] = {"file",     "fileright", "fileleft", "fileup",
                                         "filedown", "filefront", "fileback", NULL};
  const char *builtin = crd_xml_string(node, "builtin"), *picture = NULL;
  for (int i = 0; !picture && pictures[i]; i++) picture = crd_xml_string(node, pictures[i]);
  if (picture) {
    picture_mean(reader, node, picture, rgba);
  } else if (builtin && strcmp(builtin, "none") != 0) {
    double one[4] = {0.8, 0.8, 0.8}, other[4] = {0.5, 0.5, 0.5};
    read_colour(reader, node, "rgb1", 3, one);
    read_colour(reader, node, "rgb2", 3, other);
    const bool flat = strcmp(builtin, "flat") == 0;
    for (int k = 0; k < 3; k++) rgba[k] = flat ? one[k] : (one[k] + other[k]) / 2;
  }
}

/* Has a texture of this file, without a name of its own, this name? */
static bool is_named_by_file(const char *file, const char *name) {
  const char *base = crd_path_base(file), *dot = strrchr(base, '.');
  const size_t length = dot ? (size_t)(dot - base) : strlen(base);
  return strlen(name) == length && strncmp(base, name, length) == 0;
}

static crd_xml_node *find_texture(const mjcf_reader *reader, const char *name) {
  for (crd_xml_node *section = crd_xml_child(reader->doc->root, "asset"); section; section = crd_xml_next(section))
    for (crd_xml_node *node = crd_xml_child(section, "texture"); node; node = crd_xml_next(node)) {
      const char *own = crd_xml_string(node, "name"), *file = crd_xml_string(node, "file");
      if (own && own[0] ? strcmp(own, name) == 0 : file && is_named_by_file(file, name)) return node;
    }
  return NULL;
}

/* The colour of a material: its own times the mean of its texture. */
static void resolve_material(mjcf_reader *reader, crd_xml_node *node, mjcf_paint *material) {
  double mean[4] = {1, 1, 1, 1};
  crd_xml_node *texture = material->material ? find_texture(reader, material->material) : NULL;
  if (material->material && !texture)
    crd_visual_note_add(reader->visuals, "%s:%d: <material> texture: found '%.100s', expected the name of a texture",
                        node->file, node->line, material->material);
  if (texture) texture_mean(reader, texture, mean);
  for (int k = 0; k < 4; k++) material->rgba[k] *= mean[k];
}

void mjcf_add_material(mjcf_reader *reader, crd_xml_node *node) {
  if (!reader->visuals) return;
  mjcf_paint *material = mjcf_alloc(reader, 1, sizeof *material);
  const char *name = crd_xml_string(node, "name");
  if (!material) return;
  *material = mjcf_class_of(reader, node, "class", reader->main_class)->material;
  note_error(reader);
  mjcf_read_material(reader, node, material);
  resolve_material(reader, node, material);
  if (name && !crd_name_find(&reader->materials, name) && !crd_name_put(&reader->materials, name, material))
    crd_xml_fail_memory(reader->doc);
}

/* ------------------------------------------------------------------------------------------------ geoms */

static void colour_of(mjcf_reader *reader, const crd_xml_node *node, const mjcf_paint *paint, double rgba[4]) {
  const mjcf_paint *material = paint->material ? crd_name_find(&reader->materials, paint->material) : NULL;
  if (paint->material && !material)
    crd_visual_note_add(reader->visuals, "%s:%d: <geom> material: found '%.100s', expected the name of a material",
                        node->file, node->line, paint->material);
  const bool stated = memcmp(paint->rgba, plain, sizeof plain) != 0;
  memcpy(rgba, material && !stated ? material->rgba : paint->rgba, sizeof plain);
}

/* The mesh of a geom, for show; -1 and a note where it cannot be had. */
static int mesh_of(mjcf_reader *reader, const crd_xml_node *node, const mjcf_geom *geom) {
  mjcf_mesh *mesh = mjcf_find_mesh(reader, node, geom);
  int id = mesh ? crd_visual_find_mesh(reader->visuals, mesh) : -1;
  if (mesh && id < 0) {
    const crd_mesh_data *data = mjcf_load_mesh(reader, mesh);
    if (data && data->nface > 0) id = crd_visual_add_mesh(reader->visuals, mesh, mesh->name, data);
  }
  note_error(reader);
  return id;
}

/* The visual shape: a primitive fitted to its mesh, or a mesh. False: it is not drawn. */
static bool resolve_show(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom, int *mesh) {
  if (geom->shape == MJCF_HFIELD || geom->shape == MJCF_SDF) {
    crd_visual_note_add(reader->visuals, "%s:%d: <geom> type: found '%s', expected a shape that a page can draw",
                        node->file, node->line, geom->shape == MJCF_SDF ? "sdf" : "hfield");
    return false;
  }
  if (geom->shape == MJCF_MESH) {
    geom->def.type = CRD_MESH;
    *mesh = mesh_of(reader, node, geom);
    return *mesh >= 0;
  }
  const bool fitted = mjcf_fit_mesh(reader, node, geom) && crd_xml_ok(reader->doc);
  note_error(reader);
  return fitted;
}

void mjcf_show_geom(mjcf_reader *reader, crd_xml_node *node, int body, const mjcf_frame *frame, mjcf_geom geom,
                    bool counts) {
  if (!reader->visuals || !crd_xml_ok(reader->doc)) return;
  crd_visual visual = {.name = geom.def.name, .body = body, .group = geom.def.group, .mesh = -1};
  if (!counts && !resolve_show(reader, node, &geom, &visual.mesh)) return;
  visual.type = geom.def.type;
  crd_vec3_copy(visual.size, geom.def.size);
  colour_of(reader, node, &geom.paint, visual.rgba);
  mjcf_frame place;
  crd_vec3_copy(place.pos, geom.def.pos);
  memcpy(place.quat, geom.def.quat, sizeof place.quat);
  if (frame) mjcf_compose(frame, &place);
  crd_vec3_copy(visual.pos, place.pos);
  memcpy(visual.quat, place.quat, sizeof visual.quat);
  crd_visual_add(reader->visuals, &visual, counts);
}

void mjcf_share_meshes(mjcf_reader *reader) {
  if (!reader->visuals || !crd_xml_ok(reader->doc)) return;
  for (crd_xml_node *section = crd_xml_child(reader->doc->root, "asset"); section; section = crd_xml_next(section))
    for (crd_xml_node *node = crd_xml_child(section, "mesh"); node; node = crd_xml_next(node)) {
      const mjcf_mesh *mesh = node->data;
      if (mesh && mesh->id >= 0) crd_visual_share_mesh(reader->visuals, mesh, mesh->id);
    }
}
