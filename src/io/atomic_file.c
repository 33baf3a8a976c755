/* A file that appears whole or not at all: written beside its place, flushed to the disk, then renamed. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static crd_status failed(crd_error *err, const char *path, const char *what) {
  return crd_error_set(err, CRD_ERR_FILE, path, 0, "%s: %s", what, strerror(errno));
}

/* All bytes, and on the disk before the name changes, so that a crash leaves the old file or the new one. */
static bool write_all(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data += written, size -= (size_t)written;
  }
  /* what cannot be flushed (a pipe, a device) reports EINVAL and needs no flushing */
  return fsync(file) == 0 || errno == EINVAL;
}

/* Opens a new file "path.<process>-<try>" whose name nobody uses; beside has room for it. */
static int open_beside(const char *path, char *beside, size_t room) {
  for (int attempt = 0; attempt < 1000; attempt++) {
    snprintf(beside, room, "%s.%ld-%d", path, (long)getpid(), attempt);
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

static crd_status write_beside(const char *path, char *beside, size_t room, const char *data, size_t size,
                               crd_error *err) {
  struct stat present;
  const bool replaces = stat(path, &present) == 0;
  int file = open_beside(path, beside, room);
  if (file < 0) return failed(err, path, "cannot be created");
  bool written = write_all(file, data, size) && (!replaces || fchmod(file, present.st_mode & 07777) == 0);
  int reason = errno;
  if (close(file) != 0 && written) written = false, reason = errno;
  if (written && rename(beside, path) == 0) return CRD_OK;
  if (!written) errno = reason;
  crd_status status = failed(err, path, "cannot be written");
  unlink(beside);
  return status;
}

/* A device or a pipe cannot be replaced; the bytes go into it. */
static crd_status write_through(const char *path, const char *data, size_t size, crd_error *err) {
  int file = open(path, O_WRONLY);
  if (file < 0) return failed(err, path, "cannot be opened");
  crd_status status = write_all(file, data, size) ? CRD_OK : failed(err, path, "cannot be written");
  close(file);
  return status;
}

crd_status crd_io_write_file(const char *path, const char *data, size_t size, crd_error *err) {
  struct stat present;
  if (stat(path, &present) == 0) {
    if (S_ISDIR(present.st_mode))
      return crd_error_set(err, CRD_ERR_FILE, path, 0, "found a folder, expected the name of a file to write");
    if (!S_ISREG(present.st_mode)) return write_through(path, data, size, err);
  }
  /* a link is followed, so that the file it points to is replaced and not the link */
  char *target = realpath(path, NULL);
  const char *place = target ? target : path;
  const size_t room = strlen(place) + 40;
  char *beside = malloc(room);
  crd_status status = CRD_ERR_MEMORY;
  if (beside) {
    status = write_beside(place, beside, room, data, size, err);
  } else {
    crd_error_set(err, status, path, 0, "no memory to write the file");
  }
  free(beside);
  free(target);
  return status;
}
