#include "support/coulomb_campaign.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- laws */

static bool chance(random_stream *stream, double share) { return random_in(stream, 0, 1) < share; }

static double log_random(random_stream *stream, double low, double high) {
  return exp(random_in(stream, log(low), log(high)));
}

static double coefficient(random_stream *stream, double largest) {
  double kind = random_in(stream, 0, 1);
  return kind < 0.1 ? 0 : kind < 0.2 ? largest : log_random(stream, fmin(0.01, largest), largest);
}

/* p_f and u_f of one friction under the load p_n: sticks within the cone, at its limit, or slips. */
static void choose_friction(known_problem *k, random_stream *stream, const known_options *o, int row, int count,
                            double mu, double pn) {
  double angle = random_in(stream, 0, 2 * acos(-1)), d[2] = {cos(angle), sin(angle)}, speed = 0, share = 1;
  if (count == 1) d[0] = chance(stream, 0.5) ? 1 : -1;
  bool sticks = pn > 0 && mu > 0 && chance(stream, 0.6);
  if (!sticks) speed = random_in(stream, 0.05, 1);
  if (sticks && !(o->degenerate && chance(stream, 0.3))) share = random_in(stream, 0, fmin(0.95, 20 / mu));
  for (int t = 0; t < count; t++) {
    k->p[row + t] = -share * mu * pn * d[t];
    k->u[row + t] = speed * d[t];
  }
}

static void choose_contact(known_problem *k, random_stream *stream, const known_options *o, int row) {
  crd_coulomb_contact *c = &k->contact[k->problem.ncontact++];
  *c = (crd_coulomb_contact){.row = row, .ntangent = o->frictionless ? 0 : random_int(stream, 1, 2)};
  if (o->spin && !o->frictionless) c->nspin = random_int(stream, 0, 1), c->nroll = random_int(stream, 0, 2);
  c->mu = coefficient(stream, o->mu);
  c->mu_spin = c->nspin ? 0.1 * coefficient(stream, o->mu) : 0;
  c->mu_roll = c->nroll ? 0.1 * coefficient(stream, o->mu) : 0;
  c->target = chance(stream, 0.2) ? random_in(stream, -1, 1) : 0;
  double kind = random_in(stream, 0, 1), pn = 0, above = 0;
  if (kind < 0.25)
    above = random_in(stream, 0.05, 1);
  else if (!(o->degenerate && kind < 0.4))
    pn = log_random(stream, 0.05, 5);
  k->p[row] = pn, k->u[row] = c->target + above;
  if (o->slides && !o->frictionless && chance(stream, 0.3)) {
    double angle = random_in(stream, 0, 6);
    c->slides = true;
    c->mu = fmin(c->mu, 0.3); /* friction that presses harder than it is pressed is a matter of its own (Painleve) */
    c->slide[0] = c->ntangent == 1 ? 1 : cos(angle), c->slide[1] = c->ntangent == 1 ? 0 : sin(angle);
    for (int t = 0; t < c->ntangent; t++)
      k->p[row + 1 + t] = -c->mu * pn * c->slide[t], k->u[row + 1 + t] = random_in(stream, -1, 1);
  } else if (c->ntangent > 0) {
    choose_friction(k, stream, o, row + 1, c->ntangent, c->mu, pn);
  }
  int next = row + 1 + c->ntangent;
  if (c->nspin) choose_friction(k, stream, o, next, 1, c->mu_spin, pn);
  if (c->nroll) choose_friction(k, stream, o, next + c->nspin, c->nroll, c->mu_roll, pn);
}

static void choose_bounded(known_problem *k, random_stream *stream, const known_options *o, int row) {
  crd_coulomb_bounded *b = &k->bounded[k->problem.nbounded++];
  double kind = random_in(stream, 0, 1), speed = o->degenerate && chance(stream, 0.3) ? 0 : random_in(stream, 0.05, 1);
  *b = (crd_coulomb_bounded){row, -log_random(stream, 0.05, 5), log_random(stream, 0.05, 5)};
  if (chance(stream, 0.1)) b->upper = b->lower;
  k->p[row] = kind < 0.3 ? b->lower : kind < 0.6 ? b->upper : random_in(stream, b->lower, b->upper);
  k->u[row] = kind < 0.3 ? speed : kind < 0.6 ? -speed : 0;
  if (kind >= 0.3 && b->upper > b->lower && chance(stream, 0.2)) b->lower = -INFINITY;
  if ((kind < 0.3 || kind >= 0.6) && b->upper > b->lower && chance(stream, 0.2)) b->upper = INFINITY;
}

/* ------------------------------------------------------------------------------------------- the mechanism */

static int rows_of(const crd_coulomb_contact *c) { return 1 + c->ntangent + c->nspin + c->nroll; }

/* A contact of the same kind at the same place: the same rows, the same velocity; it may carry another share. */
static void repeat_contact(known_problem *k, random_stream *stream, int from, int to) {
  const crd_coulomb_contact *a = &k->contact[from], *b = &k->contact[to];
  if (a->ntangent != b->ntangent || a->nspin != b->nspin || a->nroll != b->nroll) return;
  int row = b->row;
  double share = chance(stream, 0.5) ? 1 : random_in(stream, 0.1, 2);
  k->contact[to] = *a, k->contact[to].row = row;
  for (int i = 0; i < rows_of(a); i++) {
    k->p[row + i] = share * k->p[a->row + i], k->u[row + i] = k->u[a->row + i];
    memcpy(k->J + k->nv * (row + i), k->J + k->nv * (a->row + i), sizeof *k->J * (size_t)k->nv);
  }
}

static void set_mechanism(known_problem *k, random_stream *stream, const known_options *o) {
  int n = k->problem.n;
  double v[KNOWN_VELOCITIES], mass[KNOWN_VELOCITIES], square = 0;
  k->nv = o->redundant ? random_int(stream, n > 6 ? 3 : 1, n) : n + random_int(stream, 0, 4);
  for (int i = 0; i < k->nv; i++) {
    v[i] = random_in(stream, 0.2, 1) * (chance(stream, 0.5) ? 1 : -1), square += v[i] * v[i];
    mass[i] = log_random(stream, 1 / sqrt(o->mass_ratio), sqrt(o->mass_ratio));
  }
  for (int i = 0; i < n; i++) {
    double *row = k->J + k->nv * i, along = 0;
    for (int j = 0; j < k->nv; j++) row[j] = random_in(stream, -1, 1), along += row[j] * v[j];
    for (int j = 0; j < k->nv && !o->foreign; j++) row[j] += (k->u[i] - along) / square * v[j];
  }
  for (int c = 1; c < k->problem.ncontact && o->redundant; c++)
    if (chance(stream, 0.3)) repeat_contact(k, stream, random_int(stream, 0, c - 1), c);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k->nv; j++) k->X[k->nv * i + j] = k->J[k->nv * i + j] / mass[j];
}

/* G rounded once, symmetric to the bit; w = u - G p for this G. */
static void set_matrix(known_problem *k) {
  int n = k->problem.n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      long double sum = 0;
      for (int v = 0; v < k->nv; v++) sum += (long double)k->J[k->nv * i + v] * k->X[k->nv * j + v];
      k->G[n * i + j] = k->G[n * j + i] = (double)sum;
    }
  for (int i = 0; i < n; i++) {
    long double sum = k->u[i];
    for (int j = 0; j < n; j++) sum -= (long double)k->G[n * i + j] * k->p[j];
    k->w[i] = (double)sum;
  }
}

void known_problem_own(known_problem *k) {
  k->problem.w = k->w, k->problem.contact = k->contact, k->problem.bilateral = k->bilateral;
  k->problem.bounded = k->bounded, k->problem.G = k->G;
}

void known_problem_make(known_problem *k, random_stream *stream, const known_options *o) {
  memset(k, 0, sizeof *k);
  int count = random_int(stream, 1, o->contacts < KNOWN_CONTACTS ? o->contacts : KNOWN_CONTACTS), row = 0;
  for (int c = 0; c < count; c++) {
    choose_contact(k, stream, o, row);
    row += rows_of(&k->contact[c]);
  }
  int bilateral = o->others ? random_int(stream, 0, 4) : 0, bounded = o->others ? random_int(stream, 0, 4) : 0;
  for (int i = 0; i < bilateral; i++) {
    k->bilateral[k->problem.nbilateral++] = row;
    k->p[row++] = random_in(stream, -2, 2);
  }
  for (int i = 0; i < bounded; i++) choose_bounded(k, stream, o, row++);
  k->problem.n = row;
  known_problem_own(k);
  set_mechanism(k, stream, o);
  set_matrix(k);
  crd_coulomb_modes(&k->problem, k->p, k->u, k->mode);
}

/* ------------------------------------------------------------------------------------------- the residual */

static long double diagonal(const crd_coulomb_problem *problem, int row) {
  return problem->G[(size_t)(problem->n + 1) * (size_t)row];
}

static long double friction_error(const crd_coulomb_problem *problem, const double *p, const long double *u, int row,
                                  int count, long double mu, long double pn) {
  long double g = 0, z[2] = {0, 0}, length = 0, error = 0;
  for (int t = 0; t < count; t++) g += diagonal(problem, row + t) / count;
  for (int t = 0; t < count; t++) z[t] = g * p[row + t] - u[row + t], length += z[t] * z[t];
  length = sqrtl(length);
  long double radius = mu * g * (pn > 0 ? pn : 0), shrink = length > radius ? radius / length : 1;
  for (int t = 0; t < count; t++) error += (g * p[row + t] - shrink * z[t]) * (g * p[row + t] - shrink * z[t]);
  return sqrtl(error);
}

/* m per rad of rows that turn */
static long double length_of(const crd_coulomb_problem *problem, const crd_coulomb_contact *c, int row, int count) {
  long double turn = 0;
  for (int t = 0; t < count; t++) turn += diagonal(problem, row + t) / count;
  long double square = turn > 0 ? diagonal(problem, c->row) / turn : 0;
  return square > 1e-28L && square < 1e28L ? sqrtl(square) : 1; /* beyond: rounding of a row that cannot move */
}

static long double contact_error(const crd_coulomb_problem *problem, const crd_coulomb_contact *c, const double *p,
                                 const long double *u) {
  long double pn = p[c->row], worst = fabsl(fminl(diagonal(problem, c->row) * pn, u[c->row] - c->target));
  int row = c->row + 1;
  if (c->slides)
    for (int t = 0; t < c->ntangent; t++)
      worst = fmaxl(worst, fabsl(diagonal(problem, row + t) * (p[row + t] + (long double)c->mu * pn * c->slide[t])));
  else if (c->ntangent)
    worst = fmaxl(worst, friction_error(problem, p, u, row, c->ntangent, c->mu, pn));
  row += c->ntangent;
  const int count[2] = {c->nspin, c->nroll};
  const double mu[2] = {c->mu_spin, c->mu_roll};
  for (int k = 0; k < 2; row += count[k++])
    if (count[k] > 0) {
      long double error = friction_error(problem, p, u, row, count[k], mu[k], pn);
      worst = fmaxl(worst, length_of(problem, c, row, count[k]) * error);
    }
  return worst;
}

/* Largest of the contact's velocities without impulses, m/s. */
static long double contact_speed(const crd_coulomb_problem *problem, const crd_coulomb_contact *c) {
  const int count[3] = {1 + c->ntangent, c->nspin, c->nroll};
  long double fastest = 0;
  for (int k = 0, row = c->row; k < 3; row += count[k++])
    for (int t = 0; t < count[k]; t++)
      fastest = fmaxl(fastest, (k ? length_of(problem, c, row, count[k]) : 1) * fabs(problem->w[row + t]));
  return fastest;
}

long double known_residual(const crd_coulomb_problem *problem, const double *p) {
  long double u[KNOWN_ROWS], scale = 1e-6L * problem->velocity, worst = 0;
  for (int i = 0; i < problem->n; i++) {
    u[i] = problem->w[i];
    for (int j = 0; j < problem->n; j++) u[i] += (long double)problem->G[problem->n * i + j] * p[j];
    if (!isfinite(u[i])) return INFINITY;
  }
  for (int i = 0; i < problem->ncontact; i++) {
    scale = fmaxl(scale, fmaxl(fabs(problem->contact[i].target), contact_speed(problem, &problem->contact[i])));
    worst = fmaxl(worst, contact_error(problem, &problem->contact[i], p, u));
  }
  for (int i = 0; i < problem->nbilateral; i++) {
    long double error = fabsl(u[problem->bilateral[i]]);
    scale = fmaxl(scale, fabs(problem->w[problem->bilateral[i]]));
    if (error > 1e-8L * problem->velocity) worst = fmaxl(worst, error);
  }
  for (int i = 0; i < problem->nbounded; i++) {
    const crd_coulomb_bounded *b = &problem->bounded[i];
    long double g = diagonal(problem, b->row), gp = g * p[b->row], wish = gp - u[b->row];
    wish = fminl(fmaxl(wish, g * b->lower), g * b->upper);
    scale = fmaxl(scale, fabs(problem->w[b->row]));
    worst = fmaxl(worst, fabsl(wish - gp));
  }
  return worst / (scale > 0 ? scale : 1);
}
