/* Ids by name in the frozen model. */
#include "model/frozen.h"

static const crd_frozen *frozen(const crd_model *model) { return (const crd_frozen *)(const void *)model; }

int crd_model_find_body(const crd_model *model, const char *name) { return crd_names_find(&frozen(model)->body, name); }

int crd_model_find_joint(const crd_model *model, const char *name) {
  return crd_names_find(&frozen(model)->joint, name);
}

int crd_model_find_geom(const crd_model *model, const char *name) { return crd_names_find(&frozen(model)->geom, name); }

int crd_model_find_site(const crd_model *model, const char *name) { return crd_names_find(&frozen(model)->site, name); }

int crd_model_find_mesh(const crd_model *model, const char *name) { return crd_names_find(&frozen(model)->mesh, name); }

int crd_model_find_loop(const crd_model *model, const char *name) { return crd_names_find(&frozen(model)->loop, name); }

int crd_model_find_actuator(const crd_model *model, const char *name) {
  return crd_names_find(&frozen(model)->actuator, name);
}

int crd_model_find_tendon(const crd_model *model, const char *name) {
  return crd_names_find(&frozen(model)->tendon, name);
}

int crd_model_find_sensor(const crd_model *model, const char *name) {
  return crd_names_find(&frozen(model)->sensor, name);
}

int crd_model_find_key(const crd_model *model, const char *name) { return crd_names_find(&frozen(model)->key, name); }

int crd_model_find_pair(const crd_model *model, const char *name) { return crd_names_find(&frozen(model)->pair, name); }
