/* The problem as given: checks, rows of a contact, u = w + G p in each of the three forms of G. */
#include "coulomb/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "linalg/simd.h"

static const double NOT_UNIT = 1e-6; /* departure of a direction from unit length that is no rounding */

const char *crd_coulomb_mode_name(crd_mode mode) {
  static const char *const name[] = {"none", "separate", "stick", "slip"};
  return name[mode];
}

const char *crd_coulomb_method_name(crd_coulomb_method method) {
  static const char *const name[] = {"auto", "newton", "interior", "curve", "sweeps", "modes"};
  return method >= 0 && method < CRD_COULOMB_METHODS ? name[method] : "";
}

crd_coulomb_options crd_coulomb_default(void) {
  return (crd_coulomb_options){.tolerance = 1e-9, .large_tolerance = 1e-4, .large_contacts = 200, .max_sweeps = 5000};
}

int crd_coulomb_frictions(const crd_coulomb_contact *c, crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS]) {
  const crd_coulomb_friction every[CRD_COULOMB_FRICTIONS] = {
      {c->row + 1, c->slides ? 0 : c->ntangent, c->mu, false},
      {c->row + 1 + c->ntangent, c->nspin, c->mu_spin, true},
      {c->row + 1 + c->ntangent + c->nspin, c->nroll, c->mu_roll, true},
  };
  int count = 0;
  for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++)
    if (every[k].count > 0 && every[k].mu > 0) friction[count++] = every[k];
  return count;
}

/* ------------------------------------------------------------------------------------------------ input */

static bool claim(int n, int first, int count, int *owner, int *row) {
  for (int k = 0; k < count; k++) {
    *row = first + k; /* cannot overflow: the row before is below n */
    if (*row < 0 || *row >= n || owner[*row]++) return false;
  }
  return true;
}

static crd_status check_contact(const crd_coulomb_contact *c) {
  bool counts =
      c->ntangent >= 0 && c->ntangent <= 2 && c->nspin >= 0 && c->nspin <= 1 && c->nroll >= 0 && c->nroll <= 2;
  double length = c->slides ? hypot(c->slide[0], c->ntangent == 2 ? c->slide[1] : 0) : 1;
  if (!counts) return CRD_ERR_ARGUMENT;
  if (!isfinite(c->mu) || !isfinite(c->mu_spin) || !isfinite(c->mu_roll) || !isfinite(c->target)) return CRD_ERR_NUMBER;
  if (!isfinite(length)) return CRD_ERR_NUMBER;
  if (c->slides && (c->ntangent == 0 || fabs(length - 1) > NOT_UNIT)) return CRD_ERR_ARGUMENT;
  return c->mu < 0 || c->mu_spin < 0 || c->mu_roll < 0 ? CRD_ERR_ARGUMENT : CRD_OK;
}

/* Every row has one owner. */
static crd_status check_rows(const crd_coulomb_problem *problem, int *owner, int *row) {
  int n = problem->n;
  memset(owner, 0, sizeof *owner * (size_t)n);
  for (int i = 0; i < problem->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[i];
    *row = c->row;
    crd_status status = check_contact(c);
    if (status != CRD_OK) return status;
    if (!claim(n, c->row, crd_coulomb_contact_rows(c), owner, row)) return CRD_ERR_ARGUMENT;
  }
  for (int i = 0; i < problem->nbilateral; i++)
    if (!claim(n, problem->bilateral[i], 1, owner, row)) return CRD_ERR_ARGUMENT;
  for (int i = 0; i < problem->nbounded; i++) {
    const crd_coulomb_bounded *b = &problem->bounded[i];
    if (!claim(n, b->row, 1, owner, row)) return CRD_ERR_ARGUMENT;
    if (isnan(b->lower) || isnan(b->upper)) return CRD_ERR_NUMBER;
    if (b->lower > b->upper || b->lower == INFINITY || b->upper == -INFINITY) return CRD_ERR_ARGUMENT;
  }
  for (*row = 0; *row < n; ++*row)
    if (!owner[*row]) return CRD_ERR_ARGUMENT;
  return CRD_OK;
}

/* x - x is 0 for every finite x and NaN otherwise */
CRD_CLONES static bool all_finite(size_t count, const double *a) {
  crd_v4 sum = {0};
  double rest = 0;
  size_t i = 0;
  for (; i + 3 < count; i += 4) sum += *(const crd_v4_unaligned *)(a + i) - *(const crd_v4_unaligned *)(a + i);
  for (; i < count; i++) rest += a[i] - a[i];
  return crd_v4_total(sum) + rest == 0;
}

static crd_status check_blocks(const crd_coulomb_problem *problem, int *row) {
  const crd_coulomb_blocks *G = problem->blocks;
  if (G->ngroup < 0 || G->first_row[0] != 0 || G->first_row[G->ngroup] != problem->n) return CRD_ERR_ARGUMENT;
  for (int g = 0; g < G->ngroup; g++) {
    *row = G->first_row[g];
    int rows = G->first_row[g + 1] - *row;
    if (rows < 0 || G->first[g + 1] < G->first[g]) return CRD_ERR_ARGUMENT;
    for (int k = G->first[g]; k < G->first[g + 1]; k++) {
      int column = G->column[k];
      if (column < 0 || column >= G->ngroup || (k > G->first[g] && column <= G->column[k - 1])) return CRD_ERR_ARGUMENT;
      size_t columns = (size_t)(G->first_row[column + 1] - G->first_row[column]);
      if (!all_finite((size_t)rows * columns, G->value + G->offset[k])) return CRD_ERR_NUMBER;
    }
  }
  for (int i = 0; i < problem->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[i];
    *row = c->row;
    if (crd_coulomb_group(G, c->row) != crd_coulomb_group(G, c->row + crd_coulomb_contact_rows(c) - 1))
      return CRD_ERR_ARGUMENT;
  }
  return CRD_OK;
}

static crd_status check_matrix(const crd_coulomb_problem *problem, int *row) {
  size_t n = (size_t)problem->n, nv = (size_t)problem->nv;
  *row = -1;
  if ((problem->G != NULL) + (problem->blocks != NULL) + (problem->J != NULL) != 1) return CRD_ERR_ARGUMENT;
  if (problem->blocks) return check_blocks(problem, row);
  if (problem->J && (problem->nv < 0 || !problem->X)) return CRD_ERR_ARGUMENT;
  for (*row = 0; *row < problem->n; ++*row) {
    size_t i = (size_t)*row;
    bool finite = problem->G ? all_finite(n, problem->G + n * i)
                             : all_finite(nv, problem->J + nv * i) && all_finite(nv, problem->X + nv * i);
    if (!finite) return CRD_ERR_NUMBER;
  }
  return CRD_OK;
}

crd_status crd_coulomb_check(const crd_coulomb_problem *problem, int *owner, int *row) {
  *row = -1;
  if (problem->n < 0 || problem->ncontact < 0 || problem->nbilateral < 0 || problem->nbounded < 0)
    return CRD_ERR_ARGUMENT;
  if (!(problem->velocity >= 0) || !isfinite(problem->velocity)) return CRD_ERR_NUMBER;
  if (problem->n == 0) return CRD_OK;
  for (*row = 0; *row < problem->n; ++*row) {
    double speed = problem->speed ? problem->speed[*row] : 0;
    if (!isfinite(problem->w[*row]) || !(speed >= 0) || !isfinite(speed)) return CRD_ERR_NUMBER;
  }
  crd_status status = check_rows(problem, owner, row);
  if (status == CRD_OK) status = check_matrix(problem, row);
  if (status == CRD_OK) *row = -1;
  return status;
}

/* ------------------------------------------------------------------------------------------------ G */

/* Mean diagonal entry of the rows of a friction, equal for all directions of its tangents. */
double crd_coulomb_mean_diagonal(const crd_coulomb_problem *problem, int row, int count) {
  double sum = 0;
  for (int t = 0; t < count; t++) sum += crd_coulomb_diagonal(problem, row + t);
  return sum / count;
}

/* The lengths of a contact's rows of spin and rolling: the radius of gyration that the contact feels. 1 where nothing
 * but the square of rounding moves its normal, or nothing turns it: there is nothing to compare. */
static void set_lengths(const crd_coulomb_problem *problem, const crd_coulomb_contact *c, double length[2]) {
  int spin = c->row + 1 + c->ntangent, count[2] = {c->nspin, c->nroll}, row[2] = {spin, spin + c->nspin};
  double own = c->nspin + c->nroll > 0 ? crd_coulomb_diagonal(problem, c->row) : 0;
  for (int k = 0; k < 2; k++) {
    double turn = count[k] > 0 ? crd_coulomb_mean_diagonal(problem, row[k], count[k]) : 0;
    double square = turn > 0 ? own / turn : 0, least = CRD_ACCURACY.noise * CRD_ACCURACY.noise;
    length[k] = square > least && square < 1 / least ? sqrt(square) : 1;
  }
}

/* Of row k of a contact. */
static double length_of(const crd_coulomb_contact *c, const double length[2], int k) {
  return k <= c->ntangent ? 1 : length[k > c->ntangent + c->nspin];
}

/* Contribution of a row to its measure. */
static double measure_of(const crd_coulomb_problem *problem, int row) {
  return crd_greater(fabs(problem->w[row]), problem->speed ? CRD_ACCURACY.velocity_floor * problem->speed[row] : 0);
}

double crd_coulomb_scale(const crd_coulomb_problem *problem) {
  double scale = CRD_ACCURACY.velocity_floor * problem->velocity;
  for (int i = 0; i < problem->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[i];
    double length[2];
    set_lengths(problem, c, length);
    scale = crd_greater(scale, fabs(c->target));
    for (int k = 0; k < crd_coulomb_contact_rows(c); k++)
      scale = crd_greater(scale, length_of(c, length, k) * measure_of(problem, c->row + k));
  }
  for (int i = 0; i < problem->nbilateral; i++) scale = crd_greater(scale, measure_of(problem, problem->bilateral[i]));
  for (int i = 0; i < problem->nbounded; i++) scale = crd_greater(scale, measure_of(problem, problem->bounded[i].row));
  return scale > 0 ? scale : 1;
}

bool crd_coulomb_is_plain(const crd_coulomb_problem *problem) {
  bool turns = false;
  for (int i = 0; i < problem->ncontact; i++) turns |= problem->contact[i].nspin + problem->contact[i].nroll > 0;
  return !turns && !problem->speed;
}

/* Scales and speeds are collected at the lowest row of an island, then given to all of its rows, which come later. */
static void measure_islands(const crd_coulomb_problem *problem, const int *parent, crd_coulomb_measure *row) {
  for (int i = 0; i < problem->n; i++) {
    crd_coulomb_measure *m = &row[parent[i]];
    double speed = row[i].length * problem->speed[i];
    m->velocity = crd_greater(m->velocity, speed);
    m->scale = crd_greater(m->scale,
                           crd_greater(row[i].length * fabs(problem->w[i]), CRD_ACCURACY.velocity_floor * m->velocity));
  }
  for (int i = 0; i < problem->ncontact; i++) {
    crd_coulomb_measure *m = &row[parent[problem->contact[i].row]];
    m->scale = crd_greater(m->scale, fabs(problem->contact[i].target));
  }
  for (int i = 0; i < problem->n; i++) {
    if (row[i].scale == 0 && parent[i] == i) row[i].scale = 1;
    row[i].scale = row[parent[i]].scale, row[i].velocity = row[parent[i]].velocity;
  }
}

crd_coulomb_measures crd_coulomb_measure_rows(const crd_coulomb_problem *problem, const int *parent,
                                              crd_coulomb_measure *row) {
  crd_coulomb_measures all = {.whole = {crd_coulomb_scale(problem), problem->velocity, 1}};
  if (crd_coulomb_is_plain(problem)) return all;
  all.row = row;
  for (int i = 0; i < problem->n; i++)
    row[i] = (crd_coulomb_measure){problem->speed ? 0 : all.whole.scale, problem->velocity, 1};
  for (int i = 0; i < problem->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[i];
    double length[2];
    set_lengths(problem, c, length);
    for (int k = 1 + c->ntangent; k < crd_coulomb_contact_rows(c); k++)
      row[c->row + k].length = length_of(c, length, k);
  }
  if (problem->speed) measure_islands(problem, parent, row);
  return all;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

int crd_coulomb_group(const crd_coulomb_blocks *G, int row) {
  int low = 0, high = G->ngroup; /* first_row[low] <= row < first_row[high] */
  /* groups of equal size are where one would look first; from there in growing steps */
  int at = (int)((double)row * G->ngroup / (G->first_row[G->ngroup] + 1.0));
  for (int step = 1; at >= low && at < high; step *= 2) {
    if (G->first_row[at] <= row)
      low = at, at += step;
    else
      high = at, at -= step;
  }
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (G->first_row[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double crd_coulomb_diagonal(const crd_coulomb_problem *problem, int row) {
  const crd_coulomb_blocks *G = problem->blocks;
  if (problem->G) return problem->G[(size_t)(problem->n + 1) * (size_t)row];
  if (problem->J) {
    size_t at = (size_t)problem->nv * (size_t)row;
    return dot(problem->nv, problem->J + at, problem->X + at);
  }
  int g = crd_coulomb_group(G, row), size = G->first_row[g + 1] - G->first_row[g], i = row - G->first_row[g];
  for (int k = G->first[g]; k < G->first[g + 1]; k++)
    if (G->column[k] == g) return G->value[G->offset[k] + (size_t)(size + 1) * (size_t)i];
  return 0;
}

static void block_entries(const crd_coulomb_blocks *G, int m, const int *row, int *where, size_t stride, double *out) {
  for (int i = 0; i < m; i++) where[row[i]] = i + 1; /* 0 elsewhere */
  memset(out, 0, sizeof *out * stride * (size_t)m);
  for (int i = 0; i < m; i++) {
    int g = crd_coulomb_group(G, row[i]);
    for (int k = G->first[g]; k < G->first[g + 1]; k++) {
      int first = G->first_row[G->column[k]], columns = G->first_row[G->column[k] + 1] - first;
      const double *block = G->value + G->offset[k] + (size_t)columns * (size_t)(row[i] - G->first_row[g]);
      int to = where[first] - 1;
      if (to >= 0 && where[first + columns - 1] == to + columns && row[to + columns - 1] - row[to] == columns - 1) {
        memcpy(out + stride * (size_t)i + (size_t)to, block, sizeof *out * (size_t)columns);
        continue;
      }
      for (int j = 0; j < columns; j++)
        if (where[first + j]) out[stride * (size_t)i + (size_t)(where[first + j] - 1)] = block[j];
    }
  }
  for (int i = 0; i < m; i++) where[row[i]] = 0;
}

void crd_coulomb_entries(const crd_coulomb_problem *problem, int m, const int *row, int *where, size_t stride,
                         double *out) {
  size_t n = (size_t)problem->n, nv = (size_t)problem->nv;
  if (problem->blocks) {
    block_entries(problem->blocks, m, row, where, stride, out);
    return;
  }
  for (int i = 0; i < m; i++, out += stride) {
    if (problem->G) {
      const double *from = problem->G + n * (size_t)row[i];
      for (int j = 0; j < m; j++) out[j] = from[row[j]];
    } else {
      const double *J = problem->J + nv * (size_t)row[i];
      for (int j = 0; j < m; j++) out[j] = dot(problem->nv, J, problem->X + nv * (size_t)row[j]);
    }
  }
}

/* Rows of a symmetric G are its columns, but G need not be symmetric. */
CRD_CLONES static void add_dense(int n, const double *G, const double *p, double *u) {
  for (int i = 0; i < n; i++) u[i] += crd_v4_dot(n, G + (size_t)n * (size_t)i, p);
}

/* u += J (X' p), some columns at a time, so that X' p needs no memory of the caller. */
static void add_factored(const crd_coulomb_problem *problem, const double *p, double *u) {
  enum { CHUNK = 64 };
  size_t nv = (size_t)problem->nv;
  for (int first = 0; first < problem->nv; first += CHUNK) {
    int count = problem->nv - first < CHUNK ? problem->nv - first : CHUNK;
    double dv[CHUNK] = {0};
    for (int i = 0; i < problem->n; i++)
      for (int k = 0; k < count; k++) dv[k] += p[i] * problem->X[nv * (size_t)i + (size_t)(first + k)];
    for (int i = 0; i < problem->n; i++) u[i] += dot(count, problem->J + nv * (size_t)i + first, dv);
  }
}

void crd_coulomb_velocity(const crd_coulomb_problem *problem, const double *p, double *u) {
  if (problem->n == 0) return; /* w and u may be NULL */
  memcpy(u, problem->w, sizeof *u * (size_t)problem->n);
  if (problem->G)
    add_dense(problem->n, problem->G, p, u);
  else if (problem->blocks)
    crd_blocks_multiply_add(problem->blocks, p, u);
  else if (problem->J)
    add_factored(problem, p, u);
}

/* ------------------------------------------------------------------------------------------------ rounding */

CRD_CLONES static void magnitude_dense(int n, const double *G, const double *p, double *sum) {
  for (int i = 0; i < n; i++) sum[i] += crd_v4_dot_magnitude(n, G + (size_t)n * (size_t)i, p);
}

CRD_CLONES static void magnitude_blocks(const crd_coulomb_blocks *G, const double *p, double *sum) {
  for (int g = 0; g < G->ngroup; g++) {
    int row = G->first_row[g], rows = G->first_row[g + 1] - row;
    for (int k = G->first[g]; k < G->first[g + 1]; k++) {
      int column = G->first_row[G->column[k]], columns = G->first_row[G->column[k] + 1] - column;
      const double *block = G->value + G->offset[k];
      for (int i = 0; i < rows; i++)
        sum[row + i] += crd_v4_dot_magnitude(columns, block + (size_t)columns * (size_t)i, p + column);
    }
  }
}

static void magnitude_factored(const crd_coulomb_problem *problem, const double *p, double *sum) {
  size_t nv = (size_t)problem->nv;
  for (size_t k = 0; k < nv; k++) {
    double dv = 0;
    for (int i = 0; i < problem->n; i++) dv += fabs(p[i] * problem->X[nv * (size_t)i + k]);
    for (int i = 0; i < problem->n; i++) sum[i] += dv * fabs(problem->J[nv * (size_t)i + k]);
  }
}

void crd_coulomb_rounding(const crd_coulomb_problem *problem, const double *p, double *rounding) {
  int n = problem->n;
  for (int i = 0; i < n; i++) rounding[i] = fabs(problem->w[i]);
  if (problem->G) magnitude_dense(n, problem->G, p, rounding);
  if (problem->blocks) magnitude_blocks(problem->blocks, p, rounding);
  if (problem->J) magnitude_factored(problem, p, rounding);
  for (int i = 0; i < n; i++) rounding[i] *= DBL_EPSILON / 2;
}
