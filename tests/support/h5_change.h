/* A file of cradle that somebody changed on purpose: digests and seal are made anew, so that the reader's other checks
 * are asked. */
#ifndef TESTS_H5_CHANGE_H
#define TESTS_H5_CHANGE_H

#include <hdf5.h>

/* Computes all attributes sha256 of an open file again, from what it holds now. */
void h5_reseal(hid_t file);

/* A dataset of texts in fixed length in place of the one that is there. */
void h5_replace_texts(hid_t file, const char *name, int count, const char *const *text);
/* A text in place of an attribute of the file. */
void h5_replace_attribute(hid_t file, const char *name, const char *text);

#endif
