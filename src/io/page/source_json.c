/* The question behind a page as JSON: the command and the files that it reads. */
#include <cradle/io.h>

#include "io/json/text.h"

static const size_t MOST_BYTES = 24u << 20; /* of all files together: a page has to stay one that can be sent */

static void add_files(crd_text *text, int nfile, const crd_source_file *file) {
  size_t bytes = 0;
  for (int i = 0; i < nfile; i++) bytes += file[i].size;
  if (bytes > MOST_BYTES) {
    crd_text_add(text, ", \"left_out\": \"the model's files are %.0f MB, pages carry up to %.0f MB\"",
                 (double)bytes / (1 << 20), (double)MOST_BYTES / (1 << 20));
    return;
  }
  crd_text_add(text, ", \"files\": [");
  for (int i = 0; i < nfile; i++) {
    crd_text_add(text, "%s{\"name\": ", i ? ",\n  " : "\n  ");
    crd_json_add_string(text, file[i].name);
    crd_text_add(text, ", \"data\": ");
    crd_json_add_u8(text, file[i].size, (const unsigned char *)file[i].data);
    crd_text_add(text, "}");
  }
  crd_text_add(text, "]");
}

crd_status crd_io_source_text(int count, const char *const *words, int nfile, const crd_source_file *file,
                              crd_arena *arena, const char **text, crd_error *err) {
  crd_text grown = {0};
  crd_text_add(&grown, "{\"command\": [");
  for (int i = 0; i < count; i++) {
    if (i) crd_text_add(&grown, ", ");
    crd_json_add_string(&grown, words[i]);
  }
  crd_text_add(&grown, "]");
  add_files(&grown, nfile, file);
  crd_text_add(&grown, "}");
  *text = grown.failed ? NULL : crd_arena_string(arena, grown.data);
  crd_text_free(&grown);
  return *text ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
}
