/* The one judge of all methods: the natural map of the problem on the round cones, in velocities [Alart and Curnier
 * 1991], stated in cradle/coulomb.h. Cost: one product with G. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "coulomb/islands.h"
#include "coulomb/problem.h"

typedef struct judge {
  const crd_coulomb_problem *problem;
  const crd_coulomb_measures *measures;
  crd_coulomb_residual_parts *parts;
  double *error; /* n, or NULL */
} judge;

static void note(judge *j, double *part, double error, int row) {
  crd_coulomb_measure by = crd_coulomb_measure_of(j->measures, row);
  error *= by.length / by.scale;
  if (error > *part) *part = error;
  if (j->error && error > j->error[row]) j->error[row] = error;
  if (error > j->parts->worst) j->parts->worst = error, j->parts->row = row, j->parts->scale = by.scale;
}

static double length_of(int count, const double *v) {
  return count == 1 ? fabs(v[0]) : sqrt(v[0] * v[0] + v[1] * v[1]);
}

/* | g p - P(g p - u) | */
static double friction_error(const crd_coulomb_problem *problem, const crd_coulomb_friction *f, double pn,
                             const double *p, const double *u) {
  double g = crd_coulomb_mean_diagonal(problem, f->row, f->count), radius = f->mu * g * crd_greater(0, pn);
  double wish[2] = {0, 0}, error[2] = {0, 0};
  for (int t = 0; t < f->count; t++) wish[t] = g * p[f->row + t] - u[f->row + t];
  double length = length_of(f->count, wish), share = length > radius ? radius / length : 1;
  for (int t = 0; t < f->count; t++) error[t] = g * p[f->row + t] - share * wish[t];
  return length_of(f->count, error);
}

static void judge_contact(judge *j, const crd_coulomb_contact *c, const double *p, const double *u) {
  const crd_coulomb_problem *problem = j->problem;
  double g = crd_coulomb_diagonal(problem, c->row), *part = &j->parts->friction;
  note(j, &j->parts->normal, fabs(fmin(g * p[c->row], u[c->row] - c->target)), c->row);
  crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS];
  int count = crd_coulomb_frictions(c, friction), carried = c->row + 1;
  for (int k = 0; k < count; k++)
    note(j, part, friction_error(problem, &friction[k], p[c->row], p, u), friction[k].row);
  for (int t = 0; c->slides && t < c->ntangent; t++, carried++) {
    double error = crd_coulomb_diagonal(problem, carried) * (p[carried] + c->mu * p[c->row] * c->slide[t]);
    note(j, part, fabs(error), carried);
  }
  /* rows of a friction without coefficient carry nothing */
  for (int row = carried; row < c->row + crd_coulomb_contact_rows(c); row++) {
    bool carries = false;
    for (int k = 0; k < count; k++) carries |= row >= friction[k].row && row < friction[k].row + friction[k].count;
    if (!carries) note(j, part, fabs(crd_coulomb_diagonal(problem, row) * p[row]), row);
  }
}

static void judge_bounded(judge *j, const crd_coulomb_bounded *b, const double *p, const double *u) {
  double g = crd_coulomb_diagonal(j->problem, b->row), gp = g * p[b->row];
  double wish = fmin(crd_greater(gp - u[b->row], g * b->lower), g * b->upper);
  note(j, &j->parts->bounded, fabs(wish - gp), b->row);
}

crd_status crd_coulomb_judge_rows(const crd_coulomb_problem *problem, const crd_coulomb_measures *measures,
                                  const double *p, double *u, double *rounding, crd_coulomb_residual_parts *parts,
                                  double *error) {
  judge j = {problem, measures, parts, error};
  *parts = (crd_coulomb_residual_parts){.row = -1, .scale = measures->whole.scale};
  if (problem->n == 0) return CRD_OK; /* no arrays */
  crd_coulomb_rounding(problem, p, rounding);
  for (int i = 0; i < problem->n; i++) {
    crd_coulomb_measure by = crd_coulomb_measure_of(measures, i);
    rounding[i] *= by.length / by.scale;
    parts->rounding = crd_greater(parts->rounding, rounding[i]);
  }
  crd_coulomb_velocity(problem, p, u);
  if (error) memset(error, 0, sizeof *error * (size_t)problem->n);
  for (int i = 0; i < problem->n; i++) {
    if (isfinite(p[i]) && isfinite(u[i])) continue; /* which fmax would pass over */
    if (parts->row < 0) parts->row = i;
    parts->worst = INFINITY;
    if (error) error[i] = INFINITY;
  }
  if (parts->worst > 0) return CRD_ERR_NUMBER;
  for (int i = 0; i < problem->ncontact; i++) judge_contact(&j, &problem->contact[i], p, u);
  for (int i = 0; i < problem->nbilateral; i++) {
    int row = problem->bilateral[i];
    double off = fabs(u[row]);
    if (off > CRD_ACCURACY.bilateral * crd_coulomb_measure_of(measures, row).velocity)
      note(&j, &parts->bilateral, off, row);
  }
  for (int i = 0; i < problem->nbounded; i++) judge_bounded(&j, &problem->bounded[i], p, u);
  return CRD_OK;
}

crd_status crd_coulomb_residual(const crd_coulomb_problem *problem, const double *p, double *u,
                                crd_coulomb_residual_parts *parts) {
  int *parent = NULL;
  crd_coulomb_measure *row = NULL;
  crd_status status = CRD_ERR_MEMORY;
  bool plain = problem->n == 0 || crd_coulomb_is_plain(problem);
  if (!plain) {
    parent = malloc(sizeof *parent * (size_t)problem->n), row = malloc(sizeof *row * (size_t)problem->n);
    if (parent && row && problem->speed) crd_coulomb_find_islands(problem, parent);
  }
  if (plain || (parent && row)) {
    crd_coulomb_measures measures = crd_coulomb_measure_rows(problem, parent, row);
    status = crd_coulomb_judge_rows(problem, &measures, p, u, u, parts, NULL);
  }
  free(parent), free(row);
  return status;
}

void crd_coulomb_modes_by(const crd_coulomb_problem *problem, const crd_coulomb_measures *measures, const int *parent,
                          const double *accuracy, const double *p, const double *u, crd_mode *mode) {
  for (int i = 0; i < problem->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[i];
    double g = crd_coulomb_diagonal(problem, c->row), un = u[c->row] - c->target;
    double known = accuracy ? fmin(CRD_ACCURACY.doubtful, accuracy[parent[c->row]]) : 0;
    double negligible = crd_greater(CRD_ACCURACY.still, known) * crd_coulomb_measure_of(measures, c->row).scale;
    if (g * p[c->row] <= crd_greater(un, negligible)) {
      mode[i] = un > negligible ? CRD_MODE_SEPARATE : CRD_MODE_NONE;
      continue;
    }
    crd_coulomb_friction f = {c->row + 1, c->ntangent, c->mu, false};
    double radius = 0, wish = 0, speed = 0;
    if (c->ntangent > 0) {
      double gt = crd_coulomb_mean_diagonal(problem, f.row, f.count);
      radius = c->mu * gt * p[c->row];
      double error[2] = {0, 0};
      for (int t = 0; t < c->ntangent; t++) error[t] = gt * p[f.row + t] - u[f.row + t];
      wish = length_of(c->ntangent, error), speed = length_of(c->ntangent, u + f.row);
    }
    mode[i] = speed > negligible && (c->slides || wish > radius) ? CRD_MODE_SLIP : CRD_MODE_STICK;
  }
}

void crd_coulomb_modes(const crd_coulomb_problem *problem, const double *p, const double *u, crd_mode *mode) {
  crd_coulomb_measures measures = {.whole = {crd_coulomb_scale(problem), problem->velocity, 1}};
  crd_coulomb_modes_by(problem, &measures, NULL, NULL, p, u, mode);
}
