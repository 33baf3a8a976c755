/* Names to ids: FNV-1a hash, linear probing, never more than half full. */
#include "model/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash;
}

/* The slot that holds name, or the empty one where it would go. */
static crd_name_slot *slot_of(const crd_names *names, const char *name) {
  uint32_t mask = (uint32_t)names->capacity - 1, i = hash_of(name) & mask;
  while (names->slot[i].name && strcmp(names->slot[i].name, name) != 0) i = (i + 1) & mask;
  return &names->slot[i];
}

static int grow(crd_names *names) {
  crd_names larger = {.capacity = names->capacity ? 2 * names->capacity : 16, .count = names->count};
  larger.slot = calloc((size_t)larger.capacity, sizeof *larger.slot);
  if (!larger.slot) return -1;
  for (int i = 0; i < names->capacity; i++)
    if (names->slot[i].name) *slot_of(&larger, names->slot[i].name) = names->slot[i];
  free(names->slot);
  *names = larger;
  return 0;
}

int crd_names_add(crd_names *names, const char *name, int id) {
  if (!name || !name[0]) return 0;
  if (names->count >= names->capacity / 2 && grow(names) != 0) return -1;
  crd_name_slot *slot = slot_of(names, name);
  if (!slot->name) {
    *slot = (crd_name_slot){name, id};
    names->count++;
  }
  return 0;
}

int crd_names_find(const crd_names *names, const char *name) {
  if (!name || !name[0] || names->count == 0) return -1;
  const crd_name_slot *slot = slot_of(names, name);
  return slot->name ? slot->id : -1;
}

void crd_names_free(crd_names *names) {
  free(names->slot);
  *names = (crd_names){0};
}
