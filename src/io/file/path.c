/* Paths inside model files: join, containment in the model's folder, reading a whole file. */
#define _XOPEN_SOURCE 700
#include "io/file/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_LIMIT_MIB = 1024 };

const char *crd_path_base(const char *path) {
  const char *base = path;
  for (const char *c = path; *c; c++)
    if (*c == '/' || *c == '\\') base = c + 1;
  return base;
}

const char *crd_path_extension(const char *path) {
  const char *dot = strrchr(crd_path_base(path), '.');
  return dot ? dot + 1 : "";
}

char *crd_path_folder(crd_arena *arena, const char *file) {
  const char *slash = strrchr(file, '/');
  if (!slash) return crd_arena_string(arena, ".");
  char *folder = crd_arena_string(arena, file);
  if (folder) folder[slash == file ? 1 : slash - file] = 0;
  return folder;
}

bool crd_path_is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool crd_path_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char *crd_path_join(crd_arena *arena, const char *folder, const char *name) {
  bool alone = name[0] == '/' || !folder[0] || strcmp(folder, ".") == 0;
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = crd_arena_alloc(arena, size, 1);
  if (!path) return NULL;
  const char *slash = folder[0] && folder[strlen(folder) - 1] == '/' ? "" : "/";
  snprintf(path, size, "%s%s%s", alone ? "" : folder, alone ? "" : slash, name);
  if (strchr(name, '\\') && !crd_path_is_file(path)) {
    for (char *c = path; *c; c++)
      if (*c == '\\') *c = '/';
  }
  return path;
}

/* Is the existing path root itself or below it? Both absolute and free of links. */
static bool is_below(const char *root, const char *path) {
  size_t length = strlen(root);
  if (length == 1) return true; /* root is "/" */
  return strncmp(root, path, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Does a path that does not exist climb out of folder by its ".." alone? */
static bool climbs_out(const char *name) {
  int depth = 0;
  for (const char *part = name; *part;) {
    size_t length = strcspn(part, "/");
    if (length == 2 && part[0] == '.' && part[1] == '.') {
      if (--depth < 0) return true;
    } else if (length > 0 && !(length == 1 && part[0] == '.')) {
      depth++;
    }
    part += length;
    while (*part == '/') part++;
  }
  return false;
}

static crd_status outside(const crd_path_scope *scope, const char *what, const char *name, crd_error *err) {
  return crd_error_set(err, CRD_ERR_FILE, scope->file, scope->line,
                       "%s file '%.200s' lies outside the model's folder; expected a file in '%.100s' or below it, or "
                       "permission to read outside",
                       what, name, scope->root);
}

crd_status crd_path_resolve(crd_arena *arena, const crd_path_scope *scope, const char *what, const char *folder,
                            const char *name, char **path, crd_error *err) {
  *path = NULL;
  if (!name[0])
    return crd_error_set(err, CRD_ERR_FORMAT, scope->file, scope->line, "%s file name is empty; expected a path", what);
  char *joined = crd_path_join(arena, folder, name);
  if (!joined) return crd_error_set(err, CRD_ERR_MEMORY, scope->file, scope->line, "out of memory");

  char *real = realpath(joined, NULL);
  if (!real) {
    int reason = errno;
    if (!scope->allow_outside && (name[0] == '/' || climbs_out(name))) return outside(scope, what, name, err);
    return crd_error_set(err, CRD_ERR_FILE, scope->file, scope->line, "%s file '%.300s' cannot be found: %s", what,
                         joined, strerror(reason));
  }
  bool inside = scope->allow_outside;
  if (!inside) {
    char *root = realpath(scope->root, NULL);
    inside = root && is_below(root, real);
    free(root);
  }
  free(real);
  if (!inside) return outside(scope, what, name, err);
  *path = joined;
  return CRD_OK;
}

/* The size of a regular file; a pipe is refused before it is opened, for opening one can block for ever. */
static crd_status file_size(const char *path, size_t *size, crd_error *err) {
  struct stat info;
  if (stat(path, &info) != 0) return crd_error_set(err, CRD_ERR_FILE, path, 0, "cannot be opened: %s", strerror(errno));
  if (!S_ISREG(info.st_mode))
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "is a %s; expected a regular file",
                         S_ISDIR(info.st_mode) ? "folder" : "device or pipe");
  if (info.st_size > (off_t)FILE_LIMIT_MIB << 20)
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "has %lld bytes; expected at most %d MiB", (long long)info.st_size,
                         FILE_LIMIT_MIB);
  *size = (size_t)info.st_size;
  return CRD_OK;
}

crd_status crd_path_read(crd_arena *arena, const char *path, char **data, size_t *size, crd_error *err) {
  *data = NULL, *size = 0;
  size_t expected = 0;
  crd_status status = file_size(path, &expected, err);
  if (status) return status;
  char *buffer = crd_arena_alloc(arena, expected + 1, 1);
  if (!buffer) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory for %zu bytes", expected);
  FILE *stream = fopen(path, "rb");
  if (!stream) return crd_error_set(err, CRD_ERR_FILE, path, 0, "cannot be opened: %s", strerror(errno));
  size_t got = fread(buffer, 1, expected, stream);
  bool failed = ferror(stream);
  int reason = errno;
  fclose(stream);
  if (failed) return crd_error_set(err, CRD_ERR_FILE, path, 0, "cannot be read: %s", strerror(reason));
  buffer[got] = 0;
  *data = buffer, *size = got;
  return CRD_OK;
}
