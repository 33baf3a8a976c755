/* A model with the memory it lies in and the tables of its names; the public struct comes first. */
#ifndef CRADLE_MODEL_FROZEN_H
#define CRADLE_MODEL_FROZEN_H

#include <cradle/model.h>

#include "model/names.h"

/* Arrays written by the setters of a variant: its own copies of public arrays of the model. */
typedef struct crd_variant {
  crd_link *link;
  crd_body *body;
  crd_joint *joint;
  crd_geom *geom;
  crd_pair *pair;
  crd_actuator *actuator;
  crd_immersed *immersed;
  double *damping; /* nv */
} crd_variant;

typedef struct crd_frozen {
  crd_model model;
  crd_arena arena;
  crd_names body, joint, geom, site, mesh, loop, actuator, tendon, sensor, key,
      pair; /* of a variant: those of its base */
  bool is_variant;
  crd_variant own; /* NULL but in a variant */
} crd_frozen;

#endif
