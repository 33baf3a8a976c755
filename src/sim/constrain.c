/* Contacts, joint limits, loops and dry friction over one piece of time, as one Coulomb problem.
 *
 * Persistent contacts [Jain, eqs. 28, 31, 34-36], made second order. The free motion from (q0, v0) has run under the
 * load J0' f, the generalised force that they exerted in the last step, and has ended at (qf, vf). Over the piece they
 * exert impulses p, in the directions of its start as well as of its end, so that its velocities are
 *
 *   v1 = vf + M^-1 ((J0 + J1)' p / 2 - dt J0' f)
 *
 * Rows J1 and mass matrix M are those at qf, where the forces of the last step have brought the bodies. p differs from
 * dt f by O(dt^2) and J0 from J1 by O(dt), hence to third order
 *
 *   v1 = vb + M^-1 J1' p,    vb = vf - dt M^-1 (J0' f + J1' f) / 2,    q1 = qf + theta dt (v1 - vf),  theta = 1/2
 *
 * and the Coulomb problem J1 v1 = J1 vb + W p keeps its symmetric matrix. Friction of a contact that slides opposes the
 * sliding, at the end as at the start: f is turned into the direction of the end. q1 then returns to the constraints
 * (src/sim/project.c). Where joint forces are steep, M is the matrix of the implicit motion (src/sim/stiff_motion.c).
 *
 * Capture [Moreau 1988; Jean 1999]. A scheme that captures takes all points whose gap could close within the piece:
 * impacts and persistent contacts are one problem, whatever happens. The normal velocity of a point that the free motion
 * closes and that rebounds (e > 0) must reach -e u_n, of any other -g0 / (theta dt), g0 its gap before: it may close,
 * not more. An overlap counts as no gap, so that positions do not feed energy into velocities. With rows and mass matrix
 * of the start and theta = 1 this is Moreau's and Jean's scheme, first order; with M and forces constant the energy
 * changes by p . u1 - (v1 - v0)' M (v1 - v0) / 2, so that contacts without restitution never add any.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "coulomb/problem.h"
#include "sim/rows.h"

static const double MOST_TURN = 0.2;  /* of the directions of contacts within a piece, see set_base */
static const double BRIEF = 1e-3;     /* of the step: impulses over less are not forces, but what was left to correct */
static const double ROUNDING = 1e-12; /* of a body's size in a step: slower approach is none */
static const double PARTS = 1e-9;     /* of the speeds at a contact: slower parting is none */
static const double REVERSED =
    1e-3; /* 1 + cos of the angle between two normals: below it the axis of rotation is unknown */

double crd_rows_slowest(const crd_group *group, double dt) { return ROUNDING * group->scene->size / dt; }

/* ------------------------------------------------------------------------------------------------ velocities */

/* Components of x, a vector in the tangent plane of the old normal, along `count` axes across the contact's normal, after
 * the smallest rotation that takes the old normal a into the new one b: x - (b . x) (a + b) / (1 + a . b). */
static void carry(const crd_contact *contact, const double *a, const double *x, int count, const double axis[2][3],
                  double *component) {
  const double *b = contact->normal;
  double turned[3], share = crd_vec3_dot(b, x) / fmax(1 + crd_vec3_dot(a, b), REVERSED);
  for (int k = 0; k < 3; k++) turned[k] = x[k] - share * (a[k] + b[k]);
  for (int t = 0; t < count; t++) component[t] = crd_vec3_dot(turned, axis[t]);
}

/* The same for the moment of torsional and rolling friction: about the normal, and across it. Added to the rows f. */
static void add_moment(const crd_contact *contact, const double *normal, const double *moment, double *f) {
  double about = crd_vec3_dot(normal, moment), across[3], rolling[2];
  f += contact->row + 1 + contact->ntangent;
  if (contact->nspin) *f++ += about;
  crd_vec3_copy(across, moment);
  crd_vec3_axpy(across, -about, normal);
  carry(contact, normal, across, contact->nroll, contact->roll, rolling);
  for (int k = 0; k < contact->nroll; k++) f[k] += rolling[k];
}

/* Adds a force that acted at the start, in the tangent plane of its normal there, to the rows f of its contact, in the
 * directions of the end; friction of a contact that slides points against its velocity. */
static void add_force(const crd_group *group, const crd_contact *contact, const double *normal,
                      const crd_touch_force *force, double *f) {
  const double *u = group->rows->problem->u + contact->row;
  double friction[2] = {0, 0}, speed = contact->ntangent == 2 ? hypot(u[1], u[2]) : fabs(u[contact->ntangent]);
  carry(contact, normal, force->friction, contact->ntangent, contact->tangent, friction);
  double size = hypot(friction[0], friction[1]);
  bool slides = force->mode == CRD_MODE_SLIP && contact->ntangent > 0 && speed > 0;
  f[contact->row] += force->normal;
  for (int t = 0; t < contact->ntangent; t++)
    f[contact->row + 1 + t] += slides ? -size * u[1 + t] / speed : friction[t];
  if (contact->nspin || contact->nroll) add_moment(contact, normal, force->moment, f);
}

void crd_rows_collect_forces(crd_group *group, const crd_touch_force *list, double dt) {
  const crd_contact_problem *problem = group->rows->problem;
  int m = problem->nrow + problem->nb;
  double *p = group->rows->p;
  memset(p, 0, (size_t)m * sizeof *p);
  for (int i = 0; i < group->rows->touches.count; i++) {
    int source = group->rows->touches.item[i].source, c = group->rows->contact_of[i];
    if (c < 0 || source < 0) continue;
    add_force(group, &problem->contact[c], group->now.touches.item[source].at.normal, &list[source], p);
  }
  for (int i = 0; i < m; i++) p[i] *= dt;
  for (int i = 0; i < problem->nf; i++) p[m + i] = dt * group->forecast->dry[problem->dry[i].dof];
}

/* vb into trial.v, the velocities of the rows without impulses into group->rows->w. False: f . J0 M^-1 f and f . J1 M^-1 f
 * differ by more than MOST_TURN, and f says nothing about this piece: near the dead point of a folded link the direction
 * of a contact turns round within a step, and a light body under a heavy one is turned by what a heavy load changes from
 * step to step. */
static bool set_base(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  const crd_contact_problem *problem = group->rows->problem;
  double *excess = group->stage->scratch[0], both = 0, end = 0;
  int m = problem->nrow + problem->nb, rows = m + problem->nf;
  if (scheme->at_start) {
    crd_contact_velocity(group->rows->assembler, group->rows->work, group->trial->v, group->rows->w);
    return true;
  }
  memcpy(group->rows->w, problem->u, (size_t)m * sizeof *group->rows->w);
  for (int i = 0; i < problem->nf; i++) group->rows->w[m + i] = problem->u_dry[i];
  if (!group->forecast->acts) return true;
  crd_rows_collect_forces(group, group->forecast->force, 1);
  if (group->scene->nprescribed > 0) { /* of which vb is without one half, over dt */
    crd_contact_joint_forces(group->rows->assembler, group->rows->work, group->rows->p, group->stage->withdrawn);
    CRD_EACH (group->part, v, k) group->stage->withdrawn[k] += group->forecast->load[k];
  }
  crd_contact_response_with(group->rows->assembler, group->rows->work, group->rows->p, group->forecast->load, excess);
  crd_contact_velocity(group->rows->assembler, group->rows->work, excess, group->rows->u);
  for (int i = 0; i < rows; i++) {
    both += group->rows->p[i] * group->rows->u[i];
    group->rows->w[i] -= 0.5 * dt * group->rows->u[i];
  }
  for (int k = 0; k < problem->nv; k++) group->trial->v[k] -= 0.5 * dt * excess[k];
  crd_coulomb_velocity(&(crd_coulomb_problem){.n = rows, .w = group->rows->w, .blocks = problem->blocks},
                       group->rows->p, group->rows->u);
  for (int i = 0; i < rows; i++) end += group->rows->p[i] * (group->rows->u[i] - group->rows->w[i]);
  return fabs(both - 2 * end) <= MOST_TURN * end;
}

/* Velocities of the rows at the start of the piece into group->rows->before; of contacts and limits that are known from
 * there, in the directions of the start, of other rows in those of the problem. */
static void measure_start(crd_group *group, const crd_sim_scheme *scheme) {
  const crd_contact_problem *problem = group->rows->problem;
  int m = problem->nrow + problem->nb;
  if (scheme->at_start) {
    memcpy(group->rows->before, problem->u, (size_t)m * sizeof *group->rows->before);
    for (int i = 0; i < problem->nf; i++) group->rows->before[m + i] = problem->u_dry[i];
    return;
  }
  crd_contact_velocity(group->rows->assembler, group->rows->work, group->now.v, group->rows->before);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int source = group->rows->touch_of[c] >= 0 ? group->rows->touches.item[group->rows->touch_of[c]].source : -1;
    if (source < 0) continue;
    const double *normal = group->now.touches.item[source].at.normal, *u = group->begin->velocity[source];
    if (contact->joint >= 0) {
      if (!isnan(u[0])) group->rows->before[contact->row] = u[0];
      continue;
    }
    double along = crd_vec3_dot(normal, u), sliding[3];
    crd_vec3_copy(sliding, u);
    crd_vec3_axpy(sliding, -along, normal);
    group->rows->before[contact->row] = along;
    carry(contact, normal, sliding, contact->ntangent, contact->tangent, group->rows->before + contact->row + 1);
  }
}

/* ------------------------------------------------------------------------------------------------ effect of the forces */

void crd_touch_set_velocity(crd_sim_touch *touch, const crd_contact *contact, const double *u) {
  if (contact->joint >= 0) {
    touch->velocity[0] = u[0], touch->velocity[1] = touch->velocity[2] = 0;
    return;
  }
  crd_vec3_scale(touch->velocity, u[0], contact->normal);
  for (int t = 0; t < contact->ntangent; t++) crd_vec3_axpy(touch->velocity, u[1 + t], contact->tangent[t]);
}

/* Does a contact that was captured persist? One that closes its gap in the piece still approaches, one that rebounds
 * leaves: both meet their next impact at its own instant, except a rebound that returns within a step, as after an
 * impact (impacts.c). */
static bool stays(const crd_group *group, int c, double dt) {
  const crd_contact *contact = &group->rows->problem->contact[c];
  double u = group->rows->u[contact->row],
         falls = (group->rows->before[contact->row] - group->rows->w[contact->row]) / dt;
  double still = fmax(group->seen.residual, PARTS) * group->rows->speed[contact->row] + crd_rows_slowest(group, dt);
  return u >= -still && (u <= still || (contact->e < 1 && 2 * u < falls * group->options->timestep));
}

/* Forces, velocities and modes of the points, for the next step. Impulses that have captured an impact serve as a guess,
 * not as a force. */
static void keep_forces(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  const crd_contact_problem *problem = group->rows->problem;
  int m = problem->nrow + problem->nb;
  bool forces = !scheme->capture && dt >= BRIEF * group->options->timestep;
  for (int i = 0; i < group->rows->touches.count; i++) {
    crd_sim_touch *touch = &group->rows->touches.item[i];
    int c = group->rows->contact_of[i];
    if (scheme->capture) touch->active = false, touch->force = touch->guess = (crd_touch_force){.mode = CRD_MODE_NONE};
    if (c < 0) continue;
    const crd_contact *contact = &problem->contact[c];
    const double *p = group->rows->p + contact->row;
    double share = 1 / (dt * group->rows->members[c]);
    touch->guess = (crd_touch_force){.mode = group->rows->mode[c], .normal = p[0] * share};
    for (int t = 0; t < contact->ntangent; t++)
      crd_vec3_axpy(touch->guess.friction, p[1 + t] * share, contact->tangent[t]);
    p += 1 + contact->ntangent;
    if (contact->nspin) crd_vec3_axpy(touch->guess.moment, *p++ * share, contact->normal);
    for (int k = 0; k < contact->nroll; k++) crd_vec3_axpy(touch->guess.moment, p[k] * share, contact->roll[k]);
    touch->force = forces ? touch->guess : (crd_touch_force){.mode = group->rows->mode[c]};
    if (scheme->capture)
      touch->active = group->rows->p[contact->row] + group->rows->pull[contact->row] > 0 &&
                      (scheme->at_start || stays(group, c, dt));
    crd_touch_set_velocity(touch, contact, group->rows->u + contact->row);
  }
  for (int i = 0; i < problem->nf; i++) group->trial->dry[problem->dry[i].dof] = group->rows->p[m + i] / dt;
  if (!forces) return;
  /* of loops the stages of the free motion have their own forces */
  for (int i = 0; i < m + problem->nf; i++)
    group->rows->scratch[i] = i >= problem->nrow && i < m ? 0 : group->rows->p[i] / dt;
  crd_contact_joint_forces(group->rows->assembler, group->rows->work, group->rows->scratch, group->trial->load);
}

crd_status crd_sim_constrain(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  bool any;
  crd_part_clear_v(group->part, group->trial->load), crd_part_clear_dry(group->part, group->trial->dry);
  crd_status status = crd_rows_find(group, scheme, dt, &any);
  if (status != CRD_OK || !any) return status;
  group->seen.misled = !set_base(group, scheme, dt);
  if (group->seen.misled) return CRD_OK;
  measure_start(group, scheme);
  status = crd_rows_solve(group, scheme, dt);
  if (status != CRD_OK) return status;
  crd_contact_response(group->rows->assembler, group->rows->work, group->rows->p, group->stage->dv);
  CRD_EACH (group->part, v, k) group->trial->v[k] += group->stage->dv[k];
  keep_forces(group, scheme, dt);
  group->seen.constrained = true;
  return CRD_OK;
}
