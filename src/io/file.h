/* Whole files in memory, and paths: where a model's includes and meshes may lie. */
#ifndef CRADLE_IO_FILE_H
#define CRADLE_IO_FILE_H

#include <cradle/base.h>

/* Largest file that is read, in bytes. */
#define CRD_FILE_LIMIT ((size_t)1 << 30)

/* The bytes of the file, followed by a zero byte that does not count. CRD_ERR_FILE (missing, a folder, too large),
 * CRD_ERR_MEMORY; *err names the path. */
crd_status crd_file_read(const char *path, crd_arena *arena, char **data, size_t *size, crd_error *err);

/* The folder part of a path with its last slash, "" for a bare name; NULL when memory is out. */
char *crd_path_folder(crd_arena *arena, const char *path);
/* The last part of a path. */
const char *crd_path_base(const char *path);
/* folder + "/" + name, or name alone where it is absolute or the folder is "". */
char *crd_path_join(crd_arena *arena, const char *folder, const char *name);
bool crd_path_is_absolute(const char *path);

/* Does path, with links and ".." resolved, lie in folder ("" is the current one) or below it? A path that does not
 * exist is judged by its text: ".." may not lead above the folder. */
bool crd_path_inside(const char *folder, const char *path);

#endif
