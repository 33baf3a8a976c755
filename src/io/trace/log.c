#define _DEFAULT_SOURCE
#include "io/trace/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/file/path.h"
#include "io/hdf5/bytes.h"
#include "io/trace/beside.h"
#include "io/trace/leftover.h"
#include "io/trace/trace.h"

static const char MAGIC[8] = "crdlog1";
enum { ROW = 1, EVENT = 2, FLUSH_BYTES = 64 * 1024, ROW_NUMBERS = 4 + CRD_TRACE_ENERGIES, CONTACT_NUMBERS = 21 };

struct crd_trace_log {
  char *path;
  const crd_trace_header *header;
  int nq, nv, nact, nsensordata;
  crd_beside beside;
  int file; /* negative: not begun, there is little to lose yet */
  bool given_up;
  unsigned char *data; /* not yet written */
  size_t size, room;
  double written; /* s: when */
};

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------------------ writing */

static void put(crd_trace_log *log, const void *from, size_t size) {
  if (log->size + size > log->room && !log->given_up) {
    const size_t room = 2 * (log->size + size) + FLUSH_BYTES;
    unsigned char *grown = realloc(log->data, room);
    if (grown)
      log->data = grown, log->room = room;
    else
      log->given_up = true;
  }
  if (log->given_up) return;
  if (size) memcpy(log->data + log->size, from, size);
  log->size += size;
}

static void put_numbers(crd_trace_log *log, int count, const double *value) {
  put(log, value, (size_t)(count > 0 ? count : 0) * sizeof *value);
}

static void put_number(crd_trace_log *log, double value) { put(log, &value, sizeof value); }

static void put_text(crd_trace_log *log, const char *text) {
  const uint32_t length = text ? (uint32_t)strlen(text) : 0;
  put(log, &length, sizeof length);
  put(log, text, length);
}

static bool write_all(int file, const unsigned char *data, size_t size) {
  for (ssize_t got; size > 0; data += got, size -= (size_t)got)
    if ((got = write(file, data, size)) <= 0) return false;
  return true;
}

/* A whole trace without rows, as bytes: it defines the run. */
static char *bytes_of_head(const crd_trace_log *log, crd_arena *arena, size_t *size) {
  crd_beside beside;
  crd_trace_h5 *trace;
  int file;
  char *data = NULL;
  const crd_trace_end end = {.truncated = true, .status = "cut short"};
  if (crd_beside_begin(&beside, log->path, &file, NULL)) return NULL;
  close(file);
  if (crd_trace_h5_create(beside.name, log->header, log->nq, log->nv, &trace, NULL) == CRD_OK &&
      crd_trace_h5_commit(trace, &end, NULL) == CRD_OK)
    if (crd_path_read(arena, beside.name, &data, size, NULL) != CRD_OK) data = NULL;
  crd_beside_discard(&beside);
  return data;
}

static void begin(crd_trace_log *log) {
  crd_arena arena = {0};
  size_t size = 0;
  const int32_t sizes[4] = {log->nq, log->nv, log->nact, log->nsensordata};
  const char *head = bytes_of_head(log, &arena, &size);
  const uint64_t length = size;
  if (!head || crd_beside_begin(&log->beside, log->path, &log->file, NULL) != CRD_OK) {
    log->given_up = true, log->file = -1;
  } else {
    crd_beside_stays(&log->beside);
    log->given_up = !write_all(log->file, (const unsigned char *)MAGIC, sizeof MAGIC) ||
                    !write_all(log->file, (const unsigned char *)sizes, sizeof sizes) ||
                    !write_all(log->file, (const unsigned char *)&length, sizeof length) ||
                    !write_all(log->file, (const unsigned char *)head, size);
  }
  crd_arena_free(&arena);
}

/* Room for kind, length and checksum before a frame; its place. */
static size_t open_frame(crd_trace_log *log) {
  const uint32_t nothing[3] = {0};
  put(log, nothing, sizeof nothing);
  return log->size;
}

static void close_frame(crd_trace_log *log, size_t from, uint32_t kind) {
  enum { LEAST_S = 1 };
  if (log->given_up) return;
  const size_t size = log->size - from;
  const uint32_t head[3] = {kind, (uint32_t)size, crd_h5_lookup3(log->data + from, size) ^ kind};
  memcpy(log->data + from - sizeof head, head, sizeof head);
  const double now = seconds();
  if (now - log->written < LEAST_S && (log->file < 0 || log->size < FLUSH_BYTES)) {
    if (log->file >= 0 || log->size < 16 * FLUSH_BYTES) return; /* a run of a second has little to lose */
  }
  if (log->file < 0) begin(log);
  if (!log->given_up && !write_all(log->file, log->data, log->size)) log->given_up = true;
  log->size = 0, log->written = now;
}

crd_trace_log *crd_trace_log_create(const char *path, const crd_trace_header *header, int nq, int nv) {
  crd_trace_log *log = calloc(1, sizeof *log);
  if (!log) return NULL;
  *log = (crd_trace_log){.header = header, .nq = nq, .nv = nv, .file = -1, .written = seconds()};
  log->nact = header->nact, log->nsensordata = header->nsensordata;
  log->path = strdup(path);
  if (!log->path) log->given_up = true;
  return log;
}

static void put_contact(crd_trace_log *log, const crd_sim_contact *contact) {
  const crd_contact *at = &contact->contact;
  const int32_t whole[3] = {at->body1, at->body2, contact->mode};
  put(log, whole, sizeof whole);
  put_number(log, at->gap), put_number(log, at->mu), put_number(log, at->e);
  put_numbers(log, 3, at->point), put_numbers(log, 3, at->normal), put_numbers(log, 6, at->tangent[0]);
  put_number(log, contact->impulse_n), put_numbers(log, 2, contact->impulse_t);
  put_number(log, contact->velocity_n), put_numbers(log, 2, contact->velocity_t);
  put_text(log, at->name);
}

void crd_trace_log_add(crd_trace_log *log, const crd_trace_row *row) {
  if (!log || log->given_up) return;
  double energy[CRD_TRACE_ENERGIES];
  const size_t from = open_frame(log);
  const int32_t count = row->ncontact;
  crd_trace_energy_pack(&row->energy, energy);
  put_number(log, row->t), put_number(log, row->s), put_number(log, row->penetration), put_number(log, row->residual);
  put_numbers(log, CRD_TRACE_ENERGIES, energy);
  put_numbers(log, log->nq, row->qpos), put_numbers(log, log->nv, row->qvel), put_numbers(log, log->nact, row->act);
  put_numbers(log, log->nsensordata, row->sensor);
  put(log, &count, sizeof count);
  for (int i = 0; i < count; i++) put_contact(log, &row->contact[i]);
  close_frame(log, from, ROW);
}

void crd_trace_log_event(crd_trace_log *log, const crd_sim_event *event, const double *qpos, const double *qvel) {
  if (!log || log->given_up) return;
  const size_t from = open_frame(log);
  const int32_t whole[3] = {(int32_t)event->kind, event->count, event->v_minus != NULL};
  put(log, whole, sizeof whole);
  put_number(log, event->t), put_number(log, event->s), put_number(log, event->approach);
  put_number(log, event->impulse), put_number(log, event->energy);
  put_numbers(log, log->nq, qpos), put_numbers(log, log->nv, qvel);
  if (event->v_minus) put_numbers(log, log->nv, event->v_minus);
  put_text(log, event->contact);
  close_frame(log, from, EVENT);
}

void crd_trace_log_end(crd_trace_log *log) {
  if (!log) return;
  if (log->file >= 0) close(log->file), crd_beside_discard(&log->beside);
  free(log->data), free(log->path);
  free(log);
}

/* ------------------------------------------------------------------------------------------------ reading */

/* The remainder of a frame; `good`: long enough so far. */
typedef struct cursor {
  const unsigned char *at;
  size_t left;
  bool good;
} cursor;

static const void *take(cursor *c, size_t size) {
  if (size > c->left) c->good = false;
  if (!c->good) return NULL;
  const void *here = c->at;
  c->at += size, c->left -= size;
  return here;
}

static void take_numbers(cursor *c, size_t count, double *value) {
  const void *from = count <= SIZE_MAX / sizeof *value ? take(c, count * sizeof *value) : NULL;
  if (from && count) memcpy(value, from, count * sizeof *value);
}

static int32_t take_integer(cursor *c) {
  int32_t value = 0;
  const void *from = take(c, sizeof value);
  if (from) memcpy(&value, from, sizeof value);
  return value;
}

static const char *take_text(cursor *c, crd_arena *arena) {
  const uint32_t length = (uint32_t)take_integer(c);
  const void *from = take(c, length);
  char *copy = from ? crd_arena_alloc(arena, (size_t)length + 1, 1) : NULL;
  if (copy && length) memcpy(copy, from, length);
  if (!copy) c->good = false;
  return copy;
}

typedef struct replay {
  crd_trace_writer *writer;
  int nq, nv, nact, nsensordata;
  double *number; /* 2 nv + nq + nact + nsensordata and a row's own */
  crd_arena frame;
  size_t rows;
} replay;

static void take_contact(cursor *c, crd_sim_contact *contact, crd_arena *arena) {
  crd_contact *at = &contact->contact;
  at->body1 = take_integer(c), at->body2 = take_integer(c);
  const int32_t mode = take_integer(c);
  if (mode < CRD_MODE_NONE || mode > CRD_MODE_SLIP) c->good = false;
  contact->mode = (crd_mode)mode;
  take_numbers(c, 1, &at->gap), take_numbers(c, 1, &at->mu), take_numbers(c, 1, &at->e);
  take_numbers(c, 3, at->point), take_numbers(c, 3, at->normal), take_numbers(c, 6, at->tangent[0]);
  take_numbers(c, 1, &contact->impulse_n), take_numbers(c, 2, contact->impulse_t);
  take_numbers(c, 1, &contact->velocity_n), take_numbers(c, 2, contact->velocity_t);
  at->name = take_text(c, arena);
}

static bool replay_row(replay *r, cursor *c) {
  double own[ROW_NUMBERS] = {0}, *q = r->number, *v = q + r->nq, *act = v + r->nv, *sensor = act + r->nact;
  take_numbers(c, ROW_NUMBERS, own);
  take_numbers(c, (size_t)r->nq, q), take_numbers(c, (size_t)r->nv, v), take_numbers(c, (size_t)r->nact, act);
  take_numbers(c, (size_t)r->nsensordata, sensor);
  crd_trace_row row = {.t = own[0], .s = own[1], .penetration = own[2], .residual = own[3]};
  row.qpos = q, row.qvel = v, row.act = act, row.sensor = sensor, row.ncontact = take_integer(c);
  crd_trace_energy_unpack(own + 4, &row.energy);
  /* each takes more than so many bytes */
  if (row.ncontact < 0 || (size_t)row.ncontact > c->left / CONTACT_NUMBERS) c->good = false;
  crd_sim_contact *contact = c->good ? crd_arena_alloc(&r->frame, (size_t)row.ncontact + 1, sizeof *contact) : NULL;
  for (int i = 0; contact && i < row.ncontact && c->good; i++) take_contact(c, &contact[i], &r->frame);
  if (!contact || !c->good || c->left > 0) return false;
  row.contact = contact;
  crd_io_trace_add(r->writer, &row);
  r->rows++;
  return true;
}

static bool replay_event(replay *r, cursor *c) {
  double own[5] = {0}, *q = r->number, *v = q + r->nq, *before = v + r->nv;
  const int32_t kind = take_integer(c), count = take_integer(c), known = take_integer(c);
  take_numbers(c, 5, own);
  take_numbers(c, (size_t)r->nq, q), take_numbers(c, (size_t)r->nv, v);
  if (known) take_numbers(c, (size_t)r->nv, before);
  crd_sim_event event = {.t = own[0], .s = own[1], .approach = own[2], .impulse = own[3], .energy = own[4]};
  event.kind = (crd_sim_event_kind)kind, event.count = count, event.contact = take_text(c, &r->frame);
  event.v_minus = known ? before : NULL;
  if (!c->good || c->left > 0 || kind < CRD_EVENT_IMPACT || kind >= CRD_EVENT_KINDS) return false;
  crd_io_trace_event(r->writer, &event, q, v);
  return true;
}

/* All frames up to the first that is cut or damaged. */
static void replay_frames(replay *r, const unsigned char *at, size_t left) {
  uint32_t head[3];
  while (left >= sizeof head) {
    memcpy(head, at, sizeof head);
    at += sizeof head, left -= sizeof head;
    if (head[1] > left || (crd_h5_lookup3(at, head[1]) ^ head[0]) != head[2]) return;
    cursor c = {at, head[1], true};
    crd_arena_reset(&r->frame);
    if (head[0] == ROW ? !replay_row(r, &c) : head[0] != EVENT || !replay_event(r, &c)) return;
    at += head[1], left -= head[1];
  }
}

static crd_status write_trace(replay *r, const crd_trace *head, const char *path, const unsigned char *frames,
                              size_t size, crd_error *err) {
  const crd_trace_end end = {.truncated = true, .status = "cut short: the program was killed"};
  crd_status status = crd_io_trace_create(path, &head->header, r->nq, r->nv, &r->writer, err);
  if (status) return status;
  replay_frames(r, frames, size);
  crd_arena_free(&r->frame);
  return crd_io_trace_commit(r->writer, &end, err);
}

static crd_status recover(const char *name, const char *path, const unsigned char *data, size_t size, crd_error *err) {
  enum { HEAD = sizeof MAGIC + 4 * sizeof(int32_t) + sizeof(uint64_t), MOST = 100000000 };
  int32_t sizes[4];
  uint64_t length = 0;
  crd_trace head = {0};
  if (size >= HEAD) memcpy(sizes, data + sizeof MAGIC, sizeof sizes);
  if (size >= HEAD) memcpy(&length, data + sizeof MAGIC + sizeof sizes, sizeof length);
  if (size < HEAD || length > size - HEAD || sizes[0] < 0 || sizes[1] < 0 || sizes[2] < 0 || sizes[3] < 0 ||
      sizes[0] > MOST || sizes[1] > MOST || sizes[2] > MOST || sizes[3] > MOST)
    return crd_error_set(err, CRD_ERR_FORMAT, name, 0, "found a log that is cut in its head");
  crd_status status = crd_trace_read_memory(data + HEAD, (size_t)length, name, &head, err);
  replay r = {.nq = sizes[0], .nv = sizes[1], .nact = sizes[2], .nsensordata = sizes[3]};
  r.number = calloc((size_t)r.nq + 2 * (size_t)r.nv + (size_t)r.nact + (size_t)r.nsensordata + 1, sizeof *r.number);
  head.header.nact = r.nact, head.header.nsensordata = r.nsensordata;
  if (status == CRD_OK && !r.number) status = crd_error_set(err, CRD_ERR_MEMORY, name, 0, "no memory for the trace");
  if (status == CRD_OK) status = write_trace(&r, &head, path, data + HEAD + length, size - HEAD - length, err);
  free(r.number);
  crd_io_trace_free(&head);
  return status;
}

typedef struct search {
  char *name;
  int descriptor; /* keeps the lock */
} search;

static bool is_log(void *context, const char *name, int descriptor) {
  search *s = context;
  char magic[sizeof MAGIC];
  if (pread(descriptor, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, MAGIC, sizeof magic) != 0) return true;
  s->name = strdup(name), s->descriptor = dup(descriptor);
  return false;
}

crd_status crd_io_trace_recover(const char *path, bool *recovered, crd_error *err) {
  search found = {.descriptor = -1};
  crd_arena arena = {0};
  char *data;
  size_t size;
  *recovered = false;
  if (access(path, F_OK) == 0) return CRD_OK;
  crd_leftovers(path, is_log, &found);
  crd_status status = CRD_OK;
  if (found.name) status = crd_path_read(&arena, found.name, &data, &size, err);
  if (found.name && status == CRD_OK) {
    status = recover(found.name, path, (const unsigned char *)data, size, err);
    *recovered = status == CRD_OK;
  }
  if (found.descriptor >= 0) close(found.descriptor);
  if (*recovered) crd_leftovers_remove(path);
  crd_arena_free(&arena);
  free(found.name);
  return status;
}
