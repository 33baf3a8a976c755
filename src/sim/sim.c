/* Life of a simulation: memory, reset with its checks, access to the state. */
#include <cradle/linalg.h>
#include <cradle/sim.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/problem.h"
#include "sim/event.h"
#include "sim/options.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"
#include "sim/tunnel.h"

/* ------------------------------------------------------------------------------------------------ memory */

static double *doubles(crd_sim *sim, int count) {
  return crd_arena_alloc(&sim->arena, count > 0 ? (size_t)count : 1, sizeof(double));
}

static int *integers(crd_sim *sim, int count) {
  return crd_arena_alloc(&sim->arena, count > 0 ? (size_t)count : 1, sizeof(int));
}

static bool take_moment(crd_sim *sim, crd_sim_moment *moment) {
  moment->q = doubles(sim, sim->model->nq), moment->v = doubles(sim, sim->model->nv);
  moment->load = doubles(sim, sim->model->nv), moment->dry = doubles(sim, sim->model->nv);
  return moment->q && moment->v && moment->load && moment->dry;
}

static bool take_memory(crd_sim *sim) {
  const crd_model *model = sim->model;
  sim->work = crd_workspace_new(model);
  sim->assembler = crd_contact_assembler_new(model);
  sim->hold_work = crd_workspace_new(model), sim->hold_assembler = crd_contact_assembler_new(model);
  sim->begin.work = crd_workspace_new(model), sim->begin.assembler = crd_contact_assembler_new(model);
  sim->begin.loops = crd_problem_new();
  sim->collider = crd_collider_new(model);
  sim->problem = crd_problem_new();
  sim->coulomb = crd_coulomb_work_new();
  bool done = sim->work && sim->assembler && sim->hold_work && sim->hold_assembler && sim->collider && sim->problem &&
              sim->coulomb && sim->begin.work && sim->begin.assembler && sim->begin.loops &&
              take_moment(sim, &sim->now) && take_moment(sim, &sim->trial) && take_moment(sim, &sim->start);
  double **vector[] = {
      &sim->forecast.load, &sim->forecast.dry, &sim->begin.qacc, &sim->begin.loaded, &sim->begin.driven, &sim->free_v,
      &sim->tau,           &sim->stage_v,      &sim->chart,      &sim->rate[0],      &sim->rate[1],      &sim->rate[2],
      &sim->rate[3],       &sim->acc[0],       &sim->acc[1],     &sim->acc[2],       &sim->acc[3]};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) done = (*vector[i] = doubles(sim, model->nv)) && done;
  done = (sim->stage_q = doubles(sim, model->nq)) && done;
  done = (sim->ctrl = doubles(sim, model->nactuator)) && done;
  done = (sim->pos = doubles(sim, 3 * model->ngeom)) && done;
  done = (sim->R = doubles(sim, 9 * model->ngeom)) && done;
  done = (sim->pos_now = doubles(sim, 3 * model->ngeom)) && done;
  done = (sim->thickness = doubles(sim, model->ngeom)) && done;
  done = (sim->fast = integers(sim, model->ngeom)) && done;
  sim->loops = crd_problem_new();
  sim->tree_of_dof = integers(sim, model->nv);
  sim->group = integers(sim, model->nlink), sim->tally = integers(sim, model->nlink);
  sim->rests = crd_arena_alloc(&sim->arena, (size_t)model->nlink + 1, sizeof *sim->rests);
  sim->struck = crd_arena_alloc(&sim->arena, (size_t)model->nlink + 1, sizeof *sim->struck);
  done = done && sim->loops && sim->tree_of_dof && sim->group && sim->tally && sim->rests && sim->struck;
  bool stiff = true;
  if (sim->options.integrator == CRD_SIM_RK4 || sim->options.integrator == CRD_SIM_MOREAU)
    sim->stiff = crd_stiff_new(model, &stiff);
  return done && stiff && crd_sim_reserve(sim, 64) == CRD_OK;
}

static void *copied(crd_arena *arena, const void *old, int count, int capacity, size_t size) {
  void *fresh = crd_arena_alloc(arena, (size_t)capacity, size);
  if (fresh && count) memcpy(fresh, old, (size_t)count * size);
  return fresh;
}

crd_status crd_sim_reserve(crd_sim *sim, int touches) {
  if (touches <= sim->touch_capacity) return CRD_OK;
  crd_arena fresh = {0};
  int capacity = touches + touches / 2;
  crd_sim_moment *moment[3] = {&sim->now, &sim->trial, &sim->start};
  crd_sim_touches *lists[4] = {&moment[0]->touches, &moment[1]->touches, &moment[2]->touches, &sim->held};
  crd_sim_touch *item[4];
  bool done = true;
  for (int i = 0; i < 4; i++) {
    const crd_sim_touches *list = lists[i];
    item[i] = copied(&fresh, list->item, list->count, capacity, sizeof *item[i]);
    done = done && item[i];
  }
  crd_sim_contact *contact = copied(&fresh, sim->contact, sim->ncontact, capacity, sizeof *contact);
  char *name = copied(&fresh, sim->name, sim->ncontact, capacity, CRD_CONTACT_NAME);
  crd_sim_touch *pair = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *pair);
  crd_contact_point *point = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *point);
  crd_contact_point *hold_point = copied(&fresh, sim->hold_point, sim->hold_points, capacity, sizeof *hold_point);
  crd_contact_point *watched = copied(&fresh, sim->watched, sim->nwatched, capacity, sizeof *watched);
  int kept = sim->now.touches.count;
  crd_touch_force *force = copied(&fresh, sim->forecast.force, kept, capacity, sizeof *force);
  crd_touch_force *guess = copied(&fresh, sim->forecast.guess, kept, capacity, sizeof *guess);
  double(*velocity)[3] = copied(&fresh, sim->begin.velocity, kept, capacity, sizeof *velocity);
  int *contact_of = copied(&fresh, sim->contact_of, sim->touch_capacity, capacity, sizeof *contact_of);
  int *touch_of = copied(&fresh, sim->touch_of, sim->touch_capacity, capacity, sizeof *touch_of);
  bool *take = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *take);
  bool *known = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *known);
  bool *keep = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *keep);
  double *rates = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *rates);
  done = done && hold_point && watched && force && guess && velocity && pair && contact && name && point &&
         contact_of && touch_of && take && known && keep && rates &&
         crd_name_table_begin(&sim->listed, 2 * capacity) == CRD_OK;
  if (!done) {
    crd_arena_free(&fresh);
    return crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d contacts", capacity);
  }
  for (int i = 0; i < sim->ncontact; i++) contact[i].contact.name = name + (size_t)CRD_CONTACT_NAME * (size_t)i;
  crd_arena_free(&sim->touch_arena);
  for (int i = 0; i < 4; i++) lists[i]->item = item[i];
  sim->touch_arena = fresh, sim->touch_capacity = capacity;
  sim->contact = contact, sim->name = name, sim->point = point, sim->contact_of = contact_of, sim->take = take;
  sim->hold_point = hold_point, sim->watched = watched, sim->forecast.force = force, sim->forecast.guess = guess,
  sim->begin.velocity = velocity;
  sim->rates = rates, sim->pair = pair, sim->touch_of = touch_of, sim->known = known, sim->keep = keep;
  return CRD_OK;
}

void crd_sim_free(crd_sim *sim) {
  if (!sim) return;
  crd_event_free(sim->event);
  crd_stiff_free(sim->stiff);
  crd_impact_result_free(&sim->result);
  crd_coulomb_work_free(sim->coulomb);
  crd_arena_free(&sim->rebound_arena);
  crd_arena_free(&sim->hold_arena);
  crd_arena_free(&sim->matrix_arena);
  crd_problem_free(sim->loops);
  crd_problem_free(sim->begin.loops);
  crd_contact_assembler_free(sim->begin.assembler);
  crd_workspace_free(sim->begin.work);
  crd_problem_free(sim->problem);
  crd_collider_free(sim->collider);
  crd_contact_assembler_free(sim->assembler);
  crd_contact_assembler_free(sim->hold_assembler);
  crd_workspace_free(sim->work);
  crd_workspace_free(sim->hold_work);
  crd_arena_free(&sim->touch_arena);
  crd_name_table_free(&sim->listed);
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
  bool found = options->control || model->nactuator > 0 || model->compensated;
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
    sim->thickness[g] = crd_sim_thickness(model, g);
    if (model->geom[g].link >= 0 && takes_part(model, g)) sim->fast[sim->nfast++] = g;
  }
  bool stepping = sim->options.integrator != CRD_SIM_EVENT; /* which follows the limits itself */
  for (int j = 0; j < model->njoint; j++) sim->has_limits = sim->has_limits || (stepping && model->joint[j].limited);
  for (int l = 0; l < model->nloop; l++) sim->has_loops = sim->has_loops || model->loop[l].active;
  for (int i = 0; i < model->nv; i++) {
    int parent = model->dof_parent[i];
    sim->tree_of_dof[i] = parent < 0 ? sim->ntree++ : sim->tree_of_dof[parent];
    sim->has_dry = sim->has_dry || model->dof_frictionloss[i] > 0;
  }
  for (int k = 0; k < model->nlink; k++)
    sim->has_bias = sim->has_bias || !is_isotropic(&model->link[k]) || model->link[k].parent >= 0;
}

crd_status crd_sim_new(const crd_model *model, const crd_sim_options *options, crd_sim **out, crd_error *err) {
  *out = NULL;
  crd_sim_options given = options ? *options : crd_sim_default();
  crd_status status = crd_sim_complete_options(model, &given, err);
  if (status != CRD_OK) return status;
  crd_sim *sim = calloc(1, sizeof *sim);
  if (!sim) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a simulation");
  sim->self = sim, sim->model = model, sim->options = given;
  sim->size = scene_size(model);
  sim->closed = 0.5 * given.gap_tolerance * sim->size;
  sim->exact = 1e-4 * given.gap_tolerance * sim->size;
  sim->has_forces = find_forces(model, &given);
  for (int k = 0; k < model->nlink; k++) sim->mass += model->link[k].mass;
  status = take_memory(sim) ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a simulation");
  if (status == CRD_OK) find_constraints(sim);
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
crd_sim_counters crd_sim_counters_now(const crd_sim *sim) { return sim->counters; }
const char *crd_sim_message(const crd_sim *sim) { return sim->message; }

const crd_sim_contact *crd_sim_contacts(const crd_sim *sim, int *count) {
  crd_sim_list_contacts(sim->self);
  *count = sim->ncontact;
  return sim->contact;
}

bool crd_sim_stopped(const crd_sim *sim) { return sim->options.stop && sim->options.stop(sim->options.stop_context); }

void crd_sim_copy_moment(const crd_sim *sim, crd_sim_moment *to, const crd_sim_moment *from) {
  to->t = from->t, to->work = from->work, to->piece = from->piece;
  to->crowded = from->crowded;
  memcpy(to->q, from->q, (size_t)sim->model->nq * sizeof *to->q);
  memcpy(to->v, from->v, (size_t)sim->model->nv * sizeof *to->v);
  memcpy(to->dry, from->dry, (size_t)sim->model->nv * sizeof *to->dry);
  memcpy(to->load, from->load, (size_t)sim->model->nv * sizeof *to->load);
  to->touches.count = from->touches.count;
  if (from->touches.count)
    memcpy(to->touches.item, from->touches.item, (size_t)from->touches.count * sizeof *to->touches.item);
}
