/* The contact problem of an island with known modes: linear equations.
 *
 *   stick   u_n = u_t = 0       slide   u_n = 0, p_t = -mu p_n d      open   p = 0
 *
 * with d the direction of sliding at the end of the step, found by iteration. What the answer contradicts changes its
 * mode, and it is solved again; in a motion that goes on as before the first solve is the last.
 *
 * Redundant contacts (the four corners of a box) leave the forces undetermined; island_linear.c says which are taken.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"
#include "linalg/simd.h"

static const double NEGLIGIBLE = 1e-10, ALIGNED = 1e-12;
/* Of the natural speed: loops act in every stage of the free motion, so that what is left for the step is error, which
 * a nearly singular loop must not answer with large forces. */
static const double NOISE = 1e-6; /* of the natural speed: slower islands are judged by this */
static const double LOOP_ERROR = 1e-8;
static const double FIRM = 1e-4, SHARP = 1e3; /* of the usual regularisation */
enum { MOST_TURNS = 30 };

/* ------------------------------------------------------------------------------------------------ equations */

static bool is_open(const crd_island_contact *c) { return c->mode != CRD_MODE_STICK && c->mode != CRD_MODE_SLIP; }

static double own_compliance(const crd_island *s, int row) { return s->G[(size_t)(s->n + 1) * (size_t)row]; }

/* Rows of the unknowns: one for each equation. A sliding contact has its normal alone. */
static int choose_rows(const crd_island *s, int *from, double *weight) {
  int n = 0;
  for (int i = 0; i < s->n; i++) weight[i] = 1;
  for (int i = 0; i < s->ncontact; i++) {
    const crd_island_contact *c = &s->contact[i];
    if (is_open(c)) continue;
    from[n++] = c->row;
    double mean = 0; /* the same for both tangents, so that forces of least norm do not depend on these */
    for (int t = 1; t <= c->ntangent; t++) mean += own_compliance(s, c->row + t) / c->ntangent;
    for (int t = 1; c->mode == CRD_MODE_STICK && t <= c->ntangent; t++) {
      double own = own_compliance(s, c->row + t);
      weight[n] = (own > 0 ? mean / own : 1) / c->share;
      from[n++] = c->row + t;
    }
  }
  for (int b = 0; b < s->nb; b++) {
    double own = own_compliance(s, s->first_b + b);
    weight[n] = own > 0 ? fmin(s->soft / own, 1e6) : 1; /* stiff and soft directions of a loop alike */
    from[n++] = s->first_b + b;
  }
  for (int i = 0; i < s->ndry; i++)
    if (s->dry[i].sign == 0) from[n++] = s->first_dry + i;
  return n;
}

static void set_column(const crd_island *s, const crd_island_memory *m, int n, int column, int row,
                       const crd_island_contact *sliding) {
  for (int i = 0; i < n; i++) {
    const double *g = s->G + (size_t)s->n * (size_t)m->from[i];
    double entry = g[row];
    for (int t = 0; sliding && t < sliding->ntangent; t++) entry -= sliding->mu * sliding->slide[t] * g[row + 1 + t];
    m->A[(size_t)n * (size_t)i + (size_t)column] = entry;
  }
}

static void set_matrix(const crd_island *s, const crd_island_memory *m, int n) {
  int column = 0;
  for (int i = 0; i < s->ncontact; i++) {
    const crd_island_contact *c = &s->contact[i];
    if (is_open(c)) continue;
    bool sticks = c->mode == CRD_MODE_STICK;
    set_column(s, m, n, column++, c->row, sticks ? NULL : c);
    for (int t = 0; sticks && t < c->ntangent; t++) set_column(s, m, n, column++, c->row + 1 + t, NULL);
  }
  for (; column < n; column++) set_column(s, m, n, column, m->from[column], NULL);
}

/* b - A x through the island's own rows: u of the rows that must vanish. x is in s->p. */
static void spread(crd_island *s, const crd_island_memory *m, int n) {
  memset(s->p, 0, sizeof *s->p * (size_t)s->n);
  for (int i = 0; i < n; i++) s->p[m->from[i]] = m->x[i];
  for (int i = 0; i < s->ncontact; i++) {
    const crd_island_contact *c = &s->contact[i];
    for (int t = 0; c->mode == CRD_MODE_SLIP && t < c->ntangent; t++)
      s->p[c->row + 1 + t] = -c->mu * s->p[c->row] * c->slide[t];
  }
  for (int i = 0; i < s->ndry; i++)
    if (s->dry[i].sign != 0) s->p[s->first_dry + i] = -s->dry[i].sign * s->dry[i].bound;
  crd_island_velocity(s);
}

/* ------------------------------------------------------------------------------------------------ one solve */

/* Impulses are judged by the softest row: a contact that hardly can move (a folded link) must not pull either. */
double crd_island_softest(const crd_island *s) {
  double largest = 0;
  for (int i = 0; i < s->n; i++) largest = fmax(largest, s->G[(size_t)(s->n + 1) * (size_t)i]);
  return largest > 0 ? largest : 1;
}

static double velocity_scale(const crd_island *s) {
  double scale = NOISE * s->natural;
  for (int i = 0; i < s->n; i++) scale = fmax(scale, fabs(s->w[i]));
  return scale > 0 ? scale : 1;
}

/* What rounding leaves of u = w + G p. */
static double rounding(const crd_island *s) {
  double largest = 0;
  for (int i = 0; i < s->n; i++) largest = fmax(largest, fabs(s->p[i]));
  return 1e-15 * s->soft * largest;
}

/* Forces for the n equations whose rows are listed: refined until they hold, with `firm` times the usual
 * regularisation. False: they do not. */
static bool solve_refined(crd_island_memory *m, crd_island *s, int n, double scale, double firm) {
  enum { REFINEMENTS = 6 };
  double worst = INFINITY;
  set_matrix(s, m, n);
  for (int i = 0; i < n; i++) m->weight[i] *= firm;
  if (!crd_island_factor(m, n)) return false;
  for (int i = 0; i < n; i++) m->x[i] = m->guess[m->from[i]];
  for (int k = 0;; k++) {
    spread(s, m, n);
    double error = 0;
    for (int i = 0; i < n; i++) m->r[i] = -s->u[m->from[i]], error = fmax(error, fabs(m->r[i]));
    if (!(error < INFINITY)) return false;
    if (error <= 1e-16 * scale || (error <= 1e-13 * scale && error >= 0.5 * worst) || k == REFINEMENTS) break;
    worst = error;
    crd_island_solve(m, n, m->r);
    for (int i = 0; i < n; i++) m->x[i] += m->r[i];
  }
  double allowed = fmax(NEGLIGIBLE * scale, fmin(rounding(s), 1e2 * NEGLIGIBLE * scale));
  for (int i = 0; i < n; i++) {
    bool loop = m->from[i] >= s->first_b && m->from[i] < s->first_b + s->nb;
    double error = fabs(s->u[m->from[i]]);
    if (!(error <= fmax(allowed, loop ? LOOP_ERROR * s->natural : 0))) return false;
  }
  return true;
}

static double error_of(const crd_island_memory *m, const crd_island *s, int n) {
  double error = 0;
  for (int i = 0; i < n; i++) error = fmax(error, fabs(s->u[m->from[i]]));
  return error;
}

/* Forces for the present modes and directions. Returns the number of equations, -1 where they cannot be satisfied. A
 * contact that hardly can move (a folded link) is not held until the regularisation is far below its compliance.
 * Rounding errors of u enter the choice among forces that are not determined divided by the regularisation: where that
 * choice matters it is made with a larger one, if the equations are good enough for that. */
static int solve_equations(crd_island_memory *m, crd_island *s) {
  double scale = velocity_scale(s);
  int n = choose_rows(s, m->from, m->weight);
  if (s->sharp && solve_refined(m, s, n, scale, SHARP) && error_of(m, s, n) <= 1e-12 * scale) return n;
  if (s->sharp) choose_rows(s, m->from, m->weight);
  return solve_refined(m, s, n, scale, 1) || solve_refined(m, s, n, scale, FIRM) ? n : -1;
}

/* ------------------------------------------------------------------------------------------------ verdict on modes */

static double tangential(const double *row, int ntangent) {
  return ntangent == 0 ? 0 : ntangent == 1 ? fabs(row[1]) : hypot(row[1], row[2]);
}

/* Changes the mode of a contact that the answer contradicts; settled: directions of sliding are those of u. */
static bool mend_contact(crd_island *s, crd_island_contact *c, double scale, bool settled) {
  const double *p = s->p + c->row, *u = s->u + c->row;
  double small_u = NEGLIGIBLE * scale, small_p = NEGLIGIBLE * scale / s->soft;
  if (is_open(c)) {
    if (u[0] >= -small_u) return false;
    c->mode = CRD_MODE_STICK;
    return true;
  }
  if (p[0] < -small_p) {
    c->mode = CRD_MODE_NONE;
    return true;
  }
  if (c->ntangent == 0) return false;
  double pt = tangential(p, c->ntangent), ut = tangential(u, c->ntangent);
  if (c->mode == CRD_MODE_STICK) {
    if (pt <= c->mu * fmax(p[0], 0) * (1 + 1e-12) + small_p) return false;
    c->mode = CRD_MODE_SLIP;
    c->slide[0] = -p[1] / pt, c->slide[1] = c->ntangent == 2 ? -p[2] / pt : 0;
    return true;
  }
  double along = u[1] * c->slide[0] + (c->ntangent == 2 ? u[2] * c->slide[1] : 0);
  if (along >= (settled ? 1 - 1e-6 : 0) * ut && ut > small_u) return false;
  if (c->mu * p[0] <= small_p && along >= -small_u) return false; /* no force, no direction */
  c->mode = CRD_MODE_STICK;
  return true;
}

static bool mend_dry(crd_island *s, crd_island_dry *d, int row, double scale) {
  double small_u = NEGLIGIBLE * scale;
  if (d->sign == 0) {
    if (fabs(s->p[row]) <= d->bound * (1 + 1e-12)) return false;
    d->sign = s->p[row] > 0 ? -1 : 1;
    return true;
  }
  if (d->sign * s->u[row] >= -small_u) return false;
  d->sign = 0;
  return true;
}

static bool mend_modes(crd_island *s, double scale, bool settled) {
  bool changed = false;
  for (int i = 0; i < s->ncontact; i++) changed = mend_contact(s, &s->contact[i], scale, settled) || changed;
  for (int i = 0; i < s->ndry; i++) changed = mend_dry(s, &s->dry[i], s->first_dry + i, scale) || changed;
  return changed;
}

/* Shares of friction as the normal impulses are; true where that is news for a contact that does not hold. */
static bool share_friction(crd_island *s) {
  double mean = 0;
  int count = 0;
  bool news = false;
  for (int i = 0; i < s->ncontact; i++)
    if (s->p[s->contact[i].row] > 0) mean += s->p[s->contact[i].row], count++;
  for (int i = 0; i < s->ncontact; i++) {
    crd_island_contact *c = &s->contact[i];
    const double *p = s->p + c->row;
    if (c->mode != CRD_MODE_STICK || c->ntangent == 0 || count < 2) continue;
    double share = fmin(1e3, fmax(1e-3, p[0] * count / mean));
    news = news || (tangential(p, c->ntangent) > c->mu * fmax(p[0], 0) && fabs(share - c->share) > 1e-2 * c->share);
    c->share = share;
  }
  return news;
}

/* Solves until the directions are those of the sliding velocities; *off: how far they are from it, rad. Modes that the
 * first answer contradicts whatever the directions are mended before these are looked for: *off is infinite then.
 * False: the equations cannot be satisfied. */
static bool settle_directions(crd_island_memory *m, crd_island *s, double scale, double *off) {
  double slow = NEGLIGIBLE * scale, last = INFINITY;
  for (int turn = 0; turn < MOST_TURNS; turn++) {
    int n = solve_equations(m, s);
    if (n < 0) return false;
    *off = crd_island_directions_off(s, slow);
    if (*off <= ALIGNED) return true;
    if (turn == 0 && mend_modes(s, scale, false)) {
      crd_island_follow_directions(s, slow);
      *off = INFINITY;
      return true;
    }
    if (*off <= 0.1 * last || !crd_island_turn_directions(m, s, n, slow)) crd_island_follow_directions(s, slow);
    last = *off;
  }
  return true;
}

bool crd_island_by_modes(crd_island_memory *m, crd_island *s, int rounds) {
  double scale = velocity_scale(s);
  s->soft = crd_island_softest(s);
  memcpy(m->guess, s->p, sizeof *s->p * (size_t)s->n);
  for (int round = 0; round < rounds; round++) {
    double off;
    if (!settle_directions(m, s, scale, &off)) return false;
    if (round < 3 && share_friction(s)) continue;
    if (off == INFINITY || mend_modes(s, scale, true)) continue;
    return off <= 1e-9;
  }
  return false;
}

/* ------------------------------------------------------------------------------------------------ common */

/* y += a x */
CRD_CLONES static void accumulate(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

/* By columns, which are the rows of the symmetric G. */
void crd_island_velocity(crd_island *s) {
  memcpy(s->u, s->w, sizeof *s->u * (size_t)s->n);
  for (int j = 0; j < s->n; j++)
    if (s->p[j] != 0) accumulate(s->n, s->p[j], s->G + (size_t)s->n * (size_t)j, s->u);
}

/* How far normal and tangential impulse are from what u asks for, as velocities [Alart and Curnier 1991]: p_n from
 * max(0, p_n - u_n / g_n), p_t from the point of the disk of radius mu p_n nearest to p_t - u_t / g_t. */
static double cone_error(const crd_island *s, const crd_island_contact *c) {
  const double *p = s->p + c->row, *u = s->u + c->row;
  double g = s->G[(size_t)(s->n + 1) * (size_t)c->row], gt = 0, wish[3] = {0, 0, 0}, error = 0;
  double normal = fabs(fmin(g * p[0], u[0]));
  for (int t = 1; t <= c->ntangent; t++) gt += own_compliance(s, c->row + t) / c->ntangent;
  for (int t = 1; t <= c->ntangent; t++) wish[t] = gt * p[t] - u[t];
  double length = hypot(wish[1], wish[2]), radius = c->mu * gt * fmax(0, p[0]);
  for (int t = 1; t <= c->ntangent; t++)
    error = hypot(error, gt * p[t] - (length > radius ? wish[t] * (radius / length) : wish[t]));
  return fmax(normal, error);
}

/* Energy that a contact puts in by what it violates. */
static double gain_of(const crd_island *s, const crd_island_contact *c) {
  double power = 0;
  for (int i = c->row; i <= c->row + c->ntangent; i++) power += s->p[i] * s->u[i];
  return fmax(0, power);
}

/* A contact that hardly can move (a folded link) puts in energy at velocities far below all others: a gain of 1e-9 of
 * the energy that the island exchanges is as bad as 1e-6 of its velocities. */
double crd_island_violation(const crd_island *s) {
  double worst = 0, energy = s->natural * s->natural / s->soft;
  for (int i = 0; i < s->n; i++) {
    if (!isfinite(s->p[i]) || !isfinite(s->u[i])) return INFINITY; /* which fmax would pass over */
    energy += fabs(s->p[i] * s->w[i]);
  }
  for (int i = 0; i < s->ncontact; i++) {
    worst = fmax(worst, cone_error(s, &s->contact[i]));
    if (energy > 0) worst = fmax(worst, 1e3 * gain_of(s, &s->contact[i]) / energy * velocity_scale(s));
  }
  for (int b = 0; b < s->nb; b++) {
    double error = fabs(s->u[s->first_b + b]);
    if (error > LOOP_ERROR * s->natural) worst = fmax(worst, error);
  }
  for (int i = 0; i < s->ndry; i++) {
    int row = s->first_dry + i;
    double g = s->G[(size_t)(s->n + 1) * (size_t)row], bound = g * s->dry[i].bound, p = g * s->p[row];
    worst = fmax(worst, fabs(fmin(bound, fmax(-bound, p - s->u[row])) - p));
  }
  return worst / velocity_scale(s);
}
