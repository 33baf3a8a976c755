/* Triangle meshes from files: STL (binary and text), Wavefront OBJ, MuJoCo's MSH, and through assimp Collada and glTF. */
#ifndef CRADLE_SRC_IO_MESH_FILE_H
#define CRADLE_SRC_IO_MESH_FILE_H

#include <cradle/base.h>

/* Vertices and triangles (three vertex ids each, counter-clockwise seen from outside), in the arena given to the
 * reader.
 *
 * Coordinates are doubles with the value of a float. STL and MSH store floats, and MuJoCo rounds those of OBJ to float
 * too: a shape has the same volume and inertia whichever format it comes in and whichever of the two programs reads it.
 * The price is a relative error of 6e-8 in an OBJ file's coordinates. */
typedef struct crd_mesh_data {
  int nvert, nface;
  double *vert; /* nvert x 3 */
  int *face;    /* nface x 3; a file may have none, then the mesh is the hull of its vertices */
} crd_mesh_data;

/* Reads a mesh file; the ending (.stl, .obj, .msh, .dae, .glb, .gltf in any case) says the format, the content decides between binary and
 * text STL. CRD_ERR_FILE: cannot be read or its format is not supported. CRD_ERR_FORMAT, CRD_ERR_NUMBER: the content is
 * broken; *err names the file, the line (text formats), what was found and what was expected. *out is untouched on
 * failure. */
crd_status crd_mesh_file_read(const char *path, crd_arena *arena, crd_mesh_data *out, crd_error *err);

/* The same from memory: size bytes followed by a zero byte that does not count. path is for the ending and for
 * messages. */
crd_status crd_mesh_file_parse(const char *path, const char *data, size_t size, crd_arena *arena, crd_mesh_data *out,
                               crd_error *err);

/* A piece of a mesh file with its own material. */
typedef struct crd_mesh_part {
  crd_mesh_data mesh;
  bool coloured;
  double rgba[4]; /* 0..1, where it is coloured */
} crd_mesh_part;

/* Reads a mesh file in its parts, for show; formats without colours have one. Failures as crd_mesh_file_read. */
crd_status crd_mesh_file_parts(const char *path, crd_arena *arena, crd_mesh_part **part, int *count, crd_error *err);

/* Can a file of this name be read as a mesh, judged by its ending? */
bool crd_mesh_file_known(const char *path);

/* Moves the mesh so that the frame (pos, quat) becomes its own, then stretches it; the coordinates are rounded to float
 * after each of the three steps, as MuJoCo does. A mirroring scale turns the triangles round, so that they face
 * outwards again. */
void crd_mesh_transform(crd_mesh_data *mesh, const double pos[3], const double quat[4], const double scale[3]);

#endif
