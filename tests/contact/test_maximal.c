/* Claims: the maximal form of a model (every body free, joints as loops) has the same motion. Loops are closed at
 * states taken over, rows of hinges and slides are the rates of their residuals, accelerations agree, states come back
 * as they went, and Jain's pendulum of three links swings the same for five seconds. */
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

/* All types of joints in a tree, and bodies welded to others. */
static const char *TREE = "tree_of_joints";

typedef struct twins {
  mechanism tree, full;
} twins;

static twins make_twins(mechanism tree) {
  twins t = {.tree = tree};
  crd_model *model;
  crd_error err = {0};
  if (crd_model_maximal(tree.model, &model, &err) != CRD_OK) fail_msg("%s", err.text);
  t.full = mechanism_from_model(model);
  return t;
}

static void take_over(twins *t) {
  assert_int_equal(crd_tree_to_maximal(t->tree.model, t->tree.work, t->tree.qpos, t->tree.qvel, t->full.model,
                                       t->full.qpos, t->full.qvel),
                   CRD_OK);
}

static void free_twins(twins *t) {
  mechanism_free(&t->tree);
  mechanism_free(&t->full);
}

static void a_state_taken_over_closes_the_loops_and_comes_back(void **state) {
  (void)state;
  twins t = make_twins(mechanism_from_text(TREE));
  random_stream stream = {.seed = 3};
  int nq = t.tree.model->nq, nv = t.tree.model->nv;
  assert_int_equal(t.full.model->nv, 6 * 6);
  assert_true(fabs(t.full.model->mass - t.tree.model->mass) < 1e-12 * t.tree.model->mass);
  double *qpos = new_vector(nq), *qvel = new_vector(nv);
  for (int trial = 0; trial < 20; trial++) {
    random_state(t.tree.model, &stream, t.tree.qpos, t.tree.qvel);
    t.tree.qpos[0] += 20; /* more than three turns */
    take_over(&t);
    mechanism_assemble(&t.full, NULL);
    const crd_contact_problem *p = t.full.problem;
    assert_int_equal(p->nb, 5 + 5 + 3 + 5 + 5);
    assert_true(max_abs(p->residual, p->nb) < 1e-14);
    assert_true(max_abs(p->u + p->nrow, p->nb) < 1e-13);
    memcpy(qpos, t.tree.qpos, sizeof *qpos * (size_t)nq);
    qpos[0] += 1; /* a guess */
    assert_int_equal(
        crd_tree_from_maximal(t.tree.model, t.full.model, t.full.work, t.full.qpos, t.full.qvel, qpos, qvel), CRD_OK);
    assert_true(max_difference(qvel, t.tree.qvel, nv) < 1e-13);
    for (int j = 0; j < t.tree.model->njoint; j++) {
      const crd_joint *joint = &t.tree.model->joint[j];
      int first = joint->type == CRD_FREE ? 3 : 0;
      double *was = t.tree.qpos + joint->q, *is = qpos + joint->q, same = 0;
      bool quaternion = joint->nq > 1;
      for (int i = first; quaternion && i < joint->nq; i++) same += was[i] * is[i];
      for (int i = 0; i < joint->nq; i++)
        assert_true(fabs(is[i] - (quaternion && i >= first && same < 0 ? -1 : 1) * was[i]) <
                    1e-13 * (1 + fabs(was[i])));
    }
  }
  free(qpos), free(qvel);
  free_twins(&t);
}

/* Velocities and accelerations of the residuals by differences along a motion that opens the loops: from an open state
 * for linear rows, a closed one for angular ones. */
static void rows_and_their_rates_are_those_of_the_residuals(void **state) {
  (void)state;
  twins t = make_twins(mechanism_from_text(TREE));
  random_stream stream = {.seed = 5};
  const double h = 1e-5;
  enum { ROWS = 23 };
  for (int trial = 0; trial < 10; trial++) {
    double residual[3][ROWS], bias[ROWS], *there = new_vector(t.full.model->nq);
    random_state(t.tree.model, &stream, t.tree.qpos, t.tree.qvel);
    take_over(&t);
    if (trial % 2) random_vector(&stream, t.full.model->nv, t.full.qvel); /* the loops open */
    crd_contact_problem *p = crd_contact_problem_new();
    for (int k = 0; k < 3; k++) {
      crd_tree_integrate_position(t.full.model, t.full.qpos, t.full.qvel, (k - 1) * h, there);
      assert_int_equal(crd_contact_at_state(t.full.assembler, t.full.work, there, t.full.qvel, NULL, p), CRD_OK);
      assert_int_equal(p->nb, ROWS);
      memcpy(residual[k], p->residual, sizeof residual[k]);
    }
    crd_contact_problem_free(p);
    mechanism_assemble(&t.full, NULL);
    crd_contact_loop_bias(t.full.assembler, t.full.work, t.full.qvel, t.full.problem, bias);
    for (int i = 0; i < ROWS; i++) {
      double rate = (residual[2][i] - residual[0][i]) / (2 * h);
      assert_true(fabs(rate - t.full.problem->u[t.full.problem->nrow + i]) < 1e-7);
      /* with velocities of the free joints kept, the second difference is the bias; of rotations only while closed */
      double second = (residual[2][i] - 2 * residual[1][i] + residual[0][i]) / (h * h);
      if (trial % 2 == 0) assert_true(fabs(second - bias[i]) < 1e-4 * (1 + fabs(bias[i])));
    }
    free(there);
  }
  free_twins(&t);
}

/* Acceleration of a body's origin, and of its rotation. */
static void origin_acceleration(const mechanism *m, int body, const double *qacc, double acc[6]) {
  crd_node node = {.body = body};
  double R[9];
  crd_tree_body_pose(m->model, m->work, body, node.point, R);
  crd_tree_point_acceleration(m->model, m->work, &node, qacc, acc);
}

static void accelerations_are_those_of_the_tree(void **state) {
  (void)state;
  twins t = make_twins(mechanism_from_text(TREE));
  random_stream stream = {.seed = 6};
  double *a = new_vector(t.tree.model->nv), *b = new_vector(t.full.model->nv);
  for (int trial = 0; trial < 20; trial++) {
    random_state(t.tree.model, &stream, t.tree.qpos, t.tree.qvel);
    take_over(&t);
    assert_int_equal(crd_tree_aba(t.tree.model, t.tree.work, t.tree.qpos, t.tree.qvel, NULL, NULL, a), CRD_OK);
    assert_int_equal(crd_tree_aba(t.full.model, t.full.work, t.full.qpos, t.full.qvel, NULL, NULL, b), CRD_OK);
    assert_int_equal(
        crd_contact_hold_loops(t.full.assembler, t.full.work, t.full.qpos, t.full.qvel, t.full.problem, b, NULL),
        CRD_OK);
    for (int body = 1; body < t.tree.model->nbody; body++) {
      double tree[6], full[6];
      int same = crd_model_find_body(t.full.model, t.tree.model->body[body].name);
      origin_acceleration(&t.tree, body, a, tree);
      origin_acceleration(&t.full, same, b, full);
      assert_true(max_difference(tree, full, 6) < 1e-10 * (1 + max_abs(tree, 6)));
    }
  }
  free(a), free(b);
  free_twins(&t);
}

static void accelerate(mechanism *m, const double *q, const double *v, double *a) {
  assert_int_equal(crd_tree_aba(m->model, m->work, q, v, NULL, NULL, a), CRD_OK);
  if (m->model->nloop > 0)
    assert_int_equal(crd_contact_hold_loops(m->assembler, m->work, q, v, m->problem, a, NULL), CRD_OK);
}

/* One step of the classical Runge-Kutta method with positions moved along velocities by the exponential map of their
 * mean (of order four where rotations keep their axis, as here). */
static void step(mechanism *m, double h) {
  int n = m->model->nv;
  double *k[4], *w[4], *q = new_vector(m->model->nq), *mean = new_vector(n);
  for (int i = 0; i < 4; i++) k[i] = new_vector(n), w[i] = new_vector(n);
  memcpy(w[0], m->qvel, sizeof *mean * (size_t)n);
  accelerate(m, m->qpos, w[0], k[0]);
  for (int s = 1; s < 4; s++) {
    double dt = s == 3 ? h : h / 2;
    for (int i = 0; i < n; i++) w[s][i] = m->qvel[i] + dt * k[s - 1][i];
    crd_tree_integrate_position(m->model, m->qpos, w[s - 1], dt, q);
    accelerate(m, q, w[s], k[s]);
  }
  for (int i = 0; i < n; i++) {
    mean[i] = (w[0][i] + 2 * w[1][i] + 2 * w[2][i] + w[3][i]) / 6;
    m->qvel[i] += h * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
  }
  crd_tree_integrate_position(m->model, m->qpos, mean, h, m->qpos);
  for (int i = 0; i < 4; i++) free(k[i]), free(w[i]);
  free(q), free(mean);
}

static double height(mechanism *m, const char *name) {
  double pos[3], R[9];
  crd_tree_kinematics(m->model, m->work, m->qpos);
  crd_tree_body_pose(m->model, m->work, crd_model_find_body(m->model, name), pos, R);
  return pos[2];
}

static void pendulum_of_three_links_swings_the_same(void **state) {
  (void)state;
  twins t = make_twins(mechanism_from_example("@pendulum:3"));
  const char *last = t.tree.model->body[t.tree.model->nbody - 1].name;
  double worst = 0, lowest = 1e9, highest = -1e9;
  take_over(&t);
  for (int i = 0; i < 10000; i++) {
    step(&t.tree, 5e-4);
    step(&t.full, 5e-4);
    if (i % 50 != 49) continue;
    double z = height(&t.tree, last);
    worst = fmax(worst, fabs(z - height(&t.full, last)));
    lowest = fmin(lowest, z), highest = fmax(highest, z);
  }
  assert_true(highest - lowest > 2);
  if (!(worst < 1e-8)) fail_msg("heights differ by %g", worst);
  free_twins(&t);
}

#define BODY(joint, rest)                                \
  "<mujoco><worldbody><body name='a'>" joint             \
  "<geom size='.1'/><body name='b' pos='1 0 0'><joint/>" \
  "<geom size='.1'/></body></body></worldbody>" rest "</mujoco>"

static void what_acts_in_joint_coordinates_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *reason;
  } bad[] = {
      {BODY("<joint name='j' stiffness='1'/>", ""), "joint 0 \"j\" has a spring"},
      {BODY("<joint name='j' damping='1'/>", ""), "damper"},
      {BODY("<joint name='j' armature='1'/>", ""), "armature"},
      {BODY("<joint name='j' frictionloss='1'/>", ""), "dry friction"},
      {BODY("<joint name='j' range='-1 1'/>", ""), "limits"},
      {BODY("<joint name='j'/><joint axis='1 0 0'/>", ""), "several"},
      {BODY("<joint name='j'/>", "<actuator><motor joint='j'/></actuator>"), "actuator"},
      {BODY("<joint name='j'/>", "<equality><joint joint1='j'/></equality>"), "couples joints"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mechanism m = mechanism_from_text(bad[i].text);
    crd_model *full = NULL;
    crd_error err = {0};
    assert_int_equal(crd_model_maximal(m.model, &full, &err), CRD_ERR_MODEL);
    assert_null(full);
    assert_non_null(strstr(err.text, bad[i].reason));
    mechanism_free(&m);
  }
}

static void neighbours_in_the_tree_do_not_collide(void **state) {
  (void)state;
  twins t = make_twins(mechanism_from_text(TREE));
  for (int g = 0; g < t.tree.model->ngeom; g++)
    for (int k = 0; k < t.tree.model->ngeom; k++) {
      int a = crd_model_find_geom(t.full.model, t.tree.model->geom[g].name);
      int b = crd_model_find_geom(t.full.model, t.tree.model->geom[k].name);
      if (g != k)
        assert_int_equal(crd_model_may_collide(t.tree.model, g, k, NULL),
                         crd_model_may_collide(t.full.model, a, b, NULL));
    }
  free_twins(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_state_taken_over_closes_the_loops_and_comes_back),
      cmocka_unit_test(rows_and_their_rates_are_those_of_the_residuals),
      cmocka_unit_test(accelerations_are_those_of_the_tree),
      cmocka_unit_test(pendulum_of_three_links_swings_the_same),
      cmocka_unit_test(what_acts_in_joint_coordinates_is_refused),
      cmocka_unit_test(neighbours_in_the_tree_do_not_collide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
