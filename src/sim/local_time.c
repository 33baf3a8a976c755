/* Local time: the groups of a step (src/sim/partition.c) are moved through it one after the other, each as if it were alone.
 *
 *   groups = trees that can meet or act on each other within h
 *   for each group:  its trees, touches, time and works become (now); it is moved; its works are added to those of all
 *   a geom has left the bounds of its group:  the step anew, with wider bounds for it
 *
 * An impact costs its group, and so does a step that Moreau and Jean have to end. Groups share nothing but what is fixed, so that
 * a group moves bit by bit as it would alone, and their order does not matter. One that rested in a step of this length,
 * and which nothing else has joined, stays as it is.
 */
#include "sim/local_time.h"

#include <math.h>
#include <string.h>

#include "sim/groups.h"
#include "sim/order.h"
#include "sim/partition.h"
#include "sim/recognise.h"
#include "sim/told.h"

enum { MOST_WIDENINGS = 6 }; /* then all trees are one group */

/* ------------------------------------------------------------------------------------------------ memory of trees */

static bool sleeps(const crd_sim *sim) {
  const int *tree, count = crd_partition_trees(sim, &tree);
  for (int i = 0; i < count; i++)
    if (!sim->trees.asleep[tree[i]]) return false;
  return count > 0;
}

/* What the last step has left for this one, and what this one leaves: the length of pieces, sleep. */
static void recall(crd_sim *sim) {
  const int *tree, count = crd_partition_trees(sim, &tree);
  sim->now.piece = INFINITY;
  for (int i = 0; i < count; i++) sim->now.piece = fmin(sim->now.piece, sim->trees.piece[tree[i]]);
}

static void remember(crd_sim *sim) {
  const int *tree, count = crd_partition_trees(sim, &tree);
  for (int i = 0; i < count; i++)
    sim->trees.piece[tree[i]] = sim->now.piece, sim->trees.asleep[tree[i]] = sim->sleep.asleep;
}

/* ------------------------------------------------------------------------------------------------ touches */

/* The touches of the start by groups. */
static void sort_touches(crd_sim *sim) {
  crd_sim_group_list *list = &sim->groups.touches;
  list->count = sim->start.touches.count;
  for (int i = 0; i < list->count; i++) {
    int tree[2];
    crd_sim_trees_of_point(sim, &sim->start.touches.item[i].at, tree);
    list->tree[i] = tree[0] >= 0 ? tree[0] : tree[1];
  }
  crd_partition_sort(&sim->groups, list);
}

static void take_touches(crd_sim *sim, int group) {
  const crd_sim_group_list *list = &sim->groups.touches;
  sim->now.touches.count = 0;
  for (int i = list->first[group]; i < list->first[group + 1]; i++)
    sim->now.touches.item[sim->now.touches.count++] = sim->start.touches.item[list->item[i]];
}

static crd_status gather_touches(crd_sim *sim) {
  crd_sim_touches *all = &sim->groups.gathered;
  crd_status status = crd_sim_reserve(sim, all->count + sim->now.touches.count);
  if (status != CRD_OK || sim->now.touches.count == 0) return status;
  memcpy(all->item + all->count, sim->now.touches.item, (size_t)sim->now.touches.count * sizeof *all->item);
  all->count += sim->now.touches.count;
  return CRD_OK;
}

static bool comes_before(const void *context, int a, int b) {
  const crd_sim_touches *all = context;
  return crd_touch_pair_before(&all->item[a], &all->item[b]);
}

/* The touches of all groups, in the order of crd_collide. */
static void merge_touches(crd_sim *sim) {
  const crd_sim_touches *all = &sim->groups.gathered;
  int *order = sim->groups.touches.item;
  crd_order_sort(order, sim->groups.touches.tree, all->count, comes_before, all);
  for (int i = 0; i < all->count; i++) sim->now.touches.item[i] = all->item[order[i]];
  sim->now.touches.count = all->count;
}

/* ------------------------------------------------------------------------------------------------ listed contacts */

static bool is_asleep(const crd_sim *sim, const crd_contact *contact) {
  int a = contact->joint >= 0 ? crd_sim_tree_of_joint(sim, contact->joint) : crd_sim_tree_of_body(sim, contact->body1);
  int b = contact->joint >= 0 ? a : crd_sim_tree_of_body(sim, contact->body2);
  return (a >= 0 || b >= 0) && (a < 0 || sim->trees.skipped[a]) && (b < 0 || sim->trees.skipped[b]);
}

/* The contacts of what is not moved go on as they were. */
static void keep_listed(crd_sim *sim) {
  crd_sim_listed *listed = &sim->listed;
  int kept = 0;
  for (int i = 0; i < listed->ncontact; i++) {
    if (!is_asleep(sim, &listed->contact[i].contact)) continue;
    char *name = listed->name + (size_t)CRD_CONTACT_NAME * (size_t)kept;
    if (kept < i) memmove(name, listed->contact[i].contact.name, CRD_CONTACT_NAME);
    listed->contact[kept] = listed->contact[i];
    listed->contact[kept++].contact.name = name;
  }
  listed->ncontact = kept;
}

/* Groups that are not moved in this step. */
static void find_sleepers(crd_sim *sim) {
  memset(sim->trees.skipped, 0, (size_t)sim->scene.ntree * sizeof *sim->trees.skipped);
  for (int g = 0; g < sim->groups.count; g++) {
    const int *tree, count = (sim->groups.current = g, crd_partition_trees(sim, &tree));
    if (!sleeps(sim)) continue;
    for (int i = 0; i < count; i++) sim->trees.skipped[tree[i]] = true;
  }
  sim->groups.current = -1;
}

/* ------------------------------------------------------------------------------------------------ groups */

static void add_work(crd_sim_work *sum, const crd_sim_work *work) {
  sum->actuation += work->actuation, sum->damping += work->damping, sum->impact += work->impact;
  sum->contact += work->contact, sum->loop += work->loop, sum->imposed += work->imposed;
}

static crd_status move_together(crd_sim *sim, double h, crd_status (*move)(crd_sim *sim, double h)) {
  sim->listed.ncontact = 0, sim->sleep.asleep = false;
  recall(sim);
  crd_status status = move(sim, h);
  if (status == CRD_OK) remember(sim);
  return status;
}

static crd_status move_group(crd_sim *sim, int group, double h, crd_status (*move)(crd_sim *sim, double h)) {
  const int *tree;
  crd_status status = CRD_OK;
  sim->groups.current = group, crd_partition_trees(sim, &tree);
  take_touches(sim, group);
  if (!sim->trees.skipped[tree[0]]) {
    crd_partition_enter(sim, group);
    crd_told_next_group(sim);
    sim->now.t = sim->start.t, sim->now.work = (crd_sim_work){0}, sim->sleep.asleep = false;
    recall(sim);
    status = move(sim, h);
    if (status != CRD_OK || sim->groups.strayed) return status;
    remember(sim);
  }
  return gather_touches(sim);
}

/* One group after the other; where one strays, all is left as it is. */
static crd_status move_apart(crd_sim *sim, double h, crd_status (*move)(crd_sim *sim, double h)) {
  crd_sim_work work = sim->now.work;
  crd_status status = CRD_OK;
  sort_touches(sim);
  find_sleepers(sim);
  keep_listed(sim);
  crd_told_begin(sim);
  sim->groups.gathered.count = 0, sim->groups.strayed = false;
  for (int g = 0; g < sim->groups.count && status == CRD_OK && !sim->groups.strayed; g++) {
    const int *tree;
    status = move_group(sim, g, h, move);
    crd_partition_trees(sim, &tree);
    if (!sim->trees.skipped[tree[0]]) add_work(&work, &sim->now.work);
  }
  crd_partition_leave(sim);
  if (status != CRD_OK || sim->groups.strayed) return crd_told_end(sim, false), status;
  merge_touches(sim);
  sim->now.t = sim->start.t + h, sim->now.work = work;
  sim->sleep.asleep = true;
  for (int t = 0; t < sim->scene.ntree; t++) sim->sleep.asleep = sim->sleep.asleep && sim->trees.asleep[t];
  return crd_told_end(sim, true);
}

crd_status crd_sim_move_groups(crd_sim *sim, double h, crd_status (*move)(crd_sim *sim, double h)) {
  crd_status status;
  crd_partition_forget(sim);
  crd_sim_keep_start(sim);
  for (int round = 0;; round++) {
    crd_partition_find(sim, h, round == MOST_WIDENINGS);
    status = sim->groups.count > 1 ? move_apart(sim, h, move) : move_together(sim, h, move);
    if (status == CRD_OK && !sim->groups.strayed) break;
    crd_sim_return_to_start(sim);
    if (status != CRD_OK) return status;
    sim->groups.strayed = false;
    sim->ledger.counters.retries[CRD_RETRY_STRAYS]++;
  }
  return CRD_OK;
}
