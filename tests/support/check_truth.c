#include "support/check_truth.h"

#include <cradle/outcome.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/acceleration_rows.h"
#include "analysis/without.h"
#include "linalg/dense.h"
#include "sim/event_modes.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

enum { MAX_NV = 8, MAX_ROWS = 16, MAX_NC = 4 };

typedef enum kind { APPROACHING, MIXED, RESTING, SLIDING, GRAZING, KINDS } kind;

typedef struct drawn {
  int number;
  kind kind;
  bool held; /* the last contact's normal is a combination of the bilateral rows */
  bool redundant;
  crd_contact_problem *problem;
} drawn;

/* ------------------------------------------------------------------------------------------------ problems */

/* Adds M^-1 J_i' p_i to v so that the rows move at `u`: the nearest such velocity, where rows are dependent the one that
 * comes closest. Returns the number of independent rows. Refined once: the rows' inverse may cost ten digits. */
static int set_rows(crd_contact_problem *p, int count, const int *row, const double *u) {
  double A[MAX_ROWS * MAX_ROWS], inverse[MAX_ROWS * MAX_ROWS], *work = new_vector(4000), missing[MAX_ROWS];
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) A[count * i + j] = p->W[(p->nrow + p->nb) * row[i] + row[j]];
  assert_true(crd_dense_pseudo_inverse_work(count, count) <= 4000);
  int rank = crd_dense_pseudo_inverse(count, count, A, 1e-12, inverse, work);
  assert_true(rank >= 0);
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < count; j++) missing[j] = u[j] - crd_dense_dot(p->nv, p->J + p->nv * row[j], p->v);
    for (int i = 0; i < count; i++) {
      double impulse = crd_dense_dot(count, inverse + count * i, missing);
      for (int l = 0; l < p->nv; l++) p->v[l] += p->X[p->nv * row[i] + l] * impulse;
    }
  }
  free(work);
  return rank;
}

/* Normal velocities by kind, bilateral rows at rest; tangents as they come, or at rest too. */
static void set_velocity(drawn *d, random_stream *stream) {
  crd_contact_problem *p = d->problem;
  int row[MAX_ROWS], count = 0;
  double u[MAX_ROWS] = {0};
  random_vector(stream, p->nv, p->v);
  for (int c = 0; c < p->nc; c++) {
    const crd_contact *contact = &p->contact[c];
    if (d->held && c == p->nc - 1) continue; /* moves with the bilateral rows */
    if (d->kind == APPROACHING) u[count] = -random_in(stream, 0.1, 1);
    if (d->kind == MIXED) u[count] = random_in(stream, -1, 1);
    row[count++] = contact->row;
    bool still = d->kind == RESTING && random_in(stream, 0, 1) < 0.8;
    for (int t = 1; t <= contact->ntangent && still; t++) u[count] = 0, row[count++] = contact->row + t;
  }
  for (int b = 0; b < p->nb; b++) u[count] = 0, row[count++] = p->nrow + b;
  if (d->kind == RESTING && random_in(stream, 0, 1) < 0.3) memset(p->v, 0, sizeof *p->v * (size_t)p->nv);
  int rank = set_rows(p, count, row, u);
  if (rank == p->nv && max_abs(u, count) == 0)
    memset(p->v, 0, sizeof *p->v * (size_t)p->nv); /* else rounding is left */
  if (p->nb > 0)
    set_rows(p, p->nb, row + count - p->nb, u + count - p->nb); /* more rows than velocities: the bilateral ones hold */
}

static void scale_problem(drawn *d, random_stream *stream) {
  crd_contact_problem *p = d->problem;
  double mass = pow(10, random_int(stream, -9, 9)), length = pow(10, random_int(stream, -9, 9)),
         speed = pow(10, random_int(stream, -9, 9));
  if (random_in(stream, 0, 1) < 0.3) mass = length = speed = 1;
  for (int i = 0; i < p->nv * p->nv; i++) p->M[i] *= mass;
  for (int i = 0; i < p->nv * (p->nrow + p->nb); i++) p->J[i] *= length;
  for (int i = 0; i < p->nv; i++) p->v[i] *= speed;
}

static drawn draw(random_stream *stream, int number) {
  drawn d = {.number = number, .kind = number % KINDS};
  random_problem_options o = {.nc = random_int(stream, 1, MAX_NC), .ntangent = random_int(stream, 0, 2)};
  o.nb = random_in(stream, 0, 1) < 0.3 ? random_int(stream, 1, 2) : 0;
  if (o.ntangent == 2 && o.nc > 3) o.nc = 3;
  d.held = o.nb > 0 && random_in(stream, 0, 1) < 0.4;
  d.redundant = o.redundant = random_in(stream, 0, 1) < 0.25;
  o.nv = random_int(stream, 2, 5) + o.nb;
  crd_contact_problem *p = d.problem = random_problem(stream, o);
  for (int c = 0; c < p->nc; c++) {
    p->contact[c].e = random_int(stream, 0, 3) ? random_in(stream, 0, 1) : 0;
    p->contact[c].mu = p->contact[c].mu_static = random_int(stream, 0, 4) ? random_in(stream, 0, 1.5) : 0;
  }
  if (d.held)
    for (int k = 0; k < p->nv; k++) {
      double *n = &p->J[p->nv * p->contact[p->nc - 1].row + k];
      *n = 0;
      for (int b = 0; b < p->nb; b++) *n += (b + 0.7) * p->J[p->nv * (p->nrow + b) + k];
    }
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  set_velocity(&d, stream);
  scale_problem(&d, stream);
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  if (d.kind == GRAZING) /* rounding of either sign on top of a sliding motion */
    for (int k = 0; k < p->nv; k++) p->v[k] *= 1 + random_in(stream, -4e-16, 4e-16);
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  return d;
}

/* ------------------------------------------------------------------------------------------------ confirmations */

static void wrong(const drawn *d, const char *format, ...) CRD_PRINTF(2, 3);
static void wrong(const drawn *d, const char *format, ...) {
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fail_msg("problem %d (kind %d%s%s): %s", d->number, (int)d->kind, d->held ? ", held" : "",
           d->redundant ? ", redundant" : "", text);
}

/* "not hit", "stick, energy -12 %": the law stick-slip says the same of the contact by itself. */
static void confirm_friction(const drawn *d, const crd_check *check, crd_impact_result *result, crd_arena *arena) {
  for (int c = 0; c < check->problem.nc; c++) {
    const crd_friction *f = &check->friction[c];
    bool leave[MAX_NC];
    crd_contact_problem one;
    for (int k = 0; k < check->problem.nc; k++) leave[k] = k != c;
    assert_int_equal(crd_problem_without(&check->problem, leave, &one, arena), CRD_OK);
    crd_impact_options options = crd_impact_default();
    crd_status status = crd_impact_resolve(crd_impact_find("stick-slip"), &one, &options, result);
    if (f->mode == CRD_FRICTION_IMPOSSIBLE) {
      if (status != CRD_NO_SOLUTION) wrong(d, "contact %d is called impossible, the law ends with %d", c, status);
      continue;
    }
    if (status != CRD_OK)
      wrong(d, "contact %d is %s, the law ends with %d", c, crd_analysis_friction_mode_name(f->mode), status);
    bool none = has_note(result, "no contact approaches");
    if (none != (f->mode == CRD_FRICTION_NONE))
      wrong(d, "contact %d is %s, the law says %s", c, crd_analysis_friction_mode_name(f->mode),
            none ? "no approach" : "hit");
    if (crd_contact_problem_approaches(&one, 0) == none && d->problem->kinetic == d->problem->kinetic_free &&
        one.nb == 0)
      wrong(d, "contact %d: approach and law disagree", c);
    if (none) continue;
    if (f->outcomes != result->count)
      wrong(d, "contact %d: %d outcomes, the law has %d", c, f->outcomes, result->count);
    double lost = result->solution[0].kinetic_after - one.kinetic_free, size = fmax(fabs(lost), one.kinetic_free);
    if (fabs(one.kinetic_free - one.kinetic) <= 0 && one.nb == 0 && !(fabs(f->work - lost) <= 1e-8 * size))
      wrong(d, "contact %d: energy %g, the law's %g", c, f->work, lost);
    if (f->admissible && lost > 1e-9 * size) wrong(d, "contact %d is called admissible and gains %g", c, lost / size);
  }
}

/* "the normals alone gain x %": exactly what the law projection does; held contacts are not moved by any law. */
static void confirm_laws(const drawn *d, const crd_check *check, crd_impact_result *result) {
  const crd_contact_problem *p = d->problem;
  crd_impact_options options = crd_impact_default();
  if (crd_impact_resolve(crd_impact_find("projection"), p, &options, result) != CRD_OK) wrong(d, "projection fails");
  double gain = result->solution[0].check.energy_gain;
  if (p->kinetic_free > 0 && !(fabs(check->gain - gain) <= 1e-12))
    wrong(d, "gain %g, projection %g", check->gain, gain);
  if ((check->conflict >= 0) != has_note(result, "conflicting rebounds")) wrong(d, "conflict %d", check->conflict);
  if ((check->nheld > 0 && check->held[check->nheld - 1] == p->nc - 1) != d->held) wrong(d, "held: %d", check->nheld);
  static const char *const LAW[] = {"projection", "newton", "moreau", "poisson", "anitescu-potra", "sequential"};
  bool approaches = false;
  for (int c = 0; c < p->nc; c++) approaches = approaches || crd_contact_problem_approaches(p, c);
  for (size_t i = 0; i < sizeof LAW / sizeof *LAW; i++) {
    if (i == 4) options.max_solutions = 1; /* all of facetted contacts take up to a second */
    crd_status status = crd_impact_resolve(crd_impact_find(LAW[i]), p, &options, result);
    bool may_fail = d->redundant || approaches; /* coefficients that contradict each other */
    if (status != CRD_OK && !may_fail) wrong(d, "%s ends with %d where nothing approaches", LAW[i], status);
    for (int k = 0; status == CRD_OK && k < result->count; k++) {
      const crd_impact_solution *s = &result->solution[k];
      bool conflict = i == 0 && check->conflict >= 0; /* projection then gives the nearest velocities, and says so */
      for (int h = 0; h < check->nheld && !conflict; h++) {
        int row = p->contact[check->held[h]].row;
        if (fabs(s->u_plus[row]) > 1e-7 * crd_contact_problem_speed(p, row))
          wrong(d, "%s moves a held contact", LAW[i]);
      }
      if (!approaches && s->check.energy_gain > 1e-9) wrong(d, "%s gains %g from rest", LAW[i], s->check.energy_gain);
    }
  }
}

/* There is an impact to sample where a contact approaches, and none elsewhere. */
static void confirm_outcomes(const drawn *d) {
  crd_outcome_options options = crd_outcome_default();
  crd_outcome_set set = {0};
  options.samples = 4;
  bool approaches = false;
  for (int c = 0; c < d->problem->nc; c++) approaches = approaches || crd_contact_problem_approaches(d->problem, c);
  assert_int_equal(crd_outcome_sample(d->problem, &options, &set), CRD_OK);
  if ((set.total_lcps > 0) != approaches)
    wrong(d, "outcomes took %llu steps, approach %d", (unsigned long long)set.total_lcps, approaches);
  if (set.ended[CRD_OUTCOME_DONE] && (set.energy_ratio.min < -1e-9 || set.energy_ratio.max > 1 + 1e-9))
    wrong(d, "outcomes have energies %g .. %g", set.energy_ratio.min, set.energy_ratio.max);
  crd_outcome_free(&set);
}

static double gain_at(crd_contact_problem *p, const double *v, crd_impact_result *result) {
  memcpy(p->v, v, sizeof *v * (size_t)p->nv);
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  resolve_with("projection", p, result);
  return result->solution[0].check.energy_gain;
}

/* "no approaching velocity gains energy", "gains up to x %", "admissible up to e". */
static void confirm_restitution(const drawn *d, const crd_check *check, random_stream *stream,
                                crd_impact_result *result, crd_arena *arena) {
  const crd_restitution *r = &check->restitution;
  const crd_worst_velocity *worst = &check->energy.worst;
  int nc = check->problem.nc, nv = check->problem.nv;
  crd_contact_problem *own = crd_contact_problem_new();
  crd_contact_problem view = check->problem;
  assert_int_equal(crd_contact_problem_copy(&view, own), CRD_OK);
  if (worst->status != CRD_OK) wrong(d, "the search of %d contacts was cut short", nc);
  if (worst->gain > 1e-9) {
    double gain = gain_at(own, worst->v, result);
    if (!(fabs(gain - worst->gain) <= 1e-6 * (1 + gain))) wrong(d, "worst gain %g, projection %g", worst->gain, gain);
  }
  for (int k = 0; k < 4; k++) { /* least energy for random approaching velocities */
    double u[MAX_NC], v[MAX_NV] = {0};
    bool approaches = true;
    for (int c = 0; c < nc; c++) u[c] = -random_in(stream, 0, 1) * sqrt(check->quasi.norm[c] * check->quasi.norm[c]);
    for (int j = 0; j < nv; j++)
      for (int c = 0; c < nc; c++) v[j] += r->projection.G[r->projection.rows * j + c] * u[c];
    for (int c = 0; c < nc; c++)
      approaches = approaches && crd_dense_dot(nv, own->J + nv * own->contact[c].row, v) <= 0;
    for (int b = own->nrow; b < own->nrow + own->nb;
         b++) /* the verdict is on velocities that keep the bilateral rows */
      approaches = approaches &&
                   fabs(crd_dense_dot(nv, own->J + nv * b, v)) <= 1e-12 * max_abs(own->J + nv * b, nv) * max_abs(v, nv);
    if (!approaches) continue;
    double gain = gain_at(own, v, result);
    if (gain > fmax(worst->gain, 0) + 1e-8) wrong(d, "gains %g, the verdict allows %g", gain, worst->gain);
  }
  for (int c = 0; c < nc; c++) {
    double low, high, E[MAX_NC * MAX_NC];
    crd_worst_velocity at;
    crd_status status = crd_analysis_restitution_interval(r, check->E, c, CRD_LMI_APPROACHING, &low, &high, arena);
    memcpy(E, check->E, sizeof *E * (size_t)(nc * nc));
    if (status == CRD_NO_SOLUTION) continue;
    assert_int_equal(status, CRD_OK);
    E[c * nc + c] = high;
    assert_int_equal(crd_analysis_restitution_worst(&at, r, E, 100000, arena), CRD_OK);
    if (at.gain > 1e-7) wrong(d, "e = %g is called admissible and gains %g", high, at.gain);
    if (high >= 1) continue;
    E[c * nc + c] = high + 1e-3;
    assert_int_equal(crd_analysis_restitution_worst(&at, r, E, 100000, arena), CRD_OK);
    if (!(at.gain > 0)) wrong(d, "e = %g is called inadmissible, 1e-3 above gains %g", high, at.gain);
  }
  crd_contact_problem_free(own);
}

/* "one contact force for every load": one solution of the LCP; "not": a load with two. Critical friction: D changes. */
static void confirm_wellposed(const drawn *d, const crd_check *check, random_stream *stream) {
  const crd_wellposed *w = &check->wellposed;
  int p = w->p;
  if (p == 0) return;
  crd_lcp_work *work = crd_lcp_work_new(p, 0);
  double b[MAX_NC];
  for (int k = 0; k < 3 && w->p_matrix == CRD_LCP_YES; k++) {
    random_vector(stream, p, b);
    crd_lcp_problem lcp = crd_lcp_dense(p, w->D, b);
    crd_lcp_solutions all = {0};
    crd_status status = crd_lcp_enumerate(work, &lcp, NULL, &all);
    if (status != CRD_OK || all.count != 1 || all.points != 1) wrong(d, "well-posed, and %d forces", all.count);
    crd_lcp_solutions_free(&all);
  }
  crd_lcp_classification c = {0};
  assert_int_equal(crd_lcp_classify(p, w->D, 0, 0, &c), CRD_OK);
  const double *x = c.of[CRD_LCP_P].vector;
  if (w->p_matrix == CRD_LCP_NO && x) { /* x_i (D x)_i <= 0: both its signs solve the LCP of one load */
    double one[MAX_NC], other[MAX_NC], y[MAX_NC], size = 0;
    for (int i = 0; i < p; i++) {
      double Dx = crd_dense_dot(p, w->D + p * i, x);
      one[i] = fmax(x[i], 0), other[i] = fmax(-x[i], 0), y[i] = fmax(Dx, 0), size = fmax(size, fabs(x[i]));
    }
    for (int i = 0; i < p; i++) b[i] = y[i] - crd_dense_dot(p, w->D + p * i, one);
    for (int side = 0; side < 2; side++) {
      const double *z = side ? other : one;
      for (int i = 0; i < p; i++) {
        double slack = b[i] + crd_dense_dot(p, w->D + p * i, z);
        if (slack < -1e-9 * size || fabs(slack * z[i]) > 1e-9 * size * size) wrong(d, "not P, but the evidence fails");
      }
    }
  }
  crd_lcp_classification_free(&c);
  crd_lcp_work_free(work);
}

/* ------------------------------------------------------------------------------------------------ contacts that last */

/* The planar or frictionless problem of accelerations as a plain LCP [Brogliato, (26) with stick]: unknowns lambda_n,
 * and of a contact at rest lambda_t+, lambda_t-, gamma. Accelerations of the rows of one solution; false: none found. */
static bool accelerations_by_lcp(const crd_contact_problem *p, const double *a_free, const bool *slides,
                                 const double *slip, double *a) {
  double A[36 * 36] = {0}, w[36] = {0}, z[36], column[36][MAX_ROWS] = {{0}};
  int n = 0, m = p->nrow + p->nb, first[MAX_NC];
  double unit = 1 / p->W[0]; /* forces as accelerations: one scale for all rows of the LCP */
  for (int c = 0; c < p->nc; c++) {
    const crd_contact *contact = &p->contact[c];
    bool rubs = contact->ntangent == 1 && contact->mu > 0;
    first[c] = n;
    column[n][contact->row] = unit;
    if (rubs && slides[c]) column[n][contact->row + 1] = -contact->mu * slip[2 * c] * unit;
    n++;
    if (!rubs || slides[c]) continue;
    column[n++][contact->row + 1] = unit, column[n++][contact->row + 1] = -unit;
    n++;
  }
  for (int c = 0; c < p->nc; c++) {
    const crd_contact *contact = &p->contact[c];
    int k = first[c], rows = c + 1 < p->nc ? first[c + 1] - k : n - k;
    for (int r = 0; r < rows && r < 3; r++) {
      double sign = r == 2 ? -1 : 1;
      int row = contact->row + (r > 0);
      w[k + r] = sign * a_free[row];
      for (int j = 0; j < n; j++) A[n * (k + r) + j] = sign * crd_dense_dot(m, p->W + m * row, column[j]);
    }
    if (rows < 4) continue;
    A[n * (k + 1) + k + 3] = A[n * (k + 2) + k + 3] = 1;
    A[n * (k + 3) + k] = contact->mu, A[n * (k + 3) + k + 1] = A[n * (k + 3) + k + 2] = -1;
  }
  crd_lcp_problem lcp = crd_lcp_dense(n, A, w);
  crd_lcp_work *work = crd_lcp_work_new(n, 0);
  bool solved = crd_lcp_solve(work, &lcp, NULL, z, NULL) == CRD_OK;
  crd_lcp_work_free(work);
  for (int i = 0; i < m && solved; i++) {
    a[i] = a_free[i];
    for (int j = 0; j < n; j++) a[i] += z[j] * crd_dense_dot(m, p->W + m * i, column[j]);
  }
  return solved;
}

static bool listed(const crd_persistent *persistent, int rows, const double *a, double size) {
  for (int k = 0; k < persistent->count; k++) {
    double apart = 0;
    for (int i = 0; i < rows; i++) apart = fmax(apart, fabs(a[i] - persistent->motion[k].acceleration[i]));
    if (apart <= 1e-6 * size) return true;
  }
  return false;
}

/* Motion none, unique or several: the LCP's solution is listed, and the integrator chooses a listed motion. */
static void confirm_persistent(const drawn *d, const crd_check *check, random_stream *stream, crd_arena *arena,
                               int *seen) {
  const crd_contact_problem *p = d->problem;
  int m = p->nrow + p->nb;
  double qacc[MAX_NV], a_free[MAX_ROWS], slip[2 * MAX_NC] = {0}, a[MAX_ROWS], size = 0;
  double unit = pow(10, random_int(stream, -9, 9));
  bool slides[MAX_NC], parts[MAX_NC];
  random_vector(stream, p->nv, qacc);
  for (int k = 0; k < p->nv; k++) qacc[k] *= unit;
  for (int i = 0; i < m; i++)
    a_free[i] = crd_dense_dot(p->nv, p->J + p->nv * i, qacc), size = fmax(size, fabs(a_free[i]));
  bool held_contact[MAX_NC] = {false};
  for (int h = 0; h < check->nheld; h++) held_contact[check->held[h]] = true;
  const crd_load load = {.qacc = qacc, .a_free = a_free, .held = held_contact};
  crd_persistent persistent;
  assert_int_equal(crd_analysis_persistent_form(&persistent, p, &load, 0, NULL, NULL, arena), CRD_OK);
  if (!persistent.applies) return;
  seen[persistent.verdict.motion]++;
  bool planar = p->nb == 0, parting = false;
  for (int c = 0; c < p->nc; c++) {
    const double *u = p->u + p->contact[c].row + 1;
    int nt = p->contact[c].ntangent;
    double speed = nt == 2 ? hypot(u[0], u[1]) : nt ? fabs(u[0]) : 0;
    slides[c] = crd_contact_problem_slides(p, c), parts[c] = held_contact[c] || !crd_contact_problem_persists(p, c);
    for (int t = 0; t < nt && slides[c]; t++) slip[2 * c + t] = u[t] / speed;
    planar = planar && nt < 2, parting = parting || parts[c];
  }
  for (int k = 0; k < persistent.count; k++)
    for (int c = 0; c < p->nc; c++) {
      double an = persistent.motion[k].acceleration[p->contact[c].row];
      if (an < -1e-6 * size && !parts[c]) wrong(d, "motion %d closes contact %d", k, c);
      if (persistent.motion[k].force[p->contact[c].row] * p->W[(m + 1) * p->contact[c].row] < -1e-6 * size)
        wrong(d, "motion %d pulls at contact %d", k, c);
    }
  bool continuum = false;
  for (int k = 0; k < persistent.count; k++) continuum = continuum || persistent.motion[k].continuum;
  if (planar && !parting && persistent.listed && !continuum && accelerations_by_lcp(p, a_free, slides, slip, a) &&
      !listed(&persistent, m, a, size))
    wrong(d, "the LCP has a motion that is not among the %d listed", persistent.count);
  crd_force_problem force = {.problem = p, .a_free = a_free};
  force.scale = crd_acceleration_scale(p, a_free, qacc);
  crd_phase_mode mode[MAX_NC];
  double f[MAX_ROWS];
  crd_force_verdict verdict;
  crd_force_memory equations = {0};
  crd_force_tools tools = {.cones = crd_coulomb_work_new(), .equations = &equations, .arena = arena};
  const crd_mode_input input = {.slip = slip, .parts = parts};
  crd_status status = crd_modes_find(&force, &input, &tools, mode, f, &verdict);
  crd_force_answer answer;
  if (status == CRD_OK && verdict == CRD_FORCE_NONE && persistent.verdict.motion != CRD_MOTION_NONE)
    wrong(d, "the integrator finds no motion, check %s", crd_coulomb_motion_name(persistent.verdict.motion));
  if (status == CRD_OK && verdict != CRD_FORCE_NONE && persistent.verdict.motion == CRD_MOTION_NONE)
    wrong(d, "the integrator goes on where check finds no motion");
  if (status == CRD_OK && verdict == CRD_FORCE_SEVERAL && persistent.verdict.motion == CRD_MOTION_UNIQUE)
    wrong(d, "the integrator has several motions where check has one");
  bool determined = persistent.listed && !continuum && persistent.count > 0;
  if (status == CRD_OK && verdict != CRD_FORCE_NONE && determined &&
      crd_force_solve(&force, mode, f, &tools, &answer) == CRD_OK && !listed(&persistent, m, answer.a, size))
    wrong(d, "the integrator's motion is not among the %d listed", persistent.count);
  crd_coulomb_work_free(tools.cones);
  crd_force_memory_free(&equations);
}

/* ------------------------------------------------------------------------------------------------ all */

void check_truth_campaign(uint64_t seed, int count, crd_arena *arena) {
  random_stream stream = {.seed = seed};
  crd_impact_result result = {0};
  int struck = 0, not_hit = 0, held = 0, motions[4] = {0}, inconsistent = 0, posed[3] = {0};
  for (int number = 0; number < count; number++) {
    drawn d = draw(&stream, number);
    crd_check check;
    crd_arena_reset(arena);
    crd_status status = crd_analysis_check(&check, d.problem, NULL, true, arena);
    if (status != CRD_OK) wrong(&d, "check ends with %d", status);
    confirm_friction(&d, &check, &result, arena);
    confirm_laws(&d, &check, &result);
    confirm_outcomes(&d);
    confirm_restitution(&d, &check, &stream, &result, arena);
    confirm_wellposed(&d, &check, &stream);
    confirm_persistent(&d, &check, &stream, arena, motions);
    for (int c = 0; c < check.problem.nc; c++) {
      struck += check.friction[c].mode != CRD_FRICTION_NONE, not_hit += check.friction[c].mode == CRD_FRICTION_NONE;
      if (d.kind >= RESTING && check.friction[c].mode != CRD_FRICTION_NONE) wrong(&d, "a resting contact is struck");
    }
    held += check.nheld, inconsistent += check.energy.worst.gain > 1e-9, posed[check.wellposed.p_matrix]++;
    crd_contact_problem_free(d.problem);
  }
  print_message(
      "%d contacts struck, %d not, %d held; %d problems gain; motion unknown %d, none %d, unique %d, several %d\n",
      struck, not_hit, held, inconsistent, motions[0], motions[1], motions[2], motions[3]);
  assert_true(struck > count / 5 && not_hit > count / 5 && held > count / 50 && inconsistent > count / 20);
  assert_true(motions[CRD_MOTION_UNIQUE] > count / 5 && motions[CRD_MOTION_NONE] + motions[CRD_MOTION_SEVERAL] > 0);
  crd_impact_result_free(&result);
}
