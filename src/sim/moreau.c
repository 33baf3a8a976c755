/* Time stepping after Moreau [1988] and Jean [1999]: impacts and persistent contacts in one Coulomb problem a step.
 *
 *   Mh (v_free - v) = h (tau - h K v - c),  Mh = M + h D + h^2 K       joint forces at (q, v), linearly implicit;
 * Coriolis and gyroscopic forces c at half of this change v+ = v_free + Mh^-1 J' p,              u = J v+,  J at q
 *   contacts    0 <= p_n _|_ u_n - target >= 0 with Coulomb friction
 *   limits      the same without friction;  loops  u = 0 (positions: project.c);  dry friction of joints  |p| <= h bound
 *   q+ = q + h v+ + displacement           which parts what overlaps (moreau_project.c)
 *
 * All points take part whose gap the bodies' speeds could close within the step. The target of one that the free motion
 * closes and that rebounds (e > 0) is -e u_n, of any other -gap / h: it may close, not more. An overlap counts as no
 * gap, so that positions do not feed energy into velocities. With M and forces constant the energy changes by
 *
 *   p . u+  -  (v+ - v)' M (v+ - v) / 2
 *
 * so that contacts without restitution never add any. First order in h; the cost of a step is bounded: one detection,
 * one assembly by blocks, a bounded number of sweeps. What residual they reached is reported, not hidden.
 */
#include "sim/moreau.h"

#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/stiff_motion.h"

static const double TOUCHES = 2e-6;   /* of the size: gaps below it are none, gap / h would be noise */
static const double PARTED = 1e-5;    /* of the size: overlaps below it are left as they are */
static const double STRUCK = 0.5;     /* of the fastest body's speed: what an impulse may add to an approach */
static const double RESTS = 1e-10;    /* of the size, in a step: what contacts hold and is slower is at rest */
static const double ROUNDING = 1e-12; /* of the speeds at a contact: slower approach is none */
enum {
  FEW_CONTACTS = 80, /* islands up to this many are solved as far as rounding permits */
  USUAL_SWEEPS = 15, /* of larger ones, */
  MANY_SWEEPS = 5000 /* where more than the usual accuracy is asked for */
};
static const double USUAL_ACCURACY = 1e-4;
static const double POOR = 1e-2; /* residual with which a step goes on sweeping, */
enum { POOR_SWEEPS = 500 };      /* so many at most */

/* ------------------------------------------------------------------------------------------------ memory */

/* Does the link turn without forces of its own: a free body whose inertia is that of a ball or a cube? */
static bool is_isotropic(const crd_link *link) {
  const double *I = link->inertia, size = fabs(I[0]);
  double uneven = fabs(I[1] - I[0]) + fabs(I[2] - I[0]) + fabs(I[3]) + fabs(I[4]) + fabs(I[5]);
  return link->type == CRD_FREE && crd_vec3_norm(link->com) == 0 && uneven <= 1e-12 * size;
}

crd_moreau *crd_moreau_new(crd_sim *sim) {
  const crd_model *model = sim->model;
  crd_moreau *moreau = calloc(1, sizeof *moreau);
  if (moreau) moreau->sim = sim;
  for (int k = 0; moreau && k < model->nlink; k++)
    moreau->has_bias = moreau->has_bias || !is_isotropic(&model->link[k]) || model->link[k].parent >= 0;
  return moreau;
}

void crd_moreau_free(crd_moreau *moreau) {
  if (!moreau) return;
  crd_arena_free(&moreau->arena);
  free(moreau);
}

void crd_moreau_reset(crd_moreau *moreau) { moreau->unlisted = moreau->asleep = false; }

static crd_status reserve(crd_sim *sim, int rows) {
  crd_moreau *moreau = sim->moreau, fresh = *moreau;
  if (moreau->p && rows <= moreau->rows) return CRD_OK;
  fresh.arena = (crd_arena){0}, fresh.rows = 1 + rows + rows / 2;
  size_t n = (size_t)fresh.rows, d = sizeof(double);
  double **vector[] = {&fresh.p,    &fresh.w,     &fresh.u,   &fresh.before,
                       &fresh.work, &fresh.shift, &fresh.gap, &fresh.speed};
  bool done = true;
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    done = (*vector[i] = crd_arena_alloc(&fresh.arena, n, d)) && done;
  fresh.mode = crd_arena_alloc(&fresh.arena, n, sizeof *fresh.mode);
  fresh.contact = crd_arena_alloc(&fresh.arena, n, sizeof *fresh.contact);
  fresh.bounded = crd_arena_alloc(&fresh.arena, n, sizeof *fresh.bounded);
  fresh.bilateral = crd_arena_alloc(&fresh.arena, n, sizeof *fresh.bilateral);
  fresh.members = crd_arena_alloc(&fresh.arena, n, sizeof *fresh.members);
  if (!done || !fresh.mode || !fresh.contact || !fresh.bounded || !fresh.bilateral || !fresh.members) {
    crd_arena_free(&fresh.arena);
    return crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d contact rows", fresh.rows);
  }
  crd_arena_free(&moreau->arena);
  *moreau = fresh;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ free velocity */

/* Mh as armature, and -h K v into sim->tau. A force on several joints at once, slope c g g', is bounded by the diagonal
 * matrix with c |g_i| sum |g_j|, which is at least as stable. */
static void lean(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  crd_stiff *stiff = sim->stiff;
  const crd_slopes *slopes = &stiff->slopes;
  int nv = model->nv;
  double *dv = stiff->rest; /* zero */
  crd_tree_integrate_position(model, sim->now.q, sim->now.v, h, sim->stage_q);
  crd_slopes_at(&stiff->slopes, model, sim->work, sim->ctrl, sim->now.q, sim->now.v, sim->stage_q, sim->now.v);
  for (int i = 0; i < nv; i++) stiff->armature[i] = model->dof_armature[i] + h * (slopes->d[i] + h * slopes->k[i]);
  for (int t = 0; t < slopes->ncoupling; t++) {
    const double *g = slopes->g + (size_t)nv * (size_t)t;
    double sum = 0;
    for (int i = 0; i < nv; i++) sum += fabs(g[i]);
    for (int i = 0; i < nv; i++)
      stiff->armature[i] += h * (slopes->coupled_d[t] + h * slopes->coupled_k[t]) * fabs(g[i]) * sum;
  }
  crd_slopes_apply(slopes, nv, false, -h, sim->now.v, dv, sim->tau);
}

/* Forces c(v) are perpendicular to v, and do no work but by what v changes: taken at v + h a / 2 their error in the
 * energy is of third order instead of second. */
static void correct_bias(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  double *bias = sim->acc[2], *middle = sim->acc[3];
  crd_tree_rnea(model, sim->work, NULL, NULL, bias);
  for (int k = 0; k < model->nv; k++) middle[k] = sim->now.v[k] + 0.5 * h * sim->acc[0][k];
  crd_tree_velocity(model, sim->work, middle);
  crd_tree_rnea(model, sim->work, NULL, NULL, middle);
  for (int k = 0; k < model->nv; k++) bias[k] -= middle[k];
  crd_tree_solve(model, sim->work, bias, middle);
  for (int k = 0; k < model->nv; k++) sim->acc[0][k] += middle[k];
  crd_tree_velocity(model, sim->work, sim->now.v);
}

/* trial.v = v_free; the workspace has kinematics, velocities and the factor of Mh at (now). sim->acc[1]: forces of
 * actuators and control. */
static crd_status free_velocity(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  const crd_sim_moment *now = &sim->now;
  size_t size = (size_t)model->nv * sizeof(double);
  crd_status status;
  crd_tree_set_armature(sim->work, NULL);
  if (sim->has_forces) {
    crd_sim_drive(sim, now->t, now->q, now->v);
    memcpy(sim->acc[1], sim->tau, size);
    crd_tree_passive(model, now->q, now->v, sim->tau);
    if (model->compensated) {
      crd_tree_kinematics(model, sim->work, now->q);
      crd_tree_gravity_compensation(model, sim->work, sim->tau);
    }
    if (sim->stiff) {
      lean(sim, h);
      crd_tree_set_armature(sim->work, sim->stiff->armature);
    }
  }
  status = crd_tree_aba(model, sim->work, now->q, now->v, sim->has_forces ? sim->tau : NULL, NULL, sim->acc[0]);
  crd_tree_set_armature(sim->work, NULL); /* the factor stays that of Mh */
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(sim, sim->work, status);
  if (sim->moreau->has_bias) correct_bias(sim, h);
  for (int k = 0; k < model->nv; k++) {
    sim->trial.v[k] = now->v[k] + h * sim->acc[0][k];
    if (!isfinite(sim->trial.v[k]))
      return crd_sim_fail(sim, CRD_LIMIT, "the motion leaves the range of numbers: the time step of %g s is too long",
                          h);
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ contacts */

/* The fastest that a point of a body moves. */
static double fastest_point(const crd_sim *sim) {
  double fastest = 0;
  for (int i = 0; i < sim->nfast; i++) {
    const crd_geom *geom = &sim->model->geom[sim->fast[i]];
    double V[6];
    crd_tree_point_velocity(sim->model, sim->work, geom->body, sim->pos + 3 * sim->fast[i], V);
    double radius = geom->type == CRD_PLANE ? sim->size : geom->radius;
    fastest = fmax(fastest, crd_vec3_norm(V + 3) + radius * crd_vec3_norm(V));
  }
  return fastest;
}

/* Farthest that a limited joint moves in the step. */
static double limit_reach(const crd_sim *sim, double h) {
  double fastest = 0;
  for (int k = 0; sim->has_limits && k < sim->model->nv; k++)
    fastest = fmax(fastest, fmax(fabs(sim->now.v[k]), fabs(sim->trial.v[k])));
  return 2 * h * fastest;
}

/* Leaves out points that neither the approach at the start of the step nor what impulses may add to it could close. */
static void keep_near(crd_sim *sim, double h, double fastest) {
  crd_sim_touches *held = &sim->held;
  int kept = 0;
  for (int i = 0; i < held->count; i++) {
    const crd_sim_touch *touch = &held->item[i];
    double gap = touch->at.gap - TOUCHES * sim->size;
    bool near = touch->at.geomA == CRD_SIM_LIMIT || gap <= STRUCK * h * fastest;
    if (!near) near = gap <= h * (crd_sim_closing_speed(sim, &touch->at, NULL, NULL, NULL) + STRUCK * fastest);
    if (near && kept < i) held->item[kept] = *touch;
    kept += near;
  }
  held->count = kept;
}

/* The problem of all points that may touch within the step, in sim->held and sim->problem. */
static crd_status find_contacts(crd_sim *sim, double h) {
  crd_contact_options options = crd_contact_default();
  crd_sim_touches *held = &sim->held;
  double gravity = crd_vec3_norm(sim->model->gravity), reach = limit_reach(sim, h) + TOUCHES * sim->size;
  crd_sim_place_geoms(sim);
  double fastest = fastest_point(sim) + h * gravity, distance = 2 * h * fastest + TOUCHES * sim->size;
  crd_status status = crd_sim_detect_reach(sim, sim->now.q, distance, fmax(distance, reach), &sim->now.touches, held);
  if (status != CRD_OK) return status;
  keep_near(sim, h, fastest);
  int count = 0;
  for (int i = 0; i < held->count; i++)
    if (held->item[i].at.geomA != CRD_SIM_LIMIT) sim->point[count++] = held->item[i].at;
  sim->moreau->points = count;
  options.distance = INFINITY; /* those found */
  options.limits = count < held->count, options.limit_distance = reach;
  options.mu = sim->options.mu, options.e = sim->options.e;
  options.mass_matrix = options.jacobian = options.names = false;
  options.dry_friction = sim->has_dry, options.blocks = true;
  status = crd_contact_assemble(sim->assembler, sim->work, sim->now.q, sim->now.v, sim->point, count, &options,
                                sim->problem);
  if (status != CRD_OK) return crd_sim_fail(sim, status, "contact problem: %s", crd_status_text(status));
  crd_sim_map_contacts(sim, held, NULL, crd_contact_of_point(sim->assembler));
  return CRD_OK;
}

/* What the normal velocity must reach. */
static double target_of(const crd_sim *sim, const crd_contact *c, double h) {
  const crd_moreau *moreau = sim->moreau;
  double gap = c->gap > TOUCHES * sim->size ? c->gap : 0, before = moreau->before[c->row];
  bool closes = gap + h * moreau->w[c->row] < 0, approaches = before < -ROUNDING * sim->size / h;
  return c->e > 0 && closes && approaches ? -c->e * before : -gap / h;
}

/* Forces of the last step as impulses, in the axes of the contact. */
static void guess(crd_sim *sim, double h) {
  const crd_contact_problem *problem = sim->problem;
  crd_moreau *moreau = sim->moreau;
  int m = problem->nrow + problem->nb;
  memset(moreau->p, 0, sizeof *moreau->p * (size_t)(m + problem->nf));
  memset(moreau->members, 0, sizeof *moreau->members * (size_t)problem->nc);
  for (int c = 0; c < problem->nc; c++) moreau->mode[c] = CRD_MODE_NONE;
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *touch = &sim->held.item[i];
    if (sim->contact_of[i] < 0) continue;
    const crd_contact *c = &problem->contact[sim->contact_of[i]];
    double *p = moreau->p + c->row;
    moreau->members[sim->contact_of[i]]++;
    moreau->mode[sim->contact_of[i]] = touch->guess.mode;
    p[0] += h * touch->guess.normal;
    for (int t = 0; t < c->ntangent; t++) p[1 + t] += h * crd_vec3_dot(touch->guess.friction, c->tangent[t]);
  }
  for (int i = 0; i < problem->nf; i++) moreau->p[m + i] = h * sim->now.dry[problem->dry[i].dof];
}

static crd_coulomb_problem state_problem(crd_sim *sim, double h) {
  const crd_contact_problem *problem = sim->problem;
  crd_moreau *moreau = sim->moreau;
  int m = problem->nrow + problem->nb;
  double speed = h * crd_vec3_norm(sim->model->gravity);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    moreau->contact[c] = (crd_coulomb_contact){
        .row = contact->row, .ntangent = contact->ntangent, .mu = contact->mu, .target = target_of(sim, contact, h)};
  }
  for (int b = 0; b < problem->nb; b++) moreau->bilateral[b] = problem->nrow + b;
  for (int i = 0; i < problem->nf; i++) {
    double bound = h * problem->dry[i].bound;
    moreau->bounded[i] = (crd_coulomb_bounded){.row = m + i, .lower = -bound, .upper = bound};
  }
  if (problem->nb > 0)
    for (int k = 0; k < sim->model->nv; k++) speed = fmax(speed, fabs(sim->trial.v[k]));
  for (int i = 0; i < m + problem->nf; i++)
    moreau->speed[i] = speed; /* an island at rest is judged by its own weight */
  return (crd_coulomb_problem){.n = m + problem->nf,
                               .w = moreau->w,
                               .ncontact = problem->nc,
                               .nbilateral = problem->nb,
                               .nbounded = problem->nf,
                               .contact = moreau->contact,
                               .bilateral = moreau->bilateral,
                               .bounded = moreau->bounded,
                               .blocks = problem->blocks,
                               .speed = moreau->speed};
}

static bool all_zero(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

/* Are the impulses of the last step those of this one? All islands are at rest: the weight is the scale of each. */
static bool guess_holds(crd_coulomb_problem problem, double weight, const crd_coulomb_options *options,
                        crd_coulomb_state *state, crd_coulomb_report *report) {
  crd_coulomb_residual_parts parts;
  problem.speed = NULL, problem.velocity = weight;
  if (crd_coulomb_residual(&problem, state->p, state->u, &parts) != CRD_OK) return false;
  report->residual = parts.worst + parts.rounding;
  if (report->residual > options->tolerance) return false;
  crd_coulomb_modes(&problem, state->p, state->u, state->mode);
  return true;
}

/* An answer that is no solution may bring energy, s p . w + s^2 p . G p / 2 for the share s of it: then only as much of
 * it acts as brings none. */
static void draw_back(crd_moreau *moreau, int n) {
  double linear = 0, square = 0;
  for (int i = 0; i < n; i++) {
    linear += moreau->p[i] * moreau->w[i];
    square += moreau->p[i] * (moreau->u[i] - moreau->w[i]);
  }
  if (linear + 0.5 * square <= 0) return; /* false for NaN */
  double share = linear < 0 && square > 0 ? -2 * linear / square : 0;
  for (int i = 0; i < n; i++) {
    moreau->p[i] = share > 0 ? share * moreau->p[i] : 0;
    moreau->u[i] = share > 0 ? moreau->w[i] + share * (moreau->u[i] - moreau->w[i]) : moreau->w[i];
  }
}

/* Impulses of the step. Whatever residual is reached stands, but not a gain of energy. *held: nothing moves, and those of the last step hold it.
 */
static crd_status solve(crd_sim *sim, double h, bool *held) {
  crd_moreau *moreau = sim->moreau;
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_report report;
  options.warm = true;
  options.large_contacts = FEW_CONTACTS, options.large_tolerance = sim->options.accuracy;
  options.max_sweeps = sim->options.accuracy < USUAL_ACCURACY ? MANY_SWEEPS : USUAL_SWEEPS;
  int m = sim->problem->nrow + sim->problem->nb;
  memcpy(moreau->before, sim->problem->u, sizeof *moreau->before * (size_t)m);
  if (sim->problem->nf > 0)
    memcpy(moreau->before + m, sim->problem->u_dry, sizeof *moreau->before * (size_t)sim->problem->nf);
  crd_contact_velocity(sim->assembler, sim->work, sim->trial.v, moreau->w);
  guess(sim, h);
  crd_coulomb_problem problem = state_problem(sim, h);
  crd_coulomb_state state = {moreau->p, moreau->u, moreau->mode};
  sim->counters.solves++;
  crd_status status = CRD_OK;
  *held =
      all_zero(sim->now.v, sim->model->nv) && guess_holds(problem, sim->moreau->speed[0], &options, &state, &report);
  if (!*held) status = crd_coulomb_solve(sim->coulomb, &problem, &options, &state, &report);
  if (status == CRD_LIMIT && report.residual > POOR) { /* an impact runs through many bodies */
    options.large_tolerance = fmax(POOR, options.large_tolerance), options.max_sweeps = POOR_SWEEPS;
    status = crd_coulomb_solve(sim->coulomb, &problem, &options, &state, &report);
  }
  if (status < CRD_OK) return crd_sim_fail(sim, status, "contacts: %s", crd_status_text(status));
  if (status != CRD_OK) {
    draw_back(moreau, problem.n);
    sim->counters.failed_solves++;
  }
  sim->counters.residual_max = fmax(sim->counters.residual_max, report.residual);
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ ledger */

/* Joint forces over the step: those of the end, as the implicit step has them, along the mean velocity. */
static void book_forces(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  const double *v = sim->now.v, *v1 = sim->trial.v;
  double *impulse = sim->acc[1], *way = sim->acc[2], *change = sim->acc[3];
  if (!sim->has_forces) return;
  for (int k = 0; k < model->nv; k++) impulse[k] *= h, way[k] = h * v1[k], change[k] = v1[k] - v[k];
  if (sim->stiff) crd_slopes_apply(&sim->stiff->slopes, model->nv, true, -h, way, change, impulse);
  for (int k = 0; k < model->nv; k++) {
    double mean = 0.5 * (v[k] + v1[k]);
    sim->trial.work.actuation += mean * impulse[k];
    sim->trial.work.damping -= mean * h * model->dof_damping[k] * v1[k];
  }
}

/* Work of impulses along the mean velocity, which is what they change the kinetic energy by. */
static double work_of(const crd_moreau *moreau, int row, int count) {
  double sum = 0;
  for (int i = row; i < row + count; i++) sum += 0.5 * moreau->p[i] * (moreau->before[i] + moreau->u[i]);
  return sum;
}

static void book_rows(crd_sim *sim) {
  const crd_contact_problem *problem = sim->problem;
  crd_moreau *moreau = sim->moreau;
  crd_sim_work *work = &sim->trial.work;
  int m = problem->nrow + problem->nb;
  memset(moreau->work, 0, sizeof *moreau->work * (size_t)problem->nc);
  for (int i = 0; i < sim->held.count; i++) {
    int c = sim->contact_of[i];
    if (c < 0 || moreau->work[c] != 0) continue;
    const crd_contact *contact = &problem->contact[c];
    double done = work_of(moreau, contact->row, 1 + contact->ntangent);
    *(contact->joint >= 0 ? &work->loop : sim->held.item[i].touching ? &work->contact : &work->impact) += done;
    moreau->work[c] = done;
    double by_law = -moreau->p[contact->row] * moreau->contact[c].target;
    for (int k = contact->row; k <= contact->row + contact->ntangent; k++) by_law += moreau->p[k] * moreau->u[k];
    crd_sim_note_gain(sim, done, by_law);
  }
  work->loop += work_of(moreau, problem->nrow, problem->nb);
  work->damping += work_of(moreau, m, problem->nf);
}

/* What the points take into the next step. */
static void keep_forces(crd_sim *sim, double h) {
  const crd_contact_problem *problem = sim->problem;
  const crd_moreau *moreau = sim->moreau;
  int m = problem->nrow + problem->nb;
  for (int i = 0; i < sim->held.count; i++) {
    crd_sim_touch *touch = &sim->held.item[i];
    int c = sim->contact_of[i];
    touch->force = touch->guess = (crd_touch_force){.mode = CRD_MODE_NONE};
    touch->touching = false, touch->leaving = 0;
    for (int k = 0; k < 3; k++) touch->sliding[k] = NAN;
    if (c < 0) continue;
    const crd_contact *contact = &problem->contact[c];
    const double *p = moreau->p + contact->row, share = 1 / (h * moreau->members[c]);
    /* impacts are part of it: it serves as a guess, not as a force of the next step */
    touch->guess.normal = share * p[0], touch->guess.mode = touch->force.mode = moreau->mode[c];
    for (int t = 0; t < contact->ntangent; t++)
      crd_vec3_axpy(touch->guess.friction, share * p[1 + t], contact->tangent[t]);
    touch->touching = p[0] > 0;
    touch->at.gap += h * moreau->u[contact->row];
  }
  memset(sim->trial.dry, 0, (size_t)sim->model->nv * sizeof *sim->trial.dry);
  for (int i = 0; i < problem->nf; i++) sim->trial.dry[problem->dry[i].dof] = moreau->p[m + i] / h;
}

/* ------------------------------------------------------------------------------------------------ events */

void crd_moreau_list(crd_moreau *moreau) {
  crd_sim *sim = moreau->sim;
  if (!moreau->unlisted) return;
  moreau->unlisted = false;
  crd_contact_names(sim->assembler, sim->point, moreau->points, sim->problem);
  crd_sim_add_impulses(sim, moreau->p, moreau->u, moreau->mode, moreau->work);
}

static const char *name_of(const crd_sim *sim, int contact) { return sim->problem->contact[contact].name; }

/* One event for all contacts that close in the step, one for each that changes its mode. */
static void report_events(crd_sim *sim) {
  const crd_moreau *moreau = sim->moreau;
  crd_sim_event impact = {.t = sim->trial.t, .kind = CRD_EVENT_IMPACT, .contact = ""};
  crd_moreau_list(sim->moreau);
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *touch = &sim->held.item[i];
    int c = sim->contact_of[i];
    const crd_sim_touch *old = touch->source >= 0 ? &sim->now.touches.item[touch->source] : NULL;
    bool was = old && old->touching;
    crd_sim_event event = {.t = sim->trial.t, .count = 1};
    if (c < 0) continue;
    double approach = -moreau->before[sim->problem->contact[c].row];
    event.contact = name_of(sim, c);
    if (touch->touching && !was && approach > 0) {
      impact.count++, impact.impulse += moreau->p[sim->problem->contact[c].row] / moreau->members[c];
      impact.energy += moreau->work[c] / moreau->members[c];
      if (approach > impact.approach) impact.approach = approach, impact.contact = event.contact;
      sim->counters.impacts++;
    } else if (was && touch->touching && old->force.mode != touch->force.mode) {
      event.kind = touch->force.mode == CRD_MODE_SLIP ? CRD_EVENT_SLIP : CRD_EVENT_STICK;
      if (old->force.mode == CRD_MODE_STICK || old->force.mode == CRD_MODE_SLIP) crd_sim_emit(sim, &event);
    } else if (was && !touch->touching) {
      event.kind = CRD_EVENT_RELEASE;
      crd_sim_emit(sim, &event);
    }
  }
  if (impact.count > 0) crd_sim_emit(sim, &impact);
}

/* ------------------------------------------------------------------------------------------------ the step */

/* Trees that forces would move and contacts hold, slower at the start and at the end of the step than what solving
 * leaves of velocities, are at rest: they do not creep. sim->chart: velocities by the impulses. True: all of them. */
static bool keep_rest(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  double rest = RESTS * sim->size / h;
  bool all = true;
  for (int t = 0; t < sim->ntree; t++) sim->rests[t] = sim->struck[t] = false; /* struck: something would move it */
  for (int k = 0; k < model->nv; k++)
    if (fabs(sim->trial.v[k] - sim->chart[k]) > rest) sim->struck[sim->tree_of_dof[k]] = true;
  memcpy(sim->rests, sim->struck, sizeof *sim->rests * (size_t)sim->ntree);
  for (int k = 0; k < model->nv; k++)
    if (!(fabs(sim->now.v[k]) <= rest && fabs(sim->trial.v[k]) <= rest)) sim->rests[sim->tree_of_dof[k]] = false;
  for (int k = 0; k < model->nv; k++) {
    if (sim->rests[sim->tree_of_dof[k]]) sim->trial.v[k] = 0;
    all = all && sim->trial.v[k] == 0;
  }
  return all;
}

/* Least gap at the start of the step; counted, like the errors of loops, before anything is corrected. */
static double deepest_gap(crd_sim *sim) {
  const crd_contact_problem *problem = sim->problem;
  double least = INFINITY;
  for (int c = 0; c < problem->nc; c++) least = fmin(least, problem->contact[c].gap);
  sim->counters.penetration_max = fmax(sim->counters.penetration_max, -least);
  for (int b = 0; b < problem->nb; b++)
    sim->counters.loop_max = fmax(sim->counters.loop_max, fabs(problem->residual[b]));
  return least;
}

/* trial.q = q + h v+, and what parts contacts that would overlap. */
static void move(crd_sim *sim, double h) {
  const crd_contact_problem *problem = sim->problem;
  crd_moreau *moreau = sim->moreau;
  int nv = sim->model->nv;
  for (int k = 0; k < nv; k++) sim->chart[k] = h * sim->trial.v[k];
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    moreau->gap[c] = contact->gap + h * moreau->u[contact->row];
  }
  if (crd_moreau_project(problem, moreau, PARTED * sim->size)) {
    double *impulse = moreau->w, *way = sim->acc[2];
    memset(impulse, 0, sizeof *impulse * (size_t)(problem->nrow + problem->nb + problem->nf));
    for (int c = 0; c < problem->nc; c++) impulse[problem->contact[c].row] = moreau->shift[c];
    crd_contact_response(sim->assembler, sim->work, impulse, way);
    for (int k = 0; k < nv; k++) sim->chart[k] += way[k];
  }
  crd_tree_integrate_position(sim->model, sim->now.q, sim->chart, 1, sim->trial.q);
}

/* The state as it was, with the forces as they were, so that every further step is the same, bit by bit. */
static void stay(crd_sim *sim) {
  memcpy(sim->trial.q, sim->now.q, (size_t)sim->model->nq * sizeof *sim->trial.q);
  memcpy(sim->trial.dry, sim->now.dry, (size_t)sim->model->nv * sizeof *sim->trial.dry);
  memset(sim->moreau->work, 0, sizeof *sim->moreau->work * (size_t)sim->problem->nc);
}

/* A step that is the same as the last one: only time passes. */
static void sleep(crd_sim *sim, double h) {
  sim->now.t += h;
  sim->counters.solves++;
}

static void accept(crd_sim *sim) {
  size_t size = (size_t)sim->model->nv * sizeof(double);
  memset(sim->trial.push, 0, size), memset(sim->trial.load, 0, size);
  sim->trial.leaning = false, sim->trial.piece = INFINITY;
  int closed = 0;
  for (int i = 0; i < sim->held.count; i++) {
    const crd_sim_touch *touch = &sim->held.item[i];
    closed += touch->touching && !(touch->source >= 0 && sim->now.touches.item[touch->source].touching);
  }
  sim->trial.crowded = closed > sim->options.max_impacts;
  crd_sim_touches old = sim->trial.touches;
  sim->trial.touches = sim->held, sim->held = old;
  crd_sim_moment before = sim->now;
  sim->now = sim->trial, sim->trial = before;
}

crd_status crd_sim_moreau(crd_sim *sim, double h) {
  if (sim->moreau->asleep && h == sim->moreau->last_step) return sleep(sim, h), CRD_OK;
  sim->moreau->asleep = false, sim->moreau->last_step = h, sim->moreau->unlisted = false;
  if (sim->options.integrator == CRD_SIM_MOREAU) sim->ncontact = 0; /* else pieces of the step came before */
  sim->trial.t = sim->now.t + h, sim->trial.work = sim->now.work;
  crd_status status = free_velocity(sim, h);
  if (status == CRD_OK) status = find_contacts(sim, h);
  const crd_contact_problem *problem = sim->problem;
  int rows = problem->nrow + problem->nb + problem->nf;
  if (status == CRD_OK) status = reserve(sim, rows);
  bool held = false, still = false;
  if (status == CRD_OK && rows > 0) status = solve(sim, h, &held);
  if (status != CRD_OK) return status;
  if (rows > 0) {
    crd_contact_response(sim->assembler, sim->work, sim->moreau->p, sim->chart);
    for (int k = 0; k < sim->model->nv; k++) sim->trial.v[k] += sim->chart[k];
    double least = deepest_gap(sim);
    still = keep_rest(sim, h) && held && least >= -PARTED * sim->size;
  }
  if (still) {
    stay(sim);
  } else {
    book_forces(sim, h);
    book_rows(sim);
    move(sim, h);
    keep_forces(sim, h);
  }
  bool alone = sim->options.integrator == CRD_SIM_MOREAU; /* else other parts of the step have contacts, too */
  sim->moreau->unlisted = true, sim->moreau->asleep = alone && still && !sim->options.control;
  if (!alone) crd_moreau_list(sim->moreau);
  if (sim->options.observer.event) report_events(sim);
  accept(sim);
  return CRD_OK;
}
