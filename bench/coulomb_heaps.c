/* A heap of spheres as contact problems: spheres of radius 5 cm and density 1000 kg/m^3 fall into a box, friction 0.5,
 * plastic impacts, Moreau's and Jean's time stepping with steps of 1 ms. Every step is one problem
 *
 *   u = w + G p,   w: contact velocities after gravity,   target of the normal one: -gap / step where there is a gap
 *
 * warm-started with the impulses of the last step. Free spheres need no more than masses and contact frames:
 * with arms -R n a block of G between contacts c and e of one body is D_c' D_e / m + R^2 (N_c' N_e) / I, N = n x D.
 */
#define _POSIX_C_SOURCE 200809L
#include <cradle/coulomb.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coulomb_parts.h"

static const double RADIUS = 0.05, DENSITY = 1000, GRAVITY = 9.8, STEP = 1e-3, MU = 0.5;
static const double REACH = 1e-3;   /* m: gaps that may close within a step */
static const double TOUCHES = 1e-7; /* m: gaps that count as none, so that gap / step is no noise */
enum { WALLS = 5, NEIGHBOURS = 20 };

typedef struct contact {
  int body[2];     /* body[1] -1: a wall */
  uint64_t key;    /* the same pair in the next step */
  double frame[9]; /* normal towards body[0], tangents */
  double gap;
} contact;

typedef struct heap {
  int n, ncontact, nold;
  double half, mass, inertia;
  double (*x)[3], (*v)[3], (*omega)[3];
  contact *list, *old; /* NEIGHBOURS n */
  double *p, *u, *old_p, *w;
  crd_mode *mode;
  crd_coulomb_contact *contact;
  int *first_of_body, *of_body; /* contacts of each body */
  int *cell, *next;
  int *first_row, *first, *column;
  size_t *offset;
  double *value;
  crd_coulomb_blocks blocks;
} heap;

/* ------------------------------------------------------------------------------------------------ geometry */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static void add_contact(heap *h, int a, int b, int id, const double *normal, double gap) {
  if (gap > REACH || h->ncontact == NEIGHBOURS * h->n) return;
  contact *c = &h->list[h->ncontact++];
  *c = (contact){.body = {a, b}, .gap = gap, .key = (uint64_t)a << 32 | (uint64_t)id};
  double axis[3] = {0}, *n = c->frame, *t = n + 3;
  axis[fabs(normal[0]) < 0.6 ? 0 : fabs(normal[1]) < 0.6 ? 1 : 2] = 1;
  memcpy(n, normal, 3 * sizeof *n);
  cross(n, axis, t);
  double length = sqrt(dot(t, t));
  for (int k = 0; k < 3; k++) t[k] /= length;
  cross(n, t, n + 6);
}

/* Cells of a grid wider than a sphere; the lists of cells hold every sphere once. */
static int cell_of(const heap *h, const double *x, int across, int layers, int shift[3], int *found) {
  int at[3];
  for (int k = 0; k < 3; k++) {
    int most = (k == 2 ? layers : across) - 1;
    at[k] = (int)floor((x[k] + (k == 2 ? 0 : h->half)) / (2 * RADIUS + REACH));
    at[k] = (at[k] < 0 ? 0 : at[k] > most ? most : at[k]) + shift[k];
    if (at[k] < 0 || at[k] > most) return *found = -1;
  }
  return *found = (at[2] * across + at[1]) * across + at[0];
}

static void find_contacts(heap *h) {
  int across = (int)(2 * h->half / (2 * RADIUS + REACH)) + 1, layers = h->n, found;
  size_t cells = (size_t)across * (size_t)across * (size_t)layers;
  memset(h->cell, -1, cells * sizeof *h->cell);
  for (int i = h->n - 1; i >= 0; i--) {
    cell_of(h, h->x[i], across, layers, (int[3]){0, 0, 0}, &found);
    h->next[i] = h->cell[found], h->cell[found] = i;
  }
  h->ncontact = 0;
  for (int i = 0; i < h->n; i++) {
    const double *x = h->x[i], wall[WALLS][4] = {{0, 0, 1, x[2]},
                                                 {1, 0, 0, x[0] + h->half},
                                                 {-1, 0, 0, h->half - x[0]},
                                                 {0, 1, 0, x[1] + h->half},
                                                 {0, -1, 0, h->half - x[1]}};
    for (int k = 0; k < WALLS; k++) add_contact(h, i, -1, h->n + k, wall[k], wall[k][3] - RADIUS);
    for (int k = 0; k < 27; k++) {
      if (cell_of(h, x, across, layers, (int[3]){k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, &found) < 0) continue;
      for (int j = h->cell[found]; j >= 0; j = h->next[j]) {
        double d[3] = {x[0] - h->x[j][0], x[1] - h->x[j][1], x[2] - h->x[j][2]}, length = sqrt(dot(d, d));
        for (int a = 0; a < 3; a++) d[a] /= length;
        if (j > i) add_contact(h, i, j, j, d, length - 2 * RADIUS);
      }
    }
  }
}

/* ------------------------------------------------------------------------------------------------ the problem */

static void list_by_body(heap *h) {
  memset(h->first_of_body, 0, sizeof *h->first_of_body * (size_t)(h->n + 2));
  for (int c = 0; c < h->ncontact; c++)
    for (int s = 0; s < 2; s++)
      if (h->list[c].body[s] >= 0) h->first_of_body[h->list[c].body[s] + 2]++;
  for (int i = 0; i < h->n; i++) h->first_of_body[i + 2] += h->first_of_body[i + 1];
  for (int c = 0; c < h->ncontact; c++)
    for (int s = 0; s < 2; s++)
      if (h->list[c].body[s] >= 0) h->of_body[h->first_of_body[h->list[c].body[s] + 1]++] = c;
}

/* What body b, side s of contact c, adds to the block between c and e. */
static void add_body(const heap *h, const contact *c, int s, const contact *e, double *block) {
  double sign = (s ? -1 : 1) * (e->body[0] == c->body[s] ? 1 : -1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double a[3], b[3];
      cross(c->frame, c->frame + 3 * i, a), cross(e->frame, e->frame + 3 * j, b);
      block[3 * i + j] += sign * dot(c->frame + 3 * i, e->frame + 3 * j) / h->mass;
      if (i && j) block[3 * i + j] += RADIUS * RADIUS * dot(a, b) / h->inertia;
    }
}

static void set_blocks(heap *h) {
  int used = 0;
  list_by_body(h);
  for (int c = 0; c < h->ncontact; c++) {
    h->first[c] = used, h->first_row[c] = 3 * c;
    for (int s = 0; s < 2; s++) {
      int b = h->list[c].body[s];
      for (int k = b < 0 ? 0 : h->first_of_body[b]; b >= 0 && k < h->first_of_body[b + 1]; k++)
        if (h->of_body[k] != c || s == 0) {
          int at = used++;
          while (at > h->first[c] && h->column[at - 1] > h->of_body[k]) h->column[at] = h->column[at - 1], at--;
          h->column[at] = h->of_body[k];
        }
    }
    for (int k = h->first[c]; k < used; k++) {
      const contact *e = &h->list[h->column[k]];
      double *block = h->value + 9 * (size_t)k;
      h->offset[k] = 9 * (size_t)k;
      memset(block, 0, 9 * sizeof *block);
      for (int s = 0; s < 2; s++)
        if (h->list[c].body[s] >= 0 && (e->body[0] == h->list[c].body[s] || e->body[1] == h->list[c].body[s]))
          add_body(h, &h->list[c], s, e, block);
    }
  }
  h->first[h->ncontact] = used, h->first_row[h->ncontact] = 3 * h->ncontact;
  h->blocks = (crd_coulomb_blocks){h->ncontact, h->first_row, h->first, h->column, h->offset, h->value};
}

/* Velocity of row i of a contact. */
static double row_velocity(const heap *h, const contact *c, int i) {
  double u = 0, turn[3];
  cross(c->frame, c->frame + 3 * i, turn);
  for (int s = 0; s < 2; s++) {
    int b = c->body[s];
    if (b < 0) continue;
    u += (s ? -1 : 1) * dot(c->frame + 3 * i, h->v[b]);
    if (i) u -= RADIUS * dot(turn, h->omega[b]);
  }
  return u;
}

static int compare_keys(const void *a, const void *b) {
  uint64_t x = ((const contact *)a)->key, y = ((const contact *)b)->key;
  return x < y ? -1 : x > y;
}

/* Impulses of the last step, in the new frames; both lists ascend by the first body only. */
static void warm_start(heap *h) {
  memset(h->p, 0, sizeof *h->p * 3 * (size_t)h->ncontact);
  qsort(h->list, (size_t)h->ncontact, sizeof *h->list, compare_keys);
  for (int c = 0, o = 0; c < h->ncontact; c++) {
    while (o < h->nold && h->old[o].key < h->list[c].key) o++;
    if (o == h->nold || h->old[o].key != h->list[c].key) continue;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        h->p[3 * c + i] += dot(h->list[c].frame + 3 * i, h->old[o].frame + 3 * j) * h->old_p[3 * o + j];
  }
}

static crd_coulomb_problem pose(heap *h) {
  contact *list = h->old;
  double *p = h->old_p;
  h->old = h->list, h->old_p = h->p, h->nold = h->ncontact, h->list = list, h->p = p;
  for (int i = 0; i < h->n; i++) h->v[i][2] -= GRAVITY * STEP;
  find_contacts(h);
  warm_start(h);
  set_blocks(h);
  for (int c = 0; c < h->ncontact; c++) {
    double gap = h->list[c].gap;
    h->contact[c] =
        (crd_coulomb_contact){.row = 3 * c, .ntangent = 2, .mu = MU, .target = gap > TOUCHES ? -gap / STEP : 0};
    for (int i = 0; i < 3; i++) h->w[3 * c + i] = row_velocity(h, &h->list[c], i);
  }
  return (crd_coulomb_problem){
      .n = 3 * h->ncontact, .w = h->w, .ncontact = h->ncontact, .contact = h->contact, .blocks = &h->blocks};
}

static void advance(heap *h) {
  for (int c = 0; c < h->ncontact; c++)
    for (int i = 0; i < 3; i++) {
      const double *d = h->list[c].frame + 3 * i, p = h->p[3 * c + i];
      double turn[3];
      cross(h->list[c].frame, d, turn);
      for (int s = 0; s < 2; s++) {
        int b = h->list[c].body[s];
        for (int k = 0; b >= 0 && k < 3; k++) {
          h->v[b][k] += (s ? -1 : 1) * p * d[k] / h->mass;
          if (i) h->omega[b][k] -= RADIUS * p * turn[k] / h->inertia;
        }
      }
    }
  for (int i = 0; i < h->n; i++)
    for (int k = 0; k < 3; k++) h->x[i][k] += STEP * h->v[i][k];
}

/* ------------------------------------------------------------------------------------------------ the run */

static void *take(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) exit(3);
  return memory;
}

/* Layers of a loose grid, each sphere a little off its place. */
static heap *new_heap(int n) {
  const double spacing = 0.115;
  heap *h = take(1, sizeof *h);
  size_t bodies = (size_t)n, contacts = NEIGHBOURS * bodies, blocks = 2 * NEIGHBOURS * contacts;
  h->n = n, h->half = n <= 100 ? 0.25 : 0.5;
  h->mass = DENSITY * 4 / 3 * 3.141592653589793 * pow(RADIUS, 3), h->inertia = 0.4 * h->mass * RADIUS * RADIUS;
  h->x = take(bodies, sizeof *h->x), h->v = take(bodies, sizeof *h->v), h->omega = take(bodies, sizeof *h->omega);
  h->list = take(contacts, sizeof *h->list), h->old = take(contacts, sizeof *h->old);
  h->p = take(3 * contacts, sizeof *h->p), h->old_p = take(3 * contacts, sizeof *h->p);
  h->u = take(3 * contacts, sizeof *h->u), h->w = take(3 * contacts, sizeof *h->w);
  h->mode = take(contacts, sizeof *h->mode), h->contact = take(contacts, sizeof *h->contact);
  h->first_of_body = take(bodies + 2, sizeof(int)), h->of_body = take(2 * contacts, sizeof(int));
  h->cell = take(bodies * 120, sizeof(int)), h->next = take(bodies, sizeof(int));
  h->first_row = take(contacts + 1, sizeof(int)), h->first = take(contacts + 1, sizeof(int));
  h->column = take(blocks, sizeof(int)), h->offset = take(blocks, sizeof *h->offset);
  h->value = take(9 * blocks, sizeof *h->value);
  int side = (int)floor((2 * h->half - 0.01) / spacing);
  for (int i = 0; i < n; i++) {
    uint32_t bits = 2654435761u * (uint32_t)(i + 1);
    h->x[i][0] = (i / side % side - 0.5 * (side - 1)) * spacing + 0.01 * ((bits >> 8) % 1000 / 1000.0 - 0.5);
    h->x[i][1] = (i % side - 0.5 * (side - 1)) * spacing + 0.01 * ((bits >> 18) % 1000 / 1000.0 - 0.5);
    h->x[i][2] = 0.08 + i / (side * side) * spacing;
  }
  return h;
}

static void free_heap(heap *h) {
  void *const all[] = {h->x,    h->v,         h->omega, h->list,    h->old,           h->p,       h->old_p,
                       h->u,    h->w,         h->mode,  h->contact, h->first_of_body, h->of_body, h->cell,
                       h->next, h->first_row, h->first, h->column,  h->offset,        h->value};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
  free(h);
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double bench_heap(int spheres, int steps, double tolerance) {
  heap *h = new_heap(spheres);
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_options options = crd_coulomb_default();
  options.warm = true, options.tolerance = fmax(options.tolerance, tolerance), options.large_tolerance = tolerance;
  double *time = take((size_t)steps, sizeof *time), *residual = take((size_t)steps, sizeof *residual), total = 0;
  long contacts = 0, sweeps = 0, factors = 0;
  int missed = 0;
  for (int k = 0; k < steps; k++) {
    crd_coulomb_report report;
    crd_coulomb_problem problem = pose(h);
    crd_coulomb_state state = {h->p, h->u, h->mode};
    double start = thread_seconds();
    crd_status status = crd_coulomb_solve(work, &problem, &options, &state, &report);
    time[k] = thread_seconds() - start, total += time[k], residual[k] = report.residual;
    missed += status != CRD_OK, contacts += h->ncontact, factors += report.factorizations;
    sweeps += report.iterations[CRD_COULOMB_SWEEPS];
    advance(h);
  }
  qsort(time, (size_t)steps, sizeof *time, compare_doubles);
  qsort(residual, (size_t)steps, sizeof *residual, compare_doubles);
  printf("%7d %9.0e %9ld %8ld %8.1f %9.3f %9.3f %9.3f %9.1e %9.1e %5d of %d\n", spheres, tolerance, contacts / steps,
         sweeps / steps, (double)factors / steps, 1e3 * total / steps, 1e3 * time[steps / 2],
         1e3 * time[(int)(0.99 * steps)], residual[steps / 2], residual[steps - 1], missed, steps);
  fflush(stdout);
  free(time), free(residual);
  crd_coulomb_work_free(work);
  free_heap(h);
  return total / steps;
}
