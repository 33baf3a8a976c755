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

/* ------------------------------------------------------------------------------------------------ files in memory */

static _Thread_local const crd_path_memory *mounted;

void crd_path_mount(const crd_path_memory *files) { mounted = files; }

/* The part of path behind the folder of the files in memory; NULL: path lies on the disk. */
static const char *in_memory(const char *path) {
  const size_t length = mounted ? strlen(mounted->folder) : 0;
  if (!mounted || strncmp(path, mounted->folder, length) != 0 || (path[length] && path[length] != '/')) return NULL;
  return path + length;
}

/* path without "." and ".."; one that climbs out of the folder is not there. */
static char *plain_path(const char *path, const char *behind) {
  char *plain = malloc(strlen(path) + 2);
  if (!plain) return NULL;
  const size_t folder = (size_t)(behind - path);
  size_t length = folder;
  memcpy(plain, path, folder);
  for (const char *at = behind; *at;) {
    const size_t word = strcspn(at, "/");
    if (word == 2 && at[0] == '.' && at[1] == '.') {
      if (length == folder) return free(plain), errno = ENOENT, NULL;
      while (plain[--length] != '/') continue;
    } else if (word > 0 && !(word == 1 && at[0] == '.')) {
      plain[length++] = '/';
      memcpy(plain + length, at, word);
      length += word;
    }
    at += word + (at[word] == '/');
  }
  plain[length] = 0;
  return plain;
}

/* The file of that path; *is_folder where files lie in it. NULL with errno: it is none. */
static const crd_source_file *find_in_memory(const char *path, const char *behind, bool *is_folder) {
  char *plain = plain_path(path, behind);
  const crd_source_file *found = NULL;
  *is_folder = false;
  if (!plain) return NULL;
  const char *name = plain + (behind - path) + 1; /* behind the slash; of the folder itself, behind its end */
  const size_t length = name[-1] ? strlen(name) : 0;
  for (int i = 0; i < mounted->count && !found; i++) {
    const char *own = mounted->file[i].name;
    if (length > 0 && strcmp(own, name) == 0) found = &mounted->file[i];
    *is_folder = *is_folder || length == 0 || (strncmp(own, name, length) == 0 && own[length] == '/');
  }
  free(plain);
  errno = ENOENT;
  return found;
}

/* ------------------------------------------------------------------------------------------------ existing files */

static bool has_mode(const char *path, mode_t kind) {
  struct stat info;
  const char *behind = in_memory(path);
  bool is_folder;
  if (!behind) return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
  const bool is_file = find_in_memory(path, behind, &is_folder);
  return kind == S_IFREG ? is_file : is_folder;
}

bool crd_path_is_file(const char *path) { return has_mode(path, S_IFREG); }

bool crd_path_is_folder(const char *path) { return has_mode(path, S_IFDIR); }

char *crd_path_real(const char *path) {
  const char *behind = in_memory(path);
  bool is_folder;
  if (!behind) return realpath(path, NULL);
  return find_in_memory(path, behind, &is_folder) || is_folder ? plain_path(path, behind) : NULL;
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

  char *real = crd_path_real(joined);
  if (!real) {
    int reason = errno;
    if (!scope->allow_outside && (name[0] == '/' || climbs_out(name))) return outside(scope, what, name, err);
    return crd_error_set(err, CRD_ERR_FILE, scope->file, scope->line, "%s file '%.300s' cannot be found: %s", what,
                         joined, strerror(reason));
  }
  bool inside = scope->allow_outside;
  if (!inside) {
    char *root = crd_path_real(scope->root);
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

static crd_status copy_from_memory(crd_arena *arena, const char *path, const char *behind, char **data, size_t *size,
                                   crd_error *err) {
  bool is_folder;
  const crd_source_file *file = find_in_memory(path, behind, &is_folder);
  if (!file) return crd_error_set(err, CRD_ERR_FILE, path, 0, "cannot be opened: %s", strerror(errno));
  if (!(*data = crd_arena_alloc(arena, file->size + 1, 1)))
    return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory for %zu bytes", file->size);
  if (file->size > 0) memcpy(*data, file->data, file->size);
  *size = file->size;
  return CRD_OK;
}

crd_status crd_path_read(crd_arena *arena, const char *path, char **data, size_t *size, crd_error *err) {
  *data = NULL, *size = 0;
  const char *behind = in_memory(path);
  if (behind) return copy_from_memory(arena, path, behind, data, size, err);
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
