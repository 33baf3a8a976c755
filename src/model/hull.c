/* Convex hull by Qhull (quickhull, O(n log n)), with merged facets triangulated. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "model/hull.h"

#ifndef CRADLE_WITH_QHULL

bool crd_hull_available(void) { return false; }

crd_status crd_hull_make(crd_hull *hull, crd_arena *arena, int npoint, const double *point) {
  (void)arena, (void)npoint, (void)point;
  *hull = (crd_hull){0};
  return CRD_UNKNOWN;
}

#else

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>

#include <cradle/linalg.h>

bool crd_hull_available(void) { return true; }

/* Copies the three vertices of a facet, ordered so that the triangle's normal points the facet's way. */
static void copy_facet(qhT *qh, facetT *facet, const double *point, int out[3]) {
  vertexT *vertex, **vertexp;
  int count = 0;
  FOREACHvertex_(facet->vertices) {
    if (count < 3) out[count++] = qh_pointid(qh, vertex->point);
  }
  double edge1[3], edge2[3], normal[3];
  crd_vec3_sub(edge1, point + 3 * out[1], point + 3 * out[0]);
  crd_vec3_sub(edge2, point + 3 * out[2], point + 3 * out[0]);
  crd_vec3_cross(normal, edge1, edge2);
  if (crd_vec3_dot(normal, facet->normal) < 0) {
    int swap = out[0];
    out[0] = out[1], out[1] = swap;
  }
}

static crd_status copy_hull(qhT *qh, crd_hull *hull, crd_arena *arena, int npoint, const double *point) {
  char *on_hull = crd_arena_alloc(arena, (size_t)npoint, 1);
  hull->vert = crd_arena_alloc(arena, (size_t)qh->num_vertices, sizeof(int));
  hull->face = crd_arena_alloc(arena, (size_t)qh->num_facets, 3 * sizeof(int));
  if (!on_hull || !hull->vert || !hull->face) return CRD_ERR_MEMORY;
  facetT *facet;
  FORALLfacets copy_facet(qh, facet, point, hull->face + 3 * hull->nface++);
  for (int i = 0; i < 3 * hull->nface; i++) on_hull[hull->face[i]] = 1;
  for (int i = 0; i < npoint; i++)
    if (on_hull[i]) hull->vert[hull->nvert++] = i;
  return CRD_OK;
}

crd_status crd_hull_make(crd_hull *hull, crd_arena *arena, int npoint, const double *point) {
  *hull = (crd_hull){0};
  if (npoint < 4) return CRD_SINGULAR;
  /* Qhull insists on a place for its messages. */
  char *text = NULL;
  size_t length = 0;
  FILE *messages = open_memstream(&text, &length);
  if (!messages) return CRD_ERR_MEMORY;

  qhT state, *qh = &state;
  QHULL_LIB_CHECK
  qh_zero(qh, messages);
  char options[] = "qhull Qt";
  int failed = qh_new_qhull(qh, 3, npoint, (coordT *)(uintptr_t)point, False, options, NULL, messages);
  crd_status status = failed == qh_ERRmem ? CRD_ERR_MEMORY : failed ? CRD_SINGULAR : CRD_OK;
  if (status == CRD_OK) status = copy_hull(qh, hull, arena, npoint, point);
  int kept, total;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &kept, &total);
  fclose(messages);
  free(text);
  return status;
}

#endif
