/* Impacts of a pair that come ever faster: do they accumulate, and when? One rule for all integrators.
 *
 * A series remembers the last impacts of a pair. It is plain data, all zero at the start. */
#ifndef SRC_SIM_ZENO_H
#define SRC_SIM_ZENO_H

#include <stdbool.h>

enum { CRD_ZENO_IMPACTS = 4 };

typedef struct crd_zeno_impact {
  double t;
  double approach; /* m/s, rad/s; positive */
  double leave;    /* m/s, rad/s: normal velocity after it; 0: not told */
  double pull;     /* m/s^2, rad/s^2: acceleration after it that brings the pair together again */
} crd_zeno_impact;

typedef struct crd_zeno_series {
  int count;
  crd_zeno_impact impact[CRD_ZENO_IMPACTS]; /* the latest last, at [count - 1] */
} crd_zeno_series;

/* An impact at t, which approaches with that speed. Another point of the pair at the same instant does not count. */
void crd_zeno_add(crd_zeno_series *series, double t, double approach);
/* State of the pair after its latest impact; pull: the acceleration due to forces other than the impact's. */
void crd_zeno_leave(crd_zeno_series *series, double leave, double pull);

/* Is the latest impact the return of the rebound before it? Not where another body stopped that rebound: the velocity
 * has then changed by far more than pull times time. False where leave and pull were not told. */
bool crd_zeno_returned(const crd_zeno_series *series);
/* The instant of the latest impact, -INFINITY: there is none. */
double crd_zeno_last(const crd_zeno_series *series);
/* The instant at which the series accumulates, INFINITY: it does not, or that is not known yet. */
double crd_zeno_limit(const crd_zeno_series *series);

#endif
