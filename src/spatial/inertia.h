/* Symmetric 6x6 operators of the tree recursions: articulated inertias (motion -> force) and compliances (force ->
 * motion).
 *
 * Spatial vectors are pairs (angular, linear) in world axes about a stated origin. An operator is kept by the columns
 * of three 3x3 blocks; the fourth follows from symmetry:
 *
 *     [ A  G' ]      A, C symmetric.
 *     [ G  C  ]
 */
#ifndef SRC_SPATIAL_INERTIA_H
#define SRC_SPATIAL_INERTIA_H

#include "spatial/v4.h"

/* A spatial vector: motion (angular velocity, linear velocity) or force (moment, force). */
typedef struct crd_sv {
  v4 w, v;
} crd_sv;

typedef struct crd_sym6 {
  v4 A[3], G[3], C[3];
} crd_sym6;

/* A 6x6 matrix by its columns. */
typedef struct crd_block6 {
  crd_sv col[6];
} crd_block6;

CRD_INLINE crd_sv sv_add(crd_sv a, crd_sv b) { return (crd_sv){a.w + b.w, a.v + b.v}; }

CRD_INLINE crd_sv sv_scale(double s, crd_sv a) { return (crd_sv){s * a.w, s * a.v}; }

CRD_INLINE double sv_dot(crd_sv a, crd_sv b) { return v4_sum(a.w * b.w + a.v * b.v); }

/* A motion measured at the point r away from where it is known. */
CRD_INLINE crd_sv sv_shift_motion(crd_sv m, v4 r) { return (crd_sv){m.w, m.v + v4_cross(m.w, r)}; }

/* The force f acting at r, as seen at the origin. */
CRD_INLINE crd_sv sv_shift_force(crd_sv f, v4 r) { return (crd_sv){f.w + v4_cross(r, f.v), f.v}; }

CRD_INLINE crd_sv sym6_mul(const crd_sym6 *Y, crd_sv x) {
  return (crd_sv){v4_mul(Y->A, x.w) + v4_tmul(Y->G, x.v), v4_mul(Y->G, x.w) + v4_mul(Y->C, x.v)};
}

/* Y -= a a' d, given b = d a */
CRD_INLINE void sym6_downdate(crd_sym6 *Y, crd_sv a, crd_sv b) {
  for (int j = 0; j < 3; j++) {
    Y->A[j] -= b.w[j] * a.w;
    Y->G[j] -= b.w[j] * a.v;
    Y->C[j] -= b.v[j] * a.v;
  }
}

/* The inertia of a rigid body about its link's origin from its world inertia A there, mass, and mass times offset of
 * the centre of mass: G = -m c~, C = m 1. */
CRD_INLINE void sym6_rigid(crd_sym6 *Y, double mass, v4 mc) {
  Y->G[0] = (v4){0, -mc[2], mc[1], 0};
  Y->G[1] = (v4){mc[2], 0, -mc[0], 0};
  Y->G[2] = (v4){-mc[1], mc[0], 0, 0};
  Y->C[0] = (v4){mass, 0, 0, 0};
  Y->C[1] = (v4){0, mass, 0, 0};
  Y->C[2] = (v4){0, 0, mass, 0};
}

/* Columns of C r~, where r~ x = r x x. */
CRD_INLINE void times_cross_matrix(v4 out[3], const v4 C[3], v4 r) {
  out[0] = C[1] * r[2] - C[2] * r[1];
  out[1] = C[2] * r[0] - C[0] * r[2];
  out[2] = C[0] * r[1] - C[1] * r[0];
}

/* parent += phi I phi': the inertia I of a child whose origin is at r, seen at the parent's origin.
 * G' = G - C r~,  A' = A + K + K',  K = r~ (G + G')/2. */
CRD_INLINE void sym6_add_shifted_inertia(crd_sym6 *parent, const crd_sym6 *I, v4 r) {
  v4 Cr[3], K[3], Kt[3];
  times_cross_matrix(Cr, I->C, r);
  for (int j = 0; j < 3; j++) {
    v4 G = I->G[j] - Cr[j];
    K[j] = v4_cross(r, 0.5 * (I->G[j] + G));
    parent->G[j] += G;
    parent->C[j] += I->C[j];
  }
  v4_transpose(Kt, K);
  for (int j = 0; j < 3; j++) parent->A[j] += I->A[j] + (K[j] + Kt[j]);
}

/* out = phi' Y phi: the compliance Y of a body, seen at the point r of the same body.
 * v' = v - r~ w:  G' = G - r~ A,  C' = C - L - L',  L = r~ (G' + G)'/2. */
CRD_INLINE void sym6_shift_compliance(crd_sym6 *out, const crd_sym6 *Y, v4 r) {
  v4 mean[3], meant[3], Lt[3], L[3];
  for (int j = 0; j < 3; j++) {
    v4 G = Y->G[j] - v4_cross(r, Y->A[j]);
    mean[j] = 0.5 * (G + Y->G[j]);
    out->G[j] = G;
    out->A[j] = Y->A[j];
  }
  v4_transpose(meant, mean);
  for (int j = 0; j < 3; j++) L[j] = v4_cross(r, meant[j]);
  v4_transpose(Lt, L);
  for (int j = 0; j < 3; j++) out->C[j] = Y->C[j] - (L[j] + Lt[j]);
}

#endif
