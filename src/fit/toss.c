/* Measured motions: how far the simulated one goes from the measured one, and what can be said of them without a law.
 *
 * The error of a motion is sqrt(sum |q_sim(t_k) - q_k|^2 / sum |q_k - q_0|^2) over its samples, differences as
 * displacements dq in the kinetic metric dq' M(q_k) dq: 0 for the motion itself, 1 for a mechanism that stays where it is. */
#include <cradle/tree.h>
#include <math.h>
#include <string.h>

#include "fit/fit.h"

/* Samples from which a velocity that is not stated is taken: few enough to be before the first contact. */
enum { AT_START = 5 };

/* The displacement from `from` to `to`, in the directions of velocities. */
static void displacement(const crd_model *model, const double *from, const double *to, double *dq) {
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    const double *a = from + joint->q, *b = to + joint->q;
    double *d = dq + joint->v;
    switch (joint->type) {
      case CRD_HINGE:
      case CRD_SLIDE: d[0] = b[0] - a[0]; break;
      case CRD_BALL: crd_quat_rotation_vector(d, a, b); break;
      case CRD_FREE:
        for (int i = 0; i < 3; i++) d[i] = b[i] - a[i];
        crd_quat_rotation_vector(d + 3, a + 3, b + 3);
        break;
    }
  }
}

/* dq' M(q) dq */
static double square(const crd_model *model, crd_workspace *work, const double *q, const double *dq) {
  crd_tree_kinematics(model, work, q);
  crd_tree_velocity(model, work, dq);
  return 2 * crd_tree_kinetic_energy(model, work, dq);
}

/* The displacements dq_k = v t_k + a t_k^2 / 2 from the first sample, by least squares: v. */
static void start_velocity(const crd_fit_toss *toss, double *dq, double *v) {
  const crd_model *m = toss->model;
  const int n = toss->samples < AT_START ? toss->samples : AT_START;
  double t2 = 0, t3 = 0, t4 = 0, first[2];
  for (int i = 0; i < m->nv; i++) v[i] = 0;
  for (int k = 1; k < n; k++) {
    const double t = toss->t[k] - toss->t[0];
    t2 += t * t, t3 += t * t * t / 2, t4 += t * t * t * t / 4;
  }
  const double determinant = t2 * t4 - t3 * t3;
  const bool curved = n > 2 && determinant > 1e-12 * t2 * t4;
  for (int k = 1; k < n; k++) {
    const double t = toss->t[k] - toss->t[0];
    displacement(m, toss->qpos, toss->qpos + k * m->nq, dq);
    first[0] = curved ? t4 / determinant : 1 / t2, first[1] = curved ? t3 / determinant : 0;
    for (int i = 0; i < m->nv; i++) v[i] += (first[0] * t - first[1] * t * t / 2) * dq[i];
  }
}

static bool is_finite(size_t n, const double *x) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Are all numbers finite, and do the times increase? */
static bool is_sound(const crd_fit_toss *stated) {
  const size_t n = (size_t)stated->samples, nq = (size_t)stated->model->nq, nv = (size_t)stated->model->nv;
  for (size_t k = 1; k < n; k++)
    if (!(stated->t[k] > stated->t[k - 1])) return false;
  return is_finite(n, stated->t) && is_finite(n * nq, stated->qpos) &&
         (!stated->qvel || is_finite(n * nv, stated->qvel));
}

crd_status crd_fit_add_toss(crd_fit_data *data, const crd_fit_toss *stated, const char *group, size_t number) {
  const crd_model *m = stated->model;
  const size_t n = (size_t)stated->samples, nq = (size_t)m->nq, nv = (size_t)m->nv;
  if (stated->samples < 2 || (data->count > 0 && !data->row[0].toss)) return CRD_ERR_ARGUMENT;
  if (!is_sound(stated)) return CRD_ERR_NUMBER;
  crd_arena *arena = &data->arena;
  crd_fit_toss *toss = crd_arena_alloc(arena, 1, sizeof *toss);
  double *t = crd_arena_alloc(arena, n, sizeof *t), *qpos = crd_arena_alloc(arena, n * nq, sizeof *qpos);
  double *qvel = stated->qvel ? crd_arena_alloc(arena, n * nv, sizeof *qvel) : NULL;
  double *start = crd_arena_alloc(arena, nv, sizeof *start), *dq = crd_arena_alloc(arena, nv, sizeof *dq);
  crd_workspace *work = crd_model_workspace_new(m);
  crd_status status = toss && t && qpos && (qvel || !stated->qvel) && start && dq && work ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK) {
    memcpy(t, stated->t, n * sizeof *t), memcpy(qpos, stated->qpos, n * nq * sizeof *qpos);
    if (qvel) memcpy(qvel, stated->qvel, n * nv * sizeof *qvel);
    *toss = (crd_fit_toss){.model = m, .samples = stated->samples, .t = t, .qpos = qpos, .qvel = qvel, .start = start};
    if (qvel)
      memcpy(start, qvel, nv * sizeof *start);
    else
      start_velocity(toss, dq, start);
    for (size_t k = 1; k < n; k++) {
      displacement(m, qpos, qpos + k * nq, dq);
      toss->size += square(m, work, qpos + k * nq, dq);
    }
    status = fit_keep_row(data, &(crd_fit_row){.toss = toss, .number = number}, group);
  }
  crd_model_workspace_free(work);
  return status;
}

/* ------------------------------------------------------------------------------------------------ against a law */

static crd_sim_options sim_options(const fit_task *task, const double x[CRD_FIT_PARAMETERS]) {
  crd_sim_options o = crd_sim_default();
  o.law = task->law, o.mu = x[CRD_FIT_MU], o.e = x[CRD_FIT_E];
  o.timestep = task->options->timestep, o.facets = task->options->facets, o.seed = task->options->seed;
  o.clear_start = true;
  return o;
}

double fit_toss_error(const fit_task *task, const crd_fit_toss *toss, const double x[CRD_FIT_PARAMETERS], double *dq,
                      bool *answered) {
  const crd_model *m = toss->model;
  const crd_sim_options options = sim_options(task, x);
  crd_workspace *work = crd_model_workspace_new(m);
  crd_sim *sim = NULL;
  double sum = 0;
  crd_status status = work ? crd_sim_new(m, &options, &sim, NULL) : CRD_ERR_MEMORY;
  if (status == CRD_OK) status = crd_sim_reset(sim, toss->t[0], toss->qpos, toss->start, NULL);
  for (int k = 1; k < toss->samples && work && sim; k++) { /* after a failure it stays where it is */
    const double *measured = toss->qpos + (size_t)k * (size_t)m->nq;
    if (status == CRD_OK) status = crd_sim_run(sim, toss->t[k]);
    displacement(m, measured, crd_sim_qpos(sim), dq);
    sum += square(m, work, measured, dq);
  }
  *answered = status == CRD_OK && crd_sim_counters_now(sim).unresolved == 0;
  crd_sim_free(sim);
  crd_model_workspace_free(work);
  return toss->size > 0 ? sqrt(sum / toss->size) : 0;
}

/* ------------------------------------------------------------------------------------------------ without a law */

/* Sums over the samples for one velocity: a as stated, b from the positions. */
typedef struct sums {
  double aa, bb, ab;
} sums;

/* Between two samples the mean of the stated velocities is the displacement over the time, to second order. */
static void add_rates(const crd_fit_toss *toss, double *dq, sums *s) {
  const crd_model *m = toss->model;
  for (int k = 1; k < toss->samples && toss->qvel; k++) {
    const double *v = toss->qvel + (size_t)(k - 1) * (size_t)m->nv, h = toss->t[k] - toss->t[k - 1];
    displacement(m, toss->qpos + (size_t)(k - 1) * (size_t)m->nq, toss->qpos + (size_t)k * (size_t)m->nq, dq);
    for (int i = 0; i < m->nv; i++) {
      const double a = 0.5 * (v[i] + v[m->nv + i]), b = dq[i] / h;
      s[i].aa += a * a, s[i].bb += b * b, s[i].ab += a * b;
    }
  }
}

/* K + V at a sample with stated velocities. */
static double energy(const crd_fit_toss *toss, crd_workspace *work, int k) {
  const crd_model *m = toss->model;
  const double *q = toss->qpos + (size_t)k * (size_t)m->nq, *v = toss->qvel + (size_t)k * (size_t)m->nv;
  crd_tree_kinematics(m, work, q);
  crd_tree_velocity(m, work, v);
  return crd_tree_kinetic_energy(m, work, v) + crd_tree_potential_energy(m, work, q);
}

/* Energy beyond the start, over the kinetic energy that the motion has at most. */
static double gained(const crd_fit_toss *toss, crd_workspace *work) {
  double most = 0, scale = 0;
  const double start = toss->qvel ? energy(toss, work, 0) : 0;
  for (int k = 0; k < toss->samples && toss->qvel; k++) {
    const crd_model *m = toss->model;
    const double *q = toss->qpos + (size_t)k * (size_t)m->nq, *v = toss->qvel + (size_t)k * (size_t)m->nv;
    most = fmax(most, energy(toss, work, k) - start);
    scale = fmax(scale, 0.5 * square(m, work, q, v));
  }
  return scale > 0 ? most / scale : 0;
}

crd_status crd_fit_look_at_tosses(const crd_fit_data *data, crd_fit_toss_look *look) {
  crd_fit_toss_look_free(look);
  if (data->count == 0 || !data->row[0].toss) return CRD_ERR_ARGUMENT;
  const crd_model *m = data->row[0].toss->model;
  const size_t nv = (size_t)m->nv;
  crd_arena arena = {0};
  crd_workspace *work = crd_model_workspace_new(m);
  double *dq = crd_arena_alloc(&arena, nv, sizeof *dq);
  sums *s = crd_arena_alloc(&arena, nv, sizeof *s);
  look->slope = crd_arena_alloc(&look->arena, nv, sizeof *look->slope);
  look->correlation = crd_arena_alloc(&look->arena, nv, sizeof *look->correlation);
  const bool memory = work && dq && s && look->slope && look->correlation;
  look->nv = m->nv, look->gain_row = -1;
  for (int i = 0; memory && i < data->count; i++) {
    const crd_fit_toss *toss = data->row[i].toss;
    look->samples += toss->samples, look->duration += toss->t[toss->samples - 1] - toss->t[0];
    add_rates(toss, dq, s);
    const double gain = gained(toss, work);
    if (gain > look->gain_max) look->gain_max = gain, look->gain_row = i;
  }
  for (size_t i = 0; memory && i < nv; i++) {
    look->slope[i] = s[i].aa > 0 && s[i].bb > 0 ? s[i].ab / s[i].aa : NAN;
    look->correlation[i] = s[i].aa > 0 && s[i].bb > 0 ? s[i].ab / sqrt(s[i].aa * s[i].bb) : NAN;
  }
  crd_model_workspace_free(work);
  crd_arena_free(&arena);
  return memory ? CRD_OK : CRD_ERR_MEMORY;
}

void crd_fit_toss_look_free(crd_fit_toss_look *look) {
  crd_arena_free(&look->arena);
  *look = (crd_fit_toss_look){0};
}
