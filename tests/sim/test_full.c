/* Claims about Jain's comparison [V-E]: the pendulum simulated with every link free and its hinges as loops moves as
 * the one in minimal coordinates: to 1e-8 while nothing touches, and the last link's height to 1e-3 m through floor and
 * wall, with loops closed to 1e-8. */
#include <cradle/io.h>
#include <cradle/sim.h>
#include <math.h>
#include <stdlib.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

typedef struct twins {
  crd_model *tree, *full;
  crd_workspace *tree_work, *full_work;
  crd_sim *tree_sim, *full_sim;
} twins;

static twins start(double base) {
  twins t = {0};
  crd_error err = {0};
  crd_example_options example = crd_io_example_default();
  crd_sim_options options = crd_sim_default();
  options.timestep = 1e-3;
  if (base > 0) example.base = base;
  assert_int_equal(crd_io_example_model("@pendulum:3", &example, &t.tree, &err), CRD_OK);
  assert_int_equal(crd_model_maximal(t.tree, &t.full, &err), CRD_OK);
  t.tree_work = crd_model_workspace_new(t.tree), t.full_work = crd_model_workspace_new(t.full);
  const double *qpos = t.tree->key[0].qpos ? t.tree->key[0].qpos : t.tree->qpos0;
  double *q = new_vector(t.full->nq), *v = new_vector(t.full->nv);
  assert_int_equal(crd_tree_to_maximal(t.tree, t.tree_work, qpos, t.tree->key[0].qvel, t.full, q, v), CRD_OK);
  if (crd_sim_new(t.tree, &options, &t.tree_sim, &err) || crd_sim_new(t.full, &options, &t.full_sim, &err) ||
      crd_sim_reset(t.tree_sim, 0, qpos, t.tree->key[0].qvel, &err) || crd_sim_reset(t.full_sim, 0, q, v, &err))
    fail_msg("%s", err.text);
  free(q), free(v);
  return t;
}

static void end(twins *t) {
  crd_sim_free(t->tree_sim), crd_sim_free(t->full_sim);
  crd_model_workspace_free(t->tree_work), crd_model_workspace_free(t->full_work);
  crd_model_free(t->tree), crd_model_free(t->full);
}

static double height(const crd_model *model, crd_workspace *work, const crd_sim *sim, const char *body) {
  double pos[3], R[9];
  crd_tree_kinematics(model, work, crd_sim_qpos(sim));
  crd_tree_body_pose(model, work, crd_model_find_body(model, body), pos, R);
  return pos[2];
}

/* Largest difference of the last link's height at every tenth of a second. */
static double difference(twins *t, double until) {
  const char *last = t->tree->body[t->tree->nbody - 1].name;
  double worst = 0;
  for (double time = 0.1; time < until + 0.01; time += 0.1) {
    assert_int_equal(crd_sim_run(t->tree_sim, time), CRD_OK);
    assert_int_equal(crd_sim_run(t->full_sim, time), CRD_OK);
    worst = fmax(worst, fabs(height(t->tree, t->tree_work, t->tree_sim, last) -
                             height(t->full, t->full_work, t->full_sim, last)));
  }
  assert_true(crd_sim_counters_now(t->full_sim).loop_max < 1e-8);
  return worst;
}

static void both_formulations_swing_alike(void **state) {
  (void)state;
  twins t = start(10);
  assert_true(difference(&t, 1) < 1e-8);
  assert_int_equal(crd_sim_counters_now(t.tree_sim).impacts, 0);
  end(&t);
}

static void both_formulations_hit_floor_and_wall_alike(void **state) {
  (void)state;
  twins t = start(0);
  assert_true(difference(&t, 5) < 1e-3);
  assert_true(crd_sim_counters_now(t.tree_sim).impacts > 0);
  assert_int_equal(crd_sim_counters_now(t.tree_sim).impacts, crd_sim_counters_now(t.full_sim).impacts);
  end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_formulations_swing_alike),
                                     cmocka_unit_test(both_formulations_hit_floor_and_wall_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
