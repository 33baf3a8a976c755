/* The factored basis: its point, refined on the data as given, and its neighbours.
 *
 * A neighbour of the factored basis differs in a few indices. With A0 the factored matrix, an index j that comes in
 * borders it by column W[row, j] and row W[j, col]; an index that goes out by a slack -e_i in its row and the condition
 * z_i = 0. The bordered system is solved through the Schur complement C = D - V A0^-1 U, so that a step costs O(k^2).
 */
#include <math.h>
#include <string.h>

#include "lcp/work.h"

static const double ASYMMETRY = 1e-15; /* of the diagonals: what rounding leaves of symmetry */

static bool is_symmetric(const double *A, int k, int ld) {
  for (int i = 0; i < k; i++) {
    if (!(A[i * ld + i] > 0)) return false;
    for (int j = 0; j < i; j++)
      if (fabs(A[i * ld + j] - A[j * ld + i]) > ASYMMETRY * sqrt(A[i * ld + i] * A[j * ld + j])) return false;
  }
  return true;
}

static void load(crd_lcp_work *work) {
  lcp_basis *basis = &work->basis;
  for (int b = 0; b < basis->k; b++) {
    const double *column = lcp_column(work, basis->col[b]);
    for (int a = 0; a < basis->k; a++) basis->factor[a * basis->k + b] = column[basis->row[a]];
  }
}

bool lcp_basis_factor(crd_lcp_work *work) {
  lcp_basis *basis = &work->basis;
  int k = basis->k;
  basis->border = 0;
  load(work);
  basis->symmetric = is_symmetric(basis->factor, k, k);
  basis->factored = basis->symmetric && lcp_cholesky_factor(basis->factor, k, k);
  if (basis->symmetric && !basis->factored) load(work);
  if (!basis->factored) {
    basis->symmetric = false;
    basis->factored = lcp_lu_factor(basis->factor, k, k, basis->swap, work->help);
  }
  return basis->factored;
}

static void solve(const lcp_basis *basis, double *x) {
  if (basis->symmetric) {
    lcp_cholesky_solve(basis->factor, basis->k, basis->k, x);
  } else {
    lcp_lu_solve(basis->factor, basis->k, basis->k, basis->swap, x);
  }
}

void lcp_basis_solve(crd_lcp_work *work, double *x) { solve(&work->basis, x); }

/* Gaussian elimination with partial pivoting of the small Schur complement; false where it is singular. */
static bool solve_schur(const lcp_basis *basis, double *x) {
  double C[LCP_BORDER * LCP_BORDER], row_size[LCP_BORDER];
  int swap[LCP_BORDER], p = basis->border;
  for (int a = 0; a < p; a++)
    for (int b = 0; b < p; b++) C[a * p + b] = basis->schur[a * LCP_BORDER + b];
  if (!lcp_lu_factor(C, p, p, swap, row_size)) return false;
  lcp_lu_solve(C, p, p, swap, x);
  return true;
}

/* Row t of the border times x, x in the order of the factored columns. */
static double border_row(crd_lcp_work *work, int t, const double *x) {
  const lcp_basis *basis = &work->basis;
  if (!basis->added[t]) return x[basis->place[t]];
  double sum = 0;
  for (int b = 0; b < basis->k; b++) sum += lcp_column(work, basis->col[b])[basis->index[t]] * x[b];
  return sum;
}

static double border_corner(crd_lcp_work *work, int a, int b) {
  const lcp_basis *basis = &work->basis;
  return basis->added[a] && basis->added[b] ? lcp_column(work, basis->index[b])[basis->index[a]] : 0;
}

static void remove_border(lcp_basis *basis, int t) {
  int last = --basis->border;
  if (t == last) return;
  basis->index[t] = basis->index[last];
  basis->added[t] = basis->added[last];
  basis->place[t] = basis->place[last];
  memcpy(basis->response + t * basis->k, basis->response + last * basis->k, sizeof(double) * (size_t)basis->k);
  for (int b = 0; b <= last; b++) basis->schur[t * LCP_BORDER + b] = basis->schur[last * LCP_BORDER + b];
  for (int a = 0; a < last; a++) basis->schur[a * LCP_BORDER + t] = basis->schur[a * LCP_BORDER + last];
}

bool lcp_basis_toggle(crd_lcp_work *work, int index, bool add) {
  lcp_basis *basis = &work->basis;
  int k = basis->k, t = basis->border;
  for (int s = 0; s < t; s++)
    if (basis->index[s] == index) {
      remove_border(basis, s);
      return true;
    }
  if (t == LCP_BORDER) return false;
  basis->index[t] = index, basis->added[t] = add, basis->place[t] = -1;
  double *response = basis->response + t * k;
  if (add) {
    const double *column = lcp_column(work, index);
    for (int a = 0; a < k; a++) response[a] = column[basis->row[a]];
  } else {
    for (int a = 0; a < k; a++) {
      response[a] = basis->row[a] == index ? -1 : 0;
      if (basis->col[a] == index) basis->place[t] = a;
    }
    if (basis->place[t] < 0) return false;
  }
  solve(basis, response);
  basis->border = t + 1;
  for (int s = 0; s <= t; s++) {
    basis->schur[t * LCP_BORDER + s] = border_corner(work, t, s) - border_row(work, t, basis->response + s * k);
    basis->schur[s * LCP_BORDER + t] = border_corner(work, s, t) - border_row(work, s, response);
  }
  return true;
}

void lcp_basis_commit(crd_lcp_work *work) {
  lcp_basis *basis = &work->basis;
  for (int t = 0; t < basis->border; t++) {
    if (basis->added[t]) {
      basis->row[basis->k] = basis->col[basis->k] = basis->index[t];
      basis->k++;
      continue;
    }
    int last = --basis->k;
    for (int a = 0; a < last; a++) {
      if (basis->row[a] == basis->index[t]) basis->row[a] = basis->row[last], basis->row[last] = -1;
      if (basis->col[a] == basis->index[t]) basis->col[a] = basis->col[last], basis->col[last] = -1;
    }
  }
  basis->border = 0;
  basis->factored = false;
}

/* Solves the bordered system for right-hand side -w (or the given residual): x over the factored columns, e over the
 * border. False where the Schur complement is singular. */
static bool solve_bordered(crd_lcp_work *work, double *x, double *e) {
  lcp_basis *basis = &work->basis;
  int k = basis->k, p = basis->border;
  solve(basis, x);
  if (p == 0) return true;
  for (int t = 0; t < p; t++) e[t] -= border_row(work, t, x);
  if (!solve_schur(basis, e)) return false;
  for (int t = 0; t < p; t++)
    for (int a = 0; a < k; a++) x[a] -= basis->response[t * k + a] * e[t];
  return true;
}

/* -(W z + w) in row i, accumulated in double-double. */
static double exact_residual(crd_lcp_work *work, const double *z, int i) {
  const lcp_basis *basis = &work->basis;
  crd_dd sum = dd_of(-work->w[i]);
  for (int b = 0; b < basis->k; b++) {
    int j = basis->col[b];
    sum = dd_add_product(sum, -lcp_column(work, j)[i], z[j]);
  }
  for (int t = 0; t < basis->border; t++)
    if (basis->added[t]) sum = dd_add_product(sum, -lcp_column(work, basis->index[t])[i], z[basis->index[t]]);
  return dd_round(sum);
}

bool lcp_basis_point(crd_lcp_work *work, double *z, int refine) {
  lcp_basis *basis = &work->basis;
  double *x = work->help, e[LCP_BORDER];
  memset(z, 0, sizeof(double) * (size_t)work->n);
  for (int pass = 0; pass <= refine; pass++) {
    for (int a = 0; a < basis->k; a++) x[a] = pass ? exact_residual(work, z, basis->row[a]) : -work->w[basis->row[a]];
    for (int t = 0; t < basis->border; t++) {
      int j = basis->index[t];
      e[t] = !basis->added[t] ? 0 : pass ? exact_residual(work, z, j) : -work->w[j];
    }
    if (!solve_bordered(work, x, e)) return false;
    for (int a = 0; a < basis->k; a++) z[basis->col[a]] += x[a];
    for (int t = 0; t < basis->border; t++) {
      /* a removed variable is zero; its border unknown was the slack of its row */
      if (basis->added[t])
        z[basis->index[t]] += e[t];
      else
        z[basis->index[t]] = 0;
    }
  }
  return true;
}
