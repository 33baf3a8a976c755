/* base: status codes, error reports, arena memory, counter-based random numbers.
 *
 * Every fallible function of cradle returns a crd_status. Zero means done. A negative value reports misuse, lack of
 * memory, a full buffer or a bad file. A positive value is a numerical verdict: an answer about the problem, never a
 * defect.
 *
 * All functions of this header may be called from any thread; an arena belongs to one thread at a time.
 */
#ifndef CRADLE_BASE_H
#define CRADLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define CRD_API __attribute__((visibility("default")))
#define CRD_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CRD_API
#define CRD_PRINTF(fmt, args)
#endif

/* Version of these headers; docs/abi.md says what may change when. */
#define CRD_VERSION_MAJOR 0
#define CRD_VERSION_MINOR 1
#define CRD_VERSION_PATCH 0
#define CRD_VERSION_NUMBER (10000 * CRD_VERSION_MAJOR + 100 * CRD_VERSION_MINOR + CRD_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum crd_status {
  CRD_OK = 0,
  CRD_ERR_ARGUMENT = -1, /* the caller broke a stated precondition */
  CRD_ERR_MEMORY = -2,   /* the system has no memory left */
  CRD_ERR_CAPACITY = -3, /* a buffer given by the caller is too small */
  CRD_ERR_FILE = -4,     /* a file cannot be opened, read or written */
  CRD_ERR_FORMAT = -5,   /* a file's content breaks its format */
  CRD_ERR_MODEL = -6,    /* a mechanism breaks a rule of mechanics */
  CRD_ERR_NUMBER = -7,   /* a number is NaN or infinite */
  CRD_STOPPED = -8,      /* the caller asked to stop */
  CRD_RAY = 1,           /* a pivoting method ended on a ray */
  CRD_LIMIT = 2,         /* an iteration or size limit was reached */
  CRD_NO_SOLUTION = 3,   /* the problem has provably no solution */
  CRD_SINGULAR = 4,      /* a matrix that has to be regular is singular */
  CRD_UNKNOWN = 5        /* undecided within the stated limit */
} crd_status;

/* A short lower-case English name of the status ("ok", "ray", "bad file format", ...); never NULL. */
CRD_API const char *crd_status_text(crd_status status);

/* What went wrong, where, what was found and what was expected. Filled by the readers and the model builder. */
typedef struct crd_error {
  crd_status status;
  int line;       /* 1-based line of the file, 0 where there is none */
  char file[256]; /* file name as the user gave it, "" where there is none */
  char text[512]; /* what was found and what was expected */
} crd_error;

/* Fills *err (which may be NULL) and returns status, so that a caller can write `return crd_error_set(...)`. */
CRD_API crd_status crd_error_set(crd_error *err, crd_status status, const char *file, int line, const char *format, ...)
    CRD_PRINTF(5, 6);

/* Writes "file:line: text", without its empty parts, into buffer (size bytes), always terminated. */
CRD_API void crd_error_format(const crd_error *err, char *buffer, size_t size);

/* Interrupts, for the whole process. Long loops poll crd_interrupted between two pieces of work (some microseconds to
 * 50 ms each) and end early: with CRD_STOPPED, or with CRD_LIMIT where their header documents it. Each poll counts as
 * one piece of work.
 *
 * Requests every computation to end; safe in a signal handler and from any thread. The request stands until the reset. */
CRD_API void crd_interrupt(void);
/* Withdraws the request and sets the count of work to 0. More pieces of work than most_work (0: no limit) act like a
 * request. One thread counts the same in every run. */
CRD_API void crd_interrupt_reset(uint64_t most_work);
/* Sets the count of work to 0; request and limit stay. */
CRD_API void crd_interrupt_restart(void);
/* Should the caller stop? Counts one piece of work. */
CRD_API bool crd_interrupted(void);
/* CRD_OK (continue), CRD_STOPPED (requested) or CRD_LIMIT (of work). Counts no work. */
CRD_API crd_status crd_interrupt_status(void);

/* An arena hands out zeroed, 64-byte aligned memory piece by piece and releases it all at once. Zero it ({0}) before
 * its first use. */
typedef struct crd_arena_block crd_arena_block;
typedef struct crd_arena {
  crd_arena_block *last; /* private */
  size_t allocated;      /* bytes taken from the system */
} crd_arena;

/* Zeroed memory for count items of size bytes each; NULL if memory is out or the product overflows. Belongs to the
 * arena. */
CRD_API void *crd_arena_alloc(crd_arena *arena, size_t count, size_t size);
/* A copy of text (NULL counts as "") in the arena; NULL if memory is out. */
CRD_API char *crd_arena_string(crd_arena *arena, const char *text);
/* Invalidates everything the arena has handed out but keeps its largest block. A loop that resets the arena and then
 * allocates the same again requests nothing from the system after its first rounds. */
CRD_API void crd_arena_reset(crd_arena *arena);
/* Releases all memory; the arena is empty and can be used again. */
CRD_API void crd_arena_free(crd_arena *arena);

/* Random numbers are a pure function of (seed, stream, index): the same on every machine, in every order and for any
 * number of threads. Philox 4x32-10 [Salmon et al. 2011]. 64 random bits: */
CRD_API uint64_t crd_random_bits(uint64_t seed, uint32_t stream, uint64_t index);
/* Uniform in [0, 1), 53 bits. */
CRD_API double crd_random_uniform(uint64_t seed, uint32_t stream, uint64_t index);
/* 128 bits at once: the words of Philox at (index, stream, block), independent of the other functions. */
CRD_API void crd_random_block(uint64_t seed, uint32_t stream, uint32_t block, uint64_t index, uint32_t word[4]);
/* Standard normal (Box-Muller). */
CRD_API double crd_random_normal(uint64_t seed, uint32_t stream, uint64_t index);

/* Suggestions for mistyped words. The distance of two words is the number of typing errors between them (a letter
 * added, dropped, changed or swapped with its neighbour). True if `known` is a plausible correction of `word` and
 * nearer than *best, which then becomes its distance. Start with *best = strlen(word). */
CRD_API bool crd_nearer_word(const char *word, const char *known, int *best);

/* Version of the loaded library, "major.minor.patch"; the text lives as long as the library. */
CRD_API const char *crd_version(void);
/* The same as a number, to be compared with CRD_VERSION_NUMBER of the headers at compile time. */
CRD_API int crd_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
