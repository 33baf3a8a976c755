/* linalg: inline kernels for 3-vectors, 3x3 matrices and quaternions; sparse matrices by blocks.
 *
 * Matrices are row-major. Quaternions are (w, x, y, z) and rotate a vector from the child frame into the parent frame.
 * An output may be the same array as an input. No function allocates; all may be called from any thread.
 */
#ifndef CRADLE_LINALG_H
#define CRADLE_LINALG_H

#include <cradle/base.h>
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x rounded to single precision. It goes through memory because gcc 12 at -O3 compiles (double)(float) of two
 * neighbours in an array as a copy and rounds neither. */
static inline double crd_round_to_float(double x) {
  volatile float rounded = (float)x;
  return rounded;
}

/* out = a */
static inline void crd_vec3_copy(double out[3], const double a[3]) { out[0] = a[0], out[1] = a[1], out[2] = a[2]; }

/* out = a + b */
static inline void crd_vec3_add(double out[3], const double a[3], const double b[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] + b[i];
}

/* out = a - b */
static inline void crd_vec3_sub(double out[3], const double a[3], const double b[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/* out = s a */
static inline void crd_vec3_scale(double out[3], double s, const double a[3]) {
  for (int i = 0; i < 3; i++) out[i] = s * a[i];
}

/* out += s a */
static inline void crd_vec3_axpy(double out[3], double s, const double a[3]) {
  for (int i = 0; i < 3; i++) out[i] += s * a[i];
}

/* a'b */
static inline double crd_vec3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* |a|, in the unit of a */
static inline double crd_vec3_norm(const double a[3]) { return sqrt(crd_vec3_dot(a, a)); }

/* out = a x b */
static inline void crd_vec3_cross(double out[3], const double a[3], const double b[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y, out[2] = z;
}

/* Scales a to length 1 and returns its former length; a vector of length 0 is left alone. */
static inline double crd_vec3_normalize(double a[3]) {
  double norm = crd_vec3_norm(a);
  if (norm > 0) crd_vec3_scale(a, 1 / norm, a);
  return norm;
}

/* out = 1 */
static inline void crd_mat3_identity(double out[9]) {
  for (int i = 0; i < 9; i++) out[i] = i % 4 == 0;
}

/* out = A b */
static inline void crd_mat3_mul_vec(double out[3], const double A[9], const double b[3]) {
  double x = A[0] * b[0] + A[1] * b[1] + A[2] * b[2];
  double y = A[3] * b[0] + A[4] * b[1] + A[5] * b[2];
  double z = A[6] * b[0] + A[7] * b[1] + A[8] * b[2];
  out[0] = x, out[1] = y, out[2] = z;
}

/* out = A' b */
static inline void crd_mat3_tmul_vec(double out[3], const double A[9], const double b[3]) {
  double x = A[0] * b[0] + A[3] * b[1] + A[6] * b[2];
  double y = A[1] * b[0] + A[4] * b[1] + A[7] * b[2];
  double z = A[2] * b[0] + A[5] * b[1] + A[8] * b[2];
  out[0] = x, out[1] = y, out[2] = z;
}

/* out = A B */
static inline void crd_mat3_mul(double out[9], const double A[9], const double B[9]) {
  double C[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  for (int i = 0; i < 9; i++) out[i] = C[i];
}

/* out = A' B */
static inline void crd_mat3_tmul(double out[9], const double A[9], const double B[9]) {
  double C[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
  for (int i = 0; i < 9; i++) out[i] = C[i];
}

/* out = A' */
static inline void crd_mat3_transpose(double out[9], const double A[9]) {
  double C[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
  for (int i = 0; i < 9; i++) out[i] = C[i];
}

/* out = a b (Hamilton product: first rotate by b, then by a) */
static inline void crd_quat_mul(double out[4], const double a[4], const double b[4]) {
  double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

/* out = the inverse rotation of a unit quaternion q */
static inline void crd_quat_conjugate(double out[4], const double q[4]) {
  out[0] = q[0], out[1] = -q[1], out[2] = -q[2], out[3] = -q[3];
}

/* Scales q to length 1 and returns its former length; a zero quaternion becomes the identity. */
static inline double crd_quat_normalize(double q[4]) {
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (norm > 0) {
    for (int i = 0; i < 4; i++) q[i] /= norm;
  } else {
    q[0] = 1, q[1] = q[2] = q[3] = 0;
  }
  return norm;
}

/* The rotation by angle (rad) about the unit vector axis. */
static inline void crd_quat_from_axis_angle(double out[4], const double axis[3], double angle) {
  double s = sin(0.5 * angle);
  out[0] = cos(0.5 * angle), out[1] = s * axis[0], out[2] = s * axis[1], out[3] = s * axis[2];
}

/* The rotation matrix of the unit quaternion q. */
static inline void crd_quat_to_mat3(double out[9], const double q[4]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  out[0] = w * w + x * x - y * y - z * z, out[1] = 2 * (x * y - w * z), out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z), out[4] = w * w - x * x + y * y - z * z, out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y), out[7] = 2 * (y * z + w * x), out[8] = w * w - x * x - y * y + z * z;
}

/* out = q a q^-1 for a unit quaternion q */
static inline void crd_quat_rotate(double out[3], const double q[4], const double a[3]) {
  double R[9];
  crd_quat_to_mat3(R, q);
  crd_mat3_mul_vec(out, R, a);
}

/* The unit quaternion of a rotation matrix, w >= 0, stable for every rotation. */
CRD_API void crd_quat_from_mat3(double out[4], const double R[9]);

/* The shortest rotation that carries e_z to the direction of axis (not zero). */
CRD_API void crd_quat_from_z_to(double out[4], const double axis[3]);

/* The rotation vector (axis times angle, at most half a turn) that carries the attitude `from` to `to`, in the axes of
 * `to`. The quaternions need not be of unit length. */
CRD_API void crd_quat_rotation_vector(double out[3], const double from[4], const double to[4]);

/* Eigenvalues (descending) of the symmetric matrix A = [xx yy zz xy xz yz] and, in quat, the rotation whose columns are
 * the eigenvectors: A = R diag(values) R'. Jacobi sweeps to machine precision. */
CRD_API void crd_sym3_eigen(double values[3], double quat[4], const double A[6]);

/* A square sparse matrix by blocks. Its rows and columns fall into ngroup groups; group g has the rows first_row[g] ..
 * first_row[g + 1] - 1. The blocks of block row g are k = first[g] .. first[g + 1] - 1, in ascending order of their
 * columns. The arrays belong to the caller. */
typedef struct crd_blocks {
  int ngroup;
  const int *first_row; /* ngroup + 1: first row of each group, then the number of rows */
  const int *first;     /* ngroup + 1: first block of each block row, then the number of blocks */
  const int *column;    /* first[ngroup]: group of the block's columns */
  const size_t *offset; /* first[ngroup]: where the block begins in `value` */
  const double *value;  /* the blocks, row-major */
} crd_blocks;

/* y += A x (first_row[ngroup] numbers each; x and y must not overlap). */
CRD_API void crd_blocks_multiply_add(const crd_blocks *A, const double *x, double *y);
/* dense (n x n) = the entries of A in the rows and columns row[0 .. n - 1]. */
CRD_API void crd_blocks_gather(const crd_blocks *A, const int *row, int n, double *dense);

#ifdef __cplusplus
}
#endif
#endif
