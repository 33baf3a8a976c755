/* Claims: all solutions known in closed form are listed and no others: the four modes of a planar contact, Painleve's
 * rod with none, one, two and three, bounded and bilateral rows, spinning friction; a motion is told apart from its
 * impulses (a box on four feet has one motion and many forces); islands multiply; limits and bad input are named. */
#include <cradle/coulomb.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"

enum { MAX_N = 36 };

static bool close_to(const double *a, const double *b, int n) {
  double apart = 0, most = 0;
  for (int i = 0; i < n; i++) apart = fmax(apart, fabs(a[i] - b[i])), most = fmax(most, fabs(b[i]));
  return apart <= 1e-10 * fmax(most, 1e-300);
}

/* The solution with these impulses and velocities, each of which may be NULL. */
static const crd_coulomb_solution *listed(const crd_coulomb_solutions *all, const double *p, const double *u) {
  for (int k = 0; k < all->count; k++)
    if ((!p || close_to(all->solution[k].p, p, all->n)) && (!u || close_to(all->solution[k].u, u, all->n)))
      return &all->solution[k];
  return NULL;
}

static void assert_verdict(const crd_coulomb_solutions *all, crd_coulomb_motion motion, bool forces_unique) {
  crd_coulomb_verdict verdict = crd_coulomb_judge(all);
  assert_string_equal(crd_coulomb_motion_name(verdict.motion), crd_coulomb_motion_name(motion));
  if (motion != CRD_MOTION_NONE) assert_int_equal(verdict.forces_unique, forces_unique);
}

/* ------------------------------------------------------------------------------------------- one planar contact */

static crd_coulomb_problem planar(const double *G, const double *w, const crd_coulomb_contact *contact) {
  return (crd_coulomb_problem){.n = 2, .w = w, .ncontact = 1, .contact = contact, .G = G};
}

/* A particle of unit mass: it bounces off nothing, sticks up to |w_t| = mu and slips above. */
static void a_particle_has_one_solution_in_each_of_its_four_modes(void **state) {
  (void)state;
  const double G[4] = {1, 0, 0, 1}, mu = 0.5;
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = mu};
  const struct {
    double w[2], p[2], u[2];
    crd_mode mode;
  } expected[] = {{{-1, 0.3}, {1, -0.3}, {0, 0}, CRD_MODE_STICK},
                  {{-1, 0.8}, {1, -0.5}, {0, 0.3}, CRD_MODE_SLIP},
                  {{-1, -0.8}, {1, 0.5}, {0, -0.3}, CRD_MODE_SLIP},
                  {{1, 0.3}, {0, 0}, {1, 0.3}, CRD_MODE_SEPARATE}};
  for (int k = 0; k < 4; k++) {
    crd_coulomb_problem problem = planar(G, expected[k].w, &contact);
    crd_coulomb_solutions all = {0};
    assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.modes, 4);
    const crd_coulomb_solution *only = listed(&all, expected[k].p, expected[k].u);
    assert_non_null(only);
    assert_true(only->mode[0] == expected[k].mode && only->freedom == 0 && !only->continuum && only->residual < 1e-15);
    assert_verdict(&all, CRD_MOTION_UNIQUE, true);
    assert_true(crd_coulomb_judge(&all).proved);
    crd_coulomb_solutions_free(&all);
  }
}

/* A target (restitution) shifts the normal: u_n = target where it pushes. */
static void a_target_is_reached_by_a_contact_that_pushes(void **state) {
  (void)state;
  const double G[4] = {1, 0, 0, 1}, w[2] = {-1, 0};
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 0.5, .target = 0.75};
  crd_coulomb_problem problem = planar(G, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_true(all.count == 1 && listed(&all, (double[2]){1.75, 0}, (double[2]){0.75, 0}));
  crd_coulomb_solutions_free(&all);
}

/* Painleve's rod at 45 degrees: unit mass, length 2, I = 1/3, r = -(1, 1)/sqrt 2 from its centre to the contact.
 *
 *   G_nn = 1 + r_x^2/I = 5/2     G_nt = -r_x r_y/I = -3/2     G_tt = 5/2     det = 4
 *
 * Sliding to the left with mu = 2: D = G_nn + mu G_nt = -1/2. */
static const double rod[4] = {2.5, -1.5, -1.5, 2.5};

static void a_rod_that_slides_left_has_no_or_two_solutions(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 2, .slides = true, .slide = {-1, 0}};
  double w[2] = {-10, 0};
  crd_coulomb_problem problem = planar(rod, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_NO_SOLUTION);
  assert_int_equal(all.count, 0);
  assert_verdict(&all, CRD_MOTION_NONE, true);
  assert_true(crd_coulomb_judge(&all).proved);
  /* w_n = 1: it takes off, or p_n = 2 presses it down: u_t = (G_tn + mu G_tt) p_n = 7 */
  w[0] = 1;
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 2);
  assert_non_null(listed(&all, (double[2]){0, 0}, (double[2]){1, 0}));
  assert_non_null(listed(&all, (double[2]){2, 4}, (double[2]){0, 7}));
  assert_verdict(&all, CRD_MOTION_SEVERAL, true);
  crd_coulomb_solutions_free(&all);
}

static void a_rod_that_slides_with_less_friction_has_one_solution(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 1, .slides = true, .slide = {-1, 0}}; /* D = 1 */
  const double w[2] = {-10, 0};
  crd_coulomb_problem problem = planar(rod, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_true(all.count == 1 && listed(&all, (double[2]){10, 10}, (double[2]){0, 10}));
  assert_verdict(&all, CRD_MOTION_UNIQUE, true);
  crd_coulomb_solutions_free(&all);
}

/* mu = 5/3: D = 0. Every p_n >= 0 keeps u_n = w_n = 0, each with its own u_t. */
static void at_the_border_the_rod_has_a_continuum_of_motions(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 5.0 / 3, .slides = true, .slide = {-1, 0}};
  const double w[2] = {0, -1};
  crd_coulomb_problem problem = planar(rod, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  assert_true(all.solution[0].continuum && all.solution[0].freedom == 1);
  assert_verdict(&all, CRD_MOTION_SEVERAL, false);
  crd_coulomb_solutions_free(&all);
}

/* At rest under gravity: G p = (g, 0), p = g (5/2, 3/2)/4, ratio 3/5 < mu. To slip left needs p_n < 0, to slip right
 * u_t = (-3/2 - 5) p_n < 0. */
static void a_rod_at_rest_sticks_where_it_could_not_slide(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 2};
  const double g = 9.81, w[2] = {-g, 0};
  crd_coulomb_problem problem = planar(rod, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  const crd_coulomb_solution *stick = listed(&all, (double[2]){2.5 * g / 4, 1.5 * g / 4}, NULL);
  assert_non_null(stick);
  assert_int_equal(stick->mode[0], CRD_MODE_STICK);
  assert_verdict(&all, CRD_MOTION_UNIQUE, true);
  crd_coulomb_solutions_free(&all);
}

/* w = (1, -10), mu = 2: it opens; it slips left, p_n = 1/(1/2), u_t = -10 + 7/2 p_n; it jams, p = (12.5, 23.5)/4. */
static void a_rod_that_is_pushed_has_three_solutions(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 2};
  const double w[2] = {1, -10};
  crd_coulomb_problem problem = planar(rod, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 3);
  assert_non_null(listed(&all, (double[2]){0, 0}, (double[2]){1, -10}));
  assert_non_null(listed(&all, (double[2]){2, 4}, (double[2]){0, -3}));
  assert_non_null(listed(&all, (double[2]){12.5 / 4, 23.5 / 4}, NULL));
  assert_verdict(&all, CRD_MOTION_SEVERAL, true);
  crd_coulomb_solutions_free(&all);
}

/* mu = 1e12: nothing listed leaves its cone. The same rod opens, or slips with p_n = w_n / (mu 3/2 - 5/2) so that p_t
 * is w_n / (3/2) and u_t = -10 + (5/2) (2/3), or jams. */
static void enormous_friction_keeps_impulses_in_their_cones(void **state) {
  (void)state;
  const double mu = 1e12, w[2] = {1, -10};
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = mu};
  crd_coulomb_problem problem = planar(rod, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 3);
  for (int k = 0; k < 3; k++) {
    const double *p = all.solution[k].p;
    assert_true(p[0] >= 0 && fabs(p[1]) <= mu * p[0] * (1 + 1e-9));
  }
  assert_non_null(listed(&all, NULL, (double[2]){1, -10}));
  assert_non_null(listed(&all, (double[2]){12.5 / 4, 23.5 / 4}, NULL));
  bool slips = false;
  for (int k = 0; k < 3; k++) slips |= fabs(all.solution[k].u[1] + 10 - 5.0 / 3) < 1e-9;
  assert_true(slips);
  crd_coulomb_solutions_free(&all);
}

/* ------------------------------------------------------------------------------------------- bodies on feet */

typedef struct feet {
  double G[12 * 12], w[12];
  crd_coulomb_contact contact[4];
  crd_coulomb_problem problem;
} feet;

/* A body of mass m and principal inertias I, its feet at +-(a, b) and h below its centre; w = J (v, omega). */
static void stand(feet *f, int ntangent, double mu, const double v[6]) {
  const double a = 0.4, b = 0.3, h = 0.2, m = 2, I[3] = {0.05, 0.07, 0.09};
  const double at[4][2] = {{a, b}, {-a, b}, {-a, -b}, {a, -b}};
  double J[12][6] = {{0}};
  int n = 4 * (1 + ntangent);
  for (int c = 0; c < 4; c++) {
    double x = at[c][0], y = at[c][1], z = -h;
    const double rows[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
    f->contact[c] = (crd_coulomb_contact){.row = c * (1 + ntangent), .ntangent = ntangent, .mu = mu};
    for (int t = 0; t <= ntangent; t++) memcpy(J[f->contact[c].row + t], rows[t], sizeof rows[t]);
  }
  for (int i = 0; i < n; i++) {
    f->w[i] = 0;
    for (int k = 0; k < 6; k++) f->w[i] += J[i][k] * v[k];
    for (int j = 0; j < n; j++) {
      f->G[i * n + j] = 0;
      for (int k = 0; k < 6; k++) f->G[i * n + j] += J[i][k] * J[j][k] / (k < 3 ? m : I[k - 3]);
    }
  }
  f->problem = (crd_coulomb_problem){.n = n, .w = f->w, .ncontact = 4, .contact = f->contact, .G = f->G};
}

/* Twelve impulses, six velocities: 6 dimensions, for an even load without friction lies inside all cones. */
static void a_box_at_rest_on_four_feet_has_one_motion_and_many_forces(void **state) {
  (void)state;
  const double g = 9.81, m = 2;
  feet f;
  stand(&f, 2, 0.5, (double[6]){0, 0, -g, 0, 0, 0});
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&f.problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  assert_int_equal(all.solution[0].freedom, 6);
  assert_false(all.solution[0].continuum);
  double even[12] = {0};
  for (int c = 0; c < 4; c++) even[3 * c] = m * g / 4;
  assert_non_null(listed(&all, even, NULL)); /* the least norm */
  assert_verdict(&all, CRD_MOTION_UNIQUE, false);
  assert_true(crd_coulomb_judge(&all).proved); /* wherever feet might slip, friction would have to drive them */
  crd_coulomb_solutions_free(&all);
}

/* Downhill at tan = 1 with mu = 1/2: all feet slip along x with the acceleration g (sin - mu cos). The load moves
 * uphill, and only (+, -, +, -) is left open: it turns nothing, for all feet slip alike. */
static void a_box_that_slides_on_four_feet_has_one_motion_and_a_line_of_forces(void **state) {
  (void)state;
  const double g = 10 / sqrt(2), mu = 0.5;
  feet f;
  stand(&f, 2, mu, (double[6]){g, 0, -g, 0, 0, 0});
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&f.problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  assert_int_equal(all.solution[0].freedom, 1);
  assert_false(all.solution[0].continuum);
  for (int c = 0; c < 4; c++) {
    const double *u = all.solution[0].u + 3 * c;
    assert_true(fabs(u[0]) < 1e-12 && fabs(u[1] - g * (1 - mu)) < 1e-12 && fabs(u[2]) < 1e-12);
    assert_int_equal(all.solution[0].mode[c], CRD_MODE_SLIP);
  }
  assert_verdict(&all, CRD_MOTION_UNIQUE, false);
  crd_coulomb_solutions_free(&all);
}

/* A plate that lands flat, sliding and spinning: each share (+, -, +, -) of the load brakes it in its own way. */
static void a_spinning_plate_on_four_feet_has_a_family_of_motions(void **state) {
  (void)state;
  feet f;
  stand(&f, 2, 0.1, (double[6]){0.2, 0.1, -1, 0, 0, 0.5});
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&f.problem, NULL, &all), CRD_OK);
  bool family = false;
  for (int k = 0; k < all.count; k++) family |= all.solution[k].continuum;
  assert_true(family && all.every_slip);
  assert_int_equal(crd_coulomb_judge(&all).motion, CRD_MOTION_SEVERAL);
  crd_coulomb_solutions_free(&all);
}

/* Four normals, three velocities: (+, -, +, -) moves nothing. Loaded, that is a line of forces; unloaded the cone has
 * no room for it, and p = 0 alone remains although G is singular. */
static void four_feet_without_friction_are_hyperstatic_only_under_load(void **state) {
  (void)state;
  feet f;
  crd_coulomb_solutions all = {0};
  stand(&f, 0, 0, (double[6]){0, 0, -1, 0, 0, 0});
  assert_int_equal(crd_coulomb_enumerate(&f.problem, NULL, &all), CRD_OK);
  assert_true(all.count == 1 && all.solution[0].freedom == 1);
  assert_verdict(&all, CRD_MOTION_UNIQUE, false);
  assert_true(crd_coulomb_judge(&all).proved);
  stand(&f, 0, 0, (double[6]){0, 0, 0, 0, 0, 0});
  assert_int_equal(crd_coulomb_enumerate(&f.problem, NULL, &all), CRD_OK);
  assert_true(all.count == 1 && all.solution[0].freedom == 0);
  assert_verdict(&all, CRD_MOTION_UNIQUE, true);
  crd_coulomb_solutions_free(&all);
}

/* ------------------------------------------------------------------------------------------- other rows */

/* u = w + p, -1 <= p <= 2. */
static void a_bounded_row_has_three_modes(void **state) {
  (void)state;
  const double G[1] = {1};
  const crd_coulomb_bounded motor = {.row = 0, .lower = -1, .upper = 2};
  const double expected[3][3] = {{3, -1, 2}, {0.5, -0.5, 0}, {-5, 2, -3}}; /* w, p, u */
  for (int k = 0; k < 3; k++) {
    crd_coulomb_problem problem = {.n = 1, .w = expected[k], .nbounded = 1, .bounded = &motor, .G = G};
    crd_coulomb_solutions all = {0};
    assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
    assert_true(all.count == 1 && all.modes == 3 && fabs(all.solution[0].p[0] - expected[k][1]) < 1e-14);
    assert_true(fabs(all.solution[0].u[0] - expected[k][2]) < 1e-14);
    crd_coulomb_solutions_free(&all);
  }
}

/* u = [1 2; 2 1] p, |p_i| <= 1: all at rest, or one at its upper and the other at its lower bound, u = -(1, -1). With
 * one between its bounds and the other at one of them u_i = 0 needs p_i = -+2, and (1, 1) is pushed on. */
static void two_relays_that_drive_each_other_have_three_solutions(void **state) {
  (void)state;
  const double G[4] = {1, 2, 2, 1}, w[2] = {0};
  const crd_coulomb_bounded relay[2] = {{0, -1, 1}, {1, -1, 1}};
  crd_coulomb_problem problem = {.n = 2, .w = w, .nbounded = 2, .bounded = relay, .G = G};
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_true(all.count == 3 && all.modes == 9);
  assert_non_null(listed(&all, (double[2]){0, 0}, (double[2]){0, 0}));
  assert_non_null(listed(&all, (double[2]){1, -1}, (double[2]){-1, 1}));
  assert_non_null(listed(&all, (double[2]){-1, 1}, (double[2]){1, -1}));
  crd_coulomb_solutions_free(&all);
}

/* Without room a bounded row is a given impulse; without bounds it is bilateral. */
static void bounds_that_meet_or_are_infinite_leave_one_mode(void **state) {
  (void)state;
  const double G[4] = {1, 0, 0, 1}, w[2] = {3, 3};
  const crd_coulomb_bounded row[2] = {{0, 0.5, 0.5}, {1, -INFINITY, INFINITY}};
  crd_coulomb_problem problem = {.n = 2, .w = w, .nbounded = 2, .bounded = row, .G = G};
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_true(all.count == 1 && all.modes == 2 && listed(&all, (double[2]){0.5, -3}, (double[2]){3.5, 0}));
  crd_coulomb_solutions_free(&all);
}

/* Two equal bilateral rows share their impulse, and a contact whose normal they hold cannot move. */
static void bilateral_rows_always_hold(void **state) {
  (void)state;
  const double G[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, w[3] = {-2, -2, -2};
  const int bilateral[2] = {1, 2};
  const crd_coulomb_contact contact = {.row = 0};
  crd_coulomb_problem problem = {
      .n = 3, .w = w, .ncontact = 1, .contact = &contact, .nbilateral = 2, .bilateral = bilateral, .G = G};
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_true(all.count == 1 && all.solution[0].freedom == 2);
  assert_verdict(&all, CRD_MOTION_UNIQUE, false);
  /* rows that contradict each other */
  const double other[3] = {-2, -2, 1};
  problem.w = other;
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_NO_SOLUTION);
  assert_verdict(&all, CRD_MOTION_NONE, true);
  crd_coulomb_solutions_free(&all);
}

/* A drill under a normal impulse of 1: it stops below mu_spin, spins on above. Rolling in a plane likewise. */
static void spinning_and_rolling_have_modes_of_their_own(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {.nspin = 1, .nroll = 2, .mu_spin = 0.1, .mu_roll = 0.5};
  const double G[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const double w[3][4] = {{-1, 0.05, 0.3, 0.4}, {-1, 0.5, 0.1, 0}, {-1, -0.5, 0.6, 0.8}};
  const double p[3][4] = {{1, -0.05, -0.3, -0.4}, {1, -0.1, -0.1, 0}, {1, 0.1, -0.3, -0.4}};
  for (int k = 0; k < 3; k++) {
    crd_coulomb_problem problem = {.n = 4, .w = w[k], .ncontact = 1, .contact = &contact, .G = G};
    crd_coulomb_solutions all = {0};
    assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.modes, 7); /* open, or three ways to spin times two to roll */
    assert_non_null(listed(&all, p[k], NULL));
    crd_coulomb_solutions_free(&all);
  }
}

/* ------------------------------------------------------------------------------------------- islands, limits, input */

static void islands_are_enumerated_apart_and_combined(void **state) {
  (void)state;
  double G[16] = {0}, w[4] = {1, -10, 1, -10};
  const crd_coulomb_contact contact[2] = {{.row = 0, .ntangent = 1, .mu = 2}, {.row = 2, .ntangent = 1, .mu = 2}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) G[4 * i + j] = G[4 * (i + 2) + j + 2] = rod[2 * i + j];
  crd_coulomb_problem problem = {.n = 4, .w = w, .ncontact = 2, .contact = contact, .G = G};
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_true(all.count == 9 && all.modes == 8);
  assert_non_null(listed(&all, (double[4]){0, 0, 2, 4}, (double[4]){1, -10, 0, -3}));
  assert_non_null(listed(&all, (double[4]){2, 4, 12.5 / 4, 23.5 / 4}, NULL));
  crd_coulomb_enumerate_options few = crd_coulomb_enumerate_default();
  few.max_solutions = 4;
  assert_int_equal(crd_coulomb_enumerate(&problem, &few, &all), CRD_LIMIT);
  assert_int_equal(all.count, 4);
  assert_verdict(&all, CRD_MOTION_SEVERAL, true);
  crd_coulomb_solutions_free(&all);
}

static bool at_once(void *context) {
  (void)context;
  return true;
}

static void limits_are_named(void **state) {
  (void)state;
  enum { N = 18 };
  double G[N * N], w[N];
  crd_coulomb_contact contact[N / 2];
  for (int i = 0; i < N; i++) {
    w[i] = -1;
    for (int j = 0; j < N; j++) G[i * N + j] = 0.1 + (i == j);
    if (i % 2 == 0) contact[i / 2] = (crd_coulomb_contact){.row = i, .ntangent = 1, .mu = 0.1};
  }
  crd_coulomb_problem problem = {.n = N, .w = w, .ncontact = N / 2, .contact = contact, .G = G};
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_LIMIT); /* 4^9 */
  assert_true(all.count == 0 && all.modes == 0);
  assert_verdict(&all, CRD_MOTION_UNKNOWN, true);
  crd_coulomb_enumerate_options stopped = crd_coulomb_enumerate_default();
  stopped.max_modes = 1 << 20, stopped.stop = at_once;
  assert_int_equal(crd_coulomb_enumerate(&problem, &stopped, &all), CRD_LIMIT);
  assert_verdict(&all, CRD_MOTION_UNKNOWN, true);
  crd_coulomb_solutions_free(&all);
}

static void bad_input_is_refused(void **state) {
  (void)state;
  double w[2] = {-1, 0}, G[4] = {1, 0, 0, 1};
  crd_coulomb_contact contact = {.ntangent = 1, .mu = 0.5};
  crd_coulomb_problem problem = planar(G, w, &contact);
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(NULL, NULL, &all), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, NULL), CRD_ERR_ARGUMENT);
  w[1] = NAN;
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_ERR_NUMBER);
  assert_true(all.row == 1 && all.count == 0);
  w[1] = 0, G[3] = INFINITY;
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_ERR_NUMBER);
  G[3] = 1, contact.mu = -1;
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_ERR_ARGUMENT);
  assert_verdict(&all, CRD_MOTION_UNKNOWN, true);
  contact.mu = 0.5, contact.row = 1; /* its tangent lies outside */
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_ERR_ARGUMENT);
  contact.row = 0;
  crd_coulomb_enumerate_options options = crd_coulomb_enumerate_default();
  options.tolerance = 0;
  assert_int_equal(crd_coulomb_enumerate(&problem, &options, &all), CRD_ERR_ARGUMENT);
  crd_coulomb_solutions_free(&all);
}

static void a_problem_without_rows_has_one_solution(void **state) {
  (void)state;
  crd_coulomb_problem problem = {0};
  crd_coulomb_solutions all = {0};
  assert_int_equal(crd_coulomb_enumerate(&problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  assert_verdict(&all, CRD_MOTION_UNIQUE, true);
  crd_coulomb_solutions_free(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_particle_has_one_solution_in_each_of_its_four_modes),
      cmocka_unit_test(a_target_is_reached_by_a_contact_that_pushes),
      cmocka_unit_test(a_rod_that_slides_left_has_no_or_two_solutions),
      cmocka_unit_test(a_rod_that_slides_with_less_friction_has_one_solution),
      cmocka_unit_test(at_the_border_the_rod_has_a_continuum_of_motions),
      cmocka_unit_test(a_rod_at_rest_sticks_where_it_could_not_slide),
      cmocka_unit_test(a_rod_that_is_pushed_has_three_solutions),
      cmocka_unit_test(enormous_friction_keeps_impulses_in_their_cones),
      cmocka_unit_test(a_box_at_rest_on_four_feet_has_one_motion_and_many_forces),
      cmocka_unit_test(a_box_that_slides_on_four_feet_has_one_motion_and_a_line_of_forces),
      cmocka_unit_test(a_spinning_plate_on_four_feet_has_a_family_of_motions),
      cmocka_unit_test(four_feet_without_friction_are_hyperstatic_only_under_load),
      cmocka_unit_test(a_bounded_row_has_three_modes),
      cmocka_unit_test(two_relays_that_drive_each_other_have_three_solutions),
      cmocka_unit_test(bounds_that_meet_or_are_infinite_leave_one_mode),
      cmocka_unit_test(bilateral_rows_always_hold),
      cmocka_unit_test(spinning_and_rolling_have_modes_of_their_own),
      cmocka_unit_test(islands_are_enumerated_apart_and_combined),
      cmocka_unit_test(limits_are_named),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(a_problem_without_rows_has_one_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
