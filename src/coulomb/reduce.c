/* From an island of the problem to its reduced form and back.
 *
 *   1  rows by their own compliance, p = s x with s = 1 / sqrt(g); the rows of a friction by their mean
 *   2  bilateral rows eliminated, the largest pivot first:  A_cc - A_cb A_bb^-1 A_bc.  Rows whose pivot is below CRD_ACCURACY.eliminated
 *      depend on others: they hold with those, or contradict them
 *   3  contacts once more by what elimination left of their compliance
 *
 * Cost: m^2 times the number of bilateral rows.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "coulomb/linear.h"
#include "linalg/simd.h"
#include "linalg/small_lu.h"

static const double LOW = 0.45; /* rank over rows below which factors of the rank are cheaper */
enum { FEW = 36 };              /* rows below which nothing is gained */

/* ------------------------------------------------------------------------------------------------ rows */

static double *at(const crd_reduced *r, double *matrix, int i) { return matrix + r->stride * (size_t)i; }

static int add_row(crd_reduced *r, int row, double scale) {
  r->full_row[r->m] = row, r->full_scale[r->m] = scale;
  return r->m++;
}

/* A compliance that is rounding next to the largest of the island is none: such a row keeps the scale of the others,
 * and what it has of a diagonal is not taken for a pivot. */
static double scale_for(const crd_reduced *r, double compliance) {
  return 1 / sqrt(compliance > CRD_ACCURACY.noise * r->softest ? compliance : r->softest);
}

static double softest_of(const crd_task *task) {
  const crd_coulomb_problem *problem = task->problem;
  double softest = 0;
  for (int i = 0; i < task->island.ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[task->island.contact[i]];
    for (int k = 0; k < crd_coulomb_contact_rows(c); k++)
      softest = crd_greater(softest, crd_coulomb_diagonal(problem, c->row + k));
  }
  for (int i = 0; i < task->island.nbounded; i++)
    softest = crd_greater(softest, crd_coulomb_diagonal(problem, problem->bounded[task->island.bounded[i]].row));
  for (int i = 0; i < task->island.nbilateral; i++)
    softest = crd_greater(softest, crd_coulomb_diagonal(problem, problem->bilateral[task->island.bilateral[i]]));
  return softest > 0 ? softest : 1;
}

static void list_contact(crd_reduced *r, const crd_coulomb_problem *problem, int id) {
  const crd_coulomb_contact *c = &problem->contact[id];
  crd_unit *to = &r->unit[r->nunit++];
  double own = scale_for(r, crd_coulomb_diagonal(problem, c->row));
  *to = (crd_unit){.id = id, .row = add_row(r, c->row, own)};
  to->nfriction = crd_coulomb_frictions(c, to->friction);
  for (int k = 0; k < to->nfriction; k++) {
    crd_coulomb_friction *f = &to->friction[k];
    double scale = scale_for(r, crd_coulomb_mean_diagonal(problem, f->row, f->count));
    int first = r->m;
    for (int t = 0; t < f->count; t++) add_row(r, f->row + t, scale);
    f->row = first;
  }
  to->rows = r->m - to->row;
}

static void list_row(crd_reduced *r, const crd_coulomb_problem *problem, int row, double lower, double upper) {
  int at = add_row(r, row, scale_for(r, crd_coulomb_diagonal(problem, row)));
  r->unit[r->nunit++] = (crd_unit){.id = -1, .row = at, .rows = 1, .lower = lower, .upper = upper};
}

/* Scales of the rows, and their laws in these units. */
static void scale_units(crd_reduced *r, const crd_task *task) {
  for (int i = 0; i < r->n; i++) {
    r->scale[i] = r->factor[i] * r->full_scale[i];
    r->weight[i] = 1 / (r->scale[i] * task->scale);
  }
  for (int u = 0; u < r->nunit; u++) {
    crd_unit *unit = &r->unit[u];
    for (int k = 0; k < unit->nfriction; k++) {
      crd_coulomb_friction *f = &unit->friction[k];
      double length = f->turns ? r->full_scale[f->row] / r->full_scale[unit->row] : 1; /* sqrt(g_n / g_f) */
      for (int t = 0; t < f->count; t++) r->weight[f->row + t] *= length;
      f->mu *= r->scale[unit->row] / r->scale[f->row];
    }
    unit->lower /= r->scale[unit->row], unit->upper /= r->scale[unit->row];
  }
}

/* Contacts, bounded rows with room to move, bilateral rows. */
void crd_reduce_rows(crd_memory *m, const crd_task *task, bool sparse) {
  crd_reduced *r = &m->reduced;
  const crd_coulomb_problem *problem = task->problem;
  const crd_island *island = &task->island;
  r->m = r->nunit = r->nb = 0, r->softness = 0;
  r->softest = softest_of(task), r->slack = CRD_ACCURACY.bilateral * task->velocity / task->scale;
  for (int i = 0; i < island->ncontact; i++) list_contact(r, problem, island->contact[i]);
  r->ncontact = r->nunit;
  for (int i = 0; i < island->nbounded; i++) {
    const crd_coulomb_bounded *b = &problem->bounded[island->bounded[i]];
    if (b->lower < b->upper) list_row(r, problem, b->row, b->lower, b->upper);
  }
  r->n = r->m;
  for (int i = 0; i < island->nbilateral; i++) {
    int row = problem->bilateral[island->bilateral[i]];
    if (sparse)
      list_row(r, problem, row, -INFINITY, INFINITY), r->unit[r->nunit - 1].bilateral = true;
    else
      r->pivot[r->nb++] = add_row(r, row, scale_for(r, crd_coulomb_diagonal(problem, row)));
  }
  if (!sparse) return;
  r->n = r->m, r->form = CRD_FORM_SPARSE;
  for (int i = 0; i < r->n; i++) r->factor[i] = 1;
  scale_units(r, task);
}

/* ------------------------------------------------------------------------------------------------ entries */

/* Entry (row, column) of G, wherever it is needed one at a time. */
static double entry(const crd_coulomb_problem *problem, int row, int column) {
  if (problem->G) return problem->G[(size_t)problem->n * (size_t)row + (size_t)column];
  if (problem->J) {
    const double *J = problem->J + (size_t)problem->nv * (size_t)row;
    const double *X = problem->X + (size_t)problem->nv * (size_t)column;
    double sum = 0;
    for (int k = 0; k < problem->nv; k++) sum += J[k] * X[k];
    return sum;
  }
  const crd_coulomb_blocks *G = problem->blocks;
  int g = crd_coulomb_group(G, row);
  for (int k = G->first[g]; k < G->first[g + 1]; k++) {
    int first = G->first_row[G->column[k]], end = G->first_row[G->column[k] + 1];
    if (column < first || column >= end) continue;
    return G->value[G->offset[k] + (size_t)(end - first) * (size_t)(row - G->first_row[g]) + (size_t)(column - first)];
  }
  return 0;
}

/* A sliding contact's normal brings its friction along: column n becomes G_n - mu sum slide_t G_t. */
static void combine_sliding(const crd_reduced *r, const crd_coulomb_problem *problem) {
  for (int c = 0; c < r->ncontact; c++) {
    const crd_coulomb_contact *contact = &problem->contact[r->unit[c].id];
    if (!contact->slides) continue;
    for (int i = 0; i < r->m; i++)
      for (int t = 0; t < contact->ntangent; t++)
        at(r, r->G, i)[r->unit[c].row] -=
            contact->mu * contact->slide[t] * entry(problem, r->full_row[i], contact->row + 1 + t);
  }
}

static void set_entries(const crd_reduced *r, const crd_coulomb_problem *problem, int *where) {
  crd_coulomb_entries(problem, r->m, r->full_row, where, r->stride, r->G);
  combine_sliding(r, problem);
  for (int i = 0; i < r->m; i++)
    for (int j = 0; j < r->m; j++) at(r, r->G, i)[j] *= r->full_scale[i] * r->full_scale[j];
}

/* ------------------------------------------------------------------------------------------------ elimination */

CRD_CLONES static void subtract(int n, double factor, const double *restrict from, double *restrict to) {
  for (int j = 0; j < n; j++) to[j] -= factor * from[j];
}

/* Row i less what the pivot row has of it; most rows of a chain of loops have nothing. */
static void eliminate_from(crd_reduced *r, int k, int i) {
  int row = r->pivot[k];
  const double *from = at(r, r->E, row);
  double factor = at(r, r->E, i)[row] / from[row];
  at(r, r->multiplier, k)[i] = factor;
  if (factor != 0) subtract(r->m, factor, from, at(r, r->E, i));
}

static void eliminate(crd_reduced *r) {
  r->E = r->nb > 0 ? r->eliminated : r->G;
  if (r->nb > 0) memcpy(r->E, r->G, sizeof *r->G * r->stride * (size_t)r->m);
  for (r->nb_rank = 0; r->nb_rank < r->nb; r->nb_rank++) {
    int k = r->nb_rank, best = k;
    double noise = CRD_ACCURACY.eliminated;
    for (int i = k; i < r->nb; i++) {
      double own = at(r, r->E, r->pivot[i])[r->pivot[i]];
      if (own > at(r, r->E, r->pivot[best])[r->pivot[best]]) best = i;
      if (-own > noise) noise = -own; /* a semidefinite G has no negative pivot: such a one shows its rounding errors */
    }
    int row = r->pivot[best];
    double *from = at(r, r->E, row), size = from[row];
    if (!(size > noise)) return;
    r->pivot[best] = r->pivot[k], r->pivot[k] = row;
    memset(at(r, r->multiplier, k), 0, sizeof *r->multiplier * (size_t)r->m);
    for (int i = 0; i < r->n; i++) eliminate_from(r, k, i);
    for (int l = k + 1; l < r->nb; l++) /* bilateral rows among themselves are symmetric */
      if (from[r->pivot[l]] != 0) eliminate_from(r, k, r->pivot[l]);
  }
}

/* The same on a vector. */
static void eliminate_vector(const crd_reduced *r, double *v) {
  for (int k = 0; k < r->nb_rank; k++)
    for (int i = 0; i < r->m; i++) v[i] -= r->multiplier[r->stride * (size_t)k + (size_t)i] * v[r->pivot[k]];
}

/* Impulses x[n..] of the independent bilateral rows that go with x[0..n): E x + e = 0 there; dependent ones zero. */
static void back_substitute(const crd_reduced *r, const double *e, double *x) {
  for (int k = 0; k < r->nb; k++) x[r->pivot[k]] = 0;
  for (int k = r->nb_rank - 1; k >= 0; k--) {
    int row = r->pivot[k];
    const double *a = at(r, r->E, row);
    double sum = e[row];
    for (int j = 0; j < r->n; j++) sum += a[j] * x[j];
    for (int l = k + 1; l < r->nb_rank; l++) sum += a[r->pivot[l]] * x[r->pivot[l]];
    x[row] = -sum / a[row];
  }
}

/* Does a dependent row ask for something else than the rows it depends on? */
static crd_status contradicts(const crd_reduced *r, const crd_task *task, int *row) {
  double slack = crd_greater(CRD_ACCURACY.contradicts * task->scale, CRD_ACCURACY.bilateral * task->velocity);
  for (int k = r->nb_rank; k < r->nb; k++) {
    int i = r->pivot[k];
    double coupling = 0; /* a row that contacts still move is not dependent, only stiff */
    for (int j = 0; j < r->n; j++) coupling = crd_greater(coupling, fabs(at(r, r->E, i)[j]));
    if (fabs(r->e[i]) / r->full_scale[i] <= slack || coupling > sqrt(CRD_ACCURACY.eliminated)) continue;
    *row = r->full_row[i];
    return CRD_NO_SOLUTION;
  }
  return CRD_OK;
}

/* Does a contact approach that nothing can move, as fixed as it is or held by bilateral rows? */
static crd_status closes(const crd_reduced *r, const crd_task *task, int *row) {
  double slack = crd_greater(CRD_ACCURACY.contradicts * task->scale, CRD_ACCURACY.bilateral * task->velocity);
  for (int c = 0; c < r->ncontact; c++) {
    int i = r->unit[c].row;
    double *entries = at(r, r->E, i), coupling = 0;
    for (int j = 0; j < r->n; j++) coupling = crd_greater(coupling, fabs(entries[j]));
    for (int k = r->nb_rank; k < r->nb; k++) coupling = crd_greater(coupling, fabs(entries[r->pivot[k]]));
    if (coupling > CRD_ACCURACY.eliminated || r->e[i] / r->full_scale[i] >= -slack) continue;
    *row = r->full_row[i];
    return CRD_NO_SOLUTION;
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ reduced problem */

/* Does elimination leave nothing of a row but rounding? */
static bool is_held(const crd_reduced *r, int row, int count) {
  for (int i = row; i < row + count; i++)
    for (int j = 0; j < r->n; j++)
      if (fabs(at(r, r->E, i)[j]) > CRD_ACCURACY.eliminated) return false;
  return true;
}

/* Contacts and bounded rows in units of what elimination left of their compliance; where nothing moves them, of what
 * they had: their impulses matter to their own laws only, and rounding must not appear as compliance. */
static void rescale(crd_reduced *r, const crd_task *task) {
  double *own = r->factor;
  if (r->nb == 0) { /* unchanged */
    r->A = r->G;
    for (int i = 0; i < r->n; i++) own[i] = 1, r->b[i] = r->e[i];
    scale_units(r, task);
    return;
  }
  for (int i = 0; i < r->n; i++)
    own[i] = is_held(r, i, 1) ? 1 : 1 / sqrt(crd_greater(at(r, r->E, i)[i], CRD_ACCURACY.proximal_end));
  for (int c = 0; c < r->ncontact; c++)
    for (int k = 0; k < r->unit[c].nfriction; k++) {
      const crd_coulomb_friction *f = &r->unit[c].friction[k];
      double mean = 0;
      for (int t = 0; t < f->count; t++) mean += at(r, r->E, f->row + t)[f->row + t] / f->count;
      bool held = is_held(r, f->row, f->count);
      for (int t = 0; t < f->count; t++)
        own[f->row + t] = held ? 1 : 1 / sqrt(crd_greater(mean, CRD_ACCURACY.proximal_end));
    }
  r->A = r->reduced;
  for (int i = 0; i < r->n; i++) {
    double *to = at(r, r->A, i);
    for (int j = 0; j < r->n; j++) to[j] = own[i] * own[j] * at(r, r->E, i)[j];
    r->b[i] = own[i] * r->e[i];
  }
  scale_units(r, task);
}

/* w of the island's rows with targets and fixed impulses, scaled. */
void crd_reduce_velocities(const crd_reduced *r, const crd_task *task) {
  const crd_coulomb_problem *problem = task->problem;
  for (int i = 0; i < r->m; i++) r->w[i] = problem->w[r->full_row[i]];
  for (int c = 0; c < r->ncontact; c++) r->w[r->unit[c].row] -= problem->contact[r->unit[c].id].target;
  for (int k = 0; k < task->island.nbounded; k++) {
    const crd_coulomb_bounded *fixed = &problem->bounded[task->island.bounded[k]];
    if (fixed->lower < fixed->upper || fixed->lower == 0) continue;
    for (int i = 0; i < r->m; i++) r->w[i] += entry(problem, r->full_row[i], fixed->row) * fixed->lower;
  }
  for (int i = 0; i < r->m; i++) r->w[i] *= r->full_scale[i];
}

static bool factor_bilateral(crd_reduced *r) {
  for (int i = 0; i < r->nb; i++)
    for (int j = 0; j < r->nb; j++)
      r->B[r->nb * i + j] = at(r, r->G, r->n + i)[r->n + j] + (i == j ? CRD_ACCURACY.proximal_end : 0);
  return crd_small_lu_factor(r->nb, r->B, r->nb, r->B_pivot) > 0;
}

/* By squares of entries, whose columns the cache holds. */
CRD_CLONES static bool is_symmetric(int n, size_t stride, const double *A) {
  enum { SIDE = 8 };
  double worst = 0;
  for (int row = 0; row < n; row += SIDE)
    for (int column = 0; column <= row; column += SIDE)
      for (int i = row; i < row + SIDE && i < n; i++)
        for (int j = column; j < column + SIDE && j < i; j++) {
          double error = fabs(A[stride * (size_t)i + (size_t)j] - A[stride * (size_t)j + (size_t)i]);
          if (error > worst) worst = error;
        }
  return worst <= CRD_ACCURACY.symmetric;
}

crd_status crd_coulomb_reduce(crd_memory *m, const crd_task *task, int *row) {
  crd_reduced *r = &m->reduced;
  crd_reduce_rows(m, task, false);
  r->stride = crd_reduced_stride(r->m);
  set_entries(r, task->problem, m->where);
  crd_reduce_velocities(r, task);
  eliminate(r);
  memcpy(r->e, r->w, sizeof *r->e * (size_t)r->m);
  eliminate_vector(r, r->e);
  rescale(r, task);
  r->symmetric = is_symmetric(r->n, r->stride, r->A);
  bool low = r->symmetric && r->n >= FEW &&
             crd_low_rank_factor(r->n, r->A, r->stride, (int)(LOW * r->n), r->L, m->rhs, &r->rank);
  r->width = (int)crd_reduced_stride(r->rank);
  r->form = low ? CRD_FORM_RANK : CRD_FORM_DENSE;
  crd_status status = r->nb_rank < r->nb ? contradicts(r, task, row) : CRD_OK;
  return status == CRD_OK ? closes(r, task, row) : status;
}

/* ------------------------------------------------------------------------------------------------ and back */

CRD_CLONES static void multiply(int n, size_t stride, const double *A, const double *x, const double *b,
                                double *restrict y) {
  for (int i = 0; i < n; i++) y[i] = crd_v4_dot(n, A + stride * (size_t)i, x) + b[i];
}

void crd_coulomb_restrict(crd_memory *m, const double *p) {
  const crd_reduced *r = &m->reduced;
  for (int i = 0; i < r->m; i++) m->full_guess[i] = p ? p[r->full_row[i]] / r->full_scale[i] : 0;
  for (int i = 0; i < r->n; i++) m->x[i] = m->full_guess[i] / r->factor[i];
}

/* Dependent bilateral rows: what of (guess - x) moves nothing, CRD_ACCURACY.proximal_end (B + CRD_ACCURACY.proximal_end)^-1 (guess - x), is added, so
 * that the change from the guess is least. */
static void share_dependent(crd_memory *m) {
  crd_reduced *r = &m->reduced;
  double *d = m->rhs;
  if (r->nb_rank == r->nb || !factor_bilateral(r)) return;
  for (int i = 0; i < r->nb; i++) d[i] = m->full_guess[r->n + i] - m->full[r->n + i];
  crd_small_lu_solve(r->nb, r->B, r->nb, r->B_pivot, d);
  for (int i = 0; i < r->nb; i++) m->full[r->n + i] += CRD_ACCURACY.proximal_end * d[i];
}

/* Rounding error of the velocities G x + w, relative: impulses that cancel each other make it large. */
static double rounding_of(const crd_memory *m, const crd_task *task) {
  static const double NOTHING = 1e-2; /* of the tolerance */
  const crd_reduced *r = &m->reduced;
  double worst = 0, sum = 0, unit = DBL_EPSILON / 2 / task->scale;
  for (int i = 0; i < r->m; i++) sum += fabs(m->full[i]);
  for (int i = 0; i < r->m; i++)
    if (unit * sum > worst * r->full_scale[i]) worst = unit * sum / r->full_scale[i]; /* a diagonal of one */
  if (worst <= NOTHING * task->options->tolerance) return 0;
  worst = 0;
  for (int i = 0; i < r->m; i++)
    worst = crd_greater(worst, unit * crd_v4_dot_magnitude(r->m, at(r, r->G, i), m->full) / r->full_scale[i]);
  return worst;
}

double crd_coulomb_expand(crd_memory *m, const crd_task *task) {
  const crd_reduced *r = &m->reduced;
  for (int i = 0; i < r->n; i++) m->full[i] = r->factor[i] * m->x[i];
  back_substitute(r, r->e, m->full);
  share_dependent(m);
  multiply(r->m, r->stride, r->G, m->full, r->w, m->error);
  double worst = crd_natural_map_full(r, m->full, m->error), allowed = CRD_ACCURACY.bilateral * task->velocity;
  for (int i = r->n; i < r->m; i++) {
    double error = fabs(m->error[i]) / r->full_scale[i];
    if (error > allowed) worst = crd_greater(worst, error / task->scale);
  }
  return worst + rounding_of(m, task);
}

/* y = A x + b must equal the velocities that G itself gives, bilateral rows eliminated. */
void crd_coulomb_refine(crd_memory *m) {
  crd_reduced *r = &m->reduced;
  for (int i = 0; i < r->m; i++) m->y0[i] = m->error[i];
  eliminate_vector(r, m->y0);
  crd_reduced_velocity(r, m->x, m->y);
  for (int i = 0; i < r->n; i++) r->b[i] += r->factor[i] * m->y0[i] - m->y[i];
  for (int i = r->n; i < r->m; i++) r->e[i] += m->y0[i];
}

void crd_coulomb_scatter(const crd_reduced *r, const crd_task *task, const double *full, double *p) {
  const crd_coulomb_problem *problem = task->problem;
  const crd_island *island = &task->island;
  for (int i = 0; i < island->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[island->contact[i]];
    memset(p + c->row, 0, sizeof *p * (size_t)crd_coulomb_contact_rows(c));
  }
  for (int i = 0; i < island->nbounded; i++)
    p[problem->bounded[island->bounded[i]].row] = problem->bounded[island->bounded[i]].lower;
  for (int i = 0; i < r->m; i++) p[r->full_row[i]] = r->full_scale[i] * full[i];
  for (int i = 0; i < island->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[island->contact[i]];
    for (int t = 0; c->slides && t < c->ntangent; t++) p[c->row + 1 + t] = -c->mu * p[c->row] * c->slide[t];
  }
}
