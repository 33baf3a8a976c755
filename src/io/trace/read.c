/* Traces from HDF5. Everything is checked before it is believed: shapes against the row count, offsets for order, name
 * numbers, modes and kinds for their ranges. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/hdf5/file.h"
#include "io/hdf5/source_h5.h"
#include "io/trace/trace.h"

typedef struct reader {
  crd_h5_input *file;
  const char *path;
  crd_trace *trace;
  crd_error *err;
  crd_status status; /* of the first failure; nothing is read after it */
  const char **name;
  size_t nname;
} reader;

static void wrong(reader *in, const char *what, const char *expected) {
  if (in->status == CRD_OK)
    in->status = crd_error_set(in->err, CRD_ERR_FORMAT, in->path, 0, "%s: expected %s", what, expected);
}

static const char *text(reader *in, const char *attribute) {
  const char *value = "";
  if (in->status == CRD_OK) in->status = crd_h5_read_text(in->file, "/", attribute, &in->trace->arena, &value, in->err);
  return value;
}

static double number(reader *in, const char *attribute) {
  double value = 0;
  if (in->status == CRD_OK) in->status = crd_h5_read_number(in->file, "/", attribute, &value, in->err);
  return value;
}

static int64_t integer(reader *in, const char *attribute, int64_t least, int64_t most) {
  int64_t value = 0;
  if (in->status == CRD_OK) in->status = crd_h5_read_integer(in->file, "/", attribute, &value, in->err);
  if (in->status == CRD_OK && (value < least || value > most))
    in->status = crd_error_set(in->err, CRD_ERR_FORMAT, in->path, 0, "attribute %s: found %lld, expected %lld to %lld",
                               attribute, (long long)value, (long long)least, (long long)most);
  return value;
}

/* The same of an attribute that older traces lack: 0. */
static int64_t later_integer(reader *in, const char *attribute, int64_t least, int64_t most) {
  bool is_there = in->status == CRD_OK && crd_h5_has_attribute(in->file, "/", attribute);
  return is_there ? integer(in, attribute, least, most) : 0;
}

/* An array of `columns` (0: one-dimensional) by rows; CRD_H5_ANY rows become those found. */
static const void *array(reader *in, const char *name, crd_h5_kind kind, size_t *rows, size_t *columns) {
  void *value = NULL;
  size_t size[2] = {*rows, columns ? *columns : 0};
  if (in->status != CRD_OK) return NULL;
  in->status = crd_h5_read(in->file, name, kind, columns ? 2 : 1, size, &in->trace->arena, &value, in->err);
  if (in->status != CRD_OK) return NULL;
  *rows = size[0];
  if (columns) *columns = size[1];
  return value;
}

static void check_finite(reader *in, const char *name, size_t count, const double *value) {
  for (size_t i = 0; in->status == CRD_OK && i < count; i++)
    if (!isfinite(value[i]))
      in->status = crd_error_set(in->err, CRD_ERR_NUMBER, in->path, 0, "%s: found %g at %zu, expected finite numbers",
                                 name, value[i], i);
}

static const void *rows_of(reader *in, const char *name, crd_h5_kind kind, size_t rows, size_t columns) {
  return array(in, name, kind, &rows, columns ? &columns : NULL);
}

/* Finite numbers, rows x columns. */
static const double *numbers(reader *in, const char *name, size_t rows, size_t columns) {
  const double *value = rows_of(in, name, CRD_H5_DOUBLE, rows, columns);
  check_finite(in, name, rows * (columns ? columns : 1), value);
  return value;
}

static void *allocate(reader *in, size_t count, size_t size) {
  void *memory = in->status == CRD_OK ? crd_arena_alloc(&in->trace->arena, count + 1, size) : NULL;
  if (!memory && in->status == CRD_OK)
    in->status = crd_error_set(in->err, CRD_ERR_MEMORY, in->path, 0, "no memory for the trace");
  return memory;
}

/* ------------------------------------------------------------------------------------------------ header */

static void read_options(reader *in, crd_sim_options *options) {
  *options = crd_sim_default();
  options->timestep = number(in, "timestep"), options->mu = number(in, "mu"), options->e = number(in, "e");
  options->gap_tolerance = number(in, "gap_tolerance"), options->loop_tolerance = number(in, "loop_tolerance");
  options->relative_tolerance = number(in, "relative_tolerance");
  options->absolute_tolerance = number(in, "absolute_tolerance");
  options->facets = (int)integer(in, "facets", 0, INT_MAX);
  options->max_impacts = (int)integer(in, "max_impacts", 0, INT_MAX);
  options->clear_start = integer(in, "clear_start", 0, 1) != 0;
  options->ignore_overlaps = later_integer(in, "ignore_overlaps", 0, 1) != 0;
  options->as_stated = later_integer(in, "as_stated", 0, 1) != 0;
  options->seed = (uint64_t)integer(in, "seed", INT64_MIN, INT64_MAX);
  const char *law = text(in, "law"), *integrator = text(in, "integrator");
  options->law = law[0] ? crd_impact_find(law) : NULL;
  if (law[0] && !options->law) wrong(in, "attribute law", "the name of an impact law");
  int known = -1;
  for (int i = CRD_SIM_RK4; i <= CRD_SIM_MOREAU; i++)
    if (strcmp(integrator, crd_sim_integrator_name((crd_sim_integrator)i)) == 0) known = i;
  if (known < 0) wrong(in, "attribute integrator", "rk4, euler, midpoint, event or moreau");
  options->integrator = (crd_sim_integrator)(known < 0 ? CRD_SIM_RK4 : known);
  if (options->integrator == CRD_SIM_MOREAU) options->accuracy = number(in, "accuracy");
}

static void read_header(reader *in) {
  crd_trace *trace = in->trace;
  crd_trace_header *header = &trace->header;
  const char *format = text(in, "cradle");
  if (in->status == CRD_OK && strcmp(format, CRD_TRACE_FORMAT) != 0)
    in->status = crd_error_set(in->err, CRD_ERR_FORMAT, in->path, 0, "found '%.60s', expected '%s' (a trace of run)",
                               format, CRD_TRACE_FORMAT);
  if (in->status == CRD_OK) in->status = crd_h5_check_seal(in->file, in->err);
  trace->version = text(in, "version");
  header->input = text(in, "input");
  header->formulation = text(in, "formulation");
  if (strcmp(header->formulation, "tree") != 0 && strcmp(header->formulation, "full") != 0)
    wrong(in, "attribute formulation", "tree or full");
  header->lenient = integer(in, "lenient", 0, 1) != 0;
  header->time = number(in, "time");
  header->every = integer(in, "every", 1, INT64_MAX);
  read_options(in, &header->options);
  header->options.ignore_torsion = header->lenient;
  header->options.ignore_overlaps = header->options.ignore_overlaps || header->lenient;
  if (in->status == CRD_OK)
    in->status = crd_source_h5_read(in->file, in->path, &trace->arena, &header->nfile, &header->file, in->err);
  if (in->status == CRD_OK && crd_h5_has_attribute(in->file, "/", "torque")) {
    header->torque = text(in, "torque"), header->torque_input = text(in, "torque_input");
    header->torque_hold = text(in, "torque_hold");
  }
  if (in->status == CRD_OK && crd_h5_has(in->file, "/ctrl")) {
    size_t nctrl = CRD_H5_ANY;
    header->ctrl = array(in, "/ctrl", CRD_H5_DOUBLE, &nctrl, NULL);
    if (in->status == CRD_OK && nctrl > INT_MAX) wrong(in, "/ctrl", "fewer controls");
    header->nctrl = in->status == CRD_OK ? (int)nctrl : 0;
    if (in->status == CRD_OK) check_finite(in, "/ctrl", nctrl, header->ctrl);
  }
}

static void read_end(reader *in) {
  crd_trace_end *end = &in->trace->end;
  end->truncated = integer(in, "truncated", 0, 1) != 0;
  end->status = text(in, "status");
  end->counters = (crd_sim_counters){.steps = (long)integer(in, "steps", 0, LONG_MAX),
                                     .impacts = (long)integer(in, "impacts", 0, LONG_MAX),
                                     .solves = (long)integer(in, "solves", 0, LONG_MAX),
                                     .failed_solves = (long)integer(in, "failed_solves", 0, LONG_MAX),
                                     .drawn_back = (long)integer(in, "drawn_back", 0, LONG_MAX),
                                     .unresolved = (long)later_integer(in, "unresolved", 0, LONG_MAX),
                                     .contacts = (long)integer(in, "contacts", 0, LONG_MAX),
                                     .penetration_max = number(in, "penetration_max"),
                                     .loop_max = number(in, "loop_max"),
                                     .residual_max = number(in, "residual_max")};
}

/* ------------------------------------------------------------------------------------------------ rows */

/* A state table, rows x *size; a model without coordinates has none. */
static const double *read_states(reader *in, const char *name, size_t rows, int *size) {
  size_t columns = *size >= 0 ? (size_t)*size : CRD_H5_ANY;
  if (in->status != CRD_OK || *size == 0 || (*size < 0 && !crd_h5_has(in->file, name))) {
    *size = 0;
    return NULL;
  }
  const double *value = array(in, name, CRD_H5_DOUBLE, &rows, &columns);
  if (in->status == CRD_OK && columns > INT_MAX / 8) wrong(in, name, "fewer columns");
  if (in->status != CRD_OK) return NULL;
  *size = (int)columns;
  check_finite(in, name, rows * columns, value);
  return value;
}

/* Readings may be unknown (NaN), but not infinite. */
static void read_sensors(reader *in) {
  size_t rows = in->trace->nrow, columns = CRD_H5_ANY;
  if (in->status != CRD_OK || !crd_h5_has(in->file, "/sensors")) return;
  const double *value = array(in, "/sensors", CRD_H5_DOUBLE, &rows, &columns);
  if (in->status == CRD_OK && columns > INT_MAX / 8) wrong(in, "/sensors", "fewer columns");
  for (size_t i = 0; in->status == CRD_OK && i < rows * columns; i++)
    if (isinf(value[i])) wrong(in, "/sensors", "numbers that are finite or NaN");
  if (in->status != CRD_OK) return;
  in->trace->sensor = value, in->trace->header.nsensordata = (int)columns;
  if (in->status == CRD_OK && crd_h5_has_attribute(in->file, "/sensors", "columns"))
    in->status =
        crd_h5_read_text(in->file, "/sensors", "columns", &in->trace->arena, &in->trace->header.sensors, in->err);
}

static void read_rows(reader *in) {
  crd_trace *trace = in->trace;
  trace->nrow = CRD_H5_ANY;
  trace->t = array(in, "/t", CRD_H5_DOUBLE, &trace->nrow, NULL);
  if (in->status != CRD_OK) return;
  check_finite(in, "/t", trace->nrow, trace->t);
  for (size_t i = 1; in->status == CRD_OK && i < trace->nrow; i++)
    if (trace->t[i] < trace->t[i - 1]) wrong(in, "/t", "times that do not decrease");
  trace->nq = trace->nv = -1;
  trace->qpos = read_states(in, "/qpos", trace->nrow, &trace->nq);
  trace->qvel = read_states(in, "/qvel", trace->nrow, &trace->nv);
  if (crd_h5_has(in->file, "/act")) {
    trace->header.nact = -1;
    trace->act = read_states(in, "/act", trace->nrow, &trace->header.nact);
  }
  read_sensors(in);
  if (crd_h5_has(in->file, "/s")) trace->s = numbers(in, "/s", trace->nrow, 0);
  trace->penetration = numbers(in, "/penetration", trace->nrow, 0);
  trace->residual = numbers(in, "/residual", trace->nrow, 0);
  const double *packed = numbers(in, "/energy", trace->nrow, CRD_TRACE_ENERGIES);
  crd_sim_energy *energy = allocate(in, trace->nrow, sizeof *energy);
  if (!energy) return;
  for (size_t i = 0; i < trace->nrow; i++) crd_trace_energy_unpack(packed + i * CRD_TRACE_ENERGIES, &energy[i]);
  trace->energy = energy;
}

static const char *name_of(reader *in, const char *what, int32_t id) {
  if (id >= 0 && (size_t)id < in->nname) return in->name[id];
  wrong(in, what, "numbers of names");
  return "";
}

static void read_offsets(reader *in, size_t contacts) {
  crd_trace *trace = in->trace;
  trace->offset = rows_of(in, "/contacts/offset", CRD_H5_INTEGER, trace->nrow + 1, 0);
  if (in->status != CRD_OK) return;
  bool fine = trace->offset[0] == 0 && trace->offset[trace->nrow] == (int64_t)contacts;
  for (size_t i = 0; i < trace->nrow; i++) fine = fine && trace->offset[i] <= trace->offset[i + 1];
  if (!fine) wrong(in, "/contacts/offset", "ascending numbers from 0 to the number of contacts");
}

static void read_contacts(reader *in) {
  size_t n = CRD_H5_ANY;
  const int32_t *name = array(in, "/contacts/name", CRD_H5_INT32, &n, NULL);
  const int32_t *body = rows_of(in, "/contacts/body", CRD_H5_INT32, n, 2);
  const int32_t *mode = rows_of(in, "/contacts/mode", CRD_H5_INT32, n, 0);
  const double *gap = numbers(in, "/contacts/gap", n, 0);
  const double *mu = numbers(in, "/contacts/mu", n, 0);
  const double *e = numbers(in, "/contacts/e", n, 0);
  const double *point = numbers(in, "/contacts/point", n, 3);
  const double *normal = numbers(in, "/contacts/normal", n, 3);
  const double *tangent = numbers(in, "/contacts/tangent", n, 6);
  const double *impulse = numbers(in, "/contacts/impulse", n, 3);
  const double *velocity = numbers(in, "/contacts/velocity", n, 3);
  crd_sim_contact *contact = allocate(in, in->status == CRD_OK ? n : 0, sizeof *contact);
  if (!contact) return;
  for (size_t i = 0; i < n && in->status == CRD_OK; i++) {
    crd_contact *at = &contact[i].contact;
    if (mode[i] < CRD_MODE_NONE || mode[i] > CRD_MODE_SLIP) wrong(in, "/contacts/mode", "numbers of modes");
    at->name = name_of(in, "/contacts/name", name[i]);
    at->body1 = body[2 * i], at->body2 = body[2 * i + 1];
    at->gap = gap[i], at->mu = mu[i], at->e = e[i];
    memcpy(at->point, point + 3 * i, sizeof at->point);
    memcpy(at->normal, normal + 3 * i, sizeof at->normal);
    memcpy(at->tangent, tangent + 6 * i, sizeof at->tangent);
    contact[i].mode = (crd_mode)mode[i];
    contact[i].impulse_n = impulse[3 * i], contact[i].velocity_n = velocity[3 * i];
    memcpy(contact[i].impulse_t, impulse + 3 * i + 1, sizeof contact[i].impulse_t);
    memcpy(contact[i].velocity_t, velocity + 3 * i + 1, sizeof contact[i].velocity_t);
  }
  in->trace->contact = contact;
  read_offsets(in, n);
}

static void read_events(reader *in) {
  crd_trace *trace = in->trace;
  size_t n = CRD_H5_ANY;
  const double *t = array(in, "/events/t", CRD_H5_DOUBLE, &n, NULL);
  check_finite(in, "/events/t", n, t);
  const int32_t *kind = rows_of(in, "/events/kind", CRD_H5_INT32, n, 0);
  const int32_t *contact = rows_of(in, "/events/contact", CRD_H5_INT32, n, 0);
  const int32_t *count = rows_of(in, "/events/count", CRD_H5_INT32, n, 0);
  const double *approach = numbers(in, "/events/approach", n, 0);
  const double *impulse = numbers(in, "/events/impulse", n, 0);
  const double *energy = numbers(in, "/events/energy", n, 0);
  trace->event_qpos = read_states(in, "/events/qpos", n, &trace->nq);
  trace->event_qvel = read_states(in, "/events/qvel", n, &trace->nv);
  /* traces of versions before 0.2 have none */
  if (crd_h5_has(in->file, "/events/qvel_before") && trace->nv > 0)
    trace->event_qvel_before = rows_of(in, "/events/qvel_before", CRD_H5_DOUBLE, n, trace->nv);
  const double *s = crd_h5_has(in->file, "/events/s") ? numbers(in, "/events/s", n, 0) : NULL;
  crd_sim_event *event = allocate(in, in->status == CRD_OK ? n : 0, sizeof *event);
  if (!event) return;
  for (size_t i = 0; i < n && in->status == CRD_OK; i++) {
    if (kind[i] < CRD_EVENT_IMPACT || kind[i] >= CRD_EVENT_KINDS) wrong(in, "/events/kind", "numbers of kinds");
    event[i] = (crd_sim_event){.t = t[i],
                               .kind = (crd_sim_event_kind)kind[i],
                               .contact = name_of(in, "/events/contact", contact[i]),
                               .count = count[i],
                               .approach = approach[i],
                               .impulse = impulse[i],
                               .energy = energy[i],
                               .s = s ? s[i] : NAN};
  }
  trace->event = event, trace->nevent = n;
}

/* Of an open file, which is closed. */
static crd_status read_trace(crd_h5_input *file, const char *path, crd_trace *trace, crd_error *err) {
  reader in = {.file = file, .path = path, .trace = trace, .err = err, .nname = CRD_H5_ANY};
  read_header(&in);
  read_end(&in);
  in.name = (const char **)(uintptr_t)array(&in, "/names", CRD_H5_TEXT, &in.nname, NULL);
  read_rows(&in);
  read_contacts(&in);
  read_events(&in);
  crd_h5_close(in.file);
  if (in.status != CRD_OK) crd_io_trace_free(trace);
  return in.status;
}

crd_status crd_io_read_trace(const char *path, crd_trace *trace, crd_error *err) {
  crd_h5_input *file;
  crd_io_trace_free(trace);
  const crd_status status = crd_h5_open(path, &file, err);
  return status == CRD_OK ? read_trace(file, path, trace, err) : status;
}

crd_status crd_trace_read_memory(const void *data, size_t size, const char *name, crd_trace *trace, crd_error *err) {
  crd_h5_input *file;
  crd_io_trace_free(trace);
  const crd_status status = crd_h5_open_memory(data, size, name, &file, err);
  return status == CRD_OK ? read_trace(file, name, trace, err) : status;
}
