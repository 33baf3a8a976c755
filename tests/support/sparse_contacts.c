#include "support/sparse_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREEDOMS = 6 };

typedef struct generator {
  unsigned long long state;
} generator;

static double uniform(generator *g) { /* 0 .. 1 */
  g->state = g->state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(g->state >> 11) * 0x1p-53;
}

static double between(generator *g, double low, double high) { return low + (high - low) * uniform(g); }

/* Cuts the dense G into blocks; group k has rows first_row[k] .. first_row[k + 1] - 1. */
static void cut(sparse_contacts *s, int ngroup, const int *first_row, const double *G) {
  int n = first_row[ngroup];
  size_t entries = (size_t)n * (size_t)n;
  int *first = crd_arena_alloc(&s->arena, (size_t)ngroup + 1, sizeof *first);
  int *column = crd_arena_alloc(&s->arena, (size_t)ngroup * (size_t)ngroup, sizeof *column);
  size_t *offset = crd_arena_alloc(&s->arena, (size_t)ngroup * (size_t)ngroup, sizeof *offset), used = 0;
  double *value = crd_arena_alloc(&s->arena, entries, sizeof *value);
  for (int g = 0, blocks = 0; g < ngroup; g++) {
    for (int h = 0; h < ngroup; h++) {
      size_t start = used;
      bool zero = g != h;
      for (int i = first_row[g]; i < first_row[g + 1]; i++)
        for (int j = first_row[h]; j < first_row[h + 1]; j++) {
          value[used] = G[(size_t)n * (size_t)i + (size_t)j];
          zero &= value[used++] == 0;
        }
      if (zero)
        used = start;
      else
        column[blocks] = h, offset[blocks++] = start;
    }
    first[g + 1] = blocks;
  }
  s->blocks = (crd_coulomb_blocks){ngroup, first_row, first, column, offset, value};
  s->problem.blocks = &s->blocks, s->value = value;
}

static void list_all(sparse_contacts *s, int count) {
  s->list = crd_arena_alloc(&s->arena, (size_t)count + 1, sizeof *s->list);
  for (int i = 0; i < count; i++) s->list[i] = i;
}

/* ------------------------------------------------------------------------------------------------ solutions */

static void direction(generator *g, int count, double *d) {
  double angle = between(g, 0, 6.283185307179586);
  d[0] = count == 2 ? cos(angle) : angle > 3 ? 1 : -1;
  if (count == 2) d[1] = sin(angle);
}

/* A friction of a closed contact: sticks (inside the cone, or at its limit, with a force no larger than the normal
 * one), or slips. */
static void draw_friction(generator *g, int count, double mu, bool slips, double pn, double *p, double *u) {
  double d[2] = {0, 0}, share = uniform(g) < 0.33 ? 1 : 0.9 * uniform(g), speed = between(g, 0.1, 1);
  if (count == 0) return;
  direction(g, count, d);
  for (int t = 0; t < count; t++) {
    p[t] = -(slips ? mu : share * fmin(mu, 1)) * pn * d[t];
    u[t] = slips || mu == 0 ? speed * d[t] : 0;
  }
}

static void draw_contact(generator *g, const sparse_recipe *r, crd_coulomb_contact *c, double *p, double *u) {
  double *pc = p + c->row, *uc = u + c->row, pick = uniform(g);
  bool slips = pick < r->open + r->slip;
  c->slides = r->slides && slips && c->ntangent > 0;
  if (c->slides) direction(g, c->ntangent, c->slide);
  if (pick < r->open) {
    uc[0] = between(g, 0.05, 1);
    for (int i = 1; i < 1 + c->ntangent + c->nspin + c->nroll; i++) uc[i] = between(g, -1, 1);
  } else {
    pc[0] = between(g, 0.1, 1);
    draw_friction(g, c->ntangent, c->mu, slips, pc[0], pc + 1, uc + 1);
    for (int t = 0; c->slides && t < c->ntangent; t++) pc[1 + t] = -c->mu * pc[0] * c->slide[t];
    draw_friction(g, c->nspin, c->mu_spin, slips, pc[0], pc + 1 + c->ntangent, uc + 1 + c->ntangent);
    draw_friction(g, c->nroll, c->mu_roll, uniform(g) < 0.5, pc[0], pc + 1 + c->ntangent + c->nspin,
                  uc + 1 + c->ntangent + c->nspin);
  }
  c->target = between(g, -0.2, 0.2);
  uc[0] += c->target;
}

static void draw_bounded(generator *g, crd_coulomb_bounded *b, double *p, double *u) {
  double pick = uniform(g);
  b->lower = -between(g, 0.1, 1), b->upper = between(g, 0.1, 1);
  p[b->row] = pick < 0.3 ? b->lower : pick < 0.6 ? b->upper : between(g, b->lower, b->upper);
  u[b->row] = pick < 0.3 ? uniform(g) : pick < 0.6 ? -uniform(g) : 0;
}

/* ------------------------------------------------------------------------------------------------ matrices */

/* Rows of a unit act on one or two bodies. */
static void draw_rows(generator *g, const sparse_recipe *r, int rows, double *J, size_t nv) {
  int a = (int)(uniform(g) * r->bodies), b = (int)(uniform(g) * r->bodies);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < FREEDOMS; k++) {
      J[nv * (size_t)i + (size_t)(FREEDOMS * a + k)] = between(g, -1, 1);
      if (a != b && uniform(g) < 0.9) J[nv * (size_t)i + (size_t)(FREEDOMS * b + k)] = between(g, -1, 1);
    }
}

static double *draw_matrix(generator *g, const sparse_recipe *r, int n, const int *first_row, int units) {
  size_t nv = (size_t)(FREEDOMS * r->bodies), rows = (size_t)n;
  double *J = calloc(rows * nv, sizeof *J), *G = calloc(rows * rows, sizeof *G), *inverse = calloc(nv, sizeof *inverse);
  for (int k = 0; k < units; k++) draw_rows(g, r, first_row[k + 1] - first_row[k], J + nv * (size_t)first_row[k], nv);
  for (size_t k = 0; k < nv; k += FREEDOMS) {
    double mass = pow(r->mass_ratio, uniform(g));
    for (size_t i = 0; i < FREEDOMS; i++) inverse[k + i] = 1 / mass;
  }
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t k = 0; k < nv; k++) sum += J[nv * i + k] * inverse[k] * J[nv * j + k];
      double skew = i == j || sum == 0 ? 0 : r->skew * between(g, -1, 1) * sum;
      G[rows * i + j] = sum + skew, G[rows * j + i] = sum - skew;
    }
  free(J), free(inverse);
  return G;
}

sparse_contacts *sparse_contacts_new(const sparse_recipe *r) {
  sparse_contacts *s = calloc(1, sizeof *s);
  generator g = {r->seed * 2654435761u + 12345u};
  int units = r->contacts + r->bilateral + r->bounded, each = 1 + r->ntangent + r->nspin + r->nroll, n = 0;
  int *first_row = crd_arena_alloc(&s->arena, (size_t)units + 1, sizeof *first_row);
  int *bilateral = crd_arena_alloc(&s->arena, (size_t)r->bilateral + 1, sizeof *bilateral);
  crd_coulomb_contact *contact = crd_arena_alloc(&s->arena, (size_t)r->contacts + 1, sizeof *contact);
  crd_coulomb_bounded *bounded = crd_arena_alloc(&s->arena, (size_t)r->bounded + 1, sizeof *bounded);
  for (int k = 0; k < units; k++) {
    first_row[k] = n;
    if (k < r->contacts)
      contact[k] = (crd_coulomb_contact){.row = n,
                                         .ntangent = r->ntangent,
                                         .nspin = r->nspin,
                                         .nroll = r->nroll,
                                         .mu = r->mu,
                                         .mu_spin = 0.1 * r->mu,
                                         .mu_roll = 0.05 * r->mu};
    else if (k < r->contacts + r->bilateral)
      bilateral[k - r->contacts] = n;
    else
      bounded[k - r->contacts - r->bilateral].row = n;
    n += k < r->contacts ? each : 1;
  }
  first_row[units] = n;
  double *w = crd_arena_alloc(&s->arena, (size_t)n, sizeof *w);
  s->p = crd_arena_alloc(&s->arena, (size_t)n, sizeof *w), s->u = crd_arena_alloc(&s->arena, (size_t)n, sizeof *w);
  for (int k = 0; k < r->contacts; k++) draw_contact(&g, r, &contact[k], s->p, s->u);
  for (int k = 0; k < r->bilateral; k++) s->p[bilateral[k]] = between(&g, -1, 1);
  for (int k = 0; k < r->bounded; k++) draw_bounded(&g, &bounded[k], s->p, s->u);
  double *G = draw_matrix(&g, r, n, first_row, units);
  for (int i = 0; i < n; i++) {
    w[i] = s->u[i];
    for (int j = 0; j < n; j++) w[i] -= G[(size_t)n * (size_t)i + (size_t)j] * s->p[j];
  }
  cut(s, units, first_row, G);
  free(G);
  list_all(s, units);
  s->problem.n = n, s->problem.w = w;
  s->problem.ncontact = r->contacts, s->problem.contact = s->contact = contact;
  s->problem.nbilateral = r->bilateral, s->problem.bilateral = bilateral;
  s->problem.nbounded = r->bounded, s->problem.bounded = bounded;
  return s;
}

sparse_contacts *sparse_contacts_from_dense(int contacts, int rows_each, const double *G, const double *w, double mu) {
  sparse_contacts *s = calloc(1, sizeof *s);
  int n = contacts * rows_each;
  int *first_row = crd_arena_alloc(&s->arena, (size_t)contacts + 1, sizeof *first_row);
  crd_coulomb_contact *contact = crd_arena_alloc(&s->arena, (size_t)contacts, sizeof *contact);
  double *copy = crd_arena_alloc(&s->arena, (size_t)n, sizeof *copy);
  for (int k = 0; k <= contacts; k++) first_row[k] = rows_each * k;
  for (int k = 0; k < contacts; k++)
    contact[k] = (crd_coulomb_contact){.row = rows_each * k, .ntangent = rows_each - 1, .mu = mu};
  memcpy(copy, w, sizeof *w * (size_t)n);
  cut(s, contacts, first_row, G);
  list_all(s, contacts);
  s->problem.n = n, s->problem.w = copy, s->problem.ncontact = contacts;
  s->problem.contact = s->contact = contact;
  return s;
}

void sparse_contacts_free(sparse_contacts *s) {
  crd_arena_free(&s->arena);
  free(s);
}
