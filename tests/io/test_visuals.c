/* Claims: what a page shows is read beside the model and changes nothing in it. Colours follow MuJoCo's rules (rgba,
 * else the material's times the mean of its texture), URDF's materials and those of Collada files; shapes without
 * influence on the motion are there with their place; what is missing is a note. A mesh that is made coarser keeps its
 * box and its bounds. */
#include <cradle/cradle.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/file.h"
#include "io/visual/visual.h"
#include "support/cmocka_all.h"
#include "support/program.h"

static crd_visuals read_text(const char *text) {
  crd_visuals visuals;
  crd_error err = {0};
  if (crd_io_read_visuals_text(text, strlen(text), "m.xml", NULL, &visuals, &err) != CRD_OK)
    fail_msg("%s:%d: %s", err.file, err.line, err.text);
  return visuals;
}

static void assert_colour(const crd_visual *visual, double r, double g, double b, double a) {
  const double expected[4] = {r, g, b, a};
  for (int k = 0; k < 4; k++)
    if (fabs(visual->rgba[k] - expected[k]) > 1e-12)
      fail_msg("%s: rgba[%d] is %g, expected %g", visual->name, k, visual->rgba[k], expected[k]);
}

static const char painted[] =
    "<mujoco><compiler texturedir='t'/>\n"
    "<default><geom rgba='.1 .2 .3 .4'/><default class='grey'><geom rgba='.5 .5 .5 1' material='red'/></default>\n"
    "<material rgba='1 1 1 .5'/></default>\n"
    "<asset><texture name='board' type='2d' builtin='checker' rgb1='0 .2 .4' rgb2='1 .6 .4'/>\n"
    "<material name='red' rgba='1 0 0 1'/><material name='tiles' texture='board'/>\n"
    "<material name='gone' texture='lost'/><texture name='lost' type='2d' file='nowhere.png'/>\n"
    "<mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/>\n"
    "<mesh name='absent' file='absent.obj'/></asset>\n"
    "<worldbody><body name='a' pos='0 0 1'><freejoint/><geom name='plain' size='.1'/>\n"
    "<geom name='classed' class='grey' size='.1'/>\n"
    "<geom name='own' class='grey' size='.1' rgba='0 0 1 1'/>\n"
    "<geom name='tiled' class='grey' material='tiles' type='box' size='.1 .1 .1'/>\n"
    "<geom name='dark' class='grey' material='gone' size='.1'/>\n"
    "<frame pos='0 0 2'><geom name='shown' type='mesh' mesh='wedge' contype='0' conaffinity='0' density='0' "
    "pos='1 0 0' group='2'/></frame>\n"
    "<geom name='missing' type='mesh' mesh='absent' contype='0' conaffinity='0' density='0'/>\n"
    "</body></worldbody></mujoco>";

static void colours_follow_mujoco(void **state) {
  (void)state;
  crd_visuals visuals = read_text(painted);
  assert_int_equal(visuals.count, 6);
  assert_colour(&visuals.item[0], .1, .2, .3, .4);
  assert_colour(&visuals.item[1], 1, 0, 0, 1);
  assert_colour(&visuals.item[2], 0, 0, 1, 1);
  assert_colour(&visuals.item[3], .5, .4, .4, .5); /* the checker's mean, at the class's opacity */
  assert_colour(&visuals.item[4], 1, 1, 1, .5);    /* its texture is missing */
  crd_io_visuals_free(&visuals);
}

static void what_is_only_for_show_is_there(void **state) {
  (void)state;
  crd_visuals visuals = read_text(painted);
  const crd_visual *shown = &visuals.item[5];
  assert_string_equal(shown->name, "shown");
  assert_int_equal(shown->geom, -1);
  assert_int_equal(shown->body, 1);
  assert_int_equal(shown->group, 2);
  assert_int_equal(shown->type, CRD_MESH);
  assert_true(shown->pos[0] == 1 && shown->pos[1] == 0 && shown->pos[2] == 2);
  assert_int_equal(visuals.nmesh, 1);
  assert_int_equal(visuals.mesh[shown->mesh].nface, 4);
  for (int i = 0; i < 5; i++) assert_int_equal(visuals.item[i].geom, i);
  crd_io_visuals_free(&visuals);
}

static void what_is_missing_is_a_note(void **state) {
  (void)state;
  crd_visuals visuals = read_text(painted);
  assert_int_equal(visuals.nnote, 2);
  assert_non_null(strstr(visuals.note[0], "m.xml:6"));
  assert_non_null(strstr(visuals.note[0], "nowhere.png"));
  assert_non_null(strstr(visuals.note[1], "m.xml:8"));
  assert_non_null(strstr(visuals.note[1], "absent.obj"));
  crd_io_visuals_free(&visuals);
}

/* A colour that no reader understands is none of the dynamics' business. */
static void a_bad_colour_is_a_note(void **state) {
  (void)state;
  const char *text = "<mujoco><worldbody><geom type='sphere' size='1' rgba='red'/></worldbody></mujoco>";
  crd_visuals visuals = read_text(text);
  assert_int_equal(visuals.nnote, 1);
  assert_non_null(strstr(visuals.note[0], "<geom> rgba: found 'red', expected 4 numbers"));
  assert_colour(&visuals.item[0], .5, .5, .5, 1);
  crd_io_visuals_free(&visuals);
}

static json_t *scene_of(const char *text, crd_visuals *visuals) {
  crd_model *model;
  crd_error err = {0};
  crd_arena arena = {0};
  const char *scene;
  assert_int_equal(crd_io_read_model_text(text, strlen(text), "m.xml", NULL, &model, NULL, &err), CRD_OK);
  assert_int_equal(crd_io_scene_text(model, model->qpos0, NULL, NULL, visuals, &arena, &scene, &err), CRD_OK);
  json_t *object = json_loads(scene, 0, NULL);
  assert_non_null(object);
  crd_arena_free(&arena);
  crd_model_free(model);
  return object;
}

static void a_scene_has_colours_and_visuals(void **state) {
  (void)state;
  crd_visuals visuals = read_text(painted);
  json_t *scene = scene_of(painted, &visuals);
  json_t *geoms = json_object_get(scene, "geoms"), *shown = json_object_get(scene, "visuals");
  assert_int_equal(json_array_size(geoms), 5);
  assert_int_equal(json_array_size(shown), 1);
  json_t *rgba = json_object_get(json_array_get(geoms, 2), "rgba"), *only = json_array_get(shown, 0);
  assert_true(json_number_value(json_array_get(rgba, 2)) == 1);
  assert_int_equal(json_integer_value(json_object_get(only, "mesh")), 0);
  assert_string_equal(json_string_value(json_object_get(only, "name")), "shown");
  json_decref(scene);
  crd_io_visuals_free(&visuals);
}

/* Visuals of another model are not drawn over this one. */
static void visuals_of_another_model_are_left_out(void **state) {
  (void)state;
  const char *other = "<mujoco><worldbody><geom type='sphere' size='1'/></worldbody></mujoco>";
  crd_visuals visuals = read_text(painted);
  json_t *scene = scene_of(other, &visuals);
  assert_int_equal(json_array_size(json_object_get(scene, "visuals")), 0);
  assert_null(json_object_get(json_array_get(json_object_get(scene, "geoms"), 0), "rgba"));
  json_decref(scene);
  crd_io_visuals_free(&visuals);
}

/* ------------------------------------------------------------------------------------------------ URDF, Collada */

/* Two triangles, a blue and an unpainted one, in centimetres, turned by a quarter about z: (1, 0, 0) cm becomes
 * (0, 0.01, 0) m. */
static const char collada[] =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n"
    "<asset><unit name='centimeter' meter='0.01'/><up_axis>Z_UP</up_axis></asset>\n"
    "<library_effects><effect id='e'><profile_COMMON><technique sid='c'><lambert><diffuse><color>0 0 1 1</color>"
    "</diffuse></lambert></technique></profile_COMMON></effect></library_effects>\n"
    "<library_materials><material id='m'><instance_effect url='#e'/></material></library_materials>\n"
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='12'>"
    "0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common><accessor source='#pa' count='4' stride='3'>"
    "<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"
    "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
    "<triangles count='2' material='s'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 0 2 3</p>"
    "</triangles></mesh></geometry></library_geometries>\n"
    "<library_visual_scenes><visual_scene id='w'><node><rotate>0 0 1 90</rotate><instance_geometry url='#g'>"
    "<bind_material><technique_common><instance_material symbol='s' target='#m'/></technique_common></bind_material>"
    "</instance_geometry></node></visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url='#w'/></scene></COLLADA>";

static void collada_has_metres_places_and_colours(void **state) {
  (void)state;
#ifndef CRADLE_WITH_ASSIMP
  skip();
#endif
  crd_arena arena = {0};
  crd_error err = {0};
  crd_mesh_part *part;
  int count;
  program_write(program_file("part.dae"), collada);
  if (crd_mesh_file_parts(program_file("part.dae"), &arena, &part, &count, &err) != CRD_OK) fail_msg("%s", err.text);
  assert_int_equal(count, 1);
  assert_int_equal(part->mesh.nvert, 4);
  assert_int_equal(part->mesh.nface, 2);
  double high[3] = {-1, -1, -1}, low[3] = {1, 1, 1};
  for (int i = 0; i < 12; i++) high[i % 3] = fmax(high[i % 3], part->mesh.vert[i]);
  for (int i = 0; i < 12; i++) low[i % 3] = fmin(low[i % 3], part->mesh.vert[i]);
  const double expected_low[3] = {-0.02, 0, 0}, expected_high[3] = {0, 0.01, 0.03};
  for (int k = 0; k < 3; k++) {
    assert_true(fabs(low[k] - expected_low[k]) < 1e-8);
    assert_true(fabs(high[k] - expected_high[k]) < 1e-8);
  }
  assert_true(part->coloured);
  assert_true(part->rgba[0] == 0 && part->rgba[1] == 0 && part->rgba[2] == 1 && part->rgba[3] == 1);
  crd_arena_free(&arena);
}

static void urdf_shows_visuals_with_materials(void **state) {
  (void)state;
  program_write(program_file("part.dae"), collada);
  program_write(
      program_file("robot.urdf"),
      "<robot name='r'><material name='green'><color rgba='0 1 0 1'/></material>\n"
      "<link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
      "</inertial><collision><geometry><box size='1 1 1'/></geometry></collision>\n"
      "<visual><origin xyz='0 0 3'/><geometry><sphere radius='.5'/></geometry><material name='green'/></visual>\n"
      "<visual><geometry><mesh filename='part.dae' scale='2 2 2'/></geometry></visual>\n"
      "<visual><geometry><mesh filename='lost.stl'/></geometry></visual></link></robot>");
  crd_visuals visuals;
  crd_error err = {0};
  if (crd_io_read_visuals(program_file("robot.urdf"), NULL, &visuals, &err) != CRD_OK) fail_msg("%s", err.text);
  assert_int_equal(visuals.item[0].geom, 0);
  assert_int_equal(visuals.item[1].type, CRD_SPHERE);
  assert_true(visuals.item[1].pos[2] == 3);
  assert_colour(&visuals.item[1], 0, 1, 0, 1);
#ifdef CRADLE_WITH_ASSIMP
  assert_int_equal(visuals.count, 3);
  assert_colour(&visuals.item[2], 0, 0, 1, 1);
  assert_int_equal(visuals.mesh[visuals.item[2].mesh].nface, 2);
  assert_int_equal(visuals.nnote, 1);
#endif
  assert_non_null(strstr(visuals.note[visuals.nnote - 1], "lost.stl"));
  crd_io_visuals_free(&visuals);
}

static void a_broken_collada_file_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"<COLLADA/>", "no XML", "<COLLADA version='1.4.1'><library_geometries/></COLLADA>"};
  for (int i = 0; i < 3; i++) {
    crd_arena arena = {0};
    crd_error err = {0};
    crd_mesh_data data = {.nvert = -1};
    program_write(program_file("bad.dae"), bad[i]);
    assert_true(crd_mesh_file_read(program_file("bad.dae"), &arena, &data, &err) < 0);
    assert_int_equal(data.nvert, -1);
    assert_non_null(strstr(err.file, "bad.dae"));
    assert_non_null(strstr(err.text, "expected"));
    crd_arena_free(&arena);
  }
}

/* ------------------------------------------------------------------------------------------------ coarser meshes */

/* A wavy sheet of n x n squares on 0..1: coarser, it keeps the bounds and stays within its box. */
static void a_coarse_mesh_keeps_its_bounds(void **state) {
  (void)state;
  enum { N = 300 };
  crd_arena arena = {0};
  double *vert = crd_arena_alloc(&arena, 3 * (N + 1) * (N + 1), sizeof *vert);
  int *face = crd_arena_alloc(&arena, 6 * N * N, sizeof *face), *next = face;
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++) {
      double *x = vert + 3 * (i * (N + 1) + j);
      x[0] = (double)i / N, x[1] = (double)j / N, x[2] = 0.1 * sin(6 * x[0]) * sin(6 * x[1]);
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const int a = i * (N + 1) + j, b = a + 1, c = a + N + 1, d = c + 1;
      const int two[6] = {a, c, b, b, c, d};
      for (int k = 0; k < 6; k++) *next++ = two[k];
    }
  crd_visual_mesh mesh = {.nvert = (N + 1) * (N + 1), .nface = 2 * N * N, .vert = vert, .face = face};
  assert_int_equal(crd_visual_coarsen(&arena, 5000, &mesh), CRD_OK);
  assert_in_range(mesh.nface, 2500, 5000); /* and no coarser than it has to be */
  double area = 0;
  for (int f = 0; f < mesh.nface; f++) {
    const double *p[3];
    for (int k = 0; k < 3; k++) {
      assert_in_range(mesh.face[3 * f + k], 0, mesh.nvert - 1);
      p[k] = mesh.vert + 3 * mesh.face[3 * f + k];
    }
    area += ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1])) / 2;
  }
  /* seen from above it covers the square except for a seam of half a cell (one of about 50 along an edge) */
  assert_true(area > 0.93 && area <= 1);
  for (int i = 0; i < 3 * mesh.nvert; i++) assert_true(mesh.vert[i] >= (i % 3 == 2 ? -0.1 : 0) && mesh.vert[i] <= 1);
  crd_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(colours_follow_mujoco),
                                     cmocka_unit_test(what_is_only_for_show_is_there),
                                     cmocka_unit_test(what_is_missing_is_a_note),
                                     cmocka_unit_test(a_bad_colour_is_a_note),
                                     cmocka_unit_test(a_scene_has_colours_and_visuals),
                                     cmocka_unit_test(visuals_of_another_model_are_left_out),
                                     cmocka_unit_test(collada_has_metres_places_and_colours),
                                     cmocka_unit_test(urdf_shows_visuals_with_materials),
                                     cmocka_unit_test(a_broken_collada_file_is_refused),
                                     cmocka_unit_test(a_coarse_mesh_keeps_its_bounds)};
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
