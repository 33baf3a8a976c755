/* Internal parts of traces: the two formats and the memory behind crd_trace_writer, and the names both sides of HDF5 agree on. */
#ifndef CRADLE_SRC_IO_TRACE_H
#define CRADLE_SRC_IO_TRACE_H

#include <cradle/io.h>

/* The columns of /energy, in the order of crd_sim_energy, separated by blanks. */
#define CRD_TRACE_ENERGY "kinetic potential start actuation damping impact contact loop integration gain_max"
enum { CRD_TRACE_ENERGIES = 10 };
void crd_trace_energy_pack(const crd_sim_energy *energy, double value[CRD_TRACE_ENERGIES]);
void crd_trace_energy_unpack(const double value[CRD_TRACE_ENERGIES], crd_sim_energy *energy);

/* Value of the attribute "cradle" of the file. */
#define CRD_TRACE_FORMAT "trace/2"

/* An HDF5 trace as bytes in memory; name is for messages. */
crd_status crd_trace_read_memory(const void *data, size_t size, const char *name, crd_trace *trace, crd_error *err);

typedef struct crd_trace_h5 crd_trace_h5;
crd_status crd_trace_h5_create(const char *path, const crd_trace_header *header, int nq, int nv, crd_trace_h5 **trace,
                               crd_error *err);
void crd_trace_h5_add(crd_trace_h5 *trace, const crd_trace_row *row);
void crd_trace_h5_event(crd_trace_h5 *trace, const crd_sim_event *event, const double *qpos, const double *qvel);
bool crd_trace_h5_failed(const crd_trace_h5 *trace);
crd_status crd_trace_h5_commit(crd_trace_h5 *trace, const crd_trace_end *end, crd_error *err);
void crd_trace_h5_discard(crd_trace_h5 *trace);

typedef struct crd_trace_memory crd_trace_memory;
crd_status crd_trace_memory_create(const crd_trace_header *header, int nq, int nv, crd_trace_memory **trace,
                                   crd_error *err);
void crd_trace_memory_add(crd_trace_memory *trace, const crd_trace_row *row);
void crd_trace_memory_event(crd_trace_memory *trace, const crd_sim_event *event, const double *qpos,
                            const double *qvel);
bool crd_trace_memory_failed(const crd_trace_memory *trace);
crd_status crd_trace_memory_take(crd_trace_memory *trace, const crd_trace_end *end, crd_trace *out, crd_error *err);
void crd_trace_memory_discard(crd_trace_memory *trace);

typedef struct crd_trace_csv crd_trace_csv;
crd_status crd_trace_csv_create(const char *path, const crd_trace_header *header, int nq, int nv, crd_trace_csv **trace,
                                crd_error *err);
void crd_trace_csv_add(crd_trace_csv *trace, const crd_trace_row *row);
bool crd_trace_csv_failed(const crd_trace_csv *trace);
crd_status crd_trace_csv_commit(crd_trace_csv *trace, const crd_trace_end *end, crd_error *err);
void crd_trace_csv_discard(crd_trace_csv *trace);

#endif
