#include "support/projection_oracle.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "support/cmocka_all.h"

enum { N = ORACLE_MAX, NN = ORACLE_MAX * ORACLE_MAX };

/* C (a x c) = A (a x b) B (b x c) */
static void multiply(int a, int b, int c, const double *A, const double *B, double *C) {
  for (int i = 0; i < a; i++)
    for (int j = 0; j < c; j++) {
      double sum = 0;
      for (int k = 0; k < b; k++) sum += A[b * i + k] * B[c * k + j];
      C[c * i + j] = sum;
    }
}

/* B = A^-1 B by Gauss-Jordan with pivoting; A (n x n) is destroyed, B is n x c. */
static void solve(int n, int c, double *A, double *B) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[n * i + k]) > fabs(A[n * pivot + k])) pivot = i;
    for (int j = 0; j < n; j++) {
      double swap = A[n * k + j];
      A[n * k + j] = A[n * pivot + j], A[n * pivot + j] = swap;
    }
    for (int j = 0; j < c; j++) {
      double swap = B[c * k + j];
      B[c * k + j] = B[c * pivot + j], B[c * pivot + j] = swap;
    }
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double factor = A[n * i + k] / A[n * k + k];
      for (int j = k; j < n; j++) A[n * i + j] -= factor * A[n * k + j];
      for (int j = 0; j < c; j++) B[c * i + j] -= factor * B[c * k + j];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < c; j++) B[c * i + j] /= A[n * i + i];
}

void projection_oracle_resolve(projection_oracle *oracle, const crd_contact_problem *problem, const double *E) {
  int n = problem->nv, nc = problem->nc, m = nc + problem->nb, row[N];
  double A[NN], inverse[NN], work[8 * NN], PM[NN], Mc[NN], x[N], Ex[N], answer[N], Mo_pinv[NN];
  const double nu = 1;
  assert_true(n <= N && m <= N);
  for (int i = 0; i < m; i++) row[i] = i < nc ? problem->contact[i].row : problem->nrow + i - nc;
  for (int i = 0; i < m; i++) memcpy(A + n * i, problem->J + n * row[i], sizeof *A * (size_t)n);
  assert_true(crd_dense_pseudo_inverse_work(m, n) <= 8 * NN);
  oracle->rank = crd_dense_pseudo_inverse(m, n, A, 1e-9, inverse, work);

  multiply(n, m, n, inverse, A, oracle->P);
  for (int i = 0; i < n * n; i++) oracle->P[i] = (i / n == i % n) - oracle->P[i];
  multiply(n, n, n, oracle->P, problem->M, PM);
  multiply(n, n, n, PM, oracle->P, Mc);
  for (int i = 0; i < n * n; i++) Mc[i] += nu * ((i / n == i % n) - oracle->P[i]);
  double copy[NN];
  memcpy(copy, Mc, sizeof *Mc * (size_t)(n * n)), memcpy(oracle->S, PM, sizeof *PM * (size_t)(n * n));
  solve(n, n, copy, oracle->S);
  for (int i = 0; i < n * n; i++) oracle->S[i] = (i / n == i % n) - oracle->S[i];
  memcpy(Mo_pinv, oracle->P, sizeof *Mo_pinv * (size_t)(n * n));
  solve(n, n, Mc, Mo_pinv);

  /* x = (Etilde + I) qd */
  memset(Ex, 0, sizeof Ex);
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) Ex[i] += E[nc * i + j] * problem->u[row[j]];
  multiply(n, m, 1, inverse, Ex, x);
  for (int i = 0; i < n; i++) x[i] += problem->v[i];
  multiply(n, n, 1, oracle->S, x, oracle->v_plus);
  multiply(n, n, 1, Mo_pinv, problem->impulse, answer);
  for (int i = 0; i < n; i++) oracle->v_plus[i] = problem->v[i] - oracle->v_plus[i] + answer[i];

  for (int i = 0; i < n; i++) x[i] = oracle->v_plus[i] - problem->v[i];
  multiply(n, n, 1, problem->M, x, answer);
  for (int i = 0; i < n; i++) answer[i] -= problem->impulse[i];
  memset(oracle->p, 0, sizeof oracle->p);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) oracle->p[row[i]] += inverse[m * k + i] * answer[k];
}
