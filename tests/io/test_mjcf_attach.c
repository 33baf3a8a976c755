/* Claims: <attach> gives the mechanism that writing the attached model out gives, with its own compiler's units, its own
 * default classes and prefixed names; what does not belong to the attached body stays behind; what cannot be attached
 * is an error with its place. */
#include <cradle/io.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static const char leg[] =
    "<mujoco model='leg'><compiler angle='radian' eulerseq='XYZ'/>\n"
    "<default><joint damping='.5'/><default class='thick'><geom size='.2'/></default></default>\n"
    "<worldbody><body name='other'><joint name='away'/><geom size='1'/></body>\n"
    "<body name='hip' pos='0 0 1' euler='.1 .2 .3' childclass='thick'>\n"
    "<joint name='swing' axis='0 1 0' range='-.5 .5'/><geom name='ball'/><site name='top'/>\n"
    "<body name='foot' pos='0 0 -1'><joint name='ankle'/><geom class='main' size='.1'/></body></body></worldbody>\n"
    "<contact><exclude body1='hip' body2='foot'/><exclude body1='hip' body2='other'/></contact>\n"
    "<tendon><fixed name='both'><joint joint='swing' coef='1'/><joint joint='ankle' coef='-1'/></fixed></tendon>\n"
    "<actuator><motor name='drive' tendon='both'/><motor joint='away'/></actuator>\n"
    "<sensor><jointpos name='angle' joint='swing'/><jointpos joint='away'/></sensor></mujoco>";

static const char robot[] =
    "<mujoco model='robot'><default><joint damping='9'/></default>\n"
    "<asset><model name='leg' file='leg.xml'/></asset><worldbody>\n"
    "<body name='trunk' pos='1 0 0' euler='90 0 0'><freejoint/><geom size='.3'/>\n"
    "<attach model='leg' body='hip' prefix='l_'/><frame pos='0 2 0'><attach model='leg' body='hip' "
    "prefix='r_'/></frame>\n"
    "</body></worldbody></mujoco>";

/* The same written out; 0.5 rad, and the fixed axes x y z of 'XYZ' as a quaternion by axis angles in turn. */
static const char flat[] =
    "<mujoco model='robot'><compiler angle='radian' eulerseq='XYZ'/>\n"
    "<default><joint damping='.5'/></default><worldbody>\n"
    "<body name='trunk' pos='1 0 0' quat='0.70710678118654757 0.70710678118654746 0 0'><freejoint/><geom size='.3'/>\n"
    "<body name='l_hip' pos='0 0 1' euler='.1 .2 .3'><joint name='l_swing' axis='0 1 0' range='-.5 .5'/>"
    "<geom name='l_ball' size='.2'/><body name='l_foot' pos='0 0 -1'><joint name='l_ankle'/><geom "
    "size='.1'/></body></body>\n"
    "<body name='r_hip' pos='0 2 1' euler='.1 .2 .3'><joint name='r_swing' axis='0 1 0' range='-.5 .5'/>"
    "<geom name='r_ball' size='.2'/><body name='r_foot' pos='0 0 -1'><joint name='r_ankle'/><geom "
    "size='.1'/></body></body>\n"
    "</body></worldbody><contact><exclude body1='l_hip' body2='l_foot'/><exclude body1='r_hip' "
    "body2='r_foot'/></contact>\n"
    "<tendon><fixed name='l_both'><joint joint='l_swing' coef='1'/><joint joint='l_ankle' coef='-1'/></fixed>\n"
    "<fixed name='r_both'><joint joint='r_swing' coef='1'/><joint joint='r_ankle' coef='-1'/></fixed></tendon>\n"
    "<actuator><motor name='l_drive' tendon='l_both'/><motor name='r_drive' tendon='r_both'/></actuator>\n"
    "<sensor><jointpos name='l_angle' joint='l_swing'/><jointpos name='r_angle' joint='r_swing'/></sensor></mujoco>";

static crd_model *read_file(const char *name, const char *text) {
  crd_model *model;
  crd_error err = {0};
  program_write(program_file(name), text);
  if (crd_io_read_model(program_file(name), NULL, &model, NULL, &err) != CRD_OK)
    fail_msg("%s:%d: %s", err.file, err.line, err.text);
  return model;
}

static void an_attached_model_is_as_written_out(void **state) {
  (void)state;
  program_write(program_file("leg.xml"), leg);
  crd_model *model = read_file("robot.xml", robot), *expected = read_file("flat.xml", flat);
  assert_int_equal(model->nbody, expected->nbody);
  assert_int_equal(model->nv, expected->nv);
  assert_int_equal(model->nexclude, 2);
  assert_int_equal(model->ntendon, 2);
  assert_int_equal(model->nactuator, 2);
  assert_int_equal(model->nsensor, 2);
  for (int i = 0; i < model->nbody; i++) {
    const crd_body *body = &model->body[i], *other = &expected->body[i];
    assert_string_equal(body->name, other->name);
    for (int k = 0; k < 3; k++) assert_true(body->pos[k] == other->pos[k]);
    for (int k = 0; k < 4; k++) assert_true(body->quat[k] == other->quat[k]);
    assert_true(body->mass == other->mass);
  }
  for (int i = 0; i < model->njoint; i++) {
    const crd_joint *joint = &model->joint[i], *other = &expected->joint[i];
    if (joint->name && other->name) assert_string_equal(joint->name, other->name);
    assert_true(joint->damping == other->damping && joint->limited == other->limited);
    assert_true(joint->range[0] == other->range[0] && joint->range[1] == other->range[1]);
  }
  assert_string_equal(model->actuator[1].name, "r_drive");
  assert_true(crd_model_find_tendon(model, "l_both") >= 0);
  crd_model_free(expected);
  crd_model_free(model);
}

/* Without `body` all of its worldbody comes along, with everything that refers to it. */
static void without_a_body_the_whole_model_is_attached(void **state) {
  (void)state;
  program_write(program_file("leg.xml"), leg);
  crd_model *model = read_file("all.xml",
                               "<mujoco><asset><model name='leg' file='leg.xml'/></asset><worldbody>"
                               "<attach model='leg' prefix='p_'/></worldbody></mujoco>");
  assert_int_equal(model->nbody, 4);
  assert_int_equal(model->nexclude, 2);
  assert_int_equal(model->nactuator, 2);
  assert_true(model->joint[0].damping == 0.5);
  crd_model_free(model);
}

#define MAIN(asset, world) "<mujoco>\n<asset>" asset "</asset>\n<worldbody>" world "</worldbody></mujoco>"
#define LEG "<model name='leg' file='leg.xml'/>"

static void what_cannot_be_attached_is_told(void **state) {
  (void)state;
  static const struct {
    const char *text, *phrase;
    int line;
    const char *file;
  } bad[] = {
      {MAIN(LEG, "<attach model='arm' body='hip' prefix='a'/>"),
       "<attach> model: found 'arm', expected the name of a <model>", 3, "bad.xml"},
      {MAIN(LEG, "<attach model='leg' body='arm' prefix='a'/>"),
       "<attach> body: found 'arm', expected the name of a body", 3, "bad.xml"},
      {MAIN(LEG, "<attach model='leg' body='hip'/>"), "found no attribute 'prefix'", 3, "bad.xml"},
      {MAIN(LEG, "<attach model='leg' frame='f' prefix='a'/>"), "expected a body of the model", 3, "bad.xml"},
      {MAIN("<model name='leg' file='none.xml'/>", "<attach model='leg' body='hip' prefix='a'/>"), "none.xml", 2,
       "bad.xml"},
      {MAIN("<model name='leg'/>", "<attach model='leg' body='hip' prefix='a'/>"), "found no attribute 'file'", 2,
       "bad.xml"},
      {MAIN("<model name='me' file='bad.xml'/>", "<attach model='me' prefix='a'/>"), "more than 1000 attached models",
       3, "bad.xml"},
      {MAIN(LEG, "<attach model='leg' body='hip' prefix='a'/><attach model='leg' body='hip' prefix='a'/>"),
       "found 'athick' again", 2, "leg.xml"},
      {MAIN("<model name='typo' file='typo.xml'/>", "<attach model='typo' body='b' prefix='a'/>"), "did you mean", 2,
       "typo.xml"},
      {MAIN("<model name='heavy' file='heavy.xml'/>", "<attach model='heavy' body='b' prefix='a'/>"), "masses", 1,
       "heavy.xml"},
  };
  program_write(program_file("leg.xml"), leg);
  program_write(program_file("typo.xml"),
                "<mujoco><worldbody><body name='b'>\n<geom size='1' frction='2'/></body></worldbody></mujoco>");
  program_write(
      program_file("heavy.xml"),
      "<mujoco><compiler settotalmass='3'/><worldbody><body name='b'><geom size='1'/></body></worldbody></mujoco>");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    crd_model *model;
    crd_error err = {0};
    program_write(program_file("bad.xml"), bad[i].text);
    assert_true(crd_io_read_model(program_file("bad.xml"), NULL, &model, NULL, &err) < 0);
    if (!strstr(err.text, bad[i].phrase) || !strstr(err.file, bad[i].file) || (bad[i].line && err.line != bad[i].line))
      fail_msg("case %zu: %s:%d: %s", i, err.file, err.line, err.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_attached_model_is_as_written_out),
                                     cmocka_unit_test(without_a_body_the_whole_model_is_attached),
                                     cmocka_unit_test(what_cannot_be_attached_is_told)};
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
