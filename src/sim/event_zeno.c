/* Accumulation of impacts.
 *
 * With intervals d1, d2, d3 between the last four impacts of a pair and ratios r1 = d2/d1, r2 = d3/d2 the decay is
 * called geometric where both are below 1 and differ by less than a tenth of 1 - r2. The rest of the series then sums
 * to
 *
 *   t* = t + d3 r2/(1 - r2)
 *
 * (Aitken's extrapolation: exact for a bouncing ball, whose intervals shrink by e; for a rocking block the ratio itself
 * converges, and so does t*). Whoever asks decides when the rebounds are low enough for the limit to be taken. */
#include "sim/event_zeno.h"

#include <math.h>
#include <string.h>

static double accumulation(const double t[4]) {
  double d1 = t[1] - t[0], d2 = t[2] - t[1], d3 = t[3] - t[2];
  if (!(d1 > 0 && d2 > 0 && d3 > 0)) return INFINITY;
  double r1 = d2 / d1, r2 = d3 / d2;
  if (!(r1 < 1 && r2 < 1 && fabs(r2 - r1) < 0.1 * (1 - r2))) return INFINITY;
  return t[3] + d3 * r2 / (1 - r2);
}

/* The pair's place, or the one to be given to it. */
static crd_zeno_pair *place_of(crd_zeno *zeno, int first, int second) {
  crd_zeno_pair *oldest = NULL;
  for (int i = 0; i < zeno->count; i++) {
    crd_zeno_pair *pair = &zeno->pair[i];
    if (pair->first == first && pair->second == second) return pair;
    if (isinf(pair->due) && (!oldest || pair->t[3] < oldest->t[3])) oldest = pair;
  }
  crd_zeno_pair *pair = zeno->count < CRD_ZENO_PAIRS || !oldest ? &zeno->pair[zeno->count % CRD_ZENO_PAIRS] : oldest;
  if (zeno->count < CRD_ZENO_PAIRS) zeno->count++;
  memset(pair, 0, sizeof *pair);
  pair->first = first, pair->second = second, pair->limit = pair->due = INFINITY;
  return pair;
}

crd_zeno_pair *crd_zeno_note(crd_zeno *zeno, int first, int second, double t) {
  crd_zeno_pair *pair = place_of(zeno, first, second);
  if (pair->count > 0 && pair->t[3] == t) return pair; /* another point of the pair at the same instant */
  memmove(pair->t, pair->t + 1, 3 * sizeof *pair->t);
  pair->t[3] = t;
  if (pair->count < 4) pair->count++;
  pair->limit = pair->count == 4 ? accumulation(pair->t) : INFINITY;
  return pair;
}

const crd_zeno_pair *crd_zeno_find(const crd_zeno *zeno, int first, int second) {
  for (int i = 0; i < zeno->count; i++)
    if (zeno->pair[i].first == first && zeno->pair[i].second == second) return &zeno->pair[i];
  return NULL;
}

bool crd_zeno_joins(const crd_zeno_pair *pair, const crd_zeno_pair *other) {
  return isfinite(pair->limit) && fabs(pair->limit - other->limit) <= 0.5 * (other->limit - other->t[3]);
}

crd_zeno_pair *crd_zeno_next(crd_zeno *zeno) {
  crd_zeno_pair *next = NULL;
  for (int i = 0; i < zeno->count; i++)
    if (isfinite(zeno->pair[i].due) && (!next || zeno->pair[i].due < next->due)) next = &zeno->pair[i];
  return next;
}
