/* All contacts of a model: the collider, the pairs that may touch (watch.c), and the collection of contacts. */
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "collide/collider.h"

static const double SPHERES_SUFFICE =
    0.5; /* of the smaller radius: beyond it the bounding spheres tell the gap well enough */

crd_collide_options crd_collide_default(void) {
  crd_collide_options options = {.distance = 1e-6};
  return options;
}

static bool take_memory(crd_collider *collider) {
  const crd_model *model = collider->model;
  int corners = crd_feature_capacity(8);
  bool fields = false;
  for (int g = 0; g < model->ngeom; g++) {
    fields |= model->geom[g].type == CRD_HFIELD;
    if (model->geom[g].type == CRD_MESH) {
      int needed = crd_feature_capacity(model->mesh[model->geom[g].mesh].nhull);
      if (needed > corners) corners = needed;
    }
  }
  crd_arena *arena = &collider->arena;
  crd_patch *patch = &collider->patch;
  patch->capacity = crd_patch_capacity(corners);
  if (fields && patch->capacity < CRD_FIELD_POINTS) patch->capacity = CRD_FIELD_POINTS;
  return !CRD_TAKE(arena, CRD_ARRAY(patch->A.corner, corners), CRD_ARRAY(patch->B.corner, corners),
                   CRD_ARRAY(patch->point, patch->capacity), CRD_ARRAY(collider->found, patch->capacity),
                   CRD_ARRAY(collider->known, patch->capacity), CRD_ARRAY(collider->keep, patch->capacity),
                   CRD_ARRAY(collider->gathered, fields ? CRD_FIELD_POINTS : 0)) &&
         crd_part_new(&collider->whole, model, 1, arena) && crd_watch_new(&collider->watch, model, arena);
}

crd_collider *crd_collide_new(const crd_model *model) {
  crd_collider *collider = calloc(1, sizeof *collider);
  if (!collider) return NULL;
  collider->model = model;
  if (!take_memory(collider)) {
    crd_collide_free(collider);
    return NULL;
  }
  collider->watch.part = &collider->whole;
  return collider;
}

void crd_collide_free(crd_collider *collider) {
  if (!collider) return;
  crd_arena_free(&collider->arena);
  free(collider);
}

/* ------------------------------------------------------------------------------------------------ collection */

typedef struct collection {
  crd_collider *collider;
  const double *pos, *R;
  double distance;
  bool all_points;
  crd_contact_point *contact;
  int capacity, count;
} collection;

static void keep_found(collection *all, int found, int pair) {
  for (int i = 0; i < found; i++, all->count++) {
    if (all->count >= all->capacity) continue;
    all->contact[all->count] = all->collider->found[i];
    all->contact[all->count].pair = pair;
  }
}

/* Narrow phase of one pair; returns the number of its contacts. */
static int compare(collection *all, const crd_watched *pair) {
  int found = crd_pair_contacts(all->collider, all->pos, all->R, pair->geom1, pair->geom2,
                                fmax(all->distance, pair->margin), all->all_points);
  keep_found(all, found, pair->pair);
  return found;
}

static void compare_near(void *context, const crd_watched *pair) { compare(context, pair); }

static bool comes_before(const crd_contact_point *p, const crd_contact_point *q, double same) {
  int pl = p->geomA < p->geomB ? p->geomA : p->geomB, ph = p->geomA + p->geomB - pl;
  int ql = q->geomA < q->geomB ? q->geomA : q->geomB, qh = q->geomA + q->geomB - ql;
  (void)same;
  if (pl != ql) return pl < ql;
  return ph != qh ? ph < qh : p->index < q->index;
}

/* ------------------------------------------------------------------------------------------------ all */

static bool poses_are_finite(int ngeom, const double *pos, const double *R) {
  for (int i = 0; i < 3 * ngeom; i++)
    if (!isfinite(pos[i])) return false;
  for (int i = 0; i < 9 * ngeom; i++)
    if (!isfinite(R[i])) return false;
  return true;
}

/* Lower bound of the gap of a pair: pairs that touch are due again at once. Far ones are told by their bounding
 * spheres, near ones by the direction in which they were apart when it was looked for last, else by their distance. */
static double look_at(void *context, crd_watched *pair) {
  collection *all = context;
  crd_collider *collider = all->collider;
  const crd_geom *geom = collider->model->geom;
  double limit = fmax(all->distance, pair->margin), smaller = fmin(geom[pair->geom1].radius, geom[pair->geom2].radius);
  double gap = crd_pair_sphere_gap(collider, all->pos, all->R, pair->geom1, pair->geom2);
  if (gap > limit + SPHERES_SUFFICE * smaller) return gap;
  gap = crd_pair_gap_along(collider, all->pos, all->R, pair->geom1, pair->geom2, pair->n);
  if (gap > limit + pair->slack) return gap;
  if (compare(all, pair) > 0) return -INFINITY;
  return crd_pair_gap(collider, all->pos, all->R, pair->geom1, pair->geom2, pair->n);
}

crd_status crd_collide_all(crd_collider *collider, const double *pos, const double *R,
                           const crd_collide_options *options, crd_contact_point *contact, int capacity, int *count) {
  crd_collide_options given = options ? *options : crd_collide_default();
  collection all = {collider, pos, R, given.distance, given.all_points, contact, capacity, 0};
  if (!isfinite(given.distance)) return CRD_ERR_NUMBER;
  crd_status status = crd_watch_move(&collider->watch, pos, R, given.distance);
  if (status == CRD_ERR_NUMBER) return status;
  if (status == CRD_OK)
    crd_watch_look(&collider->watch, given.distance, look_at, &all);
  else
    crd_watch_near(&collider->watch, pos, R, given.distance, compare_near, &all);
  *count = all.count;
  crd_sort_points(contact, all.count < capacity ? all.count : capacity, comes_before, 0);
  return all.count > capacity ? CRD_ERR_CAPACITY : CRD_OK;
}

crd_status crd_collide_pair(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2,
                            double distance, crd_contact_point *contact, int capacity, int *count) {
  const crd_model *model = collider->model;
  if (geom1 < 0 || geom1 >= model->ngeom || geom2 < 0 || geom2 >= model->ngeom || geom1 == geom2)
    return CRD_ERR_ARGUMENT;
  if (!poses_are_finite(1, pos + 3 * geom1, R + 9 * geom1) || !poses_are_finite(1, pos + 3 * geom2, R + 9 * geom2) ||
      !isfinite(distance))
    return CRD_ERR_NUMBER;
  collection all = {collider, pos, R, distance, true, contact, capacity, 0};
  keep_found(&all, crd_pair_contacts(collider, pos, R, geom1, geom2, distance, true), -1);
  *count = all.count;
  return all.count > capacity ? CRD_ERR_CAPACITY : CRD_OK;
}
