/* Two modes a, b are rivals if the cone where both hold contains an x with different y':
 *
 *   max  +-g . (next_a - next_b) x    over   check_a x >= 0,  check_b x >= 0,  lambda_max >= 0,  |x|_1 <= 1
 *
 * is positive for a direction g that is not special (it is fixed here, with entries that have no relation to the
 * problem). The cone is taken closed: velocities after a step lie on its faces as often as inside. A mode without
 * rivals answers its step alone, which is a proof of Assumption 6 of Halm & Posa for all x where it holds.
 *
 * The linear program starts feasible at x = 0 and is solved by the tableau simplex with Bland's rule, which does not
 * cycle in spite of the degeneracy there. */
#include "outcome/rivals.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"

static const double SPREAD = 2.3;  /* rad from entry to entry of a direction that is in no special position */
static const double PIVOT = 1e-10; /* of scaled rows: a smaller entry does not block */
static const double TIED = 1e-14;  /* of scaled rows: ratios that are equal */

static const double TOLERANCE = 1e-9; /* of reduced costs and of the largest difference, relative to the rows' size */

typedef struct program {
  int rows, columns; /* constraints and variables: y+, y-, lambda; slacks are the basis at the start */
  double *tableau;   /* (rows + 1) x (columns + 1): last row costs, last column values */
  int *basic, *nonbasic;
} program;

static double *line(const program *lp, int i) { return lp->tableau + (size_t)(lp->columns + 1) * (size_t)i; }

/* Bland's choice of the entering column, -1: optimal. */
static int entering(const program *lp) {
  const double *cost = line(lp, lp->rows);
  int best = -1;
  for (int j = 0; j < lp->columns; j++)
    if (cost[j] > TOLERANCE && (best < 0 || lp->nonbasic[j] < lp->nonbasic[best])) best = j;
  return best;
}

static int leaving(const program *lp, int column) {
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < lp->rows; i++) {
    double pivot = line(lp, i)[column];
    if (pivot <= PIVOT) continue;
    double ratio = line(lp, i)[lp->columns] / pivot;
    if (ratio < least - TIED || (ratio <= least + TIED && best >= 0 && lp->basic[i] < lp->basic[best])) {
      best = i;
      least = fmin(least, ratio);
    }
  }
  return best;
}

static void exchange(program *lp, int row, int column) {
  double *pivot_row = line(lp, row), scale = 1 / pivot_row[column];
  pivot_row[column] = 1;
  for (int j = 0; j <= lp->columns; j++) pivot_row[j] *= scale;
  for (int i = 0; i <= lp->rows; i++) {
    double *other = line(lp, i), factor = other[column];
    if (i == row || factor == 0) continue;
    other[column] = 0;
    for (int j = 0; j <= lp->columns; j++) other[j] -= factor * pivot_row[j];
  }
  int swap = lp->basic[row];
  lp->basic[row] = lp->nonbasic[column], lp->nonbasic[column] = swap;
}

/* Can the objective become positive? True also where the limit of steps is reached: then nothing is proved. */
static bool can_be_positive(program *lp) {
  int limit = 20 * (lp->rows + lp->columns);
  for (int step = 0; step < limit; step++) {
    if (-line(lp, lp->rows)[lp->columns] > TOLERANCE) return true;
    int column = entering(lp);
    if (column < 0) return false;
    int row = leaving(lp, column);
    if (row < 0) return true;
    exchange(lp, row, column);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------ a pair of modes */

typedef struct rival_search {
  const outcome_table *table;
  program lp;
  double *unit;      /* nx: natural size of each variable */
  double *direction; /* rank: g */
  int *found;
} rival_search;

/* The coefficients a of a row into the tableau as -a x <= 0, each row with largest entry 1. */
static void fill_row(rival_search *s, int row, const double *packed, int in_block, double sign) {
  const outcome_table *t = s->table;
  double *to = line(&s->lp, row), largest = 0;
  for (int j = 0; j < t->nx; j++) largest = fmax(largest, fabs(packed[4 * j + in_block] * s->unit[j]));
  double scale = largest > 0 ? sign / largest : 0;
  for (int j = 0; j < t->nx; j++) {
    double a = scale * packed[4 * j + in_block] * s->unit[j];
    if (j < t->rank)
      to[j] = a, to[t->rank + j] = -a;
    else
      to[t->rank + j] = a;
  }
}

static void fill_checks(rival_search *s, const outcome_entry *entry, int *row) {
  for (int b = 0; b < entry->blocks; b++)
    for (int l = 0; l < 4; l++) fill_row(s, (*row)++, entry->check + 4 * (size_t)s->table->nx * (size_t)b, l, -1);
}

/* sign g . (next_a - next_b) x, relative to the size of the maps */
static void fill_cost(rival_search *s, const outcome_entry *a, const outcome_entry *b, double sign) {
  const outcome_table *t = s->table;
  double *cost = line(&s->lp, s->lp.rows);
  for (int j = 0; j < t->nx; j++) {
    double sum = 0;
    for (int k = 0; k < t->rank; k++) {
      size_t place = 4 * ((size_t)t->nx * (size_t)(k / 4) + (size_t)j) + (size_t)(k % 4);
      sum += s->direction[k] * (a->next[place] - b->next[place]);
    }
    sum *= sign * s->unit[j];
    if (j < t->rank)
      cost[j] = sum, cost[t->rank + j] = -sum;
    else
      cost[t->rank + j] = sum;
  }
}

static bool are_rivals(rival_search *s, const outcome_entry *a, const outcome_entry *b) {
  program *lp = &s->lp;
  lp->columns = s->table->rank + s->table->nx;
  lp->rows = 4 * (a->blocks + b->blocks) + 1;
  for (int side = -1; side <= 1; side += 2) {
    memset(lp->tableau, 0, sizeof *lp->tableau * (size_t)(lp->rows + 1) * (size_t)(lp->columns + 1));
    int row = 0;
    fill_checks(s, a, &row);
    fill_checks(s, b, &row);
    for (int j = 0; j <= lp->columns; j++) line(lp, row)[j] = 1;
    fill_cost(s, a, b, side);
    for (int j = 0; j < lp->columns; j++) lp->nonbasic[j] = j;
    for (int i = 0; i < lp->rows; i++) lp->basic[i] = lp->columns + i;
    if (can_be_positive(lp)) return true;
  }
  return false;
}

static crd_status begin(rival_search *s, const outcome_table *table, const outcome_reduced *r, crd_arena *arena) {
  int blocks = 0;
  for (int i = 0; i < table->count; i++)
    if (table->entry[i].blocks > blocks) blocks = table->entry[i].blocks;
  size_t rows = 8 * (size_t)blocks + 2, columns = (size_t)(table->rank + table->nx) + 1;
  *s = (rival_search){.table = table};
  if (CRD_TAKE(arena, CRD_MATRIX(s->lp.tableau, rows, columns), CRD_ARRAY(s->lp.basic, rows),
               CRD_ARRAY(s->lp.nonbasic, columns), CRD_ARRAY(s->unit, table->nx), CRD_ARRAY(s->direction, table->rank),
               CRD_ARRAY(s->found, table->count)))
    return CRD_ERR_MEMORY;
  for (int k = 0; k < table->rank; k++) s->unit[k] = 1, s->direction[k] = cos(1 + SPREAD * k);
  for (int c = 0; c < r->nc; c++) {
    size_t normal = (size_t)r->contact[c].row;
    s->unit[table->rank + c] = 1 / sqrt(r->W[normal * (size_t)r->nrow + normal]);
  }
  return CRD_OK;
}

/* The rivals of entry i from row i of the table of pairs. */
static crd_status list_rivals(outcome_table *table, int i, const unsigned char *pair, int *found, crd_arena *arena) {
  int count = 0;
  for (int j = 0; j < table->count; j++)
    if (pair[j]) found[count++] = j;
  int *rival = crd_arena_alloc(arena, (size_t)count, sizeof *rival);
  if (!rival) return CRD_ERR_MEMORY;
  memcpy(rival, found, sizeof *rival * (size_t)count);
  table->entry[i].rival = rival, table->entry[i].rivals = count;
  return CRD_OK;
}

crd_status outcome_rivals_prove(outcome_table *table, const outcome_reduced *reduced, long max_pairs,
                                crd_arena *arena) {
  rival_search s;
  crd_status status = begin(&s, table, reduced, arena);
  if (status != CRD_OK) return status;
  size_t count = (size_t)table->count;
  int examined = 0;
  for (; examined < table->count && table->entry[examined].hits > 0; examined++) {
    max_pairs -= table->count - examined - 1;
    if (max_pairs < 0) break;
  }
  unsigned char *pair = crd_arena_alloc(arena, (size_t)examined * count, 1);
  if (!pair) return CRD_ERR_MEMORY;
  for (int i = 0; i < examined && status == CRD_OK; i++) {
    for (int j = i + 1; j < table->count; j++) {
      if (!are_rivals(&s, &table->entry[i], &table->entry[j])) continue;
      pair[count * (size_t)i + (size_t)j] = 1;
      if (j < examined) pair[count * (size_t)j + (size_t)i] = 1;
    }
    status = list_rivals(table, i, pair + count * (size_t)i, s.found, arena);
  }
  return status;
}
