/* What the files of the glue share. */
#ifndef CRADLE_PYTHON_INTERNAL_H
#define CRADLE_PYTHON_INTERNAL_H

#include <pthread.h>

#include "glue.h"

#define BUSY ((crd_status)CRDPY_BUSY)
#define CLOSED ((crd_status)CRDPY_CLOSED)

/* HDF5 and DSDP keep globals: one call at a time. */
extern pthread_mutex_t crdpy_one_at_a_time;

/* Before a call that may use several threads. */
void crdpy_team(void);

crdpy_model *crdpy_model_hold(crdpy_model *model);
double crdpy_seconds(void);

/* Of a simulation: the rows and events of a run. */
crd_status crdpy_recorder_new(const crdpy_sim *sim, crdpy_recorder **out);
void crdpy_recorder_row(crdpy_recorder *recorder, const crd_sim *sim);
void crdpy_recorder_event(crdpy_recorder *recorder, const crd_sim *sim, const crd_sim_event *event);
/* The trace; the recorder is freed in any case. status: how the run ended. */
crd_status crdpy_recorder_end(crdpy_recorder *recorder, const crdpy_sim *sim, crd_status status, double duration,
                              long every, double wall, crdpy_trace **out);

#endif
