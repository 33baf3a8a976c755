/* Claims: at rest a contact sticks, slips in any direction or opens as statics says; motion and forces are judged apart:
 * Painleve's rod sticks at rest and has no motion sliding, a box on feet has one motion and many forces, a block on a
 * slope slides beyond the friction angle with the acceleration of the closed form, a slope steeper than its friction
 * and a wedge have what they must; dry friction of joints counts; verdicts do not depend on units; many contacts end
 * with a verdict or with `unknown`. */
#include <cradle/analysis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/mechanism.h"

static const double G = 9.81, DEGREE = 0.017453292519943295;
static crd_arena arena;

static int release(void **state) {
  (void)state;
  crd_arena_free(&arena);
  return 0;
}

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.15g, expected %.15g", found, expected);
}

static crd_persistent at_state(mechanism *m) {
  crd_persistent persistent;
  double force[64] = {0};
  crd_arena_reset(&arena);
  mechanism_assemble(m, NULL);
  crd_tree_kinematics(m->model, m->work, m->qpos);
  crd_tree_velocity(m->model, m->work, m->qvel);
  crd_tree_passive(m->model, m->qpos, m->qvel, force);
  assert_int_equal(crd_analysis_persistent_at_state(&persistent, m->model, m->work, m->assembler, m->qpos, m->qvel,
                                                    force, m->problem, 0, NULL, NULL, &arena),
                   CRD_OK);
  return persistent;
}

static void a_box_on_its_feet_has_one_motion_and_many_forces(void **state) {
  (void)state;
  mechanism m = box_on_slope(0, 2, 0.5);
  crd_persistent p = at_state(&m);
  double weight = 0;
  assert_true(p.applies && p.lasting == 4 && p.forces_known);
  assert_int_equal(p.verdict.motion, CRD_MOTION_UNIQUE);
  assert_false(p.verdict.forces_unique);
  assert_int_equal(p.regime, CRD_REGIME_CONTACT);
  for (int i = 0; i < 6; i++) assert_near(p.motion[0].qacc[i], 0, 1e-9);
  for (int c = 0; c < 4; c++) weight += p.motion[0].force[m.problem->contact[c].row];
  assert_near(weight, 2 * G, 1e-9);
  mechanism_free(&m);
}

/* tan 20 < 0.5 < tan 35; beyond it a = g (sin - mu cos). */
static void a_box_on_a_slope_sticks_or_slides_by_the_friction_angle(void **state) {
  (void)state;
  mechanism m = box_on_slope(20, 2, 0.5);
  crd_persistent p = at_state(&m);
  assert_int_equal(p.verdict.motion, CRD_MOTION_UNIQUE);
  for (int i = 0; i < 6; i++) assert_near(p.motion[0].qacc[i], 0, 1e-9);
  mechanism_free(&m);
  m = box_on_slope(35, 2, 0.5);
  p = at_state(&m);
  assert_int_equal(p.verdict.motion, CRD_MOTION_UNIQUE);
  assert_near(p.motion[0].qacc[0], G * (sin(35 * DEGREE) - 0.5 * cos(35 * DEGREE)), 1e-8);
  for (int c = 0; c < 4; c++) assert_int_equal(p.motion[0].mode[c], CRD_MODE_SLIP);
  mechanism_free(&m);
}

/* A rod of mass m, half length l, on its tip at angle theta to the ground: planar rows of its tip. */
static crd_contact_problem *rod(double theta, double mu, double slide) {
  double l = 0.5, s = sin(theta), c = cos(theta);
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, l * l / 3};
  /* tip = centre - l (cos, sin); d/dt: x' + l s w, y' - l c w */
  const double rows[6] = {0, 1, -l * c, 1, 0, l * s};
  const double v[3] = {slide, 0, 0};
  return make_problem(&(problem_def){.nv = 3, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = mu});
}

static crd_persistent under_gravity(crd_contact_problem *p, double g) {
  static double qacc[8], a_free[32];
  crd_persistent out;
  memset(qacc, 0, sizeof qacc);
  qacc[1] = -g;
  for (int i = 0; i < p->nrow + p->nb; i++) {
    a_free[i] = 0;
    for (int k = 0; k < p->nv; k++) a_free[i] += p->J[p->nv * i + k] * qacc[k];
  }
  const crd_load load = {.qacc = qacc, .a_free = a_free};
  assert_int_equal(crd_analysis_persistent_form(&out, p, &load, 0, NULL, NULL, &arena), CRD_OK);
  return out;
}

/* Sticking: lambda_t / lambda_n = |W_nt| / W_tt, with W_tt = 1 + 3 s^2 and W_nt = -3 s c: 0.35 at 63.4 degrees. Sliding
 * to the side that digs in: W_nn - mu |W_nt| < 0 beyond mu_c = (1 + 3 c^2)/(3 s c), no force stops it. */
static void painleves_rod_sticks_at_rest_and_has_no_motion_sliding(void **state) {
  (void)state;
  double theta = atan(2), s = sin(theta), c = cos(theta), ratio = 3 * s * c / (1 + 3 * s * s);
  assert_near((1 + 3 * c * c) / (3 * s * c), 4.0 / 3, 1e-12);
  for (double unit = 1e-9; unit < 1e10; unit *= 1e3) {
    crd_contact_problem *p = rod(theta, 1.5, 0);
    crd_arena_reset(&arena);
    crd_persistent at_rest = under_gravity(p, G * unit);
    assert_int_equal(at_rest.verdict.motion, CRD_MOTION_UNIQUE);
    assert_true(at_rest.verdict.forces_unique && at_rest.verdict.proved);
    assert_int_equal(at_rest.motion[0].mode[0], CRD_MODE_STICK);
    assert_near(fabs(at_rest.motion[0].force[1]) / at_rest.motion[0].force[0], ratio, 1e-9);
    crd_contact_problem_free(p);
    int none = 0, one = 0;
    for (int side = -1; side <= 1; side += 2) {
      p = rod(theta, 1.5, side * unit);
      crd_persistent sliding = under_gravity(p, G);
      none += sliding.verdict.motion == CRD_MOTION_NONE, one += sliding.verdict.motion == CRD_MOTION_UNIQUE;
      crd_contact_problem_free(p);
    }
    assert_true(none == 1 && one == 1);
  }
}

/* Lifted instead of pressed, with the same friction: opening is a motion, and beyond mu_c sliding contact is another. */
static void a_rod_that_is_lifted_may_open_or_jam(void **state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    crd_contact_problem *p = rod(atan(2), 1.5, side);
    crd_arena_reset(&arena);
    crd_persistent lifted = under_gravity(p, -G);
    bool digs = side * p->W[1] > 0; /* W_nn - mu d W_nt < 0 */
    assert_int_equal(lifted.verdict.motion, digs ? CRD_MOTION_SEVERAL : CRD_MOTION_UNIQUE);
    assert_int_equal(lifted.count, digs ? 2 : 1);
    crd_contact_problem_free(p);
  }
}

/* A slider of 1 kg in a joint with dry friction 2 N, pulled by gravity g a: it holds below 2 N and moves above. */
static void dry_friction_of_a_joint_holds_up_to_its_bound(void **state) {
  (void)state;
  for (double pull = 1; pull < 4; pull += 2) {
    char text[500];
    snprintf(text, sizeof text, "ball_on_dry_rails: option.gravity=%g 0 -9.81", pull);
    mechanism m = mechanism_from_text(text);
    crd_persistent p = at_state(&m);
    assert_int_equal(p.verdict.motion, CRD_MOTION_UNIQUE);
    assert_near(p.motion[0].qacc[0], pull > 2 ? pull - 2 : 0, 1e-9);
    assert_near(p.motion[0].force[0], G, 1e-9);
    mechanism_free(&m);
  }
}

/* A frictionless plate on 40 feet: the motion of a convex programme is unique however many modes there are; its forces
 * are not. With friction the modes are too many, and the verdict says so. */
static void many_contacts_end_with_a_verdict_or_unknown(void **state) {
  (void)state;
  enum { FEET = 40 };
  double rows[2 * FEET * 3], M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.1}, v[3] = {0};
  for (int friction = 0; friction < 2; friction++) {
    int per = 1 + friction;
    for (int i = 0; i < FEET; i++) {
      double x = (double)i / (FEET - 1) - 0.5, *row = rows + 3 * per * i;
      row[0] = 0, row[1] = 1, row[2] = x;
      if (friction) row[3] = 1, row[4] = 0, row[5] = 0.1;
    }
    crd_contact_problem *p = make_problem(
        &(problem_def){.nv = 3, .nc = FEET, .ntangent = friction, .M = M, .v = v, .contact = rows, .mu = 0.5});
    double qacc[3] = {0, -G, 0}, a_free[2 * FEET];
    for (int i = 0; i < p->nrow; i++) a_free[i] = -G * p->J[3 * i + 1];
    const crd_load load = {.qacc = qacc, .a_free = a_free};
    crd_persistent out;
    crd_arena_reset(&arena);
    assert_int_equal(crd_analysis_persistent_form(&out, p, &load, 0, NULL, NULL, &arena), CRD_OK);
    assert_int_equal(out.verdict.motion, friction ? CRD_MOTION_UNKNOWN : CRD_MOTION_UNIQUE);
    assert_false(out.listed);
    if (!friction) assert_true(out.verdict.proved && out.forces_known && !out.verdict.forces_unique);
    assert_int_equal(out.count, 1);
    assert_near(out.motion[0].qacc[1], 0, 1e-7);
    crd_contact_problem_free(p);
  }
}

/* A particle of 2 kg on a hill of radius R with speed v: d/dt(n) v = v^2/R, so that it presses with m (g - v^2/R) and leaves
 * where v^2 > g R; its friction slows it. */
static void a_load_in_the_problem_is_that_of_a_mechanism(void **state) {
  (void)state;
  const double M[4] = {2, 0, 0, 2}, contact[4] = {0, 1, 1, 0}, R = 3, mu = 0.3;
  for (int k = 0; k < 2; k++) {
    const double v[2] = {k ? 6 : 4, 0};
    crd_contact_problem *p =
        make_problem(&(problem_def){.nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = contact, .mu = mu});
    crd_persistent persistent;
    double b;
    crd_arena_reset(&arena);
    assert_int_equal(crd_analysis_persistent_of_problem(&persistent, p, 0, NULL, NULL, &arena), CRD_ERR_ARGUMENT);
    assert_int_equal(crd_analysis_wellposed_bias_of_problem(p, &b, &arena), CRD_ERR_ARGUMENT);
    assert_int_equal(crd_contact_problem_add_load(p), CRD_OK);
    p->force[1] = -2 * G, p->rate[0] = v[0] * v[0] / R;
    assert_int_equal(crd_analysis_persistent_of_problem(&persistent, p, 0, NULL, NULL, &arena), CRD_OK);
    assert_int_equal(crd_analysis_wellposed_bias_of_problem(p, &b, &arena), CRD_OK);
    assert_near(b, (v[0] * v[0] / R - G) * sqrt(2), 1e-12);
    assert_true(persistent.applies && persistent.count == 1);
    double press = fmax(0, 2 * (G - v[0] * v[0] / R));
    assert_near(persistent.motion[0].force[0], press, 1e-12);
    assert_near(persistent.motion[0].force[1], -mu * press, 1e-12);
    assert_near(persistent.motion[0].qacc[0], -mu * press / 2, 1e-12);
    assert_int_equal(persistent.motion[0].mode[0], press > 0 ? CRD_MODE_SLIP : CRD_MODE_SEPARATE);
    crd_contact_problem_free(p);
  }
}

/* While a contact approaches there is an impact, and nothing is said about what lasts. */
static void an_approaching_contact_leaves_nothing_to_say(void **state) {
  (void)state;
  mechanism m = box_on_slope(0, 2, 0.5);
  m.qvel[2] = -1;
  crd_persistent p = at_state(&m);
  assert_false(p.applies);
  m.qvel[2] = 1; /* parting: no force, free fall */
  p = at_state(&m);
  assert_true(p.applies && p.lasting == 0);
  assert_int_equal(p.regime, CRD_REGIME_DETACH);
  assert_near(p.motion[0].qacc[2], -G, 1e-12);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_on_its_feet_has_one_motion_and_many_forces),
      cmocka_unit_test(a_box_on_a_slope_sticks_or_slides_by_the_friction_angle),
      cmocka_unit_test(painleves_rod_sticks_at_rest_and_has_no_motion_sliding),
      cmocka_unit_test(a_rod_that_is_lifted_may_open_or_jam),
      cmocka_unit_test(dry_friction_of_a_joint_holds_up_to_its_bound),
      cmocka_unit_test(many_contacts_end_with_a_verdict_or_unknown),
      cmocka_unit_test(a_load_in_the_problem_is_that_of_a_mechanism),
      cmocka_unit_test(an_approaching_contact_leaves_nothing_to_say),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
