/* Claim: a URDF file that is not one, or describes no mechanism, is refused with its status, its line and a message
 * that says what was found and what was expected; there is no model then, and no leak (asan). */
#include <cradle/io.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

#define INERTIAL(mass, inertia) "<inertial><mass value='" mass "'/><inertia " inertia "/></inertial>"
#define UNIT INERTIAL("1", "ixx='1' iyy='1' izz='1'")
#define BODY(name) "<link name='" name "'>" UNIT "</link>"
/* Lines 1 to 3, then line 4: a joint with more inside. */
#define TWO_LINKS "<robot name='r'>\n<link name='a'/>\n" BODY("b") "\n"
#define JOINT(type, rest) \
  TWO_LINKS "<joint name='j' type='" type "'>\n<parent link='a'/><child link='b'/>\n" rest "</joint></robot>"
#define COLLISION(shape) \
  "<robot name='r'>\n<link name='a'><collision>\n<geometry>\n" shape "</geometry></collision></link></robot>"

typedef struct bad_file {
  const char *text;
  crd_status status;
  int line;
  const char *phrase;
} bad_file;

static const bad_file bad_files[] = {
    /* not XML, not URDF */
    {"<robot name='r'><link name='a'>", CRD_ERR_FORMAT, 1, "not well-formed XML"},
    {"<robot name='r'>\n<link name='a'></robot>", CRD_ERR_FORMAT, 2, "not well-formed XML"},
    {"<!DOCTYPE r [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]>\n<robot name='&b;'><link name='a'/></robot>", CRD_ERR_FORMAT,
     1, "ntit"},
    {"<sdf/>", CRD_ERR_FORMAT, 1, "root element <sdf>, expected <mujoco> (MJCF) or <robot> (URDF)"},
    {"<robot name='r'/>", CRD_ERR_FORMAT, 1, "found no <link>, expected at least one"},
    {"<robot name='r'>\n<xacro:include filename='x'/><link name='a'/></robot>", CRD_ERR_FORMAT, 2,
     "found <xacro:include>, expected plain URDF"},

    /* names and references */
    {"<robot name='r'>\n<link/></robot>", CRD_ERR_FORMAT, 2, "<link>: found no attribute 'name'"},
    {"<robot name='r'>\n<link name=''/></robot>", CRD_ERR_FORMAT, 2, "<link>: found no attribute 'name'"},
    {"<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>", CRD_ERR_FORMAT, 3, "'a' again (first in line 2)"},
    {TWO_LINKS "<joint type='fixed'><parent link='a'/><child link='b'/></joint></robot>", CRD_ERR_FORMAT, 4,
     "<joint>: found no attribute 'name'"},
    {TWO_LINKS "<joint name='j'><parent link='a'/><child link='b'/></joint></robot>", CRD_ERR_FORMAT, 4,
     "<joint>: found no attribute 'type'"},
    {TWO_LINKS "<joint name='j' type='fixed'><child link='b'/></joint></robot>", CRD_ERR_FORMAT, 4,
     "<joint>: found no <parent>, expected one"},
    {TWO_LINKS "<joint name='j' type='fixed'><parent link='a'/></joint></robot>", CRD_ERR_FORMAT, 4,
     "<joint>: found no <child>, expected one"},
    {TWO_LINKS "<joint name='j' type='fixed'>\n<parent link='c'/><child link='b'/></joint></robot>", CRD_ERR_ARGUMENT,
     5, "parent link 'c' is not defined"},
    {TWO_LINKS "<joint name='j' type='fixed'><parent link='a'/>\n<child link='world'/></joint></robot>",
     CRD_ERR_ARGUMENT, 5, "child link 'world' is not defined"},
    {TWO_LINKS "<joint name='j' type='fixed'><parent link='a'/><child/></joint></robot>", CRD_ERR_FORMAT, 4,
     "<child>: found no attribute 'link'"},
    {TWO_LINKS "<joint name='j' type='fixed'><parent link='a'/>\n<parent link='b'/><child link='b'/></joint></robot>",
     CRD_ERR_FORMAT, 5, "found a second <parent>"},
    {"<robot name='r'><link name='a'/>" BODY("b")
         BODY("c") "\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
                   "\n<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>",
     CRD_ERR_FORMAT, 3, "<joint> name: found 'j' again (first in line 2)"},

    /* the tree */
    {"<robot name='r'><link name='a'/>" BODY(
         "b") "\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
              "\n<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
     CRD_ERR_MODEL, 3, "child of joint 'k' and already of 'j' (line 2), expected one parent"},
    {"<robot name='r'>" BODY("a")
         BODY("b") "\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
                   "\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
     CRD_ERR_MODEL, 3, "is its own ancestor"},
    {"<robot name='r'><link name='root'/>" BODY(
         "a") "\n<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint></robot>",
     CRD_ERR_MODEL, 2, "link 'a' is its own ancestor through joint 'j'"},
    {TWO_LINKS "</robot>", CRD_ERR_MODEL, 3, "link 'b' has no parent, like 'a' (line 2), expected one root"},
    {"<robot name='r'><link name='a'/>" BODY("b")
         BODY("c") "\n<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
                   "\n<joint name='k' type='floating'><parent link='b'/><child link='c'/></joint></robot>",
     CRD_ERR_MODEL, 3, "floating joint 'k' has the parent 'b', which moves"},

    /* joints */
    {JOINT("screw", ""), CRD_ERR_FORMAT, 4, "found 'screw', expected revolute, continuous,"},
    {JOINT("continuous", "<axis xyz='0 0 0'/>"), CRD_ERR_MODEL, 6,
     "<axis> xyz: found '0 0 0', expected a vector other than zero"},
    {JOINT("continuous", "<axis xyz='0 0'/>"), CRD_ERR_FORMAT, 6, "<axis> xyz: found '0 0', expected 3 numbers"},
    {JOINT("continuous", "<axis/>"), CRD_ERR_FORMAT, 6, "<axis>: found no attribute 'xyz'"},
    {JOINT("continuous", "<axis xyz='0 nan 1'/>"), CRD_ERR_NUMBER, 6, "expected finite numbers"},
    {JOINT("fixed", "<origin xyz='1 2 3 4'/>"), CRD_ERR_FORMAT, 6, "<origin> xyz: found '1 2 3 4', expected 3 numbers"},
    {JOINT("fixed", "<origin rpy='0 0 one'/>"), CRD_ERR_FORMAT, 6, "<origin> rpy: found '0 0 one'"},
    {JOINT("fixed", "<origin rpy='0,0,0'/>"), CRD_ERR_FORMAT, 6, "3 numbers with blanks between them, not commas"},
    {JOINT("fixed", "<origin xyz='1e400 0 0'/>"), CRD_ERR_NUMBER, 6, "expected finite numbers"},
    {JOINT("revolute", "<limit lower='1' upper='-1'/>"), CRD_ERR_MODEL, 6, "lower 1 above upper -1"},
    {JOINT("revolute", "<limit lower='low'/>"), CRD_ERR_FORMAT, 6, "<limit> lower: found 'low'"},
    {JOINT("revolute", "<dynamics damping='-1'/>"), CRD_ERR_MODEL, 6, "damping -1"},
    {JOINT("revolute", "<dynamics friction='inf'/>"), CRD_ERR_NUMBER, 6, "<dynamics> friction: found 'inf'"},
    {JOINT("revolute", "<mimic joint='k'/>"), CRD_ERR_ARGUMENT, 6,
     "<mimic> joint: found 'k', expected the name of a <joint>"},
    {JOINT("revolute", "<mimic joint='j'/>"), CRD_ERR_MODEL, 6, "'j' mimics 'j', expected two different"},
    {JOINT("floating", "<mimic joint='j'/>"), CRD_ERR_MODEL, 6,
     "expected two different revolute, continuous or prismatic"},

    /* mass */
    {"<robot name='r'><link name='a'>\n<inertial>\n<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
     CRD_ERR_FORMAT, 2, "<inertial>: found no <mass>"},
    {"<robot name='r'><link name='a'><inertial>\n<mass/></inertial></link></robot>", CRD_ERR_FORMAT, 2,
     "<mass>: found no attribute 'value'"},
    {"<robot name='r'><link name='a'>\n" INERTIAL("-1", "ixx='1' iyy='1' izz='1'") "</link></robot>", CRD_ERR_MODEL, 2,
     "link 'a': mass is -1"},
    {"<robot name='r'><link name='a'>\n" INERTIAL("nan", "ixx='1' iyy='1' izz='1'") "</link></robot>", CRD_ERR_NUMBER,
     2, "<mass> value: found 'nan'"},
    {"<robot name='r'><link name='a'><inertial>\n<mass value='1'/></inertial></link></robot>", CRD_ERR_FORMAT, 1,
     "<inertial>: found no <inertia>"},
    {"<robot name='r'><link name='a'>\n" INERTIAL("1", "ixx='1' iyy='1'") "</link></robot>", CRD_ERR_FORMAT, 2,
     "<inertia>: found no attribute 'izz'"},
    {"<robot name='r'>\n<link name='a'>" INERTIAL("1", "ixx='10' iyy='1' izz='1'") "</link></robot>", CRD_ERR_MODEL, 2,
     "triangle inequality"},
    {"<robot name='r'>\n<link name='a'>" INERTIAL("1", "ixx='1' iyy='1' izz='1' ixy='3'") "</link></robot>",
     CRD_ERR_MODEL, 2, "not positive definite"},
    {"<robot name='r'><link name='a'>" UNIT "\n" UNIT "</link></robot>", CRD_ERR_FORMAT, 2,
     "found a second <inertial>"},
    {"<robot name='r'><link name='a'/>\n<link name='b'/>\n<joint name='j' type='continuous'><parent link='a'/><child "
     "link='b'/></joint>"
     "</robot>",
     CRD_ERR_MODEL, 2, "link 'b' is moved by joint 'j', but it has no mass"},
    {"<robot name='r'><link name='a'/>\n<link name='b'>" INERTIAL(
         "1", "ixx='0' iyy='0' izz='0'") "</link>\n"
                                         "<joint name='j' type='continuous'><parent link='a'/><child "
                                         "link='b'/></joint></robot>",
     CRD_ERR_MODEL, 2, "body \"b\": what its hinge joint moves has mass 1 and inertia 0"},

    /* shapes */
    {"<robot name='r'>\n<link name='a'>\n<collision/></link></robot>", CRD_ERR_FORMAT, 3,
     "<collision>: found no <geometry>"},
    {COLLISION(""), CRD_ERR_FORMAT, 3, "<geometry>: found no shape"},
    {COLLISION("<cone radius='1'/>"), CRD_ERR_FORMAT, 4, "<geometry>: found <cone>, expected box,"},
    {COLLISION("<box/>"), CRD_ERR_FORMAT, 4, "<box>: found no attribute 'size'"},
    {COLLISION("<box size='1 1'/>"), CRD_ERR_FORMAT, 4, "<box> size: found '1 1', expected 3 numbers"},
    {COLLISION("<box size='1 1 -1'/>"), CRD_ERR_MODEL, 4, "size that is not positive"},
    {COLLISION("<sphere radius='0'/>"), CRD_ERR_MODEL, 4, "size that is not positive"},
    {COLLISION("<cylinder radius='1'/>"), CRD_ERR_FORMAT, 4, "<cylinder>: found no attribute 'length'"},
    {COLLISION("<plane normal='0 0 0'/>"), CRD_ERR_MODEL, 4, "<plane> normal"},
    {COLLISION("<mesh/>"), CRD_ERR_FORMAT, 4, "<mesh>: found no attribute 'filename'"},
    {COLLISION("<mesh filename='none.stl'/>"), CRD_ERR_FILE, 4, "mesh file 'none.stl' cannot be found"},
    {COLLISION("<mesh filename='none.stl' scale='1 0 1'/>"), CRD_ERR_MODEL, 4, "<mesh> scale: found '1 0 1'"},
    {COLLISION("<mesh filename='none.stl' scale='2'/>"), CRD_ERR_FORMAT, 4,
     "<mesh> scale: found '2', expected 3 numbers"},

    /* extension */
    {"<robot name='r'><mujoco>\n<compiler balanceinertia='maybe'/></mujoco><link name='a'/></robot>", CRD_ERR_FORMAT, 2,
     "balanceinertia: found 'maybe'"},
    {"<robot name='r'><mujoco>\n<option gravity='0 0'/></mujoco><link name='a'/></robot>", CRD_ERR_FORMAT, 2,
     "expected 3 numbers"},
};

static void bad_files_are_refused_with_line_and_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
    const bad_file *bad = &bad_files[i];
    crd_model *model = NULL;
    crd_read_report report = {0};
    crd_error err = {0};
    crd_status status = crd_io_read_model_text(bad->text, strlen(bad->text), "bad.urdf", NULL, &model, &report, &err);
    if (status != bad->status || err.status != status || err.line != bad->line || !strstr(err.text, bad->phrase))
      fail_msg("%zu: %s\nstatus %d, line %d, '%s'; expected status %d, line %d, '%s'", i, bad->text, status, err.line,
               err.text, bad->status, bad->line, bad->phrase);
    assert_string_equal(err.file, "bad.urdf");
    assert_null(model);
    crd_io_read_report_free(&report);
  }
}

/* A mesh that is broken is named itself, with the line in it. */
static void a_broken_mesh_is_named(void **state) {
  (void)state;
  const char *mesh = CRADLE_BINARY_DIR "/broken_mesh_of_a_test.obj";
  const char *text =
      "<robot name='r'><link name='a'><collision><geometry><mesh filename='broken_mesh_of_a_test.obj'/>"
      "</geometry></collision></link></robot>";
  FILE *file = fopen(mesh, "w");
  assert_non_null(file);
  fputs("v 0 0 0\nv 1 0 zero\n", file);
  fclose(file);
  crd_model *model = NULL;
  crd_error err = {0};
  assert_int_equal(
      crd_io_read_model_text(text, strlen(text), CRADLE_BINARY_DIR "/robot.urdf", NULL, &model, NULL, &err),
      CRD_ERR_FORMAT);
  assert_string_equal(err.file, mesh);
  assert_int_equal(err.line, 2);
  assert_non_null(strstr(err.text, "found 'zero'"));
  assert_null(model);
  remove(mesh);
}

/* A good file cut anywhere is refused, and nothing is read past its end (asan). */
static void files_cut_anywhere_are_refused(void **state) {
  (void)state;
  const char *whole =
      JOINT("revolute", "<origin xyz='1 2 3' rpy='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/>");
  for (size_t size = 0; size < strlen(whole); size++) {
    crd_model *model = NULL;
    crd_error err = {0};
    assert_int_equal(crd_io_read_model_text(whole, size, "cut.urdf", NULL, &model, NULL, &err), CRD_ERR_FORMAT);
    assert_null(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_files_are_refused_with_line_and_reason),
      cmocka_unit_test(a_broken_mesh_is_named),
      cmocka_unit_test(files_cut_anywhere_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
