/* Each pair has a date when it is due.
 *
 * A point of a geom at distance at most r from its origin moves by at most |dp| + 2 sin(turn/2) r between two poses,
 * with 2 sin(turn/2) = |R' - R| / sqrt(2) (Frobenius). Summed over the calls this is the geom's `way`, and the gap of a
 * pair is at least what it was less what both have come since. `travel` grows by twice the largest step of any geom in
 * every call, so that gap + travel at the time is a date before which the pair need not be looked at; when the date
 * comes the pair's own ways are compared first, and only a pair that could be near goes to the narrow phase.
 */
#include "collide/watch.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "collide/solid.h"

static const double POSE_ROUNDING = 1e-9; /* of the sizes: what rounding of two poses may add to a gap */
static const double MOST_REACH = 0.5;     /* of the mean radius: a longer list costs more than it saves */
static const double LEAST_REACH = 0.05;   /* of the mean radius: a shorter one is made too often */
static const double CALLS_A_LIST = 30;    /* motions like the last one that a list should outlive */
static const double WORN = 1e6;           /* times the reach: a sum of ways that long has lost six digits of it */
static const double TOUCHING = 1e-9;      /* m: bounds that touch overlap */
static const double FARTHEST = 1e9;       /* m: the same where the reach is infinite */

/* With fewer pairs than this, or per geom, all are listed. */
enum { ALL_PAIRS = 8192, PAIRS_PER_GEOM = 48 };

/* Geoms for show have no masks; they take part only if a stated pair names them. */
static bool takes_part(const crd_model *model, int geom) {
  if (model->geom[geom].contype || model->geom[geom].conaffinity) return true;
  for (int p = 0; p < model->npair; p++)
    if (model->pair[p].geom1 == geom || model->pair[p].geom2 == geom) return true;
  return false;
}

static bool is_plane(const crd_watch *watch, int geom) { return watch->model->geom[geom].type == CRD_PLANE; }

static void list_geoms(crd_watch *watch) {
  const crd_model *model = watch->model;
  for (int g = 0; g < model->ngeom; g++) watch->takes[g] = takes_part(model, g);
  for (int planes = 1; planes >= 0; planes--) {
    for (int g = 0; g < model->ngeom; g++)
      if (is_plane(watch, g) == (planes == 1) && watch->takes[g]) watch->id[watch->ngeom++] = g;
    if (planes) watch->nplane = watch->ngeom;
  }
  for (int g = 0; g < model->ngeom; g++) watch->largest_margin = fmax(watch->largest_margin, model->geom[g].margin);
  for (int p = 0; p < model->npair; p++) watch->largest_margin = fmax(watch->largest_margin, model->pair[p].margin);
}

bool crd_watch_new(crd_watch *watch, const crd_model *model, crd_arena *arena) {
  size_t ngeom = (size_t)model->ngeom;
  watch->model = model;
  if (CRD_TAKE(arena, CRD_ARRAY(watch->id, ngeom), CRD_ARRAY(watch->geom, ngeom), CRD_ARRAY(watch->takes, ngeom),
               CRD_MATRIX(watch->low, ngeom, 3), CRD_MATRIX(watch->high, ngeom, 3)) ||
      !crd_bvh_reserve(&watch->bvh, model->ngeom, arena))
    return false;
  list_geoms(watch);
  double n = watch->ngeom, all = n * (n - 1) / 2;
  watch->all_pairs = all <= ALL_PAIRS;
  watch->capacity = watch->all_pairs ? (int)all : PAIRS_PER_GEOM * watch->ngeom + watch->nplane * watch->ngeom;
  return !CRD_TAKE(arena, CRD_ARRAY(watch->pair, watch->capacity), CRD_ARRAY(watch->due, watch->capacity),
                   CRD_ARRAY(watch->first, ngeom + 1), CRD_ARRAY(watch->of_geom, watch->capacity));
}

/* ------------------------------------------------------------------------------------------------ list */

/* The pair, if the model lets it collide and one of the two moves. */
static bool describe(const crd_model *model, int g1, int g2, crd_watched *pair) {
  int stated;
  if (model->geom[g1].link < 0 && model->geom[g2].link < 0) return false;
  if (!crd_model_may_collide(model, g1, g2, &stated)) return false;
  double margin = stated >= 0 ? model->pair[stated].margin : fmax(model->geom[g1].margin, model->geom[g2].margin);
  double r1 = model->geom[g1].radius, r2 = model->geom[g2].radius;
  *pair = (crd_watched){.geom1 = g1, .geom2 = g2, .pair = stated, .margin = margin, .gap = -INFINITY};
  pair->slack = POSE_ROUNDING * ((isfinite(r1) ? r1 : 0) + (isfinite(r2) ? r2 : 0));
  return true;
}

static void add_pair(void *context, int g1, int g2) {
  crd_watch *watch = context;
  crd_watched pair;
  if (!describe(watch->model, g1, g2, &pair)) return;
  if (watch->npair < watch->capacity) {
    watch->due[watch->npair] = -INFINITY;
    watch->pair[watch->npair] = pair;
  }
  watch->npair++;
}

static void set_boxes(crd_watch *watch, const double *pos, const double *R, double grown) {
  for (int i = watch->nplane; i < watch->ngeom; i++) {
    int g = watch->id[i];
    crd_solid solid;
    double half[3];
    crd_solid_of_geom(&solid, watch->model, g, pos + 3 * g, R + 9 * g);
    crd_solid_half_extents(&solid, half);
    for (int k = 0; k < 3; k++) {
      watch->low[3 * g + k] = pos[3 * g + k] - half[k] - grown;
      watch->high[3 * g + k] = pos[3 * g + k] + half[k] + grown;
    }
  }
}

/* Half the mean size of the geoms, or what thirty calls like the last one need if that is less. */
static double choose_reach(const crd_watch *watch) {
  double radius = 0, step = 0;
  for (int i = watch->nplane; i < watch->ngeom; i++) {
    radius += watch->model->geom[watch->id[i]].radius / (watch->ngeom - watch->nplane);
    step = fmax(step, watch->geom[watch->id[i]].step);
  }
  return fmin(MOST_REACH * radius, fmax(CALLS_A_LIST * step, LEAST_REACH * radius));
}

/* Planes with everything, and the rest by their boxes: geoms whose boxes, grown by reach + listed/2, do not overlap
 * stay apart by `listed` while none has come further than reach. */
static void list_near(crd_watch *watch, const double *pos, const double *R) {
  watch->npair = 0;
  for (int i = 0; i < watch->nplane; i++)
    for (int k = i + 1; k < watch->ngeom; k++) add_pair(watch, watch->id[i], watch->id[k]);
  set_boxes(watch, pos, R, watch->reach + 0.5 * watch->listed);
  crd_bvh_pairs(&watch->bvh, watch->id + watch->nplane, watch->ngeom - watch->nplane, watch->low, watch->high, add_pair,
                watch);
}

static void list_all(crd_watch *watch) {
  watch->npair = 0;
  for (int i = 0; i < watch->ngeom; i++)
    for (int k = i + 1; k < watch->ngeom; k++) add_pair(watch, watch->id[i], watch->id[k]);
}

static int owner_of(const crd_watch *watch, const crd_watched *pair) {
  const crd_geom *geom = watch->model->geom;
  if (geom[pair->geom1].link < 0 || geom[pair->geom2].link < 0)
    return geom[pair->geom1].link < 0 ? pair->geom2 : pair->geom1;
  return pair->geom1 < pair->geom2 ? pair->geom1 : pair->geom2;
}

static void list_by_geoms(crd_watch *watch) {
  int *first = watch->first, ngeom = watch->model->ngeom;
  memset(first, 0, (size_t)(ngeom + 1) * sizeof *first);
  for (int i = 0; i < watch->npair; i++) first[owner_of(watch, &watch->pair[i]) + 1]++;
  for (int g = 0; g < ngeom; g++) first[g + 1] += first[g];
  for (int i = 0; i < watch->npair; i++) watch->of_geom[first[owner_of(watch, &watch->pair[i])]++] = i;
  for (int g = ngeom; g > 0; g--) first[g] = first[g - 1];
  first[0] = 0;
  for (int g = 0; g < ngeom; g++) watch->geom[g].due = -INFINITY;
}

static void keep_pose(crd_watch_geom *geom, const double *pos, const double *R) {
  memcpy(geom->pos, pos, sizeof geom->pos);
  memcpy(geom->R, R, sizeof geom->R);
}

static void make_list(crd_watch *watch, const double *pos, const double *R, double distance) {
  enum { TRIES = 3 };
  watch->travel = 0;
  for (int i = 0; i < watch->ngeom; i++) {
    crd_watch_geom *geom = &watch->geom[watch->id[i]];
    keep_pose(geom, pos + 3 * watch->id[i], R + 9 * watch->id[i]);
    geom->way = 0;
  }
  if (watch->all_pairs) {
    watch->reach = INFINITY;
    list_all(watch);
  } else {
    watch->reach = choose_reach(watch), watch->listed = fmax(0, fmax(distance, watch->largest_margin));
    list_near(watch, pos, R);
    /* too dense: a list for less motion is shorter */
    for (int i = 1; i < TRIES && watch->npair > watch->capacity; i++) {
      watch->reach /= 4;
      list_near(watch, pos, R);
    }
  }
  watch->ready = watch->npair <= watch->capacity;
  if (watch->ready) list_by_geoms(watch);
}

/* ------------------------------------------------------------------------------------------------ motion */

static bool is_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* How far any point of the geom has come since the last call; a plane has no bound unless it stayed. *check becomes NaN
 * or infinite where the pose is. */
static double step_of(const crd_watch *watch, int g, const double *pos, const double *R, double *check) {
  const crd_watch_geom *last = &watch->geom[g];
  const crd_geom *geom = &watch->model->geom[g];
  double turn = 0, x = pos[0] - last->pos[0], y = pos[1] - last->pos[1], z = pos[2] - last->pos[2];
  double way = sqrt(x * x + y * y + z * z);
  for (int k = 0; k < 9; k++) turn += (R[k] - last->R[k]) * (R[k] - last->R[k]);
  *check += way + turn;
  if (geom->type == CRD_SPHERE) return way;
  if (geom->type == CRD_PLANE) return way == 0 && turn == 0 ? 0 : INFINITY;
  return way + geom->radius * sqrt(turn / 2);
}

/* Is the geom fixed, or told of by the last call? */
static bool is_present(const crd_watch *watch, int g) {
  return watch->model->geom[g].link < 0 || watch->geom[g].call == watch->call;
}

crd_status crd_watch_move(crd_watch *watch, const double *pos, const double *R, double distance) {
  double largest = 0, farthest = 0, check = 0;
  watch->call++;
  CRD_EACH (watch->part, geom, g) {
    crd_watch_geom *geom = &watch->geom[g];
    if (!watch->takes[g]) continue;
    geom->call = watch->call;
    geom->step = step_of(watch, g, pos + 3 * g, R + 9 * g, &check);
    largest = fmax(largest, geom->step);
    farthest = fmax(farthest, geom->way + geom->step);
  }
  if (!isfinite(check))
    for (int i = 0; i < watch->ngeom; i++)
      if (!is_finite(pos + 3 * watch->id[i], 3) || !is_finite(R + 9 * watch->id[i], 9)) return CRD_ERR_NUMBER;
  CRD_EACH (watch->part, geom, g) {
    crd_watch_geom *geom = &watch->geom[g];
    if (!watch->takes[g]) continue;
    if (geom->step > 0) keep_pose(geom, pos + 3 * g, R + 9 * g);
    geom->way += geom->step;
  }
  watch->travel += 2 * largest;
  /* the sums lose digits as they grow; a new list starts them again */
  bool worn = !(watch->travel < WORN * watch->reach) || !(watch->travel < FARTHEST);
  bool too_short = !watch->all_pairs && distance > watch->listed;
  if (!watch->ready || too_short || farthest > watch->reach || (worn && watch->travel > 0))
    make_list(watch, pos, R, distance);
  return watch->ready ? CRD_OK : CRD_ERR_CAPACITY;
}

/* ------------------------------------------------------------------------------------------------ asking */

/* Lower bound of the pair's gap at present. */
static double gap_now(const crd_watch *watch, const crd_watched *pair) {
  return pair->gap - (watch->geom[pair->geom1].way + watch->geom[pair->geom2].way - pair->path);
}

/* Lower bound of the gap of a pair that is due: by the travel of its geoms, otherwise by measurement. */
static double lower_bound(crd_watch *watch, crd_watched *pair, double distance,
                          double (*look)(void *context, crd_watched *pair), void *context) {
  const double gap = gap_now(watch, pair), rounding = 1e-15 * watch->travel;
  if (gap > fmax(distance, pair->margin) + pair->slack + rounding) return gap;
  if (!is_present(watch, pair->geom1) || !is_present(watch, pair->geom2)) return -INFINITY; /* due when it is */
  pair->gap = look(context, pair);
  pair->path = watch->geom[pair->geom1].way + watch->geom[pair->geom2].way;
  return pair->gap;
}

void crd_watch_look(crd_watch *watch, double distance, double (*look)(void *context, crd_watched *pair),
                    void *context) {
  const double date = watch->travel + fmax(distance, watch->largest_margin) + 1e-15 * watch->travel;
  CRD_EACH (watch->part, geom, g) {
    double earliest = INFINITY;
    if (watch->geom[g].due > date) continue;
    for (int k = watch->first[g]; k < watch->first[g + 1]; k++) {
      double *due = &watch->due[watch->of_geom[k]];
      crd_watched *pair = &watch->pair[watch->of_geom[k]];
      if (*due <= date) *due = watch->travel + lower_bound(watch, pair, distance, look, context) - pair->slack;
      earliest = fmin(earliest, *due);
    }
    watch->geom[g].due = earliest;
  }
}

typedef struct near {
  const crd_watch *watch;
  void (*visit)(void *context, const crd_watched *pair);
  void *context;
} near;

static void visit_near(void *context, int g1, int g2) {
  const near *n = context;
  crd_watched pair;
  if (!is_present(n->watch, g1) || !is_present(n->watch, g2)) return;
  if (describe(n->watch->model, g1, g2, &pair)) n->visit(n->context, &pair);
}

void crd_watch_near(crd_watch *watch, const double *pos, const double *R, double distance,
                    void (*visit)(void *context, const crd_watched *pair), void *context) {
  near n = {watch, visit, context};
  for (int i = 0; i < watch->nplane; i++)
    for (int k = i + 1; k < watch->ngeom; k++) visit_near(&n, watch->id[i], watch->id[k]);
  /* of two boxes each grown by half the distance */
  set_boxes(watch, pos, R, 0.5 * fmax(0, fmax(distance, watch->largest_margin)) + TOUCHING);
  crd_bvh_pairs(&watch->bvh, watch->id + watch->nplane, watch->ngeom - watch->nplane, watch->low, watch->high,
                visit_near, &n);
}
