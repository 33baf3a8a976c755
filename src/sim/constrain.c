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

#include "base/layout.h"
#include "contact/assemble.h"
#include "coulomb/islands.h"
#include "coulomb/problem.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"

static const double SETTLED = 1e-6;  /* residual of forces that a step accepts, */
static const double NO_GAIN = 1e-9;  /* if they bring no more energy than this share of what they exchange */
static const double MOST_TURN = 0.2; /* of the directions of contacts within a piece, see set_base */
static const double BRIEF = 1e-3;    /* of the step: impulses over less are not forces, but what was left to correct */
enum { MOST_FACTORS = 200 };         /* of an island: Newton's method and the central path from every start */
static const double REACH = 1e4; /* widths of the band: a contact that the free motion lifts by less is looked for */

/* of captures */
static const double TOUCHES = 2e-6;   /* of the size: gaps below it are none, gap / dt would be noise */
static const double STRUCK = 0.5;     /* of the fastest body's speed: what an impulse may add to an approach */
static const double ROUNDING = 1e-12; /* of a body's size in a step: slower approach is none */
static const double PARTS = 1e-9;     /* of the speeds at a contact: slower parting is none */
static const double USUAL_ACCURACY = 1e-4, POOR = 1e-2; /* residual with which a step goes on sweeping */
enum {
  FEW_CONTACTS = 80,  /* islands up to this many are solved as far as rounding permits */
  USUAL_SWEEPS = 15,  /* of larger ones, */
  POOR_SWEEPS = 500,  /* where the residual is poor, */
  MANY_SWEEPS = 5000, /* and where more than the usual accuracy is asked for */
};

/* ------------------------------------------------------------------------------------------------ memory */

crd_status crd_sim_reserve_rows(crd_sim *sim, int needed, int contacts) {
  crd_sim_rows *rows = &sim->rows;
  crd_sim_closing *closing = &sim->closing;
  if (needed < 3 * contacts) needed = 3 * contacts;
  if (needed <= rows->capacity) return CRD_OK;
  size_t n = (size_t)needed + (size_t)needed / 2, d = sizeof(double), i = sizeof(int);
  const crd_layout table[] = {
      {&rows->p, n, d, 0},
      {&rows->u, n, d, 0},
      {&rows->w, n, d, 0},
      {&rows->before, n, d, 0},
      {&rows->speed, n, d, 0},
      {&rows->scratch, n, d, 0},
      {&rows->island, n, i, 0},
      {&rows->done, n, d, 0},
      {&rows->members, n, i, 0},
      {&rows->mode, n, sizeof *rows->mode, 0},
      {&rows->cone, n, sizeof *rows->cone, 0},
      {&rows->bounded, n, sizeof *rows->bounded, 0},
      {&rows->bilateral, n, i, 0},
      {&closing->gap, n, d, 0},
      {&closing->near, n, sizeof *closing->near, 0},
      {&closing->chosen, n, sizeof *closing->chosen, 0},
      {&closing->shift, n, d, 0},
      {&closing->place, n, i, 0},
  };
  if (crd_layout_renew(&rows->arena, table, sizeof table / sizeof *table) != CRD_OK)
    return crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d contact rows", (int)n);
  rows->capacity = (int)n;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ points */

static bool any_touching(const crd_sim_touches *touches) {
  for (int i = 0; i < touches->count; i++)
    if (touches->item[i].touching) return true;
  return false;
}

/* Is every point that holds found again? */
static bool finds_all(const crd_sim *sim) {
  int before = 0, found = 0;
  for (int i = 0; i < sim->now.touches.count; i++) before += sim->now.touches.item[i].touching;
  for (int i = 0; i < sim->rows.touches.count; i++) found += sim->rows.touches.item[i].touching;
  return found == before;
}

/* The fastest that a point of a body moves, at the velocities of the workspace. */
static double fastest_point(const crd_sim *sim) {
  double fastest = 0;
  for (int i = 0; i < sim->scene.nmoving; i++) {
    const crd_geom *geom = &sim->model->geom[sim->scene.moving[i]];
    double V[6];
    crd_tree_point_velocity(sim->model, sim->rows.work, geom->body, sim->seek.pos + 3 * sim->scene.moving[i], V);
    double radius = geom->type == CRD_PLANE ? sim->scene.size : geom->radius;
    fastest = fmax(fastest, crd_vec3_norm(V + 3) + radius * crd_vec3_norm(V));
  }
  return fastest;
}

/* Farthest that a limited joint moves in the piece. */
static double limit_reach(const crd_sim *sim, double dt) {
  double fastest = 0;
  for (int k = 0; sim->scene.has_limits && k < sim->model->nv; k++)
    fastest = fmax(fastest, fmax(fabs(sim->now.v[k]), fabs(sim->trial.v[k])));
  return 2 * dt * fastest + TOUCHES * sim->scene.size;
}

/* Leaves out points that neither their approach, where the free motion is still to come, nor what impulses may add to it
 * could close. */
static void keep_near(crd_sim *sim, const crd_sim_scheme *scheme, double dt, double fastest) {
  crd_sim_touches *held = &sim->rows.touches;
  int kept = 0;
  for (int i = 0; i < held->count; i++) {
    const crd_sim_touch *touch = &held->item[i];
    double gap = touch->at.gap - TOUCHES * sim->scene.size, added = STRUCK * dt * fastest;
    bool near = touch->at.geomA == CRD_SIM_LIMIT || touch->touching || gap <= added;
    if (!near && scheme->at_start)
      near = gap <= added + dt * crd_sim_closing_speed(sim, sim->rows.work, &touch->at, NULL, NULL, NULL);
    if (near && kept < i) held->item[kept] = *touch;
    kept += near;
  }
  held->count = kept;
}

/* All points whose gap could close, at the poses of the workspace. */
static crd_status find_near(crd_sim *sim, const crd_sim_scheme *scheme, const double *q, double dt) {
  double fastest = fastest_point(sim) + dt * crd_vec3_norm(sim->model->gravity);
  double distance = (scheme->at_start ? 2 : STRUCK) * dt * fastest + TOUCHES * sim->scene.size;
  crd_status status = crd_sim_detect_reach(sim, q, distance, fmax(distance, limit_reach(sim, dt)), &sim->now.touches,
                                           &sim->rows.touches);
  if (status == CRD_OK) keep_near(sim, scheme, dt, fastest);
  return status;
}

/* The points that take part, in sim->rows.touches, and their problem in sim->rows.problem, where there are any. */
static crd_status find_rows(crd_sim *sim, const crd_sim_scheme *scheme, double dt, bool *any) {
  const double *q = scheme->at_start ? sim->now.q : sim->trial.q, *v = scheme->at_start ? sim->now.v : sim->trial.v;
  bool rows = sim->scene.has_loops || sim->scene.has_dry; /* that are there whatever touches */
  const int *contact_of;
  *any = false;
  if (!scheme->capture && !rows && !any_touching(&sim->now.touches)) return CRD_OK;
  if (!scheme->at_start) {
    crd_tree_set_armature(sim->rows.work, sim->begin.implicit ? sim->stiff->armature : NULL);
    crd_tree_kinematics(sim->model, sim->rows.work, q);
    crd_tree_velocity(sim->model, sim->rows.work, v);
  }
  crd_sim_place_geoms(sim, sim->rows.work);
  crd_status status =
      scheme->capture ? find_near(sim, scheme, q, dt) : crd_sim_expect(sim, q, REACH * sim->scene.contact_band);
  if (status != CRD_OK) return status;
  sim->seen.misled = !scheme->capture && sim->forecast.acts && !finds_all(sim);
  *any =
      !sim->seen.misled && (rows || (scheme->capture ? sim->rows.touches.count > 0 : any_touching(&sim->rows.touches)));
  if (!*any) return CRD_OK;
  for (int i = 0; i < sim->rows.touches.count; i++)
    sim->rows.take[i] = scheme->capture || sim->rows.touches.item[i].touching;
  if (!scheme->at_start) status = crd_tree_factor(sim->model, sim->rows.work);
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(sim, sim->rows.work, status);
  status = crd_sim_assemble(sim, q, v, &sim->rows.touches, sim->rows.take, CRD_SIM_TO_HOLD, &contact_of);
  if (status != CRD_OK) return status;
  const crd_contact_problem *problem = sim->rows.problem;
  status = crd_sim_reserve_rows(sim, problem->nrow + problem->nb + problem->nf, problem->nc);
  *any = problem->nrow + problem->nb + problem->nf > 0;
  return status;
}

/* One touch of sim->rows.touches for each contact of the problem into sim->rows.touch_of, -1: none; and how many points share it. */
static void list_touches(crd_sim *sim) {
  for (int c = 0; c < sim->rows.problem->nc; c++) sim->rows.touch_of[c] = -1, sim->rows.members[c] = 0;
  for (int i = 0; i < sim->rows.touches.count; i++) {
    int c = sim->rows.contact_of[i];
    if (c < 0) continue;
    if (sim->rows.touch_of[c] < 0) sim->rows.touch_of[c] = i;
    sim->rows.members[c]++;
  }
}

/* ------------------------------------------------------------------------------------------------ velocities */

/* Components of x, a vector in the tangent plane of the old normal, along the tangents of the contact, after the
 * smallest rotation that takes the old normal a into the new one b: x - (b . x) (a + b) / (1 + a . b). */
static void carry(const crd_contact *contact, const double *a, const double *x, double *component) {
  const double *b = contact->normal;
  double turned[3], share = crd_vec3_dot(b, x) / fmax(1 + crd_vec3_dot(a, b), 1e-3);
  for (int k = 0; k < 3; k++) turned[k] = x[k] - share * (a[k] + b[k]);
  for (int t = 0; t < contact->ntangent; t++) component[t] = crd_vec3_dot(turned, contact->tangent[t]);
}

/* Adds a force that acted at the start, in the tangent plane of its normal there, to the rows f of its contact, in the
 * directions of the end; friction of a contact that slides points against its velocity. */
static void add_force(const crd_sim *sim, const crd_contact *contact, const double *normal,
                      const crd_touch_force *force, double *f) {
  const double *u = sim->rows.problem->u + contact->row;
  double friction[2] = {0, 0}, speed = contact->ntangent == 2 ? hypot(u[1], u[2]) : fabs(u[contact->ntangent]);
  carry(contact, normal, force->friction, friction);
  double size = hypot(friction[0], friction[1]);
  bool slides = force->mode == CRD_MODE_SLIP && contact->ntangent > 0 && speed > 0;
  f[contact->row] += force->normal;
  for (int t = 0; t < contact->ntangent; t++)
    f[contact->row + 1 + t] += slides ? -size * u[1 + t] / speed : friction[t];
}

/* The rows' share of a list of the forecast, times dt, into sim->rows.p. */
static void collect_forces(crd_sim *sim, const crd_touch_force *list, double dt) {
  const crd_contact_problem *problem = sim->rows.problem;
  int m = problem->nrow + problem->nb;
  double *p = sim->rows.p;
  memset(p, 0, (size_t)m * sizeof *p);
  for (int i = 0; i < sim->rows.touches.count; i++) {
    int source = sim->rows.touches.item[i].source, c = sim->rows.contact_of[i];
    if (c < 0 || source < 0) continue;
    add_force(sim, &problem->contact[c], sim->now.touches.item[source].at.normal, &list[source], p);
  }
  for (int i = 0; i < m; i++) p[i] *= dt;
  for (int i = 0; i < problem->nf; i++) p[m + i] = dt * sim->forecast.dry[problem->dry[i].dof];
}

/* vb into trial.v, the velocities of the rows without impulses into sim->rows.w. False: f . J0 M^-1 f and f . J1 M^-1 f
 * differ by more than MOST_TURN, and f says nothing about this piece: near the dead point of a folded link the direction
 * of a contact turns round within a step, and a light body under a heavy one is turned by what a heavy load changes from
 * step to step. */
static bool set_base(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  const crd_contact_problem *problem = sim->rows.problem;
  double *excess = sim->stage.chart, both = 0, end = 0;
  int m = problem->nrow + problem->nb, rows = m + problem->nf;
  if (scheme->at_start) {
    crd_contact_velocity(sim->rows.assembler, sim->rows.work, sim->trial.v, sim->rows.w);
    return true;
  }
  memcpy(sim->rows.w, problem->u, (size_t)m * sizeof *sim->rows.w);
  for (int i = 0; i < problem->nf; i++) sim->rows.w[m + i] = problem->u_dry[i];
  if (!sim->forecast.acts) return true;
  collect_forces(sim, sim->forecast.force, 1);
  crd_contact_response_with(sim->rows.assembler, sim->rows.work, sim->rows.p, sim->forecast.load, excess);
  crd_contact_velocity(sim->rows.assembler, sim->rows.work, excess, sim->rows.u);
  for (int i = 0; i < rows; i++) {
    both += sim->rows.p[i] * sim->rows.u[i];
    sim->rows.w[i] -= 0.5 * dt * sim->rows.u[i];
  }
  for (int k = 0; k < problem->nv; k++) sim->trial.v[k] -= 0.5 * dt * excess[k];
  crd_coulomb_velocity(&(crd_coulomb_problem){.n = rows, .w = sim->rows.w, .blocks = problem->blocks}, sim->rows.p,
                       sim->rows.u);
  for (int i = 0; i < rows; i++) end += sim->rows.p[i] * (sim->rows.u[i] - sim->rows.w[i]);
  return fabs(both - 2 * end) <= MOST_TURN * end;
}

/* Velocities of the rows at the start of the piece into sim->rows.before; of contacts whose points are known from there, in
 * the directions of the start, of other rows in those of the problem. */
static void measure_start(crd_sim *sim, const crd_sim_scheme *scheme) {
  const crd_contact_problem *problem = sim->rows.problem;
  int m = problem->nrow + problem->nb;
  if (scheme->at_start) {
    memcpy(sim->rows.before, problem->u, (size_t)m * sizeof *sim->rows.before);
    for (int i = 0; i < problem->nf; i++) sim->rows.before[m + i] = problem->u_dry[i];
    return;
  }
  crd_contact_velocity(sim->rows.assembler, sim->rows.work, sim->now.v, sim->rows.before);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int source = sim->rows.touch_of[c] >= 0 ? sim->rows.touches.item[sim->rows.touch_of[c]].source : -1;
    if (source < 0 || contact->joint >= 0) continue;
    const double *normal = sim->now.touches.item[source].at.normal, *u = sim->begin.velocity[source];
    double along = crd_vec3_dot(normal, u), sliding[3];
    crd_vec3_copy(sliding, u);
    crd_vec3_axpy(sliding, -along, normal);
    sim->rows.before[contact->row] = along;
    carry(contact, normal, sliding, sim->rows.before + contact->row + 1);
  }
}

/* ------------------------------------------------------------------------------------------------ the Coulomb problem
 */

/* Speed of what the row compares, before it cancels. */
static double speed_of_row(const crd_sim *sim, int index) {
  const crd_row *row = &sim->rows.assembler->row[index];
  double speed = 0;
  for (int k = 0; k < row->ndof; k++) speed += fabs(row->coefficient[k] * sim->stage.free_v[row->dof[k]]);
  for (int k = 0; row->ndof == 0 && k < 2; k++) {
    double V[6], part = 0;
    if (row->node[k] < 0) continue;
    crd_tree_point_velocity(sim->model, sim->rows.work, row->body[k], row->point[k], V);
    for (int i = 0; i < 6; i++) part += row->direction[i] * V[i];
    speed += fabs(part);
  }
  return speed;
}

/* What the normal velocity of a captured contact must reach. */
static double target_of(const crd_sim *sim, const crd_sim_scheme *scheme, const crd_contact *c, double dt) {
  double way = scheme->theta * dt, before = sim->rows.before[c->row], gap = c->gap;
  if (!scheme->at_start) gap -= way * sim->rows.problem->u[c->row]; /* as it was before the free motion */
  if (!(gap > TOUCHES * sim->scene.size)) gap = 0;
  bool closes = gap + way * sim->rows.w[c->row] < 0, approaches = before < -ROUNDING * sim->scene.size / dt;
  return c->e > 0 && closes && approaches ? -c->e * before : -gap / way;
}

/* All that acts over dt as one problem, from the velocities sim->rows.w. A limit that the problem has but nobody asked for
 * carries nothing: bounds of zero. */
static crd_coulomb_problem state_problem(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  const crd_contact_problem *problem = sim->rows.problem;
  int m = problem->nrow + problem->nb;
  crd_coulomb_problem s = {.n = m + problem->nf,
                           .w = sim->rows.w,
                           .contact = sim->rows.cone,
                           .bilateral = sim->rows.bilateral,
                           .bounded = sim->rows.bounded,
                           .blocks = problem->blocks,
                           .speed = sim->rows.speed};
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (sim->rows.touch_of[c] < 0) {
      for (int i = 0; i <= contact->ntangent; i++)
        sim->rows.bounded[s.nbounded++] = (crd_coulomb_bounded){.row = contact->row + i};
      continue;
    }
    int source = sim->rows.touches.item[sim->rows.touch_of[c]].source;
    sim->rows.mode[s.ncontact] = source >= 0 ? sim->forecast.guess[source].mode : CRD_MODE_NONE;
    sim->rows.cone[s.ncontact++] =
        (crd_coulomb_contact){.row = contact->row,
                              .ntangent = contact->ntangent,
                              .mu = contact->mu,
                              .target = scheme->capture ? target_of(sim, scheme, contact, dt) : 0};
  }
  for (int b = 0; b < problem->nb; b++) sim->rows.bilateral[s.nbilateral++] = problem->nrow + b;
  for (int i = 0; i < problem->nf; i++) {
    double bound = dt * problem->dry[i].bound;
    sim->rows.bounded[s.nbounded++] = (crd_coulomb_bounded){.row = m + i, .lower = -bound, .upper = bound};
  }
  double fall = dt * crd_vec3_norm(sim->model->gravity);
  for (int k = 0; scheme->at_start && problem->nb > 0 && k < sim->model->nv; k++)
    fall = fmax(fall, fabs(sim->trial.v[k]));
  for (int i = 0; i < s.n; i++)
    sim->rows.speed[i] = i < m && !scheme->at_start ? fmax(fall, speed_of_row(sim, i)) : fall;
  return s;
}

/* Dry friction of a joint that turns round within the piece acts one way until it stops and the other way afterwards.
 * With all else constant, u' = (w - u0) / dt without friction, it stops after
 *
 *   t = u0 dt / (u0 - w + dt b g)        u0 > 0, g: compliance of the joint
 *
 * so that its impulse is at most b (dt - 2 t), which just holds it where it stays at rest. A bound of b dt in the piece
 * of every turn would make the motion first order. w: without the joint's own friction, with all others as guessed. */
static void bound_turning(crd_sim *sim, const crd_coulomb_problem *s, double dt) {
  const crd_contact_problem *problem = sim->rows.problem;
  int m = problem->nrow + problem->nb;
  crd_coulomb_velocity(s, sim->rows.p, sim->rows.u);
  for (int i = 0; i < problem->nf; i++) {
    crd_coulomb_bounded *dry = &sim->rows.bounded[s->nbounded - problem->nf + i];
    double g = crd_coulomb_diagonal(s, m + i), b = problem->dry[i].bound, u0 = sim->now.v[problem->dry[i].dof];
    double sign = u0 < 0 ? -1 : 1, w = sign * (sim->rows.u[m + i] - g * sim->rows.p[m + i]), speed = fabs(u0);
    double stops = speed * dt / (speed - w + dt * b * g);
    if (!(speed > 0 && stops > 0 && stops < dt)) continue;
    if (sign > 0)
      dry->upper = b * (dt - 2 * stops);
    else
      dry->lower = -b * (dt - 2 * stops);
  }
}

/* Energy that contacts put in by what they violate, relative to what is exchanged: a contact that hardly can move (a
 * folded link) may put in much at velocities far below all others. */
static double gain_of(const crd_sim *sim, const crd_coulomb_problem *s) {
  double gain = 0, exchanged = 0;
  for (int i = 0; i < s->n; i++) exchanged += fabs(sim->rows.p[i] * sim->rows.w[i]);
  for (int k = 0; k < s->ncontact; k++) {
    const crd_coulomb_contact *c = &s->contact[k];
    double power = 0;
    for (int i = c->row; i <= c->row + c->ntangent; i++) power += sim->rows.p[i] * sim->rows.u[i];
    gain = fmax(gain, power);
  }
  return exchanged > 0 ? gain / exchanged : 0;
}

/* An answer that is no solution may bring energy, s p . w + s^2 p . G p / 2 for the share s of it: then only as much of
 * it acts as brings none. */
static void draw_back(crd_sim *sim, int n) {
  double linear = 0, square = 0;
  for (int i = 0; i < n; i++) {
    linear += sim->rows.p[i] * sim->rows.w[i];
    square += sim->rows.p[i] * (sim->rows.u[i] - sim->rows.w[i]);
  }
  if (linear + 0.5 * square <= 0) return; /* false for NaN */
  double share = linear < 0 && square > 0 ? -2 * linear / square : 0;
  for (int i = 0; i < n; i++) {
    sim->rows.p[i] = share > 0 ? share * sim->rows.p[i] : 0;
    sim->rows.u[i] = share > 0 ? sim->rows.w[i] + share * (sim->rows.u[i] - sim->rows.w[i]) : sim->rows.w[i];
  }
}

static bool all_zero(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

/* Nothing moves: are the impulses of the last step those of this one? The weight is the scale of each island. */
static bool guess_holds(const crd_sim *sim, crd_coulomb_problem problem, double tolerance, crd_coulomb_state *state,
                        crd_coulomb_report *report) {
  crd_coulomb_residual_parts parts;
  if (!all_zero(sim->now.v, sim->model->nv)) return false;
  problem.speed = NULL, problem.velocity = sim->rows.speed[0];
  if (crd_coulomb_residual(&problem, state->p, state->u, &parts) != CRD_OK) return false;
  report->residual = parts.worst + parts.rounding;
  if (report->residual > tolerance) return false;
  crd_coulomb_modes(&problem, state->p, state->u, state->mode);
  return true;
}

/* Whatever residual is reached stands, but not a gain of energy. */
static crd_status solve_capture(crd_sim *sim, const crd_sim_scheme *scheme, const crd_coulomb_problem *s,
                                crd_coulomb_options *options, crd_coulomb_state *state, crd_coulomb_report *report) {
  options->large_contacts = FEW_CONTACTS, options->large_tolerance = sim->options.accuracy;
  options->max_sweeps = sim->options.accuracy < USUAL_ACCURACY ? MANY_SWEEPS : USUAL_SWEEPS;
  sim->seen.still = scheme->at_start && guess_holds(sim, *s, options->tolerance, state, report);
  if (sim->seen.still) return CRD_OK;
  crd_status status = crd_coulomb_solve(sim->rows.coulomb, s, options, state, report);
  if (status == CRD_LIMIT && report->residual > POOR) { /* an impact runs through many bodies */
    options->large_tolerance = fmax(POOR, options->large_tolerance), options->max_sweeps = POOR_SWEEPS;
    status = crd_coulomb_solve(sim->rows.coulomb, s, options, state, report);
  }
  if (status <= CRD_OK) return status;
  if (status == CRD_NO_SOLUTION) crd_coulomb_velocity(s, sim->rows.p, sim->rows.u); /* the guess stands */
  draw_back(sim, s->n);
  sim->seen.failed = true;
  return CRD_OK;
}

/* Residuals above the solver's tolerance are taken where they bring no energy. */
static crd_status solve_persistent(crd_sim *sim, const crd_coulomb_problem *s, crd_coulomb_options *options,
                                   crd_coulomb_state *state, crd_coulomb_report *report) {
  crd_status status = crd_coulomb_solve(sim->rows.coulomb, s, options, state, report);
  if (status == CRD_LIMIT && report->residual <= SETTLED && gain_of(sim, s) <= NO_GAIN) return CRD_OK;
  return status <= CRD_OK ? status : CRD_LIMIT;
}

/* Impulses, velocities and modes of the rows into sim->rows.p, u and mode; their islands into sim->rows.island. */
static crd_status solve(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_problem s = state_problem(sim, scheme, dt);
  crd_coulomb_state state = {sim->rows.p, sim->rows.u, sim->rows.mode};
  crd_coulomb_report report = {.islands = 1};
  options.warm = true, options.max_factorizations = MOST_FACTORS;
  options.stop = sim->options.stop, options.context = sim->options.stop_context;
  collect_forces(sim, sim->forecast.guess, dt);
  if (!scheme->capture) bound_turning(sim, &s, dt);
  crd_status status = scheme->capture ? solve_capture(sim, scheme, &s, &options, &state, &report)
                                      : solve_persistent(sim, &s, &options, &state, &report);
  if (crd_sim_stopped(sim)) return CRD_STOPPED;
  if (status < CRD_OK) return crd_sim_fail(sim, status, "contacts: %s", crd_status_text(status));
  sim->ledger.counters.solves += scheme->capture ? 1 : report.islands;
  sim->seen.residual = report.residual;
  if (!sim->seen.still)
    memcpy(sim->rows.island, crd_coulomb_islands(sim->rows.coulomb), (size_t)s.n * sizeof *sim->rows.island);
  /* the cones leave out limits that carry nothing */
  for (int c = sim->rows.problem->nc - 1, cone = s.ncontact; c >= 0; c--)
    sim->rows.mode[c] = sim->rows.touch_of[c] >= 0 ? sim->rows.mode[--cone] : CRD_MODE_NONE;
  if (status == CRD_OK) return CRD_OK;
  return crd_sim_fail(sim, CRD_LIMIT, "contacts: no forces were found that hold %d contacts and %d loop rows",
                      s.ncontact, s.nbilateral);
}

/* ------------------------------------------------------------------------------------------------ what the forces do */

void crd_touch_set_velocity(crd_sim_touch *touch, const crd_contact *contact, const double *u) {
  crd_vec3_scale(touch->velocity, u[0], contact->normal);
  for (int t = 0; t < contact->ntangent; t++) crd_vec3_axpy(touch->velocity, u[1 + t], contact->tangent[t]);
}

/* Does a contact that was captured persist? One that closes its gap in the piece still approaches, one that rebounds
 * leaves: both meet their next impact at its own instant, but for a rebound that returns within a step, as after an
 * impact (impact_event.c). */
static bool stays(const crd_sim *sim, int c, double dt) {
  const crd_contact *contact = &sim->rows.problem->contact[c];
  double u = sim->rows.u[contact->row], falls = (sim->rows.before[contact->row] - sim->rows.w[contact->row]) / dt;
  double still = fmax(sim->seen.residual, PARTS) * sim->rows.speed[contact->row] + ROUNDING * sim->scene.size / dt;
  return u >= -still && (u <= still || (contact->e < 1 && 2 * u < falls * sim->options.timestep));
}

/* Forces, velocities and modes of the points, for the next step. Impulses that have captured an impact serve as a guess,
 * not as a force. */
static void keep_forces(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  const crd_contact_problem *problem = sim->rows.problem;
  int m = problem->nrow + problem->nb;
  bool forces = !scheme->capture && dt >= BRIEF * sim->options.timestep;
  for (int i = 0; i < sim->rows.touches.count; i++) {
    crd_sim_touch *touch = &sim->rows.touches.item[i];
    int c = sim->rows.contact_of[i];
    if (scheme->capture)
      touch->touching = false, touch->force = touch->guess = (crd_touch_force){.mode = CRD_MODE_NONE};
    if (c < 0) continue;
    const crd_contact *contact = &problem->contact[c];
    const double *p = sim->rows.p + contact->row;
    double share = 1 / (dt * sim->rows.members[c]);
    touch->guess = (crd_touch_force){.mode = sim->rows.mode[c], .normal = p[0] * share};
    for (int t = 0; t < contact->ntangent; t++)
      crd_vec3_axpy(touch->guess.friction, p[1 + t] * share, contact->tangent[t]);
    touch->force = forces ? touch->guess : (crd_touch_force){.mode = sim->rows.mode[c]};
    if (scheme->capture) touch->touching = p[0] > 0 && (scheme->at_start || stays(sim, c, dt));
    crd_touch_set_velocity(touch, contact, sim->rows.u + contact->row);
  }
  for (int i = 0; i < problem->nf; i++) sim->trial.dry[problem->dry[i].dof] = sim->rows.p[m + i] / dt;
  if (!forces) return;
  /* of loops the stages of the free motion have their own forces */
  for (int i = 0; i < m + problem->nf; i++)
    sim->rows.scratch[i] = i >= problem->nrow && i < m ? 0 : sim->rows.p[i] / dt;
  crd_contact_joint_forces(sim->rows.assembler, sim->rows.work, sim->rows.scratch, sim->trial.load);
}

crd_status crd_sim_constrain(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  size_t size = (size_t)sim->model->nv * sizeof(double);
  bool any;
  memset(sim->trial.load, 0, size), memset(sim->trial.dry, 0, size);
  crd_status status = find_rows(sim, scheme, dt, &any);
  if (status != CRD_OK || !any) return status;
  list_touches(sim);
  sim->seen.misled = !set_base(sim, scheme, dt);
  if (sim->seen.misled) return CRD_OK;
  measure_start(sim, scheme);
  status = solve(sim, scheme, dt);
  if (status != CRD_OK) return status;
  crd_contact_response(sim->rows.assembler, sim->rows.work, sim->rows.p, sim->stage.chart);
  for (int k = 0; k < sim->model->nv; k++) sim->trial.v[k] += sim->stage.chart[k];
  keep_forces(sim, scheme, dt);
  sim->seen.held = true;
  return CRD_OK;
}
