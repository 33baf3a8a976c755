#include "support/two_contacts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/text.h"
#include "io/hdf5/file.h"
#include "support/cmocka_all.h"

const double two_W[TWO_ROWS * TWO_ROWS] = {
    0.25,  0,     0,     0,      0,      -0.25, /**/
    0,     0.25,  0,     -0.25,  0,      0,     /**/
    0,     0,     0.25,  0,      -0.25,  0,     /**/
    0,     -0.25, 0,     0.3125, 0,      0,     /**/
    0,     0,     -0.25, 0,      0.3125, 0,     /**/
    -0.25, 0,     0,     0,      0,      0.3125,
};
const double two_q[TWO_ROWS] = {-0.75, 2, 0.5, -4, 0.5, 4}, two_mu[2] = {0.5, 0.25};
const double two_M[TWO_DOF * TWO_DOF] = {4, 0, 0, 0,  0, 0, 0, 4, 0, 0, 0,  0, 0, 0, 4, 0, 0, 0,
                                         0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 16};
const double two_H[TWO_DOF * TWO_ROWS] = {1, 0, 0, 0, 0, -1, 0, 1, 0, -1, 0, 0, 0, 0, 1, 0, -1, 0,
                                          0, 0, 0, 0, 0, 1,  0, 0, 0, 1,  0, 0, 0, 0, 0, 0, 1,  0};
const double two_f[TWO_DOF] = {-4, 8, 2, 48, -32, 16}, two_b[TWO_ROWS] = {0.25};

/* ------------------------------------------------------------------------------------------------ Siconos */

static void add_vector(crd_text *text, int n, const double *x) {
  for (int i = 0; i < n; i++) crd_text_add(text, "%.17g ", x[i]);
  crd_text_add(text, "\n");
}

/* Two block rows and columns of three; only blocks that are not zero. */
static void add_blocks(crd_text *text, const double *A) {
  int first[3] = {0}, column[4], count = 0;
  for (int r = 0; r < 2; r++) {
    for (int c = 0; c < 2; c++) {
      bool zero = true;
      for (int k = 0; k < 9; k++) zero &= A[6 * (3 * r + k % 3) + 3 * c + k / 3] == 0;
      if (!zero) column[count++] = c;
    }
    first[r + 1] = count;
  }
  crd_text_add(text, "%d\n2\n2\n3\t6\t\n3\t6\t\n3\n%d\n0\t%d\t%d\t\n", count, count, first[1], first[2]);
  for (int b = 0; b < count; b++) crd_text_add(text, "%d\t", column[b]);
  for (int b = 0; b < count; b++) {
    const int r = b >= first[1], c = column[b];
    crd_text_add(text, "\n%d", b);
    for (int k = 0; k < 9; k++) crd_text_add(text, "\n%.17g", A[6 * (3 * r + k % 3) + 3 * c + k / 3]);
  }
  crd_text_add(text, "\n");
}

static int count_nonzero(const double *A) {
  int count = 0;
  for (int k = 0; k < 36; k++) count += A[k] != 0;
  return count;
}

static void add_sparse(crd_text *text, two_storage storage, const double *A) {
  const int count = count_nonzero(A);
  const bool by_rows = storage == TWO_SPARSE_ROWS;
  int seen = 0;
  crd_text_add(text, "%d\nCSparse Version 3.1.9\n%s6-by-6, nzmax: 40 nnz: %d\n", storage - TWO_TRIPLETS + 1,
               storage == TWO_TRIPLETS ? "triplet: "
               : by_rows               ? "csr: "
                                       : "",
               count);
  for (int line = 0; line < 6; line++) {
    int length = 0;
    for (int k = 0; k < 6; k++) length += A[by_rows ? 6 * line + k : 6 * k + line] != 0;
    if (storage != TWO_TRIPLETS)
      crd_text_add(text, "    %s %d : locations %d to %d\n", by_rows ? "row" : "col", line, seen, seen + length - 1);
    seen += length;
    for (int k = 0; k < 6; k++) {
      const double value = A[by_rows ? 6 * line + k : 6 * k + line];
      if (value == 0) continue;
      if (storage == TWO_TRIPLETS) crd_text_add(text, "    %d %d : %.17g\n", k, line, value);
      if (storage != TWO_TRIPLETS) crd_text_add(text, "      %d : %.17g\n", k, value);
    }
  }
}

static void add_matrix(crd_text *text, two_storage storage, const double *A) {
  crd_text_add(text, "%d\n6\n6\n", storage > TWO_BLOCKS ? 2 : (int)storage);
  if (storage == TWO_WHOLE) {
    crd_text_add(text, "6\t6\n");
    for (int k = 0; k < 36; k++) crd_text_add(text, "%.17g%s", A[6 * (k % 6) + k / 6], k % 6 == 5 ? "\n" : " ");
  } else if (storage == TWO_BLOCKS) {
    add_blocks(text, A);
  } else {
    add_sparse(text, storage, A);
  }
}

char *two_siconos(two_storage storage, bool global) {
  crd_text text = {0};
  crd_text_add(&text, "3\n2\n");
  add_matrix(&text, storage, global ? two_M : two_W);
  if (global) {
    add_matrix(&text, storage, two_H);
    add_vector(&text, TWO_DOF, two_f), add_vector(&text, TWO_ROWS, two_b);
  } else {
    add_vector(&text, TWO_ROWS, two_q);
  }
  add_vector(&text, 2, two_mu);
  assert_false(text.failed);
  return text.data;
}

/* ------------------------------------------------------------------------------------------------ JSON */

static void add_list(crd_text *text, const char *name, int n, const double *x) {
  crd_text_add(text, "%s[", name);
  for (int i = 0; i < n; i++) crd_text_add(text, "%s%.17g", i ? ", " : "", x[i]);
  crd_text_add(text, "]");
}

static void add_rows(crd_text *text, const char *name, const double *A, bool lower) {
  crd_text_add(text, ", \"%s\": [", name);
  for (int i = 0; i < 6; i++) add_list(text, i ? ", " : "", lower ? i + 1 : 6, A + 6 * i);
  crd_text_add(text, "]");
}

static void add_json_blocks(crd_text *text) {
  crd_text_add(text, ", \"G\": {\"groups\": [3, 3], \"blocks\": [");
  for (int k = 0; k < 4; k++) {
    crd_text_add(text, "%s{\"row\": %d, \"column\": %d, \"value\": [", k ? ", " : "", k / 2, k % 2);
    for (int i = 0; i < 3; i++) add_list(text, i ? ", " : "", 3, two_W + 6 * (3 * (k / 2) + i) + 3 * (k % 2));
    crd_text_add(text, "]}");
  }
  crd_text_add(text, "]}");
}

static void add_island(crd_text *text) {
  crd_text_add(text,
               "{\"id\": \"two/1\", \"n\": 6, \"natural\": 0, \"bilateral\": {\"first\": 6, \"count\": 0}, "
               "\"dry\": [], \"contacts\": [{\"row\": 0, \"tangents\": 2, \"mu\": 0.5, \"mode\": 2}, "
               "{\"row\": 3, \"tangents\": 2, \"mu\": 0.25, \"mode\": 3}], \"guess\": [1, 0, 0, 2, 0, 0]");
  add_list(text, ", \"w\": ", 6, two_q);
  crd_text_add(text, ", \"G\": [");
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) crd_text_add(text, "%s%.17g", i ? ", " : "", two_W[6 * i + j]);
  crd_text_add(text, "]}");
}

char *two_json_text(two_json form) {
  double J[36], X[36]; /* J = H', X = J M^-1 */
  crd_text text = {0};
  for (int k = 0; k < 36; k++) J[k] = two_H[6 * (k % 6) + k / 6], X[k] = J[k] / two_M[7 * (k % 6)];
  if (form == TWO_ISLAND) {
    add_island(&text);
    return text.data;
  }
  crd_text_add(&text, "{\"cradle\": \"coulomb-problem/1\", \"contacts\": [{\"mu\": 0.5}, {\"mu\": 0.25}]");
  add_list(&text, ", \"w\": ", 6, two_q);
  if (form == TWO_ROWS_OF_G) add_rows(&text, "G", two_W, false);
  if (form == TWO_TRIANGLE) add_rows(&text, "G", two_W, true);
  if (form == TWO_JSON_BLOCKS) add_json_blocks(&text);
  if (form == TWO_J_AND_M || form == TWO_J_AND_X) add_rows(&text, "J", J, false);
  if (form == TWO_J_AND_M) add_rows(&text, "M", two_M, false);
  if (form == TWO_J_AND_X) add_rows(&text, "X", X, false);
  crd_text_add(&text, "}");
  assert_false(text.failed);
  return text.data;
}

/* ------------------------------------------------------------------------------------------------ fclib */

static void write_fclib_matrix(crd_h5 *file, const char *group, const char *name, const double *A, int nz) {
  const int count = count_nonzero(A);
  int32_t p[36] = {0}, index[36], size = 6, room = 36, kind = nz < 0 ? nz : count;
  double x[36];
  int seen = 0;
  for (int line = 0; line < 6; line++) {
    for (int k = 0; k < 6; k++) {
      const double value = A[nz == -2 ? 6 * line + k : 6 * k + line];
      if (value == 0) continue;
      index[seen] = k, x[seen] = value;
      if (nz >= 0) p[seen] = line; /* entries: p has the columns */
      seen++;
    }
    if (nz < 0) p[line + 1] = seen;
  }
  const struct {
    const char *key;
    crd_h5_kind kind;
    size_t size;
    const void *value;
  } part[] = {{"m", CRD_H5_INT32, 1, &size},
              {"n", CRD_H5_INT32, 1, &size},
              {"nz", CRD_H5_INT32, 1, &kind},
              {"nzmax", CRD_H5_INT32, 1, &room},
              {"p", CRD_H5_INT32, nz < 0 ? 7 : (size_t)count, p},
              {"i", CRD_H5_INT32, (size_t)count, index},
              {"x", CRD_H5_DOUBLE, (size_t)count, x}};
  for (int k = 0; k < 7; k++) {
    char place[64];
    snprintf(place, sizeof place, "/%s/%s/%s", group, name, part[k].key);
    crd_h5_write(file, place, part[k].kind, 1, &part[k].size, part[k].value);
  }
}

static void write_fclib_vector(crd_h5 *file, const char *group, const char *name, size_t n, const double *x) {
  char place[64];
  snprintf(place, sizeof place, "/%s/vectors/%s", group, name);
  crd_h5_write(file, place, CRD_H5_DOUBLE, 1, &n, x);
}

void two_fclib(const char *path, bool global, int nz) {
  const char *group = global ? "fclib_global" : "fclib_local";
  const int32_t dimension = 3;
  const size_t one = 1, rows = 6;
  const double guess[6] = {1, 0, 0, 2, 0, 0};
  crd_h5 *file;
  char place[64];
  assert_int_equal(crd_h5_create(path, &file, NULL), CRD_OK);
  snprintf(place, sizeof place, "/%s/spacedim", group);
  crd_h5_write(file, place, CRD_H5_INT32, 1, &one, &dimension);
  write_fclib_matrix(file, group, global ? "M" : "W", global ? two_M : two_W, nz);
  if (global) {
    write_fclib_matrix(file, group, "H", two_H, nz);
    write_fclib_vector(file, group, "f", 6, two_f), write_fclib_vector(file, group, "w", 6, two_b);
  } else {
    write_fclib_vector(file, group, "q", 6, two_q);
  }
  write_fclib_vector(file, group, "mu", 2, two_mu);
  crd_h5_write(file, "/guesses/1/r", CRD_H5_DOUBLE, 1, &rows, guess);
  assert_int_equal(crd_h5_commit(file, NULL), CRD_OK);
}

/* ------------------------------------------------------------------------------------------------ */

static void spread_blocks(const crd_coulomb_blocks *blocks, size_t n, double *G) {
  for (int g = 0; g < blocks->ngroup; g++)
    for (int b = blocks->first[g]; b < blocks->first[g + 1]; b++) {
      const int row = blocks->first_row[g], col = blocks->first_row[blocks->column[b]];
      const int height = blocks->first_row[g + 1] - row, width = blocks->first_row[blocks->column[b] + 1] - col;
      for (int k = 0; k < height * width; k++)
        G[(size_t)(row + k / width) * n + (size_t)(col + k % width)] = blocks->value[blocks->offset[b] + (size_t)k];
    }
}

double *two_matrix(const crd_coulomb_problem *problem) {
  const size_t n = (size_t)problem->n, nv = (size_t)problem->nv;
  double *G = calloc(n * n, sizeof *G);
  assert_non_null(G);
  if (problem->G) memcpy(G, problem->G, n * n * sizeof *G);
  if (problem->blocks) spread_blocks(problem->blocks, n, G);
  for (size_t k = 0; k < n * n && problem->J; k++)
    for (size_t j = 0; j < nv; j++) G[k] += problem->J[(k / n) * nv + j] * problem->X[(k % n) * nv + j];
  return G;
}
