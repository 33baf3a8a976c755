/* Contact problems stated with a mass matrix, reduced to the contacts body by body. */
#include "io/file/condense.h"

#include <string.h>

#include "base/forest.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

/* Lists of numbers by a key below count: item[start[k]] .. item[start[k + 1] - 1]. */
typedef struct buckets {
  size_t *start; /* count + 1 */
  size_t *item;
} buckets;

/* Items 0 .. n - 1 sorted by key[item], in their order within a bucket. */
static bool sort(crd_arena *arena, size_t n, const int *key, int count, buckets *list) {
  list->start = crd_arena_alloc(arena, (size_t)count + 2, sizeof(size_t));
  list->item = crd_arena_alloc(arena, n + 1, sizeof(size_t));
  if (!list->start || !list->item) return false;
  size_t *end = list->start + 1; /* end[k]: where the next item of bucket k goes */
  for (size_t i = 0; i < n; i++) end[key[i] + 1]++;
  for (int k = 1; k <= count; k++) end[k] += end[k - 1];
  for (size_t i = 0; i < n; i++) list->item[end[key[i]]++] = i;
  return true;
}

/* body[i] of each row, numbered from 0; returns their number. */
static int find_bodies(const crd_entries *M, int *body) {
  crd_forest_begin(body, M->rows);
  for (size_t e = 0; e < M->count; e++) crd_forest_join(body, M->row[e], M->col[e]);
  int count = 0;
  for (int i = 0; i < M->rows; i++) body[i] = crd_forest_root(body, i);
  /* a root is the least row of its body: it has its number before the others ask for it, and -1 - number is no row */
  for (int i = 0; i < M->rows; i++) body[i] = body[i] == i ? -1 - count++ : body[body[i]];
  for (int i = 0; i < M->rows; i++) body[i] = -1 - body[i];
  return count;
}

/* Everything sorted by body, and room for the largest. */
typedef struct condensing {
  int bodies;
  size_t largest;           /* rows of a body */
  int *body, *place;        /* n: of a row, and its place in the body */
  buckets rows, in_M, in_H; /* rows, entries of M and of H by body */
  double *A;                /* factors of a body's mass */
  int *pivot;               /* of LU */
  bool symmetric;           /* the factors are Cholesky's */
  double *X, *Y; /* columns of H that the body has and f, one a row, times factors: H_i' M^-1 H_j = X_i Y_j */
  int *column;   /* columns of H that the body has */
  int *seen;     /* m: place in `column`, plus 1; 0: not there */
} condensing;

static bool by_body(crd_arena *arena, const crd_entries *matrix, const int *body, int bodies, buckets *list) {
  int *key = crd_arena_alloc(arena, matrix->count + 1, sizeof(int));
  if (!key) return false;
  for (size_t e = 0; e < matrix->count; e++) key[e] = body[matrix->row[e]];
  return sort(arena, matrix->count, key, bodies, list);
}

static size_t largest(const buckets *list, int count) {
  size_t most = 0;
  for (int k = 0; k < count; k++)
    if (list->start[k + 1] - list->start[k] > most) most = list->start[k + 1] - list->start[k];
  return most;
}

static bool prepare(crd_arena *arena, const crd_entries *M, const crd_entries *H, condensing *c) {
  if (CRD_TAKE(arena, CRD_ARRAY(c->body, (size_t)M->rows + 1), CRD_ARRAY(c->place, (size_t)M->rows + 1),
               CRD_ARRAY(c->seen, (size_t)H->cols + 1), CRD_ARRAY(c->column, (size_t)H->cols + 1)))
    return false;
  c->bodies = find_bodies(M, c->body);
  if (!sort(arena, (size_t)M->rows, c->body, c->bodies, &c->rows) || !by_body(arena, M, c->body, c->bodies, &c->in_M) ||
      !by_body(arena, H, c->body, c->bodies, &c->in_H))
    return false;
  for (int k = 0; k < c->bodies; k++)
    for (size_t i = c->rows.start[k]; i < c->rows.start[k + 1]; i++)
      c->place[c->rows.item[i]] = (int)(i - c->rows.start[k]);
  const size_t size = c->largest = largest(&c->rows, c->bodies);
  if (size > CRD_CONDENSE_ROWS) return true;
  const size_t touching = largest(&c->in_H, c->bodies), all = (size_t)H->cols;
  const size_t columns = size * ((touching < all ? touching : all) + 1) + 1;
  return !CRD_TAKE(arena, CRD_ARRAY(c->A, size * size + 1), CRD_ARRAY(c->X, columns), CRD_ARRAY(c->Y, columns),
                   CRD_ARRAY(c->pivot, size + 1));
}

/* The factors of the body's mass matrix: Cholesky's where it is symmetric. Gyroscopic terms of an implicit step make it
 * unsymmetric. False: it is singular, or symmetric and not positive definite. */
static bool factor(const crd_entries *M, condensing *c, int k, int size) {
  memset(c->A, 0, (size_t)size * (size_t)size * sizeof(double));
  for (size_t i = c->in_M.start[k]; i < c->in_M.start[k + 1]; i++) {
    const size_t e = c->in_M.item[i];
    c->A[(size_t)c->place[M->row[e]] * (size_t)size + (size_t)c->place[M->col[e]]] += M->value[e];
  }
  c->symmetric = true;
  for (int i = 0; i < size && c->symmetric; i++)
    for (int j = 0; j < i; j++) c->symmetric &= c->A[i * size + j] == c->A[j * size + i];
  return c->symmetric ? crd_dense_cholesky(size, c->A) : crd_lu_factor_bare(size, c->A, c->pivot);
}

/* The body's columns of H as rows of c->X; returns their number. */
static int gather(const crd_entries *H, condensing *c, int k, int size) {
  int columns = 0;
  for (size_t i = c->in_H.start[k]; i < c->in_H.start[k + 1]; i++) {
    const size_t e = c->in_H.item[i];
    const int col = H->col[e];
    if (!c->seen[col]) {
      c->column[columns++] = col, c->seen[col] = columns;
      memset(c->X + (size_t)(columns - 1) * (size_t)size, 0, (size_t)size * sizeof(double));
    }
    c->X[(size_t)(c->seen[col] - 1) * (size_t)size + (size_t)c->place[H->row[e]]] += H->value[e];
  }
  for (int j = 0; j < columns; j++) c->seen[c->column[j]] = 0;
  return columns;
}

/* How many entries all bodies contribute to W. */
static size_t count_entries(const crd_entries *H, condensing *c) {
  size_t count = 0;
  for (int k = 0; k < c->bodies; k++) {
    size_t columns = 0;
    for (size_t i = c->in_H.start[k]; i < c->in_H.start[k + 1]; i++) {
      const int col = H->col[c->in_H.item[i]];
      if (c->seen[col] != k + 1) c->seen[col] = k + 1, columns++;
    }
    count += columns * columns;
  }
  memset(c->seen, 0, (size_t)H->cols * sizeof(int));
  return count;
}

/* X to L^-1 X with L L' = M, and Y the same, so that W is symmetric to the last bit; or Y = M^-1 X. */
static void apply_factors(condensing *c, int size, int count) {
  const size_t n = (size_t)size;
  for (int j = 0; j < count && c->symmetric; j++) {
    double *x = c->X + (size_t)j * n;
    for (size_t i = 0; i < n; i++) x[i] = (x[i] - crd_dense_dot((int)i, c->A + i * n, x)) / c->A[i * n + i];
  }
  memcpy(c->Y, c->X, (size_t)count * n * sizeof(double));
  if (!c->symmetric) crd_lu_solve(size, c->A, c->pivot, count, c->Y);
}

/* W += H' M^-1 H and q += H' M^-1 f of body k. */
static void add_body(condensing *c, int k, int size, int columns, const double *f, double *q, crd_entries *W) {
  const size_t n = (size_t)size;
  for (size_t i = 0; i < n; i++) c->X[(size_t)columns * n + i] = f[c->rows.item[c->rows.start[k] + i]];
  apply_factors(c, size, columns + 1);
  for (int i = 0; i < columns; i++) {
    const double *x = c->X + (size_t)i * n;
    q[c->column[i]] += crd_dense_dot(size, x, c->Y + (size_t)columns * n);
    for (int j = 0; j < columns; j++) {
      const size_t e = W->count++;
      W->row[e] = c->column[i], W->col[e] = c->column[j];
      W->value[e] = crd_dense_dot(size, x, c->Y + (size_t)j * n);
    }
  }
}

crd_status crd_condense(crd_arena *arena, const crd_entries *M, const crd_entries *H, const double *f, const double *b,
                        double *q, crd_entries *W, int *row) {
  crd_arena scratch = {0};
  condensing c = {0};
  crd_status status = !prepare(&scratch, M, H, &c)    ? CRD_ERR_MEMORY
                      : c.largest > CRD_CONDENSE_ROWS ? CRD_ERR_CAPACITY
                                                      : CRD_OK;
  const size_t count = status ? 0 : count_entries(H, &c);
  if (count > INT32_MAX) status = CRD_ERR_CAPACITY;
  if (!status && !crd_entries_alloc(arena, H->cols, H->cols, count, W)) status = CRD_ERR_MEMORY;
  W->count = 0;
  memcpy(q, b, (size_t)H->cols * sizeof(double));
  for (int k = 0; k < c.bodies && !status; k++) {
    const int size = (int)(c.rows.start[k + 1] - c.rows.start[k]);
    if (!factor(M, &c, k, size)) {
      *row = (int)c.rows.item[c.rows.start[k]];
      status = CRD_ERR_MODEL;
      break;
    }
    add_body(&c, k, size, gather(H, &c, k, size), f, q, W);
  }
  crd_arena_free(&scratch);
  return status;
}
