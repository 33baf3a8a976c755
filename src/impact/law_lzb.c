/* lzb: Liu, Zhao and Brogliato, Frictionless multiple impacts in multibody systems I, Proc. R. Soc. A 464 (2008): the
 * normal impulses of all contacts grow together, at rates that follow from the energy each contact has stored.
 *
 *   dp_i / dp_j = (k_i / k_j)^(1 / (eta + 1)) (E_i / E_j)^(eta / (eta + 1)),     u = u_0 + W p
 *   dE_i = -u_i dp_i  while pressed in (u_i < 0),      dE_i = -u_i dp_i / e_i^2  while it opens, until E_i = 0
 *
 * k_i are relative stiffnesses and eta the exponent of force over indentation, 3/2 for bodies that touch in a point
 * (Hertz), 1 for a spring. With E_i = k_i d_i^(eta + 1) / (eta + 1) the law is a differential equation without
 * singularity in the indentations d_i:
 *
 *   p_i' = k_i d_i^eta,     d_i' = -u_i  (u_i < 0),     d_i' = -u_i / e_i^2  (u_i > 0).
 *
 * A common factor of all k_i only changes the unit of time.
 *
 * e = 0 is the limit of small e. What a contact has stored when it stops closing is then lost at once, under the
 * force f that the other contacts press it with (f = -sum_j W_ij p_j' / W_ii): d'' = -(W_ii / e^2) (k d^eta - f) keeps
 *
 *   V(d) = k d^(eta + 1) / (eta + 1) - f d,
 *
 * so that it closes again from the smaller root of V(d) = V(d before), or has opened where V(d before) >= 0.
 *
 * Energy: bodies and stores together lose (1 - e_i^2) of what a contact returns, so none is gained for e <= 1. Bilateral
 * rows are eliminated. Tangents take no part. Integrated by a Dormand-Prince pair to 1e-12 between the events.
 */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "impact/dormand_prince.h"
#include "impact/impact.h"
#include "impact/laws.h"
#include "impact/oblique.h"
#include "linalg/dense.h"

static const double LOCATED = 1e-16;        /* of the step: an instant is not known better */
static const double LEAST_SHARE = 0.2;      /* of the step that a rejected one leaves at least */
static const double SAFETY = 0.9;           /* below the step that the error asks for */
static const double ORDER_INVERSE = 0.2;    /* 1/5: the error of the pair goes with h^5 */
static const double MOST_SHARE = 5;         /* of an accepted step: the next one is at most this long */
static const double NO_ERROR = 1e-10;       /* of the tolerance: smaller errors count as this one */
static const double FIRST_STEP = 1e-3;      /* of the time in which the problem's units of impulse and velocity arise */
static const double NOT_FINITE_SHARE = 0.1; /* of a step that left the numbers */

/* Steps (2 us each with four contacts) before the impact is given up, and between two looks at options->stop. */
enum { STEP_LIMIT = 500000, STEPS_BETWEEN_LOOKS = 1024, HALVINGS = 60 };
static const double STEP_TOLERANCE = 1e-14;
/* Of the problem's velocities: slower approaches, and smaller changes by the stores, count as none. Rebounds may come
 * ever faster, so that without it an impact may go on in what its steps leave of rounding, 1e-12 after some thousands. */
static const double AT_REST = 1e-11;

typedef enum phase { CLOSING, OPENING, OPEN } phase;

/* The state x is u (n), d (n), p (n), n contacts; units: the problem's scales of velocity and impulse are 1. */
typedef struct chain {
  int n;
  const double *W; /* n x n */
  const double *e, *k;
  double eta;
  phase *phase;
  double *force;                               /* n: p' */
  double *x, *next, *trial, *slope[DP_STAGES]; /* 3 n each */
  double tolerance;                            /* of velocities */
} chain;

static double elastic_force(const chain *c, int i, double d) { return d > 0 ? c->k[i] * pow(d, c->eta) : 0; }

static void forces(const chain *c, const double *x) {
  for (int i = 0; i < c->n; i++) c->force[i] = c->phase[i] == OPEN ? 0 : elastic_force(c, i, x[c->n + i]);
}

static void slope(const chain *c, const double *x, double *dx) {
  forces(c, x);
  for (int i = 0; i < c->n; i++) {
    double u = x[i], e = c->e[i];
    dx[i] = crd_dense_dot(c->n, c->W + (size_t)c->n * (size_t)i, c->force);
    dx[c->n + i] = c->phase[i] == CLOSING ? -u : c->phase[i] == OPENING ? -u / (e * e) : 0;
    dx[2 * c->n + i] = c->force[i];
  }
}

/* One Dormand-Prince step of length h from c->x to `out`; returns the largest error of the embedded pair, in units of the
 * problem. */
static double step(const chain *c, double h, double *out) {
  for (int stage = 0; stage < DP_STAGES; stage++) {
    for (int i = 0; i < 3 * c->n; i++) {
      out[i] = c->x[i];
      for (int j = 0; j < stage; j++) out[i] += h * DP_A[stage][j] * c->slope[j][i];
    }
    slope(c, out, c->slope[stage]);
  }
  double error = 0;
  for (int i = 0; i < 3 * c->n; i++) {
    double sum = 0;
    for (int j = 0; j < DP_STAGES; j++) sum += h * DP_ERROR[j] * c->slope[j][i];
    error = fmax(error, fabs(sum));
  }
  return error;
}

/* Positive once the phase of contact i is over at state x. */
static double phase_end(const chain *c, int i, const double *x) {
  double u = x[i], d = x[c->n + i];
  switch (c->phase[i]) {
    case CLOSING: return u - c->tolerance;
    case OPENING: return fmax(-u - c->tolerance, -d);
    default: return -u - c->tolerance;
  }
}

static bool any_end(const chain *c, const double *x) {
  for (int i = 0; i < c->n; i++)
    if (phase_end(c, i, x) > 0) return true;
  return false;
}

/* The indentation from which a contact without restitution closes again; 0: it has opened. */
static double indentation_kept(const chain *c, int i) {
  const double *row = c->W + (size_t)c->n * (size_t)i;
  double d = c->x[c->n + i], k = c->k[i], eta = c->eta;
  double pressed = c->force[i] - crd_dense_dot(c->n, row, c->force) / row[i];
  double V = k * pow(d, eta + 1) / (eta + 1) - pressed * d;
  if (!(V < 0)) return 0;
  double low = 0, high = fmin(d, pow(pressed / k, 1 / eta)); /* V(low) = 0, V(high) is least */
  for (int h = 0; h < HALVINGS; h++) {
    double middle = 0.5 * (low + high);
    if (k * pow(middle, eta + 1) / (eta + 1) - pressed * middle > V)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The phases that follow those which are over at c->x; contacts that change together do so from the same forces. */
static void change_phases(chain *c) {
  double *u = c->x, *d = c->x + c->n;
  forces(c, c->x);
  for (int i = 0; i < c->n; i++) {
    if (!(phase_end(c, i, c->x) > 0)) continue;
    switch (c->phase[i]) {
      case CLOSING:
        if (c->e[i] > 0 && d[i] > 0) {
          c->phase[i] = OPENING;
          break;
        }
        d[i] = d[i] > 0 ? indentation_kept(c, i) : 0;
        if (d[i] > 0)
          u[i] = 0;
        else
          c->phase[i] = OPEN;
        break;
      case OPENING:
        c->phase[i] = u[i] > 0 ? OPEN : CLOSING;
        if (c->phase[i] == OPEN) d[i] = 0;
        break;
      default: c->phase[i] = CLOSING;
    }
  }
}

/* No contact approaches, and the stores E can no longer change a velocity: |du_i| <= sqrt(2 E W_ii). */
static bool is_over(const chain *c) {
  double stored = 0, softest = 0;
  for (int i = 0; i < c->n; i++) {
    if (c->x[i] < -AT_REST) return false;
    double d = c->phase[i] == OPEN ? 0 : fmax(c->x[c->n + i], 0);
    stored += c->k[i] * pow(d, c->eta + 1) / (c->eta + 1);
    softest = fmax(softest, c->W[(size_t)(c->n + 1) * (size_t)i]);
  }
  return sqrt(2 * stored * softest) <= AT_REST;
}

/* Shortens the step of length h to c->next so that it ends just behind the first event. */
static void locate_event(chain *c, double h) {
  double low = 0, high = h;
  for (int i = 0; i < HALVINGS && high - low > LOCATED * h; i++) {
    double middle = 0.5 * (low + high);
    step(c, middle, c->trial);
    if (!any_end(c, c->trial)) {
      low = middle;
      continue;
    }
    high = middle;
    memcpy(c->next, c->trial, 3 * (size_t)c->n * sizeof *c->next);
  }
}

static crd_status integrate(chain *c, const crd_impact_options *options) {
  double h = FIRST_STEP;
  for (int i = 0; i < c->n; i++) c->phase[i] = c->x[i] > c->tolerance ? OPEN : CLOSING;
  for (int k = 0; k < STEP_LIMIT; k++) {
    if (is_over(c)) return CRD_OK;
    if (k % STEPS_BETWEEN_LOOKS == 0 && (crd_interrupted() || (options->stop && options->stop(options->context))))
      break;
    double error = step(c, h, c->next) / STEP_TOLERANCE;
    if (!(error <= 1)) {
      h *= isfinite(error) ? fmax(LEAST_SHARE, SAFETY * pow(error, -ORDER_INVERSE)) : NOT_FINITE_SHARE;
      continue;
    }
    bool event = any_end(c, c->next);
    if (event) locate_event(c, h);
    memcpy(c->x, c->next, 3 * (size_t)c->n * sizeof *c->x);
    if (event)
      change_phases(c);
    else
      h *= fmin(MOST_SHARE, SAFETY * pow(fmax(error, NO_ERROR), -ORDER_INVERSE));
  }
  return CRD_LIMIT;
}

static bool allocate(chain *c, crd_impact_result *result) {
  size_t n = (size_t)c->n;
  bool all = !CRD_TAKE(&result->arena, CRD_ARRAY(c->phase, n), CRD_ARRAY(c->force, n), CRD_ARRAY(c->x, 3 * n),
                       CRD_ARRAY(c->next, 3 * n), CRD_ARRAY(c->trial, 3 * n));
  for (int s = 0; s < DP_STAGES; s++) all = (c->slope[s] = crd_impact_scratch(result, 3 * n)) && all;
  return all;
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  size_t n = (size_t)problem->nc;
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double *W, *e, *k;
  if (CRD_TAKE(&result->arena, CRD_MATRIX(W, n, n), CRD_ARRAY(e, n), CRD_ARRAY(k, n))) return CRD_ERR_MEMORY;
  chain c = {.n = problem->nc, .W = W, .e = e, .k = k, .eta = options->exponent, .tolerance = 1e-13};
  if (!allocate(&c, result)) return CRD_ERR_MEMORY;
  if (!(c.eta > 0) || !isfinite(c.eta)) {
    crd_impact_note(result, "exponent of force over indentation: found %g, expected a positive number", c.eta);
    return CRD_ERR_ARGUMENT;
  }
  crd_bilateral reduced;
  crd_status status = crd_bilateral_eliminate(&reduced, problem, &result->arena);
  if (status != CRD_OK) return status;
  size_t nrow = (size_t)problem->nrow;
  for (size_t i = 0; i < n; i++) {
    size_t row = (size_t)problem->contact[i].row;
    c.x[i] = reduced.u_free[row] / scale.velocity;
    e[i] = crd_impact_restitution(problem, options, (int)i), k[i] = options->stiffness ? options->stiffness[i] : 1;
    for (size_t j = 0; j < n; j++)
      W[n * i + j] = reduced.W[nrow * row + (size_t)problem->contact[j].row] * scale.impulse / scale.velocity;
    if (k[i] > 0 && isfinite(k[i])) continue;
    crd_impact_note(result, "stiffness of %s: found %g, expected a positive number", problem->contact[i].name, k[i]);
    return CRD_ERR_ARGUMENT;
  }
  double stiffest = 0;
  for (size_t i = 0; i < n; i++) stiffest = fmax(stiffest, k[i]);
  for (size_t i = 0; i < n; i++) k[i] /= stiffest;
  if (n == 1) /* returns e^2 of the work of compression, u^2 / 2 W, whatever its stiffness */
    c.x[2] = -(1 + e[0]) * fmin(c.x[0], 0) / W[0];
  else
    status = integrate(&c, options);
  if (status != CRD_OK) {
    crd_impact_note(result, "the impact does not end: %s", crd_status_text(status));
    return status;
  }
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) solution->p[problem->contact[i].row] = c.x[2 * n + i] * scale.impulse;
  crd_bilateral_impulses(&reduced, problem, solution->p);
  return CRD_OK;
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  (void)options;
  return crd_impact_violation(problem, p);
}

const crd_impact_law crd_law_lzb = {
    .name = "lzb",
    .title = "energy distributed between the contacts, frictionless",
    .source = "Liu, Zhao & Brogliato 2008",
    .dissipative = true,
    .resolve = resolve,
    .residual = residual,
};
