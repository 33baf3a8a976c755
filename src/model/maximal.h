/* How the bodies of a model are numbered in its maximal form. */
#ifndef SRC_MODEL_MAXIMAL_H
#define SRC_MODEL_MAXIMAL_H

#include <cradle/model.h>

/* body_of[b] (nbody): id in the maximal model of body b. Bodies that have joints stand alone there, each followed by
 * the bodies welded to it. */
void crd_maximal_number(const crd_model *model, int *body_of);

#endif
