/* The two kinds of files that hold a bare complementarity problem. */
#ifndef CRADLE_SRC_IO_LCP_FILE_H
#define CRADLE_SRC_IO_LCP_FILE_H

#include <cradle/io.h>

/* Largest problem that is read. */
enum { CRD_LCP_FILE_ROWS = 4096 };

/* Fill *file from the text; on failure the caller frees it. */
crd_status crd_lcp_file_plain(const char *text, const char *name, crd_lcp_file *file, crd_error *err);
crd_status crd_lcp_file_json(const char *text, size_t size, const char *name, crd_lcp_file *file, crd_error *err);

#endif
