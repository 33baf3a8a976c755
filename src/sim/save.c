/* The state as bytes: a header that names the model's sizes, then everything that the future depends on. Inside a phase
 * of the event-driven integrator that includes the state in which it began, which follows in the same form. */
#include <string.h>

#include "contact/assemble.h"
#include "sim/event.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"

typedef struct header {
  char magic[8];
  int nq, nv, nact, ntendon, ngeom, touches, contacts, event;
  int trees;
  int ignored, loops, loops_as_drawn; /* changes made at the start: pairs, loops of the model */
  int inside;                         /* of a phase: another state follows */
  int asleep, groups, taking_part;    /* the whole; groups and contacts of the last step */
  double t, energy_start, sensed;     /* sensed: length of the step that sensors read of */
  double step;                        /* length of the last one */
  crd_sim_gain gain;
  crd_sim_work work;
  crd_sim_counters counters;
  int rebounds;
  int controls, pushes, pushed; /* of the caller: controls, pushes of the next step and of the last */
} header;

static const char MAGIC[8] = "crdsimD";

static header header_of(const crd_sim *sim) {
  header h;
  crd_sim_list_contacts(&sim->self->whole);
  memset(&h, 0, sizeof h); /* padding too: equal states are equal bytes */
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  h.nq = sim->model->nq, h.nv = sim->model->nv, h.nact = sim->model->nact, h.ntendon = sim->model->ntendon,
  h.ngeom = sim->model->ngeom;
  h.touches = sim->whole.now.touches.count, h.contacts = sim->whole.listed.ncontact;
  h.event = sim->whole.event != NULL;
  h.trees = sim->scene.ntree;
  h.ignored = sim->scene.nignored, h.loops = sim->model->nloop, h.loops_as_drawn = sim->scene.loops_as_drawn;
  h.inside = sim->whole.event && sim->whole.event->phase.runs;
  h.t = sim->whole.now.t, h.energy_start = sim->energy_start, h.sensed = sim->sensed.length,
  h.gain = sim->whole.ledger.gain;
  h.asleep = sim->whole.asleep, h.groups = sim->groups.count, h.taking_part = sim->last_contacts;
  h.step = sim->last_step;
  h.work = sim->whole.now.work, h.counters = sim->whole.ledger.counters;
  h.rebounds = sim->whole.ledger.nrebound;
  h.controls = sim->model->nactuator, h.pushes = sim->inputs.nnext, h.pushed = sim->inputs.nlast;
  return h;
}

static size_t body_size(const header *h) {
  size_t touch = sizeof(crd_sim_touch), contact = sizeof(crd_sim_contact) + CRD_CONTACT_NAME;
  return ((size_t)h->nq + 4 * (size_t)h->nv + (size_t)h->ntendon + (size_t)h->nact + (size_t)h->trees) *
             sizeof(double) +
         (size_t)h->rebounds * sizeof(crd_sim_rebound) + (size_t)h->ignored * 2 * sizeof(int) +
         (size_t)h->loops * 3 * sizeof(double) + (size_t)h->touches * touch + (size_t)h->contacts * contact +
         (size_t)h->trees * sizeof(bool) + 2 * (size_t)h->controls * sizeof(double) +
         ((size_t)h->pushes + (size_t)h->pushed) * sizeof(crd_sim_push) + (h->event ? sizeof(crd_event_memory) : 0);
}

size_t crd_sim_saved_size(const crd_sim *sim) {
  if (crd_sim_gather(sim->self) != CRD_OK) return 0;
  header h = header_of(sim);
  return sizeof h + body_size(&h) + (h.inside ? sim->whole.event->checkpoint_size : 0);
}

static void put(char **to, const void *from, size_t size) {
  if (size) memcpy(*to, from, size);
  *to += size;
}

/* Bytes behind the end of a name are no part of the state, */
static void put_touches(char **to, const crd_sim_touches *touches) {
  for (int i = 0; i < touches->count; i++) {
    crd_sim_touch one = touches->item[i];
    memset(one.name, 0, sizeof one.name);
    strcpy(one.name, touches->item[i].name);
    put(to, &one, sizeof one);
  }
}

/* nor is the address of one. */
static void put_contacts(char **to, const crd_sim_contact *contact, int count) {
  for (int i = 0; i < count; i++) {
    crd_sim_contact one = contact[i];
    one.contact.name = NULL;
    put(to, &one, sizeof one);
  }
  for (int i = 0; i < count; i++) {
    char name[CRD_CONTACT_NAME] = "";
    strcpy(name, contact[i].contact.name);
    put(to, name, sizeof name);
  }
}

crd_status crd_sim_save(const crd_sim *sim, void *buffer, size_t size) {
  const size_t needed = crd_sim_saved_size(sim);
  if (needed == 0) return CRD_ERR_MEMORY;
  if (size < needed) return CRD_ERR_CAPACITY;
  header h = header_of(sim);
  char *to = buffer;
  put(&to, &h, sizeof h);
  put(&to, sim->whole.now.q, (size_t)h.nq * sizeof(double));
  put(&to, sim->whole.now.v, (size_t)h.nv * sizeof(double));
  put(&to, sim->whole.now.act, (size_t)h.nact * sizeof(double));
  put(&to, sim->whole.now.dry, (size_t)(h.nv + h.ntendon) * sizeof(double));
  put(&to, sim->whole.now.load, (size_t)h.nv * sizeof(double));
  put(&to, sim->sensed.qacc, (size_t)h.nv * sizeof(double));
  put(&to, sim->groups.piece, (size_t)h.trees * sizeof(double));
  put(&to, sim->groups.asleep, (size_t)h.trees * sizeof(bool));
  put(&to, sim->whole.ledger.rebound, (size_t)h.rebounds * sizeof(crd_sim_rebound));
  put(&to, sim->scene.ignored, (size_t)h.ignored * 2 * sizeof(int));
  put(&to, sim->scene.loop_shift, (size_t)h.loops * 3 * sizeof(double));
  put_touches(&to, &sim->whole.now.touches);
  put_contacts(&to, sim->whole.listed.contact, h.contacts);
  put(&to, sim->inputs.ctrl, (size_t)h.controls * sizeof(double));
  put(&to, sim->inputs.ctrl_before, (size_t)h.controls * sizeof(double));
  put(&to, sim->inputs.next, (size_t)h.pushes * sizeof(crd_sim_push));
  put(&to, sim->inputs.last, (size_t)h.pushed * sizeof(crd_sim_push));
  if (sim->whole.event) put(&to, &sim->whole.event->kept, sizeof sim->whole.event->kept);
  if (h.inside) put(&to, sim->whole.event->checkpoint, sim->whole.event->checkpoint_size);
  return CRD_OK;
}

static void get(void *to, const char **from, size_t size) {
  if (size) memcpy(to, *from, size);
  *from += size;
}

static bool fits(const crd_sim *sim, const header *h, size_t size) {
  return memcmp(h->magic, MAGIC, sizeof MAGIC) == 0 && h->nq == sim->model->nq && h->nv == sim->model->nv &&
         h->nact == sim->model->nact && h->ntendon == sim->model->ntendon && h->ngeom == sim->model->ngeom &&
         h->trees == sim->scene.ntree && h->event == (sim->whole.event != NULL) && h->touches >= 0 &&
         h->contacts >= 0 && h->groups >= 1 && h->groups <= (h->trees > 1 ? h->trees : 1) && h->ignored >= 0 &&
         h->rebounds >= 0 && h->loops == sim->model->nloop && h->controls == sim->model->nactuator && h->pushes >= 0 &&
         h->pushes <= sim->model->nbody && h->pushed >= 0 && h->pushed <= sim->model->nbody &&
         size - sizeof *h >= body_size(h);
}

/* Changes made at the start: pairs of geoms that do not touch, loops closed as drawn. */
static crd_status restore_start(crd_sim *sim, const header *h, const char **from) {
  if (h->ignored > sim->scene.nignored) {
    int *ignored = crd_arena_alloc(&sim->arena, (size_t)h->ignored, 2 * sizeof *ignored);
    if (!ignored) return CRD_ERR_MEMORY;
    sim->scene.ignored = ignored;
  }
  sim->scene.nignored = h->ignored, sim->scene.loops_as_drawn = h->loops_as_drawn != 0;
  get(sim->scene.ignored, from, (size_t)h->ignored * 2 * sizeof(int));
  get(sim->scene.loop_shift, from, (size_t)h->loops * 3 * sizeof(double));
  return CRD_OK;
}

/* The state that the simulation stands at; the phase under way goes on. */
static crd_status restore(crd_sim *sim, const header *given, const char *from) {
  const header h = *given;
  crd_group *whole = &sim->whole;
  crd_status status = crd_group_reserve_touches(whole, h.touches);
  if (status == CRD_OK) status = crd_group_reserve_listed(whole, h.contacts);
  if (status != CRD_OK) return status;
  get(sim->whole.now.q, &from, (size_t)h.nq * sizeof(double));
  get(sim->whole.now.v, &from, (size_t)h.nv * sizeof(double));
  get(sim->whole.now.act, &from, (size_t)h.nact * sizeof(double));
  get(sim->whole.now.dry, &from, (size_t)(h.nv + h.ntendon) * sizeof(double));
  get(sim->whole.now.load, &from, (size_t)h.nv * sizeof(double));
  get(sim->sensed.qacc, &from, (size_t)h.nv * sizeof(double));
  get(sim->groups.piece, &from, (size_t)h.trees * sizeof(double));
  crd_sim_begin_anew(sim);
  get(sim->groups.asleep, &from, (size_t)h.trees * sizeof(bool));
  status = crd_group_reserve_rebounds(whole, h.rebounds);
  if (status != CRD_OK) return status;
  get(sim->whole.ledger.rebound, &from, (size_t)h.rebounds * sizeof(crd_sim_rebound));
  sim->whole.ledger.nrebound = h.rebounds;
  status = restore_start(sim, &h, &from);
  if (status != CRD_OK) return status;
  get(sim->whole.now.touches.item, &from, (size_t)h.touches * sizeof(crd_sim_touch));
  get(sim->whole.listed.contact, &from, (size_t)h.contacts * sizeof(crd_sim_contact));
  get(sim->whole.listed.name, &from, (size_t)h.contacts * CRD_CONTACT_NAME);
  get(sim->inputs.ctrl, &from, (size_t)h.controls * sizeof(double));
  get(sim->inputs.ctrl_before, &from, (size_t)h.controls * sizeof(double));
  get(sim->inputs.next, &from, (size_t)h.pushes * sizeof(crd_sim_push));
  get(sim->inputs.last, &from, (size_t)h.pushed * sizeof(crd_sim_push));
  sim->inputs.nnext = h.pushes, sim->inputs.nlast = h.pushed;
  if (sim->whole.event) get(&sim->whole.event->kept, &from, sizeof sim->whole.event->kept);
  for (int i = 0; i < h.contacts; i++)
    sim->whole.listed.contact[i].contact.name = sim->whole.listed.name + (size_t)CRD_CONTACT_NAME * (size_t)i;
  sim->whole.now.t = h.t, sim->whole.now.work = h.work, sim->whole.now.touches.count = h.touches;
  sim->whole.listed.ncontact = h.contacts, sim->whole.ledger.counters = h.counters;
  sim->energy_start = h.energy_start, sim->whole.ledger.gain = h.gain;
  whole->asleep = h.asleep != 0, sim->groups.count = h.groups, sim->last_contacts = h.taking_part;
  sim->last_step = h.step;
  crd_sim_place(whole, whole->now.q);
  crd_sim_keep_positions(whole);
  sim->sensed.length = h.sensed, whole->message[0] = 0;
  return CRD_OK;
}

crd_status crd_sim_restore(crd_sim *sim, const void *buffer, size_t size) {
  header h, begun;
  const char *from = buffer;
  if (size < sizeof h) return CRD_ERR_FORMAT;
  memcpy(&h, from, sizeof h);
  if (!fits(sim, &h, size)) return CRD_ERR_FORMAT;
  if (sim->whole.event) crd_event_reset(sim->whole.event);
  if (h.inside) {
    const char *checkpoint = from + sizeof h + body_size(&h);
    const size_t left = size - (size_t)(checkpoint - from);
    if (left < sizeof begun) return CRD_ERR_FORMAT;
    memcpy(&begun, checkpoint, sizeof begun);
    if (!fits(sim, &begun, left) || begun.inside || !(begun.t <= h.t)) return CRD_ERR_FORMAT;
    crd_status status = restore(sim, &begun, checkpoint + sizeof begun);
    for (int a = 0; a < h.controls; a++) sim->inputs.ctrl_before[a] = sim->inputs.ctrl[a]; /* those of the phase */
    if (status == CRD_OK) status = crd_event_replay(&sim->whole, h.t);
    if (status != CRD_OK) return status;
  }
  return restore(sim, &h, from + sizeof h);
}
