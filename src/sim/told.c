/* Events of a step in which groups of trees keep their own time. They happen in the order of the groups, and a group that
 * strays makes the step begin anew: so they are kept until it stands, and told in the order of their instants, each with
 * the state of that moment. */
#include "sim/told.h"

#include <string.h>

#include "base/layout.h"
#include "sim/order.h"

static size_t state_size(const crd_sim *sim) { return (size_t)sim->model->nq + 2 * (size_t)sim->model->nv; }

static crd_status reserve(crd_sim *sim) {
  crd_sim_told *told = &sim->told;
  if (told->count < told->capacity) return CRD_OK;
  size_t n = 2 * (size_t)told->capacity + 16, had = (size_t)told->count;
  const crd_layout table[] = {
      {&told->event, n, sizeof *told->event, had}, {&told->name, n, CRD_CONTACT_NAME, had},
      {&told->added, n, sizeof *told->added, had}, {&told->state, n, state_size(sim) * sizeof *told->state, had},
      {&told->order, n, sizeof *told->order, 0},   {&told->scratch, n, sizeof *told->scratch, 0},
  };
  crd_status status = crd_layout_renew(&told->arena, table, sizeof table / sizeof *table);
  if (status == CRD_OK) told->capacity = (int)n;
  return status;
}

void crd_told_begin(crd_sim *sim) {
  sim->told.holds = true, sim->told.full = false, sim->told.count = 0;
  sim->told.start = sim->ledger.counters.normal_impulse;
}

void crd_told_next_group(crd_sim *sim) { sim->told.impulse = sim->ledger.counters.normal_impulse; }

void crd_told_keep(crd_sim *sim, const crd_sim_event *event) {
  crd_sim_told *told = &sim->told;
  size_t nq = (size_t)sim->model->nq, nv = (size_t)sim->model->nv;
  if (reserve(sim) != CRD_OK) {
    told->full = true;
    return;
  }
  int i = told->count++;
  double *state = told->state + state_size(sim) * (size_t)i;
  char *name = told->name + (size_t)CRD_CONTACT_NAME * (size_t)i;
  told->event[i] = *event;
  strncpy(name, event->contact, CRD_CONTACT_NAME - 1);
  memcpy(state, sim->now.q, nq * sizeof *state);
  memcpy(state + nq, sim->now.v, nv * sizeof *state);
  if (event->v_minus) memcpy(state + nq + nv, event->v_minus, nv * sizeof *state);
  told->added[i] = sim->ledger.counters.normal_impulse - told->impulse;
  told->impulse = sim->ledger.counters.normal_impulse;
}

static bool is_earlier(const void *context, int a, int b) {
  const crd_sim_told *told = context;
  return told->event[a].t < told->event[b].t;
}

static void tell(crd_sim *sim, int i, double impulse) {
  const crd_sim_told *told = &sim->told;
  size_t nq = (size_t)sim->model->nq, nv = (size_t)sim->model->nv;
  double *state = told->state + state_size(sim) * (size_t)i, t = sim->now.t, *q = sim->now.q, *v = sim->now.v;
  crd_sim_event event = told->event[i];
  event.contact = told->name + (size_t)CRD_CONTACT_NAME * (size_t)i;
  event.s = event.t + impulse;
  if (event.v_minus) event.v_minus = state + nq + nv;
  sim->now.t = event.t, sim->now.q = state, sim->now.v = state + nq;
  sim->options.observer.event(sim->options.observer.context, sim, &event);
  sim->now.t = t, sim->now.q = q, sim->now.v = v;
}

crd_status crd_told_end(crd_sim *sim, bool all) {
  crd_sim_told *told = &sim->told;
  double impulse = told->start;
  told->holds = false;
  if (!all || told->full) return told->full ? crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for events") : CRD_OK;
  if (told->count == 0) return CRD_OK;
  crd_order_sort(told->order, told->scratch, told->count, is_earlier, told);
  for (int k = 0; k < told->count; k++) {
    impulse += told->added[told->order[k]];
    tell(sim, told->order[k], impulse);
  }
  return CRD_OK;
}
