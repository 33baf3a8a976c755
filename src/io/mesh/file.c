/* Mesh files: choice of the format, and what happens to vertices once they are read. */
#include "io/mesh/file.h"

#include <cradle/linalg.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/file/path.h"
#include "io/mesh/formats.h"

typedef crd_status (*format_reader)(const crd_mesh_source *source, crd_mesh_data *out);

/* Formats read by assimp. */
static const char *const foreign[] = {"dae", "glb", "gltf", NULL};

static format_reader find_reader(const char *path) {
  const char *extension = crd_path_extension(path);
  if (strcasecmp(extension, "stl") == 0) return crd_mesh_read_stl;
  if (strcasecmp(extension, "obj") == 0) return crd_mesh_read_obj;
  if (strcasecmp(extension, "msh") == 0) return crd_mesh_read_msh;
  for (int i = 0; foreign[i]; i++)
    if (strcasecmp(extension, foreign[i]) == 0) return crd_mesh_read_joined;
  return NULL;
}

bool crd_mesh_file_known(const char *path) { return find_reader(path) != NULL; }

crd_status crd_mesh_file_parse(const char *path, const char *data, size_t size, crd_arena *arena, crd_mesh_data *out,
                               crd_error *err) {
  format_reader reader = find_reader(path);
  if (!reader)
    return crd_error_set(err, CRD_ERR_FILE, path, 0,
                         "meshes of type '.%.20s' are not supported; expected .stl, .obj, .msh, .dae or .glb",
                         crd_path_extension(path));
  if (size == 0) return crd_error_set(err, CRD_ERR_FORMAT, path, 0, "mesh file is empty; expected vertices");
  crd_mesh_source source = {path, data, size, arena, err};
  crd_mesh_data mesh = {0};
  crd_status status = reader(&source, &mesh);
  if (status) return status;
  *out = mesh;
  return CRD_OK;
}

crd_status crd_mesh_file_read(const char *path, crd_arena *arena, crd_mesh_data *out, crd_error *err) {
  char *data = NULL;
  size_t size = 0;
  crd_arena scratch = {0}; /* the file's bytes are not needed after the reading */
  crd_status status = CRD_OK;
  if (find_reader(path)) status = crd_path_read(&scratch, path, &data, &size, err);
  if (!status) status = crd_mesh_file_parse(path, data, size, arena, out, err);
  crd_arena_free(&scratch);
  return status;
}

crd_status crd_mesh_file_parts(const char *path, crd_arena *arena, crd_mesh_part **part, int *count, crd_error *err) {
  crd_mesh_part *one = crd_arena_alloc(arena, 1, sizeof *one);
  if (!one) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory");
  if (find_reader(path) != crd_mesh_read_joined) {
    *part = one, *count = 1;
    return crd_mesh_file_read(path, arena, &one->mesh, err);
  }
  crd_arena scratch = {0};
  char *data;
  size_t size;
  crd_status status = crd_path_read(&scratch, path, &data, &size, err);
  if (!status) {
    crd_mesh_source source = {path, data, size, arena, err};
    status = crd_mesh_read_foreign(&source, part, count);
  }
  crd_arena_free(&scratch);
  return status;
}

crd_status crd_mesh_no_memory(const crd_mesh_source *source) {
  return crd_error_set(source->err, CRD_ERR_MEMORY, source->path, 0, "out of memory for a mesh file of %zu bytes",
                       source->size);
}

crd_status crd_mesh_coordinate(const crd_mesh_source *source, int line, double value, double *rounded) {
  if (!(fabs(value) <= CRD_MESH_LARGEST))
    return crd_error_set(source->err, CRD_ERR_NUMBER, source->path, line,
                         "vertex coordinate is %g; expected a finite number of size 2^30 at most", value);
  *rounded = crd_round_to_float(value) + 0.0;
  return CRD_OK;
}

/* FNV-1a over the bytes of one vertex. */
static size_t hash_vertex(const double *vertex) {
  unsigned char bytes[3 * sizeof(double)];
  memcpy(bytes, vertex, sizeof bytes);
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < sizeof bytes; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
  return (size_t)(hash ^ hash >> 32);
}

crd_status crd_mesh_merge_vertices(const crd_mesh_source *source, crd_mesh_data *mesh) {
  size_t slots = 16;
  while (slots < 2 * (size_t)mesh->nvert) slots *= 2;
  crd_arena scratch = {0};
  int *slot = crd_arena_alloc(&scratch, slots, sizeof *slot); /* vertex id + 1, 0: free */
  int *merged = crd_arena_alloc(&scratch, (size_t)mesh->nvert, sizeof *merged);
  if (!slot || !merged) {
    crd_arena_free(&scratch);
    return crd_mesh_no_memory(source);
  }
  int kept = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    const double *vertex = mesh->vert + 3 * (size_t)i;
    size_t at = hash_vertex(vertex) & (slots - 1);
    while (slot[at] && memcmp(mesh->vert + 3 * (size_t)(slot[at] - 1), vertex, 3 * sizeof(double)) != 0)
      at = (at + 1) & (slots - 1);
    if (!slot[at]) {
      memmove(mesh->vert + 3 * (size_t)kept, vertex, 3 * sizeof(double));
      slot[at] = ++kept;
    }
    merged[i] = slot[at] - 1;
  }
  mesh->nvert = kept;
  for (size_t i = 0; i < 3 * (size_t)mesh->nface; i++) mesh->face[i] = merged[mesh->face[i]];
  crd_arena_free(&scratch);
  return CRD_OK;
}

crd_status crd_mesh_drop_unused(const crd_mesh_source *source, crd_mesh_data *mesh) {
  crd_arena scratch = {0};
  int *place = crd_arena_alloc(&scratch, (size_t)mesh->nvert, sizeof *place); /* new id + 1, 0: unused */
  if (!place) return crd_mesh_no_memory(source);
  for (size_t i = 0; i < 3 * (size_t)mesh->nface; i++) place[mesh->face[i]] = 1;
  int kept = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    if (!place[i]) continue;
    memmove(mesh->vert + 3 * (size_t)kept, mesh->vert + 3 * (size_t)i, 3 * sizeof(double));
    place[i] = ++kept;
  }
  mesh->nvert = kept;
  for (size_t i = 0; i < 3 * (size_t)mesh->nface; i++) mesh->face[i] = place[mesh->face[i]] - 1;
  crd_arena_free(&scratch);
  return CRD_OK;
}

void crd_mesh_transform(crd_mesh_data *mesh, const double pos[3], const double quat[4], const double scale[3]) {
  double unit[4] = {quat[0], quat[1], quat[2], quat[3]}, R[9];
  bool rotates = quat[0] != 1 || quat[1] != 0 || quat[2] != 0 || quat[3] != 0;
  crd_quat_normalize(unit);
  crd_quat_to_mat3(R, unit);
  for (int i = 0; i < mesh->nvert; i++) {
    double *vertex = mesh->vert + 3 * (size_t)i;
    crd_vec3_sub(vertex, vertex, pos);
    if (rotates) crd_mat3_tmul_vec(vertex, R, vertex);
    for (int k = 0; k < 3; k++) vertex[k] *= scale[k];
  }
  if (scale[0] * scale[1] * scale[2] > 0) return;
  for (int i = 0; i < mesh->nface; i++) {
    int *face = mesh->face + 3 * (size_t)i, second = face[1];
    face[1] = face[2], face[2] = second;
  }
}
