#include "draw/picture_depth.h"

#include <math.h>
#include <stdlib.h>

bool depth_begin(depth_buffer *buffer, double x, double y, double width, double height, int fine) {
  *buffer = (depth_buffer){.x = x, .y = y, .fine = fine};
  buffer->width = (int)ceil(width * fine), buffer->height = (int)ceil(height * fine);
  const size_t samples = (size_t)buffer->width * (size_t)buffer->height;
  buffer->depth = malloc((samples + 1) * sizeof *buffer->depth);
  buffer->colour = calloc(samples + 1, sizeof *buffer->colour);
  if (!buffer->depth || !buffer->colour) return depth_end(buffer), false;
  return true;
}

void depth_end(depth_buffer *buffer) {
  free(buffer->depth), free(buffer->colour);
  *buffer = (depth_buffer){0};
}

static double inside(double low, double x, double high) { return fmin(high, fmax(low, x)); }

/* The samples of row `at` whose centres lie from x = low to high. */
static void fill_row(depth_buffer *buffer, const picture_shape *shape, int at, double low, double high) {
  static const double HAIR = 1e-6; /* of a sample: pieces that share an edge leave none between them */
  const int first = (int)fmax(0, ceil(low - 0.5 - HAIR)), last = (int)fmin(buffer->width - 1, floor(high - 0.5 + HAIR));
  const double y = buffer->y + (at + 0.5) / buffer->fine;
  const int paint = shape->kind == PICTURE_LINE ? shape->style.stroke : shape->style.fill;
  float *depth = buffer->depth + (size_t)at * (size_t)buffer->width;
  uint32_t *colour = buffer->colour + (size_t)at * (size_t)buffer->width;
  for (int i = first; i <= last; i++) {
    const double x = buffer->x + (i + 0.5) / buffer->fine;
    const double here = shape->plane[0] * x + shape->plane[1] * y + shape->plane[2];
    /* what is seen edge-on is steep: it reaches no farther than its corners */
    const float z = (float)inside(shape->near_far[1], here, shape->near_far[0]);
    if (colour[i] && z < depth[i]) continue;
    depth[i] = z, colour[i] = 0xff000000u | (uint32_t)paint;
  }
}

/* Convex: on a line across it lies one stretch. */
static void fill(depth_buffer *buffer, const picture_shape *shape, size_t count, const double *xy) {
  double top = HUGE_VAL, bottom = -HUGE_VAL;
  for (size_t i = 0; i < count; i++) top = fmin(top, xy[2 * i + 1]), bottom = fmax(bottom, xy[2 * i + 1]);
  const int first = (int)fmax(0, ceil(top - 0.5)), last = (int)fmin(buffer->height - 1, floor(bottom - 0.5));
  for (int at = first; at <= last; at++) {
    const double y = at + 0.5;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
      const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % count);
      if (!((a[1] <= y && y <= b[1]) || (b[1] <= y && y <= a[1]))) continue;
      const double rise = b[1] - a[1], x = rise != 0 ? a[0] + (y - a[1]) / rise * (b[0] - a[0]) : a[0];
      low = fmin(low, x), high = fmax(high, x);
      if (rise == 0) low = fmin(low, b[0]), high = fmax(high, b[0]);
    }
    fill_row(buffer, shape, at, low, high);
  }
}

void depth_add(depth_buffer *buffer, const picture *p, const picture_shape *shape) {
  enum { MOST = 64 };
  double xy[2 * MOST];
  const double *at = p->point + 2 * shape->first;
  size_t count = shape->count < MOST ? shape->count : MOST;
  for (size_t i = 0; i < 2 * count; i++) xy[i] = (at[i] - (i % 2 ? buffer->y : buffer->x)) * buffer->fine;
  if (shape->kind == PICTURE_LINE) { /* a strip of its width */
    const double dx = xy[2] - xy[0], dy = xy[3] - xy[1], length = hypot(dx, dy);
    const double half = 0.5 * shape->style.width * buffer->fine;
    if (!(length > 0)) return;
    const double side[2] = {-half * dy / length, half * dx / length};
    const double strip[8] = {xy[0] + side[0], xy[1] + side[1], xy[2] + side[0], xy[3] + side[1],
                             xy[2] - side[0], xy[3] - side[1], xy[0] - side[0], xy[1] - side[1]};
    fill(buffer, shape, 4, strip);
  } else {
    fill(buffer, shape, count, xy);
  }
}

void depth_resolve(const depth_buffer *buffer, int share, uint32_t *pixel, int stride) {
  const uint32_t all = (uint32_t)(share * share);
  for (int row = 0; row < buffer->height / share; row++)
    for (int column = 0; column < buffer->width / share; column++) {
      uint32_t sum[4] = {0};
      for (int k = 0; k < share * share; k++) {
        const size_t y = (size_t)(row * share + k / share), x = (size_t)(column * share + k % share);
        const uint32_t sample = buffer->colour[y * (size_t)buffer->width + x];
        for (int c = 0; c < 4; c++) sum[c] += sample >> (8 * c) & 255;
      }
      uint32_t mean = 0;
      for (int c = 0; c < 4; c++) mean |= (sum[c] + all / 2) / all << (8 * c);
      pixel[(size_t)row * (size_t)stride + (size_t)column] = mean;
    }
}
