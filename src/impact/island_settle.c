/* The contact problem of an island by the first of several ways that finds an answer.
 *
 *   modes      those of the last step, mended: a few linear equations, what nearly all steps need
 *   newton     the natural map, where several modes change at once
 *   interior   the round cones whatever the modes are; robust where contacts are redundant; then newton again from
 * there softened   the same with a little compliance in every row, eps times the largest facets     a linear
 * complementarity problem, whose modes are then asked again sweeps     contact by contact
 *
 * A row that can hardly move (a folded link, whose contact is known no better than rounding) has no force that stops
 * it. Softened, u = -eps p is left: a velocity far below what counts, and work p . u < 0, so that no energy appears.
 *
 * Whoever found it, one measure judges the answer: crd_island_violation, on the round cones. Where nothing settles the
 * best answer stands and its violation is returned.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"

static const double EXACT = 1e-9, NEARLY = 1e-8; /* of the velocities: what ends the search, what is not softened */
static const double SOFTENED[] = {1e-13, 1e-11};
enum { ROUNDS = 12, MOST_ROWS = 60 }; /* facets of larger islands take seconds */

/* The best answer so far, in memory->kept. */
typedef struct record {
  double violation;
  crd_island_way way;
  bool now; /* it is what stands in the island, modes included */
} record;

static void note(crd_island_memory *m, const crd_island *s, record *best, crd_island_way way, double violation) {
  best->now = violation < best->violation;
  if (!best->now) return;
  best->violation = violation, best->way = way;
  memcpy(m->kept, s->p, sizeof *s->p * (size_t)s->n);
}

static void soften(crd_island *s, double shift) {
  for (int i = 0; i < s->n; i++) s->G[(size_t)(s->n + 1) * (size_t)i] += shift;
}

/* From the impulses given: the guess that the modes began with, or the best answer so far. */
static void by_newton(crd_island_memory *m, crd_island *s, const double *from, record *best) {
  best->now = false;
  memcpy(s->p, from, sizeof *s->p * (size_t)s->n);
  if (crd_island_by_newton(m, s)) note(m, s, best, CRD_ISLAND_NEWTON, crd_island_violation(s));
}

static void by_interior(crd_island_memory *m, crd_island *s, record *best) {
  double violation = crd_island_by_interior(m, s, EXACT);
  note(m, s, best, CRD_ISLAND_INTERIOR, violation);
  for (int i = 0; i < 2 && !(best->violation <= NEARLY); i++) {
    double shift = SOFTENED[i] * s->soft;
    soften(s, shift);
    violation = crd_island_by_interior(m, s, EXACT);
    soften(s, -shift);
    crd_island_velocity(s);
    if (violation < INFINITY) note(m, s, best, CRD_ISLAND_SOFTENED, crd_island_violation(s));
  }
}

static void by_facets(crd_island_memory *m, crd_island *s, int facets, long *solves, record *best) {
  best->now = false;
  if (crd_island_by_facets(m, s, facets, solves) != CRD_OK) return;
  note(m, s, best, CRD_ISLAND_FACETS, crd_island_violation(s));
  if (best->violation <= EXACT) return;
  best->now = false;
  if (crd_island_by_modes(m, s, ROUNDS)) note(m, s, best, CRD_ISLAND_FACETS, crd_island_violation(s));
}

/* From the best answer so far. */
static void by_sweeps(crd_island_memory *m, crd_island *s, record *best) {
  if (best->violation < INFINITY)
    memcpy(s->p, m->kept, sizeof *s->p * (size_t)s->n);
  else
    memset(s->p, 0, sizeof *s->p * (size_t)s->n);
  note(m, s, best, CRD_ISLAND_SWEEPS, crd_island_by_sweeps(m, s, EXACT));
  if (best->violation <= EXACT || best->way != CRD_ISLAND_SWEEPS) return;
  best->now = false;
  if (crd_island_by_modes(m, s, ROUNDS)) note(m, s, best, CRD_ISLAND_SWEEPS, crd_island_violation(s));
}

double crd_island_settle(crd_island_memory *m, crd_island *s, int facets, long *solves, crd_island_way *way) {
  record best = {.violation = INFINITY, .way = CRD_ISLAND_MODES};
  ++*solves;
  if (crd_island_by_modes(m, s, ROUNDS)) note(m, s, &best, CRD_ISLAND_MODES, crd_island_violation(s));
  if (way) *way = CRD_ISLAND_MODES;
  if (best.violation <= CRD_ISLAND_SETTLED) return best.violation;
  by_newton(m, s, m->guess, &best);
  if (way) *way = CRD_ISLAND_NEWTON;
  if (best.violation <= CRD_ISLAND_SETTLED) return best.violation;
  by_interior(m, s, &best);
  if (!(best.violation <= CRD_ISLAND_SETTLED) && best.violation < INFINITY) by_newton(m, s, m->kept, &best);
  if (!(best.violation <= CRD_ISLAND_SETTLED) && s->n <= MOST_ROWS) by_facets(m, s, facets, solves, &best);
  if (!(best.violation <= CRD_ISLAND_SETTLED)) by_sweeps(m, s, &best);
  if (way) *way = best.way;
  if (!(best.violation < INFINITY)) memset(m->kept, 0, sizeof *m->kept * (size_t)s->n);
  if (best.now) return best.violation;
  memcpy(s->p, m->kept, sizeof *s->p * (size_t)s->n);
  crd_island_velocity(s);
  crd_island_read_modes(s);
  return best.violation;
}
