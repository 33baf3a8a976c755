/* Bytes to a file that appears whole or not at all: written beside its place, flushed to the disk, then renamed. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/trace/beside.h"

static bool write_all(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data += written, size -= (size_t)written;
  }
  return crd_file_flush(file);
}

static crd_status write_beside(const char *path, const char *data, size_t size, crd_error *err) {
  crd_beside beside;
  int file;
  crd_status status = crd_beside_begin(&beside, path, &file, err);
  if (status != CRD_OK) return status;
  bool written = write_all(file, data, size);
  int reason = errno;
  if (close(file) != 0 && written) written = false, reason = errno;
  if (written) return crd_beside_commit(&beside, path, err);
  errno = reason;
  status = crd_file_failed(err, path, "cannot be written");
  crd_beside_discard(&beside);
  return status;
}

/* A device or a pipe cannot be replaced; the bytes go into it. */
static crd_status write_through(const char *path, const char *data, size_t size, crd_error *err) {
  int file = open(path, O_WRONLY);
  if (file < 0) return crd_file_failed(err, path, "cannot be opened");
  crd_status status = write_all(file, data, size) ? CRD_OK : crd_file_failed(err, path, "cannot be written");
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
  return write_beside(path, data, size, err);
}
