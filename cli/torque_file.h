/* Forces over time from a CSV file. */
#ifndef CRADLE_CLI_TORQUE_FILE_H
#define CRADLE_CLI_TORQUE_FILE_H

#include <cradle/model.h>

/* A line of titles, `t` and then for each column the name of an actuator (its control), the name of a hinge or slide
 * joint (a generalised force on it) or tau1 .. tauN (on velocity 1 .. nv); then a line of numbers for each time, times
 * ascending. Without titles the columns are t, tau1, .., tau<nv>. Lines that are empty or begin with # are skipped. */
typedef struct torque_file {
  int columns;
  size_t rows;
  const int *target;   /* columns: actuator i as i, velocity j as -1 - j */
  const double *t;     /* rows */
  const double *value; /* rows x columns */
  bool linear;         /* between the rows; else each row holds until the next */
  crd_arena arena;
} torque_file;

/* From size bytes of text; name stands for the file in messages. CRD_ERR_FORMAT, CRD_ERR_NUMBER, CRD_ERR_ARGUMENT (a
 * title that names nothing), CRD_ERR_MEMORY. Free in either case. */
crd_status torque_file_read(torque_file *file, const char *text, const char *name, const crd_model *model,
                            crd_error *err);
void torque_file_free(torque_file *file);

/* The rows' instants at which the forces jump (or, linear, their slope does): a step that crosses one is cut there, and
 * all of a step takes its forces from the row of its start, also the evaluation at its very end.
 *
 * The rows that are over at time t: row - 1 holds from t on, 0: no forces yet. */
size_t torque_file_row(const torque_file *file, double t);
/* Adds the forces at time t to ctrl and tau, of the row that torque_file_row gave for the start of the step. */
void torque_file_apply(const torque_file *file, size_t row, double t, double *ctrl, double *tau);

#endif
