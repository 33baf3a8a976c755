/* Messages of the build: which element, in which line, what was found and the rule it breaks. */
#include "model/build.h"

#include <stdarg.h>

#include "base/print.h"

crd_element crd_element_body(const crd_build *b, int id) {
  return (crd_element){"body", b->body_def[id].name, id, b->body_def[id].line};
}

crd_element crd_element_joint(const crd_build *b, int id) {
  return (crd_element){"joint", b->joint_def[id].def.name, id, b->joint_def[id].def.line};
}

crd_element crd_element_geom(const crd_build *b, int id) {
  return (crd_element){"geom", b->geom_def[id].def.name, id, b->geom_def[id].def.line};
}

crd_element crd_element_site(const crd_build *b, int id) {
  return (crd_element){"site", b->site_def[id].def.name, id, b->site_def[id].def.line};
}

crd_element crd_element_mesh(const crd_build *b, int id) {
  return (crd_element){"mesh", b->mesh_def[id].name, id, b->mesh_def[id].line};
}

crd_element crd_element_loop(const crd_build *b, int id) {
  return (crd_element){"equality", b->loop_def[id].name, id, b->loop_def[id].line};
}

crd_element crd_element_actuator(const crd_build *b, int id) {
  return (crd_element){"actuator", b->actuator_def[id].name, id, b->actuator_def[id].line};
}

crd_element crd_element_tendon(const crd_build *b, int id) {
  return (crd_element){"tendon", b->tendon_def[id].name, id, b->tendon_def[id].line};
}

crd_element crd_element_sensor(const crd_build *b, int id) {
  return (crd_element){"sensor", b->sensor_def[id].name, id, b->sensor_def[id].line};
}

crd_element crd_element_pair(const crd_build *b, int id) {
  return (crd_element){"pair", b->pair_def[id].name, id, b->pair_def[id].line};
}

crd_element crd_element_key(const crd_build *b, int id) {
  return (crd_element){"key", b->key_def[id].def.name, id, b->key_def[id].def.line};
}

crd_status crd_build_fail(const crd_build *b, crd_status status, const crd_element *element, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  crd_vprint(text, sizeof text, format, args);
  va_end(args);
  if (element->name && element->name[0])
    return crd_error_set(b->err, status, b->options->file, element->line, "%s \"%.80s\": %s", element->kind,
                         element->name, text);
  return crd_error_set(b->err, status, b->options->file, element->line, "%s %d: %s", element->kind, element->id, text);
}

crd_status crd_build_no_memory(const crd_build *b) {
  return crd_error_set(b->err, CRD_ERR_MEMORY, b->options->file, 0, "out of memory while building the model");
}
