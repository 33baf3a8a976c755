/* The mean colour of a picture: what a textured surface is painted with on a page. */
#include <limits.h>
#include <string.h>

#include "io/visual/visual.h"

#ifdef CRADLE_WITH_PNG
#include <png.h>

/* A picture may say to be of any size in few bytes; larger ones are not unpacked. */
static const double MOST_PIXELS = 1 << 26;
/* Rows that are unpacked at a time have to be the whole picture with libpng's simple interface. */

static bool mean_of(png_image *image, crd_arena *scratch, double rgba[4]) {
  const size_t pixels = (size_t)image->width * image->height;
  unsigned char *pixel = crd_arena_alloc(scratch, pixels, 4);
  if (!pixel || !png_image_finish_read(image, NULL, pixel, 0, NULL)) return false;
  double sum[4] = {0};
  for (size_t i = 0; i < pixels; i++)
    for (int k = 0; k < 4; k++) sum[k] += pixel[4 * i + (size_t)k];
  for (int k = 0; k < 4; k++) rgba[k] = sum[k] / (UCHAR_MAX * (double)pixels);
  return true;
}

bool crd_visual_picture_mean(const char *data, size_t size, double rgba[4]) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, data, size)) return false;
  image.format = PNG_FORMAT_RGBA;
  crd_arena scratch = {0};
  const bool small = (double)image.width * image.height <= MOST_PIXELS && image.width > 0 && image.height > 0;
  const bool done = small && mean_of(&image, &scratch, rgba);
  png_image_free(&image);
  crd_arena_free(&scratch);
  return done;
}
#else
bool crd_visual_picture_mean(const char *data, size_t size, double rgba[4]) {
  (void)data, (void)size, (void)rgba;
  return false;
}
#endif
