/* A model with the memory it lies in and the tables of its names; the public struct comes first. */
#ifndef CRADLE_MODEL_FROZEN_H
#define CRADLE_MODEL_FROZEN_H

#include <cradle/model.h>

#include "model/names.h"

typedef struct crd_frozen {
  crd_model model;
  crd_arena arena;
  crd_names body, joint, geom, site, mesh, loop, actuator, tendon, sensor, key, pair;
} crd_frozen;

#endif
