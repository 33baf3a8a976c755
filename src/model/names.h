/* Names to ids in constant time: a hash table with open addressing. The texts belong to the caller. */
#ifndef CRADLE_MODEL_NAMES_H
#define CRADLE_MODEL_NAMES_H

typedef struct crd_name_slot {
  const char *name; /* NULL: empty slot */
  int id;
} crd_name_slot;

typedef struct crd_names {
  crd_name_slot *slot;
  int capacity; /* a power of two, or 0 */
  int count;
} crd_names;

/* Remembers id under name unless the name is empty or already there. Returns 0, or -1 when memory is out. */
int crd_names_add(crd_names *names, const char *name, int id);
/* The id remembered first under name, or -1. */
int crd_names_find(const crd_names *names, const char *name);
void crd_names_free(crd_names *names);

#endif
