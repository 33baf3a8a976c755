/* Events of a step in which groups of trees keep their own time. They happen group by group, and a group that strays makes
 * the step begin anew: so they are kept until it stands, and told in the order of their instants, each with the state of its
 * group at that moment. */
#include "sim/told.h"

#include <string.h>

#include "base/layout.h"

static size_t state_size(const crd_group *group) {
  size_t size = 0;
  for (int i = 0; i < group->part->nspan; i++) {
    const crd_span *span = &group->part->span[i];
    size += (size_t)(span->q[1] - span->q[0]) + 2 * (size_t)(span->v[1] - span->v[0]);
  }
  return size;
}

static crd_status reserve(crd_sim_told *told, size_t more) {
  if (told->count < told->capacity && told->used + more <= told->room) return CRD_OK;
  size_t n = 2 * (size_t)told->capacity + 8, had = (size_t)told->count, room = 2 * told->room + 8 * more;
  const crd_layout table[] = {
      {&told->event, n, sizeof *told->event, had},
      {&told->name, n, CRD_CONTACT_NAME, had},
      {&told->added, n, sizeof *told->added, had},
      {&told->state, room, sizeof *told->state, told->used},
  };
  crd_status status = crd_layout_renew(&told->arena, table, sizeof table / sizeof *table);
  if (status == CRD_OK) told->capacity = (int)n, told->room = room;
  return status;
}

void crd_told_keep(crd_group *group, const crd_sim_event *event) {
  crd_sim_told *told = &group->told;
  const double impulse = group->ledger.counters.normal_impulse;
  told->full = reserve(told, state_size(group)) != CRD_OK || told->full;
  if (told->full) return;
  int i = told->count++;
  double *state = told->state + told->used;
  told->event[i] = *event, told->added[i] = impulse - told->impulse, told->impulse = impulse;
  strncpy(told->name + (size_t)CRD_CONTACT_NAME * (size_t)i, event->contact, CRD_CONTACT_NAME - 1);
  CRD_EACH (group->part, q, k) *state++ = group->now.q[k];
  CRD_EACH (group->part, v, k) *state++ = group->now.v[k];
  CRD_EACH (group->part, v, k) *state++ = event->v_minus ? event->v_minus[k] : 0;
  told->used = (size_t)(state - told->state);
}

static void swap(double *a, double *b) {
  double kept = *a;
  *a = *b, *b = kept;
}

/* The state of the moment takes the place of the present one, or the other way round; v_minus the velocities before. */
static void exchange(crd_group *group, double *state, double *v_minus) {
  CRD_EACH (group->part, q, k) swap(&group->now.q[k], state++);
  CRD_EACH (group->part, v, k) swap(&group->now.v[k], state++);
  CRD_EACH (group->part, v, k) v_minus[k] = *state++;
}

/* The next event of the group, whose state begins at `used`. */
static void tell(crd_sim *sim, crd_group *group, double impulse) {
  crd_sim_told *told = &group->told;
  const int i = told->next++;
  double *state = told->state + told->used, *v_minus = sim->scratch->trial.v, end = sim->whole.now.t;
  crd_sim_event event = told->event[i];
  crd_group_enter(group, sim->scratch);
  told->used += state_size(group);
  event.contact = told->name + (size_t)CRD_CONTACT_NAME * (size_t)i;
  event.s = event.t + impulse;
  memcpy(v_minus, sim->whole.now.v, (size_t)sim->model->nv * sizeof *v_minus);
  exchange(group, state, v_minus);
  if (event.v_minus) event.v_minus = v_minus;
  crd_group_enter(&sim->whole, sim->scratch);
  sim->whole.now.t = event.t;
  sim->options.observer.event(sim->options.observer.context, sim, &event);
  sim->whole.now.t = end;
  crd_group_enter(group, sim->scratch);
  exchange(group, state, v_minus);
}

crd_status crd_told_all(crd_sim *sim, double impulse) {
  crd_sim_groups *groups = &sim->groups;
  bool full = false;
  for (int g = 0; g < groups->count; g++) {
    crd_sim_told *told = &groups->group[g].told;
    full = full || told->full;
    told->used = 0; /* from here on: where the next event's state begins */
  }
  if (full) return crd_sim_fail(&sim->whole, CRD_ERR_MEMORY, "no memory for events");
  for (;;) {
    crd_group *first = NULL;
    for (int g = 0; g < groups->count; g++) {
      crd_group *group = &groups->group[g];
      const crd_sim_told *told = &group->told;
      if (told->next == told->count) continue;
      if (!first || told->event[told->next].t < first->told.event[first->told.next].t) first = group;
    }
    if (!first) break;
    impulse += first->told.added[first->told.next];
    tell(sim, first, impulse);
  }
  crd_group_enter(&sim->whole, sim->scratch);
  return CRD_OK;
}
