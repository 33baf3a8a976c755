/* Content of a builder: the definitions in the order of addition, with texts and arrays copied into its arena. */
#ifndef CRADLE_MODEL_BUILDER_H
#define CRADLE_MODEL_BUILDER_H

#include <cradle/model.h>

#include "model/names.h"

typedef struct crd_joint_entry {
  crd_joint_def def;
  int body;
} crd_joint_entry;

typedef struct crd_geom_entry {
  crd_geom_def def;
  int body;
} crd_geom_entry;

typedef struct crd_site_entry {
  crd_site_def def;
  int body;
} crd_site_entry;

typedef struct crd_key_entry {
  crd_key_def def;
  int nqpos, nqvel, nact, nctrl;
} crd_key_entry;

typedef struct crd_exclude_entry {
  int body1, body2;
} crd_exclude_entry;

/* A growing array of one kind of entry; item points to the first of them. */
typedef struct crd_list {
  void *item;
  int count, room;
  crd_names names;
} crd_list;

struct crd_builder {
  crd_arena arena;
  crd_list body;     /* crd_body_def */
  crd_list joint;    /* crd_joint_entry */
  crd_list geom;     /* crd_geom_entry */
  crd_list site;     /* crd_site_entry */
  crd_list mesh;     /* crd_mesh_def */
  crd_list loop;     /* crd_loop_def */
  crd_list actuator; /* crd_actuator_def */
  crd_list tendon;   /* crd_tendon_def */
  crd_list sensor;   /* crd_sensor_def */
  crd_list pair;     /* crd_pair_def */
  crd_list key;      /* crd_key_entry */
  crd_list exclude;  /* crd_exclude_entry */
};

#endif
