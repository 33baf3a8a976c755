/* A cursor over the text of a mesh file: words, numbers and the line they stand in. */
#ifndef CRADLE_SRC_IO_MESH_TEXT_H
#define CRADLE_SRC_IO_MESH_TEXT_H

#include "io/mesh/formats.h"

typedef struct crd_mesh_text {
  const crd_mesh_source *source;
  const char *at;
  int line; /* 1-based */
} crd_mesh_text;

/* A word is a run of characters other than white space; it may be empty at the end. */
typedef struct crd_mesh_word {
  const char *text;
  int length;
} crd_mesh_word;

/* A cursor at the start. CRD_ERR_FORMAT: the file contains a zero byte, so it is not text. */
crd_status crd_mesh_text_open(crd_mesh_text *text, const crd_mesh_source *source);

/* The next word of the current line, empty at its end ("\" at the end of a line joins it with the next). */
crd_mesh_word crd_mesh_text_word(crd_mesh_text *text);

/* The next word, on this line or a later one, empty at the end of the file. */
crd_mesh_word crd_mesh_text_next(crd_mesh_text *text);

/* To the start of the next line; false at the end of the file. */
bool crd_mesh_text_skip_line(crd_mesh_text *text);

bool crd_mesh_word_is(crd_mesh_word word, const char *keyword); /* in any case */

/* The next word of the line as a coordinate; CRD_ERR_FORMAT: it is not a number, CRD_ERR_NUMBER: not finite or too
 * large. */
crd_status crd_mesh_text_coordinate(crd_mesh_text *text, double *value);

/* An error at the current line: "found 'word'; expected ...". */
crd_status crd_mesh_text_unexpected(const crd_mesh_text *text, crd_mesh_word found, const char *expected);

#endif
