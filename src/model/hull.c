/* Convex hull by Qhull (quickhull, O(n log n)), with merged facets triangulated. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "model/hull.h"

#ifndef CRADLE_WITH_QHULL

bool crd_hull_available(void) { return false; }

crd_status crd_hull_make_in(int dim, crd_hull *hull, crd_arena *arena, int npoint, const double *point) {
  (void)dim, (void)arena, (void)npoint, (void)point;
  *hull = (crd_hull){0};
  return CRD_UNKNOWN;
}

#else

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>

#include <cradle/linalg.h>

bool crd_hull_available(void) { return true; }

/* Does the edge or triangle with these vertices, in this order, look the facet's way? */
static bool looks_outward(int dim, const facetT *facet, const double *point, const int *vertex) {
  double edge1[3], edge2[3], normal[3];
  if (dim == 2) {
    const double *a = point + 2 * (size_t)vertex[0], *b = point + 2 * (size_t)vertex[1];
    return (b[1] - a[1]) * facet->normal[0] - (b[0] - a[0]) * facet->normal[1] >= 0;
  }
  crd_vec3_sub(edge1, point + 3 * (size_t)vertex[1], point + 3 * (size_t)vertex[0]);
  crd_vec3_sub(edge2, point + 3 * (size_t)vertex[2], point + 3 * (size_t)vertex[0]);
  crd_vec3_cross(normal, edge1, edge2);
  return crd_vec3_dot(normal, facet->normal) >= 0;
}

static void copy_facet(qhT *qh, int dim, facetT *facet, const double *point, int *out) {
  vertexT *vertex, **vertexp;
  int count = 0;
  FOREACHvertex_(facet->vertices) {
    if (count < dim) out[count++] = qh_pointid(qh, vertex->point);
  }
  if (!looks_outward(dim, facet, point, out)) {
    int swap = out[0];
    out[0] = out[1], out[1] = swap;
  }
}

static crd_status copy_hull(qhT *qh, int dim, crd_hull *hull, crd_arena *arena, int npoint, const double *point) {
  char *on_hull = crd_arena_alloc(arena, (size_t)npoint, 1);
  hull->vert = crd_arena_alloc(arena, (size_t)qh->num_vertices, sizeof(int));
  hull->face = crd_arena_alloc(arena, (size_t)qh->num_facets, (size_t)dim * sizeof(int));
  if (!on_hull || !hull->vert || !hull->face) return CRD_ERR_MEMORY;
  facetT *facet;
  FORALLfacets copy_facet(qh, dim, facet, point, hull->face + dim * hull->nface++);
  for (int i = 0; i < dim * hull->nface; i++) on_hull[hull->face[i]] = 1;
  for (int i = 0; i < npoint; i++)
    if (on_hull[i]) hull->vert[hull->nvert++] = i;
  return CRD_OK;
}

crd_status crd_hull_make_in(int dim, crd_hull *hull, crd_arena *arena, int npoint, const double *point) {
  *hull = (crd_hull){0};
  if (npoint < dim + 1) return CRD_SINGULAR;
  /* Qhull insists on a place for its messages. */
  char *text = NULL;
  size_t length = 0;
  FILE *messages = open_memstream(&text, &length);
  if (!messages) return CRD_ERR_MEMORY;

  qhT state, *qh = &state;
  QHULL_LIB_CHECK
  qh_zero(qh, messages);
  char options[] = "qhull Qt";
  int failed = qh_new_qhull(qh, dim, npoint, (coordT *)(uintptr_t)point, False, options, NULL, messages);
  crd_status status = failed == qh_ERRmem ? CRD_ERR_MEMORY : failed ? CRD_SINGULAR : CRD_OK;
  if (status == CRD_OK) status = copy_hull(qh, dim, hull, arena, npoint, point);
  int kept, total;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &kept, &total);
  fclose(messages);
  free(text);
  return status;
}

#endif

crd_status crd_hull_make(crd_hull *hull, crd_arena *arena, int npoint, const double *point) {
  return crd_hull_make_in(3, hull, arena, npoint, point);
}
