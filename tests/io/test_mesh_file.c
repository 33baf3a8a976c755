/* Claims: STL (binary, text), OBJ and MSH files give the solid they describe, the same bits in each format; every
 * broken file gives one message with its status, line and reason, and memory is taken by what a file holds, not by what
 * it promises. Expected volumes are those of the solids: cube a^3, prism over a regular hexagon 3 sqrt(3)/2 a^2 h. */
#include "io/mesh/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

/* ------------------------------------------------------------------------------------------------ writing files */

typedef struct bytes {
  char data[8192];
  size_t size;
} bytes;

static void put(bytes *out, const void *data, size_t size) {
  assert_true(out->size + size < sizeof out->data);
  memcpy(out->data + out->size, data, size);
  out->size += size;
  out->data[out->size] = 0;
}

static void put_text(bytes *out, const char *text) { put(out, text, strlen(text)); }

static void put_u32(bytes *out, uint32_t value) {
  unsigned char b[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                        (unsigned char)(value >> 24)};
  put(out, b, 4);
}

static void put_float(bytes *out, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  put_u32(out, bits);
}

/* The cube [0, 1]^3: corner i has the bits of i as x, y, z. */
static const int cube_face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static float cube_corner(int i, int k) { return (float)(i >> k & 1); }

static void put_stl(bytes *out, const char *header, float edge) {
  char name[80] = {0};
  snprintf(name, sizeof name, "%s", header);
  put(out, name, 80);
  put_u32(out, 12);
  for (int i = 0; i < 12; i++) {
    for (int k = 0; k < 3; k++) put_float(out, 0);
    for (int j = 0; j < 9; j++) put_float(out, edge * cube_corner(cube_face[i][j / 3], j % 3));
    put(out, "\0\0", 2);
  }
}

static void put_stl_text(bytes *out, float edge) {
  put_text(out, "solid a cube\n");
  for (int i = 0; i < 12; i++) {
    put_text(out, "facet normal nan nan nan\r\n OUTER LOOP\n");
    for (int j = 0; j < 3; j++) {
      char line[120];
      int c = cube_face[i][j];
      snprintf(line, sizeof line, "  vertex %.9g\t%.9g %.9ge0\n", (double)(edge * cube_corner(c, 0)),
               (double)(edge * cube_corner(c, 1)), (double)(edge * cube_corner(c, 2)));
      put_text(out, line);
    }
    put_text(out, " endloop\nEndFacet\n");
  }
  put_text(out, "endsolid a cube\n");
}

static void put_msh(bytes *out, float edge, bool extras) {
  put_u32(out, 8);
  put_u32(out, extras ? 8 : 0);
  put_u32(out, extras ? 8 : 0);
  put_u32(out, 12);
  for (int i = 0; i < 24; i++) put_float(out, edge * cube_corner(i / 3, i % 3));
  for (int i = 0; extras && i < 40; i++) put_float(out, 7);
  for (int i = 0; i < 36; i++) put_u32(out, (uint32_t)cube_face[i / 3][i % 3]);
}

static const char obj_cube[] =
    "# a cube in three groups, corners in every notation\n"
    "mtllib none.mtl\no first\n"
    "v 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nv 1 1 0\n"
    "v 9 9 9\n" /* used by no face */
    "v 0 0 1\nv 1 0 1\nv 0 1 1\n\tv 1 1 1\r\n"
    "vn 0 0 1\nvt 0 0\n"
    "f 1 3 4 2\n"
    "g second\nusemtl m\ns off\n"
    "f 6/1 7/1 9/1 8/1\nf 1//1 2//1 7//1 6//1\n"
    "o third\n"
    "f -7/1/1 \\\n -2/1/1 -1/1/1 -6/1/1\nf 1 6 8 3\nf 2 4 9 7";

/* ------------------------------------------------------------------------------------------------ measuring */

static crd_mesh_data parse(crd_arena *arena, const char *path, const bytes *file) {
  crd_mesh_data mesh = {0};
  crd_error err = {0};
  if (crd_mesh_file_parse(path, file->data, file->size, arena, &mesh, &err)) fail_msg("%s: %s", path, err.text);
  return mesh;
}

static void expect_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Volume by the divergence theorem: the sum of a . (b x c) / 6 over the triangles. */
static double volume(const crd_mesh_data *mesh) {
  double sum = 0;
  for (int i = 0; i < mesh->nface; i++) {
    const double *a = mesh->vert + 3 * mesh->face[3 * i], *b = mesh->vert + 3 * mesh->face[3 * i + 1];
    const double *c = mesh->vert + 3 * mesh->face[3 * i + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

static void expect_cube(const crd_mesh_data *mesh, double edge) {
  assert_int_equal(mesh->nvert, 8);
  assert_int_equal(mesh->nface, 12);
  expect_near(volume(mesh), edge * edge * edge, 1e-15);
}

/* ------------------------------------------------------------------------------------------------ claims */

static void every_format_gives_the_cube(void **state) {
  (void)state;
  crd_arena arena = {0};
  bytes binary = {0}, solid = {0}, text = {0}, obj = {0}, msh = {0}, extras = {0};
  put_stl(&binary, "made by a test", 1);
  put_stl(&solid, "solid: yet binary", 1);
  put_stl_text(&text, 1);
  put_text(&obj, obj_cube);
  put_msh(&msh, 1, false);
  put_msh(&extras, 1, true);
  const bytes *files[] = {&binary, &solid, &text, &obj, &msh, &extras};
  const char *names[] = {"a.stl", "a.STL", "a.Stl", "a.obj", "a.msh", "b.MSH"};
  for (int i = 0; i < 6; i++) {
    crd_mesh_data mesh = parse(&arena, names[i], files[i]);
    expect_cube(&mesh, 1);
  }
  crd_arena_free(&arena);
}

/* 0.1 is not a float: text is rounded to the float that binary files hold. */
static void text_and_binary_give_the_same_bits(void **state) {
  (void)state;
  crd_arena arena = {0};
  bytes binary = {0}, text = {0}, obj = {0};
  put_stl(&binary, "", 0.1f);
  put_stl_text(&text, 0.1f);
  put_text(&obj, "v 0.1 -0.0 0.1000000001\n");
  crd_mesh_data a = parse(&arena, "a.stl", &binary), b = parse(&arena, "b.stl", &text),
                c = parse(&arena, "c.obj", &obj);
  assert_int_equal(a.nvert, b.nvert);
  assert_memory_equal(a.vert, b.vert, 3 * (size_t)a.nvert * sizeof(double));
  assert_memory_equal(a.face, b.face, 3 * (size_t)a.nface * sizeof(int));
  assert_true(c.vert[0] == (double)0.1f && c.vert[1] == 0 && !signbit(c.vert[1]) && c.vert[2] == (double)0.1f);
  assert_int_equal(c.nface, 0);
  crd_arena_free(&arena);
}

static void polygons_are_cut_into_triangles(void **state) {
  (void)state;
  crd_arena arena = {0};
  bytes obj = {0};
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < 12; i++) {
    char line[120];
    double angle = (i % 6) * pi / 3;
    snprintf(line, sizeof line, "v %.17g %.17g %d\n", cos(angle), sin(angle), 2 * (i / 6));
    put_text(&obj, line);
  }
  put_text(&obj, "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n");
  for (int i = 0; i < 6; i++) {
    char line[80];
    int a = i + 1, b = (i + 1) % 6 + 1;
    snprintf(line, sizeof line, "f %d %d %d %d\n", a, b, b + 6, a + 6);
    put_text(&obj, line);
  }
  crd_mesh_data mesh = parse(&arena, "prism.obj", &obj);
  assert_int_equal(mesh.nface, 4 + 4 + 12);
  expect_near(volume(&mesh), 2 * 3 * sqrt(3) / 2, 1e-6); /* float coordinates */
  crd_arena_free(&arena);
}

/* The rhombus (0,0) (3,-1) (6,0) (3,1) is cut along 1-3, although 2-4 is shorter. */
static void quadrilaterals_are_cut_from_their_first_corner(void **state) {
  (void)state;
  crd_arena arena = {0};
  bytes obj = {0};
  put_text(&obj, "v 0 0 0\nv 3 -1 0\nv 6 0 0\nv 3 1 0\nf 1 2 3 4\n");
  crd_mesh_data mesh = parse(&arena, "rhombus.obj", &obj);
  const int expected[6] = {0, 1, 2, 0, 2, 3};
  assert_int_equal(mesh.nface, 2);
  assert_memory_equal(mesh.face, expected, sizeof expected);
  crd_arena_free(&arena);
}

/* Areas of the triangles of a flat polygon, taken positive, add up to its own area only if they do not overlap. */
static double absolute_area(const crd_mesh_data *mesh) {
  double sum = 0;
  for (int i = 0; i < mesh->nface; i++) {
    const double *a = mesh->vert + 3 * mesh->face[3 * i], *b = mesh->vert + 3 * mesh->face[3 * i + 1];
    const double *c = mesh->vert + 3 * mesh->face[3 * i + 2];
    sum += fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
  }
  return sum;
}

/* A comb of 20 teeth, each one wide, gaps one wide, all 4 high above a back of 1: 20 (4 + 1) + 19 = 119. An arrow-head
 * (5,-1) (4,0) (5,1) (0,0): the diagonal from its first corner lies outside, its area is 4. */
static void inward_corners_are_respected(void **state) {
  (void)state;
  crd_arena arena = {0};
  static bytes comb, arrow;
  int n = 0;
  char line[400];
  for (int i = 0; i < 20; i++) {
    const int outline[4][2] = {{2 * i, 1}, {2 * i, 5}, {2 * i + 1, 5}, {2 * i + 1, 1}};
    for (int k = 0; k < 4; k++, n++) {
      snprintf(line, sizeof line, "v %d %d 3\n", outline[k][0], outline[k][1]);
      put_text(&comb, line);
    }
  }
  put_text(&comb, "v 39 0 3\nv 0 0 3\nf");
  for (int i = n + 2; i > 0; i--) {
    snprintf(line, sizeof line, " %d", i);
    put_text(&comb, line);
  }
  crd_mesh_data mesh = parse(&arena, "comb.obj", &comb);
  assert_int_equal(mesh.nface, n);
  expect_near(absolute_area(&mesh), 119, 1e-12);
  put_text(&arrow, "v 5 -1 0\nv 4 0 0\nv 5 1 0\nv 0 0 0\nf 1 2 3 4\n");
  mesh = parse(&arena, "arrow.obj", &arrow);
  expect_near(absolute_area(&mesh), 4, 1e-12);
  crd_arena_free(&arena);
}

/* x -> S R'(x - p): the corner (1, 1, 1) of the cube with p = (1, 0, 0), a quarter turn about z and S = diag(2, -1, 1):
 * R'(0, 1, 1) = (1, 0, 1), so (2, 0, 1). Volume |det S| = 2, positive because mirrored triangles are turned round. */
static void a_mesh_is_moved_turned_and_stretched(void **state) {
  (void)state;
  crd_arena arena = {0};
  bytes msh = {0};
  put_msh(&msh, 1, false);
  crd_mesh_data mesh = parse(&arena, "a.msh", &msh);
  const double pos[3] = {1, 0, 0}, quat[4] = {sqrt(0.5), 0, 0, sqrt(0.5)}, scale[3] = {2, -1, 1};
  crd_mesh_transform(&mesh, pos, quat, scale);
  const double expected[3] = {2, 0, 1};
  for (int k = 0; k < 3; k++) expect_near(mesh.vert[21 + k], expected[k], 1e-7);
  expect_near(volume(&mesh), 2, 1e-6);
  crd_arena_free(&arena);
}

typedef struct bad_file {
  const char *name, *text;
  crd_status status;
  int line;
  const char *phrase;
} bad_file;

static const bad_file bad_files[] = {
    {"a.obj", "", CRD_ERR_FORMAT, 0, "empty"},
    {"a.stl", "", CRD_ERR_FORMAT, 0, "empty"},
    {"a.msh", "", CRD_ERR_FORMAT, 0, "empty"},
    {"a.ply", "ply", CRD_ERR_FILE, 0, "type '.ply' are not supported"},
    {"a.ply", "ply", CRD_ERR_FILE, 0, "expected .stl, .obj, .msh, .dae or .glb"},
    {"stl", "solid", CRD_ERR_FILE, 0, "expected .stl, .obj, .msh, .dae or .glb"},
    {"a.obj", "# nothing\nvn 0 0 1\n", CRD_ERR_FORMAT, 0, "no vertices"},
    {"a.obj", "v 0 0 0\nv 1 0\n", CRD_ERR_FORMAT, 2, "end of the line; expected a coordinate"},
    {"a.obj", "v 0 0 0\nv 1 0", CRD_ERR_FORMAT, 2, "end of the file; expected a coordinate"},
    {"a.obj", "v 0 0 0\n\nv 1 0 zero\n", CRD_ERR_FORMAT, 3, "found 'zero'"},
    {"a.obj", "v 0 0 0x\n", CRD_ERR_FORMAT, 1, "found '0x'"},
    {"a.obj", "v 0 0 nan\n", CRD_ERR_NUMBER, 1, "nan; expected a finite number"},
    {"a.obj", "v 0 0 1e300\n", CRD_ERR_NUMBER, 1, "1e+300; expected a finite number"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", CRD_ERR_FORMAT, 4, "vertex 4; expected 1 to 3"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", CRD_ERR_FORMAT, 4, "vertex 0; expected 1 to 3"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", CRD_ERR_FORMAT, 4, "vertex -4; expected 1 to 3, or -3 to -1"},
    {"a.obj", "v 0 0 0\nf 99999999999999999999 1 1\n", CRD_ERR_FORMAT, 2, "expected 1 to 1"},
    {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", CRD_ERR_FORMAT, 3, "2 corners; expected at least 3"},
    {"a.obj", "v 0 0 0\nf 1 a 1\n", CRD_ERR_FORMAT, 2, "found 'a'; expected a vertex number"},
    {"a.stl", "solid", CRD_ERR_FORMAT, 1, "end of the file; expected 'facet' or 'endsolid'"},
    {"a.stl", "solid x\nendsolid x\n", CRD_ERR_FORMAT, 3, "no facet"},
    {"a.stl", "solid x\nfacets\n", CRD_ERR_FORMAT, 2, "found 'facets'; expected 'facet'"},
    {"a.stl", "solid x\nfacet normal 0 0 1\nouter\nvertex", CRD_ERR_FORMAT, 4, "expected 'outer loop'"},
    {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop", CRD_ERR_FORMAT, 6,
     "'vertex x y z'"},
    {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", CRD_ERR_NUMBER, 4,
     "inf; expected a finite number"},
    {"a.stl", "solid x\nendsolid\nsolids", CRD_ERR_FORMAT, 3, "found 'solids'; expected 'solid'"},
    {"a.stl", "binary but short", CRD_ERR_FORMAT, 0, "16 bytes; expected the word 'solid' or a binary header"},
    {"a.msh", "short", CRD_ERR_FORMAT, 0, "5 bytes; expected a header of 16"},
};

static void broken_files_are_refused_with_line_and_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
    const bad_file *bad = &bad_files[i];
    crd_arena arena = {0};
    crd_mesh_data mesh = {.nvert = -7};
    crd_error err = {0};
    crd_status status = crd_mesh_file_parse(bad->name, bad->text, strlen(bad->text), &arena, &mesh, &err);
    if (status != bad->status || err.line != bad->line || !strstr(err.text, bad->phrase))
      fail_msg("%zu '%s': status %d, line %d, '%s'", i, bad->text, status, err.line, err.text);
    assert_string_equal(err.file, bad->name);
    assert_int_equal(mesh.nvert, -7);
    crd_arena_free(&arena);
  }
}

static void expect_refusal(const char *name, const bytes *file, crd_status status, const char *phrase) {
  crd_arena arena = {0};
  crd_mesh_data mesh = {0};
  crd_error err = {0};
  assert_int_equal(crd_mesh_file_parse(name, file->data, file->size, &arena, &mesh, &err), status);
  if (!strstr(err.text, phrase)) fail_msg("'%s' lacks '%s'", err.text, phrase);
  assert_true(arena.allocated < 1 << 20);
  crd_arena_free(&arena);
}

static void counts_that_lie_take_no_memory(void **state) {
  (void)state;
  bytes file = {0};
  put_stl(&file, "", 1);
  memset(file.data + 80, 0xff, 4);
  expect_refusal("a.stl", &file, CRD_ERR_FORMAT, "684 bytes; expected 214748364834 for the 4294967295 triangles");
  file = (bytes){0};
  put_stl(&file, "", 1);
  file.size -= 50;
  expect_refusal("a.stl", &file, CRD_ERR_FORMAT, "634 bytes; expected 684");
  file = (bytes){0};
  put(&file, (char[84]){0}, 84);
  expect_refusal("a.stl", &file, CRD_ERR_FORMAT, "0 triangles");
  file = (bytes){0};
  put_msh(&file, 1, false);
  memset(file.data, 0x7f, 4);
  expect_refusal("a.msh", &file, CRD_ERR_FORMAT, "expected");
  file = (bytes){0};
  put_msh(&file, 1, false);
  memset(file.data + 12, 0xff, 4);
  expect_refusal("a.msh", &file, CRD_ERR_FORMAT, "-1 faces");
  file = (bytes){0};
  put_msh(&file, 1, true);
  file.data[4] = 7;
  expect_refusal("a.msh", &file, CRD_ERR_FORMAT, "7 normals and 8 vertices");
}

static void binary_numbers_are_checked(void **state) {
  (void)state;
  bytes file = {0};
  put_stl(&file, "", NAN);
  expect_refusal("a.stl", &file, CRD_ERR_NUMBER, "nan; expected a finite number");
  file = (bytes){0};
  put_msh(&file, INFINITY, false);
  expect_refusal("a.msh", &file, CRD_ERR_NUMBER, "expected a finite number");
  file = (bytes){0};
  put_msh(&file, 1, false);
  file.data[file.size - 4] = 8;
  expect_refusal("a.msh", &file, CRD_ERR_FORMAT, "face 11 uses vertex 8; expected a number from 0 to 7");
  file = (bytes){0};
  put_text(&file, "v 0 0 0\nv 1");
  put(&file, "\0 0\n", 4);
  expect_refusal("a.obj", &file, CRD_ERR_FORMAT, "zero byte");
}

/* A file cut anywhere is either refused or, where the cut leaves a whole text, read; it never reads past its end
 * (asan). */
static void files_cut_anywhere_are_harmless(void **state) {
  (void)state;
  static bytes files[4];
  put_stl(&files[0], "", 1);
  put_stl_text(&files[1], 1);
  put_text(&files[2], obj_cube);
  put_msh(&files[3], 1, true);
  const char *names[4] = {"a.stl", "b.stl", "c.obj", "d.msh"};
  for (int i = 0; i < 4; i++) {
    for (size_t size = 0; size < files[i].size; size++) {
      crd_arena arena = {0};
      crd_mesh_data mesh = {0};
      char *cut = malloc(size + 1);
      assert_non_null(cut);
      memcpy(cut, files[i].data, size);
      cut[size] = 0;
      crd_status status = crd_mesh_file_parse(names[i], cut, size, &arena, &mesh, NULL);
      assert_true(status <= 0);
      if (i == 0 || i == 3) assert_int_not_equal(status, CRD_OK);
      free(cut);
      crd_arena_free(&arena);
    }
  }
}

static void files_that_cannot_be_read_say_why(void **state) {
  (void)state;
  crd_arena arena = {0};
  crd_mesh_data mesh = {0};
  crd_error err = {0};
  assert_int_equal(crd_mesh_file_read("no/such/file.stl", &arena, &mesh, &err), CRD_ERR_FILE);
  assert_string_equal(err.file, "no/such/file.stl");
  assert_non_null(strstr(err.text, "No such file"));
  assert_int_equal(crd_mesh_file_read(CRADLE_SOURCE_DIR "/tests/io/no.ply", &arena, &mesh, &err), CRD_ERR_FILE);
  assert_non_null(strstr(err.text, "not supported"));
  crd_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_gives_the_cube),
      cmocka_unit_test(text_and_binary_give_the_same_bits),
      cmocka_unit_test(polygons_are_cut_into_triangles),
      cmocka_unit_test(quadrilaterals_are_cut_from_their_first_corner),
      cmocka_unit_test(inward_corners_are_respected),
      cmocka_unit_test(a_mesh_is_moved_turned_and_stretched),
      cmocka_unit_test(broken_files_are_refused_with_line_and_reason),
      cmocka_unit_test(counts_that_lie_take_no_memory),
      cmocka_unit_test(binary_numbers_are_checked),
      cmocka_unit_test(files_cut_anywhere_are_harmless),
      cmocka_unit_test(files_that_cannot_be_read_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
