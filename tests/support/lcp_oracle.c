/* Exact vertices of the solution set of a small integer problem; see the header. */
#include "support/lcp_oracle.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Fraction-free Gauss-Jordan (Bareiss) on the n x (n+1) system: x_i = a[i][n] / det. False where it is singular. */
static bool solve(int n, int64_t a[ORACLE_ROWS][ORACLE_ROWS + 1], int64_t *det) {
  int64_t previous = 1;
  for (int p = 0; p < n; p++) {
    int row = p;
    while (row < n && a[row][p] == 0) row++;
    if (row == n) return false;
    for (int j = 0; j <= n && row != p; j++) {
      int64_t keep = a[p][j];
      a[p][j] = a[row][j], a[row][j] = keep;
    }
    for (int i = 0; i < n; i++)
      for (int j = n; j >= 0 && i != p; j--) a[i][j] = (a[p][p] * a[i][j] - a[i][p] * a[p][j]) / previous;
    previous = a[p][p];
  }
  *det = previous;
  return true;
}

/* Signs and complementarity of z = numerator / det. */
static bool is_solution(int n, const double *W, const double *w, int64_t det, const int64_t *numerator) {
  int64_t sign = det > 0 ? 1 : -1;
  for (int i = 0; i < n; i++) {
    int64_t y = (int64_t)w[i] * det;
    for (int j = 0; j < n; j++) y += (int64_t)W[i * n + j] * numerator[j];
    if (sign * numerator[i] < 0 || sign * y < 0 || (numerator[i] != 0 && y != 0)) return false;
  }
  return true;
}

static bool is_known(int n, const double *z, int count) {
  for (int k = 0; k < count; k++)
    if (memcmp(z + k * n, z + count * n, sizeof(double) * (size_t)n) == 0) return true;
  return false;
}

int lcp_oracle(int n, const double *W, const double *w, double *z) {
  int count = 0;
  for (unsigned choice = 0; choice < 1u << 2 * n; choice++) {
    if (__builtin_popcount(choice) != n) continue;
    int64_t a[ORACLE_ROWS][ORACLE_ROWS + 1] = {{0}}, det, numerator[ORACLE_ROWS];
    int row = 0;
    for (int i = 0; i < n; i++) {
      if (choice >> i & 1) a[row++][i] = 1;
      if (!(choice >> (n + i) & 1)) continue;
      for (int j = 0; j < n; j++) a[row][j] = (int64_t)W[i * n + j];
      a[row++][n] = -(int64_t)w[i];
    }
    if (!solve(n, a, &det)) continue;
    for (int i = 0; i < n; i++) numerator[i] = a[i][n];
    if (!is_solution(n, W, w, det, numerator)) continue;
    for (int i = 0; i < n; i++) z[count * n + i] = numerator[i] == 0 ? 0 : (double)numerator[i] / (double)det;
    if (!is_known(n, z, count) && count + 1 < ORACLE_POINTS) count++;
  }
  return count;
}
