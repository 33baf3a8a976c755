/* A library to be preloaded into the program: runs main once without a fault, then again and again in children, each with
 * one fault at its k-th request, and judges how each run ends. One process serves all runs, so a run costs its own work
 * and no loading of libraries.
 *
 *   FAULTS_KIND    memory      the k-th request for memory fails
 *                  no-memory   the k-th and all later ones fail
 *                  disk        the k-th change of the disk fails (no space left), and all later ones
 *                  kill        the program is killed at the k-th change of the disk
 *   FAULTS_MOST    runs; 0: every k. Fewer than there are requests: k is spread over all of them
 *   FAULTS_FOLDER  where the command writes its files; empty at the start
 *
 * Expected is: a run that is hit either ends as the first did, with the same files and the same output (numbers aside
 * in what is not HDF5: there are times among them), or with exit code 3 and a message, each file and the output whole or not there at all. A
 * killed run leaves each file that was asked for whole or not at all, and the next run ends as the first did, with
 * nothing left beside. What breaks this is told on standard error; exit code 1. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SYSTEM_FAILED = 3, MOST_TOLD = 20, HANGS_S = 60, DEPTH = 16, MOST_FILES = 16 };

typedef enum kind { MEMORY, NO_MEMORY, DISK, KILL } kind;

/* What a child tells its parent. */
typedef struct told {
  long requests;
  int depth;
  void *caller[DEPTH]; /* of the request that failed, innermost first */
} told;

static told *shared;
static kind chosen;
static long target;
static bool armed;

/* Should this request fail? */
static bool hit(bool memory) {
  if (!armed || memory != (chosen == MEMORY || chosen == NO_MEMORY)) return false;
  const long number = __atomic_add_fetch(&shared->requests, 1, __ATOMIC_RELAXED);
  if (target == 0 || number < target || (number > target && chosen == MEMORY)) return false;
  if (number == target) {
    armed = false;
    shared->depth = backtrace(shared->caller, DEPTH);
    armed = true;
  }
  if (chosen == KILL) raise(SIGKILL);
  errno = memory ? ENOMEM : ENOSPC;
  return true;
}

/* The function of that name behind this library. dlsym may itself ask for memory: early gives it. */
static _Alignas(16) char early[65536];
static size_t early_used;
static bool resolving;

static void *early_alloc(size_t size) {
  const size_t at = early_used;
  early_used += (size + 15) & ~(size_t)15;
  return early_used <= sizeof early ? early + at : NULL;
}

static bool is_early(const void *memory) {
  return (uintptr_t)memory >= (uintptr_t)early && (uintptr_t)memory < (uintptr_t)early + sizeof early;
}

static void *behind(void **kept, const char *name) {
  if (!*kept) {
    resolving = true;
    *kept = dlsym(RTLD_NEXT, name);
    resolving = false;
  }
  return *kept;
}

#define BEHIND(name, type) ((type)behind(&behind_##name, #name))
#define EXPORT __attribute__((visibility("default")))

static void *behind_malloc, *behind_calloc, *behind_realloc, *behind_aligned_alloc, *behind_posix_memalign,
    *behind_free, *behind_write, *behind_pwrite, *behind_fsync, *behind_fdatasync, *behind_rename, *behind_ftruncate,
    *behind_open, *behind___libc_start_main, *behind___libc_malloc, *behind___libc_calloc, *behind___libc_realloc,
    *behind___libc_memalign;

EXPORT void *malloc(size_t size) {
  if (!behind_malloc && resolving) return early_alloc(size);
  return hit(true) ? NULL : BEHIND(malloc, void *(*)(size_t))(size);
}

EXPORT void *calloc(size_t count, size_t size) {
  if (!behind_calloc && resolving) return early_alloc(count * size);
  return hit(true) ? NULL : BEHIND(calloc, void *(*)(size_t, size_t))(count, size);
}

EXPORT void *realloc(void *memory, size_t size) {
  return hit(true) ? NULL : BEHIND(realloc, void *(*)(void *, size_t))(memory, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size) {
  return hit(true) ? NULL : BEHIND(aligned_alloc, void *(*)(size_t, size_t))(alignment, size);
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t size) {
  return hit(true) ? ENOMEM : BEHIND(posix_memalign, int (*)(void **, size_t, size_t))(memory, alignment, size);
}

/* A program that puts functions of its own before malloc calls these. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

EXPORT void *__libc_malloc(size_t size) {
  if (!behind___libc_malloc && resolving) return early_alloc(size);
  return hit(true) ? NULL : BEHIND(__libc_malloc, void *(*)(size_t))(size);
}

EXPORT void *__libc_calloc(size_t count, size_t size) {
  if (!behind___libc_calloc && resolving) return early_alloc(count * size);
  return hit(true) ? NULL : BEHIND(__libc_calloc, void *(*)(size_t, size_t))(count, size);
}

EXPORT void *__libc_realloc(void *memory, size_t size) {
  return hit(true) ? NULL : BEHIND(__libc_realloc, void *(*)(void *, size_t))(memory, size);
}

EXPORT void *__libc_memalign(size_t alignment, size_t size) {
  return hit(true) ? NULL : BEHIND(__libc_memalign, void *(*)(size_t, size_t))(alignment, size);
}

EXPORT void free(void *memory) {
  if (!is_early(memory)) BEHIND(free, void (*)(void *))(memory);
}

/* Standard output and error are not the disk. */
EXPORT ssize_t write(int file, const void *data, size_t size) {
  return file > 2 && hit(false) ? -1 : BEHIND(write, ssize_t(*)(int, const void *, size_t))(file, data, size);
}

EXPORT ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
  return hit(false) ? -1 : BEHIND(pwrite, ssize_t(*)(int, const void *, size_t, off_t))(file, data, size, at);
}

EXPORT int fsync(int file) { return hit(false) ? -1 : BEHIND(fsync, int (*)(int))(file); }

EXPORT int fdatasync(int file) { return hit(false) ? -1 : BEHIND(fdatasync, int (*)(int))(file); }

EXPORT int rename(const char *from, const char *to) {
  return hit(false) ? -1 : BEHIND(rename, int (*)(const char *, const char *))(from, to);
}

EXPORT int ftruncate(int file, off_t size) {
  return hit(false) ? -1 : BEHIND(ftruncate, int (*)(int, off_t))(file, size);
}

EXPORT int open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
  va_end(args);
  if ((flags & O_CREAT) && hit(false)) return -1;
  return BEHIND(open, int (*)(const char *, int, ...))(path, flags, mode);
}

/* ------------------------------------------------------------------------------------------------ what a run leaves */

typedef struct text {
  size_t size;
  char *data;
} text;

typedef struct ending {
  int status; /* of waitpid; -1: it hung */
  text out, error;
  int nfile;
  text file[MOST_FILES]; /* of the folder, by name: "name\ncontent" */
} ending;

static text read_all(int file) {
  struct stat status;
  text all = {0};
  if (fstat(file, &status) == 0) all.data = malloc((size_t)status.st_size + 1);
  while (all.data && all.size < (size_t)status.st_size) {
    const ssize_t got = pread(file, all.data + all.size, (size_t)status.st_size - all.size, (off_t)all.size);
    if (got <= 0) break;
    all.size += (size_t)got;
  }
  if (all.data) all.data[all.size] = 0;
  return all;
}

static bool same(const text *a, const text *b) { return a->size == b->size && memcmp(a->data, b->data, a->size) == 0; }

/* Without what makes numbers. */
static void drop_numbers(text *all) {
  size_t kept = 0;
  for (size_t i = 0; i < all->size; i++)
    if (!strchr("0123456789.+-e \n", all->data[i]) || !all->data[i]) all->data[kept++] = all->data[i];
  all->data[all->size = kept] = 0;
}

static void take_folder(const char *folder, bool empty_it, ending *end) {
  struct dirent **entry = NULL;
  const int count = scandir(folder, &entry, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    const int file = entry[i]->d_name[0] == '.' ? -1 : open(path, O_RDONLY);
    if (file >= 0 && end->nfile < MOST_FILES) {
      text content = read_all(file), *to = &end->file[end->nfile++];
      const size_t name = strlen(entry[i]->d_name) + 1;
      if (!strstr(entry[i]->d_name, ".h5")) drop_numbers(&content);
      to->data = malloc(name + content.size + 1), to->size = name + content.size;
      memcpy(to->data, entry[i]->d_name, name);
      memcpy(to->data + name, content.data, content.size + 1);
      free(content.data), close(file);
      if (empty_it) unlink(path);
    }
    free(entry[i]);
  }
  free(entry);
}

/* Is each file of `end` one of the first run, whole? */
static bool files_are_whole(const ending *end, const ending *first) {
  for (int i = 0; i < end->nfile; i++) {
    bool found = false;
    for (int k = 0; k < first->nfile; k++) found = found || same(&end->file[i], &first->file[k]);
    if (!found) return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------ runs */

static int (*real_main)(int, char **, char **);

/* -1: it does not end. */
static int wait_for(pid_t child) {
  enum { TICK_NS = 1000000 };
  const struct timespec tick = {.tv_nsec = TICK_NS};
  int status;
  for (long ticks = 0; ticks < HANGS_S * 1000L; ticks++) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    nanosleep(&tick, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

static ending run(int argc, char **argv, char **environment, const char *folder, long k, bool empty_it) {
  const int out = memfd_create("out", 0), error = memfd_create("error", 0);
  ending end = {0};
  shared->requests = 0, shared->depth = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    dup2(out, STDOUT_FILENO), dup2(error, STDERR_FILENO);
    close(out), close(error);
    target = k, armed = true;
    exit(real_main(argc, argv, environment));
  }
  end.status = wait_for(child);
  end.out = read_all(out), end.error = read_all(error);
  take_folder(folder, empty_it, &end);
  drop_numbers(&end.out);
  close(out), close(error);
  return end;
}

static void free_ending(ending *end) {
  free(end->out.data), free(end->error.data);
  for (int i = 0; i < end->nfile; i++) free(end->file[i].data);
}

/* NULL: as it has to be. */
static const char *judge(const ending *end, const ending *first) {
  if (end->status == -1) return "does not end";
  if (WIFSIGNALED(end->status)) return "was ended by a signal";
  if (end->status == first->status) {
    if (!same(&end->out, &first->out)) return "ended as if nothing had happened, with other output";
    return end->nfile == first->nfile && files_are_whole(end, first)
               ? NULL
               : "ended as if nothing had happened, with other files";
  }
  if (WEXITSTATUS(end->status) != SYSTEM_FAILED) return "ended with another exit code than 3";
  if (end->error.size == 0) return "failed without a message";
  if (end->out.size > 0 && !same(&end->out, &first->out)) return "failed with a part of the output";
  return files_are_whole(end, first) ? NULL : "failed and left a part of a file";
}

/* The same of what a killed run left, except for files of names that no run of this name keeps ("x.h5.123-0"). */
static bool whole_beside(const ending *end, const ending *first) {
  for (int i = 0; i < end->nfile; i++)
    for (int k = 0; k < first->nfile; k++)
      if (strcmp(end->file[i].data, first->file[k].data) == 0 && !same(&end->file[i], &first->file[k])) return false;
  return true;
}

static void tell(const char *what, long k, const ending *end) {
  fprintf(stderr, "  request %ld: %s: status %#x, '%.300s' '%.60s'\n   ", k, what, (unsigned)end->status,
          end->error.data, end->out.data);
  for (int i = 0; i < end->nfile; i++) fprintf(stderr, " %s (%zu bytes)", end->file[i].data, end->file[i].size);
  for (int i = 2; i < shared->depth; i++) {
    Dl_info place = {0};
    dladdr(shared->caller[i], &place);
    const char *slash = place.dli_fname ? strrchr(place.dli_fname, '/') : NULL;
    fprintf(stderr, " %s+%#zx", slash ? slash + 1 : "?", (size_t)((char *)shared->caller[i] - (char *)place.dli_fbase));
  }
  fputc('\n', stderr);
}

static const char *number_text(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value ? value : otherwise;
}

static kind find_kind(void) {
  static const char *const NAMES[] = {"memory", "no-memory", "disk", "kill"};
  const char *name = number_text("FAULTS_KIND", "memory");
  int i = 0;
  while (i < 3 && strcmp(name, NAMES[i]) != 0) i++;
  return (kind)i;
}

static int run_all(int argc, char **argv, char **environment) {
  const char *folder = number_text("FAULTS_FOLDER", ".");
  const long most = strtol(number_text("FAULTS_MOST", "0"), NULL, 10);
  const long only = strtol(number_text("FAULTS_ONLY", "0"), NULL, 10);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  chosen = find_kind();
  void *warm[2];
  backtrace(warm, 2); /* what it loads at its first call is loaded here */
  ending first = run(argc, argv, environment, folder, 0, true);
  const long requests = shared->requests, runs = most > 0 && most < requests ? most : requests;
  long wrong = 0, unharmed = 0;
  if (!WIFEXITED(first.status)) return fprintf(stderr, "%s: ends without a fault by a signal\n", argv[1]), 1;
  for (long i = 0; i < (only ? 1 : runs); i++) {
    const long k = only ? only : 1 + (long)((double)i * (double)requests / (double)runs);
    ending end = run(argc, argv, environment, folder, k, chosen != KILL);
    const char *what;
    if (chosen == KILL && WIFSIGNALED(end.status)) {
      what = whole_beside(&end, &first) ? NULL : "was killed and left a part of a file in its place";
      ending next = run(argc, argv, environment, folder, 0, true);
      if (!what) what = judge(&next, &first);
      if (!what && next.status != first.status) what = "could not be run again after it was killed";
      free_ending(&end), end = next;
    } else {
      what = judge(&end, &first);
    }
    unharmed += !what && end.status == first.status;
    if (what && wrong++ < MOST_TOLD) tell(what, k, &end);
    free_ending(&end);
  }
  fprintf(stderr, "faults: %ld requests, %ld runs, %ld unharmed, %ld wrong\n", requests, runs, unharmed, wrong);
  free_ending(&first);
  return wrong > 0;
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
  typedef int start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                    void *);
  real_main = main;
  return BEHIND(__libc_start_main, start *)(getenv("FAULTS_KIND") ? run_all : main, argc, argv, init, fini, rtld_fini,
                                            stack_end);
}
