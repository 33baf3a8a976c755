#include "outcome/step_lcp.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

enum { MAX_NODES = 20000, MOST_ROWS = 60 }; /* of an enumeration */
static const double LEAST_RCOND = 1e-11;    /* as for modes */
static const double NOISE = 1e-11;
static const double WHOLE = 1e-9; /* of a bound: an impulse so close is the whole of it */

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

/* Rows: nc of beta, nc of p_n, nfacet of lambda_D, one gamma for each contact with friction. */
static void fill_matrix(outcome_step_lcp *lcp, const double *W31, int size31) {
  int nc = lcp->reduced->nc, nf = lcp->facets->nfacet, n = lcp->n;
  for (int c = 0; c < nc; c++) lcp->W[at(n, c, nc + c)] = -1, lcp->W[at(n, nc + c, c)] = 1;
  for (int i = 0; i < nc + nf; i++)
    for (int j = 0; j < nc + nf; j++) lcp->W[at(n, nc + i, nc + j)] = W31[at(size31, i, j)];
  for (int c = 0; c < nc; c++) {
    int from = nc + nf + c, to = lcp->gamma[c];
    for (int i = 0; to >= 0 && i < nc + nf; i++) {
      lcp->W[at(n, nc + i, to)] = W31[at(size31, i, from)];
      lcp->W[at(n, to, nc + i)] = W31[at(size31, from, i)];
    }
  }
}

crd_status outcome_step_lcp_begin(outcome_step_lcp *lcp, const outcome_reduced *r, const crd_facets *facets,
                                  crd_arena *arena) {
  size_t nx = (size_t)r->nx;
  *lcp = (outcome_step_lcp){.reduced = r, .facets = facets, .n = 2 * r->nc + facets->nfacet};
  lcp->gamma = crd_arena_alloc(arena, (size_t)r->nc, sizeof(int));
  if (!lcp->gamma) return CRD_ERR_MEMORY;
  for (int c = 0; c < r->nc; c++) lcp->gamma[c] = facets->first[c + 1] > facets->first[c] ? lcp->n++ : -1;
  size_t n = (size_t)lcp->n, size31 = (size_t)facets->size;
  double *W31 = NULL;
  const crd_layout table[] = {
      CRD_ARRAY(W31, size31 * size31),
      CRD_ARRAY(lcp->W, n * n),
      CRD_ARRAY(lcp->w, n),
      CRD_ARRAY(lcp->z, n),
      CRD_ARRAY(lcp->cover, n),
      CRD_ARRAY(lcp->p, r->nrow),
      CRD_ARRAY(lcp->u, r->nrow),
      CRD_ARRAY(lcp->basis, n),
      CRD_ARRAY(lcp->B, n * n),
      CRD_ARRAY(lcp->rhs, n * nx),
      CRD_ARRAY(lcp->lu_work, 4 * n),
      CRD_ARRAY(lcp->member, n),
      CRD_ARRAY(lcp->pivot, n),
      CRD_ARRAY(lcp->iwork, n),
      CRD_ARRAY(lcp->line, n + nx),
      CRD_ARRAY(lcp->other, n + nx),
      CRD_ARRAY(lcp->map.check, n * nx),
      CRD_ARRAY(lcp->map.next, (size_t)r->rank * nx),
  };
  lcp->work = crd_lcp_work_new(lcp->n, 0);
  if (CRD_LAYOUT_TAKE(arena, table) != CRD_OK || !lcp->work) return CRD_ERR_MEMORY;
  const crd_contact_problem seen = {.nc = r->nc, .nrow = r->nrow, .contact = r->contact, .W = r->W};
  crd_facets_matrix(&seen, facets, W31);
  fill_matrix(lcp, W31, facets->size);
  return CRD_OK;
}

void outcome_step_lcp_end(outcome_step_lcp *lcp) {
  crd_lcp_work_free(lcp->work);
  lcp->work = NULL;
}

/* lambda_D rows of u, as crd_facets_vector has them */
static void fill_vector(outcome_step_lcp *lcp, const double *x) {
  const outcome_reduced *r = lcp->reduced;
  const crd_facets *f = lcp->facets;
  memset(lcp->w, 0, sizeof *lcp->w * (size_t)lcp->n);
  for (int i = 0; i < r->nrow; i++) lcp->u[i] = crd_dense_dot(r->rank, r->C + at(r->rank, i, 0), x);
  for (int c = 0; c < r->nc; c++) {
    const crd_contact *contact = &r->contact[c];
    lcp->w[c] = x[r->rank + c], lcp->w[r->nc + c] = lcp->u[contact->row];
    for (int k = f->first[c]; k < f->first[c + 1]; k++)
      for (int t = 0; t < contact->ntangent; t++)
        lcp->w[2 * r->nc + k] += f->direction[2 * k + t] * lcp->u[contact->row + 1 + t];
  }
}

/* y' = y + C' p, p of the solution z, and whether some contact takes its whole bound */
static void follow(outcome_step_lcp *lcp, const double *x, const double *z, double *y_next) {
  const outcome_reduced *r = lcp->reduced;
  const crd_facets *f = lcp->facets;
  memcpy(y_next, x, sizeof *y_next * (size_t)r->rank);
  memset(lcp->p, 0, sizeof *lcp->p * (size_t)r->nrow);
  for (int c = 0; c < r->nc; c++) {
    const crd_contact *contact = &r->contact[c];
    lcp->p[contact->row] = z[r->nc + c];
    for (int k = f->first[c]; k < f->first[c + 1]; k++)
      for (int t = 0; t < contact->ntangent; t++)
        lcp->p[contact->row + 1 + t] += f->direction[2 * k + t] * z[2 * r->nc + k];
  }
  for (int i = 0; i < r->nrow; i++)
    for (int k = 0; k < r->rank; k++) y_next[k] += r->C[at(r->rank, i, k)] * lcp->p[i];
  lcp->full = false;
  for (int c = 0; c < r->nc; c++) lcp->full = lcp->full || lcp->p[r->contact[c].row] >= x[r->rank + c] * (1 - WHOLE);
}

crd_status outcome_step_solve(outcome_step_lcp *lcp, const double *x, const double *cover, double *y_next) {
  fill_vector(lcp, x);
  crd_lcp_problem problem = crd_lcp_dense(lcp->n, lcp->W, lcp->w);
  crd_lcp_options options = crd_lcp_default();
  options.cover = cover;
  crd_status status = crd_lcp_solve(lcp->work, &problem, &options, lcp->z, NULL);
  if (status != CRD_OK) return status;
  crd_lcp_basis_get(lcp->work, lcp->basis);
  follow(lcp, x, lcp->z, y_next);
  return CRD_OK;
}

/* A contact whose normal velocity seems larger than any that the energy allows, towards the other body, takes its whole
 * bound: beta makes up for the difference and nothing else changes. */
crd_status outcome_step_push(outcome_step_lcp *lcp, const double *x, const unsigned char *push, double *y_next) {
  const outcome_reduced *r = lcp->reduced;
  fill_vector(lcp, x);
  for (int c = 0; c < r->nc; c++)
    if (push[c]) lcp->w[r->nc + c] -= 16 * r->velocity;
  crd_lcp_problem problem = crd_lcp_dense(lcp->n, lcp->W, lcp->w);
  crd_status status = crd_lcp_solve(lcp->work, &problem, NULL, lcp->z, NULL);
  if (status == CRD_OK) follow(lcp, x, lcp->z, y_next);
  return status;
}

crd_status outcome_step_enumerate(outcome_step_lcp *lcp, const double *x, double *y_next, bool *full, int capacity,
                                  int *count) {
  fill_vector(lcp, x);
  crd_lcp_problem problem = crd_lcp_dense(lcp->n, lcp->W, lcp->w);
  crd_lcp_enumerate_options options = crd_lcp_enumerate_default();
  options.max_nodes = MAX_NODES;
  crd_lcp_solutions found = {0};
  *count = 0;
  if (lcp->n > MOST_ROWS) return CRD_LIMIT;
  crd_status status = crd_lcp_enumerate(lcp->work, &problem, &options, &found);
  for (int k = 0; k < found.count; k++)
    for (int v = 0; v < found.piece[k].vertices; v++) {
      if (*count == capacity) {
        status = CRD_LIMIT;
        break;
      }
      follow(lcp, x, found.piece[k].vertex + at(found.n, v, 0), y_next + at(lcp->reduced->rank, *count, 0));
      full[(*count)++] = lcp->full;
    }
  crd_lcp_solutions_free(&found);
  return status;
}

bool outcome_step_mode(const outcome_step_lcp *lcp, outcome_contact_mode *mode) {
  const crd_facets *f = lcp->facets;
  int nc = lcp->reduced->nc;
  for (int c = 0; c < nc; c++) {
    int count = f->first[c + 1] - f->first[c], basic = 0, first = -1, last = -1;
    mode[c] = (outcome_contact_mode){OUTCOME_OPEN, 0};
    if (!lcp->basis[nc + c]) continue;
    mode[c].normal = lcp->basis[c] ? OUTCOME_FULL : OUTCOME_PARTIAL;
    if (count == 0 || !lcp->basis[lcp->gamma[c]]) continue; /* gamma = 0: stick */
    for (int k = 0; k < count; k++)
      if (lcp->basis[2 * nc + f->first[c] + k]) {
        if (basic++ == 0) first = k;
        last = k;
      }
    if (basic == 1)
      mode[c].friction = 1 + first;
    else if (basic == 2 && last == first + 1)
      mode[c].friction = 1 + count + first;
    else if (basic == 2 && first == 0 && last == count - 1)
      mode[c].friction = count + count;
    else
      return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------ map of a basis */

/* w of the unit vectors of x, one after the other. */
static void fill_rhs(outcome_step_lcp *lcp) {
  const outcome_reduced *r = lcp->reduced;
  for (int k = 0; k < r->nx; k++) {
    memset(lcp->line, 0, sizeof *lcp->line * (size_t)r->nx);
    lcp->line[k] = 1;
    fill_vector(lcp, lcp->line);
    memcpy(lcp->rhs + at(lcp->n, k, 0), lcp->w, sizeof *lcp->w * (size_t)lcp->n);
  }
}

/* Conditions of row i, z_i >= 0 or y_i >= 0, in units of velocity; left out where they always hold. */
static void add_check(outcome_step_lcp *lcp, int i, const double *row) {
  const outcome_reduced *r = lcp->reduced;
  int nc = r->nc, c = i < nc ? i : i < 2 * nc ? i - nc : 0;
  if (i >= 2 * nc && i < 2 * nc + lcp->facets->nfacet)
    while (lcp->facets->first[c + 1] <= i - 2 * nc) c++;
  for (int k = 0; k < nc; k++)
    if (lcp->gamma[k] == i) c = k;
  int normal = r->contact[c].row;
  double mass = r->W[at(r->nrow, normal, normal)], mu = r->mu[c];
  /* impulses are z of p_n and lambda_D, and y of beta and gamma; the rest are velocities */
  bool is_gamma = lcp->gamma[c] == i, is_beta = i < nc, impulse = (is_gamma || is_beta) != (lcp->basis[i] != 0);
  double unit = impulse ? mass : 1;
  if (impulse && !is_beta && i >= 2 * nc) unit /= 1 + mu;
  double *check = lcp->map.check + at(r->nx, lcp->map.rows, 0);
  bool needed = false;
  for (int k = 0; k < r->nx; k++) {
    check[k] = unit * row[k];
    needed = needed || (k < r->rank ? fabs(check[k]) > NOISE * sqrt(mass) : check[k] < -NOISE * mass);
  }
  lcp->map.rows += needed;
}

/* Column k of rhs, w of the k-th unit vector, becomes z where the row is basic and y elsewhere. */
static void solve_column(outcome_step_lcp *lcp, int m, double *column) {
  int n = lcp->n;
  for (int i = 0; i < m; i++) lcp->line[i] = -column[lcp->member[i]];
  if (m) crd_lu_solve(m, lcp->B, lcp->pivot, 1, lcp->line);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m && !lcp->basis[i]; j++) column[i] += lcp->W[at(n, i, lcp->member[j])] * lcp->line[j];
  for (int i = 0; i < m; i++) column[lcp->member[i]] = lcp->line[i];
}

bool outcome_step_map(outcome_step_lcp *lcp) {
  const outcome_reduced *r = lcp->reduced;
  int n = lcp->n, m = 0;
  for (int i = 0; i < n; i++)
    if (lcp->basis[i]) lcp->member[m++] = i;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) lcp->B[at(m, i, j)] = lcp->W[at(n, lcp->member[i], lcp->member[j])];
  if (m && !(crd_lu_factor(m, lcp->B, lcp->pivot, lcp->lu_work, lcp->iwork) > LEAST_RCOND)) return false;
  fill_rhs(lcp);
  for (int k = 0; k < r->nx; k++) solve_column(lcp, m, lcp->rhs + at(n, k, 0));
  lcp->map.rows = 0, lcp->map.full = false;
  for (int c = 0; c < r->nc; c++) lcp->map.full = lcp->map.full || lcp->basis[c]; /* beta_c > 0 */
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < r->nx; k++) lcp->line[k] = lcp->rhs[at(n, k, i)];
    add_check(lcp, i, lcp->line);
  }
  for (int k = 0; k < r->nx; k++) {
    const double *column = lcp->rhs + at(n, k, 0);
    for (int i = 0; i < n; i++) lcp->z[i] = lcp->basis[i] ? column[i] : 0;
    memset(lcp->line, 0, sizeof *lcp->line * (size_t)r->nx), lcp->line[k] = 1;
    follow(lcp, lcp->line, lcp->z, lcp->other);
    for (int a = 0; a < r->rank; a++) lcp->map.next[at(r->nx, a, k)] = lcp->other[a];
  }
  return true;
}
