/* Elimination of the bilateral rows. With Y, V, K of those rows (oblique.h) and the contacts' rows J_c
 *
 *   W_cb W_bb^+ W_bc = (J_c Y') K^-1 (J_c Y')',     W_cb W_bb^+ J_b v = (J_c Y') K^-1 V v
 *
 * which needs neither W_bb nor its rank. */
#include "base/layout.h"
#include "impact/oblique.h"
#include "linalg/dense.h"

/* Share of a row's compliance that rounding leaves where the bilateral rows take all of it. */
static const double HELD = 1e-11;

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

bool crd_bilateral_spans(double left, double compliance) { return !(left > HELD * compliance); }

/* Rows in the span of the bilateral ones cannot move: what rounding left of them is none. */
static void clear_held(crd_bilateral *b, const crd_contact_problem *problem) {
  int nrow = problem->nrow, m = nrow + problem->nb;
  for (int i = 0; i < nrow; i++) {
    if (!crd_bilateral_spans(b->W[at(nrow, i, i)], problem->W[at(m, i, i)])) continue;
    b->u_free[i] = 0;
    for (int j = 0; j < nrow; j++) b->W[at(nrow, i, j)] = b->W[at(nrow, j, i)] = 0;
  }
}

crd_status crd_bilateral_eliminate(crd_bilateral *bilateral, const crd_contact_problem *problem, crd_arena *arena) {
  int n = problem->nv, m = problem->nrow + problem->nb, nrow = problem->nrow;
  size_t c = (size_t)nrow;
  int *row;
  crd_bilateral b = {0};
  if (CRD_TAKE(arena, CRD_ARRAY(row, problem->nb), CRD_MATRIX(b.W, c, c), CRD_ARRAY(b.u_free, c)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < problem->nb; i++) row[i] = nrow + i;
  crd_status status = crd_oblique_factor(&b.oblique, problem, problem->nb, row, arena);
  if (status != CRD_OK) return status;
  int r = b.oblique.rank;
  double *H, *Z, *along;
  if (CRD_TAKE(arena, CRD_MATRIX(H, c, r), CRD_MATRIX(Z, c, r), CRD_ARRAY(along, r))) return CRD_ERR_MEMORY;
  for (int i = 0; i < nrow; i++)
    for (int a = 0; a < r; a++)
      H[at(r, i, a)] = Z[at(r, i, a)] = crd_dense_dot(n, problem->J + at(n, i, 0), b.oblique.Y + at(n, a, 0));
  crd_dense_cholesky_solve(r, b.oblique.L, nrow, Z);
  for (int a = 0; a < r; a++) along[a] = crd_dense_dot(n, b.oblique.V + at(n, a, 0), problem->v_free);
  for (int i = 0; i < nrow; i++) {
    b.u_free[i] = problem->u_free[i] - crd_dense_dot(r, Z + at(r, i, 0), along);
    for (int j = 0; j <= i; j++)
      b.W[at(nrow, i, j)] = b.W[at(nrow, j, i)] =
          problem->W[at(m, i, j)] - crd_dense_dot(r, H + at(r, i, 0), Z + at(r, j, 0));
  }
  clear_held(&b, problem);
  *bilateral = b;
  return CRD_OK;
}

void crd_bilateral_impulses(const crd_bilateral *bilateral, const crd_contact_problem *problem, double *p) {
  int m = problem->nrow + problem->nb, nrow = problem->nrow;
  double *answer = p + nrow;
  for (int b = 0; b < problem->nb; b++)
    answer[b] = -problem->u_free[nrow + b] - crd_dense_dot(nrow, problem->W + at(m, nrow + b, 0), p);
  crd_oblique_solve(&bilateral->oblique, answer);
}

bool crd_bilateral_holds(const crd_bilateral *bilateral, const crd_contact_problem *problem, int contact) {
  int row = problem->contact[contact].row;
  return !(bilateral->W[at(problem->nrow, row, row)] > 0);
}
