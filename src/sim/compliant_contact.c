/* Forces of compliant contacts and their derivatives, from gaps and rows of the contact problem at the state. */
#include <math.h>
#include <string.h>

#include <cradle/linalg.h>
#include "sim/compliant.h"

/* m: contacts are followed as far as this, also where they open */
static const double SEEN = 1e-3;

/* The force of one contact, if there is any. */
typedef struct touch {
  bool pushes;
  double k, damping, normal; /* stiffness, damping, normal force */
  double slip[2], speed;     /* u_t / max(|u_t|, slip), max(|u_t|, slip) */
  bool sticks;               /* in the viscous range */
} touch;

static double stiffness_of(const compliant *c, int contact) {
  int known = c->identity[contact];
  return known < 0 ? c->options.stiffness : c->k[known];
}

static touch touch_of(const compliant *c, int contact) {
  const crd_contact_problem *problem = c->problem;
  const crd_contact *at = &problem->contact[contact];
  const double *u = problem->u + at->row;
  touch t = {.k = stiffness_of(c, contact)};
  t.damping = 2 * c->options.zeta * sqrt(t.k * c->options.mass);
  t.normal = -t.k * at->gap - t.damping * u[0];
  t.pushes = at->gap <= 0 && t.normal > 0;
  double along = at->ntangent == 0 ? 0 : at->ntangent == 1 ? fabs(u[1]) : hypot(u[1], u[2]);
  t.sticks = along < c->options.slip;
  t.speed = fmax(along, c->options.slip);
  for (int i = 0; i < at->ntangent; i++) t.slip[i] = u[1 + i] / t.speed;
  return t;
}

/* Contacts keep their number of the start by name, also where others come and go. */
static crd_status identify(compliant *c) {
  const crd_contact_problem *problem = c->problem;
  int rows = problem->nrow;
  if (problem->nc > c->identities) {
    c->identity = crd_arena_alloc(&c->arena, (size_t)problem->nc, sizeof *c->identity);
    c->identities = c->identity ? problem->nc : 0;
  }
  if (rows > c->forces) {
    c->force = crd_arena_alloc(&c->arena, (size_t)rows, sizeof *c->force);
    c->forces = c->force ? rows : 0;
  }
  if ((problem->nc && !c->identity) || (rows && !c->force)) return CRD_ERR_MEMORY;
  for (int i = 0; i < problem->nc; i++) {
    c->identity[i] = -1;
    for (int j = 0; j < c->start->nc; j++)
      if (strcmp(problem->contact[i].name, c->start->contact[j].name) == 0) c->identity[i] = j;
  }
  return CRD_OK;
}

/* xi' of a rotation vector for the angular velocity w in body axes: the first terms of the inverse of the exponential's
 * derivative, w + xi x w / 2 + xi x (xi x w) / 12. An impact turns bodies by far less than a radian. */
static void rotation_rate(const double xi[3], const double w[3], double out[3]) {
  double once[3], twice[3];
  crd_vec3_cross(once, xi, w);
  crd_vec3_cross(twice, xi, once);
  for (int i = 0; i < 3; i++) out[i] = w[i] + once[i] / 2 + twice[i] / 12;
}

static void displacement_rate(const crd_model *model, const double *xi, const double *v, double *out) {
  memcpy(out, v, sizeof *out * (size_t)model->nv);
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    int at = joint->v + (joint->type == CRD_FREE ? 3 : 0);
    if (joint->type == CRD_FREE || joint->type == CRD_BALL) rotation_rate(xi + at, v + at, out + at);
  }
}

crd_status crd_compliant_rate(compliant *c, const double *y, double *rate) {
  const crd_model *model = c->model;
  int nv = model->nv;
  const double *v = y + nv;
  crd_contact_options options = crd_contact_default();
  options.distance = fmax(c->options.distance, SEEN), options.mu = c->options.mu;
  options.mass_matrix = false, options.merge_tolerance = 0, options.limits = false;
  crd_tree_integrate_position(model, c->qpos0, y, 1, c->qpos);
  c->status = crd_tree_forward(model, c->work, c->qpos, v, NULL, NULL, NULL, NULL, c->qacc);
  if (c->status == CRD_OK) c->status = crd_contact_at_state(c->assembler, c->work, c->qpos, v, &options, c->problem);
  if (c->status == CRD_OK) c->status = identify(c);
  if (c->status != CRD_OK) return c->status;
  displacement_rate(model, y, v, rate);
  memcpy(rate + nv, c->qacc, sizeof *rate * (size_t)nv);
  for (int i = 0; i < c->problem->nc; i++) {
    const crd_contact *contact = &c->problem->contact[i];
    touch t = touch_of(c, i);
    for (int r = 0; r <= contact->ntangent; r++) {
      double force = !t.pushes ? 0 : r == 0 ? t.normal : -contact->mu * t.normal * t.slip[r - 1];
      const double *X = c->problem->X + (size_t)nv * (size_t)(contact->row + r);
      c->force[contact->row + r] = force;
      for (int j = 0; j < nv; j++) rate[nv + j] += force * X[j];
    }
  }
  return CRD_OK;
}

/* columns += X (g_xi J, g_v J): a force along the row X whose derivatives by xi and v are rows of the contact. */
static void add_product(double *columns, int nv, const double *X, const double *J, double by_xi, double by_v) {
  size_t size = 2 * (size_t)nv;
  for (int j = 0; j < nv; j++)
    for (int i = 0; i < nv; i++) {
      columns[size * (size_t)j + (size_t)(nv + i)] += X[i] * by_xi * J[j];
      columns[size * (size_t)(nv + j) + (size_t)(nv + i)] += X[i] * by_v * J[j];
    }
}

void crd_compliant_jacobian(const compliant *c, double *columns) {
  const crd_contact_problem *problem = c->problem;
  int nv = c->model->nv;
  size_t size = 2 * (size_t)nv, n = (size_t)nv;
  memset(columns, 0, sizeof *columns * size * size);
  for (size_t j = 0; j < n; j++) columns[size * (n + j) + j] = 1;
  for (int i = 0; i < problem->nc; i++) {
    const crd_contact *contact = &problem->contact[i];
    const double *J = problem->J + n * (size_t)contact->row, *X = problem->X + n * (size_t)contact->row;
    touch t = touch_of(c, i);
    if (!t.pushes) continue;
    add_product(columns, nv, X, J, -t.k, -t.damping);
    for (int r = 0; r < contact->ntangent; r++) {
      const double *along = X + n * (size_t)(1 + r);
      add_product(columns, nv, along, J, contact->mu * t.slip[r] * t.k, contact->mu * t.slip[r] * t.damping);
      for (int s = 0; s < contact->ntangent; s++) {
        double turn = ((r == s) - (t.sticks ? 0 : t.slip[r] * t.slip[s])) / t.speed;
        add_product(columns, nv, along, J + n * (size_t)(1 + s), 0, -contact->mu * t.normal * turn);
      }
    }
  }
}

bool crd_compliant_resolved(const compliant *c) {
  for (int i = 0; i < c->problem->nc; i++) {
    const crd_contact *contact = &c->problem->contact[i];
    if (contact->gap <= 0 && c->problem->u[contact->row] < -c->options.delta) return false;
  }
  return true;
}
