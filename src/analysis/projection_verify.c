/* Properties 1-3 of [A] as the errata correct them, evaluated on the operators: no solver marks its own homework. */
#include <cradle/analysis.h>
#include <math.h>

#include "analysis/matrix.h"
#include "base/layout.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

typedef struct checker {
  int n;
  crd_arena *arena;
  double worst;
  bool memory;
} checker;

static double *product(checker *c, const double *A, const double *B) {
  double *C = A && B ? crd_matrix(c->arena, c->n, c->n) : NULL;
  if (C)
    crd_dense_multiply(c->n, c->n, c->n, A, B, C);
  else
    c->memory = false;
  return C;
}

static double *product_t(checker *c, const double *A, const double *B) {
  double *C = A && B ? crd_matrix(c->arena, c->n, c->n) : NULL;
  if (C)
    crd_dense_multiply_tn(c->n, c->n, c->n, A, B, C);
  else
    c->memory = false;
  return C;
}

/* |A - B| relative to |A| + |B| + size. */
static void same(checker *c, const double *A, const double *B, double size) {
  if (!A || !B) return;
  double difference = 0;
  for (int i = 0; i < c->n * c->n; i++) difference = fmax(difference, fabs(A[i] - B[i]));
  double scale = crd_dense_frobenius(c->n, c->n, A) + crd_dense_frobenius(c->n, c->n, B) + size;
  if (scale > 0) c->worst = fmax(c->worst, difference / scale);
}

static void nonnegative(checker *c, const double *A, double size) {
  double least;
  if (!A) return;
  crd_dense_symmetric_range(c->n, A, &least, NULL, c->arena);
  if (c->n > 0 && size > 0) c->worst = fmax(c->worst, fmax(0, -least / size));
}

crd_status crd_analysis_projection_verify(const crd_projection *p, double *violation, crd_arena *arena) {
  int n = p->nv;
  checker c = {.n = n, .arena = arena, .memory = true};
  crd_constraint_inertia inertia;
  crd_status status =
      crd_analysis_projection_inertia(&inertia, p, isnan(p->nu_min) ? 1 : sqrt(p->nu_min * p->nu_max), arena);
  if (status != CRD_OK) return status;
  double *zero, *identity, *rest;
  if (CRD_TAKE(arena, CRD_MATRIX(zero, n, n), CRD_MATRIX(identity, n, n), CRD_MATRIX(rest, n, n)))
    return CRD_ERR_MEMORY;
  crd_dense_identity(n, identity);
  double size_S = crd_dense_frobenius(n, n, p->S), size_M = crd_dense_frobenius(n, n, p->M);
  double *MS = product(&c, p->M, p->S), *McP = product(&c, inertia.Mc, p->P), *MP = product(&c, p->M, p->P);
  same(&c, product(&c, p->P, p->P), p->P, 1);
  same(&c, product(&c, p->P, inertia.Mc), McP, size_M); /* (9b) */
  same(&c, McP, product(&c, p->P, MP), size_M);         /* */
  same(&c, product(&c, p->S, p->S), p->S, 1);
  same(&c, product(&c, p->S, p->P), zero, 1 + size_S);          /* (11a), (11b) */
  same(&c, inertia.S, p->S, 1);                                 /* the two routes to S */
  same(&c, product(&c, p->R, p->R), identity, size_S * size_S); /* (28b) */
  same(&c, MS, product_t(&c, p->S, p->M), size_M);              /* (11d) */
  same(&c, MS, p->inertia, size_M);
  double *PS = product(&c, p->P, p->S), *MoM = product(&c, p->Mo_plus, p->M);
  if (!c.memory) return CRD_ERR_MEMORY;
  for (int i = 0; i < n * n; i++) rest[i] = p->S[i] - PS[i] + p->P[i];
  same(&c, rest, identity, 1 + size_S); /* (11c) */
  for (int i = 0; i < n * n; i++) rest[i] = MoM[i] + p->S[i];
  same(&c, rest, identity, 1 + size_S); /* (10), (11e) */
  nonnegative(&c, p->inertia, size_M);  /* (33a) */
  for (int i = 0; i < n * n; i++) rest[i] = p->M[i] - p->inertia[i];
  nonnegative(&c, rest, size_M); /* (33b) */
  *violation = c.worst;
  return CRD_OK;
}
