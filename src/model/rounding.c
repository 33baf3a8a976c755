/* MuJoCo keeps an inertia as principal moments and axes, found by Jacobi's method: rotate in the plane of the largest
 * off-diagonal entry until that entry is below 1e-12 or the next rotation's cosine is above 1 - 1e-12, that is, its
 * angle below 1.4e-6 rad. What is left off the diagonal then is dropped, so its tensor differs from the one it was
 * given by up to about 1e-6. To agree with it to 1e-9, the same rotations are made here and the same rest is dropped.
 */
#include "model/rounding.h"

#include <stdbool.h>

#include <cradle/linalg.h>

#include "model/massprops.h"

enum { MOST_ROTATIONS = 500 };
static const double least_entry = 1e-12, least_cosine_gap = 1e-12;

/* One rotation of MuJoCo's sequence: D = R' A R becomes diagonal in the plane of its largest entry. False: D is final.
 */
static bool rotate_once(double R[9], double D[6], const double A[6]) {
  double transpose[9];
  crd_mat3_transpose(transpose, R);
  crd_sym3_rotate(D, transpose, A);
  double xy = fabs(D[3]), xz = fabs(D[4]), yz = fabs(D[5]);
  int p = xy > xz && xy > yz ? 0 : xz > yz ? 0 : 1;
  int q = xy > xz && xy > yz ? 1 : 2;
  double entry = D[p + q + 2];
  if (fabs(entry) < least_entry) return false;

  double tau = (D[q] - D[p]) / (2 * entry);
  double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + t * t);
  if (c > 1 - least_cosine_gap) return false;
  /* The angle is taken from the sine of its half, which has few digits where c is close to 1. */
  double half_sine = sqrt(0.5 - 0.5 * c), s = copysign(2 * half_sine * sqrt(1 - half_sine * half_sine), tau);
  c = 1 - 2 * half_sine * half_sine;
  for (int i = 0; i < 3; i++) {
    double u = R[3 * i + p], v = R[3 * i + q];
    R[3 * i + p] = c * u - s * v, R[3 * i + q] = s * u + c * v;
  }
  return true;
}

void crd_round_inertia(double A[6]) {
  double R[9], D[6];
  crd_mat3_identity(R);
  for (int i = 0; i < MOST_ROTATIONS && rotate_once(R, D, A); i++) continue;
  if (D[3] == 0 && D[4] == 0 && D[5] == 0) return;
  D[3] = D[4] = D[5] = 0;
  crd_sym3_rotate(A, R, D);
}
