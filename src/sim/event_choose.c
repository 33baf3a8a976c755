/* Modes of closed contacts: who opens, holds, sticks and slides from now on.
 *
 * Forces and accelerations that solve the Coulomb problem (event_coulomb.c) show them. The forces of the phase are
 * those of crd_force_solve in these modes, which differ where they are not unique. A contact without force that does
 * not open (a corner among corners) is held, too, unless it would have to pull; friction that then exceeds its cone
 * stays at its bound.
 */
#include <math.h>
#include <string.h>

#include "sim/event_coulomb.h"

static const double OUTSIDE = 1e-9; /* of a cone, as a share of it: rounding of large forces */

/* Share of a joint's bound at which it counts as reached where others could carry more: of two that share a load that
 * grows, the second reaches its bound just after the first. */
static const double NEAR_BOUND = 1e-2;

typedef struct choice {
  const crd_force_problem *force;
  const crd_contact_problem *given;
  const double *slip;
  const crd_force_tools *tools;
  crd_force_solution solution;
} choice;

static double tangential(const crd_contact *contact, const double *x) {
  const double *t = x + contact->row + 1;
  return contact->ntangent == 2 ? hypot(t[0], t[1]) : contact->ntangent == 1 ? fabs(t[0]) : 0;
}

/* Normal force of contact c as the acceleration that it makes there by itself. */
static double push(const choice *ch, int c, const double *f) {
  size_t row = (size_t)ch->given->contact[c].row, m = (size_t)(ch->given->nrow + ch->given->nb);
  return f[row] * ch->given->W[m * row + row];
}

static void set_slip(crd_held *held, const crd_contact *contact, const double *direction, double sign) {
  double length = contact->ntangent == 2 ? hypot(direction[0], direction[1]) : fabs(direction[0]);
  held->hold = CRD_HOLD_SLIP;
  for (int k = 0; k < 2; k++) held->d[k] = k < contact->ntangent && length > 0 ? sign * direction[k] / length : 0;
}

/* Friction tells the direction of a contact that begins to slide better than its acceleration does, which may be
 * small. */
static crd_held mode_of(const choice *ch, int c) {
  const crd_contact *contact = &ch->given->contact[c];
  const double *f = ch->solution.f, *a = ch->solution.a;
  double zero = ch->solution.zero[c];
  bool carries = push(ch, c, f) > zero;
  crd_held held = {.hold = CRD_HOLD_OPEN};
  if (!carries && a[contact->row] > zero) return held;
  held.hold = crd_contact_rubs(contact) ? CRD_HOLD_STICK : CRD_HOLD_SLIP;
  if (held.hold == CRD_HOLD_SLIP) return held;
  if (crd_contact_slides(ch->slip, c))
    set_slip(&held, contact, ch->slip + 2 * c, 1);
  else if (tangential(contact, a) > zero)
    set_slip(&held, contact, (carries ? f : a) + contact->row + 1, carries ? -1 : 1);
  return held;
}

/* The held contact that pulls most, -1: none. */
static int worst_pull(const choice *ch, const crd_held *held, const crd_force_answer *answer) {
  int worst = -1;
  double most = 0;
  for (int c = 0; c < ch->given->nc; c++) {
    double pull = -push(ch, c, answer->f);
    if (held[c].hold < CRD_HOLD_STICK || pull <= fmax(ch->solution.zero[c], answer->rounding)) continue;
    if (pull > most) most = pull, worst = c;
  }
  return worst;
}

/* The sticking contact whose friction is farthest outside its cone, -1: none. */
static int worst_stick(const choice *ch, const crd_held *held, const crd_force_answer *answer) {
  int worst = -1;
  double most = 0;
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    if (held[c].hold != CRD_HOLD_STICK) continue;
    double cone = contact->mu * answer->f[contact->row], outside = tangential(contact, answer->f) - cone;
    if (outside > OUTSIDE * fabs(cone) && outside > most) most = outside, worst = c;
  }
  return worst;
}

/* The joint at rest whose dry friction is nearest to its bound or exceeds it most, -1: none does so. Where the forces
 * are unique it exceeds the bound and begins to move, although the acceleration of that may be rounding still. */
static int worst_dry(const choice *ch, const crd_force_answer *answer) {
  int worst = -1;
  double most = answer->rank < answer->rows ? -NEAR_BOUND : OUTSIDE;
  for (int b = 0; ch->force->bound && b < ch->given->nb; b++) {
    double outside = fabs(answer->f[ch->given->nrow + b]) / ch->force->bound[b] - 1;
    if (outside > most) most = outside, worst = b;
  }
  return worst;
}

static bool closes(const choice *ch, const crd_held *held, const crd_force_answer *answer) {
  for (int c = 0; c < ch->given->nc; c++) {
    bool acts = !ch->force->parts || !ch->force->parts[c];
    double closing = -answer->a[ch->given->contact[c].row];
    if (acts && held[c].hold < CRD_HOLD_STICK && closing > fmax(ch->solution.zero[c], answer->rounding)) return true;
  }
  return false;
}

/* A contact that needs no force and is not tied to others that do (a corner among corners) is free to open: its force
 * has just vanished. */
static void let_go(const choice *ch, crd_held *held, const crd_force_answer *answer) {
  for (int c = 0; c < ch->given->nc; c++) {
    if (held[c].hold < CRD_HOLD_STICK || fabs(push(ch, c, answer->f)) > ch->solution.zero[c]) continue;
    crd_held before = held[c];
    crd_force_answer without;
    held[c] = (crd_held){.hold = CRD_HOLD_OPEN};
    bool solved = crd_force_solve(ch->force, held, ch->tools, &without) == CRD_OK;
    bool independent = solved && answer->rank - without.rank == answer->rows - without.rows;
    if (!independent) held[c] = before;
  }
}

/* Takes back, one by one, what the forces of the modes contradict. A joint whose friction comes to its bound
 * although others could carry more has its bound as a given force (force->sign), and does not move. */
static crd_status mend(const choice *ch, crd_held *held) {
  for (int round = 0; round < 2 * ch->given->nc + 1; round++) {
    crd_force_answer answer;
    crd_status status = crd_force_solve(ch->force, held, ch->tools, &answer);
    if (status != CRD_OK) return status;
    int pull = worst_pull(ch, held, &answer), stick = pull < 0 ? worst_stick(ch, held, &answer) : -1;
    int dry = pull < 0 && stick < 0 ? worst_dry(ch, &answer) : -1;
    if (pull >= 0) {
      held[pull] = (crd_held){.hold = CRD_HOLD_IDLE};
    } else if (stick >= 0) {
      const crd_contact *contact = &ch->given->contact[stick];
      set_slip(&held[stick], contact, answer.f + contact->row + 1, -1);
      held[stick].bound = answer.rank < answer.rows;
    } else if (dry >= 0) {
      ch->force->sign[dry] = answer.f[ch->given->nrow + dry] > 0 ? -1 : 1;
      return CRD_OK;
    } else {
      let_go(ch, held, &answer);
      return closes(ch, held, &answer) ? CRD_LIMIT : CRD_OK;
    }
  }
  return CRD_LIMIT;
}

crd_status crd_force_choose(const crd_force_problem *force, const double *slip, const crd_held *before,
                            const bool *known, const crd_force_tools *tools, crd_held *held,
                            crd_force_verdict *verdict) {
  const crd_contact_problem *given = force->problem;
  choice ch = {.force = force, .given = given, .slip = slip, .tools = tools};
  crd_status status = crd_force_coulomb(force, slip, before, known, tools, &ch.solution, verdict);
  if (status != CRD_OK || *verdict == CRD_FORCE_NONE) return status;
  for (int b = 0; force->sign && b < given->nb; b++)
    if (force->sign[b] != 0) return CRD_OK; /* other equations */
  for (int c = 0; c < given->nc; c++) {
    bool parts = force->parts && force->parts[c];
    held[c] = parts ? (crd_held){.hold = CRD_HOLD_OPEN} : mode_of(&ch, c);
  }
  return mend(&ch, held);
}
