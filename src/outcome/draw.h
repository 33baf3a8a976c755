/* Random numbers of a step, and the bounds on the normal impulses in all patterns. */
#ifndef SRC_OUTCOME_DRAW_H
#define SRC_OUTCOME_DRAW_H

#include <cradle/outcome.h>
#include <string.h>

/* Everything random about step `step` of sample `sample` is a pure function of these. */
typedef struct outcome_draw {
  uint64_t seed, sample;
  uint32_t step;
} outcome_draw;

/* Uniform in (0, 1) from two words: 52 bits and half a unit more, so that a bound is never zero. */
static inline double outcome_unit(uint32_t low, uint32_t high) {
  uint64_t bits = ((uint64_t)high << 32 | low) >> 12 | 0x3FF0000000000000u;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value - (1 - 0x1p-53);
}

/* The which-th uniform number of the step. Numbers 0 .. nc - 1 are the contacts' own, further ones are the patterns'
 * and selections'. */
static inline double outcome_draw_unit(const outcome_draw *draw, uint32_t which) {
  uint32_t word[4];
  crd_random_block(draw->seed, draw->step, which / 2, draw->sample, word);
  return which % 2 ? outcome_unit(word[2], word[3]) : outcome_unit(word[0], word[1]);
}

enum {
  OUTCOME_DRAW_PATTERN = 1 << 20,   /* first number of the patterns */
  OUTCOME_DRAW_SELECT = 1 << 21,    /* the draw among several solutions */
  OUTCOME_DRAW_COVER = 1 << 22,     /* covering vectors */
  OUTCOME_DRAW_UNCERTAIN = 1 << 23, /* coefficients and velocities of the sample, at step 0 */
  OUTCOME_DRAW_SAMPLE_STEP = -1     /* step of what a sample draws once, as an unsigned number */
};

/* lambda_max (nc) in units of h. */
void outcome_draw_bounds(const outcome_draw *draw, crd_outcome_pattern pattern, int nc, double *bound);

#endif
