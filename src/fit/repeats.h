/* Rows that are stated twice. */
#ifndef SRC_FIT_REPEATS_H
#define SRC_FIT_REPEATS_H

#include <cradle/fit.h>

/* How many rows say what an earlier one says, to the bit; the first of them, first[1], and the last such before it, first[0] (-1:
 * none). CRD_ERR_MEMORY. */
crd_status fit_find_repeats(const crd_fit_data *data, int *count, int first[2], crd_arena *arena);

#endif
