/* Numbers in text, read the same in every locale. */
#ifndef CRADLE_SRC_IO_NUMBER_H
#define CRADLE_SRC_IO_NUMBER_H

/* The number at the start of text (white space before it is skipped), nearest double, with a decimal point; "nan" and
 * "inf" are read as such, for the caller to refuse. Returns where it ends, or NULL if there is no number. */
const char *crd_number_read(const char *text, double *value);

#endif
