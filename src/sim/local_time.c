/* Local time: the groups of a step (src/sim/partition.c) move through it one by one, each as if it were alone.
 *
 *   groups = trees that can meet or act on each other within h
 *   for each group that does not sleep:  step(group)
 *   a geom has left the bounds of its group:  the step anew, with wider bounds for it
 *
 * An impact costs its group, and so does a step that Moreau and Jean have to end. Groups share nothing but what is
 * constant, so that a group moves bit by bit as it would alone, and neither their order nor the number of threads
 * matters. One that rested in a step of this length, and which nothing else has joined, sleeps: it stays as it is.
 *
 * What is about a group (touches, rebounds, listed contacts, the length of its pieces) stays with it as long as its trees
 * stay the same; where they change, all is gathered into the whole, and dealt to the new groups.
 */
#include "sim/local_time.h"

#include <math.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "sim/groups.h"
#include "sim/order.h"
#include "sim/partition.h"
#include "sim/recognise.h"
#include "sim/told.h"

enum { MOST_WIDENINGS = 6 }; /* then all trees are one group */

/* ------------------------------------------------------------------------------------------------ gather */

static bool comes_before(const void *context, int a, int b) {
  const crd_sim_touch *all = context;
  return crd_touch_pair_before(&all[a], &all[b]);
}

/* The touches of all groups, in the order of crd_collide_all. */
static crd_status gather_touches(crd_sim *sim, int count) {
  crd_group *whole = &sim->whole;
  crd_status status = crd_group_reserve_touches(whole, count);
  if (status == CRD_OK) status = crd_sim_reserve(whole, count);
  if (status != CRD_OK) return status;
  crd_sim_touch *all = whole->start.touches.item;
  int *order = whole->rows->touch_of, n = 0;
  for (int g = 0; g < sim->groups.dealt; g++) {
    const crd_sim_touches *own = &sim->groups.group[g].now.touches;
    if (own->count > 0) memcpy(all + n, own->item, (size_t)own->count * sizeof *all);
    n += own->count;
  }
  crd_order_sort(order, whole->rows->contact_of, n, comes_before, all);
  for (int i = 0; i < n; i++) whole->now.touches.item[i] = all[order[i]];
  whole->now.touches.count = n;
  return CRD_OK;
}

static void append_listed(crd_sim_listed *to, const crd_sim_listed *from) {
  for (int i = 0; i < from->ncontact; i++) {
    char *name = to->name + (size_t)CRD_CONTACT_NAME * (size_t)to->ncontact;
    crd_sim_contact *entry = &to->contact[to->ncontact++];
    *entry = from->contact[i];
    memcpy(name, from->contact[i].contact.name, CRD_CONTACT_NAME);
    entry->contact.name = name;
  }
}

crd_status crd_sim_gather_listed(crd_sim *sim) {
  const crd_sim_groups *groups = &sim->groups;
  int count = 0;
  if (groups->dealt == 0) return CRD_OK;
  for (int g = 0; g < groups->dealt; g++) count += groups->group[g].listed.ncontact;
  sim->whole.listed.ncontact = 0;
  crd_status status = crd_group_reserve_listed(&sim->whole, count);
  for (int g = 0; g < groups->dealt && status == CRD_OK; g++)
    append_listed(&sim->whole.listed, &groups->group[g].listed);
  return status;
}

crd_status crd_sim_gather(crd_sim *sim) {
  crd_sim_groups *groups = &sim->groups;
  crd_sim_ledger *ledger = &sim->whole.ledger;
  int touches = 0, rebounds = 0;
  if (groups->dealt == 0) return CRD_OK;
  for (int g = 0; g < groups->dealt; g++)
    touches += groups->group[g].now.touches.count, rebounds += groups->group[g].ledger.nrebound;
  ledger->nrebound = 0;
  crd_status status = gather_touches(sim, touches);
  if (status == CRD_OK) status = crd_sim_gather_listed(sim);
  if (status == CRD_OK) status = crd_group_reserve_rebounds(&sim->whole, rebounds);
  for (int g = 0; g < groups->dealt && status == CRD_OK; g++)
    for (int i = 0; i < groups->group[g].ledger.nrebound; i++)
      ledger->rebound[ledger->nrebound++] = groups->group[g].ledger.rebound[i];
  for (int t = 0; t < sim->scene.ntree; t++) {
    const crd_group *group = &groups->group[groups->holder[t]];
    groups->piece[t] = group->now.piece, groups->asleep[t] = group->asleep;
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------ deal */

static crd_group *group_of(crd_sim *sim, const int tree[2]) {
  return &sim->groups.group[sim->groups.number[tree[0] >= 0 ? tree[0] : tree[1]]];
}

static crd_group *group_of_contact(crd_sim *sim, int body1, int body2, int joint) {
  const crd_sim_scene *scene = &sim->scene;
  const int tree[2] = {joint >= 0 ? crd_sim_tree_of_joint(scene, joint) : crd_sim_tree_of_body(scene, body1),
                       joint >= 0 ? -1 : crd_sim_tree_of_body(scene, body2)};
  return group_of(sim, tree);
}

static crd_status deal_touch(crd_sim *sim, const crd_sim_touch *touch) {
  int tree[2];
  crd_sim_trees_of_point(&sim->scene, &touch->at, tree);
  crd_group *group = group_of(sim, tree);
  crd_sim_touches *own = &group->now.touches;
  crd_status status = crd_group_reserve_touches(group, own->count + 1);
  if (status == CRD_OK) own->item[own->count++] = *touch;
  return status;
}

static crd_status deal_rebound(crd_sim *sim, const crd_sim_rebound *rebound) {
  crd_group *group = group_of_contact(sim, rebound->body1, rebound->body2, rebound->joint);
  crd_status status = crd_group_reserve_rebounds(group, group->ledger.nrebound + 1);
  if (status == CRD_OK) group->ledger.rebound[group->ledger.nrebound++] = *rebound;
  return status;
}

/* A listed contact of a sleeping group stays in the list. */
static crd_status deal_listed(crd_sim *sim, crd_sim_contact *listed) {
  crd_group *group = group_of_contact(sim, listed->contact.body1, listed->contact.body2, listed->contact.joint);
  if (!group->asleep) return CRD_OK;
  crd_status status = crd_group_reserve_listed(group, group->listed.ncontact + 1);
  if (status == CRD_OK) append_listed(&group->listed, &(crd_sim_listed){.ncontact = 1, .contact = listed});
  return status;
}

/* A group as new: its trees have come from others. */
static void begin_group(crd_sim *sim, crd_group *group, int number) {
  const crd_group *whole = &sim->whole;
  group->sim = sim, group->model = whole->model, group->options = whole->options;
  group->scene = whole->scene, group->inputs = whole->inputs, group->number = number;
  crd_sim_touches now = group->now.touches, start = group->start.touches;
  group->now = whole->now, group->start = whole->start;
  group->now.touches = now, group->start.touches = start;
  group->now.touches.count = group->listed.ncontact = group->ledger.nrebound = 0;
  group->now.piece = INFINITY, group->asleep = true, group->listed.due = false;
  crd_group_enter(group, sim->scratch);
}

static crd_status deal(crd_sim *sim) {
  crd_sim_groups *groups = &sim->groups;
  const crd_group *whole = &sim->whole;
  crd_status status = CRD_OK;
  for (int g = 0; g < groups->count; g++) begin_group(sim, &groups->group[g], g);
  for (int t = 0; t < sim->scene.ntree; t++) {
    crd_group *group = &groups->group[groups->number[t]];
    group->now.piece = fmin(group->now.piece, groups->piece[t]);
    group->asleep = group->asleep && groups->asleep[t];
    groups->holder[t] = groups->number[t];
  }
  for (int i = 0; i < whole->now.touches.count && status == CRD_OK; i++)
    status = deal_touch(sim, &whole->now.touches.item[i]);
  for (int i = 0; i < whole->ledger.nrebound && status == CRD_OK; i++)
    status = deal_rebound(sim, &whole->ledger.rebound[i]);
  for (int i = 0; i < whole->listed.ncontact && status == CRD_OK; i++)
    status = deal_listed(sim, &whole->listed.contact[i]);
  crd_group_enter(&sim->whole, sim->scratch);
  groups->dealt = groups->count;
  return status;
}

static bool same_groups(const crd_sim_groups *groups, int ntree) {
  return groups->dealt == groups->count &&
         memcmp(groups->holder, groups->number, (size_t)ntree * sizeof *groups->number) == 0;
}

/* Distributes records of trees to their groups of the step. */
static crd_status regroup(crd_sim *sim) {
  crd_sim_groups *groups = &sim->groups;
  const int ntree = sim->scene.ntree;
  if (groups->count > 1 && same_groups(groups, ntree)) return CRD_OK;
  crd_status status = crd_sim_gather(sim);
  if (status != CRD_OK) return status;
  if (groups->count > 1) return deal(sim);
  groups->dealt = 0, sim->whole.now.piece = INFINITY;
  for (int t = 0; t < ntree; t++) sim->whole.now.piece = fmin(sim->whole.now.piece, groups->piece[t]);
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ the step */

typedef crd_status mover(crd_group *group, double h);

static void move_group(crd_sim *sim, crd_group *group, int thread, double h, mover *move) {
  crd_sim_told *told = &group->told;
  group->status = CRD_OK, group->strayed = false, group->moves = !group->asleep;
  told->count = told->next = 0, told->used = 0, told->impulse = 0, told->full = false;
  group->ledger.counters = (crd_sim_counters){0}, group->ledger.gain = (crd_sim_gain){0};
  group->now.work = (crd_sim_work){0};
  if (!group->moves) return;
  crd_group_enter(group, &sim->scratch[thread]);
  group->now.t = sim->whole.now.t, group->listed.ncontact = 0, group->asleep = false;
  group->status = crd_group_keep_start(group);
  if (group->status == CRD_OK) group->status = move(group, h);
}

static void move_all(crd_sim *sim, double h, mover *move) {
  crd_sim_groups *groups = &sim->groups;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(sim->nscratch) if (sim->nscratch > 1)
  for (int g = 0; g < groups->count; g++) move_group(sim, &groups->group[g], omp_get_thread_num(), h, move);
#else
  for (int g = 0; g < groups->count; g++) move_group(sim, &groups->group[g], 0, h, move);
#endif
}

/* The worst status of the groups, with the message of the first such group. *strayed: one group left its bounds. */
static crd_status judge(crd_sim *sim, bool *strayed) {
  crd_sim_groups *groups = &sim->groups;
  *strayed = false;
  for (int g = 0; g < groups->count; g++) {
    const crd_group *group = &groups->group[g];
    *strayed = *strayed || group->strayed;
    if (group->status == CRD_OK) continue;
    if (group->message != sim->whole.message) memcpy(sim->whole.message, group->message, sizeof sim->scratch->message);
    return group->status;
  }
  return CRD_OK;
}

static void add_work(crd_sim_work *sum, const crd_sim_work *work) {
  sum->actuation += work->actuation, sum->damping += work->damping, sum->impact += work->impact;
  sum->contact += work->contact, sum->loop += work->loop, sum->imposed += work->imposed;
}

/* Groups that have moved, one after the other, go into the sums; or back to where they were. */
static void conclude(crd_sim *sim, bool stands, double h) {
  crd_sim_groups *groups = &sim->groups;
  crd_group *whole = &sim->whole;
  whole->asleep = stands;
  for (int g = 0; g < groups->count; g++) {
    crd_group *group = &groups->group[g];
    if (!stands && group->moves) {
      crd_group_enter(group, sim->scratch);
      crd_group_return_to_start(group);
      group->asleep = false;
    }
    crd_ledger_add(&whole->ledger, &group->ledger);
    if (stands) add_work(&whole->now.work, &group->now.work);
    whole->asleep = whole->asleep && group->asleep;
  }
  crd_group_enter(whole, sim->scratch);
  if (stands) whole->now.t += h;
}

static crd_status move_apart(crd_sim *sim, double h, mover *move, bool *strayed) {
  double impulse = sim->whole.ledger.counters.normal_impulse;
  move_all(sim, h, move);
  crd_status status = judge(sim, strayed);
  conclude(sim, status == CRD_OK && !*strayed, h);
  return status == CRD_OK && !*strayed ? crd_told_all(sim, impulse) : status;
}

static crd_status move_together(crd_sim *sim, double h, mover *move) {
  crd_group *whole = &sim->whole;
  whole->listed.ncontact = 0, whole->asleep = false;
  crd_status status = crd_group_keep_start(whole);
  if (status == CRD_OK) status = move(whole, h);
  if (status != CRD_OK) return crd_group_return_to_start(whole), status;
  for (int t = 0; t < sim->scene.ntree; t++)
    sim->groups.piece[t] = whole->now.piece, sim->groups.asleep[t] = whole->asleep;
  return CRD_OK;
}

crd_status crd_sim_move_groups(crd_sim *sim, double h, crd_status (*move)(crd_group *group, double h)) {
  crd_partition_forget(sim);
  for (int round = 0;; round++) {
    bool strayed = false;
    crd_partition_find(sim, h, round == MOST_WIDENINGS);
    crd_status status = regroup(sim);
    if (status != CRD_OK) return status;
    status = sim->groups.count > 1 ? move_apart(sim, h, move, &strayed) : move_together(sim, h, move);
    if (!strayed || status != CRD_OK) return status;
    sim->whole.ledger.counters.retries[CRD_RETRY_STRAYS]++;
  }
}
