/* The one judge of all methods: the natural map of the problem on the round cones, in velocities [Alart and Curnier
 * 1991], stated in cradle/coulomb.h. Cost: one product with G. */
#include <math.h>

#include "coulomb/problem.h"

typedef struct judge {
  const crd_coulomb_problem *problem;
  crd_coulomb_residual_parts *parts;
} judge;

static void note(judge *j, double *part, double error, int row) {
  error /= j->parts->scale;
  if (error > *part) *part = error;
  if (error > j->parts->worst) j->parts->worst = error, j->parts->row = row;
}

/* What the rows of a friction have in common, whichever way its tangents point. */
static double mean_diagonal(const crd_coulomb_problem *problem, const crd_coulomb_friction *f) {
  double sum = 0;
  for (int t = 0; t < f->count; t++) sum += crd_coulomb_diagonal(problem, f->row + t);
  return sum / f->count;
}

/* | g p - P(g p - u) | */
static double friction_error(const crd_coulomb_problem *problem, const crd_coulomb_friction *f, double pn,
                             const double *p, const double *u) {
  double g = mean_diagonal(problem, f), radius = f->mu * g * fmax(0, pn), wish[2], length = 0, error = 0;
  for (int t = 0; t < f->count; t++) wish[t] = g * p[f->row + t] - u[f->row + t], length = hypot(length, wish[t]);
  for (int t = 0; t < f->count; t++)
    error = hypot(error, g * p[f->row + t] - (length > radius ? wish[t] * (radius / length) : wish[t]));
  return error;
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
  double wish = fmin(fmax(gp - u[b->row], g * b->lower), g * b->upper);
  note(j, &j->parts->bounded, fabs(wish - gp), b->row);
}

static crd_status judge_all(const crd_coulomb_problem *problem, const double *p, const double *u,
                            crd_coulomb_residual_parts *parts) {
  judge j = {.problem = problem, .parts = parts};
  *parts = (crd_coulomb_residual_parts){.row = -1, .scale = crd_coulomb_scale(problem)};
  for (int i = 0; i < problem->n; i++) {
    if (isfinite(p[i]) && isfinite(u[i])) continue; /* which fmax would pass over */
    parts->worst = INFINITY, parts->row = i;
    return CRD_ERR_NUMBER;
  }
  for (int i = 0; i < problem->ncontact; i++) judge_contact(&j, &problem->contact[i], p, u);
  for (int i = 0; i < problem->nbilateral; i++) {
    int row = problem->bilateral[i];
    double error = fabs(u[row]);
    if (error > CRD_COULOMB_BILATERAL * problem->velocity) note(&j, &parts->bilateral, error, row);
  }
  for (int i = 0; i < problem->nbounded; i++) judge_bounded(&j, &problem->bounded[i], p, u);
  return CRD_OK;
}

crd_status crd_coulomb_residual(const crd_coulomb_problem *problem, const double *p, double *u,
                                crd_coulomb_residual_parts *parts) {
  double rounding = crd_coulomb_rounding(problem, p, u);
  crd_coulomb_velocity(problem, p, u);
  crd_status status = judge_all(problem, p, u, parts);
  parts->rounding = rounding / parts->scale;
  return status;
}

void crd_coulomb_modes(const crd_coulomb_problem *problem, const double *p, const double *u, crd_mode *mode) {
  double negligible = 1e-10 * crd_coulomb_scale(problem);
  for (int i = 0; i < problem->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[i];
    double g = crd_coulomb_diagonal(problem, c->row), un = u[c->row] - c->target;
    if (g * p[c->row] <= fmax(un, 0)) {
      mode[i] = un > negligible ? CRD_MODE_SEPARATE : CRD_MODE_NONE;
      continue;
    }
    crd_coulomb_friction f = {c->row + 1, c->ntangent, c->mu};
    double radius = 0, wish = 0, speed = 0;
    if (c->ntangent > 0) {
      double gt = mean_diagonal(problem, &f);
      radius = c->mu * gt * p[c->row];
      for (int t = 0; t < c->ntangent; t++)
        wish = hypot(wish, gt * p[f.row + t] - u[f.row + t]), speed = hypot(speed, u[f.row + t]);
    }
    mode[i] = speed > negligible && (c->slides || wish > radius) ? CRD_MODE_SLIP : CRD_MODE_STICK;
  }
}
