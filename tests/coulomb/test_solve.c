/* Claims: contact problems with a closed form are solved by it: a ball thrown obliquely, a box that is pushed, a wedge,
 * chains of balls, frictions of spin and rolling that stop exactly, dry rows, relays, bilateral rows; where the law
 * allows several motions (Painleve) the guess selects one; where impulses are not determined (hyperstatic) the answer
 * is the one nearest to the guess, whatever the order of contacts and the orientation of their tangents. */
#include <cradle/coulomb.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MAX_N = 64, MAX_V = 32, MAX_C = 32 };

/* Rows of J, a diagonal mass matrix, velocities before. */
typedef struct mechanism {
  int nv, n, nc;
  double J[MAX_N * MAX_V], mass[MAX_V], v[MAX_V], G[MAX_N * MAX_N], w[MAX_N];
  double p[MAX_N], u[MAX_N];
  crd_coulomb_contact contact[MAX_C];
  crd_mode mode[MAX_C];
  crd_coulomb_report report;
} mechanism;

static double *add_row(mechanism *m) {
  double *row = m->J + m->nv * m->n++;
  memset(row, 0, sizeof *row * (size_t)m->nv);
  return row;
}

static crd_coulomb_problem problem_of(mechanism *m) {
  for (int i = 0; i < m->n; i++) {
    m->w[i] = 0;
    for (int k = 0; k < m->nv; k++) m->w[i] += m->J[m->nv * i + k] * m->v[k];
    for (int j = 0; j < m->n; j++) {
      double sum = 0;
      for (int k = 0; k < m->nv; k++) sum += m->J[m->nv * i + k] * m->J[m->nv * j + k] / m->mass[k];
      m->G[m->n * i + j] = sum;
    }
  }
  return (crd_coulomb_problem){.n = m->n, .w = m->w, .ncontact = m->nc, .contact = m->contact, .G = m->G};
}

static crd_status solve(mechanism *m, const crd_coulomb_problem *problem, bool warm, crd_coulomb_method method) {
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_state state = {.p = m->p, .u = m->u, .mode = m->mode};
  options.warm = warm, options.method = method;
  crd_status status = crd_coulomb_solve(work, problem, &options, &state, &m->report);
  crd_coulomb_work_free(work);
  return status;
}

/* Cold, by every dense method: the same closed form. */
static void assert_solved(mechanism *m, const crd_coulomb_problem *problem, const double *p, const double *u) {
  const crd_coulomb_method method[] = {CRD_COULOMB_AUTO, CRD_COULOMB_NEWTON, CRD_COULOMB_INTERIOR};
  for (int k = 0; k < 3; k++) {
    crd_status status = solve(m, problem, false, method[k]);
    if (method[k] == CRD_COULOMB_NEWTON && status == CRD_LIMIT) continue; /* too many steps without a guess */
    if (status != CRD_OK) fail_msg("%s: %s", crd_coulomb_method_name(method[k]), crd_status_text(status));
    double of_p = p ? max_abs(p, m->n) : 0, of_u = max_abs(problem->w, m->n);
    for (int i = 0; i < m->n; i++)
      if ((p && fabs(m->p[i] - p[i]) > 1e-8 * of_p) || (u && fabs(m->u[i] - u[i]) > 1e-8 * of_u))
        fail_msg("%s, row %d: p = %.12g, u = %.12g, expected %.12g, %.12g", crd_coulomb_method_name(method[k]), i,
                 m->p[i], m->u[i], p ? p[i] : NAN, u ? u[i] : NAN);
  }
}

/* ------------------------------------------------------------------------------------------- a ball */

/* Velocities (v, omega). A ball of mass m and radius r, I = 2/5 m r^2, touches the floor r below its centre:
 *
 *   u = v + omega x (-r z),   G_nn = 1/m,   G_tt = 1/m + r^2/I = 7/(2m) */
static void make_ball(mechanism *b, double m, double r, double mu, const double v[6]) {
  *b = (mechanism){.nv = 6, .nc = 1};
  for (int k = 0; k < 3; k++) b->mass[k] = m, b->mass[3 + k] = 0.4 * m * r * r;
  memcpy(b->v, v, sizeof *v * 6);
  add_row(b)[2] = 1;
  double *x = add_row(b), *y = x + 6;
  add_row(b);
  x[0] = 1, x[4] = -r, y[1] = 1, y[3] = r;
  b->contact[0] = (crd_coulomb_contact){.ntangent = 2, .mu = mu};
}

/* p_n = m (1 + e) v_n. To stick needs |p_t| = |u_t| / (7/(2m)), which is within the cone for
 *
 *   |u_t| <= (7/2) mu (1 + e) v_n
 *
 * and else it slips on with |u_t| - (7/2) mu (1 + e) v_n. */
static void a_ball_thrown_obliquely_sticks_or_slips(void **state) {
  (void)state;
  const double m = 0.3, r = 0.1, vn = 2, speed[] = {0, 0.5, 0.99, 1, 1.01, 1.5, 10};
  for (int e = 0; e < 2; e++)
    for (int k = 0; k < 7; k++)
      for (int turn = 0; turn < 12; turn++) {
        const double mu = 0.3, angle = turn * acos(-1) / 6, limit = 3.5 * mu * (1 + e) * vn, s = speed[k] * limit;
        const double d[2] = {cos(angle), sin(angle)};
        mechanism b;
        make_ball(&b, m, r, mu, (double[6]){s * d[0], s * d[1], -vn});
        b.contact[0].target = e * vn;
        double pn = m * (1 + e) * vn, left = fmax(0, s - limit), pt = (left - s) * m / 3.5;
        const double p[3] = {pn, pt * d[0], pt * d[1]}, u[3] = {e * vn, left * d[0], left * d[1]};
        crd_coulomb_problem problem = problem_of(&b);
        assert_solved(&b, &problem, p, u);
        if (k != 3) assert_int_equal(b.mode[0], speed[k] < 1 ? CRD_MODE_STICK : CRD_MODE_SLIP);
      }
}

/* A ball that slides without spinning leaves with 5/7 of its velocity once it rolls, whatever mu suffices. */
static void a_ball_that_sticks_rolls_with_five_sevenths(void **state) {
  (void)state;
  mechanism b;
  make_ball(&b, 2, 0.5, 10, (double[6]){7, 0, -1});
  crd_coulomb_problem problem = problem_of(&b);
  assert_solved(&b, &problem, NULL, (double[3]){0, 0, 0});
  assert_true(fabs(7 + b.p[1] / 2 - 5) < 1e-8);
}

/* Spin about the normal: it stops for |omega_z| I <= mu_spin p_n; rolling about the tangents likewise with mu_roll. */
static void spin_and_rolling_stop_exactly_or_go_on(void **state) {
  (void)state;
  const double m = 1, r = 0.5, I = 0.1, vn = 3, mu_spin = 0.02, mu_roll = 0.01;
  const double share[] = {0, 0.5, 1, 1.5, 20};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      mechanism b;
      double spin = share[i] * mu_spin * m * vn / I, roll = share[j] * mu_roll * m * vn / I;
      make_ball(&b, m, r, 0, (double[6]){0, 0, -vn, 0.6 * roll, -0.8 * roll, spin});
      add_row(&b)[5] = 1, add_row(&b)[3] = 1, add_row(&b)[4] = 1;
      b.contact[0].nspin = 1, b.contact[0].nroll = 2, b.contact[0].mu_spin = mu_spin, b.contact[0].mu_roll = mu_roll;
      double spins = fmax(0, share[i] - 1) * mu_spin * m * vn / I;
      double rolls = fmax(0, share[j] - 1) * mu_roll * m * vn / I;
      const double p[6] = {m * vn, 0, 0, I * (spins - spin), 0.6 * I * (rolls - roll), -0.8 * I * (rolls - roll)};
      crd_coulomb_problem problem = problem_of(&b);
      assert_solved(&b, &problem, p, NULL);
      assert_true(fabs(b.u[3] - spins) <= 1e-9 * vn && fabs(b.u[4] - 0.6 * rolls) <= 1e-8 * fmax(vn, roll));
    }
}

/* ------------------------------------------------------------------------------------------- a box, a wedge */

/* A planar box (x, z, theta), feet at (-b, -h) and (b, -h), pushed by F at its centre; forces and accelerations.
 * u = (v_z + theta' r_x, v_x - theta' r_z). */
static void make_box(mechanism *box, double b, double h, double mass, double I, double mu, double F, double gravity) {
  *box = (mechanism){.nv = 3, .nc = 2, .mass = {mass, mass, I}, .v = {F / mass, -gravity, 0}};
  for (int c = 0; c < 2; c++) {
    double *normal = add_row(box), *tangent = add_row(box);
    normal[1] = 1, normal[2] = c ? b : -b, tangent[0] = 1, tangent[2] = h;
    box->contact[c] = (crd_coulomb_contact){.row = 2 * c, .ntangent = 1, .mu = mu};
  }
}

/* At rest b (p_front - p_rear) = h F and p_front + p_rear = m g; friction is shared equally. */
static void a_box_pushed_gently_rests(void **state) {
  (void)state;
  const double b = 0.5, h = 0.4, m = 2, g = 10, F = 6;
  mechanism box;
  make_box(&box, b, h, m, 0.3, 0.5, F, g);
  crd_coulomb_problem problem = problem_of(&box);
  double sum = m * g, difference = h * F / b;
  const double p[4] = {(sum - difference) / 2, -F / 2, (sum + difference) / 2, -F / 2};
  assert_solved(&box, &problem, p, (double[4]){0, 0, 0, 0});
  assert_true(box.mode[0] == CRD_MODE_STICK && box.mode[1] == CRD_MODE_STICK);
}

/* F > mu m g slides it: friction mu m g on the floor, F - mu m g accelerates; no tilting as mu h < b. */
static void a_box_pushed_harder_slides(void **state) {
  (void)state;
  const double b = 0.5, h = 0.4, m = 2, g = 10, F = 16, mu = 0.5;
  mechanism box;
  make_box(&box, b, h, m, 0.3, mu, F, g);
  crd_coulomb_problem problem = problem_of(&box);
  double sum = m * g, difference = h * mu * m * g / b, rear = (sum - difference) / 2, front = (sum + difference) / 2;
  double a = F / m - mu * g;
  assert_solved(&box, &problem, (double[4]){rear, -mu * rear, front, -mu * front}, (double[4]){0, a, 0, a});
  assert_true(box.mode[0] == CRD_MODE_SLIP && box.mode[1] == CRD_MODE_SLIP);
}

/* F h > m g b with rough feet tips it over its front foot: theta'' = (m g b - F h) / (I + m (b^2 + h^2)). */
static void a_high_box_tips(void **state) {
  (void)state;
  const double b = 0.3, h = 1, m = 2, g = 10, I = 0.8, F = 9;
  mechanism box;
  make_box(&box, b, h, m, I, 2, F, g);
  crd_coulomb_problem problem = problem_of(&box);
  double turn = (m * g * b - F * h) / (I + m * (b * b + h * h));
  /* the centre's acceleration is that of a turn about the foot: (-turn h, -turn b) */
  double pt = m * (-turn * h) - F, pn = m * (-turn * b) + m * g;
  assert_true(turn < 0 && fabs(pt) < 2 * pn);
  assert_solved(&box, &problem, (double[4]){0, 0, pn, pt}, (double[4]){-2 * b * turn, 0, 0, 0});
  assert_true(box.mode[0] == CRD_MODE_SEPARATE && box.mode[1] == CRD_MODE_STICK);
}

/* A block m on a wedge M of slope alpha that is free to slide on a smooth floor: velocities (X, Z, x, z).
 *
 *   mu >= tan alpha   all rests, N = m g cos alpha
 *   mu <  tan alpha   N = m g cos alpha / (1 + (m/M) sin alpha (sin alpha - mu cos alpha)),
 *                     the floor carries M g + N (cos alpha + mu sin alpha) */
static void a_block_on_a_wedge_rests_or_slides(void **state) {
  (void)state;
  const double m = 1, M = 3, g = 9.81, alpha = 0.5, mu[] = {0, 0.2, 0.5, 0.54, 0.55, 2};
  for (int k = 0; k < 6; k++) {
    double s = sin(alpha), c = cos(alpha);
    bool rests = mu[k] >= tan(alpha);
    mechanism w = {.nv = 4, .nc = 2, .mass = {M, M, m, m}, .v = {0, -g, 0, -g}};
    double *floor = add_row(&w), *normal = add_row(&w), *tangent = add_row(&w);
    floor[1] = 1;
    normal[0] = -s, normal[1] = -c, normal[2] = s, normal[3] = c;
    tangent[0] = -c, tangent[1] = s, tangent[2] = c, tangent[3] = -s;
    w.contact[0] = (crd_coulomb_contact){.row = 0};
    w.contact[1] = (crd_coulomb_contact){.row = 1, .ntangent = 1, .mu = mu[k]};
    double N = m * g * c / (rests ? 1 : 1 + m / M * s * (s - mu[k] * c)), T = rests ? -m * g * s : -mu[k] * N;
    crd_coulomb_problem problem = problem_of(&w);
    assert_solved(&w, &problem, (double[3]){M * g + N * c - T * s, N, T}, NULL);
    assert_int_equal(w.mode[1], rests ? CRD_MODE_STICK : CRD_MODE_SLIP);
  }
}

/* ------------------------------------------------------------------------------------------- chains */

/* Equal balls in a row, the first strikes with 1 m/s; u_k = v_k+1 - v_k. */
static void make_chain(mechanism *c, int balls) {
  *c = (mechanism){.nv = balls, .nc = balls - 1, .v = {1}};
  for (int k = 0; k < balls; k++) c->mass[k] = 1;
  for (int k = 0; k + 1 < balls; k++) {
    double *row = add_row(c);
    row[k] = -1, row[k + 1] = 1;
    c->contact[k] = (crd_coulomb_contact){.row = k};
  }
}

/* Without restitution all go on together with 1/n, so that contact k passes on what is behind it: p_k = (n - k)/n. */
static void a_plastic_chain_goes_on_together(void **state) {
  (void)state;
  enum { BALLS = 20 };
  mechanism c;
  double p[BALLS], u[BALLS] = {0};
  make_chain(&c, BALLS);
  for (int k = 1; k < BALLS; k++) p[k - 1] = (double)(BALLS - k) / BALLS;
  crd_coulomb_problem problem = problem_of(&c);
  assert_solved(&c, &problem, p, u);
}

/* Newton's law with e = 1 for three balls: u_1 = 1, u_2 = 0, from 2 p_1 - p_2 = 2, 2 p_2 = p_1. */
static void a_chain_with_a_target_leaves_as_newtons_law_says(void **state) {
  (void)state;
  mechanism c;
  make_chain(&c, 3);
  c.contact[0].target = 1;
  crd_coulomb_problem problem = problem_of(&c);
  assert_solved(&c, &problem, (double[2]){4.0 / 3, 2.0 / 3}, (double[2]){1, 0});
  c.contact[1].target = 0.25; /* both push: 2 p_1 - p_2 = 2, 2 p_2 - p_1 = 1/4 */
  assert_solved(&c, &problem, (double[2]){4.25 / 3, 2.5 / 3}, (double[2]){1, 0.25});
  c.contact[1].target = -2; /* may close on with 2 m/s: p_2 = 0, u_2 = -p_1 = -1 */
  assert_solved(&c, &problem, (double[2]){1, 0}, (double[2]){1, -1});
}

/* ------------------------------------------------------------------------------------------- other rows */

/* G = (2 1; 1 1), contact and a second row, w = (-1, w_2):
 *
 *   held       p_1 = 1 + w_2, p_2 = -1 - 2 w_2                    bilateral, or dry with enough room
 *   slips up   p_2 = -b, p_1 = (1 + b)/2, u_2 = w_2 + (1 - b)/2 */
static void a_dry_row_beside_a_contact_is_held_or_slips(void **state) {
  (void)state;
  mechanism m = {.nv = 2, .nc = 1, .mass = {1, 1}, .n = 2, .J = {1, 1, 1, 0}};
  crd_coulomb_problem problem = problem_of(&m);
  crd_coulomb_bounded bounded = {1, -1, 1};
  const int bilateral = 1;
  problem.nbounded = 1, problem.bounded = &bounded;
  m.w[0] = -1, m.w[1] = -0.25;
  assert_solved(&m, &problem, (double[2]){0.75, -0.5}, (double[2]){0, 0});
  bounded.lower = -0.5; /* exactly enough */
  assert_solved(&m, &problem, (double[2]){0.75, -0.5}, (double[2]){0, 0});
  bounded.lower = -0.2, m.w[1] = 1;
  assert_solved(&m, &problem, (double[2]){0.6, -0.2}, (double[2]){0, 1.4});
  problem.nbounded = 0, problem.nbilateral = 1, problem.bilateral = &bilateral, m.w[1] = -0.25;
  assert_solved(&m, &problem, (double[2]){0.75, -0.5}, (double[2]){0, 0});
}

/* A relay: p = -b sgn u. Two of them on one velocity, g = 1: w = 3 is braked by both bounds, w = 0.5 is held. */
static void relays_brake_together_and_share_what_they_hold(void **state) {
  (void)state;
  mechanism m = {.nv = 1, .mass = {1}, .n = 2, .J = {1, 1}};
  crd_coulomb_problem problem = problem_of(&m);
  const crd_coulomb_bounded relay[2] = {{0, -0.5, 0.5}, {1, -1, 1}};
  problem.nbounded = 2, problem.bounded = relay;
  m.w[0] = m.w[1] = 3;
  assert_solved(&m, &problem, (double[2]){-0.5, -1}, (double[2]){1.5, 1.5});
  m.w[0] = m.w[1] = -3;
  assert_solved(&m, &problem, (double[2]){0.5, 1}, (double[2]){-1.5, -1.5});
  m.w[0] = m.w[1] = 0.5;
  assert_solved(&m, &problem, (double[2]){-0.25, -0.25}, (double[2]){0, 0});
}

/* Bounds on one side are unilateral, equal bounds a given impulse, infinite bounds a bilateral row. */
static void bounds_may_be_infinite_or_equal(void **state) {
  (void)state;
  mechanism m = {.nv = 3, .mass = {1, 2, 4}, .n = 3, .J = {1, 0, 0, 1, 1, 0, 0, 1, 1}};
  crd_coulomb_problem problem = problem_of(&m);
  const crd_coulomb_bounded bounded[3] = {{0, 0.5, 0.5}, {1, -INFINITY, INFINITY}, {2, 0, INFINITY}};
  problem.nbounded = 3, problem.bounded = bounded;
  /* G_11 = 3/2, G_10 = 1, G_12 = 1/2, G_22 = 3/4; p_0 = 1/2 */
  m.w[0] = 0, m.w[1] = 1, m.w[2] = 2; /* row 2 opens: 1 + 1/2 + 3/2 p_1 = 0; u_2 = 2 - 1/2 */
  assert_solved(&m, &problem, (double[3]){0.5, -1, 0}, (double[3]){-0.5, 0, 1.5});
  m.w[2] = -2; /* 3/2 + 3/2 p_1 + p_2/2 = 0, -2 + p_1/2 + 3/4 p_2 = 0: p_1 = -1 - p_2/3, -5/2 + (7/12) p_2 = 0 */
  assert_solved(&m, &problem, (double[3]){0.5, -1 - 10.0 / 7, 30.0 / 7}, NULL);
}

/* ------------------------------------------------------------------------------------------- several motions */

/* Painleve's rod of test_enumerate.c: w = (1, -10), mu = 2. It opens, slips left with p = (2, 4), or jams with p =
 * (12.5, 23.5)/4; the guess selects, also where the motion has gone on a little. */
static void the_guess_selects_one_of_several_motions(void **state) {
  (void)state;
  const struct {
    double p[2];
    crd_mode mode;
  } branch[] = {{{0, 0}, CRD_MODE_SEPARATE}, {{2, 4}, CRD_MODE_SLIP}, {{12.5 / 4, 23.5 / 4}, CRD_MODE_STICK}};
  for (int k = 0; k < 3; k++)
    for (int moved = 0; moved < 3; moved++) {
      mechanism m = {.n = 2, .nc = 1, .G = {2.5, -1.5, -1.5, 2.5}};
      m.contact[0] = (crd_coulomb_contact){.ntangent = 1, .mu = 2};
      m.w[0] = 1 + 0.05 * moved, m.w[1] = -10 + 0.2 * moved;
      const double wn = m.w[0], wt = m.w[1];
      crd_coulomb_problem problem = {.n = 2, .w = m.w, .ncontact = 1, .contact = m.contact, .G = m.G};
      memcpy(m.p, branch[k].p, sizeof branch[k].p), m.mode[0] = branch[k].mode;
      assert_int_equal(solve(&m, &problem, true, CRD_COULOMB_AUTO), CRD_OK);
      assert_int_equal(m.mode[0], branch[k].mode);
      const double expected[3][2] = {
          {0, 0}, {2 * wn, 4 * wn}, {-(2.5 * wn + 1.5 * wt) / 4, -(1.5 * wn + 2.5 * wt) / 4}};
      assert_true(max_difference(m.p, expected[k], 2) <= 1e-8);
    }
}

/* The same at the level of accelerations, sliding left: it takes off, or p_n = 2 w_n presses it down. */
static void a_given_slide_keeps_its_branch(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    mechanism m = {.n = 2, .nc = 1, .G = {2.5, -1.5, -1.5, 2.5}, .w = {1.1, 0}};
    m.contact[0] = (crd_coulomb_contact){.ntangent = 1, .mu = 2, .slides = true, .slide = {-1, 0}};
    crd_coulomb_problem problem = {.n = 2, .w = m.w, .ncontact = 1, .contact = m.contact, .G = m.G};
    m.mode[0] = k ? CRD_MODE_SLIP : CRD_MODE_SEPARATE, m.p[0] = 2.0 * k, m.p[1] = 4.0 * k;
    assert_int_equal(solve(&m, &problem, true, CRD_COULOMB_AUTO), CRD_OK);
    assert_true(max_difference(m.p, (double[2]){2.2 * k, 4.4 * k}, 2) <= 1e-8);
  }
}

/* Sliding contacts without paradox, each with its column W_n + mu W_t: D = 5/2 - 3/2 mu = 1 for mu = 1. */
static void a_given_slide_has_the_friction_of_its_direction(void **state) {
  (void)state;
  mechanism m = {.n = 2, .nc = 1, .G = {2.5, -1.5, -1.5, 2.5}, .w = {-10, 0}};
  m.contact[0] = (crd_coulomb_contact){.ntangent = 1, .mu = 1, .slides = true, .slide = {-1, 0}};
  crd_coulomb_problem problem = {.n = 2, .w = m.w, .ncontact = 1, .contact = m.contact, .G = m.G};
  assert_solved(&m, &problem, (double[2]){10, 10}, (double[2]){0, 10});
}

/* ------------------------------------------------------------------------------------------- redundancy */

/* A beam (m = 1, I = 1/2) falls with 1 m/s on smooth feet at x = -1, 0, 2: compliances 1 + 2 x^2 = 3, 1, 9. It stops
 * with p = (2 t, 1 - 3 t, t), 0 <= t <= 1/3. Nearest to the guess (a, b, c) in units of the compliance: the least of
 *
 *   3 (2 t - a)^2 + (1 - 3 t - b)^2 + 9 (t - c)^2       at t = (1 + 2 a - b + 3 c)/10 */
static void make_beam(mechanism *beam) {
  *beam = (mechanism){.nv = 2, .nc = 3, .n = 3, .mass = {1, 0.5}, .v = {-1, 0}, .J = {1, -1, 1, 0, 1, 2}};
  for (int c = 0; c < 3; c++) beam->contact[c] = (crd_coulomb_contact){.row = c};
}

static void assert_beam(const mechanism *beam, double t) {
  const double p[3] = {2 * t, 1 - 3 * t, t};
  if (max_difference(beam->p, p, 3) > 1e-6)
    fail_msg("%.9g %.9g %.9g, expected %.9g %.9g %.9g", beam->p[0], beam->p[1], beam->p[2], p[0], p[1], p[2]);
}

static void cold_impulses_have_the_least_norm(void **state) {
  (void)state;
  const crd_coulomb_method method[] = {CRD_COULOMB_AUTO, CRD_COULOMB_NEWTON, CRD_COULOMB_INTERIOR};
  for (int k = 0; k < 3; k++) {
    mechanism beam;
    make_beam(&beam);
    crd_coulomb_problem problem = problem_of(&beam);
    assert_int_equal(solve(&beam, &problem, false, method[k]), CRD_OK);
    assert_beam(&beam, 0.1);
  }
}

static void assert_warm_beam(const double *guess, const crd_mode *modes) {
  const crd_coulomb_method method[] = {CRD_COULOMB_AUTO, CRD_COULOMB_NEWTON, CRD_COULOMB_INTERIOR};
  for (int k = 0; k < 3; k++) {
    mechanism beam;
    make_beam(&beam);
    crd_coulomb_problem problem = problem_of(&beam);
    memcpy(beam.p, guess, sizeof *guess * 3), memcpy(beam.mode, modes, sizeof *modes * 3);
    assert_int_equal(solve(&beam, &problem, true, method[k]), CRD_OK);
    assert_beam(&beam, (1 + 2 * guess[0] - guess[1] + 3 * guess[2]) / 10);
  }
}

static void warm_impulses_change_least(void **state) {
  (void)state;
  const crd_mode stick[3] = {CRD_MODE_STICK, CRD_MODE_STICK, CRD_MODE_STICK};
  const crd_mode none[3] = {CRD_MODE_NONE, CRD_MODE_NONE, CRD_MODE_NONE};
  const double guess[][3] = {{0.5, 0.3, 0.1}, {0.2, 0.7, 0.1}, {0.6, 0.1, 0.3}, {1, 1, 0.1}, {0.1, 0.5, 0.5}};
  for (int g = 0; g < 5; g++) assert_warm_beam(guess[g], stick), assert_warm_beam(guess[g], none);
  assert_warm_beam((double[3]){0, 0, 0}, none);
}

/* A guess whose projection would pull (t = -0.2): some answer of the line that pushes. */
static void impulses_never_pull_to_be_near_a_guess(void **state) {
  (void)state;
  mechanism beam;
  make_beam(&beam);
  crd_coulomb_problem problem = problem_of(&beam);
  beam.p[1] = 3;
  for (int c = 0; c < 3; c++) beam.mode[c] = CRD_MODE_STICK;
  assert_int_equal(solve(&beam, &problem, true, CRD_COULOMB_AUTO), CRD_OK);
  double t = beam.p[2];
  assert_true(t >= -1e-9 && t <= 1.0 / 3 + 1e-9 && beam.report.residual <= 1e-9);
  assert_beam(&beam, t);
}

/* A body on four rough feet at (+-a, +-b, -h), velocities (v, omega). order: of the contacts; angle: of each one's
 * tangents. */
static void make_table(mechanism *table, const int order[4], const double angle[4], const double v[6]) {
  const double a = 0.4, b = 0.3, h = 0.25, mass = 2, I[3] = {0.05, 0.08, 0.1};
  const double at[4][2] = {{a, b}, {-a, b}, {-a, -b}, {a, -b}};
  *table = (mechanism){.nv = 6, .nc = 4};
  for (int k = 0; k < 3; k++) table->mass[k] = mass, table->mass[3 + k] = I[k];
  memcpy(table->v, v, sizeof *v * 6);
  for (int c = 0; c < 4; c++) {
    double x = at[order[c]][0], y = at[order[c]][1], z = -h, co = cos(angle[order[c]]), si = sin(angle[order[c]]);
    const double row[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
    memcpy(add_row(table), row[0], sizeof row[0]);
    double *first = add_row(table), *second = add_row(table);
    for (int k = 0; k < 6; k++) first[k] = co * row[1][k] + si * row[2][k], second[k] = co * row[2][k] - si * row[1][k];
    table->contact[c] = (crd_coulomb_contact){.row = 3 * c, .ntangent = 2, .mu = 0.8};
  }
}

static const int IN_ORDER[4] = {0, 1, 2, 3};
static const double STRAIGHT[4] = {0, 0, 0, 0};

static void four_feet_share_alike(void **state) {
  (void)state;
  mechanism table;
  make_table(&table, IN_ORDER, STRAIGHT, (double[6]){0, 0, -3});
  crd_coulomb_problem problem = problem_of(&table);
  assert_int_equal(solve(&table, &problem, false, CRD_COULOMB_AUTO), CRD_OK);
  for (int c = 0; c < 4; c++) assert_true(max_difference(table.p + 3 * c, (double[3]){1.5, 0, 0}, 3) <= 1e-6);
}

/* guess = (what stops it, alike on all feet) + z + D^-1 G y with G z = 0 and the compliances D (the tangents' mean):
 * the projection of the guess onto the impulses that stop it takes off D^-1 G y and leaves z. */
static void four_feet_keep_what_moves_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    random_stream stream = {.seed = 3300 + seed};
    mechanism table;
    make_table(&table, IN_ORDER, STRAIGHT, (double[6]){0, 0, -3});
    crd_coulomb_problem problem = problem_of(&table);
    double expected[12] = {0}, y[12];
    const double warp = random_in(&stream, -0.3, 0.3), squeeze = random_in(&stream, -0.3, 0.3);
    for (int c = 0; c < 4; c++) expected[3 * c] = 1.5 + (c % 2 ? -warp : warp);
    expected[1] = squeeze, expected[4] = -squeeze; /* along x, between the feet at y = b */
    random_vector(&stream, 12, y);
    for (int i = 0; i < 12; i++) {
      const double *d = table.G + 13 * (i - i % 3);
      double push = 0, own = i % 3 ? 0.5 * (d[13] + d[26]) : d[0];
      for (int j = 0; j < 12; j++) push += table.G[12 * i + j] * y[j];
      table.p[i] = expected[i] + 0.02 * push / own;
    }
    for (int c = 0; c < 4; c++) table.mode[c] = CRD_MODE_STICK;
    assert_int_equal(solve(&table, &problem, true, CRD_COULOMB_AUTO), CRD_OK);
    for (int i = 0; i < 12; i++)
      if (fabs(table.p[i] - expected[i]) > 1e-6)
        fail_msg("seed %d, row %d: %.9g, expected %.9g", (int)seed, i, table.p[i], expected[i]);
  }
}

/* Pushed and turned: whatever feet do, neither their order nor their tangents change it. */
static void the_policy_knows_neither_order_nor_tangents(void **state) {
  (void)state;
  const int order[4] = {2, 0, 3, 1};
  const double v[][6] = {{0, 0, -3}, {0.5, -0.4, -3, 0.1, 0.2, 0.3}, {5, 1, -3}, {0.2, 0, -1, 2, -1, 0.5}};
  for (int k = 0; k < 4; k++)
    for (int warm = 0; warm < 2; warm++)
      for (uint64_t seed = 0; seed < 5; seed++) {
        random_stream stream = {.seed = 4400 + seed};
        mechanism one, two;
        double angle[4];
        for (int c = 0; c < 4; c++) angle[c] = random_in(&stream, -3, 3);
        make_table(&one, IN_ORDER, STRAIGHT, v[k]);
        make_table(&two, order, angle, v[k]);
        crd_coulomb_problem first = problem_of(&one), second = problem_of(&two);
        for (int c = 0; c < 4; c++) one.mode[c] = CRD_MODE_STICK;
        random_vector(&stream, 12, one.p);
        for (int c = 0; c < 4; c++) {
          const double *from = one.p + 3 * order[c], co = cos(angle[order[c]]), si = sin(angle[order[c]]);
          two.p[3 * c] = from[0], two.mode[c] = one.mode[order[c]];
          two.p[3 * c + 1] = co * from[1] + si * from[2], two.p[3 * c + 2] = co * from[2] - si * from[1];
        }
        assert_int_equal(solve(&one, &first, warm, CRD_COULOMB_AUTO), CRD_OK);
        assert_int_equal(solve(&two, &second, warm, CRD_COULOMB_AUTO), CRD_OK);
        for (int c = 0; c < 4; c++) {
          const double *from = one.p + 3 * order[c], co = cos(angle[order[c]]), si = sin(angle[order[c]]);
          const double turned[3] = {from[0], co * from[1] + si * from[2], co * from[2] - si * from[1]};
          if (max_difference(turned, two.p + 3 * c, 3) > 1e-6)
            fail_msg("push %d, %s, seed %d, foot %d: %.9g %.9g %.9g, expected %.9g %.9g %.9g", k,
                     warm ? "warm" : "cold", (int)seed, order[c], two.p[3 * c], two.p[3 * c + 1], two.p[3 * c + 2],
                     turned[0], turned[1], turned[2]);
        }
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_thrown_obliquely_sticks_or_slips),
      cmocka_unit_test(a_ball_that_sticks_rolls_with_five_sevenths),
      cmocka_unit_test(spin_and_rolling_stop_exactly_or_go_on),
      cmocka_unit_test(a_box_pushed_gently_rests),
      cmocka_unit_test(a_box_pushed_harder_slides),
      cmocka_unit_test(a_high_box_tips),
      cmocka_unit_test(a_block_on_a_wedge_rests_or_slides),
      cmocka_unit_test(a_plastic_chain_goes_on_together),
      cmocka_unit_test(a_chain_with_a_target_leaves_as_newtons_law_says),
      cmocka_unit_test(a_dry_row_beside_a_contact_is_held_or_slips),
      cmocka_unit_test(relays_brake_together_and_share_what_they_hold),
      cmocka_unit_test(bounds_may_be_infinite_or_equal),
      cmocka_unit_test(the_guess_selects_one_of_several_motions),
      cmocka_unit_test(a_given_slide_keeps_its_branch),
      cmocka_unit_test(a_given_slide_has_the_friction_of_its_direction),
      cmocka_unit_test(cold_impulses_have_the_least_norm),
      cmocka_unit_test(warm_impulses_change_least),
      cmocka_unit_test(impulses_never_pull_to_be_near_a_guess),
      cmocka_unit_test(four_feet_share_alike),
      cmocka_unit_test(four_feet_keep_what_moves_nothing),
      cmocka_unit_test(the_policy_knows_neither_order_nor_tangents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
