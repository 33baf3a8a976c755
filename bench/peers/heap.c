/* The heaps and the measures.
 *
 * Residual of a step: the natural map of Coulomb's law at the worst contact, as velocities (crd_coulomb_residual), with
 * the impulses that the engine reports and the velocities that it leaves,
 *
 *   normal     | min(g_n p_n, u_n - target) |,  target -gap / h where there is a gap, else 0
 *   friction   | g_t p_t - P(g_t p_t - u_t) |,  P onto the disc of radius mu g_t p_n
 *
 * relative to the fastest contact velocity without impulses. g: compliance of the two bodies at the point.
 */
#define _POSIX_C_SOURCE 200809L
#include "heap.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../timing.h"

static const double SPACING = 0.115, DENSITY = 1000;

heap_scene heap_scene_of(int n, bool boxes) {
  heap_scene s = {.n = n, .boxes = boxes, .half = n <= 100 ? 0.25 : 0.5, .size = 0.05};
  const double pi = 3.14159265358979323846;
  s.mass = DENSITY * (boxes ? 8 : 4.0 / 3 * pi) * pow(s.size, 3);
  s.inertia = s.mass * s.size * s.size * (boxes ? 2.0 / 3 : 0.4);
  s.mu = 0.5, s.gravity = 9.8, s.timestep = 1e-3;
  return s;
}

/* Layers of a square grid, each body a little out of its place. */
void heap_start(const heap_scene *s, int i, double p[3]) {
  int k = (int)floor((2 * s->half - 0.01) / SPACING), layer = i / (k * k), row = i / k % k, column = i % k;
  uint32_t u = 2654435761u * (uint32_t)(i + 1);
  double x = (double)((u >> 8) % 1000) / 1000 - 0.5, y = (double)((u >> 18) % 1000) / 1000 - 0.5;
  p[0] = (row - 0.5 * (k - 1)) * SPACING + 0.01 * x;
  p[1] = (column - 0.5 * (k - 1)) * SPACING + 0.01 * y;
  p[2] = 0.08 + layer * SPACING;
}

char *heap_mjcf(const heap_scene *s) {
  size_t room = 4000 + 200 * (size_t)s->n;
  char *text = malloc(room), *at = text;
  if (!text) return NULL;
  at += sprintf(at,
                "<mujoco><option timestep='%g' gravity='0 0 %g'/><size njmax='%d' nconmax='%d' nstack='%d'/>"
                "<default><geom condim='3' friction='%g 0.005 0.0001'/></default><worldbody>"
                "<geom type='box' size='5 5 .1' pos='0 0 -.1'/>",
                s->timestep, -s->gravity, 60 * s->n + 2000, 15 * s->n + 500, 60000000 + 240 * s->n * s->n, s->mu);
  for (int side = -1; side <= 1; side += 2) {
    at += sprintf(at, "<geom type='box' size='.1 5 5' pos='%g 0 0'/>", side * (s->half + .1));
    at += sprintf(at, "<geom type='box' size='5 .1 5' pos='0 %g 0'/>", side * (s->half + .1));
  }
  for (int i = 0; i < s->n; i++) {
    double p[3];
    heap_start(s, i, p);
    at += sprintf(at, "<body pos='%.17g %.17g %.17g'><freejoint/><geom type='%s' size='%g %g %g' density='%g'/></body>",
                  p[0], p[1], p[2], s->boxes ? "box" : "sphere", s->size, s->size, s->size, DENSITY);
  }
  sprintf(at, "</worldbody></mujoco>");
  return text;
}

/* ------------------------------------------------------------------------------------------------ measures */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Velocity of body[0] against body[1] at the point; bodies fall by `drop` (m/s) more than they say. */
static void velocity_at(const heap_contact *c, const heap_body *body, double drop, double u[3]) {
  u[0] = u[1] = u[2] = 0;
  for (int k = 0; k < 2; k++) {
    if (c->body[k] < 0) continue;
    const heap_body *b = &body[c->body[k]];
    double r[3], turn[3], sign = k == 0 ? 1 : -1;
    for (int i = 0; i < 3; i++) r[i] = c->point[i] - b->position[i];
    cross(b->spin, r, turn);
    for (int i = 0; i < 3; i++) u[i] += sign * (b->velocity[i] + turn[i]);
    u[2] -= sign * drop;
  }
}

/* Compliance along the normal, and the mean of those across it. */
static void compliance(const heap_scene *s, const heap_contact *c, const heap_body *body, double *g_n, double *g_t) {
  *g_n = *g_t = 0;
  for (int k = 0; k < 2; k++) {
    if (c->body[k] < 0) continue;
    double r[3], arm[3];
    for (int i = 0; i < 3; i++) r[i] = c->point[i] - body[c->body[k]].position[i];
    cross(r, c->normal, arm);
    double across = dot(arm, arm); /* |r x t1|^2 + |r x t2|^2 = 2 |r|^2 - |r x n|^2 */
    *g_n += 1 / s->mass + across / s->inertia;
    *g_t += 1 / s->mass + 0.5 * (2 * dot(r, r) - across) / s->inertia;
  }
}

static double natural_map(const heap_scene *s, const heap_contact *c, const heap_body *body) {
  double u[3], g_n, g_t, p_n = dot(c->impulse, c->normal), slip[3], size = 0, off = 0;
  velocity_at(c, body, 0, u);
  compliance(s, c, body, &g_n, &g_t);
  double u_n = dot(u, c->normal), target = -fmax(0, c->gap) / s->timestep;
  double pull[3];
  for (int i = 0; i < 3; i++) {
    pull[i] = g_t * (c->impulse[i] - p_n * c->normal[i]);
    slip[i] = pull[i] - (u[i] - u_n * c->normal[i]);
    size += slip[i] * slip[i];
  }
  double most = s->mu * g_t * fmax(0, p_n), share = sqrt(size) > most ? most / sqrt(size) : 1;
  for (int i = 0; i < 3; i++) off += pow(pull[i] - share * slip[i], 2);
  return fmax(fabs(fmin(g_n * p_n, u_n - target)), sqrt(off));
}

static double residual_of(const heap_scene *s, const heap_body *before, const heap_body *after,
                          const heap_contact *contact, int count) {
  double worst = 0, scale = s->gravity * s->timestep;
  for (int c = 0; c < count; c++) {
    double u[3];
    velocity_at(&contact[c], before, s->gravity * s->timestep, u);
    scale = fmax(scale, sqrt(dot(u, u)));
    worst = fmax(worst, natural_map(s, &contact[c], after));
  }
  return worst / scale;
}

static double energy_of(const heap_scene *s, const heap_body *body) {
  double sum = 0;
  for (int i = 0; i < s->n; i++)
    sum += 0.5 * s->mass * dot(body[i].velocity, body[i].velocity) +
           0.5 * s->inertia * dot(body[i].spin, body[i].spin) + s->mass * s->gravity * body[i].position[2];
  return sum;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ------------------------------------------------------------------------------------------------ runs */

bool heap_run(const heap_engine *engine, const heap_scene *s, double time, double budget, heap_result *r) {
  enum { LOOK = 10 };
  int steps = (int)(time / s->timestep + 0.5), looks = 0, settled = 0, capacity = 40 * s->n + 100;
  heap_body *before = malloc(sizeof *before * (size_t)s->n), *after = malloc(sizeof *after * (size_t)s->n);
  heap_contact *contact = malloc(sizeof *contact * (size_t)capacity);
  double *residual = malloc(sizeof *residual * (size_t)(steps + 1)), last = INFINITY;
  void *world = engine->make(s);
  *r = (heap_result){0};
  for (int i = 0; world && i < steps && r->seconds < budget; i++) {
    bool look = i % LOOK == LOOK - 1;
    if (look) engine->bodies(world, before);
    double start = cpu_seconds();
    engine->step(world);
    r->seconds += cpu_seconds() - start;
    r->simulated = (i + 1) * s->timestep;
    if (!look) continue;
    engine->bodies(world, after);
    double energy = energy_of(s, after);
    /* contacts are those of the start of the step: their arms are, too */
    for (int b = 0; b < s->n; b++) memcpy(after[b].position, before[b].position, sizeof after[b].position);
    int count = engine->contacts(world, contact, capacity);
    for (int c = 0; c < count; c++) r->penetration = fmax(r->penetration, -contact[c].gap);
    if (count > 0) residual[settled++] = residual_of(s, before, after, contact, count);
    r->gain = fmax(r->gain, energy - last), last = energy;
    r->contacts += count, looks++;
  }
  if (looks > 0) r->contacts /= looks;
  qsort(residual, (size_t)settled, sizeof *residual, compare);
  if (settled > 0) r->residual = residual[settled / 2], r->worst = residual[(int)(0.99 * (settled - 1))];
  free(before), free(after), free(contact), free(residual);
  return world != NULL;
}

int heap_main(int argc, char **argv, const heap_engine *engine) {
  if (argc < 5) return fprintf(stderr, "usage: %s N spheres|boxes TIME BUDGET\n", argv[0]), 2;
  heap_scene scene = heap_scene_of(atoi(argv[1]), strcmp(argv[2], "boxes") == 0);
  heap_result r;
  if (!heap_run(engine, &scene, atof(argv[3]), atof(argv[4]), &r)) return 1;
  printf("heap %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", r.seconds, r.simulated, r.residual, r.worst, r.penetration,
         r.contacts, r.gain);
  return 0;
}
