/* Claims: the program reads URDF files; what it leaves out it says, a bad file ends in exit 1 with file and line,
 * --lenient,
 * --allow-outside and --packages do what they promise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/cmocka_all.h"
#include "support/program.h"

/* Runs `cradle arguments` with %s replaced by the file; code and a phrase of what it printed or complained about. */
static void expect(const char *arguments, const char *file, int code, const char *phrase) {
  char line[2048];
  snprintf(line, sizeof line, arguments, file);
  program_run run = program(line);
  if (run.code != code || !strstr(code ? run.error : run.out, phrase))
    fail_msg("cradle %s: exit %d, '%s', '%s'; expected exit %d and '%s'", line, run.code, run.out, run.error, code,
             phrase);
  if (code) assert_string_equal(run.out, "");
  program_free(&run);
}

static void a_robot_is_told_and_computed(void **state) {
  (void)state;
  expect("info --json %s", CRADLE_SOURCE_DIR "/models/hand.urdf", 0, "\"nv\": 12");
  expect("info %s", CRADLE_SOURCE_DIR "/models/arm.urdf", 0, "only for show");
  expect("dynamics --json %s", CRADLE_SOURCE_DIR "/models/drone.urdf", 0, "\"qacc\"");
}

static void a_bad_robot_is_refused_with_file_and_line(void **state) {
  (void)state;
  char path[1024];
  snprintf(path, sizeof path, "%s", program_file("bad.urdf"));
  program_write(path, "<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n</robot>\n");
  expect("info %s", path, 1, "bad.urdf:3: ");
  program_write(path, "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n</robot>\n");
  expect("info %s", path, 1, "expected one root");
  expect("info %s --lenient", path, 0, "a second root");
  remove(path);
}

static void meshes_elsewhere_need_permission_or_a_package_path(void **state) {
  (void)state;
  static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  char folder[1024], robot[1100], mesh[1100], packages[1024], options[1200];
  snprintf(folder, sizeof folder, "%s", program_file("robot"));
  snprintf(packages, sizeof packages, "%s", program_file("packages"));
  snprintf(robot, sizeof robot, "%s/robot.urdf", folder);
  snprintf(mesh, sizeof mesh, "%s/parts/part.obj", packages);
  assert_int_equal(mkdir(folder, 0755), 0);
  assert_int_equal(mkdir(packages, 0755), 0);
  snprintf(options, sizeof options, "%s/parts", packages);
  assert_int_equal(mkdir(options, 0755), 0);
  program_write(mesh, tetrahedron);
  program_write(robot,
                "<robot name='r'><link name='a'><collision><geometry><mesh filename='../packages/parts/part.obj'/>"
                "</geometry></collision></link></robot>");
  expect("info %s", robot, 1, "outside the model's folder");
  expect("info --allow-outside %s", robot, 0, "geoms 1");
  program_write(robot,
                "<robot name='r'><link name='a'><collision><geometry><mesh filename='package://parts/part.obj'/>"
                "</geometry></collision></link></robot>");
  expect("info %s", robot, 1, "expected a package 'parts'");
  snprintf(options, sizeof options, "info --packages /none:%s %%s", packages);
  expect(options, robot, 0, "geoms 1");
  remove(mesh), remove(robot);
  snprintf(options, sizeof options, "%s/parts", packages);
  remove(options), remove(packages), remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_robot_is_told_and_computed),
      cmocka_unit_test(a_bad_robot_is_refused_with_file_and_line),
      cmocka_unit_test(meshes_elsewhere_need_permission_or_a_package_path),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
