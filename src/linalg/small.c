/* The 3x3 kernels that are too long to inline: quaternion of a matrix, rotation between directions, symmetric
 * eigenproblem. */
#include <cradle/linalg.h>

#include "base/angle.h"

enum { MOST_SWEEPS = 50 };                    /* of Jacobi rotations, which converge quadratically, in some five */
static const double NO_TURN = 1e-15;          /* sine of the angle between two unit vectors that are one */
static const double SQUARE_OVERFLOWS = 1e150; /* a number whose square is about to */

void crd_quat_from_mat3(double out[4], const double R[9]) {
  /* Shepperd's method: divide by the largest of the four components, so that nothing cancels. */
  double t[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8], R[8] - R[0] - R[4]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  double s = 0.5 * sqrt(1 + t[k]), f = 0.25 / s;
  switch (k) {
    case 0: out[0] = s, out[1] = f * (R[7] - R[5]), out[2] = f * (R[2] - R[6]), out[3] = f * (R[3] - R[1]); break;
    case 1: out[1] = s, out[0] = f * (R[7] - R[5]), out[2] = f * (R[1] + R[3]), out[3] = f * (R[2] + R[6]); break;
    case 2: out[2] = s, out[0] = f * (R[2] - R[6]), out[1] = f * (R[1] + R[3]), out[3] = f * (R[5] + R[7]); break;
    default: out[3] = s, out[0] = f * (R[3] - R[1]), out[1] = f * (R[2] + R[6]), out[2] = f * (R[5] + R[7]); break;
  }
  if (out[0] < 0)
    for (int i = 0; i < 4; i++) out[i] = -out[i];
  crd_quat_normalize(out);
}

void crd_quat_from_z_to(double out[4], const double axis[3]) {
  double a[3] = {axis[0], axis[1], axis[2]};
  crd_vec3_normalize(a);
  double sine = sqrt(a[0] * a[0] + a[1] * a[1]);
  if (sine < NO_TURN) {
    /* along +z: identity; along -z: half a turn about x */
    out[0] = a[2] > 0, out[1] = a[2] <= 0, out[2] = out[3] = 0;
    return;
  }
  double direction[3] = {-a[1] / sine, a[0] / sine, 0};
  crd_quat_from_axis_angle(out, direction, atan2(sine, a[2]));
}

void crd_quat_rotation_vector(double out[3], const double from[4], const double to[4]) {
  double a[4] = {from[0], -from[1], -from[2], -from[3]}, b[4] = {to[0], to[1], to[2], to[3]}, d[4];
  crd_quat_normalize(a);
  crd_quat_normalize(b);
  crd_quat_mul(d, a, b);
  double sine = crd_vec3_norm(d + 1), angle = 2 * atan2(sine, d[0]);
  if (d[0] < 0) angle -= CRD_TURN;
  crd_vec3_scale(out, sine > 0 ? angle / sine : 0, d + 1);
}

/* Annihilates S[p][q] by the smaller of the two rotations (Golub & Van Loan, 8.5), which V collects. */
static void annihilate(double S[3][3], double V[3][3], int p, int q) {
  double theta = (S[q][q] - S[p][p]) / (2 * S[p][q]);
  double t =
      fabs(theta) > SQUARE_OVERFLOWS ? 0.5 / theta : (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    double a = S[k][p], b = S[k][q];
    S[k][p] = c * a - s * b, S[k][q] = s * a + c * b;
  }
  for (int k = 0; k < 3; k++) {
    double a = S[p][k], b = S[q][k];
    S[p][k] = c * a - s * b, S[q][k] = s * a + c * b;
    a = V[k][p], b = V[k][q];
    V[k][p] = c * a - s * b, V[k][q] = s * a + c * b;
  }
  S[p][q] = S[q][p] = 0;
}

void crd_sym3_eigen(double values[3], double quat[4], const double A[6]) {
  double S[3][3] = {{A[0], A[3], A[4]}, {A[3], A[1], A[5]}, {A[4], A[5], A[2]}};
  double V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    if (fabs(S[0][1]) + fabs(S[0][2]) + fabs(S[1][2]) == 0) break;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++)
        if (S[p][q] != 0) annihilate(S, V, p, q);
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (S[order[j]][order[j]] < S[order[j + 1]][order[j + 1]]) {
        int swap = order[j];
        order[j] = order[j + 1], order[j + 1] = swap;
      }
  double R[9];
  for (int j = 0; j < 3; j++) {
    values[j] = S[order[j]][order[j]];
    for (int i = 0; i < 3; i++) R[3 * i + j] = V[i][order[j]];
  }
  double det =
      R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) + R[2] * (R[3] * R[7] - R[4] * R[6]);
  if (det < 0)
    for (int i = 0; i < 3; i++) R[3 * i + 2] = -R[3 * i + 2];
  crd_quat_from_mat3(quat, R);
}
