/* [Aghili, Frictional Impacts in Multibody Systems] for one contact, with errata B-01..B-03, B-08, B-09. D is the
 * contact's Delassus matrix and v its velocity in the system that obeys its bilateral rows.
 *
 * Stick   v+ = -E v, E = diag(e, e_t, e_t):  i = -D^-1 (v_free + E v) (11a), if i_n >= 0 and
 *         sigma = mu_s^2 i_n^2 - |i_t|^2 >= 0.
 * Slip    v_n+ = -e v_n (17), i_t = -mu i_n d (18c), d the direction of the average velocity vbar = (v_t + v_t+)/2, so
 *           i_n = c g,   g = 1/(D_nn - mu D_nt d) > 0,   c = -(v_free,n + e v_n)
 *           vbar/g = w + B d,   w = a D_nn + c D_tn/2,   B = -mu (a D_nt + c D_tt/2),   a = (v_t + v_free,t)/2
 *         and d solves w + B d = kappa d with kappa = |vbar|/g > 0 (B-09; without external impulse a = v_t). Planar: d
 * = +1 or -1, at most one fits. Spatial: up to four d, of which none, one, two or three have been seen to fit. The
 *         largest kappa continues the frictionless outcome and comes first.
 * Neither Coulomb's law is set-valued at vbar = 0: v_t+ = -v_t with |i_t| <= mu i_n ("mean-zero", B-08), the only
 *         outcome where friction would reverse the slip it opposes.
 *
 * D is not inverted (its condition is the square of the rows'): the rows of the contact and the bilateral rows are
 * solved together by their oblique projection. On a closed loop D may be singular, a mechanism of one degree of freedom
 * moves its contact along a line: sticking then needs velocities that the rows can have, and impulses are of least
 * norm, or frictionless where that suffices and least norm leaves the cone.
 */
#include "impact/stick_slip.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "linalg/dense.h"

/* Entries of D below this times those of W are rounding errors of the elimination of bilateral rows. */
static const double singular_tolerance = 1e-11;
/* A velocity is possible when the nearest possible one differs by less, relative to it. */
static const double range_tolerance = 1e-8;
/* Coulomb's inequality with this much of the impulse for rounding. */
static const double cone_tolerance = 1e-14;
/* Sums smaller than this, relative to their terms, are rounding. */
static const double CANCELLED = 8 * DBL_EPSILON;

typedef struct single_contact {
  int ntangent, rows; /* rows = 1 + ntangent */
  double D[9];        /* rows x rows */
  double u[3], u_free[3];
  double c;     /* demand */
  double least; /* compliance that counts as zero */
  double e_t, mu, mu_static;
} single_contact;

static single_contact isolate(const crd_contact_problem *problem, const crd_impact_options *options,
                              const crd_bilateral *bilateral, int which) {
  const crd_contact *contact = &problem->contact[which];
  int rows = 1 + contact->ntangent, row = contact->row, m = crd_impact_rows(problem);
  single_contact s = {.ntangent = contact->ntangent,
                      .rows = rows,
                      .c = crd_stick_slip_demand(problem, options, bilateral, which),
                      .least = singular_tolerance * problem->W[(size_t)m * (size_t)row + (size_t)row],
                      .e_t = contact->e_t,
                      .mu = contact->mu,
                      .mu_static = contact->mu_static};
  for (int i = 0; i < rows; i++) {
    s.u[i] = problem->u[row + i], s.u_free[i] = bilateral->u_free[row + i];
    for (int j = 0; j < rows; j++)
      s.D[rows * i + j] = bilateral->W[(size_t)problem->nrow * (size_t)(row + i) + (size_t)(row + j)];
  }
  return s;
}

static double friction_of(const single_contact *s, const double *i) {
  return s->ntangent == 0 ? 0 : s->ntangent == 1 ? fabs(i[1]) : hypot(i[1], i[2]);
}

static bool in_cone(const single_contact *s, double mu, const double *i) {
  double friction = friction_of(s, i);
  return i[0] >= 0 && friction <= mu * i[0] + cone_tolerance * (i[0] + friction);
}

/* The rows of the contact and the bilateral rows, factored; x is scratch of their number. */
typedef struct joint_rows {
  crd_oblique oblique;
  bool singular;
  double *x;
} joint_rows;

static crd_status factor(joint_rows *joint, const crd_contact_problem *problem, const crd_bilateral *bilateral,
                         int which, crd_arena *arena) {
  const crd_contact *contact = &problem->contact[which];
  int own = 1 + contact->ntangent, count = own + problem->nb;
  int *row;
  if (CRD_TAKE(arena, CRD_ARRAY(row, count), CRD_ARRAY(joint->x, count))) return CRD_ERR_MEMORY;
  for (int i = 0; i < count; i++) row[i] = i < own ? contact->row + i : problem->nrow + i - own;
  crd_status status = crd_oblique_factor(&joint->oblique, problem, count, row, arena);
  joint->singular = status == CRD_OK && joint->oblique.rank < own + bilateral->oblique.rank;
  return status;
}

/* An impulse that changes the contact's velocity by r, in the cone where there is a choice. False: there is none. */
static bool impulse_for(const single_contact *s, const joint_rows *joint, double mu, const double *r, double *i) {
  double *x = joint->x, size = 0, miss = 0;
  memset(x, 0, sizeof *x * (size_t)joint->oblique.rows);
  memcpy(x, r, sizeof *x * (size_t)s->rows);
  crd_oblique_project_range(&joint->oblique, x);
  for (int k = 0; k < s->rows; k++) size = fmax(size, fabs(r[k])), miss = fmax(miss, fabs(x[k] - r[k]));
  if (miss > range_tolerance * size) return false;
  crd_oblique_solve(&joint->oblique, x);
  memset(i, 0, sizeof *i * 3);
  memcpy(i, x, sizeof *x * (size_t)s->rows);
  if (!joint->singular || in_cone(s, mu, i)) return true;
  double normal = r[0] / s->D[0], left = 0;
  for (int k = 1; k < s->rows; k++) left = fmax(left, fabs(s->D[s->rows * k] * normal - r[k]));
  if (left <= range_tolerance * size) i[0] = normal, i[1] = i[2] = 0;
  return true;
}

/* The change of velocity for v+ = -diag(e, tangent, tangent) v. */
static void change_for(const single_contact *s, double tangent, double *r) {
  r[0] = s->c;
  for (int t = 1; t <= s->ntangent; t++) r[t] = -(s->u_free[t] + tangent * s->u[t]);
}

/* Adds the slip along d unless it could not stop the approach; keeps the list ordered by kappa. */
static void add_slip(const single_contact *s, const double *d, double kappa, crd_stick_slip *result) {
  double inverse_g = s->D[0];
  for (int t = 1; t <= s->ntangent; t++) inverse_g -= s->mu * s->D[t] * d[t - 1];
  if (!(inverse_g > s->least)) return;
  crd_slip_outcome slip = {.kind = CRD_KIND_SLIP, .kappa = kappa};
  slip.i[0] = s->c / inverse_g;
  for (int t = 1; t <= s->ntangent; t++) {
    slip.direction[t - 1] = d[t - 1];
    slip.i[t] = -s->mu * d[t - 1] * slip.i[0];
  }
  int at = result->slips++;
  while (at > 0 && result->outcome[at - 1].kappa < kappa) {
    result->outcome[at] = result->outcome[at - 1];
    at--;
  }
  result->outcome[at] = slip;
}

static void find_slips(const single_contact *s, crd_stick_slip *result) {
  int nt = s->ntangent;
  double w[2], B[4], size = 0; /* of the terms of the equation: below their rounding errors kappa is zero */
  for (int i = 0; i < nt; i++) {
    double a = 0.5 * (s->u[1 + i] + s->u_free[1 + i]);
    double first = a * s->D[0], second = 0.5 * s->c * s->D[s->rows * (1 + i)];
    w[i] = first + second;
    size = fmax(size, fabs(first) + fabs(second));
    for (int j = 0; j < nt; j++) {
      first = a * s->D[1 + j], second = 0.5 * s->c * s->D[s->rows * (1 + i) + 1 + j];
      B[nt * i + j] = -s->mu * (first + second);
      size = fmax(size, s->mu * (fabs(first) + fabs(second)));
    }
  }
  double direction[CRD_SLIP_MAX][2] = {{-1}, {1}}, kappa[CRD_SLIP_MAX] = {B[0] - w[0], B[0] + w[0]};
  /* where every direction solves the equation, w = 0 and kappa <= 0: nothing slips */
  int count = nt == 1 ? 2 : crd_slip_directions(B, w, direction, kappa);
  for (int j = 0; j < count; j++)
    if (kappa[j] > CANCELLED * size) add_slip(s, direction[j], kappa[j], result);
}

static void add_held(const double *i, crd_slip_kind kind, crd_stick_slip *result) {
  result->outcome[result->count++] = (crd_slip_outcome){.kind = kind, .i = {i[0], i[1], i[2]}};
}

double crd_stick_slip_demand(const crd_contact_problem *problem, const crd_impact_options *options,
                             const crd_bilateral *bilateral, int contact) {
  int row = problem->contact[contact].row;
  return -(bilateral->u_free[row] + crd_impact_restitution(problem, options, contact) * fmin(problem->u[row], 0));
}

bool crd_stick_slip_hits(const crd_contact_problem *problem, const crd_impact_options *options,
                         const crd_bilateral *bilateral, int contact) {
  double least = options->tolerance * crd_contact_problem_speed(problem, problem->contact[contact].row);
  return crd_stick_slip_demand(problem, options, bilateral, contact) > least;
}

crd_status crd_stick_slip_resolve(crd_stick_slip *result, const crd_contact_problem *problem,
                                  const crd_impact_options *options, const crd_bilateral *bilateral, int contact,
                                  crd_arena *arena) {
  *result = (crd_stick_slip){0};
  single_contact s = isolate(problem, options, bilateral, contact);
  joint_rows joint;
  double r[3], i[3];
  if (crd_bilateral_holds(bilateral, problem, contact)) return CRD_SINGULAR;
  crd_status status = factor(&joint, problem, bilateral, contact, arena);
  if (status != CRD_OK) return status;
  result->singular = joint.singular;
  change_for(&s, s.e_t, r);
  result->stick_exists = impulse_for(&s, &joint, s.mu_static, r, result->stick);
  if (result->stick_exists) {
    double limit = s.mu_static * result->stick[0], friction = friction_of(&s, result->stick);
    result->discriminator = (limit - friction) * (limit + friction);
    if (in_cone(&s, s.mu_static, result->stick)) {
      add_held(result->stick, CRD_KIND_STICK, result);
      return CRD_OK;
    }
  }
  if (s.ntangent > 0) find_slips(&s, result);
  result->count = result->slips;
  change_for(&s, 1, r);
  result->mean_zero = s.ntangent > 0 && impulse_for(&s, &joint, s.mu, r, i) && in_cone(&s, s.mu, i);
  if (result->mean_zero) add_held(i, CRD_KIND_MEAN_ZERO, result);
  return CRD_OK;
}
