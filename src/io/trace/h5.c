/* Traces as HDF5, written while the run goes on: every dataset is a table that grows, filled through a buffer of
 * bounded size. Contacts are ragged: /contacts/offset says where the contacts of a row begin in the flat arrays beside
 * it. Names of contacts are stored once, in /names; the others refer to them by number. The layout stands in
 * docs/trace.md.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/file.h"
#include "io/hdf5/source_h5.h"
#include "io/trace/trace.h"
#include "model/names.h"

enum { BUFFER_BYTES = 64 * 1024 };

/* One dataset and the rows of it that have not gone to the file yet. */
typedef struct column {
  int table;
  size_t row_bytes, rows, room;
  unsigned char *data;
} column;

/* Datasets with a row for each row of the trace, for each contact of it, and for each event. */
enum {
  T,
  QPOS,
  QVEL,
  ACT,
  SENSORS,
  ENERGY,
  PENETRATION,
  RESIDUAL,
  OFFSET,
  C_NAME,
  C_BODY,
  C_MODE,
  C_GAP,
  C_MU,
  C_E,
  C_POINT,
  C_NORMAL,
  C_TANGENT,
  C_IMPULSE,
  C_VELOCITY,
  E_T,
  E_KIND,
  E_CONTACT,
  E_COUNT,
  E_APPROACH,
  E_IMPULSE,
  E_ENERGY,
  E_QPOS,
  E_QVEL,
  E_QVEL_BEFORE,
  S,
  E_S,
  COLUMNS
};

struct crd_trace_h5 {
  crd_h5 *file;
  column column[COLUMNS];
  int64_t contacts; /* written so far */
  crd_names ids;
  const char **name; /* by id */
  int nname, name_room;
  crd_arena arena; /* texts of the names */
  double *nowhere; /* nv: NaN, a velocity that is not known */
  bool no_memory;
};

/* ------------------------------------------------------------------------------------------------ tables */

static size_t kind_bytes(crd_h5_kind kind) {
  return kind == CRD_H5_INT32 ? sizeof(int32_t) : kind == CRD_H5_BYTE ? 1 : sizeof(double);
}

/* columns 0: one value a row; negative: the dataset would have no columns and is left out. */
static void open_column(crd_trace_h5 *trace, int which, const char *name, crd_h5_kind kind, int columns) {
  column *made = &trace->column[which];
  *made = (column){.table = -1};
  if (columns < 0) return;
  made->table = crd_h5_table(trace->file, name, kind, CRD_H5_GROWS, columns);
  made->row_bytes = kind_bytes(kind) * (size_t)(columns ? columns : 1);
  made->room = made->row_bytes < BUFFER_BYTES ? BUFFER_BYTES / made->row_bytes : 1;
  made->data = malloc(made->room * made->row_bytes);
  if (!made->data) trace->no_memory = true;
}

static void flush(crd_trace_h5 *trace, column *to) {
  if (to->data && to->rows) crd_h5_append(trace->file, to->table, to->rows, to->data);
  to->rows = 0;
}

static void put(crd_trace_h5 *trace, int which, const void *row) {
  column *to = &trace->column[which];
  if (!to->data) return;
  memcpy(to->data + to->rows * to->row_bytes, row, to->row_bytes);
  if (++to->rows == to->room) flush(trace, to);
}

static void put_number(crd_trace_h5 *trace, int which, double value) { put(trace, which, &value); }
static void put_int(crd_trace_h5 *trace, int which, int32_t value) { put(trace, which, &value); }

static int some(int columns) { return columns > 0 ? columns : -1; }

static void open_tables(crd_trace_h5 *trace, int nq, int nv, int nact, int nsensordata) {
  const struct {
    int which;
    const char *name;
    crd_h5_kind kind;
    int columns;
  } all[] = {{T, "/t", CRD_H5_DOUBLE, 0},
             {QPOS, "/qpos", CRD_H5_DOUBLE, some(nq)},
             {QVEL, "/qvel", CRD_H5_DOUBLE, some(nv)},
             {ACT, "/act", CRD_H5_DOUBLE, some(nact)},
             {SENSORS, "/sensors", CRD_H5_DOUBLE, some(nsensordata)},
             {ENERGY, "/energy", CRD_H5_DOUBLE, CRD_TRACE_ENERGIES},
             {PENETRATION, "/penetration", CRD_H5_DOUBLE, 0},
             {RESIDUAL, "/residual", CRD_H5_DOUBLE, 0},
             {OFFSET, "/contacts/offset", CRD_H5_INTEGER, 0},
             {C_NAME, "/contacts/name", CRD_H5_INT32, 0},
             {C_BODY, "/contacts/body", CRD_H5_INT32, 2},
             {C_MODE, "/contacts/mode", CRD_H5_INT32, 0},
             {C_GAP, "/contacts/gap", CRD_H5_DOUBLE, 0},
             {C_MU, "/contacts/mu", CRD_H5_DOUBLE, 0},
             {C_E, "/contacts/e", CRD_H5_DOUBLE, 0},
             {C_POINT, "/contacts/point", CRD_H5_DOUBLE, 3},
             {C_NORMAL, "/contacts/normal", CRD_H5_DOUBLE, 3},
             {C_TANGENT, "/contacts/tangent", CRD_H5_DOUBLE, 6},
             {C_IMPULSE, "/contacts/impulse", CRD_H5_DOUBLE, 3},
             {C_VELOCITY, "/contacts/velocity", CRD_H5_DOUBLE, 3},
             {E_T, "/events/t", CRD_H5_DOUBLE, 0},
             {E_KIND, "/events/kind", CRD_H5_INT32, 0},
             {E_CONTACT, "/events/contact", CRD_H5_INT32, 0},
             {E_COUNT, "/events/count", CRD_H5_INT32, 0},
             {E_APPROACH, "/events/approach", CRD_H5_DOUBLE, 0},
             {E_IMPULSE, "/events/impulse", CRD_H5_DOUBLE, 0},
             {E_ENERGY, "/events/energy", CRD_H5_DOUBLE, 0},
             {E_QPOS, "/events/qpos", CRD_H5_DOUBLE, some(nq)},
             {E_QVEL, "/events/qvel", CRD_H5_DOUBLE, some(nv)},
             {S, "/s", CRD_H5_DOUBLE, 0},
             {E_S, "/events/s", CRD_H5_DOUBLE, 0},
             {E_QVEL_BEFORE, "/events/qvel_before", CRD_H5_DOUBLE, some(nv)}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    open_column(trace, all[i].which, all[i].name, all[i].kind, all[i].columns);
}

/* ------------------------------------------------------------------------------------------------ header */

static void write_options(crd_h5 *file, const crd_sim_options *options) {
  const struct {
    const char *name;
    double value;
  } number[] = {{"timestep", options->timestep},
                {"mu", options->mu},
                {"e", options->e},
                {"gap_tolerance", options->gap_tolerance},
                {"loop_tolerance", options->loop_tolerance},
                {"relative_tolerance", options->relative_tolerance},
                {"absolute_tolerance", options->absolute_tolerance}};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++)
    crd_h5_attribute_number(file, "/", number[i].name, number[i].value);
  crd_h5_attribute_text(file, "/", "integrator", crd_sim_integrator_name(options->integrator));
  if (options->integrator == CRD_SIM_MOREAU) crd_h5_attribute_number(file, "/", "accuracy", options->accuracy);
  crd_h5_attribute_text(file, "/", "law", options->law ? options->law->name : "");
  crd_h5_attribute_integer(file, "/", "facets", options->facets);
  crd_h5_attribute_integer(file, "/", "max_impacts", options->max_impacts);
  crd_h5_attribute_integer(file, "/", "clear_start", options->clear_start);
  crd_h5_attribute_integer(file, "/", "ignore_overlaps", options->ignore_overlaps);
  crd_h5_attribute_integer(file, "/", "as_stated", options->as_stated);
  crd_h5_attribute_integer(file, "/", "seed", (int64_t)options->seed);
}

static void write_header(crd_trace_h5 *trace, const crd_trace_header *header) {
  crd_h5 *file = trace->file;
  crd_h5_attribute_text(file, "/", "cradle", CRD_TRACE_FORMAT);
  crd_h5_attribute_text(file, "/", "version", crd_version());
  crd_h5_attribute_text(file, "/", "input", header->input);
  if (!crd_source_h5_write(file, header->nfile, header->file)) trace->no_memory = true;
  crd_h5_attribute_integer(file, "/", "lenient", header->lenient);
  crd_h5_attribute_text(file, "/", "formulation", header->formulation);
  write_options(file, &header->options);
  crd_h5_attribute_number(file, "/", "time", header->time);
  crd_h5_attribute_integer(file, "/", "every", header->every);
  if (header->torque) {
    crd_h5_attribute_text(file, "/", "torque", header->torque);
    crd_h5_attribute_text(file, "/", "torque_input", header->torque_input);
    crd_h5_attribute_text(file, "/", "torque_hold", header->torque_hold);
  }
  const size_t nctrl = (size_t)header->nctrl;
  if (nctrl) crd_h5_write(file, "/ctrl", CRD_H5_DOUBLE, 1, &nctrl, header->ctrl);
}

/* Meaning of the numbers of modes and kinds and of the columns of tables. */
static void write_legends(crd_h5 *file) {
  char words[256] = "";
  for (int i = CRD_MODE_NONE; i <= CRD_MODE_SLIP; i++)
    strcat(strcat(words, i ? " " : ""), crd_coulomb_mode_name((crd_mode)i));
  crd_h5_attribute_text(file, "/contacts/mode", "values", words);
  words[0] = 0;
  for (int i = CRD_EVENT_IMPACT; i < CRD_EVENT_KINDS; i++)
    strcat(strcat(words, i ? " " : ""), crd_sim_event_name((crd_sim_event_kind)i));
  crd_h5_attribute_text(file, "/events/kind", "values", words);
  crd_h5_attribute_text(file, "/energy", "columns", CRD_TRACE_ENERGY);
  crd_h5_attribute_text(file, "/contacts/impulse", "columns", "normal tangent1 tangent2");
  crd_h5_attribute_text(file, "/contacts/velocity", "columns", "normal tangent1 tangent2");
}

/* ------------------------------------------------------------------------------------------------ life */

crd_status crd_trace_h5_create(const char *path, const crd_trace_header *header, int nq, int nv, crd_trace_h5 **out,
                               crd_error *err) {
  *out = NULL;
  crd_trace_h5 *trace = calloc(1, sizeof *trace);
  if (!trace) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory to write the trace");
  crd_status status = crd_h5_create(path, &trace->file, err);
  if (status) {
    free(trace);
    return status;
  }
  write_header(trace, header);
  open_tables(trace, nq, nv, header->nact, header->nsensordata);
  write_legends(trace->file);
  if (header->nsensordata > 0 && header->sensors)
    crd_h5_attribute_text(trace->file, "/sensors", "columns", header->sensors);
  trace->nowhere = crd_arena_alloc(&trace->arena, (size_t)nv + 1, sizeof *trace->nowhere);
  if (!trace->nowhere) trace->no_memory = true;
  for (int i = 0; i < nv && trace->nowhere; i++) trace->nowhere[i] = NAN;
  const int64_t first = 0;
  put(trace, OFFSET, &first);
  *out = trace;
  return CRD_OK;
}

bool crd_trace_h5_failed(const crd_trace_h5 *trace) { return trace->no_memory || crd_h5_failed(trace->file); }

static void free_trace(crd_trace_h5 *trace) {
  for (int i = 0; i < COLUMNS; i++) free(trace->column[i].data);
  crd_names_free(&trace->ids);
  free(trace->name);
  crd_arena_free(&trace->arena);
  free(trace);
}

void crd_trace_h5_discard(crd_trace_h5 *trace) {
  if (!trace) return;
  crd_h5_discard(trace->file);
  free_trace(trace);
}

static void write_end(crd_trace_h5 *trace, const crd_trace_end *end) {
  crd_h5 *file = trace->file;
  const size_t names = (size_t)trace->nname;
  for (int i = 0; i < COLUMNS; i++) flush(trace, &trace->column[i]);
  crd_h5_write(file, "/names", CRD_H5_TEXT, 1, &names, trace->name);
  crd_h5_attribute_integer(file, "/", "truncated", end->truncated);
  crd_h5_attribute_text(file, "/", "status", end->status);
  const crd_sim_counters *counters = &end->counters;
  const struct {
    const char *name;
    int64_t value;
  } count[] = {{"steps", counters->steps},           {"impacts", counters->impacts},
               {"solves", counters->solves},         {"failed_solves", counters->failed_solves},
               {"drawn_back", counters->drawn_back}, {"unresolved", counters->unresolved},
               {"contacts", counters->contacts}};
  for (size_t i = 0; i < sizeof count / sizeof *count; i++)
    crd_h5_attribute_integer(file, "/", count[i].name, count[i].value);
  crd_h5_attribute_number(file, "/", "penetration_max", counters->penetration_max);
  crd_h5_attribute_number(file, "/", "loop_max", counters->loop_max);
  crd_h5_attribute_number(file, "/", "residual_max", counters->residual_max);
}

crd_status crd_trace_h5_commit(crd_trace_h5 *trace, const crd_trace_end *end, crd_error *err) {
  crd_status status;
  write_end(trace, end);
  if (trace->no_memory) {
    crd_h5_discard(trace->file);
    status = crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory to write the trace");
  } else {
    status = crd_h5_commit(trace->file, err);
  }
  free_trace(trace);
  return status;
}

/* ------------------------------------------------------------------------------------------------ rows */

/* The number of a name, which is remembered when it is new; -1: no memory. */
static int name_id(crd_trace_h5 *trace, const char *name) {
  if (!name || !name[0]) name = "?";
  int id = crd_names_find(&trace->ids, name);
  if (id >= 0) return id;
  if (trace->nname == trace->name_room) {
    int room = trace->name_room ? 2 * trace->name_room : 64;
    const char **grown = realloc(trace->name, (size_t)room * sizeof *grown);
    if (grown) trace->name = grown, trace->name_room = room;
  }
  char *copy = trace->nname < trace->name_room ? crd_arena_string(&trace->arena, name) : NULL;
  if (!copy || crd_names_add(&trace->ids, copy, trace->nname) != 0) {
    trace->no_memory = true;
    return -1;
  }
  trace->name[trace->nname] = copy;
  return trace->nname++;
}

static void add_contact(crd_trace_h5 *trace, const crd_sim_contact *contact) {
  const crd_contact *at = &contact->contact;
  const int32_t body[2] = {at->body1, at->body2};
  const double impulse[3] = {contact->impulse_n, contact->impulse_t[0], contact->impulse_t[1]};
  const double velocity[3] = {contact->velocity_n, contact->velocity_t[0], contact->velocity_t[1]};
  put_int(trace, C_NAME, name_id(trace, at->name));
  put(trace, C_BODY, body);
  put_int(trace, C_MODE, (int32_t)contact->mode);
  put_number(trace, C_GAP, at->gap);
  put_number(trace, C_MU, at->mu);
  put_number(trace, C_E, at->e);
  put(trace, C_POINT, at->point);
  put(trace, C_NORMAL, at->normal);
  put(trace, C_TANGENT, at->tangent);
  put(trace, C_IMPULSE, impulse);
  put(trace, C_VELOCITY, velocity);
}

void crd_trace_h5_add(crd_trace_h5 *trace, const crd_trace_row *row) {
  double energy[CRD_TRACE_ENERGIES];
  crd_trace_energy_pack(&row->energy, energy);
  put_number(trace, T, row->t);
  put_number(trace, S, row->s);
  put(trace, QPOS, row->qpos);
  put(trace, QVEL, row->qvel);
  put(trace, ACT, row->act);
  put(trace, SENSORS, row->sensor);
  put(trace, ENERGY, energy);
  put_number(trace, PENETRATION, row->penetration);
  put_number(trace, RESIDUAL, row->residual);
  for (int i = 0; i < row->ncontact; i++) add_contact(trace, &row->contact[i]);
  trace->contacts += row->ncontact;
  put(trace, OFFSET, &trace->contacts);
}

void crd_trace_h5_event(crd_trace_h5 *trace, const crd_sim_event *event, const double *qpos, const double *qvel) {
  put_number(trace, E_T, event->t);
  put_number(trace, E_S, event->s);
  put_int(trace, E_KIND, (int32_t)event->kind);
  put_int(trace, E_CONTACT, name_id(trace, event->contact));
  put_int(trace, E_COUNT, event->count);
  put_number(trace, E_APPROACH, event->approach);
  put_number(trace, E_IMPULSE, event->impulse);
  put_number(trace, E_ENERGY, event->energy);
  put(trace, E_QPOS, qpos);
  put(trace, E_QVEL, qvel);
  /* NaN where it is not known: an impact captured within a step */
  bool unknown = event->kind == CRD_EVENT_IMPACT && !event->v_minus && trace->nowhere;
  put(trace, E_QVEL_BEFORE, event->v_minus ? event->v_minus : unknown ? trace->nowhere : qvel);
}
