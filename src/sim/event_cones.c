/* Forces of closed contacts on the round cones, joints held by dry friction between their bounds among them.
 *
 * At rest accelerations and forces obey the law that velocities and impulses do (cradle/coulomb.h); a contact that
 * slides has friction -mu f_n d in a known direction. The rows are those of the contact problem as it stands. */
#include <math.h>
#include <string.h>

#include "sim/event_choice.h"

static const double SETTLED = 1e-6; /* residual of forces whose modes are worth asking */

static bool is_dry(const crd_choice *ch, int b) { return ch->force->bound && ch->force->bound[b] < INFINITY; }

static crd_coulomb_contact contact_of(const crd_choice *ch, int c) {
  const crd_contact *contact = &ch->given->contact[c];
  crd_coulomb_contact to = {.row = contact->row, .ntangent = contact->ntangent, .mu = contact->mu};
  to.slides = contact->ntangent > 0 && crd_choice_slides(ch, c);
  for (int k = 0; k < contact->ntangent; k++) to.slide[k] = ch->slip[2 * c + k];
  return to;
}

/* Which way a joint begins to move whose friction is at its bound. */
static int sign_of(const crd_choice *ch, const crd_coulomb_bounded *row) {
  double a = ch->a[row->row], f = ch->f[row->row];
  if (fabs(a) <= CRD_CHOICE_ZERO * ch->force->scale || fabs(f) < row->upper * (1 - 1e-9)) return 0;
  return a > 0 ? 1 : -1;
}

bool crd_choice_by_cones(crd_choice *ch) {
  const crd_contact_problem *given = ch->given;
  crd_arena *arena = ch->tools->arena;
  size_t nc = (size_t)given->nc + 1, nb = (size_t)given->nb + 1;
  crd_coulomb_contact *contact = crd_arena_alloc(arena, nc, sizeof *contact);
  crd_coulomb_bounded *bounded = crd_arena_alloc(arena, nb, sizeof *bounded);
  crd_mode *mode = crd_arena_alloc(arena, nc, sizeof *mode);
  int *bilateral = crd_arena_alloc(arena, nb, sizeof *bilateral);
  if (!contact || !bounded || !mode || !bilateral) return false;
  crd_coulomb_problem problem = {.n = ch->m, .w = ch->force->a_free, .G = given->W, .velocity = ch->force->scale};
  for (int c = 0; c < given->nc; c++) contact[problem.ncontact++] = contact_of(ch, c);
  for (int b = 0; b < given->nb; b++) {
    int row = given->nrow + b;
    double bound = is_dry(ch, b) ? ch->force->bound[b] : 0;
    if (is_dry(ch, b))
      bounded[problem.nbounded++] = (crd_coulomb_bounded){row, -bound, bound};
    else
      bilateral[problem.nbilateral++] = row;
  }
  problem.contact = contact, problem.bounded = bounded, problem.bilateral = bilateral;
  crd_coulomb_state state = {ch->f, ch->a, mode};
  crd_coulomb_report report;
  crd_status status = crd_coulomb_solve(ch->tools->cones, &problem, NULL, &state, &report);
  if (status != CRD_OK && !(status == CRD_LIMIT && report.residual <= SETTLED)) return false;
  for (int i = 0; ch->force->sign && i < problem.nbounded; i++)
    ch->force->sign[bounded[i].row - given->nrow] = sign_of(ch, &bounded[i]);
  return true;
}
