/* MuJoCo's MSH: int32 nvert, nnormal, ntexcoord, nface; then float32 vertices, normals, texture coordinates; int32
 * faces; all little-endian. Normals and texture coordinates are for show and are skipped. */
#include <limits.h>
#include <string.h>

#include "io/mesh/bytes.h"
#include "io/mesh/formats.h"

enum { HEADER = 16 };

static crd_status check_header(const crd_mesh_source *source, const int32_t count[4]) {
  static const char *const what[4] = {"vertices", "normals", "texture coordinates", "faces"};
  for (int i = 0; i < 4; i++) {
    int32_t least = i == 0 ? 4 : 0;
    if (count[i] < least)
      return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0, "MSH header says %d %s; expected at least %d",
                           count[i], what[i], least);
  }
  for (int i = 1; i < 3; i++) {
    if (count[i] && count[i] != count[0])
      return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                           "MSH header says %d %s and %d vertices; expected as many, or none", count[i], what[i],
                           count[0]);
  }
  /* the numbers are checked against the size of the file before anything is allocated by them */
  uint64_t expected =
      HEADER + 4 * (3 * (uint64_t)count[0] + 3 * (uint64_t)count[1] + 2 * (uint64_t)count[2] + 3 * (uint64_t)count[3]);
  if (source->size != expected)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                         "MSH file has %zu bytes; expected %llu for the %d vertices and %d faces of its header",
                         source->size, (unsigned long long)expected, count[0], count[3]);
  if (count[3] > INT_MAX / 3 || count[0] > INT_MAX / 3)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0, "MSH file has %d vertices; expected fewer",
                         count[0]);
  return CRD_OK;
}

crd_status crd_mesh_read_msh(const crd_mesh_source *source, crd_mesh_data *out) {
  if (source->size < HEADER)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                         "MSH file has %zu bytes; expected a header of %d", source->size, HEADER);
  int32_t count[4];
  for (size_t i = 0; i < 4; i++) count[i] = (int32_t)crd_bytes_u32(source->data + 4 * i);
  crd_status status = check_header(source, count);
  if (status) return status;

  crd_mesh_data mesh = {.nvert = count[0], .nface = count[3]};
  size_t nvert = (size_t)count[0], nface = (size_t)count[3];
  mesh.vert = crd_arena_alloc(source->arena, 3 * nvert, sizeof *mesh.vert);
  mesh.face = crd_arena_alloc(source->arena, 3 * nface, sizeof *mesh.face);
  if (!mesh.vert || !mesh.face) return crd_mesh_no_memory(source);
  const char *vertices = source->data + HEADER;
  for (size_t i = 0; i < 3 * nvert; i++) {
    status = crd_mesh_coordinate(source, 0, crd_bytes_float(vertices + 4 * i), &mesh.vert[i]);
    if (status) return status;
  }
  const char *faces = vertices + 4 * (3 * nvert + 3 * (size_t)count[1] + 2 * (size_t)count[2]);
  for (size_t i = 0; i < 3 * nface; i++) {
    int32_t id = (int32_t)crd_bytes_u32(faces + 4 * i);
    if (id < 0 || id >= count[0])
      return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                           "MSH face %zu uses vertex %d; expected a number from 0 to %d", i / 3, id, count[0] - 1);
    mesh.face[i] = id;
  }
  *out = mesh;
  return CRD_OK;
}
