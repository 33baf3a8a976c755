/* The pairs of geoms that have to be looked at: a list of those that can come near each other, and for each a lower
 * bound of its gap that shrinks with the motion of the two geoms, so that a pair far apart costs nothing until they
 * have moved far enough to touch. Exact: no contact is missed, and no result depends on what was asked before.
 */
#ifndef SRC_COLLIDE_WATCH_H
#define SRC_COLLIDE_WATCH_H

#include <cradle/collide.h>

#include "collide/bvh.h"
#include "model/part.h"

typedef struct crd_watched {
  int geom1, geom2;
  int pair;      /* stated pair of the model, -1 */
  double margin; /* m; within which the pair reports contacts */
  double gap;    /* m; lower bound of the gap when both geoms had come the way `path` */
  double path;   /* m; sum of the ways of both geoms then */
  double slack;  /* m; bounds and distances are compared with so much to spare that rounding cannot hide a contact */
  double n[3];   /* in the frame of geom1: the direction in which they were apart when that was looked for last; zero:
                  * not known */
} crd_watched;

/* Motion of a geom since the list was made. */
typedef struct crd_watch_geom {
  double pos[3], R[9]; /* at the last call */
  double way;          /* m; upper bound of the way that any of its points has come */
  double step;         /* m; of it since the last call */
  long call;           /* the last one that it took part in */
  double due;          /* m; of its pairs, the earliest */
} crd_watch_geom;

typedef struct crd_watch {
  const crd_model *model;
  bool ready;            /* there is a list */
  bool all_pairs;        /* it has all pairs of the model, however far */
  double reach, listed;  /* m; else it has all that can have a gap of `listed` while no geom has come further than
                          * reach */
  double travel;         /* m; upper bound of the sum of two geoms' ways */
  double largest_margin; /* m */
  const crd_part *part;  /* what is asked about: pairs with others of it, or with what is fixed */
  long call;             /* their number */
  bool *takes;           /* by geom id: it can touch another */
  int ngeom;             /* that can: geom[] of the ids below */
  int *id;               /* ngeom: planes first */
  int nplane;
  crd_watch_geom *geom; /* by geom id */
  double *low, *high;   /* by geom id, x 3: boxes */
  crd_bvh bvh;
  int npair, capacity;
  crd_watched *pair;
  double *due; /* npair, m; no need to look at a pair before travel reaches this, less the distance asked for */
  int *first, *of_geom; /* pairs of_geom[first[g]] .. of_geom[first[g + 1] - 1] are those of geom g (ids + 1; npair): of
                         * two that move, of the first; else of the one that does */
} crd_watch;

/* False: memory is out. */
bool crd_watch_new(crd_watch *watch, const crd_model *model, crd_arena *arena);

/* Tells where the geoms of the part are now (the others are where they were told to be last, or anywhere from which the
 * part cannot be reached), and what gaps will be asked for at most (beyond margins). CRD_ERR_NUMBER: a pose is
 * not finite, nothing has changed. CRD_ERR_CAPACITY: too many pairs are near each other to be listed; crd_watch_near
 * names them. */
crd_status crd_watch_move(crd_watch *watch, const double *pos, const double *R, double distance);

/* Calls look for every pair of the part that may have a gap of at most `distance` or its margin; it returns a lower bound
 * of the gap. */
void crd_watch_look(crd_watch *watch, double distance, double (*look)(void *context, crd_watched *pair), void *context);

/* Calls visit for every pair whose boxes, grown by `distance` or the margins, overlap. */
void crd_watch_near(crd_watch *watch, const double *pos, const double *R, double distance,
                    void (*visit)(void *context, const crd_watched *pair), void *context);

#endif
