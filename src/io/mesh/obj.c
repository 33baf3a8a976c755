/* Wavefront OBJ: "v x y z" and "f a b c ..." lines; all groups and objects together make one mesh.
 *
 * A corner of a face is v, v/vt, v//vn or v/vt/vn; only v counts: the v-th vertex of the file from 1 on, or from -1
 * backwards from the last one read. Polygons are cut into triangles. Vertices no face uses are dropped; a file without
 * faces is a cloud of points, whose hull counts.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/formats.h"
#include "io/mesh/polygon.h"
#include "io/mesh/text.h"

enum { LARGEST = INT_MAX / 9 };

/* Arrays that grow while the file is read; their sizes follow from the data, not from a header. */
typedef struct obj_reader {
  crd_mesh_text text;
  double *vert;
  size_t nvert, vert_room; /* in vertices */
  int *face;
  size_t nface, face_room; /* in triangles */
  int *corner;
  size_t ncorner, corner_room;
} obj_reader;

/* Makes room for `needed` items of `size` bytes. */
static bool grow(void **array, size_t *room, size_t needed, size_t size) {
  if (needed <= *room) return true;
  if (needed > LARGEST) return false;
  size_t wanted = *room ? *room : 256;
  while (wanted < needed) wanted *= 2;
  void *larger = realloc(*array, wanted * size);
  if (!larger) return false;
  *array = larger, *room = wanted;
  return true;
}

static crd_status read_vertex(obj_reader *reader) {
  void *vert = reader->vert;
  if (!grow(&vert, &reader->vert_room, reader->nvert + 1, 3 * sizeof(double)))
    return crd_mesh_no_memory(reader->text.source);
  reader->vert = vert;
  for (int k = 0; k < 3; k++) {
    crd_status status = crd_mesh_text_coordinate(&reader->text, &reader->vert[3 * reader->nvert + (size_t)k]);
    if (status) return status;
  }
  reader->nvert++;
  return CRD_OK;
}

/* The vertex id of a corner like "7", "7/1", "7//3", "-1/2/3". */
static crd_status read_corner(obj_reader *reader, crd_mesh_word word, int *id) {
  const crd_mesh_text *text = &reader->text;
  char *end = NULL;
  long number = strtol(word.text, &end, 10);
  if (end == word.text || (end != word.text + word.length && *end != '/'))
    return crd_mesh_text_unexpected(text, word, "a vertex number such as 7, 7/1 or 7//2");
  long last = (long)reader->nvert, vertex = number < 0 ? last + number : number - 1;
  if (number == 0 || vertex < 0 || vertex >= last)
    return crd_error_set(text->source->err, CRD_ERR_FORMAT, text->source->path, text->line,
                         "face uses vertex %ld; expected 1 to %ld, or -%ld to -1, for the vertices above this line",
                         number, last, last);
  *id = (int)vertex;
  return CRD_OK;
}

static crd_status cut_polygon(obj_reader *reader) {
  size_t triangles = reader->ncorner - 2;
  void *face = reader->face;
  if (!grow(&face, &reader->face_room, reader->nface + triangles, 3 * sizeof(int)))
    return crd_mesh_no_memory(reader->text.source);
  reader->face = face;
  crd_polygon_cut(reader->vert, (int)reader->ncorner, reader->corner, reader->face + 3 * reader->nface);
  reader->nface += triangles;
  return CRD_OK;
}

static crd_status read_face(obj_reader *reader) {
  reader->ncorner = 0;
  for (crd_mesh_word word = crd_mesh_text_word(&reader->text); word.length; word = crd_mesh_text_word(&reader->text)) {
    void *corner = reader->corner;
    if (!grow(&corner, &reader->corner_room, reader->ncorner + 1, sizeof(int)))
      return crd_mesh_no_memory(reader->text.source);
    reader->corner = corner;
    crd_status status = read_corner(reader, word, &reader->corner[reader->ncorner]);
    if (status) return status;
    reader->ncorner++;
  }
  if (reader->ncorner < 3)
    return crd_error_set(reader->text.source->err, CRD_ERR_FORMAT, reader->text.source->path, reader->text.line,
                         "face has %zu corners; expected at least 3", reader->ncorner);
  return cut_polygon(reader);
}

/* Comments, normals, texture coordinates, groups, materials and other statements of an OBJ file say nothing about the
 * shape. */
static crd_status read_lines(obj_reader *reader) {
  crd_status status = CRD_OK;
  bool more = true;
  while (more && !status) {
    crd_mesh_word word = crd_mesh_text_word(&reader->text);
    if (word.length == 1 && word.text[0] == 'v') status = read_vertex(reader);
    if (word.length == 1 && word.text[0] == 'f') status = read_face(reader);
    if (!status) more = crd_mesh_text_skip_line(&reader->text);
  }
  return status;
}

static crd_status copy_result(const obj_reader *reader, const crd_mesh_source *source, crd_mesh_data *out) {
  if (!reader->nvert)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                         "OBJ file has no vertices; expected lines 'v x y z'");
  crd_mesh_data mesh = {.nvert = (int)reader->nvert, .nface = (int)reader->nface};
  mesh.vert = crd_arena_alloc(source->arena, 3 * reader->nvert, sizeof(double));
  mesh.face = crd_arena_alloc(source->arena, 3 * reader->nface, sizeof(int));
  if (!mesh.vert || !mesh.face) return crd_mesh_no_memory(source);
  memcpy(mesh.vert, reader->vert, 3 * reader->nvert * sizeof(double));
  if (reader->nface) {
    memcpy(mesh.face, reader->face, 3 * reader->nface * sizeof(int));
    crd_status status = crd_mesh_drop_unused(source, &mesh);
    if (status) return status;
  }
  *out = mesh;
  return CRD_OK;
}

crd_status crd_mesh_read_obj(const crd_mesh_source *source, crd_mesh_data *out) {
  obj_reader reader = {0};
  crd_status status = crd_mesh_text_open(&reader.text, source);
  if (!status) status = read_lines(&reader);
  if (!status) status = copy_result(&reader, source, out);
  free(reader.vert);
  free(reader.face);
  free(reader.corner);
  return status;
}
