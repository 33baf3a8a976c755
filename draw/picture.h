/* A picture as a list of shapes, for papers: written as SVG, or painted through cairo as PNG. Both come from the one
 * list, so they show the same. Units are SVG's pixels, x to the right, y down. */
#ifndef CRADLE_DRAW_PICTURE_H
#define CRADLE_DRAW_PICTURE_H

#include <cradle/base.h>
#include <stdio.h>

enum { PICTURE_NONE = -1 };

/* Colours are 0xRRGGBB, or PICTURE_NONE: not painted. */
typedef struct picture_style {
  int fill, stroke;
  double opacity; /* of the fill */
  double width;   /* of the stroke */
  double dash;    /* length of a dash and of the gap behind it; 0: none */
} picture_style;
picture_style picture_filled(int colour, double opacity);
picture_style picture_stroked(int colour, double width);

typedef enum picture_anchor { PICTURE_START, PICTURE_MIDDLE, PICTURE_END } picture_anchor;

typedef struct picture_font {
  double size;
  int colour;
  bool bold;
  bool upward; /* reads from bottom to top */
  picture_anchor anchor;
} picture_font;

typedef enum picture_kind {
  PICTURE_POLYGON,
  PICTURE_LINE,
  PICTURE_CIRCLE,
  PICTURE_TEXT,
  PICTURE_CLIP,
  PICTURE_UNCLIP
} picture_kind;

typedef struct picture_shape {
  picture_kind kind;
  picture_style style;
  size_t first, count; /* of its points; a clip has two corners */
  double radius;
  bool deep;          /* a piece of a scene (picture_piece), with its depth toward the eye: */
  double plane[3];    /* plane[0] x + plane[1] y + plane[2] */
  double near_far[2]; /* the largest and the least of its corners */
  const char *text;   /* valid UTF-8 without control characters */
  picture_font font;
} picture_shape;

/* Begin it, add shapes, write it: that frees it. Memory that is out shows when it is written. */
typedef struct picture {
  double width, height;
  picture_shape *shape;
  size_t count, room;
  double *point; /* x y of every point */
  size_t npoint, point_room;
  crd_arena arena;
  bool failed;
} picture;

/* An empty picture on white. */
picture picture_begin(double width, double height);
void picture_polygon(picture *p, int count, const double *xy, picture_style style);
void picture_line(picture *p, int count, const double *xy, picture_style style);
void picture_rect(picture *p, double x, double y, double width, double height, picture_style style);
/* A flat piece of a scene, convex, or an edge of one (two points), with the depth of each corner toward the eye, in any unit.
 * Pieces that follow each other within a clip hide each other: a PNG file shows the nearest at every place, SVG paints
 * them in their order. fill: its colour; stroke and width: of an edge, and of SVG's seams. */
void picture_piece(picture *p, int count, const double *xy, const double *depth, picture_style style);
void picture_circle(picture *p, double x, double y, double radius, picture_style style);
/* Any bytes: what is no UTF-8 becomes U+FFFD, control characters are left out. */
void picture_text(picture *p, double x, double y, const picture_font *font, const char *text);
/* Cuts off shapes added from here to picture_unclip at this frame. */
void picture_clip(picture *p, double x, double y, double width, double height);
void picture_unclip(picture *p);
void picture_free(picture *p);

/* The picture in either format, as the text of a file; false: no memory. */
bool picture_svg(const picture *p, FILE *file);
bool picture_png(const picture *p, FILE *file);
bool picture_has_png(void);

#endif
