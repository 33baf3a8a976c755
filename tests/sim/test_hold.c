/* Held contacts: the problem of an island contact by contact against closed forms, and the work of actuators on bodies
 * that contacts keep from moving. */
#include <math.h>
#include <string.h>

#include "impact/island.h"
#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/random_tree.h"

/* A point mass of 1 on a floor, rows n, t1, t2, then a loop row on a mass of 2 and a dry joint on a mass of 4, each by
 * itself: G is diagonal. */
static void sweep(const double w[5], double mu, double bound, double p[5], crd_mode *mode, double slide[2]) {
  double G[25] = {0}, u[5], copy[5];
  crd_island_contact contact = {.ntangent = 2, .mu = mu, .slide = {1, 0}};
  crd_island_dry dry = {.bound = bound};
  crd_island_memory memory = {0};
  G[0] = G[6] = G[12] = 1, G[18] = 0.5, G[24] = 0.25;
  memcpy(copy, w, sizeof copy);
  memset(p, 0, sizeof copy);
  crd_island island = {.n = 5, .ncontact = 1, .nb = 1, .ndry = 1, .first_b = 3, .first_dry = 4};
  island.contact = &contact, island.dry = &dry, island.G = G, island.w = copy, island.p = p, island.u = u;
  assert_int_equal(crd_island_reserve(&memory, 5), CRD_OK);
  assert_true(crd_island_by_sweeps(&memory, &island, 1e-12) <= 1e-12);
  *mode = contact.mode, memcpy(slide, contact.slide, sizeof contact.slide);
  crd_island_free(&memory);
}

static void sweeps_slide_against_the_velocity_with_all_friction(void **state) {
  (void)state;
  double p[5], slide[2];
  crd_mode mode;
  sweep((double[5]){-2, 3, 4, 0.5, 1}, 0.5, 1, p, &mode, slide);
  assert_near(p[0], 2, 1e-10); /* stops the approach; friction 0.5 * 2 along -(3, 4) / 5 */
  assert_near(p[1], -0.6, 1e-10), assert_near(p[2], -0.8, 1e-10);
  assert_near(p[3], -1, 1e-10); /* loop: 0.5 + 0.5 p = 0 */
  assert_near(p[4], -1, 1e-10); /* dry friction at its bound: 1 - 0.25 > 0 goes on */
  assert_int_equal(mode, CRD_MODE_SLIP);
  assert_near(slide[0], 0.6, 1e-10), assert_near(slide[1], 0.8, 1e-10);
}

static void sweeps_stick_within_the_cone_and_open_what_parts(void **state) {
  (void)state;
  double p[5], slide[2];
  crd_mode mode;
  sweep((double[5]){-2, 0.3, -0.4, 0, 0.1}, 0.5, 1, p, &mode, slide);
  assert_near(p[0], 2, 1e-10), assert_near(p[1], -0.3, 1e-10), assert_near(p[2], 0.4, 1e-10);
  assert_near(p[4], -0.4, 1e-10); /* 0.1 + 0.25 p = 0, within the bound */
  assert_int_equal(mode, CRD_MODE_STICK);
  sweep((double[5]){0.1, 1, 1, 0, 0}, 0.5, 1, p, &mode, slide);
  for (int i = 0; i < 5; i++) assert_near(p[i], 0, 0);
  assert_int_equal(mode, CRD_MODE_NONE);
}

/* ------------------------------------------------------------------------------------------------ random islands */

enum { MOST = 60, MOST_V = 20 };

typedef struct random_island {
  double G[MOST * MOST], w[MOST], p[MOST], u[MOST];
  crd_island_contact contact[MOST];
  crd_island_dry dry[MOST];
  crd_island island;
} random_island;

/* Contacts, loops and dry joints of a random system with nv velocities: G = J M^-1 J', w = J v, so that an answer
 * exists [Stewart and Trinkle 1996: w is in the range of J]. mass: ratio of the masses, mu: of every third contact. */
static void make_island(random_stream *stream, int nv, int contacts, int loops, int dry, double mass, double mu,
                        random_island *r) {
  double J[MOST][MOST_V] = {{0}}, M[MOST_V], v[MOST_V];
  int n = 0;
  crd_island *s = &r->island;
  *s = (crd_island){.ncontact = contacts, .nb = loops, .ndry = dry, .contact = r->contact, .dry = r->dry};
  for (int i = 0; i < nv; i++) M[i] = pow(mass, random_in(stream, 0, 1)), v[i] = random_in(stream, -1, 1);
  for (int i = 0; i < contacts; i++) {
    int tangents = i % 5 == 4 ? 0 : i % 4 == 3 ? 1 : 2;
    r->contact[i] = (crd_island_contact){.id = i, .row = n, .ntangent = tangents, .mu = random_in(stream, 0.1, 1)};
    r->contact[i].slide[0] = 1, r->contact[i].share = 1;
    if (i % 3 == 0 && mu > 0) r->contact[i].mu = mu;
    if (!tangents) r->contact[i].mu = 0;
    for (int k = 0; k <= tangents; k++, n++)
      for (int j = 0; j < nv; j++) J[n][j] = random_in(stream, -1, 1);
  }
  s->first_b = n;
  for (int i = 0; i < loops; i++, n++)
    for (int j = 0; j < nv; j++) J[n][j] = i == 1 ? 2 * J[n - 1][j] : random_in(stream, -1, 1); /* two depend */
  s->first_dry = n;
  for (int i = 0; i < dry; i++, n++)
    J[n][i] = 1, r->dry[i] = (crd_island_dry){.id = i, .bound = random_in(stream, 0, 1)};
  s->n = n, s->G = r->G, s->w = r->w, s->p = r->p, s->u = r->u, s->natural = 0;
  for (int i = 0; i < n; i++) {
    r->w[i] = 0, r->p[i] = 0;
    for (int k = 0; k < nv; k++) r->w[i] += J[i][k] * v[k];
    s->natural = fmax(s->natural, fabs(r->w[i]));
    for (int j = 0; j < n; j++) {
      r->G[n * i + j] = 0;
      for (int k = 0; k < nv; k++) r->G[n * i + j] += J[i][k] * J[j][k] / M[k];
    }
  }
}

/* The laws one by one, as velocities relative to the largest of w. The velocity is made anew. */
static double judge(const random_island *r, double *energy) {
  const crd_island *s = &r->island;
  int n = s->n;
  double worst = 0, u[MOST];
  *energy = 0;
  for (int i = 0; i < n; i++) {
    u[i] = r->w[i];
    for (int j = 0; j < n; j++) u[i] += r->G[n * i + j] * r->p[j];
    *energy += 0.5 * r->p[i] * (u[i] + r->w[i]);
  }
  for (int i = 0; i < s->ncontact; i++) {
    const crd_island_contact *c = &r->contact[i];
    int row = c->row;
    double g = r->G[(n + 1) * row], gt = 0, pt[2] = {0, 0}, ut[2] = {0, 0};
    for (int t = 0; t < c->ntangent; t++) {
      pt[t] = r->p[row + 1 + t], ut[t] = u[row + 1 + t];
      gt = fmax(gt, r->G[(n + 1) * (row + 1 + t)]);
    }
    double P = hypot(pt[0], pt[1]), cone = c->mu * r->p[row], along = ut[0] * pt[0] + ut[1] * pt[1];
    worst = fmax(worst, fmax(-u[row], -g * r->p[row]));           /* no approach, no pull */
    worst = fmax(worst, fmin(fabs(u[row]), g * fabs(r->p[row]))); /* what parts carries nothing */
    worst = fmax(worst, gt * (P - cone));                         /* friction within its cone */
    if (c->ntangent == 0) continue;
    double speed = hypot(ut[0], ut[1]), across = fabs(ut[0] * pt[1] - ut[1] * pt[0]);
    worst = fmax(worst, fmin(speed, gt * (cone - P))); /* below its limit it sticks */
    if (!(speed > 0) || !(P > 0)) continue;
    worst = fmax(worst, across / P * fmin(1, gt * P / speed)); /* at its limit it opposes the sliding */
    worst = fmax(worst, fmin(gt * P, along / P));
  }
  for (int b = 0; b < s->nb; b++) worst = fmax(worst, fabs(u[s->first_b + b]));
  for (int i = 0; i < s->ndry; i++) {
    int row = s->first_dry + i;
    double g = r->G[(n + 1) * row], p = r->p[row], reserve = r->dry[i].bound - fabs(p);
    worst = fmax(worst, -g * reserve);
    worst = fmax(worst, fmin(fabs(u[row]), g * reserve));
    worst = fmax(worst, fmin(g * fabs(p), p > 0 ? u[row] : -u[row]));
  }
  return worst / s->natural;
}

/* Every island is solved on the round cone, or says that it is not; those are at most a share `unsolved`. */
static void check_islands(int count, double unsolved, int nv, int contacts, int loops, int dry, double mass,
                          double mu) {
  random_stream stream = {19, 0};
  crd_island_memory memory = {0};
  random_island r;
  int rest = 0;
  assert_int_equal(crd_island_reserve(&memory, MOST), CRD_OK);
  for (int i = 0; i < count; i++) {
    long solves = 0;
    double energy, error;
    crd_island_way way;
    make_island(&stream, nv, contacts, loops, dry, mass, mu, &r);
    double violation = crd_island_settle(&memory, &r.island, 8, &solves, &way);
    error = judge(&r, &energy);
    rest += violation > CRD_ISLAND_SETTLED;
    if (!(error <= 2e-8) && violation <= CRD_ISLAND_SETTLED)
      fail_msg("island %d: %g, says %g, by way %d", i, error, violation, (int)way);
    if (!(energy <= 1e-12)) fail_msg("island %d: gains %g", i, energy);
  }
  if (rest > unsolved * count) fail_msg("%d of %d islands are not solved", rest, count);
  crd_island_free(&memory);
}

/* Newton's method need not converge; where it says that it has, all laws hold. */
static void newton_is_right_where_it_answers(void **state) {
  (void)state;
  random_stream stream = {23, 0};
  crd_island_memory memory = {0};
  random_island r;
  int answers = 0, count = 300;
  assert_int_equal(crd_island_reserve(&memory, MOST), CRD_OK);
  for (int i = 0; i < count; i++) {
    double energy;
    make_island(&stream, 12, 4, i % 3, i % 4, 10, 0, &r);
    if (!crd_island_by_newton(&memory, &r.island)) continue;
    double error = judge(&r, &energy);
    answers++;
    if (!(error <= 2e-8)) fail_msg("island %d: %g", i, error);
    if (!(energy <= 1e-12)) fail_msg("island %d: gains %g", i, energy);
  }
  if (answers < 0.8 * count) fail_msg("%d answers of %d", answers, count);
  crd_island_free(&memory);
}

static void random_islands_are_solved_on_the_round_cone(void **state) {
  (void)state;
  check_islands(300, 0, 12, 4, 0, 0, 10, 0);
  check_islands(300, 0, 12, 3, 2, 4, 10, 0);
}

static void redundant_contacts_loops_and_dry_joints_are_solved(void **state) {
  (void)state;
  check_islands(100, 0, 6, 8, 0, 0, 10, 0);
  check_islands(100, 0, 8, 6, 3, 3, 10, 0);
  check_islands(30, 0, 6, 18, 0, 0, 10, 0);
}

static void masses_and_friction_of_all_sizes_are_solved(void **state) {
  (void)state;
  check_islands(200, 0.01, 12, 4, 1, 2, 1e6, 0);
  check_islands(200, 0.08, 12, 5, 0, 0, 10, 1e5);
  check_islands(200, 0, 12, 5, 0, 0, 10, 1e-6);
}

/* A beam of mass 1 and moment of inertia 1 on three supports at x: u_i = w_i + sum of (1 + x_i x_j) p_j. What two
 * equations leave open of three forces is the direction z = (x2 - x3, x3 - x1, x1 - x2). Of least norm, forces weighed
 * by the diagonal D of G, are those with z' D p = 0, and from a first guess p moves across z in the same sense. */
static void forces_that_are_not_determined_stay_near_the_first_guess(void **state) {
  (void)state;
  const double x[3] = {-1, 0.5, 1}, z[3] = {-0.5, 2, -1.5}, held[3] = {0.1, 0.3, 0.6}, less = 0.9;
  double G[9], w[3], u[3], p[3] = {0, 0, 0}, along = 0, square = 0;
  crd_island_contact contact[3];
  crd_island_memory memory = {0};
  crd_island s = {.n = 3, .ncontact = 3, .first_b = 3, .first_dry = 3, .contact = contact, .natural = 1};
  s.G = G, s.w = w, s.p = p, s.u = u;
  assert_int_equal(crd_island_reserve(&memory, 3), CRD_OK);
  for (int i = 0; i < 3; i++) {
    contact[i] = (crd_island_contact){.id = i, .row = i, .mode = CRD_MODE_STICK, .share = 1};
    w[i] = 0, along += z[i] * (1 + x[i] * x[i]) * held[i], square += z[i] * (1 + x[i] * x[i]) * z[i];
    for (int j = 0; j < 3; j++) G[3 * i + j] = 1 + x[i] * x[j], w[i] -= less * G[3 * i + j] * held[j];
  }
  assert_true(crd_island_by_modes(&memory, &s, 3));
  for (int i = 0; i < 3; i++) assert_near(p[i], less * (held[i] - z[i] * along / square), 1e-7);
  memcpy(p, held, sizeof held);
  assert_true(crd_island_by_modes(&memory, &s, 3));
  for (int i = 0; i < 3; i++) assert_near(p[i], less * held[i] + (1 - less) * z[i] * along / square, 1e-7);
  crd_island_free(&memory);
}

/* A weight on the floor that a motor presses down does not move: nobody works. */
static void a_motor_that_moves_nothing_does_no_work(void **state) {
  (void)state;
  simulation *s = simulation_from_text(
      "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='0 0 1'/>"
      "<body pos='0 0 0.1'><joint name='z' type='slide' axis='0 0 1' damping='3'/>"
      "<geom type='sphere' size='0.1' mass='2'/></body></worldbody>"
      "<actuator><general joint='z' gainprm='0' biastype='affine' biasprm='-30 0 0'/></actuator></mujoco>",
      NULL);
  simulation_run(s, 1);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_near(crd_sim_qpos(s->sim)[0], 0, 1e-9);
  assert_near(energy.actuation, 0, 1e-3 * 30); /* the free fall of every step alone would book 3.7 J */
  assert_near(energy.integration, 0, 1e-3 * 30);
  simulation_free(s);
}

static void what_is_no_number_is_no_answer(void **state) {
  (void)state;
  double G[1] = {1}, w[1] = {-1}, p[1] = {NAN}, u[1] = {NAN};
  crd_island_contact contact = {.ntangent = 0};
  crd_island island = {.n = 1, .ncontact = 1, .first_b = 1, .first_dry = 1, .contact = &contact};
  island.G = G, island.w = w, island.p = p, island.u = u;
  assert_true(crd_island_violation(&island) == INFINITY);
  p[0] = 1, u[0] = 0;
  assert_near(crd_island_violation(&island), 0, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_number_is_no_answer),
      cmocka_unit_test(sweeps_slide_against_the_velocity_with_all_friction),
      cmocka_unit_test(sweeps_stick_within_the_cone_and_open_what_parts),
      cmocka_unit_test(newton_is_right_where_it_answers),
      cmocka_unit_test(random_islands_are_solved_on_the_round_cone),
      cmocka_unit_test(redundant_contacts_loops_and_dry_joints_are_solved),
      cmocka_unit_test(masses_and_friction_of_all_sizes_are_solved),
      cmocka_unit_test(forces_that_are_not_determined_stay_near_the_first_guess),
      cmocka_unit_test(a_motor_that_moves_nothing_does_no_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
