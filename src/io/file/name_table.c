/* Names to pointers: ids from the name table of the model layer, and an array of values by id. */
#include "io/file/name_table.h"

#include <stdlib.h>

void *crd_name_find(const crd_name_table *table, const char *name) {
  int id = crd_names_find(&table->names, name);
  return id < 0 ? NULL : table->value[id];
}

bool crd_name_put(crd_name_table *table, const char *name, void *value) {
  int id = crd_names_find(&table->names, name);
  if (id < 0) {
    id = table->names.count;
    if (id == table->capacity) {
      int capacity = table->capacity ? 2 * table->capacity : 32;
      void **larger = realloc(table->value, (size_t)capacity * sizeof *larger);
      if (!larger) return false;
      table->value = larger;
      table->capacity = capacity;
    }
    if (crd_names_add(&table->names, name, id) != 0) return false;
  }
  table->value[id] = value;
  return true;
}

void crd_name_free(crd_name_table *table) {
  crd_names_free(&table->names);
  free(table->value);
  *table = (crd_name_table){0};
}
