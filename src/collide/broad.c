/* All contacts of a model: the collider, the broad phase, and the collection of contacts.
 *
 * Broad phase: the bounding boxes are sorted along the axis on which the geoms spread most, and swept; a box is
 * compared with those that begin before it ends. Near linear in the number of geoms while few boxes overlap on that
 * axis. The order of the last call is kept, so that the sort has little to do in a simulation. Planes are compared with
 * every geom.
 */
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "collide/collider.h"

crd_collide_options crd_collide_default(void) {
  crd_collide_options options = {.distance = 1e-6};
  return options;
}

static void find_reach(crd_collider *collider) {
  const crd_model *model = collider->model;
  double largest = 0;
  for (int g = 0; g < model->ngeom; g++) largest = fmax(largest, model->geom[g].margin);
  /* of two geoms the larger margin counts, so the largest of all bounds every pair that no stated pair widens */
  for (int g = 0; g < model->ngeom; g++) collider->reach[g] = largest;
  for (int p = 0; p < model->npair; p++) {
    const crd_pair *pair = &model->pair[p];
    collider->reach[pair->geom1] = fmax(collider->reach[pair->geom1], pair->margin);
    collider->reach[pair->geom2] = fmax(collider->reach[pair->geom2], pair->margin);
  }
}

static bool take_memory(crd_collider *collider) {
  const crd_model *model = collider->model;
  int corners = crd_feature_capacity(8);
  for (int g = 0; g < model->ngeom; g++)
    if (model->geom[g].type == CRD_MESH) {
      int needed = crd_feature_capacity(model->mesh[model->geom[g].mesh].nhull);
      if (needed > corners) corners = needed;
    }
  crd_arena *arena = &collider->arena;
  crd_patch *patch = &collider->patch;
  size_t ngeom = (size_t)model->ngeom;
  patch->capacity = crd_patch_capacity(corners);
  collider->reach = crd_arena_alloc(arena, ngeom, sizeof(double));
  collider->half = crd_arena_alloc(arena, ngeom, 3 * sizeof(double));
  collider->interval = crd_arena_alloc(arena, ngeom, sizeof(crd_interval));
  collider->plane = crd_arena_alloc(arena, ngeom, sizeof(int));
  patch->A.corner = crd_arena_alloc(arena, (size_t)corners, sizeof(crd_corner));
  patch->B.corner = crd_arena_alloc(arena, (size_t)corners, sizeof(crd_corner));
  patch->point = crd_arena_alloc(arena, (size_t)patch->capacity, sizeof(crd_patch_point));
  collider->found = crd_arena_alloc(arena, (size_t)patch->capacity, sizeof(crd_contact_point));
  return collider->reach && collider->half && collider->interval && collider->plane && patch->A.corner &&
         patch->B.corner && patch->point && collider->found;
}

/* Geoms for show have no masks; they take part only if a stated pair names them. */
static bool takes_part(const crd_model *model, int geom) {
  if (model->geom[geom].contype || model->geom[geom].conaffinity) return true;
  for (int p = 0; p < model->npair; p++)
    if (model->pair[p].geom1 == geom || model->pair[p].geom2 == geom) return true;
  return false;
}

crd_collider *crd_collider_new(const crd_model *model) {
  crd_collider *collider = calloc(1, sizeof *collider);
  if (!collider) return NULL;
  collider->model = model;
  if (!take_memory(collider)) {
    crd_collider_free(collider);
    return NULL;
  }
  find_reach(collider);
  for (int g = 0; g < model->ngeom; g++) {
    if (!takes_part(model, g)) continue;
    if (model->geom[g].type == CRD_PLANE)
      collider->plane[collider->nplane++] = g;
    else
      collider->interval[collider->ninterval++].geom = g;
  }
  return collider;
}

void crd_collider_free(crd_collider *collider) {
  if (!collider) return;
  crd_arena_free(&collider->arena);
  free(collider);
}

/* ------------------------------------------------------------------------------------------------ collection */

typedef struct collection {
  crd_collider *collider;
  const double *pos, *R;
  double distance;
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

static void compare(collection *all, int g1, int g2) {
  const crd_model *model = all->collider->model;
  int pair;
  if (model->geom[g1].link < 0 && model->geom[g2].link < 0) return;
  if (!crd_model_may_collide(model, g1, g2, &pair)) return;
  double margin = pair >= 0 ? model->pair[pair].margin : fmax(model->geom[g1].margin, model->geom[g2].margin);
  keep_found(all, crd_pair_contacts(all->collider, all->pos, all->R, g1, g2, fmax(all->distance, margin)), pair);
}

static bool is_ordered(const crd_contact_point *p, const crd_contact_point *q) {
  int pl = p->geomA < p->geomB ? p->geomA : p->geomB, ph = p->geomA + p->geomB - pl;
  int ql = q->geomA < q->geomB ? q->geomA : q->geomB, qh = q->geomA + q->geomB - ql;
  if (pl != ql) return pl < ql;
  return ph != qh ? ph < qh : p->index <= q->index;
}

/* Gaps of Shell's method after Ciura (2001): quick for some thousand items, and at once done with sorted ones. */
static const int SHELL_GAP[] = {3964, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
enum { SHELL_GAPS = sizeof SHELL_GAP / sizeof *SHELL_GAP };

static void sort_contacts(crd_contact_point *c, int n) {
  for (int g = 0; g < SHELL_GAPS; g++)
    for (int gap = SHELL_GAP[g], i = gap; i < n; i++) {
      crd_contact_point moved = c[i];
      int k = i;
      for (; k >= gap && !is_ordered(&c[k - gap], &moved); k -= gap) c[k] = c[k - gap];
      c[k] = moved;
    }
}

/* ------------------------------------------------------------------------------------------------ sweep */

static void sort_intervals(crd_interval *v, int n) {
  for (int g = 0; g < SHELL_GAPS; g++)
    for (int gap = SHELL_GAP[g], i = gap; i < n; i++) {
      crd_interval moved = v[i];
      int k = i;
      for (; k >= gap && v[k - gap].low > moved.low; k -= gap) v[k] = v[k - gap];
      v[k] = moved;
    }
}

/* The world axis along which the positions vary most. */
static int sweep_axis(const crd_collider *collider, const double *pos) {
  double sum[3] = {0, 0, 0}, square[3] = {0, 0, 0}, n = collider->ninterval;
  for (int i = 0; i < collider->ninterval; i++) {
    const double *p = pos + 3 * collider->interval[i].geom;
    for (int k = 0; k < 3; k++) sum[k] += p[k], square[k] += p[k] * p[k];
  }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (square[k] - sum[k] * sum[k] / n > square[axis] - sum[axis] * sum[axis] / n) axis = k;
  return axis;
}

static void sweep(collection *all) {
  crd_collider *collider = all->collider;
  int axis = sweep_axis(collider, all->pos), n = collider->ninterval;
  crd_interval *interval = collider->interval;
  for (int i = 0; i < n; i++) {
    int g = interval[i].geom;
    crd_solid solid;
    double *half = collider->half + 3 * g, reach = fmax(all->distance, collider->reach[g]);
    crd_solid_of_geom(&solid, collider->model, g, all->pos + 3 * g, all->R + 9 * g);
    crd_solid_half_extents(&solid, half);
    for (int k = 0; k < 3; k++) half[k] += fmax(0, reach);
    interval[i].low = all->pos[3 * g + axis] - half[axis], interval[i].high = all->pos[3 * g + axis] + half[axis];
  }
  sort_intervals(interval, n);
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n && interval[j].low <= interval[i].high; j++) {
      int g1 = interval[i].geom, g2 = interval[j].geom;
      const double *p1 = all->pos + 3 * g1, *p2 = all->pos + 3 * g2, *h1 = collider->half + 3 * g1,
                   *h2 = collider->half + 3 * g2;
      bool apart = false;
      for (int k = 0; k < 3; k++) apart = apart || fabs(p1[k] - p2[k]) > h1[k] + h2[k];
      if (!apart) compare(all, g1, g2);
    }
  }
}

/* A geom whose bounding sphere stays clear of the half space cannot touch it. */
static void compare_with_plane(collection *all, int plane) {
  const crd_collider *collider = all->collider;
  const double *R = all->R + 9 * plane, n[3] = {R[2], R[5], R[8]};
  double reach_plane = collider->reach[plane];
  for (int i = 0; i < collider->ninterval; i++) {
    int g = collider->interval[i].geom;
    double d[3], reach = fmax(all->distance, fmax(reach_plane, collider->reach[g]));
    crd_vec3_sub(d, all->pos + 3 * g, all->pos + 3 * plane);
    if (crd_vec3_dot(d, n) - collider->model->geom[g].radius <= reach) compare(all, plane, g);
  }
}

static bool poses_are_finite(int ngeom, const double *pos, const double *R) {
  for (int i = 0; i < 3 * ngeom; i++)
    if (!isfinite(pos[i])) return false;
  for (int i = 0; i < 9 * ngeom; i++)
    if (!isfinite(R[i])) return false;
  return true;
}

crd_status crd_collide(crd_collider *collider, const double *pos, const double *R, const crd_collide_options *options,
                       crd_contact_point *contact, int capacity, int *count) {
  crd_collide_options given = options ? *options : crd_collide_default();
  collection all = {collider, pos, R, given.distance, contact, capacity, 0};
  if (!poses_are_finite(collider->model->ngeom, pos, R) || !isfinite(given.distance)) return CRD_ERR_NUMBER;
  for (int p = 0; p < collider->nplane; p++) compare_with_plane(&all, collider->plane[p]);
  sweep(&all);
  *count = all.count;
  sort_contacts(contact, all.count < capacity ? all.count : capacity);
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
  collection all = {collider, pos, R, distance, contact, capacity, 0};
  keep_found(&all, crd_pair_contacts(collider, pos, R, geom1, geom2, distance), -1);
  *count = all.count;
  return all.count > capacity ? CRD_ERR_CAPACITY : CRD_OK;
}
