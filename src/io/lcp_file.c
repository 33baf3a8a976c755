/* Complementarity problems from files: which format it is, and what both share. */
#include "io/lcp_file.h"

#include <string.h>

#include "io/path.h"

void crd_lcp_file_free(crd_lcp_file *file) {
  crd_arena_free(&file->arena);
  *file = (crd_lcp_file){0};
}

crd_status crd_io_read_lcp_text(const char *text, size_t size, const char *name, crd_lcp_file *file, crd_error *err) {
  crd_lcp_file_free(file);
  size_t start = 0;
  while (start < size && strchr(" \t\r\n", text[start]) && text[start]) start++;
  crd_status status;
  if (start < size && text[start] == '{') {
    status = crd_lcp_file_json(text, size, name, file, err);
  } else if (memchr(text, 0, size)) {
    status = crd_error_set(err, CRD_ERR_FORMAT, name, 0, "found a zero byte, expected text");
  } else {
    char *copy = crd_arena_alloc(&file->arena, size + 1, 1);
    if (copy) memcpy(copy, text, size);
    status =
        copy ? crd_lcp_file_plain(copy, name, file, err) : crd_error_set(err, CRD_ERR_MEMORY, name, 0, "out of memory");
  }
  if (status) crd_lcp_file_free(file);
  return status;
}

crd_status crd_io_read_lcp(const char *path, crd_lcp_file *file, crd_error *err) {
  crd_arena arena = {0};
  char *text;
  size_t size;
  crd_status status = crd_path_read(&arena, path, &text, &size, err);
  if (!status) status = crd_io_read_lcp_text(text, size, path, file, err);
  crd_arena_free(&arena);
  return status;
}
