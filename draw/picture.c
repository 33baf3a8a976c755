#include "draw/picture.h"

#include <math.h>
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

/* ------------------------------------------------------------------------------------------------ far away */

static const double FAR = 1e5; /* pixels from the corner of the picture: whatever is there is cut off */

typedef enum reach { NEAR, OUTSIDE, NOWHERE } reach;

static reach reach_of(size_t count, const double *xy) {
  reach most = NEAR;
  for (size_t i = 0; i < 2 * count; i++) {
    if (!isfinite(xy[i])) return NOWHERE;
    if (fabs(xy[i]) > FAR) most = OUTSIDE;
  }
  return most;
}

/* Where the way from a to b meets coordinate k = at. */
static void cross(const double a[2], const double b[2], int k, double at, double *point) {
  const double share = (at - a[k]) / (b[k] - a[k]);
  point[k] = at;
  point[1 - k] = a[1 - k] + share * (b[1 - k] - a[1 - k]);
}

/* Cuts the polygon (Sutherland and Hodgman) or the line of two points off at one side of the square about the picture:
 * what is left goes to `kept`, which has room for twice as many points. */
static size_t cut(size_t count, const double *xy, bool closed, int k, double sign, double *kept) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % count);
    const bool inside = sign * a[k] <= FAR, next = sign * b[k] <= FAR;
    if (inside) memcpy(kept + 2 * n++, a, 2 * sizeof *a);
    if (inside != next && (closed || i + 1 < count)) cross(a, b, k, sign * FAR, kept + 2 * n++);
  }
  return n;
}

/* The points within the square, in memory of the picture; *count: how many. */
static const double *cut_off(picture *p, size_t *count, const double *xy, bool closed) {
  for (int side = 0; side < 4 && *count > 0; side++) {
    double *kept = crd_arena_alloc(&p->arena, 2 * *count, 2 * sizeof *kept);
    if (!kept) return p->failed = true, *count = 0, NULL;
    *count = cut(*count, xy, closed, side / 2, side % 2 ? -1 : 1, kept);
    xy = kept;
  }
  return xy;
}

static void add_points(picture *p, picture_kind kind, size_t count, const double *xy, picture_style style) {
  const size_t least = kind == PICTURE_POLYGON ? 3 : 2;
  picture_shape *shape = count >= least ? add_shape(p, kind, count, xy) : NULL;
  if (shape) shape->style = style;
}

void picture_polygon(picture *p, int count, const double *xy, picture_style style) {
  size_t n = count > 2 ? (size_t)count : 0;
  const reach where = reach_of(n, xy);
  if (where == NOWHERE) return;
  if (where == OUTSIDE) xy = cut_off(p, &n, xy, true);
  add_points(p, PICTURE_POLYGON, n, xy, style);
}

/* A line that leaves the square is drawn piece by piece, for it may come back. */
void picture_line(picture *p, int count, const double *xy, picture_style style) {
  const size_t n = count > 1 ? (size_t)count : 0;
  const reach where = reach_of(n, xy);
  if (where == NEAR) add_points(p, PICTURE_LINE, n, xy, style);
  for (size_t i = 0; where == OUTSIDE && i + 1 < n; i++) {
    size_t two = 2;
    const double *piece = cut_off(p, &two, xy + 2 * i, false);
    add_points(p, PICTURE_LINE, two, piece, style);
  }
}

/* The plane through the corners: that through the first and the two that span the largest triangle with it; of an edge
 * along it. */
static void set_plane(picture_shape *shape, int count, const double *xy, const double *depth) {
  double most = 0, *plane = shape->plane;
  shape->near_far[0] = -HUGE_VAL, shape->near_far[1] = HUGE_VAL;
  plane[0] = plane[1] = 0;
  for (int i = 0; i < count; i++) {
    shape->near_far[0] = fmax(shape->near_far[0], depth[i]), shape->near_far[1] = fmin(shape->near_far[1], depth[i]);
    if (i + 1 == count || i == 0) continue;
    const double ax = xy[2 * i] - xy[0], ay = xy[2 * i + 1] - xy[1], bx = xy[2 * i + 2] - xy[0],
                 by = xy[2 * i + 3] - xy[1];
    const double area = ax * by - ay * bx, da = depth[i] - depth[0], db = depth[i + 1] - depth[0];
    if (!(fabs(area) > most)) continue;
    most = fabs(area), plane[0] = (da * by - db * ay) / area, plane[1] = (db * ax - da * bx) / area;
  }
  if (count == 2) {
    const double dx = xy[2] - xy[0], dy = xy[3] - xy[1], square = dx * dx + dy * dy;
    if (square > 0) plane[0] = (depth[1] - depth[0]) * dx / square, plane[1] = (depth[1] - depth[0]) * dy / square;
  }
  plane[2] = depth[0] - plane[0] * xy[0] - plane[1] * xy[1];
}

void picture_piece(picture *p, int count, const double *xy, const double *depth, picture_style style) {
  const size_t before = p->count;
  if (count == 2)
    picture_line(p, count, xy, style);
  else
    picture_polygon(p, count, xy, style);
  for (size_t i = before; i < p->count; i++) {
    p->shape[i].deep = true;
    set_plane(&p->shape[i], count, xy, depth);
  }
}

void picture_rect(picture *p, double x, double y, double width, double height, picture_style style) {
  const double corner[8] = {x, y, x + width, y, x + width, y + height, x, y + height};
  picture_polygon(p, 4, corner, style);
}

void picture_circle(picture *p, double x, double y, double radius, picture_style style) {
  const double centre[2] = {x, y};
  if (reach_of(1, centre) != NEAR || !(radius <= FAR)) return;
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
  if (reach_of(1, place) != NEAR) return;
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
