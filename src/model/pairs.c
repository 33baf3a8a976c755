/* Stated contact pairs and excluded body pairs, sorted so that the filter finds them quickly. */
#include <math.h>
#include <stdlib.h>

#include "model/build.h"

/* Two ids that belong together, the smaller one first, and the definition they come from. */
typedef struct id_pair {
  int first, second, source;
} id_pair;

static int compare_id_pairs(const void *a, const void *b) {
  const id_pair *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  if (x->second != y->second) return x->second < y->second ? -1 : 1;
  return (x->source > y->source) - (x->source < y->source);
}

static void sort_id_pairs(id_pair *list, int n) {
  for (int i = 0; i < n; i++) {
    int a = list[i].first, b = list[i].second;
    list[i].first = a < b ? a : b, list[i].second = a < b ? b : a;
  }
  if (n > 0) qsort(list, (size_t)n, sizeof *list, compare_id_pairs);
}

static crd_status build_stated(crd_build *b) {
  int n = b->model->npair;
  crd_pair *pair = crd_arena_alloc(b->arena, (size_t)n, sizeof *pair);
  id_pair *sorted = crd_arena_alloc(&b->scratch, (size_t)n, sizeof *sorted);
  if (!pair || !sorted) return crd_build_no_memory(b);
  for (int i = 0; i < n; i++)
    sorted[i] = (id_pair){b->geom_id[b->pair_def[i].geom1], b->geom_id[b->pair_def[i].geom2], i};
  sort_id_pairs(sorted, n);
  for (int i = 0; i < n; i++) {
    const crd_pair_def *def = &b->pair_def[sorted[i].source];
    double larger = fmax(b->geom[sorted[i].first].restitution, b->geom[sorted[i].second].restitution);
    pair[i] = (crd_pair){.name = crd_build_text(b, def->name),
                         .geom1 = sorted[i].first,
                         .geom2 = sorted[i].second,
                         .condim = def->condim,
                         .margin = def->margin,
                         .gap = def->gap,
                         .restitution = isnan(def->restitution) ? larger : def->restitution};
    crd_vec3_copy(pair[i].friction, def->friction);
  }
  b->model->pair = pair;
  return CRD_OK;
}

static crd_status build_excluded(crd_build *b) {
  int n = b->model->nexclude;
  int *exclude = crd_arena_alloc(b->arena, (size_t)n, 2 * sizeof *exclude);
  id_pair *sorted = crd_arena_alloc(&b->scratch, (size_t)n, sizeof *sorted);
  if (!exclude || !sorted) return crd_build_no_memory(b);
  for (int i = 0; i < n; i++)
    sorted[i] = (id_pair){b->body_id[b->exclude_def[i].body1], b->body_id[b->exclude_def[i].body2], i};
  sort_id_pairs(sorted, n);
  for (int i = 0; i < n; i++) exclude[2 * i] = sorted[i].first, exclude[2 * i + 1] = sorted[i].second;
  b->model->exclude = exclude;
  return CRD_OK;
}

crd_status crd_build_pairs(crd_build *b) {
  CRD_TRY(build_stated(b));
  return build_excluded(b);
}
