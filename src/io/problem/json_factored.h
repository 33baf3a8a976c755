/* Matrices of the form J M^-1 J' in JSON files. */
#ifndef CRADLE_SRC_IO_JSON_FACTORED_H
#define CRADLE_SRC_IO_JSON_FACTORED_H

#include "io/json/read.h"

/* Memory for count numbers; NULL after a failure. */
double *crd_json_room(crd_json_reading *r, crd_arena *arena, size_t count);

/* The members J (n rows) and M (symmetric positive definite) of the object: nv, J (n x nv) and the Cholesky factor L of
 * M (nv x nv), in the arena; L is NULL where M is absent, the identity; all are left alone without J. */
void crd_json_factored(crd_json_reading *r, const json_t *object, crd_arena *arena, int n, int *nv, const double **J,
                       const double **L);

#endif
