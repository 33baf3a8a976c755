/* Three-vectors in a four-lane register: the arithmetic of the hot recursions.
 *
 * A v4 holds (x, y, z, 0). GCC's and clang's vector extension maps it to one AVX register, two SSE or NEON registers,
 * or scalars, depending on the target. The fourth lane stays zero through every function here.
 */
#ifndef SRC_SPATIAL_V4_H
#define SRC_SPATIAL_V4_H

#define CRD_INLINE static inline __attribute__((always_inline))

typedef double v4 __attribute__((vector_size(32)));

CRD_INLINE v4 v4_load3(const double a[3]) { return (v4){a[0], a[1], a[2], 0}; }

CRD_INLINE void v4_store3(double out[3], v4 a) { out[0] = a[0], out[1] = a[1], out[2] = a[2]; }

CRD_INLINE double v4_sum(v4 a) { return a[0] + a[1] + a[2]; }

CRD_INLINE double v4_dot(v4 a, v4 b) { return v4_sum(a * b); }

/* (x, y, z) -> (y, z, x) */
CRD_INLINE v4 v4_cycle(v4 a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }

CRD_INLINE v4 v4_cross(v4 a, v4 b) { return v4_cycle(a * v4_cycle(b) - v4_cycle(a) * b); }

/* M x for a matrix given by its columns */
CRD_INLINE v4 v4_mul(const v4 M[3], v4 x) { return M[0] * x[0] + M[1] * x[1] + M[2] * x[2]; }

/* The transpose, by columns. */
CRD_INLINE void v4_transpose(v4 out[3], const v4 M[3]) {
  v4 xy_low = __builtin_shufflevector(M[0], M[1], 0, 4, 2, 6);  /* M00 M01 M20 M21 */
  v4 xy_high = __builtin_shufflevector(M[0], M[1], 1, 5, 3, 7); /* M10 M11  0   0  */
  v4 z = M[2];                                                  /* M02 M12 M22  0  */
  out[0] = __builtin_shufflevector(xy_low, z, 0, 1, 4, 7);
  out[1] = __builtin_shufflevector(xy_high, z, 0, 1, 5, 7);
  out[2] = __builtin_shufflevector(xy_low, z, 2, 3, 6, 7);
}

/* M' x */
CRD_INLINE v4 v4_tmul(const v4 M[3], v4 x) {
  v4 product[3] = {M[0] * x, M[1] * x, M[2] * x}, row[3];
  v4_transpose(row, product);
  return row[0] + row[1] + row[2];
}

/* Columns of the rotation matrix R (row-major). */
CRD_INLINE void v4_load_mat3(v4 out[3], const double R[9]) {
  for (int j = 0; j < 3; j++) out[j] = (v4){R[j], R[3 + j], R[6 + j], 0};
}

CRD_INLINE void v4_store_mat3(double R[9], const v4 M[3]) {
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) R[3 * i + j] = M[j][i];
}

#endif
