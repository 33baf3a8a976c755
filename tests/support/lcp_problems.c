/* Generators of linear complementarity problems; see the header. */
#include "support/lcp_problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double lcp_uniform(lcp_random *random, double low, double high) {
  return low + (high - low) * crd_random_uniform(random->seed, 11, random->index++);
}

double lcp_normal(lcp_random *random) { return crd_random_normal(random->seed, 12, random->index++); }

int lcp_integer(lcp_random *random, int count) { return (int)(lcp_uniform(random, 0, 1) * count); }

int contact_lcp_rows(const contact_scene *scene) {
  return scene->contacts * (scene->facets > 0 ? scene->facets + 2 : 1);
}

int contact_lcp_velocities(const contact_scene *scene) { return scene->bodies * (scene->facets > 2 ? 6 : 3); }

static void random_unit(lcp_random *random, double out[3]) {
  double norm = 0;
  while (norm < 0.1) {
    for (int i = 0; i < 3; i++) out[i] = lcp_uniform(random, -1, 1);
    norm = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
  }
  for (int i = 0; i < 3; i++) out[i] /= norm;
}

static void cross(double out[3], const double a[3], const double b[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Adds sign times the row that maps a body's velocity (planar: vx, vy, omega; else omega, v) to the velocity of the
 * point at arm along direction. */
static void add_row(double *row, int body, bool planar, double sign, const double direction[3], const double arm[3]) {
  double moment[3];
  cross(moment, arm, direction);
  double *block = row + body * (planar ? 3 : 6);
  if (planar) {
    block[0] += sign * direction[0], block[1] += sign * direction[1], block[2] += sign * moment[2];
  } else {
    for (int k = 0; k < 3; k++) block[k] += sign * moment[k], block[3 + k] += sign * direction[k];
  }
}

/* One contact: normal and facet rows (1 + facets) x nv. */
static void contact_rows(const contact_scene *scene, lcp_random *random, double *rows) {
  bool planar = scene->facets <= 2;
  int nv = contact_lcp_velocities(scene);
  double n[3], arm[2][3], t1[3], t2[3], help[3];
  random_unit(random, n);
  if (planar) {
    double angle = lcp_uniform(random, 0, 6.283185307179586);
    n[0] = cos(angle), n[1] = sin(angle), n[2] = 0;
    t1[0] = n[1], t1[1] = -n[0], t1[2] = 0;
    memset(t2, 0, sizeof t2);
  } else {
    random_unit(random, help);
    cross(t1, n, help);
    double norm = sqrt(t1[0] * t1[0] + t1[1] * t1[1] + t1[2] * t1[2]);
    for (int k = 0; k < 3; k++) t1[k] /= norm;
    cross(t2, n, t1);
  }
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < 3; k++) arm[s][k] = scene->length * lcp_uniform(random, -1, 1);
    if (planar) arm[s][2] = 0;
  }
  int a = lcp_integer(random, scene->bodies), b = lcp_integer(random, 2 * scene->bodies);
  memset(rows, 0, sizeof(double) * (size_t)(1 + scene->facets) * (size_t)nv);
  for (int i = 0; i <= scene->facets; i++) {
    double direction[3];
    double angle = 6.283185307179586 * (i - 1) / (scene->facets > 0 ? scene->facets : 1);
    double c = planar ? (i == 1 ? 1 : -1) : cos(angle), s = planar ? 0 : sin(angle);
    for (int k = 0; k < 3; k++) direction[k] = i == 0 ? n[k] : c * t1[k] + s * t2[k];
    add_row(rows + i * nv, a, planar, 1, direction, arm[0]);
    if (b < scene->bodies && b != a) add_row(rows + i * nv, b, planar, -1, direction, arm[1]);
  }
}

/* Row of contact c in the problem: kind 0 normal, 1..facets friction, facets+1 multiplier. Blocks follow
 * [Halm & Posa, eq. 75]: all normals, all facets, all multipliers. */
static int row_of(const contact_scene *scene, int c, int kind) {
  int m = scene->contacts, k = scene->facets;
  if (kind == 0) return c;
  return kind <= k ? m + c * k + kind - 1 : m + m * k + c;
}

static void fill_jacobian(const contact_scene *scene, lcp_random *random, double *J) {
  int m = scene->contacts, k = scene->facets, nv = contact_lcp_velocities(scene);
  double *rows = malloc(sizeof(double) * (size_t)(k + 1) * (size_t)nv);
  for (int c = 0; c < m; c++) {
    if (c >= m - scene->duplicates && c > 0) {
      int original = lcp_integer(random, m - scene->duplicates > 0 ? m - scene->duplicates : 1);
      for (int i = 0; i <= k; i++)
        memcpy(rows + i * nv, J + row_of(scene, original, i) * nv, sizeof(double) * (size_t)nv);
    } else {
      contact_rows(scene, random, rows);
    }
    for (int i = 0; i <= k; i++) memcpy(J + row_of(scene, c, i) * nv, rows + i * nv, sizeof(double) * (size_t)nv);
  }
  free(rows);
}

void contact_lcp_fill(const contact_scene *scene, lcp_random *random, double *W, double *w, double *J_out,
                      double *root) {
  int n = contact_lcp_rows(scene), m = scene->contacts, k = scene->facets, nv = contact_lcp_velocities(scene);
  int force_rows = m * (k + 1), block = k > 2 ? 6 : 3;
  double *J = calloc((size_t)n * (size_t)nv, sizeof(double)), *mass = malloc(sizeof(double) * (size_t)nv);
  double *v = malloc(sizeof(double) * (size_t)nv);
  fill_jacobian(scene, random, J);
  for (int b = 0; b < scene->bodies; b++) {
    double body_mass = pow(10, lcp_uniform(random, -scene->mass_spread, scene->mass_spread));
    double inertia = body_mass * scene->length * scene->length * lcp_uniform(random, 0.2, 0.6);
    for (int i = 0; i < block; i++) {
      bool angular = block == 6 ? i < 3 : i == 2;
      mass[b * block + i] = angular ? inertia * lcp_uniform(random, 0.8, 1.2) : body_mass;
    }
  }
  for (int i = 0; i < nv; i++) v[i] = lcp_normal(random);
  memset(W, 0, sizeof(double) * (size_t)n * (size_t)n);
  memset(w, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < force_rows; i++) {
    for (int j = 0; j < force_rows; j++)
      for (int l = 0; l < nv; l++) W[i * n + j] += J[i * nv + l] * J[j * nv + l] / mass[l];
    if (!scene->resting)
      for (int l = 0; l < nv; l++) w[i] += J[i * nv + l] * v[l];
  }
  for (int c = 0; c < m && k > 0; c++) {
    int gamma = row_of(scene, c, k + 1);
    W[gamma * n + c] = scene->mu;
    for (int i = 1; i <= k; i++) {
      W[row_of(scene, c, i) * n + gamma] = 1;
      W[gamma * n + row_of(scene, c, i)] = -1;
    }
  }
  if (J_out) memcpy(J_out, J, sizeof(double) * (size_t)n * (size_t)nv);
  for (int i = 0; i < nv && root; i++) root[i] = sqrt(mass[i]);
  free(J), free(mass), free(v);
}

void contact_step_lcp_fill(const contact_scene *scene, lcp_random *random, double largest, double *W, double *w) {
  int n = contact_lcp_rows(scene), m = scene->contacts, total = n + m;
  double *inner = malloc(sizeof(double) * (size_t)n * (size_t)n), *inner_w = malloc(sizeof(double) * (size_t)n);
  contact_lcp_fill(scene, random, inner, inner_w, NULL, NULL);
  memset(W, 0, sizeof(double) * (size_t)total * (size_t)total);
  for (int i = 0; i < n; i++) {
    memcpy(W + (m + i) * total + m, inner + i * n, sizeof(double) * (size_t)n);
    w[m + i] = inner_w[i];
  }
  for (int c = 0; c < m; c++) {
    W[c * total + m + c] = -1;
    W[(m + c) * total + c] = 1;
    w[c] = largest * lcp_uniform(random, 0, 1);
  }
  free(inner), free(inner_w);
}

void murty_lcp_fill(int n, double *W, double *w) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) W[i * n + j] = i == j ? 1 : j > i ? 2 : 0;
    w[i] = -1;
  }
}

void fathi_lcp_fill(int n, double *W, double *w) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) W[i * n + j] = i == j ? 4 * i + 1 : 4 * (i < j ? i : j) + 2;
    w[i] = -1;
  }
}
