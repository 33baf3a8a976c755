/* Where a file named inside a model file lies, and whether the model may read it.
 *
 * A model may name other files (includes, meshes). They are looked up relative to a folder and have to lie in the
 * folder of the model or below it, unless the user allows files outside: a model from a stranger must not read the
 * user's files.
 */
#ifndef CRADLE_SRC_IO_PATH_H
#define CRADLE_SRC_IO_PATH_H

#include <cradle/io.h>

/* Who asks, for the check and for messages. */
typedef struct crd_path_scope {
  const char *root;   /* folder that must not be left: that of the model file */
  bool allow_outside; /* the user said that it may be left */
  const char *file;   /* the file that names the path, and the line where it does */
  int line;
} crd_path_scope;

/* The folder that the model must not leave: root as the user gave it, or else the model's own folder. */
static inline const char *crd_path_root(const char *root, const char *folder) { return root ? root : folder; }

/* The folder part of a file name: "a/b/m.xml" gives "a/b", "m.xml" gives ".", "/m.xml" gives "/". NULL: memory is out.
 */
char *crd_path_folder(crd_arena *arena, const char *file);

/* The part behind the last slash (or backslash, as files from Windows have it); points into path. */
const char *crd_path_base(const char *path);

/* The extension behind the last dot of the base name without the dot, "" if there is none; points into path. */
const char *crd_path_extension(const char *path);

/* folder/name, or name alone if it is absolute or folder is "" or "."; backslashes of Windows paths become slashes
 * unless a file of that very name exists. NULL: memory is out. */
char *crd_path_join(crd_arena *arena, const char *folder, const char *name);

/* Files in memory, as if they lay in a folder of that name: the functions below find them before those of the disk. For
 * the calling thread, until it is called with NULL; *files stays the caller's. */
typedef struct crd_path_memory {
  const char *folder; /* without a slash at its end */
  int count;
  const crd_source_file *file; /* names from the folder on, free of "." and ".." */
} crd_path_memory;
void crd_path_mount(const crd_path_memory *files);

/* The path free of links, "." and "..", to be freed; NULL with errno: there is nothing of that name. */
char *crd_path_real(const char *path);

bool crd_path_is_file(const char *path);
bool crd_path_is_folder(const char *path);

/* The file `name` as seen from `folder`: *path is what to open. CRD_ERR_FORMAT: name is empty. CRD_ERR_FILE: there is
 * no such file, or it lies outside scope->root (links followed) and that is not allowed. `what` is the kind of file for
 * messages, e.g. "mesh". */
crd_status crd_path_resolve(crd_arena *arena, const crd_path_scope *scope, const char *what, const char *folder,
                            const char *name, char **path, crd_error *err);

/* Opens path for reading and takes its whole content: *data is size bytes and a terminating zero, in the arena.
 * CRD_ERR_FILE with the reason of the system when it is a folder, cannot be read or is larger than 1 GiB. */
crd_status crd_path_read(crd_arena *arena, const char *path, char **data, size_t *size, crd_error *err);

#endif
