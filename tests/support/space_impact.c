#include "support/space_impact.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static void turn(const double R[9], const double x[3], double y[3]) {
  double out[3];
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
  memcpy(y, out, sizeof out);
}

/* R A R' */
static void turn_tensor(const double R[9], const double A[9], double B[9]) {
  double out[9] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) out[3 * i + j] += R[3 * i + k] * A[3 * k + l] * R[3 * j + l];
  memcpy(B, out, sizeof out);
}

static void random_unit(random_stream *stream, double x[3]) {
  double length;
  do {
    for (int i = 0; i < 3; i++) x[i] = random_in(stream, -1, 1);
    length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  } while (length < 0.1 || length > 1);
  for (int i = 0; i < 3; i++) x[i] /= length;
}

/* Row of the velocity along d at a contact: of body1 there, less that of body2. */
static void fill_row(const space_impact *s, const space_contact *c, const double d[3], double *row) {
  memset(row, 0, sizeof *row * 6 * (size_t)s->nbody);
  for (int side = 0; side < 2; side++) {
    int body = side == 0 ? c->body1 : c->body2;
    double sign = side == 0 ? 1 : -1, arm[3], moment[3];
    if (body < 0) continue;
    for (int i = 0; i < 3; i++) arm[i] = c->point[i] - s->center[body][i];
    cross(arm, d, moment);
    for (int i = 0; i < 3; i++) row[6 * body + i] = sign * d[i], row[6 * body + 3 + i] = sign * moment[i];
  }
}

static double approach(const space_impact *s, const space_contact *c) {
  double row[6 * SPACE_BODIES], u = 0;
  fill_row(s, c, c->normal, row);
  for (int i = 0; i < 6 * s->nbody; i++) u += row[i] * s->velocity[i / 6][i % 6];
  return -u;
}

space_impact random_space_impact(random_stream *stream, int nbody, int nc) {
  space_impact s = {.nbody = nbody, .nc = nc, .mu = random_in(stream, 0.05, 1), .e = random_in(stream, 0, 1)};
  for (int b = 0; b < nbody; b++) {
    double q[4], R[9], principal[9] = {0}, x = random_in(stream, 0.1, 1), y = random_in(stream, 0.1, 1);
    s.mass[b] = random_in(stream, 0.5, 4);
    principal[0] = s.mass[b] * x * x / 3, principal[4] = s.mass[b] * y * y / 3;
    principal[8] = s.mass[b] * (x * x + y * y) / 3; /* a rectangular plate */
    random_unit_quat(stream, q);
    crd_quat_to_mat3(R, q);
    turn_tensor(R, principal, s.inertia[b]);
    for (int i = 0; i < 3; i++) s.center[b][i] = random_in(stream, -1, 1);
    for (int i = 0; i < 6; i++) s.velocity[b][i] = random_in(stream, -2, 2);
  }
  for (int c = 0; c < nc; c++) {
    space_contact *k = &s.contact[c];
    k->body1 = random_int(stream, 0, nbody - 1);
    k->body2 = k->body1 - 1; /* a neighbour, or the world */
    double away[3];
    random_unit(stream, away);
    for (int i = 0; i < 3; i++) k->point[i] = s.center[k->body1][i] + random_in(stream, 0.1, 0.8) * away[i];
    random_unit(stream, k->normal);
    if (approach(&s, k) < 0)
      for (int i = 0; i < 3; i++) k->normal[i] = -k->normal[i];
  }
  return s;
}

space_impact turned_space_impact(const space_impact *scene, const double R[9]) {
  space_impact s = *scene;
  for (int b = 0; b < s.nbody; b++) {
    turn_tensor(R, scene->inertia[b], s.inertia[b]);
    turn(R, scene->center[b], s.center[b]);
    turn(R, scene->velocity[b], s.velocity[b]), turn(R, scene->velocity[b] + 3, s.velocity[b] + 3);
  }
  for (int c = 0; c < s.nc; c++)
    turn(R, scene->contact[c].point, s.contact[c].point), turn(R, scene->contact[c].normal, s.contact[c].normal);
  return s;
}

/* Two tangents, the first made from the axis that is least along the normal, turned by an angle. */
static void tangents(const double n[3], double angle, double t[2][3]) {
  int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
  if (fabs(n[2]) < fabs(n[least])) least = 2;
  double axis[3] = {0}, a[3], b[3], length;
  axis[least] = 1;
  cross(n, axis, a);
  length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; i++) a[i] /= length;
  cross(n, a, b);
  for (int i = 0; i < 3; i++)
    t[0][i] = cos(angle) * a[i] + sin(angle) * b[i], t[1][i] = cos(angle) * b[i] - sin(angle) * a[i];
}

crd_contact_problem *space_impact_problem(const space_impact *s, const double *tangent_angle) {
  int n = 6 * s->nbody;
  crd_contact_problem *p = crd_contact_problem_new();
  assert_non_null(p);
  assert_int_equal(crd_contact_problem_resize(p, n, s->nc, 3 * s->nc, 0, true), CRD_OK);
  memset(p->M, 0, sizeof *p->M * (size_t)(n * n));
  for (int b = 0; b < s->nbody; b++)
    for (int i = 0; i < 3; i++) {
      p->M[(size_t)(n + 1) * (size_t)(6 * b + i)] = s->mass[b];
      for (int j = 0; j < 3; j++)
        p->M[(size_t)n * (size_t)(6 * b + 3 + i) + (size_t)(6 * b + 3 + j)] = s->inertia[b][3 * i + j];
    }
  for (int i = 0; i < n; i++) p->v[i] = s->velocity[i / 6][i % 6];
  for (int c = 0; c < s->nc; c++) {
    const space_contact *k = &s->contact[c];
    double t[2][3];
    tangents(k->normal, tangent_angle ? tangent_angle[c] : 0, t);
    fill_row(s, k, k->normal, p->J + (size_t)(3 * c) * (size_t)n);
    for (int i = 0; i < 2; i++) fill_row(s, k, t[i], p->J + (size_t)(3 * c + 1 + i) * (size_t)n);
    p->contact[c] = (crd_contact){.name = "c", .row = 3 * c, .ntangent = 2, .mu = s->mu, .mu_static = s->mu, .e = s->e};
  }
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  return p;
}

void space_impact_momentum(const space_impact *s, const double *v, double momentum[6]) {
  memset(momentum, 0, 6 * sizeof *momentum);
  for (int b = 0; b < s->nbody; b++) {
    double linear[3], orbital[3], spin[3];
    for (int i = 0; i < 3; i++) linear[i] = s->mass[b] * v[6 * b + i];
    cross(s->center[b], linear, orbital);
    turn(s->inertia[b], v + 6 * b + 3, spin);
    for (int i = 0; i < 3; i++) momentum[i] += linear[i], momentum[3 + i] += orbital[i] + spin[i];
  }
}
