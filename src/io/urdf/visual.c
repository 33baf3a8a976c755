/* Visuals of a URDF file: <visual> with its shape, mesh and colour. Read for pages alone; what is wrong
 * with it is a note. */
#include <cradle/linalg.h>
#include <string.h>

#include "io/file/path.h"
#include "io/urdf/parts.h"

/* Of a shape without a colour, as MuJoCo draws it. */
static const double plain[4] = {0.5, 0.5, 0.5, 1};

/* A visual on the way: what was read, and the colour where one was stated. */
typedef struct shape {
  crd_visual visual;
  bool coloured;
} shape;

/* Makes a note of the document's error and takes it back. */
static void note_error(crd_urdf_reader *reader) {
  crd_xml_document *doc = reader->doc;
  if (crd_xml_ok(doc)) return;
  crd_visual_note_add(reader->visuals, "%s:%d: %s", doc->error.file, doc->error.line, doc->error.text);
  if (doc->status == CRD_ERR_MEMORY) return;
  doc->status = CRD_OK;
  memset(&doc->error, 0, sizeof doc->error);
}

static void read_texture(crd_urdf_reader *reader, crd_xml_node *texture, shape *s) {
  const char *filename = crd_xml_need(reader->doc, texture, "filename");
  crd_error err = {0};
  char *path = filename ? crd_urdf_mesh_path(reader, texture, filename, &err) : NULL, *bytes;
  size_t size;
  crd_arena scratch = {0};
  if (path && crd_path_read(&scratch, path, &bytes, &size, &err) == CRD_OK) {
    s->coloured = crd_visual_picture_mean(bytes, size, s->visual.rgba);
    if (!s->coloured)
      crd_visual_note_add(reader->visuals, "%s:%d: <texture> filename: '%.200s' cannot be read, expected a PNG picture",
                          texture->file, texture->line, filename);
  } else if (filename) {
    crd_visual_note_add(reader->visuals, "%s:%d: %s", err.file, err.line, err.text);
  }
  crd_arena_free(&scratch);
}

static void read_colour(crd_urdf_reader *reader, crd_xml_node *material, shape *s) {
  crd_xml_node *colour = crd_xml_child(material, "color"), *texture = crd_xml_child(material, "texture");
  if (colour && crd_xml_numbers(reader->doc, colour, "rgba", s->visual.rgba, 4, 4) == 4) s->coloured = true;
  if (!colour && texture) read_texture(reader, texture, s);
}

/* The material of a visual, its own or the robot's of that name; a name is defined wherever it first has a colour. */
static void read_material(crd_urdf_reader *reader, const crd_xml_node *visual, shape *s) {
  crd_xml_node *material = crd_xml_child(visual, "material");
  const char *name = material ? crd_xml_string(material, "name") : NULL;
  if (!material) return;
  read_colour(reader, material, s);
  for (crd_xml_node *other = crd_xml_child(reader->doc->root, "material"); name && !s->coloured && other;
       other = crd_xml_next(other)) {
    const char *own = crd_xml_string(other, "name");
    if (own && strcmp(own, name) == 0) read_colour(reader, other, s);
  }
  for (int i = 0; i < reader->nlink && name && !s->coloured; i++)
    for (crd_xml_node *of = crd_xml_child(reader->link[i].node, "visual"); of && !s->coloured; of = crd_xml_next(of)) {
      crd_xml_node *other = crd_xml_child(of, "material");
      const char *own = other ? crd_xml_string(other, "name") : NULL;
      if (own && other != material && strcmp(own, name) == 0) read_colour(reader, other, s);
    }
}

/* Reads the mesh file at this scale unless that was done: its parts are consecutive meshes of the list. */
static const crd_urdf_shown *need_parts(crd_urdf_reader *reader, const char *path, const double scale[3],
                                        crd_error *err) {
  static const double origin[3] = {0}, identity[4] = {1, 0, 0, 0};
  for (const crd_urdf_shown *shown = reader->shown; shown; shown = shown->next)
    if (strcmp(shown->path, path) == 0 && memcmp(shown->scale, scale, sizeof shown->scale) == 0) return shown;
  crd_urdf_shown *shown = crd_arena_alloc(&reader->doc->arena, 1, sizeof *shown);
  if (!shown) {
    crd_xml_fail_memory(reader->doc);
    return NULL;
  }
  *shown = (crd_urdf_shown){.path = path, .scale = {scale[0], scale[1], scale[2]}, .first = -1, .next = reader->shown};
  if (crd_mesh_file_parts(path, &reader->doc->arena, &shown->part, &shown->npart, err) != CRD_OK) return NULL;
  for (int i = 0; i < shown->npart; i++) {
    crd_mesh_transform(&shown->part[i].mesh, origin, identity, scale);
    const int id = crd_visual_add_mesh(reader->visuals, NULL, crd_path_base(path), &shown->part[i].mesh);
    if (id < 0) return NULL;
    if (i == 0) shown->first = id;
  }
  reader->shown = shown;
  return shown;
}

/* One visual for each part of the mesh file, in the part's colour where the URDF file states none. */
static void add_mesh(crd_urdf_reader *reader, crd_xml_node *node, const shape *s) {
  double scale[3] = {1, 1, 1};
  const char *filename = crd_xml_need(reader->doc, node, "filename");
  crd_xml_numbers(reader->doc, node, "scale", scale, 3, 3);
  if (!crd_xml_ok(reader->doc)) return;
  crd_error err = {0};
  const char *path = crd_urdf_mesh_path(reader, node, filename, &err);
  const crd_urdf_shown *shown = path ? need_parts(reader, path, scale, &err) : NULL;
  if (err.status) crd_visual_note_add(reader->visuals, "%s:%d: %s", err.file, err.line, err.text);
  for (int i = 0; shown && i < shown->npart; i++) {
    crd_visual visual = s->visual;
    visual.mesh = shown->first + i;
    if (!s->coloured && shown->part[i].coloured) memcpy(visual.rgba, shown->part[i].rgba, sizeof visual.rgba);
    crd_visual_add(reader->visuals, &visual, false);
  }
}

static void show(crd_urdf_reader *reader, const crd_urdf_link *link, crd_xml_node *node) {
  shape s = {.visual = {.name = crd_xml_string(node, "name"), .body = link->body, .mesh = -1}};
  memcpy(s.visual.rgba, plain, sizeof plain);
  crd_geom_def def = crd_model_geom_default();
  crd_urdf_origin(reader, node, def.pos, def.quat);
  read_material(reader, node, &s);
  crd_xml_node *geometry = crd_urdf_need_child(reader, node, "geometry"), *what = geometry ? geometry->child : NULL;
  if (!what || !crd_xml_ok(reader->doc)) return;
  const bool mesh = crd_xml_is(what, "mesh"), known = mesh || crd_urdf_primitive(reader, what, &def);
  if (!known)
    crd_visual_note_add(reader->visuals, "%s:%d: <geometry>: found <%.60s>, expected a shape that a page can draw",
                        what->file, what->line, what->name);
  s.visual.type = mesh ? CRD_MESH : def.type;
  crd_vec3_copy(s.visual.pos, def.pos);
  memcpy(s.visual.quat, def.quat, sizeof s.visual.quat);
  crd_vec3_copy(s.visual.size, def.size);
  if (mesh)
    add_mesh(reader, what, &s);
  else if (known && crd_xml_ok(reader->doc))
    crd_visual_add(reader->visuals, &s.visual, false);
}

static void show_link(crd_urdf_reader *reader, const crd_urdf_link *link) {
  for (const crd_urdf_geom *geom = link->geom; geom; geom = geom->next) {
    crd_visual visual = {.name = geom->def.name, .body = link->body, .type = geom->def.type, .mesh = -1};
    crd_vec3_copy(visual.size, geom->def.size);
    crd_vec3_copy(visual.pos, geom->def.pos);
    memcpy(visual.quat, geom->def.quat, sizeof visual.quat);
    memcpy(visual.rgba, plain, sizeof plain);
    crd_visual_add(reader->visuals, &visual, true);
  }
  for (crd_xml_node *node = crd_xml_child(link->node, "visual"); node; node = crd_xml_next(node)) {
    show(reader, link, node);
    note_error(reader);
  }
}

void crd_urdf_show(crd_urdf_reader *reader) {
  if (!reader->visuals) return;
  for (int i = 0; i < reader->nlink && crd_xml_ok(reader->doc); i++)
    if (crd_xml_is(reader->order[i]->node, "link")) show_link(reader, reader->order[i]);
}
