/* The one verifier: everything that follows from the impulses of an answer, and whether mechanics agrees with it.
 *
 *   momentum   M (v+ - v) = J' p + impulse          cone        |p_t| <= mu p_n
 *   tension    p_n >= 0                                         |p_s| <= mu_spin p_n, |p_r| <= mu_roll p_n
 *   approach   u_n+ >= 0
 *   energy     K+ = K_free + p' (u_free + u+) / 2, split by contact
 */
#include <math.h>

#include "impact/impact.h"
#include "linalg/dense.h"

static double tangential_norm(const double *rows, const crd_contact *contact) {
  double square = 0;
  for (int t = 1; t <= contact->ntangent; t++) square += rows[contact->row + t] * rows[contact->row + t];
  return sqrt(square);
}

/* A moment of friction at a contact: spinning, or rolling. */
typedef struct turning {
  int row, count; /* count 0: none */
  double mu;      /* m */
  double length;  /* m: the radius of gyration that the contact feels, which makes its rows ones of m/s and N s */
} turning;

static turning spin_of(const crd_contact *c) {
  return (turning){.row = c->row + 1 + c->ntangent, .count = c->nspin, .mu = c->mu_spin};
}

static turning roll_of(const crd_contact *c) {
  return (turning){.row = c->row + 1 + c->ntangent + c->nspin, .count = c->nroll, .mu = c->mu_roll};
}

static turning measured(const crd_contact_problem *problem, const crd_contact *contact, turning t) {
  size_t next = (size_t)crd_impact_rows(problem) + 1;
  double turn = 0, own = problem->W[next * (size_t)contact->row];
  for (int k = 0; k < t.count; k++) turn += problem->W[next * (size_t)(t.row + k)] / t.count;
  t.length = turn > 0 && own > 0 ? sqrt(own / turn) : 1; /* 1: nothing turns it, or nothing moves it */
  return t;
}

static double turning_norm(const double *rows, turning t) {
  double length = 0;
  for (int k = 0; k < t.count; k++) length = hypot(length, rows[t.row + k]);
  return length;
}

/* How far the moment is beyond its bound, N s. */
static double turning_excess(const double *p, turning t, double pn) {
  return t.count > 0 ? (turning_norm(p, t) - t.mu * fmax(pn, 0)) / t.length : 0;
}

static crd_mode turning_mode(const crd_impact_solution *s, turning t, crd_mode mode, double slow) {
  if (t.count == 0 || mode == CRD_MODE_NONE || mode == CRD_MODE_SEPARATE) return CRD_MODE_NONE;
  return t.length * turning_norm(s->u_plus, t) > slow ? CRD_MODE_SLIP : CRD_MODE_STICK;
}

/* Imbalance of momentum, each entry over the size of the terms that make it up. */
static double momentum_error(const crd_contact_problem *problem, const crd_impact_solution *s, double velocity_scale) {
  int n = problem->nv, m = crd_impact_rows(problem);
  double worst = 0;
  if (!problem->M) {
    /* J v+ recomputed against u+: the only check possible without M */
    for (int i = 0; i < m; i++)
      worst = fmax(worst, fabs(crd_dense_dot(n, problem->J + (size_t)n * (size_t)i, s->v_plus) - s->u_plus[i]));
    return worst / velocity_scale;
  }
  for (int k = 0; k < n; k++) {
    double imbalance = -problem->impulse[k], size = fabs(problem->impulse[k]);
    for (int j = 0; j < n; j++) {
      double mass = problem->M[(size_t)n * (size_t)k + (size_t)j], term = mass * (s->v_plus[j] - problem->v[j]);
      imbalance += term, size += fabs(term) + fabs(mass * problem->v[j]);
    }
    for (int i = 0; i < m; i++) {
      double term = problem->J[(size_t)n * (size_t)i + (size_t)k] * s->p[i];
      imbalance -= term, size += fabs(term);
    }
    if (size > 0) worst = fmax(worst, fabs(imbalance) / size);
  }
  return worst;
}

static crd_mode mode_of(const crd_contact *contact, const crd_impact_solution *s, const crd_impact_options *options,
                        crd_impact_scale scale) {
  double tolerance = options->tolerance;
  double impulse = fmax(fabs(s->p[contact->row]), tangential_norm(s->p, contact));
  if (impulse <= tolerance * scale.impulse)
    return s->u_plus[contact->row] > tolerance * scale.velocity ? CRD_MODE_SEPARATE : CRD_MODE_NONE;
  return tangential_norm(s->u_plus, contact) > tolerance * scale.velocity ? CRD_MODE_SLIP : CRD_MODE_STICK;
}

static crd_mode state_after(const crd_contact *contact, const crd_impact_solution *s, const crd_impact_options *options,
                            crd_impact_scale scale) {
  double slow = options->tolerance * scale.velocity;
  if (s->u_plus[contact->row] > slow) return CRD_MODE_SEPARATE;
  return tangential_norm(s->u_plus, contact) > slow ? CRD_MODE_SLIP : CRD_MODE_STICK;
}

void crd_impact_complete(const crd_contact_problem *problem, const crd_impact_options *options,
                         crd_impact_solution *s) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  crd_impact_check *check = &s->check;
  *check = (crd_impact_check){0};
  crd_contact_problem_velocity(problem, s->p, s->v_plus);
  crd_contact_problem_contact_velocity(problem, s->p, s->u_plus);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    const turning spin = measured(problem, contact, spin_of(contact)),
                  roll = measured(problem, contact, roll_of(contact));
    double pn = s->p[contact->row], slow = options->tolerance * scale.velocity;
    s->work[c] = 0;
    for (int r = contact->row; r < contact->row + crd_contact_rows(contact); r++)
      s->work[c] += 0.5 * s->p[r] * (problem->u_free[r] + s->u_plus[r]);
    s->mode[c] = mode_of(contact, s, options, scale);
    s->after[c] = state_after(contact, s, options, scale);
    s->spin[c] = turning_mode(s, spin, s->mode[c], slow), s->roll[c] = turning_mode(s, roll, s->mode[c], slow);
    check->tension = fmax(check->tension, -pn / scale.impulse);
    check->approach = fmax(check->approach, -s->u_plus[contact->row] / scale.velocity);
    double outside = tangential_norm(s->p, contact) - fmax(contact->mu, contact->mu_static) * fmax(pn, 0);
    outside = fmax(outside, fmax(turning_excess(s->p, spin, pn), turning_excess(s->p, roll, pn)));
    check->cone = fmax(check->cone, outside / scale.impulse);
  }
  for (int b = problem->nrow; b < crd_impact_rows(problem); b++)
    check->bilateral = fmax(check->bilateral, fabs(s->u_plus[b]) / scale.velocity);
  s->kinetic_before = problem->kinetic;
  /* through M where it is known: with nearly dependent rows impulses are large and the energy of contact space, which
   * is their difference, loses the digits that velocities keep */
  s->kinetic_after = problem->M ? crd_dense_quadratic(problem->nv, problem->M, s->v_plus) / 2
                                : crd_contact_problem_kinetic_after(problem, s->p);
  double reference = problem->kinetic_free > 0 ? problem->kinetic_free : 1;
  check->energy_gain = (s->kinetic_after - problem->kinetic_free) / reference;
  check->momentum = momentum_error(problem, s, scale.velocity);
  check->breaks_rows = check->bilateral > options->tolerance;
  check->pulls = check->tension > options->tolerance;
  check->penetrates = check->approach > options->tolerance;
  check->leaves_cone = check->cone > options->tolerance;
  check->gains_energy = check->energy_gain > options->tolerance;
}

double crd_impact_bilateral_speed(const crd_contact_problem *problem, const double *p) {
  int m = crd_impact_rows(problem);
  double fastest = 0;
  for (int b = problem->nrow; b < m; b++)
    fastest = fmax(fastest, fabs(problem->u_free[b] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)b, p)));
  return fastest;
}

double crd_impact_violation(const crd_contact_problem *problem, const double *p) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  int m = crd_impact_rows(problem);
  double worst = crd_impact_bilateral_speed(problem, p) / scale.velocity;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double pn = p[contact->row], friction = tangential_norm(p, contact);
    double u = problem->u_free[contact->row] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)contact->row, p);
    worst = fmax(worst, fmax(-u / scale.velocity, -pn / scale.impulse));
    worst = fmax(worst, (friction - fmax(contact->mu, contact->mu_static) * pn) / scale.impulse);
    worst = fmax(worst, turning_excess(p, measured(problem, contact, spin_of(contact)), pn) / scale.impulse);
    worst = fmax(worst, turning_excess(p, measured(problem, contact, roll_of(contact)), pn) / scale.impulse);
  }
  return worst;
}
