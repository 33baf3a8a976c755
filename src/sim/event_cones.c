/* Forces of closed contacts on the round cones, by the solver of persistent contacts (impact/island.h): modes of
 * before, interior points and what else it has, with joints held by dry friction between their bounds.
 *
 * That problem is one of velocities, u = w + G p with maximal dissipation; at rest accelerations and forces obey the
 * same law. A contact that slides has friction -mu f_n d in a known direction instead: f_n of the round before acts as
 * an applied force, until it no longer changes. That converges where friction does not drive the contact together
 * (mu |W_nt| < W_nn); forces that are not unique may go on changing, and whoever takes the modes from the answer has to
 * ask whether they hold.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"
#include "sim/event_choice.h"

enum { MOST_ROUNDS = 60 };

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

/* The island, and the row of the problem for each of its rows. */
typedef struct cones {
  crd_island island;
  int *from;
  double *base; /* w without the friction of sliding contacts */
} cones;

static crd_status reserve(const crd_choice *ch, cones *s) {
  crd_arena *arena = ch->tools->arena;
  size_t m = (size_t)ch->m + 1, nc = (size_t)ch->given->nc + 1, nb = (size_t)ch->given->nb + 1, d = sizeof(double);
  crd_island *island = &s->island;
  s->from = crd_arena_alloc(arena, m, sizeof(int)), s->base = crd_arena_alloc(arena, m, d);
  island->contact = crd_arena_alloc(arena, nc, sizeof *island->contact);
  island->dry = crd_arena_alloc(arena, nb, sizeof *island->dry);
  island->G = crd_arena_alloc(arena, m * m, d), island->w = crd_arena_alloc(arena, m, d);
  island->p = crd_arena_alloc(arena, m, d), island->u = crd_arena_alloc(arena, m, d);
  bool all = s->from && s->base && island->contact && island->dry && island->G && island->w && island->p && island->u;
  return all ? crd_island_reserve(ch->tools->cones, ch->m) : CRD_ERR_MEMORY;
}

static void add_contacts(const crd_choice *ch, cones *s) {
  crd_island *island = &s->island;
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    bool rubs = crd_choice_rubs(contact) && !crd_choice_slides(ch, c);
    crd_island_contact *held = &island->contact[island->ncontact++];
    *held = (crd_island_contact){.id = c, .row = island->n, .mu = contact->mu, .mode = CRD_MODE_STICK, .share = 1};
    held->ntangent = rubs ? contact->ntangent : 0;
    const double *t = ch->force->a_free + contact->row + 1;
    double length = rubs ? crd_choice_tangential(contact, ch->force->a_free) : 0;
    for (int k = 0; k < held->ntangent; k++) held->slide[k] = length > 0 ? t[k] / length : k == 0;
    held->turn = atan2(held->slide[1], held->slide[0]);
    for (int k = 0; k <= held->ntangent; k++) s->from[island->n++] = contact->row + k;
  }
}

static bool is_dry(const crd_choice *ch, int b) { return ch->force->bound && ch->force->bound[b] < INFINITY; }

static void add_joints(const crd_choice *ch, cones *s) {
  crd_island *island = &s->island;
  island->first_b = island->n;
  for (int b = 0; b < ch->given->nb; b++)
    if (!is_dry(ch, b)) s->from[island->n++] = ch->given->nrow + b, island->nb++;
  island->first_dry = island->n;
  for (int b = 0; b < ch->given->nb; b++) {
    if (!is_dry(ch, b)) continue;
    s->from[island->n++] = ch->given->nrow + b;
    island->dry[island->ndry++] = (crd_island_dry){.id = b, .bound = ch->force->bound[b]};
  }
}

/* w with the friction that the normal forces f of the sliding contacts make. */
static void apply_sliding(const crd_choice *ch, cones *s) {
  memcpy(s->island.w, s->base, sizeof *s->base * (size_t)s->island.n);
  for (int c = 0; c < ch->given->nc; c++) {
    if (!crd_choice_slides(ch, c)) continue;
    const crd_contact *contact = &ch->given->contact[c];
    for (int k = 0; k < contact->ntangent; k++) {
      double friction = -contact->mu * ch->slip[2 * c + k] * ch->f[contact->row];
      for (int i = 0; i < s->island.n; i++)
        s->island.w[i] += ch->given->W[at(ch->m, s->from[i], contact->row + 1 + k)] * friction;
    }
  }
}

/* Forces of the island to the rows of the problem. Returns how much those of sliding contacts changed, as
 * accelerations. */
static double take_forces(crd_choice *ch, const cones *s) {
  double change = 0;
  for (int i = 0; i < s->island.ncontact; i++) {
    const crd_island_contact *held = &s->island.contact[i];
    const crd_contact *contact = &ch->given->contact[held->id];
    const double *p = s->island.p + held->row;
    double own = ch->given->W[at(ch->m, contact->row, contact->row)];
    bool slides = crd_choice_slides(ch, held->id);
    if (slides) change = fmax(change, fabs(p[0] - ch->f[contact->row]) * own);
    ch->f[contact->row] = p[0];
    for (int k = 0; k < contact->ntangent; k++) {
      double free_friction = k < held->ntangent ? p[1 + k] : 0;
      ch->f[contact->row + 1 + k] = slides ? -contact->mu * ch->slip[2 * held->id + k] * p[0] : free_friction;
    }
  }
  for (int i = s->island.first_b; i < s->island.n; i++) ch->f[s->from[i]] = s->island.p[i];
  return change;
}

static void set_up(const crd_choice *ch, cones *s) {
  crd_island *island = &s->island;
  add_contacts(ch, s);
  add_joints(ch, s);
  island->natural = ch->force->scale;
  for (int i = 0; i < island->n; i++) {
    s->base[i] = ch->force->a_free[s->from[i]];
    for (int j = 0; j < island->n; j++)
      island->G[at(island->n, i, j)] = ch->given->W[at(ch->m, s->from[i], s->from[j])];
  }
  island->soft = crd_island_softest(island);
}

bool crd_choice_by_cones(crd_choice *ch) {
  cones s = {0};
  long solves = 0;
  double change = INFINITY;
  if (reserve(ch, &s) != CRD_OK) return false;
  set_up(ch, &s);
  memset(ch->f, 0, sizeof *ch->f * (size_t)ch->m);
  for (int round = 0; round < MOST_ROUNDS && change > 1e-10 * ch->force->scale; round++) {
    apply_sliding(ch, &s);
    double violation = crd_island_settle(ch->tools->cones, &s.island, ch->tools->facets, &solves, NULL);
    if (!(violation <= CRD_ISLAND_SETTLED)) return false;
    change = take_forces(ch, &s);
  }
  for (int i = 0; ch->force->sign && i < s.island.ndry; i++) ch->force->sign[s.island.dry[i].id] = s.island.dry[i].sign;
  crd_choice_accelerate(ch);
  return true;
}
