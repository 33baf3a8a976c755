/* Claims: the filename of a mesh finds its file by package, by URI, by path or by its bare name, in this order, and
 * never outside the package or the model's folder unless that is allowed. Each test writes a small tree of folders:
 *
 *   top/ros/my_robot/urdf/robot.urdf      the model
 *   top/ros/my_robot/meshes/near.obj      package my_robot, by the name of its folder
 *   top/ros/checkout/package.xml          says <name>other_robot</name>
 *   top/ros/checkout/far.obj
 *   top/elsewhere/third/distant.obj       only through a package path
 *   top/ros/my_robot/urdf/here.obj        beside the model
 */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cmocka_all.h"

static const char *const folders[] = {"ros",          "ros/my_robot", "ros/my_robot/urdf", "ros/my_robot/meshes",
                                      "ros/checkout", "elsewhere",    "elsewhere/third"};
static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
static const char *const files[][2] = {{"ros/my_robot/meshes/near.obj", tetrahedron},
                                       {"ros/checkout/package.xml", "<package>\n<name> other_robot </name></package>"},
                                       {"ros/checkout/far.obj", tetrahedron},
                                       {"elsewhere/third/distant.obj", tetrahedron},
                                       {"ros/my_robot/urdf/here.obj", tetrahedron}};
enum { FOLDERS = sizeof folders / sizeof *folders, FILES = sizeof files / sizeof *files };

static char top[256];

static void in_top(char path[512], const char *name) { snprintf(path, 512, "%s/%s", top, name); }

static int make_tree(void **state) {
  (void)state;
  char path[512];
  snprintf(top, sizeof top, "%s/urdf-test-XXXXXX", CRADLE_BINARY_DIR);
  assert_non_null(mkdtemp(top));
  for (int i = 0; i < FOLDERS; i++) {
    in_top(path, folders[i]);
    assert_int_equal(mkdir(path, 0755), 0);
  }
  for (int i = 0; i < FILES; i++) {
    in_top(path, files[i][0]);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(files[i][1], file);
    fclose(file);
  }
  return 0;
}

static int remove_tree(void **state) {
  (void)state;
  char path[512];
  for (int i = 0; i < FILES; i++) {
    in_top(path, files[i][0]);
    unlink(path);
  }
  for (int i = FOLDERS - 1; i >= 0; i--) {
    in_top(path, folders[i]);
    rmdir(path);
  }
  return rmdir(top);
}

/* Reads a robot whose one collision is the mesh; `extension` goes into the file too. */
static crd_status read_mesh(const char *filename, const char *extension, const crd_read_options *options,
                            crd_error *err) {
  char text[1024], path[512];
  snprintf(text, sizeof text,
           "<robot name='r'>%s\n<link name='a'><collision><geometry>\n<mesh "
           "filename='%s'/></geometry></collision></link></robot>",
           extension, filename);
  in_top(path, "ros/my_robot/urdf/robot.urdf");
  crd_model *model = NULL;
  crd_status status = crd_io_read_model_text(text, strlen(text), path, options, &model, NULL, err);
  if (!status) {
    assert_int_equal(model->nmesh, 1);
    assert_int_equal(model->mesh[0].nvert, 4);
  }
  crd_model_free(model);
  return status;
}

static void expect_found(const char *filename, const char *extension, const crd_read_options *options) {
  crd_error err = {0};
  if (read_mesh(filename, extension, options, &err)) fail_msg("%s: %s", filename, err.text);
}

static void expect_refused(const char *filename, const char *extension, const crd_read_options *options,
                           crd_status status, const char *phrase) {
  crd_error err = {0};
  assert_int_equal(read_mesh(filename, extension, options, &err), status);
  if (!strstr(err.text, phrase)) fail_msg("%s: '%s' lacks '%s'", filename, err.text, phrase);
  assert_int_equal(err.line, 3);
}

static void packages_are_found_from_the_model_upwards(void **state) {
  (void)state;
  expect_found("package://my_robot/meshes/near.obj", "", NULL);
  expect_found("package:///my_robot/meshes/near.obj", "", NULL);
  expect_found("model://my_robot/meshes/near.obj", "", NULL);
  expect_found("package://checkout/far.obj", "", NULL);
  expect_refused("package://other_robot/far.obj", "", NULL, CRD_ERR_FILE, "expected a package 'other_robot'");
  expect_refused("package://third/distant.obj", "", NULL, CRD_ERR_FILE, "expected a package 'third'");
}

static void package_paths_are_searched_first(void **state) {
  (void)state;
  char checkout[512], elsewhere[512];
  in_top(checkout, "ros/checkout");
  in_top(elsewhere, "elsewhere");
  const char *const paths[2] = {checkout, elsewhere};
  const crd_read_options options = {.package_path = paths, .npackage_path = 2};
  expect_found("package://other_robot/far.obj", "", &options);
  expect_found("package://third/distant.obj", "", &options);
  expect_found("package://my_robot/meshes/near.obj", "", &options);
}

static void paths_and_file_uris_start_at_the_model(void **state) {
  (void)state;
  char absolute[600];
  snprintf(absolute, sizeof absolute, "file://%s/ros/my_robot/urdf/here.obj", top);
  expect_found("here.obj", "", NULL);
  expect_found("./here.obj", "", NULL);
  expect_found("file://here.obj", "", NULL);
  expect_found(absolute, "", NULL);
  expect_found(absolute + strlen("file://"), "", NULL);
}

static void nothing_outside_is_read_without_permission(void **state) {
  (void)state;
  const crd_read_options outside = {.allow_outside = true};
  expect_refused("../meshes/near.obj", "", NULL, CRD_ERR_FILE, "outside the model's folder");
  expect_found("../meshes/near.obj", "", &outside);
  expect_refused("package://my_robot/../checkout/far.obj", "", NULL, CRD_ERR_FILE, "outside the model's folder");
  expect_found("package://my_robot/../checkout/far.obj", "", &outside);
  expect_refused("package://../urdf/here2.obj", "", NULL, CRD_ERR_FORMAT, "package://NAME/PATH");
  expect_refused("package://my_robot", "", NULL, CRD_ERR_FORMAT, "package://NAME/PATH");
  expect_refused("http://host/a.obj", "", NULL, CRD_ERR_FILE, "expected package://, file:// or a path");
}

static void a_bare_name_is_mujocos_way(void **state) {
  (void)state;
  expect_found("package://nowhere/at/all/here.obj", "", NULL);
  expect_found("lost/here.obj", "", NULL);
  expect_refused("lost/here.obj", "<mujoco><compiler strippath='false'/></mujoco>", NULL, CRD_ERR_FILE,
                 "cannot be found");
  expect_refused("package://my_robot/meshes/near.obj", "<mujoco><compiler strippath='true'/></mujoco>", NULL,
                 CRD_ERR_FILE, "cannot be found");
  expect_found("anywhere/near.obj", "<mujoco><compiler meshdir='../meshes'/></mujoco>",
               &(crd_read_options){.allow_outside = true});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packages_are_found_from_the_model_upwards),
      cmocka_unit_test(package_paths_are_searched_first),
      cmocka_unit_test(paths_and_file_uris_start_at_the_model),
      cmocka_unit_test(nothing_outside_is_read_without_permission),
      cmocka_unit_test(a_bare_name_is_mujocos_way),
  };
  return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
