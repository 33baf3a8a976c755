/* The Coulomb problem of a trial's rows, and its solution.
 *
 * A captured contact must reach a normal velocity, its target; persistent ones close at none. Forces are
 * taken that hold to 1e-6 and bring no energy. Others of a capture stand too, drawn back to where they bring none, and the
 * solve counts as failed.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "coulomb/islands.h"
#include "coulomb/problem.h"
#include "sim/rows.h"

static const double ACCEPTED = 1e-6; /* residual of forces that a step accepts, */
static const double NO_GAIN = 1e-9;  /* if they bring no more energy than this share of what they exchange */
static const double USUAL_ACCURACY = 1e-4, POOR = 1e-2; /* residual with which a capture goes on sweeping */
enum {
  MOST_FACTORS = 200, /* of an island: nearly all captures of small heaps end within (tests/sim/test_heap.c) */
  FEW_CONTACTS = 80,  /* islands of a capture up to this many are solved as far as rounding permits */
  USUAL_SWEEPS = 15,  /* of larger ones, */
  POOR_SWEEPS = 500,  /* where the residual is poor, */
  MANY_SWEEPS = 5000, /* and where more than the usual accuracy is asked for */
};

/* Scale of the terms of a row's velocity, before cancellation. */
static double speed_of_row(const crd_group *group, int index) {
  const crd_row *row = &group->rows->assembler->row[index];
  double speed = 0;
  for (int k = 0; k < row->ndof; k++)
    speed += fabs(crd_row_coefficient(row, k) * group->stage->free_v[crd_row_dof(row, k)]);
  for (int k = 0; row->ndof == 0 && k < 2; k++) {
    double V[6], part = 0;
    if (row->node[k] < 0) continue;
    crd_tree_point_velocity(group->model, group->rows->work, row->body[k], row->point[k], V);
    for (int i = 0; i < 6; i++) part += row->direction[i] * V[i];
    speed += fabs(part);
  }
  return speed;
}

/* Required normal velocity of a captured contact. */
static double target_of(const crd_group *group, const crd_sim_scheme *scheme, const crd_contact *c, double dt) {
  double way = scheme->theta * dt, before = group->rows->before[c->row], gap = c->gap;
  if (!scheme->at_start) gap -= way * group->rows->problem->u[c->row]; /* as it was before the free motion */
  if (!(gap > crd_rows_no_gap(group))) gap = 0;
  bool closes = gap + way * group->rows->w[c->row] < 0, approaches = before < -crd_rows_slowest(group, dt);
  return c->e > 0 && closes && approaches ? -c->e * before : -gap / way;
}

/* All that acts over dt as one problem, from the velocities group->rows->w. A limit that the problem has but nobody asked for
 * carries nothing: bounds of zero. */
static crd_coulomb_problem state_problem(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  const crd_contact_problem *problem = group->rows->problem;
  int m = problem->nrow + problem->nb;
  crd_coulomb_problem s = {.n = m + problem->nf,
                           .w = group->rows->w,
                           .contact = group->rows->cone,
                           .bilateral = group->rows->bilateral,
                           .bounded = group->rows->bounded,
                           .blocks = problem->blocks,
                           .speed = group->rows->speed};
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (group->rows->touch_of[c] < 0) {
      for (int i = 0; i < crd_contact_rows(contact); i++)
        group->rows->bounded[s.nbounded++] = (crd_coulomb_bounded){.row = contact->row + i};
      continue;
    }
    int source = group->rows->touches.item[group->rows->touch_of[c]].source;
    group->rows->mode[s.ncontact] = source >= 0 ? group->forecast->guess[source].mode : CRD_MODE_NONE;
    group->rows->cone[s.ncontact++] =
        (crd_coulomb_contact){.row = contact->row,
                              .ntangent = contact->ntangent,
                              .nspin = contact->nspin,
                              .nroll = contact->nroll,
                              .mu = contact->mu,
                              .mu_spin = contact->mu_spin,
                              .mu_roll = contact->mu_roll,
                              .target = scheme->capture ? target_of(group, scheme, contact, dt) : 0};
  }
  for (int b = 0; b < problem->nb; b++) group->rows->bilateral[s.nbilateral++] = problem->nrow + b;
  for (int i = 0; i < problem->nf; i++) {
    double bound = dt * problem->dry[i].bound;
    group->rows->bounded[s.nbounded++] = (crd_coulomb_bounded){.row = m + i, .lower = -bound, .upper = bound};
  }
  double fall = dt * crd_vec3_norm(group->model->gravity);
  if (scheme->at_start && problem->nb > 0) {
    CRD_EACH (group->part, v, k) fall = fmax(fall, fabs(group->trial->v[k]));
  }
  for (int i = 0; i < s.n; i++)
    group->rows->speed[i] = i < m && !scheme->at_start ? fmax(fall, speed_of_row(group, i)) : fall;
  return s;
}

/* Dry friction of a joint that turns round within the piece acts one way until it stops and the other way afterwards.
 * With all else constant, u' = (w - u0) / dt without friction, it stops after
 *
 *   t = u0 dt / (u0 - w + dt b g)        u0 > 0, g: compliance of the joint
 *
 * so that its impulse is at most b (dt - 2 t), which just holds it where it stays at rest. A bound of b dt in the piece
 * of every turn would make the motion first order. w: without the joint's own friction, with all others as guessed. */
static void bound_turning(crd_group *group, const crd_coulomb_problem *s, double dt) {
  const crd_contact_problem *problem = group->rows->problem;
  int m = problem->nrow + problem->nb;
  crd_coulomb_velocity(s, group->rows->p, group->rows->u);
  for (int i = 0; i < problem->nf; i++) {
    crd_coulomb_bounded *dry = &group->rows->bounded[s->nbounded - problem->nf + i];
    double g = crd_coulomb_diagonal(s, m + i), b = problem->dry[i].bound, u0 = group->rows->before[m + i];
    double sign = u0 < 0 ? -1 : 1, w = sign * (group->rows->u[m + i] - g * group->rows->p[m + i]), speed = fabs(u0);
    double stops = speed * dt / (speed - w + dt * b * g);
    if (!(speed > 0 && stops > 0 && stops < dt)) continue;
    if (sign > 0)
      dry->upper = b * (dt - 2 * stops);
    else
      dry->lower = -b * (dt - 2 * stops);
  }
}

/* Energy that violated contacts add, relative to the energy exchanged: a contact that hardly can move (a
 * folded link) may put in much at velocities far below all others. */
static double gain_of(const crd_group *group, const crd_coulomb_problem *s) {
  double gain = 0, exchanged = 0;
  for (int i = 0; i < s->n; i++) exchanged += fabs(group->rows->p[i] * group->rows->w[i]);
  for (int k = 0; k < s->ncontact; k++) {
    const crd_coulomb_contact *c = &s->contact[k];
    double power = -group->rows->p[c->row] * c->target; /* which the law asks for */
    for (int i = c->row; i <= c->row + c->ntangent + c->nspin + c->nroll; i++)
      power += group->rows->p[i] * group->rows->u[i];
    gain = fmax(gain, power);
  }
  return exchanged > 0 ? gain / exchanged : 0;
}

/* A residual above the solver's tolerance is taken where it brings no energy. */
static bool holds(const crd_group *group, const crd_coulomb_problem *s, crd_status status,
                  const crd_coulomb_report *report) {
  return status == CRD_LIMIT && report->residual <= ACCEPTED && gain_of(group, s) <= NO_GAIN;
}

/* An answer that is no solution may bring energy, s p . w + s^2 p . G p / 2 for the share s of it: then only as much of
 * it acts as brings none. */
static void draw_back(crd_group *group, int n) {
  double linear = 0, square = 0;
  for (int i = 0; i < n; i++) {
    linear += group->rows->p[i] * group->rows->w[i];
    square += group->rows->p[i] * (group->rows->u[i] - group->rows->w[i]);
  }
  if (linear + square / 2 <= 0) return; /* false for NaN */
  double share = linear < 0 && square > 0 ? -2 * linear / square : 0;
  for (int i = 0; i < n; i++) {
    group->rows->p[i] = share > 0 ? share * group->rows->p[i] : 0;
    group->rows->u[i] =
        share > 0 ? group->rows->w[i] + share * (group->rows->u[i] - group->rows->w[i]) : group->rows->w[i];
  }
}

static bool all_zero(const crd_part *part, const double *x) {
  CRD_EACH (part, v, i)
    if (x[i] != 0) return false;
  return true;
}

/* At rest: do the impulses of the last step solve this one? The weight is the scale of each island. */
static bool guess_holds(const crd_group *group, crd_coulomb_problem problem, double tolerance, crd_coulomb_state *state,
                        crd_coulomb_report *report) {
  crd_coulomb_residual_parts parts;
  if (!all_zero(group->part, group->now.v)) return false;
  problem.speed = NULL, problem.velocity = group->rows->speed[0];
  if (crd_coulomb_residual(&problem, state->p, state->u, &parts) != CRD_OK) return false;
  report->residual = parts.worst + parts.rounding;
  if (report->residual > tolerance) return false;
  crd_coulomb_modes(&problem, state->p, state->u, state->mode);
  return true;
}

/* Accepts the residual reached, but no gain of energy. */
static crd_status solve_capture(crd_group *group, const crd_sim_scheme *scheme, const crd_coulomb_problem *s,
                                crd_coulomb_options *options, crd_coulomb_state *state, crd_coulomb_report *report) {
  options->large_contacts = FEW_CONTACTS, options->large_tolerance = group->options->accuracy;
  options->max_sweeps = group->options->accuracy < USUAL_ACCURACY ? MANY_SWEEPS : USUAL_SWEEPS;
  group->seen.still = scheme->at_start && guess_holds(group, *s, options->tolerance, state, report);
  if (group->seen.still) return CRD_OK;
  crd_status status = crd_coulomb_solve(group->rows->coulomb, s, options, state, report);
  if (status == CRD_LIMIT && report->residual > POOR) { /* an impact runs through many bodies */
    options->large_tolerance = fmax(POOR, options->large_tolerance), options->max_sweeps = POOR_SWEEPS;
    status = crd_coulomb_solve(group->rows->coulomb, s, options, state, report);
  }
  if (status <= CRD_OK || holds(group, s, status, report)) return status < CRD_OK ? status : CRD_OK;
  if (status == CRD_NO_SOLUTION) crd_coulomb_velocity(s, group->rows->p, group->rows->u); /* the guess stands */
  draw_back(group, s->n);
  group->seen.failed = true;
  return CRD_OK;
}

static crd_status solve_persistent(crd_group *group, const crd_coulomb_problem *s, crd_coulomb_options *options,
                                   crd_coulomb_state *state, crd_coulomb_report *report) {
  crd_status status = crd_coulomb_solve(group->rows->coulomb, s, options, state, report);
  if (holds(group, s, status, report)) return CRD_OK;
  return status <= CRD_OK ? status : CRD_LIMIT;
}

/* Net contact forces from the pressures found; the velocities stay. */
static void press_back(crd_group *group, int n) {
  memcpy(group->rows->scratch, group->rows->u, (size_t)n * sizeof *group->rows->u);
  crd_rows_press(group, -1);
  memcpy(group->rows->u, group->rows->scratch, (size_t)n * sizeof *group->rows->u);
}

/* Impulses, velocities and modes of the rows into group->rows->p, u and mode; their islands into group->rows->island. */
crd_status crd_rows_solve(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_problem s = state_problem(group, scheme, dt);
  crd_coulomb_state state = {group->rows->p, group->rows->u, group->rows->mode};
  crd_coulomb_report report = {.islands = 1};
  options.warm = true, options.max_factorizations = MOST_FACTORS;
  options.stop = group->options->stop, options.context = group->options->stop_context;
  crd_rows_collect_forces(group, group->forecast->guess, dt);
  const bool pulled = crd_rows_pull(group, dt);
  if (pulled) crd_rows_press(group, 1);
  if (!scheme->capture) bound_turning(group, &s, dt);
  crd_status status = scheme->capture ? solve_capture(group, scheme, &s, &options, &state, &report)
                                      : solve_persistent(group, &s, &options, &state, &report);
  if (pulled) press_back(group, s.n);
  if (crd_sim_stopped(group)) return CRD_STOPPED;
  if (status < CRD_OK) return crd_sim_fail(group, status, "contacts: %s", crd_status_text(status));
  group->ledger.counters.solves += scheme->capture ? 1 : report.islands;
  group->seen.residual = report.residual;
  if (!group->seen.still)
    memcpy(group->rows->island, crd_coulomb_islands(group->rows->coulomb), (size_t)s.n * sizeof *group->rows->island);
  /* the cones leave out limits that carry nothing */
  for (int c = group->rows->problem->nc - 1, cone = s.ncontact; c >= 0; c--)
    group->rows->mode[c] = group->rows->touch_of[c] >= 0 ? group->rows->mode[--cone] : CRD_MODE_NONE;
  if (status == CRD_OK) return CRD_OK;
  return crd_sim_fail(group, CRD_LIMIT, "contacts: no forces were found that hold %d contacts and %d loop rows",
                      s.ncontact, s.nbilateral);
}
