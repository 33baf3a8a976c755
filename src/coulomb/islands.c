/* Union of rows that share a contact or an entry of G. The lower row stands for both, so that the result does not
 * depend on the order of joining. */
#include "coulomb/islands.h"

#include <string.h>

#include "base/forest.h"
#include "linalg/simd.h"

/* apart: islands so far. One row is often enough to join all; zeros are passed over four at a time. */
CRD_CLONES static void join_dense(const crd_coulomb_problem *problem, int *parent, int apart) {
  int n = problem->n;
  for (int i = 0; i < n && apart > 1; i++) {
    const double *row = problem->G + (size_t)n * (size_t)i;
    int root = crd_forest_root(parent, i);
    for (int first = 0; first < n; first += 4) {
      int end = first + 4 < n ? first + 4 : n;
      if (end == first + 4 && crd_v4_bits(*(const crd_v4_unaligned *)(row + first) != (crd_v4){0}) == 0) continue;
      for (int j = first; j < end; j++) {
        if (row[j] == 0 || parent[j] == root) continue;
        apart -= crd_forest_join(parent, root, j);
        root = parent[j] = crd_forest_root(parent, root);
      }
    }
  }
}

static void join_blocks(const crd_coulomb_blocks *G, int *parent) {
  for (int g = 0; g < G->ngroup; g++) {
    for (int row = G->first_row[g] + 1; row < G->first_row[g + 1]; row++) crd_forest_join(parent, row, row - 1);
    for (int k = G->first[g]; k < G->first[g + 1]; k++)
      if (G->first_row[g] < G->first_row[g + 1] && G->first_row[G->column[k]] < G->first_row[G->column[k] + 1])
        crd_forest_join(parent, G->first_row[g], G->first_row[G->column[k]]);
  }
}

/* Rows that move, or are moved by, the same velocity. */
static void join_factored(const crd_coulomb_problem *problem, int *parent) {
  size_t nv = (size_t)problem->nv;
  for (size_t k = 0; k < nv; k++)
    for (int i = 0, first = -1; i < problem->n; i++) {
      if (problem->J[nv * (size_t)i + k] == 0 && problem->X[nv * (size_t)i + k] == 0) continue;
      if (first >= 0) crd_forest_join(parent, first, i);
      first = i;
    }
}

void crd_coulomb_find_islands(const crd_coulomb_problem *problem, int *parent) {
  int apart = problem->n;
  crd_forest_begin(parent, problem->n);
  for (int i = 0; i < problem->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[i];
    for (int k = 1; k < crd_coulomb_contact_rows(c); k++) apart -= crd_forest_join(parent, c->row, c->row + k);
  }
  if (problem->G)
    join_dense(problem, parent, apart);
  else if (problem->blocks)
    join_blocks(problem->blocks, parent);
  else if (problem->J)
    join_factored(problem, parent);
  for (int i = 0; i < problem->n; i++) parent[i] = crd_forest_root(parent, i);
}

/* ------------------------------------------------------------------------------------------------ lists by island */

bool crd_islands_alloc(crd_islands *islands, crd_arena *arena, int n) {
  int **const list[] = {&islands->parent,  &islands->rows,          &islands->contact,         &islands->bilateral,
                        &islands->bounded, &islands->first_contact, &islands->first_bilateral, &islands->first_bounded};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (!(*list[k] = crd_arena_alloc(arena, (size_t)n + 1, sizeof **list[k]))) return false;
  return true;
}

static int contact_row(const crd_coulomb_problem *problem, int i) { return problem->contact[i].row; }
static int bilateral_row(const crd_coulomb_problem *problem, int i) { return problem->bilateral[i]; }
static int bounded_row(const crd_coulomb_problem *problem, int i) { return problem->bounded[i].row; }

/* The items of a kind by island, in the order of the problem. */
static void sort_by_island(int count, const int *parent, const crd_coulomb_problem *problem,
                           int row_of(const crd_coulomb_problem *, int), int *list, int *first) {
  memset(first, 0, sizeof *first * ((size_t)problem->n + 1));
  for (int i = 0; i < count; i++) first[parent[row_of(problem, i)] + 1]++;
  for (int r = 0; r < problem->n; r++) first[r + 1] += first[r];
  for (int i = 0; i < count; i++) list[first[parent[row_of(problem, i)]]++] = i;
  for (int r = problem->n; r > 0; r--) first[r] = first[r - 1]; /* back to where each begins */
  first[0] = 0;
}

void crd_islands_set(crd_islands *s, const crd_coulomb_problem *problem) {
  crd_coulomb_find_islands(problem, s->parent);
  memset(s->rows, 0, sizeof *s->rows * (size_t)problem->n);
  for (int i = 0; i < problem->n; i++) s->rows[s->parent[i]]++;
  sort_by_island(problem->ncontact, s->parent, problem, contact_row, s->contact, s->first_contact);
  sort_by_island(problem->nbilateral, s->parent, problem, bilateral_row, s->bilateral, s->first_bilateral);
  sort_by_island(problem->nbounded, s->parent, problem, bounded_row, s->bounded, s->first_bounded);
}

crd_island crd_island_of(const crd_islands *s, int r) {
  return (crd_island){.contact = s->contact + s->first_contact[r],
                      .bilateral = s->bilateral + s->first_bilateral[r],
                      .bounded = s->bounded + s->first_bounded[r],
                      .ncontact = s->first_contact[r + 1] - s->first_contact[r],
                      .nbilateral = s->first_bilateral[r + 1] - s->first_bilateral[r],
                      .nbounded = s->first_bounded[r + 1] - s->first_bounded[r]};
}
