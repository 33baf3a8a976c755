/* A large island: A by units and its sparse factor.
 *
 * Entries that act on one unit lie together, column by column, four rows to a vector, so that a product or a sweep runs
 * through memory once. Tangents of a sliding contact with given direction act through its normal: their columns are
 * added to it. Reading costs as much as two sweeps.
 */
#include <string.h>

#include "coulomb/linear.h"

/* ------------------------------------------------------------------------------------------------ reading */

/* Columns that act on a row: of its block row, or all rows of the problem. */
static int columns_of(const crd_coulomb_problem *problem, int row) {
  const crd_coulomb_blocks *G = problem->blocks;
  if (!G) return problem->n;
  int group = crd_coulomb_group(G, row), count = 0;
  for (int k = G->first[group]; k < G->first[group + 1]; k++)
    count += G->first_row[G->column[k] + 1] - G->first_row[G->column[k]];
  return count;
}

/* Columns of G: G[row][column + j] = block[stride * (row - first) + j]. */
typedef struct run {
  int column, count, first;
  const double *block;
  size_t stride;
} run;

CRD_ALWAYS_INLINE void append_rows(crd_memory *m, int k, const run *g, int rows) {
  crd_reduced *r = &m->reduced;
  const crd_unit *unit = &r->unit[k];
  crd_columns *to = &r->columns[k];
  size_t vectors = rows > 4 ? 2 : 1;
  crd_v4 *value = r->value + to->value + vectors * (size_t)to->count;
  const double *from[CRD_UNIT_ROWS], *scale = r->scale + unit->row;
  for (int i = 0; i < rows; i++) from[i] = g->block + g->stride * (size_t)(r->full_row[unit->row + i] - g->first);
  for (int j = 0; j < g->count; j++) {
    int local = m->where[g->column + j] - 1;
    if (local < 0) continue;
    double a[8] = {0}, share = m->share[g->column + j] * r->scale[local];
    bool zero = true;
    for (int i = 0; i < rows; i++) {
      a[i] = from[i][j] * share * scale[i];
      zero &= a[i] == 0;
    }
    if (local >= unit->row && local < unit->row + rows) {
      for (int i = 0; i < rows; i++) r->own[to->own + (size_t)(rows * i + local - unit->row)] += a[i];
    } else if (!zero) {
      if (to->count == 0 || r->column[to->first + to->count - 1] != local) { /* else a tangent of the last one */
        r->column[to->first + to->count++] = local;
        for (size_t v = 0; v < vectors; v++) *value++ = (crd_v4){0};
      }
      value[-(int)vectors] += (crd_v4){a[0], a[1], a[2], a[3]};
      if (vectors > 1) value[-1] += (crd_v4){a[4], a[5], a[6], a[7]};
    }
  }
}

static void append(crd_memory *m, int k, const run *g) {
  if (m->reduced.unit[k].rows == 3) /* nearly all of them */
    append_rows(m, k, g, 3);
  else
    append_rows(m, k, g, m->reduced.unit[k].rows);
}

/* G = J X', some columns at a time. */
static void append_factored(crd_memory *m, const crd_coulomb_problem *problem, int k) {
  enum { CHUNK = 64, MOST = 1 + CRD_UNIT_ROWS }; /* rows of a contact, those that carry nothing included */
  size_t nv = (size_t)problem->nv;
  const crd_unit *unit = &m->reduced.unit[k];
  const int *row = m->reduced.full_row + unit->row;
  int rows = row[unit->rows - 1] - row[0] + 1;
  for (int first = 0; first < problem->n; first += CHUNK) {
    int count = problem->n - first < CHUNK ? problem->n - first : CHUNK;
    double block[MOST][CHUNK];
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < count; j++) {
        const double *J = problem->J + nv * (size_t)(row[0] + i), *X = problem->X + nv * (size_t)(first + j);
        block[i][j] = 0;
        for (size_t v = 0; v < nv; v++) block[i][j] += J[v] * X[v];
      }
    append(m, k, &(run){first, count, row[0], block[0], CHUNK});
  }
}

static void read_columns(crd_memory *m, const crd_coulomb_problem *problem, int k) {
  const crd_coulomb_blocks *G = problem->blocks;
  int row = m->reduced.full_row[m->reduced.unit[k].row];
  if (problem->J) append_factored(m, problem, k);
  if (problem->G) append(m, k, &(run){0, problem->n, 0, problem->G, (size_t)problem->n});
  if (!G) return;
  int group = crd_coulomb_group(G, row);
  for (int b = G->first[group]; b < G->first[group + 1]; b++) {
    int column = G->first_row[G->column[b]], columns = G->first_row[G->column[b] + 1] - column;
    append(m, k, &(run){column, columns, G->first_row[group], G->value + G->offset[b], (size_t)columns});
  }
}

/* Where the columns of the problem's rows go: to their own row, or to the normal that brings them along. */
static void set_columns(crd_memory *m, const crd_task *task, bool listed) {
  const crd_reduced *r = &m->reduced;
  for (int i = 0; i < r->n; i++) m->where[r->full_row[i]] = listed ? i + 1 : 0, m->share[r->full_row[i]] = 1;
  for (int k = 0; k < r->ncontact; k++) {
    const crd_coulomb_contact *c = &task->problem->contact[r->unit[k].id];
    for (int t = 0; c->slides && t < c->ntangent; t++) {
      int row = c->row + 1 + t;
      m->where[row] = listed ? r->unit[k].row + 1 : 0, m->share[row] = -c->mu * c->slide[t];
    }
  }
}

/* Adds what a unit of these rows takes. */
static void count_unit(crd_room *room, const crd_coulomb_problem *problem, int row, int rows) {
  size_t columns = (size_t)columns_of(problem, row);
  room->owns += (size_t)(rows * rows);
  room->columns += columns, room->vectors += columns * (rows > 4 ? 2 : 1);
}

crd_status crd_coulomb_reduce_sparse(crd_memory *m, const crd_task *task) {
  const crd_coulomb_problem *problem = task->problem;
  const crd_island *island = &task->island;
  crd_room room = {.problem_rows = problem->n, .rows = task->rows};
  for (int i = 0; i < island->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[island->contact[i]];
    count_unit(&room, problem, c->row, crd_coulomb_contact_rows(c));
  }
  for (int i = 0; i < island->nbilateral; i++) count_unit(&room, problem, problem->bilateral[island->bilateral[i]], 1);
  for (int i = 0; i < island->nbounded; i++) count_unit(&room, problem, problem->bounded[island->bounded[i]].row, 1);
  crd_status status = crd_memory_reserve(m, &room);
  if (status != CRD_OK) return status;

  crd_reduced *r = &m->reduced;
  size_t value = 0, own = 0;
  int column = 0;
  crd_reduce_rows(m, task, true);
  crd_reduce_velocities(r, task);
  memcpy(r->b, r->w, sizeof *r->b * (size_t)r->n);
  set_columns(m, task, true);
  for (int k = 0; k < r->nunit; k++) {
    size_t rows = (size_t)r->unit[k].rows;
    crd_columns *to = &r->columns[k];
    *to = (crd_columns){.first = column, .value = value, .own = own};
    memset(r->own + own, 0, sizeof *r->own * rows * rows);
    read_columns(m, problem, k);
    column += to->count, value += (size_t)to->count * (rows > 4 ? 2 : 1), own += rows * rows;
  }
  set_columns(m, task, false);
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ product */

CRD_CLONES void crd_sparse_multiply(const crd_reduced *r, const double *x, const double *b, double *y) {
  for (int k = 0; k < r->nunit; k++) {
    const crd_unit *unit = &r->unit[k];
    const double *own = r->own + r->columns[k].own, *q = x + unit->row;
    double v[8];
    crd_sparse_gather(r, k, x, v);
    for (int i = 0; i < unit->rows; i++) {
      for (int j = 0; j < unit->rows; j++) v[i] += own[unit->rows * i + j] * q[j];
      y[unit->row + i] = v[i] + (b ? b[unit->row + i] : 0);
    }
  }
}

/* ------------------------------------------------------------------------------------------------ factor
 * A block has the rows of its unit; where these are more than its unknowns, the rest of it is the unit matrix. */

/* Block row of the unit whose first unknown is v. */
static void set_rows(crd_memory *m, const crd_unknown *v) {
  const crd_reduced *r = &m->reduced;
  const crd_columns *columns = &r->columns[v->unit];
  const double *own = r->own + columns->own;
  int rows = v->rows, count = v->count, vectors = rows > 4 ? 2 : 1;
  double R[CRD_UNIT_ROWS][CRD_UNIT_ROWS] = {{0}}, *D = crd_block_lu_block(&m->lu, v->unit, v->unit), *block = NULL;
  for (int k = 0; k < count; k++)
    for (int t = 0; t < rows; t++) R[k][t] = v[k].equation >= 0 ? v[k].equation == v->row + t : v[k].R[t];
  for (int k = 0; k < count; k++) {
    double RA[CRD_UNIT_ROWS] = {0};
    for (int t = 0; t < rows; t++)
      for (int j = 0; j < rows; j++) RA[j] += R[k][t] * own[rows * t + j];
    for (int l = 0; l < count; l++) {
      double sum = v[k].S[l];
      for (int j = 0; j < rows; j++) sum += RA[j] * (v[l].at >= 0 ? v[l].at == v->row + j : v[l].E[j]);
      D[rows * k + l] = sum;
    }
  }
  for (int k = count; k < rows; k++) D[(rows + 1) * k] = 1;
  for (int c = 0, last = -1; c < columns->count; c++) {
    int column = r->column[columns->first + c], other = m->unit_of[column], width = r->unit[other].rows;
    int first = m->unit_row[other];
    if (first < 0) continue; /* nothing unknown there */
    const crd_unknown *to = &m->unknown[first];
    const double *a = (const double *)(r->value + columns->value + (size_t)(vectors * c));
    if (other != last) block = crd_block_lu_block(&m->lu, v->unit, other), last = other;
    for (int k = 0; k < count; k++) {
      double entry = 0;
      for (int t = 0; t < rows; t++) entry += R[k][t] * a[t];
      for (int l = 0; l < to->count; l++) {
        double share = to[l].at >= 0 ? to[l].at == column : to[l].E[column - to[l].row];
        block[width * k + l] += entry * share;
      }
    }
  }
}

bool crd_sparse_factor(crd_memory *m, int count) {
  const crd_reduced *r = &m->reduced;
  m->singular = false;
  crd_block_lu_clear(&m->lu);
  for (int k = 0; k < r->nunit; k++) m->unit_row[k] = -1;
  for (int k = 0; k < count; k += m->unknown[k].count) m->unit_row[m->unknown[k].unit] = k;
  for (int k = 0; k < r->nunit; k++)
    if (m->unit_row[k] < 0) crd_block_lu_skip(&m->lu, k);
  for (int k = 0; k < count; k += m->unknown[k].count) set_rows(m, &m->unknown[k]);
  bool regular = crd_block_lu_factor(&m->lu);
  for (int k = 0; k < r->nunit; k++) m->unit_row[k] = r->unit[k].row;
  return regular;
}

void crd_sparse_solve(const crd_memory *m, int count, double *x) {
  memset(m->row, 0, sizeof *m->row * (size_t)m->reduced.n);
  for (int k = 0; k < count; k++) m->row[m->unknown[k].row + k - m->unknown[k].first] = x[k];
  crd_block_lu_solve(&m->lu, m->unit_row, m->row);
  for (int k = 0; k < count; k++) x[k] = m->row[m->unknown[k].row + k - m->unknown[k].first];
}

/* Neighbours of each unit, both ways. */
crd_status crd_sparse_analyse(crd_memory *m, double most) {
  const crd_reduced *r = &m->reduced;
  int *first = m->neighbour_first, *count = m->neighbour_mark, used = 0;
  for (int k = 0; k < r->nunit; k++) {
    m->unit_size[k] = r->unit[k].rows, m->unit_row[k] = r->unit[k].row;
    for (int i = 0; i < r->unit[k].rows; i++) m->unit_of[r->unit[k].row + i] = k;
  }
  /* every block (i, j) is listed in row i and row j, then rows are freed of repetitions */
  memset(first, 0, sizeof *first * (size_t)(r->nunit + 1));
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < r->nunit; k++) {
      const crd_columns *columns = &r->columns[k];
      for (int c = 0, last = -1; c < columns->count; c++) {
        int other = m->unit_of[r->column[columns->first + c]];
        if (other == last) continue;
        last = other;
        if (pass == 0)
          first[k + 1]++, first[other + 1]++;
        else
          m->neighbour[count[k]++] = other, m->neighbour[count[other]++] = k;
      }
    }
    if (pass == 1) break;
    for (int k = 0; k < r->nunit; k++) first[k + 1] += first[k], count[k] = first[k];
  }
  for (int k = 0; k < r->nunit; k++) count[k] = -1;
  for (int k = 0, from = 0; k < r->nunit; k++) {
    int end = first[k + 1];
    first[k] = used;
    for (int c = from; c < end; c++)
      if (count[m->neighbour[c]] != k) count[m->neighbour[c]] = k, m->neighbour[used++] = m->neighbour[c];
    from = end;
  }
  first[r->nunit] = used;
  return crd_block_lu_analyse(&m->lu, r->nunit, m->unit_size, first, m->neighbour, most);
}
