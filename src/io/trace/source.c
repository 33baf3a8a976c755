/* The files of a model as bytes, and a model from such bytes: what makes a trace independent of where it came from.
 *
 * Files are named relative to the folder they have in common. They are read again from memory, and the
 * model may read nothing else.
 */
#define _XOPEN_SOURCE 700
#include <string.h>
#include <unistd.h>

#include "io/file/path.h"
#include "io/trace/trace.h"

/* ------------------------------------------------------------------------------------------------ taking */

/* The path from the root without "." and "..", as text in the arena. Links are not followed: the model names its files
 * by the names they have. */
static char *absolute(crd_arena *arena, const char *path) {
  char here[4096] = "";
  if (path[0] != '/' && !getcwd(here, sizeof here)) return NULL;
  char *whole = crd_arena_alloc(arena, strlen(here) + strlen(path) + 2, 1);
  char *clean = crd_arena_alloc(arena, strlen(here) + strlen(path) + 3, 1);
  if (!whole || !clean) return NULL;
  strcat(strcat(strcpy(whole, here), "/"), path);
  size_t length = 0;
  for (const char *at = whole; *at;) {
    size_t word = strcspn(at, "/");
    if (word == 2 && at[0] == '.' && at[1] == '.') {
      while (length > 0 && clean[--length] != '/') continue;
    } else if (word > 0 && !(word == 1 && at[0] == '.')) {
      clean[length++] = '/';
      memcpy(clean + length, at, word);
      length += word;
    }
    at += word + (at[word] == '/');
  }
  clean[length] = 0;
  return clean;
}

/* Length of the folder that all names have in common, its last slash included. */
static size_t common_folder(int count, char *const *name) {
  size_t common = 0;
  for (size_t i = 0; name[0][i]; i++) {
    for (int k = 1; k < count; k++)
      if (name[k][i] != name[0][i]) return common;
    if (name[0][i] == '/') common = i + 1;
  }
  return common;
}

crd_status crd_io_source_files(int count, const char *const *path, crd_arena *arena, const crd_source_file **out,
                               crd_error *err) {
  crd_source_file *file = crd_arena_alloc(arena, (size_t)count + 1, sizeof *file);
  char **name = crd_arena_alloc(arena, (size_t)count + 1, sizeof *name);
  if (!file || !name) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the files of the model");
  for (int i = 0; i < count; i++)
    if (!(name[i] = absolute(arena, path[i])))
      return crd_error_set(err, CRD_ERR_MEMORY, path[i], 0, "no memory for the files of the model");
  const size_t common = count ? common_folder(count, name) : 0;
  for (int i = 0; i < count; i++) {
    char *data;
    size_t size;
    crd_status status = crd_path_read(arena, path[i], &data, &size, err);
    if (status) return status;
    file[i] = (crd_source_file){.name = name[i] + common, .data = data, .size = size};
  }
  *out = file;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ reading again */

/* The model, or its visuals where the argument is not NULL: from the files of the trace only. */
static crd_status read_again(const crd_trace *trace, crd_model **model, crd_visuals *visuals, crd_error *err) {
  static const char FOLDER[] = "trace:";
  const crd_trace_header *header = &trace->header;
  if (header->nfile == 0)
    return crd_error_set(err, CRD_ERR_FORMAT, NULL, 0, "the trace of '%.200s' holds no model", header->input);
  const crd_path_memory files = {FOLDER, header->nfile, header->file};
  crd_read_options options = crd_io_read_default();
  options.lenient = header->lenient, options.root = FOLDER;
  crd_arena arena = {0};
  const char *path = crd_path_join(&arena, FOLDER, header->file[0].name);
  crd_status status = path ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  crd_path_mount(&files);
  if (!status && visuals)
    status = crd_io_read_visuals(path, &options, visuals, err);
  else if (!status)
    status = crd_io_read_model(path, &options, model, NULL, err);
  crd_path_mount(NULL);
  crd_arena_free(&arena);
  return status;
}

crd_status crd_io_trace_model(const crd_trace *trace, crd_model **model, crd_error *err) {
  *model = NULL;
  crd_status status = read_again(trace, model, NULL, err);
  if (status || strcmp(trace->header.formulation, "full") != 0) return status;
  crd_model *tree = *model;
  status = crd_model_maximal(tree, model, err);
  crd_model_free(tree);
  return status;
}

/* Does the file that the trace was made from still stand there, as it was? */
static bool is_still_there(const crd_trace_header *header) {
  crd_arena scratch = {0};
  char *data = NULL;
  size_t size = 0;
  const bool same = header->nfile > 0 && crd_path_is_file(header->input) &&
                    crd_path_read(&scratch, header->input, &data, &size, NULL) == CRD_OK &&
                    size == header->file[0].size && memcmp(data, header->file[0].data, size) == 0;
  crd_arena_free(&scratch);
  return same;
}

crd_status crd_io_trace_visuals(const crd_trace *trace, crd_visuals *visuals, crd_error *err) {
  crd_read_options options = crd_io_read_default();
  options.lenient = trace->header.lenient;
  *visuals = (crd_visuals){0};
  if (is_still_there(&trace->header) && crd_io_read_visuals(trace->header.input, &options, visuals, NULL) == CRD_OK)
    return CRD_OK;
  return read_again(trace, NULL, visuals, err);
}
