/* The collision of compliant bodies, integrated by CVODE (BDF, Newton's method with the derivative of the contact
 * forces) until no touching contact approaches. Stiffness, and friction that saturates at 1e-10 m/s, make it stiff:
 * about a thousand steps. */
#include "sim/compliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SPEED_SHARE = 1e-3; /* of options.slip: friction depends on velocities to a fraction of it */
static const double DISPLACED_BELOW =
    1e-9;                     /* m/s over the frequency of the stiffest contact: displacements that count */
enum { MOST_FAILURES = 100 }; /* of Newton's method, and of the error test, before CVODE gives a step up */

crd_compliant_options crd_sim_compliant_default(void) {
  return (crd_compliant_options){.stiffness = 1e6,
                                 .zeta = 5,
                                 .mass = NAN,
                                 .slip = 1e-10,
                                 .delta = 1e-9,
                                 .share = 0.01,
                                 .distance = 1e-3,
                                 .time = 1,
                                 .tolerance = 1e-12,
                                 .mu = NAN};
}

void crd_sim_compliant_free(crd_compliant_result *result) {
  crd_arena_free(&result->arena);
  *result = (crd_compliant_result){0};
}

static bool options_valid(const crd_compliant_options *o) {
  return o->stiffness > 0 && o->zeta >= 0 && o->slip > 0 && o->delta >= 0 && o->share >= 0 && o->distance >= 0 &&
         o->time > 0 && o->tolerance > 0 && !(o->mass <= 0) && !(o->mu < 0);
}

static double moving_mass(const crd_model *model) {
  double sum = 0;
  for (int b = 0; b < model->nbody; b++)
    if (model->body[b].link >= 0) sum += model->body[b].mass;
  return sum;
}

/* Stiffness of the contacts, and the impulse each has to get: its share of what stops it alone. */
static crd_status read_start(compliant *c) {
  const crd_contact_problem *start = c->start;
  int m = start->nrow + start->nb;
  if (start->nc == 0 || start->nb > 0) return CRD_ERR_ARGUMENT;
  c->k = crd_arena_alloc(&c->arena, (size_t)start->nc, sizeof *c->k);
  c->needed = crd_arena_alloc(&c->arena, (size_t)start->nc, sizeof *c->needed);
  if (!c->k || !c->needed) return CRD_ERR_MEMORY;
  for (int i = 0; i < start->nc; i++) {
    int row = start->contact[i].row;
    double approach = -start->u[row], W = start->W[(size_t)m * (size_t)row + (size_t)row];
    c->k[i] = c->options.contact_k ? c->options.contact_k[i] : c->options.stiffness;
    if (!(c->k[i] > 0) || !isfinite(c->k[i])) return CRD_ERR_ARGUMENT;
    if (approach > c->options.delta && W > 0) c->needed[i] = c->options.share * approach / W;
  }
  return CRD_OK;
}

crd_status crd_compliant_begin(compliant *c, const crd_model *model, const double *qpos, const double *qvel,
                               const crd_compliant_options *options) {
  *c = (compliant){.model = model, .options = *options, .qpos0 = qpos};
  if (!options_valid(options)) return CRD_ERR_ARGUMENT;
  if (isnan(c->options.mass)) c->options.mass = moving_mass(model);
  c->work = crd_model_workspace_new(model);
  c->assembler = crd_contact_assembler_new(model);
  c->problem = crd_contact_problem_new(), c->start = crd_contact_problem_new();
  c->qpos = crd_arena_alloc(&c->arena, (size_t)model->nq, sizeof *c->qpos);
  c->qacc = crd_arena_alloc(&c->arena, (size_t)model->nv, sizeof *c->qacc);
  if (!c->work || !c->assembler || !c->problem || !c->start || !c->qpos || !c->qacc) return CRD_ERR_MEMORY;
  crd_contact_options at = crd_contact_default();
  at.distance = options->distance, at.mu = options->mu, at.merge_tolerance = 0, at.limits = false;
  crd_status status = crd_contact_at_state(c->assembler, c->work, qpos, qvel, &at, c->start);
  return status == CRD_OK ? read_start(c) : status;
}

void crd_compliant_end(compliant *c) {
  crd_contact_problem_free(c->problem), crd_contact_problem_free(c->start);
  crd_contact_assembler_free(c->assembler);
  crd_model_workspace_free(c->work);
  crd_arena_free(&c->arena);
}

#ifndef CRADLE_WITH_SUNDIALS

crd_status crd_sim_compliant(const crd_model *model, const double *qpos, const double *qvel,
                             const crd_compliant_options *options, crd_compliant_result *result) {
  (void)model, (void)qpos, (void)qvel, (void)options, (void)result;
  return CRD_ERR_ARGUMENT;
}

#else

#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "sim/cvode.h"
#include "sim/root.h"

enum { MOST_STEPS = 1000000 };

typedef struct integration {
  SUNContext context;
  void *cvode;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  N_Vector y, there, tolerance, rate;
  double t;
  long steps;
  double *impulse, *before; /* start->nc: normal impulses so far, normal forces at the last step */
} integration;

static int rate(sunrealtype t, N_Vector y, N_Vector out, void *data) {
  (void)t;
  crd_status status = crd_compliant_rate(data, N_VGetArrayPointer(y), N_VGetArrayPointer(out));
  return status == CRD_OK ? 0 : status > 0 ? 1 : -1;
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector a, N_Vector b,
                    N_Vector d) {
  (void)t, (void)a, (void)b, (void)d;
  if (crd_compliant_rate(data, N_VGetArrayPointer(y), N_VGetArrayPointer(a)) != CRD_OK) return 1;
  (void)f;
  crd_compliant_jacobian(data, SUNDenseMatrix_Data(J));
  return 0;
}

/* Displacements and velocities are compared with what an impact makes of them: friction needs velocities to a fraction
 * of `slip`, gaps are as small as velocity over frequency of the stiffest contact. */
static void set_tolerances(const compliant *c, N_Vector tolerance) {
  double stiffest = c->options.stiffness, *x = N_VGetArrayPointer(tolerance);
  for (int i = 0; i < c->start->nc; i++) stiffest = fmax(stiffest, c->k[i]);
  for (int i = 0; i < c->model->nv; i++) {
    x[i] = DISPLACED_BELOW / sqrt(stiffest / c->options.mass);
    x[c->model->nv + i] = SPEED_SHARE * c->options.slip;
  }
}

static bool set_up(integration *s, compliant *c, const double *qvel) {
  int n = 2 * c->model->nv;
  s->context = crd_cvode_context();
  if (!s->context) return false;
  s->y = N_VNew_Serial(n, s->context), s->there = N_VNew_Serial(n, s->context);
  s->tolerance = N_VNew_Serial(n, s->context), s->rate = N_VNew_Serial(n, s->context);
  s->matrix = SUNDenseMatrix(n, n, s->context);
  s->impulse = calloc((size_t)c->start->nc, sizeof *s->impulse);
  s->before = calloc((size_t)c->start->nc, sizeof *s->before);
  s->cvode = crd_cvode_new(CV_BDF, s->context);
  if (!s->y || !s->there || !s->tolerance || !s->rate || !s->matrix || !s->impulse || !s->before || !s->cvode)
    return false;
  s->solver = SUNLinSol_Dense(s->y, s->matrix, s->context);
  double *y = N_VGetArrayPointer(s->y);
  memset(y, 0, sizeof *y * (size_t)c->model->nv);
  memcpy(y + c->model->nv, qvel, sizeof *y * (size_t)c->model->nv);
  set_tolerances(c, s->tolerance);
  return s->solver && CVodeInit(s->cvode, rate, 0, s->y) == CV_SUCCESS &&
         CVodeSVtolerances(s->cvode, c->options.tolerance, s->tolerance) == CV_SUCCESS &&
         CVodeSetUserData(s->cvode, c) == CV_SUCCESS &&
         CVodeSetLinearSolver(s->cvode, s->solver, s->matrix) == CV_SUCCESS &&
         CVodeSetJacFn(s->cvode, jacobian) == CV_SUCCESS &&
         CVodeSetMaxConvFails(s->cvode, MOST_FAILURES) == CV_SUCCESS &&
         CVodeSetMaxErrTestFails(s->cvode, MOST_FAILURES) == CV_SUCCESS;
}

static void tear_down(integration *s) {
  if (s->cvode) CVodeFree(&s->cvode);
  if (s->solver) SUNLinSolFree(s->solver);
  if (s->matrix) SUNMatDestroy(s->matrix);
  N_Vector vector[4] = {s->y, s->there, s->tolerance, s->rate};
  for (int i = 0; i < 4; i++)
    if (vector[i]) N_VDestroy(vector[i]);
  if (s->context) SUNContext_Free(&s->context);
  free(s->impulse), free(s->before);
}

/* Evaluates at y: is the collision over there, as far as velocities tell? */
static bool resolved_at(compliant *c, integration *s, N_Vector y) {
  return crd_compliant_rate(c, N_VGetArrayPointer(y), N_VGetArrayPointer(s->rate)) == CRD_OK &&
         crd_compliant_resolved(c);
}

/* Adds the impulses of a step by the trapezoidal rule, after an evaluation at its end. */
static void add_impulses(const compliant *c, integration *s, double duration) {
  for (int j = 0; j < c->start->nc; j++) {
    double force = 0;
    for (int i = 0; i < c->problem->nc; i++)
      if (c->identity[i] == j) force = c->force[c->problem->contact[i].row];
    s->impulse[j] += 0.5 * duration * (s->before[j] + force);
    s->before[j] = force;
  }
}

static bool impulses_suffice(const compliant *c, const integration *s) {
  for (int j = 0; j < c->start->nc; j++)
    if (s->impulse[j] < c->needed[j]) return false;
  return true;
}

typedef struct ending {
  compliant *c;
  integration *s;
} ending;

/* Negative where the collision is over, at t within the last step. */
static double goes_on(void *context, double t) {
  const ending *e = context;
  bool known = CVodeGetDky(e->s->cvode, t, 0, e->s->there) == CV_SUCCESS;
  return known && !resolved_at(e->c, e->s, e->s->there) ? 1 : -1;
}

/* The instant within the last step at which the collision is over. */
static void locate_end(compliant *c, integration *s, double from) {
  ending e = {c, s};
  double to = goes_on(&e, from) < 0 ? from : crd_root_find(&(crd_root_function){goes_on, &e}, from, s->t);
  if (CVodeGetDky(s->cvode, to, 0, s->there) == CV_SUCCESS) N_VScale(1, s->there, s->y), s->t = to;
}

static crd_status integrate(compliant *c, integration *s) {
  while (s->steps++ < MOST_STEPS) {
    double from = s->t;
    int flag = CVode(s->cvode, c->options.time, s->y, &s->t, CV_ONE_STEP);
    if (flag < 0) return c->status < 0 ? c->status : CRD_UNKNOWN;
    bool resolved = resolved_at(c, s, s->y);
    if (c->status != CRD_OK) return c->status;
    add_impulses(c, s, s->t - from);
    if (resolved && impulses_suffice(c, s)) return locate_end(c, s, from), CRD_OK;
    if (s->t >= c->options.time) return CRD_LIMIT;
  }
  return CRD_LIMIT;
}

/* Contact velocities at s->y; of a contact that is far away by then, with its rows of the start. */
static void contact_velocities(const compliant *c, const double *v, double *u) {
  const crd_contact_problem *start = c->start;
  size_t nv = (size_t)c->model->nv;
  for (int i = 0; i < start->nrow; i++) {
    u[i] = 0;
    for (size_t j = 0; j < nv; j++) u[i] += start->J[nv * (size_t)i + j] * v[j];
  }
  for (int i = 0; i < c->problem->nc; i++) {
    const crd_contact *now = &c->problem->contact[i];
    const crd_contact *then = c->identity[i] < 0 ? NULL : &start->contact[c->identity[i]];
    if (then && then->ntangent == now->ntangent)
      memcpy(u + then->row, c->problem->u + now->row, sizeof *u * (size_t)(1 + now->ntangent));
  }
}

/* The result at s->y. */
static crd_status conclude(compliant *c, const integration *s, crd_compliant_result *result) {
  const crd_contact_problem *start = c->start;
  size_t nv = (size_t)c->model->nv, nc = (size_t)start->nc;
  const double *y = N_VGetArrayPointer(s->y);
  crd_compliant_result r = {.nc = start->nc, .nrow = start->nrow, .time = s->t, .steps = s->steps};
  r.v_plus = crd_arena_alloc(&r.arena, nv, sizeof *r.v_plus);
  r.qpos = crd_arena_alloc(&r.arena, (size_t)c->model->nq, sizeof *r.qpos);
  r.u_plus = crd_arena_alloc(&r.arena, (size_t)start->nrow, sizeof *r.u_plus);
  r.impulse = crd_arena_alloc(&r.arena, nc, sizeof *r.impulse);
  r.contact = crd_arena_alloc(&r.arena, nc, sizeof *r.contact);
  bool memory = r.v_plus && r.qpos && r.u_plus && r.impulse && r.contact;
  for (size_t i = 0; memory && i < nc; i++)
    if (!(r.contact[i] = crd_arena_string(&r.arena, start->contact[i].name))) memory = false;
  if (!memory) return crd_arena_free(&r.arena), CRD_ERR_MEMORY;
  memcpy(r.v_plus, y + nv, sizeof *y * nv);
  memcpy(r.impulse, s->impulse, sizeof *r.impulse * nc);
  crd_tree_integrate_position(c->model, c->qpos0, y, 1, r.qpos);
  crd_status status = crd_compliant_rate(c, y, N_VGetArrayPointer(s->rate));
  if (status != CRD_OK) return crd_arena_free(&r.arena), status;
  contact_velocities(c, r.v_plus, r.u_plus);
  crd_arena_free(&result->arena);
  *result = r;
  return CRD_OK;
}

crd_status crd_sim_compliant(const crd_model *model, const double *qpos, const double *qvel,
                             const crd_compliant_options *options, crd_compliant_result *result) {
  compliant c;
  integration s = {0};
  crd_status status = crd_compliant_begin(&c, model, qpos, qvel, options);
  if (status == CRD_OK && !set_up(&s, &c, qvel)) status = CRD_ERR_MEMORY;
  if (status == CRD_OK) status = integrate(&c, &s);
  if (status == CRD_OK) status = conclude(&c, &s, result);
  tear_down(&s);
  crd_compliant_end(&c);
  return status;
}

#endif
