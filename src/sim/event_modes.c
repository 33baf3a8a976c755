/* Modes at an instant: the solution of one Coulomb problem of forces and accelerations (analysis/acceleration_rows.h).
 *
 *   a contact carries where its force does, else it opens or, where others keep its gap, is idle
 *   it slips where it slides already or its tangential acceleration is not zero, else it sticks
 *   a joint at its bound slips where its acceleration is not zero, else dry friction holds it
 *
 * At the instant at which a phase ends this is a tie: the force that has just vanished belongs to an acceleration that is
 * still zero, and so does friction that has just been used up. Ties go to what the event wants (`before`): it is stated
 * as given, a contact left out or friction at its bound, and only where the answer contradicts it, which would close the
 * contact or move against its friction, the wish is dropped and the problem solved again. So forces that are not unique
 * change no more than they must. Where others stick friction can stay at its bound (one of two legs that press against
 * each other): the unit is `tied`, and nothing is asked of its velocity. A contact that others let move in one direction
 * only (one of two points of a foot) is first asked to stick with less friction, which lets the others carry more.
 *
 * Friction that drives sliding contacts together can leave no solution, or several (Painleve). Only such islands, and
 * those that the solver does not solve, are enumerated. */
#include "sim/event_modes.h"

#include <math.h>
#include <string.h>

#include "analysis/acceleration_rows.h"
#include "base/layout.h"
#include "coulomb/islands.h"
#include "linalg/dense.h"

enum { FEW_SLIDING = 3, MOST_WISHES = 16 }; /* contacts: see is_doubtful; times that wishes are dropped */

/* Thresholds for reading modes. */
static const struct {
  double zero;     /* accelerations below this share of an island's scale are zero */
  double at_bound; /* friction within this share of its bound is at it */
  double most;     /* share of its friction that a contact is asked to stick with at most, else it slips */
  double accepted; /* residual of forces whose modes are worth asking: mass ratios of a million leave 1e-9 */
} accuracy = {.zero = 1e-8, .at_bound = 1e-6, .most = 0.999, .accepted = 1e-6};

/* ------------------------------------------------------------------------------------------------ one island */

/* G_in - mu sum_k d_k G_i,tk of a contact that slides. */
static double sliding_entry(const crd_coulomb_problem *problem, int row, const crd_coulomb_contact *contact) {
  const double *G = problem->G + (size_t)problem->n * (size_t)row + contact->row;
  double entry = G[0];
  for (int k = 0; k < contact->ntangent; k++) entry -= contact->mu * contact->slide[k] * G[1 + k];
  return entry;
}

/* Does sliding friction alone close a contact? */
static bool is_driven(const crd_coulomb_problem *problem, const crd_coulomb_contact *contact) {
  return contact->slides && !(sliding_entry(problem, contact->row, contact) > 0);
}

/* Can sliding friction leave the contacts without a force, or with several? Not where their normals, with their
 * friction, are positive definite. Where many slide, only one that friction drives together by itself is looked into:
 * dependent normals (corners of a face) are indefinite without being ambiguous, and the modes of many are too many. */
static bool is_doubtful(const crd_coulomb_problem *problem) {
  double S[FEW_SLIDING * FEW_SLIDING];
  const crd_coulomb_contact *sliding[FEW_SLIDING];
  int n = 0;
  for (int c = 0; c < problem->ncontact; c++) {
    const crd_coulomb_contact *contact = &problem->contact[c];
    if (!contact->slides) continue;
    if (is_driven(problem, contact)) return true;
    if (n < FEW_SLIDING) sliding[n] = contact;
    n++;
  }
  if (n == 0 || n > FEW_SLIDING) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      S[n * i + j] = 0.5 * (sliding_entry(problem, sliding[i]->row, sliding[j]) +
                            sliding_entry(problem, sliding[j]->row, sliding[i]));
  return !crd_dense_cholesky(n, S);
}

static double total_normal(const crd_coulomb_problem *problem, const double *f) {
  double sum = 0;
  for (int c = 0; c < problem->ncontact; c++) sum += f[problem->contact[c].row];
  return sum;
}

/* Of all solutions the one with the least contact force. CRD_LIMIT: undecided. */
static crd_status by_enumeration(const crd_coulomb_problem *problem, const crd_force_tools *tools,
                                 crd_coulomb_state *state, crd_force_verdict *verdict) {
  crd_coulomb_enumerate_options options = crd_coulomb_enumerate_default();
  crd_coulomb_solutions all = {0};
  options.stop = tools->stop, options.context = tools->context;
  crd_status status = crd_coulomb_enumerate(problem, &options, &all);
  crd_coulomb_motion motion = crd_coulomb_judge(&all).motion;
  if (motion == CRD_MOTION_NONE) *verdict = CRD_FORCE_NONE;
  if (motion == CRD_MOTION_SEVERAL) *verdict = CRD_FORCE_SEVERAL;
  int least = 0;
  for (int k = 1; k < all.count; k++)
    if (total_normal(problem, all.solution[k].p) < total_normal(problem, all.solution[least].p)) least = k;
  if (all.count > 0) {
    memcpy(state->p, all.solution[least].p, sizeof *state->p * (size_t)problem->n);
    memcpy(state->u, all.solution[least].u, sizeof *state->u * (size_t)problem->n);
  }
  bool decided = all.count > 0 || motion == CRD_MOTION_NONE;
  crd_coulomb_solutions_free(&all);
  return status < 0 ? status : decided ? CRD_OK : CRD_LIMIT;
}

/* CRD_LIMIT: not solved, or only by the list of all solutions, which says more than one of them. */
static crd_status by_solving(const crd_coulomb_problem *problem, bool warm, const crd_force_tools *tools,
                             crd_coulomb_state *state) {
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_report report;
  options.warm = warm, options.large_tolerance = options.tolerance;
  options.stop = tools->stop, options.context = tools->context;
  crd_status status = crd_coulomb_solve(tools->cones, problem, &options, state, &report);
  if (status == CRD_LIMIT && report.residual <= accuracy.accepted) status = CRD_OK;
  return status > 0 || report.settled[CRD_COULOMB_MODES] > 0 ? CRD_LIMIT : status;
}

static crd_mode mode_of_kind(crd_phase_kind kind) {
  static const crd_mode mode[] = {CRD_MODE_NONE, CRD_MODE_SEPARATE, CRD_MODE_NONE, CRD_MODE_STICK, CRD_MODE_SLIP};
  return mode[kind];
}

/* The guess of an island into state; false: the previous mode of one of its contacts is not known. */
static bool set_guess(const crd_mode_input *input, const crd_acceleration_rows *rows, const crd_island_problem *island,
                      crd_coulomb_state *state) {
  bool known = input->before && input->guess;
  for (int c = 0; known && c < island->problem.ncontact; c++) {
    crd_phase_kind kind = input->before[rows->contact[island->contact[c]]].kind;
    known = kind != CRD_PHASE_UNKNOWN, state->mode[c] = mode_of_kind(kind);
  }
  for (int i = 0; i < island->problem.n; i++) state->p[i] = known ? input->guess[rows->row[island->row[i]]] : 0;
  return known;
}

/* Forces and accelerations of an island into state. */
static crd_status solve_island(const crd_mode_input *input, const crd_acceleration_rows *rows,
                               const crd_island_problem *island, const crd_force_tools *tools, crd_coulomb_state *state,
                               crd_force_verdict *verdict) {
  const crd_coulomb_problem *problem = &island->problem;
  bool doubtful = is_doubtful(problem), warm = set_guess(input, rows, island, state);
  crd_status status =
      doubtful ? by_enumeration(problem, tools, state, verdict) : by_solving(problem, warm, tools, state);
  if (status != CRD_LIMIT) return status;
  status = doubtful ? by_solving(problem, warm, tools, state) : by_enumeration(problem, tools, state, verdict);
  /* more modes than can be listed (many joints with dry friction), and forces run away from what friction drives together */
  for (int c = 0; status == CRD_LIMIT && c < problem->ncontact; c++)
    if (is_driven(problem, &problem->contact[c])) *verdict = CRD_FORCE_NONE, status = CRD_OK;
  return status;
}

/* ------------------------------------------------------------------------------------------------ all islands */

/* Forces and accelerations of all rows; zero: per row, m/s^2, below which an acceleration there is none. */
typedef struct solution {
  double *f, *a, *zero;
  double *bound; /* nb: infinite for loops, zero for joints that slip */
  double *share; /* nc: of its friction that a contact may use; NULL: all */
} solution;

static crd_status reserve(const crd_force_problem *force, crd_arena *arena, solution *s, crd_coulomb_state *state) {
  size_t m = (size_t)(force->problem->nrow + force->problem->nb) + 1;
  return CRD_TAKE(arena, CRD_ARRAY(s->a, m), CRD_ARRAY(s->zero, m), CRD_ARRAY(s->bound, m), CRD_ARRAY(state->p, m),
                  CRD_ARRAY(state->u, m), CRD_ARRAY(state->mode, force->problem->nc + 1));
}

/* Joints that slip have the force that they have: a = a_free + W f of these alone. */
static void begin(const crd_force_problem *force, const double *slip, solution *s) {
  const crd_contact_problem *problem = force->problem;
  int m = problem->nrow + problem->nb, loops = problem->nb - force->ndry;
  memset(s->f, 0, sizeof *s->f * (size_t)m);
  for (int b = 0; b < loops; b++) s->bound[b] = INFINITY;
  for (int k = 0; k < force->ndry; k++) {
    double sign = slip[2 * (problem->nc + k)];
    s->bound[loops + k] = sign != 0 ? 0 : force->bound[k];
    s->f[crd_force_dry_row(force, k)] = -sign * force->bound[k];
  }
  for (int i = 0; i < m; i++) s->a[i] = force->a_free[i] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)i, s->f);
}

static crd_status solve(const crd_force_problem *force, const crd_mode_input *input, const crd_force_tools *tools,
                        solution *s, crd_force_verdict *verdict) {
  crd_coulomb_state state;
  crd_acceleration_rows rows;
  crd_island_problem *island;
  int count;
  crd_status status = reserve(force, tools->arena, s, &state);
  if (status != CRD_OK) return status;
  double least = accuracy.zero * force->scale; /* of rows that carry nothing */
  for (int i = 0; i < force->problem->nrow + force->problem->nb; i++) s->zero[i] = least;
  begin(force, input->slip, s);
  const crd_acceleration_input given = {.problem = force->problem,
                                        .a_free = s->a,
                                        .slip = input->slip,
                                        .parts = input->parts,
                                        .bound = s->bound,
                                        .share = s->share,
                                        .scale = force->scale};
  *verdict = CRD_FORCE_UNIQUE;
  status = crd_acceleration_rows_form(&rows, &given, tools->arena);
  if (status == CRD_OK) status = crd_island_problems(&rows.problem, tools->arena, &island, &count);
  for (int i = 0; status == CRD_OK && i < count; i++) {
    status = solve_island(input, &rows, &island[i], tools, &state, verdict);
    if (status != CRD_OK || *verdict == CRD_FORCE_NONE) return status;
    for (int k = 0; k < island[i].problem.n; k++) {
      int row = rows.row[island[i].row[k]];
      s->f[row] = state.p[k], s->a[row] = state.u[k];
      s->zero[row] = accuracy.zero * crd_coulomb_scale(&island[i].problem);
    }
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------ modes */

static double length_of(int n, const double *x) { return n == 2 ? hypot(x[0], x[1]) : n == 1 ? fabs(x[0]) : 0; }

static crd_phase_mode slip_along(int n, const double *x, double sign) {
  crd_phase_mode mode = {.kind = CRD_PHASE_SLIP};
  double length = length_of(n, x);
  for (int k = 0; k < n && length > 0; k++) mode.d[k] = sign * x[k] / length;
  return mode;
}

/* Friction x of n rows within `bound` with acceleration a. It tells the direction in which sliding begins better than
 * the acceleration does, which may be small. */
static crd_phase_mode mode_at_rest(int n, const double *x, const double *a, double bound, double zero) {
  bool at_bound = length_of(n, x) >= bound * (1 - accuracy.at_bound);
  if (at_bound && length_of(n, a) > zero) return bound > 0 ? slip_along(n, x, -1) : slip_along(n, a, 1);
  return (crd_phase_mode){.kind = CRD_PHASE_STICK};
}

static crd_phase_mode mode_of_contact(const crd_force_problem *force, const crd_mode_input *input,
                                      const crd_mode_input *wished, const solution *s, int c) {
  const crd_contact *contact = &force->problem->contact[c];
  int row = contact->row, m = force->problem->nrow + force->problem->nb;
  double push = s->f[row] * force->problem->W[(size_t)(m + 1) * (size_t)row], *f = s->f + row;
  if (input->parts && input->parts[c]) return (crd_phase_mode){.kind = CRD_PHASE_OPEN};
  if (push <= s->zero[row]) return (crd_phase_mode){.kind = s->a[row] > s->zero[row] ? CRD_PHASE_OPEN : CRD_PHASE_IDLE};
  if (!crd_contact_rubs(contact)) return (crd_phase_mode){.kind = CRD_PHASE_SLIP};
  if (crd_contact_slides(wished->slip, c)) return slip_along(contact->ntangent, wished->slip + 2 * c, 1);
  return mode_at_rest(contact->ntangent, f + 1, s->a + row + 1, contact->mu * f[0], s->zero[row]);
}

static crd_phase_mode mode_of_dry(const crd_force_problem *force, const crd_mode_input *input, const solution *s,
                                  int k) {
  int row = crd_force_dry_row(force, k), unit = force->problem->nc + k;
  if (crd_contact_slides(input->slip, unit)) return slip_along(1, input->slip + 2 * unit, 1);
  return mode_at_rest(1, s->f + row, s->a + row, force->bound[k], s->zero[row]);
}

/* Idle is a contact without force only where others keep its gap, else it is free to open: its force has just vanished.
 * Tied is one that is at its bound where others keep it from sliding. */
static crd_status find_ties(const crd_force_problem *force, const crd_mode_input *input, const crd_force_tools *tools,
                            const solution *s, crd_phase_mode *mode) {
  crd_status status = CRD_OK;
  int nc = force->problem->nc;
  for (int i = 0; status == CRD_OK && i < nc + force->ndry; i++) {
    const crd_contact *contact = i < nc ? &force->problem->contact[i] : NULL;
    bool idle = mode[i].kind == CRD_PHASE_IDLE;
    int first = contact ? contact->row + !idle : crd_force_dry_row(force, i - nc);
    int row[2] = {first, first + 1}, count = contact && !idle ? contact->ntangent : 1;
    bool starts = mode[i].kind == CRD_PHASE_SLIP && !crd_contact_slides(input->slip, i) && count > 0 &&
                  (!contact || crd_contact_rubs(contact));
    int freedom = 0;
    if (!idle && !starts) continue;
    status = crd_force_freedom(force, mode, row, count, tools, &freedom, NULL);
    if (idle && freedom > 0) mode[i].kind = CRD_PHASE_OPEN;
    mode[i].tied = starts && freedom == 0 && length_of(count, s->a + first) <= s->zero[first];
    mode[i].turns = starts && freedom == 2;
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------ wishes */

/* First row of a unit's friction, and how many there are. */
static int friction_rows(const crd_force_problem *force, int unit, int *first) {
  int nc = force->problem->nc;
  *first = unit < nc ? force->problem->contact[unit].row + 1 : crd_force_dry_row(force, unit - nc);
  return unit >= nc ? 1 : crd_contact_rubs(&force->problem->contact[unit]) ? force->problem->contact[unit].ntangent : 0;
}

/* Requirements of the units: contacts that part, given directions of slip, less friction. */
typedef struct wishes {
  bool *parts;                 /* nc */
  double *slip, *next, *share; /* 2 per unit: stated; where less friction is asked for first, the next wish; nc */
  bool any;
} wishes;

static crd_status reserve_wishes(const crd_force_problem *force, crd_arena *arena, wishes *w) {
  size_t nc = (size_t)force->problem->nc + 1, units = nc + (size_t)force->ndry;
  return CRD_TAKE(arena, CRD_MATRIX(w->slip, units, 2), CRD_MATRIX(w->next, units, 2), CRD_ARRAY(w->share, nc),
                  CRD_ARRAY(w->parts, nc));
}

/* Unit i begins to slip: against its friction, or where others leave it one direction only, along that. */
static crd_status wish_to_slip(const crd_force_problem *force, const crd_mode_input *input,
                               const crd_force_tools *tools, int unit, wishes *w) {
  int first, n = friction_rows(force, unit, &first), freedom;
  const int row[2] = {first, first + 1};
  double along[2], *d = w->slip + 2 * unit;
  memcpy(d, slip_along(n, input->guess + first, -1).d, 2 * sizeof *d);
  if (n < 2) return CRD_OK;
  crd_status status = crd_force_freedom(force, input->before, row, 2, tools, &freedom, along);
  if (status != CRD_OK || freedom != 1) return status;
  double used = d[0] * along[0] + d[1] * along[1];
  bool used_up = fabs(used) >= 1 - accuracy.at_bound;
  if (!used_up) w->share[unit] = (1 + fabs(used)) / 2; /* the force across it can decrease */
  for (int k = 0; k < 2; k++) w->next[2 * unit + k] = d[k], d[k] = used_up ? copysign(1, used) * along[k] : 0;
  return CRD_OK;
}

static crd_status state_wishes(const crd_force_problem *force, const crd_mode_input *input,
                               const crd_force_tools *tools, wishes *w) {
  int nc = force->problem->nc, units = nc + force->ndry, first;
  crd_status status = reserve_wishes(force, tools->arena, w);
  if (status != CRD_OK) return status;
  memcpy(w->slip, input->slip, sizeof *w->slip * 2 * (size_t)units);
  for (int c = 0; c < nc; c++) w->parts[c] = input->parts && input->parts[c], w->share[c] = 1;
  for (int i = 0; status == CRD_OK && input->before && input->guess && i < units; i++) {
    bool opens = i < nc && !w->parts[i] && input->before[i].kind == CRD_PHASE_OPEN;
    bool slips = input->before[i].kind == CRD_PHASE_SLIP && !input->before[i].turns &&
                 friction_rows(force, i, &first) > 0 && !crd_contact_slides(w->slip, i);
    if (opens) w->parts[i] = true;
    if (slips) status = wish_to_slip(force, input, tools, i, w);
    w->any = w->any || opens || slips;
  }
  return status;
}

/* Takes back the wishes that the solution contradicts; true: there were some. */
static bool drop_wishes(const crd_force_problem *force, const crd_mode_input *input, const solution *s, wishes *w) {
  int nc = force->problem->nc, first;
  bool dropped = false;
  for (int i = 0; i < nc + force->ndry; i++) {
    int n = friction_rows(force, i, &first), normal = i < nc ? force->problem->contact[i].row : first;
    double *d = w->slip + 2 * i, along = 0;
    bool opens = i < nc && w->parts[i] && !(input->parts && input->parts[i]);
    bool slips = crd_contact_slides(w->slip, i) && !crd_contact_slides(input->slip, i);
    bool less = i < nc && w->share[i] < 1 && length_of(n, s->a + first) > s->zero[first];
    for (int k = 0; slips && k < n; k++) along += d[k] * s->a[first + k];
    bool back = slips && along < -s->zero[first], closes = opens && s->a[normal] < -s->zero[normal];
    if (closes) w->parts[i] = false;
    if (back) d[0] = d[1] = 0;
    if (less) w->share[i] = (1 + w->share[i]) / 2;
    if (less && w->share[i] > accuracy.most) w->share[i] = 1, memcpy(d, w->next + 2 * i, 2 * sizeof *d);
    dropped = dropped || closes || back || less;
  }
  return dropped;
}

/* Accelerations of all rows, those that carry nothing included. */
static void set_accelerations(const crd_force_problem *force, solution *s) {
  int m = force->problem->nrow + force->problem->nb;
  for (int i = 0; i < m; i++)
    s->a[i] = force->a_free[i] + crd_dense_dot(m, force->problem->W + (size_t)m * (size_t)i, s->f);
}

/* The problem with all wishes that it does not contradict; they are in *wished, whose memory comes from the arena. */
static crd_status solve_with_wishes(const crd_force_problem *force, const crd_mode_input *input,
                                    const crd_force_tools *tools, crd_mode_input *wished, solution *s,
                                    crd_force_verdict *verdict) {
  wishes w = {0};
  crd_status status = state_wishes(force, input, tools, &w);
  if (status != CRD_OK) return status;
  *wished = *input;
  for (int round = 0; w.any && round < MOST_WISHES; round++) {
    wished->slip = w.slip, wished->parts = w.parts, s->share = w.share;
    status = solve(force, wished, tools, s, verdict);
    if (status < 0) return status;
    if (status != CRD_OK || *verdict != CRD_FORCE_UNIQUE) break;
    set_accelerations(force, s);
    if (!drop_wishes(force, input, s, &w)) return CRD_OK;
  }
  *wished = *input, s->share = NULL;
  return solve(force, input, tools, s, verdict);
}

crd_status crd_modes_find(const crd_force_problem *force, const crd_mode_input *input, const crd_force_tools *tools,
                          crd_phase_mode *mode, double *f, crd_force_verdict *verdict) {
  solution s = {.f = f};
  crd_mode_input wished;
  crd_status status = solve_with_wishes(force, input, tools, &wished, &s, verdict);
  if (status != CRD_OK || *verdict == CRD_FORCE_NONE) return status;
  for (int c = 0; c < force->problem->nc; c++) mode[c] = mode_of_contact(force, input, &wished, &s, c);
  for (int k = 0; k < force->ndry; k++) mode[force->problem->nc + k] = mode_of_dry(force, &wished, &s, k);
  return find_ties(force, input, tools, &s, mode);
}
