#define _POSIX_C_SOURCE 200809L /* strtok_r, opendir */
/* Claim: a name that a format does not have is an error with file, line and the name that was meant; what is known is
 * never unknown; the tables of the formats and the readers agree: nothing that the table calls read is left unread. */
#include "io/xml/schema.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

static void the_nearest_name_is_the_one_with_fewest_slips(void **state) {
  (void)state;
  static const char *const cases[][3] = {{"frction", "mass friction fromto", "friction"}, /* missing */
                                         {"jiont", "joint site", "joint"},                /* exchanged */
                                         {"masss", "mass margin", "mass"},                /* added */
                                         {"poz", "pos quat", "pos"},                      /* wrong */
                                         {"colour", "rgba pos", NULL},
                                         {"x", "pos", NULL},
                                         {"", "pos", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char near[64];
    const bool found = crd_schema_nearest(cases[i][0], cases[i][1], near, sizeof near);
    assert_int_equal(found, cases[i][2] != NULL);
    if (found) assert_string_equal(near, cases[i][2]);
  }
}

static void typing_errors_are_refused_with_the_name_that_was_meant(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line;
    const char *phrase;
  } cases[] = {
      {"<mujoco>\n<worldbody>\n<geom size='1' frction='0.8'/></worldbody></mujoco>", 3, "did you mean 'friction'?"},
      {"<mujoco>\n<worldbody>\n<body><jiont/><geom size='1'/></body></worldbody></mujoco>", 3, "did you mean 'joint'?"},
      {"<mujoco>\n<default>\n<geom frictoin='1'/></default></mujoco>", 3, "did you mean 'friction'?"},
      {"<mujoco>\n<default>\n<joint name='j'/></default></mujoco>", 3, "<joint> name: found an unknown attribute"},
      {"<mujoco>\n<asset>\n<joint/></asset></mujoco>", 3, "it stands in <default>"},
      {"<mujoco>\n<worldbody>\n<motor joint='j'/></worldbody></mujoco>", 3, "found an unknown element in <worldbody>"},
      {"<mujoco>\n<option>\n<flag gravty='disable'/></option></mujoco>", 3, "did you mean 'gravity'?"},
      {"<mujoco>\n<actuator><motor kp='1'/></actuator></mujoco>", 2, "<motor> kp: found an unknown attribute"},
      {"<mujoco>\n<sensor>\n<gyroo site='s'/></sensor></mujoco>", 3, "did you mean 'gyro'?"},
      {"<mujoco>\n<visual><global fovvy='1'/></visual></mujoco>", 2, "did you mean 'fovy'?"},
      {"<mujoco>\n<worldbody><frame>\n<replicate count='2'><geom sise='1'/></replicate></frame></worldbody></mujoco>",
       3, "did you mean 'size'?"},
      {"<mujoco modle='m'/>", 1, "did you mean 'model'?"},
      {"<mujoco>\n<worldbody><aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/></"
       "worldbody>"
       "</mujoco>",
       2, "found an unknown element"},
      {"<robot name='r'>\n<link name='a'/>\n<jiont name='j'/></robot>", 3, "did you mean 'joint'?"},
      {"<robot name='r'>\n<link name='a'><inertal/></link></robot>", 2, "did you mean 'inertial'?"},
      {"<robot name='r'>\n<link name='a'><inertial>\n<mass vlaue='1'/></inertial></link></robot>", 3,
       "did you mean 'value'?"},
      {"<robot name='r'>\n<link name='a'><inertial>\n<mass value='1' colour='red'/></inertial></link></robot>", 3,
       "found an unknown attribute, expected one that URDF has here"},
      {"<robot name='r'>\n<link name='a'/><mujoco><compiler>\n</compiler><opton/></mujoco></robot>", 3,
       "did you mean 'option'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    crd_model *model;
    crd_error err = {0};
    crd_status status =
        crd_io_read_model_text(cases[i].text, strlen(cases[i].text), "typo.xml", NULL, &model, NULL, &err);
    if (status != CRD_ERR_FORMAT || err.line != cases[i].line || !strstr(err.text, cases[i].phrase))
      fail_msg("case %zu: status %d, line %d, '%s'", i, status, err.line, err.text);
    assert_string_equal(err.file, "typo.xml");
    assert_null(model);
  }
}

/* URDF lets programs add elements of their own. */
static void what_other_programs_add_to_urdf_is_listed(void **state) {
  (void)state;
  const char *text =
      "<robot name='r'><link name='a' concave='yes'><audio_source><pitch value='1'/></audio_source></link>"
      "<verbose value='1'/></robot>";
  crd_model *model;
  crd_read_report report = {0};
  assert_int_equal(crd_io_read_model_text(text, strlen(text), "r.urdf", NULL, &model, &report, NULL), CRD_OK);
  assert_int_equal(report.count, 3);
  assert_int_equal(report.nwarning, 0);
  crd_model_free(model);
  crd_io_read_report_free(&report);
}

/* Warnings are found inside what is only for show too. */
static void lenient_warns_of_every_unknown_name(void **state) {
  (void)state;
  const char *text =
      "<mujoco><visual><global fovvy='1'/></visual><worldbody><geom size='1' frction='1'/></worldbody>"
      "</mujoco>";
  const crd_read_options lenient = {.lenient = true};
  crd_model *model;
  crd_read_report report = {0};
  assert_int_equal(crd_io_read_model_text(text, strlen(text), "m.xml", &lenient, &model, &report, NULL), CRD_OK);
  assert_int_equal(report.nwarning, 2);
  assert_string_equal(report.item[0].attribute, "fovvy");
  assert_string_equal(report.item[1].attribute, "frction");
  assert_non_null(strstr(report.item[1].reason, "did you mean 'friction'?"));
  crd_model_free(model);
  crd_io_read_report_free(&report);
}

static void read_strictly(const char *path) {
  crd_model *model;
  crd_error err = {0};
  crd_read_report report = {0};
  if (crd_io_read_model(path, NULL, &model, &report, &err)) fail_msg("%s: %s", path, err.text);
  for (int i = 0; i < report.count; i++)
    if (strcmp(report.item[i].reason, "not understood") == 0)
      fail_msg("%s:%d: %s %s", path, report.item[i].line, report.item[i].element,
               report.item[i].attribute ? report.item[i].attribute : "");
  crd_model_free(model);
  crd_io_read_report_free(&report);
}

static void the_models_of_the_project_are_read_to_the_last_attribute(void **state) {
  (void)state;
  const char *folder = CRADLE_SOURCE_DIR "/models";
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (const struct dirent *entry; (entry = readdir(list));) {
    const char *dot = strrchr(entry->d_name, '.');
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (dot && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".urdf") == 0)) read_strictly(path);
  }
  closedir(list);
}

static void each_row_of_the_tables_is_reachable(void **state) {
  (void)state;
  const crd_schema *const schemas[] = {&crd_mjcf_schema, &crd_urdf_schema};
  for (int s = 0; s < 2; s++) {
    const char *root = s ? "robot" : "mujoco";
    for (int i = 0; i < schemas[s]->nattribute; i++) {
      const crd_schema_attribute *row = &schemas[s]->attribute[i];
      if (row->status == CRD_SCHEMA_REFUSED || row->status == CRD_SCHEMA_NO_EFFECT) assert_non_null(row->reason);
      char elements[400], names[1000], *rest, *more;
      snprintf(elements, sizeof elements, "%s", row->elements);
      for (char *key = strtok_r(elements, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        char *slash = strchr(key, '/');
        if (!slash) {
          assert_string_equal(key, root);
          continue;
        }
        *slash = 0;
        if (slash[1] == '*') continue;
        snprintf(names, sizeof names, "%s", row->names);
        for (char *name = strtok_r(names, " ", &more); name; name = strtok_r(NULL, " ", &more))
          if (!crd_schema_knows(schemas[s], key, slash + 1, name)) fail_msg("%s/%s %s", key, slash + 1, name);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_name_is_the_one_with_fewest_slips),
      cmocka_unit_test(typing_errors_are_refused_with_the_name_that_was_meant),
      cmocka_unit_test(what_other_programs_add_to_urdf_is_listed),
      cmocka_unit_test(lenient_warns_of_every_unknown_name),
      cmocka_unit_test(the_models_of_the_project_are_read_to_the_last_attribute),
      cmocka_unit_test(each_row_of_the_tables_is_reachable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
