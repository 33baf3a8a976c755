/* Pictures: the mean colour, which a textured surface is painted with on a page, and the heights of a field. */
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

static bool begin(png_image *image, const char *data, size_t size) {
  memset(image, 0, sizeof *image);
  image->version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(image, data, size)) return false;
  image->format = PNG_FORMAT_RGBA;
  image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* samples are plain numbers of any width */
  return true;
}

static bool is_small(const png_image *image) {
  return (double)image->width * image->height <= MOST_PIXELS && image->width > 0 && image->height > 0;
}

bool crd_visual_picture_mean(const char *data, size_t size, double rgba[4]) {
  png_image image;
  if (!begin(&image, data, size)) return false;
  crd_arena scratch = {0};
  const bool done = is_small(&image) && mean_of(&image, &scratch, rgba);
  png_image_free(&image);
  crd_arena_free(&scratch);
  return done;
}

bool crd_visual_picture_red(const char *data, size_t size, crd_arena *arena, int *width, int *height, double **red) {
  png_image image;
  if (!begin(&image, data, size)) return false;
  crd_arena scratch = {0};
  const size_t pixels = (size_t)image.width * image.height;
  unsigned char *pixel = is_small(&image) ? crd_arena_alloc(&scratch, pixels, 4) : NULL;
  *red = pixel ? crd_arena_alloc(arena, pixels, sizeof **red) : NULL;
  const bool done = *red && png_image_finish_read(&image, NULL, pixel, 0, NULL);
  for (size_t i = 0; done && i < pixels; i++) (*red)[i] = pixel[4 * i];
  *width = (int)image.width, *height = (int)image.height;
  png_image_free(&image);
  crd_arena_free(&scratch);
  return done;
}
#else
bool crd_visual_picture_mean(const char *data, size_t size, double rgba[4]) {
  (void)data, (void)size, (void)rgba;
  return false;
}

bool crd_visual_picture_red(const char *data, size_t size, crd_arena *arena, int *width, int *height, double **red) {
  (void)data, (void)size, (void)arena, (void)width, (void)height, (void)red;
  return false;
}
#endif
