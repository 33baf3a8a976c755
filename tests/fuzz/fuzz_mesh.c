/* Fuzzes the mesh readers: the first byte chooses the format, the rest is the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"fuzz.stl", "fuzz.obj", "fuzz.msh"};
  if (size == 0) return 0;
  char *text = malloc(size); /* one byte goes, the terminating zero comes */
  if (!text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;
  crd_arena arena = {0};
  crd_mesh_data mesh = {0};
  crd_error err;
  const double pos[3] = {1, 2, 3}, quat[4] = {1, 1, 0, 0}, scale[3] = {1, -2, 3};
  if (!crd_mesh_file_parse(names[data[0] % 3], text, size - 1, &arena, &mesh, &err))
    crd_mesh_transform(&mesh, pos, quat, scale);
  crd_arena_free(&arena);
  free(text);
  return 0;
}
