/* Positions that the step would leave overlapping are corrected apart from the velocities, so that no overlap becomes
 * kinetic energy: the smallest displacement in the kinetic metric that parts the contacts,
 *
 *   0 <= shift  _|_  gap + W_nn shift >= 0,     q += M^-1 J_n' shift
 *
 * by projected Gauss-Seidel on the normal rows of the step's own Delassus operator [Bender et al. 2014, section 4].
 * Overlaps are the square of what turns in a step, so that a few sweeps are enough; what they leave is found as a gap
 * in the next step.
 */
#include <math.h>
#include <string.h>

#include "sim/moreau.h"

enum { MOST_SWEEPS = 20 };
static const double RELAXATION = 1.3; /* converges between 0 and 2; a chain of touching bodies likes more than 1 */

/* gap of contact c once all contacts are shifted; *own: its own compliance. The normal is the first row of a group, and
 * contacts are the first groups. */
static double shifted_gap(const crd_contact_problem *problem, const crd_moreau *moreau, int c, double *own) {
  const crd_blocks *W = problem->blocks;
  double gap = moreau->gap[c];
  for (int k = W->first[c]; k < W->first[c + 1]; k++) {
    int other = W->column[k];
    if (other >= problem->nc) break;
    double entry = W->value[W->offset[k]];
    gap += entry * moreau->shift[other];
    if (other == c) *own = entry;
  }
  return gap;
}

bool crd_moreau_project(const crd_contact_problem *problem, crd_moreau *moreau, double tolerance) {
  double deepest = 0;
  for (int c = 0; c < problem->nc; c++) deepest = fmin(deepest, moreau->gap[c]);
  if (!(deepest < -tolerance)) return false;
  memset(moreau->shift, 0, sizeof *moreau->shift * (size_t)problem->nc);
  for (int sweep = 0; sweep < MOST_SWEEPS && deepest < -tolerance; sweep++) {
    deepest = 0;
    for (int c = 0; c < problem->nc; c++) {
      if (moreau->gap[c] > 0 && moreau->shift[c] == 0 && sweep % 4 < 3)
        continue; /* open ones are looked at now and then */
      double own = 0, gap = shifted_gap(problem, moreau, c, &own), shift = moreau->shift[c];
      if (!(own > 0)) continue;
      moreau->shift[c] = fmax(0, shift - RELAXATION * gap / own);
      deepest = fmin(deepest, gap);
    }
  }
  return true;
}
