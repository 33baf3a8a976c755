/* An island as the sweeps read it. Entries of G that act on one unit lie together, column by column, four rows to a
 * vector, so that a sweep runs through memory once. Cost: as much as two sweeps.
 */
#include <math.h>
#include <string.h>

#include "coulomb/interior.h"
#include "coulomb/sweep.h"

/* A row below this share of its own compliance is taken as one that the others determine. */
static const double SINGULAR = 1e-13;

void crd_sweep_free(crd_sweep_memory *m) {
  crd_arena_free(&m->arena);
  crd_block_lu_free(&m->lu);
}

/* Room for an island; *m is as it was if there is none. */
static crd_status reserve(crd_sweep_memory *m, const crd_sweep_memory *need) {
  if (need->rows <= m->rows && need->units <= m->units && need->problem_rows <= m->problem_rows &&
      need->columns <= m->columns && need->vectors <= m->vectors && need->owns <= m->owns)
    return CRD_OK;
  crd_sweep_memory fresh = {.rows = need->rows + need->rows / 2,
                            .units = need->units + need->units / 2,
                            .problem_rows = need->problem_rows + need->problem_rows / 2,
                            .columns = need->columns + need->columns / 2,
                            .vectors = need->vectors + need->vectors / 2,
                            .owns = need->owns + need->owns / 2};
  crd_sweep_island *s = &fresh.island;
  size_t rows = (size_t)fresh.rows, units = (size_t)fresh.units, d = sizeof(double);
  const struct {
    void *to; /* address of the pointer */
    size_t count, size;
  } table[] = {
      {&fresh.where, (size_t)fresh.problem_rows, sizeof(int)},
      {&s->unit, units, sizeof(crd_sweep_unit)},
      {&s->w, 2 * units, sizeof(crd_v4)},
      {&s->column, fresh.columns, sizeof(int)},
      {&s->value, fresh.vectors, sizeof(crd_v4)},
      {&s->own, fresh.owns, d},
      {&s->weight, rows, d},
      {&s->full_row, rows, sizeof(int)},
      {&fresh.p, rows, d},
      {&fresh.start, rows, d},
      {&fresh.best, rows, d},
      {&fresh.kept, rows, d},
      {&fresh.change, rows, d},
      {&fresh.image, rows, d},
      {&fresh.direction, rows, d},
      {&fresh.change_steps, CRD_SWEEP_WINDOW * rows, d},
      {&fresh.image_steps, CRD_SWEEP_WINDOW * rows, d},
      {&fresh.unit_of, rows, sizeof(int)},
      {&fresh.unit_size, units + 1, sizeof(int)},
      {&fresh.unit_row, units + 1, sizeof(int)},
      {&fresh.neighbour_first, units + 1, sizeof(int)},
      {&fresh.neighbour_mark, units + 1, sizeof(int)},
      {&fresh.neighbour, 2 * fresh.columns, sizeof(int)},
      {&fresh.open, units, sizeof(bool)},
      {&fresh.first_cone, units + 1, sizeof(int)},
      {&fresh.cone, rows + units, sizeof(crd_interior_cone)},
      {&fresh.answer, rows, d},
      {&fresh.u, rows, d},
      {&fresh.newton_step, rows, d},
      {&fresh.newton_best, rows, d},
      {&fresh.center, rows, d},
      {&fresh.trial, rows, d},
      {&fresh.trial_u, rows, d},
      {&fresh.shifted_u, rows, d},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    void *memory = crd_arena_alloc(&fresh.arena, table[k].count, table[k].size);
    if (!memory) {
      crd_arena_free(&fresh.arena);
      return CRD_ERR_MEMORY;
    }
    *(void **)table[k].to = memory;
  }
  crd_arena_free(&m->arena);
  fresh.lu = m->lu;
  *m = fresh;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ entries of G */

/* Columns that act on a row: those of its block row, or all rows of the problem. */
static int columns_of(const crd_coulomb_problem *problem, int row) {
  const crd_coulomb_blocks *G = problem->blocks;
  if (!G) return problem->n;
  int group = crd_coulomb_group(G, row), count = 0;
  for (int k = G->first[group]; k < G->first[group + 1]; k++)
    count += G->first_row[G->column[k] + 1] - G->first_row[G->column[k]];
  return count;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Columns of G that act on a unit: G[row + i][column + j] = block[i * stride + j]. */
typedef struct run {
  int column, count;
  const double *block;
  size_t stride;
} run;

/* Appends the run's columns to the unit; its own go to `own`, zeros and columns of other islands nowhere. */
CRD_ALWAYS_INLINE void append_rows(crd_sweep_memory *m, crd_sweep_unit *unit, const run *r, int rows) {
  crd_sweep_island *s = &m->island;
  size_t vectors = rows > 4 ? 2 : 1;
  crd_v4 *value = s->value + unit->value + vectors * (size_t)unit->count;
  for (int j = 0; j < r->count; j++) {
    int local = m->where[r->column + j];
    if (local >= s->n || s->full_row[local] != r->column + j) continue;
    double a[8] = {0};
    bool zero = true;
    for (int i = 0; i < rows; i++) {
      a[i] = r->block[r->stride * (size_t)i + (size_t)j];
      zero &= a[i] == 0;
    }
    if (local >= unit->row && local < unit->row + rows) {
      for (int i = 0; i < rows; i++) s->own[unit->own + (size_t)(rows * i + local - unit->row)] = a[i];
    } else if (!zero) {
      s->column[unit->column + unit->count++] = local;
      *value++ = (crd_v4){a[0], a[1], a[2], a[3]};
      if (vectors > 1) *value++ = (crd_v4){a[4], a[5], a[6], a[7]};
    }
  }
}

static void append(crd_sweep_memory *m, crd_sweep_unit *unit, const run *r) {
  if (unit->rows == 3) /* nearly all of them */
    append_rows(m, unit, r, 3);
  else
    append_rows(m, unit, r, unit->rows);
}

/* G = J X', some columns at a time. */
static void append_factored(crd_sweep_memory *m, const crd_coulomb_problem *problem, crd_sweep_unit *unit) {
  enum { CHUNK = 64 };
  size_t nv = (size_t)problem->nv;
  const double *J = problem->J + nv * (size_t)m->island.full_row[unit->row];
  for (int first = 0; first < problem->n; first += CHUNK) {
    int count = problem->n - first < CHUNK ? problem->n - first : CHUNK;
    double block[CRD_SWEEP_ROWS][CHUNK];
    for (int i = 0; i < unit->rows; i++)
      for (int j = 0; j < count; j++)
        block[i][j] = dot(problem->nv, J + nv * (size_t)i, problem->X + nv * (size_t)(first + j));
    run chunk = {first, count, block[0], CHUNK};
    append(m, unit, &chunk);
  }
}

static void read_columns(crd_sweep_memory *m, const crd_coulomb_problem *problem, crd_sweep_unit *unit) {
  const crd_coulomb_blocks *G = problem->blocks;
  int row = m->island.full_row[unit->row];
  size_t n = (size_t)problem->n;
  if (problem->J) {
    append_factored(m, problem, unit);
    return;
  }
  if (problem->G) {
    run all = {0, problem->n, problem->G + n * (size_t)row, n};
    append(m, unit, &all);
    return;
  }
  int group = crd_coulomb_group(G, row), above = row - G->first_row[group];
  for (int k = G->first[group]; k < G->first[group + 1]; k++) {
    int column = G->first_row[G->column[k]], columns = G->first_row[G->column[k] + 1] - column;
    run block = {column, columns, G->value + G->offset[k] + (size_t)columns * (size_t)above, (size_t)columns};
    append(m, unit, &block);
  }
}

/* ------------------------------------------------------------------------------------------------ units */

/* H^-1; not regular where a tangent moves no further once the normal and the other one are held. */
static void invert_tangents(crd_sweep_unit *unit, int ntangent) {
  const double *H = unit->H;
  double trace = H[0] + H[3], det = H[0] * H[3] - H[1] * H[2];
  if (ntangent == 1) {
    unit->regular = H[0] > SINGULAR * fabs(unit->g);
    unit->stick[0] = unit->regular ? 1 / H[0] : 0;
  } else if ((unit->regular = det > SINGULAR * trace * trace)) {
    unit->stick[0] = H[3] / det, unit->stick[1] = -H[1] / det;
    unit->stick[2] = -H[2] / det, unit->stick[3] = H[0] / det;
  }
}

static void prepare_contact(crd_sweep_unit *unit, const crd_coulomb_contact *c, const double *own) {
  int ntangent = c->ntangent, rows = unit->rows;
  unit->mu = c->mu, unit->g = own[0], unit->inverse = own[0] > 0 ? 1 / own[0] : 0, unit->alpha = 0;
  for (int t = 0; t < ntangent; t++) {
    unit->m[t] = own[1 + t] * unit->inverse, unit->G_tn[t] = own[rows * (1 + t)];
    for (int j = 0; j < ntangent; j++)
      unit->H[2 * t + j] = own[rows * (1 + t) + 1 + j] - unit->G_tn[t] * own[1 + j] * unit->inverse;
  }
  if (ntangent > 0) invert_tangents(unit, ntangent);
  unit->kind = CRD_SWEEP_GENERAL;
  if (c->slides) {
    double g = own[0]; /* what a sliding normal impulse opens */
    for (int t = 0; t < ntangent; t++) g -= c->mu * c->slide[t] * own[1 + t];
    unit->inverse = g > 0 ? 1 / g : 0;
  } else if (rows == 1 + ntangent && (ntangent == 0 || c->mu > 0)) {
    const crd_sweep_kind plain[] = {CRD_SWEEP_NORMAL, CRD_SWEEP_PLANAR, CRD_SWEEP_SPATIAL};
    unit->kind = plain[ntangent];
  }
}

/* Compliances of a contact's rows, the same for both rows of a friction whichever way they point. */
static void weigh_contact(const crd_coulomb_contact *c, int rows, const double *own, double *weight) {
  const int count[] = {1, c->ntangent, c->nspin, c->nroll};
  for (int k = 0, row = 0; k < 4; row += count[k++]) {
    double sum = 0;
    for (int i = row; i < row + count[k]; i++) sum += own[(rows + 1) * i];
    for (int i = row; i < row + count[k]; i++) weight[i] = sum / count[k];
  }
}

/* Lists unit `at` with the rows it has; its columns follow when all rows are known. */
static void list_unit(crd_sweep_memory *m, crd_sweep_kind kind, int id, int row, int rows) {
  crd_sweep_island *s = &m->island;
  crd_sweep_unit *unit = &s->unit[s->nunit++];
  *unit = (crd_sweep_unit){.kind = kind, .id = id, .row = s->n, .rows = rows};
  for (int i = 0; i < rows; i++) s->full_row[s->n] = row + i, m->where[row + i] = s->n++;
}

static void fill_unit(crd_sweep_memory *m, const crd_coulomb_problem *problem, crd_sweep_unit *unit) {
  crd_sweep_island *s = &m->island;
  int rows = unit->rows, row = s->full_row[unit->row];
  double w[2][4] = {{0}}, *own = s->own + unit->own, *weight = s->weight + unit->row;
  memset(own, 0, sizeof *own * (size_t)(rows * rows));
  read_columns(m, problem, unit);
  for (int i = 0; i < rows; i++) w[i / 4][i % 4] = problem->w[row + i];
  if (unit->kind == CRD_SWEEP_BILATERAL || unit->kind == CRD_SWEEP_BOUNDED) {
    unit->g = weight[0] = own[0], unit->inverse = own[0] > 0 ? 1 / own[0] : 0;
    if (unit->kind == CRD_SWEEP_BOUNDED)
      unit->lower = problem->bounded[unit->id].lower, unit->upper = problem->bounded[unit->id].upper;
  } else {
    const crd_coulomb_contact *c = &problem->contact[unit->id];
    w[0][0] -= c->target;
    prepare_contact(unit, c, own);
    weigh_contact(c, rows, own, weight);
  }
  for (size_t v = 0; v < 2; v++) s->w[2 * (size_t)(unit - s->unit) + v] = (crd_v4){w[v][0], w[v][1], w[v][2], w[v][3]};
}

/* Adds what a unit of these rows takes. */
static void count_unit(crd_sweep_memory *need, const crd_coulomb_problem *problem, int row, int rows) {
  size_t columns = (size_t)columns_of(problem, row);
  need->units++, need->rows += rows, need->owns += (size_t)(rows * rows);
  need->columns += columns, need->vectors += columns * (rows > 4 ? 2 : 1);
}

crd_status crd_sweep_read(crd_sweep_memory *m, const crd_dense_task *task) {
  const crd_coulomb_problem *problem = task->problem;
  crd_sweep_memory need = {.problem_rows = problem->n};
  for (int i = 0; i < task->island.ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[task->island.contact[i]];
    count_unit(&need, problem, c->row, crd_coulomb_contact_rows(c));
  }
  for (int i = 0; i < task->island.nbilateral; i++)
    count_unit(&need, problem, problem->bilateral[task->island.bilateral[i]], 1);
  for (int i = 0; i < task->island.nbounded; i++)
    count_unit(&need, problem, problem->bounded[task->island.bounded[i]].row, 1);
  crd_status status = reserve(m, &need);
  if (status != CRD_OK) return status;

  crd_sweep_island *s = &m->island;
  s->nunit = s->n = 0, s->contact = problem->contact;
  s->slack = CRD_COULOMB_BILATERAL * task->velocity;
  for (int i = 0; i < task->island.ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[task->island.contact[i]];
    list_unit(m, CRD_SWEEP_GENERAL, task->island.contact[i], c->row, crd_coulomb_contact_rows(c));
  }
  for (int i = 0; i < task->island.nbilateral; i++)
    list_unit(m, CRD_SWEEP_BILATERAL, task->island.bilateral[i], problem->bilateral[task->island.bilateral[i]], 1);
  for (int i = 0; i < task->island.nbounded; i++)
    list_unit(m, CRD_SWEEP_BOUNDED, task->island.bounded[i], problem->bounded[task->island.bounded[i]].row, 1);

  int column = 0;
  size_t value = 0, own = 0;
  for (int k = 0; k < s->nunit; k++) {
    crd_sweep_unit *unit = &s->unit[k];
    unit->column = column, unit->value = value, unit->own = own;
    fill_unit(m, problem, unit);
    column += unit->count, value += (size_t)unit->count * (unit->rows > 4 ? 2 : 1);
    own += (size_t)(unit->rows * unit->rows);
  }
  return CRD_OK;
}
