/* Claims: a joint at its limit is a frictionless contact whose row is the rate of its gap; limits enter W and impacts
 * like any other contact; their restitution is 0 unless stated; dry friction of joints stays out of the rows of J, and
 * in a step it is a force within its bound that opposes motion. */
#include <cradle/coulomb.h>
#include <cradle/impact.h>
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

/* A cart with a pendulum and a ball joint, all limited; the floor is far away. */
#define ARM(extra)                                                                                   \
  "<mujoco><compiler angle='radian'/>" extra                                                         \
  "<worldbody><geom type='plane' size='9 9 1' pos='0 0 -50'/>"                                       \
  "<body name='cart'><joint name='rail' type='slide' axis='1 0 0' range='-0.5 2' frictionloss='3'/>" \
  "<geom type='box' size='.1 .2 .3' mass='2'/>"                                                      \
  "<body name='rod' pos='0 0 -0.5'><joint name='hip' axis='0 1 0' pos='0 0 .3' range='-1 0.25' "     \
  "frictionloss='0.5'/><geom type='capsule' size='.05 .3' mass='1'/>"                                \
  "<body name='hand' pos='0.1 0 -0.5'><joint name='wrist' type='ball' range='0 0.7'/>"               \
  "<geom type='box' size='.1 .2 .05' mass='0.5'/></body></body></body></worldbody></mujoco>"

enum { RAIL, HIP }; /* entries of qpos and qvel; the ball has qpos 2..5 and qvel 2..4 */

static void set_wrist(mechanism *m, double x, double y, double z) {
  const double phi[3] = {x, y, z};
  double angle = crd_vec3_norm(phi), *q = m->qpos + 2;
  q[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) q[1 + i] = angle > 0 ? sin(angle / 2) * phi[i] / angle : 0;
}

static void joints_within_their_range_are_no_contacts(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(ARM(""));
  set_wrist(&m, 0.3, 0.2, 0.1);
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nc, 0);
  assert_int_equal(m.problem->nf, 0);
  mechanism_free(&m);
}

static void a_joint_at_its_limit_is_a_frictionless_contact(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(ARM(""));
  m.qpos[RAIL] = -0.5 - 1e-3, m.qpos[HIP] = 0.25;
  set_wrist(&m, 0, 0.7, 0);
  m.qvel[RAIL] = -0.2, m.qvel[HIP] = 0.3, m.qvel[3] = 0.4;
  mechanism_assemble(&m, NULL);
  const crd_contact_problem *p = m.problem;
  assert_int_equal(p->nc, 3);
  assert_int_equal(p->nrow, 3);
  const crd_contact *rail = mechanism_contact(&m, "rail:lower"), *hip = mechanism_contact(&m, "hip:upper"),
                    *wrist = mechanism_contact(&m, "wrist:limit");
  /* in the order of the joints, rows +1, -1 and the axis turned round */
  const double J[15] = {1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, -1, 0};
  assert_true(max_difference(p->J, J, 15) < 1e-15);
  assert_true(fabs(rail->gap + 1e-3) < 1e-15 && hip->gap == 0 && fabs(wrist->gap) < 1e-15);
  assert_true(p->u[0] == -0.2 && p->u[1] == -0.3 && fabs(p->u[2] + 0.4) < 1e-15);
  for (int c = 0; c < 3; c++) {
    const crd_contact *contact = &p->contact[c];
    assert_true(contact->ntangent == 0 && contact->mu == 0 && contact->e == 0 && contact->npoint == 0);
    assert_int_equal(contact->joint, c);
    assert_int_equal(contact->body1, c + 1);
    assert_int_equal(contact->body2, c);
  }
  /* the force on the cart is along +x, the moment on the rod about -y, at the joint */
  const double x[3] = {1, 0, 0}, minus_y[3] = {0, -1, 0}, anchor[3] = {-0.501, 0, -0.2};
  assert_true(max_difference(rail->normal, x, 3) < 1e-15 && max_difference(hip->normal, minus_y, 3) < 1e-15);
  assert_true(max_difference(wrist->normal, minus_y, 3) < 1e-15 && max_difference(hip->point, anchor, 3) < 1e-15);
  mechanism_free(&m);
}

static void limits_can_be_left_out_and_seen_from_afar(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(ARM(""));
  crd_contact_options options = crd_contact_default();
  m.qpos[RAIL] = 2, m.qpos[HIP] = 0.2;
  options.limits = false;
  mechanism_assemble(&m, &options);
  assert_int_equal(m.problem->nc, 0);
  options.limits = true, options.limit_distance = 0.06;
  mechanism_assemble(&m, &options);
  assert_int_equal(m.problem->nc, 2);
  assert_true(fabs(mechanism_contact(&m, "hip:upper")->gap - 0.05) < 1e-15);
  mechanism_free(&m);
}

static void rows_of_limits_are_the_rates_of_their_gaps(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(ARM(""));
  crd_contact_options options = crd_contact_default();
  random_stream stream = {.seed = 4};
  const double h = 1e-6;
  double there[6], gap[2][8];
  options.limit_distance = 10;
  for (int trial = 0; trial < 50; trial++) {
    crd_contact_problem *p = crd_contact_problem_new();
    random_state(m.model, &stream, m.qpos, m.qvel);
    for (int side = 0; side < 2; side++) {
      crd_tree_integrate_position(m.model, m.qpos, m.qvel, side ? h : -h, there);
      assert_int_equal(crd_contact_at_state(m.assembler, m.work, there, m.qvel, &options, p), CRD_OK);
      assert_int_equal(p->nc, 5);
      for (int c = 0; c < 5; c++) gap[side][c] = p->contact[c].gap;
    }
    crd_contact_problem_free(p);
    mechanism_assemble(&m, &options);
    for (int c = 0; c < 5; c++)
      if (fabs(gap[1][c]) < 2.4) /* the angle of a ball joint turns round at pi */
        assert_true(fabs((gap[1][c] - gap[0][c]) / (2 * h) - m.problem->u[c]) < 1e-7);
  }
  mechanism_free(&m);
}

/* x = M^-1 e_dof by the dense factor. */
static void dense_column(const crd_contact_problem *p, const double *row, double *x) {
  crd_contact_problem *dense = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(dense, p->nv, 1, 1, 0, true), CRD_OK);
  memcpy(dense->M, p->M, sizeof(double) * (size_t)(p->nv * p->nv));
  memcpy(dense->J, row, sizeof(double) * (size_t)p->nv);
  memcpy(dense->v, p->v, sizeof(double) * (size_t)p->nv);
  assert_int_equal(crd_contact_problem_complete(dense), CRD_OK);
  memcpy(x, dense->X, sizeof(double) * (size_t)p->nv);
  crd_contact_problem_free(dense);
}

static void limits_and_dry_friction_have_the_compliance_of_the_mechanism(void **state) {
  (void)state;
  mechanism m =
      mechanism_from_text(ARM("<default><geom contype='1' conaffinity='1'/></default>"
                              "<equality><connect body1='hand' anchor='0 0 0.1'/></equality>"));
  crd_contact_options options = crd_contact_default();
  random_stream stream = {.seed = 8};
  double x[5], row[5];
  options.limit_distance = 10, options.dry_friction = true;
  for (int trial = 0; trial < 20; trial++) {
    random_state(m.model, &stream, m.qpos, m.qvel);
    mechanism_assemble(&m, &options);
    const crd_contact_problem *p = m.problem;
    int rows = p->nrow + p->nb;
    assert_int_equal(p->nf, 2);
    assert_true(p->dry[0].dof == 0 && p->dry[0].bound == 3 && p->dry[1].dof == 1 && p->dry[1].bound == 0.5);
    assert_true(rows >= 8);
    for (int i = 0; i < rows; i++) {
      dense_column(p, p->J + 5 * i, x);
      assert_true(max_difference(x, p->X + 5 * i, 5) < 1e-12 * max_abs(x, 5));
      for (int j = 0; j < rows; j++) {
        double expected = 0;
        for (int k = 0; k < 5; k++) expected += p->J[5 * j + k] * x[k];
        assert_true(fabs(p->W[rows * i + j] - expected) < 1e-11 * max_abs(p->W, rows * rows));
      }
      for (int f = 0; f < 2; f++) assert_true(fabs(p->W_dry[(rows + 2) * f + i] - x[f]) < 1e-11 * max_abs(x, 5));
    }
    double p_all[16], dv[5], expected[5] = {0}, u_all[16];
    random_vector(&stream, rows + 2, p_all);
    for (int k = 0; k < 5; k++)
      for (int i = 0; i < rows; i++) expected[k] += p->X[5 * i + k] * p_all[i];
    for (int f = 0; f < 2; f++) {
      memset(row, 0, sizeof row);
      row[f] = 1;
      dense_column(p, row, x);
      for (int g = 0; g < 2; g++) assert_true(fabs(p->W_dry[(rows + 2) * f + rows + g] - x[g]) < 1e-12 * max_abs(x, 5));
      assert_true(p->u_dry[f] == m.qvel[f]);
      for (int k = 0; k < 5; k++) expected[k] += x[k] * p_all[rows + f];
    }
    crd_contact_response(m.assembler, m.work, p_all, dv);
    assert_true(max_difference(dv, expected, 5) < 1e-11 * max_abs(expected, 5));
    crd_contact_velocity(m.assembler, m.work, m.qvel, u_all);
    assert_true(max_difference(u_all, p->u, rows) < 1e-12 * (1 + max_abs(p->u, rows)));
    assert_true(u_all[rows] == m.qvel[0] && u_all[rows + 1] == m.qvel[1]);
  }
  mechanism_free(&m);
}

/* The cart alone (2 kg and what hangs on it moves along) against its stop. */
static void limits_rebound_with_their_own_restitution(void **state) {
  (void)state;
  mechanism m =
      mechanism_from_text(ARM("<custom><numeric name='cradle_restitution' data='0.9'/><tuple name='cradle_restitution'>"
                              "<element objtype='joint' objname='rail' prm='0.25'/></tuple></custom>"));
  m.qpos[RAIL] = -0.5, m.qvel[RAIL] = -2;
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nc, 1);
  assert_true(m.problem->contact[0].e == 0.25);
  static const char *const laws[] = {"poisson", "newton", "moreau", "projection"};
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    crd_impact_result result = {0};
    crd_impact_options impact = crd_impact_default();
    assert_int_equal(crd_impact_resolve(crd_impact_find(laws[k]), m.problem, &impact, &result), CRD_OK);
    assert_true(fabs(result.solution[0].u_plus[0] - 0.5) < 1e-12);
    assert_true(fabs(result.solution[0].v_plus[RAIL] - 0.5) < 1e-12);
    crd_impact_result_free(&result);
  }
  m.qpos[RAIL] = 0, m.qpos[HIP] = -1;
  mechanism_assemble(&m, NULL);
  assert_true(m.problem->contact[0].e == 0); /* "for all" is for contacts of geoms */
  mechanism_free(&m);
}

/* Impulses of a step as a Coulomb problem: dry friction is a row within its bounds; p and u have room for all rows. */
static void solve_step(const crd_contact_problem *problem, double h, const double *u, double *p) {
  enum { MOST = 16 };
  const int rows = problem->nrow + problem->nb, n = rows + problem->nf;
  double *G = new_vector(n * n), *after = new_vector(n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int low = i < j ? i : j, high = i + j - low;
      G[n * i + j] = high < rows ? problem->W[rows * i + j] : problem->W_dry[n * (high - rows) + low];
    }
  crd_coulomb_contact contact[MOST] = {{0}};
  crd_coulomb_bounded dry[MOST];
  crd_mode mode[MOST] = {CRD_MODE_NONE};
  int bilateral[MOST];
  assert_true(problem->nc <= MOST && problem->nf <= MOST && problem->nb <= MOST);
  for (int c = 0; c < problem->nc; c++) contact[c].row = problem->contact[c].row;
  for (int b = 0; b < problem->nb; b++) bilateral[b] = problem->nrow + b;
  for (int f = 0; f < problem->nf; f++)
    dry[f] = (crd_coulomb_bounded){rows + f, -h * problem->dry[f].bound, h * problem->dry[f].bound};
  const crd_coulomb_problem coulomb = {.n = n,
                                       .w = u,
                                       .G = G,
                                       .ncontact = problem->nc,
                                       .contact = contact,
                                       .nbilateral = problem->nb,
                                       .bilateral = bilateral,
                                       .nbounded = problem->nf,
                                       .bounded = dry};
  crd_coulomb_state state = {p, after, mode};
  crd_coulomb_options options = crd_coulomb_default();
  options.tolerance = 1e-13; /* the claims below are checked to 1e-12 */
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_report report;
  crd_status status = crd_coulomb_solve(work, &coulomb, &options, &state, &report);
  assert_true(status == CRD_OK || (status == CRD_LIMIT && report.residual < 1e-12));
  crd_coulomb_work_free(work);
  free(G), free(after);
}

static void dry_friction_in_a_step_is_bounded_and_opposes_motion(void **state) {
  (void)state;
  const double h = 0.1;
  mechanism m =
      mechanism_from_text(ARM("<equality><connect body1='hand' anchor='0 0 0.1' active='false'/></equality>"));
  crd_contact_options options = crd_contact_default();
  random_stream stream = {.seed = 12};
  int held = 0, moving = 0;
  options.limit_distance = 0.2, options.dry_friction = true;
  for (int trial = 0; trial < 100; trial++) {
    random_state(m.model, &stream, m.qpos, m.qvel);
    for (int k = 0; k < 2; k++) m.qvel[k] *= random_in(&stream, 0, 0.3);
    m.qpos[HIP] = random_int(&stream, 0, 1) ? 0.25 : 0;
    mechanism_assemble(&m, &options);
    const crd_contact_problem *problem = m.problem;
    int rows = problem->nrow + problem->nb;
    double *u = new_vector(rows + 2), *p = new_vector(rows + 2);
    memcpy(u, problem->u, sizeof *u * (size_t)rows);
    memcpy(u + rows, problem->u_dry, 2 * sizeof *u);
    solve_step(problem, h, u, p);
    for (int f = 0; f < 2; f++) {
      double bound = h * problem->dry[f].bound, after = problem->u_dry[f];
      for (int j = 0; j < rows + 2; j++) after += problem->W_dry[(rows + 2) * f + j] * p[j];
      assert_true(fabs(p[rows + f]) <= bound * (1 + 1e-12));
      if (fabs(after) > 1e-10) {
        assert_true(fabs(p[rows + f] + copysign(bound, after)) < 1e-12);
        moving++;
      } else {
        held++;
      }
    }
    for (int c = 0; c < problem->nc; c++) {
      double after = problem->u[c];
      for (int j = 0; j < rows; j++) after += problem->W[rows * c + j] * p[j];
      for (int f = 0; f < 2; f++) after += problem->W_dry[(rows + 2) * f + c] * p[rows + f];
      assert_true(p[c] >= 0 && after > -1e-10 && p[c] * after < 1e-10);
    }
    free(u), free(p);
  }
  assert_true(held > 20 && moving > 20);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_within_their_range_are_no_contacts),
      cmocka_unit_test(a_joint_at_its_limit_is_a_frictionless_contact),
      cmocka_unit_test(limits_can_be_left_out_and_seen_from_afar),
      cmocka_unit_test(rows_of_limits_are_the_rates_of_their_gaps),
      cmocka_unit_test(limits_and_dry_friction_have_the_compliance_of_the_mechanism),
      cmocka_unit_test(limits_rebound_with_their_own_restitution),
      cmocka_unit_test(dry_friction_in_a_step_is_bounded_and_opposes_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
