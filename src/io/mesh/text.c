/* Words, numbers and line counting for text meshes (STL, OBJ). */
#include "io/mesh/text.h"

#include <string.h>
#include <strings.h>

#include "io/file/number.h"

crd_status crd_mesh_text_open(crd_mesh_text *text, const crd_mesh_source *source) {
  *text = (crd_mesh_text){source, source->data, 1};
  const char *zero = memchr(source->data, 0, source->size);
  if (!zero) return CRD_OK;
  for (const char *c = source->data; c < zero; c++) text->line += *c == '\n';
  return crd_error_set(source->err, CRD_ERR_FORMAT, source->path, text->line, "found a zero byte; expected text");
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* Skips blanks and joined line ends. */
static void skip_blanks(crd_mesh_text *text) {
  for (;;) {
    const char *at = text->at;
    if (is_blank(*at)) {
      text->at++;
    } else if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
      text->at += at[1] == '\n' ? 2 : 3;
      text->line++;
    } else {
      return;
    }
  }
}

crd_mesh_word crd_mesh_text_word(crd_mesh_text *text) {
  skip_blanks(text);
  const char *start = text->at;
  while (*text->at && !is_blank(*text->at) && *text->at != '\n') text->at++;
  return (crd_mesh_word){start, (int)(text->at - start)};
}

bool crd_mesh_text_skip_line(crd_mesh_text *text) {
  const char *end = strchr(text->at, '\n');
  if (!end) {
    text->at += strlen(text->at);
    return false;
  }
  text->at = end + 1;
  text->line++;
  return *text->at != 0;
}

crd_mesh_word crd_mesh_text_next(crd_mesh_text *text) {
  for (;;) {
    crd_mesh_word word = crd_mesh_text_word(text);
    if (word.length || !*text->at) return word;
    text->at++;
    text->line++;
  }
}

bool crd_mesh_word_is(crd_mesh_word word, const char *keyword) {
  return (size_t)word.length == strlen(keyword) && strncasecmp(word.text, keyword, (size_t)word.length) == 0;
}

crd_status crd_mesh_text_unexpected(const crd_mesh_text *text, crd_mesh_word found, const char *expected) {
  if (!found.length)
    return crd_error_set(text->source->err, CRD_ERR_FORMAT, text->source->path, text->line,
                         "found the end of the %s; expected %s", *text->at ? "line" : "file", expected);
  return crd_error_set(text->source->err, CRD_ERR_FORMAT, text->source->path, text->line, "found '%.*s'; expected %s",
                       found.length < 60 ? found.length : 60, found.text, expected);
}

crd_status crd_mesh_text_coordinate(crd_mesh_text *text, double *value) {
  crd_mesh_word word = crd_mesh_text_word(text);
  double number = 0;
  if (!word.length || crd_number_read(word.text, &number) != word.text + word.length)
    return crd_mesh_text_unexpected(text, word, "a coordinate (number)");
  return crd_mesh_coordinate(text->source, text->line, number, value);
}
