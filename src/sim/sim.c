/* Life of a simulation: memory, reset with its checks, access to the state. */
#include <cradle/linalg.h>
#include <cradle/sim.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "collide/collider.h"
#include "contact/assemble.h"
#include "contact/problem.h"
#include "model/workspace.h"
#include "sim/event.h"
#include "sim/options.h"
#include "sim/partition.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"
#include "sim/tunnel.h"

/* ------------------------------------------------------------------------------------------------ memory */

/* Of all that the model alone decides. */
static crd_status take_arrays(crd_sim *sim) {
  const crd_model *model = sim->model;
  size_t nq = (size_t)model->nq, nv = (size_t)model->nv, ngeom = (size_t)model->ngeom, nlink = (size_t)model->nlink;
  size_t d = sizeof(double), i = sizeof(int), nact = (size_t)model->nact, loop_rows = 0;
  for (int l = 0; l < model->nloop; l++) loop_rows += (size_t)model->loop[l].rows;
  crd_sim_scene *scene = &sim->scene;
  crd_sim_begin *begin = &sim->begin;
  crd_sim_stage *stage = &sim->stage;
  crd_sim_moment *now = &sim->now, *trial = &sim->trial, *start = &sim->start;
  const crd_layout table[] = {
      {&scene->thickness, ngeom, d, 0},
      {&scene->moves, ngeom, sizeof(bool), 0},
      {&scene->tree_of_dof, nv, i, 0},
      {&sim->trees.piece, nlink, d, 0},
      {&sim->trees.asleep, nlink, sizeof(bool), 0},
      {&sim->trees.skipped, nlink, sizeof(bool), 0},
      {&sim->trees.piece_before, nlink, d, 0},
      {&sim->trees.asleep_before, nlink, sizeof(bool), 0},
      {&sim->trees.group, nlink, i, 0},
      {&sim->trees.tally, nlink, i, 0},
      {&sim->trees.rests, nlink, sizeof(bool), 0},
      {&sim->trees.struck, nlink, sizeof(bool), 0},
      {&now->q, nq, d, 0},
      {&now->v, nv, d, 0},
      {&now->act, nact, d, 0},
      {&now->load, nv, d, 0},
      {&now->dry, nv, d, 0},
      {&trial->q, nq, d, 0},
      {&trial->v, nv, d, 0},
      {&trial->act, nact, d, 0},
      {&trial->load, nv, d, 0},
      {&trial->dry, nv, d, 0},
      {&start->q, nq, d, 0},
      {&start->v, nv, d, 0},
      {&start->act, nact, d, 0},
      {&start->load, nv, d, 0},
      {&start->dry, nv, d, 0},
      {&sim->forecast.load, nv, d, 0},
      {&sim->forecast.dry, nv, d, 0},
      {&begin->loop_row, loop_rows, sizeof(bool), 0},
      {&begin->qacc, nv, d, 0},
      {&begin->loaded, nv, d, 0},
      {&begin->driven, nv, d, 0},
      {&begin->drag, nv, d, 0},
      {&stage->drag, nv, d, 0},
      {&begin->decay, nact, d, 0},
      {&begin->drive, nact, d, 0},
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
      {&stage->chart, nv, d, 0},
      {&stage->free_v, nv, d, 0},
      {&stage->rate[0], nv, d, 0},
      {&stage->rate[1], nv, d, 0},
      {&stage->rate[2], nv, d, 0},
      {&stage->rate[3], nv, d, 0},
      {&stage->acc[0], nv, d, 0},
      {&stage->acc[1], nv, d, 0},
      {&stage->acc[2], nv, d, 0},
      {&stage->acc[3], nv, d, 0},
      {&sim->sensed.before, nv, d, 0},
      {&sim->sensed.qacc, nv, d, 0},
      {&sim->sensed.fext, 6 * (size_t)model->nbody, d, 0},
      {&sim->sensed.data, (size_t)model->nsensordata, d, 0},
      {&sim->inputs.ctrl, (size_t)model->nactuator, d, 0},
      {&sim->inputs.ctrl_before, (size_t)model->nactuator, d, 0},
      {&sim->inputs.next, (size_t)model->nbody, sizeof(crd_sim_push), 0},
      {&sim->inputs.last, (size_t)model->nbody, sizeof(crd_sim_push), 0},
      {&sim->seek.pos, 3 * ngeom, d, 0},
      {&sim->seek.R, 9 * ngeom, d, 0},
      {&sim->seek.pos_now, 3 * ngeom, d, 0},
  };
  return crd_layout_renew(&sim->arena, table, sizeof table / sizeof *table);
}

/* All that is computed is about the simulation's part of the model. */
static void share_part(crd_sim *sim) {
  crd_workspace *work[] = {sim->stage.work, sim->rows.work, sim->begin.work, sim->stiff ? sim->stiff->work : NULL};
  crd_contact_assembler *assembler[] = {sim->stage.assembler, sim->rows.assembler, sim->begin.assembler,
                                        sim->stiff ? sim->stiff->assembler : NULL};
  for (int k = 0; k < 4; k++) {
    if (work[k]) work[k]->part = &sim->part;
    if (assembler[k]) assembler[k]->part = &sim->part;
  }
  sim->seek.collider->watch.part = &sim->part;
}

static bool take_memory(crd_sim *sim) {
  const crd_model *model = sim->model;
  crd_workspace **work[] = {&sim->stage.work, &sim->rows.work, &sim->begin.work};
  crd_contact_assembler **assembler[] = {&sim->stage.assembler, &sim->rows.assembler, &sim->begin.assembler};
  crd_contact_problem **problem[] = {&sim->stage.loops, &sim->rows.problem, &sim->begin.loops};
  bool done = true;
  for (int k = 0; k < 3; k++) {
    done = (*work[k] = crd_model_workspace_new(model)) && done;
    done = (*assembler[k] = crd_contact_assembler_new(model)) && done;
    done = (*problem[k] = crd_contact_problem_new()) && done;
  }
  done = (sim->seek.collider = crd_collider_new(model)) && done;
  done = (sim->rows.coulomb = crd_coulomb_work_new()) && done;
  if (sim->options.integrator == CRD_SIM_RK4 || sim->options.integrator == CRD_SIM_MOREAU) {
    bool stiff = true;
    sim->stiff = crd_stiff_new(model, &stiff);
    done = done && stiff;
  }
  done = done && take_arrays(sim) == CRD_OK && crd_sim_reserve(sim, 64) == CRD_OK;
  done = done && crd_part_new(&sim->part, model, model->nlink + 1, &sim->arena);
  if (done) share_part(sim);
  return done;
}

crd_status crd_sim_reserve(crd_sim *sim, int touches) {
  if (touches <= sim->touch_capacity) return CRD_OK;
  int capacity = touches + touches / 2;
  size_t n = (size_t)capacity, had = (size_t)sim->touch_capacity, now = (size_t)sim->now.touches.count;
  size_t i = sizeof(int), b = sizeof(bool), touch = sizeof(crd_sim_touch), point = sizeof(crd_contact_point);
  crd_sim_rows *rows = &sim->rows;
  crd_sim_listed *listed = &sim->listed;
  const crd_layout table[] = {
      {&sim->now.touches.item, n, touch, now},
      {&sim->trial.touches.item, n, touch, (size_t)sim->trial.touches.count},
      {&sim->start.touches.item, n, touch, (size_t)sim->start.touches.count},
      {&rows->touches.item, n, touch, (size_t)rows->touches.count},
      {&sim->groups.gathered.item, n, touch, (size_t)sim->groups.gathered.count},
      {&sim->groups.touches.item, n, i, had},
      {&sim->groups.touches.tree, n, i, had},
      {&rows->touch_of, n, i, had},
      {&rows->contact_of, n, i, had},
      {&rows->take, n, b, 0},
      {&rows->point, n, point, (size_t)rows->npoint},
      {&sim->forecast.force, n, sizeof(crd_touch_force), now},
      {&sim->forecast.guess, n, sizeof(crd_touch_force), now},
      {&sim->begin.velocity, n, sizeof *sim->begin.velocity, now},
      {&sim->seek.pair, n, touch, 0},
      {&sim->seek.point, n, point, 0},
      {&sim->seek.known, n, b, 0},
      {&sim->seek.keep, n, b, 0},
      {&sim->seek.watched, n, point, (size_t)sim->seek.nwatched},
      {&sim->law.rates, n, sizeof(double), 0},
      {&listed->contact, n, sizeof *listed->contact, (size_t)listed->ncontact},
      {&listed->name, n, CRD_CONTACT_NAME, (size_t)listed->ncontact},
  };
  if (crd_name_table_begin(&listed->by_name, 2 * capacity) != CRD_OK ||
      crd_layout_renew(&sim->touch_arena, table, sizeof table / sizeof *table) != CRD_OK)
    return crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d contacts", capacity);
  for (int k = 0; k < listed->ncontact; k++)
    listed->contact[k].contact.name = listed->name + (size_t)CRD_CONTACT_NAME * (size_t)k;
  sim->touch_capacity = capacity;
  return CRD_OK;
}

void crd_sim_free(crd_sim *sim) {
  if (!sim) return;
  crd_event_free(sim->event);
  crd_stiff_free(sim->stiff);
  crd_impact_result_free(&sim->law.result);
  crd_coulomb_work_free(sim->rows.coulomb);
  crd_arena_free(&sim->ledger.rebound_arena);
  crd_arena_free(&sim->rows.arena);
  crd_arena_free(&sim->closing.arena);
  crd_contact_problem_free(sim->stage.loops);
  crd_contact_problem_free(sim->begin.loops);
  crd_contact_assembler_free(sim->begin.assembler);
  crd_model_workspace_free(sim->begin.work);
  crd_contact_problem_free(sim->rows.problem);
  crd_collider_free(sim->seek.collider);
  crd_contact_assembler_free(sim->stage.assembler);
  crd_contact_assembler_free(sim->rows.assembler);
  crd_model_workspace_free(sim->stage.work);
  crd_model_workspace_free(sim->rows.work);
  crd_arena_free(&sim->touch_arena);
  crd_name_table_free(&sim->listed.by_name);
  crd_arena_free(&sim->groups.arena);
  crd_arena_free(&sim->told.arena);
  crd_arena_free(&sim->arena);
  free(sim);
}

/* ------------------------------------------------------------------------------------------------ making */

static bool takes_part(const crd_model *model, int g) {
  if (model->geom[g].contype || model->geom[g].conaffinity) return true;
  for (int p = 0; p < model->npair; p++)
    if (model->pair[p].geom1 == g || model->pair[p].geom2 == g) return true;
  return false;
}

static const double POINTED = 1e-3; /* share of a body that its geoms are at least taken to have */

/* How far the mass of a body is from its centre. */
static double spread_of(const crd_body *body) {
  double inertia = fmax(body->inertia[0], fmax(body->inertia[1], body->inertia[2]));
  return body->mass > 0 ? sqrt(inertia / body->mass) : 0;
}

/* Radius of the largest geom of a moving body that can touch another; 0: it cannot. A body that touches with points has
 * a share of what its mass and its points are spread over: tolerances that are shares of a point would be finer than
 * rounding. */
static double body_size(const crd_model *model, int b) {
  const crd_body *body = &model->body[b];
  double largest = POINTED * spread_of(body);
  bool touches = false;
  for (int g = body->first_geom; body->link >= 0 && g < body->first_geom + body->ngeom; g++) {
    touches = touches || takes_part(model, g);
    if (model->geom[g].type == CRD_PLANE) continue;
    double from_centre[3];
    crd_vec3_sub(from_centre, model->geom[g].pos, body->ipos);
    largest = fmax(largest, fmax(model->geom[g].radius, POINTED * crd_vec3_norm(from_centre)));
  }
  return touches ? largest : 0;
}

/* Lengths are judged by the smallest body that moves and can touch, but one a thousand times smaller than the largest
 * does not make the tolerances of all. */
static double scene_size(const crd_model *model) {
  double smallest = INFINITY, largest = 0;
  for (int b = 1; b < model->nbody; b++) {
    double size = body_size(model, b);
    if (size > 0) smallest = fmin(smallest, size), largest = fmax(largest, size);
  }
  return smallest < INFINITY ? fmax(smallest, 1e-3 * largest) : 1;
}

static bool find_forces(const crd_model *model, const crd_sim_options *options) {
  bool found =
      options->control || model->nactuator > 0 || model->compensated || model->nimmersed > 0 || model->elastic_tendons;
  for (int i = 0; i < model->nv; i++) found = found || model->dof_damping[i] != 0;
  for (int j = 0; j < model->njoint; j++) found = found || model->joint[j].stiffness != 0;
  return found;
}

/* qpos0 may be a drawing in which bodies overlap: then the first step refuses, unless a reset comes before it. */
static crd_status first_state(crd_sim *sim, crd_error *err) {
  crd_error drawn = {0};
  crd_status status = crd_sim_reset(sim, 0, NULL, NULL, &drawn);
  sim->unfit = status == CRD_ERR_MODEL;
  if (!sim->unfit) return status == CRD_OK ? status : crd_error_set(err, status, NULL, 0, "%s", drawn.text);
  memcpy(sim->now.q, sim->model->qpos0, (size_t)sim->model->nq * sizeof *sim->now.q);
  memcpy(sim->message, drawn.text, sizeof sim->message - 1);
  return CRD_OK;
}

/* Does the link turn without forces of its own: a free body whose inertia is that of a ball or a cube? */
static bool is_isotropic(const crd_link *link) {
  const double *I = link->inertia, size = fabs(I[0]);
  double uneven = fabs(I[1] - I[0]) + fabs(I[2] - I[0]) + fabs(I[3]) + fabs(I[4]) + fabs(I[5]);
  return link->type == CRD_FREE && crd_vec3_norm(link->com) == 0 && uneven <= 1e-12 * size;
}

/* What holds beside contacts, and which velocities belong to one tree. */
static void find_constraints(crd_sim *sim) {
  const crd_model *model = sim->model;
  for (int g = 0; g < model->ngeom; g++) {
    sim->scene.thickness[g] = crd_sim_thickness(model, g);
    sim->scene.moves[g] = model->geom[g].link >= 0 && takes_part(model, g);
  }
  for (int i = 0; i < model->nv; i++) {
    int parent = model->dof_parent[i];
    sim->scene.tree_of_dof[i] = parent < 0 ? sim->scene.ntree++ : sim->scene.tree_of_dof[parent];
  }
  for (int k = 0; k < model->nlink; k++)
    sim->scene.has_bias = sim->scene.has_bias || !is_isotropic(&model->link[k]) || model->link[k].parent >= 0;
}

double crd_sim_contact_band(const crd_model *model, const crd_sim_options *options) {
  return 0.5 * options->gap_tolerance * scene_size(model);
}

crd_status crd_sim_new(const crd_model *model, const crd_sim_options *options, crd_sim **out, crd_error *err) {
  *out = NULL;
  crd_sim_options given = options ? *options : crd_sim_default();
  crd_status status = crd_sim_complete_options(model, &given, err);
  if (status != CRD_OK) return status;
  crd_sim *sim = calloc(1, sizeof *sim);
  if (!sim) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a simulation");
  sim->self = sim, sim->model = model, sim->options = given;
  sim->scene.size = scene_size(model);
  sim->scene.contact_band = crd_sim_contact_band(model, &given);
  sim->scene.gap_tolerance = 1e-4 * given.gap_tolerance * sim->scene.size;
  sim->scene.has_forces = sim->inputs.forces_without_push = find_forces(model, &given);
  for (int k = 0; k < model->nlink; k++) sim->scene.mass += model->link[k].mass;
  status = take_memory(sim) ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a simulation");
  if (status == CRD_OK) find_constraints(sim);
  if (status == CRD_OK) status = crd_partition_new(sim);
  if (status == CRD_OK && given.integrator == CRD_SIM_EVENT) status = crd_event_new(sim, err);
  if (status == CRD_OK) status = first_state(sim, err);
  if (status != CRD_OK) {
    crd_sim_free(sim);
    return status;
  }
  *out = sim;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ access */

const crd_model *crd_sim_model(const crd_sim *sim) { return sim->model; }
double crd_sim_time(const crd_sim *sim) { return sim->now.t; }
const double *crd_sim_qpos(const crd_sim *sim) { return sim->now.q; }
const double *crd_sim_qvel(const crd_sim *sim) { return sim->now.v; }
crd_sim_counters crd_sim_counters_now(const crd_sim *sim) {
  crd_sim_counters counters = sim->ledger.counters;
  crd_coulomb_ways(sim->rows.coulomb, counters.settled);
  crd_coulomb_ways(sim->law.result.coulomb, counters.settled);
  return counters;
}
const char *crd_sim_message(const crd_sim *sim) { return sim->message; }

const crd_sim_contact *crd_sim_contacts(const crd_sim *sim, int *count) {
  crd_sim_list_contacts(sim->self);
  *count = sim->listed.ncontact;
  return sim->listed.contact;
}

bool crd_sim_stopped(const crd_sim *sim) { return sim->options.stop && sim->options.stop(sim->options.stop_context); }

void crd_sim_copy_moment(const crd_sim *sim, crd_sim_moment *to, const crd_sim_moment *from) {
  to->t = from->t, to->work = from->work, to->piece = from->piece;
  memcpy(to->q, from->q, (size_t)sim->model->nq * sizeof *to->q);
  memcpy(to->v, from->v, (size_t)sim->model->nv * sizeof *to->v);
  if (sim->model->nact > 0) memcpy(to->act, from->act, (size_t)sim->model->nact * sizeof *to->act);
  memcpy(to->dry, from->dry, (size_t)sim->model->nv * sizeof *to->dry);
  memcpy(to->load, from->load, (size_t)sim->model->nv * sizeof *to->load);
  to->touches.count = from->touches.count;
  if (from->touches.count)
    memcpy(to->touches.item, from->touches.item, (size_t)from->touches.count * sizeof *to->touches.item);
}
