/* Joint limits against MuJoCo's: the same joints are at their limits, with the same distance and the same row. */
#include "support/mechanism.h"
#include "support/mujoco_load.h"
#include "support/random_tree.h"

static const char *const ARM =
    "<mujoco><compiler angle='radian'/><worldbody><body><freejoint/><geom type='box' size='.1 .2 .3'/>"
    "<body pos='.5 0 0'><joint type='ball' range='0 0.9' limited='true'/><geom size='.1'/>"
    "<body pos='.5 0 .1'><joint axis='1 2 3' range='-.3 .4' limited='true'/>"
    "<joint type='slide' axis='0 1 1' range='-.2 .1' limited='true'/><geom size='.1'/>"
    "<body pos='0 .5 0'><joint type='ball' range='0 2.5' limited='true'/><geom size='.1'/></body></body></body></body>"
    "</worldbody></mujoco>";

static void limits_are_those_of_mujoco(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(ARM);
  mjModel *theirs = mujoco_load(ARM);
  mjData *data = mj_makeData(theirs);
  theirs->opt.jacobian = mjJAC_DENSE;
  crd_contact_options options = crd_contact_default();
  random_stream stream = {.seed = 21};
  int compared = 0;
  options.distance = -1e3, options.limit_distance = -1e-12; /* limits alone; MuJoCo wants a penetration */
  for (int trial = 0; trial < 100; trial++) {
    random_state(m.model, &stream, m.qpos, m.qvel);
    mechanism_assemble(&m, &options);
    memcpy(data->qpos, m.qpos, sizeof(double) * (size_t)m.model->nq);
    mj_fwdPosition(theirs, data);
    int row = 0, n = m.model->nv;
    for (int i = 0; i < data->nefc; i++) {
      if (data->efc_type[i] != mjCNSTR_LIMIT_JOINT) continue;
      assert_true(row < m.problem->nc);
      assert_int_equal(m.problem->contact[row].joint, data->efc_id[i]);
      assert_true(fabs(m.problem->contact[row].gap - data->efc_pos[i]) < 1e-12);
      assert_true(max_difference(m.problem->J + n * row, data->efc_J + n * i, n) < 1e-12);
      row++, compared++;
    }
    assert_int_equal(row, m.problem->nc);
  }
  assert_true(compared > 100);
  mj_deleteData(data);
  mj_deleteModel(theirs);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_those_of_mujoco)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
