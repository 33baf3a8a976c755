/* Shared by the mesh formats; for the files of this folder only. */
#ifndef CRADLE_SRC_IO_MESH_FORMATS_H
#define CRADLE_SRC_IO_MESH_FORMATS_H

#include "io/mesh/file.h"

/* Largest coordinate, as in MuJoCo: 2^30. */
#define CRD_MESH_LARGEST 1073741824.0

/* A file that is being read. data[size] is zero. */
typedef struct crd_mesh_source {
  const char *path, *data;
  size_t size;
  crd_arena *arena;
  crd_error *err;
} crd_mesh_source;

crd_status crd_mesh_read_stl(const crd_mesh_source *source, crd_mesh_data *out);
crd_status crd_mesh_read_obj(const crd_mesh_source *source, crd_mesh_data *out);
crd_status crd_mesh_read_msh(const crd_mesh_source *source, crd_mesh_data *out);
/* Collada and glTF: by material, or all parts as one. */
crd_status crd_mesh_read_foreign(const crd_mesh_source *source, crd_mesh_part **part, int *count);
crd_status crd_mesh_read_joined(const crd_mesh_source *source, crd_mesh_data *out);

/* Rounds a coordinate to float, minus zero to zero. CRD_ERR_NUMBER: it is not finite or above 2^30; line 0: a binary
 * file. */
crd_status crd_mesh_coordinate(const crd_mesh_source *source, int line, double value, double *rounded);

/* Makes equal vertices one and renumbers the faces; vertices keep the order of their first appearance. */
crd_status crd_mesh_merge_vertices(const crd_mesh_source *source, crd_mesh_data *mesh);

/* Drops vertices that no face uses. */
crd_status crd_mesh_drop_unused(const crd_mesh_source *source, crd_mesh_data *mesh);

crd_status crd_mesh_no_memory(const crd_mesh_source *source);

#endif
