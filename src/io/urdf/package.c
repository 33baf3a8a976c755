/* Which file does the filename of a mesh mean?
 *
 *   package://NAME/PATH   PATH in the package NAME (model:// alike). A package is a folder of that name, or one whose
 *                         package.xml says that name; it is searched in the package paths of the options, then from the
 *                         folder of the URDF file upwards. The file must lie in the package.
 *   file://PATH, PATH     PATH from the folder of the URDF file (or its meshdir); the file must lie in that folder.
 *
 * Where that file does not exist, a file of the same bare name in meshdir is taken: that is how MuJoCo finds meshes of
 * URDF files. `strippath` of MuJoCo's extension makes this the only way ("true") or forbids it ("false"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/path.h"
#include "io/urdf/parts.h"

/* A name in a package, and the best file found for it so far. */
typedef struct package_search {
  crd_urdf_reader *reader;
  crd_path_scope scope;
  const char *package, *rest;
  char *path;    /* the file */
  crd_error err; /* of the first package without it */
  bool found_package;
} package_search;

/* Does package.xml in the folder say <name>package</name>? */
static bool says_name(crd_arena *arena, const char *folder, const char *package) {
  char *manifest = crd_path_join(arena, folder, "package.xml"), *text = NULL;
  size_t size = 0;
  if (!manifest || !crd_path_is_file(manifest) || crd_path_read(arena, manifest, &text, &size, NULL)) return false;
  const char *name = strstr(text, "<name>");
  if (!name) return false;
  name += strlen("<name>");
  name += strspn(name, " \t\r\n");
  size_t length = strlen(package);
  return strncmp(name, package, length) == 0 && strchr("< \t\r\n", name[length]) != NULL && name[length] != 0;
}

/* Tries the folder as the package's. */
static void try_package(package_search *search, const char *folder) {
  if (search->path || !folder || !crd_path_is_folder(folder)) return;
  crd_path_scope scope = search->scope;
  scope.root = folder;
  crd_error err = {0};
  crd_path_resolve(&search->reader->doc->arena, &scope, "mesh", folder, search->rest, &search->path, &err);
  if (!search->path && !search->found_package) search->err = err;
  search->found_package = true;
}

/* The package may be the folder itself, by its name or its package.xml, or a folder in it. */
static void try_folder(package_search *search, const char *folder) {
  crd_arena *arena = &search->reader->doc->arena;
  if (search->path) return;
  if (strcmp(crd_path_base(folder), search->package) == 0 || says_name(arena, folder, search->package))
    try_package(search, folder);
  if (!search->path) try_package(search, crd_path_join(arena, folder, search->package));
}

static void search_upwards(package_search *search) {
  char *folder = crd_path_real(search->reader->doc->folder);
  if (!folder) return;
  for (;;) {
    try_folder(search, folder);
    char *slash = strrchr(folder, '/');
    if (search->path || !slash || slash == folder) break;
    *slash = 0;
  }
  free(folder);
}

static char *package_file(crd_urdf_reader *reader, const crd_path_scope *scope, const char *uri, const char *name,
                          crd_error *err) {
  char *package = crd_arena_string(&reader->doc->arena, name);
  if (!package) {
    crd_error_set(err, CRD_ERR_MEMORY, scope->file, scope->line, "no memory left");
    return NULL;
  }
  size_t length = strcspn(package, "/");
  const char *rest = name + length + (name[length] == '/');
  package[length] = 0;
  if (length == 0 || package[0] == '.' || !rest[0]) {
    crd_error_set(err, CRD_ERR_FORMAT, scope->file, scope->line,
                  "<mesh> filename: found '%.200s', expected package://NAME/PATH", uri);
    return NULL;
  }
  package_search search = {.reader = reader, .scope = *scope, .package = package, .rest = rest};
  for (int i = 0; i < reader->options->npackage_path; i++) try_folder(&search, reader->options->package_path[i]);
  search_upwards(&search);
  if (search.path) return search.path;
  if (search.found_package) {
    *err = search.err;
  } else {
    crd_error_set(
        err, CRD_ERR_FILE, scope->file, scope->line,
        "<mesh> filename: found '%.200s', expected a package '%.60s' in a package path or above the model's folder",
        uri, package);
  }
  return NULL;
}

static const char *behind(const char *text, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* The file as the URI says. */
static char *stated_file(crd_urdf_reader *reader, const crd_path_scope *scope, const char *folder, const char *uri,
                         crd_error *err) {
  const char *name = behind(uri, "package://");
  if (!name) name = behind(uri, "model://");
  if (name) name += strspn(name, "/"); /* package:///NAME is met too */
  if (name) return package_file(reader, scope, uri, name, err);
  name = behind(uri, "file://");
  if (!name) name = uri;
  if (strstr(name, "://")) {
    crd_error_set(err, CRD_ERR_FILE, scope->file, scope->line,
                  "<mesh> filename: found '%.200s', expected package://, file:// or a path", uri);
    return NULL;
  }
  char *path = NULL;
  crd_path_resolve(&reader->doc->arena, scope, "mesh", folder, name, &path, err);
  return path;
}

char *crd_urdf_mesh_path(crd_urdf_reader *reader, const crd_xml_node *node, const char *filename, crd_error *err) {
  crd_path_scope scope = {crd_path_root(reader->options->root, reader->doc->folder), reader->options->allow_outside,
                          node->file, node->line};
  char *folder = crd_path_join(&reader->doc->arena, reader->doc->folder, reader->meshdir);
  if (!folder) {
    crd_error_set(err, CRD_ERR_MEMORY, node->file, node->line, "no memory left");
    return NULL;
  }
  char *path = NULL;
  if (!reader->strip_path) {
    path = stated_file(reader, &scope, folder, filename, err);
    if (path || reader->keep_path || err->status != CRD_ERR_FILE) return path;
  }
  crd_error bare = {0};
  crd_path_resolve(&reader->doc->arena, &scope, "mesh", folder, crd_path_base(filename), &path, &bare);
  if (!path && reader->strip_path) *err = bare;
  return path;
}
