/* Every island as a dense problem: its contacts with their rows in the order of the whole problem, then its bilateral
 * and bounded rows. Columns of G are copied, or computed as the velocities of unit impulses. */
#include "coulomb/island_problem.h"

#include <string.h>

#include "coulomb/islands.h"

/* Rows of the whole problem, where they are in their island, and memory for what islands point to. */
typedef struct division {
  const crd_coulomb_problem *problem;
  crd_arena *arena;
  int *parent; /* n: the lowest row of the row's island */
  int *place;  /* n: row within the island */
  int count;   /* islands */
  int *number; /* n: of the island with this lowest row */
  crd_island_problem *island;
} division;

static void add_row(division *d, crd_island_problem *island, int row) {
  d->place[row] = island->problem.n;
  island->row[island->problem.n++] = row;
}

static crd_island_problem *island_of(const division *d, int row) { return &d->island[d->number[d->parent[row]]]; }

static bool allocate(division *d) {
  const crd_coulomb_problem *problem = d->problem;
  size_t n = (size_t)problem->n;
  d->parent = crd_arena_alloc(d->arena, n, sizeof *d->parent);
  d->place = crd_arena_alloc(d->arena, n, sizeof *d->place);
  d->number = crd_arena_alloc(d->arena, n, sizeof *d->number);
  if (!d->parent || !d->place || !d->number) return false;
  crd_coulomb_find_islands(problem, d->parent);
  for (int r = 0; r < problem->n; r++)
    if (d->parent[r] == r) d->number[r] = d->count++;
  d->island = crd_arena_alloc(d->arena, (size_t)d->count, sizeof *d->island);
  if (!d->island) return false;
  /* sizes first, from which the lists are allocated */
  for (int r = 0; r < problem->n; r++) island_of(d, r)->problem.n++;
  for (int c = 0; c < problem->ncontact; c++) island_of(d, problem->contact[c].row)->problem.ncontact++;
  for (int i = 0; i < problem->nbilateral; i++) island_of(d, problem->bilateral[i])->problem.nbilateral++;
  for (int i = 0; i < problem->nbounded; i++) island_of(d, problem->bounded[i].row)->problem.nbounded++;
  return true;
}

/* Lists of an island, empty. */
typedef struct island_lists {
  double *w, *G;
  crd_coulomb_contact *contact;
  int *bilateral;
  crd_coulomb_bounded *bounded;
} island_lists;

static bool allocate_lists(crd_arena *arena, crd_island_problem *island, island_lists *lists) {
  crd_coulomb_problem *own = &island->problem;
  size_t n = (size_t)own->n;
  lists->w = crd_arena_alloc(arena, n, sizeof *lists->w);
  lists->G = crd_arena_alloc(arena, n * n, sizeof *lists->G);
  lists->contact = crd_arena_alloc(arena, (size_t)own->ncontact, sizeof *lists->contact);
  lists->bilateral = crd_arena_alloc(arena, (size_t)own->nbilateral, sizeof *lists->bilateral);
  lists->bounded = crd_arena_alloc(arena, (size_t)own->nbounded, sizeof *lists->bounded);
  island->row = crd_arena_alloc(arena, n, sizeof *island->row);
  island->contact = crd_arena_alloc(arena, (size_t)own->ncontact, sizeof *island->contact);
  own->w = lists->w, own->G = lists->G, own->contact = lists->contact;
  own->bilateral = lists->bilateral, own->bounded = lists->bounded;
  own->n = own->ncontact = own->nbilateral = own->nbounded = 0;
  return lists->w && lists->G && lists->contact && lists->bilateral && lists->bounded && island->row && island->contact;
}

static void fill_lists(division *d, island_lists *lists) {
  const crd_coulomb_problem *problem = d->problem;
  for (int c = 0; c < problem->ncontact; c++) {
    const crd_coulomb_contact *contact = &problem->contact[c];
    crd_island_problem *island = island_of(d, contact->row);
    int k = island->problem.ncontact++;
    island->contact[k] = c;
    lists[island - d->island].contact[k] = *contact;
    lists[island - d->island].contact[k].row = island->problem.n;
    for (int r = 0; r < crd_coulomb_contact_rows(contact); r++) add_row(d, island, contact->row + r);
  }
  for (int i = 0; i < problem->nbilateral; i++) {
    crd_island_problem *island = island_of(d, problem->bilateral[i]);
    lists[island - d->island].bilateral[island->problem.nbilateral++] = island->problem.n;
    add_row(d, island, problem->bilateral[i]);
  }
  for (int i = 0; i < problem->nbounded; i++) {
    crd_island_problem *island = island_of(d, problem->bounded[i].row);
    crd_coulomb_bounded *own = &lists[island - d->island].bounded[island->problem.nbounded++];
    *own = problem->bounded[i], own->row = island->problem.n;
    add_row(d, island, problem->bounded[i].row);
  }
}

/* Column `row` of G: the velocities of a unit impulse. unit and zero: n entries of zero. */
static void column_of(const crd_coulomb_problem *problem, int row, double *unit, const double *zero, double *column) {
  crd_coulomb_problem still = *problem;
  still.w = zero;
  unit[row] = 1;
  crd_coulomb_velocity(&still, unit, column);
  unit[row] = 0;
}

static crd_status fill_matrices(division *d, island_lists *lists) {
  const crd_coulomb_problem *problem = d->problem;
  size_t n = (size_t)problem->n;
  double *unit = crd_arena_alloc(d->arena, n, sizeof *unit), *zero = crd_arena_alloc(d->arena, n, sizeof *zero);
  double *column = crd_arena_alloc(d->arena, n, sizeof *column);
  if (!unit || !zero || !column) return CRD_ERR_MEMORY;
  for (int r = 0; r < problem->n; r++) {
    const crd_island_problem *island = island_of(d, r);
    island_lists *own = &lists[island - d->island];
    own->w[d->place[r]] = problem->w[r];
    if (!problem->G) column_of(problem, r, unit, zero, column);
    for (int i = 0; i < island->problem.n; i++)
      own->G[(size_t)island->problem.n * (size_t)i + (size_t)d->place[r]] =
          problem->G ? problem->G[n * (size_t)island->row[i] + (size_t)r] : column[island->row[i]];
  }
  return CRD_OK;
}

crd_status crd_island_problems(const crd_coulomb_problem *problem, crd_arena *arena, crd_island_problem **island,
                               int *count) {
  division d = {.problem = problem, .arena = arena};
  if (!allocate(&d)) return CRD_ERR_MEMORY;
  island_lists *lists = crd_arena_alloc(arena, (size_t)d.count, sizeof *lists);
  if (!lists) return CRD_ERR_MEMORY;
  for (int i = 0; i < d.count; i++) {
    if (!allocate_lists(arena, &d.island[i], &lists[i])) return CRD_ERR_MEMORY;
    d.island[i].problem.velocity = problem->velocity;
  }
  fill_lists(&d, lists);
  *island = d.island, *count = d.count;
  return fill_matrices(&d, lists);
}
