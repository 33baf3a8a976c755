/* Signals of a run for the plots of a page, besides states and contacts: controls, forces of the actuators, generalised
 * forces, sensors. */
#ifndef CRADLE_SRC_IO_RUN_SIGNALS_H
#define CRADLE_SRC_IO_RUN_SIGNALS_H

#include <cradle/io.h>

typedef struct crd_run_signal {
  const char *group, *unit, *name;
  const double *value; /* one for each row; NaN: not known there */
} crd_run_signal;

/* At rows row[0] .. row[count - 1] of the trace, all of a group behind each other. model is that of the trace; inputs may
 * be NULL. The list and all in it lie in the arena. CRD_ERR_MEMORY. */
crd_status crd_run_signals(const crd_trace *trace, const crd_model *model, const crd_run_inputs *inputs, size_t count,
                           const size_t *row, crd_arena *arena, const crd_run_signal **signal, int *nsignal);

#endif
