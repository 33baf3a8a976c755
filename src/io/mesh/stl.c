/* STL, binary and text.
 *
 * Binary: 80 bytes of anything, uint32 n, then n times 50 bytes: normal, three vertices (float32 each), two bytes; so
 * the file has 84 + 50 n bytes, and that decides: many binary files begin with the word "solid" of the text format.
 * Normals are not used, the order of the vertices says where outside is. STL repeats each vertex for each triangle;
 * equal ones are merged.
 */
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "io/mesh/bytes.h"
#include "io/mesh/formats.h"
#include "io/mesh/text.h"

enum { HEADER = 84, TRIANGLE = 50, LARGEST = INT_MAX / 9 };

/* Room for n triangles whose vertices are all different, in a scratch arena; the result is copied when its size is
 * known. */
static bool allocate(crd_arena *arena, crd_mesh_data *mesh, size_t n) {
  mesh->vert = crd_arena_alloc(arena, 9 * n, sizeof *mesh->vert);
  mesh->face = crd_arena_alloc(arena, 3 * n, sizeof *mesh->face);
  return mesh->vert && mesh->face;
}

static crd_status finish(const crd_mesh_source *source, crd_mesh_data *mesh, crd_mesh_data *out) {
  for (int i = 0; i < mesh->nvert; i++) mesh->face[i] = i;
  mesh->nface = mesh->nvert / 3;
  crd_status status = crd_mesh_merge_vertices(source, mesh);
  if (status) return status;
  crd_mesh_data result = {.nvert = mesh->nvert, .nface = mesh->nface};
  size_t nvert = (size_t)mesh->nvert, nface = (size_t)mesh->nface;
  result.vert = crd_arena_alloc(source->arena, 3 * nvert, sizeof *result.vert);
  result.face = crd_arena_alloc(source->arena, 3 * nface, sizeof *result.face);
  if (!result.vert || !result.face) return crd_mesh_no_memory(source);
  memcpy(result.vert, mesh->vert, 3 * nvert * sizeof *result.vert);
  memcpy(result.face, mesh->face, 3 * nface * sizeof *result.face);
  *out = result;
  return CRD_OK;
}

static crd_status read_binary(const crd_mesh_source *source, size_t n, crd_arena *scratch, crd_mesh_data *out) {
  if (n < 1 || n > LARGEST)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0, "STL file has %zu triangles; expected 1 to %d",
                         n, LARGEST);
  crd_mesh_data mesh = {.nvert = (int)(3 * n)};
  if (!allocate(scratch, &mesh, n)) return crd_mesh_no_memory(source);
  for (size_t i = 0; i < 9 * n; i++) {
    const char *at = source->data + HEADER + TRIANGLE * (i / 9) + 12 + 4 * (i % 9);
    crd_status status = crd_mesh_coordinate(source, 0, crd_bytes_float(at), &mesh.vert[i]);
    if (status) return status;
  }
  return finish(source, &mesh, out);
}

static crd_status expect(crd_mesh_text *text, const char *keyword, const char *expected) {
  crd_mesh_word word = crd_mesh_text_next(text);
  return crd_mesh_word_is(word, keyword) ? CRD_OK : crd_mesh_text_unexpected(text, word, expected);
}

/* normal x y z, outer loop, three times vertex x y z, endloop, endfacet; the word facet has been read. The normal is
 * skipped with its line, for some programs write "nan" into it. */
static crd_status read_facet(crd_mesh_text *text, double vertex[9]) {
  crd_status status = expect(text, "normal", "'normal' after 'facet'");
  if (status) return status;
  crd_mesh_text_skip_line(text);
  if ((status = expect(text, "outer", "'outer loop'")) || (status = expect(text, "loop", "'outer loop'")))
    return status;
  for (int i = 0; i < 3; i++) {
    if ((status = expect(text, "vertex", "'vertex x y z', three a facet"))) return status;
    for (int k = 0; k < 3; k++)
      if ((status = crd_mesh_text_coordinate(text, &vertex[3 * i + k]))) return status;
  }
  if ((status = expect(text, "endloop", "'endloop' after three vertices"))) return status;
  return expect(text, "endfacet", "'endfacet'");
}

static crd_status read_solids(crd_mesh_text *text, size_t most, crd_mesh_data *mesh) {
  bool open = false;
  for (;;) {
    crd_mesh_word word = crd_mesh_text_next(text);
    if (!word.length && !open) return CRD_OK;
    if (open && crd_mesh_word_is(word, "facet")) {
      if ((size_t)mesh->nvert + 3 > 3 * most) return crd_mesh_text_unexpected(text, word, "fewer facets");
      crd_status status = read_facet(text, mesh->vert + 3 * (size_t)mesh->nvert);
      if (status) return status;
      mesh->nvert += 3;
    } else if (crd_mesh_word_is(word, open ? "endsolid" : "solid")) {
      open = !open;
      crd_mesh_text_skip_line(text); /* the name */
    } else {
      return crd_mesh_text_unexpected(text, word, open ? "'facet' or 'endsolid'" : "'solid'");
    }
  }
}

static crd_status read_text(const crd_mesh_source *source, crd_arena *scratch, crd_mesh_data *out) {
  crd_mesh_text text;
  crd_status status = crd_mesh_text_open(&text, source);
  if (status) return status;
  /* A facet has at least the letters of its words: "facet normal", "outer loop", three "vertex 0 0 0", ... */
  size_t most = source->size / 60 + 1;
  if (most > LARGEST) most = LARGEST;
  crd_mesh_data mesh = {0};
  if (!allocate(scratch, &mesh, most)) return crd_mesh_no_memory(source);
  status = read_solids(&text, most, &mesh);
  if (status) return status;
  if (mesh.nvert == 0)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, text.line, "found no facet; expected at least one");
  return finish(source, &mesh, out);
}

static bool begins_with_solid(const crd_mesh_source *source) {
  const char *at = source->data;
  while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
  return strncasecmp(at, "solid", 5) == 0;
}

crd_status crd_mesh_read_stl(const crd_mesh_source *source, crd_mesh_data *out) {
  crd_arena scratch = {0};
  crd_status status;
  uint64_t n = source->size >= HEADER ? crd_bytes_u32(source->data + 80) : 0, expected = HEADER + TRIANGLE * n;
  if (source->size >= HEADER && source->size == expected) {
    status = read_binary(source, (size_t)n, &scratch, out);
  } else if (begins_with_solid(source)) {
    status = read_text(source, &scratch, out);
  } else if (source->size < HEADER) {
    status = crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                           "STL file has %zu bytes; expected the word 'solid' or a binary header of %d bytes",
                           source->size, HEADER);
  } else {
    status =
        crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                      "STL file has %zu bytes; expected %llu for the %llu triangles of its header, or the word 'solid'",
                      source->size, (unsigned long long)expected, (unsigned long long)n);
  }
  crd_arena_free(&scratch);
  return status;
}
