/* Claims: the faces of a hull are those of the solid, whatever triangles it is made of: planes to single precision are
 * one face, corners on an edge are none, every vertex knows its faces. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"

enum { MOST = 400 };

static int corners_of(const crd_hull_faces *faces, int f) { return faces->first[f + 1] - faces->first[f]; }

/* Corners lie in the plane and go round it counter-clockwise; all vertices lie behind it. */
static void check_faces(const crd_mesh *mesh, double tolerance) {
  const crd_hull_faces *faces = &mesh->faces;
  for (int f = 0; f < faces->count; f++) {
    const double *n = faces->normal + 3 * f;
    int first = faces->first[f], count = corners_of(faces, f);
    const double *base = mesh->vert + 3 * faces->corner[first];
    assert_true(count >= 3);
    for (int i = 0; i < mesh->nvert; i++) {
      const double *v = mesh->vert + 3 * i;
      double height = n[0] * (v[0] - base[0]) + n[1] * (v[1] - base[1]) + n[2] * (v[2] - base[2]);
      assert_true(height <= tolerance);
    }
    for (int k = 0; k < count; k++) {
      const double *a = mesh->vert + 3 * faces->corner[first + k];
      const double *b = mesh->vert + 3 * faces->corner[first + (k + 1) % count];
      const double *c = mesh->vert + 3 * faces->corner[first + (k + 2) % count];
      double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, w[3] = {c[0] - b[0], c[1] - b[1], c[2] - b[2]};
      double turn =
          n[0] * (u[1] * w[2] - u[2] * w[1]) + n[1] * (u[2] * w[0] - u[0] * w[2]) + n[2] * (u[0] * w[1] - u[1] * w[0]);
      assert_true(turn > 0);
    }
  }
  for (int i = 0; i < mesh->nhull; i++) {
    assert_true(faces->at_first[i + 1] > faces->at_first[i]);
    for (int k = faces->at_first[i]; k < faces->at_first[i + 1]; k++)
      assert_true(faces->at[k] >= 0 && faces->at[k] < faces->count);
  }
}

/* A grid of points on all sides of a box: six faces of four corners, exactly along the axes. */
static void a_box_has_six_faces_of_four_corners(void **state) {
  (void)state;
  double vert[3 * MOST];
  int n = 0;
  for (int x = 0; x <= 4; x++)
    for (int y = 0; y <= 4; y++)
      for (int z = 0; z <= 4; z++)
        if (x % 4 == 0 || y % 4 == 0 || z % 4 == 0) {
          vert[3 * n] = 0.25 * x, vert[3 * n + 1] = 0.125 * y, vert[3 * n + 2] = 0.5 * z, n++;
        }
  crd_model *model = make_hull_model(vert, n);
  const crd_hull_faces *faces = &model->mesh[0].faces;
  assert_int_equal(faces->count, 6);
  for (int f = 0; f < 6; f++) {
    const double *m = faces->normal + 3 * f;
    assert_int_equal(corners_of(faces, f), 4);
    assert_true(fmax(fabs(m[0]), fmax(fabs(m[1]), fabs(m[2]))) == 1);
  }
  assert_true(faces->uneven == 0);
  check_faces(&model->mesh[0], 0);
  crd_model_free(model);
}

/* A prism of 48 sides, its vertices as exact as a file in single precision has them. */
static void a_rough_prism_keeps_its_faces(void **state) {
  (void)state;
  double vert[3 * 96];
  for (int i = 0; i < 96; i++) {
    double angle = 6.283185307179586 * i / 48;
    vert[3 * i] = cos(angle), vert[3 * i + 1] = sin(angle), vert[3 * i + 2] = i < 48 ? -0.1 : 0.1;
    for (int k = 0; k < 3; k++) vert[3 * i + k] += 3e-8 * sin(78.233 * (3 * i + k));
  }
  crd_model *model = make_hull_model(vert, 96);
  const crd_hull_faces *faces = &model->mesh[0].faces;
  int ends = 0, sides = 0;
  assert_int_equal(faces->count, 50);
  for (int f = 0; f < faces->count; f++) ends += corners_of(faces, f) == 48, sides += corners_of(faces, f) == 4;
  assert_int_equal(ends, 2);
  assert_int_equal(sides, 48);
  assert_true(faces->uneven > 1e-9 && faces->uneven < 2e-7);
  check_faces(&model->mesh[0], 2e-7);
  crd_model_free(model);
}

/* Nothing is joined that is not flat: a regular octahedron with one corner pulled out by a thousandth. */
static void faces_that_meet_at_an_angle_stay_apart(void **state) {
  (void)state;
  const double vert[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1.001, 0, 0, -1};
  crd_model *model = make_hull_model(vert, 6);
  assert_int_equal(model->mesh[0].faces.count, 8);
  check_faces(&model->mesh[0], 1e-15);
  crd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_has_six_faces_of_four_corners),
      cmocka_unit_test(a_rough_prism_keeps_its_faces),
      cmocka_unit_test(faces_that_meet_at_an_angle_stay_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
