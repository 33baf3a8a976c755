/* Collada and glTF through assimp: the nodes of the file flattened, polygons cut into triangles, one part a material.
 *
 * Lengths come in metres (Collada's unit element is honoured) and axes as the file has them: ROS does not turn Collada's
 * up axis, and glTF's y axis is left alone. Nothing but the file itself is read: what it refers to outside (pictures,
 * buffers) is refused, because a model from a stranger must not read other files. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io/file/path.h"
#include "io/mesh/formats.h"

#ifdef CRADLE_WITH_ASSIMP
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

/* ------------------------------------------------------------------------------------------------ one file in memory */

/* The only file that assimp sees, and how far it has read. */
typedef struct memory_file {
  const crd_mesh_source *source;
  const char *name; /* that assimp asks for it by */
  size_t at;
} memory_file;

static size_t read_some(struct aiFile *file, char *to, size_t size, size_t count) {
  memory_file *memory = (memory_file *)file->UserData;
  const size_t left = memory->source->size - memory->at, most = size ? left / size : 0;
  if (count > most) count = most;
  memcpy(to, memory->source->data + memory->at, count * size);
  memory->at += count * size;
  return count;
}

static size_t write_nothing(struct aiFile *file, const char *from, size_t size, size_t count) {
  (void)file, (void)from, (void)size, (void)count;
  return 0;
}

static size_t tell(struct aiFile *file) { return ((memory_file *)file->UserData)->at; }
static size_t size_of(struct aiFile *file) { return ((memory_file *)file->UserData)->source->size; }
static void flush(struct aiFile *file) { (void)file; }

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin) {
  memory_file *memory = (memory_file *)file->UserData;
  const size_t size = memory->source->size;
  const size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? memory->at : size;
  const size_t at = origin == aiOrigin_END ? size - offset : from + offset;
  if (at > size) return aiReturn_FAILURE;
  memory->at = at;
  return aiReturn_SUCCESS;
}

typedef struct memory_files {
  memory_file memory;
  struct aiFile file;
} memory_files;

static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode) {
  memory_files *files = (memory_files *)io->UserData;
  (void)mode;
  if (strcmp(name, files->memory.name) != 0) return NULL;
  files->memory.at = 0;
  return &files->file;
}

static void close_file(struct aiFileIO *io, struct aiFile *file) { (void)io, (void)file; }

/* ------------------------------------------------------------------------------------------------ taking it over */

static const struct aiScene *import(const crd_mesh_source *source, const char *name) {
  memory_files files = {.memory = {source, name, 0}};
  files.file = (struct aiFile){read_some, write_nothing, tell, size_of, seek, flush, (char *)&files.memory};
  struct aiFileIO io = {open_file, close_file, (char *)&files};
  struct aiPropertyStore *properties = aiCreatePropertyStore();
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  aiSetImportPropertyInteger(properties, AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  const struct aiScene *scene = aiImportFileExWithProperties(
      name,
      aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices | aiProcess_JoinIdenticalVertices,
      &io, properties);
  aiReleasePropertyStore(properties);
  return scene;
}

static crd_status take_mesh(const crd_mesh_source *source, const struct aiMesh *mesh, crd_mesh_data *out) {
  if (mesh->mNumVertices > INT_MAX / 9 || mesh->mNumFaces > INT_MAX / 9)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0, "mesh has %u triangles; expected at most %d",
                         mesh->mNumFaces, INT_MAX / 9);
  crd_mesh_data data = {.nvert = (int)mesh->mNumVertices};
  data.vert = crd_arena_alloc(source->arena, 3 * (size_t)mesh->mNumVertices + 1, sizeof *data.vert);
  data.face = crd_arena_alloc(source->arena, 3 * (size_t)mesh->mNumFaces + 1, sizeof *data.face);
  if (!data.vert || !data.face) return crd_mesh_no_memory(source);
  for (unsigned i = 0; i < mesh->mNumVertices; i++) {
    const double x[3] = {mesh->mVertices[i].x, mesh->mVertices[i].y, mesh->mVertices[i].z};
    for (int k = 0; k < 3; k++) {
      crd_status status = crd_mesh_coordinate(source, 0, x[k], &data.vert[3 * (size_t)i + (size_t)k]);
      if (status) return status;
    }
  }
  for (unsigned f = 0; f < mesh->mNumFaces; f++) {
    const struct aiFace *face = &mesh->mFaces[f];
    if (face->mNumIndices != 3) continue; /* a line or a point */
    for (int k = 0; k < 3; k++) {
      if (face->mIndices[k] >= mesh->mNumVertices)
        return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0, "face %u uses vertex %u; expected 0 to %u",
                             f, face->mIndices[k], mesh->mNumVertices - 1);
      data.face[3 * (size_t)data.nface + (size_t)k] = (int)face->mIndices[k];
    }
    data.nface++;
  }
  *out = data;
  return data.nface > 0 ? crd_mesh_merge_vertices(source, out) : CRD_OK;
}

static void take_colour(const struct aiScene *scene, unsigned material, crd_mesh_part *part) {
  struct aiColor4D colour;
  if (material >= scene->mNumMaterials) return;
  const struct aiMaterial *from = scene->mMaterials[material];
  if (aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &colour) != aiReturn_SUCCESS) return;
  float opacity = colour.a;
  if (aiGetMaterialFloatArray(from, AI_MATKEY_OPACITY, &opacity, NULL) != aiReturn_SUCCESS) opacity = colour.a;
  const double rgba[4] = {colour.r, colour.g, colour.b, opacity};
  for (int k = 0; k < 4; k++) part->rgba[k] = rgba[k] >= 0 && rgba[k] <= 1 ? rgba[k] : 1;
  part->coloured = true;
}

static crd_status take_scene(const crd_mesh_source *source, const struct aiScene *scene, crd_mesh_part **out,
                             int *count) {
  crd_mesh_part *part = crd_arena_alloc(source->arena, (size_t)scene->mNumMeshes + 1, sizeof *part);
  if (!part) return crd_mesh_no_memory(source);
  int taken = 0;
  for (unsigned i = 0; i < scene->mNumMeshes; i++) {
    crd_mesh_part *to = &part[taken];
    crd_status status = take_mesh(source, scene->mMeshes[i], &to->mesh);
    if (status) return status;
    take_colour(scene, scene->mMeshes[i]->mMaterialIndex, to);
    taken += to->mesh.nface > 0;
  }
  if (taken == 0)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0, "file has no triangles; expected at least one");
  *out = part, *count = taken;
  return CRD_OK;
}

crd_status crd_mesh_read_foreign(const crd_mesh_source *source, crd_mesh_part **part, int *count) {
  const struct aiScene *scene = import(source, crd_path_base(source->path));
  if (!scene)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0,
                         "found '%.200s', expected a whole %s file without parts outside it", aiGetErrorString(),
                         strcmp(crd_path_extension(source->path), "dae") == 0 ? "Collada" : "glTF");
  crd_status status = take_scene(source, scene, part, count);
  aiReleaseImport(scene);
  return status;
}
#else
crd_status crd_mesh_read_foreign(const crd_mesh_source *source, crd_mesh_part **part, int *count) {
  (void)part, (void)count;
  return crd_error_set(source->err, CRD_ERR_FILE, source->path, 0,
                       "this cradle was built without assimp (CRADLE_WITH_ASSIMP=OFF); expected .stl, .obj or .msh");
}
#endif

/* All parts of the file as one mesh. */
crd_status crd_mesh_read_joined(const crd_mesh_source *source, crd_mesh_data *out) {
  crd_mesh_part *part;
  int count;
  crd_status status = crd_mesh_read_foreign(source, &part, &count);
  if (status) return status;
  size_t nvert = 0, nface = 0;
  for (int i = 0; i < count; i++) nvert += (size_t)part[i].mesh.nvert, nface += (size_t)part[i].mesh.nface;
  if (nvert > INT_MAX / 9 || nface > INT_MAX / 9)
    return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, 0, "file has %zu triangles; expected at most %d",
                         nface, INT_MAX / 9);
  crd_mesh_data mesh = {0};
  mesh.vert = crd_arena_alloc(source->arena, 3 * nvert + 1, sizeof *mesh.vert);
  mesh.face = crd_arena_alloc(source->arena, 3 * nface + 1, sizeof *mesh.face);
  if (!mesh.vert || !mesh.face) return crd_mesh_no_memory(source);
  for (int i = 0; i < count; i++) {
    const crd_mesh_data *from = &part[i].mesh;
    memcpy(mesh.vert + 3 * (size_t)mesh.nvert, from->vert, 3 * (size_t)from->nvert * sizeof *mesh.vert);
    for (size_t k = 0; k < 3 * (size_t)from->nface; k++)
      mesh.face[3 * (size_t)mesh.nface + k] = from->face[k] + mesh.nvert;
    mesh.nvert += from->nvert, mesh.nface += from->nface;
  }
  *out = mesh;
  return crd_mesh_merge_vertices(source, out);
}
