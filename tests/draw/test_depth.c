/* Claims: of pieces that cross, each place shows the nearest, in whatever order they come; pieces that share an edge leave
 * no sample between them; an edge is seen on its face and hidden behind what stands before it; a pixel is the mean of its
 * samples. */
#include <cradle/base.h>
#include <math.h>
#include <stdlib.h>

#include "draw/picture_depth.h"
#include "support/cmocka_all.h"

enum {
  SIDE = 100,
  FINE = 9,
  SHARE = 3,
  PIXELS = SIDE * FINE / SHARE,
  RED = 0xff0000,
  BLUE = 0x0000ff,
  GREEN = 0x00ff00
};

static void add_quad(picture *p, double x0, double y0, double x1, double y1, const double depth[4], int colour) {
  const double xy[8] = {x0, y0, x1, y0, x1, y1, x0, y1};
  picture_piece(p, 4, xy, depth, picture_filled(colour, 1));
}

/* All pieces of the picture over the square of SIDE units, PIXELS x PIXELS; the caller frees. */
static uint32_t *drawn(const picture *p) {
  depth_buffer buffer;
  uint32_t *pixel = calloc((size_t)PIXELS * PIXELS, sizeof *pixel);
  assert_true(depth_begin(&buffer, 0, 0, SIDE, SIDE, FINE));
  for (size_t i = 0; i < p->count; i++)
    if (p->shape[i].deep) depth_add(&buffer, p, &p->shape[i]);
  depth_resolve(&buffer, SHARE, pixel, PIXELS);
  depth_end(&buffer);
  return pixel;
}

/* Depths x and 100 - x are equal at x = 50. */
static void pieces_that_cross_are_cut_where_they_do(void **state) {
  (void)state;
  for (int order = 0; order < 2; order++) {
    picture p = picture_begin(SIDE, SIDE);
    for (int k = 0; k < 2; k++) {
      const bool rises = k == order;
      const double depth[4] = {rises ? 0 : 100, rises ? 100 : 0, rises ? 100 : 0, rises ? 0 : 100};
      add_quad(&p, 0, 0, SIDE, SIDE, depth, rises ? RED : BLUE);
    }
    uint32_t *pixel = drawn(&p);
    for (int y = 0; y < PIXELS; y++)
      for (int x = 0; x < PIXELS; x++) {
        const double at = (x + 0.5) * SHARE / FINE;
        if (fabs(at - 50) < 0.2) continue; /* both */
        assert_int_equal(pixel[y * PIXELS + x], 0xff000000u | (at > 50 ? RED : BLUE));
      }
    free(pixel);
    picture_free(&p);
  }
}

static void pieces_that_share_an_edge_leave_nothing_between(void **state) {
  (void)state;
  picture p = picture_begin(SIDE, SIDE);
  enum { SPOKES = 37 };
  for (int k = 0; k < SPOKES; k++) { /* a fan about a point that is no multiple of anything */
    const double a = 2 * acos(-1.0) * k / SPOKES, b = 2 * acos(-1.0) * (k + 1) / SPOKES, far = 200;
    const double xy[6] = {
        49.37, 51.23, 49.37 + far * cos(a), 51.23 + far * sin(a), 49.37 + far * cos(b), 51.23 + far * sin(b)};
    picture_piece(&p, 3, xy, (double[3]){0, 0, 0}, picture_filled(GREEN, 1));
  }
  uint32_t *pixel = drawn(&p);
  for (int i = 0; i < PIXELS * PIXELS; i++) assert_int_equal(pixel[i], 0xff000000u | GREEN);
  free(pixel);
  picture_free(&p);
}

static void an_edge_is_on_its_face_and_behind_others(void **state) {
  (void)state;
  picture p = picture_begin(SIDE, SIDE);
  const double along[4] = {10, 50, 90, 50};
  picture_piece(&p, 2, along, (double[2]){1.1, 1.1}, picture_stroked(RED, 2));
  add_quad(&p, 0, 0, SIDE, SIDE, (double[4]){1, 1, 1, 1}, GREEN);
  add_quad(&p, 40, 40, 60, 60, (double[4]){2, 2, 2, 2}, BLUE);
  uint32_t *pixel = drawn(&p);
  const int row = 50 * FINE / SHARE;
  assert_int_equal(pixel[row * PIXELS + 20 * FINE / SHARE], 0xff000000u | RED);
  assert_int_equal(pixel[row * PIXELS + 50 * FINE / SHARE], 0xff000000u | BLUE);
  assert_int_equal(pixel[row * PIXELS + 5 * FINE / SHARE], 0xff000000u | GREEN);
  free(pixel);
  picture_free(&p);
}

/* A ninth of a unit is one column of samples of the first three: a third of the pixels at the border. */
static void a_pixel_is_the_mean_of_its_samples(void **state) {
  (void)state;
  picture p = picture_begin(SIDE, SIDE);
  add_quad(&p, 0, 0, 1.0 / 9, SIDE, (double[4]){0, 0, 0, 0}, BLUE);
  uint32_t *pixel = drawn(&p);
  for (int y = 0; y < PIXELS; y++) {
    assert_int_equal(pixel[y * PIXELS], 85u << 24 | 85); /* 255 / 3, premultiplied */
    assert_int_equal(pixel[y * PIXELS + 1], 0);
  }
  free(pixel);
  picture_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_that_cross_are_cut_where_they_do),
      cmocka_unit_test(pieces_that_share_an_edge_leave_nothing_between),
      cmocka_unit_test(an_edge_is_on_its_face_and_behind_others),
      cmocka_unit_test(a_pixel_is_the_mean_of_its_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
