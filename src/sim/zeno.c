/* Accumulation of impacts.
 *
 * With intervals d1, d2, d3 between the last four impacts and approach speeds u0 .. u3 the decay is called geometric
 * where the ratios of the intervals, r1 = d2/d1 and r2 = d3/d2, and those of the speeds are below 1 and agree: they
 * differ by less than a tenth of 1 - r2. The rest of the series then sums to
 *
 *   t* = t + d3 r2/(1 - r2)
 *
 * (Aitken's extrapolation: exact for a bouncing ball, whose intervals and speeds shrink by e; for a rocking block the
 * ratio itself converges, and so does t*). Speeds and intervals decay together where each rebound is ended by the force
 * that ended the one before. A ball between the floor and a body that comes down on it strikes ever sooner, but ever
 * faster: it will throw the body off. Whoever asks decides when the rebounds are low enough for the limit to be taken.
 */
#include "sim/zeno.h"

#include <math.h>
#include <string.h>

static const double ALIKE = 0.1; /* share of 1 - r that ratios of a geometric series differ by at most */

/* How much faster than its pull says a pair may turn round, for the pull may grow as it does. */
static const double PULL_MAY_GROW = 2;

void crd_zeno_add(crd_zeno_series *series, double t, double approach) {
  crd_zeno_impact *last = series->count > 0 ? &series->impact[series->count - 1] : NULL;
  if (last && last->t == t) {
    last->approach = fmax(last->approach, approach);
    return;
  }
  if (series->count == CRD_ZENO_IMPACTS) {
    memmove(series->impact, series->impact + 1, sizeof series->impact - sizeof series->impact[0]);
    series->count--;
  }
  series->impact[series->count++] = (crd_zeno_impact){.t = t, .approach = approach};
}

double crd_zeno_last(const crd_zeno_series *series) {
  return series->count > 0 ? series->impact[series->count - 1].t : -INFINITY;
}

void crd_zeno_leave(crd_zeno_series *series, double leave, double pull) {
  if (series->count == 0) return;
  series->impact[series->count - 1].leave = leave, series->impact[series->count - 1].pull = pull;
}

bool crd_zeno_returned(const crd_zeno_series *series) {
  if (series->count < 2) return false;
  const crd_zeno_impact *before = &series->impact[series->count - 2], *now = before + 1;
  return before->leave > 0 && before->leave + now->approach <= PULL_MAY_GROW * before->pull * (now->t - before->t);
}

double crd_zeno_limit(const crd_zeno_series *series) {
  const crd_zeno_impact *i = series->impact;
  if (series->count < CRD_ZENO_IMPACTS) return INFINITY;
  const double d1 = i[1].t - i[0].t, d2 = i[2].t - i[1].t, d3 = i[3].t - i[2].t;
  const double r = d3 / d2, other[4] = {d2 / d1, i[1].approach / i[0].approach, i[2].approach / i[1].approach,
                                        i[3].approach / i[2].approach};
  if (!(r > 0 && r < 1)) return INFINITY;
  for (int k = 0; k < 4; k++)
    if (!(other[k] > 0 && other[k] < 1 && fabs(other[k] - r) < ALIKE * (1 - r))) return INFINITY;
  return i[3].t + d3 * r / (1 - r);
}
