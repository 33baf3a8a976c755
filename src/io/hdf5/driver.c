#define _XOPEN_SOURCE 700
#include "io/hdf5/driver.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct way {
  int descriptor;
  int *failure;
} way;

typedef struct disk {
  H5FD_t public_part; /* HDF5's, has to come first */
  way way;
  haddr_t allocated, size; /* bytes that HDF5 has allocated, bytes written */
} disk;

static void keep_failure(disk *file) {
  if (*file->way.failure == 0) *file->way.failure = errno ? errno : EIO;
}

static H5FD_t *open_disk(const char *name, unsigned flags, hid_t access, haddr_t limit) {
  (void)name, (void)flags, (void)limit;
  const way *given = H5Pget_driver_info(access);
  disk *file = given ? calloc(1, sizeof *file) : NULL;
  if (!file) return NULL;
  file->way = *given;
  return &file->public_part;
}

static herr_t close_disk(H5FD_t *handle) {
  free(handle);
  return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  return x < y ? -1 : x > y;
}

static herr_t query(const H5FD_t *handle, unsigned long *flags) {
  (void)handle;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t get_allocated(const H5FD_t *handle, H5FD_mem_t type) {
  (void)type;
  return ((const disk *)(const void *)handle)->allocated;
}

static herr_t set_allocated(H5FD_t *handle, H5FD_mem_t type, haddr_t end) {
  (void)type;
  ((disk *)(void *)handle)->allocated = end;
  return 0;
}

static haddr_t get_size(const H5FD_t *handle, H5FD_mem_t type) {
  (void)type;
  return ((const disk *)(const void *)handle)->size;
}

/* Bytes never written read as zero. */
static herr_t read_disk(H5FD_t *handle, H5FD_mem_t type, hid_t transfer, haddr_t place, size_t size, void *buffer) {
  (void)type, (void)transfer;
  disk *file = (disk *)(void *)handle;
  char *next = buffer;
  while (size > 0) {
    ssize_t got = pread(file->way.descriptor, next, size, (off_t)place);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) keep_failure(file);
    if (got <= 0) break;
    next += got, place += (haddr_t)got, size -= (size_t)got;
  }
  memset(next, 0, size);
  return 0;
}

static herr_t write_disk(H5FD_t *handle, H5FD_mem_t type, hid_t transfer, haddr_t place, size_t size,
                         const void *buffer) {
  (void)type, (void)transfer;
  disk *file = (disk *)(void *)handle;
  const char *next = buffer;
  if (file->size < place + size) file->size = place + size;
  while (size > 0 && *file->way.failure == 0) {
    ssize_t written = pwrite(file->way.descriptor, next, size, (off_t)place);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      keep_failure(file);
    } else {
      next += written, place += (haddr_t)written, size -= (size_t)written;
    }
  }
  return 0;
}

/* The file gets the length HDF5 expects to find. */
static herr_t set_length(H5FD_t *handle, hid_t transfer, hbool_t closing) {
  (void)transfer, (void)closing;
  disk *file = (disk *)(void *)handle;
  if (file->size == file->allocated || *file->way.failure != 0) return 0;
  if (ftruncate(file->way.descriptor, (off_t)file->allocated) != 0) keep_failure(file);
  file->size = file->allocated;
  return 0;
}

static const H5FD_class_t DRIVER = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 60001, /* beyond those HDF5 gives out */
#endif
    .name = "cradle",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(way),
    .open = open_disk,
    .close = close_disk,
    .cmp = compare,
    .query = query,
    .get_eoa = get_allocated,
    .set_eoa = set_allocated,
    .get_eof = get_size,
    .read = read_disk,
    .write = write_disk,
    .truncate = set_length,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t crd_h5_driver_access(int descriptor, int *failure) {
  const way given = {descriptor, failure};
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), driver = H5FDregister(&DRIVER);
  if (access >= 0 && (driver < 0 || H5Pset_driver(access, driver, &given) < 0)) H5Pclose(access), access = -1;
  if (driver >= 0) H5FDunregister(driver); /* the list and the file keep it as long as they need it */
  return access;
}
