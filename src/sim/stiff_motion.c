/* Free motion where joint forces are too steep for an explicit method at the step given: servos with high gains, strong
 * dampers and springs on light links.
 *
 * A Rosenbrock method whose Jacobian A holds the slopes of the joint forces only (src/tree/slopes.h), not those of
 * gravity and Coriolis forces: a W-method [Steihaug and Wolfbrandt 1979; Hairer and Wanner, Solving ODEs II, IV.7],
 * which has its order for any A. With y = (q, v), f = (v, qacc), A = [0 1; -M^-1 K, -M^-1 D], M that of the start of
 * the step,
 *
 *   k_i = h f(y0 + sum_j<i a_ij k_j) + h A s_i,    s_i = sum_j<i g_ij k_j + gamma k_i,     y1 = y0 + sum_i b_i k_i
 *
 * so that each stage solves a system with Mh = M + gamma h D + gamma^2 h^2 K, which is the mass matrix with more
 * armature: articulated bodies do it in O(N), couplings between joints by Sherman, Morrison and Woodbury. Where the
 * explicit method would give x = h qacc, the stage gives
 *
 *   kv = x - Mh^-1 h (K lq + D lv),                    kq = rq + gamma h kv
 *   lq = sq + gamma rq + gamma^2 h x,  lv = sv + gamma x,  rq = h (rate + sv)
 *
 * with sq, sv the sums over j < i: no product with M is needed.
 *
 * The coefficients. Order three for any A, which takes four stages; the last shares its place with the third, so that
 * forces are evaluated three times (Ralston's nodes 0, 1/2, 3/4). R(z), the factor of a mode with z = h lambda, has
 * order four, |R| <= 1 in the whole left half plane and R = -0.40 at infinity. gamma = 0.72 makes Im R(i y) >= 0 for
 * all y >= 0, hence (Im R is harmonic) Im R >= 0 wherever Im z >= 0 in the left half plane: a constant force f never
 * drives the velocity backwards, whatever damping and stiffness meet it. Its effect at the end of the step lies
 * between 0.48 and 1.28 times Mh^-1 h f, so that Mh^-1 can serve as the compliance for forces of contact. The one
 * freedom left makes the limit of infinite slopes, an algebraic equation, of order two.
 */
#include "sim/stiff_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"
#include "sim/activation.h"

static const double GAMMA = 0.72;
const crd_stiff_table crd_stiff_method = {
    .a = {{0}, {1.0 / 2}, {0, 3.0 / 4}, {0, 3.0 / 4}},
    .g = {{0.72},
          {-1.08, 0.72},
          {-0.780850601349426, -0.6307706724046774, 0.72},
          {-0.5893750957854431, 2.5781252873563303, -2.798750191570887, 0.72}},
    .b = {2.0 / 9, 1.0 / 3, 0, 4.0 / 9},
};

/* ------------------------------------------------------------------------------------------------ memory */

void crd_stiff_free(crd_stiff *stiff) {
  if (!stiff) return;
  crd_model_workspace_free(stiff->work);
  crd_contact_assembler_free(stiff->assembler);
  crd_contact_problem_free(stiff->loops);
  crd_arena_free(&stiff->arena);
  free(stiff);
}

crd_stiff *crd_stiff_new(const crd_model *model, bool *done) {
  *done = true;
  if (!crd_slopes_exist(model)) return NULL;
  *done = false;
  crd_stiff *stiff = calloc(1, sizeof *stiff);
  if (!stiff) return NULL;
  stiff->work = crd_model_workspace_new(model);
  stiff->assembler = crd_contact_assembler_new(model), stiff->loops = crd_contact_problem_new();
  *done = stiff->work && stiff->assembler && stiff->loops && crd_slopes_reserve(&stiff->slopes, model, &stiff->arena);
  size_t nv = (size_t)model->nv, n = (size_t)stiff->slopes.room, d = sizeof(double);
  double **vector[] = {&stiff->armature,    &stiff->mobility,       &stiff->coupled_q,      &stiff->coupled_v,
                       &stiff->rhs,         &stiff->rate,           &stiff->rest,           &stiff->acc,
                       &stiff->driven,      &stiff->driven_impulse, &stiff->damped_impulse, &stiff->drag,
                       &stiff->drag_impulse};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    *done = (*vector[i] = crd_arena_alloc(&stiff->arena, nv, d)) && *done;
  stiff->coupled = crd_arena_alloc(&stiff->arena, n * nv, d);
  stiff->capacitance = crd_arena_alloc(&stiff->arena, n * n, d);
  stiff->share = crd_arena_alloc(&stiff->arena, n, d), stiff->pull = crd_arena_alloc(&stiff->arena, n, d);
  *done = *done && stiff->coupled && stiff->capacitance && stiff->share && stiff->pull;
  if (*done) return stiff;
  crd_stiff_free(stiff);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------ is it stiff? */

/* Upper bounds of the fastest rate of decay, trace(M^-1 D), and of the highest frequency squared, trace(M^-1 K). */
static void bound_rates(const crd_group *group, double *decay, double *square) {
  const crd_stiff *stiff = group->stiff;
  const crd_slopes *slopes = &stiff->slopes;
  *decay = *square = 0;
  CRD_EACH (group->part, v, i) {
    *decay += slopes->d[i] * stiff->mobility[i];
    *square += slopes->k[i] * stiff->mobility[i];
  }
  for (int t = 0; t < slopes->ncoupling; t++) {
    const double *g = crd_slopes_coupling(slopes, t);
    double root = 0; /* g' M^-1 g <= (sum |g_i| sqrt((M^-1)_ii))^2 */
    CRD_EACH (group->part, v, i) root += fabs(g[i]) * sqrt(fmax(0, stiff->mobility[i]));
    *decay += slopes->coupled_d[t] * root * root;
    *square += slopes->coupled_k[t] * root * root;
  }
}

double crd_stiff_steepness(crd_group *group, const double *qacc, bool *oscillates) {
  crd_stiff *stiff = group->stiff;
  const crd_model *model = group->model;
  double h = group->options->timestep, decay, square; /* not that of a trial: all trials of a step have one method */
  CRD_EACH (group->part, v, i) {
    group->stage->v[i] = group->now.v[i] + h * qacc[i];
    group->stage->displacement[i] = h * (group->now.v[i] + 0.5 * h * qacc[i]);
  }
  crd_tree_part_integrate(group->model, group->part, group->now.q, group->stage->displacement, 1, group->stage->q);
  crd_slopes_at(&stiff->slopes, model, group->stage->work, group->now.act, group->stage->ctrl, group->now.q,
                group->now.v, group->stage->q, group->stage->v);
  crd_tree_mobility(model, group->begin->work, stiff->mobility);
  bound_rates(group, &decay, &square);
  *oscillates = decay * decay < square;
  return h * decay + h * sqrt(square);
}

/* ------------------------------------------------------------------------------------------------ Mh */

/* x = M1^-1 x, M1 the part of Mh that is M with more armature; where there are loops, the motion that they permit:
 * M1 y + J_b' f = x, J_b y = 0, J_b that of the start of the step. */
static void solve_uncoupled(crd_group *group, double *x) {
  crd_stiff *stiff = group->stiff;
  crd_tree_solve(group->model, stiff->work, x, x);
  if (group->part->nloop > 0) crd_contact_force_loops(stiff->assembler, stiff->work, NULL, stiff->loops, x, NULL);
}

static double dot(const crd_part *part, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < part->nspan; i++) {
    const int *v = part->span[i].v;
    sum += crd_dense_dot(v[1] - v[0], x + v[0], y + v[0]);
  }
  return sum;
}

static crd_status factor(crd_group *group, double h) {
  crd_stiff *stiff = group->stiff;
  const crd_model *model = group->model;
  const crd_slopes *slopes = &stiff->slopes;
  int nv = model->nv, n = slopes->ncoupling;
  double gh = GAMMA * h;
  CRD_EACH (group->part, v, i) stiff->armature[i] = group->scene->armature[i] + gh * (slopes->d[i] + gh * slopes->k[i]);
  crd_tree_kinematics(model, stiff->work, group->now.q);
  if (group->part->nloop > 0) crd_tree_velocity(model, stiff->work, stiff->rest);
  crd_tree_set_armature(stiff->work, stiff->armature);
  crd_status status = crd_tree_factor(model, stiff->work);
  if (status == CRD_OK && group->part->nloop > 0)
    status = crd_contact_factor_loops(stiff->assembler, stiff->work, group->now.q, stiff->rest, group->begin->loop_row,
                                      stiff->loops);
  for (int t = 0; status == CRD_OK && t < n; t++) {
    double *x = stiff->coupled + (size_t)nv * (size_t)t;
    stiff->share[t] = sqrt(gh * (slopes->coupled_d[t] + gh * slopes->coupled_k[t]));
    crd_part_copy_v(group->part, x, crd_slopes_coupling(slopes, t));
    solve_uncoupled(group, x);
    for (int u = 0; u <= t; u++)
      stiff->capacitance[(size_t)n * (size_t)t + (size_t)u] =
          (u == t) + stiff->share[t] * stiff->share[u] * dot(group->part, x, crd_slopes_coupling(slopes, u));
  }
  if (status == CRD_OK && n > 0 && !crd_dense_cholesky(n, stiff->capacitance)) status = CRD_SINGULAR;
  return status;
}

/* x = Mh^-1 x; with Mh = M1 + sum_t c_t g_t g_t':  x - X C S^-1 C G' x,  X = M1^-1 G, C = diag(sqrt c), S = 1 + C G' X
 * C. */
static void solve(crd_group *group, double *x) {
  crd_stiff *stiff = group->stiff;
  int nv = group->model->nv, n = stiff->slopes.ncoupling;
  solve_uncoupled(group, x);
  if (n == 0) return;
  for (int t = 0; t < n; t++)
    stiff->pull[t] = stiff->share[t] * dot(group->part, crd_slopes_coupling(&stiff->slopes, t), x);
  crd_dense_cholesky_solve(n, stiff->capacitance, 1, stiff->pull);
  for (int t = 0; t < n; t++) {
    double pull = stiff->share[t] * stiff->pull[t];
    CRD_EACH (group->part, v, i) x[i] -= pull * stiff->coupled[(size_t)nv * (size_t)t + (size_t)i];
  }
}

/* ------------------------------------------------------------------------------------------------ the stages */

/* sum = sum_j<count c[j] k[j] */
static void combine(const crd_part *part, int count, const double *c, double *const *k, double *sum) {
  crd_part_clear_v(part, sum);
  for (int j = 0; j < count; j++) {
    if (c[j] == 0) continue;
    CRD_EACH (part, v, i) sum[i] += c[j] * k[j][i];
  }
}

/* Forces of actuators and control apart from those of the medium. */
static void separate(crd_group *group, const double *driven, const double *drag) {
  crd_stiff *stiff = group->stiff;
  CRD_EACH (group->part, v, k) stiff->driven[k] = driven[k] - drag[k], stiff->drag[k] = drag[k];
}

/* f of stage i: rate, acc, and the forces of actuators, control and medium. */
static crd_status evaluate(crd_group *group, double h, int i) {
  crd_stiff *stiff = group->stiff;
  const double *a = crd_stiff_method.a[i], *load = group->forecast->acts ? group->forecast->load : NULL;
  double c = 0;
  if (i == 0) {
    crd_part_copy_v(group->part, stiff->rate, group->now.v);
    separate(group, group->begin->driven, group->begin->drag);
    crd_sim_begin_acceleration(group, load, stiff->acc);
    return CRD_OK;
  }
  for (int j = 0; j < i; j++) c += a[j];
  combine(group->part, i, a, group->stage->rate, group->stage->displacement);
  combine(group->part, i, a, group->stage->acc, group->stage->v);
  CRD_EACH (group->part, v, k) group->stage->v[k] += group->now.v[k];
  crd_tree_part_integrate(group->model, group->part, group->now.q, group->stage->displacement, 1, group->stage->q);
  crd_sim_chart_rate(group, group->stage->displacement, group->stage->v, stiff->rate);
  crd_activation_advance(group, group->now.act, c * h, i == 1 ? group->begin->drive : group->stage->drive[i - 1], NULL,
                         group->stage->act);
  crd_sim_drive(group, group->now.t + c * h, group->stage->q, group->stage->v, group->stage->act);
  crd_activation_drive(group, group->stage->act, i);
  separate(group, group->stage->tau, group->stage->drag);
  crd_status status = crd_sim_move_by(group, group->now.t + c * h, group->stage->q, group->stage->v, load, stiff->acc);
  if (status != CRD_OK || group->part->nloop == 0) return status;
  return crd_sim_hold_loops(group, group->stage->q, group->stage->v, stiff->acc);
}

/* k of stage i from its f, into group->stage->rate[i] and group->stage->acc[i]; the impulses of the actuators. */
static void solve_stage(crd_group *group, int i, double h) {
  crd_stiff *stiff = group->stiff;
  const double *g = crd_stiff_method.g[i];
  double *kq = group->stage->rate[i], *kv = group->stage->acc[i], *lq = stiff->coupled_q, *lv = stiff->coupled_v;
  combine(group->part, i, g, group->stage->rate, lq);
  combine(group->part, i, g, group->stage->acc, lv);
  CRD_EACH (group->part, v, k) {
    double x = h * stiff->acc[k];
    kq[k] = h * (stiff->rate[k] + lv[k]);
    lq[k] += GAMMA * (kq[k] + GAMMA * h * x);
    lv[k] += GAMMA * x;
  }
  crd_part_clear_v(group->part, stiff->rhs);
  crd_slopes_apply(&stiff->slopes, group->part, false, h, lq, lv, stiff->rhs);
  solve(group, stiff->rhs);
  CRD_EACH (group->part, v, k) {
    double less = stiff->rhs[k]; /* than the explicit kv */
    kv[k] = h * stiff->acc[k] - less;
    kq[k] += GAMMA * h * kv[k];
    lq[k] -= GAMMA * GAMMA * h * less;
    lv[k] -= GAMMA * less;
    stiff->driven_impulse[k] += crd_stiff_method.b[i] * h * stiff->driven[k];
    stiff->drag_impulse[k] += crd_stiff_method.b[i] * h * stiff->drag[k];
  }
  crd_slopes_apply(&stiff->slopes, group->part, true, -crd_stiff_method.b[i] * h, lq, lv, stiff->driven_impulse);
}

/* With the mean velocity over the step the impulses of all forces together do the work that changes the kinetic energy,
 * to the last bit where M is constant: also where a damper stops a joint in a fraction of the step, and any quadrature
 * of its power would see the start only. */
static void book(crd_group *group) {
  const crd_stiff *stiff = group->stiff;
  CRD_EACH (group->part, v, k) {
    double mean = 0.5 * (group->now.v[k] + group->trial->v[k]);
    group->trial->work.actuation += mean * stiff->driven_impulse[k];
    group->trial->work.damping += mean * stiff->damped_impulse[k];
  }
}

crd_status crd_stiff_motion(crd_group *group, double dt) {
  const crd_model *model = group->model;
  crd_stiff *stiff = group->stiff;
  const double *b = crd_stiff_method.b;
  crd_status status = factor(group, dt);
  crd_part_clear_v(group->part, stiff->driven_impulse);
  crd_part_clear_v(group->part, stiff->drag_impulse);
  for (int i = 0; i < CRD_STIFF_STAGES && status == CRD_OK; i++) {
    if (i < CRD_STIFF_STAGES - 1) status = evaluate(group, dt, i); /* the last one is where its predecessor is */
    if (status == CRD_OK) solve_stage(group, i, dt);
  }
  if (status != CRD_OK) return status;
  combine(group->part, CRD_STIFF_STAGES, b, group->stage->rate, group->stage->displacement);
  combine(group->part, CRD_STIFF_STAGES, b, group->stage->acc, group->trial->v);
  CRD_EACH (group->part, v, k) {
    group->trial->v[k] += group->now.v[k];
    stiff->damped_impulse[k] = stiff->drag_impulse[k] - model->dof_damping[k] * group->stage->displacement[k];
  }
  crd_slopes_damp(&stiff->slopes, group->part, -1, group->stage->displacement, stiff->damped_impulse);
  crd_tree_part_integrate(group->model, group->part, group->now.q, group->stage->displacement, 1, group->trial->q);
  static const double node[2] = {1.0 / 2, 3.0 / 4};
  crd_activation_finish(group, dt, node,
                        (const double *const[]){group->begin->drive, group->stage->drive[1], group->stage->drive[2]});
  book(group);
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ persistent contacts */

/* Mh dv = impulses, so that dampers and actuators take part in a change of the velocity with gamma h (D + gamma h K)
 * dv. */
void crd_stiff_book_change(crd_group *group, double dt) {
  crd_stiff *stiff = group->stiff;
  const crd_model *model = group->model;
  double *change = stiff->rhs, *way = stiff->coupled_q;
  crd_part_clear_v(group->part, change);
  CRD_EACH (group->part, v, k) way[k] = GAMMA * dt * group->stage->dv[k];
  crd_slopes_apply(&stiff->slopes, group->part, true, -GAMMA * dt, way, group->stage->dv, change);
  CRD_EACH (group->part, v, k) {
    double half = 0.5 * group->stage->dv[k], mean = 0.5 * (group->now.v[k] + group->trial->v[k]);
    group->trial->work.actuation += half * stiff->driven_impulse[k] + mean * change[k];
    group->trial->work.damping += half * stiff->damped_impulse[k] - mean * model->dof_damping[k] * way[k];
  }
  crd_part_clear_v(group->part, change);
  crd_slopes_damp(&stiff->slopes, group->part, -1, way, change);
  CRD_EACH (group->part, v, k) group->trial->work.damping += 0.5 * (group->now.v[k] + group->trial->v[k]) * change[k];
}
