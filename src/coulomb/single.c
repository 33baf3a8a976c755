/* An island of one contact, in closed form where its solution is unique.
 *
 * With the normal eliminated (sweep_local.h) a slip has (H + a) p_t = -e for some a >= 0, and the excess
 * mu p_n - |p_t| grows with a if, with M = (H + a)^-1 and q the direction of p_t,
 *
 *   q'M q + mu m'M q > 0,   which   mu |m| < 2 sqrt(det H) / trace H
 *
 * implies for a symmetric H: q'Mq / |Mq| is at least 2 sqrt(k) / (1 + k), k the condition of H [Kantorovich 1948]. Then
 * there is at most one slip, and none where the contact sticks. A contact that opens needs p_n > 0 to stay: excluded by
 * mu |m| < 1. So the answer does not depend on a guess, and is the nearest to every guess.
 */
#include "coulomb/sweep_local.h"

enum { ROWS = 3 };

/* The contact's own block in units of its compliance, the velocities that no impulse changes, and the scales. */
typedef struct single {
  int rows;
  double mu, own[ROWS * ROWS], v[ROWS], scale[ROWS];
} single;

static bool read_contact(const crd_coulomb_problem *problem, const crd_coulomb_contact *c, int *where, single *s) {
  crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS];
  int count = crd_coulomb_frictions(c, friction), row[ROWS] = {c->row, c->row + 1, c->row + 2};
  if (count > 1 || c->slides || (count == 1 && friction[0].turns)) return false;
  s->rows = 1 + (count > 0 ? friction[0].count : 0), s->mu = count > 0 ? friction[0].mu : 0;
  crd_coulomb_entries(problem, s->rows, row, where, (size_t)s->rows, s->own);
  double normal = s->own[0], tangent = 0;
  for (int t = 1; t < s->rows; t++) tangent += s->own[(s->rows + 1) * t] / (s->rows - 1);
  if (!(normal > 0) || (s->rows > 1 && !(tangent > CRD_ACCURACY.noise * normal)) ||
      (s->rows > 1 && !(normal > CRD_ACCURACY.noise * tangent)))
    return false;
  for (int i = 0; i < s->rows; i++) s->scale[i] = 1 / sqrt(i > 0 ? tangent : normal);
  for (int i = 0; i < s->rows; i++) {
    s->v[i] = s->scale[i] * (problem->w[c->row + i] - (i > 0 ? 0 : c->target));
    for (int j = 0; j < s->rows; j++) s->own[s->rows * i + j] *= s->scale[i] * s->scale[j];
  }
  s->mu *= s->rows > 1 ? s->scale[0] / s->scale[1] : 1;
  return true;
}

static bool is_unique(const single *s, const crd_sweep_local *local) {
  const double *H = local->H, m = sqrt(local->m[0] * local->m[0] + local->m[1] * local->m[1]);
  if (s->rows == 1) return true;
  if (!local->regular) return false;
  for (int t = 1; t < s->rows; t++)
    if (fabs(s->own[t] - s->own[s->rows * t]) > CRD_ACCURACY.symmetric) return false;
  if (s->rows == 2) return s->mu * m < 1;
  double round = 2 * sqrt(H[0] * H[3] - H[1] * H[2]) / (H[0] + H[3]);
  return fabs(H[1] - H[2]) <= CRD_ACCURACY.symmetric && s->mu * m < round;
}

bool crd_coulomb_single(const crd_coulomb_problem *problem, const crd_coulomb_contact *c, int *where, double *p) {
  single s;
  double x[ROWS] = {0, 0, 0};
  if (!read_contact(problem, c, where, &s)) return false;
  crd_sweep_local local = crd_sweep_local_of(s.rows, s.rows - 1, s.mu, s.own);
  if (!is_unique(&s, &local)) return false;
  if (s.rows == 1)
    x[0] = crd_sweep_normal(&local, s.v[0]);
  else if (s.rows == 2)
    crd_sweep_planar(&local, s.v, x);
  else
    crd_sweep_spatial(&local, s.v, x);
  for (int i = 0; i < crd_coulomb_contact_rows(c); i++) p[c->row + i] = i < s.rows ? s.scale[i] * x[i] : 0;
  return true;
}
