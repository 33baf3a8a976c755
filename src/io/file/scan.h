/* Numbers of a plain text file, one after the other, with the line for messages. */
#ifndef CRADLE_SRC_IO_SCAN_H
#define CRADLE_SRC_IO_SCAN_H

#include <cradle/base.h>

/* A place in a terminated text. The first failure fills err; afterwards status says so and everything else is skipped.
 */
typedef struct crd_scan {
  const char *at, *end; /* the next character, and the terminating zero */
  const char *name;     /* of the file */
  int line;
  crd_error *err;
  crd_status status;
} crd_scan;

crd_scan crd_scan_begin(const char *text, const char *name, crd_error *err);

/* Passes white space and commas. */
void crd_scan_skip(crd_scan *s);
/* "found 'what stands here', expected ...". */
void crd_scan_fail(crd_scan *s, crd_status status, const char *format, ...) CRD_PRINTF(3, 4);
/* "out of memory" unless memory was got; returns it. */
void *crd_scan_memory(crd_scan *s, void *memory);

/* A finite number. what: the expected value, for the message. */
double crd_scan_number(crd_scan *s, const char *what);
/* A whole number from least to most, with white space or a comma behind it; least after a failure. */
int crd_scan_count(crd_scan *s, int least, int most, const char *what);
/* rows x cols numbers in the order of the file, (i, j) to out[i row_step + j col_step]. */
void crd_scan_numbers(crd_scan *s, double *out, int rows, int cols, size_t row_step, size_t col_step, const char *name);
/* Exactly this text comes next (white space before it is passed). */
void crd_scan_literal(crd_scan *s, const char *literal);
/* A whole number from 0 to most with anything behind it, as in "9-by-9". */
int crd_scan_index(crd_scan *s, int most, const char *what);
/* Passes the rest of the line. */
void crd_scan_line(crd_scan *s);

/* Whether `count` numbers can still come, each a digit and a separator. Checked before memory is taken for them. */
bool crd_scan_has_room(crd_scan *s, size_t count, const char *what);
/* How many numbers stand here one after the other, up to `most`; value (most) gets them unless it is NULL. Nothing is
 * passed. */
int crd_scan_ahead(const crd_scan *s, int most, double *value);

#endif
