/* Runs recorded in memory as crd_trace, the same that files are read into. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* A table that grows. */
typedef struct column {
  void *data;
  size_t size, used, room; /* bytes of an entry; entries */
} column;

struct crdpy_recorder {
  int nq, nv, nact;
  column t, s, qpos, qvel, act, energy, penetration, residual, offset, contact, event, event_qpos, event_qvel, before;
  crd_arena names; /* becomes the trace's arena */
  column name;     /* const char *, in the order of their first use */
  double *unknown; /* nv: NaN */
  crd_sim_counters before_run;
  bool failed;
};

static void *add(crdpy_recorder *r, column *c, size_t count) {
  if (c->used + count > c->room) {
    const size_t room = 2 * c->room + count + 16;
    void *grown = realloc(c->data, room * c->size);
    if (!grown) {
      r->failed = true;
      return NULL;
    }
    c->data = grown, c->room = room;
  }
  void *at = (char *)c->data + c->used * c->size;
  c->used += count;
  return at;
}

static void put(crdpy_recorder *r, column *c, const void *value, size_t count) {
  void *at = add(r, c, count);
  if (at && count) memcpy(at, value, count * c->size);
}

/* The same text for the same name; contacts come in much the same order row by row, so the search begins behind the one
 * found last. */
static const char *intern(crdpy_recorder *r, const char *name, size_t *at) {
  const char **list = r->name.data;
  for (size_t i = 0; i < r->name.used; i++) {
    const size_t k = (*at + i) % r->name.used;
    if (strcmp(list[k], name) == 0) return *at = k + 1, list[k];
  }
  const char *kept = crd_arena_string(&r->names, name);
  if (!kept) {
    r->failed = true;
    return "";
  }
  put(r, &r->name, &kept, 1);
  return kept;
}

crd_status crdpy_recorder_new(const crdpy_sim *sim, crdpy_recorder **out) {
  const crd_model *model = sim->model->model;
  const size_t d = sizeof(double);
  crdpy_recorder *r = calloc(1, sizeof *r);
  if (r) r->unknown = malloc(sizeof *r->unknown * ((size_t)model->nv + 1));
  if (!r || !r->unknown) {
    free(r);
    return CRD_ERR_MEMORY;
  }
  for (int i = 0; i < model->nv; i++) r->unknown[i] = NAN;
  r->before_run = crd_sim_counters_now(sim->sim);
  r->nq = model->nq, r->nv = model->nv, r->nact = model->nact;
  column *number[] = {&r->t,           &r->s,        &r->qpos,       &r->qvel,       &r->act,
                      &r->penetration, &r->residual, &r->event_qpos, &r->event_qvel, &r->before};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) number[i]->size = d;
  r->energy.size = sizeof(crd_sim_energy), r->offset.size = sizeof(int64_t);
  r->contact.size = sizeof(crd_sim_contact), r->event.size = sizeof(crd_sim_event);
  r->name.size = sizeof(const char *);
  const int64_t zero = 0;
  put(r, &r->offset, &zero, 1);
  *out = r;
  return CRD_OK;
}

static void recorder_free(crdpy_recorder *r) {
  column *all[] = {&r->t,      &r->s,           &r->qpos,       &r->qvel,   &r->act,
                   &r->energy, &r->penetration, &r->residual,   &r->offset, &r->contact,
                   &r->event,  &r->event_qpos,  &r->event_qvel, &r->before, &r->name};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]->data);
  crd_arena_free(&r->names);
  free(r->unknown), free(r);
}

void crdpy_recorder_row(crdpy_recorder *r, const crd_sim *sim) {
  const crd_trace_row row = crd_io_trace_row(sim);
  size_t at = 0;
  put(r, &r->t, &row.t, 1), put(r, &r->s, &row.s, 1);
  put(r, &r->qpos, row.qpos, (size_t)r->nq), put(r, &r->qvel, row.qvel, (size_t)r->nv);
  put(r, &r->act, row.act, (size_t)r->nact), put(r, &r->energy, &row.energy, 1);
  put(r, &r->penetration, &row.penetration, 1), put(r, &r->residual, &row.residual, 1);
  for (int i = 0; i < row.ncontact; i++) {
    crd_sim_contact contact = row.contact[i];
    contact.contact.name = intern(r, contact.contact.name, &at);
    put(r, &r->contact, &contact, 1);
  }
  const int64_t end = (int64_t)r->contact.used;
  put(r, &r->offset, &end, 1);
}

void crdpy_recorder_event(crdpy_recorder *r, const crd_sim *sim, const crd_sim_event *event) {
  crd_sim_event kept = *event;
  size_t at = 0;
  kept.contact = intern(r, event->contact, &at), kept.v_minus = NULL;
  put(r, &r->event, &kept, 1);
  put(r, &r->event_qpos, crd_sim_qpos(sim), (size_t)r->nq);
  put(r, &r->event_qvel, crd_sim_qvel(sim), (size_t)r->nv);
  const double *before = event->v_minus                    ? event->v_minus
                         : event->kind == CRD_EVENT_IMPACT ? r->unknown
                                                           : crd_sim_qvel(sim);
  put(r, &r->before, before, (size_t)r->nv);
}

/* ------------------------------------------------------------------------------------------------ the trace */

static void *keep(crdpy_recorder *r, const column *c) {
  void *kept = crd_arena_alloc(&r->names, c->used + 1, c->size);
  if (!kept)
    r->failed = true;
  else if (c->used)
    memcpy(kept, c->data, c->used * c->size);
  return kept;
}

static void fill(crdpy_recorder *r, crd_trace *trace) {
  trace->nq = r->nq, trace->nv = r->nv, trace->nrow = r->t.used, trace->nevent = r->event.used;
  trace->t = keep(r, &r->t), trace->s = keep(r, &r->s);
  trace->qpos = keep(r, &r->qpos), trace->qvel = keep(r, &r->qvel);
  trace->act = r->nact ? keep(r, &r->act) : NULL;
  trace->energy = keep(r, &r->energy);
  trace->penetration = keep(r, &r->penetration), trace->residual = keep(r, &r->residual);
  trace->offset = keep(r, &r->offset), trace->contact = keep(r, &r->contact);
  trace->event = keep(r, &r->event);
  trace->event_qpos = keep(r, &r->event_qpos), trace->event_qvel = keep(r, &r->event_qvel);
  trace->event_qvel_before = keep(r, &r->before);
  trace->version = crd_version();
}

/* What the run added to the counts since the reset; largest values stay those since the reset. */
static crd_sim_counters counted(const crd_sim *sim, const crd_sim_counters *before) {
  crd_sim_counters c = crd_sim_counters_now(sim);
  c.steps -= before->steps, c.impacts -= before->impacts, c.contacts -= before->contacts;
  c.solves -= before->solves, c.failed_solves -= before->failed_solves;
  c.drawn_back -= before->drawn_back, c.unresolved -= before->unresolved;
  c.groups -= before->groups, c.trials -= before->trials, c.moved -= before->moved;
  for (int k = 0; k < CRD_RETRIES; k++) c.retries[k] -= before->retries[k];
  for (int k = 0; k < CRD_COULOMB_METHODS; k++) c.settled[k] -= before->settled[k];
  return c;
}

crd_status crdpy_recorder_end(crdpy_recorder *r, const crdpy_sim *sim, crd_status status, double duration, long every,
                              double wall, crdpy_trace **out) {
  crdpy_trace *made = calloc(1, sizeof *made);
  const crdpy_model *model = sim->model;
  if (made) {
    crd_trace *trace = &made->trace;
    fill(r, trace);
    double *ctrl = crd_arena_alloc(&r->names, (size_t)model->model->nactuator + 1, sizeof *ctrl);
    const char *why = status == CRD_OK ? "ok" : crd_sim_message(sim->sim);
    if (ctrl) memcpy(ctrl, sim->ctrl, sizeof *ctrl * (size_t)model->model->nactuator);
    trace->header = (crd_trace_header){.input = model->input,
                                       .nfile = model->base ? 0 : model->nfile, /* which would be another model */
                                       .file = model->file,
                                       .lenient = model->lenient,
                                       .formulation = "tree",
                                       .options = sim->options,
                                       .time = duration,
                                       .every = every,
                                       .nact = r->nact,
                                       .nctrl = model->model->nactuator,
                                       .ctrl = ctrl};
    trace->header.options.control = NULL, trace->header.options.stop = NULL;
    trace->header.options.observer = (crd_sim_observer){0};
    trace->end = (crd_trace_end){.truncated = status != CRD_OK,
                                 .status = crd_arena_string(&r->names, why[0] ? why : crd_status_text(status)),
                                 .counters = counted(sim->sim, &r->before_run)};
    r->failed = r->failed || !ctrl || !trace->end.status;
    made->model = crdpy_model_hold(sim->model), made->wall = wall;
    trace->arena = r->names, r->names = (crd_arena){0};
  }
  const bool failed = !made || r->failed;
  recorder_free(r);
  if (failed) {
    crdpy_trace_drop(made);
    return CRD_ERR_MEMORY;
  }
  *out = made;
  return CRD_OK;
}

void crdpy_trace_drop(crdpy_trace *trace) {
  if (!trace) return;
  crd_io_trace_free(&trace->trace);
  crdpy_model_drop(trace->model);
  free(trace);
}

crd_status crdpy_trace_model(crdpy_trace *trace, crdpy_model **out, crd_error *err) {
  const crd_trace_header *h = &trace->trace.header;
  crd_status status = CRD_OK;
  if (!trace->model)
    status = crdpy_model_from_files(h->input, h->nfile, h->file, h->lenient, h->formulation, &trace->model, err);
  *out = trace->model;
  return status;
}

/* ------------------------------------------------------------------------------------------------ files */

crd_status crdpy_trace_read(const char *path, crdpy_trace **out, crd_error *err) {
  *out = NULL;
  crdpy_trace *made = calloc(1, sizeof *made);
  if (!made) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  made->wall = NAN;
  pthread_mutex_lock(&crdpy_one_at_a_time);
  bool recovered; /* of a run that was killed */
  crd_status status = crd_io_trace_recover(path, &recovered, err);
  if (!status) status = crd_io_read_trace(path, &made->trace, err);
  pthread_mutex_unlock(&crdpy_one_at_a_time);
  if (status)
    free(made);
  else
    *out = made;
  return status;
}

static void write_rows(crd_trace_writer *writer, const crd_trace *trace) {
  const size_t nq = (size_t)trace->nq, nv = (size_t)trace->nv, nact = (size_t)trace->header.nact;
  for (size_t i = 0, e = 0; i < trace->nrow; i++) {
    for (; e < trace->nevent && trace->event[e].t <= trace->t[i]; e++) {
      crd_sim_event event = trace->event[e];
      const double *before = trace->event_qvel_before ? trace->event_qvel_before + e * nv : NULL;
      event.v_minus = event.kind == CRD_EVENT_IMPACT && before && nv && !isnan(before[0]) ? before : NULL;
      crd_io_trace_event(writer, &event, trace->event_qpos + e * nq, trace->event_qvel + e * nv);
    }
    const crd_trace_row row = {.t = trace->t[i],
                               .s = trace->s ? trace->s[i] : NAN,
                               .qpos = trace->qpos + i * nq,
                               .qvel = trace->qvel + i * nv,
                               .act = trace->act ? trace->act + i * nact : NULL,
                               .energy = trace->energy[i],
                               .penetration = trace->penetration[i],
                               .residual = trace->residual[i],
                               .ncontact = (int)(trace->offset[i + 1] - trace->offset[i]),
                               .contact = trace->contact + trace->offset[i]};
    crd_io_trace_add(writer, &row);
  }
}

crd_status crdpy_trace_write(const char *path, const crdpy_trace *own, crd_error *err) {
  const crd_trace *trace = &own->trace;
  crd_trace_writer *writer;
  pthread_mutex_lock(&crdpy_one_at_a_time);
  crd_status status = crd_io_trace_create(path, &trace->header, trace->nq, trace->nv, &writer, err);
  if (status == CRD_OK) {
    write_rows(writer, trace);
    status = crd_io_trace_commit(writer, &trace->end, err);
  }
  pthread_mutex_unlock(&crdpy_one_at_a_time);
  return status;
}

crd_status crdpy_file_kind(const char *path, char *kind, crd_error *err) {
  crd_arena arena = {0};
  const char *text = "";
  pthread_mutex_lock(&crdpy_one_at_a_time);
  crd_status status = crd_io_file_kind(path, &arena, &text, err);
  pthread_mutex_unlock(&crdpy_one_at_a_time);
  if (status == CRD_OK) strncpy(kind, text, 15), kind[15] = 0;
  crd_arena_free(&arena);
  return status;
}

crd_status crdpy_outcome_file_read(const char *path, crd_outcome_file **out, crd_error *err) {
  *out = NULL;
  crd_outcome_file *made = calloc(1, sizeof *made);
  if (!made) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  pthread_mutex_lock(&crdpy_one_at_a_time);
  crd_status status = crd_io_read_outcomes(path, made, err);
  pthread_mutex_unlock(&crdpy_one_at_a_time);
  if (status)
    free(made);
  else
    *out = made;
  return status;
}

void crdpy_outcome_file_drop(crd_outcome_file *file) {
  if (!file) return;
  crd_io_outcome_file_free(file);
  free(file);
}
