/* <asset>: meshes; field.c has the height fields. Textures, materials and skins are only for show.
 *
 * A mesh is read when the first geom needs it, so that one that is only for show need not exist. Its file lies in
 * meshdir, which is relative to the folder of the model's main file.
 */
#include <cradle/linalg.h>
#include <stdio.h>
#include <string.h>

#include "io/file/path.h"
#include "io/mjcf/mjcf.h"
#include "io/mjcf/reader.h"
#include "model/hull.h"

mjcf_mesh mjcf_mesh_start(void) {
  return (mjcf_mesh){.scale = {1, 1, 1}, .refquat = {1, 0, 0, 0}, .inertia = MJCF_INERTIA_LEGACY, .id = -1};
}

void mjcf_read_mesh(mjcf_reader *reader, crd_xml_node *node, mjcf_mesh *mesh) {
  static const char *const inertia[] = {"convex", "exact", "legacy", "shell"};
  static const char *const later[] = {"file",    "vertex", "face", "content_type", "name", "class",
                                      "builtin", "params", NULL};
  crd_xml_document *doc = reader->doc;
  crd_xml_enter(node);
  for (int i = 0; later[i]; i++) crd_xml_use(node, later[i]);
  crd_xml_numbers(doc, node, "scale", mesh->scale, 3, 3);
  crd_xml_numbers(doc, node, "refpos", mesh->refpos, 3, 3);
  crd_xml_numbers(doc, node, "refquat", mesh->refquat, 4, 4);
  int which;
  if (crd_xml_keyword(doc, node, "inertia", inertia, 4, &which)) {
    mesh->inertia = (mjcf_mesh_inertia)which;
    mesh->has_inertia = true;
  }
  for (int i = 0; i < 3; i++)
    if (mesh->scale[i] == 0)
      crd_xml_fail(doc, node, CRD_ERR_NUMBER, "<mesh> scale: found 0, expected numbers other than 0");
}

const char *mjcf_name_from_file(mjcf_reader *reader, const char *file) {
  char *name = crd_arena_string(&reader->doc->arena, crd_path_base(file));
  if (!name) return NULL;
  char *dot = strrchr(name, '.');
  if (dot) *dot = 0;
  return name;
}

static void add_mesh(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_document *doc = reader->doc;
  mjcf_mesh *mesh = mjcf_alloc(reader, 1, sizeof *mesh);
  if (!mesh) return;
  *mesh = mjcf_class_of(reader, node, "class", reader->main_class)->mesh;
  mjcf_read_mesh(reader, node, mesh);
  mesh->node = node;
  node->data = mesh;
  mesh->file = crd_xml_string(node, "file");
  mesh->name = crd_xml_string(node, "name");
  if ((!mesh->name || !mesh->name[0]) && mesh->file) mesh->name = mjcf_name_from_file(reader, mesh->file);
  if (!mesh->name || !mesh->name[0]) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<mesh>: found neither name nor file, expected at least one");
  } else if (crd_name_find(&reader->meshes, mesh->name)) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<mesh> name: found '%.100s' again, expected a new name", mesh->name);
  } else if (!crd_name_put(&reader->meshes, mesh->name, mesh)) {
    crd_xml_fail_memory(doc);
  }
}

void mjcf_read_assets(mjcf_reader *reader, crd_xml_node *root) {
  for (crd_xml_node *section = crd_xml_child(root, "asset"); section; section = crd_xml_next(section)) {
    crd_xml_enter(section);
    for (crd_xml_node *node = section->child; node && crd_xml_ok(reader->doc); node = node->next)
      if (crd_xml_is(node, "mesh"))
        add_mesh(reader, node);
      else if (crd_xml_is(node, "hfield"))
        mjcf_add_field(reader, node);
      else if (crd_xml_is(node, "material"))
        mjcf_add_material(reader, node);
      else if (crd_xml_is(node, "model") && !node->used)
        mjcf_ignore(node, "no <attach> names it");
  }
}

/* ------------------------------------------------------------------------------------------------ reading a mesh */

/* MuJoCo's newer files may name the format by content_type instead of the ending. */
static const char *ending_of_type(const char *content_type) {
  static const char *const types[][2] = {
      {"model/stl", "x.stl"}, {"model/obj", "x.obj"}, {"model/vnd.mujoco.msh", "x.msh"}};
  for (int i = 0; i < 3; i++)
    if (strcmp(content_type, types[i][0]) == 0) return types[i][1];
  return NULL;
}

crd_status mjcf_read_asset(mjcf_reader *reader, const crd_xml_node *node, const char *file, char **path, char **bytes,
                           size_t *size) {
  crd_xml_document *doc = reader->doc;
  const char *name = reader->set.strip_path ? crd_path_base(file) : file;
  const char *folder = crd_mjcf_folder(doc, node, reader->set.mesh_folder, name);
  if (!folder) return doc->status;
  crd_path_scope scope = {crd_path_root(reader->options->root, doc->folder), reader->options->allow_outside, node->file,
                          node->line};
  doc->status = crd_path_resolve(&doc->arena, &scope, node->name, folder, name, path, &doc->error);
  if (doc->status == CRD_OK) doc->status = crd_path_read(&doc->arena, *path, bytes, size, &doc->error);
  if (doc->status == CRD_OK) crd_xml_note_source(doc, *path);
  return doc->status;
}

static crd_status read_file(mjcf_reader *reader, const mjcf_mesh *mesh, crd_mesh_data *data) {
  crd_xml_document *doc = reader->doc;
  crd_arena *arena = &doc->arena;
  char *path, *bytes;
  size_t size;
  const char *content_type = crd_xml_string(mesh->node, "content_type");
  const char *like = content_type && content_type[0] ? ending_of_type(content_type) : mesh->file;
  if (!like || !crd_mesh_file_known(like))
    return crd_error_set(&doc->error, CRD_ERR_FILE, mesh->node->file, mesh->node->line,
                         "<mesh> file: found '%.200s', expected an STL, OBJ or MSH file", mesh->file);
  crd_status status = mjcf_read_asset(reader, mesh->node, mesh->file, &path, &bytes, &size);
  if (status != CRD_OK) return status;
  if (like == mesh->file) return crd_mesh_file_parse(path, bytes, size, arena, data, &doc->error);
  status = crd_mesh_file_parse(like, bytes, size, arena, data, &doc->error);
  if (status != CRD_OK) snprintf(doc->error.file, sizeof doc->error.file, "%s", path);
  return status;
}

/* Vertices and faces that stand in the element; numbers count as floats, as in the mesh files. */
static void read_inline(mjcf_reader *reader, const mjcf_mesh *mesh, crd_mesh_data *data) {
  crd_xml_document *doc = reader->doc;
  crd_xml_node *node = mesh->node;
  int nnumber = 0, nindex = 0;
  data->vert = crd_xml_vector(doc, node, "vertex", &nnumber);
  data->face = crd_xml_int_vector(doc, node, "face", &nindex);
  if (!crd_xml_ok(doc)) return;
  if (nnumber < 12 || nnumber % 3 != 0 || nindex % 3 != 0) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT,
                 "<mesh>: found %d vertex numbers and %d face numbers, expected at least 12 and multiples of 3",
                 nnumber, nindex);
    return;
  }
  data->nvert = nnumber / 3;
  data->nface = nindex / 3;
  for (int i = 0; i < nnumber; i++) data->vert[i] = crd_round_to_float(data->vert[i]);
  for (int i = 0; i < nindex; i++)
    if (data->face[i] < 0 || data->face[i] >= data->nvert) {
      crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<mesh> face: found vertex %d, expected 0 to %d", data->face[i],
                   data->nvert - 1);
      return;
    }
}

/* The faces of the convex hull. They are found before the mesh is moved, as in MuJoCo, because the order of their
 * corners shows in the last digits of the inertia. Where there is no hull (all in a plane), the build says so. */
static void use_hull(mjcf_reader *reader, crd_mesh_data *data) {
  crd_hull hull;
  crd_status status = crd_hull_make(&hull, &reader->doc->arena, data->nvert, data->vert);
  data->nface = status == CRD_OK ? hull.nface : 0;
  data->face = status == CRD_OK ? hull.face : NULL;
  if (status == CRD_ERR_MEMORY) crd_xml_fail_memory(reader->doc);
}

crd_mesh_inertia mjcf_inertia_rule(const mjcf_reader *reader, const mjcf_mesh *mesh) {
  if (!mesh->has_inertia) return reader->set.exact_mesh_inertia ? CRD_MESH_EXACT : CRD_MESH_LEGACY;
  switch (mesh->inertia) {
    case MJCF_INERTIA_LEGACY: return CRD_MESH_LEGACY;
    case MJCF_INERTIA_SHELL: return CRD_MESH_SHELL;
    default: return CRD_MESH_EXACT; /* convex: of the hull's faces */
  }
}

const crd_mesh_data *mjcf_load_mesh(mjcf_reader *reader, mjcf_mesh *mesh) {
  crd_xml_document *doc = reader->doc;
  if (mesh->loaded || !crd_xml_ok(doc)) return mesh->loaded;
  crd_mesh_data *data = mjcf_alloc(reader, 1, sizeof *data);
  if (!data) return NULL;
  mjcf_use_settings(reader, mesh->node);
  if (crd_xml_has(mesh->node, "builtin")) {
    crd_xml_fail(doc, mesh->node, CRD_ERR_FORMAT,
                 "<mesh> builtin: found a shape made by MuJoCo, expected a file or vertices");
  } else if (mesh->file) {
    crd_status status = read_file(reader, mesh, data);
    if (status != CRD_OK) doc->status = status;
  } else {
    read_inline(reader, mesh, data);
  }
  if (!crd_xml_ok(doc)) return NULL;
  if (data->nface == 0 || mesh->inertia == MJCF_INERTIA_CONVEX) use_hull(reader, data);
  crd_mesh_transform(data, mesh->refpos, mesh->refquat, mesh->scale);
  mesh->loaded = data;
  return data;
}

int mjcf_need_mesh(mjcf_reader *reader, mjcf_mesh *mesh) {
  const crd_mesh_data *data = mjcf_load_mesh(reader, mesh);
  if (!data) return -1;
  if (mesh->id < 0) {
    crd_mesh_def def = {.name = mesh->name,
                        .nvert = data->nvert,
                        .nface = data->nface,
                        .vert = data->vert,
                        .face = data->face,
                        .inertia = mjcf_inertia_rule(reader, mesh),
                        .line = mesh->node->place};
    mesh->id = mjcf_added(reader, crd_model_builder_mesh(reader->builder, &def));
  }
  return mesh->id;
}

mjcf_mesh *mjcf_find_mesh(mjcf_reader *reader, const crd_xml_node *node, const mjcf_geom *geom) {
  mjcf_mesh *mesh = geom->mesh ? crd_name_find(&reader->meshes, geom->mesh) : NULL;
  if (!geom->mesh) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<geom>: found type 'mesh' without a mesh, expected the name of one");
  } else if (!mesh) {
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<geom> mesh: found '%.100s', expected the name of a mesh",
                 geom->mesh);
  }
  return mesh;
}
