#include "sim/event_zeno.h"

#include <math.h>
#include <string.h>

static const double SAME_LIMIT = 0.5; /* of the time left: accumulations closer to each other are one */

double crd_zeno_last(const crd_zeno_pair *pair) {
  return pair->series.count > 0 ? pair->series.impact[pair->series.count - 1].t : -INFINITY;
}

/* The pair's place, or the one to be given to it. */
static crd_zeno_pair *place_of(crd_zeno *zeno, int first, int second) {
  crd_zeno_pair *oldest = NULL;
  for (int i = 0; i < zeno->count; i++) {
    crd_zeno_pair *pair = &zeno->pair[i];
    if (pair->first == first && pair->second == second) return pair;
    if (isinf(pair->due) && (!oldest || crd_zeno_last(pair) < crd_zeno_last(oldest))) oldest = pair;
  }
  crd_zeno_pair *pair = zeno->count < CRD_ZENO_PAIRS || !oldest ? &zeno->pair[zeno->count % CRD_ZENO_PAIRS] : oldest;
  if (zeno->count < CRD_ZENO_PAIRS) zeno->count++;
  memset(pair, 0, sizeof *pair);
  pair->first = first, pair->second = second, pair->limit = pair->due = INFINITY;
  return pair;
}

crd_zeno_pair *crd_zeno_note(crd_zeno *zeno, int first, int second, double t, double approach) {
  crd_zeno_pair *pair = place_of(zeno, first, second);
  crd_zeno_add(&pair->series, t, approach);
  pair->limit = crd_zeno_limit(&pair->series);
  return pair;
}

const crd_zeno_pair *crd_zeno_find(const crd_zeno *zeno, int first, int second) {
  for (int i = 0; i < zeno->count; i++)
    if (zeno->pair[i].first == first && zeno->pair[i].second == second) return &zeno->pair[i];
  return NULL;
}

bool crd_zeno_joins(const crd_zeno_pair *pair, const crd_zeno_pair *other) {
  return isfinite(pair->limit) &&
         fabs(pair->limit - other->limit) <= SAME_LIMIT * (other->limit - crd_zeno_last(other));
}

crd_zeno_pair *crd_zeno_next(crd_zeno *zeno) {
  crd_zeno_pair *next = NULL;
  for (int i = 0; i < zeno->count; i++)
    if (isfinite(zeno->pair[i].due) && (!next || zeno->pair[i].due < next->due)) next = &zeno->pair[i];
  return next;
}
