/* The impacts of the pairs of bodies, and of joints with their limits, as series (src/sim/zeno.c). */
#include <math.h>
#include <string.h>

#include "sim/group.h"

crd_sim_rebound *crd_sim_rebound_of(const crd_group *group, const crd_contact *contact) {
  for (int i = 0; i < group->ledger.nrebound; i++) {
    crd_sim_rebound *r = &group->ledger.rebound[i];
    if (r->body1 == contact->body1 && r->body2 == contact->body2 && r->joint == contact->joint) return r;
  }
  return NULL;
}

crd_status crd_sim_rebounds_begin(crd_group *group, double age, int contacts) {
  crd_sim_ledger *ledger = &group->ledger;
  int kept = 0;
  for (int i = 0; i < ledger->nrebound; i++)
    if (group->now.t - crd_zeno_last(&ledger->rebound[i].series) < age) ledger->rebound[kept++] = ledger->rebound[i];
  ledger->nrebound = kept;
  return crd_group_reserve_rebounds(group, kept + contacts);
}

crd_sim_rebound *crd_sim_rebound_note(crd_group *group, const crd_contact *contact, double approach) {
  crd_sim_rebound *r = crd_sim_rebound_of(group, contact);
  if (!r) {
    r = &group->ledger.rebound[group->ledger.nrebound++];
    memset(r, 0, sizeof *r); /* padding too: it is saved */
    r->body1 = contact->body1, r->body2 = contact->body2, r->joint = contact->joint;
    r->limit = r->due = INFINITY;
  }
  crd_zeno_add(&r->series, group->now.t, approach);
  return r;
}
