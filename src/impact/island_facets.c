/* The contact problem of an island as a mixed linear complementarity problem [Jain, eqs. 34-35], for steps in which the
 * modes are not known.
 *
 *   variables   bilateral p (free) | p_n | beta of each facet | gamma of each contact | y = p + bound, slack of dry
 *
 * as in src/contact/facets.h, but for one island and with facets that can turn. The first facet lies along the sliding
 * velocity of the last solve; while a contact slides elsewhere, its facets are turned and the problem is solved again.
 * A part of 1e-8 of the diagonal is added (1e-6 where rounding leaves no answer) and taken back by a second solve, for
 * the same reason as in island_linear.c.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"

static const double PI = 3.141592653589793, REGULAR[] = {1e-8, 1e-6};
enum { MOST_TURNS = 12 };

enum kind { BILATERAL, NORMAL, FACET, GAMMA, DRY, SLACK };

typedef struct variable {
  int kind, index; /* row, contact, contact, contact, dry, dry */
  int facet;
  double angle;
} variable;

static int facets_of(const crd_island_contact *c, int facets) { return c->ntangent == 2 ? facets : 2 * c->ntangent; }

static int count_variables(const crd_island *s, int facets) {
  int n = s->nb + 2 * s->ndry;
  for (int i = 0; i < s->ncontact; i++) {
    int k = facets_of(&s->contact[i], facets);
    n += 1 + k + (k > 0);
  }
  return n;
}

static int list_variables(const crd_island *s, int facets, variable *v) {
  int n = 0;
  for (int b = 0; b < s->nb; b++) v[n++] = (variable){BILATERAL, s->first_b + b, 0, 0};
  for (int i = 0; i < s->ncontact; i++) v[n++] = (variable){NORMAL, i, 0, 0};
  for (int i = 0; i < s->ncontact; i++) {
    int count = facets_of(&s->contact[i], facets);
    for (int k = 0; k < count; k++)
      v[n++] = (variable){FACET, i, k, s->contact[i].ntangent == 2 ? s->contact[i].turn + 2 * PI * k / count : PI * k};
  }
  for (int i = 0; i < s->ncontact; i++)
    if (s->contact[i].ntangent) v[n++] = (variable){GAMMA, i, 0, 0};
  for (int i = 0; i < s->ndry; i++) v[n++] = (variable){DRY, i, 0, 0};
  for (int i = 0; i < s->ndry; i++) v[n++] = (variable){SLACK, i, 0, 0};
  return n;
}

/* The rows of the island that an impulse acts on: at most two, with their shares. Returns their number. */
static int rows_of(const crd_island *s, const variable *v, int row[2], double share[2]) {
  share[0] = 1;
  switch (v->kind) {
    case BILATERAL: row[0] = v->index; return 1;
    case NORMAL: row[0] = s->contact[v->index].row; return 1;
    case DRY: row[0] = s->first_dry + v->index; return 1;
    case FACET:
      row[0] = s->contact[v->index].row + 1, row[1] = row[0] + 1;
      share[0] = cos(v->angle), share[1] = sin(v->angle);
      return s->contact[v->index].ntangent;
    default: return 0;
  }
}

static double coupling(const crd_island *s, const variable *a, const variable *b) {
  int ra[2], rb[2];
  double sa[2], sb[2], sum = 0;
  int na = rows_of(s, a, ra, sa), nb = rows_of(s, b, rb, sb);
  for (int i = 0; i < na; i++)
    for (int j = 0; j < nb; j++) sum += sa[i] * sb[j] * s->G[(size_t)s->n * (size_t)ra[i] + (size_t)rb[j]];
  if (a->index != b->index) return sum;
  if (a->kind == FACET && b->kind == GAMMA) sum += 1;
  if (a->kind == GAMMA && b->kind == FACET) sum -= 1;
  if (a->kind == GAMMA && b->kind == NORMAL) sum += s->contact[a->index].mu;
  if (a->kind == DRY && b->kind == SLACK) sum += 1;
  if (a->kind == SLACK && b->kind == DRY) sum -= 1;
  return sum;
}

static void set_problem(const crd_island *s, const crd_island_memory *m, const variable *v, int n) {
  for (int i = 0; i < n; i++) {
    int row[2];
    double share[2], w = 0;
    int count = rows_of(s, &v[i], row, share);
    for (int k = 0; k < count; k++) {
      double shifted = s->w[row[k]]; /* with all dry friction at its lower bound */
      for (int d = 0; d < s->ndry; d++)
        shifted -= s->G[(size_t)s->n * (size_t)row[k] + (size_t)(s->first_dry + d)] * s->dry[d].bound;
      w += share[k] * shifted;
    }
    m->w[i] = v[i].kind == SLACK ? 2 * s->dry[v[i].index].bound : w;
    for (int j = 0; j < n; j++) m->W[(size_t)n * (size_t)i + (size_t)j] = coupling(s, &v[i], &v[j]);
  }
}

/* Impulses from the variables. */
static void set_impulses(crd_island *s, const variable *v, int n, const double *z) {
  memset(s->p, 0, sizeof *s->p * (size_t)s->n);
  for (int i = 0; i < n; i++) {
    int row[2];
    double share[2];
    int count = rows_of(s, &v[i], row, share);
    for (int k = 0; k < count; k++) s->p[row[k]] += share[k] * z[i];
  }
  for (int d = 0; d < s->ndry; d++) s->p[s->first_dry + d] -= s->dry[d].bound;
  crd_island_velocity(s);
}

static crd_status solve_once(crd_island_memory *m, const crd_island *s, const variable *v, int n, double regular) {
  crd_lcp_problem problem = crd_lcp_dense(n, m->W, m->w);
  crd_lcp_options options = crd_lcp_options_default();
  double velocity = 0;
  for (int i = 0; i < n; i++) velocity = fmax(velocity, fabs(m->w[i]));
  /* rows that hold up to rounding hold: dependent bilateral rows would contradict each other by noise */
  for (int b = 0; b < s->nb; b++)
    if (fabs(m->w[b]) <= 1e-13 * velocity) m->w[b] = 0;
  problem.free_leading = s->nb;
  for (int i = 0; i < n; i++) {
    double *d = &m->W[(size_t)(n + 1) * (size_t)i];
    m->shift[i] = v[i].kind == NORMAL || v[i].kind == FACET ? regular * *d : 0;
    *d += m->shift[i];
  }
  crd_status status = crd_lcp_solve(m->lcp, &problem, &options, m->z, NULL);
  if (status != CRD_OK) return status;
  for (int i = 0; i < n; i++) m->w[i] -= m->shift[i] * m->z[i];
  options.warm = options.same_matrix = true;
  status = crd_lcp_solve(m->lcp, &problem, &options, m->z, NULL);
  return status == CRD_OK ? status : CRD_OK; /* the first answer stands where the second fails */
}

void crd_island_read_modes(crd_island *s) {
  double scale = 0;
  for (int i = 0; i < s->n; i++) scale = fmax(scale, fabs(s->w[i]));
  for (int i = 0; i < s->ncontact; i++) {
    crd_island_contact *c = &s->contact[i];
    double x = c->ntangent ? s->u[c->row + 1] : 0, y = c->ntangent == 2 ? s->u[c->row + 2] : 0, speed = hypot(x, y);
    double g = s->G[(size_t)(s->n + 1) * (size_t)c->row];
    c->mode = g * s->p[c->row] <= 1e-9 * scale ? CRD_MODE_NONE : speed > 1e-9 * scale ? CRD_MODE_SLIP : CRD_MODE_STICK;
    if (c->mode == CRD_MODE_SLIP) c->slide[0] = x / speed, c->slide[1] = y / speed;
  }
  for (int i = 0; i < s->ndry; i++) {
    double u = s->u[s->first_dry + i];
    s->dry[i].sign = fabs(u) <= 1e-9 * scale ? 0 : u > 0 ? 1 : -1;
  }
}

/* Turns the facets of sliding contacts into the sliding direction; returns the largest angle. */
static double turn_facets(crd_island *s, int facets) {
  double largest = 0, sector = 2 * PI / facets;
  for (int i = 0; i < s->ncontact; i++) {
    crd_island_contact *c = &s->contact[i];
    if (c->mode != CRD_MODE_SLIP || c->ntangent != 2) continue;
    double off = remainder(atan2(c->slide[1], c->slide[0]) - c->turn, sector);
    c->turn = remainder(c->turn + off, 2 * PI);
    largest = fmax(largest, fabs(off));
  }
  return largest;
}

static crd_status reserve(crd_island_memory *m, int n) {
  if (n <= m->lcp_rows) return CRD_OK;
  crd_arena fresh = {0};
  size_t size = (size_t)n + (size_t)n / 4;
  crd_lcp_work *lcp = crd_lcp_work_new((int)size, 0);
  double *W = crd_arena_alloc(&fresh, size * size, sizeof *W), *w = crd_arena_alloc(&fresh, size, sizeof *w);
  double *z = crd_arena_alloc(&fresh, size, sizeof *z), *shift = crd_arena_alloc(&fresh, size, sizeof *shift);
  variable *v = crd_arena_alloc(&fresh, size, sizeof *v);
  if (!lcp || !W || !w || !z || !shift || !v) {
    crd_lcp_work_free(lcp);
    crd_arena_free(&fresh);
    return CRD_ERR_MEMORY;
  }
  crd_lcp_work_free(m->lcp);
  crd_arena_free(&m->lcp_arena);
  m->lcp_arena = fresh, m->lcp_rows = (int)size, m->lcp = lcp;
  m->W = W, m->w = w, m->z = z, m->shift = shift, m->variable = v;
  return CRD_OK;
}

crd_status crd_island_by_facets(crd_island_memory *m, crd_island *s, int facets, long *solves) {
  int n = count_variables(s, facets);
  crd_status status = reserve(m, n);
  for (int turn = 0; status == CRD_OK && turn < MOST_TURNS; turn++) {
    list_variables(s, facets, m->variable);
    for (int k = 0; k < 2; k++) {
      set_problem(s, m, m->variable, n);
      ++*solves;
      status = solve_once(m, s, m->variable, n, REGULAR[k]);
      if (status <= CRD_OK) break;
    }
    if (status != CRD_OK) return status;
    set_impulses(s, m->variable, n, m->z);
    crd_island_read_modes(s);
    double off = turn_facets(s, facets);
    if (off <= 1e-9) return CRD_OK;
  }
  return status;
}
