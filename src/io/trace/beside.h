/* A file written beside its place and renamed into it: it appears whole or not at all. */
#ifndef SRC_IO_BESIDE_H
#define SRC_IO_BESIDE_H

#include <cradle/base.h>

typedef struct crd_beside {
  char *place; /* where the file will be, links resolved */
  char *name;  /* the new file, "place.<process>-<try>" */
} crd_beside;

/* Creates an empty file beside path, with the permissions of the file it will replace. *file is open for writing; the
 * caller closes it (or opens the name again in a way of its own). CRD_ERR_FILE, CRD_ERR_MEMORY: nothing was made. */
crd_status crd_beside_begin(crd_beside *beside, const char *path, int *file, crd_error *err);
/* Gives the new file, written, flushed and closed, its place. Where that fails the new file is removed. */
crd_status crd_beside_commit(crd_beside *beside, const char *path, crd_error *err);
/* crd_io_remove_unfinished leaves the new file where it is. */
void crd_beside_stays(const crd_beside *beside);
/* Removes the new file. */
void crd_beside_discard(crd_beside *beside);

/* "what: the system's reason", with errno, about path. */
crd_status crd_file_failed(crd_error *err, const char *path, const char *what);
/* The open file on the disk before its name changes, so that a crash leaves the old file or the new one. */
bool crd_file_flush(int file);

#endif
