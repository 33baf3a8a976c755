/* Claims: the law `stick-slip` gives closed-form impacts (sphere, Kane's pendulum, a slider on an incline), finds every
 * slip direction and the mean-zero outcome, decides with mu_static and slides with mu, works on closed loops and
 * refuses what it cannot resolve. */
#include <cradle/impact.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/make_model.h"

static crd_impact_result result;

static int release(void **state) {
  (void)state;
  crd_impact_result_free(&result);
  return 0;
}

static const crd_impact_solution *resolve(const crd_contact_problem *problem) {
  return resolve_stick_slip(problem, &result);
}

static void expect_refusal(const crd_contact_problem *problem, crd_status status, const char *words) {
  crd_impact_options options = crd_impact_default();
  assert_int_equal(crd_impact_resolve(crd_impact_find("stick-slip"), problem, &options, &result), status);
  assert_true(result.count == 0 && result.nnote == 1);
  assert_non_null(strstr(result.note[0], words));
}

/* A contact given by its Delassus matrix: M = D^-1, A = I (k = 2 or 3). */
static crd_contact_problem *contact_space(int k, const double *D, const double *v, double e, double mu) {
  double M[9], rows[9];
  for (int i = 0; i < k * k; i++) rows[i] = i / k == i % k;
  if (k == 2) {
    double det = D[0] * D[3] - D[1] * D[2];
    M[0] = D[3] / det, M[1] = -D[1] / det, M[2] = -D[2] / det, M[3] = D[0] / det;
  } else {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        M[3 * j + i] = D[3 * ((i + 1) % 3) + (j + 1) % 3] * D[3 * ((i + 2) % 3) + (j + 2) % 3] -
                       D[3 * ((i + 1) % 3) + (j + 2) % 3] * D[3 * ((i + 2) % 3) + (j + 1) % 3];
    double det = D[0] * M[0] + D[1] * M[3] + D[2] * M[6];
    for (int i = 0; i < 9; i++) M[i] /= det;
  }
  return make_problem(
      &(problem_def){.nv = k, .nc = 1, .ntangent = k - 1, .M = M, .v = v, .contact = rows, .e = e, .mu = mu});
}

/* Homogeneous sphere: D = diag(1/m, 7/(2m), 7/(2m)). It sticks from mu_cr = 2 |v_t| / (7 (1 + e) |v_n|) on, and
 * otherwise slips straight on: v_t+ = v_t (1 - mu/mu_cr). */
static crd_contact_problem *sphere(const double *v, double e, double mu) {
  const double m = 1.2, R = 0.25, I = 0.4 * m * R * R;
  const double rows[18] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -R, 0, 0, 1, 0, R, 0, 0};
  double M[36] = {0};
  for (int i = 0; i < 6; i++) M[7 * i] = i < 3 ? m : I;
  return make_problem(
      &(problem_def){.nv = 6, .nc = 1, .ntangent = 2, .M = M, .v = v, .contact = rows, .e = e, .mu = mu});
}

static void a_sphere_sticks_or_slips_straight_on(void **state) {
  (void)state;
  const double v[6] = {3, 1, -2, 4, -6, 2}, e = 0.7;
  for (double share = 0; share < 2; share += 0.25) {
    crd_contact_problem *p = sphere(v, e, 0);
    double critical = 2 * hypot(p->u[1], p->u[2]) / (7 * (1 + e) * 2);
    p->contact[0].mu = p->contact[0].mu_static = share == 1 ? critical * (1 + 1e-12) : share * critical;
    const crd_impact_solution *answer = resolve(p);
    double left = share < 1 ? 1 - share : 0;
    const double expected[3] = {e * 2, left * p->u[1], left * p->u[2]};
    check_close(answer->u_plus, expected, 3, 1e-11);
    assert_true(fabs(answer->p[0] - 1.2 * (1 + e) * 2) < 1e-13);
    assert_int_equal(answer->mode[0], share < 1 ? CRD_MODE_SLIP : CRD_MODE_STICK);
    assert_string_equal(answer->label, share < 1 ? "slip" : "stick");
    assert_true(result.count == 1 && result.nnote == 0);
    crd_contact_problem_free(p);
  }
}

/* mu_static decides, mu slides. */
static void static_friction_decides_and_dynamic_friction_acts(void **state) {
  (void)state;
  const double v[6] = {3, 0, -2, 0, 0, 0}, critical = 2 * 3 / (7 * 1.5 * 2.0);
  crd_contact_problem *p = sphere(v, 0.5, 0.2);
  p->contact[0].mu_static = 1.01 * critical;
  assert_true(fabs(resolve(p)->u_plus[1]) < 1e-14);
  p->contact[0].mu_static = 0.99 * critical;
  assert_true(fabs(resolve(p)->u_plus[1] - 3 * (1 - 0.2 / critical)) < 1e-13);
  assert_false(result.solution[0].check.leaves_cone);
  crd_contact_problem_free(p);
}

/* (9) with E = diag(e, e_t, e_t): a sticking superball comes back along the tangent. */
static void tangential_restitution_reverses_a_sticking_tangent(void **state) {
  (void)state;
  const double v[6] = {1, -0.5, -2, 0, 0, 0};
  for (double e_t = -0.4; e_t <= 1; e_t += 0.35) {
    crd_contact_problem *p = sphere(v, 0.9, 5);
    p->contact[0].e_t = e_t;
    const crd_impact_solution *answer = resolve(p);
    const double expected[3] = {1.8, -e_t, 0.5 * e_t};
    check_close(answer->u_plus, expected, 3, 1e-14);
    assert_string_equal(answer->label, "stick");
    crd_contact_problem_free(p);
  }
}

/* Kane's example: two unit rods of unit mass hang from a point, angles a, b from the vertical; the tip touches a rough
 * floor. M = [[4/3, cos(a - b)/2], [., 1/3]], a_n = (sin a, sin b), A_t = (cos a, cos b). */
static crd_contact_problem *kane(double e, double mu) {
  const double a = 20 * acos(-1) / 180, b = 30 * acos(-1) / 180, c = 0.5 * cos(a - b);
  const double M[4] = {4.0 / 3, c, c, 1.0 / 3}, rows[4] = {sin(a), sin(b), cos(a), cos(b)}, v[2] = {-0.1, -0.2};
  return make_problem(
      &(problem_def){.nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .e = e, .mu = mu});
}

/* A sticking impact leaves (a_n, A_t) qd+ = (-e v_n, 0), two equations for two rates; with e = mu = 1/2 it gains energy
 * (K+/K = 1.587), and the ledger says so. */
static void kanes_pendulum_gains_energy_when_it_sticks(void **state) {
  (void)state;
  crd_contact_problem *p = kane(0.5, 0.5);
  const crd_impact_solution *answer = resolve(p);
  double det = p->J[0] * p->J[3] - p->J[1] * p->J[2], up = -0.5 * p->u[0];
  const double expected[2] = {p->J[3] * up / det, -p->J[2] * up / det};
  check_close(answer->v_plus, expected, 2, 1e-13);
  assert_int_equal(answer->mode[0], CRD_MODE_STICK);
  assert_true(answer->check.gains_energy && fabs(answer->kinetic_after / answer->kinetic_before - 1.587) < 1e-3);
  assert_true(fabs(answer->work[0] - (answer->kinetic_after - answer->kinetic_before)) < 1e-14);
  crd_contact_problem_free(p);
}

/* Below mu_cr it slips with i_n = (1 + e) |v_n| / (D_nn + mu D_nt) (the tip moves backwards) and loses energy, (36)
 * second line. */
static void kanes_pendulum_loses_energy_when_it_slips(void **state) {
  (void)state;
  const double e = 0.5, mu = 0.4;
  crd_contact_problem *p = kane(e, mu);
  const crd_impact_solution *answer = resolve(p);
  double g = 1 / (p->W[0] + mu * p->W[1]), i_n = -(1 + e) * g * p->u[0];
  assert_true(fabs(answer->p[0] - i_n) < 1e-14 && fabs(answer->p[1] - mu * i_n) < 1e-14);
  double mean = 0.5 * (p->u[1] + answer->u_plus[1]);
  double W = -0.5 * (1 - e * e) * g * p->u[0] * p->u[0] + (1 + e) * g * mu * fabs(mean) * p->u[0];
  assert_true(mean < 0 && fabs(answer->kinetic_after - answer->kinetic_before - W) < 1e-15);
  assert_true(answer->u_plus[1] > 0); /* reversed, B-10 */
  crd_contact_problem_free(p);
}

/* Erratum B-03: for e = 0 the sticking impulse is in the lower half of the double cone, sigma > 0 and yet no sticking.
 */
static void a_pulling_stick_is_no_stick(void **state) {
  (void)state;
  crd_contact_problem *p = kane(0, 0.9);
  crd_stick_slip found = stick_slip_outcomes(p);
  assert_true(found.discriminator > 0 && found.stick[0] < 0);
  assert_string_equal(resolve(p)->label, "slip");
  crd_contact_problem_free(p);
}

/* Erratum B-08: stick would need mu = 0.572, slip to either side turns round; what remains is v_t+ = -v_t. */
static void where_no_direction_fits_the_average_is_zero(void **state) {
  (void)state;
  const double D[4] = {1, 0.8, 0.8, 1}, v[2] = {-1, -0.42};
  crd_contact_problem *p = contact_space(2, D, v, 0, 0.3);
  const crd_impact_solution *answer = resolve(p);
  /* i = D^-1 (1, 0.84) */
  const double velocity[2] = {0, 0.42}, impulse[2] = {(1 - 0.8 * 0.84) / 0.36, (0.84 - 0.8) / 0.36};
  check_close(answer->u_plus, velocity, 2, 1e-14);
  check_close(answer->p, impulse, 2, 1e-14);
  assert_string_equal(answer->label, "mean-zero");
  assert_true(result.count == 1 && has_note(&result, "no slip direction exists"));
  crd_contact_problem_free(p);
}

/* Erratum B-09: three directions, at -28.5, -10.9 and -1.05 degrees, with energy changes -5.80, -3.51, -3.16; the first
 * is reached from mu = 0 without a jump. */
static void three_slip_directions_are_found_and_ordered(void **state) {
  (void)state;
  const double D[9] = {1, 1.91, 0.01, 1.91, 4.51, -0.53, 0.01, -0.53, 0.45}, v[3] = {-1, 1.32, -1.79};
  const double angle[3] = {-28.5, -10.9, -1.05}, W[3] = {-5.80, -3.51, -3.16};
  crd_contact_problem *p = contact_space(3, D, v, 0.6, 0.463);
  resolve(p);
  assert_int_equal(result.count, 3);
  assert_int_equal(count_labelled(&result, "slip"), 3);
  assert_true(has_note(&result, "3 slip directions: not unique"));
  for (int k = 0; k < 3; k++) {
    const crd_impact_solution *answer = &result.solution[k];
    double degrees = atan2(-answer->p[2], -answer->p[1]) * 180 / acos(-1);
    assert_true(fabs(degrees - angle[k]) < 0.05);
    assert_true(fabs(answer->kinetic_after - answer->kinetic_before - W[k]) < 0.005);
  }
  double last = 0;
  for (int step = 0; step <= 463; step++) {
    p->contact[0].mu = p->contact[0].mu_static = step * 1e-3;
    const crd_impact_solution *answer = resolve(p);
    double mean = atan2(0.5 * (p->u[2] + answer->u_plus[2]), 0.5 * (p->u[1] + answer->u_plus[1]));
    if (step > 0) assert_true(fabs(mean - last) < 0.01);
    last = mean;
  }
  crd_contact_problem_free(p);
}

/* A slider on an incline (angle a) hits a vertical wall: one degree of freedom, so the wall's two rows move together
 * and D is singular. s+ = -e s, and along the incline m (1 + e) s = cos(a) i_n - sin(a) i_t with i_t = -mu i_n while it
 * moves on upwards (e < 1); with e = 1 it moves up as much as down and friction averages to nothing. */
static void a_slider_on_an_incline_hits_a_rough_wall(void **state) {
  (void)state;
  const double m = 2, a = 0.5, s = 1.5, mu = 0.3, M[4] = {m, 0, 0, m}, v[2] = {s * cos(a), s * sin(a)};
  const double wall[4] = {-1, 0, 0, 1}, incline[4] = {-sin(a), cos(a), -2 * sin(a), 2 * cos(a)};
  for (int nb = 1; nb <= 2; nb++)
    for (double e = 0; e <= 1; e += 0.25) {
      crd_contact_problem *p = make_problem(&(problem_def){.nv = 2,
                                                           .nc = 1,
                                                           .ntangent = 1,
                                                           .nb = nb,
                                                           .M = M,
                                                           .v = v,
                                                           .contact = wall,
                                                           .bilateral = incline,
                                                           .e = e,
                                                           .mu = mu});
      const crd_impact_solution *answer = resolve(p);
      const double expected[2] = {-e * v[0], -e * v[1]};
      check_close(answer->v_plus, expected, 2, 1e-13);
      assert_true(answer->check.bilateral < 1e-13 && !answer->check.leaves_cone && !answer->check.pulls);
      assert_string_equal(answer->label, e == 0 ? "stick" : e == 1 ? "mean-zero" : "slip");
      assert_true(has_note(&result, "its impulse is not"));
      double along = cos(a) * answer->p[0] - sin(a) * answer->p[1];
      assert_true(fabs(along - m * (1 + e) * s) < 1e-13);
      if (e > 0 && e < 1) assert_true(fabs(answer->p[1] + mu * answer->p[0]) < 1e-13);
      crd_contact_problem_free(p);
    }
}

/* A mass rests on the floor when it is struck from above and from the side: it stays while the side is within friction,
 * and slides off with the rest of it otherwise. */
static void an_external_impulse_meets_friction(void **state) {
  (void)state;
  const double M[4] = {2, 0, 0, 2}, v[2] = {0, 0}, floor_rows[4] = {0, 1, 1, 0}, mu = 0.4, down = 5;
  for (double side = 0; side <= 4; side += 0.5) {
    const double impulse[2] = {side, -down};
    crd_contact_problem *p = make_problem(&(problem_def){.nv = 2,
                                                         .nc = 1,
                                                         .ntangent = 1,
                                                         .M = M,
                                                         .v = v,
                                                         .contact = floor_rows,
                                                         .impulse = impulse,
                                                         .e = 0.5,
                                                         .mu = mu});
    const crd_impact_solution *answer = resolve(p);
    const double expected[2] = {fmax(0, side - mu * down) / 2, 0}, forces[2] = {down, -fmin(side, mu * down)};
    check_close(answer->v_plus, expected, 2, 1e-14);
    check_close(answer->p, forces, 2, 1e-14);
    crd_contact_problem_free(p);
  }
}

/* Three equal balls in a row, q = (x1, x2, x3), contacts 1-2 and 2-3. */
static crd_contact_problem *balls(double v1, double v2, double v3) {
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rows[6] = {-1, 1, 0, 0, -1, 1}, v[3] = {v1, v2, v3};
  return make_problem(&(problem_def){.nv = 3, .nc = 2, .M = M, .v = v, .contact = rows, .e = 1});
}

static void several_contacts_are_resolved_only_where_one_is_hit(void **state) {
  (void)state;
  crd_contact_problem *p = balls(2, 0, 3); /* the third ball flees fast enough */
  const double expected[3] = {0, 2, 3};
  check_close(resolve(p)->v_plus, expected, 3, 1e-14);
  assert_int_equal(result.solution[0].mode[1], CRD_MODE_SEPARATE);
  crd_contact_problem_free(p);
  p = balls(2, 0, 1);
  expect_refusal(p, CRD_ERR_ARGUMENT, "the impact at '1' closes '2'");
  crd_contact_problem_free(p);
  p = balls(2, 0, 0);
  expect_refusal(p, CRD_ERR_ARGUMENT, "the impact at '1' closes '2'");
  crd_contact_problem_free(p);
  p = balls(2, 0, -1);
  expect_refusal(p, CRD_ERR_ARGUMENT, "2 contacts approach");
  crd_contact_problem_free(p);
}

static void a_contact_that_does_not_approach_is_left_alone(void **state) {
  (void)state;
  crd_contact_problem *p = balls(0, 0, 1);
  const crd_impact_solution *answer = resolve(p);
  assert_true(max_abs(answer->p, 2) == 0 && has_note(&result, "no contact approaches"));
  assert_true(answer->mode[0] == CRD_MODE_NONE && answer->mode[1] == CRD_MODE_SEPARATE);
  crd_contact_problem_free(p);
}

/* Bilateral rows that hold the normal still: it cannot approach; if the velocity says it does, no impulse helps. */
static void a_blocked_normal_is_singular(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 1}, v[2] = {1, -1}, floor_rows[4] = {0, 1, 1, 0}, rail[2] = {0, 1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 2,
                                                       .nc = 1,
                                                       .ntangent = 1,
                                                       .nb = 1,
                                                       .M = M,
                                                       .v = v,
                                                       .contact = floor_rows,
                                                       .bilateral = rail,
                                                       .e = 0.5,
                                                       .mu = 0.5});
  crd_impact_options options = crd_impact_default();
  /* the rail stops the mass by itself, but Newton's rebound of the floor asks for more */
  assert_int_equal(crd_impact_resolve(crd_impact_find("stick-slip"), p, &options, &result), CRD_SINGULAR);
  assert_true(has_note(&result, "no impulse can move its normal"));
  crd_contact_problem_free(p);
}

/* mu > mu* (38): sliding forward would drive the contact into the floor (Painleve). Sliding the other way stops it. D =
 * [[1, 0.9], [0.9, 1]], mu = 1.5, e = 0, v_t = -3: i_n = 1/(1 + 1.35), i_t = 1.5 i_n. */
static void friction_beyond_mu_star_slides_the_other_way(void **state) {
  (void)state;
  const double D[4] = {1, 0.9, 0.9, 1}, v[2] = {-1, -3};
  crd_contact_problem *p = contact_space(2, D, v, 0, 1.5);
  const double expected[2] = {1 / 2.35, 1.5 / 2.35};
  check_close(resolve(p)->p, expected, 2, 1e-14);
  assert_int_equal(result.count, 1);
  crd_contact_problem_free(p);
}

/* ---- properties */

static double mu_star(const crd_contact_problem *p) { /* (38) */
  return p->W[0] / (p->contact[0].ntangent == 1 ? fabs(p->W[1]) : hypot(p->W[1], p->W[2]));
}

/* Momentum, restitution, Coulomb's law and the direction, from the definitions. */
static void check_slip(const crd_contact_problem *p, const crd_impact_solution *answer, double e) {
  int nt = p->contact[0].ntangent;
  double mean = 0, friction = 0, mu = p->contact[0].mu, size = fmax(1, answer->p[0]);
  assert_true(fabs(answer->u_plus[0] + e * p->u[0]) < 1e-10 * size && answer->p[0] > 0);
  assert_true(answer->check.momentum < 1e-10);
  for (int t = 1; t <= nt; t++) {
    mean = hypot(mean, 0.5 * (p->u[t] + answer->u_plus[t]));
    friction = hypot(friction, answer->p[t]);
  }
  assert_true(fabs(friction - mu * answer->p[0]) < 1e-10 * size);
  for (int t = 1; t <= nt; t++) /* mean * i_t = -mu i_n vbar_t */
    assert_true(fabs(mean * answer->p[t] + mu * answer->p[0] * 0.5 * (p->u[t] + answer->u_plus[t])) <
                1e-10 * size * size);
  assert_true(answer->check.energy_gain <= 1e-12);
}

/* All answers of a problem with one contact and no bilateral rows, and erratum B-09: an odd number of them. */
static void check_outcomes(const crd_contact_problem *p) {
  int nt = p->contact[0].ntangent, slips = count_labelled(&result, "slip"), zero = count_labelled(&result, "mean-zero");
  int stick = count_labelled(&result, "stick");
  assert_int_equal(slips + zero + stick, result.count);
  assert_int_equal(result.count % 2, 1);
  assert_true(stick == 0 || result.count == 1);
  if (nt == 1) assert_int_equal(result.count, 1);
  for (int k = 0; k < slips; k++) check_slip(p, &result.solution[k], p->contact[0].e);
  if (!zero) return;
  const crd_impact_solution *answer = &result.solution[result.count - 1];
  for (int t = 1; t <= nt; t++) assert_true(fabs(answer->u_plus[t] + p->u[t]) < 1e-10 * fmax(1, answer->p[0]));
  assert_true(answer->check.energy_gain <= 1e-12 && answer->check.cone < 1e-10);
}

/* Friction up to twice mu*. */
static void every_outcome_satisfies_its_equations(void **state) {
  (void)state;
  int stick = 0, slip = 0, zero = 0;
  for (uint64_t seed = 1; seed <= 10000; seed++) {
    random_stream stream = {.seed = seed};
    int nt = random_int(&stream, 1, 2), nv = random_int(&stream, 1 + nt, 7);
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = nv, .nc = 1, .ntangent = nt});
    p->contact[0].e = random_in(&stream, 0, 1);
    p->contact[0].mu = p->contact[0].mu_static = random_in(&stream, 0, 2) * fmin(mu_star(p), 5);
    resolve_with("stick-slip", p, &result);
    check_outcomes(p);
    stick += count_labelled(&result, "stick"), slip += count_labelled(&result, "slip"),
        zero += count_labelled(&result, "mean-zero");
    crd_contact_problem_free(p);
  }
  assert_true(stick > 500 && slip > 500 && zero > 20);
}

/* Near the examples of erratum B-09, where outcomes are born and vanish in pairs. */
static void outcomes_come_in_odd_numbers(void **state) {
  (void)state;
  const double D[2][9] = {{1, 1.91, 0.01, 1.91, 4.51, -0.53, 0.01, -0.53, 0.45},
                          {1, -0.54, -0.67, -0.54, 0.38, 0.19, -0.67, 0.19, 1.15}};
  const double v[2][3] = {{-1, 1.32, -1.79}, {-1, 1.45, -5.48}}, mu[2] = {0.463, 1.099};
  int several[2] = {0};
  random_stream stream = {.seed = 1};
  for (int trial = 0; trial < 4000; trial++) {
    int which = trial % 2;
    double w[3] = {-1};
    for (int t = 1; t < 3; t++) w[t] = v[which][t] + random_in(&stream, -0.2, 0.2);
    crd_contact_problem *p = contact_space(3, D[which], w, 0.6, mu[which] + random_in(&stream, -0.03, 0.03));
    resolve_with("stick-slip", p, &result);
    check_outcomes(p);
    several[which] += result.count > 1;
    crd_contact_problem_free(p);
  }
  assert_true(several[0] > 100 && several[0] < 1900 && several[1] > 100 && several[1] < 1900);
}

/* With bilateral rows: the contact sees the system they leave, which is judged by its residual (u+, cone and direction
 * recomputed from W and J alone). */
static void closed_loops_are_resolved(void **state) {
  (void)state;
  int answered = 0;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    random_stream stream = {.seed = seed};
    int nt = random_int(&stream, 1, 2), nv = random_int(&stream, 2 + nt, 8);
    crd_contact_problem *p = random_problem(
        &stream,
        (random_problem_options){
            .nv = nv, .nc = 1, .ntangent = nt, .nb = random_int(&stream, 1, nv - 1), .redundant = seed % 3 == 0});
    p->contact[0].e = random_in(&stream, 0, 1);
    p->contact[0].mu = random_in(&stream, 0, 0.5),
    p->contact[0].mu_static = p->contact[0].mu * random_in(&stream, 1, 2);
    crd_impact_options options = crd_impact_default();
    crd_status status = crd_impact_resolve(crd_impact_find("stick-slip"), p, &options, &result);
    assert_true(status == CRD_OK || status == CRD_NO_SOLUTION);
    for (int k = 0; k < result.count; k++) {
      const crd_impact_solution *answer = &result.solution[k];
      double size = fmax(1, max_abs(answer->p, p->nrow + p->nb));
      assert_true(answer->residual < 1e-9 * size && answer->check.bilateral < 1e-9 && !answer->check.pulls);
      answered++;
    }
    crd_contact_problem_free(p);
  }
  assert_true(answered > 2500);
}

/* The sticking impact is law `projection` with the contact's rows as contacts of their own and E = diag(e, 0, 0). */
static void sticking_equals_local_restitution(void **state) {
  (void)state;
  crd_impact_result other = {0};
  for (uint64_t seed = 1; seed <= 10000; seed++) {
    random_stream stream = {.seed = seed};
    int nb = random_int(&stream, 0, 2), nv = random_int(&stream, 3 + nb, 8);
    crd_contact_problem *p =
        random_problem(&stream, (random_problem_options){.nv = nv, .nc = 1, .ntangent = 2, .nb = nb});
    p->contact[0].e = random_in(&stream, 0, 1), p->contact[0].mu_static = 1e12;
    crd_contact_problem *q = make_problem(
        &(problem_def){.nv = nv, .nc = 3, .nb = nb, .M = p->M, .v = p->v, .contact = p->J, .bilateral = p->J + 3 * nv});
    assert_int_equal(crd_contact_problem_add_restitution_matrix(q), CRD_OK);
    memset(q->restitution_matrix, 0, sizeof(double) * 9);
    q->restitution_matrix[0] = p->contact[0].e;
    resolve_with("projection", q, &other);
    if (other.solution[0].p[0] >= 0) {
      resolve_with("stick-slip", p, &result);
      assert_string_equal(result.solution[0].label, "stick");
      double size = fmax(1, max_abs(other.solution[0].p, 3 + nb));
      check_close(result.solution[0].v_plus, other.solution[0].v_plus, nv, 1e-10);
      assert_true(max_difference(result.solution[0].p, other.solution[0].p, 3 + nb) < 1e-10 * size);
    }
    crd_contact_problem_free(p), crd_contact_problem_free(q);
  }
  crd_impact_result_free(&other);
}

/* Newton's impact: p = -(1 + e) u / W, whether the contact has no tangents or no friction. */
static void without_friction_newton_holds(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2000; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p = random_problem(
        &stream,
        (random_problem_options){.nv = random_int(&stream, 3, 8), .nc = 1, .ntangent = random_int(&stream, 0, 2)});
    double e = p->contact[0].e = random_in(&stream, 0, 1), newton = -(1 + e) * p->u[0] / p->W[0];
    const crd_impact_solution *answer = resolve(p);
    assert_true(result.count == 1 && fabs(answer->p[0] - newton) <= 1e-12 * newton);
    assert_true(p->nrow == 1 || max_abs(answer->p + 1, p->nrow - 1) <= 1e-13 * newton);
    crd_contact_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_sticks_or_slips_straight_on),
      cmocka_unit_test(static_friction_decides_and_dynamic_friction_acts),
      cmocka_unit_test(tangential_restitution_reverses_a_sticking_tangent),
      cmocka_unit_test(kanes_pendulum_gains_energy_when_it_sticks),
      cmocka_unit_test(kanes_pendulum_loses_energy_when_it_slips),
      cmocka_unit_test(a_pulling_stick_is_no_stick),
      cmocka_unit_test(where_no_direction_fits_the_average_is_zero),
      cmocka_unit_test(three_slip_directions_are_found_and_ordered),
      cmocka_unit_test(a_slider_on_an_incline_hits_a_rough_wall),
      cmocka_unit_test(an_external_impulse_meets_friction),
      cmocka_unit_test(several_contacts_are_resolved_only_where_one_is_hit),
      cmocka_unit_test(a_contact_that_does_not_approach_is_left_alone),
      cmocka_unit_test(a_blocked_normal_is_singular),
      cmocka_unit_test(friction_beyond_mu_star_slides_the_other_way),
      cmocka_unit_test(every_outcome_satisfies_its_equations),
      cmocka_unit_test(outcomes_come_in_odd_numbers),
      cmocka_unit_test(closed_loops_are_resolved),
      cmocka_unit_test(sticking_equals_local_restitution),
      cmocka_unit_test(without_friction_newton_holds),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
