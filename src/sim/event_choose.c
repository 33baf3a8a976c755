/* Modes of closed contacts that act on each other: who opens, holds, sticks and slides from now on.
 *
 * Modes that still hold from before are asked first: one solution of their equations tells. Else forces on the round
 * cones (event_cones.c), or from the contact LCP (event_lcp.c) where friction may leave no solution or several, show
 * the modes; the forces are then solved for with these modes (crd_force_solve), the direction of a contact that begins
 * to slide by iteration, and modes that the answer contradicts are taken back.
 *
 * Contacts that could carry but need not (a vertex of the solution set is what a pivoting method finds) are held too
 * where that needs no pull, so that a box stands on all its corners.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "sim/event_choice.h"

static const double ZERO = CRD_CHOICE_ZERO; /* share of the problem's scale */
enum { DIRECTIONS = 200, MOST_LCP = 24 };   /* contacts: the LCP of more takes minutes where it is hard */

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

/* ------------------------------------------------------------------------------------------------ common */

bool crd_choice_slides(const crd_choice *ch, int c) { return ch->slip[2 * c] != 0 || ch->slip[2 * c + 1] != 0; }

bool crd_choice_rubs(const crd_contact *contact) { return contact->ntangent > 0 && contact->mu > 0; }

double crd_choice_tangential(const crd_contact *contact, const double *x) {
  const double *t = x + contact->row + 1;
  return contact->ntangent == 2 ? hypot(t[0], t[1]) : contact->ntangent == 1 ? fabs(t[0]) : 0;
}

/* Normal force of contact c as the acceleration that it makes there by itself. */
static double push(const crd_choice *ch, int c, const double *f) {
  int row = ch->given->contact[c].row;
  return f[row] * ch->given->W[at(ch->m, row, row)];
}

bool crd_choice_carries(const crd_choice *ch, int c, const double *f) {
  return push(ch, c, f) > ZERO * ch->force->scale;
}

void crd_choice_accelerate(crd_choice *ch) {
  for (int i = 0; i < ch->m; i++)
    ch->a[i] = ch->force->a_free[i] + crd_dense_dot(ch->m, ch->given->W + at(ch->m, i, 0), ch->f);
}

/* ------------------------------------------------------------------------------------------------ modes */

static void set_slip(crd_held *held, const crd_contact *contact, const double *direction, double sign) {
  double length = contact->ntangent == 2 ? hypot(direction[0], direction[1]) : fabs(direction[0]);
  held->hold = CRD_HOLD_SLIP;
  for (int k = 0; k < 2; k++) held->d[k] = k < contact->ntangent && length > 0 ? sign * direction[k] / length : 0;
}

static void first_modes(const crd_choice *ch, crd_held *held, bool *carrier) {
  double zero = ZERO * ch->force->scale;
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    held[c] = (crd_held){.hold = CRD_HOLD_OPEN};
    carrier[c] = crd_choice_carries(ch, c, ch->f);
    if (!carrier[c] && ch->a[contact->row] > zero) continue;
    if (!crd_choice_rubs(contact))
      held[c].hold = CRD_HOLD_SLIP;
    else if (crd_choice_slides(ch, c))
      set_slip(&held[c], contact, ch->slip + 2 * c, 1);
    else if (crd_choice_tangential(contact, ch->a) <= zero)
      held[c].hold = CRD_HOLD_STICK;
    else
      set_slip(&held[c], contact, ch->a + contact->row + 1, 1);
  }
}

/* A bound on the tangential acceleration at contact c that friction of all contacts can make. */
static double friction_reach(const crd_choice *ch, int c, const double *f) {
  const crd_contact *contact = &ch->given->contact[c];
  double sum = 0;
  for (int j = 0; j < ch->given->nc; j++) {
    const crd_contact *other = &ch->given->contact[j];
    double square = 0;
    for (int k = 0; k < contact->ntangent; k++)
      for (int l = 0; l < other->ntangent; l++) {
        double entry = ch->given->W[at(ch->m, contact->row + 1 + k, other->row + 1 + l)];
        square += entry * entry;
      }
    sum += other->mu * fabs(f[other->row]) * sqrt(square);
  }
  return sum;
}

/* Solves with the modes; contacts that begin to slide get the direction of the acceleration a_t they are left with:
 * the fixed point of d -> (a_t + rho d)/|a_t + rho d|, with rho so large that friction cannot overshoot. */
static crd_status solve_modes(crd_choice *ch, crd_held *held, crd_force_answer *answer) {
  crd_status status = CRD_OK;
  for (int round = 0; round < DIRECTIONS; round++) {
    double change = 0;
    status = crd_force_solve(ch->force, held, ch->tools, answer);
    if (status != CRD_OK) return status;
    for (int c = 0; c < ch->given->nc; c++) {
      const crd_contact *contact = &ch->given->contact[c];
      if (held[c].hold != CRD_HOLD_SLIP || held[c].bound || crd_choice_slides(ch, c) || contact->ntangent < 2 ||
          !crd_choice_rubs(contact))
        continue;
      double rho = friction_reach(ch, c, answer->f), along[2];
      crd_held before = held[c];
      for (int k = 0; k < 2; k++) along[k] = answer->a[contact->row + 1 + k] + rho * before.d[k];
      set_slip(&held[c], contact, along, 1);
      change = fmax(change, hypot(held[c].d[0] - before.d[0], held[c].d[1] - before.d[1]));
    }
    if (change <= 1e-14) break;
  }
  return status;
}

/* A contact that begins to slide by the facets' word sticks if the round cone lets it. */
static crd_status prefer_sticking(crd_choice *ch, crd_held *held, crd_force_answer *answer) {
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    if (held[c].hold != CRD_HOLD_SLIP || crd_choice_slides(ch, c) || contact->ntangent < 2 || !crd_choice_rubs(contact))
      continue;
    crd_held before = held[c];
    crd_force_answer trial;
    held[c].hold = CRD_HOLD_STICK;
    if (crd_force_solve(ch->force, held, ch->tools, &trial) == CRD_OK &&
        crd_choice_tangential(contact, trial.f) <= contact->mu * trial.f[contact->row])
      *answer = trial;
    else
      held[c] = before;
  }
  return CRD_OK;
}

/* The held contact that pulls most, -1: none. */
static int worst_pull(const crd_choice *ch, const crd_held *held, const crd_force_answer *answer) {
  int worst = -1;
  double most = fmax(ZERO * ch->force->scale, answer->rounding);
  for (int c = 0; c < ch->given->nc; c++) {
    double pull = -push(ch, c, answer->f);
    if (held[c].hold >= CRD_HOLD_STICK && pull > most) most = pull, worst = c;
  }
  return worst;
}

/* The sticking contact whose friction is farthest outside its cone, -1: none. */
static int worst_stick(const crd_choice *ch, const crd_held *held, const crd_force_answer *answer) {
  int worst = -1;
  double most = 0;
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    if (held[c].hold != CRD_HOLD_STICK) continue;
    double outside = crd_choice_tangential(contact, answer->f) - contact->mu * answer->f[contact->row];
    double size = fabs(answer->f[contact->row]) * contact->mu;
    if (outside > 1e-9 * size && outside > most) most = outside, worst = c;
  }
  return worst;
}

/* Friction at its bound means sliding where nothing sticks any more. */
static void unbind(const crd_choice *ch, crd_held *held) {
  for (int c = 0; c < ch->given->nc; c++)
    if (held[c].hold == CRD_HOLD_STICK) return;
  for (int c = 0; c < ch->given->nc; c++) held[c].bound = false;
}

/* The contact without force that would close, -1: none. */
static int worst_closing(const crd_choice *ch, const crd_held *held, const crd_force_answer *answer) {
  int worst = -1;
  double most = fmax(ZERO * ch->force->scale, answer->rounding);
  for (int c = 0; c < ch->given->nc; c++) {
    double closing = -answer->a[ch->given->contact[c].row];
    if (held[c].hold < CRD_HOLD_STICK && closing > most) most = closing, worst = c;
  }
  return worst;
}

/* A contact that needs no force and is not tied to others that do (a corner among corners) is free to open: its force
 * has just vanished. */
static void let_go(crd_choice *ch, crd_held *held, const crd_force_answer *answer) {
  for (int c = 0; c < ch->given->nc; c++) {
    if (held[c].hold < CRD_HOLD_STICK) continue;
    if (fabs(push(ch, c, answer->f)) > ZERO * ch->force->scale) continue;
    crd_held before = held[c];
    crd_force_answer without;
    held[c] = (crd_held){.hold = CRD_HOLD_OPEN};
    bool solved = crd_force_solve(ch->force, held, ch->tools, &without) == CRD_OK;
    bool independent = solved && answer->rank - without.rank == answer->rows - without.rows;
    if (!independent) held[c] = before;
  }
}

/* The mode of a contact that has to hold again. */
static void hold_again(const crd_choice *ch, crd_held *held, int c) {
  const crd_contact *contact = &ch->given->contact[c];
  if (crd_choice_slides(ch, c))
    set_slip(&held[c], contact, ch->slip + 2 * c, 1);
  else
    held[c] = (crd_held){.hold = crd_choice_rubs(contact) ? CRD_HOLD_STICK : CRD_HOLD_SLIP};
}

/* Takes modes back one by one until no contact pulls, none sticks with more friction than it has and none closes. */
static crd_status settle(crd_choice *ch, crd_held *held) {
  crd_force_answer answer;
  crd_status status = solve_modes(ch, held, &answer);
  if (status == CRD_OK) status = prefer_sticking(ch, held, &answer);
  for (int round = 0; status == CRD_OK && round < 2 * ch->given->nc + 1; round++) {
    int pull = worst_pull(ch, held, &answer), stick = worst_stick(ch, held, &answer);
    int closing = worst_closing(ch, held, &answer);
    if (pull >= 0) {
      held[pull].hold = CRD_HOLD_IDLE;
    } else if (stick >= 0) {
      const crd_contact *contact = &ch->given->contact[stick];
      set_slip(&held[stick], contact, answer.f + contact->row + 1, -1);
      held[stick].bound = answer.rank < answer.rows;
    } else if (closing >= 0) {
      hold_again(ch, held, closing);
    } else {
      let_go(ch, held, &answer);
      unbind(ch, held);
      return CRD_OK;
    }
    status = solve_modes(ch, held, &answer);
  }
  return status == CRD_OK ? CRD_LIMIT : status;
}

/* From the forces and accelerations of a way to the modes. */
static crd_status settle_from(crd_choice *ch, crd_held *held) {
  bool *carrier = crd_arena_alloc(ch->tools->arena, (size_t)ch->given->nc, sizeof *carrier);
  if (!carrier) return CRD_ERR_MEMORY;
  first_modes(ch, held, carrier);
  if (settle(ch, held) == CRD_OK) return CRD_OK;
  /* holding more than the solution does not work out: exactly its modes */
  first_modes(ch, held, carrier);
  for (int c = 0; c < ch->given->nc; c++)
    if (!carrier[c] && held[c].hold != CRD_HOLD_OPEN) held[c].hold = CRD_HOLD_IDLE;
  return settle(ch, held);
}

/* ------------------------------------------------------------------------------------------------ modes of before */

/* Do the modes of before hold on, clearly: no contact about to open, to slide or to close? */
static bool still_hold(crd_choice *ch, const crd_held *before) {
  crd_force_answer answer;
  if (crd_force_solve(ch->force, before, ch->tools, &answer) != CRD_OK) return false;
  double zero = fmax(ZERO * ch->force->scale, answer.rounding);
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    if (before[c].hold < CRD_HOLD_STICK && answer.a[contact->row] < -zero) return false;
    if (before[c].hold == CRD_HOLD_OPEN && answer.a[contact->row] < zero) return false;
    if (before[c].hold < CRD_HOLD_STICK) continue;
    if (!crd_choice_carries(ch, c, answer.f)) return false;
    double most = (1 - 1e-7) * contact->mu * answer.f[contact->row];
    if (before[c].hold == CRD_HOLD_STICK && crd_choice_tangential(contact, answer.f) > most) return false;
  }
  for (int b = 0; b < ch->given->nb; b++)
    if (ch->force->bound && fabs(answer.f[ch->given->nrow + b]) > (1 - 1e-7) * ch->force->bound[b]) return false;
  return true;
}

crd_status crd_force_choose_together(const crd_force_problem *force, const double *slip, const crd_held *before,
                                     const crd_force_tools *tools, crd_held *held, crd_force_verdict *verdict) {
  const crd_contact_problem *given = force->problem;
  crd_choice ch = {.force = force, .given = given, .slip = slip, .tools = tools, .m = given->nrow + given->nb};
  *verdict = CRD_FORCE_UNIQUE;
  ch.f = crd_arena_alloc(tools->arena, (size_t)ch.m + 1, sizeof *ch.f);
  ch.a = crd_arena_alloc(tools->arena, (size_t)ch.m + 1, sizeof *ch.a);
  if (!ch.f || !ch.a) return CRD_ERR_MEMORY;
  bool doubtful = crd_choice_is_doubtful(&ch);
  if (before && !doubtful && still_hold(&ch, before)) {
    memcpy(held, before, sizeof *held * (size_t)given->nc);
    return CRD_OK;
  }
  if (!doubtful && crd_choice_by_cones(&ch)) {
    for (int b = 0; force->sign && b < given->nb; b++)
      if (force->sign[b] != 0) return CRD_OK; /* other equations */
    if (settle_from(&ch, held) == CRD_OK) return CRD_OK;
  }
  if (given->nc > MOST_LCP) return CRD_LIMIT;
  crd_status status = crd_choice_by_lcp(&ch, verdict);
  return status != CRD_OK || *verdict == CRD_FORCE_NONE ? status : settle_from(&ch, held);
}
