/* One friction problem with two contacts, written in every format that is read.
 *
 * Particle 1 (4 kg) touches the floor with axes e1, e2, e3 (normal first), particle 2 (16 kg) touches particle 1 with
 * axes e2, e3, e1. With M = diag(4, 4, 4, 16, 16, 16) and free velocities (-1, 2, 0.5), (3, -2, 1) all numbers are
 * exact:
 *
 *   W = [ I/4   -A/4  ]     A = [0 0 1; 1 0 0; 0 1 0],   axis j of the second contact in the frame of the first
 *       [ -A'/4  5I/16 ]
 *   q = (-1 + 1/4, 2, 0.5, -4, 0.5, 4)          1/4 is added to the first row as the constant b
 */
#ifndef TESTS_TWO_CONTACTS_H
#define TESTS_TWO_CONTACTS_H

#include <cradle/io.h>

enum { TWO_ROWS = 6, TWO_DOF = 6 };
extern const double two_W[TWO_ROWS * TWO_ROWS], two_q[TWO_ROWS], two_mu[2];
extern const double two_M[TWO_DOF * TWO_DOF], two_H[TWO_DOF * TWO_ROWS], two_f[TWO_DOF], two_b[TWO_ROWS];

typedef enum two_storage {
  TWO_WHOLE,
  TWO_BLOCKS,
  TWO_TRIPLETS,
  TWO_COLUMNS,
  TWO_SPARSE_ROWS,
  TWO_STORAGES
} two_storage;

/* Plain text of Siconos, local or global; the caller frees it. */
char *two_siconos(two_storage storage, bool global);

typedef enum two_json {
  TWO_ROWS_OF_G,
  TWO_TRIANGLE,
  TWO_JSON_BLOCKS,
  TWO_J_AND_M,
  TWO_J_AND_X,
  TWO_ISLAND,
  TWO_JSONS
} two_json;
/* JSON, or a recorded island; the caller frees it. */
char *two_json_text(two_json form);

/* An HDF5 file of fclib: local or global (then M and H). nz of its matrices: -1 columns, -2 rows, 0 triplets. */
void two_fclib(const char *path, bool global, int nz);

/* G of a problem in any of its forms, n x n; the caller frees it. */
double *two_matrix(const crd_coulomb_problem *problem);

#endif
