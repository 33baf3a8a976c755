/* Names to pointers: the name table of the model layer with a thing of the reader's behind each name. */
#ifndef CRADLE_IO_NAME_TABLE_H
#define CRADLE_IO_NAME_TABLE_H

#include <cradle/base.h>

#include "model/names.h"

/* Zero it before use, free it after. Names and values belong to the caller. */
typedef struct crd_name_table {
  crd_names names;
  void **value;
  int capacity;
} crd_name_table;

/* The value of the name, NULL where there is none. */
void *crd_name_find(const crd_name_table *table, const char *name);
/* Adds or replaces; neither the name is empty nor the value NULL. False when memory is out. */
bool crd_name_put(crd_name_table *table, const char *name, void *value);
void crd_name_free(crd_name_table *table);

#endif
