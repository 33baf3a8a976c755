/* Equilibration: powers of two for rows and columns, so that the largest entry of each is about 1 (Ruiz 2001).
 *
 * Multiplying rows and columns by positive numbers leaves the complementarity problem what it is: y and z change their
 * units. Lemke's path stays the same when the covering vector is scaled with the rows.
 */
#include <math.h>

#include "lcp/work.h"

/* The power of two next below 1 / a, and 1 for a = 0. */
static double inverse_power(double a) {
  if (!(a > 0)) return 1;
  enum { MOST = 900 }; /* of exponents, which reach to 1023: products of a factor and an entry stay finite */
  int exponent;
  frexp(a, &exponent);
  return ldexp(1, exponent < -MOST ? MOST : exponent > MOST ? -MOST : -exponent);
}

/* One sweep: rows and columns are divided by the square roots of their largest entries. */
CRD_CLONES static void sweep(const double *W, int n, int ld, double *row, double *col, double *col_most) {
  for (int j = 0; j < n; j++) col_most[j] = 0;
  for (int i = 0; i < n; i++) {
    const double *restrict a = W + (ptrdiff_t)i * ld;
    double most = 0;
    for (int j = 0; j < n; j++) {
      double value = fabs(a[j]) * col[j] * row[i];
      most = value > most ? value : most;
      col_most[j] = value > col_most[j] ? value : col_most[j];
    }
    if (most > 0) row[i] /= sqrt(most);
  }
  for (int j = 0; j < n; j++)
    if (col_most[j] > 0) col[j] /= sqrt(col_most[j]);
}

void lcp_need_scales(crd_lcp_work *work) {
  if (work->scaled) return;
  lcp_need_dense(work);
  int n = work->n;
  double *row = work->row_scale, *col = work->col_scale;
  for (int i = 0; i < n; i++) row[i] = col[i] = 1;
  for (int k = 0; k < 5; k++) sweep(work->W, n, work->ld, row, col, work->help);
  double most = 0;
  for (int i = 0; i < n; i++) {
    row[i] = inverse_power(1 / row[i]), col[i] = inverse_power(1 / col[i]);
    most = fmax(most, fabs(work->w[i]) * row[i]);
  }
  work->w_scale = inverse_power(most);
  work->scaled = true;
}
