/* Errors of measured impacts under one law at points of its coefficients. Threads take rows as they come; a row's errors
 * depend on the row only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"
#include "fit/order.h"
#include "linalg/dense.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum { BLOCK = 4 };
/* Of the speed before: a measured speed below it does not make the relative error of a row any larger. */
static const double SLOWEST = 0.02;

double fit_loss(const crd_fit_options *options, double error) {
  switch (options->loss) {
    case CRD_FIT_SQUARES: return error * error;
    case CRD_FIT_HUBER:
      return error < options->huber ? 0.5 * error * error : options->huber * (error - 0.5 * options->huber);
    default: return error;
  }
}

double fit_reported(const crd_fit_options *options, double mean) {
  return options->loss == CRD_FIT_SQUARES ? sqrt(mean) : mean;
}

/* Only with these M and J change, and the problem has to be completed anew. */
static bool moves_rows(const crd_fit_options *o) {
  return o->fitted & (1u << CRD_FIT_INERTIA | 1u << CRD_FIT_OFFSET) || o->value[CRD_FIT_INERTIA] != 1 ||
         o->value[CRD_FIT_OFFSET] != 0;
}

/* M with the inertia of some velocities scaled, M_ij sqrt(f_i f_j), and J with the arms of the normals moved. */
static crd_status move_row(const crd_fit_row *row, const crd_fit_options *o, double inertia, double offset) {
  crd_contact_problem *p = row->problem;
  const int n = p->nv;
  const double root = sqrt(inertia);
  memcpy(p->M, row->M, sizeof *p->M * (size_t)(n * n));
  memcpy(p->J, row->J, sizeof *p->J * (size_t)((p->nrow + p->nb) * n));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int scaled = (i >= o->inertia[0] && i <= o->inertia[1]) + (j >= o->inertia[0] && j <= o->inertia[1]);
      p->M[n * i + j] *= scaled == 2 ? inertia : scaled == 1 ? root : 1;
    }
  for (int c = 0; c < p->nc && o->offset >= 0 && o->offset < n; c++) p->J[n * p->contact[c].row + o->offset] += offset;
  return crd_contact_problem_complete(p);
}

crd_status fit_set(const crd_fit_row *row, const crd_fit_options *options, const double x[CRD_FIT_PARAMETERS],
                   double speed) {
  crd_contact_problem *problem = row->problem;
  crd_status status = CRD_OK;
  if (moves_rows(options)) status = move_row(row, options, x[CRD_FIT_INERTIA], x[CRD_FIT_OFFSET]);
  for (int c = 0; c < problem->nc; c++) {
    crd_contact *contact = &problem->contact[c];
    const double faster = -problem->u[contact->row] - speed;
    contact->e = fmin(1, fmax(0, x[CRD_FIT_E] + x[CRD_FIT_SLOPE] * faster));
    contact->mu = x[CRD_FIT_MU], contact->mu_static = x[CRD_FIT_MU] + x[CRD_FIT_MU_STATIC];
    contact->e_t = x[CRD_FIT_E_T];
  }
  return status;
}

void fit_restore(const crd_fit_data *data, const crd_fit_options *options) {
  for (int i = 0; i < data->count && moves_rows(options) && data->row[i].problem; i++)
    move_row(&data->row[i], options, 1, 0);
}

double fit_median_speed(const crd_fit_data *data, int group, double *room) {
  int count = 0;
  for (int i = 0; i < data->count; i++) {
    const crd_contact_problem *p = data->row[i].problem;
    if (!p) return 0;
    if (group < 0 || data->row[i].group == group) room[count++] = -p->u[p->contact[0].row];
  }
  crd_fit_sort(count, room);
  return crd_fit_quantile(count, room, 0.5);
}

static double error_of(const crd_fit_row *row, const double *v_plus, double *d) {
  const crd_contact_problem *p = row->problem;
  for (int k = 0; k < p->nv; k++) d[k] = v_plus[k] - row->v_plus[k];
  if (row->sigma) {
    double sum = 0;
    for (int k = 0; k < p->nv; k++) sum += d[k] * d[k] / (row->sigma[k] * row->sigma[k]);
    return sqrt(sum / p->nv);
  }
  const double measured = crd_dense_quadratic(p->nv, row->M, row->v_plus);
  const double unit = fmax(measured, SLOWEST * SLOWEST * crd_dense_quadratic(p->nv, row->M, p->v));
  return sqrt(crd_dense_quadratic(p->nv, row->M, d) / (unit > 0 ? unit : 1));
}

typedef struct helper {
  crd_impact_result result;
  double *d;
} helper;

typedef struct work {
  fit_task *task;
  const int *chosen;
  int nchosen, npoint, next;
  const fit_point *point;
  crd_impact_options impact;
  float *error;
  double *v_plus;
  bool *answered;
} work;

/* The error of a motion at all points; there is no velocity to keep. */
static void evaluate_toss(const work *w, int i, const crd_fit_toss *toss, helper *own) {
  for (int g = 0; g < w->npoint; g++) {
    bool answered;
    w->error[(size_t)i * (size_t)w->npoint + (size_t)g] =
        (float)fit_toss_error(w->task, toss, w->point[g].x, own->d, &answered);
    if (w->answered) w->answered[i] = answered;
  }
  for (int k = 0; w->v_plus && k < w->task->widest; k++) w->v_plus[i * w->task->widest + k] = NAN;
}

static void evaluate_row(const work *w, int i, helper *own) {
  const crd_fit_row *row = &w->task->data->row[w->task->row[w->chosen[i]]];
  if (row->toss) {
    evaluate_toss(w, i, row->toss, own);
    return;
  }
  crd_contact_problem *problem = row->problem;
  for (int g = 0; g < w->npoint; g++) {
    crd_status status = fit_set(row, w->task->options, w->point[g].x, w->task->speed);
    if (status == CRD_OK) status = crd_impact_resolve(w->task->law, problem, &w->impact, &own->result);
    const bool done = status == CRD_OK && own->result.count > 0;
    const double *v = done ? own->result.solution[0].v_plus : problem->v;
    w->error[(size_t)i * (size_t)w->npoint + (size_t)g] = (float)error_of(row, v, own->d);
    if (g + 1 < w->npoint) continue;
    if (w->answered) w->answered[i] = done;
    for (int k = 0; w->v_plus && k < w->task->widest; k++)
      w->v_plus[i * w->task->widest + k] = done && k < problem->nv ? v[k] : NAN;
  }
}

static void share(work *w, helper *own, bool leads) {
  fit_task *task = w->task;
  for (;;) {
    int from, to;
    bool stop;
    double done;
#ifdef _OPENMP
#pragma omp critical(crd_fit_rows)
#endif
    {
      from = w->next, to = from + BLOCK < w->nchosen ? from + BLOCK : w->nchosen;
      stop = task->stopped || from >= w->nchosen;
      if (!stop) w->next = to, task->done += (double)(to - from) * w->npoint;
      done = task->done;
    }
    if (stop) return;
    for (int i = from; i < to; i++) evaluate_row(w, i, own);
    const crd_fit_options *o = task->options;
    if (!leads || !o->progress || o->progress(o->context, fmin(1, done / task->expected))) continue;
#ifdef _OPENMP
#pragma omp critical(crd_fit_rows)
#endif
    task->stopped = true;
  }
}

crd_status fit_evaluate(fit_task *task, const int *chosen, int nchosen, const fit_point *point, int npoint,
                        float *error, double *v_plus, bool *answered) {
  work w = {task, chosen, nchosen, npoint, 0, point, crd_impact_default(), error, v_plus, answered};
  w.impact.max_solutions = 1, w.impact.facets = task->options->facets, w.impact.round_cone = task->options->round_cone;
  int threads = task->options->threads;
#ifdef _OPENMP
  if (threads <= 0) threads = omp_get_num_procs();
#else
  threads = 1;
#endif
  if (threads > nchosen / BLOCK + 1) threads = nchosen / BLOCK + 1;
  helper *help = calloc((size_t)threads, sizeof *help);
  double *d = malloc((size_t)threads * (size_t)(task->widest + 1) * sizeof *d);
  if (!help || !d) return free(help), free(d), CRD_ERR_MEMORY;
  for (int k = 0; k < threads; k++) help[k].d = d + k * (task->widest + 1);
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
  share(&w, &help[omp_get_thread_num()], omp_get_thread_num() == 0);
#else
  share(&w, help, true);
#endif
  for (int k = 0; k < threads; k++) crd_impact_result_free(&help[k].result);
  free(help), free(d);
  return task->stopped ? CRD_STOPPED : CRD_OK;
}
