/* A growing text, for the writers of model files. */
#ifndef CRADLE_SRC_IO_TEXT_H
#define CRADLE_SRC_IO_TEXT_H

#include <cradle/base.h>

/* Zero it before the first use ({0}). Running out of memory is remembered: later additions do nothing. */
typedef struct crd_text {
  char *data; /* terminated, NULL while empty */
  size_t size, capacity;
  bool failed;
} crd_text;

void crd_text_add(crd_text *text, const char *format, ...) CRD_PRINTF(2, 3);

/* The shortest decimal form that reads back as the same (finite) double, with a dot in every locale. */
void crd_text_add_number(crd_text *text, double value);

/* count numbers with spaces between them. */
void crd_text_add_numbers(crd_text *text, int count, const double *value);

void crd_text_free(crd_text *text);

#endif
