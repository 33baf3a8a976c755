/* Shapes on which the medium of a model acts. */
#ifndef CRADLE_MODEL_MEDIUM_H
#define CRADLE_MODEL_MEDIUM_H

#include <cradle/model.h>

/* The boxes and ellipsoids of all moving bodies into part (room for nbody + ngeom, or as many as there were); returns their
 * number. */
int crd_medium_meet(const crd_model *model, crd_immersed *part);

#endif
