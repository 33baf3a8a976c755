#include "base/layout.h"

#include <string.h>

/* The n arrays into memory[n], which comes from the arena, too. */
static void **take(crd_arena *arena, const crd_layout *table, size_t n) {
  void **memory = crd_arena_alloc(arena, n, sizeof *memory);
  for (size_t k = 0; k < n && memory; k++)
    if (!(memory[k] = crd_arena_alloc(arena, table[k].count, table[k].size))) return NULL;
  return memory;
}

/* Pointers of any type are read and written as bytes: they may not be named by another type's pointer. */
static void hand_over(void **memory, const crd_layout *table, size_t n) {
  for (size_t k = 0; k < n; k++) {
    void *former;
    memcpy(&former, table[k].to, sizeof former);
    if (table[k].kept) memcpy(memory[k], former, table[k].kept * table[k].size);
    memcpy(table[k].to, &memory[k], sizeof former);
  }
}

crd_status crd_layout_take(crd_arena *arena, const crd_layout *table, size_t n) {
  void **memory = take(arena, table, n);
  if (!memory) return CRD_ERR_MEMORY;
  hand_over(memory, table, n);
  return CRD_OK;
}

crd_status crd_layout_renew(crd_arena *arena, const crd_layout *table, size_t n) {
  crd_arena fresh = {0};
  void **memory = take(&fresh, table, n);
  if (!memory) {
    crd_arena_free(&fresh);
    return CRD_ERR_MEMORY;
  }
  hand_over(memory, table, n);
  crd_arena_free(arena);
  *arena = fresh;
  return CRD_OK;
}
