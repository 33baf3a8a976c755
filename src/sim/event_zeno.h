/* The pairs whose impacts come ever faster: which of them have been taken to their limit. */
#ifndef SRC_SIM_EVENT_ZENO_H
#define SRC_SIM_EVENT_ZENO_H

#include "sim/zeno.h"

enum { CRD_ZENO_PAIRS = 64, CRD_ZENO_NAME = 64 };

/* The last impacts of a pair of geoms (of a joint's limit: joint and -1). */
typedef struct crd_zeno_pair {
  int first, second;
  crd_zeno_series series;
  double limit;  /* where it accumulates, INFINITY: it does not */
  double due;    /* a limit that was taken and not yet reported, INFINITY: none */
  double energy; /* J; what taking it cost beside the impact */
  char name[CRD_ZENO_NAME];
} crd_zeno_pair;

/* Plain data, all zero at the start. */
typedef struct crd_zeno {
  crd_zeno_pair pair[CRD_ZENO_PAIRS];
  int count;
} crd_zeno;

/* Notes an impact of the pair. The least recently used pair is forgotten where there is no room. */
crd_zeno_pair *crd_zeno_note(crd_zeno *zeno, int first, int second, double t, double approach);
/* The instant of the pair's last impact. */
double crd_zeno_last(const crd_zeno_pair *pair);
const crd_zeno_pair *crd_zeno_find(const crd_zeno *zeno, int first, int second);
/* Do the impacts of this pair accumulate where those of the other do? */
bool crd_zeno_joins(const crd_zeno_pair *pair, const crd_zeno_pair *other);
/* The pair whose limit is due first, NULL: none. */
crd_zeno_pair *crd_zeno_next(crd_zeno *zeno);

#endif
