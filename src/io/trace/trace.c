/* Traces: the format by the ending, or memory, and functions common to all. */
#include "io/trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/file/path.h"
#include "io/file/text.h"
#include "io/trace/log.h"

struct crd_trace_writer {
  crd_trace_h5 *h5; /* one of the three */
  crd_trace_csv *csv;
  crd_trace_memory *memory;
  crd_trace_log *log; /* of the first */
};

void crd_trace_energy_pack(const crd_sim_energy *energy, double value[CRD_TRACE_ENERGIES]) {
  const double all[CRD_TRACE_ENERGIES] = {energy->kinetic,     energy->potential, energy->start,   energy->actuation,
                                          energy->damping,     energy->impact,    energy->contact, energy->loop,
                                          energy->integration, energy->gain_max};
  memcpy(value, all, sizeof all);
}

void crd_trace_energy_unpack(const double value[CRD_TRACE_ENERGIES], crd_sim_energy *energy) {
  *energy = (crd_sim_energy){.kinetic = value[0],
                             .potential = value[1],
                             .start = value[2],
                             .actuation = value[3],
                             .damping = value[4],
                             .impact = value[5],
                             .contact = value[6],
                             .loop = value[7],
                             .integration = value[8],
                             .gain_max = value[9]};
}

crd_trace_row crd_io_trace_row(const crd_sim *sim) {
  const crd_sim_counters counters = crd_sim_counters_now(sim);
  crd_trace_row row = {.t = crd_sim_time(sim),
                       .s = crd_sim_time(sim) + counters.normal_impulse,
                       .qpos = crd_sim_qpos(sim),
                       .qvel = crd_sim_qvel(sim),
                       .act = crd_sim_act(sim),
                       .sensor = crd_sim_sensors(sim),
                       .energy = crd_sim_energy_now(sim),
                       .penetration = counters.penetration_max,
                       .residual = counters.residual_max};
  row.contact = crd_sim_contacts(sim, &row.ncontact);
  return row;
}

const char *crd_io_sensor_columns(const crd_model *model, crd_arena *arena) {
  crd_text text = {0};
  for (int s = 0; s < model->nsensor; s++) {
    const crd_sensor *sensor = &model->sensor[s];
    for (int k = 0; k < sensor->dim; k++) {
      if (text.size) crd_text_add(&text, " ");
      const size_t from = text.size;
      if (sensor->name[0])
        crd_text_add(&text, "%s", sensor->name);
      else
        crd_text_add(&text, "#%d", s);
      for (size_t i = from; !text.failed && i < text.size; i++)
        if (strchr(" ,\"\t\r\n", text.data[i])) text.data[i] = '_';
      if (sensor->dim > 1) crd_text_add(&text, "[%d]", k);
    }
  }
  const char *copy = text.failed ? NULL : crd_arena_string(arena, text.size ? text.data : "");
  crd_text_free(&text);
  return copy;
}

crd_status crd_io_trace_create(const char *path, const crd_trace_header *header, int nq, int nv,
                               crd_trace_writer **writer, crd_error *err) {
  *writer = NULL;
  const char *ending = crd_path_extension(path);
  const bool h5 = strcasecmp(ending, "h5") == 0;
  if (!h5 && strcasecmp(ending, "csv") != 0)
    return crd_error_set(err, CRD_ERR_ARGUMENT, path, 0, "found the ending '%s', expected .h5 or .csv", ending);
  crd_trace_writer *made = calloc(1, sizeof *made);
  if (!made) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory to write the trace");
  crd_status status = h5 ? crd_trace_h5_create(path, header, nq, nv, &made->h5, err)
                         : crd_trace_csv_create(path, header, nq, nv, &made->csv, err);
  if (status) {
    free(made);
    return status;
  }
  if (h5) made->log = crd_trace_log_create(path, header, nq, nv);
  *writer = made;
  return CRD_OK;
}

crd_status crd_io_trace_collect(const crd_trace_header *header, int nq, int nv, crd_trace_writer **writer,
                                crd_error *err) {
  *writer = NULL;
  crd_trace_writer *made = calloc(1, sizeof *made);
  if (!made) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the trace");
  crd_status status = crd_trace_memory_create(header, nq, nv, &made->memory, err);
  if (status == CRD_OK)
    *writer = made;
  else
    free(made);
  return status;
}

void crd_io_trace_add(crd_trace_writer *writer, const crd_trace_row *row) {
  if (writer->h5) {
    crd_trace_h5_add(writer->h5, row);
    crd_trace_log_add(writer->log, row);
  } else if (writer->memory) {
    crd_trace_memory_add(writer->memory, row);
  } else {
    crd_trace_csv_add(writer->csv, row);
  }
}

void crd_io_trace_event(crd_trace_writer *writer, const crd_sim_event *event, const double *qpos, const double *qvel) {
  if (writer->h5) crd_trace_h5_event(writer->h5, event, qpos, qvel);
  if (writer->memory) crd_trace_memory_event(writer->memory, event, qpos, qvel);
  crd_trace_log_event(writer->log, event, qpos, qvel);
}

bool crd_io_trace_failed(const crd_trace_writer *writer) {
  if (writer->memory) return crd_trace_memory_failed(writer->memory);
  return writer->h5 ? crd_trace_h5_failed(writer->h5) : crd_trace_csv_failed(writer->csv);
}

crd_status crd_io_trace_commit(crd_trace_writer *writer, const crd_trace_end *end, crd_error *err) {
  if (writer->memory) return crd_io_trace_discard(writer), CRD_ERR_ARGUMENT;
  crd_status status =
      writer->h5 ? crd_trace_h5_commit(writer->h5, end, err) : crd_trace_csv_commit(writer->csv, end, err);
  crd_trace_log_end(writer->log);
  free(writer);
  return status;
}

crd_status crd_io_trace_take(crd_trace_writer *writer, const crd_trace_end *end, crd_trace *trace, crd_error *err) {
  crd_status status = CRD_ERR_ARGUMENT;
  if (writer->memory) status = crd_trace_memory_take(writer->memory, end, trace, err), writer->memory = NULL;
  crd_io_trace_discard(writer);
  return status;
}

void crd_io_trace_discard(crd_trace_writer *writer) {
  if (!writer) return;
  crd_trace_memory_discard(writer->memory);
  crd_trace_h5_discard(writer->h5);
  crd_trace_csv_discard(writer->csv);
  crd_trace_log_end(writer->log);
  free(writer);
}

void crd_io_trace_free(crd_trace *trace) {
  crd_arena_free(&trace->arena);
  *trace = (crd_trace){0};
}
