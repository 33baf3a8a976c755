/* Smooth motion by CVODE (SUNDIALS): Adams' methods of order 1 to 12 with fixed-point iteration, and their interpolant.
 *
 * y = (q, v, act, works). Quaternions are integrated as they are, q' = q (0, w)/2, and made unit again where a phase ends;
 * everything else reads their direction only. The works of actuators, dampers, contacts and loops are integrated with
 * the motion, to the same tolerance.
 *
 * A start has order one, whose error qacc h^2/2 would be as large as the tolerance permits, always with the same sign.
 * The first steps are therefore so short that it does not count; from order two on, reached after them, a ballistic
 * flight is exact.
 *
 * CVODE keeps a history, so a state is taken up again with the same bits only where it is started anew: where a phase
 * begins (event_step.c).
 */
#include "sim/event.h"

#ifdef CRADLE_WITH_SUNDIALS
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "sim/cvode.h"

enum { MAX_INTERNAL_STEPS = 100000, SHORT_STEPS = 3 };

/* Where a contact comes to the end of a capsule its surface changes its curvature, and the accelerations jump: steps
 * collapse there. After so many of them the jump is leapt over. */
enum { MOST_COLLAPSED = 20, MOST_LEAPS = 12 };

/* While a body falls by its size the motion takes some dozens of internal steps. Where it takes hundreds, contacts
 * whose rates come from differences are noisier than the tolerance: it is made ten times larger after every so many, up
 * to the loosest. */
enum { PATIENCE = 200 };

static const double TIME_ROUNDING = 2e-15;     /* of the time: ten units in its last place */
static const double LEAST_ACCELERATION = 1e-6; /* m/s^2, rad/s^2: at rest the first step is as long as for this one */
static const double LEAST_FIRST = 64;          /* roundings of the time: a first step is no shorter */
static const double MOST_FIRST = 0.1;          /* of the time left: a first step is no longer */
static const double COLLAPSED = 1e-3;          /* of the first step: a step that is shorter has collapsed */

struct crd_smooth {
  SUNContext context;
  void *cvode;
  SUNNonlinearSolver solver;
  N_Vector y, there;      /* at the end of the last internal step; interpolated */
  N_Vector before, slope; /* at its start, and the rates there: of a leap */
  double t, stop;
  double first;              /* length of the first steps of a start */
  int collapsed, leaps;      /* steps in a row that are far shorter; leaps of the phase */
  bool leapt;                /* the last step was one */
  double relative, absolute; /* tolerances in force */
  long steps, started;       /* internal steps of the phase, and since CVODE was started last */
  double patient;            /* s; PATIENCE steps ago */
};

static int rate(sunrealtype t, N_Vector y, N_Vector y_dot, void *data) {
  crd_group *group = data;
  const crd_model *model = group->model;
  const double *q = N_VGetArrayPointer(y), *v = q + model->nq;
  double *out = N_VGetArrayPointer(y_dot);
  const double *act = v + model->nv;
  crd_phase_point at = crd_event_evaluate(group, t, q, v, act);
  if (at.status != CRD_OK)
    return at.status > 0 ? 1 : -1; /* a shorter step may do; memory and misuse cannot be helped */
  crd_event_position_rate(model, q, v, out);
  memcpy(out + model->nq, at.qacc, (size_t)model->nv * sizeof *out);
  double *act_rate = out + model->nq + model->nv;
  crd_tree_activation_rate(model, act, group->stage->ctrl, act_rate, NULL); /* the controls of the evaluation */
  crd_tree_hold_activation(model, act, act_rate);
  memcpy(act_rate + model->nact, at.power, sizeof at.power);
  return 0;
}

static void fill(crd_group *group, N_Vector y) {
  const crd_model *model = group->model;
  double *x = N_VGetArrayPointer(y);
  memcpy(x, group->now.q, (size_t)model->nq * sizeof *x);
  memcpy(x + model->nq, group->now.v, (size_t)model->nv * sizeof *x);
  x += model->nq + model->nv;
  if (model->nact > 0) memcpy(x, group->now.act, (size_t)model->nact * sizeof *x);
  memset(x + model->nact, 0, CRD_WORKS * sizeof *x);
}

static bool set_up(crd_group *group, struct crd_smooth *s) {
  s->context = crd_cvode_context();
  if (!s->context) return false;
  sunindextype n = group->model->nq + group->model->nv + group->model->nact + CRD_WORKS;
  s->y = N_VNew_Serial(n, s->context), s->there = N_VNew_Serial(n, s->context);
  s->before = N_VNew_Serial(n, s->context), s->slope = N_VNew_Serial(n, s->context);
  s->cvode = crd_cvode_new(CV_ADAMS, s->context);
  if (!s->y || !s->there || !s->before || !s->slope || !s->cvode) return false;
  s->solver = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
  if (!s->solver) return false;
  fill(group, s->y);
  return CVodeInit(s->cvode, rate, group->now.t, s->y) == CV_SUCCESS &&
         CVodeSStolerances(s->cvode, group->options->relative_tolerance, group->options->absolute_tolerance) ==
             CV_SUCCESS &&
         CVodeSetUserData(s->cvode, group) == CV_SUCCESS && CVodeSetNonlinearSolver(s->cvode, s->solver) == CV_SUCCESS;
}

struct crd_smooth *crd_smooth_new(crd_group *group) {
  struct crd_smooth *s = calloc(1, sizeof *s);
  if (s && !set_up(group, s)) crd_smooth_free(s), s = NULL;
  return s;
}

void crd_smooth_free(struct crd_smooth *s) {
  if (!s) return;
  if (s->cvode) CVodeFree(&s->cvode);
  if (s->solver) SUNNonlinSolFree(s->solver);
  if (s->y) N_VDestroy(s->y);
  if (s->there) N_VDestroy(s->there);
  if (s->before) N_VDestroy(s->before);
  if (s->slope) N_VDestroy(s->slope);
  if (s->context) SUNContext_Free(&s->context);
  free(s);
}

/* Tolerances of the phase: not below the noise of differences of contact rows, which CVODE would resolve. */
static void set_tolerances(const crd_group *group, struct crd_smooth *s) {
  const crd_event_driven *event = group->event;
  s->relative = group->options->relative_tolerance, s->absolute = group->options->absolute_tolerance;
  for (int i = 0; i < event->nfollowed; i++) {
    if (crd_surface_is_exact(&event->surface, &event->followed[i].point)) continue;
    s->relative = fmax(s->relative, crd_event_accurate.relative);
    s->absolute = fmax(s->absolute, crd_event_accurate.absolute);
  }
}

/* Restarts CVODE at s->t, s->y. */
static crd_status begin(crd_group *group, struct crd_smooth *s) {
  s->started = 0;
  double rounding = TIME_ROUNDING * fabs(s->t);
  double first = sqrt(crd_event_accurate.first * s->absolute / fmax(group->event->acceleration, LEAST_ACCELERATION));
  first = fmin(fmax(first, LEAST_FIRST * rounding), MOST_FIRST * (s->stop - s->t));
  s->first = first, s->collapsed = 0, s->leapt = false;
  bool done = CVodeSStolerances(s->cvode, s->relative, s->absolute) == CV_SUCCESS &&
              CVodeReInit(s->cvode, s->t, s->y) == CV_SUCCESS && CVodeSetStopTime(s->cvode, s->stop) == CV_SUCCESS &&
              CVodeSetInitStep(s->cvode, first) == CV_SUCCESS && CVodeSetMaxStep(s->cvode, first) == CV_SUCCESS;
  return done ? CRD_OK : CRD_LIMIT;
}

crd_status crd_smooth_start(crd_group *group, double stop) {
  struct crd_smooth *s = group->event->smooth;
  s->t = s->patient = group->now.t, s->stop = stop, s->steps = 0, s->leaps = 0;
  fill(group, s->y);
  set_tolerances(group, s);
  return begin(group, s);
}

static crd_status loosen(crd_group *group, struct crd_smooth *s) {
  bool slow = s->t - s->patient < group->event->pace;
  s->patient = s->t;
  if (!slow || group->event->nfollowed == 0 || s->relative >= crd_event_accurate.loosest) return CRD_OK;
  s->relative = fmin(10 * s->relative, crd_event_accurate.loosest), s->absolute *= 10;
  return begin(group, s);
}

/* The last step is not made. */
static crd_status give_up(struct crd_smooth *s, double from) {
  N_VScale(1, s->before, s->y);
  s->t = from;
  return CRD_LIMIT;
}

/* Over a jump of the rates, or an instant at which there are none (loops that fold), by the trapezium rule from before the
 * last step: as little as leads to rates again, and further with every leap. */
static crd_status leap(crd_group *group, struct crd_smooth *s, double from, double *to) {
  if (rate(from, s->before, s->slope, group) != 0) return give_up(s, from);
  for (bool lands = false; !lands; s->leaps++) {
    if (s->leaps == MOST_LEAPS) return give_up(s, from);
    double length = fmin(s->first * pow(4, s->leaps), s->stop - from);
    N_VLinearSum(1, s->before, length, s->slope, s->y);
    *to = s->t = length < s->stop - from ? from + length : s->stop;
    lands = rate(s->t, s->y, s->there, group) == 0;
  }
  N_VLinearSum(0.5, s->slope, 0.5, s->there, s->slope);
  N_VLinearSum(1, s->before, s->t - from, s->slope, s->y);
  crd_status status = begin(group, s);
  s->leapt = true;
  return status;
}

/* Has CVODE come to a jump of the rates, where no step is short enough? */
static bool is_stuck(struct crd_smooth *s, int flag, double length) {
  s->collapsed = s->started > SHORT_STEPS && length < COLLAPSED * s->first ? s->collapsed + 1 : 0;
  return flag < 0 || s->collapsed >= MOST_COLLAPSED;
}

crd_status crd_smooth_step(crd_group *group, double *from, double *to) {
  struct crd_smooth *s = group->event->smooth;
  sunrealtype reached = s->t;
  *from = *to = s->t;
  s->leapt = false;
  N_VScale(1, s->y, s->before);
  if (++s->steps > MAX_INTERNAL_STEPS) return CRD_LIMIT;
  if (s->steps % PATIENCE == 0 && loosen(group, s) != CRD_OK) return CRD_LIMIT;
  if (++s->started == SHORT_STEPS + 1) CVodeSetMaxStep(s->cvode, 0); /* no bound */
  int flag = CVode(s->cvode, s->stop, s->y, &reached, CV_ONE_STEP);
  if (is_stuck(s, flag, reached - *from)) return leap(group, s, *from, to);
  *to = s->t = reached;
  return CRD_OK;
}

bool crd_smooth_leapt(const crd_group *group) { return group->event->smooth->leapt; }

void crd_smooth_at(crd_group *group, double t, const double **q, const double **v, const double **act,
                   const double **works) {
  struct crd_smooth *s = group->event->smooth;
  N_Vector y = s->y;
  if (t < s->t && s->leapt)
    N_VLinearSum(1, s->y, t - s->t, s->slope, s->there), y = s->there;
  else if (t < s->t && CVodeGetDky(s->cvode, t, 0, s->there) == CV_SUCCESS)
    y = s->there;
  *q = N_VGetArrayPointer(y), *v = *q + group->model->nq;
  if (act) *act = *v + group->model->nv;
  if (works) *works = *v + group->model->nv + group->model->nact;
}

#else

struct crd_smooth *crd_smooth_new(crd_group *group) {
  (void)group;
  return NULL;
}
void crd_smooth_free(struct crd_smooth *smooth) { (void)smooth; }
crd_status crd_smooth_start(crd_group *group, double stop) {
  (void)group, (void)stop;
  return CRD_ERR_ARGUMENT;
}
crd_status crd_smooth_step(crd_group *group, double *from, double *to) {
  (void)group, (void)from, (void)to;
  return CRD_ERR_ARGUMENT;
}
bool crd_smooth_leapt(const crd_group *group) {
  (void)group;
  return false;
}
void crd_smooth_at(crd_group *group, double t, const double **q, const double **v, const double **act,
                   const double **works) {
  (void)group, (void)t, (void)q, (void)v, (void)act, (void)works;
}
#endif
