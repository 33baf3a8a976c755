#define _DEFAULT_SOURCE
#include "io/trace/beside.h"

#include <cradle/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/trace/leftover.h"

crd_status crd_file_failed(crd_error *err, const char *path, const char *what) {
  return crd_error_set(err, CRD_ERR_FILE, path, 0, "%s: %s", what, strerror(errno));
}

bool crd_file_flush(int file) {
  /* what cannot be flushed (a pipe, a device) reports EINVAL and needs no flushing */
  return fsync(file) == 0 || errno == EINVAL;
}

/* The new files that are not finished, for crd_io_remove_unfinished. More than so many at once are not known to it. */
enum { MOST_UNFINISHED = 256 };
static _Atomic(const char *) unfinished[MOST_UNFINISHED];

static void change_unfinished(const char *from, const char *to) {
  for (int i = 0; i < MOST_UNFINISHED; i++) {
    const char *expected = from;
    if (atomic_compare_exchange_strong(&unfinished[i], &expected, to)) return;
  }
}

void crd_io_remove_unfinished(void) {
  for (int i = 0; i < MOST_UNFINISHED; i++) {
    const char *name = atomic_exchange(&unfinished[i], NULL);
    if (name) unlink(name);
  }
}

void crd_beside_stays(const crd_beside *beside) { change_unfinished(beside->name, NULL); }

static void forget(crd_beside *beside) {
  if (beside->name) change_unfinished(beside->name, NULL);
  free(beside->name);
  free(beside->place);
  *beside = (crd_beside){0};
}

/* Opens a new file under an unused name. */
static int open_new(crd_beside *beside, size_t room) {
  const char *slash = strrchr(beside->place, '/'), *own = slash ? slash + 1 : beside->place;
  const int folder = (int)(own - beside->place);
  char stem[CRD_LEFTOVER_STEM];
  crd_leftover_stem(own, stem);
  for (int attempt = 0; attempt < 1000; attempt++) {
    snprintf(beside->name, room, "%.*s%s.%ld-%d", folder, beside->place, stem, (long)getpid(), attempt);
    int file = open(beside->name, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (file >= 0) change_unfinished(NULL, beside->name);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

crd_status crd_beside_begin(crd_beside *beside, const char *path, int *file, crd_error *err) {
  struct stat present;
  const bool replaces = stat(path, &present) == 0;
  /* a new file could take the place of one that must not be written: the folder's permission decides about names */
  if (replaces && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
    return crd_file_failed(err, path, "cannot be written");
  /* a link is followed, so that the file it points to is replaced and not the link */
  char *target = realpath(path, NULL);
  *beside = (crd_beside){.place = target ? target : strdup(path)};
  const size_t room = strlen(beside->place ? beside->place : "") + 40;
  beside->name = malloc(room);
  if (!beside->place || !beside->name) {
    forget(beside);
    return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory to write the file");
  }
  crd_leftovers_remove(beside->place);
  *file = open_new(beside, room);
  if (*file >= 0)
    flock(*file, LOCK_EX | LOCK_NB); /* whoever finds the file without a lock knows that it is left over */
  if (*file >= 0 && (!replaces || fchmod(*file, present.st_mode & 07777) == 0)) return CRD_OK;
  crd_status status = crd_file_failed(err, path, "cannot be created");
  if (*file >= 0) close(*file), unlink(beside->name);
  forget(beside);
  return status;
}

crd_status crd_beside_commit(crd_beside *beside, const char *path, crd_error *err) {
  crd_status status = CRD_OK;
  if (rename(beside->name, beside->place) != 0) {
    status = crd_file_failed(err, path, "cannot be written");
    unlink(beside->name);
  }
  forget(beside);
  return status;
}

void crd_beside_discard(crd_beside *beside) {
  if (beside->name) unlink(beside->name);
  forget(beside);
}
