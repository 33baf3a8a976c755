/* Memory that is gone inside of a library (libhdf5, jansson, cairo, the C library) ends the program: some of them crash,
 * others go on with a part of the result, and none tells the cause. The program's own requests return NULL as ever; that
 * one failed is remembered, since a result that could be made without it (a table without a line, laws without the one
 * that needed it) is not the one that was asked for.
 *
 * The functions below stand before those of glibc for the program and all its libraries, and call them. A module that
 * uses parts of the program (python/) leaves its host's memory alone. */
#define _GNU_SOURCE
#include <cradle/io.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(CRADLE_PROGRAM) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
/* Where the code of the program lies; the linker defines both. */
extern const char __executable_start, etext;

static volatile sig_atomic_t gone;

bool cli_memory_gone(void) { return gone; }

/* memory, or the end where a library asked for some and there is none. */
static void *given_to(const void *caller, void *memory, size_t size) {
  static const char MESSAGE[] = "cradle: no memory\n";
  const uintptr_t place = (uintptr_t)caller;
  const bool own = place >= (uintptr_t)&__executable_start && place < (uintptr_t)&etext;
  if (!memory && size > 0 && own) gone = 1;
  if (memory || size == 0 || own) return memory;
  cli_end_early();
  if (write(STDERR_FILENO, MESSAGE, sizeof MESSAGE - 1) < 0) _exit(CLI_SYSTEM);
  _exit(CLI_SYSTEM);
}

#define GIVEN(memory, size) given_to(__builtin_return_address(0), memory, size)

void *malloc(size_t size) { return GIVEN(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) { return GIVEN(__libc_calloc(count, size), count && size); }

void *realloc(void *memory, size_t size) { return GIVEN(__libc_realloc(memory, size), size); }

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) { return GIVEN(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return GIVEN(__libc_memalign(alignment, size), size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *found = GIVEN(__libc_memalign(alignment, size), size);
  if (!found && size) return ENOMEM;
  *memory = found;
  return 0;
}

#else

bool cli_memory_gone(void) { return false; }

#endif
