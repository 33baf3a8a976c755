/* The patterns: how much each contact may push in a step.
 *
 * Uniform rates average out over many small steps, so that the samples gather around the outcome of equal rates; the
 * other patterns make steps in which the contacts are very unequal, or the same inequality in all steps, and so reach
 * the boundary of the set. */
#include "outcome/draw.h"

#include <math.h>

static const double DECADES = 4;    /* of the log pattern */
static const double UNBOUNDED = 64; /* h: more than an impact at one contact needs */

static void uniform(const outcome_draw *draw, int nc, double *bound) {
  for (int c = 0; c < nc; c++) bound[c] = outcome_draw_unit(draw, (uint32_t)c);
}

/* Each contact off with probability 1/2; where all would be off, one of them is on. */
static void switched(const outcome_draw *draw, int nc, double *bound) {
  bool any = false;
  uniform(draw, nc, bound);
  for (int c = 0; c < nc; c++) {
    bool on = outcome_draw_unit(draw, OUTCOME_DRAW_PATTERN + 1 + (uint32_t)c) < 0.5;
    any = any || on;
    if (!on) bound[c] = 0;
  }
  if (any) return;
  int chosen = (int)(outcome_draw_unit(draw, OUTCOME_DRAW_PATTERN) * nc);
  bound[chosen] = outcome_draw_unit(draw, (uint32_t)chosen);
}

static void corners(const outcome_draw *draw, int nc, double *bound) {
  int chosen = (int)(outcome_draw_unit(draw, OUTCOME_DRAW_PATTERN) * nc);
  for (int c = 0; c < nc; c++) bound[c] = c == chosen;
}

/* Uniform on the simplex, by normalised exponential numbers, then the largest rate made 1. */
static void held(const outcome_draw *draw, int nc, double *bound) {
  outcome_draw once = *draw;
  once.step = (uint32_t)OUTCOME_DRAW_SAMPLE_STEP;
  double largest = 0;
  for (int c = 0; c < nc; c++) {
    bound[c] = -log(outcome_draw_unit(&once, (uint32_t)c));
    largest = fmax(largest, bound[c]);
  }
  for (int c = 0; c < nc; c++) bound[c] /= largest;
}

static void wide(const outcome_draw *draw, int nc, double *bound) {
  uniform(draw, nc, bound);
  for (int c = 0; c < nc; c++) bound[c] = pow(10, -DECADES * bound[c]);
}

/* A random order of the contacts, drawn once; step k strikes the (k mod nc)-th of it. */
static void sequential(const outcome_draw *draw, int nc, double *bound) {
  outcome_draw once = *draw;
  once.step = (uint32_t)OUTCOME_DRAW_SAMPLE_STEP;
  int turn = (int)(draw->step % (uint32_t)nc), rank_of_turn = 0;
  for (int c = 0; c < nc; c++) {
    double own = outcome_draw_unit(&once, (uint32_t)c);
    rank_of_turn = 0;
    for (int other = 0; other < nc; other++) {
      double theirs = outcome_draw_unit(&once, (uint32_t)other);
      rank_of_turn += theirs < own || (theirs == own && other < c);
    }
    bound[c] = rank_of_turn == turn ? UNBOUNDED : 0;
  }
}

void outcome_draw_bounds(const outcome_draw *draw, crd_outcome_pattern pattern, int nc, double *bound) {
  if (pattern == CRD_OUTCOME_MIXED) pattern = (crd_outcome_pattern)(draw->sample % CRD_OUTCOME_MIXED);
  switch (pattern) {
    case CRD_OUTCOME_SWITCHED: switched(draw, nc, bound); break;
    case CRD_OUTCOME_CORNERS: corners(draw, nc, bound); break;
    case CRD_OUTCOME_HELD: held(draw, nc, bound); break;
    case CRD_OUTCOME_LOG: wide(draw, nc, bound); break;
    case CRD_OUTCOME_SEQUENTIAL: sequential(draw, nc, bound); break;
    default: uniform(draw, nc, bound);
  }
}
