/* Which of many flat pieces is nearest at every place: a buffer of samples, several a pixel, each with depth and colour. */
#ifndef CRADLE_DRAW_PICTURE_DEPTH_H
#define CRADLE_DRAW_PICTURE_DEPTH_H

#include <stdint.h>

#include "draw/picture.h"

typedef struct depth_buffer {
  double x, y;       /* of its corner, units of the picture */
  double fine;       /* samples a unit */
  int width, height; /* in samples */
  float *depth;
  uint32_t *colour; /* 0: nothing here, else 0xff000000 and the colour */
} depth_buffer;

/* Over a frame, with so many samples a unit. false: no memory, and there is nothing to free. */
bool depth_begin(depth_buffer *buffer, double x, double y, double width, double height, int fine);
/* Adds a piece of the picture: shape->deep. */
void depth_add(depth_buffer *buffer, const picture *p, const picture_shape *shape);
/* The mean of each square of `share` samples, alpha and premultiplied colour in a word as cairo has them, into `pixel`
 * (width / share, height / share, `stride` words a row). */
void depth_resolve(const depth_buffer *buffer, int share, uint32_t *pixel, int stride);
void depth_end(depth_buffer *buffer);

#endif
