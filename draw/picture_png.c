/* A picture as a PNG file, painted by cairo: three pixels a unit, which is 300 to the inch where a plot is printed at
 * its size. */
#include "draw/picture.h"

#ifdef CRADLE_WITH_CAIRO
#include <cairo.h>
#include <math.h>

#include "draw/picture_depth.h"

enum { PIXELS = 3, SAMPLES = 3 }; /* of a unit; of a pixel, along each side, where pieces of a scene meet */

#ifdef CRADLE_SANITIZE
/* What fontconfig found it keeps until the program ends: no leak of ours, and not worth a word on stderr. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\n"; }
#endif

static void set_colour(cairo_t *to, int colour, double opacity) {
  cairo_set_source_rgba(to, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0, opacity);
}

/* Fills and strokes the path that was made. */
static void paint(cairo_t *to, const picture_style *style) {
  if (style->fill != PICTURE_NONE) {
    set_colour(to, style->fill, style->opacity);
    cairo_fill_preserve(to);
  }
  if (style->stroke != PICTURE_NONE) {
    set_colour(to, style->stroke, 1);
    cairo_set_line_width(to, style->width);
    cairo_set_dash(to, &style->dash, style->dash > 0, 0);
    cairo_stroke_preserve(to);
  }
  cairo_new_path(to);
}

static void paint_words(cairo_t *to, const picture_shape *shape, const double *at) {
  const picture_font *font = &shape->font;
  cairo_text_extents_t size;
  cairo_save(to);
  cairo_select_font_face(to, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(to, font->size);
  cairo_text_extents(to, shape->text, &size);
  cairo_translate(to, at[0], at[1]);
  if (font->upward) cairo_rotate(to, -acos(0));
  cairo_move_to(to,
                font->anchor == PICTURE_START    ? 0
                : font->anchor == PICTURE_MIDDLE ? -size.x_advance / 2
                                                 : -size.x_advance,
                0);
  set_colour(to, font->colour, 1);
  cairo_show_text(to, shape->text);
  cairo_restore(to);
  cairo_new_path(to);
}

static void paint_shape(cairo_t *to, const picture *p, const picture_shape *shape) {
  const double *at = p->point + 2 * shape->first;
  switch (shape->kind) {
    case PICTURE_POLYGON:
    case PICTURE_LINE:
      for (size_t i = 0; i < shape->count; i++) cairo_line_to(to, at[2 * i], at[2 * i + 1]);
      if (shape->kind == PICTURE_POLYGON) cairo_close_path(to);
      paint(to, &shape->style);
      break;
    case PICTURE_CIRCLE:
      cairo_arc(to, at[0], at[1], shape->radius, 0, 4 * acos(0));
      cairo_close_path(to);
      paint(to, &shape->style);
      break;
    case PICTURE_TEXT: paint_words(to, shape, at); break;
    case PICTURE_CLIP:
      cairo_save(to);
      cairo_rectangle(to, at[0], at[1], at[2] - at[0], at[3] - at[1]);
      cairo_clip(to);
      break;
    case PICTURE_UNCLIP: cairo_restore(to); break;
  }
}

/* The pieces from here on that follow each other, nearest first, over what was painted before; their number. */
static size_t paint_pieces(cairo_t *to, const picture *p, size_t first, const double frame[4]) {
  depth_buffer buffer;
  size_t end = first;
  while (end < p->count && p->shape[end].deep) end++;
  if (!depth_begin(&buffer, frame[0], frame[1], frame[2] - frame[0], frame[3] - frame[1], PIXELS * SAMPLES)) return 0;
  for (size_t i = first; i < end; i++) depth_add(&buffer, p, &p->shape[i]);
  cairo_surface_t *sheet =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, buffer.width / SAMPLES, buffer.height / SAMPLES);
  const bool made = cairo_surface_status(sheet) == CAIRO_STATUS_SUCCESS;
  if (made) {
    depth_resolve(&buffer, SAMPLES, (uint32_t *)(void *)cairo_image_surface_get_data(sheet),
                  cairo_image_surface_get_stride(sheet) / (int)sizeof(uint32_t));
    cairo_surface_mark_dirty(sheet);
    cairo_save(to);
    cairo_translate(to, frame[0], frame[1]);
    cairo_scale(to, 1.0 / PIXELS, 1.0 / PIXELS);
    cairo_set_source_surface(to, sheet, 0, 0);
    cairo_paint(to);
    cairo_restore(to);
  }
  cairo_surface_destroy(sheet);
  depth_end(&buffer);
  return made ? end - first : 0;
}

/* Everything; false: no memory. */
static bool paint_all(cairo_t *to, const picture *p) {
  const double whole[4] = {0, 0, p->width, p->height}, *frame = whole;
  for (size_t i = 0; i < p->count;) {
    const picture_shape *shape = &p->shape[i];
    if (shape->kind == PICTURE_CLIP) frame = p->point + 2 * shape->first;
    if (shape->kind == PICTURE_UNCLIP) frame = whole;
    const size_t pieces = shape->deep ? paint_pieces(to, p, i, frame) : 0;
    if (shape->deep && pieces == 0) return false;
    if (!shape->deep) paint_shape(to, p, shape);
    i += shape->deep ? pieces : 1;
  }
  return true;
}

static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned size) {
  return fwrite(data, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

bool picture_png(const picture *p, FILE *file) {
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(PIXELS * p->width), (int)ceil(PIXELS * p->height));
  cairo_t *to = cairo_create(surface);
  cairo_scale(to, PIXELS, PIXELS);
  cairo_set_line_join(to, CAIRO_LINE_JOIN_ROUND);
  const bool painted = paint_all(to, p) && cairo_status(to) == CAIRO_STATUS_SUCCESS;
  cairo_destroy(to);
  const bool done = painted && cairo_surface_write_to_png_stream(surface, write_bytes, file) == CAIRO_STATUS_SUCCESS;
  cairo_surface_destroy(surface);
  return done;
}

bool picture_has_png(void) { return true; }

#else

bool picture_png(const picture *p, FILE *file) {
  (void)p, (void)file;
  return false;
}

bool picture_has_png(void) { return false; }

#endif
