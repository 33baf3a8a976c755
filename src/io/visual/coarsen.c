/* A mesh for show with fewer triangles: vertices of one cell of a grid become one [Rossignac, Borrel 1993]. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/layout.h"
#include "io/visual/visual.h"

/* The grid begins with this many cells along the longest edge of the box and is refined while the result keeps within
 * its bounds; beyond the finest nothing would change to the eye. */
enum { COARSEST = 4, FINEST = 4096 };
static const double REFINEMENT = 1.2;

typedef struct grid {
  const crd_visual_mesh *from;
  double low[3], cell;
  int *slot; /* hash table of the cells: number of the new vertex + 1 */
  uint64_t *code;
  size_t slots;
  int *merged;  /* nvert: new vertex of each */
  double *vert; /* of the new vertices: sums, then means */
  int *share;   /* how many became one */
  int nvert, nface;
} grid;

static uint64_t cell_of(const grid *g, const double *vertex) {
  uint64_t code = 0;
  for (int k = 0; k < 3; k++) code = code << 16 | (uint64_t)floor((vertex[k] - g->low[k]) / g->cell);
  return code;
}

static int vertex_of(grid *g, uint64_t code) {
  size_t at = (size_t)((code * 0x9e3779b97f4a7c15u) >> 20) & (g->slots - 1);
  while (g->slot[at] && g->code[at] != code) at = (at + 1) & (g->slots - 1);
  if (g->slot[at]) return g->slot[at] - 1;
  g->code[at] = code;
  g->slot[at] = ++g->nvert;
  return g->nvert - 1;
}

static bool is_triangle(const int *merged, const int *face) {
  const int a = merged[face[0]], b = merged[face[1]], c = merged[face[2]];
  return a != b && b != c && c != a;
}

/* Merges by cells of this size; counts the remaining vertices. */
static void merge(grid *g, double cell) {
  g->cell = cell, g->nvert = g->nface = 0;
  memset(g->slot, 0, g->slots * sizeof *g->slot);
  for (int i = 0; i < g->from->nvert; i++) g->merged[i] = vertex_of(g, cell_of(g, g->from->vert + 3 * (size_t)i));
  for (int f = 0; f < g->from->nface; f++) g->nface += is_triangle(g->merged, g->from->face + 3 * (size_t)f);
}

static bool make_grid(grid *g, crd_arena *scratch, const crd_visual_mesh *mesh, double *longest) {
  double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  *g = (grid){.from = mesh, .low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .slots = 16};
  for (int i = 0; i < mesh->nvert; i++)
    for (int k = 0; k < 3; k++) {
      g->low[k] = fmin(g->low[k], mesh->vert[3 * i + k]);
      high[k] = fmax(high[k], mesh->vert[3 * i + k]);
    }
  *longest = fmax(high[0] - g->low[0], fmax(high[1] - g->low[1], high[2] - g->low[2]));
  while (g->slots < 2 * (size_t)mesh->nvert) g->slots *= 2;
  return !CRD_TAKE(scratch, CRD_ARRAY(g->slot, g->slots), CRD_ARRAY(g->code, g->slots),
                   CRD_ARRAY(g->merged, mesh->nvert));
}

static crd_status take(crd_arena *arena, const grid *g, crd_visual_mesh *mesh) {
  double *vert;
  int *face, *share;
  if (CRD_TAKE(arena, CRD_MATRIX(vert, g->nvert, 3), CRD_ARRAY(face, 3 * (size_t)g->nface + 1),
               CRD_ARRAY(share, g->nvert)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < mesh->nvert; i++) {
    const int to = g->merged[i];
    share[to]++;
    for (int k = 0; k < 3; k++) vert[3 * (size_t)to + (size_t)k] += mesh->vert[3 * i + k];
  }
  for (int i = 0; i < g->nvert; i++)
    for (int k = 0; k < 3; k++) vert[3 * i + k] /= share[i];
  int *next = face;
  for (int f = 0; f < mesh->nface; f++) {
    const int *corner = mesh->face + 3 * (size_t)f;
    if (!is_triangle(g->merged, corner)) continue;
    for (int k = 0; k < 3; k++) *next++ = g->merged[corner[k]];
  }
  mesh->nvert = g->nvert, mesh->nface = g->nface;
  mesh->vert = vert, mesh->face = face;
  return CRD_OK;
}

crd_status crd_visual_coarsen(crd_arena *arena, int most, crd_visual_mesh *mesh) {
  if (mesh->nface <= most && mesh->nvert <= CRD_VISUAL_VERTICES) return CRD_OK;
  crd_arena scratch = {0};
  grid g;
  double longest, cells = COARSEST, good = COARSEST;
  if (!make_grid(&g, &scratch, mesh, &longest)) {
    crd_arena_free(&scratch);
    return CRD_ERR_MEMORY;
  }
  if (!(longest > 0)) longest = 1; /* all vertices at one place: they become one */
  for (; cells <= FINEST; cells *= REFINEMENT) {
    merge(&g, longest / cells);
    if (g.nface > most || g.nvert > CRD_VISUAL_VERTICES) break;
    good = cells;
  }
  merge(&g, longest / good);
  crd_status status = take(arena, &g, mesh);
  crd_arena_free(&scratch);
  return status;
}
