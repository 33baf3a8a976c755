/* Reads whole files and decides whether a path stays inside a folder.
 *
 * A file is judged by where it really is: realpath resolves links and "..", so that neither a link nor a detour leads
 * out of the model's folder. What does not exist cannot be resolved; for it the text of the path decides, so that the
 * message is about the path that leaves the folder whether or not something is there.
 */
#define _GNU_SOURCE /* realpath */
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

crd_status crd_file_read(const char *path, crd_arena *arena, char **data, size_t *size, crd_error *err) {
  struct stat info;
  if (stat(path, &info) != 0)
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "cannot open the file: %s", strerror(errno));
  if (!S_ISREG(info.st_mode))
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "found a folder or device, expected a file");
  if ((unsigned long long)info.st_size > CRD_FILE_LIMIT)
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "the file has %lld bytes, expected at most %zu",
                         (long long)info.st_size, CRD_FILE_LIMIT);
  FILE *file = fopen(path, "rb");
  if (!file) return crd_error_set(err, CRD_ERR_FILE, path, 0, "cannot open the file: %s", strerror(errno));
  size_t expected = (size_t)info.st_size;
  char *bytes = crd_arena_alloc(arena, expected + 1, 1);
  size_t found = bytes ? fread(bytes, 1, expected, file) : 0;
  fclose(file);
  if (!bytes) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory for %zu bytes", expected);
  if (found != expected)
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "found %zu bytes, expected %zu", found, expected);
  *data = bytes;
  *size = expected;
  return CRD_OK;
}

const char *crd_path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *crd_path_folder(crd_arena *arena, const char *path) {
  size_t length = (size_t)(crd_path_base(path) - path);
  char *folder = crd_arena_alloc(arena, length + 1, 1);
  if (folder) memcpy(folder, path, length);
  return folder;
}

bool crd_path_is_absolute(const char *path) { return path[0] == '/'; }

char *crd_path_join(crd_arena *arena, const char *folder, const char *name) {
  size_t head = crd_path_is_absolute(name) ? 0 : strlen(folder), tail = strlen(name);
  char *path = crd_arena_alloc(arena, head + tail + 2, 1);
  if (!path) return NULL;
  memcpy(path, folder, head);
  if (head && path[head - 1] != '/') path[head++] = '/';
  memcpy(path + head, name, tail);
  return path;
}

/* Counts the ".." of a relative path: does it ever climb above where it starts? */
static bool climbs_out(const char *path) {
  int depth = 0;
  while (*path) {
    size_t length = strcspn(path, "/");
    if (length == 2 && path[0] == '.' && path[1] == '.') {
      if (--depth < 0) return true;
    } else if (length > 0 && !(length == 1 && path[0] == '.')) {
      depth++;
    }
    path += length;
    if (*path) path++;
  }
  return false;
}

bool crd_path_inside(const char *folder, const char *path) {
  const char *home = folder[0] ? folder : ".";
  char *real_home = realpath(home, NULL), *real_path = realpath(path, NULL);
  bool inside = false;
  if (real_home && real_path) {
    size_t length = strlen(real_home);
    bool is_root = length == 1;
    inside =
        is_root || (strncmp(real_path, real_home, length) == 0 && (real_path[length] == '/' || !real_path[length]));
  } else if (strncmp(path, folder, strlen(folder)) == 0) {
    const char *rest = path + strlen(folder);
    while (folder[0] && *rest == '/') rest++;
    inside = !crd_path_is_absolute(rest) && !climbs_out(rest);
  }
  free(real_home);
  free(real_path);
  return inside;
}
