/* The files of a model as bytes, and a model from such bytes: what makes a trace independent of where it came from.
 *
 * Files are named relative to the folder they have in common. To read them again they are put into a folder of their
 * own that is removed afterwards, and the model may read nothing outside it.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/path.h"
#include "io/file/text.h"
#include "io/trace/beside.h"
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

/* ------------------------------------------------------------------------------------------------ putting down */

static crd_status put_file(const char *folder, const crd_source_file *file, crd_error *err) {
  crd_text path = {0};
  crd_text_add(&path, "%s/%s", folder, file->name);
  crd_status status = path.failed ? crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory") : CRD_OK;
  for (char *slash = status ? NULL : strchr(path.data + strlen(folder) + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path.data, 0700) != 0 && errno != EEXIST) status = crd_file_failed(err, path.data, "cannot be made");
    *slash = '/';
  }
  if (!status) status = crd_io_write_file(path.data, file->data, file->size, err);
  crd_text_free(&path);
  return status;
}

/* Removes a file that was put down, and the folders above it that are empty now. */
static void take_away(const char *folder, const char *name) {
  crd_text path = {0};
  crd_text_add(&path, "%s/%s", folder, name);
  if (!path.failed) {
    unlink(path.data);
    for (char *slash; (slash = strrchr(path.data, '/')) && (size_t)(slash - path.data) > strlen(folder);) {
      *slash = 0;
      if (rmdir(path.data) != 0) break;
    }
  }
  crd_text_free(&path);
}

/* The model, or where visuals is not NULL what is for show. */
static crd_status read_put_down(const crd_trace *trace, const char *folder, crd_model **model, crd_visuals *visuals,
                                crd_error *err) {
  const crd_trace_header *header = &trace->header;
  crd_status status = CRD_OK;
  for (int i = 0; i < header->nfile && !status; i++) status = put_file(folder, &header->file[i], err);
  crd_text path = {0};
  crd_text_add(&path, "%s/%s", folder, header->file[0].name);
  if (path.failed && !status) status = crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  crd_read_options options = crd_io_read_default();
  options.lenient = header->lenient, options.root = folder;
  if (!status && visuals)
    status = crd_io_read_visuals(path.data, &options, visuals, err);
  else if (!status)
    status = crd_io_read_model(path.data, &options, model, NULL, err);
  crd_text_free(&path);
  for (int i = 0; i < header->nfile; i++) take_away(folder, header->file[i].name);
  return status;
}

static crd_status put_down_and_read(const crd_trace *trace, crd_model **model, crd_visuals *visuals, crd_error *err) {
  const crd_trace_header *header = &trace->header;
  if (header->nfile == 0)
    return crd_error_set(err, CRD_ERR_FORMAT, NULL, 0, "the trace of '%.200s' holds no model", header->input);
  const char *base = getenv("TMPDIR");
  crd_text folder = {0};
  crd_text_add(&folder, "%s/cradle-XXXXXX", base && base[0] ? base : "/tmp");
  crd_status status = CRD_OK;
  if (folder.failed) {
    status = crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  } else if (!mkdtemp(folder.data)) {
    status = crd_file_failed(err, folder.data, "cannot be made");
  } else {
    status = read_put_down(trace, folder.data, model, visuals, err);
    rmdir(folder.data);
  }
  crd_text_free(&folder);
  return status;
}

crd_status crd_io_trace_model(const crd_trace *trace, crd_model **model, crd_error *err) {
  *model = NULL;
  crd_status status = put_down_and_read(trace, model, NULL, err);
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
  return put_down_and_read(trace, NULL, visuals, err);
}
