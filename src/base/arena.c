/* Arena memory: a list of blocks, each at least twice as large as the one before and as the request that opened it, all
 * freed together. */
#include <cradle/base.h>

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_BLOCK = 16384 };

struct crd_arena_block {
  crd_arena_block *previous;
  size_t used, capacity; /* bytes behind the header */
};

static size_t round_up(size_t bytes) { return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1); }

static bool open_block(crd_arena *arena, size_t bytes) {
  size_t capacity = arena->last ? 2 * arena->last->capacity : FIRST_BLOCK;
  while (capacity < 2 * bytes) capacity *= 2;
  size_t total = round_up(sizeof(crd_arena_block)) + capacity;
  crd_arena_block *block = aligned_alloc(ALIGNMENT, total);
  if (!block) return false;
  *block = (crd_arena_block){.previous = arena->last, .capacity = capacity};
  arena->last = block;
  arena->allocated += total;
  return true;
}

void *crd_arena_alloc(crd_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 4) / size) return NULL;
  size_t bytes = round_up(count > 0 && size > 0 ? count * size : 1);
  if (!arena->last || arena->last->capacity - arena->last->used < bytes) {
    if (!open_block(arena, bytes)) return NULL;
  }
  crd_arena_block *block = arena->last;
  char *memory = (char *)block + round_up(sizeof(crd_arena_block)) + block->used;
  block->used += bytes;
  memset(memory, 0, bytes);
  return memory;
}

char *crd_arena_string(crd_arena *arena, const char *text) {
  size_t length = text ? strlen(text) : 0;
  char *copy = crd_arena_alloc(arena, length + 1, 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

static void free_chain(crd_arena_block *block) {
  while (block) {
    crd_arena_block *previous = block->previous;
    free(block);
    block = previous;
  }
}

void crd_arena_reset(crd_arena *arena) {
  if (!arena->last) return;
  /* Blocks grow, so the newest is the largest, but it need not hold all that was in use: the next round then opens a
   * larger one. */
  free_chain(arena->last->previous);
  arena->last->previous = NULL;
  arena->last->used = 0;
  arena->allocated = round_up(sizeof(crd_arena_block)) + arena->last->capacity;
}

void crd_arena_free(crd_arena *arena) {
  free_chain(arena->last);
  *arena = (crd_arena){0};
}
