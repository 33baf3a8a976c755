#include "base/layout.h"

#include <string.h>

crd_status crd_layout_renew(crd_arena *arena, const crd_layout *table, size_t n) {
  crd_arena fresh = {0};
  void **memory = crd_arena_alloc(&fresh, n, sizeof *memory);
  bool done = memory != NULL;
  for (size_t k = 0; k < n && done; k++)
    done = (memory[k] = crd_arena_alloc(&fresh, table[k].count, table[k].size)) != NULL;
  if (!done) {
    crd_arena_free(&fresh);
    return CRD_ERR_MEMORY;
  }
  for (size_t k = 0; k < n; k++) {
    void **array = table[k].to;
    if (table[k].kept) memcpy(memory[k], *array, table[k].kept * table[k].size);
    *array = memory[k];
  }
  crd_arena_free(arena);
  *arena = fresh;
  return CRD_OK;
}
