/* JSON as text, for writers whose numbers have to be exact or whose arrays are large. */
#ifndef CRADLE_SRC_IO_JSON_TEXT_H
#define CRADLE_SRC_IO_JSON_TEXT_H

#include "io/file/text.h"

/* A string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void crd_json_add_string(crd_text *text, const char *s);
/* A number; null where it is not finite. */
void crd_json_add_number(crd_text *text, double x);
/* [x0, x1, ...] */
void crd_json_add_vector(crd_text *text, int n, const double *x);
/* One row a line, all but the first behind the indent. */
void crd_json_add_matrix(crd_text *text, const char *indent, int rows, int columns, const double *x);

/* Little-endian numbers in base64, as a string with its quotes: doubles as they are or rounded to float, ids (of 16
 * bits where they are small) and bytes.
 */
void crd_json_add_f64(crd_text *text, size_t n, const double *x);
void crd_json_add_f32(crd_text *text, size_t n, const double *x);
void crd_json_add_u32(crd_text *text, size_t n, const int *x);
void crd_json_add_u16(crd_text *text, size_t n, const int *x);
void crd_json_add_u8(crd_text *text, size_t n, const unsigned char *x);

#endif
