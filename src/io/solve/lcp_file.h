/* The two kinds of files that hold a bare complementarity problem. */
#ifndef CRADLE_SRC_IO_LCP_FILE_H
#define CRADLE_SRC_IO_LCP_FILE_H

#include <cradle/io.h>
#include <jansson.h>

/* Largest problem that is read: dense methods solve it. */
enum { CRD_LCP_FILE_ROWS = 4096 };

/* Fills *file from the object; on failure the caller frees it. */
crd_status crd_lcp_file_json(json_t *root, const char *name, crd_lcp_file *file, crd_error *err);

#endif
