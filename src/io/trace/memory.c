/* Traces in memory, as crd_io_read_trace gives those of files: for pages and pictures of a run that is not stored. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/trace/trace.h"
#include "model/names.h"

/* An array that grows by doubling. */
typedef struct growing {
  unsigned char *data;
  size_t count, room, size; /* entries, entries, bytes of one */
} growing;

/* With a row for each row of the trace, for each contact of it, and for each event. */
enum {
  T,
  S,
  QPOS,
  QVEL,
  ACT,
  SENSORS,
  ENERGY,
  PENETRATION,
  RESIDUAL,
  OFFSET,
  CONTACT,
  EVENT,
  E_QPOS,
  E_QVEL,
  E_BEFORE,
  ARRAYS
};

struct crd_trace_memory {
  const crd_trace_header *header;
  int nq, nv;
  growing array[ARRAYS];
  crd_names ids;     /* names of contacts, each stored once */
  crd_arena names;   /* their texts */
  const char **name; /* by id */
  int nname, name_room;
  double *nowhere; /* nv: NaN, a velocity that is not known */
  bool failed;
};

static void put(crd_trace_memory *trace, int which, const void *entry) {
  growing *to = &trace->array[which];
  if (trace->failed || to->size == 0) return;
  if (to->count == to->room) {
    const size_t room = to->room ? 2 * to->room : 64;
    unsigned char *grown = room <= SIZE_MAX / to->size ? realloc(to->data, room * to->size) : NULL;
    if (!grown) {
      trace->failed = true;
      return;
    }
    to->data = grown, to->room = room;
  }
  memcpy(to->data + to->count++ * to->size, entry, to->size);
}

/* The text of a name that lasts as long as the trace. */
static const char *lasting(crd_trace_memory *trace, const char *name) {
  if (!name || !name[0]) name = "?";
  const int id = crd_names_find(&trace->ids, name);
  if (id >= 0) return trace->name[id];
  if (trace->nname == trace->name_room) {
    const int room = trace->name_room ? 2 * trace->name_room : 64;
    const char **grown = realloc(trace->name, (size_t)room * sizeof *grown);
    if (grown) trace->name = grown, trace->name_room = room;
  }
  const char *copy = trace->nname < trace->name_room ? crd_arena_string(&trace->names, name) : NULL;
  if (!copy || crd_names_add(&trace->ids, copy, trace->nname) != 0) {
    trace->failed = true;
    return "";
  }
  return trace->name[trace->nname++] = copy;
}

crd_status crd_trace_memory_create(const crd_trace_header *header, int nq, int nv, crd_trace_memory **out,
                                   crd_error *err) {
  const size_t d = sizeof(double), q = (size_t)nq * d, v = (size_t)nv * d;
  const size_t size[ARRAYS] = {[T] = d,
                               [S] = d,
                               [QPOS] = q,
                               [QVEL] = v,
                               [ACT] = (size_t)header->nact * d,
                               [SENSORS] = (size_t)header->nsensordata * d,
                               [ENERGY] = sizeof(crd_sim_energy),
                               [PENETRATION] = d,
                               [RESIDUAL] = d,
                               [OFFSET] = sizeof(int64_t),
                               [CONTACT] = sizeof(crd_sim_contact),
                               [EVENT] = sizeof(crd_sim_event),
                               [E_QPOS] = q,
                               [E_QVEL] = v,
                               [E_BEFORE] = v};
  const int64_t first = 0;
  crd_trace_memory *trace = calloc(1, sizeof *trace);
  if (trace) *trace = (crd_trace_memory){.header = header, .nq = nq, .nv = nv, .nowhere = malloc(v + 1)};
  if (!trace || !trace->nowhere) {
    free(trace);
    return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the trace");
  }
  for (int i = 0; i < nv; i++) trace->nowhere[i] = NAN;
  for (int i = 0; i < ARRAYS; i++) trace->array[i].size = size[i];
  put(trace, OFFSET, &first);
  *out = trace;
  return CRD_OK;
}

/* The parts that a file would hold. */
static void add_contact(crd_trace_memory *trace, const crd_sim_contact *contact) {
  const crd_contact *at = &contact->contact;
  crd_sim_contact kept = {.mode = contact->mode, .impulse_n = contact->impulse_n, .velocity_n = contact->velocity_n};
  kept.contact = (crd_contact){.name = lasting(trace, at->name),
                               .body1 = at->body1,
                               .body2 = at->body2,
                               .gap = at->gap,
                               .mu = at->mu,
                               .e = at->e};
  memcpy(kept.contact.point, at->point, sizeof at->point);
  memcpy(kept.contact.normal, at->normal, sizeof at->normal);
  memcpy(kept.contact.tangent, at->tangent, sizeof at->tangent);
  memcpy(kept.impulse_t, contact->impulse_t, sizeof kept.impulse_t);
  memcpy(kept.velocity_t, contact->velocity_t, sizeof kept.velocity_t);
  put(trace, CONTACT, &kept);
}

void crd_trace_memory_add(crd_trace_memory *trace, const crd_trace_row *row) {
  double packed[CRD_TRACE_ENERGIES];
  crd_sim_energy energy;
  crd_trace_energy_pack(&row->energy, packed);
  crd_trace_energy_unpack(packed, &energy);
  put(trace, T, &row->t), put(trace, S, &row->s);
  put(trace, QPOS, row->qpos), put(trace, QVEL, row->qvel), put(trace, ACT, row->act);
  put(trace, SENSORS, row->sensor);
  put(trace, ENERGY, &energy), put(trace, PENETRATION, &row->penetration), put(trace, RESIDUAL, &row->residual);
  for (int i = 0; i < row->ncontact; i++) add_contact(trace, &row->contact[i]);
  const int64_t contacts = (int64_t)trace->array[CONTACT].count;
  put(trace, OFFSET, &contacts);
}

void crd_trace_memory_event(crd_trace_memory *trace, const crd_sim_event *event, const double *qpos,
                            const double *qvel) {
  crd_sim_event kept = *event;
  kept.contact = lasting(trace, event->contact), kept.v_minus = NULL;
  put(trace, EVENT, &kept);
  put(trace, E_QPOS, qpos), put(trace, E_QVEL, qvel);
  const bool unknown = event->kind == CRD_EVENT_IMPACT && !event->v_minus;
  put(trace, E_BEFORE, event->v_minus ? event->v_minus : unknown ? trace->nowhere : qvel);
}

bool crd_trace_memory_failed(const crd_trace_memory *trace) { return trace->failed; }

/* The array as one of the arena; NULL: it has no columns, or memory is out. */
static const void *hand_over(crd_trace_memory *trace, int which, crd_arena *arena) {
  growing *from = &trace->array[which];
  if (from->size == 0) return NULL;
  void *to = crd_arena_alloc(arena, from->count + 1, from->size);
  if (!to) trace->failed = true;
  if (to && from->count > 0) memcpy(to, from->data, from->count * from->size);
  free(from->data);
  from->data = NULL;
  return to;
}

crd_status crd_trace_memory_take(crd_trace_memory *trace, const crd_trace_end *end, crd_trace *out, crd_error *err) {
  crd_arena *arena = &out->arena;
  const size_t nrow = trace->array[T].count, nevent = trace->array[EVENT].count;
  crd_io_trace_free(out);
  *arena = trace->names, trace->names = (crd_arena){0};
  out->header = *trace->header, out->header.options.control = NULL,
  out->header.options.observer = (crd_sim_observer){0};
  out->end = *end, out->end.status = crd_arena_string(arena, end->status);
  out->version = crd_version(), out->nq = trace->nq, out->nv = trace->nv, out->nrow = nrow, out->nevent = nevent;
  out->t = hand_over(trace, T, arena), out->s = hand_over(trace, S, arena);
  out->qpos = hand_over(trace, QPOS, arena), out->qvel = hand_over(trace, QVEL, arena);
  out->act = hand_over(trace, ACT, arena), out->sensor = hand_over(trace, SENSORS, arena);
  out->energy = hand_over(trace, ENERGY, arena);
  out->penetration = hand_over(trace, PENETRATION, arena), out->residual = hand_over(trace, RESIDUAL, arena);
  out->offset = hand_over(trace, OFFSET, arena), out->contact = hand_over(trace, CONTACT, arena);
  out->event = hand_over(trace, EVENT, arena);
  out->event_qpos = hand_over(trace, E_QPOS, arena), out->event_qvel = hand_over(trace, E_QVEL, arena);
  out->event_qvel_before = hand_over(trace, E_BEFORE, arena);
  const bool failed = trace->failed || !out->end.status;
  crd_trace_memory_discard(trace);
  if (!failed) return CRD_OK;
  crd_io_trace_free(out);
  return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the trace");
}

void crd_trace_memory_discard(crd_trace_memory *trace) {
  if (!trace) return;
  for (int i = 0; i < ARRAYS; i++) free(trace->array[i].data);
  crd_names_free(&trace->ids);
  crd_arena_free(&trace->names);
  free(trace->name), free(trace->nowhere);
  free(trace);
}
