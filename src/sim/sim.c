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
#include "sim/prescribed.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"
#include "sim/tunnel.h"

/* ------------------------------------------------------------------------------------------------ memory */

static crd_status take_arrays(crd_sim *sim) {
  const crd_model *model = sim->model;
  size_t nq = (size_t)model->nq, nv = (size_t)model->nv, ngeom = (size_t)model->ngeom, nbody = (size_t)model->nbody;
  size_t d = sizeof(double), nact = (size_t)model->nact, nactuator = (size_t)model->nactuator;
  crd_sim_scene *scene = &sim->scene;
  crd_sim_moment *now = &sim->whole.now, *start = &sim->whole.start;
  const crd_layout table[] = {
      {&scene->thickness, ngeom, d, 0},
      {&scene->core, 3 * ngeom, d, 0},
      {&scene->moves, ngeom, sizeof(bool), 0},
      {&scene->tree_of_dof, nv, sizeof(int), 0},
      {&scene->armature, nv, d, 0},
      {&scene->yields, ngeom, sizeof(bool), 0},
      {&scene->prescribed, (size_t)sim->options.nprescribed, sizeof(int), 0},
      {&scene->loop_shift, (size_t)model->nloop, 3 * d, 0},
      {&now->q, nq, d, 0},
      {&now->v, nv, d, 0},
      {&now->act, nact, d, 0},
      {&now->load, nv, d, 0},
      {&now->dry, nv + (size_t)model->ntendon, d, 0},
      {&start->q, nq, d, 0},
      {&start->v, nv, d, 0},
      {&start->act, nact, d, 0},
      {&start->load, nv, d, 0},
      {&start->dry, nv + (size_t)model->ntendon, d, 0},
      {&sim->core_now, 3 * ngeom, d, 0},
      {&sim->sensed.before, nv, d, 0},
      {&sim->sensed.qacc, nv, d, 0},
      {&sim->sensed.fext, 6 * nbody, d, 0},
      {&sim->sensed.data, (size_t)model->nsensordata, d, 0},
      {&sim->inputs.ctrl, nactuator, d, 0},
      {&sim->inputs.ctrl_before, nactuator, d, 0},
      {&sim->inputs.next, nbody, sizeof *sim->inputs.next, 0},
      {&sim->inputs.last, nbody, sizeof *sim->inputs.last, 0},
  };
  return crd_layout_renew(&sim->arena, table, sizeof table / sizeof *table);
}

static crd_status take_memory(crd_sim *sim) {
  crd_group *whole = &sim->whole;
  crd_status status = take_arrays(sim);
  if (status == CRD_OK) crd_sim_prescribe_begin(sim);
#ifdef _OPENMP
  const int threads = sim->options.threads;
#else
  const int threads = 1;
#endif
  if (status == CRD_OK) sim->scratch = crd_arena_alloc(&sim->arena, (size_t)threads, sizeof *sim->scratch);
  if (!sim->scratch) return CRD_ERR_MEMORY;
  for (; sim->nscratch < threads && status == CRD_OK; sim->nscratch++)
    status = crd_scratch_new(&sim->scene, &sim->options, sim->core_now, &sim->scratch[sim->nscratch]);
  if (status != CRD_OK) return status;
  whole->sim = sim, whole->model = sim->model, whole->options = &sim->options, whole->scene = &sim->scene;
  whole->inputs = &sim->inputs, whole->number = -1;
  crd_group_enter(whole, sim->scratch);
  return CRD_OK;
}

void crd_sim_free(crd_sim *sim) {
  if (!sim) return;
  crd_event_free(sim->whole.event);
  crd_group_free(&sim->whole);
  for (int g = 0; sim->groups.group && g < sim->scene.ntree; g++) crd_group_free(&sim->groups.group[g]);
  for (int k = 0; k < sim->nscratch; k++) crd_scratch_free(&sim->scratch[k]);
  crd_arena_free(&sim->groups.arena);
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
static const double LEAST_SIZE = 1e-3; /* of the largest body */

static double scene_size(const crd_model *model) {
  double smallest = INFINITY, largest = 0;
  for (int b = 1; b < model->nbody; b++) {
    double size = body_size(model, b);
    if (size > 0) smallest = fmin(smallest, size), largest = fmax(largest, size);
  }
  return smallest < INFINITY ? fmax(smallest, LEAST_SIZE * largest) : 1;
}

static bool find_forces(const crd_model *model, const crd_sim_options *options) {
  bool found = options->control || options->nprescribed > 0 || model->nactuator > 0 || model->compensated ||
               model->nimmersed > 0 || model->elastic_tendons;
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
  memcpy(sim->whole.now.q, sim->model->qpos0, (size_t)sim->model->nq * sizeof *sim->whole.now.q);
  memcpy(sim->whole.message, drawn.text, sizeof sim->scratch->message - 1);
  return CRD_OK;
}

/* Does the link turn without forces of its own: a free body whose inertia is that of a ball or a cube? */
static const double EVEN = 1e-12; /* of the moment of inertia: differences that are rounding */

static bool is_isotropic(const crd_link *link) {
  const double *I = link->inertia, size = fabs(I[0]);
  double uneven = fabs(I[1] - I[0]) + fabs(I[2] - I[0]) + fabs(I[3]) + fabs(I[4]) + fabs(I[5]);
  return link->type == CRD_FREE && crd_vec3_norm(link->com) == 0 && uneven <= EVEN * size;
}

/* Constraints other than contacts, and the velocities of each tree. */
static void find_constraints(crd_sim *sim) {
  const crd_model *model = sim->model;
  for (int g = 0; g < model->ngeom; g++) {
    sim->scene.thickness[g] = crd_sim_sphere_inside(model, g, sim->scene.core + 3 * g);
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
  sim->scene.model = model;
  status = take_memory(sim);
  if (status != CRD_OK) crd_error_set(err, status, NULL, 0, "no memory for a simulation");
  if (status == CRD_OK) find_constraints(sim);
  if (status == CRD_OK) status = crd_partition_new(sim);
  if (status == CRD_OK && given.integrator == CRD_SIM_EVENT) status = crd_event_new(&sim->whole, err);
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
double crd_sim_time(const crd_sim *sim) { return sim->whole.now.t; }
const double *crd_sim_qpos(const crd_sim *sim) { return sim->whole.now.q; }
const double *crd_sim_qvel(const crd_sim *sim) { return sim->whole.now.v; }
crd_sim_counters crd_sim_counters_now(const crd_sim *sim) {
  crd_sim_counters counters = sim->whole.ledger.counters;
  for (int k = 0; k < sim->nscratch; k++) {
    crd_coulomb_ways(sim->scratch[k].rows.coulomb, counters.settled);
    crd_coulomb_ways(sim->scratch[k].law.result.coulomb, counters.settled);
  }
  return counters;
}
const char *crd_sim_message(const crd_sim *sim) { return sim->whole.message; }

const crd_sim_contact *crd_sim_contacts(const crd_sim *sim, int *count) {
  crd_sim_list_contacts(&sim->self->whole);
  *count = crd_sim_gather_listed(sim->self) == CRD_OK ? sim->whole.listed.ncontact : 0;
  return sim->whole.listed.contact;
}
