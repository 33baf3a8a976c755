/* Collisions of a URDF file become geoms. URDF gives full lengths, cradle half lengths; a capsule's length is that
 * between the centres of its caps. Visuals are for show: see visual.c. */
#include <cradle/linalg.h>
#include <string.h>

#include "io/file/path.h"
#include "io/urdf/parts.h"

static void read_box(crd_urdf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  def->type = CRD_BOX;
  if (crd_xml_need(reader->doc, node, "size")) crd_xml_numbers(reader->doc, node, "size", def->size, 3, 3);
  crd_vec3_scale(def->size, 0.5, def->size);
}

static void read_radius(crd_urdf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  if (crd_xml_need(reader->doc, node, "radius")) crd_xml_number(reader->doc, node, "radius", &def->size[0]);
}

static void read_sphere(crd_urdf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  def->type = CRD_SPHERE;
  read_radius(reader, node, def);
}

static void read_rod(crd_urdf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  def->type = crd_xml_is(node, "cylinder") ? CRD_CYLINDER : CRD_CAPSULE;
  read_radius(reader, node, def);
  if (crd_xml_need(reader->doc, node, "length")) crd_xml_number(reader->doc, node, "length", &def->size[1]);
  def->size[1] *= 0.5;
}

/* The half space below a plane through the origin (Bullet's extension); its normal is z unless given. */
static void read_plane(crd_urdf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  double normal[3] = {0, 0, 1};
  def->type = CRD_PLANE;
  crd_xml_numbers(reader->doc, node, "normal", normal, 3, 3);
  if (crd_vec3_normalize(normal) < CRD_URDF_NO_DIRECTION) {
    crd_xml_fail(reader->doc, node, CRD_ERR_MODEL, "<plane> normal: found zero, expected a direction");
    return;
  }
  double turn[4];
  crd_quat_from_z_to(turn, normal);
  crd_quat_mul(def->quat, def->quat, turn);
}

static int find_mesh(const crd_urdf_reader *reader, const char *path, const double scale[3]) {
  for (const crd_urdf_mesh *mesh = reader->mesh; mesh; mesh = mesh->next)
    if (strcmp(mesh->path, path) == 0 && memcmp(mesh->scale, scale, sizeof mesh->scale) == 0) return mesh->id;
  return -1;
}

/* Hands a mesh to the builder under the name of its file, without a name where that is taken. */
static int add_mesh(crd_urdf_reader *reader, const crd_xml_node *node, const char *path, const double scale[3],
                    crd_mesh_data *data) {
  static const double origin[3] = {0}, identity[4] = {1, 0, 0, 0};
  crd_mesh_transform(data, origin, identity, scale);
  char *name = crd_arena_string(&reader->doc->arena, crd_path_base(path));
  crd_urdf_mesh *mesh = crd_arena_alloc(&reader->doc->arena, 1, sizeof *mesh);
  if (!name || !mesh) {
    crd_xml_fail_memory(reader->doc);
    return -1;
  }
  char *dot = strrchr(name, '.');
  if (dot) *dot = 0;
  crd_mesh_def def = {.nvert = data->nvert,
                      .nface = data->nface,
                      .vert = data->vert,
                      .face = data->face,
                      .inertia = reader->exact_mesh_inertia ? CRD_MESH_EXACT : CRD_MESH_LEGACY};
  def.name = crd_model_builder_find_mesh(reader->builder, name) < 0 ? name : "";
  def.line = node->line;
  int id = crd_model_builder_mesh(reader->builder, &def);
  if (!crd_urdf_added(reader, id)) return -1;
  *mesh = (crd_urdf_mesh){.path = path, .scale = {scale[0], scale[1], scale[2]}, .id = id, .next = reader->mesh};
  reader->mesh = mesh;
  return id;
}

static crd_status load_mesh(crd_urdf_reader *reader, const crd_xml_node *node, const char *filename,
                            const double scale[3], int *id, crd_error *err) {
  char *path = crd_urdf_mesh_path(reader, node, filename, err);
  if (!path) return err->status;
  *id = find_mesh(reader, path, scale);
  if (*id >= 0) return CRD_OK;
  crd_arena scratch = {0};
  crd_mesh_data data;
  crd_status status = crd_mesh_file_read(path, &scratch, &data, err);
  if (!status) crd_xml_note_source(reader->doc, path);
  if (!status) *id = add_mesh(reader, node, path, scale, &data);
  crd_arena_free(&scratch);
  return status;
}

/* A mesh that cannot be read is an error; with `lenient` the collision is left out. */
static bool read_mesh(crd_urdf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  double scale[3] = {1, 1, 1};
  const char *filename = crd_xml_need(reader->doc, node, "filename");
  crd_xml_numbers(reader->doc, node, "scale", scale, 3, 3);
  if (crd_xml_ok(reader->doc) && scale[0] * scale[1] * scale[2] == 0)
    crd_xml_fail(reader->doc, node, CRD_ERR_MODEL,
                 "<mesh> scale: found '%.60s', expected three factors other than zero", crd_xml_string(node, "scale"));
  if (!crd_xml_ok(reader->doc)) return false;
  def->type = CRD_MESH;
  crd_error err = {0};
  crd_status status = load_mesh(reader, node, filename, scale, &def->mesh, &err);
  if (!status) return crd_xml_ok(reader->doc);
  if (reader->options->lenient && status != CRD_ERR_MEMORY) return false;
  bool named =
      strcmp(err.file, reader->doc->file) == 0; /* the message is about the URDF file, not about the mesh file */
  if (named) {
    crd_xml_fail(reader->doc, node, status, "%s", err.text);
  } else if (crd_xml_ok(reader->doc)) {
    reader->doc->status = status;
    reader->doc->error = err;
  }
  return false;
}

/* Is every size that the shape has positive? If not it is an error; with `lenient` the collision is left out. */
static bool has_extent(crd_urdf_reader *reader, const crd_xml_node *shape, const crd_geom_def *def) {
  int sizes = def->type == CRD_BOX ? 3 : def->type == CRD_SPHERE ? 1 : 2;
  bool positive = true;
  for (int k = 0; k < sizes; k++) positive = positive && def->size[k] > 0;
  if (!positive && !reader->options->lenient)
    crd_xml_fail(reader->doc, shape, CRD_ERR_MODEL, "<%s>: found a size that is not positive, expected positive ones",
                 shape->name);
  return positive;
}

bool crd_urdf_primitive(crd_urdf_reader *reader, crd_xml_node *shape, crd_geom_def *def) {
  if (crd_xml_is(shape, "box")) {
    read_box(reader, shape, def);
  } else if (crd_xml_is(shape, "sphere")) {
    read_sphere(reader, shape, def);
  } else if (crd_xml_is(shape, "cylinder") || crd_xml_is(shape, "capsule")) {
    read_rod(reader, shape, def);
  } else if (crd_xml_is(shape, "plane")) {
    read_plane(reader, shape, def);
  } else {
    return false;
  }
  return true;
}

/* Fills the geom from the shape in <geometry>; false: the collision is left out, or there is an error. */
static bool read_shape(crd_urdf_reader *reader, crd_xml_node *geometry, crd_geom_def *def) {
  crd_xml_node *shape = geometry->child;
  if (!shape) {
    crd_xml_fail(reader->doc, geometry, CRD_ERR_FORMAT,
                 "<geometry>: found no shape, expected box, cylinder, sphere, capsule or mesh");
    return false;
  }
  crd_xml_enter(shape);
  if (crd_xml_is(shape, "mesh")) return read_mesh(reader, shape, def);
  if (!crd_urdf_primitive(reader, shape, def)) {
    if (!reader->options->lenient)
      crd_xml_fail(reader->doc, shape, CRD_ERR_FORMAT,
                   "<geometry>: found <%.60s>, expected box, cylinder, sphere, capsule or mesh", shape->name);
    return false;
  }
  if (def->type == CRD_PLANE) return crd_xml_ok(reader->doc);
  return crd_xml_ok(reader->doc) && has_extent(reader, shape, def);
}

static void read_collision(crd_urdf_reader *reader, crd_urdf_link *link, crd_xml_node *node) {
  crd_xml_enter(node);
  crd_xml_node *geometry = crd_urdf_need_child(reader, node, "geometry");
  if (!geometry) return;
  crd_geom_def def = crd_model_geom_default();
  crd_urdf_origin(reader, node, def.pos, def.quat);
  def.name = crd_xml_string(node, "name");
  def.line = node->line;
  if (reader->no_contact) def.contype = def.conaffinity = 0;
  if (!crd_xml_ok(reader->doc)) return;
  if (!read_shape(reader, geometry, &def)) {
    crd_xml_ignore(node, NULL, "its shape cannot be read");
    return;
  }
  crd_urdf_geom *geom = crd_arena_alloc(&reader->doc->arena, 1, sizeof *geom);
  if (!geom) {
    crd_xml_fail_memory(reader->doc);
    return;
  }
  geom->def = def;
  *link->geom_end = geom;
  link->geom_end = &geom->next;
}

static void read_link(crd_urdf_reader *reader, crd_urdf_link *link) {
  link->geom_end = &link->geom;
  for (crd_xml_node *node = link->node->child; node && crd_xml_ok(reader->doc); node = node->next) {
    if (crd_xml_is(node, "collision")) {
      read_collision(reader, link, node);
    }
  }
}

void crd_urdf_geoms(crd_urdf_reader *reader) {
  for (int i = 0; i < reader->nlink && crd_xml_ok(reader->doc); i++) read_link(reader, &reader->link[i]);
}
