/* Life of a group and of the scratch in which groups move: memory, state of its own, return to its start. */
#include "sim/group.h"

#include <string.h>

#include "base/layout.h"
#include "collide/collider.h"
#include "contact/assemble.h"
#include "model/workspace.h"
#include "sim/activation.h"
#include "sim/partition.h"
#include "sim/stiff_motion.h"

/* ------------------------------------------------------------------------------------------------ scratch */

/* Arrays whose sizes depend on the model alone. */
static crd_status take_arrays(const crd_model *model, crd_sim_scratch *s) {
  size_t nq = (size_t)model->nq, nv = (size_t)model->nv, ngeom = (size_t)model->ngeom, nlink = (size_t)model->nlink;
  size_t d = sizeof(double), i = sizeof(int), b = sizeof(bool), nact = (size_t)model->nact, loop_rows = 0;
  const size_t ndry = nv + (size_t)model->ntendon;
  for (int l = 0; l < model->nloop; l++) loop_rows += (size_t)model->loop[l].rows;
  crd_sim_begin *begin = &s->begin;
  crd_sim_stage *stage = &s->stage;
  const crd_layout table[] = {
      {&s->trees.group, nlink, i, 0},
      {&s->trees.tally, nlink, i, 0},
      {&s->trees.rests, nlink, b, 0},
      {&s->trees.struck, nlink, b, 0},
      {&s->trial.q, nq, d, 0},
      {&s->trial.v, nv, d, 0},
      {&s->trial.act, nact, d, 0},
      {&s->trial.load, nv, d, 0},
      {&s->trial.dry, ndry, d, 0},
      {&s->forecast.load, nv, d, 0},
      {&s->forecast.dry, ndry, d, 0},
      {&begin->loop_row, loop_rows, b, 0},
      {&begin->qacc, nv, d, 0},
      {&begin->loaded, nv, d, 0},
      {&begin->driven, nv, d, 0},
      {&begin->drag, nv, d, 0},
      {&begin->decay, nact, d, 0},
      {&begin->drive, nact, d, 0},
      {&stage->drag, nv, d, 0},
      {&stage->act, nact, d, 0},
      {&stage->act2, nact, d, 0},
      {&stage->drive[0], nact, d, 0},
      {&stage->drive[1], nact, d, 0},
      {&stage->drive[2], nact, d, 0},
      {&stage->drive[3], nact, d, 0},
      {&stage->ctrl, (size_t)model->nactuator, d, 0},
      {&stage->tau, nv, d, 0},
      {&stage->q, nq, d, 0},
      {&stage->v, nv, d, 0},
      {&stage->displacement, nv, d, 0},
      {&stage->dv, nv, d, 0},
      {&stage->scratch[0], nv, d, 0},
      {&stage->scratch[1], nv, d, 0},
      {&stage->scratch[2], nv, d, 0},
      {&stage->applied, nv, d, 0},
      {&begin->applied, nv, d, 0},
      {&stage->withdrawn, nv, d, 0},
      {&stage->free_v, nv, d, 0},
      {&stage->rate[0], nv, d, 0},
      {&stage->rate[1], nv, d, 0},
      {&stage->rate[2], nv, d, 0},
      {&stage->rate[3], nv, d, 0},
      {&stage->acc[0], nv, d, 0},
      {&stage->acc[1], nv, d, 0},
      {&stage->acc[2], nv, d, 0},
      {&stage->acc[3], nv, d, 0},
      {&s->seek.pos, 3 * ngeom, d, 0},
      {&s->seek.R, 9 * ngeom, d, 0},
      {&s->seek.moved, 3 * ngeom, d, 0},
  };
  return crd_layout_renew(&s->arena, table, sizeof table / sizeof *table);
}

/* All that is computed is about one part of the model, with the same loops. */
static void share(crd_sim_scratch *s, const crd_sim_scene *scene) {
  crd_workspace *work[] = {s->stage.work, s->rows.work, s->begin.work, s->stiff ? s->stiff->work : NULL};
  crd_contact_assembler *assembler[] = {s->stage.assembler, s->rows.assembler, s->begin.assembler,
                                        s->stiff ? s->stiff->assembler : NULL};
  for (int k = 0; k < 4; k++) {
    if (work[k]) work[k]->part = &s->part, crd_tree_set_armature(work[k], scene->armature);
    if (assembler[k]) assembler[k]->part = &s->part, assembler[k]->loop_shift = scene->loop_shift;
  }
  s->seek.collider->watch.part = &s->part;
}

static crd_status reserve_touches(crd_sim_scratch *s, int touches) {
  int capacity = touches + touches / 2;
  size_t n = (size_t)capacity, i = sizeof(int), b = sizeof(bool), had = (size_t)s->touch_capacity;
  size_t touch = sizeof(crd_sim_touch), point = sizeof(crd_contact_point), force = sizeof(crd_touch_force);
  crd_sim_rows *rows = &s->rows;
  const crd_layout table[] = {
      {&s->trial.touches.item, n, touch, (size_t)s->trial.touches.count},
      {&rows->touches.item, n, touch, (size_t)rows->touches.count},
      {&rows->touch_of, n, i, had},
      {&rows->contact_of, n, i, had},
      {&rows->take, n, b, 0},
      {&rows->point, n, point, (size_t)rows->npoint},
      {&s->forecast.force, n, force, had},
      {&s->forecast.guess, n, force, had},
      {&s->begin.velocity, n, sizeof *s->begin.velocity, had},
      {&s->seek.pair, n, touch, 0},
      {&s->seek.point, n, point, 0},
      {&s->seek.known, n, b, 0},
      {&s->seek.keep, n, b, 0},
      {&s->seek.watched, n, point, (size_t)s->seek.nwatched},
      {&s->law.rates, n, sizeof(double), 0},
  };
  crd_status status = crd_layout_renew(&s->touch_arena, table, sizeof table / sizeof *table);
  if (status == CRD_OK) s->touch_capacity = capacity;
  return status;
}

crd_status crd_scratch_new(const crd_sim_scene *scene, const crd_sim_options *options, double *core_now,
                           crd_sim_scratch *s) {
  enum { TOUCHES = 64 };
  const crd_model *model = scene->model;
  crd_workspace **work[] = {&s->stage.work, &s->rows.work, &s->begin.work};
  crd_contact_assembler **assembler[] = {&s->stage.assembler, &s->rows.assembler, &s->begin.assembler};
  crd_contact_problem **problem[] = {&s->stage.loops, &s->rows.problem, &s->begin.loops};
  bool done = true;
  for (int k = 0; k < 3; k++) {
    done = (*work[k] = crd_model_workspace_new(model)) && done;
    done = (*assembler[k] = crd_contact_assembler_new(model)) && done;
    done = (*problem[k] = crd_contact_problem_new()) && done;
  }
  done = (s->seek.collider = crd_collide_new(model)) && done;
  done = (s->rows.coulomb = crd_coulomb_work_new()) && done;
  if (options->integrator == CRD_SIM_RK4 || options->integrator == CRD_SIM_MOREAU) {
    bool stiff = true;
    s->stiff = crd_stiff_new(model, &stiff);
    done = done && stiff;
  }
  done = done && take_arrays(model, s) == CRD_OK && reserve_touches(s, TOUCHES) == CRD_OK;
  done = done && crd_part_new(&s->part, model, model->nlink + 1, &s->arena);
  s->seek.core_now = core_now;
  if (done) share(s, scene);
  return done ? CRD_OK : CRD_ERR_MEMORY;
}

void crd_scratch_free(crd_sim_scratch *s) {
  crd_stiff_free(s->stiff);
  crd_impact_result_free(&s->law.result);
  crd_coulomb_work_free(s->rows.coulomb);
  crd_arena_free(&s->rows.arena), crd_arena_free(&s->closing.arena);
  crd_contact_problem_free(s->stage.loops), crd_contact_problem_free(s->begin.loops);
  crd_contact_problem_free(s->rows.problem);
  crd_contact_assembler_free(s->begin.assembler), crd_contact_assembler_free(s->stage.assembler);
  crd_contact_assembler_free(s->rows.assembler);
  crd_model_workspace_free(s->begin.work), crd_model_workspace_free(s->stage.work);
  crd_model_workspace_free(s->rows.work);
  crd_collide_free(s->seek.collider);
  crd_name_table_free(&s->by_name);
  crd_arena_free(&s->touch_arena), crd_arena_free(&s->arena);
}

crd_status crd_sim_reserve(crd_group *group, int touches) {
  if (touches <= group->scratch->touch_capacity || reserve_touches(group->scratch, touches) == CRD_OK) return CRD_OK;
  return crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %d contacts", touches);
}

/* ------------------------------------------------------------------------------------------------ its own */

void crd_group_enter(crd_group *group, crd_sim_scratch *s) {
  group->scratch = s, group->part = &s->part;
  group->trial = &s->trial, group->begin = &s->begin, group->forecast = &s->forecast, group->stage = &s->stage;
  group->seek = &s->seek, group->rows = &s->rows, group->closing = &s->closing, group->trees = &s->trees;
  group->law = &s->law, group->stiff = s->stiff, group->message = s->message;
  crd_partition_set_part(group);
  group->mass = 0;
  CRD_EACH (group->part, link, k) group->mass += group->model->link[k].mass;
}

void crd_group_free(crd_group *group) {
  crd_arena_free(&group->ledger.arena);
  crd_arena_free(&group->before.arena);
  crd_arena_free(&group->touch_arena);
  crd_arena_free(&group->listed.arena);
  crd_arena_free(&group->told.arena);
}

crd_status crd_group_reserve_touches(crd_group *group, int count) {
  if (count <= group->touch_capacity) return CRD_OK;
  size_t n = (size_t)count + (size_t)count / 2, touch = sizeof(crd_sim_touch);
  const crd_layout table[] = {
      {&group->now.touches.item, n, touch, (size_t)group->now.touches.count},
      {&group->start.touches.item, n, touch, (size_t)group->start.touches.count},
  };
  if (crd_layout_renew(&group->touch_arena, table, sizeof table / sizeof *table) != CRD_OK)
    return crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %d contacts", count);
  group->touch_capacity = (int)n;
  return CRD_OK;
}

static void copy_touches(crd_sim_touches *to, const crd_sim_touches *from) {
  to->count = from->count;
  if (from->count > 0) memcpy(to->item, from->item, (size_t)from->count * sizeof *to->item);
}

crd_status crd_group_take_touches(crd_group *group, const crd_sim_touches *touches) {
  crd_status status = crd_group_reserve_touches(group, touches->count);
  if (status == CRD_OK) copy_touches(&group->now.touches, touches);
  return status;
}

crd_status crd_group_reserve_listed(crd_group *group, int count) {
  crd_sim_listed *listed = &group->listed;
  if (count <= listed->capacity) return CRD_OK;
  size_t n = (size_t)count + (size_t)count / 2, had = (size_t)listed->ncontact;
  const crd_layout table[] = {
      {&listed->contact, n, sizeof *listed->contact, had},
      {&listed->name, n, CRD_CONTACT_NAME, had},
  };
  if (crd_layout_renew(&listed->arena, table, sizeof table / sizeof *table) != CRD_OK)
    return crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %d contacts", count);
  for (int k = 0; k < listed->ncontact; k++)
    listed->contact[k].contact.name = listed->name + (size_t)CRD_CONTACT_NAME * (size_t)k;
  listed->capacity = (int)n;
  return CRD_OK;
}

static crd_status reserve_rebounds(crd_group *group, crd_sim_ledger *ledger, int count) {
  if (count <= ledger->capacity) return CRD_OK;
  const crd_layout table[] = {{&ledger->rebound, 2 * (size_t)count, sizeof *ledger->rebound, (size_t)ledger->nrebound}};
  if (crd_layout_renew(&ledger->arena, table, 1) != CRD_OK)
    return crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %d rebounds", 2 * count);
  ledger->capacity = 2 * count;
  return CRD_OK;
}

crd_status crd_group_reserve_rebounds(crd_group *group, int count) {
  return reserve_rebounds(group, &group->ledger, count);
}

/* ------------------------------------------------------------------------------------------------ the start of a step */

static void copy_moment(const crd_group *group, crd_sim_moment *to, const crd_sim_moment *from) {
  to->t = from->t, to->work = from->work, to->piece = from->piece;
  crd_part_copy_q(group->part, to->q, from->q);
  crd_part_copy_v(group->part, to->v, from->v);
  crd_activation_copy(group, to->act, from->act);
  crd_part_copy_dry(group->part, to->dry, from->dry);
  crd_part_copy_v(group->part, to->load, from->load);
  copy_touches(&to->touches, &from->touches);
}

static void copy_rebounds(crd_sim_ledger *to, const crd_sim_ledger *from) {
  to->nrebound = from->nrebound;
  if (from->nrebound > 0) memcpy(to->rebound, from->rebound, (size_t)from->nrebound * sizeof *to->rebound);
}

crd_status crd_group_keep_start(crd_group *group) {
  crd_status status = reserve_rebounds(group, &group->before, group->ledger.nrebound);
  if (status != CRD_OK) return status;
  copy_moment(group, &group->start, &group->now);
  copy_rebounds(&group->before, &group->ledger);
  group->before.counters = group->ledger.counters, group->before.gain = group->ledger.gain;
  return CRD_OK;
}

void crd_group_return_to_start(crd_group *group) {
  copy_moment(group, &group->now, &group->start);
  crd_sim_place(group, group->now.q);
  crd_sim_keep_positions(group);
  copy_rebounds(&group->ledger, &group->before);
  group->ledger.gain = group->before.gain;
  crd_sim_counters *counters = &group->ledger.counters;
  const crd_sim_counters spent = *counters;
  *counters = group->before.counters;
  counters->trials = spent.trials, counters->moved = spent.moved;
  counters->solves = spent.solves, counters->failed_solves = spent.failed_solves;
  memcpy(counters->retries, spent.retries, sizeof spent.retries);
}

void crd_ledger_add(crd_sim_ledger *sum, const crd_sim_ledger *ledger) {
  const crd_sim_counters *from = &ledger->counters;
  crd_sim_counters *to = &sum->counters;
  to->impacts += from->impacts, to->solves += from->solves, to->failed_solves += from->failed_solves;
  to->drawn_back += from->drawn_back, to->unresolved += from->unresolved;
  to->trials += from->trials, to->moved += from->moved;
  for (int k = 0; k < CRD_RETRIES; k++) to->retries[k] += from->retries[k];
  if (from->penetration_max > to->penetration_max) to->penetration_max = from->penetration_max;
  if (from->loop_max > to->loop_max) to->loop_max = from->loop_max;
  if (from->residual_max > to->residual_max) to->residual_max = from->residual_max;
  to->normal_impulse += from->normal_impulse;
  if (ledger->gain.most > sum->gain.most) sum->gain.most = ledger->gain.most;
  if (ledger->gain.by_law > sum->gain.by_law) sum->gain.by_law = ledger->gain.by_law;
  sum->gain.sum += ledger->gain.sum;
}
