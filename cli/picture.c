#include "picture.h"

#include <stdlib.h>
#include <string.h>

picture_style picture_filled(int colour, double opacity) {
  return (picture_style){colour, PICTURE_NONE, opacity, 0, 0};
}
picture_style picture_stroked(int colour, double width) { return (picture_style){PICTURE_NONE, colour, 1, width, 0}; }

picture picture_begin(double width, double height) {
  picture p = {.width = width, .height = height};
  picture_rect(&p, 0, 0, width, height, picture_filled(0xffffff, 1));
  return p;
}

void picture_free(picture *p) {
  free(p->shape), free(p->point);
  crd_arena_free(&p->arena);
  *p = (picture){0};
}

/* Room for one more of `count` items of this size; NULL: no memory, and the items are untouched. */
static void *grown(void *items, size_t count, size_t *room, size_t size) {
  if (count <= *room) return items;
  const size_t larger = 2 * count + 64;
  void *moved = realloc(items, larger * size);
  if (moved) *room = larger;
  return moved;
}

static picture_shape *add_shape(picture *p, picture_kind kind, size_t count, const double *xy) {
  picture_shape *shape = grown(p->shape, p->count + 1, &p->room, sizeof *shape);
  if (shape) p->shape = shape;
  double *point = grown(p->point, 2 * (p->npoint + count), &p->point_room, sizeof *point);
  if (point) p->point = point;
  if (!shape || (!point && count > 0)) {
    p->failed = true;
    return NULL;
  }
  shape = &p->shape[p->count++];
  *shape = (picture_shape){.kind = kind, .first = p->npoint, .count = count};
  if (count > 0) memcpy(p->point + 2 * p->npoint, xy, 2 * count * sizeof *xy);
  p->npoint += count;
  return shape;
}

void picture_polygon(picture *p, int count, const double *xy, picture_style style) {
  picture_shape *shape = count > 2 ? add_shape(p, PICTURE_POLYGON, (size_t)count, xy) : NULL;
  if (shape) shape->style = style;
}

void picture_line(picture *p, int count, const double *xy, picture_style style) {
  picture_shape *shape = count > 1 ? add_shape(p, PICTURE_LINE, (size_t)count, xy) : NULL;
  if (shape) shape->style = style;
}

void picture_rect(picture *p, double x, double y, double width, double height, picture_style style) {
  const double corner[8] = {x, y, x + width, y, x + width, y + height, x, y + height};
  picture_polygon(p, 4, corner, style);
}

void picture_circle(picture *p, double x, double y, double radius, picture_style style) {
  const double centre[2] = {x, y};
  picture_shape *shape = add_shape(p, PICTURE_CIRCLE, 1, centre);
  if (shape) shape->style = style, shape->radius = radius;
}

void picture_clip(picture *p, double x, double y, double width, double height) {
  const double corner[4] = {x, y, x + width, y + height};
  add_shape(p, PICTURE_CLIP, 2, corner);
}

void picture_unclip(picture *p) { add_shape(p, PICTURE_UNCLIP, 0, NULL); }

/* ------------------------------------------------------------------------------------------------ text */

/* Length of the UTF-8 sequence at s, 0: it is none (overlong, surrogate, beyond U+10FFFF or cut off). */
static size_t sequence_length(const unsigned char *s) {
  const size_t length = s[0] < 0x80                   ? 1
                        : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                        : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                        : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return length;
}

void picture_text(picture *p, double x, double y, const picture_font *font, const char *text) {
  const double place[2] = {x, y};
  char *clean = crd_arena_alloc(&p->arena, 3 * strlen(text) + 1, 1), *to = clean;
  picture_shape *shape = clean ? add_shape(p, PICTURE_TEXT, 1, place) : NULL;
  if (!shape) {
    p->failed = true;
    return;
  }
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    const size_t length = sequence_length(s);
    if (length == 0)
      memcpy(to, "\xEF\xBF\xBD", 3), to += 3, s++;
    else if (s[0] < 0x20 || s[0] == 0x7f)
      s++;
    else
      memcpy(to, s, length), to += length, s += length;
  }
  shape->text = clean, shape->font = *font;
}

/* ------------------------------------------------------------------------------------------------ files */

void picture_options(picture_files *files, cli_option *option, const char *svg_help, const char *png_help) {
  option[0] = (cli_option){"--svg", "FILE", CLI_TEXT, &files->svg, 0, svg_help};
  option[1] = (cli_option){"--png", "FILE", CLI_TEXT, &files->png, 0, png_help};
}

bool picture_wanted(const picture_files *files) { return files->svg || files->png; }

bool picture_possible(const picture_files *files, const char *verb) {
  if (!files->png || picture_has_png()) return true;
  cli_complain(verb, "--png: this cradle was built without cairo, expected --svg FILE");
  return false;
}

static int write_one(const picture *p, const char *path, bool (*print)(const picture *, FILE *)) {
  cli_output output;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  const bool done = !p->failed && print(p, output.file);
  if (!done) fprintf(stderr, "cradle: no memory\n");
  return cli_output_end(&output, path, done ? CLI_DONE : CLI_SYSTEM);
}

int picture_write(picture *p, const picture_files *files) {
  int code = CLI_DONE;
  if (files->svg) code = write_one(p, files->svg, picture_svg);
  if (files->png && code == CLI_DONE) code = write_one(p, files->png, picture_png);
  picture_free(p);
  return code;
}
