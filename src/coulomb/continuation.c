/* The continuation that leads to a solution where Newton's method from the guess does not. Coulomb's law is smoothed
 * and lifted by a parameter t (smoothed_law.c), which goes from the middle of all laws down to the problem, t = 0.
 *
 *   descend    t falls with every step, by Mehrotra's predictor and corrector, far from the curve where that is
 *              quicker: some 8 to 15 factorisations. Needs no guess, and redundant contacts do not disturb it
 *   follow     the curve itself by its length: a step along the tangent, then Newton's method across it. It may turn
 *              back, t growing for a while, where contacts with large coefficients jam; the side to which the tangent
 *              points is told by the determinant of the equations, which changes its sign where t turns [Allgower and
 *              Georg 1990, 2.1]
 *
 * A curve that starts high has d > 0 at every normal and little else. It is what Lemke's pivots follow, with round
 * cones, and ends at a solution or at infinity: in a product with x the frictions only dissipate,
 *
 *   x'A x + x'b + t x'd <= (number of laws) m,
 *
 * so x is bounded while t > 0 unless x' b < 0 for impulses within the cones that move nothing (A x = 0), and such a
 * self-stress b must contradict: contacts closing on both sides, or targets that no motion meets without sliding.
 *
 * Near the end rounding leaves half the digits; Newton's method on the natural map gives the rest (newton.c).
 */
#include <math.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "coulomb/smoothed_law.h"

/* Starts: normal impulses, of the largest of the guess (descend) or of the velocities (follow); t, of the velocities. */
static const double DESCENTS[][2] = {{1, 1}, {1, 10}};
static const double CURVES[][2] = {{0.1, 1}, {1, 1e3}, {0.01, 1e3}};

static const double ASK = 1e-4, ASK_CURVE = 1e-2; /* residual at which Newton's method is asked first, */
static const double ASK_AGAIN = 0.03;             /* and then each time it has gone down by this much */
static const double IMPROVES = 0.9;               /* largest remaining share of the residual after a useful step */
static const double LEAST_SHARE = 1e-8;           /* of a step, which leads nowhere */
enum { STEPS = 50, STALLED = 12 };                /* of a descent */

static const double NEAR = 1.2;       /* factor by which products may miss m on the curve, */
static const double NEARER = 1.1;     /* and after a correction, */
static const double LOST = 1e15;      /* and from which no correction comes back */
static const double DESCEND = 0.9;    /* most of t that a step takes off, */
static const double CORRECT = 0.95;   /* and that a correction does */
static const double TURN = 0.2;       /* least cosine between tangents one step apart */
static const double LONGER = 4;       /* the next step, */
static const double CAREFUL = 1.5;    /* after one that had to be cut, */
static const double SHORTER = 0.3;    /* and the next trial of one that failed */
static const double FAR = 1e4;        /* impulses, of the velocities, and change of t along the curve */
static const double LEVEL = 1e-10;    /* by which a curve that goes to infinity is told */
static const double SHORTEST = 1e-13; /* step, of the velocities, that leads nowhere */
static const double LOWEST = 1e-15;   /* t, of the velocities, below which nothing changes */
enum { ROUNDS = 2000, CORRECTIONS = 4, CUTS = 25, SHARP = 8 };

typedef struct continuation {
  crd_smoothed point;
  double enough, best; /* residuals: wanted, of memory->answer */
  int sign;            /* of the determinant where t falls */
  double tangent_t;    /* of the unit tangent; the rest: memory->tangent and the units */
  double kept_t;       /* of the last point; the rest: memory->kept and the units */
} continuation;

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void keep(continuation *c) {
  crd_memory *m = c->point.m;
  memcpy(m->kept, m->x, sizeof *m->x * (size_t)m->reduced.n);
  for (int u = 0; u < m->reduced.nunit; u++) memcpy(m->smooth[u].kept, m->smooth[u].s, sizeof m->smooth[u].s);
  c->kept_t = c->point.t;
}

static void step_back(continuation *c) {
  crd_memory *m = c->point.m;
  memcpy(m->x, m->kept, sizeof *m->x * (size_t)m->reduced.n);
  for (int u = 0; u < m->reduced.nunit; u++) memcpy(m->smooth[u].s, m->smooth[u].kept, sizeof m->smooth[u].s);
  c->point.t = c->kept_t;
  crd_smoothed_set_velocities(&c->point);
}

/* Of the problem itself, at the point's impulses. */
static double residual_of(const continuation *c) {
  crd_memory *m = c->point.m;
  double norm;
  crd_reduced_velocity(&m->reduced, m->x, m->y0);
  return crd_natural_map(&m->reduced, m->x, m->y0, &norm);
}

/* Newton's method from the point, which has been kept; the continuation goes on from there. True: solved. */
static bool polish(continuation *c) {
  crd_memory *m = c->point.m;
  double target = m->reduced.form == CRD_FORM_SPARSE ? c->enough : CRD_ACCURACY.rounded;
  double residual = crd_coulomb_newton(m, c->point.task, NULL, crd_newton_until(target, c->enough));
  if (residual < c->best) c->best = residual, memcpy(m->answer, m->x, sizeof *m->x * (size_t)m->reduced.n);
  if (residual <= c->enough) return true;
  step_back(c);
  return false;
}

/* ------------------------------------------------------------------------------------------------ descend */

/* Predictor and corrector; false: the matrix is singular, or the step leads nowhere. Terms of second order of a
 * predictor that cannot be gone whole are too large by the same share [Colombo and Gondzio 2008]: whole, they would cut
 * the next steps short. */
static bool step_down(crd_smoothed *p) {
  double now = crd_smoothed_products(p, 0);
  if (!crd_smoothed_factor(p)) return false;
  crd_smoothed_step(p, (crd_smoothed_aim){.keep = 1, .dt = -p->t});
  double reach = crd_smoothed_reach(p), left = fmin(1, crd_greater(0, crd_smoothed_products(p, reach)) / now);
  double center = left * left * left; /* t keeps pace with the products: they would not follow one that runs ahead */
  crd_smoothed_step(p,
                    (crd_smoothed_aim){.target = center * now, .keep = 1, .dt = -(1 - center) * p->t, .second = reach});
  double share = crd_smoothed_reach(p);
  if (!(share > LEAST_SHARE)) return false;
  crd_smoothed_advance(p, share);
  p->task->report->iterations[CRD_COULOMB_INTERIOR]++;
  return true;
}

static bool descend(continuation *c) {
  crd_memory *m = c->point.m;
  double ask = ASK, lowest = INFINITY;
  for (int round = 0, stalled = 0; round < STEPS && stalled < STALLED; round++) {
    double residual = residual_of(c);
    if (!isfinite(residual)) return false;
    stalled = residual < IMPROVES * lowest ? 0 : stalled + 1;
    lowest = fmin(lowest, residual);
    keep(c);
    if (residual <= ask) {
      if (polish(c)) return true;
      ask = ASK_AGAIN * residual;
    }
    if (crd_coulomb_stopped(m, c->point.task)) return false;
    if (!step_down(&c->point)) break;
  }
  return polish(c);
}

/* ------------------------------------------------------------------------------------------------ follow */

/* Derivatives by t along the curve, by the factors of the last equations: dx / dt into x1, ds / dt into rate. */
static void set_rates(crd_smoothed *p) {
  crd_memory *m = p->m;
  crd_smoothed_step(p, (crd_smoothed_aim){.target = p->m0, .dt = 1});
  memcpy(m->x1, m->rhs, sizeof *m->x1 * (size_t)m->reduced.n);
  for (int u = 0; u < m->reduced.nunit; u++) memcpy(m->smooth[u].rate, m->smooth[u].ds, sizeof m->smooth[u].ds);
}

/* A step at the same t becomes one across the tangent. */
static void turn_across(continuation *c) {
  crd_memory *m = c->point.m;
  int n = m->reduced.n;
  double dt = -dot(n, m->tangent, m->rhs) / (c->tangent_t + dot(n, m->tangent, m->x1));
  for (int i = 0; i < n; i++) m->rhs[i] += dt * m->x1[i];
  for (int u = 0; u < m->reduced.nunit; u++)
    for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++) m->smooth[u].ds[k] += dt * m->smooth[u].rate[k];
  crd_smoothed_complete(&c->point, dt);
}

/* Newton's method onto the curve; ends with the rates there, or a step before. False: it does not get there. */
static bool correct(continuation *c) {
  crd_smoothed *p = &c->point;
  for (int k = 0; k <= CORRECTIONS; k++) {
    double far = crd_smoothed_distance(p);
    bool near = far <= (k ? NEARER : NEAR);
    if (near && k > 0) return true;
    if (k == CORRECTIONS || !(far < LOST) || !crd_smoothed_factor(p)) return false;
    set_rates(p);
    if (near) return true;
    crd_smoothed_step(p, (crd_smoothed_aim){.target = p->m0 * p->t, .keep = 1});
    turn_across(c);
    double share = crd_smoothed_reach(p);
    if (share * p->dt < -CORRECT * p->t) share = -CORRECT * p->t / p->dt;
    if (!(share > 0)) return false;
    crd_smoothed_advance(p, share);
  }
  return false;
}

/* The tangent of unit length, on the side where the curve goes on; the point is kept. False: none, or it turns by too
 * much for a step that could be shorter. */
static bool set_tangent(continuation *c, bool first, bool sharp) {
  crd_memory *m = c->point.m;
  int n = m->reduced.n, sign = crd_linear_sign(m, n);
  double along = first ? -1 : c->tangent_t + dot(n, m->tangent, m->x1);
  if (first) c->sign = sign;
  double tangent_t = (sign == c->sign ? -1 : 1) / sqrt(1 + dot(n, m->x1, m->x1));
  if (!isfinite(tangent_t) || !(first || sharp || along * tangent_t > TURN)) return false;
  c->tangent_t = tangent_t;
  for (int i = 0; i < n; i++) m->tangent[i] = tangent_t * m->x1[i];
  for (int u = 0; u < m->reduced.nunit; u++)
    for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++) m->smooth[u].tangent[k] = tangent_t * m->smooth[u].rate[k];
  keep(c);
  return true;
}

/* Along the tangent, at most `length`; returns how far. */
static double step_along(continuation *c, double length) {
  crd_memory *m = c->point.m;
  for (int i = 0; i < m->reduced.n; i++) m->rhs[i] = length * m->tangent[i];
  for (int u = 0; u < m->reduced.nunit; u++)
    for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++) m->smooth[u].ds[k] = length * m->smooth[u].tangent[k];
  crd_smoothed_complete(&c->point, length * c->tangent_t);
  double share = crd_smoothed_reach(&c->point);
  crd_smoothed_advance(&c->point, share);
  return share * length;
}

static bool goes_to_infinity(const continuation *c) {
  const crd_memory *m = c->point.m;
  double largest = 0;
  for (int i = 0; i < m->reduced.n; i++) largest = crd_greater(largest, fabs(m->x[i]));
  return largest > FAR * c->point.speed && fabs(c->tangent_t) < LEVEL;
}

/* Follows the curve from its start to its end. */
static bool follow(continuation *c) {
  crd_smoothed *p = &c->point;
  double ask = ASK_CURVE, length = p->t;
  if (!correct(c) || !set_tangent(c, true, false)) return false;
  for (int round = 0, cuts = 0; round < ROUNDS; round++) {
    if (cuts == 0) {
      double residual = residual_of(c);
      if (residual <= ask) {
        if (polish(c)) return true;
        ask = ASK_AGAIN * residual;
      }
      if (c->tangent_t < 0) length = fmin(length, DESCEND * p->t / -c->tangent_t);
      if (p->t < LOWEST * p->speed || goes_to_infinity(c)) break;
    }
    if (crd_coulomb_stopped(p->m, p->task)) return false;
    length = step_along(c, length);
    if (!(length > SHORTEST * p->speed)) break;
    p->task->report->iterations[CRD_COULOMB_CURVE]++;
    if (correct(c) && set_tangent(c, false, cuts > SHARP)) {
      length *= cuts ? CAREFUL : LONGER, cuts = 0;
    } else {
      if (++cuts > CUTS) break;
      step_back(c);
      length *= SHORTER;
    }
  }
  step_back(c);
  return polish(c);
}

/* ------------------------------------------------------------------------------------------------ both */

/* Impulses as large as those of the guess or, where there is none, as those that would stop everything: a light body
 * under a heavy one carries far more than its own velocity tells. */
static double load_of(crd_memory *m, const crd_task *task, double speed) {
  const crd_reduced *r = &m->reduced;
  double largest = 0;
  for (int i = 0; i < r->ncontact; i++) largest = crd_greater(largest, fabs(m->guess[r->unit[i].row]));
  if (task->options->warm && largest > 0) return crd_greater(largest, speed);
  largest = speed;
  crd_linear_all_rows(m, CRD_ACCURACY.path_first);
  if (!crd_linear_factor(m, task, r->n)) return speed;
  for (int i = 0; i < r->n; i++) m->rhs[i] = -r->b[i];
  crd_linear_solve(m, r->n, m->rhs);
  for (int i = 0; i < r->ncontact; i++) largest = crd_greater(largest, fabs(m->rhs[r->unit[i].row]));
  return largest;
}

static continuation prepare(crd_memory *m, const crd_task *task, double enough) {
  memset(m->answer, 0, sizeof *m->answer * (size_t)m->reduced.n);
  const crd_smoothed point = {.m = m, .task = task, .speed = crd_reduced_speed(&m->reduced)};
  return (continuation){.point = point, .enough = enough, .best = INFINITY};
}

static double conclude(const continuation *c) {
  crd_memory *m = c->point.m;
  memcpy(m->x, m->answer, sizeof *m->x * (size_t)m->reduced.n);
  crd_reduced_velocity(&m->reduced, m->x, m->y);
  return c->best;
}

double crd_coulomb_descend(crd_memory *m, const crd_task *task, double enough) {
  continuation c = prepare(m, task, enough);
  double speed = c.point.speed, load = load_of(m, task, speed);
  bool solved = !(speed > 0);
  for (size_t k = 0; k < sizeof DESCENTS / sizeof *DESCENTS && !solved && !crd_coulomb_stopped(m, task); k++) {
    crd_smoothed_begin(&c.point, DESCENTS[k][0] * load, DESCENTS[k][1] * speed);
    solved = descend(&c) || c.best <= task->options->tolerance;
  }
  return conclude(&c);
}

double crd_coulomb_follow(crd_memory *m, const crd_task *task, double enough) {
  continuation c = prepare(m, task, enough);
  double speed = c.point.speed;
  bool solved = !(speed > 0);
  for (size_t k = 0; k < sizeof CURVES / sizeof *CURVES && !solved && !crd_coulomb_stopped(m, task); k++) {
    crd_smoothed_begin(&c.point, CURVES[k][0] * speed, CURVES[k][1] * speed);
    solved = follow(&c);
  }
  return conclude(&c);
}
