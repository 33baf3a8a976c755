/* The impact of [Aghili, Nonsmooth Mechanics Based on Linear Projection Operator] as the paper writes it, in joint
 * space: P = I - A^+ A, M_c = P M P + nu (I - P), S = I - M_c^-1 P M, Etilde = A^+ E A and
 *
 *   qd+ = qd - S (Etilde + I) qd + M_c^-1 P i_u      (27), (49)
 *   i_lambda = A^+' (M (qd+ - qd) - i_u)             after (30)
 *
 * Shares with the library's law the singular value decomposition and nothing else. */
#ifndef TESTS_PROJECTION_ORACLE_H
#define TESTS_PROJECTION_ORACLE_H

#include <cradle/contact.h>

enum { ORACLE_MAX = 16 };

typedef struct projection_oracle {
  int rank;
  double P[ORACLE_MAX * ORACLE_MAX], S[ORACLE_MAX * ORACLE_MAX]; /* nv x nv */
  double v_plus[ORACLE_MAX];
  double p[3 * ORACLE_MAX]; /* in the order of J's rows; zero on tangents */
} projection_oracle;

/* E: nc x nc. All contacts take part. nv, nc + nb <= ORACLE_MAX. */
void projection_oracle_resolve(projection_oracle *oracle, const crd_contact_problem *problem, const double *E);

#endif
