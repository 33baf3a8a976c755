/* Claims: a page holds its data as JSON that reads back unchanged and has no letter that HTML could take for markup;
 * base64 is that of RFC 4648; a scene names every body, joint and geom of its model with their numbers, and packs its
 * meshes. */
#include <cradle/cradle.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/text.h"
#include "support/cmocka_all.h"
#include "support/program.h"

/* RFC 4648, section 10. */
static void base64_is_that_of_the_rfc(void **state) {
  (void)state;
  const char *expected[] = {"\"\"", "\"Zg==\"", "\"Zm8=\"", "\"Zm9v\"", "\"Zm9vYg==\"", "\"Zm9vYmE=\"", "\"Zm9vYmFy\""};
  for (size_t n = 0; n <= 6; n++) {
    crd_text text = {0};
    crd_json_add_u8(&text, n, (const unsigned char *)"foobar");
    assert_string_equal(text.data, expected[n]);
    crd_text_free(&text);
  }
}

/* 1.0f is 00 00 80 3f, 1.0 is 00 .. f0 3f in little-endian order (IEEE 754). */
static void numbers_are_little_endian(void **state) {
  (void)state;
  const double one = 1;
  const int id = 0x01020304;
  crd_text text = {0};
  crd_json_add_f32(&text, 1, &one);
  assert_string_equal(text.data, "\"AACAPw==\"");
  crd_text_free(&text);
  crd_json_add_f64(&text, 1, &one);
  assert_string_equal(text.data, "\"AAAAAAAA8D8=\"");
  crd_text_free(&text);
  crd_json_add_u32(&text, 1, &id);
  assert_string_equal(text.data, "\"BAMCAQ==\"");
  crd_text_free(&text);
}

static void a_long_array_has_no_seam(void **state) {
  (void)state;
  unsigned char zero[5000] = {0};
  crd_text text = {0};
  crd_json_add_u8(&text, sizeof zero, zero);
  assert_int_equal(text.size, 2 + 4 * ((sizeof zero + 2) / 3));
  for (size_t i = 1; i + 2 < text.size; i++) assert_int_equal(text.data[i], 'A');
  crd_text_free(&text);
}

static void data_cannot_become_markup(void **state) {
  (void)state;
  if (!crd_io_has_page()) skip();
  const char *json =
      "{\"name\": \"</script><script>alert('&')</script>\xE2\x80\xA8\xE2\x80\xA9<!--\", \"pi\": 3.141592653589793}";
  const crd_page_part part[2] = {{"check", json}, {"scene", "null"}};
  const char *path = program_file("page.html");
  crd_error err;
  assert_int_equal(crd_io_write_page(path, "check", part, 2, &err), CRD_OK);
  char *page = program_read(path);
  char *start = strstr(page, "id=\"data\">");
  assert_non_null(start);
  start += strlen("id=\"data\">");
  char *end = strchr(start, '<');
  assert_true(strncmp(end, "</script>", 9) == 0);
  *end = '\0';
  assert_null(strpbrk(start, "<>&"));
  json_t *data = json_loads(start, 0, NULL), *expected = json_loads(json, 0, NULL);
  assert_non_null(data);
  assert_true(json_equal(json_object_get(data, "check"), expected));
  assert_string_equal(json_string_value(json_object_get(data, "kind")), "check");
  json_decref(data), json_decref(expected);
  free(page);
}

static void a_page_that_cannot_be_written_is_an_error(void **state) {
  (void)state;
  if (!crd_io_has_page()) skip();
  const crd_page_part part = {"check", "{}"};
  crd_error err;
  assert_int_equal(crd_io_write_page("/no/such/folder/page.html", "check", &part, 1, &err), CRD_ERR_FILE);
}

static json_t *scene_of(const crd_model *model) {
  crd_arena arena = {0};
  const char *text;
  crd_error err;
  assert_int_equal(crd_io_scene_text(model, model->qpos0, NULL, NULL, NULL, &arena, &text, &err), CRD_OK);
  json_t *scene = json_loads(text, 0, NULL);
  assert_non_null(scene);
  crd_arena_free(&arena);
  return scene;
}

static double number_at(const json_t *list, size_t i) { return json_number_value(json_array_get(list, i)); }

static void a_scene_holds_the_whole_model(void **state) {
  (void)state;
  for (int e = 0; e < crd_io_example_count(); e++) {
    crd_model *model;
    crd_error err;
    assert_int_equal(crd_io_example_model(crd_io_example_at(e)->name, NULL, &model, &err), CRD_OK);
    json_t *scene = scene_of(model);
    assert_int_equal(json_array_size(json_object_get(scene, "bodies")), model->nbody);
    assert_int_equal(json_array_size(json_object_get(scene, "joints")), model->njoint);
    assert_int_equal(json_array_size(json_object_get(scene, "geoms")), model->ngeom);
    assert_int_equal(json_array_size(json_object_get(scene, "qpos")), model->nq);
    assert_int_equal(json_array_size(json_object_get(scene, "qvel")), model->nv);
    for (int i = 0; i < model->ngeom; i++) {
      const crd_geom *geom = &model->geom[i];
      const json_t *object = json_array_get(json_object_get(scene, "geoms"), (size_t)i);
      assert_string_equal(json_string_value(json_object_get(object, "name")), geom->name);
      assert_string_equal(json_string_value(json_object_get(object, "type")), crd_model_geom_type_name(geom->type));
      double quat[4], R[9];
      for (size_t k = 0; k < 4; k++) quat[k] = number_at(json_object_get(object, "quat"), k);
      crd_quat_to_mat3(R, quat);
      for (int k = 0; k < 9; k++) assert_true(fabs(R[k] - geom->R[k]) < 1e-12);
      for (size_t k = 0; k < 3; k++) assert_true(number_at(json_object_get(object, "pos"), k) == geom->pos[k]);
    }
    json_decref(scene);
    crd_model_free(model);
  }
}

static void a_mesh_is_packed(void **state) {
  (void)state;
  static const char MJCF[] =
      "<mujoco><asset><mesh name='&lt;m>' vertex='0 1 0.5  -2 0 0  0 -2 0  0 0 -2'/></asset>"
      "<worldbody><body><freejoint/><geom type='mesh' mesh='&lt;m>' mass='1'/></body></worldbody></mujoco>";
  crd_model *model;
  crd_error err;
  if (crd_io_read_model_text(MJCF, strlen(MJCF), "mesh.xml", NULL, &model, NULL, &err) != CRD_OK)
    fail_msg("%s", err.text);
  json_t *scene = scene_of(model);
  const json_t *mesh = json_array_get(json_object_get(scene, "meshes"), 0);
  assert_string_equal(json_string_value(json_object_get(mesh, "name")), "<m>");
  const char *vert = json_string_value(json_object_get(mesh, "vert"));
  assert_int_equal(strlen(vert), 4 * ((4 * 3 * 4 + 2) / 3));
  const json_t *geom = json_array_get(json_object_get(scene, "geoms"), 0);
  assert_int_equal(json_integer_value(json_object_get(geom, "mesh")), 0);
  json_decref(scene);
  crd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(base64_is_that_of_the_rfc),
      cmocka_unit_test(numbers_are_little_endian),
      cmocka_unit_test(a_long_array_has_no_seam),
      cmocka_unit_test(data_cannot_become_markup),
      cmocka_unit_test(a_page_that_cannot_be_written_is_an_error),
      cmocka_unit_test(a_scene_holds_the_whole_model),
      cmocka_unit_test(a_mesh_is_packed),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
