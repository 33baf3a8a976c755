/* Plots for papers: panels side by side in a picture, each with axes, round ticks and labels. */
#ifndef CRADLE_DRAW_PLOT_H
#define CRADLE_DRAW_PLOT_H

#include "draw/picture.h"

enum { PLOT_WIDTH = 376, PLOT_HEIGHT = 300, PLOT_FONT = 12, PLOT_INK = 0x000000, PLOT_QUIET = 0x555555 };
/* Colours of what appears on pages too. */
enum { PLOT_BLUE = 0x1f5fa8, PLOT_BROWN = 0xa85408, PLOT_GREEN = 0x1c6b3c, PLOT_RED = 0xb3261e, PLOT_PLAIN = 0xededea };

typedef struct plot_axis {
  const char *label;
  double min, max; /* max above min */
} plot_axis;

typedef struct plot_panel {
  picture *to;
  plot_axis x, y;
  double left, top; /* of its frame */
} plot_panel;

/* An empty picture with room for so many panels, and at least so high. */
picture plot_begin(int panels, double least_height);

/* The panel in this column, from 0: frame and title. What is drawn until plot_panel_end is cut off at the frame. */
plot_panel plot_panel_begin(picture *to, int column, const char *title, plot_axis x, plot_axis y);
void plot_panel_end(const plot_panel *panel);

double plot_x(const plot_panel *panel, double x);
double plot_y(const plot_panel *panel, double y);
/* In the units of the axes; a radius is in the picture's. */
void plot_rect(const plot_panel *panel, double x0, double y0, double x1, double y1, picture_style style);
/* A point that is not finite interrupts the line. */
void plot_line(const plot_panel *panel, int count, const double *x, const double *y, picture_style style);
void plot_dot(const plot_panel *panel, double x, double y, double radius, picture_style style);

/* The k-th of `count` names above the frame, in its colour. */
void plot_legend(const plot_panel *panel, int k, int count, const char *name, int colour);

/* Words of the plot's size. */
picture_font plot_font(picture_anchor anchor, int colour);

/* A range about the values, a tenth wider on either side; never empty. */
plot_axis plot_range(const char *label, double min, double max);

#endif
