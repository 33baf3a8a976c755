/* The contact problem of an island by the first of several ways that finds an answer.
 *
 *   modes      those of the last step, mended: a few linear equations, what nearly all steps need
 *   interior   the round cones whatever the modes are; robust where contacts are redundant
 *   facets     a linear complementarity problem, whose modes are then asked again
 *   sweeps     contact by contact
 *
 * Whoever found it, one measure judges the answer: crd_hold_violation, on the round cones. Where nothing settles the
 * best answer stands and its violation is returned.
 */
#include <math.h>
#include <string.h>

#include "sim/hold_island.h"

static const double EXACT = 1e-9; /* of the velocities: what ends the search */
enum { ROUNDS = 12 };

/* The best answer so far, in memory->kept. */
typedef struct record {
  double violation;
  crd_hold_way way;
} record;

static void note(crd_hold_memory *m, const crd_hold_island *s, record *best, crd_hold_way way, double violation) {
  if (!(violation < best->violation)) return;
  best->violation = violation, best->way = way;
  memcpy(m->kept, s->p, sizeof *s->p * (size_t)s->n);
}

static void by_facets(crd_hold_memory *m, crd_hold_island *s, int facets, long *solves, record *best) {
  if (crd_hold_by_facets(m, s, facets, solves) != CRD_OK) return;
  note(m, s, best, CRD_HOLD_FACETS, crd_hold_violation(s));
  if (best->violation <= EXACT) return;
  if (crd_hold_by_modes(m, s, ROUNDS)) note(m, s, best, CRD_HOLD_FACETS, crd_hold_violation(s));
}

/* From the best answer so far. */
static void by_sweeps(crd_hold_memory *m, crd_hold_island *s, record *best) {
  if (best->violation < INFINITY)
    memcpy(s->p, m->kept, sizeof *s->p * (size_t)s->n);
  else
    memset(s->p, 0, sizeof *s->p * (size_t)s->n);
  note(m, s, best, CRD_HOLD_SWEEPS, crd_hold_by_sweeps(m, s, EXACT));
  if (best->violation <= EXACT || best->way != CRD_HOLD_SWEEPS) return;
  if (crd_hold_by_modes(m, s, ROUNDS)) note(m, s, best, CRD_HOLD_SWEEPS, crd_hold_violation(s));
}

double crd_hold_settle(crd_hold_memory *m, crd_hold_island *s, int facets, long *solves, crd_hold_way *way) {
  record best = {.violation = INFINITY, .way = CRD_HOLD_MODES};
  ++*solves;
  if (crd_hold_by_modes(m, s, ROUNDS)) {
    if (way) *way = CRD_HOLD_MODES;
    return crd_hold_violation(s);
  }
  double violation = crd_hold_by_interior(m, s, EXACT);
  note(m, s, &best, CRD_HOLD_INTERIOR, violation);
  if (!(best.violation <= CRD_HOLD_SETTLED)) by_facets(m, s, facets, solves, &best);
  if (!(best.violation <= CRD_HOLD_SETTLED)) by_sweeps(m, s, &best);
  if (way) *way = best.way;
  if (!(best.violation < INFINITY)) memset(m->kept, 0, sizeof *m->kept * (size_t)s->n);
  if (best.way == CRD_HOLD_INTERIOR && best.violation == violation && violation <= CRD_HOLD_SETTLED) return violation;
  memcpy(s->p, m->kept, sizeof *s->p * (size_t)s->n);
  crd_hold_velocity(s);
  crd_hold_read_modes(s);
  return best.violation;
}
