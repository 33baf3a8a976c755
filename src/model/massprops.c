/* Rigid pieces: I' = R I R' in turned axes, I_o = I_c + m (|d|^2 1 - d d') about a point at distance d from the centre
 * of mass (parallel axis theorem), and their sum. */
#include "model/massprops.h"

void crd_sym3_rotate(double out[6], const double R[9], const double A[6]) {
  double S[9] = {A[0], A[3], A[4], A[3], A[1], A[5], A[4], A[5], A[2]}, RS[9], T[9];
  crd_mat3_mul(RS, R, S);
  crd_mat3_transpose(T, R);
  crd_mat3_mul(S, RS, T);
  out[0] = S[0], out[1] = S[4], out[2] = S[8];
  out[3] = 0.5 * (S[1] + S[3]), out[4] = 0.5 * (S[2] + S[6]), out[5] = 0.5 * (S[5] + S[7]);
}

void crd_sym3_point_mass(double out[6], double mass, const double d[3]) {
  double x = d[0], y = d[1], z = d[2];
  out[0] = mass * (y * y + z * z), out[1] = mass * (x * x + z * z), out[2] = mass * (x * x + y * y);
  out[3] = -mass * x * y, out[4] = -mass * x * z, out[5] = -mass * y * z;
}

crd_massprops crd_massprops_place(const crd_massprops *piece, const double R[9], const double p[3]) {
  crd_massprops placed = {.mass = piece->mass};
  crd_mat3_mul_vec(placed.com, R, piece->com);
  crd_vec3_add(placed.com, placed.com, p);
  crd_sym3_rotate(placed.inertia, R, piece->inertia);
  return placed;
}

void crd_massprops_add(crd_massprops *sum, const crd_massprops *piece) {
  if (piece->mass == 0) {
    for (int i = 0; i < 6; i++) sum->inertia[i] += piece->inertia[i];
    return;
  }
  /* Two masses a distance d apart add the inertia of their reduced mass at d. */
  double mass = sum->mass + piece->mass, d[3], steiner[6];
  crd_vec3_sub(d, piece->com, sum->com);
  crd_sym3_point_mass(steiner, sum->mass * (piece->mass / mass), d);
  for (int i = 0; i < 6; i++) sum->inertia[i] += piece->inertia[i] + steiner[i];
  crd_vec3_axpy(sum->com, piece->mass / mass, d);
  sum->mass = mass;
}

void crd_massprops_about_origin(double inertia[6], const crd_massprops *piece) {
  crd_sym3_point_mass(inertia, piece->mass, piece->com);
  for (int i = 0; i < 6; i++) inertia[i] += piece->inertia[i];
}
