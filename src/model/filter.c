/* Which pairs of geoms may collide, by MuJoCo's rules. O(log) in the number of stated and excluded pairs, because the
 * broad phase asks in every step. */
#include <cradle/model.h>

/* Where the sorted entry (first, second) stands to the two ids in any order: negative before, 0 at, positive behind. */
static int compare(int first, int second, const int ids[2]) {
  int a = ids[0] < ids[1] ? ids[0] : ids[1], b = ids[0] < ids[1] ? ids[1] : ids[0];
  return first != a ? (first > a) - (first < a) : (second > b) - (second < b);
}

/* The first stated pair of these geoms, or -1. */
static int stated_pair(const crd_model *model, const int geoms[2]) {
  int low = 0, high = model->npair;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const crd_pair *pair = &model->pair[middle];
    if (compare(pair->geom1, pair->geom2, geoms) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < model->npair && compare(model->pair[low].geom1, model->pair[low].geom2, geoms) == 0 ? low : -1;
}

static bool is_excluded(const crd_model *model, const int bodies[2]) {
  int low = 0, high = model->nexclude;
  while (low < high) {
    int middle = low + (high - low) / 2;
    int order = compare(model->exclude[2 * middle], model->exclude[2 * middle + 1], bodies);
    if (order == 0) return true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

bool crd_model_may_collide(const crd_model *model, int geom1, int geom2, int *pair) {
  int stated = stated_pair(model, (const int[2]){geom1, geom2});
  if (pair) *pair = stated;
  if (stated >= 0) return true;

  const crd_geom *a = &model->geom[geom1], *b = &model->geom[geom2];
  if (!(a->contype & b->conaffinity) && !(b->contype & a->conaffinity)) return false;
  int weld_a = model->body[a->body].weld, weld_b = model->body[b->body].weld;
  if (weld_a == weld_b) return false;
  /* Parent and child do not collide, unless the parent is the world: a body must be able to lie on the floor. */
  if (weld_a != 0 && weld_b != 0) {
    if (model->body[model->body[weld_b].parent].weld == weld_a) return false;
    if (model->body[model->body[weld_a].parent].weld == weld_b) return false;
  }
  return !is_excluded(model, (const int[2]){a->body, b->body});
}

static bool resists_turning(int condim, const double friction[3]) {
  return (condim >= 4 && friction[1] > 0) || (condim >= 6 && friction[2] > 0);
}

bool crd_model_has_torsion(const crd_model *model) {
  for (int g = 0; g < model->ngeom; g++) {
    const crd_geom *geom = &model->geom[g];
    if ((geom->contype || geom->conaffinity) && resists_turning(geom->condim, geom->friction)) return true;
  }
  for (int p = 0; p < model->npair; p++)
    if (resists_turning(model->pair[p].condim, model->pair[p].friction)) return true;
  return false;
}
