/* Claims: bilateral rows are the rates of their residuals; planar loops have two rows; couplings of joints and loops
 * enter W like any other row; inactive loops do not count. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/small_lu.h"
#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

/* Two spatial arms from the world, of ball, hinge and slide joints; the equality goes between their ends. */
#define ARMS(equality)                                                                                             \
  "<mujoco><worldbody>"                                                                                            \
  "<body name='a1' pos='0 0 0'><joint type='ball'/><geom type='box' size='.1 .2 .3' contype='0' conaffinity='0'/>" \
  "<body name='a2' pos='0.5 0 0'><joint name='j1' axis='1 2 3'/><joint name='s1' type='slide' axis='0 1 1'/>"      \
  "<geom type='box' size='.2 .2 .1' contype='0' conaffinity='0'/></body></body>"                                   \
  "<body name='b1' pos='1 0.5 0'><freejoint/><geom type='box' size='.1 .2 .3' contype='0' conaffinity='0'/>"       \
  "<body name='b2' pos='0 0.5 0.2' quat='1 1 0 0'><joint name='j2' axis='0 1 0' ref='0.2'/>"                       \
  "<geom type='box' size='.3 .2 .1' contype='0' conaffinity='0'/></body></body>"                                   \
  "</worldbody><equality>" equality "</equality></mujoco>"

/* Central difference of the residuals along the velocity. */
static void expect_rates(mechanism *m, int rows) {
  const double h = 1e-6;
  double *there = new_vector(m->model->nq), rate[16] = {0};
  crd_contact_problem *p = crd_contact_problem_new();
  assert_int_equal(m->problem->nb, rows);
  for (int side = -1; side <= 1; side += 2) {
    crd_tree_integrate_position(m->model, m->qpos, m->qvel, side * h, there);
    assert_int_equal(crd_contact_at_state(m->assembler, m->work, there, m->qvel, NULL, p), CRD_OK);
    assert_int_equal(p->nb, rows);
    for (int i = 0; i < rows; i++) rate[i] += side * p->residual[i] / (2 * h);
  }
  mechanism_assemble(m, NULL);
  assert_true(max_difference(rate, m->problem->u + m->problem->nrow, rows) < 1e-7);
  crd_contact_problem_free(p);
  free(there);
}

/* W = J M^-1 J' by the dense way. */
static void expect_delassus(const mechanism *m) {
  const crd_contact_problem *p = m->problem;
  int n = p->nv, rows = p->nrow + p->nb;
  crd_contact_problem *dense = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(dense, n, p->nc, p->nrow, p->nb, true), CRD_OK);
  memcpy(dense->M, p->M, sizeof(double) * (size_t)(n * n));
  memcpy(dense->J, p->J, sizeof(double) * (size_t)(rows * n));
  memcpy(dense->v, p->v, sizeof(double) * (size_t)n);
  assert_int_equal(crd_contact_problem_complete(dense), CRD_OK);
  assert_true(max_difference(p->W, dense->W, rows * rows) < 1e-12 * max_abs(dense->W, rows * rows));
  crd_contact_problem_free(dense);
}

static void check_text(const char *text, int rows, bool random_position) {
  random_stream stream = {.seed = 9};
  mechanism m = mechanism_from_text(text);
  double *qpos = new_vector(m.model->nq);
  random_state(m.model, &stream, qpos, m.qvel);
  if (random_position) memcpy(m.qpos, qpos, sizeof(double) * (size_t)m.model->nq);
  mechanism_assemble(&m, NULL);
  expect_rates(&m, rows);
  expect_delassus(&m);
  free(qpos);
  mechanism_free(&m);
}

static void rows_of_a_connection_are_its_rates_open_or_closed(void **state) {
  (void)state;
  check_text(ARMS("<connect body1='a2' body2='b2' anchor='.1 .2 .3'/>"), 3, false);
  check_text(ARMS("<connect body1='a2' body2='b2' anchor='.1 .2 .3'/>"), 3, true);
  check_text(ARMS("<connect body1='b2' anchor='.1 .2 .3'/>"), 3, true); /* to the world */
}

static void rows_of_a_weld_are_its_rates_where_closed(void **state) {
  (void)state;
  check_text(ARMS("<weld body1='a2' body2='b2'/>"), 6, false);
  check_text(ARMS("<weld body1='b1'/>"), 6, false);
}

static void rows_of_a_joint_coupling_are_its_rates(void **state) {
  (void)state;
  check_text(ARMS("<joint joint1='j1' joint2='j2' polycoef='0.1 0.2 -0.3 0.4 0.5'/>"), 1, true);
  check_text(ARMS("<joint joint1='s1' polycoef='0.1 0 0 0 0'/>"), 1, true);
  check_text(ARMS("<joint joint1='j1' joint2='j2'/><connect body1='a2' body2='b2' anchor='0 0 0'/>"), 4, true);
}

static void inactive_loops_do_not_count(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(ARMS("<weld body1='a2' body2='b2' active='false'/>"));
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nb, 0);
  mechanism_free(&m);
}

static void planar_loop_has_two_rows_and_is_closed(void **state) {
  (void)state;
  mechanism m = mechanism_from_example("@four-bar");
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nb, 2);
  assert_true(max_abs(m.problem->residual, 2) < 1e-14);
  assert_true(max_abs(m.problem->u + m.problem->nrow, 2) < 1e-12); /* the velocity keeps it closed */
  expect_rates(&m, 2);
  expect_delassus(&m);
  mechanism_free(&m);
}

/* A four-bar one of whose axes is parallel to the others to seven digits only: what its bars move across their plane is 1e-7
 * of what they move in it, and to keep that at zero would lock it. */
static void what_moves_across_by_the_digits_of_a_file_is_no_row(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(
      "<mujoco><default><joint axis='0 1 0'/><geom type='capsule' size='.05' contype='0' conaffinity='0'/></default>"
      "<worldbody><body name='a'><joint/><geom fromto='0 0 0 .2 0 1'/>"
      "<body name='c' pos='.2 0 1'><joint axis='1e-7 1 0'/><geom fromto='0 0 0 1 0 .3'/></body></body>"
      "<body name='b' pos='1.5 0 0'><joint/><geom fromto='0 0 0 -.3 0 1.3'/></body></worldbody>"
      "<equality><connect body1='c' body2='b' anchor='1 0 .3'/></equality></mujoco>");
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nb, 2);
  expect_delassus(&m);
  mechanism_free(&m);
}

/* A connection stated twice has six rows of rank three: three of them are left, and impulses on these stop every one. */
static void of_loops_closed_twice_independent_rows_are_left(void **state) {
  (void)state;
  mechanism m =
      mechanism_from_text(ARMS("<connect body1='a2' body2='b2' anchor='0.1 0.2 0'/>"
                               "<connect body1='a2' body2='b2' anchor='0.1 0.2 0'/>"));
  random_stream stream = {.seed = 4};
  random_vector(&stream, m.model->nv, m.qvel);
  crd_contact_options options = crd_contact_default();
  mechanism_assemble(&m, &options);
  assert_int_equal(m.problem->nb, 6);
  options.independent_loops = true;
  mechanism_assemble(&m, &options);
  assert_int_equal(m.problem->nb, 3);
  double W[9], p[3], *dv = new_vector(m.model->nv), *v = new_vector(m.model->nv);
  int pivot[3];
  memcpy(W, m.problem->W, sizeof W);
  for (int i = 0; i < 3; i++) p[i] = -m.problem->u[i];
  assert_true(crd_small_lu_factor(3, W, 3, pivot) > 0);
  crd_small_lu_solve(3, W, 3, pivot, p);
  crd_contact_response(m.assembler, m.work, p, dv);
  for (int k = 0; k < m.model->nv; k++) v[k] = m.qvel[k] + dv[k];
  memcpy(m.qvel, v, sizeof(double) * (size_t)m.model->nv);
  options.independent_loops = false;
  mechanism_assemble(&m, &options);
  for (int i = 0; i < 6; i++) assert_true(fabs(m.problem->u[i]) <= 1e-11);
  free(dv);
  free(v);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_loops_closed_twice_independent_rows_are_left),
      cmocka_unit_test(rows_of_a_connection_are_its_rates_open_or_closed),
      cmocka_unit_test(rows_of_a_weld_are_its_rates_where_closed),
      cmocka_unit_test(rows_of_a_joint_coupling_are_its_rates),
      cmocka_unit_test(inactive_loops_do_not_count),
      cmocka_unit_test(planar_loop_has_two_rows_and_is_closed),
      cmocka_unit_test(what_moves_across_by_the_digits_of_a_file_is_no_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
