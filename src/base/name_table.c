#include "base/name_table.h"

#include <stdlib.h>
#include <string.h>

crd_status crd_name_table_begin(crd_name_table *table, int names) {
  int size = 16;
  while (size <= 2 * names) size *= 2;
  if (size > table->capacity) {
    const char **key = malloc((size_t)size * sizeof *key);
    int *value = malloc((size_t)size * sizeof *value);
    if (!key || !value) {
      free(key), free(value);
      return CRD_ERR_MEMORY;
    }
    crd_name_table_free(table);
    *table = (crd_name_table){.capacity = size, .key = key, .value = value};
  }
  table->size = size;
  memset(table->key, 0, (size_t)table->size * sizeof *table->key);
  return CRD_OK;
}

void crd_name_table_free(crd_name_table *table) {
  free(table->key), free(table->value);
  *table = (crd_name_table){0};
}

/* FNV-1a, 32 bits. */
static unsigned hash(const char *name) {
  unsigned h = 2166136261u;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
  return h;
}

/* Where the name is, or the free place where it would be. */
static unsigned place_of(const crd_name_table *table, const char *name) {
  unsigned mask = (unsigned)table->size - 1, at = hash(name) & mask;
  while (table->key[at] && strcmp(table->key[at], name) != 0) at = (at + 1) & mask;
  return at;
}

const int *crd_name_table_find(const crd_name_table *table, const char *name) {
  unsigned at = place_of(table, name);
  return table->key[at] ? &table->value[at] : NULL;
}

int *crd_name_table_at(crd_name_table *table, const char *name, int fresh) {
  unsigned at = place_of(table, name);
  if (!table->key[at]) table->key[at] = name, table->value[at] = fresh;
  return &table->value[at];
}
