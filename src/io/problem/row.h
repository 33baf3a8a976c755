/* Impact problems row by row: shared by the readers of JSON and of HDF5. */
#ifndef CRADLE_SRC_IO_PROBLEM_ROW_H
#define CRADLE_SRC_IO_PROBLEM_ROW_H

#include <cradle/io.h>
#include <jansson.h>

/* Empty, with its memory kept. */
void crd_measured_reset(crd_measured *measured);

/* Fills and completes the problem from an object of the format "impact-problem/1"; measured may be NULL. in_list: the
 * object is one of many and need not name the format. */
crd_status crd_problem_read_value(json_t *value, const char *file, bool in_list,
                                  const crd_problem_read_options *options, crd_contact_problem *problem,
                                  crd_measured *measured, crd_error *err);

/* Judges M as that of a file, and completes a problem whose parts are set; nothing happens after a failure (*status). */
void crd_problem_finish(const char *file, crd_contact_problem *problem, crd_error *err, crd_status *status);

/* Rows in an HDF5 file, all in memory. */
typedef struct crd_problem_columns crd_problem_columns;
bool crd_problem_columns_in(const char *path);
crd_status crd_problem_columns_read(const char *path, const crd_problem_read_options *options, crd_arena *arena,
                                    crd_problem_columns **columns, size_t *count, crd_error *err);
crd_status crd_problem_columns_take(const crd_problem_columns *columns, const char *file, size_t row,
                                    crd_contact_problem *problem, crd_measured *measured, crd_error *err);

#endif
