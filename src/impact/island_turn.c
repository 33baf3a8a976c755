/* The directions of sliding of an island whose modes are known.
 *
 * With the angles theta of the directions d the equations of island_modes.c are linear, A(theta) x = b, and give u.
 * Wanted are angles with u_t = |u_t| d, F(theta) = angle(u_t) - theta = 0. Taking over the angles of u_t is cheap and
 * converges where friction hardly changes the direction; where it does not, Newton's method takes its place:
 *
 *   A dx_j = mu_j p_nj G_(rows, t_j) d_j',     dF_i / dtheta_j = d_i' . du_ti / |u_ti| - delta_ij      (d' : d turned
 * by 90 degrees)
 *
 * with the factor of A at hand: one solve a sliding contact.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"

static const double FARTHEST = 0.5, ROUND = 1.5; /* rad: of one turn; what is no turn */

static bool slides(const crd_island_contact *c) { return c->mode == CRD_MODE_SLIP && c->ntangent == 2; }

/* Angle from the direction to the velocity; NaN where there is no velocity to speak of, or where it turns round within
 * the step: such contacts change their mode. */
static double angle_off(const crd_island *s, const crd_island_contact *c, double slow) {
  double x = s->u[c->row + 1], y = s->u[c->row + 2];
  if (!(hypot(x, y) > slow)) return NAN;
  double angle = atan2(c->slide[0] * y - c->slide[1] * x, c->slide[0] * x + c->slide[1] * y);
  return fabs(angle) > ROUND ? NAN : angle;
}

static void turn(crd_island_contact *c, double angle) {
  double x = c->slide[0], y = c->slide[1], a = cos(angle), b = sin(angle);
  c->slide[0] = a * x - b * y, c->slide[1] = b * x + a * y;
}

/* The contacts that slide and have a direction, into list; their angles into off. Returns their number. */
static int list_sliding(const crd_island *s, double slow, int *list, double *off, double *largest) {
  int count = 0;
  *largest = 0;
  for (int i = 0; i < s->ncontact; i++) {
    if (!slides(&s->contact[i])) continue;
    double angle = angle_off(s, &s->contact[i], slow);
    if (isnan(angle)) continue;
    list[count] = i, off[count++] = angle;
    *largest = fmax(*largest, fabs(angle));
  }
  return count;
}

double crd_island_directions_off(const crd_island *s, double slow) {
  double largest = 0;
  for (int i = 0; i < s->ncontact; i++) {
    double angle = slides(&s->contact[i]) ? angle_off(s, &s->contact[i], slow) : 0;
    if (!isnan(angle)) largest = fmax(largest, fabs(angle));
  }
  return largest;
}

void crd_island_follow_directions(crd_island *s, double slow) {
  for (int i = 0; i < s->ncontact; i++) {
    crd_island_contact *c = &s->contact[i];
    if (!slides(c) || isnan(angle_off(s, c, slow))) continue;
    double x = s->u[c->row + 1], y = s->u[c->row + 2], speed = hypot(x, y);
    c->slide[0] = x / speed, c->slide[1] = y / speed;
  }
}

/* Change of all impulses with the angle of contact c, into dp: n equations with the factor of A in m. */
static void impulse_rate(const crd_island_memory *m, const crd_island *s, int n, const crd_island_contact *c,
                         double *dp) {
  double force = c->mu * s->p[c->row], *x = m->r;
  for (int i = 0; i < n; i++) {
    const double *g = s->G + (size_t)s->n * (size_t)m->from[i] + c->row;
    x[i] = force * (g[2] * c->slide[0] - g[1] * c->slide[1]);
  }
  crd_island_solve(m, n, x);
  memset(dp, 0, sizeof *dp * (size_t)s->n);
  for (int i = 0; i < n; i++) dp[m->from[i]] = x[i];
  for (int i = 0; i < s->ncontact; i++) {
    const crd_island_contact *k = &s->contact[i];
    for (int t = 0; k->mode == CRD_MODE_SLIP && t < k->ntangent; t++)
      dp[k->row + 1 + t] = -k->mu * dp[k->row] * k->slide[t];
  }
  dp[c->row + 1] += force * c->slide[1], dp[c->row + 2] -= force * c->slide[0];
}

bool crd_island_turn_directions(crd_island_memory *m, crd_island *s, int n, double slow) {
  double largest, *off = m->off;
  int *list = m->sliding, count = list_sliding(s, slow, list, off, &largest);
  for (int j = 0; j < count; j++) {
    impulse_rate(m, s, n, &s->contact[list[j]], m->keep);
    for (int i = 0; i < count; i++) {
      const crd_island_contact *c = &s->contact[list[i]];
      const double *g = s->G + (size_t)s->n * (size_t)(c->row + 1), *u = s->u + c->row + 1;
      double du[2] = {0, 0}, speed = hypot(u[0], u[1]);
      for (int k = 0; k < s->n; k++) du[0] += g[k] * m->keep[k], du[1] += g[s->n + k] * m->keep[k];
      m->B[(size_t)count * (size_t)i + (size_t)j] = (u[0] * du[1] - u[1] * du[0]) / (speed * speed) - (i == j);
    }
  }
  memcpy(m->A, m->B, sizeof *m->A * (size_t)count * (size_t)count);
  for (int i = 0; i < count; i++) off[i] = -off[i];
  if (!crd_island_factor_bare(m, count)) return false;
  crd_island_solve(m, count, off);
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(off[i]));
  if (!(most < INFINITY)) return false;
  for (int i = 0; i < count; i++) turn(&s->contact[list[i]], off[i] * fmin(1, FARTHEST / fmax(most, 1e-300)));
  return true;
}
