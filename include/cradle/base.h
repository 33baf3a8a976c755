/* base: status codes, error reports, arena memory, counter-based random numbers.
 *
 * Every fallible function of cradle returns a crd_status. Zero is done, a negative value is misuse, memory,
 * capacity or a bad file, a positive value is a numerical verdict: an answer about the problem, never a defect.
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
  char text[512];
} crd_error;

/* Fills *err (which may be NULL) and returns status, so that a caller can write `return crd_error_set(...)`. */
CRD_API crd_status crd_error_set(crd_error *err, crd_status status, const char *file, int line, const char *format, ...)
    CRD_PRINTF(5, 6);

/* Writes "file:line: text" (without the parts that are empty) into buffer, always terminated. */
CRD_API void crd_error_format(const crd_error *err, char *buffer, size_t size);

/* The wish to stop, for the whole process. Loops that may go on for long ask crd_interrupted between two pieces of work
 * (some microseconds to 50 ms each) and end early: with CRD_STOPPED, or with CRD_LIMIT where their header says so of
 * their own limits. Each question counts as one piece of work. */
/* Asks everything that is computed to end; safe in a signal handler and from any thread. Stays until the reset. */
CRD_API void crd_interrupt(void);
/* Takes the wish back and counts work from 0; more pieces than most_work (0: any number) count as a wish to stop. The
 * count is the same in every run of one thread. */
CRD_API void crd_interrupt_reset(uint64_t most_work);
/* Counts work from 0 again; wish and limit stay. */
CRD_API void crd_interrupt_restart(void);
CRD_API bool crd_interrupted(void);
/* Why: CRD_OK (it goes on), CRD_STOPPED (it was asked to), CRD_LIMIT (of work). Counts no work. */
CRD_API crd_status crd_interrupt_status(void);

/* An arena: memory handed out piece by piece, zeroed, 64-byte aligned, and released all at once. */
typedef struct crd_arena_block crd_arena_block;
typedef struct crd_arena {
  crd_arena_block *last;
  size_t allocated; /* bytes taken from the system */
} crd_arena;

/* Zeroed memory for count items of size bytes each, or NULL when memory is out or the product overflows. */
CRD_API void *crd_arena_alloc(crd_arena *arena, size_t count, size_t size);
/* A copy of text (NULL is taken as ""), or NULL when memory is out. */
CRD_API char *crd_arena_string(crd_arena *arena, const char *text);
/* Takes everything back but keeps the largest block for what comes next: a loop that resets and allocates the same
 * every time requests nothing from the system after its first rounds. */
CRD_API void crd_arena_reset(crd_arena *arena);
/* Releases everything; the arena is empty and usable again. */
CRD_API void crd_arena_free(crd_arena *arena);

/* Random numbers as a pure function of (seed, stream, index): the same on every machine, in every order and for any
 * number of threads. Philox 4x32-10 [Salmon et al. 2011]. */
CRD_API uint64_t crd_random_bits(uint64_t seed, uint32_t stream, uint64_t index);
/* Uniform in [0, 1), 53 bits. */
CRD_API double crd_random_uniform(uint64_t seed, uint32_t stream, uint64_t index);
/* 128 bits at once, for whoever needs many: words of Philox at (index, stream, block); independent of the others. */
CRD_API void crd_random_block(uint64_t seed, uint32_t stream, uint32_t block, uint64_t index, uint32_t word[4]);
/* Standard normal (Box-Muller). */
CRD_API double crd_random_normal(uint64_t seed, uint32_t stream, uint64_t index);

/* Whether `known` is near enough to `word` to be what was meant, and nearer than *best, the least number of slips (a
 * letter added, dropped, changed or exchanged with its neighbour) so far, which it then becomes. Start with
 * strlen(word). */
CRD_API bool crd_nearer_word(const char *word, const char *known, int *best);

/* Version of the library that runs: "major.minor.patch", a text that lives as long as the library; and as
 * CRD_VERSION_NUMBER, to be compared with that of the headers a program was compiled with. */
CRD_API const char *crd_version(void);
CRD_API int crd_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
