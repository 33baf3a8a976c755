/* Counts the library's requests for memory: the linker redirects the allocation functions of programs called
 * test_allocation.c here (--wrap). To be included by that one file. */
#ifndef TESTS_ALLOCATION_H
#define TESTS_ALLOCATION_H

#include <stdlib.h>

static long requests;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) { return requests++, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return requests++, __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return requests++, __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return requests++, __real_aligned_alloc(alignment, size); }

#endif
