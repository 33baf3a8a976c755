/* Nelder and Mead's simplex [The Computer Journal 7, 1965] within bounds: the mean loss over rows has kinks where a contact
 * changes its mode, so that derivatives would mislead. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"

enum { CORNERS = CRD_FIT_PARAMETERS + 1, STEPS_EACH = 40 };
static const double SMALL = 1e-4; /* of the range of a parameter: the simplex has come together */

typedef struct simplex {
  fit_task *task;
  int n;
  fit_point x[CORNERS];
  double f[CORNERS];
  float *error;
  crd_status status;
} simplex;

static double loss_at(simplex *s, const fit_point *x) {
  const fit_task *task = s->task;
  double sum = 0;
  if (s->status == CRD_OK) s->status = fit_evaluate(s->task, task->fitted, task->nfitted, x, 1, s->error, NULL, NULL);
  for (int i = 0; i < task->nfitted && s->status == CRD_OK; i++) sum += fit_loss(task->options, s->error[i]);
  return sum / task->nfitted;
}

/* The point at `to` from the middle towards the worst corner, within the bounds; its loss. */
static double try_at(simplex *s, const fit_point *middle, double to, fit_point *x) {
  const crd_fit_options *o = s->task->options;
  *x = *middle;
  for (int k = 0; k < s->n; k++) {
    const int p = s->task->free[k];
    x->x[p] = fmin(o->high[p], fmax(o->low[p], middle->x[p] + to * (s->x[s->n].x[p] - middle->x[p])));
  }
  return loss_at(s, x);
}

static void sort(simplex *s) {
  for (int i = 1; i <= s->n; i++)
    for (int j = i; j > 0 && s->f[j] < s->f[j - 1]; j--) {
      const fit_point x = s->x[j];
      const double f = s->f[j];
      s->x[j] = s->x[j - 1], s->f[j] = s->f[j - 1], s->x[j - 1] = x, s->f[j - 1] = f;
    }
}

static bool is_small(const simplex *s) {
  const crd_fit_options *o = s->task->options;
  for (int k = 0; k < s->n; k++) {
    const int p = s->task->free[k];
    for (int i = 1; i <= s->n; i++)
      if (fabs(s->x[i].x[p] - s->x[0].x[p]) > SMALL * (o->high[p] - o->low[p])) return false;
  }
  return true;
}

static void step(simplex *s) {
  const int n = s->n;
  fit_point middle = s->x[0], reflected, other;
  for (int k = 0; k < n; k++) {
    const int p = s->task->free[k];
    middle.x[p] = 0;
    for (int i = 0; i < n; i++) middle.x[p] += s->x[i].x[p] / n;
  }
  const double f = try_at(s, &middle, -1, &reflected);
  double g = f;
  if (f < s->f[0])
    g = try_at(s, &middle, -2, &other);
  else if (!(f < s->f[n - 1]))
    g = try_at(s, &middle, f < s->f[n] ? -0.5 : 0.5, &other);
  if (f < s->f[n - 1] && !(g < f)) {
    s->x[n] = reflected, s->f[n] = f;
  } else if (g < s->f[n]) {
    s->x[n] = other, s->f[n] = g;
  } else { /* towards the best */
    for (int i = 1; i <= n; i++) {
      for (int k = 0; k < n; k++)
        s->x[i].x[s->task->free[k]] += s->x[0].x[s->task->free[k]], s->x[i].x[s->task->free[k]] /= 2;
      s->f[i] = loss_at(s, &s->x[i]);
    }
  }
}

crd_status fit_search(fit_task *task, const double size[CRD_FIT_PARAMETERS], fit_point *best, double *loss) {
  simplex s = {.task = task, .n = task->nfree, .error = malloc((size_t)task->nfitted * sizeof(float))};
  if (!s.error) return CRD_ERR_MEMORY;
  for (int i = 0; i <= s.n; i++) {
    s.x[i] = *best;
    if (i > 0) {
      const int p = task->free[i - 1];
      const bool up = best->x[p] + size[p] <= task->options->high[p];
      s.x[i].x[p] += up ? size[p] : -size[p];
    }
    s.f[i] = loss_at(&s, &s.x[i]);
  }
  sort(&s);
  for (int k = 0; k < STEPS_EACH * s.n && s.status == CRD_OK && !is_small(&s); k++) step(&s), sort(&s);
  *best = s.x[0], *loss = s.f[0];
  free(s.error);
  return s.status;
}
